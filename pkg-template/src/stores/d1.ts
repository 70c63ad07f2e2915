// Sessions in Cloudflare's D1: one database for many sessions, which workers anywhere may use at the same time.

import { publicCall } from "../base/public-call.js";
import type { TranscriptStore } from "./contract.js";
import { Holds } from "./hold.js";
import { Listeners } from "./listeners.js";
import { storeError } from "./log.js";
import { sqlStore } from "./sql.js";
import type { Script, SqlRow, Statement } from "./sql-schema.js";
import { Turns } from "./turns.js";

/** A statement that was prepared. */
export interface D1StatementLike {
  bind(...values: (ArrayBuffer | string | number | null)[]): D1StatementLike;
}

/** The methods of a D1 binding that are used: `D1Database` of Cloudflare's types is one, and so is what its `withSession` gives. */
export interface D1DatabaseLike {
  prepare(query: string): D1StatementLike;
  batch(statements: D1StatementLike[]): Promise<{ results: unknown[] }[]>;
}

const listeners = new WeakMap<object, Listeners>();

/** How often a script is begun where the connection breaks. */
const MOST_BEGINNINGS = 3;

/**
 * A store in a D1 database: `d1Store(env.DB)`. It costs nothing to make: make one for each request, and share none between
 * them. Its tables begin with `windrow_`; others may lie beside them.
 *
 * What other workers, or other stores, trim and remove is not held up by `holding`: a build that reads meanwhile notices it by
 * the `removals` of the log. `subscribe` reports changes made in the same isolate.
 */
export function d1Store(database: D1DatabaseLike): TranscriptStore {
  return publicCall("store_error", "d1Store", () => storeOf(database));
}

function storeOf(database: D1DatabaseLike): TranscriptStore {
  if (typeof database?.batch !== "function") {
    throw storeError(
      "STORE_UNAVAILABLE",
      "no D1 database was passed",
      'Pass the binding, d1Store(env.DB), and name it in "d1_databases" of the configuration of wrangler.',
    );
  }
  const own = listeners.get(database) ?? new Listeners();
  listeners.set(database, own);
  const turns = new Turns();
  const run = <T>(begin: () => Script<T>): Promise<T> => completed(database, begin);
  return sqlStore({
    mayRepeat: true,
    // Of this store alone: a request that is cancelled never ends what it holds, and no other one is to wait for it.
    holds: new Holds(),
    listeners: own,
    read: run,
    write: (sessionKey, begin) => turns.take(sessionKey, () => run(begin)),
  });
}

/** Runs a script to its end; where the connection broke and nobody knows what was done, from its beginning. */
async function completed<T>(database: D1DatabaseLike, begin: () => Script<T>): Promise<T> {
  for (let beginning = 1; ; beginning += 1) {
    try {
      return await answered(begin(), database);
    } catch (failure) {
      if (beginning === MOST_BEGINNINGS || !isTransient(failure)) {
        throw failure;
      }
    }
  }
}

async function answered<T>(script: Script<T>, database: D1DatabaseLike): Promise<T> {
  let step = script.next();
  while (!step.done) {
    let rows: readonly (readonly SqlRow[])[];
    try {
      rows = await ask(database, step.value);
    } catch (failure) {
      step = script.throw(failure);
      continue;
    }
    step = script.next(rows);
  }
  return step.value;
}

async function ask(
  database: D1DatabaseLike,
  statements: readonly Statement[],
): Promise<readonly (readonly SqlRow[])[]> {
  const prepared = statements.map(({ sql, values }) => database.prepare(sql).bind(...values));
  return (await database.batch(prepared)).map(({ results }) => results as SqlRow[]);
}

/** Whether D1 says what it says of failures that pass: the same call may succeed now, or may have been done. */
function isTransient(failure: unknown): boolean {
  return /network connection lost|object to be reset|code was updated|transient|internal error/i.test(String(failure));
}
