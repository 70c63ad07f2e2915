// All public names, with the parts that a page may do without: every entry but `windrow/slim` has them from the start.

export * from "../index.js";
export { type ProviderRule, problemsOf, providers, requestOf } from "../providers/all.js";
export { messageShapes, plainMessage } from "../read/shapes/all.js";
