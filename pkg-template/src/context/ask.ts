// Asks hooks. Any outcome becomes an answer, and a timeout limits the wait. Afterwards no timer and no listener
// remains, and a hook that never settles keeps nothing else in memory.

import { ContextError, type ErrorKind } from "../base/errors.js";
import type { Answer, HookName, SummaryWanted, TriageUnit } from "../base/generated.js";
import type { Hooks, TriageCandidate } from "../config/hooks.js";
import type { AnyMessage } from "../formats/any-message.js";
import { parse } from "../message/read.js";
import { ofShares, sharesOf } from "../message/shares.js";
import {
  answerOf,
  type HookNeed,
  hookOf,
  knownBy,
  type Reading,
  readChosen,
  readCounts,
  readRecalled,
  readSummaries,
  readText,
  readVectors,
  reasonOf,
  type Vectors,
} from "./answers.js";
import type { Source } from "./transcript.js";

/**
 * Takes the vectors of requested texts, starting with the text at `first`. Returns true if all components are finite
 * numbers.
 */
export type TakeVectors = (first: number, vectors: Vectors) => boolean;

/** The messages of a build that asks a hook, and their ids. */
export type AskedOf<M> = Pick<Source<M>, "messages" | "ids" | "shape">;

/** The hooks that a build asks, and the build's own facts. */
export interface Asking<M> {
  /** The caller's hooks. */
  readonly hooks: Hooks;
  /** The messages that positions refer to. */
  readonly source: AskedOf<M>;
  /** Aborts the build. */
  readonly signal: AbortSignal | undefined;
  /** The kind of the error for an abort. */
  readonly kind: ErrorKind;
  /** Takes the vectors from the embeddings hook. */
  readonly take: TakeVectors;
}

/**
 * Asks the hook that a need is for. Always resolves to an answer, unless the caller aborts; then it fails. Vectors
 * aren't part of the answer and go to `take`.
 */
export async function askHook<M extends AnyMessage>(need: HookNeed, asking: Asking<M>): Promise<Answer> {
  const { hooks } = asking;
  const hook = hookOf(need, (name) => hooks.has(name));
  const run = hooks.get(hook);
  if (run === undefined) {
    return { hook, outcome: "unavailable" };
  }
  if (need.need === "embeddings") {
    return await askForVectors(need, run, asking);
  }
  return await askOnce(need, hook, run, asking);
}

type EmbeddingsNeed = Extract<HookNeed, { readonly need: "embeddings" }>;
type OtherNeed = Exclude<HookNeed, EmbeddingsNeed>;
type RunHook = (...question: readonly unknown[]) => unknown;

/**
 * Asks for vectors in batches, one after another. Each batch is stored at once, because it stays valid even if a
 * later one fails.
 */
async function askForVectors<M extends AnyMessage>(
  { texts, batchSize, timeoutMs }: EmbeddingsNeed,
  run: RunHook,
  asking: Asking<M>,
): Promise<Answer> {
  const { signal, take } = asking;
  const hook = "recall.embed";
  let dimensions: number | undefined;
  for (let first = 0; first < texts.length; first += batchSize) {
    const batch = texts.slice(first, first + batchSize);
    const { length } = batch;
    const ending = await endingOf((own) => run(batch, { signal: own }), timeoutMs, signal);
    const answer = answerTo(ending, { hook, timeoutMs }, asking, (given) => {
      const vectors = readVectors(given, length, dimensions);
      if (vectors === "unavailable" || "nonsense" in vectors) {
        return vectors;
      }
      ({ dimensions } = vectors);
      return take(first, vectors)
        ? { taken: {}, misunderstood: "nothing" }
        : { nonsense: "answered a vector with a value that isn't a finite number" };
    });
    if (answer.outcome !== "given") {
      return answer;
    }
  }
  return { hook, outcome: "given" };
}

async function askOnce<M extends AnyMessage>(
  need: OtherNeed,
  hook: HookName,
  run: RunHook,
  asking: Asking<M>,
): Promise<Answer> {
  const { source, signal } = asking;
  // The hook may change anything it receives, so the lookup for its answer is built before the call.
  const { call, read } = questionOf(need, hook, source);
  const ending = await endingOf((own) => call(run, own), need.timeoutMs, signal);
  return answerTo(ending, { hook, timeoutMs: need.timeoutMs }, asking, read);
}

/** Turns the end of a wait for a hook into an answer. */
function answerTo(
  ending: Ending,
  { hook, timeoutMs }: { readonly hook: HookName; readonly timeoutMs: number },
  { signal, kind }: Pick<Asking<AnyMessage>, "signal" | "kind">,
  read: (given: unknown) => Reading,
): Answer {
  switch (ending.kind) {
    case "aborted":
      throw aborted(signal, kind);
    case "late":
      return { hook, outcome: "failed", reason: tookLonger(timeoutMs) };
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

/** Returns the value that a hook threw, if that is why it failed. */
export function causeOf(answer: Answer): unknown {
  return causes.get(answer);
}

interface HookQuestion {
  /** Calls the hook. */
  readonly call: (run: (...question: readonly unknown[]) => unknown, signal: AbortSignal) => unknown;
  /** Reads the hook's answer. */
  readonly read: (given: unknown) => Reading;
}

function questionOf<M extends AnyMessage>(
  need: OtherNeed,
  hook: HookName,
  { messages, ids, shape }: AskedOf<M>,
): HookQuestion {
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
      const wantedIds = conversations.map(({ id }) => id);
      return {
        call: (run, signal) => run({ conversations: shown, maxChars, signal }),
        read: (given) => readSummaries(given, wantedIds),
      };
    }
    case "compact": {
      const { previous = null, positions, shares, text, facts, maxTokens } = need;
      const rows = new Map<number, number[]>();
      for (const [at, position] of positions.entries()) {
        rows.set(position, [...(rows.get(position) ?? []), shares[at] as number]);
      }
      const shown = Array.from(rows, ([position, places]) => withShares(messages[position] as M, places, shape));
      const asked = { previous, messages: shown, text, facts, maxTokens };
      return { call: (run, signal) => run({ ...asked, signal }), read: readText };
    }
    case "triage": {
      const { request, candidates, prompt, model } = need;
      if (hook === "triage.complete") {
        return { call: (run, signal) => run(prompt, { model, signal }), read: readText };
      }
      const shown = candidates.map((candidate) => withMessages(candidate, messages));
      const known = knownBy(
        shown,
        candidates.map(({ positions }) => positions.map((position) => ids[position])),
      );
      return {
        call: (run, signal) => run({ request, candidates: shown, model, signal }),
        read: (given) => readChosen(given, known),
      };
    }
  }
}

/** Returns a message with some of its rows alone; with all of them it is the caller's own. */
function withShares<M extends AnyMessage>(given: M, places: readonly number[], shape: string | undefined): M {
  if (places[0] === 0) {
    return given;
  }
  const { message, parts } = parse(given, "message", "context_build_error", { shape });
  const all = sharesOf(message, parts) ?? [];
  const kept = new Map(places.map((place) => [place, undefined]));
  return places.length < all.length ? ofShares(given, all, kept, shape) : given;
}

function withMessages<M extends AnyMessage>(
  { id, text, positions }: SummaryWanted | TriageUnit,
  messages: readonly M[],
): TriageCandidate<M> {
  return { id, text, messages: positions.map((position) => messages[position] as M) };
}
// ---- Waiting ----

/** The outcome of a wait. */
type Ending =
  | { readonly kind: "given"; readonly value: unknown }
  | { readonly kind: "failed"; readonly cause: unknown }
  | { readonly kind: "late" | "aborted" };

/** The callback of a pending promise. Cleared once the wait has ended. */
interface Wait {
  end: ((ending: Ending) => void) | undefined;
}

/** The longest timer, in milliseconds. A longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Starts something and waits for it, at most `timeoutMs` and only until the caller aborts. It receives a separate
 * signal, which is aborted if the wait ends first.
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
        resolve(ending);
        signal?.removeEventListener("abort", abort);
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

/** Starts something and returns its promise. A function that throws rejects it. */
function begun(begin: (own: AbortSignal) => unknown, own: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => resolve(begin(own)));
}

/** A separate function, so a promise that never settles keeps only `wait` alive. */
function follow(promise: Promise<unknown>, wait: Wait): void {
  promise.then(
    (value) => wait.end?.({ kind: "given", value }),
    (cause) => wait.end?.({ kind: "failed", cause }),
  );
}

/** Waits for a promise, unless the caller aborts first. */
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

/** Fails if the caller has aborted. */
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
    nextAction: "Build again if you still need the context.",
    cause: signal?.reason,
  });
}

function tookLonger(timeoutMs: number | undefined): string {
  return `took longer than ${timeoutMs} ms`;
}
