// Five documented systems, each as a config. They are plain data in the public vocabulary; no stage knows of them. None
// of the documents ranks messages: the newest come first.

import type {
  BudgetConfig,
  ContextOptions,
  CutConfig,
  Format,
  RecallConfig,
  RenderConfig,
  Section,
} from "../base/generated.js";

/** A config that has some groups of options, a format, and sections. */
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

/** More than any knowledge has. The document limits neither the length of an item nor the total. */
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

/** The package's own two configs, and five more of documented systems. */
export interface Presets {
  /**
   * Keeps the prompt's prefix stable. The history is cut in steps, so most of each prompt repeats the previous one and
   * a provider's cache covers it. Messages relevant to the request follow the history as quotes, in a seventh of the
   * prompt. For long chats with a model whose provider caches prompts.
   *
   * Set `budget: { ...presets.steady.budget, maxTokens }`.
   */
  readonly steady: Steady;
  /**
   * The default, by name. Messages relevant to the request stay in their place in the history. It keeps the most of the
   * context that a question needs, but the beginning of the prompt changes with every turn.
   */
  readonly relevant: Relevant;
  /**
   * istota: the last 25 exchanges; a fast model chooses those that matter to the request. The newest 5 are always in,
   * and so is the message that the request replies to. With 3 or fewer, the model isn't asked. Results of background
   * tasks are left out, except the newest 3 of all exchanges. The result is a text with one line per message, including
   * the bot's actions.
   *
   * Set `request` (triage is asked about it; it isn't part of the text), `triage.select` or `triage.complete`, and
   * `timeZone`. Without triage, all older exchanges stay. If triage fails, the newest 5 stay.
   *
   * For `window.recencyHours` and `render.maxReplyChars`, 0 means off, which is their setting here. A message with the
   * status `deleted` is never shown.
   *
   * The limits of cache and fetch count exchanges, so scheduled posts and tool steps between them don't use them up.
   * The document's Talk path counts each message as an entry and fetches 100 entries of any kind. To read a chat that
   * way, set `window.unit` to `"message"` and `collect.limitsCount` to `"messages"`.
   *
   * It writes lines and names as the document does, so other people's words can imitate a message. `render.guard:
   * "indent"` prevents that.
   */
  readonly triaged: Preset<"text", "enabled" | "collect" | "filter" | "window" | "recall" | "triage">;
  /**
   * takobot: the last 12 turns of a session's user, and of these the newest 8000 characters, after excerpts of the
   * bot's character, skills and memory. The result is a text whose last line is the request.
   *
   * Set `sessionId`, `request`, and in `contents` the texts `soul`, `skills`, `tools` and `memory` (null for a missing
   * file), the lists `skillsInventory` and `toolsInventory`, and `stageGuidance` if the stage has any. Set
   * `recall.search`, and `recall.focusSignals` or `recall.focus`, which decide how much is recalled.
   *
   * It writes sections as the document does, so texts in `contents` and recalled texts can imitate structure.
   * `render.guard: "indent"` prevents that.
   */
  readonly turns: Preset<"text", "collect" | "filter" | "window" | "recall">;
  /**
   * klausbot: the conversations of the last 7 days in four tiers. The active thread (gaps of at most 30 minutes) and
   * the rest of the last 24 hours appear with all messages. Older ones appear as summaries. All of it fits in 120,000
   * characters of XML, with days named by the user's calendar.
   *
   * Set `timeZone`, and `sessionId` for the chat. Messages need a `conversationId`; otherwise gaps in time separate
   * conversations. Summaries come from messages with `summaryOf`, from `tiers.conversations`, or from
   * `tiers.summarize`. See also `searchFirst`.
   *
   * It writes lines as the document does, so a line of a message can imitate another message, though not an element.
   * `render.guard: "indent"` prevents that.
   */
  readonly tiered: Preset<"conversations", "filter" | "tiers">;
  /**
   * Loom: a system prompt, the newest 10 entries of memory, knowledge that fits the request, and the request, as chat
   * messages in 4000 tokens. With a session (`sessionId`, or the request's), only entries that name it. An entry found
   * in several sources appears once. `window.requiredNewest` says how many of the newest are always kept; the document
   * leaves that number open. `queryLayer` looks up a layer of memory.
   *
   * Set `request`; in `contents` the text `system`; `recall.search` for knowledge; `budget.tools` for the tools of the
   * call, which count; `sessionId`; and `agentId` for direct messages. `messagesOfTasks` turns tasks into messages.
   */
  readonly agent: Preset<"messages", "collect" | "window" | "recall" | "budget">;
  /**
   * openboa: recent chat, session state, memory pointers, tool results and the request, in that order. Over budget, the
   * oldest chat goes first, and all chat goes before a tool result becomes a summary. So a larger budget never keeps
   * less chat. Request and checkpoint always stay.
   *
   * Set `request`, `sessionId`, `turnId`; the three limits `budget.maxTokens`, `window.maxRecentMessages` and, in the
   * section `toolSnippets`, `limit.tokens`; and in `contents` the texts `checkpoint`, `pendingQueue` and `lastStatus`
   * and the lists `memoryPointers` and `toolSnippets`, the latter with summaries. Missing contents are left out.
   */
  readonly turnContract: Preset<"messages", "window" | "recall" | "budget">;
}

/**
 * Ready-made configs: the package's own two, and five of documented systems. Print them, spread them, and change any
 * option.
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
 * A section that tells the model to search the history before it says that it doesn't know.
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
