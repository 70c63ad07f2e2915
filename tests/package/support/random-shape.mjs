// Random conversations in a format: properties that hold for every format.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, countTokens } from "windrow";
import { forEachSeed } from "./property.mjs";

const encoding = "estimate";

/**
 * Checks random conversations in a format. `conversation(random)` makes pairs of a message and its equivalent in
 * windrow's own form.
 */
export function checkRandomShape({ name, conversation }) {
  describe(`random conversations in the shape ${name}`, () => {
    test("every message costs the same in windrow's own form", () => {
      forEachSeed((random) => {
        for (const [at, [message, plain]] of conversation(random).entries()) {
          assert.equal(costOf([message]), costOf([plain]), `messages[${at}]: ${JSON.stringify(message)}`);
        }
      });
    });

    test("the same messages are chosen, and calls and results stay paired", () => {
      forEachSeed((random) => {
        const pairs = conversation(random);
        const messages = pairs.map(([message]) => message);
        const plains = pairs.map(([, plain]) => plain);
        const all = costOf(messages);
        const maxTokens = random.integer(Math.ceil(all / 3), all) || 1;
        /** @satisfies {import("windrow").SyncContextConfig} */
        const options = {
          encoding,
          request: null,
          budget: { maxTokens, toolResults: { shrink: false } },
          render: { openCalls: "drop" },
        };
        const context = contextOf(messages, options);
        const own = contextOf(plains, options);
        if (context.needed !== undefined) {
          assert.equal(context.needed, own.needed);
          return;
        }
        const kept = context.messages.map((message) => messages.indexOf(message));
        assert.deepEqual(
          kept,
          own.messages.map((message) => plains.indexOf(message)),
        );
        assert.equal(context.tokens.total, own.tokens.total);
        assert.ok(context.tokens.total <= maxTokens);
        assert.equal(costOf(context.messages), context.tokens.total);
        const chosen = new Set(kept);
        const holders = holdersOf(plains);
        for (const [id, rows] of holders) {
          const there = rows.filter((row) => chosen.has(row));
          assert.ok(there.length === 0 || there.length === rows.length, `${id}: ${there} of ${rows}`);
        }
      });
    });

    test("a shortened message has its true cost, and costs the same when it is read again", () => {
      forEachSeed((random) => {
        const [message] = random.pick(conversation(random));
        const whole = costOf([message]);
        /** @satisfies {import("windrow").BudgetConfig} */
        /** @satisfies {import("windrow").BudgetConfig} */
        const budget = { maxTokens: random.integer(1, whole) + 6, onRequiredOverflow: "shorten" };
        /** @type {readonly any[]} */
        /** @type {readonly any[]} */
        let messages = [{ ...message, pinned: true }];
        for (let round = 0; round < 2; round++) {
          const context = contextOf(messages, {
            encoding,
            request: null,
            budget,
            render: { openCalls: "drop" },
          });
          if (context.needed !== undefined) {
            return;
          }
          assert.equal(costOf(context.messages), context.tokens.total, JSON.stringify(context.messages));
          assert.ok(context.tokens.total <= budget.maxTokens);
          messages = context.messages;
          budget.maxTokens = Math.max(7, budget.maxTokens - random.integer(0, 8));
        }
      });
    });

    test("a message without its tools has no trace of them, and has its true cost", () => {
      forEachSeed((random) => {
        const pairs = conversation(random);
        const filter = { excludeToolCalls: true };
        const context = buildContextSync(
          pairs.map(([message]) => message),
          { encoding, request: null, filter },
        );
        const own = buildContextSync(
          pairs.map(([, plain]) => plain),
          { encoding, request: null, filter },
        );
        assert.equal(costOf(context.messages), context.tokens.total);
        assert.equal(context.tokens.total, own.tokens.total);
      });
    });
  });
}

const costOf = (messages) => countTokens(messages, { encoding }).tokens;

/**
 * Returns the context, or the tokens needed if not even the required messages fit.
 *
 * @param {readonly any[]} messages
 * @param {import("windrow").SyncContextConfig} options
 * @returns {any}
 */
function contextOf(messages, options) {
  try {
    return buildContextSync(messages, options);
  } catch (error) {
    assert.equal(error.code, "BUDGET_TOO_SMALL", error.stack);
    return { needed: error.needed };
  }
}

/** Rows that hold a call or its result, by the call's id. */
function holdersOf(plains) {
  const holders = new Map();
  for (const [row, { content, toolCallId }] of plains.entries()) {
    const parts = Array.isArray(content) ? content : [];
    for (const id of new Set([toolCallId, ...parts.map((part) => part.toolCallId)])) {
      if (id !== undefined) {
        holders.set(id, [...(holders.get(id) ?? []), row]);
      }
    }
  }
  return holders;
}
