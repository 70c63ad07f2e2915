// Properties of every kind of file that is read. Each kind's test file has a sample and its contents.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, ContextError, createTranscript, memoryStore, openSession, parseTranscript } from "windrow";
import { mutateText, mutateValue } from "./mutations.mjs";
import { forEachSeedAsync } from "./property.mjs";

/** @satisfies {import("windrow").ContextConfig} */
const plain = { encoding: "estimate", now: 0, request: "And?" };

/** Longest time for reading a small file, in milliseconds of processor time. */
const LONGEST = 2000;

/**
 * Checks a kind of file with a sample.
 *
 * - `name`: the kind's name;
 * - `sample()`: the value of a file, created for each call;
 * - `conversations`: the expected result of `parseTranscript`, in the order of the file;
 * - `newest`: the number of the newest, from 0;
 * - `skipped`: the expected reports, as rows with a pattern for the reason.
 */
export function checkFile({ name, sample, conversations, newest = 0, skipped = [] }) {
  describe(`the file ${name}`, () => {
    test("is read in any layout", () => {
      const text = JSON.stringify(sample());
      for (const variant of [text, JSON.stringify(sample(), null, 2), `\ufeff\n ${text} \r\n`]) {
        const parsed = parseTranscript(variant);
        assert.deepEqual(parsed.conversations, conversations);
        assert.deepEqual(parsed.messages, conversations[newest].messages);
        checkSkipped(parsed.skipped, skipped);
      }
    });

    test("has messages that a context can be built from", () => {
      for (const { messages } of conversations) {
        const context = buildContextSync(messages, plain);
        assert.equal(context.messages.length, messages.length + 1);
      }
    });

    test("is imported: everything, oldest first, or one conversation", async () => {
      const text = JSON.stringify(sample());
      const { session, result } = await imported(text);
      const oldestFirst = result.conversations.map(({ id }) => conversations.find((one) => one.id === id));
      assert.equal(new Set(oldestFirst).size, conversations.length);
      assert.equal(oldestFirst.at(-1), conversations[newest]);
      assert.deepEqual(await messagesIn(session), oldestFirst.flatMap(({ messages }) => messages).map(withoutId));
      checkSkipped(result.skipped, skipped);
      const again = await imported(await session.export());
      assert.deepEqual(await messagesIn(again.session), await messagesIn(session));
      for (const [at, { id, messages }] of conversations.entries()) {
        for (const conversation of id === undefined ? [at + 1] : [id, at + 1]) {
          const one = await imported(text, { conversation });
          assert.deepEqual(await messagesIn(one.session), messages.map(withoutId));
          assert.deepEqual([one.result.messageCount, one.result.conversations.length], [messages.length, 1]);
        }
      }
    });

    test("is read as far as it is understood, or refused, after being changed", async () => {
      await forEachSeedAsync(async (random) => {
        const text = JSON.stringify(sample(), null, random.pick([0, 1]));
        await checkAny(mutateText(random, text, [text]));
        await checkAny(jsonOf(mutateValue(random, sample())));
      });
    });
  });
}

/** A value as JSON, or an empty list if it is nested too deeply. */
function jsonOf(value) {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return "[]";
  }
}

function checkSkipped(skipped, expected) {
  assert.deepEqual(
    skipped.map(({ row }) => row),
    expected.map(([row]) => row),
    JSON.stringify(skipped),
  );
  for (const [at, { reason }] of skipped.entries()) {
    assert.match(reason, expected[at][1]);
  }
}

/** Reads any text: it fails with a proper error, or returns valid messages, and the same ones to a session. */
export async function checkAny(text) {
  const started = process.cpuUsage();
  let parsed;
  try {
    parsed = parseTranscript(text);
  } catch (error) {
    checkRefused(error, "transcript_error");
  }
  const { user, system } = process.cpuUsage(started);
  assert.ok((user + system) / 1000 < LONGEST, `it takes ${(user + system) / 1000} ms`);
  for (const { messages } of parsed?.conversations ?? []) {
    const transcript = createTranscript(messages);
    assert.equal(transcript.length, messages.length);
    transcript.free();
  }
  assert.ok(parsed === undefined || parsed.messages.length > 0 || parsed.conversations.length === 0);
  try {
    const { session, result } = await imported(text);
    assert.equal((await session.messages()).length + (await session.summaries()).length, result.messageCount);
    await session.export();
  } catch (error) {
    checkRefused(error, "session_error");
  }
  return parsed;
}

/** JSON's own errors about such a text may contain anything. */
function checkRefused(error, kind) {
  assert.ok(error instanceof ContextError, `not a ContextError: ${error?.stack}`);
  assert.deepEqual([error.kind, error.code], [kind, "INVALID_TRANSCRIPT"]);
  assert.match(error.nextAction, /^[A-Z].*\.$/);
}

async function imported(text, options) {
  const session = await openSession("web:main", { store: memoryStore() });
  const result = await session.import(text, options);
  return { session, result };
}

async function messagesIn(session) {
  return (await session.messages()).map(withoutId);
}

/** A message without the id that a session derives from its position. */
function withoutId({ id, ...message }) {
  return String(id).startsWith("#") || id === undefined ? message : { id, ...message };
}
