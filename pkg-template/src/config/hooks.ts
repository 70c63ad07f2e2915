// Types of hooks: the caller's functions that a build calls.

import type { Focus, HookName, SummaryFacts } from "../base/generated.js";
import type { AnyMessage } from "../formats/any-message.js";
import type { MessageInput } from "../message/message.js";

/** A value, or a promise of one. */
export type Awaitable<T> = T | PromiseLike<T>;

/** Details that every hook receives in addition to its question. */
export interface HookDetails {
  /** Aborted when the answer is no longer wanted: the hook took too long, or the build was aborted. */
  readonly signal: AbortSignal;
}

/** An exchange, or a message together with everything that belongs to it, that triage may choose. */
export interface TriageCandidate<M extends AnyMessage = MessageInput> {
  /** The id of its first message, or `#` and that message's position if it has no unique id. */
  readonly id: string;
  /** The texts, one line per message. */
  readonly text: string;
  /** The messages, which are the caller's objects. */
  readonly messages: readonly M[];
}

/** The question for triage. */
export interface TriageQuestion<M extends AnyMessage = MessageInput> extends HookDetails {
  /** The request's text. */
  readonly request: string;
  /** The candidates, oldest first. */
  readonly candidates: readonly TriageCandidate<M>[];
  /** The model's role: `triage.model`. */
  readonly model: string;
}

/** The ways for a hook to name a candidate: by its id, the candidate itself, or one of its messages. */
export type TriageChoice = string | number | TriageCandidate<AnyMessage> | AnyMessage;

/**
 * Chooses the candidates that matter to the request. An empty list is an answer; null says that triage is unavailable.
 * Unknown names are skipped with a note. An answer with nothing but unknown names counts as a failure.
 */
export type SelectHook<M extends AnyMessage = MessageInput> = (
  question: TriageQuestion<M>,
) => Awaitable<readonly TriageChoice[] | ReadonlySet<TriageChoice> | null | undefined>;

/**
 * Sends a prompt to a model and returns the reply. The prompt asks which candidates matter. The reply is read
 * leniently: anything that isn't the number of a candidate leaves a note. Null says that triage is unavailable.
 */
export type CompleteHook = (
  prompt: string,
  details: HookDetails & {
    /** The model's role: `triage.model`. */
    readonly model: string;
  },
) => Awaitable<string | null | undefined>;

/** The hooks of the group `triage`. Set one of them. */
export interface TriageHooks<M extends AnyMessage = MessageInput> {
  /** Chooses the candidates that matter. */
  readonly select?: SelectHook<M> | null | undefined;
  /** Sends a model a prompt that asks which candidates matter. */
  readonly complete?: CompleteHook | null | undefined;
}

/** The question for recall. */
export interface RecallQuestion extends HookDetails {
  /** The request's text. */
  readonly query: string;
  /** Maximum number of items to return. */
  readonly maxItems: number;
  /** Maximum number of their characters that the prompt shows. */
  readonly maxChars: number;
  /** How broad the search should be. */
  readonly focus: Focus;
}

/** One item that recall found. */
export interface RecalledInput {
  readonly id?: string | number | null | undefined;
  readonly text: string;
  /** The name of the item's source. */
  readonly source?: string | null | undefined;
  /** The item's relevance. */
  readonly score?: number | null | undefined;
  /** Metadata in the form that many stores use. Its `source` is used if the item has none. */
  readonly metadata?: { readonly source?: unknown } | null | undefined;
}

/**
 * Finds knowledge about the request, best first. Items after the first `maxItems` are ignored. Null says that recall is
 * unavailable. An item without a text is left out with a note.
 */
export type SearchHook = (
  question: RecallQuestion,
) => Awaitable<readonly (RecalledInput | string)[] | null | undefined>;

/**
 * Returns embeddings of texts: one vector per text, in order, all of the same length. Each call passes at most
 * `recall.embedBatchSize` texts, and none whose vector the transcript still remembers. Null says that embeddings are
 * unavailable.
 */
export type EmbedHook = (
  texts: readonly string[],
  details: HookDetails,
) => Awaitable<readonly (Readonly<Float32Array> | readonly number[])[] | null | undefined>;

/** The hooks of the group `recall`. */
export interface RecallHooks {
  /** Finds knowledge about the request. */
  readonly search?: SearchHook | null | undefined;
  /** Returns embeddings. They rank older messages together with the words. */
  readonly embed?: EmbedHook | null | undefined;
}

/** A conversation that needs a summary. */
export interface ConversationToSummarize<M extends AnyMessage = MessageInput> {
  /** The id. */
  readonly id: string;
  /** The texts, one line per message. */
  readonly text: string;
  /** The messages, which are the caller's objects. */
  readonly messages: readonly M[];
}

/** The question for a summarizer. */
export interface SummarizeQuestion<M extends AnyMessage = MessageInput> extends HookDetails {
  /** The conversations. */
  readonly conversations: readonly ConversationToSummarize<M>[];
  /** Maximum number of characters of one summary that the prompt shows. */
  readonly maxChars: number;
}

/**
 * Summarizes conversations. Returns a list with one summary per conversation, in order, or a plain object or `Map` by
 * id. Null, as an entry or as the whole answer, means no summary, and so does a missing id. A list of another length is
 * not an answer. A blank summary, a value that isn't a text, and an unknown id leave a note.
 */
export type SummarizeHook<M extends AnyMessage = MessageInput> = (
  question: SummarizeQuestion<M>,
) => Awaitable<
  | readonly (string | null | undefined)[]
  | ReadonlyMap<string, string | null | undefined>
  | Readonly<Record<string, string | null | undefined>>
  | null
  | undefined
>;

/** The hook of the group `tiers`. */
export interface TierHooks<M extends AnyMessage = MessageInput> {
  /** Summarizes conversations. */
  readonly summarize?: SummarizeHook<M> | null | undefined;
}

/** The question for the hook `compact.summarize`, which extends the last summary. */
export interface CompactQuestion<M extends AnyMessage = MessageInput> extends HookDetails {
  /** The last summary. Null for the first one. */
  readonly previous: string | null;
  /** The messages that the cut has left out since. They are the caller's objects. */
  readonly messages: readonly M[];
  /** Their texts, one line per message. */
  readonly text: string;
  /** Facts of all messages that the summary covers. They are shown after it, so it need not repeat them. */
  readonly facts: SummaryFacts;
  /** Maximum number of tokens of the summary. A longer one is cut. */
  readonly maxTokens: number;
}

/**
 * Writes one summary from the last one and the messages left out since. Null keeps the last summary. An answer that
 * isn't shorter than its input is refused with a note.
 */
export type CompactHook<M extends AnyMessage = MessageInput> = (
  question: CompactQuestion<M>,
) => Awaitable<string | null | undefined>;

/** The hook of the group `compact`. */
export interface CompactHooks<M extends AnyMessage = MessageInput> {
  /** Summarizes the messages that the cut leaves out. */
  readonly summarize?: CompactHook<M> | null | undefined;
}

/** Counts tokens: returns an integer from 0 for each text, in order. Any other answer fails the build. */
export type CountTokensHook = (
  texts: readonly string[],
  details: HookDetails,
) => Awaitable<readonly number[] | Readonly<Uint32Array>>;

/** Every hook, by its path in the config. */
export const HOOK_NAMES: readonly HookName[] = [
  "triage.select",
  "triage.complete",
  "recall.search",
  "recall.embed",
  "tiers.summarize",
  "compact.summarize",
  "countTokens",
];

/** The hooks of a config. The code that calls a hook checks its arguments and answer. */
export type Hooks = ReadonlyMap<HookName, (...question: readonly unknown[]) => unknown>;
