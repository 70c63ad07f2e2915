// A conversation in the form that providers share: turns of the user, turns of the assistant, and results, each after
// the call it answers. The rest keeps its order.

import { isRecord } from "../../base/plain-data.js";
import { MalformedMessage } from "../../message/malformed.js";
import type { CallPart, Provenance, ResultPart, SentPart } from "../../message/message.js";
import type { PlacedPart } from "../../message/origin.js";
import { brokenIn, isThought } from "../../message/proofs.js";
import type { ParsedMessage } from "../../message/read.js";
import { INSTRUCTIONS_MARK, withoutMark } from "../instructions-mark.js";
import { INTERRUPTED } from "../tool-parts.js";
import { isBlank } from "./text.js";

/** A part, and its place in the messages. */
export interface Piece<Part extends SentPart = SentPart> {
  readonly part: Part;
  /** The path: `messages[3].content[1]`. */
  readonly place: string;
  /** The caller's own part. */
  readonly given?: unknown;
  /** The message that it belongs to. */
  readonly source?: ParsedMessage;
  /** The call, if it is one with results. */
  readonly call?: AnsweredCall;
  /** Changes the text of a document for a request that has it among the texts of its message. */
  readonly asText?: (text: string) => string;
}

/** A call with its results. */
export interface AnsweredCall extends Piece<CallPart> {
  readonly results: Piece<ResultPart>[];
}

/** One message of instructions. */
export interface SystemTurn {
  readonly kind: "system";
  readonly role: "system" | "developer";
  readonly name: string | undefined;
  readonly pieces: readonly Piece[];
}

/** A message of the user. */
export interface UserTurn {
  readonly kind: "user";
  readonly name: string | undefined;
  readonly pieces: readonly Piece[];
  /** True if windrow made it, or the application in a section. */
  readonly isMade: boolean;
}

/**
 * A message of the assistant. From its first call on, everything before the results is one turn, because results must
 * directly follow their calls.
 */
export interface AssistantTurn {
  readonly kind: "assistant";
  readonly name: string | undefined;
  readonly pieces: readonly Piece[];
}

/** The results of the previous turn's calls, in the order of the calls. */
export interface ResultsTurn {
  readonly kind: "results";
  readonly calls: readonly AnsweredCall[];
  /** A result that answers no call. No provider accepts it. */
  readonly orphan?: Piece<ResultPart>;
}

export type RequestTurn = SystemTurn | UserTurn | AssistantTurn | ResultsTurn;

/** True if a part keeps its place in the assistant's message. */
export type IsInline = (part: Pick<Piece, "part" | "given">) => boolean;

/** A part with facts about its message. */
interface Atom extends Piece {
  readonly source: ParsedMessage;
  readonly message: number;
  readonly kind: "system" | "developer" | "user" | "assistant" | "result";
  readonly name: string | undefined;
}

/**
 * Returns the turns of a conversation. Skips blank texts. A part that `isInline` keeps its place in the assistant's
 * message, such as the call to a tool that the provider runs, and its result.
 */
export function turnsOf(messages: readonly ParsedMessage[], isInline: IsInline = () => false): RequestTurn[] {
  const atoms = messages.flatMap((message, at) => atomsOf(message, at, isInline));
  const { calls, answered } = pairs(atoms, isInline);
  closeOpenCalls(atoms, calls, approvedCalls(messages));
  const abandoned = abandonedCalls(atoms, isInline);
  const turns: RequestTurn[] = [];
  let run: Set<AnsweredCall> | undefined;
  let last: Atom | undefined;
  const endRun = (): void => {
    if (run !== undefined && run.size > 0) {
      turns.push({ kind: "results", calls: [...run] });
    }
    run = undefined;
  };
  for (const atom of atoms) {
    const call = calls.get(atom);
    const answers = answered.get(atom);
    if (abandoned.has(atom)) {
      continue;
    }
    if (answers !== undefined) {
      if (run?.has(answers)) {
        endRun();
      }
      continue; // it comes after its call
    }
    if (atom.kind === "result") {
      endRun();
      turns.push({ kind: "results", calls: [], orphan: atom as unknown as Piece<ResultPart> });
    } else if (atom.kind === "assistant") {
      const goesOn = run !== undefined && (run.size > 0 || last?.message === atom.message);
      run ??= new Set();
      append(turns, atom, call, goesOn);
      if (call !== undefined) {
        run.add(call);
      }
    } else {
      endRun();
      append(turns, atom, undefined, last?.message === atom.message && last.kind === atom.kind);
    }
    last = atom;
  }
  endRun();
  return turns;
}

/** Adds a part to the last turn if it continues that turn, or to a new one. */
function append(turns: RequestTurn[], atom: Atom, call: AnsweredCall | undefined, goesOn: boolean): void {
  const { part, given, place, source, kind, name } = atom;
  const isMade = source.isMade === true;
  const piece: Piece = { part, given, place, source, ...(call === undefined ? {} : { call }) };
  const turn = turns.at(-1);
  if (goesOn && turn !== undefined && turn.kind !== "results") {
    (turn.pieces as Piece[]).push(piece);
  } else if (kind === "system" || kind === "developer") {
    turns.push({ kind: "system", role: kind, name, pieces: [piece] });
  } else if (kind === "user") {
    turns.push({ kind, name, pieces: [piece], isMade });
  } else {
    turns.push({ kind: kind as "assistant", name, pieces: [piece] });
  }
}

function atomsOf(source: ParsedMessage, at: number, isInline: IsInline): Atom[] {
  const { role, name } = source.message;
  return provable(source.parts).flatMap(({ part, given, place: own }): Atom[] => {
    const place = `messages[${at}]${own}`;
    if (part.type === "tool-approval-request" || part.type === "tool-approval-response") {
      return [];
    }
    const isSigned = part.type === "text" && part.signature !== undefined && role === "assistant";
    if (part.type === "text" && isBlank(part.text) && !isSigned) {
      return [];
    }
    const isResult = part.type === "tool-result" && !(role === "assistant" && isInline({ part, given }));
    if (role !== "assistant" && isThought(part) && !isInline({ part, given })) {
      return []; // only the assistant thinks in a request
    }
    if (isResult) {
      return [{ part, given, place, source, message: at, kind: "result", name: undefined }];
    }
    if (role === "tool") {
      return []; // tools return results and nothing else
    }
    // A note that isn't the assistant's is an instruction to the provider, such as a change to the tools.
    // OpenAI's are items without a role.
    const isNote = part.type === "redacted_thinking" && part.note !== undefined && part.provider !== "openai";
    const isInstruction = role !== "assistant" && isNote;
    const kind = isInstruction ? "system" : isThought(part) ? "assistant" : role;
    return [{ part, given, place, source, message: at, kind, name: name ?? undefined }];
  });
}

/**
 * Returns parts that a request can hold. Reasoning that can't go back unchanged is dropped, and a text or a call that
 * can't loses its signature.
 */
function provable(parts: readonly PlacedPart[]): readonly PlacedPart[] {
  const broken = brokenIn(parts);
  if (broken.size === 0) {
    return parts;
  }
  return parts.map((placed): PlacedPart => {
    const { part, place } = placed;
    if (!broken.has(part)) {
      return placed;
    }
    if (isThought(part)) {
      return { part: { type: "reasoning", text: "" }, given: undefined, place };
    }
    const { signature: _, provider, id, ...unsigned } = part as typeof part & Provenance;
    return { part: unsigned as typeof part, given: undefined, place };
  });
}

/**
 * Matches results with calls: a result answers the latest call before it with its id. Parallel calls may share an id,
 * for example calls of one name without ids. Then the first result answers the first call.
 */
function pairs(
  atoms: readonly Atom[],
  isInline: IsInline,
): { readonly calls: ReadonlyMap<Atom, AnsweredCall>; readonly answered: ReadonlyMap<Atom, AnsweredCall> } {
  const calls = new Map<Atom, AnsweredCall>();
  const answered = new Map<Atom, AnsweredCall>();
  // The latest parallel calls with an id, and the number of them that have a result.
  const latest = new Map<string, { readonly made: AnsweredCall[]; answeredCount: number }>();
  const isOpen = (id: string): boolean => {
    const known = latest.get(id);
    return known !== undefined && known.answeredCount < known.made.length;
  };
  // The calls of the newest message with tool calls.
  let newest: { readonly source?: ParsedMessage; readonly calls: CallPart[] } = { calls: [] };
  for (const atom of atoms) {
    const { part, given, place, source } = atom;
    if (part.type === "tool-call" && !isInline({ part, given })) {
      const call: AnsweredCall = { part, given, place, source, results: [] };
      calls.set(atom, call);
      if (newest.source !== source) {
        newest = { source, calls: [] };
      }
      if (newest.calls.length < MOST_CALLS) {
        newest.calls.push(part);
      }
      const atOnce = latest.get(part.toolCallId);
      if (atOnce?.answeredCount === 0 && atOnce.made[0]?.source === source) {
        atOnce.made.push(call);
      } else {
        latest.set(part.toolCallId, { made: [call], answeredCount: 0 });
      }
    } else if (atom.kind === "result" && part.type === "tool-result") {
      const opened = part.toolCallId === "" ? newest.calls.filter((called) => isOpen(called.toolCallId)) : [];
      const answeredCall = opened.find(({ toolName }) => toolName === part.toolName) ?? opened[0] ?? part;
      const open = latest.get(answeredCall.toolCallId);
      const call = open?.made[open.answeredCount] ?? open?.made.at(-1);
      if (open !== undefined && call !== undefined) {
        open.answeredCount += 1;
        call.results.push({ part, given, place, source });
        answered.set(atom, call);
      }
    }
  }
  return { calls, answered };
}

/**
 * Adds a result that says "interrupted" to each call without one. A call stays open if the provider runs it, or if the
 * user was asked about it and has answered, as long as the user hasn't spoken after it.
 */
function closeOpenCalls(
  atoms: readonly Atom[],
  calls: ReadonlyMap<Atom, AnsweredCall>,
  approved: ReadonlySet<string | undefined>,
): void {
  const spoken = atoms.findLastIndex(({ kind }) => kind === "user");
  const isRun = ({ part }: AnsweredCall): boolean => part.providerExecuted === true || approved.has(part.toolCallId);
  for (const [at, atom] of atoms.entries()) {
    const call = calls.get(atom);
    if (call?.results.length === 0 && (at < spoken || !isRun(call))) {
      const { toolCallId, toolName } = call.part;
      const part: ResultPart = { type: "tool-result", toolCallId, toolName, output: INTERRUPTED, isError: true };
      call.results.push({ part, place: call.place });
    }
  }
}

/** Returns the ids of the calls that the user was asked about and has answered. */
function approvedCalls(messages: readonly ParsedMessage[]): ReadonlySet<string | undefined> {
  const asked = new Map<string, string | undefined>();
  const approved = new Set<string | undefined>();
  for (const { part } of messages.flatMap(({ parts }) => parts)) {
    if (part.type === "tool-approval-request") {
      asked.set(part.approvalId, part.toolCallId);
    } else if (part.type === "tool-approval-response") {
      approved.add(asked.get(part.approvalId));
    }
  }
  return approved;
}

/** Returns the calls that the provider runs and that it hadn't answered when the user spoke again. */
function abandonedCalls(atoms: readonly Atom[], isInline: IsInline): ReadonlySet<Atom> {
  const spoken = atoms.findLastIndex(({ kind }) => kind === "user");
  const answered = new Set<string>();
  const abandoned = new Set<Atom>();
  for (let at = atoms.length - 1; at >= 0; at--) {
    const atom = atoms[at] as Atom;
    const { part, kind } = atom;
    if (part.type === "tool-result" && kind === "assistant") {
      answered.add(part.toolCallId);
    } else if (part.type === "tool-call" && isInline(atom) && !answered.delete(part.toolCallId) && at < spoken) {
      abandoned.add(atom);
    }
  }
  return abandoned;
}

/**
 * Maximum number of calls of a message that are searched for the one that a result without an id answers, the same as
 * in src/log/groups.rs.
 */
const MOST_CALLS = 128;

/** Returns all calls in the turns. */
export function callsIn(turns: readonly RequestTurn[]): readonly AnsweredCall[] {
  return turns.flatMap((turn) =>
    turn.kind === "assistant" ? turn.pieces.flatMap(({ call }) => (call === undefined ? [] : [call])) : [],
  );
}

/**
 * Separates instructions that have their own place in a request, in order, from the other turns. `late` is the place of
 * instructions that come after the conversation has begun: with the others at the top, in their own place, or in their
 * own place as a marked text of the user's. Pieces that are `alwaysLate` can't be at the top.
 */
export function apart(
  turns: readonly RequestTurn[],
  late: "top" | "place" | "user" = "top",
  alwaysLate: IsInline = () => false,
): {
  readonly system: readonly SystemTurn[];
  readonly others: readonly RequestTurn[];
} {
  const isSystem = (turn: RequestTurn): turn is SystemTurn => turn.kind === "system";
  const begun = late === "top" ? turns.length : turns.findIndex((turn) => !isSystem(turn) && !isMade(turn));
  const end = begun < 0 ? turns.length : begun;
  /** Returns the pieces of instructions that are always late, or the others. */
  const only = (turn: SystemTurn, isLate: boolean): readonly SystemTurn[] => {
    const pieces = turn.pieces.filter((piece) => alwaysLate(piece) === isLate);
    return pieces.length === 0 ? [] : [{ ...turn, pieces }];
  };
  const asUser = (turn: RequestTurn): readonly RequestTurn[] =>
    isSystem(turn) ? [...only(turn, false).map(markedAsUser), ...only(turn, true)] : [unmarked(turn)];
  return {
    system: turns
      .slice(0, end)
      .filter(isSystem)
      .flatMap((turn) => only(turn, false)),
    others: [
      ...turns.slice(0, end).flatMap((turn): readonly RequestTurn[] => (isSystem(turn) ? only(turn, true) : [turn])),
      ...(late === "user" ? turns.slice(end).flatMap(asUser) : turns.slice(end)),
    ],
  };
}

/**
 * Moves instructions after the user turn that follows them and before the assistant's, because Claude accepts them only
 * there.
 */
export function afterUser(turns: readonly RequestTurn[]): readonly RequestTurn[] {
  const placed: RequestTurn[] = [];
  let waiting: SystemTurn[] = [];
  for (const turn of turns) {
    if (turn.kind === "system") {
      waiting.push(turn);
      continue;
    }
    const last = placed.at(-1);
    if (turn.kind === "assistant" && last !== undefined && last.kind !== "assistant") {
      placed.push(...waiting);
      waiting = [];
    }
    placed.push(turn);
  }
  return [...placed, ...waiting];
}

const isMade = (turn: RequestTurn): boolean => turn.kind === "user" && turn.isMade;

/** Returns instructions as a marked text of the user's. */
function markedAsUser(turn: SystemTurn): UserTurn {
  const pieces = textsOf(turn).map((piece, at): Piece => {
    const { text } = piece.part;
    return at > 0
      ? piece
      : { ...piece, part: { type: "text", text: `${INSTRUCTIONS_MARK}\n${text}` }, given: undefined };
  });
  return { kind: "user", name: undefined, pieces, isMade: true };
}

/** Returns a user's turn in which no text has the mark of instructions. */
function unmarked(turn: RequestTurn): RequestTurn {
  if (turn.kind !== "user" || turn.isMade) {
    return turn;
  }
  return { ...turn, pieces: turn.pieces.map((piece) => withText(piece, withoutMark)) };
}

/**
 * Returns a piece with another text: that of a text part, or of a document. A provider that takes documents gets the
 * document unchanged.
 */
export function withText(piece: Piece, change: (text: string) => string): Piece {
  const { part, asText = (text) => text } = piece;
  if (part.type !== "text") {
    return { ...piece, asText: (text) => change(asText(text)) };
  }
  const text = change(part.text);
  return text === part.text ? piece : rewritten(piece, text);
}

/** Returns a text part, and the caller's own part, with another text. */
export function rewritten(piece: Piece, text: string): Piece {
  const { part, given } = piece;
  const own = isRecord(given) && typeof given.text === "string" ? { ...given, text } : undefined;
  return { ...piece, part: { ...part, text } as Piece["part"], given: own };
}

/** Returns the texts of instructions. Instructions can't hold anything else. */
export function textsOf(turn: SystemTurn): readonly Piece<SentPart & { readonly type: "text" }>[] {
  return turn.pieces.map((piece) => {
    if (piece.part.type !== "text") {
      throw new MalformedMessage(
        piece.place,
        "the instructions contain something other than text",
        "Put images and files into a user message.",
      );
    }
    return piece as Piece<SentPart & { readonly type: "text" }>;
  });
}
