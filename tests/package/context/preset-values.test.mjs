// Every value of every preset matters: changing any of them changes the result for an input made for it.

import assert from "node:assert/strict";
import { describe, mock, test } from "node:test";
import { buildContext, presets } from "windrow";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2025, 2, 20, 6);

/** Returns the result of a build, or its error. A value that the config refuses doesn't count as different behavior. */
async function outcome(messages, config) {
  try {
    const context = await buildContext(messages, { encoding: "estimate", now: NOW, turnId: "turn", ...config });
    const { text, tokens, sections, focus, recall, conversations, trace, trimmed } = context;
    const { notes } = trace;
    return { text, messages: context.messages, tokens, sections, focus, recall, conversations, notes, trimmed };
  } catch (error) {
    if (error.code === "INVALID_CONFIG") {
      throw error;
    }
    return { code: error.code };
  }
}

/** Exchanges `pause` apart, with the last a minute ago. */
function exchanges(count, more = {}, pause = MINUTE) {
  return Array.from({ length: count }, (_, position) => {
    const createdAt = NOW - MINUTE - (count - 1 - position) * pause;
    return [
      { id: `u${position}`, role: "user", content: `question ${position}`, createdAt, ...more },
      { id: `a${position}`, role: "assistant", content: `answer ${position}`, createdAt, ...more },
    ];
  }).flat();
}

/**
 * Messages that aren't plain text: a system row, a tool call with words, a tool call alone, a result, a blank message.
 */
const rest = (at, more = {}) =>
  [
    { role: "system", content: "joined" },
    { role: "assistant", content: "let me look", toolCalls: [{ id: "c1", name: "look", arguments: "{}" }] },
    { role: "tool", content: "seen", toolCallId: "c1" },
    { role: "assistant", content: "", toolCalls: [{ id: "c2", name: "ask", arguments: "{}" }] },
    { role: "tool", content: "told", toolCallId: "c2" },
    { role: "assistant", content: "  " },
  ].map((message) => ({ ...message, createdAt: at, ...more }));

/** An old message about the request, before many others, which only ranking would keep. */
const withAnOldMatch = (count, more = {}) =>
  exchanges(count, more).map((message, position) =>
    position === 0 ? { ...message, content: "the zeppelin lands at noon" } : message,
  );

const inGroup = (preset, group, options) => ({ ...preset, [group]: { ...preset[group], ...options } });

const withLimit = (preset, id, limit) => ({
  ...preset,
  sections: preset.sections.map((section) =>
    section.id === id ? { ...section, limit: { ...section.limit, ...limit } } : section,
  ),
});

/** Triage's questions together with the result. Triage chooses the first candidate. */
async function triagedOutcome(
  messages,
  preset,
  answer = ({ candidates }) => candidates.slice(0, 1).map(({ id }) => id),
) {
  const asked = [];
  const select = (question) => {
    const { signal, candidates, ...more } = question;
    asked.push({ ...more, candidates: candidates.length });
    return answer(question);
  };
  const built = await outcome(messages, { ...inGroup(preset, "triage", { select }), request: "And when?" });
  return { asked, built };
}

/** Returns whether a build has given up on an unanswered triage question after each of these steps, in milliseconds. */
async function patience(preset) {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    let isSettled = false;
    const turns = async () => {
      for (let turn = 0; turn < 20; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const built = triagedOutcome(exchanges(10), preset, () => new Promise(() => {})).then(() => {
      isSettled = true;
    });
    const seen = [];
    await turns();
    for (const step of [29_998, 4, 1_000_000]) {
      mock.timers.tick(step);
      await turns();
      seen.push(isSettled);
    }
    await built;
    return seen;
  } finally {
    mock.timers.reset();
  }
}

const sourced = (source, count) => exchanges(count, { source });

/** A chat with an assistant, turn by turn, and the messages recalled for its last words. */
const steadyOutcome = (preset, ...groups) => {
  const config = groups.reduce((whole, [group, changes]) => inGroup(whole, group, changes), preset);
  const words = "harbour violin garden invoice kitchen train plumber window ticket letter candle river".split(" ");
  const about = (at) => Array.from({ length: 3 + (at % 5) }, (_, word) => words[(at * 5 + word * word) % words.length]);
  const chat = exchanges(90).map((message, at) => ({
    ...message,
    content: `${message.content} ${about(at).join(" ")}`,
  }));
  const built = [61, 99, 101, 103, 105, 131, 133, 149, 171].map((count) => outcome(chat.slice(0, count), config));
  return Promise.all(built);
};

const behaviours = {
  steady: {
    "turn by turn": (preset) => steadyOutcome(preset, ["budget", { maxTokens: 300 }]),
    "with little room": (preset) => steadyOutcome(preset, ["budget", { maxTokens: 120 }]),
  },
  relevant: {
    "turn by turn": (preset) => steadyOutcome(preset, ["budget", { maxTokens: 300 }]),
  },
  triaged: {
    "chat with everything in it": (preset) =>
      triagedOutcome(
        exchanges(40).flatMap((message, position) => [
          { ...message, ...(position === 75 ? { actions: Array.from({ length: 20 }, (_, at) => `did ${at}`) } : {}) },
          ...(position === 71 ? rest(message.createdAt) : []),
          ...(position === 77 ? [{ ...message, content: "on it", tags: ["ack"] }] : []),
          ...(position === 79 ? [{ ...message, content: "half", tags: ["progress"] }] : []),
          ...(position === 69 ? exchanges(1, { status: "failed", createdAt: message.createdAt }) : []),
          ...(position === 61 ? exchanges(1, { source: "scheduled", createdAt: message.createdAt }) : []),
          ...(position === 63 ? exchanges(1, { source: "briefing", createdAt: message.createdAt }) : []),
        ]),
        preset,
      ),
    "a small history": async (preset) => {
      const eager = inGroup(preset, "triage", { alwaysIncludeRecent: 1 });
      return [await triagedOutcome(exchanges(3), eager), await triagedOutcome(exchanges(4), eager)];
    },
    "no triage, and triage that fails": async (preset) => [
      await outcome(exchanges(12), preset),
      await triagedOutcome(exchanges(12), preset, () => {
        throw new Error("no model");
      }),
    ],
    "triage that never answers": patience,
    "hours with a floor": (preset) =>
      triagedOutcome(exchanges(24, {}, 2 * HOUR), inGroup(preset, "window", { recencyHours: 1 })),
    "a long mail thread": async (preset) => {
      const whole = inGroup(inGroup(preset, "window", { lookbackCount: null }), "triage", { useSelection: false });
      const posts = exchanges(210).flatMap((message) => [message, { ...message, source: "scheduled" }]);
      return [await outcome(posts, whole), await outcome(posts, inGroup(whole, "collect", { fetchLimit: null }))];
    },
    "background results at the end": async (preset) => [
      await outcome([...exchanges(4), ...sourced("scheduled", 2), ...sourced("briefing", 3)], preset),
      await outcome([...exchanges(4), ...sourced("briefing", 2), ...sourced("scheduled", 3)], preset),
    ],
    "a reply to a message long ago": (preset) =>
      outcome(exchanges(40), { ...preset, request: { content: "that", replyTo: "u2" } }),
    "little room": (preset) =>
      outcome(withAnOldMatch(20), { ...preset, request: "zeppelin", budget: { maxTokens: 120 } }),
  },

  turns: (() => {
    const contents = {
      stageGuidance: "Answer first.",
      soul: "s".repeat(3000),
      skills: "k".repeat(3000),
      tools: "t".repeat(3000),
      memory: "m".repeat(3000),
      skillsInventory: Array.from({ length: 40 }, (_, at) => `skill ${at}`),
      toolsInventory: Array.from({ length: 40 }, (_, at) => `tool ${at}`),
    };
    const session = "terminal:main";
    const build = async (preset, messages, more = {}) => {
      const asked = [];
      const search = ({ signal, ...question }) => {
        asked.push(question);
        return Array.from({ length: 20 }, (_, at) => ({
          text: `known ${at} ${"x".repeat(600)}`,
          score: 0.5,
          source: "a.md",
        }));
      };
      const recall = { ...preset.recall, search };
      return {
        built: await outcome(messages, { ...preset, recall, sessionId: session, request: "hi  there", ...more }),
        asked,
      };
    };
    const talk = exchanges(20, { sessionId: session });
    const fallbacks = [
      "Inference is unavailable right now. And more.",
      "I'm replying in fallback mode today.",
      "Diagnostic status only.",
      "Last inference error: x. Detailed command logs: y.",
    ];
    return {
      "a whole prompt": (preset) =>
        build(
          preset,
          [
            { role: "system", content: "first of all", createdAt: NOW - DAY, sessionId: session },
            ...talk,
            ...rest(NOW, { sessionId: session }),
            { role: "developer", content: "hidden", createdAt: NOW, sessionId: session },
            { role: "user", content: "/status", tags: ["command"], createdAt: NOW, sessionId: session },
            { role: "assistant", content: "all well", tags: ["diagnostic"], createdAt: NOW, sessionId: session },
            { role: "user", content: "of nobody's   session", createdAt: NOW },
            { role: "user", content: "elsewhere", createdAt: NOW, sessionId: "xmtp:1" },
          ],
          { contents },
        ),
      "an instruction before a short talk": (preset) =>
        build(preset, [{ role: "system", content: "x".repeat(9000), createdAt: NOW - DAY }, ...exchanges(2)], {}),
      "nothing at all": async (preset) => [
        await outcome([], preset),
        await outcome([], { ...preset, request: "hi" }),
        await outcome([], { ...inGroup(preset, "recall", { search: () => [] }), request: "hi" }),
      ],
      "long lists of long items": (preset) =>
        build(preset, talk, {
          contents: Object.fromEntries(
            ["skillsInventory", "toolsInventory"].map((id) => [id, contents[id].map((it) => it.padEnd(200, "."))]),
          ),
        }),
      "long messages": async (preset) => [
        await build(
          preset,
          withAnOldMatch(12).map((it) => ({ ...it, content: it.content.padEnd(500, " x") })),
          {
            request: "zeppelin",
          },
        ),
        await build(preset, [{ role: "user", content: "y".repeat(20_000) }]),
      ],
      "fallback replies, and a user who quotes them": (preset) =>
        build(
          preset,
          fallbacks.flatMap((content) => [
            { role: "user", content },
            { role: "assistant", content },
          ]),
        ),
      "broad and narrow focus": async (preset) => [
        await build(inGroup(preset, "recall", { focus: "diffuse" }), talk),
        await build(inGroup(preset, "recall", { focusSignals: { s: 1, e: 1 } }), talk),
      ],
      "recall with room": (preset) => build(inGroup(preset, "recall", { maxChars: 10_000, maxItems: 2 }), talk),
    };
  })(),

  tiered: (() => {
    const sitting = (id, endedAt, more = {}) =>
      ["user", "assistant"].map((role, at) => ({
        role,
        content: `${id} says ${role}`,
        conversationId: id,
        createdAt: endedAt - (1 - at) * MINUTE,
        ...more,
      }));
    const week = [
      ...sitting("beyond", NOW - 7 * DAY - HOUR),
      ...sitting("six days", NOW - 7 * DAY + 10 * HOUR),
      ...sitting("eight days", NOW - 8 * DAY + HOUR),
      ...sitting("yesterday morning", NOW - 25 * HOUR),
      ...sitting("last night", NOW - 10 * HOUR),
      ...sitting("today", NOW - 3 * HOUR),
      ...sitting("a pause of 31", NOW - 92 * MINUTE),
      ...sitting("a pause of 30", NOW - 61 * MINUTE),
      ...sitting("before", NOW - 30 * MINUTE),
      ...rest(NOW - MINUTE, { conversationId: "now" }),
      ...sitting("now", NOW - MINUTE),
    ];
    const long = [
      ...sitting("older", NOW - 3 * DAY),
      ...sitting("yesterday", NOW - 26 * HOUR, { content: "y".repeat(50_000) }),
      ...sitting("today", NOW - 3 * HOUR, { content: "t".repeat(80_000) }),
      ...sitting("now", NOW, { content: "n".repeat(30_000) }),
    ];
    return {
      "a week": (preset) => outcome(week, preset),
      "a thread by the minute": async (preset) =>
        Promise.all(
          [29, 30, 31].map((pause) =>
            outcome([...sitting("one", NOW - pause * MINUTE), ...sitting("two", NOW)], preset),
          ),
        ),
      "more than fits": (preset) => outcome(long, preset),
      "a thread that is cut": async (preset) => {
        const built = [];
        for (let chars = 100; chars < 1000; chars += 20) {
          const { text } = await outcome(
            sitting("now", NOW, { content: "n".repeat(400) }),
            withLimit(preset, "history", { chars }),
          );
          built.push(text);
        }
        return built;
      },
      "days by the day": async (preset) =>
        Promise.all(Array.from({ length: 10 }, (_, days) => outcome(sitting("one", NOW - days * DAY), preset))),
    };
  })(),

  agent: (() => {
    const build = async (preset, messages, more = {}) => {
      const asked = [];
      const search = ({ signal, ...question }) => {
        asked.push(question);
        return ["K1", "K2", "K3", "K4", "K5"].map((text) => ({ text, source: `of ${text}` }));
      };
      const recall = { ...preset.recall, search };
      const request = { role: "user", content: "Refactor it." };
      const contents = { system: "You are helpful." };
      return { built: await outcome(messages, { ...preset, recall, request, contents, ...more }), asked };
    };
    return {
      "a task": (preset) => build(preset, exchanges(20)),
      "sources that overlap, of several sessions": (preset) =>
        build(
          preset,
          [
            ...exchanges(2, { sessionId: "s1" }),
            ...exchanges(1, { sessionId: "s1" }),
            { role: "user", content: "of nobody's session", createdAt: NOW },
            { role: "user", content: "elsewhere", sessionId: "s2", createdAt: NOW },
          ],
          { sessionId: "s1" },
        ),
      "long memory": async (preset) => [
        await build(
          preset,
          withAnOldMatch(5).map((it) => ({ ...it, content: it.content.padEnd(3000, " word") })),
          {
            request: "zeppelin",
          },
        ),
        await build(
          preset,
          exchanges(2).map((it) => ({ ...it, content: "word ".repeat(5000) })),
        ),
      ],
      "a request that does not fit": (preset) => build(preset, exchanges(2), { request: "word ".repeat(20_000) }),
      "long knowledge": async (preset) => {
        const unbounded = inGroup(preset, "budget", { maxTokens: null });
        const found = (length) => ({ ...unbounded.recall, search: () => ["a", "b"].map((it) => it.repeat(length)) });
        return [
          await outcome([], { ...unbounded, request: "hi", recall: found(75_000) }),
          await outcome([], { ...unbounded, request: "hi", recall: found(150_000) }),
          await outcome([], { ...unbounded, request: "hi", recall: found(300_000) }),
        ];
      },
    };
  })(),

  turnContract: (() => {
    const contents = {
      checkpoint: "Half is done.",
      pendingQueue: "Two wait.",
      lastStatus: "completed",
      memoryPointers: [{ id: "p1", text: "notes/a.md" }],
      toolSnippets: [{ id: "x1", text: "output ".repeat(100), summary: "It passed." }],
    };
    const build = (preset, maxTokens, messages = exchanges(20)) =>
      outcome(messages, { ...inGroup(preset, "budget", { maxTokens }), contents, request: "zeppelin" });
    return {
      "all of it": (preset) => outcome(exchanges(20), { ...preset, contents, request: "Go on." }),
      "less and less room": async (preset) => {
        const built = [];
        for (let maxTokens = 400; maxTokens > 0; maxTokens -= 10) {
          built.push(await build(preset, maxTokens, withAnOldMatch(20)));
        }
        return built;
      },
    };
  })(),
};

/** Values to change a value to. */
function otherValues(value) {
  if (typeof value === "boolean") {
    return [!value];
  }
  if (typeof value === "number") {
    const shares = value > 0 && value <= 1 ? [value * 0.7] : [];
    return value <= 100 ? [value + 1, value - 1, ...shares] : [value * 2, Math.floor(value / 2)];
  }
  if (value === null) {
    return [1, "focused", { s: 1, e: 1 }];
  }
  // Another text, or one of the names that some option accepts.
  return [`${value} changed`, ...NAMES.filter((name) => name !== value)];
}

/** Names that some options accept. */
const NAMES = [
  ...["user", "tool", "strict", "all", "messages", "text", "xml", "conversations", "message", "exchange", "history"],
  ...["relevance", "recency", "keepAll", "recentOnly", "full", "summary", "none", "calendarDay", "stop", "error"],
  ...[
    "exceed",
    "shorten",
    "items",
    "recall",
    "focus",
    "request",
    "always",
    "optional",
    "rendered",
    "leaveOut",
    "indent",
  ],
];

/** Every change of one value of a preset: its path, the new value, and the changed preset. */
function* changesOf(value, change, path = "") {
  if (Array.isArray(value) && value.length === 0) {
    yield { path: `${path}[0]`, to: "{}", preset: change([{}]) };
  }
  if (typeof value === "object" && value !== null) {
    for (const [key, element] of Object.entries(value)) {
      const put = (changed) => {
        const copy = Array.isArray(value) ? [...value] : { ...value };
        copy[key] = changed;
        return change(copy);
      };
      yield* changesOf(element, put, path === "" ? key : `${path}.${key}`);
    }
    return;
  }
  for (const other of otherValues(value)) {
    const isTaken = yield { path, to: JSON.stringify(other), preset: change(other) };
    if (isTaken && typeof value === "string" && String(other).endsWith(" changed")) {
      return; // a text with arbitrary wording
    }
  }
}

/** Returns true if a config is refused, for example because `contents` names a section that was removed. */
async function isRefused(build) {
  try {
    await build();
    return false;
  } catch (error) {
    if (error.code === "INVALID_CONFIG") {
      return true;
    }
    throw error;
  }
}

for (const [name, preset] of Object.entries(presets)) {
  describe(name, () => {
    test("every value has an effect", async () => {
      const checks = Object.values(behaviours[name]);
      const usual = [];
      for (const check of checks) {
        usual.push(JSON.stringify(await check(preset)));
      }
      const tried = new Map();
      const unnoticed = [];
      const changes = changesOf(preset, (whole) => whole);
      for (let next = changes.next(); !next.done; next = changes.next(tried.get(next.value.path) > 0)) {
        const { path, to, preset: changed } = next.value;
        tried.set(path, tried.get(path) ?? 0);
        let isNoticed = false;
        if (await isRefused(() => outcome([], changed))) {
          continue; // the value can't be changed to this
        }
        for (let at = 0; at < checks.length && !isNoticed; at += 1) {
          let differs = false;
          const refused = await isRefused(async () => {
            differs = JSON.stringify(await checks[at](changed)) !== usual[at];
          });
          isNoticed = differs || refused;
        }
        tried.set(path, tried.get(path) + 1);
        if (!isNoticed) {
          unnoticed.push(`${path}: ${to}`);
        }
      }
      assert.deepEqual(unnoticed, []);
      assert.deepEqual(
        [...tried].filter(([, count]) => count === 0).map(([path]) => path),
        [],
        "each was changed",
      );
    });
  });
}
