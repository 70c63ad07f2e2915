// Unsupported files are named, and unreadable parts are reported prominently.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryStore, openSession, parseTranscript } from "windrow";
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
  "a Goose session": lines(
    { working_dir: "/w", description: "x" },
    { role: "user", created: 1, content: [{ type: "toolRequest", id: "1" }] },
  ),
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
      { role: "assistant", content: [{ type: "toolRequest", id: "1" }] },
    );
    const session = await openSession("s", { store: memoryStore() });
    const { unread } = await session.import(text);
    assert.match(unread?.words ?? "", /^1 row that looks like a message could not be read; the first is row 2: /);
    assert.match(
      parseTranscript(text).unread?.words ?? "",
      /looks like a Goose session; windrow doesn't read these yet\.$/,
    );
  });
});
