// Five documented systems, each as a config. They are plain data in the public vocabulary: no stage knows of them. None of
// the documents ranks messages: the newest come first.

import type {
  BudgetConfig,
  ContextOptions,
  CutConfig,
  Format,
  RecallConfig,
  RenderConfig,
  Section,
} from "../base/generated.js";

/** A config that has some groups of options, a form, and sections. */
export type Preset<F extends Format, Group extends keyof ContextOptions> = {
  readonly [K in Group]-?: NonNullable<ContextOptions[K]>;
} & { readonly render: RenderConfig & { readonly format: F }; readonly sections: readonly Section[] };

const triaged: Preset<"text", "enabled" | "collect" | "filter" | "window" | "recall" | "triage"> = {
  enabled: true,
  collect: {
    cacheLimit: 200,
    fetchLimit: 100,
    limitsCount: "history",
  },
  filter: {
    roles: ["user", "assistant"],
    excludeToolCalls: true,
    excludeSources: ["scheduled", "briefing"],
    excludeTags: ["ack", "progress"],
    completedOnly: true,
  },
  window: {
    unit: "exchange",
    lookbackCount: 25,
    recencyHours: null,
    minMessages: 10,
    previousTasksCount: 3,
    includeReplyTo: true,
  },
  recall: {
    ranking: "recency",
  },
  triage: {
    skipSelectionThreshold: 3,
    model: "fast",
    timeoutMs: 30_000,
    useSelection: true,
    alwaysIncludeRecent: 5,
    onError: "recentOnly",
    onUnavailable: "keepAll",
  },
  render: {
    format: "text",
    times: true,
    labels: { user: "User", assistant: "Bot" },
    sourceLabels: { scheduled: "Scheduled", briefing: "Scheduled" },
    maxActions: 15,
    maxReplyChars: null,
    guard: "none",
  },
  sections: [{ id: "history", kind: "history" }],
};

const FALLBACK_REPLY = "Inference unavailable fallback reply (details omitted).";

const turns: Preset<"text", "collect" | "filter" | "window" | "recall"> = {
  collect: {
    sessionScope: "session",
    keepInstructions: false,
  },
  filter: {
    roles: ["system", "user", "assistant"],
    excludeToolCalls: true,
    excludeTags: ["command", "diagnostic"],
    excludeBlank: true,
  },
  window: {
    maxUserTurns: 12,
  },
  recall: {
    ranking: "recency",
    focus: null,
    focusSignals: null,
    maxItems: null,
    maxChars: null,
    maxItemChars: 420,
    emptyQuery: "No semantic query available for memory lookup.",
    unavailable: "Semantic memory is unavailable.",
  },
  render: {
    format: "text",
    labels: { system: "System", user: "User", assistant: "Takobot" },
    collapseWhitespace: true,
    replace: [
      { role: "assistant", contains: ["inference is unavailable right now"], text: FALLBACK_REPLY },
      { role: "assistant", contains: ["i'm replying in fallback mode"], text: FALLBACK_REPLY },
      { role: "assistant", contains: ["diagnostic status only"], text: FALLBACK_REPLY },
      { role: "assistant", contains: ["last inference error:", "detailed command logs:"], text: FALLBACK_REPLY },
    ],
    heading: "Recent conversation context (oldest to newest):",
    trailingNewline: true,
    guard: "none",
  },
  sections: [
    { id: "stageGuidance", kind: "text" },
    {
      id: "soul",
      kind: "text",
      label: "soul_identity_boundaries=\n",
      empty: "SOUL.md is missing.",
      limit: { chars: 1600 },
    },
    {
      id: "skills",
      kind: "text",
      label: "skills_frontmatter=\n",
      empty: "SKILLS.md is missing.",
      limit: { chars: 1200 },
    },
    { id: "tools", kind: "text", label: "tools_frontmatter=\n", empty: "TOOLS.md is missing.", limit: { chars: 1200 } },
    {
      id: "skillsInventory",
      kind: "items",
      label: "skills_inventory=\n",
      empty: "(none)",
      item: "- {text}",
      limit: { items: 18, chars: 1400 },
    },
    {
      id: "toolsInventory",
      kind: "items",
      label: "tools_inventory=\n",
      empty: "(none)",
      item: "- {text}",
      limit: { items: 18, chars: 1400 },
    },
    {
      id: "memory",
      kind: "text",
      label: "memory_frontmatter=\n",
      empty: "MEMORY.md is missing.",
      limit: { chars: 1200 },
    },
    { id: "focus", kind: "focus", label: "focus_state=" },
    {
      id: "recall",
      kind: "recall",
      label: "memory_rag_context=\n",
      empty: "No semantic memory matches found.",
      item: "{number}. score={score} source={source}\n   {text}",
    },
    {
      id: "history",
      kind: "history",
      label: "recent_conversation=\n",
      empty: "(none)",
      limit: { chars: 8000, measure: "roleAndText", oversize: "tail" },
    },
    { id: "request", kind: "request", label: "user_message=" },
  ],
};

const tiered: Preset<"conversations", "filter" | "tiers"> = {
  filter: {
    roles: ["user", "assistant"],
    excludeToolCalls: true,
    excludeBlank: true,
  },
  tiers: {
    enabled: true,
    maxAgeDays: 7,
    threadGapMinutes: 30,
    todayWindow: "rolling24Hours",
    thread: "full",
    today: "full",
    yesterday: "summary",
    older: "summary",
    onOverflow: "nextTier",
    minTailChars: 200,
  },
  render: {
    format: "conversations",
    guard: "none",
  },
  sections: [{ id: "history", kind: "history", limit: { chars: 120_000 } }],
};

/** More than any knowledge has: the document does not bound how long an item is, or all of them. */
const ITEM_CHARS = 100_000;
const KNOWLEDGE_CHARS = 200_000;

const agent: Preset<"messages", "collect" | "window" | "recall" | "budget"> = {
  collect: {
    sessionScope: "strict",
    deduplicate: true,
  },
  window: {
    lookbackCount: 10,
  },
  recall: {
    ranking: "recency",
    maxItems: 3,
    maxChars: KNOWLEDGE_CHARS,
    maxItemChars: ITEM_CHARS,
  },
  budget: {
    maxTokens: 4000,
    onRequiredOverflow: "error",
    tools: [],
  },
  render: {
    format: "messages",
  },
  sections: [
    { id: "system", kind: "text", role: "system" },
    { id: "history", kind: "history" },
    {
      id: "knowledge",
      kind: "recall",
      role: "system",
      separate: true,
      item: "📚 Knowledge: {text}\n(Source: {source})",
    },
    { id: "request", kind: "request" },
  ],
};

const turnContract: Preset<"messages", "window" | "recall" | "budget"> = {
  window: {
    maxRecentMessages: null,
  },
  recall: {
    ranking: "recency",
  },
  budget: {
    maxTokens: null,
    onRequiredOverflow: "exceed",
    trimFirst: "history",
  },
  render: {
    format: "messages",
  },
  sections: [
    { id: "history", kind: "history" },
    { id: "checkpoint", kind: "text", label: "Last checkpoint: ", keep: "always" },
    { id: "pendingQueue", kind: "text", label: "Pending queue: ", keep: "optional" },
    { id: "lastStatus", kind: "text", label: "Last status: ", keep: "optional" },
    { id: "memoryPointers", kind: "items", label: "Memory pointers:\n", keep: "optional" },
    { id: "toolSnippets", kind: "items", label: "Tool results:\n", keep: "optional", limit: { tokens: null } },
    { id: "request", kind: "request" },
  ],
};

const steady: Steady = {
  recall: { ranking: "relevance", maxShare: 0.15 },
  budget: { cut: { highWater: 1, lowWater: 0.58 } },
};

const relevant: Relevant = {
  recall: { ranking: "relevance" },
};

/** The options of `presets.steady`. */
export interface Steady {
  readonly recall: RecallConfig;
  readonly budget: BudgetConfig & { readonly cut: CutConfig };
}

/** The options of `presets.relevant`. */
export interface Relevant {
  readonly recall: RecallConfig;
}

/** The package's own two configs, and five more, each of a documented system. */
export interface Presets {
  /**
   * The prefix first: the history is cut in steps, so that most of each prompt repeats the one before it and a provider's cache takes it;
   * what the request is about stands behind it, quoted, in a seventh of what is sent. For chats of many turns with a model whose provider
   * caches prompts.
   *
   * Give `budget: { ...presets.steady.budget, maxTokens }`.
   */
  readonly steady: Steady;
  /**
   * The default, by its name: what the request is about, in its place in the history. It keeps the most of what a question needs, and
   * the beginning of the prompt is another one with every turn.
   */
  readonly relevant: Relevant;
  /**
   * istota: the last 25 exchanges, of which a fast model chooses those that matter to the request. The newest 5
   * are always in, and so is what the request replies to; 3 or fewer are never asked about. Results of background tasks
   * are left out, but for the newest 3 of all exchanges. A text, a line for each message, with what the bot did.
   *
   * Give `request` (triage is asked about it; it is no part of the text), `triage.select` or `triage.complete`, and
   * `timeZone`. Without triage all older exchanges stay; where it fails, the newest 5.
   *
   * 0 is off for `window.recencyHours` and `render.maxReplyChars`, as they are here. A message with the status `deleted`
   * is never shown.
   *
   * The limits of cache and fetch count exchanges, so that scheduled posts and tool steps between them cost none. To read
   * a chat as the document's Talk path does, each message an entry of its own and 100 entries of any kind fetched, set
   * `window.unit` to `"message"` and `collect.limitsCount` to `"messages"`.
   *
   * It writes lines and names as the document does, so what others wrote can pass for a message: with `render.guard`
   * `"indent"` it cannot.
   */
  readonly triaged: Preset<"text", "enabled" | "collect" | "filter" | "window" | "recall" | "triage">;
  /**
   * takobot: the last 12 turns of a session's user, and of these the newest 8000 characters, after excerpts of
   * what the bot is, can and remembers. A text whose last line is the request.
   *
   * Give `sessionId`, `request`, and in `contents` the texts `soul`, `skills`, `tools` and `memory` (null where the
   * file is missing), the lists `skillsInventory` and `toolsInventory`, and `stageGuidance` where the stage has any.
   * Give `recall.search`, and `recall.focusSignals` or `recall.focus`, which set how much is recalled.
   *
   * It writes sections as the document does, so the texts given in `contents`, and what is recalled, can pass for
   * structure: with `render.guard` `"indent"` they cannot.
   */
  readonly turns: Preset<"text", "collect" | "filter" | "window" | "recall">;
  /**
   * klausbot: the conversations of the last 7 days in four tiers. The active thread (gaps of at most 30 minutes)
   * and what else is of the last 24 hours with all messages, what is older by its summary, in 120,000 characters. XML,
   * with days named by the calendar of the user.
   *
   * Give `timeZone`; `sessionId` for the chat; `conversationId` of the messages, or conversations are told apart by
   * gaps in time; and for summaries messages with `summaryOf`, `tiers.conversations`, or `tiers.summarize`. See also
   * `searchFirst`.
   *
   * It writes lines as the document does, so a line of a message can pass for another message, though not for an element:
   * with `render.guard` `"indent"` it cannot.
   */
  readonly tiered: Preset<"conversations", "filter" | "tiers">;
  /**
   * Loom: a system prompt, the newest 10 entries of memory, knowledge that fits the request, and the request,
   * as chat messages in 4000 tokens. With a session (`sessionId`, or that of the request), only what names it; what stands
   * in several sources is there once. `window.requiredNewest` says how many of the newest are always preserved: the
   * document leaves the number open. `queryLayer` looks up a layer of memory.
   *
   * Give `request`; in `contents` the text `system`; `recall.search` for knowledge; `budget.tools` for what the tools
   * of the call cost; `sessionId`; and `agentId` for direct messages. `messagesOfTasks` makes messages of tasks.
   */
  readonly agent: Preset<"messages", "collect" | "window" | "recall" | "budget">;
  /**
   * openboa: recent chat, session state, memory pointers, tool results and the request, in that order. Over budget
   * the oldest chat goes first, and all of it before a tool result becomes a summary: a larger budget never keeps less
   * chat. Request and checkpoint always stay.
   *
   * Give `request`, `sessionId`, `turnId`; the three limits `budget.maxTokens`, `window.maxRecentMessages` and, at the
   * section `toolSnippets`, `limit.tokens`; and in `contents` the texts `checkpoint`, `pendingQueue` and `lastStatus`
   * and the lists `memoryPointers` and `toolSnippets`, the last with summaries. What is missing is left out.
   */
  readonly turnContract: Preset<"messages", "window" | "recall" | "budget">;
}

/**
 * Configs: the package's own two, and five of documented systems. Print them, spread them, and change what should be different.
 *
 * ```js
 * await buildContext(messages, {
 *   ...presets.triaged,
 *   triage: { ...presets.triaged.triage, alwaysIncludeRecent: 8, select },
 *   request: "What did we decide?",
 * });
 * ```
 */
export const presets: Presets = { steady, relevant, triaged, turns, tiered, agent, turnContract };

/**
 * A section that tells the model to search the history before it says that it does not know.
 *
 * ```js
 * await buildContext(messages, { ...presets.tiered, sections: [searchFirst, ...presets.tiered.sections] });
 * ```
 */
export const searchFirst: Section = {
  id: "searchFirst",
  kind: "text",
  text: `MANDATORY: Search Before Claiming Ignorance

The conversation history here is a part of what was ever said: older conversations are summaries, or not here at all. What you do not see may still have been said. Before you answer that you do not know, do not remember, or were never told something, search the stored conversations for it, and search again with other words when the first search finds nothing. Only after that may you say that you found nothing, and then say what you searched for.

FAILURE
The user asks: "What was the name of the restaurant that I liked?"
You answer: "You have not told me about a restaurant." Nothing was searched.

CORRECT
The user asks: "What was the name of the restaurant that I liked?"
You search for "restaurant", then for "dinner", find it in a conversation of last month, and answer with its name and the day.`,
};
