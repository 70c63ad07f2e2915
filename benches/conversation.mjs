// Generates a typical conversation with an assistant from a seed: questions, answers, and an occasional tool call.

import { Random } from "../tests/package/support/random.mjs";

const WORDS =
  "the of and to in is that for it as was with be by on not this are or from at which but have an had they you were their one all we can her has there been if more when will would who so no out up into than them time some could these two may then do first any my now such like our over me even most made after also did many before must through years where much your way well down should because each just those people how too little state good very make world still own see men work long get here between both life being under never day same another know while last might us great old year off come since against go came right used take three states himself few house use during without again place around however home small found thought went say part once general high upon school every does got united left number course war until always away something fact water though less public put think almost hand enough far took head yet government system better set told nothing night end why called eyes find going look asked later point knew next city business give group toward young days let room word within side let program national present order often second face large things want among whatever members possible best become important church early power development human local social across information market several university field office report budget meeting invoice train platform Thursday workshop venue deadline quarter customer contract estimate proposal reply attachment calendar".split(
    " ",
  );

const TOOLS = ["search_files", "read_calendar", "find_invoice", "list_tasks"];

function sentence(random, words) {
  const text = Array.from({ length: words }, () => random.pick(WORDS)).join(" ");
  return `${text[0].toUpperCase()}${text.slice(1)}${random.pick([".", ".", ".", "?", ":", ", 14:30.", " (42 %)."])}`;
}

/** Returns a text of `words` words in sentences. A long text has paragraphs. */
function text(random, words) {
  const sentences = [];
  for (let left = words; left > 0; ) {
    const length = Math.min(left, random.integer(6, 18));
    sentences.push(sentence(random, length), sentences.length % 4 === 3 ? "\n\n" : " ");
    left -= length;
  }
  return sentences.join("").trim();
}

/** A conversation of any length. The same seed yields the same messages. */
export class Conversation {
  #random;
  #timeMs;
  #callCount = 0;

  constructor(seed, startMs) {
    this.#random = new Random(seed);
    this.#timeMs = startMs;
  }

  /** Returns the first two messages of a session. */
  beginning() {
    const instructions = `You help a small team with its plans. ${text(this.#random, 90)}`;
    return [this.#message("system", instructions), this.#message("assistant", "Hello! What can I do for you today?")];
  }

  /** Returns a question and its answer: two messages, or four with a tool call. */
  exchange({ withTool = this.#random.chance(0.08) } = {}) {
    const random = this.#random;
    const question = this.#message("user", text(random, random.integer(6, 50)));
    const answer = () => this.#message("assistant", text(random, random.integer(30, 110)));
    if (!withTool) {
      return [question, answer()];
    }
    this.#callCount += 1;
    const id = `call_${this.#callCount}`;
    const call = { id, name: random.pick(TOOLS), arguments: { query: text(random, 4), limit: random.integer(1, 20) } };
    const found = Array.from({ length: random.integer(1, 6) }, (_, index) => ({ id: index, title: text(random, 5) }));
    return [
      question,
      { ...this.#message("assistant", ""), toolCalls: [call] },
      { ...this.#message("tool", JSON.stringify(found)), toolCallId: id },
      answer(),
    ];
  }

  /** Returns `count` messages, an even number, in whole exchanges. */
  messages(count) {
    const messages = [];
    while (messages.length < count) {
      messages.push(...this.exchange(count - messages.length < 4 ? { withTool: false } : {}));
    }
    return messages;
  }

  #message(role, content) {
    this.#timeMs += this.#random.integer(2000, 60_000);
    return { role, content, createdAt: new Date(this.#timeMs).toISOString() };
  }
}
