// How good a context is: how much of what answers a question is in it. All measures are shares from 0 to 1, of one question.

import { Random } from "../../tests/package/support/random.mjs";

/**
 * The measures that fit the questions of a file, by what these have:
 *
 * - `groups`: the share of the groups of which at least one message is kept;
 * - `parents`: the share of these that is kept, and that of the evidence (the thread so far);
 * - categories of 1 and more: the share of the evidence that is kept, over the categories 1 to 4; 5 has questions that
 *   suggest something wrong, and stands apart;
 * - none of these: the share of the evidence's tokens that is kept, as evidence may be more than fits.
 *
 * A measure is `{ title, share(question, kept, tokenCounts), isReported(budget), isDetail }`. `kept` is the set of the positions of
 * what is kept, `tokenCounts` what each message costs. `share` is undefined for a question that has nothing to be found. A
 * detail is part of another measure.
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
    const ofCategories = (first, last, ...rest) =>
      measure(
        first === last ? `evidence kept, category ${first}` : `evidence kept, categories ${first}-${last}`,
        ({ category, evidence }, kept) =>
          category >= first && category <= last ? shareOf(evidence, oneOf(kept)) : undefined,
        ...rest,
      );
    const details = [1, 2, 3, 4].map((category) => ofCategories(category, category, never, true));
    return [ofCategories(1, 4, always), ofCategories(5, 5, never), ...details];
  }
  return [
    measure(
      "tokens of the evidence kept",
      ({ evidence }, kept, tokenCounts) => shareOf(evidence, oneOf(kept), (position) => tokenCounts[position]),
      always,
    ),
  ];
}

function measure(title, share, isReported, isDetail = false) {
  return { title, share, isReported, isDetail };
}

const always = () => true;
const never = () => false;
const oneOf = (kept) => (position) => kept.has(position);
const anyOf = (kept) => (group) => group.some((position) => kept.has(position));

function shareOf(wanted, isThere, weightOf = () => 1) {
  const weigh = (elements) => elements.reduce((sum, element) => sum + weightOf(element), 0);
  return wanted.length === 0 ? undefined : weigh(wanted.filter(isThere)) / weigh(wanted);
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const RESAMPLES = 1000;
const SEED = 1;

/**
 * Between which figures the mean lies in 95 of 100 draws of as many values out of these, each of which may be drawn more
 * than once. The draws are the same each time.
 */
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
