// Files that were opened, kept in this browser so that a reload shows them again. The newest few stay.

const DATABASE = "windrow-page";
const STORE = "files";
const MOST = 8;

export interface KeptFile {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly openedAt: number;
}

let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id" });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** The name under which a text is kept: a digest of it. */
export async function idOfText(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest).slice(0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Keeps a file. If the browser stores nothing, a reload forgets it. */
export async function keepFile(file: KeptFile): Promise<void> {
  try {
    const store = (await open()).transaction(STORE, "readwrite").objectStore(STORE);
    await done(store.put(file));
    const all = (await done(store.getAll())) as KeptFile[];
    for (const { id } of all.toSorted((one, other) => other.openedAt - one.openedAt).slice(MOST)) {
      store.delete(id);
    }
  } catch {
    // The page works without it.
  }
}

/** A file that was kept; undefined if this browser doesn't have it. */
export async function keptFile(id: string): Promise<KeptFile | undefined> {
  try {
    return await done((await open()).transaction(STORE).objectStore(STORE).get(id));
  } catch {
    return undefined;
  }
}
