// A new engine replaces one that fails inside: only the failed call reports it, and nothing else is affected.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContext, buildContextSync, countTokens, createTranscript, loadEncoding } from "windrow";
import { checkContextError } from "../support/errors.mjs";

/** @type {import("windrow").MessageInput[]} */
const messages = Array.from({ length: 30 }, (_, index) => ({
  id: `m${index}`,
  role: "user",
  content: `message ${index}`,
}));
const config = { request: "And when?", budget: { maxTokens: 150 }, now: 0 };

/**
 * Makes the engine fail in the middle of a call, as a trap does. Its state must not be used again.
 *
 * @param {() => unknown} [run]
 */
function failInside(run = () => countTokens("naïve", { encoding: "estimate" })) {
  const { encodeInto } = TextEncoder.prototype;
  TextEncoder.prototype.encodeInto = function (text, bytes) {
    // The code that passes a text to the engine leaves anything beyond ASCII to this function.
    if (text.endsWith("ïve")) {
      throw new RangeError("Maximum call stack size exceeded");
    }
    return encodeInto.call(this, text, bytes);
  };
  try {
    run();
  } catch (error) {
    return error;
  } finally {
    TextEncoder.prototype.encodeInto = encodeInto;
  }
  return undefined;
}

// Must come first in the file: no encoding is loaded yet, so builds have to wait.
test("builds that wait for an encoding continue in the new engine", async () => {
  const transcript = createTranscript(messages);
  const waiting = [buildContext(messages, config), buildContext(transcript, config)];
  transcript.append({ role: "user", content: "later" });
  checkContextError(failInside(), { kind: "token_count_error", code: "INTERNAL" });
  const contexts = await Promise.all(waiting);
  const { contextHash } = buildContextSync(structuredClone(messages), config).snapshot;
  for (const context of contexts) {
    assert.equal(context.snapshot.contextHash, contextHash);
    assert.equal(context.recording.transcript.length, messages.length);
  }
});

describe("after an internal failure", () => {
  test("the error says what happened, and has its cause", () => {
    const error = failInside();
    checkContextError(error, { kind: "token_count_error", code: "INTERNAL", message: /out of memory or stack/ });
    assert.ok(error.cause instanceof RangeError);
  });

  test("handles of the failed call aren't released in the new engine", () => {
    const context = buildContextSync(messages, { ...config, model: "naïve", budget: { maxTokens: 30 } });
    for (let failure = 0; failure < 20; failure++) {
      checkContextError(
        failInside(() => context.explain("m0")),
        { code: "INTERNAL" },
      );
      assert.equal(context.explain("m0").reason, "ranked_lower");
    }
  });

  test("encodings are still loaded, and transcripts, arrays and contexts still work", async () => {
    await loadEncoding("cl100k_base");
    const transcript = createTranscript(messages);
    const array = [...messages];
    const before = buildContextSync(transcript, config);
    assert.equal(buildContextSync(array, config).snapshot.contextHash, before.snapshot.contextHash);
    const counts = /** @type {const} */ (["o200k_base", "cl100k_base"]).map((encoding) =>
      countTokens("naïve café", { encoding }),
    );
    const leftOut = before.explain("m0");
    for (let failure = 0; failure < 3; failure++) {
      assert.equal(failInside().code, "INTERNAL");
      for (const source of [transcript, array, structuredClone(messages)]) {
        assert.equal(buildContextSync(source, config).snapshot.contextHash, before.snapshot.contextHash);
      }
      assert.deepEqual(
        /** @type {const} */ (["o200k_base", "cl100k_base"]).map((encoding) => countTokens("naïve café", { encoding })),
        counts,
      );
      assert.deepEqual(before.explain("m0"), leftOut, "it is measured anew");
    }
    assert.equal(failInside().code, "INTERNAL");
    transcript.append({ role: "user", content: "one more" });
    transcript.replaceLast({ role: "user", content: "another" });
    transcript.truncate(messages.length);
    assert.equal(buildContextSync(transcript, config).snapshot.contextHash, before.snapshot.contextHash);
    assert.equal(failInside().code, "INTERNAL");
    transcript.free();
    assert.equal(buildContextSync(transcript, config).snapshot.contextHash, before.snapshot.contextHash);
  });
});
