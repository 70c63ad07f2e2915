// Random conversations for the writers of files, and how a file writes their times.

export const json = (value) => JSON.stringify(value);
export const lines = (rows) => rows.map(json).join("\n");
export const START_MS = Date.UTC(2026, 0, 13, 9, 0);

/** A turn's time to the minute, which every kind can express. */
export const timeOf = (turn) => new Date(START_MS + turn.minute * 60_000);
export const iso = (turn) => timeOf(turn).toISOString();
export const msOf = (turn) => timeOf(turn).getTime();
export const secondsOf = (turn) => msOf(turn) / 1000;
export const two = (number) => String(number).padStart(2, "0");

/** Fragments of text. None begins a line with Markdown syntax or a time. */
const PIECES = [
  "seats",
  "the deposit",
  "naïve café",
  "北京 会議",
  "🧵",
  "a: b",
  "(x)",
  "don't",
  "<b>",
  "&amp;",
  '"so"',
  "3.14",
  "…",
  "1,000 €",
];

/**
 * A conversation that a kind of file can represent. `abandoned` are words that the turn replaced, and `notice` is a row
 * before the turn that isn't a message.
 *
 * @returns {any[]}
 */
export function randomConversation(random, { has, onlyUsers = false, longest = 8 }) {
  let number = 0;
  const text = () => {
    const pieces = Array.from({ length: random.integer(0, 5) }, () => random.pick(PIECES));
    number += 1;
    return [`w${number}`, ...pieces].join(random.pick([" ", " ", "\n"]));
  };
  const count = random.integer(2, longest);
  return Array.from({ length: count }, (_, at) => {
    const role = onlyUsers || at % 2 === 0 ? "user" : "assistant";
    const calls =
      has.calls && role === "assistant" && random.chance(0.5)
        ? Array.from({ length: random.integer(1, 2) }, (_, index) => ({
            id: `call_${at}_${index}`,
            name: random.pick(["read_file", "search"]),
            input: { path: `p${at}.txt`, quoted: random.pick(PIECES) },
            output: text(),
          }))
        : [];
    return {
      id: `m${at + 1}`,
      role,
      name: role === "user" ? random.pick(onlyUsers ? ["Ann", "Bo Ek"] : ["Ann"]) : "Helper",
      text: text(),
      minute: at * random.integer(1, 40),
      replyTo: has.replies && at > 0 && random.chance(0.4) ? `m${random.integer(1, at)}` : undefined,
      reasoning: has.reasoning && role === "assistant" && random.chance(0.5) ? text() : undefined,
      calls,
      abandoned: has.branches && at > 0 && random.chance(0.4) ? `abandoned${at}` : undefined,
      notice: has.notices && random.chance(0.3) ? `notice ${at}` : undefined,
    };
  }).map((turn, at, all) => ({ ...turn, minute: Math.max(...all.slice(0, at + 1).map(({ minute }) => minute)) }));
}

export const noticeCount = (turns) => turns.filter(({ notice }) => notice !== undefined).length;
export const escaped = (text) =>
  text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
