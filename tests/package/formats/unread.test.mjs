// Errors for values that aren't messages name the value and the one to pass instead. None claims that a known format
// lacks a role.

import assert from "node:assert/strict";
import { test } from "node:test";
import { countTokens } from "windrow";
import { checkContextError, errorOf } from "../support/errors.mjs";

const message = { role: "assistant", content: "hi" };

/** @type {Record<string, [value: any, says: RegExp, next: RegExp]>} */
const CASES = {
  "a response of OpenAI's chat": [{ id: "c", choices: [{ message }] }, /response of OpenAI's chat/, /choices\[0\]/],
  "a response of OpenAI's Responses": [{ object: "response", output: [message] }, /OpenAI's Responses/, /`output`/],
  "a response of Gemini's": [{ candidates: [{ content: { parts: [] } }] }, /Gemini/, /candidates\[0\]/],
  "a response of Bedrock's": [{ output: { message }, usage: {} }, /Bedrock/, /output\.message/],
  "a body of a request": [{ model: "gpt-5", messages: [message] }, /holds messages/, /`messages`/],
  "a body for Gemini": [{ contents: [{ role: "user", parts: [] }] }, /holds contents/, /`contents`/],
  "an event of AG-UI": [{ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "hi" }, /AG-UI/, /messages/],
  "a chunk of the AI SDK's": [{ type: "text-delta", id: "1", delta: "hi" }, /chunk of a stream/, /message/],
  "a message of Slack's": [{ user: "U1", ts: "1767600000.000100", text: "hi" }, /a Slack export/, /role, name/],
  "a message of Discord's": [
    { author: { name: "Mara", isBot: false }, content: "hi" },
    /a Discord export/,
    /role, name/,
  ],
  "a message of Telegram's": [{ from: "Mara", from_id: "user1", text: "hi" }, /a Telegram export/, /parseTranscript/],
  "a result of an MCP tool": [
    { content: [{ type: "text", text: "40" }], structuredContent: { seats: 40 }, isError: false },
    /result of an MCP tool/,
    /role tool/,
  ],
  "a message of Cohere's first API": [{ role: "USER", message: "hi" }, /Cohere's first API/, /role, name/],
  "a message of the Assistants API": [{ object: "thread.message", content: [] }, /Assistants API/, /role, name/],
};

for (const [name, [value, says, next]] of Object.entries(CASES)) {
  test(name, async () => {
    const failure = await errorOf(() => countTokens([value], { encoding: "estimate" }));
    checkContextError(failure, { kind: failure.kind, code: "INVALID_TRANSCRIPT" });
    assert.match(failure.message, says);
    assert.doesNotMatch(failure.message, /has no role/);
    assert.match(failure.nextAction, next);
  });
}

test("the error about an unknown value still says that it has no role", async () => {
  const failure = await errorOf(() => countTokens([/** @type {any} */ ({ words: "hi" })], { encoding: "estimate" }));
  assert.match(failure.message, /the message has no role/);
});

test("a list that claims to be longer than memory is an error at once", async () => {
  for (const field of ["messages", "content", "chats", "messagesTree"]) {
    const long = Object.assign([message], { length: 2 ** 32 - 1 });
    const value = /** @type {any} */ ({ words: "hi", [field]: field === "chats" ? { list: long } : long });
    const failure = await errorOf(() => countTokens([value], { encoding: "estimate" }));
    assert.equal(failure.code, "INVALID_TRANSCRIPT", field);
  }
});
