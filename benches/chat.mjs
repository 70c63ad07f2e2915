// Generates a chat of any length from a seed, with natural word frequencies: a few words are in every message, most are
// rare, and each conversation repeats its own. Requests ask about an earlier message.

import { Random } from "../tests/package/support/random.mjs";

/** The most frequent words of English, in order: more than half of all text. */
export const FUNCTION_WORDS =
  "the of and to a in is that it was for on you with as i be at have this are not but from they or had by we what there when can an your which their all were if would will one has about up out so them been who more no into do some then could my than like time its now only very just over also after how our well even want because any these give most us way here see look come think know get make go back first where should much before must too own such those down did may still through between while again never".split(
    " ",
  );

/** The number of other words. */
const RARE_WORDS = 5000;
/** The shift in Mandelbrot's form of Zipf's law: a word's frequency is 1 / (rank + shift). */
const RANK_SHIFT = 2.7;
const WORDS = [...FUNCTION_WORDS, ...madeUpWords(RARE_WORDS)];
const SUMS = sums();

/** Returns unique made-up words with English sounds and endings. */
function madeUpWords(count) {
  const random = new Random(11);
  const begin = "b c d f g h l m n p r s t v w st tr pl br cl gr sh ch th".split(" ");
  const middle = "a e i o u ea ou ai".split(" ");
  const end = "n r t l s m d ck nd rt st ll".split(" ");
  const ending = ["", "", "", "", "s", "ed", "ing", "er", "ly", "ation", "ment"];
  const words = new Set();
  while (words.size < count) {
    const syllable = () => random.pick(begin) + random.pick(middle);
    words.add(syllable() + (random.chance(0.6) ? syllable() : "") + random.pick(end) + random.pick(ending));
  }
  return [...words];
}

/** Returns the cumulative frequency up to each word. */
function sums() {
  let sum = 0;
  return Float64Array.from(WORDS, (_, rank) => {
    sum += 1 / (rank + 1 + RANK_SHIFT);
    return sum;
  });
}

function anyWord(random) {
  const wanted = random.fraction() * SUMS[SUMS.length - 1];
  let [first, last] = [0, SUMS.length - 1];
  while (first < last) {
    const middle = (first + last) >> 1;
    if (SUMS[middle] < wanted) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return WORDS[first];
}

function rareWord(random) {
  for (;;) {
    const word = anyWord(random);
    if (!isFunctionWord.has(word)) {
      return word;
    }
  }
}

const isFunctionWord = new Set(FUNCTION_WORDS);

/** A chat between a user and an assistant in many conversations. The same seed yields the same messages. */
export class Chat {
  #random;
  #timeMs = Date.parse("2010-01-04T09:00:00Z");
  #left = 0;
  #topic = [];
  #count = 0;

  constructor(seed) {
    this.#random = new Random(seed);
  }

  /** The time of the newest message, in milliseconds. */
  get timeMs() {
    return this.#timeMs;
  }

  /** Returns the next `count` messages, with an average of 20 words. */
  messages(count) {
    return Array.from({ length: count }, () => this.#next());
  }

  #next() {
    const random = this.#random;
    if (this.#left === 0) {
      // A new conversation, hours later, with its own words.
      this.#left = random.integer(10, 70);
      this.#topic = Array.from({ length: 8 }, () => rareWord(random));
      this.#timeMs += random.integer(1, 8) * 3_600_000;
    }
    this.#left -= 1;
    this.#timeMs += random.integer(2000, 60_000);
    const words = Array.from({ length: random.integer(6, 34) }, () =>
      random.chance(0.08) ? random.pick(this.#topic) : anyWord(random),
    );
    const isUser = this.#count % 2 === 0;
    this.#count += 1;
    const end = isUser && random.chance(0.5) ? "?" : ".";
    const text = words.join(" ");
    return {
      role: isUser ? "user" : "assistant",
      content: `${text[0].toUpperCase()}${text.slice(1)}${end}`,
      createdAt: this.#timeMs,
    };
  }
}

/** Returns `count` different requests, each with three rare words from a message. */
export function requestsFor(messages, count, seed = 5) {
  const random = new Random(seed);
  const requests = new Set();
  while (requests.size < count) {
    const words = random.pick(messages).content.slice(0, -1).toLowerCase().split(" ");
    const rare = [...new Set(words.filter((word) => !isFunctionWord.has(word)))];
    if (rare.length >= 3) {
      const [first, second, third] = rare;
      requests.add(`What did we say about the ${first} and the ${second} when it was ${third}?`);
    }
  }
  return [...requests];
}
