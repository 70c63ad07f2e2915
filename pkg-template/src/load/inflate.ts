// Inflates vocabularies on hosts without a working `DecompressionStream`, such as the edge runtime of Next.js.

import { provideInflate } from "../engine/inflate.js";

/** Registers `fflate`, which is fetched on first use. */
export function provideFflate(): void {
  provideInflate(async (deflated) => (await import("./fflate.js")).inflateSync(deflated));
}
