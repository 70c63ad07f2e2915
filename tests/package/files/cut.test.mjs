// Files whose beginning or end is missing: parseTranscript and session.import read the same rows of them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryStore, openSession, parseTranscript } from "windrow";
import { APP_FILES } from "../support/app-files.mjs";
import { assertShare, forEachSeedAsync } from "../support/property.mjs";
import { randomConversation } from "../support/turns.mjs";

/** Returns the number of messages that a call reads. Undefined if it refuses the file. */
const countOf = async (read) => {
  try {
    return await read();
  } catch (failure) {
    assert.equal(failure.code, "INVALID_TRANSCRIPT");
    return undefined;
  }
};

test("a file with a cut line is read in full or refused by parseTranscript and session.import alike", async () => {
  let [readCount, caseCount] = [0, 0];
  await forEachSeedAsync(async (random) => {
    const app = random.pick(APP_FILES);
    const { text } = app.write(randomConversation(random, app), random);
    const first = text.indexOf("\n");
    const end = first < 0 ? text.length : first;
    const at = random.integer(1, Math.max(end, 1));
    const file = random.pick([
      text.slice(at),
      text.slice(0, at) + text.slice(end),
      text.slice(0, random.integer(Math.min(first + 1, text.length - 1), text.length)),
    ]);
    const parsed = await countOf(() => {
      const { conversations } = parseTranscript(file);
      return conversations.reduce((sum, { messages }) => sum + messages.length, 0);
    });
    const session = await openSession("s", { store: memoryStore() });
    const imported = await countOf(async () => (await session.import(file)).messageCount);
    assert.equal(imported, parsed, file);
    caseCount += 1;
    readCount += parsed === undefined ? 0 : 1;
  });
  assertShare(readCount, caseCount, 4, "files were read");
});
