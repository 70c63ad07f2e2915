// Agents' logs: trees with marks. One branch is read, as the model saw it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, memoryStore, openSession, parseTranscript } from "windrow";
import { forEachSeed } from "../support/property.mjs";

const lines = (rows) => rows.map((row) => JSON.stringify(row)).join("\n");
const time = (second) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();

/** Words in the texts and results of messages in any format. */
const textsOf = (messages) =>
  buildContextSync(messages, { encoding: "estimate", request: null, render: { format: "messages" } })
    .messages.map((message) => JSON.stringify(message))
    .flatMap((text) => text.match(/w\d+/g) ?? []);

const readLog = (rows) => {
  const { messages, skipped, unread } = parseTranscript(lines(rows));
  assert.equal(unread, undefined);
  return {
    words: messages.map((message) => JSON.stringify(message)).flatMap((text) => text.match(/w\d+/g) ?? []),
    messages,
    skipped,
  };
};

// ---- Writers for each agent's log ----

/**
 * A row of Claude Code's log. Other fields are copied unchanged.
 *
 * @param {any} turn
 */
const claudeRow = ({ id, role, word, parent, second, ...extra }) => ({
  parentUuid: parent ?? null,
  isSidechain: false,
  sessionId: "s",
  type: role,
  message:
    role === "user"
      ? { role, content: word }
      : { id: `msg_${id}`, type: "message", role, content: [{ type: "text", text: word }] },
  uuid: id,
  timestamp: time(second),
  ...extra,
});
const piRow = ({ id, role, word, parent, second }) => ({
  type: "message",
  id,
  parentId: parent ?? null,
  timestamp: time(second),
  message: { role, content: [{ type: "text", text: word }], timestamp: Date.parse(time(second)) },
});

/** A random tree of turns whose last branch is the newest: its rows in the order of writing, and its words. */
function randomTree(random) {
  const rows = [];
  let path = [];
  for (let at = 0; at < random.integer(2, 14); at++) {
    // The user goes back to an earlier point of the branch and says something else.
    if (path.length > 1 && random.integer(0, 3) === 0) {
      path = path.slice(0, random.integer(1, path.length - 1));
    }
    const role = path.length % 2 === 0 ? "user" : "assistant";
    const row = { id: `u${at}`, role, word: `w${at}`, parent: path.at(-1)?.id, second: at };
    rows.push(row);
    path.push(row);
  }
  return { rows, words: path.map(({ word }) => word) };
}

describe("the branch of a log", () => {
  test("is that of the newest leaf, with any other rows in Claude Code's log", () => {
    forEachSeed((random) => {
      const { rows, words } = randomTree(random);
      const written = rows.flatMap((row) => {
        const own = claudeRow(row);
        const noise = [
          claudeRow({ ...row, id: `s${row.id}`, word: "w999", isSidechain: true, parent: null, agentId: "a" }),
          claudeRow({ ...row, id: `m${row.id}`, word: "w998", isMeta: true, parent: row.id }),
          claudeRow({
            ...row,
            id: `e${row.id}`,
            role: "assistant",
            word: "w997",
            isApiErrorMessage: true,
            parent: row.id,
          }),
          {
            type: "progress",
            uuid: `p${row.id}`,
            parentUuid: row.id,
            timestamp: time(row.second),
            data: { type: "hook" },
          },
          { type: "file-history-snapshot", messageId: "x", snapshot: {} },
          own,
        ];
        return [own, ...noise.filter(() => random.integer(0, 2) === 0)];
      });
      const read = readLog(written);
      assert.deepEqual(read.words, words);
      assert.deepEqual(read.skipped, []);
    });
  });

  test("is that of the last row in pi's log", () => {
    forEachSeed((random) => {
      const { rows, words } = randomTree(random);
      const header = { type: "session", version: 3, id: "s", timestamp: time(0), cwd: "/w" };
      const change = { type: "model_change", id: "c", parentId: null, timestamp: time(0), provider: "p", modelId: "m" };
      assert.deepEqual(readLog([header, change, ...rows.map(piRow)]).words, words);
    });
  });

  test("doesn't lose the part before a damaged row", () => {
    forEachSeed((random) => {
      const rows = Array.from({ length: random.integer(3, 9) }, (_, at) =>
        claudeRow({
          ...{ id: `u${at}`, role: at % 2 === 0 ? "user" : "assistant", word: `w${at}`, second: at },
          parent: at === 0 ? null : `u${at - 1}`,
        }),
      );
      const cut = random.integer(0, rows.length - 1);
      const text = rows
        .map((row, at) => (at === cut ? JSON.stringify(row).slice(0, -20) : JSON.stringify(row)))
        .join("\n");
      const { messages, unread } = parseTranscript(text);
      const words = JSON.stringify(messages).match(/w\d+/g) ?? [];
      assert.deepEqual(
        words,
        rows.map((_, at) => `w${at}`).filter((_, at) => at !== cut),
      );
      assert.deepEqual([unread?.count, unread?.first.row], [1, cut + 1]);
    });
  });
});

describe("Claude Code's log", () => {
  const call = (id, parent, calls, second) => ({
    ...claudeRow({ id, role: "assistant", word: "", parent, second }),
    message: {
      ...{ id: "msg_1", type: "message", role: "assistant" },
      content: calls.map((name) => ({ type: "tool_use", id: name, name: "look", input: {} })),
    },
  });
  const result = (id, parent, name, word, second) => ({
    ...claudeRow({ id, role: "user", word: "", parent, second }),
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: name, content: word }] },
  });

  test("has the results of parallel calls next to each other: none is lost", () => {
    forEachSeed((random) => {
      const count = random.integer(2, 5);
      const calls = Array.from({ length: count }, (_, at) =>
        call(`a${at}`, at === 0 ? "u" : `a${at - 1}`, [`t${at}`], at + 1),
      );
      const order = [...calls.keys()].sort(() => random.fraction() - 0.5);
      const results = order.map((at, place) => result(`r${at}`, `a${at}`, `t${at}`, `w${at + 1}`, 10 + place));
      const rows = [
        claudeRow({ id: "u", role: "user", word: "w0", second: 0 }),
        ...calls,
        ...results,
        claudeRow({
          id: "z",
          role: "assistant",
          word: "w50",
          parent: results[random.integer(0, count - 1)].uuid,
          second: 20,
        }),
      ];
      const { messages, words } = readLog(rows);
      assert.deepEqual([...words].sort(), ["w0", ...calls.map((_, at) => `w${at + 1}`), "w50"].sort());
      assert.equal(words.at(-1), "w50");
      assert.deepEqual(textsOf(messages).sort(), [...words].sort());
    });
  });

  test("is summed up by a compaction", () => {
    const before = [
      claudeRow({ id: "a", role: "user", word: "w1", second: 1 }),
      claudeRow({ id: "b", role: "assistant", word: "w2", parent: "a", second: 2 }),
    ];
    const boundary = {
      ...{ type: "system", subtype: "compact_boundary", uuid: "c", parentUuid: null, logicalParentUuid: "b" },
      ...{ content: "Conversation compacted", timestamp: time(3), isSidechain: false },
    };
    const summary = claudeRow({ id: "d", role: "user", word: "w3", parent: "c", second: 4, isCompactSummary: true });
    const after = claudeRow({ id: "e", role: "user", word: "w4", parent: "d", second: 5 });
    assert.deepEqual(readLog([...before, boundary, summary, after]).words, ["w3", "w4"]);
    const shown = { ...summary, isVisibleInTranscriptOnly: true };
    assert.deepEqual(readLog([...before, boundary, shown, after]).words, ["w3", "w4"]);
    // A boundary without a summary replaces nothing.
    assert.deepEqual(readLog([...before, boundary, { ...after, parentUuid: "c" }]).words, ["w1", "w2", "w4"]);
    // Rows that the compaction kept verbatim come after the summary.
    const kept = {
      ...boundary,
      compactMetadata: { preservedSegment: { headUuid: "b", anchorUuid: "d", tailUuid: "b" } },
    };
    assert.deepEqual(readLog([...before, kept, summary, { ...after, parentUuid: "b" }]).words, ["w3", "w2", "w4"]);
    // The newest versions write the last of them again, after the summary, and name them all.
    const all = {
      ...kept,
      compactMetadata: {
        preservedSegment: { headUuid: "a", anchorUuid: "d", tailUuid: "f" },
        preservedMessages: { anchorUuid: "d", uuids: ["a", "b", "f"] },
      },
    };
    const again = claudeRow({ id: "f", role: "user", word: "w5", parent: "d", second: 2 });
    const end = { ...after, parentUuid: "f" };
    assert.deepEqual(readLog([...before, all, summary, again, end]).words, ["w3", "w1", "w2", "w5", "w4"]);
    const segment = { ...all, compactMetadata: { ...all.compactMetadata, preservedMessages: undefined } };
    const { words, skipped } = readLog([...before, segment, summary, again, end]);
    assert.deepEqual([words, skipped], [["w3", "w5", "w4"], []]);
  });

  test("of a sidechain is its own conversation", () => {
    const rows = [1, 2].map((at) =>
      claudeRow({
        id: `u${at}`,
        role: "user",
        word: `w${at}`,
        parent: at === 1 ? null : "u1",
        second: at,
        isSidechain: true,
      }),
    );
    assert.deepEqual(readLog(rows).words, ["w1", "w2"]);
  });

  test("of several sessions in one file is a conversation each, unless one continues the other", () => {
    const a = claudeRow({ id: "a", role: "user", word: "w1", second: 1 });
    const b = claudeRow({ id: "b", role: "user", word: "w2", second: 2, sessionId: "t" });
    const wordsOf = (rows) =>
      parseTranscript(lines(rows)).conversations.map(({ id, messages }) => [
        id,
        ...messages.flatMap(({ content }) => JSON.stringify(content).match(/w\d+/g) ?? []),
      ]);
    assert.deepEqual(wordsOf([a, b]), [
      ["s", "w1"],
      ["t", "w2"],
    ]);
    assert.deepEqual(wordsOf([a, { ...b, parentUuid: "a" }]), [["s", "w1", "w2"]]);
    const header = (id) => ({ type: "session", version: 3, id, timestamp: time(0), cwd: "/w" });
    const row = (id, word) => piRow({ id, role: "user", word, parent: null, second: 1 });
    assert.deepEqual(wordsOf([header("p"), row("x", "w1"), header("q"), row("x", "w2")]), [
      ["p", "w1"],
      ["q", "w2"],
    ]);
  });

  test("includes words that the user typed while the model was working", () => {
    const queued = {
      ...{ type: "attachment", uuid: "q", parentUuid: "u", timestamp: time(1), isSidechain: false },
      attachment: { type: "queued_command", prompt: "w2" },
    };
    const first = claudeRow({ id: "u", role: "user", word: "w1", second: 0 });
    assert.deepEqual(readLog([first, queued]).words, ["w1", "w2"]);
    // Older versions only record that they left the queue.
    const left = { type: "queue-operation", operation: "remove", content: "w2", timestamp: time(1), sessionId: "s" };
    const answer = claudeRow({ id: "a", role: "assistant", word: "w3", parent: "u", second: 2 });
    assert.deepEqual(readLog([first, { ...left, operation: "enqueue" }, left, answer]).words, ["w1", "w2", "w3"]);
    assert.deepEqual(readLog([first, left, queued]).words, ["w1", "w2"]);
    // The program queues news for the model as well.
    const news = { ...left, content: "<task-notification>w2</task-notification>" };
    assert.deepEqual(readLog([first, news, answer]).words, ["w1", "w3"]);
    // On an abandoned branch they aren't read.
    const other = claudeRow({ id: "b", role: "user", word: "w4", second: 3 });
    assert.deepEqual(readLog([first, left, other]).words, ["w4"]);
  });

  test("is imported as the same conversation", async () => {
    const { rows, words } = { rows: [claudeRow({ id: "a", role: "user", word: "w1", second: 1 })], words: ["w1"] };
    const gone = claudeRow({ id: "x", role: "user", word: "w2", parent: null, second: 0 });
    const session = await openSession("s", { store: memoryStore() });
    const { messageCount } = await session.import(lines([gone, ...rows]));
    assert.deepEqual([messageCount, (await session.messages()).map(({ content }) => content)], [1, words]);
  });
});

test("pi's compaction replaces the summarized part, and branches leave a summary", () => {
  const header = { type: "session", version: 3, id: "s", timestamp: time(0), cwd: "/w" };
  const row = (id, parent, word, second) => piRow({ id, role: "user", word, parent, second });
  const entry = (type, id, parentId, fields) => ({ type, id, parentId, timestamp: time(9), ...fields });
  const rows = [
    ...[header, row("a", null, "w1", 1), row("b", "a", "w2", 2), row("c", "b", "w3", 3)],
    entry("compaction", "d", "c", { summary: "w4", firstKeptEntryId: "c", tokensBefore: 9 }),
    entry("custom_message", "e", "d", { customType: "x", content: "w5", display: true }),
    entry("custom", "f", "e", { customType: "x", data: { word: "w6" } }),
    entry("branch_summary", "g", "f", { summary: "w7", fromId: "a" }),
    row("h", "g", "w8", 10),
  ];
  assert.deepEqual(readLog(rows).words, ["w4", "w3", "w5", "w7", "w8"]);
  // The first version of the format has no ids.
  const old = [
    header,
    ...["w1", "w2"].map((word) => ({ ...row("", null, word, 1), id: undefined, parentId: undefined })),
  ];
  assert.deepEqual(readLog(old).words, ["w1", "w2"]);
});

describe("a rollout of Codex", () => {
  const item = (payload, second = 0) => ({ timestamp: time(second), type: "response_item", payload });
  const says = (role, text) =>
    item({ type: "message", role, content: [{ type: role === "assistant" ? "output_text" : "input_text", text }] });
  const event = (payload) => ({ timestamp: time(0), type: "event_msg", payload });
  const meta = { timestamp: time(0), type: "session_meta", payload: { id: "s", base_instructions: { text: "w0" } } };

  test("is read once, even if events repeat its items", () => {
    const rows = [meta, says("user", "w1"), event({ type: "user_message", message: "w1" }), says("assistant", "w2")];
    rows.push(event({ type: "agent_message", message: "w2" }), item({ type: "ghost_snapshot", ghost_commit: {} }));
    assert.deepEqual(readLog(rows).words, ["w0", "w1", "w2"]);
  });

  test("forgets turns that were rolled back", () => {
    const turns = [says("user", "w1"), says("assistant", "w2"), says("user", "w3"), says("assistant", "w4")];
    const context = says("user", "<environment_context>w9</environment_context>");
    const back = (count) => event({ type: "thread_rolled_back", num_turns: count });
    // Codex tells the model in the user's name that a sub-agent ended. That isn't a turn of the user's.
    const news = says("user", "<subagent_notification>w8</subagent_notification>");
    assert.deepEqual(readLog([meta, ...turns, news, back(1)]).words, ["w0", "w1", "w2"]);
    assert.deepEqual(readLog([meta, context, ...turns, back(1), says("user", "w5")]).words, [
      "w0",
      "w9",
      "w1",
      "w2",
      "w5",
    ]);
    assert.deepEqual(readLog([meta, context, ...turns, back(2), says("user", "w5")]).words, ["w0", "w9", "w5"]);
  });

  test("has a history instead of the compacted part, or a summary after the user's words", () => {
    const turns = [meta, says("user", "w1"), says("assistant", "w2")];
    const compacted = (payload) => ({ timestamp: time(1), type: "compacted", payload });
    const history = [{ type: "message", role: "user", content: [{ type: "input_text", text: "w3" }] }];
    assert.deepEqual(
      readLog([...turns, compacted({ message: "", replacement_history: history }), says("user", "w4")]).words,
      ["w3", "w4"],
    );
    assert.deepEqual(readLog([...turns, compacted({ message: "w3" }), says("user", "w4")]).words, [
      "w0",
      "w1",
      "w3",
      "w4",
    ]);
  });

  test("of the first versions is read too", () => {
    const rows = [
      { id: "s", timestamp: time(0), instructions: "w0", git: {} },
      { record_type: "state" },
      { type: "message", id: null, role: "user", content: [{ type: "input_text", text: "w1" }] },
      { type: "function_call", id: "f", name: "shell", arguments: "{}", call_id: "c" },
      { type: "function_call_output", call_id: "c", output: "w2" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "w3" }] },
    ];
    assert.deepEqual(readLog(rows).words, ["w0", "w1", "w2", "w3"]);
  });

  test("isn't confused with an API conversation that has an id and instructions, and a response of the API is named", () => {
    const about = { id: "s", timestamp: time(0), instructions: "w0" };
    const messages = [{ role: "user", content: "w1" }];
    for (const more of [{ messages }, { model: "gpt-4o", input: messages }, { model: "gpt-4o", input: "w1" }]) {
      const { messages: read, skipped } = parseTranscript(JSON.stringify({ ...about, ...more }));
      assert.deepEqual(
        read.map(({ role, content }) => [role, content]),
        [
          ["system", "w0"],
          ["user", "w1"],
        ],
      );
      assert.deepEqual(skipped, []);
    }
    const output = [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "w1" }] }];
    const answer = { ...about, object: "response", output };
    assert.throws(() => parseTranscript(JSON.stringify(answer)), { message: /a response of OpenAI's Responses/ });
  });
});

describe("a chat of the Gemini CLI", () => {
  const row = (id, type, content, more = {}) => ({ id, timestamp: time(0), type, content, ...more });
  const header = { sessionId: "s", projectHash: "h", startTime: time(0), lastUpdated: time(1) };
  const called = {
    thoughts: [{ subject: "w2", description: "w3" }],
    toolCalls: [
      {
        ...{ id: "c", name: "read_file", args: { path: "w4" }, status: "success" },
        result: [{ functionResponse: { id: "c", name: "read_file", response: { output: "w5" } } }],
      },
    ],
  };
  const rows = [row("a", "user", [{ text: "w1" }]), row("b", "gemini", "", called), row("c", "gemini", "w6")];

  test("is read as a file, and as rows", () => {
    const words = ["w1", "w2", "w3", "w4", "w5", "w6"];
    const info = row("i", "info", "w9");
    assert.deepEqual(readLog([header, ...rows, info]).words, words);
    const whole = parseTranscript(JSON.stringify({ ...header, messages: [...rows, info] }));
    assert.deepEqual(JSON.stringify(whole.messages).match(/w\d+/g), words);
    assert.deepEqual(whole.skipped, []);
  });

  test("counts a rewritten row once, and ignores undone ones", () => {
    const again = [rows[0], row("b", "gemini", "w9"), ...rows.slice(1)];
    assert.deepEqual(readLog([header, ...again]).words, ["w1", "w2", "w3", "w4", "w5", "w6"]);
    assert.deepEqual(readLog([header, ...rows, { $rewindTo: "c" }, row("d", "user", "w7")]).words.slice(-2), [
      "w5",
      "w7",
    ]);
    const set = { $set: { messages: [row("n", "user", "w8")] } };
    assert.deepEqual(readLog([header, ...rows, set, row("d", "user", "w7")]).words, ["w8", "w7"]);
  });

  test("is a checkpoint, too", () => {
    const history = [
      { role: "user", parts: [{ text: "w1" }] },
      { role: "model", parts: [{ text: "w2" }] },
    ];
    assert.equal(parseTranscript(JSON.stringify({ history, authType: "x" })).messages.length, 2);
  });
});

test("Roo Code's history is the part that would be sent, without condensed or cut messages", () => {
  const message = (word, more) => ({
    role: "user",
    content: [{ type: "text", text: word }],
    ts: 1780000000000,
    ...more,
  });
  const rows = [
    message("w1", { condenseParent: "k1" }),
    message("w2", { isSummary: true, condenseId: "k1", condenseParent: "k2" }),
    message("w3", { condenseParent: "k2" }),
    message("w4", { isSummary: true, condenseId: "k2" }),
    message("w5", { truncationParent: "t" }),
    message("w6", { isTruncationMarker: true, truncationId: "t" }),
    message("w7"),
    // The summary that replaced it was undone.
    message("w8", { condenseParent: "gone" }),
  ];
  const { messages, skipped } = parseTranscript(JSON.stringify(rows));
  assert.deepEqual(JSON.stringify(messages).match(/w\d+/g), ["w4", "w6", "w7", "w8"]);
  assert.deepEqual(skipped, []);
});
