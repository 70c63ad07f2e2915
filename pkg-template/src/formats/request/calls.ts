// Calls of tools and what they gave: ids and names as a provider takes them, arguments, and outputs.

import { checksum } from "../../base/checksum.js";
import { jsonOf } from "../../base/lists.js";
import { isRecord } from "../../base/plain-data.js";
import { MalformedMessage } from "../../message/malformed.js";
import type { CallPart, ResultPart, SentPart } from "../../message/message.js";
import { originOf } from "../../message/origin.js";
import type { AnsweredCall, Piece } from "./turns.js";

/** What a provider takes as an id or a name: which characters do not fit, and how long it may be. */
export interface Limit {
  readonly pattern: RegExp;
  readonly unfit: RegExp;
  readonly longest: number;
  /** Makes one that fits of a text that doesn't; another one for each `count`. Default: the text without what does not fit. */
  make?(text: string, count: number): string;
  /** What stands before a text that begins with something else. */
  readonly start?: readonly [pattern: RegExp, prefix: string];
}

/** Letters, digits, `_` and `-`. */
export function wordLimit(longest: number): Limit {
  return { pattern: new RegExp(`^[a-zA-Z0-9_-]{1,${longest}}$`), unfit: /[^a-zA-Z0-9_-]/g, longest };
}

/** The ids of files and audio that a provider has. No page says how long they may be: all that are shown are far shorter. */
export const FILE_ID: Limit = wordLimit(256);

/** Any text but an empty one. */
export const ANY: Limit = { pattern: /^.+$/s, unfit: /(?!)/g, longest: Number.POSITIVE_INFINITY };

/** A text that fits a limit: itself, where it does. Of a longer one its beginning stays, and a checksum of all of it. */
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

/** An id for each call: its own where it fits and no call before it has the same. */
export function idsOf(calls: readonly AnsweredCall[], limit: Limit): ReadonlyMap<AnsweredCall, string> {
  const taken = new Set<string>();
  const own = new Set(calls.map(({ part }) => part.toolCallId));
  // Counting goes on where it ended for the last call with the same beginning: many calls may have one id.
  const counts = new Map<string, number>();
  const ids = new Map<AnsweredCall, string>();
  for (const call of calls) {
    const id = fitted(call.part.toolCallId, limit);
    let free = id;
    // A made id never takes that which another call has of its own.
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
  /** The same as JSON: as it was given, where it was a text. */
  readonly text: string;
}

/** Where arguments stand that are no object. */
const WRAPPED = "input";

/** The arguments of a call as an object. What is none, such as the text of a tool that takes text, is its field `input`. */
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

/** An object that a text is the JSON of; undefined where it is another. */
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
    throw new MalformedMessage(place, "it holds something that has no form in JSON", "Pass plain data.");
  }
}

/** What a call gave. */
export interface ToolOutcome {
  readonly isError: boolean;
  /** As a text; undefined where it has images or files. */
  readonly text: string | undefined;
  /** As JSON, where it is an object. */
  readonly object: Record<string, unknown> | undefined;
  /** As JSON, where it is one value and no text. */
  readonly json: unknown;
  /** In parts: texts, images and files. */
  readonly parts: readonly Piece[];
}

/** What a call gave. Several results of one call are one, in order. */
export function outcomeOf(results: readonly Piece<ResultPart>[]): ToolOutcome {
  const parts = results.flatMap(partsOf);
  const isText = parts.every(({ part }) => part.type === "text");
  const texts = parts.map(({ part }) => (part.type === "text" ? part.text : ""));
  const [only, ...others] = results;
  const output = only !== undefined && others.length === 0 ? unwrapped(only.part.output) : undefined;
  const isValue = output !== null && typeof output === "object" && !(isRecord(output) && output.type === "content");
  return {
    isError: results.some(({ part }) => part.isError === true),
    // One that says nothing makes no line.
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
      "the user has allowed this call, and it was not run yet",
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
