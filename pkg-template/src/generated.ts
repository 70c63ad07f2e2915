// Made from the Rust types by `UPDATE=1 cargo test reference`: do not edit.

/** How a context is built. Everything is optional. */
export interface ContextOptions {
  /** The clock: milliseconds since 1970, or an ISO 8601 date and time. Default: the host's clock. */
  readonly now?: Moment | null | undefined;
  /**
   * The session that the context is for. Messages of other sessions are left out; messages that name no session
   * belong to every one. Default: all sessions.
   */
  readonly sessionId?: string | null | undefined;
  /** The id of this turn, for the snapshot. Default: a random one. */
  readonly turnId?: string | null | undefined;
  /**
   * The model that the context is for, for example `gpt-4o`: it chooses the encoding. A model without a public
   * encoding gets the estimator.
   */
  readonly model?: string | null | undefined;
  /** How tokens are counted; stronger than `model`. Default: by `model`, and without one `o200k_base`. */
  readonly encoding?: EncodingChoice | null | undefined;
  /** What is taken into consideration at all, and in which order. */
  readonly collect?: CollectConfig | undefined;
  /** Which kinds of messages are left out. */
  readonly filter?: FilterConfig | undefined;
  /** How far back the context reaches. */
  readonly window?: WindowConfig | undefined;
  /** What the prompt may cost. */
  readonly budget?: BudgetConfig | undefined;
  /** The form of the context. */
  readonly render?: RenderConfig | undefined;
}

/** A moment as a config may give it. */
export type Moment = number | string;

/**
 * How tokens are counted.
 * - `o200k_base`: Exactly, as GPT-4o and later count.
 * - `cl100k_base`: Exactly, as GPT-4 and GPT-3.5 count.
 * - `estimate`: By estimate, with no vocabulary.
 */
export type EncodingChoice = "o200k_base" | "cl100k_base" | "estimate";

/** What is taken into consideration at all, and in which order. */
export interface CollectConfig {
  /** How many messages are looked at, the newest first; it applies before any filter. Default: all. */
  readonly fetchLimit?: number | null | undefined;
}

/** Which kinds of messages are left out. */
export interface FilterConfig {
  /** The roles that stay. Default: all. */
  readonly roles?: readonly Role[] | null | undefined;
  /** The sources that go, for example `["scheduled", "briefing"]`. Default: none. */
  readonly excludeSources?: readonly string[] | undefined;
  /** The tags that go: a message with one of them is left out. Default: none. */
  readonly excludeTags?: readonly string[] | undefined;
}

/**
 * Who speaks.
 * - `system`: Instructions to the model.
 * - `developer`: Instructions to the model, as newer models call them.
 * - `user`: The human, or whoever asks.
 * - `assistant`: The model.
 * - `tool`: The result of a tool call.
 */
export type Role = "system" | "developer" | "user" | "assistant" | "tool";

/** How far back the context reaches. A message stays only if every limit lets it. */
export interface WindowConfig {
  /** What `lookbackCount` counts. */
  readonly unit?: WindowUnit | undefined;
  /** How many of the newest messages or exchanges stay. Default: all. */
  readonly lookbackCount?: number | null | undefined;
  /** How many of the newest user messages stay, each with all that follows it. Default: all. */
  readonly maxUserTurns?: number | null | undefined;
  /** How many of the newest messages stay, whatever `unit` says. Default: all. */
  readonly maxRecentMessages?: number | null | undefined;
  /**
   * How many hours before the newest message the window begins; a message exactly that old stays, and so does one
   * without a time. Fractions are allowed, 0 or more. Default: no limit.
   */
  readonly recencyHours?: number | null | undefined;
  /** How many of the newest messages stay however old they are: the floor of `recencyHours`. */
  readonly minMessages?: number | undefined;
}

/**
 * The unit of a window.
 * - `message`: One entry of the transcript.
 * - `exchange`: A user message and all that answers it, up to the next user message.
 */
export type WindowUnit = "message" | "exchange";

/** What the prompt may cost. */
export interface BudgetConfig {
  /** The most tokens that the prompt may have. Excludes `contextLimit`. Default: no limit. */
  readonly maxTokens?: number | null | undefined;
  /**
   * The most tokens that prompt and reply may have together: the model's context window. Excludes `maxTokens`.
   * Default: no limit.
   */
  readonly contextLimit?: number | null | undefined;
  /** The tokens of `contextLimit` that are kept free for the reply. Default: 1024. */
  readonly replyReserve?: number | null | undefined;
  /**
   * The most characters (code points) that the prompt may have: the whole text in the text formats, all contents in
   * the format `messages`. Default: no limit.
   */
  readonly maxChars?: number | null | undefined;
  /** What happens where instructions, pinned messages and request alone cost more than the budget. */
  readonly onRequiredOverflow?: OnRequiredOverflow | undefined;
}

/**
 * What happens where what must be kept does not fit.
 * - `error`: The build fails with `BUDGET_TOO_SMALL`.
 * - `shorten`: The longest required texts are cut at their end, with a visible marker.
 */
export type OnRequiredOverflow = "error" | "shorten";

/** The form of the context. */
export interface RenderConfig {
  /** What the context is. */
  readonly format?: Format | undefined;
  /** Whether the text formats show when a message was written, in UTC. The format `messages` has no place for it. */
  readonly times?: boolean | undefined;
}

/**
 * What a context is.
 * - `messages`: A list of chat messages.
 * - `text`: One text, a labelled line or more for each message.
 * - `xml`: One text, an XML element for each message.
 */
export type Format = "messages" | "text" | "xml";

/**
 * An encoding that text can be counted in exactly.
 * - `o200k_base`: `o200k_base`: GPT-4o and later, the o series, gpt-oss.
 * - `cl100k_base`: `cl100k_base`: GPT-4, GPT-3.5, the embedding models.
 */
export type EncodingName = "o200k_base" | "cl100k_base";

/**
 * A stable name of a failure. Messages may improve; codes do not change.
 * - `INVALID_CONFIG`: An option is unknown, of the wrong type or out of range.
 * - `INVALID_TRANSCRIPT`: The transcript is not a list of messages, or one message in it is malformed.
 * - `BUDGET_TOO_SMALL`: What must be kept costs more than the budget.
 * - `ENCODING_NOT_LOADED`: An exact count was asked for and the encoding's vocabulary is not loaded.
 * - `INVALID_ENCODING`: The bytes given as an encoding's vocabulary are not one.
 * - `INVALID_RECORDING`: A recording was made by a later version of the format, or is damaged.
 * - `INTERNAL`: The engine itself failed. It restarts by itself; the next call works.
 */
export type ErrorCode =
  | "INVALID_CONFIG"
  | "INVALID_TRANSCRIPT"
  | "BUDGET_TOO_SMALL"
  | "ENCODING_NOT_LOADED"
  | "INVALID_ENCODING"
  | "INVALID_RECORDING"
  | "INTERNAL";

/**
 * What a segment of a message holds.
 * - `id`: The message's id, as the caller knows it.
 * - `name`: The speaker's name.
 * - `text`: A text part of the content.
 * - `reasoning`: A reasoning part of the content.
 * - `image`: An image part: its detail (`low`, `high` or `auto`), a space, and a fingerprint of it.
 * - `audio`: An audio part: as an image.
 * - `file`: A file part: as an image.
 * - `callId`: A tool call begins: its id.
 * - `callName`: The tool's name.
 * - `callArguments`: The call's arguments, a JSON text.
 * - `resultId`: The id of the call that this message, or the text that follows, is the result of.
 * - `createdAt`: When it was written, where that is a text.
 * - `sessionId`: The session that it belongs to.
 * - `source`: Where it comes from, for example `scheduled`.
 * - `tag`: One of its tags.
 */
export type Field =
  | "id"
  | "name"
  | "text"
  | "reasoning"
  | "image"
  | "audio"
  | "file"
  | "callId"
  | "callName"
  | "callArguments"
  | "resultId"
  | "createdAt"
  | "sessionId"
  | "source"
  | "tag";

/** All that is needed, with the transcript, to build a context again. */
export interface Recording {
  /** The version of this form. */
  readonly formatVersion: number;
  /** The version of windrow that built the context. */
  readonly engineVersion: string;
  /** The effective config, with every default filled in. */
  readonly config: ContextOptions;
  /** The clock of the build, in milliseconds since 1970. */
  readonly now: number;
  /** The transcript that it was built from. */
  readonly transcript: TranscriptRecord;
  /** The hash of what was built. */
  readonly contextHash: string;
}

/** Which transcript a context was built from. */
export interface TranscriptRecord {
  /** How many messages it had. */
  readonly length: number;
  /** A checksum of them with all the fields that windrow reads, as 16 hexadecimal digits. */
  readonly digest: string;
}

/** The small record of a turn. */
export interface Snapshot {
  /** The session that the context is for; null where none was named. */
  readonly sessionId?: string | null | undefined;
  /** The id of the turn. */
  readonly turnId?: string | null | undefined;
  /** `ctx_` and 64 hexadecimal digits: SHA-256 over what was built and the effective config, without the clock. */
  readonly contextHash: string;
  /** How many messages of the transcript are in the context. */
  readonly sourceCounts: SourceCounts;
  /** Whether the budget left out or shortened anything. */
  readonly trimmed: boolean;
  /** The clock of the build, in milliseconds since 1970. */
  readonly timestampMs: number;
}

/** How much of each source is in a context. */
export interface SourceCounts {
  /** Messages of the transcript. */
  readonly messages: number;
}

/** What a context costs, in tokens. */
export interface TokenReport {
  /** The whole prompt, the format's own overhead included. */
  readonly total: number;
  /** What it may cost; null where no token limit was set. */
  readonly limit?: number | null | undefined;
  /** Whether `total` is exact: counted by the encoding, and no part of unknown cost (an image, audio, a file) in it. */
  readonly exact: boolean;
  /** How it was counted: `o200k_base`, `cl100k_base` or `estimate`. */
  readonly encoding: string;
  /** What each section costs; together they are `total`. */
  readonly sections: readonly SectionTokens[];
}

/** What one section of a context costs. */
export interface SectionTokens {
  /**
   * `format` (what the form itself costs), `instructions` (the system and developer
   * messages that the transcript begins with), `history` or `request`.
   */
  readonly id: string;
  /** Its cost in tokens. */
  readonly tokens: number;
}

/**
 * What became of every message: runs of neighbours with the same fate, so its size follows the decisions and not the
 * length of the transcript.
 */
export interface Trace {
  /** The runs, in the order of the transcript; together they cover it without gap or overlap. */
  readonly ranges: readonly TraceRange[];
  /** The reasons that occur, in words. */
  readonly reasons: readonly ReasonWords[];
}

/** A run of neighbouring messages with the same fate. */
export interface TraceRange {
  /** Position of the run's first message in the transcript, from 0. */
  readonly first: number;
  /** Position of the run's last message, inclusive. */
  readonly last: number;
  /** What became of them. */
  readonly fate: Fate;
  /** The stage that decided. */
  readonly stage: StageName;
  /** Why. */
  readonly reason: Reason;
  /** What they cost together in the context, in tokens; 0 where they were left out. */
  readonly tokens: number;
}

/**
 * What became of a message.
 * - `kept`: It is in the context, whole.
 * - `shortened`: It is in the context, cut to fit, with a visible marker.
 * - `left out`: It is not in the context.
 */
export type Fate = "kept" | "shortened" | "left out";

/**
 * A stage of a build.
 * - `collect`: Order, groups, session.
 * - `filter`: Roles, sources, tags.
 * - `window`: Count, turns, time.
 * - `budget`: What fits.
 * - `render`: The form.
 * - `snapshot`: The hash and the recording.
 */
export type StageName = "collect" | "filter" | "window" | "budget" | "render" | "snapshot";

/**
 * Why it became so. The codes are stable.
 * - `other_session`: It belongs to another session than the one asked for.
 * - `beyond_fetch_limit`: It is older than what is fetched.
 * - `call_without_result`: It calls a tool, and the transcript has no result for the call.
 * - `result_without_call`: It is a tool's result, and the transcript has no call for it.
 * - `role`: Its role is not among the wanted ones.
 * - `source`: Its source is excluded.
 * - `tag`: One of its tags is excluded.
 * - `beyond_lookback`: It is older than the newest messages or exchanges that the window takes.
 * - `beyond_user_turns`: It is older than the newest user turns that the window takes.
 * - `beyond_recent_messages`: It is older than the newest messages that may be kept.
 * - `too_old`: It is older than the window's hours.
 * - `split_group`: Its tool call or result was left out, and they go together.
 * - `over_budget`: The budget had no room left for it.
 * - `instruction`: It is one of the system or developer messages that the transcript begins with.
 * - `pinned`: The caller pinned it.
 * - `request`: It stands for a request that was not given, or goes together with what does.
 * - `history`: It is history, and there was room for it.
 */
export type Reason =
  | "other_session"
  | "beyond_fetch_limit"
  | "call_without_result"
  | "result_without_call"
  | "role"
  | "source"
  | "tag"
  | "beyond_lookback"
  | "beyond_user_turns"
  | "beyond_recent_messages"
  | "too_old"
  | "split_group"
  | "over_budget"
  | "instruction"
  | "pinned"
  | "request"
  | "history";

/** A reason in words. */
export interface ReasonWords {
  /** The reason. */
  readonly reason: Reason;
  /** What it says, with the figures of the config. */
  readonly words: string;
}

/** Every role, in the order of its code in the engine. */
export const ROLES: readonly Role[] = ["system", "developer", "user", "assistant", "tool"];

/** Every field, in the order of its code in the engine. */
export const FIELDS: readonly Field[] = [
  "id",
  "name",
  "text",
  "reasoning",
  "image",
  "audio",
  "file",
  "callId",
  "callName",
  "callArguments",
  "resultId",
  "createdAt",
  "sessionId",
  "source",
  "tag",
];
