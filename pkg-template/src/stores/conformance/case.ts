// A case of the suite, and its own storage.

import { newId } from "../../base/ids.js";
import type { TranscriptStore } from "../contract.js";

/** Opens stores for the suite. */
export interface StoreHarness {
  /**
   * Opens the store of this name. The same name means the same storage. While a store is open, the same object may be
   * returned again.
   */
  open(name: string): Promise<TranscriptStore>;
  /** True if a store opened after another was closed sees its writes. Default: true. */
  readonly isPersistent?: boolean;
  /** True if a store notices the holds and changes of other stores open on the same storage. Default: true. */
  readonly knowsOthers?: boolean;
}

/** A case that still needs its storage. */
export interface Case {
  readonly name: string;
  check(storage: Storage): Promise<void>;
}

/** The storage of one case. */
export class Storage {
  readonly #name = `conformance-${newId()}`;
  readonly #harness: StoreHarness;
  readonly #opened: TranscriptStore[] = [];

  constructor(harness: StoreHarness) {
    this.#harness = harness;
  }

  get isPersistent(): boolean {
    return this.#harness.isPersistent ?? true;
  }

  async open(): Promise<TranscriptStore> {
    const store = await this.#harness.open(this.#name);
    this.#opened.push(store);
    return store;
  }

  async closeAll(): Promise<void> {
    for (const store of this.#opened) {
      await store.close();
    }
  }
}
