// Hooks: the questions to each, the answers that it may return, and the rules for configs with hooks.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContext, buildContextSync, countTokens, createTranscript, presets, replay } from "windrow";
import { checkContextError, errorOf, wrong } from "../support/errors.mjs";

const START = Date.UTC(2025, 2, 20, 9);
const messages = Array.from({ length: 20 }, (_, position) => ({
  id: `m${position}`,
  role: position % 2 === 0 ? "user" : "assistant",
  content: `text ${position}`,
  createdAt: START + position * 60_000,
}));
const recent = ["m15", "m16", "m17", "m18", "m19"];
/** @satisfies {import("windrow").ContextConfig} */
const config = { encoding: "estimate", request: "And when?", now: START + 3_600_000 };

const ids = (context) => context.kept.map((message) => message.id);
const notes = (context) => context.trace.notes.map((note) => note.kind);
/** The only recorded answer. */
const answerOf = (context) => /** @type {any} */ (context.recording.answers[0]);

const triaged = (triage, more) => buildContext(messages, { ...config, ...more, triage });

describe("triage.select", () => {
  test("is asked once, about messages older than the guaranteed recent ones", async () => {
    const questions = [];
    const context = await triaged({
      model: "quick",
      select(question) {
        questions.push(question);
        return ["m3", "m1"];
      },
    });
    assert.deepEqual(ids(context), ["m1", "m3", ...recent]);
    const [{ request, candidates, model, signal }, ...others] = questions;
    assert.equal(others.length, 0);
    assert.deepEqual([request, model, signal instanceof AbortSignal], ["And when?", "quick", true]);
    assert.deepEqual(
      candidates.map(({ id }) => id),
      messages.slice(0, 15).map(({ id }) => id),
    );
    for (const [position, candidate] of candidates.entries()) {
      assert.ok(candidate.text.includes(`text ${position}`));
      assert.equal(candidate.messages.length, 1);
      assert.equal(candidate.messages[0], messages[position], "the caller's own object");
    }
    assert.equal(signal.aborted, false, "a hook that has answered is not aborted");
  });

  test("is shown exchanges if the window counts them", async () => {
    let shown;
    const context = await triaged(
      {
        alwaysIncludeRecent: 2,
        select({ candidates }) {
          shown = candidates;
          // Names a candidate by the object, by its second message, by its second message's id, and by its own id.
          return [candidates[0], candidates[1].messages[1], "m5", "m6"];
        },
      },
      { window: { unit: "exchange" } },
    );
    assert.deepEqual(shown[0].messages, messages.slice(0, 2));
    assert.deepEqual(
      ids(context),
      messages
        .slice(0, 8)
        .concat(messages.slice(16))
        .map(({ id }) => id),
    );
    assert.deepEqual(answerOf(context).ids, ["m0", "m2", "m4", "m6"]);
  });

  test("names messages without an id, or with a duplicate one, by their position", async () => {
    const transcript = messages.map(({ id, ...message }, position) =>
      position === 3 ? { id: "x", ...message } : message,
    );
    const shown = [];
    const context = await buildContext(transcript, {
      ...config,
      triage: {
        select({ candidates }) {
          shown.push(...candidates.map(({ id }) => id));
          return ["#2", "x", transcript[7]];
        },
      },
    });
    assert.deepEqual(shown.slice(0, 5), ["#0", "#1", "#2", "x", "#4"]);
    assert.deepEqual(
      context.kept.map((message) => transcript.indexOf(message)),
      [2, 3, 7, 15, 16, 17, 18, 19],
    );
  });

  const answers = {
    "a list of ids": ["m2"],
    "a set": new Set(["m2"]),
    "an iterable": (function* () {
      yield "m2";
    })(),
    "an id twice": ["m2", "m2"],
    "an object with an id": [{ id: "m2" }],
    "a message of the caller's": [messages[2]],
    "a promise of a promise": Promise.resolve(Promise.resolve(["m2"])),
    // biome-ignore lint/suspicious/noThenProperty: a library's own promise has one.
    "a thenable": { then: (resolve) => resolve(["m2"]) },
  };
  for (const [name, answer] of Object.entries(answers)) {
    test(`may answer ${name}`, async () => {
      const context = await triaged({ select: () => answer });
      assert.deepEqual(ids(context), ["m2", ...recent]);
      assert.deepEqual(context.recording.answers, [{ hook: "triage.select", outcome: "given", ids: ["m2"] }]);
      assert.deepEqual(notes(context), []);
    });
  }

  for (const [name, answer] of Object.entries({
    "candidates' ids among others": ["nobody", "m2", "m19", ""],
    "an invalid id next to a valid one": [
      null,
      undefined,
      5,
      2.5,
      true,
      {},
      ["m4"],
      () => "m4",
      Symbol("m4"),
      4n,
      "m2",
    ],
  })) {
    test(`may answer ${name}, with a note`, async () => {
      const context = await triaged({ select: () => answer });
      assert.deepEqual(ids(context), ["m2", ...recent]);
      assert.deepEqual(answerOf(context).ids, ["m2"]);
      assert.deepEqual(notes(context), ["answer-misunderstood"]);
    });
  }

  test("numbers are ids too", async () => {
    const numbered = messages.map((message, position) => ({ ...message, id: position }));
    const context = await buildContext(numbered, { ...config, triage: { select: () => [2, "4"] } });
    assert.deepEqual(ids(context).slice(0, 2), [2, 4]);
  });

  test("an empty answer is an answer", async () => {
    const context = await triaged({ select: () => [] });
    assert.deepEqual([ids(context), notes(context)], [recent, []]);
  });

  for (const nothing of [null, undefined]) {
    test(`${nothing} means that it is unavailable: everything stays, or the config decides`, async () => {
      const context = await triaged({ select: () => nothing });
      assert.equal(ids(context).length, messages.length);
      assert.deepEqual(notes(context), ["triage-unavailable"]);
      const strict = await triaged({ select: async () => nothing, onUnavailable: "recentOnly" });
      assert.deepEqual(ids(strict), recent);
    });
  }

  for (const nonsense of ["m2", "", 5, true, {}, { ids: ["m2"] }, () => ["m2"], Symbol("m2"), 5n]) {
    test(`${String(nonsense)} (${typeof nonsense}) is nonsense: the guaranteed recent stay, or the config decides`, async () => {
      const context = await triaged({ select: () => nonsense });
      assert.deepEqual([ids(context), notes(context)], [recent, ["triage-failed"]]);
      assert.match(answerOf(context).reason, /^answered .*, not a list$/);
      const open = await triaged({ select: () => nonsense, onError: "keepAll" });
      assert.equal(ids(open).length, messages.length);
    });
  }

  test("the message that the request replies to always stays", async () => {
    for (const select of [
      () => [],
      () => {
        throw new Error("no");
      },
    ]) {
      const context = await triaged({ select }, { request: { content: "And when?", replyTo: "m4" } });
      assert.deepEqual(ids(context), ["m4", ...recent]);
    }
  });

  test("isn't asked if there is nothing to choose", async () => {
    const select = () => assert.fail("it is asked");
    for (const [transcript, triage] of /** @type {any[][]} */ ([
      [[], {}],
      [messages.slice(0, 3), { alwaysIncludeRecent: 0 }],
      [messages.slice(0, 5), { skipSelectionThreshold: 0 }],
      [messages, { useSelection: false }],
    ])) {
      const context = await buildContext(transcript, { ...config, triage: { ...triage, select } });
      assert.equal(context.kept.length, transcript.length);
      assert.deepEqual(context.recording.answers, []);
    }
  });

  test("changes that a hook makes to its question have no effect", async () => {
    const context = await triaged({
      select({ candidates }) {
        for (const candidate of candidates) {
          candidate.id = "m0";
          candidate.messages.length = 0;
        }
        candidates.reverse();
        return candidates.slice(0, 1);
      },
    });
    assert.deepEqual(ids(context), ["m14", ...recent]);
  });
});

describe("triage.complete", () => {
  const answered = (text) => triaged({ complete: () => text });

  test("receives a prompt with the request and every candidate, and the model's role", async () => {
    let asked;
    await triaged({
      model: "quick",
      complete(...question) {
        asked = question;
        return '{"relevant_ids": []}';
      },
    });
    const [prompt, { model, signal }] = asked;
    assert.ok(prompt.includes("And when?"));
    for (let position = 0; position < 15; position++) {
      assert.ok(prompt.includes(`text ${position}`));
    }
    assert.ok(!prompt.includes("text 15"));
    assert.deepEqual([model, signal.aborted], ["quick", false]);
  });

  for (const [name, text] of Object.entries({
    plain: '{"relevant_ids": [2]}',
    fenced: '```json\n{"relevant_ids": [2]}\n```',
    "in prose": 'I think that these matter: {"relevant_ids": [2]}. Tell me if you need more.',
    repeated: '{"relevant_ids": [2, 2, 2]}',
    "out of range, and of other types": '{"relevant_ids": [2, 99, -1, null, "x", {}, [4]]}',
  })) {
    test(`its answer may be ${name}`, async () => {
      const context = await answered(text);
      assert.deepEqual(ids(context), ["m2", ...recent]);
      const { misunderstood, ...answer } = answerOf(context);
      assert.deepEqual(answer, { hook: "triage.complete", outcome: "given", ids: ["m2"] });
      assert.equal(misunderstood !== undefined, name.includes("other types"));
    });
  }

  test("null means that it is unavailable, and an answer without text is nonsense", async () => {
    assert.deepEqual(notes(await answered(null)), ["triage-unavailable"]);
    for (const nonsense of [["m2"], {}, 5, "", "I do not know.", '{"relevant_ids": [', '{"relevant_ids": "all"}']) {
      const context = await answered(nonsense);
      assert.deepEqual([ids(context), notes(context)], [recent, ["triage-failed"]], JSON.stringify(nonsense));
    }
  });
});

describe("recall.search", () => {
  /** @type {import("windrow").Section[]} */
  const sections = [
    { id: "found", kind: "recall", item: "{number} {source} {score} {text}", empty: "nothing" },
    { id: "request", kind: "request" },
  ];
  const recalled = (search, recall) =>
    buildContext([], { ...config, sections, recall: { ...recall, search }, render: { format: "text" } });

  test("is asked about the request, in the breadth of the focus", async () => {
    let asked;
    const context = await recalled(
      (question) => {
        asked = question;
        return [];
      },
      { focusSignals: { d: 0.56, o: 0.62, s: 0.88, e: 0.83 } },
    );
    const { signal, ...question } = asked;
    assert.deepEqual(question, { query: "And when?", maxItems: 4, maxChars: 900, focus: "focused" });
    assert.deepEqual([context.focus.level, context.focus.summary], ["focused", "focused (0.84)"]);
    assert.deepEqual([context.recall.status, context.recall.hits], ["ok", 0]);
  });

  test("may answer texts and items, with their own source or their metadata's", async () => {
    const context = await recalled(() => [
      "one",
      { text: "two", source: "a.md", score: 0.5, id: 7 },
      { text: "three", metadata: { source: "b.md" }, score: Number.NaN },
      { text: "four", source: 5, metadata: null, more: true },
    ]);
    assert.deepEqual(answerOf(context).items, [
      { id: null, text: "one", source: null, score: null },
      { id: "7", text: "two", source: "a.md", score: 0.5 },
      { id: null, text: "three", source: "b.md", score: null },
      { id: null, text: "four", source: null, score: null },
    ]);
    const [section] = context.sections;
    assert.match(section.text, /^1 .* one\n2 a\.md 0\.5000 two\n3 b\.md .* three\n4 .* four$/);
    assert.deepEqual(context.recall, { status: "ok", hits: 4 });
  });

  test("a value that isn't an item is left out, with a note", async () => {
    const broken = {
      get text() {
        throw new Error("no");
      },
    };
    const context = await recalled(() => [null, 5, {}, { text: 5 }, ["one"], broken, "two"]);
    assert.equal(context.sections[0].text.split("\n").length, 1);
    assert.ok(context.sections[0].text.endsWith("two"));
    assert.deepEqual(notes(context), ["answer-misunderstood"]);
  });

  test("every failure leaves a note, and the section shows its fallback", async () => {
    for (const [search, status] of [
      [() => null, "unavailable"],
      [() => Promise.reject(new Error("no")), "failed"],
      [() => "one", "failed"],
      [() => new Promise(() => {}), "failed"],
    ]) {
      const context = await recalled(search, { timeoutMs: 20, unavailable: "no memory" });
      assert.equal(context.recall.status, status);
      assert.deepEqual(notes(context), [`recall-${status}`]);
      assert.ok(["nothing", "no memory"].includes(context.sections[0].text));
    }
  });
});

describe("tiers.summarize", () => {
  const day = 86_400_000;
  const conversation = (id, daysAgo) =>
    ["user", "assistant"].map((role, index) => ({
      role,
      content: `${id} ${role}`,
      conversationId: id,
      createdAt: START - daysAgo * day + index * 60_000,
    }));
  const transcript = [...conversation("a", 3), ...conversation("b", 2), ...conversation("c", 0)];
  const tiered = (summarize, tiers) =>
    buildContext(transcript, {
      ...presets.tiered,
      encoding: "estimate",
      now: START + 3_600_000,
      tiers: { ...presets.tiered.tiers, ...tiers, summarize },
    });

  test("is asked once for all conversations that need a summary", async () => {
    const questions = [];
    await tiered((question) => {
      questions.push(question);
      return [];
    });
    const [{ conversations, maxChars, signal }, ...others] = questions;
    assert.equal(others.length, 0);
    assert.deepEqual(conversations.map(({ id }) => id).sort(), ["a", "b"]);
    for (const { id, text, messages } of conversations) {
      assert.ok(text.includes(`${id} user`) && text.includes(`${id} assistant`));
      assert.ok(messages.every((message) => transcript.includes(message)));
    }
    assert.ok(maxChars > 0 && signal instanceof AbortSignal);
  });

  test("may answer a list in their order, or an object or map by their ids", async () => {
    for (const summarize of [
      ({ conversations }) => conversations.map(({ id }) => `about ${id}`),
      () => ({ a: "about a", b: "about b", constructor: "nobody" }),
      () =>
        new Map([
          ["b", "about b"],
          ["a", "about a"],
        ]),
    ]) {
      const context = await tiered(summarize);
      assert.ok(context.text.includes("about a") && context.text.includes("about b"));
      assert.ok(!context.text.includes("a user"));
      const forms = Object.fromEntries(context.conversations.map(({ id, form }) => [id, form]));
      assert.deepEqual(forms, { a: "summary", b: "summary", c: "full" });
    }
  });

  test("a conversation without a summary is shown by an extract", async () => {
    for (const summarize of [
      ({ conversations }) => conversations.map(({ id }) => (id === "a" ? "about a" : null)),
      () => ({ a: "about a", b: 5 }),
    ]) {
      const context = await tiered(summarize);
      assert.equal(context.conversations.find(({ id }) => id === "a").form, "summary");
      assert.equal(context.conversations.find(({ id }) => id === "b").form, "extract");
    }
  });

  test("if it fails or is unavailable, extracts replace all summaries", async () => {
    for (const summarize of [
      () => null,
      () => "a summary",
      () => {
        throw new Error("no");
      },
      () => new Promise(() => {}),
    ]) {
      const context = await tiered(summarize, { timeoutMs: 20 });
      assert.deepEqual(
        context.conversations
          .filter(({ form }) => form === "extract")
          .map(({ id }) => id)
          .sort(),
        ["a", "b"],
      );
    }
  });
});

describe("countTokens", () => {
  const letters = (texts) => texts.map((text) => text.length);

  test("counts instead of an encoding, in batches, and no text twice", async () => {
    const seen = [];
    const context = await buildContext(messages, {
      ...config,
      encoding: undefined,
      budget: { maxTokens: 150 },
      countTokens(texts, { signal }) {
        assert.ok(signal instanceof AbortSignal);
        seen.push(...texts);
        return letters(texts);
      },
    });
    assert.equal(context.tokens.encoding, "countTokens");
    assert.equal(new Set(seen).size, seen.length);
    assert.ok(context.recording.answers.length <= 3);
    assert.ok(context.tokens.total <= 150 && context.kept.length > 3);
    const sum = context.messages.reduce((total, { role, content }) => total + 3 + role.length + content.length, 3);
    assert.equal(context.tokens.total, sum);
    assert.equal(typeof context.explain("m0").tokens, "number");
  });

  test("may be asynchronous, and return a typed array", async () => {
    const one = await buildContext(messages, { ...config, countTokens: letters });
    const other = await buildContext(messages, {
      ...config,
      countTokens: async (texts) => Uint32Array.from(letters(texts)),
    });
    assert.equal(one.tokens.total, other.tokens.total);
  });

  test("counts beyond 32 and 53 bits are exact", async () => {
    const countAs = (count) => (texts) => texts.map(() => count);
    const budget = { maxTokens: 5 };
    for (const more of [
      { countTokens: countAs(Number.MAX_SAFE_INTEGER), budget },
      { budget: { ...budget, tokensPerMessage: 2 ** 53 - 1 } },
    ]) {
      const error = await errorOf(() => buildContext(messages, { ...config, ...more }));
      checkContextError(error, { code: "BUDGET_TOO_SMALL" });
      assert.ok(error.needed > 2 ** 53 - 2 && error.available <= 5);
    }
    const context = await buildContext(messages, { ...config, countTokens: countAs(2 ** 33) });
    assert.ok(context.kept.length > 0 && context.kept.every(({ id }) => context.explain(id).tokens > 2 ** 33));
    assert.ok(context.tokens.total > context.kept.length * 2 ** 33);
  });

  /** @type {Record<string, (texts: readonly string[]) => any>} */
  const misfits = {
    "too few": (texts) => letters(texts).slice(1),
    "too many": (texts) => [...letters(texts), 1],
    "half a token": (texts) => texts.map(() => 0.5),
    "less than nothing": (texts) => texts.map(() => -1),
    "no number": (texts) => texts.map(() => Number.NaN),
    "a text": (texts) => texts.map(() => "1"),
    "nothing for a text": (texts) => texts.map(() => undefined),
    "no list": () => 5,
    nothing: () => null,
    "an error": () => {
      throw new Error("the model is not there");
    },
    "too late": () => new Promise(() => {}),
  };
  for (const [name, hook] of Object.entries(misfits)) {
    test(`${name} fails the build`, async () => {
      const error = await errorOf(() =>
        buildContext(messages, { ...config, countTokens: hook, budget: { timeoutMs: 20 } }),
      );
      checkContextError(error, { code: "HOOK_FAILED" });
      if (name === "an error") {
        assert.equal(error.cause.message, "the model is not there");
      }
    });
  }
});

describe("a config with hooks", () => {
  test("two forms of one hook are an error", async () => {
    const error = await errorOf(() => triaged({ select: () => [], complete: () => "" }));
    checkContextError(error, { code: "INVALID_CONFIG", path: "triage.complete", message: /pass only one of them/ });
  });

  for (const [path, bad] of /** @type {[path: string, bad: any][]} */ ([
    ["triage.select", { triage: { select: ["m1"] } }],
    ["triage.complete", { triage: { complete: "text" } }],
    ["recall.search", { recall: { search: {} } }],
    ["recall.embed", { recall: { embed: [[1]] } }],
    ["tiers.summarize", { tiers: { summarize: true } }],
    ["compact.summarize", { compact: { summarize: "text" } }],
    ["countTokens", { countTokens: 4 }],
    ["signal", { signal: "now" }],
    ["signal", { signal: { aborted: false } }],
  ])) {
    test(`${path} must have the right type: ${JSON.stringify(bad)}`, async () => {
      checkContextError(await errorOf(() => buildContext(messages, { ...config, ...bad })), {
        code: "INVALID_CONFIG",
        path,
      });
    });
  }

  test("null counts as no hook, and a throwing getter is an error", async () => {
    const context = await buildContext(messages, {
      ...config,
      triage: { select: null, complete: undefined },
      recall: { search: null },
      tiers: { summarize: null },
      countTokens: null,
      signal: null,
      contents: null,
    });
    assert.deepEqual([context.recording.hooks, context.kept.length], [[], messages.length]);
    const triage = {
      get select() {
        throw new Error("no");
      },
    };
    checkContextError(await errorOf(() => triaged(triage)), { code: "INVALID_CONFIG" });
  });

  test("a hook may be a method of a class", async () => {
    class Triage {
      alwaysIncludeRecent = 2;
      #chosen = ["m1"];
      select() {
        return this.#chosen;
      }
    }
    assert.deepEqual(ids(await triaged(new Triage())), ["m1", "m18", "m19"]);
  });

  test("an error about a misspelled hook names the right one, and one about another function lists the hooks", async () => {
    for (const [options, path, message] of /** @type {[options: any, path: string, message: any][]} */ ([
      [{ recall: { embedd: () => [] } }, "recall.embedd", /did you mean recall\.embed\?/],
      [{ embed: () => [] }, "embed", /did you mean recall\.embed\?/],
      [{ triage: { selectt() {} } }, "triage.selectt", /did you mean triage\.select\?/],
      [{ later() {} }, "later", /is a function, but not a hook/],
    ])) {
      const error = await errorOf(() => buildContext(messages, options));
      checkContextError(error, { code: "INVALID_CONFIG", path, message });
    }
    const { nextAction } = await errorOf(() => buildContext(messages, wrong({ later() {} })));
    assert.match(nextAction, /recall\.search/);
  });

  test("a misspelled option next to a hook is still an error", async () => {
    const error = await errorOf(() => triaged({ select: () => [], alwaysIncludRecent: 5 }));
    checkContextError(error, { code: "INVALID_CONFIG", path: "triage.alwaysIncludRecent", message: /did you mean/ });
  });

  test("synchronous calls refuse hooks and signals", async () => {
    for (const [path, given] of /** @type {[path: string, given: any][]} */ ([
      ["triage.select", { triage: { select: () => [] } }],
      ["triage.complete", { triage: { complete: () => "" } }],
      ["recall.search", { recall: { search: () => [] } }],
      ["recall.embed", { recall: { embed: () => [] } }],
      ["tiers.summarize", { tiers: { summarize: () => [] } }],
      ["compact.summarize", { budget: { maxTokens: 100, cut: {} }, compact: { summarize: () => "" } }],
      ["countTokens", { countTokens: () => [] }],
      ["signal", { signal: new AbortController().signal }],
    ])) {
      const error = await errorOf(() => buildContextSync(messages, { ...config, ...given }));
      checkContextError(error, { code: "INVALID_CONFIG", path });
      assert.match(error.nextAction, /buildContext/);
    }
    const error = await errorOf(() => countTokens("text", wrong({ encoding: "estimate", countTokens: () => [] })));
    checkContextError(error, { kind: "token_count_error", code: "INVALID_CONFIG", path: "countTokens" });
  });

  test("the existing hooks are recorded, and are part of the replay", async () => {
    const context = await triaged({ select: () => ["m1"] }, { countTokens: (texts) => texts.map(() => 1) });
    assert.deepEqual([...context.recording.hooks].sort(), ["countTokens", "triage.select"]);
    assert.equal((await replay(context.recording, messages)).same, true);
  });
});

describe("contents", () => {
  const sections = [
    { id: "soul", kind: "text", text: "a default", empty: "no soul" },
    { id: "notes", kind: "items", label: "Notes: " },
    { id: "history", kind: "history" },
    { id: "request", kind: "request" },
  ];
  /** @returns {any} */
  const built = (contents, more) =>
    buildContextSync(messages.slice(0, 2), { ...config, sections, contents, ...more, render: { format: "text" } });

  test("fill sections, and leave the sections themselves unchanged", () => {
    const context = built({ soul: "I am", notes: ["one", { id: "n2", text: "two" }] });
    assert.ok(context.text.includes("I am") && context.text.includes("Notes: one\n two"));
    assert.deepEqual(
      context.sections[1].items.map(({ id }) => id),
      [null, "n2"],
    );
    assert.equal(sections[0].text, "a default");
    assert.equal(sections[1].items, undefined);
    assert.ok(built(undefined).text.includes("a default"));
    assert.ok(built({}).text.includes("a default"));
  });

  test("null and undefined leave a section empty", () => {
    for (const nothing of [null, undefined]) {
      const context = built({ soul: nothing, notes: nothing });
      assert.ok(context.text.includes("no soul") && !context.text.includes("default"));
    }
  });

  test("are recorded as part of the sections", async () => {
    const { recording } = built({ soul: "I am" });
    assert.equal(recording.config.sections[0].text, "I am");
    assert.equal(recording.config.contents, undefined);
    assert.equal((await replay(recording, messages)).same, true);
  });

  for (const [contents, path, message] of /** @type {[contents: any, path: string, message: any][]} */ ([
    [{ sole: "I am" }, "contents.sole", /there are "soul", "notes"/],
    [{ sole: null }, "contents.sole", /there are/],
    [{ soul: ["I am"] }, "contents.soul", /takes a text/],
    [{ soul: 5 }, "contents.soul", /takes a text/],
    [{ notes: "one" }, "contents.notes", /takes a list/],
    [{ history: "one" }, "contents.history", /takes no contents/],
    [{ request: null }, "contents.request", /takes no contents/],
    [{ notes: [5] }, "contents.notes[0]", /./],
    [{ notes: [{ txt: "one" }] }, "contents.notes[0].txt", /did you mean contents\.notes\[0\]\.text/],
    [{ soul: () => "I am" }, "contents.soul", /./],
    ["soul", "contents", /expected an object/],
    [["soul"], "contents", /expected an object/],
  ])) {
    test(`of the wrong type are an error at their place: ${JSON.stringify(contents)}`, async () => {
      checkContextError(await errorOf(() => built(contents)), { code: "INVALID_CONFIG", path, message });
    });
  }

  test("without sections there is nothing to fill", async () => {
    const error = await errorOf(() => built({ soul: "I am" }, { sections: undefined }));
    checkContextError(error, { code: "INVALID_CONFIG", path: "contents.soul", message: /no section takes contents/ });
  });
});

describe("tools", () => {
  const built = (tools) => buildContextSync(messages, { ...config, budget: { tools } });

  test("any JSON is accepted, and a text is JSON already", async () => {
    const tool = { name: "find", parameters: { type: "object", properties: { a: { b: { c: { d: [[[1]]] } } } } } };
    const context = built([tool]);
    assert.deepEqual(context.recording.config.budget.tools, [JSON.stringify(tool)]);
    assert.ok(context.tokens.total > built([]).tokens.total);
    assert.equal(built([JSON.stringify(tool)]).snapshot.contextHash, context.snapshot.contextHash);
    assert.equal((await replay(context.recording, messages)).same, true);
  });

  test("a value that JSON can't express is an error at its place", async () => {
    const cycle = {};
    cycle.self = cycle;
    for (const [tools, path] of /** @type {[tools: any, path: string][]} */ ([
      [[{}, undefined], "budget.tools[1]"],
      [[() => {}], "budget.tools[0]"],
      [[cycle], "budget.tools[0]"],
      [[5n], "budget.tools[0]"],
      [[null], "budget.tools[0]"],
      [["find"], "budget.tools[0]"],
      ["find", "budget.tools"],
    ])) {
      checkContextError(await errorOf(() => built(tools)), { code: "INVALID_CONFIG", path });
    }
  });
});

describe("the time zone", () => {
  const at = (time) => [{ role: "user", content: "x", createdAt: time }];
  const shown = (transcript, timeZone) =>
    buildContextSync(transcript, { encoding: "estimate", now: 0, timeZone, render: { format: "text", times: true } });

  test("applies to each moment, on both sides of a clock change", () => {
    const moments = [
      ["2025-03-30T00:59:59Z", "01:59"],
      ["2025-03-30T01:00:00Z", "03:00"],
      ["2025-10-26T00:59:59Z", "02:59"],
      ["2025-10-26T01:00:00Z", "02:00"],
      ["1985-07-01T12:00:00Z", "14:00"],
      ["1970-07-01T12:00:00Z", "13:00"],
    ];
    for (const [moment, clock] of moments) {
      assert.ok(shown(at(moment), "Europe/Berlin").text.includes(clock), moment);
    }
    const all = shown(
      moments.map(([moment]) => at(moment)[0]),
      "Europe/Berlin",
    ).text;
    assert.ok(moments.every(([, clock]) => all.includes(clock)));
  });

  test("in other places too, with offsets of half and quarter hours, and a day that never was", () => {
    for (const [zone, moment, day, clock] of [
      ["Asia/Kathmandu", "2025-01-01T00:00:00Z", "2025-01-01", "05:45"],
      ["Australia/Lord_Howe", "2025-07-01T00:00:00Z", "2025-07-01", "10:30"],
      ["Australia/Lord_Howe", "2025-12-01T00:00:00Z", "2025-12-01", "11:00"],
      ["America/St_Johns", "2025-01-01T00:00:00Z", "2024-12-31", "20:30"],
      ["Pacific/Apia", "2011-12-30T09:59:00Z", "2011-12-29", "23:59"],
      ["Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-31", "00:00"],
      ["UTC", "2025-01-01T00:00:00Z", "2025-01-01", "00:00"],
    ]) {
      assert.match(shown(at(moment), zone).text, new RegExp(`${day}.${clock}`), `${zone} ${moment}`);
    }
  });

  test("its offsets are recorded: from the first moment on, and then every change", () => {
    const transcript = [...at("2024-06-01T00:00:00Z"), ...at("2025-06-01T00:00:00Z")];
    const { zoneOffsets } = shown(transcript, "Europe/Berlin").recording;
    const inRange = zoneOffsets.filter(([since]) => since > Date.UTC(2024, 5, 1));
    assert.deepEqual(inRange.slice(0, 2), [
      [Date.UTC(2024, 9, 27, 1), 60],
      [Date.UTC(2025, 2, 30, 1), 120],
    ]);
    assert.ok(zoneOffsets[0][0] <= Date.UTC(2024, 5, 1));
  });

  test("doesn't depend on earlier builds", () => {
    const transcript = at("2025-03-30T02:00:00Z");
    const before = shown(transcript, "Europe/Paris").recording.zoneOffsets;
    shown([...at("1930-01-01T00:00:00Z"), ...at("2090-01-01T00:00:00Z")], "Europe/Paris");
    assert.deepEqual(shown(transcript, "Europe/Paris").recording.zoneOffsets, before);
  });

  test("a message may claim any year at no cost", (t) => {
    const { get } = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, "format");
    const looks = t.mock.getter(Intl.DateTimeFormat.prototype, "format", get).mock;
    const year = 31_556_952_000;
    for (const span of [50 * year, 8.64e15]) {
      const transcript = [{ role: "user", content: "x", createdAt: -span }, ...at(span)];
      const { recording } = shown(transcript, "America/Denver");
      assert.ok(recording.zoneOffsets.length <= 4000);
    }
    // A lookup at each end of 14 days from 1900 to 2100, and some fifteen for each clock change.
    assert.ok(looks.callCount() > 0 && looks.callCount() < 20_000, `${looks.callCount()} looks`);
  });

  test("an unknown one is an error", async () => {
    for (const timeZone of ["Mars/Olympus_Mons", "", "Europe/Berlin\n"]) {
      for (const run of [() => shown(at(0), timeZone), () => buildContext(messages, { ...config, timeZone })]) {
        checkContextError(await errorOf(run), { code: "INVALID_CONFIG", path: "timeZone" });
      }
    }
  });
});

describe("a failed build", () => {
  test("reports that the turn failed, and records it", async () => {
    const error = await errorOf(() =>
      buildContext(wrong("not a list"), { sessionId: "sess_1", turnId: "turn_1", now: "2026-03-01T11:00:00" }),
    );
    checkContextError(error, { code: "INVALID_TRANSCRIPT" });
    assert.equal(error.terminal, "failed");
    assert.deepEqual(error.record, {
      type: "failure",
      kind: "context_build_error",
      terminal: "failed",
      code: "INVALID_TRANSCRIPT",
      message: error.message,
      path: null,
      nextAction: error.nextAction,
      sessionId: "sess_1",
      turnId: "turn_1",
      timestampMs: Date.UTC(2026, 2, 1, 11),
    });
    assert.deepEqual(JSON.parse(JSON.stringify(error.record)), error.record);
  });

  test("does so whatever its cause, also in synchronous calls, with the host's clock by default", async () => {
    const before = Date.now();
    for (const run of [
      () => buildContext(messages, wrong({ budget: { maxToken: 5 } })),
      () => buildContextSync(messages, wrong({ budget: { maxToken: 5 } })),
      () => buildContext(messages, { ...config, now: undefined, budget: { maxTokens: 1 } }),
      () => buildContext([{ role: "nobody" }]),
      () => buildContext(messages, wrong(5)),
    ]) {
      const error = await errorOf(run);
      checkContextError(error);
      const { terminal, sessionId, turnId, timestampMs } = error.record;
      assert.deepEqual([terminal, sessionId, turnId], ["failed", null, null]);
      assert.ok(timestampMs >= before && timestampMs <= Date.now());
    }
  });

  test("other failures don't belong to a turn", async () => {
    const error = await errorOf(() => createTranscript(wrong("no list")));
    checkContextError(error, { kind: "transcript_error" });
    assert.deepEqual([error.terminal, error.record], [undefined, undefined]);
  });
});
