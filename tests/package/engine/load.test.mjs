// Robustness with large inputs, and with values that only claim to be large.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  buildContext,
  buildContextSync,
  createTranscript,
  memoryStore,
  openSession,
  parseTranscript,
  replay,
} from "windrow";
import { messageOfTask } from "windrow/tasks";
import { checkContextError, errorOf } from "../support/errors.mjs";
import { manyMessages } from "../support/load-cases.mjs";
import { forEachSeedAsync } from "../support/property.mjs";

/** @satisfies {import("windrow").ContextConfig} */
const estimate = { encoding: "estimate", now: 0 };
const nested = (depth) => {
  let value = [];
  for (let level = 0; level < depth; level++) {
    value = [value];
  }
  return value;
};

describe("sparse lists are as long as their elements", () => {
  const empty = (length) => {
    const list = [];
    list.length = length;
    return list;
  };
  const places = {
    messages: (list) => buildContext(list, estimate),
    "a transcript": (list) => createTranscript(list),
    "parts of a message": (list) => buildContext([{ role: "user", content: list }], estimate),
    "arguments of a call": (list) =>
      buildContext(
        [{ role: "assistant", content: "", toolCalls: [{ id: "a", name: "b", arguments: list }] }],
        estimate,
      ),
    actions: (list) => buildContext([{ role: "assistant", content: "a", actions: list }], estimate),
    tags: (list) => buildContext([{ role: "assistant", content: "a", tags: list }], estimate),
    tools: (list) => buildContext([], { ...estimate, budget: { tools: list } }),
    "a tool": (list) => buildContext([], { ...estimate, budget: { tools: [{ names: list }] } }),
    sections: (list) => buildContext([], { ...estimate, sections: list }),
  };
  for (const [name, call] of Object.entries(places)) {
    for (const length of [1, 1_000_000_000]) {
      test(`${name}: ${length} holes`, async () => {
        const error = await errorOf(() => call(empty(length)));
        checkContextError(error, { kind: error.kind });
      });
    }
  }

  test("a session appends a whole list, or fails", async () => {
    const session = await openSession("web:a", { store: memoryStore() });
    const holes = empty(2);
    const error = await errorOf(() => session.append(holes));
    checkContextError(error, { kind: "session_error", code: "INVALID_TRANSCRIPT", path: "messages[0]" });
    holes[0] = { role: "user", content: "a" };
    checkContextError(await errorOf(() => session.append(holes)), { kind: "session_error", path: "messages[1]" });
    assert.equal(await session.info(), undefined, "nothing was stored");
  });
});

describe("import", () => {
  // Each of these took seconds or minutes when a regular expression backtracked.
  const repeated = ["\r", " ", "\t", "\r ", "{", '{"a":', '"', "\\", '\\"', "\u2028", "1", "[", "\ufeff", "\r\n", "\n"];
  test("a file that repeats one thing is read once", async () => {
    for (const [at, piece] of repeated.entries()) {
      const session = await openSession("web:a", { store: memoryStore() });
      const text = `{"role":"user","content":"a"}${piece.repeat(200_000)}x\n{"role":"user","content":"b"}\n`;
      const started = process.cpuUsage().user;
      await session.import(at % 2 === 0 ? text : `${text}${text}`).catch((error) => {
        checkContextError(error, { kind: "session_error" });
      });
      const seconds = (process.cpuUsage().user - started) / 1e6;
      assert.ok(seconds < 10, `${JSON.stringify(piece)} takes ${seconds} s`);
    }
  });

  test("progress is reported, and other work gets its turn", async () => {
    const session = await openSession("web:a", { store: memoryStore() });
    const lines = manyMessages(20_000).map((message) => JSON.stringify(message));
    const told = [];
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    });
    await session.import(lines.join("\n"), { onProgress: (progress) => told.push(progress) });
    clearInterval(timer);
    assert.deepEqual(told.at(-1), { rowCount: 20_000, rowTotal: 20_000 });
    assert.ok(told.length === 1 || turns > 0, "a timer ran in between");
    const counts = told.map(({ rowCount }) => rowCount);
    assert.deepEqual(
      counts,
      counts.toSorted((left, right) => left - right),
    );
  });

  test("an aborted import leaves nothing", async () => {
    const session = await openSession("web:a", { store: memoryStore() });
    const file = JSON.stringify({ role: "user", content: "a" });
    const error = await errorOf(() => session.import(file, { signal: AbortSignal.abort() }));
    checkContextError(error, { kind: "session_error", code: "ABORTED" });
    assert.equal(await session.info(), undefined);
  });
});

describe("any repetitive text is read once", () => {
  /**
   * Strings that the package's regular expressions look for, whole and in part: if one of them backtracks, it does so
   * on these.
   */
  const pieces = [
    ...[
      '"',
      "'",
      ":",
      ";",
      ",",
      ".",
      "/",
      "\\",
      "|",
      "+",
      "-",
      "_",
      "=",
      "#",
      "@",
      "$",
      "%",
      "&",
      "<",
      "(",
      "[",
      "]",
      "{",
      "}",
    ],
    ...[
      " ",
      "\t",
      "\r",
      "\n",
      "\r\n",
      "\u2028",
      "\u00a0",
      "\ufeff",
      "\u0000",
      "0",
      "1",
      "00",
      "a",
      "A",
      "z",
      "é",
      "T",
      "Z",
    ],
    ...[
      '"session_key"',
      '"session_key":"',
      '"session_key" : ',
      '{"',
      '":',
      "\\n",
      '\\"',
      "row 1: ",
      "entry.",
      "[row 1]",
    ],
    ...[
      "data:",
      "data:image/png;base64,",
      ";base64,",
      "https://",
      "blob:",
      "cid:",
      "====",
      "%PDF-",
      "/Type",
      "/Type /Page",
    ],
    ...[
      "/Pages",
      "/Count",
      "/Count 1",
      "tool_result",
      "_tool_result",
      "tool-result",
      "mcp_",
      "server_",
      "tool_use",
      "_call",
    ],
    ..."_call_output|reasoning|error-text|_ids|Ids|uuid|At|_at|Ms|_time|2025-05-07T09:00|:00.1|:00,1|T09:00:00".split(
      "|",
    ),
  ];
  const LENGTH = 200_000;
  const white = [" ", "\t", "\r", "\n", "\r\n", "\u2028", "\u00a0", "\ufeff"];
  /** One or a few pieces, or just white space: an expression may look for only one kind. */
  const unitOf = (random) => {
    const kind = random.pick([pieces, pieces, white]);
    return Array.from({ length: random.integer(1, 3) }, () => random.pick(kind)).join("");
  };
  const longText = (random) => {
    const unit = unitOf(random);
    const ends = [random.chance(0.6) ? unitOf(random) : "", random.chance(0.6) ? unitOf(random) : ""];
    const body = random.chance(0.8)
      ? unit.repeat(Math.ceil(LENGTH / unit.length))
      : Array.from({ length: LENGTH / 8 }, () => random.pick(pieces)).join("");
    return `${ends[0]}${body.slice(0, LENGTH)}${ends[1]}`;
  };

  const build = (message, config) => buildContextSync([message], { ...estimate, budget: { maxTokens: 50 }, ...config });
  const user = (more) => ({ role: "user", content: "a", ...more });
  const part = (more) => user({ content: [{ type: "text", text: "a" }, more] });
  const inSession = async (run) => {
    const session = await openSession("web:a", { store: memoryStore() });
    await run(session);
  };
  /** Every public call that applies a regular expression to a text. */
  const places = {
    "a file": (text) => parseTranscript(text),
    "a line of a file": (text) => parseTranscript(`${JSON.stringify(user())}\n${text}\n${JSON.stringify(user())}\n`),
    "an imported file": (text) => inSession((session) => session.import(text)),
    "a session's own line, which a fork names anew": (text) =>
      inSession(async (session) => {
        await session.import(
          `{"type":"session","session_key":"web:a","note":${JSON.stringify(text)}}\n${JSON.stringify(user())}`,
        );
        await session.fork(2, "web:b");
      }),
    "an id": (text) => inSession((session) => session.append(user({ id: text }))),
    "the name of a field": (text) => build(user({ [text]: "a" })),
    "the name of a field with its text": (text) => build({ role: "user", [text]: "what is said" }),
    "the value of a field that is not read": (text) => build({ role: "user", other: text }),
    "a role": (text) => build({ role: text, content: "a" }),
    "the type of a row": (text) => parseTranscript(JSON.stringify([{ type: text, text: "a" }])),
    "the type of a part": (text) => build(part({ type: text, text: "a" })),
    "the output of a tool": (text) =>
      build({ role: "tool", content: [{ type: "tool-result", toolCallId: "c", output: { type: text, value: "a" } }] }),
    "a clock": (text) => build(user(), { now: text }),
    "a time": (text) => build(user({ createdAt: text })),
    "the detail of an image": (text) => build(part({ type: "image", detail: text, url: "https://example.com/1.png" })),
    "the media type of a file": (text) => build(part({ type: "file", mediaType: text, data: "AAAA" })),
    "an image": (text) => build(part({ type: "image", image: text })),
    "a data URL": (text) => build(part({ type: "image", image: `data:image/png;base64,${text}` })),
    "a file's bytes": (text) => build(part({ type: "file", data: new TextEncoder().encode(`%PDF-1.7 ${text}`) })),
    "an option's name": (text) => build(user(), { [text]: 1 }),
    "an option's value": (text) => build(user(), { encoding: text }),
    "a layer's task": (text) => messageOfTask({ action: text, parameters: { content: text } }),
  };
  for (const [name, call] of Object.entries(places)) {
    test(name, async () => {
      await forEachSeedAsync(async (random) => {
        const text = longText(random);
        const started = process.cpuUsage().user;
        try {
          await call(text);
        } catch (error) {
          checkContextError(error, { kind: error.kind });
        }
        // A single pass takes some hundredths of a second, and backtracking takes minutes.
        const seconds = (process.cpuUsage().user - started) / 1e6;
        assert.ok(seconds < 4, `${JSON.stringify(text.slice(0, 60))} takes ${seconds} s`);
      });
    });
  }
});

test("an absurdly nested recording is damaged, and the next call works", async () => {
  const { recording } = buildContextSync([{ role: "user", content: "a" }], estimate);
  for (const field of Object.keys(recording)) {
    for (const depth of [40, 20_000]) {
      const error = await errorOf(() => replay({ ...recording, [field]: nested(depth) }, []));
      checkContextError(error, { code: field === "request" ? undefined : "INVALID_RECORDING" });
    }
  }
  const itself = { ...recording, config: {} };
  itself.config.itself = itself;
  checkContextError(await errorOf(() => replay(itself, [])), { code: "INVALID_RECORDING" });
  assert.ok((await replay(recording, [{ role: "user", content: "a" }])).same);
});

describe("a store that returns wrong values", () => {
  /** A memory store with one wrong method. */
  const wrong = (change) => {
    const store = memoryStore();
    const methods = ["append", "get", "sessions", "trim", "remove", "holding", "subscribe", "close", "read"];
    const bound = methods.map((name) => [name, store[name].bind(store)]);
    return { ...Object.fromEntries(bound), derived: store.derived, ...change(store) };
  };

  test("an export names a row that contains itself", async () => {
    const itself = { role: "user", content: "a" };
    itself.self = itself;
    const store = wrong((real) => ({
      read: async (...range) => {
        const result = await real.read(...range);
        return { ...result, entries: result.entries.map((entry) => ({ ...entry, data: itself })) };
      },
    }));
    const session = await openSession("web:a", { store });
    await session.append({ role: "user", content: "a" });
    const error = await errorOf(() => session.export());
    checkContextError(error, { kind: "session_error", code: "STORE_FAILED", message: /entry 1 / });
  });

  test("its exception is the cause of a ContextError", async () => {
    for (const thrown of [new TypeError("no"), undefined, "words", null, { toString: null }]) {
      const store = wrong(() => ({ read: () => Promise.reject(thrown) }));
      const session = await openSession("web:a", { store });
      const error = await errorOf(() => session.messages());
      checkContextError(error, { kind: "session_error", code: "STORE_FAILED" });
      assert.equal(error.cause, thrown);
    }
  });
});
