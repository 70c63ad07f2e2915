// The part of a prompt that repeats the one before it, the possible ends of a provider's cache, and a cut that stays in
// place.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import {
  buildContext,
  buildContextSync,
  createTranscript,
  loadEncoding,
  memoryStore,
  openSession,
  presets,
  problemsOf,
  replay,
} from "windrow";
import { wrong } from "../support/errors.mjs";
import { forEachSeed } from "../support/property.mjs";
import { Random } from "../support/random.mjs";

const WORDS = "harbour violin garden invoice kitchen train plumber window ticket letter candle river".split(" ");

before(() => loadEncoding("o200k_base"));

function saying(random, most) {
  return Array.from({ length: random.integer(2, most) }, () => random.pick(WORDS)).join(" ");
}

/** A chat of turns after instructions, some with a tool. */
function chat(random, turns) {
  const messages = [{ role: "system", content: `You help. ${saying(random, 60)}` }];
  for (let turn = 0; turn < turns; turn++) {
    messages.push({ id: `u${turn}`, role: "user", content: saying(random, 20) });
    if (random.chance(0.3)) {
      const id = `c${turn}`;
      messages.push({ role: "assistant", content: "", toolCalls: [{ id, name: "find", arguments: "{}" }] });
      messages.push({ role: "tool", toolCallId: id, content: saying(random, 60) });
    }
    messages.push({ role: "assistant", content: saying(random, 60) });
  }
  return messages;
}

const steady = (maxTokens) => ({ ...presets.steady, budget: { ...presets.steady.budget, maxTokens } });

/** Number of messages that two prompts have in common from the start. */
function sameCount(left, right) {
  const known = left.map((message) => JSON.stringify(message));
  const at = right.findIndex((message, index) => JSON.stringify(message) !== known[index]);
  return at < 0 ? right.length : at;
}

describe("prefix", () => {
  test("reports when only figures changed, in a section or in instructions, and nothing else", async () => {
    const built = (days, previous) =>
      buildContext(
        [
          { role: "system", content: `You help. It is day ${days[0]}.` },
          { role: "user", content: `Ferry ${days[1]}.` },
          { role: "assistant", content: "Noted." },
          { role: "developer", content: `It is hour ${days[2]}.` },
        ],
        {
          sections: [
            { id: "clock", kind: "text", role: "system", text: `It is minute ${days[3]}.` },
            { id: "history", kind: "history" },
            { id: "request", kind: "request" },
          ],
          request: "When?",
          encoding: "o200k_base",
          previous,
        },
      );
    const first = await built([1, 1, 1, 1]);
    for (const [at, isInstruction] of [true, false, true, true].entries()) {
      const days = [1, 1, 1, 1].with(at, 2);
      const words = (await built(days, first)).prefix?.difference?.words ?? "";
      assert.equal(/only figures in it/.test(words), isInstruction, `${at}: ${words}`);
    }
  });

  test("counts the messages that repeat the previous prompt, and explains the first difference", () => {
    forEachSeed((random) => {
      const messages = chat(random, 30);
      const config = random.chance(0.7) ? steady(600) : { budget: { maxTokens: 600 } };
      const transcript = createTranscript();
      let earlier;
      for (const [position, { role }] of messages.entries()) {
        transcript.append([messages[position]]);
        if (role !== "user") {
          continue;
        }
        const context = buildContextSync(transcript, config);
        if (earlier === undefined) {
          assert.equal(context.prefix, undefined);
        } else {
          const same = sameCount(earlier.messages, context.messages);
          assert.equal(context.prefix.pieces, same);
          const costs = context.outline.pieces.map(([, , tokens]) => tokens);
          const tokens = costs.slice(0, same).reduce((sum, cost) => sum + cost, 0);
          assert.equal(context.prefix.tokens, tokens);
          assert.equal(context.prefix.share, tokens / context.tokens.total);
          const isWhole = same === earlier.messages.length;
          assert.equal(context.prefix.difference === null, isWhole);
          assert.ok(isWhole || context.prefix.difference.words.length > 20);
        }
        earlier = context;
      }
      transcript.free();
    });
  });

  test("the words name the missing message and its reason", () => {
    const messages = Array.from({ length: 30 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: `message ${at} ${"word ".repeat(12)}`,
    }));
    /** @satisfies {import("windrow").ContextConfig} */
    const config = { recall: { ranking: "recency" }, budget: { maxTokens: 300 } };
    const first = buildContextSync(messages.slice(0, 21), config);
    const then = buildContextSync(messages.slice(0, 23), { ...config, previous: first });
    const { piece, words } = then.prefix.difference;
    assert.equal(piece, 0);
    assert.match(words, /^message \d+ is no longer in its place: older than a message that didn't fit/);
  });

  test("an outline is plain data: stored as JSON, it works in another process", () => {
    const messages = [
      { role: "user", content: "Is the boat house free?" },
      { role: "assistant", content: "Yes." },
      { role: "user", content: "Then book it." },
    ];
    const first = buildContextSync(messages.slice(0, 1));
    const previous = JSON.parse(JSON.stringify(first.outline));
    const next = buildContextSync(messages, { previous });
    assert.deepEqual(next.prefix, buildContextSync(messages, { previous: first }).prefix);
    assert.equal(next.prefix.difference, null);
    assert.equal(next.prefix.pieces, 1);
    const tools = [{ type: "function", function: { name: "book", parameters: {} } }];
    const other = buildContextSync(messages, { previous, budget: { tools } });
    assert.equal(other.prefix.tokens, 0);
    assert.match(other.prefix.difference.words, /tool definitions/);
  });

  test("a value that isn't a build is refused with its place", () => {
    for (const previous of [{}, [], "first", { format: "messages", head: 1, pieces: [[1]] }].map(wrong)) {
      assert.throws(() => buildContextSync([{ role: "user", content: "Hi" }], { previous }), {
        code: "INVALID_CONFIG",
        path: "previous",
      });
    }
  });

  test("a session reports it too, even for the build before it was opened", async () => {
    const store = memoryStore();
    const session = await openSession("web:main", { store });
    await session.append({ role: "user", content: "Is the boat house free on 12 June?" });
    assert.equal((await session.build()).prefix, undefined);
    await session.append([
      { role: "assistant", content: "It is." },
      { role: "user", content: "What does it cost?" },
    ]);
    assert.equal((await session.build()).prefix.pieces, 1);
    await session.close();
    const again = await openSession("web:main", { store });
    await again.append([
      { role: "assistant", content: "200 euro." },
      { role: "user", content: "Book it." },
    ]);
    const { prefix } = await again.build();
    assert.equal(prefix.pieces, 3);
    assert.equal(prefix.difference, null);
  });
});

describe("a cut", () => {
  test("in a tool loop, each step repeats the one before until the cut moves, and replays to the same bytes", async () => {
    let moves = 0;
    let steps = 0;
    for (let seed = 1; seed <= 12; seed++) {
      const messages = chat(new Random(seed), 20 + seed);
      messages.push({ role: "user", content: "harbour violin garden" });
      const transcript = createTranscript();
      transcript.append(messages);
      let earlier;
      for (let step = 0; step < 25; step++) {
        const context = await buildContext(transcript, steady(900));
        assert.ok(context.tokens.total <= 900);
        if (earlier !== undefined) {
          steps += 1;
          const isWhole = context.prefix.difference === null;
          moves += isWhole ? 0 : 1;
          assert.ok(
            isWhole || /before the cut|recalled/.test(context.prefix.difference.words),
            context.prefix.difference?.words,
          );
        }
        const again = await replay(context.recording, transcript);
        assert.equal(again.same, true);
        earlier = context;
        const id = `s${step}`;
        transcript.append([
          { role: "assistant", content: "", toolCalls: [{ id, name: "find", arguments: "{}" }] },
          { role: "tool", toolCallId: id, content: `result ${step} ${"river ".repeat(15)}` },
        ]);
      }
      transcript.free();
    }
    assert.ok(moves > 0 && moves < steps / 4, `${moves} of ${steps}`);
  });
});

describe("breakpoints", () => {
  const long = (words) => "word ".repeat(words);
  const messages = [
    { role: "system", content: `Be brief. ${long(1200)}` },
    ...Array.from({ length: 60 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: `message ${at} about the boat house ${long(60)}`,
    })),
    { role: "user", content: "What about the boat house?" },
  ];

  /** A body without its cache breakpoints. */
  const unmarked = (body) =>
    JSON.parse(
      JSON.stringify(body, (key, value) =>
        /cache_control|prompt_cache|cacheControl|cachePoint/.test(key) ? undefined : value,
      ),
    );
  /** The texts of a body in order, however they are wrapped. */
  const texts = (body) =>
    Array.from(
      JSON.stringify(unmarked(body)).matchAll(/"(?:text|content|system)":"((?:[^"\\]|\\.)*)"/g),
      ([, text]) => text,
    );
  const markCount = (body) =>
    JSON.stringify(body).split(/"cache_control"|"prompt_cache_breakpoint"|"cacheControl"|"cachePoint"/).length - 1;

  test("follow the stable part, with enough tokens before each, and there are never more than four", () => {
    const first = buildContextSync(messages.slice(0, -3), steady(4000));
    const context = buildContextSync(messages, { ...steady(4000), previous: first });
    const places = context.cacheBreakpoints;
    assert.ok(places.length >= 2 && places.length <= 4);
    assert.deepEqual(places.map(({ after }) => after).slice(0, 1), ["instructions"]);
    assert.ok(places.some(({ after }) => after === "history"));
    for (const [at, { position, tokens }] of places.entries()) {
      assert.ok(tokens >= 1024);
      assert.ok(at === 0 || position > places[at - 1].position);
      const before = context.outline.pieces.slice(0, position + 1).reduce((sum, [, , cost]) => sum + cost, 0);
      assert.equal(
        tokens,
        before + context.tokens.total - context.outline.pieces.reduce((sum, [, , cost]) => sum + cost, 0),
      );
    }
    const history = places.find(({ after }) => after === "history");
    assert.ok(context.outline.pieces.slice(1, history.position + 1).every(([source]) => Number(source) >= 0));
  });

  test("each has at least as many tokens before it as the model's provider caches", () => {
    const spoken = messages.slice(1);
    const all = [{ role: "system", content: `Be brief. ${long(700)}` }, ...spoken];
    for (const [model, least, first] of /** @type {[model: any, least: number, first: any][]} */ ([
      ["claude-opus-5", 512, "instructions"],
      ["claude-sonnet-4-5", 1024, "history"],
      ["a model of my own", 1024, "history"],
      ["claude-haiku-4-5", 4096, "history"],
    ])) {
      const places = buildContextSync(all, { ...steady(8000), model, encoding: "estimate" }).cacheBreakpoints;
      assert.ok(places.every(({ tokens }) => tokens >= least));
      assert.equal(places[0].after, first, model);
      const short = buildContextSync(all, { ...steady(4000), model, encoding: "estimate" }).cacheBreakpoints;
      assert.equal(short.length > 0, least < 4000, model);
    }
  });

  test("the history ends after its messages, even if a user line opens it", () => {
    let opened = 0;
    for (let tokens = 3000; tokens < 4000; tokens += 100) {
      const context = buildContextSync(messages.slice(1), { ...steady(tokens), render: { provider: "ai-sdk" } });
      opened += context.outline.pieces[0][0] === "history" ? 1 : 0;
      const { position } = context.cacheBreakpoints.find(({ after }) => after === "history");
      assert.ok(Number(context.outline.pieces[position][0]) >= 0);
      assert.ok(context.outline.pieces.slice(position + 1, -1).every(([source]) => source === "history"));
    }
    assert.ok(opened > 0);
  });

  test("requests are marked as their provider requires, valid, and otherwise unchanged", () => {
    for (const [provider, model, isMarked] of /** @type {any[][]} */ ([
      ["anthropic", "claude-sonnet-4-5", true],
      ["ai-sdk", "claude-sonnet-4-5", true],
      ["openai", "gpt-5.6", true],
      ["openai-responses", "gpt-6", true],
      ["openai", "gpt-5", false],
      ["openai-responses", undefined, false],
      ["gemini", "gemini-3-pro", false],
      ["bedrock", "us.anthropic.claude-sonnet-4-5-v1:0", true],
      ["bedrock", "meta.llama4-maverick-17b-instruct-v1:0", false],
    ])) {
      const context = buildContextSync(messages, {
        ...steady(4000),
        ...(model && { model }),
        render: { provider },
        encoding: "estimate",
      });
      const body = context.request(provider);
      const plain = context.request(provider, { cacheBreakpoints: false });
      assert.deepEqual(problemsOf(provider, body), []);
      assert.equal(markCount(plain), 0);
      assert.equal(markCount(body) > 0, isMarked, `${provider} ${model}`);
      assert.ok(markCount(body) <= 4);
      assert.deepEqual(texts(body).join(""), texts(plain).join(""));
    }
    const relevant = buildContextSync(messages, { budget: { maxTokens: 4000 } });
    assert.equal(markCount(relevant.request("anthropic")), 0);
    assert.ok(markCount(relevant.request("anthropic", { cacheBreakpoints: true })) === 1);
    assert.throws(() => relevant.request("anthropic", wrong({ cacheBreakpoint: true })), { code: "INVALID_CONFIG" });
  });

  test("recalled messages follow the history for providers that only accept instructions at the beginning", () => {
    const context = buildContextSync(messages, { ...steady(4000), render: { provider: "anthropic" } });
    assert.ok(context.outline.pieces.some(([source]) => source === "history"));
    const { system } = context.request("anthropic", { cacheBreakpoints: false });
    assert.equal(system, messages[0].content);
  });
});
