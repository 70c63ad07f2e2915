// The hooks of the page: plain stand-ins for a fast model and for a store of knowledge, with the code that says the same.

import type { SearchHook, SelectHook } from "windrow";
import type { Knowledge } from "./given.js";

/** A hook, under its name in its group of options. */
export interface PageHook {
  readonly path: "triage.select" | "recall.search";
  readonly run: SelectHook | SearchHook;
  /** The code of it, as a program would have it. */
  code(): string;
}

const usual = /^(about|could|should|their|there|these|those|where|which|would)$/;

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]{5,}/gu) ?? []).filter((word) => !usual.test(word));
}

/** Which share of the words of one text are in another. */
export function sharedWords(wanted: string, text: string): number {
  const words = new Set(wordsOf(text));
  const asked = wordsOf(wanted);
  return asked.filter((word) => words.has(word)).length / Math.max(asked.length, 1);
}

/** The same as code. */
export const sharedWordsCode = String.raw`function sharedWords(wanted, text) {
  const usual = ${usual};
  const wordsOf = (text) =>
    (text.toLowerCase().match(/[\p{L}\p{N}]{5,}/gu) ?? []).filter((word) => !usual.test(word));
  const words = new Set(wordsOf(text));
  const asked = wordsOf(wanted);
  return asked.filter((word) => words.has(word)).length / Math.max(asked.length, 1);
}`;

/** Finds the notes that share most words with the request. */
export function searchIn(knowledge: readonly Knowledge[]): PageHook {
  return {
    path: "recall.search",
    run: ({ query, maxItems }: Parameters<SearchHook>[0]) =>
      knowledge
        .map((note) => ({ ...note, score: sharedWords(query, note.text) }))
        .filter(({ score }) => score > 0)
        .sort((one, other) => other.score - one.score)
        .slice(0, maxItems),
    code: () => `// Stands in for a store: finds the notes that share most words with the request.
function search({ query, maxItems }) {
  const knowledge = ${JSON.stringify(knowledge, null, 2).replaceAll("\n", "\n  ")};
  return knowledge
    .map((note) => ({ ...note, score: sharedWords(query, note.text) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, maxItems);
}`,
  };
}
