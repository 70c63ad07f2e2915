// Document 003: messages for a chat API. Preset `agent`.

import { buildContext, presets } from "windrow";
import { messageOfTask, messagesOfTasks, queryLayer } from "windrow/tasks";
import { check, equal, equalWhereGiven, sorted, texts } from "../expectations.mjs";
import { checkChoice, checkCount, checkKeys, checkList, NotUnderstood } from "../shape.mjs";

const CONTEXT = ["l1", "l2", "direct", "agentId", "now", "knowledge", "tools", "current", "session"];

/** The kinds of input: the key that identifies each, and the other keys allowed with it. */
const KINDS = {
  convert: ["convert"],
  fit: ["fit"],
  query: ["query", "entries", "session", "now"],
  tokenCount: ["tokenCount"],
};

const TASK = ["id", "action", "params", "session", "from", "to", "at"];

const PARAMETERS = [
  "content",
  "result",
  "tool_name",
  "tool_args",
  "subtask",
  "priority",
  "ttl_seconds",
  "target_node_id",
  "parent_task_id",
  "metadata",
];

const SETTINGS = {
  system_prompt: (config, value) => ({ ...config, contents: { ...config.contents, system: value } }),
  max_tokens: (config, value) => ({ ...config, budget: { ...config.budget, maxTokens: value } }),
};

/** Token count of the conformance cases: 4 for each message, plus its role and its content. */
const COUNTING = { tokensPerMessage: 4, tokensPerName: 0, tokensPriming: 0 };

function countTokens(counted) {
  return counted.map((text) => {
    const length = Array.from(text).length;
    return length === 0 ? 0 : Math.max(1, Math.floor(length / 4));
  });
}

export const agent = {
  preset: "agent",
  build,
  expectations: {
    messages: (outcome, expected, { wording }) => {
      const list = checkMessages(expected, "expected.messages");
      return wording.rendered
        ? [equal(outcome.messages.map(roleOf), list.map(roleOf)), equal(outcome.messages, list, 2)]
        : [equal(outcome.messages, list)];
    },
    messages_set: (outcome, expected, { wording }) => {
      const list = checkMessages(expected, "expected.messages_set");
      return wording.rendered
        ? [
            equal(sorted(outcome.messages.map(roleOf)), sorted(list.map(roleOf))),
            equal(sorted(outcome.messages), sorted(list), 2),
          ]
        : [equal(sorted(outcome.messages), sorted(list))];
    },
    message: (outcome, expected) => {
      if (outcome.converted === undefined) {
        throw new NotUnderstood("expected.message: it is of a conversion, and there is no input.convert");
      }
      if (expected === null || outcome.converted === null) {
        return [equal(outcome.converted, expected)];
      }
      return [equalWhereGiven(outcome.converted, checkKeys(expected, "expected.message", ["role", "content"]))];
    },
    tokens: (outcome, expected) => [equal(outcome.tokens, checkCount(expected, "expected.tokens"))],
    endsWith: (outcome, expected) =>
      texts(expected, "endsWith").map((end) => check(outcome.text.endsWith(end), { end }, outcome.text)),
  },
};

function checkMessages(expected, place) {
  return checkList(expected, place).map((message, at) => checkKeys(message, `${place}[${at}]`, ["role", "content"]));
}

function roleOf({ role }) {
  return role;
}

function build(input, settings) {
  checkKeys(settings, "config", Object.keys(SETTINGS));
  const kind = Object.keys(KINDS).find((name) => input[name] !== undefined);
  checkKeys(input, "input", kind === undefined ? CONTEXT : KINDS[kind]);
  if (kind === "convert") {
    return conversionOf(input.convert, settings);
  }
  let config = { ...presets.agent, countTokens, budget: { ...presets.agent.budget, ...COUNTING } };
  for (const [name, value] of Object.entries(settings)) {
    config = SETTINGS[name](config, value);
  }
  switch (kind) {
    case "fit":
      return outcomeOf(readyMessages(input.fit, "input.fit"), asTheyAre(config));
    case "tokenCount":
      return outcomeOf(readyMessages(input.tokenCount, "input.tokenCount"), asTheyAre({ budget: COUNTING }));
    case "query":
      return lookUp(input);
    default:
      return contextOf(input, config);
  }
}

// ---- The build ----

/**
 * @param {readonly import("windrow").MessageInput[]} messages
 * @param {import("windrow").ContextConfig} config
 */
async function outcomeOf(messages, config) {
  const context = await buildContext(messages, config);
  const plain = context.messages.map(({ role, content }) => ({ role, content }));
  return {
    context,
    messages: plain,
    text: plain.map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content))).join("\n"),
    hash: context.snapshot.contextHash,
    includedIds: context.kept.map(({ id }) => id),
    tokens: context.tokens.total,
  };
}

/** Sources in their order of merging: session memory, recent memory, direct messages. */
function contextOf(input, given) {
  const tasks = ["l2", "l1", "direct"].flatMap((name) => tasksOf(input[name], `input.${name}`));
  const { knowledge, tools, current } = input;
  let config = { ...given, now: input.now, agentId: input.agentId, sessionId: input.session };
  if (knowledge !== undefined) {
    const items = checkList(knowledge, "input.knowledge").map((item, at) => {
      const { content, source } = checkKeys(item, `input.knowledge[${at}]`, ["content", "source"]);
      return { text: content, source };
    });
    config = { ...config, recall: { ...config.recall, search: () => items } };
  }
  if (tools !== undefined) {
    config = { ...config, budget: { ...config.budget, tools: checkList(tools, "input.tools") } };
  }
  if (current === undefined) {
    config = { ...config, request: null, sections: config.sections.filter(({ kind }) => kind !== "request") };
  } else {
    config = { ...config, request: messageOfTask(taskOf(current, "input.current")) ?? null };
  }
  return outcomeOf(messagesOfTasks(tasks), config);
}

/** Passes ready messages unchanged: the only section is the history, and only the preset's budget applies. */
function asTheyAre({ budget }) {
  const { recall, sections } = presets.agent;
  return { budget, recall, countTokens, request: null, sections: sections.filter(({ kind }) => kind === "history") };
}

/** A lookup in one layer of memory. */
function lookUp({ query, entries, session, now }) {
  checkKeys(query, "input.query", ["layer", "limit"]);
  const layer = checkChoice(query.layer, "input.query.layer", ["L1", "L2", "L3", "L4"]);
  const limit = query.limit === undefined ? undefined : checkCount(query.limit, "input.query.limit");
  const found = queryLayer(layer, tasksOf(entries, "input.entries"), { sessionId: session, limit, now });
  const messages = messagesOfTasks(found).map(({ role, content }) => ({ role, content }));
  return {
    messages,
    text: messages.map(({ content }) => content).join("\n"),
    includedIds: found.map(({ id }) => id),
  };
}

function readyMessages(given, place) {
  return checkList(given, place).map((message, at) => checkKeys(message, `${place}[${at}]`, ["id", "role", "content"]));
}

/** Converts one task without a build. An omitted task is null. */
function conversionOf(given, settings) {
  checkKeys(settings, "config", []);
  const message = messageOfTask(taskOf(given, "input.convert"));
  const converted = message == null ? null : { role: message.role, content: message.content };
  return {
    converted,
    messages: converted === null ? [] : [converted],
    text: converted?.content ?? "",
    includedIds: converted === null ? [] : [given.id],
  };
}

// ---- Tasks ----

function tasksOf(given, place) {
  return checkList(given, place).map((task, at) => taskOf(task, `${place}[${at}]`));
}

function taskOf(given, place) {
  checkKeys(given, place, TASK);
  checkKeys(given.params ?? {}, `${place}.params`, PARAMETERS);
  return {
    id: given.id,
    action: given.action,
    parameters: given.params ?? {},
    sessionId: given.session,
    sourceAgent: given.from,
    targetAgent: given.to,
    createdAt: given.at,
  };
}
