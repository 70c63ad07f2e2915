// The host runner fails if a host returns something else, returns less, or breaks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { buildContext, memoryStore, openSession } from "windrow";
import { outcomeOf } from "./shared/conversation.js";
import { judge } from "./support/judge.mjs";
import { lastLine, outputOf, whileServing } from "./support/programs.mjs";

const expected = await outcomeOf({ buildContext, openSession }, memoryStore());
const otherRequest = (messages, config) => buildContext(messages, { ...config, request: "Where was the violin?" });
const otherEncoding = (messages, config) => buildContext(messages, { ...config, encoding: "cl100k_base" });

const wrong = {
  "a context for another request": async () => ({
    ...expected,
    context: (await outcomeOf({ buildContext: otherRequest, openSession }, memoryStore())).context,
  }),
  "a context that is counted otherwise": async () => ({
    ...expected,
    context: (await outcomeOf({ buildContext: otherEncoding, openSession }, memoryStore())).context,
  }),
  "a session that is not the same": () => ({ ...expected, session: expected.session.replace("true", "false") }),
  "no session": () => ({ context: expected.context }),
  nothing: () => undefined,
  "an error": () => Promise.reject(new Error("it breaks")),
};

test("Node's own result passes", async () => {
  assert.deepEqual(await judge({ run: () => expected }, expected), { result: "as in Node", notes: undefined });
});

for (const [name, run] of Object.entries(wrong)) {
  test(`a host that returns ${name} fails`, async () => {
    const { result, failure } = await judge({ run }, expected);
    assert.equal(result, "fails");
    assert.ok(failure instanceof Error);
  });
}

test("a failing program reports its output, and one that exits isn't a server", async () => {
  const program = ["-e", "console.log('[1]'); console.error('it broke'); process.exitCode = Number(process.argv[1])"];
  assert.deepEqual(lastLine(await outputOf(process.execPath, [...program, "0"])), [1]);
  await assert.rejects(outputOf(process.execPath, [...program, "3"]), /ended with 3[\s\S]*it broke/);
  const serving = whileServing([process.execPath, ...program, "0"], /(http:\S+)/, {}, () => "an answer");
  await assert.rejects(serving, /ended/);
});
