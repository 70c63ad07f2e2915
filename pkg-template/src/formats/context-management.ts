// Settings that make a provider clear or compact parts of a prompt itself.

import { isListOf } from "../base/lists.js";
import { isRecord } from "../base/plain-data.js";

/**
 * The settings of a provider's `context_management`: `{ edits }` for Anthropic, a list for OpenAI. They are passed on
 * unchanged.
 */
export type ContextManagement = Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[];

/** True if a value can be the settings of a `context_management`. */
export const isContextManagement = (value: unknown): value is ContextManagement =>
  isRecord(value) || isListOf(value, isRecord);

/** True if Anthropic shows an instruction message only until the user's next message. */
export const isShownForATime = (message: object): boolean =>
  (message as { readonly clear_at?: unknown }).clear_at === "next_user_message";
