// Requirements for every error of windrow.

import assert from "node:assert/strict";
import { ContextError } from "windrow";

const KINDS = [
  "context_build_error",
  "transcript_error",
  "encoding_error",
  "token_count_error",
  "session_error",
  "store_error",
  "load_error",
];
const CODES = [
  "INVALID_CONFIG",
  "INVALID_TRANSCRIPT",
  "BUDGET_TOO_SMALL",
  "ENCODING_NOT_LOADED",
  "MEANING_NOT_LOADED",
  "PART_NOT_LOADED",
  "INVALID_ENCODING",
  "INVALID_MEANING",
  "HOOK_FAILED",
  "ABORTED",
  "INVALID_RECORDING",
  "NOT_SENDABLE",
  "INTERNAL",
  "INVALID_SESSION",
  "STORE_UNAVAILABLE",
  "STORE_BLOCKED",
  "STORE_NEWER",
  "STORE_FOREIGN",
  "STORE_QUOTA",
  "STORE_CONFLICT",
  "STORE_CLOSED",
  "STORE_FAILED",
  "INVALID_CORE",
];

/**
 * Passes a value of a wrong type to a typed function.
 *
 * @param {any} value
 * @returns {any}
 */
export const wrong = (value) => value;

/** Words that would reveal the engine's internals to a caller. */
const INSIDE = /\b(struct|enum|u8|u32|u64|i64|f64|usize|serde|JsValue|Option<|Vec<|Some\(|None\b|panicked|unwrap)/;

/**
 * Returns the error that `run` throws or rejects with. The test fails if it does neither.
 *
 * @param {() => unknown} run
 * @returns {Promise<any>}
 */
export async function errorOf(run) {
  try {
    await run();
  } catch (error) {
    return error;
  }
  assert.fail("an error was expected");
}

/**
 * Checks that an error is a `ContextError` in every respect, and the expected one.
 *
 * @param {any} error
 * @param {{ kind?: string, code?: string, path?: string, message?: RegExp }} [expected]
 */
export function checkContextError(error, { kind = "context_build_error", code, path, message } = {}) {
  assert.ok(error instanceof ContextError, `not a ContextError: ${error?.stack ?? String(error)}`);
  assert.ok(error instanceof Error);
  assert.equal(error.name, "ContextError");
  assert.equal(Object.prototype.toString.call(error), "[object Error]");
  assert.match(error.stack, /ContextError: /);
  assert.ok(KINDS.includes(error.kind), error.kind);
  assert.ok(CODES.includes(error.code), error.code);
  assert.ok(error.message.length > 0);
  assert.match(error.nextAction, /^[A-Z].*\.$/, "the next action is a sentence");
  for (const text of [error.message, error.nextAction, error.path ?? ""]) {
    assert.doesNotMatch(text, INSIDE);
  }
  if (error.path !== undefined) {
    assert.ok(error.message.startsWith(error.path), `"${error.message}" begins with the path ${error.path}`);
  }
  assert.equal(error.kind, kind);
  if (code !== undefined) {
    assert.equal(error.code, code, error.message);
  }
  if (path !== undefined) {
    assert.equal(error.path, path, error.message);
  }
  if (message !== undefined) {
    assert.match(error.message, message);
  }
}
