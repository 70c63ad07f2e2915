// Every door is typed: whatever a public function of any entry is given, and whatever the hook that it returns is given, a failure is a
// `ContextError`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { ContextError } from "windrow";

const { exports: entries } = JSON.parse(
  readFileSync(new URL("../../../pkg-template/package.json", import.meta.url), "utf8"),
);
/** Entries of other hosts, data, and the suite for stores, which is a test itself. */
const OTHERS = /^\.\/(module|slim|o200k_base|cl100k_base|stores\/conformance|package\.json|encodings\/.*|.*\.wasm)$/;
const names = Object.keys(entries).filter((name) => !OTHERS.test(name));

const throwing = () =>
  new Proxy(() => {}, {
    get() {
      throw new RangeError("this proxy throws");
    },
  });
const HOSTILE = [
  () => undefined,
  () => null,
  () => 5,
  () => "text",
  () => [],
  () => [null],
  () => ({}),
  () => ({ messages: 5 }),
  () => ({ messages: [null], prompt: "x", modelData: 5, params: null, input: {}, history: 7, parts: null }),
  () => ({
    get messages() {
      throw new RangeError("this getter throws");
    },
  }),
  throwing,
];
/** A model's hooks reject as its endpoint does. A build takes any rejection, so only what makes them is asked here. */
const HOOKS_OF_OTHERS = ["./models"];
const attempts = function* () {
  for (const first of HOSTILE) {
    for (const second of [HOSTILE[0], HOSTILE[1], HOSTILE[6], throwing]) {
      yield [first(), second()];
    }
  }
};

async function outcomeOf(run) {
  try {
    return await run();
  } catch (failure) {
    let isOwn = false;
    try {
      isOwn = failure instanceof ContextError;
    } catch {
      // A thrown proxy throws again here, so it isn't windrow's.
    }
    assert.ok(isOwn, `a bare error: ${failure?.stack}`);
    return undefined;
  }
}

/** Calls a function with hostile values, and then the hook or the methods that it returns. */
async function knock(name, run, depth = 0) {
  for (const given of attempts()) {
    const result = await outcomeOf(() => run(...given)).catch((cause) => {
      throw new Error(`${name} fails with another error`, { cause });
    });
    if (depth === 0 && typeof result === "function") {
      await knock(`${name}()`, result, 1);
    } else if (depth === 0 && Object.getPrototypeOf(result ?? 0) === Object.prototype) {
      for (const [method, value] of Object.entries(result)) {
        if (typeof value === "function" && !given.includes(value)) {
          await knock(`${name}().${method}`, (...args) => value.apply(result, args), 1);
        }
      }
    }
  }
}

describe("every function of every entry fails with a ContextError", () => {
  for (const name of names) {
    test(name, async () => {
      const module = await import(name.replace(/^\./, "windrow"));
      const isClass = (value) => /^class\b/.test(Function.prototype.toString.call(value));
      const functions = Object.entries(module).filter(([, value]) => typeof value === "function" && !isClass(value));
      for (const [exported, value] of functions) {
        await knock(exported, value, HOOKS_OF_OTHERS.includes(name) ? 1 : 0);
      }
    });
  }
});
