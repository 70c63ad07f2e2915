// Every member of the packages' own unions is read, skipped because no model sees it, or refused with its place.
// Everything that is read can be sent, or is refused with its place in the message.

import assert from "node:assert/strict";
import { test } from "node:test";
import { countTokens, providers, requestOf } from "windrow";
import { members } from "./members.ts";

const empty = countTokens([{ role: "assistant", content: "" }], { encoding: "estimate" }).tokens;

function outcomeOf(message) {
  try {
    return countTokens([message], { encoding: "estimate" }).tokens > empty ? "read" : "unseen";
  } catch (error) {
    assert.equal(error.code, "INVALID_TRANSCRIPT", error.stack);
    return error.path.replace("messages[0]", "");
  }
}

for (const [name, message, outcome] of members) {
  test(`${name}: ${outcome.startsWith(".") ? "refused with its place" : outcome}`, () => {
    assert.equal(outcomeOf(message), outcome);
    for (const { name: provider } of outcome.startsWith(".") ? [] : providers) {
      try {
        requestOf(provider, [{ role: "user", content: "Hello." }, message, { role: "user", content: "And now?" }]);
      } catch (error) {
        assert.equal(error.code, "NOT_SENDABLE", error.stack);
        assert.match(error.path, /^(?:messages|input|contents|initialPrompts)\[\d+\]/);
      }
    }
  });
}
