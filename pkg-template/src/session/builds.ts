// Builds as lines of a session's file, after the transcript's lines. A build refers to the log by rows of the file,
// because its sequence numbers change in the session that the file is imported into.

import { ContextError } from "../base/errors.js";
import type { Snapshot, StoredSummary, TriageDecisions } from "../base/generated.js";
import { decodePlain, encodePlain, isRecord, UnkeptValue } from "../base/plain-data.js";
import type { PromptOutline } from "../config/outline.js";
import type { BuildRecording } from "../context/context.js";
import { checkRecording } from "../context/replay.js";
import type { Entry, JsonValue, NewEntry } from "../stores/contract.js";
import type { HandoffFacts } from "./handoff.js";

/** The fields that identify the line of a build, because other software may write rows of the same type. */
const MARK = { type: "build", kind: "context_build" };

/** The stretches of a log that were read, as pairs of sequence numbers or of rows in a file. */
type Stretches = readonly (readonly [first: number, last: number])[];

/** A kept build. */
export interface KeptBuild {
  readonly seq: number;
  readonly snapshot: Snapshot;
  readonly recording: BuildRecording;
  /** The prompt's outline. The next build compares itself with it to find the repeated prefix. */
  readonly outline?: PromptOutline | undefined;
  /** The decisions of triage, which the next build continues with. */
  readonly decided?: TriageDecisions | undefined;
  /**
   * The summary of the messages that the cut leaves out, with the last message it covers. The next build continues with
   * it.
   */
  readonly summary?: StoredSummary | undefined;
  /** The sub-task, for a context that was handed over: see `handoff` of sessions. */
  readonly handoff?: HandoffFacts | undefined;
}

/** The entry of a build. */
export function buildEntry(snapshot: Snapshot, data: JsonValue): NewEntry {
  const { turnId: id, timestampMs: timeMs } = snapshot;
  return { type: "build", data, timeMs, ...(id == null ? {} : { id }) };
}

/** Returns the build of an entry. Undefined if the entry has none. */
export function buildOf({ seq, data }: Entry): KeptBuild | undefined {
  const build = decodePlain(data) as Partial<KeptBuild> | null;
  return build?.snapshot === undefined || build.recording === undefined
    ? undefined
    : {
        seq,
        snapshot: build.snapshot,
        recording: build.recording,
        outline: build.outline,
        decided: areDecisions(build.decided) ? build.decided : undefined,
        summary: isSummary(build.summary) ? build.summary : undefined,
        handoff: isHandoff(build.handoff) ? build.handoff : undefined,
      };
}

/** True if a value has the form of triage's decisions. */
function areDecisions(value: unknown): value is TriageDecisions {
  const isText = (text: unknown): boolean => text == null || typeof text === "string";
  if (!isRecord(value) || !isText(value.through) || !isText(value.under)) {
    return false;
  }
  return Array.isArray(value.chosen) && value.chosen.every((id) => typeof id === "string");
}

/** True if a value has the form of a summary. The engine checks its facts. */
function isSummary(value: unknown): value is StoredSummary {
  const isText = (text: unknown): boolean => text == null || typeof text === "string";
  return isRecord(value) && isText(value.text) && isText(value.through) && isText(value.askedThrough);
}

/** True if a value has the facts of a sub-task. */
function isHandoff(value: unknown): value is HandoffFacts {
  const isText = (text: unknown): boolean => text === undefined || typeof text === "string";
  return isRecord(value) && typeof value.id === "string" && typeof value.task === "string" && isText(value.toolCallId);
}

/**
 * Returns the line of a build. `seqs` are the sequence numbers of the file's rows in order, starting with row
 * `firstRow`.
 */
export function buildLine({ data }: Entry, seqs: readonly number[], firstRow: number): string {
  const rows = (read: Stretches): Stretches =>
    read.flatMap(([first, last]) => {
      const [begin, end] = [countBelow(seqs, first), countBelow(seqs, last + 1)];
      return begin < end ? [[begin + firstRow, end - 1 + firstRow] as const] : [];
    });
  return JSON.stringify({ ...MARK, ...(withRead(data, rows) as object) });
}

/** True if a row of a file is the line of a build. */
export function isBuildRow(row: unknown): row is Readonly<Record<string, unknown>> {
  return isRecord(row) && row.type === MARK.type && row.kind === MARK.kind;
}

/** Returns the entry for a build's row. Throws the reason if the build can't be replayed. */
export function entryOfBuildRow(row: Readonly<Record<string, unknown>>): NewEntry {
  const { type: _type, kind: _kind, ...data } = row;
  const { snapshot, recording } = decodePlain(data) as Readonly<Record<string, unknown>>;
  if (!isRecord(snapshot) || typeof snapshot.contextHash !== "string" || !Number.isFinite(snapshot.timestampMs)) {
    throw damaged("the build has no snapshot, or a damaged one");
  }
  const { turnId } = snapshot;
  if (turnId != null && typeof turnId !== "string") {
    throw damaged("the turnId of the build's snapshot isn't a string");
  }
  checkRecording(recording);
  try {
    encodePlain(data); // refuses values that no store could keep
  } catch (failure) {
    throw failure instanceof UnkeptValue
      ? damaged(`the build cannot be kept: ${failure.path}: ${failure.reason}`)
      : failure;
  }
  return buildEntry(snapshot as unknown as Snapshot, data as JsonValue);
}

/**
 * Returns a build's entry for the session that the file was imported into. `rows` are the file's rows of the appended
 * entries in order, and `firstSeq` is the sequence number of the first.
 */
export function placedBuild(entry: NewEntry, rows: readonly number[], firstSeq: number): NewEntry {
  const seqs = (read: Stretches): Stretches =>
    read.flatMap(([first, last]) => {
      const [begin, end] = [countBelow(rows, first), countBelow(rows, last + 1)];
      return begin < end ? [[begin + firstSeq, end - 1 + firstSeq] as const] : [];
    });
  return { ...entry, data: withRead(entry.data, seqs) };
}

/** Returns a build's data with new places for the messages that it read. */
function withRead(data: JsonValue, other: (read: Stretches) => Stretches): JsonValue {
  const { recording } = data as { readonly recording?: BuildRecording };
  if (recording?.read === undefined) {
    return data;
  }
  return { ...(data as object), recording: { ...recording, read: other(recording.read) } } as unknown as JsonValue;
}

/** Returns how many of these sorted numbers are below a limit. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < limit) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

function damaged(message: string): ContextError {
  return new ContextError({
    kind: "session_error",
    code: "INVALID_RECORDING",
    message,
    nextAction: "Import the file as it was exported.",
  });
}
