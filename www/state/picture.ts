// A picture shows one build: the lines of the conversation, and the pieces of the prompt with their tokens.

import type { BuiltContext, Fate, Format, MessageInput, Reason } from "windrow";
import { type Chip, chipOf, recalledChip, type Why } from "./reasons.js";
import type { Asked, Shape } from "./setup.js";

export type Context = BuiltContext<MessageInput, Format>;

/** The cost of every message in one form and encoding, with running sums. */
export interface Costs {
  readonly each: Float64Array;
  /** The tokens before each message, and one more number for the end. */
  readonly starts: Float64Array;
  /** The tokens of all of it as a prompt. */
  readonly total: number;
}

/** A piece of the prompt. */
export interface Piece {
  /** The message's position; -1 for the request, and lower numbers for texts that windrow made. */
  readonly position: number;
  readonly role: string;
  /** The name, if it isn't a message. */
  readonly name: string;
  /** The text, if it isn't a message of the conversation. */
  readonly text: string;
  readonly tokens: number;
  readonly why: Why;
}

/**
 * One build, ready to be shown. Facts about messages and pieces are in arrays of numbers, because a drag makes a
 * picture in every frame.
 */
export interface Picture {
  readonly context: Context;
  readonly asked: Asked;
  readonly shape: Shape;
  /** The conversation that it was built from, with the messages that the visitor pinned and left out. */
  readonly messages: readonly MessageInput[];
  readonly counts: Readonly<Record<Fate, number>>;
  /** The runs of messages with one fate and reason. */
  readonly runs: readonly Run[];
  fateOf(position: number): Fate;
  chipOf(position: number): Chip;
  tokensOf(position: number): number;

  /** The number of pieces in the prompt. */
  readonly pieceCount: number;
  /** The tokens before each piece, and one more number for the end. */
  readonly starts: Float64Array;
  pieceAt(index: number): Piece;
  /** The piece that holds a message, or that has this position itself; -1 if it isn't in the prompt. */
  pieceOf(position: number): number;
  /** The tokens before a message of the prompt, and those up to its end. A quoted message is a part of its piece. */
  spanOf(position: number): readonly [start: number, end: number] | undefined;
  /** The colors of the messages in the prompt. */
  readonly whys: ReadonlySet<Why>;
}

export interface Run {
  readonly first: number;
  readonly last: number;
  readonly fate: Fate;
  readonly reason: Reason;
}

/** The tokens of the prompt that belong to no piece. */
export const FORM = "the form itself";

/** Makes a picture of a context. */
export function pictureOf(
  context: Context,
  asked: Asked,
  shape: Shape,
  messages: readonly MessageInput[],
  costs: Costs,
): Picture {
  const { ranges, recalled } = context.trace;
  const { pieces } = context.outline;
  const count = messages.length;
  const chips: Chip[] = [];
  const chipAt = new Uint32Array(count);
  const runAt = new Uint32Array(count);
  const counts: Record<Fate, number> = { kept: 0, shortened: 0, excerpt: 0, stub: 0, "left out": 0 };
  const known = new Map<Reason, number>();
  for (const [index, { first, last, fate, reason }] of ranges.entries()) {
    const chip = known.get(reason) ?? chips.push(chipOf(reason)) - 1;
    known.set(reason, chip);
    chipAt.fill(chip, first, last + 1);
    runAt.fill(index, first, last + 1);
    counts[fate] += last - first + 1;
  }
  const fateOf = (position: number): Fate => ranges[runAt[position] ?? 0]?.fate ?? "left out";
  for (const { positions, words } of recalled) {
    const chip = recalledChip(words);
    const index = chip === undefined ? undefined : chips.push(chip) - 1;
    for (const position of index === undefined ? [] : positions) {
      chipAt[position] = index as number;
    }
  }
  const chipsOf = (position: number): Chip => chips[chipAt[position] ?? 0] ?? chipOf("not_read");

  const tokens = costs.each.slice(0, count);
  const pieceAt = new Int32Array(count).fill(-1);
  const form = context.tokens.total - pieces.reduce((sum, [, , cost]) => sum + cost, 0);
  const pieceCount = pieces.length + (form > 0 ? 1 : 0);
  const starts = new Float64Array(pieceCount + 1);
  const whys = new Set<Why>();
  let request = -1;
  let quotes = -1;
  for (const [index, [source, , cost]] of pieces.entries()) {
    starts[index + 1] = (starts[index] ?? 0) + cost;
    if (typeof source === "number" && source >= 0) {
      pieceAt[source] = index;
      tokens[source] = cost;
      whys.add(chipsOf(source)[1]);
    } else if (source === -1) {
      request = index;
      whys.add("request");
    } else {
      quotes = context.sections.some(({ id, kind }) => id === source && kind === "history") ? index : quotes;
      whys.add("made");
    }
  }
  if (form > 0) {
    whys.add("made");
    starts[pieceCount] = context.tokens.total;
  }
  // Quoted messages share the last piece that was made for the history. It has a label, then the messages in order.
  const quotedEnds = new Map<number, number>();
  let quotedEnd = starts[quotes + 1] ?? 0;
  for (const { first, last, fate } of ranges.toReversed()) {
    for (let position = last; fate !== "left out" && position >= first; position--) {
      if (pieceAt[position] === -1) {
        pieceAt[position] = quotes;
        tokens[position] = context.explain(position).tokens;
        whys.add(chipsOf(position)[1]);
        quotedEnds.set(position, quotedEnd);
        quotedEnd -= tokens[position] ?? 0;
      }
    }
  }
  const pieceOf = (position: number): number =>
    position >= 0 ? (pieceAt[position] ?? -1) : position === -1 ? request : -2 - position;

  const textAt = (index: number, source: number | string): string =>
    context.messages === undefined
      ? (context.sections.find(({ id, kind }) => id === source || (source === -1 && kind === "request"))?.text ?? "")
      : textOf(context.messages[index]?.content);
  return {
    context,
    asked,
    shape,
    messages,
    counts,
    runs: ranges,
    fateOf,
    chipOf: chipsOf,
    tokensOf: (position) => tokens[position] ?? 0,
    pieceCount,
    starts,
    whys,
    pieceOf,
    spanOf(position) {
      const piece = pieceOf(position);
      const end = quotedEnds.get(position) ?? starts[piece + 1];
      return piece < 0 || end === undefined ? undefined : [end - (tokens[position] ?? 0), end];
    },
    pieceAt(index) {
      const piece = pieces[index];
      if (piece === undefined) {
        return { position: -2 - index, role: "", name: FORM, text: "", tokens: form, why: "made" };
      }
      const [source, , cost] = piece;
      if (typeof source === "number" && source >= 0) {
        const role = String(messages[source]?.role ?? "");
        return { position: source, role, name: "", text: "", tokens: cost, why: chipsOf(source)[1] };
      }
      const role = String(context.messages?.[index]?.role ?? "");
      if (source === -1) {
        return { position: -1, role, name: "request", text: textAt(index, source), tokens: cost, why: "request" };
      }
      const name = index === quotes ? "quoted" : typeof source === "string" ? source : "added";
      return { position: -2 - index, role, name, text: textAt(index, source), tokens: cost, why: "made" };
    },
  };
}

/** The texts of the content, joined. */
export function textOf(content: unknown): string {
  if (typeof content === "string") {
    return content;
  }
  if (!Array.isArray(content)) {
    return "";
  }
  return content
    .map((part) => (typeof part === "string" ? part : ((part as { readonly text?: string }).text ?? "")))
    .join("\n");
}
