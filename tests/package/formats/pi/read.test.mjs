// `AgentMessage` of pi-agent-core, which OpenClaw uses too.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, countTokens } from "windrow";
import { checkRandomShape } from "../../support/random-shape.mjs";
import { checkShape } from "../../support/shape-cases.mjs";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const LONG = "The boat house holds forty people, and it has a kitchen with a stove. ".repeat(8);
const encoding = "estimate";
const START = 1746435780000;

const image = { type: "image", data: PIXEL, mimeType: "image/png" };
const text = (said) => ({ type: "text", text: said });
const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost: { total: 0 } };
const about = { api: "anthropic-messages", provider: "anthropic", model: "m", usage, stopReason: "stop" };
const call = (id, more) => ({ type: "toolCall", id, name: "look", arguments: { q: 1 }, ...more });
const result = (toolCallId, content, more) => ({
  role: "toolResult",
  toolCallId,
  toolName: "look",
  content,
  isError: false,
  timestamp: START + 5,
  ...more,
});

const sample = () => [
  // Its time is later than the next message's, but it stays in place.
  { role: "compactionSummary", summary: "We looked for a boat.", tokensBefore: 90_000, timestamp: START + 99 },
  { role: "branchSummary", summary: "The boat sank.", fromId: "b", timestamp: START + 99 },
  { role: "user", content: "Which boat house?", timestamp: START },
  { role: "user", content: [text("Like this one?"), image], timestamp: START + 1 },
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Let me look.", thinkingSignature: "s" },
      { type: "thinking", thinking: "", thinkingSignature: "c2VhbGVk" },
      { type: "thinking", thinking: "[redacted]", thinkingSignature: "c2U=", redacted: true },
      { ...text("I look."), textSignature: "t" },
      call("t1", { thoughtSignature: "g" }),
      call("t2"),
      { type: "functionCall", id: "t3", name: "ask", input: {} },
    ],
    ...about,
    responseId: "r",
    stopReason: "toolUse",
    timestamp: START + 2,
  },
  result("t1", [text("forty people"), image], { details: { rows: [{ type: "text", text: "never seen" }] } }),
  result("t2", [text("nobody")], { isError: true }),
  result("t3", [], { toolName: "ask", timestamp: START + 6 }),
  {
    role: "bashExecution",
    command: "ls boats",
    output: LONG,
    exitCode: 2,
    cancelled: false,
    truncated: true,
    fullOutputPath: "/tmp/out",
    timestamp: START + 7,
  },
  { role: "bashExecution", command: "true", output: "", exitCode: undefined, cancelled: true, timestamp: START + 7 },
  {
    role: "custom",
    customType: "note",
    content: "Mind the stove.",
    display: false,
    details: { a: 1 },
    timestamp: START + 8,
  },
  { role: "custom", customType: "shot", content: [image], display: true, timestamp: START + 8 },
  { role: "assistant", content: [text(LONG)], ...about, timestamp: START + 9 },
  { role: "user", content: "", timestamp: START + 10 },
];

const ownImage = { type: "image", data: PIXEL };

checkShape({
  name: "pi",
  sample,
  together: [[4, 5, 6, 7]],
  plain: [
    {
      role: "user",
      content:
        "The conversation history before this point was compacted into the following summary:\n\n<summary>\nWe looked for a boat.\n</summary>",
    },
    {
      role: "user",
      content:
        "The following is a summary of a branch that this conversation came back from:\n\n<summary>\nThe boat sank.</summary>",
    },
    { role: "user", content: "Which boat house?" },
    { role: "user", content: ["Like this one?", ownImage] },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Let me look." },
        { type: "reasoning", text: "", signature: "c2VhbGVk" },
        { type: "redacted_thinking", data: "c2U=" },
        "I look.",
        { type: "tool-call", toolCallId: "t1", toolName: "look", input: { q: 1 } },
        { type: "tool-call", toolCallId: "t2", toolName: "look", input: { q: 1 } },
        { type: "tool-call", toolCallId: "t3", toolName: "ask", input: {} },
      ],
    },
    { role: "tool", toolCallId: "t1", content: ["forty people", ownImage] },
    { role: "tool", toolCallId: "t2", content: "nobody" },
    { role: "tool", toolCallId: "t3", content: [] },
    {
      role: "user",
      content: `Ran \`ls boats\`\n\`\`\`\n${LONG}\n\`\`\`\n\nCommand exited with code 2\n\n[Output truncated. Full output: /tmp/out]`,
    },
    { role: "user", content: "Ran `true`\n(no output)\n\n(command cancelled)" },
    { role: "user", content: "Mind the stove." },
    { role: "user", content: [ownImage] },
    { role: "assistant", content: LONG },
    { role: "user", content: "" },
  ],
  texts: ["Which boat house?", "We looked for a boat.", "[Calling look(", "forty people", "nobody", "Ran `ls boats`"],
  unknown: () => [
    [{ role: "toolResult", toolCallId: "t", content: [text("a"), { type: "hologram" }] }, ".content[1].type"],
    [{ role: "toolResult", content: [text("a")] }, ".toolCallId"],
    [{ role: "assistant", content: [{ type: "thinking" }], ...about, timestamp: START }, ".content[0].thinking"],
    [{ role: "assistant", content: [{ type: "toolCall", id: "t" }], ...about, timestamp: START }, ".content[0].name"],
    [{ role: "assistant", content: [call(undefined)], ...about, timestamp: START }, ".content[0].id"],
    [{ role: "custom", customType: "a", content: [{ type: "image" }], timestamp: START }, ".content[0].data"],
    [{ role: "bashExecution", command: "ls", output: 5, timestamp: START }, ".output"],
    [{ role: "toolResult", toolCallId: "t", content: [], text: "Hello there." }, ".text"],
    [{ role: "notification", content: "Hi.", timestamp: START }, ".role"],
  ],
});

const costOf = (...messages) => countTokens(messages, { encoding }).tokens;

describe("pi's AgentMessage", () => {
  test("has a time", () => {
    /** @type {any[]} */
    const messages = [
      { role: "user", content: "Hi", timestamp: START },
      { role: "assistant", content: [text("Ho")], ...about, timestamp: START + 60_000 },
      { role: "custom", customType: "note", content: "Boats.", display: true, timestamp: START + 120_000 },
    ];
    const { text: said } = buildContextSync(messages, { encoding, render: { format: "text", times: true } });
    assert.match(said, /09:03[\s\S]*Hi[\s\S]*09:04[\s\S]*Ho[\s\S]*09:05[\s\S]*Boats/);
  });

  test("isn't a message with a timestamp of another kind, whose time is read as usual", () => {
    const plain = { role: "user", content: "Hi" };
    for (const more of [
      { timestamp: START / 1000 },
      { timestamp: "2025-05-05" },
      { timestamp: START, createdAt: START - 86_400_000 },
      { timestamp: START, name: "Mara" },
      { timestamp: START, content: [{ type: "image_url", image_url: { url: "https://example.org/a.png" } }] },
    ]) {
      /** @type {any} */
      const { timestamp, ...untimed } = { ...plain, ...more };
      /** @satisfies {import("windrow").ContextConfig} */
      const options = { encoding, render: { format: "text", times: true } };
      assert.equal(
        buildContextSync([{ ...untimed, timestamp }], options).text,
        buildContextSync([{ createdAt: timestamp, ...untimed }], options).text,
      );
    }
  });

  test("is recognized with an id and a time too, as a session stores it", () => {
    const messages = sample();
    const kept = messages.map((message, at) => ({ ...message, id: `m${at}`, createdAt: START }));
    for (const [at, message] of kept.entries()) {
      assert.equal(costOf(message), costOf(messages[at]));
    }
  });

  test("that is hidden from the model is never shown", () => {
    const hidden = { role: "bashExecution", command: "pwd", output: "/", excludeFromContext: true, timestamp: START };
    const shown = { role: "user", content: "Hi", timestamp: START };
    const context = buildContextSync([hidden, shown], { encoding });
    assert.deepEqual(context.messages, [shown]);
    assert.equal(context.explain(0).reason, "deleted");
  });

  test("that failed or was aborted isn't a completed turn", () => {
    const failed = (stopReason) => ({
      ...about,
      role: "assistant",
      content: [text("Half")],
      stopReason,
      errorMessage: "overloaded",
      timestamp: START,
    });
    /** @type {any[]} */
    const messages = [{ role: "user", content: "Hi", timestamp: START }, ...["error", "aborted", "stop"].map(failed)];
    const kept = (filter) => buildContextSync(messages, { encoding, filter }).messages;
    assert.deepEqual(kept({}), messages);
    assert.deepEqual(kept({ completedOnly: true }), [messages[0], messages[3]]);
  });

  test("that is written out becomes the user's when it is shortened", () => {
    for (const message of [
      { role: "bashExecution", command: "ls", output: LONG, exitCode: 0, cancelled: false, truncated: false },
      { role: "compactionSummary", summary: LONG, tokensBefore: 1 },
      { role: "branchSummary", summary: LONG, fromId: "b" },
    ]) {
      const whole = { ...message, timestamp: START, pinned: true };
      /** @satisfies {import("windrow").ContextConfig} */
      const options = { encoding, request: null, budget: { maxTokens: 60, onRequiredOverflow: "shorten" } };
      const { messages, tokens } = buildContextSync([whole], options);
      const [{ content, ...copy }] = /** @type {readonly any[]} */ (messages);
      assert.deepEqual(copy, { role: "user", timestamp: START, pinned: true, shortened: true });
      assert.equal(content[0].type, "text");
      assert.equal(costOf(messages[0]), tokens.total);
    }
  });

  test("may be a system message", () => {
    const message = { role: "system", content: [text("Be brief.")], timestamp: START };
    assert.equal(costOf(message), costOf({ role: "system", content: "Be brief." }));
  });
});

checkRandomShape({
  name: "pi",
  conversation(random) {
    const pairs = [];
    for (let turn = random.integer(1, 6); turn > 0; turn--) {
      pairs.push(...randomTurn(random, turn, START + pairs.length * 60_000));
    }
    return pairs;
  },
});

/** A message, or a call with its results, each with its equivalent in windrow's own form. */
function randomTurn(random, turn, timestamp) {
  const said = random.text(12);
  const createdAt = timestamp;
  const asUser = (content) => ({ role: "user", content, createdAt });
  const ofFile = (words) => ({ type: "text", text: words, origin: "file" });
  const kind = random.pick(["user", "user", "image", "custom", "bash", "summary", "answer", "calls", "calls", "calls"]);
  switch (kind) {
    case "user":
      return [[{ role: "user", content: said, timestamp }, asUser(said)]];
    case "image":
      return [[{ role: "user", content: [text(said), image], timestamp }, asUser([said, ownImage])]];
    case "custom":
      return [
        [{ role: "custom", customType: "note", content: [text(said)], display: true, timestamp }, asUser([said])],
      ];
    case "bash":
      return [
        [
          {
            role: "bashExecution",
            command: "ls",
            output: said,
            exitCode: 0,
            cancelled: false,
            truncated: false,
            timestamp,
          },
          asUser([ofFile(`Ran \`ls\`\n${said === "" ? "(no output)" : `\`\`\`\n${said}\n\`\`\``}`)]),
        ],
      ];
    case "summary":
      return [
        [
          { role: "branchSummary", summary: said, fromId: "b", timestamp },
          {
            role: "user",
            content: [
              ofFile(
                `The following is a summary of a branch that this conversation came back from:\n\n<summary>\n${said}</summary>`,
              ),
            ],
          },
        ],
      ];
    case "answer":
      return [
        [
          { role: "assistant", content: [{ type: "thinking", thinking: said }, text(said)], ...about, timestamp },
          { role: "assistant", content: [{ type: "reasoning", text: said }, said], createdAt },
        ],
      ];
    default:
      return randomCalls(random, turn, timestamp);
  }
}

function randomCalls(random, turn, timestamp) {
  const createdAt = timestamp;
  const ids = Array.from({ length: random.integer(1, 3) }, (_, at) => `c${turn}-${at}`);
  const said = random.text(4);
  const called = [
    { role: "assistant", content: [text(said), ...ids.map((id) => call(id))], ...about, timestamp },
    {
      role: "assistant",
      content: [
        said,
        ...ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "look", input: { q: 1 } })),
      ],
      createdAt,
    },
  ];
  const results = ids.map((id) => {
    const content = Array.from({ length: random.integer(0, 2) }, () => text(random.text(8)));
    const isError = random.chance(0.2);
    return [
      result(id, content, { timestamp, isError }),
      { role: "tool", toolCallId: id, content: content.map((part) => part.text), createdAt },
    ];
  });
  return [called, ...results];
}
