// All public names, including those of parts that a page may not need. Every entry except `windrow/slim` has them from
// the start.

export { messageShapes, plainMessage } from "../formats/index.js";
export {
  type ProviderRule,
  problemsOf,
  providers,
  type RequestOfOptions,
  type RequestTarget,
  requestOf,
  servers,
} from "../formats/providers.js";
export * from "../index.js";
