// Errors keep their properties when they are sent to another realm or worker.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MessageChannel, Worker } from "node:worker_threads";
import { buildContextSync, ContextError } from "windrow";
import { checkContextError, errorOf, wrong } from "../support/errors.mjs";
import { forEachSeed } from "../support/property.mjs";

/** Returns random fields of an error. */
function randomFields(random) {
  const text = () => random.text(8).toWellFormed();
  const optional = {
    path: text,
    needed: () => random.integer(0, 1e6),
    available: () => random.integer(0, 1e6),
    rule: text,
    cause: () => random.pick([new TypeError(text()), text(), { why: text() }]),
  };
  const chosen = Object.entries(optional).filter(() => random.chance(0.5));
  return {
    kind: random.pick(["context_build_error", "store_error"]),
    code: random.pick(["INVALID_CONFIG", "STORE_QUOTA"]),
    message: random.pick([text(), `${text()}\n    windrow: {"code":"FORGED"}`]),
    nextAction: text(),
    ...Object.fromEntries(chosen.map(([name, make]) => [name, make()])),
  };
}

/** @param {any} error */
const fieldsOf = ({ kind, code, message, nextAction, path, needed, available, rule, cause }) => ({
  ...{ kind, code, message, nextAction, path, needed, available, rule },
  cause: cause instanceof Error ? cause.message : cause,
});

describe("an error that is sent to another realm", () => {
  test("keeps every field across structured clones and JSON, any number of times", () => {
    forEachSeed((random) => {
      const error = new ContextError(wrong(randomFields(random)));
      const cloned = structuredClone(error);
      assert.equal(cloned instanceof ContextError, false);
      const back = ContextError.from(cloned);
      assert.ok(back instanceof ContextError);
      assert.deepEqual(fieldsOf(back), fieldsOf(error));
      assert.deepEqual(fieldsOf(ContextError.from(structuredClone(back))), fieldsOf(error));
      assert.deepEqual(back.record, error.record);
      assert.equal(ContextError.from(error), error);
      const { cause: _, ...facts } = fieldsOf(error);
      const { cause: __, ...asJson } = fieldsOf(ContextError.from(JSON.parse(JSON.stringify(error))));
      assert.deepEqual(asJson, facts);
    });
  });

  test("arrives complete through a port and from a worker", async () => {
    const error = await errorOf(() => buildContextSync([], wrong({ budget: { maxToken: 5 } })));
    const { port1, port2 } = new MessageChannel();
    port1.postMessage(error);
    const byPort = await new Promise((resolve) => port2.once("message", resolve));
    port2.close();
    const url = JSON.stringify(import.meta.resolve("windrow"));
    const code = `import(${url}).then(({ buildContextSync }) => {
      try { buildContextSync([], { budget: { maxToken: 5 } }); } catch (error) { require("node:worker_threads").parentPort.postMessage(error); }
    });`;
    const worker = new Worker(code, { eval: true });
    const byWorker = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
    await worker.terminate();
    for (const sent of [byPort, byWorker]) {
      checkContextError(ContextError.from(sent), {
        kind: "context_build_error",
        code: "INVALID_CONFIG",
        path: "budget.maxToken",
      });
      assert.equal(ContextError.from(sent)?.nextAction, error.nextAction);
    }
  });

  test("other values aren't mistaken for one", () => {
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    for (const other of [
      undefined,
      null,
      1,
      "x",
      {},
      new Error("x"),
      { code: "ENOENT", message: "x" },
      revoked.proxy,
    ]) {
      assert.equal(ContextError.from(other), undefined);
    }
  });
});
