// Rows that are a message each: in windrow's form or in any other that is read, and the rows of logs.

import type { OpenConversation } from "./file.js";
import { messageOfLog, sessionKeyOf } from "./session-log.js";
import { messageOfTurn, textsOfTurn } from "./turn-log.js";

/** What reads rows into a conversation, one after the other, each with its place from 0. It is opened for the first that is no header. */
export function rowReader(open: () => OpenConversation): (row: unknown, at: number) => void {
  let sessionKey: string | undefined;
  return (row, at) => {
    const header = sessionKeyOf(row);
    if (header !== undefined) {
      sessionKey = header;
      return;
    }
    const conversation = open();
    try {
      const turn = messageOfTurn(row);
      const isTaken = conversation.take(turn ?? messageOfLog(row, sessionKey), at);
      const texts = turn === undefined || isTaken ? undefined : textsOfTurn(turn);
      if (texts !== undefined) {
        conversation.take(texts, at);
      }
    } catch (failure) {
      conversation.skip(failure, at); // it lies too deep, for example
    }
  };
}
