// Statements in a list of messages, and the option that forgets some.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContext, createTranscript, listStatements, replay } from "windrow";
import { checkContextError, errorOf, wrong } from "../support/errors.mjs";

const encoding = "estimate";
const ALLERGY = "I have a severe peanut allergy.";
const messages = [
  { id: "a", role: "user", content: `${ALLERGY} Does it snow?` },
  { id: "b", role: "assistant", content: "It does." },
  { id: "c", role: "user", content: "My daughter is called Ilse." },
  { role: "user", content: "Please use tabs, not spaces." },
  { role: "user", content: "How tall is a birch?" },
];

describe("listStatements", () => {
  test("lists the statements of messages, in arrays and transcripts", async () => {
    const listed = await listStatements(messages);
    assert.deepEqual(
      listed.map(({ kind, sentence, index, messageId }) => [kind, sentence, index, messageId]),
      [
        ["health", ALLERGY, 0, "a"],
        ["fact", "My daughter is called Ilse.", 2, "c"],
        ["instruction", "Please use tabs, not spaces.", 3, undefined],
      ],
    );
    assert.equal(listed[0].message, messages[0]);
    assert.deepEqual(await listStatements(createTranscript(messages)), listed);
    assert.deepEqual(await listStatements(messages, { name: "Ana" }), []);
    assert.deepEqual(await listStatements([]), []);
  });

  test("names the older statement that a newer one replaces", async () => {
    const eaten = ["I never eat cheese, fish or eggs.", "I only eat fish, eggs or cheese."];
    const listed = await listStatements(eaten.map((content) => ({ role: "user", content })));
    assert.deepEqual(
      listed.map(({ index, replacedBy }) => [index, replacedBy]),
      [
        [0, 1],
        [1, undefined],
      ],
    );
  });

  test("fails for anything but a list, and for a wrong option", async () => {
    const kind = "transcript_error";
    checkContextError(await errorOf(() => listStatements(wrong("a"))), { kind, code: "INVALID_TRANSCRIPT" });
    checkContextError(await errorOf(() => listStatements(messages, wrong({ name: 1 }))), {
      kind,
      code: "INVALID_CONFIG",
    });
  });
});

describe("filter.forgotten", () => {
  test("leaves out the listed statements, and the recording has the list", async () => {
    const [, daughter] = await listStatements(messages);
    const forgotten = [{ sentence: daughter.sentence, messageIds: ["c"] }];
    const context = await buildContext(messages, { encoding, filter: { forgotten } });
    assert.deepEqual(context.explain("c").reason, "forgotten");
    assert.ok(!context.kept.includes(messages[2]));
    assert.ok((await replay(context.recording, messages)).same);
  });

  test("is read strictly", async () => {
    for (const forgotten of [[{}], [{ sentence: " " }], ["a"], [{ sentence: "a", id: "b" }]]) {
      const failure = await errorOf(() => buildContext(messages, { filter: { forgotten: wrong(forgotten) } }));
      checkContextError(failure, { code: "INVALID_CONFIG" });
      assert.match(failure.path, /^filter\.forgotten\[0\]/);
    }
  });
});
