// Measures rankings, in Node and in Chromium.

import { buildContextSync, createTranscript, loadEncoding } from "windrow";
import { Chat, requestsFor } from "./chat.mjs";
import { median } from "./table.mjs";

/** The number of messages per append. */
const PIECE = 10_000;
const DAY_MS = 86_400_000;
/** The number of messages per append for measuring the cost of one, which is too short for any clock. */
const BLOCK = 200;
const APPENDING_ROUNDS = 7;
/** The number of builds per measurement. The best time counts. */
const TRIES = 5;
/** The lengths of texts that fill the engine's free memory, in characters: first and then. */
const FILLINGS = [65_536, 4096];
/** Maximum number of messages for measuring memory. With more, there is too much to fill. */
const MOST_FILLED = 100_000;

const clock = () => performance.now();

// The engine is created on first use. Its memory becomes known when its instance is created.
let memory;
WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
  construct(target, /** @type {[WebAssembly.Module, WebAssembly.Imports?]} */ given) {
    const instance = new target(...given);
    memory = instance.exports.memory ?? memory;
    return instance;
  },
});

/** Returns the size of the engine's memory in bytes. */
export const engineBytes = () => memory.buffer.byteLength;

function build(transcript, ranking, request, now) {
  return buildContextSync(transcript, { request, now, budget: { maxTokens: 4000 }, recall: { ranking } });
}

function timed(run) {
  const started = clock();
  run();
  return clock() - started;
}

/** Returns the best of `count` times. */
function least(count, measure) {
  return Math.min(...Array.from({ length: count }, measure));
}

/** Starts the engine, loads the vocabulary and compiles the code, so that rankings don't include it. */
export async function warmUp() {
  await loadEncoding("o200k_base");
  const chat = new Chat(3);
  const transcript = createTranscript(chat.messages(2000));
  for (const request of requestsFor(transcript.messages, 60)) {
    build(transcript, "recency", request, chat.timeMs + DAY_MS);
    build(transcript, "relevance", request, chat.timeMs + DAY_MS);
  }
  transcript.free();
}

/** Creates a chat in the engine. */
function fill(count) {
  const chat = new Chat(1);
  /** @type {import("windrow").Transcript<import("windrow").MessageInput & { content: string }>} */
  const transcript = createTranscript();
  for (let left = count; left > 0; left -= PIECE) {
    transcript.append(chat.messages(Math.min(left, PIECE)));
  }
  return { chat, transcript };
}

/** Fills the engine's free memory, so that any further need makes it grow. Returns objects to free afterwards. */
function fillFreeMemory() {
  const fillings = [];
  for (const length of FILLINGS) {
    const content = "a".repeat(length);
    for (const before = engineBytes(); engineBytes() === before; ) {
      fillings.push(createTranscript([{ role: "user", content }]));
    }
  }
  return fillings;
}

/**
 * Measures a chat of `count` messages with `rounds` requests. Returns times in milliseconds, with the median of the
 * requests.
 */
export function measure(count, rounds) {
  const { chat, transcript } = fill(count);
  const requests = requestsFor(transcript.messages, rounds + 1);
  const first = requests.pop();
  const textBytes = transcript.messages.reduce((sum, { content }) => sum + content.length, 0); // one byte per character
  // Every other request continues the newest conversation. The others come a day later.
  const timeOf = (round) => chat.timeMs + (round % 2 === 0 ? 60_000 : DAY_MS);
  const byTime = (request, round) => timed(() => build(transcript, "recency", request, timeOf(round)));
  const byRelevance = (request, round) => timed(() => build(transcript, "relevance", request, timeOf(round)));

  byTime(first, 1);
  const isFilled = count <= MOST_FILLED;
  const fillings = isFilled ? fillFreeMemory() : [];
  const before = engineBytes();
  const indexing = byRelevance(first, 1) - byRelevance(first, 1);
  const growth = isFilled ? engineBytes() - before : undefined;
  for (const filling of fillings) {
    filling.free();
  }

  const times = { recency: [], relevance: [], first: [], ranking: [] };
  for (const [round, request] of requests.entries()) {
    const firstRecency = byTime(request, round);
    const firstRelevance = byRelevance(request, round);
    // Other work on the machine makes a build slower, never faster.
    const recency = least(TRIES, () => byTime(request, round));
    const relevance = least(TRIES, () => byRelevance(request, round));
    times.recency.push(recency);
    times.relevance.push(relevance);
    times.first.push(firstRelevance - firstRecency);
    times.ranking.push(relevance - recency);
  }

  // The cost of new messages is the time of an append and a build, minus that of a build without new messages. The best
  // time of each counts.
  const plain = () => byRelevance(first, 1);
  const added = () => timed(() => transcript.append(chat.messages(BLOCK))) + plain();
  const block = (least(APPENDING_ROUNDS, added) - least(APPENDING_ROUNDS, plain)) / BLOCK;
  transcript.free();
  return {
    indexing,
    recency: median(times.recency),
    relevance: median(times.relevance),
    first: median(times.first),
    ranking: median(times.ranking),
    mostRanking: Math.max(...times.ranking),
    block,
    textBytes,
    growth,
  };
}
