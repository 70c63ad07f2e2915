// Random changes to valid inputs that JavaScript decodes: files, recordings, stored session data, hook answers,
// configs. Each call soon returns a correct result or throws a ContextError, and the next call works. `npm run fuzz`
// covers the core's own decoders.
//
// The number of cases is fixed. FUZZ_SEED=2 tries others, FUZZ_CASES=10 ten times as many.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import {
  buildContext,
  buildContextSync,
  createTranscript,
  memoryStore,
  openSession,
  parseTranscript,
  presets,
  replay,
} from "windrow";
import { checkContextError } from "../package/support/errors.mjs";
import { mutateBytes, mutateText, mutateValue } from "../package/support/mutations.mjs";
import { Random, randomConfig, randomTranscript } from "../package/support/random.mjs";

const KEY = "web:main";
const CASES = Number(process.env.FUZZ_CASES ?? 1);
const FIRST_SEED = Number(process.env.FUZZ_SEED ?? 1) * 1_000_000;
/** Longest time for a call, in milliseconds of processor time. */
const LONGEST = 2000;

const throughJson = (value) => JSON.parse(JSON.stringify(value));
/** @satisfies {import("windrow").ContextConfig} */
const plain = { encoding: "estimate", now: 0 };

/**
 * Runs `count` cases. The error of a failing case names its seed, so that it can be run alone. A case returns how it
 * ended, and each of the ends in `least` must occur that often: otherwise the changes are too wild or too tame.
 */
async function fuzz(count, least, check) {
  const ends = {};
  const only = process.env.FUZZ_ONLY;
  const seeds = only ? [Number(only)] : Array.from({ length: count * CASES }, (_, index) => FIRST_SEED + index);
  for (const seed of seeds) {
    try {
      const end = await check(new Random(seed), seed);
      ends[end] = (ends[end] ?? 0) + 1;
    } catch (cause) {
      throw new Error(`it fails for FUZZ_ONLY=${seed}: ${cause?.message}`, { cause });
    }
  }
  for (const [end, part] of Object.entries(only ? {} : least)) {
    assert.ok((ends[end] ?? 0) >= part * seeds.length, `"${end}" comes too rarely: ${JSON.stringify(ends)}`);
  }
}

/** Returns the result of a call, or its ContextError. Other errors and slow calls fail the test. */
async function outcomeOf(call, expected) {
  const started = process.cpuUsage();
  let outcome;
  try {
    outcome = { given: await call() };
  } catch (failure) {
    checkContextError(failure, { kind: failure?.kind });
    assert.notEqual(failure.code, "INTERNAL", failure.message);
    if (expected !== undefined) {
      assert.ok(expected.includes(failure.code), `${failure.code}: ${failure.message}`);
    }
    outcome = { failure };
  }
  const { user, system } = process.cpuUsage(started);
  assert.ok((user + system) / 1000 < LONGEST, `it takes ${(user + system) / 1000} ms`);
  checkNext();
  return outcome;
}

const good = [
  { role: "user", content: "Where do we meet?" },
  { role: "assistant", content: "In the town hall." },
];
const { snapshot: goodSnapshot } = buildContextSync(good, plain);

/** Afterwards, an ordinary call works and returns the same as before. */
function checkNext() {
  assert.equal(buildContextSync(good, plain).snapshot.contextHash, goodSnapshot.contextHash);
}

after(() => {
  for (const prototype of [Object.prototype, Array.prototype, Function.prototype]) {
    assert.deepEqual(Object.keys(prototype), [], "no prototype was changed");
  }
});

// ---- Files ----

const turn = (type, content) => ({ type, timestamp: "2026-01-01T00:00:00Z", message: { content } });
const logRows = [
  { type: "session", session_key: "web:old", created_at: "2026-01-01T00:00:00Z" },
  { type: "message", role: "user", text: "one", created_at: "2026-01-01T00:00:00Z", id: "a" },
  { type: "message", message: { role: "assistant", content: "two", type: "message" } },
  { type: "message", role: "assistant", text: "a summary", summaryOf: "c1", pinned: true },
];
const turns = [
  turn("user", "Which one?"),
  turn("assistant", [
    { type: "text", text: "The red one." },
    { type: "tool_use", id: "t1", name: "find", input: { a: 1 } },
  ]),
  turn("user", [{ type: "tool_result", tool_use_id: "t1", content: "found" }]),
];

/** An export, or several dialogues, with the texts of messages in other apps' forms. */
function randomExport(random, messages) {
  const said = messages.map(({ content }) => (typeof content === "string" ? content : "parts"));
  const node = (text, at) => ({
    parent: at === 0 ? null : `n${random.chance(0.8) ? at - 1 : random.integer(0, at)}`,
    message: {
      author: { role: at % 2 === 0 ? "user" : "assistant" },
      content: { content_type: "text", parts: [text] },
    },
  });
  return random.pick([
    () => ({
      id: "c",
      title: said[0],
      current_node: `n${random.integer(0, said.length)}`,
      mapping: Object.fromEntries(said.map((text, at) => [`n${at}`, node(text, at)])),
    }),
    () => ({
      uuid: "c",
      chat_messages: said.map((text, at) => ({ uuid: `m${at}`, sender: at % 2 === 0 ? "human" : "assistant", text })),
    }),
    () => ({ conversations: said.map((value, at) => ({ from: at % 2 === 0 ? "human" : "gpt", value })) }),
    () => ({ chunkedPrompt: { chunks: said.map((text, at) => ({ role: at % 3 === 0 ? "user" : "model", text })) } }),
    () => ({ id: random.integer(0, 2), messages }),
  ])();
}

function randomFile(random) {
  const messages = throughJson(randomTranscript(random));
  if (random.chance(0.3)) {
    const conversations = Array.from({ length: random.integer(1, 3) }, () => randomExport(random, messages));
    return random.chance(0.5)
      ? JSON.stringify(conversations, null, random.integer(0, 1))
      : conversations.map((one) => JSON.stringify(one)).join("\n");
  }
  const rows = random.pick([messages, messages, logRows, turns, [...logRows, ...messages]]);
  return random.pick([
    () => JSON.stringify(rows),
    () => rows.map((row) => JSON.stringify(row)).join("\n"),
    () => rows.map((row) => JSON.stringify(row)).join("\n"),
    () => JSON.stringify({ request: "And?", messages: rows }, null, 1),
  ])();
}

describe("damaged files", () => {
  test("are parsed to messages that a context can be built from, or refused", async () => {
    await fuzz(2500, { given: 0.3, failed: 0.1 }, async (random) => {
      const text = mutateText(random, randomFile(random), [randomFile(random), randomFile(random)]);
      const { given } = await outcomeOf(() => parseTranscript(text), ["INVALID_TRANSCRIPT"]);
      if (given !== undefined) {
        for (const { messages } of given.conversations) {
          assert.equal(createTranscript(messages).length, messages.length);
        }
        const { given: context } = await outcomeOf(() => buildContextSync(given.messages, plain), []);
        const { given: again } = await outcomeOf(() => replay(throughJson(context.recording), given.messages), []);
        assert.ok(again.same);
      }
      return given === undefined ? "failed" : "given";
    });
  });

  test("contain rows that a transcript accepts completely or not at all", async () => {
    await fuzz(2500, { given: 0.2, failed: 0.2 }, async (random) => {
      const rows = mutateValue(random, throughJson(randomTranscript(random)));
      const transcript = createTranscript(good);
      const { given } = await outcomeOf(() => transcript.append(rows) ?? true, ["INVALID_TRANSCRIPT"]);
      const count = Array.isArray(rows) ? rows.length : 1;
      assert.equal(transcript.length, good.length + (given === undefined ? 0 : count));
      await outcomeOf(() => buildContextSync(transcript, plain), []);
      transcript.free();
      return given === undefined ? "failed" : "given";
    });
  });

  test("are imported completely or not at all, and exported unchanged", async () => {
    /** @satisfies {import("windrow").ContextConfig} */
    const config = { ...plain, request: "so?", collect: { sessionScope: "all" } };
    await fuzz(1000, { given: 0.2, failed: 0.1 }, async (random) => {
      const text = mutateText(random, randomFile(random), [randomFile(random)]);
      const store = memoryStore();
      const session = await openSession(KEY, { store });
      await session.append(good);
      const { given } = await outcomeOf(() => session.import(text));
      const count = (await session.messages()).length + (await session.summaries()).length;
      assert.equal(count, good.length + (given?.messageCount ?? 0));
      const { given: context } = await outcomeOf(() => session.build(config), []);
      const { given: file } = await outcomeOf(() => session.export(), []);
      const copy = await openSession("copy", { store });
      const { given: copied } = await outcomeOf(() => copy.import(file), []);
      assert.deepEqual(copied.skipped, []);
      assert.equal(copied.messageCount, count);
      const { given: again } = await outcomeOf(() => copy.build(config), []);
      assert.equal(again.messages.length, context.messages.length);
      assert.equal(again.tokens.total, context.tokens.total);
      await Promise.all([session.close(), copy.close()]);
      return given === undefined ? "failed" : "given";
    });
  });
});

// ---- Recordings ----

const conversation = Array.from({ length: 40 }, (_, position) => ({
  id: `m${position}`,
  role: position % 2 === 0 ? "user" : "assistant",
  content: `we said ${["harbour", "violin", "garden", "invoice"][position % 4]} number ${position} again and again`,
  createdAt: Date.UTC(2026, 0, 5, 8) + position * 400_000,
  conversationId: `c${Math.floor(position / 8)}`,
}));
const vectorOf = (text) => Array.from({ length: 6 }, (_, index) => (text.charCodeAt(index) % 17) - 8);

/**
 * Configs that ask every hook, each with the hook's answer.
 *
 * @type {{ config: any, hook: string[], answer: any }[]}
 */
const hooked = [
  {
    config: { budget: { maxTokens: 150 }, triage: { alwaysIncludeRecent: 2, skipSelectionThreshold: 2 } },
    hook: ["triage", "select"],
    answer: ["m3", "m7"],
  },
  {
    config: { budget: { maxTokens: 150 }, triage: { alwaysIncludeRecent: 2, skipSelectionThreshold: 2 } },
    hook: ["triage", "complete"],
    answer: '```json\n{"relevant_ids": [1, 4, 12]}\n```',
  },
  {
    config: {
      budget: { maxTokens: 200 },
      sections: ["recall", "history", "request"].map((kind) => ({ id: kind, kind })),
    },
    hook: ["recall", "search"],
    answer: [{ text: "a note ".repeat(300), id: "n", source: "notes", score: 0.5 }, { text: "another" }],
  },
  {
    config: { budget: { maxTokens: 150 } },
    hook: ["recall", "embed"],
    answer: Array.from({ length: 41 }, (_, index) => [index, 1, 0.5]),
  },
  {
    config: { budget: { maxTokens: 300 }, tiers: { enabled: true }, render: { format: "conversations" } },
    hook: ["tiers", "summarize"],
    answer: ["a summary", null, "another"],
  },
  { config: { budget: { maxTokens: 200 } }, hook: ["countTokens"], answer: [7, 9, 12] },
];

/**
 * A config whose hook returns an answer. For texts to count, it returns one number for each text.
 *
 * @param {{ config: any, hook: string[] }} one
 * @param {any} answer
 */
function configWith({ config, hook: [group, name] }, answer) {
  const hook = (texts) =>
    group === "countTokens" && Array.isArray(answer)
      ? texts.map((_, index) => answer[index % Math.max(answer.length, 1)])
      : answer;
  const own = name === undefined ? { [group]: hook } : { [group]: { ...config[group], [name]: hook } };
  return { ...plain, request: "What about the garden?", ...config, ...own };
}

describe("damaged recordings", () => {
  test("are replayed, or refused", async () => {
    const recordings = [];
    for (const one of hooked) {
      recordings.push((await buildContext(conversation, configWith(one, one.answer))).recording);
    }
    for (const format of /** @type {const} */ (["messages", "text", "xml", "conversations"])) {
      const config = { ...plain, request: good[0], timeZone: "Europe/Berlin", render: { format, times: true } };
      recordings.push(buildContextSync(conversation, config).recording);
    }
    const store = memoryStore();
    const session = await openSession(KEY, { store });
    await session.append(Array.from({ length: 10 }, () => conversation.map(({ id, ...message }) => message)).flat());
    const config = { ...plain, request: "so?", budget: { maxTokens: 150 } };
    recordings.push((await session.build(config)).recording);
    const texts = recordings.map((recording) => JSON.stringify(recording));
    const expected = ["INVALID_RECORDING", "INVALID_TRANSCRIPT", "BUDGET_TOO_SMALL", "HOOK_FAILED", "INVALID_CONFIG"];
    await fuzz(5000, { same: 0.1, other: 0.02, failed: 0.2, none: 0.01 }, async (random, seed) => {
      const text = random.pick(texts);
      let changed;
      if (random.chance(0.3)) {
        try {
          changed = JSON.parse(mutateText(random, text, texts));
        } catch {
          return "none";
        }
      } else {
        changed = mutateValue(random, JSON.parse(text));
      }
      const isOfSession = text === texts.at(-1);
      const run = () => (isOfSession ? session.replay(changed) : replay(changed, conversation));
      const { given } = await outcomeOf(run, expected);
      if (given !== undefined) {
        const isOther = given.differences.some(({ kind }) => kind === "context_changed");
        assert.equal(given.same, !isOther);
      }
      if (seed % 100 === 0) {
        const again = await (isOfSession ? session.replay(JSON.parse(text)) : replay(JSON.parse(text), conversation));
        assert.deepEqual([again.same, again.differences], [true, []]);
      }
      return given === undefined ? "failed" : given.same ? "same" : "other";
    });
    await session.close();
  });
});

// ---- Derived data in a store ----

describe("damaged derived data in a store", () => {
  test("never changes a context", async () => {
    const store = memoryStore();
    const session = await openSession(KEY, { store });
    const messages = Array.from({ length: 20 }, (_, round) =>
      conversation.map(({ id, createdAt, ...message }) => ({ ...message, createdAt: createdAt + round * 50_000_000 })),
    ).flat();
    await session.append(messages);
    const request = { ...plain, request: "What of the violin, number 13?", budget: { maxTokens: 400 } };
    const embed = (texts) => texts.map(vectorOf);
    /** @satisfies {import("windrow").ContextConfig[]} */
    /** @satisfies {import("windrow").ContextConfig[]} */
    const configs = [
      request,
      { ...request, render: { format: "xml" } },
      { ...request, recall: { embed, embedModel: "small" } },
      { ...request, recall: { ranking: "recency" }, budget: { maxTokens: 900, maxChars: 3000 } },
    ];
    for (const config of configs) {
      await session.build(config);
      await session.settled();
    }
    await session.close();
    const names = Array.from({ length: 20 }, (_, place) => [
      `index/${place}`,
      `costs/${place}`,
      `vectors/small/${place}`,
    ]).flat();
    const values = await store.derived.read(KEY, names);
    const known = [...values.keys()];
    for (const prefix of ["index/", "costs/", "vectors/"]) {
      assert.ok(
        known.some((name) => name.startsWith(prefix)),
        `something is kept of ${prefix}: ${known}`,
      );
    }
    const essence = ({ messages, snapshot, tokens, text }) => ({ messages, hash: snapshot.contextHash, tokens, text });
    const expected = [];
    for (const config of configs) {
      await store.derived.write(KEY, new Map(known.map((name) => [name, undefined])));
      const fresh = await openSession(KEY, { store });
      expected.push(essence(await fresh.build(config)));
      await fresh.close();
    }
    await fuzz(500, {}, async (random) => {
      const damaged = new Map(values);
      const changes = random.integer(1, 4);
      for (let count = 0; count < changes; count++) {
        const name = random.pick(known);
        const others = [values.get(random.pick(known)), new Uint8Array()];
        damaged.set(name, mutateBytes(random, values.get(name), others));
      }
      await store.derived.write(KEY, damaged);
      const reopened = await openSession(KEY, { store });
      const which = random.integer(0, configs.length - 1);
      const { given } = await outcomeOf(() => reopened.build(configs[which]), []);
      assert.deepEqual(essence(given), expected[which]);
      await reopened.close();
    });
  });
});

// ---- Answers ----

describe("damaged answers of hooks", () => {
  test("are used as far as they are valid, and replayed from the recording", async () => {
    await fuzz(2000, { given: 0.5, failed: 0.02 }, async (random) => {
      const one = random.pick(hooked);
      const isText = typeof one.answer === "string";
      const answer = isText
        ? mutateText(random, one.answer, ['{"relevant_ids": [3]}', "none"])
        : mutateValue(random, one.answer);
      const expected = one.hook[0] === "countTokens" ? ["HOOK_FAILED", "BUDGET_TOO_SMALL"] : [];
      const { given } = await outcomeOf(() => buildContext(conversation, configWith(one, answer)), expected);
      if (given !== undefined) {
        assert.ok(given.tokens.total <= one.config.budget.maxTokens);
        const { given: again } = await outcomeOf(() => replay(throughJson(given.recording), conversation), []);
        assert.deepEqual([again.same, again.differences], [true, []]);
      }
      return given === undefined ? "failed" : "given";
    });
  });
});

// ---- Configs ----

describe("damaged configs", () => {
  test("build a context within its limits that is replayed, or are refused", async () => {
    const all = Object.values(presets).filter((preset) => typeof preset === "object");
    await fuzz(4000, { given: 0.15, failed: 0.3 }, async (random) => {
      const base = throughJson(
        random.pick([
          () => randomConfig(random),
          () => randomConfig(random),
          () => ({ ...plain, ...random.pick(all) }),
          () => ({ ...plain, ...random.pick(hooked).config }),
          () => buildContextSync(good, plain).recording.config,
        ])(),
      );
      const config = mutateValue(random, { ...base, encoding: "estimate" });
      const { given } = await outcomeOf(() => buildContextSync(conversation, config));
      if (given === undefined) {
        return "failed";
      }
      const { maxTokens, onRequiredOverflow } = config?.budget ?? {};
      if (typeof maxTokens === "number" && onRequiredOverflow !== "exceed") {
        assert.ok(given.tokens.total <= maxTokens, `${given.tokens.total} tokens, of at most ${maxTokens}`);
      }
      const { given: again } = await outcomeOf(() => replay(throughJson(given.recording), conversation), []);
      assert.deepEqual([again.same, again.differences], [true, []]);
      return "given";
    });
  });
});
