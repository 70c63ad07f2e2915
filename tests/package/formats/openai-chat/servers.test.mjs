// OpenAI-compatible servers get back the fields that they set on assistant messages; OpenAI gets none of them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, countTokens, loadEncoding, problemsOf, requestOf, servers } from "windrow";
import { forEachSeed } from "../../support/property.mjs";

await loadEncoding("o200k_base");

const OTHER_MODELS = [
  "deepseek-v4-pro",
  "kimi-k2-thinking",
  "zai-org/GLM-5.1",
  "gemini-3-pro",
  "openrouter/auto",
  "x-ai/grok-4",
];
const OPENAI = /** @type {const} */ ("openai");
const OPENAI_MODELS = ["gpt-5", "gpt-4o", "o3", "openai/gpt-4.1", "ft:gpt-4o:acme"];

/** Returns a text. Lone surrogates, which no request may contain, are replaced. */
const words = (random, most) => random.text(most).toWellFormed();

/** Returns a value that a server may set. */
function randomValue(random, depth = 0) {
  const makers = [
    () => words(random, 6),
    () => random.integer(-5, 1000),
    () => random.chance(0.5),
    () => Array.from({ length: random.integer(0, 3) }, () => randomValue(random, depth + 1)),
    () => ({ note: randomValue(random, depth + 1), [`f${random.integer(0, 9)}`]: words(random, 3) }),
  ];
  return random.pick(depth > 2 ? makers.slice(0, 3) : makers)();
}

const NAMES = [
  "extra_content",
  "provider_specific_fields",
  "thinking_blocks",
  "thought_signature",
  "vendor_state",
  "annotations",
];

function randomFields(random, names) {
  const chosen = names.filter(() => random.chance(0.4));
  return Object.fromEntries([...chosen, `x_${random.integer(0, 999)}`].map((name) => [name, randomValue(random)]));
}

/** Returns a conversation whose assistant messages have server fields, and the fields of each. */
function randomTurns(random) {
  /** @type {any[]} */
  const messages = [];
  const set = [];
  for (let turn = random.integer(1, 4); turn > 0; turn--) {
    messages.push({ role: "user", content: `Question ${turn}: ${words(random, 5)}` });
    const fields = randomFields(random, NAMES);
    if (random.chance(0.5)) {
      fields.reasoning_content = words(random, 8);
    }
    if (random.chance(0.4)) {
      const detail = {
        type: "reasoning.text",
        text: words(random, 5),
        format: "anthropic-claude-v1",
      };
      fields.reasoning_details = [
        random.chance(0.5) ? { ...detail, signature: "c2ln" } : detail,
        { type: "reasoning.encrypted", data: "U0lH" },
      ];
    }
    if (random.chance(0.5)) {
      const ids = Array.from({ length: random.integer(1, 3) }, (_, at) => `call_${turn}_${at}`);
      const calls = ids.map((id) => ({
        id,
        type: "function",
        function: { name: "read", arguments: "{}" },
        ...(random.chance(0.6) ? randomFields(random, ["extra_content"]) : {}),
      }));
      messages.push({ role: "assistant", content: null, tool_calls: calls, ...fields });
      messages.push(...ids.map((tool_call_id) => ({ role: "tool", tool_call_id, content: words(random, 5) })));
    } else {
      messages.push({ role: "assistant", content: `Answer ${turn}: ${words(random, 5)}`, ...fields });
    }
    set.push(messages.findLast(({ role }) => role === "assistant"));
  }
  messages.push({ role: "user", content: "And?" });
  return { messages, set };
}

/** @returns {any[]} */
const byAssistant = ({ messages }) => messages.filter(({ role }) => role === "assistant");

/**
 * Returns the messages of a request.
 * @param {any[]} messages
 * @param {import("windrow").RequestTarget} target
 * @returns {any[]}
 */
const sentAs = (messages, target) => requestOf("openai", messages, target).messages;

/** Returns a message without fields that OpenAI doesn't know. */
const plain = ({ role, content, tool_calls: calls }) => ({
  role,
  content,
  ...(calls && { tool_calls: calls.map(({ id, type, function: called }) => ({ id, type, function: called })) }),
});

/** Fields that servers document, with parts and texts in them that aren't the message's. */
const DOCUMENTED = {
  liteLlm: {
    thinking_blocks: [
      { type: "thinking", thinking: "look", signature: "c2ln" },
      { type: "redacted_thinking", data: "U0lH" },
    ],
    provider_specific_fields: { reasoningContentBlocks: [{ reasoningText: { text: "look", signature: "c2ln" } }] },
  },
  groq: { executed_tools: [{ type: "mcp", name: "find", arguments: "{}", output: "two rooms" }] },
  perplexity: { search_results: [{ title: "Rooms", snippet: "two rooms" }], related_questions: ["Which room?"] },
  openRouter: { annotations: [{ type: "file", file: { name: "a.pdf", content: [{ type: "text", text: "a room" }] } }] },
  zai: { web_search: [{ title: "Rooms", content: "two rooms" }] },
  gemini: { extra_content: { google: { parts: [{ type: "text", text: "a room" }] } } },
};

describe("fields that a server set on assistant messages", () => {
  test("never make a message unreadable, whatever is in them and in the message", () => {
    for (const [name, fields] of Object.entries(DOCUMENTED)) {
      for (const content of ["Forty.", "", null]) {
        const messages = [
          { role: "user", content: "Which room?" },
          { role: "assistant", content, ...fields },
          { role: "user", content: "And?" },
        ];
        const [, answer] = sentAs(messages, { server: "other" });
        assert.deepEqual(answer, content ? messages[1] : messages[2], name);
        assert.ok(!JSON.stringify(sentAs(messages, { model: "gpt-5" })).includes('room"'), name);
      }
    }
  });

  test("hold Claude's thinking, which goes back to Anthropic with its signature", () => {
    const messages = [
      { role: "user", content: "Which room?" },
      { role: "assistant", content: "This one.", reasoning_content: "look", ...DOCUMENTED.liteLlm },
      { role: "user", content: "And?" },
    ];
    assert.deepEqual(requestOf("anthropic", messages).messages[1]?.content, [
      { type: "thinking", thinking: "look", signature: "c2ln" },
      { type: "text", text: "This one." },
    ]);
  });

  test("go back to it unchanged, and never to OpenAI, and are counted when sent", () => {
    forEachSeed((random) => {
      const { messages, set } = randomTurns(random);
      const model = random.pick(OTHER_MODELS);
      const render = random.chance(0.5) ? { provider: OPENAI } : {};
      const config = { budget: { maxTokens: 100_000 }, encoding: /** @type {const} */ ("o200k_base") };
      const context = buildContextSync(messages, { ...config, model, render });
      const body = context.request("openai");
      assert.deepEqual(byAssistant(body), set);
      assert.deepEqual(problemsOf("openai", { model, ...body }), []);
      assert.deepEqual(requestOf("openai", messages, { model }), body);
      const named = buildContextSync(messages, { ...config, render: { ...render, server: "other" } });
      assert.deepEqual(named.request("openai"), body);

      const stripped = messages.map((message) => (message.role === "assistant" ? plain(message) : message));
      const without = buildContextSync(stripped, { ...config, model, render: { provider: "openai" } });
      for (const target of [...OPENAI_MODELS.map((own) => ({ model: own })), { server: OPENAI }, {}]) {
        const { server, ...named } = /** @type {import("windrow").RequestTarget} */ (target);
        const own = buildContextSync(messages, { ...config, ...named, render: { provider: "openai", server } });
        assert.deepEqual(own.request("openai"), { messages: stripped });
        const ownStripped = buildContextSync(stripped, { ...config, ...named, render: { provider: "openai", server } });
        assert.equal(own.tokens.total, ownStripped.tokens.total);
        assert.deepEqual(requestOf("openai", messages, target), { messages: stripped });
      }
      assert.notDeepEqual(problemsOf("openai", { model: "gpt-5", ...body }), []);

      // Each additional value that is sent is counted.
      const values = set.flatMap(({ role: _role, content: _content, tool_calls: calls = [], ...fields }) => [
        ...Object.values(fields),
        ...calls.flatMap(({ id: _id, type: _type, function: _called, ...more }) => Object.values(more)),
      ]);
      const least = values.reduce((sum, value) => {
        const text = typeof value === "string" ? value : JSON.stringify(value);
        return sum + countTokens(text, { encoding: "o200k_base" }).tokens;
      }, 0);
      const more = context.tokens.total - without.tokens.total;
      assert.ok(more >= least - values.length, `${more} tokens for fields of ${least}`);
    });
  });

  test("fit the budget: a message without room for its fields is left out", () => {
    const turns = Array.from({ length: 6 }, (_, at) => [
      { id: `u${at}`, role: "user", content: `Question ${at}?` },
      {
        id: `a${at}`,
        role: "assistant",
        content: `Answer ${at}.`,
        reasoning_content: "because of the brochure ".repeat(40),
      },
    ]).flat();
    const budget = { maxTokens: 300 };
    const keptFor = (model) =>
      buildContextSync(turns, { request: "And?", budget, model, render: { provider: "openai" } }).kept.length;
    assert.ok(keptFor("deepseek-v4-pro") < keptFor("gpt-5"));
  });

  test("facts that an app stores on a message aren't sent", () => {
    const answer = {
      id: "7",
      role: "assistant",
      content: "Forty.",
      createdAt: "2026-01-01T00:00:00Z",
      updated_at: 5,
      metadata: { user: "u1" },
      usage: { total_tokens: 3 },
      model: "deepseek-v4-pro",
      render() {},
      tags: ["a"],
    };
    const messages = sentAs([{ role: "user", content: "Seats?" }, answer, { role: "user", content: "And?" }], {
      server: "other",
    });
    assert.deepEqual(messages[1], { role: "assistant", content: "Forty." });
  });

  test("calls and answers that are merged have the fields of both", () => {
    const messages = sentAs(
      [
        { role: "user", content: "Seats?" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "a", type: "function", function: { name: "read", arguments: "{}" } }],
          reasoning_content: "one",
          reasoning_details: [1],
        },
        { role: "assistant", content: "Wait.", reasoning_content: "two", reasoning_details: [2] },
        { role: "tool", tool_call_id: "a", content: "40" },
      ],
      { model: "deepseek-v4-pro" },
    );
    assert.equal(messages.length, 3);
    assert.equal(messages[1].reasoning_content, "one\ntwo");
    assert.deepEqual(messages[1].reasoning_details, [1, 2]);
  });

  test("a call whose id has to be rewritten keeps them", () => {
    const id = "call id ".repeat(12);
    const messages = sentAs(
      [
        { role: "user", content: "Seats?" },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id, type: "function", function: { name: "read", arguments: "{}" }, extra_content: { google: 1 } },
          ],
        },
        { role: "tool", tool_call_id: id, content: "40" },
      ],
      { model: "gemini-3-pro" },
    );
    assert.deepEqual(messages[1].tool_calls[0].extra_content, { google: 1 });
    assert.equal(messages[1].tool_calls[0].id, messages[2].tool_call_id);
  });

  test("reasoning of other formats goes into the server's field, unless another provider signed it", () => {
    const turns = (part) => [
      { role: "user", content: "Seats?" },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "I look", ...part },
          { type: "text", text: "Forty." },
        ],
      },
      { role: "user", content: "And?" },
    ];
    const sent = (part, model) => byAssistant({ messages: sentAs(turns(part), { model }) })[0];
    assert.equal(sent({}, "deepseek-v4-pro").reasoning_content, "I look");
    assert.equal(sent({}, "openrouter/auto").reasoning, "I look");
    const signed = { provider: "anthropic", signature: "c2ln" };
    for (const [part, model] of [
      [{}, "gpt-5"],
      [{}, "gemini-3-pro"],
      [{}, undefined],
      [signed, "deepseek-v4-pro"],
    ]) {
      assert.deepEqual(sent(part, model), { role: "assistant", content: [{ type: "text", text: "Forty." }] });
    }
  });

  test("an unknown server is refused by name, and every server lists its fields", () => {
    const wrong = /** @type {any} */ ({ server: "opanai" });
    assert.throws(() => requestOf("openai", [{ role: "user", content: "hi" }], wrong), {
      code: "INVALID_CONFIG",
      path: "server",
    });
    assert.throws(() => buildContextSync([], { render: wrong }), { code: "INVALID_CONFIG", path: "render.server" });
    assert.ok(servers.every(({ name, sources }) => name === "other" || sources.length > 0));
  });
});

test("Mistral's ids have nine letters and digits: valid ones are kept, and others are rewritten the same in call and result", () => {
  forEachSeed((random) => {
    const count = random.integer(1, 6);
    const own = (at) =>
      random.pick([`call_${at}`, "abcDEF123", `toolu_${random.text(3)}${at}`, "same", "x".repeat(80)]);
    const ids = Array.from({ length: count }, (_, at) => own(at));
    const messages = [
      { role: "user", content: "Look." },
      ...ids.flatMap((id, at) => [
        { role: "assistant", content: "", toolCalls: [{ id, name: "look", arguments: { at } }] },
        { role: "tool", toolCallId: id, content: `found ${at}` },
      ]),
      { role: "user", content: "And?" },
    ];
    for (const target of /** @type {const} */ ([{ server: "mistral" }, { model: "devstral-medium-2512" }])) {
      const body = requestOf("openai", messages, target);
      assert.deepEqual(problemsOf("openai", body, target), []);
      const calls = body.messages.flatMap((message) => ("tool_calls" in message ? (message.tool_calls ?? []) : []));
      const sent = calls.map(({ id }) => id);
      assert.ok(sent.every((id) => /^[a-zA-Z0-9]{9}$/.test(id)) && new Set(sent).size === count, sent.join());
      const answered = body.messages.flatMap((message) => ("tool_call_id" in message ? [message.tool_call_id] : []));
      assert.deepEqual(answered, sent);
      assert.ok(!ids.includes("abcDEF123") || sent.includes("abcDEF123"));
      assert.deepEqual(requestOf("openai", body.messages, target), body);
    }
  });
});
