// The page under a drag of the budget: from the pointer's event to the painted frame, at 200 and at 10,000 messages, in Chromium.

import { Failure } from "../scripts/project.mjs";
import { curveDrawn, openVisit, startSite, stopSite, turnsKnown } from "../tests/package/support/page.mjs";
import { Table } from "./table.mjs";

/** The most that the median may take, in milliseconds: a frame where a chat is short, and what feels like none where it is long. */
const LIMITS_MS = { 200: 16, 10000: 50 };
const STEPS = 120;

/** Measures, prints, and fails where the page falls behind the pointer. */
export async function run() {
  await startSite();
  const rows = [];
  try {
    for (const [length, limit] of Object.entries(LIMITS_MS)) {
      const times = await dragTimes(Number(length));
      rows.push({ length: Number(length), limit, median: at(times, 0.5), high: at(times, 0.95), frames: times.length });
    }
  } finally {
    await stopSite();
  }
  const table = new Table("messages", "median, ms", "95 of 100, ms", "limit, ms", "frames");
  for (const { length, median, high, limit, frames } of rows) {
    table.add(length.toLocaleString("en"), median, high, limit, frames);
  }
  console.log(table.text());
  const slow = rows.find(({ median, limit }) => median > limit);
  if (slow !== undefined) {
    throw new Failure(
      `at ${slow.length} messages a drag takes ${slow.median.toFixed(1)} ms to paint; the limit is ${slow.limit} ms`,
    );
  }
}

/** How long each event of a drag took until its frame was painted, sorted. */
async function dragTimes(length) {
  const { page, context } = await openVisit();
  const text = JSON.stringify({ messages: chat(length), request: "When does the harbour ferry leave on Sunday?" });
  await page.setInputFiles("#file", { name: "chat.json", mimeType: "application/json", buffer: Buffer.from(text) });
  await page.waitForFunction(
    (count) => document.getElementById("source").textContent.includes(`${count.toLocaleString("en")} messages`),
    length,
    { timeout: 120_000 },
  );
  // The worker is done: what is measured is the page.
  await turnsKnown(page);
  await curveDrawn(page);
  await page.evaluate(() => {
    globalThis.times = [];
    const { port1, port2 } = new MessageChannel();
    let started;
    // A message that is sent within a frame comes when the frame is painted.
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
  for (let step = 0; step < STEPS; step++) {
    await page.mouse.move(...place(0.5 + 0.3 * Math.sin((step / STEPS) * 2 * Math.PI)));
  }
  await page.mouse.up();
  const times = await page.evaluate(() => globalThis.times);
  await context.close();
  return times.sort((one, other) => one - other);
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

/** A chat whose messages differ in words and in length. */
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
