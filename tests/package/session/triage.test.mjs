// A session's memory of triage's choices, which keeps the beginning of the prompt stable from turn to turn.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { buildContext, createTranscript, loadEncoding, memoryStore, openSession } from "windrow";
import { Random } from "../support/random.mjs";

const WORDS = "harbour violin garden invoice kitchen train plumber window ticket letter candle river".split(" ");

before(() => loadEncoding("o200k_base"));

const saying = (random, most) => Array.from({ length: random.integer(4, most) }, () => random.pick(WORDS)).join(" ");

/**
 * A model that chooses about half of the candidates, different ones each time. `asked` collects the messages in its
 * prompts.
 */
function fastModel(random) {
  const asked = [];
  const complete = (prompt) => {
    const numbers = Array.from(prompt.matchAll(/^\[\d+\].*?message (\d+):/gm), ([, number]) => Number(number));
    asked.push(numbers);
    const chosen = numbers.map((_, at) => at).filter(() => random.chance(0.5));
    return Promise.resolve(JSON.stringify({ relevant_ids: chosen }));
  };
  return { asked, complete };
}

const turn = (random, number) => [
  { id: `m${2 * number}`, role: "user", content: `message ${2 * number}: ${saying(random, 20)}` },
  { id: `m${2 * number + 1}`, role: "assistant", content: `message ${2 * number + 1}: ${saying(random, 40)}` },
];

/** @type {(complete: import("windrow").CompleteHook, more?: any) => import("windrow").ContextConfig<any>} */
const configOf = (complete, more = {}) => ({
  recall: { ranking: "recency" },
  triage: { complete, alwaysIncludeRecent: 4, ...more.triage },
  budget: { maxTokens: 900, cut: {}, ...more.budget },
});

/** Runs turns with a build before each reply. Returns the contexts. `again` reopens the session. */
async function talk(session, config, { random, turns, from = 0 }) {
  const contexts = [];
  for (let number = from; number < from + turns; number++) {
    const [asked, reply] = turn(random, number);
    await session.append(asked);
    contexts.push(await session.build(config));
    await session.append(reply);
  }
  return contexts;
}

const shareOf = (contexts) => {
  const after = contexts.slice(10);
  const repeated = after.reduce((sum, { prefix }) => sum + prefix.tokens, 0);
  return repeated / after.reduce((sum, { tokens }) => sum + tokens.total, 0);
};

describe("a session with a cut remembers triage's choices", () => {
  test("no message is asked about twice, even after a reload, and each build replays to the same bytes", async () => {
    const store = memoryStore();
    const random = new Random(7);
    const { asked, complete } = fastModel(random);
    const config = configOf(complete);
    const contexts = [];
    for (let part = 0; part < 4; part++) {
      const session = await openSession("web:main", { store });
      contexts.push(...(await talk(session, config, { random, turns: 10, from: part * 10 })));
      await session.close();
    }
    const numbers = asked.flat();
    assert.ok(numbers.length > 50);
    assert.equal(new Set(numbers).size, numbers.length, "none is asked about twice");
    for (const [at, context] of contexts.entries()) {
      assert.ok(context.tokens.total <= 900);
      const chosen = new Set(context.triage?.decided.chosen);
      const later = contexts[at + 1]?.triage?.decided.chosen ?? [];
      const gone = [...chosen].filter((id) => !later.includes(id));
      assert.ok(at + 1 === contexts.length || gone.length === 0, "chosen messages stay chosen");
    }
    const session = await openSession("web:main", { store });
    const kept = await session.snapshots();
    assert.equal(kept.length, contexts.length);
    for (const { recording } of kept) {
      const { same, differences } = await session.replay(recording);
      assert.ok(same, JSON.stringify(differences));
    }
    await session.close();
  });

  test("more of each prompt repeats the one before it than if every turn asked again", async () => {
    const seeds = [1, 2, 3, 4, 5, 6];
    let [remembered, anew] = [0, 0];
    for (const seed of seeds) {
      const session = await openSession("web:main", { store: memoryStore() });
      const config = configOf(fastModel(new Random(seed + 100)).complete);
      remembered += shareOf(await talk(session, config, { random: new Random(seed), turns: 60 })) / seeds.length;
      await session.close();
      // The same turns over a transcript, which has no memory.
      const random = new Random(seed);
      const transcript = createTranscript();
      const contexts = [];
      const again = configOf(fastModel(new Random(seed + 100)).complete);
      for (let number = 0; number < 60; number++) {
        const [asked, reply] = turn(random, number);
        transcript.append([asked]);
        contexts.push(await buildContext(transcript, again));
        transcript.append([reply]);
      }
      transcript.free();
      anew += shareOf(contexts) / seeds.length;
    }
    assert.ok(remembered > 0.6 && remembered > anew + 0.4, `${remembered} remembered, ${anew} anew`);
  });

  test("other options ask again, and a build without triage in between changes nothing", async () => {
    const random = new Random(3);
    const { asked, complete } = fastModel(random);
    const session = await openSession("web:main", { store: memoryStore() });
    await talk(session, configOf(complete), { random, turns: 12 });
    const known = asked.flat().length;
    await session.build({ budget: { maxTokens: 300 } });
    await session.build(configOf(complete));
    assert.equal(asked.flat().length, known);
    await session.build(configOf(complete, { budget: { maxTokens: 500 } }));
    assert.equal(asked.flat().length, known, "the room changes no decision");
    await session.build(configOf(complete, { triage: { model: "other" } }));
    assert.ok(asked.at(-1).length >= known);
    await session.clear();
    await session.close();
  });

  test("without a cut, or if the chosen are quoted, every turn asks about all", async () => {
    for (const more of [{ budget: { cut: null } }, { triage: { placement: "afterHistory" } }]) {
      const random = new Random(5);
      const { asked, complete } = fastModel(random);
      const session = await openSession("web:main", { store: memoryStore() });
      await talk(session, configOf(complete, more), { random, turns: 12 });
      assert.ok(asked.at(-1).length > 15);
      await session.close();
    }
  });

  test("over a plain array, a caller passes the decisions on", async () => {
    const random = new Random(11);
    const { asked, complete } = fastModel(random);
    const transcript = createTranscript();
    let decided = {};
    for (let number = 0; number < 20; number++) {
      const [user, reply] = turn(random, number);
      transcript.append([user]);
      const context = await buildContext(transcript, configOf(complete, { triage: { decided } }));
      decided = JSON.parse(JSON.stringify(context.triage?.decided ?? decided));
      transcript.append([reply]);
    }
    transcript.free();
    const numbers = asked.flat();
    assert.ok(numbers.length > 20);
    assert.equal(new Set(numbers).size, numbers.length);
    /** @satisfies {import("windrow").ContextConfig} */
    const options = { triage: { complete, candidates: "recalled", decided } };
    await assert.rejects(buildContext([], options), { code: "INVALID_CONFIG", path: "triage.decided" });
  });
});
