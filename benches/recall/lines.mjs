// Measures single lines: one line of a user among many turns about something else, then a task that shares no word with
// it.

import { buildContext } from "windrow";
import { Failure } from "../../scripts/project.mjs";
import { Random } from "../../tests/package/support/random.mjs";

/** The length of the chats, and the budget. */
const SIZES = { turns: 200, maxTokens: 2000 };
const CLASSES = ["fact", "instruction", "health"];
const START = Date.UTC(2026, 0, 5, 9);
const MINUTE = 60_000;
/** The number of subjects in a message. */
const SUBJECTS = 4;

/**
 * Reads lines of `language | class | text`. Returns for each language its lines, and the turns, replies, subjects and
 * tasks that its chats are made of. A language without its own takes them from `around`.
 *
 * @param {string} text
 * @param {Map<string, { lines: object[], turn: string[], reply: string[], subject: string[], task: string[] }>}
 * [around]
 */
export function readLines(text, around = new Map()) {
  const languages = new Map();
  for (const line of text.split("\n").filter((it) => it !== "" && !it.startsWith("#"))) {
    const [language, kind, ...cells] = line.split(" | ");
    const found = languages.get(language) ?? { lines: [], turn: [], reply: [], subject: [], task: [] };
    languages.set(language, found);
    const said = cells.join(" | ");
    if (CLASSES.includes(kind)) {
      found.lines.push({ kind, text: said });
    } else if (kind === "subject") {
      found.subject.push(...said.split("; "));
    } else if (found[kind] !== undefined) {
      found[kind].push(said);
    } else {
      throw new Failure(`${kind} is not a class of a line: ${line}`, 2);
    }
  }
  for (const [language, chat] of languages) {
    const others = chat.turn.length === 0 ? around.get(language) : undefined;
    if (others !== undefined) {
      languages.set(language, { ...others, lines: chat.lines });
    }
  }
  return languages;
}

/**
 * Measures the lines of each language: how many are in their context. `others` is the average number of messages about
 * other subjects that came in as statements.
 *
 * @param {ReturnType<typeof readLines>} languages
 * @param {object} [options]
 * @param {number} [options.turns] the number of turns in a chat
 * @param {number} [options.maxTokens]
 * @param {object} [options.recall]
 */
export async function measureLines(languages, { turns = SIZES.turns, maxTokens = SIZES.maxTokens, recall } = {}) {
  const measured = [];
  for (const [language, chat] of languages) {
    const results = [];
    let others = 0;
    for (const [at, line] of chat.lines.entries()) {
      const messages = messagesOf(chat, line.text, turns, at);
      const context = await buildContext(messages, {
        request: taskOf(chat.task, line.text, at),
        now: new Date(START + (turns + 1) * MINUTE).toISOString(),
        budget: { maxTokens },
        ...(recall && { recall }),
      });
      results.push({ ...line, isKept: context.kept.some(({ id }) => id === "line") });
      others += context.kept.filter(({ id }) => id !== "line" && context.explain(id).reason === "statement").length;
    }
    measured.push({ language, results, others: others / results.length });
  }
  return measured;
}

/** A chat of some turns, with a line of the user somewhere in its first half. */
function messagesOf(chat, line, turns, seed) {
  const random = new Random(seed + 1);
  const pick = (all) => all[Math.floor(random.fraction() * all.length)];
  const place = Math.floor((random.fraction() * turns) / 2);
  const messages = [];
  const say = (id, role, content, minute) =>
    messages.push({ id, role, content, createdAt: new Date(START + minute * MINUTE).toISOString() });
  for (let turn = 0; turn < turns; turn += 1) {
    if (turn === place) {
      say("line", "user", line, turn);
    }
    // With several subjects no two messages are nearly the same. Otherwise the line would get the room of left-out
    // copies.
    const subject = Array.from({ length: SUBJECTS }, () => pick(chat.subject)).join(", ");
    say(`turn-${turn}`, "user", pick(chat.turn).replaceAll("*", subject), turn);
    say(`reply-${turn}`, "assistant", pick(chat.reply).replaceAll("*", subject), turn);
  }
  return messages;
}

/** A task that shares no word of four letters with the line. */
function taskOf(tasks, line, at) {
  const wordsOf = (text) => text.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  const words = new Set(wordsOf(line));
  const others = tasks.filter((task) => !wordsOf(task).some((word) => words.has(word)));
  if (others.length === 0) {
    throw new Failure(`each task has a word of this line: ${line}`, 2);
  }
  return others[at % others.length];
}

/**
 * The report: a row for each language, and the lines that are not in their context if `isVerbose`; then the shares as a
 * JSON object.
 *
 * @param {Awaited<ReturnType<typeof measureLines>>} measured
 */
export function lineReport(measured, isVerbose = false) {
  const percent = (results) =>
    results.length === 0 ? "-" : ((100 * results.filter(({ isKept }) => isKept).length) / results.length).toFixed(1);
  const rows = measured.map(({ language, results, others }) => {
    const byClass = CLASSES.map((kind) => percent(results.filter((it) => it.kind === kind)));
    return [language, String(results.length), percent(results), ...byClass, others.toFixed(1)];
  });
  const head = ["language", "lines", "kept, %", ...CLASSES, "others"];
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  const written = [head, ...rows].map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join("  "),
  );
  const missed = measured.flatMap(({ language, results }) =>
    results.filter(({ isKept }) => !isKept).map(({ text }) => `${language}: ${text}`),
  );
  const shares = Object.fromEntries(measured.map(({ language, results }) => [language, Number(percent(results))]));
  return [...written, ...(isVerbose ? ["", ...missed] : []), "", JSON.stringify(shares)];
}
