// Files of messages and exports of chats, next to those of agents and apps: a writer for each kind. `names` are those of
// its readers, if they differ from the kind.

import { escaped, iso, json, lines, noticeCount, secondsOf } from "./turns.mjs";

const resultText = (text) => [{ type: "text", text }];

// ---- Messages ----

/** A turn in windrow's own form: the message, and those of its tools. */
function ownMessages(turn) {
  const { id, role, name, text, replyTo, reasoning, calls } = turn;
  const createdAt = iso(turn);
  const content =
    reasoning === undefined
      ? text
      : [
          { type: "reasoning", text: reasoning },
          { type: "text", text },
        ];
  const toolCalls = calls.map((call) => ({ id: call.id, name: call.name, arguments: call.input }));
  return [
    {
      ...{ id, role, name, createdAt, content },
      ...(replyTo === undefined ? {} : { replyTo }),
      ...(calls.length === 0 ? {} : { toolCalls }),
    },
    ...calls.map((call) => ({ id: `r${call.id}`, role: "tool", createdAt, toolCallId: call.id, content: call.output })),
  ];
}

const messages = {
  kind: "messages",
  file: "a JSON list, one message per line (JSONL) or after another, or an object with `messages`",
  recognised: "roles and contents in [any form that is read](guide.md#messages-of-other-packages)",
  has: { names: true, times: true, replies: true, reasoning: true, calls: true },
  notRead: "tools, images and other things next to the messages (reported)",
  write: (turns, random) => {
    const rows = turns.flatMap(ownMessages);
    switch (random.integer(0, 2)) {
      case 0:
        return { text: json(rows), skipped: 0 };
      case 1:
        return { text: lines(rows), skipped: 0 };
      default:
        return { text: json({ messages: rows, tools: [{ type: "function", function: { name: "f" } }] }), skipped: 1 };
    }
  },
};

/** A turn as speakers and values: a call, and then its result. */
const sharedTurns = ({ role, text, calls }) => [
  { from: role === "user" ? "human" : "gpt", value: text },
  ...calls.flatMap(({ name, input, output }) => [
    { from: "function_call", value: json({ name, arguments: input }) },
    { from: "observation", value: output },
  ]),
];

const dialogues = {
  kind: "dialogues",
  names: ["ShareGPT data set"],
  file: "objects with `messages` or in ShareGPT's form, in a list or one per line; lists of them within an object of no known kind",
  recognised: "`conversations: [{ from, value }]`",
  has: { calls: true },
  notRead: "fields next to the messages (reported)",
  write: (turns, random) => {
    const conversations = turns.flatMap(sharedTurns);
    const system = "w0";
    const one = { conversations, system, tools: json([{ name: "f" }]) };
    return { text: random.chance(0.5) ? json(one) : json([one]), skipped: 1, before: [system] };
  },
};

/** A turn in Anthropic's form: its content, and the results of its calls. */
const anthropicTurns = ({ role, text, reasoning, calls }) => [
  {
    role,
    content: [
      ...(reasoning === undefined ? [] : [{ type: "thinking", thinking: reasoning, signature: "s" }]),
      { type: "text", text },
      ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
    ],
  },
  ...(calls.length === 0
    ? []
    : [
        {
          role: "user",
          content: calls.map(({ id, output }) => ({ type: "tool_result", tool_use_id: id, content: output })),
        },
      ]),
];

/** A turn as items of the Responses API. */
const responsesItems = ({ role, text, reasoning, calls }) => [
  ...(reasoning === undefined ? [] : [{ type: "reasoning", summary: [{ type: "summary_text", text: reasoning }] }]),
  { type: "message", role, content: [{ type: role === "user" ? "input_text" : "output_text", text }] },
  ...calls.map(({ id, name, input }) => ({ type: "function_call", call_id: id, name, arguments: json(input) })),
  ...calls.map(({ id, output }) => ({ type: "function_call_output", call_id: id, output })),
];

/** A turn as contents of Gemini's API. */
const geminiContents = ({ role, text, reasoning, calls }) => [
  {
    role: role === "user" ? "user" : "model",
    parts: [
      ...(reasoning === undefined ? [] : [{ text: reasoning, thought: true }]),
      { text },
      ...calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } })),
    ],
  },
  ...(calls.length === 0
    ? []
    : [
        {
          role: "user",
          parts: calls.map(({ id, name, output }) => ({ functionResponse: { id, name, response: { output } } })),
        },
      ]),
];

const system = "w0";
const tools = [{ name: "search" }];
/** The bodies of providers' requests. */
const REQUESTS = [
  (turns) => ({ model: "m", max_tokens: 9, system, tools, messages: turns.flatMap(anthropicTurns) }),
  (turns) => ({ model: "m", instructions: system, tools, input: turns.flatMap(responsesItems) }),
  (turns) => ({
    systemInstruction: { parts: [{ text: system }] },
    tools: [{ functionDeclarations: tools }],
    contents: turns.flatMap(geminiContents),
  }),
];

const request = {
  kind: "request",
  names: ["conversation", "request to Gemini's API"],
  file: "a request to a provider's API",
  recognised: "`system` or `instructions` with `messages`, `input` or `contents`",
  has: { reasoning: true, calls: true },
  notRead: "tool definitions (reported)",
  write: (turns, random) => ({ text: json(random.pick(REQUESTS)(turns)), skipped: 1, before: [system] }),
};

// ---- Exports ----

const chatGpt = {
  kind: "ChatGPT export",
  file: "`conversations.json`",
  recognised: "`mapping`",
  has: { times: true, reasoning: true, calls: true, branches: true },
  notRead: "the files. What is hidden on the page has the tag `hidden`",
  write: (turns, random) => {
    const root = { id: "root", message: null, parent: null, children: [] };
    const mapping = { root };
    let [parent, count] = ["root", 0];
    const node = (turn, author, content, more = {}) => {
      count += 1;
      const id = `n${count}`;
      const own = { id, author, create_time: secondsOf(turn), content, recipient: "all", metadata: {}, ...more };
      mapping[id] = { id, parent, children: [], message: own };
      return id;
    };
    const said = (text) => ({ content_type: "text", parts: [text] });
    for (const turn of turns) {
      const author = { role: turn.role, name: null, metadata: {} };
      if (turn.abandoned !== undefined) {
        node(turn, author, said(turn.abandoned));
      }
      if (turn.reasoning !== undefined) {
        parent = node(turn, author, { content_type: "thoughts", thoughts: [{ summary: "", content: turn.reasoning }] });
      }
      parent = node(turn, author, said(turn.text));
      for (const { name, input, output } of turn.calls) {
        parent = node(turn, author, { content_type: "code", language: "json", text: json(input) }, { recipient: name });
        const result = random.pick([{ content_type: "execution_output", text: output }, said(output)]);
        parent = node(turn, { role: "tool", name }, result);
      }
    }
    const one = { id: "c", conversation_id: "c", title: "Seats", create_time: secondsOf(turns[0]), mapping };
    const chat = { ...one, current_node: parent };
    return { text: json(random.chance(0.5) ? [chat] : chat), skipped: 0 };
  },
};

const claude = {
  kind: "Claude export",
  file: "`conversations.json`",
  recognised: "`chat_messages`",
  has: { times: true, reasoning: true, calls: true, branches: true },
  notRead: "the files, except the text that Claude read from them",
  write: (turns, random) => {
    const isOld = turns.every(({ reasoning, calls }) => reasoning === undefined && calls.length === 0);
    const rowOf = (turn, id, parent, text) => {
      const head = { uuid: id, sender: turn.role === "user" ? "human" : "assistant", created_at: iso(turn), text };
      const blocks = [
        ...(turn.reasoning === undefined ? [] : [{ type: "thinking", thinking: turn.reasoning }]),
        { type: "text", text },
        ...turn.calls.flatMap(({ id: call, name, input, output }) => [
          { type: "tool_use", id: call, name, input },
          { type: "tool_result", tool_use_id: call, name, content: resultText(output), is_error: false },
        ]),
      ];
      const parents = { parent_message_uuid: parent };
      return { ...head, ...(isOld ? {} : { content: blocks }), attachments: [], files: [], ...parents };
    };
    const chat_messages = turns.flatMap((turn, at) => {
      const parent = turns[at - 1]?.id ?? "00000000-0000-4000-8000-000000000000";
      const other = { ...turn, reasoning: undefined, calls: [], minute: turn.minute - 1000 };
      return [
        ...(turn.abandoned === undefined ? [] : [rowOf(other, `x${at}`, parent, turn.abandoned)]),
        rowOf(turn, turn.id, parent, turn.text),
      ];
    });
    const leaf = random.chance(0.5) ? {} : { current_leaf_message_uuid: turns.at(-1)?.id };
    return {
      text: json([{ uuid: "c", name: "Seats", created_at: iso(turns[0]), chat_messages, ...leaf }]),
      skipped: 0,
    };
  },
};

const geminiActivity = {
  kind: "Gemini activity",
  names: ["Gemini activity of Google Takeout"],
  file: "`MyActivity.json` of Google Takeout",
  recognised: "`header` and `titleUrl` of Gemini",
  has: { times: true, notices: true },
  notRead: "conversations: the file doesn't say which prompts belong together",
  write: (turns) => {
    const head = { header: "Gemini Apps", titleUrl: "https://gemini.google.com/app", products: ["Gemini Apps"] };
    const activities = turns.flatMap((turn, at) => {
      const notice = turn.notice === undefined ? [] : [{ ...head, time: iso(turn), title: `Used ${turn.notice}` }];
      const answer = turns[at + 1];
      const html = answer && `<p>${escaped(answer.text).replaceAll("\n", "<br>")}</p>`;
      const safeHtmlItem = html === undefined ? {} : { safeHtmlItem: [{ html }] };
      const asked = { ...head, title: `Prompted ${turn.text}`, time: iso(turn), ...safeHtmlItem };
      return [...notice, ...(turn.role === "user" ? [asked] : [])];
    });
    return {
      text: json(activities.reverse()),
      skipped: noticeCount(turns),
      timeOf: (turn) => (turn.role === "user" ? turn : turns[turns.indexOf(turn) - 1]),
    };
  },
};

const aiStudio = {
  kind: "AI Studio prompt",
  file: "a saved prompt",
  recognised: "`chunkedPrompt`",
  has: { times: true, reasoning: true, calls: true },
  notRead: "inputs that were never sent",
  write: (turns, random) => {
    const chunks = turns.flatMap((turn) => {
      const head = { role: turn.role === "user" ? "user" : "model", createTime: iso(turn) };
      const chunk = (fields) => ({ ...fields, ...head, tokenCount: 9 });
      return [
        ...(turn.reasoning === undefined ? [] : [chunk({ text: turn.reasoning, isThought: true })]),
        chunk(random.chance(0.5) ? { text: turn.text } : { text: turn.text, parts: [{ text: turn.text }] }),
        ...turn.calls.flatMap(({ id, name, input, output }) => [
          chunk({ functionCall: { id, name, args: input } }),
          chunk({ functionResponse: { id, name, response: { output } } }),
        ]),
      ];
    });
    return {
      text: json({
        runSettings: { model: "models/gemini-2.5-pro" },
        systemInstruction: { text: system },
        chunkedPrompt: { chunks, pendingInputs: [{ text: "abandoned", role: "user" }] },
      }),
      skipped: 0,
      before: [system],
    };
  },
};

const sessionLog = {
  kind: "session log",
  file: 'the log of a [session](sessions.md#the-format-of-a-log), or turns `{ type: "user", message }`',
  recognised: "a header `session` with `session_key`",
  has: { names: true, times: true, replies: true, reasoning: true, calls: true },
  notRead: "rows of other types",
  write: (turns) => {
    const rows = turns.flatMap(ownMessages).map(({ content, createdAt, ...rest }) => ({
      ...{ type: "message", created_at: createdAt, ...rest },
      ...(typeof content === "string" ? { text: content } : { content }),
    }));
    return {
      text: lines([{ type: "session", session_key: "web:main", created_at: rows[0].created_at }, ...rows]),
      skipped: 0,
    };
  },
};

/** @type {any[]} */
export const EXPORTS = [messages, dialogues, request, chatGpt, claude, geminiActivity, aiStudio, sessionLog];
