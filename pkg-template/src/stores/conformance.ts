// What every store keeps, as cases that run where the store lives: no test framework, and nothing of any host.

import { publicFunction } from "../base/public-call.js";
import { appending, conflicts, copies, large, operations } from "./conformance/appending.js";
import { type Case, Storage, type StoreHarness } from "./conformance/case.js";
import { Mismatch, unexpected } from "./conformance/checks.js";
import { randomly } from "./conformance/random.js";
import { derived, finding, keys, listing, reading } from "./conformance/reading.js";
import { holding, removing, trimming } from "./conformance/removing.js";
import { closing, others, reopening, subscribing, together } from "./conformance/sharing.js";

export type { StoreHarness } from "./conformance/case.js";

/** One thing that a store keeps. */
export interface StoreCase {
  /** What it is, in words. */
  readonly name: string;
  /** Fails with an error that names the expected value and the found one. */
  run(): Promise<void>;
}

/** The cases for a store. Each uses storage of its own and closes what it opened; they may run in any order, also at once. */
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
        // Not waited for: what failed may have left a call that never ends.
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
