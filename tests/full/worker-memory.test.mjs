// A Cloudflare isolate has 128 MB. A worker with both core modules and a vocabulary builds contexts of 100,000 messages
// within about half of it. The messages themselves take 24 MB.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startWorker } from "../package/support/worker.mjs";

const COUNT = 100_000;
const MOST_MB = 69;
const BUILDS = 10;

const source = `
/** Memories of the modules, which V8's inspector doesn't count. */
const memories = new Set();
let moduleCount = 0;
const { Instance, instantiate } = WebAssembly;
const noted = (instance) => {
  moduleCount += 1;
  memories.add(instance.exports.memory);
  return instance;
};
WebAssembly.Instance = function (...given) {
  return noted(new Instance(...given));
};
WebAssembly.instantiate = async (...given) => noted(await instantiate(...given));

const messageAt = (index) => ({
  id: "m" + index,
  role: index % 2 === 0 ? "user" : "assistant",
  content: "Message " + index + " speaks of the harbour, its price and what " + (index % 97) + " of us said about the boats",
  createdAt: 1767600000000 + index * 60000,
});
let transcript;

export default {
  async fetch(request) {
    const { buildContext, createTranscript } = await import("windrow");
    const { pathname } = new URL(request.url);
    if (pathname === "/load") {
      transcript = createTranscript(Array.from({ length: ${COUNT} }, (_, index) => messageAt(index)));
      return Response.json(transcript.length);
    }
    if (pathname === "/build") {
      transcript.append([messageAt(transcript.length)]);
      const budget = { maxTokens: 4000 };
      const now = 1800000000000;
      const context = await buildContext(transcript, { encoding: "o200k_base", request: "What did 42 of us say?", budget, now });
      return Response.json({ exact: context.tokens.exact, kept: context.messages.length });
    }
    memories.delete(undefined);
    return Response.json({ moduleCount, bytes: [...memories].map(({ buffer }) => buffer.byteLength) });
  },
};
`;

test(`contexts of ${COUNT} messages take at most ${MOST_MB} MB of an isolate`, async (t) => {
  const worker = await startWorker(source, { inspectorPort: 0 });
  /** Memory of an isolate in MB, without garbage: its heap, its buffers, and the memories of its modules. */
  const usedMb = async () => {
    // V8 collects garbage before it takes a snapshot of the heap.
    await worker.inspect("HeapProfiler.takeHeapSnapshot");
    const { usedSize, backingStorageSize } = await worker.inspect("Runtime.getHeapUsage");
    const { bytes } = await (await worker.ask("/memories")).json();
    return [usedSize, backingStorageSize, ...bytes].reduce((sum, bytes) => sum + bytes, 0) / 1e6;
  };
  try {
    assert.equal(await (await worker.ask("/load")).json(), COUNT);
    const loaded = await usedMb();
    let most = loaded;
    for (let build = 0; build < BUILDS; build++) {
      const { exact, kept } = await (await worker.ask("/build")).json();
      assert.ok(exact && kept > 10, `${kept} messages`);
      most = Math.max(most, await usedMb());
    }
    const { moduleCount, bytes } = await (await worker.ask("/memories")).json();
    assert.equal(moduleCount, 2, "both modules run");
    assert.ok(bytes.length > 0 && bytes.every((it) => it > 1e6), `the modules' memories are known: ${bytes}`);
    t.diagnostic(`${bytes.join(" and ")} bytes of memory of WebAssembly`);
    t.diagnostic(`${Math.round(loaded)} MB with the messages, ${Math.round(most)} MB at most between builds`);
    assert.ok(most < MOST_MB, `${Math.round(loaded)} MB, then ${Math.round(most)} MB at most`);
  } finally {
    await worker.stop();
  }
});
