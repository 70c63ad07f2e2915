// Thinking that a model binds to what stood before it: a provider that checks it, over random conversations.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { buildContext, createTranscript, loadEncoding, memoryStore, openSession, presets } from "windrow";
import { assertShare, forEachSeedAsync } from "../support/property.mjs";
import { Random } from "../support/random.mjs";

const MODEL = "claude-opus-5-5";
const WORDS = "harbour violin garden invoice kitchen train plumber window ticket letter candle river".split(" ");
/** @type {{ provider: "anthropic" }} */
const render = { provider: "anthropic" };

before(() => loadEncoding("o200k_base"));

const saying = (random, most) => Array.from({ length: random.integer(2, most) }, () => random.pick(WORDS)).join(" ");

/** A provider that remembers each request in which it thought, and checks every block that comes back. */
class Provider {
  #prefixes = new Map();
  #count = 0;
  sent = 0;

  static #text(value) {
    const plain = (key, inner) => {
      if (key === "cache_control") {
        return undefined;
      }
      return key === "content" && typeof inner === "string" ? [{ type: "text", text: inner }] : inner;
    };
    return JSON.stringify(value, plain);
  }

  #prefix({ system = null, messages }, model, end, blocks) {
    return Provider.#text([model, system, messages.slice(0, end), blocks]);
  }

  /** Fails if the request has thinking that is bound to something else. */
  check(body, model) {
    this.sent = 0;
    for (const [at, { content }] of body.messages.entries()) {
      for (const [index, block] of (Array.isArray(content) ? content : []).entries()) {
        if (block.type === "thinking") {
          this.sent += 1;
          const now = this.#prefix(body, model, at, content.slice(0, index));
          assert.equal(
            now,
            this.#prefixes.get(block.signature),
            `messages.${at}.content.${index}: another conversation`,
          );
        }
      }
    }
  }

  /** Replies with thinking, then with a text or a call; sometimes it thinks again before the call. */
  reply(random, body, model, calls) {
    /** @type {any[]} */
    const content = [];
    const think = () => {
      const signature = `signature ${this.#count++}`;
      this.#prefixes.set(signature, this.#prefix(body, model, body.messages.length, content.slice()));
      content.push({ type: "thinking", thinking: random.chance(1 / 3) ? "" : saying(random, 20), signature });
    };
    think();
    content.push({ type: "text", text: saying(random, 40) });
    if (calls) {
      if (random.chance(1 / 2)) {
        think();
      }
      content.push({ type: "tool_use", id: `call_${this.#count}`, name: "look", input: { q: saying(random, 3) } });
    }
    return { role: "assistant", content };
  }
}

/**
 * The user's next words, or a tool's result.
 *
 * @returns {any}
 */
function next(random, reply) {
  const call = reply?.content.find(({ type }) => type === "tool_use");
  return call === undefined
    ? { role: "user", content: saying(random, 30) }
    : { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: saying(random, 60) }] };
}

const system = (text) => ({ role: "system", content: text });

describe("thinking that is bound", () => {
  test("is sent only where the provider takes it, whatever is cut, edited or asked of another model", async () => {
    let sending = 0;
    let cases = 0;
    await forEachSeedAsync(async (random) => {
      const provider = new Provider();
      const messages = [system("Be brief."), next(random)];
      const base = random.pick([{}, { recall: { ranking: "recency" } }, presets.steady]);
      /** @type {any} */
      let previous;
      let sent = 0;
      for (let turn = 0; turn < 14; turn++) {
        const model = random.chance(1 / 12) ? "claude-sonnet-5-5" : MODEL;
        const budget = { ...base.budget, maxTokens: random.chance(1 / 6) ? 500 : 700 };
        const context = await buildContext([...messages], { ...base, budget, model, render, previous });
        const body = context.request("anthropic");
        provider.check(body, model);
        sent += provider.sent;
        previous = random.chance(1 / 10) ? undefined : JSON.parse(JSON.stringify(context.outline));
        const reply = provider.reply(random, body, model, random.chance(1 / 2));
        messages.push(reply, next(random, reply));
        if (random.chance(1 / 12)) {
          const at = random.integer(0, messages.length - 1);
          if (typeof messages[at].content === "string") {
            messages[at] = { ...messages[at], content: saying(random, 30) };
          }
        }
        if (random.chance(1 / 20)) {
          messages.push(system(saying(random, 5)), next(random));
        }
      }
      sending += sent > 0 ? 1 : 0;
      cases += 1;
    });
    assertShare(sending, cases, 2, "conversations send thinking");
  });

  test("is all sent since the cut has moved", async () => {
    await forEachSeedAsync(async (random) => {
      const provider = new Provider();
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
        assert.equal(note, provider.sent < all, "what is left out is noted");
        const reply = provider.reply(random, body, MODEL, false);
        thought += 1;
        transcript.append([reply, next(random, reply)]);
      }
      transcript.free();
    });
  });

  test("stays valid in a session that is opened again, and in a replay", async () => {
    const random = new Random(7);
    const provider = new Provider();
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

  test("is not counted where it is left out, and nothing changes for a model that binds none", async () => {
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
