// Made from the Rust types by `UPDATE=1 cargo test reference`: do not edit.

/** An answer to a need, which determines the fields it has. */
export interface Answer {
  /** The hook that answers. */
  readonly hook: HookName;
  /** Success or failure of the hook. */
  readonly outcome: Outcome;
  /** Why there is no answer: the error that the hook threw, or the timeout. */
  readonly reason?: string | null | undefined;
  /** The parts that windrow couldn't read, and its fallback for them, in words. None if it could read everything. */
  readonly misunderstood?: string | null | undefined;
  /** For triage: the ids of the chosen units. */
  readonly ids?: readonly string[] | null | undefined;
  /**
   * For triage by `complete`: the model's reply, which is parsed into `ids` and recorded in that form. For
   * `compact.summarize`: the summary.
   */
  readonly text?: string | null | undefined;
  /** For recall: the hits, best first. */
  readonly items?: readonly RecalledItem[] | null | undefined;
  /**
   * For embeddings: the similarity of each possible message to the request, in order. Each is two base64 letters,
   * for an integer from 0 (opposite) to 4000 (identical).
   */
  readonly similarities?: string | null | undefined;
  /** For summaries: one for each requested conversation, in order. */
  readonly summaries?: readonly (string | null)[] | null | undefined;
  /** For counts: one for each requested text, in order. */
  readonly counts?: readonly number[] | null | undefined;
}

/**
 * One of the caller's functions.
 * - `triage.select`: The candidates that matter, as ids.
 * - `triage.complete`: The candidates that matter, as a model's reply to a prompt.
 * - `recall.search`: Items relevant to the request.
 * - `recall.embed`: The vectors of texts.
 * - `tiers.summarize`: Summaries of conversations.
 * - `compact.summarize`: A summary of the messages that the cut leaves out.
 * - `countTokens`: Token counts of texts.
 */
export type HookName =
  | "triage.select"
  | "triage.complete"
  | "recall.search"
  | "recall.embed"
  | "tiers.summarize"
  | "compact.summarize"
  | "countTokens";

/**
 * Success or failure of a hook.
 * - `given`: The hook answered.
 * - `unavailable`: The hook said that it is unavailable.
 * - `failed`: The hook failed, took too long, or returned an invalid answer.
 */
export type Outcome = "given" | "unavailable" | "failed";

/** A hit of recall. */
export interface RecalledItem {
  /** Its id. */
  readonly id?: string | null | undefined;
  /** Its text. */
  readonly text: string;
  /** The origin. */
  readonly source?: string | null | undefined;
  /** How well the hit matches. */
  readonly score?: number | null | undefined;
}

/**
 * How a context is built. Everything is optional.
 *
 * Limits on hours, days, user turns, or characters of one text are off at 0, because such a limit would leave nothing.
 * Counts of messages and items, and budgets, are literal: 0 allows none.
 */
export interface ContextOptions {
  /** Includes history in the context. Without it, only instructions, sections and the request remain. */
  readonly enabled?: boolean | undefined;
  /** The current time: milliseconds since 1970, or an ISO 8601 date and time. Default: the host's clock. */
  readonly now?: Moment | null | undefined;
  /**
   * The user's time zone, an IANA name such as `Europe/Berlin`. It determines how times are shown and when a day
   * begins. Default: UTC.
   */
  readonly timeZone?: string | null | undefined;
  /**
   * The session that the context is for. Messages of other sessions are left out; see `collect.sessionScope`.
   * Default: the request's session, or all sessions if it names none.
   */
  readonly sessionId?: string | null | undefined;
  /**
   * The agent that the context is for. Messages with another `target` are left out. Messages with this target come
   * after the history, ordered by `priority`, then newest first. Default: `target` is ignored.
   */
  readonly agentId?: string | null | undefined;
  /** The id of this turn, for the snapshot. Default: a random one. */
  readonly turnId?: string | null | undefined;
  /**
   * The model that the context is for, such as `gpt-4o`. It determines the encoding. If the model has no public
   * encoding, tokens are estimated.
   */
  readonly model?: string | null | undefined;
  /**
   * How tokens are counted; overrides `model`. Default: by `model`. Without a model, counts use `o200k_base` and
   * aren't called exact, because the model may count differently.
   */
  readonly encoding?: EncodingChoice | null | undefined;
  /** Selects the messages to consider at all, and their order. */
  readonly collect?: CollectConfig | undefined;
  /** Leaves out messages by their kind. */
  readonly filter?: FilterConfig | undefined;
  /** How far back the context reaches. */
  readonly window?: WindowConfig | undefined;
  /** Recalls older messages and items for the request. */
  readonly recall?: RecallConfig | undefined;
  /** Asks a fast model for the older messages that matter. */
  readonly triage?: TriageConfig | undefined;
  /** How much of each conversation is shown. */
  readonly tiers?: TiersConfig | undefined;
  /** Limits on the cost of the prompt. */
  readonly budget?: BudgetConfig | undefined;
  /** A summary that replaces the messages that the cut leaves out. */
  readonly compact?: CompactConfig | undefined;
  /** The form of the context. */
  readonly render?: RenderConfig | undefined;
  /** The parts of the prompt, in order. Default: the history, then the request. */
  readonly sections?: readonly Section[] | null | undefined;
}

/** A moment in any form that a config accepts. */
export type Moment = number | string;

/**
 * How tokens are counted: exactly, in an encoding by its name, or by `estimate`, with no vocabulary.
 * - `o200k_base`: Exactly, in this encoding.
 * - `cl100k_base`: Exactly, in this encoding.
 * - `qwen`: Exactly, in this encoding.
 * - `deepseek_v3`: Exactly, in this encoding.
 * - `tekken`: Exactly, in this encoding.
 * - `llama3`: Exactly, in this encoding.
 * - `estimate`: By estimate, with no vocabulary.
 */
export type EncodingChoice = "o200k_base" | "cl100k_base" | "qwen" | "deepseek_v3" | "tekken" | "llama3" | "estimate";

/** Selects the messages to consider at all, and their order. */
export interface CollectConfig {
  /** The messages that belong to `sessionId`. */
  readonly sessionScope?: SessionScope | undefined;
  /**
   * Leaves out a message if an earlier one has the same id. Use it if a list combines several sources, such as
   * memory and events.
   */
  readonly deduplicate?: boolean | undefined;
  /**
   * Treats the system and developer messages at the start of the transcript as instructions, which no limit leaves
   * out. If false, they are history like any other message.
   */
  readonly keepInstructions?: boolean | undefined;
  /** Number of messages of the session that a cache holds. Older ones are ignored. Default: all (istota uses 200). */
  readonly cacheLimit?: number | null | undefined;
  /** Number of the newest messages to consider. Default: all (istota uses 100 for chats). */
  readonly fetchLimit?: number | null | undefined;
  /** The unit of `cacheLimit` and `fetchLimit`. */
  readonly limitsCount?: LimitsCount | undefined;
}

/**
 * The messages that belong to a session.
 * - `session`: Messages that name it or no session.
 * - `strict`: Only messages that name it.
 * - `all`: Messages of all sessions.
 */
export type SessionScope = "session" | "strict" | "all";

/**
 * Unit of the cache and fetch limits.
 * - `messages`: All messages of the session before any filter, as a store or server has them.
 * - `history`: The unit of `window.lookbackCount`: messages or exchanges (`window.unit`) that pass the filter. The limits are
 * never below `lookbackCount`.
 */
export type LimitsCount = "messages" | "history";

/** Leaves out messages by their kind. */
export interface FilterConfig {
  /** The roles that stay. Default: all. In the text formats a call is text, so it can stay without its result. */
  readonly roles?: readonly Role[] | null | undefined;
  /** The sources to leave out, for example `["scheduled", "briefing"]`. Default: none. */
  readonly excludeSources?: readonly string[] | undefined;
  /** The tags to leave out: a message with any of them is left out. Default: none. */
  readonly excludeTags?: readonly string[] | undefined;
  /**
   * Leaves out unfinished turns: messages whose `status` is anything but `completed`, and user messages that get no
   * reply before the next one.
   */
  readonly completedOnly?: boolean | undefined;
  /**
   * Leaves out tool calls and their results. In the format `messages`, a message with text and calls becomes a
   * marked copy without the calls.
   */
  readonly excludeToolCalls?: boolean | undefined;
  /**
   * Leaves out messages without any text, call or media. With `render.provider` they are always left out, because no
   * provider accepts them.
   */
  readonly excludeBlank?: boolean | undefined;
  /**
   * Maximum age of a message in days. A message of exactly that age stays, and so does one without a time. Fractions
   * are allowed; 0 is off. Default: no limit.
   */
  readonly maxAgeDays?: number | null | undefined;
  /**
   * Sentences that the user wants forgotten, for example by `session.forget`. A message that says nothing else is
   * left out. One that says more is never chosen for its rank or as a lasting statement, but stays where the
   * conversation itself is shown. The request, instructions and pinned messages stay.
   */
  readonly forgotten?: readonly ForgottenSentence[] | undefined;
}

/**
 * The speaker's role.
 * - `system`: Instructions to the model.
 * - `developer`: Instructions to the model, as newer models call them.
 * - `user`: The human, or whoever else asks.
 * - `assistant`: The model.
 * - `tool`: The result of a tool call.
 */
export type Role = "system" | "developer" | "user" | "assistant" | "tool";

/** A sentence that the user wants forgotten. */
export interface ForgottenSentence {
  /** The sentence, as `statements` lists it. */
  readonly sentence: string;
  /** The ids of the messages that say it. Default: all of the user's messages that do. */
  readonly messageIds?: readonly string[] | null | undefined;
}

/** How far back the context reaches. A message stays only if it is within every limit. */
export interface WindowConfig {
  /** The unit of `lookbackCount` and `previousTasksCount`, and of triage's choices. */
  readonly unit?: WindowUnit | undefined;
  /** Number of the newest messages or exchanges that stay. Default: all. */
  readonly lookbackCount?: number | null | undefined;
  /** Number of the newest user messages that stay, each with everything that follows it; 0 is off. Default: all. */
  readonly maxUserTurns?: number | null | undefined;
  /** Number of the newest messages that stay, regardless of `unit`. Default: all. */
  readonly maxRecentMessages?: number | null | undefined;
  /**
   * Hours before the newest message at which the window begins. A message of exactly that age stays, and so does one
   * without a time. Fractions are allowed; 0 is off. Default: no limit.
   */
  readonly recencyHours?: number | null | undefined;
  /** Number of the newest messages or exchanges that stay regardless of age, even with `recencyHours`. */
  readonly minMessages?: number | undefined;
  /**
   * Number of the newest messages or exchanges from any source to bring back if `filter.excludeSources` or the
   * window left them out.
   */
  readonly previousTasksCount?: number | undefined;
  /**
   * Number of the window's newest messages that are required, each with the messages that belong to it. They are
   * never left out and get room before everything else. If they don't fit, `budget.onRequiredOverflow` applies.
   */
  readonly requiredNewest?: number | undefined;
  /** Keeps the message that the request replies to, wherever it is in the session. */
  readonly includeReplyTo?: boolean | undefined;
}

/**
 * The unit of a window.
 * - `message`: One entry of the transcript.
 * - `exchange`: A user message and everything that answers it, up to the next user message.
 */
export type WindowUnit = "message" | "exchange";

/**
 * Keeps older messages for their relevance to the request if not all fit. Also configures the items of the section of
 * kind `recall`.
 */
export interface RecallConfig {
  /** How older messages are ranked if not all fit. */
  readonly ranking?: Ranking | undefined;
  /**
   * Finds messages that are close to the request in meaning, even if they share none of its words. Only with the
   * ranking `relevance`. If the hook `embed` is set, it is used instead.
   */
  readonly meaning?: Meaning | undefined;
  /** Number of the newest messages that come before all others. */
  readonly recentMessages?: number | undefined;
  /**
   * Maximum share (0 to 1) of the history's room for these newest messages. If the number of messages is limited,
   * they get at least one message or group.
   */
  readonly maxRecentShare?: number | undefined;
  /**
   * Maximum share (0 to 1) of the history's room for messages with the user's standing instructions ("from now on",
   * "I prefer"). At 0 they rank like all others.
   */
  readonly maxStandingShare?: number | undefined;
  /**
   * Maximum share (0 to 1) of the history's room for the user's lasting statements (an allergy, a preference, how to
   * be answered). They are included if they are worth more than the messages that they displace. At 0 they rank like
   * all others. Default: 0.5, or 1 if the assistant has answered the request, because then nothing is asked that needs
   * the rest.
   */
  readonly maxStatementShare?: number | null | undefined;
  /**
   * Maximum share (0 to 1) of the history's room for ranked messages. If the number of messages is limited, they get
   * at least one message or group unless this is 0. The rest of the room goes to the newest messages.
   */
  readonly maxShare?: number | undefined;
  /**
   * Shows only the relevant passages of long messages that aren't worth their full cost. Only with the ranking
   * `relevance`.
   */
  readonly excerpts?: ExcerptConfig | undefined;
  /**
   * Adds messages next to those kept for their rank, so that the context reads like a conversation with an
   * assistant. Only with the ranking `relevance`.
   */
  readonly pairs?: PairConfig | undefined;
  /** The place of messages that are kept for their rank, and of those that belong to them. */
  readonly placement?: Placement | undefined;
  /** Shows the items of the section of kind `recall` next to the hits of the hook `recall.search`, or only the hits. */
  readonly searchResults?: SearchResults | undefined;
  /** How broad recall is. Sets `maxItems` and `maxChars` unless they are set. Default: from `focusSignals`. */
  readonly focus?: Focus | null | undefined;
  /** Signals that determine the focus if `focus` isn't set. Default: `balanced`, 0.50. */
  readonly focusSignals?: FocusSignals | null | undefined;
  /**
   * Number of items to request from the hook, or to show from the section's own. Default: 4, 8 or 16, depending on
   * the focus.
   */
  readonly maxItems?: number | null | undefined;
  /**
   * Maximum number of characters of all items together, in their final form. Longer text is cut with `...`. Default:
   * 900, 1700 or 3600, depending on the focus.
   */
  readonly maxChars?: number | null | undefined;
  /** Maximum number of characters of one item's text. Longer text is cut with `...`. */
  readonly maxItemChars?: number | undefined;
  /** Maximum number of texts that the hook `embed` gets at a time, at least 1. */
  readonly embedBatchSize?: number | undefined;
  /**
   * Name of the model that the hook `embed` uses. Vectors stored under another name aren't used, so change the name
   * if you change the model.
   */
  readonly embedModel?: string | undefined;
  /** Time limit for each hook call, in milliseconds. With `embed`, each batch is a call. */
  readonly timeoutMs?: number | undefined;
  /**
   * The text to show if the request is blank, so that there is nothing to search for. Default: the section's
   * `empty`.
   */
  readonly emptyQuery?: string | null | undefined;
  /**
   * The text to show if the hook is missing, unavailable or failed, and the section has no items either. Default:
   * the section's `empty`.
   */
  readonly unavailable?: string | null | undefined;
}

/**
 * How older messages are ranked.
 * - `relevance`: By relevance to the request and to the messages that it continues from.
 * - `bm25`: Only by the words of the request, each message on its own: plain BM25, for comparison.
 * - `recency`: Newest first: nothing is recalled.
 */
export type Ranking = "relevance" | "bm25" | "recency";

/**
 * How to find messages that are close to the request in meaning.
 * - `none`: Off: only words count.
 * - `static`: Adds up the vectors of a text's words from a table. No model runs and no request is sent; see `loadMeaning`.
 * English only: messages in other languages rank by their words.
 */
export type Meaning = "none" | "static";

/**
 * Reduces long messages to the passages relevant to the request. The result is a marked copy, with a visible marker
 * for each omission. Messages with an image, a file, reasoning or several texts are never shortened this way.
 */
export interface ExcerptConfig {
  /** Allows excerpts. */
  readonly enabled?: boolean | undefined;
  /** The roles whose messages may become excerpts. */
  readonly roles?: readonly Role[] | undefined;
  /** Approximate minimum size of a message that may become an excerpt, in tokens. */
  readonly minTokens?: number | undefined;
  /** Approximate initial size of an excerpt, in tokens. It grows if the other messages leave room. */
  readonly tokens?: number | undefined;
}

/** Adds messages next to those kept for their rank, if they fit. */
export interface PairConfig {
  /** If true, a reply of the assistant brings along the question that it answers: the user's last message before it. */
  readonly questions?: boolean | undefined;
  /**
   * About how many tokens of its reply a user's question brings along. A shorter reply comes whole. Of a longer one,
   * only the passages relevant to the request come, if `excerpts` are enabled. 0 brings nothing.
   */
  readonly replyTokens?: number | undefined;
}

/**
 * The place of history messages that were picked individually.
 * - `chronological`: In their chronological place in the history.
 * - `afterHistory`: Quoted between the history and the request, oldest first, below `render.quoteLabel`. In the format `messages`
 * they are one user message. With `budget.cut`, ranked messages are always quoted.
 */
export type Placement = "chronological" | "afterHistory";

/**
 * Shows the items of a section of kind `recall` next to the hits of the hook `recall.search`, or only the hits. If the
 * hook has no answer, the matching items are shown.
 * - `replace`: Shows only the hook's hits.
 * - `join`: Alternates between the hook's hits and the matching items, best first in each, without duplicate texts.
 */
export type SearchResults = "replace" | "join";

/**
 * How broad recall is.
 * - `focused`: A small set: 4 items, 900 characters.
 * - `balanced`: 8 items, 1700 characters.
 * - `diffuse`: A broad set: 16 items, 3600 characters.
 */
export type Focus = "focused" | "balanced" | "diffuse";

/** takobot's DOSE signals, each from 0 to 1. Values outside that range are clamped, and a missing one counts as 0.5. */
export interface FocusSignals {
  /** Dopamine. */
  readonly d?: number | null | undefined;
  /** Oxytocin. */
  readonly o?: number | null | undefined;
  /** Serotonin. */
  readonly s?: number | null | undefined;
  /** Endorphins. */
  readonly e?: number | null | undefined;
}

/**
 * Asks a fast model which older messages matter, through a hook: `select` or `complete`. Without a hook every older
 * message stays, unless `onUnavailable` says otherwise.
 */
export interface TriageConfig {
  /** If there are at most this many units (messages or exchanges, by `window.unit`), all are kept without asking. */
  readonly skipSelectionThreshold?: number | undefined;
  /** A name for the model, passed on to the hook unchanged. */
  readonly model?: string | undefined;
  /** Time limit for the hook, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Chooses among older units. If false, they all stay. */
  readonly useSelection?: boolean | undefined;
  /** Number of the newest units that are always kept. */
  readonly alwaysIncludeRecent?: number | undefined;
  /** Units to keep if the hook fails, takes too long or returns an invalid answer. */
  readonly onError?: TriageFallback | undefined;
  /** Units to keep if the hook is missing, or answers that it is unavailable. */
  readonly onUnavailable?: TriageFallback | undefined;
  /** The older units that the hook is asked about. */
  readonly candidates?: TriageCandidates | undefined;
  /**
   * Maximum number of units that the hook is asked about. Default: no limit with `all`, and about twice as many as
   * fit the budget with `recalled`.
   */
  readonly maxCandidates?: number | null | undefined;
  /** Maximum number of characters of a candidate's text in the prompt of `complete`. Null means no limit. */
  readonly maxCandidateChars?: number | null | undefined;
  /** The place of the messages that triage chose, and of those that belong to them. With `tiers` they stay in place. */
  readonly placement?: Placement | undefined;
  /**
   * Decisions of earlier builds: `context.triage.decided` of the last one, or `{}` before the first. They remain
   * valid, and the hook is asked only about new units, so its choices don't change the beginning of the prompt from
   * turn to turn. With `budget.cut`, chosen messages are cut like all others, and recall may quote rejected ones
   * that match a request. A session with `budget.cut` sets this automatically. Requires `candidates: "all"`.
   * Default: none; the hook is asked about all older units each time.
   */
  readonly decided?: TriageDecisions | null | undefined;
}

/**
 * Units to keep without an answer.
 * - `recentOnly`: Only the guaranteed newest units, and the message that the request replies to.
 * - `keepAll`: Everything.
 */
export type TriageFallback = "recentOnly" | "keepAll";

/**
 * The units that triage asks about.
 * - `all`: All older units; with `maxCandidates`, the newest of them.
 * - `recalled`: Those that recall ranks best for the request, so that a long history doesn't need a long prompt. If nothing is
 * ranked, all.
 */
export type TriageCandidates = "all" | "recalled";

/** Triage's decisions so far: which older units stay, up to the last one decided. */
export interface TriageDecisions {
  /**
   * The last decided unit: the id of its first message, or, if that has none, `#` and its position. All units before
   * it count as decided too, even ones that arrive later. Default: no unit.
   */
  readonly through?: string | null | undefined;
  /** The chosen units, in the same form. All others were rejected. */
  readonly chosen?: readonly string[] | undefined;
  /**
   * A checksum of the options that the decisions were made with. With other options they don't apply. Default: not
   * checked.
   */
  readonly under?: string | null | undefined;
}

/** How much of each conversation is shown: all, a summary, or nothing. */
export interface TiersConfig {
  /** Splits the history into conversations and shows them by tier. */
  readonly enabled?: boolean | undefined;
  /**
   * Conversations that ended more than this many days ago aren't shown. Fractions are allowed; 0 is off. Default: no
   * limit (klausbot uses 7).
   */
  readonly maxAgeDays?: number | null | undefined;
  /** For messages that name no conversation: after this many minutes without a message, a new one begins. */
  readonly conversationGapMinutes?: number | undefined;
  /**
   * Maximum number of minutes between the ends of two conversations of one thread, and between the end of the newest
   * one and now.
   */
  readonly threadGapMinutes?: number | undefined;
  /** The meaning of today for the tiers. Labels always use the calendar day. */
  readonly todayWindow?: TodayWindow | undefined;
  /** How the conversations of the active thread are shown. */
  readonly thread?: TierForm | undefined;
  /** How today's other conversations are shown. */
  readonly today?: TierForm | undefined;
  /** How yesterday's conversations are shown. */
  readonly yesterday?: TierForm | undefined;
  /** How older conversations are shown. */
  readonly older?: TierForm | undefined;
  /** Continues or stops if a tier doesn't fit. */
  readonly onOverflow?: TierOverflow | undefined;
  /**
   * If a conversation doesn't fit, its newest messages are shown. In the format `conversations`, a message of the
   * active thread is cut if there is room for more than this many of its characters, and left out otherwise.
   */
  readonly minTailChars?: number | undefined;
  /** Facts about conversations that aren't in their messages. */
  readonly conversations?: readonly KnownConversation[] | undefined;
  /** Maximum number of summaries that one build requests from the hook `summarize`. */
  readonly maxSummaries?: number | undefined;
  /** Maximum number of characters of the hook's summary or of an extract. A longer one is cut. */
  readonly maxSummaryChars?: number | undefined;
  /** Time limit for the hook, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** The thread status while the active thread continues. */
  readonly continuation?: string | undefined;
  /** The thread status without an active thread. */
  readonly newConversation?: string | undefined;
}

/**
 * The meaning of today.
 * - `calendarDay`: The current calendar day in `timeZone`.
 * - `rolling24Hours`: The last 24 hours.
 */
export type TodayWindow = "calendarDay" | "rolling24Hours";

/**
 * How a conversation is shown.
 * - `full`: All of its messages.
 * - `summary`: A summary: the caller's, the hook's, or an extract that is marked as one.
 * - `none`: Not at all.
 */
export type TierForm = "full" | "summary" | "none";

/**
 * Continues or stops if a tier doesn't fit.
 * - `nextTier`: Skips the rest of the tier. The next tier may still fit.
 * - `stop`: Shows nothing more.
 */
export type TierOverflow = "nextTier" | "stop";

/** Facts about a conversation that aren't in its messages. */
export interface KnownConversation {
  /** The conversation's id: the `conversationId` of its messages. */
  readonly id: string;
  /** The session that it belongs to. Default: any session. */
  readonly sessionId?: string | null | undefined;
  /** When it began. Default: the time of its first message. */
  readonly startedAt?: Moment | null | undefined;
  /** When it ended. Default: the time of its last message. */
  readonly endedAt?: Moment | null | undefined;
  /** A summary of it. Default: the text of the message with `summaryOf`. */
  readonly summary?: string | null | undefined;
}

/** Limits on the cost of the prompt. */
export interface BudgetConfig {
  /** Maximum number of tokens in the prompt. Can't be combined with `contextLimit`. Default: no limit. */
  readonly maxTokens?: number | null | undefined;
  /**
   * Maximum number of tokens of prompt and reply together: the model's context window. Either a number, or `"model"`
   * to look up `model` in the table of current models. Can't be combined with `maxTokens`. Default: no limit.
   */
  readonly contextLimit?: number | "model" | null | undefined;
  /** Number of tokens of `contextLimit` that stay free for the reply. Default: 1024. */
  readonly replyReserve?: number | null | undefined;
  /**
   * Maximum number of characters (code points) in the prompt: of the whole text in the text formats, of all contents
   * in the format `messages`. Default: no limit.
   */
  readonly maxChars?: number | null | undefined;
  /**
   * Maximum size of the request's JSON body, in bytes of UTF-8. Texts come first. Images, audio and files share the
   * rest, newest first. Each one that doesn't fit becomes a line such as `[image/png: 40990 bytes, not shown]`.
   * Default: the published limit of `render.provider`: 32 MB for Anthropic, 100 MB for Gemini, 512 MB for OpenAI;
   * otherwise no limit.
   */
  readonly maxBytes?: number | null | undefined;
  /**
   * Maximum number of images in the prompt in the format `messages`, newest first. Each of the others becomes a
   * line. Default: the limit of `render.provider`: 600 for Claude (100 if its context window is at most 200,000
   * tokens), 3,600 for Gemini, 1,500 for OpenAI; otherwise no limit. Claude accepts images with more than 2,000
   * pixels on a side only if a request has 20 images or fewer, so older images may become lines for that too.
   */
  readonly maxImages?: number | null | undefined;
  /**
   * Decides what happens when the required parts alone cost more than the budget: instructions, required sections,
   * pinned messages, the reply target, and the request.
   */
  readonly onRequiredOverflow?: OnRequiredOverflow | undefined;
  /** When to count tokens exactly: always, or only if the counts matter. */
  readonly counting?: Counting | undefined;
  /** The first to shrink if not everything fits: items or history. */
  readonly trimFirst?: TrimFirst | undefined;
  /**
   * Cuts the history so that the beginning of the prompt stays the same from turn to turn. Ranked messages are then
   * quoted after the history, within `recall.maxShare`. Default: no cut; each turn includes as much as fits.
   */
  readonly cut?: CutConfig | null | undefined;
  /** How tool results shrink if not everything fits. */
  readonly toolResults?: ToolResultsConfig | undefined;
  /**
   * The tool definitions of the call, in any provider's format, each as an object or as JSON. They aren't part of
   * any message, but their cost counts, in the form that the provider is known to show to the model. Default: none.
   */
  readonly tools?: readonly unknown[] | undefined;
  /** Makes tool calls optional or mandatory. Providers have their own names for this (`tool_choice`, `toolConfig`). */
  readonly toolChoice?: ToolChoice | undefined;
  /**
   * windrow's counts of earlier requests, with the provider's own figures. Their ratio calibrates the budget: if a
   * provider counts 1.07 times as many tokens as windrow, limits are divided by 1.07, and `tokens` reports the
   * provider's figure. The ratio is kept between 0.5 and 2. Use it for models whose tokens are estimated. Default:
   * none.
   */
  readonly usage?: readonly Usage[] | undefined;
  /**
   * Tokens that a chat message costs in addition to its texts and its role. Default: 3, after OpenAI's published
   * recipe for counting chat messages (tiktoken cookbook, `num_tokens_from_messages`). For Gemini it is 0 up to 2.0
   * and 1 from 2.5 on, as recorded requests show. For Claude's instructions it is 0. For Qwen and Llama 3 it is 4,
   * for Mistral's Tekken 1 and for DeepSeek 0, as in their chat templates.
   */
  readonly tokensPerMessage?: number | null | undefined;
  /** Tokens that a chat message's name costs in addition to its text. Default: 1, after the same recipe. */
  readonly tokensPerName?: number | undefined;
  /**
   * Tokens that prime the reply to chat messages. Default: 2 for OpenAI's reasoning models (`o1` to `o4`, `gpt-5`
   * and later, `gpt-oss`) and 0 for Gemini, as recorded requests show; 5 for Llama 3, 3 for Qwen, 2 for DeepSeek up
   * to V3, 4 for its later versions, and 1 for Mistral's Tekken, as in their chat templates; 3 for all others, after
   * the same recipe. The text that a chat template writes before the messages is counted in addition.
   */
  readonly tokensPriming?: number | null | undefined;
  /** Time limit for one batch of the hook `countTokens`, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Decides what happens when the required parts don't fit.
 * - `error`: The build fails with `BUDGET_TOO_SMALL`.
 * - `shorten`: Shortens the longest required texts to their beginning and end, with a visible marker in between. The request
 * keeps the user's own words around a pasted text. With `cut`, texts that are in every prompt are cut to a power
 * of two of characters, so that they stay the same from turn to turn.
 * - `exceed`: Exceeds the budget. The result and the trace say so.
 */
export type OnRequiredOverflow = "error" | "shorten" | "exceed";

/**
 * When to count tokens exactly.
 * - `exact`: Always.
 * - `whenNeeded`: Only if the counts matter. A text never has more tokens than bytes. So if the bytes of all messages fit,
 * everything is kept without loading a vocabulary, and `tokens` says that its counts are estimates.
 */
export type Counting = "exact" | "whenNeeded";

/**
 * The first to shrink: items or history.
 * - `items`: Replaces items with their summaries before leaving out any history.
 * - `history`: Leaves out the oldest history before replacing any item with its summary, and doesn't bring it back. So a larger
 * budget never keeps less history than a smaller one.
 */
export type TrimFirst = "items" | "history";

/**
 * Cuts the history so that the beginning of the prompt stays the same from turn to turn and providers can cache it.
 *
 * Without a cut, every turn includes as much as fits, and so drops another message at the beginning. With a cut, the
 * history's beginning moves only in steps: to the first group after a multiple of a step, measured in tokens from the
 * beginning of the whole history. So the cut depends only on log and config, and every host, tab and replay agrees on
 * it. Needs a limit in tokens. Can't be combined with tiers.
 */
export interface CutConfig {
  /**
   * How full the history may get before the cut moves, as a share (0 to 1) of the tokens for history and quotes
   * together. Default: 1.
   */
  readonly highWater?: number | undefined;
  /**
   * Roughly how full the history is after the cut has moved, from 0 to 1 and below `highWater`. With a lower value
   * the cut moves less often and more of each prompt repeats the previous one, but less of the budget is used. With
   * quotes the history shrinks further, so that it repeats as much as without them. Default: 0.58, which uses three
   * quarters of the budget on average.
   */
  readonly lowWater?: number | undefined;
}

/**
 * How tool results shrink if not everything fits.
 *
 * An older result shrinks to an excerpt, and then to a line that says how much is left out. The call itself stays.
 * Only if that isn't enough are whole steps dropped, oldest first.
 */
export interface ToolResultsConfig {
  /** True if results shrink. If false, a result is in the prompt whole or not at all. Default: true. */
  readonly shrink?: boolean | undefined;
  /**
   * Number of the newest results that start with more than a stub if not all steps fit. Together they get a fifth of
   * the room. If all steps fit, they grow first, into a fifth of the rest. Default: 3.
   */
  readonly keep?: number | undefined;
  /** Names of tools whose results never shrink. Default: none. */
  readonly excludeTools?: readonly string[] | undefined;
  /**
   * For each tool, the argument that names the resource, such as `{ "read_file": "path" }`. A newer result of the
   * same tool with the same value supersedes an older one, whatever the other arguments are. Default: none, so all
   * arguments must be equal.
   */
  readonly resources?: Readonly<Record<string, string>> | undefined;
  /**
   * True if the marker of an omitted part names its result, such as `result r12`. The model can then fetch it with
   * the tool `context.retrieval`. Default: false.
   */
  readonly retrieval?: boolean | undefined;
}

/**
 * Optional or mandatory tool calls.
 * - `auto`: The model chooses.
 * - `required`: The model must call a tool: any, or a particular one.
 */
export type ToolChoice = "auto" | "required";

/** The count of an earlier request, and the provider's figure for it. */
export interface Usage {
  /** windrow's count: `tokens.counted` of the context that was sent. At least 1. */
  readonly countedTokens: number;
  /**
   * The input tokens that the provider reported in `usage`, including tokens read from or written to its cache. At
   * least 1.
   */
  readonly inputTokens: number;
}

/**
 * A summary that replaces the messages that the cut leaves out. Needs `budget.cut`, and the hook `compact.summarize`
 * to write it.
 */
export interface CompactConfig {
  /**
   * Maximum number of tokens of a summary with its facts. It takes this room from the history, at most a quarter of
   * it.
   */
  readonly maxTokens?: number | undefined;
  /** Time limit for the hook, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /**
   * How full the history is, from 0 to 1, when a session asks for the next summary in the background, so that no
   * build waits for the hook. A summary enters the prompt once it is ready and all of its messages are left out.
   * Default: a build asks when the cut has moved, and waits. Builds without a session always do.
   */
  readonly prepareAt?: number | null | undefined;
  /** The last summary, as the last build returned it in `context.compact.summary`. Sessions set it automatically. */
  readonly summary?: StoredSummary | null | undefined;
  /**
   * A summary that was requested in the background. It replaces the last one once all messages that it covers are
   * left out. Sessions set it automatically.
   */
  readonly prepared?: StoredSummary | null | undefined;
}

/** A summary, and the messages that it covers. */
export interface StoredSummary {
  /** The model's text. */
  readonly text?: string | undefined;
  /** The facts that windrow found, shown after the text. */
  readonly facts?: SummaryFacts | undefined;
  /**
   * The last message that the summary covers: its id, or, if it has none, `r` and its position. If a message has
   * several steps, `#` and the place of one of its rows may follow. Default: none is covered.
   */
  readonly through?: string | null | undefined;
  /**
   * The last message that the hook was asked about, in the same form. The hook isn't asked about it again. Default:
   * the same as `through`.
   */
  readonly askedThrough?: string | null | undefined;
}

/** Facts about the messages that a summary covers. Rules find them, not a model. */
export interface SummaryFacts {
  /** Files that tools have read, by the paths in the calls. */
  readonly filesRead?: readonly string[] | undefined;
  /** Files that tools have changed. */
  readonly filesChanged?: readonly string[] | undefined;
  /** Ids, codes and other names of things. */
  readonly identifiers?: readonly string[] | undefined;
  /** Commands whose last run failed, each with the line that says so. */
  readonly failingCommands?: readonly string[] | undefined;
  /** Unanswered questions, each with the role of who asked it. */
  readonly openQuestions?: readonly string[] | undefined;
}

/** The form of the context. */
export interface RenderConfig {
  /** The form of the result. */
  readonly format?: Format | undefined;
  /**
   * Shows when each message was written, in `timeZone`, in the formats `text` and `xml`; `unknown` without a time.
   * The format `messages` shows times only in quotes, and `conversations` always shows them.
   */
  readonly times?: boolean | undefined;
  /**
   * The names of the roles in the text formats. Default: `System`, `Developer`, `User`, `Assistant`, `Tool`; in
   * `conversations`, `human` and `you` for user and assistant.
   */
  readonly labels?: Labels | undefined;
  /**
   * Labels that replace the user's in the format `text` for messages from certain sources, for example `{
   * "scheduled": "Scheduled" }`.
   */
  readonly sourceLabels?: Readonly<Record<string, string>> | undefined;
  /** Maximum number of a message's `actions` that the text formats show below it. */
  readonly maxActions?: number | undefined;
  /**
   * Maximum number of characters of an assistant's message. A longer one is cut and ends with `...[truncated]`; 0 is
   * off. Default: no limit.
   */
  readonly maxReplyChars?: number | null | undefined;
  /**
   * Collapses runs of white space, including line ends, to one space in the text formats, in messages and in
   * recalled items.
   */
  readonly collapseWhitespace?: boolean | undefined;
  /**
   * Rules that replace the text of messages in the text formats; the first match applies. Such messages still cost
   * as much as their own text.
   */
  readonly replace?: readonly Replacement[] | undefined;
  /** A line before the history in the text formats, if there is any history. */
  readonly heading?: string | null | undefined;
  /**
   * A line between the instructions and the history, shown if messages of the history are left out for lack of room
   * or by position: by budget and limits, windows, age, triage or rank, or because they weren't read from a
   * session's log. `{count}` becomes their number, and `{from}` and `{to}` the times of the first and last of them,
   * in `timeZone`, or `unknown`. The line appears only if it fits, and counts only toward the budget. Example:
   * `"[{count} earlier messages, {from} to {to}, are not shown.]"`. Default: none.
   */
  readonly gapNotice?: string | null | undefined;
  /**
   * The line before the quotes after the history (`recall.placement`, `triage.placement`), in the formats `messages`
   * and `text`. The other formats use an element instead.
   */
  readonly quoteLabel?: string | undefined;
  /** Ends the text with a line end. */
  readonly trailingNewline?: boolean | undefined;
  /** How the text formats keep message content apart from the prompt's own lines. */
  readonly guard?: Guard | undefined;
  /**
   * The provider that the messages are sent to, in the format `messages`. If it requires the user to speak first and
   * the history begins with somebody else, a user message is put first: `[Earlier messages are not shown.]`. Room
   * for it is reserved. `context.request()` makes the request body. Default: none.
   */
  readonly provider?: Provider | null | undefined;
  /**
   * The OpenAI-compatible server that the messages go to. Fields that it set on the assistant's messages, such as
   * `reasoning_content`, go back to it and count. Default: the server that `model` is known to run on, if any.
   */
  readonly server?: Server | null | undefined;
  /**
   * The place of a system or developer message that comes after the conversation has begun, if the provider or model
   * doesn't accept it there. OpenAI and Claude from 4.8 on accept it, so it stays in place. Default: `top`.
   */
  readonly lateInstructions?: LateInstructions | undefined;
  /**
   * If false, OpenAI's Responses API doesn't store the request. Then only encrypted reasoning is sent, and other
   * reasoning doesn't count. `context.request` sends this option as `store`. Default: the API stores it.
   */
  readonly store?: boolean | null | undefined;
  /**
   * Closes or drops a tool call without a result, such as one that the user stopped, if its message has other
   * content. A message without other content is left out. In the text formats a call is text, and stays. Default:
   * `close`.
   */
  readonly openCalls?: OpenCalls | undefined;
}

/**
 * The form of a context.
 * - `messages`: A list of chat messages.
 * - `text`: One text, with at least one labelled line for each message.
 * - `xml`: One text, with an XML element for each message.
 * - `conversations`: One text, with an XML element for each conversation and a line for each message.
 */
export type Format = "messages" | "text" | "xml" | "conversations";

/** The names of the roles. */
export interface Labels {
  /** Instructions. */
  readonly system?: string | null | undefined;
  /** Instructions, as newer models call them. */
  readonly developer?: string | null | undefined;
  /** The user, if no name is known. */
  readonly user?: string | null | undefined;
  /** The assistant, if no name is known. */
  readonly assistant?: string | null | undefined;
  /** A tool's result. */
  readonly tool?: string | null | undefined;
}

/** A rule that replaces the text of certain messages. */
export interface Replacement {
  /** The role of the messages. Default: any. */
  readonly role?: Role | null | undefined;
  /** A tag of the messages. Default: any or none. */
  readonly tag?: string | null | undefined;
  /**
   * Phrases that the text must contain, all of them. The case of the letters A to Z doesn't matter. Default: any
   * text.
   */
  readonly contains?: readonly string[] | undefined;
  /** The text to show. */
  readonly text: string;
}

/**
 * How content is kept apart from structure.
 * - `indent`: Every line of content after the first begins with a space, so that it can't look like one of the prompt's own
 * lines. A name follows the role in brackets. See `docs/formats.md`.
 * - `none`: Content and names are unchanged, and can imitate structure. Use it if a prompt's bytes are prescribed. The
 * formats `xml` and `conversations` still escape them.
 */
export type Guard = "indent" | "none";

/**
 * A provider of models, identified by the format of its requests.
 * - `openai`: OpenAI's chat completions, and compatible servers.
 * - `openai-responses`: OpenAI's Responses.
 * - `anthropic`: Anthropic's Messages.
 * - `gemini`: Gemini's `generateContent`.
 * - `bedrock`: Amazon Bedrock's Converse, for all of its models.
 * - `ai-sdk`: The AI SDK's `ModelMessage`, for any provider.
 * - `chrome`: Chrome's Prompt API, for the browser's built-in model.
 * - `web-llm`: The chat completions of `web-llm`, for models that run in a page.
 */
export type Provider =
  | "openai"
  | "openai-responses"
  | "anthropic"
  | "gemini"
  | "bedrock"
  | "ai-sdk"
  | "chrome"
  | "web-llm";

/**
 * A server that accepts requests in OpenAI's chat completions format. `docs/providers.md` has the sources.
 * - `openai`: OpenAI itself, which rejects fields that it doesn't know.
 * - `mistral`: Mistral, which rejects them too.
 * - `groq`: Groq, which rejects them too.
 * - `deepseek`: `DeepSeek`.
 * - `moonshot`: Moonshot AI, which makes Kimi.
 * - `zai`: Z.ai, which makes GLM.
 * - `gemini`: Gemini's OpenAI-compatible endpoint.
 * - `openrouter`: `OpenRouter`, and routers that accept the same fields.
 * - `other`: Any other server that accepts the fields that it set.
 */
export type Server =
  | "openai"
  | "mistral"
  | "groq"
  | "deepseek"
  | "moonshot"
  | "zai"
  | "gemini"
  | "openrouter"
  | "other";

/**
 * The place of instructions that come after the conversation has begun, if the model doesn't accept them there.
 * - `top`: They move to the instructions at the top of the request. That changes the beginning of the prompt, so the
 * provider's cache misses, and thinking bound to the beginning is lost.
 * - `user`: They stay in place, as a user text that begins with `[Instructions of the application]`. The model may trust
 * them less.
 */
export type LateInstructions = "top" | "user";

/**
 * Closes or drops a tool call without a result.
 * - `close`: `context.request` adds a result saying that the call was interrupted. So the model still sees its call, and
 * signatures on calls stay valid. `context.messages` and `context.kept` leave the call out, because not every
 * format can express a made-up result.
 * - `drop`: The request leaves the call out too.
 */
export type OpenCalls = "close" | "drop";

/** A part of the prompt. The list has the order of the prompt. */
export interface Section {
  /** The section's name in the result, in the trace and in `contents`. Ids must be unique. */
  readonly id: string;
  /** The kind of content. */
  readonly kind: SectionKind;
  /** The role of the section's messages in the format `messages`. Default: `system`. */
  readonly role?: Role | null | undefined;
  /**
   * A text before the section in the text formats, and before its text in the format `messages`. For the request, it
   * replaces the speaker.
   */
  readonly label?: string | null | undefined;
  /** The text to show if the section is empty. Default: an empty section is left out. */
  readonly empty?: string | null | undefined;
  /** The text, for the kind `text`. */
  readonly text?: string | null | undefined;
  /** The items: for the kind `items`, in order; for the kind `recall`, those to search. */
  readonly items?: readonly Item[] | undefined;
  /**
   * For the kind `items`: shows only the parts of the items that match the request best, in the order of the items.
   * Long texts are cut into passages at headings, blank lines and sentences. Without a limit, the section has as
   * much room as the focus of recall allows.
   */
  readonly ranked?: boolean | undefined;
  /**
   * The template of an item, for the kinds `items` and `recall`. `{text}`, `{source}`, `{score}` (four decimals) and
   * `{number}` (from 1) are replaced. Default: `{text}`.
   */
  readonly item?: string | null | undefined;
  /** Makes each item a separate message in the format `messages`. */
  readonly separate?: boolean | undefined;
  /** Limits on the section's cost. */
  readonly limit?: SectionLimit | undefined;
  /**
   * Allows or forbids leaving out the section for its cost. Default: `always` for texts, `optional` for items and
   * recall.
   */
  readonly keep?: Keep | null | undefined;
  /** Keeps or omits front matter (`---` to `---`) at the beginning of a text, or keeps nothing else. */
  readonly frontMatter?: FrontMatter | undefined;
}

/**
 * The kind of a section's content.
 * - `text`: Your text.
 * - `items`: A list of your texts.
 * - `history`: The messages of the transcript.
 * - `recall`: The hits of the hook `recall.search`, and the section's items that match the request, best first.
 * - `focus`: The focus in words, for example `balanced (0.50)`.
 * - `request`: The request. Without a section of this kind, the request isn't in the prompt.
 */
export type SectionKind = "text" | "items" | "history" | "recall" | "focus" | "request";

/** One of several texts. */
export interface Item {
  /** The id. */
  readonly id?: string | null | undefined;
  /** The text. */
  readonly text: string;
  /** A shorter text to use if the whole text doesn't fit. */
  readonly summary?: string | null | undefined;
  /** If there isn't enough room, items with a higher priority are dropped later. Default: 0. */
  readonly priority?: number | null | undefined;
  /** The origin. */
  readonly source?: string | null | undefined;
  /** How well the item matches the request. Ranked items have a score from 0 to 1, relative to the best one. */
  readonly score?: number | null | undefined;
}

/** Limits on a section's cost. The label and the format's text around the history don't count. */
export interface SectionLimit {
  /**
   * Maximum number of tokens. A longer text is cut with a marker, and items are replaced by their summaries.
   * Default: no limit.
   */
  readonly tokens?: number | null | undefined;
  /**
   * Maximum number of characters (code points). A longer text is cut with `...`. 0 turns the limit off. Default: no
   * limit.
   */
  readonly chars?: number | null | undefined;
  /** Maximum number of items; the first ones stay. Default: all. */
  readonly items?: number | null | undefined;
  /** How the characters of the history are counted. */
  readonly measure?: Measure | undefined;
  /** Leaves out the history's newest message, or keeps its end, if it alone is too long for `chars`. */
  readonly oversize?: Oversize | undefined;
}

/**
 * How characters are counted.
 * - `rendered`: The messages as they appear in the prompt.
 * - `roleAndText`: The text, the role's name, and 4 more.
 */
export type Measure = "rendered" | "roleAndText";

/**
 * Leaves out a single message that is too long, or keeps its end.
 * - `leaveOut`: Leaves it out.
 * - `tail`: Keeps its end, at least one character.
 */
export type Oversize = "leaveOut" | "tail";

/**
 * When a section can be left out.
 * - `always`: The section is required.
 * - `optional`: Filled before the history, while there is room.
 */
export type Keep = "always" | "optional";

/**
 * Keeps or omits front matter, or keeps nothing else.
 * - `keep`: Keeps it as part of the text.
 * - `only`: Keeps only the front matter, if there is any.
 * - `omit`: Leaves it out.
 */
export type FrontMatter = "keep" | "only" | "omit";

/** A conversation of the context. */
export interface ConversationReport {
  /** The conversation's id, or `#` and a number if its messages don't name one. */
  readonly id: string;
  /** When it began, in milliseconds since 1970; null if unknown. */
  readonly startedAt?: number | null | undefined;
  /** When it ended. */
  readonly endedAt?: number | null | undefined;
  /** The day on which it ended, as a label: `today`, `yesterday`, a weekday, or a date. */
  readonly label: string;
  /** The conversation's tier. */
  readonly tier: Tier;
  /** Its form in the context. */
  readonly form: ConversationForm;
}

/**
 * The tier of a conversation.
 * - `thread`: Part of the active thread.
 * - `today`: Ended today.
 * - `yesterday`: Ended yesterday.
 * - `older`: Ended earlier.
 */
export type Tier = "thread" | "today" | "yesterday" | "older";

/**
 * The form of a conversation.
 * - `full`: All of its messages.
 * - `truncatedTail`: Some of its messages: the last ones, the first of which may be cut, or only those that are required.
 * - `summary`: As its summary.
 * - `extract`: As an extract of its messages, because there is no summary.
 * - `leftOut`: Left out.
 */
export type ConversationForm = "full" | "truncatedTail" | "summary" | "extract" | "leftOut";

/** The focus of recall. */
export interface FocusReport {
  /** How broad recall is. */
  readonly level: Focus;
  /** From 0 (diffuse) to 1 (focused); null if the config sets the level. */
  readonly score?: number | null | undefined;
  /** Level and value in words, for example `balanced (0.50)`. */
  readonly summary: string;
  /** Number of items that recall asks for. */
  readonly maxItems: number;
  /** Maximum number of characters of all items together. */
  readonly maxChars: number;
}

/** A text that the build made. */
export interface MadeText {
  /** The position of its section. */
  readonly section: number;
  /** The message's role. */
  readonly role: Role;
  /** The text. */
  readonly text: string;
  /** Place in the text of the marker that says how much was cut, if anything was. */
  readonly marker?: number | null | undefined;
}

/** Something from outside the core that a build can't continue without. */
export type Need =
  | { readonly need: "encoding"; readonly name: EncodingName }
  | { readonly need: "selection" }
  | { readonly need: "meaning" }
  | {
      readonly need: "zoneOffsets";
      readonly timeZone: string;
      readonly first: Milliseconds;
      readonly last: Milliseconds;
    }
  | { readonly need: "older"; readonly wanted: Wanted }
  | { readonly need: "counts"; readonly texts: readonly string[]; readonly timeoutMs: number }
  | {
      readonly need: "recall";
      readonly query: string;
      readonly maxItems: number;
      readonly maxChars: number;
      readonly focus: Focus;
      readonly timeoutMs: number;
    }
  | {
      readonly need: "embeddings";
      readonly texts: readonly string[];
      readonly messageCount: number;
      readonly batchSize: number;
      readonly timeoutMs: number;
    }
  | {
      readonly need: "triage";
      readonly request: string;
      readonly candidates: readonly TriageUnit[];
      readonly prompt?: string | null;
      readonly model: string;
      readonly timeoutMs: number;
    }
  | {
      readonly need: "summaries";
      readonly conversations: readonly SummaryWanted[];
      readonly maxChars: number;
      readonly timeoutMs: number;
    }
  | {
      readonly need: "compact";
      readonly previous?: string | null;
      readonly positions: readonly number[];
      readonly shares: readonly number[];
      readonly text: string;
      readonly facts: SummaryFacts;
      readonly through: string;
      readonly maxTokens: number;
      readonly timeoutMs: number;
    };

/**
 * An encoding that text can be counted in exactly.
 * - `o200k_base`: `o200k_base`: GPT-4o and later, the o series, gpt-oss.
 * - `cl100k_base`: `cl100k_base`: GPT-4, GPT-3.5, the embedding models.
 * - `qwen`: `qwen`: Qwen 2 to 3, with your own vocabulary file.
 * - `deepseek_v3`: `deepseek_v3`: DeepSeek V3 and R1, with your own vocabulary file.
 * - `tekken`: `tekken`: Mistral's Tekken, with your own vocabulary file.
 * - `llama3`: `llama3`: Llama 3 to 3.3, with your own vocabulary file.
 */
export type EncodingName = "o200k_base" | "cl100k_base" | "qwen" | "deepseek_v3" | "tekken" | "llama3";

/** A moment, in milliseconds since 1970-01-01T00:00Z. */
export type Milliseconds = number;

/** The messages of the log that a build asks for. */
export type Wanted =
  | { readonly kind: "more" }
  | { readonly kind: "all" }
  | { readonly kind: "id"; readonly value: string }
  | { readonly kind: "index" }
  | { readonly kind: "seqs"; readonly value: readonly number[] };

/** A unit that triage chooses among: a message with the messages that belong to it, or an exchange. */
export interface TriageUnit {
  /**
   * The id of its first message or, if that has none or shares it with another candidate, `#` and the message's
   * position.
   */
  readonly id: string;
  /** The positions of its messages in the transcript. */
  readonly positions: readonly number[];
  /** The messages' texts, one line each. */
  readonly text: string;
}

/** A conversation that needs a summary. */
export interface SummaryWanted {
  /** Its id. */
  readonly id: string;
  /** The positions of its messages in the transcript. */
  readonly positions: readonly number[];
  /** The messages' texts, one line each. */
  readonly text: string;
}

/** The rows to fetch next: all with the given id or, without one, all that meet every condition. */
export interface Fetch {
  /** Only rows after this sequence number; absent for the log's beginning. */
  readonly after?: number | null | undefined;
  /** Only rows before this sequence number; absent for the log's end. */
  readonly before?: number | null | undefined;
  /** Maximum number of rows; absent for all. */
  readonly limit?: number | null | undefined;
  /** True if the newest come first and the limit counts them. Otherwise the oldest come first. */
  readonly newestFirst: boolean;
  /** True for only pinned rows. */
  readonly pinned: boolean;
  /** The rows' sequence numbers, if known. */
  readonly seqs?: readonly number[] | null | undefined;
  /** The rows' id, if known. */
  readonly id?: string | null | undefined;
}

/** The result of recall. */
export interface RecallReport {
  /** `ok`, `emptyQuery`, `unavailable` or `failed`. */
  readonly status: RecallStatus;
  /** Number of hits. */
  readonly hits: number;
}

/**
 * Outcome of recall.
 * - `ok`: Answered, perhaps without hits: by the hook, or from the section's items if the hook had no answer.
 * - `emptyQuery`: The request is blank, so nothing was asked.
 * - `unavailable`: The hook is missing or unavailable, and the section has no items.
 * - `failed`: The hook failed, took too long, or returned an invalid answer, and the section has no items.
 */
export type RecallStatus = "ok" | "emptyQuery" | "unavailable" | "failed";

/** The contents of one section of a context. */
export interface SectionReport {
  /** Its id. */
  readonly id: string;
  /** The kind of its content. */
  readonly kind: SectionKind;
  /**
   * The section's text: for texts and lists without the label, for history and request as in the prompt. Null if the
   * section is left out, and for history and request in the format `messages`.
   */
  readonly text?: string | null | undefined;
  /** The fates of the section's items; empty for other kinds. */
  readonly items: readonly ItemReport[];
}

/** The fate of an item. */
export interface ItemReport {
  /** Its id, if it has one. */
  readonly id?: string | null | undefined;
  /** Its form in the context. */
  readonly form: ItemForm;
}

/**
 * The form of an item.
 * - `full`: Whole.
 * - `summary`: As its summary.
 * - `cut`: Cut, with a visible marker.
 * - `leftOut`: Left out.
 */
export type ItemForm = "full" | "summary" | "cut" | "leftOut";

/**
 * A stable name of a failure. Messages may improve; codes never change.
 * - `INVALID_CONFIG`: An option is unknown, of the wrong type or out of range.
 * - `INVALID_TRANSCRIPT`: The transcript is not a list of messages, or one message in it is malformed.
 * - `BUDGET_TOO_SMALL`: The required parts cost more than the budget.
 * - `ENCODING_NOT_LOADED`: An exact count was requested, but the encoding's vocabulary isn't loaded.
 * - `MEANING_NOT_LOADED`: `recall.meaning` needs the table of token vectors, and it isn't loaded.
 * - `PART_NOT_LOADED`: A synchronous call needs a part of the engine or of the package that isn't loaded.
 * - `INVALID_ENCODING`: The bytes passed as an encoding's vocabulary aren't one.
 * - `INVALID_MEANING`: The bytes passed as the table of token vectors aren't this version's table.
 * - `HOOK_FAILED`: One of the caller's hooks failed, and a context can't be built without its answer: `countTokens`.
 * - `ABORTED`: The caller's signal was aborted.
 * - `INVALID_RECORDING`: A recording is damaged, has another version of the format, or belongs to another transcript or engine: it has no
 * answer to one of the build's questions.
 * - `INTERNAL`: The engine itself failed. It restarts automatically, and the next call works.
 */
export type ErrorCode =
  | "INVALID_CONFIG"
  | "INVALID_TRANSCRIPT"
  | "BUDGET_TOO_SMALL"
  | "ENCODING_NOT_LOADED"
  | "MEANING_NOT_LOADED"
  | "PART_NOT_LOADED"
  | "INVALID_ENCODING"
  | "INVALID_MEANING"
  | "HOOK_FAILED"
  | "ABORTED"
  | "INVALID_RECORDING"
  | "INTERNAL";

/**
 * The kind of a message's segment.
 * - `id`: The message's id, as the caller set it.
 * - `name`: The speaker's name.
 * - `text`: A text part of the content.
 * - `reasoning`: A reasoning part of the content.
 * - `image`: An image part: its detail (`low`, `high` or `auto`), known facts as `name=value`, and a fingerprint, separated
 * by spaces.
 * - `audio`: An audio part, in the form of an image.
 * - `file`: A file part, in the form of an image.
 * - `callId`: The id of a tool call. It begins the call.
 * - `callName`: The tool's name.
 * - `callArguments`: The call's arguments, a JSON text.
 * - `resultId`: The id of the call that this message, or the text that follows, is the result of.
 * - `createdAt`: The time of writing, if it is given as text.
 * - `sessionId`: The session that the message belongs to.
 * - `source`: The message's origin, for example `scheduled`.
 * - `tag`: A tag.
 * - `conversationId`: The conversation that the message belongs to.
 * - `summaryOf`: The conversation that the message summarizes.
 * - `replyTo`: The id of the message being replied to.
 * - `action`: An action taken in the message.
 * - `status`: How the turn ended, for example `failed`.
 * - `target`: The agent that the message is meant for.
 * - `priority`: The priority among direct messages, in millionths: an integer from 0 to 1000000.
 * - `timeToLive`: The lifetime from the time of writing, in milliseconds.
 * - `joinsNext`: The message means nothing without the next one. The value is ignored.
 * - `reasoningOf`: The provider of the reasoning after it, which has the provider's proof and can go back to that provider.
 * `/compaction` follows if it replaces everything before it, `/tools` if it changes the tools from there on, and
 * `/note` if it is another of the provider's notes to itself and not the model's thinking. `/sealed` follows if OpenAI
 * has encrypted it, and `/summarized` after that if its summary is directly before it. `/broken` says that no request
 * can contain it.
 * - `resultLater`: The id of a call of this message whose result may come later than those of other calls, because the provider
 * runs it or it waits for approval.
 * - `resultName`: The name of the tool that a result is from, if no id says which call it answers.
 * - `nextRow`: The message continues in another row, which has this role.
 * - `ofFile`: The next text of this message is the text of a file, and not the speaker's own words.
 * - `proofBytes`: The size in the request of its parts' proofs: signatures, ids and encrypted texts, which are in no other field.
 * - `serverFields`: Fields that an OpenAI-compatible server set, as JSON. They contain the reasoning that directly follows.
 * - `customCall`: The tool of the next call takes a text instead of JSON. The value is ignored.
 * - `approvalAnswer`: The next result is the user's answer to an approval request, which no model sees. The value is ignored.
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
  | "tag"
  | "conversationId"
  | "summaryOf"
  | "replyTo"
  | "action"
  | "status"
  | "target"
  | "priority"
  | "timeToLive"
  | "joinsNext"
  | "reasoningOf"
  | "resultLater"
  | "resultName"
  | "nextRow"
  | "ofFile"
  | "proofBytes"
  | "serverFields"
  | "customCall"
  | "approvalAnswer";

/** Everything that, together with the transcript, is needed to build a context again. */
export interface Recording {
  /** The version of this form. */
  readonly formatVersion: number;
  /** The version of windrow that built the context. */
  readonly engineVersion: string;
  /** The effective config, with every default filled in. */
  readonly config: ContextOptions;
  /** The clock of the build, in milliseconds since 1970. */
  readonly now: number;
  /**
   * Offsets of the time zone: the start (milliseconds since 1970) and the minutes east of UTC. Empty if no time zone
   * was needed.
   */
  readonly zoneOffsets: readonly (readonly [number, number])[];
  /** The hooks that were set. */
  readonly hooks: readonly HookName[];
  /** The parts of the hooks' answers that windrow could read, in the order of the questions. */
  readonly answers: readonly AnswerRecord[];
  /** Answers of more than 1,024 bytes as JSON, by the SHA-256 of that JSON. */
  readonly largeAnswers: Readonly<Record<string, Answer>>;
  /** The transcript that it was built from. */
  readonly transcript: TranscriptRecord;
  /** The hash of the context. */
  readonly contextHash: string;
}

/** An answer in a recording: itself, or the hash of one in `largeAnswers`. */
export type AnswerRecord = Answer | { readonly hash: string };

/** The transcript that a context was built from. */
export interface TranscriptRecord {
  /** The number of messages. */
  readonly length: number;
  /** A checksum of the messages with all the fields that windrow reads, as 16 hexadecimal digits. */
  readonly digest: string;
  /** The same for its first 1, 2, 4, 8, … messages. They locate a changed message. */
  readonly marks: readonly (readonly [number, string])[];
  /** The unread part of the log that the messages are from; null if all of it was read. */
  readonly unread?: Unread | null | undefined;
}

/**
 * The messages of a log that a transcript doesn't have.
 *
 * A build reads the end of a log, back to where older messages can't matter. Before that tail it reads only single
 * messages: the log's beginning, and pinned messages or the target of a reply, with their exchange.
 */
export interface Unread {
  /**
   * The unread stretches, in the order of the rows. The part read at the log's beginning ends at the first one, and
   * the tail begins after the last one.
   */
  readonly gaps: readonly UnreadStretch[];
  /** The number of unread messages. */
  readonly count: number;
  /** True if some of them may have no time. */
  readonly hasUntimed: boolean;
  /** Ids that were searched for. All messages of the log with one of them were read. */
  readonly lookedUp: readonly string[];
  /** The ranking by the log's index. Only in recordings, because there is no index during a replay. */
  readonly ranking?: RankingRecord | null | undefined;
  /**
   * Tokens of all messages before the tail, as `budget.cut` adds them up. In a recording, because a replay has no
   * remembered totals.
   */
  readonly total?: Total | null | undefined;
}

/** Consecutive messages of the log that aren't in the transcript. */
export interface UnreadStretch {
  /** The row after them. */
  readonly row: number;
  /** The latest time in the log up to that row; none if no message has a time. */
  readonly latest?: Milliseconds | null | undefined;
}

/** The ranking of messages for a request by the index of a log. */
export interface RankingRecord {
  /** The ranked messages that were read, best first: the row, its form, and the row that it accompanies. */
  readonly candidates: readonly (readonly [number, Form, number | null])[];
  /** The rows of the user's standing instructions that were read, the best first. */
  readonly standing?: readonly number[] | undefined;
  /** The rows of the user's lasting statements that were read, the best first. */
  readonly statements?: readonly number[] | undefined;
  /** Reasons for recalling the ones that were kept. */
  readonly recalled: readonly RecalledWords[];
}

/**
 * How much of a message is shown, from least to most.
 * - `reply`: The part of a reply that accompanies its question.
 * - `excerpt`: The passages relevant to the request.
 * - `whole`: All of it.
 */
export type Form = "reply" | "excerpt" | "whole";

/** Reasons for recalling messages. */
export interface RecalledWords {
  /** The messages' positions in the transcript, from 0. */
  readonly positions: readonly number[];
  /** The evidence: words of the request in or near the message, its speaker, its time, its meaning. */
  readonly words: string;
}

/** Tokens of all messages of a log before a place. */
export interface Total {
  /** Tokens of all of them, except the instructions at the start of the log. */
  readonly tokens: number;
  /** Tokens of tool results that may shrink. */
  readonly results: number;
  /** The total when results were last nearly half of the log. 0 if they never were. */
  readonly runEnd: number;
}

/** The small record of a turn. */
export interface Snapshot {
  /** The session that the context is for; null if none was named. */
  readonly sessionId?: string | null | undefined;
  /** The id of the turn. */
  readonly turnId?: string | null | undefined;
  /**
   * `ctx_` and 64 hexadecimal digits: SHA-256 of the built context and the effective config, without clock and turn
   * id.
   */
  readonly contextHash: string;
  /**
   * How much of each source is in the context: the transcript's `messages`, and for each section of kind `items`, by
   * its id, the number of items.
   */
  readonly sourceCounts: Readonly<Record<string, number>>;
  /** True if the budget left out or shortened anything. */
  readonly trimmed: boolean;
  /** The clock of the build, in milliseconds since 1970. */
  readonly timestampMs: number;
}

/** The cost of a context, in tokens. */
export interface TokenReport {
  /** The whole prompt, including the chat format's overhead. */
  readonly total: number;
  /** The total before `budget.usage` calibrated it. Use it as `countedTokens` in `budget.usage` of the next build. */
  readonly counted: number;
  /** The model's tokens per counted token, from `budget.usage`; null without calibration. */
  readonly calibration?: number | null | undefined;
  /** The token limit; null if none was set. */
  readonly limit?: number | null | undefined;
  /**
   * True if `total` is exact for the config's model or, if the config names only an encoding, for that encoding.
   * False with an image, audio or file in the prompt. Also false if the config names neither: the count is exact in
   * `encoding`, but the model may use another.
   */
  readonly exact: boolean;
  /** The same in words: the encoding in which `total` is exact, or the reason why it isn't. */
  readonly words: string;
  /** How tokens were counted: `o200k_base`, `cl100k_base`, `estimate` or `countTokens`. */
  readonly encoding: string;
  /** The cost of each section. They add up to `total`. */
  readonly sections: readonly SectionTokens[];
}

/** The cost of one section of a context. */
export interface SectionTokens {
  /**
   * `format` (the chat format's overhead), `tools` (the definitions in `budget.tools`, and the provider's own text
   * about them), `instructions` (the system and developer messages at the start of the transcript), or a section's
   * id: by default `history` and `request`. The first three are always there, in this order, even if a section also
   * has the id `tools`.
   */
  readonly id: string;
  /** The cost in tokens. */
  readonly tokens: number;
}

/**
 * The fate of every message, as runs of neighbors with the same fate. Its size depends on the decisions, not on the
 * length of the transcript.
 */
export interface Trace {
  /** The runs, in the order of the transcript. They cover it without gaps or overlaps. */
  readonly ranges: readonly TraceRange[];
  /** The reasons that occur, in words. */
  readonly reasons: readonly ReasonWords[];
  /** Reasons why messages that were kept for their rank were recalled. */
  readonly recalled: readonly RecalledWords[];
  /** Notes about the build as a whole. */
  readonly notes: readonly Note[];
  /** Number of older messages of the log that weren't read, because none of them could be in the context. */
  readonly unreadCount: number;
}

/** A run of neighboring messages with the same fate. */
export interface TraceRange {
  /** Position of the run's first message in the transcript, from 0. */
  readonly first: number;
  /** Position of the run's last message, inclusive. */
  readonly last: number;
  /** The messages' fate. */
  readonly fate: Fate;
  /** The stage that decided. */
  readonly stage: StageName;
  /** The reason. */
  readonly reason: Reason;
  /** The messages' total cost in the context, in tokens; 0 if they were left out. */
  readonly tokens: number;
}

/**
 * The fate of a message.
 * - `kept`: In the context, whole.
 * - `shortened`: In the context, cut to fit, with a visible marker.
 * - `excerpt`: In the context with some of its passages, and visible markers for the others.
 * - `stub`: A tool result replaced by a line that says how much is left out.
 * - `left out`: Not in the context.
 */
export type Fate = "kept" | "shortened" | "excerpt" | "stub" | "left out";

/**
 * A stage of a build.
 * - `collect`: Order, groups, session.
 * - `filter`: Roles, sources, tags.
 * - `window`: Count, turns, time.
 * - `recall`: Ranking and search.
 * - `triage`: A fast model's choice.
 * - `tiers`: Full or summary.
 * - `budget`: Fitting messages into the budget.
 * - `render`: The form.
 * - `snapshot`: The hash and the recording.
 */
export type StageName =
  | "collect"
  | "filter"
  | "window"
  | "recall"
  | "triage"
  | "tiers"
  | "budget"
  | "render"
  | "snapshot";

/**
 * The reason for a fate. The codes are stable.
 * - `not_read`: Only read along with messages that belong to it, or while searching for such messages. Nothing else this old can
 * be in the context.
 * - `other_session`: Belongs to another session.
 * - `other_target`: Meant for another agent.
 * - `expired`: Expired: its time to live is over.
 * - `deleted`: Removed by its author.
 * - `duplicate`: An earlier message has the same id.
 * - `compacted`: The provider's compaction replaces it.
 * - `same_as_request`: The same as the request that was passed, which has its own place in the context.
 * - `disabled`: History was turned off.
 * - `beyond_cache`: Older than the messages that the cache holds.
 * - `beyond_fetch_limit`: Older than the messages that are fetched.
 * - `call_without_result`: Contains only a tool call, and no result for it follows in the transcript.
 * - `result_without_call`: Contains only a tool result, and the transcript has no call for it.
 * - `role`: Its role isn't in `filter.roles`.
 * - `source`: Its source is excluded.
 * - `tag`: One of its tags is excluded.
 * - `unfinished`: Part of an unfinished turn.
 * - `tool_calls`: A tool call or a result, and these are excluded.
 * - `blank`: Has no content.
 * - `forgotten`: Says only something that the user wants forgotten.
 * - `beyond_age`: Written too many days ago, or its conversation ended too many days ago.
 * - `is_summary`: The summary of a conversation that isn't shown by its summary.
 * - `beyond_lookback`: Older than the newest messages or exchanges that the window includes.
 * - `beyond_user_turns`: Older than the newest user turns that the window includes.
 * - `beyond_recent_messages`: Older than the newest messages that may be kept.
 * - `too_old`: Older than the window's hours.
 * - `not_candidate`: Not a candidate, so triage wasn't asked about it.
 * - `not_chosen`: Triage didn't choose it.
 * - `triage_failed`: Older than the guaranteed newest messages, and triage failed.
 * - `triage_unavailable`: Older than the guaranteed newest messages, and triage is unavailable.
 * - `summarized`: A summary replaces its conversation.
 * - `tier_not_shown`: Its tier isn't shown, or only the required messages of its conversation are.
 * - `no_section`: The prompt has no section for history.
 * - `split_group`: Its tool call or result was left out, and the two belong together.
 * - `over_limit`: No room left within the history's own limit.
 * - `over_budget`: No room left in the budget.
 * - `ranked_lower`: No room left in the budget: better matches for the request filled it.
 * - `run_ended`: Older than messages that didn't fit; older ones aren't tried after these.
 * - `before_cut`: Before the cut, which moves in steps.
 * - `instruction`: A system or developer message at the start of the transcript.
 * - `compaction`: Contains the provider's newest compaction, which replaces everything before it.
 * - `pinned`: Pinned by the caller.
 * - `request`: Serves as the request, because none was passed, or answers the request.
 * - `reply_to`: The request replies to it.
 * - `required_newest`: One of the newest messages, which are required.
 * - `direct`: Meant for the agent that the context is for.
 * - `recent`: One of the guaranteed newest messages.
 * - `chosen`: Triage chose it.
 * - `newest`: One of the newest messages, which come before recalled ones.
 * - `standing`: Has a standing instruction or preference of the user.
 * - `statement`: Has a lasting statement of the user: a preference, a health condition, a person, how to be answered.
 * - `recalled`: Matches the request, or the request continues from it.
 * - `paired`: Accompanies a message that is kept for its rank, as its question or its reply.
 * - `history`: Part of the history, and there was room for it.
 */
export type Reason =
  | "not_read"
  | "other_session"
  | "other_target"
  | "expired"
  | "deleted"
  | "duplicate"
  | "compacted"
  | "same_as_request"
  | "disabled"
  | "beyond_cache"
  | "beyond_fetch_limit"
  | "call_without_result"
  | "result_without_call"
  | "role"
  | "source"
  | "tag"
  | "unfinished"
  | "tool_calls"
  | "blank"
  | "forgotten"
  | "beyond_age"
  | "is_summary"
  | "beyond_lookback"
  | "beyond_user_turns"
  | "beyond_recent_messages"
  | "too_old"
  | "not_candidate"
  | "not_chosen"
  | "triage_failed"
  | "triage_unavailable"
  | "summarized"
  | "tier_not_shown"
  | "no_section"
  | "split_group"
  | "over_limit"
  | "over_budget"
  | "ranked_lower"
  | "run_ended"
  | "before_cut"
  | "instruction"
  | "compaction"
  | "pinned"
  | "request"
  | "reply_to"
  | "required_newest"
  | "direct"
  | "recent"
  | "chosen"
  | "newest"
  | "standing"
  | "statement"
  | "recalled"
  | "paired"
  | "history";

/** A reason in words. */
export interface ReasonWords {
  /** The reason. */
  readonly reason: Reason;
  /** The text, with the config's figures. */
  readonly words: string;
}

/** A note about a build as a whole. */
export interface Note {
  /** The topic. */
  readonly kind: NoteKind;
  /** The text. */
  readonly words: string;
}

/**
 * The topic of a note.
 * - `rows-skipped`: Some rows of the session's log aren't messages and were skipped.
 * - `context-trim`: The budget, a section's limit or `window.maxRecentMessages` left something out or shortened it.
 * - `media-hidden`: The request has no room or no place for some images, audio and files, so lines replace them.
 * - `open-calls`: Some tool calls in the context have no result in the transcript. The note names them, and says how they were
 * handled.
 * - `required-overflow`: The required messages and sections cost more than the budget and are in the prompt anyway.
 * - `triage-unavailable`: Triage is unavailable: the hook is missing or said so. Only the guaranteed newest messages stay.
 * - `triage-failed`: Triage failed.
 * - `recall-unavailable`: Nothing could be recalled.
 * - `recall-failed`: Recall failed.
 * - `embedding-unavailable`: The embedding hook said that it is unavailable, so messages are ranked only by their words.
 * - `embedding-failed`: The embedding hook failed, so messages are ranked only by their words.
 * - `summaries-failed`: The hook for summaries failed.
 * - `thinking-left-out`: Thinking was left out, because something before it has changed since, and the model would refuse it.
 * - `not-sent`: The request has no place for some reasoning or provider notes in the context's messages. The note says which.
 * - `times-unread`: Some messages in the prompt have a `createdAt` that isn't a time, so they count as messages without one, for
 * example for `filter.maxAgeDays`.
 * - `provider-clears`: The provider itself will clear or compact parts of the prompt. The note says which, according to its documented
 * rules.
 * - `answer-misunderstood`: Only part of a hook's answer could be read. The note names the hook, the unreadable part, and the fallback. Each
 * such answer has its own note.
 */
export type NoteKind =
  | "rows-skipped"
  | "context-trim"
  | "media-hidden"
  | "open-calls"
  | "required-overflow"
  | "triage-unavailable"
  | "triage-failed"
  | "recall-unavailable"
  | "recall-failed"
  | "embedding-unavailable"
  | "embedding-failed"
  | "summaries-failed"
  | "thinking-left-out"
  | "not-sent"
  | "times-unread"
  | "provider-clears"
  | "answer-misunderstood";

/** The decisions of triage. */
export interface TriageReport {
  /** The decisions of this build and earlier ones. Pass them to the next build as `triage.decided` to keep them. */
  readonly decided: TriageDecisions;
}

/** The summary of the messages that the cut leaves out. */
export interface CompactReport {
  /** The summary in this prompt. Pass it to the next build as `compact.summary` to keep it until the cut moves. */
  readonly summary: StoredSummary;
  /** The position of the last message that the hook was asked about. */
  readonly askedPosition?: number | null | undefined;
  /** True if `compact.prepared` isn't needed anymore, because it was used or rejected. */
  readonly tookPrepared: boolean;
  /** The question for the next summary, once the history is as full as `compact.prepareAt` says. */
  readonly next?: Need | null | undefined;
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
  "conversationId",
  "summaryOf",
  "replyTo",
  "action",
  "status",
  "target",
  "priority",
  "timeToLive",
  "joinsNext",
  "reasoningOf",
  "resultLater",
  "resultName",
  "nextRow",
  "ofFile",
  "proofBytes",
  "serverFields",
  "customCall",
  "approvalAnswer",
];

/** Every way to count tokens. */
export const ENCODINGS: readonly EncodingChoice[] = [
  "o200k_base",
  "cl100k_base",
  "qwen",
  "deepseek_v3",
  "tekken",
  "llama3",
  "estimate",
];

/** The user's first words if a provider accepts no other beginning. With `render.provider`, they count. */
export const EARLIER_MESSAGES = "[Earlier messages are not shown.]";

/** The default of `recall.maxStatementShare` for a request. */
export const DEFAULT_STATEMENT_SHARE = 0.5;
