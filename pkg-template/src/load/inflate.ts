// How vocabularies are inflated where a host has no `DecompressionStream` that works, as the edge runtime of Next.js.

import { provideInflate } from "../engine/inflate.js";

/** Fetches `fflate` when it is first needed. */
export function provideFflate(): void {
  provideInflate(async (deflated) => (await import("./fflate.js")).inflateSync(deflated));
}
