// What is measured of rankings, wherever it runs: Node, Chromium.

import { buildContextSync, createTranscript, loadEncoding } from "windrow";
import { Chat, requestsFor } from "./chat.mjs";
import { median } from "./table.mjs";

/** How many messages are appended at a time. */
const PIECE = 10_000;
const DAY_MS = 86_400_000;
/** How many messages are appended at a time where the cost of one is wanted that no clock resolves. */
const BLOCK = 200;
const APPENDING_ROUNDS = 7;
/** How often a build is repeated of which the best time counts. */
const TRIES = 5;
/** How many characters a text has that fills what is free of the engine's memory, at first and then. */
const FILLINGS = [65_536, 4096];
/** Up to so many messages memory is measured: beyond, there is too much to fill. */
const MOST_FILLED = 100_000;

const clock = () => performance.now();

// The engine is made on first use: its memory is where its instance is made.
let memory;
WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
  construct(target, /** @type {[WebAssembly.Module, WebAssembly.Imports?]} */ given) {
    const instance = new target(...given);
    memory = instance.exports.memory ?? memory;
    return instance;
  },
});

/** How many bytes the engine's memory has. */
export const engineBytes = () => memory.buffer.byteLength;

function build(transcript, ranking, request, now) {
  return buildContextSync(transcript, { request, now, budget: { maxTokens: 4000 }, recall: { ranking } });
}

function timed(run) {
  const started = clock();
  run();
  return clock() - started;
}

/** The best time of so many. */
function least(count, measure) {
  return Math.min(...Array.from({ length: count }, measure));
}

/** The engine is started, the vocabulary loaded and the code compiled: no matter of rankings. */
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

/** A chat in the engine. */
function fill(count) {
  const chat = new Chat(1);
  /** @type {import("windrow").Transcript<import("windrow").MessageInput & { content: string }>} */
  const transcript = createTranscript();
  for (let left = count; left > 0; left -= PIECE) {
    transcript.append(chat.messages(Math.min(left, PIECE)));
  }
  return { chat, transcript };
}

/**
 * Fills what is free of the engine's memory, so that what is needed next makes it larger. Gives what has to be freed
 * afterwards.
 */
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

/** Measures a chat of so many messages with so many requests: times in milliseconds, of the requests their median. */
export function measure(count, rounds) {
  const { chat, transcript } = fill(count);
  const requests = requestsFor(transcript.messages, rounds + 1);
  const first = requests.pop();
  const textBytes = transcript.messages.reduce((sum, { content }) => sum + content.length, 0); // one byte each
  // Every other request goes on in the newest conversation; the others come a day later.
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
    // What else the machine does makes a build slower, never faster.
    const recency = least(TRIES, () => byTime(request, round));
    const relevance = least(TRIES, () => byRelevance(request, round));
    times.recency.push(recency);
    times.relevance.push(relevance);
    times.first.push(firstRelevance - firstRecency);
    times.ranking.push(relevance - recency);
  }

  // What is new costs an append and a build more than the same build without. Of both the best time counts.
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
