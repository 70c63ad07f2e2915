// A store that encrypts everything in another one: messages, their ids, builds, and derived values.
//
// Each session has its own keys, derived from the caller's with HKDF. An entry is encrypted with AES-GCM under a random
// nonce. Its authenticated data names its session, log, sequence number, type and time, so no entry can pass for
// another.

import "../base/hosts.js";
import { decodeBase64, encodeBase64 } from "../base/base64.js";
import { publicCall } from "../base/public-call.js";
import type {
  AppendOptions,
  AppendResult,
  DerivedStore,
  Entry,
  JsonValue,
  LogName,
  NewEntry,
  ReadRange,
  ReadResult,
  RemoveOptions,
  SessionInfo,
  SkippedEntry,
  StoreChange,
  TranscriptStore,
  TrimOptions,
} from "./contract.js";
import { checkKey, checkListener, checkStore, storeError } from "./log.js";
import { publicDerived, publicStore } from "./public-store.js";
import { Turns } from "./turns.js";

/** The key that a store encrypts with: at least 16 random bytes, or a `CryptoKey` of HKDF that may derive keys. */
export type StoreKey = CryptoKey | Uint8Array<ArrayBuffer> | ArrayBuffer;

/**
 * Returns a store that encrypts everything in another one: `encryptedStore(indexedDbStore(), key)`. Messages, their
 * ids, builds and derived data can't be read without the key. Still readable are the keys of sessions, the number,
 * types, times and sizes of entries, and the ids of operations. A call fails with `STORE_KEY_MISMATCH` if an entry was
 * encrypted with another key, or was changed or moved since.
 */
export function encryptedStore(store: TranscriptStore, key: StoreKey): TranscriptStore {
  return publicCall("store_error", "encryptedStore", () => {
    checkStore(store, "store");
    return new EncryptedStore(store, masterKey(key));
  });
}

/** Minimum number of bytes of a key. */
const LEAST_KEY_BYTES = 16;
const NONCE_BYTES = 12;
/** The beginning of an encrypted entry's text. */
const MARK = "aes-gcm:";
/** The sessions whose keys are remembered. */
const REMEMBERED_SESSIONS = 256;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The data that an entry or a value is authenticated with. */
type Place = readonly (string | number | boolean | null)[];

/**
 * Encodes a list of texts as unambiguous bytes. JSON escapes lone surrogates, which UTF-8 would all replace with the
 * same character.
 */
const bytesOf = (place: Place): Uint8Array<ArrayBuffer> =>
  encoder.encode(JSON.stringify(place)) as Uint8Array<ArrayBuffer>;

/** The keys of a session: one encrypts, and one makes names for lookups. */
interface SessionKeys {
  readonly content: CryptoKey;
  readonly names: CryptoKey;
}

async function masterKey(key: StoreKey): Promise<CryptoKey> {
  const bytes = key instanceof ArrayBuffer ? new Uint8Array(key) : key;
  if (bytes instanceof Uint8Array && bytes.length >= LEAST_KEY_BYTES) {
    return await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey"]);
  }
  const { algorithm, usages } = (key ?? {}) as Partial<CryptoKey>;
  if (algorithm?.name !== "HKDF" || usages?.includes("deriveKey") !== true) {
    throw storeError(
      "INVALID_SESSION",
      `the key isn't ${LEAST_KEY_BYTES} bytes or more, or an HKDF CryptoKey that may derive keys`,
      'Pass 32 random bytes, or crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey"]).',
    );
  }
  return key as CryptoKey;
}

async function sessionKeys(master: CryptoKey, sessionKey: string): Promise<SessionKeys> {
  const derived = async (purpose: string, algorithm: AesKeyGenParams | HmacKeyGenParams, usages: KeyUsage[]) => {
    // A session's key may be longer than HKDF accepts.
    const info = await crypto.subtle.digest("SHA-256", bytesOf(["windrow", purpose, sessionKey]));
    const source = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info };
    return await crypto.subtle.deriveKey(source, master, algorithm, false, usages);
  };
  const [content, names] = await Promise.all([
    derived("content", { name: "AES-GCM", length: 256 }, ["encrypt", "decrypt"]),
    derived("names", { name: "HMAC", hash: "SHA-256", length: 256 }, ["sign"]),
  ]);
  return { content, names };
}

async function encrypted(
  key: CryptoKey,
  bytes: Uint8Array<ArrayBuffer>,
  place: Place,
): Promise<Uint8Array<ArrayBuffer>> {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const additionalData = bytesOf(place);
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, key, bytes);
  const all = new Uint8Array(NONCE_BYTES + sealed.byteLength);
  all.set(iv);
  all.set(new Uint8Array(sealed), NONCE_BYTES);
  return all;
}

async function decrypted(
  key: CryptoKey,
  bytes: Uint8Array<ArrayBuffer>,
  place: Place,
): Promise<Uint8Array<ArrayBuffer>> {
  const algorithm = {
    name: "AES-GCM",
    iv: bytes.subarray(0, NONCE_BYTES),
    additionalData: bytesOf(place),
  };
  return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, bytes.subarray(NONCE_BYTES)));
}

/** The place of an entry, which is authenticated with it. */
function placeOf(sessionKey: string, log: LogName, { seq, type, timeMs, pinned }: Omit<Entry, "data">): Place {
  return [sessionKey, log, seq, type, timeMs ?? null, pinned ?? false];
}

/** The encrypted part of an entry. */
interface SealedContent {
  readonly id?: string;
  readonly data: JsonValue;
}

/** A new entry, and its encrypted part as a text. Undefined if it has no data. */
interface GivenEntry {
  readonly entry: NewEntry;
  readonly text: string | undefined;
}

/** Copies entries, because the caller may change them while keys are derived. */
function givenEntries<E extends NewEntry>(entries: readonly E[]): readonly (GivenEntry & { readonly entry: E })[] {
  try {
    return entries.map((entry) => {
      const { id, data } = entry;
      const text = JSON.stringify(data);
      return { entry: { ...entry }, text: text === undefined ? undefined : sealedText(id, text) };
    });
  } catch (cause) {
    throw storeError("INVALID_SESSION", "the value can't be stored: it can't be copied", "Pass plain data.", cause);
  }
}

const sealedText = (id: string | undefined, data: string): string =>
  `{${typeof id === "string" ? `"id":${JSON.stringify(id)},` : ""}"data":${data}}`;

class EncryptedStore implements TranscriptStore {
  readonly #store: TranscriptStore;
  readonly #master: Promise<CryptoKey>;
  readonly #keys = new Map<string, Promise<SessionKeys>>();
  readonly #appends = new Turns();
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(store: TranscriptStore, master: Promise<CryptoKey>) {
    publicStore(EncryptedStore.prototype);
    this.#store = store;
    this.#master = master;
    master.catch(() => {}); // each call fails with it
    if (store.subscribe !== undefined) {
      this.subscribe = (sessionKey, listener) => {
        this.#check(sessionKey);
        checkListener(listener);
        return (store.subscribe as NonNullable<TranscriptStore["subscribe"]>)(sessionKey, listener);
      };
    }
  }

  subscribe?: (sessionKey: string, listener: (change: StoreChange) => void) => () => void;

  readonly derived: DerivedStore = publicDerived({
    read: (sessionKey, names) => {
      const wanted = [...names];
      return this.#call(sessionKey, async ({ content, names: naming }) => {
        const stored = await Promise.all(wanted.map((name) => nameOf(naming, name)));
        const values = await this.#store.derived.read(sessionKey, stored);
        const found = await Promise.all(
          wanted.map(async (name, at): Promise<readonly (readonly [string, Uint8Array])[]> => {
            const value = values.get(stored[at] as string);
            // A derived value can be computed again, so one that can't be read counts as missing.
            const bytes =
              value &&
              (await decrypted(content, value as Uint8Array<ArrayBuffer>, derivedPlace(sessionKey, name)).catch(
                () => undefined,
              ));
            return bytes === undefined ? [] : [[name, bytes]];
          }),
        );
        return new Map(found.flat());
      });
    },
    write: (sessionKey, values) => {
      const given = [...values].map(([name, value]) => [name, value && new Uint8Array(value)] as const);
      return this.#call(sessionKey, async ({ content, names }) => {
        const written = await Promise.all(
          given.map(
            async ([name, value]): Promise<[string, Uint8Array | undefined]> => [
              await nameOf(names, name),
              value && (await encrypted(content, value, derivedPlace(sessionKey, name))),
            ],
          ),
        );
        await this.#store.derived.write(sessionKey, new Map(written));
      });
    },
  });

  append(sessionKey: string, entries: readonly NewEntry[], options: AppendOptions = {}): Promise<AppendResult> {
    const given = givenEntries(entries);
    const rewrites = options.rewrites && givenEntries(options.rewrites.entries);
    const { rewrites: own, ...others } = { ...options };
    const { log = "transcript", expectedSeq } = others;
    return this.#call(sessionKey, (keys) =>
      this.#appends.take(`${log} ${sessionKey}`, async () => {
        const seal = async <E extends NewEntry>({ entry, text }: GivenEntry & { readonly entry: E }, seq: number) =>
          this.#sealed(keys, placeOf(sessionKey, log, { ...entry, seq }), entry, text);
        for (;;) {
          const lastSeq = expectedSeq ?? (await this.#lastSeq(keys, sessionKey, log));
          const sealed = await Promise.all(given.map((one, at) => seal(one, lastSeq + 1 + at)));
          const rewritten = await Promise.all((rewrites ?? []).map((one) => seal(one, one.entry.seq)));
          try {
            return await this.#store.append(sessionKey, sealed, {
              ...others,
              // An append with rewrites brings its own places. Without them the store refuses it.
              ...(own === undefined ? { expectedSeq: lastSeq } : { rewrites: { ...own, entries: rewritten } }),
            });
          } catch (failure) {
            const isConflict = (failure as { readonly code?: unknown })?.code === "STORE_CONFLICT";
            if (!isConflict || expectedSeq !== undefined || (await this.#lastSeq(keys, sessionKey, log)) === lastSeq) {
              throw failure;
            }
          }
        }
      }),
    );
  }

  read(sessionKey: string, range: ReadRange = {}): Promise<ReadResult> {
    const { log = "transcript" } = range;
    return this.#call(sessionKey, async (keys) => {
      const result = await this.#store.read(sessionKey, range);
      return { ...result, ...(await this.#opened(keys, sessionKey, log, result)) };
    });
  }

  get(sessionKey: string, ids: readonly string[]): Promise<readonly Entry[]> {
    const wanted = [...ids];
    return this.#call(sessionKey, async (keys) => {
      const names = await Promise.all(wanted.map((id) => nameOf(keys.names, id)));
      const entries = await this.#store.get(sessionKey, names);
      return (await this.#opened(keys, sessionKey, "transcript", { entries, skipped: [] })).entries;
    });
  }

  sessions(filter?: { readonly keys?: readonly string[] }): Promise<readonly SessionInfo[]> {
    return this.#run(undefined, () => this.#store.sessions(filter));
  }

  trim(sessionKey: string, beforeSeq: number, options?: TrimOptions): Promise<{ readonly removedCount: number }> {
    return this.#run(sessionKey, () => this.#store.trim(sessionKey, beforeSeq, options));
  }

  remove(sessionKey: string, options?: RemoveOptions): Promise<void> {
    return this.#run(sessionKey, () => this.#store.remove(sessionKey, options));
  }

  holding<T>(sessionKey: string, run: () => Promise<T>): Promise<T> {
    return this.#run(sessionKey, () => this.#store.holding(sessionKey, run));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
    await this.#store.close();
  }

  /** The last sequence number of a log. Fails if the newest entry was encrypted with another key. */
  async #lastSeq(keys: SessionKeys, sessionKey: string, log: LogName): Promise<number> {
    const result = await this.#store.read(sessionKey, { log, order: "descending", limit: 1 });
    await this.#opened(keys, sessionKey, log, result);
    return result.info?.logs[log].lastSeq ?? 0;
  }

  async #sealed<E extends NewEntry>(
    { content, names }: SessionKeys,
    place: Place,
    { id, ...entry }: E,
    text: string | undefined,
  ): Promise<E> {
    const data =
      text === undefined
        ? undefined // the store refuses it
        : MARK + encodeBase64(await encrypted(content, encoder.encode(text) as Uint8Array<ArrayBuffer>, place));
    const name = typeof id === "string" ? { id: await nameOf(names, id) } : id === undefined ? {} : { id };
    return { ...entry, ...name, data } as unknown as E;
  }

  async #opened(
    { content }: SessionKeys,
    sessionKey: string,
    log: LogName,
    { entries, skipped }: Pick<ReadResult, "entries" | "skipped">,
  ): Promise<Pick<ReadResult, "entries" | "skipped">> {
    const others: SkippedEntry[] = [];
    const opened = await Promise.all(
      entries.map(async ({ id: _, data, ...entry }): Promise<Entry | undefined> => {
        if (typeof data !== "string" || !data.startsWith(MARK)) {
          others.push({ seq: entry.seq, reason: "it isn't encrypted" });
          return undefined;
        }
        try {
          const bytes = await decrypted(
            content,
            decodeBase64(data.slice(MARK.length)),
            placeOf(sessionKey, log, entry),
          );
          return { ...entry, ...(JSON.parse(decoder.decode(bytes)) as SealedContent) };
        } catch (cause) {
          throw storeError(
            "STORE_KEY_MISMATCH",
            `entry ${entry.seq} was encrypted with another key, or was changed since`,
            "Open the store with the key that it was written with.",
            cause,
          );
        }
      }),
    );
    return { entries: opened.filter((entry) => entry !== undefined), skipped: [...skipped, ...others] };
  }

  #call<T>(sessionKey: string, run: (keys: SessionKeys) => Promise<T>): Promise<T> {
    return this.#run(sessionKey, async () => await run(await this.#keysOf(sessionKey)));
  }

  async #run<T>(sessionKey: string | undefined, run: () => Promise<T>): Promise<T> {
    this.#check(sessionKey);
    const result = run();
    this.#running.add(result);
    try {
      return await result;
    } finally {
      this.#running.delete(result);
    }
  }

  #keysOf(sessionKey: string): Promise<SessionKeys> {
    const known = this.#keys.get(sessionKey) ?? this.#master.then((master) => sessionKeys(master, sessionKey));
    this.#keys.delete(sessionKey); // the newest are last
    this.#keys.set(sessionKey, known);
    if (this.#keys.size > REMEMBERED_SESSIONS) {
      this.#keys.delete(this.#keys.keys().next().value as string);
    }
    return known;
  }

  #check(sessionKey?: string): void {
    if (sessionKey !== undefined) {
      checkKey(sessionKey);
    }
    if (this.#isClosed) {
      throw storeError("STORE_CLOSED", "the store was closed", "Make another store.");
    }
  }
}

const derivedPlace = (sessionKey: string, name: string): Place => [sessionKey, "derived", name];

/** Returns the stored name for an id or a name: without the key, nobody can tell which one it is. */
async function nameOf(key: CryptoKey, name: string): Promise<string> {
  const bytes = await crypto.subtle.sign("HMAC", key, bytesOf([name]));
  return encodeBase64(new Uint8Array(bytes));
}
