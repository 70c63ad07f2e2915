// Measures compaction-conformance-kit (PyPI, MIT): the share of planted rules and facts that a context keeps without a
// request, and how often it contains a value that a later message replaced. The kit's own program makes the sessions.

import { buildContext } from "windrow";
import { Failure, outputOf } from "../../scripts/project.mjs";

const PROGRAM = "benches/recall/kit.py";
/** The number of sessions of each corpus. */
const SEEDS = 8;
/** Budgets, as shares of the characters of a session. */
export const SHARES = [0.1, 0.2, 0.3];

/**
 * @typedef {object} KitSession
 * @property {string} corpus
 * @property {number} seed
 * @property {{ role: "system" | "user" | "assistant", text: string }[]} turns
 * @property {{ required: string[], superseded: string[] }[]} planted texts that must be in the context, and those that
 * a later message replaced
 */

/**
 * Returns the sessions of the kit at a path: its wheel or its folder.
 *
 * @returns {Promise<KitSession[]>}
 */
export async function readKit(path) {
  try {
    return JSON.parse(await outputOf("python3", [PROGRAM, path, String(SEEDS)]));
  } catch (error) {
    throw new Failure(`the sessions of ${path} cannot be made: ${error.message}`, 2);
  }
}

/** Returns turns as the kit writes them. */
const written = (turns) => turns.map(({ role, text }) => `[${role}] ${text}`).join("\n");

/**
 * Builds a context of a session within a character limit. Returns its text in the kit's format.
 *
 * @param {KitSession} session
 * @param {number} chars
 * @param {object} [recall]
 */
export async function shownWithin({ turns }, chars, recall) {
  const messages = turns.map(({ role, text }, at) => ({ id: `m${at}`, role, content: text }));
  const countTokens = (texts) => texts.map((text) => text.length);
  // The hook doesn't count the roles and the line breaks.
  for (let maxTokens = chars; ; ) {
    const context = await buildContext(messages, { countTokens, budget: { maxTokens }, ...(recall && { recall }) });
    const text = written(context.messages.map(({ role, content }) => ({ role, text: String(content) })));
    if (text.length <= chars) {
      return text;
    }
    maxTokens -= Math.max(text.length - chars, 1);
  }
}

/**
 * Returns how many planted texts fit in addition to the parts that every context has: the instructions, the request and
 * its answer. The shortest come first.
 *
 * @param {KitSession} session
 * @param {number} chars
 */
function mostKept({ turns, planted }, chars) {
  const requestAt = turns.findLastIndex(({ role }) => role === "user");
  const always = turns.filter(({ role }, at) => role === "system" || at >= requestAt);
  const lengthOf = (turn) => written([turn]).length + 1;
  const lengths = planted.map(({ required }) => {
    const has = ({ text }) => required.every((part) => text.toLowerCase().includes(part.toLowerCase()));
    return always.some(has) ? 0 : Math.min(...turns.filter(has).map(lengthOf));
  });
  let left = chars - written(always).length;
  let count = 0;
  for (const length of lengths.toSorted((one, other) => one - other)) {
    left -= length;
    count += left >= 0 ? 1 : 0;
  }
  return count;
}

/**
 * Measures sessions. Returns a row for each corpus and share: the number of planted texts and of replaced values in the
 * context.
 *
 * @param {KitSession[]} sessions
 * @param {{ shares?: number[], recall?: object }} [options]
 */
export async function measureKit(sessions, { shares = SHARES, recall } = {}) {
  const rows = [];
  for (const corpus of new Set(sessions.map((it) => it.corpus))) {
    for (const share of shares) {
      const row = { corpus, share, keptCount: 0, mostCount: 0, plantedCount: 0, staleCount: 0, replacedCount: 0 };
      for (const session of sessions.filter((it) => it.corpus === corpus)) {
        const chars = Math.floor(written(session.turns).length * share);
        const text = (await shownWithin(session, chars, recall)).toLowerCase();
        row.mostCount += mostKept(session, chars);
        const has = (part) => text.includes(part.toLowerCase());
        for (const { required, superseded } of session.planted) {
          row.plantedCount += 1;
          row.keptCount += required.every(has) ? 1 : 0;
          row.replacedCount += superseded.length > 0 ? 1 : 0;
          row.staleCount += superseded.some(has) ? 1 : 0;
        }
      }
      rows.push(row);
    }
  }
  return rows;
}

/** The report: a row for each corpus and budget, then the same as a JSON object. */
export function kitReport(rows) {
  const percentOf = (count, { plantedCount }) => ((100 * count) / plantedCount).toFixed(1);
  const percent = (row) => percentOf(row.keptCount, row);
  const lines = rows.map((row) => {
    const stale = `${row.staleCount} of ${row.replacedCount}`;
    return [
      row.corpus.padEnd(18),
      `${Math.round(100 * row.share)} %`.padStart(6),
      percent(row).padStart(7),
      percentOf(row.mostCount, row).padStart(8),
      stale.padStart(11),
    ].join("  ");
  });
  const figures = Object.fromEntries(
    rows.map((row) => [`${row.corpus} ${row.share}`, [Number(percent(row)), row.staleCount, row.replacedCount]]),
  );
  const head = [
    "corpus".padEnd(18),
    "chars".padStart(6),
    "kept, %".padStart(7),
    "at most".padStart(8),
    "replaced".padStart(11),
  ].join("  ");
  return [head, ...lines, "", JSON.stringify(figures)];
}
