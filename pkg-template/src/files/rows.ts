// Reads rows that are messages or steps of a log: in windrow's form, in any other known format, or in the form of an
// agent's log.

import { isRecord } from "../base/plain-data.js";
import { claudeCodeLog } from "./claude-code.js";
import { codexRollout } from "./codex.js";
import type { OpenConversation } from "./file.js";
import { geminiCliChat } from "./gemini-cli.js";
import { inCamelCase } from "./gemini-request.js";
import { type LogKind, type LogRow, readSteps } from "./log.js";
import { piSession } from "./pi-session.js";
import { appLogs } from "./readers.js";
import { rooHistory } from "./roo.js";
import { messageOfLog, sessionKeyOf } from "./session-log.js";
import { messageOfTurn } from "./turn-log.js";

export const LOGS: readonly LogKind[] = [claudeCodeLog, piSession, codexRollout, geminiCliChat, rooHistory];

/**
 * Returns the kind of log that rows belong to. Undefined if they are messages by themselves. A session log identifies
 * its own rows.
 */
export function logOf(rows: readonly unknown[]): LogKind | undefined {
  const isSessionLog = rows.some((row) => sessionKeyOf(row));
  const kinds = isSessionLog ? [] : [...LOGS, ...appLogs()];
  return kinds.find((kind) => rows.some((row) => isRecord(row) && kind.fits(row)));
}

/** A value of a file, and its index from 0. */
export interface PlacedRow {
  readonly value: unknown;
  readonly at: number;
}

/** Reads rows into a conversation. If they are the log of several sessions, `begin` opens one for each. */
export function readRows(
  rows: readonly PlacedRow[],
  conversation: OpenConversation,
  begin: () => OpenConversation = () => conversation,
): void {
  const kind = logOf(rows.map(({ value }) => value));
  if (kind === undefined) {
    const readRow = rowReader(conversation);
    for (const { value, at } of rows) {
      readRow(value, at);
    }
    return;
  }
  for (const { value, at } of rows) {
    if (!isRecord(value)) {
      conversation.take(value, at);
    }
  }
  const records = rows.filter((row): row is LogRow => isRecord(row.value));
  for (const [number, session] of (kind.sessionsOf?.(records) ?? [records]).entries()) {
    const steps = kind.stepsOf(session);
    const own = number === 0 ? conversation : begin();
    own.facts = { ...steps.facts, ...own.facts };
    readSteps(steps, own);
  }
}

/** Returns a function that reads rows that are messages by themselves, one by one. */
function rowReader(conversation: OpenConversation): (row: unknown, at: number) => void {
  let sessionKey: string | undefined;
  return (row, at) => {
    const header = sessionKeyOf(row);
    if (header !== undefined) {
      sessionKey = header;
      return;
    }
    try {
      conversation.take(messageOfTurn(row) ?? inCamelCase(messageOfLog(row, sessionKey)), at);
    } catch (failure) {
      conversation.skip(failure, at); // nested too deeply, for example
    }
  };
}
