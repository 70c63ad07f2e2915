// Which format a message has. The formats of other packages are a part of the package that a page fetches only if its messages need it.

import { ContextError, type ErrorKind } from "../base/errors.js";
import { ROLES } from "../base/generated.js";
import { listFrom } from "../base/lists.js";
import { describe } from "../base/options.js";
import { Part } from "../base/parts.js";
import { nearest } from "../engine/nearest.js";
import { formOf } from "./dialect.js";
import { type MessageFormat, recordOf, type UnknownRecord } from "./format.js";

/** The modules of the shapes, in the order in which a message is held against them. */
export const shapes: Part<readonly MessageFormat[]> = new Part(
  "windrow/shapes",
  "a message of another package's shape",
);

/** What the option `shape` calls a shape of messages: one of `messageShapes`. */
export type ShapeName = string;

/** The name of a shape as a caller gives it. Fails with `INVALID_CONFIG` where there is none of that name. */
export function shapeNameOf(name: unknown, kind: ErrorKind): ShapeName | undefined {
  if (name == null) {
    return undefined;
  }
  const names = shapes.get().map((shape) => shape.name);
  if (names.includes(name as ShapeName)) {
    return name as ShapeName;
  }
  const near = typeof name === "string" ? nearest(name, names, kind) : undefined;
  throw new ContextError({
    kind,
    code: "INVALID_CONFIG",
    message: `shape: there is no shape ${describe(name)}${near === undefined ? "" : `; did you mean ${near}?`}`,
    path: "shape",
    nextAction: `Pass one of ${names.join(", ")}, or leave it out: windrow recognizes messages by their contents.`,
  });
}

/**
 * Fields that a message of another shape has. One with none of them, and no role and no part that the dialects don't know, is in
 * windrow's own form, or one of OpenAI's chat messages, Anthropic's or the AI SDK's `ModelMessage`: of these, only the answers of some have a type.
 */
const FOREIGN_FIELDS: ReadonlySet<string> = new Set([
  ...[
    "parts",
    "type",
    "providerData",
    "lc_kwargs",
    "toolInvocations",
    "experimental_attachments",
    "attachments",
    "timestamp",
    "stopReason",
  ],
]);
const OWN_ROLES: ReadonlySet<unknown> = new Set(ROLES);

let own: MessageFormat | undefined;

/** Sets the format of messages that have a role and a content: the one that a message has if it has no other. */
export function provideOwnFormat(format: MessageFormat): void {
  own = format;
}

let nameOf: ((value: unknown) => string | undefined) | undefined;

/** Sets what names a value that no format reads. */
export function provideNames(look: (value: unknown) => string | undefined): void {
  nameOf = look;
}

/** Returns the name of a value that no format reads, with its article; undefined if it isn't known. */
export function unreadName(value: unknown): string | undefined {
  const name = nameOf?.(value);
  return name === undefined ? undefined : withArticle(name);
}

/** Returns the name of a kind with its article. */
export function withArticle(name: string): string {
  return `${/^(?:[AEIOU]|MCP|LM |opencode)/.test(name) ? "an" : "a"} ${name}`;
}

/** The format of messages that have a role and a content. */
export function ownFormat(): MessageFormat {
  return own as MessageFormat;
}

/**
 * Returns the format of a message, or the one that is named. Fails with `PART_NOT_LOADED` if it may be another package's, and these
 * aren't loaded.
 */
export function formatOf(message: UnknownRecord, name?: string): MessageFormat {
  const isNamed = (format: MessageFormat): boolean =>
    name === undefined ? format.fits(message) : format.name === name;
  const other = name !== undefined || isSuspect(message) ? shapes.get().find(isNamed) : undefined;
  return other ?? ownFormat();
}

/** Whether a message has anything that is not in windrow's own form: a look that costs little. */
function isSuspect(message: UnknownRecord): boolean {
  const { role, content, status } = message;
  const isOfFields = typeof content === "object" && content !== null && !Array.isArray(content);
  if ((role != null && !OWN_ROLES.has(role)) || isOfFields || (typeof status === "object" && status !== null)) {
    return true;
  }
  for (const field in message) {
    if (FOREIGN_FIELDS.has(field)) {
      return true;
    }
  }
  return listFrom(content).some((part) => typeof part === "object" && formOf(recordOf(part).type) === undefined);
}
