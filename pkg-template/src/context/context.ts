// The result of a build as callers see it.

import { ContextError } from "../base/errors.js";
import type {
  CompactReport,
  ConversationReport,
  Fate,
  FocusReport,
  Format,
  MadeText,
  Reason,
  RecallReport,
  Recording,
  Role,
  SectionReport,
  Snapshot,
  StageName,
  TokenReport,
  Trace,
  TraceRange,
  TriageReport,
} from "../base/generated.js";
import { checkOptions, describe, type OptionRules } from "../base/options.js";
import { jsonCopyOf } from "../base/plain-data.js";
import { publicCall } from "../base/public-call.js";
import { counted } from "../base/words.js";
import type { EarlierQuotes } from "../config/config.js";
import type { BoundThinking, MessageKey, PromptOutline } from "../config/outline.js";
import type { RecordedRedaction, Redactor, Restorer } from "../config/redactor.js";
import type { AnyMessage } from "../formats/any-message.js";
import { type ContextManagement, isContextManagement, isShownForATime } from "../formats/context-management.js";
import { type ProviderName, type RequestBodies, requests } from "../formats/requests.js";
import { sentFor } from "../message/base64-text.js";
import { callsAt, idOf, shortenedCopy, withoutCalls, withoutToolCalls } from "../message/edit.js";
import type { UnknownRecord } from "../message/format.js";
import { type MediaLines, withMediaLines } from "../message/media-lines.js";
import type { MessageInput } from "../message/message.js";
import { isCall, isResult } from "../message/origin.js";
import { type ParsedMessage, parse } from "../message/read.js";
import { formatOf, ownFormat } from "../message/recognise.js";
import { ofShares, sharesOf } from "../message/shares.js";
import { timeMsOf } from "../message/times.js";
import { type CheckedThinking, checkThinking, type PlacedMessage, proofsIn, withoutThinking } from "./bound.js";
import {
  FIRST_MADE_ROW,
  type FinishedBuild,
  isQuoted,
  keyOf,
  messageRow,
  messageRows,
  type PieceKey,
  REQUEST_ROW,
  type Run,
  runsOf,
  sharesByMessage,
} from "./pieces.js";
import {
  breakpointsOf,
  type CacheBreakpoint,
  type PrefixReport,
  prefixOf,
  undatedChecksum,
  unorderedChecksum,
} from "./prefix.js";
import { type ContextOriginals, type Excerpting, type Originals, originalsOf, Retrieval } from "./retrieval.js";
import { type CostedPiece, type Measure, type TokensBySource, tokensBySource } from "./token-sources.js";

/**
 * A message that windrow made: the content of a section, or a line that names omitted parts. A shortened copy of a
 * message keeps the message's own type and has the same marks.
 */
export interface ContextMessage {
  readonly role: Role;
  readonly content: string;
  /** Set on a shortened copy. */
  readonly shortened?: true;
  /** Set on an excerpt: the places of its marks in the content, and the tokens left out at each. */
  readonly excerpt?: { readonly gaps: readonly ExcerptGap[] };
}

/** A gap in an excerpt. */
export interface ExcerptGap {
  /** The start of its mark in the content, in code units. */
  readonly start: number;
  /** The tokens left out. An estimate if the hook `countTokens` counts. */
  readonly tokens: number;
}

const WITHOUT_THINKING =
  "; without its thinking: something before it has changed or isn't known, and the model would refuse it";

/** Names the form of a message that isn't whole. */
function formWords(fate: Fate, gaps: readonly ExcerptGap[] = []): string {
  const leftOut = gaps.reduce((sum, { tokens }) => sum + tokens, 0).toLocaleString("en");
  switch (fate) {
    case "excerpt":
      return `; as an excerpt, without ${leftOut} of its tokens`;
    case "stub":
      return `; as a line that says that ${leftOut} tokens are left out`;
    default:
      return fate === "shortened" ? "; shortened" : "";
  }
}

/** The cost of a context, in tokens. */
export interface ContextTokens extends TokenReport {
  /**
   * The same cost by tool, MCP server, source and speaker. It is computed on first access and isn't enumerable. If a
   * message has both words and calls, its cost is divided in proportion to the cost of each part alone.
   */
  readonly bySource: TokensBySource;
}

/** The reason why a message is in the context or not. */
export interface Explanation {
  /** The message's id, if it has one. */
  readonly id: string | undefined;
  /**
   * The position in the transcript, from 0. In a session, its position among the messages read, or -1 if it wasn't
   * read.
   */
  readonly position: number;
  /** The decision about it. */
  readonly fate: Fate;
  /** The stage that decided. */
  readonly stage: StageName;
  /** The reason, as a stable code. */
  readonly reason: Reason;
  /** The reason in words, with the figures of the config. */
  readonly words: string;
  /**
   * The cost in the context, or its cost in the same form if it were included, in tokens. An estimate if it is left out
   * and the hook `countTokens` counts. 0 if it wasn't read.
   */
  readonly tokens: number;
  /** The text that replaces its own, if it was shortened. */
  readonly shortenedText: string | undefined;
}

interface Rest {
  /** A checksum of the tool definitions. */
  readonly head: number;
  /** The smallest prompt prefix that the model's provider caches, in tokens. */
  readonly leastCached: number;
  /** How users are named in the whole transcript: one of `USER_NAMES`. */
  readonly userNames: number;
  /** The positions of the prompt's messages that are instructions. */
  readonly instructions: readonly number[];
  readonly made: readonly MadeText[];
  readonly shortened: readonly (readonly [piece: PieceKey, text: string])[];
  readonly mediaLines: readonly (readonly [piece: PieceKey, lines: MediaLines[number]])[];
  readonly excerpts: readonly (readonly [piece: PieceKey, gaps: readonly ExcerptGap[]])[];
  /** Pieces with the places of calls that have no result, and of results that have no call. */
  readonly halves: readonly (readonly [piece: PieceKey, open: readonly number[], orphans: readonly number[]])[];
  readonly text: string | null;
  readonly tokens: TokenReport;
  readonly charCount: number | null;
  readonly byteCount: number | null;
  readonly trimmed: boolean;
  readonly sections: readonly SectionReport[];
  readonly focus: FocusReport;
  readonly recall: RecallReport | null;
  readonly triage: TriageReport | null;
  readonly compact: CompactReport | null;
  readonly conversations: readonly ConversationReport[];
  readonly trace: Omit<Trace, "ranges"> & {
    readonly decisions: readonly Decision[];
    readonly ranges: readonly (readonly [first: number, last: number, decision: number, tokens: number])[];
  };
  readonly snapshot: Snapshot;
  readonly recording: Recording;
}

type Decision = Omit<TraceRange, "first" | "last" | "tokens">;

/** Returns a trace with its decisions in each run. */
function traceOf({ decisions, ranges, ...rest }: Rest["trace"]): Trace {
  const run = ([first, last, decision, tokens]: (typeof ranges)[number]): TraceRange => {
    const { fate, stage, reason } = decisions[decision] as Decision;
    return { first, last, fate, stage, reason, tokens };
  };
  return { ranges: ranges.map(run), ...rest };
}

/** The calls of a row that have no result, and its results that have no call, by their places in the message. */
interface HalfCalls {
  readonly open: readonly number[];
  readonly orphans: readonly number[];
}

/** Returns the pieces that are messages of the prompt. Quoted ones are part of the text that quotes them. */
const inPlace = (runs: readonly Run[]): Run[] => runs.filter(({ row }) => !isQuoted(row));

/** A recording of a build, including its request, and the stretches read of a session's log. */
export type BuildRecording = Recording & {
  /** The caller's request. Null if the config says that there is no request. */
  readonly request?: MessageInput | null;
  /** The stretches of the log that were read, as pairs of sequence numbers. `Session.replay` reads them again. */
  readonly read?: readonly (readonly [first: number, last: number])[];
  /** The edits of messages, if `redact` made any. They contain no secret. */
  readonly redactions?: readonly RecordedRedaction[];
  /** The positions of the messages whose thinking was sent, if the model binds thinking to everything before it. */
  readonly bound?: readonly number[];
  /** The quotes of earlier prompts that stayed, because that thinking is bound to them. */
  readonly quotes?: readonly EarlierQuotes[];
  /** The settings of the provider's `context_management`. */
  readonly contextManagement?: ContextManagement;
};

/** Facts of a build in addition to its messages. */
interface BuildFacts {
  /** Returns the parsed form of a message, if it is remembered. */
  readonly parsedAt?: ((row: number) => ParsedMessage | undefined) | undefined;
  /** The ids of the transcript's messages, as the engine knows them. */
  readonly ids?: readonly (string | undefined)[] | undefined;
  readonly read?: BuildRecording["read"] | undefined;
  readonly shape?: string | undefined;
  readonly previous?: PromptOutline | undefined;
  readonly redact?: Redactor | undefined;
  /**
   * The positions of the messages whose thinking is sent. Undefined if the model accepts thinking regardless of the
   * messages before it.
   */
  readonly bound?: readonly number[] | undefined;
  /** The sequence numbers of the messages, if they are from a log. */
  readonly seqs?: readonly number[] | undefined;
  /** Builds the context of a few messages. */
  readonly build?: Excerpting | undefined;
  readonly quotes?: readonly EarlierQuotes[] | undefined;
  readonly contextManagement?: ContextManagement | undefined;
}

const REQUEST_OPTIONS: OptionRules = {
  cacheBreakpoints: ["true or false", (value) => typeof value === "boolean"],
  store: ["true or false", (value) => typeof value === "boolean"],
  contextManagement: ["an object or a list of objects", isContextManagement],
  onPrefixMismatch: ['"drop_block" or "error"', (value) => value === "drop_block" || value === "error"],
};

/** Returns the outline of a finished build. Quotes are part of the message made from them. */
function outlineOf(
  runs: readonly Run[],
  { made, sections, head, instructions }: Rest,
  format: Format,
  tools: readonly string[],
  readOf: (row: number) => ParsedMessage,
): PromptOutline {
  const pieces: [number | string, number, number, number?][] = [];
  let last: [number | string, number, number, number?] | undefined;
  const areInstructions = new Set(instructions);
  for (const { row, tokens, checksum } of runs) {
    if (format === "messages" && isQuoted(row) && last !== undefined) {
      last[2] += tokens;
      continue;
    }
    const source = messageRow(row);
    const own = source <= FIRST_MADE_ROW ? (made[FIRST_MADE_ROW - source] as MadeText) : undefined;
    const section = own && sections[own.section]?.id;
    const piece: typeof last = [section ?? source, checksum, tokens];
    if (own?.role === "system" || own?.role === "developer") {
      piece.push(undatedChecksum(own.text));
    } else if (areInstructions.has(source)) {
      piece.push(undatedChecksum(readOf(source).parts.map(({ part }) => part)));
    }
    pieces.push(piece);
    last = piece;
  }
  return { format, head, pieces, ...(tools.length < 2 ? {} : { tools: unorderedChecksum(tools) }) };
}

/** A built context. */
export class BuiltContext<M extends AnyMessage = MessageInput, F extends Format = "messages", Added = ContextMessage> {
  /**
   * The messages to send, in order, in the format `messages`: the caller's own objects, marked copies of shortened
   * ones, and the messages that request and sections add, each in its place. Everything quoted after the history is one
   * message. Undefined in the text formats. The array belongs to the caller: windrow doesn't read it again.
   */
  readonly messages: F extends "messages" ? (M | Added)[] : undefined;
  /** The text to send, in the text formats. Undefined in the format `messages`. */
  readonly text: F extends "messages" ? undefined : string;
  /**
   * The transcript's messages in the context, in the order of the context, so quoted ones come last. They are the
   * caller's own objects. A message that is included in part is a marked copy: for example a user's words without the
   * results next to them, or an answer without a call that has no result. The array belongs to the caller: windrow
   * doesn't read it again.
   */
  readonly kept: M[];
  /** The cost of the context. */
  readonly tokens: ContextTokens;
  /** The length in code points: of the text, or of all contents. Null in the format `messages` without `maxChars`. */
  readonly charCount: number | null;
  /**
   * The size of the JSON to send, in bytes of UTF-8: at least that of the request's body. Null without
   * `budget.maxBytes`.
   */
  readonly byteCount: number | null;
  /** True if the budget, a section's limit or `window.maxRecentMessages` left out or shortened anything. */
  readonly trimmed: boolean;
  /** The contents of each section. */
  readonly sections: readonly SectionReport[];
  /** The breadth of recall. */
  readonly focus: FocusReport;
  /** The outcome of recall. Null if the build had nothing to recall. */
  readonly recall: RecallReport | null;
  /**
   * The decisions of triage, for `triage.decided` of the next build. Null if no hook has been asked about all older
   * messages, in this build or before.
   */
  readonly triage: TriageReport | null;
  /**
   * The summary of the messages that the cut leaves out. Null without a summary and without a hook for it. Pass
   * `summary` as `compact.summary` to the next build of the same messages if they are other objects by then, or if
   * another process builds.
   */
  readonly compact: CompactReport | null;
  /** The conversations, in the order of the context, if `tiers` is on. */
  readonly conversations: readonly ConversationReport[];
  /** The decision about every message, and notes on the build. */
  readonly trace: Trace;
  /** The small record of this turn. */
  readonly snapshot: Snapshot;
  /** Everything that, together with the transcript, is needed to build this context again: see `replay`. */
  readonly recording: BuildRecording;
  /** The prompt's outline. The next build compares itself with it to find the repeated prefix: see `previous`. */
  readonly outline: PromptOutline;
  /**
   * The part of the prompt that repeats the previous one: the build that `previous` names, or else the last build of
   * the same session or `Transcript`. Undefined for the first build.
   */
  readonly prefix: PrefixReport | undefined;

  readonly #source: readonly M[];
  readonly #shortened: ReadonlyMap<number, string>;
  readonly #excerpts: ReadonlyMap<number, readonly ExcerptGap[]>;
  readonly #runs: readonly Run[];
  readonly #measure: Measure;
  readonly #made: readonly MadeText[];
  readonly #leastCached: number;
  readonly #userNames: number;
  readonly #shape: string | undefined;
  readonly #parsedAt: BuildFacts["parsedAt"];
  readonly #ids: readonly (string | undefined)[];
  readonly #redact: Redactor | undefined;
  readonly #bound: ReadonlySet<number> | undefined;
  readonly #halves: ReadonlyMap<number, HalfCalls>;
  /** The messages of the prompt for `request`, independent of later changes to the caller's array. */
  readonly #sent: readonly AnyMessage[] | undefined;
  /** The parsed messages of the prompt, once `request` was called. */
  #parsed: readonly ParsedMessage[] | undefined;
  readonly #seqs: readonly number[] | undefined;
  readonly #build: Excerpting | undefined;
  #retrieved: (() => Originals) | undefined;
  #retrieval: Retrieval | undefined;
  /** The cost of each message in the context, by position. */
  #costs: ReadonlyMap<number, number> | undefined;
  /** The positions of the messages in the prompt, by what they say. */
  #said: ReadonlyMap<string, number> | undefined;
  /** The places of each message's rows in the context, by position. */
  #shares: ReadonlyMap<number, readonly number[]> | undefined;
  #positions: Map<string, number> | undefined;

  /** @internal */
  constructor(
    finished: FinishedBuild,
    source: readonly M[],
    request: MessageInput | null | undefined,
    measure: (encoding: string) => Measure,
    {
      read,
      shape,
      previous,
      parsedAt,
      redact,
      bound,
      quotes = [],
      contextManagement,
      seqs,
      build,
      ids = [],
    }: BuildFacts = {},
  ) {
    const rest = JSON.parse(finished.json) as Rest;
    const { made, text, recording, leastCached } = rest;
    const { length } = recording.transcript;
    const runs = runsOf(finished);
    this.#shortened = new Map(rest.shortened.map(([piece, cut]) => [keyOf(...piece), cut]));
    this.#excerpts = new Map(rest.excerpts.map(([piece, gaps]) => [keyOf(...piece), gaps]));
    this.#source = source.length === length ? source : source.slice(0, length);
    this.#runs = runs;
    this.#measure = measure(rest.tokens.encoding);
    this.#leastCached = leastCached;
    this.#userNames = rest.userNames;
    this.#shape = shape;
    this.#parsedAt = parsedAt;
    this.#ids = ids;
    this.#redact = redact;
    this.#bound = bound && new Set(bound);
    this.#seqs = seqs;
    this.#build = build;
    const mediaLines = new Map(rest.mediaLines.map(([piece, lines]) => [keyOf(...piece), lines]));
    /** Returns a message with lines in place of media that the context doesn't show. */
    const withLines = (message: M, row: number, shares: readonly number[]): M => {
      const lines = shares.map((share) => mediaLines.get(keyOf(row, share)) ?? []);
      return lines.every((own) => own.length === 0)
        ? message
        : withMediaLines(message, lines, row >= 0 ? shape : undefined);
    };
    const readOf = (row: number): ParsedMessage => this.#read(row);
    /** Returns the message that some rows make up. `cut` returns the text that replaces a shortened row's text. */
    const messageOf = (row: number, shares: readonly number[], cut: (share: number) => string | undefined): M => {
      const message = sentFor(source[row] as M);
      if (shares[0] === 0) {
        return message;
      }
      const known = readOf(row);
      const all = sharesOf(known.message, known.parts) ?? [];
      const kept = new Map(shares.map((share) => [share, cut(share)]));
      const isWhole = kept.size === all.length && shares.every((share) => kept.get(share) === undefined);
      return isWhole ? message : ofShares(message, all, kept, shape);
    };
    const halves = new Map(
      rest.halves.map(([[row, share], open, orphans]): [number, HalfCalls] => {
        const position = messageRow(row);
        const { message, parts } = readOf(position);
        const before = (sharesOf(message, parts) ?? []).slice(0, Math.max(share - 1, 0)).flatMap((own) => own.parts);
        const firsts = [before.filter(isCall).length, before.filter(isResult).length] as const;
        const half: HalfCalls = {
          open: open.map((at) => at + firsts[0]),
          orphans: orphans.map((at) => at + firsts[1]),
        };
        return [keyOf(position, share), half];
      }),
    );
    this.#halves = halves;
    /** Copies without open calls, shared by `kept` and `messages`. */
    const copies = new Map<number, M>();
    /** Returns a message without results that have no call, and without open calls unless `withOpen` keeps them. */
    const withoutHalves = (message: M, row: number, shares: readonly number[], withOpen: boolean): M => {
      const half = row < 0 ? [] : shares.flatMap((share) => halves.get(keyOf(row, share)) ?? []);
      if (half.length === 0) {
        return message;
      }
      const isOwn = message === sentFor(source[row] as M) && !withOpen;
      const known = isOwn ? copies.get(row) : undefined;
      if (known !== undefined) {
        return known;
      }
      const open = withOpen ? [] : half.flatMap((it) => it.open);
      const unwanted = callsAt(
        sentFor(source[row] as M),
        readOf(row).parts,
        open,
        half.flatMap((it) => it.orphans),
      );
      const copy = withoutCalls(message, unwanted, shape);
      if (isOwn) {
        copies.set(row, copy);
      }
      return copy;
    };
    const hidesCalls = recording.config.filter?.excludeToolCalls === true;
    // Messages whose calls are hidden are still the caller's own objects.
    const keptOf = (row: number, shares: readonly number[]): M =>
      hidesCalls
        ? sentFor(source[row] as M)
        : withoutHalves(
            messageOf(row, shares, () => undefined),
            row,
            shares,
            false,
          );
    this.kept =
      halves.size === 0 && finished.shares.every((share) => share === 0)
        ? messageRows(finished.rows).map((row) => withLines(sentFor(source[row] as M), row, [0]))
        : Array.from(sharesByMessage(runs), ([row, shares]) => withLines(keptOf(row, shares), row, shares));
    const piece = ({ row, shares }: Run, withOpen = false): M | ContextMessage => {
      if (row <= FIRST_MADE_ROW) {
        const { role, text: content } = made[FIRST_MADE_ROW - row] as MadeText;
        return { role, content };
      }
      const cutOf = (share: number): string | undefined => this.#shortened.get(keyOf(row, share));
      const [first = 0] = shares;
      const known = row === REQUEST_ROW ? sentFor(request as M) : messageOf(row, shares, cutOf);
      const whole = withoutHalves(known, row, shares, withOpen);
      // The request may have a different format from the messages.
      const own = row >= 0 ? shape : undefined;
      const shown = hidesCalls && row >= 0 ? withoutToolCalls(whole, own) : whole;
      const cut = first === 0 ? cutOf(0) : undefined;
      const gaps = this.#excerpts.get(keyOf(row, first));
      if (cut === undefined) {
        const marked = gaps === undefined || shares.length > 1 ? shown : Object.assign(shown, { excerpt: { gaps } });
        return withLines(marked, row, shares);
      }
      return withLines(shortenedCopy(shown, cut, gaps && { excerpt: { gaps } }, own), row, shares);
    };
    const messages = text === null ? inPlace(runs).map((run) => piece(run)) : undefined;
    this.messages = messages as unknown as typeof this.messages;
    const closes = halves.size > 0 && recording.config.render?.openCalls !== "drop";
    const sent = closes && messages !== undefined ? inPlace(runs).map((run) => piece(run, true)) : messages;
    this.#sent = sent === undefined ? undefined : [...(sent as readonly AnyMessage[])];
    this.text = (text ?? undefined) as typeof this.text;
    const { rows, shares, costs } = finished;
    const isTiered = recording.config.tiers?.enabled === true;
    /** Returns the cost of each row of the prompt. Texts that windrow adds to the history count as part of the form. */
    const pieces = (): CostedPiece[] => {
      const found: CostedPiece[] = [];
      for (let at = 0; at < rows.length; at++) {
        const [row, share, tokens] = [rows[at] as number, shares[at] as number, costs[at] as number];
        const position = messageRow(row);
        if (position <= FIRST_MADE_ROW) {
          const { role, section } = made[FIRST_MADE_ROW - row] as MadeText;
          if (isTiered || rest.sections[section]?.kind !== "history") {
            found.push({ role, name: undefined, source: undefined, parts: [], tokens });
          }
          continue;
        }
        const known = row === REQUEST_ROW ? parse(request, "request", "context_build_error") : readOf(position);
        const { message, parts } =
          position < 0 || this.#bound?.has(position) !== false ? known : withoutThinking(known);
        const own = (sharesOf(message, parts) ?? [])[share - 1] ?? { role: message.role, parts };
        const cut = this.#shortened.get(keyOf(row, share));
        const left = own.parts.filter(({ part }) => part.type !== "text");
        found.push({
          role: own.role,
          name: message.name ?? undefined,
          source: message.source ?? undefined,
          parts:
            cut === undefined
              ? own.parts
              : [{ part: { type: "text", text: cut }, given: undefined, place: "" }, ...left],
          tokens,
        });
      }
      return found;
    };
    const tools = (recording.config.budget?.tools ?? []) as readonly string[];
    let bySource: TokensBySource | undefined;
    const sourcesOf = (): TokensBySource => {
      const definitions = rest.tokens.sections[1]?.tokens ?? 0;
      const counted = definitions / (rest.tokens.calibration ?? 1);
      return tokensBySource(pieces(), tools, [definitions, counted], this.#measure);
    };
    this.tokens = Object.defineProperty(rest.tokens as ContextTokens, "bySource", {
      get: () => {
        bySource ??= publicCall("context_build_error", "tokens.bySource", sourcesOf);
        return bySource;
      },
    });
    this.charCount = rest.charCount;
    this.byteCount = rest.byteCount;
    this.trimmed = rest.trimmed;
    this.sections = rest.sections;
    this.focus = rest.focus;
    this.recall = rest.recall;
    this.triage = rest.triage;
    this.compact = rest.compact;
    this.conversations = rest.conversations;
    this.trace = traceOf(rest.trace);
    this.snapshot = rest.snapshot;
    this.recording = {
      ...recording,
      ...(request === undefined ? {} : { request: request && copyOf(request) }),
      ...(read === undefined ? {} : { read }),
      ...(bound === undefined ? {} : { bound }),
      ...(quotes.length === 0 ? {} : { quotes }),
      ...(contextManagement === undefined ? {} : { contextManagement }),
    };
    this.#made = made;
    const redactions = redact?.recorded(this.#source) ?? [];
    if (redactions.length > 0) {
      this.recording = { ...this.recording, redactions };
    }
    const { format = "messages" } = recording.config.render ?? {};
    this.outline = outlineOf(runs, rest, format, tools, readOf);
    this.prefix =
      previous &&
      prefixOf(this.outline, previous, this.tokens.total, {
        wordsOf: (position) => (position < this.recording.transcript.length ? this.explain(position).words : undefined),
        isShortened: (position) => this.#ofAnyRow(this.#shortened, position) !== undefined,
        invalidThinking: Array.from(new Set(messageRows(finished.rows))).filter((position) =>
          this.#lacksThinking(position),
        ),
      });
  }

  /**
   * The places at which a provider's cache may end, in the order of `messages`: at most four, each with at least as
   * many tokens before it as the provider caches. The instructions are always one. With `budget.cut`, the others are
   * the history that stays until the cut moves, the part repeated from the previous build, and the prompt, which the
   * next step of a tool loop repeats. `request` marks them. Empty in the text formats.
   */
  get cacheBreakpoints(): readonly CacheBreakpoint[] {
    const { pieces } = this.outline;
    if (this.#sent === undefined) {
      return [];
    }
    const reasonOf = (source: number | string): string | undefined =>
      typeof source === "number" && source >= 0 ? this.#rangeAt(source)?.reason : undefined;
    const kinds = new Map(this.sections.map(({ id, kind }) => [id, kind]));
    const isInstruction = ([source]: (typeof pieces)[number]): boolean =>
      reasonOf(source) === "instruction" || (typeof source === "string" && kinds.get(source) !== "history");
    const first = pieces.findIndex((piece) => !isInstruction(piece));
    const instructions = first < 0 ? pieces.length : first;
    // Texts that open the history come before its messages, and quotes come after them.
    const isHistory = ([source]: (typeof pieces)[number]): boolean =>
      typeof source === "number" && source >= 0 && reasonOf(source) !== "request";
    const history = Math.max(pieces.findLastIndex(isHistory) + 1, instructions);
    const fixed = this.tokens.total - pieces.reduce((sum, [, , cost]) => sum + cost, 0);
    const ends: [CacheBreakpoint["after"], number][] = [["instructions", instructions]];
    if (this.recording.config.budget?.cut != null) {
      ends.push(["history", history], ["prompt", pieces.length]);
      ends.push(["repeated", this.prefix?.pieces ?? 0]);
    }
    return breakpointsOf(this.outline, ends, fixed, this.#leastCached);
  }

  /**
   * Explains the decision about a message, by its id or its position in the transcript. A number is a position, so pass
   * a numeric id as text. If several messages have the id, it explains the newest. In a session, an id that isn't among
   * the messages read counts as one that wasn't read. Fails with `INVALID_TRANSCRIPT` for an unknown message.
   */
  explain(idOrPosition: string | number): Explanation {
    const position = this.#positionOf(idOrPosition);
    const message = this.#source[position];
    const range = this.#rangeAt(position);
    if (position < 0 && typeof idOrPosition === "string" && this.trace.unreadCount > 0) {
      return notRead(idOrPosition, this.trace.unreadCount);
    }
    if (message === undefined || range === undefined) {
      throw new ContextError({
        kind: "context_build_error",
        code: "INVALID_TRANSCRIPT",
        message: isName(idOrPosition)
          ? `the transcript has no message ${describe(idOrPosition)}`
          : `expected the id or the position of a message, got ${describe(idOrPosition)}`,
        nextAction: "Pass the id of a message, or its position from 0.",
      });
    }
    const { fate, stage, reason } = range;
    const words =
      this.trace.recalled.find((entry) => entry.positions.includes(position))?.words ??
      this.trace.reasons.find((entry) => entry.reason === reason)?.words ??
      reason;
    return {
      id: this.#ids[position],
      position,
      fate,
      stage,
      reason,
      words: `${words}${formWords(fate, this.#ofAnyRow(this.#excerpts, position))}${this.#partWords(position)}${this.#openWords(position)}${this.#lacksThinking(position) ? WITHOUT_THINKING : ""}${fate === "left out" && stage === "budget" ? this.#copyWords(position) : ""}`,
      tokens: this.#costOf(position) ?? this.#measure([message], { first: position, shape: this.#shape })[1] ?? 0,
      shortenedText: this.#ofAnyRow(this.#shortened, position),
    };
  }

  /**
   * Returns the parts of a provider's request that hold this context, valid by every rule of the provider: `{ messages
   * }` for `openai`, `{ instructions, input }` for `openai-responses`, `{ system, messages }` for `anthropic`,
   * `bedrock` and `ai-sdk`, `{ systemInstruction, contents }` for `gemini`, `{ initialPrompts, prompt }` for `chrome`,
   * `{ messages }` for `web-llm`. Only in the format `messages`. Fails with `NOT_SENDABLE`, with the place and the
   * rule, if the provider wouldn't accept the messages.
   *
   * With `budget.cut`, marks the places of `cacheBreakpoints` in the provider's way: for Anthropic, for the AI SDK, for
   * OpenAI's models from GPT-5.6 on, and for Claude and Nova at Bedrock. The option `cacheBreakpoints` overrides this.
   * `contextManagement` becomes the body's `context_management`, for Anthropic and OpenAI's Responses; the default is
   * the config's. `onPrefixMismatch` sets Anthropic's `thinking.block_binding`. `store: false` says that OpenAI's
   * Responses won't keep the request (default: `render.store`). Then reasoning goes only with its encrypted content,
   * and items go without their ids.
   */
  request<Name extends ProviderName>(
    provider: Name,
    options: {
      readonly cacheBreakpoints?: boolean;
      readonly store?: boolean;
      readonly contextManagement?: ContextManagement;
      readonly onPrefixMismatch?: "drop_block" | "error";
    } = {},
  ): RequestBodies[Name] {
    return publicCall("context_build_error", "request", () => {
      checkOptions("context_build_error", options, REQUEST_OPTIONS);
      if (this.#sent === undefined) {
        throw new ContextError({
          kind: "context_build_error",
          code: "INVALID_CONFIG",
          message: "render.format: the context is a text, but a request needs messages",
          path: "render.format",
          nextAction: 'Build it with the format "messages", or send `context.text` as a message of your own.',
        });
      }
      const { takesCacheMarks, requestOfParsed } = requests.get();
      const { budget, model, now, render } = this.recording.config;
      const isMarked = options.cacheBreakpoints ?? (budget?.cut != null && takesCacheMarks(provider, model));
      const ends = isMarked ? this.cacheBreakpoints.map(({ position }) => position) : [];
      this.#parsed ??= this.#parse(this.#sent);
      return requestOfParsed(provider, this.#parsed, {
        cacheEnds: ends,
        userNames: this.#userNames,
        target: {
          model,
          now: timeMsOf(now),
          server: render?.server,
          lateInstructions: render?.lateInstructions,
          store: options.store ?? render?.store ?? undefined,
          onPrefixMismatch: options.onPrefixMismatch,
          contextManagement: options.contextManagement ?? this.recording.contextManagement,
        },
      });
    });
  }

  /**
   * A tool that returns omitted results and messages to the model: its definition for each provider, and `execute` for
   * its calls. With `budget.toolResults.retrieval`, each result that is shown in part has a name in the prompt. The
   * tool never returns messages that `collect` and `filter` exclude.
   */
  get retrieval(): Retrieval {
    this.#retrieval ??= new Retrieval(this.#retrieved?.() ?? this.originals(), this.#build as Excerpting);
    return this.#retrieval;
  }

  /** @internal Lets the tool also return messages that the build hasn't read. */
  retrieveFrom(originals: () => Originals): void {
    this.#retrieved = originals;
  }

  /** @internal Returns the messages that the tool may return. */
  originals(): ContextOriginals {
    const { config, transcript } = this.recording;
    this.#shares ??= sharesByMessage(this.#runs);
    const shares = this.#shares;
    return originalsOf({
      counting: { model: config.model ?? undefined, encoding: config.encoding ?? undefined },
      limit: this.tokens.limit ?? undefined,
      length: transcript.length,
      numberOf: (position) => this.#seqs?.[position] ?? position,
      read: (position) => this.#read(position),
      shownOf: (position, share) => {
        const { fate, stage } = this.#rangeAt(position) ?? {};
        if (fate === undefined || (fate === "left out" && (stage === "collect" || stage === "filter"))) {
          return "hidden";
        }
        const isThere = shares.get(position)?.some((it) => it === share || it === 0) ?? false;
        return isThere && !this.#shortened.has(keyOf(position, share)) ? "whole" : "part";
      },
    });
  }

  #read(position: number): ParsedMessage {
    return (
      this.#parsedAt?.(position) ??
      parse(sentFor(this.#source[position] as M), `messages[${position}]`, "context_build_error", {
        shape: this.#shape,
      })
    );
  }

  /**
   * Restores the secrets in a text or any other value: each placeholder that this context made and sent becomes the
   * secret again. Without `redact`, returns the value itself.
   */
  restore<T>(value: T): T {
    return publicCall("context_build_error", "restore", () => this.#redact?.restored(value, this) ?? value);
  }

  /** Returns a restorer, which does the same as `restore` for a streamed reply. */
  createRestorer(): Restorer {
    return this.#redact?.restorer(this) ?? { push: (piece) => piece, end: () => "" };
  }

  /** Returns the parsed messages of the prompt. Parses copies of them, and the request, here. */
  #parse(messages: readonly AnyMessage[]): readonly ParsedMessage[] {
    const runs = inPlace(this.#runs);
    return messages.map((message, at) => {
      const { row } = runs[at] as Run;
      const known = row < 0 ? undefined : this.#parsedAt?.(row);
      const shape = row < 0 ? undefined : this.#shape;
      const read =
        known?.given === message
          ? known
          : parse(message, `messages[${at}]`, "context_build_error", { shape, before: messages[at - 1] });
      const isWhole = row < 0 || this.#bound === undefined || this.#bound.has(row);
      return row <= FIRST_MADE_ROW ? { ...read, isMade: true } : isWhole ? read : withoutThinking(read);
    });
  }

  /** @internal Checks the thinking in the prompt as a provider does, and records it for the next build. */
  checkThinking(model: string, previous: PromptOutline | undefined): CheckedThinking["invalid"] {
    if (this.#sent === undefined) {
      return new Set();
    }
    const runs = inPlace(this.#runs);
    this.#parsed ??= this.#parse(this.#sent);
    const edits = new Map(this.recording.redactions);
    const placed = this.#parsed.map((read, at): PlacedMessage => {
      const { row } = runs[at] as Run;
      return [row, read, (edits.get(row) ?? []).map(([, , , placeholder]) => placeholder)];
    });
    const { provider, lateInstructions } = this.recording.config.render ?? {};
    // The AI SDK and Bedrock take all instructions at the top, whatever the model accepts.
    const target = { model: provider === "anthropic" ? model : undefined, lateInstructions };
    const writing = { userNames: this.#userNames, target };
    const { bound, invalid } = checkThinking(placed, writing, this.outline.head, model, previous?.bound);
    const quotes = this.#quotes();
    (this as { outline: PromptOutline }).outline = {
      ...this.outline,
      ...(bound === undefined ? {} : { bound: { ...bound, ...(quotes.length === 0 ? {} : { quotes }) } }),
    };
    return invalid;
  }

  /** Returns the quotes in the prompt: those that an earlier prompt had, and its own. */
  #quotes(): NonNullable<BoundThinking["quotes"]> {
    const { quotes = [], transcript } = this.recording;
    const keyOf = (position: number): MessageKey => this.#ids[position] ?? position;
    const found: (readonly [MessageKey, readonly MessageKey[], string])[] = [];
    for (const [at, { row }] of this.#runs.entries()) {
      const isMade = row <= FIRST_MADE_ROW && !isQuoted(row);
      if (!isMade) {
        continue;
      }
      const { text } = this.#made[FIRST_MADE_ROW - row] as MadeText;
      const known = quotes.find((quote) => quote.text === text);
      const rest = this.#runs.slice(at + 1);
      const end = rest.findIndex((run) => !isQuoted(run.row));
      const own = rest.slice(0, end < 0 ? rest.length : end).map((run) => messageRow(run.row));
      if (known === undefined && own.length === 0) {
        continue;
      }
      const next = rest.find((run) => run.row >= 0 && !isQuoted(run.row))?.row;
      // A request passed by the caller is appended after the build.
      const before =
        known?.before ?? (next === undefined || rest[own.length]?.row === REQUEST_ROW ? transcript.length : next);
      found.push([keyOf(before - 1), (known?.quoted ?? own).map(keyOf), text]);
    }
    return found;
  }

  /**
   * @internal Adds a note to the trace for the parts that the provider will clear: by its `context_management`, and by
   * `clear_at` of Anthropic's late instructions.
   */
  noteClearing(settings: ContextManagement | undefined): void {
    publicCall("context_build_error", "noteClearing", () => {
      const { model, render } = this.recording.config;
      const hides = render?.provider === "anthropic" && this.#sent?.some(isShownForATime) === true;
      if (this.#sent === undefined || (settings === undefined && !hides)) {
        return; // nothing is cleared, and the providers may not be loaded
      }
      this.#parsed ??= this.#parse(this.#sent);
      const { clearedWords, hiddenWords } = requests.get();
      const words = [
        ...(settings === undefined ? [] : clearedWords(settings, this.#parsed, this.tokens.total)),
        ...(hides ? hiddenWords(this.#parsed, model) : []),
      ];
      if (words.length > 0) {
        const notes = [...this.trace.notes, { kind: "provider-clears" as const, words: words.join("; ") }];
        (this as { trace: Trace }).trace = { ...this.trace, notes };
      }
    });
  }

  /** @internal Returns the messages that it was built from. */
  source(): readonly M[] {
    return this.#source;
  }

  /** True if a message of the prompt has thinking that was left out. */
  #lacksThinking(position: number): boolean {
    const isSent = this.#bound?.has(position) ?? true;
    if (isSent || this.#rangeAt(position)?.fate === "left out") {
      return false;
    }
    const read =
      this.#parsedAt?.(position) ??
      parse(sentFor(this.#source[position] as M), `messages[${position}]`, "context_build_error", {
        shape: this.#shape,
      });
    return proofsIn(read).length > 0;
  }

  /** Says how much of a message of several rows is left out. */
  #partWords(position: number): string {
    const shares = this.#sharesOf(position).filter((share) => share > 0);
    if (shares.length === 0 || this.recording.config.filter?.excludeToolCalls === true) {
      return "";
    }
    const { message, parts } = this.#read(position);
    const rows = sharesOf(message, parts) ?? [];
    const count = rows.filter((_, at) => !shares.includes(at + 1)).flatMap((row) => row.parts).length;
    return count === 0 ? "" : `; ${count} of its ${parts.length} parts are left out`;
  }

  /** Says which calls of a message have no result. */
  #openWords(position: number): string {
    const open = this.#sharesOf(position).flatMap((share) => this.#halves.get(keyOf(position, share))?.open ?? []);
    const calls = open.length === 0 ? [] : this.#read(position).parts.filter(isCall);
    const ids = open.flatMap((at) => idOf(calls[at]) ?? []);
    const becomes =
      this.recording.config.render?.openCalls === "drop" ? "left out" : "closed as interrupted in the request";
    return ids.length === 0 ? "" : `; without a result, and so ${becomes}: ${ids.join(", ")} (render.openCalls)`;
  }

  /** Names the message of the prompt in which the same speaker says the same. */
  #copyWords(position: number): string {
    const positions = this.#runs.map(({ row }) => messageRow(row)).filter((row) => row >= 0);
    this.#said ??= new Map(positions.map((kept) => [this.#saidAt(kept), kept]));
    const copy = this.#said.get(this.#saidAt(position));
    if (copy === undefined) {
      return "";
    }
    const id = this.#ids[copy];
    const name = id === undefined ? `the message at position ${copy}` : `message ${JSON.stringify(id)}`;
    return `; ${name} says the same, and is in the prompt`;
  }

  /** Returns who says what in a message, as one text. */
  #saidAt(position: number): string {
    const { role, name, content } = this.#read(position).message;
    return JSON.stringify([role, name, content]);
  }

  /** Returns an entry of the first row of a message that has one. */
  #ofAnyRow<T>(known: ReadonlyMap<number, T>, position: number): T | undefined {
    const share = this.#sharesOf(position).find((it) => known.has(keyOf(position, it)));
    return share === undefined ? undefined : known.get(keyOf(position, share));
  }

  /** Returns the places of the rows of a message that are in the context. */
  #sharesOf(position: number): readonly number[] {
    this.#shares ??= sharesByMessage(this.#runs);
    return this.#shares.get(position) ?? [];
  }

  #costOf(position: number): number | undefined {
    if (this.#costs === undefined) {
      const known = new Map<number, number>();
      for (const { row, tokens } of this.#runs) {
        known.set(messageRow(row), (known.get(messageRow(row)) ?? 0) + tokens);
      }
      this.#costs = known;
    }
    return this.#costs.get(position);
  }

  #positionOf(idOrPosition: string | number): number {
    if (typeof idOrPosition === "number") {
      return idOrPosition;
    }
    this.#positions ??= new Map(
      // The list may have grown since the build; later entries don't belong to this context.
      this.#ids.slice(0, this.recording.transcript.length).flatMap((id, position) => {
        return id === undefined ? [] : [[id, position] as const];
      }),
    );
    return this.#positions.get(idOrPosition) ?? -1;
  }

  /** Finds the range that contains a position, by binary search: ranges are in order and leave no gap. */
  #rangeAt(position: number): TraceRange | undefined {
    const ranges = this.trace.ranges;
    let low = 0;
    let high = ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ranges[middle] as TraceRange).last < position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const range = ranges[low];
    return range !== undefined && range.first <= position ? range : undefined;
  }
}

/** Explains why a message is missing that wasn't read, if it belongs to the session at all. */
function notRead(id: string, unreadCount: number): Explanation {
  return {
    id,
    position: -1,
    fate: "left out",
    stage: "collect",
    reason: "not_read",
    words:
      "not among the messages that were read, which already filled the window and the budget, or not in this session " +
      `(${counted(unreadCount, "older message")} not read)`,
    tokens: 0,
    shortenedText: undefined,
  };
}

/** Copies a request, so later changes to the caller's object don't reach the recording. */
function copyOf(request: MessageInput): MessageInput {
  try {
    const { toJSON } = request as { readonly toJSON?: unknown };
    // In some formats only the class of an instance identifies it, and a copy loses its class.
    const isInstance = typeof toJSON === "function" && formatOf(request as unknown as UnknownRecord) !== ownFormat();
    return jsonCopyOf(isInstance ? toJSON.call(request) : request) as MessageInput;
  } catch {
    return request; // a field can't be cloned, such as a function
  }
}

/** True if a value can name a message. */
function isName(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number";
}
