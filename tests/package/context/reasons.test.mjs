// `explain` tells the truth: a reader that knows the transcript, the options and the finished context checks each
// stated reason.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { buildContextSync, loadEncoding } from "windrow";
import { tokensIn } from "../support/independent-count.mjs";
import { assertShare, forEachSeed } from "../support/property.mjs";

before(() => loadEncoding("o200k_base"));

const START = Date.UTC(2026, 0, 5, 8);
const MINUTE = 60_000;
const LABELS = { system: "System", user: "User", assistant: "Assistant", tool: "Tool" };
const BRACKETED = { ...LABELS, user: "human", assistant: "you" };
/** Number of groups that may fail to fit before no older one is tried. */
const MOST_MISSES = 64;
/** Smallest extract, in characters, that is shorter than the whole conversation. */
const LEAST_EXTRACT = 40;
/** Extra tokens that cut words may cost compared with whole ones. */
const CUT_WORDS = 4;
/** A budget that everything fits. */
const PLENTY = 10_000_000;
/** The text of the user that may begin a request. Its room stays free if the user begins anyway. */
const OPENING = "[Earlier messages are not shown.]";
const BEGUN_BY_USER = ["anthropic", "gemini", "bedrock", "ai-sdk"];
/** Providers whose requests merge consecutive messages of one side. */
const MERGES_NEIGHBORS = ["anthropic", "gemini", "bedrock", "openai-responses"];

const INTERRUPTED = "[Tool execution was interrupted]";
const STATUS = { continuation: "CONTINUATION: go on.", newConversation: "NEW CONVERSATION" };
const FRAMES = {
  xml: "<conversation>\n</conversation>\n",
  conversations: "<conversation-history>\n</conversation-history>\n",
};

// ---- Random conversations whose messages have one text each ----

const WORDS = "harbour violin garden invoice kitchen train plumber window ticket letter candle river".split(" ");
const words = (random, most) => Array.from({ length: random.integer(1, most) }, () => random.pick(WORDS)).join(" ");

/** A chat with tool calls. Some calls have no result, and some results have no call. */
function conversation(random, hasSessions) {
  const messages = random.chance(0.4) ? [{ role: "system", content: words(random, 8) }] : [];
  const length = random.integer(2, random.chance(0.2) ? 150 : 40);
  const [most, longest] = [random.pick([4, 12, 40]), random.pick([40, 200])];
  let time = START;
  const add = (message) => {
    time += random.chance(0.05) ? 400 * MINUTE : MINUTE;
    const id = random.chance(0.02) && messages.length > 0 ? messages.at(-1).id : `m${messages.length}`;
    messages.push({ id, createdAt: time, ...message, ...(random.chance(0.02) ? { pinned: true } : {}) });
  };
  const call = (name) => {
    const ids = Array.from({ length: random.chance(0.2) ? 2 : 1 }, (_, at) => `${name}-${at}`);
    const toolCalls = ids.map((id) => ({ id, name: "find", arguments: { it: words(random, 3) } }));
    add({ role: "assistant", content: random.chance(0.3) ? words(random, 9) : "", toolCalls });
    for (const id of ids) {
      if (random.chance(0.95)) {
        add({ role: "tool", toolCallId: random.chance(0.97) ? id : "nothing", content: words(random, longest * 2) });
      }
    }
  };
  const calls = random.pick([0.1, 0.5]);
  for (let index = 0; index < length; index++) {
    const content = words(random, random.chance(0.1) ? longest : most);
    const more = {
      ...(random.chance(0.03) ? { tags: ["x"] } : {}),
      ...(random.chance(0.03) ? { source: "scheduled" } : {}),
      ...(random.chance(0.03) ? { status: "deleted" } : {}),
      ...(hasSessions && random.chance(0.05) ? { sessionId: "other" } : {}),
    };
    add({ role: index % 2 === 0 ? "user" : "assistant", content, ...more });
    if (index % 2 === 1 && random.chance(calls)) {
      call(`c${index}`);
    }
  }
  // An unfinished run.
  const steps = random.chance(0.3) ? random.integer(1, 30) : 0;
  if (steps > 0) {
    add({ role: "user", content: words(random, 9) });
  }
  for (let step = 0; step < steps; step++) {
    call(`s${step}`);
  }
  return messages;
}

function options(random, transcript) {
  const maybe = (probability, make) => (random.chance(probability) ? make() : {});
  const format = random.pick(["messages", "messages", "text", "xml", "conversations"]);
  const hasSessions = transcript.some(({ sessionId }) => sessionId !== undefined);
  const { createdAt: last = START } = transcript.at(-1);
  const { tiers, recall } = {
    recall: maybe(0.5, () => ({ ranking: random.pick(["relevance", "bm25", "recency"]) })),
    tiers: maybe(hasSessions ? 0 : 0.25, () => ({
      enabled: true,
      ...STATUS,
      onOverflow: random.pick(["nextTier", "stop"]),
    })),
  };
  return {
    now: last + random.pick([1, 180, 1800, 12_000]) * MINUTE,
    encoding: "o200k_base",
    ...maybe(0.7, () => ({ request: words(random, 8) })),
    ...(hasSessions ? { sessionId: "main" } : {}),
    budget: {
      onRequiredOverflow: "shorten",
      ...(tiers.enabled || random.chance(0.9) ? {} : { cut: {}, maxTokens: 400 }),
      ...random.pick([
        { maxTokens: random.integer(30, 300) },
        { maxTokens: random.integer(100, 2500) },
        { maxChars: random.integer(300, 4000) },
      ]),
    },
    render: { format },
    recall,
    tiers,
    filter: {
      ...maybe(0.2, () => ({ excludeTags: ["x"] })),
      ...maybe(0.2, () => ({ excludeSources: ["scheduled"] })),
      ...maybe(0.1, () => ({ roles: ["system", "user", "assistant"] })),
      ...maybe(0.1, () => ({ maxAgeDays: random.integer(1, 9) })),
    },
    window: {
      ...maybe(0.1, () => ({ lookbackCount: random.integer(1, 30) })),
      ...maybe(0.1, () => ({ maxUserTurns: random.integer(1, 9) })),
      ...maybe(0.1, () => ({ maxRecentMessages: random.integer(1, 30) })),
    },
  };
}

const PROVIDERS = /** @type {const} */ ([
  ...["openai", "openai-responses", "anthropic", "gemini", "bedrock", "ai-sdk", "chrome", "web-llm"],
]);

/** Adds images to some messages of the user. Their costs differ. */
const withImages = (random, messages) =>
  messages.map((message) => {
    if (message.role !== "user" || !random.chance(0.3)) {
      return message;
    }
    const images = Array.from({ length: random.integer(1, 3) }, (_, at) => ({
      ...{ type: "image", url: `https://example.org/${message.id}-${at}.png`, mediaType: "image/png" },
      ...{ width: random.integer(50, 2500), height: random.integer(50, 2500), bytes: random.integer(100, 90_000) },
    }));
    return { ...message, content: [{ type: "text", text: message.content }, ...images] };
  });

/** Returns copies of messages with unique ids. */
const withOwnIds = (messages) => messages.map((message, at) => ({ ...message, id: `m${at}` }));

/** Options of a prompt with sections, or for a provider. */
function requestOptions(random, transcript) {
  const { budget, render, ...others } = options(random, transcript);
  const { cut: _, maxChars, ...limits } = /** @type {any} */ (budget);
  const isRequest = random.chance(0.6);
  const format = isRequest ? "messages" : render.format;
  const items = () =>
    Array.from({ length: random.integer(0, 6) }, (__, at) => {
      const text = words(random, 30);
      return { id: `i${at}`, text, ...(random.chance(0.5) ? { summary: text.split(" ")[0] } : {}) };
    });
  const limit = random.pick([
    ...[{}, {}, { tokens: random.integer(20, 800) }, { items: random.integer(1, 20) }],
    ...(format === "messages" ? [] : [{ chars: random.integer(100, 3000) }]),
  ]);
  const sections = [
    ...(random.chance(0.5) ? [{ id: "rules", kind: "text", text: words(random, 20) }] : []),
    ...(random.chance(0.5) ? [{ id: "notes", kind: "items", label: "Notes", items: items() }] : []),
    ...(random.chance(0.95) ? [{ id: "chat", kind: "history", limit }] : []),
    ...(random.chance(0.3) ? [{ id: "facts", kind: "items", items: items(), keep: "always" }] : []),
    { id: "question", kind: "request" },
  ];
  return {
    ...others,
    tiers: {},
    ...(random.chance(0.5) ? { sections } : {}),
    budget: {
      ...limits,
      ...(maxChars === undefined || format === "messages" ? { maxTokens: random.integer(60, 3000) } : { maxChars }),
      ...(random.chance(0.2) ? { trimFirst: "history" } : {}),
      ...(format === "messages" && random.chance(0.2) ? { maxImages: random.integer(0, 6) } : {}),
    },
    render: { format, ...(isRequest ? { provider: random.pick(PROVIDERS) } : {}) },
    ...(random.chance(0.3) ? { model: random.pick(["gpt-5", "claude-opus-4-8", "gemini-3-pro"]) } : {}),
  };
}

// ---- The reader, independent of the library ----

const textOf = ({ content }) => (typeof content === "string" ? content : content[0].text);
const callsOf = ({ toolCalls = [] }) => toolCalls;

/** Returns the cost of a message in the chat format: 3 tokens, its role, its text, and its calls as JSON. */
function chatCost(message, text) {
  const calls = callsOf(message).map(({ id, name, arguments: input }) =>
    tokensIn(
      `{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"arguments":${JSON.stringify(JSON.stringify(input))}}`,
    ),
  );
  const result = message.toolCallId === undefined ? 0 : tokensIn(message.toolCallId);
  const own = [3, tokensIn(message.role), tokensIn(text), result, ...calls];
  return { tokens: own.reduce((sum, it) => sum + it), chars: [...text].length };
}

/** A message in a single-text prompt, by docs/formats.md. */
function lineOf(message, text, format) {
  const calls = callsOf(message).map(({ name, arguments: input }) => {
    const json = JSON.stringify(input);
    const escaped = json.replaceAll('"', "&quot;");
    return {
      text: `[Calling ${name}(${json})]`,
      xml: `<call name="${name}">${escaped}</call>`,
      conversations: `[Calling ${name}(${escaped})]`,
    }[format];
  });
  const time = new Date(message.createdAt ?? START).toISOString().slice(11, 16);
  const head = {
    text: `${message.source === "scheduled" ? "Scheduled" : LABELS[message.role]}: ${text}`.trimEnd(),
    xml: `<message role="${message.role}">${text}`,
    conversations: `[${BRACKETED[message.role]} ${time}] ${text}`,
  }[format];
  return `${[head, ...calls].join("\n")}${format === "xml" ? "</message>" : ""}\n`;
}

/** True for a message with an image. */
const hasMedia = ({ content }) => typeof content !== "string";
const isOfMessages = ({ kind }) => kind === "history" || kind === "request";
const withoutLimit = ({ limit: _, ...section }) => section;

/** The line that may replace a tool's result. */
function stubOf(message) {
  const tokens = tokensIn(textOf(message));
  return `[… ${tokens.toLocaleString("en")} token${tokens === 1 ? "" : "s"} left out …]`;
}

/** Returns the least cost of a message in a form that the options allow: a stub may replace a tool result. */
function leastCost(message, config) {
  const { format } = config.render;
  const mark = stubOf(message);
  const isFlat = config.tiers.enabled !== true && config.budget.cut === undefined;
  const texts = [
    textOf(message),
    ...(message.role === "tool" && isFlat && mark.length < textOf(message).length ? [mark] : []),
  ];
  const costs = texts.map((text) => {
    const line = format === "messages" ? undefined : lineOf(message, text, format);
    return line === undefined ? chatCost(message, text) : { tokens: tokensIn(line), chars: [...line].length };
  });
  return { tokens: Math.min(...costs.map((it) => it.tokens)), chars: Math.min(...costs.map((it) => it.chars)) };
}

/** Cuts a text to a number of characters. A cut text ends in a mark. */
const cutTo = (text, most) => (text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`);

/**
 * Returns the shortest extract of a conversation: the user's first words, and then the assistant's last. Each gets at
 * least half of the room.
 */
function extractOf(messages) {
  const said = messages
    .map((message) => ({
      ...message,
      said: [textOf(message), ...callsOf(message).map(({ name }) => `[Calling ${name}]`)],
    }))
    .map(({ role, said }) => ({ role, said: said.filter((it) => it !== "").join(" ") }))
    .filter((message) => message.said !== "");
  const first = said.find(({ role }) => role === "user") ?? said[0];
  const after = said.slice(said.indexOf(first) + 1).reverse();
  const last = after.find(({ role }) => role === "assistant") ?? after[0];
  if (last === undefined) {
    return cutTo(`Began: ${first.said}`, LEAST_EXTRACT);
  }
  const room = LEAST_EXTRACT - "Began:  Ended: ".length;
  const began = cutTo(first.said, Math.max(Math.floor(room / 2), room - last.said.length));
  return `Began: ${began} Ended: ${cutTo(last.said, room - began.length)}`;
}

class Reader {
  constructor(transcript, config, context) {
    this.transcript = transcript;
    this.config = config;
    this.context = context;
    this.explained = transcript.map((_, position) => context.explain(position));
    this.order = transcript.map((_, position) => position);
  }

  /** Ids of the calls that a message makes or answers. */
  idsOf(position) {
    const { toolCallId } = this.transcript[position];
    return [
      ...callsOf(this.transcript[position]).map(({ id }) => id),
      ...(toolCallId === undefined ? [] : [toolCallId]),
    ];
  }

  /** Returns the group of a message: a call and its results. */
  groupOf(position) {
    let group = [position];
    for (let count = 0; group.length > count; ) {
      count = group.length;
      const ids = new Set(group.flatMap((it) => this.idsOf(it)));
      group = this.order.filter((it) => group.includes(it) || this.idsOf(it).some((id) => ids.has(id)));
    }
    return group;
  }

  isLeftOut(position) {
    return this.explained[position].fate === "left out";
  }

  /** True if the remaining budget has room for a group, in the smallest form that the options allow. */
  fits(position) {
    if (this.hasOtherCosts) {
      return this.fitsInPlaceOf(position, []);
    }
    const conversation = this.conversationOf(position);
    const element = conversation?.form === "leftOut" ? this.elementOf(conversation) : "";
    if (conversation?.tier === "older" || conversation?.tier === "yesterday") {
      return this.isRoomFor(this.summaryOf(conversation));
    }
    const group = this.groupOf(position).filter((it) => this.isLeftOut(it) && this.isOpen(it));
    const costs = group.flatMap((it) => [leastCost(this.transcript[it], this.config), ...this.closings(it)]);
    const sum = (of) => [...costs, this.frame()].reduce((all, cost) => all + of(cost), 0);
    const around = { tokens: tokensIn(element), chars: [...element].length };
    return this.isRoomFor({
      tokens: sum((it) => it.tokens) + around.tokens,
      chars: sum((it) => it.chars) + around.chars,
    });
  }

  /** Returns the cost of the results that close a message's open calls, in the chat format. */
  closings(position) {
    const isOpen = ({ id }) => !this.transcript.some(({ toolCallId }) => toolCallId === id);
    const open = this.config.render.format === "messages" ? callsOf(this.transcript[position]).filter(isOpen) : [];
    return open.map(({ id }) => ({ tokens: 3 + tokensIn("tool") + tokensIn(id) + tokensIn(INTERRUPTED), chars: 0 }));
  }

  /** True for a prompt whose costs only windrow knows: with sections, images, or for a provider. */
  get hasOtherCosts() {
    const { render, sections } = this.config;
    return render.provider !== undefined || sections !== undefined || this.transcript.some(hasMedia);
  }

  /** Returns the messages at some positions in their form in the context. Undefined if one is only quoted. */
  shown(positions) {
    const copies = new Map((this.context.messages ?? this.context.kept).map((message) => [message.id, message]));
    const found = positions.map((it) => (this.isLeftOut(it) ? this.smallest(it) : copies.get(this.transcript[it].id)));
    return found.includes(undefined) ? undefined : found;
  }

  /** True if a message is left out for the budget. */
  isForRoom(position) {
    return ["over_budget", "ranked_lower", "run_ended"].includes(this.explained[position].reason);
  }

  /** A message that is left out, in its smallest form. */
  smallest(position) {
    const message = this.transcript[position];
    const stub = { ...message, content: stubOf(message) };
    return message.role === "tool" && stub.content.length < message.content.length ? stub : message;
  }

  /** Builds a prompt with plenty of room for these messages. They begin with the user, as some providers demand. */
  withPlenty(messages) {
    const begun = messages.findIndex(({ role }) => role !== "system");
    const all = messages.toSpliced(begun < 0 ? messages.length : begun, 0, { role: "user", content: "Good morning." });
    const { now, encoding, request, model, render, sections, budget } = this.config;
    const config = {
      now,
      encoding,
      request,
      model,
      render,
      sections: sections?.filter(isOfMessages).map(withoutLimit),
    };
    const limit = budget.maxTokens === undefined ? { maxChars: PLENTY } : { maxTokens: PLENTY };
    const toolResults = { shrink: false };
    return buildContextSync(all, { ...config, budget: { ...limit, toolResults }, recall: { ranking: "recency" } });
  }

  /** True if a group has room, once some messages of the context are gone. */
  fitsInPlaceOf(position, others) {
    const isWhole = ({ items }) => items.every(({ form }) => form === "full");
    if (this.config.budget.trimFirst === "history" && !this.context.sections.every(isWhole)) {
      return false; // no history comes back into the room that a summary frees
    }
    const group = this.groupOf(position).filter((it) => this.isLeftOut(it) && this.isOpen(it));
    const there = this.order.filter((it) => !this.isLeftOut(it));
    const [before, after] = [
      there,
      this.order.filter((it) => (there.includes(it) && !others.includes(it)) || group.includes(it)),
    ]
      .map((positions) => this.shown(positions))
      .map((messages) => messages && this.withPlenty(messages));
    // A call whose result is filtered out is alone there.
    if (
      before === undefined ||
      after === undefined ||
      after.kept.length - before.kept.length < group.length - others.length
    ) {
      return false;
    }
    const frame = this.frame();
    const tokens = after.tokens.total - before.tokens.total + this.opening + this.merged(after.kept) + frame.tokens;
    return this.isRoomFor({ tokens, chars: (after.charCount ?? 0) - (before.charCount ?? 0) + frame.chars });
  }

  /** True if the history's own limit has no room for a group. */
  isOverLimit(position) {
    const { id, limit } = this.config.sections.find(({ kind }) => kind === "history");
    const group = this.groupOf(position).filter((it) => this.isLeftOut(it) && this.isOpen(it));
    const there = this.order.filter((it) => this.explained[it].fate !== "left out" && this.isOfHistory(it));
    if (limit.items !== undefined) {
      return there.length + group.length > limit.items;
    }
    const sections = this.context.tokens.sections.filter((section) => [id, "instructions"].includes(section.id));
    const own = sections.reduce((sum, { tokens }) => sum + tokens, 0);
    const [before, after] = [[], group].map((more) => this.shown([...there, ...more].sort((a, b) => a - b)));
    if (limit.chars !== undefined || before === undefined) {
      return true; // nobody else counts the characters of a section
    }
    if (this.withPlenty(after).kept.length - this.withPlenty(before).kept.length < group.length) {
      return true; // a call whose result is filtered out
    }
    const tokens = this.withPlenty(after).tokens.total - this.withPlenty(before).tokens.total + this.opening;
    return own + tokens + this.merged(after) > limit.tokens;
  }

  /** The room that stays free for the beginning of a request. */
  get opening() {
    const { provider } = this.config.render;
    return BEGUN_BY_USER.includes(provider) ? 3 + tokensIn("user") + tokensIn(OPENING) : 0;
  }

  /**
   * The room of the envelopes that a request drops when it merges these messages. Each message has an envelope while
   * messages are selected; the report has only those of the body.
   */
  merged(messages) {
    const { render, sections } = this.config;
    if (render.provider === undefined || render.provider === "openai") {
      return 0;
    }
    const isSystem = ({ role }) => role === "system";
    const isAssistant = ({ role }) => role === "assistant";
    const said = MERGES_NEIGHBORS.includes(render.provider) ? messages.filter((message) => !isSystem(message)) : [];
    const joined = said.filter((message, at) => at > 0 && isAssistant(message) === isAssistant(said[at - 1])).length;
    // The instructions at the top are one text.
    const instructions = [
      ...messages.filter(isSystem),
      ...(sections ?? []).filter(({ kind }) => !["history", "request"].includes(kind)),
    ];
    return (joined + Math.max(0, instructions.length - 1)) * (3 + tokensIn("assistant"));
  }

  /** True for a message that isn't the request or one of its answers. Instructions count toward the history's limit. */
  isOfHistory(position) {
    return this.explained[position].reason !== "request";
  }

  /** True for a message that is kept for its place alone. The newest results have separate room. */
  isOnlyNewer(position) {
    const { reason, fate } = this.explained[position];
    return reason === "history" && fate !== "left out" && this.groupOf(position).length === 1;
  }

  /** True if messages that are only newer took the room of a group. */
  isForNewer(position) {
    const { budget, tiers } = this.config;
    if (tiers?.enabled || budget.cut !== undefined) {
      return false;
    }
    const newer = this.order.filter((it) => this.isOnlyNewer(it));
    return newer.length > 0 && this.fitsInPlaceOf(position, newer);
  }

  isRoomFor({ tokens, chars }) {
    const { maxTokens, maxChars } = this.config.budget;
    return (
      (maxTokens === undefined || this.context.tokens.total + tokens <= maxTokens) &&
      (maxChars === undefined || this.context.charCount + chars <= maxChars)
    );
  }

  /** Returns the conversation of a message, if tiers are enabled. */
  conversationOf(position) {
    const { createdAt } = this.transcript[position];
    return this.context.conversations.find(({ startedAt, endedAt }) => startedAt <= createdAt && createdAt <= endedAt);
  }

  /** The element of a conversation, in the format that has elements. */
  elementOf({ startedAt, label }, text = "") {
    const time = new Date(startedAt).toISOString();
    return this.config.render.format === "conversations"
      ? `<conversation timestamp="${time}" relative="${label}">${text}\n</conversation>\n`
      : "";
  }

  /** Returns the least cost of an extract of a conversation. */
  summaryOf(conversation) {
    const rows = this.order.filter(
      (it) =>
        this.conversationOf(it) === conversation &&
        ["summarized", "over_budget", "run_ended"].includes(this.explained[it].reason),
    );
    const text = extractOf(rows.map((it) => this.transcript[it]));
    const { format } = this.config.render;
    const line = {
      messages: `Extract of the conversation of ${conversation.label}: ${text}`,
      text: `Extract of the conversation of ${conversation.label}: ${text}\n`,
      xml: `<extract relative="${conversation.label}">${text}</extract>\n`,
      conversations: this.elementOf(conversation, ` summary="extract"\nExtract: ${text}`),
    }[format];
    const around = format === "messages" ? 3 + tokensIn("system") : 0;
    const frame = this.frame();
    return { tokens: around + tokensIn(line) + CUT_WORDS + frame.tokens, chars: [...line].length + frame.chars };
  }

  /** Returns the cost of the lines around a history, if the prompt has no history yet. */
  frame() {
    // Messages after the request aren't in the history.
    const turn = this.explained.findIndex(({ reason }) => reason === "request");
    const isEmpty = this.explained.every(({ fate }, at) => fate === "left out" || (turn >= 0 && at >= turn));
    const hasStatus = this.config.tiers.enabled && this.config.render.format === "conversations";
    const isContinued = this.context.conversations.some(({ tier }) => tier === "thread");
    const status = hasStatus
      ? `<thread-status>${isContinued ? STATUS.continuation : STATUS.newConversation}</thread-status>\n`
      : "";
    const lines = isEmpty ? (FRAMES[this.config.render.format] ?? "") + status : "";
    return { tokens: tokensIn(lines), chars: [...lines].length };
  }

  /** True if only the budget could leave a message out. */
  isOpen(position) {
    return this.explained[position].stage === "budget";
  }

  /** Counts the newer groups that didn't fit. */
  missedAfter(position) {
    const missed = this.order.filter(
      (it) =>
        it > position &&
        (this.explained[it].fate === "shortened" ||
          ["over_budget", "over_limit", "ranked_lower"].includes(this.explained[it].reason)),
    );
    return new Set(missed.map((it) => this.groupOf(it)[0])).size;
  }
}

const REASONS = {
  over_budget: (it, position) => !it.fits(position),
  ranked_lower: (it, position) =>
    !it.fits(position) &&
    !it.isForNewer(position) &&
    it.config.recall.ranking !== "recency" &&
    (it.config.request !== undefined || it.explained.some(({ fate }) => fate !== "left out")),
  run_ended: (it, position) =>
    it.config.tiers?.onOverflow === "stop"
      ? it.missedAfter(position) > 0 || it.context.conversations.some(({ form }) => form === "extract")
      : it.config.recall.ranking === "recency"
        ? it.missedAfter(position) > 0
        : it.missedAfter(position) > MOST_MISSES,
  over_limit: (it, position) => it.isOverLimit(position),
  no_section: (it) => !it.config.sections.some(({ kind }) => kind === "history"),
  before_cut: (it) => it.config.budget.cut !== undefined,
  call_without_result: (it, position) =>
    callsOf(it.transcript[position]).some(({ id }) => !it.transcript.some(({ toolCallId }) => toolCallId === id)),
  result_without_call: (it, position) =>
    !it.transcript
      .slice(0, position)
      .some((other) => callsOf(other).some(({ id }) => id === it.transcript[position].toolCallId)),
  split_group: (it, position) => it.groupOf(position).some((other) => other !== position && it.isLeftOut(other)),
  duplicate: (it, position) => it.transcript.slice(0, position).some(({ id }) => id === it.transcript[position].id),
  deleted: (it, position) => it.transcript[position].status === "deleted",
  same_as_request: (it, position) => textOf(it.transcript[position]) === it.config.request,
  other_session: (it, position) => it.transcript[position].sessionId === "other" && it.config.sessionId === "main",
  role: (it, position) => !it.config.filter.roles.includes(it.transcript[position].role),
  tag: (it, position) => it.config.filter.excludeTags.some((tag) => it.transcript[position].tags?.includes(tag)),
  source: (it, position) => it.config.filter.excludeSources.includes(it.transcript[position].source),
  beyond_age: (it, position) =>
    it.config.now - it.transcript[position].createdAt > it.config.filter.maxAgeDays * 24 * 60 * MINUTE,
  beyond_lookback: (it, position) => it.transcript.length - position > it.config.window.lookbackCount,
  beyond_user_turns: (it, position) =>
    it.transcript.slice(position + 1).filter(({ role }) => role === "user").length >= it.config.window.maxUserTurns,
  beyond_recent_messages: (it, position) => it.transcript.length - position > it.config.window.maxRecentMessages,
  summarized: (it, position) => ["summary", "extract"].includes(it.conversationOf(position)?.form),
  tier_not_shown: (it, position) => it.conversationOf(position)?.form === "truncatedTail",
  instruction: (it, position) => it.transcript.slice(0, position + 1).every(({ role }) => role === "system"),
  pinned: (it, position) => it.groupOf(position).some((other) => it.transcript[other].pinned),
  request: (it, position) =>
    it.config.request === undefined &&
    (it.transcript.slice(position + 1).every(({ role }, at) => role !== "user" || it.isLeftOut(position + 1 + at)) ||
      it.transcript.slice(position + 1).some(() => true)),
  newest: (it) => it.config.recall.ranking !== "recency",
  standing: (it, position) => it.transcript[position].role === "user",
  statement: (it, position) => it.transcript[position].role === "user",
  recalled: (it) => it.config.recall.ranking !== "recency",
  // A question is paired with a reply to it, and a reply with its question. Messages that are filtered out don't count.
  paired: (it, position) => {
    const isAsked = (at) => it.transcript[at].role === "user" && (!it.isLeftOut(at) || it.isForRoom(at));
    const all = [...it.transcript.keys()];
    const from = all.findLast((at) => at <= position && isAsked(at)) ?? 0;
    const next = all.find((at) => at > position && isAsked(at));
    const exchange = it.explained.slice(from, next);
    return exchange.some(({ reason }) => ["recalled", "newest", "standing", "statement"].includes(reason));
  },
  history: (it, position) => !it.isLeftOut(position),
};

/** Checks each stated reason. Returns the number of messages left out for the budget. */
export function checkReasons(transcript, config, context) {
  const reader = new Reader(transcript, config, context);
  let count = 0;
  for (const [position, { reason, fate, words }] of reader.explained.entries()) {
    const holds = REASONS[reason];
    assert.ok(holds !== undefined, `no reader for ${reason}`);
    assert.ok(
      holds(reader, position),
      `m${position}: ${fate}, ${reason}, with ${context.tokens.total} tokens and ${context.charCount} characters of ${JSON.stringify(config)}`,
    );
    const isBeforeItems = config.budget?.trimFirst === "history" && ["over_budget", "ranked_lower"].includes(reason);
    assert.ok(!isBeforeItems || words.includes("budget.trimFirst"), words);
    count += Number(reader.isForRoom(position));
  }
  return count;
}

/** @type {[string, (random: any) => any[], (random: any, transcript: any[]) => any][]} */
const KINDS = [
  ["prompts of texts", (random) => conversation(random, random.chance(0.2)), options],
  [
    "prompts with sections, with images, and for providers",
    (random) => {
      const transcript = withOwnIds(conversation(random, random.chance(0.2)));
      return random.chance(0.4) ? withImages(random, transcript) : transcript;
    },
    requestOptions,
  ],
];

describe("every stated reason holds", () => {
  for (const [name, transcriptOf, optionsOf] of KINDS) {
    test(name, () => {
      let hits = 0;
      const count = forEachSeed((random) => {
        const transcript = transcriptOf(random);
        const config = optionsOf(random, transcript);
        let context;
        try {
          context = buildContextSync(transcript, config);
        } catch (error) {
          assert.equal(error.code, "BUDGET_TOO_SMALL");
          return;
        }
        hits += checkReasons(transcript, config, context) > 0 ? 1 : 0;
      });
      assertShare(hits, count, 3, "left something out for the budget");
    });
  }
});
