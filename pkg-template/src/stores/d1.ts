// Sessions in Cloudflare's D1: one database for many sessions, shared by workers anywhere.

import { publicCall } from "../base/public-call.js";
import type { TranscriptStore } from "./contract.js";
import { Holds } from "./hold.js";
import { Listeners } from "./listeners.js";
import { storeError } from "./log.js";
import { sqlStore } from "./sql.js";
import type { Script, SqlRow, Statement } from "./sql-schema.js";
import { Turns } from "./turns.js";

/** A prepared statement. */
export interface D1StatementLike {
  bind(...values: (ArrayBuffer | string | number | null)[]): D1StatementLike;
}

/**
 * The methods of a D1 binding that windrow uses. Cloudflare's `D1Database` has them, and so does the result of its
 * `withSession`.
 */
export interface D1DatabaseLike {
  prepare(query: string): D1StatementLike;
  batch(statements: D1StatementLike[]): Promise<{ results: unknown[] }[]>;
}

const listeners = new WeakMap<object, Listeners>();

/** How often a script is tried when the connection breaks. */
const MOST_BEGINNINGS = 3;

/**
 * Returns a store in a D1 database: `d1Store(env.DB)`. It costs nothing to create. Create one per request and don't
 * share it. Its tables begin with `windrow_`; other tables may share the database.
 *
 * `holding` doesn't delay trims and removals of other workers or stores. A build that reads meanwhile notices them by
 * the log's `removals`. `subscribe` reports changes made in the same isolate.
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
    // Not shared with other stores: a cancelled request never releases its holds, and no other request should wait for
    // it.
    holds: new Holds(),
    listeners: own,
    read: run,
    write: (sessionKey, begin) => turns.take(sessionKey, () => run(begin)),
  });
}

/** Runs a script to its end. If the connection breaks and the outcome is unknown, starts it again. */
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

/** True if D1 reports a transient failure. Then the same call may succeed now, or may already have succeeded. */
function isTransient(failure: unknown): boolean {
  return /network connection lost|object to be reset|code was updated|transient|internal error/i.test(String(failure));
}
