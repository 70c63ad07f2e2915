// Builds many contexts on another thread: at sampled budgets, and for every turn. A newer job of the same kind ends an
// older one.

import { buildContext, type ContextError, createTranscript, type MessageInput, type Transcript } from "windrow";
import type { Context } from "../state/picture.js";
import { type Asked, configOf, withBudget } from "../state/setup.js";
import { type Hooked, scriptedModel, searchIn } from "./hooks.js";
import {
  type Answer,
  type Curve,
  type Job,
  type JobOf,
  type ToldChange,
  type Turn,
  type TurnsOf,
  turnOf,
} from "./jobs.js";

const SAMPLES = 129;
/** The time between two reports of a job's progress. */
const TELL_EACH_MS = 150;
/** Maximum number of turns that people can read in one strip. If there are more, the strip shows evenly spaced ones. */
const MOST_TURNS = 320;

let messages: readonly MessageInput[] = [];
let whole: Transcript = createTranscript([]);
/** The transcripts that grow with the turns of each side. */
const growing: Record<TurnsOf, Transcript> = { turns: createTranscript([]), turnsB: createTranscript([]) };
/** The newest job of each kind. */
const newest: Partial<Record<Job["kind"], number>> = {};
let samples: { readonly asked: string; readonly taken: Sample[]; readonly isDone: boolean } | undefined;

const tell = (told: ToldChange): void => postMessage(told);
const isOld = (kind: Job["kind"], id: number): boolean => newest[kind] !== id;
/** Reports a job's progress if the last report is some time ago, and lets the page's messages in between. */
function everySoOften(tellSoFar: () => void): () => Promise<void> {
  let told = performance.now();
  return async () => {
    if (performance.now() - told > TELL_EACH_MS) {
      tellSoFar();
      told = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  };
}

addEventListener("message", ({ data }: MessageEvent<Job>) => {
  if (data.kind === "conversation") {
    whole.free();
    growing.turns.free();
    growing.turnsB.free();
    messages = data.messages;
    whole = createTranscript(messages);
    growing.turns = createTranscript([]);
    growing.turnsB = createTranscript([]);
    samples = undefined;
    for (const kind of ["curve", "turns", "turnsB", "question"] as const) {
      delete newest[kind];
    }
    return;
  }
  newest[data.kind] = data.id;
  const done = { curve: drawCurve, turns: walkTurns, turnsB: walkTurns, question: answer }[data.kind](data as never);
  done.catch((failure: Error) => {
    if (!isOld(data.kind, data.id)) {
      tell({ kind: "failed", id: data.id, what: data.kind, words: failure.message });
    }
  });
});

function hooksOf({ triage, knowledge }: Asked): Hooked[] {
  const isModel = triage?.by === "chrome" || triage?.by === "endpoint";
  return [
    ...(triage === undefined ? [] : [scriptedModel(isModel ? { ...triage, by: "words" } : triage, 0, () => {})]),
    ...(knowledge.length === 0 ? [] : [searchIn(knowledge)]),
  ];
}

/** Builds as the page does, except that a script answers for a model that only the page asks. */
function build(transcript: Transcript, asked: Asked, previous?: Context): Promise<Context> {
  return buildContext(transcript, { ...configOf(asked, hooksOf(asked)), previous });
}

// The curve

interface Sample {
  readonly budget: number;
  readonly kept: number;
  readonly isIn: Uint8Array;
}

async function sampleAt(asked: Asked, budget: number | undefined): Promise<Sample & { readonly total: number }> {
  const { trace, tokens } = await build(whole, withBudget(asked, budget));
  const isIn = new Uint8Array(messages.length);
  let kept = 0;
  for (const { first, last, fate } of trace.ranges) {
    if (fate !== "left out") {
      isIn.fill(1, first, last + 1);
      kept += last - first + 1;
    }
  }
  return { budget: budget ?? tokens.total, kept, isIn, total: tokens.total };
}

async function drawCurve({ id, asked }: JobOf<"curve">): Promise<void> {
  const all = await sampleAt(asked, undefined);
  const needed = await neededBy(asked);
  const top = Math.max(all.total, needed);
  const taken: Sample[] = [{ ...all, budget: top }];
  const known = new Set([top]);
  const tellCurve = (isDone: boolean): void => {
    samples = { asked: keyOf(asked), taken, isDone };
    tell({ kind: "curve", id, curve: curveOf(taken, needed, top, isDone) });
  };
  const report = everySoOften(() => tellCurve(false));
  if (isOld("curve", id)) {
    return;
  }
  // The slider's ends are known.
  tellCurve(false);
  for (const share of spread(SAMPLES)) {
    const budget = Math.round(needed * (top / Math.max(needed, 1)) ** share);
    if (known.has(budget)) {
      continue;
    }
    known.add(budget);
    const sample = await sampleAt(asked, budget).catch(() => undefined);
    if (isOld("curve", id)) {
      return;
    }
    if (sample !== undefined) {
      taken.push(sample);
    }
    await report();
  }
  if (!isOld("curve", id)) {
    tellCurve(true);
  }
}

/** The shares from 0 to 1, coarse ones first. */
function spread(count: number): number[] {
  const shares = [0];
  for (let step = 0.5; shares.length < count; step /= 2) {
    for (let share = step; share < 1; share += 2 * step) {
      shares.push(share);
    }
  }
  return shares;
}

/** The smallest budget for the required messages. */
async function neededBy(asked: Asked): Promise<number> {
  try {
    await sampleAt(asked, 1);
    return 1;
  } catch (failure) {
    return (failure as ContextError & { readonly needed?: number }).needed ?? 1;
  }
}

function curveOf(taken: Sample[], needed: number, all: number, isDone: boolean): Curve {
  const sorted = taken.toSorted((one, other) => one.budget - other.budget);
  const count = messages.length;
  const from = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  const isOpen = new Uint8Array(count).fill(1);
  for (const { budget, isIn } of sorted.toReversed()) {
    for (let position = 0; position < count; position++) {
      if (isOpen[position] === 1) {
        if (isIn[position] === 1) {
          from[position] = budget;
        } else {
          isOpen[position] = 0;
        }
      }
    }
  }
  return {
    needed,
    all,
    budgets: sorted.map(({ budget }) => budget),
    kept: sorted.map(({ kept }) => kept),
    from,
    count,
    isDone,
  };
}

const keyOf = (asked: Asked): string => JSON.stringify(withBudget(asked, undefined));

// One message

async function answer({ id, asked, position }: JobOf<"question">): Promise<void> {
  // The range of its budgets is known once all samples are built.
  while (samples?.asked !== keyOf(asked) || !samples.isDone) {
    await new Promise((resolve) => setTimeout(resolve, TELL_EACH_MS));
    if (isOld("question", id)) {
      return;
    }
  }
  const taken = samples.taken.toSorted((one, other) => one.budget - other.budget);
  const spans: [number, number][] = [];
  for (const [index, sample] of taken.entries()) {
    const isIn = sample.isIn[position] === 1;
    const before = taken[index - 1];
    const wasIn = before?.isIn[position] === 1;
    if (isIn && !wasIn) {
      const exact =
        before === undefined ? sample.budget : await crossing(asked, position, before.budget, sample.budget);
      spans.push([exact, Number.POSITIVE_INFINITY]);
    } else if (!isIn && wasIn && before !== undefined) {
      const last = spans.at(-1);
      if (last !== undefined) {
        last[1] = (await crossing(asked, position, before.budget, sample.budget)) - 1;
      }
    }
    if (isOld("question", id)) {
      return;
    }
  }
  const rankings: Answer["rankings"][number][] = [];
  const config = configOf(asked, []);
  const own = config.recall?.ranking ?? "relevance";
  for (const ranking of ["relevance", "bm25", "recency"]) {
    if (ranking !== own) {
      const other = withBudget(asked, config.budget?.maxTokens ?? undefined, ranking);
      const context = await build(whole, other).catch(() => undefined);
      if (context !== undefined) {
        rankings.push({ ranking, isIn: context.explain(position).fate !== "left out" });
      }
    }
  }
  if (!isOld("question", id)) {
    tell({ kind: "question", id, answer: { position, spans, rankings } });
  }
}

/** Finds by binary search the smallest budget above `low` at which a message has the same fate as at `high`. */
async function crossing(asked: Asked, position: number, low: number, high: number): Promise<number> {
  const wanted = await isInAt(asked, position, high);
  let below = low;
  let above = high;
  while (above - below > 1) {
    const middle = (below + above) >>> 1;
    if ((await isInAt(asked, position, middle)) === wanted) {
      above = middle;
    } else {
      below = middle;
    }
  }
  return above;
}

async function isInAt(asked: Asked, position: number, budget: number): Promise<boolean> {
  const context = await build(whole, withBudget(asked, budget)).catch(() => undefined);
  return context !== undefined && context.explain(position).fate !== "left out";
}

// Every turn

async function walkTurns({ kind, id, asked, request }: JobOf<TurnsOf>): Promise<void> {
  const ends = messages.flatMap((message, position) =>
    endsTurn(message, messages[position + 1]) ? [position + 1] : [],
  );
  const each = Math.max(ends.length / MOST_TURNS, 1);
  const isShown = (index: number): boolean =>
    Math.floor((index + 1) / each) > Math.floor(index / each) || index === ends.length - 1;
  const turns: Turn[] = [];
  const report = everySoOften(() => tell({ kind, id, turns, isDone: false }));
  let before: Context | undefined;
  for (const [index, end] of ends.entries()) {
    // The turn before each shown one is built too, to compare the two.
    if (!isShown(index) && !isShown(index + 1)) {
      continue;
    }
    const step = await stepAt(grownTo(kind, end), askedAt(asked, end), before);
    if (isOld(kind, id)) {
      return;
    }
    before = step.context;
    if (isShown(index)) {
      turns.push(step.turn);
    }
    await report();
  }
  // The page's present request comes last.
  const now = await stepAt(whole, request, before);
  if (!isOld(kind, id)) {
    tell({ kind, id, turns: [...turns, now.turn], isDone: true });
  }
}

/** True if a model is called after a message: after the user's words, and after the last result of a step. */
function endsTurn({ role }: MessageInput, next: MessageInput | undefined): boolean {
  return role === "user" || (role === "tool" && next?.role !== "tool");
}

/** The same build as of a turn. */
function askedAt(asked: Asked, end: number): Asked {
  const createdAt = messages[end - 1]?.createdAt;
  return asked.own.now === undefined || createdAt == null ? asked : { ...asked, own: { ...asked.own, now: createdAt } };
}

/** One turn, compared with the one before it. */
async function stepAt(
  transcript: Transcript,
  asked: Asked,
  before: Context | undefined,
): Promise<{ readonly turn: Turn; readonly context: Context | undefined }> {
  const end = transcript.length;
  try {
    const context = await build(transcript, asked, before);
    return { turn: turnOf(context, end, before !== undefined), context };
  } catch (failure) {
    return { turn: { end, tokens: 0, reused: 0, kept: 0, failure: (failure as Error).message }, context: undefined };
  }
}

function grownTo(kind: TurnsOf, end: number): Transcript {
  const transcript = growing[kind];
  if (transcript.length > end) {
    transcript.truncate(end);
  }
  transcript.append(messages.slice(transcript.length, end));
  return transcript;
}
