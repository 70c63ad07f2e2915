// The entry without the core: the module that it receives is windrow's core, or refused with an explanation.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { init, initSync } from "windrow/slim";
import { checkContextError, errorOf } from "../support/errors.mjs";

const bytes = new Uint8Array(readFileSync(fileURLToPath(import.meta.resolve("windrow/windrow.wasm"))));
const asResponse = (body, options) => new Response(body, options);
const isWasm = { headers: { "content-type": "application/wasm" } };
/** An empty module. */
const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

/**
 * Values that aren't the core, and the error for each.
 *
 * @type {[name: string, input: () => any, message: RegExp | undefined][]}
 */
const wrong = [
  ["nothing", () => undefined, /expected the core, got nothing/],
  ["null", () => null, /got nothing/],
  ["a number", () => 5, /got 5/],
  ["a path", () => "./windrow.wasm", /got "\.\/windrow\.wasm"/],
  ["a list", () => [...empty], /got a list/],
  ["an object", () => ({ ok: true }), /got an object/],
  ["a symbol", () => Symbol("core"), /got Symbol\(core\)/],
  ["a revoked proxy", () => revoked(), undefined],
  ["no bytes", () => new Uint8Array(0), /could not be compiled/],
  ["other bytes", () => new TextEncoder().encode("<!doctype html>"), /could not be compiled/],
  ["a core that is cut off", () => bytes.slice(0, bytes.length >> 1), /could not be compiled/],
  ["a buffer that is cut off", () => bytes.slice(0, 1000).buffer, /could not be compiled/],
  ["another module", () => empty, /not windrow's core/],
  ["another module, compiled", () => new WebAssembly.Module(empty), /not windrow's core/],
  ["status 404", () => asResponse("not found", { status: 404 }), /has the status 404/],
  ["status 500 with the core", () => asResponse(bytes, { status: 500, ...isWasm }), /has the status 500/],
  ["a page in the place of the core", () => asResponse("<!doctype html>", {}), /could not be compiled/],
  ["a page that says that it is the core", () => asResponse("<!doctype html>", isWasm), /could not be compiled/],
  ["an answer that is cut off", () => asResponse(bytes.slice(0, 5000), isWasm), /could not be compiled/],
  ["an answer that breaks off", () => asResponse(breakingOff()), /broke off while it was read/],
  ["an answer that was read", () => readBefore(), /was read before/],
  [
    "a request that fails",
    () => Promise.reject(new TypeError("fetch failed")),
    /it was passed as a promise, which was rejected/,
  ],
  ["a promise of nothing", () => Promise.resolve(), /got nothing/],
];

function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function breakingOff() {
  return new ReadableStream({
    pull(controller) {
      controller.error(new Error("the line is dead"));
    },
  });
}

async function readBefore() {
  const response = asResponse(bytes);
  await response.arrayBuffer();
  return response;
}

describe("windrow/slim", () => {
  // Runs in a separate process, because the tests' support imports `windrow` and with it the core.
  test("names the next step if called before init, refuses wrong values, and then works with the core", () => {
    const program = `
      import { readFileSync } from "node:fs";
      import { buildContextSync, init } from "windrow/slim";
      const build = () => buildContextSync([{ role: "user", content: "a" }], { encoding: "estimate" }).messages.length;
      const outcome = async (run) => { try { return await run(); } catch ({ kind, code, nextAction }) { return { kind, code, nextAction }; } };
      console.log(JSON.stringify([
        await outcome(build),
        await outcome(() => init(new Uint8Array(3))),
        await outcome(build),
        await outcome(() => init(readFileSync(new URL(import.meta.resolve("windrow/windrow.wasm"))))),
        await outcome(build),
        await outcome(() => init("windrow.wasm")),
        await outcome(build),
      ]));`;
    const folder = fileURLToPath(new URL(".", import.meta.url));
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      cwd: folder,
      encoding: "utf8",
    });
    const [before, wrong, still, taken, works, another, goesOn] = JSON.parse(printed);
    assert.deepEqual([before.kind, before.code], ["context_build_error", "PART_NOT_LOADED"]);
    assert.match(before.nextAction, /init\(\)/);
    assert.deepEqual([wrong.kind, wrong.code], ["load_error", "INVALID_CORE"]);
    assert.deepEqual(still, before);
    assert.equal(taken, null);
    assert.deepEqual([works, another.code, goesOn], [1, "INVALID_CORE", 1]);
  });

  for (const [name, input, message] of wrong) {
    test(`init refuses ${name}`, async () => {
      const error = await errorOf(() => init(input()));
      checkContextError(error, { kind: "load_error", code: "INVALID_CORE", message });
    });
  }

  test("initSync refuses everything but a compiled core, and throws at once", () => {
    for (const [name, input] of wrong.filter(
      ([name]) => !name.startsWith("a promise") && !name.startsWith("a request"),
    )) {
      const given = input();
      Promise.resolve(given).catch(() => {});
      let error;
      try {
        initSync(given);
      } catch (failure) {
        error = failure;
      }
      assert.ok(error !== undefined, name);
      checkContextError(error, { kind: "load_error", code: "INVALID_CORE" });
    }
  });

  test("accepts the core in every form", async () => {
    for (const input of [
      bytes,
      bytes.slice().buffer,
      await WebAssembly.compile(bytes),
      asResponse(bytes),
      asResponse(bytes, isWasm),
      Promise.resolve(asResponse(bytes, isWasm)),
    ]) {
      await init(input);
    }
    initSync(new WebAssembly.Module(bytes));
  });
});
