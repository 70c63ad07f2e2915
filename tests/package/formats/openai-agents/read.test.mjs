// The items of OpenAI's Agents SDK.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, countTokens, loadEncoding } from "windrow";
import { forEachSeed } from "../../support/property.mjs";
import { checkShape } from "../../support/shape-cases.mjs";

const encoding = "o200k_base";
const BASE64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PIXEL = `data:image/png;base64,${BASE64}`;
const LONG = "The boat house holds forty people, and it has a kitchen with a stove. ".repeat(8);
const LOG = "step one went well, and step two was skipped; ".repeat(12);
const TOOLS = [{ type: "function", name: "look", parameters: { type: "object" }, strict: true }];
const HELLO = "data:text/plain;base64,aGVsbG8gd29ybGQh";

/** An item, and its equivalent in windrow's own form. */
const pairs = () => [
  [
    { type: "message", role: "system", content: "You book boats.", providerData: { name: "x" } },
    { role: "system", content: "You book boats." },
  ],
  [
    {
      role: "user",
      content: [
        { type: "input_text", text: "Which boat house?", promptCacheBreakpoint: { mode: "explicit" } },
        { type: "input_image", image: PIXEL, detail: "low" },
        { type: "input_image", image: { id: "file-1" } },
        { type: "input_image", imageUrl: PIXEL },
        { type: "input_image", fileId: "file-1" },
        { type: "input_file", file: HELLO, filename: "map.txt" },
        { type: "input_file", file: { url: "https://example.org/map.pdf" }, pages: 3 },
        { type: "input_file", file: { id: "file-2" } },
        { type: "input_file", fileData: HELLO },
        { type: "audio", audio: "aGVsbG8gd29ybGQhIQ==", format: "mp3", transcript: "Hello world." },
        { type: "audio", audio: { id: "file-3" } },
        { type: "audio", audio: "", transcript: "Do you hear me?" },
      ],
    },
    {
      role: "user",
      content: [
        "Which boat house?",
        { type: "image", url: PIXEL, detail: "low" },
        { type: "image", file_id: "file-1" },
        { type: "image", url: PIXEL },
        { type: "image", file_id: "file-1" },
        { type: "file", data: HELLO },
        { type: "file", url: "https://example.org/map.pdf", pages: 3 },
        { type: "file", file_id: "file-2" },
        { type: "file", data: HELLO },
        { type: "audio", data: "aGVsbG8gd29ybGQhIQ==", mediaType: "audio/mp3" },
        { type: "audio", file_id: "file-3" },
        "Do you hear me?",
      ],
    },
  ],
  [
    {
      type: "reasoning",
      id: "rs_1",
      content: [{ type: "input_text", text: "Two places.", providerData: { type: "summary_text" } }],
      providerData: {
        id: "rs_1",
        type: "reasoning",
        content: [{ type: "reasoning_text", text: "Let me look at two places." }],
        encrypted_content: "gAAAAABotherwise",
      },
    },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Two places." },
        { type: "reasoning", text: "Let me look at two places." },
        { type: "redacted_thinking", data: "gAAAAABotherwise" },
      ],
    },
  ],
  [
    {
      type: "function_call",
      id: "fc_1",
      callId: "c1",
      name: "look",
      arguments: '{"at":1}',
      status: "completed",
      providerData: { id: "fc_1", type: "function_call" },
    },
    call("c1", "look", '{"at":1}'),
  ],
  [
    { type: "function_call", id: "fc_2", callId: "c2", name: "look", namespace: "map", arguments: "" },
    call("c2", "map.look", ""),
  ],
  [
    { type: "function_call", callId: "c3", name: "look", arguments: "{}", caller: { type: "direct" } },
    call("c3", "look", "{}"),
  ],
  [{ type: "function_call", callId: "c4", name: "look", arguments: "{}" }, call("c4", "look", "{}")],
  [{ type: "function_call", callId: "c5", name: "look", arguments: "{}" }, call("c5", "look", "{}")],
  [{ type: "function_call_result", callId: "c1", name: "look", status: "completed", output: LONG }, result("c1", LONG)],
  [
    {
      type: "function_call_result",
      callId: "c2",
      name: "look",
      namespace: "map",
      status: "completed",
      output: { type: "text", text: LOG },
    },
    result("c2", LOG),
  ],
  [
    {
      type: "function_call_result",
      callId: "c3",
      name: "look",
      status: "completed",
      output: { type: "image", image: { data: new Uint8Array(Buffer.from(BASE64, "base64")), mediaType: "image/png" } },
    },
    result("c3", { type: "content", value: [{ type: "image", url: PIXEL }] }),
  ],
  [
    {
      type: "function_call_result",
      callId: "c4",
      name: "look",
      status: "completed",
      output: { type: "file", file: { data: "aGVsbG8gd29ybGQh", mediaType: "text/plain", filename: "a.txt" } },
    },
    result("c4", {
      type: "content",
      value: [{ type: "file", data: "aGVsbG8gd29ybGQh", mediaType: "text/plain" }],
    }),
  ],
  [
    {
      type: "function_call_result",
      callId: "c5",
      name: "look",
      status: "incomplete",
      output: [
        { type: "input_text", text: "A map." },
        { type: "input_image", image: PIXEL, detail: "high" },
        { type: "input_file", file: { id: "file-4" } },
      ],
    },
    result("c5", {
      type: "content",
      value: [
        { type: "text", text: "A map." },
        { type: "image", url: PIXEL, detail: "high" },
        { type: "file", file_id: "file-4" },
      ],
    }),
  ],
  [
    {
      type: "computer_call",
      callId: "c6",
      status: "completed",
      action: { type: "screenshot" },
      actions: [{ type: "screenshot" }, { type: "wait" }],
    },
    call("c6", "computer", { actions: [{ type: "screenshot" }, { type: "wait" }] }),
  ],
  [
    { type: "computer_call_result", callId: "c6", output: { type: "computer_screenshot", data: PIXEL } },
    result("c6", { type: "content", value: [{ type: "image", url: PIXEL }] }),
  ],
  [
    { type: "computer_call", callId: "c7", status: "completed", action: { type: "type", text: "boats" } },
    call("c7", "computer", { action: { type: "type", text: "boats" } }),
  ],
  [
    {
      type: "computer_call_result",
      callId: "c7",
      output: { type: "computer_screenshot", data: "https://example.org/s" },
    },
    result("c7", { type: "content", value: [{ type: "image", url: "https://example.org/s" }] }),
  ],
  [
    { type: "shell_call", callId: "c8", action: { commands: ["make"], timeoutMs: 5 } },
    call("c8", "shell", { commands: ["make"], timeoutMs: 5 }),
  ],
  [
    {
      type: "shell_call_output",
      callId: "c8",
      maxOutputLength: 4096,
      output: [
        { stdout: LOG, stderr: "a warning", outcome: { type: "exit", exitCode: 1 }, provider: "local" },
        { stdout: "", stderr: "", outcome: { type: "timeout" } },
      ],
    },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "c8", output: `${LOG}\na warning` },
        hidden([{ outcome: { type: "exit", exitCode: 1 }, provider: "local" }, { outcome: { type: "timeout" } }]),
      ],
    },
  ],
  [
    {
      type: "apply_patch_call",
      callId: "c9",
      status: "completed",
      operation: { type: "delete_file", path: "boats.txt" },
    },
    call("c9", "apply_patch", { type: "delete_file", path: "boats.txt" }),
  ],
  [
    { type: "apply_patch_call_output", callId: "c9", status: "completed", output: "The patch is in." },
    result("c9", "The patch is in."),
  ],
  [
    { type: "program", callId: "c10", code: "await look(1)", fingerprint: "f" },
    call("c10", "program", "await look(1)"),
  ],
  [
    {
      type: "function_call",
      callId: "c11",
      name: "look",
      arguments: "{}",
      caller: { type: "program", callerId: "c10" },
    },
    {
      role: "assistant",
      content: [
        { type: "tool-result", toolCallId: "c10", output: "" },
        { type: "tool-call", toolCallId: "c11", toolName: "look", input: "{}" },
      ],
    },
  ],
  [{ type: "function_call_result", callId: "c11", name: "look", status: "completed", output: "" }, result("c11", "")],
  [{ type: "program_output", callId: "c10", output: "40", status: "completed" }, result("c10", "40")],
  [
    { type: "tool_search_call", id: "ts", arguments: { query: "boats" }, providerData: { call_id: "c12" } },
    call("c12", "tool_search", { query: "boats" }),
  ],
  [
    { type: "tool_search_output", id: "to", callId: "c12", tools: TOOLS, toolSearchAgentName: "Mara" },
    { role: "tool", content: [{ type: "tool-result", toolCallId: "c12", output: "" }, hidden(TOOLS)] },
  ],
  [
    {
      type: "hosted_tool_call",
      id: "ws",
      name: "web_search_call",
      status: "completed",
      providerData: { type: "web_search_call", id: "ws", action: { type: "search", query: "boats" } },
    },
    callWithResult("ws", "web_search", { type: "search", query: "boats" }, ""),
  ],
  [
    {
      type: "hosted_tool_call",
      id: "fs",
      name: "file_search_call",
      status: "completed",
      providerData: { type: "file_search", queries: ["boats"], results: [{ text: LONG, filename: "a.md" }] },
    },
    callWithResult("fs", "file_search", { queries: ["boats"], results: [{ filename: "a.md" }] }, LONG),
  ],
  [
    {
      type: "hosted_tool_call",
      id: "ci",
      name: "code_interpreter_call",
      status: "completed",
      providerData: {
        type: "code_interpreter_call",
        code: "plot()",
        containerId: "cn",
        results: [
          { type: "logs", logs: LOG },
          { type: "image", url: PIXEL },
        ],
      },
    },
    {
      role: "assistant",
      content: [...callWithResult("ci", "code_interpreter", "plot()", LOG).content, { type: "image", url: PIXEL }],
    },
  ],
  [
    {
      type: "hosted_tool_call",
      id: "ig",
      name: "image_generation_call",
      status: "completed",
      output: BASE64,
      providerData: { type: "image_generation_call", revisedPrompt: LONG, outputFormat: "png" },
    },
    { role: "assistant", content: [LONG, { type: "image", url: PIXEL }] },
  ],
  [
    {
      type: "hosted_tool_call",
      id: "ml",
      name: "mcp_list_tools",
      status: "completed",
      providerData: { type: "mcp_list_tools", server_label: "quay", tools: [{ name: "berths" }] },
    },
    { role: "assistant", content: [hidden({ server_label: "quay", tools: [{ name: "berths" }] })] },
  ],
  [
    {
      type: "hosted_tool_call",
      id: "ma",
      name: "mcp_approval_request",
      status: "completed",
      providerData: { type: "mcp_approval_request", id: "ma", server_label: "quay", name: "berths", arguments: "{}" },
    },
    call("ma", "quay.berths", "{}"),
  ],
  [
    {
      type: "hosted_tool_call",
      name: "mcp_approval_response",
      providerData: { approvalRequestId: "ma", approve: true, type: "mcp_approval_response" },
    },
    result("ma", "The call is approved."),
  ],
  [
    {
      type: "hosted_tool_call",
      id: "mc",
      name: "mcp_call",
      status: "completed",
      output: LOG,
      providerData: { type: "mcp_call", id: "mc", server_label: "quay", name: "berths", arguments: "{}" },
    },
    callWithResult("mc", "quay.berths", "{}", LOG),
  ],
  [
    { type: "hosted_tool_call", name: "weather", arguments: '{"city":"Rome"}', output: LONG },
    callWithResult("weather", "weather", '{"city":"Rome"}', LONG),
  ],
  [
    {
      type: "unknown",
      id: "lh",
      providerData: { type: "local_shell_call", id: "lh", call_id: "c13", action: { a: 1 } },
    },
    call("c13", "local_shell", { a: 1 }),
  ],
  [{ type: "unknown", providerData: { type: "local_shell_call_output", id: "c13", output: LOG } }, result("c13", LOG)],
  [
    { type: "unknown", providerData: { role: "user", content: "Hello from elsewhere." } },
    { role: "user", content: "Hello from elsewhere." },
  ],
  [{ type: "unknown" }, { role: "assistant", content: [] }],
  [
    { type: "compaction", id: "cp", encrypted_content: "gAAAAABcompacted", created_by: "us", providerData: {} },
    { role: "assistant", content: [{ type: "redacted_thinking", data: "gAAAAABcompacted" }] },
  ],
  [
    { type: "reasoning", content: [], rawContent: [{ type: "reasoning_text", text: "It is the blue one." }] },
    { role: "assistant", content: [{ type: "reasoning", text: "It is the blue one." }] },
  ],
  [
    {
      type: "message",
      id: "FAKE_ID",
      role: "assistant",
      status: "completed",
      content: [
        { type: "output_text", text: LONG, providerData: { annotations: [] } },
        { type: "refusal", refusal: "I book no cars." },
        { type: "audio", audio: "aGVsbG8gd29ybGQhIQ==", providerData: { transcript: "Hello." } },
        { type: "image", image: BASE64 },
      ],
    },
    {
      role: "assistant",
      content: [
        LONG,
        { type: "refusal", refusal: "I book no cars." },
        { type: "audio", data: "aGVsbG8gd29ybGQhIQ==" },
        { type: "image", url: PIXEL },
      ],
    },
  ],
  [
    { role: "user", content: "And the kitchen?" },
    { role: "user", content: "And the kitchen?" },
  ],
];

function hidden(data) {
  return { type: "redacted_thinking", data: JSON.stringify(data) };
}

function call(toolCallId, toolName, input) {
  return { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName, input }] };
}

function result(toolCallId, output) {
  return { role: "tool", content: [{ type: "tool-result", toolCallId, output }] };
}

function callWithResult(toolCallId, toolName, input, output) {
  return {
    role: "assistant",
    content: [
      { type: "tool-call", toolCallId, toolName, input },
      { type: "tool-result", toolCallId, output },
    ],
  };
}

/** Positions of the items with a call's id. */
const callAndResult = (id) => pairs().flatMap(([{ callId }], at) => (callId === id ? [at] : []));
const at = (fields) =>
  pairs().findIndex(([item]) => Object.entries(fields).every(([name, value]) => item[name] === value));

checkShape({
  name: "openai-agents",
  sample: () => pairs().map(([item]) => item),
  plain: pairs().map(([, plain]) => plain),
  texts: [
    ...["You book boats.", "Which boat house?", "Do you hear me?", "forty people", "[Calling look(", "A map."],
    ...["a warning", "The patch is in.", "The call is approved.", "Hello from elsewhere.", "I book no cars."],
  ],
  together: [
    // Reasoning, the parallel calls that it led to, and their results.
    [at({ id: "rs_1" }), ...["c1", "c2", "c3", "c4", "c5"].flatMap(callAndResult)],
    ...["c6", "c7", "c8", "c9"].map(callAndResult),
    // A program with the calls that it made.
    [...callAndResult("c10"), ...callAndResult("c11")],
    [at({ id: "ts" }), at({ id: "to" })],
    [at({ name: "mcp_approval_request" }), at({ name: "mcp_approval_response" })],
    [at({ id: "lh" }), at({ id: "lh" }) + 1],
    [at({ id: "FAKE_ID" }) - 1, at({ id: "FAKE_ID" })],
  ],
  unknown: () => [
    [{ role: "user", content: [{ type: "input_image", image: "" }] }, ".content[0]"],
    [{ role: "user", content: [{ type: "input_image", image: PIXEL }, { type: "hologram" }] }, ".content[1].type"],
    [{ role: "user", providerData: {}, content: [{ type: "input_text" }] }, ".content[0].text"],
    [{ role: "robot", providerData: {}, content: "hi" }, ".role"],
    [{ type: "function_call", callId: "c", name: "f" }, ".arguments"],
    [{ type: "function_call", callId: "c", name: "f", arguments: "{}", output: "done" }, ".output"],
    [{ type: "function_call_result", name: "f", output: "done" }, ".callId"],
    [{ type: "function_call_result", callId: "c", name: "f", output: { people: 40 } }, ".output.type"],
    [{ type: "function_call_result", callId: "c", name: "f", output: [{ type: "input_image" }] }, ".output[0]"],
    [{ type: "computer_call_result", callId: "c", output: { type: "film", data: "x" } }, ".output.type"],
    [{ type: "reasoning", content: [{ type: "poem", text: "a" }] }, ".content[0].type"],
    [{ type: "reasoning", content: [], providerData: { content: [{ type: "a" }] } }, ".providerData.content[0].type"],
    [{ type: "hosted_tool_call", arguments: "{}" }, ".name"],
    [
      { type: "hosted_tool_call", name: "mcp_call", providerData: { type: "mcp_call", name: "n" } },
      ".providerData.arguments",
    ],
    [{ type: "unknown", providerData: { type: "dream", text: "a" } }, ".providerData.type"],
    [{ type: "unknown", providerData: { type: "item_reference", id: "a" } }, ".providerData.type"],
  ],
});

describe("items of the Agents SDK", async () => {
  await loadEncoding(encoding);
  /** @type {(messages: any[], config?: any) => import("windrow").BuiltContext<any>} */
  const built = (messages, config) => buildContextSync(messages, { encoding, ...config });
  const cost = (messages) => countTokens(messages, { encoding }).tokens;

  test("a tool's output is shortened in place, and its cost is true", () => {
    const function_call = { type: "function_call", callId: "c", name: "f", arguments: "{}" };
    const given = { type: "function_call_result", callId: "c", name: "f", status: "completed" };
    const hosted = (providerData, rest) => ({ type: "hosted_tool_call", id: "h", name: "x", providerData, ...rest });
    const mcp = { type: "mcp_call", id: "h", serverLabel: "s", name: "n", arguments: "{}" };
    const approval = { type: "mcp_approval_request", id: "a", server_label: "s", name: "n", arguments: "{}" };
    for (const [before, shortenable] of [
      [function_call, (output) => ({ ...given, output })],
      [function_call, (text) => ({ ...given, output: { type: "text", text } })],
      [
        function_call,
        (text) => ({
          ...given,
          output: [
            { type: "input_image", image: PIXEL },
            { type: "input_text", text },
          ],
        }),
      ],
      [
        { type: "shell_call", callId: "c", action: { commands: ["ls"] } },
        (stdout) => ({
          ...{ type: "shell_call_output", callId: "c" },
          output: [{ stdout, stderr: "", outcome: { type: "exit", exitCode: 1 } }],
        }),
      ],
      [
        { type: "program", callId: "c", code: "1", fingerprint: "f" },
        (output) => ({ type: "program_output", callId: "c", status: "completed", output }),
      ],
      [undefined, (output) => hosted({ ...mcp }, { output })],
      [undefined, (message) => hosted({ ...mcp, error: { type: "http_error", code: 5, message } })],
      [undefined, (text) => hosted({ type: "file_search_call", queries: ["a"], results: [{ filename: "b", text }] })],
      [undefined, (logs) => hosted({ type: "code_interpreter", code: "1", results: [{ type: "logs", logs }] })],
      [undefined, (revisedPrompt) => hosted({ type: "image_generation_call", revisedPrompt }, { output: BASE64 })],
      [undefined, (output) => hosted(undefined, { arguments: "{}", output })],
      [hosted(approval), (reason) => hosted({ type: "mcp_approval_response", approvalRequestId: "a", reason })],
      [undefined, (text) => ({ type: "unknown", providerData: { role: "user", content: text } })],
      [undefined, (output) => ({ type: "unknown", providerData: { ...mcp, output } })],
      [
        undefined,
        (text) => ({ role: "assistant", content: [{ type: "output_text", text, providerData: {} }], providerData: {} }),
      ],
    ]) {
      const call = before === undefined ? [] : [before];
      const item = shortenable(LONG);
      const budget = { maxTokens: cost([...call, shortenable("")]) + 40, onRequiredOverflow: "shorten" };
      const { messages, tokens } = built([...call, { ...item, pinned: true }], { request: null, budget });
      const copy = messages.at(-1);
      assert.deepEqual([copy.shortened, copy.type, copy.callId], [true, item.type, item.callId]);
      assert.equal(cost(messages), tokens.total, JSON.stringify(copy));
    }
  });

  test("a provider's own call goes if calls aren't shown, and leaves its images", () => {
    const outputs = [
      { type: "logs", logs: "done" },
      { type: "image", url: PIXEL },
    ];
    const ran = {
      ...{ type: "hosted_tool_call", id: "c", name: "code_interpreter_call" },
      providerData: { type: "code_interpreter_call", code: "plot()", outputs },
    };
    const { messages, tokens } = built([ran, { role: "user", content: "And now?" }], {
      filter: { excludeToolCalls: true },
    });
    assert.deepEqual(messages[0].providerData, { type: "code_interpreter_call", code: null, outputs: [outputs[1]] });
    assert.equal(cost(messages), tokens.total);
    const searched = { type: "hosted_tool_call", id: "s", name: "web_search_call", providerData: { action: {} } };
    const context = built([searched, { role: "user", content: "And now?" }], { filter: { excludeToolCalls: true } });
    assert.deepEqual(
      context.messages.map(({ role }) => role),
      ["user"],
    );
  });

  test("items with the id of one response aren't duplicates", () => {
    for (const id of ["chatcmpl-1", "FAKE_ID"]) {
      const messages = [
        {
          id,
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "So." }],
        },
        ...["c1", "c2"].map((callId) => ({ id, type: "function_call", callId, name: "look", arguments: "{}" })),
        ...["c1", "c2"].map((callId) => ({ type: "function_call_result", callId, name: "look", output: "forty" })),
      ].map((item) => ({ ...item, providerData: {} }));
      const { kept } = built(messages, { request: null });
      assert.deepEqual(kept, messages);
    }
    const named = { id: "fc_1", type: "function_call", callId: "c", name: "look", arguments: "{}" };
    const context = built([named, { type: "function_call_result", callId: "c", name: "look", output: "" }]);
    assert.equal(context.explain("fc_1").position, 0);
  });

  test("items of the two packages are distinguished, and a conversation may have both", () => {
    const messages = [
      { type: "function_call", call_id: "c", name: "look", arguments: "{}" },
      { type: "function_call_result", callId: "c", name: "look", output: "forty" },
      { type: "reasoning", id: "r", summary: [{ type: "summary_text", text: "Let me look." }] },
      { type: "reasoning", content: [{ type: "input_text", text: "Let me look again." }] },
      { role: "assistant", content: "It has forty." },
    ];
    assert.deepEqual(built(messages, { request: null }).kept, messages);
  });

  test("in any conversation, at any budget, parallel calls stay with the reasoning and their results", () => {
    forEachSeed((random) => {
      const turns = Array.from({ length: random.integer(1, 8) }, (_, turn) => randomTurn(random, turn));
      /** @type {any[]} */
      const messages = turns.flatMap(({ items }) => items);
      const { tokens, messages: all } = built(messages, { request: "And now?" });
      assert.deepEqual(all.slice(0, -1), messages);
      assert.equal(cost(messages), cost(turns.flatMap(({ plain }) => plain)));
      const budget = { maxTokens: random.integer(20, tokens.total) };
      const { kept, tokens: spent } = built(messages, { request: "And now?", budget });
      assert.ok(spent.total <= budget.maxTokens);
      for (const { together } of turns) {
        const found = together.filter((item) => kept.includes(item));
        assert.ok(found.length === 0 || found.length === together.length);
      }
    });
  });
});

/** A question and the model's response, with the groups that belong together. */
function randomTurn(random, turn) {
  const ids = Array.from({ length: random.integer(1, 3) }, (_, index) => `${turn}-${index}`);
  const thought = { type: "reasoning", content: [], rawContent: [{ type: "reasoning_text", text: random.text(6) }] };
  const calls = ids.map((callId) => ({
    ...{ id: `chatcmpl-${turn}`, type: "function_call", callId, name: "look", status: "completed" },
    arguments: JSON.stringify({ at: random.text(3) }),
  }));
  const results = ids.map((callId) => ({
    ...{ type: "function_call_result", callId, name: "look", status: "completed" },
    output: random.chance(0.5) ? random.text(20) : { type: "text", text: random.text(20) },
  }));
  if (random.chance(0.5)) {
    results.reverse();
  }
  const thoughts = random.chance(0.7) ? [thought] : [];
  const together = [...thoughts, ...calls, ...results];
  const [question, answer] = [random.text(12), random.text(20)];
  const content = [{ type: "output_text", text: answer, providerData: {} }];
  const items = [
    { role: "user", content: question },
    ...together,
    { id: `chatcmpl-${turn}-b`, type: "message", role: "assistant", status: "completed", content },
  ];
  const plain = [
    { role: "user", content: question },
    ...thoughts.map((it) => ({ role: "assistant", content: [{ type: "reasoning", text: it.rawContent[0].text }] })),
    ...calls.map((it) => call(it.callId, it.name, it.arguments)),
    ...results.map((it) => result(it.callId, it.output.text ?? it.output)),
    { role: "assistant", content: answer },
  ];
  return { items, together, plain };
}
