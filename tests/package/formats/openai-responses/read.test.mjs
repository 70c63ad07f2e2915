// The items of OpenAI's Responses API.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, countTokens, loadEncoding } from "windrow";
import { checkContextError } from "../../support/errors.mjs";
import { forEachSeed } from "../../support/property.mjs";
import { checkShape } from "../../support/shape-cases.mjs";

const encoding = "o200k_base";
const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const LONG = "The boat house holds forty people, and it has a kitchen with a stove. ".repeat(8);
const LOG = "step one went well, and step two was skipped; ".repeat(12);
const TOOLS = [{ type: "function", name: "look", parameters: { type: "object" }, strict: true }];

/** An item, and its equivalent in windrow's own form. */
const pairs = () => [
  [
    { type: "message", role: "developer", content: [{ type: "input_text", text: "You book boats." }] },
    { role: "developer", content: "You book boats." },
  ],
  [
    { type: "additional_tools", role: "developer", id: "at", tools: TOOLS },
    { role: "developer", content: [hidden({ tools: TOOLS })] },
  ],
  [
    {
      role: "user",
      content: [
        { type: "input_text", text: "Which boat house?", prompt_cache_breakpoint: { mode: "explicit" } },
        { type: "input_image", detail: "low", image_url: PIXEL },
        { type: "input_image", detail: "auto", image_url: null, file_id: "file-1" },
        { type: "input_file", filename: "map.txt", file_data: "data:text/plain;base64,aGVsbG8gd29ybGQh" },
        { type: "input_file", file_url: "https://example.org/map.pdf", pages: 3 },
      ],
    },
    {
      role: "user",
      content: [
        "Which boat house?",
        { type: "image", url: PIXEL, detail: "low" },
        { type: "image", file_id: "file-1", detail: "auto" },
        { type: "file", data: "data:text/plain;base64,aGVsbG8gd29ybGQh" },
        { type: "file", url: "https://example.org/map.pdf", pages: 3 },
      ],
    },
  ],
  [
    {
      type: "reasoning",
      id: "rs_1",
      summary: [{ type: "summary_text", text: "Two places." }],
      content: [{ type: "reasoning_text", text: "Let me look at two places." }],
      encrypted_content: "gAAAAABotherwise",
      status: "completed",
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
    { type: "function_call", id: "fc_1", call_id: "c1", name: "look", arguments: '{"at":1}', status: "completed" },
    call("c1", "look", '{"at":1}'),
  ],
  [
    { type: "function_call", id: "fc_2", call_id: "c2", name: "look", namespace: "map", arguments: "" },
    call("c2", "map.look", ""),
  ],
  [{ type: "function_call_output", call_id: "c2", output: LONG }, result("c2", LONG)],
  [
    {
      type: "function_call_output",
      id: "fco_1",
      call_id: "c1",
      status: "completed",
      output: [
        { type: "input_text", text: "A map." },
        { type: "input_image", image_url: PIXEL, detail: "high" },
        { type: "input_file", file_id: "file-2" },
      ],
    },
    result("c1", {
      type: "content",
      value: [
        { type: "text", text: "A map." },
        { type: "image", url: PIXEL, detail: "high" },
        { type: "file", file_id: "file-2" },
      ],
    }),
  ],
  [{ type: "custom_tool_call", call_id: "c3", name: "sql", input: "select 1" }, call("c3", "sql", "select 1")],
  [{ type: "custom_tool_call_output", call_id: "c3", output: "" }, result("c3", "")],
  [
    {
      type: "computer_call",
      id: "cu_1",
      call_id: "c4",
      status: "completed",
      pending_safety_checks: [{ id: "sc", code: "malicious_instructions", message: "Look closely." }],
      action: { type: "click", x: 1, y: 2, button: "left" },
    },
    call("c4", "computer", { action: { type: "click", x: 1, y: 2, button: "left" } }),
  ],
  [
    {
      type: "computer_call_output",
      call_id: "c4",
      acknowledged_safety_checks: [{ id: "sc" }],
      output: { type: "computer_screenshot", image_url: PIXEL },
    },
    result("c4", { type: "content", value: [{ type: "image", url: PIXEL }] }),
  ],
  [
    { type: "computer_call", id: "cu_2", call_id: "c5", actions: [{ type: "screenshot" }, { type: "wait" }] },
    call("c5", "computer", { actions: [{ type: "screenshot" }, { type: "wait" }] }),
  ],
  [
    { type: "computer_call_output", call_id: "c5", output: { type: "computer_screenshot", file_id: "file-3" } },
    result("c5", { type: "content", value: [{ type: "image", file_id: "file-3" }] }),
  ],
  [
    { type: "local_shell_call", id: "ls", call_id: "c6", action: { type: "exec", command: ["ls"], env: {} } },
    call("c6", "local_shell", { type: "exec", command: ["ls"], env: {} }),
  ],
  [{ type: "local_shell_call_output", id: "c6", output: "boats.txt" }, result("c6", "boats.txt")],
  [
    {
      type: "shell_call",
      call_id: "c7",
      action: { commands: ["make", "test"], timeout_ms: null },
      environment: { type: "container_reference", container_id: "cn" },
    },
    call("c7", "shell", { commands: ["make", "test"], timeout_ms: null }),
  ],
  [
    {
      type: "shell_call_output",
      call_id: "c7",
      max_output_length: 4096,
      output: [
        { stdout: LOG, stderr: "a warning", outcome: { type: "exit", exit_code: 1 } },
        { stdout: "", stderr: "", outcome: { type: "timeout" }, created_by: "us" },
      ],
    },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "c7", output: `${LOG}\na warning` },
        hidden([{ outcome: { type: "exit", exit_code: 1 } }, { outcome: { type: "timeout" } }]),
      ],
    },
  ],
  [
    {
      type: "apply_patch_call",
      call_id: "c8",
      status: "completed",
      operation: { type: "update_file", path: "boats.txt", diff: "@@ -1 +1 @@" },
    },
    call("c8", "apply_patch", { type: "update_file", path: "boats.txt", diff: "@@ -1 +1 @@" }),
  ],
  [{ type: "apply_patch_call_output", call_id: "c8", status: "failed" }, result("c8", "failed")],
  [
    { type: "program", id: "pg", call_id: "c9", code: "await look(1)", fingerprint: "f" },
    call("c9", "program", "await look(1)"),
  ],
  [
    {
      type: "function_call",
      call_id: "c10",
      name: "look",
      arguments: "{}",
      caller: { type: "program", caller_id: "c9" },
    },
    {
      role: "assistant",
      content: [
        { type: "tool-result", toolCallId: "c9", output: "" },
        { type: "tool-call", toolCallId: "c10", toolName: "look", input: "{}" },
      ],
    },
  ],
  [
    {
      type: "function_call_output",
      call_id: "c10",
      output: "forty",
      caller: { type: "program", caller_id: "c9" },
    },
    result("c10", "forty"),
  ],
  [{ type: "program_output", id: "po", call_id: "c9", result: "40", status: "completed" }, result("c9", "40")],
  [
    { type: "tool_search_call", id: "ts", call_id: null, execution: "server", arguments: { query: "boats" } },
    call("tool_search", "tool_search", { query: "boats" }),
  ],
  [
    { type: "tool_search_output", id: "to", call_id: null, execution: "server", tools: TOOLS },
    { role: "tool", content: [{ type: "tool-result", toolCallId: "tool_search", output: "" }, hidden(TOOLS)] },
  ],
  [
    {
      type: "web_search_call",
      id: "ws",
      status: "completed",
      action: { type: "search", query: "boats", sources: [{ type: "url", url: "https://example.org/a" }] },
    },
    callWithResult(
      "ws",
      "web_search",
      { type: "search", query: "boats", sources: [{ type: "url", url: "https://example.org/a" }] },
      "",
    ),
  ],
  [
    {
      type: "file_search_call",
      id: "fs",
      status: "completed",
      queries: ["boats"],
      results: [{ file_id: "f", filename: "a.md", score: 0.5, text: LONG }, { text: "The quay is closed." }],
    },
    callWithResult(
      "fs",
      "file_search",
      { queries: ["boats"], results: [{ file_id: "f", filename: "a.md", score: 0.5 }] },
      `${LONG}\nThe quay is closed.`,
    ),
  ],
  [
    { type: "file_search_call", id: "fs2", status: "failed", queries: [], results: null },
    callWithResult("fs2", "file_search", { queries: [] }, ""),
  ],
  [
    {
      type: "code_interpreter_call",
      id: "ci",
      container_id: "cn",
      status: "completed",
      code: "print(40)",
      outputs: [
        { type: "logs", logs: LOG },
        { type: "image", url: PIXEL },
        { type: "logs", logs: "40" },
      ],
    },
    {
      role: "assistant",
      content: [
        ...callWithResult("ci", "code_interpreter", "print(40)", `${LOG}\n40`).content,
        { type: "image", url: PIXEL },
      ],
    },
  ],
  [
    { type: "code_interpreter_call", id: "ci2", container_id: "cn", status: "in_progress", code: null, outputs: null },
    { role: "assistant", content: [] },
  ],
  [
    {
      type: "image_generation_call",
      id: "ig",
      status: "completed",
      action: "generate",
      revised_prompt: LONG,
      result: PIXEL.split(",")[1],
    },
    { role: "assistant", content: [LONG, { type: "image", url: PIXEL }] },
  ],
  [
    {
      type: "image_generation_call",
      id: "ig2",
      status: "failed",
      result: null,
      error: { type: "e", code: null, param: null, message: "blocked" },
    },
    { role: "assistant", content: [hidden({ type: "e", code: null, param: null, message: "blocked" })] },
  ],
  [
    { type: "mcp_list_tools", id: "ml", server_label: "quay", tools: [{ name: "berths", input_schema: {} }] },
    { role: "assistant", content: [hidden({ tools: [{ name: "berths", input_schema: {} }], server_label: "quay" })] },
  ],
  [
    { type: "mcp_approval_request", id: "ma", server_label: "quay", name: "berths", arguments: "{}" },
    call("ma", "quay.berths", "{}"),
  ],
  [
    { type: "mcp_approval_response", id: "mr", approval_request_id: "ma", approve: false, reason: LONG },
    result("ma", LONG),
  ],
  [
    { type: "mcp_approval_request", id: "ma2", server_label: "quay", name: "berths", arguments: "{}" },
    call("ma2", "quay.berths", "{}"),
  ],
  [
    { type: "mcp_approval_response", approval_request_id: "ma2", approve: true },
    result("ma2", "The call is approved."),
  ],
  [
    { type: "mcp_call", id: "mc", server_label: "quay", name: "berths", arguments: "{}", output: LOG, error: null },
    callWithResult("mc", "quay.berths", "{}", LOG),
  ],
  [
    {
      type: "mcp_call",
      id: "mc2",
      server_label: "quay",
      name: "berths",
      arguments: "{}",
      status: "failed",
      error: { type: "http_error", code: 500, message: LONG },
    },
    callWithResult("mc2", "quay.berths", "{}", JSON.stringify({ type: "http_error", code: 500, message: LONG })),
  ],
  [
    { type: "configuration_update", reasoning: { effort: "high" } },
    { role: "developer", content: [hidden({ reasoning: { effort: "high" } })] },
  ],
  [
    { type: "compaction", id: "cp", encrypted_content: "gAAAAABcompacted", created_by: "us" },
    { role: "assistant", content: [{ type: "redacted_thinking", data: "gAAAAABcompacted" }] },
  ],
  [
    { type: "reasoning", id: "rs_2", summary: [] },
    { role: "assistant", content: [] },
  ],
  [
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      phase: "final_answer",
      content: [
        { type: "output_text", text: LONG, annotations: [{ type: "url_citation", url: "https://example.org/a" }] },
        { type: "refusal", refusal: "I book no cars." },
      ],
    },
    { role: "assistant", content: [LONG, { type: "refusal", refusal: "I book no cars." }] },
  ],
  [
    { role: "user", content: "And the kitchen?" },
    { role: "user", content: "And the kitchen?" },
  ],
  [{ type: "compaction_trigger" }, { role: "developer", content: [] }],
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

/** Position of an item in the sample, by its fields. */
const at = (fields) =>
  pairs().findIndex(([item]) => Object.entries(fields).every(([name, value]) => item[name] === value));
const callAndOutput = (id) => [
  at({ call_id: id }),
  pairs().findLastIndex(([item]) => item.call_id === id || item.id === id),
];

checkShape({
  name: "openai-responses",
  sample: () => pairs().map(([item]) => item),
  plain: pairs().map(([, plain]) => plain),
  texts: [
    ...["You book boats.", "Which boat house?", "forty people", "[Calling look(", "A map.", "select 1", "boats.txt"],
    ...["a warning", "The quay is closed.", "I book no cars.", "The call is approved.", "http_error"],
  ],
  together: [
    // Reasoning, the two parallel calls that it led to, and their results.
    [at({ id: "rs_1" }), ...callAndOutput("c1"), ...callAndOutput("c2")],
    ...["c3", "c4", "c5", "c6", "c7", "c8"].map(callAndOutput),
    // A program with the calls that it made.
    [...callAndOutput("c9"), ...callAndOutput("c10")],
    [at({ type: "tool_search_call" }), at({ type: "tool_search_output" })],
    [at({ id: "ma" }), at({ id: "mr" })],
    [at({ id: "ma2" }), at({ approval_request_id: "ma2" })],
    [at({ id: "rs_2" }), at({ id: "msg_1" })],
  ],
  unknown: () => [
    [{ type: "item_reference", id: "msg_1" }, ".id"],
    [{ role: "user", content: [{ type: "input_image", detail: "auto" }] }, ".content[0]"],
    [{ role: "user", content: [{ type: "input_image", file_id: "f" }, { type: "hologram" }] }, ".content[1].type"],
    [{ type: "message", role: "user", content: [{ type: "input_text" }] }, ".content[0].text"],
    [{ type: "message", role: "robot", content: [{ type: "input_text", text: "hi" }] }, ".role"],
    [{ type: "function_call", call_id: "c", name: "f" }, ".arguments"],
    [{ type: "function_call", name: "f", arguments: "{}" }, ".call_id"],
    [{ type: "function_call", call_id: "c", name: "f", arguments: "{}", output: "done" }, ".output"],
    [
      { type: "function_call", call_id: "c", name: "f", arguments: "{}", caller: { type: "program" } },
      ".caller.caller_id",
    ],
    [{ type: "function_call_output", output: "done" }, ".call_id"],
    [{ type: "function_call_output", call_id: "c", output: [{ type: "text", text: "hi" }] }, ".output[0].type"],
    [{ type: "function_call_output", call_id: "c", output: [{ type: "input_file", filename: "a" }] }, ".output[0]"],
    [{ type: "computer_call_output", call_id: "c", output: { type: "computer_screenshot" } }, ".output"],
    [{ type: "computer_call_output", call_id: "c", output: { type: "film" } }, ".output.type"],
    [{ type: "shell_call_output", call_id: "c", output: ["done"] }, ".output[0]"],
    [{ type: "shell_call_output", call_id: "c", output: [{ stdout: 5 }] }, ".output[0].stdout"],
    [{ type: "reasoning", id: "r", summary: [{ type: "poem", text: "a" }] }, ".summary[0].type"],
    [{ type: "code_interpreter_call", id: "c", code: "1", outputs: [{ type: "film" }] }, ".outputs[0].type"],
    [{ type: "compaction", id: "c", encrypted_content: 5 }, ".encrypted_content"],
    [{ type: "mcp_approval_response", approve: true }, ".approval_request_id"],
  ],
});

describe("items of the Responses API", async () => {
  await loadEncoding(encoding);
  /** @type {(messages: any[], config?: any) => import("windrow").BuiltContext<any>} */
  const built = (messages, config) => buildContextSync(messages, { encoding, ...config });
  const cost = (messages) => countTokens(messages, { encoding }).tokens;

  test("a tool's output is shortened in place, and its cost is true", () => {
    const id = { call_id: "c" };
    const exit = (exit_code) => ({ outcome: { type: "exit", exit_code } });
    const mcp = { type: "mcp_call", id: "m", server_label: "s", name: "n", arguments: "{}" };
    const calls = {
      function: { type: "function_call", ...id, name: "f", arguments: "{}" },
      custom: { type: "custom_tool_call", ...id, name: "f", input: "" },
      local: { type: "local_shell_call", id: "l", ...id, action: { type: "exec", command: ["ls"], env: {} } },
      shell: { type: "shell_call", ...id, action: { commands: ["ls"] } },
      patch: { type: "apply_patch_call", ...id, status: "completed", operation: { type: "delete_file", path: "a" } },
      program: { type: "program", id: "p", ...id, code: "1", fingerprint: "f" },
      approval: { type: "mcp_approval_request", id: "a", server_label: "s", name: "n", arguments: "{}" },
    };
    for (const [call, given] of /** @type {any[][]} */ ([
      [calls.function, (output) => ({ type: "function_call_output", ...id, output })],
      [
        calls.function,
        (text) => ({
          ...{ type: "function_call_output", ...id },
          output: [
            { type: "input_image", image_url: PIXEL },
            { type: "input_text", text },
            { type: "input_text", text },
          ],
        }),
      ],
      [
        { type: "function_call", call_id: "w", name: "watch", arguments: "{}" },
        (output) => ({ type: "function_call_output", name: "watch", output }),
      ],
      [calls.custom, (text) => ({ type: "custom_tool_call_output", ...id, output: [{ type: "input_text", text }] })],
      [calls.local, (output) => ({ type: "local_shell_call_output", id: "c", output })],
      [
        calls.shell,
        (text) => ({
          ...{ type: "shell_call_output", ...id },
          output: [
            { stdout: "", stderr: text, ...exit(1) },
            { stdout: text, stderr: text, ...exit(0) },
          ],
        }),
      ],
      [calls.patch, (output) => ({ type: "apply_patch_call_output", ...id, status: "failed", output })],
      [calls.program, (result) => ({ type: "program_output", id: "o", ...id, status: "completed", result })],
      [
        calls.approval,
        (reason) => ({ type: "mcp_approval_response", approval_request_id: "a", approve: true, reason }),
      ],
      [
        undefined,
        (text) => ({
          ...{ type: "file_search_call", id: "f", queries: ["boats"] },
          results: [{ filename: "a.md", text }, { text }, { filename: "b.md", text: "" }],
        }),
      ],
      [
        undefined,
        (logs) => ({
          ...{ type: "code_interpreter_call", id: "i", container_id: "n", code: "run()" },
          outputs: [
            { type: "image", url: PIXEL },
            { type: "logs", logs },
            { type: "logs", logs },
          ],
        }),
      ],
      [undefined, (prompt) => ({ type: "image_generation_call", id: "g", revised_prompt: prompt, result: "aGVsbG8=" })],
      [undefined, (output) => ({ ...mcp, output })],
      [undefined, (message) => ({ ...mcp, output: message, error: { type: "http_error", code: 5, message } })],
      [undefined, (message) => ({ ...mcp, error: { type: "http_error", code: 5, message } })],
      [undefined, (content) => ({ ...mcp, error: { type: "mcp_tool_execution_error", content } })],
      [undefined, (error) => ({ ...mcp, error })],
    ])) {
      const before = call === undefined ? [] : [call];
      const item = given(LONG);
      const budget = { maxTokens: cost([...before, given("")]) + 40, onRequiredOverflow: "shorten" };
      const { messages, tokens } = built([...before, { ...item, pinned: true }], { request: null, budget });
      const copy = messages.at(-1);
      assert.equal(copy.shortened, true, item.type);
      assert.equal(copy.type, item.type);
      assert.equal(cost(messages), tokens.total, JSON.stringify(copy));
    }
  });

  test("a shortened copy is valid for the API: lists stay lists, and facts stay", () => {
    const shortened = (item) => {
      const budget = { maxTokens: 120, onRequiredOverflow: "shorten" };
      return built([{ ...item, pinned: true }], { request: null, budget }).messages[0];
    };
    const searched = { type: "file_search_call", id: "f", queries: ["a"] };
    const found = shortened({
      ...searched,
      results: [
        { filename: "a", text: LONG },
        { filename: "b", text: LONG },
      ],
    });
    assert.deepEqual(
      found.results.map(({ filename, text }) => [filename, text === ""]),
      [
        ["a", false],
        ["b", true],
      ],
    );
    const said = shortened({
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: LONG, logprobs: [], annotations: [{ type: "file_path", index: 300 }] }],
    });
    assert.deepEqual(said.content, [{ type: "output_text", text: said.content[0].text, annotations: [] }]);
    const failed = shortened({
      ...{ type: "mcp_call", id: "m", server_label: "s", name: "n", arguments: "{}" },
      error: { type: "mcp_protocol_error", code: 5, message: LONG },
    });
    assert.equal(failed.error.type, "mcp_tool_execution_error");
  });

  test("contents of an item count exactly once, and nothing else counts", () => {
    const call = { type: "function_call", call_id: "c", name: "f", arguments: "{}" };
    const about = { id: "fc_1", status: "completed", created_by: "us", async: true, caller: { type: "direct" } };
    assert.equal(cost([{ ...call, ...about }]), cost([call]));
    const search = { type: "file_search_call", id: "f", queries: [], results: [{ text: "a" }] };
    assert.ok(cost([{ ...search, results: [{ text: "a", attributes: { kind: "boat" } }] }]) > cost([search]));
  });

  test("an error about an item reference says what to do instead", () => {
    assert.throws(
      () => built([{ type: "item_reference", id: "msg_1" }]),
      (/** @type {any} */ error) => {
        checkContextError(error, { code: "INVALID_TRANSCRIPT", path: "messages[0].id" });
        assert.match(error.nextAction, /^Replace it with the item itself/);
        return true;
      },
    );
  });

  test("a result without an id answers the open call of its name, and is left out if there is none", () => {
    const given = { type: "function_call_output", name: "watch", output: "The tide is out." };
    const call = { type: "function_call", call_id: "w", name: "watch", arguments: "{}" };
    const { kept } = built([call, given, { role: "user", content: "And now?" }]);
    assert.deepEqual(kept.slice(0, 2), [call, given]);
    const alone = built([given, { role: "user", content: "And now?" }]);
    assert.equal(alone.explain(0).reason, "result_without_call");
    assert.equal(cost([given]), cost([{ role: "tool", content: "The tide is out." }]));
  });

  test("the code interpreter's images stay if its calls aren't shown", () => {
    const ran = { type: "code_interpreter_call", id: "c", container_id: "n", code: "plot()" };
    const outputs = [
      { type: "logs", logs: "done" },
      { type: "image", url: PIXEL },
    ];
    const { messages, tokens } = built([{ ...ran, outputs }], { filter: { excludeToolCalls: true } });
    assert.deepEqual(messages, [{ ...ran, code: null, outputs: [outputs[1]], shortened: true }]);
    assert.equal(cost(messages), tokens.total);
  });

  test("plain texts need no format, and cost the same with the item's type", () => {
    const content = [{ type: "input_text", text: "Which boat house?" }];
    assert.equal(cost([{ type: "message", role: "user", content }]), cost([{ role: "user", content }]));
    const plain = { type: "message", role: "user", content: "Which boat house?" };
    assert.equal(cost([plain]), cost([{ role: "user", content: plain.content }]));
  });

  test("an item's time is read, if a host has stored one", () => {
    const said = (text, createdAt) => ({
      ...{ type: "message", role: "user", createdAt },
      content: [{ type: "input_text", text }],
    });
    const { kept } = built([said("second", 2000), said("first", 1000)], { request: null });
    assert.deepEqual(
      kept.map(({ content }) => content[0].text),
      ["first", "second"],
    );
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

  // The engine joins a call to the message that follows it.
  test("a call without a result doesn't remove the user's words", () => {
    const messages = [
      { role: "user", content: "Look." },
      { type: "function_call", call_id: "c", name: "look", arguments: "{}" },
      { role: "user", content: "Never mind." },
      { role: "assistant", content: "As you like." },
    ];
    const { kept } = built(messages, { request: "And now?" });
    assert.deepEqual(kept, [messages[0], messages[2], messages[3]]);
  });
});

/** A question and the model's response, with the groups that belong together. */
function randomTurn(random, turn) {
  const ids = Array.from({ length: random.integer(1, 3) }, (_, index) => `${turn}-${index}`);
  const reasoning = { type: "reasoning", id: `rs_${turn}`, summary: [], encrypted_content: random.text(6) };
  const calls = ids.map((call_id) => ({
    ...{ type: "function_call", id: `fc_${call_id}`, call_id, name: "look" },
    arguments: JSON.stringify({ at: random.text(3) }),
  }));
  const outputs = ids.map((call_id) => ({
    ...{ type: "function_call_output", call_id },
    output: random.chance(0.5) ? random.text(20) : [{ type: "input_text", text: random.text(20) }],
  }));
  if (random.chance(0.5)) {
    outputs.reverse();
  }
  const thoughts = random.chance(0.7) ? [reasoning] : [];
  const together = [...thoughts, ...calls, ...outputs];
  const [question, answer] = [random.text(12), random.text(20)];
  const content = [{ type: "output_text", text: answer, annotations: [] }];
  const items = [
    { role: "user", content: question },
    ...together,
    { type: "message", id: `msg_${turn}`, role: "assistant", status: "completed", content },
  ];
  const plain = [
    { role: "user", content: question },
    ...thoughts.map((it) => ({ role: "assistant", content: [{ type: "reasoning", text: it.encrypted_content }] })),
    ...calls.map((it) => call(it.call_id, it.name, it.arguments)),
    ...outputs.map((it) => result(it.call_id, it.output[0]?.text ?? it.output)),
    { role: "assistant", content: answer },
  ];
  return { items, together, plain };
}
