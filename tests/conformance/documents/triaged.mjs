// Document 000: which messages are selected, with triage. Preset `triaged`.

import { buildContext, presets } from "windrow";
import { check, equal } from "../expectations.mjs";
import { checkChoice, checkCount, checkKeys, checkList } from "../shape.mjs";

const INPUT = ["form", "messages", "request", "now", "timezone", "replyTo", "triage", "conversation"];

const EXCHANGE = ["id", "at", "prompt", "reply", "user", "source", "status", "actions", "conversation"];

const MESSAGE = [
  "id",
  "at",
  "role",
  "text",
  "speaker",
  "taskId",
  "source",
  "tag",
  "deleted",
  "actions",
  "conversation",
];

const SOURCES = ["scheduled", "briefing"];

/** The keys that define each triage callback of a case. */
const TRIAGE = {
  returns: ["kind", "ids"],
  returnsIndices: ["kind", "indices"],
  raw: ["kind", "text"],
  throws: ["kind", "message"],
  timeout: ["kind", "ids", "afterMs"],
  neverSettles: ["kind"],
  unavailable: ["kind"],
  mustNotBeCalled: ["kind"],
};

/** Maps each setting of the document to windrow's options. */
const SETTINGS = {
  enabled: (config, value) => ({ ...config, enabled: value }),
  use_selection: (config, value) => inGroup(config, "triage", { useSelection: value }),
  lookback_count: (config, value) => inGroup(config, "window", { lookbackCount: value }),
  skip_selection_threshold: (config, value) => inGroup(config, "triage", { skipSelectionThreshold: value }),
  always_include_recent: (config, value) => inGroup(config, "triage", { alwaysIncludeRecent: value }),
  context_recency_hours: (config, value) => inGroup(config, "window", { recencyHours: value }),
  context_min_messages: (config, value) => inGroup(config, "window", { minMessages: value }),
  previous_tasks_count: (config, value) => inGroup(config, "window", { previousTasksCount: value }),
  context_truncation: (config, value) => inGroup(config, "render", { maxReplyChars: value }),
  selection_timeout: (config, seconds) => inGroup(config, "triage", { timeoutMs: Math.round(seconds * 1000) }),
  talk_context_limit: (config, value) => inGroup(config, "collect", { fetchLimit: value }),
  talk_cache_max_per_conversation: (config, value) => inGroup(config, "collect", { cacheLimit: value }),
};

function inGroup(config, group, options) {
  return { ...config, [group]: { ...config[group], ...options } };
}

export const triaged = {
  preset: "triaged",
  build,
  expectations: {
    triage_called: (outcome, expected) => [equal(outcome.triage.called, expected)],
    triage_candidates: async (outcome, expected) => [
      equal((await outcome.shownToTriage()).candidates, checkList(expected, "expected.triage_candidates")),
    ],
    triage_request: async (outcome, expected) => [equal((await outcome.shownToTriage()).request, expected)],
    max_elapsed_ms: (outcome, expected) => [
      check(
        outcome.elapsedMs <= checkCount(expected, "expected.max_elapsed_ms"),
        { atMost: expected },
        outcome.elapsedMs,
      ),
    ],
  },
};

async function build(input, settings) {
  checkKeys(input, "input", INPUT);
  checkKeys(settings, "config", Object.keys(SETTINGS));
  const form = checkChoice(input.form, "input.form", ["exchanges", "messages"]);
  const entries = checkList(input.messages, "input.messages");
  const { messages, entryOf } = form === "exchanges" ? fromExchanges(entries) : fromMessages(entries);

  /** @type {import("windrow").ContextConfig} */
  let config = presets.triaged;
  if (form === "messages") {
    // On the Talk path, each message is an entry, and entries of any kind are fetched.
    config = inGroup(inGroup(config, "window", { unit: "message" }), "collect", { limitsCount: "messages" });
  }
  for (const [name, value] of Object.entries(settings)) {
    config = SETTINGS[name](config, value);
  }
  config = {
    ...config,
    now: input.now,
    timeZone: input.timezone,
    sessionId: input.conversation,
    request: { role: "user", content: input.request ?? "", replyTo: input.replyTo },
  };

  const triage = { called: false };
  const { hooks, isShown } = hooksFor(input.triage, entryOf, triage);
  const started = performance.now();
  const context = await buildContext(messages, inGroup(config, "triage", hooks));
  const elapsedMs = performance.now() - started;
  return {
    context,
    text: context.text,
    messages: context.messages,
    hash: context.snapshot.contextHash,
    includedIds: idsOf(context.kept, messages, entryOf),
    triage,
    elapsedMs,
    /** The candidates that triage saw. `complete` sees only a prompt, so the same build runs again with `select`. */
    shownToTriage: async () => {
      if (isShown) {
        return triage;
      }
      const shown = { called: false };
      const select = { select: observe(shown, entryOf, () => []) };
      await buildContext(messages, inGroup(config, "triage", select));
      return shown;
    },
    violations: input.triage?.kind === "mustNotBeCalled" && triage.called ? [violation] : [],
  };
}

const violation = { key: "input.triage", ...check(false, "triage is not called", "it was called") };

/** Two messages for each exchange: the prompt has the exchange's id, and the reply has a separate one. */
function fromExchanges(entries) {
  const entryOf = new Map();
  const messages = entries.flatMap((entry, position) => {
    const place = `input.messages[${position}]`;
    checkKeys(entry, place, EXCHANGE);
    checkSource(entry, place);
    const about = {
      createdAt: entry.at,
      sessionId: entry.conversation,
      source: entry.source,
      status: entry.status === undefined ? undefined : checkChoice(entry.status, `${place}.status`, STATUSES),
    };
    const prompt = { ...about, id: entry.id, role: "user", content: entry.prompt, name: entry.user || undefined };
    entryOf.set(prompt, entry.id);
    if (entry.reply == null) {
      return [prompt];
    }
    const reply = {
      ...about,
      id: `${entry.id}/reply`,
      role: "assistant",
      content: entry.reply,
      actions: entry.actions,
    };
    entryOf.set(reply, entry.id);
    return [prompt, reply];
  });
  return { messages, entryOf };
}

const STATUSES = ["failed", "running", "completed"];

/** One message for each entry. */
function fromMessages(entries) {
  const entryOf = new Map();
  const messages = entries.flatMap((entry, position) => {
    const place = `input.messages[${position}]`;
    checkKeys(entry, place, MESSAGE);
    checkSource(entry, place);
    const role = checkChoice(entry.role, `${place}.role`, ["user", "assistant", "system"]);
    if (entry.tag !== undefined) {
      checkChoice(entry.tag, `${place}.tag`, ["ack", "progress"]);
    }
    const byTask = role === "assistant" && entry.taskId != null ? `Bot (task ${entry.taskId})` : undefined;
    const message = {
      id: entry.id,
      role,
      content: entry.text,
      name: entry.speaker || byTask,
      createdAt: entry.at,
      sessionId: entry.conversation,
      source: entry.source,
      status: entry.deleted ? "deleted" : undefined,
      tags: entry.tag === undefined ? undefined : [entry.tag],
      actions: entry.actions,
    };
    entryOf.set(message, entry.id);
    return [message];
  });
  return { messages, entryOf };
}

function checkSource(entry, place) {
  if (entry.source !== undefined) {
    checkChoice(entry.source, `${place}.source`, SOURCES);
  }
}

/** Ids of the entries in the context, each once. An entry that is only partly there says so. */
function idsOf(kept, messages, entryOf) {
  const whole = countsOf(messages, entryOf);
  const found = countsOf(kept, entryOf);
  return [...found].map(([id, count]) => (count === whole.get(id) ? id : `${id} (in part)`));
}

function countsOf(messages, entryOf) {
  const counts = new Map();
  for (const message of messages) {
    const id = entryOf.get(message) ?? "a message that is not the transcript's";
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** Returns the hook of a case, and whether it sees the candidates. It records these in `seen`. */
function hooksFor(triage, entryOf, seen) {
  if (triage === undefined) {
    return { hooks: {}, isShown: true };
  }
  const kind = checkChoice(triage.kind, "input.triage.kind", Object.keys(TRIAGE));
  checkKeys(triage, "input.triage", TRIAGE[kind]);
  const select = (answer) => ({ hooks: { select: observe(seen, entryOf, answer) }, isShown: true });
  const complete = (text) => ({
    hooks: {
      complete: () => {
        seen.called = true;
        return text;
      },
    },
    isShown: false,
  });
  switch (kind) {
    case "returns":
      return select(() => checkList(triage.ids, "input.triage.ids"));
    case "returnsIndices":
      return complete(JSON.stringify({ relevant_ids: checkList(triage.indices, "input.triage.indices") }));
    case "raw":
      return complete(triage.text);
    case "throws":
      return select(() => {
        throw new Error(triage.message ?? "the model cannot be reached");
      });
    case "timeout":
      return select(() => new Promise((resolve) => setTimeout(() => resolve(triage.ids), triage.afterMs).unref()));
    case "neverSettles":
      return select(() => new Promise(() => {}));
    case "mustNotBeCalled":
      return select(() => []);
    default:
      return { hooks: {}, isShown: true };
  }
}

function observe(seen, entryOf, answer) {
  return ({ request, candidates }) => {
    seen.called = true;
    seen.request = request;
    seen.candidates = candidates.map(({ messages }) => {
      const ids = [...new Set(messages.map((message) => entryOf.get(message)))];
      return ids.length === 1 ? ids[0] : ids;
    });
    return answer();
  };
}
