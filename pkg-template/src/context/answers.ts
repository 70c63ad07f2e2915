// Reads hooks' answers. Accepts any value, including one that runs code when read.

import type { Answer, HookName, Need, RecalledItem } from "../base/generated.js";
import { describe } from "../base/options.js";
import { counted } from "../base/words.js";
import type { TriageCandidate } from "../config/hooks.js";
import type { AnyMessage } from "../formats/any-message.js";

/** A need that a hook answers. */
export type HookNeed = Exclude<Need, { readonly need: "encoding" | "selection" | "meaning" | "zoneOffsets" | "older" }>;

/** Returns the hook that a need goes to. */
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
    case "compact":
      return "compact.summarize";
    case "triage":
      return has("triage.complete") ? "triage.complete" : "triage.select";
  }
}

/** A hook's answer after reading: the understood part, or the reason why nothing was understood. */
export type Reading = Understood | "unavailable" | Nonsense;

/**
 * An answer that is understood at least in part. Every reader has to say which parts it didn't understand, so nothing
 * is misread silently.
 */
export interface Understood {
  /** The understood part, as fields of an `Answer`. */
  readonly taken: Partial<Answer>;
  /** The parts that aren't understood. "nothing" for a kind of answer that can only be understood whole. */
  readonly misunderstood: Misunderstood | "nothing";
}

/** An answer that windrow can't use at all. */
export interface Nonsense {
  readonly nonsense: string;
}

/**
 * The parts of an answer that weren't understood: their number, the first of each kind, and the substitute for them.
 */
class Misunderstood {
  readonly #kinds = new Map<string, { count: number; readonly first: string }>();
  readonly #beside: string[] = [];
  readonly #elementCount: number;
  #lostCount = 0;

  /** `elementCount` is the number of elements in the answer. */
  constructor(elementCount: number) {
    this.#elementCount = elementCount;
  }

  /** Records an element that is dropped whole. */
  lose(element: unknown, instead: string): void {
    this.#lostCount += 1;
    this.doubt(element, instead);
  }

  /** Records a part that is dropped from an element that is otherwise used. */
  doubt(part: unknown, instead: string): void {
    const known = this.#kinds.get(instead);
    if (known === undefined) {
      this.#kinds.set(instead, { count: 1, first: exampleOf(part) });
    } else {
      known.count += 1;
    }
  }

  /** Records that elements beyond the limit were ignored. */
  addBeside(instead: string): void {
    this.#beside.push(instead);
  }

  /** True if the answer has elements and none of them is used. */
  get isAll(): boolean {
    return this.#lostCount > 0 && this.#lostCount === this.#elementCount;
  }

  /** Describes the parts that weren't understood. Undefined if everything was. */
  get words(): string | undefined {
    const of = this.#elementCount;
    const kinds = [...this.#kinds].map(
      ([instead, { count, first }]) => `${instead} (${count} of ${of}, first ${first})`,
    );
    const words = [...kinds, ...this.#beside];
    return words.length === 0 ? undefined : words.join("; ");
  }
}

/** Maximum length of an example, in UTF-16 code units. */
const MAX_EXAMPLE_LENGTH = 40;

/** Shows a value that wasn't understood, in one short line. */
function exampleOf(value: unknown): string {
  const shown = attempt(() => {
    if (value === UNREADABLE) {
      return value;
    }
    const id = idOf(value);
    return typeof value === "string"
      ? JSON.stringify(shortened(value, MAX_EXAMPLE_LENGTH))
      : shortened(id === undefined ? describe(value) : `an object with the id ${id}`, MAX_EXAMPLE_LENGTH);
  });
  return typeof shown === "string" ? shown : "an unreadable value";
}

/** Reads a hook's answer. Reading may run the caller's code, which may throw. */
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
  return "nonsense" in reading ? { hook, outcome: "failed", reason: reading.nonsense } : answerFrom(hook, reading);
}

/** Turns a reading into an answer. If no element is understood, the hook has failed. */
function answerFrom(hook: HookName, { taken, misunderstood }: Understood, before?: string): Answer {
  const found = misunderstood === "nothing" ? undefined : misunderstood.words;
  if (misunderstood !== "nothing" && misunderstood.isAll) {
    const reason = shortened(`windrow understood no part of its answer: ${found}`, MAX_REASON_LENGTH);
    return { hook, outcome: "failed", reason };
  }
  const words = [before, found].filter((some) => some !== undefined);
  return { ...taken, hook, outcome: "given", ...(words.length === 0 ? {} : { misunderstood: words.join("; ") }) };
}

/**
 * Turns a recorded answer into the answer to the present question. Returns nonsense if it doesn't answer that question.
 */
export function readAgain(recorded: Answer, need: HookNeed): Answer | Nonsense {
  const { hook, outcome, reason, misunderstood, ids, text, items, similarities, summaries, counts } = recorded;
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
      case "compact":
        return readText(text);
      case "triage": {
        // A model's reply was already parsed when it was recorded.
        const chosen = elementsOf(ids, MAX_ELEMENTS);
        if (chosen === undefined) {
          return readText(text);
        }
        return chosen.every((id) => typeof id === "string")
          ? { taken: { ids: chosen }, misunderstood: "nothing" }
          : { nonsense: "contains a value that isn't an id" };
      }
    }
  })();
  if (reading === "unavailable") {
    return { nonsense: "holds nothing" };
  }
  // Repeats the note of the recording about parts that weren't understood.
  const before = typeof misunderstood === "string" ? shortened(misunderstood, MAX_RECORDED_LENGTH) : undefined;
  return "nonsense" in reading ? reading : answerFrom(hook, reading, before);
}

/** Maximum length of a recording's text that is read, in UTF-16 code units. windrow never writes as much. */
const MAX_RECORDED_LENGTH = 5000;

/** Maximum number of an answer's elements, and of characters in its texts, that are read. */
const MAX_ELEMENTS = 100_000;
const MAX_LENGTH = 10_000_000;
const BEYOND_LENGTH = `everything after the first ${MAX_LENGTH} characters was ignored`;

/** Maps names of candidates to their ids. A name is an id, or an object that the hook was shown. */
export type CandidateNames = ReadonlyMap<unknown, string>;

/** Returns the names of each candidate: its id, the candidate itself, its messages, and their `ids`. */
export function knownBy<M extends AnyMessage>(
  candidates: readonly TriageCandidate<M>[],
  ids: readonly (readonly (string | undefined)[])[],
): CandidateNames {
  const known = new Map<unknown, string>();
  for (const { id } of candidates) {
    known.set(id, id);
  }
  for (const [at, candidate] of candidates.entries()) {
    known.set(candidate, candidate.id);
    for (const message of candidate.messages) {
      known.set(message, candidate.id);
    }
    for (const id of ids[at] ?? []) {
      // Any message of an exchange names the exchange, unless an earlier message has the same id.
      if (id !== undefined && !known.has(id)) {
        known.set(id, candidate.id);
      }
    }
  }
  return known;
}

export function readChosen(given: unknown, known: CandidateNames): Reading {
  if (given == null) {
    return "unavailable";
  }
  const read = firstOf(given);
  if (read === undefined) {
    return notList(given);
  }
  const { elements, misunderstood } = read;
  const ids = new Set<string>();
  for (const element of elements) {
    const id = known.get(typeof element === "number" ? String(element) : element) ?? known.get(idOf(element));
    if (id === undefined) {
      misunderstood.lose(element, "elements that name no candidate were ignored");
    } else {
      ids.add(id);
    }
  }
  return { taken: { ids: [...ids] }, misunderstood };
}

export function readText(given: unknown): Reading {
  if (given == null) {
    return "unavailable";
  }
  if (typeof given !== "string") {
    return { nonsense: `answered ${describe(given)}, not a text` };
  }
  const misunderstood = new Misunderstood(0);
  if (given.length > MAX_LENGTH) {
    misunderstood.addBeside(BEYOND_LENGTH);
  }
  return { taken: { text: given.slice(0, MAX_LENGTH) }, misunderstood };
}

export function readRecalled(given: unknown): Reading {
  if (given == null) {
    return "unavailable";
  }
  const read = firstOf(given);
  if (read === undefined) {
    return notList(given);
  }
  const { elements, misunderstood } = read;
  const items: RecalledItem[] = [];
  let length = 0;
  for (const element of elements) {
    const item = recalledOf(element, misunderstood);
    length += item?.text.length ?? 0;
    if (length > MAX_LENGTH) {
      misunderstood.addBeside(BEYOND_LENGTH);
      break;
    }
    if (item !== undefined) {
      items.push(item);
    }
  }
  return { taken: { items }, misunderstood };
}

function recalledOf(element: unknown, misunderstood: Misunderstood): RecalledItem | undefined {
  if (typeof element === "string") {
    return { text: element };
  }
  const fields = typeof element === "object" && element !== null ? fieldsOf(element) : undefined;
  if (typeof fields?.text !== "string") {
    misunderstood.lose(element, "elements that aren't items with a text were ignored");
    return undefined;
  }
  const { id, text, source, score, metadata, metadataSource } = fields;
  const fieldOf = <T>(value: unknown, isRight: boolean, expected: string): T | null => {
    if (isRight) {
      return value as T;
    }
    if (value != null) {
      misunderstood.doubt(value, `an item was used without ${expected}`);
    }
    return null;
  };
  if (metadata != null && typeof metadata !== "object") {
    misunderstood.doubt(metadata, "an item's metadata isn't an object, and was left out");
  }
  const own = fieldOf<string>(source, typeof source === "string", "a source that isn't a string");
  const isId = typeof id === "string" || typeof id === "number";
  return {
    id: isId ? String(id) : fieldOf(id, false, "an id that is neither a string nor a number"),
    text,
    source: own ?? (typeof metadataSource === "string" ? metadataSource : null),
    score: fieldOf(score, Number.isFinite(score), "a score that isn't a finite number"),
  };
}

/** Returns the fields of an item. A field that throws becomes `UNREADABLE`. */
function fieldsOf(element: object): Readonly<Record<string, unknown>> {
  const field = (from: object, name: string): unknown => attempt(() => (from as Record<string, unknown>)[name]);
  const metadata = field(element, "metadata");
  const fields = ["id", "text", "source", "score"].map((name) => [name, field(element, name)]);
  return {
    ...Object.fromEntries(fields),
    metadata,
    metadataSource: typeof metadata === "object" && metadata !== null ? field(metadata, "source") : undefined,
  };
}

/** Concatenated vectors, all with the same number of components. */
export interface Vectors {
  readonly components: Float32Array;
  readonly dimensions: number;
}

/** Maximum number of components of a vector. No embedding model returns more. */
const MAX_DIMENSIONS = 65_536;

/**
 * Reads the vectors of `wanted` texts. All batches must have the same `dimensions`. The code that stores the vectors
 * checks that their components are finite.
 */
export function readVectors(
  given: unknown,
  wanted: number,
  dimensions: number | undefined,
): Vectors | "unavailable" | Nonsense {
  if (given == null) {
    return "unavailable";
  }
  // One more than wanted, to detect an excess.
  const vectors = elementsOf(given, wanted + 1);
  if (vectors === undefined) {
    return notList(given);
  }
  if (vectors.length !== wanted) {
    return { nonsense: foundForWanted(vectors.length, wanted, "vector", "text") };
  }
  let length = dimensions;
  let components = new Float32Array(0);
  for (const [index, vector] of vectors.entries()) {
    const isList = Array.isArray(vector) || (ArrayBuffer.isView(vector) && !(vector instanceof DataView));
    if (!isList) {
      return { nonsense: `answered ${describe(vector)} as a vector; expected a list of numbers` };
    }
    const list = vector as ArrayLike<unknown>;
    const { length: found } = list;
    length ??= found;
    if (found !== length || !(found > 0 && found <= MAX_DIMENSIONS)) {
      return {
        nonsense: `answered a vector of ${counted(found, "number")}${found === length ? "" : ` next to one of ${length}`}`,
      };
    }
    if (index === 0) {
      components = new Float32Array(wanted * found);
    }
    for (let at = 0; at < found; at++) {
      const component = list[at];
      // A component that isn't a number becomes NaN. Otherwise a text or a hole would become 0.
      components[index * found + at] = typeof component === "number" ? component : Number.NaN;
    }
  }
  return { components, dimensions: length ?? 0 };
}

/** Reads the recorded similarities of messages to the request. */
function readSimilarities(given: unknown, wanted: number): Reading {
  return typeof given === "string" && given.length === 2 * wanted
    ? { taken: { similarities: given }, misunderstood: "nothing" }
    : { nonsense: `answered no similarities for ${counted(wanted, "message")}` };
}

export function readSummaries(given: unknown, ids: readonly string[]): Reading {
  if (given == null) {
    return "unavailable";
  }
  const entries = summariesById(given, ids);
  if ("nonsense" in entries) {
    return entries;
  }
  const misunderstood = new Misunderstood(entries.length);
  const byId = new Map<unknown, string>();
  const known = new Set<unknown>(ids);
  let length = 0;
  for (const [id, summary] of entries) {
    if (!known.has(id)) {
      misunderstood.lose(id, "summaries of conversations that weren't asked about were ignored");
    } else if (typeof summary === "string") {
      length += summary.length;
      byId.set(id, summary);
    } else if (summary != null) {
      misunderstood.lose(summary, "a summary isn't a string; an extract is used instead");
    }
    if (length > MAX_LENGTH) {
      return { nonsense: `answered more than ${MAX_LENGTH} characters` };
    }
  }
  return { taken: { summaries: ids.map((id) => byId.get(id) ?? null) }, misunderstood };
}

/** Pairs summaries with their ids. A list has them in the order of the conversations. */
function summariesById(
  given: unknown,
  ids: readonly string[],
): readonly (readonly [id: unknown, unknown])[] | Nonsense {
  const isMap = given instanceof Map;
  // One more than wanted, to detect an excess.
  const elements = elementsOf(given, isMap ? MAX_ELEMENTS + 1 : ids.length + 1);
  if (isMap || elements === undefined) {
    const entries = isMap ? (elements as [unknown, unknown][]) : fieldsOfPlain(given);
    if (entries === undefined) {
      return { nonsense: `answered ${describe(given)}; expected a list or an object by id` };
    }
    return entries.length <= MAX_ELEMENTS ? entries : { nonsense: `answered more than ${MAX_ELEMENTS} summaries` };
  }
  // If the length differs, it is unclear which summary belongs to which conversation.
  if (elements.length !== ids.length) {
    const found = elements.length > ids.length ? "too many summaries" : `a list of ${elements.length}`;
    return { nonsense: `answered ${found} for ${counted(ids.length, "conversation")}` };
  }
  return elements.map((summary, index) => [ids[index], summary]);
}

/** Returns the fields of a plain object. Undefined for anything else. */
function fieldsOfPlain(given: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (typeof given !== "object" || given === null) {
    return undefined;
  }
  const prototype: unknown = Object.getPrototypeOf(given);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    return undefined;
  }
  const field = (name: string): unknown => attempt(() => (given as Record<string, unknown>)[name]);
  return Object.keys(given).map((name) => [name, field(name)]);
}

/** Says that an answer has too many or too few elements. */
function foundForWanted(found: number, wanted: number, noun: string, of: string): string {
  return `answered ${found > wanted ? `too many ${noun}s` : counted(found, noun)} for ${counted(wanted, of)}`;
}

export function readCounts(given: unknown, wanted: number): Reading {
  // One more than wanted, to detect an excess.
  const counts = elementsOf(given, wanted + 1);
  if (counts === undefined) {
    return notList(given);
  }
  if (counts.length !== wanted) {
    return { nonsense: foundForWanted(counts.length, wanted, "count", "text") };
  }
  // Searched by index, because the wrong element may be undefined.
  const wrong = counts.findIndex((count) => !Number.isSafeInteger(count) || (count as number) < 0);
  return wrong < 0
    ? { taken: { counts: counts.map((count) => (count as number) + 0) }, misunderstood: "nothing" } // -0 is 0
    : { nonsense: `answered ${exampleOf(counts[wrong])} as a count; expected an integer of 0 or more` };
}

/** Returns the first elements of an answer, up to the limit. Undefined if it isn't a list. */
function firstOf(
  given: unknown,
): { readonly elements: readonly unknown[]; readonly misunderstood: Misunderstood } | undefined {
  const found = elementsOf(given, MAX_ELEMENTS + 1);
  if (found === undefined) {
    return undefined;
  }
  const elements = found.slice(0, MAX_ELEMENTS);
  const misunderstood = new Misunderstood(elements.length);
  if (found.length > MAX_ELEMENTS) {
    misunderstood.addBeside(`everything after the first ${MAX_ELEMENTS} was ignored`);
  }
  return { elements, misunderstood };
}

/**
 * Returns the first elements of a list or another iterable. Undefined for anything else, including texts. An element
 * that throws becomes `UNREADABLE`.
 */
function elementsOf(given: unknown, most: number): readonly unknown[] | undefined {
  if (Array.isArray(given)) {
    // Trusts `length` up to the limit and skips holes: a proxy of a list may claim any length.
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

/** Returns the id of an object that has one, as a text. */
function idOf(element: unknown): string | undefined {
  const id = attempt(() =>
    typeof element === "object" && element !== null ? (element as { id?: unknown }).id : undefined,
  );
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}

/** Replaces a part of an answer that throws when read. It differs from every valid value and from undefined. */
const UNREADABLE = Symbol("an unreadable value");

/** Runs a read of an answer. Returns `UNREADABLE` if it throws. */
function attempt<T>(read: () => T): T | typeof UNREADABLE {
  try {
    return read();
  } catch {
    return UNREADABLE;
  }
}

/** The longest reason, in UTF-16 code units. */
const MAX_REASON_LENGTH = 200;

/** Describes in a short text why a hook failed. */
export function reasonOf(cause: unknown): string {
  const text = attempt(() => {
    if (typeof cause === "object" && cause !== null) {
      const { message, name } = cause as { readonly message?: unknown; readonly name?: unknown };
      return [message, name].find((words) => typeof words === "string" && words !== "");
    }
    return typeof cause === "string" ? cause : describe(cause);
  });
  const words = typeof text === "string" && text.trim() !== "" ? text : "it failed without saying why";
  return shortened(words, MAX_REASON_LENGTH);
}

/** Cuts a text to a number of UTF-16 code units. */
function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${[...text.slice(0, most)].slice(0, -1).join("")}…`;
}
