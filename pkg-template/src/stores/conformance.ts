// The conformance suite for stores: cases that run wherever the store runs, without a test framework or any host's API.

import { publicFunction } from "../base/public-call.js";
import { appending, conflicts, copies, large, operations } from "./conformance/appending.js";
import { type Case, Storage, type StoreHarness } from "./conformance/case.js";
import { Mismatch, unexpected } from "./conformance/checks.js";
import { randomly } from "./conformance/random.js";
import { derived, finding, keys, listing, reading } from "./conformance/reading.js";
import { holding, removing, trimming } from "./conformance/removing.js";
import { closing, others, reopening, subscribing, together } from "./conformance/sharing.js";

export type { StoreHarness } from "./conformance/case.js";

/** One requirement for stores, as a case. */
export interface StoreCase {
  /** The requirement, in words. */
  readonly name: string;
  /** Runs the case. Fails with an error that names the expected value and the actual one. */
  run(): Promise<void>;
}

/**
 * Returns the cases for a store. Each uses its own storage and closes everything it opened. They may run in any order,
 * even at the same time.
 */
export const storeConformance: (harness: StoreHarness) => readonly StoreCase[] = /* @__PURE__ */ publicFunction(
  "store_error",
  "storeConformance",
  casesOf,
);

function casesOf(harness: StoreHarness): readonly StoreCase[] {
  return cases(harness).map(({ name, check }) => ({
    name,
    async run() {
      const storage = new Storage(harness);
      try {
        await check(storage);
      } catch (failure) {
        // Not awaited, because the failure may have left a call that never ends.
        storage.closeAll().catch(() => undefined);
        throw failure instanceof Mismatch ? failure : unexpected(failure);
      }
      await storage.closeAll();
    },
  }));
}

function cases({ isPersistent = true, knowsOthers = true }: StoreHarness): readonly Case[] {
  return [
    ...appending,
    ...operations,
    ...conflicts,
    ...reading,
    ...finding,
    ...derived,
    ...listing,
    ...trimming,
    ...removing,
    ...holding,
    ...subscribing,
    ...closing,
    ...keys,
    ...copies,
    ...large,
    ...together,
    ...randomly,
    ...(isPersistent ? reopening : []),
    ...(knowsOthers ? others : []),
  ];
}
