// A context over a plain array that no side has seen, exact to the token, beside LangChain's `trimMessages` with an exact counter.
//
//   npm run bench -- build [--write FILE]
//
// The budget holds half of the messages. Both sides are to keep the same ones.

import { buildContextSync, countTokens, createTranscript, loadEncoding } from "windrow";
import { Failure, step } from "../scripts/project.mjs";
import { Chat } from "./chat.mjs";
import { importPeer, installPeers, PEERS } from "./peers.mjs";
import { describeRun, optionOf, spreadOf, writeRecord } from "./record.mjs";
import { Table } from "./table.mjs";
import { chatMessages } from "./texts.mjs";

const SIZES = [300, 600];
const MESSAGE_BYTES = 400;
const ROUNDS = 5;
const GOALS = { 300: { must: 100, reach: 200 }, 600: { must: 250, reach: 500 } };
/** Messages that are ranked for a request in a first build, which reads and indexes them all. */
const RANKED_SIZES = [10_000, 100_000];
const RANKED_ROUNDS = 3;

export async function run(options = []) {
  await step("peers", installPeers);
  const record = { ...describeRun(["@langchain/core", "gpt-tokenizer", "js-tiktoken"]), figures: [] };
  await loadEncoding("o200k_base");
  const { HumanMessage, AIMessage, trimMessages } = await importPeer("@langchain/core/messages");
  const { getEncoding } = await importPeer("js-tiktoken");
  const slow = getEncoding("o200k_base");
  const counters = {
    "trimMessages, gpt-tokenizer": { count: await PEERS["gpt-tokenizer"].load(), rounds: ROUNDS },
    // It takes seconds: once, and over the smaller chat alone.
    "trimMessages, js-tiktoken": { count: (text) => slow.encode(text, [], []).length, rounds: 1, most: SIZES[0] },
  };
  const frame = countTokens([]).tokens;
  const each = countTokens([{ role: "user", content: "a" }]).tokens - frame - countTokens("a").tokens;
  const wrong = [];
  for (const size of SIZES) {
    const figure = { what: `${size} messages`, size, sides: {} };
    for (let round = 0; round < ROUNDS; round++) {
      const texts = chatMessages(size, MESSAGE_BYTES, 100 * size + round);
      const roleOf = (index) => (index % 2 === 0 ? "user" : "assistant");
      const all = texts.reduce((sum, text) => sum + each + countTokens(text).tokens, frame);
      const maxTokens = Math.round(all / 2);
      const messages = texts.map((content, index) => ({ role: roleOf(index), content }));
      const config = { encoding: "o200k_base", budget: { maxTokens }, recall: { ranking: "recency" } };
      let started = performance.now();
      const kept = buildContextSync(messages, config).messages.length;
      add(figure, "windrow", performance.now() - started);
      for (const [name, { count, rounds, most = size }] of Object.entries(counters)) {
        if (round >= rounds || size > most) {
          continue;
        }
        const theirs = texts.map((text, index) =>
          roleOf(index) === "user" ? new HumanMessage(text) : new AIMessage(text),
        );
        const tokenCounter = (list) => list.reduce((sum, { content }) => sum + each + count(content), frame);
        started = performance.now();
        const trimmed = await trimMessages(theirs, { maxTokens, strategy: "last", tokenCounter });
        add(figure, name, performance.now() - started);
        if (trimmed.length !== kept) {
          wrong.push(`${size} messages: ${name} keeps ${trimmed.length}, windrow ${kept}`);
        }
      }
    }
    for (const [name, times] of Object.entries(figure.sides)) {
      figure.sides[name] = spreadOf(times);
    }
    record.figures.push(figure);
  }
  print(record);
  record.ranked = measureRanked();
  writeRecord("build", record, optionOf(options, "write"));
  if (wrong.length > 0) {
    throw new Failure(wrong.join("; "));
  }
}

function add({ sides }, name, time) {
  sides[name] = [...(sides[name] ?? []), time];
}

function print({ figures }) {
  const table = new Table(
    "ms: median (middle half)",
    ...figures.map(({ what }) => what),
    "times windrow",
    "must, reach",
  );
  const names = new Set(figures.flatMap(({ sides }) => Object.keys(sides)));
  for (const name of names) {
    const cells = figures.map(({ sides }) => {
      const time = sides[name];
      return time ? `${time.median.toFixed(1)} (${time.from.toFixed(1)}–${time.to.toFixed(1)})` : "";
    });
    const ratios = figures.map(({ sides }) =>
      sides[name] ? (sides[name].median / sides.windrow.median).toFixed(0) : "",
    );
    const goals = figures.map(({ size }) => `${GOALS[size].must}, ${GOALS[size].reach}`);
    table.add(
      name,
      ...cells,
      ratios.filter(Boolean).join(" / "),
      name.endsWith("gpt-tokenizer") ? goals.join(" / ") : "",
    );
  }
  console.log(`\n${table.text()}\n`);
}

/** The first ranked build of a transcript: all of it is read and indexed. */
function measureRanked() {
  const figures = [];
  const table = new Table("the first ranked build", "ms: median (best)");
  for (const size of RANKED_SIZES) {
    const times = [];
    for (let round = 0; round < RANKED_ROUNDS; round++) {
      const chat = new Chat(size + round);
      const transcript = createTranscript();
      transcript.append(chat.messages(size));
      const started = performance.now();
      buildContextSync(transcript, {
        now: chat.timeMs,
        budget: { maxTokens: 4000 },
        recall: { ranking: "relevance" },
      });
      times.push(performance.now() - started);
      transcript.free();
    }
    const time = spreadOf(times);
    figures.push({ size, time });
    table.add(`${size.toLocaleString("en")} messages`, `${time.median.toFixed(0)} (${time.best.toFixed(0)})`);
  }
  console.log(`${table.text()}\n`);
  return figures;
}
