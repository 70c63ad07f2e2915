// Re-exports the one function of fflate that windrow uses. A separate file, so the rest of fflate drops out of bundles.

export { inflateSync } from "fflate";
