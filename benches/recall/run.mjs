// Builds the contexts of all questions through the public package, and measures them.

import { buildContext, countTokens, createTranscript, loadEncoding } from "windrow";
import { Failure } from "../../scripts/project.mjs";
import { timeOf } from "./file.mjs";
import { formOf, measuresOf, rankMeasuresOf } from "./measures.mjs";

export const BUDGETS = [250, 500, 1000, 2000, 4000, 8000];

/**
 * The package's default configuration, and the baselines to compare with. Each has options for `recall`, or
 * `triageOf(question)` if the question decides them.
 */
export const CONFIGURATIONS = [
  { name: "windrow", isOwn: true },
  { name: "recency", recall: { ranking: "recency" } },
  { name: "bm25", recall: { ranking: "bm25" } },
];

/** A message's tokens in the budget, in addition to its text. */
const MESSAGE_OVERHEAD = 4;
const ENCODING = "o200k_base";
const DAY = 86_400_000;
/** More than any request costs. */
const AMPLE = 10_000_000;

/**
 * Measures conversations. Returns the measures that apply to them, and for each configuration, in order:
 *
 * - `shares[measure][budget index]`: a share per question that the measure applies to, in the order of the questions;
 * - `ranks`: how well the evidence of each question ranks, without a budget;
 * - `forms[budget index]`: whether the contexts still read as conversations;
 * - `used[budget index]`: the share of the budget that the context used, per question;
 * - `rebuilt[budget index]`: the number of contexts that exceeded the budget as counted here, and were built again;
 * - `notes`: the number of the engine's notes, by kind;
 * - `milliseconds`: the total time of its builds, and `buildCount`, their number.
 *
 * `dayAfterCount` is the number of questions with the clock set to one day after the newest message.
 *
 * @param {any[]} conversations
 * @param {object} [options]
 * @param {any[]} [options.configurations]
 * @param {number[]} [options.budgets]
 * @param {boolean} [options.withRanks]
 * @param {(doneCount: number, allCount: number) => void} [options.onProgress]
 */
export async function measureConversations(
  conversations,
  { configurations = CONFIGURATIONS, budgets = BUDGETS, withRanks = false, onProgress = () => {} } = {},
) {
  await loadEncoding(ENCODING);
  const measures = measuresOf(conversations);
  const results = configurations.map(({ name, isOwn = false }) => ({
    name,
    isOwn,
    shares: measures.map(() => budgets.map(() => [])),
    ranks: [],
    forms: budgets.map(() => []),
    used: budgets.map(() => []),
    rebuilt: budgets.map(() => 0),
    notes: new Map(),
    milliseconds: 0,
    buildCount: 0,
  }));
  const questionCount = conversations.reduce((count, { questions }) => count + questions.length, 0);
  let doneCount = 0;
  let dayAfterCount = 0;
  for (const { messages, questions } of conversations) {
    const positions = new Map(messages.map((message, position) => [message, position]));
    const tokenCounts = messages.map(tokensOf);
    const facts = { tokenCounts, messages };
    const transcript = createTranscript();
    // Sorted by position, so that the transcript only grows.
    for (const question of questions.toSorted((left, right) => left.upTo - right.upTo)) {
      transcript.append(messages.slice(transcript.length, question.upTo));
      const scored = measures.filter(({ share }) => share(question, new Map(), facts) !== undefined);
      const base = optionsOf(question, transcript.messages);
      if (scored.length > 0) {
        dayAfterCount += question.time === undefined && base.now !== undefined ? 1 : 0;
        const empty = await build([], base, AMPLE, question);
        for (const [index, { recall, triageOf }] of configurations.entries()) {
          const result = results[index];
          const triage = triageOf?.(question, messages);
          const options = { ...base, ...(recall && { recall }), ...(triage && { triage }) };
          if (withRanks && question.evidence.length > 0 && recall?.ranking !== "recency" && triage === undefined) {
            const ranked = (context) => context.kept.map((message) => positions.get(message));
            result.ranks.push(rankMeasuresOf(question, await orderOf(transcript, options, ranked, question)));
          }
          for (const [at, budget] of budgets.entries()) {
            const { kept, spent, isRebuilt } = await keptOf(
              (maxTokens) => timed(result, () => build(transcript, options, maxTokens, question)),
              budget,
              empty.tokens.total,
              positions,
              tokenCounts,
            );
            for (const measure of scored) {
              result.shares[measures.indexOf(measure)][at].push(measure.share(question, kept, facts));
            }
            result.forms[at].push(formOf(kept, messages));
            result.used[at].push(spent / budget);
            result.rebuilt[at] += isRebuilt ? 1 : 0;
          }
        }
      }
      doneCount += 1;
      onProgress(doneCount, questionCount);
    }
    transcript.free();
  }
  if (results.every(({ buildCount }) => buildCount === 0)) {
    throw new Failure("no question has evidence that could be found", 2);
  }
  return { measures, budgets, results, dayAfterCount };
}

/**
 * Returns the messages that a context keeps within the budget. The engine's own count includes the chat format and the
 * request, so its budget is increased by the request's cost. If the kept messages still exceed the budget, it is built
 * again with less.
 */
async function keptOf(build, budget, requestCost, positions, tokenCounts) {
  let maxTokens = budget + requestCost;
  for (let isRebuilt = false; ; isRebuilt = true) {
    const { kept, spent } = keptIn(await build(maxTokens), positions, tokenCounts);
    if (spent <= budget) {
      return { kept, spent, isRebuilt };
    }
    maxTokens -= spent - budget;
  }
}

/** Returns the positions of the ten best-ranked messages. Each additional message admits the next of them. */
async function orderOf(transcript, options, positionsOf, question) {
  const order = new Set();
  for (let items = 1; items <= 10; items += 1) {
    const config = {
      ...options,
      recall: { ...options.recall, recentMessages: 0, maxStandingShare: 0 },
      sections: [
        { id: "history", kind: "history", limit: { items } },
        { id: "request", kind: "request" },
      ],
    };
    for (const position of positionsOf(await build(transcript, config, undefined, question))) {
      order.add(position);
    }
  }
  return [...order];
}

/**
 * Returns the positions of the messages that a context keeps, with the share of their tokens (1, or less for an
 * excerpt), and their total cost, including the marks of excerpts.
 */
function keptIn(context, positions, tokenCounts) {
  const kept = new Map();
  let spent = 0;
  const excerpts = new Map(
    context.messages.filter(({ excerpt }) => excerpt !== undefined).map(({ id, excerpt }) => [id, excerpt.gaps]),
  );
  for (const message of context.kept) {
    const position = positions.get(message);
    const gaps = excerpts.get(message.id) ?? [];
    const leftOut = gaps.reduce((sum, { tokens }) => sum + tokens, 0);
    kept.set(position, Math.max(0, 1 - leftOut / tokenCounts[position]));
    spent += gaps.length === 0 ? tokenCounts[position] : context.explain(position).tokens;
  }
  return { kept, spent };
}

async function timed(result, build) {
  const started = performance.now();
  const context = await build();
  result.milliseconds += performance.now() - started;
  result.buildCount += 1;
  for (const { kind } of context.trace.notes) {
    result.notes.set(kind, (result.notes.get(kind) ?? 0) + 1);
  }
  return context;
}

async function build(transcript, options, maxTokens, question) {
  try {
    return await buildContext(transcript, maxTokens === undefined ? options : { ...options, budget: { maxTokens } });
  } catch (error) {
    throw new Failure(`${question.place}: no context of ${maxTokens} tokens could be built: ${error.message}`);
  }
}

/** Triage is asked about every candidate. */
const TRIAGE = { candidates: "recalled", alwaysIncludeRecent: 0, skipSelectionThreshold: 0, timeoutMs: 3_600_000 };

/** Triage that knows the evidence: the upper bound for any model that is asked about the best-ranked messages. */
export const ORACLE = {
  name: "triage by an oracle (a bound)",
  triageOf: ({ evidence, groups = [], parents = [] }, messages) => {
    const ids = new Set([...evidence, ...groups.flat(), ...parents].map((position) => messages[position].id));
    const select = ({ candidates }) =>
      candidates.filter((candidate) => candidate.messages.some(({ id }) => ids.has(id)));
    return { ...TRIAGE, select };
  },
};

/**
 * Triage that takes the half of the candidates nearest to the request. The candidates are about twice as many as fit.
 */
export function triageByVectors(embed) {
  async function select({ request, candidates, signal }) {
    const [wanted, ...vectors] = await embed([request, ...candidates.map(({ text }) => text.slice(0, 8000))], {
      signal,
    });
    const nearness = vectors.map((vector) => vector.reduce((sum, value, at) => sum + value * wanted[at], 0));
    const order = candidates.map((_, at) => at).sort((one, other) => nearness[other] - nearness[one]);
    return order.slice(0, Math.ceil(order.length / 2)).map((at) => candidates[at]);
  }
  return { name: "triage by vectors (a bound)", triageOf: () => ({ ...TRIAGE, select }) };
}

/**
 * Computes the vectors of all texts in advance, in the form that the package requests. There are thousands, which would
 * exceed a hook's timeout in a measured build.
 */
export async function askForVectors(conversations, embed) {
  for (const { messages, questions } of conversations) {
    await embed(questions.map(({ request }) => request));
    for (const question of questions.slice(0, 1)) {
      const recall = { embed, timeoutMs: 3_600_000 };
      await build(messages, { ...optionsOf(question, messages), recall }, BUDGETS[0], question);
    }
  }
}

/** Returns the config of a question. It is the same for all files. */
function optionsOf({ request, name, time }, messages) {
  const now = time ?? dayAfter(messages);
  return {
    request: { role: "user", content: request, ...(name === undefined ? {} : { name }) },
    ...(now === undefined ? {} : { now }),
  };
}

/** Returns one day after the newest message, if messages have times. Such questions are asked at the end. */
function dayAfter(messages) {
  const newest = messages.reduce(
    (latest, message) => (message.createdAt === undefined ? latest : Math.max(latest, timeOf(message))),
    Number.NEGATIVE_INFINITY,
  );
  return Number.isFinite(newest) ? newest + DAY : undefined;
}

/**
 * Returns the tokens of a message: an exact count of its text with the speaker, and for tools of the calls and results.
 *
 * @param {{ role: string, name?: string, content: string, toolCalls?: readonly object[] }} message
 */
export function tokensOf({ role, name, content, toolCalls }) {
  return countTokens(textOf(), { encoding: ENCODING }).tokens + MESSAGE_OVERHEAD;

  function textOf() {
    if (toolCalls?.length > 0) {
      return content + JSON.stringify(toolCalls);
    }
    return name === undefined || role === "tool" ? content : `${name}: ${content}`;
  }
}
