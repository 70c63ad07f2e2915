// Calls every function of an entry with random values, and then the functions that it returns.

import { readFileSync } from "node:fs";
import { ContextError, memoryStore, openSession } from "windrow";
import { almost, anything, handOver, isHostile } from "./hostile.mjs";

export const { exports: entries } = JSON.parse(
  readFileSync(new URL("../../../pkg-template/package.json", import.meta.url), "utf8"),
);

/** Files that have no functions. */
export const DATA = /\.(wasm|bin|json)$|^\.\/(encodings\/\*|meaning)$/;
/** Entries that Node can't load, and a loadable entry with the same names. */
export const SAME_AS = { "./module": "." };
/**
 * A model's hooks reject as its endpoint does, and a build accepts any rejection. So only the functions that create
 * hooks are called.
 */
const HOOKS_OF_OTHERS = ["./models"];
/** The cases of a suite fail with the store's error. */
const SUITES = ["./stores/conformance"];
/** Functions that call one of the caller's and pass its error on. */
const PASSES_ON = ["wrapModelCall", "holding"];
/** Longest time for a call, in milliseconds. A longer one hangs. */
const MOST_MS = 10_000;
/** Deepest nesting: a function returns an object with a method that returns a function. */
const MOST_DEPTH = 3;

const user = { role: "user", content: "Where do we meet?" };
/** Valid arguments. Some fields are then replaced. */
const RIGHT = [
  () => [user, { role: "assistant", content: "In the town hall." }],
  () => ({ messages: [user], model: "gpt-4o", systemPrompt: "Be kind.", tools: [{ name: "find" }] }),
  () => ({ params: { prompt: [{ role: "user", content: [{ type: "text", text: "a" }] }], tools: [] }, model: {} }),
  () => ({ prompt: [{ role: "user", content: [{ type: "text", text: "a" }] }], model: {} }),
  () => ({ modelData: { input: [{ role: "user", content: "a" }], instructions: "Be kind." }, agent: {} }),
  () => ({ messages: [{ info: { id: "m1", role: "user", sessionID: "s" }, parts: [{ type: "text", text: "a" }] }] }),
  () => ({ messages: [{ role: "user", content: "a", timestamp: 5 }], tokenBudget: 500, prompt: "b" }),
  () => ({ message: { id: "m1", role: "user", content: [{ type: "text", text: "a" }] }, parentId: null }),
  () => ({ format: "own", encode: (it) => it, decode: (it) => it, getId: ({ id }) => id }),
  () => ({ encoding: "estimate", budget: { maxTokens: 50 }, request: "Where?" }),
  () => ({ seq: 2, entries: 2, bytes: 100, firstSeq: 1, lastTimeMs: 5 }),
  () => ({ type: "message", data: user, id: "m1", timeMs: 5 }),
  () => ({ baseUrl: "http://127.0.0.1:9", model: "m" }),
  () => ({ open: () => memoryStore() }),
  () => ({ action: "execute", parameters: { content: "a" }, session_id: "s" }),
  () => "anthropic",
  () => "openai",
  () => "web:main",
  () => '[{"role":"user","content":"a"}]',
  () => (it) => it,
  memoryStore,
];

/** A value with some fields replaced, at any depth. */
function changed(random, value) {
  if (random.chance(0.1)) {
    return random.chance(0.5) ? anything(random) : almost(random);
  }
  if (Array.isArray(value)) {
    return value.map((item) => changed(random, item));
  }
  if (Object.getPrototypeOf(value ?? 0) !== Object.prototype) {
    return value;
  }
  const entries = Object.entries(value).map(([name, field]) => [name, changed(random, field)]);
  return Object.fromEntries(random.chance(0.1) ? entries.slice(1) : entries);
}

const argument = (random) => {
  const kind = random.integer(0, 3);
  return kind === 0 ? anything(random) : kind === 1 ? almost(random) : changed(random, handOver(random.pick(RIGHT)()));
};

/**
 * Returns the awaited result of a call in an object, because it may be a thenable that throws. Returns undefined if it
 * failed with a `ContextError`.
 */
async function outcomeOf(name, run, given) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${name} hangs`)), MOST_MS);
  });
  try {
    const result = run(...given);
    // Any other thenable is a result, and isn't awaited.
    return { result: isOurs(result) && result instanceof Promise ? await Promise.race([result, late]) : result };
  } catch (failure) {
    let isOwn = false;
    try {
      isOwn = failure instanceof ContextError;
    } catch {
      // A thrown proxy throws again here, so it isn't windrow's.
    }
    const isPassedOn = PASSES_ON.some((it) => name.endsWith(it)) && given.some((it) => typeof it === "function");
    if (!isOwn && !isPassedOn) {
      throw new Error(`${name} fails with another error`, { cause: failure });
    }
    return { result: undefined };
  } finally {
    clearTimeout(timer);
  }
}

/** Not for callers: marked `@internal`. */
const INTERNAL = ["constructor", "checkThinking", "originals", "retrieveFrom", "source", "setLog", "appendParsed"];
const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";
const sourceOf = (value) => Function.prototype.toString.call(value);
/** True if a value is a function of the package: not a class, not built in, and not an argument. */
const isCallable = (value) =>
  typeof value === "function" && !isHostile(value) && !/^class\b|\[native code\]/.test(sourceOf(value));

/** Functions in a result, with their names. */
function functionsOf(result) {
  const found = new Map();
  for (let at = result; isObject(at); ) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (!INTERNAL.includes(name) && isCallable(value) && !found.has(name)) {
        found.set(name, value);
      }
    }
    at = Object.getPrototypeOf(at);
  }
  return [...found];
}

/**
 * True if the package made an object or a function. The package makes nothing that throws when inspected, and errors
 * have no functions to call.
 */
function isOurs(value) {
  try {
    return isObject(value) && !isHostile(value) && value !== globalThis && !(value instanceof Error);
  } catch {
    return false;
  }
}

/** Calls a function with random values, and then some functions of its result. */
async function knock(random, name, run, given, depth = 0) {
  const { result } = await outcomeOf(name, run, given);
  if (depth >= MOST_DEPTH || !isOurs(result) || given.includes(result)) {
    return;
  }
  const own = functionsOf(result);
  const next = isCallable(result) ? [["", result], ...own] : own;
  for (let count = Math.min(next.length, 3); count > 0; count--) {
    const [method, value] = random.pick(next);
    const args = Array.from({ length: random.integer(0, 3) }, () => argument(random));
    await knock(random, `${name}().${method}`, (...all) => value.apply(result, all), args, depth + 1);
  }
}

const session = await openSession("web:main", { store: memoryStore() });

/** Functions of an entry, each with a call that has random arguments. */
export async function doorsOf(entry) {
  const module = await import(entry.replace(/^\./, "windrow"));
  const depth = HOOKS_OF_OTHERS.includes(entry) || SUITES.includes(entry) ? MOST_DEPTH : 0;
  return (
    Object.entries(module)
      // React hooks only run in components: tests/package/react calls them there.
      .filter(([name, value]) => isCallable(value) && !/^use[A-Z]/.test(name))
      .map(([name, value]) => ({
        name,
        call: async (random) => {
          const args = Array.from({ length: random.integer(0, 3) }, () =>
            random.chance(0.1) ? session : argument(random),
          );
          await knock(random, name, value, args, depth);
        },
      }))
  );
}
