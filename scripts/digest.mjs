// Checks that contexts stay the same: builds 5,000 of them from seeds, and compares the results with an earlier run.
// For refactorings that must not change behavior.
//
//   npm run digest -- --write FILE      before the change
//   npm run digest -- --compare FILE    after the change: names each build that differs
//   npm run digest -- --show SEED       shows the result of one build

import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "./build.mjs";
import { Failure, runProgram } from "./project.mjs";
import { setUp } from "./setup.mjs";

const BUILD_COUNT = 5000;

/** Options that were renamed since a file was written, as pairs of paths: old and new. */
const RENAMED_OPTIONS = [];
/** Reasons that were renamed since, by their new names. */
const RENAMED_REASONS = new Map();

const START = Date.UTC(2026, 0, 5, 8);
const WORDS = "harbour violin garden invoice kitchen train plumber window ticket letter candle river".split(" ");
const complete = (prompt) => `{"relevant_ids": [1, 2, 5, ${prompt.length % 7}]}`;
const countTokens = (texts) => texts.map((text) => Math.ceil([...text].length / 4));
const embed = (texts) => texts.map((text) => WORDS.map((word) => text.split(word).length - 1 + 0.1));

/** Loads the parts of the package and the tests that a build needs, once the package is built. */
async function load() {
  const [windrow, random, answers] = await Promise.all([
    import("windrow"),
    import("../tests/package/support/random.mjs"),
    import("../tests/package/support/answers.mjs"),
  ]);
  return { ...windrow, ...random, ...answers };
}

/** Returns a chat of everyday words whose topic changes from time to time. */
function chat(random, length, first = 0) {
  return Array.from({ length }, (_, index) => {
    const position = first + index;
    const about = WORDS[Math.floor(position / 9) % WORDS.length];
    const words = Array.from({ length: random.integer(1, random.chance(0.1) ? 200 : 20) }, () => random.pick(WORDS));
    return {
      id: `m${position}`,
      role: position % 2 === 0 ? "user" : "assistant",
      content: `${random.chance(0.3) ? "What about the" : "We said the"} ${about} ${words.join(" ")}`,
      createdAt: START + position * 240_000,
      ...(random.chance(0.05) ? { name: random.pick(["Mara", "Jonas"]) } : {}),
      ...(random.chance(0.02) ? { pinned: true } : {}),
    };
  });
}

/** Returns a config with options for ranking, triage, tiers and sections. */
function wideConfig(random, { randomConfig, select, search, summarize }) {
  const maybe = (probability, options) => (random.chance(probability) ? options() : {});
  const { budget, render, ...config } = randomConfig(random);
  return {
    ...config,
    budget: { ...budget, ...maybe(0.2, () => ({ trimFirst: random.pick(["history", "items"]) })) },
    render: {
      ...render,
      ...maybe(0.2, () => ({ gapNotice: "[{count} are not shown, {from} to {to}]" })),
      ...maybe(0.2, () => ({ format: "conversations" })),
      ...maybe(0.1, () => ({ guard: "none" })),
      ...maybe(0.1, () => ({ maxReplyChars: random.integer(5, 80) })),
    },
    ...maybe(0.3, () => ({ timeZone: random.pick(["Europe/Berlin", "America/Los_Angeles", "Asia/Kolkata"]) })),
    ...maybe(0.6, () => ({
      recall: {
        ranking: random.pick(["relevance", "bm25", "recency"]),
        ...maybe(0.3, () => ({ placement: "afterHistory" })),
        ...maybe(0.2, () => ({ embed })),
        ...maybe(0.2, () => ({ search })),
      },
    })),
    ...maybe(0.2, () => ({
      triage: {
        skipSelectionThreshold: random.integer(0, 5),
        alwaysIncludeRecent: random.integer(0, 4),
        ...(random.chance(0.5) ? { select } : { complete }),
      },
    })),
    ...maybe(0.2, () => ({ tiers: { enabled: true, ...maybe(0.5, () => ({ summarize })) } })),
    ...maybe(0.2, () => ({
      sections: [
        { id: "system", kind: "text", text: `Be kind. ${random.text(10)}` },
        {
          id: "notes",
          kind: "items",
          items: ["a", "b"].map((id) => ({ id, text: random.text(30), summary: "short" })),
        },
        { id: "history", kind: "history", ...maybe(0.5, () => ({ limit: { tokens: random.integer(20, 300) } })) },
        { id: "request", kind: "request" },
      ],
    })),
    ...maybe(0.1, () => ({ countTokens })),
    ...maybe(0.1, () => ({ agentId: "assistant" })),
  };
}

/** Returns a preset with the hooks and contents that it needs. */
function presetConfig(random, { presets, select, search, summarize, searchFirst }) {
  const name = random.pick(Object.keys(presets));
  const preset = presets[name];
  const own = {
    triaged: () => ({ triage: { ...preset.triage, ...(random.chance(0.5) ? { select } : { complete }) } }),
    turns: () => ({
      contents: {
        soul: "Be kind. ".repeat(random.integer(1, 90)),
        toolsInventory: ["find", "read"],
        stageGuidance: "Go.",
      },
      recall: { ...preset.recall, focusSignals: { d: 0.4, o: 0.9, s: 0.33, e: 0.71 }, search },
    }),
    tiered: () => ({
      sections: random.chance(0.5) ? [searchFirst, ...preset.sections] : preset.sections,
      tiers: { ...preset.tiers, ...(random.chance(0.5) ? { summarize } : {}) },
    }),
    agent: () => ({ contents: { system: "Be exact." }, recall: { ...preset.recall, search } }),
    turnContract: () => ({
      budget: { ...preset.budget, maxTokens: random.integer(60, 600) },
      contents: {
        checkpoint: "The hall is booked.",
        memoryPointers: ["notes/a.md", "notes/b.md"],
        toolSnippets: [{ id: "x", text: "row ".repeat(random.integer(1, 300)), summary: "rows" }],
      },
    }),
  };
  const request = random.pick([
    undefined,
    null,
    "What about the garden?",
    { role: "user", content: "Larger?", replyTo: "m3" },
  ]);
  return { ...preset, ...own[name]?.(), ...(request === undefined ? {} : { request }), ...sessionOf(random) };
}

function sessionOf(random) {
  return random.chance(0.3) ? { sessionId: "web:main" } : {};
}

/** The kinds of builds, in rotation. Each returns the results of its builds. */
const kinds = [
  async (random, all) => [await outcome(all, all.randomTranscript(random), all.randomConfig(random))],
  async (random, all) => {
    const mostMessages = random.pick([24, 24, 200]);
    return [await outcome(all, all.randomTranscript(random, { mostMessages }), wideConfig(random, all))];
  },
  async (random, all) => [await outcome(all, chat(random, random.integer(1, 300)), wideConfig(random, all))],
  async (random, all) => {
    const mostMessages = random.pick([24, 100]);
    const messages = random.chance(0.5)
      ? chat(random, random.integer(1, 120))
      : all.randomTranscript(random, { mostMessages });
    return [await outcome(all, messages, presetConfig(random, all))];
  },
  // Builds a conversation turn by turn, in the engine.
  async (random, all) => {
    const transcript = all.createTranscript([]);
    const config = random.chance(0.3) ? presetConfig(random, all) : wideConfig(random, all);
    const outcomes = [];
    for (let turn = 0; turn < 3; turn++) {
      transcript.append(chat(random, random.integer(1, 60), transcript.length));
      outcomes.push(await outcome(all, transcript, config));
    }
    transcript.free();
    return outcomes;
  },
  // Builds in a session that is reopened from time to time, with logs longer than one read.
  async (random, all) => {
    const store = all.memoryStore();
    const config = random.chance(0.3) ? presetConfig(random, all) : wideConfig(random, all);
    const outcomes = [];
    let length = 0;
    let session = await all.openSession("web:main", { store });
    for (let turn = 0; turn < 3; turn++) {
      const messages = chat(random, random.integer(1, 250), length);
      length += messages.length;
      await session.append(messages);
      if (random.chance(0.5)) {
        await session.close();
        session = await all.openSession("web:main", { store });
      }
      outcomes.push(await outcomeOf(all, (own) => session.build(own), config));
    }
    await session.close();
    return outcomes;
  },
];

function outcome(all, transcript, config) {
  return outcomeOf(all, (own) => all.buildContext(transcript, own), config);
}

/** Returns the result of a build: the prompt, the decision about each message and the costs, or the failure. */
async function outcomeOf({ ContextError }, run, config) {
  try {
    const context = await run(renamed({ now: START + 86_400_000, ...config, turnId: "turn" }));
    const fates = [];
    for (const { first, last, fate, reason, tokens } of context.trace.ranges ?? []) {
      fates.push([first, last, fate, RENAMED_REASONS.get(reason) ?? reason, tokens]);
    }
    return {
      messages: context.messages ?? null,
      text: context.text ?? null,
      kept: context.kept.map(({ id }) => id ?? null),
      fates,
      tokens: context.tokens,
    };
  } catch (failure) {
    if (!(failure instanceof ContextError)) {
      throw failure;
    }
    const { code, needed, available } = failure;
    return { code, needed, available };
  }
}

/** Returns a config with the current names of options. */
function renamed(config) {
  const own = structuredCloneOf(config);
  for (const [from, to] of RENAMED_OPTIONS) {
    const [group, name] = from.split(".");
    const [newGroup, newName] = to.split(".");
    if (own[group] !== undefined && Object.hasOwn(own[group], name)) {
      own[newGroup] = { ...own[newGroup], [newName]: own[group][name] };
      delete own[group][name];
    }
  }
  return own;
}

/** Copies the config's groups. Hooks stay the same functions. */
function structuredCloneOf(config) {
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => [
      name,
      typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : value,
    ]),
  );
}

async function outcomesOf(seed, all) {
  return await kinds[seed % kinds.length](new all.Random(seed), all);
}

function digestOf(outcomes) {
  const json = JSON.stringify(outcomes, (_, value) => (value === undefined ? null : value));
  return createHash("sha256").update(json).digest("hex").slice(0, 16);
}

async function digests(all) {
  const lines = [];
  let failed = 0;
  for (let seed = 1; seed <= BUILD_COUNT; seed++) {
    const outcomes = await outcomesOf(seed, all);
    failed += outcomes.every(({ code }) => code !== undefined) ? 1 : 0;
    lines.push(digestOf(outcomes));
  }
  console.log(`${BUILD_COUNT} seeds, of which ${failed} give nothing but errors`);
  return lines;
}

await runProgram(async () => {
  const [what, value] = process.argv.slice(2);
  if (!["--write", "--compare", "--show"].includes(what) || value === undefined) {
    throw new Failure("usage: npm run digest -- --write FILE | --compare FILE | --show SEED");
  }
  if (what === "--compare" && !existsSync(value)) {
    throw new Failure(`${value} is not there: write it before the change`);
  }
  await setUp("build");
  await build();
  const all = await load();
  if (what === "--show") {
    console.log(JSON.stringify(await outcomesOf(Number(value), all), null, 2));
    return;
  }
  const lines = await digests(all);
  if (what === "--write") {
    writeFileSync(value, `${lines.join("\n")}\n`);
    return;
  }
  const before = readFileSync(value, "utf8").trim().split("\n");
  const changed = lines.flatMap((digest, index) => (digest === before[index] ? [] : [index + 1]));
  if (changed.length > 0) {
    throw new Failure(`${changed.length} of ${BUILD_COUNT} differ, by seed: ${changed.slice(0, 50).join(", ")}`);
  }
  console.log("all are the same");
});
