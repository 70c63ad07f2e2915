// How a database of sessions is laid out, and how an older one becomes it.

import type { DBSchema, IDBPDatabase, IDBPTransaction } from "idb";
import type { Entry, LogName, SessionInfo } from "./contract.js";

/** An entry as it lies in the database, with what only the database needs. Something else may have written other things there. */
export interface EntryRow extends Entry {
  readonly session: string;
  readonly log: LogName;
  /** Its own `seq` where it is pinned: a boolean is no key, and a row without one takes no room in the index. */
  readonly pinnedSeq?: number;
  /** On the first row of an append: which try wrote it, so that one whose end was not seen is not made twice. */
  readonly attempt?: string;
  /** The first and the last `seq` of its operation, as they were when it was made. */
  readonly span?: readonly [number, number];
  /** Never written: that the browser has lost it, in words. */
  readonly lost?: string;
}

/** A derived value as it lies in the database. */
export interface DerivedRow {
  readonly session: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The database in its newest form. */
export interface DatabaseSchema extends DBSchema {
  sessions: { key: string; value: SessionInfo };
  entries: {
    key: IDBValidKey[];
    value: EntryRow;
    indexes: { byId: IDBValidKey[]; byOperation: IDBValidKey[]; byType: IDBValidKey[]; byPin: IDBValidKey[] };
  };
  derived: { key: IDBValidKey[]; value: DerivedRow };
}

export type StoreName = "sessions" | "entries" | "derived";
export type Database = IDBPDatabase<DatabaseSchema>;
type Upgrade = IDBPTransaction<DatabaseSchema, StoreName[], "versionchange">;

/**
 * What each version changed: a database of version n has gone through the first n. One that was published is never edited,
 * only followed by another.
 */
export const MIGRATIONS: readonly ((database: Database, transaction: Upgrade) => void | Promise<void>)[] = [
  (database) => {
    database.createObjectStore("sessions", { keyPath: "key" });
    database.createObjectStore("entries", { keyPath: ["session", "log", "seq"] });
  },
  (database) => {
    database.createObjectStore("derived", { keyPath: ["session", "name"] });
  },
  async (_, transaction) => {
    const entries = transaction.objectStore("entries");
    entries.createIndex("byId", ["session", "log", "id"]);
    entries.createIndex("byOperation", ["session", "log", "operationId"]);
    entries.createIndex("byType", ["session", "log", "type", "seq"]);
    entries.createIndex("byPin", ["session", "log", "pinnedSeq"]);
    for (let cursor = await entries.openCursor(); cursor !== null; cursor = await cursor.continue()) {
      if (cursor.value.pinned === true) {
        await cursor.update({ ...cursor.value, pinnedSeq: cursor.value.seq });
      }
    }
  },
];

/** The error for a database that is not windrow's. */
export class ForeignDatabase {}

const STORES: readonly StoreName[] = ["sessions", "entries", "derived"];

/** Fails where a database of that version lacks object stores that windrow's has: it belongs to something else. */
export function checkOwn(database: Database, version: number): void {
  const own = version === 0 ? 0 : version === 1 ? 2 : STORES.length;
  const names = [...database.objectStoreNames] as string[];
  if (!STORES.slice(0, own).every((name) => names.includes(name))) {
    throw new ForeignDatabase();
  }
}

/** Brings a database from an older version to the newest one. One that is not windrow's is left alone. */
export async function migrate(database: Database, oldVersion: number, transaction: Upgrade): Promise<void> {
  checkOwn(database, oldVersion);
  for (const step of MIGRATIONS.slice(oldVersion)) {
    await step(database, transaction);
  }
}
