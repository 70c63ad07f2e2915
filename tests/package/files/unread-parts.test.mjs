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
        "user text: And this?\n[Attached file: image]",
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
