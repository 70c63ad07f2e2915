// The kinds of files whose conversations are single values, in the order of their tests. A value of no kind is a row by
// itself.

import { isRecord } from "../base/plain-data.js";
import { aiStudioPrompt } from "./ai-studio.js";
import { chatGptExport } from "./chatgpt.js";
import { claudeExport } from "./claude.js";
import { dialogue } from "./dialogue.js";
import { type FileKind, listIn, type OpenFile, type Row, textIn } from "./file.js";
import { geminiActivity } from "./gemini-activity.js";
import { geminiRequest } from "./gemini-request.js";
import { kindOf as knownKindOf } from "./known.js";
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

/** Returns the entries of a file that is one value: also those of a list that an export of no known kind holds. */
export function entriesOfFile(value: unknown): readonly unknown[] {
  const entries = entriesOf(value);
  const isLeft = entries.length === 1 && entries[0] === value && !isConversation(value);
  return (isLeft ? heldIn(value) : undefined) ?? entries;
}

/** Maximum nesting of the conversations in an export. */
const DEEPEST = 4;

/** Returns the list of conversations in an export. A bare list of messages is one. */
function heldIn(value: unknown): readonly unknown[] | undefined {
  // A message, a response of a model, or a row of a log is named by the readers of messages.
  if (!isRecord(value) || (value.role ?? value.type ?? value.content ?? value.output) !== undefined) {
    return undefined;
  }
  if (knownKindOf(value) !== undefined) {
    return undefined;
  }
  let holders: readonly Row[] = [value];
  for (let depth = 0; depth < DEEPEST && holders.length > 0; depth++) {
    const held = holders.flatMap((holder) => Object.values(holder));
    const lists = held.filter((list) => Array.isArray(list));
    const found = lists.find((list) => list.some(isConversation));
    if (found !== undefined) {
      return found;
    }
    const messages = lists.find((list) => list.some(isMessage));
    if (messages !== undefined) {
      return [{ messages }];
    }
    holders = held.filter(isRecord);
  }
  return undefined;
}

const isMessage = (item: unknown): boolean =>
  isRecord(item) && textIn(item.role) !== undefined && (textIn(item.content) ?? listIn(item.content)[0]) !== undefined;

function kindOf(value: unknown): FileKind | undefined {
  return KINDS.find((kind) => kind.fits(value));
}
