// The page's hooks: scripts that act as a fast model and as a store of knowledge. Page and worker use the same ones,
// and each can show itself as code.

import type { SearchHook, SelectHook, TriageCandidate, TriageQuestion } from "windrow";
import type { Knowledge } from "../state/given.js";

/** The fast model: a script or, for the last two, a real model that only the page asks. */
type Judge = "words" | "you" | "unavailable" | "failing" | "chrome" | "endpoint";

/** The choice of the fast model, and its settings. */
export interface TriageSetup {
  readonly by: Judge;
  readonly delay_ms: number;
  /** The visitor's own decisions, by candidate. */
  readonly chosen: Readonly<Record<string, boolean>>;
}

/** A hook, under its name in its group of options. */
export interface Hooked {
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: hooks of several kinds, distinguished by their path.
  readonly run: (...given: any[]) => unknown;
  /** The hook's code, for a program. */
  readonly code: string;
}

const usual = /^(about|could|should|their|there|these|those|where|which|would)$/;

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]{5,}/gu) ?? []).filter((word) => !usual.test(word));
}

/** Returns the share of one text's words that another text has. */
function sharedWords(wanted: string, text: string): number {
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

/** Returns the notes to search. Empty if no section shows them. */
export function knowledgeFor(isShown: boolean, knowledge: readonly Knowledge[]): readonly Knowledge[] {
  return isShown ? knowledge : [];
}

/** Finds the notes that share most words with the request. */
export function searchIn(knowledge: readonly Knowledge[]): Hooked {
  return {
    path: "recall.search",
    run: ({ query, maxItems }: Parameters<SearchHook>[0]) =>
      knowledge
        .map((note) => ({ ...note, score: sharedWords(query, note.text) }))
        .filter(({ score }) => score > 0)
        .sort((one, other) => other.score - one.score)
        .slice(0, maxItems),
    code: `// Stands in for a store: finds the notes that share most words with the request.
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

/** The choices of a scripted fast model. */
export function chosenOf({ candidates, request }: TriageQuestion, { by, chosen }: TriageSetup): TriageCandidate[] {
  return candidates.filter(({ id, text }) => {
    const shares = sharedWords(request, text) > 0;
    return by === "you" ? (chosen[id] ?? shares) : shares;
  });
}

/** A scripted fast model. `isTold` receives its question. The worker skips the delay. */
export function scriptedModel(
  triage: TriageSetup,
  delay_ms: number,
  isTold: (question: TriageQuestion) => void,
): Hooked {
  const answer = (question: TriageQuestion): TriageCandidate[] | null => {
    if (triage.by === "failing") {
      throw new Error("the fast model cannot be reached");
    }
    return triage.by === "unavailable" ? null : chosenOf(question, triage);
  };
  const select: SelectHook = async (question) => {
    isTold(question);
    if (delay_ms > 0) {
      await later(delay_ms, question.signal);
    }
    return answer(question);
  };
  const now: SelectHook = (question) => {
    isTold(question);
    return answer(question);
  };
  return { path: "triage.select", run: delay_ms > 0 ? select : now, code: "" };
}

function later(delay_ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, delay_ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** Returns the code of a scripted fast model that received this question. */
export function codeOfModel(triage: TriageSetup, question: TriageQuestion | undefined): string {
  const wait =
    triage.delay_ms > 0 ? `  await new Promise((resolve) => setTimeout(resolve, ${triage.delay_ms}));\n` : "";
  const async = wait === "" ? "" : "async ";
  switch (triage.by) {
    case "failing":
      return `${async}function select() {\n${wait}  throw new Error("the fast model cannot be reached");\n}`;
    case "unavailable":
      return `${async}function select() {\n${wait}  return null;\n}`;
    case "you": {
      const ids = question === undefined ? [] : chosenOf(question, triage).map(({ id }) => id);
      return `// What was chosen on the page.\n${async}function select() {\n${wait}  return ${JSON.stringify(ids)};\n}`;
    }
    case "chrome":
      return 'import { chromeModel } from "windrow/models";\n\nconst { complete } = chromeModel();';
    case "endpoint":
      return `import { openAiCompatible } from "windrow/models";

const { complete } = openAiCompatible({ baseUrl: process.env.BASE_URL, model: process.env.MODEL, apiKey: process.env.API_KEY });`;
    default:
      return `// Stands in for a fast model: keeps messages that share a word with the request.
${async}function select({ request, candidates }) {
${wait}  return candidates.filter(({ text }) => sharedWords(request, text) > 0);
}`;
  }
}
