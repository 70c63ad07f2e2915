// Settings with which a provider itself clears or compacts parts of a prompt.

import { isRecord } from "../base/plain-data.js";

/** The settings of a provider's `context_management`: Anthropic's are `{ edits }`, OpenAI's a list. They are passed on unchanged. */
export type ContextManagement = Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[];

/** True if a value can be the settings of a `context_management`. */
export const isContextManagement = (value: unknown): value is ContextManagement =>
  Array.isArray(value) ? value.every(isRecord) : isRecord(value);
