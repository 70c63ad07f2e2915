// Whether a host made what Node makes.

import assert from "node:assert/strict";

/**
 * Runs a check, and says what came of it: `result` in words, and `failure` where it failed. A check gives back a context and a session,
 * unless `gives` names less; both must be those of Node, to the byte.
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
