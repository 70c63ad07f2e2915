// Tool calls and their results: ids and names that a provider accepts, arguments, and outputs.

import { checksum } from "../../base/checksum.js";
import { jsonOf } from "../../base/json.js";
import { isRecord } from "../../base/plain-data.js";
import { MalformedMessage } from "../../message/malformed.js";
import type { CallPart, ResultPart, SentPart } from "../../message/message.js";
import { originOf } from "../../message/origin.js";
import type { AnsweredCall, Piece } from "./turns.js";

/** A provider's limit for an id or a name: the characters that it refuses, and the longest length. */
export interface Limit {
  readonly pattern: RegExp;
  readonly unfit: RegExp;
  readonly longest: number;
  /**
   * Makes a valid text from an invalid one, a different one for each `count`. Default: removes the invalid characters.
   */
  make?(text: string, count: number): string;
  /** A prefix for a text with an invalid beginning. */
  readonly start?: readonly [pattern: RegExp, prefix: string];
}

/** Returns a limit of letters, digits, `_` and `-`. */
export function wordLimit(longest: number): Limit {
  return { pattern: new RegExp(`^[a-zA-Z0-9_-]{1,${longest}}$`), unfit: /[^a-zA-Z0-9_-]/g, longest };
}

/** The ids of files and audio stored with a provider. No page states a maximum length; all examples are far shorter. */
export const FILE_ID: Limit = wordLimit(256);

/** Any text except an empty one. */
export const ANY: Limit = { pattern: /^.+$/s, unfit: /(?!)/g, longest: Number.POSITIVE_INFINITY };

/**
 * Returns a text that fits a limit, unchanged if it already fits. A longer one is cut and ends with a checksum of the
 * whole text.
 */
export function fitted(text: string, limit: Limit): string {
  if (limit.pattern.test(text)) {
    return text;
  }
  if (limit.make !== undefined) {
    return limit.make(text, 1);
  }
  let cleaned = text.replace(limit.unfit, "_") || "_";
  if (limit.start !== undefined && !limit.start[0].test(cleaned)) {
    cleaned = limit.start[1] + cleaned;
  }
  const sum = checksum(text).toString(36);
  return cleaned.length <= limit.longest ? cleaned : `${cleaned.slice(0, limit.longest - sum.length - 1)}_${sum}`;
}

/** Returns an id for each call: its own if it fits and no earlier call has it. */
export function idsOf(calls: readonly AnsweredCall[], limit: Limit): ReadonlyMap<AnsweredCall, string> {
  const taken = new Set<string>();
  const own = new Set(calls.map(({ part }) => part.toolCallId));
  // Counting continues from the last call with the same beginning, because many calls may share one id.
  const counts = new Map<string, number>();
  const ids = new Map<AnsweredCall, string>();
  for (const call of calls) {
    const id = fitted(call.part.toolCallId, limit);
    let free = id;
    // A new id must not be the original id of another call.
    while (taken.has(free) || (free !== call.part.toolCallId && own.has(free))) {
      const count = (counts.get(id) ?? 1) + 1;
      counts.set(id, count);
      const suffix = `_${count}`;
      free = limit.make?.(id, count) ?? id.slice(0, limit.longest - suffix.length) + suffix;
    }
    taken.add(free);
    ids.set(call, free);
  }
  return ids;
}

/** The arguments of a call. */
export interface Arguments {
  readonly object: Record<string, unknown>;
  /** The same as JSON. Unchanged if it was already a text. */
  readonly text: string;
}

/** Returns the text of a call to a tool that takes text. Undefined for other calls. */
export function customInputOf({ isCustom, input }: CallPart): string | undefined {
  return isCustom === true && typeof input === "string" ? input : undefined;
}

/** The field that holds arguments that aren't an object. */
const WRAPPED = "input";

/**
 * Returns the arguments of a call as an object. Any other value, such as the text for a tool that takes text, goes into
 * the field `input`.
 */
export function argumentsOf({ part, place }: Piece<CallPart>): Arguments {
  const { input } = part;
  if (typeof input === "string" && input.trim() !== "") {
    const parsed = parsedObject(input);
    return parsed === undefined ? made({ [WRAPPED]: input }, place) : { object: parsed, text: input };
  }
  if (input == null || input === "" || typeof input === "string") {
    return { object: {}, text: "{}" };
  }
  return made(isRecord(input) ? (input as Record<string, unknown>) : { [WRAPPED]: input }, place);
}

function made(object: Record<string, unknown>, place: string): Arguments {
  return { object, text: json(object, place) };
}

/** Parses a text that is JSON for an object. Undefined for any other text. */
export function parsedObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function json(value: unknown, place: string): string {
  try {
    return jsonOf(value) ?? "";
  } catch {
    throw new MalformedMessage(place, "it has a value that can't be represented in JSON", "Pass plain data.");
  }
}

/** The result of a call. */
export interface ToolOutcome {
  readonly isError: boolean;
  /** The result as a text. Undefined if it has images or files. */
  readonly text: string | undefined;
  /** The result as JSON, if it is an object. */
  readonly object: Record<string, unknown> | undefined;
  /** The result as JSON, if it is a single value and not a text. */
  readonly json: unknown;
  /** The result in parts: texts, images and files. */
  readonly parts: readonly Piece[];
}

/** Returns the result of a call. Joins several results of one call, in order. `inForm` changes the form of a part. */
export function outcomeOf(
  results: readonly Piece<ResultPart>[],
  inForm: (part: Piece) => Piece = (part) => part,
): ToolOutcome {
  const parts = results.flatMap(partsOf).map(inForm);
  const isText = parts.every(({ part }) => part.type === "text");
  const texts = parts.map(({ part }) => (part.type === "text" ? part.text : ""));
  const [only, ...others] = results;
  const output = only !== undefined && others.length === 0 ? unwrapped(only.part.output) : undefined;
  const isValue = output !== null && typeof output === "object" && !(isRecord(output) && output.type === "content");
  return {
    isError: results.some(({ part }) => part.isError === true),
    // A blank result adds no line.
    text: isText ? texts.filter((text) => texts.length === 1 || text !== "").join("\n") : undefined,
    object: isValue && isRecord(output) ? (output as Record<string, unknown>) : undefined,
    json: isValue ? output : undefined,
    parts,
  };
}

const unwrapped = (output: unknown): unknown => {
  const isWrapped = isRecord(output) && output.type === "json" && "value" in output;
  return isWrapped ? output.value : output;
};

function partsOf({ part, place, given: own }: Piece<ResultPart>): readonly Piece[] {
  const { output } = part;
  if (isRecord(own) && own.type === "tool-approval-response" && own.approved === true) {
    throw new MalformedMessage(
      place,
      "the user has allowed this call, but it hasn't run yet",
      "Run it and add its result, or leave the call out.",
    );
  }
  if (isRecord(output) && output.type === "content" && Array.isArray(output.value)) {
    return (output.value as readonly SentPart[]).map((value) => ({
      part: value,
      given: originOf(value)?.given,
      place,
    }));
  }
  const given = unwrapped(output);
  const text = typeof given === "string" ? given : given === undefined ? "" : json(given, place);
  return [{ part: { type: "text", text }, place }];
}
