// Saved conversations: sessions in this browser, the same in every tab.

import { signal } from "@preact/signals";
import { type MessageInput, openSession, type Session, type SessionInfo } from "windrow";
import { type IndexedDbStore, indexedDbStore } from "windrow/stores/indexeddb";
import { DATABASE } from "./names.js";
import { type Failure, failureOf } from "./state.js";

/** The page builds at every keystroke, so only the newest builds are kept. */
const retention = { maxBuilds: 50 };

export const store: IndexedDbStore = indexedDbStore({ name: DATABASE });

export const saved = {
  /** The saved conversations, the last used first. */
  list: signal<readonly SessionInfo[]>([]),
  isPossible: signal(true),
  failure: signal<Failure | undefined>(undefined),
  status: signal(""),
};

export function openSaved(key: string): Promise<Session> {
  return openSession(key, { store, retention });
}

export function countOf({ logs }: SessionInfo): number {
  const { counts } = logs.transcript;
  return (counts.message ?? 0) + (counts.summary ?? 0);
}

/** All messages of a saved conversation in the order of its log, with their numbers in it. */
export async function messagesOf(session: Session): Promise<{ messages: readonly MessageInput[]; numbers: number[] }> {
  const all = [...(await session.messages()), ...(await session.summaries())];
  const rows = all.map((message) => ({ message, number: session.seqOf(message) ?? 0 }));
  rows.sort((one, other) => one.number - other.number);
  return { messages: rows.map(({ message }) => message), numbers: rows.map(({ number }) => number) };
}

const subscriptions = new Map<string, () => void>();
let listing = Promise.resolve();

/** Reads the list again. Reads run one after another, so the newest result is shown last. */
export function readList(): Promise<void> {
  listing = listing.then(read);
  return listing;
}

async function read(): Promise<void> {
  try {
    const known = await store.sessions();
    saved.list.value = known
      .filter((info) => countOf(info) > 0)
      .sort((one, other) => other.updatedAtMs - one.updatedAtMs);
    saved.isPossible.value = true;
  } catch (failure) {
    saved.list.value = [];
    saved.isPossible.value = false;
    saved.failure.value = failureOf(failure);
    return;
  }
  const keys = new Set(saved.list.value.map(({ key }) => key));
  for (const [key, end] of subscriptions) {
    if (!keys.delete(key)) {
      end();
      subscriptions.delete(key);
    }
  }
  for (const key of keys) {
    subscriptions.set(
      key,
      store.subscribe(key, ({ log }) => {
        if (log === "transcript") {
          void readList();
        }
      }),
    );
  }
}

/** A name that no saved conversation has. */
export function freeName(name: string): string {
  const taken = new Set(saved.list.value.map(({ key }) => key));
  let free = name;
  for (let number = 2; taken.has(free); number += 1) {
    free = `${name} ${number}`;
  }
  return free;
}

export async function isTaken(key: string): Promise<boolean> {
  const [known] = await store.sessions({ keys: [key] });
  return known !== undefined && countOf(known) > 0;
}
