// Hooks for a host's built-in models: Workers AI in workerd, Chrome's `LanguageModel` in Chromium, and both by their
// contracts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { buildContext } from "windrow";
import { chromeModel, openAiCompatible, workersAi } from "windrow/models";
import { checkContextError, wrong } from "../support/errors.mjs";

const signal = AbortSignal.timeout(10_000);

test("Workers AI answers through its binding, in batches of a hundred", async () => {
  const calls = [];
  const ai = {
    async run(model, inputs) {
      await Promise.resolve();
      calls.push({ self: this === ai, model, inputs });
      return "text" in inputs
        ? { shape: [inputs.text.length, 2], data: inputs.text.map(({ length }) => [length, 1]) }
        : { response: "[1]" };
    },
  };
  const { complete, embed } = workersAi(ai, { model: "@cf/fast", embeddingModel: "@cf/vectors" });
  assert.equal(await complete("Which?", { signal, model: "" }), "[1]");
  const texts = Array.from({ length: 201 }, (_, at) => "y".repeat(at + 1));
  assert.equal((await embed(texts, { signal })).length, 201);
  assert.deepEqual(
    calls.map(({ inputs }) => inputs.text?.length),
    [undefined, 100, 100, 1],
  );
  assert.ok(calls.every(({ self }) => self));
  assert.equal(await workersAi(ai, {}).complete("Which?", { signal, model: "" }), null);
  assert.equal(await workersAi(ai, {}).embed(["a"], { signal }), null);
});

test("errors name wrong options and a missing binding", () => {
  const ai = { run: () => Promise.resolve(null) };
  /** @type {[make: () => unknown, path: string][]} */
  const cases = [
    [() => workersAi(undefined, { model: "m" }), "ai"],
    [() => workersAi(wrong({}), {}), "ai"],
    [() => workersAi(ai, wrong(undefined)), "options"],
    [() => workersAi(ai, wrong({ modle: "m" })), "modle"],
    [() => workersAi(ai, { model: "" }), "model"],
    [() => openAiCompatible(wrong({})), "baseUrl"],
    [() => openAiCompatible(wrong(undefined)), "options"],
    [() => openAiCompatible(wrong({ baseURL: "https://a.test/v1", model: "m" })), "baseURL"],
    [() => openAiCompatible(wrong({ baseUrl: "https://a.test/v1" })), "model"],
    [() => openAiCompatible({ baseUrl: "https://a.test/v1", model: "m", headers: wrong("x") }), "headers"],
  ];
  for (const [make, path] of cases) {
    assert.throws(make, (error) => {
      checkContextError(error, { kind: "context_build_error", code: "INVALID_CONFIG", path });
      return true;
    });
  }
});

test("nonsense or nothing from Workers AI is a failure", async () => {
  for (const answer of [null, {}, { response: 3 }, "text", { response: null }]) {
    const ai = { run: () => Promise.resolve(answer) };
    await assert.rejects(
      /** @type {Promise<any>} */ (workersAi(ai, { model: "m" }).complete("Which?", { signal, model: "" })),
      /expected a response/,
    );
  }
  const never = { run: () => new Promise(() => {}) };
  const soon = new AbortController();
  setTimeout(() => soon.abort(new Error("too late")), 20);
  const answer = workersAi(never, { model: "m" }).complete("Which?", { signal: soon.signal, model: "" });
  await assert.rejects(/** @type {Promise<any>} */ (answer), /too late/);
});

test("Chrome's model opens a session for each prompt, and destroys it", async () => {
  const log = [];
  const api = {
    availability: () => Promise.resolve("available"),
    create: (options) => {
      log.push(["create", options.signal instanceof AbortSignal]);
      const prompt = (text) => (text === "fail" ? Promise.reject(new Error("no")) : Promise.resolve(`said ${text}`));
      return Promise.resolve({ prompt, destroy: () => log.push(["destroy"]) });
    },
  };
  const { complete } = chromeModel({ api });
  assert.equal(await complete("a", { signal, model: "" }), "said a");
  await assert.rejects(/** @type {Promise<any>} */ (complete("fail", { signal, model: "" })), /no/);
  assert.deepEqual(log, [["create", true], ["destroy"], ["create", true], ["destroy"]]);
});

test("a model that is not on the device is unavailable, and all older messages stay", async () => {
  for (const state of ["unavailable", "downloadable", "downloading"]) {
    const api = { availability: () => Promise.resolve(state), create: () => assert.fail("it is not asked for") };
    assert.equal(await chromeModel({ api }).complete("a", { signal, model: "" }), null);
  }
  // Node has no built-in model.
  const messages = Array.from({ length: 20 }, (_, at) => ({ role: "user", content: `Line ${at}` }));
  const triage = { complete: chromeModel().complete, skipSelectionThreshold: 3 };
  const context = await buildContext(messages, { request: "Which?", encoding: "estimate", triage });
  assert.equal(context.messages.length, 21);
});
