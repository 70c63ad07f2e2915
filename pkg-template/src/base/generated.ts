// Made from the Rust types by `UPDATE=1 cargo test reference`: do not edit.

/** An answer to a need. What it holds depends on the need. */
export interface Answer {
  /** Which hook it is of. */
  readonly hook: HookName;
  /** Whether there is an answer. */
  readonly outcome: Outcome;
  /** Why there is no answer: the error that the hook threw, or that it took too long. */
  readonly reason?: string | null | undefined;
  /** What of it was not understood, and what was done instead, in words; none where all of it was understood. */
  readonly misunderstood?: string | null | undefined;
  /** Of triage: the ids of the chosen units. */
  readonly ids?: readonly string[] | null | undefined;
  /** Of triage by `complete`: what the model said. It is read into `ids`, and recorded so. Of `compact.summarize`: the summary. */
  readonly text?: string | null | undefined;
  /** Of recall: what was found, the best first. */
  readonly items?: readonly RecalledItem[] | null | undefined;
  /**
   * Of embeddings: how near each message is to the request that may be, in their order: two letters each, of those of
   * base64, for a whole number from 0 (opposite) to 4000 (the same).
   */
  readonly similarities?: string | null | undefined;
  /** Of summaries: one for each conversation that was asked for, in that order. */
  readonly summaries?: readonly (string | null)[] | null | undefined;
  /** Of counts: one for each text that was asked for, in that order. */
  readonly counts?: readonly number[] | null | undefined;
}

/**
 * A function of the caller's.
 * - `triage.select`: Which candidates matter, as ids.
 * - `triage.complete`: Which candidates matter, as a model's answer to a prompt.
 * - `recall.search`: What is known about the request.
 * - `recall.embed`: The vectors of texts.
 * - `tiers.summarize`: Summaries of conversations.
 * - `compact.summarize`: A summary of what the cut leaves out.
 * - `countTokens`: How many tokens texts have.
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
 * Whether a hook gave an answer.
 * - `given`: It did.
 * - `unavailable`: It said that it cannot.
 * - `failed`: It failed, took too long, or answered nonsense.
 */
export type Outcome = "given" | "unavailable" | "failed";

/** One thing that recall found. */
export interface RecalledItem {
  /** Its id. */
  readonly id?: string | null | undefined;
  /** Its text. */
  readonly text: string;
  /** Where it is from. */
  readonly source?: string | null | undefined;
  /** How well it fits. */
  readonly score?: number | null | undefined;
}

/**
 * How a context is built. Everything is optional.
 *
 * Limits of hours, days, user turns, or characters of one text are off at 0: such a limit would leave nothing. Counts of
 * messages and items, and budgets, are literal: 0 allows none.
 */
export interface ContextOptions {
  /** Whether there is any history in the context. Without it, instructions, sections and request remain. */
  readonly enabled?: boolean | undefined;
  /** The clock: milliseconds since 1970, or an ISO 8601 date and time. Default: the host's clock. */
  readonly now?: Moment | null | undefined;
  /**
   * The time zone of the user, an IANA name such as `Europe/Berlin`: times are shown in it, and days are told apart.
   * Default: UTC.
   */
  readonly timeZone?: string | null | undefined;
  /**
   * The session that the context is for: messages of other sessions are left out, see `collect.sessionScope`. Default:
   * the session that the request names, and all sessions where it names none.
   */
  readonly sessionId?: string | null | undefined;
  /**
   * The agent that the context is for: messages with another `target` are left out, and those for it come after the
   * history, the highest `priority` first, then the newest. Default: `target` is not looked at.
   */
  readonly agentId?: string | null | undefined;
  /** The id of this turn, for the snapshot. Default: a random one. */
  readonly turnId?: string | null | undefined;
  /**
   * The model that the context is for, for example `gpt-4o`: it chooses the encoding. A model without a public
   * encoding gets the estimator.
   */
  readonly model?: string | null | undefined;
  /**
   * How tokens are counted; stronger than `model`. Default: by `model`, and without one `o200k_base`, which is not called
   * exact then, as the model may count otherwise.
   */
  readonly encoding?: EncodingChoice | null | undefined;
  /** What is taken into consideration at all, and in which order. */
  readonly collect?: CollectConfig | undefined;
  /** Which kinds of messages are left out. */
  readonly filter?: FilterConfig | undefined;
  /** How far back the context reaches. */
  readonly window?: WindowConfig | undefined;
  /** What is recalled for the request. */
  readonly recall?: RecallConfig | undefined;
  /** Which older messages matter, said by a fast model. */
  readonly triage?: TriageConfig | undefined;
  /** How much of each conversation is shown. */
  readonly tiers?: TiersConfig | undefined;
  /** What the prompt may cost. */
  readonly budget?: BudgetConfig | undefined;
  /** The summary in the place of what the cut leaves out. */
  readonly compact?: CompactConfig | undefined;
  /** The form of the context. */
  readonly render?: RenderConfig | undefined;
  /** What the prompt is put together from, in order. Default: the history, then the request. */
  readonly sections?: readonly Section[] | null | undefined;
}

/** A moment as a config may give it. */
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

/** What is taken into consideration at all, and in which order. */
export interface CollectConfig {
  /** Which messages belong to `sessionId`. */
  readonly sessionScope?: SessionScope | undefined;
  /**
   * Whether a message with an id that an earlier one has is left out: for several sources in one list, such as memory
   * and events.
   */
  readonly deduplicate?: boolean | undefined;
  /**
   * Whether the system and developer messages that the transcript begins with are instructions, which no limit leaves
   * out, or history as any other message.
   */
  readonly keepInstructions?: boolean | undefined;
  /**
   * How many messages of the session a cache holds: older ones are not looked at. Default:
   * all (istota has 200).
   */
  readonly cacheLimit?: number | null | undefined;
  /** How many messages are looked at, the newest first. Default: all (istota has 100 for chats). */
  readonly fetchLimit?: number | null | undefined;
  /** What the limits of cache and fetch count. */
  readonly limitsCount?: LimitsCount | undefined;
}

/**
 * Which messages belong to a session.
 * - `session`: Those that name it, and those that name none.
 * - `strict`: Only those that name it.
 * - `all`: Those of all sessions.
 */
export type SessionScope = "session" | "strict" | "all";

/**
 * What limits of cache and fetch count.
 * - `messages`: Every message of the session, before any filter: as a store holds them, and a server hands them out.
 * - `history`: What `window.lookbackCount` counts: messages or exchanges (`window.unit`) of those that the filter left, and never
 * fewer than it takes.
 */
export type LimitsCount = "messages" | "history";

/** Which kinds of messages are left out. */
export interface FilterConfig {
  /** The roles that stay. Default: all. In the text formats a call stays without its result, as it is a text there. */
  readonly roles?: readonly Role[] | null | undefined;
  /** The sources that go, for example `["scheduled", "briefing"]`. Default: none. */
  readonly excludeSources?: readonly string[] | undefined;
  /** The tags that go: a message with one of them is left out. Default: none. */
  readonly excludeTags?: readonly string[] | undefined;
  /**
   * Whether turns that are not finished go: messages whose `status` is another than `completed`, and user messages
   * that no reply follows before the next one.
   */
  readonly completedOnly?: boolean | undefined;
  /**
   * Whether tool calls and their results go. Of a message that says something too, what it says stays, as a marked copy
   * without the calls in the format `messages`.
   */
  readonly excludeToolCalls?: boolean | undefined;
  /** Whether messages without any text, call or media go. With `render.provider` they always do: no provider takes them. */
  readonly excludeBlank?: boolean | undefined;
  /**
   * How many days before the clock a message may have been written; one exactly that old stays, and so does one
   * without a time. Fractions are allowed; 0 is off. Default: no limit.
   */
  readonly maxAgeDays?: number | null | undefined;
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
  /** What `lookbackCount` and `previousTasksCount` count, and what triage chooses. */
  readonly unit?: WindowUnit | undefined;
  /** How many of the newest messages or exchanges stay. Default: all. */
  readonly lookbackCount?: number | null | undefined;
  /** How many of the newest user messages stay, each with all that follows it; 0 is off. Default: all. */
  readonly maxUserTurns?: number | null | undefined;
  /** How many of the newest messages stay, whatever `unit` says. Default: all. */
  readonly maxRecentMessages?: number | null | undefined;
  /**
   * How many hours before the newest message the window begins; a message exactly that old stays, and so does one
   * without a time. Fractions are allowed; 0 is off. Default: no limit.
   */
  readonly recencyHours?: number | null | undefined;
  /** How many of the newest messages or exchanges stay however old they are: the floor of `recencyHours`. */
  readonly minMessages?: number | undefined;
  /**
   * How many of the newest messages or exchanges, of whatever source, are brought back where `filter.excludeSources`
   * or the window left them out.
   */
  readonly previousTasksCount?: number | undefined;
  /**
   * How many of the newest messages that the window takes are required: nothing else leaves them out, and they are
   * paid for before all else, each with what goes together with it. Where they do not fit,
   * `budget.onRequiredOverflow` says what happens.
   */
  readonly requiredNewest?: number | undefined;
  /** Whether the message that the request replies to is kept, from wherever it is in the session. */
  readonly includeReplyTo?: boolean | undefined;
}

/**
 * The unit of a window.
 * - `message`: One entry of the transcript.
 * - `exchange`: A user message and all that answers it, up to the next user message.
 */
export type WindowUnit = "message" | "exchange";

/**
 * Which older messages are kept if not all fit: those that the request is about. Also, the items that the section of kind
 * `recall` shows.
 */
export interface RecallConfig {
  /** How older messages are ranked where not all fit. */
  readonly ranking?: Ranking | undefined;
  /**
   * Finds messages with the same meaning as the request in other words, with the ranking `relevance`. If there is the hook `embed`, that
   * is used instead.
   */
  readonly meaning?: Meaning | undefined;
  /** How many of the newest messages come before all that is ranked. */
  readonly recentMessages?: number | undefined;
  /** The most that these newest may take of the room that the history has, from 0 to 1; of a limit of messages, one message or group at least. */
  readonly maxRecentShare?: number | undefined;
  /**
   * The most that messages may take in which the user says what holds throughout ("from now on", "I prefer"), of the room
   * that the history has, from 0 (they rank as all others) to 1.
   */
  readonly maxStandingShare?: number | undefined;
  /**
   * The most that lasting statements of the user may take (an allergy, a preference, how to be answered) of the room that the history
   * has, from 0 (they rank as all others) to 1. They come in if they are worth more than the messages that they displace.
   */
  readonly maxStatementShare?: number | undefined;
  /**
   * The most that ranked messages may take of the room that the history has, from 0 to 1; of a limit of messages, above 0 one
   * message or group at least. The rest goes to the newest.
   */
  readonly maxShare?: number | undefined;
  /**
   * Which long messages come in by the passages that the request is about, where they are not worth their price as a whole.
   * Only with the ranking `relevance`.
   */
  readonly excerpts?: ExcerptConfig | undefined;
  /**
   * Which messages come in with those that are kept for their rank, so that the context reads as a conversation with an assistant.
   * Only with the ranking `relevance`.
   */
  readonly pairs?: PairConfig | undefined;
  /** Where those stand that are kept for their rank, where not all fit; with what goes together with them. */
  readonly placement?: Placement | undefined;
  /** What becomes of the items of the section of kind `recall` where there is the hook `recall.search`. */
  readonly searchResults?: SearchResults | undefined;
  /** How broad recall is; it sets `maxItems` and `maxChars` where they are not given. Default: by `focusSignals`. */
  readonly focus?: Focus | null | undefined;
  /** What the focus is computed from, where `focus` is not given. Default: `balanced`, 0.50. */
  readonly focusSignals?: FocusSignals | null | undefined;
  /** How many items are asked for, or shown of those that the section has. Default: 4, 8 or 16 by focus. */
  readonly maxItems?: number | null | undefined;
  /** The most characters of all items together as they are shown; cut with `...`. Default: 900, 1700 or 3600 by focus. */
  readonly maxChars?: number | null | undefined;
  /** The most characters of one item's text; cut with `...`. */
  readonly maxItemChars?: number | undefined;
  /** How many texts the hook `embed` is given at once, 1 or more. */
  readonly embedBatchSize?: number | undefined;
  /** Which model the hook `embed` asks. Vectors that another gave are not used: name another when it changes. */
  readonly embedModel?: string | undefined;
  /** How long each hook may take, in milliseconds; `embed` for each batch. */
  readonly timeoutMs?: number | undefined;
  /** What is shown where the request is blank, so that nothing can be asked for. Default: the section's `empty`. */
  readonly emptyQuery?: string | null | undefined;
  /**
   * What is shown where there is no hook, or it failed or says that it is unavailable, and the section has no items
   * either. Default: the section's `empty`.
   */
  readonly unavailable?: string | null | undefined;
}

/**
 * How older messages are ranked.
 * - `relevance`: By what the request is about, and what it goes on from.
 * - `bm25`: By the words of the request alone, each message for itself: plain BM25, for comparison.
 * - `recency`: The newest first: nothing is recalled.
 */
export type Ranking = "relevance" | "bm25" | "recency";

/**
 * A way to find messages with the same meaning as the request in other words.
 * - `none`: They aren't: words alone count.
 * - `static`: Adds up the vectors of a text's words, from a table. No model runs and no request is made: see `loadMeaning`. English only:
 * messages in other languages rank by their words.
 */
export type Meaning = "none" | "static";

/**
 * Which long messages come in by the passages that the request is about: a marked copy, with a visible mark where something is
 * left out. Of a message with an image, a file, reasoning or several texts nothing is left out.
 */
export interface ExcerptConfig {
  /** Whether any do. */
  readonly enabled?: boolean | undefined;
  /** The roles whose messages do. */
  readonly roles?: readonly Role[] | undefined;
  /** About how many tokens a message has at least that comes in so. */
  readonly minTokens?: number | undefined;
  /** About how many tokens of it come in. */
  readonly tokens?: number | undefined;
}

/** Which messages come in with those that are kept for their rank, as far as they fit. */
export interface PairConfig {
  /** Whether a reply of the assistant brings the question that it answers: the user's last message before it. */
  readonly questions?: boolean | undefined;
  /**
   * About how many tokens of its reply a question of the user brings: all of a shorter one, and of a longer one the passages
   * that the request is about, where `excerpts` are enabled; 0 for nothing.
   */
  readonly replyTokens?: number | undefined;
}

/**
 * Where messages of the history stand that were picked one by one.
 * - `chronological`: In their place in the history, by time.
 * - `afterHistory`: Quoted after the history and before the request, the oldest first, below `render.quoteLabel`. In the format `messages` they are
 * one message of the user's. With `budget.cut` what is ranked is always quoted.
 */
export type Placement = "chronological" | "afterHistory";

/**
 * What becomes of the items of a section of kind `recall` with the hook `recall.search`. Where the hook has no answer, the
 * hits among the items are shown.
 * - `replace`: Only what the hook finds is shown.
 * - `join`: The hook's hits and the hits among the items are shown by turns, each the best first, and no text twice.
 */
export type SearchResults = "replace" | "join";

/**
 * How broad recall is.
 * - `focused`: A small set: 4 items, 900 characters.
 * - `balanced`: 8 items, 1700 characters.
 * - `diffuse`: A broad set: 16 items, 3600 characters.
 */
export type Focus = "focused" | "balanced" | "diffuse";

/** The DOSE signals of takobot, each from 0 to 1. A value outside counts as the nearer end, a missing one as 0.5. */
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
 * A fast model says which older messages matter, through a hook: `select` or `complete`. Without a hook every older
 * message stays, unless `onUnavailable` says otherwise.
 */
export interface TriageConfig {
  /** How many units (messages or exchanges, as `window.unit` says) are kept without asking. */
  readonly skipSelectionThreshold?: number | undefined;
  /** The model's role, handed to the hook as it is. */
  readonly model?: string | undefined;
  /** How long the hook may take, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Whether older units are selected at all. */
  readonly useSelection?: boolean | undefined;
  /** How many of the newest units are kept without being selected. */
  readonly alwaysIncludeRecent?: number | undefined;
  /** What stays where the hook fails, takes too long or answers nonsense. */
  readonly onError?: TriageFallback | undefined;
  /** What stays where there is no hook, or it answers that it is unavailable. */
  readonly onUnavailable?: TriageFallback | undefined;
  /** Which of the older units are asked about. */
  readonly candidates?: TriageCandidates | undefined;
  /**
   * The most units that are asked about. Default: all of `candidates`, and of `recalled` about twice what fits the
   * budget.
   */
  readonly maxCandidates?: number | null | undefined;
  /** The most characters of a candidate's text in the prompt of `complete`; null is no limit. */
  readonly maxCandidateChars?: number | null | undefined;
  /** Where those stand that triage chose, with what goes together with them. With `tiers` they stay in their place. */
  readonly placement?: Placement | undefined;
  /**
   * What earlier builds have decided: as the last one says it in `context.triage.decided`, or `{}` before the first. What was decided
   * stays so, and the hook is asked about what is new alone. So its choices do not change the beginning of the prompt from turn to
   * turn. With `budget.cut` chosen messages are cut as all others are, and of those that it passed over recall may quote what fits a
   * request. A session with `budget.cut` gives it by itself. Goes with
   * `candidates: "all"`. Default: none, the hook is asked about all older units each time.
   */
  readonly decided?: TriageDecisions | null | undefined;
}

/**
 * What stays without an answer.
 * - `recentOnly`: The guaranteed recent only, and the message that the request replies to.
 * - `keepAll`: Everything.
 */
export type TriageFallback = "recentOnly" | "keepAll";

/**
 * What triage is asked about.
 * - `all`: All older units; with `maxCandidates`, the newest of them.
 * - `recalled`: Those that recall ranks best for the request, so that a long history costs no long prompt. Where nothing is
 * ranked, all.
 */
export type TriageCandidates = "all" | "recalled";

/** What triage has decided so far: of all older units up to one, which stay. */
export interface TriageDecisions {
  /**
   * The last unit that was decided, by the id of its first message; `#` and the position of one without an id. All before it are
   * decided too, also those that come in later. Default: none was.
   */
  readonly through?: string | null | undefined;
  /** Those of them that were chosen, named in the same way. All others were passed over. */
  readonly chosen?: readonly string[] | undefined;
  /** A checksum of the options that they were decided with. With other options nothing is decided. Default: not checked. */
  readonly under?: string | null | undefined;
}

/** How much of each conversation is shown: full, a summary, nothing. */
export interface TiersConfig {
  /** Whether conversations are told apart and tiered. */
  readonly enabled?: boolean | undefined;
  /**
   * A conversation that ended more days before the clock is not shown. Fractions are allowed; 0 is off. Default: no
   * limit (klausbot has 7).
   */
  readonly maxAgeDays?: number | null | undefined;
  /** Where messages name no conversation: after how many minutes without a message the next one begins. */
  readonly conversationGapMinutes?: number | undefined;
  /**
   * How many minutes may lie between the ends of two conversations of one thread, and between the end of the newest
   * and the clock.
   */
  readonly threadGapMinutes?: number | undefined;
  /** What counts as today for the tier; labels always go by the calendar day. */
  readonly todayWindow?: TodayWindow | undefined;
  /** How the conversations of the active thread are shown. */
  readonly thread?: TierForm | undefined;
  /** How today's other conversations are shown. */
  readonly today?: TierForm | undefined;
  /** How yesterday's conversations are shown. */
  readonly yesterday?: TierForm | undefined;
  /** How older conversations are shown. */
  readonly older?: TierForm | undefined;
  /** What happens where a tier does not fit. */
  readonly onOverflow?: TierOverflow | undefined;
  /**
   * A conversation that doesn't fit is shown by its newest messages. In the format `conversations` one of the active thread is cut within
   * a message if there is room for more than this number of its characters, and left out otherwise.
   */
  readonly minTailChars?: number | undefined;
  /** What is known of conversations beside their messages. */
  readonly conversations?: readonly KnownConversation[] | undefined;
  /** How many summaries the hook `summarize` is asked for in one build. */
  readonly maxSummaries?: number | undefined;
  /** The most characters of a summary that the hook or the extract gives; a longer one is cut. */
  readonly maxSummaryChars?: number | undefined;
  /** How long the hook may take, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** The thread status where the active thread goes on. */
  readonly continuation?: string | undefined;
  /** The thread status where there is no active thread. */
  readonly newConversation?: string | undefined;
}

/**
 * What counts as today.
 * - `calendarDay`: The calendar day of the clock in `timeZone`.
 * - `rolling24Hours`: The 24 hours before the clock.
 */
export type TodayWindow = "calendarDay" | "rolling24Hours";

/**
 * How a conversation is shown.
 * - `full`: With its messages.
 * - `summary`: By its summary: given, by the hook, or an extract that is marked as one.
 * - `none`: Not at all.
 */
export type TierForm = "full" | "summary" | "none";

/**
 * What happens where a tier does not fit.
 * - `nextTier`: The tier ends; the next may still have room.
 * - `stop`: Nothing more is shown.
 */
export type TierOverflow = "nextTier" | "stop";

/** What is known of a conversation beside its messages. */
export interface KnownConversation {
  /** Its id: the `conversationId` of its messages. */
  readonly id: string;
  /** The session that it belongs to. Default: every one. */
  readonly sessionId?: string | null | undefined;
  /** When it began. Default: with its first message. */
  readonly startedAt?: Moment | null | undefined;
  /** When it ended. Default: with its last message. */
  readonly endedAt?: Moment | null | undefined;
  /** Its summary. Default: what the message with `summaryOf` says. */
  readonly summary?: string | null | undefined;
}

/** What the prompt may cost. */
export interface BudgetConfig {
  /** The most tokens that the prompt may have. Excludes `contextLimit`. Default: no limit. */
  readonly maxTokens?: number | null | undefined;
  /**
   * The most tokens that prompt and reply may have together: the model's context window, as a number or as `"model"`, which is looked
   * up for `model` in the table of current models. Excludes `maxTokens`. Default: no limit.
   */
  readonly contextLimit?: number | "model" | null | undefined;
  /** The tokens of `contextLimit` that are kept free for the reply. Default: 1024. */
  readonly replyReserve?: number | null | undefined;
  /**
   * The most characters (code points) that the prompt may have: the whole text in the text formats, all contents in
   * the format `messages`. Default: no limit.
   */
  readonly maxChars?: number | null | undefined;
  /**
   * The most bytes that the JSON body of the request may have, in UTF-8. Texts come first. Images, audio and files have the rest, the
   * newest first, and a line such as `[image/png: 40990 bytes, not shown]` replaces each other one. Default: what
   * `render.provider` takes, if it is published: 32 MB for Anthropic, 100 MB for Gemini, 512 MB for OpenAI; otherwise no limit.
   */
  readonly maxBytes?: number | null | undefined;
  /**
   * The most images that the prompt shows in the format `messages`: the newest. A line replaces each other one. Default: what
   * `render.provider` takes: 600 for Claude, or 100 if its context has no more than 200,000 tokens, 3,600 for Gemini, 1,500 for OpenAI;
   * otherwise no limit. Claude takes images with more than 2,000 pixels on a side only if there are 20 or fewer: then older
   * images are lines, too.
   */
  readonly maxImages?: number | null | undefined;
  /**
   * What happens if instructions, required sections, pinned messages, the message that is replied to and the request
   * alone cost more than the budget (`exceed`).
   */
  readonly onRequiredOverflow?: OnRequiredOverflow | undefined;
  /** Whether tokens are counted exactly in any case, or only where the counts decide something. */
  readonly counting?: Counting | undefined;
  /** What gives way first where not everything fits. */
  readonly trimFirst?: TrimFirst | undefined;
  /**
   * Where the history is cut, so that the beginning of the prompt stays the same from turn to turn; what is ranked is quoted behind the
   * history then, within `recall.maxShare`. Default: no cut, each turn lets in what fits.
   */
  readonly cut?: CutConfig | null | undefined;
  /** How results of tools shrink if not everything fits. */
  readonly toolResults?: ToolResultsConfig | undefined;
  /**
   * The tools of the call, in any of the providers' forms: each as an object, or as its JSON. They are in no message, and what they cost
   * is part of the prompt, as the provider is known to write them for the model. Default: none.
   */
  readonly tools?: readonly unknown[] | undefined;
  /** Whether the model may choose to call a tool, or must: providers tell it so in other words (`tool_choice`, `toolConfig`). */
  readonly toolChoice?: ToolChoice | undefined;
  /**
   * What earlier requests were counted as, and what the provider said they had. Their ratio calibrates the budget: where a provider
   * counts 1.07 times what windrow does, the limits let 1.07 times less be counted, and `tokens` says what the provider will count.
   * It is kept within 0.5 and 2. For models that are counted by estimate. Default: none.
   */
  readonly usage?: readonly Usage[] | undefined;
  /**
   * What a chat message costs beside its texts, in tokens. Default: 3, after OpenAI's published recipe for counting
   * chat messages (tiktoken cookbook, `num_tokens_from_messages`); for Gemini none up to 2.0 and 1 from 2.5 on, as recorded
   * requests show. An instruction of Claude's costs nothing beside its text.
   */
  readonly tokensPerMessage?: number | null | undefined;
  /** What a chat message's name costs beside its text, in tokens. Default: 1, after the same recipe. */
  readonly tokensPerName?: number | undefined;
  /**
   * What primes the reply to chat messages, in tokens. Default: 2 for OpenAI's models that reason (`o1` to `o4`, `gpt-5` and later,
   * `gpt-oss`) and none for Gemini, as recorded requests show; 3 for all others, after the same recipe.
   */
  readonly tokensPriming?: number | null | undefined;
  /** How long the hook `countTokens` may take for one batch, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

/**
 * What happens where what must be kept does not fit.
 * - `error`: The build fails with `BUDGET_TOO_SMALL`.
 * - `shorten`: The longest required texts keep their beginning and their end, with a visible marker between them. The request keeps the user's own
 * words around a pasted text. With `cut`, texts that are in every prompt are cut to a power of two of characters, so that they stay the
 * same from turn to turn.
 * - `exceed`: The context is larger than the budget; result and trace say so.
 */
export type OnRequiredOverflow = "error" | "shorten" | "exceed";

/**
 * When tokens are counted exactly.
 * - `exact`: In any case.
 * - `whenNeeded`: Only where the counts decide something. No text has more tokens than bytes: where all there is fits by its bytes, all of it is kept,
 * no vocabulary is loaded, and `tokens` says what is estimated.
 */
export type Counting = "exact" | "whenNeeded";

/**
 * What gives way first.
 * - `items`: Items are shown by their summaries before any history is left out.
 * - `history`: The oldest history is left out before any item is shown by its summary, and stays out then: so a larger budget
 * never keeps less history than a smaller one.
 */
export type TrimFirst = "items" | "history";

/**
 * Where the history is cut, so that the beginning of the prompt stays the same from turn to turn and providers can cache it.
 *
 * Without it every turn lets in as much as fits, and so leaves out another message at the beginning. With it the cut moves in steps:
 * it lies at the first group behind a multiple of a step in the tokens of the whole history, counted from its beginning. So it
 * follows from log and config alone, and every host, tab and replay agrees on it. Needs a limit in tokens, and goes with no tiers.
 */
export interface CutConfig {
  /**
   * How full the history may become before the cut moves, from 0 to 1: a share of the tokens that it may have, together with what
   * is quoted behind it. Default: 1.
   */
  readonly highWater?: number | undefined;
  /**
   * About how full it is after the cut has moved, from 0 to 1 and below `highWater`. Lower: the cut moves less often, more of each
   * prompt repeats the one before it, and less of the budget is used. Beside quotes the history falls lower, so that it repeats
   * as much as it does without. Default: 0.58, with which three quarters of the budget are used on average.
   */
  readonly lowWater?: number | undefined;
}

/**
 * How results of tools shrink if not everything fits.
 *
 * An older result shrinks to an excerpt, and then to a line that says how much is left out. The call itself stays. Only if that is not
 * enough do whole steps go, the oldest first.
 */
export interface ToolResultsConfig {
  /** True if results shrink. Otherwise they are in the prompt whole or not at all. Default: true. */
  readonly shrink?: boolean | undefined;
  /**
   * The number of newest results that begin with more than a stub if not all steps fit: a fifth of the room together. If all steps fit,
   * they grow first, into a fifth of the rest. Default: 3.
   */
  readonly keep?: number | undefined;
  /** Names of tools whose results never shrink. Default: none. */
  readonly excludeTools?: readonly string[] | undefined;
  /**
   * By the name of a tool: the argument that names the resource of a call, such as `{ "read_file": "path" }`. A newer result of the same
   * tool with the same value supersedes an older one, whatever the other arguments are. Default: none, so all arguments must be equal.
   */
  readonly resources?: Readonly<Record<string, string>> | undefined;
  /**
   * True if the mark of an omitted part names its result, such as `result r12`. The model can then get it with the tool
   * `context.retrieval`. Default: false.
   */
  readonly retrieval?: boolean | undefined;
}

/**
 * Whether a tool must be called.
 * - `auto`: The model chooses.
 * - `required`: The model must call a tool: one of its choice, or the one that is named.
 */
export type ToolChoice = "auto" | "required";

/** What an earlier request was counted as, and what the provider said it had. */
export interface Usage {
  /** What windrow counted: `tokens.counted` of the context that was sent. From 1 on. */
  readonly countedTokens: number;
  /** The input tokens that the provider reported in `usage`, those that it read from its cache or wrote into it included. From 1 on. */
  readonly inputTokens: number;
}

/** A summary in the place of the messages that the cut leaves out. Needs `budget.cut`, and the hook `compact.summarize` to write it. */
export interface CompactConfig {
  /** The most tokens of a summary, together with its facts. The history has so many less, and they are a quarter of its room at most. */
  readonly maxTokens?: number | undefined;
  /** How long the hook may take, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /**
   * How full the history is when a session asks for the next summary in the background, from 0 to 1. Then none of its builds waits for the
   * hook, and a summary is in the prompt as soon as it is there and what it covers is left out. Default: a build asks when the cut has moved,
   * and waits; so do builds without a session.
   */
  readonly prepareAt?: number | null | undefined;
  /** The last summary, as the last build returned it in `context.compact.summary`. A session gives it by itself. */
  readonly summary?: StoredSummary | null | undefined;
  /**
   * A summary that was asked for in the background. It replaces the last one when everything that it covers is left out. A session gives it
   * by itself.
   */
  readonly prepared?: StoredSummary | null | undefined;
}

/** A summary, and the messages that it covers. */
export interface StoredSummary {
  /** The words of the model. */
  readonly text?: string | undefined;
  /** The facts that windrow found itself. They are shown after the text. */
  readonly facts?: SummaryFacts | undefined;
  /** The last message that it covers, by its id; `r` and the position of one without an id. Default: it covers none. */
  readonly through?: string | null | undefined;
  /** The last message that the hook was asked about, named in the same way: it isn't asked about it again. Default: as `through`. */
  readonly askedThrough?: string | null | undefined;
}

/** Facts of the messages that a summary covers. They are found by rules, and no model writes them. */
export interface SummaryFacts {
  /** Files that tools have read, by the paths in the calls. */
  readonly filesRead?: readonly string[] | undefined;
  /** Files that tools have changed. */
  readonly filesChanged?: readonly string[] | undefined;
  /** Ids, codes and other names of things. */
  readonly identifiers?: readonly string[] | undefined;
  /** Commands whose last run failed, each with the line that says so. */
  readonly failingCommands?: readonly string[] | undefined;
  /** Questions that nobody has answered, each with the role of the one who asks. */
  readonly openQuestions?: readonly string[] | undefined;
}

/** The form of the context. */
export interface RenderConfig {
  /** What the context is. */
  readonly format?: Format | undefined;
  /**
   * Whether the formats `text` and `xml` show when a message was written, in `timeZone`; `unknown` where that is not
   * known. The format `messages` has a place for it only in quotes, and `conversations` always shows it.
   */
  readonly times?: boolean | undefined;
  /**
   * What the text formats call each role. Default: `System`, `Developer`, `User`, `Assistant`, `Tool`; in
   * `conversations` `human` and `you` for user and assistant.
   */
  readonly labels?: Labels | undefined;
  /**
   * What the format `text` calls the user in messages of these sources, for example
   * `{ "scheduled": "Scheduled" }`.
   */
  readonly sourceLabels?: Readonly<Record<string, string>> | undefined;
  /** How many of a message's `actions` the text formats show below it. */
  readonly maxActions?: number | undefined;
  /**
   * The most characters of an assistant's message; a longer one is cut, with `...[truncated]`; 0 is off. Default:
   * no limit.
   */
  readonly maxReplyChars?: number | null | undefined;
  /**
   * Whether runs of white space in the text formats become one space, line ends included: in messages, and in recalled
   * items.
   */
  readonly collapseWhitespace?: boolean | undefined;
  /**
   * Messages that the text formats show by another text, by the first rule that fits. They cost as much as
   * their own text.
   */
  readonly replace?: readonly Replacement[] | undefined;
  /** A line that the text formats put before the history, where there is one. */
  readonly heading?: string | null | undefined;
  /**
   * A line before the history, behind the instructions, where messages of it are left out for want of room or place: by
   * budget and limits, windows, age, triage or rank, or as they were not read of a session's log. `{count}` becomes
   * their number, `{from}` and `{to}` the times of the first and the last of them, in `timeZone`; `unknown` where that
   * is not known. It is there only where there is room for it, and counts to the budget alone. Example:
   * `"[{count} earlier messages, {from} to {to}, are not shown.]"`. Default: none.
   */
  readonly gapNotice?: string | null | undefined;
  /**
   * The line that opens the quotes after the history (`recall.placement`, `triage.placement`), in the formats
   * `messages` and `text`; the others have an element for it.
   */
  readonly quoteLabel?: string | undefined;
  /** Whether a text ends with a line end. */
  readonly trailingNewline?: boolean | undefined;
  /** How the text formats keep what others wrote apart from the prompt's own lines. */
  readonly guard?: Guard | undefined;
  /**
   * The provider that the messages are sent to, in the format `messages`. Where it wants the user to speak first and the history
   * begins with somebody else, a line of the user's stands before it: `[Earlier messages are not shown.]`. Room for that is set aside.
   * `context.request()` makes the body of the request. Default: none.
   */
  readonly provider?: Provider | null | undefined;
  /**
   * The server of an OpenAI-compatible endpoint that the messages go to. What it set on the assistant's messages goes back to it and is
   * counted, such as `reasoning_content`. Default: as `model` says, and none if no such server is known by it.
   */
  readonly server?: Server | null | undefined;
  /**
   * Place of a system or developer message that comes after the conversation has begun, for a provider or a model that doesn't take it
   * there. OpenAI and Claude from 4.8 on do: it stays in its place. Default: `top`.
   */
  readonly lateInstructions?: LateInstructions | undefined;
  /**
   * False if OpenAI's Responses API is told not to keep the request: reasoning goes only with its encrypted content then, and other
   * reasoning isn't counted. `context.request` takes it as its `store`. Default: the API keeps it.
   */
  readonly store?: boolean | null | undefined;
  /**
   * Treatment of a tool call that has no result, such as one that the user stopped, in a message that says something else too.
   * A message that says nothing else is left out. In the text formats a call is a text, and stays. Default: `close`.
   */
  readonly openCalls?: OpenCalls | undefined;
}

/**
 * What a context is.
 * - `messages`: A list of chat messages.
 * - `text`: One text, a labelled line or more for each message.
 * - `xml`: One text, an XML element for each message.
 * - `conversations`: One text, an XML element for each conversation with a line for each message.
 */
export type Format = "messages" | "text" | "xml" | "conversations";

/** What the roles are called. */
export interface Labels {
  /** Instructions. */
  readonly system?: string | null | undefined;
  /** Instructions, as newer models call them. */
  readonly developer?: string | null | undefined;
  /** The user, where no name is known. */
  readonly user?: string | null | undefined;
  /** The assistant, where no name is known. */
  readonly assistant?: string | null | undefined;
  /** A tool's result. */
  readonly tool?: string | null | undefined;
}

/** What is shown in the place of messages of a kind. */
export interface Replacement {
  /** The role of the messages. Default: any. */
  readonly role?: Role | null | undefined;
  /** A tag that the messages have. Default: any or none. */
  readonly tag?: string | null | undefined;
  /** Phrases that the text has, all of them; the letters A to Z in upper or lower case. Default: any text. */
  readonly contains?: readonly string[] | undefined;
  /** What is shown. */
  readonly text: string;
}

/**
 * How contents are kept apart from structure.
 * - `indent`: Every line of a content after its first begins with a space, so that none begins where a line of the prompt's own
 * does. A name stands in brackets behind the role. See `docs/formats.md`.
 * - `none`: Contents and names stand as they are, and can pass for structure: for a prompt whose bytes are given. The formats
 * `xml` and `conversations` still escape them.
 */
export type Guard = "indent" | "none";

/**
 * A provider of models, by the form of its requests.
 * - `openai`: OpenAI's chat completions, and what is compatible with them.
 * - `openai-responses`: OpenAI's Responses.
 * - `anthropic`: Anthropic's Messages.
 * - `gemini`: Gemini's `generateContent`.
 * - `bedrock`: Amazon Bedrock's Converse, for every model that it has.
 * - `ai-sdk`: The AI SDK's `ModelMessage`, for any provider.
 * - `chrome`: Chrome's Prompt API, for the model that is built into the browser.
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
 * A server that takes requests in the form of OpenAI's chat completions. `docs/providers.md` has where each is known from.
 * - `openai`: OpenAI itself, which refuses fields that it doesn't know.
 * - `mistral`: Mistral, which refuses them too.
 * - `groq`: Groq, which refuses them too.
 * - `deepseek`: `DeepSeek`.
 * - `moonshot`: Moonshot AI, which makes Kimi.
 * - `zai`: Z.ai, which makes GLM.
 * - `gemini`: Gemini's OpenAI-compatible endpoint.
 * - `openrouter`: `OpenRouter`, and routers that take the same fields.
 * - `other`: Any other server that takes back the fields that it set.
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
 * Place of instructions that come after the conversation has begun, if the model doesn't take them there.
 * - `top`: They go to the instructions at the top of the request. That changes the beginning of the prompt: the provider's cache misses,
 * and thinking that is bound to the beginning is lost.
 * - `user`: They stay in their place, as a text of the user's that begins with `[Instructions of the application]`. The model may trust it less.
 */
export type LateInstructions = "top" | "user";

/**
 * Treatment of a tool call that has no result.
 * - `close`: `context.request` adds a result that says that it was interrupted: the model still sees its call, and signatures on calls stay
 * whole. `context.messages` and `context.kept` are without the call, since not every form has a place for
 * a result that nobody gave.
 * - `drop`: It is left out of the request too.
 */
export type OpenCalls = "close" | "drop";

/** A part of the prompt. The list of sections is the order in which it is put together. */
export interface Section {
  /** Its name in the result, in the trace and in `contents`; no two are the same. */
  readonly id: string;
  /** What it holds. */
  readonly kind: SectionKind;
  /** The role of its messages in the format `messages`. Default: `system`. */
  readonly role?: Role | null | undefined;
  /**
   * What stands before it in the text formats, and before its text in the format `messages`. Before the request it
   * stands in the place of the speaker.
   */
  readonly label?: string | null | undefined;
  /** The text in its place if it is empty. Default: an empty section is not there. */
  readonly empty?: string | null | undefined;
  /** The text of kind `text`. */
  readonly text?: string | null | undefined;
  /** The items of kind `items`, in order; or what the kind `recall` looks for the request in. */
  readonly items?: readonly Item[] | undefined;
  /**
   * Of kind `items`: whether only those parts of its items are shown that fit the request best, in the order of the
   * items. A long text is cut into passages, at headings, blank lines and sentences. Without a limit of its own the
   * section holds what the focus of recall allows.
   */
  readonly ranked?: boolean | undefined;
  /**
   * How an item is written, in the kinds `items` and `recall`: `{text}`, `{source}`, `{score}` (four decimals) and
   * `{number}` (from 1) stand for its own. Default: `{text}`.
   */
  readonly item?: string | null | undefined;
  /** Whether each item is a message of its own in the format `messages`. */
  readonly separate?: boolean | undefined;
  /** What it may cost. */
  readonly limit?: SectionLimit | undefined;
  /** Whether it may be left out for its cost. Default: `always` for texts, `optional` for items and recall. */
  readonly keep?: Keep | null | undefined;
  /** What becomes of the front matter (`---` to `---`) that a text begins with. */
  readonly frontMatter?: FrontMatter | undefined;
}

/**
 * What a section holds.
 * - `text`: A text of the caller's.
 * - `items`: A list of texts of the caller's.
 * - `history`: The messages of the transcript.
 * - `recall`: What the hook `recall.search` gives, and what fits the request best of the section's items, best first.
 * - `focus`: The focus in words, for example `balanced (0.50)`.
 * - `request`: The request. Without a section of this kind the request is not in the prompt.
 */
export type SectionKind = "text" | "items" | "history" | "recall" | "focus" | "request";

/** One of several texts. */
export interface Item {
  /** Its id. */
  readonly id?: string | null | undefined;
  /** Its text. */
  readonly text: string;
  /** A shorter text, for where there is no room for the whole. */
  readonly summary?: string | null | undefined;
  /** Which items go last where there is no room: the higher, the later. Default: 0. */
  readonly priority?: number | null | undefined;
  /** Where it is from. */
  readonly source?: string | null | undefined;
  /** How well it fits the request. Where items are ranked, it is from 0 to 1, as a share of the best one's. */
  readonly score?: number | null | undefined;
}

/** What a section may cost. Its label, and what a format puts around the history, do not count. */
export interface SectionLimit {
  /** The most tokens. A text that is longer is cut with a marker, an item is shown by its summary. Default: no limit. */
  readonly tokens?: number | null | undefined;
  /**
   * The most characters (code points). A text that is longer is cut with `...`. 0 is off. Default: no
   * limit.
   */
  readonly chars?: number | null | undefined;
  /** The most items; the first stay. Default: all. */
  readonly items?: number | null | undefined;
  /** How the characters of the history are counted. */
  readonly measure?: Measure | undefined;
  /** What happens where the newest message of the history is alone too long for `chars`. */
  readonly oversize?: Oversize | undefined;
}

/**
 * How characters are counted.
 * - `rendered`: As the messages are shown.
 * - `roleAndText`: The text, the role's name and 4 more.
 */
export type Measure = "rendered" | "roleAndText";

/**
 * What happens to a message that is alone too long.
 * - `leaveOut`: It is left out.
 * - `tail`: Its end stays, at least one character of it.
 */
export type Oversize = "leaveOut" | "tail";

/**
 * Whether a section may be left out for its cost.
 * - `always`: It is required.
 * - `optional`: It comes before the history, as far as it fits.
 */
export type Keep = "always" | "optional";

/**
 * What becomes of front matter.
 * - `keep`: It is part of the text.
 * - `only`: It is all of the text, where there is one.
 * - `omit`: It is left out.
 */
export type FrontMatter = "keep" | "only" | "omit";

/** A conversation of the context. */
export interface ConversationReport {
  /** Its id; `#` and a number where its messages name none. */
  readonly id: string;
  /** When it began, in milliseconds since 1970; null where unknown. */
  readonly startedAt?: number | null | undefined;
  /** When it ended. */
  readonly endedAt?: number | null | undefined;
  /** The day that it ended on, as it is called: `today`, `yesterday`, a day's name, or a date. */
  readonly label: string;
  /** Which tier it is in. */
  readonly tier: Tier;
  /** In which form it is there. */
  readonly form: ConversationForm;
}

/**
 * The tier of a conversation.
 * - `thread`: It belongs to the active thread.
 * - `today`: It ended today.
 * - `yesterday`: It ended yesterday.
 * - `older`: It ended before.
 */
export type Tier = "thread" | "today" | "yesterday" | "older";

/**
 * The form of a conversation.
 * - `full`: With its messages.
 * - `truncatedTail`: With a part of its messages: the last ones, the first of them cut, or those that are required.
 * - `summary`: By its summary.
 * - `extract`: By an extract of its messages, as there is no summary.
 * - `leftOut`: Not there.
 */
export type ConversationForm = "full" | "truncatedTail" | "summary" | "extract" | "leftOut";

/** The focus of recall. */
export interface FocusReport {
  /** How broad recall is. */
  readonly level: Focus;
  /** From 0 (diffuse) to 1 (focused); null where the level was given. */
  readonly score?: number | null | undefined;
  /** The two in words, for example `balanced (0.50)`. */
  readonly summary: string;
  /** How many items recall asks for. */
  readonly maxItems: number;
  /** The most characters of them together. */
  readonly maxChars: number;
}

/** A text that the build made. */
export interface MadeText {
  /** The section that it is of, by its position. */
  readonly section: number;
  /** The role of its message. */
  readonly role: Role;
  /** The text. */
  readonly text: string;
  /** Where in the text the marker stands that says how much of it was cut, if any was. */
  readonly marker?: number | null | undefined;
}

/** Something from outside the core that a build cannot go on without. */
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
 * - `qwen`: `qwen`: Qwen 2 to 3, by a vocabulary file of your own.
 * - `deepseek_v3`: `deepseek_v3`: DeepSeek V3 and R1, by a vocabulary file of your own.
 * - `tekken`: `tekken`: Mistral's Tekken, by a vocabulary file of your own.
 * - `llama3`: `llama3`: Llama 3 to 3.3, by a vocabulary file of your own.
 */
export type EncodingName = "o200k_base" | "cl100k_base" | "qwen" | "deepseek_v3" | "tekken" | "llama3";

/** A moment, in milliseconds since 1970-01-01T00:00Z. */
export type Milliseconds = number;

/** The messages of its log that a build asks for. */
export type Wanted =
  | { readonly kind: "more" }
  | { readonly kind: "all" }
  | { readonly kind: "id"; readonly value: string }
  | { readonly kind: "index" }
  | { readonly kind: "seqs"; readonly value: readonly number[] };

/** What triage chooses among: a message with what goes together with it, or an exchange. */
export interface TriageUnit {
  /**
   * The id of its first message, or `#` and that message's position where it has none, or one that another candidate
   * has.
   */
  readonly id: string;
  /** The positions of its messages in the transcript. */
  readonly positions: readonly number[];
  /** Its texts, a line for each message. */
  readonly text: string;
}

/** A conversation of which a summary is wanted. */
export interface SummaryWanted {
  /** Its id. */
  readonly id: string;
  /** The positions of its messages in the transcript. */
  readonly positions: readonly number[];
  /** Its texts, a line for each message. */
  readonly text: string;
}

/** The rows to fetch next: all that have an id, or else all that meet every condition. */
export interface Fetch {
  /** The sequence number that they follow; absent for the log's beginning. */
  readonly after?: number | null | undefined;
  /** The sequence number that follows them; absent for the log's end. */
  readonly before?: number | null | undefined;
  /** How many at most; absent for all. */
  readonly limit?: number | null | undefined;
  /** Whether the newest come first and are counted by the limit. The oldest come first otherwise. */
  readonly newestFirst: boolean;
  /** Whether only pinned rows are meant. */
  readonly pinned: boolean;
  /** Their sequence numbers, if they are known. */
  readonly seqs?: readonly number[] | null | undefined;
  /** Their id, if it is known. */
  readonly id?: string | null | undefined;
}

/** What became of recall. */
export interface RecallReport {
  /** `ok`, `emptyQuery`, `unavailable` or `failed`. */
  readonly status: RecallStatus;
  /** How many items were found. */
  readonly hits: number;
}

/**
 * How recall ended.
 * - `ok`: It was answered, perhaps with nothing: by the hook, or where that gave no answer from the section's items.
 * - `emptyQuery`: The request is blank, so nothing was asked.
 * - `unavailable`: There is no hook, or it said that it cannot, and no items.
 * - `failed`: The hook failed, took too long, or answered nonsense, and there are no items.
 */
export type RecallStatus = "ok" | "emptyQuery" | "unavailable" | "failed";

/** What a section of a context holds. */
export interface SectionReport {
  /** Its id. */
  readonly id: string;
  /** What it holds. */
  readonly kind: SectionKind;
  /**
   * Its text: of texts and lists without their label, of history and request as they are in the prompt. Null where it
   * is not there, and for history and request in the format `messages`.
   */
  readonly text?: string | null | undefined;
  /** What became of its items; empty in the other kinds. */
  readonly items: readonly ItemReport[];
}

/** What became of an item. */
export interface ItemReport {
  /** Its id, if it has one. */
  readonly id?: string | null | undefined;
  /** In which form it is there. */
  readonly form: ItemForm;
}

/**
 * The form of an item.
 * - `full`: Whole.
 * - `summary`: By its summary.
 * - `cut`: Cut, with a visible marker.
 * - `leftOut`: Not there.
 */
export type ItemForm = "full" | "summary" | "cut" | "leftOut";

/**
 * A stable name of a failure. Messages may improve; codes do not change.
 * - `INVALID_CONFIG`: An option is unknown, of the wrong type or out of range.
 * - `INVALID_TRANSCRIPT`: The transcript is not a list of messages, or one message in it is malformed.
 * - `BUDGET_TOO_SMALL`: What must be kept costs more than the budget.
 * - `ENCODING_NOT_LOADED`: An exact count was asked for and the encoding's vocabulary is not loaded.
 * - `MEANING_NOT_LOADED`: The table of meanings is needed (`recall.meaning`), and is not loaded.
 * - `PART_NOT_LOADED`: A part of the engine or of the package is needed at once, and is not loaded.
 * - `INVALID_ENCODING`: The bytes given as an encoding's vocabulary are not one.
 * - `INVALID_MEANING`: The bytes given as the table of meanings are not that of this version.
 * - `HOOK_FAILED`: A hook of the caller's, without whose answer there is no context, failed: `countTokens`.
 * - `ABORTED`: The caller's signal was aborted.
 * - `INVALID_RECORDING`: A recording is of another version of the format, or damaged, or not of this transcript and engine: something is asked
 * that no answer was recorded for.
 * - `INTERNAL`: The engine itself failed. It restarts by itself; the next call works.
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
 * What a segment of a message holds.
 * - `id`: The message's id, as the caller knows it.
 * - `name`: The speaker's name.
 * - `text`: A text part of the content.
 * - `reasoning`: A reasoning part of the content.
 * - `image`: An image part: its detail (`low`, `high` or `auto`), the known figures as `name=value`, and a fingerprint, with spaces between
 * them.
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
 * - `conversationId`: The conversation that it belongs to.
 * - `summaryOf`: The conversation that it is the summary of.
 * - `replyTo`: The id of the message that it replies to.
 * - `action`: One of the things that were done in it.
 * - `status`: How the turn ended, for example `failed`.
 * - `target`: The agent that it is meant for.
 * - `priority`: Its priority among direct messages, in millionths: a whole number from 0 to 1000000.
 * - `timeToLive`: How long it is valid after it was written, in milliseconds.
 * - `joinsNext`: The message is nothing without the one behind it; its value says nothing.
 * - `reasoningOf`: The provider of the reasoning after it, with its proof: that provider takes it back. `/compaction` follows if it replaces
 * everything before it, and `/note` if it is another note of the provider's to itself: the model didn't think these.
 * - `resultLater`: The id of a call of this message whose result may come later than those of other calls: the provider runs it, or it waits for an
 * approval.
 * - `resultName`: The name of the tool whose result a message is, if no id says which call it answers.
 * - `nextRow`: The message goes on in another row, which has this role.
 * - `ofFile`: The next text of this message is the text of a file, and not the speaker's own words.
 * - `proofBytes`: Bytes of the proofs of its parts in the request: signatures, ids and encrypted texts, which are in no other field.
 * - `serverFields`: Fields that an OpenAI-compatible server set, as JSON. They say the reasoning that directly follows.
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
  | "serverFields";

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
  /**
   * How far the time zone was from UTC: since when (milliseconds since 1970), and how many minutes east. Empty where
   * no zone was asked for.
   */
  readonly zoneOffsets: readonly (readonly [number, number])[];
  /** The hooks that there were. */
  readonly hooks: readonly HookName[];
  /** Their answers as far as they were understood, in the order of the questions. */
  readonly answers: readonly AnswerRecord[];
  /** Answers of more than 1,024 bytes as JSON, by the SHA-256 of it. */
  readonly largeAnswers: Readonly<Record<string, Answer>>;
  /** The transcript that it was built from. */
  readonly transcript: TranscriptRecord;
  /** The hash of the context. */
  readonly contextHash: string;
}

/** An answer in a recording: itself, or the hash of one in `largeAnswers`. */
export type AnswerRecord = Answer | { readonly hash: string };

/** Which transcript a context was built from. */
export interface TranscriptRecord {
  /** How many messages it had. */
  readonly length: number;
  /** A checksum of them with all the fields that windrow reads, as 16 hexadecimal digits. */
  readonly digest: string;
  /** The same of its beginnings: of 1, 2, 4, 8, … messages. By them a changed message is found. */
  readonly marks: readonly (readonly [number, string])[];
  /** What was not read of the log that they are from; null where they are all that there is. */
  readonly unread?: Unread | null | undefined;
}

/**
 * The messages of a log that a transcript does not have.
 *
 * A log is read from its end, as far as the context can need. Before that tail only single messages were read: the log's
 * beginning, and pinned messages or replied ones with their exchange.
 */
export interface Unread {
  /**
   * The stretches that were not read, in the order of the rows. The log's beginning ends at the first, and the tail begins
   * behind the last.
   */
  readonly gaps: readonly UnreadStretch[];
  /** How many messages were not read. */
  readonly count: number;
  /** Whether some of them may have no time. */
  readonly hasUntimed: boolean;
  /** Ids that were looked for: all messages of the log that have one of them are there. */
  readonly lookedUp: readonly string[];
  /** How the index of the log ranked messages: in a recording, as it is not there when that is replayed. */
  readonly ranking?: RankingRecord | null | undefined;
}

/** Messages of the log that are not in the transcript, all in a row. */
export interface UnreadStretch {
  /** The row that follows them. */
  readonly row: number;
  /** The latest time of all that the log has before that row, or of the row itself; none where none has a time. */
  readonly latest?: Milliseconds | null | undefined;
}

/** How the index of a log ranked messages for a request. */
export interface RankingRecord {
  /** Those that were read, the best first: the row, how much of it is shown, and the row that it goes with. */
  readonly candidates: readonly (readonly [number, Form, number | null])[];
  /** The rows of the user's messages that say what holds throughout, as far as they were read, the best first. */
  readonly standing?: readonly number[] | undefined;
  /** The rows of the user's lasting statements, the best first. Rows that weren't read aren't among them. */
  readonly statements?: readonly number[] | undefined;
  /** Why those that were kept were recalled. */
  readonly recalled: readonly RecalledWords[];
}

/**
 * How much of a message is shown, from little to all.
 * - `reply`: So much of a reply as its question is to have with it.
 * - `excerpt`: The passages that the request is about.
 * - `whole`: All of it.
 */
export type Form = "reply" | "excerpt" | "whole";

/** Why messages were recalled. */
export interface RecalledWords {
  /** Their positions in the transcript, from 0. */
  readonly positions: readonly number[];
  /** What speaks for each: words of the request that it has or stands beside, who says it, when, what it means. */
  readonly words: string;
}

/** The small record of a turn. */
export interface Snapshot {
  /** The session that the context is for; null where none was named. */
  readonly sessionId?: string | null | undefined;
  /** The id of the turn. */
  readonly turnId?: string | null | undefined;
  /** `ctx_` and 64 hexadecimal digits: SHA-256 over what was built and the effective config, without clock and turn id. */
  readonly contextHash: string;
  /**
   * How much of each source is in the context: `messages` of the transcript, and items of each section of kind
   * `items`, by its id.
   */
  readonly sourceCounts: Readonly<Record<string, number>>;
  /** Whether the budget left out or shortened anything. */
  readonly trimmed: boolean;
  /** The clock of the build, in milliseconds since 1970. */
  readonly timestampMs: number;
}

/** What a context costs, in tokens. */
export interface TokenReport {
  /** The whole prompt, the format's own overhead included. */
  readonly total: number;
  /** The same as it was counted, before `budget.usage` calibrated it: what `budget.usage` wants as `countedTokens` for the next build. */
  readonly counted: number;
  /** How many tokens each counted one stands for, by `budget.usage`; null where nothing calibrates it. */
  readonly calibration?: number | null | undefined;
  /** What it may cost; null where no token limit was set. */
  readonly limit?: number | null | undefined;
  /**
   * Whether `total` is exact: for the model that the config names, or for the encoding where it names that alone, and with
   * no image, audio or file in it. Where neither is named it is not: it is exact in `encoding`, and the model may count in
   * another.
   */
  readonly exact: boolean;
  /** The same in words: what `total` is exact for, or why it is not. */
  readonly words: string;
  /** How it was counted: `o200k_base`, `cl100k_base`, `estimate` or `countTokens`. */
  readonly encoding: string;
  /** What each section costs; together they are `total`. */
  readonly sections: readonly SectionTokens[];
}

/** What one section of a context costs. */
export interface SectionTokens {
  /**
   * `format` (the form itself), `tools` (the definitions in `budget.tools`, and the provider's own words about them),
   * `instructions` (the system and developer messages that the transcript begins with), or a section's id: without `sections`
   * these are `history` and `request`. The first three are always there, in this order, even if a section has the id `tools` too.
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
  /** Why messages were recalled that were kept for their rank. */
  readonly recalled: readonly RecalledWords[];
  /** What is to be said of the build as a whole. */
  readonly notes: readonly Note[];
  /** How many older messages of the log were not read, as none of them could be in the context. */
  readonly unreadCount: number;
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
 * - `excerpt`: Some passages of it are in the context, with a visible mark where others are left out.
 * - `stub`: A tool's result, of which a line is in the context that says how much is left out.
 * - `left out`: It is not in the context.
 */
export type Fate = "kept" | "shortened" | "excerpt" | "stub" | "left out";

/**
 * A stage of a build.
 * - `collect`: Order, groups, session.
 * - `filter`: Roles, sources, tags.
 * - `window`: Count, turns, time.
 * - `recall`: What is recalled.
 * - `triage`: What a fast model chooses.
 * - `tiers`: Full or summary.
 * - `budget`: What fits.
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
 * Why it became so. The codes are stable.
 * - `not_read`: It was read for what goes together with it, or to look for what does; nothing else as old can be in the context.
 * - `other_session`: It belongs to another session than the one asked for.
 * - `other_target`: It is meant for another agent than the one that the context is for.
 * - `expired`: Its time to live is over.
 * - `deleted`: Its author removed it.
 * - `duplicate`: An earlier message has the same id.
 * - `compacted`: The provider's compaction replaces it.
 * - `same_as_request`: It is the request that was given, which is in the context in its place.
 * - `disabled`: History was turned off.
 * - `beyond_cache`: It is older than the messages that the cache holds.
 * - `beyond_fetch_limit`: It is older than the messages that are fetched.
 * - `call_without_result`: It calls a tool and says nothing else, and the transcript has no result for the call.
 * - `result_without_call`: It is a tool's result and says nothing else, and the transcript has no call for it.
 * - `role`: Its role is not among the wanted ones.
 * - `source`: Its source is excluded.
 * - `tag`: One of its tags is excluded.
 * - `unfinished`: It belongs to a turn that is not finished.
 * - `tool_calls`: It is a tool call or a result, and these are excluded.
 * - `blank`: It has no content.
 * - `beyond_age`: It was written, or its conversation ended, too many days ago.
 * - `is_summary`: It is the summary of a conversation, shown only where the conversation is shown by its summary.
 * - `beyond_lookback`: It is older than the newest messages or exchanges that the window takes.
 * - `beyond_user_turns`: It is older than the newest user turns that the window takes.
 * - `beyond_recent_messages`: It is older than the newest messages that may be kept.
 * - `too_old`: It is older than the window's hours.
 * - `not_candidate`: Triage was not asked about it: it is not among its candidates.
 * - `not_chosen`: Triage did not choose it.
 * - `triage_failed`: It is older than the guaranteed recent, and triage failed.
 * - `triage_unavailable`: It is older than the guaranteed recent, and there is no triage.
 * - `summarized`: Its conversation is shown by a summary.
 * - `tier_not_shown`: Conversations of its tier are not shown, or of its conversation only the required messages.
 * - `no_section`: The prompt has no place for history.
 * - `split_group`: Its tool call or result was left out, and they go together.
 * - `over_limit`: The history's own limit had no room left for it.
 * - `over_budget`: The budget had no room left for it.
 * - `ranked_lower`: The budget had no room left for it: what fits the request better filled it.
 * - `run_ended`: It is older than messages that didn't fit, and older ones aren't tried after these.
 * - `before_cut`: It is before the cut, which moves in steps.
 * - `instruction`: It is one of the system or developer messages that the transcript begins with.
 * - `compaction`: It has the provider's newest compaction, which replaces everything before it.
 * - `pinned`: The caller pinned it.
 * - `request`: It is the request (none was given), or answers it; or it takes the place of a request in a transcript without one.
 * - `reply_to`: The request replies to it.
 * - `required_newest`: It is one of the newest, which are required.
 * - `direct`: It is meant for the agent that the context is for.
 * - `recent`: It is one of the guaranteed recent.
 * - `chosen`: Triage chose it.
 * - `newest`: It is one of the newest, which come before recalled messages.
 * - `standing`: The user says in it what holds throughout: an instruction, or a preference.
 * - `statement`: The user says something lasting in it: a preference, a matter of health, a person, how to be answered.
 * - `recalled`: It fits the request, or the request goes on from it.
 * - `paired`: It goes with a message that is kept for its rank: the question that this answers, or its reply.
 * - `history`: It is history, and there was room for it.
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
  /** What it says, with the figures of the config. */
  readonly words: string;
}

/** Something about a build as a whole. */
export interface Note {
  /** What it is about. */
  readonly kind: NoteKind;
  /** What it says. */
  readonly words: string;
}

/**
 * What a note is about.
 * - `rows-skipped`: Rows of the session's log are no messages, and were skipped.
 * - `context-trim`: The budget, a section's limit or `window.maxRecentMessages` left out or shortened something.
 * - `media-hidden`: The request takes no more images, or no more bytes: some images and files are a line each.
 * - `open-calls`: Messages of the context call tools, and the transcript has no result for these calls: which, and what became of them.
 * - `required-overflow`: The required messages and sections cost more than the budget, and are there all the same.
 * - `triage-unavailable`: Triage is unavailable: there is no hook, or it said so. Only the guaranteed recent stay.
 * - `triage-failed`: Triage failed.
 * - `recall-unavailable`: Nothing could be recalled.
 * - `recall-failed`: Recall failed.
 * - `embedding-unavailable`: The hook for embeddings said that it is unavailable: messages are ranked by their words alone.
 * - `embedding-failed`: The hook for embeddings failed: messages are ranked by their words alone.
 * - `summaries-failed`: The hook for summaries failed.
 * - `thinking-left-out`: Thinking was left out: something before it has changed since the model thought it, and the model would refuse it.
 * - `provider-clears`: The provider itself will clear or compact parts of the prompt: which, as far as its rules are documented.
 * - `answer-misunderstood`: A hook's answer was understood in part: which hook, what was not understood of it, and what was done instead. There is
 * one for each such answer.
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
  | "provider-clears"
  | "answer-misunderstood";

/** What triage has decided. */
export interface TriageReport {
  /** Of this build and those before it: give it to the next one as `triage.decided`, and it stays so. */
  readonly decided: TriageDecisions;
}

/** The summary of what the cut leaves out. */
export interface CompactReport {
  /** The summary in this prompt: give it to the next build as `compact.summary`, and it stays until the cut moves. */
  readonly summary: StoredSummary;
  /** The position of the last message that the hook was asked about. */
  readonly askedPosition?: number | null | undefined;
  /** True if `compact.prepared` is of no use any more: it was taken or refused. */
  readonly tookPrepared: boolean;
  /** The question about the next one, once the history is as full as `compact.prepareAt` says. */
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

/** What the user says first, where a provider takes no other beginning: `render.provider` has it counted. */
export const EARLIER_MESSAGES = "[Earlier messages are not shown.]";
