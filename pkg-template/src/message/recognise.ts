// Recognizes the format of a message. Other packages' formats are a separate part of the package, which a page fetches
// only if its messages need it.

import { ContextError, type ErrorKind } from "../base/errors.js";
import { ROLES } from "../base/generated.js";
import { listFrom } from "../base/lists.js";
import { describe } from "../base/options.js";
import { Part } from "../base/parts.js";
import { nearest } from "../engine/nearest.js";
import { formOf } from "./dialect.js";
import { type MessageFormat, recordOf, type UnknownRecord } from "./format.js";

/** The modules of the shapes, in the order of their tests on a message. */
export const shapes: Part<readonly MessageFormat[]> = new Part(
  "windrow/shapes",
  "a message of another package's shape",
);

/** The name of a shape of messages for the option `shape`: one of `messageShapes`. */
export type ShapeName = string;

/** Returns the name of a shape that the caller passed. Fails with `INVALID_CONFIG` for an unknown name. */
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
    message: `shape: unknown shape ${describe(name)}${near === undefined ? "" : `; did you mean ${near}?`}`,
    path: "shape",
    nextAction: `Pass one of ${names.join(", ")}, or leave it out: windrow recognizes messages by their contents.`,
  });
}

const OWN_ROLES: ReadonlySet<unknown> = new Set(ROLES);

let own: MessageFormat | undefined;

/**
 * Fields of messages in other formats. A message with a role, none of these fields and no part unknown to the dialects
 * needs no other format: it is in windrow's own form, or one of OpenAI's chat, Anthropic's or the AI SDK's
 * `ModelMessage`. Of all these, only some replies have a type.
 */
let foreignFields: ReadonlySet<string> = new Set();

/** Sets the format of messages with `role` and `content`, which applies if no other does, and the signs of the others. */
export function provideOwnFormat(format: MessageFormat, signs: readonly string[]): void {
  own = format;
  foreignFields = new Set(signs);
}

let nameOf: ((value: unknown) => string | undefined) | undefined;

/** Sets the function that names a value that no format reads. */
export function provideNames(look: (value: unknown) => string | undefined): void {
  nameOf = look;
}

/** Returns the name of a value that no format reads, with its article. Undefined if it isn't known. */
export function unreadName(value: unknown): string | undefined {
  const name = nameOf?.(value);
  return name === undefined ? undefined : withArticle(name);
}

/** Returns a kind's name with its article. */
export function withArticle(name: string): string {
  return `${/^(?:[aeiou]|MCP|LM )/i.test(name) ? "an" : "a"} ${name}`;
}

/** Returns the format of messages with `role` and `content`. */
export function ownFormat(): MessageFormat {
  return own as MessageFormat;
}

/**
 * Returns the format of a message, or the named one. Fails with `PART_NOT_LOADED` if the format may be another
 * package's and these aren't loaded.
 */
export function formatOf(message: UnknownRecord, name?: string): MessageFormat {
  const isNamed = (format: MessageFormat): boolean =>
    name === undefined ? format.fits(message) : format.name === name;
  const other = name !== undefined || isSuspect(message) ? shapes.get().find(isNamed) : undefined;
  return other ?? ownFormat();
}

/** True if a message has anything that isn't in windrow's own form. A quick check. */
function isSuspect(message: UnknownRecord): boolean {
  const { role, content, status } = message;
  const isOfFields = typeof content === "object" && content !== null && !Array.isArray(content);
  if ((role != null && !OWN_ROLES.has(role)) || isOfFields || (typeof status === "object" && status !== null)) {
    return true;
  }
  for (const field in message) {
    if (foreignFields.has(field)) {
      return true;
    }
  }
  return listFrom(content).some((part) => typeof part === "object" && formOf(recordOf(part).type) === undefined);
}
