// `budget.maxBytes` and `budget.maxImages`: texts come first, the newest images are shown, and a line replaces each
// other image.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  buildContext,
  buildContextSync,
  createTranscript,
  memoryStore,
  openSession,
  providers,
  replay,
  requestOf,
} from "windrow";
import { forEachSeed, forEachSeedAsync } from "../support/property.mjs";

const PNG = "iVBORw0KGgo";
const LINE = /\[(?:image|image\/png)(?:: \d+ bytes)?, not shown\]/g;
/** Texts that are longer in JSON. */
const TEXTS = ['say "hello"\n\t\\', "日本語 é 🎉", "a\u0001b\u0007", "x".repeat(300), "half \ud800", "plain words"];
const PROVIDERS = [...providers.map(({ name }) => name), undefined];

function image(random) {
  const length = random.integer(3, 2000) * 4;
  const letters = Array.from({ length: 61 }, () => random.pick("ABCdef123+/")).join("");
  const base64 = PNG + letters.repeat(Math.ceil(length / letters.length)).slice(0, length - PNG.length + 8);
  const data = base64.slice(0, base64.length - (base64.length % 4));
  return random.chance(0.3)
    ? { type: "image", mediaType: "image/png", data: new Uint8Array(Buffer.from(data, "base64")) }
    : { type: "image", mediaType: "image/png", data };
}

/** An agent's chat with many images. Every text is different. */
function chat(random, provider) {
  const images = (most) => Array.from({ length: random.integer(0, most) }, () => image(random));
  // Tool results of these providers can't contain images.
  const isOfText = provider === "openai" || provider === "web-llm";
  let count = 0;
  const text = () => `text ${count++}: ${random.pick(TEXTS)}`;
  const messages = [];
  for (let at = 0; at < random.integer(1, 15); at++) {
    if (random.chance(0.5)) {
      messages.push({ id: `m${at}`, role: "user", content: [{ type: "text", text: text() }, ...images(3)] });
      messages.push({ id: `a${at}`, role: "assistant", content: text() });
    } else {
      const toolCalls = [{ id: `c${at}`, name: "look", arguments: { query: text(), list: [1, "two"] } }];
      messages.push({ role: "user", content: text() });
      messages.push({ role: "assistant", content: "", toolCalls });
      const content = [{ type: "text", text: text() }, ...(isOfText ? [] : images(2))];
      messages.push({ role: "tool", toolCallId: `c${at}`, content });
    }
  }
  messages.push({ role: "user", content: [{ type: "text", text: text() }, ...images(2)] });
  return { messages, count };
}

/** The JSON that is sent. Messages that aren't made for a provider have their bytes in base64. */
function bodyOf(context, provider) {
  const body = provider === undefined ? { messages: context.messages } : context.request(provider);
  return JSON.stringify(body, asBase64);
}

/** Bytes become base64, and the images of Gemini's responses come after the text, which has the lines of older ones. */
const asBase64 = (_, value) => {
  if (value instanceof Uint8Array) {
    return Buffer.from(value).toString("base64");
  }
  const { parts, ...rest } = value?.response === undefined ? {} : value;
  return parts === undefined ? value : { ...rest, parts };
};

/** `image` or `line` for each image, in the order of the body. */
function shownIn(body) {
  const found = body.matchAll(new RegExp(`${PNG.slice(0, 8)}|${LINE.source}`, "g"));
  return Array.from(found, ([text]) => (text.startsWith("[") ? "line" : "image"));
}

const configOf = (provider, budget) => ({
  encoding: /** @type {const} */ ("estimate"),
  budget,
  ...(provider === undefined ? {} : { render: { provider } }),
});

function built(messages, config) {
  try {
    return buildContextSync(messages, config);
  } catch (error) {
    assert.equal(error.code, "BUDGET_TOO_SMALL");
    assert.equal(error.path, "budget.maxBytes");
    return undefined;
  }
}

describe("bytes of the body", () => {
  test("the body stays below the limit, no text is lost, the newest images stay, and a line replaces each other one", () => {
    let hidden = 0;
    forEachSeed((random) => {
      const provider = random.pick(PROVIDERS);
      const { messages, count } = chat(random, provider);
      const given = structuredClone(messages);
      const whole = buildContextSync(messages, configOf(provider, { maxBytes: 1e9 }));
      const before = Buffer.byteLength(bodyOf(whole, provider));
      assert.ok(before <= whole.byteCount, `${before} bytes, and ${whole.byteCount} were counted`);
      const maxBytes = random.integer(4000, before + 4000);
      const context = built(messages, configOf(provider, { maxBytes }));
      if (context === undefined) {
        return;
      }
      const body = bodyOf(context, provider);
      assert.ok(Buffer.byteLength(body) <= maxBytes, `${Buffer.byteLength(body)} bytes of ${maxBytes}`);
      assert.ok(context.byteCount <= maxBytes);
      const left = context.trace.ranges.filter(({ fate }) => fate === "left out").length;
      const shown = shownIn(body);
      const all = shownIn(bodyOf(whole, provider));
      if (left === 0) {
        for (let at = 0; at < count; at++) {
          assert.ok(body.includes(`text ${at}: `), `text ${at} is there`);
        }
        assert.equal(shown.length, all.length);
      } else {
        // The texts alone exceed the limit.
        const texts = built(messages, configOf(provider, { maxBytes, maxImages: 0 }));
        assert.ok(texts.trace.ranges.some(({ fate }) => fate === "left out"));
      }
      assert.ok(shown.lastIndexOf("line") < (shown.indexOf("image") + 1 || Number.POSITIVE_INFINITY));
      hidden += shown.filter((it) => it === "line").length;
      const note = context.trace.notes.find(({ kind }) => kind === "media-hidden");
      assert.equal(note !== undefined, shown.includes("line"));
      assert.deepEqual(messages, given);
    });
    assert.ok(hidden > 0);
  });

  test("Bedrock gets at most 20 images and 5 documents in a message, the newest ones, and no other provider gets fewer", () => {
    let hidden = 0;
    forEachSeed((random) => {
      const messages = [];
      const document = () => ({ type: "file", mediaType: "application/pdf", data: "JVBERi0=", filename: "a.pdf" });
      for (let at = random.integer(1, 6); at > 0; at--) {
        const media = Array.from({ length: random.integer(0, 30) }, () =>
          random.chance(0.2) ? document() : image(random),
        );
        const content = [{ type: "text", text: `text ${at}` }, ...media];
        const role = random.pick(["user", "user", "assistant"]);
        messages.push({ role, content: role === "user" ? content : random.pick(["", "yes"]) });
      }
      messages.push({ role: "user", content: "What do they show?" });
      const context = buildContextSync(messages, configOf("bedrock", {}));
      const body = context.request("bedrock");
      let shown = 0;
      for (const { content } of body.messages) {
        const count = (kind) => content.filter((block) => block[kind] !== undefined).length;
        assert.ok(count("image") <= 20 && count("document") <= 5);
        const texts = content.map((block) => ("text" in block ? (block.text ?? "") : ""));
        const lines = texts.filter((text) => text.endsWith(", not shown]"));
        const of = (kind) => lines.filter((text) => text.startsWith(kind)).length;
        assert.ok(of("[image") === 0 || count("image") === 20, "an image is a line only if 20 others are there");
        assert.ok(of("[application") === 0 || count("document") === 5);
        const newest = texts.findLastIndex((text) => /^\[image.*, not shown]$/.test(text));
        const first = content.findIndex((block) => "image" in block);
        assert.ok(newest < 0 || newest < first, "the newest images are shown");
        hidden += lines.length;
        shown += lines.length;
      }
      const note = context.trace.notes.find(({ kind }) => kind === "media-hidden");
      assert.equal(/images in a message: 20, documents in a message: 5/.test(note?.words ?? ""), shown > 0);
      assert.equal(
        shownIn(bodyOf(buildContextSync(messages, configOf("gemini", {})), "gemini")).includes("line"),
        false,
      );
    });
    assert.ok(hidden > 0);
  });

  test("a replay shows the same images", async () => {
    await forEachSeedAsync(async (random) => {
      const { messages } = chat(random, "anthropic");
      const context = built(messages, configOf("anthropic", { maxBytes: random.integer(9000, 60_000), maxImages: 4 }));
      if (context !== undefined) {
        const recording = JSON.parse(JSON.stringify(context.recording));
        assert.equal((await replay(recording, messages)).same, true);
      }
    });
  });

  test("an array, a transcript and a session show the same", async () => {
    await forEachSeedAsync(async (random) => {
      // A session adds an id and a time, which also take bytes.
      const plain = JSON.stringify(chat(random, undefined).messages, asBase64);
      const messages = JSON.parse(plain).map((message, at) => ({ ...message, id: `m${at}`, createdAt: at }));
      const budget = {
        maxBytes: random.integer(8000, 60_000),
        maxTokens: random.pick([undefined, 4000]),
        maxImages: random.pick([undefined, 3]),
      };
      const config = { ...configOf(undefined, budget), recall: { ranking: /** @type {const} */ ("recency") } };
      const context = built(messages, config);
      if (context === undefined) {
        return;
      }
      const expected = shownIn(bodyOf(context));
      assert.deepEqual(shownIn(bodyOf(buildContextSync(createTranscript(messages), config))), expected);
      const session = await openSession("a", { store: memoryStore() });
      await session.append(messages);
      assert.deepEqual(shownIn(bodyOf(await session.build(config))), expected);
    });
  });

  test("explain reports for each message if it is shown in another form", () => {
    const images = (count) => Array.from({ length: count }, () => ({ type: "image", data: `${PNG}AAAA` }));
    /** @type {any[]} */
    const messages = [
      { id: "old", role: "user", content: [{ type: "text", text: "first" }, ...images(2)] },
      { id: "new", role: "user", content: [{ type: "text", text: "second" }, ...images(1)] },
      { id: "last", role: "user", content: "and now?" },
    ];
    const context = buildContextSync(messages, { ...configOf(undefined, { maxImages: 2 }) });
    assert.deepEqual(
      ["old", "new", "last"].map((id) => context.explain(id).fate),
      ["shortened", "kept", "kept"],
    );
    assert.deepEqual(
      context.trace.notes.filter(({ kind }) => kind === "media-hidden").map(({ words }) => words),
      ["1 image or file is shown as a line, because the request has no room or no place for it (budget.maxImages: 2)"],
    );
  });

  test("texts that exceed the limit are left out, or an error says so", () => {
    const messages = Array.from({ length: 30 }, (_, at) => ({ role: "user", content: `${at} ${"word ".repeat(100)}` }));
    const context = buildContextSync(messages, configOf("openai", { maxBytes: 8000 }));
    assert.ok(Buffer.byteLength(bodyOf(context, "openai")) <= 8000);
    assert.ok(context.messages.length > 3 && context.messages.length < 20);
    assert.throws(
      () => buildContextSync([{ role: "user", content: "word ".repeat(5000) }], configOf("openai", { maxBytes: 8000 })),
      { code: "BUDGET_TOO_SMALL", path: "budget.maxBytes" },
    );
  });
});

describe("the limits of providers", () => {
  const SMALL = { width: 800, height: 600 };
  const LARGE = { width: 2400, height: 600 };
  const shot = (size) => ({
    role: "user",
    content: [
      { type: "text", text: "see" },
      { type: "image", mediaType: "image/png", data: `${PNG}AAAA`, ...size },
    ],
  });
  const shown = (messages, config) =>
    shownIn(JSON.stringify(requestOf("anthropic", buildContextSync(messages, config).messages)));
  const CLAUDE = {
    render: { provider: /** @type {const} */ ("anthropic") },
    encoding: /** @type {const} */ ("estimate"),
  };

  test("are the defaults", async () => {
    const budgetOf = async (provider, model) => {
      const { config } = (
        await buildContext([{ role: "user", content: "hi" }], { ...CLAUDE, model, render: { provider } })
      ).recording;
      return [config.budget.maxBytes, config.budget.maxImages];
    };
    assert.deepEqual(await budgetOf("anthropic"), [32_000_000, 100]);
    assert.deepEqual(await budgetOf("anthropic", "claude-sonnet-4-5"), [32_000_000, 100]);
    assert.deepEqual(await budgetOf("anthropic", "claude-opus-4-6"), [32_000_000, 600]);
    assert.deepEqual(await budgetOf("gemini"), [100_000_000, 3600]);
    assert.deepEqual(await budgetOf("openai"), [512_000_000, 1500]);
    assert.deepEqual(await budgetOf("openai", "deepseek-v4-pro"), [null, null]);
  });

  test("Claude gets no large image among many, and the newest stay", () => {
    const many = (count, size) => Array.from({ length: count }, () => shot(size));
    const images = (messages) =>
      shown(messages, CLAUDE)
        .map((it) => (it === "image" ? "#" : "."))
        .join("");
    assert.equal(images(many(20, LARGE)), "#".repeat(20));
    assert.equal(images([...many(5, SMALL), ...many(20, LARGE)]), `${".".repeat(5)}${"#".repeat(20)}`);
    assert.equal(images([...many(3, LARGE), ...many(30, SMALL)]), `...${"#".repeat(30)}`);
    assert.equal(images(many(130, SMALL)), `${".".repeat(30)}${"#".repeat(100)}`);
  });
});
