// The user's lasting statements in the conversation on the page, and those that are forgotten. A saved conversation
// keeps them in its session. The address never contains them, because people share links.

import { signal } from "@preact/signals";
import {
  type ForgottenSentence,
  type ListedStatement,
  listStatements,
  type MessageInput,
  type Transcript,
} from "windrow";
import { state } from "./state.js";

export type PageStatement = ListedStatement<MessageInput>;

/** The statements, the oldest first. */
export const statements = signal<readonly PageStatement[]>([]);

/** Lists the statements of the conversation on the page. */
export async function listAll(transcript: Transcript): Promise<void> {
  const { source } = state;
  const asked = source.value;
  const listed = await listStatements(transcript).catch(() => []);
  if (source.value === asked) {
    statements.value = listed;
  }
}

/** True if a statement is forgotten. */
export function isForgotten({ sentence, messageId }: PageStatement): boolean {
  return forgottenOnPage().some(
    (it) => it.sentence === sentence && (it.messageIds == null || it.messageIds.includes(messageId ?? "")),
  );
}

/**
 * Returns the forgotten sentences: those of a saved conversation, and those that the page forgets until it is closed.
 */
export function forgottenOnPage(): readonly ForgottenSentence[] {
  return [...(state.source.value?.forgotten ?? []), ...state.forgotten.value];
}
