// Logs that agents write as they run. A row is a step of a conversation, or invalidates earlier steps. Each kind of log
// turns its rows into nodes, and one function walks them all.

import type { OpenConversation, Row } from "./file.js";
import { branchOf, shownOf, type TreeNode } from "./tree.js";
import { textsOfTurn } from "./turn-log.js";

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
  /** Parts of rows that aren't read: the index of a row from 0, and the reason in words. */
  readonly faults?: readonly { readonly at: number; readonly reason: string }[];
}

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
  for (const { at, reason } of faults) {
    conversation.skip(reason, at);
  }
  for (const { messages, at } of shownOf(complete?.(branch) ?? branch)) {
    for (const message of messages) {
      const texts = conversation.take(message, at) ? undefined : textsOfTurn(message as Row);
      if (texts !== undefined) {
        conversation.take(texts, at);
      }
    }
  }
}
