// Triage: who plays the fast model, and what it is asked.

import type { SelectHook, TriageCandidate, TriageQuestion } from "windrow";
import { find, formatCount, formatNumber, make } from "./elements.js";
import { type PageHook, sharedWords } from "./hooks.js";

/** The fast model of one build, with what it was asked. */
export interface FastModel {
  readonly hook: PageHook;
  asked(): TriageQuestion | undefined;
}

const by = find<HTMLSelectElement>("triage-by");
const details = find<HTMLDetailsElement>("question");
const fieldset = find<HTMLFieldSetElement>("candidates");
/** More than this is no choice for boxes. */
const MOST_LISTED = 200;
const LONGEST_PREVIEW = 300;
/** What the visitor decided, by candidate; the rest is as the words say. */
const decided = new Map<string, boolean>();
let listed = "";

/** Makes the choice work. The form notices the change. */
export function watchTriage(): void {
  by.addEventListener("input", () => {
    if (by.value === "you") {
      details.open = true;
    }
  });
  fieldset.addEventListener("input", ({ target }) => {
    const box = target as HTMLInputElement;
    decided.set(box.value, box.checked);
  });
}

/** Forgets what was decided about another conversation. */
export function forgetDecisions(): void {
  decided.clear();
}

/** A fast model as the visitor wants it. */
export function fastModel(): FastModel {
  const mode = by.value;
  let question: TriageQuestion | undefined;
  const select: SelectHook = (asked) => {
    question = asked;
    if (mode === "failing") {
      throw new Error("the fast model cannot be reached");
    }
    return mode === "unavailable" ? null : chosenOf(asked, mode);
  };
  return {
    hook: { path: "triage.select", run: select, code: () => codeOf(mode, question) },
    asked: () => question,
  };
}

function chosenOf({ candidates, request }: TriageQuestion, mode: string): TriageCandidate[] {
  return candidates.filter(({ id, text }) => {
    const shares = sharedWords(request, text) > 0;
    return mode === "you" ? (decided.get(id) ?? shares) : shares;
  });
}

function codeOf(mode: string, question: TriageQuestion | undefined): string {
  switch (mode) {
    case "failing":
      return 'function select() {\n  throw new Error("the fast model cannot be reached");\n}';
    case "unavailable":
      return "function select() {\n  return null;\n}";
    case "you": {
      const ids = question === undefined ? [] : chosenOf(question, mode).map(({ id }) => id);
      return `// What was chosen on the page.\nfunction select() {\n  return ${JSON.stringify(ids)};\n}`;
    }
    default:
      return `// Stands in for a fast model: keeps what shares a word with the request.
function select({ request, candidates }) {
  return candidates.filter(({ text }) => sharedWords(request, text) > 0);
}`;
  }
}

/** Shows what the fast model was asked, and what it chose; `unit` is what it chooses among. */
export function showQuestion(model: FastModel | undefined, unit: string): void {
  const mode = by.value;
  const question = model?.asked();
  details.hidden = question === undefined;
  find("unasked").hidden = question !== undefined;
  if (question === undefined) {
    listed = "";
    return;
  }
  const { candidates } = question;
  const hasChosen = mode === "you" || mode === "words";
  const chosen = hasChosen ? chosenOf(question, mode) : [];
  const outcome = hasChosen ? `${formatNumber(chosen.length)} chosen` : "no answer";
  find("question-title").textContent = `Asked about ${formatCount(candidates.length, `older ${unit}`)}: ${outcome}`;
  fieldset.disabled = mode !== "you";
  list(candidates);
  const ids = new Set(chosen.map(({ id }) => id));
  for (const box of fieldset.querySelectorAll("input")) {
    box.checked = ids.has(box.value);
  }
}

/** Lists the candidates; a list that is as it was stays, and with it the focus. */
function list(candidates: readonly TriageCandidate[]): void {
  const key = JSON.stringify(candidates.map(({ id, text }) => [id, text.length]));
  if (key === listed) {
    return;
  }
  listed = key;
  const rows = candidates.slice(-MOST_LISTED).map(({ id, text }) => {
    const box = make("input", "");
    box.type = "checkbox";
    box.value = id;
    const preview = text.slice(0, LONGEST_PREVIEW).replace(/\s+/g, " ");
    return make("label", "candidate", box, make("span", "position", id), make("span", "preview", preview));
  });
  const more = candidates.length - rows.length;
  fieldset.replaceChildren(...rows);
  if (more > 0) {
    fieldset.append(make("p", "hint", `and ${formatNumber(more)} that are older still`));
  }
}
