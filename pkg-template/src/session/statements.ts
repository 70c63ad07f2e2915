// The lasting statements of a session's user, and those that the user wants forgotten. Rows of the type `forgotten`
// record the forgotten ones.

import { ContextError } from "../base/errors.js";
import type { ForgottenSentence } from "../base/generated.js";
import { describe, type OptionRules } from "../base/options.js";
import { isRecord } from "../base/plain-data.js";
import { type Statement, type StatementOptions, sentencesIn, USER_NAME } from "../context/statements.js";
import { Transcript } from "../context/transcript.js";
import { call } from "../engine/engine.js";
import type { AnyMessage } from "../formats/any-message.js";
import type { ParsedMessage } from "../message/read.js";
import { timeMsOf } from "../message/times.js";
import type { Entry, EntryType, NewEntry } from "../stores/contract.js";

const KIND = "session_error";

/** The type of the rows that record forgotten sentences. */
export const FORGOTTEN_TYPES: readonly EntryType[] = ["forgotten"];

/** A statement in a session. */
export interface SessionStatement<M> extends Statement<M> {
  /** The key of the session. */
  readonly sessionKey: string;
  /** The sequence number of its message. */
  readonly seq: number;
  /** The time of its message, in ISO 8601. */
  readonly createdAt: string | undefined;
  /** The sequence number of the message with a newer statement on the same subject, which replaces this one. */
  readonly replacedBy?: number;
}

/** Selects the statements of a session to list. */
export interface SessionStatementOptions extends StatementOptions {
  /** True to list forgotten statements instead of remembered ones. */
  readonly forgotten?: boolean;
}

export const SESSION_STATEMENTS: OptionRules<keyof SessionStatementOptions> = {
  name: USER_NAME,
  forgotten: ["true or false", (value) => typeof value === "boolean"],
};

/** The forgotten sentences, each with the ids of its messages. Undefined for all messages with the sentence. */
export type ForgottenSentences = ReadonlyMap<string, readonly string[] | undefined>;

/** Reads the rows that forget sentences or remember them again. */
export function forgottenIn(entries: readonly Entry[]): ForgottenSentences {
  const forgotten = new Map<string, readonly string[] | undefined>();
  for (const { data } of entries) {
    const row = typeof data === "string" ? JSON.parse(data) : data;
    const { sentence, messageIds, isRemembered } = (isRecord(row) ? row : {}) as Readonly<Record<string, unknown>>;
    if (typeof sentence !== "string" || sentence.trim() === "") {
      continue; // written by other software
    }
    if (isRemembered === true) {
      forgotten.delete(sentence);
      continue;
    }
    const ids = Array.isArray(messageIds) ? messageIds.filter((id) => typeof id === "string") : undefined;
    const known = forgotten.get(sentence);
    const isOfAll = ids === undefined || (forgotten.has(sentence) && known === undefined);
    forgotten.set(sentence, isOfAll ? undefined : [...new Set([...(known ?? []), ...ids])]);
  }
  return forgotten;
}

/** Returns the option `filter.forgotten` of builds. */
export function forgottenOption(forgotten: ForgottenSentences): readonly ForgottenSentence[] {
  return [...forgotten].map(([sentence, messageIds]) => ({
    sentence,
    ...(messageIds && { messageIds: [...messageIds] }),
  }));
}

/** Returns the row that forgets a sentence of messages, or remembers it again. */
function forgottenEntry(sentence: string, said: readonly { readonly messageId: string | undefined }[]): NewEntry {
  const ids = said.map(({ messageId }) => messageId);
  // A message without an id is named by its place, which changes in a fork or an import.
  const isNamed = ids.every((id) => id !== undefined && !id.startsWith("#"));
  return {
    type: "forgotten",
    data: { type: "forgotten", sentence, ...(isNamed && { messageIds: ids as string[] }) },
  };
}

function isForgotten({ sentence, messageId }: Statement<unknown>, forgotten: ForgottenSentences): boolean {
  const ids = forgotten.get(sentence);
  return forgotten.has(sentence) && (ids === undefined || (messageId !== undefined && ids.includes(messageId)));
}

/** A session's messages with lasting statements. */
export interface LastingLog {
  readonly sessionKey: string;
  /** Their sequence numbers, each with that of the message that replaces it. */
  readonly lasting: readonly (readonly [seq: number, replacedBy: number | null])[];
  /** The messages, by sequence number. Undefined if an entry isn't readable. */
  readonly messages: readonly (readonly [seq: number, parsed: ParsedMessage | undefined])[];
  readonly forgotten: ForgottenSentences;
}

/** Returns all statements of a session, and marks the forgotten ones. */
export function statementsOf<M extends AnyMessage>(
  { sessionKey, lasting, messages, forgotten }: LastingLog,
  nowMs: number,
): { readonly remembered: readonly SessionStatement<M>[]; readonly forgotten: readonly SessionStatement<M>[] } {
  const transcript = new Transcript<M>();
  const parsedOf = new Map(messages);
  const all: SessionStatement<M>[] = [];
  try {
    const there = lasting.flatMap(([seq, replacedBy]) => {
      const parsed = parsedOf.get(seq);
      const sessionId = parsed?.message.sessionId;
      const isOwn = parsed !== undefined && (sessionId === undefined || sessionId === sessionKey);
      return isOwn ? [{ seq, replacedBy, parsed }] : [];
    });
    transcript.appendParsed(there.map(({ parsed }) => parsed));
    const { core } = transcript.source();
    for (const [row, { seq, replacedBy, parsed }] of there.entries()) {
      if (call(KIND, () => core.isGone(row, nowMs))) {
        continue;
      }
      const { id, createdAt } = parsed.message;
      for (const said of sentencesIn(core, row, KIND)) {
        const message = parsed.given as M;
        const statement = { ...said, message, messageId: id as string | undefined, sessionKey, seq };
        const timeMs = timeMsOf(createdAt);
        const time = timeMs === undefined ? undefined : new Date(timeMs).toISOString();
        all.push({ ...statement, createdAt: time, ...(replacedBy === null ? {} : { replacedBy }) });
      }
    }
  } finally {
    transcript.free();
  }
  // A later sentence with the same words replaces the earlier ones.
  const newest = new Map(all.map(({ sentence, seq }) => [sentence, seq]));
  const listed = all.map((statement): SessionStatement<M> => {
    const seq = newest.get(statement.sentence) as number;
    return seq > statement.seq && statement.replacedBy === undefined ? { ...statement, replacedBy: seq } : statement;
  });
  const isIt = (statement: SessionStatement<M>): boolean => isForgotten(statement, forgotten);
  return { remembered: listed.filter((it) => !isIt(it)), forgotten: listed.filter(isIt) };
}

/** Returns the rows that forget a statement: its sentence, and the earlier statements that it replaced. */
export function forgettingEntries<M>(
  { sentence, seq }: SessionStatement<M>,
  all: readonly SessionStatement<M>[],
): readonly NewEntry[] {
  const gone = all.filter((it) => it.sentence === sentence || it.replacedBy === seq);
  const sentences = [...new Set(gone.map((it) => it.sentence))];
  return sentences.map((own) =>
    forgottenEntry(
      own,
      gone.filter((it) => it.sentence === own),
    ),
  );
}

/** Returns the row that remembers a sentence again. */
export function rememberingEntry({ sentence }: SessionStatement<unknown>): NewEntry {
  return { type: "forgotten", data: { type: "forgotten", sentence, isRemembered: true } };
}

/** Returns the statement in a list that the caller means. Fails with `INVALID_SESSION` if it isn't there. */
export function meantStatement<M>(
  statement: unknown,
  listed: readonly SessionStatement<M>[],
  list: string,
): SessionStatement<M> {
  const { sentence, seq, sessionKey } = (isRecord(statement) ? statement : {}) as Partial<SessionStatement<M>>;
  const found = listed.find((it) => it.sentence === sentence && it.seq === seq && it.sessionKey === sessionKey);
  if (found === undefined) {
    const what = typeof sentence === "string" ? describe(sentence) : describe(statement);
    throw new ContextError({
      kind: KIND,
      code: "INVALID_SESSION",
      path: "statement",
      message: `statement: ${what} is not among the statements of this session`,
      nextAction: `Pass one that ${list} returns.`,
    });
  }
  return found;
}
