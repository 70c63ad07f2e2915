// Sample data for the cases, and helpers that read results.

import type {
  AppendResult,
  Entry,
  JsonValue,
  LogHead,
  LogName,
  NewEntry,
  ReadRange,
  SessionInfo,
  TranscriptStore,
} from "../contract.js";
import { Mismatch, same, show } from "./checks.js";

// ---- Sample entries ----

export const KEY = "web:main";
export const LOGS: readonly LogName[] = ["transcript", "builds"];

/**
 * Texts that a store may confuse with each other, with its own separators, or with properties that every object has.
 */
export const ODD_TEXTS: readonly string[] = [
  "",
  "a",
  "A",
  " a",
  "a ",
  "a\0",
  "\0a",
  "\0",
  "a\0b",
  "a/",
  "/a",
  "a|",
  "|a",
  "a:",
  ":a",
  "a,b",
  'a"b',
  "a'b",
  "a\\b",
  "a%",
  "a_",
  "%",
  "*",
  "a\nb",
  "á",
  "a\u0301",
  "\u0430",
  "ａ",
  "ß",
  "ss",
  "İ",
  "i",
  "\ufeffa",
  "a\u200b",
  "\ud800",
  "\udc00",
  "\ud801",
  "\ufffd",
  "\udc00\ud800",
  "😀",
  "1",
  "01",
  "1.0",
  "null",
  "undefined",
  "true",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "transcript",
  "builds",
  "[object Object]",
  "../a",
  `${"k".repeat(60_000)}a`,
  `${"k".repeat(60_000)}b`,
];

export const ODD_DATA: readonly JsonValue[] = [
  null,
  true,
  false,
  0,
  1,
  -1.5,
  0.1,
  1e308,
  5e-324,
  Number.MAX_SAFE_INTEGER,
  2 ** 64,
  -(2 ** 31),
  "",
  "\0",
  "a\0b",
  "\ud800",
  "a\udc00b",
  "\ufeffa\ufffe\uffff",
  "\u2028\u2029\u007f\u0000\u001f",
  "👩‍👩‍👧",
  '"\\/\b\f\n\r\t',
  "null",
  "2024-01-01T00:00:00.000Z",
  [],
  {},
  [[], [[]], {}],
  { "": "", " ": 0, "a.b": 1, "a\0": 2, "\ud800": 3 },
  { a: undefined, b: 1 },
  JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}, "toString": 1}'),
  { toJSON: "a", length: 3, type: "other", seq: 9, data: null, id: "x" },
  { 3: "c", 1: "a", 2: "b" },
  Array.from({ length: 2000 }, (_, index) => index),
  Array.from({ length: 500 }).reduce<JsonValue>((inner, _, index) => (index % 2 === 0 ? [inner] : { inner }), "deep"),
];

/** An object that throws when read, so no store can keep it. */
export const unreadable: object = {
  get length(): number {
    throw new Error("This cannot be read.");
  },
  get buffer(): ArrayBuffer {
    throw new Error("This cannot be read.");
  },
};

export function messages(...texts: readonly string[]): NewEntry[] {
  return texts.map((data) => ({ type: "message", data }));
}

export function summary(data: string): NewEntry {
  return { type: "summary", data };
}

export function build(data: string): NewEntry {
  return { type: "build", data };
}

export function appended(firstSeq: number, lastSeq: number): AppendResult {
  return { firstSeq, lastSeq, isRepeated: false };
}

export function bytes(...values: readonly number[]): Uint8Array {
  return Uint8Array.from(values);
}

export function upTo(count: number): number[] {
  return Array.from({ length: Math.max(count, 0) }, (_, index) => index + 1);
}

// ---- Results ----

export async function entriesOf(store: TranscriptStore, key: string, range?: ReadRange): Promise<readonly Entry[]> {
  return (await store.read(key, range)).entries;
}

export async function textsOf(store: TranscriptStore, key: string, range?: ReadRange): Promise<JsonValue[]> {
  return (await entriesOf(store, key, range)).map(({ data }) => data);
}

export async function seqsOf(store: TranscriptStore, key: string): Promise<number[]> {
  return (await entriesOf(store, key)).map(({ seq }) => seq);
}

export async function infoOf(store: Pick<TranscriptStore, "read">, key: string): Promise<SessionInfo> {
  const { info } = await store.read(key, { limit: 0 });
  if (info === undefined) {
    throw new Mismatch(`the session ${show(key)} was expected, found none`);
  }
  return info;
}

export function bytesOf(values: ReadonlyMap<string, Uint8Array>): [string, number[]][] {
  return [...values].map(([name, value]): [string, number[]] => [name, [...value]]).sort();
}

export function headWith(fields: Partial<LogHead>): LogHead {
  return { lastSeq: 0, lastMessageSeq: 0, counts: {}, pinnedCount: 0, untimedCount: 0, removals: 0, ...fields };
}

/** Compares heads. A count of 0 equals a missing one. */
export function sameHead(found: LogHead, expected: LogHead, what = "the head of the log"): void {
  const plain = (head: LogHead): unknown => ({
    ...head,
    counts: Object.fromEntries(Object.entries(head.counts).filter(([, count]) => count !== 0)),
  });
  same(plain(found), plain(expected), what);
}

// ---- Random numbers ----

export interface Random {
  /** Returns an integer from 0, below a limit. */
  below(limit: number): number;
  chance(share: number): boolean;
  pick<T>(values: readonly T[]): T;
}

/** Returns a pseudorandom generator: the same seed yields the same numbers. */
export function randomOf(seed: number): Random {
  let state = (seed * 0x9e3779b9) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (share) => next() < share,
    pick: <T>(values: readonly T[]) => values[below(values.length)] as T,
  };
}
