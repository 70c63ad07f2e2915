// Parts that a provider has signed go back to it unchanged or not at all.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { loadEncoding, problemsOf, providers, requestOf } from "windrow";
import { assertShare, forEachSeed } from "../support/property.mjs";
import { tryBuild } from "../support/transcripts.mjs";

const encoding = "o200k_base";
const NAMES = providers.map(({ name }) => name);

before(() => loadEncoding(encoding));

/** Returns the text of a signed part: words, only white space, a lone surrogate, or more than fits the budget. */
function saidIn(random) {
  return random.pick([
    () => "",
    () => random.pick([" ", "\n", "\t\r\n", "\u00a0", "\u2028 "]),
    () => `${random.text(6)}\ud83e`,
    () => `\udd14 ${random.text(6)} \ud800x`,
    () => `${random.text(30)} `.repeat(random.integer(1, 40)),
    () => random.text(8),
  ])();
}

const byRole = (text) => ({ role: "user", content: text });
const byParts = (text) => ({ role: "user", parts: [{ text }] });
const asUi = (text) => ({ id: text, role: "user", parts: [{ type: "text", text }] });
const asThread = (text) => ({
  id: text,
  role: "user",
  createdAt: new Date(0),
  content: [{ type: "text", text }],
  attachments: [],
  metadata: { custom: {} },
});
const asOpencode = (text) => ({
  info: { id: text, role: "user", sessionID: "s", time: { created: 1 } },
  parts: [{ id: "p", type: "text", text }],
});
const timed = (text) => ({ role: "user", content: text, timestamp: 1.7e12 });

/**
 * Formats and kinds of signed parts: a user message, a part with a signature and a text, and the text that must go back
 * with the signature if it differs.
 */
const CARRIERS = {
  "windrow thinking": [byRole, (signature, text) => ({ type: "reasoning", provider: "anthropic", text, signature })],
  "windrow thought of Gemini": [
    byRole,
    (signature, text) => ({ type: "reasoning", provider: "google", text, signature }),
  ],
  "windrow text": [byRole, (signature, text) => ({ type: "text", provider: "google", text, signature })],
  "windrow encrypted": [byRole, (data) => ({ type: "redacted_thinking", provider: "anthropic", data }), () => ""],
  "windrow reasoning of OpenAI": [
    byRole,
    (data, text) => ({ type: "reasoning", provider: "openai", id: `rs_${data.replace(/\W/g, "")}`, text, data }),
  ],
  anthropic: [byRole, (signature, thinking) => ({ type: "thinking", thinking, signature })],
  "anthropic redacted": [byRole, (data) => ({ type: "redacted_thinking", data }), () => ""],
  "gemini text": [byParts, (thoughtSignature, text) => ({ text, thoughtSignature })],
  "gemini thought": [byParts, (thoughtSignature, text) => ({ text, thought: true, thoughtSignature })],
  "gemini call": [
    byParts,
    (thoughtSignature, q) => ({ functionCall: { name: "look", args: { q } }, thoughtSignature }),
    (q) => JSON.stringify({ q }),
  ],
  "ai-sdk thinking": [
    byRole,
    (signature, text) => ({ type: "reasoning", text, providerOptions: { anthropic: { signature } } }),
  ],
  "ai-sdk text": [
    byRole,
    (thoughtSignature, text) => ({ type: "text", text, providerOptions: { google: { thoughtSignature } } }),
  ],
  "ai-sdk-ui thinking": [
    asUi,
    (signature, text) => ({ type: "reasoning", text, providerMetadata: { anthropic: { signature } } }),
  ],
  "ai-sdk-ui text": [
    asUi,
    (thoughtSignature, text) => ({ type: "text", text, providerMetadata: { google: { thoughtSignature } } }),
  ],
  "pi thinking": [timed, (thinkingSignature, thinking) => ({ type: "thinking", thinking, thinkingSignature })],
  "pi text": [timed, (textSignature, text) => ({ type: "text", text, textSignature })],
  "assistant-ui thinking": [
    asThread,
    (signature, text) => ({ type: "reasoning", text, providerMetadata: { anthropic: { signature } } }),
  ],
  "assistant-ui text": [
    asThread,
    (thoughtSignature, text) => ({ type: "text", text, providerMetadata: { google: { thoughtSignature } } }),
  ],
  "opencode thinking": [
    asOpencode,
    (signature, text) => ({ type: "reasoning", text, metadata: { anthropic: { signature } } }),
  ],
  "opencode text": [
    asOpencode,
    (thoughtSignature, text) => ({ type: "text", text, metadata: { google: { thoughtSignature } } }),
  ],
  "openrouter thinking": [
    byRole,
    (signature, text) => ({ type: "reasoning.text", format: "anthropic-claude-v1", text, signature }),
  ],
  "ai-sdk call": [
    byRole,
    (thoughtSignature, q) => ({
      type: "tool-call",
      toolCallId: "c",
      toolName: "look",
      input: { q },
      providerOptions: { google: { thoughtSignature } },
    }),
    (q) => JSON.stringify({ q }),
  ],
  "agents reasoning": [
    byRole,
    (encrypted_content, text) => ({
      type: "reasoning",
      id: `rs_${encrypted_content.replace(/\W/g, "")}`,
      content: [{ type: "input_text", text }],
      providerData: { encrypted_content },
    }),
  ],
  responses: [
    byRole,
    (encrypted_content, text) => ({
      type: "reasoning",
      id: `rs_${encrypted_content.replace(/\W/g, "")}`,
      summary: [{ type: "summary_text", text }],
      encrypted_content,
    }),
  ],
  langchain: [
    (content) => ({ type: "human", content }),
    (signature, thinking) => ({ type: "thinking", thinking, signature }),
  ],
};

/** Assistant messages around a signed part of a kind. */
function around(kind, part, words) {
  if (kind.startsWith("assistant-ui")) {
    const status = { type: "complete", reason: "stop" };
    const content = [part, { type: "text", text: words }];
    return [{ id: words, role: "assistant", createdAt: new Date(0), status, content, metadata: { custom: {} } }];
  }
  if (kind.startsWith("opencode")) {
    const info = { id: words, role: "assistant", sessionID: "s", time: { created: 1 } };
    return [
      {
        info,
        parts: [
          { id: "a", ...part },
          { id: "b", type: "text", text: words },
        ],
      },
    ];
  }
  if (kind === "openrouter thinking") {
    return [{ role: "assistant", content: words, reasoning_details: [part] }];
  }
  if (kind === "ai-sdk call") {
    const output = { type: "text", value: "seen" };
    return [
      { role: "assistant", content: [part] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "look", output }] },
      { role: "assistant", content: words },
    ];
  }
  if (kind === "responses" || kind === "agents reasoning") {
    return [part, { type: "message", role: "assistant", content: [{ type: "output_text", text: words }] }];
  }
  if (kind.startsWith("gemini")) {
    const result = { functionResponse: { name: "look", response: { output: "seen" } } };
    return part.functionCall === undefined
      ? [{ role: "model", parts: [part, { text: words }] }]
      : [
          { role: "model", parts: [part] },
          { role: "user", parts: [result] },
          { role: "model", parts: [{ text: words }] },
        ];
  }
  if (kind.startsWith("ai-sdk-ui")) {
    return [{ id: words, role: "assistant", parts: [part, { type: "text", text: words }] }];
  }
  const content = [part, { type: "text", text: words }];
  if (kind.startsWith("pi")) {
    const api = kind === "pi text" ? "google-generative-ai" : "anthropic-messages";
    return [{ role: "assistant", api, provider: "p", model: "m", stopReason: "stop", timestamp: 1.7e12, content }];
  }
  return [kind === "langchain" ? { type: "ai", content } : { role: "assistant", content }];
}

/** Returns the signed parts of a body: each signature with its text. */
function signedIn(body) {
  const found = [];
  // The AI SDK splits one OpenAI reasoning item into several parts with the same item id.
  const parts = (body.messages ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const textOfItem = (id) => {
    const ofItem = parts.filter((part) => part.providerOptions?.openai?.itemId === id);
    return ofItem.map(({ text }) => text).join("");
  };
  const open = [body];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) {
      continue;
    }
    const { google, anthropic, openai } = next.providerOptions ?? {};
    const proofs = [
      ...[next.signature, next.thoughtSignature, next.encrypted_content],
      ...[next.type === "redacted_thinking" ? next.data : undefined, google?.thoughtSignature],
      ...[anthropic?.signature, anthropic?.redactedData, openai?.reasoningEncryptedContent],
    ];
    const args = JSON.stringify(next.functionCall?.args ?? next.input);
    const item = openai && textOfItem(openai.itemId);
    const said = args ?? item ?? next.thinking ?? next.text ?? (next.summary ?? []).map(({ text }) => text).join("");
    found.push(...proofs.filter((proof) => proof !== undefined).map((proof) => [proof, said]));
    open.push(...Object.entries(next).flatMap(([field, value]) => (field === "providerOptions" ? [] : [value])));
  }
  return found;
}

describe("a signed part", () => {
  test("goes back unchanged or not at all, with any text, in every format and to every provider", () => {
    let sentCount = 0;
    const caseCount = forEachSeed((random) => {
      const kind = random.pick(Object.keys(CARRIERS));
      const [asUser, make, saidBy = (text) => text] = CARRIERS[kind];
      const known = new Map([["skip_thought_signature_validator", undefined]]);
      const messages = [asUser("asked")];
      for (let turn = random.integer(1, 3); turn > 0; turn--) {
        const text = saidIn(random);
        const proof = `c2ln${known.size}${random.chance(0.1) ? "\ud800" : ""}`;
        known.set(proof, saidBy(text));
        messages.push(...around(kind, make(proof, text), `words ${turn} ${"and more ".repeat(random.integer(0, 90))}`));
        messages.push(asUser(`and ${turn}?`));
      }
      const provider = random.pick(NAMES);
      /** @type {any} */
      const config = {
        encoding,
        budget: random.pick([{}, { maxTokens: random.integer(60, 600) }]),
        render: random.pick([{}, { provider }]),
      };
      const context = tryBuild(messages, config);
      for (const body of [
        requestOf(provider, messages),
        ...(context === undefined ? [] : [context.request(provider)]),
      ]) {
        assert.deepEqual(problemsOf(provider, body), []);
        for (const [proof, said] of signedIn(body)) {
          assert.ok(known.has(proof), `${JSON.stringify(proof)} isn't one of the given proofs`);
          const whole = known.get(proof);
          assert.ok(whole === undefined || said === whole, `${kind}: ${proof} in ${JSON.stringify(body)}`);
          sentCount += 1;
        }
        assert.ok(context !== undefined || JSON.stringify(body).includes("words 1"));
      }
    });
    assertShare(sentCount, caseCount, 4, "signed parts that were sent");
  });

  test("is sent unchanged if it is blank", () => {
    const gemini = [
      { role: "user", parts: [{ text: "Hi" }] },
      { role: "model", parts: [{ text: "\n", thoughtSignature: "c2ln" }] },
      { role: "user", parts: [{ text: "And?" }] },
    ];
    assert.deepEqual(requestOf("gemini", gemini).contents[1], gemini[1]);
    for (const thinking of ["", " ", "\n"]) {
      const block = { type: "thinking", thinking, signature: "c2ln" };
      const messages = [
        byRole("Hi"),
        { role: "assistant", content: [block, { type: "text", text: "yes" }] },
        byRole("?"),
      ];
      assert.deepEqual(requestOf("anthropic", messages).messages[1].content[0], block);
    }
  });

  test("is left out if it has a lone surrogate, and words stay without their signature", () => {
    const thinking = { type: "thinking", thinking: "half \ud83e", signature: "c2ln" };
    const said = { type: "text", text: "half \ud83e", provider: "google", signature: "c2lo" };
    const messages = [byRole("Hi"), { role: "assistant", content: [thinking, said] }, byRole("?")];
    assert.deepEqual(requestOf("anthropic", messages).messages[1].content, "half \ufffd");
    assert.deepEqual(requestOf("gemini", messages).contents[1].parts, [{ text: "half \ufffd" }]);
  });

  test("isn't counted if the request leaves it out, and a note says so", () => {
    const thoughts = Object.keys(CARRIERS).filter((kind) => !/text|call|redacted|encrypted/.test(kind));
    let [left, cases] = [0, 0];
    forEachSeed((random) => {
      const kind = random.pick(thoughts);
      const [asUser, make] = CARRIERS[kind];
      const said = `zq${random.text(20).replace(/[\ud800-\udfff]/gu, "")}${random.pick(["", "\ud83e", "\udd14 x"])}`;
      const part = make(`c2ln${random.chance(0.1) ? "\ud800" : ""}`, said);
      const drop = (value) => (Array.isArray(value) ? value.filter((it) => it !== part) : value);
      const provider = random.pick(NAMES);
      /** @type {any} */
      const config = { encoding, model: "gpt-4o", request: null, render: { provider } };
      const [question, more] = [asUser("asked"), asUser("and?")];
      const own = around(kind, part, "yes");
      const build = (messages) => tryBuild([question, ...messages, more], config);
      const without = own
        .filter((row) => row !== part)
        .map((row) => {
          return Object.fromEntries(Object.entries(row).map(([field, value]) => [field, drop(value)]));
        });
      const [context, bare] = [build(own), build(kind.startsWith("opencode") ? own : without)];
      const isSent = JSON.stringify(context.request(provider)).includes("zq");
      const note = context.trace.notes.find((it) => it.kind === "not-sent");
      assert.equal(/field for it: [12] reasoning parts?$/.test(note?.words ?? ""), !isSent, `${kind} for ${provider}`);
      if (!isSent && !kind.startsWith("opencode")) {
        assert.equal(context.tokens.total, bare.tokens.total, `${kind} for ${provider}`);
      }
      left += isSent ? 0 : 1;
      cases += 1;
    });
    assertShare(left, cases, 2, "thoughts are left out");
  });

  test("loses its signature if its text is shortened", () => {
    const part = { text: "many words ".repeat(400), thoughtSignature: "c2ln" };
    const messages = [
      { role: "user", parts: [{ text: "Hi" }] },
      { role: "model", parts: [part], pinned: true },
      { role: "user", parts: [{ text: "And?" }] },
    ];
    /** @type {any} */
    const config = { encoding, budget: { maxTokens: 120, onRequiredOverflow: "shorten" } };
    const context = tryBuild(messages, config);
    assert.ok(context !== undefined);
    assert.ok(!JSON.stringify(context.messages).includes("c2ln"));
  });
});
