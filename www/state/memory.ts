// The user's lasting statements in the conversation on the page, and those that are forgotten. A saved conversation keeps them in its
// session, and any other one in the option `filter.forgotten` of the setup.

import { signal } from "@preact/signals";
import {
  type ForgottenSentence,
  type ListedStatement,
  listStatements,
  type MessageInput,
  type Transcript,
} from "windrow";
import { optionOf } from "./setup.js";
import { state } from "./state.js";

export type PageStatement = ListedStatement<MessageInput>;

/** The statements, the oldest first. */
export const statements = signal<readonly PageStatement[]>([]);

export const FORGOTTEN_OPTION = "filter.forgotten";

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
  const forgotten = [...forgottenByOption(), ...(state.source.value?.forgotten ?? [])];
  return forgotten.some(
    (it) => it.sentence === sentence && (it.messageIds == null || it.messageIds.includes(messageId ?? "")),
  );
}

/** Returns the sentences of the setup's option. */
export function forgottenByOption(): readonly ForgottenSentence[] {
  const given = optionOf(state.a.value, FORGOTTEN_OPTION);
  return Array.isArray(given) ? given : [];
}
