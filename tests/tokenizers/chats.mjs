// Counts random chats in a model's chat template: plain ones, and ones with tools, calls and results.

import { Random } from "../package/support/random.mjs";

const CHATS = 300;
const WORDS =
  "The harbour opens at nine; bring 2 tickets, a violin and the invoice (€ 14.50) for Zoë. Dobrý den, 東京!".split(" ");
const NAMES = "search_files read_file getWeather list-orders book_table convert delete_event".split(" ");
const FIELDS = "city path query limit unit maxResults start_date recursive tags options".split(" ");
const LETTERS = [..."abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ0123456789"];

const said = (random, most = 40) => Array.from({ length: random.integer(1, most) }, () => random.pick(WORDS)).join(" ");

/**
 * Counts random chats by two functions. Each chat ends with the user, and begins with instructions or not. Instructions
 * end with a letter, because Mistral's template adds a blank line, which can join a mark before it to one token.
 */
export function comparePlain({ seed, count, reference }) {
  const random = new Random(seed);
  const chats = Array.from({ length: CHATS }, () => {
    const turns = Array.from({ length: 2 * random.integer(0, 6) + 1 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: said(random),
    }));
    return random.chance(0.5) ? [{ role: "system", content: `${said(random)} and so on` }, ...turns] : turns;
  });
  return compared(chats, count, reference, (counted, expected) => counted === expected);
}

/**
 * Counts random chats with tools. No count may be too low. `most` is the highest number of parallel calls. With
 * `dropsTexts` no message has both text and calls, and each chat ends with the user.
 */
export function compareTools({ seed, most, dropsTexts, count, reference }) {
  const random = new Random(seed);
  const chats = Array.from({ length: CHATS }, () => chatWithTools(random, most, dropsTexts));
  const counts = ({ messages, tools }) => count(messages, tools);
  const references = ({ messages, tools }) => reference(messages, tools);
  return compared(chats, counts, references, (counted, expected) => counted >= expected);
}

function compared(chats, count, reference, isRight) {
  const result = { chats: chats.length, counted: 0, expected: 0, exact: 0, differences: [] };
  for (const chat of chats) {
    const [counted, expected] = [count(chat), reference(chat)];
    result.counted += counted;
    result.expected += expected;
    result.exact += Number(counted === expected);
    if (!isRight(counted, expected)) {
      const messages = chat.messages ?? chat;
      result.differences.push({ roles: messages.map(({ role }) => role), counted, expected });
    }
  }
  return result;
}

function chatWithTools(random, most, dropsTexts) {
  const tools = Array.from({ length: random.integer(1, 4) }, () => toolOf(random));
  const messages = random.chance(0.5) ? [{ role: "system", content: `${said(random)} and so on` }] : [];
  const turns = random.integer(dropsTexts ? 2 : 1, 4);
  for (let turn = 1; turn <= turns; turn++) {
    messages.push({ role: "user", content: said(random) });
    const steps = turn === turns && dropsTexts ? 0 : random.integer(0, 3);
    for (let step = 0; step < steps; step++) {
      messages.push(...exchange(random, tools, random.integer(1, most), dropsTexts));
    }
    if (turn < turns) {
      messages.push({ role: "assistant", content: said(random) });
    }
  }
  return { messages, tools };
}

/** A message with calls, and their results. */
function exchange(random, tools, count, dropsTexts) {
  const calls = Array.from({ length: count }, () => ({
    id: Array.from({ length: 9 }, () => random.pick(LETTERS)).join(""),
    type: "function",
    function: { name: random.pick(tools).function.name, arguments: JSON.stringify(objectOf(random, 2)) },
  }));
  const content = random.chance(0.3) && !dropsTexts ? said(random, 12) : null;
  const results = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: resultOf(random) }));
  return [{ role: "assistant", content, tool_calls: calls }, ...results];
}

function resultOf(random) {
  const lines = () =>
    Array.from({ length: random.integer(1, 12) }, () => `${random.pick(["", "  ", "\t"])}${said(random, 8)}`);
  return random.pick([
    () => said(random),
    () => JSON.stringify(objectOf(random, 3)),
    () => JSON.stringify(objectOf(random, 3), null, 2),
    () => lines().join("\n"),
    () => `{\n${lines().join(";\n")};\n}\n`,
  ])();
}

/** An object of random fields. */
function objectOf(random, depth) {
  const value = () =>
    random.pick([
      () => said(random, 6),
      () => random.integer(-20, 9_999),
      () => random.chance(0.5),
      () => null,
      () => Array.from({ length: random.integer(0, 3) }, () => random.pick(FIELDS)),
      () => (depth > 0 ? objectOf(random, depth - 1) : `line one\nline "two" of ${said(random, 3)}`),
    ])();
  return Object.fromEntries(Array.from({ length: random.integer(0, 4) }, () => [random.pick(FIELDS), value()]));
}

function toolOf(random) {
  const field = (depth) =>
    random.pick([
      () => ({ type: "string", description: said(random, 12) }),
      () => ({ type: "integer", minimum: 0 }),
      () => ({ type: "string", enum: ["c", "f"] }),
      () => ({ type: "array", items: { type: "string" } }),
      () => (depth > 0 ? schemaOf(depth - 1) : { type: "boolean" }),
    ])();
  const schemaOf = (depth) => {
    const names = [...new Set(Array.from({ length: random.integer(0, 4) }, () => random.pick(FIELDS)))];
    const properties = Object.fromEntries(names.map((name) => [name, field(depth)]));
    return { type: "object", properties, required: names.slice(0, random.integer(0, names.length)) };
  };
  return {
    type: "function",
    function: { name: random.pick(NAMES), description: said(random, 20), parameters: schemaOf(2) },
  };
}
