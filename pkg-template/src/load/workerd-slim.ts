// As slim.ts, for workers, whose bundles hold all that they could fetch: nothing is fetched here. A worker imports what it needs.

export * from "../index.js";
export * from "./hand-over.js";
