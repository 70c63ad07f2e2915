// Presets: plain configs, each of a documented system. They follow their documents, and can be spread and changed.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { buildContext, buildContextSync, presets, replay, searchFirst } from "windrow";
import { Random } from "../support/random.mjs";

const MINUTE = 60_000;
const NOW = Date.UTC(2025, 2, 20, 12);
/** @satisfies {import("windrow").ContextConfig} */
const config = { encoding: "estimate", now: NOW };

/** Exchanges one minute apart, with the last a minute ago. */
const exchanges = (count, more = {}) =>
  Array.from({ length: count }, (_, position) => {
    const createdAt = NOW - (count - position) * MINUTE;
    return [
      { id: `u${position}`, role: "user", content: `question ${position}`, createdAt, ...more },
      { id: `a${position}`, role: "assistant", content: `answer ${position}`, createdAt, ...more },
    ];
  }).flat();

const ids = (context) => context.kept.map(({ id }) => id);

/** Asserts that `whole` contains everything in `part`. */
function checkHas(whole, part, path = "") {
  for (const [key, value] of Object.entries(part)) {
    if (typeof value === "object" && value !== null) {
      checkHas(whole[key], value, `${path}.${key}`);
    } else {
      assert.deepEqual(whole[key] ?? null, value, `${path}.${key}`);
    }
  }
}

test("two are the package's own, and five are in the order of their documents", () => {
  assert.deepEqual(Object.keys(presets), ["steady", "relevant", "triaged", "turns", "tiered", "agent", "turnContract"]);
});

for (const [name, preset] of Object.entries(presets)) {
  describe(name, () => {
    test("is plain JSON data", () => {
      assert.deepEqual(JSON.parse(JSON.stringify(preset)), preset);
      assert.equal(Object.getPrototypeOf(preset), Object.prototype);
    });

    test("is accepted and recorded unchanged, and replays to the same context", async () => {
      const transcript = exchanges(30);
      const context = await buildContext(transcript, { ...preset, ...config, request: "And when?" });
      assert.ok(context.kept.length > 0);
      assert.equal(buildContextSync(transcript, { ...preset, ...config, request: "And when?" }).text, context.text);
      checkHas(context.recording.config, preset);
      const again = await replay(JSON.parse(JSON.stringify(context.recording)), transcript);
      assert.deepEqual([again.same, again.differences], [true, []]);
      assert.doesNotThrow(() => buildContextSync([], { ...preset, ...config }));
    });

    test("can be spread and changed without side effects", () => {
      const before = structuredClone(preset);
      const changed = { ...preset, ...config, window: { ...preset.window, lookbackCount: 1 }, request: "And when?" };
      const context = buildContextSync(exchanges(8), changed);
      // `triaged` always brings back its newest 3 exchanges, however small its window is.
      assert.ok(context.kept.length <= 6);
      assert.equal(context.recording.config.window.lookbackCount, 1);
      assert.deepEqual(preset, before);
    });

    test("doesn't depend on who is speaking", () => {
      const named = (name) =>
        ids(buildContextSync(exchanges(30, { name }), { ...preset, ...config, request: "And when?" }));
      assert.deepEqual(named("human:ann"), named("agent:boa"));
    });
  });
}

describe("triaged", () => {
  test("has the settings of document 000, with its values and in its order", () => {
    const { enabled, collect, filter, window, triage, render } = presets.triaged;
    assert.deepEqual(
      [enabled, window.lookbackCount, triage.skipSelectionThreshold, triage.model, triage.timeoutMs],
      [true, 25, 3, "fast", 30_000],
    );
    assert.deepEqual(
      [triage.useSelection, triage.alwaysIncludeRecent, render.maxReplyChars, window.recencyHours, window.minMessages],
      [true, 5, null, null, 10],
    );
    assert.deepEqual(
      [window.previousTasksCount, collect.fetchLimit, collect.cacheLimit, filter.excludeSources],
      [3, 100, 200, ["scheduled", "briefing"]],
    );
    assert.deepEqual(Object.keys(triage).slice(0, 5), [
      "skipSelectionThreshold",
      "model",
      "timeoutMs",
      "useSelection",
      "alwaysIncludeRecent",
    ]);
  });

  test("asks about all but the newest 5 of the last 25 exchanges, even with one option changed", async () => {
    let asked;
    const built = (triage) =>
      buildContext(exchanges(40), {
        ...presets.triaged,
        ...config,
        triage: {
          ...presets.triaged.triage,
          ...triage,
          select({ candidates }) {
            asked = candidates.length;
            return [];
          },
        },
        request: "And when?",
      });
    assert.equal((await built({})).kept.length, 10);
    assert.equal(asked, 20);
    assert.equal((await built({ alwaysIncludeRecent: 8 })).kept.length, 16);
    assert.equal(asked, 17);
  });

  test("is a line for each message, with the bot's actions, and without the request", () => {
    const [question, answer] = exchanges(1);
    const { text } = buildContextSync([question, { ...answer, actions: ["looked", "wrote"] }], {
      ...presets.triaged,
      ...config,
      timeZone: "Europe/Berlin",
      request: "And when?",
    });
    assert.equal(
      text,
      "[2025-03-20 12:59] User: question 0\n[2025-03-20 12:59] Bot: answer 0\n[Actions: looked | wrote]",
    );
  });

  test("leaves out background results, except in the newest exchanges", () => {
    const background = (count) => exchanges(count, { source: "scheduled" });
    const older = background(4).map((message) => ({
      ...message,
      id: `old ${message.id}`,
      createdAt: NOW - 10 * 60 * MINUTE,
    }));
    const context = buildContextSync([...older, ...exchanges(6)], { ...presets.triaged, ...config });
    assert.ok(ids(context).every((id) => !id.startsWith("old")));
    const newest = buildContextSync([...older, ...background(3)], { ...presets.triaged, ...config });
    assert.deepEqual(
      ids(newest),
      background(3).map(({ id }) => id),
    );
  });

  test("turned off, it has no history", () => {
    assert.equal(buildContextSync(exchanges(6), { ...presets.triaged, ...config, enabled: false }).kept.length, 0);
  });
});

describe("omissions and switches of the documents", () => {
  const call = (id) => ({ role: "assistant", content: "", toolCalls: [{ id, name: "look", arguments: "{}" }] });
  const result = (toolCallId) => ({ role: "tool", toolCallId, content: "SEEN" });

  test("0 means off for hours, days, turns and characters of one text", () => {
    const long = exchanges(30, { content: "x".repeat(500) }).map((message, position) => ({
      ...message,
      createdAt: NOW - (60 - position) * 24 * 60 * MINUTE,
    }));
    const of = (more) => buildContextSync(long, { ...config, render: { format: "text" }, ...more });
    const whole = of({});
    for (const more of [
      { window: { recencyHours: 0, minMessages: 0 } },
      { window: { maxUserTurns: 0 } },
      { filter: { maxAgeDays: 0 } },
      { render: { format: "text", maxReplyChars: 0 } },
      {
        sections: [
          { id: "history", kind: "history", limit: { chars: 0 } },
          { id: "request", kind: "request" },
        ],
      },
    ]) {
      assert.equal(of(more).text, whole.text, JSON.stringify(more));
    }
    const tiers = (maxAgeDays) => of({ tiers: { enabled: true, maxAgeDays } }).text;
    assert.equal(tiers(0), tiers(undefined));
  });

  test("triaged keeps 25 exchanges, with any posts and tool steps between them", () => {
    const random = new Random(3);
    for (let round = 0; round < 10; round += 1) {
      const noise = (at, createdAt) =>
        Array.from({ length: random.integer(0, 6) }, (_, step) => {
          const id = `${round} ${at} ${step}`;
          return [
            [{ role: "assistant", content: "post", source: "scheduled" }],
            [call(id), result(id)],
            [{ role: "assistant", content: "on it", tags: ["ack"] }],
            [{ role: "system", content: "joined" }],
          ][random.integer(0, 3)].map((message) => ({ ...message, createdAt }));
        }).flat();
      const plain = exchanges(40);
      const chat = plain.flatMap((message, at) => [message, ...(at % 2 === 0 ? noise(at, message.createdAt) : [])]);
      const off = { ...presets.triaged.triage, useSelection: false };
      const window = { ...presets.triaged.window, previousTasksCount: 0 };
      const { kept, text } = buildContextSync(chat, { ...presets.triaged, ...config, triage: off, window });
      assert.deepEqual(kept, plain.slice(-50));
      assert.ok(!text.includes("SEEN") && !text.includes("[Calling"));
    }
  });

  for (const name of ["triaged", "turns", "tiered"]) {
    test(`${name} shows the words next to a call, but neither calls nor results`, () => {
      const said = { ...call("c1"), content: "let me look" };
      const unanswered = { ...call("c2"), content: "and again" };
      const parts = {
        role: "assistant",
        content: [
          { type: "text", text: "in parts" },
          { type: "tool-call", toolCallId: "c3", toolName: "look", input: {} },
        ],
      };
      const results = {
        role: "user",
        content: [
          { type: "tool-result", toolCallId: "c3", output: "SEEN" },
          { type: "text", text: "thanks" },
        ],
      };
      const transcript = [
        { role: "user", content: "hi" },
        said,
        result("c1"),
        call("c9"),
        result("c9"),
        unanswered,
        parts,
        results,
        { role: "assistant", content: "done" },
      ];
      /** @type {any[]} */
      const dated = transcript.map((message) => ({ ...message, createdAt: NOW - MINUTE }));
      /** @type {any} */
      const { text, kept } = buildContextSync(dated, { ...presets[name], ...config, request: null });
      assert.deepEqual(
        kept,
        [0, 1, 5, 6, 7, 8].map((at) => dated[at]),
      );
      for (const words of ["hi", "let me look", "and again", "in parts", "thanks", "done"]) {
        assert.ok(text.includes(words), words);
      }
      assert.ok(!text.includes("SEEN") && !text.includes("[Calling"), text);
      /** @type {import("windrow").BuiltContext<any>} */
      const chat = buildContextSync(dated, { ...config, filter: { excludeToolCalls: true } });
      assert.equal(JSON.stringify(chat.messages).match(/SEEN|toolC|tool-/), null);
      assert.deepEqual(chat.kept, kept);
      assert.equal(chat.messages[1].shortened, true);
      assert.equal(chat.messages[0], dated[0]);
    });
  }

  test("a message that its author removed is never shown, even if the request replies to it", () => {
    const [first, ...others] = exchanges(3);
    const removed = { ...first, status: "deleted" };
    for (const preset of [...Object.values(presets), {}]) {
      const request = { role: "user", content: "that", replyTo: first.id };
      const { kept } = buildContextSync([removed, ...others], { ...preset, ...config, request });
      assert.ok(kept.length > 0 && !kept.includes(removed));
    }
  });

  test("the newest messages are required, however little room there is", () => {
    const transcript = exchanges(10, { content: "word ".repeat(10) });
    const built = (requiredNewest, budget) =>
      buildContextSync(transcript, {
        ...presets.agent,
        ...config,
        request: "And?",
        window: { ...presets.agent.window, requiredNewest },
        budget: { ...presets.agent.budget, ...budget },
      });
    assert.deepEqual(built(4, { maxTokens: 120 }).kept, transcript.slice(-built(4, { maxTokens: 120 }).kept.length));
    assert.ok(built(4, { maxTokens: 120 }).kept.length >= 4);
    assert.equal(built(4, {}).explain(19).reason, "required_newest");
    assert.throws(() => built(4, { maxTokens: 50 }), { code: "BUDGET_TOO_SMALL" });
    assert.ok(built(0, { maxTokens: 50 }).kept.length < 4);
  });
});

describe("turns", () => {
  const contents = {
    stageGuidance: "Answer first.",
    soul: "I am kind.",
    skills: null,
    tools: "TOOLS",
    skillsInventory: ["cook", "sing"],
    memory: "m".repeat(2000),
  };
  const built = (more = {}, transcript = exchanges(20, { sessionId: "terminal:main" })) =>
    buildContext(transcript, {
      ...presets.turns,
      ...config,
      sessionId: "terminal:main",
      request: "hi there",
      contents,
      recall: { ...presets.turns.recall, search: () => [{ text: "known", score: 0.9, metadata: { source: "a.md" } }] },
      ...more,
    });

  test("puts its sections in the order of document 001, the request last", async () => {
    const { text, sections } = await built();
    assert.deepEqual(
      sections.map(({ id }) => id),
      [
        ...["stageGuidance", "soul", "skills", "tools", "skillsInventory", "toolsInventory", "memory", "focus"],
        ...["recall", "history", "request"],
      ],
    );
    const order = [
      "Answer first.",
      "soul_identity_boundaries=\nI am kind.",
      "skills_frontmatter=\nSKILLS.md is missing.",
      "tools_frontmatter=\nTOOLS",
      "skills_inventory=\n- cook\n- sing",
      "tools_inventory=\n(none)",
      "memory_frontmatter=\nmmm",
      "focus_state=balanced (0.50)",
      "memory_rag_context=\n1. score=0.9000 source=a.md\n   known",
      "recent_conversation=\nRecent conversation context (oldest to newest):\nUser: question 8\nTakobot: answer 8",
      "Takobot: answer 19",
    ];
    let at = 0;
    for (const words of order) {
      const found = text.indexOf(words, at);
      assert.ok(found >= 0, words);
      at = found + words.length;
    }
    assert.ok(text.endsWith("user_message=hi there\n"), JSON.stringify(text.slice(-40)));
  });

  test("bounds its excerpts, its turns and its characters", async () => {
    const context = await built();
    const memory = context.sections.find(({ id }) => id === "memory").text;
    assert.equal(memory.length, 1200);
    assert.ok(memory.endsWith("..."));
    assert.equal(context.kept.length, 24);
    const long = exchanges(20, { content: "x".repeat(1000) });
    assert.equal((await built({}, long)).kept.length, 7);
    const [newest] = exchanges(1, { content: "x".repeat(10_000) });
    const { text } = await built({}, [newest]);
    assert.equal(text.match(/x{9,}/)[0].length, 8000 - 4 - 4);
  });

  test("shows fallback replies in a few words, and no commands", async () => {
    /** @type {any[]} */
    const [question, answer] = exchanges(1);
    const { text } = await built({}, [
      question,
      { ...answer, content: "Inference is unavailable right now. Much more." },
      { ...question, content: "/status", tags: ["command"] },
      { ...answer, content: "Last inference error: x. Detailed command logs: y" },
      { ...question, content: "why 'diagnostic status only'?" },
    ]);
    assert.equal(text.match(/Takobot: Inference unavailable fallback reply \(details omitted\)\./g).length, 2);
    assert.ok(!text.includes("/status") && text.includes("why 'diagnostic status only'?"));
  });

  test("recalls as broadly as the focus requires", async () => {
    const asked = async (recall) => {
      let limit;
      const search = ({ maxItems }) => {
        limit = maxItems;
      };
      await built({ recall: { ...presets.turns.recall, ...recall, search } });
      return limit;
    };
    assert.deepEqual(
      [
        await asked({ focus: "focused" }),
        await asked({}),
        await asked({ focusSignals: { d: 0.95, o: 0.2, s: 0.15, e: 0.2 } }),
      ],
      [4, 8, 16],
    );
  });

  test("is the same stack for any session", async () => {
    const other = exchanges(20, { sessionId: "xmtp:ab12" });
    const { text } = await built({ sessionId: "xmtp:ab12" }, [
      ...exchanges(3, { sessionId: "terminal:main", content: "not here" }),
      ...other,
    ]);
    assert.equal(text, (await built()).text);
  });
});

describe("tiered", () => {
  const DAY = 24 * 60 * MINUTE;
  const sitting = (id, endedAt, more) =>
    ["user", "assistant"].map((role, index) => ({
      id: `${id}-${role}`,
      role,
      content: `${id} says ${role}`,
      conversationId: id,
      createdAt: endedAt - (1 - index) * MINUTE,
      ...more,
    }));
  const transcript = [
    ...sitting("ancient", NOW - 9 * DAY),
    ...sitting("older", NOW - 4 * DAY),
    { role: "assistant", content: "About the boat.", summaryOf: "older", createdAt: NOW - 4 * DAY },
    ...sitting("yesterday", NOW - 26 * 60 * MINUTE),
    ...sitting("today", NOW - 3 * 60 * MINUTE),
    ...sitting("before", NOW - 30 * MINUTE),
    ...sitting("now", NOW - 2 * MINUTE),
  ];
  /** @returns {any} */
  const built = (more) => buildContextSync(transcript, { ...presets.tiered, ...config, ...more });

  test("shows conversations in the tiers of document 002", () => {
    const { conversations, text } = built();
    const shown = Object.fromEntries(
      conversations.filter(({ form }) => form !== "leftOut").map(({ id, tier, form }) => [id, `${tier} ${form}`]),
    );
    assert.deepEqual(shown, {
      now: "thread full",
      before: "thread full",
      today: "today full",
      yesterday: "yesterday extract",
      older: "older summary",
    });
    assert.ok(text.startsWith("<conversation-history>"));
    assert.ok(text.includes("CONTINUATION") && text.includes("About the boat."));
    assert.ok(!text.includes("older says") && !text.includes("ancient"));
    assert.ok(text.includes("[human 11:57] now says user\n[you 11:58] now says assistant"));
    assert.ok(text.indexOf("before says") < text.indexOf("now says"), "the thread is read from its beginning");
  });

  test("is bounded by 120,000 characters", () => {
    const { text } = buildContextSync(sitting("now", NOW, { content: "x".repeat(100_000) }), {
      ...presets.tiered,
      ...config,
    });
    assert.ok(text.length > 119_000 && text.length < 121_000);
  });

  test("may begin with the instruction to search first", () => {
    const { text } = built({ sections: [searchFirst, ...presets.tiered.sections] });
    assert.ok(text.startsWith("MANDATORY: Search Before Claiming Ignorance\n"));
    for (const mark of ["FAILURE", "CORRECT"]) {
      assert.equal(searchFirst.text.match(new RegExp(mark, "g")).length, 1);
    }
    assert.ok(text.indexOf("CORRECT") < text.indexOf("<conversation-history>"));
    assert.deepEqual(JSON.parse(JSON.stringify(searchFirst)), searchFirst);
  });
});

describe("agent", () => {
  const built = (more = {}, transcript = exchanges(20)) =>
    buildContext(transcript, {
      ...presets.agent,
      ...config,
      request: "Refactor it.",
      contents: { system: "You are helpful." },
      recall: {
        ...presets.agent.recall,
        search: () => ["K1", "K2", "K3", "K4"].map((text) => ({ text, source: `of ${text}` })),
      },
      ...more,
    });

  test("orders system prompt, memory, knowledge and task as document 003 says", async () => {
    const { messages } = await built();
    assert.deepEqual(
      messages.map(({ role, content }) => [role, content]),
      [
        ["system", "You are helpful."],
        ...exchanges(20)
          .slice(-10)
          .map(({ role, content }) => [role, content]),
        ["system", "📚 Knowledge: K1\n(Source: of K1)"],
        ["system", "📚 Knowledge: K2\n(Source: of K2)"],
        ["system", "📚 Knowledge: K3\n(Source: of K3)"],
        ["user", "Refactor it."],
      ],
    );
  });

  test("asks for knowledge with the request", async () => {
    let asked;
    const search = (question) => {
      asked = question;
    };
    await built({ recall: { ...presets.agent.recall, search } });
    assert.deepEqual([asked.query, asked.maxItems], ["Refactor it.", 3]);
  });

  test("keeps within 4000 tokens: system prompt, request and the newest", async () => {
    const long = exchanges(5, { content: "word ".repeat(700) });
    const { messages, tokens, kept } = await built({}, long);
    assert.ok(tokens.total <= 4000);
    assert.deepEqual(kept, long.slice(-kept.length));
    assert.ok(kept.length > 0 && kept.length < long.length);
    assert.deepEqual([messages[0].content, messages.at(-1).content], ["You are helpful.", "Refactor it."]);
  });

  test("merges two sources, and keeps to the session", async () => {
    const [question, answer] = exchanges(1, { sessionId: "s1" });
    const transcript = [
      question,
      answer,
      { ...question },
      ...exchanges(1).map((it) => ({ ...it, id: `none ${it.id}` })),
    ];
    assert.deepEqual(ids(await built({ sessionId: "s1" }, transcript)), ["u0", "a0"]);
    assert.equal((await built({}, transcript)).kept.length, 4);
  });
});

describe("turnContract", () => {
  const contents = {
    checkpoint: "Half is done.",
    pendingQueue: "Two wait.",
    lastStatus: "completed",
    memoryPointers: [{ id: "p1", text: "notes/a.md" }],
    toolSnippets: [{ id: "x1", text: "output ".repeat(100), summary: "It passed." }],
  };
  /** @returns {any} */
  const built = (maxTokens, more = {}, transcript = exchanges(20)) =>
    buildContextSync(transcript, {
      ...presets.turnContract,
      ...config,
      sessionId: "sess_1",
      turnId: "turn_1",
      request: "Go on.",
      budget: { ...presets.turnContract.budget, maxTokens },
      contents,
      ...more,
    });
  const form = (context) => context.sections.find(({ id }) => id === "toolSnippets").items[0].form;

  test("has the sources of document 004 in its order", () => {
    const { messages, snapshot, trimmed } = built(100_000);
    const beginnings = [
      ...["Last checkpoint: Half", "Pending queue: Two", "Last status: completed", "Memory pointers:\nnotes/a.md"],
      ...["Tool results:\noutput", "Go on."],
    ];
    messages.slice(-6).forEach(({ content }, index) => {
      assert.ok(content.startsWith(beginnings[index]), content);
    });
    assert.deepEqual(snapshot.sourceCounts, { messages: 40, memoryPointers: 1, toolSnippets: 1 });
    assert.deepEqual(
      [snapshot.sessionId, snapshot.turnId, snapshot.trimmed, snapshot.timestampMs],
      ["sess_1", "turn_1", false, NOW],
    );
    assert.match(snapshot.contextHash, /^ctx_/);
    assert.equal(trimmed, false);
  });

  test("over budget, all chat goes, the oldest first, before the first tool result becomes a summary", () => {
    const whole = built(100_000).tokens.total;
    const seen = { chat: 0, none: 0, summary: 0 };
    let before = 0;
    for (let maxTokens = 21; maxTokens <= whole; maxTokens += 1) {
      const context = built(maxTokens);
      const { kept, tokens, messages } = context;
      assert.ok(tokens.total <= Math.max(maxTokens, built(20).tokens.total));
      assert.deepEqual(kept, exchanges(20).slice(40 - kept.length), "the newest chat");
      const contentsOf = messages.map(({ content }) => content);
      assert.ok(contentsOf.includes("Last checkpoint: Half is done.") && contentsOf.at(-1) === "Go on.");
      assert.ok(kept.length >= before, `${maxTokens} tokens keep less chat than ${maxTokens - 1}`);
      assert.ok(form(context) === "full" || kept.length === 0, "chat next to a summary");
      before = kept.length;
      seen.chat += kept.length > 0 ? 1 : 0;
      seen.none += kept.length === 0 && form(context) === "full" ? 1 : 0;
      seen.summary += form(context) === "summary" ? 1 : 0;
    }
    assert.equal(before, 40);
    assert.ok(seen.chat > 0 && seen.none > 0 && seen.summary > 0, JSON.stringify(seen));
  });

  test("a larger budget never keeps less chat, and no chat is kept next to a reduced result", () => {
    const random = new Random(12);
    const words = (most) => "word ".repeat(random.integer(1, most));
    for (let round = 0; round < 40; round += 1) {
      const transcript = exchanges(random.integer(0, 8)).map((message) => ({ ...message, content: words(20) }));
      const snippets = Array.from({ length: random.integer(0, 4) }, (_, at) => ({
        id: `x${at}`,
        text: words(60),
        ...(random.chance(0.7) ? { summary: words(6) } : {}),
      }));
      const pointers = Array.from({ length: random.integer(0, 3) }, (_, at) => ({ id: `p${at}`, text: words(8) }));
      const more = {
        contents: {
          checkpoint: random.chance(0.7) ? words(9) : null,
          pendingQueue: random.chance(0.5) ? words(9) : null,
          memoryPointers: pointers,
          toolSnippets: snippets,
        },
      };
      const formsOf = ({ sections }) => JSON.stringify(sections.map(({ id, items, text }) => [id, items, text]));
      const unbounded = formsOf(built(null, more, transcript));
      let before = 0;
      for (let maxTokens = 1; maxTokens < 500; maxTokens += random.integer(1, 9)) {
        const context = built(maxTokens, more, transcript);
        const { kept } = context;
        assert.deepEqual(kept, transcript.slice(transcript.length - kept.length));
        assert.ok(kept.length >= before, `round ${round}, ${maxTokens} tokens`);
        assert.ok(kept.length === 0 || formsOf(context) === unbounded, `round ${round}, ${maxTokens} tokens`);
        assert.equal(context.messages.at(-1).content, "Go on.");
        const checkpoint = context.messages.some(({ content }) => content.startsWith("Last checkpoint: "));
        assert.equal(checkpoint, more.contents.checkpoint !== null);
        before = kept.length;
      }
    }
  });

  test("request and checkpoint stay at any cost, and the trace says so", () => {
    const context = built(20);
    assert.ok(context.tokens.total > 20);
    assert.equal(context.kept.length, 0);
    assert.deepEqual(
      context.messages.map(({ content }) => content),
      ["Last checkpoint: Half is done.", "Go on."],
    );
    const kinds = context.trace.notes.map(({ kind }) => kind);
    assert.ok(kinds.includes("context-trim") && kinds.includes("required-overflow"));
  });

  test("works without any optional part", () => {
    const { messages } = built(1000, { contents: { checkpoint: null, memoryPointers: undefined } }, []);
    assert.deepEqual(messages, [{ role: "user", content: "Go on." }]);
  });
});

describe("on the command line", () => {
  const program = fileURLToPath(new URL("../../../node_modules/.bin/windrow", import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), "windrow-presets-"));
  const transcript = exchanges(30);
  writeFileSync(join(folder, "chat.json"), JSON.stringify(transcript));
  after(() => rmSync(folder, { recursive: true }));

  const windrow = (...commandLine) => {
    const { stdout, stderr, status } = spawnSync(program, commandLine, { cwd: folder, encoding: "utf8" });
    return { stdout, stderr, status };
  };

  for (const name of Object.keys(presets)) {
    test(`--preset ${name} builds in its form`, async () => {
      const now = "2025-03-20T12:00:00Z";
      const { stdout, status } = windrow("build", "chat.json", "--preset", name, "--request", "And when?");
      assert.equal(status, 0);
      /** @type {any} */
      const { text, messages } = await buildContext(transcript, {
        ...presets[name],
        // A preset without a format is shown as text.
        render: { format: "text", ...presets[name].render },
        // The command line uses the host's clock. Nothing else may differ.
        ...(name === "tiered" ? {} : { now }),
        request: "And when?",
      });
      assert.equal(stdout, text === undefined ? `${JSON.stringify(messages, null, 2)}\n` : text.replace(/\n?$/, "\n"));
    });
  }

  test("options override a preset's, and the rest stays", () => {
    const build = (...more) => windrow("build", "chat.json", "--preset", "agent", ...more);
    // The newest user message and its answer form the turn, which no window counts.
    assert.equal(JSON.parse(build("--last", "2").stdout).length, 2 + 2);
    assert.equal(JSON.parse(build("--last", "2", "--request", "?").stdout).length, 2 + 1);
    const { recording } = JSON.parse(build("--format", "json", "--max-tokens", "50").stdout);
    assert.deepEqual([recording.config.budget.maxTokens, recording.config.window.lookbackCount], [50, 10]);
    assert.match(build("--format", "text").stdout, /^User: /);
    assert.match(build("--preset=turns").stderr, /passed twice/);
    const { stderr, status } = windrow("build", "chat.json", "--preset", "turn");
    assert.match(
      stderr,
      /--preset is one of steady, relevant, triaged, turns, tiered, agent, turnContract, not "turn"; did you mean turns\?/,
    );
    assert.equal(status, 2);
    const shown = JSON.parse(windrow("build", "chat.json", "--preset", "turns", "--format", "json").stdout);
    assert.equal(typeof shown.text, "string");
  });

  test("--recording appends a replayable line for each build", async () => {
    for (const request of ["And when?", "And where?"]) {
      const { status } = windrow("build", "chat.json", "--recording", "recordings.jsonl", "--request", request);
      assert.equal(status, 0);
    }
    const lines = readFileSync(join(folder, "recordings.jsonl"), "utf8").trimEnd().split("\n");
    assert.equal(lines.length, 2);
    for (const line of lines) {
      assert.equal((await replay(JSON.parse(line), transcript)).same, true);
    }
    const { stdout, stderr, status } = windrow("build", "chat.json", "--recording", "nowhere/recordings.jsonl");
    assert.equal(stdout, "");
    assert.match(stderr, /^windrow: nowhere\/recordings\.jsonl: .*\n$/);
    assert.equal(status, 2);
  });
});
