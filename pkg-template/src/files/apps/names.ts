// Kinds of files that are only named. `windrow/files` provides them, so that no other entry carries them.

import { isRecord } from "../../base/plain-data.js";
import { listIn, type Row, recordIn } from "../file.js";
import { isText, type KnownKind } from "../kind.js";

const has = (value: unknown, ...fields: readonly string[]): boolean =>
  isRecord(value) && fields.every((field) => field in value);
const anyHas = (list: unknown, ...fields: readonly string[]): boolean =>
  listIn(list).some((item) => has(item, ...fields));

/** The first kind that fits wins. Those that other apps may have too come last. */
export const NAMED_KINDS: readonly KnownKind[] = [
  {
    name: "recording of a build by windrow",
    row: (value) => has(value, "formatVersion", "engineVersion", "hooks"),
    next: "Pass the messages that the context was built from.",
  },
  {
    name: "Rasa conversation",
    row: ({ event, events, sender_id, timestamp, parse_data, text, name }) =>
      (sender_id !== undefined && anyHas(events, "event")) ||
      (isText(event) && typeof timestamp === "number" && (parse_data ?? text ?? name) !== undefined),
  },
  {
    name: "list of Rasa's replies",
    row: ({ recipient_id, text, image, buttons, custom, attachment }) =>
      isText(recipient_id) && (text ?? image ?? buttons ?? custom ?? attachment) !== undefined,
    next: 'Map each to { role: "assistant", content: text }, between the messages that you sent.',
  },
  {
    name: "list of Cline's or Roo Code's tasks",
    row: ({ task, tokensIn }) => isText(task) && typeof tokensIn === "number",
    next: "Pass `api_conversation_history.json` of one of them.",
  },
  {
    name: "message of opencode without its parts",
    row: ({ sessionID, role, time, parts }) =>
      isText(sessionID) && isText(role) && isRecord(time) && parts === undefined,
    next: "Pass what `opencode export` writes.",
  },
  {
    name: "event stream of Codex's first versions",
    row: ({ id, msg }) => isText(id) && isText(recordIn(msg).type),
    next: "Pass the session's file of `~/.codex/sessions`.",
  },
  {
    name: "response of a provider",
    row: ({ choices, candidates, output, message, done }) =>
      anyHas(choices, "message") ||
      anyHas(candidates, "content") ||
      has(recordIn(output).message, "content") ||
      (has(message, "content") && typeof done === "boolean"),
    next: "Pass its message, after those that were sent.",
  },
  {
    name: "stream of a provider's response",
    text: /^\s*(?:event: [\w.]+\r?\n)?data: [{[]/,
    next: "Pass the message that it adds up to, after those that were sent.",
  },
  {
    name: "Junie session",
    row: ({ kind }) => /^(?:UserPromptEvent|SessionA2uxEvent|SendToAgentEvent|TaskState)$/.test(String(kind)),
  },
  {
    name: "Botpress conversation",
    row: ({ direction, payload }) => /^(?:incoming|outgoing)$/.test(String(direction)) && isRecord(payload),
  },
  {
    name: "Kiro session",
    row: ({ executionId, chat, workflowType, history, kind, data }) =>
      anyHas(history, "executionId") ||
      (isText(executionId) && (Array.isArray(chat) || isText(workflowType))) ||
      (/^(?:Prompt|AssistantMessage|ToolResults|Compaction|Clear)$/.test(String(kind)) && isRecord(data)),
  },
  {
    name: "Amazon Q session",
    row: ({ conversation_id, history, transcript, valid_history_range }) =>
      isText(conversation_id) && Array.isArray(history) && (transcript ?? valid_history_range) !== undefined,
  },
  {
    name: "saved DSPy program",
    row: (value) => Object.values(value).some((predictor) => has(predictor, "demos", "signature")),
    next: "Pass the messages of `lm.history`.",
  },
  {
    name: "Qwen Code session",
    row: ({ uuid, message }) => isText(uuid) && Array.isArray(recordIn(message).parts),
    next: "Pass the objects in `message` of its rows.",
  },
  {
    name: "transcript of Cursor's agent",
    row: ({ role, content, message }) => isText(role) && content === undefined && has(message, "content"),
    next: "Map each row to { role, content: message.content }.",
  },
  { name: "Crush session", row: ({ session_id, parts }) => isText(session_id) && anyHas(parts, "type", "data") },
  {
    name: "Augment chat",
    row: ({ chatHistory, request_message }) => Array.isArray(chatHistory) || isText(request_message),
  },
  { name: "Windsurf chat", text: /^# Cascade Chat Conversation/ },
  {
    name: "Chatbox export",
    row: (value) => Array.isArray(value["chat-sessions"]) || (isText(value.role) && Array.isArray(value.contentParts)),
  },
  {
    name: "LobeChat export",
    row: ({ exportType, state, data }) => isText(exportType) && isRecord(state ?? data),
  },
  { name: "Cherry Studio backup", row: ({ indexedDB }) => has(indexedDB, "topics") },
  { name: "GPT4All chat", row: ({ chatName, items }) => isText(chatName) && Array.isArray(items) },
  {
    name: "Character.AI chat",
    row: ({ turn_key, candidates, msgs, histories }) =>
      (isRecord(turn_key) && Array.isArray(candidates)) ||
      anyHas(msgs, "src") ||
      anyHas(recordIn(histories).histories, "msgs"),
  },
  { name: "shared ChatGPT conversation", row: ({ linear_conversation }) => Array.isArray(linear_conversation) },
  { name: "Microsoft Copilot export", text: /^"?Conversation"?,"?Time"?,"?Author"?,"?Message"?\r?\n/ },
  {
    name: "Signal export",
    row: ({ sent_at, conversationId, chatItem }) =>
      (typeof sent_at === "number" && isText(conversationId)) || isRecord(chatItem),
  },
  {
    name: "iMessage export",
    row: ({ is_from_me, guid, handle_id, service }) =>
      is_from_me !== undefined && (guid ?? handle_id ?? service) !== undefined,
    text: /^[A-Z][a-z]{2} \d\d, \d{4} +\d{1,2}:\d\d:\d\d [AP]M\b.*\r?\n\S/,
  },
  {
    name: "Messenger or Instagram export",
    row: ({ senderName, isUnsent, threadName }) => (isText(senderName) && isUnsent !== undefined) || isText(threadName),
  },
  {
    name: "Google Hangouts export",
    row: ({ chat_message, event_type }) => isRecord(chat_message) && isText(event_type),
  },
  { name: "Snapchat export", row: (value) => has(value, "From", "Media Type") },
  { name: "LINE export", text: /^\[LINE\] / },
  {
    name: "KakaoTalk export",
    text: /^.*(?:카카오톡 대화|KakaoTalk Chats)|^\d{4}년 \d{1,2}월 \d{1,2}일 (?:오전|오후) \d{1,2}:\d\d, /,
  },
  // No app of theirs exports a chat as text. Tools write a name and a time, in either order, above each message.
  {
    name: "WeChat or QQ chat as text",
    text: /^(?:消息分组:|(?:\d{4}-\d\d-\d\d \d{1,2}:\d\d:\d\d \S{1,30}|\S{1,30} \d{4}-\d\d-\d\d \d{1,2}:\d\d:\d\d)\r?\n(?!\d{4}-)\S)/m,
  },
  { name: "Mattermost export", row: ({ type, post }) => /post$/.test(String(type)) && isRecord(post) },
  { name: "Rocket.Chat export", row: ({ rid, msg }) => isText(rid) && isText(msg) },
  { name: "Intercom conversation", row: ({ conversation_parts }) => isRecord(conversation_parts) },
  { name: "Zendesk ticket", row: ({ plain_body, author_id }) => isText(plain_body) && author_id !== undefined },
  { name: "Dialogflow response", row: ({ queryResult }) => isRecord(queryResult) },
  { name: "Voiceflow transcript", row: ({ turnID, payload }) => isText(turnID) && payload !== undefined },
  {
    name: "Bot Framework transcript",
    row: ({ channelId, recipient, from, conversation }) =>
      isRecord(from) && isRecord(conversation) && (channelId ?? recipient) !== undefined,
  },
  { name: "Flowise conversation", row: ({ chatflowid, role }) => isText(chatflowid) && isText(role) },
  {
    name: "Langflow conversation",
    row: ({ flow_id, sender, text }) => flow_id !== undefined && isText(sender) && isText(text),
  },
  { name: "result of CrewAI", row: ({ tasks_output }) => Array.isArray(tasks_output) },
  { name: "Braintrust trace", row: ({ span_id, root_span_id }) => isText(span_id) && isText(root_span_id) },
  { name: "Helicone log", row: ({ request_body, response_body }) => isRecord(request_body) && isRecord(response_body) },
  {
    name: "file of OpenAI's Batch API",
    row: ({ custom_id, body, response }) => isText(custom_id) && isRecord(body ?? response),
    next: "Pass `body` of a request, or the message of a response.",
  },
  {
    name: "recording of a browser's requests (HAR)",
    row: ({ log }) => Array.isArray(recordIn(log).entries),
    next: "Pass the body of a request to a model.",
  },
  { name: "notebook", row: ({ nbformat, cells }) => nbformat !== undefined && Array.isArray(cells) },
  {
    name: "list of questions and answers",
    row: ({ role, prompt, question, query, response, answer, completion, output }: Row) =>
      role === undefined && isText(prompt ?? question ?? query) && isText(response ?? answer ?? completion ?? output),
    next: 'Map each to two messages, { role: "user", content } and { role: "assistant", content }.',
  },
  // A clock and a nick, after the opening line of irssi, or in the columns of WeeChat.
  {
    name: "IRC log",
    text: /^(?:--- Log opened |\[?\d\d:\d\d(?::\d\d)?\]? (?:<[ @+%&~!]?[^\s<>]+> |\*{3} |-!- )|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\t)/m,
  },
  { name: "file of subtitles", text: /^(?:WEBVTT\b|\d+\r?\n\d\d:\d\d:\d\d,\d{3} --> )/ },
  { name: "mailbox", text: /^(?:From \S+@\S+ |(?:Return-Path|Received|Delivered-To|MIME-Version|Message-ID): )/i },
  {
    name: "Discord export as a web page",
    text: /^\s*<!doctype html>[\s\S]*(?:DiscordFonts|chatlog__|Tyrrrz)/i,
    next: "Export the channel as JSON.",
  },
  {
    name: "Telegram export as a web page",
    text: /^\s*<!doctype html>[\s\S]*<title>Exported Data<\/title>/i,
    next: "Export it again, as machine-readable JSON.",
  },
  {
    name: "ChatGPT export as a web page",
    text: /^\s*<(?:!doctype html|html)[\s\S]*<title>ChatGPT Data Export<\/title>/i,
    next: "Pass `conversations.json` of the same export.",
  },
  { name: "web page", text: /^\s*<(?:!doctype html|html)\b/i, next: "Export it as JSON." },
  // biome-ignore lint/suspicious/noControlCharactersInRegex: archives begin with them.
  { name: "ZIP archive", text: /^PK\x03\x04/, next: "Unpack it, and pass one of its files." },
  // biome-ignore lint/suspicious/noControlCharactersInRegex: archives begin with them.
  { name: "gzip archive", text: /^\x1f(?:\x8b|\ufffd)\x08/, next: "Unpack it, and pass its file." },
  { name: "SQLite database", text: /^SQLite format 3/, next: "Export its messages as JSON." },
  {
    name: "Msty export",
    row: ({ app, chats }) => isText(app) && /^msty/i.test(app) && Array.isArray(chats),
    next: "Pass the messages of one of its chats.",
  },
  {
    name: "Gemini CLI event stream",
    row: ({ type, tool_id, tool_name, session_id, model }) =>
      (/^tool_(?:use|result)$/.test(String(type)) && isText(tool_id ?? tool_name)) ||
      (type === "init" && isText(session_id) && isText(model)),
    next: "Pass the session's file of `~/.gemini/tmp`, which has the tools' results too.",
  },
  { name: "PDF", text: /^%PDF-/, next: "Pass the conversation as JSON." },
  { name: "YAML file", text: /^(?:---\r?\n|- role: |messages:\s*\n)/, next: "Convert it to JSON." },
  {
    name: "chat in Markdown",
    text: /^(?:#{1,4} |\*\*)(?:User|Human|You|Prompt)\b/im,
    next: "Pass the chat as JSON, which says who speaks.",
  },
  {
    name: "table (CSV)",
    text: /^(?:"[^"\n]*"|[\w ]+)(?:[,;\t](?:"[^"\n]*"|[\w ]+)){2,}\r?\n[^\n]*[,;\t]/,
    next: "Convert its rows to JSON: { role, name, content, createdAt }.",
  },
];
