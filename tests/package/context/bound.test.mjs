// Reasoning that a model binds to the messages before it, with a provider that checks it, over random conversations.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import * as windrow from "windrow";
import { buildContext, createTranscript, loadEncoding, memoryStore, openSession, presets } from "windrow";
import { secrets } from "windrow/redact";
import { BindingProvider, next, runChat, runRandomChat, runRandomSession } from "../support/bound-provider.mjs";
import { assertShare, forEachSeedAsync } from "../support/property.mjs";
import { Random } from "../support/random.mjs";

const MODEL = "claude-opus-5-5";
/** @type {{ provider: "anthropic" }} */
const render = { provider: "anthropic" };

before(() => loadEncoding("o200k_base"));

const system = (text) => ({ role: "system", content: text });

describe("bound reasoning", () => {
  test("is sent only if the provider accepts it, also after cuts, edits and changes of the model", async () => {
    let sending = 0;
    let cases = 0;
    await forEachSeedAsync(async (random) => {
      const sent = await runRandomChat(windrow, random);
      sending += sent > 0 ? 1 : 0;
      cases += 1;
    });
    assertShare(sending, cases, 2, "conversations send thinking");
  });

  test("is sent only if the provider accepts it in sessions with summaries, edits, secrets and several tabs", async () => {
    let [sending, summarizing, cases] = [0, 0, 0];
    await forEachSeedAsync(async (random) => {
      const { sent, summarized } = await runRandomSession(windrow, secrets, random);
      sending += sent > 0 ? 1 : 0;
      summarizing += summarized > 0 ? 1 : 0;
      cases += 1;
    });
    assertShare(sending, cases, 2, "sessions send thinking");
    assertShare(summarizing, cases, 6, "sessions have a summary");
  });

  test("is sent completely since the last move of the cut", async () => {
    await forEachSeedAsync(async (random) => {
      const provider = new BindingProvider();
      const transcript = createTranscript(/** @type {any[]} */ ([system("Be brief."), next(random)]));
      /** @type {{ ranking: "recency" }} */
      const recall = { ranking: "recency" };
      const config = { model: MODEL, render, recall };
      const budget = { ...presets.steady.budget, maxTokens: 900 };
      let [thought, cut] = [0, undefined];
      for (let turn = 0; turn < 20; turn++) {
        const context = await buildContext(transcript, { ...config, budget });
        const body = context.request("anthropic");
        provider.check(body, MODEL);
        const [start] = context.outline.pieces.find(([source]) => Number(source) > 0) ?? [];
        thought = start === cut ? thought : 0;
        cut = start;
        assert.equal(provider.sent, turn === 0 || thought > 0 ? thought : provider.sent);
        const note = context.trace.notes.some(({ kind }) => kind === "thinking-left-out");
        const all = context.kept.filter(({ role }) => role === "assistant").length;
        assert.equal(note, provider.sent < all, "a note counts the omitted parts");
        const reply = provider.reply(random, body, MODEL, false);
        thought += 1;
        transcript.append([reply, next(random, reply)]);
      }
      transcript.free();
    });
  });

  test("is sent since the last cut with quotes too: quotes stay in place", async () => {
    let [sent, thought, quoted] = [0, 0, 0];
    await forEachSeedAsync(async (random) => {
      const budget = { ...presets.steady.budget, maxTokens: random.integer(900, 2500) };
      const config = { ...presets.steady, model: MODEL, render, budget };
      const found = await runChat(windrow, random, config, { turns: 24, calls: random.pick([0, 0.3, 0.7]) });
      sent += found.sent;
      thought += found.thought;
      quoted += found.quoted;
    });
    assert.ok(sent >= 0.9 * thought, `${sent} of ${thought} blocks since the last cut are sent`);
    assert.ok(quoted > 0, "nothing was quoted");
  });

  test("is named when it is left out, with the reason it became invalid", async () => {
    const random = new Random(5);
    const provider = new BindingProvider();
    const tools = ["look", "find"].map((name) => ({ name, description: name, parameters: { type: "object" } }));
    /** @type {any} */
    const config = { model: MODEL, render, budget: { maxTokens: 100_000, tools } };
    const messages = [system("Be brief. Today is Friday, 27 November 2026."), next(random)];
    const first = await buildContext([...messages], config);
    messages.push(provider.reply(random, first.request("anthropic"), MODEL, false), next(random));
    const previous = first.outline;
    const same = await buildContext([...messages], { ...config, previous });
    assert.equal(same.prefix?.difference, null);
    assert.equal(same.prefix?.invalidThinking, undefined);

    const dated = messages.with(0, system("Be brief. Today is Saturday, 28 November 2026."));
    const redated = await buildContext(dated, { ...config, previous });
    assert.match(redated.prefix?.difference?.words ?? "", /only figures in it.*thinking of message 2$/);
    assert.deepEqual(redated.prefix?.invalidThinking, [2]);
    assert.match(redated.explain(2).words, /without its thinking/);

    const reordered = { ...config, budget: { ...config.budget, tools: tools.toReversed() } };
    const shuffled = await buildContext([...messages], { ...reordered, previous });
    assert.match(shuffled.prefix?.difference?.words ?? "", /same tools are defined in a different order.*message 2$/);
  });

  test("stays valid in a reopened session and in a replay", async () => {
    const random = new Random(7);
    const provider = new BindingProvider();
    const store = memoryStore();
    const config = { model: MODEL, render, budget: { maxTokens: 100_000 } };
    for (let turn = 0; turn < 6; turn++) {
      const session = await openSession("chat", { store });
      await session.append(next(random));
      const context = await session.build(config);
      const body = context.request("anthropic");
      provider.check(body, MODEL);
      assert.equal(provider.sent, turn);
      const again = await session.replay(context.recording);
      assert.ok(again.same);
      assert.deepEqual(again.context.request("anthropic"), body);
      await session.append(provider.reply(random, body, MODEL, false));
      await session.close();
    }
  });

  test("stays valid in two tabs that take turns", async () => {
    const random = new Random(8);
    const provider = new BindingProvider();
    const store = memoryStore();
    const tabs = [await openSession("chat", { store }), await openSession("chat", { store })];
    const config = { model: MODEL, render, budget: { maxTokens: 100_000 } };
    for (let turn = 0; turn < 8; turn++) {
      const tab = random.pick(tabs);
      await tab.append(next(random));
      const body = (await tab.build(config)).request("anthropic");
      provider.check(body, MODEL);
      assert.equal(provider.sent, turn);
      await tab.append(provider.reply(random, body, MODEL, false));
    }
    await Promise.all(tabs.map((tab) => tab.close()));
  });

  test("isn't counted when it is left out, and models that don't bind it are unaffected", async () => {
    const thinking = { type: "thinking", thinking: "a long thought ".repeat(40), signature: "s" };
    /** @type {any[]} */
    const said = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: [thinking, { type: "text", text: "Hi" }] },
      { role: "user", content: "What now?" },
    ];
    const bare = said.with(1, { role: "assistant", content: [{ type: "text", text: "Hi" }] });
    /** @type {(messages: any[], model: string) => Promise<number>} */
    const tokens = async (messages, model) => (await buildContext(messages, { model, render })).tokens.total;
    assert.equal(await tokens(said, MODEL), await tokens(bare, MODEL));
    const older = await buildContext(said, { model: "claude-opus-4-6", render });
    assert.deepEqual(older.request("anthropic").messages[1].content[0], thinking);
    assert.equal(older.outline.bound, undefined);
  });
});
