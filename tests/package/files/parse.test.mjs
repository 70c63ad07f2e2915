// Conversations in files are recognized by their content, and rows that aren't understood are skipped and reported.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, parseTranscript } from "windrow";
import { textOfFile } from "windrow/files";
import { checkContextError, errorOf } from "../support/errors.mjs";
import { forEachSeed } from "../support/property.mjs";
import { randomTranscript } from "../support/random.mjs";

const one = { role: "user", content: "one" };
const two = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
};
const three = { role: "tool", tool_call_id: "c", content: "three" };
const all = [one, two, three];
const lines = (...values) => values.map((value) => JSON.stringify(value)).join("\n");
const rows = (parsed) => parsed.skipped.map(({ row }) => row);

/** Parses a file with one conversation, which is the file's messages. */
function parsedOne(text) {
  const { conversations, ...parsed } = parseTranscript(text);
  assert.deepEqual(
    conversations.map(({ messages }) => messages),
    parsed.messages.length > 0 ? [parsed.messages] : [],
  );
  return parsed;
}

function fails(text, message) {
  assert.throws(
    () => parseTranscript(text),
    (error) => {
      checkContextError(error, { kind: "transcript_error", code: "INVALID_TRANSCRIPT", message });
      return true;
    },
  );
}

test("the request of a file that is one object is read", () => {
  const parsed = parsedOne(JSON.stringify({ request: "And?", messages: all }, null, 2));
  assert.deepEqual(parsed, { messages: all, skipped: [], request: "And?" });
  const asked = parseTranscript(JSON.stringify({ request: { role: "user", content: "And?" }, messages: all }));
  assert.deepEqual(asked.request, { role: "user", content: "And?" });
  assert.equal("request" in parseTranscript(JSON.stringify({ request: 5, messages: all })), false);
});

describe("forms of files", () => {
  const forms = {
    "a list": JSON.stringify(all),
    "a list, indented": JSON.stringify(all, null, 2),
    "a message a line": lines(...all),
    "a message a line, and a line end": `${lines(...all)}\n`,
    "an object with messages": JSON.stringify({ model: "gpt-4o", messages: all }),
    "an object with messages, indented": JSON.stringify({ model: "gpt-4o", messages: all }, null, 2),
    "an object with messages, in a list": JSON.stringify([{ messages: all }]),
  };
  for (const [name, text] of Object.entries(forms)) {
    test(name, () => assert.deepEqual(parsedOne(text), { messages: all, skipped: [] }));
    test(`${name}: with a byte order mark, other line ends, blank lines`, () => {
      for (const variant of [
        `\ufeff${text}`,
        text.replaceAll("\n", "\r\n"),
        text.replaceAll("\n", "\n \n\n"),
        `\n ${text}\n\n`,
      ]) {
        assert.deepEqual(parsedOne(variant), { messages: all, skipped: [] });
      }
    });
  }

  test("one message alone, as a list and as a line", () => {
    assert.deepEqual(parseTranscript(JSON.stringify([one])).messages, [one]);
    assert.deepEqual(parseTranscript(JSON.stringify(one)).messages, [one]);
  });

  test("an empty list has no message", () => {
    assert.deepEqual(parsedOne("[]"), { messages: [], skipped: [] });
    assert.deepEqual(parsedOne('{"messages": []}'), { messages: [], skipped: [] });
  });

  test("files are read back as written: for random transcripts, as a list and as lines", () => {
    forEachSeed((random) => {
      const messages = JSON.parse(JSON.stringify(randomTranscript(random)));
      assert.deepEqual(parsedOne(JSON.stringify(messages)), { messages, skipped: [] });
      if (messages.length > 0) {
        assert.deepEqual(parsedOne(lines(...messages)), { messages, skipped: [] });
      }
      buildContextSync(messages, { encoding: "estimate" });
    });
  });
});

describe("rows that are not understood", () => {
  /** @type {[row: any, reason: RegExp][]} */
  const bad = [
    [{ content: "no role" }, /the message has no role/],
    [{ role: "bot", content: "" }, /unknown role "bot"/],
    [{ role: "user", content: 5 }, /content: expected a text or a list of parts, got 5/],
    [null, /expected a message, got nothing/],
    ["text", /expected a message, got "text"/],
    [5, /expected a message, got 5/],
    [[], /expected a message, got a list/],
    [{ type: "summary", id: 3 }, /the message has no role/],
    [{ messages: "text" }, /the message has no role/],
  ];

  test("in a list are named by their number", () => {
    const parsed = parseTranscript(JSON.stringify([one, ...bad.map(([row]) => row), three]));
    assert.deepEqual(parsed.messages, [one, three]);
    assert.deepEqual(
      rows(parsed),
      bad.map((_, index) => index + 2),
    );
    parsed.skipped.forEach(({ reason }, index) => {
      assert.match(reason, bad[index][1]);
      assert.doesNotMatch(reason, /^row/);
    });
  });

  test("in lines are named by the line's number, counting blank lines", () => {
    const text = [
      JSON.stringify(one),
      "",
      '{"role":"user","content":"cut',
      "no JSON at all",
      "5",
      JSON.stringify(three),
    ].join("\n");
    const parsed = parseTranscript(text);
    assert.deepEqual(parsed.messages, [one, three]);
    assert.deepEqual(rows(parsed), [3, 4, 5]);
    assert.match(parsed.skipped[0].reason, /not JSON/);
    assert.match(parsed.skipped[2].reason, /expected a message, got 5/);
  });

  test("a damaged first line doesn't hide the others", () => {
    const parsed = parseTranscript(`{"role":"user","content":"cu\n${lines(...all)}`);
    assert.deepEqual(parsed.messages, all);
    assert.deepEqual(rows(parsed), [1]);
  });

  test("a truncated last line, as a crash leaves it, is skipped", () => {
    const parsed = parseTranscript(lines(...all, one).slice(0, -9));
    assert.deepEqual(parsed.messages, all);
    assert.deepEqual(rows(parsed), [4]);
  });

  test("several in one line are each reported, with the place in the line", () => {
    const parsed = parseTranscript(lines({ messages: [one, { role: "bot" }, {}] }, { messages: [three] }));
    assert.deepEqual(
      parsed.conversations.map(({ messages }) => messages.map(({ content }) => content)),
      [["one"], ["three"]],
    );
    assert.deepEqual(rows(parsed), [1, 1]);
    assert.match(parsed.skipped[0].reason, /^message 2: role: unknown role "bot"/);
    assert.match(parsed.skipped[1].reason, /^message 3: role: the message has no role/);
  });
});

describe("not a conversation", () => {
  test("no JSON", () => {
    for (const text of ["", " \n", "\ufeff", "hello", "<html>", "# Notes\n\n- one", "undefined", "PK\u0003\u0004"]) {
      fails(text, /^not a conversation|^This looks like a (?:web page|ZIP archive); /);
    }
  });

  test("truncated JSON", () => {
    const documents = {
      "a list": JSON.stringify(all),
      "a list, indented": JSON.stringify(all, null, 2),
      "an object": JSON.stringify({ messages: all }),
      "an object, indented": JSON.stringify({ model: "gpt-4o", messages: all }, null, 2),
      "an object, a message a line": `{"messages": [\n${all.map((message) => JSON.stringify(message)).join(",\n")}\n]}`,
    };
    for (const [name, text] of Object.entries(documents)) {
      for (let length = 1; length < text.length; length++) {
        assert.throws(
          () => parseTranscript(text.slice(0, length)),
          { code: "INVALID_TRANSCRIPT" },
          `${name}, cut at ${length}`,
        );
      }
    }
  });

  test("JSON without a message is refused", async () => {
    for (const text of ['"text"', "5", "null", "true", '{"a": 1}', '{"messages": {"role": "user"}}']) {
      checkContextError(await errorOf(() => parseTranscript(text)), {
        kind: "transcript_error",
        code: "INVALID_TRANSCRIPT",
        message: /^This looks like an? (?:single|object)/,
      });
    }
  });
});

test("the bytes of a file are decoded by their mark, and refused if they aren't text", async () => {
  const text = JSON.stringify([{ role: "user", content: "Grüße 👋" }]);
  const little = Buffer.from(`\ufeff${text}`, "utf16le");
  for (const bytes of [Buffer.from(text), Buffer.from(`\ufeff${text}`), little, Buffer.from(little).swap16()]) {
    assert.equal(textOfFile(bytes), text);
    assert.equal(textOfFile(new Uint8Array(bytes).buffer), text);
  }
  for (const [bytes, message] of /** @type {const} */ ([
    [[0x80], /^the file is not text in UTF-8 or UTF-16$/],
    [[0xff, 0xfe, 0x41], /^the file is not text in UTF-8 or UTF-16$/],
    [[0x50, 0x4b, 3, 4, 0xff], /^the file is an archive: pass a file inside it$/],
  ])) {
    checkContextError(await errorOf(() => textOfFile(new Uint8Array(bytes))), {
      kind: "transcript_error",
      code: "INVALID_TRANSCRIPT",
      message,
    });
  }
});
