// Messages of Amazon Bedrock's Converse API, in the form of `@aws-sdk/client-bedrock-runtime`.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { loadEncoding, plainMessage, problemsOf, requestOf } from "windrow";
import { checkContextError, errorOf } from "../../support/errors.mjs";
import { checkShape } from "../../support/shape-cases.mjs";

await loadEncoding("o200k_base");

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const bytes = Uint8Array.from(atob(PIXEL), (letter) => letter.charCodeAt(0));
const LONG = "The boat house holds forty people, and it has a kitchen with a stove. ".repeat(8);
const point = { cachePoint: { type: "default" } };

/** @returns {any[]} */
const sample = () => [
  { role: "system", content: [{ text: "You know every lake." }, point] },
  {
    role: "user",
    content: [
      { text: "Which boat house?" },
      { image: { format: "png", source: { bytes } } },
      { document: { format: "txt", name: "Plan", source: { text: "Forty people." } } },
      { document: { name: "Notes", source: { content: [{ text: "One." }, { text: "Two." }] } } },
      { document: { format: "pdf", name: "Map", source: { s3Location: { uri: "s3://lake/map.pdf" } } } },
      { video: { format: "mp4", source: { s3Location: { uri: "s3://lake/a.mp4", bucketOwner: "1" } } } },
      { audio: { format: "wav", source: { bytes: "UklGRg==" } } },
      { guardContent: { text: { text: "Is it open?", qualifiers: ["query"] } } },
      { searchResult: { title: "A", source: "b", content: [{ text: "It is open." }] } },
      point,
    ],
  },
  {
    role: "assistant",
    content: [
      { reasoningContent: { reasoningText: { text: "Let me look.", signature: "c2ln" } } },
      { reasoningContent: { redactedContent: "c2VhbGVk" } },
      { toolUse: { toolUseId: "t1", name: "look", input: { lake: "Bled" } } },
      { toolUse: { toolUseId: "t2", name: "book", input: {} } },
      { toolUse: { toolUseId: "t3", name: "photo", input: {} } },
      point,
    ],
  },
  {
    role: "user",
    content: [
      { toolResult: { toolUseId: "t1", content: [{ text: "forty people" }] } },
      { toolResult: { toolUseId: "t2", content: [{ json: { day: 12 } }], status: "success" } },
      {
        toolResult: {
          toolUseId: "t3",
          content: [{ text: "a lake" }, { image: { format: "png", source: { bytes } } }],
          status: "error",
        },
      },
    ],
  },
  { role: "assistant", content: [{ text: LONG }] },
  { role: "user", content: [{ text: "How large is the kitchen?" }] },
  {
    role: "assistant",
    content: [{ citationsContent: { content: [{ text: "Twenty square metres." }], citations: [] } }],
  },
];

const image = { type: "image", data: PIXEL, mediaType: "image/png" };
const text = (data, more = {}) => ({ type: "file", source: { type: "text", media_type: "text/plain", data }, ...more });
const plain = [
  { role: "system", content: "You know every lake." },
  {
    role: "user",
    content: [
      "Which boat house?",
      { ...image, data: bytes },
      text("Forty people."),
      text("One.\nTwo."),
      { type: "file", url: "s3://lake/map.pdf", mediaType: "application/pdf" },
      { type: "file", url: "s3://lake/a.mp4", mediaType: "video/mp4" },
      { type: "audio", data: "UklGRg==", mediaType: "audio/wav" },
      "Is it open?",
      text("A\nb\nIt is open."),
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Let me look." },
      { type: "redacted_thinking", data: "c2VhbGVk" },
      { type: "tool-call", toolCallId: "t1", toolName: "look", input: { lake: "Bled" } },
      { type: "tool-call", toolCallId: "t2", toolName: "book", input: {} },
      { type: "tool-call", toolCallId: "t3", toolName: "photo", input: {} },
    ],
  },
  {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "t1", output: "forty people" },
      { type: "tool-result", toolCallId: "t2", output: { day: 12 } },
      {
        type: "tool-result",
        toolCallId: "t3",
        output: {
          type: "content",
          value: [
            { type: "text", text: "a lake" },
            { ...image, data: bytes },
          ],
        },
      },
    ],
  },
  { role: "assistant", content: LONG },
  { role: "user", content: "How large is the kitchen?" },
  { role: "assistant", content: "Twenty square metres." },
];

checkShape({
  name: "bedrock",
  sample,
  plain,
  texts: [
    "Which boat house?",
    "forty people",
    '[Calling look({"lake":"Bled"})]',
    '"day":12',
    "Twenty square",
    "Is it open?",
  ],
  together: [[2, 3]],
  unknown: () => [
    [{ role: "assistant", content: [{ text: "hi" }, { hologram: { data: "x" } }] }, ".content[1].hologram"],
    [{ role: "user", content: [{ text: "hi", image: {} }] }, ".content[0].image"],
    [{ role: "user", content: [{ text: 3 }] }, ".content[0].text"],
    [{ role: "user", content: [{ text: "hi" }, null] }, ".content[1]"],
    [{ role: "user", content: [{ text: "hi" }, {}] }, ".content[1]"],
    [{ role: "user", content: [{ image: { format: "png", source: {} } }] }, ".content[0].image"],
    [{ role: "assistant", content: [{ toolUse: { name: "f", input: {} } }] }, ".content[0].toolUse.toolUseId"],
    [{ role: "user", content: [{ toolResult: { content: [] } }] }, ".content[0].toolResult.toolUseId"],
    [{ role: "assistant", content: [{ reasoningContent: {} }] }, ".content[0].reasoningContent.reasoningText.text"],
    [{ role: "pirate", content: [{ text: "hi" }] }, ".role"],
  ],
});

describe("a request of Converse's own messages", () => {
  const asked = () => sample().toSpliced(6, 1);

  test("has the same blocks, with cache points in the same places", () => {
    const { system, messages } = requestOf("bedrock", asked());
    assert.deepEqual(system, [{ text: "You know every lake." }, point]);
    const [first, called, gave] = asked().slice(1);
    const audio = { audio: { format: "wav", source: { bytes: new TextEncoder().encode("RIFF") } } };
    assert.deepEqual(
      messages[0].content,
      first.content
        .toSpliced(6, 1, audio)
        .toSpliced(3, 1, {
          document: { format: "txt", name: "Notes", source: { text: "One.\nTwo." } },
        })
        .map((block, at) => (at === 3 ? first.content[3] : block)),
    );
    assert.deepEqual(
      messages[1].content,
      called.content.toSpliced(1, 1, {
        reasoningContent: { redactedContent: new TextEncoder().encode("sealed") },
      }),
    );
    assert.deepEqual(
      messages[2].content,
      gave.content.toSpliced(1, 1, {
        toolResult: { toolUseId: "t2", content: [{ json: { day: 12 } }] },
      }),
    );
  });

  test("documents get unique names that the API accepts, and Claude's reasoning comes from Anthropic's blocks", () => {
    /** @returns {any} */
    const file = (filename) => ({ type: "file", data: "JVBERi0xLjQK", mediaType: "application/pdf", filename });
    const { messages } = requestOf("bedrock", [
      {
        role: "user",
        content: ["Look.", file("plan_v1.2.pdf"), file("Plan v1 2.pdf"), file(undefined), file("плaн.pdf")],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "c2ln" },
          { type: "redacted_thinking", data: "c2VhbGVk" },
          { type: "text", text: "I did." },
        ],
      },
      { role: "user", content: "And?" },
    ]);
    const names = messages[0].content.flatMap((block) => ("document" in block ? [block.document.name] : []));
    assert.deepEqual(names, ["plan v1 2", "Plan v1 2 2", "document", "a"]);
    assert.deepEqual(
      messages[1].content.map((block) => Object.keys(block)[0]),
      ["reasoningContent", "reasoningContent", "text"],
    );
  });

  test("errors describe media that Converse can't fetch or that lack a text", async () => {
    const send = (content) => errorOf(() => requestOf("bedrock", [{ role: "user", content }]));
    const url = { type: "image", url: "https://example.org/a.png" };
    checkContextError(await send(["Look.", url]), { code: "NOT_SENDABLE", path: "messages[0].content[1]" });
    const pdf = { type: "file", data: "JVBERi0xLjQK", mediaType: "application/pdf" };
    const failure = await send([pdf]);
    checkContextError(failure, { code: "NOT_SENDABLE", path: "messages[0].content[0]" });
    assert.equal(failure.rule, "documents-have-text");
  });

  test("an empty failure has no status, and counts no more than it costs", () => {
    const { messages } = requestOf("bedrock", [
      { role: "user", content: "Look." },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "look", input: {} }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "a", output: "", isError: true }] },
    ]);
    assert.deepEqual(messages[2].content, [{ toolResult: { toolUseId: "a", content: [] } }]);
    assert.deepEqual(problemsOf("bedrock", { messages }), []);
  });

  test("a provider's own tool stays in the assistant's message", () => {
    const call = { toolUse: { toolUseId: "s1", name: "search", input: { q: "a" }, type: "server_tool_use" } };
    const gave = { toolResult: { toolUseId: "s1", content: [{ text: "open" }], type: "search_result" } };
    /** @type {any[]} */
    const chat = [
      { role: "user", content: [{ text: "Is it open?" }] },
      { role: "assistant", content: [call, gave, { text: "It is." }] },
      { role: "user", content: [{ text: "Thanks." }] },
    ];
    assert.deepEqual(requestOf("bedrock", chat).messages, chat);
    const [called] = plainMessage(chat[1]).content;
    assert.ok(called?.type === "tool-call" && called.providerExecuted === true);
  });
});
