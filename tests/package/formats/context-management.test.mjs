// A provider's `context_management` settings: requests pass them on, and the trace lists the parts that the provider
// will clear.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { buildContext, loadEncoding, replay, requestOf } from "windrow";
import { wrong } from "../support/errors.mjs";

before(() => loadEncoding("o200k_base"));

const MODEL = "claude-opus-4-6";
/** @type {any[]} */
const run = [{ role: "user", content: "Look everywhere." }];
for (let at = 0; at < 6; at++) {
  const name = at === 1 ? "read" : "look";
  run.push({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "hm", signature: `s${at}` },
      { type: "tool_use", id: `c${at}`, name, input: { at } },
    ],
  });
  run.push({ role: "user", content: [{ type: "tool_result", tool_use_id: `c${at}`, content: "found ".repeat(50) }] });
}

/**
 * @param {any} contextManagement
 * @param {any} provider
 * @returns {Promise<string>}
 */
async function noteOn(contextManagement, provider = "anthropic", model = MODEL) {
  /** @type {any} */
  const config = { model, render: { provider }, contextManagement };
  const context = await buildContext(run, config);
  const body = /** @type {any} */ (context.request(provider));
  assert.deepEqual(body.context_management, contextManagement);
  const again = await replay(JSON.parse(JSON.stringify(context.recording)), run);
  assert.ok(again.same);
  assert.deepEqual(again.context.trace.notes, context.trace.notes);
  return context.trace.notes.find(({ kind }) => kind === "provider-clears")?.words ?? "";
}

describe("context_management", () => {
  test("is passed on, and the trace says what the provider will clear", async () => {
    const uses = { type: "clear_tool_uses_20250919" };
    assert.match(
      await noteOn({ edits: [uses] }),
      /nothing is cleared: the prompt has \d+ tokens, no more than 100000$/,
    );
    assert.equal(
      await noteOn({ edits: [{ ...uses, trigger: { type: "tool_uses", value: 4 } }] }),
      "clear_tool_uses_20250919: the results of the oldest 3 tool uses of 6 are cleared",
    );
    assert.equal(
      await noteOn({
        edits: [
          {
            ...uses,
            trigger: { type: "input_tokens", value: 100 },
            keep: { type: "tool_uses", value: 1 },
            exclude_tools: ["read"],
            clear_at_least: { type: "input_tokens", value: 50 },
          },
        ],
      }),
      "clear_tool_uses_20250919: the results of the oldest 4 tool uses of 6 are cleared, if that frees 50 tokens",
    );
    assert.equal(
      await noteOn({ edits: [{ type: "clear_thinking_20251015", keep: { type: "thinking_turns", value: 2 } }] }),
      "clear_thinking_20251015: the thinking of 4 messages of 6 is cleared",
    );
    assert.match(await noteOn({ edits: [{ type: "clear_thinking_20251015", keep: "all" }] }), /of 0 messages of 6/);
    assert.match(
      await noteOn({ edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 60 } }] }),
      /^compact_20260112: the prompt is compacted: it has \d+ tokens, and the limit is 60$/,
    );
    assert.match(
      await noteOn([{ type: "compaction", compact_threshold: 90_000 }], "openai-responses", "gpt-5"),
      /^compaction: nothing is compacted: the prompt has \d+ tokens, fewer than 90000$/,
    );
    assert.match(await noteOn({ edits: [{ type: "tomorrows" }] }), /^tomorrows: its effect isn't documented/);
  });

  test("is an option of a request, and reaches no provider without it", async () => {
    const contextManagement = { edits: [{ type: "compact_20260112" }] };
    const context = await buildContext(run, { model: MODEL, render: { provider: "anthropic" } });
    assert.equal(context.request("anthropic").context_management, undefined);
    assert.deepEqual(context.request("anthropic", { contextManagement }).context_management, contextManagement);
    assert.deepEqual(
      requestOf("anthropic", run, { model: MODEL, contextManagement }).context_management,
      contextManagement,
    );
    const { thinking } = context.request("anthropic", { onPrefixMismatch: "drop_block" });
    assert.deepEqual(thinking, { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } });
    assert.throws(() => context.request("anthropic", { onPrefixMismatch: wrong("drop") }), {
      path: "onPrefixMismatch",
    });
    assert.ok(!("context_management" in requestOf("openai", run, { contextManagement })));
    await assert.rejects(buildContext(run, { contextManagement: wrong("all") }), { path: "contextManagement" });
    assert.throws(() => context.request("anthropic", { contextManagement: wrong(5) }), { path: "contextManagement" });
  });
});
