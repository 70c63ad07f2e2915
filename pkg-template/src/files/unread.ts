// Kinds of files that are known by name and not read yet. A name is looked up only if nothing else could read a value: it goes into
// the error, so that nobody has to guess what windrow took the file for.

import { isRecord } from "../base/plain-data.js";
import { provideNames } from "../message/recognise.js";
import { listIn, type Row, recordIn } from "./file.js";
import { tryParse, withoutMark } from "./text.js";

/** A kind of file without a reader: its name, and if a value is of it. A value is a record of the file, or the text of one that isn't JSON. */
type UnreadKind = readonly [name: string, fits: (value: Row) => boolean];
type UnreadText = readonly [name: string, pattern: RegExp];

const has =
  (...fields: readonly string[]): ((value: Row) => boolean) =>
  (value) =>
    fields.every((field) => field in value);
const anyOf = (value: unknown, fits: (item: Row) => boolean): boolean =>
  listIn(value).some((item) => isRecord(item) && fits(item));
const isText = (value: unknown): value is string => typeof value === "string";

const UNREAD: readonly UnreadKind[] = [
  [
    "Slack export",
    ({ ts, user, bot_id, username, role }) =>
      isText(ts) && /^\d{9,}\.\d+$/.test(ts) && (user ?? bot_id ?? username) !== undefined && role === undefined,
  ],
  [
    "Discord export (DiscordChatExporter)",
    ({ guild, channel, author, role }) =>
      (isRecord(guild) && isRecord(channel)) || (role === undefined && "isBot" in recordIn(author)),
  ],
  ["Discord data package", has("Timestamp", "Contents")],
  [
    "Telegram export",
    ({ from_id, actor_id, text_entities, role }) =>
      role === undefined && (isText(from_id) || isText(actor_id) || Array.isArray(text_entities)),
  ],
  [
    "Microsoft Teams export",
    ({ MessageList, messageType, body }) =>
      Array.isArray(MessageList) || (isText(messageType) && "contentType" in recordIn(body)),
  ],
  ["Zulip export", ({ zerver_message, sender_full_name }) => Array.isArray(zerver_message) || isText(sender_full_name)],
  ["Matrix export", ({ type }) => isText(type) && /^m\.room\./.test(type)],
  ["Messenger or Instagram export", has("sender_name", "timestamp_ms")],
  ["Google Chat export", ({ creator, topic_id }) => isRecord(creator) && topic_id !== undefined],
  [
    "LangSmith trace",
    ({ run_type, dotted_order, trace_id }) => isText(run_type) && (dotted_order ?? trace_id) !== undefined,
  ],
  [
    "Langfuse trace",
    ({ observations, traceId, type, htmlPath }) =>
      (Array.isArray(observations) && htmlPath !== undefined) ||
      (isText(traceId) && (type === "GENERATION" || type === "SPAN" || type === "EVENT")),
  ],
  [
    "OpenTelemetry trace",
    ({ resourceSpans, traceId, spanId }) => Array.isArray(resourceSpans) || (isText(traceId) && isText(spanId)),
  ],
  ["MCP session", ({ jsonrpc }) => isText(jsonrpc)],
  ["LibreChat export", ({ messageId, isCreatedByUser }) => messageId !== undefined && isCreatedByUser !== undefined],
  ["Open WebUI export", ({ chat }) => isRecord(recordIn(chat).history)],
  ["TypingMind export", ({ data }) => Array.isArray(recordIn(data).chats)],
  ["TypingMind chat", has("chatID", "messages")],
  ["Poe export", ({ messageCode, chatCode }) => (messageCode ?? chatCode) !== undefined],
  ["Perplexity export", ({ query_str, thread_url_slug }) => (query_str ?? thread_url_slug) !== undefined],
  ["Grok export", ({ conversation, responses }) => isRecord(conversation) && Array.isArray(responses)],
  ["DeepSeek export", ({ mapping, inserted_at }) => isRecord(mapping) && inserted_at !== undefined],
  ["Mistral Le Chat export", has("chatId", "contentChunks")],
  [
    "Cursor chat",
    ({ composerId, bubbleId, bubbles }) => (composerId ?? bubbleId) !== undefined || Array.isArray(bubbles),
  ],
  [
    "Continue session",
    ({ history, workspaceDirectory, contextItems, message }) =>
      (Array.isArray(history) && workspaceDirectory !== undefined) ||
      (isRecord(message) && Array.isArray(contextItems)),
  ],
  [
    "Copilot chat session",
    ({ requests, responderUsername, requesterUsername }) =>
      Array.isArray(requests) && (responderUsername ?? requesterUsername) !== undefined,
  ],
  ["Zed conversation", ({ zed, User, Agent }) => zed !== undefined || isRecord(User) || isRecord(Agent)],
  [
    "Goose session",
    ({ working_dir, content }) =>
      isText(working_dir) || anyOf(content, ({ type }) => type === "toolRequest" || type === "toolResponse"),
  ],
  [
    "OpenHands trajectory",
    ({ source, action, observation, kind }) =>
      isText(source) && (isText(action) || isText(observation) || (isText(kind) && /Event$/.test(kind))),
  ],
  ["SWE-agent trajectory", ({ trajectory }) => Array.isArray(trajectory)],
  ["Alpaca data set", ({ instruction, output }) => isText(instruction) && output !== undefined],
  [
    "SillyTavern chat",
    ({ is_user, mes, chat_metadata }) => (is_user !== undefined && mes !== undefined) || chat_metadata !== undefined,
  ],
  [
    "LangGraph state",
    ({ values, next, checkpoint_id, config }) =>
      Array.isArray(recordIn(values).messages) && (next ?? checkpoint_id ?? config) !== undefined,
  ],
  ["thread of OpenAI's Assistants API", ({ object }) => object === "thread.message"],
];

const UNREAD_TEXTS: readonly UnreadText[] = [
  [
    "WhatsApp export",
    /^\W?\[?\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? +\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[\s\u202f]?[AaPp]\.?[Mm]\.?)?(?:\]| +-) +[^:\n]+: /m,
  ],
  ["Aider chat history", /^# aider chat started at /m],
  ["Cursor chat", /^_Exported on .* from Cursor/m],
  ["Discord export (DiscordChatExporter)", /^={5,}\s+Guild: /],
  ["SpecStory history", /^<!-- Generated by SpecStory/m],
];

/** How many entries of a list are looked at to name a file. */
const LOOKS = 20;

/** Returns the name of a value's or a text's kind of file; undefined if it isn't known. Lists in it are looked through to a depth. */
export function nameOf(value: unknown, depth = 3): string | undefined {
  if (isText(value)) {
    return UNREAD_TEXTS.find(([, pattern]) => pattern.test(value.slice(0, 4000)))?.[0];
  }
  if (Array.isArray(value)) {
    return firstOf(value.slice(0, LOOKS), (item) => (isText(item) ? undefined : nameOf(item, depth)));
  }
  if (!isRecord(value)) {
    return undefined;
  }
  const own = UNREAD.find(([, fits]) => fits(value))?.[0];
  const lists = depth > 0 ? Object.values(value).filter(Array.isArray) : [];
  return own ?? firstOf(lists, (list) => nameOf(list, depth - 1));
}

/** Returns the name of a file's kind, from its text: JSON, a value a line, or prose. */
export function nameOfText(text: string): string | undefined {
  const body = withoutMark(text);
  const whole = tryParse(body);
  const lines = (): readonly unknown[] => body.split("\n", LOOKS).map((line) => tryParse(line).value);
  return whole.failure === undefined ? nameOf(whole.value) : (nameOf(body) ?? nameOf(lines()));
}

function firstOf<T>(items: readonly T[], look: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

provideNames(nameOf);
