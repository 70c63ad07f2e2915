// The AI SDK's `UIMessage` of version 4.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, countTokens } from "windrow";
import { inSteps, STEP } from "../../support/in-steps.mjs";
import { checkRandomShape } from "../../support/random-shape.mjs";
import { checkShape } from "../../support/shape-cases.mjs";

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const LONG = "The boat house holds forty people, and it has a kitchen with a stove. ".repeat(8);
const encoding = "estimate";

const look = { toolCallId: "t1", toolName: "look", args: { q: 1 }, state: "result", step: 0, result: { people: 40 } };
const ask = { toolCallId: "t2", toolName: "ask", args: {}, state: "result", step: 0, result: "nobody" };
const book = { toolCallId: "t3", toolName: "book", args: { day: 12 }, state: "result", step: 1, result: LONG };

const sample = () => [
  {
    id: "a",
    role: "user",
    createdAt: new Date(1746435780000),
    content: "Which boat house?",
    experimental_attachments: [
      { name: "lake.png", contentType: "image/png", url: PIXEL },
      { name: "lake.txt", contentType: "text/plain", url: "https://example.org/lake.txt" },
      { url: PIXEL },
    ],
  },
  // Before version 4.1, messages had no parts.
  {
    id: "b",
    role: "assistant",
    content: `I looked. ${LONG}`,
    reasoning: "Let me look.",
    annotations: [{ seen: true }],
    toolInvocations: [look, ask, { toolCallId: "t9", toolName: "ask", args: { q: "how ma" }, state: "partial-call" }],
  },
  {
    id: "c",
    role: "user",
    content: "And the kitchen?",
    parts: [{ type: "text", text: "And the kitchen?" }],
    data: { n: 1 },
  },
  {
    id: "d",
    role: "assistant",
    createdAt: "2025-05-05T09:05:00Z",
    content: `It has one.${LONG}`,
    reasoning: "I must book it.",
    toolInvocations: [book],
    parts: [
      { type: "step-start" },
      {
        type: "reasoning",
        reasoning: "I must book it.",
        details: [
          { type: "text", text: "I must book it.", signature: "s" },
          { type: "redacted", data: "c2VhbGVk" },
        ],
      },
      { type: "reasoning", reasoning: "And pay.", details: [] },
      { type: "tool-invocation", toolInvocation: book },
      { type: "source", source: { sourceType: "url", id: "s", url: "https://example.org/boats", title: "Boats" } },
      { type: "step-start" },
      { type: "text", text: "It has one." },
      { type: "file", mimeType: "image/png", data: PIXEL.slice(22) },
      { type: "text", text: LONG },
    ],
  },
  { id: "e", role: "assistant", content: "", toolInvocations: [{ ...ask, toolCallId: "t4", result: undefined }] },
  { id: "f", role: "user", content: "", experimental_attachments: [], parts: [] },
];

checkShape({
  name: "ai-sdk-ui-4",
  sample,
  plain: [
    {
      role: "user",
      content: [
        "Which boat house?",
        { type: "image", url: PIXEL },
        { type: "file", url: "https://example.org/lake.txt", mediaType: "text/plain" },
        { type: "image", url: PIXEL },
      ],
    },
    {
      role: "assistant",
      content: inSteps([
        { type: "reasoning", text: "Let me look." },
        { type: "text", text: `I looked. ${LONG}` },
        { type: "tool-call", toolCallId: "t1", toolName: "look", input: { q: 1 } },
        { type: "tool-result", toolCallId: "t1", output: { people: 40 } },
        { type: "tool-call", toolCallId: "t2", toolName: "ask", input: {} },
        { type: "tool-result", toolCallId: "t2", output: "nobody" },
      ]),
    },
    { role: "user", content: "And the kitchen?" },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "I must book it." },
        { type: "redacted_thinking", data: "c2VhbGVk" },
        { type: "reasoning", text: "And pay." },
        { type: "tool-call", toolCallId: "t3", toolName: "book", input: { day: 12 } },
        { type: "tool-result", toolCallId: "t3", output: LONG },
        { type: "text", text: "It has one." },
        { type: "image", url: PIXEL },
        { type: "text", text: LONG },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: "t4", toolName: "ask", input: {} },
        { type: "tool-result", toolCallId: "t4", output: "" },
      ],
    },
    { role: "user", content: "" },
  ],
  texts: [
    "Which boat house?",
    "I looked.",
    "forty people",
    "[Calling look(",
    '"people":40',
    "nobody",
    "[Calling book(",
  ],
  unknown: () => [
    [{ role: "assistant", content: "", parts: [{ type: "source" }, { type: "hologram" }] }, ".parts[1].type"],
    [
      {
        role: "assistant",
        content: "",
        parts: [{ type: "tool-invocation", toolInvocation: { ...look, state: "odd" } }],
      },
      ".parts[0].toolInvocation.state",
    ],
    [
      { role: "assistant", content: "", parts: [{ type: "tool-invocation", toolInvocation: { state: "result" } }] },
      ".parts[0].toolInvocation.toolCallId",
    ],
    [
      { role: "assistant", content: "", toolInvocations: [look, { ...ask, state: "odd" }] },
      ".toolInvocations[1].state",
    ],
    [
      { role: "assistant", content: "", parts: [{ type: "reasoning", reasoning: "", details: [{ type: "odd" }] }] },
      ".parts[0].details[0].type",
    ],
    [{ role: "user", content: "", experimental_attachments: [{ name: "a" }] }, ".experimental_attachments[0].url"],
    [{ role: "user", content: 5, experimental_attachments: [] }, ".content"],
    [{ role: "user", content: "", experimental_attachments: [], images: ["a.png"] }, ".images"],
  ],
});

const costOf = (...messages) => countTokens(messages, { encoding }).tokens;

describe("the AI SDK's UIMessage of version 4", () => {
  const parts = [
    { type: "reasoning", reasoning: "Hm.", details: [{ type: "text", text: "Hm." }] },
    { type: "tool-invocation", toolInvocation: look },
    { type: "text", text: "Forty people." },
    { type: "file", mimeType: "image/png", data: PIXEL.slice(22) },
  ];
  const beside = {
    content: "Forty people.",
    reasoning: "Hm.",
    toolInvocations: [look],
    experimental_attachments: [{ contentType: "image/png", url: PIXEL }],
  };

  test("repeated contents count once, in whichever form", () => {
    const inParts = costOf({ role: "assistant", content: "", parts });
    const besideParts = costOf({ role: "assistant", ...beside });
    const inBoth = costOf({ role: "assistant", parts, ...beside });
    assert.equal(inBoth, inParts);
    // In the fields, the text comes before the calls.
    const [thought, call, text, file] = parts;
    assert.equal(besideParts, costOf({ role: "assistant", content: "", parts: [thought, text, call, file] }));
  });

  test("contents that are only in a field next to the parts count too", () => {
    const [, , text] = parts;
    for (const [field, value] of Object.entries(beside)) {
      if (field !== "content") {
        const message = { role: "assistant", content: "", experimental_attachments: [], parts: [text] };
        assert.ok(costOf({ ...message, [field]: value }) > costOf(message), field);
      }
    }
    const step = { type: "step-start" };
    assert.equal(
      costOf({ role: "assistant", content: "Hi.", toolInvocations: [], parts: [step] }),
      costOf({ role: "assistant", content: "Hi." }),
    );
  });

  test("content older than the parts is ignored, as in the AI SDK", () => {
    const message = { role: "assistant", content: "", parts };
    assert.equal(costOf({ ...message, content: `An earlier answer. ${LONG}` }), costOf(message));
  });

  test("the fields agree with the parts in a shortened message", () => {
    /** @type {any} */
    const message = { role: "assistant", parts, ...beside, pinned: true };
    const long = { ...look, result: LONG };
    message.parts = [{ type: "tool-invocation", toolInvocation: long }, ...parts.slice(2)];
    message.toolInvocations = [long];
    /** @satisfies {import("windrow").BudgetConfig} */
    const budget = { maxTokens: costOf(message) - 30, onRequiredOverflow: "shorten" };
    const { messages, tokens } = buildContextSync([message], { encoding, request: null, budget });
    const [copy] = messages;
    assert.equal(copy.shortened, true);
    assert.deepEqual(copy.toolInvocations, [copy.parts.find(({ type }) => type === "tool-invocation").toolInvocation]);
    assert.equal(copy.content, "");
    assert.equal(costOf(copy), tokens.total);
  });

  test("only the call without a result is left out", () => {
    const toolInvocations = [{ ...look, state: "call", result: undefined }];
    const context = buildContextSync([{ role: "assistant", content: "Wait.", toolInvocations }], { encoding });
    assert.deepEqual(context.messages, [{ role: "assistant", content: "Wait.", toolInvocations: [], shortened: true }]);
    const silent = buildContextSync([{ role: "assistant", content: "", toolInvocations }], { encoding });
    assert.equal(silent.explain(0).reason, "call_without_result");
  });

  test("data messages belong to the application, and are never shown", () => {
    const messages = [
      { role: "data", content: "progress", data: { percent: 40 } },
      { role: "user", content: "Hi." },
    ];
    const context = buildContextSync(messages, { encoding });
    assert.deepEqual(context.messages, [messages[1]]);
    assert.equal(context.explain(0).reason, "deleted");
  });
});

checkRandomShape({
  name: "ai-sdk-ui-4",
  conversation: (random) =>
    Array.from({ length: random.integer(1, 8) }, (_, position) => {
      const id = `m${position}`;
      return random.chance(0.5) ? withParts(random, id) : withoutParts(random, id);
    }),
});

/** A message with parts that repeats some of their contents in fields. */
function withParts(random, id) {
  const role = random.pick(["user", "assistant", "assistant"]);
  const pairs = Array.from({ length: random.integer(0, 5) }, (_, at) => randomPart(random, role, `${id}-${at}`));
  const parts = pairs.map(([part]) => part);
  const own = inSteps(pairs.flatMap(([, of]) => of));
  const said = (type) => parts.filter((part) => part.type === type);
  const texts = said("text").map(({ text }) => text);
  const message = {
    id,
    role,
    content: random.chance(0.7) ? texts.join("") : "",
    parts,
    toolInvocations: said("tool-invocation").map(({ toolInvocation }) => toolInvocation),
    ...(random.chance(0.5) && said("reasoning").length > 0 ? { reasoning: "said again" } : {}),
  };
  return [message, { id, role, content: own }];
}

function randomPart(random, role, toolCallId) {
  const text = random.text(12);
  const words = () => [{ type: "text", text }, [{ type: "text", text }]];
  const unseen = () => {
    const type = random.pick(["step-start", "source"]);
    return [{ type, source: { url: text } }, type === "step-start" ? [STEP] : []];
  };
  const image = () => [{ type: "file", mimeType: "image/png", data: PIXEL }, [{ type: "image", url: PIXEL }]];
  const reasoning = () => [
    { type: "reasoning", reasoning: text, details: [{ type: "text", text }] },
    text === "" ? [] : [{ type: "reasoning", text }],
  ];
  const call = () => {
    const [toolInvocation, own] = randomCall(random, toolCallId);
    return [{ type: "tool-invocation", toolInvocation }, own];
  };
  return random.pick(role === "user" ? [words, image, unseen] : [words, reasoning, unseen, call, call])();
}

/** A message without parts: its contents are in fields. */
function withoutParts(random, id) {
  const [content, thought] = [random.text(12), random.text(4)];
  if (random.chance(0.5)) {
    const experimental_attachments = Array.from({ length: random.integer(0, 2) }, (_, at) => ({
      contentType: "image/png",
      url: `https://example.org/${id}-${at}.png`,
    }));
    const images = experimental_attachments.map(({ url }) => ({ type: "image", url }));
    return [
      { id, role: "user", content, experimental_attachments },
      { id, role: "user", content: [...textParts(content), ...images] },
    ];
  }
  const calls = Array.from({ length: random.integer(0, 3) }, (_, at) => randomCall(random, `${id}-${at}`));
  const reasoning = thought === "" ? [] : [{ type: "reasoning", text: thought }];
  return [
    { id, role: "assistant", content, reasoning: thought, toolInvocations: calls.map(([call]) => call) },
    {
      id,
      role: "assistant",
      content: [...reasoning, ...textParts(content), ...inSteps(calls.flatMap(([, own]) => own))],
    },
  ];
}

const textParts = (text) => (text === "" ? [] : [{ type: "text", text }]);

function randomCall(random, toolCallId) {
  const [toolName, args, text] = [random.pick(["look", "book"]), { q: random.text(3) }, random.text(8)];
  const result = random.pick([text, { found: [text] }]);
  const call = { type: "tool-call", toolCallId, toolName, input: args };
  return random.pick([
    [{ toolCallId, toolName, args, state: "partial-call" }, []],
    [{ toolCallId, toolName, args, state: "call" }, [call]],
    [
      { toolCallId, toolName, args, state: "result", result },
      [call, { type: "tool-result", toolCallId, output: result }],
    ],
    [
      { toolCallId, toolName, args, state: "result", result },
      [call, { type: "tool-result", toolCallId, output: result }],
    ],
  ]);
}
