// Unsupported files are named, and unreadable parts are reported prominently.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { memoryStore, openSession, parseTranscript } from "windrow";
import { fileKinds } from "windrow/files";
import { checkContextError, errorOf } from "../support/errors.mjs";
import { forEachSeed } from "../support/property.mjs";

const lines = (...values) => values.map((value) => JSON.stringify(value)).join("\n");

/** A small file of each kind that is named but has no reader. */
const FILES = {
  "a Discord data package": [{ ID: 1, Timestamp: "2026-01-01", Contents: "Hi", Attachments: "" }],
  "a Microsoft Teams export": [{ id: "1", messageType: "message", body: { contentType: "html", content: "<p>Hi" } }],
  "a Zulip export": { zerver_message: [{ id: 1, content: "Hi" }] },
  "a Matrix export": {
    room_name: "r",
    messages: [{ type: "m.room.message", sender: "@a:b", content: { body: "Hi" } }],
  },
  "a LangSmith trace": {
    id: "1",
    run_type: "llm",
    trace_id: "t",
    inputs: { messages: [{ role: "user", content: "Hi" }] },
  },
  "a Langfuse trace": { id: "t", observations: [{ id: "o", traceId: "t", type: "GENERATION" }], htmlPath: "/x" },
  "an OpenTelemetry trace": [{ traceId: "t", spanId: "s", name: "chat", attributes: {} }],
  "an MCP session": [{ jsonrpc: "2.0", id: 1, method: "tools/list" }],
  "a TypingMind export": { data: { chats: [{ id: "1", messages: [{ role: "user", content: "Hi" }] }] } },
  "a Poe export": [{ messageId: 1, messageCode: "x", text: "Hi", author: "human" }],
  "a Perplexity export": { entries: [{ query_str: "Hi", blocks: [] }] },
  "a Grok export": {
    conversations: [{ conversation: { id: "1" }, responses: [{ response: { message: "Hi", sender: "human" } }] }],
  },
  "a DeepSeek export": [
    {
      ...{ id: "a", title: "t", inserted_at: "2026-01-01" },
      mapping: {
        root: { id: "root", parent: null, message: null },
        1: { id: "1", parent: "root", message: { fragments: [{ type: "REQUEST", content: "Hi" }] } },
      },
    },
  ],
  "a Cursor chat": { composerId: "x", conversation: [{ type: 1, bubbleId: "1", text: "Hi" }] },
  "a Continue session": {
    sessionId: "1",
    workspaceDirectory: "/w",
    history: [{ message: { role: "user", content: "Hi" }, contextItems: [] }],
  },
  "a Zed conversation": { version: "0.3.0", title: "t", messages: [{ User: { id: "1", content: [{ Text: "Hi" }] } }] },
  "an OpenHands trajectory": [{ id: 0, source: "user", action: "message", message: "Hi", args: { content: "Hi" } }],
  "a SWE-agent trajectory": {
    environment: "e",
    trajectory: [{ action: "ls", observation: "x" }],
    history: [{ role: "user", content: "Hi" }],
  },
  "an Alpaca data set": [{ instruction: "Hi", input: "", output: "Ho" }],
  "a conversation of Mistral's Agents API": [
    { object: "entry", type: "function.call", toolCallId: "t", name: "seats", arguments: "{}" },
  ],
  "a session of Google's Agent Development Kit": [
    { id: "1", author: "user", content: { role: "user", parts: [{ text: "Hi" }] }, invocationId: "e" },
  ],
  "a conversation of AutoGen": [{ source: "user", type: "TextMessage", content: "Hi", models_usage: null }],
  "a request to Cohere's first API": [{ role: "USER", message: "Hi" }],
  "a Letta conversation": [{ id: "message-1", message_type: "user_message", content: "Hi", date: "2026-01-01" }],
  "a Spring AI conversation": [{ messageType: "USER", text: "Hi", metadata: {}, media: [] }],
  "a LangChain4j conversation": [{ type: "USER", contents: [{ type: "TEXT", text: "Hi" }] }],
  "a Genkit conversation": [{ role: "model", content: [{ toolRequest: { name: "f", ref: "c", input: {} } }] }],
  "a list of LlamaIndex's Python messages": [{ role: "user", blocks: [{ block_type: "text", text: "Hi" }] }],
  "a Chainlit thread": [{ id: "1", threadId: "t", type: "user_message", output: "Hi", createdAt: "2026-01-01" }],
  "a Dify conversation": { data: [{ id: "1", conversation_id: "c", query: "Hi", answer: "Ho", inputs: {} }] },
  "a Rasa conversation": {
    sender_id: "u",
    events: [
      { event: "action", timestamp: 1, name: "action_listen" },
      { event: "user", timestamp: 2, text: "Hi", parse_data: { intent: { name: "greet" } } },
    ],
  },
  "a Junie session": lines(
    { kind: "UserPromptEvent", prompt: "Hi" },
    { kind: "SessionA2uxEvent", event: { state: "IN_PROGRESS", agentEvent: { kind: "ResultBlockUpdatedEvent" } } },
  ),
  "a WeChat or QQ chat as text": "Ann 2026-06-01 10:00:00\nHi\n\n",
  "a Botpress conversation": {
    messages: [
      { id: "m", type: "text", payload: { type: "text", text: "Hi" }, direction: "incoming", conversationId: "c" },
    ],
  },
  "a Kiro session": { executionId: "e", chat: [{ role: "human", content: "Hi" }], metadata: { workflow: "act" } },
  "an Amazon Q session": {
    conversation_id: "c",
    history: [{ user: { content: { Prompt: { prompt: "Hi" } } }, assistant: { Response: { content: "Ho" } } }],
    transcript: ["> Hi", "Ho"],
  },
  "a Crush session": lines({ id: "m", session_id: "s", role: "user", parts: [{ type: "text", data: { text: "Hi" } }] }),
  "an Augment chat": { id: "c", chatHistory: [{ request_message: "Hi", response_text: "Ho" }] },
  "a Windsurf chat": "# Cascade Chat Conversation\n\n### User Input\n\nHi\n",
  "a Chatbox export": {
    "chat-sessions": [{ messages: [{ id: "1", role: "user", contentParts: [{ type: "text", text: "Hi" }] }] }],
  },
  "a LobeChat export": { exportType: "all", state: { messages: [{ role: "user", content: "Hi", sessionId: "s" }] } },
  "a Cherry Studio backup": { indexedDB: { topics: [{ messages: [{ role: "user", blocks: ["b"] }] }] } },
  "a GPT4All chat": { chatName: "t", items: [{ name: "Prompt: ", value: "Hi" }] },
  "a Character.AI chat": { turns: [{ turn_key: { turn_id: "t" }, candidates: [{ raw_content: "Hi" }] }] },
  "a shared ChatGPT conversation": { linear_conversation: [{ id: "1", message: { author: { role: "user" } } }] },
  "a Microsoft Copilot export": "Conversation,Time,Author,Message\nt,2026-01-01,Human,Hi\n",
  "a Signal export": [{ id: "m", conversationId: "c", body: "Hi", sent_at: 1, type: "incoming" }],
  "an iMessage export": "Jan 01, 2026 10:00:00 AM\nAnn\nHi\n",
  "a Messenger or Instagram export": {
    participants: ["Ann"],
    messages: [{ senderName: "Ann", text: "Hi", isUnsent: false }],
  },
  "a TypingMind chat": { chatID: "c", messages: "Hi" },
  "a Mistral Le Chat export": [{ chatId: "c", contentChunks: [{ type: "text", text: "Hi" }] }],
  "a Codex prompt history": lines({ session_id: "s", ts: 1, text: "Hi" }),
  "a Codex event stream": lines({ type: "thread.started", thread_id: "t" }),
  "a Gemini CLI prompt history": [{ sessionId: "s", messageId: 0, type: "user", message: "Hi" }],
  "a Claude Code prompt history": lines({ display: "Hi", project: "/w", timestamp: 1 }),
  "a thread of OpenAI's Assistants API": {
    data: [{ object: "thread.message", role: "user", content: [{ type: "text", text: { value: "Hi" } }] }],
  },
  "a SpecStory history": "<!-- Generated by SpecStory -->\n\n_**User**_\n\nHi\n",
  "a Google Chat export": { messages: [{ creator: { name: "Ann" }, text: "Hi", topic_id: "t" }] },
  "a Google Hangouts export": {
    conversations: [{ events: [{ chat_message: { message_content: {} }, event_type: "REGULAR_CHAT_MESSAGE" }] }],
  },
  "a Snapchat export": { ann: [{ From: "ann", "Media Type": "TEXT", Created: "2026-01-01", Content: "Hi" }] },
  "a LINE export": "[LINE] Chat history with Ann\nSaved on: 2026/01/01 10:00\n\n10:00\tAnn\tHi\n",
  "a KakaoTalk export": "Ann 님과 카카오톡 대화\n[Ann] [오전 10:00] Hi\n",
  "a Mattermost export": lines({ type: "version", version: 1 }, { type: "post", post: { user: "ann", message: "Hi" } }),
  "a Rocket.Chat export": [{ _id: "1", rid: "GENERAL", msg: "Hi", u: { username: "ann" } }],
  "an Intercom conversation": { type: "conversation", conversation_parts: { conversation_parts: [] } },
  "a Zendesk ticket": { comments: [{ author_id: 1, plain_body: "Hi", body: "Hi" }] },
  "a Dialogflow response": { responseId: "r", queryResult: { queryText: "Hi", fulfillmentText: "Ho" } },
  "a Voiceflow transcript": [{ type: "text", payload: { message: "Hi" }, turnID: "t" }],
  "a Bot Framework transcript": [
    { type: "message", from: { id: "u" }, conversation: { id: "c" }, recipient: { id: "b" }, text: "Hi" },
  ],
  "a Flowise conversation": [{ role: "userMessage", chatflowid: "f", content: "Hi" }],
  "a Langflow conversation": [{ flow_id: "f", sender: "User", sender_name: "User", text: "Hi" }],
  "a result of CrewAI": { raw: "Ho", tasks_output: [{ description: "Hi", raw: "Ho" }] },
  "a Braintrust trace": { span_id: "s", root_span_id: "s", input: [{ role: "user", content: "Hi" }] },
  "a Helicone log": { request_body: { messages: [] }, response_body: { choices: [] } },
  "a notebook": { nbformat: 4, cells: [{ cell_type: "markdown", source: ["Hi"] }] },
  "an IRC log": "--- Log opened Thu Jan 01 10:00:00 2026\n10:00 < ann> Hi\n",
  "a file of subtitles": "WEBVTT\n\n00:00:00.000 --> 00:00:04.000\n<v Ann>Hi</v>\n",
  "a mailbox": "From ann@example.org Thu Jan  1 10:00:00 2026\nSubject: Hi\n\nHi\n",
  "a LangGraph state": { values: { messages: [{ type: "human", content: "Hi" }] }, next: [], checkpoint_id: "x" },
};

describe("files recognized only by name", () => {
  for (const [name, file] of Object.entries(FILES)) {
    test(name, async () => {
      const text = typeof file === "string" ? file : JSON.stringify(file);
      const message = new RegExp(
        `^This looks like ${name.replace(/[()]/g, "\\$&")}; windrow doesn't read these yet\\. Map its rows to \\{ role, name, content, createdAt \\}\\.$`,
      );
      checkContextError(await errorOf(() => parseTranscript(text)), {
        kind: "transcript_error",
        code: "INVALID_TRANSCRIPT",
        message,
      });
      if (typeof file !== "string") {
        const session = await openSession("s", { store: memoryStore() });
        await assert.rejects(session.import(text), { message });
      }
    });
  }
});

describe("files next to the one with the messages", () => {
  for (const [name, next, file] of /** @type {const} */ ([
    [
      "a list of a Slack workspace's members or channels",
      "Pass a file of one of its channels, which has the messages.",
      [{ id: "U1", team_id: "T1", name: "ann", profile: { real_name: "Ann" } }],
    ],
    [
      "a list of a Claude account's facts or projects",
      "Pass `conversations.json` of the same export.",
      [{ uuid: "u", full_name: "Ann", email_address: "ann@example.org" }],
    ],
    [
      "a list of a ChatGPT account's facts",
      "Pass `conversations.json` of the same export.",
      [{ id: "m", conversation_id: "c", rating: "thumbs_up", content: "{}" }],
    ],
    ["a Discord export as text or CSV", "Export the channel as JSON.", "AuthorID,Author,Date,Content\n1,ann,x,Hi\n"],
    ["a Discord export as text or CSV", "Export the channel as JSON.", `${"=".repeat(62)}\nGuild: G\nChannel: c\n`],
    [
      "a list of smolagents' steps",
      "Pass the messages of `agent.write_memory_to_messages()`.",
      [
        { task: "Hi", task_images: null },
        { step_number: 1, tool_calls: [], observations: "Ho", model_output: "Ho" },
      ],
    ],
    [
      "a recording of a build by windrow",
      "Pass the messages that the context was built from.",
      { formatVersion: 1, engineVersion: "0.2.0", config: {}, now: 0, hooks: [] },
    ],
    [
      "a list of Rasa's replies",
      'Map each to { role: "assistant", content: text }, between the messages that you sent.',
      [{ recipient_id: "u", text: "Hi" }],
    ],
    [
      "a saved DSPy program",
      "Pass the messages of `lm.history`.",
      { predict: { demos: [{ question: "Hi", answer: "Ho" }], signature: { instructions: "Answer." } } },
    ],
    [
      "a list of questions and answers",
      'Map each to two messages, { role: "user", content } and { role: "assistant", content }.',
      { messages: [{ question: "Hi", answer: "Ho" }] },
    ],
    [
      "a Qwen Code session",
      "Pass the objects in `message` of its rows.",
      { uuid: "1", parentUuid: null, type: "user", message: { role: "user", parts: [{ text: "Hi" }] } },
    ],
    [
      "a transcript of Cursor's agent",
      "Map each row to { role, content: message.content }.",
      { role: "user", message: { content: [{ type: "text", text: "Hi" }] } },
    ],
    [
      "a file of OpenAI's Batch API",
      "Pass `body` of a request, or the message of a response.",
      { custom_id: "1", method: "POST", body: { model: "m", messages: [{ role: "user", content: "Hi" }] } },
    ],
    [
      "a recording of a browser's requests (HAR)",
      "Pass the body of a request to a model.",
      { log: { version: "1.2", entries: [{ request: {} }] } },
    ],
    [
      "a Msty export",
      "Pass the messages of one of its chats.",
      { app: "Msty Studio", version: "2", chats: [{ id: "1", turns: [{ by: "user", words: "Hi" }] }] },
    ],
    [
      "a Gemini CLI event stream",
      "Pass the session's file of `~/.gemini/tmp`, which has the tools' results too.",
      lines(
        { type: "init", session_id: "s", model: "m" },
        { type: "tool_use", tool_id: "t", tool_name: "ls", parameters: {} },
      ),
    ],
    [
      "a Discord export as a web page",
      "Export the channel as JSON.",
      "<!DOCTYPE html>\n<html>\n<head><title>Harbor</title><style>@font-face { src: url(x/DiscordFonts@1/a.woff2); }",
    ],
    [
      "a Telegram export as a web page",
      "Export it again, as machine-readable JSON.",
      "<!DOCTYPE html>\n<html>\n<head><title>Exported Data</title>",
    ],
    [
      "a ChatGPT export as a web page",
      "Pass `conversations.json` of the same export.",
      "<html>\n<head>\n<title>ChatGPT Data Export</title>",
    ],
    [
      "a list of Cline's or Roo Code's tasks",
      "Pass `api_conversation_history.json` of one of them.",
      [{ id: "1780300000000", ts: 1780300000000, task: "Count the seats", tokensIn: 1, tokensOut: 1, totalCost: 0 }],
    ],
    [
      "a message of opencode without its parts",
      "Pass what `opencode export` writes.",
      { id: "msg_1", sessionID: "ses_1", role: "user", time: { created: 1780300000000 } },
    ],
    [
      "an event stream of Codex's first versions",
      "Pass the session's file of `~/.codex/sessions`.",
      lines({ id: "0", msg: { type: "task_started" } }, { id: "0", msg: { type: "agent_message", message: "Hi" } }),
    ],
    ...[
      { id: "c", object: "chat.completion", choices: [{ index: 0, message: { role: "assistant", content: "Hi" } }] },
      { candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] } }] },
      { output: { message: { role: "assistant", content: [{ text: "Hi" }] } }, stopReason: "end_turn" },
      { model: "m", message: { role: "assistant", content: "Hi" }, done: true },
    ].map(
      (file) =>
        /** @type {const} */ ([
          "a response of a provider",
          "Pass its message, after those that were sent.",
          JSON.stringify(file),
        ]),
    ),
    ...['data: {"choices":[]}\n\ndata: [DONE]\n', 'event: message_start\ndata: {"type":"message_start"}\n'].map(
      (file) =>
        /** @type {const} */ ([
          "a stream of a provider's response",
          "Pass the message that it adds up to, after those that were sent.",
          file,
        ]),
    ),
    ["a web page", "Export it as JSON.", "<!DOCTYPE html><html><body>Hi</body></html>"],
    ["a ZIP archive", "Unpack it, and pass one of its files.", "PK\x03\x04\x14"],
    ["a gzip archive", "Unpack it, and pass its file.", "\x1f\ufffd\x08\x00"],
    ["a SQLite database", "Export its messages as JSON.", "SQLite format 3\x00"],
    ["a PDF", "Pass the conversation as JSON.", "%PDF-1.7\n"],
    ["a YAML file", "Convert it to JSON.", "messages:\n  - role: user\n    content: Hi\n"],
    [
      "a chat in Markdown",
      "Pass the chat as JSON, which says who speaks.",
      "# t\n\n## User\n\nHi\n\n## Assistant\n\nHo\n",
    ],
    [
      "a table (CSV)",
      "Convert its rows to JSON: { role, name, content, createdAt }.",
      "time,sender,message\n2026-01-01,Ann,Hi\n",
    ],
    [
      "a Haystack conversation",
      "Pass the results of `ChatMessage.to_openai_dict_format()`.",
      [
        {
          role: "assistant",
          meta: {},
          name: null,
          content: [{ tool_call: { tool_name: "f", arguments: {}, id: "c" } }],
        },
      ],
    ],
    [
      "a Strands session",
      "Pass the fields `message` of its files, in their order.",
      { message: { role: "user", content: [{ text: "Hi" }] }, message_id: 0, created_at: "2026-01-01" },
    ],
    [
      "a prompt in a model's template",
      "Pass the messages that it was made from.",
      "<|im_start|>user\nHow many seats?<|im_end|>\n",
    ],
    [
      "an Aider prompt history",
      "Pass `.aider.chat.history.md`, which has the answers too.",
      "\n# 2026-06-01 10:00:00.123456\n+How many seats?\n",
    ],
    [
      "a log of Aider's model",
      "Pass `.aider.chat.history.md`, which has the same conversation.",
      "TO LLM 2026-06-01T10:00:00\n-------\nUSER How many seats?\n",
    ],
  ])) {
    test(name, async () => {
      const text = typeof file === "string" ? file : JSON.stringify(file);
      const error = await errorOf(() => parseTranscript(text));
      assert.equal(error.message, `This looks like ${name}; windrow doesn't read these yet. ${next}`);
      assert.equal(error.nextAction, next);
    });
  }
});

test("every kind that is only named is among them", () => {
  const tested = readFileSync(new URL(import.meta.url), "utf8");
  for (const { name, isRead } of fileKinds) {
    assert.ok(isRead || tested.includes(`a ${name}"`) || tested.includes(`an ${name}"`), name);
  }
});

describe("a file of no known kind", () => {
  const map = "Map its rows to { role, name, content, createdAt }.";
  for (const [looks, next, file] of /** @type {const} */ ([
    ['a list of objects with "who" and "said"', map, [{ who: "Ann", said: "Hi" }]],
    ['a list of objects with "who" and "said"', map, '{ "who": "Ann", "said": "Hi" }\n{ "who": "Jo", "said": "Ho" }'],
    [
      'a list of objects with "sender" and "text"',
      `${map} Take the role from "sender": user for "human", assistant for "AI".`,
      [
        { sender: "human", text: "Hi" },
        { sender: "AI", text: "Ho" },
      ],
    ],
    ['a list of objects of the type "brand_new" with "type" and "x"', map, [{ type: "brand_new", x: 1 }]],
    [
      'an object with "a", "b", "c", "d", "e", "f" and 2 more, and objects with "q" in "g"',
      map,
      { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: [{ q: 1 }], h: 1 },
    ],
    ['an object with "a"', "Map its messages to { role, name, content, createdAt }.", { a: { b: 1 } }],
    ["an object with nothing", "Map its messages to { role, name, content, createdAt }.", {}],
    ["a list of 2 values, none an object", "Map its messages to { role, name, content, createdAt }.", [1, "a"]],
    ["a single string", "Map its messages to { role, name, content, createdAt }.", '"Hi"'],
    ["a single number", "Map its messages to { role, name, content, createdAt }.", "5"],
  ])) {
    test(looks, async () => {
      const text = typeof file === "string" ? file : JSON.stringify(file);
      const message = `This looks like ${looks}; windrow doesn't read these yet. ${next}`;
      checkContextError(await errorOf(() => parseTranscript(text)), {
        kind: "transcript_error",
        code: "INVALID_TRANSCRIPT",
        message: new RegExp(`^${message.replace(/[{}().]/g, "\\$&")}$`),
      });
      const session = await openSession("s", { store: memoryStore() });
      const failure = await errorOf(() => session.import(text));
      assert.equal(failure.message, message);
    });
  }

  test("its rows among others say which fields they have", () => {
    const { skipped } = parseTranscript(
      JSON.stringify([
        { role: "user", content: "Hi" },
        { who: "Ann", said: "Ho" },
      ]),
    );
    assert.deepEqual(skipped, [{ row: 2, reason: "role: the message has no role, but the fields who, said" }]);
  });
});

describe("values that aren't one per line", () => {
  const messages = Array.from({ length: 5 }, (_, at) => ({
    role: at % 2 ? "assistant" : "user",
    content: `{"${at}]\n`,
  }));
  const spread = (value) => JSON.stringify(value, null, 2);

  test("are read like those that are", async () => {
    for (const text of [
      messages.map(spread).join("\n"),
      messages.map(spread).join(",\r\n"),
      messages.map((message) => JSON.stringify(message)).join(""),
      messages.map((message) => JSON.stringify(message)).join(",\n"),
      [messages.slice(0, 2), messages.slice(2)].map(spread).join("\n"),
    ]) {
      const read = parseTranscript(text);
      assert.deepEqual([read.messages, read.skipped], [messages, []]);
      const session = await openSession("s", { store: memoryStore() });
      await session.import(text);
      assert.deepEqual(
        (await session.messages()).map(({ role, content }) => ({ role, content })),
        messages,
      );
    }
  });

  test("are named by the line at which they begin, and a cut one is reported", () => {
    const text = `${messages.map(spread).join("\n")}\n{ "role": "user", "content": `;
    const read = parseTranscript(text);
    assert.deepEqual(read.messages, messages);
    assert.deepEqual(
      [read.skipped.map(({ row }) => row), read.unread?.count],
      [[messages.map(spread).join("\n").split("\n").length + 1], 1],
    );
  });

  test("a log with a damaged line stays a log", () => {
    const rows = messages.map((message) => JSON.stringify(message));
    for (const damaged of ['{"role":"user","content":"Hi', "{]", "}"]) {
      const read = parseTranscript([damaged, ...rows].join("\n"));
      assert.deepEqual([read.messages, read.skipped.map(({ row }) => row)], [messages, [1]], damaged);
    }
  });
});

describe("conversations within an export of no known kind", () => {
  const said = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Ho" },
  ];

  test("are read, down to a depth", () => {
    for (const [file, titles] of /** @type {const} */ ([
      [{ chats: [{ title: "t", messages: said }], folders: {}, version: 1 }, ["t"]],
      [
        {
          "some-store": {
            sessions: [
              { topic: "t", messages: said },
              { topic: "u", messages: said },
            ],
          },
        },
        ["t", "u"],
      ],
      [{ code: 0, data: said }, [undefined]],
    ])) {
      const { conversations } = parseTranscript(JSON.stringify(file));
      assert.deepEqual(
        conversations.map(({ title }) => title),
        titles,
      );
      for (const { messages } of conversations) {
        assert.deepEqual(
          messages.map(({ role, content }) => ({ role, content })),
          said,
        );
      }
    }
  });
});

describe("files that are no conversation", () => {
  test("are refused with the reason", async () => {
    for (const [text, reason] of /** @type {const} */ ([
      ["", "the file is empty"],
      [" \n", "the file is empty"],
      [JSON.stringify(Array(3).fill({ role: "user", content: "Hi" })).slice(0, -9), "the end of the file is missing"],
      ["We met at the boat.\n", "its text is neither JSON nor an export that windrow knows"],
    ])) {
      const error = await errorOf(() => parseTranscript(text));
      assert.equal(error.message, `not a conversation: ${reason}`);
    }
  });
});

describe("words in a field that no reader knows", () => {
  test("count as unread, once for each row", () => {
    const { messages, unread, skipped } = parseTranscript(
      lines(
        { uuid: "1", parentUuid: null, type: "user", message: { role: "user", content: "Hi" } },
        { uuid: "2", parentUuid: "1", type: "assistant", words: "I have seen the boat, and it is large." },
      ),
    );
    assert.equal(messages.length, 1);
    assert.match(skipped[0]?.reason ?? "", /^words: its words are not read$/);
    assert.deepEqual([unread?.count, unread?.first.row], [1, 2]);
  });
});

describe("data next to the messages", () => {
  const messages = [{ role: "user", content: "Hi" }];

  test("is read if it is an instruction, in each form of a request", () => {
    for (const [file, content] of [
      [{ system: "Be brief.", messages }, "Be brief."],
      [{ system: [{ type: "text", text: "Be brief." }], messages }, "Be brief."],
      [{ instructions: "Be brief.", input: "Hi" }, "Be brief."],
      [{ instructions: "Be brief.", input: messages }, "Be brief."],
      [{ model: "m", instructions: "Be brief.", input: [{ type: "message", ...messages[0] }] }, "Be brief."],
    ]) {
      const read = parseTranscript(JSON.stringify(file));
      assert.deepEqual(read.messages[0], { role: "system", content });
      assert.equal(read.messages.at(-1)?.content, "Hi");
      assert.deepEqual(read.skipped, []);
    }
  });

  test("is reported otherwise, if it might matter", () => {
    forEachSeed((random) => {
      const word = `w${random.integer(0, 9)}`;
      const values = [word, [word], { a: word }, [{ type: "function", name: word }]];
      const field = random.pick(["tools", "images", "functions", "documents", "context", "preamble", "knowledge"]);
      const { messages: read, skipped } = parseTranscript(JSON.stringify({ messages, [field]: random.pick(values) }));
      assert.deepEqual(read, messages);
      assert.deepEqual([skipped.length, skipped[0].reason.startsWith(`${field}: `)], [1, true]);
    });
  });
});

describe("unreadable messages", () => {
  test("are counted and named, and values that aren't messages aren't", () => {
    forEachSeed((random) => {
      const rows = Array.from({ length: random.integer(1, 8) }, (_, at) => {
        const isRead = at === 0 || random.chance(0.5);
        const other = random.pick([
          { isLost: true, row: { role: "narrator", content: "Meanwhile." } },
          { isLost: true, row: { role: "user", content: [{ type: "hologram", text: "Hi" }] } },
          { isLost: true, row: { from: "Ann", message: "Hi" } },
          { isLost: false, row: { type: "snapshot", id: 5 } },
          { isLost: false, row: { role: "bot", content: "" } },
        ]);
        return isRead ? { isLost: false, row: { role: "user", content: "Hi" } } : other;
      });
      const { unread } = parseTranscript(lines(...rows.map(({ row }) => row)));
      const lost = rows.flatMap(({ isLost }, at) => (isLost ? [at + 1] : []));
      assert.deepEqual([unread?.count ?? 0, unread?.first.row], [lost.length, lost[0]]);
    });
  });

  test("are reported by an import, too, with the name of the file if it is known", async () => {
    const text = lines(
      { role: "user", content: "Hi" },
      { role: "assistant", content: [{ toolRequest: { name: "f", input: {} } }] },
    );
    const session = await openSession("s", { store: memoryStore() });
    const { unread } = await session.import(text);
    assert.match(unread?.words ?? "", /^1 row that looks like a message could not be read; the first is row 2: /);
    assert.match(
      parseTranscript(text).unread?.words ?? "",
      /looks like a Genkit conversation; windrow doesn't read these yet\.$/,
    );
  });
});
