// The package in Cloudflare's runtime: workerd compiles the core itself, and the results equal Node's.

import assert from "node:assert/strict";
import { basename } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import * as windrow from "windrow";
import { buildContext } from "windrow";
import { runLongChat } from "../support/bound-provider.mjs";
import { errorOf, wrong } from "../support/errors.mjs";
import { runCases } from "../support/host-cases.mjs";
import { bundleWorker } from "../support/worker.mjs";

const cases = fileURLToPath(new URL("../support/host-cases.mjs", import.meta.url));

const provider = fileURLToPath(new URL("../support/bound-provider.mjs", import.meta.url));

const worker = `
import { WorkerEntrypoint } from "cloudflare:workers";
import { buildContext, ContextError, countTokens } from "windrow";
import * as windrow from "windrow";
import { runCases } from ${JSON.stringify(cases)};
import { runLongChat } from ${JSON.stringify(provider)};

/** A second worker, called over RPC. */
export class Other extends WorkerEntrypoint {
  async fail() {
    await buildContext([], { budget: { maxToken: 5 } });
  }
  async answer() {
    return await this.fail().catch((error) => error.toJSON());
  }
}

export default {
  async fetch(request, { OTHER: other }) {
    const { pathname } = new URL(request.url);
    if (pathname === "/rpc") {
      const thrown = await other.fail().catch((error) => error);
      const answered = await other.answer();
      const kept = [thrown, structuredClone(thrown), answered].map((sent) => ContextError.from(sent));
      return Response.json({ message: thrown.message, kept: kept.map((error) => error?.toJSON() ?? null) });
    }
    if (pathname === "/thinking") {
      return Response.json(await runLongChat(windrow));
    }
    if (pathname === "/cases") {
      return Response.json(await runCases());
    }
    // The first request of a fresh worker loads the vocabulary.
    const isLoaded = () => {
      try {
        return countTokens("hi", { encoding: "o200k_base" }).exact;
      } catch (error) {
        return error instanceof ContextError ? error.code : String(error);
      }
    };
    const before = isLoaded();
    const messages = await request.json();
    const contexts = await Promise.all(messages.map((content) => buildContext([{ role: "user", content }])));
    return Response.json({ before, after: isLoaded(), totals: contexts.map((context) => context.tokens.total) });
  },
};
`;

describe("in workerd", () => {
  let bundle;
  let miniflare;
  let outputs;

  before(async () => {
    bundle = await bundleWorker(worker);
    outputs = Object.fromEntries(
      Object.entries(bundle.metafile.outputs).map(([path, output]) => [basename(path), output]),
    );
    miniflare = start();
  });

  after(async () => {
    await miniflare?.dispose();
    bundle?.remove();
  });

  const start = (compatibilityFlags = []) =>
    bundle.start({
      name: "worker",
      compatibilityFlags,
      serviceBindings: { OTHER: { name: "worker", entrypoint: "Other" } },
    });

  test("every case returns the same as in Node, errors too", async () => {
    const response = await miniflare.dispatchFetch("http://worker/cases");
    assert.equal(response.status, 200);
    const found = await response.json();
    const expected = await runCases();
    assert.deepEqual(found, JSON.parse(JSON.stringify(expected)));
    assert.equal(found.errors.notLoaded.code, "ENCODING_NOT_LOADED");
    assert.ok(Object.values(found.errors).every((error) => error.isError));
    assert.ok(Object.values(found.results).every((result) => result.isOwn && result.isSame));
  });

  test("an error keeps its code and its next action over RPC, if Workers send the fields of errors or it is returned as data", async () => {
    const expected = await errorOf(() => buildContext([], wrong({ budget: { maxToken: 5 } })));
    const own = JSON.parse(JSON.stringify(expected));
    assert.equal(own.code, "INVALID_CONFIG");
    const ask = async (worker) => (await worker.dispatchFetch("http://worker/rpc")).json();
    const sending = start(["enhanced_error_serialization"]);
    try {
      assert.deepEqual(await ask(sending), { message: expected.message, kept: [own, own, own] });
    } finally {
      await sending.dispose();
    }
    // Without the flag, a thrown error only has its message.
    assert.deepEqual(await ask(miniflare), { message: `ContextError: ${expected.message}`, kept: [null, null, own] });
  });

  test("the vocabulary is loaded inside the handler, once, by the first request that needs it", async () => {
    const fresh = start();
    try {
      const ask = async () => {
        const body = JSON.stringify(["hello world", "hi", ""]);
        return (await fresh.dispatchFetch("http://worker/", { method: "POST", body })).json();
      };
      assert.deepEqual(await ask(), { before: "ENCODING_NOT_LOADED", after: true, totals: [9, 8, 7] });
      assert.deepEqual(await ask(), { before: true, after: true, totals: [9, 8, 7] });
    } finally {
      await fresh.dispose();
    }
  });

  test("the bundle has both core modules once, as files, and each vocabulary in a separate chunk", () => {
    const modules = Object.keys(outputs)
      .filter((name) => name.endsWith(".wasm"))
      .map((name) => name.split("-")[0]);
    assert.deepEqual(modules.sort(), ["selection", "windrow"]);
    const vocabularies = Object.keys(outputs).filter((name) => /^(?:o200k|cl100k)_base.*\.js$/.test(name));
    assert.equal(vocabularies.length, 2);
    assert.ok(vocabularies.every((name) => outputs[name].bytes > 200_000));
    // Files needed to start the worker: the entry and its static imports.
    const atStart = new Set(["worker.js"]);
    for (const name of atStart) {
      for (const { path, kind } of outputs[name]?.imports ?? []) {
        if (kind === "import-statement") {
          atStart.add(basename(path));
        }
      }
    }
    assert.deepEqual(
      vocabularies.filter((name) => atStart.has(name)),
      [],
    );
  });

  test("bound reasoning is sent for 200 turns without a refusal, as in Node", async () => {
    const here = await runLongChat(windrow);
    assert.equal(here.turns, 200);
    assert.ok(here.sent >= 0.9 * here.thought && here.quoted > 0, JSON.stringify(here));
    const response = await miniflare.dispatchFetch("http://worker/thinking");
    assert.deepEqual(await response.json(), here);
  });
});
