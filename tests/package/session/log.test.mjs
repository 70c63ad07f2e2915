// The log of a session as a file: exports can be read back, imports are exported unchanged, and nothing is lost
// silently.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, ContextError, memoryStore, openSession, parseTranscript } from "windrow";
import { checkContextError, errorOf } from "../support/errors.mjs";
import { assertShare, forEachSeedAsync } from "../support/property.mjs";
import { randomTranscript } from "../support/random.mjs";

const KEY = "terminal:main";

/** A new session and its store. */
async function opened(key = KEY) {
  const store = memoryStore();
  return { store, session: await openSession(key, { store }) };
}

/** The contents of a file after an import into a new session. */
async function imported(text) {
  const { store, session } = await opened();
  const result = await session.import(text);
  const { entries } = await store.read(KEY);
  const messages = [...(await session.messages()), ...(await session.summaries())].sort(
    (left, right) => session.seqOf(left) - session.seqOf(right),
  );
  return { session, store, entries, messages, ...result };
}

const json = (value) => JSON.parse(value);
const lines = (...rows) => rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row))).join("\n");
const withoutHeader = (file) => file.slice(file.indexOf("\n") + 1);

const header = '{"type": "session", "session_key": "terminal:main", "version": 1.0}';

/**
 * A log as Python writes it: with spaces, escapes, numbers that JavaScript would format differently, and unknown
 * fields.
 */
const python = [
  header,
  '{"type": "message", "role": "user", "text": "Caf\\u00e9 \\ud83e\\uddf5 \\u2028 / \\/", "created_at": "2026-02-01T10:00:00.123456+00:00"}',
  '{"type": "message", "role": "assistant", "text": "line\\nline\\ttab \\"quoted\\"", "created_at": "2026-02-01T10:00:05Z", "cost": 1.0, "n": 12345678901234567890, "tiny": 1e-07, "nested": {"b": [1, 2.50, null], "a": {"__proto__": {"x": 1}}}}',
  '{"created_at": 1769940065.5, "text": "keys in another order", "role": "user", "type": "message", "id": 7, "id": 8}',
  '{"type": "checkpoint", "role": "user", "text": "not a message", "state": [1.0]}',
  '  {"type":"message","role":"system","text":"spaces around"}  ',
  '{"type": "failure", "kind": "context_build_error", "code": "BUDGET_TOO_SMALL", "message": "m"}',
  '{"type": "message", "role": "assistant", "text": "old", "summaryOf": "c1"}',
].join("\n");

// ---- Messages and lines ----

/** A value as it must come back: values that JSON can't express are dropped or converted. */
function comesBackAs(value) {
  if (value instanceof Date) {
    return value.toISOString();
  }
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  }
  if (value instanceof ArrayBuffer) {
    return new Uint8Array(value);
  }
  if (Array.isArray(value)) {
    return value.map(comesBackAs);
  }
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return Object.fromEntries(fields.map(([name, field]) => [name, comesBackAs(field)]));
  }
  return value;
}

function randomBytes(random) {
  const bytes = Uint8Array.from({ length: random.integer(0, 24) }, () => random.integer(0, 255));
  return random.pick([
    () => bytes,
    () => bytes.buffer,
    () => new DataView(bytes.buffer),
    () => bytes.subarray(bytes.length >> 1),
    () => new Uint16Array(bytes.buffer.slice(0, bytes.length & ~1)),
    () => Buffer.from(bytes),
  ])();
}

/** A value that callers might put into their own fields. */
function randomValue(random, depth = 0) {
  const inner = () => randomValue(random, depth + 1);
  const leaf = [
    () => null,
    () => random.chance(0.5),
    () => random.pick([0, -1, 1.5, 1e21, 5e-324, Number.MAX_SAFE_INTEGER]),
    () => random.text(6),
    () => new Date(random.integer(0, 2 ** 40)),
    () => randomBytes(random),
    () => json(random.pick(['{"__proto__":{"a":1}}', '{"constructor":1,"toString":null}', '{"":{"":[]}}'])),
    () => ({ $windrow: random.pick(["bytes", "object", "other", 1, null]), base64: random.pick(["AAAA", "?", 1]) }),
    () => ({ $windrow: "object", value: { $windrow: "bytes", base64: "AAAA" } }),
    () => ({ $windrow: { $windrow: "bytes", base64: "" }, value: {} }),
  ];
  const nested = [
    () => Array.from({ length: random.integer(0, 3) }, inner),
    () => Object.fromEntries(Array.from({ length: random.integer(0, 3) }, () => [random.text(2), inner()])),
    () => ({ kept: inner(), dropped: undefined }),
  ];
  return random.pick(depth < 3 ? [...leaf, ...nested] : leaf)();
}

/** At least one byte, because an empty image isn't valid. */
function someBytes(random) {
  const bytes = randomBytes(random);
  return bytes.byteLength > 0 ? bytes : someBytes(random);
}

/** Messages with every possible part. Each has an id and a time, because the session would assign new ones. */
function randomMessages(random) {
  const messages = randomTranscript(random);
  messages.forEach((message, position) => {
    message.createdAt ??= new Date(1_760_000_000_000 + position * 1000);
    delete message.tags;
    if (random.chance(0.4)) {
      message.metadata = randomValue(random);
    }
    // Only added to messages with text. An empty message would show them as its content, from a field that isn't read.
    if (random.chance(0.2) && typeof message.content === "string" && message.content.trim() !== "") {
      // Fields with the names of a row's own fields, and others that mean something to the format.
      message[random.pick(["type", "text", "created_at", "message", "session_key", "$windrow", "toJSON"])] =
        random.pick(["message", "session", { role: "user", content: "another" }, null, 5]);
    }
    if (random.chance(0.1)) {
      message.content = [
        { type: "text", text: random.text(3) },
        { type: "image", data: someBytes(random), mediaType: "image/png" },
      ];
    }
    if (random.chance(0.1)) {
      message.summaryOf = random.pick(["c1", 0]);
    }
  });
  return messages;
}

describe("messages", () => {
  test("are restored from the store, from a file, and from that file's export: for random messages", async () => {
    let marked = 0;
    const cases = await forEachSeedAsync(async (random) => {
      const messages = randomMessages(random);
      const { session } = await opened();
      if (messages.length > 0) {
        await session.append(messages);
      }
      const expected = messages.map(comesBackAs);
      const file = await session.export();
      marked += Number(file.includes("$windrow"));
      assert.equal(file.trimEnd().split("\n").length, messages.length + 1, "a row a line, and the header");
      const again = await imported(file);
      assert.deepEqual(again.skipped, []);
      assert.equal(again.messageCount, messages.length);
      assert.deepEqual(again.messages, expected);
      assert.equal(await again.session.export(), file);
      const own = (message) => !("summaryOf" in message);
      assert.deepEqual(await session.messages(), expected.filter(own));
      // The reader of conversation files reads it as well.
      const parsed = parseTranscript(file);
      assert.deepEqual(parsed.skipped, []);
      assert.deepEqual(
        parsed.messages,
        expected.map((message) => ({ sessionId: KEY, ...message })),
      );
    });
    assertShare(marked, cases, 8, "were marked");
  });

  test("are rows that other readers of the format understand, unless their fields prevent it", async () => {
    const { session } = await opened();
    const common = { id: "a", role: "user", createdAt: "2026-02-01T10:00:00Z" };
    /** @type {any[]} */
    const messages = [
      { ...common, content: "text", replyTo: "b" },
      { ...common, id: "b", createdAt: 1769940000000, content: [{ type: "text", text: "part" }] },
      { ...common, id: "c", role: "assistant", content: null, toolCalls: [{ id: "c", name: "f" }] },
      { ...common, id: "d", role: "assistant", toolCalls: [{ id: "c", name: "f" }] },
      { ...common, id: "e", content: "text", text: "another" },
    ];
    await session.append(messages);
    const [first, ...rows] = (await session.export()).trimEnd().split("\n").map(json);
    assert.equal(first.type, "session");
    assert.equal(first.session_key, KEY);
    assert.ok(Math.abs(Date.parse(first.created_at) - Date.now()) < 60_000);
    const row = { type: "message", role: "user", created_at: "2026-02-01T10:00:00Z", id: "a" };
    assert.deepEqual(rows, [
      { ...row, text: "text", replyTo: "b" },
      { ...row, id: "b", created_at: 1769940000000, content: [{ type: "text", text: "part" }] },
      { ...row, id: "c", role: "assistant", content: null, toolCalls: [{ id: "c", name: "f" }] },
      { ...row, id: "d", role: "assistant", toolCalls: [{ id: "c", name: "f" }] },
      { type: "message", message: { ...common, id: "e", content: "text", text: "another" } },
    ]);
  });

  test("are copied, so that later changes to objects don't affect the session", async () => {
    const { session } = await opened();
    /** @type {any} */
    const message = { id: "a", role: "user", content: [{ type: "text", text: "one" }], createdAt: "2026-02-01T10:00Z" };
    const before = structuredClone(message);
    /** @type {{ messages: readonly any[] }} */
    const { messages } = await session.append(message);
    assert.deepEqual(message, before);
    message.content[0].text = "changed";
    messages[0].content[0].text = "changed too";
    /** @type {any} */ ((await session.messages())[0].content).push("more");
    assert.deepEqual(await session.messages(), [before]);
  });

  test("of a class are stored by their toJSON", async () => {
    class Said {
      constructor(content) {
        this.secret = () => content;
      }
      toJSON() {
        return { id: "a", role: "user", content: this.secret(), createdAt: "2026-02-01T10:00Z" };
      }
    }
    const { session } = await opened();
    const metadata = {
      at: new URL("https://example.com/a?b"),
      said: new Said("inner"),
      gone: { toJSON() {} },
      when: { toJSON: () => new Date(0) },
    };
    const message = { ...new Said("one").toJSON(), metadata };
    await session.append(message);
    assert.deepEqual(await session.messages(), [
      {
        ...new Said("one").toJSON(),
        metadata: { at: "https://example.com/a?b", said: new Said("inner").toJSON(), when: "1970-01-01T00:00:00.000Z" },
      },
    ]);
  });

  test("are distinguished: with and without an id, pinned, of a summary", async () => {
    const { session, entries } = await imported(
      lines(
        { role: "user", content: "a", id: "one", pinned: true },
        { role: "user", content: "b", id: 2, pinned: false },
        { role: "user", content: "c", id: null, createdAt: "soon" },
        { role: "user", content: "d", summaryOf: "c1", createdAt: 5 },
        { role: "user", content: "e", summaryOf: "" },
      ),
    );
    assert.deepEqual(
      entries.map(({ type, id, pinned, timeMs }) => [type, id, pinned, timeMs]),
      [
        ["message", "one", true, undefined],
        ["message", "2", undefined, undefined],
        ["message", undefined, undefined, undefined],
        ["summary", undefined, undefined, 5],
        ["message", undefined, undefined, undefined],
      ],
    );
    assert.deepEqual(
      (await session.messages()).map(({ id }) => id),
      ["one", 2, "#3", "#5"],
    );
    assert.deepEqual(await session.summaries(), [
      { id: "#4", role: "user", content: "d", summaryOf: "c1", createdAt: 5 },
    ]);
  });
});

test("bytes are stored, however many", async () => {
  const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 31) >>> 3);
  const { session } = await opened();
  await session.append({ role: "user", content: [{ type: "image", data: bytes }] });
  const again = await imported(await session.export());
  assert.deepEqual(/** @type {any} */ (again.messages[0].content[0]).data, bytes);
});

describe("values that can't be stored are refused with their place", () => {
  const circle = { list: [] };
  circle.list.push({ circle });
  /** @type {any} */
  let deep = "end";
  for (let level = 0; level < 600; level++) {
    deep = [deep];
  }
  class Plain {
    name = "x";
  }
  const toJsons = { toJSON: () => ({ toJSON: () => toJsons }) };
  const cases = {
    "a function": [() => 1, "x", /function/],
    "a symbol": [Symbol("s"), "x", /symbol/],
    "a bigint": [1n, "x", /bigint/],
    "not a number": [Number.NaN, "x", /NaN/],
    infinity: [-Number.POSITIVE_INFINITY, "x", /-Infinity/],
    "an invalid date": [new Date(Number.NaN), "x", /date/],
    "a map": [new Map([[1, 2]]), "x", /class Map/],
    "a set": [new Set([1]), "x", /class Set/],
    "a blob": [new Blob(["a"]), "x", /class Blob/],
    "an error": [new Error("e"), "x", /class Error/],
    "a promise": [Promise.resolve(), "x", /class Promise/],
    "a boxed text": [Object("text"), "x", /class String/],
    "an object of a class": [new Plain(), "x", /class Plain/],
    "an object of no named class": [Object.create({}), "x", /class/],
    "nothing in a list": [[1, undefined], "x[1]", /empty element/],
    "a hole in a list": [Object.assign([1], { length: 2 }), "x[1]", /empty element/],
    "a circle": [circle, "x.list[0].circle", /itself/],
    "what lies too deep": [deep, /^message\.x(\[0\])+$/, /deep/],
    "a getter that throws": [
      {
        get a() {
          throw new Error("no");
        },
      },
      "x.a",
      /read/,
    ],
    "a toJSON that throws": [
      {
        toJSON() {
          throw new Error("no");
        },
      },
      "x",
      /read/,
    ],
    "a toJSON that returns itself": [
      Object.assign(new Plain(), {
        toJSON() {
          return this;
        },
      }),
      "x",
      /class Plain/,
    ],
    "toJSONs that return each other": [toJsons, "x", /itself/],
    "a toJSON without an end": [
      {
        toJSON() {
          return { again: { toJSON: this.toJSON } };
        },
      },
      /^message\.x(\.again)+$/,
      /deep/,
    ],
    "a field within a name that isn't a word": [{ "a b": { "": [1n] } }, 'x["a b"][""][0]', /bigint/],
    "a proxy that was revoked": [
      (() => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      })(),
      "x",
      /read/,
    ],
  };
  for (const [name, [value, place, message]] of Object.entries(cases)) {
    test(name, async () => {
      const { session, store } = await opened();
      for (const [given, prefix] of /** @type {any[][]} */ ([
        [{ role: "user", content: "a", x: value }, "message"],
        [
          [
            { role: "user", content: "a" },
            { role: "user", content: "a", x: value },
          ],
          "messages[1]",
        ],
      ])) {
        const error = await errorOf(() => session.append(given));
        assert.ok(error instanceof ContextError, String(error));
        assert.equal(error.kind, "session_error");
        assert.equal(error.code, "INVALID_TRANSCRIPT");
        if (typeof place === "string") {
          assert.equal(error.path, `${prefix}.${place}`);
        } else if (prefix === "message") {
          assert.match(error.path, place);
        }
        assert.ok(error.message.startsWith(`${error.path}: `), error.message);
        assert.match(error.message, message);
        assert.match(error.nextAction, /^[A-Z].*\.$/);
      }
      assert.deepEqual(await store.sessions(), [], "none of it is kept");
    });
  }

  test("in a part of its content", async () => {
    const { session } = await opened();
    /** @type {any[]} */
    const content = [
      { type: "text", text: "a" },
      { type: "image", data: new Blob(["a"]) },
    ];
    const error = await errorOf(() => session.append({ role: "user", content }));
    assert.equal(error.path, "message.content[1].data");
  });

  test("odd but plain values are stored", async () => {
    const { session } = await opened();
    const shared = { a: 1 };
    const x = {
      twice: [shared, shared],
      none: Object.assign(Object.create(null), { b: 1 }),
      zero: -0,
      [Symbol("s")]: 1,
    };
    const given = { id: "a", role: "user", content: "a", createdAt: 0, x: new Proxy(x, {}) };
    await session.append(given);
    /** @type {readonly any[]} */
    const [message] = await session.messages();
    assert.deepEqual(message.x, { twice: [{ a: 1 }, { a: 1 }], none: { b: 1 }, zero: 0 });
  });
});

// ---- Files ----

describe("a file", () => {
  test("is exported unchanged, byte for byte", async () => {
    const { session, skipped, messageCount } = await imported(python);
    assert.deepEqual(skipped, []);
    assert.equal(messageCount, 5);
    assert.equal(await session.export(), `${python}\n`);
  });

  test("is written back without its blank lines, carriage returns, and byte order mark", async () => {
    const rows = python.split("\n");
    for (const first of ["\ufeff\r\n", "\ufeff", "\n\n"]) {
      const { session } = await imported(`${first}${rows.join("\r\n\r\n \t\n")}\r\n\n`);
      assert.equal(await session.export(), `${python}\n`);
    }
  });

  test("of one row is exported unchanged too", async () => {
    for (const row of python.split("\n").slice(1)) {
      if (row.includes('"checkpoint"')) {
        // A file without any message isn't a log.
        checkContextError(await errorOf(() => imported(row)), { code: "INVALID_TRANSCRIPT", kind: "session_error" });
        continue;
      }
      const { session, entries } = await imported(row);
      assert.deepEqual(
        entries.map(({ data }) => data),
        [row],
      );
      assert.equal(withoutHeader(await session.export()), `${row}\n`);
    }
    const { session } = await imported(header);
    assert.equal(await session.export(), `${header}\n`);
  });

  test("gets a header if it has none", async () => {
    const { session } = await imported(withoutHeader(python));
    const file = await session.export();
    assert.equal(withoutHeader(file), `${withoutHeader(python)}\n`);
    assert.equal(json(file.split("\n")[0]).session_key, KEY);
  });

  test("keeps its lines when more is appended, imported and forked", async () => {
    const { session } = await imported(python);
    await session.append({ id: "new", role: "user", content: "more", createdAt: 0 });
    await session.import(python);
    const appended = '{"type":"message","role":"user","text":"more","created_at":0,"id":"new"}';
    const file = lines(python, appended, python, "");
    assert.equal(await session.export(), file);
    const fork = await session.fork(Number.MAX_SAFE_INTEGER - 1);
    const named = file.replaceAll('"session_key": "terminal:main"', `"session_key": ${JSON.stringify(fork.key)}`);
    assert.equal(await fork.export(), named, "the header names the fork, and nothing else is changed");
  });

  test("in the form of document 001 contains its messages, failures and summaries", async () => {
    const { session, messages, entries } = await imported(python);
    assert.deepEqual(
      entries.map(({ type }) => type),
      ["session", "message", "message", "message", "other", "message", "failure", "summary"],
    );
    assert.deepEqual(messages, [
      { id: "#2", role: "user", content: "Café 🧵 \u2028 / /", createdAt: "2026-02-01T10:00:00.123456+00:00" },
      {
        id: "#3",
        role: "assistant",
        content: 'line\nline\ttab "quoted"',
        createdAt: "2026-02-01T10:00:05Z",
        cost: 1,
        n: 12345678901234567000,
        tiny: 1e-7,
        nested: { b: [1, 2.5, null], a: json('{"__proto__":{"x":1}}') },
      },
      { id: 8, role: "user", content: "keys in another order", createdAt: 1769940065.5 },
      { id: "#6", role: "system", content: "spaces around" },
      { id: "#8", role: "assistant", content: "old", summaryOf: "c1" },
    ]);
    assert.deepEqual(
      (await session.failures()).map(({ code }) => code),
      ["BUDGET_TOO_SMALL"],
    );
  });

  test("that was cut at any byte keeps everything complete before it", async () => {
    const bytes = new TextEncoder().encode(python);
    const ends = [];
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, end + 1)) {
      ends.push(end);
    }
    for (let length = 0; length <= bytes.length; length++) {
      const text = new TextDecoder().decode(bytes.subarray(0, length));
      if (ends[0] < length - 1 && length <= ends[1] - 1) {
        // Only the header is intact.
        checkContextError(await errorOf(() => imported(text)), { code: "INVALID_TRANSCRIPT", kind: "session_error" });
        continue;
      }
      if (length > 0 && length < ends[0]) {
        checkContextError(await errorOf(() => imported(text)), { code: "INVALID_TRANSCRIPT", kind: "session_error" });
        continue;
      }
      const { session, entries, skipped } = await imported(text);
      const wholeCount = ends.filter((end) => end < length).length;
      const begun = text.slice(text.lastIndexOf("\n") + 1).trim();
      const isWhole = begun !== "" && python.split("\n").some((line) => line.trim() === begun);
      assert.equal(entries.length, wholeCount + Number(isWhole), `cut at ${length}`);
      assert.deepEqual(
        skipped.map(({ row }) => row),
        begun === "" || isWhole ? [] : [wholeCount + 1],
        `cut at ${length}`,
      );
      if (entries.length > 1) {
        const kept = python.split("\n").slice(0, entries.length);
        assert.equal((await session.export()).trimEnd(), kept.join("\n").trimEnd());
      }
    }
  });

  test("with damaged rows keeps the others, and reports those", async () => {
    const good = { type: "message", role: "user", text: "good" };
    /** @type {[row: string, reason: RegExp][]} */
    const bad = [
      ["\u0000\u0000\u0000", /not JSON/],
      ['{"type":"message","role":"user","text":"cu', /not JSON/],
      ["5", /expected a message, got 5/],
      ["null", /expected a message, got nothing/],
      ['"text"', /expected a message, got "text"/],
      ['{"type":"message","text":"no role"}', /no role/],
      ['{"type":"message","role":"bot","text":"a"}', /unknown role "bot"/],
      ['{"type":"message","role":"user","content":5}', /^content: expected a text/],
      ['{"type":"message","message":"text"}', /no role/],
      ['{"type":"message","message":{"role":"bot"}}', /unknown role "bot"/],
      ['{"type":5,"role":"bot"}', /unknown role "bot"/],
      ["{}", /no role/],
    ];
    const { messages, skipped } = await imported(lines(good, ...bad.flatMap(([row]) => [row, good])));
    assert.equal(messages.length, bad.length + 1);
    assert.deepEqual(
      skipped.map(({ row }) => row),
      bad.map((_, index) => 2 * index + 2),
    );
    skipped.forEach(({ reason }, index) => {
      assert.match(reason, bad[index][1]);
    });
  });

  test("whose first line is damaged keeps the others, even if that line opens a bracket that it doesn't close", async () => {
    for (const first of ['{"type":"session",', '{"type":"session","session_key":"cu', "[", "}"]) {
      const good = { type: "message", role: "user", text: "good" };
      const file = lines(first, good, good, good);
      const { messages, skipped } = await imported(file);
      assert.equal(messages.length, 3, first);
      assert.deepEqual(
        skipped.map(({ row }) => row),
        [1],
      );
    }
  });

  test("in another form is read too, and becomes a log when it is written", async () => {
    const one = { id: "a", role: "user", content: "one", createdAt: 1 };
    const two = { id: "b", role: "assistant", content: "two", createdAt: 2 };
    const rows = [
      { type: "message", id: "a", role: "user", text: "one", created_at: 1 },
      { type: "message", message: two },
    ];
    for (const text of [
      JSON.stringify([one, two]),
      JSON.stringify([one, two], null, 2),
      JSON.stringify({ messages: [one, two] }),
      JSON.stringify({ request: "And?", messages: [one, two] }, null, 2),
      JSON.stringify([{ type: "session", session_key: "other" }, ...rows], null, 1),
      lines(one, [two]),
      lines(one, two),
      lines(...rows),
    ]) {
      const { messages, skipped, session } = await imported(text);
      assert.deepEqual([messages, skipped], [[one, two], []], text);
      const again = await imported(await session.export());
      assert.deepEqual(again.messages, [one, two]);
    }
    assert.deepEqual((await imported(JSON.stringify(one, null, 2))).messages, [one]);
    assert.deepEqual((await imported(JSON.stringify(one))).messages, [one]);
  });

  test("with fields that a row has twice keeps the row's own", async () => {
    const { messages } = await imported(
      lines(
        { type: "message", role: "user", text: "text", content: "content", created_at: 1, createdAt: 2, id: "a" },
        { type: "message", role: "user", text: null, content: "content", createdAt: 2, id: "b" },
        { type: "message", role: "user", text: "text", message: { role: "user", content: "inner" }, id: "c" },
      ),
    );
    assert.deepEqual(messages, [
      { role: "user", content: "text", createdAt: 1, id: "a" },
      { role: "user", text: null, content: "content", createdAt: 2, id: "b" },
      { role: "user", content: "text", message: { role: "user", content: "inner" }, id: "c" },
    ]);
  });

  test("that is empty has no messages, and one that isn't a log is refused", async () => {
    for (const [text, count] of /** @type {[text: string, count: number][]} */ ([
      ["", 0],
      [" \n\r\n\ufeff", 0],
      ["[]", 0],
      ['{"messages":[]}', 0],
      ["hello", 1],
      ["# Notes\n\n- one", 1],
      [JSON.stringify([{ role: "user", content: "a" }], null, 2).slice(0, -3), 1],
      ['{"messages": [\n{"role":"user","content":"a"},\n{"role":"user","content":"b"},\n', 1],
    ])) {
      if (count > 0) {
        checkContextError(await errorOf(() => imported(text)), {
          code: "INVALID_TRANSCRIPT",
          kind: "session_error",
          message: /row 1: not JSON/,
        });
        continue;
      }
      const { messages, skipped } = await imported(text);
      assert.deepEqual([messages.length, skipped.length], [0, 0], text);
    }
  });

  test("with a list numbers its rows", async () => {
    const good = { role: "user", content: "a" };
    for (const text of [
      JSON.stringify([good, { role: "bot" }, good, 5]),
      JSON.stringify({ messages: [good, { role: "bot" }, good, 5] }, null, 2),
    ]) {
      assert.deepEqual(
        (await imported(text)).skipped.map(({ row }) => row),
        [2, 4],
      );
    }
  });
});

describe("marks in a file", () => {
  test("are bytes if they are complete, and plain values otherwise", async () => {
    const whole = { $windrow: "bytes", base64: "AAEC" };
    const odd = [
      { $windrow: "bytes", base64: "?" },
      { $windrow: "bytes", base64: 5 },
      { $windrow: "bytes", base64: "AAEC", more: 1 },
      { $windrow: "object", value: whole, more: 1 },
      { $windrow: "object", value: { a: 1 } },
      { $windrow: "object", value: [whole] },
      { $windrow: "later" },
    ];
    const { messages } = await imported(lines({ role: "user", content: "a", id: "a", whole, odd }));
    const bytes = new Uint8Array([0, 1, 2]);
    assert.deepEqual(messages, [
      {
        role: "user",
        content: "a",
        id: "a",
        whole: bytes,
        odd: odd.map((value) => (Array.isArray(value.value) ? { ...value, value: [bytes] } : withBytes(value, bytes))),
      },
    ]);
  });

  function withBytes(value, bytes) {
    return value.more === 1 && value.$windrow === "object" ? { ...value, value: bytes } : value;
  }
});

// ---- Times ----

test("times are the same as the engine's", async () => {
  const texts = [
    "2025-03-30T14:05:00Z",
    " 2025-03-30T14:05Z",
    "2025-03-30T16:05:00+02:00",
    "2025-03-30T09:35:00-0430",
    "2025-03-30T09:35:00\u22120430",
    "2025-03-30T15:05:00+01",
    "2025-03-30 14:05:00,5",
    "2025-03-30t14:05\u0085",
    "2025-03-30",
    "2024-02-29T23:59:60Z",
    "1969-12-31T23:59:59Z",
    "0001-01-01T00:00Z",
    "0000-02-29",
    "9999-12-31T23:59:59.999999-23:59",
    "",
    "yesterday",
    "2025-02-29",
    "2025-13-01",
    "2025-00-10",
    "2025-03-00",
    "2025-04-31",
    "2025-03-30T24:00Z",
    "2025-03-30T14",
    "2025-03-30T14:60",
    "2025-03-30T14:05:61",
    "2025-03-30T14:05:00.Z",
    "2025-03-30T14:05:00Zulu",
    "2025-03-30T14:05:00+1:00",
    "2025-03-30T14:05:00+24",
    "2025-03-30T14:05:00+01:",
    "2025-03-30T14:05:00+01:60",
    "2025-03-30T14:05:00+",
    "+002025-03-30",
    "20250330",
    "２０２５-03-30",
    "Sun, 30 Mar 2025 14:05:00 GMT",
  ];
  const numbers = [0, -1, 1743343500000, 1743343500000.9, -0.5, 8.64e15, 8.64e15 + 2, 1e300];
  const messages = [...texts, ...numbers].map((createdAt) => ({ role: "user", content: "a", createdAt }));
  const { entries } = await imported(lines(...messages));
  assert.equal(entries.length, messages.length);
  /** @satisfies {import("windrow").ContextConfig} */
  const options = { encoding: "estimate", now: 0, render: { format: "text", times: true }, collect: { fetchLimit: 1 } };
  let timed = 0;
  entries.forEach(({ timeMs }, index) => {
    const shown = (createdAt) => buildContextSync([{ role: "user", content: "a", createdAt }], options).text;
    const expected = shown(messages[index].createdAt);
    assert.equal(shown(timeMs), expected, JSON.stringify(messages[index].createdAt));
    assert.ok(timeMs === undefined || Object.is(timeMs, Math.trunc(timeMs) + 0));
    timed += Number(timeMs !== undefined);
  });
  // The two numbers from 8.64e15 on are microseconds.
  assert.equal(timed, 14 + 7);
  assert.equal(entries[6].timeMs, Date.UTC(2025, 2, 30, 14, 5, 0, 500));
});

// ---- Data written by others ----

test("rows of a store that aren't messages are left out and reported, and the rest is served and exported", async () => {
  const { store, session } = await opened();
  await session.append({ id: "a", role: "user", content: "one", createdAt: 0 });
  const odd = [
    "no JSON",
    '{"role":"bot"}',
    "5",
    null,
    5,
    [],
    {},
    { role: "bot" },
    { $windrow: "bytes", base64: "AAAA" },
  ];
  await store.append(
    KEY,
    odd.map((data) => ({ type: "message", data })),
  );
  await session.append({ id: "b", role: "user", content: "two", createdAt: 0 });
  assert.deepEqual(
    (await session.messages()).map(({ id }) => id),
    ["a", "b"],
  );
  assert.deepEqual(
    session.skipped.map(({ seq }) => seq),
    odd.map((_, index) => index + 2),
  );
  assert.match(session.skipped[0].reason, /not JSON/);
  assert.match(session.skipped[1].reason, /unknown role "bot"/);
  const again = await imported(await session.export());
  assert.deepEqual(
    again.messages.map(({ id }) => id),
    ["a", "b"],
  );
});
