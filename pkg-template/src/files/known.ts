// Recognizes the kinds of files that other apps write from their contents. `windrow/files` reads those in `apps/kinds.ts`.
// The others only have a name, so an error can name the file's kind.

import { isRecord } from "../base/plain-data.js";
import { provideNames } from "../message/recognise.js";
import { READ_KINDS } from "./apps/kinds.js";
import { recordIn } from "./file.js";
import { anyOf, hasFields, isText, type KnownKind } from "./kind.js";
import { tryParse, valuesOfRows, withoutMark } from "./text.js";

/** The kinds that every entry recognizes. The first kind that fits wins. */
export const KNOWN_KINDS: readonly KnownKind[] = [
  ...READ_KINDS,
  {
    name: "Discord export as text or CSV",
    text: /^(?:={5,}\s+Guild: |"?AuthorID"?,"?Author"?,)/,
    next: "Export the channel as JSON.",
  },
  { name: "Discord data package", row: hasFields("Timestamp", "Contents"), text: /^ID,Timestamp,Contents,/ },
  {
    name: "list of a Slack workspace's members or channels",
    row: ({ team_id, profile, is_archived, members, creator }) =>
      (isText(team_id) && isRecord(profile)) ||
      (typeof is_archived === "boolean" && Array.isArray(members) && isText(creator)),
    next: "Pass a file of one of its channels, which has the messages.",
  },
  {
    name: "list of a Claude account's facts or projects",
    row: ({ full_name, email_address, prompt_template, docs, conversations_memory }) =>
      (isText(full_name) && isText(email_address)) ||
      (isText(prompt_template) && Array.isArray(docs)) ||
      isText(conversations_memory),
    next: "Pass `conversations.json` of the same export.",
  },
  {
    name: "list of a ChatGPT account's facts",
    row: ({ chatgpt_plus_user, conversation_id, rating, is_anonymous }) =>
      chatgpt_plus_user !== undefined ||
      (isText(conversation_id) && (isText(rating) || typeof is_anonymous === "boolean")),
    next: "Pass `conversations.json` of the same export.",
  },
  {
    name: "Microsoft Teams export",
    row: ({ MessageList, messageType, body }) =>
      Array.isArray(MessageList) || (isText(messageType) && "contentType" in recordIn(body)),
  },
  {
    name: "Zulip export",
    row: ({ zerver_message, sender_full_name }) => Array.isArray(zerver_message) || isText(sender_full_name),
  },
  { name: "Matrix export", row: ({ type }) => isText(type) && /^m\.room\./.test(type) },
  { name: "Messenger or Instagram export", row: hasFields("sender_name", "timestamp_ms") },
  { name: "Google Chat export", row: ({ creator, topic_id }) => isRecord(creator) && topic_id !== undefined },
  {
    name: "LangSmith trace",
    row: ({ run_type, dotted_order, trace_id }) => isText(run_type) && (dotted_order ?? trace_id) !== undefined,
  },
  {
    name: "Langfuse trace",
    row: ({ observations, traceId, type, htmlPath }) =>
      (Array.isArray(observations) && htmlPath !== undefined) ||
      (isText(traceId) && (type === "GENERATION" || type === "SPAN" || type === "EVENT")),
  },
  {
    name: "OpenTelemetry trace",
    row: ({ resourceSpans, traceId, spanId }) => Array.isArray(resourceSpans) || (isText(traceId) && isText(spanId)),
  },
  { name: "MCP session", row: ({ jsonrpc }) => isText(jsonrpc) },
  { name: "TypingMind export", row: ({ data }) => Array.isArray(recordIn(data).chats) },
  { name: "TypingMind chat", row: hasFields("chatID", "messages") },
  { name: "Poe export", row: ({ messageCode, chatCode }) => (messageCode ?? chatCode) !== undefined },
  { name: "Perplexity export", row: ({ query_str, thread_url_slug }) => (query_str ?? thread_url_slug) !== undefined },
  { name: "Grok export", row: ({ conversation, responses }) => isRecord(conversation) && Array.isArray(responses) },
  { name: "DeepSeek export", row: ({ mapping, inserted_at }) => isRecord(mapping) && inserted_at !== undefined },
  { name: "Mistral Le Chat export", row: hasFields("chatId", "contentChunks") },
  {
    name: "Cursor chat",
    row: ({ composerId, bubbleId, bubbles }) => (composerId ?? bubbleId) !== undefined || Array.isArray(bubbles),
    text: /^_Exported on .* from Cursor/m,
  },
  {
    name: "Continue session",
    row: ({ history, workspaceDirectory, contextItems, message }) =>
      (Array.isArray(history) && workspaceDirectory !== undefined && !anyOf(history, hasFields("executionId"))) ||
      (isRecord(message) && Array.isArray(contextItems)),
  },
  {
    name: "request to Cohere's first API",
    row: ({ chat_history, message, role }) =>
      message !== undefined && (chat_history !== undefined || /^(?:USER|CHATBOT|SYSTEM|TOOL)$/.test(String(role))),
  },
  { name: "conversation of Mistral's Agents API", row: ({ object, type }) => object === "entry" && isText(type) },
  {
    name: "session of Google's Agent Development Kit",
    row: ({ author, content }) => isText(author) && Array.isArray(recordIn(content).parts),
  },
  {
    name: "conversation of AutoGen",
    row: ({ source, type }) => isText(source) && isText(type) && /[a-z](?:Message|Event)$/.test(type),
  },
  {
    name: "list of smolagents' steps",
    row: ({ step_number, task, task_images, observations, tool_calls }) =>
      (typeof step_number === "number" && (observations ?? tool_calls) !== undefined) ||
      (isText(task) && task_images !== undefined),
    next: "Pass the messages of `agent.write_memory_to_messages()`.",
  },
  {
    name: "Haystack conversation",
    row: ({ role, meta, content }) =>
      isText(role) &&
      isRecord(meta) &&
      anyOf(content, (part) => part.type === undefined && (part.tool_call ?? part.tool_call_result) !== undefined),
    next: "Pass the results of `ChatMessage.to_openai_dict_format()`.",
  },
  {
    name: "Strands session",
    row: ({ message, message_id }) => isRecord(message) && typeof message_id === "number",
    next: "Pass the fields `message` of its files, in their order.",
  },
  { name: "Letta conversation", row: ({ message_type }) => isText(message_type) && /_message$/.test(message_type) },
  {
    name: "Spring AI conversation",
    row: ({ messageType }) => /^(?:USER|ASSISTANT|SYSTEM|TOOL)$/.test(String(messageType)),
  },
  {
    name: "LangChain4j conversation",
    row: ({ type }) => /^(?:USER|AI|SYSTEM|TOOL_EXECUTION_RESULT)$/.test(String(type)),
  },
  {
    name: "Genkit conversation",
    row: ({ role, content }) =>
      isText(role) && anyOf(content, ({ toolRequest, toolResponse }) => isRecord(toolRequest ?? toolResponse)),
  },
  {
    name: "list of LlamaIndex's Python messages",
    row: ({ role, blocks }) => isText(role) && anyOf(blocks, ({ block_type }) => isText(block_type)),
  },
  { name: "Chainlit thread", row: ({ threadId, type, output }) => isText(threadId) && isText(type) && isText(output) },
  {
    name: "Dify conversation",
    row: ({ query, answer, conversation_id, inputs }) =>
      isText(query) && isText(answer) && (conversation_id ?? inputs) !== undefined,
  },
  {
    name: "prompt in a model's template",
    text: /^\s*<\|(?:im_start|start|begin_of_text|start_header_id)\|>/,
    next: "Pass the messages that it was made from.",
  },
  {
    name: "Codex prompt history",
    row: ({ session_id, ts, text }) => isText(session_id) && isText(text) && typeof ts === "number",
  },
  {
    name: "Codex event stream",
    row: ({ type, item, thread_id, usage }) =>
      isText(type) &&
      /^(?:thread|turn|item)\.(?:started|updated|completed|failed)$/.test(type) &&
      (isRecord(item) || isText(thread_id) || isRecord(usage)),
  },
  {
    name: "Gemini CLI prompt history",
    row: ({ sessionId, messageId, message }) => isText(sessionId) && typeof messageId === "number" && isText(message),
  },
  {
    name: "Claude Code prompt history",
    row: ({ display, project, role }) => isText(display) && isText(project) && role === undefined,
  },
  { name: "Zed conversation", row: ({ zed, User, Agent }) => zed !== undefined || isRecord(User) || isRecord(Agent) },
  {
    name: "OpenHands trajectory",
    row: ({ source, action, observation, kind }) =>
      isText(source) && (isText(action) || isText(observation) || (isText(kind) && /Event$/.test(kind))),
  },
  { name: "SWE-agent trajectory", row: ({ trajectory }) => Array.isArray(trajectory) },
  { name: "Alpaca data set", row: ({ instruction, output }) => isText(instruction) && output !== undefined },
  {
    name: "LangGraph state",
    row: ({ values, next, checkpoint_id, config }) =>
      Array.isArray(recordIn(values).messages) && (next ?? checkpoint_id ?? config) !== undefined,
  },
  { name: "thread of OpenAI's Assistants API", row: ({ object }) => object === "thread.message" },
  {
    name: "Aider prompt history",
    text: /^\s*# \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+\n\+/,
    next: "Pass `.aider.chat.history.md`, which has the answers too.",
  },
  {
    name: "log of Aider's model",
    text: /^TO LLM \d{4}-\d\d-\d\d/,
    next: "Pass `.aider.chat.history.md`, which has the same conversation.",
  },
  { name: "SpecStory history", text: /^<!-- Generated by SpecStory/m },
];

let kinds = KNOWN_KINDS;

/** Adds kinds, after those that every entry recognizes. */
export function provideKinds(more: readonly KnownKind[]): void {
  kinds = [...KNOWN_KINDS, ...more];
}

/** The number of list entries, and the length of text, that are examined to name a file. */
const LOOKS = 20;
const FIRST_CHARS = 4000;

/** Returns the kind of a value or a text. Undefined if it isn't known. Searches nested lists down to a depth. */
export function kindOf(value: unknown, depth = 3): KnownKind | undefined {
  if (isText(value)) {
    return kindOfText(value);
  }
  if (Array.isArray(value)) {
    return firstOf(value.slice(0, LOOKS), (item) => (isText(item) ? undefined : kindOf(item, depth)));
  }
  if (!isRecord(value)) {
    return undefined;
  }
  const own = kinds.find(({ file, row }) => file?.(value) || row?.(value));
  const lists = depth > 0 ? Object.values(value).filter(Array.isArray) : [];
  return own ?? firstOf(lists, (list) => kindOf(list, depth - 1));
}

/** Returns the kind of a text that isn't JSON. */
export function kindOfText(text: string): KnownKind | undefined {
  const start = text.slice(0, FIRST_CHARS);
  return kinds.find((kind) => kind.text?.test(start));
}

/** Returns the kind of a file from its text: JSON, one value per line, or prose. */
export function kindOfFile(text: string): KnownKind | undefined {
  const body = withoutMark(text);
  const whole = tryParse(body);
  return whole.failure === undefined ? kindOf(whole.value) : (kindOfText(body) ?? kindOf(valuesOfRows(body, LOOKS)));
}

function firstOf<T>(items: readonly T[], look: (item: T) => KnownKind | undefined): KnownKind | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

provideNames((value) => kindOf(value)?.name);
