// ChatGPT exports: only the visible branch, the messages that the model has seen, and tool calls with their results.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, parseTranscript } from "windrow";
import { checkAny, checkFile } from "../support/file-cases.mjs";
import { processorMs } from "../support/processor-time.mjs";
import { forEachSeed, forEachSeedAsync } from "../support/property.mjs";

const BEGIN = 1_750_000_000;
const time = (seconds) => new Date((BEGIN + seconds) * 1000).toISOString();

/** A message in the export's form. */
const message = (role, content, more = {}) => ({
  id: "m",
  author: { role, name: more.name ?? null, metadata: {} },
  content: typeof content === "string" ? { content_type: "text", parts: [content] } : content,
  status: "finished_successfully",
  recipient: "all",
  weight: 1,
  metadata: {},
  ...more,
});

/** A tree without branches. */
function chain(messages) {
  const mapping = { root: { id: "root", message: null, parent: null, children: ["n1"] } };
  for (const [at, one] of messages.entries()) {
    const id = `n${at + 1}`;
    mapping[id] = { id, parent: at === 0 ? "root" : `n${at}`, children: [`n${at + 2}`], message: one };
  }
  return { mapping, current_node: `n${messages.length}` };
}

const parsedOf = (messages, more = {}) =>
  parseTranscript(JSON.stringify({ conversation_id: "c", ...chain(messages), ...more }));
/** The messages as read, without fields that all of them have. */
const read = (...messages) =>
  parsedOf(messages).messages.map(({ conversationId, ...one }) => {
    assert.equal(conversationId, "c");
    return one;
  });

const pointer = { content_type: "image_asset_pointer", asset_pointer: "sediment://file_1", width: 640, height: 480 };

checkFile({
  name: "of ChatGPT",
  newest: 0,
  sample: () => [
    {
      id: "c2",
      conversation_id: "c2",
      title: " Map \n of Ghent ",
      create_time: BEGIN + 1000.5,
      update_time: BEGIN + 2000,
      ...chain([
        message("system", "", { metadata: { is_visually_hidden_from_conversation: true } }),
        message(
          "user",
          { content_type: "user_editable_context", user_profile: "I teach.", user_instructions: "Be brief." },
          { metadata: { is_visually_hidden_from_conversation: true } },
        ),
        message(
          "user",
          { content_type: "multimodal_text", parts: [pointer, "What is this?"] },
          { create_time: BEGIN + 1001 },
        ),
        message("assistant", {
          content_type: "thoughts",
          thoughts: [{ summary: "Looking", content: "A map of a town." }],
        }),
        message("assistant", { content_type: "reasoning_recap", content: "Thought for 4 seconds" }),
        message(
          "assistant",
          { content_type: "code", language: "unknown", text: '{"q":"Ghent"}' },
          { recipient: "web.run" },
        ),
        message(
          "tool",
          {
            content_type: "tether_quote",
            url: "https://example.org",
            domain: "example.org",
            title: "Ghent",
            text: "A town.",
          },
          { name: "web" },
        ),
        message("assistant", "A map of Ghent.", { create_time: BEGIN + 1010.25 }),
      ]),
    },
    {
      id: "c1",
      title: null,
      create_time: BEGIN,
      ...chain([
        message("user", "Hello", { create_time: BEGIN }),
        message("critic", "no"),
        message("assistant", "Hi."),
      ]),
    },
    { id: "c0", title: "Nothing", create_time: BEGIN, mapping: {}, current_node: null },
  ],
  conversations: [
    {
      id: "c2",
      title: "Map \n of Ghent",
      startedAt: new Date((BEGIN + 1000.5) * 1000).toISOString(),
      messages: [
        {
          id: "n2",
          role: "system",
          content: [
            { type: "text", text: "I teach." },
            { type: "text", text: "Be brief." },
          ],
          tags: ["hidden"],
          conversationId: "c2",
        },
        {
          id: "n3",
          createdAt: time(1001),
          role: "user",
          content: [
            { type: "image", url: "sediment://file_1", width: 640, height: 480 },
            { type: "text", text: "What is this?" },
          ],
          conversationId: "c2",
        },
        {
          id: "n4",
          role: "assistant",
          content: [{ type: "reasoning", text: "Looking\nA map of a town." }],
          conversationId: "c2",
        },
        {
          id: "n6",
          role: "assistant",
          content: [{ type: "tool-call", toolCallId: "n6", toolName: "web.run", input: '{"q":"Ghent"}' }],
          conversationId: "c2",
        },
        {
          id: "n7",
          role: "tool",
          name: "web",
          content: [{ type: "text", text: "Ghent\nhttps://example.org\nA town." }],
          toolCallId: "n6",
          conversationId: "c2",
        },
        { id: "n8", createdAt: time(1010.25), role: "assistant", content: "A map of Ghent.", conversationId: "c2" },
      ],
    },
    {
      id: "c1",
      startedAt: time(0),
      messages: [
        { id: "n1", createdAt: time(0), role: "user", content: "Hello", conversationId: "c1" },
        { id: "n3", role: "assistant", content: "Hi.", conversationId: "c1" },
      ],
    },
  ],
  skipped: [[2, /^message 3: author: unknown role "critic"/]],
});

describe("the content of a message", () => {
  const text = (text) => ({ type: "text", text });
  const one = (role, content, more) => read(message(role, content, more)).map(({ content }) => content)[0];

  const contents = {
    "a text of several parts": [{ content_type: "text", parts: ["one", "", null, "two"] }, [text("one"), text("two")]],
    "code that is shown": [{ content_type: "code", language: "python", text: "1 + 1" }, "1 + 1"],
    "a page": [{ content_type: "sonic_webpage", title: "T", url: "u", text: "said" }, "T\nu\nsaid"],
    "a browser's page": [
      { content_type: "tether_browsing_display", result: "found", summary: "", assets: null },
      "found",
    ],
    "an error": [{ content_type: "system_error", name: "Denied", text: "robots.txt" }, "Denied: robots.txt"],
    "an output": [{ content_type: "execution_output", text: "2" }, "2"],
    "the citations": [{ content_type: "citable_code_output", output_str: "3" }, "3"],
    "a screen": [
      { content_type: "computer_output", screenshot: { ...pointer, size_bytes: 9 } },
      [{ type: "image", url: "sediment://file_1", width: 640, height: 480, bytes: 9 }],
    ],
    "words that were spoken, and their sound": [
      {
        content_type: "multimodal_text",
        parts: [
          { content_type: "audio_transcription", text: "Good morning", direction: "in" },
          { content_type: "audio_asset_pointer", asset_pointer: "sediment://file_2", metadata: { start: 0, end: 2.5 } },
        ],
      },
      "Good morning",
    ],
    "a sound without words": [
      {
        content_type: "multimodal_text",
        parts: [
          { content_type: "audio_asset_pointer", asset_pointer: "sediment://file_2", metadata: { start: 0, end: 2.5 } },
        ],
      },
      [{ type: "audio", url: "sediment://file_2", seconds: 2.5 }],
    ],
    "a film with its pictures": [
      {
        content_type: "multimodal_text",
        parts: [
          {
            content_type: "real_time_user_audio_video_asset_pointer",
            audio_asset_pointer: { asset_pointer: "sediment://file_3" },
            frames_asset_pointers: ["sediment://file_4"],
            video_container_asset_pointer: { asset_pointer: "sediment://file_5" },
          },
        ],
      },
      [
        { type: "audio", url: "sediment://file_3" },
        { type: "image", url: "sediment://file_4" },
      ],
    ],
    "a film alone": [
      {
        content_type: "multimodal_text",
        parts: [{ content_type: "video_container_asset_pointer", asset_pointer: "sediment://file_5" }],
      },
      "[Attached file: sediment://file_5]",
    ],
    "thoughts in pieces": [
      {
        content_type: "thoughts",
        thoughts: [
          { summary: "S", content: "", chunks: ["a", "b"] },
          { summary: "", content: "" },
        ],
      },
      [{ type: "reasoning", text: "S\na b" }],
    ],
  };
  for (const [name, [content, expected]] of Object.entries(contents)) {
    test(name, () => assert.deepEqual(one("assistant", content), expected));
  }

  test("attachments follow the words, unless they are inline", () => {
    const attachments = [
      { id: "file_1", name: "map.png", mime_type: "image/png", width: 640, height: 480 },
      { id: "file-9", name: "plan.pdf", mime_type: "application/pdf", size: 5_000_000 },
      { id: "file-8", name: "photo.jpg" },
    ];
    const content = { content_type: "multimodal_text", parts: [pointer, "Compare."] };
    assert.deepEqual(one("user", content, { metadata: { attachments } }), [
      { type: "image", url: "sediment://file_1", width: 640, height: 480 },
      text("Compare."),
      text("[Attached file: plan.pdf]"),
      { type: "image", url: "file-8", mediaType: "image/jpeg" },
    ]);
  });

  test("a user's instructions belong to the system, in either form, and so do memories", () => {
    const metadata = {
      is_user_system_message: true,
      is_visually_hidden_from_conversation: true,
      user_context_message_data: { about_user_message: "I teach.", about_model_message: "Be brief." },
    };
    const said = [text("I teach."), text("Be brief.")];
    assert.deepEqual(read(message("system", "", { metadata })), [
      { id: "n1", role: "system", content: said, tags: ["hidden"] },
    ]);
    const memories = { content_type: "model_editable_context", model_set_context: "1. Has a dog." };
    assert.deepEqual(read(message("assistant", memories)), [{ id: "n1", role: "system", content: "1. Has a dog." }]);
    assert.deepEqual(
      read(message("assistant", { ...memories, model_set_context: "" }), message("user", "a")).length,
      1,
    );
  });

  test("hidden messages are read, and can be left out", () => {
    const { messages } = parsedOf([
      message("user", "a"),
      message("user", "b", { metadata: { is_visually_hidden_from_conversation: true } }),
    ]);
    const shown = (config) => buildContextSync(messages, { encoding: "estimate", request: null, ...config }).messages;
    assert.equal(shown({}).length, 2);
    assert.deepEqual(
      shown({ filter: { excludeTags: ["hidden"] } }).map(({ content }) => content),
      ["a"],
    );
  });

  test("thoughts in the analysis channel are reasoning", () => {
    assert.deepEqual(one("assistant", "Hm.", { channel: "analysis" }), [{ type: "reasoning", text: "Hm." }]);
    assert.deepEqual(one("assistant", "Done.", { channel: "final" }), "Done.");
  });

  test("a tool's thoughts are the assistant's", () => {
    const thoughts = { content_type: "thoughts", thoughts: [{ summary: "S", content: "C" }] };
    assert.deepEqual(read(message("tool", thoughts, { name: "a8km123" })), [
      { id: "n1", role: "assistant", content: [{ type: "reasoning", text: "S\nC" }] },
    ]);
  });

  test("unknown content is reported, and its text stays", () => {
    const { messages, skipped } = parsedOf([
      message("assistant", { content_type: "hologram", text: "said" }),
      message("assistant", { content_type: "multimodal_text", parts: [{ content_type: "smell" }, "words"] }),
      message("assistant", { content_type: { toString: 1 }, parts: ["else"] }),
    ]);
    assert.deepEqual(
      messages.map(({ content }) => content),
      ["said", "words", "else"],
    );
    assert.deepEqual(skipped, [
      { row: 2, reason: 'content: unknown content "hologram"; only its text was read' },
      { row: 3, reason: 'content: unknown part "smell"' },
      { row: 4, reason: "content: unknown content an object; only its text was read" },
    ]);
  });
});

describe("tool calls", () => {
  const call = (tool, text = "{}") => message("assistant", { content_type: "code", text }, { recipient: tool });
  const result = (name, text) => message("tool", text, { name });
  const pairs = (...messages) =>
    read(...messages).map((/** @type {any} */ { id, role, toolCallId, content }) =>
      role === "tool" ? [toolCallId, content.map(({ text }) => text)] : (content[0].toolCallId ?? id),
    );

  test("get the results of their tool", () => {
    assert.deepEqual(pairs(call("python"), result("python", "2")), ["n1", ["n1", ["2"]]]);
    assert.deepEqual(pairs(call("browser.search"), result("browser", "a")), ["n1", ["n1", ["a"]]]);
    assert.deepEqual(pairs(call("web"), result("web.run", "a")), ["n1", ["n1", ["a"]]]);
    assert.deepEqual(pairs(call("a.x"), call("b"), result("a.x", "1"), result("b", "2")), [
      "n1",
      "n2",
      ["n1", ["1"]],
      ["n2", ["2"]],
    ]);
  });

  test("have one result: later output is a part of it", () => {
    assert.deepEqual(pairs(call("web"), result("web", "a"), result("web", "b")), ["n1", ["n1", ["a", "b"]]]);
    assert.deepEqual(pairs(call("multi_tool_use.parallel"), result("one", "a"), result("two", "b")), [
      "n1",
      ["n1", ["a", "b"]],
    ]);
  });

  test("have a result even if it is empty, and even if its tool has another name", () => {
    assert.deepEqual(pairs(call("python"), result("python", "")), ["n1", ["n1", []]]);
    assert.deepEqual(pairs(call("dalle.text2im"), result("t2uay3k.sj1i4kz", "a")), ["n1", ["n1", ["a"]]]);
  });

  test("are those since the user spoke, and unrequested output of a tool isn't a result", () => {
    const unasked = message("tool", "page 1", { name: "file_search" });
    assert.deepEqual(pairs(call("python"), result("python", "1"), unasked), [
      "n1",
      ["n1", ["1"]],
      [undefined, ["page 1"]],
    ]);
    assert.deepEqual(pairs(call("python"), message("user", "No."), result("python", "1")), [
      "n1",
      "n2",
      [undefined, ["1"]],
    ]);
    assert.deepEqual(read(message("tool", "", { name: "bio" }), message("user", "a")).length, 1);
  });

  test("are kept with their results in a context", () => {
    const { messages } = parsedOf([
      message("user", "Add."),
      call("python", "1 + 1"),
      result("python", "2 ".repeat(400)),
      message("assistant", "Two."),
      message("user", "Thanks."),
    ]);
    for (const maxTokens of [20, 60, 2000]) {
      const context = buildContextSync(messages, { encoding: "estimate", budget: { maxTokens } });
      assert.equal(context.explain(1).fate === "left out", context.explain(2).fate === "left out");
    }
  });
});

describe("trees", () => {
  /** A random tree in random order. Each node's parent is an earlier one. */
  function randomTree(random, count) {
    const parents = Array.from({ length: count }, (_, at) => (at === 0 ? null : random.integer(0, at - 1)));
    const leaf = random.integer(0, count - 1);
    const branch = [];
    for (let at = leaf; at !== null; at = parents[at]) {
      branch.unshift(`said ${at}`);
    }
    const nodes = parents.map((parent, at) => [
      `node-${at}`,
      {
        id: `node-${at}`,
        parent: parent === null ? null : `node-${parent}`,
        children: parents.flatMap((own, child) => (own === at ? [`node-${child}`] : [])),
        message: message(at % 2 === 0 ? "user" : "assistant", `said ${at}`, { create_time: BEGIN + at }),
      },
    ]);
    for (let at = nodes.length - 1; at > 0; at--) {
      const other = random.integer(0, at);
      [nodes[at], nodes[other]] = [nodes[other], nodes[at]];
    }
    return { nodes, leaf: `node-${leaf}`, branch, parents };
  }

  test("return exactly the branch of current_node", () => {
    forEachSeed((random) => {
      const { nodes, leaf, branch } = randomTree(random, random.integer(1, 60));
      const { messages, skipped } = parseTranscript(
        JSON.stringify([{ id: "c", mapping: Object.fromEntries(nodes), current_node: leaf }]),
      );
      assert.deepEqual(
        messages.map(({ content }) => content),
        branch,
      );
      assert.deepEqual(skipped, []);
    });
  });

  test("return the newest branch if current_node is missing", () => {
    forEachSeed((random) => {
      const { nodes, parents } = randomTree(random, random.integer(1, 40));
      const newest = [];
      for (let at = parents.length - 1; at !== null; at = parents[at]) {
        newest.unshift(`said ${at}`);
      }
      const current_node = random.pick([undefined, null, "gone", 5, ""]);
      const { messages, skipped } = parseTranscript(
        JSON.stringify([{ id: "c", mapping: Object.fromEntries(nodes), current_node }]),
      );
      assert.deepEqual(
        messages.map(({ content }) => content),
        newest,
      );
      assert.equal(skipped.length, current_node === "gone" ? 1 : 0);
    });
  });

  test("that are broken or circular end, and report it", async () => {
    await forEachSeedAsync(async (random) => {
      const { nodes, leaf } = randomTree(random, random.integer(2, 30));
      for (let count = random.integer(1, 3); count > 0; count--) {
        const [, node] = random.pick(nodes);
        node.parent = random.pick([random.pick(nodes)[0], node.id, "gone", "__proto__", "constructor", 7]);
      }
      const parsed = await checkAny(
        JSON.stringify([{ id: "c", mapping: Object.fromEntries(nodes), current_node: leaf }]),
      );
      assert.ok(parsed.messages.length >= 1 && parsed.messages.length <= nodes.length);
      assert.equal(new Set(parsed.messages.map(({ id }) => id)).size, parsed.messages.length);
    });
    const two = {
      a: { parent: "b", message: message("user", "a") },
      b: { parent: "a", message: message("user", "b") },
    };
    const circle = parseTranscript(JSON.stringify({ mapping: two, current_node: "a" }));
    assert.deepEqual(
      [circle.messages.map(({ content }) => content), circle.skipped],
      [["b", "a"], [{ row: 1, reason: 'its messages form a circle: the messages before "b" are unknown' }]],
    );
    assert.equal(parseTranscript(JSON.stringify({ mapping: two })).messages.length, 2);
    const torn = parseTranscript(JSON.stringify([{ mapping: { a: { ...two.a, parent: "x" } }, current_node: "a" }]));
    assert.match(torn.skipped[0].reason, /^the message "x" is not in it: the messages before "a" are missing$/);
  });

  test("take linear time up to 100,000 nested messages", () => {
    const read = (count) => {
      const nodes = Array.from({ length: count }, (_, at) => {
        const role = at % 2 === 0 ? "user" : "assistant";
        return `"${at}":{"parent":"${at - 1}","message":{"author":{"role":"${role}"},"content":{"content_type":"text","parts":["${at}"]}}}`;
      });
      const text = `[{"id":"c","current_node":"${count - 1}","mapping":{${nodes.join(",")}}}]`;
      const started = processorMs();
      const { messages, skipped } = parseTranscript(text);
      assert.equal(messages.length, count);
      assert.equal(messages.at(-1).content, String(count - 1));
      assert.equal(skipped.length, 1); // the first message's parent
      return processorMs() - started;
    };
    // Quadratic code would take a hundred times as long.
    const [few, many] = [read(10_000), read(100_000)];
    assert.ok(many < 40 * few, `${few} ms, ${many} ms`);
  });
});

test("an export of 50 MB is read in seconds", () => {
  const words = "the harbour and the garden ".repeat(40);
  const conversation = (at) => ({
    id: `c${at}`,
    title: `No. ${at}`,
    create_time: BEGIN + at,
    ...chain(
      Array.from({ length: 20 }, (_, turn) =>
        message(turn % 2 === 0 ? "user" : "assistant", words, { create_time: BEGIN + at + turn }),
      ),
    ),
  });
  const text = JSON.stringify(Array.from({ length: 2000 }, (_, at) => conversation(at)));
  assert.ok(text.length > 50e6, `${text.length}`);
  const started = process.cpuUsage();
  const { conversations, messages } = parseTranscript(text);
  const { user, system } = process.cpuUsage(started);
  assert.equal(conversations.length, 2000);
  assert.equal(messages[0].conversationId, "c1999");
  assert.ok((user + system) / 1e6 < 10, `${(user + system) / 1e6} s`);
});
