// The AI SDK's `UIMessage`, versions 5 to 7.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, countTokens, createTranscript } from "windrow";
import { inSteps, STEP } from "../../support/in-steps.mjs";
import { checkRandomShape } from "../../support/random-shape.mjs";
import { checkShape } from "../../support/shape-cases.mjs";

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const LONG = "The boat house holds forty people, and it has a kitchen with a stove. ".repeat(8);

const sample = () => [
  {
    id: "a",
    role: "user",
    metadata: { createdAt: 1 },
    parts: [
      { type: "text", text: "Which boat house?" },
      { type: "file", mediaType: "image/png", filename: "lake.png", url: PIXEL },
      { type: "data-weather", data: { city: "Rome" } },
    ],
  },
  {
    id: "b",
    role: "assistant",
    parts: [
      { type: "step-start" },
      { type: "reasoning", text: "Let me look.", state: "done", providerMetadata: { anthropic: { signature: "s" } } },
      { type: "tool-look", toolCallId: "t1", state: "output-available", input: { q: 1 }, output: { people: 40 } },
      {
        type: "dynamic-tool",
        toolName: "ask",
        toolCallId: "t2",
        state: "output-error",
        input: {},
        errorText: "nobody",
      },
      {
        type: "tool-book",
        toolCallId: "t3",
        state: "output-denied",
        input: { day: 12 },
        approval: { id: "p", approved: false },
      },
      { type: "source-url", sourceId: "s", url: "https://example.org/boats" },
      { type: "text", text: LONG, state: "done" },
    ],
  },
  { id: "c", role: "user", parts: [{ type: "text", text: "And the kitchen?" }] },
  {
    id: "d",
    role: "assistant",
    content: "It has one.",
    parts: [
      { type: "tool-look", toolCallId: "t4", state: "input-streaming", input: undefined },
      { type: "text", text: "It has one." },
    ],
  },
  {
    id: "e",
    role: "user",
    parts: [
      { type: "text", text: "", state: "done" },
      { type: "file", mediaType: "audio/wav", url: "https://example.org/a.wav", seconds: 7 },
      { type: "file", mediaType: "image", filename: "b.png", url: "https://example.org/b" },
      { type: "file", mediaType: "application/pdf", url: "", providerReference: { openai: "file-1" } },
    ],
  },
  {
    id: "f",
    role: "assistant",
    parts: [
      { type: "step-start" },
      { type: "reasoning", text: "", providerMetadata: { anthropic: { redactedData: "c2VhbGVk" } } },
      { type: "reasoning", text: "", providerMetadata: { openai: { itemId: "rs_1" } } },
      { type: "reasoning-file", mediaType: "image/png", url: PIXEL },
      { type: "custom", kind: "openai.compaction", providerMetadata: { openai: { encryptedContent: "Y29tcGFjdA==" } } },
      { type: "custom", kind: "acme.note" },
      { type: "source-document", sourceId: "s2", mediaType: "application/pdf", title: "Boats" },
      {
        type: "tool-pay",
        toolCallId: "t7",
        state: "approval-responded",
        input: { euros: 2 },
        approval: { id: "p2", approved: true },
      },
      {
        type: "tool-pay",
        toolCallId: "t8",
        state: "approval-responded",
        input: { euros: 3 },
        approval: { id: "p3", approved: false, reason: "too dear" },
      },
      { type: "tool-scan", toolCallId: "t9", state: "output-error", rawInput: "{page", errorText: "no JSON" },
      { type: "tool-void", toolCallId: "t11", state: "output-available", input: {}, output: undefined },
    ],
  },
];

checkShape({
  name: "ai-sdk-ui",
  sample,
  plain: [
    { role: "user", content: ["Which boat house?", { type: "image", url: PIXEL, mediaType: "image/png" }] },
    {
      role: "assistant",
      content: inSteps([
        { type: "reasoning", text: "Let me look." },
        { type: "tool-call", toolCallId: "t1", toolName: "look", input: { q: 1 } },
        { type: "tool-result", toolCallId: "t1", output: { people: 40 } },
        { type: "tool-call", toolCallId: "t2", toolName: "ask", input: {} },
        { type: "tool-result", toolCallId: "t2", output: "nobody" },
        { type: "tool-call", toolCallId: "t3", toolName: "book", input: { day: 12 } },
        { type: "tool-result", toolCallId: "t3", output: "Tool execution denied." },
        { type: "text", text: LONG },
      ]),
    },
    { role: "user", content: "And the kitchen?" },
    { role: "assistant", content: "It has one." },
    {
      role: "user",
      content: [
        "",
        { type: "audio", mediaType: "audio/wav", url: "https://example.org/a.wav", seconds: 7 },
        { type: "image", url: "https://example.org/b" },
        { type: "file", mediaType: "application/pdf", file: { file_id: "file-1" } },
      ],
    },
    {
      role: "assistant",
      content: inSteps([
        { type: "redacted_thinking", data: "c2VhbGVk" },
        { type: "image", url: PIXEL },
        { type: "redacted_thinking", data: "Y29tcGFjdA==" },
        { type: "tool-call", toolCallId: "t7", toolName: "pay", input: { euros: 2 } },
        { type: "tool-result", toolCallId: "t7", output: "" },
        { type: "tool-call", toolCallId: "t8", toolName: "pay", input: { euros: 3 } },
        { type: "tool-result", toolCallId: "t8", output: "too dear" },
        { type: "tool-call", toolCallId: "t9", toolName: "scan", input: "{page" },
        { type: "tool-result", toolCallId: "t9", output: "no JSON" },
        { type: "tool-call", toolCallId: "t11", toolName: "void", input: {} },
        { type: "tool-result", toolCallId: "t11", output: "" },
      ]),
    },
  ],
  texts: ["Which boat house?", "forty people", "[Calling look(", '"people":40', "nobody", "too dear"],
  unknown: () => [
    [{ role: "user", parts: [{ type: "hologram", data: "x" }] }, ".parts[0].type"],
    [{ role: "user", parts: [{ type: "text" }] }, ".parts[0].text"],
    [{ role: "assistant", parts: [{ type: "tool-x", toolCallId: "t", state: "odd" }] }, ".parts[0].state"],
    [{ role: "user", parts: [{ type: "text", text: "hi" }], content: "Something else." }, ".content"],
    [{ role: "user", parts: [{ type: "file", mediaType: "image/png" }] }, ".parts[0].url"],
    [{ role: "assistant", parts: [{ type: "tool-x", state: "input-available" }] }, ".parts[0].toolCallId"],
    [
      { role: "assistant", parts: [{ type: "dynamic-tool", toolCallId: "t", state: "input-available" }] },
      ".parts[0].toolName",
    ],
    [{ role: "user", parts: [{ type: "text", text: "hi" }], attachments: [{ url: "a.png" }] }, ".attachments"],
  ],
});

describe("the AI SDK's UIMessage", () => {
  test("has the time in its metadata", () => {
    const messages = [
      { role: "user", metadata: { createdAt: 1746435780000 }, parts: [{ type: "text", text: "Hi" }] },
      { role: "user", createdAt: new Date(1746435840000), parts: [{ type: "text", text: "Ho" }] },
    ];
    const { text } = buildContextSync(messages, {
      encoding: "estimate",
      render: { format: "text", times: true },
    });
    assert.match(text, /09:03[\s\S]*Hi[\s\S]*09:04[\s\S]*Ho/);
  });

  test("has the same shortened text in its content", () => {
    /** @type {any} */
    const message = { role: "user", content: LONG, parts: [{ type: "text", text: LONG }], pinned: true };
    /** @satisfies {import("windrow").BudgetConfig} */
    const budget = { maxTokens: 60, onRequiredOverflow: "shorten" };
    const { messages, tokens } = buildContextSync([message], { encoding: "estimate", request: null, budget });
    assert.equal(messages[0].shortened, true);
    assert.equal(messages[0].content, messages[0].parts[0].text);
    assert.equal(countTokens(messages, { encoding: "estimate" }).tokens, tokens.total);
  });

  test("that waits for a tool or the user is left out, because the model can't be called until then", () => {
    for (const part of [
      { type: "tool-pay", toolCallId: "t1", state: "input-available", input: {} },
      { type: "tool-pay", toolCallId: "t1", state: "approval-requested", input: {}, approval: { id: "a" } },
    ]) {
      const message = { role: "assistant", parts: [part] };
      const context = buildContextSync([message], { encoding: "estimate" });
      assert.equal(context.explain(0).reason, "call_without_result");
    }
  });

  test("keeps a tool's image when the text of the result is shortened", () => {
    const value = [
      { type: "text", text: LONG },
      { type: "media", mediaType: "image/png", data: PIXEL.slice(22) },
    ];
    const output = { type: "content", value };
    const part = { type: "tool-shot", toolCallId: "t1", state: "output-available", input: {}, output };
    const message = { role: "assistant", parts: [part], pinned: true };
    const plain = {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: "t1", toolName: "shot", input: {} },
        { type: "tool-result", toolCallId: "t1", output },
      ],
    };
    const cost = (one) => countTokens([one], { encoding: "estimate" }).tokens;
    assert.equal(cost(message), cost(plain));
    /** @satisfies {import("windrow").BudgetConfig} */
    const budget = { maxTokens: cost(message) - 40, onRequiredOverflow: "shorten" };
    /** @type {import("windrow").BuiltContext<any>} */
    const { messages, tokens } = buildContextSync([message], { encoding: "estimate", request: null, budget });
    assert.equal(messages[0].parts[0].output.value.at(-1), value[1]);
    assert.equal(cost(messages[0]), tokens.total);
  });

  test("is named by its id", () => {
    const transcript = createTranscript(sample());
    assert.equal(buildContextSync(transcript, { encoding: "estimate" }).explain("b").position, 1);
  });
});

checkRandomShape({
  name: "ai-sdk-ui",
  conversation: (random) =>
    Array.from({ length: random.integer(1, 8) }, (_, position) => {
      const role = random.pick(["user", "assistant", "assistant", "assistant", random.pick(["user", "system"])]);
      const pairs = Array.from({ length: random.integer(0, 5) }, (_, at) =>
        randomPart(random, role, `c${position}-${at}`),
      );
      const id = `m${position}`;
      return [
        { id, role, parts: pairs.map(([part]) => part) },
        { id, role, content: inSteps(pairs.flatMap(([, own]) => own)) },
      ];
    }),
});

/** A part, and its equivalent in windrow's own form. */
function randomPart(random, role, toolCallId) {
  const text = random.text(12);
  const words = () => [{ type: "text", text, state: "done" }, [{ type: "text", text }]];
  const unseen = () => {
    const type = random.pick(["step-start", "data-x", "source-url"]);
    return [{ type, data: { text } }, type === "step-start" ? [STEP] : []];
  };
  const image = () => [
    { type: "file", mediaType: "image/png", url: PIXEL },
    [{ type: "image", mediaType: "image/png", url: PIXEL }],
  ];
  const reasoning = () => [{ type: "reasoning", text }, text === "" ? [] : [{ type: "reasoning", text }]];
  const ofUser = [words, words, image, unseen];
  const ofAssistant = [
    words,
    reasoning,
    unseen,
    () => randomCall(random, toolCallId),
    () => randomCall(random, toolCallId),
  ];
  return random.pick(role === "user" ? ofUser : role === "assistant" ? ofAssistant : [words])();
}

function randomCall(random, toolCallId) {
  const [toolName, input, text] = [random.pick(["look", "book-boat"]), { q: random.text(3) }, random.text(8)];
  const part = {
    ...random.pick([{ type: `tool-${toolName}` }, { type: "dynamic-tool", toolName }]),
    toolCallId,
    input,
  };
  const call = { type: "tool-call", toolCallId, toolName, input };
  const result = { type: "tool-result", toolCallId, output: text };
  const approval = { id: "a", approved: false, reason: text };
  return random.pick([
    [{ ...part, state: "input-streaming" }, []],
    [{ ...part, state: "input-available" }, [call]],
    [{ ...part, state: "approval-requested", approval: { id: "a" } }, [call]],
    [
      { ...part, state: "approval-responded", approval: { id: "a", approved: true } },
      [call, { ...result, output: "" }],
    ],
    [{ ...part, state: "approval-responded", approval }, [call, result]],
    [{ ...part, state: "output-available", output: text }, [call, result]],
    [
      { ...part, state: "output-available", output: { found: [text] } },
      [call, { ...result, output: { found: [text] } }],
    ],
    [{ ...part, state: "output-error", errorText: text }, [call, result]],
    [{ ...part, state: "output-denied", approval }, [call, result]],
  ]);
}
