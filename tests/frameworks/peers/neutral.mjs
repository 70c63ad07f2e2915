// Conversations in a neutral form. Cases are written in it, and each peer gets them in its own form.
//
// A message is `{ id, role, text?, calls?, answers?, reasoning?, image?, name?, replyTo? }`: `calls` are `{ id, name,
// input }`, `answers` is the id of the call whose result a tool message is, `image` is base64.

const WORDS = "harbour violin garden invoice lantern copper orchard ticket bridge kettle letter marble".split(" ");

export const prose = (random, count) => Array.from({ length: count }, () => random.pick(WORDS)).join(" ");

/** A chat of `turnCount` turns. `more(turn)` may add to a turn, or replace its reply with other messages. */
export function chat(random, turnCount, more = () => []) {
  const messages = [];
  for (let turn = 0; turn < turnCount; turn++) {
    messages.push({ id: `u${turn}`, role: "user", text: `Question ${turn}: ${prose(random, random.integer(4, 25))}?` });
    messages.push(...more(turn));
    messages.push({
      id: `a${turn}`,
      role: "assistant",
      text: `Reply ${turn}: ${prose(random, random.integer(6, 60))}.`,
    });
  }
  return messages;
}

/** One call, or several parallel ones, with their results. */
export function exchange(random, id, count = 1, { reasoning, words = 15 } = {}) {
  const calls = Array.from({ length: count }, (_, at) => ({
    id: `${id}_${at}`,
    name: "look_up",
    input: { term: prose(random, 2) },
  }));
  return [
    { id: `${id}_calls`, role: "assistant", calls, ...(reasoning ? { reasoning } : {}) },
    ...calls.map((call) => ({
      id: `${call.id}_result`,
      role: "tool",
      answers: call.id,
      text: `Found ${prose(random, words)}.`,
    })),
  ];
}

export const ask = (text, more = {}) => ({ id: "request", role: "user", text, ...more });

/** A PNG of `size` bytes, as base64. Its header says 512 x 512. */
export function png(size) {
  const bytes = Buffer.alloc(size, 7);
  Buffer.from("89504e470d0a1a0a0000000d494844520000020000000200", "hex").copy(bytes);
  return bytes.toString("base64");
}
