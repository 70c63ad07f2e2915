// What hooks give, read into answers: whatever it is, and whatever reading it does.

import type { Answer, HookName, Need, Recalled } from "./generated.js";
import type { TriageCandidate } from "./hooks.js";
import { describe } from "./options.js";

/** A need that a hook answers. */
export type HookNeed = Exclude<Need, { readonly need: "encoding" | "zoneOffsets" | "older" }>;

/** Which of the hooks a need is asked of. */
export function hookOf(need: HookNeed, has: (name: HookName) => boolean): HookName {
  switch (need.need) {
    case "counts":
      return "countTokens";
    case "recall":
      return "recall.search";
    case "embeddings":
      return "recall.embed";
    case "summaries":
      return "tiers.summarize";
    case "triage":
      return has("triage.complete") ? "triage.complete" : "triage.select";
  }
}

/** What a hook's answer comes to: the part of an `Answer` that holds it, or why there is none. */
export type Reading = Partial<Answer> | "unavailable" | Nonsense;

/** An answer that is none. */
export interface Nonsense {
  readonly nonsense: string;
}

/** Makes an answer of what a hook gave. Reading may run code of the caller's, which may throw. */
export function answerOf(hook: HookName, read: () => Reading): Answer {
  let reading: Reading;
  try {
    reading = read();
  } catch (cause) {
    return { hook, outcome: "failed", reason: `its answer could not be read: ${reasonOf(cause)}` };
  }
  if (reading === "unavailable") {
    return { hook, outcome: "unavailable" };
  }
  return "nonsense" in reading
    ? { hook, outcome: "failed", reason: reading.nonsense }
    : { ...reading, hook, outcome: "given" };
}

/** A recorded answer as the answer to what is asked now; nonsense where it is none. */
export function readAgain(recorded: Answer, need: HookNeed): Answer | Nonsense {
  const { hook, outcome, reason, ids, text, items, similarities, summaries, counts } = recorded;
  if (outcome !== "given") {
    return typeof reason === "string" ? { hook, outcome, reason } : { hook, outcome };
  }
  const reading = ((): Reading => {
    switch (need.need) {
      case "counts":
        return readCounts(counts, need.texts.length);
      case "recall":
        return readRecalled(items);
      case "embeddings":
        return readSimilarities(similarities, need.messageCount);
      case "summaries":
        return readSummaries(
          summaries,
          need.conversations.map(({ id }) => id),
        );
      case "triage": {
        // What a model said was read when it was recorded.
        const chosen = elementsOf(ids, MAX_ELEMENTS)?.filter((id) => typeof id === "string");
        return chosen === undefined ? readText(text) : { ids: chosen };
      }
    }
  })();
  if (reading === "unavailable") {
    return { nonsense: "holds nothing" };
  }
  return "nonsense" in reading ? reading : { ...reading, hook, outcome };
}

/** How much of an answer is looked at: so many elements, and so many characters of texts. */
const MAX_ELEMENTS = 100_000;
const MAX_LENGTH = 10_000_000;

/** What candidates are known by: ids, and the objects that the hook was shown. */
export type Known = ReadonlyMap<unknown, string>;

export function knownBy(candidates: readonly TriageCandidate[]): Known {
  const known = new Map<unknown, string>();
  for (const { id } of candidates) {
    known.set(id, id);
  }
  for (const candidate of candidates) {
    known.set(candidate, candidate.id);
    for (const message of candidate.messages) {
      known.set(message, candidate.id);
      // A message that is not the first of its exchange stands for it too, where its id is nobody else's.
      const id = idOf(message);
      if (id !== undefined && !known.has(id)) {
        known.set(id, candidate.id);
      }
    }
  }
  return known;
}

export function readChosen(given: unknown, known: Known): Reading {
  if (given == null) {
    return "unavailable";
  }
  const elements = elementsOf(given, MAX_ELEMENTS);
  if (elements === undefined) {
    return notList(given);
  }
  const ids = new Set<string>();
  for (const element of elements) {
    const id = known.get(typeof element === "number" ? String(element) : element) ?? known.get(idOf(element));
    if (id !== undefined) {
      ids.add(id);
    }
  }
  return { ids: [...ids] };
}

export function readText(given: unknown): Reading {
  if (given == null) {
    return "unavailable";
  }
  return typeof given === "string"
    ? { text: given.slice(0, MAX_LENGTH) }
    : { nonsense: `answered ${describe(given)}, not a text` };
}

export function readRecalled(given: unknown): Reading {
  if (given == null) {
    return "unavailable";
  }
  const elements = elementsOf(given, MAX_ELEMENTS);
  if (elements === undefined) {
    return notList(given);
  }
  const items: Recalled[] = [];
  let length = 0;
  for (const element of elements) {
    const item = attempt(() => recalledOf(element));
    length += item?.text.length ?? 0;
    if (length > MAX_LENGTH) {
      break;
    }
    if (item !== undefined) {
      items.push(item);
    }
  }
  return { items };
}

function recalledOf(element: unknown): Recalled | undefined {
  if (typeof element === "string") {
    return { text: element };
  }
  if (typeof element !== "object" || element === null) {
    return undefined;
  }
  const { text, source, score, metadata } = element as Record<string, unknown>;
  if (typeof text !== "string") {
    return undefined;
  }
  const from = typeof source === "string" ? source : (metadata as Record<string, unknown> | null | undefined)?.source;
  return {
    id: idOf(element) ?? null,
    text,
    source: typeof from === "string" ? from : null,
    score: typeof score === "number" && Number.isFinite(score) ? score : null,
  };
}

/** Vectors in a row, and how many components each has. */
export interface Vectors {
  readonly components: Float32Array;
  readonly dimensions: number;
}

/** The most components of a vector; no model gives more. */
const MAX_DIMENSIONS = 65_536;

/**
 * The vectors of so many texts; of several batches all have as many `dimensions`. Whether their components are finite numbers
 * is seen where they are learned.
 */
export function readVectors(
  given: unknown,
  wanted: number,
  dimensions: number | undefined,
): Vectors | "unavailable" | Nonsense {
  if (given == null) {
    return "unavailable";
  }
  // One more than is wanted, to see that there are too many.
  const vectors = elementsOf(given, wanted + 1);
  if (vectors === undefined) {
    return notList(given);
  }
  if (vectors.length !== wanted) {
    return { nonsense: `answered ${vectors.length > wanted ? "more" : vectors.length} vectors for ${wanted} texts` };
  }
  let length = dimensions;
  let components = new Float32Array(0);
  for (const [index, vector] of vectors.entries()) {
    const isList = Array.isArray(vector) || (ArrayBuffer.isView(vector) && !(vector instanceof DataView));
    if (!isList) {
      return { nonsense: `answered ${describe(vector)} as a vector, not a list of numbers` };
    }
    const list = vector as ArrayLike<unknown>;
    const { length: found } = list;
    length ??= found;
    if (found !== length || !(found > 0 && found <= MAX_DIMENSIONS)) {
      return { nonsense: `answered a vector of ${found} numbers${found === length ? "" : ` beside one of ${length}`}` };
    }
    if (index === 0) {
      components = new Float32Array(wanted * found);
    }
    for (let at = 0; at < found; at++) {
      const component = list[at];
      // What is no number becomes none: a text or a hole would be 0.
      components[index * found + at] = typeof component === "number" ? component : Number.NaN;
    }
  }
  return { components, dimensions: length ?? 0 };
}

/** How near messages are to the request, as it was recorded. */
function readSimilarities(given: unknown, wanted: number): Reading {
  return typeof given === "string" && given.length === 2 * wanted
    ? { similarities: given }
    : { nonsense: `answered no similarities for ${wanted} messages` };
}

export function readSummaries(given: unknown, ids: readonly string[]): Reading {
  if (given == null) {
    return "unavailable";
  }
  if (typeof given !== "object") {
    return { nonsense: `answered ${describe(given)}, not a list or an object by id` };
  }
  const elements = given instanceof Map ? undefined : elementsOf(given, ids.length);
  let length = 0;
  const summaries = ids.map((id, index) => {
    const summary = attempt(() => {
      if (elements !== undefined) {
        return elements[index];
      }
      return given instanceof Map ? given.get(id) : (given as Record<string, unknown>)[id];
    });
    length += typeof summary === "string" ? summary.length : 0;
    return typeof summary === "string" && length <= MAX_LENGTH ? summary : null;
  });
  return { summaries };
}

export function readCounts(given: unknown, wanted: number): Reading {
  // One more than is wanted, to see that there are too many.
  const counts = elementsOf(given, wanted + 1);
  if (counts === undefined) {
    return notList(given);
  }
  if (counts.length !== wanted) {
    const found = counts.length > wanted ? "more" : String(counts.length);
    return { nonsense: `answered ${found} counts for ${wanted} texts` };
  }
  // By its place: what is wrong may be nothing at all.
  const wrong = counts.findIndex((count) => !Number.isSafeInteger(count) || (count as number) < 0);
  return wrong < 0
    ? { counts: counts as readonly number[] }
    : { nonsense: `answered ${describe(counts[wrong])} as a count, not a whole number of 0 or more` };
}

/** The first elements of a list or of another iterable; undefined where it is none. A text is none. */
function elementsOf(given: unknown, most: number): readonly unknown[] | undefined {
  if (Array.isArray(given)) {
    // As long as it says, and holes are no elements: a list that is a proxy may be of any length.
    return Array.from({ length: Math.min(given.length, most) }, (_, index) => attempt(() => given[index]));
  }
  if (typeof given !== "object" || given === null || !(Symbol.iterator in given)) {
    return undefined;
  }
  const elements: unknown[] = [];
  if (most > 0) {
    for (const element of given as Iterable<unknown>) {
      elements.push(element);
      if (elements.length >= most) {
        break;
      }
    }
  }
  return elements;
}

function notList(given: unknown): Nonsense {
  return { nonsense: `answered ${describe(given)}, not a list` };
}

/** The id of an object that has one, as a text. */
function idOf(element: unknown): string | undefined {
  const id = attempt(() =>
    typeof element === "object" && element !== null ? (element as { id?: unknown }).id : undefined,
  );
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}

/** What a part of an answer gives; undefined where it throws: then it is ignored, as other nonsense is. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** How long a reason may be, in UTF-16 code units. */
const MAX_REASON_LENGTH = 200;

/** Why a hook failed, in a short text. */
export function reasonOf(cause: unknown): string {
  const text = attempt(() => {
    if (typeof cause === "object" && cause !== null) {
      const { message, name } = cause as { readonly message?: unknown; readonly name?: unknown };
      return [message, name].find((words) => typeof words === "string" && words !== "");
    }
    return typeof cause === "string" ? cause : describe(cause);
  });
  const words = typeof text === "string" && text.trim() !== "" ? text : "it failed without saying why";
  return words.length <= MAX_REASON_LENGTH ? words : `${[...words.slice(0, MAX_REASON_LENGTH)].slice(0, -1).join("")}…`;
}
