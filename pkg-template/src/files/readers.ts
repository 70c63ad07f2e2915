// Readers of the kinds of files that other apps write. `windrow/files` provides those in `apps`; `known.ts` recognizes
// the kinds.

import { isRecord } from "../base/plain-data.js";
import { READ_KINDS } from "./apps/kinds.js";
import type { ConversationFacts, FailedKind, FileKind, OpenConversation, OpenFile, Row } from "./file.js";
import { unreadWordsIn } from "./file.js";
import type { KnownKind } from "./kind.js";
import { kindOfFile, kindOfText } from "./known.js";
import { type LogFault, type LogKind, type LogNode, type LogRow, type LogSteps, readSteps } from "./log.js";
import type { TreeNode } from "./tree.js";

/** A conversation of an app's file. */
export interface AppConversation {
  readonly facts?: ConversationFacts;
  /** Messages before the first row, such as instructions. */
  readonly first?: readonly unknown[];
  readonly rows: readonly unknown[];
  /** The id of the last row of the visible branch. Default: the newest. */
  readonly leaf?: string | undefined;
  /** True if each row names the previous one. A missing one then stays unknown. */
  readonly isTree?: boolean;
  /** Fields next to the rows that aren't read, in words. */
  readonly faults?: readonly string[];
}

/** A row of an app's file as a step of a conversation. */
export interface AppStep extends Partial<Pick<TreeNode, "id" | "timeMs" | "isSaid" | "compaction">> {
  /** The id of the previous row, or null for a first one. Default: the previous row in the file. */
  readonly parent?: string | null | undefined;
  /** The messages. */
  readonly messages: readonly unknown[];
  /** Parts of it that aren't read, in words. */
  readonly faults?: readonly string[];
}

/** The reader of a kind of file. */
export interface KindReader {
  readonly kind: KnownKind;
  /** Returns the conversations in a value of the kind. */
  open?(value: Row): readonly AppConversation[];
  /** Returns the conversations in a text. */
  openText?(text: string): readonly AppConversation[];
  /** Returns the conversation of the rows of a log, if they aren't its messages in order. */
  openLog?(rows: readonly Row[]): Omit<AppConversation, "faults"> & { readonly faults?: readonly LogFault[] };
  /**
   * Returns a function that reads the rows one by one. `rows` has all of them, because later ones may contain names.
   */
  rowReader(rows: readonly Row[]): (row: Row) => AppStep;
  /** Sorts rows by time, if the file may be in another order. */
  sorted?(rows: readonly LogRow[]): readonly LogRow[];
}

const readers = new Map<KnownKind, KindReader>();

/** Registers the readers of kinds. */
export function provideReaders(given: readonly KindReader[]): void {
  for (const reader of given) {
    readers.set(reader.kind, reader);
  }
}

/** Returns the kind of a file that couldn't be read in full, from its text. Undefined if it isn't known. */
export function failedKindOf(text: string): FailedKind | undefined {
  const kind = kindOfFile(text);
  return kind === undefined
    ? undefined
    : {
        name: kind.name,
        isThere: readers.has(kind),
        ...(READ_KINDS.includes(kind) && { isRead: true }),
        ...(kind.next !== undefined && { next: kind.next }),
      };
}

/** A file of another app whose reader is loaded. */
export const appFile: FileKind = {
  name: "file of another app",
  fits: (value) => isRecord(value) && readerOf(value) !== undefined,

  read(value, row, file) {
    const reader = readerOf(value);
    for (const conversation of reader?.open?.(value) ?? []) {
      readConversation(reader as KindReader, conversation, file.begin(conversation.facts ?? {}, row));
    }
  },
};

function readerOf(value: Row): KindReader | undefined {
  for (const [{ file }, reader] of readers) {
    if (reader.open !== undefined && file?.(value) === true) {
      return reader;
    }
  }
  return undefined;
}

/** Reads a text that isn't JSON. Returns false if no loaded reader reads it. */
export function readAppText(text: string, file: OpenFile): boolean {
  const kind = kindOfText(text);
  const reader = kind === undefined ? undefined : readers.get(kind);
  if (reader?.openText === undefined) {
    return false;
  }
  for (const conversation of reader.openText(text)) {
    readConversation(reader, conversation, file.begin(conversation.facts ?? {}, undefined));
  }
  return true;
}

/** Returns the kinds with one message per row whose readers are loaded. */
export function appLogs(): readonly LogKind[] {
  return [...readers].flatMap(([{ name, row }, reader]) =>
    row === undefined ? [] : [{ name, fits: row, stepsOf: (rows) => stepsOfLog(reader, rows, row) }],
  );
}

function readConversation(
  reader: KindReader,
  { first = [], rows, leaf, isTree = false, faults = [] }: AppConversation,
  into: OpenConversation,
): void {
  for (const message of first) {
    into.take(message, 0);
  }
  for (const fault of faults) {
    into.skip(fault);
  }
  const records: LogRow[] = [];
  for (const [at, value] of rows.entries()) {
    if (isRecord(value)) {
      records.push({ value, at });
    } else {
      into.take(value, at);
    }
  }
  readSteps({ ...stepsOf(reader, records), leaf, isTree }, into);
}

/** Returns the steps of a log. A row rejected by `isOwn` is read as a message of any format, after the others. */
function stepsOfLog(reader: KindReader, rows: readonly LogRow[], isOwn: (row: Row) => boolean): LogSteps {
  const own = rows.filter(({ value }) => isOwn(value));
  const opened = reader.openLog?.(own.map(({ value }) => value));
  if (opened === undefined) {
    return stepsOf(reader, rows, isOwn);
  }
  const records = opened.rows.flatMap((value, at): LogRow[] => (isRecord(value) ? [{ value, at }] : []));
  const steps = stepsOf(reader, records);
  const all = [...steps.nodes];
  for (const { value, at } of rows.filter((row) => !own.includes(row))) {
    const parent = all.at(-1)?.id;
    all.push({ id: `#${at + 1}/other`, at, parent, timeMs: undefined, messages: [value], compaction: undefined });
  }
  const faults = (opened.faults ?? []).map((fault) => ({ ...fault, at: own[fault.at]?.at ?? 0 }));
  return { ...steps, nodes: all, facts: { ...opened.facts }, faults: [...faults, ...(steps.faults ?? [])] };
}

/** Returns the steps of rows. A row rejected by `isOwn` is read as a message of any format. */
function stepsOf(reader: KindReader, rows: readonly LogRow[], isOwn: (row: Row) => boolean = () => true): LogSteps {
  const own = rows.filter(({ value }) => isOwn(value));
  const readRow = reader.rowReader(own.map(({ value }) => value));
  const faults: { at: number; reason: string }[] = [];
  let before: string | undefined;
  const nodes = (reader.sorted?.(rows) ?? rows).map(({ value, at }): LogNode => {
    const step: AppStep = isOwn(value) ? readRow(value) : { messages: [value] };
    const { faults: own = [], isSaid = true } = step;
    const unread = own.length > 0 || !isSaid || step.messages.length > 0 ? undefined : unreadWordsIn(value);
    for (const reason of unread === undefined ? own : [unread]) {
      faults.push({ at, reason });
    }
    const id = step.id ?? `#${at + 1}`;
    const parent = step.parent === undefined ? before : (step.parent ?? undefined);
    before = id;
    const { timeMs, compaction, messages } = step;
    return { id, at, parent, timeMs, messages, isSaid, compaction };
  });
  return { nodes, faults };
}
