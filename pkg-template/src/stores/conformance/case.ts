// A case of the suite, and the storage that it has for itself.

import { newId } from "../../base/ids.js";
import type { TranscriptStore } from "../contract.js";

/** How the suite comes by stores. */
export interface StoreHarness {
  /** Opens the store of this name: the same name is the same storage. While one is open, it may give the same store again. */
  open(name: string): Promise<TranscriptStore>;
  /** Whether a store that is opened after another was closed sees what that wrote. Default: true. */
  readonly isPersistent?: boolean;
  /** Whether a store knows what others that are open on the same storage hold and change. Default: true. */
  readonly knowsOthers?: boolean;
}

/** A case, before it is told what storage to use. */
export interface Case {
  readonly name: string;
  check(storage: Storage): Promise<void>;
}

/** Storage that one case has for itself. */
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
