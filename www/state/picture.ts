// A picture is what one build looks like: the lines of the conversation, and the pieces of the prompt with their tokens.

import type { BuiltContext, ContextMessage, Fate, Format, MessageInput, Reason } from "windrow";
import { chipOf, type Why } from "./reasons.js";
import type { Asked, Shape } from "./setup.js";

export type Context = BuiltContext<MessageInput, Format>;

/** What every message costs in one form and encoding, with running sums. */
export interface Costs {
  readonly each: Float64Array;
  /** Where each message begins; one more for the end. */
  readonly starts: Float64Array;
  /** What all of it costs as a prompt. */
  readonly total: number;
}

/** A piece of the prompt. */
export interface Piece {
  /** The message's position; -1 for the request, below that what was made. */
  readonly position: number;
  readonly role: string;
  /** What it is called, where it is no message. */
  readonly name: string;
  /** What it says, where it is no message of the conversation. */
  readonly text: string;
  readonly tokens: number;
  readonly why: Why;
}

/** A line of the conversation: a message, or a run of messages that were left out. */
export interface Line {
  readonly first: number;
  readonly last: number;
  /** Whether it stands for a run; an unfolded run has its messages below it. */
  readonly isRun: boolean;
}

/** One build, ready to be shown. */
export interface Picture {
  readonly context: Context;
  readonly asked: Asked;
  readonly shape: Shape;
  /** The conversation as it was built from, with what was pinned and left out. */
  readonly messages: readonly MessageInput[];
  readonly pieces: readonly Piece[];
  readonly counts: Readonly<Record<Fate, number>>;
  fateOf(position: number): Fate;
  chipOf(position: number): readonly [chip: string, why: Why];
  tokensOf(position: number): number;
  /** The runs of messages with one fate, for the strip. */
  readonly runs: readonly Run[];
}

export interface Run {
  readonly first: number;
  readonly last: number;
  readonly fate: Fate;
  readonly reason: Reason;
}

/** Makes a picture of a context. */
export function pictureOf(
  context: Context,
  asked: Asked,
  shape: Shape,
  messages: readonly MessageInput[],
  costs: Costs,
): Picture {
  const { ranges, recalled } = context.trace;
  const count = messages.length;
  const words = new Map<number, string>();
  for (const { positions, words: own } of recalled) {
    for (const position of positions) {
      words.set(position, own);
    }
  }
  const rangeOf = new Int32Array(count);
  const counts: Record<Fate, number> = { kept: 0, shortened: 0, excerpt: 0, "left out": 0 };
  /** The tokens of messages that cost otherwise than usual. */
  const own = new Map<number, number>();
  for (const [index, { first, last, fate, tokens }] of ranges.entries()) {
    rangeOf.fill(index, first, last + 1);
    counts[fate] += last - first + 1;
    const usual = (costs.starts[last + 1] ?? 0) - (costs.starts[first] ?? 0);
    // The sum is exact; where it is another than usual, each is asked for.
    if (fate !== "left out" && Math.abs(usual - tokens) > 0.5) {
      for (let position = first; position <= last; position++) {
        own.set(position, context.explain(position).tokens);
      }
    }
  }
  const rangeAt = (position: number) => ranges[rangeOf[position] ?? 0];
  const picture = {
    context,
    asked,
    shape,
    messages,
    counts,
    runs: ranges,
    fateOf: (position: number): Fate => rangeAt(position)?.fate ?? "left out",
    chipOf: (position: number) => chipOf(rangeAt(position)?.reason ?? "not_read", words.get(position)),
    tokensOf: (position: number) => own.get(position) ?? costs.each[position] ?? 0,
  };
  return { ...picture, pieces: piecesOf(context, messages, picture) };
}

type Known = Pick<Picture, "chipOf" | "tokensOf" | "fateOf">;

/** What a context says of each message by itself. */
function explained(context: Context): Known {
  return {
    chipOf: (position) => {
      const { reason, words } = context.explain(position);
      return chipOf(reason, words);
    },
    tokensOf: (position) => context.explain(position).tokens,
    fateOf: (position) => context.explain(position).fate,
  };
}

/** How many tokens two prompts have in common at their beginning. */
export function sharedBeginning(before: readonly Piece[], now: readonly Piece[]): number {
  let tokens = 0;
  for (const [index, piece] of now.entries()) {
    const other = before[index];
    const isSame =
      other !== undefined &&
      other.position === piece.position &&
      other.tokens === piece.tokens &&
      other.role === piece.role &&
      other.text === piece.text &&
      piece.name !== "the form itself";
    if (!isSame) {
      break;
    }
    tokens += piece.tokens;
  }
  return tokens;
}

export function piecesOf(
  context: Context,
  messages: readonly MessageInput[],
  known: Known = explained(context),
): Piece[] {
  return context.messages === undefined
    ? piecesOfText(context, messages, known)
    : piecesOfMessages(context, messages, known);
}

function keptPiece(position: number, message: MessageInput, known: Known): Piece {
  const [, why] = known.chipOf(position);
  return { position, role: String(message.role ?? ""), name: "", text: "", tokens: known.tokensOf(position), why };
}

/** The place of every kept message, in the order of the prompt. */
function keptPositions(context: Context, messages: readonly MessageInput[]): number[] {
  const places = new Map<MessageInput, number>();
  for (const { first, last, fate } of context.trace.ranges) {
    if (fate !== "left out") {
      for (let position = first; position <= last; position++) {
        places.set(messages[position] as MessageInput, position);
      }
    }
  }
  return context.kept.map((message) => places.get(message) ?? 0);
}

function piecesOfMessages(context: Context, messages: readonly MessageInput[], known: Known): Piece[] {
  const kept = keptPositions(context, messages);
  const sections = context.sections;
  const tokensIn = (id: string) => context.tokens.sections.find((section) => section.id === id)?.tokens ?? 0;
  const made = sections.filter(({ kind, text }) => kind !== "history" && kind !== "request" && text != null);
  const request = sections.find(({ kind }) => kind === "request");
  const pieces: Piece[] = [];
  let at = 0;
  let madeAt = 0;
  for (const sent of (context.messages ?? []) as readonly (MessageInput | ContextMessage)[]) {
    const position = kept[at];
    const next = position === undefined ? undefined : messages[position];
    if (
      position !== undefined &&
      next !== undefined &&
      (sent === next || isFormOf(sent, next, known.fateOf(position)))
    ) {
      pieces.push(keptPiece(position, next, known));
      at += 1;
      continue;
    }
    const text = textOf(sent.content);
    const section = made[madeAt];
    if (section?.text != null && text.includes(section.text.slice(0, 40).trim())) {
      madeAt += 1;
      pieces.push(madePiece(-2 - pieces.length, String(sent.role), section.id, text, tokensIn(section.id)));
    } else if (request !== undefined && isRequest(sent, context)) {
      const tokens = tokensIn(request.id);
      pieces.push({ position: -1, role: String(sent.role), name: "request", text, tokens, why: "request" });
    } else {
      pieces.push(madePiece(-2 - pieces.length, String(sent.role), "added", text, 0));
    }
  }
  const format = tokensIn("format");
  return rested(pieces, context.tokens.total - format, format);
}

/** Whether something sent is a copy of a message in another form. */
function isFormOf(sent: MessageInput | ContextMessage, message: MessageInput, fate: Fate): boolean {
  return (
    sent.role === message.role &&
    (fate === "shortened" || fate === "excerpt" || !("pinned" in sent)) &&
    "shortened" in sent
  );
}

function isRequest(sent: MessageInput | ContextMessage, context: Context): boolean {
  const { request } = context.recording;
  return request != null && textOf(sent.content) === textOf(request.content) && sent.role === request.role;
}

/** Gives what costs tokens and has none yet its share, so that the pieces together are the prompt. */
function rested(pieces: Piece[], total: number, format: number): Piece[] {
  const known = pieces.reduce((sum, { tokens }) => sum + tokens, 0);
  const rest = total - known;
  const unknown = pieces.filter(({ position, tokens }) => position < -1 && tokens === 0).length;
  const shared =
    unknown === 0
      ? pieces
      : pieces.map((piece) =>
          piece.position < -1 && piece.tokens === 0 ? { ...piece, tokens: Math.max(rest / unknown, 0) } : piece,
        );
  const left = unknown === 0 ? rest + format : format;
  if (left > 0) {
    shared.push(madePiece(-2 - shared.length, "", "the form itself", "", left));
  }
  return shared;
}

function madePiece(position: number, role: string, name: string, text: string, tokens: number): Piece {
  return { position, role, name, text, tokens, why: "made" };
}

function piecesOfText(context: Context, messages: readonly MessageInput[], known: Known): Piece[] {
  const kept = keptPositions(context, messages);
  const pieces: Piece[] = [];
  const tokensIn = (id: string) => context.tokens.sections.find((section) => section.id === id)?.tokens ?? 0;
  for (const { id, kind, text } of context.sections) {
    if (kind === "history") {
      for (const position of kept) {
        pieces.push(keptPiece(position, messages[position] as MessageInput, known));
      }
    } else if (kind === "request") {
      const tokens = tokensIn(id);
      if (tokens > 0) {
        pieces.push({ position: -1, role: "user", name: "request", text: text ?? "", tokens, why: "request" });
      }
    } else if (text != null) {
      pieces.push(madePiece(-2 - pieces.length, "", id, text, tokensIn(id)));
    }
  }
  return rested(pieces, context.tokens.total, 0);
}

/** The texts of a content, one behind the other. */
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

/** The lines of the conversation: runs that were left out are one, unless they are unfolded. */
export function linesOf(pictures: readonly Picture[], count: number, unfolded: ReadonlySet<number>): Line[] {
  const lines: Line[] = [];
  let at = 0;
  const ins = pictures.map(({ runs }) => ({ runs, index: 0 }));
  while (at < count) {
    // How far all pictures say the same of whether it is in.
    let end = count - 1;
    let isIn = false;
    for (const walk of ins) {
      while ((walk.runs[walk.index]?.last ?? count) < at) {
        walk.index += 1;
      }
      const run = walk.runs[walk.index];
      if (run !== undefined) {
        end = Math.min(end, run.last);
        isIn ||= run.fate !== "left out";
      }
    }
    const previous = lines.at(-1);
    if (isIn) {
      for (let position = at; position <= end; position++) {
        lines.push({ first: position, last: position, isRun: false });
      }
    } else if (previous?.isRun && previous.last === at - 1) {
      lines[lines.length - 1] = { ...previous, last: end };
    } else {
      lines.push({ first: at, last: end, isRun: true });
    }
    at = end + 1;
  }
  if (!lines.some(({ isRun }) => isRun)) {
    return lines;
  }
  return lines.flatMap((line) => {
    if (!line.isRun) {
      return [line];
    }
    if (line.first === line.last) {
      return [{ ...line, isRun: false }];
    }
    if (!unfolded.has(line.first)) {
      return [line];
    }
    const each = Array.from({ length: line.last - line.first + 1 }, (_, index) => ({
      first: line.first + index,
      last: line.first + index,
      isRun: false,
    }));
    return [line, ...each];
  });
}
