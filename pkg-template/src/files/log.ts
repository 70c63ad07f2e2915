// Logs that agents write as they run. A row is a step of a conversation, or invalidates earlier steps. Each kind of log
// turns its rows into nodes, and one function walks them all.

import { isSpeech, type OpenConversation, type Row, recordIn } from "./file.js";
import { branchOf, shownOf, type TreeNode } from "./tree.js";

/** A row of a log, and its index from 0. */
export interface LogRow {
  readonly value: Row;
  readonly at: number;
}

/** A row as a step of a conversation. */
export interface LogNode extends TreeNode {
  /** The index of its row, from 0. */
  readonly at: number;
  /** The messages. */
  readonly messages: readonly unknown[];
}

/** The steps of a log. */
export interface LogSteps {
  readonly nodes: readonly LogNode[];
  /** The last step. Default: the latest with content. */
  readonly leaf?: string | undefined;
  /** True if a missing parent stays unknown. Otherwise the previous row replaces it. */
  readonly isTree?: boolean;
  /** Returns the steps of the branch plus those that belong to it but aren't on the way to its root. */
  complete?(branch: readonly LogNode[]): readonly LogNode[];
  /** Facts about the conversation. */
  readonly facts?: Row;
  /** Rows and parts of rows that aren't read. */
  readonly faults?: readonly LogFault[];
}

/** Something in a row that isn't read. */
export interface LogFault {
  /** The index of the row, from 0. */
  readonly at: number;
  /** The reason, in words. */
  readonly reason: string;
  /** The message, if all of it is meant. */
  readonly value?: unknown;
}

/** Returns faults for the rows of an unknown type whose `field` looks like a message, a call or a result. */
export function unknownRows(rows: readonly LogRow[], known: ReadonlySet<unknown>, field: string): readonly LogFault[] {
  const isSaid = (value: unknown): boolean =>
    isSpeech(value) || ["arguments", "input", "output", "summary"].some((name) => name in recordIn(value));
  return rows
    .filter(({ value }) => !known.has(value.type) && isSaid(value[field]))
    .map(({ value, at }) => ({
      at,
      reason: `type: a row of ${typeInWords(value.type)} is not read`,
      value: value[field],
    }));
}

/** Returns words for a type that no reader knows. */
export const typeInWords = (type: unknown): string =>
  type === undefined ? "no type" : `the type ${JSON.stringify(type)?.slice(0, LONGEST_TYPE)}`;

/** Maximum length of a type that a report quotes. */
const LONGEST_TYPE = 60;

/** A kind of log. */
export interface LogKind {
  readonly name: string;
  /** True if only this kind of log has such a row. */
  fits(row: Row): boolean;
  stepsOf(rows: readonly LogRow[]): LogSteps;
  /**
   * Groups rows by session, if a file may have several. Sessions that continue each other are one. Default: all rows
   * are one session.
   */
  sessionsOf?(rows: readonly LogRow[]): readonly (readonly LogRow[])[];
}

/** Reads the steps of a log into a conversation. */
export function readSteps(
  { nodes, leaf, isTree = false, complete, faults = [] }: LogSteps,
  conversation: OpenConversation,
): void {
  const { nodes: branch, faults: faultsOfTree } = branchOf(nodes, leaf, { isLog: !isTree });
  for (const fault of faultsOfTree) {
    conversation.skip(fault);
  }
  for (const { at, reason, value } of faults) {
    conversation.skip(reason, at, value);
  }
  for (const { messages, at } of shownOf(complete?.(branch) ?? branch)) {
    for (const message of messages) {
      conversation.take(message, at);
    }
  }
}
