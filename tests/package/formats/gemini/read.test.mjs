// Gemini's `Content`, in the form of `@google/genai` and Vertex AI.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, countTokens, loadEncoding } from "windrow";
import { forEachSeed } from "../../support/property.mjs";
import { checkShape } from "../../support/shape-cases.mjs";

await loadEncoding("o200k_base");
const encoding = "o200k_base";
const cost = (message) => countTokens([message], { encoding }).tokens;

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const LONG = "The boat house holds forty people, and it has a kitchen with a stove. ".repeat(8);

const sample = () => [
  { role: "system", parts: [{ text: "You know every lake." }] },
  {
    role: "user",
    parts: [
      { text: "Which boat house?" },
      {
        inlineData: { mimeType: "image/png", data: PIXEL, displayName: "lake" },
        mediaResolution: { level: "MEDIA_RESOLUTION_LOW" },
      },
      { inlineData: { mimeType: "audio/wav", data: "UklGRg==" } },
      {
        fileData: { mimeType: "video/mp4", fileUri: "https://example.org/lake.mp4" },
        videoMetadata: { startOffset: "2s", endOffset: "6.5s", fps: 2 },
        mediaProcessing: "STATIC",
      },
      { fileData: { fileUri: "gs://lake/map.pdf", mimeType: "application/pdf" }, partMetadata: { page: 1 } },
    ],
  },
  {
    role: "model",
    parts: [
      { text: "Let me look.", thought: true },
      { thoughtSignature: "c2ln" },
      { functionCall: { name: "look", args: { lake: "Bled" } }, thoughtSignature: "c2ln" },
      { functionCall: { name: "look", args: { lake: "Como" } } },
      { functionCall: { id: "f3", name: "book", args: {} } },
    ],
  },
  {
    role: "user",
    parts: [
      { functionResponse: { name: "look", response: { output: "forty people" } } },
      { functionResponse: { name: "look", response: { error: "no such lake" } } },
      {
        functionResponse: {
          id: "f3",
          name: "book",
          response: { day: 12 },
          parts: [{ inlineData: { mimeType: "image/png", data: PIXEL } }],
          scheduling: "WHEN_IDLE",
          willContinue: false,
        },
      },
    ],
  },
  { role: "model", parts: [{ text: LONG, thoughtSignature: "c2ln" }] },
  { parts: [{ text: "How large is the kitchen?" }] },
  {
    role: "model",
    parts: [
      { executableCode: { language: "PYTHON", code: "print(4 * 5)" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "20" } },
      { toolCall: { id: "s1", toolType: "GOOGLE_SEARCH_WEB", args: { queries: ["kitchen"] } } },
      { toolResponse: { id: "s1", toolType: "GOOGLE_SEARCH_WEB", response: { hits: 3 } } },
      { text: "It has twenty square metres.", speechMetadata: { speaker: "Ana" } },
      {},
    ],
  },
  { role: "user", parts: [{ text: "And its stove?" }] },
  {
    role: "model",
    parts: [
      { functionCall: { name: "measure", willContinue: true } },
      { functionCall: { partialArgs: [{ jsonPath: "$.of", stringValue: "st" }], willContinue: true } },
      { functionCall: { partialArgs: [{ jsonPath: "$.of", stringValue: "ove" }] } },
    ],
  },
  { role: "function", parts: [{ functionResponse: { name: "measure", response: { metres: 1 } } }] },
  { role: "model", parts: [{ audioTranscription: { text: "One metre, and it burns wood.", finished: true } }] },
  { role: "user", parts: [] },
  { role: "model" },
];

const plain = [
  { role: "system", content: "You know every lake." },
  {
    role: "user",
    content: [
      "Which boat house?",
      { type: "image", data: PIXEL, mediaType: "image/png", detail: "low" },
      { type: "audio", data: "UklGRg==", mediaType: "audio/wav" },
      { type: "file", url: "https://example.org/lake.mp4", mediaType: "video/mp4", seconds: 9 },
      { type: "file", url: "gs://lake/map.pdf", mediaType: "application/pdf" },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Let me look." },
      { type: "tool-call", toolCallId: "look", toolName: "look", input: { lake: "Bled" } },
      { type: "tool-call", toolCallId: "look", toolName: "look", input: { lake: "Como" } },
      { type: "tool-call", toolCallId: "f3", toolName: "book", input: {} },
    ],
  },
  {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "look", output: "forty people" },
      { type: "tool-result", toolCallId: "look", output: "no such lake" },
      {
        type: "tool-result",
        toolCallId: "f3",
        output: {
          type: "content",
          value: [
            { type: "text", text: '{"day":12}' },
            { type: "image", data: PIXEL, mediaType: "image/png" },
          ],
        },
      },
    ],
  },
  { role: "assistant", content: LONG },
  { role: "user", content: "How large is the kitchen?" },
  {
    role: "assistant",
    content: [
      {
        type: "tool-call",
        toolCallId: "code_execution",
        toolName: "code_execution",
        input: { language: "PYTHON", code: "print(4 * 5)" },
      },
      { type: "tool-result", toolCallId: "code_execution", output: "20" },
      { type: "tool-call", toolCallId: "s1", toolName: "GOOGLE_SEARCH_WEB", input: { queries: ["kitchen"] } },
      { type: "tool-result", toolCallId: "s1", output: { hits: 3 } },
      { type: "text", text: "It has twenty square metres." },
    ],
  },
  { role: "user", content: "And its stove?" },
  {
    role: "assistant",
    content: [
      {
        type: "tool-call",
        toolCallId: "measure",
        toolName: "measure",
        input: [
          { jsonPath: "$.of", stringValue: "st" },
          { jsonPath: "$.of", stringValue: "ove" },
        ],
      },
    ],
  },
  { role: "tool", content: [{ type: "tool-result", toolCallId: "measure", output: { metres: 1 } }] },
  { role: "assistant", content: "One metre, and it burns wood." },
  { role: "user", content: [] },
  { role: "assistant", content: [] },
];

checkShape({
  name: "gemini",
  sample,
  plain,
  texts: ["Which boat house?", "forty people", '[Calling look({"lake":"Bled"})]', '"day":12', "burns wood", "[image]"],
  together: [
    [2, 3],
    [8, 9],
  ],
  unknown: () => [
    [{ role: "model", parts: [{ hologram: { data: "x" } }] }, ".parts[0].hologram"],
    [{ role: "user", parts: [{ text: "hi" }, { type: "text", text: "hi" }] }, ".parts[1].type"],
    [{ role: "user", parts: [{ text: 3 }] }, ".parts[0].text"],
    [{ role: "user", parts: [{ text: "hi" }, null] }, ".parts[1]"],
    [{ role: "user", parts: [{ inlineData: { mimeType: "image/png" } }] }, ".parts[0].inlineData"],
    [{ role: "model", parts: [{ functionCall: { args: { q: 1 } } }] }, ".parts[0].functionCall.name"],
    [{ role: "user", parts: [{ functionResponse: { response: {} } }] }, ".parts[0].functionResponse.name"],
    [{ role: "pirate", parts: [{ text: "hi" }] }, ".role"],
    [{ role: "model", parts: "hi" }, ".role"],
    [
      { role: "user", parts: [{ functionResponse: { name: "f", response: {}, parts: [{ inlineData: {} }] } }] },
      ".parts[0].functionResponse.parts[0].inlineData",
    ],
  ],
});

describe("calls and responses", () => {
  const asked = (text) => ({ role: "user", parts: [{ text }] });
  const called = (...calls) => ({ role: "model", parts: calls.map((functionCall) => ({ functionCall })) });
  const gave = (...responses) => ({
    role: "user",
    parts: responses.map((functionResponse) => ({ functionResponse })),
  });
  const fates = (messages) => {
    const context = buildContextSync(messages, { encoding });
    return messages.map((_, at) => context.explain(at).fate === "kept");
  };

  test("calls with the same name each have their own response over time", () => {
    const messages = [1, 2, 3].flatMap((turn) => [
      asked(`Question ${turn}?`),
      called({ name: "look", args: { turn } }),
      gave({ name: "look", response: { turn } }),
      { role: "model", parts: [{ text: `Answer ${turn}.` }] },
    ]);
    assert.ok(fates(messages).every(Boolean));
    // Without its response, the call is dropped and the rest is unchanged.
    messages.splice(6, 1);
    assert.deepEqual(
      fates(messages)
        .map((isKept, at) => (isKept ? -1 : at))
        .filter((at) => at >= 0),
      [5],
    );
  });

  test("parallel calls with the same name are answered by one content or by several", () => {
    const calls = called({ name: "look", args: { a: 1 } }, { name: "look", args: { a: 2 } });
    const [one, two] = [
      { name: "look", response: { a: 1 } },
      { name: "look", response: { a: 2 } },
    ];
    assert.ok(fates([asked("Where?"), calls, gave(one, two)]).every(Boolean));
    assert.ok(fates([asked("Where?"), calls, gave(one), gave(two)]).every(Boolean));
  });

  test("an id outranks a name: calls in separate contents are found by it", () => {
    const messages = [
      asked("Where?"),
      called({ id: "1", name: "look", args: {} }),
      called({ id: "2", name: "look", args: {} }),
      gave({ id: "2", name: "look", response: {} }, { id: "1", name: "look", response: {} }),
    ];
    assert.ok(fates(messages).every(Boolean));
  });

  test("answers to calls aren't a user turn", () => {
    const messages = [asked("Where?"), called({ name: "look" }), gave({ name: "look", response: {} }), asked("And?")];
    const { kept } = buildContextSync(messages, { encoding, window: { maxUserTurns: 2 } });
    assert.equal(kept.length, 4);
  });

  test("random conversations cost the same in windrow's own form, and no call is separated from its response", () => {
    forEachSeed((random) => {
      const messages = [];
      const same = [];
      const groups = [];
      for (let turn = random.integer(1, 5); turn > 0; turn--) {
        const text = random.text(12);
        messages.push(asked(text));
        same.push({ role: "user", content: text });
        const hasIds = random.chance(0.5);
        const calls = Array.from({ length: random.integer(0, 3) }, (_, index) => ({
          ...(hasIds ? { id: `${turn}-${index}` } : {}),
          name: random.pick(["look", "book"]),
          args: { text: random.text(4) },
        }));
        if (calls.length > 0) {
          groups.push([messages.length, messages.length + 1]);
          const responses = calls.map(({ args, ...call }) => ({ ...call, response: { found: random.text(10) } }));
          messages.push(called(...calls), gave(...responses));
          const idOf = (/** @type {{ id?: string, name: string }} */ { id, name }) => id ?? name;
          same.push(
            {
              role: "assistant",
              content: calls.map((call) => ({
                type: "tool-call",
                toolCallId: idOf(call),
                toolName: call.name,
                input: call.args,
              })),
            },
            {
              role: "tool",
              content: responses.map((it) => ({ type: "tool-result", toolCallId: idOf(it), output: it.response })),
            },
          );
        }
        const answer = random.text(30);
        messages.push({ role: "model", parts: [{ text: answer }] });
        same.push({ role: "assistant", content: answer });
      }
      assert.deepEqual(messages.map(cost), same.map(cost));
      const { total } = buildContextSync(messages, { encoding }).tokens;
      for (const share of [0.2, 0.4, 0.7, 1]) {
        const budget = { maxTokens: Math.ceil(total * share) + 20 };
        const { kept } = buildContextSync(messages, { encoding, budget, request: "And now?" });
        for (const group of groups) {
          const count = group.filter((at) => kept.includes(messages[at])).length;
          assert.ok(count === 0 || count === group.length, `${group}`);
        }
      }
    });
  });
});

describe("copies", () => {
  const shortened = (message, maxTokens) =>
    buildContextSync([{ ...message, pinned: true }], {
      encoding,
      request: null,
      budget: { maxTokens, onRequiredOverflow: "shorten" },
    }).messages[0];

  test("of several texts the first is cut and the others are dropped; thoughts, calls and media stay", () => {
    const parts = [
      { text: "I think.", thought: true, thoughtSignature: "c2ln" },
      { text: LONG },
      { functionCall: { name: "look", args: {} } },
      { text: LONG },
      { functionResponse: { name: "look", response: { found: LONG } } },
    ];
    const copy = shortened({ role: "model", parts }, 120);
    assert.equal(copy.parts.length, 4);
    assert.deepEqual([copy.parts[0], copy.parts[2]], [parts[0], parts[2]]);
    assert.ok(copy.parts[1].text.length < LONG.length);
    // A result shrinks by itself.
    assert.match(copy.parts[3].functionResponse.response.output, /\n\[truncated: \d+ of \d+ tokens\]\n/);
    assert.equal(copy.role, "model");
  });

  test("a cut response keeps its call's id and its media", () => {
    const response = { id: "1", name: "look", response: { found: LONG }, parts: [{ fileData: { fileUri: "gs://a" } }] };
    const messages = [
      { role: "model", parts: [{ functionCall: { id: "1", name: "look" } }], pinned: true },
      { role: "user", parts: [{ functionResponse: response }], pinned: true },
    ];
    const whole = countTokens(messages, { encoding }).tokens;
    /** @satisfies {import("windrow").BudgetConfig} */
    const budget = { maxTokens: whole - 60, onRequiredOverflow: "shorten" };
    /** @type {import("windrow").BuiltContext<any>} */
    const context = buildContextSync(messages, { encoding, request: null, budget });
    const { functionResponse } = context.messages[1].parts[0];
    assert.deepEqual({ ...functionResponse, response: undefined }, { ...response, response: undefined });
    assert.ok(functionResponse.response.output.length < LONG.length);
    assert.equal(countTokens(context.messages, { encoding }).tokens, context.tokens.total);
  });

  test("without tool calls, the model's words next to them stay", () => {
    const messages = [
      { role: "user", parts: [{ text: "Where?" }] },
      { role: "model", parts: [{ text: "I look." }, { functionCall: { name: "look" } }] },
      { role: "user", parts: [{ functionResponse: { name: "look", response: {} } }] },
    ];
    const context = buildContextSync(messages, { encoding, filter: { excludeToolCalls: true } });
    assert.deepEqual(context.messages, [messages[0], { role: "model", parts: [{ text: "I look." }], shortened: true }]);
  });
});
