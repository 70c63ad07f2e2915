// Builds the context that the page shows. While the slider moves, every frame has its own build, unless a build asks a
// model.

import { batch, effect } from "@preact/signals";
import {
  type BuildRecording,
  buildContext,
  buildContextSync,
  createTranscript,
  loadEncoding,
  loadSelection,
  type MessageInput,
  type Transcript,
} from "windrow";
import { askAbout, askCurve, askTurns, giveConversation } from "../engine/background.js";
import { costsKey, costsOf } from "../engine/costs.js";
import { type Hooked, scriptedModel, searchIn } from "../engine/hooks.js";
import type { ToldChange } from "../engine/jobs.js";
import { callOf, LEFT_OUT_TAG } from "./call.js";
import { forgottenOnPage, listAll } from "./memory.js";
import { modelOf } from "./models.js";
import { type Context, type Costs, type Picture, pictureOf } from "./picture.js";
import { endsWithReply, sentBy } from "./request.js";
import { type Asked, askFor, configOf, leavesBudget, presetOptions, type Setup, withBudget } from "./setup.js";
import { failureOf, type Source, state } from "./state.js";

/** The conversation with the messages that the visitor pinned and left out. */
let edited: readonly MessageInput[] = [];
let whole: Transcript = createTranscript([]);
/** The conversation up to the turn that is shown. */
let beginning: Transcript = createTranscript([]);
let builtFrom: { readonly source: Source; readonly edits: ReadonlyMap<number, "pin" | "out"> } | undefined;
const costs = new Map<string, Costs>();
/** True if the encodings and the ranking module are loaded, so that a build needn't wait. */
const loaded = new Set<string>();

/** The source of the last picture. */
let shownSource: Source | undefined;

let frame = 0;
let newest = 0;

/** Starts to follow the state. */
export function followState(): void {
  effect(() => {
    const { source, request, budget, a, b, shape, turn, edits, forgotten } = state;
    // Reading a signal subscribes: a change to any of them triggers a build.
    const all = [source, request, budget, a, b, shape, turn, edits, forgotten].map((signal) => signal.value);
    if (all[0] !== undefined) {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => void build());
    }
  });
  effect(() => {
    const { selected, picture, isOld } = state;
    const position = selected.value;
    const asked = picture.value?.asked;
    state.answer.value = undefined;
    if (
      position !== undefined &&
      position >= 0 &&
      asked !== undefined &&
      !isOld.value &&
      state.turn.value === undefined
    ) {
      later("question", 120, () => askAbout(asked, position));
    }
  });
}

const timers = new Map<string, number>();

/** Runs a function once the state has stopped changing. */
function later(name: string, delay_ms: number, run: () => void): void {
  clearTimeout(timers.get(name));
  timers.set(name, setTimeout(run, delay_ms));
}

/** Handles a message from the worker. */
export function hear(told: ToldChange): void {
  if (told.kind === "failed") {
    if (told.what === "curve") {
      state.curve.value = undefined;
    }
  } else if (told.kind === "curve") {
    state.curve.value = told.curve;
  } else if (told.kind === "question") {
    state.answer.value = told.answer;
  } else {
    state[told.kind].value = told;
  }
}

/** The build that a setup asks for, now or at an earlier turn. At a turn, the turn's newest message is the request. */
function askedBy(setup: Setup, turn: number | undefined): Asked {
  const source = state.source.value;
  const hasEdits = state.edits.value.size > 0;
  const isLeftOut = [...state.edits.value.values()].includes("out");
  const createdAt = turn === undefined ? undefined : source?.messages[turn - 1]?.createdAt;
  const given = source?.given ?? emptyGiven;
  if (source?.live !== undefined) {
    return askedByApp(source.live.recording, turn);
  }
  return askFor(setup, {
    request: turn === undefined ? state.request.value : "",
    budget: state.budget.value,
    shape: state.shape.value,
    given: createdAt == null ? given : { ...given, now: new Date(createdAt).getTime() },
    session: hasEdits ? undefined : source?.session?.key,
    leftOutTag: isLeftOut ? LEFT_OUT_TAG : undefined,
    forgotten: forgottenOnPage(),
  });
}

/** The build that an app asked for, with the budget of the page. */
function askedByApp(recording: BuildRecording, turn: number | undefined): Asked {
  const { config, request } = recording as BuildRecording & { readonly config: Record<string, unknown> };
  const own: Record<string, unknown> = { ...config, now: recording.now };
  own.budget = { ...(own.budget as object | undefined), maxTokens: state.budget.value };
  if (request !== undefined && turn === undefined) {
    own.request = request;
  }
  if (state.forgotten.value.length > 0) {
    const forgotten = [...(recording.config.filter?.forgotten ?? []), ...state.forgotten.value];
    own.filter = { ...(own.filter as object | undefined), forgotten };
  }
  return { preset: "", own, triage: undefined, knowledge: [], session: undefined, forgotten: [] };
}

const emptyGiven = { now: undefined, timeZone: "UTC", contents: {}, knowledge: [], conversations: [] };

/** The call that builds the picture. */
export function callOnPage(setup: Setup): string {
  return callOf(askedBy(setup, state.turn.value), state.edits.value, state.question.value);
}

/** Builds once, for both sides. */
async function build(): Promise<void> {
  newest += 1;
  const turn = newest;
  const source = state.source.value;
  if (source === undefined) {
    return;
  }
  try {
    takeConversation(source);
    const transcript = transcriptShown();
    const a = askedBy(state.a.value, state.turn.value);
    const b = state.b.value === undefined ? undefined : askedBy(state.b.value, state.turn.value);
    const pictures: Picture[] = [];
    for (const asked of b === undefined ? [a] : [a, b]) {
      const known = knownCosts(asked) ?? (await costsFor(asked));
      const made = asTheAppBuilt(source) ?? contextNow(transcript, asked) ?? (await contextSoon(transcript, asked));
      if (turn !== newest) {
        return;
      }
      pictures.push(pictureOf(made, asked, state.shape.value, transcript.messages, known));
    }
    shownSource = source;
    show(pictures, a);
  } catch (failure) {
    // A conversation is shown even if nothing of it fits.
    const isNew = isTooSmall(failure) && shownSource !== source;
    const all = isNew
      ? await pictureOfAll(transcriptShown(), askedBy(state.a.value, undefined)).catch(() => {})
      : undefined;
    if (turn === newest) {
      batch(() => {
        if (all !== undefined) {
          state.picture.value = all;
          state.other.value = undefined;
        }
        state.failure.value = failureOf(failure);
        state.isOld.value = state.picture.value !== undefined;
        state.isAsking.value = false;
        state.isLoading.value = false;
      });
      document.body.dataset.state = "failed";
      askForCurve();
    }
  }
}

function show(pictures: readonly Picture[], asked: Asked): void {
  const [picture] = pictures;
  batch(() => {
    state.picture.value = picture;
    state.other.value = pictures[1];
    state.failure.value = undefined;
    state.isOld.value = false;
    state.isAsking.value = false;
    state.isLoading.value = false;
    if (asked.triage === undefined) {
      state.question.value = undefined;
    }
  });
  later("refusal", 150, () => {
    const isSent = picture !== undefined && picture.shape !== "text" && !endsWithReply(picture);
    state.refusal.value = isSent ? sentBy(picture).failure : undefined;
  });
  if (statementsFor !== contentKey()) {
    statementsFor = contentKey();
    later("statements", 150, () => void listAll(whole));
  }
  document.body.dataset.state = "built";
  document.body.dataset.builds = String(Number(document.body.dataset.builds ?? 0) + 1);
  askForCurve();
}

let statementsFor = "";
let curveFor = "";
let turnsFor = "";
let turnsForB = "";
const noTurns = { turns: [], isDone: false };

/** Asks for the curve and the turns again if they would differ. */
function askForCurve(): void {
  const setup = state.a.value;
  const asked = askedBy(setup, undefined);
  const count = state.source.value?.messages.length ?? 0;
  const perTurn = askedBy(setup, count);
  const content = contentKey();
  const forCurve = content + JSON.stringify({ ...asked, own: { ...asked.own, budget: undefined } });
  const forTurns = content + JSON.stringify([asked, perTurn]);
  if (forCurve !== curveFor) {
    curveFor = forCurve;
    later("curve", 150, () => askCurve(asked));
  }
  if (forTurns !== turnsFor) {
    turnsFor = forTurns;
    later("turns", 350, () => askTurns("turns", perTurn, asked));
  }
  const { value: b } = state.b;
  const forB = b === undefined ? undefined : { perTurn: askedBy(b, count), asked: askedBy(b, undefined) };
  const forTurnsB = forB === undefined ? "" : content + JSON.stringify([forB.asked, forB.perTurn]);
  if (forTurnsB !== turnsForB) {
    turnsForB = forTurnsB;
    state.turnsB.value = noTurns;
    if (forB !== undefined) {
      later("turnsB", 350, () => askTurns("turnsB", forB.perTurn, forB.asked));
    }
  }
}

let contentNumber = 0;
const contentKey = (): string => `${contentNumber} `;

/** Brings the engine's transcript up to date with the conversation and its edits. */
function takeConversation(source: Source): void {
  const edits = state.edits.value;
  if (builtFrom?.source === source && builtFrom.edits === edits) {
    return;
  }
  const messages = source.messages.map((message, position) => editedMessage(message, edits.get(position)));
  let same = 0;
  while (same < messages.length && isSameEdit(source, edits, same)) {
    same += 1;
  }
  if (same === 0) {
    state.curve.value = undefined; // the worker may have answered a question about the last conversation
    whole.free();
    beginning.free();
    whole = createTranscript(messages);
    beginning = createTranscript([]);
  } else {
    for (const transcript of [whole, beginning]) {
      transcript.truncate(Math.min(same, transcript.length));
    }
    whole.append(messages.slice(whole.length));
  }
  edited = whole.messages;
  builtFrom = { source, edits };
  costs.clear();
  contentNumber += 1;
  state.turns.value = noTurns;
  giveConversation(edited);
}

function isSameEdit(source: Source, edits: ReadonlyMap<number, "pin" | "out">, position: number): boolean {
  return (
    builtFrom !== undefined &&
    builtFrom.source.messages[position] === source.messages[position] &&
    builtFrom.edits.get(position) === edits.get(position)
  );
}

function editedMessage(message: MessageInput, edit: "pin" | "out" | undefined): MessageInput {
  if (edit === undefined) {
    return message;
  }
  return edit === "pin" ? { ...message, pinned: true } : { ...message, tags: [...(message.tags ?? []), LEFT_OUT_TAG] };
}

function transcriptShown(): Transcript {
  const end = state.turn.value;
  if (end === undefined || end >= edited.length) {
    return whole;
  }
  if (beginning.length > end) {
    beginning.truncate(end);
  }
  if (beginning.length < end) {
    beginning.append(edited.slice(beginning.length, end));
  }
  return beginning;
}

function knownCosts(asked: Asked): Costs | undefined {
  return costs.get(costsKey(asked));
}

async function costsFor(asked: Asked): Promise<Costs> {
  const made = await costsOf(whole, asked);
  const { encoding } = configOf(asked, []);
  const vocabulary = loadEncoding(encoding === "cl100k_base" ? "cl100k_base" : "o200k_base");
  await Promise.all([vocabulary, loadSelection()].map((part) => part.catch(() => {})));
  loaded.add(costsKey(asked));
  costs.set(costsKey(asked), made);
  return made;
}

/** Builds at once if no hook is asked. */
function contextNow(transcript: Transcript, asked: Asked): Context | undefined {
  if (asked.triage !== undefined || asked.knowledge.length > 0 || !loaded.has(costsKey(asked))) {
    return undefined;
  }
  return buildContextSync(transcript, configOf(asked, []) as Parameters<typeof buildContextSync>[1]) as Context;
}

/** The app's own build, as long as nothing has changed on the page. */
function asTheAppBuilt({ live }: Source): Context | undefined {
  const isChanged =
    state.b.value !== undefined ||
    state.turn.value !== undefined ||
    state.edits.value.size > 0 ||
    state.forgotten.value.length > 0 ||
    state.budget.value !== (live?.recording.config.budget?.maxTokens ?? undefined);
  return isChanged ? undefined : live?.context;
}

let asking: AbortController | undefined;

async function contextSoon(transcript: Transcript, asked: Asked): Promise<Context> {
  asking?.abort(new Error("asked anew"));
  asking = new AbortController();
  const { triage } = asked;
  const hooks: Hooked[] = asked.knowledge.length === 0 ? [] : [searchIn(asked.knowledge)];
  if (triage !== undefined) {
    state.question.value = undefined;
    const told = (question: NonNullable<(typeof state.question)["value"]>) => {
      state.question.value = question;
      state.isAsking.value = triage.delay_ms > 0 || triage.by === "chrome" || triage.by === "endpoint";
    };
    hooks.push(modelOf(triage) ?? scriptedModel(triage, triage.delay_ms, told));
  }
  return (await buildContext(transcript, { ...configOf(asked, hooks), signal: asking.signal })) as Context;
}

/** Starts with a conversation. Returns its budget, and chooses one if none is set. */
export async function begin(source: Source, budget: number | undefined): Promise<number | undefined> {
  takeConversation(source);
  const asked = askFor(state.a.value, {
    request: state.request.value,
    budget: undefined,
    shape: state.shape.value,
    given: source.given,
    session: source.session?.key,
    leftOutTag: undefined,
    forgotten: source.forgotten ?? [],
  });
  const { total } = await costsFor(asked);
  return budget ?? (await fittingBudget(asked, budgetFor(state.a.value, total), total));
}

/** Returns a budget, or the next larger one that holds the required messages. */
async function fittingBudget(asked: Asked, budget: number | undefined, total: number): Promise<number | undefined> {
  let tokens = budget;
  while (tokens !== undefined && tokens < total) {
    try {
      await buildContext(whole, configOf(withBudget(asked, tokens), []));
      break;
    } catch (failure) {
      if (!isTooSmall(failure)) {
        return budget;
      }
      tokens += Math.max(1000, Math.floor(tokens / 4));
    }
  }
  return tokens;
}

const isTooSmall = (failure: unknown): boolean => failureOf(failure).code.startsWith("BUDGET_TOO_SMALL");

/** The picture of a conversation without a budget. */
async function pictureOfAll(transcript: Transcript, asked: Asked): Promise<Picture> {
  const { total } = knownCosts(asked) ?? (await costsFor(asked));
  const all = withBudget(asked, 2 * total + 1000);
  const made = (await buildContext(transcript, configOf(all, []))) as Context;
  return pictureOf(made, all, state.shape.value, transcript.messages, knownCosts(asked) ?? (await costsFor(asked)));
}

/** The budget that a setup begins with: the preset's own, or a quarter of the conversation as a round number. */
export function budgetFor({ preset }: Setup, total: number): number | undefined {
  const { maxTokens } = (presetOptions(preset).budget ?? {}) as { readonly maxTokens?: number };
  return leavesBudget(preset) ? Math.min(Math.max(Number((total / 4).toPrecision(1)), 200), 4000) : maxTokens;
}

/** Returns the known cost of the whole conversation. */
export function totalCost(): number {
  return state.curve.value?.all ?? [...costs.values()][0]?.total ?? 0;
}

export function costsShown(): Costs | undefined {
  const asked = state.picture.value?.asked;
  return asked === undefined ? undefined : costs.get(costsKey(asked));
}
