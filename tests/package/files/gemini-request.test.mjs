// Requests to Gemini's API: the fields around the contents, which are read as messages.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, messageShapes, parseTranscript, plainMessage } from "windrow";

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

test("a request as Python's packages write it", () => {
  const parts = (...given) => given.map((part) => ({ text: null, function_call: null, ...part }));
  const { messages, skipped } = parseTranscript(
    JSON.stringify({
      system_instruction: { parts: { text: "Be brief." } },
      contents: [
        {
          role: "user",
          parts: parts({ text: "How many?" }, { inline_data: { mime_type: "image/png", data: "AAAA" } }),
        },
        {
          role: "model",
          parts: parts({ function_call: { name: "seats", args: { hall_id: 1 } }, thought_signature: "s" }),
        },
        { role: "user", parts: parts({ function_response: { name: "seats", response: { output: "40" } } }) },
      ],
    }),
  );
  assert.deepEqual(skipped, []);
  /** @type {any[]} */
  const [system, asked, call, result] = messages.map((message) => plainMessage(message));
  assert.deepEqual(system.content, [{ type: "text", text: "Be brief." }]);
  assert.deepEqual(asked.content[1], { type: "image", data: "AAAA", mediaType: "image/png" });
  assert.deepEqual(call.content[0].input, { hall_id: 1 });
  assert.equal(call.content[0].signature, "s");
  assert.equal(result.content[0].output, "40");
});

test("a page of OpenAI's Conversations API", () => {
  const said = (role, type, text) => ({ type: "message", role, content: [{ type, text }] });
  const data = [said("user", "input_text", "How many?"), said("assistant", "output_text", "Forty.")];
  const page = { object: "list", data, first_id: "msg_1", last_id: "msg_2", has_more: false };
  const { messages, skipped } = parseTranscript(JSON.stringify(page));
  assert.deepEqual(
    messages.map((message) => plainMessage(message).role),
    ["user", "assistant"],
  );
  assert.deepEqual(skipped, []);
});
