// The boundary of stores: whatever the arguments, their methods fail with a `ContextError`.

import { holeIn } from "../base/lists.js";
import { publicMethods, publicPromise } from "../base/public-call.js";
import type { DerivedStore, TranscriptStore } from "./contract.js";
import { storeError } from "./log.js";
import { checkAsked } from "./ranges.js";

const KIND = "store_error";

/**
 * Turns the methods of a store's class into public calls, once, when the first store of the class is created. `holding`
 * runs the caller's function, and that function's failure comes back unchanged.
 */
export function publicStore(prototype: Pick<TranscriptStore, "holding">): void {
  const isNew = publicMethods(KIND, prototype, ["subscribe"], (given, method) => {
    checkLists(given);
    checkAsked(method, given);
  });
  if (!isNew) {
    return;
  }
  const { holding } = prototype;
  prototype.holding = async function <T>(this: TranscriptStore, sessionKey: string, run: () => Promise<T>): Promise<T> {
    let own: { readonly failure: unknown } | undefined;
    const noted = async (): Promise<T> => {
      try {
        return await run();
      } catch (failure) {
        own = { failure };
        throw failure;
      }
    };
    try {
      return (await holding.call(this, sessionKey, typeof run === "function" ? noted : run)) as T;
    } catch (failure) {
      throw own === undefined ? failure : own.failure;
    }
  } as TranscriptStore["holding"];
}

/** Returns a store's derived data with both methods as public calls. */
export function publicDerived({ read, write }: DerivedStore): DerivedStore {
  return {
    read: (sessionKey, names) =>
      publicPromise(KIND, "derived.read", () => {
        checkLists([names]);
        return read(sessionKey, names);
      }),
    write: (sessionKey, values) =>
      publicPromise(KIND, "derived.write", () => {
        checkLists([values]);
        return write(sessionKey, values);
      }),
  };
}

/** Fails if a list in the arguments has a hole, regardless of its claimed length. */
function checkLists(given: readonly unknown[]): void {
  for (const value of given) {
    const hole = holeIn(value);
    if (hole !== undefined) {
      const nextAction = "Remove empty elements from the list.";
      throw storeError("INVALID_SESSION", `a list has an empty element at ${hole}`, nextAction);
    }
  }
}
