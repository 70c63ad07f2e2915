// Sessions in the browser's IndexedDB: an acknowledged append survives a crash, another tab and an upgrade.

import { openDB } from "idb";
import { ContextError } from "../base/errors.js";
import { newId } from "../base/ids.js";
import { publicCall } from "../base/public-call.js";
import type {
  AppendOptions,
  AppendResult,
  DerivedStore,
  Entry,
  NewEntry,
  ReadRange,
  ReadResult,
  RemoveOptions,
  SessionInfo,
  StoreChange,
  TranscriptStore,
  TrimOptions,
} from "./contract.js";
import { Holds } from "./hold.js";
import {
  type Append,
  allSessions,
  append,
  DATA_LOST,
  get,
  type Removal,
  read,
  readDerived,
  remove,
  standingOf,
  type Transaction,
  trim,
  Work,
  writeDerived,
} from "./indexeddb-rows.js";
import {
  checkOwn,
  type Database,
  type DatabaseSchema,
  ForeignDatabase,
  MIGRATIONS,
  migrate,
  type StoreName,
} from "./indexeddb-schema.js";
import { Listeners } from "./listeners.js";
import { changeOf, checkKey, checkListener, storeError, withCopies } from "./log.js";
import { publicDerived, publicStore } from "./public-store.js";

/** Options of the IndexedDB store. */
export interface IndexedDbOptions {
  /** The name of the database. Default: `windrow`. */
  readonly name?: string;
  /**
   * The moment an append is durable: with `strict`, once it is on the disk; with `relaxed`, once the operating system
   * has it, which is faster and survives a crash of the browser, but not of the machine. Default: `strict`.
   */
  readonly durability?: "strict" | "relaxed" | "default";
  /**
   * The time that a call waits for other tabs to release an older version of the database, in milliseconds. Default:
   * 5000.
   */
  readonly blockedTimeoutMs?: number;
}

/** A store in IndexedDB. */
export interface IndexedDbStore extends TranscriptStore {
  subscribe(sessionKey: string, listener: (change: StoreChange) => void): () => void;
  /** Asks the browser not to clear the site's data when space runs low. Resolves to its answer. */
  persist(): Promise<{ readonly persisted: boolean }>;
  /** Returns the space that the site's data uses and its quota. Undefined if the browser doesn't report them. */
  estimate(): Promise<{ readonly usageBytes: number; readonly quotaBytes: number } | undefined>;
}

/** Creates a store in IndexedDB. The first call that needs the database opens it. */
export function indexedDbStore(options: IndexedDbOptions = {}): IndexedDbStore {
  return publicCall("store_error", "indexedDbStore", () => new DatabaseStore(readOptions(options)));
}

class DatabaseStore implements IndexedDbStore {
  readonly #options: Required<IndexedDbOptions>;
  readonly #listeners = new Listeners();
  readonly #running = new Set<Promise<unknown>>();
  #connection: Connection | undefined;
  #channel: BroadcastChannel | undefined;
  #isClosed = false;

  readonly derived: DerivedStore = publicDerived({
    read: (sessionKey, names) =>
      this.#call(sessionKey, () =>
        this.#transact("readonly", ["derived"], (work) => readDerived(work, sessionKey, names)),
      ),
    write: (sessionKey, values) =>
      this.#call(sessionKey, () => {
        // For a view of a buffer, the database would store the whole buffer; for wasm memory, all of it.
        const copies = kept(() => new Map([...values].map(([name, value]) => [name, value && new Uint8Array(value)])));
        // Derived data can be recomputed, so it needn't wait for the disk.
        return this.#transact("readwrite", ALL, (work) => writeDerived(work, sessionKey, copies), "relaxed");
      }),
  });

  constructor(options: Required<IndexedDbOptions>) {
    publicStore(DatabaseStore.prototype);
    this.#options = options;
  }

  append(sessionKey: string, entries: readonly NewEntry[], options: AppendOptions = {}): Promise<AppendResult> {
    return this.#call(sessionKey, async () => {
      const call: Append = {
        session: sessionKey,
        entries: options.givesUpEntries === true ? entries : kept(() => entries.map(copyOf)),
        options: kept(() => withCopies(options, copyOf)),
        attempt: newId(),
      };
      const appended = await this.#transact("readwrite", ENTRIES, (work) => append(work, call));
      if (!appended.isRepeated) {
        this.#tell(sessionKey, changeOf(call.options, call.options.log ?? "transcript", appended.lastSeq));
      }
      return appended;
    });
  }

  read(sessionKey: string, range: ReadRange = {}): Promise<ReadResult> {
    return this.#call(sessionKey, () => this.#transact("readonly", ENTRIES, (work) => read(work, sessionKey, range)));
  }

  get(sessionKey: string, ids: readonly string[]): Promise<readonly Entry[]> {
    return this.#call(sessionKey, () => this.#transact("readonly", ENTRIES, (work) => get(work, sessionKey, ids)));
  }

  sessions({ keys }: { readonly keys?: readonly string[] } = {}): Promise<readonly SessionInfo[]> {
    return this.#run(() =>
      this.#transact("readonly", ENTRIES, async (work) => {
        if (keys === undefined) {
          return allSessions(work);
        }
        const found = await Promise.all([...new Set(keys)].sort().map((key) => standingOf(work, key)));
        return found.flatMap(({ info }) => info ?? []);
      }),
    );
  }

  trim(sessionKey: string, beforeSeq: number, options: TrimOptions = {}): Promise<{ readonly removedCount: number }> {
    const own = { ...options };
    return this.#alone(sessionKey, async () => {
      let removedCount = 0;
      await this.#transact("readwrite", ENTRIES, async (work) => {
        // If this is repeated, the first try may already have removed the entries.
        removedCount = (await trim(work, sessionKey, beforeSeq, own)) || removedCount;
      });
      if (removedCount > 0) {
        this.#tell(sessionKey, { kind: "trim", log: own.log ?? "transcript", lastSeq: 0 });
      }
      return { removedCount };
    });
  }

  remove(sessionKey: string, options: RemoveOptions = {}): Promise<void> {
    const call: Removal = { session: sessionKey, expected: { ...options }, wasThere: false };
    return this.#alone(sessionKey, async () => {
      await this.#transact("readwrite", ALL, (work) => remove(work, call));
      if (call.wasThere) {
        this.#tell(sessionKey, { kind: "remove", log: "transcript", lastSeq: 0 });
      }
    });
  }

  holding<T>(sessionKey: string, run: () => Promise<T>): Promise<T> {
    return this.#call(sessionKey, () => holding(lockName(this.#options.name, sessionKey), run));
  }

  subscribe(sessionKey: string, listener: (change: StoreChange) => void): () => void {
    checkKey(sessionKey);
    checkListener(listener);
    this.#checkOpen();
    this.#openChannel();
    return this.#listeners.subscribe(sessionKey, listener);
  }

  persist(): Promise<{ readonly persisted: boolean }> {
    return this.#run(async () => {
      try {
        return { persisted: (await globalThis.navigator.storage.persist()) === true };
      } catch {
        // The browser has no persistent storage, or no storage at all.
        return { persisted: false };
      }
    });
  }

  estimate(): Promise<{ readonly usageBytes: number; readonly quotaBytes: number } | undefined> {
    return this.#run(async () => {
      try {
        const { usage, quota } = await globalThis.navigator.storage.estimate();
        return usage === undefined || quota === undefined ? undefined : { usageBytes: usage, quotaBytes: quota };
      } catch {
        return undefined;
      }
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
    this.#listeners.clear();
    this.#channel?.close();
    this.#channel = undefined;
    this.#connection?.close();
    this.#connection = undefined;
  }

  // ---- Calls ----

  /** Runs a call for a session. */
  async #call<T>(sessionKey: unknown, run: () => Promise<T>): Promise<T> {
    checkKey(sessionKey);
    return await this.#run(run);
  }

  /** Runs a call that removes part of a session, while no caller holds the session. */
  #alone<T>(sessionKey: string, run: () => Promise<T>): Promise<T> {
    return this.#call(sessionKey, () => alone(lockName(this.#options.name, sessionKey), run));
  }

  /** Runs a call that `close` waits for. */
  async #run<T>(run: () => Promise<T>): Promise<T> {
    this.#checkOpen();
    const call = run();
    this.#running.add(call);
    try {
      return await call;
    } finally {
      this.#running.delete(call);
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) {
      throw storeError("STORE_CLOSED", "the store was closed", "Make another store.");
    }
  }

  // ---- Changes ----

  #tell(sessionKey: string, change: StoreChange): void {
    this.#listeners.tell(sessionKey, change);
    this.#openChannel()?.postMessage({ session: sessionKey, change });
  }

  #openChannel(): BroadcastChannel | undefined {
    if (this.#channel === undefined) {
      try {
        this.#channel = new BroadcastChannel(`windrow:${this.#options.name}`);
        this.#channel.onmessage = ({ data }) => {
          if (isChange(data?.change)) {
            this.#listeners.tell(data.session, data.change);
          }
        };
      } catch {
        // Without a channel, this tab learns only about changes that it makes.
      }
    }
    return this.#channel;
  }

  // ---- The database ----

  /** Runs a function in its own transaction. Returns its result once the transaction is complete. */
  async #transact<T>(
    mode: IDBTransactionMode,
    names: StoreName[],
    run: (work: Work) => Promise<T>,
    durability: IDBTransactionDurability = this.#options.durability,
  ): Promise<T> {
    let repeatCount = 0;
    let isCareful = false;
    const lost = new Set<string>();
    for (;;) {
      const { size } = lost;
      const known = this.#connection;
      const connection = known === undefined || known.isClosed ? new Connection(this.#options.name) : known;
      this.#connection = connection;
      try {
        const database = await connection.database(this.#options.blockedTimeoutMs);
        return await transacted(database, mode, names, durability, (transaction) =>
          run(new Work(transaction, isCareful, lost)),
        );
      } catch (cause) {
        if (lost.size > size || (DATA_LOST.has(nameOf(cause)) && !isCareful)) {
          isCareful = true;
          continue;
        }
        const pauseMs = REPEATED_AFTER_MS[repeatCount];
        if (!isConnectionLost(cause) || pauseMs === undefined) {
          throw failureOf(cause);
        }
        // Every call may be repeated with the same result: an append recognizes its own rows.
        repeatCount += 1;
        connection.close();
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  }
}

/** True for a change of a session. Other code may use the same channel. */
function isChange(value: unknown): value is StoreChange {
  const { kind, log, lastSeq } = (value ?? {}) as Partial<StoreChange>;
  return (
    (kind === "append" || kind === "trim" || kind === "remove") &&
    (log === "transcript" || log === "builds") &&
    typeof lastSeq === "number"
  );
}

// ---- A connection ----

const ENTRIES: StoreName[] = ["sessions", "entries"];
const ALL: StoreName[] = ["sessions", "entries", "derived"];

/** The longest timer, in milliseconds. A longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The time that the browser may take to open the database without reporting that it waits for another tab. */
const SLOWEST_OPENING_MS = 30_000;

/** Errors of a call whose connection ended, for example because the site's data was cleared. */
const CONNECTION_LOST: ReadonlySet<unknown> = new Set(["InvalidStateError", "AbortError", "UnknownError"]);

/** The pauses before further tries of a call, in milliseconds. A browser that clears data takes a moment. */
const REPEATED_AFTER_MS = [0, 20, 100, 500];

/** True if a call failed because its connection ended, even during opening. */
function isConnectionLost(cause: unknown): boolean {
  if (cause instanceof ContextError) {
    // A permanent refusal to open the database has another code.
    return cause.code === "STORE_FAILED" && CONNECTION_LOST.has(nameOf(cause.cause));
  }
  return CONNECTION_LOST.has(nameOf(cause));
}

/** A connection to the database, including the request that opens it. */
class Connection {
  readonly #opening: Promise<Database>;
  readonly #blocked: Promise<void>;
  #opened: Database | undefined;
  #isUpgrading = false;
  /** True if the browser reported that another connection blocks this one. */
  #isBlocked = false;
  isClosed = false;

  constructor(name: string) {
    let isBlocked = (): void => {};
    this.#blocked = new Promise((resolve) => {
      isBlocked = resolve;
    });
    this.#opening = this.#open(name, isBlocked);
    this.#opening.then(
      (database) => {
        this.#opened = database;
        // A connection that was abandoned meanwhile must not stay open, because it would block others.
        if (this.isClosed) {
          database.close();
        }
      },
      () => {
        this.isClosed = true;
      },
    );
  }

  /** Returns the database once it is open. Waits at most `timeoutMs` for other tabs; opening continues after that. */
  async database(timeoutMs: number): Promise<Database> {
    if (this.#opened !== undefined) {
      return this.#opened;
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      const wait = (limitMs: number): void => {
        clearTimeout(timer);
        timer = setTimeout(
          () => {
            // A migration may take any time.
            if (!this.#isUpgrading) {
              reject(this.#isBlocked ? blocked(limitMs) : unopened(limitMs));
            }
          },
          Math.min(limitMs, LONGEST_TIMER_MS),
        );
      };
      // The browser doesn't report waiting for an operation of another tab on the database.
      wait(Math.max(timeoutMs, SLOWEST_OPENING_MS));
      this.#blocked.then(() => {
        this.#isBlocked = true;
        if (this.#opened === undefined) {
          wait(timeoutMs);
        }
      });
    });
    try {
      return await Promise.race([this.#opening, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.isClosed = true;
    this.#opened?.close();
  }

  async #open(name: string, isBlocked: () => void): Promise<Database> {
    if (globalThis.indexedDB == null) {
      throw unavailable("IndexedDB isn't available here");
    }
    let failure: unknown;
    try {
      const database = await openDB<DatabaseSchema>(name, MIGRATIONS.length, {
        upgrade: (database, oldVersion, _, transaction) => {
          this.#isUpgrading = true;
          transaction.done.catch(() => {});
          migrate(database, oldVersion, transaction).catch((cause) => {
            failure = transaction.error ?? cause;
            abort(transaction);
          });
        },
        blocked: isBlocked,
        // Another tab has a newer version or deletes the database. Closing lets it proceed.
        blocking: () => this.close(),
        terminated: () => this.close(),
      });
      try {
        checkOwn(database, MIGRATIONS.length);
      } catch (cause) {
        database.close();
        throw cause;
      }
      return database;
    } catch (cause) {
      throw refusal(failure ?? cause, name);
    }
  }
}

async function transacted<T>(
  database: Database,
  mode: IDBTransactionMode,
  names: StoreName[],
  durability: IDBTransactionDurability,
  run: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const transaction = database.transaction(names, mode, { durability }) as Transaction;
  // The error inside a failed transaction is more specific.
  transaction.done.catch(() => {});
  try {
    const result = await run(transaction);
    if (mode === "readwrite") {
      await transaction.done;
    }
    return result;
  } catch (cause) {
    abort(transaction);
    // After the browser has aborted a transaction, the next request on it fails without a reason.
    throw cause instanceof ContextError ? cause : (transaction.error ?? cause);
  }
}

function abort(transaction: { abort(): void }): void {
  try {
    transaction.abort();
  } catch {
    // The transaction has already ended.
  }
}

// ---- Failures ----

function nameOf(cause: unknown): unknown {
  return (cause as { readonly name?: unknown } | null | undefined)?.name;
}

/** True if the storage is full. Looks at causes too. */
function isQuota(cause: unknown): boolean {
  for (let [reason, depth] = [cause, 0]; depth < 4 && reason != null; depth += 1) {
    if (nameOf(reason) === "QuotaExceededError") {
      return true;
    }
    reason = (reason as { readonly cause?: unknown }).cause;
  }
  return false;
}

function failureOf(cause: unknown): ContextError {
  if (cause instanceof ContextError) {
    return cause;
  }
  if (isQuota(cause)) {
    return storeError(
      "STORE_QUOTA",
      "there is no space left for the data",
      "Remove sessions that are not needed, or trim them, and try again.",
      cause,
    );
  }
  return storeError(
    "STORE_FAILED",
    `IndexedDB failed: ${reasonOf(cause)}`,
    "Try again; if it fails again, reload the page.",
    cause,
  );
}

/** Turns the browser's refusal of the database or a lock into an error. */
function refusal(cause: unknown, name?: string): ContextError {
  if (cause instanceof ForeignDatabase) {
    return storeError(
      "STORE_FOREIGN",
      `the database ${JSON.stringify(name)} belongs to another program: it doesn't have windrow's object stores`,
      'Pass a different name for the store, for example indexedDbStore({ name: "windrow-chats" }). Nothing in it was changed.',
    );
  }
  switch (nameOf(cause)) {
    case "VersionError":
      return storeError(
        "STORE_NEWER",
        `the database ${JSON.stringify(name)} has a newer version: it was made by a newer windrow or another program`,
        "Reload the page, so that it runs the newer windrow. If there is no newer one, pass another name for the store.",
        cause,
      );
    case "SecurityError":
    case "InvalidStateError":
      return unavailable(`the browser refuses IndexedDB here: ${reasonOf(cause)}`, cause);
    default:
      return failureOf(cause);
  }
}

function unavailable(message: string, cause?: unknown): ContextError {
  return storeError(
    "STORE_UNAVAILABLE",
    message,
    "Pass memoryStore() if the conversation doesn't have to outlive the page.",
    cause,
  );
}

function blocked(timeoutMs: number): ContextError {
  return storeError(
    "STORE_BLOCKED",
    `another tab has an older version of the database open, and has not closed it within ${timeoutMs} ms`,
    "Close the other tabs of this site, and try again.",
  );
}

function unopened(timeoutMs: number): ContextError {
  return storeError(
    "STORE_BLOCKED",
    `the database has not opened within ${timeoutMs} ms, and the browser has not said why`,
    "Try again. If it fails again, reload the page or restart the browser.",
  );
}

function reasonOf(cause: unknown): string {
  const { name, message } = (cause ?? {}) as Partial<Error>;
  return [name, message].filter(Boolean).join(": ") || String(cause);
}

/** Returns an entry that its caller can't change. */
function copyOf<E extends NewEntry>(entry: E): E {
  return { ...entry, data: JSON.parse(JSON.stringify(entry.data)) };
}

/** Copies data to be stored. Fails with `INVALID_SESSION` for data that can't be copied. */
function kept<T>(copy: () => T): T {
  try {
    return copy();
  } catch (cause) {
    throw storeError("INVALID_SESSION", "the value can't be stored: it can't be copied", "Pass plain data.", cause);
  }
}

// ---- Holding ----

/** A lock of this page, shared by its callers. */
interface Hold {
  readonly granted: Promise<void>;
  readonly release: () => void;
  count: number;
}

/** Locks of all stores in this page, by name. */
const held = new Map<string, Hold>();
/** Locks within this page, for browsers without locks between tabs. */
const holds = new Holds();

function lockName(database: string, session: string): string {
  return `windrow:${JSON.stringify([database, session])}`;
}

async function holding<T>(lock: string, run: () => Promise<T>): Promise<T> {
  const locks = globalThis.navigator?.locks;
  if (locks === undefined) {
    return await holds.holding(lock, run);
  }
  // Callers share a lock that the page already holds. A second request would wait for a tab that waits for exclusive
  // access, which waits for the first.
  const hold = held.get(lock) ?? begin(locks, lock);
  held.set(lock, hold);
  hold.count += 1;
  try {
    await hold.granted;
    return await run();
  } finally {
    hold.count -= 1;
    if (hold.count === 0) {
      held.delete(lock);
      hold.release();
    }
  }
}

function begin(locks: LockManager, lock: string): Hold {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const granted = new Promise<void>((resolve, reject) => {
    locks
      .request(lock, { mode: "shared" }, () => {
        resolve();
        return released;
      })
      .catch((cause) => reject(refusal(cause)));
  });
  return { granted, release, count: 0 };
}

async function alone<T>(lock: string, run: () => Promise<T>): Promise<T> {
  const locks = globalThis.navigator?.locks;
  if (locks === undefined) {
    return await holds.alone(lock, run);
  }
  try {
    return await locks.request(lock, run);
  } catch (cause) {
    throw refusal(cause);
  }
}

// ---- Options ----

const DEFAULTS: Required<IndexedDbOptions> = { name: "windrow", durability: "strict", blockedTimeoutMs: 5000 };

const EXPECTED: Readonly<Record<keyof IndexedDbOptions, readonly [string, (value: unknown) => boolean]>> = {
  name: ["a text that is not empty", (value) => typeof value === "string" && value !== ""],
  durability: [
    '"strict", "relaxed" or "default"',
    (value) => value === "strict" || value === "relaxed" || value === "default",
  ],
  blockedTimeoutMs: ["a number of milliseconds from 0", (value) => typeof value === "number" && value >= 0],
};

function readOptions(options: unknown): Required<IndexedDbOptions> {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw invalid(undefined, "expected an object with options");
  }
  const read: Record<string, unknown> = { ...DEFAULTS };
  for (const [option, value] of Object.entries(options)) {
    const [expected, isRight] = Object.hasOwn(EXPECTED, option) ? EXPECTED[option as keyof IndexedDbOptions] : [];
    if (isRight === undefined) {
      throw invalid(option, `unknown option; there are ${Object.keys(EXPECTED).join(", ")}`);
    }
    if (value !== undefined) {
      if (!isRight(value)) {
        throw invalid(option, `expected ${expected}`);
      }
      read[option] = value;
    }
  }
  return read as unknown as Required<IndexedDbOptions>;
}

function invalid(path: string | undefined, problem: string): ContextError {
  return new ContextError({
    kind: "store_error",
    code: "INVALID_CONFIG",
    message: path === undefined ? problem : `${path}: ${problem}`,
    path,
    nextAction: "Correct the option.",
  });
}
