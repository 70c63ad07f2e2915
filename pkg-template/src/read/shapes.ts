// The shapes of messages that other packages and exports have: how each is told, and whether windrow reads it. What is not
// read is refused by name, with the line of code that rewrites it into a readable shape.

import { untilHole } from "../base/lists.js";
import { isRecord } from "../base/plain-data.js";

type Row = Readonly<Record<string, unknown>>;

/** A shape of messages. */
export interface Shape {
  /** What it is called. */
  readonly name: string;
  /** Whether windrow reads it as it is. */
  readonly isRead: boolean;
  /**
   * Where it is not read: an expression that makes messages of `messages`, a list of this shape. Empty where the shape is
   * read.
   */
  readonly byHand: string;
}

interface KnownShape extends Shape {
  /** Whether a row has what only this shape has. */
  readonly fits: (row: Row) => boolean;
}

const read = (name: string, fits: KnownShape["fits"]): KnownShape => ({ name, fits, isRead: true, byHand: "" });
const unread = (name: string, fits: KnownShape["fits"], byHand: string): KnownShape => ({
  name,
  fits,
  isRead: false,
  byHand: byHand.replace(/\s+/g, " ").trim(),
});

/** Every shape that is known, in the order in which a row is held against them. */
const SHAPES: readonly KnownShape[] = [
  unread(
    "ChatGPT export",
    (row) => isRecord(row.mapping) || (isRecord(row.author) && isRecord(row.content)),
    `messages.flatMap((row) => (row.mapping ? Object.values(row.mapping).map((node) => node.message) : [row]))
      .filter((message) => message?.content?.parts)
      .map(({ id, author, create_time, content }) => ({ id, role: author.role, toolCallId: author.role === "tool" ? id : undefined,
        createdAt: create_time ? create_time * 1000 : undefined,
        content: content.parts.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join("\\n") }))`,
  ),
  unread(
    "Claude export",
    (row) => Array.isArray(row.chat_messages) || (typeof row.sender === "string" && !("role" in row)),
    `messages.flatMap((row) => row.chat_messages ?? [row]).map(({ uuid, sender, created_at, text, content }) => ({ id: uuid,
      role: sender === "human" ? "user" : "assistant", createdAt: created_at,
      content: text || (content ?? []).map((block) => block.text ?? JSON.stringify(block)).join("\\n") }))`,
  ),
  unread(
    "opencode message",
    (row) => isRecord(row.info) && Array.isArray(row.parts),
    `messages.flatMap(({ info, parts }) => [
      { id: info.id, role: info.role, createdAt: info.time?.created, content: parts.flatMap((part) =>
        part.type === "text" || part.type === "reasoning" ? [{ type: part.type, text: part.text }] :
        part.type === "file" ? [{ type: "file", url: part.url, mediaType: part.mime }] :
        part.type === "tool" ? [{ type: "tool-call", toolCallId: part.callID, toolName: part.tool, input: part.state?.input }] : []) },
      ...parts.filter((part) => part.state?.output ?? part.state?.error).map((part) => ({ role: "tool", toolCallId: part.callID,
        content: part.state.output ?? part.state.error }))])`,
  ),
  unread(
    "Mastra MastraDBMessage",
    (row) => isRecord(row.content) && ("format" in row.content || Array.isArray(row.content.parts)),
    `messages.flatMap(({ id, role, createdAt, content }) => [
      { id, role, createdAt, content: content.parts.flatMap((part) =>
        part.type === "text" ? [{ type: "text", text: part.text }] :
        part.type === "reasoning" ? [{ type: "reasoning", text: part.reasoning ?? part.text ?? "" }] :
        part.type === "file" ? [{ type: "file", data: part.data ?? part.url, mediaType: part.mimeType }] :
        part.toolInvocation ? [{ type: "tool-call", toolCallId: part.toolInvocation.toolCallId,
          toolName: part.toolInvocation.toolName, input: part.toolInvocation.args }] : []) },
      ...content.parts.filter((part) => part.toolInvocation?.result !== undefined).map(({ toolInvocation }) => ({ role: "tool",
        content: [{ type: "tool-result", toolCallId: toolInvocation.toolCallId, output: toolInvocation.result }] }))])`,
  ),
  unread(
    "Gemini Content",
    (row) =>
      row.role === "model" ||
      hasPart(row.contents, ({ parts }) => Array.isArray(parts)) ||
      hasPart(row.parts, isGeminiPart),
    `messages.flatMap((row) => row.contents ?? [row]).flatMap(({ role, parts }) => [
      { role: role === "model" ? "assistant" : "user", content: parts.flatMap((part) =>
        part.text !== undefined ? [{ type: part.thought ? "reasoning" : "text", text: part.text }] :
        part.inlineData ? [{ type: "file", data: part.inlineData.data, mediaType: part.inlineData.mimeType }] :
        part.fileData ? [{ type: "file", url: part.fileData.fileUri, mediaType: part.fileData.mimeType }] :
        part.functionCall ? [{ type: "tool-call", toolCallId: part.functionCall.id ?? part.functionCall.name,
          toolName: part.functionCall.name, input: part.functionCall.args }] : []) },
      ...parts.filter((part) => part.functionResponse).map(({ functionResponse: { id, name, response } }) => ({ role: "tool",
        content: [{ type: "tool-result", toolCallId: id ?? name, output: response }] }))])
      .filter(({ content }) => content.length > 0)`,
  ),
  unread(
    "LangChain message",
    (row) =>
      "lc_kwargs" in row ||
      "lc_namespace" in row ||
      typeof row._getType === "function" ||
      (row.type === "constructor" && isRecord(row.kwargs)) ||
      (typeof row.type === "string" && isRecord(row.data) && LANGCHAIN_TYPES.has(row.type)) ||
      (typeof row.type === "string" && LANGCHAIN_TYPES.has(row.type) && !("role" in row) && "content" in row),
    `messages.map((row) => ({ type: row._getType?.() ?? row.type ?? row.id?.at(-1), fields: row.kwargs ?? row.data ?? row }))
      .map(({ type, fields }) => ({ id: fields.id, name: fields.name,
        role: /tool/i.test(type) ? "tool" : /human/i.test(type) ? "user" : /system/i.test(type) ? "system" : "assistant",
        content: fields.content, toolCallId: fields.tool_call_id,
        toolCalls: fields.tool_calls?.map(({ id, name, args }) => ({ id, name, arguments: args })) }))`,
  ),
  unread(
    "pi AgentMessage",
    (row) => row.role === "toolResult" || row.role === "bashExecution" || hasPart(row.content, isPiPart),
    `messages.map((row) => (row.role === "toolResult" ? { role: "tool", toolCallId: row.toolCallId, createdAt: row.timestamp, content: row.content } :
      { role: row.role, createdAt: row.timestamp, content: typeof row.content === "string" ? row.content : row.content.map((part) =>
        part.type === "thinking" ? { type: "reasoning", text: part.thinking } :
        part.type === "toolCall" ? { type: "tool-call", toolCallId: part.id, toolName: part.name, input: part.arguments } : part) }))`,
  ),
  unread(
    "OpenAI Agents AgentInputItem",
    (row) =>
      (typeof row.type === "string" && "callId" in row && AGENT_ITEM.test(row.type)) ||
      row.type === "function_call_result" ||
      (row.type === "reasoning" && Array.isArray(row.content) && !("role" in row)),
    `messages.map((row) => (row.role ? row :
      row.type === "reasoning" ? { role: "assistant", content: row.content.map(({ text }) => ({ type: "reasoning", text })) } :
      row.type === "function_call" ? { role: "assistant", toolCalls: [{ id: row.callId, name: row.name, arguments: row.arguments }] } :
      { role: "tool", toolCallId: row.callId, content: row.output?.text ?? (typeof row.output === "string" ? row.output : JSON.stringify(row.output)) }))`,
  ),
  unread(
    "OpenAI Responses item",
    (row) =>
      (typeof row.type === "string" && RESPONSES_ITEM.test(row.type) && !("role" in row)) ||
      hasPart(row.content, ({ type }) => type === "input_image" || type === "input_file"),
    `messages.map((row) => (row.role ? { ...row, content: typeof row.content === "string" ? row.content : row.content.map((part) =>
        part.type === "input_image" ? { type: "image", url: part.image_url ?? part.file_id, detail: part.detail } :
        part.type === "input_file" ? { type: "file", file: { file_id: part.file_id, file_data: part.file_data, url: part.file_url } } : part) } :
      row.type === "reasoning" ? { role: "assistant", content: [...(row.summary ?? []), ...(row.content ?? [])].map(({ text }) => ({ type: "reasoning", text })) } :
      row.type === "function_call" ? { role: "assistant", toolCalls: [{ id: row.call_id, name: row.name, arguments: row.arguments }] } :
      { role: "tool", toolCallId: row.call_id, content: typeof row.output === "string" ? row.output : JSON.stringify(row.output) }))`,
  ),
  unread(
    "AI SDK UIMessage (version 4)",
    (row) =>
      Array.isArray(row.toolInvocations) ||
      Array.isArray(row.experimental_attachments) ||
      hasPart(row.parts, ({ type }) => type === "tool-invocation"),
    `messages.flatMap(({ id, role, createdAt, content, parts, toolInvocations, experimental_attachments = [] }) => {
      const calls = toolInvocations ?? (parts ?? []).flatMap(({ toolInvocation }) => toolInvocation ?? []);
      return [{ id, role, createdAt, content: [...(content ? [{ type: "text", text: content }] : []),
          ...experimental_attachments.map(({ url, contentType }) => ({ type: "file", url, mediaType: contentType }))],
          toolCalls: calls.map(({ toolCallId, toolName, args }) => ({ id: toolCallId, name: toolName, arguments: args })) },
        ...calls.filter(({ result }) => result !== undefined).map(({ toolCallId, result }) => ({ role: "tool",
          content: [{ type: "tool-result", toolCallId, output: result }] }))]; })`,
  ),
  unread(
    "AI SDK UIMessage",
    (row) => Array.isArray(row.parts),
    `messages.flatMap(({ id, role, metadata, parts }) => [
      { id, role, metadata, content: parts.flatMap((part) =>
        part.type === "text" || part.type === "reasoning" ? [{ type: part.type, text: part.text }] :
        part.type === "file" ? [{ type: "file", url: part.url, mediaType: part.mediaType }] :
        part.toolCallId ? [{ type: "tool-call", toolCallId: part.toolCallId, toolName: part.toolName ?? part.type.slice(5), input: part.input }] : []) },
      ...parts.filter((part) => part.toolCallId && (part.output ?? part.errorText) !== undefined).map((part) => ({ role: "tool",
        content: [{ type: "tool-result", toolCallId: part.toolCallId, output: part.output ?? part.errorText }] }))])`,
  ),
  unread(
    "Claude Code log",
    (row) => isRecord(row.message) && "role" in row.message && !("role" in row),
    `messages.filter((row) => row.message?.role).map(({ uuid, timestamp, message }) => ({ id: uuid, createdAt: timestamp,
      role: message.role, content: message.content }))`,
  ),
  read("AI SDK ModelMessage", (row) =>
    hasPart(row.content, ({ type }) => type === "tool-call" || type === "tool-result"),
  ),
  read("Anthropic message", (row) => hasPart(row.content, isAnthropicPart)),
  read("OpenAI chat message", (row) => typeof row.role === "string" && ("content" in row || "tool_calls" in row)),
];

const LANGCHAIN_TYPES = new Set(["human", "ai", "system", "tool", "function", "generic", "developer", "remove"]);
const AGENT_ITEM = /^(function|computer|shell|apply_patch|hosted_tool)_call|^(function|computer)_call_(result|output)/;
const RESPONSES_ITEM = /_call(_output)?$|^reasoning$|^item_reference$|^mcp_|^compaction$/;
const ANTHROPIC_TYPES = new Set(["tool_use", "tool_result", "thinking", "redacted_thinking", "document"]);

function hasPart(value: unknown, fits: (part: Row) => boolean): boolean {
  return Array.isArray(value) && untilHole(value).some((part) => isRecord(part) && fits(part));
}

function isGeminiPart(part: Row): boolean {
  return (
    !("type" in part) && ["text", "functionCall", "functionResponse", "inlineData", "fileData"].some((it) => it in part)
  );
}

function isPiPart(part: Row): boolean {
  return part.type === "toolCall";
}

function isAnthropicPart(part: Row): boolean {
  return ANTHROPIC_TYPES.has(String(part.type)) || (part.type === "image" && isRecord(part.source));
}

/** The shapes that are known: which of them windrow reads, and how the others are turned into what it reads. */
export const knownShapes: readonly Shape[] = Object.freeze(
  SHAPES.map(({ name, isRead, byHand }) => Object.freeze({ name, isRead, byHand })),
);

/** The shape that a row looks like, where it is one that is not read; undefined where nothing is known of it. */
export function unreadShapeOf(row: unknown): Shape | undefined {
  try {
    return isRecord(row) ? SHAPES.find(({ fits, isRead }) => !isRead && fits(row)) : undefined;
  } catch {
    return undefined; // A getter of the row throws: what is said of it then is that it could not be read.
  }
}
