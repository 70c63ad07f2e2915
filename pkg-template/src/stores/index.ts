// For those who write a store of their own: the contract, and what all stores do alike.

export { ContextError } from "../base/errors.js";
export type * from "./contract.js";
export {
  type Admitted,
  admit,
  checkExpected,
  checkKey,
  flawOf,
  isInfo,
  recovered,
  type Standing,
  storeError,
  trimmed,
} from "./log.js";
export { checkAsked } from "./ranges.js";
