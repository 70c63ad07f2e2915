// Answers of hooks: each is understood completely, leaves a note about the part that wasn't understood, or fails the
// build. This file restates which answers are right, from the promises of the types and the README.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContext, replay } from "windrow";
import { checkContextError } from "../support/errors.mjs";
import { assertShare, forEachSeedAsync } from "../support/property.mjs";

const DAY = 86_400_000;
const NOW = Date.UTC(2025, 2, 20, 12);

/** Conversations of today and of three earlier days. The earlier ones need summaries. */
const messages = Array.from({ length: 24 }, (_, position) => {
  const daysAgo = position < 12 ? 4 - Math.floor(position / 4) : 0;
  return {
    id: `m${position}`,
    role: position % 2 === 0 ? "user" : "assistant",
    content: `text ${position}`,
    conversationId: daysAgo === 0 ? "today" : `day${daysAgo}`,
    createdAt: NOW - daysAgo * DAY - 3_600_000 + position * 60_000,
  };
});
/** @type {import("windrow").Section[]} */
const sections = [
  { id: "recall", kind: "recall" },
  { id: "history", kind: "history" },
  { id: "request", kind: "request" },
];
/** @satisfies {import("windrow").ContextConfig} */
const config = { encoding: "estimate", request: "And when?", now: NOW };

const isText = (value) => typeof value === "string";
const isOptional = (value, isRight) => value == null || isRight(value);
const isObject = (value) => typeof value === "object" && value !== null;
const attempt = (read) => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/** The elements of a list in any form, or undefined if it isn't one. */
const listOf = (given) =>
  isObject(given) && typeof given[Symbol.iterator] === "function" ? Array.from(given) : undefined;

const isPlain = (value) => isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** The last complete list in a model's answer, unless an unfinished one follows it. */
function listIn(text) {
  const [, list] = /^[^"]*\{"relevant_ids": (\[[^\]]*\])\}[^"]*$/.exec(text) ?? [];
  return list === undefined ? undefined : attempt(() => JSON.parse(list));
}

let modelCount = 0;

/** For each hook: a config that asks it, the question, a check for right answers, and random parts of answers. */
const HOOKS = {
  "triage.select": {
    config: (select) => ({ triage: { select } }),
    right: ([{ candidates }]) => [candidates[3].id, candidates[1], candidates[2].messages[0], { id: "m4" }],
    isRight(given, [{ candidates }]) {
      const known = new Set(candidates.flatMap((it) => [it, it.id, ...it.messages]));
      const isKnown = (it) => known.has(it) || known.has(attempt(() => it.id));
      return given == null || (listOf(given)?.every(isKnown) ?? false);
    },
    wrong: {
      "ids that nobody asked for": () => ["m3", "nobody", "m23"],
      "nothing but ids that nobody asked for": () => ["nobody"],
      "a repeated id, and a repeated invalid one": () => ["m3", "m3", "nobody", "nobody"],
      "NaN as a number": () => ["m3", Number.NaN],
      "nothing in the place of one": () => ["m3", null],
    },
    part: (random) =>
      random.pick(["m0", "m3", "m5", "m5", { id: "m2" }, "nobody", 5, null, Number.NaN, { id: "" }, []]),
  },
  "triage.complete": {
    config: (complete) => ({ triage: { complete } }),
    right: () => 'These: {"relevant_ids": [3, 1]}',
    isRight(given) {
      const isPosition = (it) => Number.isInteger(it) && it >= 0 && it < 19;
      return given == null || (isText(given) && (listIn(given)?.every(isPosition) ?? false));
    },
    wrong: {
      "numbers that nobody asked for": () => '{"relevant_ids": [3, 19, -1]}',
      "nothing but numbers that nobody asked for": () => '{"relevant_ids": [99]}',
      "numbers as texts": () => '{"relevant_ids": [3, "1"]}',
      "a repeated number, and an invalid one": () => '{"relevant_ids": [3, 3, null]}',
      "half an answer": () => '{"relevant_ids": [3, ',
      "an answer, and half a better one": () => '{"relevant_ids": [3]} No, {"relevant_ids": [1, ',
      "no list": () => '{"relevant_ids": 3}',
    },
    answer: (random, parts) =>
      random.pick([
        (list) => `{"relevant_ids": ${list}}`,
        (list) => `So: {"relevant_ids": ${list}} I hope that helps.`,
        (list) => `{"relevant_ids": ${list.slice(0, -1)}`,
        (list) => ({ relevant_ids: list }),
      ])(`[${parts.join(", ")}]`),
    part: (random) => random.pick([0, 3, 3, 18, 19, -1, 1.5, '"3"', "null", "x", "{}"]),
  },
  "recall.search": {
    config: (search) => ({ recall: { search }, sections }),
    right: () => ["one", { text: "two", id: 2, score: 0.5, source: "a", metadata: { source: 5 }, more: [] }],
    isRight(given) {
      const isItem = (it) =>
        isText(it) ||
        (isObject(it) &&
          isText(it.text) &&
          isOptional(it.id, (id) => isText(id) || typeof id === "number") &&
          isOptional(it.source, isText) &&
          isOptional(it.score, Number.isFinite) &&
          isOptional(it.metadata, isObject));
      return given == null || (listOf(given)?.every(isItem) ?? false);
    },
    wrong: {
      "NaN as a score": () => ["one", { text: "two", score: Number.NaN }],
      "a score that is a text": () => [{ text: "two", score: "0.5" }],
      "an invalid source and an invalid id": () => [{ text: "two", source: 5, id: {} }],
      "invalid metadata": () => [{ text: "two", metadata: "a.md" }],
      "an invalid item": () => ["one", null, 5, { text: 5 }, ["one"]],
      "only invalid items": () => [{ content: "one" }],
      "an item that throws": () => [
        "one",
        {
          get text() {
            throw new Error("no");
          },
        },
      ],
      "a score that throws": () => [
        {
          text: "one",
          get score() {
            throw new Error("no");
          },
        },
      ],
    },
    part: (random) =>
      random.pick([
        "one",
        { text: "two", id: "2" },
        { text: "three", score: random.pick([1, null, Number.NaN, Number.POSITIVE_INFINITY, "1"]) },
        { text: "four", source: random.pick(["a", undefined, 5]), metadata: random.pick([null, {}, 5]) },
        { text: null },
        null,
        5,
      ]),
  },
  "recall.embed": {
    // Uses another model name each time, because known vectors aren't requested again.
    config: (embed) => ({
      recall: { embed, embedModel: String(modelCount++), recentMessages: 5, maxRecentShare: 1 },
      budget: { maxTokens: 140 },
    }),
    right: ([texts]) => texts.map((text) => [text.length, 1]),
    isRight(given, [texts]) {
      const isVector = (it) =>
        (Array.isArray(it) || ArrayBuffer.isView(it)) &&
        /** @type {any} */ (it).length > 0 &&
        Array.from(/** @type {ArrayLike<any>} */ (it)).every(
          (part) => Number.isFinite(part) && Number.isFinite(Math.fround(part)),
        );
      const list = given == null ? undefined : listOf(given);
      const isWhole = list?.length === texts.length && list.every(isVector);
      return given == null || (isWhole && list.every((it) => it.length === list[0].length));
    },
    wrong: {
      "a list that is too short": ([texts]) => texts.slice(1).map(() => [1, 0]),
      "a list that is too long": ([texts]) => [...texts, ""].map(() => [1, 0]),
      "vectors of different lengths": ([texts]) => texts.map((_, index) => (index === 2 ? [1] : [1, 0])),
      "vectors of nothing": ([texts]) => texts.map(() => []),
      "no numbers": ([texts]) => texts.map(() => [Number.NaN, 0]),
      "numbers as texts": ([texts]) => texts.map(() => ["1", "0"]),
      "more than a vector holds": ([texts]) => texts.map(() => [1e300, 0]),
      "nothing in the place of one": ([texts]) => texts.map((_, index) => (index === 2 ? null : [1, 0])),
    },
    wanted: ([texts]) => texts.length,
    // Most parts are right, so that a long list has few wrong ones.
    part: (random) =>
      random.chance(0.97)
        ? random.pick([[1, 0], [0, 1], Float32Array.of(1, 2)])
        : random.pick([[1], [], [Number.NaN, 1], ["1", 1], null, "10", new DataView(new ArrayBuffer(2))]),
  },
  "tiers.summarize": {
    config: (summarize) => ({ tiers: { enabled: true, summarize }, render: { format: "conversations" } }),
    right: ([{ conversations }]) => conversations.map(({ id }, index) => (index === 1 ? null : `about ${id}`)),
    isRight(given, [{ conversations }]) {
      const ids = conversations.map(({ id }) => id);
      const isSummary = (it) => it == null || (isText(it) && it.trim() !== "");
      if (given == null) {
        return true;
      }
      if (given instanceof Map || (listOf(given) === undefined && isPlain(given))) {
        const entries = given instanceof Map ? [...given] : Object.entries(given);
        return entries.every(([id, it]) => ids.includes(id) && isSummary(it));
      }
      const list = listOf(given);
      return list?.length === ids.length && list.every(isSummary);
    },
    wrong: {
      "a list that is too short": () => ["one"],
      "an empty list": () => [],
      "a list that is too long": ([{ conversations }]) => [...conversations, ""].map(() => "one"),
      "summaries of conversations that nobody asked about": () => ({ day4: "one", today: "two", constructor: "three" }),
      "a map with another's id": () =>
        new Map(
          /** @type {[any, string][]} */ ([
            ["day4", "one"],
            [4, "two"],
          ]),
        ),
      "an invalid text": ([{ conversations }]) => conversations.map((_, index) => (index === 0 ? 5 : "one")),
      "only invalid texts": ([{ conversations }]) => conversations.map(() => ({ summary: "one" })),
      "a blank text": ([{ conversations }]) => conversations.map((_, index) => (index === 0 ? " \n" : "one")),
      "nothing but blank texts": ([{ conversations }]) => conversations.map(() => ""),
      "an object of a class": () => new Date(0),
    },
    wanted: ([{ conversations }]) => conversations.length,
    answer(random, parts) {
      const keyed = parts.map((part, index) => [random.pick([`day${4 - index}`, "day2", "other"]), part]);
      return random.pick([() => parts, () => Object.fromEntries(keyed), () => new Map(keyed)])();
    },
    part: (random) => random.pick(["one", "two", "three", null, undefined, 5, "", {}]),
  },
  "compact.summarize": {
    takesText: true,
    // Uses new objects each time, because a known summary would be continued.
    config: (summarize) => ({
      budget: { maxTokens: 100, cut: {} },
      compact: { summarize, maxTokens: 20, summary: {} },
    }),
    right: () => "They talk.",
    isRight: (given) => given == null || (isText(given) && given.trim() !== "" && given.length < 100),
    wrong: {
      "a blank text": () => " \n",
      "a longer text than it summarizes": ([{ text }]) => text.repeat(3),
      "a list of texts": () => ["one"],
    },
    answer: (_, parts) => parts[0],
    part: (random) => random.pick(["one", "two", null, "", 5, {}, ["one"]]),
  },
  countTokens: {
    config: (countTokens) => ({ countTokens, encoding: undefined }),
    right: ([texts]) => Uint32Array.from(texts, (text) => text.length),
    isRight(given, [texts]) {
      const list = given == null ? undefined : listOf(given);
      return list?.length === texts.length && list.every((it) => Number.isSafeInteger(it) && it >= 0);
    },
    wrong: {
      "a list that is too short": ([texts]) => texts.slice(1).map(() => 1),
      "a list that is too long": ([texts]) => [...texts, ""].map(() => 1),
      "less than nothing": ([texts]) => texts.map(() => -1),
      "no numbers": ([texts]) => texts.map(() => Number.NaN),
      "numbers as texts": ([texts]) => texts.map(() => "1"),
      "whole numbers of another kind": ([texts]) => texts.map(() => 1n),
      "half a token": ([texts]) => texts.map(() => 0.5),
      "nothing in the place of one": ([texts]) => texts.map((_, index) => (index === 0 ? null : 1)),
    },
    wanted: ([texts]) => texts.length,
    part: (random) =>
      random.chance(0.97) ? random.pick([0, -0, 1, 7, 1000]) : random.pick([-1, 0.5, Number.NaN, "1", null]),
  },
};

/** Answers that no hook may return. */
const WRONG_TYPES = {
  "a text": () => "m3",
  "a number": () => 5,
  true: () => true,
  "a function": () => () => ["m3"],
  "a symbol": () => Symbol("m3"),
  "an object of a class": () => new (class Answer {})(),
};

/** Builds with a hook, and returns the result of its answers. */
async function ask(name, answer) {
  const { config: configOf, isRight } = HOOKS[name];
  const verdicts = [];
  const hook = (...question) => {
    const given = answer(question);
    // A rejected promise is never right. Only this line looks at it.
    verdicts.push(given instanceof Promise ? false : attempt(() => isRight(given, question)) === true);
    return given;
  };
  const outcome = {};
  try {
    outcome.context = await buildContext(messages, { ...config, ...configOf(hook) });
  } catch (error) {
    outcome.error = error;
  }
  assert.ok(verdicts.length > 0, "it was asked");
  return { ...outcome, isRight: verdicts.every(Boolean) };
}

const isAboutAnswers = ({ kind }) => kind === "answer-misunderstood" || kind.endsWith("-failed");

/** Fails if an answer was silently misread, or if a right one was rejected. */
async function check(name, answer) {
  const { context, error, isRight } = await ask(name, answer);
  if (name === "countTokens" && !isRight) {
    checkContextError(error, { code: "HOOK_FAILED", path: "countTokens" });
    return;
  }
  assert.equal(error, undefined);
  const notes = context.trace.notes.filter(isAboutAnswers);
  assert.equal(notes.length, isRight ? 0 : 1, JSON.stringify(notes));
  for (const { words } of notes) {
    assert.ok(words.startsWith(`${name} `), words);
    assert.ok(words.length <= 700, words);
  }
  const again = await replay(JSON.parse(JSON.stringify(context.recording)), messages);
  assert.deepEqual([again.same, again.differences], [true, []]);
  assert.deepEqual(again.context.trace, context.trace, "a replay says the same of it");
}

for (const [name, { right, wrong, part, wanted, takesText = false, answer = (_, parts) => parts }] of Object.entries(
  HOOKS,
)) {
  describe(`the answer of ${name}`, () => {
    test("is understood completely if it is valid", async () => {
      const { isRight } = await ask(name, right);
      assert.equal(isRight, true, "the test accepts a right answer");
      await check(name, right);
    });

    const { "a text": text, ...others } = WRONG_TYPES;
    const wrongTypes = takesText ? others : { "a text": text, ...others };
    for (const [what, give] of Object.entries({ ...wrong, ...wrongTypes })) {
      test(`leaves a note if it is invalid: ${what}`, async () => {
        const { isRight } = await ask(name, give);
        // `complete` answers with a text, and this one names nothing.
        assert.equal(isRight, false, "the test refuses a wrong answer");
        await check(name, give);
      });
    }

    test("leaves a note if a promise rejects", async () => {
      await check(name, () => Promise.reject(new Error("boom")));
    });

    test("may be null if that is documented", async () => {
      const { context, error } = await ask(name, () => null);
      assert.equal(name === "countTokens", error !== undefined);
      assert.deepEqual(context?.trace.notes.filter(isAboutAnswers) ?? [], []);
    });

    test("is never silently misread", async () => {
      let rightCount = 0;
      let count = 0;
      await forEachSeedAsync(async (random) => {
        const isLong = random.chance(0.1);
        const give = (question) => {
          const length = wanted === undefined ? random.integer(0, 4) : wanted(question) + (isLong ? 1 : 0);
          return answer(
            random,
            Array.from({ length }, () => part(random)),
          );
        };
        let given;
        // Returns the same answer again: except for counts, a hook is asked once or for one batch.
        const once = (question) => {
          given = name === "countTokens" ? give(question) : (given ?? give(question));
          return given;
        };
        const { isRight } = await ask(name, once);
        rightCount += isRight ? 1 : 0;
        count += 1;
        await check(name, name === "countTokens" ? give : () => given);
      });
      assertShare(rightCount, count, 30, "were right");
      assertShare(count - rightCount, count, 30, "were wrong");
    });
  });
}

describe("a note on an answer", () => {
  const noteOf = async (name, answer) => {
    const { context } = await ask(name, answer);
    return context.trace.notes.filter(isAboutAnswers).map(({ kind, words }) => [kind, words]);
  };

  test("names the hook, the amount, the beginning of the answer, and the fallback", async () => {
    assert.deepEqual(await noteOf("triage.select", () => ["m3", "nobody", { id: "m23" }]), [
      [
        "answer-misunderstood",
        'triage.select was understood in part: elements that name no candidate were ignored (2 of 3, first "nobody")',
      ],
    ]);
    assert.deepEqual(await noteOf("triage.complete", () => '{"relevant_ids": [3, "1"]} or {"relevant_ids": ['), [
      [
        "answer-misunderstood",
        'triage.complete was understood in part: elements that aren\'t the number of a candidate were ignored (1 of 2, first "\\"1\\""); ' +
          "a later list that is cut off or can't be read was ignored",
      ],
    ]);
    assert.deepEqual(await noteOf("recall.search", () => [{ text: "one", score: Number.NaN }, 5]), [
      [
        "answer-misunderstood",
        "recall.search was understood in part: an item was used without a score that isn't a finite number (1 of 2, first " +
          "NaN); elements that aren't items with a text were ignored (1 of 2, first 5)",
      ],
    ]);
    assert.deepEqual(await noteOf("tiers.summarize", () => ({ day4: "one", day3: "", other: "two" })), [
      [
        "answer-misunderstood",
        "tiers.summarize was understood in part: summaries of conversations that weren't asked about were ignored (1 of 3, " +
          'first "other"); a blank summary was replaced by an extract (1 of 3, first "")',
      ],
    ]);
  });

  test("says why nothing was understood, and that the config's own value applies", async () => {
    assert.deepEqual(await noteOf("triage.select", () => ["nobody"]), [
      [
        "triage-failed",
        "triage.select failed: windrow understood no part of its answer: elements that name no candidate were ignored (1 of 1, first " +
          '"nobody")',
      ],
    ]);
    assert.deepEqual(await noteOf("tiers.summarize", () => ["one"]), [
      ["summaries-failed", "tiers.summarize failed: answered a list of 1 for 3 conversations"],
    ]);
    const open = await buildContext(messages, { ...config, triage: { select: () => ["nobody"], onError: "keepAll" } });
    assert.equal(open.kept.length, messages.length);
  });

  test("is short after any answer", async () => {
    const long = "🧵".repeat(100_000);
    for (const [name, answer] of [
      ["triage.select", () => ["m3", long, Symbol(long), { id: long }]],
      ["triage.complete", () => `{"relevant_ids": [3, "${long}"]}`],
      ["recall.search", () => ["one", { text: "two", id: Symbol(long), source: [long], score: long, metadata: long }]],
      ["tiers.summarize", () => ({ day4: "one", [long]: "two" })],
    ]) {
      const [[kind, words], ...others] = await noteOf(name, answer);
      assert.deepEqual([kind, others], ["answer-misunderstood", []]);
      assert.ok(words.length < 700 && words.isWellFormed(), words);
    }
  });

  test("occurs once for each hook that was understood in part", async () => {
    const context = await buildContext(messages, {
      ...config,
      sections,
      recall: { search: () => ["one", null] },
      triage: { select: () => ["m3", null] },
    });
    const notes = context.trace.notes.filter(isAboutAnswers);
    assert.deepEqual(
      notes.map(({ words }) => words.split(" ")[0]),
      ["recall.search", "triage.select"],
    );
    assert.deepEqual((await replay(context.recording, messages)).context.trace, context.trace);
  });
});
