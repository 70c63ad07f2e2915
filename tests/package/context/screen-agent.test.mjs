// Agents that look at a screen: lines replace old images and files before whole steps are dropped.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, loadEncoding, plainMessage, presets } from "windrow";
import { forEachSeed } from "../support/property.mjs";

const encoding = "o200k_base";
await loadEncoding(encoding);

/** A picture whose header states its size. */
function png(width, height, seed) {
  const bytes = Buffer.alloc(120 + (seed % 7));
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]).copy(bytes);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  bytes.write(String(seed), 40);
  return bytes.toString("base64");
}

/** @type {(at: number) => any} */
const screenshot = (at) => ({ type: "image", data: png(1280, 720, at), mediaType: "image/png" });
const pdf = (at) => ({
  type: "file",
  data: Buffer.from(`%PDF-1.4 ${at}`).toString("base64"),
  mediaType: "application/pdf",
});

const LINE = /^\[(?:image\/png|application\/pdf|image|file)(?:: \d+ bytes)?, not shown\]$/;

/**
 * A step: a click, and the screen after it.
 * @returns {any[]}
 */
function step(at, media = [screenshot(at)]) {
  const call = { type: "tool-call", toolCallId: `c${at}`, toolName: "click", input: { x: at, y: 2 * at } };
  const value = [{ type: "text", text: `Clicked; page ${at} shows.` }, ...media];
  return [
    { role: "assistant", content: [{ type: "text", text: `I click on field ${at}.` }, call] },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: `c${at}`, toolName: "click", output: { type: "content", value } }],
    },
  ];
}

/** @type {any[]} */
const run = [{ role: "user", content: "Book a flight." }, ...Array.from({ length: 20 }, (_, at) => step(at)).flat()];

/** Parts of a prompt's messages: media by their types, and texts. */
function shownIn(messages) {
  return messages.flatMap((message) => {
    const parts = plainMessage(message).content;
    const held = (Array.isArray(parts) ? parts : []).flatMap((part) =>
      part.type === "tool-result" ? (part.output?.value ?? []) : [part],
    );
    return held.map((part) => (part.type === "text" ? part.text : part.type));
  });
}

describe("a screen agent of 20 steps at 8,000 tokens", () => {
  for (const model of ["gpt-4o", "claude-sonnet-4-5", "gemini-2.5-pro"]) {
    test(`${model}: keeps what all steps said and did, and the newest 4 screenshots`, () => {
      const context = buildContextSync(run, { model, budget: { maxTokens: 8000 } });
      const shown = shownIn(context.messages);
      for (let at = 0; at < 20; at++) {
        assert.ok(
          shown.includes(`I click on field ${at}.`) && shown.includes(`Clicked; page ${at} shows.`),
          `step ${at}`,
        );
      }
      const media = shown.filter((it) => it === "image" || LINE.test(it));
      const images = media.filter((it) => it === "image").length;
      assert.ok(images >= 4, `${images} screenshots`);
      assert.deepEqual(media.slice(20 - images), Array(images).fill("image"), "the newest are shown");
      assert.match(context.explain(2).words, /shortened/);
    });
  }

  test("with a cut, steps between two moves repeat the prompt before them", () => {
    let [previous, moves] = [[], 0];
    for (let count = 3; count <= run.length; count += 2) {
      const { messages } = buildContextSync(run.slice(0, count), {
        ...presets.steady,
        model: "gpt-4o",
        budget: { ...presets.steady.budget, maxTokens: 8000 },
      });
      const lines = messages.map((message) => JSON.stringify(message));
      moves += previous.every((line, at) => line === lines[at]) ? 0 : 1;
      previous = lines;
    }
    assert.ok(moves <= 5, `${moves} moves in 20 steps`);
  });
});

test("a line replaces a screenshot that doesn't fit alone, and no step fails because of it", () => {
  const context = buildContextSync(run.slice(0, 3), { model: "gpt-4o", budget: { maxTokens: 300 } });
  assert.ok(shownIn(context.messages).some((it) => LINE.test(it)));
});

test("the user's pinned images and the request's stay", () => {
  const asked = { role: "user", content: [{ type: "text", text: "What is this?" }, screenshot(99)] };
  const pinned = { role: "user", pinned: true, content: [{ type: "text", text: "My card." }, screenshot(98)] };
  const messages = [
    pinned,
    ...Array.from({ length: 6 }, (_, at) => ({ ...asked, content: [...asked.content, screenshot(at)] })),
    asked,
  ];
  const context = buildContextSync(messages, { model: "gpt-4o", budget: { maxTokens: 3500 } });
  const [first, ...others] = context.messages;
  assert.equal(first, pinned);
  assert.equal(others.at(-1), asked);
});

test("random runs with images and files: the budget is exact, and everything shown is counted", () => {
  forEachSeed((random) => {
    const media = () =>
      Array.from({ length: random.integer(0, 3) }, () => random.pick([screenshot, pdf])(random.integer(0, 99)));
    /** @type {any[]} */
    const messages = [{ role: "user", content: "Go on." }];
    for (let at = 0; at < random.integer(1, 9); at++) {
      messages.push(...step(at, media()));
      if (random.chance(0.2)) {
        messages.push({ role: "user", content: [{ type: "text", text: random.text(4) }, ...media()] });
      }
    }
    const model = random.pick(["gpt-4o", "claude-sonnet-4-5", "gemini-2.5-pro"]);
    const all = buildContextSync(messages, { model }).tokens.total;
    const maxTokens = random.integer(100, all + 10);
    const maxImages = random.chance(0.3) ? random.integer(0, 4) : undefined;
    let context;
    try {
      context = buildContextSync(messages, { model, budget: { maxTokens, maxImages } });
    } catch (error) {
      assert.equal(error.code, "BUDGET_TOO_SMALL");
      return;
    }
    assert.ok(context.tokens.total <= maxTokens);
    assert.equal(buildContextSync(context.messages, { model }).tokens.total, context.tokens.total);
    const images = shownIn(context.messages).filter((it) => it === "image").length;
    assert.ok(images <= (maxImages ?? Number.POSITIVE_INFINITY), `${images} images, ${maxImages} at most`);
  });
});
