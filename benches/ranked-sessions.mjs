// Measures sessions with ranked messages, whose index is stored with them.

import { memoryStore, openSession } from "windrow";
import { Chat, requestsFor } from "./chat.mjs";
import { counting, newCounts } from "./sessions.mjs";
import { median } from "./table.mjs";

const KEY = "chat";
const DAY_MS = 86_400_000;
/** The number of messages per append. */
const BATCH = 10_000;
const ROUNDS = 9;

/**
 * Measures a session of `count` messages in memory. Returns times in milliseconds of its first build, which indexes it,
 * of the first build after reopening, and the median of later builds, each after one exchange. Also returns the number
 * of messages read, and the size of the index in bytes.
 */
export async function measureSession(count) {
  const store = memoryStore();
  const chat = new Chat(1);
  const messages = chat.messages(count);
  const [first, ...requests] = requestsFor(messages, ROUNDS + 1);
  let session = await openSession(KEY, { store });
  for (let begin = 0; begin < count; begin += BATCH) {
    await session.append(messages.slice(begin, begin + BATCH));
  }
  const counts = newCounts();
  const build = async (request) => {
    await session.settled();
    Object.assign(counts, newCounts());
    const started = performance.now();
    await session.build({ request, now: chat.timeMs + DAY_MS, budget: { maxTokens: 4000 } });
    return { milliseconds: performance.now() - started, rowsRead: counts.rowsRead, bytesRead: counts.derivedBytes };
  };
  const indexing = await build(first);
  await session.close();
  session = await openSession(KEY, { store: counting(store, counts) });
  const opening = await build(first);
  const next = [];
  for (const request of requests) {
    await session.append(chat.messages(2));
    next.push(await build(request));
  }
  await session.close();
  const middle = (of) => median(next.map(of));
  return {
    indexing: indexing.milliseconds,
    opening,
    next: { milliseconds: middle((it) => it.milliseconds), rowsRead: middle((it) => it.rowsRead) },
  };
}
