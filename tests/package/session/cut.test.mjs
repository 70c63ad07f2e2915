// A session's cut is computed from stored totals instead of the whole log. It is in the same place as in an array of
// the same messages.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContext, memoryStore, openSession } from "windrow";
import { assertShare, forEachSeedAsync } from "../support/property.mjs";

const START = Date.parse("2026-01-05T09:00:00Z");
const LATER = START + 3_600_000_000;

/** Messages of an ongoing chat, with occasional calls. */
class Talk {
  #random;
  #count = 0;

  constructor(random) {
    this.#random = random;
  }

  message(role, more = {}) {
    const count = this.#count++;
    const words = Array.from({ length: 1 + this.#random.integer(0, 19) }, () => this.#random.pick(WORDS));
    return { id: `m${count}`, role, content: words.join(" "), createdAt: new Date(START + count * 60_000), ...more };
  }

  turn() {
    const asked = this.message("user");
    if (!this.#random.chance(0.1)) {
      return [asked, this.message("assistant")];
    }
    const call = `c${this.#count}`;
    const tool_calls = [{ id: call, type: "function", function: { name: "look", arguments: "{}" } }];
    return [
      asked,
      this.message("assistant", { tool_calls }),
      this.message("tool", { tool_call_id: call }),
      this.message("assistant"),
    ];
  }

  turns(count) {
    return Array.from({ length: count }, () => this.turn()).flat();
  }
}

const WORDS = "the violin harbour is and we invoice kitchen 東京 lantern of crossing at".split(" ");

const said = ({ text, messages }) => text ?? messages.map(({ content }) => content);

async function same(session, config) {
  const list = structuredClone(await session.messages());
  const [found, expected] = [await session.build(config), await buildContext(list, config)];
  assert.deepEqual(said(found), said(expected));
  return found;
}

describe("a session with a cut", () => {
  test("is cut like an array of its messages, after any appends, edits, truncations and openings", async () => {
    let partCount = 0;
    const caseCount = await forEachSeedAsync(async (random) => {
      const store = memoryStore();
      const talk = new Talk(random);
      let session = await openSession("s", { store });
      await session.append(talk.turns(60 + random.integer(0, 59)));
      const tokens = 200 + random.integer(0, 599);
      const encoding = random.pick(["estimate", "o200k_base", "cl100k_base"]);
      const ranking = random.pick(["recency", "recency", "relevance"]);
      const render = random.pick([{}, { format: "text" }, { provider: "openai" }, { provider: "anthropic" }]);
      const budget = { maxTokens: tokens, cut: random.pick([{}, { highWater: 0.8, lowWater: 0.3 }]) };
      const config = () => ({ request: "and the violin?", encoding, budget, recall: { ranking }, render, now: LATER });
      await same(session, config());
      let isPart = false;
      for (let step = 0; step < 4; step += 1) {
        const all = await session.messages();
        const change = random.integer(0, 5);
        if (change === 0) {
          await session.truncateFrom(all[Math.floor(all.length * random.fraction())]?.id ?? "m0");
        } else if (change === 1) {
          const old = random.pick(all.filter(({ tool_calls, role }) => tool_calls === undefined && role !== "tool"));
          await session.append({ ...old, content: `${old.content} or not` });
        } else if (change === 2) {
          await session.append(talk.message("assistant"));
          await session.replaceLast(talk.message("assistant"));
        } else if (change === 3) {
          await session.close();
          session = await openSession("s", { store });
        }
        await session.append(talk.turns(random.pick([1, 1, 2, 40])));
        const { trace } = await same(session, config());
        isPart ||= trace.unreadCount > 0 && trace.ranges.some(({ reason }) => reason === "before_cut");
      }
      partCount += isPart ? 1 : 0;
      await session.close();
    });
    assertShare(partCount, caseCount, 4, "builds over a part");
  });

  test("reads from the cut on, also when it is opened again", async () => {
    const store = memoryStore();
    const content = "ten words of text that say nothing new at all";
    const messages = Array.from({ length: 6000 }, (_, count) => ({
      id: `m${count}`,
      role: count % 2 === 0 ? "user" : "assistant",
      content,
      createdAt: START + count * 60_000,
    }));
    /** @type {import("windrow").ContextConfig} */
    const config = { request: "And now?", budget: { maxTokens: 1000, cut: {} }, recall: { ranking: "recency" } };
    let session = await openSession("s", { store });
    await session.append(messages);
    const first = await session.build(config);
    await session.settled();
    // The session drops the messages that only the first build needs.
    assert.ok((await session.build(config)).trace.unreadCount > 5000);
    await session.close();
    session = await openSession("s", { store });
    const found = await session.build(config);
    assert.ok(found.trace.unreadCount > 5000, `${found.trace.unreadCount} were not read`);
    assert.deepEqual(said(found), said(first));
    const replayed = await session.replay(found.recording);
    assert.equal(replayed.same, true);
    await session.close();
  });
});
