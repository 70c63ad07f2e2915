// Helpers for writing a store: the contract, and the logic that all stores share.

import { publicFunction } from "../base/public-call.js";
import * as log from "./log.js";
import * as ranges from "./ranges.js";

export { ContextError } from "../base/errors.js";
export type * from "./contract.js";
export { type AdmittedAppend, checkKey, type ExpectedSession, type Standing } from "./log.js";

const KIND = "store_error";

/** Admits an append: see `admit` in the contract of stores. Fails with `STORE_CONFLICT`. */
export const admit: typeof log.admit = /* @__PURE__ */ publicFunction(KIND, "admit", log.admit);
/** Fails with `STORE_CONFLICT` if a session isn't the one that the caller of an append, a trim or a removal expects. */
export const checkExpected: typeof log.checkExpected = /* @__PURE__ */ publicFunction(
  KIND,
  "checkExpected",
  log.checkExpected,
);
/** Describes why a stored row isn't an entry. Returns undefined if it is one. */
export const flawOf: typeof log.flawOf = /* @__PURE__ */ publicFunction(KIND, "flawOf", log.flawOf);
/** Rebuilds the header of a session from its rows, after it was lost or damaged. */
export const recovered: typeof log.recovered = /* @__PURE__ */ publicFunction(KIND, "recovered", log.recovered);
/** Returns the session after a trim. */
export const trimmed: typeof log.trimmed = /* @__PURE__ */ publicFunction(KIND, "trimmed", log.trimmed);
/** Fails with `INVALID_SESSION` if a method of a store was called with arguments that it can't use. */
export const checkAsked: typeof ranges.checkAsked = /* @__PURE__ */ publicFunction(
  KIND,
  "checkAsked",
  ranges.checkAsked,
);
/** True if a session's header is valid. */
export const isInfo = /* @__PURE__ */ publicFunction(KIND, "isInfo", log.isInfo) as typeof log.isInfo;
/** Returns the sequence numbers of the entries that an append with `rewrites` has to read. */
export const seqsToRewrite: typeof log.seqsToRewrite = /* @__PURE__ */ publicFunction(
  KIND,
  "seqsToRewrite",
  log.seqsToRewrite,
);
/** Returns the options of an append with copies of its entries. */
export const withCopies: typeof log.withCopies = /* @__PURE__ */ publicFunction(KIND, "withCopies", log.withCopies);
/** Creates a store's error. */
export const storeError: typeof log.storeError = /* @__PURE__ */ publicFunction(KIND, "storeError", log.storeError);
