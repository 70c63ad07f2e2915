// A kind of file that another app writes, and what its tests are made of.

import { listFrom } from "../base/lists.js";
import { isRecord } from "../base/plain-data.js";
import type { Row } from "./file.js";

/** A kind of file: its name, and tests that recognize its contents. */
export interface KnownKind {
  readonly name: string;
  /** True if a value is a file of this kind, or an entry of one: one or several conversations. */
  readonly file?: (value: Row) => boolean;
  /** True if a value is a row of such a file: a message. */
  readonly row?: (value: Row) => boolean;
  /** A pattern for the beginning of a text that isn't JSON. */
  readonly text?: RegExp;
  /** The file to pass instead, if it isn't read. */
  readonly next?: string;
}

/** Returns a test for values that have these fields. */
export const hasFields =
  (...fields: readonly string[]): ((value: Row) => boolean) =>
  (value) =>
    fields.every((field) => field in value);

/** True if a list has an object that fits. */
export const anyOf = (list: unknown, fits: (item: Row) => boolean): boolean =>
  listFrom(list).some((item) => isRecord(item) && fits(item));

export const isText = (value: unknown): value is string => typeof value === "string";
