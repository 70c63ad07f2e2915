// Small files of apps, each in its maker's shape, with an abandoned branch and parts that no reader knows: the visible
// conversation becomes a valid request for every provider, and what isn't read is said.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, parseTranscript, plainMessage, problemsOf, providers } from "windrow";

const json = JSON.stringify;
const ROOT = "00000000-0000-0000-0000-000000000000";

/** Texts, calls and results of messages, as short lines. */
function linesOf(messages) {
  return messages.flatMap((message) => {
    const { role, content } = plainMessage(message);
    return content.map((/** @type {any} */ part) => {
      switch (part.type) {
        case "tool-call":
          return `call ${part.toolName} ${json(part.input)}`;
        case "tool-result":
          return `result ${json(part.output)}`;
        default:
          return `${role} ${part.type}: ${part.text}`;
      }
    });
  });
}

/** Checks the conversation of a file, its requests, and the reasons of the parts that aren't read. */
function check(text, lines, reasons) {
  const { messages, skipped } = parseTranscript(text);
  assert.deepEqual(linesOf(messages), lines);
  assert.deepEqual(
    skipped.map(({ reason }) => reason),
    reasons,
  );
  for (const { name } of providers) {
    const context = buildContextSync(messages, { encoding: "estimate", request: "Go on.", render: { provider: name } });
    assert.deepEqual(problemsOf(name, context.request(name)), [], name);
  }
}

describe("what isn't read is said, and the rest is a valid request", () => {
  test("LibreChat: calls of OpenAI's assistants, and those of a kind without a name", () => {
    const row = (messageId, parentMessageId, more) => ({
      ...{ messageId, parentMessageId, conversationId: "c", createdAt: `2026-06-01T10:0${messageId.length}:00.000Z` },
      ...{ isCreatedByUser: false, text: "", ...more },
    });
    const call = (tool_call) => ({ type: "tool_call", tool_call });
    const messages = [
      row("q", ROOT, { isCreatedByUser: true, text: "How many seats?" }),
      row("a", "q", { text: "An abandoned answer." }),
      row("aa", "q", {
        content: [
          { type: "text", text: { value: "I look." } },
          call({ id: "c1", type: "function", function: { name: "seats", arguments: '{"hall":1}', output: "40" } }),
          call({ id: "c2", type: "code_interpreter", code_interpreter: { input: "1+1", outputs: [] } }),
          { type: "image_file", image_file: { file_id: "f" } },
        ],
      }),
      row("qqq", "aa", { isCreatedByUser: true, text: "Thanks." }),
    ];
    check(
      json({ conversationId: "c", title: "Seats", messages }),
      [
        "user text: How many seats?",
        "assistant text: I look.",
        'call seats {"hall":1}',
        'result "40"',
        "user text: Thanks.",
      ],
      [
        'tool_call: a call of the type "code_interpreter" is not read',
        'content: a part of the type "image_file" is not read',
      ],
    );
  });

  test("SillyTavern: a call without a name, and pictures", () => {
    const row = (name, mes, more) => ({
      ...{ name, is_user: name === "Ann", is_system: false, send_date: "2026-06-01T10:00:00.000Z", mes, extra: {} },
      ...more,
    });
    const rows = [
      { user_name: "Ann", character_name: "Helper", chat_metadata: { note_prompt: "Be kind." } },
      row("Ann", "Look.", { extra: { image: "/user/images/Helper/hall.png" } }),
      row("Helper", "I see.", { swipe_id: 1, swipes: ["An abandoned answer.", "I see."] }),
      row("Helper", "Tool calls", {
        is_system: true,
        extra: { tool_invocations: [{ id: "c1", name: "seats", parameters: "{}", result: "40" }, { id: "c2" }] },
      }),
      row("Ann", "And this?", { extra: { media: [{ type: "image", url: "data:image/png;base64,AAAA" }] } }),
    ];
    check(
      rows.map((one) => json(one)).join("\n"),
      [
        "user text: Look.\n[Attached file: hall.png]",
        "assistant text: I see.",
        "call seats {}",
        'result "40"',
        "user text: And this?",
        "user image: undefined",
      ],
      ["note_prompt: the author's note is not read", "tool_invocations: a call without an id or a name is not read"],
    );
  });

  test("LM Studio: another version, a step and a part of unknown kinds", () => {
    const text = (said) => [{ type: "text", text: said }];
    const version = (own) => ({ versions: [own], currentlySelected: 0 });
    const steps = [
      { type: "contentBlock", content: text("I look.") },
      {
        type: "contentBlock",
        content: [{ type: "toolCallRequest", toolCallRequestId: "c1", name: "seats", parameters: {} }],
      },
      { type: "toolStatus", callId: 1 },
      { type: "contentBlock", content: [{ type: "toolCallResult", toolCallRequestId: "c1", content: "40" }] },
      { type: "contentBlock", content: [{ type: "hologram", data: "?" }] },
      { type: "pluginStep" },
    ];
    const question = { type: "singleStep", role: "user", content: text("How many?") };
    const messages = [
      { versions: [{ ...question, content: text("An abandoned question.") }, question], currentlySelected: 1 },
      version({ type: "multiStep", role: "assistant", steps }),
      version({ type: "singleStep", role: "user", content: text("Thanks.") }),
    ];
    check(
      json({ name: "Seats", systemPrompt: "Be brief.", createdAt: 1_780_000_000_000, messages }),
      [
        "system text: Be brief.",
        "user text: How many?",
        "assistant text: I look.",
        "call seats {}",
        'result "40"',
        "user text: Thanks.",
      ],
      ['a part of the type "hologram" is not read', 'a part of the type "pluginStep" is not read'],
    );
  });

  test("Open WebUI: an abandoned answer, an empty one, and details that are no call", () => {
    const row = (id, parentId, role, content, more) => ({
      id,
      parentId,
      role,
      content,
      timestamp: 1_780_000_000,
      ...more,
    });
    const details =
      '<details type="tool_calls" done="true" id="c1" name="seats" arguments="{}" result="&quot;40&quot;">\n<summary>Done</summary>\n</details>';
    const rows = [
      row("q", null, "user", "How many?", { files: [{ type: "file", name: "plan.pdf" }] }),
      row("x", "q", "assistant", "An abandoned answer."),
      row("e", "q", "assistant", "", { error: { content: "no" } }),
      row("a", "q", "assistant", `I look.\n${details}\n<details><summary>More</summary>Own words.</details>`),
      row("t", "a", "user", "Thanks."),
    ];
    const history = { currentId: "t", messages: Object.fromEntries(rows.map((one) => [one.id, one])) };
    check(
      json([{ id: "c", title: "Seats", chat: { title: "Seats", history, params: { system: "Be brief." } } }]),
      [
        "system text: Be brief.",
        "user text: How many?",
        "user text: [Attached file: plan.pdf]",
        "assistant text: I look.",
        "call seats {}",
        "result 40",
        "assistant text: <details><summary>More</summary>Own words.</details>",
        "user text: Thanks.",
      ],
      ["message 3: error: the answer failed"],
    );
  });

  test("Copilot Chat: a withdrawn request, a failed answer, and a part of an unknown kind", () => {
    const request = (requestId, text, response, more) => ({
      ...{ requestId, timestamp: 1_780_000_000_000, message: { text, parts: [] }, response, ...more },
    });
    const requests = [
      request("r0", "A withdrawn question.", [{ value: "An abandoned answer." }], { shouldBeRemovedOnSend: {} }),
      request("r1", "How many?", [
        { value: "I look. " },
        {
          kind: "toolInvocationSerialized",
          toolCallId: "c1",
          toolId: "seats",
          isComplete: true,
          pastTenseMessage: "40",
        },
        { kind: "hologram", data: "?" },
        { value: "Forty." },
      ]),
      request("r2", "And now?", [{ value: "Sorry." }], { result: { errorDetails: { message: "quota" } } }),
    ];
    check(
      json({ version: 3, requesterUsername: "ann", responderUsername: "GitHub Copilot", sessionId: "s", requests }),
      [
        "user text: How many?",
        "assistant text: I look. ",
        "call seats {}",
        'result "40"',
        "assistant text: Forty.",
        "user text: And now?",
        "assistant text: Sorry.",
      ],
      [
        "the request was withdrawn",
        'response: a part of the kind "hologram" is not read',
        "errorDetails: the answer failed: quota",
      ],
    );
  });
});

describe("what an app keeps in another place is read", () => {
  test("Slack: a bot's card, blocks without a text, and a message that somebody shared", () => {
    const at = (second) => ({ type: "message", ts: `176760000${second}.000100` });
    const bot = { subtype: "bot_message", bot_id: "B", username: "CI", text: "" };
    const fields = [{ title: "Step", value: "tests" }];
    const rich = {
      type: "rich_text_section",
      elements: [
        { type: "text", text: "It is " },
        { type: "text", text: "red." },
      ],
    };
    const blocks = [
      { type: "section", text: { type: "mrkdwn", text: "*Build 7*" } },
      { type: "rich_text", elements: [rich] },
    ];
    const shared = { is_share: true, author_name: "Bo", text: "The old plan." };
    const preview = { from_url: "https://example.org", title: "A preview", text: "Of a page." };
    check(
      json([
        {
          ...at(0),
          ...bot,
          attachments: [{ fallback: "no", pretext: "Failed:", title: "Build 7", text: "Red.", fields }],
        },
        { ...at(1), ...bot, blocks },
        { ...at(2), user: "Ann", text: "See this.", attachments: [shared] },
        { ...at(3), user: "Ann", text: "And https://example.org.", attachments: [preview] },
      ]),
      [
        "assistant text: Failed:\nBuild 7\nRed.\nStep: tests",
        "assistant text: *Build 7*\nIt is red.",
        "user text: Bo\nThe old plan.",
        "user text: See this.",
        "user text: And https://example.org.",
      ],
      [],
    );
  });

  test("Discord: a forwarded file, and embeds without a text", () => {
    const message = (id, more) => ({
      ...{ id, type: "Default", timestamp: "2026-06-01T10:00:00Z", content: "", attachments: [], embeds: [] },
      ...{ author: { name: "ann", isBot: false }, ...more },
    });
    const messages = [
      message("1", { forwardedMessage: { content: "", attachments: [{ fileName: "plan.pdf" }], embeds: [] } }),
      message("2", { embeds: [{ title: "A page", description: "About seats." }] }),
      message("3", { content: "Look.", embeds: [{ title: "A preview" }] }),
      message("4", {
        author: { name: "CI", isBot: true },
        embeds: [{ author: { name: "boat" }, title: "Red", footer: { text: "Build 7" } }],
      }),
    ];
    check(
      json({ guild: { name: "G" }, channel: { name: "c" }, messages }),
      [
        ...["user text: [Forwarded] [Attached file: plan.pdf]", "user text: A page\nAbout seats."],
        ...["user text: Look.", "assistant text: boat\nRed\nBuild 7"],
      ],
      [],
    );
  });

  test("Telegram: a list, and a text that is only in entities", () => {
    const head = { type: "message", date_unixtime: "1767600000", from: "Ann", from_id: "user1", text: "" };
    const todo_list = { title: "To do", answers: [{ id: 1, text: "Book" }] };
    const messages = [
      { id: 1, ...head, todo_list },
      { id: 2, ...head, text_entities: [{ type: "plain", text: "Hi." }] },
    ];
    check(json({ name: "Ann", messages }), ["user text: [List] To do\n- Book", "user text: Hi."], []);
  });

  test("Cline: a command that prints several times", () => {
    const said = (ts, say, text) => ({ ts, type: "say", say, text });
    check(
      json([
        said(1, "task", "Test it."),
        said(2, "command", "npm test"),
        said(3, "command_output", "one"),
        said(4, "api_req_started", "{}"),
        said(5, "command_output", "two"),
        said(6, "text", "Both pass."),
        said(7, "command_output", "late"),
      ]),
      [
        "user text: Test it.",
        'call execute_command {"command":"npm test"}',
        'result "one"',
        'result "two"',
        "assistant text: Both pass.",
      ],
      ["command_output: the row is not read"],
    );
  });

  test("Aider: headings and quotes of an answer, outputs of commands, and a question after its command", () => {
    check(
      [
        "# aider chat started at 2026-06-01 10:00:00",
        "",
        "> Aider v0.86.0  ",
        "> Added boat.py to the chat.  ",
        "",
        "#### /ask How many seats?  ",
        "#### in the boat  ",
        "",
        "####  How many seats?  ",
        "#### in the boat  ",
        "",
        "The plan says:",
        "",
        "> Forty seats.",
        "",
        "#### Where it is",
        "",
        "In `boat.py`.",
        "",
        "#### /run ls  ",
        "> total 2",
        "boat.py",
        "",
        "> is a file  ",
        "> Add 1k tokens of command output to the chat? n  ",
        "",
        "#### Thanks.  ",
      ].join("\n"),
      [
        "user text: How many seats?\nin the boat",
        "assistant text: The plan says:\n\n> Forty seats.\n\n#### Where it is\n\nIn `boat.py`.",
        "user text: /run ls",
        "user text: Thanks.",
      ],
      ["7 of its lines are notices of the program, not messages"],
    );
    // An editor that removes spaces at the ends of lines leaves only the marks at their beginnings.
    check(
      ["# aider chat started at 2026-06-01 10:00:00", "> Aider v0.86.0", "", "#### Hi.", "", "Hello.", "> Bye."].join(
        "\n",
      ),
      ["user text: Hi.", "assistant text: Hello."],
      ["2 of its lines are notices of the program, not messages"],
    );
  });

  test("Cline: reasoning and files next to a text, and without the program's marks", () => {
    const said = (ts, say, text, more) => ({ ts, type: "say", say, text, ...more });
    check(
      json([
        said(1, "text", "Test it.", { files: ["/boat/seats.py"] }),
        said(2, "text", "I will.", { reasoning: "It has tests." }),
        { ts: 3, type: "ask", ask: "act_mode_respond", text: json({ response: "I run them." }) },
        { ts: 4, type: "ask", ask: "command", text: "npm testREQ_APP" },
        said(5, "command_output", "one"),
        said(6, "hook_status", json({ hookName: "PostToolUse", status: "completed" })),
        said(7, "completion_result", "Both pass.HAS_CHANGES"),
      ]),
      [
        "user text: Test it.\n[Attached file: /boat/seats.py]",
        "assistant reasoning: It has tests.",
        "assistant text: I will.",
        "assistant text: I run them.",
        'call execute_command {"command":"npm test"}',
        'result "one"',
        "assistant text: Both pass.",
      ],
      [],
    );
  });

  test("Copilot Chat: calls without metadata, a request of the program's, and a session without names", () => {
    const call = (toolCallId, more) => ({ kind: "toolInvocationSerialized", toolCallId, toolId: "run", ...more });
    const terminal = { kind: "terminal", commandLine: { original: "ls" }, terminalCommandOutput: { text: "a.py" } };
    const details = { input: json({ seat: 1 }), output: [{ type: "embed", value: "free" }] };
    const response = [
      call("a", { isComplete: true, invocationMessage: "Running", toolSpecificData: terminal }),
      call("b", { isComplete: true, invocationMessage: "Running", resultDetails: details }),
      call("c", { toolSpecificData: { kind: "input", rawInput: { q: 2 } } }),
    ];
    const told = { requestId: "r2", message: { text: "The command ended." }, isSystemInitiated: true, response: [] };
    const text = json({
      version: 3,
      requests: [{ requestId: "r1", message: { text: "List it." }, response }, told],
    });
    check(
      text,
      [
        "user text: List it.",
        ...['call run {"command":"ls"}', 'result "a.py"', 'call run {"seat":1}', 'result "free"', 'call run {"q":2}'],
        "user text: The command ended.",
      ],
      [],
    );
    // The user didn't write it.
    assert.deepEqual(parseTranscript(text).messages.at(-1)?.content, [
      { type: "text", text: "The command ended.", origin: "file" },
    ]);
  });

  test("Copilot CLI: rows without ids, and arguments and results as texts", () => {
    const row = (type, data) => json({ type, data, timestamp: "2026-06-01T10:00:00Z" });
    check(
      [
        row("session.start", { sessionId: "s" }),
        row("user.message", { content: "Look." }),
        row("assistant.message", {
          content: "",
          toolRequests: [{ toolCallId: "t", name: "view", arguments: '{"a":1}' }],
        }),
        row("tool.execution_complete", { toolCallId: "t", success: true, result: "forty" }),
      ].join("\n"),
      ["user text: Look.", 'call view {"a":1}', 'result "forty"'],
      [],
    );
  });

  test("LM Studio: calls and results in the form of its SDK", () => {
    const block = (...content) => ({ type: "contentBlock", content });
    const request = { id: "7", type: "function", name: "look", arguments: { seat: 1 } };
    const steps = [
      block({ type: "toolCallRequest", toolCallRequest: request }),
      block({ type: "toolCallResult", toolCallId: "7", content: "free", name: "look" }),
    ];
    check(
      json({ name: "c", messages: [{ currentlySelected: 0, versions: [{ role: "assistant", steps }] }] }),
      ['call look {"seat":1}', 'result "free"'],
      [],
    );
  });

  test("Telegram: ids that are numbers, as before 2021", () => {
    const messages = [
      { id: 1, type: "message", date: "2019-01-05T10:00:00", from: "Ann", from_id: 4297, text: "Hi." },
      { id: 2, type: "service", date: "2019-01-05T10:01:00", actor: "Ann", actor_id: 4297, action: "phone_call" },
      { id: 3, type: "message", date: "2019-01-05T10:02:00", from: null, from_id: 17, text: "Ho." },
    ];
    const text = json({ name: "Ann", type: "personal_chat", id: 4297, messages });
    check(text, ["user text: Hi.", "user text: Ho."], ["phone_call: a notice, not a message"]);
    assert.deepEqual(
      parseTranscript(text).messages.map(({ name }) => name),
      ["Ann", "17"],
    );
  });

  test("WhatsApp: a colon after the time, and a file without a mark", () => {
    const text =
      "13.06.18 21.25.15: Ann: Hi.\n13.06.18 21.26.00: Bo: < attached: 00000042-PHOTO-2018-06-13-21-26-00.jpg >";
    check(text, ["user text: Hi.", "user text: [Attached file: 00000042-PHOTO-2018-06-13-21-26-00.jpg]"], []);
    assert.equal(parseTranscript(text).messages[1]?.createdAt, "2018-06-13T21:26:00");
  });

  test("Codex: messages of other agents, and rows for the program", () => {
    const row = (type, payload, more) =>
      json({ timestamp: "2026-06-01T10:00:00Z", ordinal: 1, type, payload, ...more });
    const message = { author: "/agent/seats", recipient: "/agent", content: "Forty.", trigger_turn: true };
    const metadata = { internal_chat_message_metadata_passthrough: { turn_id: "t" } };
    const said = [{ type: "input_text", text: "How many?" }];
    check(
      [
        row("response_item", { type: "message", role: "user", content: said, ...metadata }, { metadata: {} }),
        row("world_state", { state: { text: "x", content: "y" } }),
        row("retained_context", { type: "x", message: { role: "user", text: "How many?" } }),
        row("inter_agent_communication", message),
        row("response_item", {
          ...{ type: "agent_message", author: "/agent/seats", recipient: "/agent" },
          content: [{ type: "input_text", text: "All free." }],
        }),
        row("response_item", { type: "context_compaction" }),
      ].join("\n"),
      ["user text: How many?", `assistant text: ${json(message)}`, "assistant text: All free."],
      [],
    );
  });

  test("Gemini CLI: thoughts among the parts, and a call that is recorded with its result", () => {
    const toolCalls = [{ id: "look-1", name: "look", args: {}, result: [{ text: "forty" }] }];
    const content = [{ text: "I look.", thought: true }, { functionCall: { name: "look", args: {} } }, { text: "So:" }];
    check(
      json({ sessionId: "s", projectHash: "h", messages: [{ id: "2", type: "gemini", content, toolCalls }] }),
      ["assistant reasoning: I look.", "assistant text: So:", "call look {}", 'result "forty"'],
      [],
    );
  });

  test("ChatGPT: a conversation without messages", () => {
    const message = { author: { role: "user" }, content: { content_type: "text", parts: ["Hi."] } };
    const mapping = { u: { id: "u", parent: null, children: [], message } };
    check(
      json([
        { title: "a", create_time: 1, conversation_id: "1", current_node: "u", mapping },
        { title: "b", create_time: 2, conversation_id: "2" },
      ]),
      ["user text: Hi."],
      ["mapping: the conversation has no messages"],
    );
  });

  test("Codex: a search without an id, and an item of a newer type", () => {
    const item = (payload) => json({ timestamp: "2026-06-01T10:00:00Z", type: "response_item", payload });
    const search = (query) => item({ type: "web_search_call", status: "completed", action: { type: "search", query } });
    check(
      [
        item({ type: "message", role: "user", content: [{ type: "input_text", text: "Find it." }] }),
        ...[search("seats"), search("halls"), item({ type: "brand_new", text: "x" })],
      ].join("\n"),
      [
        "user text: Find it.",
        ...['call web_search {"type":"search","query":"seats"}', 'result ""'],
        ...['call web_search {"type":"search","query":"halls"}', 'result ""'],
      ],
      ['role: the message has no role, and windrow knows no message of the type "brand_new"'],
    );
  });

  test("Gemini CLI: a call without an id, and a part and a row of unknown kinds", () => {
    const call = { name: "look", args: {}, status: "success", result: [{ text: "forty" }] };
    const head = { sessionId: "s", projectHash: "h" };
    const messages = [
      { id: "1", type: "user", timestamp: "2026-06-01T10:00:00Z", content: "How many?" },
      { id: "2", type: "gemini", content: [{ text: "I look." }, { executableCode: { code: "1" } }], toolCalls: [call] },
      { id: "3", type: "brand_new", content: "Words." },
      { type: "user", timestamp: "2026-06-01T10:00:00Z", content: "Thanks." },
    ];
    check(
      json({ ...head, messages }),
      ["user text: How many?", "assistant text: I look.", "call look {}", 'result "forty"', "user text: Thanks."],
      [
        "messages[1]: content: a part with executableCode is not read",
        'messages[2]: type: a message of the type "brand_new" is not read',
      ],
    );
  });

  test("opencode: the rest of a message with a part of an unknown type, and it counts as unread", () => {
    const asked = { info: { id: "a", role: "user" }, parts: [{ type: "text", text: "Look." }] };
    const state = { status: "completed", input: {}, output: "forty" };
    const parts = [
      { type: "brand_new" },
      { type: "tool", callID: "t", tool: "look", state },
      { type: "text", text: "40." },
    ];
    const text = json({ info: { id: "s" }, messages: [asked, { info: { id: "b", role: "assistant" }, parts }] });
    check(
      text,
      ["user text: Look.", "call look {}", 'result "forty"', "assistant text: 40."],
      ['parts[0].type: unknown part "brand_new"'],
    );
    assert.equal(parseTranscript(text).unread?.count, 1);
  });

  test("messages by themselves: the parts next to one that nobody knows", () => {
    const call = { type: "tool-f", toolCallId: "t", state: "output-available", input: {}, output: "40" };
    const page = {
      id: "2",
      role: "assistant",
      parts: [{ type: "brand-new", text: "x" }, call, { type: "text", text: "40." }],
    };
    const rows = [{ role: "user", content: "How many?" }, page];
    for (const text of [json(rows), rows.map((row) => json(row)).join("\n"), json({ messages: rows })]) {
      check(
        text,
        ["user text: How many?", "call f {}", 'result "40"', "assistant text: 40."],
        ['parts[0].type: unknown part "brand-new"'],
      );
      assert.equal(parseTranscript(text).unread?.count, 1);
    }
  });

  test("Mistral: a document by its address, audio as a text, and the numbers of an answer's sources", () => {
    const document = { type: "document_url", document_url: "https://example.org/plan.pdf", document_name: "plan.pdf" };
    const messages = [
      {
        role: "user",
        content: [{ type: "text", text: "Read it." }, document, { type: "input_audio", input_audio: "UklGRg==" }],
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Read." },
          { type: "reference", reference_ids: [1] },
        ],
      },
    ];
    const read = parseTranscript(json({ messages }));
    assert.deepEqual(read.skipped, []);
    const [asked, answer] = read.messages.map((message) => plainMessage(message).content);
    assert.deepEqual(asked[1], { type: "file", url: document.document_url, filename: "plan.pdf" });
    assert.deepEqual(asked[2], { type: "audio", data: "UklGRg==" });
    assert.deepEqual(answer, [{ type: "text", text: "Read." }]);
  });

  test("Copilot Chat: a result as a tree of nodes", () => {
    const line = (text) => ({ type: 1, children: [{ type: 2, text, lineBreakBefore: true }] });
    const node = { type: 1, children: [{ type: 2, text: "Seats:" }, line("forty"), line("four")] };
    const request = {
      ...{ requestId: "r", timestamp: 1_780_000_000_000, message: { text: "How many?", parts: [] } },
      // The program's own id and name of the call.
      response: [{ kind: "toolInvocationSerialized", toolCallId: "own", toolId: "copilot_seats", isComplete: true }],
      result: {
        metadata: {
          toolCallRounds: [{ toolCalls: [{ id: "c", name: "seats", arguments: "{}" }] }],
          toolCallResults: { c: { content: [{ $mid: 23, value: { node } }] } },
        },
      },
    };
    check(
      json({ version: 3, responderUsername: "GitHub Copilot", sessionId: "s", requests: [request] }),
      ["user text: How many?", "call seats {}", 'result "Seats:\\nforty\\nfour"'],
      [],
    );
  });

  test("Codex's first version: a header next to the items", () => {
    const session = { id: "s", timestamp: "2025-04-20T10:00:00.000Z", instructions: "Be brief." };
    const said = (role, type, text) => ({ type: "message", role, content: [{ type, text }] });
    const items = [
      said("user", "input_text", "How many?"),
      { type: "function_call", id: "f", call_id: "c", name: "seats", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: "40" },
      said("assistant", "output_text", "Forty."),
    ];
    check(
      json({ session, items }),
      ["system text: Be brief.", "user text: How many?", 'call seats "{}"', 'result "40"', "assistant text: Forty."],
      [],
    );
  });

  test("Gemini CLI: a checkpoint before a tool", () => {
    const content = (role, text) => ({ role, parts: [{ text }] });
    const clientHistory = [content("user", "How many?"), content("model", "Forty.")];
    const history = [{ id: 1, type: "user", text: "How many?" }];
    check(
      json({ history, clientHistory, toolCall: { name: "write_file", args: {} } }),
      ["user text: How many?", "assistant text: Forty."],
      ["toolCall: it is next to the messages and isn't read"],
    );
  });

  test("Aider: the end of a longer file", () => {
    check(
      "#### How many?  \n\nForty.\n\n> Tokens: 2 sent, 1 received.  \n",
      ["user text: How many?", "assistant text: Forty."],
      ["1 of its lines are notices of the program, not messages"],
    );
  });

  test("Gemini's activities: one by itself, and messages among them", () => {
    const activity = { header: "Gemini Apps", title: "Prompted How many?", time: "2026-06-01T10:00:00Z" };
    check(json(activity), ["user text: How many?"], []);
    check(json([{ role: "user", content: "Hi." }, activity]), ["user text: Hi.", "user text: How many?"], []);
  });

  test("WhatsApp: the app's words in a group's name, and a poll, which is a person's", () => {
    check(
      [
        "[01.06.26, 10:00:00] Boat: \u200eMessages and calls are end-to-end encrypted.",
        "[01.06.26, 10:00:00] Ann: \u200eThis message was deleted.",
        "[01.06.26, 10:01:00] Ann: \u200ePOLL:\nWhen?\n\u200eOPTION: Today (\u200e1 vote)",
        "[01.06.26, 10:02:00] Bo: \u200eimage omitted",
      ].join("\n"),
      ["user text: POLL:\nWhen?\n\u200eOPTION: Today (\u200e1 vote)", "user text: [Attached file: image]"],
      [
        "Messages and calls are end-to-end encrypted.: a notice, not a message",
        "This message was deleted.: a notice, not a message",
      ],
    );
  });

  test("Slack: dates and groups with their labels", () => {
    const text = "<!here|@here> and <!subteam^S1|@crew>: it closes <!date^1767600000^{date_short}|Jan 5, 2026>.";
    check(
      json([{ type: "message", ts: "1767600000.000100", user: "Ann", text }]),
      ["user text: @here and @crew: it closes Jan 5, 2026."],
      [],
    );
  });

  test("WhatsApp: the note that a message was edited isn't part of it", () => {
    check("[01.06.26, 10:00:00] Ann: Ten. \u200e<This message was edited>", ["user text: Ten."], []);
  });
});

test("a row of an agent's log with a message and an unknown type is unread, and the file says so", () => {
  const said = { role: "user", content: "Hi." };
  for (const row of [
    { uuid: "a", parentUuid: null, sessionId: "s", type: "brand_new", message: said },
    { id: "a", parentId: null, type: "brand_new", message: said },
    { timestamp: "2026-06-01T10:00:00Z", type: "brand_new", payload: said },
  ]) {
    const known = {
      uuid: () => ({ ...row, uuid: "b", parentUuid: "a", type: "user", message: said }),
      id: () => ({ ...row, id: "b", parentId: "a", type: "message", message: said }),
      timestamp: () => ({ ...row, type: "response_item", payload: { type: "message", ...said } }),
    }[Object.keys(row)[0]]();
    const { messages, skipped, unread } = parseTranscript(`${json(row)}\n${json(known)}`);
    assert.equal(messages.length, 1);
    assert.deepEqual(skipped, [{ row: 1, reason: 'type: a row of the type "brand_new" is not read' }]);
    assert.equal(unread?.count, 1);
  }
});

test("a file of a known kind without a reader is refused by its name", () => {
  for (const [name, file] of [
    ["Grok export", [{ conversation: { id: "c" }, responses: [] }]],
    ["DeepSeek export", [{ title: "Seats", inserted_at: "2026-06-01", mapping: {} }]],
    ["Zulip export", { zerver_message: [] }],
  ]) {
    assert.throws(
      () => parseTranscript(json(file)),
      (error) => String(error).includes(/** @type {string} */ (name)),
      /** @type {string} */ (name),
    );
  }
});
