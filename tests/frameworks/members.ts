// Every member of the unions in the packages' own types, each with its outcome. A missing member is a tsc error, so a
// new package version that adds one is noticed. Run by `members.test.mjs`.

import type { Message as AgUiMessage, InputContent } from "@ag-ui/client";
import type { BetaContentBlockParam } from "@anthropic-ai/sdk/resources/beta/messages/messages";
import type { ContentBlockParam } from "@anthropic-ai/sdk/resources/messages/messages";
import type { ThreadAssistantMessagePart, ThreadUserMessagePart } from "@assistant-ui/core";
import type { ContentBlock as BedrockBlock, ToolResultContentBlock } from "@aws-sdk/client-bedrock-runtime";
import type { Part } from "@google/genai";
import type { ContentBlock } from "@langchain/core/messages";
import type { ChatMessage as LlamaIndexMessage, MessageContentDetail as LlamaIndexPart } from "@llamaindex/core/llms";
import type { AgentMessage } from "@mariozechner/pi-agent-core";
import type { MastraDBMessage, MastraMessagePart } from "@mastra/core/agent";
import type {
  ContentChunk as MistralChunk,
  ChatCompletionRequestMessage as MistralMessage,
  ThinkChunk as MistralThought,
} from "@mistralai/mistralai/models/components";
import type { ContentBlock as McpBlock, SamplingMessageContentBlock as McpSample } from "@modelcontextprotocol/client";
import type { AgentInputItem } from "@openai/agents";
import type { Part as OpencodePart } from "@opencode-ai/sdk";
import type { MessagePart as TanStackPart, ToolCallState } from "@tanstack/ai";
import type {
  AssistantContent,
  DynamicToolUIPart,
  ToolContent,
  UIDataTypes,
  UIMessagePart,
  UITools,
  UserContent,
} from "ai";
import type { Cohere } from "cohere-ai";
import type { Message as OllamaMessage } from "ollama";
import type { ChatCompletionContentPart, ChatCompletionMessageParam } from "openai/resources/chat/completions";
import type { ResponseInputItem } from "openai/resources/responses/responses";

/**
 * The outcome of a member: `read` if it costs something, `unseen` if no model sees it, or the place at which it is
 * refused.
 */
export type Outcome = "read" | "unseen" | `.${string}`;
export type Case = readonly [part: object, outcome: Outcome];

type TypeOf<Union> = Union extends { readonly type?: infer Type } ? Exclude<Type, undefined | null> & string : never;
type PartOf<Content> = Exclude<Content, string> extends readonly (infer One)[] ? One : never;
type RoleOf<Union> = Union extends { readonly role: infer Role } ? Role & string : never;

const url = "https://example.org/a.png";
const base64 = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" };
const result = { tool_use_id: "t", content: "It is open." };

const anthropic: Record<TypeOf<ContentBlockParam | BetaContentBlockParam>, Case> = {
  text: [{ text: "The hall is open.", citations: null }, "read"],
  image: [{ source: base64 }, "read"],
  document: [
    { source: { type: "text", media_type: "text/plain", data: "The hall is open." }, title: "A", context: "b" },
    "read",
  ],
  search_result: [{ title: "A", source: "b", content: [{ type: "text", text: "The hall is open." }] }, "read"],
  thinking: [{ thinking: "hm", signature: "s" }, "read"],
  redacted_thinking: [{ data: "c2VhbGVk" }, "read"],
  tool_use: [{ id: "t", name: "look", input: {} }, "read"],
  tool_result: [result, "read"],
  server_tool_use: [{ id: "t", name: "web_search", input: { query: "a" } }, "read"],
  web_search_tool_result: [
    { ...result, content: [{ type: "web_search_result", url: "https://a.b", title: "A", encrypted_content: "Z0FB" }] },
    "read",
  ],
  web_fetch_tool_result: [result, "read"],
  advisor_tool_result: [result, "read"],
  code_execution_tool_result: [result, "read"],
  bash_code_execution_tool_result: [result, "read"],
  text_editor_code_execution_tool_result: [result, "read"],
  tool_search_tool_result: [result, "read"],
  mcp_tool_use: [{ id: "t", name: "look", server_name: "s", input: {} }, "read"],
  mcp_tool_result: [result, "read"],
  container_upload: [{ file_id: "file_1" }, "read"],
  compaction: [{ content: "We spoke of boats." }, "read"],
  tool_addition: [{ tool: { type: "tool_reference", name: "a" } }, "read"],
  tool_removal: [{ tool: { type: "tool_reference", name: "a" } }, "read"],
  mcp_tool_listing: [{ mcp_server_name: "s", tools: [] }, "read"],
  fallback: [{ from: { model: "a" }, to: { model: "b" } }, "read"],
};

const openaiParts: Record<TypeOf<ChatCompletionContentPart>, Case> = {
  text: [{ text: "The hall is open." }, "read"],
  image_url: [{ image_url: { url } }, "read"],
  input_audio: [{ input_audio: { data: `SUQz${"A".repeat(40_000)}`, format: "mp3" } }, "read"],
  file: [{ file: { file_id: "file-1" } }, "read"],
};

const openaiMessages: Record<RoleOf<ChatCompletionMessageParam>, Case> = {
  system: [{ content: "The hall is open." }, "read"],
  developer: [{ content: "The hall is open." }, "read"],
  user: [{ content: "The hall is open.", name: "Mara" }, "read"],
  assistant: [{ content: null, refusal: "No.", audio: null }, "read"],
  tool: [{ tool_call_id: "t", content: "The hall is open." }, "read"],
  function: [{ name: "look", content: "The hall is open." }, "read"],
};

const call = { call_id: "t", status: "completed" };
const responses: Record<TypeOf<ResponseInputItem>, Case> = {
  message: [{ role: "user", content: [{ type: "input_text", text: "The hall is open." }] }, "read"],
  file_search_call: [{ id: "fs_1", queries: ["a"], results: [], status: "completed" }, "read"],
  computer_call: [{ ...call, id: "cu_1", action: { type: "wait" }, pending_safety_checks: [] }, "read"],
  computer_call_output: [{ ...call, output: { type: "computer_screenshot", image_url: url } }, "read"],
  web_search_call: [{ id: "ws_1", action: { type: "search", query: "a" }, status: "completed" }, "read"],
  function_call: [{ ...call, name: "look", arguments: "{}" }, "read"],
  function_call_output: [{ ...call, output: "The hall is open." }, "read"],
  tool_search_call: [{ ...call, arguments: { query: "a" }, execution: "client" }, "read"],
  tool_search_output: [{ ...call, tools: [{ type: "function", name: "a" }], execution: "client" }, "read"],
  additional_tools: [{ role: "developer", tools: [{ type: "function", name: "a" }] }, "read"],
  configuration_update: [{ reasoning: { effort: "low" } }, "read"],
  reasoning: [{ id: "rs_1", summary: [{ type: "summary_text", text: "hm" }] }, "read"],
  compaction: [{ encrypted_content: "c2VhbGVk" }, "read"],
  compaction_trigger: [{}, "unseen"],
  image_generation_call: [{ id: "ig_1", result: "iVBORw0KGgo=", status: "completed" }, "read"],
  code_interpreter_call: [{ id: "ci_1", code: "1", outputs: [], container_id: "c", status: "completed" }, "read"],
  local_shell_call: [{ ...call, id: "ls_1", action: { type: "exec", command: ["ls"], env: {} } }, "read"],
  local_shell_call_output: [{ id: "t", output: "The hall is open." }, "read"],
  shell_call: [{ ...call, action: { commands: ["ls"] } }, "read"],
  shell_call_output: [
    { ...call, output: [{ stdout: "The hall is open.", stderr: "", outcome: { type: "exit", exit_code: 0 } }] },
    "read",
  ],
  apply_patch_call: [{ ...call, operation: { type: "delete_file", path: "a" } }, "read"],
  apply_patch_call_output: [{ ...call, output: "The hall is open." }, "read"],
  mcp_list_tools: [{ id: "mcpl_1", server_label: "s", tools: [] }, "read"],
  mcp_approval_request: [{ id: "mcpr_1", server_label: "s", name: "a", arguments: "{}" }, "read"],
  mcp_approval_response: [{ approval_request_id: "mcpr_1", approve: true }, "read"],
  mcp_call: [{ id: "mcp_1", server_label: "s", name: "a", arguments: "{}", output: "The hall is open." }, "read"],
  custom_tool_call: [{ ...call, name: "a", input: "b" }, "read"],
  custom_tool_call_output: [{ ...call, output: "The hall is open." }, "read"],
  program: [{ ...call, id: "p_1", code: "1", fingerprint: "f" }, "read"],
  program_output: [{ ...call, id: "po_1", result: "The hall is open.", status: "completed" }, "read"],
  item_reference: [{ id: "msg_1" }, ".id"],
};

const agents: Record<TypeOf<AgentInputItem>, Case> = {
  message: [{ role: "user", content: [{ type: "input_text", text: "The hall is open." }], providerData: {} }, "read"],
  function_call: [{ callId: "t", name: "look", arguments: "{}" }, "read"],
  function_call_result: [
    { callId: "t", name: "look", status: "completed", output: { type: "text", text: "The hall is open." } },
    "read",
  ],
  hosted_tool_call: [
    { name: "web_search_call", status: "completed", providerData: { type: "web_search_call" } },
    "read",
  ],
  computer_call: [{ callId: "t", status: "completed", action: { type: "wait" } }, "read"],
  computer_call_result: [{ callId: "t", output: { type: "computer_screenshot", data: url } }, "read"],
  shell_call: [{ callId: "t", action: { commands: ["ls"] } }, "read"],
  shell_call_output: [
    { callId: "t", output: [{ stdout: "The hall is open.", stderr: "", outcome: { type: "exit", exitCode: 0 } }] },
    "read",
  ],
  apply_patch_call: [{ callId: "t", status: "completed", operation: { type: "delete_file", path: "a" } }, "read"],
  apply_patch_call_output: [{ callId: "t", status: "completed", output: "The hall is open." }, "read"],
  program: [{ callId: "t", code: "1", fingerprint: "f" }, "read"],
  program_output: [{ callId: "t", output: "The hall is open.", status: "completed", providerData: {} }, "read"],
  tool_search_call: [{ arguments: { query: "a" }, status: "completed", providerData: {} }, "read"],
  tool_search_output: [{ tools: [{ type: "function", name: "a" }], status: "completed", providerData: {} }, "read"],
  reasoning: [{ content: [{ type: "input_text", text: "hm" }] }, "read"],
  compaction: [{ encrypted_content: "c2VhbGVk", providerData: {} }, "read"],
  unknown: [{ providerData: { type: "message", role: "user", content: "The hall is open." } }, "read"],
};

const gemini: Record<keyof Part & string, Case> = {
  text: [{ text: "The hall is open." }, "read"],
  inlineData: [{ inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }, "read"],
  fileData: [{ fileData: { mimeType: "image/png", fileUri: url } }, "read"],
  functionCall: [{ functionCall: { name: "look", args: {} } }, "read"],
  functionResponse: [{ functionResponse: { name: "look", response: {} } }, "read"],
  executableCode: [{ executableCode: { language: "PYTHON", code: "1" } }, "read"],
  codeExecutionResult: [{ codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } }, "read"],
  toolCall: [{ toolCall: { id: "t", toolType: "GOOGLE_SEARCH_WEB", args: {} } }, "read"],
  toolResponse: [{ toolResponse: { id: "t", toolType: "GOOGLE_SEARCH_WEB", response: {} } }, "read"],
  audioTranscription: [{ audioTranscription: { text: "The hall is open." } }, "read"],
  thought: [{ text: "hm", thought: true }, "read"],
  thoughtSignature: [{ text: "", thoughtSignature: "s" }, "unseen"],
  videoMetadata: [{ fileData: { mimeType: "video/mp4", fileUri: url }, videoMetadata: { fps: 1 } }, "read"],
  mediaResolution: [{ text: "The hall is open.", mediaResolution: { level: "MEDIA_RESOLUTION_LOW" } }, "read"],
  mediaProcessing: [{ text: "The hall is open.", mediaProcessing: {} }, "read"],
  partMetadata: [{ text: "The hall is open.", partMetadata: {} }, "read"],
  speechMetadata: [{ text: "The hall is open.", speechMetadata: {} }, "read"],
};

type FieldOf<Union> = Union extends object ? Exclude<keyof Union, "$unknown"> : never;

const bytes = new TextEncoder().encode("iVBORw0KGgo=");
const bedrock: Record<FieldOf<BedrockBlock>, Case> = {
  text: [{ text: "The hall is open." }, "read"],
  image: [{ image: { format: "png", source: { bytes } } }, "read"],
  document: [{ document: { format: "txt", name: "A", source: { text: "The hall is open." } } }, "read"],
  video: [{ video: { format: "mp4", source: { s3Location: { uri: "s3://a/b.mp4" } } } }, "read"],
  audio: [{ audio: { format: "wav", source: { s3Location: { uri: "s3://a/b.wav" } } } }, "read"],
  toolUse: [{ toolUse: { toolUseId: "t", name: "look", input: {} } }, "read"],
  toolResult: [{ toolResult: { toolUseId: "t", content: [{ text: "It is open." }] } }, "read"],
  reasoningContent: [{ reasoningContent: { reasoningText: { text: "hm", signature: "s" } } }, "read"],
  citationsContent: [{ citationsContent: { content: [{ text: "The hall is open." }], citations: [] } }, "read"],
  searchResult: [{ searchResult: { title: "A", source: "b", content: [{ text: "The hall is open." }] } }, "read"],
  guardContent: [{ guardContent: { text: { text: "The hall is open." } } }, "read"],
  cachePoint: [{ cachePoint: { type: "default" } }, "unseen"],
  toolAddition: [{ toolAddition: { tool: { name: "a" } } }, "read"],
  toolRemoval: [{ toolRemoval: { tool: { name: "a" } } }, "read"],
};
const bedrockResults: Record<FieldOf<ToolResultContentBlock>, Case> = {
  text: [{ text: "The hall is open." }, "read"],
  json: [{ json: { open: true } }, "read"],
  image: bedrock.image,
  document: bedrock.document,
  video: bedrock.video,
  searchResult: bedrock.searchResult,
};

const tanStackSource = { type: "data", value: "iVBORw0KGgo=", mimeType: "image/png" };
const tanStack: Record<TypeOf<TanStackPart>, Case> = {
  text: [{ content: "The hall is open." }, "read"],
  image: [{ source: tanStackSource }, "read"],
  audio: [{ source: { ...tanStackSource, mimeType: "audio/wav" } }, "read"],
  video: [{ source: { ...tanStackSource, mimeType: "video/mp4" } }, "read"],
  document: [{ source: { ...tanStackSource, mimeType: "application/pdf" } }, "read"],
  "tool-call": [{ id: "t", name: "look", arguments: "{}", state: "complete" }, "read"],
  "tool-result": [{ toolCallId: "t", content: "The hall is open.", state: "complete" }, "read"],
  thinking: [{ content: "hm" }, "read"],
  "structured-output": [{ status: "complete", raw: "{}", data: {} }, "read"],
  "ui-resource": [{ resource: { uri: "ui://a", mimeType: "text/html" }, toolCallId: "t", toolName: "a" }, "unseen"],
};
const tanStackStates: Record<ToolCallState, Case> = {
  "awaiting-input": [{}, "unseen"],
  "input-streaming": [{}, "unseen"],
  "input-complete": [{}, "read"],
  "approval-requested": [{ approval: { id: "a", needsApproval: true } }, "read"],
  "approval-responded": [{ approval: { id: "a", needsApproval: true, approved: false } }, "read"],
  complete: [{ output: 1 }, "read"],
  error: [{ output: "No." }, "read"],
};

const tool = { toolCallId: "t", input: { q: 1 } };
const uiParts: Record<TypeOf<UIMessagePart<UIDataTypes, UITools>>, Case> & Record<string, Case> = {
  text: [{ text: "The hall is open." }, "read"],
  reasoning: [{ text: "hm" }, "read"],
  file: [{ mediaType: "image/png", url }, "read"],
  "reasoning-file": [{ mediaType: "image/png", url }, "read"],
  custom: [{ kind: "openai.note" }, "unseen"],
  "source-url": [{ sourceId: "s", url }, "unseen"],
  "source-document": [{ sourceId: "s", mediaType: "a/b", title: "A" }, "unseen"],
  "step-start": [{}, "unseen"],
  "dynamic-tool": [{ ...tool, toolName: "look", state: "output-available", output: 1 }, "read"],
  "tool-look": [{ ...tool, state: "output-available", output: 1, preliminary: true }, "read"],
  "data-note": [{ data: 1 }, "unseen"],
  // An experimental part: the user's words within the assistant's message.
  "steering-message": [{ id: "s", parts: [{ type: "text", text: "The hall is open." }] }, ".parts[0].type"],
};

const approval = { id: "a", approved: true };
const uiStates: Record<DynamicToolUIPart["state"], Case> = {
  "input-streaming": [{}, "unseen"],
  "input-available": [{}, "read"],
  "approval-requested": [{ approval: { id: "a" } }, "read"],
  "approval-responded": [{ approval }, "read"],
  "output-available": [{ output: 1 }, "read"],
  "output-error": [{ errorText: "No." }, "read"],
  "output-denied": [{ approval: { ...approval, approved: false } }, "read"],
};

const modelParts: Record<TypeOf<PartOf<UserContent> | PartOf<AssistantContent> | PartOf<ToolContent>>, Case> = {
  text: [{ text: "The hall is open." }, "read"],
  image: [{ image: new URL(url) }, "read"],
  file: [{ data: { type: "url", url: new URL(url) }, mediaType: "image/png" }, "read"],
  reasoning: [{ text: "hm" }, "read"],
  "reasoning-file": [{ data: { type: "data", data: "iVBORw0KGgo=" }, mediaType: "image/png" }, "read"],
  custom: [{ kind: "openai.compaction", providerOptions: { openai: { encryptedContent: "c2VhbGVk" } } }, "read"],
  "tool-call": [{ toolCallId: "t", toolName: "look", input: {} }, "read"],
  "tool-result": [{ toolCallId: "t", toolName: "look", output: { type: "text", value: "The hall is open." } }, "read"],
  "tool-approval-request": [{ approvalId: "a", toolCallId: "t" }, "read"],
  "tool-approval-response": [{ approvalId: "a", approved: false, reason: "Not now." }, "read"],
};

const langChain: Record<TypeOf<ContentBlock.Standard>, Case> = {
  text: [{ text: "The hall is open." }, "read"],
  reasoning: [{ reasoning: "hm" }, "read"],
  refusal: [{ refusal: "No." }, "read"],
  image: [{ url }, "read"],
  video: [{ url }, "read"],
  audio: [{ url }, "read"],
  file: [{ url, mimeType: "application/pdf" }, "read"],
  "text-plain": [{ text: "The hall is open." }, "read"],
  tool_call: [{ id: "t", name: "look", args: {} }, "read"],
  tool_call_chunk: [{ id: "t", name: "look", args: "{", index: 0 }, "read"],
  invalid_tool_call: [{ id: "t", name: "look", args: "{", error: "no JSON" }, "read"],
  server_tool_call: [{ id: "t", name: "web_search", args: {} }, "read"],
  server_tool_call_chunk: [{ id: "t", name: "web_search", args: "{" }, "read"],
  server_tool_call_result: [{ toolCallId: "t", status: "success", output: "The hall is open." }, "read"],
  non_standard: [{ value: { type: "text", text: "The hall is open." } }, "read"],
};

const opencode: Record<TypeOf<OpencodePart>, Case> = {
  text: [{ text: "The hall is open." }, "read"],
  reasoning: [{ text: "hm" }, "read"],
  file: [{ mime: "image/png", url }, "read"],
  tool: [{ callID: "t", tool: "look", state: { status: "running", input: {}, time: { start: 1 } } }, "read"],
  subtask: [{ prompt: "a", description: "b", agent: "c" }, "read"],
  compaction: [{ auto: true }, "read"],
  "step-start": [{}, "unseen"],
  "step-finish": [{ reason: "stop" }, "unseen"],
  snapshot: [{ snapshot: "s" }, "unseen"],
  patch: [{ hash: "h", files: [] }, "unseen"],
  agent: [{ name: "a" }, "unseen"],
  retry: [{ attempt: 1, error: {} }, "unseen"],
};

const timestamp = 1_767_600_000_000;
const pi: Record<RoleOf<AgentMessage> | "bashExecution" | "custom" | "branchSummary" | "compactionSummary", Case> = {
  user: [{ content: "The hall is open." }, "read"],
  assistant: [{ content: [{ type: "text", text: "The hall is open." }], api: "a", stopReason: "aborted" }, "read"],
  toolResult: [
    { toolCallId: "t", toolName: "look", content: [{ type: "text", text: "The hall is open." }], isError: false },
    "read",
  ],
  bashExecution: [{ command: "ls", output: "a", exitCode: 0, cancelled: false, truncated: false }, "read"],
  custom: [{ customType: "note", content: "The hall is open.", display: true }, "read"],
  branchSummary: [{ summary: "The hall is open.", fromId: "a" }, "read"],
  compactionSummary: [{ summary: "The hall is open.", tokensBefore: 1 }, "read"],
};

const assistantUi: Record<TypeOf<ThreadUserMessagePart | ThreadAssistantMessagePart>, Case> = {
  text: [{ text: "The hall is open." }, "read"],
  reasoning: [{ text: "hm" }, "read"],
  "tool-call": [{ toolCallId: "t", toolName: "look", args: {}, argsText: "{}", result: "It is open." }, "read"],
  image: [{ image: `data:image/png;base64,${base64.data}` }, "read"],
  file: [{ data: base64.data, mimeType: "image/png" }, "read"],
  audio: [{ audio: { data: "UklGRg==", format: "wav" } }, "read"],
  source: [{ sourceType: "url", id: "s", url }, "unseen"],
  data: [{ name: "weather", data: { degrees: 20 } }, "unseen"],
  "generative-ui": [{ spec: { root: "card" } }, "unseen"],
};

const agUiUrl = { type: "url", value: url, mimeType: "image/png" };
const agUiMessages: Record<RoleOf<AgUiMessage>, Case> = {
  developer: [{ content: "The hall is open." }, "read"],
  system: [{ content: "The hall is open." }, "read"],
  user: [{ content: "The hall is open.", name: "Mara" }, "read"],
  assistant: [{ toolCalls: [{ id: "t", type: "function", function: { name: "look", arguments: "{}" } }] }, "read"],
  tool: [{ toolCallId: "t", content: "The hall is open.", error: "late" }, "read"],
  activity: [{ activityType: "PLAN", content: { steps: ["look"] } }, "unseen"],
  reasoning: [{ content: "hm", encryptedValue: "c2VhbGVk" }, "read"],
};
const agUi: Record<TypeOf<InputContent> | "binary", Case> = {
  text: [{ text: "The hall is open." }, "read"],
  image: [{ source: agUiUrl, metadata: {} }, "read"],
  audio: [{ source: { ...agUiUrl, mimeType: "audio/wav" } }, "read"],
  video: [{ source: { ...agUiUrl, mimeType: "video/mp4" } }, "read"],
  document: [{ source: { type: "data", value: "JVBERi0=", mimeType: "application/pdf" } }, "read"],
  binary: [{ mimeType: "image/png", data: base64.data, filename: "a.png" }, "read"],
};

const llamaIndexMessages: Record<RoleOf<LlamaIndexMessage>, Case> = {
  user: [{ content: "The hall is open.", options: { toolResult: { id: "t", result: "a", isError: false } } }, "read"],
  assistant: [{ content: "", options: { toolCall: [{ id: "t", name: "look", input: {} }] } }, "read"],
  system: [{ content: "The hall is open." }, "read"],
  memory: [{ content: "The hall is open." }, "read"],
  developer: [{ content: "The hall is open." }, "read"],
};
const llamaIndex: Record<TypeOf<LlamaIndexPart>, Case> = {
  text: [{ text: "The hall is open." }, "read"],
  image_url: [{ image_url: { url }, detail: "low" }, "read"],
  image: [{ data: base64.data, mimeType: "image/png" }, "read"],
  audio: [{ data: `SUQz${"A".repeat(40_000)}`, mimeType: "audio/mpeg" }, "read"],
  video: [{ data: "A".repeat(40_000), mimeType: "video/mp4" }, "read"],
  file: [{ data: "JVBERi0=", mimeType: "application/pdf" }, "read"],
};

const mastraRoles: Record<RoleOf<MastraDBMessage>, Case> = {
  user: [{ text: "The hall is open." }, "read"],
  assistant: [{ text: "The hall is open." }, "read"],
  system: [{ text: "The hall is open." }, "read"],
  signal: [{ text: "The hall is open." }, "read"],
};
const mastra: Record<TypeOf<MastraMessagePart>, Case> = {
  text: [{ text: "The hall is open.", createdAt: 1 }, "read"],
  reasoning: [{ reasoning: "hm", details: [{ type: "text", text: "hm" }] }, "read"],
  file: [{ mimeType: "image/png", data: base64.data }, "read"],
  "tool-invocation": [
    { toolInvocation: { state: "result", ...tool, toolName: "look", args: {}, result: "It is open." } },
    "read",
  ],
  source: [{ source: { sourceType: "url", id: "s", url } }, "unseen"],
  "source-document": [{ sourceId: "s", mediaType: "application/pdf", title: "A" }, "unseen"],
  "step-start": [{ model: "a" }, "unseen"],
  error: [{ error: { name: "Error", message: "It failed." } }, "unseen"],
  [`data-weather` satisfies TypeOf<MastraMessagePart>]: [{ data: { degrees: 20 } }, "unseen"],
};
type MastraCall = Extract<MastraMessagePart, { readonly type: "tool-invocation" }>["toolInvocation"];
/** Mastra hides open calls from the model. */
const mastraStates: Record<MastraCall["state"], Case> = {
  "partial-call": [{ args: {} }, "unseen"],
  call: [{ args: {} }, "unseen"],
  result: [{ args: {}, result: "It is open." }, "read"],
  "approval-requested": [{ args: {}, approval: { id: "p" } }, "unseen"],
  "approval-responded": [{ args: {}, approval: { id: "p", approved: true } }, "unseen"],
  "output-error": [{ args: {}, errorText: "It failed.", rawInput: "{}" }, "read"],
  "output-denied": [{ args: {}, approval: { id: "p", approved: false, reason: "No." } }, "read"],
};

const mcp: Record<TypeOf<McpBlock | McpSample>, Case> = {
  text: [{ text: "The hall is open.", annotations: { audience: ["user"] } }, "read"],
  image: [{ data: base64.data, mimeType: "image/png" }, "read"],
  audio: [{ data: `SUQz${"A".repeat(40_000)}`, mimeType: "audio/mpeg" }, "read"],
  resource: [{ resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "The hall is open." } }, "read"],
  resource_link: [{ uri: "file:///a.txt", name: "a" }, "read"],
  tool_use: [{ id: "t", name: "look", input: {} }, "read"],
  tool_result: [{ toolUseId: "t", content: [{ type: "text", text: "It is open." }] }, "read"],
};

const mistralMessages: Record<RoleOf<MistralMessage>, Case> = {
  system: [{ content: [{ type: "text", text: "The hall is open." }] }, "read"],
  user: [{ content: "The hall is open." }, "read"],
  assistant: [{ toolCalls: [{ id: "t", function: { name: "look", arguments: { a: 1 } } }], prefix: true }, "read"],
  tool: [{ toolCallId: "t", name: "look", content: "The hall is open." }, "read"],
};
const mistral: Record<Exclude<TypeOf<MistralChunk>, "UNKNOWN">, Case> = {
  text: [{ text: "The hall is open." }, "read"],
  image_url: [{ imageUrl: url }, "read"],
  document_url: [{ documentUrl: url, documentName: "A" }, "read"],
  reference: [{ referenceIds: [1] }, "unseen"],
  file: [{ fileId: "f" }, "read"],
  thinking: [{ thinking: [{ type: "text", text: "hm" }], signature: "s", closed: true }, "read"],
  input_audio: [{ inputAudio: `SUQz${"A".repeat(40_000)}` }, "read"],
};
const mistralThoughts: Record<TypeOf<MistralThought["thinking"][number]>, Case> = {
  text: [{ text: "The hall is open." }, "read"],
  reference: [{ referenceIds: [1] }, "unseen"],
  tool_reference: [{ tool: "web_search", title: "A" }, "unseen"],
};

const cohereMessages: Record<Cohere.ChatMessageV2["role"], Case> = {
  user: [{ content: [{ type: "image_url", imageUrl: { url } }] }, "read"],
  assistant: [
    {
      toolPlan: "I will look.",
      toolCalls: [{ id: "t", type: "function", function: { name: "look", arguments: "{}" } }],
    },
    "read",
  ],
  system: [{ content: "The hall is open." }, "read"],
  tool: [{ toolCallId: "t", content: [{ type: "document", document: { data: { open: true } } }] }, "read"],
};
const cohere: Record<TypeOf<PartOf<Cohere.AssistantMessageV2Content | Cohere.UserMessageV2Content>>, Case> = {
  text: [{ text: "The hall is open." }, "read"],
  thinking: [{ thinking: "hm" }, "read"],
  image_url: [{ imageUrl: { url, detail: "low" } }, "read"],
};
const cohereResults: Record<TypeOf<PartOf<Cohere.ToolMessageV2Content>>, Case> = {
  text: [{ text: "The hall is open." }, "read"],
  document: [{ document: { data: { open: true }, id: "d" } }, "read"],
};

const ollama: Record<Exclude<keyof OllamaMessage, "role">, Case> = {
  content: [{ content: "The hall is open." }, "read"],
  thinking: [{ content: "", thinking: "hm" }, "read"],
  images: [{ content: "", images: [base64.data] }, "read"],
  tool_calls: [{ content: "", tool_calls: [{ function: { name: "look", arguments: {} } }] }, "read"],
  tool_name: [{ role: "tool", content: "The hall is open.", tool_name: "look" }, "read"],
};

function mastraOf(role: string, part: object): object {
  return { id: "m", role, createdAt: new Date(timestamp), content: { format: 2, parts: [part] } };
}

type Entry = readonly [name: string, message: object, outcome: Outcome];

function entries(
  name: string,
  cases: Readonly<Record<string, Case>>,
  message: (type: string, part: object) => object,
): Entry[] {
  return Object.entries(cases).map(([type, [part, outcome]]) => [`${name} ${type}`, message(type, part), outcome]);
}

/** Each member in a message of its package, with its outcome. */
export const members: readonly Entry[] = [
  ...entries("Anthropic block", anthropic, (type, part) => ({
    role: /^(?:tool_result|image|document|search_result|container_upload)$/.test(type) ? "user" : "assistant",
    content: [{ type, ...part }],
  })),
  ...entries("OpenAI chat part", openaiParts, (type, part) => ({ role: "user", content: [{ type, ...part }] })),
  ...entries("OpenAI chat message", openaiMessages, (role, message) => ({ role, ...message })),
  ...entries("OpenAI Responses item", responses, (type, item) => ({ type, ...item })),
  ...entries("OpenAI Agents item", agents, (type, item) => ({ type, ...item })),
  ...entries("Gemini part", gemini, (_, part) => ({ role: "model", parts: [part] })),
  ...entries("Bedrock block", bedrock, (type, block) => ({
    role: /^(?:image|document|video|audio|toolResult)$/.test(type) ? "user" : "assistant",
    content: [block],
  })),
  ...entries("Bedrock block in a result", bedrockResults, (_, block) => ({
    role: "user",
    content: [{ toolResult: { toolUseId: "t", content: [block, { text: "It is open." }] } }],
  })),
  ...entries("TanStack AI part", tanStack, (type, part) => ({
    role: "assistant",
    // Adds one part that identifies the format next to each.
    parts: [
      { type: "text", content: "" },
      { type, ...part },
    ],
  })),
  ...entries("TanStack AI call", tanStackStates, (state, part) => ({
    role: "assistant",
    parts: [{ type: "tool-call", id: "t", name: "look", arguments: "{}", state, ...part }],
  })),
  ...entries("AI SDK UIMessage part", uiParts, (type, part) => ({ role: "assistant", parts: [{ type, ...part }] })),
  ...entries("AI SDK tool state", uiStates, (state, part) => ({
    role: "assistant",
    parts: [{ type: "tool-look", state, ...tool, ...part }],
  })),
  ...entries("AI SDK ModelMessage part", modelParts, (type, part) => ({
    role: /^tool-(?:result|approval-response)$/.test(type) ? "tool" : type === "image" ? "user" : "assistant",
    content: [{ type, ...part }],
  })),
  ...entries("LangChain block", langChain, (type, block) => ({ type: "ai", content: [{ type, ...block }] })),
  ...entries("opencode part", opencode, (type, part) => ({
    info: { id: "m", sessionID: "s", role: "assistant" },
    parts: [{ id: "p", type, ...part }],
  })),
  ...entries("assistant-ui part", assistantUi, (type, part) => ({
    id: "m",
    role: "assistant",
    content: [{ type, ...part }],
    status: { type: "complete", reason: "stop" },
    metadata: { custom: {} },
  })),
  ...entries("AG-UI message", agUiMessages, (role, message) => ({ id: "m", role, ...message })),
  ...entries("AG-UI part", agUi, (type, part) => ({ id: "m", role: "user", content: [{ type, ...part }] })),
  ...entries("LlamaIndex message", llamaIndexMessages, (role, message) => ({ role, ...message })),
  ...entries("LlamaIndex part", llamaIndex, (type, part) => ({ role: "user", content: [{ type, ...part }] })),
  ...entries("Mastra message", mastraRoles, (role, part) => mastraOf(role, { type: "text", ...part })),
  ...entries("Mastra part", mastra, (type, part) => mastraOf("assistant", { type, ...part })),
  ...entries("Mastra tool state", mastraStates, (state, call) =>
    mastraOf("assistant", { type: "tool-invocation", toolInvocation: { state, ...tool, toolName: "look", ...call } }),
  ),
  ...entries("MCP block", mcp, (type, block) => ({
    role: type === "tool_use" ? "assistant" : "user",
    content: { type, ...block },
  })),
  ...entries("Mistral message", mistralMessages, (role, message) => ({ role, ...message })),
  ...entries("Mistral part", mistral, (type, part) => ({
    role: /^(?:reference|thinking)$/.test(type) ? "assistant" : "user",
    content: [{ type, ...part }],
  })),
  ...entries("Mistral part of a thought", mistralThoughts, (type, part) => ({
    role: "assistant",
    content: [{ type: "thinking", thinking: [{ type, ...part }] }],
  })),
  ...entries("Cohere message", cohereMessages, (role, message) => ({ role, ...message })),
  ...entries("Cohere part", cohere, (type, part) => ({
    role: type === "image_url" ? "user" : "assistant",
    content: [{ type, ...part }],
  })),
  ...entries("Cohere part of a result", cohereResults, (type, part) => ({
    role: "tool",
    toolCallId: "t",
    content: [{ type, ...part }],
  })),
  ...entries("Ollama field", ollama, (_, message) => ({ role: "assistant", ...message })),
  ...entries("pi message", pi, (role, message) => ({ role, timestamp, ...message })),
];
