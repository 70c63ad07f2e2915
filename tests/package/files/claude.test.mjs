// Claude exports: blocks, attachments, calls with their results, and the visible branch.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, parseTranscript } from "windrow";
import { checkAny, checkFile } from "../support/file-cases.mjs";
import { forEachSeed, forEachSeedAsync } from "../support/property.mjs";

const ROOT = "00000000-0000-4000-8000-000000000000";
const AT = "2026-01-02T03:04:05.678901Z";

const human = (uuid, text, more = {}) => ({
  uuid,
  text,
  content: [{ type: "text", text, citations: [] }],
  sender: "human",
  created_at: AT,
  updated_at: AT,
  attachments: [],
  files: [],
  ...more,
});
const assistant = (uuid, content, more = {}) => ({ ...human(uuid, ""), content, sender: "assistant", ...more });

const parsedOf = (chat_messages, more = {}) =>
  parseTranscript(JSON.stringify([{ uuid: "c", name: "", created_at: AT, chat_messages, ...more }]));
/** The messages as read, without fields that all of them have. */
const read = (...messages) =>
  parsedOf(messages).messages.map(({ conversationId, createdAt, ...one }) => {
    assert.deepEqual([conversationId, createdAt], ["c", AT]);
    return one;
  });

checkFile({
  name: "of Claude",
  newest: 1,
  sample: () => [
    {
      uuid: "c1",
      name: "Plan",
      summary: "about a plan",
      created_at: "2026-01-01T00:00:00.000000Z",
      updated_at: "2026-01-09T00:00:00.000000Z",
      account: { uuid: "acc" },
      chat_messages: [
        human("m1", "Read the plan.", {
          attachments: [
            { file_name: "plan.md", file_size: 9, file_type: "text/markdown", extracted_content: "# Plan" },
          ],
          files: [{ file_uuid: "f1", file_name: "map.png", file_kind: "image" }],
        }),
        assistant("m2", [
          {
            start_timestamp: AT,
            type: "thinking",
            thinking: "A plan.",
            summaries: [{ summary: "Reading" }],
            cut_off: false,
          },
          { type: "tool_use", id: "toolu_1", name: "web_search", input: { query: "plans" }, message: "Searching" },
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            name: "web_search",
            content: [
              { type: "text", text: "two pages", uuid: "u" },
              {
                type: "knowledge",
                title: "Plans",
                url: "https://example.org",
                text: "How to plan.",
                is_missing: false,
              },
            ],
            is_error: false,
            display_content: { type: "text", text: "two pages" },
          },
          { type: "token_budget", start_timestamp: AT },
          { type: "text", text: "It is short." },
          { type: "hologram", text: "in light" },
        ]),
      ],
    },
    { uuid: "c2", name: "", created_at: AT, chat_messages: [{ ...human("m3", "Hello"), content: [] }] },
    { uuid: "c3", name: "Empty", created_at: AT, chat_messages: [] },
  ],
  conversations: [
    {
      id: "c1",
      title: "Plan",
      startedAt: "2026-01-01T00:00:00.000Z",
      messages: [
        {
          id: "m1",
          role: "user",
          content: [
            { type: "text", text: "plan.md\n# Plan", origin: "file" },
            { type: "image", url: "f1" },
            { type: "text", text: "Read the plan." },
          ],
          createdAt: AT,
          conversationId: "c1",
        },
        {
          id: "m2",
          role: "assistant",
          content: [
            { type: "reasoning", text: "A plan." },
            { type: "tool-call", toolCallId: "toolu_1", toolName: "web_search", input: { query: "plans" } },
          ],
          createdAt: AT,
          conversationId: "c1",
        },
        {
          id: "m2/2",
          role: "tool",
          content: [
            {
              type: "tool_result",
              tool_use_id: "toolu_1",
              content: [
                { type: "text", text: "two pages" },
                { type: "text", text: "Plans\nhttps://example.org\nHow to plan." },
              ],
            },
          ],
          createdAt: AT,
          conversationId: "c1",
        },
        {
          id: "m2/3",
          role: "assistant",
          content: [
            { type: "text", text: "It is short." },
            { type: "text", text: "in light" },
          ],
          createdAt: AT,
          conversationId: "c1",
        },
      ],
    },
    {
      id: "c2",
      startedAt: "2026-01-02T03:04:05.678Z",
      messages: [{ id: "m3", role: "user", content: "Hello", createdAt: AT, conversationId: "c2" }],
    },
  ],
  skipped: [[1, /^message 2: content: unknown block "hologram"; only its text was read$/]],
});

describe("blocks", () => {
  test("of older exports are only the text", () => {
    assert.deepEqual(read({ uuid: "a", text: "said", sender: "human", created_at: AT }), [
      { id: "a", role: "user", content: "said" },
    ]);
    // If the blocks have content, the text is only the page's fallback.
    const shown = assistant("b", [{ type: "text", text: "real" }], { text: "This block is not supported." });
    assert.deepEqual(read(shown)[0].content, "real");
  });

  test("that are empty make no message", () => {
    assert.deepEqual(
      read(
        human("a", ""),
        assistant("b", [
          { type: "text", text: " " },
          { type: "thinking", thinking: "" },
        ]),
      ),
      [],
    );
  });

  test("of calls without ids are paired by name or order", () => {
    const use = (name, id) => ({ type: "tool_use", name, input: {}, ...(id && { id }) });
    const result = (name, text, tool_use_id) => ({ type: "tool_result", name, content: text, tool_use_id });
    const messages = read(
      assistant("a", [use("one"), use("two"), result("one", "1"), result("two", "2")]),
      assistant("b", [use("three"), use(undefined), result(undefined, "4"), result("three", "3", null)]),
    );
    /** @type {any[]} */
    const parts = messages.flatMap(({ content }) => content);
    assert.deepEqual(
      parts.map(({ toolCallId, tool_use_id }) => toolCallId ?? tool_use_id),
      ["a:0", "a:1", "a:0", "a:1", "b:0", "b:1", "b:1", "b:0"],
    );
    const context = buildContextSync(messages, { encoding: "estimate" });
    assert.equal(context.explain(0).fate, "kept");
    assert.equal(context.explain(1).fate, "kept");
  });

  test("of errors, of images, and unknown ones in a result", () => {
    const [, { content }] = read(
      assistant("a", [
        { type: "tool_use", id: "t", name: "draw", input: null },
        {
          type: "tool_result",
          tool_use_id: "t",
          is_error: true,
          content: [
            "plain",
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
            { type: "image", file_uuid: "f2" },
            { type: "rich", items: [1] },
            null,
          ],
        },
      ]),
    );
    assert.deepEqual(content, [
      {
        type: "tool_result",
        tool_use_id: "t",
        content: [
          { type: "text", text: "plain" },
          { type: "image", data: "AAAA", mediaType: "image/png" },
          { type: "image", url: "f2" },
          { type: "text", text: '{"type":"rich","items":[1]}' },
          { type: "text", text: "null" },
        ],
        is_error: true,
      },
    ]);
  });

  test("of a file name it once, however often the export repeats it", () => {
    const file = { file_uuid: "f", file_name: "a.pdf", file_kind: "document" };
    const image = { file_uuid: "g", file_kind: "image", preview_asset: { image_width: 10, image_height: 20 } };
    const [{ content }] = read(
      human("a", "See.", {
        files: [{ file_name: "old.pdf" }, file],
        files_v2: [file, image],
        attachments: [{ file_name: "empty.txt", extracted_content: "" }],
      }),
    );
    assert.deepEqual(content, [
      { type: "text", text: "[Attached file: empty.txt]" },
      { type: "text", text: "[Attached file: a.pdf]" },
      { type: "image", url: "g", width: 10, height: 20 },
      { type: "text", text: "[Attached file: old.pdf]" },
      { type: "text", text: "See." },
    ]);
  });

  test("of an unknown sender are skipped, and so are duplicates", () => {
    const { messages, skipped } = parsedOf([
      human("a", "one"),
      human("a", "two"),
      { ...human("b", "x"), sender: "bot" },
      5,
    ]);
    assert.deepEqual(
      messages.map(({ content }) => content),
      ["one"],
    );
    assert.deepEqual(skipped, [
      { row: 1, reason: "message 2: uuid: another message has it too" },
      { row: 1, reason: "message 4: expected a message, got 5" },
      { row: 1, reason: 'message 3: sender: unknown sender "bot"' },
    ]);
  });
});

describe("branches", () => {
  /** Messages that each have an earlier parent, and those of one branch. */
  function randomTree(random, count) {
    const parents = Array.from({ length: count }, (_, at) => (at === 0 ? null : random.integer(0, at - 1)));
    const branchOf = (leaf) => {
      const branch = [];
      for (let at = leaf; at !== null; at = parents[at]) {
        branch.unshift(`m${at}`);
      }
      return branch;
    };
    const messages = parents.map((parent, at) => ({
      ...human(`m${at}`, `said ${at}`),
      created_at: new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString(),
      parent_message_uuid: parent === null ? ROOT : `m${parent}`,
    }));
    return { messages, branchOf };
  }

  test("follow the current leaf, or the newest if none is named", () => {
    forEachSeed((random) => {
      const count = random.integer(2, 50);
      const { messages, branchOf } = randomTree(random, count);
      const leaf = random.chance(0.7) ? random.integer(0, count - 1) : undefined;
      const current_leaf_message_uuid = leaf === undefined ? undefined : `m${leaf}`;
      const parsed = parsedOf(messages, { current_leaf_message_uuid });
      assert.deepEqual(
        parsed.messages.map(({ id }) => id),
        branchOf(leaf ?? count - 1),
      );
      assert.deepEqual(parsed.skipped, []);
    });
  });

  test("don't exist if messages don't name their parents", () => {
    const messages = [human("a", "1"), human("b", "2", { parent_message_uuid: "gone" }), human("c", "3")];
    assert.deepEqual(
      read(...messages).map(({ id }) => id),
      ["a", "b", "c"],
    );
  });

  test("that are broken or circular end, and report it", async () => {
    await forEachSeedAsync(async (random) => {
      const { messages } = randomTree(random, random.integer(2, 20));
      for (let count = random.integer(1, 3); count > 0; count--) {
        const one = random.pick(messages);
        one.parent_message_uuid = random.pick([one.uuid, "gone", null, 5, random.pick(messages).uuid]);
      }
      const parsed = await checkAny(
        JSON.stringify([{ uuid: "c", chat_messages: messages, current_leaf_message_uuid: random.pick(messages).uuid }]),
      );
      assert.ok(parsed.messages.length >= 1);
      assert.equal(new Set(parsed.messages.map(({ id }) => id)).size, parsed.messages.length);
    });
  });
});

test("a single conversation, and conversations in an object, are read as well", () => {
  const one = { uuid: "c", name: "N", chat_messages: [human("a", "hi")] };
  for (const file of [one, [one], { conversations: [one] }]) {
    const { conversations, messages } = parseTranscript(JSON.stringify(file));
    assert.deepEqual([conversations.length, messages[0].content, messages[0].conversationId], [1, "hi", "c"]);
  }
});
