// assistant-ui's `ThreadMessage`.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, countTokens, memoryStore, openSession, plainMessage } from "windrow";
import { threadHistory } from "windrow/assistant-ui";
import { inSteps, STEP } from "../../support/in-steps.mjs";
import { checkRandomShape } from "../../support/random-shape.mjs";
import { checkShape } from "../../support/shape-cases.mjs";

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PDF = "JVBERi0xLjQKMSAwIG9iago8PC9UeXBlL0NhdGFsb2c+PgplbmRvYmoKdHJhaWxlcjw8Pj4KJSVFT0YK";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const LONG = "The boat house holds forty people, and it has a kitchen with a stove. ".repeat(8);
const encoding = "estimate";

const about = (id) => ({ id, createdAt: new Date(1746435780000), metadata: { custom: {} } });
/** @returns {any} */
const user = (id, content, contents = []) => ({
  ...about(id),
  role: "user",
  content,
  attachments: contents.map((content, at) => ({
    id: `f${at}`,
    type: "document",
    name: "plan.txt",
    contentType: "text/plain",
    content,
    status: { type: "complete" },
  })),
});
/** @returns {any} */
const assistant = (id, content, status = { type: "complete", reason: "stop" }) => ({
  ...about(id),
  role: "assistant",
  content,
  status,
  metadata: { unstable_state: null, unstable_annotations: [], unstable_data: [], steps: [], custom: {} },
});
const text = (said) => ({ type: "text", text: said });
const call = (toolCallId, more) => ({
  type: "tool-call",
  toolCallId,
  toolName: "look",
  args: { q: 1 },
  argsText: '{"q":1}',
  ...more,
});

const sample = () => [
  { ...about("s"), role: "system", content: [text("Be brief.")] },
  user(
    "a",
    [
      text("Which boat house?"),
      { type: "image", image: PIXEL, filename: "photo.png" },
      { type: "data", name: "page", data: { shown: "no model sees this" } },
    ],
    [
      [text("The plan says forty."), { type: "file", data: PDF, mimeType: "application/pdf", filename: "plan.pdf" }],
      [
        { type: "audio", audio: { data: WAV, format: "wav" } },
        { type: "file", data: "https://example.org/lake.pdf", mimeType: "application/pdf", sourceType: "url" },
      ],
    ],
  ),
  assistant("b", [
    { type: "reasoning", text: "Let me look.", providerMetadata: { anthropic: { signature: "s" } } },
    call("t1", { result: { people: 40 }, artifact: { map: "for the page alone" } }),
    call("t2", { result: "no boat", isError: true }),
    call("t3", { approval: { id: "p", approved: false } }),
    call("t4", { approval: { id: "p", approved: false, reason: "too dear" } }),
    call("t5", { result: { raw: 1 }, modelContent: [text("nobody")] }),
    { type: "source", sourceType: "url", id: "s", url: "https://example.org/boats" },
    { type: "generative-ui", spec: { root: "no model sees this" } },
    text(LONG),
  ]),
  user("c", [text("And the kitchen?")]),
  assistant("d", [text("It has")], { type: "incomplete", reason: "cancelled" }),
];

const own = (toolCallId, output) => [
  { type: "tool-call", toolCallId, toolName: "look", input: { q: 1 } },
  { type: "tool-result", toolCallId, output },
];

checkShape({
  name: "assistant-ui",
  sample,
  plain: [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        "Which boat house?",
        { type: "image", url: PIXEL },
        "The plan says forty.",
        { type: "file", data: PDF, mediaType: "application/pdf", filename: "plan.pdf" },
        { type: "audio", data: WAV, mediaType: "audio/wav" },
        { type: "file", url: "https://example.org/lake.pdf", mediaType: "application/pdf" },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Let me look." },
        ...inSteps([
          ...own("t1", { people: 40 }),
          ...own("t2", "no boat"),
          ...own("t3", "Tool execution denied."),
          ...own("t4", "too dear"),
          ...own("t5", "nobody"),
        ]),
        text(LONG),
      ],
    },
    { role: "user", content: "And the kitchen?" },
    { role: "assistant", content: "It has" },
  ],
  texts: ["Which boat house?", "The plan says forty.", "[Calling look(", '"people":40', "nobody", "too dear"],
  unknown: () => [
    [user("x", [{ type: "hologram" }]), ".content[0].type"],
    [user("x", [{ type: "text" }]), ".content[0].text"],
    [user("x", [text("hi")], [[{ type: "file", mimeType: "image/png" }]]), ".attachments[0].content[0].data"],
    [assistant("x", [{ ...call("t"), toolName: undefined }]), ".content[0].toolName"],
    [{ ...assistant("x", []), role: "ghost" }, ".role"],
    [{ ...user("x", []), text: "Hello there." }, ".text"],
  ],
});

describe("assistant-ui's ThreadMessage", () => {
  test("the status type complete means completed, and no other type does", () => {
    const messages = sample();
    const { kept } = buildContextSync(messages, { encoding, request: null, filter: { completedOnly: true } });
    assert.deepEqual(
      messages.filter((message) => !kept.includes(message)),
      [messages.at(-1)],
    );
  });

  test("a call without a result is open, and so is one whose result isn't the last", () => {
    for (const more of [{}, { result: "so far", isPreliminary: true }]) {
      const message = assistant("x", [call("t", more)], { type: "requires-action", reason: "tool-calls" });
      assert.deepEqual(
        plainMessage(message).content.map(({ type }) => type),
        ["tool-call"],
      );
    }
  });

  test("results follow parallel calls: a step begins when the assistant thinks again", () => {
    const thought = { type: "reasoning", text: "hm" };
    const done = (id) => call(id, { result: "x" });
    const { content } = plainMessage(assistant("x", [thought, done("a"), done("b"), thought, done("c"), text("It.")]));
    assert.deepEqual(
      content.map((/** @type {any} */ { type, toolCallId = "" }) => `${type} ${toolCallId}`.trim()),
      [
        ...["reasoning", "tool-call a", "tool-call b", "tool-result a", "tool-result b"],
        ...["reasoning", "tool-call c", "tool-result c", "text"],
      ],
    );
  });

  test("a session of the history adapter has the words and the attachments", async () => {
    const session = await openSession("web:main", { store: memoryStore() });
    const { append, load } = threadHistory(session);
    const messages = sample();
    for (const [at, message] of messages.entries()) {
      await append({ parentId: messages[at - 1]?.id ?? null, message });
    }
    assert.deepEqual(
      (await load()).messages.map(({ message }) => message),
      JSON.parse(JSON.stringify(messages), (name, value) => (name === "createdAt" ? new Date(value) : value)),
    );
    const said = await session.build({ encoding, request: null, render: { format: "text" } });
    assert.match(said.text, /The plan says forty\..*\[Calling look\(.*too dear/s);
  });

  test("the state of a message on the page is read as the message", () => {
    const [, , message] = sample();
    const parts = message.content.map((part) => ({ ...part, status: message.status }));
    const state = { ...message, parts, index: 2, isLast: false, branchNumber: 1, branchCount: 1, parentId: "a" };
    const cost = (one) => countTokens([one], { encoding }).tokens;
    assert.equal(cost(state), cost(message));
  });

  test("attachments in another form are left to windrow's own reader", () => {
    /** @type {any} */
    const message = { role: "user", content: [{ type: "image_url", image_url: { url: PIXEL } }], attachments: [] };
    assert.deepEqual(buildContextSync([message], { encoding }).messages, [message]);
  });

  test("a shortened message keeps its attachments with less text", () => {
    const message = { ...user("x", [text("Sum it up.")], [[text(LONG)]]), pinned: true };
    /** @satisfies {import("windrow").BudgetConfig} */
    const budget = { maxTokens: 40, onRequiredOverflow: "shorten" };
    const { messages, tokens } = buildContextSync([message], { encoding, request: null, budget });
    assert.deepEqual([messages[0].attachments[0].id, messages[0].attachments[0].content], ["f0", []]);
    assert.match(messages[0].content[0].text, /^Sum it up/);
    assert.equal(countTokens(messages, { encoding }).tokens, tokens.total);
  });
});

checkRandomShape({
  name: "assistant-ui",
  conversation: (random) =>
    Array.from({ length: random.integer(1, 8) }, (_, position) => {
      const role = random.pick(["user", "assistant", "assistant"]);
      const id = `m${position}`;
      const pairs = Array.from({ length: random.integer(0, 5) }, (_, at) => randomPart(random, role, `${id}-${at}`));
      const parts = pairs.map(([part]) => part);
      const plain = { id, role, createdAt: about(id).createdAt, content: inSteps(pairs.flatMap(([, of]) => of)) };
      if (role === "assistant") {
        return [assistant(id, parts), { ...plain, status: "completed" }];
      }
      const beside = parts.splice(random.integer(0, parts.length));
      const ofFile = (part) => (part.type === "text" ? { ...part, origin: "file" } : part);
      const content = pairs.flatMap(([, of], at) => (at < parts.length ? of : of.map(ofFile)));
      return [
        user(
          id,
          parts,
          beside.map((part) => [part]),
        ),
        { ...plain, content },
      ];
    }),
});

/** A part, and its equivalent in windrow's own form. */
function randomPart(random, role, toolCallId) {
  const said = random.text(12);
  const words = () => [text(said), [text(said)]];
  const unseen = () => [{ type: random.pick(["source", "data", "generative-ui"]), data: said }, []];
  const image = () => [{ type: "image", image: PIXEL }, [{ type: "image", url: PIXEL }]];
  const reasoning = () => [
    { type: "reasoning", text: said },
    said === "" ? [STEP] : [STEP, { type: "reasoning", text: said }],
  ];
  const called = () =>
    random.pick([
      [call(toolCallId), own(toolCallId).slice(0, 1)],
      [call(toolCallId, { result: said }), own(toolCallId, said)],
      [call(toolCallId, { result: { found: [said] } }), own(toolCallId, { found: [said] })],
      [call(toolCallId, { approval: { id: "a", approved: false, reason: said } }), own(toolCallId, said)],
    ]);
  return random.pick(role === "assistant" ? [words, reasoning, unseen, called, called] : [words, image, unseen])();
}
