// The stores of the edge in Cloudflare's runtime: the SQLite storage of a Durable Object, and D1.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { memoryStore } from "windrow";
import { storeConformance } from "windrow/stores/conformance";
import { runSearchCases } from "../support/search-cases.mjs";

const cache = fileURLToPath(new URL("../../../.cache/", import.meta.url));
const worker = fileURLToPath(new URL("../support/edge-store-worker.mjs", import.meta.url));

/** What both keep beyond the contract, and what each keeps alone; the cases say how. */
const ofBoth = [
  "damaged rows are skipped and reported, count to no limit, and hide nothing",
  "a header that is missing or damaged is made anew from the entries, and told of until a write keeps it",
  "a key that is no text names no session, and the others are listed",
  "tables of a newer version are refused, and nothing of them is changed",
  "tables of every earlier version are brought to the newest, and what else is there stays",
  "a migration is made once, wholly or not at all",
  "every read goes through an index, and costs what it gives and not what the log is",
  "what is larger than a statement's parameter is kept, and what is larger than a row is refused",
  "a full database is said to be full, and what was acknowledged is there",
  "another failure is told with its cause, and the next call works",
  "without a storage there is no store",
];
const hosts = [
  {
    title: "a Durable Object",
    path: "/durable-object",
    // What a case holds, every store on the storage of the object knows.
    conformance: {},
    own: [...ofBoth, "an append resolves when it is durable, and is told of then"],
  },
  {
    title: "D1",
    path: "/d1",
    // What one store holds, others on the same database do not know: its documentation says so.
    conformance: { knowsOthers: false },
    own: [
      ...ofBoth,
      "a write whose answer was lost is made once",
      "what is overtaken does nothing, and is decided anew",
      "an append that others always overtake ends with a conflict",
      "what one store on a database changes, another tells of; what it holds, it alone knows",
    ],
  },
];

/** The names of the cases of the conformance suite, which run in workerd. */
function namesOf(harness) {
  return storeConformance({ ...harness, open: () => assert.fail("nothing runs here") }).map(({ name }) => name);
}

/** A Durable Object, and a D1 database, of its own for every case. */
const places = new Map(
  [...namesOf({}), ...hosts.flatMap(({ own }) => own), "requests", "kept", "held", "searches"].map((name, index) => [
    name,
    `PLACE_${index}`,
  ]),
);

let folder;
let miniflare;

before(async () => {
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, "edge-stores-test-"));
  await build({
    entryPoints: { worker },
    outdir: join(folder, "out"),
    bundle: true,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    // A file of wasm stays a file, and the runtime compiles it.
    loader: { ".wasm": "copy" },
    logLevel: "warning",
  });
  miniflare = start();
});

after(async () => {
  await miniflare?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

function start(options) {
  const files = readdirSync(join(folder, "out")).toSorted((left) => (left === "worker.js" ? -1 : 1));
  return new Miniflare({
    modulesRoot: join(folder, "out"),
    modules: files.map((name) => ({
      type: name.endsWith(".wasm") ? "CompiledWasm" : "ESModule",
      path: join(folder, "out", name),
    })),
    compatibilityDate: "2026-01-01",
    compatibilityFlags: ["nodejs_compat"],
    durableObjects: {
      STORES: { className: "Stores", useSQLite: true },
      WITHOUT_SQLITE: { className: "WithoutSqlite" },
    },
    d1Databases: Object.fromEntries([...places.values()].map((place) => [place, place])),
    durableObjectsPersist: join(folder, "objects"),
    d1Persist: join(folder, "databases"),
    outboundService: () => new Response("no network here", { status: 500 }),
    ...options,
  });
}

function ask(path, place, name, query) {
  const search = new URLSearchParams({ case: name, place: places.get(place), ...query });
  return miniflare.dispatchFetch(`http://worker${path}?${search}`);
}

async function runCase(path, place, name = place, query = {}) {
  const { result, failure, cause } = await (await ask(path, place, name, query)).json();
  assert.equal(failure, undefined, `${failure}\n${cause}`);
  return result;
}

for (const { title, path, conformance, own } of hosts) {
  describe(`the store in ${title} is a store`, { concurrency: 4 }, () => {
    for (const name of namesOf(conformance)) {
      test(name, () => runCase(path, name));
    }
  });

  describe(`the store in ${title}`, () => {
    for (const name of own) {
      test(name, () => runCase(path, name));
    }

    test("8 requests at once append 50 times each: no gap, no duplicate, each in its order", async () => {
      const given = await Promise.all(
        Array.from({ length: 8 }, (_, writer) =>
          runCase(path, "requests", "append for one of several requests", { writer, count: 50 }),
        ),
      );
      const all = given.flat().sort((left, right) => left - right);
      assert.deepEqual(
        all,
        Array.from({ length: 400 }, (_, index) => index + 1),
      );
      const [, { entries }] = JSON.parse(await runCase(path, "requests", "read all"));
      assert.equal(entries.length, 400);
      for (const [writer, seqs] of given.entries()) {
        const found = entries.filter(({ data }) => data.startsWith(`${writer}:`));
        assert.deepEqual(
          found.map(({ seq, data }) => [seq, data]),
          seqs.map((seq, index) => [seq, `${writer}: ${index + 1}`]),
        );
      }
    });

    test("a search finds what it finds in Node", async () => {
      assert.deepEqual(await runCase(path, "searches"), await runSearchCases(memoryStore()));
    });

    test("all is there after the runtime has started anew", async () => {
      await runCase(path, "kept", "write all");
      const before = await runCase(path, "kept", "read all");
      assert.match(before, /\\ud800/);
      await miniflare.dispose();
      miniflare = start();
      assert.equal(await runCase(path, "kept", "read all"), before);
      const again = await runCase(path, "kept", "the operation again");
      assert.deepEqual(again, { firstSeq: 3, lastSeq: 3, isRepeated: true });
      assert.equal(await runCase(path, "kept", "read all"), before);
    });
  });
}

test("a Durable Object without SQLite is refused, with what makes it one", () =>
  runCase("/without-sqlite", "held", "a Durable Object without SQLite is refused, with what makes it one"));

test("a request that is cancelled while it holds a session in D1 holds up no other", async () => {
  await miniflare.dispose();
  miniflare = start({
    // What the runtime says of the request that hangs is expected.
    handleRuntimeStdio: (stdout, stderr) => [stdout, stderr].map((stream) => stream.resume()),
  });
  const cancelled = await ask("/d1", "held", "hold without end");
  assert.equal(cancelled.status, 500);
  assert.match(await cancelled.text(), /hung/);
  assert.deepEqual(await runCase("/d1", "held", "trim what another request holds"), { removedCount: 2 });
});
