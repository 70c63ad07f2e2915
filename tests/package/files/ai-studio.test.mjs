// Google AI Studio prompts: chunks as turns, with thoughts, media, code and functions.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseTranscript } from "windrow";
import { checkFile } from "../support/file-cases.mjs";

checkFile({
  name: "of AI Studio",
  sample: () => ({
    runSettings: { model: "models/gemini-2.5-pro", temperature: 1 },
    systemInstruction: { parts: [{ text: "Be brief." }] },
    chunkedPrompt: {
      chunks: [
        { driveDocument: { id: "doc-1" }, role: "user", tokenCount: 99 },
        { driveImage: { id: "img-1" }, role: "user" },
        { text: "What is in it?", role: "user", createTime: "2026-01-01T00:00:01Z" },
        { text: "It is long.", role: "model", isThought: true, thinkingBudget: -1, thoughtSignatures: [""] },
        {
          text: "A plan, drawn.",
          role: "model",
          finishReason: "STOP",
          parts: [
            { text: "A plan, " },
            { text: "drawn." },
            { inlineData: { mimeType: "image/png", data: "AAAA" } },
            { text: "", thoughtSignature: "s" },
          ],
        },
        { role: "user", text: "Add." },
        { role: "model", executableCode: { language: "PYTHON", code: "1 + 1" } },
        { role: "model", codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } },
        { role: "model", parts: [{ text: "Hm.", thought: true }, { text: "Two." }] },
        { role: "model", errorMessage: "quota" },
        { role: "narrator", text: "no" },
      ],
      pendingInputs: [{ text: "not sent", role: "user" }],
    },
  }),
  conversations: [
    {
      startedAt: "2026-01-01T00:00:01.000Z",
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "[Attached file: doc-1]" },
            { type: "image", url: "img-1" },
            { type: "text", text: "What is in it?" },
          ],
          createdAt: "2026-01-01T00:00:01Z",
        },
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "It is long." },
            { type: "text", text: "A plan, drawn." },
            { type: "image", data: "AAAA", mediaType: "image/png" },
          ],
        },
        { role: "user", content: "Add." },
        {
          role: "assistant",
          content: [
            {
              type: "tool-call",
              toolCallId: "code-1",
              toolName: "code_execution",
              input: { language: "PYTHON", code: "1 + 1" },
            },
          ],
        },
        { role: "tool", content: [{ type: "tool-result", toolCallId: "code-1", output: "2" }] },
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "Hm." },
            { type: "text", text: "Two." },
          ],
        },
      ],
    },
  ],
  skipped: [
    [10, /^it is an error, not an answer: "quota"$/],
    [11, /^role: unknown role "narrator" of a chunk$/],
  ],
});

describe("AI Studio prompts", () => {
  const contentsOf = (...chunks) =>
    parseTranscript(JSON.stringify({ chunkedPrompt: { chunks } })).messages.map(({ content }) => content);

  test("contain media, videos and functions", () => {
    assert.deepEqual(
      contentsOf(
        { role: "user", inlineAudio: { mimeType: "audio/ogg", data: "AAAA" }, youtubeVideo: { id: "v1" } },
        { role: "user", inlineFile: { mimeType: "application/pdf", data: "BBBB" }, driveVideo: { id: "v2" } },
        { role: "model", parts: [{ functionCall: { name: "f", args: { a: 1 } } }] },
        {
          role: "user",
          parts: [{ functionResponse: { name: "f", response: { b: 2 } } }, { fileData: { fileUri: "u" } }],
        },
      ),
      [
        [
          { type: "audio", data: "AAAA", mediaType: "audio/ogg" },
          { type: "text", text: "[Attached file: https://www.youtube.com/watch?v=v1]" },
          { type: "file", data: "BBBB", mediaType: "application/pdf" },
          { type: "text", text: "[Attached file: v2]" },
        ],
        [{ type: "tool-call", toolCallId: "f", toolName: "f", input: { a: 1 } }],
        [{ type: "tool-result", toolCallId: "f", output: { b: 2 } }],
        "[Attached file: u]",
      ],
    );
  });

  test("have a system instruction in either form", () => {
    for (const systemInstruction of [{ text: "Be brief." }, { parts: [{ text: "Be brief." }] }]) {
      const file = { systemInstruction, chunkedPrompt: { chunks: [{ role: "user", text: "a" }] } };
      assert.deepEqual(parseTranscript(JSON.stringify(file)).messages, [
        { role: "system", content: "Be brief." },
        { role: "user", content: "a" },
      ]);
    }
  });
});
