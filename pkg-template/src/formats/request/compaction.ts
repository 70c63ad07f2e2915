// A provider's compaction: its summary of everything before it. The provider reads nothing before the newest one, and
// some refuse a request that has anything there. So a request begins with it.
//
// https://platform.claude.com/docs/en/build-with-claude/compaction and /compaction-on-demand,
// https://developers.openai.com/api/docs/guides/compaction,
// https://docs.x.ai/developers/advanced-api-usage/context-compaction (read 2026-11-27)

import type { PlainPart } from "../../message/message.js";
import { brokenIn } from "../../message/proofs.js";
import type { ParsedMessage } from "../../message/read.js";
import type { RequestTurn } from "./turns.js";

/** True if a part is a compaction made by this provider. */
export function isCompactionOf(part: PlainPart, maker: string): boolean {
  return part.type === "redacted_thinking" && part.note === "compaction" && part.provider === maker;
}

/**
 * Returns messages without those that their newest compaction replaces. Each keeps its index in the list.
 * `keepsInstructions` says that the request has a separate place for all instructions; otherwise the instructions at
 * the beginning stay too. Texts of sections stay as well.
 */
export function withoutCompacted(
  messages: readonly ParsedMessage[],
  maker: string | undefined,
  keepsInstructions: boolean,
): readonly ParsedMessage[] {
  const isCompaction = (placed: ParsedMessage["parts"][number]): boolean =>
    maker !== undefined && isCompactionOf(placed.part, maker) && brokenIn([placed]).size === 0;
  const newest = messages.findLastIndex(
    ({ message, parts }) => message.role === "assistant" && parts.some(isCompaction),
  );
  if (newest < 0) {
    return messages;
  }
  const isInstruction = ({ message }: ParsedMessage): boolean =>
    message.role === "system" || message.role === "developer";
  const begun = messages.findIndex((message) => !isInstruction(message) && message.isMade !== true);
  return messages.map((message, at) => {
    if (at === newest) {
      return { ...message, parts: message.parts.slice(message.parts.findLastIndex(isCompaction)) };
    }
    const stays =
      at > newest || message.isMade === true || (isInstruction(message) && (keepsInstructions || at < begun));
    return stays ? message : { ...message, parts: [] };
  });
}

/** Returns turns with the newest compaction first. Texts of earlier sections come after it and its results. */
export function compactionFirst(turns: readonly RequestTurn[], maker: string): readonly RequestTurn[] {
  const at = turns.findLastIndex(
    (turn) => turn.kind === "assistant" && turn.pieces.some(({ part }) => isCompactionOf(part, maker)),
  );
  const before = turns.slice(0, Math.max(at, 0));
  const made = before.filter(({ kind }) => kind !== "system");
  if (made.length === 0) {
    return turns;
  }
  const end = at + (turns[at + 1]?.kind === "results" ? 2 : 1);
  return [...before.filter(({ kind }) => kind === "system"), ...turns.slice(at, end), ...made, ...turns.slice(end)];
}
