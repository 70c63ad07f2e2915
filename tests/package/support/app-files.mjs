// Files of conversations: a writer for each kind, and the features that the kind has. Tests read the written files
// back, and the table in docs/files.md is generated from here.

import { EXPORTS } from "./export-files.mjs";
import { escaped, iso, json, lines, msOf, noticeCount, START_MS, secondsOf, timeOf, two } from "./turns.mjs";

// ---- Messengers ----

const discord = {
  kind: "Discord export (DiscordChatExporter)",
  file: "JSON of DiscordChatExporter",
  recognised: "`guild` and `channel`, or `author.isBot`",
  has: { names: true, times: true, replies: true, notices: true },
  notRead: "joins, calls and pins (counted); reactions; link previews; the attached files, which are named in words",
  write: (turns) => ({
    text: json({
      guild: { id: "1", name: "Club" },
      channel: { id: "2", type: "GuildTextChat", name: "general" },
      messages: turns.flatMap((turn) => [
        ...(turn.notice === undefined
          ? []
          : [
              {
                id: `n${turn.id}`,
                type: "GuildMemberJoin",
                timestamp: iso(turn),
                content: turn.notice,
                author: { id: "9", name: "jo", isBot: false },
              },
            ]),
        {
          ...{
            id: turn.id,
            type: turn.replyTo === undefined ? "Default" : "Reply",
            timestamp: iso(turn),
            isPinned: false,
          },
          ...{ content: turn.text, attachments: [], embeds: [], stickers: [], reactions: [], mentions: [] },
          author: { id: "7", name: "account", nickname: turn.name, isBot: turn.role === "assistant" },
          ...(turn.replyTo === undefined
            ? {}
            : { reference: { messageId: turn.replyTo, channelId: "2", guildId: "1" } }),
        },
      ]),
    }),
    skipped: noticeCount(turns),
  }),
};

const slackTs = (turn) => `${secondsOf(turn)}.0000${two(Number(turn.id.slice(1)))}`;
const slack = {
  kind: "Slack export",
  file: "a day of a channel, or a response of `conversations.history`",
  recognised: "`ts` next to `user` or `bot_id`",
  has: { names: true, times: true, replies: true, notices: true },
  notRead:
    "joins, topics and pins (counted); reactions; blocks next to a text; the attached files, which are named in words",
  write: (turns, random) => {
    const ids = new Map(turns.map((turn) => [turn.id, slackTs(turn)]));
    const rows = turns.flatMap((turn) => [
      ...(turn.notice === undefined
        ? []
        : [{ type: "message", subtype: "channel_join", user: "U9", ts: slackTs(turn), text: turn.notice }]),
      {
        ...{
          type: "message",
          ts: slackTs(turn),
          text: turn.text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;"),
        },
        ...(turn.role === "assistant"
          ? { subtype: "bot_message", bot_id: "B1", username: turn.name }
          : { user: `U${turn.name}`, user_profile: { display_name: turn.name, real_name: "other" } }),
        ...(turn.replyTo === undefined ? {} : { thread_ts: ids.get(turn.replyTo) }),
      },
    ]);
    const text = random.chance(0.5) ? json(rows) : json({ ok: true, messages: rows.reverse() });
    return { text, skipped: noticeCount(turns), idOf: (id) => ids.get(id) };
  },
};

const telegramNumber = (id) => Number(id.slice(1));
const telegramChat = (turns) => ({
  ...{ name: "Ann", type: "bot_chat", id: 55 },
  messages: turns.flatMap((turn) => [
    ...(turn.notice === undefined
      ? []
      : [
          {
            id: 900,
            type: "service",
            date: iso(turn).slice(0, 19),
            actor: "Ann",
            actor_id: "user7",
            action: "pin_message",
            text: "",
          },
        ]),
    {
      ...{
        id: telegramNumber(turn.id),
        type: "message",
        date: "2001-01-01T00:00:00",
        date_unixtime: String(secondsOf(turn)),
      },
      ...{ from: turn.name, from_id: turn.role === "assistant" ? "user55" : "user7" },
      ...(turn.replyTo === undefined ? {} : { reply_to_message_id: telegramNumber(turn.replyTo) }),
      text: turn.text.length > 5 ? [turn.text.slice(0, 2), { type: "bold", text: turn.text.slice(2) }] : turn.text,
      text_entities: [],
    },
  ]),
});
const telegram = {
  kind: "Telegram export",
  file: "`result.json` of a chat, or of an account",
  recognised: "`from_id`, `actor_id` or `text_entities`",
  has: { names: true, times: true, replies: true, notices: true },
  notRead: "calls, pins and membership notices (counted); reactions; the attached files, which are named in words",
  write: (turns, random) => ({
    text: json(
      random.chance(0.5) ? telegramChat(turns) : { about: "x", chats: { about: "y", list: [telegramChat(turns)] } },
    ),
    skipped: noticeCount(turns),
    idOf: (id) => String(telegramNumber(id)),
  }),
};

/** A time as phones in several languages write it. */
const CLOCKS = [
  ({ d, m, y, H, M }) => [`[${two(d)}.${two(m)}.${y % 100}, ${two(H)}:${two(M)}:00] `, "‎"],
  ({ d, m, y, H, M }) => [`${two(d)}/${two(m)}/${y}, ${two(H)}:${two(M)} - `, ""],
  ({ d, m, y, H, M }) => [`${m}/${d}/${y % 100}, ${H % 12 || 12}:${two(M)}\u202f${H < 12 ? "AM" : "PM"} - `, ""],
  ({ d, m, y, H, M }) => [`[${m}/${d}/${y % 100}, ${H % 12 || 12}:${two(M)}:00 ${H < 12 ? "AM" : "PM"}] `, "‎"],
  ({ d, m, y, H, M }) => [`${d}.${m}.${y} klo ${H}.${two(M)} - `, ""],
  ({ d, m, y, H, M }) => [`${d}/${m}/${y % 100} ${H % 12 || 12}:${two(M)} ${H < 12 ? "a." : "p."}\u00a0m. - `, ""],
  ({ d, m, y, H, M }) => [`${y}-${two(m)}-${two(d)} ${two(H)}:${two(M)} - `, ""],
  ({ d, m, y, H, M }) => [`${y}. ${m}. ${d}. ${H < 12 ? "오전" : "오후"} ${H % 12 || 12}:${two(M)}, `, ""],
  ({ d, m, y, H, M }) => [`[${y}/${m}/${d} ${two(H)}:${two(M)}:00] `, "‎"],
  ({ d, m, y, H, M }) => [`[${y % 100}. ${m}. ${d}. ${H < 12 ? "오전" : "오후"} ${H % 12 || 12}:${two(M)}:00] `, "‎"],
];
const whatsApp = {
  kind: "WhatsApp export",
  file: "`_chat.txt`",
  recognised: "lines that begin with a time, a name and a colon",
  has: { names: true, times: true, notices: true },
  onlyUsers: true,
  notRead:
    "notices (counted); replies, which the file doesn't have; the attached files, which are named in words. Times have no zone, and day and month are read in the order in which the dates ascend",
  write: (turns, random) => {
    const clock = random.pick(CLOCKS);
    const startOf = (turn) => {
      const time = timeOf(turn);
      const [d, m, y] = [time.getUTCDate(), time.getUTCMonth() + 1, time.getUTCFullYear()];
      return clock({ d, m, y, H: time.getUTCHours(), M: time.getUTCMinutes() });
    };
    const rows = turns.flatMap((turn) => {
      const [start, mark] = startOf(turn);
      return [
        ...(turn.notice === undefined ? [] : [`${start}${mark}Ann changed the subject to “${turn.notice}: x`]),
        `${start}${turn.name}: ${turn.text}`,
      ];
    });
    return { text: rows.join(random.pick(["\n", "\r\n"])), skipped: noticeCount(turns) };
  },
};

// ---- Chat apps ----

/** The items of an answer, as newer versions of Open WebUI store them. */
const webUiItems = (turn) => [
  ...(turn.reasoning === undefined
    ? []
    : [{ type: "reasoning", id: "r", status: "completed", content: [{ type: "output_text", text: turn.reasoning }] }]),
  { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: turn.text }] },
  ...turn.calls.flatMap(({ id, name, input, output }) => [
    { type: "function_call", id, call_id: id, name, arguments: json(input), status: "completed" },
    { type: "function_call_output", call_id: id, output: [{ type: "input_text", text: output }] },
  ]),
];

const openWebUi = {
  kind: "Open WebUI export",
  file: "the export of chats, or rows of its database",
  recognised: "`chat.history`",
  has: { times: true, reasoning: true, calls: true, branches: true },
  notRead: "other answers to the same question; ratings; attached files without their data, which are named in words",
  write: (turns, random) => {
    const messages = {};
    for (const [at, turn] of turns.entries()) {
      const hasItems = turn.role === "assistant" && random.chance(0.5);
      const content = hasItems
        ? random.pick(["", turn.text])
        : [
            ...(turn.reasoning === undefined
              ? []
              : [
                  `<details type="reasoning" done="true" duration="3">\n<summary>Thought for 3 seconds</summary>\n${escaped(
                    turn.reasoning,
                  )
                    .split("\n")
                    .map((line) => `> ${line}`)
                    .join("\n")}\n</details>`,
                ]),
            turn.text,
            ...turn.calls.map(
              ({ id, name, input, output }) =>
                `<details type="tool_calls" done="true" id="${id}" name="${name}" arguments="${escaped(json(json(input)))}" result="${escaped(json(output))}" files="">\n<summary>Tool Executed</summary>\n</details>`,
            ),
          ].join("\n");
      const parentId = turns[at - 1]?.id ?? null;
      messages[turn.id] = {
        id: turn.id,
        parentId,
        childrenIds: [],
        role: turn.role,
        content,
        ...(hasItems ? { output: webUiItems(turn) } : {}),
        timestamp: secondsOf(turn),
      };
      if (turn.abandoned !== undefined) {
        messages[`x${at}`] = {
          id: `x${at}`,
          parentId,
          childrenIds: [],
          role: turn.role,
          content: turn.abandoned,
          timestamp: secondsOf(turn) + 9e6,
        };
      }
    }
    const chat = { title: "Seats", models: ["m"], history: { messages, currentId: turns.at(-1)?.id }, messages: [] };
    return {
      text: json([{ id: "chat1", user_id: "u", title: "Seats", chat, created_at: secondsOf(turns[0]) }]),
      skipped: 0,
    };
  },
};

const assistantUi = {
  kind: "assistant-ui thread",
  file: "the result of `thread.export()`",
  recognised: "`messages` with `parentId` and `message`",
  has: { times: true, reasoning: true, calls: true, branches: true },
  notRead: "other branches; the application's metadata",
  write: (turns) => {
    const messages = turns.flatMap((turn, at) => {
      const parentId = turns[at - 1]?.id ?? null;
      const base = { createdAt: timeOf(turn), metadata: { custom: {} } };
      const head =
        turn.role === "user"
          ? { ...base, role: "user", attachments: [] }
          : { ...base, role: "assistant", status: { type: "complete", reason: "stop" } };
      const content = [
        ...(turn.reasoning === undefined ? [] : [{ type: "reasoning", text: turn.reasoning }]),
        { type: "text", text: turn.text },
        ...turn.calls.map(({ id, name, input, output }) => ({
          ...{ type: "tool-call", toolCallId: id, toolName: name },
          ...{ args: input, argsText: json(input), result: output },
        })),
      ];
      const other = { ...head, id: `x${at}`, content: [{ type: "text", text: turn.abandoned }] };
      return [
        { parentId, message: { ...head, id: turn.id, content } },
        ...(turn.abandoned === undefined ? [] : [{ parentId, message: other }]),
      ];
    });
    return { text: json({ headId: turns.at(-1)?.id, messages }), skipped: 0 };
  },
};

const libreChat = {
  kind: "LibreChat export",
  file: "the export of a conversation as JSON, text or Markdown",
  recognised: "`messageId` and `isCreatedByUser`",
  has: { times: true, reasoning: true, calls: true, branches: true },
  notRead: "branches other than the latest message's; the attached files, which are named in words",
  write: (turns, random) => {
    const rowOf = (turn, parent) => ({
      ...{ messageId: turn.id, parentMessageId: parent ?? "00000000-0000-0000-0000-000000000000", conversationId: "c" },
      ...{ sender: turn.name, isCreatedByUser: turn.role === "user", createdAt: iso(turn) },
      ...(turn.role === "user"
        ? { text: turn.text }
        : {
            text: "",
            content: [
              ...(turn.reasoning === undefined ? [] : [{ type: "think", think: turn.reasoning }]),
              { type: "text", text: turn.text },
              ...turn.calls.map(({ id, name, input, output }) => ({
                type: "tool_call",
                tool_call: { id, name, args: json(input), output, type: "tool_call", progress: 1 },
              })),
            ],
          }),
    });
    const rows = turns.flatMap((turn, at) => {
      const parent = turns[at - 1]?.id;
      const other = {
        ...turn,
        id: `x${at}`,
        text: turn.abandoned,
        calls: [],
        reasoning: undefined,
        minute: turn.minute - 1000,
      };
      return [...(turn.abandoned === undefined ? [] : [rowOf(other, parent)]), rowOf(turn, parent)];
    });
    const head = { conversationId: "c", endpoint: "openAI", title: "Seats", branches: true };
    if (random.chance(0.5)) {
      return { text: json({ ...head, recursive: false, messages: rows }), skipped: 0 };
    }
    const childrenOf = new Map(rows.map(({ messageId }) => [messageId, []]));
    const messagesTree = [];
    for (const row of rows) {
      const siblings = childrenOf.get(row.parentMessageId) ?? messagesTree;
      siblings.push({ ...row, children: childrenOf.get(row.messageId) });
    }
    return { text: json({ ...head, recursive: true, messagesTree }), skipped: 0 };
  },
};

const lmStudio = {
  kind: "LM Studio conversation",
  file: "`conversations/*.conversation.json`",
  recognised: "`versions` and `currentlySelected` in `messages`",
  has: { reasoning: true, calls: true, branches: true },
  notRead:
    "other versions of an answer; times, which the file doesn't have; the attached files, which are named in words",
  write: (turns) => ({
    text: json({
      ...{ name: "Seats", createdAt: START_MS, pinned: false, systemPrompt: "" },
      messages: turns.map((turn) => {
        const block = (content, extra = {}) => ({ type: "contentBlock", content, ...extra });
        const text = (said) => [{ type: "text", text: said }];
        const own =
          turn.role === "user"
            ? { type: "singleStep", role: "user", content: text(turn.text) }
            : {
                ...{ type: "multiStep", role: "assistant" },
                steps: [
                  ...(turn.reasoning === undefined
                    ? []
                    : [block(text(turn.reasoning), { style: { type: "thinking", ended: true } })]),
                  block(text(turn.text)),
                  ...turn.calls.flatMap(({ id, name, input, output }) => [
                    block([{ type: "toolCallRequest", callId: 1, toolCallRequestId: id, name, parameters: input }]),
                    { type: "toolStatus", callId: 1, statusState: {} },
                    block([{ type: "toolCallResult", callId: 1, toolCallRequestId: id, content: output }]),
                  ]),
                ],
              };
        const other = { type: "singleStep", role: turn.role, content: text(turn.abandoned ?? "") };
        return turn.abandoned === undefined
          ? { versions: [own], currentlySelected: 0 }
          : { versions: [other, own, other], currentlySelected: 1 };
      }),
    }),
    skipped: 0,
  }),
};

const sillyTavern = {
  kind: "SillyTavern chat",
  file: "a chat, one message per line",
  recognised: "`is_user` and `mes`",
  has: { names: true, times: true, reasoning: true, calls: true, branches: true, notices: true },
  notRead:
    "messages that are hidden from the prompt (counted); swipes that aren't shown; the author's note; the character's card",
  write: (turns, random) => {
    const month = "January February March April May June July August September October November December".split(" ");
    const date = random.pick([
      (turn) => iso(turn),
      (turn) => msOf(turn),
      (turn) => {
        const time = timeOf(turn);
        const hour = time.getUTCHours();
        return `${month[time.getUTCMonth()]} ${time.getUTCDate()}, ${time.getUTCFullYear()} ${hour % 12 || 12}:${two(time.getUTCMinutes())}${hour < 12 ? "am" : "pm"}`;
      },
      (turn) => {
        const time = timeOf(turn);
        return `${iso(turn).slice(0, 10)} @${two(time.getUTCHours())}h ${two(time.getUTCMinutes())}m 00s 000ms`;
      },
    ]);
    const rows = turns.flatMap((turn) => [
      ...(turn.notice === undefined
        ? []
        : [{ name: turn.name, is_user: false, is_system: true, send_date: date(turn), mes: turn.notice, extra: {} }]),
      {
        ...{ name: turn.name, is_user: turn.role === "user", is_system: false, send_date: date(turn), mes: turn.text },
        extra: turn.reasoning === undefined ? {} : { reasoning: turn.reasoning },
        ...(turn.abandoned === undefined ? {} : { swipe_id: 1, swipes: [turn.abandoned, turn.text] }),
      },
      ...(turn.calls.length === 0
        ? []
        : [
            {
              ...{ name: "system", is_user: false, is_system: true, send_date: date(turn), mes: "Tool calls" },
              extra: {
                tool_invocations: turn.calls.map(({ id, name, input, output }) => ({
                  id,
                  name,
                  parameters: json(input),
                  result: output,
                })),
              },
            },
          ]),
    ]);
    const header = {
      user_name: "Ann",
      character_name: "Helper",
      create_date: "2026-01-13@09h00m00s",
      chat_metadata: {},
    };
    return { text: lines([header, ...rows]), skipped: noticeCount(turns) };
  },
};

// ---- Agents ----

/** A session as VS Code's log: its first state, and the changes since. */
function copilotLog({ requests, ...head }, random) {
  const known = random.integer(0, requests.length);
  /** @type {any[]} */
  const rows = [{ kind: 0, v: { ...head, requests: requests.slice(0, known), pending: 1 } }];
  for (const [at, request] of requests.entries()) {
    if (at < known) {
      continue;
    }
    const { response, result, ...asked } = request;
    const half = random.integer(0, response.length);
    rows.push(
      { kind: 1, k: ["inputState"], v: { inputText: "typed" } },
      { kind: 2, k: ["requests"], v: [{ ...asked, response: [{ value: "A draft." }] }] },
      { kind: 2, k: ["requests", at, "response"], v: response.slice(0, half), i: 0 },
      { kind: 2, k: ["requests", at, "response"], v: response.slice(half) },
      { kind: 1, k: ["requests", at, "result"], v: result },
    );
  }
  rows.push({ kind: 3, k: ["pending"] });
  return rows.map(json).join("\n");
}

const copilot = {
  kind: "Copilot chat session",
  file: "`Chat: Export Chat…` of VS Code, or a file of `chatSessions`: JSON, or since 1.109 a log of changes",
  recognised: "`requests` and `responderUsername`; rows with `kind` and `k`",
  has: { times: true, reasoning: true, calls: true, branches: true },
  notRead: "withdrawn requests (counted); the program's progress and states; edits, except the names of their files",
  write: (turns, random) => {
    const pairs = turns.flatMap((turn, at) => (turn.role === "user" ? [[turn, turns[at + 1]]] : []));
    const requests = pairs.flatMap(([user, answer]) => {
      const calls = answer?.calls ?? [];
      const own = {
        ...{
          requestId: user.id,
          timestamp: msOf(user),
          message: { text: user.text, parts: [] },
          variableData: { variables: [] },
        },
        response: [
          ...(answer?.reasoning === undefined ? [] : [{ kind: "thinking", value: answer.reasoning, id: "t" }]),
          ...(answer === undefined ? [] : [{ value: answer.text, supportThemeIcons: false }]),
          ...calls.flatMap(({ id, name }) => [
            { kind: "prepareToolInvocation", toolName: name },
            {
              kind: "toolInvocationSerialized",
              toolCallId: id,
              toolId: name,
              invocationMessage: { value: "Reading" },
              isComplete: true,
            },
          ]),
        ],
        result: {
          metadata: {
            toolCallRounds: [{ toolCalls: calls.map(({ id, name, input }) => ({ id, name, arguments: json(input) })) }],
            toolCallResults: Object.fromEntries(calls.map(({ id, output }) => [id, { content: [{ value: output }] }])),
          },
        },
        ...{ responseId: answer?.id, agent: { id: "github.copilot" } },
      };
      const other = {
        ...own,
        requestId: `x${user.id}`,
        message: { text: user.abandoned },
        response: [],
        shouldBeRemovedOnSend: { afterUndoStop: "u" },
      };
      return user.abandoned === undefined ? [own] : [other, own];
    });
    const head = {
      version: 3,
      requesterUsername: "Ann",
      responderUsername: "GitHub Copilot",
      sessionId: "s",
      creationDate: START_MS,
    };
    return {
      text: random.chance(0.5) ? json({ ...head, requests }) : copilotLog({ ...head, requests }, random),
      skipped: requests.filter((one) => "shouldBeRemovedOnSend" in one).length,
      timeOf: (turn) => (turn.role === "user" ? turn : turns[turns.indexOf(turn) - 1]),
    };
  },
};

const aider = {
  kind: "Aider chat history",
  file: "`.aider.chat.history.md`",
  recognised: "`# aider chat started at`",
  has: { notices: true },
  notRead:
    "the program's lines (counted); times of messages, which the file doesn't have. Each start is a conversation; commands have the tag `command`",
  write: (turns) => {
    const said = turns.map(({ role, text, notice }) => {
      const before = notice === undefined ? "" : `> ${notice}  \n`;
      return `${before}\n${role === "user" ? `#### ${text.split("\n").join("  \n#### ")}  ` : text}\n`;
    });
    return {
      text: `\n# aider chat started at 2026-01-13 09:00:00\n\n${said.join("")}`,
      skipped: noticeCount(turns) > 0 ? 1 : 0,
    };
  },
};

const cline = {
  kind: "Cline or Roo Code task (ui_messages.json)",
  file: "`ui_messages.json`",
  recognised: "`ts` with `say` or `ask`",
  has: { times: true, reasoning: true },
  notRead:
    "the program's requests and states; results of tools other than commands and MCP, which `api_conversation_history.json` has",
  write: (turns) => {
    const rows = turns.flatMap((turn, at) => [
      ...(turn.reasoning === undefined
        ? []
        : [{ ts: msOf(turn), type: "say", say: "reasoning", text: turn.reasoning }]),
      {
        ts: msOf(turn),
        type: "say",
        say: turn.role === "user" ? (at === 0 ? "task" : "user_feedback") : "text",
        text: turn.text,
      },
      { ts: msOf(turn), type: "say", say: "api_req_started", text: json({ request: "long" }) },
    ]);
    return { text: json(rows), skipped: 0 };
  },
};

const copilotCli = {
  kind: "Copilot CLI session",
  file: "`events.jsonl` of `~/.copilot/session-state`, or a transcript of Copilot in VS Code",
  recognised: "`data` next to a type such as `user.message`",
  has: { times: true, reasoning: true, calls: true },
  notRead: "the steps of sub-agents (counted); states of the program; compacted turns",
  write: (turns) => {
    /** @type {any[]} */
    const rows = [{ type: "session.start", data: { sessionId: "s", version: 1, startTime: iso(turns[0]) } }];
    for (const turn of turns) {
      const { id, text: content, reasoning, calls } = turn;
      if (turn.role === "user") {
        rows.push({
          type: "user.message",
          turn,
          data: { content, transformedContent: `${content} (now)`, attachments: [] },
        });
        continue;
      }
      const toolRequests = calls.map((call) => ({ toolCallId: call.id, name: call.name, arguments: call.input }));
      const thought = reasoning === undefined ? {} : { reasoningText: reasoning, reasoningOpaque: "x" };
      rows.push(
        { type: "assistant.turn_start", turn, data: { turnId: id } },
        { type: "assistant.message", turn, data: { messageId: id, content, toolRequests, ...thought } },
        ...calls.flatMap((call) => [
          { type: "tool.execution_start", turn, data: { toolCallId: call.id, toolName: call.name } },
          {
            type: "tool.execution_complete",
            turn,
            data: { toolCallId: call.id, success: true, result: { content: call.output } },
          },
        ]),
        { type: "assistant.turn_end", turn, data: { turnId: id } },
      );
    }
    const events = rows.map(({ turn = turns[0], ...row }, at) => {
      return { ...row, id: `e${at}`, timestamp: iso(turn), parentId: at === 0 ? null : `e${at - 1}` };
    });
    return { text: events.map(json).join("\n"), skipped: 0 };
  },
};

const goose = {
  kind: "Goose session",
  file: "`goose session export --format json`, or a session of older versions",
  recognised: "`working_dir` with `conversation`, or rows with `created` and a list `content`",
  has: { times: true, reasoning: true, calls: true },
  notRead: "messages that the model doesn't see (counted); questions and notes of the program; hidden reasoning",
  write: (turns, random) => {
    const text = (own) => ({ type: "text", text: own });
    const success = (value) => ({ status: "success", value });
    const row = (turn, role, content) => ({ role, created: secondsOf(turn), content });
    const conversation = turns.flatMap((turn) => {
      const requests = turn.calls.map(({ id, name, input }) => ({
        ...{ type: "toolRequest", id },
        toolCall: success({ name, arguments: input }),
      }));
      const thought =
        turn.reasoning === undefined ? [] : [{ type: "thinking", thinking: turn.reasoning, signature: "" }];
      const responses = turn.calls.map(({ id, output }) => {
        const content = [text(output)];
        return { type: "toolResponse", id, toolResult: success(random.chance(0.5) ? content : { content }) };
      });
      return [
        row(turn, turn.role, [...thought, text(turn.text), ...requests]),
        ...(responses.length > 0 ? [row(turn, "user", responses)] : []),
      ];
    });
    const head = { id: "s", working_dir: "/w", description: "t" };
    const whole = random.chance(0.5);
    return { text: whole ? json({ ...head, conversation }) : lines([head, ...conversation]), skipped: 0 };
  },
};

const opencode = {
  kind: "opencode session",
  file: "`opencode export`",
  recognised: "`info` and `messages` with `info` and `parts`",
  has: { times: true, reasoning: true, calls: true, branches: true },
  notRead: "reverted turns; compacted turns; snapshots and patches",
  write: (turns) => {
    const text = (own) => ({ type: "text", text: own });
    const rowOf = (turn) => ({
      info: { id: turn.id, sessionID: "s", role: turn.role, time: { created: msOf(turn) } },
      parts: [
        ...(turn.reasoning === undefined ? [] : [{ type: "reasoning", text: turn.reasoning }]),
        text(turn.text),
        ...turn.calls.map(({ id, name, input, output }) => ({
          ...{ type: "tool", callID: id, tool: name },
          state: { status: "completed", input, output, title: "t", metadata: {}, time: { start: 1, end: 2 } },
        })),
      ],
    });
    const messages = turns.map(rowOf);
    const abandoned = turns.at(-1)?.abandoned;
    const reverted = rowOf({ ...turns[0], id: "x1", text: abandoned });
    const revert = abandoned === undefined ? {} : { revert: { messageID: "x1" } };
    const info = { id: "s", title: "Seats", time: { created: START_MS, updated: START_MS }, ...revert };
    return { text: json({ info, messages: abandoned === undefined ? messages : [...messages, reverted] }), skipped: 0 };
  },
};

const claudeCode = {
  kind: "Claude Code log",
  file: "`~/.claude/projects/*/*.jsonl`",
  recognised: "`uuid` and `parentUuid`",
  has: { times: true, reasoning: true, calls: true, branches: true },
  notRead: "abandoned branches; side chains; hidden rows and API errors; compacted turns",
  write: (turns) => {
    const rows = [];
    let parentUuid = null;
    const row = (turn, type, content, uuid) => {
      const own = {
        parentUuid,
        isSidechain: false,
        sessionId: "s",
        type,
        message: { role: type, content },
        uuid,
        timestamp: iso(turn),
      };
      rows.push(
        type === "assistant" ? { ...own, message: { id: `msg_${uuid}`, type: "message", ...own.message } } : own,
      );
    };
    for (const turn of turns) {
      if (turn.abandoned !== undefined) {
        row(turn, turn.role, [{ type: "text", text: turn.abandoned }], `x${turn.id}`);
      }
      const content = [
        ...(turn.reasoning === undefined ? [] : [{ type: "thinking", thinking: turn.reasoning, signature: "s" }]),
        { type: "text", text: turn.text },
        ...turn.calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
      ];
      row(turn, turn.role, turn.role === "user" ? turn.text : content, turn.id);
      parentUuid = turn.id;
      if (turn.calls.length > 0) {
        const results = turn.calls.map(({ id, output }) => ({ type: "tool_result", tool_use_id: id, content: output }));
        row(turn, "user", results, `r${turn.id}`);
        parentUuid = `r${turn.id}`;
      }
    }
    return { text: lines(rows), skipped: 0 };
  },
};

const codex = {
  kind: "Codex rollout",
  file: "`~/.codex/sessions/**/rollout-*.jsonl`",
  recognised: "`type` and `payload`",
  has: { times: true, reasoning: true, calls: true, branches: true },
  notRead: "rolled-back turns; compacted turns; events that repeat items; encrypted reasoning of other providers",
  write: (turns) => {
    /** @type {any[]} */
    const rows = [
      { timestamp: iso(turns[0]), type: "session_meta", payload: { id: "s", timestamp: iso(turns[0]), cwd: "/w" } },
    ];
    const item = (turn, payload) => rows.push({ timestamp: iso(turn), type: "response_item", payload });
    for (const turn of turns) {
      if (turn.abandoned !== undefined && turn.role === "user") {
        item(turn, { type: "message", role: "user", content: [{ type: "input_text", text: turn.abandoned }] });
        rows.push({ timestamp: iso(turn), type: "event_msg", payload: { type: "thread_rolled_back", num_turns: 1 } });
      }
      if (turn.reasoning !== undefined) {
        item(turn, { type: "reasoning", summary: [{ type: "summary_text", text: turn.reasoning }], content: null });
      }
      const type = turn.role === "user" ? "input_text" : "output_text";
      item(turn, { type: "message", role: turn.role, content: [{ type, text: turn.text }] });
      for (const { id, name, input, output } of turn.calls) {
        item(turn, { type: "function_call", name, arguments: json(input), call_id: id });
        item(turn, { type: "function_call_output", call_id: id, output });
      }
    }
    return { text: lines(rows), skipped: 0 };
  },
};

const geminiCli = {
  kind: "Gemini CLI chat",
  file: "`~/.gemini/tmp/*/chats/*.json`, or one row per line",
  recognised: "`sessionId` and `projectHash`, or rows of the type `gemini`",
  has: { times: true, reasoning: true, calls: true, branches: true },
  notRead: "the program's `info`, `warning` and `error` rows; rewound messages",
  write: (turns) => {
    const rows = turns.flatMap((turn) => {
      const own = {
        ...{ id: turn.id, timestamp: iso(turn), type: turn.role === "user" ? "user" : "gemini", content: turn.text },
        ...(turn.reasoning === undefined ? {} : { thoughts: [{ description: turn.reasoning }] }),
        ...(turn.calls.length === 0
          ? {}
          : {
              toolCalls: turn.calls.map(({ id, name, input, output }) => ({
                ...{ id, name, args: input, status: "success" },
                result: [{ functionResponse: { id, name, response: { output } } }],
              })),
            }),
      };
      const other = { id: `x${turn.id}`, timestamp: iso(turn), type: "user", content: turn.abandoned };
      return turn.abandoned === undefined ? [own] : [other, { $rewindTo: `x${turn.id}` }, own];
    });
    return { text: lines([{ sessionId: "s", projectHash: "h", startTime: iso(turns[0]) }, ...rows]), skipped: 0 };
  },
};

const pi = {
  kind: "pi session",
  file: "`~/.pi/agent/sessions/**/*.jsonl`; OpenClaw has the same",
  recognised: "a header `session` with `cwd`, rows with `parentId`",
  has: { times: true, reasoning: true, calls: true, branches: true },
  notRead: "branches other than the last row's; compacted turns; labels and model changes",
  write: (turns) => {
    /** @type {any[]} */
    const rows = [{ type: "session", version: 3, id: "s", timestamp: iso(turns[0]), cwd: "/w" }];
    let parentId = null;
    const row = (turn, id, message) =>
      rows.push({
        type: "message",
        id,
        parentId,
        timestamp: iso(turn),
        message: { ...message, timestamp: msOf(turn) },
      });
    for (const turn of turns) {
      if (turn.abandoned !== undefined) {
        row(turn, `x${turn.id}`, { role: "user", content: turn.abandoned });
      }
      const content = [
        ...(turn.reasoning === undefined ? [] : [{ type: "thinking", thinking: turn.reasoning }]),
        { type: "text", text: turn.text },
        ...turn.calls.map(({ id, name, input }) => ({ type: "toolCall", id, name, arguments: input })),
      ];
      row(
        turn,
        turn.id,
        turn.role === "user"
          ? { role: "user", content: turn.text }
          : { role: "assistant", content, api: "x", provider: "p", model: "m", usage: {}, stopReason: "stop" },
      );
      parentId = turn.id;
      for (const { id, name, output } of turn.calls) {
        row(turn, `r${id}`, {
          role: "toolResult",
          toolCallId: id,
          toolName: name,
          content: [{ type: "text", text: output }],
          isError: false,
        });
        parentId = `r${id}`;
      }
    }
    return { text: lines(rows), skipped: 0 };
  },
};

const clineHistory = {
  kind: "Cline or Roo Code history",
  names: ["Roo Code history"],
  file: "`api_conversation_history.json`",
  recognised: "messages in Anthropic's form; Roo's marks `condenseParent`, `truncationParent`",
  has: { times: true, calls: true, branches: true },
  notRead: "condensed and truncated messages",
  write: (turns) => {
    const rows = turns.flatMap((turn) => [
      ...(turn.abandoned === undefined
        ? []
        : [{ role: turn.role, content: turn.abandoned, ts: msOf(turn), condenseParent: "k" }]),
      {
        ...{ role: turn.role, ts: msOf(turn) },
        content: [
          { type: "text", text: turn.text },
          ...turn.calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
        ],
      },
      ...(turn.calls.length === 0
        ? []
        : [
            {
              role: "user",
              ts: msOf(turn),
              content: turn.calls.map(({ id, output }) => ({ type: "tool_result", tool_use_id: id, content: output })),
            },
          ]),
    ]);
    const first = {
      role: "user",
      content: [{ type: "text", text: "w0" }],
      ts: START_MS,
      isSummary: true,
      condenseId: "k",
    };
    return { text: json([first, ...rows]), skipped: 0, before: ["w0"] };
  },
};

/** The sessions of agents, which another agent carries on.
 * @type {any[]} */
export const AGENTS = [
  claudeCode,
  codex,
  geminiCli,
  pi,
  opencode,
  clineHistory,
  cline,
  aider,
  copilot,
  copilotCli,
  goose,
];
/** @type {any[]} */
export const CHATS = [openWebUi, assistantUi, libreChat, lmStudio, sillyTavern];
/** @type {any[]} */
export const MESSENGERS = [discord, slack, telegram, whatsApp];
/** Every kind of file that is read.
 * @type {any[]} */
export const APP_FILES = [...EXPORTS, ...AGENTS, ...CHATS, ...MESSENGERS];

const COMES = {
  names: "speaker names",
  times: "times",
  replies: "replies",
  reasoning: "reasoning",
  calls: "tool calls and results",
  branches: "the visible branch",
};

/** The table of docs/files.md. `kinds` are those whose readers an entry includes: they get a mark. */
export function tableOfKinds(kinds) {
  const marked = new Set(kinds.map(({ name }) => name));
  const rows = APP_FILES.map(({ kind, file, recognised, has, notRead }) => {
    const along = Object.entries(COMES).flatMap(([field, words]) => (has[field] ? [words] : []));
    return `| ${kind}${marked.has(kind) ? "¹" : ""} | ${file} | ${recognised} | ${["roles", ...along].join(", ")} | ${notRead} |`;
  });
  const head = ["| kind | file | recognized by | read | not read |", "|---|---|---|---|---|"];
  return [...head, ...rows].join("\n");
}

/** Kinds that are only recognized and named, as a list in words. */
export function namesOfUnread(kinds) {
  return kinds.flatMap(({ name, isRead }) => (isRead ? [] : [name])).join(", ");
}
