// Measures the quality of a context: how much of the evidence for a question it contains. All measures are shares from
// 0 to 1, for one question.

import { Random } from "../../tests/package/support/random.mjs";

/**
 * Returns the measures for the questions of a file, depending on their fields:
 *
 * - `groups`: the share of the groups with at least one message kept;
 * - `parents`: the share of these that is kept, and the share of the evidence (the thread so far);
 * - categories from 1 on: the share of the evidence that is kept, over the categories 1 to 4. Category 5 is separate,
 *   because its questions are of another kind (in LoCoMo they suggest something wrong; in BEAM they need facts that
 *   nobody asked for). If an assistant takes part, also the share of the tokens of the assistant's own evidence;
 * - none of these: the share of the evidence's tokens that is kept, because evidence may not all fit.
 *
 * A measure is `{ title, share(question, kept, facts), isReported(budget), isDetail }`. `kept` maps the kept positions
 * to the share of their tokens that is included: 1, or less for an excerpt. `facts` has `tokenCounts`, the cost of each
 * message, and `messages`. `share` is undefined for a question without anything to find. A detail is part of another
 * measure.
 */
export function measuresOf(conversations) {
  const questions = conversations.flatMap((conversation) => conversation.questions);
  if (questions.some(({ groups }) => groups !== undefined)) {
    return [measure("groups with a message kept", ({ groups }, kept) => shareOf(groups ?? [], anyOf(kept)), always)];
  }
  if (questions.some(({ parents }) => parents !== undefined)) {
    return [
      measure(
        "parents kept",
        ({ parents }, kept) => shareOf(parents ?? [], oneOf(kept)),
        (budget) => budget < 1000,
      ),
      measure(
        "thread kept",
        ({ evidence }, kept) => shareOf(evidence, oneOf(kept)),
        (budget) => budget >= 1000,
      ),
    ];
  }
  if (questions.some(({ category }) => category >= 1)) {
    const ofCategories = (first, last, isReported, isDetail = false) =>
      measure(
        first === last ? `evidence kept, category ${first}` : `evidence kept, categories ${first}-${last}`,
        ({ category, evidence }, kept) =>
          category >= first && category <= last ? shareOf(evidence, oneOf(kept)) : undefined,
        isReported,
        isDetail,
      );
    const details = [1, 2, 3, 4].map((category) => ofCategories(category, category, never, true));
    const ofAssistant = measure(
      "tokens of the assistant's evidence kept, categories 1-5",
      ({ category, evidence }, kept, { tokenCounts, messages }) =>
        category >= 1 && category <= 5
          ? shareOf(evidence.filter(isByAssistant(messages)), oneOf(kept), (position) => tokenCounts[position])
          : undefined,
      never,
    );
    return [ofCategories(1, 4, always), ofCategories(5, 5, never), ofAssistant, ...details];
  }
  return [
    measure(
      "tokens of the evidence kept",
      ({ evidence }, kept, { tokenCounts }) => shareOf(evidence, oneOf(kept), (position) => tokenCounts[position]),
      always,
    ),
  ];
}

function measure(title, share, isReported, isDetail = false) {
  return { title, share, isReported, isDetail };
}

/** @typedef {(budget: number) => boolean} IsReported */
/** @type {IsReported} */
const always = () => true;
/** @type {IsReported} */
const never = () => false;
const oneOf = (kept) => (position) => kept.get(position) ?? 0;
const anyOf = (kept) => (group) => (group.some((position) => kept.has(position)) ? 1 : 0);

/**
 * The role alone doesn't identify an assistant: in files of two people, one of them has it too, and both have names.
 */
const isByAssistant = (messages) => (position) =>
  messages[position].role === "assistant" && messages[position].name === undefined;

/**
 * @param {any[]} wanted
 * @param {(element: any) => number} thereOf
 * @param {(element: any) => number} [weightOf]
 */
function shareOf(wanted, thereOf, weightOf = () => 1) {
  const sum = (of) => wanted.reduce((all, element) => all + of(element), 0);
  return wanted.length === 0 ? undefined : sum((element) => thereOf(element) * weightOf(element)) / sum(weightOf);
}

/**
 * Measures how well the evidence of a question ranks: `R@5` and `R@10` are the share of it among the best 5 and 10, and
 * `NDCG@10` also weighs their ranks (Järvelin and Kekäläinen, 2002). `order` has the positions of the best.
 */
export function rankMeasuresOf({ evidence }, order) {
  const recallAt = (count) =>
    evidence.filter((position) => order.slice(0, count).includes(position)).length / evidence.length;
  const gain = (place) => 1 / Math.log2(place + 2);
  const sum = (values) => values.reduce((all, value) => all + value, 0);
  const gained = sum(order.slice(0, 10).map((position, place) => (evidence.includes(position) ? gain(place) : 0)));
  const best = sum(evidence.slice(0, 10).map((_, place) => gain(place)));
  return { "R@5": recallAt(5), "R@10": recallAt(10), "NDCG@10": gained / best };
}

/**
 * Checks whether kept messages still read as a conversation: the number of an assistant's replies, and of those whose
 * user message is kept too; the number of a user's messages that were answered, and of those whose answer is kept too,
 * at least in part; the number of consecutive messages of one role, in `runCount` runs; and the number of different
 * texts, not counting their digits.
 */
export function formOf(kept, messages) {
  const positions = [...kept.keys()].sort((left, right) => left - right);
  const replies = positions.filter((position) => messages[position].role === "assistant");
  const answered = (reply) => {
    const before = messages.slice(0, reply).findLastIndex(({ role }) => role === "user");
    return before < 0 || kept.has(before);
  };
  const repliesTo = (question) => {
    const next = messages.findIndex(({ role }, position) => position > question && role === "user");
    const turn = [...messages.keys()].slice(question + 1, next < 0 ? undefined : next);
    return turn.filter((position) => messages[position].role === "assistant");
  };
  const questions = positions.filter(
    (position) => messages[position].role === "user" && repliesTo(position).length > 0,
  );
  const runs = positions.filter((position, at) => messages[positions[at - 1]]?.role !== messages[position].role);
  const texts = positions.map((position) =>
    JSON.stringify(messages[position].content ?? null).replaceAll(/\d+/gu, "0"),
  );
  return {
    replyCount: replies.length,
    answeredCount: replies.filter(answered).length,
    questionCount: questions.length,
    repliedCount: questions.filter((question) => repliesTo(question).some((reply) => kept.has(reply))).length,
    textCount: new Set(texts).size,
    messageCount: positions.length,
    runCount: runs.length,
  };
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const RESAMPLES = 1000;
const SEED = 1;

/** Returns the 95% bootstrap interval of a mean. The draws are the same each time. */
export function intervalOf(values) {
  const random = new Random(SEED);
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let drawn = 0; drawn < values.length; drawn += 1) {
      sum += values[Math.floor(random.fraction() * values.length)];
    }
    return sum / values.length;
  }).sort((left, right) => left - right);
  return [means[Math.floor(RESAMPLES * 0.025)], means[Math.ceil(RESAMPLES * 0.975) - 1]];
}
