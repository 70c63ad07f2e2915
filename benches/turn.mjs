// Times the next turn of a long chat: appending one message and building the context of the next request.
//
// The time includes both, because applications pay for both. The median of one run counts, and the 95th percentile is
// next to it. Sides that are compared run alternately on the same messages.

import { HumanMessage, trimMessages } from "@langchain/core/messages";
import { pruneMessages } from "ai";
import { buildContextSync, createTranscript, loadEncoding, memoryStore, openSession, presets } from "windrow";
import { Failure, step } from "../scripts/project.mjs";
import { Chat } from "./chat.mjs";
import { median, shown, Table } from "./table.mjs";

const SIZES = [1000, 100_000, 1_000_000];
/** The length of the plain array. */
const ARRAY_SIZE = 20_000;
const ROUNDS = 30;
/** Warm-up turns, in which the engine compiles and reads new messages. */
const ROUNDS_BEFORE = 5;
const PIECE = 10_000;
const MAX_TOKENS = 4000;

/** The limits for `recency`: milliseconds at the last size, and the ratio to the first size. */
const MOST_RECENCY_MS = 1;
const MOST_RECENCY_RATIO = 2;
/** The limit for `relevance` at the second size, in milliseconds. */
const MOST_RELEVANCE_MS = 5;
/** The sizes of the sessions, and the limit for a build with a cut in the second, as a multiple of the first. */
const SESSION_SIZES = [1000, 100_000];
const MOST_CUT_RATIO = 3;
/** The limit for a build over the array, as a multiple of `pruneMessages`. */
const MOST_ARRAY_RATIO = 2;

const clock = () => performance.now();

/** Measures, prints, and fails if a figure exceeds its limit. */
export async function run() {
  const wrong = [];
  await loadEncoding("o200k_base");
  await step("transcripts", () => measureTranscripts(wrong));
  await step("sessions", () => measureSessions(wrong));
  await step("a plain array", () => measureArray(wrong));
  if (wrong.length > 0) {
    throw new Failure(`over the limit: ${wrong.join("; ")}`);
  }
}

const BUDGET = { maxTokens: MAX_TOKENS };
const CUT_BUDGET = { ...presets.steady.budget, maxTokens: MAX_TOKENS };
/**
 * The newest messages, the same with a cut, the best by rank, and those quoted after a cut.
 *
 * @satisfies {Record<string, import("windrow").SyncContextConfig>}
 */
const CONFIGS = {
  recency: { recall: { ranking: "recency" }, budget: BUDGET },
  cut: { recall: { ranking: "recency" }, budget: CUT_BUDGET },
  relevance: { recall: { ranking: "relevance" }, budget: BUDGET },
  steady: { ...presets.steady, budget: CUT_BUDGET },
};
const NAMES = Object.keys(CONFIGS);

/** Returns the 95th percentile of some times. */
const late = (times) => times.toSorted((left, right) => left - right)[Math.floor(times.length * 0.95)];

/** Runs each of some turns repeatedly, alternating, and returns the times of each. */
async function timesOf(turns) {
  const times = turns.map(() => []);
  for (let round = -ROUNDS_BEFORE; round < ROUNDS; round++) {
    for (const [index, turn] of turns.entries()) {
      const started = clock();
      await turn();
      if (round >= 0) {
        times[index].push(clock() - started);
      }
    }
  }
  return times;
}

/** Adds a row with the median of each size, and one with the 95th percentile. */
function addTimes(table, name, times) {
  const medians = times.map(median);
  table.add(name, ...medians, (medians.at(-1) / medians[0]).toFixed(2));
  table.add("  95th percentile", ...times.map(late), "");
}

async function measureTranscripts(wrong) {
  const found = Object.fromEntries(NAMES.map((name) => [name, []]));
  for (const size of SIZES) {
    const chat = new Chat(size);
    const transcript = createTranscript();
    for (let count = 0; count < size; count += PIECE) {
      transcript.append(chat.messages(Math.min(PIECE, size - count)));
    }
    const turns = NAMES.map((name) => () => {
      transcript.append(chat.messages(1));
      buildContextSync(transcript, { now: chat.timeMs, ...CONFIGS[name] });
    });
    for (const [index, times] of (await timesOf(turns)).entries()) {
      found[NAMES[index]].push(times);
    }
    transcript.free();
  }
  const sizes = SIZES.map((size) => `${shown(size)} messages`);
  const table = new Table(`a Transcript, ms, budget ${shown(MAX_TOKENS)} tokens`, ...sizes, "ratio");
  for (const name of NAMES) {
    addTimes(table, name, found[name]);
  }
  console.log(`\n${table.text()}\n`);
  const [first, , last] = found.recency.map(median);
  const second = median(found.relevance[1]);
  if (last > MOST_RECENCY_MS) {
    wrong.push(`recency at ${shown(SIZES[2])}: ${shown(last)} ms, most ${MOST_RECENCY_MS}`);
  }
  if (last > MOST_RECENCY_RATIO * first) {
    wrong.push(`recency at ${shown(SIZES[2])}: ${shown(last / first)} times ${shown(SIZES[0])}`);
  }
  if (second > MOST_RELEVANCE_MS) {
    wrong.push(`relevance at ${shown(SIZES[1])}: ${shown(second)} ms, most ${MOST_RELEVANCE_MS}`);
  }
}

/** Measures sessions that were opened again, after everything derived of their logs was stored. */
async function measureSessions(wrong) {
  const found = Object.fromEntries(NAMES.map((name) => [name, []]));
  for (const size of SESSION_SIZES) {
    const store = memoryStore();
    const chat = new Chat(size);
    const filled = await openSession("chat", { store });
    for (let count = 0; count < size; count += PIECE) {
      await filled.append(chat.messages(Math.min(PIECE, size - count)));
    }
    for (const name of NAMES) {
      await filled.build({ now: chat.timeMs, ...CONFIGS[name] });
    }
    await filled.close();
    for (const name of NAMES) {
      const session = await openSession("chat", { store });
      const turn = async () => {
        await session.append(chat.messages(2));
        await session.build({ now: chat.timeMs, ...CONFIGS[name] });
      };
      const [times] = await timesOf([turn]);
      found[name].push(times);
      await session.close();
    }
  }
  const sizes = SESSION_SIZES.map((size) => `${shown(size)} messages`);
  const table = new Table("a session in memory, ms", ...sizes, "ratio");
  for (const name of NAMES) {
    addTimes(table, name, found[name]);
  }
  console.log(`\n${table.text()}\n`);
  const [small, large] = found.cut.map(median);
  if (large > MOST_CUT_RATIO * small) {
    wrong.push(
      `a cut in a session of ${shown(SESSION_SIZES[1])}: ${shown(large / small)} times ${shown(SESSION_SIZES[0])}`,
    );
  }
}

/** The baseline that applications write themselves: the newest messages, counted roughly. */
function newestThatFit(messages) {
  let room = MAX_TOKENS;
  let first = messages.length;
  while (first > 0) {
    room -= Math.ceil(messages[first - 1].content.length / 4) + 4;
    if (room < 0) {
      break;
    }
    first -= 1;
  }
  return messages.slice(first);
}

async function measureArray(wrong) {
  const chat = new Chat(7);
  const first = chat.messages(ARRAY_SIZE).map(({ role, content }) => ({ role, content }));
  // Like an application, each turn makes a new list from the previous one.
  let own = first;
  let ranked = first.map((message) => ({ ...message }));
  /** @type {any[]} */
  let pruned = first;
  let newest = first;
  let langchain = first.map(({ content }) => new HumanMessage(content));
  const next = () => {
    const [{ role, content }] = chat.messages(1);
    return { role, content };
  };
  const countRoughly = (messages) => messages.reduce((sum, { content }) => sum + Math.ceil(content.length / 4) + 4, 0);
  const times = await timesOf([
    () => {
      own = [...own, next()];
      buildContextSync(own, CONFIGS.recency);
    },
    () => {
      ranked = [...ranked, next()];
      buildContextSync(ranked, CONFIGS.relevance);
    },
    () => {
      pruned = [...pruned, next()];
      pruneMessages({ messages: pruned, reasoning: "all", toolCalls: "before-last-2-messages" });
    },
    () => {
      newest = [...newest, next()];
      newestThatFit(newest);
    },
    async () => {
      langchain = [...langchain, new HumanMessage(next().content)];
      await trimMessages(langchain, { maxTokens: MAX_TOKENS, strategy: "last", tokenCounter: countRoughly });
    },
  ]);
  const [recency, relevance, ...others] = times.map(median);
  const [prune] = others;
  const table = new Table(`an array of ${shown(ARRAY_SIZE)} messages`, "ms", "to pruneMessages");
  const add = (name, ms) => table.add(name, ms, ms / prune);
  add("windrow, recency: exact, bounded", recency);
  add("windrow, relevance: exact, bounded", relevance);
  add("AI SDK pruneMessages: no count, no bound", prune);
  add("a loop of your own: a guess at tokens", others[1]);
  add("LangChain trimMessages: a guess at tokens", others[2]);
  console.log(`\n${table.text()}\n`);
  if (recency > MOST_ARRAY_RATIO * prune) {
    wrong.push(`recency over an array: ${shown(recency / prune)} times pruneMessages, most ${MOST_ARRAY_RATIO}`);
  }
}
