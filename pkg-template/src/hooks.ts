// Hooks: functions of the caller's that a build asks. Whatever one does becomes an answer, it has so much time and no
// more, and nothing is left behind: no timer, no listener, and nothing that a hook that never ends would hold on to.

import { ContextError, type ErrorKind } from "./errors.js";
import type { Answer, Candidate, Focus, HookName, Need, Recalled, SummaryWanted } from "./generated.js";
import { describe, type MessageInput } from "./messages.js";

// ---- What callers write ----

/** A value, or the promise of one. */
export type Awaitable<T> = T | PromiseLike<T>;

/** What every hook is told beside its question. */
export interface HookDetails {
  /** It is aborted when the answer is not wanted any more: the hook took too long, or the build was aborted. */
  readonly signal: AbortSignal;
}

/** A message that triage may choose, with all that goes together with it, or an exchange. */
export interface TriageCandidate<M extends MessageInput = MessageInput> {
  /** The id of its first message, or `#` and that message's position where it has none that is its own. */
  readonly id: string;
  /** Its texts, a line for each message. */
  readonly text: string;
  /** Its messages: the caller's own objects. */
  readonly messages: readonly M[];
}

/** What triage is asked. */
export interface TriageQuestion<M extends MessageInput = MessageInput> extends HookDetails {
  /** The request's text. */
  readonly request: string;
  /** What there is to choose among, oldest first. */
  readonly candidates: readonly TriageCandidate<M>[];
  /** The model's role: `triage.model`. */
  readonly model: string;
}

/** What a hook may name a candidate by: its id, itself, or one of its messages. */
export type Chosen = string | number | TriageCandidate | MessageInput;

/**
 * Says which candidates matter to the request. An empty list is an answer; null says that triage is unavailable. What is
 * no candidate is ignored.
 */
export type SelectHook<M extends MessageInput = MessageInput> = (
  question: TriageQuestion<M>,
) => Awaitable<readonly Chosen[] | ReadonlySet<Chosen> | null | undefined>;

/**
 * Gives a prompt to a model and returns what the model says. The prompt asks which candidates matter, and the answer is
 * read tolerantly. Null says that triage is unavailable.
 */
export type CompleteHook = (
  prompt: string,
  details: HookDetails & {
    /** The model's role: `triage.model`. */
    readonly model: string;
  },
) => Awaitable<string | null | undefined>;

/** The hooks of the group `triage`: give one of them. */
export interface TriageHooks<M extends MessageInput = MessageInput> {
  /** Says which candidates matter. */
  readonly select?: SelectHook<M> | null | undefined;
  /** Gives a prompt that asks which candidates matter to a model. */
  readonly complete?: CompleteHook | null | undefined;
}

/** What recall is asked. */
export interface RecallQuestion extends HookDetails {
  /** The request's text. */
  readonly query: string;
  /** How many items are wanted at most. */
  readonly maxItems: number;
  /** The most characters that will be shown of them. */
  readonly maxChars: number;
  /** How broad it should be. */
  readonly focus: Focus;
}

/** One thing that recall found. */
export interface RecalledInput {
  readonly id?: string | number | null | undefined;
  readonly text: string;
  /** Where it is from. */
  readonly source?: string | null | undefined;
  /** How well it fits. */
  readonly score?: number | null | undefined;
  /** As many stores have it: its `source` counts where the item has none. */
  readonly metadata?: { readonly source?: unknown } | null | undefined;
}

/** Finds what is known about the request, the best first. Null says that recall is unavailable. */
export type SearchHook = (
  question: RecallQuestion,
) => Awaitable<readonly (RecalledInput | string)[] | null | undefined>;

/** The hook of the group `recall`. */
export interface RecallHooks {
  /** Finds what is known about the request. */
  readonly search?: SearchHook | null | undefined;
}

/** A conversation of which a summary is wanted. */
export interface ConversationToSummarize<M extends MessageInput = MessageInput> {
  /** Its id. */
  readonly id: string;
  /** Its texts, a line for each message. */
  readonly text: string;
  /** Its messages: the caller's own objects. */
  readonly messages: readonly M[];
}

/** What a summarizer is asked. */
export interface SummarizeQuestion<M extends MessageInput = MessageInput> extends HookDetails {
  /** The conversations. */
  readonly conversations: readonly ConversationToSummarize<M>[];
  /** The most characters that will be shown of one summary. */
  readonly maxChars: number;
}

/**
 * Summarizes conversations: gives a list in their order, or an object or `Map` by their ids. Null, for one or in place of
 * all, says that there is no summary.
 */
export type SummarizeHook<M extends MessageInput = MessageInput> = (
  question: SummarizeQuestion<M>,
) => Awaitable<
  | readonly (string | null | undefined)[]
  | ReadonlyMap<string, string | null | undefined>
  | Readonly<Record<string, string | null | undefined>>
  | null
  | undefined
>;

/** The hook of the group `tiers`. */
export interface TierHooks<M extends MessageInput = MessageInput> {
  /** Summarizes conversations. */
  readonly summarize?: SummarizeHook<M> | null | undefined;
}

/** Counts the tokens of texts: a whole number for each, in their order. */
export type CountTokensHook = (
  texts: readonly string[],
  details: HookDetails,
) => Awaitable<readonly number[] | Readonly<Uint32Array>>;

// ---- How a build asks them ----

/** Every hook, by its path in the config. */
export const HOOK_NAMES: readonly HookName[] = [
  "triage.select",
  "triage.complete",
  "recall.search",
  "tiers.summarize",
  "countTokens",
];

/** The hooks of a config. What they take and give is checked where they are called. */
export type Hooks = ReadonlyMap<HookName, (...question: readonly unknown[]) => unknown>;

/** A need that a hook answers. */
export type HookNeed = Exclude<Need, { readonly need: "encoding" | "zoneOffsets" }>;

/** Which of the hooks a need is asked of. */
export function hookOf(need: HookNeed, has: (name: HookName) => boolean): HookName {
  switch (need.need) {
    case "counts":
      return "countTokens";
    case "recall":
      return "recall.search";
    case "summaries":
      return "tiers.summarize";
    case "triage":
      return has("triage.complete") ? "triage.complete" : "triage.select";
  }
}

/** Asks the hook that a need is for. Gives an answer in any case, unless the caller aborts: then it fails. */
export async function askHook<M extends MessageInput>(
  need: HookNeed,
  hooks: Hooks,
  messages: readonly M[],
  signal: AbortSignal | undefined,
  kind: ErrorKind,
): Promise<Answer> {
  const hook = hookOf(need, (name) => hooks.has(name));
  const run = hooks.get(hook);
  if (run === undefined) {
    return { hook, outcome: "unavailable" };
  }
  // Of what the hook gets it may change anything: what its answer is read by is made before.
  const { call, read } = questionOf(need, hook, messages);
  const ending = await endingOf((own) => call(run, own), need.timeoutMs, signal);
  switch (ending.kind) {
    case "aborted":
      throw aborted(signal, kind);
    case "late":
      return { hook, outcome: "failed", reason: tookLonger(need.timeoutMs) };
    case "failed": {
      const answer: Answer = { hook, outcome: "failed", reason: reasonOf(ending.cause) };
      causes.set(answer, ending.cause);
      return answer;
    }
    case "given":
      return answerOf(hook, () => read(ending.value));
  }
}

const causes = new WeakMap<Answer, unknown>();

/** What a hook threw, where that is why it failed. */
export function causeOf(answer: Answer): unknown {
  return causes.get(answer);
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
  const { hook, outcome, reason, ids, text, items, summaries, counts } = recorded;
  if (outcome !== "given") {
    return typeof reason === "string" ? { hook, outcome, reason } : { hook, outcome };
  }
  const reading = ((): Reading => {
    switch (need.need) {
      case "counts":
        return readCounts(counts, need.texts.length);
      case "recall":
        return readRecalled(items);
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

interface Question {
  /** Calls the hook. */
  readonly call: (run: (...question: readonly unknown[]) => unknown, signal: AbortSignal) => unknown;
  /** Reads what it gave. */
  readonly read: (given: unknown) => Reading;
}

function questionOf<M extends MessageInput>(need: HookNeed, hook: HookName, messages: readonly M[]): Question {
  switch (need.need) {
    case "counts": {
      const { texts } = need;
      const count = texts.length;
      return { call: (run, signal) => run([...texts], { signal }), read: (given) => readCounts(given, count) };
    }
    case "recall": {
      const { query, maxItems, maxChars, focus } = need;
      return { call: (run, signal) => run({ query, maxItems, maxChars, focus, signal }), read: readRecalled };
    }
    case "summaries": {
      const { conversations, maxChars } = need;
      const shown = conversations.map((wanted) => withMessages(wanted, messages));
      const ids = conversations.map(({ id }) => id);
      return {
        call: (run, signal) => run({ conversations: shown, maxChars, signal }),
        read: (given) => readSummaries(given, ids),
      };
    }
    case "triage": {
      const { request, candidates, prompt, model } = need;
      if (hook === "triage.complete") {
        return { call: (run, signal) => run(prompt, { model, signal }), read: readText };
      }
      const shown = candidates.map((candidate) => withMessages(candidate, messages));
      const known = knownBy(shown);
      return {
        call: (run, signal) => run({ request, candidates: shown, model, signal }),
        read: (given) => readChosen(given, known),
      };
    }
  }
}

function withMessages<M extends MessageInput>(
  { id, text, positions }: Candidate | SummaryWanted,
  messages: readonly M[],
): TriageCandidate<M> {
  return { id, text, messages: positions.map((position) => messages[position] as M) };
}

// ---- Waiting ----

/** How a wait ended. */
type Ending =
  | { readonly kind: "given"; readonly value: unknown }
  | { readonly kind: "failed"; readonly cause: unknown }
  | { readonly kind: "late" | "aborted" };

/** What a promise that is waited for can still bring about: nothing once the wait has ended. */
interface Wait {
  end: ((ending: Ending) => void) | undefined;
}

/** A timer takes no more milliseconds; what is above would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Begins something and waits for it: no longer than `timeoutMs`, and not after the caller aborts. What is begun gets a
 * signal of its own, which is aborted where the wait ends before it does.
 */
function endingOf(
  begin: (own: AbortSignal) => unknown,
  timeoutMs: number | undefined,
  signal: AbortSignal | undefined,
): Promise<Ending> {
  return new Promise((resolve) => {
    const own = new AbortController();
    const abort = (): void => wait.end?.({ kind: "aborted" });
    const expire = (): void => wait.end?.({ kind: "late" });
    const timer =
      timeoutMs === undefined ? undefined : setTimeout(expire, Math.min(Math.max(timeoutMs, 0), LONGEST_TIMER_MS));
    const wait: Wait = {
      end(ending) {
        wait.end = undefined;
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        resolve(ending);
        if (ending.kind === "late") {
          own.abort(new DOMException(tookLonger(timeoutMs), "TimeoutError"));
        } else if (ending.kind === "aborted") {
          own.abort(signal?.reason);
        }
      },
    };
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) {
      abort();
      return;
    }
    follow(begun(begin, own.signal), wait);
  });
}

/** What is begun, as a promise that does not throw where it does. */
function begun(begin: (own: AbortSignal) => unknown, own: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => resolve(begin(own)));
}

/** Apart from all else, so that a promise that never settles holds on to `wait` alone. */
function follow(promise: Promise<unknown>, wait: Wait): void {
  promise.then(
    (value) => wait.end?.({ kind: "given", value }),
    (cause) => wait.end?.({ kind: "failed", cause }),
  );
}

/** What a promise gives, unless the caller aborts before. */
export async function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  kind: ErrorKind,
): Promise<T> {
  if (signal === undefined) {
    return promise;
  }
  const ending = await endingOf(() => promise, undefined, signal);
  switch (ending.kind) {
    case "given":
      return ending.value as T;
    case "failed":
      throw ending.cause;
    default:
      throw aborted(signal, kind);
  }
}

/** Fails where the caller has aborted. */
export function checkAborted(signal: AbortSignal | undefined, kind: ErrorKind): void {
  if (signal?.aborted) {
    throw aborted(signal, kind);
  }
}

function aborted(signal: AbortSignal | undefined, kind: ErrorKind): ContextError {
  return new ContextError({
    kind,
    code: "ABORTED",
    message: "the build was aborted by its signal",
    nextAction: "Build again where the context is still wanted.",
    cause: signal?.reason,
  });
}

function tookLonger(timeoutMs: number | undefined): string {
  return `took longer than ${timeoutMs} ms`;
}

// ---- What hooks give ----

/** How much of an answer is looked at: so many elements, and so many characters of texts. */
const MAX_ELEMENTS = 100_000;
const MAX_LENGTH = 10_000_000;

/** What candidates are known by: ids, and the objects that the hook was shown. */
type Known = ReadonlyMap<unknown, string>;

function knownBy(candidates: readonly TriageCandidate[]): Known {
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

function readChosen(given: unknown, known: Known): Reading {
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

function readText(given: unknown): Reading {
  if (given == null) {
    return "unavailable";
  }
  return typeof given === "string"
    ? { text: given.slice(0, MAX_LENGTH) }
    : { nonsense: `answered ${describe(given)}, not a text` };
}

function readRecalled(given: unknown): Reading {
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

function readSummaries(given: unknown, ids: readonly string[]): Reading {
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

function readCounts(given: unknown, wanted: number): Reading {
  // One more than is wanted, to see that there are too many.
  const counts = elementsOf(given, wanted + 1);
  if (counts === undefined) {
    return notList(given);
  }
  if (counts.length !== wanted) {
    const found = counts.length > wanted ? "more" : String(counts.length);
    return { nonsense: `answered ${found} counts for ${wanted} texts` };
  }
  const wrong = counts.find((count) => !Number.isSafeInteger(count) || (count as number) < 0);
  return wrong === undefined
    ? { counts: counts as readonly number[] }
    : { nonsense: `answered ${describe(wrong)} as a count, not a whole number of 0 or more` };
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
