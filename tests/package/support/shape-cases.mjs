// Properties of every format that is read. Each format's test file has samples and their contents.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  buildContextSync,
  countTokens,
  createTranscript,
  loadEncoding,
  memoryStore,
  messageShapes,
  openSession,
  replay,
} from "windrow";
import { checkContextError } from "./errors.mjs";

const encoding = "o200k_base";

/**
 * Checks a format with samples.
 *
 * - `name`: its name for the option `shape`;
 * - `sample()`: a conversation in it, created for each call, with tool calls, their results, and every kind of part;
 * - `plain`: the same conversation in windrow's own form, message by message;
 * - `texts`: texts that must be found in the prompt;
 * - `together`: lists of positions that are in a context together or not at all;
 * - `unknown()`: messages with something that the format doesn't know, each with the place at which it is refused.
 *
 * @param {object} shape
 * @param {string} shape.name
 * @param {() => any[]} shape.sample
 * @param {any[]} shape.plain
 * @param {string[]} shape.texts
 * @param {number[][]} [shape.together]
 * @param {() => (readonly [message: any, place: string])[]} [shape.unknown]
 */
export function checkShape({ name, sample, plain, texts, together = [], unknown = () => [] }) {
  describe(`the shape ${name}`, async () => {
    await loadEncoding(encoding);

    test("is known by its name", () => {
      assert.ok(messageShapes.some((shape) => shape.name === name));
    });

    test("is read: its texts are in the prompt", () => {
      const { text } = buildContextSync(sample(), { encoding, render: { format: "text" } });
      for (const said of texts) {
        assert.ok(text.includes(said), `${said} in ${text}`);
      }
    });

    test("costs the same as its messages in windrow's own form", () => {
      const messages = sample();
      assert.equal(messages.length, plain.length);
      for (const [at, message] of messages.entries()) {
        const cost = (one) => countTokens([one], { encoding }).tokens;
        assert.equal(cost(message), cost(plain[at]), `messages[${at}]`);
      }
    });

    test("everything is kept if there is room: the caller's own objects, untouched", () => {
      const messages = sample();
      const before = structuredClonable(sample());
      const context = buildContextSync(messages, { encoding });
      assert.equal(context.messages.length, messages.length);
      for (const [at, message] of context.messages.entries()) {
        assert.equal(message, messages[at]);
      }
      assert.deepEqual(structuredClonable(messages), before);
    });

    test("groups stay together at every budget", () => {
      const messages = sample();
      const { total } = buildContextSync(messages, { encoding }).tokens;
      for (let maxTokens = total; maxTokens > 0; maxTokens -= Math.max(1, Math.floor(total / 60))) {
        const context = attempt(() =>
          // A message is copied when a line replaces its image.
          buildContextSync(messages, {
            encoding,
            request: "And now?",
            budget: { maxTokens, toolResults: { shrink: false } },
          }),
        );
        if (context === undefined) {
          return; // not even the request fits
        }
        assert.ok(context.tokens.total <= maxTokens);
        for (const group of together) {
          const kept = group.filter((at) => context.kept.includes(messages[at]));
          assert.ok(kept.length === 0 || kept.length === group.length, `${group}: ${kept} of it at ${maxTokens}`);
        }
      }
    });

    test("a shortened message is a marked copy of the same shape, and has its true cost", () => {
      const messages = sample();
      const { total } = buildContextSync(messages, { encoding }).tokens;
      let count = 0;
      for (const [at, message] of messages.entries()) {
        for (const share of [0.3, 0.6]) {
          const whole = countTokens([message], { encoding }).tokens;
          /** @satisfies {import("windrow").BudgetConfig} */
          const budget = { maxTokens: Math.ceil(whole * share) + 8, onRequiredOverflow: "shorten" };
          const context = attempt(() =>
            buildContextSync([Object.assign(clone(message), { pinned: true })], {
              encoding,
              request: null,
              budget,
              render: { openCalls: "drop" },
            }),
          );
          const copy = context?.messages.find(({ shortened }) => shortened);
          if (copy === undefined) {
            continue;
          }
          count += 1;
          const again = countTokens(context.messages, { encoding }).tokens;
          assert.equal(again, context.tokens.total, `messages[${at}]`);
          assert.ok(again <= budget.maxTokens);
        }
      }
      assert.ok(count > 0 || total < 40, "something is shortened");
    });

    test("without its tools, no trace of them is left", () => {
      const messages = sample();
      const filter = { excludeToolCalls: true };
      const context = buildContextSync(messages, { encoding, filter });
      assert.equal(countTokens(context.messages, { encoding }).tokens, context.tokens.total);
      for (const message of context.messages) {
        assert.ok(message.shortened || messages.includes(message));
      }
    });

    test("a recording replays to the same context", async () => {
      const messages = sample();
      const context = buildContextSync(messages, { encoding, budget: { maxTokens: 200 }, request: "And now?" });
      const again = await replay(JSON.parse(JSON.stringify(context.recording)), createTranscript(sample()));
      assert.deepEqual([again.same, again.differences], [true, []]);
    });

    test("explain finds a message by its id or position", () => {
      const messages = sample();
      const context = buildContextSync(messages, { encoding });
      for (const at of messages.keys()) {
        const { id, fate, position } = context.explain(at);
        assert.deepEqual([fate, position], ["kept", at]);
        if (id !== undefined && messages.findIndex((_, other) => context.explain(other).id === id) === at) {
          assert.ok(context.explain(id).position >= at);
        }
      }
    });

    test("naming it changes nothing", () => {
      const messages = sample();
      for (const message of messages) {
        const cost = (options) => attempt(() => countTokens([message], { encoding, ...options }));
        // Some formats have messages that are also valid in windrow's own form. Both readings agree.
        assert.deepEqual(cost({ shape: name }), cost({}));
      }
      const transcript = createTranscript(sample(), { shape: name });
      assert.equal(
        buildContextSync(transcript, { encoding }).tokens.total,
        buildContextSync(messages, { encoding, shape: name }).tokens.total,
      );
    });

    test("a session of it persists: the same messages with the same ids, and so does its file", async () => {
      const store = memoryStore();
      const messages = sample();
      const written = await openSession("s", { store });
      await written.append(messages);
      await written.close();

      const session = await openSession("s", { store });
      /** @satisfies {import("windrow").SyncContextConfig} */
      const config = { encoding, request: null, sessionId: null };
      const before = buildContextSync(messages, config);
      const ids = await checkKept(session, messages, before, config);
      const { entries } = await store.read("s");
      assert.deepEqual(
        entries.map(({ id }) => id),
        ids,
      );
      const copy = await openSession("copy", { store });
      assert.deepEqual((await copy.import(await session.export())).skipped, []);
      assert.deepEqual(await checkKept(copy, messages, before, config), ids);
    });

    test("in a session its marks apply: pinned messages are pinned, and ephemeral ones aren't stored", async () => {
      for (const message of sample()) {
        const session = await openSession("s", { store: memoryStore() });
        await session.append(Object.assign(clone(message), { pinned: true, tags: ["command"], persist: true }));
        assert.equal((await session.info()).logs.transcript.pinnedCount, 1);
        assert.equal((await session.append(Object.assign(clone(message), { persist: false }))).firstSeq, undefined);
        // Replaces its newest message with an equal one, which keeps the id.
        const [was] = await session.messages();
        await session.replaceLast(clone(message));
        const [is] = await session.messages();
        assert.equal(idOf(is), idOf(was));
      }
    });

    test("unknown contents are refused with their place", () => {
      for (const [message, place] of unknown()) {
        const failure = attempt(() => buildContextSync([message], { encoding }), true);
        checkContextError(failure, { code: "INVALID_TRANSCRIPT", path: `messages[0]${place}` });
      }
    });
  });
}

/** Checks that a session has the messages that were appended. Returns their ids. */
async function checkKept(session, messages, before, config) {
  const cost = (message) => countTokens([message], { encoding }).tokens;
  assert.deepEqual((await session.messages()).map(cost), messages.map(cost));
  const context = await session.build(config);
  assert.equal(context.tokens.total, before.tokens.total);
  const seqs = context.kept.map((message) => session.seqOf(message)).sort((left, right) => left - right);
  assert.equal(new Set(seqs).size, messages.length);
  return messages.map((_, at) => {
    const { id, position } = context.explain(at);
    const own = before.explain(at).id;
    assert.equal(position, at);
    if (own !== undefined) {
      assert.equal(id, own);
    } else if (id !== undefined) {
      assert.match(id, /^msg_[0-9a-f]{16}$/);
    }
    if (id !== undefined) {
      assert.ok(context.explain(id).position >= at);
    }
    return id;
  });
}

/** The id of a message as a build knows it. */
function idOf(message) {
  return buildContextSync([message], { encoding, request: null }).explain(0).id;
}

/** The result of a call, or undefined if it fails. With `wantsFailure`, its error. */
function attempt(call, wantsFailure = false) {
  try {
    const result = call();
    return wantsFailure ? undefined : result;
  } catch (failure) {
    return wantsFailure ? failure : undefined;
  }
}

/** A copy whose fields may be changed. A class instance keeps its class. */
function clone(message) {
  return Object.assign(Object.create(Object.getPrototypeOf(message)), message);
}

/** Messages as plain data, for comparison. */
function structuredClonable(messages) {
  return JSON.parse(JSON.stringify(messages));
}
