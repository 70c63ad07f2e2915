// Sessions in the SQLite storage of a Durable Object. One object per conversation scales beyond one machine.

import { publicCall } from "../base/public-call.js";
import type { TranscriptStore } from "./contract.js";
import { holdsOf } from "./hold.js";
import { Listeners } from "./listeners.js";
import { storeError } from "./log.js";
import { sqlStore, withoutSql } from "./sql.js";
import type { Script, SqlRow, SqlValue, Statement } from "./sql-schema.js";

/** The methods of `ctx.storage` that windrow uses. Cloudflare's `DurableObjectStorage` has them. */
export interface DurableObjectStorageLike {
  readonly sql: {
    exec(
      query: string,
      ...bindings: (ArrayBuffer | string | number | null)[]
    ): { toArray(): Record<string, ArrayBuffer | string | number | null>[] };
  };
  transactionSync<T>(closure: () => T): T;
  /** Resolves when all writes are durable. */
  sync?(): Promise<void>;
}

const listeners = new WeakMap<object, Listeners>();

/**
 * Returns a store in the storage of a Durable Object: `durableObjectStore(this.ctx.storage)`. The object's class must
 * be listed in `new_sqlite_classes`. Its tables begin with `windrow_`; other tables may share the storage.
 */
export function durableObjectStore(storage: DurableObjectStorageLike): TranscriptStore {
  return publicCall("store_error", "durableObjectStore", () => storeOf(storage));
}

function storeOf(storage: DurableObjectStorageLike): TranscriptStore {
  checkStorage(storage);
  const own = listeners.get(storage) ?? new Listeners();
  listeners.set(storage, own);
  const ask = (statements: readonly Statement[]): readonly (readonly SqlRow[])[] =>
    storage.transactionSync(() =>
      statements.map(({ sql, values }) => storage.sql.exec(sql, ...(values as SqlValue[])).toArray()),
    );
  // A script runs in one transaction without an await, so nothing comes between its steps.
  const run = <T>(begin: () => Script<T>): T => storage.transactionSync(() => answered(begin(), ask));
  return sqlStore({
    mayRepeat: false,
    holds: holdsOf(storage),
    listeners: own,
    read: async (begin) => run(begin),
    async write(_sessionKey, begin) {
      const result = run(begin);
      // The platform delays a response until then, but the caller may have other ways to report success.
      await storage.sync?.();
      return result;
    },
  });
}

/** Runs a script: answers its queries, and passes failures back to it. */
function answered<T>(script: Script<T>, ask: (statements: readonly Statement[]) => readonly (readonly SqlRow[])[]): T {
  let step = script.next();
  while (!step.done) {
    let rows: readonly (readonly SqlRow[])[];
    try {
      rows = ask(step.value);
    } catch (failure) {
      step = script.throw(failure);
      continue;
    }
    step = script.next(rows);
  }
  return step.value;
}

function checkStorage(storage: DurableObjectStorageLike | undefined): asserts storage is DurableObjectStorageLike {
  if (typeof storage !== "object" || storage === null) {
    throw storeError(
      "STORE_UNAVAILABLE",
      "expected the storage of a Durable Object",
      "Pass the storage of the object that makes the store: durableObjectStore(this.ctx.storage).",
    );
  }
  let sql: unknown;
  try {
    sql = storage.sql;
  } catch (cause) {
    throw withoutSql(cause);
  }
  if (typeof sql !== "object" || sql === null) {
    throw withoutSql();
  }
}
