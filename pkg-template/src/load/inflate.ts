// How vocabularies are inflated where a host has no `DecompressionStream`, as Vercel's edge runtime.

import { provideInflate } from "../engine/encodings.js";

/** Fetches `fflate` when it is first needed. */
export function provideFflate(): void {
  provideInflate(async (deflated) => (await import("fflate")).inflateSync(deflated));
}
