// Rules for the arguments of store methods, the same for every store and for sessions: ranges of a log, and options of
// appends.

import { ContextError } from "../base/errors.js";
import { isListOf } from "../base/lists.js";
import { faultIn, faultOf, type OptionFault, type OptionRule, type OptionRules } from "../base/options.js";
import type { AppendOptions, EntryType, LogName, ReadRange, RemoveOptions, TrimOptions } from "./contract.js";

/** The types of entries. */
export const TYPES: readonly EntryType[] = [
  "session",
  "message",
  "summary",
  "failure",
  "build",
  "left",
  "forgotten",
  "other",
];
const LOGS: readonly LogName[] = ["transcript", "builds"];

const isWhole = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;

const listed = (names: readonly string[]): string => `a list of ${names.join(", ")}`;

const COUNT: OptionRule = ["an integer from 0", isWhole];
/** Places after the last entry are valid; they are empty. */
export const PLACE: OptionRule = [
  "a sequence number from 0",
  (value) => isWhole(value) || value === Number.POSITIVE_INFINITY,
];
const PLACES: OptionRule = ["a list of sequence numbers from 0", (value) => isListOf(value, isWhole)];
const LOG: OptionRule = ['"transcript" or "builds"', (value) => LOGS.includes(value as LogName)];
const TEXTS: OptionRule = ["a list of texts", (value) => isListOf(value, (text) => typeof text === "string")];

export const LIMIT: OptionRule = ["an integer from 0", (value) => isWhole(value) || value === Number.POSITIVE_INFINITY];
export const ORDER: OptionRule = [
  '"ascending" or "descending"',
  (value) => value === "ascending" || value === "descending",
];

/** The options of a range. */
export const RANGE: OptionRules<keyof ReadRange> = {
  log: LOG,
  after: PLACE,
  before: PLACE,
  limit: LIMIT,
  order: ORDER,
  types: [/* @__PURE__ */ listed(TYPES), (value) => isListOf(value, (type) => TYPES.includes(type as EntryType))],
  pinned: ["true", (value) => value === true],
  seqs: PLACES,
};

const EXPECTED_ID: OptionRule = ["a text", (value) => typeof value === "string"];
const APPEND: OptionRules<keyof AppendOptions> = {
  expectedId: EXPECTED_ID,
  log: LOG,
  operationId: ["a text", (value) => typeof value === "string"],
  givesUpEntries: ["true or false", (value) => typeof value === "boolean"],
  expectedSeq: COUNT,
  replacesSeq: COUNT,
  rewrites: [
    "entries with their sequence numbers, and the newest message after it",
    (value) => {
      const { entries, lastMessageSeq } = (value ?? {}) as {
        readonly entries?: unknown;
        readonly lastMessageSeq?: unknown;
      };
      const isRewritten = (entry: unknown): boolean => isWhole((entry as { readonly seq?: unknown } | null)?.seq);
      return isWhole(lastMessageSeq) && isListOf(entries, isRewritten);
    },
  ],
};
const TRIM: OptionRules<keyof TrimOptions> = { expectedId: EXPECTED_ID, log: LOG, keepSeqs: PLACES };
const REMOVE: OptionRules<keyof RemoveOptions> = { expectedId: EXPECTED_ID, expectedSeq: COUNT };
const SESSIONS: OptionRules = { keys: TEXTS };

/**
 * Fails with `INVALID_SESSION` if a store's method gets invalid arguments. Checks everything except keys and entries.
 */
export function checkAsked(method: string, given: readonly unknown[]): void {
  const options = (at: number, rules: OptionRules): void => {
    if (given[at] !== undefined) {
      refuse(faultIn(given[at], rules));
    }
  };
  if (method === "read") {
    options(1, RANGE);
  } else if (method === "append") {
    options(2, APPEND);
  } else if (method === "sessions") {
    options(0, SESSIONS);
  } else if (method === "trim") {
    refuse(faultOf("beforeSeq", given[1], PLACE));
    options(2, TRIM);
  } else if (method === "remove") {
    options(1, REMOVE);
  }
}

function refuse(fault: OptionFault | undefined): void {
  if (fault !== undefined) {
    throw new ContextError({ kind: "store_error", code: "INVALID_SESSION", ...fault });
  }
}
