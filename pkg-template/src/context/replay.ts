// Builds a context again from its recording.

import { ContextError } from "../base/errors.js";
import type { Answer, Format, HookName, Recording } from "../base/generated.js";
import { holeIn, isListOf, isPair } from "../base/lists.js";
import { checkOptions, describe, type OptionRules } from "../base/options.js";
import { publicPromise } from "../base/public-call.js";
import { counted } from "../base/words.js";
import { readConfig } from "../config/config.js";
import { HOOK_NAMES } from "../config/hooks.js";
import { isRedactor, type Redactor } from "../config/redactor.js";
import { call } from "../engine/engine.js";
import type { AnyMessage } from "../formats/any-message.js";
import { isContextManagement } from "../formats/context-management.js";
import type { MessageInput } from "../message/message.js";
import { shapes } from "../message/recognise.js";
import { type HookNeed, hookOf, readAgain } from "./answers.js";
import { buildFrom } from "./build.js";
import type { BuildRecording, BuiltContext } from "./context.js";
import { createTranscript, messagesOf, type Transcript } from "./transcript.js";

const KIND = "context_build_error";

/** A difference between a replay and its recording. */
export interface Difference {
  /**
   * `transcript_shorter`: the transcript has fewer messages than at the time of the recording; that many are missing.
   * `transcript_changed`: its messages from that time have changed. `engine_changed`: another version of windrow.
   * `context_changed`: another context.
   */
  readonly kind: "transcript_shorter" | "transcript_changed" | "engine_changed" | "context_changed";
  /** The recorded value. */
  readonly recorded: string | number;
  /** The present value. */
  readonly found: string | number;
  /**
   * With `transcript_changed`: the first changed message is at this position or after it. A recording only has
   * checksums of some of the transcript's prefixes, so the result is a range.
   */
  readonly after?: number;
  /** With `transcript_changed`: the first changed message is at this position or before it. */
  readonly until?: number;
}

/** A context built again. */
export interface Replay<M extends AnyMessage = MessageInput> {
  /** True if the context has the recorded hash. */
  readonly same: boolean;
  /** The context. */
  readonly context: BuiltContext<M, Format>;
  /** The differences from the recording. */
  readonly differences: readonly Difference[];
}

/** Options of a replay. */
export interface ReplayOptions {
  /** A redactor, if the context was built with one. It repeats the recorded edits and looks for no others. */
  readonly redact?: Redactor | undefined;
}

/**
 * Builds a context again, with the recorded config, clock, time zone and hooks' answers, from the messages that the
 * transcript had at the time. Messages appended since don't matter. No hook runs. Fails with `INVALID_RECORDING` for a
 * damaged recording, or if the build asks for an answer that wasn't recorded. Otherwise fails as `buildContext` does.
 */
export function replay<M extends AnyMessage>(
  recording: BuildRecording,
  transcript: readonly M[] | Transcript<M>,
  options: ReplayOptions = {},
): Promise<Replay<M>> {
  return publicPromise(KIND, "replay", () => {
    checkOptions(KIND, options, REPLAY_OPTIONS);
    return buildRecorded(recording, transcript, options.redact);
  });
}

const REPLAY_OPTIONS: OptionRules = { redact: ["a redactor", isRedactor] };

async function buildRecorded<M extends AnyMessage>(
  recording: BuildRecording,
  transcript: readonly M[] | Transcript<M>,
  redact: Redactor | undefined,
): Promise<Replay<M>> {
  if (!shapes.isThere) {
    await shapes.load(); // recorded messages may have any format
  }
  checkRecording(recording);
  const { length, unread } = recording.transcript;
  const prefix = createTranscript(redacted(messagesOf(transcript, KIND).slice(0, length), recording, redact));
  try {
    if (prefix.length === length) {
      takeUnread(prefix, unread);
    }
    const differences = transcriptDifferences(recording, prefix);
    const context = await buildAgain<M>(recording, prefix, differences, redact);
    const compare = (kind: Difference["kind"], recorded: string | number, found: string | number): void => {
      if (recorded !== found) {
        differences.push({ kind, recorded, found });
      }
    };
    compare("engine_changed", recording.engineVersion, context.recording.engineVersion);
    compare("context_changed", recording.contextHash, context.recording.contextHash);
    return { same: recording.contextHash === context.recording.contextHash, context, differences };
  } finally {
    prefix.free();
  }
}

/** Returns messages with the recorded edits. */
function redacted<M extends AnyMessage>(
  messages: readonly M[],
  { redactions = [] }: BuildRecording,
  redact: Redactor | undefined,
): readonly M[] {
  if (redactions.length > 0 && redact === undefined) {
    throw invalid(
      "the context was built with `redact`",
      undefined,
      "Pass `redact` to the replay too: any redactor will do.",
    );
  }
  return redact === undefined ? messages : redact.replayed(messages, redactions);
}

/** Sets the unread part of the log. If the transcript is shorter than at the time, the core rejects it. */
function takeUnread<M extends AnyMessage>(prefix: Transcript<M>, unread: Recording["transcript"]["unread"]): void {
  try {
    prefix.setLog({ unread: unread ?? undefined });
  } catch (failure) {
    throw failure instanceof ContextError && failure.code === "INVALID_CONFIG"
      ? invalid("the recording is damaged: its transcript.unread isn't in the expected format", failure)
      : failure;
  }
}

async function buildAgain<M extends AnyMessage>(
  recording: BuildRecording,
  prefix: Transcript<M>,
  differences: readonly Difference[],
  redact: Redactor | undefined,
): Promise<BuiltContext<M, Format>> {
  const { zoneOffsets, hooks } = recording;
  const because = differences.length === 0 ? "" : `; ${differences.map(inWords).join(", ")}`;
  try {
    const config = readConfig({ ...recording.config, now: recording.now, request: recording.request }, KIND);
    return await buildFrom(
      { source: () => prefix.source() },
      {
        ...config,
        redact,
        recordedBound: recording.bound,
        quotes: recording.quotes,
        contextManagement: recording.contextManagement,
      },
      recording.now,
      {
        hooks,
        answer: answersOf(recording, because),
        offsets({ timeZone }) {
          if (zoneOffsets.length === 0) {
            throw invalid(`the build asks for the offsets of ${timeZone}, and none were recorded${because}`);
          }
          return zoneOffsets.flat();
        },
      },
    );
  } catch (failure) {
    if (failure instanceof ContextError && failure.code === "INVALID_RECORDING" && !failure.message.endsWith(because)) {
      throw invalid(`${failure.message}${because}`, failure);
    }
    const isConfig = failure instanceof ContextError && failure.code === "INVALID_CONFIG";
    throw isConfig ? invalid(`the recording's config cannot be used: ${failure.message}`, failure) : failure;
  }
}

/** Returns a function that plays back the recorded answers in order. */
function answersOf(recording: BuildRecording, because: string): (need: HookNeed) => Answer {
  let next = 0;
  return (need) => {
    const record = recording.answers[next];
    const hook = hookOf(need, (name) => recording.hooks.includes(name));
    next += 1;
    if (record === undefined) {
      throw invalid(`the build asks ${hook}, and no further answer was recorded${because}`);
    }
    const isHash = "hash" in record;
    const answer = isHash ? recording.largeAnswers[record.hash] : record;
    if (answer === undefined) {
      throw invalid(`the recording has no answer with the hash ${describe(isHash ? record.hash : "")}`);
    }
    if (answer.hook !== hook) {
      throw invalid(`the build asks ${hook}, but an answer of ${answer.hook} was recorded${because}`);
    }
    const again = readAgain(answer, need);
    if ("nonsense" in again) {
      throw invalid(`the recorded answer of ${hook} doesn't fit the question: it ${again.nonsense}${because}`);
    }
    return again;
  };
}

// ---- Differences ----

/** Returns the differences in the part of the transcript that still exists. */
function transcriptDifferences<M extends AnyMessage>(recording: BuildRecording, prefix: Transcript<M>): Difference[] {
  const { length, digest, marks } = recording.transcript;
  const found = prefix.length;
  const differences: Difference[] = found < length ? [{ kind: "transcript_shorter", recorded: length, found }] : [];
  const { core } = prefix.source();
  let same = 0;
  for (const [end, marked] of marksOf(marks, length, digest)) {
    if (end > found) {
      break;
    }
    const now = call(KIND, () => core.digest(end));
    if (now !== marked) {
      // For a transcript of the same length, the digest of all of it. Otherwise the digest of its prefix of that
      // length.
      const isWhole = found === length;
      differences.push({
        kind: "transcript_changed",
        recorded: isWhole ? digest : marked,
        found: isWhole ? call(KIND, () => core.digest(length)) : now,
        after: same,
        until: end - 1,
      });
      break;
    }
    same = end;
  }
  return differences;
}

/** Returns the prefixes of a transcript whose digests were recorded, shortest first. */
function marksOf(
  marks: BuildRecording["transcript"]["marks"],
  length: number,
  digest: string,
): readonly (readonly [length: number, digest: string])[] {
  const known = (marks ?? []) as readonly (readonly [number, string])[];
  return [...known.filter(([end]) => end < length).sort(([left], [right]) => left - right), [length, digest]];
}

/** Describes a difference in words. */
export function inWords({ kind, recorded, found, after, until }: Difference): string {
  switch (kind) {
    case "transcript_shorter":
      return `the transcript has ${counted(Number(found), "message")}, but had ${recorded}`;
    case "transcript_changed":
      return after === until
        ? `the message at position ${after} has changed`
        : `a message at positions ${after} to ${until} has changed`;
    case "engine_changed":
      return `it was recorded by windrow ${recorded}, but this is ${found}`;
    case "context_changed":
      return `the context is ${found}, but was ${recorded}`;
  }
}

// ---- Validation of recordings ----

const FORMAT_VERSION = 1;

/** Fails if a value isn't a recording. It may come from a file and be anything. */
export function checkRecording(recording: unknown): asserts recording is BuildRecording {
  if (!isObject(recording) || typeof recording.formatVersion !== "number") {
    throw invalid(`expected a recording, got ${describe(recording)}`);
  }
  const found = recording.formatVersion;
  if (found !== FORMAT_VERSION) {
    throw invalid(
      `the recording has format version ${found}, and this version of windrow reads ${FORMAT_VERSION}`,
      undefined,
      found > FORMAT_VERSION ? "Update windrow." : "Replay it with the version of windrow that recorded it.",
    );
  }
  if (holeIn(recording) !== undefined) {
    throw invalid(`the recording is damaged: its ${holeIn(recording)} is empty`);
  }
  // The request is a message and is checked as one.
  const { request, ...engineFields } = recording;
  if (!isWithinDepth(engineFields)) {
    throw invalid(`the recording is damaged: something in it is nested more than ${DEEPEST} levels deep`);
  }
  const wrong = Object.entries(SHAPE).find(([field, fits]) => !fits(recording[field]));
  if (wrong !== undefined) {
    throw invalid(`the recording is damaged: its ${wrong[0]} is missing or isn't in the expected format`);
  }
}

/** Maximum nesting of a recording. Recordings that windrow makes stay below ten. */
const DEEPEST = 32;

/** True if nothing is nested deeper. Visits each value once, so it ends even if something contains itself. */
function isWithinDepth(value: unknown): boolean {
  let level = new Set<unknown>([value]);
  for (let depth = 0; depth <= DEEPEST && level.size > 0; depth++) {
    const next = new Set<unknown>();
    for (const holder of level) {
      for (const inner of typeof holder === "object" && holder !== null ? Object.values(holder) : []) {
        if (typeof inner === "object" && inner !== null) {
          next.add(inner);
        }
      }
    }
    level = next;
  }
  return level.size === 0;
}

/** The fields of a recording, each with a test of its value. */
const SHAPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  engineVersion: isText,
  config: isObject,
  now: (now) => Number.isFinite(now),
  zoneOffsets: (offsets) => isListOf(offsets, isPair),
  hooks: (hooks) => isListOf(hooks, (name) => HOOK_NAMES.includes(name as HookName)),
  answers: (answers) => isListOf(answers, (record) => isObject(record) && (isText(record.hash) || isAnswer(record))),
  largeAnswers: (answers) => isObject(answers) && Object.values(answers).every(isAnswer),
  transcript: (transcript) =>
    isObject(transcript) &&
    Number.isInteger(transcript.length) &&
    (transcript.length as number) >= 0 &&
    isText(transcript.digest) &&
    isListOf(
      transcript.marks ?? [],
      (mark) => Array.isArray(mark) && Number.isInteger(mark[0]) && mark[0] >= 0 && isText(mark[1]),
    ),
  contextHash: isText,
  bound: (bound) => bound === undefined || isListOf(bound, Number.isInteger),
  quotes: (quotes) =>
    quotes === undefined ||
    isListOf(
      quotes,
      (quote) =>
        isObject(quote) &&
        Number.isInteger(quote.before) &&
        isListOf(quote.quoted, Number.isInteger) &&
        isText(quote.text),
    ),
  contextManagement: (settings) => settings === undefined || isContextManagement(settings),
  redactions: (redactions) => redactions === undefined || Array.isArray(redactions),
  read: (read) => read === undefined || isListOf(read, isPair),
};

function isAnswer(answer: unknown): boolean {
  return (
    isObject(answer) &&
    HOOK_NAMES.includes(answer.hook as HookName) &&
    ["given", "unavailable", "failed"].includes(answer.outcome as string)
  );
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(
  message: string,
  cause?: ContextError,
  nextAction = "Pass the recording of a built context unchanged.",
): ContextError {
  return new ContextError({ kind: KIND, code: "INVALID_RECORDING", message, nextAction, cause });
}
