// opencode's messages.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, countTokens } from "windrow";
import { inSteps, STEP } from "../../support/in-steps.mjs";
import { checkRandomShape } from "../../support/random-shape.mjs";
import { checkShape } from "../../support/shape-cases.mjs";

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const LONG = "The boat house holds forty people, and it has a kitchen with a stove. ".repeat(8);
const encoding = "estimate";
const time = { start: 1, end: 2 };

/** A message in the form that opencode passes to plugins and stores in sessions. */
function message(id, role, parts, more = {}) {
  const about = { id, role, sessionID: "ses_1", agent: "build", time: { created: 1746435780000 }, ...more };
  const ofUser = {
    model: { providerID: "p", modelID: "m" },
    system: "Be brief.",
    summary: { title: "Boats", diffs: [] },
  };
  const ofAssistant = { parentID: "a", modelID: "m", providerID: "p", mode: "build", cost: 0, tokens: { input: 1 } };
  return {
    info: { ...(role === "user" ? ofUser : ofAssistant), ...about },
    parts: parts.map((part, at) => ({ id: `prt_${at}`, sessionID: "ses_1", messageID: id, ...part })),
  };
}

const tool = (callID, state) => ({ type: "tool", callID, tool: "look", state: { input: { q: 1 }, ...state } });

const sample = () => [
  message("a", "user", [
    { type: "text", text: "Which boat house? @explore" },
    { type: "agent", name: "explore", source: { value: "@explore", start: 18, end: 26 } },
    { type: "text", text: "Ask the agent explore.", synthetic: true },
    { type: "text", text: "Only for the screen.", ignored: true },
    { type: "file", mime: "image/png", filename: "lake.png", url: PIXEL },
    // Its text is in a separate opencode text.
    { type: "file", mime: "text/plain", filename: "lake.txt", url: "file:///lake.txt", source: { type: "file" } },
    { type: "file", mime: "application/x-directory", url: "file:///boats" },
    { type: "text", text: "<file>The lake is deep.</file>", synthetic: true },
  ]),
  message("b", "assistant", [
    { type: "step-start", snapshot: "s0" },
    { type: "reasoning", text: "Let me look.", metadata: { anthropic: { signature: "s" } }, time },
    { type: "reasoning", text: "", metadata: { openai: { itemId: "r", reasoningEncryptedContent: "c2VhbGVk" } }, time },
    tool("t1", { status: "completed", output: "forty people", title: "Look", metadata: { n: 1 }, time }),
    tool("t2", { status: "error", error: "nobody", time }),
    tool("t3", { status: "error", error: "aborted", metadata: { interrupted: true, output: "half of it" }, time }),
    tool("t4", { status: "running", time }),
    tool("t5", { status: "pending", raw: '{"q' }),
    tool("t6", { status: "completed", output: LONG, title: "Look", metadata: {}, time: { ...time, compacted: 3 } }),
    { type: "patch", hash: "h", files: ["a.ts"] },
    { type: "snapshot", snapshot: "s1" },
    { type: "retry", attempt: 1, error: { name: "APIError", data: { message: "overloaded" } }, time: { created: 1 } },
    { type: "step-finish", reason: "tool-calls", cost: 0, tokens: {} },
  ]),
  message("c", "assistant", [{ type: "text", text: LONG, time }]),
  message("d", "user", [{ type: "compaction", auto: true }]),
  message("e", "assistant", [{ type: "text", text: "We looked for a boat house." }], { summary: true }),
  message("f", "user", [{ type: "subtask", prompt: "Find a boat.", description: "boat", agent: "explore" }]),
  message("g", "user", []),
];

const own = (toolCallId, output) => [
  { type: "tool-call", toolCallId, toolName: "look", input: { q: 1 } },
  { type: "tool-result", toolCallId, output },
];

checkShape({
  name: "opencode",
  sample,
  plain: [
    {
      role: "user",
      content: [
        "Which boat house? @explore",
        "Ask the agent explore.",
        { type: "image", url: PIXEL },
        "<file>The lake is deep.</file>",
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Let me look." },
        { type: "redacted_thinking", data: "c2VhbGVk" },
        ...inSteps([
          ...own("t1", "forty people"),
          ...own("t2", "nobody"),
          ...own("t3", "half of it"),
          ...own("t4", "[Tool execution was interrupted]"),
          ...own("t5", "[Tool execution was interrupted]"),
          ...own("t6", "[Old tool result content cleared]"),
        ]),
      ],
    },
    { role: "assistant", content: LONG },
    { role: "user", content: "What did we do so far?" },
    { role: "assistant", content: "We looked for a boat house." },
    { role: "user", content: "The following tool was executed by the user" },
    { role: "user", content: [] },
  ],
  texts: ["Which boat house?", "The lake is deep.", "[Calling look(", "forty people", "nobody", "half of it"],
  unknown: () => [
    [message("x", "user", [{ type: "text", text: "a" }, { type: "hologram" }]), ".parts[1].type"],
    [message("x", "assistant", [{ type: "text" }]), ".parts[0].text"],
    [message("x", "user", [{ type: "file", mime: "image/png" }]), ".parts[0].url"],
    [message("x", "assistant", [{ type: "tool", tool: "look", state: {} }]), ".parts[0].callID"],
    [message("x", "assistant", [tool("t", { status: "odd" })]), ".parts[0].state.status"],
    [message("x", "assistant", [tool("t", { status: "completed", time })]), ".parts[0].state.output"],
    [
      message("x", "assistant", [tool("t", { status: "completed", output: "", attachments: [{ mime: "image/png" }] })]),
      ".parts[0].state.attachments[0].url",
    ],
    [message("x", "robot", []), ".role"],
    [{ ...message("x", "user", []), text: "Hello there." }, ".text"],
  ],
});

const costOf = (...messages) => countTokens(messages, { encoding }).tokens;

describe("opencode's messages", () => {
  test("belong to their session, and have their times", () => {
    const messages = [
      message("a", "user", [{ type: "text", text: "Hi" }]),
      message("b", "user", [{ type: "text", text: "Ho" }], { sessionID: "ses_2", time: { created: 1746435840000 } }),
    ];
    const context = buildContextSync(messages, { encoding, sessionId: "ses_2" });
    assert.deepEqual(context.messages, [messages[1]]);
    const { text } = buildContextSync(messages, { encoding, render: { format: "text", times: true } });
    assert.match(text, /09:03[\s\S]*Hi[\s\S]*09:04[\s\S]*Ho/);
    assert.equal(context.explain("b").position, 1);
  });

  test("a tool's images count with its result, and stay when its text is shortened", () => {
    const attachments = [{ type: "file", mime: "image/png", url: PIXEL }];
    const state = { status: "completed", output: LONG, title: "", metadata: {}, time, attachments };
    const whole = message("a", "assistant", [tool("t1", state)]);
    const output = {
      type: "content",
      value: [
        { type: "text", text: LONG },
        { type: "image", url: PIXEL },
      ],
    };
    assert.equal(costOf(whole), costOf({ role: "assistant", content: own("t1", output) }));
    /** @satisfies {import("windrow").BudgetConfig} */
    const budget = { maxTokens: costOf(whole) - 40, onRequiredOverflow: "shorten" };
    /** @satisfies {import("windrow").ContextConfig} */
    const options = { encoding, request: null, budget };
    /** @type {import("windrow").BuiltContext<any>} */
    const { messages, tokens } = buildContextSync([{ ...whole, pinned: true }], options);
    assert.equal(messages[0].parts[0].state.attachments, attachments);
    assert.equal(costOf(messages[0]), tokens.total);
    // If opencode has cleared the result, its images are cleared too.
    const cleared = message("a", "assistant", [tool("t1", { ...state, time: { ...time, compacted: 3 } })]);
    assert.ok(costOf(cleared) < 60);
  });

  test("a summary precedes the messages that opencode has kept", () => {
    const at = (created) => ({ time: { created: 1746435780000 + created } });
    const messages = [
      message("c", "user", [{ type: "compaction", auto: true, tail_start_id: "a" }], at(3)),
      message("d", "assistant", [{ type: "text", text: "We looked." }], { summary: true, ...at(4) }),
      message("a", "user", [{ type: "text", text: "And the kitchen?" }], at(1)),
      message("b", "assistant", [{ type: "text", text: "It has one." }], at(2)),
      message("e", "user", [{ type: "text", text: "And the price?" }], at(5)),
    ];
    assert.deepEqual(buildContextSync(messages, { encoding }).messages, messages);
  });

  test("that failed or were aborted aren't completed turns", () => {
    const said = [{ type: "text", text: "Half of it." }];
    const messages = [
      message("a", "user", [{ type: "text", text: "Hi" }]),
      message("b", "assistant", said, { error: { name: "APIError", data: { message: "overloaded" } } }),
      message("c", "assistant", said, { error: { name: "MessageAbortedError", data: { message: "stop" } } }),
      message("d", "assistant", said),
    ];
    const kept = (filter) => buildContextSync(messages, { encoding, filter }).messages;
    assert.deepEqual(kept({}), messages);
    assert.deepEqual(kept({ completedOnly: true }), [messages[0], messages[3]]);
  });

  test("hidden parts of a user message stay hidden when it is shortened", () => {
    const hidden = { type: "text", text: "Only for the screen.", ignored: true };
    const whole = message("a", "user", [hidden, { type: "text", text: LONG }]);
    /** @satisfies {import("windrow").BudgetConfig} */
    const budget = { maxTokens: 50, onRequiredOverflow: "shorten" };
    /** @type {import("windrow").BuiltContext<any>} */
    const { messages } = buildContextSync([{ ...whole, pinned: true }], { encoding, request: null, budget });
    assert.deepEqual(messages[0].parts[0], whole.parts[0]);
    assert.ok(messages[0].parts[1].text.length < LONG.length);
  });
});

checkRandomShape({
  name: "opencode",
  conversation: (random) =>
    Array.from({ length: random.integer(1, 8) }, (_, position) => {
      const id = `m${position}`;
      const role = random.pick(["user", "assistant", "assistant"]);
      const pairs = Array.from({ length: random.integer(0, 5) }, (_, at) => randomPart(random, role, `${id}-${at}`));
      const created = 1746435780000 + position * 60_000;
      return [
        message(
          id,
          role,
          pairs.map(([part]) => part),
          { time: { created } },
        ),
        {
          id,
          role,
          ...(pairs.some(([{ type }]) => type === "compaction") ? {} : { createdAt: created }),
          sessionId: "ses_1",
          content: inSteps(pairs.flatMap(([, of]) => of)),
        },
      ];
    }),
});

/** A part, and its equivalent in windrow's own form. */
function randomPart(random, role, callID) {
  const text = random.text(12);
  const words = () =>
    random.chance(0.3)
      ? [{ type: "text", text, synthetic: true }, [{ type: "text", text, origin: "file" }]]
      : [{ type: "text", text }, [{ type: "text", text }]];
  const hidden = () => [{ type: "text", text, ignored: true }, []];
  const unseen = () => {
    const type = random.pick(["step-start", "step-finish", "patch", "agent", "retry"]);
    return [{ type, name: text }, type === "step-start" ? [STEP] : []];
  };
  const image = () => [{ type: "file", mime: "image/png", url: PIXEL }, [{ type: "image", url: PIXEL }]];
  const told = () => [{ type: "compaction", auto: true }, [{ type: "text", text: "What did we do so far?" }]];
  const reasoning = () => [{ type: "reasoning", text, time }, text === "" ? [] : [{ type: "reasoning", text }]];
  const called = () => randomTool(random, callID, text);
  const ofAssistant = [words, reasoning, unseen, called, called];
  return random.pick(role === "user" ? [words, words, hidden, unseen, image, told] : ofAssistant)();
}

function randomTool(random, callID, text) {
  const interrupted = { interrupted: true, output: text };
  const [state, output] = random.pick([
    [{ status: "completed", output: text, time }, text],
    [{ status: "completed", output: text, time: { ...time, compacted: 3 } }, "[Old tool result content cleared]"],
    [{ status: "error", error: text, time }, text],
    [{ status: "error", error: "aborted", metadata: interrupted, time }, text],
    [{ status: random.pick(["pending", "running"]), raw: "", time }, "[Tool execution was interrupted]"],
  ]);
  return [tool(callID, state), own(callID, output)];
}
