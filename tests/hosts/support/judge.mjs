// Compares a host's result with Node's.

import assert from "node:assert/strict";

/**
 * Runs a check and reports on it: `result` in words, and `failure` if it failed. A check returns a context and a
 * session, unless it lists fewer. Both must equal Node's, byte for byte.
 */
export async function judge({ gives = ["context", "session"], run }, expected) {
  try {
    const found = await run();
    for (const name of gives) {
      assert.equal(typeof expected[name], "string", `there is a ${name} to compare with`);
      assert.equal(found?.[name], expected[name], `the ${name} is as in Node`);
    }
    return { result: found?.result ?? "as in Node", notes: found?.notes };
  } catch (failure) {
    return { result: "fails", failure };
  }
}
