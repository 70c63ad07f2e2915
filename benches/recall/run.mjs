// Builds the contexts of all questions through the package, as its users do, and measures them.

import { buildContext, countTokens, createTranscript, loadEncoding } from "windrow";
import { Failure } from "../../scripts/project.mjs";
import { timeOf } from "./file.mjs";
import { formOf, measuresOf, rankMeasuresOf } from "./measures.mjs";

export const BUDGETS = [250, 500, 1000, 2000, 4000, 8000];

/**
 * The default configuration of the package, and the baselines that it is compared with: options of `recall` each, and where a
 * question decides them, `triageOf(question)`.
 */
export const CONFIGURATIONS = [
  { name: "windrow", isOwn: true },
  { name: "recency", recall: { ranking: "recency" } },
  { name: "bm25", recall: { ranking: "bm25" } },
];

/** A message's share of the budget, beside its text. */
const MESSAGE_OVERHEAD = 4;
const ENCODING = "o200k_base";
const DAY = 86_400_000;
/** More than any request costs. */
const AMPLE = 10_000_000;

/**
 * Measures conversations. Gives the measures that fit them, and for each configuration, in its order:
 *
 * - `shares[measure][budget index]`: a share a question that the measure fits, in the order of the questions;
 * - `ranks`: how well the evidence of each question ranks, with no budget at all;
 * - `forms[budget index]`: whether the contexts still read as conversations;
 * - `used[budget index]`: a share of the budget that the context took, a question;
 * - `rebuilt[budget index]`: how many contexts were over the budget as it is counted here, and were built anew;
 * - `notes`: how often the engine noted what, by the kind of the note;
 * - `milliseconds`: how long its builds took together, and `buildCount`, how many there were.
 *
 * `dayAfterCount` is for how many questions the clock was set to one day after the newest message.
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
    // In the order in which they were asked, so that the transcript only grows.
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
 * What a context within the budget keeps. The engine counts its own chat format with the request in it, so it is given the
 * budget and what the request costs; where what it keeps is over the budget nevertheless, it is given less.
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

/** The positions of the ten messages that rank best: with one message more, the next of them is there. */
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
 * The positions of what a context keeps, each with the share of its tokens that is there (1, or less of an excerpt), and what all
 * of it costs: of an excerpt with its marks.
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

/** All that a model is asked about, and nothing that it is not. */
const TRIAGE = { candidates: "recalled", alwaysIncludeRecent: 0, skipSelectionThreshold: 0, timeoutMs: 3_600_000 };

/**
 * Triage by one who knows the evidence: the most that a model can reach which is asked about the messages that rank best, whatever it
 * is.
 */
export const ORACLE = {
  name: "triage by an oracle (a bound)",
  triageOf: ({ evidence, groups = [], parents = [] }, messages) => {
    const ids = new Set([...evidence, ...groups.flat(), ...parents].map((position) => messages[position].id));
    const select = ({ candidates }) =>
      candidates.filter((candidate) => candidate.messages.some(({ id }) => ids.has(id)));
    return { ...TRIAGE, select };
  },
};

/** Triage that takes the half of the candidates which is nearest to the request: they are about twice of what fits. */
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
 * Has a hook make the vectors of all texts, in the form in which the package asks for them: thousands take longer than a hook
 * has in a build that is measured.
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

/** The config of a question: the same for all files. */
function optionsOf({ request, name, time }, messages) {
  const now = time ?? dayAfter(messages);
  return {
    request: { role: "user", content: request, ...(name === undefined ? {} : { name }) },
    ...(now === undefined ? {} : { now }),
  };
}

/** One day after the newest message, where messages have times: such questions are asked when all is over. */
function dayAfter(messages) {
  const newest = messages.reduce(
    (latest, message) => (message.createdAt === undefined ? latest : Math.max(latest, timeOf(message))),
    Number.NEGATIVE_INFINITY,
  );
  return Number.isFinite(newest) ? newest + DAY : undefined;
}

/**
 * What a message takes of the budget: exact tokens of its text with who says it, and for tools of the calls and of what they
 * gave.
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
