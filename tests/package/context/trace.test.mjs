// The trace: the fate of every message, and the reason.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { buildContextSync, countTokens, loadEncoding } from "windrow";
import { checkContextError, errorOf, wrong } from "../support/errors.mjs";
import { assertShare, forEachSeed } from "../support/property.mjs";
import { originalOf, randomConfig, randomTranscript } from "../support/random.mjs";
import { checkGroupsAreWhole, tryBuild } from "../support/transcripts.mjs";

before(() => Promise.all([loadEncoding("o200k_base"), loadEncoding("cl100k_base")]));

const user = (content, more) => ({ role: "user", content, ...more });

describe("for random transcripts and configs", () => {
  const cases = [];
  before(() => {
    const count = forEachSeed((random) => {
      const transcript = randomTranscript(random);
      const config = randomConfig(random);
      const context = tryBuild(transcript, config);
      if (context !== undefined) {
        cases.push({ transcript, config, context });
      }
    });
    assertShare(cases.length, count, 2, "were built");
  });

  test("the ranges cover the transcript without gap or overlap, and neighbors differ", () => {
    for (const { transcript, context } of cases) {
      let next = 0;
      let last = "";
      for (const range of context.trace.ranges) {
        assert.equal(range.first, next);
        assert.ok(range.last >= range.first);
        const { fate, stage, reason } = range;
        const decision = `${fate} ${stage} ${reason}`;
        assert.notEqual(decision, last);
        last = decision;
        next = range.last + 1;
      }
      assert.equal(next, transcript.length);
    }
  });

  test("the trace reports exactly the messages in context.kept as kept", () => {
    for (const { transcript, context } of cases) {
      const kept = transcript.filter((_, position) => context.explain(position).fate !== "left out");
      assert.deepEqual(new Set(kept), new Set(context.kept.map((message) => originalOf(message, transcript))));
      assert.equal(context.snapshot.sourceCounts.messages, kept.length);
      const isTrimmed = context.trace.ranges.some(
        ({ stage, fate, reason }) =>
          fate === "shortened" || (stage === "budget" && fate === "left out") || reason === "beyond_recent_messages",
      );
      const isRequestCut = context.messages?.at(-1)?.shortened === true || /\[truncated: /.test(context.text ?? "");
      assert.equal(context.trimmed, isTrimmed || isRequestCut);
    }
  });

  test("the tokens of the kept messages, the format and the request add up to the total", () => {
    for (const { transcript, context } of cases) {
      const section = (id) => context.tokens.sections.find((entry) => entry.id === id).tokens;
      const inRanges = context.trace.ranges.reduce((sum, range) => sum + range.tokens, 0);
      // If no request was passed, it is one of the messages.
      const request = context.recording.request == null ? 0 : section("request");
      assert.equal(inRanges + section("format") + section("tools") + request, context.tokens.total);
      const explained = transcript.map((_, position) => context.explain(position));
      const sum = explained.reduce((total, { fate, tokens }) => total + (fate === "left out" ? 0 : tokens), 0);
      assert.equal(sum, inRanges);
      assert.ok(context.trace.ranges.every(({ fate, tokens }) => fate !== "left out" || tokens === 0));
    }
  });

  test("every reason that occurs has words, once", () => {
    for (const { context } of cases) {
      const reasons = context.trace.reasons.map((entry) => entry.reason);
      assert.deepEqual(new Set(reasons), new Set(context.trace.ranges.map((range) => range.reason)));
      assert.equal(new Set(reasons).size, reasons.length);
      assert.ok(context.trace.reasons.every(({ words }) => words.length > 8));
    }
  });

  test("an id has the same explanation as its position", () => {
    for (const { transcript, context } of cases) {
      transcript.forEach((message, position) => {
        const explanation = context.explain(message.id);
        assert.equal(explanation.id, message.id);
        assert.deepEqual(explanation, context.explain(position));
      });
    }
  });
});

describe("explain", () => {
  const messages = [user("one", { id: "a" }), user("two", { id: 7 }), user("three"), user("four", { id: "d" })];
  const context = () => buildContextSync(messages, { window: { lookbackCount: 2 } });

  test("explains why in words with the config's figures, and the cost of an omitted message", () => {
    const { id, position, fate, stage, reason, words, tokens } = context().explain("a");
    assert.deepEqual([id, position, fate, stage, reason], ["a", 0, "left out", "window", "beyond_lookback"]);
    assert.match(words, /newest 2 messages/);
    assert.equal(tokens, countTokens([messages[0]]).tokens - countTokens([]).tokens);
  });

  test("finds an id that is a number by its text, and a number as a position", () => {
    assert.equal(context().explain("7").position, 1);
    assert.equal(context().explain(1).id, "7");
    assert.equal(context().explain(2).id, undefined);
  });

  test("throws an error if there is no such message", async () => {
    for (const wanted of ["nobody", "", "0", 4, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, undefined, null, {}].map(
      wrong,
    )) {
      const error = await errorOf(() => context().explain(wanted));
      checkContextError(error, { code: "INVALID_TRANSCRIPT" });
    }
  });

  test("each stage's reasons occur", () => {
    const hour = 3_600_000;
    /** @type {[reason: string, messages: any[], config: import("windrow").SyncContextConfig][]} */
    const cases = [
      ["other_session", [user("x", { sessionId: "b" })], { sessionId: "a" }],
      ["beyond_fetch_limit", [user("x")], { collect: { fetchLimit: 1 } }],
      ["role", [{ role: "assistant", content: "x" }], { filter: { roles: ["user"] } }],
      ["source", [user("x", { source: "scheduled" })], { filter: { excludeSources: ["scheduled"] } }],
      ["tag", [user("x", { tags: ["note", "command"] })], { filter: { excludeTags: ["command"] } }],
      ["beyond_lookback", [user("x")], { window: { lookbackCount: 1 } }],
      ["beyond_user_turns", [user("x")], { window: { maxUserTurns: 1 } }],
      ["beyond_recent_messages", [user("x")], { window: { maxRecentMessages: 1 } }],
      ["too_old", [user("x", { createdAt: 0 })], { window: { recencyHours: 1, minMessages: 0 } }],
      ["over_budget", [user("x ".repeat(50))], { recall: { ranking: "recency" }, budget: { maxTokens: 20 } }],
      ["ranked_lower", [user("x ".repeat(50))], { budget: { maxTokens: 20 } }],
      ["instruction", [{ role: "system", content: "x" }], {}],
      ["pinned", [user("x", { pinned: true })], { window: { lookbackCount: 1 } }],
      ["history", [user("x")], {}],
    ];
    for (const [reason, [first], config] of cases) {
      const built = buildContextSync([first, user("now", { createdAt: 2 * hour })], { request: null, ...config });
      assert.equal(built.explain(0).reason, reason);
      assert.equal(built.explain(1).reason, "request");
      assert.ok(built.explain(0).tokens > 0);
    }
  });
});

describe("a shortened message", () => {
  const long = Array.from({ length: 300 }, (_, index) => `word${index}`).join(" ");
  /** @satisfies {import("windrow").BudgetConfig} */
  const budget = { maxTokens: 120, onRequiredOverflow: "shorten" };

  test("has a true marker, and the original is untouched", () => {
    const original = Object.freeze(user(long, { id: "long", pinned: true, metadata: { kept: true } }));
    const context = buildContextSync([original, user("now")], { request: "And?", budget });
    const [copy] = context.messages;
    assert.notEqual(copy, original);
    assert.equal(context.kept[0], original);
    assert.equal(original.content, long);
    assert.deepEqual([copy.shortened, copy.role, copy.id, copy.metadata], [true, "user", "long", original.metadata]);
    const [, begin, left, all, end] = /^(.*)\n\[truncated: (\d+) of (\d+) tokens\]\n(.*)$/.exec(copy.content);
    assert.ok(long.startsWith(begin) && long.endsWith(end) && begin.length > 0 && end.length > 0);
    assert.equal(Number(left), countTokens(begin).tokens + countTokens(end).tokens);
    assert.equal(Number(all), countTokens(long).tokens);
    assert.equal(context.explain("long").fate, "shortened");
    assert.equal(context.trimmed, true);
    assert.ok(context.tokens.total <= 120);
  });

  test("the request is shortened like a message, even if it is text", () => {
    /** @type {import("windrow").BuiltContext<any>} */
    const context = buildContextSync([], { request: long, budget });
    assert.equal(context.messages[0].shortened, true);
    assert.match(context.messages[0].content, /\n\[truncated: \d+ of \d+ tokens\]\n/);
    assert.equal(context.trimmed, true);
  });

  test("keeps the request's own question, at any length and with any text pasted around it", () => {
    const log = Array.from(
      { length: 300 },
      (_, at) => `2026-01-05 08:00:${at} INFO worker-${at % 7} GET /items?id=${at}`,
    ).join("\n");
    const asked = "Why does worker 3 fail on every Monday, and what did we change in the week before?";
    const question = `${asked} ${"I have tried to restart it. ".repeat(20)}Who could know more about it?`;
    for (const request of [
      `${log}\n${question}`,
      `${question}\n\n${log}`,
      `${log}\n\n${question}\n\n\`\`\`\n${log}\n\`\`\``,
    ]) {
      for (const format of /** @type {const} */ (["messages", "text", "xml", "conversations"])) {
        const pinned = user(long, { pinned: true });
        /** @type {import("windrow").BuiltContext<any>} */
        const context = buildContextSync([pinned], {
          request,
          render: { format },
          budget: { ...budget, maxTokens: 260 },
        });
        const said = context.text ?? context.messages.at(-1).content;
        assert.ok(said.includes(question), said);
        assert.ok(context.tokens.total <= 260);
      }
    }
  });

  test("a cut never falls inside a character", () => {
    const families = "👩‍👩‍👧‍👦é".repeat(60);
    for (let maxTokens = 40; maxTokens < 140; maxTokens += 3) {
      /** @type {import("windrow").BuiltContext<any>} */
      const context = tryBuild([], { request: families, budget: { ...budget, maxTokens } });
      const lines = (context?.messages[0].content ?? "").split("\n").filter((line) => !line.startsWith("[truncated: "));
      assert.equal(lines.join("").replace(/👩‍👩‍👧‍👦|é/gu, ""), "");
    }
  });

  const kinds = {
    "text parts": { role: "user", content: [{ type: "text", text: long }, "and", { type: "text", text: long }] },
    "a refusal": { role: "assistant", content: null, refusal: long },
    "text next to an image": {
      role: "user",
      content: [
        { type: "image", detail: "low", data: "/9j/4AAQ" },
        { type: "text", text: long },
      ],
    },
    "text next to reasoning": { role: "assistant", content: [{ type: "reasoning", text: "thinking" }, long] },
    "text next to a call": { role: "assistant", content: long, toolCalls: [{ id: "a", name: "find", arguments: {} }] },
    "text next to a call as a part": {
      role: "assistant",
      content: [
        { type: "text", text: long },
        { type: "tool-call", toolCallId: "a", toolName: "find", input: {} },
      ],
    },
    "a result as a part": {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "b", output: { found: long } }],
    },
    "two results as parts": {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "b", output: long },
        { type: "tool-result", toolCallId: "c", output: long },
      ],
    },
  };
  for (const [name, message] of Object.entries(kinds)) {
    test(`${name}: the copy is complete except for its text, and its cost is true`, () => {
      const calls = ["b", "c"].map((id) => ({ id, name: "find", arguments: {} }));
      /** @type {any[]} */
      const transcript = [
        { role: "assistant", toolCalls: calls },
        { ...message, pinned: true },
      ];
      if (!JSON.stringify(message).includes('"c"')) {
        transcript.push({ role: "tool", toolCallId: "c", content: "c" });
      }
      if (message.role !== "tool") {
        transcript.push(
          { role: "tool", toolCallId: "b", content: "b" },
          { role: "tool", toolCallId: "a", content: "a" },
        );
      }
      if (!JSON.stringify(message).includes('"a"')) {
        transcript.splice(3, 2, ...(message.role === "tool" ? [] : [{ role: "tool", toolCallId: "b", content: "b" }]));
      }
      const context = buildContextSync(transcript, {
        model: "gpt-4o",
        request: "And?",
        budget: { ...budget, maxTokens: 260 },
      });
      const copy = context.messages.find((entry) => entry.shortened);
      assert.ok(copy, "one is shortened");
      checkGroupsAreWhole(context.messages);
      assert.equal(countTokens(context.messages, { model: "gpt-4o" }).tokens, context.tokens.total);
      assert.ok(context.tokens.total <= 260);
      assert.match(JSON.stringify(copy), /\[truncated: \d+ of \d+ tokens\]/);
      for (const part of Array.isArray(message.content) ? message.content : []) {
        if (["image", "reasoning", "tool-call"].includes(part.type)) {
          assert.ok(copy.content.includes(part), `the ${part.type} is still there`);
        }
      }
    });
  }
});

test("the trace of a long transcript stays small", () => {
  const messages = Array.from({ length: 100_000 }, (_, index) => ({
    id: `m${index}`,
    role: index % 2 === 0 ? "user" : "assistant",
    content: `message ${index}`,
    pinned: index === 50_000,
  }));
  const context = buildContextSync(messages, { request: "And?", budget: { maxTokens: 4000 } });
  assert.ok(context.trace.ranges.length < 12);
  for (const part of [context.trace, context.recording, context.snapshot]) {
    assert.ok(JSON.stringify(part).length < 5000);
  }
});
