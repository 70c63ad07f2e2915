// Times a context built from a plain array that is new to every side, exact to the token, against LangChain's
// `trimMessages` with an exact counter.
//
//   npm run bench -- build [--write FILE]
//
// The budget holds half of the messages, and all sides should keep the same ones. Each side is warm: it has run on a
// small chat, and windrow on a few of the same length. `trimMessages` counts everything again for each message it
// drops, which takes seconds, so it gets few rounds.

import { buildContextSync, countTokens, createTranscript, loadEncoding } from "windrow";
import { Failure, step } from "../scripts/project.mjs";
import { Chat } from "./chat.mjs";
import { importPeer, installPeers, PEERS } from "./peers.mjs";
import { describeRun, optionOf, spreadOf, writeRecord } from "./record.mjs";
import { Table } from "./table.mjs";
import { chatMessages } from "./texts.mjs";

const SIZES = [300, 600];
const WARM_UP_SIZE = 40;
const MESSAGE_BYTES = 400;
const ROUNDS = 15;
const OWN_WARM_UPS = 10;
const GOALS = { 300: { must: 100, reach: 200 }, 600: { must: 250, reach: 500 } };
/** Sizes of a first ranked build, which reads and indexes all messages. */
const RANKED_SIZES = [10_000, 100_000];
const RANKED_ROUNDS = 5;

export async function run(options = []) {
  await step("peers", installPeers);
  const run = describeRun(["@langchain/core", "gpt-tokenizer", "js-tiktoken"]);
  const record = { ...run, figures: [], ranked: undefined };
  await loadEncoding("o200k_base");
  const counters = await countersOfPeers();
  const wrong = [];
  for (const { count } of Object.values(counters)) {
    await trimOnce(await chatOf(WARM_UP_SIZE, 0), count);
  }
  for (const size of SIZES) {
    for (let round = 1; round <= OWN_WARM_UPS; round++) {
      buildOnce(await chatOf(size, 100 * size - round));
    }
    const figure = { what: `${size} messages`, size, sides: {} };
    await step(`${size} messages`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const chat = await chatOf(size, 100 * size + round);
        const own = buildOnce(chat);
        add(figure, "windrow", own.time_ms);
        for (const [name, { count, rounds }] of Object.entries(counters)) {
          if (round < rounds[size]) {
            const { time_ms, kept } = await trimOnce(chat, count);
            add(figure, name, time_ms);
            if (kept !== own.kept) {
              wrong.push(`${size} messages: ${name} keeps others than windrow`);
            }
          }
        }
      }
    });
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

/** Returns the token counters for `trimMessages`, with the number of rounds for each. */
async function countersOfPeers() {
  const { getEncoding } = await importPeer("js-tiktoken");
  const slow = getEncoding("o200k_base");
  return {
    "trimMessages, gpt-tokenizer": { count: await PEERS["gpt-tokenizer"].load(), rounds: { 300: 3, 600: 2 } },
    "trimMessages, js-tiktoken": {
      count: (text) => slow.encode(text, [], []).length,
      rounds: { 300: 1, 600: 1 },
    },
  };
}

/** The tokens of a prompt without messages, and of a message without text. */
const frame = () => countTokens([]).tokens;
const envelope = () => countTokens([{ role: "user", content: "a" }]).tokens - frame() - countTokens("a").tokens;

/** Returns a new chat in the form of both sides, with a budget for half of it. */
async function chatOf(size, seed) {
  const { HumanMessage, AIMessage } = await importPeer("@langchain/core/messages");
  const texts = chatMessages(size, MESSAGE_BYTES, seed);
  const isUser = (index) => index % 2 === 0;
  // About four bytes per token.
  const maxTokens = Math.round((size * MESSAGE_BYTES) / 8);
  return {
    maxTokens,
    messages: texts.map((content, index) => ({ role: isUser(index) ? "user" : "assistant", content })),
    theirs: texts.map((text, index) => (isUser(index) ? new HumanMessage(text) : new AIMessage(text))),
  };
}

/** @param {{ messages: import("windrow").MessageInput[], maxTokens: number }} chat */
function buildOnce({ messages, maxTokens }) {
  /** @satisfies {import("windrow").SyncContextConfig} */
  const config = { encoding: "o200k_base", budget: { maxTokens }, recall: { ranking: "recency" } };
  const started = performance.now();
  const context = buildContextSync(messages, config);
  return { time_ms: performance.now() - started, kept: JSON.stringify(context.messages.map(({ content }) => content)) };
}

async function trimOnce({ theirs, maxTokens }, count) {
  const { trimMessages } = await importPeer("@langchain/core/messages");
  const [own, each] = [frame(), envelope()];
  const tokenCounter = (list) => list.reduce((sum, { content }) => sum + each + count(content), own);
  const started = performance.now();
  const trimmed = await trimMessages(theirs, { maxTokens, strategy: "last", tokenCounter });
  return { time_ms: performance.now() - started, kept: JSON.stringify(trimmed.map(({ content }) => content)) };
}

function add({ sides }, name, time) {
  sides[name] = [...(sides[name] ?? []), time];
}

function print({ figures }) {
  const table = new Table(
    "ms: median (middle half; rounds)",
    ...figures.map(({ what }) => what),
    "times windrow",
    "must, reach",
  );
  const names = new Set(figures.flatMap(({ sides }) => Object.keys(sides)));
  for (const name of names) {
    const cells = figures.map(({ sides }) => {
      const time = sides[name];
      return time ? `${time.median.toFixed(1)} (${time.from.toFixed(1)}–${time.to.toFixed(1)}; ${time.count})` : "";
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

/** Times the first ranked build of a transcript, which reads and indexes all of it. */
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
