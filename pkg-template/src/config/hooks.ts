// Hooks: functions of the caller's that a build asks, as callers write them.

import type { Focus, HookName, SummaryFacts } from "../base/generated.js";
import type { AnyMessage } from "../formats/any-message.js";
import type { MessageInput } from "../message/message.js";

/** A value, or the promise of one. */
export type Awaitable<T> = T | PromiseLike<T>;

/** What every hook is told beside its question. */
export interface HookDetails {
  /** It is aborted when the answer is not wanted any more: the hook took too long, or the build was aborted. */
  readonly signal: AbortSignal;
}

/** A message that triage may choose, with all that goes together with it, or an exchange. */
export interface TriageCandidate<M extends AnyMessage = MessageInput> {
  /** The id of its first message, or `#` and that message's position where it has none that is its own. */
  readonly id: string;
  /** Its texts, a line for each message. */
  readonly text: string;
  /** Its messages: the caller's own objects. */
  readonly messages: readonly M[];
}

/** What triage is asked. */
export interface TriageQuestion<M extends AnyMessage = MessageInput> extends HookDetails {
  /** The request's text. */
  readonly request: string;
  /** What there is to choose among, oldest first. */
  readonly candidates: readonly TriageCandidate<M>[];
  /** The model's role: `triage.model`. */
  readonly model: string;
}

/** What a hook may name a candidate by: its id, itself, or one of its messages. */
export type TriageChoice = string | number | TriageCandidate<AnyMessage> | AnyMessage;

/**
 * Says which candidates matter to the request. An empty list is an answer; null says that triage is unavailable. What
 * is no candidate is passed over, and leaves a note. Where it names nothing but such, it has failed.
 */
export type SelectHook<M extends AnyMessage = MessageInput> = (
  question: TriageQuestion<M>,
) => Awaitable<readonly TriageChoice[] | ReadonlySet<TriageChoice> | null | undefined>;

/**
 * Gives a prompt to a model and returns what the model says. The prompt asks which candidates matter, and the answer is
 * read tolerantly: what in it is no number of a candidate leaves a note. Null says that triage is unavailable.
 */
export type CompleteHook = (
  prompt: string,
  details: HookDetails & {
    /** The model's role: `triage.model`. */
    readonly model: string;
  },
) => Awaitable<string | null | undefined>;

/** The hooks of the group `triage`: give one of them. */
export interface TriageHooks<M extends AnyMessage = MessageInput> {
  /** Says which candidates matter. */
  readonly select?: SelectHook<M> | null | undefined;
  /** Gives a prompt that asks which candidates matter to a model. */
  readonly complete?: CompleteHook | null | undefined;
}

/** What recall is asked. */
export interface RecallQuestion extends HookDetails {
  /** The request's text. */
  readonly query: string;
  /** How many items are wanted at most. */
  readonly maxItems: number;
  /** The most characters that will be shown of them. */
  readonly maxChars: number;
  /** How broad it should be. */
  readonly focus: Focus;
}

/** One thing that recall found. */
export interface RecalledInput {
  readonly id?: string | number | null | undefined;
  readonly text: string;
  /** Where it is from. */
  readonly source?: string | null | undefined;
  /** How well it fits. */
  readonly score?: number | null | undefined;
  /** As many stores have it: its `source` counts where the item has none. */
  readonly metadata?: { readonly source?: unknown } | null | undefined;
}

/**
 * Finds knowledge about the request, the best first. Of more than `maxItems` the first are taken. Null says that recall is
 * unavailable. What is no item with a text is left out, and leaves a note.
 */
export type SearchHook = (
  question: RecallQuestion,
) => Awaitable<readonly (RecalledInput | string)[] | null | undefined>;

/**
 * Gives the vectors of texts by a model for embeddings: one for each, in their order, all with as many components. It is
 * given `recall.embedBatchSize` texts at a time, and none that it gave a vector for before, as long as the transcript
 * remembers it. Null says that there are no embeddings.
 */
export type EmbedHook = (
  texts: readonly string[],
  details: HookDetails,
) => Awaitable<readonly (Readonly<Float32Array> | readonly number[])[] | null | undefined>;

/** The hooks of the group `recall`. */
export interface RecallHooks {
  /** Finds knowledge about the request. */
  readonly search?: SearchHook | null | undefined;
  /** Gives the vectors of texts: older messages are ranked by them beside their words. */
  readonly embed?: EmbedHook | null | undefined;
}

/** A conversation of which a summary is wanted. */
export interface ConversationToSummarize<M extends AnyMessage = MessageInput> {
  /** Its id. */
  readonly id: string;
  /** Its texts, a line for each message. */
  readonly text: string;
  /** Its messages: the caller's own objects. */
  readonly messages: readonly M[];
}

/** What a summarizer is asked. */
export interface SummarizeQuestion<M extends AnyMessage = MessageInput> extends HookDetails {
  /** The conversations. */
  readonly conversations: readonly ConversationToSummarize<M>[];
  /** The most characters that will be shown of one summary. */
  readonly maxChars: number;
}

/**
 * Summarizes conversations: gives a list as long as theirs, in their order, or a plain object or `Map` by their ids. Null, for
 * one or in place of all, says that there is no summary, and so does an id that is not there. A list of another length is no
 * answer; a summary that is blank or no text, and an id that nobody asked about, leave a note.
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

/** What the hook `compact.summarize` is asked: to go on with a summary. */
export interface CompactQuestion<M extends AnyMessage = MessageInput> extends HookDetails {
  /** The last summary; null if there is none. */
  readonly previous: string | null;
  /** The messages that the cut has left out since: the caller's own objects. */
  readonly messages: readonly M[];
  /** Their texts, a line for each message. */
  readonly text: string;
  /** Facts of all messages that the summary covers. They are shown after it, and it need not repeat them. */
  readonly facts: SummaryFacts;
  /** The most tokens of the summary. A longer one is cut. */
  readonly maxTokens: number;
}

/**
 * Writes one summary of the last one and the messages that have gone since. Null says that there is none: the last one stays. An answer
 * that isn't shorter than these is refused, and leaves a note.
 */
export type CompactHook<M extends AnyMessage = MessageInput> = (
  question: CompactQuestion<M>,
) => Awaitable<string | null | undefined>;

/** The hook of the group `compact`. */
export interface CompactHooks<M extends AnyMessage = MessageInput> {
  /** Summarizes the messages that the cut leaves out. */
  readonly summarize?: CompactHook<M> | null | undefined;
}

/** Counts the tokens of texts: a whole number from 0 for each, in their order. Anything else fails the build. */
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

/** The hooks of a config. What they take and give is checked where they are called. */
export type Hooks = ReadonlyMap<HookName, (...question: readonly unknown[]) => unknown>;
