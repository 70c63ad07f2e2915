// Search results over the same conversations: run in Node, a browser and workerd, each over a separate store.

import { openSession, searchSessions } from "windrow";
import { Random } from "./random.mjs";

const START = Date.UTC(2026, 0, 5, 8);
const WORDS = "harbour violin garden invoice kitchen train plumber window ticket letter candle river".split(" ");

/** A chat of everyday words with a unique word in one message. */
export function chatWith(rare, { random, length, place, prefix = "m" }) {
  return Array.from({ length }, (_, position) => {
    const words = Array.from({ length: random.integer(2, 9) }, () => random.pick(WORDS)).join(" ");
    return {
      id: `${prefix}${position}`,
      role: position % 2 === 0 ? "user" : "assistant",
      content: position === place ? `it is called ${rare}, by the ${random.pick(WORDS)}` : `we said ${words} again`,
      createdAt: new Date(START + position * 60_000).toISOString(),
    };
  });
}

/** The results of some searches, for comparison between hosts. */
export async function runSearchCases(store) {
  const random = new Random(7);
  const names = ["ada", "bob", "cem"];
  for (const [position, name] of names.entries()) {
    const session = await openSession(name, { store });
    await session.append(chatWith(`zorblax${position}`, { random, length: 150, place: 40 + position, prefix: name }));
    await session.close();
  }
  const session = await openSession("bob", { store });
  const plain = ({ sessionKey, seq, message, score, reason }) => ({
    sessionKey,
    seq,
    id: message.id,
    score: score.toPrecision(4),
    reason,
  });
  const found = {
    own: (await session.search("what is zorblax1?", { limit: 3 })).map(plain),
    others: (await session.search("what is zorblax2?", { limit: 3 })).map(plain),
    all: (await searchSessions(store, "zorblax2 or zorblax0", { limit: 5 })).map(plain),
    some: (await searchSessions(store, "zorblax2 or zorblax0", { limit: 5, keys: ["ada"] })).map(plain),
  };
  await session.append([
    { id: "said", role: "user", content: "I have a severe peanut allergy." },
    { id: "asked", role: "user", content: "Ich wohne bei Kassel. Does it snow?" },
  ]);
  const facts = ({ kind, sentence, seq }) => [kind, sentence, seq];
  /** @type {import("windrow").ContextConfig} */
  const config = { encoding: "estimate", request: "Where is the candle?", budget: { maxTokens: 600 } };
  const built = async () => (await session.build(config)).recording.config.filter;
  /** @type {unknown[]} */
  const statements = [(await session.statements()).map(facts)];
  await session.forget((await session.statements())[0]);
  statements.push((await session.statements()).map(facts), await built());
  await session.remember((await session.statements({ forgotten: true }))[0]);
  statements.push((await session.statements()).map(facts), await built());
  await session.close();
  return { ...found, statements };
}
