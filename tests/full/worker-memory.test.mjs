// An isolate of Cloudflare's has 128 MB. A worker with both modules of the core and a vocabulary builds contexts of 100,000 messages in it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { startWorker } from "../package/support/worker.mjs";

const COUNT = 100_000;
const MOST_MB = 128;

const source = `
import { buildContext, createTranscript } from "windrow";

let transcript;
const messageAt = (index) => ({
  id: "m" + index,
  role: index % 2 === 0 ? "user" : "assistant",
  content: "Message " + index + " speaks of the harbour, its price and what " + (index % 97) + " of us said about the boats",
  createdAt: 1767600000000 + index * 60000,
});

export default {
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/empty") {
      return Response.json(0);
    }
    if (pathname === "/load") {
      transcript = createTranscript(Array.from({ length: ${COUNT} }, (_, index) => messageAt(index)));
      return Response.json(transcript.length);
    }
    transcript.append([messageAt(transcript.length)]);
    const config = { encoding: "o200k_base", request: "What did 42 of us say about the boats?", budget: { maxTokens: 4000 }, now: 1800000000000 };
    const context = await buildContext(transcript, config);
    return Response.json({ exact: context.tokens.exact, kept: context.messages.length });
  },
};
`;

/** The most memory that the runtime's process has had, in MB. */
function peakOf(pid) {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

/** The processes of the runtime that this process started. */
function runtimes() {
  const lines = execFileSync("ps", ["-o", "pid=,comm=", "--ppid", String(process.pid)], { encoding: "utf8" });
  return lines
    .split("\n")
    .flatMap((line) => (/^\s*(\d+)\s+workerd/.exec(line)?.[1] ? [Number.parseInt(line, 10)] : []));
}

test(`contexts of ${COUNT} messages fit into the ${MOST_MB} MB of an isolate`, {
  skip: process.platform !== "linux",
}, async (t) => {
  const worker = await startWorker(source);
  try {
    assert.equal((await worker.ask("/empty")).status, 200);
    const [pid] = runtimes();
    const empty = peakOf(pid);
    assert.equal(await (await worker.ask("/load")).json(), COUNT);
    const loaded = peakOf(pid);
    for (let build = 0; build < 5; build++) {
      const { exact, kept } = await (await worker.ask("/build")).json();
      assert.ok(exact && kept > 10, `${kept} messages`);
    }
    const used = peakOf(pid) - empty;
    t.diagnostic(`${Math.round(loaded - empty)} MB with the messages, ${Math.round(used)} MB after building`);
    assert.ok(used < MOST_MB, `${Math.round(used)} MB`);
  } finally {
    await worker.stop();
  }
});
