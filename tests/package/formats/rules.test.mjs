// Provider rules: each has a body that keeps it, and bodies that break it, with the place of the violation.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, problemsOf, providers, requestOf } from "windrow";

const HALF = "half \ud83e";
/** A user message in Converse's form, and a call. */
const converse = (...content) => ({ role: "user", content });
const converseUse = (toolUseId, name = "look", /** @type {unknown} */ input = {}) => ({
  toolUse: { toolUseId, name, input },
});

/** For each provider, a body that keeps every rule, and for each rule, bodies that break it, with the place. */
const CASES = {
  openai: {
    sound: () => ({
      model: "any",
      messages: [
        { role: "system", content: "Be brief.", name: "house" },
        { role: "user", content: [{ type: "text", text: "Which?" }, image()], name: "Mara" },
        {
          role: "assistant",
          content: null,
          tool_calls: [called("a", "look"), { id: "b", type: "custom", custom: { name: "shell", input: "ls" } }],
        },
        { role: "tool", tool_call_id: "b", content: "" },
        { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "found" }] },
        { role: "assistant", content: [{ type: "refusal", refusal: "No." }], audio: { id: "audio_1" } },
        { role: "user", content: "And now?" },
        { role: "developer", content: "Answer in French." },
      ],
    }),
    broken: {
      "has-messages": [
        [{ messages: [] }, "messages"],
        [{}, "messages"],
        [null, "messages"],
      ],
      "roles-are-known": [[{ messages: [{ role: "human", content: "hi" }] }, "messages[0]"]],
      "fields-are-known": [
        [{ messages: [{ role: "user", content: "hi", id: "m1" }] }, "messages[0].id"],
        [
          { messages: [{ role: "user", content: [{ type: "text", text: "hi", cache_control: {} }] }] },
          "messages[0].content[0].cache_control",
        ],
        [
          { messages: [{ role: "assistant", content: "hi", reasoning_content: "hm" }] },
          "messages[0].reasoning_content",
        ],
        [
          { messages: [{ role: "assistant", tool_calls: [{ ...called("a"), index: 0 }] }] },
          "messages[0].tool_calls[0].index",
        ],
      ],
      "nothing-is-empty": [
        [{ messages: [{ role: "user", content: "" }] }, "messages[0].content"],
        [{ messages: [{ role: "user", content: [] }] }, "messages[0]"],
        [{ messages: [{ role: "assistant", content: null }] }, "messages[0]"],
        [{ messages: [{ role: "user", content: [{ type: "text", text: " " }] }] }, "messages[0].content[0]"],
      ],
      "text-is-well-formed": [[{ messages: [{ role: "user", content: HALF }] }, "messages[0].content"]],
      "images-fit": [
        [
          {
            messages: [
              {
                role: "user",
                content: [{ type: "image_url", image_url: { url: "data:image/svg+xml;base64,PHN2Zy8+" } }],
              },
            ],
          },
          "messages[0].content[0]",
        ],
      ],
      "images-are-few": [
        [{ messages: [{ role: "user", content: copies(1501, image()) }] }, "messages[0].content[1500]"],
      ],
      "names-fit": [[{ messages: [{ role: "user", content: "hi", name: "Dr. Q" }] }, "messages[0].name"]],
      "call-ids-fit": [
        [{ messages: [{ role: "assistant", tool_calls: [called("x".repeat(41))] }] }, "messages[0].tool_calls[0]"],
        [{ messages: [{ role: "tool", tool_call_id: "a|b", content: "x" }] }, "messages[0]"],
      ],
      "server-takes-ids": [
        [
          { model: "mistral-large-latest", messages: [{ role: "assistant", tool_calls: [called("call_1")] }] },
          "messages[0].tool_calls[0]",
        ],
      ],
      "file-ids-fit": [
        [
          { messages: [{ role: "user", content: [{ type: "file", file: { file_id: "a b" } }] }] },
          "messages[0].content[0]",
        ],
        [{ messages: [{ role: "assistant", audio: { id: "x".repeat(257) } }] }, "messages[0].audio"],
      ],
      "call-ids-are-unique": [
        [{ messages: [{ role: "assistant", tool_calls: [called("a"), called("a")] }] }, "messages[0].tool_calls[1]"],
      ],
      "tool-names-fit": [
        [{ messages: [{ role: "assistant", tool_calls: [called("a", "mcp.look")] }] }, "messages[0].tool_calls[0]"],
      ],
      "arguments-are-json": [
        [
          {
            messages: [
              { role: "assistant", tool_calls: [{ ...called("a"), function: { name: "f", arguments: "{" } }] },
            ],
          },
          "messages[0].tool_calls[0]",
        ],
      ],
      "results-follow-calls": [
        [
          {
            messages: [
              { role: "user", content: "hi" },
              { role: "tool", tool_call_id: "a", content: "x" },
            ],
          },
          "messages[1]",
        ],
        [
          {
            messages: [
              { role: "assistant", tool_calls: [called("a")] },
              { role: "user", content: "meanwhile" },
              { role: "tool", tool_call_id: "a", content: "x" },
            ],
          },
          "messages[2]",
        ],
        [
          {
            messages: [
              { role: "assistant", tool_calls: [called("a")] },
              { role: "tool", tool_call_id: "a", content: "x" },
              { role: "tool", tool_call_id: "a", content: "again" },
            ],
          },
          "messages[2]",
        ],
      ],
      "calls-have-results": [
        [
          {
            messages: [
              { role: "assistant", tool_calls: [called("a"), called("b")] },
              { role: "tool", tool_call_id: "b", content: "x" },
            ],
          },
          "messages[0].tool_calls[0]",
        ],
      ],
      "ends-with-user": [
        [
          {
            messages: [
              { role: "user", content: "hi" },
              { role: "assistant", content: "ho" },
            ],
          },
          "messages[1]",
        ],
      ],
    },
  },

  "openai-responses": {
    sound: () => ({
      instructions: "Be brief.",
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "Which?" },
            { type: "input_image", image_url: "https://example.org/a.png" },
          ],
        },
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "Z0FB" },
        { type: "function_call", call_id: "a", name: "look", arguments: "{}", id: "fc_1", status: "completed" },
        { role: "assistant", content: "I look." },
        { type: "custom_tool_call", call_id: "b", name: "shell", input: "ls" },
        { type: "custom_tool_call_output", call_id: "b", output: "" },
        { type: "function_call_output", call_id: "a", output: [{ type: "input_text", text: "found" }] },
        { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } },
        {
          type: "message",
          role: "assistant",
          id: "msg_1",
          status: "completed",
          content: [{ type: "output_text", text: "It.", annotations: [] }],
        },
        { role: "developer", content: "Answer in French." },
        { role: "user", content: "And now?" },
      ],
    }),
    broken: {
      "has-messages": [
        [{ input: [] }, "input"],
        [{ instructions: "Be brief." }, "input"],
      ],
      "roles-are-known": [[{ input: [{ role: "tool", content: "hi" }] }, "input[0]"]],
      "fields-are-known": [
        [{ input: [{ role: "user", content: "hi", createdAt: 1 }] }, "input[0].createdAt"],
        [
          { input: [{ role: "user", content: [{ type: "input_text", text: "hi", index: 1 }] }] },
          "input[0].content[0].index",
        ],
        [{ input: [{ type: "function_call_output", call_id: "a", output: "x", is_error: true }] }, "input[0].is_error"],
        [{ input: [{ type: "reasoning", id: "rs_1", summary: [], status: null }] }, "input[0].status"],
        [
          {
            input: [{ type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm", index: 0 }] }],
          },
          "input[0].summary[0].index",
        ],
        [
          {
            input: [{ type: "image_generation_call", id: "ig_1", status: "completed", result: "", action: "generate" }],
          },
          "input[0].action",
        ],
      ],
      "nothing-is-empty": [
        [{ input: [{ role: "user", content: " " }] }, "input[0].content"],
        [
          { input: [{ type: "function_call_output", call_id: "a", output: [{ type: "input_text", text: "" }] }] },
          "input[0].output[0]",
        ],
      ],
      "text-is-well-formed": [[{ instructions: HALF, input: [] }, "instructions"]],
      "images-fit": [
        [
          {
            input: [
              {
                role: "user",
                content: [{ type: "input_image", detail: "auto", image_url: "data:image/bmp;base64,Qk0=" }],
              },
            ],
          },
          "input[0].content[0]",
        ],
      ],
      "images-are-few": [
        [
          {
            input: [
              { role: "user", content: copies(1501, { type: "input_image", image_url: "https://example.org/a.png" }) },
            ],
          },
          "input[0].content[1500]",
        ],
      ],
      "call-ids-fit": [
        [{ input: [{ type: "function_call", call_id: "x".repeat(65), name: "f", arguments: "{}" }] }, "input[0]"],
      ],
      "file-ids-fit": [
        [{ input: [{ role: "user", content: [{ type: "input_file", file_id: "../a" }] }] }, "input[0].content[0]"],
      ],
      "call-ids-are-unique": [
        [
          { input: [itemCall("a"), { type: "function_call_output", call_id: "a", output: "x" }, itemCall("a")] },
          "input[2]",
        ],
      ],
      "item-ids-fit": [[{ input: [{ type: "message", role: "user", id: "msg-1", content: "hi" }] }, "input[0].id"]],
      "tool-names-fit": [[{ input: [itemCall("a", "mcp.look")] }, "input[0]"]],
      "arguments-are-json": [[{ input: [{ ...itemCall("a"), arguments: "[]" }] }, "input[0]"]],
      "results-follow-calls": [
        [{ input: [{ type: "function_call_output", call_id: "a", output: "x" }] }, "input[0]"],
        [
          {
            input: [
              itemCall("a"),
              { role: "user", content: "hi" },
              { type: "function_call_output", call_id: "a", output: "x" },
            ],
          },
          "input[2]",
        ],
      ],
      "calls-have-results": [[{ input: [itemCall("a"), { role: "user", content: "hi" }] }, "input[0]"]],
      "reasoning-is-followed": [
        [
          {
            input: [
              { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" },
              { role: "user", content: "hi" },
            ],
          },
          "input[0]",
        ],
        [
          {
            input: [
              { type: "reasoning", id: "rs_1", summary: [] },
              { role: "assistant", content: "hi" },
            ],
          },
          "input[0]",
        ],
        [
          {
            input: [
              { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" },
              { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "x" },
              { role: "assistant", content: "hi" },
            ],
          },
          "input[0]",
        ],
      ],
      "ends-with-user": [
        [
          {
            input: [
              { role: "user", content: "hi" },
              { role: "assistant", content: "ho" },
            ],
          },
          "input[1]",
        ],
      ],
    },
  },

  anthropic: {
    sound: () => ({
      max_tokens: 5,
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Which?" },
            { type: "image", source: { type: "url", url: "https://example.org/a.png" } },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "", signature: "c2ln" },
            { type: "redacted_thinking", data: "ZGF0YQ" },
            { type: "text", text: "I look." },
            { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
            { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
            use("a"),
            use("b"),
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "b" },
            { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "found" }], is_error: true },
            { type: "text", text: "And now?" },
          ],
        },
      ],
    }),
    broken: {
      "has-messages": [[{ system: "Be brief.", messages: [] }, "messages"]],
      "roles-are-known": [[{ messages: [{ role: "developer", content: "Be brief." }] }, "messages[0]"]],
      "instructions-at-top": [
        [
          {
            messages: [
              { role: "user", content: "hi" },
              { role: "system", content: "Be brief." },
            ],
          },
          "messages[1]",
        ],
      ],
      "instructions-follow-user": [
        [
          {
            model: "claude-opus-5-5",
            messages: [
              { role: "user", content: "hi" },
              { role: "assistant", content: "ho" },
              { role: "system", content: "Be brief." },
              { role: "user", content: "he" },
            ],
          },
          "messages[2]",
        ],
        [
          {
            model: "claude-opus-5-5",
            messages: [
              { role: "user", content: "hi" },
              { role: "system", content: "Be brief." },
              { role: "user", content: "he" },
            ],
          },
          "messages[1]",
        ],
      ],
      "compaction-comes-first": [
        [
          { messages: [{ role: "assistant", content: [{ type: "compaction", content: "" }] }] },
          "messages[0].content[0]",
        ],
        [
          {
            messages: [
              { role: "user", content: "hi" },
              { role: "assistant", content: [{ type: "compaction", content: "In short.", signature: "sealed" }] },
            ],
          },
          "messages[1].content[0]",
        ],
      ],
      "starts-with-user": [
        [{ messages: [{ role: "assistant", content: "hi" }] }, "messages[0]"],
        [{ messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] }] }, "messages[0]"],
      ],
      "roles-alternate": [
        [
          {
            messages: [
              { role: "user", content: "hi" },
              { role: "user", content: "ho" },
            ],
          },
          "messages[1]",
        ],
      ],
      "ends-with-user": [
        [
          {
            messages: [
              { role: "user", content: "hi" },
              { role: "assistant", content: "ho" },
            ],
          },
          "messages[1]",
        ],
      ],
      "fields-are-known": [
        [{ messages: [{ role: "user", content: "hi", reasoning_details: [] }] }, "messages[0].reasoning_details"],
        [{ messages: [{ role: "assistant", content: [{ ...use("a"), index: 1 }] }] }, "messages[0].content[0].index"],
        [
          { messages: [{ role: "user", content: [{ type: "image_url", image_url: {} }] }] },
          "messages[0].content[0].image_url",
        ],
        [
          {
            messages: [
              {
                role: "user",
                content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "x", id: 1 }] }],
              },
            ],
          },
          "messages[0].content[0].content[0].id",
        ],
      ],
      "nothing-is-empty": [
        [{ messages: [{ role: "user", content: "" }] }, "messages[0].content"],
        [{ messages: [{ role: "assistant", content: [{ type: "text", text: "\n" }] }] }, "messages[0].content[0]"],
        [
          {
            messages: [
              {
                role: "user",
                content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "" }] }],
              },
            ],
          },
          "messages[0].content[0].content[0]",
        ],
      ],
      "images-fit": [
        [
          {
            messages: [
              {
                role: "user",
                content: [{ type: "image", source: { type: "base64", media_type: "image/bmp", data: "Qk0=" } }],
              },
            ],
          },
          "messages[0].content[0]",
        ],
      ],
      "images-are-few": [
        [
          { messages: [{ role: "user", content: copies(101, block("image", "iVBORw0KGgo=")) }] },
          "messages[0].content[100]",
        ],
        [
          {
            model: "claude-opus-4-8",
            messages: [{ role: "user", content: copies(601, block("image", "iVBORw0KGgo=")) }],
          },
          "messages[0].content[600]",
        ],
        [
          {
            messages: [
              {
                role: "user",
                content: [{ type: "tool_result", tool_use_id: "a", content: copies(101, block("image", "iVBO")) }],
              },
            ],
          },
          "messages[0].content[0].content[100]",
        ],
      ],
      "media-is-small": [
        [{ messages: [{ role: "user", content: [block("image", megabytes(11))] }] }, "messages[0].content[0]"],
        [
          { messages: [{ role: "user", content: copies(4, block("document", megabytes(9))) }] },
          "messages[0].content[3]",
        ],
      ],
      "text-is-well-formed": [
        [
          { messages: [{ role: "assistant", content: [use("a", "f", { q: HALF })] }] },
          "messages[0].content[0].input.q",
        ],
      ],
      "call-ids-fit": [[{ messages: [{ role: "assistant", content: [use("a|b")] }] }, "messages[0].content[0]"]],
      "file-ids-fit": [
        [
          { messages: [{ role: "user", content: [{ type: "container_upload", file_id: "a b" }] }] },
          "messages[0].content[0]",
        ],
      ],
      "call-ids-are-unique": [
        [{ messages: [{ role: "assistant", content: [use("a"), use("a")] }] }, "messages[0].content[1]"],
      ],
      "tool-names-fit": [
        [{ messages: [{ role: "assistant", content: [use("a", "mcp.look")] }] }, "messages[0].content[0]"],
      ],
      "arguments-are-objects": [
        [{ messages: [{ role: "assistant", content: [use("a", "f", "{}")] }] }, "messages[0].content[0]"],
      ],
      "results-follow-calls": [
        [
          { messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] }] },
          "messages[0].content[0]",
        ],
        [
          {
            messages: [
              { role: "assistant", content: [use("a")] },
              {
                role: "user",
                content: [
                  { type: "tool_result", tool_use_id: "a" },
                  { type: "tool_result", tool_use_id: "a" },
                ],
              },
            ],
          },
          "messages[1].content[1]",
        ],
      ],
      "calls-have-results": [
        [
          {
            messages: [
              { role: "assistant", content: [use("a")] },
              { role: "user", content: "hi" },
            ],
          },
          "messages[0].content[0]",
        ],
      ],
      "hosted-results-follow-calls": [
        [{ messages: [{ role: "assistant", content: [hostedResult("a")] }] }, "messages[0].content[0]"],
        [{ messages: [{ role: "assistant", content: [hostedResult("a"), hosted("a")] }] }, "messages[0].content[0]"],
      ],
      "hosted-calls-have-results": [
        [
          {
            messages: [
              { role: "user", content: "hi" },
              { role: "assistant", content: [hosted("a"), { type: "text", text: "x" }] },
              { role: "user", content: "ho" },
            ],
          },
          "messages[1].content[0]",
        ],
        [
          {
            messages: [
              { role: "assistant", content: [{ ...hosted("a"), type: "mcp_tool_use" }, use("b")] },
              {
                role: "user",
                content: [
                  { type: "tool_result", tool_use_id: "b" },
                  { type: "text", text: "ho" },
                ],
              },
            ],
          },
          "messages[0].content[0]",
        ],
      ],
      "results-come-first": [
        [
          {
            messages: [
              {
                role: "user",
                content: [
                  { type: "text", text: "hi" },
                  { type: "tool_result", tool_use_id: "a" },
                ],
              },
            ],
          },
          "messages[0].content[0]",
        ],
      ],
      "calls-come-last": [
        [
          { messages: [{ role: "assistant", content: [use("a"), { type: "text", text: "hi" }] }] },
          "messages[0].content[1]",
        ],
      ],
      "reasoning-comes-first": [
        [
          {
            messages: [
              {
                role: "assistant",
                content: [
                  { type: "text", text: "hi" },
                  { type: "thinking", thinking: "hm", signature: "s" },
                ],
              },
            ],
          },
          "messages[0].content[1]",
        ],
        [
          { messages: [{ role: "assistant", content: [use("a"), { type: "redacted_thinking", data: "x" }] }] },
          "messages[0].content[1]",
        ],
      ],
      "reasoning-is-signed": [
        [
          { messages: [{ role: "assistant", content: [{ type: "thinking", thinking: "hm" }] }] },
          "messages[0].content[0]",
        ],
      ],
      "assistant-does-not-end-in-space": [
        [{ messages: [{ role: "assistant", content: "Once upon " }] }, "messages[0].content"],
        [
          { messages: [{ role: "assistant", content: [{ type: "text", text: "Once upon\n" }] }] },
          "messages[0].content[0]",
        ],
      ],
    },
  },

  gemini: {
    sound: () => ({
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [
        { parts: [{ text: "Which?" }, { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }] },
        {
          role: "model",
          parts: [
            { text: "hm", thought: true, thoughtSignature: "c2ln" },
            { functionCall: { name: "look", args: { q: 1 } }, thoughtSignature: "c2ln" },
            { functionCall: { id: "b", name: "ns:look.up" } },
          ],
        },
        {
          role: "user",
          parts: [responded("look"), { functionResponse: { id: "b", name: "ns:look.up", response: { output: "x" } } }],
        },
        { role: "model", parts: [{ text: "It." }, { text: "", thoughtSignature: "c2ln" }] },
        { role: "user", parts: [{ text: "And now?" }] },
      ],
    }),
    broken: {
      "has-messages": [[{ contents: [] }, "contents"]],
      "roles-are-known": [[{ contents: [{ role: "system", parts: [{ text: "Be brief." }] }] }, "contents[0]"]],
      "starts-with-user": [
        [{ contents: [{ role: "model", parts: [{ text: "hi" }] }] }, "contents[0]"],
        [{ contents: [{ role: "user", parts: [responded("f")] }] }, "contents[0]"],
      ],
      "roles-alternate": [
        [
          {
            contents: [
              { role: "model", parts: [{ text: "hi" }] },
              { role: "model", parts: [{ functionCall: { name: "f" } }] },
            ],
          },
          "contents[1]",
        ],
      ],
      "ends-with-user": [
        [
          {
            contents: [
              { role: "user", parts: [{ text: "hi" }] },
              { role: "model", parts: [{ text: "ho" }] },
            ],
          },
          "contents[1]",
        ],
      ],
      "fields-are-known": [
        [{ contents: [{ role: "user", parts: [{ text: "hi" }], id: "m1" }] }, "contents[0].id"],
        [{ contents: [{ role: "user", parts: [{ type: "text", text: "hi" }] }] }, "contents[0].parts[0].type"],
        [
          { contents: [{ role: "user", parts: [{ inlineData: { media_type: "x", data: "" } }] }] },
          "contents[0].parts[0].inlineData.media_type",
        ],
      ],
      "nothing-is-empty": [
        [{ contents: [{ role: "user", parts: [] }] }, "contents[0]"],
        [{ contents: [{ role: "user", parts: [{ text: "" }] }] }, "contents[0].parts[0]"],
      ],
      "parts-are-of-one-kind": [
        [{ contents: [{ role: "user", parts: [{}] }] }, "contents[0].parts[0]"],
        [
          { contents: [{ role: "model", parts: [{ text: "hi", functionCall: { name: "f" } }] }] },
          "contents[0].parts[0]",
        ],
      ],
      "text-is-well-formed": [[{ contents: [{ role: "user", parts: [{ text: HALF }] }] }, "contents[0].parts[0].text"]],
      "images-fit": [
        [
          { contents: [{ role: "user", parts: [{ inlineData: { mimeType: "image/svg+xml", data: "PHN2Zy8+" } }] }] },
          "contents[0].parts[0]",
        ],
      ],
      "images-are-few": [
        [
          {
            contents: [
              { role: "user", parts: copies(3601, { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }) },
            ],
          },
          "contents[0].parts[3600]",
        ],
      ],
      "media-is-small": [
        [
          {
            contents: [
              { role: "user", parts: copies(9, { inlineData: { mimeType: "audio/mpeg", data: megabytes(12) } }) },
            ],
          },
          "contents[0].parts[8]",
        ],
      ],
      "call-ids-are-unique": [
        [
          {
            contents: [
              {
                role: "model",
                parts: [{ functionCall: { id: "a", name: "f" } }, { functionCall: { id: "a", name: "g" } }],
              },
            ],
          },
          "contents[0].parts[1]",
        ],
      ],
      "tool-names-fit": [
        [{ contents: [{ role: "model", parts: [{ functionCall: { name: "1st" } }] }] }, "contents[0].parts[0]"],
        [
          { contents: [{ role: "user", parts: [{ functionResponse: { id: "a", response: {} } }] }] },
          "contents[0].parts[0]",
        ],
      ],
      "arguments-are-objects": [
        [
          { contents: [{ role: "model", parts: [{ functionCall: { name: "f", args: "{}" } }] }] },
          "contents[0].parts[0]",
        ],
      ],
      "responses-are-objects": [
        [
          { contents: [{ role: "user", parts: [{ functionResponse: { name: "f", response: [1, 2] } }] }] },
          "contents[0].parts[0].functionResponse.response",
        ],
        [
          { contents: [{ role: "user", parts: [{ functionResponse: { name: "f", response: "sunny" } }] }] },
          "contents[0].parts[0].functionResponse.response",
        ],
      ],
      "results-follow-calls": [
        [
          {
            contents: [
              { role: "model", parts: [{ functionCall: { name: "f" } }] },
              { role: "user", parts: [responded("f"), responded("f")] },
            ],
          },
          "contents[1].parts[1]",
        ],
      ],
      "calls-have-results": [
        [
          {
            contents: [
              { role: "model", parts: [{ functionCall: { name: "f" } }, { functionCall: { name: "g" } }] },
              { role: "user", parts: [responded("f")] },
            ],
          },
          "contents[0].parts[1]",
        ],
      ],
      "results-stand-alone": [
        [{ contents: [{ role: "user", parts: [responded("f"), { text: "hi" }] }] }, "contents[0].parts[1]"],
      ],
      "calls-are-signed": [
        [
          {
            contents: [
              { role: "user", parts: [{ text: "hi" }] },
              { role: "model", parts: [{ functionCall: { name: "f" } }] },
            ],
          },
          "contents[1].parts[0]",
        ],
      ],
    },
  },

  bedrock: {
    sound: () => ({
      system: [{ text: "Be brief." }, { cachePoint: { type: "default" } }],
      messages: [
        {
          role: "user",
          content: [{ text: "Which?" }, { document: { format: "txt", name: "a (1)", source: { text: "b" } } }],
        },
        {
          role: "assistant",
          content: [
            { reasoningContent: { reasoningText: { text: "hm", signature: "s" } } },
            { reasoningContent: { redactedContent: new Uint8Array(3) } },
            { text: "I look." },
            { toolUse: { toolUseId: "a", name: "look", input: {} } },
          ],
        },
        {
          role: "user",
          content: [
            { toolResult: { toolUseId: "a", content: [{ json: {} }, { text: "found" }], status: "error" } },
            { text: "And now?" },
          ],
        },
      ],
    }),
    broken: {
      "has-messages": [
        [{ messages: [] }, "messages"],
        [null, "messages"],
      ],
      "roles-are-known": [[{ messages: [{ role: "developer", content: [{ text: "hi" }] }] }, "messages[0]"]],
      "instructions-at-top": [
        [
          { messages: [converse({ text: "hi" }), { role: "system", content: [{ toolRemoval: { tool: {} } }] }] },
          "messages[1]",
        ],
      ],
      "instructions-follow-user": [
        [
          {
            model: "us.anthropic.claude-opus-5-5-v1:0",
            messages: [
              converse({ text: "hi" }),
              { role: "system", content: [{ toolAddition: { tool: {} } }] },
              converse({ text: "ho" }),
            ],
          },
          "messages[1]",
        ],
      ],
      "tool-changes-are-instructions": [
        [{ messages: [converse({ text: "hi" }, { toolAddition: { tool: {} } })] }, "messages[0].content[1]"],
      ],
      "starts-with-user": [[{ messages: [{ role: "assistant", content: [{ text: "hi" }] }] }, "messages[0]"]],
      "roles-alternate": [[{ messages: [converse({ text: "hi" }), converse({ text: "ho" })] }, "messages[1]"]],
      "ends-with-user": [
        [{ messages: [converse({ text: "hi" }), { role: "assistant", content: [{ text: "ho" }] }] }, "messages[1]"],
      ],
      "fields-are-known": [
        [{ messages: [{ ...converse({ text: "hi" }), id: "m1" }] }, "messages[0].id"],
        [{ messages: [converse({ text: "hi", type: "text" })] }, "messages[0].content[0].type"],
        [{ system: [{ type: "text", text: "a" }], messages: [converse({ text: "hi" })] }, "system[0].type"],
        [
          { messages: [converse({ toolResult: { toolUseId: "a", content: [], is_error: true } })] },
          "messages[0].content[0].toolResult.is_error",
        ],
      ],
      "nothing-is-empty": [
        [{ messages: [converse()] }, "messages[0]"],
        [{ messages: [converse({ text: " " })] }, "messages[0].content[0]"],
        [
          { messages: [converse({ toolResult: { toolUseId: "a", content: [{ text: "" }] } })] },
          "messages[0].content[0].toolResult.content[0]",
        ],
      ],
      "blocks-are-of-one-kind": [
        [{ messages: [converse({})] }, "messages[0].content[0]"],
        [{ messages: [converse({ text: "hi", cachePoint: { type: "default" } })] }, "messages[0].content[0]"],
      ],
      "text-is-well-formed": [[{ messages: [converse({ text: HALF })] }, "messages[0].content[0].text"]],
      "images-are-few": [
        [{ messages: [converse(...copies(21, { image: { format: "png", source: {} } }))] }, "messages[0].content[20]"],
        [
          {
            messages: [
              converse({ image: { format: "png", source: { bytes: new Uint8Array(4 * 2 ** 20) } } }, { text: "hi" }),
            ],
          },
          "messages[0].content[0]",
        ],
      ],
      "documents-are-few": [
        [
          {
            messages: [
              converse(
                { text: "hi" },
                ...Array.from({ length: 6 }, (_, at) => ({ document: { name: `a ${at}`, source: { text: "b" } } })),
              ),
            ],
          },
          "messages[0].content[6]",
        ],
      ],
      "documents-are-named": [
        [
          { messages: [converse({ text: "hi" }, { document: { name: "a.pdf", source: { text: "b" } } })] },
          "messages[0].content[1]",
        ],
        [
          {
            messages: [
              converse(
                { text: "hi" },
                { document: { name: "a", source: { text: "b" } } },
                { document: { name: "A", source: { text: "c" } } },
              ),
            ],
          },
          "messages[0].content[2]",
        ],
      ],
      "documents-have-text": [
        [{ messages: [converse({ document: { name: "a", source: { text: "b" } } })] }, "messages[0].content[0]"],
      ],
      "media-is-the-users": [
        [
          {
            messages: [
              converse({ text: "hi" }),
              { role: "assistant", content: [{ image: { format: "png", source: {} } }] },
            ],
          },
          "messages[1].content[0]",
        ],
      ],
      "call-ids-fit": [
        [{ messages: [{ role: "assistant", content: [converseUse("a|b")] }] }, "messages[0].content[0]"],
        [
          { messages: [converse({ toolResult: { toolUseId: "x".repeat(65), content: [] } })] },
          "messages[0].content[0]",
        ],
      ],
      "call-ids-are-unique": [
        [
          { messages: [{ role: "assistant", content: [converseUse("a"), converseUse("a")] }] },
          "messages[0].content[1]",
        ],
      ],
      "tool-names-fit": [
        [{ messages: [{ role: "assistant", content: [converseUse("a", "mcp.look")] }] }, "messages[0].content[0]"],
      ],
      "arguments-are-objects": [
        [{ messages: [{ role: "assistant", content: [converseUse("a", "look", "{}")] }] }, "messages[0].content[0]"],
      ],
      "results-follow-calls": [
        [{ messages: [converse({ toolResult: { toolUseId: "a", content: [] } })] }, "messages[0].content[0]"],
      ],
      "calls-have-results": [
        [
          {
            messages: [
              converse({ text: "hi" }),
              { role: "assistant", content: [converseUse("a")] },
              converse({ text: "ho" }),
            ],
          },
          "messages[1].content[0]",
        ],
      ],
      "results-come-first": [
        [
          {
            messages: [
              converse({ text: "hi" }),
              { role: "assistant", content: [converseUse("a")] },
              converse({ text: "ho" }, { toolResult: { toolUseId: "a", content: [] } }),
            ],
          },
          "messages[2].content[0]",
        ],
      ],
      "failures-say-something": [
        [
          { messages: [converse({ toolResult: { toolUseId: "a", content: [], status: "error" } })] },
          "messages[0].content[0]",
        ],
      ],
      "reasoning-is-signed": [
        [
          { messages: [{ role: "assistant", content: [{ reasoningContent: { reasoningText: { text: "hm" } } }] }] },
          "messages[0].content[0]",
        ],
      ],
    },
  },

  "ai-sdk": {
    sound: () => ({
      system: "Be brief.",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Which?" },
            { type: "image", image: "iVBORw0KGgo=" },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: "x" } } },
            { type: "tool-call", toolCallId: "h", toolName: "web_search", input: {}, providerExecuted: true },
            { type: "tool-result", toolCallId: "h", toolName: "web_search", output: { type: "json", value: [] } },
            { type: "tool-call", toolCallId: "a|b", toolName: "mcp.look", input: {} },
          ],
        },
        { role: "tool", content: [sdkResult("a|b", "mcp.look")] },
        { role: "assistant", content: "It." },
        { role: "user", content: "And now?" },
      ],
    }),
    broken: {
      "has-messages": [[{ system: "Be brief.", messages: [] }, "messages"]],
      "roles-are-known": [
        [
          {
            messages: [
              { role: "user", content: "hi" },
              { role: "system", content: "Be brief." },
            ],
          },
          "messages[1]",
        ],
      ],
      "fields-are-known": [
        [{ messages: [{ role: "user", content: "hi", createdAt: 1 }] }, "messages[0].createdAt"],
        [{ messages: [{ role: "user", content: [{ type: "text", text: "hi", id: 1 }] }] }, "messages[0].content[0].id"],
      ],
      "nothing-is-empty": [
        [{ messages: [{ role: "user", content: "" }] }, "messages[0].content"],
        [{ messages: [{ role: "tool", content: [] }] }, "messages[0]"],
      ],
      "call-ids-are-unique": [
        [
          {
            messages: [
              {
                role: "assistant",
                content: ["f", "g"].map((toolName) => ({ type: "tool-call", toolCallId: "a", toolName, input: {} })),
              },
            ],
          },
          "messages[0].content[1]",
        ],
      ],
      "text-is-well-formed": [[{ messages: [{ role: "user", content: HALF }] }, "messages[0].content"]],
      "results-have-names": [
        [
          { messages: [{ role: "tool", content: [{ ...sdkResult("a"), toolName: undefined }] }] },
          "messages[0].content[0]",
        ],
        [{ messages: [{ role: "tool", content: [{ ...sdkResult("a"), output: "found" }] }] }, "messages[0].content[0]"],
      ],
      "results-follow-calls": [[{ messages: [{ role: "tool", content: [sdkResult("a")] }] }, "messages[0].content[0]"]],
      "calls-have-results": [
        [
          {
            messages: [
              { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "f", input: {} }] },
              { role: "user", content: "hi" },
            ],
          },
          "messages[0].content[0]",
        ],
      ],
      "ends-with-user": [
        [
          {
            messages: [
              { role: "user", content: "hi" },
              { role: "assistant", content: "ho" },
            ],
          },
          "messages[1]",
        ],
      ],
    },
  },

  chrome: {
    sound: () => ({
      initialPrompts: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", value: "Which?" },
            { type: "image", value: new Uint8Array(8) },
          ],
        },
        { role: "assistant", content: [{ type: "text", value: "I look." }, chromeCall("a"), chromeCall("b")] },
        { role: "user", content: [chromeResponse("a"), chromeResponse("b")] },
        { role: "assistant", content: "It." },
      ],
      prompt: [{ role: "user", content: "And now?" }],
    }),
    broken: {
      "has-messages": [
        [{ initialPrompts: [{ role: "system", content: "Be brief." }], prompt: [] }, "prompt"],
        [null, "prompt"],
      ],
      "roles-are-known": [[{ prompt: [{ role: "tool", content: "hi" }] }, "prompt[0]"]],
      "instructions-are-first": [
        [{ initialPrompts: [userSays("hi")], prompt: [{ role: "system", content: "Be brief." }] }, "prompt[0]"],
      ],
      "parts-fit": [
        [
          { prompt: [{ role: "user", content: [{ type: "image", value: "https://example.org/a.png" }] }] },
          "prompt[0].content[0]",
        ],
        [{ prompt: [{ role: "user", content: [{ type: "text", value: 5 }] }] }, "prompt[0].content[0]"],
        [{ prompt: [{ role: "user", content: [{ type: "file", value: "a" }] }] }, "prompt[0].content[0]"],
        [
          { prompt: [{ role: "assistant", content: [{ type: "image", value: new Uint8Array(1) }] }] },
          "prompt[0].content[0]",
        ],
        [{ prompt: [{ role: "user", content: [chromeCall("a")] }] }, "prompt[0].content[0]"],
      ],
      "results-follow-calls": [
        [{ prompt: [{ role: "user", content: [chromeResponse("a")] }] }, "prompt[0].content[0]"],
      ],
      "calls-have-results": [
        [
          { initialPrompts: [{ role: "assistant", content: [chromeCall("a")] }], prompt: [userSays("hi")] },
          "initialPrompts[0].content[0]",
        ],
      ],
    },
  },

  "web-llm": {
    sound: () => ({
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "Which?" },
            { type: "image_url", image_url: { url: "https://example.org/a.png" } },
            { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
          ],
        },
        { role: "assistant", content: "", tool_calls: [called("a")] },
        { role: "tool", tool_call_id: "a", content: "found" },
        { role: "assistant", content: "It." },
        userSays("And now?"),
      ],
    }),
    broken: {
      "has-messages": [
        [{ messages: [] }, "messages"],
        [null, "messages"],
      ],
      "roles-are-known": [[{ messages: [{ role: "developer", content: "hi" }, userSays("hi")] }, "messages[0]"]],
      "instructions-are-first": [
        [{ messages: [userSays("hi"), { role: "system", content: "Be brief." }, userSays("ho")] }, "messages[1]"],
      ],
      "texts-are-strings": [
        [{ messages: [userSays("hi"), { role: "assistant", content: null }, userSays("ho")] }, "messages[1]"],
        [{ messages: [{ role: "user", content: [{ type: "video" }] }] }, "messages[0].content[0]"],
        [
          { messages: [{ role: "system", content: [{ type: "text", text: "Be brief." }] }, userSays("hi")] },
          "messages[0]",
        ],
      ],
      "one-text-a-message": [
        [
          {
            messages: [
              {
                role: "user",
                content: [
                  { type: "text", text: "a" },
                  { type: "text", text: "b" },
                ],
              },
            ],
          },
          "messages[0]",
        ],
      ],
      "media-fits": [
        [{ messages: [{ role: "user", content: [image()] }] }, "messages[0].content[0]"],
        [
          { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "blob:a" } }] }] },
          "messages[0].content[0]",
        ],
        [
          {
            messages: [
              {
                role: "user",
                content: [{ type: "input_audio", input_audio: { data: "https://example.org/a.wav", format: "wav" } }],
              },
            ],
          },
          "messages[0].content[0]",
        ],
      ],
      "results-follow-calls": [[{ messages: [{ role: "tool", tool_call_id: "a", content: "x" }] }, "messages[0]"]],
      "calls-have-results": [
        [
          { messages: [{ role: "assistant", content: "", tool_calls: [called("a")] }, userSays("hi")] },
          "messages[0].tool_calls[0]",
        ],
      ],
      "ends-with-user": [[{ messages: [userSays("hi"), { role: "assistant", content: "ho" }] }, "messages[1]"]],
      "tools-need-a-model": [
        [{ model: "Qwen3-4B-q4f16_1-MLC", messages: [userSays("hi")], tools: [{}] }, "tools"],
        [
          {
            model: "Hermes-3-Llama-3.1-8B-q4f16_1-MLC",
            messages: [{ role: "system", content: "Be brief." }, userSays("hi")],
            tools: [{}],
          },
          "messages[0]",
        ],
      ],
    },
  },
};

function userSays(content) {
  return { role: "user", content };
}

function chromeCall(callId, name = "look") {
  return { type: "tool-call", value: { callId, name, arguments: {} } };
}

function chromeResponse(callId, name = "look") {
  return { type: "tool-response", value: { callId, name, result: [{ type: "text", value: "found" }] } };
}

/** A text of `count` megabytes. */
function megabytes(count) {
  return "A".repeat(count * 2 ** 20);
}

/** `count` equal objects. */
function copies(count, value) {
  return Array.from({ length: count }, () => structuredClone(value));
}

/** A media block in Anthropic's form. */
function block(type, data) {
  return { type, source: { type: "base64", media_type: type === "image" ? "image/png" : "application/pdf", data } };
}

function image() {
  return { type: "image_url", image_url: { url: "https://example.org/a.png", detail: "low" } };
}

function called(id, name = "look") {
  return { id, type: "function", function: { name, arguments: "{}" } };
}

function itemCall(id, name = "look") {
  return { type: "function_call", call_id: id, name, arguments: "{}" };
}

function use(id, name = "look", input = {}) {
  return { type: "tool_use", id, name, input };
}

function hosted(id) {
  return { type: "server_tool_use", id, name: "web_search", input: {} };
}

function hostedResult(id) {
  return { type: "web_search_tool_result", tool_use_id: id, content: [] };
}

function responded(name) {
  return { functionResponse: { name, response: { output: "x" } } };
}

function sdkResult(toolCallId, toolName = "look") {
  return { type: "tool-result", toolCallId, toolName, output: { type: "text", value: "found" } };
}

for (const { name, title, rules } of providers) {
  describe(`the rules of ${title}`, () => {
    const { sound, broken } = CASES[name];

    test("a valid body keeps all of them", () => {
      assert.deepEqual(problemsOf(name, sound()), []);
    });

    test("each has its cases in this file", () => {
      assert.deepEqual(Object.keys(broken).toSorted(), rules.map(({ id }) => id).toSorted());
    });

    for (const { id, demands, sources } of rules) {
      test(`${id}: a body that breaks it is reported with the place`, () => {
        assert.match(demands, /^[A-Z].*\.$/s);
        assert.ok(sources.length > 0 && sources.every((source) => URL.canParse(source)));
        for (const [body, place] of broken[id]) {
          const found = problemsOf(name, body).filter(({ rule }) => rule === id);
          assert.ok(
            found.some((problem) => problem.place === place && problem.message.length > 0),
            `${JSON.stringify(body)}: ${JSON.stringify(found)}`,
          );
        }
      });
    }

    test("any value can be checked", () => {
      for (const value of [undefined, null, 5, "text", [], [null], { messages: 5, input: {}, contents: "x" }]) {
        assert.ok(problemsOf(name, value).length > 0);
      }
      const fields = { gemini: "contents", "openai-responses": "input", chrome: "prompt" };
      const field = fields[name] ?? "messages";
      for (const inner of [
        null,
        5,
        {},
        { role: 5, content: [null, 5, { type: 5 }], parts: [null, {}] },
        { role: "user", content: {} },
      ]) {
        assert.ok(problemsOf(name, { [field]: [inner] }).length > 0, JSON.stringify(inner));
      }
    });
  });
}

describe("a request that ends with the assistant", () => {
  const bodies = {
    openai: {
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: "ho" },
      ],
    },
    "openai-responses": {
      input: [
        { role: "user", content: "hi" },
        { role: "assistant", content: "ho" },
      ],
    },
    anthropic: {
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: "ho" },
      ],
    },
    gemini: {
      contents: [
        { role: "user", parts: [{ text: "hi" }] },
        { role: "model", parts: [{ text: "ho" }] },
      ],
    },
    bedrock: {
      messages: [
        { role: "user", content: [{ text: "hi" }] },
        { role: "assistant", content: [{ text: "ho" }] },
      ],
    },
    "ai-sdk": {
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: "ho" },
      ],
    },
  };
  const newClaude = [
    "claude-opus-4-6",
    "claude-sonnet-4.6",
    "us.anthropic.claude-opus-4-7-v1:0",
    "claude-fable-5",
    "claude",
  ];
  const oldClaude = ["claude-opus-4-5", "claude-3-5-sonnet-20241022", "claude-opus-4-20250514", "claude-2.1"];
  const mistral = ["mistral-large-latest", "mistralai/Devstral-Small-2"];
  const openAi = ["gpt-5", "gpt-4o-2024-05-13", "o3"];
  for (const [name, refusing, taking] of /** @type {[any, string[], string[]][]} */ ([
    ["openai", [...newClaude, ...mistral], [...openAi, ...oldClaude, "deepseek-v4-pro"]],
    ["openai-responses", newClaude, openAi],
    ["anthropic", newClaude, oldClaude],
    ["gemini", ["gemini-3-pro", "models/gemini-2.5-flash"], []],
    ["bedrock", [...newClaude, ...mistral], [...oldClaude, "us.amazon.nova-pro-v1:0"]],
    ["ai-sdk", [...newClaude, ...mistral, "google/gemini-3-pro"], [...openAi, ...oldClaude]],
  ])) {
    test(`${name}: is refused for the models that are known to refuse it, and if no model is named`, () => {
      const broken = (target) => problemsOf(name, bodies[name], target).map(({ rule }) => rule);
      for (const model of [undefined, ...refusing]) {
        assert.deepEqual(broken({ model }), ["ends-with-user"], model);
      }
      for (const model of taking) {
        assert.deepEqual(broken({ model }), [], model);
        assert.deepEqual(problemsOf(name, { model, ...bodies[name] }), []);
        const said = [
          { role: "user", content: "hi" },
          { role: "assistant", content: "ho" },
        ];
        assert.deepEqual(requestOf(name, said, { model }), bodies[name]);
        const context = buildContextSync(said, { model, request: null, encoding: "estimate" });
        assert.deepEqual(context.request(name), bodies[name]);
      }
    });
  }
});

test("Anthropic: a server tool may be open while its step runs, and at the end of a paused turn", () => {
  const asked = { role: "user", content: "go" };
  const results = (id) => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content: [{ type: "text", text: "found" }] }],
  });
  const step = { role: "assistant", content: [hosted("s"), use("a")] };
  const later = { role: "assistant", content: [use("b")] };
  const answered = { role: "assistant", content: [hostedResult("s"), { type: "text", text: "It." }] };
  for (const messages of /** @type {any[][]} */ ([
    [asked, step, results("a")],
    [asked, step, results("a"), later, results("b")],
    [asked, step, results("a"), later, results("b"), answered, asked],
    [asked, { role: "assistant", content: [{ type: "text", text: "ok" }, hosted("s")] }],
    [asked, { role: "assistant", content: [hosted("s"), hostedResult("s")] }],
  ])) {
    assert.deepEqual(problemsOf("anthropic", { messages }), []);
    assert.deepEqual(requestOf("anthropic", messages), { messages });
  }
  /** @type {any} */
  const ended = { role: "assistant", content: [hosted("s"), hostedResult("s"), { type: "text", text: "It." }] };
  assert.throws(() => requestOf("anthropic", [asked, ended]), { code: "NOT_SENDABLE", rule: "ends-with-user" });
});

test("the AI SDK: the request may end with a tool that the provider ran", () => {
  const asked = { role: "user", content: "go" };
  const call = { type: "tool-call", toolCallId: "h", toolName: "web_search", input: {}, providerExecuted: true };
  const gave = { type: "tool-result", toolCallId: "h", toolName: "web_search", output: { type: "json", value: [] } };
  for (const content of [[call], [call, gave]]) {
    /** @type {any[]} */
    const messages = [asked, { role: "assistant", content }];
    assert.deepEqual(requestOf("ai-sdk", messages), { messages });
  }
  const [problem] = problemsOf("ai-sdk", {
    messages: [asked, { role: "assistant", content: [call, gave, { type: "text", text: "It." }] }],
  });
  assert.equal(problem.rule, "ends-with-user");
});

describe("limits on media", () => {
  test("depend on the model that the body names", () => {
    /** @type {any} */
    const messages = [{ role: "user", content: copies(150, block("image", "iVBORw0KGgo=")) }];
    for (const [model, isRefused] of /** @type {[string | undefined, boolean][]} */ ([
      [undefined, true],
      ["claude-haiku-4-5-20251001", true],
      ["claude-sonnet-4-5", true],
      ["claude-opus-4-1-20250805", true],
      ["claude-sonnet-4-20250514", true],
      ["claude-3-7-sonnet-latest", true],
      ["claude-opus-4-6", false],
      ["claude-opus-4-8", false],
      ["claude-sonnet-5-5", false],
    ])) {
      const rules = problemsOf("anthropic", { ...(model === undefined ? {} : { model }), messages }).map(
        ({ rule }) => rule,
      );
      assert.deepEqual(rules, isRefused ? ["images-are-few"] : [], model);
    }
  });

  test("are checked when a request is written", () => {
    const content = copies(150, { type: "image", data: "iVBORw0KGgo=", mediaType: "image/png" });
    /** @type {any} */
    const messages = [{ role: "user", content }];
    assert.throws(() => requestOf("anthropic", messages), { code: "NOT_SENDABLE", rule: "images-are-few" });
    assert.equal(requestOf("gemini", messages).contents.length, 1);
  });
});
