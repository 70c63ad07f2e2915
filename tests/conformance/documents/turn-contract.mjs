// Document 004: the context of a turn. Preset `turnContract`.

import { buildContext, countTokens, memoryStore, openSession, presets } from "windrow";
import { check, differing, equal, equalWhereGiven, texts } from "../expectations.mjs";
import { checkChoice, checkKeys, checkList } from "../shape.mjs";

const INPUT = [
  "sessionId",
  "turnId",
  "now",
  "chat",
  "state",
  "memoryPointers",
  "toolSnippets",
  "memoryConnector",
  "input",
];

const CHAT = ["id", "direction", "sender", "text", "at"];

const STATE = ["checkpointSummary", "pendingQueueSummary", "lastTerminalStatus"];

/** The sections that make up the session's state, by the names used in the cases. */
const STATE_SECTIONS = {
  checkpointSummary: "checkpoint",
  pendingQueueSummary: "pendingQueue",
  lastTerminalStatus: "lastStatus",
};

const SETTINGS = {
  maxContextTokens: (config, value) => ({ ...config, budget: { ...config.budget, maxTokens: value } }),
  maxRecentMessages: (config, value) => ({ ...config, window: { ...config.window, maxRecentMessages: value } }),
  maxToolSnippetTokens: (config, value) => ({
    ...config,
    sections: config.sections.map((section) =>
      section.id === "toolSnippets" ? { ...section, limit: { ...section.limit, tokens: value } } : section,
    ),
  }),
};

/** One token for every four characters, and at least one for each text. */
function fourCharacters(counted) {
  return counted.map((text) => Math.max(1, Math.ceil(Array.from(text).length / 4)));
}

export const turnContract = {
  preset: "turnContract",
  build,
  speaksOfFailure: ["error", "failure_record", "or_error", "status"],
  expectations: {
    included_chat_ids: (outcome, expected) => [
      equal(outcome.includedIds, checkList(expected, "expected.included_chat_ids")),
    ],
    source_order: (outcome, expected) => {
      const names = checkList(expected, "expected.source_order");
      for (const name of names) {
        checkChoice(name, "expected.source_order", Object.keys(SOURCES));
      }
      return [equal(outcome.sources(), names)];
    },
    tool_forms: (outcome, expected) => {
      for (const form of Object.values(expected)) {
        checkChoice(form, "expected.tool_forms", ["full", "summary"]);
      }
      return [equalWhereGiven(outcome.toolForms(), expected)];
    },
    trimmed: (outcome, expected) => [equal(outcome.context.trimmed, expected)],
    max_total_tokens: (outcome, expected) => [
      check(outcome.context.tokens.total <= expected, { atMost: expected }, outcome.context.tokens.total),
    ],
    trace_has: (outcome, expected) =>
      texts(expected, "trace_has").map((kind) => check(outcome.notes.includes(kind), kind, outcome.notes)),
    trace_lacks: (outcome, expected) =>
      texts(expected, "trace_lacks").map((kind) =>
        check(!outcome.notes.includes(kind), { without: kind }, outcome.notes),
      ),
    snapshot: (outcome, expected) => snapshotChecks(outcome.context.snapshot, expected),
    status: (outcome, expected) => {
      checkChoice(expected, "expected.status", ["ok"]);
      return [check(outcome.error === undefined, expected, outcome.error && String(outcome.error))];
    },
    error: (outcome, expected) => errorChecks(outcome.error, expected),
    // A successful build has nothing to forgive. A failed one is checked earlier.
    or_error: (outcome, expected) => [
      check(outcome.error === undefined, expected, outcome.error && String(outcome.error)),
    ],
    failure_record: async (_outcome, expected, { asked }) => {
      const { failure, entries } = await turnInSession(asked.input, asked.settings);
      const records = entries.filter(({ type }) => type === "failure").map(({ data }) => data);
      const isOfTurn = (record) =>
        record.terminal === "failed" &&
        record.kind === failure?.kind &&
        record.code === failure.code &&
        record.message === failure.message &&
        record.nextAction === failure.nextAction &&
        record.turnId === asked.input.turnId &&
        record.sessionId === asked.input.sessionId;
      return [check((records.length === 1 && isOfTurn(records[0])) === expected, expected, { failure, records })];
    },
    tokens: (outcome, expected) => [equal(outcome.tokens, checkList(expected, "expected.tokens"))],
  },
  overall: {
    same_hash: (outcomes, expected) => {
      const hashes = differing(outcomes.map(({ hash }) => hash));
      const isSame = checkChoice(expected, "expected.same_hash", [true, false]);
      const passed = outcomes.length > 1 && (isSame ? hashes.length === 1 : hashes.length === outcomes.length);
      return [check(passed, isSame ? "one hash" : "a hash for each", hashes)];
    },
  },
};

/** The same turn in a session: the error of its build, if any, and the contents of the log afterwards. */
async function turnInSession(input, settings) {
  const { messages, config } = turnOf(input, settings);
  const store = memoryStore();
  const session = await openSession(input.sessionId, { store });
  let given = config;
  try {
    await session.append(messages);
  } catch {
    // A log never holds unreadable messages, so the message reaches the session's build from outside, as the request.
    given = { ...config, request: /** @type {any} */ ([messages]) };
  }
  const failure = await session.build(given).then(
    () => undefined,
    (error) => error,
  );
  const { entries } = await store.read(input.sessionId);
  await session.close();
  return { failure, entries };
}

async function build(input, settings) {
  if (input.texts !== undefined) {
    checkKeys(input, "input", ["texts"]);
    checkKeys(settings, "config", []);
    const counted = checkList(input.texts, "input.texts");
    return {
      text: counted.join("\n"),
      includedIds: [],
      // Windrow's own counts when no tokenizer is loaded.
      tokens: counted.map((text) => countTokens(text, { encoding: "estimate" }).tokens),
    };
  }
  const { messages, config, request } = turnOf(input, settings);
  const context = await buildContext(messages, config);
  const plain = context.messages?.map(({ role, content }) => ({ role, content }));
  return {
    context,
    messages: plain,
    text: context.text ?? plain.map(({ content }) => content).join("\n"),
    hash: context.snapshot.contextHash,
    includedIds: context.kept.map(({ id }) => id),
    notes: context.trace.notes.map(({ kind }) => kind),
    sources: () => sourcesOf(context, request),
    toolForms: () =>
      Object.fromEntries(reportOf(context, "toolSnippets")?.items.map(({ id, form }) => [id, form]) ?? []),
  };
}

/** Turns a case into messages and a config. */
/** @returns {{ messages: import("windrow").MessageInput[], config: import("windrow").ContextConfig, request: any }} */
function turnOf(input, settings) {
  checkKeys(input, "input", INPUT);
  checkKeys(settings, "config", Object.keys(SETTINGS));
  const { chat = [] } = input;
  // A value that isn't a list is passed through, and the build reports it.
  const messages = Array.isArray(chat) ? chat.map((entry, at) => messageOf(entry, `input.chat[${at}]`)) : chat;
  const request = messageOfInput(input.input);

  let config = {
    ...presets.turnContract,
    now: input.now,
    sessionId: input.sessionId,
    turnId: input.turnId,
    request: request ?? null,
    contents: contentsOf(input),
    countTokens: fourCharacters,
  };
  for (const [name, value] of Object.entries(settings)) {
    config = SETTINGS[name](config, value);
  }
  return { messages, config: withConnector(config, input.memoryConnector), request };
}

// ---- The sources ----

function messageOf(entry, place) {
  if (typeof entry !== "object" || entry === null) {
    return entry;
  }
  checkKeys(entry, place, CHAT);
  const direction = checkChoice(entry.direction, `${place}.direction`, ["inbound", "outbound"]);
  return {
    id: entry.id,
    role: direction === "inbound" ? "user" : "assistant",
    name: entry.sender,
    content: entry.text,
    createdAt: entry.at,
  };
}

function messageOfInput(given) {
  if (given == null) {
    return null;
  }
  const { id, text, sender, at } = checkKeys(given, "input.input", ["id", "text", "sender", "at"]);
  return { id, role: "user", name: sender, content: text, createdAt: at };
}

function contentsOf({ state: given, memoryPointers, toolSnippets }) {
  const state = given ?? {};
  checkKeys(state, "input.state", STATE);
  const summaries = Object.entries(STATE_SECTIONS).map(([name, id]) => [id, state[name] ?? null]);
  const items = [
    ["memoryPointers", memoryPointers, ["id", "text"]],
    ["toolSnippets", toolSnippets, ["id", "text", "summary"]],
  ].map(([id, list, keys]) => [
    id,
    checkList(list ?? [], `input.${id}`).map((item, at) => checkKeys(item, `input.${id}[${at}]`, keys)),
  ]);
  return Object.fromEntries([...summaries, ...items]);
}

/** An optional lookup next to the memory pointers, which fails. */
function withConnector(config, connector) {
  if (connector === undefined) {
    return config;
  }
  checkKeys(connector, "input.memoryConnector", ["kind"]);
  checkChoice(connector.kind, "input.memoryConnector.kind", ["throws"]);
  const at = config.sections.findIndex(({ id }) => id === "memoryPointers") + 1;
  return {
    ...config,
    sections: config.sections.toSpliced(at, 0, { id: "memoryLookUp", kind: "recall" }),
    recall: {
      ...config.recall,
      search: () => {
        throw new Error("the memory connector cannot be reached");
      },
    },
  };
}

function reportOf(context, id) {
  return context.sections.find((section) => section.id === id);
}

/** The position of each source in the context: the index of its first piece among all pieces, or -1 if it is absent. */
const SOURCES = {
  chat: (context, pieces) => pieces.findIndex((piece) => context.kept.includes(piece)),
  state: (context, pieces) => firstOf(context, pieces, Object.values(STATE_SECTIONS)),
  memory: (context, pieces) => firstOf(context, pieces, ["memoryPointers"]),
  tools: (context, pieces) => firstOf(context, pieces, ["toolSnippets"]),
  input: (_context, pieces, request) => pieces.indexOf(request),
};

function sourcesOf(context, request) {
  const pieces = context.messages;
  return Object.entries(SOURCES)
    .map(([name, positionOf]) => ({ name, position: positionOf(context, pieces, request) }))
    .filter(({ position }) => position >= 0)
    .sort((left, right) => left.position - right.position)
    .map(({ name }) => name);
}

/** The first piece that contains a section's text. The caller's own messages don't count. */
function firstOf(context, pieces, ids) {
  const shown = ids.map((id) => reportOf(context, id)?.text).filter((text) => text != null && text !== "");
  return pieces.findIndex(
    (piece) => !context.kept.includes(piece) && shown.some((text) => piece.content.includes(text)),
  );
}

// ---- The record of the turn ----

function snapshotChecks(snapshot, expected) {
  return Object.entries(expected).map(([key, value]) => {
    const actual = snapshot[key];
    if (key === "sourceCounts") {
      return equalWhereGiven(actual, value);
    }
    if (typeof value === "object" && value !== null) {
      const { prefix } = checkKeys(value, `expected.snapshot.${key}`, ["prefix"]);
      return check(typeof actual === "string" && actual.startsWith(prefix), { [key]: value }, { [key]: actual });
    }
    return equal({ [key]: actual }, { [key]: value });
  });
}

function errorChecks(error, expected) {
  checkKeys(expected, "expected.error", ["class", "terminal", "nextAction"]);
  const actual = { class: error?.kind, terminal: error?.terminal, nextAction: error?.nextAction };
  return Object.entries(expected).map(([key, value]) => {
    const passed =
      value === "nonempty string"
        ? typeof actual[key] === "string" && actual[key].trim() !== ""
        : actual[key] === value;
    return check(passed, { [key]: value }, { [key]: actual[key] ?? (error === undefined ? "no error" : undefined) });
  });
}
