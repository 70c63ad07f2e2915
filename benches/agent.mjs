// Replays agents' runs step by step, and checks whether the prompt still has the values that the next call needs.
//
// A prompt is built before each step, from all messages so far. A step counts if the arguments of its calls have
// identifiers (paths, names, ids) from older messages that the newest two don't have. Its score is the share of these
// identifiers that the prompt still has. Tokens are counted here, message by message, the same way for windrow and for
// others.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { pruneMessages } from "ai";
import { buildContextSync, loadEncoding, loadSelection, presets } from "windrow";
import { Failure, projectPath } from "../scripts/project.mjs";
import { installNpmPackages } from "../scripts/setup.mjs";
import { encoding, PRIMING, tokensOf } from "./message-tokens.mjs";
import { Table } from "./table.mjs";

const FRAMEWORKS = "tests/frameworks";
const BUDGETS = [3000, 4000, 5000, 6000, 8000];
const NEWEST_MESSAGES = 2;
/** The newest results that others keep whole, as LangChain and Anthropic do. */
const KEPT_RESULTS = 3;
/** Providers' prices for cached reads and cache writes, relative to the uncached input price. */
const [CACHE_READ, CACHE_WRITE] = [0.1, 1.25];

const built = (config) => (messages, maxTokens) =>
  buildContextSync(messages, { ...config, encoding, budget: { ...config.budget, maxTokens } }).messages;

/** Measures the runs in files, and prints a table for each budget. */
export async function run(options) {
  const at = options.indexOf("--budgets");
  const budgets = at < 0 ? BUDGETS : (options[at + 1] ?? "").split(",").map(Number);
  const files = at < 0 ? options : options.toSpliced(at, 2);
  if (files.length === 0 || !budgets.every((budget) => budget > 0)) {
    throw new Failure(
      "which runs? npm run bench -- agent FILE.json … [--budgets 3000,4000]: a file is a list of { id, messages }, in OpenAI's chat form",
      2,
    );
  }
  await loadEncoding(encoding);
  await loadSelection();
  const policies = {
    "windrow, the default": built({}),
    "windrow, steady": built(presets.steady),
    "masking: results become a stub, the oldest first": masked,
    "LangChain ClearToolUsesEdit": await clearing(),
    "AI SDK pruneMessages": pruned,
    "sending everything": (messages) => messages,
  };
  for (const file of files) {
    const runs = JSON.parse(readFileSync(file, "utf8"));
    for (const budget of budgets) {
      const title = `${basename(file)}, ${budget.toLocaleString("en")} tokens`;
      const table = new Table(title, "needed kept %", "fill %", "repeated %", "price %", "over", "refused");
      for (const [name, policy] of Object.entries(policies)) {
        table.add(name, ...(await measured(runs, policy, budget)));
      }
      table.add("the most that a prompt within the budget can repeat", ...mostRepeated(runs, budget));
      console.log(`\n${table.text()}`);
    }
  }
}

/** Replays runs. Returns the cells of a row. */
async function measured(runs, policy, budget) {
  const [scores, fills] = [[], []];
  let [repeated, sent, over, refused] = [0, 0, 0, 0];
  for (const { messages } of runs) {
    let previous = [];
    for (const [position, message] of messages.entries()) {
      if (position < 2 * NEWEST_MESSAGES || callsOf(message) === "") {
        continue;
      }
      const before = messages.slice(0, position);
      const needed = neededBy(message, before);
      let prompt;
      try {
        prompt = await policy(before, budget);
      } catch {
        refused += 1;
        scores.push(...(needed.length > 0 ? [0] : []));
        continue;
      }
      const lines = prompt.map(keyOf);
      const same = lines.findIndex((line, index) => line !== previous[index]);
      previous = lines;
      const size = tokensIn(prompt);
      repeated += tokensIn(same < 0 ? prompt : prompt.slice(0, same));
      sent += size;
      over += size > budget ? 1 : 0;
      if (needed.length > 0) {
        const text = prompt.map(textOf).join("\n");
        scores.push(needed.filter((word) => text.includes(word)).length / needed.length);
        fills.push(size / budget);
      }
    }
  }
  const share = repeated / sent;
  return [...[mean(scores), mean(fills), share, priceOf(share)].map(percent), over, refused];
}

/**
 * Returns the cells of a policy that always fills the budget, sends new messages whole, and repeats everything else.
 */
function mostRepeated(runs, budget) {
  let [repeated, sent] = [0, 0];
  for (const { messages } of runs) {
    let previous = { size: 0, whole: PRIMING };
    let whole = PRIMING;
    for (const [position, message] of messages.entries()) {
      if (position >= 2 * NEWEST_MESSAGES && callsOf(message) !== "") {
        const size = Math.min(budget, whole);
        repeated += Math.max(0, Math.min(previous.size, size - (whole - previous.whole)));
        sent += size;
        previous = { size, whole };
      }
      whole += tokensOf(message);
    }
  }
  return ["", "", ...[repeated / sent, priceOf(repeated / sent)].map(percent), "", ""];
}

const priceOf = (share) => share * CACHE_READ + (1 - share) * CACHE_WRITE;
const percent = (value) => (100 * value).toFixed(1);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const callsOf = ({ tool_calls: calls = [] }) => calls.map((call) => call.function.arguments).join(" ");
const textOf = (message) =>
  `${typeof message.content === "string" ? message.content : JSON.stringify(message.content ?? "")} ${callsOf(message)}`;
/** The fields of a message that a provider sees. */
const keyOf = ({ role, content, tool_calls: calls, tool_call_id: id }) => JSON.stringify([role, content, calls, id]);

/** Returns the identifiers that a call needs and that only older messages have. */
function neededBy(message, before) {
  const newest = before.slice(-NEWEST_MESSAGES).map(textOf).join("\n");
  const older = before.slice(0, -NEWEST_MESSAGES).map(textOf).join("\n");
  const words = new Set(callsOf(message).match(/[\w\-./#@:]{5,60}/g));
  const isIdentifier = (word) => /[\d/_.]|^#?[A-Z]+$/.test(word) && !/^[\d.,]+$/.test(word);
  return [...words].filter((word) => isIdentifier(word) && older.includes(word) && !newest.includes(word));
}

const tokensIn = (messages) => messages.reduce((sum, message) => sum + tokensOf(message), PRIMING);

// ---- Others ----

/**
 * A baseline of ten lines that many agents contain: old results become stubs until the rest fits, and then the oldest
 * steps go.
 */
function masked(messages, budget) {
  const out = [...messages];
  for (let at = 0; at < out.length - NEWEST_MESSAGES && tokensIn(out) > budget; at++) {
    out[at] = out[at].role === "tool" ? { ...out[at], content: "[old result cleared]" } : out[at];
  }
  const first = out.findIndex(({ role }) => role !== "system" && role !== "user");
  while (tokensIn(out) > budget && first < out.length - 1) {
    const next = out.findIndex(({ role }, at) => at > first && role !== "tool");
    out.splice(first, (next < 0 ? out.length : next) - first);
  }
  return out;
}

/** LangChain's context editing, if the run is larger than the budget. It has no budget, so it may exceed this one. */
async function clearing() {
  await installNpmPackages(FRAMEWORKS, []);
  const require = createRequire(projectPath(FRAMEWORKS, "package.json"));
  const load = (name) => import(pathToFileURL(require.resolve(name)).href);
  const { ClearToolUsesEdit } = await load("langchain");
  const { AIMessage, HumanMessage, SystemMessage, ToolMessage } = await load("@langchain/core/messages");
  const KINDS = { system: SystemMessage, user: HumanMessage, assistant: AIMessage, tool: ToolMessage };
  return async (messages, budget) => {
    const theirs = messages.map(({ role, content, tool_calls: calls = [], tool_call_id: id }, position) => {
      const list = calls.map((call) => ({ id: call.id, name: call.function.name, args: argumentsOf(call) }));
      return new KINDS[role]({ id: String(position), content: content ?? "", tool_calls: list, tool_call_id: id });
    });
    // A cleared result is a new message without an id.
    const results = new Map(messages.map((message) => [message.tool_call_id, message]));
    const own = ({ id, tool_call_id: call, content }) => {
      const message = id === undefined ? results.get(call) : messages[Number(id)];
      return (message.content ?? "") === content ? message : { ...message, content };
    };
    const edit = new ClearToolUsesEdit({ trigger: { tokens: budget }, keep: { messages: KEPT_RESULTS } });
    await edit.apply({ messages: theirs, countTokens: (list) => tokensIn(list.map(own)) });
    return theirs.map(own);
  };
}

function argumentsOf(call) {
  try {
    return JSON.parse(call.function.arguments);
  } catch {
    return { text: call.function.arguments };
  }
}

/** The AI SDK's pruning, if the run is larger than the budget. It removes old calls with their results. */
function pruned(messages, budget) {
  if (tokensIn(messages) <= budget) {
    return messages;
  }
  const theirs = messages.map(({ role, content, tool_calls: calls = [], tool_call_id: id }) => {
    if (role === "tool") {
      const output = { type: "text", value: content };
      return { role, content: [{ type: "tool-result", toolCallId: id, toolName: "tool", output }] };
    }
    const parts = calls.map((call) => ({
      type: "tool-call",
      toolCallId: call.id,
      toolName: call.function.name,
      input: argumentsOf(call),
    }));
    return parts.length === 0
      ? { role, content: content ?? "" }
      : { role, content: [...(content ? [{ type: "text", text: content }] : []), ...parts] };
  });
  const left = new Set(pruneMessages({ messages: theirs, toolCalls: `before-last-${2 * KEPT_RESULTS}-messages` }));
  return messages.filter((_, position) => left.has(theirs[position]));
}
