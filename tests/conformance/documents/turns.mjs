// Document 001: sessions, a bounded history, focus, the sections of a prompt. Preset `turns`.

import { buildContext, parseTranscript, presets } from "windrow";
import { check, differing, equal } from "../expectations.mjs";
import { checkChoice, checkKeys, checkList, NotUnderstood } from "../shape.mjs";

const INPUT = ["messages", "session", "jsonl", "focus", "memory", "request", "sections", "history", "focusSummary"];

const MESSAGE = ["id", "role", "text", "session", "tag"];

/** Sections that may have texts in a case, and the text that the document's system writes otherwise. */
const TEXTS = {
  soul: "SOUL.md unavailable.",
  memory: "MEMORY.md unavailable.",
  skills: "SKILLS.md unavailable.",
  tools: "TOOLS.md unavailable.",
  skillsInventory: "No installed skills detected.",
  toolsInventory: "No installed tools detected.",
  stageGuidance: undefined,
  recall: "No semantic memory context.",
};

/** The smallest excerpt that the document's code allows. */
const LEAST_EXCERPT_CHARS = 200;

const SETTINGS = {
  user_turn_limit: (config, value) => ({ ...config, window: { ...config.window, maxUserTurns: value } }),
  max_chars: (config, value) => withLimit(config, "history", value),
  user_label: (config, value) => withLabels(config, { user: value }),
  assistant_label: (config, value) => withLabels(config, { assistant: value }),
  soulExcerptChars: (config, value) => withLimit(config, "soul", Math.max(LEAST_EXCERPT_CHARS, value)),
  memoryExcerptChars: (config, value) => withLimit(config, "memory", Math.max(LEAST_EXCERPT_CHARS, value)),
};

export const turns = {
  preset: "turns",
  build,
  speaksOfFailure: ["throws"],
  expectations: {
    texts: (outcome, expected) => [equal(outcome.texts(), checkList(expected, "expected.texts"))],
    focus: (outcome, expected) => focusChecks(outcome.context.focus, expected),
    recall: (outcome, expected) => recallChecks(outcome.recall(), expected),
    throws: (outcome, expected) => {
      checkChoice(expected, "expected.throws", [false]);
      return [check(outcome.error === undefined, "no error", outcome.error && String(outcome.error))];
    },
    section_order: (outcome, expected, { wording }) => [
      equal(outcome.labels(), checkList(expected, "expected.section_order"), wording.rendered ? 2 : 1),
    ],
    tail: (outcome, expected, { wording }) => [
      check(outcome.text.endsWith(expected), { end: expected }, outcome.text, wording.rendered ? 2 : 1),
    ],
    excerpt: (outcome, expected) => [equal(outcome.excerpt(), expected)],
  },
  overall: {
    recall_hits_increase: (outcomes, expected) => {
      checkChoice(expected, "expected.recall_hits_increase", [true]);
      const hits = outcomes.map((outcome) => outcome.recall().hits);
      const grows = hits.length > 1 && hits.every((count, at) => at === 0 || count > hits[at - 1]);
      return [check(grows && differing(hits).length === hits.length, "hits that grow", hits)];
    },
  },
};

async function build(input, settings) {
  checkKeys(input, "input", INPUT);
  checkKeys(settings, "config", Object.keys(SETTINGS));
  const messages = messagesOf(input);
  const hook = hookOf(input.memory);

  let config = {
    ...presets.turns,
    sessionId: input.session,
    request: input.request ?? null,
    recall: { ...presets.turns.recall, ...focusOf(input.focus), ...hook.option },
  };
  for (const [name, value] of Object.entries(settings)) {
    config = SETTINGS[name](config, value);
  }
  config = isPrompt(input) ? asPrompt(config, input) : asHistory(config);

  const context = await buildContext(messages, config);
  const section = (id) => context.sections.find((report) => report.id === id);
  return {
    context,
    text: context.text,
    messages: context.messages,
    hash: context.snapshot.contextHash,
    includedIds: context.kept.map(({ id }) => id),
    texts: () => textsOf(context, config),
    labels: () => labelsOf(context.text, config.sections),
    recall: () => ({
      status: context.recall?.status,
      hits: context.recall?.hits ?? 0,
      limit: hook.asked.maxItems ?? context.focus.maxItems,
      text: section("recall")?.text,
    }),
    excerpt: () => {
      const given = Object.keys(input.sections ?? {});
      if (given.length !== 1) {
        throw new NotUnderstood("expected.excerpt: it is the excerpt of the one section given");
      }
      return section(given[0])?.text;
    },
  };
}

// ---- The transcript ----

function messagesOf(input) {
  if (input.jsonl !== undefined) {
    if (input.messages !== undefined) {
      throw new NotUnderstood("input.jsonl: it is there instead of messages");
    }
    return rowsOf(checkList(input.jsonl, "input.jsonl"));
  }
  const rows = checkList(input.messages, "input.messages").map((entry, position) => {
    const place = `input.messages[${position}]`;
    checkKeys(entry, place, MESSAGE);
    if (entry.tag !== undefined) {
      checkChoice(entry.tag, `${place}.tag`, ["command", "diagnostic"]);
    }
    const { id, role, text, session, tag } = entry;
    return { type: "message", id, role, text, sessionId: session, tags: tag === undefined ? undefined : [tag] };
  });
  return rowsOf(rows.map((row) => JSON.stringify(row)));
}

/** The messages of a transcript file's lines. */
function rowsOf(lines) {
  return lines.length === 0 ? [] : parseTranscript(lines.join("\n")).messages;
}

/** The texts of the included messages, as the history shows them. */
function textsOf(context, { render }) {
  const { text } = context.sections.find(({ kind }) => kind === "history") ?? {};
  if (context.kept.length === 0) {
    return [];
  }
  // White space is collapsed, so each message is one line below a heading.
  const lines = text.split("\n").slice(render.heading == null ? 0 : 1);
  if (lines.length !== context.kept.length) {
    throw new Error(`the history has ${lines.length} lines for ${context.kept.length} messages: ${text}`);
  }
  return context.kept.map((message, at) => {
    const label = `${render.labels?.[message.role] ?? LABELS[message.role]}: `;
    if (!lines[at].startsWith(label)) {
      throw new Error(`the line of a message of ${message.role} begins with another label: ${lines[at]}`);
    }
    const shown = lines[at].slice(label.length);
    if (isFallback(message) !== (shown === FALLBACK_SHOWN)) {
      throw new Error(`a message is shown as a fallback reply, or one is not: ${lines[at]}`);
    }
    // A placeholder line isn't the message's own text.
    return isFallback(message) ? message.content : shown;
  });
}

/** How the document's system shows a fallback reply, and the phrases that identify one: all phrases of a list. */
const FALLBACK_SHOWN = "Inference unavailable fallback reply (details omitted).";
const FALLBACK_PHRASES = [
  ["inference is unavailable right now"],
  ["i'm replying in fallback mode"],
  ["diagnostic status only"],
  ["last inference error:", "detailed command logs:"],
];

function isFallback({ role, content }) {
  const said = content.toLowerCase();
  return role === "assistant" && FALLBACK_PHRASES.some((phrases) => phrases.every((phrase) => said.includes(phrase)));
}

const LABELS = { system: "System", user: "User", assistant: "Assistant" };

// ---- Focus and recall ----

function focusOf(focus) {
  if (focus === undefined) {
    return {};
  }
  checkKeys(focus, "input.focus", ["level", "signals"]);
  if (focus.level !== undefined) {
    return { focus: focus.level };
  }
  if (focus.signals == null) {
    return {};
  }
  checkKeys(focus.signals, "input.focus.signals", ["d", "o", "s", "e"]);
  const given = Object.entries(focus.signals).filter(([, value]) => typeof value === "number");
  return { focusSignals: Object.fromEntries(given) };
}

/** The hook that plays the case's memory, and the questions that it was asked. */
function hookOf(memory) {
  const asked = {};
  if (memory === undefined) {
    return { asked, option: {} };
  }
  checkKeys(memory, "input.memory", ["matches", "failure"]);
  const failure = checkChoice(memory.failure ?? null, "input.memory.failure", [null, "missing", "exit", "json"]);
  const items = checkList(memory.matches, "input.memory.matches").map((match, position) => {
    const place = `input.memory.matches[${position}]`;
    checkKeys(match, place, ["score", "text", "metadata"]);
    checkKeys(match.metadata ?? {}, `${place}.metadata`, ["source"]);
    return { text: match.text, score: match.score, source: match.metadata?.source };
  });
  /** @type {(question: { maxItems: number }) => any} */
  const search = ({ maxItems }) => {
    asked.maxItems = maxItems;
    switch (failure) {
      case "missing":
        return null;
      case "exit":
        throw new Error("the search ended with exit code 1");
      case "json":
        return "{";
      default:
        return items.slice(0, maxItems);
    }
  };
  return { asked, option: { search } };
}

function focusChecks(focus, expected) {
  const { score, ...rest } = checkKeys(expected, "expected.focus", [
    "level",
    "score",
    "summary",
    "recallLimit",
    "recallCharBudget",
  ]);
  const actual = {
    level: focus.level,
    summary: focus.summary,
    recallLimit: focus.maxItems,
    recallCharBudget: focus.maxChars,
  };
  const checks = Object.entries(rest).map(([key, value]) => equal({ [key]: actual[key] }, { [key]: value }));
  if (score !== undefined) {
    const isNear = typeof focus.score === "number" && Math.abs(focus.score - score) <= 1e-9;
    checks.push(check(isNear, { score }, { score: focus.score }));
  }
  return checks;
}

/** The document system's names for the outcomes of recall. */
const STATUSES = { ok: "ok", emptyQuery: "query-empty", unavailable: "unavailable", failed: "failed" };

function recallChecks(recall, expected) {
  checkKeys(expected, "expected.recall", ["status", "hits", "limit", "text"]);
  return Object.entries(expected).map(([key, value]) => {
    if (key !== "status") {
      return equal({ [key]: recall[key] }, { [key]: value });
    }
    const status = STATUSES[recall.status];
    const passed = value === "anything but ok" ? status !== undefined && status !== "ok" : status === value;
    return check(passed, { status: value }, { status });
  });
}

// ---- The sections ----

/** Returns true if a case is about the whole prompt, not just the history. */
function isPrompt({ request, sections, history, focusSummary, focus, memory }) {
  return [request, sections, history, focusSummary, focus, memory].some((given) => given !== undefined);
}

/** The history alone, as a separate text. */
function asHistory(config) {
  const { label, empty, ...history } = config.sections.find(({ kind }) => kind === "history");
  return { ...config, render: { ...config.render, trailingNewline: false }, sections: [history] };
}

/** All sections. Those with a ready text are passed as that text. */
function asPrompt(config, input) {
  const given = { ...input.sections };
  checkKeys(given, "input.sections", Object.keys(TEXTS));
  const ready = { ...given, history: input.history, focus: input.focusSummary };
  const known = config.sections.map(({ id }) => id);
  for (const id of Object.keys(given)) {
    if (!known.includes(id)) {
      throw new NotUnderstood(`input.sections.${id}: the preset has no such section`);
    }
  }
  const contents = {};
  const sections = config.sections.map((section) => {
    const { id, kind, label, limit } = section;
    const text = ready[id];
    if (text === undefined) {
      if (id === "recall" && input.memory === undefined) {
        // Nothing is searched: the block is either there or not.
        return { id, kind: "text", label, empty: TEXTS.recall };
      }
      // An absent text differs from a missing file. This build needs no text.
      return Object.hasOwn(TEXTS, id) && id !== "recall" ? { ...section, empty: TEXTS[id] } : section;
    }
    contents[id] = text;
    return kind === "text"
      ? section
      : { id, kind: "text", label, empty: section.empty, limit: { chars: limit?.chars } };
  });
  return { ...config, sections, contents };
}

function withLimit(config, id, chars) {
  const sections = config.sections.map((section) =>
    section.id === id ? { ...section, limit: { ...section.limit, chars } } : section,
  );
  return { ...config, sections };
}

function withLabels(config, labels) {
  return { ...config, render: { ...config.render, labels: { ...config.render.labels, ...labels } } };
}

/** Names at the beginning of lines, `name=`, that are labels of sections, in the order of the text. */
function labelsOf(text, sections) {
  const labels = sections.map(({ label }) => /^\w+(?==)/.exec(label ?? "")?.[0]);
  return [...text.matchAll(/^(\w+)=/gm)].map(([, name]) => name).filter((name) => labels.includes(name));
}
