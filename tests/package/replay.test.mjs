// Recordings: a context is built again, and its hash says whether it is the same.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { buildContextSync, createTranscript, loadEncoding, replay } from "windrow";
import { checkContextError, errorOf } from "./support/errors.mjs";
import { forEachSeed, forEachSeedAsync, randomConfig, randomMessage, randomTranscript } from "./support/random.mjs";
import { tryBuild } from "./support/transcripts.mjs";

before(() => Promise.all([loadEncoding("o200k_base"), loadEncoding("cl100k_base")]));

const throughJson = (value) => JSON.parse(JSON.stringify(value));
const user = (content, more) => ({ role: "user", content, ...more });
const messages = [user("one", { id: "a" }), user("two"), user("three")];
const config = { request: "And?", budget: { maxTokens: 25 }, now: 0 };

describe("replay", () => {
  test("gives the same context from a recording that was JSON: for random transcripts and configs", async () => {
    let count = 0;
    await forEachSeedAsync(300, async (random) => {
      const transcript = randomTranscript(random);
      const context = tryBuild(transcript, randomConfig(random));
      if (context === undefined) {
        return;
      }
      count += 1;
      assert.deepEqual(throughJson(context.recording), context.recording);
      const source = random.pick([transcript, structuredClone(transcript), createTranscript(transcript)]);
      const again = await replay(throughJson(context.recording), source);
      assert.deepEqual([again.same, again.differences], [true, []]);
      assert.equal(again.context.text, context.text);
      assert.deepEqual(again.context.messages, context.messages);
      assert.deepEqual(again.context.trace, context.trace);
      assert.deepEqual(again.context.snapshot, context.snapshot);
    });
    assert.ok(count > 200);
  });

  test("does not mind what was appended since", async () => {
    const transcript = createTranscript(messages);
    const { recording } = buildContextSync(transcript, config);
    transcript.append([user("four"), user("five", { pinned: true })]);
    assert.equal((await replay(recording, transcript)).same, true);
    const { context } = await replay(recording, [...messages, user("four")]);
    assert.equal(context.recording.transcript.length, 3);
    assert.throws(() => context.explain(3), { code: "INVALID_TRANSCRIPT" });
  });

  test("uses the recorded clock and turn, also when the clock was the host's", async () => {
    const { recording, snapshot } = buildContextSync(messages);
    const again = await replay(throughJson(recording), messages);
    assert.equal(again.context.snapshot.timestampMs, snapshot.timestampMs);
    assert.equal(again.context.snapshot.turnId, snapshot.turnId);
  });

  test("a request message is recorded with all its fields", async () => {
    const request = user("And?", { name: "Mara", replyTo: "a", metadata: { client: 3 } });
    const { recording } = buildContextSync(messages, { ...config, request });
    assert.deepEqual(throughJson(recording).request, request);
    const again = await replay(throughJson(recording), messages);
    assert.equal(again.same, true);
    assert.deepEqual(again.context.messages.at(-1), request);
  });

  test("says what differs", async () => {
    const { recording } = buildContextSync(messages, { ...config, budget: { maxTokens: 100 } });
    const kinds = async (transcript, changed = recording) => {
      const { same, differences } = await replay(changed, transcript);
      for (const { kind, recorded, found } of differences) {
        assert.notEqual(recorded, found, kind);
      }
      return [same, differences.map((difference) => difference.kind)];
    };
    const edited = messages.with(1, user("other"));
    assert.deepEqual(await kinds(edited), [false, ["transcript_changed", "context_changed"]]);
    assert.deepEqual(await kinds(messages.slice(0, 2)), [false, ["transcript_shorter", "context_changed"]]);
    assert.deepEqual(await kinds([]), [false, ["transcript_shorter", "context_changed"]]);
    const relabelled = [{ ...messages[0], id: "b" }, ...messages.slice(1)];
    assert.deepEqual(await kinds(relabelled), [true, ["transcript_changed"]], "an id is no part of the context");
    assert.deepEqual(await kinds(messages, { ...recording, engineVersion: "0.0.1" }), [true, ["engine_changed"]]);
    assert.deepEqual(await kinds(messages, { ...recording, contextHash: "ctx_0" }), [false, ["context_changed"]]);
    const smaller = { ...recording, config: { ...recording.config, budget: { maxTokens: 20 } } };
    assert.deepEqual(await kinds(messages, smaller), [false, ["context_changed"]]);
  });

  test("a damaged recording is refused", async () => {
    const { recording } = buildContextSync(messages, config);
    const without = (name) => Object.fromEntries(Object.entries(recording).filter(([key]) => key !== name));
    for (const damaged of [
      undefined,
      null,
      5,
      "text",
      [],
      {},
      { ...recording, formatVersion: 2 },
      { ...recording, formatVersion: "1" },
      { ...recording, config: null },
      { ...recording, config: "text" },
      { ...recording, transcript: null },
      { ...recording, transcript: { length: "3", digest: recording.transcript.digest } },
      { ...recording, transcript: { length: -1, digest: recording.transcript.digest } },
      { ...recording, transcript: { length: 1.5, digest: recording.transcript.digest } },
      { ...recording, transcript: { length: 3 } },
      { ...recording, contextHash: 5 },
      { ...recording, now: "text" },
      { ...recording, now: Number.NaN },
      { ...recording, request: 5 },
      { ...recording, engineVersion: 1 },
      ...["formatVersion", "engineVersion", "config", "now", "transcript", "contextHash"].map(without),
      { ...recording, config: { ...recording.config, colour: "red" } },
      { ...recording, config: { ...recording.config, budget: { maxTokens: -1 } } },
    ]) {
      const error = await errorOf(() => replay(damaged, messages));
      checkContextError(error, { code: "INVALID_RECORDING" });
    }
    checkContextError(await errorOf(() => replay(recording, "text")), { code: "INVALID_TRANSCRIPT" });
    assert.equal((await replay(recording, messages)).same, true);
  });
});

describe("the hash of a context", () => {
  /** Builds with a budget that nothing is too large for, so that one change does not make another. */
  const hashOf = (transcript, options) => buildContextSync(transcript, options).snapshot.contextHash;
  const roomy = (random) => ({ ...randomConfig(random), budget: {} });

  test("does not change with what does not reach the context", () => {
    forEachSeed(300, (random) => {
      const transcript = randomTranscript(random);
      const options = roomy(random);
      const context = buildContextSync(transcript, options);
      const expected = context.snapshot.contextHash;

      assert.equal(hashOf(transcript, { ...options, now: 5 }), expected, "the clock");
      assert.equal(hashOf(transcript, { ...options, turnId: "turn" }), expected, "the turn");
      const relabelled = transcript.map((message) => ({ ...message, id: `x-${message.id}`, metadata: { more: 1 } }));
      assert.equal(hashOf(relabelled, options), expected, "ids and unknown fields");
      const orphan = { role: "tool", toolCallId: "nobody", content: "x" };
      const unlimited = { ...options, collect: {}, window: {} };
      assert.equal(hashOf([...transcript, orphan], unlimited), hashOf(transcript, unlimited), "an orphan");

      const leftOut = transcript.findIndex((_, position) => context.explain(position).fate === "left out");
      if (leftOut >= 0 && typeof transcript[leftOut].content === "string") {
        const changed = transcript.map((message, position) =>
          position === leftOut ? { ...message, content: `${message.content} and more` } : message,
        );
        assert.equal(hashOf(changed, options), expected, "a message that is left out");
      }
    });
  });

  test("changes with all that does", () => {
    forEachSeed(300, (random) => {
      const transcript = randomTranscript(random);
      const options = roomy(random);
      const context = buildContextSync(transcript, options);
      const expected = context.snapshot.contextHash;
      const changes = [];
      for (const message of context.kept) {
        const replace = (changed) => transcript.map((entry) => (entry === message ? changed : entry));
        if (typeof message.content === "string") {
          changes.push(replace({ ...message, content: `${message.content}x` }));
        }
        if (Array.isArray(message.content) && message.content.some((part) => part.type === "reasoning")) {
          // Reasoning is in the format `messages` only.
          if (options.render.format === "messages") {
            changes.push(replace({ ...message, content: message.content.filter((part) => part.type !== "reasoning") }));
          }
        }
        if (message.toolCalls !== undefined) {
          const [first, ...rest] = message.toolCalls;
          changes.push(replace({ ...message, toolCalls: [{ ...first, arguments: { other: true } }, ...rest] }));
          changes.push(replace({ ...message, toolCalls: [{ ...first, name: "other" }, ...rest] }));
        }
        if (message.role === "user" && message.name === undefined) {
          changes.push(replace({ ...message, name: "Somebody" }));
        }
      }
      const hashes = changes.map((changed) => hashOf(changed, options));
      assert.ok(!hashes.includes(expected), `change ${hashes.indexOf(expected)} of ${hashes.length}`);
      if (context.kept.length > 0 && options.window?.lookbackCount !== 0) {
        assert.notEqual(hashOf([], options), expected);
      }
    });
  });

  test("changes with the effective config, and not with how it is spelled", () => {
    const hash = (options) => hashOf(messages, { now: 0, ...options });
    const plain = hash({});
    for (const same of [
      { budget: {} },
      { window: { minMessages: 10, unit: "message" } },
      { render: { format: "messages" }, filter: { excludeTags: [] } },
      { model: null, encoding: undefined },
    ]) {
      assert.equal(hash(same), plain);
    }
    const different = [
      {},
      { budget: { maxTokens: 1000 } },
      { window: { lookbackCount: 100 } },
      { filter: { excludeTags: ["command"] } },
      { model: "gpt-4o" },
      { encoding: "cl100k_base" },
      { encoding: "estimate" },
      { sessionId: "web:main" },
      { request: "And?" },
      { request: "And? " },
      { request: user("And?", { name: "Mara" }) },
      { request: { role: "assistant", content: "And?" } },
      { render: { format: "text" } },
      { render: { format: "xml" } },
    ].map(hash);
    assert.equal(new Set(different).size, different.length);
    assert.equal(hash({ request: "And?" }), hash({ request: user("And?", { id: "id", createdAt: 5 }) }));
  });

  test("neighbouring texts do not run into each other", () => {
    const variants = [
      [user("ab"), user("c")],
      [user("a"), user("bc")],
      [user("abc")],
      [user("abc"), user("")],
      [user(["ab", "c"])],
      [user(["a", "bc"])],
      [user("b c", { name: "a" })],
      [user("c", { name: "a b" })],
      [{ role: "assistant", content: "abc" }],
    ];
    assert.equal(new Set(variants.map((variant) => hashOf(variant, { now: 0 }))).size, variants.length);
  });

  test("changes with what is in an image, audio or a file", () => {
    for (const [one, other] of [
      [
        { type: "image", data: "one" },
        { type: "image", data: "other" },
      ],
      [
        { type: "image_url", image_url: { url: "https://example.com/1" } },
        { type: "image_url", image_url: { url: "https://example.com/2" } },
      ],
      [
        { type: "file", data: "one" },
        { type: "file", data: "other" },
      ],
    ]) {
      assert.notEqual(hashOf([user([one])], { now: 0 }), hashOf([user([other])], { now: 0 }));
    }
  });

  test("has its form", () => {
    assert.match(hashOf(messages, {}), /^ctx_[0-9a-f]{64}$/);
    assert.match(buildContextSync(messages).recording.transcript.digest, /^[0-9a-f]{16}$/);
    assert.notEqual(hashOf([randomOf(1)], {}), hashOf([randomOf(2)], {}));
  });
});

function randomOf(seed) {
  let message;
  forEachSeed(seed, (random) => {
    message = randomMessage(random);
  });
  return { ...message, content: `${seed}` };
}
