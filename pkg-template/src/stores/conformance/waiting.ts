// Waits without clocks, for the store to make progress.

import type { StoreChange, TranscriptStore } from "../contract.js";
import { ensure, show } from "./checks.js";

interface Gate {
  readonly passed: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

interface Waiting<T> {
  readonly promise: Promise<T>;
  readonly isEnded: boolean;
}

export function waiting<T>(promise: Promise<T>): Waiting<T> {
  let isEnded = false;
  const end = (): void => {
    isEnded = true;
  };
  promise.then(end, end);
  return {
    promise,
    get isEnded() {
      return isEnded;
    },
  };
}

/** Lets the store do the work of several reads: enough for anything that doesn't wait. */
export async function turns(store: Pick<TranscriptStore, "read">): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await store.read("a session that does not exist");
  }
  // A store that answers synchronously keeps other tasks of the host from running, such as messages from another store.
  // They run here.
  await new Promise((resolve) => setTimeout(resolve, 0));
}

/** Resolves to true if a condition becomes true while the store does the work of thousands of reads. */
async function soon(isTrue: () => boolean, store: Pick<TranscriptStore, "read">): Promise<boolean> {
  for (let turn = 0; turn < 200 && !isTrue(); turn += 1) {
    await turns(store);
  }
  return isTrue();
}

/** Waits for a promise that should settle without waiting. If it doesn't, the case fails instead of hanging. */
export async function ends<T>(promise: Promise<T>, store: Pick<TranscriptStore, "read">, what: string): Promise<T> {
  const watched = waiting(promise);
  ensure(await soon(() => watched.isEnded, store), `expected to end, and still waits: ${what}`);
  return promise;
}

/** The changes reported to a listener so far. */
interface ToldChange {
  upTo(count: number): Promise<readonly StoreChange[]>;
  until(isLast: (change: StoreChange) => boolean): Promise<readonly StoreChange[]>;
  end(): void;
}

/** Subscribes a listener. Returns undefined if the store reports no changes. */
export function listen(
  store: TranscriptStore,
  key: string,
  listener?: (change: StoreChange) => void,
): ToldChange | undefined {
  const told: StoreChange[] = [];
  const end = store.subscribe?.(key, (change) => {
    told.push(change);
    listener?.(change);
  });
  if (end === undefined) {
    return undefined;
  }
  const when = async (isEnough: () => boolean, what: string): Promise<readonly StoreChange[]> => {
    const isMet = await soon(isEnough, store);
    ensure(isMet, `expected a report of ${what}, found ${show(told)}`);
    return [...told];
  };
  return {
    upTo: (count) => when(() => told.length >= count, `${count} changes`),
    until: (isLast) => when(() => told.some(isLast), "a certain change"),
    end,
  };
}
