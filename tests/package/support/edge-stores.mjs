// Runs the cases of an edge store in Cloudflare's runtime: those of the contract, those that every edge store keeps,
// and its own.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { kCurrentWorker, Miniflare } from "miniflare";
import { memoryStore } from "windrow";
import { storeConformance } from "windrow/stores/conformance";
import { runSearchCases } from "./search-cases.mjs";

const cache = fileURLToPath(new URL("../../../.cache/", import.meta.url));
const worker = fileURLToPath(new URL("./edge-store-worker.mjs", import.meta.url));

/** Promises of every edge store beyond the contract, by the names of their cases. */
const ofEach = [
  "damaged rows are skipped and reported, count toward no limit, and hide nothing",
  "a missing or damaged header is rebuilt from the entries, and reported until a write stores it",
  "a key that isn't a text names no session, and the others are listed",
  "tables of a newer version are refused, and unchanged",
  "tables of every earlier version are upgraded, and other tables stay",
  "a migration runs once, completely or not at all",
  "every read uses an index, and costs as much as its result, not the log",
  "a value larger than a statement's parameter is stored, and one larger than a row is refused",
  "a full database is reported, and acknowledged data is there",
  "any other failure is reported with its cause, and the next call works",
  "a missing storage is refused",
];

/** The names of the cases of the conformance suite, which run in workerd. */
function namesOf(harness) {
  return storeConformance({ ...harness, open: () => assert.fail("nothing runs here") }).map(({ name }) => name);
}

/** A separate Durable Object and D1 database for each case. */
const places = new Map();
addPlaces(["requests", "kept", "held", "searches"]);

function addPlaces(names) {
  for (const name of names) {
    places.set(name, places.get(name) ?? `PLACE_${places.size}`);
  }
}

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
    // A wasm file stays a file, and the runtime compiles it.
    loader: { ".wasm": "copy" },
    logLevel: "warning",
  });
  miniflare = start();
});

after(async () => {
  await miniflare?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** Restarts the runtime with the stored data. */
export async function restart(options) {
  await miniflare.dispose();
  miniflare = start(options);
}

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
    serviceBindings: { SELF: kCurrentWorker },
    d1Databases: Object.fromEntries([...places.values()].map((place) => [place, place])),
    durableObjectsPersist: join(folder, "objects"),
    d1Persist: join(folder, "databases"),
    outboundService: () => new Response("no network here", { status: 500 }),
    ...options,
  });
}

/** The worker's response to a case in a place. */
export function ask(path, place, name, query) {
  const search = new URLSearchParams({ case: name, place: places.get(place), ...query });
  return miniflare.dispatchFetch(`http://worker${path}?${search}`);
}

/**
 * The result of a case. The cases run one after another: the runtime has one thread for all requests, and closes a
 * connection that it doesn't get to read within 15 seconds.
 */
export async function runCase(path, place, name = place, query = {}) {
  const { result, failure, cause } = await (await ask(path, place, name, query)).json();
  assert.equal(failure, undefined, `${failure}\n${cause}`);
  return result;
}

/**
 * Checks a store in the runtime against the contract. `path` is its path in the worker, and `conformance` lists
 * exceptions from the contract.
 */
export function checkContract({ title, path, conformance = {} }) {
  const placeOf = (name) => `${path} ${name}`;
  addPlaces(namesOf(conformance).map(placeOf));

  describe(`the store in ${title} keeps the contract`, () => {
    for (const name of namesOf(conformance)) {
      test(name, () => runCase(path, placeOf(name), name));
    }
  });
}

/**
 * Checks a store in the runtime: the contract, the promises of every edge store, and its own cases. `path` is its path
 * in the worker, and `conformance` lists exceptions from the contract.
 */
export function checkEdgeStore({ title, path, conformance = {}, own }) {
  checkContract({ title, path, conformance });
  addPlaces([...ofEach, ...own]);

  describe(`the store in ${title}`, () => {
    for (const name of [...ofEach, ...own]) {
      test(name, () => runCase(path, name));
    }

    test("8 requests at once append 50 times each: no gap, no duplicate, each in its order", async () => {
      // The worker makes the requests, since the cases run one after another.
      const query = { writers: 8, count: 50 };
      const given = await runCase(path, "requests", "append for one of several requests", query);
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

    test("a search finds the same as in Node", async () => {
      assert.deepEqual(await runCase(path, "searches"), await runSearchCases(memoryStore()));
    });

    test("everything is there after a restart of the runtime", async () => {
      await runCase(path, "kept", "write all");
      const before = await runCase(path, "kept", "read all");
      assert.match(before, /\\ud800/);
      await restart();
      assert.equal(await runCase(path, "kept", "read all"), before);
      const again = await runCase(path, "kept", "the operation again");
      assert.deepEqual(again, { firstSeq: 3, lastSeq: 3, isRepeated: true });
      assert.equal(await runCase(path, "kept", "read all"), before);
    });
  });
}
