// Turn logs as Claude Code writes them: read from files, and stored by sessions line by line.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryStore, openSession, parseTranscript } from "windrow";

const user = (content) => ({ role: "user", content });
const assistant = (content) => ({ role: "assistant", content });
const lines = (...values) => values.map((value) => JSON.stringify(value)).join("\n");

describe("logs of turns", () => {
  const turn = (type, content) => ({ type, timestamp: "2026-01-01T00:00:00Z", message: { role: type, content } });
  const rows = [
    turn("user", "Which one?"),
    turn("assistant", [
      { type: "text", text: "The red one." },
      { type: "hologram", light: true },
    ]),
    { type: "summary", summary: "a choice", leafUuid: "x" },
    turn("user", "Thanks."),
  ];
  const expected = [user("Which one?"), assistant([{ type: "text", text: "The red one." }]), user("Thanks.")].map(
    (message) => ({ ...message, createdAt: "2026-01-01T00:00:00Z" }),
  );

  test("are read, and keep the texts of rows with an unreadable block", () => {
    for (const text of [lines(...rows), JSON.stringify(rows), JSON.stringify({ messages: rows })]) {
      const { messages, skipped } = parseTranscript(text);
      assert.deepEqual(
        messages,
        expected.map(({ createdAt, ...message }) => ({ ...message, createdAt })),
      );
      assert.deepEqual(
        skipped.map(({ row }) => row),
        [2, 3],
      );
    }
  });

  test("are imported: each line is kept, and is a message", async () => {
    const session = await openSession("s", { store: memoryStore() });
    const { messageCount, skipped } = await session.import(lines(...rows));
    assert.deepEqual([messageCount, skipped.length], [3, 1]);
    assert.deepEqual(
      (await session.messages()).map(({ id, ...message }) => message),
      expected,
    );
    const file = await session.export();
    assert.ok(file.includes(JSON.stringify(rows[0])) && file.includes(JSON.stringify(rows[2])));
  });
});
