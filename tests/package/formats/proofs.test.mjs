// Unreadable parts that a provider requires: reasoning without a text, and calls that share an id.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { buildContextSync, loadEncoding, problemsOf, providers, requestOf } from "windrow";
import { forEachSeed } from "../support/property.mjs";

const encoding = "o200k_base";
const NAMES = providers.map(({ name }) => name);

before(() => loadEncoding(encoding));

/** Steps of the assistant: reasoning without a text, followed by a call with its result, or by a text. */
function stepsOf(random) {
  return Array.from({ length: random.integer(1, 5) }, (_, at) => ({ at, isCall: random.chance(0.6) }));
}

/** The steps as items of OpenAI's Responses API, encrypted or not. */
function items(random, steps) {
  return steps.flatMap(({ at, isCall }) => [
    {
      type: "reasoning",
      id: `rs_${at}`,
      summary: [],
      ...random.pick([{}, { encrypted_content: null }, { encrypted_content: "Z0FB" }]),
    },
    ...(isCall
      ? [
          { type: "function_call", id: `fc_${at}`, call_id: `call_${at}`, name: "look", arguments: "{}" },
          { type: "function_call_output", call_id: `call_${at}`, output: `said ${at}.` },
        ]
      : [
          {
            type: "message",
            id: `msg_${at}`,
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: `said ${at}.`, annotations: [] }],
          },
        ]),
  ]);
}

/** The steps as an AI SDK message, with or without each provider's proofs. */
function uiMessage(random, steps) {
  const parts = steps.flatMap(({ at, isCall }) => [
    { type: "step-start" },
    {
      type: "reasoning",
      text: "",
      providerMetadata: random.pick([
        undefined,
        { openai: { itemId: `rs_${at}`, reasoningEncryptedContent: null } },
        { openai: { itemId: `rs_${at}`, reasoningEncryptedContent: "Z0FB" } },
        { anthropic: { signature: "c2ln" } },
        { anthropic: { redactedData: "c2Vh" } },
        { google: { thoughtSignature: "c2ln" } },
      ]),
    },
    isCall
      ? { type: "tool-look", toolCallId: `call_${at}`, state: "output-available", input: {}, output: `said ${at}.` }
      : { type: "text", text: `said ${at}.`, providerMetadata: { openai: { itemId: `msg_${at}` } } },
  ]);
  return { id: "reply", role: "assistant", parts };
}

const asUser = (text, isUi) =>
  isUi ? { id: text, role: "user", parts: [{ type: "text", text }] } : { role: "user", content: text };

describe("unreadable reasoning", () => {
  test("removes nothing else: everything that was said is sent, by the rules of every provider", () => {
    forEachSeed((random) => {
      const isUi = random.chance(0.5);
      const steps = stepsOf(random);
      const messages = [
        asUser("asked.", isUi),
        ...(isUi ? [uiMessage(random, steps)] : items(random, steps)),
        // Reasoning that was interrupted before any output.
        ...(!isUi && random.chance(0.3) ? [{ type: "reasoning", id: "rs_last", summary: [] }] : []),
        asUser("and?", isUi),
      ];
      for (const name of NAMES) {
        const render = random.pick([{}, { provider: name }]);
        const context = buildContextSync(messages, { encoding, render, filter: { excludeBlank: random.chance(0.5) } });
        /** @type {any} */
        const body = context.request(name);
        assert.deepEqual(problemsOf(name, body), []);
        const text = JSON.stringify(body);
        for (const said of ["asked.", "and?", ...steps.map(({ at }) => `said ${at}.`)]) {
          assert.ok(text.includes(said), `${name}: ${said} ${text}`);
        }
        for (const [at, { id }] of (body.input ?? []).entries()) {
          const number = /^(?:fc|msg)_(\d+)$/.exec(id ?? "")?.[1];
          if (number !== undefined && !isUi) {
            assert.equal(
              body.input[at - 1].id,
              `rs_${number}`,
              "an item by its id follows the reasoning that led to it",
            );
          }
        }
      }
    });
  });

  test("keeps its proof, because the provider requires it with the output that it led to", () => {
    const ui = (providerMetadata) => [
      asUser("asked.", true),
      {
        id: "reply",
        role: "assistant",
        parts: [
          { type: "reasoning", text: "", providerMetadata },
          { type: "tool-look", toolCallId: "call_1", state: "output-available", input: {}, output: "said." },
        ],
      },
      asUser("and?", true),
    ];
    const sent = (name, metadata) => buildContextSync(ui(metadata), { encoding }).request(name).messages[1].content[0];
    const anthropic = { anthropic: { signature: "c2ln" } };
    const openai = { openai: { itemId: "rs_1", reasoningEncryptedContent: null } };
    assert.deepEqual(sent("anthropic", anthropic), { type: "thinking", thinking: "", signature: "c2ln" });
    for (const metadata of [anthropic, openai]) {
      assert.deepEqual(sent("ai-sdk", metadata), { type: "reasoning", text: "", providerOptions: metadata });
    }
  });
});

describe("calls that share an id", () => {
  test("make a request for every provider, however many of them were answered", () => {
    forEachSeed((random) => {
      const count = random.integer(2, 4);
      const answered = random.integer(0, count);
      const calls = Array.from({ length: count }, (_, at) => ({ name: "look", args: { at } }));
      const results = calls.slice(0, answered).map((_, at) => ({ name: "look", response: { output: `gave ${at}.` } }));
      const messages = [
        { role: "user", parts: [{ text: "asked." }] },
        { role: "model", parts: calls.map((functionCall) => ({ functionCall })) },
        ...(results.length > 0
          ? [{ role: "user", parts: results.map((functionResponse) => ({ functionResponse })) }]
          : []),
        { role: "user", parts: [{ text: "and?" }] },
      ];
      for (const name of NAMES) {
        const context = buildContextSync(messages, { encoding, render: random.pick([{}, { provider: name }]) });
        const body = context.request(name);
        assert.deepEqual(problemsOf(name, body), []);
        const text = JSON.stringify(body);
        for (const at of results.keys()) {
          assert.ok(text.includes(`gave ${at}.`), `${name}: ${answered} of ${count}: ${text}`);
        }
      }
    });
  });
});

test("reasoning that led to nothing is left out if a provider is named", () => {
  /** @type {any[]} */
  const messages = [asUser("asked."), { type: "reasoning", id: "rs_1", summary: [] }, asUser("and?")];
  for (const provider of NAMES) {
    const context = buildContextSync(messages, { encoding, render: { provider } });
    assert.deepEqual([context.kept.length, context.explain(1).reason], [2, "blank"]);
  }
});

test("a call that was approved but not run has no result: the AI SDK runs it, and no other request is possible", () => {
  const messages = [
    asUser("asked.", true),
    {
      id: "reply",
      role: "assistant",
      parts: [
        {
          type: "tool-look",
          toolCallId: "call_1",
          state: "approval-responded",
          input: {},
          approval: { id: "ask_1", approved: true },
        },
      ],
    },
  ];
  const context = buildContextSync(messages, { encoding });
  assert.deepEqual(problemsOf("ai-sdk", context.request("ai-sdk")), []);
  for (const name of NAMES.filter((other) => other !== "ai-sdk")) {
    assert.throws(() => context.request(name), { code: "NOT_SENDABLE", message: /hasn't run yet/ });
  }
});

test("contents that the AI SDK can express keep their form: lists are JSON, and other items are left out", () => {
  const hosted = {
    id: "reply",
    role: "assistant",
    parts: [
      {
        type: "tool-web_search",
        toolCallId: "s1",
        state: "output-available",
        input: {},
        output: [{ url: "x" }],
        providerExecuted: true,
      },
      { type: "text", text: "said." },
    ],
  };
  const searched = buildContextSync([asUser("asked.", true), hosted, asUser("and?", true)], { encoding });
  const [, { output }] = /** @type {any} */ (searched.request("ai-sdk").messages[1].content);
  assert.deepEqual(output, { type: "json", value: [{ url: "x" }] });
  /** @type {any[]} */
  const listed = [
    asUser("asked."),
    { type: "mcp_list_tools", id: "mcpl_1", server_label: "s", tools: [] },
    asUser("and?"),
  ];
  assert.ok(!JSON.stringify(buildContextSync(listed, { encoding }).request("ai-sdk")).includes("mcpl_1"));
});

test("an empty result adds no line to another result of the same call", () => {
  const call = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } };
  const messages = [
    asUser("asked."),
    { role: "assistant", content: null, tool_calls: [call] },
    ...["", "gave."].map((content) => ({ role: "tool", tool_call_id: "call_1", content })),
    asUser("and?"),
  ];
  const body = buildContextSync(messages, { encoding }).request("openai");
  assert.equal(body.messages[2].content, "gave.");
});

test("a reply in audio goes back by its id, and to others as its words", () => {
  const audio = { id: "audio_1", expires_at: 4e9, data: "AAAA", transcript: "said." };
  const context = buildContextSync([asUser("asked."), { role: "assistant", content: null, audio }, asUser("and?")], {
    encoding,
  });
  assert.deepEqual(context.request("openai").messages[1], {
    role: "assistant",
    content: null,
    audio: { id: "audio_1" },
  });
  for (const name of NAMES.filter((other) => other !== "openai")) {
    assert.ok(JSON.stringify(context.request(name)).includes("said."), name);
  }
});

test("a reply in audio that OpenAI no longer has goes back as its words", () => {
  const spoken = (more) => [
    asUser("asked."),
    { role: "assistant", content: null, audio: { id: "audio_1", transcript: "said.", ...more } },
    asUser("and?"),
  ];
  const end = 1_800_000_000;
  for (const [seconds, isThere] of /** @type {const} */ ([
    [end - 1, true],
    [end, false],
    [end + 1, false],
    [end + 1e6, false],
  ])) {
    const messages = spoken({ expires_at: end });
    const now = seconds * 1000;
    const expected = isThere
      ? { role: "assistant", content: null, audio: { id: "audio_1" } }
      : { role: "assistant", content: "said." };
    assert.deepEqual(requestOf("openai", messages, { now }).messages[1], expected);
    assert.deepEqual(buildContextSync(messages, { encoding, now }).request("openai").messages[1], expected);
  }
  // Without a time or an end, nobody knows.
  for (const more of [{ expires_at: end }, {}, { expires_at: null }]) {
    const target = more.expires_at === end ? {} : { now: end * 2000 };
    assert.ok(JSON.stringify(requestOf("openai", spoken(more), target)).includes("audio_1"));
  }
});

test("Anthropic: its own notes go back unchanged, count, and go to nobody else", () => {
  const listing = { type: "mcp_tool_listing", mcp_server_name: "boats", tools: [{ name: "look" }] };
  const hop = { type: "fallback", from: { model: "a" }, to: { model: "b" } };
  const thinking = { type: "thinking", thinking: "hm", signature: "c2ln" };
  for (const note of [listing, hop]) {
    /** @type {any[]} */
    const messages = [
      { role: "user", content: "Which?" },
      { role: "assistant", content: [thinking, note, { type: "text", text: "This one." }] },
      { role: "user", content: "And now?" },
    ];
    assert.deepEqual(requestOf("anthropic", messages), { messages });
    assert.deepEqual(problemsOf("anthropic", { messages }), []);
    for (const provider of /** @type {const} */ (["openai", "openai-responses", "gemini", "ai-sdk"])) {
      assert.ok(!JSON.stringify(requestOf(provider, messages)).includes(note.type), provider);
    }
  }
});
