// The count of a finished prompt is that of its body, even if a request merges messages or leaves parts out.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { buildContextSync, loadEncoding, problemsOf, providers, requestOf } from "windrow";
import { tokensIn, tokensOfBody } from "../support/independent-count.mjs";
import { forEachSeed } from "../support/property.mjs";

const encoding = "o200k_base";
const NAMES = providers.map(({ name }) => name);
/** The providers whose requests join consecutive messages of one role. */
const JOINING = ["anthropic", "gemini", "bedrock"];

before(() => loadEncoding(encoding));

/**
 * Builds a context for a provider. Returns its count, and the body with the body's count.
 *
 * @param {any} provider
 * @param {any[]} messages
 * @param {any} more
 */
function countsFor(provider, messages, more = {}) {
  const render = { provider, ...more.render };
  /** @satisfies {import("windrow").SyncContextConfig} */
  const config = { encoding, model: "gpt-4o", request: null, ...more, render };
  const context = buildContextSync(messages, config);
  const body = context.request(provider);
  assert.deepEqual(problemsOf(provider, body, { model: config.model, server: more.render?.server }), []);
  return { context, body, counted: context.tokens.total, sent: tokensOfBody(provider, body) };
}

/** @type {(provider: any, messages: any[], target?: object) => Record<string, any>} */
const bodyFor = (provider, messages, target) => requestOf(provider, messages, target);

const user = (content) => ({ role: "user", content });
const assistant = (content) => ({ role: "assistant", content });
const system = (content) => ({ role: "system", content });
const calls = (...ids) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "look", arguments: '{"at":1}' } })),
});
const result = (id) => ({ role: "tool", tool_call_id: id, content: `found ${id}` });

describe("a call of a tool that takes a text", () => {
  const PATCH = '*** Begin Patch\n-say "a"\n+say "b"\n\\ No newline';
  const inChat = [
    user("Patch it."),
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "custom", custom: { name: "apply_patch", input: PATCH } }],
    },
    { role: "tool", tool_call_id: "c1", content: "done" },
    user("Thanks."),
  ];
  const inItems = [
    { role: "user", content: "Patch it." },
    { type: "custom_tool_call", call_id: "c1", name: "apply_patch", input: PATCH },
    { type: "custom_tool_call_output", call_id: "c1", output: "done" },
    { role: "user", content: "Thanks." },
  ];

  for (const [form, messages] of Object.entries({ "OpenAI's chat": inChat, "the Responses API": inItems })) {
    for (const provider of NAMES) {
      test(`from ${form} counts for ${provider} as it is sent`, () => {
        const { counted, sent } = countsFor(provider, messages);
        assert.equal(counted, sent);
      });
    }

    test(`from ${form} is the same call in both of OpenAI's requests`, () => {
      const chat = bodyFor("openai", messages).messages[1].tool_calls;
      assert.deepEqual(chat, [{ id: "c1", type: "custom", custom: { name: "apply_patch", input: PATCH } }]);
      const { type, name, input } = bodyFor("openai-responses", messages).input[1];
      assert.deepEqual({ type, name, input }, { type: "custom_tool_call", name: "apply_patch", input: PATCH });
    });
  }

  test("from the Responses API is a function for a server that documents no such tools", () => {
    for (const server of /** @type {const} */ (["deepseek", "mistral"])) {
      const { body, counted, sent } = countsFor("openai", inItems, { render: { provider: "openai", server } });
      const [call] = body.messages[1].tool_calls;
      assert.deepEqual(JSON.parse(call.function.arguments), { input: PATCH });
      assert.equal(counted, sent);
    }
    for (const model of ["deepseek-chat", "mistral-large"]) {
      const { messages } = bodyFor("openai", inItems, { model });
      assert.equal(messages[1].tool_calls[0].type, "function");
    }
  });
});

test("arguments that are no object count as the field that they become, and blank ones as an empty object", () => {
  for (const args of ['not JSON\n\n"at all"', '{"open": ', "[1, 2]", "", "  "]) {
    const call = { id: "a", type: "function", function: { name: "look", arguments: args } };
    const messages = [user("go"), { role: "assistant", content: null, tool_calls: [call] }, result("a"), user("ok")];
    for (const provider of NAMES) {
      const { counted, sent } = countsFor(provider, messages);
      assert.equal(counted, sent, `${JSON.stringify(args)} for ${provider}`);
    }
  }
});

test("a request for approval and its answer cost nothing, in any place among the results", () => {
  const answer = { type: "tool-approval-response", approvalId: "p", approved: true, reason: "it is cheap" };
  const output = (toolCallId) => ({
    type: "tool-result",
    toolCallId,
    toolName: "pay",
    output: { type: "text", value: `paid ${toolCallId}` },
  });
  const asked = {
    role: "assistant",
    content: [
      { type: "tool-call", toolCallId: "a", toolName: "pay", input: { sum: 1 } },
      { type: "tool-call", toolCallId: "b", toolName: "pay", input: { sum: 2 } },
      { type: "tool-approval-request", approvalId: "p", toolCallId: "a" },
    ],
  };
  for (const content of [
    [answer, output("a"), output("b")],
    [output("a"), answer, output("b")],
    [output("b"), output("a"), answer],
  ]) {
    for (const provider of NAMES) {
      const { counted, sent } = countsFor(provider, [user("pay"), asked, { role: "tool", content }, user("thanks")]);
      assert.equal(counted, sent, provider);
    }
  }
});

describe("reasoning", () => {
  /** Base64 that begins as OpenAI's encrypted reasoning does. */
  const sealed = (random) => `gAAAAAB${"o2DU".repeat(random.integer(1, 600))}`;
  const MAKERS = [undefined, "anthropic", "openai", "google", "mistral", "deepseek"];

  /** A thought of a random maker, with or without a text, and with the proofs that its maker may have set. */
  function thought(random, at) {
    const provider = random.pick(MAKERS);
    const text = random.pick([() => "", () => random.text(), sealed, (own) => `gAAAAA ${own.text(200)}`])(random);
    const maybe = (field, value) => (random.chance(0.5) ? { [field]: value } : {});
    return {
      type: "reasoning",
      text,
      ...(provider === undefined ? {} : { provider }),
      ...maybe("id", `rs_${at}`),
      ...maybe("signature", "c2ln"),
      ...maybe("data", sealed(random)),
    };
  }

  test("of any maker, also if it begins as encrypted reasoning does, never counts below the body", () => {
    forEachSeed((random) => {
      const messages = [user("Begin.")];
      for (let at = random.integer(1, 5); at > 0; at--) {
        messages.push(assistant([thought(random, at), { type: "text", text: `Said ${at}.` }]), user(`Go on ${at}.`));
      }
      const provider = random.pick(NAMES);
      const server = provider === "openai" ? random.pick([{}, { server: "deepseek" }, { server: "openrouter" }]) : {};
      const { counted, sent } = countsFor(provider, messages, { render: { provider, ...server } });
      assert.ok(counted >= sent, `${counted} were counted for ${provider}, and the body has ${sent}`);
    });
  });

  test("that OpenAI has encrypted counts as its own client estimates, whatever its letters", () => {
    for (const data of [`gAAAAAB${"o2DU".repeat(500)}`, `Z0FB${"o2DU".repeat(500)}`]) {
      const items = [
        user("Begin."),
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: data },
        { role: "assistant", content: "Said." },
        user("Go on."),
      ];
      for (const provider of /** @type {const} */ (["openai-responses", "ai-sdk"])) {
        const { counted, sent } = countsFor(provider, items);
        assert.equal(counted, sent, provider);
      }
    }
  });

  test("is apart from the tools that OpenAI's servers listed, which count by their text", () => {
    const tools = [{ name: "search", description: `Finds ${"every harbor and violin ".repeat(200)}` }];
    const items = [
      user("Begin."),
      { type: "mcp_list_tools", id: "mcp_1", server_label: "town", tools },
      { role: "assistant", content: "Said." },
      user("Go on."),
    ];
    const { counted } = countsFor("openai-responses", items);
    assert.ok(counted > tokensIn(JSON.stringify(tools)), `${counted} were counted`);
    assert.equal(bodyFor("openai-responses", items).input[1].tools, tools);
  });
});

test("half a surrogate pair in a tool's JSON counts as the character that is sent instead", () => {
  forEachSeed((random) => {
    const said = () => random.pick(["\ud800", "\udc00", "a \ud83d b", "\\ud800", "\ud83c\udf3b", random.text(4)]);
    const value = () => random.pick([said, () => [said(), said()], () => ({ [said()]: said() }), () => 1])();
    const messages = [
      user("Begin."),
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c1", toolName: "look", input: { at: value(), [said()]: said() } }],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "c1",
            toolName: "look",
            output: { type: "json", value: { found: value(), in: said() } },
          },
        ],
      },
      user("Go on."),
    ];
    const provider = random.pick(NAMES);
    const { counted, sent } = countsFor(provider, messages);
    assert.equal(counted, sent, `${provider}: ${JSON.stringify(messages)}`);
  });
});

describe("messages that a request merges count with one envelope", () => {
  for (const provider of JOINING) {
    test(`${provider}: consecutive messages of the user, of the assistant, and results`, () => {
      const messages = [
        system("Be brief."),
        system("Be kind."),
        user("One."),
        user("Two."),
        assistant("Three."),
        assistant("Four."),
        calls("a", "b"),
        result("a"),
        result("b"),
        user("Five."),
      ];
      const { counted, sent } = countsFor(provider, messages);
      // Instructions are separate blocks in some requests, and a blank line separates them in others.
      assert.ok(counted - sent <= 1 && counted >= sent, `${counted} were counted of ${sent}`);
    });
  }

  test("for every provider, in any order of messages, the count is never below the body's", () => {
    let over = 0;
    let all = 0;
    forEachSeed((random) => {
      const provider = random.pick(NAMES);
      const open = [];
      const messages = [user("Begin.")];
      for (let left = random.integer(1, 14); left > 0; left--) {
        const id = `c${left}`;
        const next = random.pick(["user", "assistant", "system", "calls", "calls", "result", "result", "result"]);
        if (next === "calls") {
          messages.push(random.chance(0.5) ? calls(id) : calls(id, `${id}b`));
          open.push(...messages.at(-1).tool_calls.map((call) => call.id));
        } else if (next === "result" && open.length > 0) {
          messages.push(result(open.splice(random.integer(0, open.length - 1), 1)[0]));
        } else if (next !== "result") {
          messages.push({ user, assistant, system }[next](`Words ${left}.`));
        }
      }
      messages.push(user("End."));
      const late = random.pick([undefined, "top", "user"]);
      const model = random.pick(["gpt-4o", "gpt-4o", "claude-opus-4-8"]);
      const render = { provider, ...(late === undefined ? {} : { lateInstructions: late }) };
      const { context, counted, sent } = countsFor(provider, messages, { model, encoding, render });
      if (model === "gpt-4o") {
        assert.ok(counted >= sent, `${counted} were counted, and the body has ${sent}: ${JSON.stringify(messages)}`);
        over += counted - sent;
        all += sent;
      }
      const parts = context.tokens.sections.reduce((sum, { tokens }) => sum + tokens, 0);
      assert.equal(parts, counted, "the sections add up to the total");
    });
    assert.ok(over / all < 0.1, `${over} of ${all}`);
  });
});
