// Random calls of everything that the package exports, with valid, invalid and hostile values.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as windrow from "windrow";
import { checkContextError } from "./errors.mjs";
import { anything, nested, revoked, throwing } from "./hostile.mjs";
import { Random } from "./random.mjs";

const { ContextError, memoryStore, openSession, createTranscript, buildContextSync } = windrow;

/** The stores with separate entries, by the package's exports. The conformance suite is a test, not a store. */
const { exports: subpaths } = JSON.parse(
  readFileSync(new URL("../../../pkg-template/package.json", import.meta.url), "utf8"),
);
const storeEntries = Object.keys(subpaths).filter((entry) => /^\.\/stores\/(?!conformance$)/.test(entry));
const stores = await Promise.all(storeEntries.map((entry) => import(entry.replace(/^\./, "windrow"))));
const exported = Object.assign({}, windrow, await import("windrow/tasks"), ...stores);

// ---- Values ----

/** A value that isn't a signal, or a signal that misbehaves. */
const signals = [
  () => AbortSignal.abort(),
  () => AbortSignal.abort(revoked({})),
  () => new AbortController().signal,
  () => ({ aborted: false, addEventListener() {}, removeEventListener() {} }),
  () => ({
    aborted: false,
    addEventListener() {
      throw new Error("no listener");
    },
    removeEventListener() {
      throw new Error("no listener");
    },
  }),
  () => {
    let looks = 0;
    return {
      get aborted() {
        looks += 1;
        if (looks > 1) {
          throw new Error("looked at twice");
        }
        return false;
      },
      addEventListener() {},
      removeEventListener() {
        throw new Error("cannot be removed");
      },
    };
  },
  () => ({
    aborted: false,
    addEventListener: (_, listener) => setTimeout(listener),
    removeEventListener: 5,
  }),
  () => throwing(),
  () => revoked({}),
];

const messages = [
  () => ({ role: "user", content: "Where do we meet?" }),
  () => ({ role: "assistant", content: "In the town hall." }),
  () => ({ role: "assistant", content: null, toolCalls: [{ id: "c1", name: "find", arguments: {} }] }),
  () => ({ role: "tool", toolCallId: "c1", content: "The hall." }),
  () => ({ role: "user", content: [{ type: "text", text: "a" }] }),
  () => ({ role: "wizard", content: "a" }),
  () => ({ role: "user", content: nested(2000) }),
];

/** A copy of an object with some fields replaced by anything. */
function mixed(random, base) {
  const copy = { ...base };
  for (const name of Object.keys(copy)) {
    if (random.chance(0.25)) {
      copy[name] = anything(random);
    }
  }
  return copy;
}

const message = (random) => (random.chance(0.2) ? anything(random) : mixed(random, random.pick(messages)()));
const list = (random) =>
  random.chance(0.3) ? anything(random) : Array.from({ length: random.integer(0, 4) }, () => message(random));
const or = (value) => (random) => (random.chance(0.35) ? anything(random) : value(random));
const config = or((random) =>
  mixed(random, {
    request: "Where?",
    encoding: "estimate",
    budget: { maxTokens: 50 },
    recall: random.chance(0.2) ? { search: () => anything(random), timeoutMs: 20 } : {},
    triage: random.chance(0.3)
      ? { select: () => anything(random), timeoutMs: 20, skipSelectionThreshold: 0, alwaysIncludeRecent: 0 }
      : {},
    ...(random.chance(0.4) ? { signal: random.pick(signals)() } : {}),
    ...(random.chance(0.1) ? { countTokens: () => anything(random) } : {}),
    now: 0,
  }),
);
const syncConfig = or((random) =>
  mixed(random, { request: "Where?", encoding: "estimate", budget: { maxTokens: 50 } }),
);
const recording = or((random) => {
  const { recording: own } = buildContextSync([messages[0]()], { encoding: "estimate", now: 0 });
  return mixed(random, { ...own });
});
const fileText = or((random) =>
  random.pick([
    '[{"role":"user","content":"a"}]',
    '{"role":"user","content":"a"}\n{"role":"assistant","content":"b"}\n',
    `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`,
    `{"role":"user","content":"${"\\r".repeat(50)}"}\n${"\r".repeat(5000)}x`,
    "[".repeat(30_000),
    "not JSON",
  ]),
);
const key = or((random) => random.pick(["web:main", "other", "a\u0000b"]));
const entry = or((random) =>
  mixed(random, { type: "message", data: { role: "user", content: "a" }, id: "m", timeMs: 1 }),
);
const entries = or((random) => [entry(random)]);
const range = or((random) => mixed(random, { after: 0, limit: 3, order: "ascending" }));
const nothing = () => [];

// ---- Calls ----

/** Takes random values for each of the arguments. */
const args =
  (...kinds) =>
  (random) =>
    kinds.slice(0, random.chance(0.1) ? random.integer(0, kinds.length) : undefined).map((kind) => kind(random));

const provider = or((random) => random.pick(windrow.providers).name);
const requestBodies = [
  () => ({ messages: [messages[0](), { role: "assistant", content: [{ type: "text", text: "a" }] }] }),
  () => ({
    input: [
      { role: "user", content: "a" },
      { type: "reasoning", id: "rs_1", summary: [] },
    ],
  }),
  () => ({ contents: [{ role: "user", parts: [{ text: "a" }] }] }),
];

const functions = {
  buildContext: args(list, config),
  buildContextSync: args(list, syncConfig),
  contextOverflowOf: args(anything),
  countTokens: args(
    or((random) => (random.chance(0.5) ? "text" : list(random))),
    or(() => ({ encoding: "estimate" })),
  ),
  createTranscript: args(list),
  isContextOverflow: args(anything),
  loadSelection: args(),
  loadMeaning: args(or(() => new Uint8Array(9))),
  loadEncoding: args(or((random) => random.pick(["o200k_base", { name: "o200k_base", bytes: new Uint8Array(9) }]))),
  messageOfTask: args(or((random) => mixed(random, { action: "execute", parameters: { content: "a" } }))),
  messagesOfTasks: args(or((random) => [mixed(random, { action: "node.message", parameters: { content: "a" } })])),
  encryptedStore: args(
    or(() => memoryStore()),
    or(() => new Uint8Array(32)),
  ),
  listStatements: args(
    list,
    or((random) => mixed(random, { name: "Ana" })),
  ),
  openSession: args(
    key,
    or((random) => mixed(random, { store: memoryStore(), retention: {}, statementsFrom: ["other"] })),
  ),
  queryLayer: args(
    or((random) => random.pick(["L1", "L4"])),
    or((random) => [mixed(random, { action: "execute", parameters: { content: "a" }, session_id: "s" })]),
    or((random) => mixed(random, { sessionId: "s", limit: 2, now: 0 })),
  ),
  parseTranscript: args(fileText),
  searchSessions: args(
    or(() => memoryStore()),
    or((random) => random.pick(["so?", "", "zorblax yesterday"])),
    or((random) => mixed(random, { limit: 3, timeZone: "Europe/Berlin", keys: ["web:main"] })),
  ),
  plainMessage: args(
    message,
    or((random) => ({ shape: random.pick([undefined, "gemini", "pi", "no such shape"]) })),
  ),
  problemsOf: args(
    provider,
    or((random) => mixed(random, random.pick(requestBodies)())),
  ),
  replay: args(recording, list),
  requestOf: args(
    provider,
    list,
    or((random) => mixed(random, { model: "deepseek-v4-pro", server: "other", store: false })),
  ),
  retain: args(
    or(() => memoryStore()),
    or((random) => mixed(random, { maxMessages: 3 })),
  ),
  memoryStore: nothing,
  indexedDbStore: args(or((random) => mixed(random, { name: "windrow" }))),
  durableObjectStore: args(anything),
  d1Store: args(anything),
};

const storeMethods = {
  append: args(
    key,
    entries,
    or((random) => {
      const rewrites = { entries: [{ seq: 1, type: "message", data: 1 }], lastMessageSeq: 1 };
      return mixed(random, { operationId: "a", expectedSeq: 0, ...(random.chance(0.3) ? { rewrites } : {}) });
    }),
  ),
  read: args(key, range),
  get: args(
    key,
    or(() => ["m"]),
  ),
  sessions: args(or((random) => mixed(random, { keys: ["web:main"] }))),
  trim: args(
    key,
    or((random) => random.integer(0, 4)),
    or((random) => mixed(random, { keepSeqs: [1] })),
  ),
  remove: args(
    key,
    or((random) => mixed(random, { expectedSeq: 2 })),
  ),
  holding: args(
    key,
    or(() => async () => 1),
  ),
  subscribe: args(
    key,
    or(() => () => {}),
  ),
  close: nothing,
};
const derivedMethods = {
  read: args(
    key,
    or(() => ["index/0"]),
  ),
  write: args(
    key,
    or(() => new Map([["index/0", new Uint8Array(2)]])),
  ),
};
const transcriptMethods = {
  append: args(list),
  replaceLast: args(message),
  truncate: args(or((random) => random.integer(0, 3))),
  free: nothing,
};
const sessionMethods = {
  append: args(
    list,
    or((random) => mixed(random, { operationId: "a" })),
  ),
  replaceLast: args(message),
  truncateFrom: args(or((random) => random.pick(["m", "1", 1, "#1", "no such message"]))),
  messages: args(range),
  summaries: args(range),
  seqOf: args(anything),
  info: nothing,
  build: args(config),
  handoff: args(or((random) => mixed(random, { task: "a", maxTokens: 50, toolCallId: "c" }))),
  snapshots: args(range),
  failures: args(range),
  recordFailure: args(
    or(() => new ContextError({ kind: "context_build_error", code: "INTERNAL", message: "a", nextAction: "b" })),
  ),
  replay: args(recording),
  fork: args(
    or((random) => random.integer(1, 3)),
    or((random) => `fork ${random.fraction()}`),
  ),
  export: nothing,
  import: args(
    fileText,
    or((random) => mixed(random, { operationId: `o ${random.fraction()}`, onProgress() {} })),
  ),
  search: args(
    or((random) => random.pick(["so?", "", "zorblax yesterday"])),
    or((random) => mixed(random, { limit: 3, timeZone: "Europe/Berlin" })),
  ),
  statements: args(or((random) => mixed(random, { name: "Ana", forgotten: true }))),
  forget: args(anything),
  remember: args(anything),
  subscribe: args(or(() => () => {})),
  clear: nothing,
  settled: nothing,
};

/** Not for callers: marked `@internal`, or an ending that is tested separately. */
const INTERNAL = ["constructor", "source", "setLog", "appendParsed", "close"];

/** Fails if a public function has no random arguments here: a new export needs some. */
export function checkAllAreCalled() {
  const called = { ...functions };
  for (const [name, value] of Object.entries(exported)) {
    const isClass = typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));
    assert.ok(typeof value !== "function" || isClass || name in called, `random calls of ${name} are missing`);
  }
  /** @type {[Function, object][]} */
  const classes = [
    [windrow.Session, sessionMethods],
    [windrow.Transcript, transcriptMethods],
    [memoryStore().constructor, storeMethods],
  ];
  for (const [{ prototype }, methods] of classes) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      const isCalled = typeof value !== "function" || INTERNAL.includes(name) || name in methods;
      assert.ok(isCalled, `random calls of the method ${name} are missing`);
    }
  }
}

/** Makes `count` random calls, and checks that each returns a result or fails with a `ContextError`. */
export async function randomCalls(count, seed) {
  const random = new Random(seed);
  const unhandled = [];
  const note = (reason) => unhandled.push(reason);
  process.on("unhandledRejection", note);
  process.on("uncaughtException", note);
  const outcomes = { given: 0, failed: 0 };
  let store = memoryStore();
  let session = await openSession("web:main", { store });
  let transcript = createTranscript();
  try {
    for (let call = 0; call < count; call++) {
      if (call % 200 === 0) {
        await session.close();
        store = memoryStore();
        session = await openSession("web:main", { store });
        await session.append([messages[0](), messages[1]()]);
        transcript = createTranscript();
      }
      const [target, methods] = random.pick([
        [exported, functions],
        [exported, functions],
        [store, storeMethods],
        [store.derived, derivedMethods],
        [transcript, transcriptMethods],
        [session, sessionMethods],
        [session, sessionMethods],
      ]);
      const name = random.pick(Object.keys(methods).filter((it) => it !== "close"));
      const given = methods[name](random);
      try {
        await target[name](...given);
        outcomes.given += 1;
      } catch (failure) {
        outcomes.failed += 1;
        const isOwn = name === "holding" && !(failure instanceof ContextError);
        if (!isOwn) {
          try {
            checkContextError(failure, { kind: failure.kind });
          } catch (cause) {
            throw new Error(`call ${call} of seed ${seed}, ${name}, fails with another error`, { cause });
          }
        }
      }
    }
    // Timers of hostile signals and late hooks.
    await new Promise((resolve) => setTimeout(resolve, 100));
  } finally {
    process.off("unhandledRejection", note);
    process.off("uncaughtException", note);
  }
  assert.deepEqual(unhandled, [], "nothing fails after a call");
  // Afterwards, an ordinary call works.
  const { messages: kept } = buildContextSync([messages[0](), messages[1]()], { encoding: "estimate" });
  assert.equal(kept.length, 2);
  return outcomes;
}
