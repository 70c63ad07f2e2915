// `budget.maxImages`: the newest images are shown, and a line replaces each other one.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import {
  buildContextSync,
  countTokens,
  createTranscript,
  loadEncoding,
  memoryStore,
  openSession,
  plainMessage,
} from "windrow";
import { assertShare, forEachSeed } from "../support/property.mjs";
import { SHAPES as FORMATS, randomTurns } from "../support/shape-conversations.mjs";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAUCAIAAAD";
const data = (random) =>
  PNG + Array.from({ length: random.integer(8, 60) * 4 }, () => random.pick("ABCdef123")).join("");
const LINE = /^\[image(?:\/png)?(?:: \d+ bytes)?, not shown\]$/;

/** A user message with a text and images, and a call with images in its result, by format. */
/** @type {Record<string, { user: (texts: any, images: any) => any, step?: (id: any, images: any) => any[] }>} */
const SHAPES = {
  windrow: {
    user: (texts, images) => ({
      role: "user",
      content: [
        ...texts.map((text) => ({ type: "text", text })),
        ...images.map((it) => ({ type: "image", data: it, mediaType: "image/png" })),
      ],
    }),
  },
  openai: {
    user: (texts, images) => ({
      role: "user",
      content: [
        ...texts.map((text) => ({ type: "text", text })),
        ...images.map((it) => ({ type: "image_url", image_url: { url: `data:image/png;base64,${it}` } })),
      ],
    }),
  },
  anthropic: {
    user: (texts, images) => ({
      role: "user",
      content: [...texts.map((text) => ({ type: "text", text })), ...images.map(anthropic)],
    }),
    step: (id, images) => [
      { role: "assistant", content: [{ type: "tool_use", id, name: "look", input: {} }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: id, content: [{ type: "text", text: "here" }, ...images.map(anthropic)] },
          { type: "text", text: "and?" },
        ],
      },
    ],
  },
  "openai-responses": {
    user: (texts, images) => ({
      type: "message",
      role: "user",
      content: [
        ...texts.map((text) => ({ type: "input_text", text })),
        ...images.map((it) => ({ type: "input_image", image_url: `data:image/png;base64,${it}`, detail: "auto" })),
      ],
    }),
    step: (id, images) => [
      { type: "function_call", call_id: id, name: "look", arguments: "{}" },
      {
        type: "function_call_output",
        call_id: id,
        output: images.map((it) => ({ type: "input_image", image_url: `data:image/png;base64,${it}`, detail: "auto" })),
      },
    ],
  },
  gemini: {
    user: (texts, images) => ({
      role: "user",
      parts: [
        ...texts.map((text) => ({ text })),
        ...images.map((it) => ({ inlineData: { mimeType: "image/png", data: it } })),
      ],
    }),
  },
  "ai-sdk": {
    user: (texts, images) => ({
      role: "user",
      content: [
        ...texts.map((text) => ({ type: "text", text })),
        ...images.map((it) => ({ type: "image", image: it, mediaType: "image/png" })),
      ],
    }),
    step: (toolCallId, images) => [
      { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName: "look", input: {} }] },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId,
            toolName: "look",
            output: {
              type: "content",
              value: images.map((it) => ({ type: "image-data", data: it, mediaType: "image/png" })),
            },
          },
        ],
      },
    ],
  },
};

function anthropic(it) {
  return { type: "image", source: { type: "base64", media_type: "image/png", data: it } };
}

/** The images and lines of a prompt's messages, in their order. */
function seenIn(messages) {
  const seen = [];
  const walk = (part) => {
    if (part.type === "image") {
      seen.push("image");
    } else if (typeof part.text === "string" && LINE.test(part.text)) {
      seen.push("line");
    }
    const held = part.type === "tool-result" ? (part.output?.value ?? []) : [];
    for (const inner of Array.isArray(held) ? held : []) {
      walk(inner);
    }
  };
  for (const message of messages) {
    const { content } = plainMessage(message);
    for (const part of Array.isArray(content) ? content : []) {
      walk(part);
    }
  }
  return seen;
}

function conversation(random, { user, step = undefined }) {
  const images = () => Array.from({ length: random.integer(0, 3) }, () => data(random));
  const messages = [];
  for (let index = 0; index < random.integer(1, 8); index++) {
    messages.push(user([`word ${index}`], images()));
    if (step !== undefined && random.chance(0.6)) {
      messages.push(...step(`c${index}`, [data(random), ...images()]));
    }
  }
  return [...messages, user(["and now?"], images())];
}

for (const [name, shape] of Object.entries(SHAPES)) {
  describe(name, () => {
    test("the newest images are shown, lines replace the others, and both are counted as sent", () => {
      forEachSeed((random) => {
        const messages = conversation(random, shape);
        const given = structuredClone(messages);
        const maxImages = random.integer(0, 6);
        const context = buildContextSync(messages, { encoding: "estimate", budget: { maxImages } });
        const whole = seenIn(messages);
        const lines = Math.max(0, whole.length - maxImages);
        const expected = whole.map((_, at) => (at < lines ? "line" : "image"));
        assert.deepEqual(seenIn(context.messages), expected);
        assert.deepEqual(seenIn(context.kept), expected);
        assert.equal(context.messages.length, messages.length);
        assert.equal(countTokens(context.messages, { encoding: "estimate" }).tokens, context.tokens.total);
        assert.deepEqual(messages, given);
        assert.equal(
          lines === 0,
          context.messages.every((message, at) => message === messages[at]),
        );
      });
    });
  });
}

describe("in every format", () => {
  before(() => loadEncoding("o200k_base"));

  for (const { title, write, thoughtsOf, has } of Object.values(FORMATS)) {
    test(`${title}: a copy with lines can be read again, and costs what was counted`, () => {
      let lined = 0;
      const cases = forEachSeed((random) => {
        const messages = write(randomTurns(random, { thoughtsOf, has }).turns, random);
        const maxImages = random.integer(0, 2);
        const maxTokens = random.chance(0.5) ? 1_000_000 : random.integer(200, 3000);
        /** @satisfies {import("windrow").SyncContextConfig} */
        const config = {
          encoding: "o200k_base",
          request: null,
          budget: { maxTokens, maxImages, onRequiredOverflow: "shorten", toolResults: { shrink: false } },
        };
        const context = buildContextSync(/** @type {any} */ (messages), config);
        const shown = seenIn(context.messages);
        assert.ok(shown.filter((it) => it === "image").length <= maxImages, `${shown}`);
        const { tokens } = countTokens(context.messages, { encoding: "o200k_base" });
        assert.ok(tokens <= context.tokens.total, `${tokens} tokens, and ${context.tokens.total} were counted`);
        lined += shown.includes("line") ? 1 : 0;
      });
      assertShare(lined, cases, 12, "have a line");
    });
  }
});

test("an image in the request is the newest", () => {
  const { user } = SHAPES.anthropic;
  const context = buildContextSync([user(["first"], [PNG, PNG])], {
    request: user(["second"], [PNG, PNG]),
    budget: { maxImages: 1 },
    encoding: "estimate",
  });
  assert.deepEqual(seenIn(context.messages), ["line", "line", "line", "image"]);
});

test("a transcript and a session show the same images as an array", async () => {
  const { user, step } = SHAPES.anthropic;
  const messages = Array.from({ length: 30 }, (_, at) => [
    user([`word ${at}`], [PNG]),
    ...step(`c${at}`, [PNG]),
  ]).flat();
  /** @satisfies {import("windrow").SyncContextConfig} */
  const config = /** @type {const} */ ({ encoding: "estimate", budget: { maxImages: 5 } });
  const expected = buildContextSync(messages, config);
  assert.equal(seenIn(expected.messages).filter((it) => it === "image").length, 5);
  const transcript = createTranscript(messages);
  const session = await openSession("a", { store: memoryStore() });
  await session.append(messages);
  for (const context of [buildContextSync(transcript, config), await session.build(config)]) {
    assert.deepEqual(seenIn(context.messages), seenIn(expected.messages));
    assert.equal(context.tokens.total, expected.tokens.total);
  }
});
