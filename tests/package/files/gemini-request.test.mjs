// Requests to Gemini's API: the fields around the contents, which are read as messages.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, messageShapes, parseTranscript } from "windrow";

describe("requests to Gemini", () => {
  const contents = [
    { role: "user", parts: [{ text: "Where?" }] },
    { role: "model", parts: [{ text: "There." }] },
  ];
  const outcome = (value) => {
    try {
      return parseTranscript(JSON.stringify(value)).messages;
    } catch ({ code, nextAction }) {
      return { code, nextAction };
    }
  };

  test("have the same contents as a list of the messages", () => {
    assert.deepEqual(outcome({ contents, generationConfig: {} }), outcome(contents));
  });

  // The format's reader handles the contents. This test covers the rest of the request.
  test("are read, and stay unchanged", {
    skip: !messageShapes.some(({ title }) => /gemini/i.test(title)),
  }, () => {
    assert.deepEqual(outcome({ contents }), contents);
    assert.match(
      buildContextSync(/** @type {any} */ (outcome({ contents })), { encoding: "estimate", render: { format: "text" } })
        .text,
      /There\./,
    );
  });

  test("begin with their instruction", () => {
    const own = [{ role: "user", parts: [{ type: "text", text: "Where?" }] }];
    for (const more of [
      { systemInstruction: { parts: [{ text: "Be brief." }] } },
      { system_instruction: { role: "system", parts: [{ text: "Be brief." }] } },
      { systemInstruction: "Be brief." },
      { config: { systemInstruction: ["Be brief."] } },
    ]) {
      assert.deepEqual(outcome({ ...more, contents: own }), [{ role: "system", content: "Be brief." }, ...own]);
    }
    assert.deepEqual(outcome({ config: 5, systemInstruction: 5, contents: own }), own);
  });
});
