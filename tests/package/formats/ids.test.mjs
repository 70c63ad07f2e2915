// Ids of calls and files in requests have a length and an alphabet. Anthropic's blocks that aren't files have their
// true cost.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { buildContextSync, loadEncoding, problemsOf, requestOf } from "windrow";
import { errorOf } from "../support/errors.mjs";
import { tokensOfBody } from "../support/independent-count.mjs";
import { forEachSeed } from "../support/property.mjs";
import { PROVIDERS } from "../support/shape-bodies.mjs";

before(() => loadEncoding("o200k_base"));

const WILD = ["a", "Z", "9", "_", "-", ".", " ", "\n", "é", "/", "|", "\u0000", "👩‍👩‍👧"];
const wildId = (random) =>
  Array.from({ length: random.pick([1, 3, 30, 500]) }, () =>
    random.pick(random.chance(0.5) ? WILD.slice(0, 5) : WILD),
  ).join("");

/** All ids in a body that refer to calls, results, files or audio. */
function* idsIn(value, path = "") {
  if (Array.isArray(value)) {
    for (const inner of value) {
      yield* idsIn(inner, path);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      const isId =
        /^(?:id|callId|file_id|call_id|tool_call_id|tool_use_id|toolUseId)$/.test(name) && typeof inner === "string";
      if (isId) {
        yield inner;
      } else if (!/^(?:input|args|arguments|text)$/.test(name)) {
        yield* idsIn(inner, `${path}.${name}`);
      }
    }
  }
}

test("for random ids of calls, every id in a body has at most 256 letters, digits and marks", () => {
  forEachSeed((random) => {
    const ids = [...new Set(Array.from({ length: random.integer(1, 4) }, () => wildId(random)))];
    const messages = [
      { role: "user", content: "Look." },
      {
        role: "assistant",
        content: null,
        tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "look", arguments: "{}" } })),
      },
      ...ids.map((id) => ({ role: "tool", tool_call_id: id, content: "seen" })),
      { role: "user", content: "And?" },
    ];
    for (const provider of PROVIDERS.filter((name) => name !== "ai-sdk")) {
      const body = requestOf(provider, messages);
      assert.deepEqual(problemsOf(provider, body), []);
      const sent = [...idsIn(body)];
      assert.ok(sent.length >= 2 * ids.length || provider === "openai-responses", `${sent.length}`);
      assert.ok(
        sent.every((id) => /^[a-zA-Z0-9_.:-]{1,256}$/.test(id)),
        JSON.stringify(sent),
      );
    }
  });
});

describe("an id of a file or audio that no provider issued is refused, and never changed", () => {
  const user = (part) => [{ role: "user", content: [part] }];
  const cases = [
    ["openai", (id) => user({ type: "file", file: { file_id: id } })],
    [
      "openai",
      (id) => [
        { role: "user", content: "Say it." },
        { role: "assistant", audio: { id } },
        { role: "user", content: "Again." },
      ],
    ],
    ["openai-responses", (id) => user({ type: "input_file", file_id: id })],
    ["openai-responses", (id) => user({ type: "input_image", file_id: id })],
    ["anthropic", (id) => user({ type: "document", source: { type: "file", file_id: id } })],
    ["anthropic", (id) => user({ type: "image", source: { type: "file", file_id: id } })],
    ["anthropic", (id) => user({ type: "container_upload", file_id: id })],
  ];
  for (const [at, [provider, messagesOf]] of /** @type {any[][]} */ (cases).entries()) {
    test(`${provider}, case ${at + 1}`, async () => {
      for (const id of ["file_011CNha8iCJcU1wXNR6q4V8w", "file-abc123", "audio_6789"]) {
        const body = requestOf(provider, messagesOf(id));
        assert.deepEqual(problemsOf(provider, body), []);
        assert.ok(JSON.stringify(body).includes(`"${id}"`));
      }
      for (const id of ["a b", "../secret", "x".repeat(257), "é", "a\nb"]) {
        const failure = await errorOf(() => requestOf(provider, messagesOf(id)));
        assert.deepEqual([failure.code, failure.rule], ["NOT_SENDABLE", "file-ids-fit"], `${id}: ${failure.message}`);
      }
    });
  }
});

test("reasoning that isn't sent without being stored isn't counted either, in formats that have it", () => {
  /** @type {Record<string, (random: any, id: string, data: string | undefined) => any[]>} */
  const shapes = {
    items: (random, id, data) => [
      { type: "reasoning", id, summary: [{ type: "summary_text", text: random.text(30) }], encrypted_content: data },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "It." }] },
    ],
    "ai-sdk": (random, id, data) => {
      const reasoning = (text, more) => ({
        type: "reasoning",
        text,
        providerOptions: { openai: { itemId: id, ...more } },
      });
      const sealed = data === undefined ? [] : [reasoning("", { reasoningEncryptedContent: data })];
      return [{ role: "assistant", content: [reasoning(random.text(30)), ...sealed, { type: "text", text: "It." }] }];
    },
  };
  /** @type {any} */
  const options = { encoding: "o200k_base", model: "gpt-4o", request: null };
  forEachSeed((random) => {
    for (const thoughtsOf of Object.values(shapes)) {
      const thoughts = Array.from({ length: random.integer(1, 4) }, (_, at) => at).flatMap((at) => [
        { role: "user", content: random.text(10) },
        ...thoughtsOf(random, `rs_${at}`, random.chance(0.5) ? "Z0FB" : undefined),
      ]);
      const messages = /** @type {any[]} */ ([...thoughts, { role: "user", content: "And?" }]);
      const costs = [true, false].map((store) => {
        const render = /** @type {const} */ ({ provider: "openai-responses", store });
        const context = buildContextSync(messages, { ...options, render });
        const body = context.request("openai-responses");
        assert.deepEqual(body, context.request("openai-responses", { store }));
        assert.deepEqual(problemsOf("openai-responses", { ...body, store }), []);
        assert.ok(context.tokens.total >= tokensOfBody("openai-responses", body));
        return context.tokens.total;
      });
      // Each item is a message. Without the items that only the stored request has, the prompt is the same.
      const isLost = (message) => message.type === "reasoning" && message.encrypted_content === undefined;
      if (thoughtsOf === shapes.items) {
        const left = messages.filter((message) => !isLost(message));
        const render = /** @type {const} */ ({ provider: "openai-responses" });
        assert.equal(buildContextSync(left, { ...options, render }).tokens.total, costs[1]);
      }
      assert.ok(costs[1] <= costs[0]);
    }
  });
});

describe("Anthropic's blocks", () => {
  /** @type {any} */
  const options = { model: "claude-opus-5", encoding: "estimate", render: { provider: "anthropic" } };

  test("a file in a container costs its block, and goes back unchanged", () => {
    const upload = { type: "container_upload", file_id: "file_011CNha8iCJcU1wXNR6q4V8w" };
    const build = (parts) =>
      buildContextSync([{ role: "user", content: [...parts, { type: "text", text: "Sum it up." }] }], options);
    const cost = build([upload]).tokens.total - build([]).tokens.total;
    assert.ok(cost >= 15 && cost <= 60, `${cost} tokens`);
    assert.deepEqual(build([upload]).request("anthropic").messages[0].content[0], upload);
  });

  test("a change of the tools in LangChain's messages is the same as in Anthropic's", () => {
    for (const type of ["tool_addition", "tool_removal"]) {
      const content = [{ type, tool: { type: "tool_reference", name: "look" } }];
      const own = { role: "system", content };
      /** @type {(blocks: object[]) => any} */
      const ofLangChain = (blocks) => ({
        lc: 1,
        type: "constructor",
        id: ["langchain_core", "messages", "SystemMessage"],
        kwargs: { content: blocks },
      });
      const wrapped = [{ type: "non_standard", value: content[0] }];
      for (const message of /** @type {any[]} */ ([own, ofLangChain(content), ofLangChain(wrapped)])) {
        const config = { ...options, model: "claude-opus-5-5" };
        const context = buildContextSync([{ role: "user", content: "Hi" }, message], config);
        assert.deepEqual(context.request("anthropic").messages[1], own);
        const without = buildContextSync([{ role: "user", content: "Hi" }], config);
        assert.ok(context.tokens.total >= without.tokens.total + 10, "it is counted");
      }
    }
  });
});
