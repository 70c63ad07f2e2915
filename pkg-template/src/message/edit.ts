// Copies messages of any format: with another text, without tool calls, with an origin.

import { ContextError } from "../base/errors.js";
import { type IsUnwanted, type MessageOrigin, recordOf, type UnknownRecord } from "./format.js";
import { isCall, isResult, type PlacedPart, pathOf } from "./origin.js";
import { formatOf } from "./recognise.js";

/**
 * Returns a marked copy of a message with another text. It replaces the first text, and the others are dropped. Calls
 * keep their results, and images their places.
 */
export function shortenedCopy<M extends object>(
  message: M,
  text: string,
  mark: object = { shortened: true },
  shape?: string,
): M {
  try {
    const row = message as unknown as UnknownRecord;
    return Object.assign(formatOf(row, shape).withText(row, text), mark) as unknown as M;
  } catch (cause) {
    throw new ContextError({
      kind: "context_build_error",
      code: "INVALID_TRANSCRIPT",
      message: "a message must be shortened, but it can't be copied",
      nextAction: "Pass messages whose fields can be read as plain data.",
      cause,
    });
  }
}

/** Returns a marked copy of a message without its tool calls and results, or the message itself if it has none. */
export function withoutToolCalls<M extends object>(message: M, shape?: string): M {
  const row = message as unknown as UnknownRecord;
  const copy = formatOf(row, shape).withoutToolCalls(row);
  return (copy === row ? message : Object.assign(copy, { shortened: true })) as unknown as M;
}

/**
 * Calls and results to leave out of a message: by the ids of their calls, and by their holders if others have the same
 * ids.
 */
export interface LeftOutCalls {
  readonly ids: ReadonlySet<unknown>;
  readonly holders: ReadonlySet<unknown>;
}

/** Returns the calls and results of a message at certain indexes among its calls and among its results. */
export function callsAt(
  message: object,
  parts: readonly PlacedPart[],
  callPlaces: readonly number[],
  resultPlaces: readonly number[],
): LeftOutCalls {
  const calls = parts.filter(isCall);
  const results = parts.filter(isResult);
  const gone = new Set([...callPlaces.map((at) => calls[at]), ...resultPlaces.map((at) => results[at])]);
  const stays = new Set([...calls, ...results].filter((placed) => !gone.has(placed)).map(idOf));
  const ids = Array.from(gone, idOf).filter((id) => id !== undefined && !stays.has(id));
  const holders = Array.from(gone, (placed) => placed?.given ?? valueAt(message, placed?.place ?? ""));
  return { ids: new Set(ids), holders: new Set(holders) };
}

const valueAt = (message: object, place: string): unknown =>
  pathOf(place).reduce<unknown>((held, name) => (held as UnknownRecord | undefined)?.[name], message);

/** Returns the id of a call, or that of the call that a result answers. */
export function idOf(placed: PlacedPart | undefined): string | undefined {
  const { toolCallId, approvalId } = (placed?.part ?? {}) as {
    readonly toolCallId?: string;
    readonly approvalId?: string;
  };
  return approvalId ?? toolCallId;
}

/** Returns a marked copy of a message without some calls and results, or the message itself if it has none of them. */
export function withoutCalls<M extends object>(message: M, { ids, holders }: LeftOutCalls, shape?: string): M {
  if (holders.size === 0) {
    return message;
  }
  const row = message as unknown as UnknownRecord;
  const isUnwanted: IsUnwanted = (holder) =>
    holders.has(holder) || ids.has(callIdIn(holder)) || ids.has(holder.approvalId);
  const copy = formatOf(row, shape).withoutToolCalls(row, isUnwanted);
  return (copy === row ? message : Object.assign(copy, { shortened: true })) as unknown as M;
}

/** Returns the id of the call that a part makes or answers. Gemini's calls may only have a name. */
function callIdIn(holder: UnknownRecord): unknown {
  const own = recordOf(
    holder.toolInvocation ??
      holder.functionCall ??
      holder.functionResponse ??
      holder.toolCall ??
      holder.toolUse ??
      holder.toolResult ??
      holder.value ??
      holder,
  );
  return (
    own.toolCallId ??
    own.tool_call_id ??
    own.tool_use_id ??
    own.toolUseId ??
    own.callID ??
    own.call_id ??
    own.id ??
    own.name
  );
}

/** Returns a copy of a message with an origin, in the fields that its format has for it. */
export function withOrigin(message: UnknownRecord, origin: MessageOrigin): UnknownRecord {
  return formatOf(message).withOrigin?.(message, origin) ?? { ...message, ...origin };
}
