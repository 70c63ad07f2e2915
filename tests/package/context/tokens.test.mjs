// Tokens: how they are counted, that budgets hold, and how encodings are loaded.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import { buildContext, buildContextSync, countTokens, loadEncoding, replay } from "windrow";
import o200k from "windrow/encodings/o200k_base";
import { checkContextError, errorOf } from "../support/errors.mjs";
import { assertShare, forEachSeed } from "../support/property.mjs";
import { originalOf, randomConfig, randomTranscript } from "../support/random.mjs";
import { tryBuild } from "../support/transcripts.mjs";

const user = (content, more) => ({ role: "user", content, ...more });
const bytesOf = (name) => readFileSync(createRequire(import.meta.url).resolve(`windrow/encodings/${name}.bin`));

// Must come first in the file, before anything is loaded.
describe("encodings", () => {
  test("before one is loaded, synchronous calls fail and name it", async () => {
    for (const [config, name] of /** @type {any[][]} */ ([
      [{}, "o200k_base"],
      [{ model: "gpt-4o-mini" }, "o200k_base"],
      [{ model: "gpt-4" }, "cl100k_base"],
      [{ encoding: "cl100k_base" }, "cl100k_base"],
    ])) {
      const expected = { code: "ENCODING_NOT_LOADED", message: new RegExp(name) };
      checkContextError(await errorOf(() => buildContextSync([user("hi")], config)), expected);
      const counted = await errorOf(() => countTokens("hi", config));
      checkContextError(counted, { ...expected, kind: "token_count_error" });
      assert.match(counted.nextAction, new RegExp(`loadEncoding\\("${name}"\\)`));
      assert.throws(() => countTokens([user("hi")], config), { code: "ENCODING_NOT_LOADED" });
    }
  });

  test("an estimate needs no vocabulary, and is marked as an estimate", async () => {
    for (const config of /** @type {import("windrow").CountOptions[]} */ ([
      { encoding: "estimate" },
      { model: "claude-sonnet-4" },
      { model: "llama-3", encoding: null },
    ])) {
      const { tokens } = buildContextSync([user("hi there")], config);
      assert.deepEqual([tokens.exact, tokens.encoding], [false, "estimate"]);
      const counted = countTokens("some words of English text", config);
      assert.equal(counted.exact, false);
      assert.ok(counted.tokens >= 3 && counted.tokens <= 10, `${counted.tokens}`);
      assert.equal((await buildContext([user("hi there")], config)).tokens.exact, false);
    }
    assert.equal(countTokens("", { encoding: "estimate" }).tokens, 0);
  });

  test("a value that isn't a vocabulary is refused, and the right one can be loaded afterward", async () => {
    const bytes = bytesOf("cl100k_base");
    const damaged = Uint8Array.from(bytes, (byte, index) => (index === 100_000 ? byte ^ 1 : byte));
    const flawed = (data) => ({ name: "o200k_base", data });
    for (const [vocabulary, code] of /** @type {[vocabulary: any, code: string][]} */ ([
      [{ name: "cl100k_base", bytes: damaged }, "INVALID_ENCODING"],
      [{ name: "cl100k_base", bytes: bytes.subarray(0, bytes.length - 1) }, "INVALID_ENCODING"],
      [{ name: "cl100k_base", bytes: new Uint8Array(0) }, "INVALID_ENCODING"],
      [{ name: "cl100k_base", bytes: new Uint8Array(1_000_000) }, "INVALID_ENCODING"],
      [{ name: "o200k_base", bytes }, "INVALID_ENCODING"],
      [{ name: "p50k_base", bytes }, "INVALID_ENCODING"],
      [{ name: "cl100k_base", bytes: "text" }, "INVALID_ENCODING"],
      [{ name: "cl100k_base", bytes: null }, "INVALID_ENCODING"],
      [{ name: "cl100k_base" }, "INVALID_ENCODING"],
      [flawed(""), "INVALID_ENCODING"],
      [flawed("!!!"), "INVALID_ENCODING"],
      [flawed(o200k.data.slice(0, 100_000)), "INVALID_ENCODING"],
      ["p50k_base", "INVALID_ENCODING"],
      ["estimate", "INVALID_ENCODING"],
      ["constructor", "INVALID_ENCODING"],
      ["__proto__", "INVALID_ENCODING"],
      ["", "INVALID_ENCODING"],
      [undefined, "INVALID_ENCODING"],
      [null, "INVALID_ENCODING"],
      [5, "INVALID_ENCODING"],
      [{}, "INVALID_ENCODING"],
      [Symbol("o200k_base"), "INVALID_ENCODING"],
    ])) {
      const name = typeof vocabulary === "symbol" ? "a symbol" : JSON.stringify(vocabulary)?.slice(0, 50);
      // loadEncoding is asynchronous, so its promise rejects and it never throws.
      let promise;
      assert.doesNotThrow(() => {
        promise = loadEncoding(vocabulary);
      }, name);
      checkContextError(await errorOf(() => promise), { kind: "encoding_error", code });
      assert.throws(() => countTokens("hi", { encoding: "cl100k_base" }), { code: "ENCODING_NOT_LOADED" }, name);
    }
  });

  test("by its bytes", async () => {
    const { buffer, byteOffset, byteLength } = bytesOf("cl100k_base");
    await loadEncoding({ name: "cl100k_base", bytes: buffer.slice(byteOffset, byteOffset + byteLength) });
    const words = "exact in cl100k_base, the named encoding";
    assert.deepEqual(countTokens("hello world", { encoding: "cl100k_base" }), { tokens: 2, exact: true, words });
    assert.throws(() => countTokens("hi"), { code: "ENCODING_NOT_LOADED" }, "the other one is still not loaded");
  });

  test("by its module, again and again, and by its name from then on", async () => {
    await Promise.all([loadEncoding(o200k), loadEncoding(o200k), loadEncoding("o200k_base")]);
    const words = "exact in o200k_base, the named encoding";
    assert.deepEqual(countTokens("hello world", { encoding: "o200k_base" }), { tokens: 2, exact: true, words });
    await loadEncoding("o200k_base");
    await loadEncoding("cl100k_base");
  });

  test("are chosen by the model", () => {
    const text = "Straßenbahn 会議室 über";
    const o200kTokens = countTokens(text, { encoding: "o200k_base" }).tokens;
    const cl100kTokens = countTokens(text, { encoding: "cl100k_base" }).tokens;
    assert.notEqual(o200kTokens, cl100kTokens);
    for (const model of ["gpt-4o", "gpt-4o-2024-08-06", "gpt-5-mini", "o3", "openai/gpt-4.1-nano", "ft:gpt-4o:me::x"]) {
      const words = `exact for ${model}, which counts in o200k_base`;
      assert.deepEqual(countTokens(text, { model }), { tokens: o200kTokens, exact: true, words });
    }
    for (const model of ["gpt-4", "gpt-4-turbo", "gpt-3.5-turbo-0125", "text-embedding-3-small"]) {
      const words = `exact for ${model}, which counts in cl100k_base`;
      assert.deepEqual(countTokens(text, { model }), { tokens: cl100kTokens, exact: true, words });
    }
    for (const model of ["gpt-4-of-mine", "claude", "", "GPT"]) {
      assert.equal(countTokens(text, { model }).exact, model === "gpt-4-of-mine", model);
    }
    assert.equal(
      countTokens(text, { model: "gpt-4", encoding: "o200k_base" }).tokens,
      o200kTokens,
      "encoding is stronger",
    );
    assert.equal(buildContextSync([user("hi")], { model: "gpt-4" }).tokens.encoding, "cl100k_base");
  });

  test("a count is exact for the named model or encoding, and says so", async () => {
    for (const [config, exact, words] of /** @type {any[][]} */ ([
      [{}, false, /^exact in o200k_base, but neither model nor encoding is named$/],
      [{ model: null, encoding: null }, false, /neither/],
      [{ encoding: "o200k_base" }, true, /^exact in o200k_base, the named encoding$/],
      [{ model: "gpt-4o" }, true, /^exact for gpt-4o, which counts in o200k_base$/],
      [{ model: "gpt-4o", encoding: "o200k_base" }, true, /^exact for gpt-4o/],
      [{ model: "gpt-4", encoding: "o200k_base" }, false, /^exact in o200k_base, but gpt-4 counts in cl100k_base$/],
      [
        { model: "claude-opus-4" },
        false,
        /^an estimate: the encoding of claude-opus-4 is not known; off by \d+ % on average in \d+ recorded requests of its kind/,
      ],
      [
        { model: "claude-opus-4", encoding: "o200k_base" },
        false,
        /^exact in o200k_base, but claude-opus-4 counts in another encoding$/,
      ],
      [{ model: "my-deployment", encoding: "o200k_base" }, true, /^exact in o200k_base, the named encoding$/],
      [{ encoding: "estimate" }, false, /^an estimate/],
    ])) {
      const context = await buildContext([user("hi there")], config);
      for (const { exact: isExact, words: said } of [
        context.tokens,
        countTokens([user("hi there")], config),
        countTokens("hi there", config),
        (await replay(context.recording, [user("hi there")])).context.tokens,
      ]) {
        assert.equal(isExact, exact, JSON.stringify(config));
        assert.match(said, words);
      }
    }
    const [left, right] = /** @type {const} */ ([{}, { encoding: "o200k_base" }]).map((config) =>
      buildContextSync([user("hi")], config),
    );
    assert.equal(
      left.snapshot.contextHash,
      right.snapshot.contextHash,
      "naming the default changes nothing that is built",
    );
    assert.match(
      (await buildContext([user("hi")], { countTokens: (texts) => texts.map(() => 1) })).tokens.words,
      /countTokens/,
    );
  });
});

describe("counting", () => {
  test("known texts, as the published tokenizers count them", () => {
    for (const [
      text,
      o200kTokens,
      cl100kTokens,
    ] of /** @type {[text: string, o200kTokens: number, cl100kTokens: number][]} */ ([
      ["", 0, 0],
      ["a", 1, 1],
      ["hello world", 2, 2],
      ["tiktoken is great!", 6, 6],
      ["<|endoftext|>", 7, 7],
      ["antidisestablishmentarianism", 6, 6],
      ["2 + 2 = 4", 7, 7],
    ])) {
      assert.equal(countTokens(text).tokens, o200kTokens, text);
      assert.equal(countTokens(text, { encoding: "cl100k_base" }).tokens, cl100kTokens, text);
    }
  });

  test("a chat message costs 3 plus its texts, a name 1, and the reply's beginning 3", () => {
    const base = countTokens([]).tokens;
    assert.equal(base, 3);
    assert.equal(countTokens([user("hello world")]).tokens, base + 3 + 1 + 2);
    assert.equal(
      countTokens([user("hello world", { name: "Mara" })]).tokens,
      base + 3 + 1 + 2 + 1 + countTokens("Mara").tokens,
    );
    assert.equal(countTokens([user("a"), user("b")]).tokens, base + 2 * (3 + 1 + 1));
    const encoding = "o200k_base";
    assert.equal(countTokens([user("hi")], { encoding }).exact, true);
    const image = { type: "image", url: "https://example.com/1.png" };
    assert.equal(countTokens([user([image])], { encoding }).exact, false, "an image's size is not known");
  });

  test("a context with media isn't called exact while they are in it", () => {
    const encoding = "o200k_base";
    const messages = [user([{ type: "image", url: "https://example.com/1.png" }, "look"]), user("now")];
    assert.equal(buildContextSync(messages, { encoding }).tokens.exact, false);
    assert.equal(buildContextSync(messages, { encoding, budget: { maxTokens: 50 } }).tokens.exact, true);
  });
});

describe("budgets hold", () => {
  /** The cost of a context when everything in it is counted again, part by part. */
  function countAgain(context, config) {
    const { encoding } = config;
    return context.text === undefined
      ? countTokens(context.messages, { encoding }).tokens
      : countTokens(context.text, { encoding }).tokens;
  }

  test("for random transcripts and configs: the figures are true, and never exceed the budget", () => {
    let [built, shortened] = [0, 0];
    const cases = forEachSeed((random) => {
      const transcript = randomTranscript(random);
      const given = randomConfig(random);
      // By default the total includes the results that close open calls in a request. `context.messages` leaves these
      // calls out.
      /** @type {typeof given} */
      const config = { ...given, render: { ...given.render, openCalls: "drop" } };
      const context = tryBuild(transcript, config);
      if (context === undefined) {
        return;
      }
      built += 1;
      shortened += context.trace.ranges.some((range) => range.fate === "shortened") ? 1 : 0;
      const { tokens } = context;
      const again = countAgain(context, config);
      if (config.encoding === "estimate") {
        // An estimate of the whole may differ from the sum of its parts by rounding, but must be close.
        assert.ok(again <= tokens.total + context.kept.length + 2, `${again} of ${tokens.total}`);
      } else {
        assert.equal(again, tokens.total, "the total is the cost of the whole prompt");
      }
      const { maxTokens, contextLimit, replyReserve, maxChars } = config.budget;
      const limit = maxTokens ?? (contextLimit === undefined ? null : contextLimit - (replyReserve ?? 1024));
      assert.equal(tokens.limit, limit);
      assert.ok(limit === null || tokens.total <= limit, `${tokens.total} tokens of ${limit}`);
      assert.equal(
        tokens.sections.reduce((sum, section) => sum + section.tokens, 0),
        tokens.total,
      );
      if (context.text !== undefined) {
        assert.equal(context.charCount ?? 0, Array.from(context.text).length);
      }
      assert.ok(maxChars === undefined || (context.charCount ?? 0) <= maxChars);
    });
    assertShare(built, cases, 2, "were built");
    assertShare(shortened, cases, 75, "were shortened");
  });

  test("the order of the transcript is kept", () => {
    forEachSeed((random) => {
      // Without times, the array's order applies.
      const transcript = randomTranscript(random).map(({ createdAt, ...message }) => message);
      const context = tryBuild(transcript, randomConfig(random));
      const rows = context?.kept.map((message) => transcript.indexOf(originalOf(message, transcript))) ?? [];
      const sorted = rows.toSorted((left, right) => left - right);
      assert.deepEqual(rows, sorted);
    });
  });

  test("with the newest first, a larger budget keeps everything that a smaller one kept", () => {
    forEachSeed((random) => {
      // The request has no answers yet, because each step of a running turn is tried separately.
      const transcript = [...randomTranscript(random), user("now")];
      const { budget, ...rest } = randomConfig(random);
      /** @satisfies {import("windrow").ContextConfig} */
      const config = { ...rest, recall: { ranking: "recency" } };
      /** @type {readonly any[]} */
      let before = [];
      for (let maxTokens = 10; maxTokens < 400; maxTokens += random.integer(1, 40)) {
        const built = tryBuild(transcript, { ...config, budget: { maxTokens, toolResults: { shrink: false } } });
        /** @type {readonly any[]} */
        const kept = (built?.kept ?? []).map((/** @type {any} */ message) => originalOf(message, transcript));
        assert.ok(
          before.every((message) => kept.includes(message)),
          `at ${maxTokens}`,
        );
        before = kept;
      }
    });
  });

  test("the remaining room is too small for the newest group that was left out", () => {
    forEachSeed((random) => {
      const transcript = Array.from({ length: 12 }, () => user(random.text(10)));
      const maxTokens = random.integer(40, 300);
      const context = tryBuild(transcript, { request: "now", recall: { ranking: "recency" }, budget: { maxTokens } });
      const position = context ? transcript.length - context.kept.length - 1 : -1;
      if (position >= 0) {
        assert.equal(context.explain(position).reason, "over_budget");
        assert.ok(context.tokens.total + context.explain(position).tokens > maxTokens);
        assert.equal(context.trimmed, true);
      }
    });
  });
});
