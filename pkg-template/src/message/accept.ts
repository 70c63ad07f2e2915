// Checks which messages an app accepts from someone it doesn't trust.

import { ContextError, type ErrorKind } from "../base/errors.js";
import { ROLES, type Role } from "../base/generated.js";
import { isListOf } from "../base/lists.js";
import type { OptionRule } from "../base/options.js";
import type { ParsedMessage } from "./read.js";
import { ownFormat, shapes } from "./recognise.js";

/**
 * The messages that are accepted. A message is checked in its parsed form, so another package's format can't hide its
 * role.
 */
export interface AcceptedMessages {
  /** Their roles. Default: all. */
  readonly roles?: readonly Role[] | undefined;
  /**
   * Their formats: `windrow` for messages with `role` and `content`, and the names of `messageShapes`. Default: all.
   */
  readonly formats?: readonly string[] | undefined;
}

/** The rule for the option `accept`. */
export const ACCEPT: OptionRule = ["an object with roles, or formats by their names", isAcceptedMessages];

function isAcceptedMessages(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return false;
  }
  const names = (): readonly unknown[] => [ownFormat(), ...shapes.get()].map(({ name }) => name);
  return Object.entries(value).every(([option, list]) => {
    const known = option === "roles" ? ROLES : option === "formats" ? names() : [];
    return list === undefined || (known.length > 0 && isListOf(list, (name) => known.includes(name as never)));
  });
}

/** Fails with `INVALID_TRANSCRIPT` if a message isn't accepted. */
export function checkAccepted(
  { message, format }: ParsedMessage,
  path: string,
  kind: ErrorKind,
  accept: AcceptedMessages | undefined,
): void {
  const { roles, formats } = accept ?? {};
  const refused = (what: string, given: string, accepted: readonly string[]): ContextError =>
    new ContextError({
      kind,
      code: "INVALID_TRANSCRIPT",
      message: `${path}: a message of the ${what} ${given} isn't accepted here`,
      path,
      nextAction: `Send messages of the ${what} ${accepted.join(" or ")}, or change the option accept.`,
    });
  if (roles !== undefined && !roles.includes(message.role)) {
    throw refused("role", message.role, roles);
  }
  if (formats !== undefined && !formats.includes(format.name)) {
    throw refused("format", format.name, formats);
  }
}
