// slim.ts for workers. A worker's bundle contains everything it could fetch, so nothing is fetched here. A worker
// imports the parts it needs.

export * from "../index.js";
export * from "./hand-over.js";
