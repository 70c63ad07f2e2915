// One conversation, and its result in every host: a context that is counted exactly and ranked for a request, and the
// same from a session if there is a store. Each host imports the package in its own way and passes it in.

const START = Date.UTC(2026, 2, 1, 8);
const THINGS = "harbour violin garden invoice lantern copper orchard ticket bridge kettle 会議室 größe".split(" ");

const turns = Array.from({ length: 30 }, (_, turn) => [
  { role: "user", name: "Mara", content: `Frage ${turn}: where is the ${THINGS[turn % 12]}? 👩‍👩‍👧‍👦 <b>&amp;</b>` },
  { role: "assistant", content: `It is near the ${THINGS[(turn * 7) % 12]}. ${"And so on. ".repeat(turn % 6)}` },
]).flat();

export const conversation = [{ role: "system", content: "You know where things are. Be brief." }, ...turns].map(
  (message, at) => ({ id: `m${at}`, createdAt: START + at * 60_000, ...message }),
);

const config = {
  encoding: "o200k_base",
  request: "Where was the copper kettle, and the 会議室?",
  budget: { maxTokens: 400 },
  now: START + 3_600_000,
  turnId: "turn",
};

/** Everything in a context as one text, for the comparison. */
function textOf(context) {
  const { messages, kept, tokens, sections, trace, snapshot } = context;
  return JSON.stringify({
    isExact: tokens.exact,
    contextHash: snapshot.contextHash,
    messages,
    kept,
    tokens,
    sections,
    trace,
  });
}

/** The context of the conversation. */
export async function contextOf({ buildContext }) {
  return textOf(await buildContext(conversation, config));
}

/** The same conversation in a session that was stored and reopened. */
export async function sessionOf({ openSession }, store) {
  const key = "web:hosts";
  const first = await openSession(key, { store });
  await first.append(conversation.slice(0, 40));
  await first.append(conversation.slice(40));
  await first.close();
  const again = await openSession(key, { store });
  const context = await again.build(config);
  const [kept] = await again.snapshots();
  const { same } = await again.replay(kept.recording);
  await again.close();
  return JSON.stringify({ context: textOf(context), same });
}

/** Both results, as a host returns them. */
export async function outcomeOf(windrow, store) {
  return { context: await contextOf(windrow), session: await sessionOf(windrow, store) };
}
