// Measures the page while the budget is dragged, at 200 and at 10,000 messages in Chromium: the time from the pointer's
// event to the painted frame, and the main thread's processor time per frame, which is more reliable on a busy machine.

import { Failure } from "../scripts/project.mjs";
import { curveDrawn, openVisit, startSite, stopSite, turnsKnown } from "../tests/package/support/page.mjs";
import { Table } from "./table.mjs";

/**
 * Maximum number of milliseconds for the median: one frame for a short chat, and an imperceptible delay for a long one.
 */
const LIMITS_MS = { 200: 16, 10000: 50 };
const STEPS = 120;

/** Measures, prints, and fails if the page lags the pointer. */
export async function run() {
  await startSite();
  const rows = [];
  try {
    for (const [length, limit] of Object.entries(LIMITS_MS)) {
      const { times, cpu_ms } = await drag(Number(length));
      const [median, high] = [at(times, 0.5), at(times, 0.95)];
      rows.push({ length: Number(length), limit, median, high, cpu_ms, frames: times.length });
    }
  } finally {
    await stopSite();
  }
  const table = new Table("messages", "median, ms", "95 of 100, ms", "limit, ms", "main thread, ms", "frames");
  for (const { length, median, high, limit, cpu_ms, frames } of rows) {
    table.add(length.toLocaleString("en"), median, high, limit, cpu_ms, frames);
  }
  console.log(table.text());
  const slow = rows.find(({ median, limit }) => median > limit);
  if (slow !== undefined) {
    throw new Failure(
      `at ${slow.length} messages a drag takes ${slow.median.toFixed(1)} ms to paint; the limit is ${slow.limit} ms`,
    );
  }
}

/** Returns the sorted times from each event of a drag to its painted frame, and the main thread's cost of a frame. */
async function drag(length) {
  const { page, context } = await openVisit();
  const text = JSON.stringify({ messages: chat(length), request: "When does the harbour ferry leave on Sunday?" });
  await page.setInputFiles("#file", { name: "chat.json", mimeType: "application/json", buffer: Buffer.from(text) });
  await page.waitForFunction(
    (count) => document.getElementById("source").textContent.includes(`${count.toLocaleString("en")} messages`),
    length,
    { timeout: 120_000 },
  );
  // The worker has finished, so only the page is measured.
  await turnsKnown(page);
  await curveDrawn(page);
  await page.evaluate(() => {
    globalThis.times = [];
    const { port1, port2 } = new MessageChannel();
    let started;
    // A message sent within a frame arrives once the frame is painted.
    port1.onmessage = () => globalThis.times.push(performance.now() - started);
    document.getElementById("slider").addEventListener("input", ({ timeStamp }) => {
      started = timeStamp;
      requestAnimationFrame(() => port2.postMessage(""));
    });
  });
  const { x, y, width, height } = await page.locator("#slider").boundingBox();
  const place = (share) => [x + width * share, y + height / 2];
  await page.mouse.move(...place(0.2));
  await page.mouse.down();
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const threadTime = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "ThreadTime").value;
  };
  const before = await threadTime();
  for (let step = 0; step < STEPS; step++) {
    await page.mouse.move(...place(0.5 + 0.3 * Math.sin((step / STEPS) * 2 * Math.PI)));
  }
  const spent_ms = 1000 * ((await threadTime()) - before);
  await page.mouse.up();
  const times = await page.evaluate(() => globalThis.times);
  await context.close();
  return { times: times.sort((one, other) => one - other), cpu_ms: spent_ms / times.length };
}

const at = (sorted, share) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)];

const things = [
  "ferry",
  "harbour",
  "market",
  "garden",
  "bicycle",
  "library",
  "concert",
  "kitchen",
  "invoice",
  "holiday",
];
const verbs = [
  "asked about",
  "found",
  "forgot",
  "moved",
  "paid for",
  "painted",
  "waited for",
  "spoke of",
  "sold",
  "mended",
];

/** Returns a chat whose messages differ in words and length. */
function chat(length) {
  return Array.from({ length }, (_, index) => {
    const pick = (list, factor) => list[(index * factor + Math.floor(index / 7)) % list.length];
    const sentence = `On day ${index} we ${pick(verbs, 3)} the ${pick(things, 7)} and then the ${pick(things, 3)}.`;
    return {
      id: `m${index}`,
      role: index % 2 === 0 ? "user" : "assistant",
      content: Array.from({ length: 1 + (index % 5) }, () => sentence).join(" "),
      createdAt: new Date(Date.UTC(2026, 0, 1) + index * 600_000).toISOString(),
    };
  });
}
