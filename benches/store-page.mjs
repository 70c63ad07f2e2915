// The page of the bench: stores in IndexedDB, the measurements of sessions, and the number of rows that the database
// returns.

import { indexedDbStore } from "windrow/stores/indexeddb";
import * as sessions from "./sessions.mjs";

/** Runs a function with newly opened stores, like a page that was just opened. Each session has its own database. */
async function withStores(keys, run) {
  const stores = keys.map((key) => indexedDbStore({ name: `bench ${key}` }));
  try {
    return await run(...stores);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
}

/**
 * Counts the rows that the database returns while a function runs: everything that the store reads, even if it returns
 * less.
 */
async function databaseRows(run) {
  let rowCount = 0;
  const restored = [];
  for (const { prototype } of [IDBObjectStore, IDBIndex]) {
    for (const method of ["get", "getAll", "openCursor"]) {
      const original = prototype[method];
      prototype[method] = function (...given) {
        const request = original.apply(this, given);
        request.addEventListener("success", () => {
          const isHeader = this.name === "sessions";
          rowCount +=
            isHeader || request.result == null ? 0 : Array.isArray(request.result) ? request.result.length : 1;
        });
        return request;
      };
      restored.push(() => {
        prototype[method] = original;
      });
    }
  }
  try {
    await run();
  } finally {
    for (const restore of restored) {
      restore();
    }
  }
  return rowCount;
}

globalThis.bench = {
  meanTokens: sessions.meanTokens,
  async warmUp() {
    const started = performance.now();
    await sessions.warmUp();
    return performance.now() - started;
  },
  fill: (key, count) => withStores([key], (store) => sessions.fill(store, key, count)),
  builds: (keys, rounds) =>
    withStores(keys, (...stores) => {
      const places = stores.map((store, index) => [store, keys[index]]);
      return sessions.measureBuilds(places, rounds);
    }),
  opening: (key) => withStores([key], (store) => sessions.measureOpening(store, key)),
  appendCommon: (key, seed, count) => withStores([key], (store) => sessions.appendCommon(store, key, seed, count)),
  calls: (key) =>
    withStores([key], async (store) => {
      let counted;
      const rowCount = await databaseRows(async () => {
        counted = await sessions.countCalls(store, key);
      });
      return { ...counted, rowCount };
    }),
  forgetDerived: (key) => withStores([key], (store) => sessions.forgetDerived(store, key)),
  async appends(durabilities, rounds) {
    const stores = durabilities.map((durability) => indexedDbStore({ name: `bench ${durability}`, durability }));
    const times = await sessions.measureAppends(stores, "appends", rounds);
    await Promise.all(stores.map((store) => store.close()));
    return times;
  },
  exporting: (key) => withStores([key], (store) => sessions.measureExport(store, key)),
  async usage() {
    return (await navigator.storage.estimate()).usage;
  },
};
