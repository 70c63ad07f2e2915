// Measures core_memory_update of letta-evals (Apache 2.0): how often a context has a fact without the later message
// that corrects it. The program itself makes the chats from the file's facts.

import { readFileSync } from "node:fs";
import { buildContext } from "windrow";
import { Failure } from "../../scripts/project.mjs";

/** Budgets, in tokens. */
export const UPDATE_BUDGETS = [250, 500, 1000, 2000, 4000, 8000];
/** The number of other groups of people whose facts a chat has before a correction, and after it. */
const GROUPS_AROUND = 15;
const ENCODING = "o200k_base";

/**
 * @typedef {object} Update
 * @property {string} request
 * @property {string[]} facts the messages of the user about some people
 * @property {string[]} old those of the facts that the correction contradicts
 * @property {string} correction
 */

/**
 * Reads the rows of the file.
 *
 * @param {string} path
 * @returns {Update[]}
 */
export function readUpdates(path) {
  const rows = readFileSync(path, "utf8").split("\n");
  return rows.flatMap((line, at) => (line.trim() === "" ? [] : [updateOf(line, `${path}: line ${at + 1}`)]));
}

function updateOf(line, place) {
  try {
    const { input, agent_args: given } = JSON.parse(line);
    const { facts, supporting_fact_indices: indices, contradicting_fact: correction } = given.extra;
    return { request: input, facts, old: indices.map((index) => facts[index]), correction };
  } catch (error) {
    throw new Failure(`${place} isn't a row of core_memory_update.jsonl: ${error.message}`, 2);
  }
}

/** Returns the chat of a row: facts of other groups around the row's own, the correction, facts of more groups. */
export function chatOf({ facts, correction, request }, groups) {
  const own = groups.findIndex((group) => group[0] === facts[0]);
  const others = [...groups.slice(own + 1), ...groups.slice(0, own)];
  const count = Math.min(GROUPS_AROUND, others.length >> 1);
  const [first, second, after] = [
    others.slice(0, count >> 1),
    others.slice(count >> 1, count),
    others.slice(count, 2 * count),
  ];
  const said = [...first, facts, ...second, [correction], ...after].flat();
  return [...said.flatMap((text) => [user(text), { role: "assistant", content: "Noted." }]), user(request)];
}

const user = (content) => ({ role: "user", content });

/**
 * Measures rows. For each budget, returns the number of contexts with the correction, and the number of those that
 * have a corrected fact without it.
 *
 * @param {Update[]} updates
 * @param {{ budgets?: number[], recall?: object, onProgress?: (doneCount: number, allCount: number) => void }} [options]
 */
export async function measureUpdates(updates, { budgets = UPDATE_BUDGETS, recall, onProgress } = {}) {
  const groups = [...new Map(updates.map(({ facts }) => [facts[0], facts])).values()];
  const measured = budgets.map((maxTokens) => ({
    maxTokens,
    rowCount: updates.length,
    correctedCount: 0,
    staleCount: 0,
  }));
  for (const [done, update] of updates.entries()) {
    const chat = chatOf(update, groups);
    for (const row of measured) {
      const budget = { maxTokens: row.maxTokens };
      const { messages } = await buildContext(chat, { encoding: ENCODING, budget, ...(recall && { recall }) });
      const shown = new Set(messages.map(({ content }) => content));
      const isCorrected = shown.has(update.correction);
      row.correctedCount += isCorrected ? 1 : 0;
      row.staleCount += !isCorrected && update.old.some((fact) => shown.has(fact)) ? 1 : 0;
    }
    onProgress?.(done + 1, updates.length);
  }
  return measured;
}

/** The report: a row for each budget, then the same as a JSON object. */
export function updateReport(rows) {
  const percent = (count, { rowCount }) => ((100 * count) / rowCount).toFixed(1);
  const cells = (...texts) => texts.map((text, at) => String(text).padStart([6, 14, 12][at])).join("  ");
  const lines = rows.map((row) => cells(row.maxTokens, percent(row.correctedCount, row), percent(row.staleCount, row)));
  const figures = Object.fromEntries(
    rows.map((row) => [
      row.maxTokens,
      [row.correctedCount, row.staleCount].map((count) => Number(percent(count, row))),
    ]),
  );
  return [cells("tokens", "correction, %", "old alone, %"), ...lines, "", JSON.stringify(figures)];
}
