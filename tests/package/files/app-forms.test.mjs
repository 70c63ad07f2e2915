// Other forms of apps' files: exports as text, rows of a database, and files without any message.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryStore, openSession, parseTranscript, problemsOf, providers } from "windrow";
import { carryOn } from "windrow/files";
import { errorOf } from "../support/errors.mjs";
import { forEachSeed } from "../support/property.mjs";

const said = (text) => parseTranscript(text).messages.map(({ role, content }) => [role, content]);

describe("LibreChat's export as text and as Markdown", () => {
  /** Writes messages `[sender, texts, isUnfinished]` as LibreChat does. */
  const written = (messages, isMarkdown, end = "\n") => {
    const [mark, fact, header] = isMarkdown ? ["## ", "- ", "# Conversation\n"] : ["", "", "Conversation\n"];
    const line = isMarkdown ? "" : `${"#".repeat(24)}\n`;
    const facts = ["conversationId: c", "endpoint: openAI", "title: Keys: a list"];
    const rows = messages.map(([sender, texts, note]) => {
      const parts = texts.map((text) => (isMarkdown ? `**${sender}**\n${text}` : `>> ${sender}:\n${text}`));
      const words =
        note === undefined ? "" : isMarkdown ? `*(This is an ${note} message)*\n` : `(This is an ${note} message)\n`;
      return `${parts.join("\n\n\n")}\n${words}\n\n`;
    });
    const options = `\n${mark}Options\n${line}${fact}model: gpt-4\n${fact}promptPrefix: Be kind.\n`;
    const head = header + line + facts.map((one) => `${fact}${one}\n`).join("");
    return `${head}${options}\n${mark}History\n${line}${rows.join("")}`.replaceAll("\n", end);
  };

  test("has the speakers, whatever the texts look like", () => {
    const pieces = [
      "plain",
      "a\n\nb",
      "a\n\n\nb",
      "**bold** text",
      ">> quoted: a",
      "- list: x",
      "## History",
      "(a)",
      "{ }",
    ];
    forEachSeed((random) => {
      const messages = Array.from({ length: random.integer(1, 6) }, (_, at) => [
        at % 2 === 0 ? "User" : random.pick(["GPT-4", "Claude: Sonnet", "A*B"]),
        Array.from(
          { length: at % 2 === 0 ? 1 : random.integer(1, 2) },
          () => `w ${random.pick(pieces)} ${random.pick(pieces)}`,
        ),
        random.chance(0.2) ? "unfinished" : undefined,
      ]);
      const file = written(messages, random.chance(0.5), random.pick(["\n", "\r\n"]));
      const expected = messages.flatMap(([sender, texts]) =>
        texts.map((text) => [sender === "User" ? "user" : "assistant", text]),
      );
      assert.deepEqual(said(file), [["system", "Be kind."], ...expected], file);
    });
  });

  test("has calls, which are JSON, and reports answers that failed", () => {
    const call = { type: "tool_call", tool_call: { id: "t", name: "find", args: "{}", output: "drawer" } };
    for (const isMarkdown of [true, false]) {
      const file = written(
        [
          ["User", ["Where?"]],
          ["GPT-4", ["I look.", JSON.stringify(call), "In the drawer."]],
          ["GPT-4", ["quota"], "error"],
        ],
        isMarkdown,
      );
      const { messages, skipped } = parseTranscript(file);
      assert.deepEqual(
        messages.map(({ role }) => role),
        ["system", "user", "assistant", "assistant", "tool", "assistant"],
      );
      assert.match(JSON.stringify(skipped), /the answer failed/);
      assert.ok(!JSON.stringify(messages).includes("quota"));
    }
  });
});

test("a file with a list of messages in each line is one conversation", async () => {
  const runs = [
    [
      { kind: "request", parts: [{ part_kind: "user-prompt", content: "How many?" }] },
      { kind: "response", parts: [{ part_kind: "text", content: "Forty." }] },
    ],
    [{ kind: "request", parts: [{ part_kind: "user-prompt", content: "And boats?" }] }],
  ];
  const text = runs.map((run) => JSON.stringify(run)).join("\n");
  assert.equal(parseTranscript(text).messages.length, 3);
  const session = await openSession("s", { store: memoryStore() });
  assert.equal((await session.import(text)).messageCount, 3);
});

describe("exports of other versions", () => {
  const messages = {
    a: { id: "a", parentId: null, role: "user", content: "How many?" },
    b: { id: "b", parentId: "a", role: "assistant", content: "Not chosen." },
    c: { id: "c", parentId: "a", role: "assistant", content: "Forty." },
  };
  const history = { messages, currentId: "c" };
  const row = (messageId, parentMessageId, isCreatedByUser, text) => ({
    messageId,
    parentMessageId,
    isCreatedByUser,
    text,
  });
  const answer = { ...row("2", "1", false, "Forty."), content: [null, { type: "text", text: "Forty." }] };
  const files = {
    "a row of Open WebUI's database": {
      id: "1",
      user_id: "u",
      title: "t",
      chat: JSON.stringify({ title: "t", history }),
    },
    "rows of Open WebUI's database": [{ id: "1", title: "t", chat: JSON.stringify({ history }) }],
    "the chat within Open WebUI's export": { title: "t", models: ["m"], history, messages: [] },
    "an LM Studio conversation with few facts": {
      ...{ name: "t", createdAt: 1 },
      messages: [messages.a, messages.c].map(({ role, content }) => ({
        versions: [{ type: "singleStep", role, content: [{ type: "text", text: content }] }],
        currentlySelected: 0,
      })),
    },
    "Open WebUI's export with only a list": [{ id: "1", chat: { title: "t", messages: [messages.a, messages.c] } }],
    "LibreChat's nested export before `messagesTree`": {
      conversationId: "c",
      recursive: true,
      messages: { messageId: "c", children: [{ ...row("1", null, true, "How many?"), children: [answer] }] },
    },
  };
  for (const [name, file] of Object.entries(files)) {
    test(`${name} is read`, async () => {
      const text = JSON.stringify(file);
      const { skipped } = parseTranscript(text);
      assert.deepEqual(said(text), [
        ["user", "How many?"],
        ["assistant", "Forty."],
      ]);
      assert.deepEqual(skipped, []);
      const session = await openSession("s", { store: memoryStore() });
      assert.equal((await session.import(text)).messageCount, 2);
      for (const { name: as } of providers) {
        const { body } = await carryOn(text, { as, encoding: "estimate" });
        assert.deepEqual(problemsOf(as, body), []);
      }
    });
  }

  test("an event of the Copilot CLI that isn't a message isn't one", () => {
    const event = (type, data, at) => ({ type, data, id: `e${at}`, timestamp: "2026-01-01T00:00:00Z", parentId: null });
    const rows = [event("user.message", { content: "Hi" }, 1), event("abort", { reason: "user" }, 2)];
    const { messages, skipped } = parseTranscript(rows.map((one) => JSON.stringify(one)).join("\n"));
    assert.deepEqual([messages.length, skipped], [1, []]);
  });

  test("a WhatsApp chat without any message is named", async () => {
    const notice = "Messages and calls are end-to-end encrypted. Not even WhatsApp can read them.";
    for (const start of ["5/4/26, 10:00 AM - ", "[04.05.26, 10:00:00] Club: \u200e"]) {
      const { message } = await errorOf(() => parseTranscript(`${start}${notice}\n`));
      assert.match(message, /WhatsApp/);
    }
  });
});
