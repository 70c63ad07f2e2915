// Measures how much of each prompt repeats the previous one, turn by turn: the part that a provider's cache can cover.
//
// Each conversation is replayed at a quarter of its size as the budget. A prompt is built at each user message, and at
// each message for rows that say so. Prompts are compared message by message from the first. Only builds with a binding
// budget count, when the conversation so far is larger than it. Tokens are counted here, message by message, the same
// way for windrow and for others.

import { writeFileSync } from "node:fs";
import { basename } from "node:path";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, trimMessages } from "@langchain/core/messages";
import { pruneMessages } from "ai";
import { buildContext, buildContextSync, createTranscript, loadEncoding, presets } from "windrow";
import { Failure } from "../scripts/project.mjs";
import { encoding, tokensOf } from "./message-tokens.mjs";
import { frontierPlot } from "./prefix-plot.mjs";
import { readConversations, timeOf } from "./recall/file.mjs";
import { Table } from "./table.mjs";

const SHARE_OF_CONVERSATION = 1 / 4;
const CHUNK = 0.25;
/** Evidence is searched for in questions up to this category: facts that can be found, and facts that must be known. */
const LAST_CATEGORY = 5;

/** Providers' input prices for the repeated part and the new part of a turn, relative to the uncached price. */
const PRICES = [
  { name: "price, write 1.25", read: 0.1, write: 1.25 },
  { name: "price, write 1", read: 0.1, write: 1 },
];

/**
 * Returns a policy that uses a windrow config, with one transcript per conversation. Only the messages of a prompt are
 * counted. `remembers` passes triage's decisions on from build to build.
 */
const windrow =
  (config, remembers = false) =>
  () => {
    const transcript = createTranscript();
    const waits = config.triage !== undefined;
    const build = (messages, options) =>
      waits ? buildContext(messages, options) : buildContextSync(messages, options);
    let decided = {};
    return {
      async prompt(messages, budget, question) {
        transcript.append(messages.slice(transcript.length));
        const context = await build(transcript, {
          ...config,
          ...(config.triage && { triage: { ...config.triage, ...(remembers && { decided }) } }),
          ...(question && { request: question.request }),
          ...(question?.time !== undefined && { now: question.time }),
          budget: { ...config.budget, maxTokens: budget, tokensPriming: 0 },
        });
        decided = context.triage?.decided ?? decided;
        // A stub or an excerpt is a new message, so the trace tells which messages are kept.
        const keptShare = (message, position) => {
          const { fate, tokens } = context.explain(position);
          return fate === "left out" ? 0 : Math.min(1, tokens / tokensOf(message));
        };
        const kept = new Map(messages.map((message, position) => [position, keptShare(message, position)]));
        const { pieces } = context.outline;
        const quotes = pieces.findIndex(([source]) => source === "history");
        return { prompt: context.messages, kept, stableCount: quotes < 0 ? pieces.length : quotes };
      },
      free: () => transcript.free(),
    };
  };

/** Returns a policy without state: a function from the messages so far to those that are sent. */
const plain = (select) => () => ({
  async prompt(messages, budget, question) {
    const request = question && { role: "user", content: question.request };
    const room = budget - (request ? tokensOf(request) : 0);
    const sent = await select(messages, room);
    const positions = new Map(messages.map((message, position) => [message, position]));
    const kept = new Map(sent.filter((it) => positions.has(it)).map((message) => [positions.get(message), 1]));
    return { prompt: request ? [...sent, request] : sent, kept, stableCount: sent.length };
  },
  free: () => {},
});

/** Drops the oldest messages, a quarter of the budget's worth, whenever the budget is full. They stay out. */
function chunked() {
  let first = 0;
  return plain((messages, room) => {
    const size = (from) => messages.slice(from).reduce((sum, message) => sum + tokensOf(message), 0);
    if (size(first) > room) {
      let left = size(first);
      while (left > room * (1 - CHUNK) && first < messages.length - 1) {
        left -= tokensOf(messages[first]);
        first += 1;
      }
    }
    return messages.slice(first);
  })();
}

const steady = (maxShare) => ({ ...presets.steady, recall: { ...presets.steady.recall, maxShare } });

const ROWS = [
  { name: "windrow, steady without recall", policy: windrow({ ...presets.steady, recall: { ranking: "recency" } }) },
  { name: "windrow, steady", policy: windrow(presets.steady) },
  { name: "windrow, steady with a quarter recalled", policy: windrow(steady(0.25)) },
  { name: "windrow, relevant (the default)", policy: windrow(presets.relevant) },
  { name: "exact fit, sliding (recency)", policy: windrow({ recall: { ranking: "recency" } }) },
  { name: "a cut in chunks of 25 %", policy: chunked },
  { name: "LangChain trimMessages", policy: plain(trimmed) },
  { name: "AI SDK pruneMessages", policy: plain(pruned) },
];

/** A script instead of a fast model. It chooses the messages that share two longer words with the request. */
function scriptedSelect({ request, candidates }) {
  const wordsOf = (text) => new Set(text.toLowerCase().match(/\p{L}{5,}/gu));
  const asked = wordsOf(request);
  const isChosen = ({ text }) => [...wordsOf(text)].filter((word) => asked.has(word)).length >= 2;
  return Promise.resolve(candidates.filter(isChosen).map(({ id }) => id));
}

const triaged = (config) => ({ ...config, triage: { select: scriptedSelect } });
const byRecency = { recall: { ranking: "recency" } };

/** The rows for `--triage`: the effect of a fast model's choices on the prefix. */
const TRIAGE_ROWS = [
  { name: "steady, choices remembered", policy: windrow(triaged(presets.steady), true) },
  { name: "steady, asked anew", policy: windrow(triaged(presets.steady)) },
  { name: "a cut without recall, remembered", policy: windrow(triaged({ ...byRecency, budget: { cut: {} } }), true) },
  { name: "a cut without recall, asked anew", policy: windrow(triaged({ ...byRecency, budget: { cut: {} } })) },
  { name: "no cut, no recall, asked anew", policy: windrow(triaged(byRecency)) },
];

/** The shares of the prompt for recalled messages that the plot shows for `steady`. */
const SHARES = [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5];

/**
 * Measures the conversations in files, and prints a table for each. `--plot FILE.svg` also plots the cost of more
 * recall in reuse. `--triage` measures the rows with a scripted fast model.
 */
export async function run(options) {
  const isTriage = options.includes("--triage");
  const given = options.filter((option) => option !== "--triage");
  const at = given.indexOf("--plot");
  const plot = at < 0 ? undefined : given[at + 1];
  const files = at < 0 ? given : given.toSpliced(at, 2);
  if (files.length === 0 || (at >= 0 && plot === undefined)) {
    throw new Failure(
      "which conversations? npm run bench -- prefix FILE.json … [--triage] [--plot FILE.svg], in the form that `npm run recall` reads",
      2,
    );
  }
  await loadEncoding(encoding);
  const lines = [];
  for (const file of files) {
    const conversations = readConversations(file).map((conversation) => ({
      ...conversation,
      messages: conversation.messages.map(messageOf),
    }));
    const hasEvidence = conversations.some(({ questions }) => questions.some(isMeasured));
    const rows = isTriage ? TRIAGE_ROWS : ROWS;
    await printTable(file, conversations, { each: "user message", hasEvidence, rows });
    await printTable(file, conversations, { each: "message", hasEvidence: false, rows });
    if (hasEvidence && plot !== undefined) {
      lines.push(await frontier(basename(file).replace(/\..*/, ""), conversations));
    }
  }
  if (plot !== undefined) {
    writeFileSync(plot, frontierPlot(lines));
    console.log(`wrote ${plot}`);
  }
}

async function printTable(file, conversations, { each, hasEvidence, rows }) {
  const isTurn = each === "message" ? () => true : ({ role }) => role === "user";
  const columns = ["repeated", "before quotes", "mean fill", "over budget", ...PRICES.map(({ name }) => name)];
  const title = `${basename(file)}, a build at each ${each}; in percent`;
  const table = new Table(title, ...columns, ...(hasEvidence ? ["evidence kept"] : []));
  for (const { name, policy } of rows) {
    const { repeated, stable, fill, over, prices } = await replayed(conversations, policy, isTurn);
    const evidence = hasEvidence ? [percent(await evidenceKept(conversations, policy))] : [];
    table.add(name, ...[repeated, stable, fill, over, ...prices].map(percent), ...evidence);
  }
  console.log(`\n${table.text()}\n`);
}

/**
 * Returns reuse and evidence of a set, with a growing share of the prompt for recalled messages, and for the default
 * config.
 */
async function frontier(name, conversations) {
  const point = async (policy) => ({
    reuse: (await replayed(conversations, policy, ({ role }) => role === "user")).repeated,
    evidence: await evidenceKept(conversations, policy),
  });
  const points = [];
  for (const share of SHARES) {
    points.push({
      share,
      ...(await point(windrow(share === 0 ? { ...presets.steady, recall: { ranking: "recency" } } : steady(share)))),
    });
  }
  const others = [];
  for (const { name: row, policy } of ROWS.slice(3, 7)) {
    others.push({ row, ...(await point(policy)) });
  }
  return { name, points, others };
}

const percent = (share) => (100 * share).toFixed(1);

/**
 * Returns how much of the text sent repeats the previous prompt, over all conversations, for builds with a binding
 * budget.
 */
async function replayed(conversations, policy, isTurn) {
  const [repeated, sent, stableRepeated, stableSent, fills, overs] = [[], [], [], [], [], []];
  for (const { messages } of conversations) {
    const budget = budgetOf(messages);
    const { prompt, free } = policy();
    let previous = [];
    let size = 0;
    for (const [position, message] of messages.entries()) {
      size += tokensOf(message);
      if (!isTurn(message)) {
        continue;
      }
      const { prompt: next, stableCount } = await prompt(messages.slice(0, position + 1), budget);
      if (size > budget) {
        let same = 0;
        while (same < next.length && same < previous.length && keyOf(next[same]) === keyOf(previous[same])) {
          same += 1;
        }
        repeated.push(tokensIn(next.slice(0, same)));
        sent.push(tokensIn(next));
        stableRepeated.push(tokensIn(next.slice(0, Math.min(same, stableCount))));
        stableSent.push(tokensIn(next.slice(0, stableCount)));
        fills.push(tokensIn(next) / budget);
        overs.push(tokensIn(next) > budget ? 1 : 0);
      }
      previous = next;
    }
    free();
  }
  const share = sum(repeated) / sum(sent);
  return {
    repeated: share,
    stable: sum(stableRepeated) / sum(stableSent),
    fill: sum(fills) / fills.length,
    over: sum(overs) / overs.length,
    prices: PRICES.map(({ read, write }) => share * read + (1 - share) * write),
  };
}

/** Returns the share of the evidence that is in the context of its question. */
async function evidenceKept(conversations, policy) {
  const shares = [];
  for (const { messages, questions } of conversations) {
    const budget = budgetOf(messages);
    const { prompt, free } = policy();
    for (const question of questions.filter(isMeasured).toSorted((left, right) => left.upTo - right.upTo)) {
      const time = question.time ?? (timeOf(messages[question.upTo - 1]) || undefined);
      const { kept } = await prompt(messages.slice(0, question.upTo), budget, { ...question, time });
      shares.push(sum(question.evidence.map((position) => kept.get(position) ?? 0)) / question.evidence.length);
    }
    free();
  }
  return sum(shares) / shares.length;
}

function isMeasured({ evidence, category }) {
  return evidence.length > 0 && category >= 1 && category <= LAST_CATEGORY;
}

const budgetOf = (messages) => Math.floor(tokensIn(messages) * SHARE_OF_CONVERSATION);
const sum = (values) => values.reduce((total, value) => total + value, 0);

const tokensIn = (messages) => sum(messages.map(tokensOf));

/** Returns the fields of a message that a provider sees. */
function keyOf({ role, name, content, toolCalls, toolCallId }) {
  return JSON.stringify([role, name, content, toolCalls, toolCallId]);
}

function messageOf({ id, role, name, content, createdAt, toolCalls, toolCallId }) {
  return JSON.parse(JSON.stringify({ id, role, name, content, createdAt, toolCalls, toolCallId }));
}

// ---- Others ----

const KINDS = { system: SystemMessage, user: HumanMessage, assistant: AIMessage, tool: ToolMessage };

/**
 * LangChain's `trimMessages` in its documented form for chats: the newest messages that fit, always a system message,
 * starting with the user.
 */
async function trimmed(messages, room) {
  const theirs = messages.map(({ role, content, toolCalls = [], toolCallId }, position) => {
    const calls = toolCalls.map(({ id, name, arguments: text }) => ({ id, name, args: argumentsOf(text) }));
    return new KINDS[role]({ id: String(position), content, tool_calls: calls, tool_call_id: toolCallId });
  });
  const left = await trimMessages(theirs, {
    maxTokens: room,
    tokenCounter: (list) => sum(list.map(({ id }) => tokensOf(messages[Number(id)]))),
    strategy: "last",
    includeSystem: true,
    startOn: "human",
  });
  return left.map(({ id }) => messages[Number(id)]);
}

function argumentsOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}

/** The AI SDK's `pruneMessages`, which has no budget. It removes reasoning and old tool calls. */
function pruned(messages) {
  const theirs = messages.map((message) => {
    if (message.role === "tool") {
      const output = { type: "text", value: message.content };
      return {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: message.toolCallId, toolName: "tool", output }],
      };
    }
    const calls = (message.toolCalls ?? []).map(({ id, name, arguments: text }) => ({
      type: "tool-call",
      toolCallId: id,
      toolName: name,
      input: argumentsOf(text),
    }));
    return calls.length === 0
      ? { role: message.role, content: message.content }
      : { role: message.role, content: [{ type: "text", text: message.content }, ...calls] };
  });
  const left = new Set(pruneMessages({ messages: theirs, reasoning: "all", toolCalls: "before-last-2-messages" }));
  return messages.filter((_, position) => left.has(theirs[position]));
}
