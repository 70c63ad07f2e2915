// The schema of a sessions database, and its migrations.

import type { DBSchema, IDBPDatabase, IDBPTransaction } from "idb";
import type { Entry, LogName, SessionInfo } from "./contract.js";

/** An entry as stored, with fields that only the database needs. Other software may have written other values here. */
export interface EntryRow extends Entry {
  readonly session: string;
  readonly log: LogName;
  /**
   * The row's own `seq` if it is pinned. A boolean can't be a key, and a row without this field takes no space in the
   * index.
   */
  readonly pinnedSeq?: number;
  /**
   * On the first row of an append: the id of the try that wrote it. If the end of a try is unknown, it isn't repeated.
   */
  readonly attempt?: string;
  /** The first and the last `seq` of its operation, at the time of the operation. */
  readonly span?: readonly [number, number];
  /** Never written. Says in words that the browser has lost the row. */
  readonly lost?: string;
}

/** A derived value as stored. */
export interface DerivedRow {
  readonly session: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The schema of the newest version. */
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
 * The changes of each version. A database of version n has gone through the first n. Never edit a published migration;
 * add another.
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

/** The error for a database that isn't windrow's. */
export class ForeignDatabase {}

const STORES: readonly StoreName[] = ["sessions", "entries", "derived"];

/** Fails if a database of that version lacks object stores that windrow's has. It then belongs to something else. */
export function checkOwn(database: Database, version: number): void {
  const own = version === 0 ? 0 : version === 1 ? 2 : STORES.length;
  const names = [...database.objectStoreNames] as string[];
  if (!STORES.slice(0, own).every((name) => names.includes(name))) {
    throw new ForeignDatabase();
  }
}

/** Migrates a database from an older version to the newest. Leaves a database alone that isn't windrow's. */
export async function migrate(database: Database, oldVersion: number, transaction: Upgrade): Promise<void> {
  checkOwn(database, oldVersion);
  for (const step of MIGRATIONS.slice(oldVersion)) {
    await step(database, transaction);
  }
}
