// The kinds of files whose conversations are single values, in the order of their tests. A value of no kind is a row by
// itself.

import { isRecord } from "../base/plain-data.js";
import { aiStudioPrompt } from "./ai-studio.js";
import { chatGptExport } from "./chatgpt.js";
import { claudeExport } from "./claude.js";
import { dialogue } from "./dialogue.js";
import type { FileKind, OpenFile, Row } from "./file.js";
import { geminiActivity } from "./gemini-activity.js";
import { geminiRequest } from "./gemini-request.js";
import { appFile } from "./readers.js";
import { shareGptDialogue } from "./sharegpt.js";

export const KINDS: readonly FileKind[] = [
  appFile,
  dialogue,
  chatGptExport,
  claudeExport,
  aiStudioPrompt,
  geminiRequest,
  shareGptDialogue,
  geminiActivity,
];

/** True if a value is one or several conversations by itself. */
export function isConversation(value: unknown): boolean {
  return kindOf(value) !== undefined;
}

/** Reads a value that is a conversation. `row` is its number. Undefined if it is the whole file. */
export function readConversation(value: unknown, row: number | undefined, file: OpenFile): void {
  try {
    kindOf(value)?.read(value as Row, row, file);
  } catch (failure) {
    file.skip(row ?? 1, failure); // nested too deeply, for example
  }
}

/** Returns the entries of a file's value or of a line: those of a list, or of a list `conversations` in an export. */
export function entriesOf(value: unknown): readonly unknown[] {
  if (isConversation(value)) {
    return [value];
  }
  const inner = isRecord(value) ? value.conversations : value;
  return Array.isArray(inner) && (inner === value || inner.some(isConversation)) ? inner : [value];
}

function kindOf(value: unknown): FileKind | undefined {
  return KINDS.find((kind) => kind.fits(value));
}
