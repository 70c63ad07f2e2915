// Messages: the accepted forms, groups, the identity of returned objects, and arrays that are passed again.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { buildContext, buildContextSync, countTokens, createTranscript, loadEncoding } from "windrow";
import { wrong } from "../support/errors.mjs";
import { assertShare, forEachSeed } from "../support/property.mjs";
import { originalOf, randomConfig, randomMessage, randomTranscript } from "../support/random.mjs";
import { checkGroupsAreWhole, deepFreeze, essence, tryBuild } from "../support/transcripts.mjs";

// `o200k_base` stays unloaded until the end, where builds that wait for it are tested.
before(() => loadEncoding("cl100k_base"));

const encoding = "cl100k_base";
const hash = (messages, config = {}) => buildContextSync(messages, { encoding, ...config }).snapshot.contextHash;
const text = (messages) => buildContextSync(messages, { encoding, render: { format: "text" } }).text;
const user = (content, more) => ({ role: "user", content, ...more });

describe("forms", () => {
  /** @type {Record<string, any[][]>} */
  const pairs = {
    "tool calls and results": [
      [
        { role: "assistant", content: "Looking.", toolCalls: [{ id: "a", name: "find", arguments: { q: "hall" } }] },
        { role: "tool", toolCallId: "a", content: "found" },
      ],
      [
        {
          role: "assistant",
          content: "Looking.",
          tool_calls: [{ id: "a", type: "function", function: { name: "find", arguments: '{"q":"hall"}' } }],
        },
        { role: "tool", tool_call_id: "a", content: "found" },
      ],
    ],
    "tool calls and results as parts": [
      [
        { role: "assistant", content: "Looking.", toolCalls: [{ id: "a", name: "find", arguments: '{"q":1}' }] },
        { role: "tool", toolCallId: "a", content: '{"found":2}' },
      ],
      [
        {
          role: "assistant",
          content: [
            { type: "text", text: "Looking." },
            { type: "tool-call", toolCallId: "a", toolName: "find", input: { q: 1 } },
          ],
        },
        { role: "tool", content: [{ type: "tool-result", toolCallId: "a", output: { found: 2 } }] },
      ],
    ],
    "text parts": [[user([{ type: "text", text: "hi" }])], [user([{ type: "input_text", text: "hi" }])]],
    "a text and a list of one text": [[user("hi")], [user(["hi"])]],
    "a refusal and a refusal part": [
      [{ role: "assistant", content: null, refusal: "No." }],
      [{ role: "assistant", content: [{ type: "refusal", refusal: "No." }] }],
    ],
    "images by their detail, as parts": [
      [user([{ type: "image", detail: "low", data: "iVBORw0KGgo=" }])],
      [user([{ type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" } }])],
    ],
    "null and missing fields": [
      [user("hi", { name: null, createdAt: null, toolCalls: null, tags: null, id: null })],
      [user("hi")],
    ],
  };
  for (const [name, [left, right]] of Object.entries(pairs)) {
    test(`${name}: two forms, one context`, () => {
      assert.equal(text(left), text(right));
      assert.equal(countTokens(left, { encoding }).tokens, countTokens(right, { encoding }).tokens);
      if (!name.endsWith("as parts")) {
        assert.equal(hash(left), hash(right));
      }
      assert.ok(buildContextSync(left, { encoding }).kept.length === left.length);
    });
  }

  test("a developer message is an instruction like a system message", () => {
    const { tokens } = buildContextSync([{ role: "developer", content: "Be brief." }, user("hi")], { encoding });
    assert.ok(tokens.sections.find((section) => section.id === "instructions").tokens > 0);
  });

  test("reasoning, names, media and calls appear in a text", () => {
    const shown = text([
      user(
        [
          { type: "image", url: "https://example.com/1.png" },
          "look",
          { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
          { type: "file", file: { file_id: "file-1" } },
        ],
        { name: "Mara" },
      ),
      { role: "assistant", content: null, toolCalls: [{ id: "a", name: "find", arguments: { q: "x" } }] },
      { role: "tool", toolCallId: "a", content: "found" },
    ]);
    assert.equal(
      shown,
      'User (Mara): look\n[image]\n[audio]\n[file]\nAssistant:\n[Calling find({"q":"x"})]\nTool: found',
    );
  });
});

describe("groups", () => {
  const call = (...ids) => ({ role: "assistant", toolCalls: ids.map((id) => ({ id, name: "find", arguments: {} })) });
  const result = (id, content = "found") => ({ role: "tool", toolCallId: id, content });
  const reasons = (messages, config = {}) => {
    const context = buildContextSync(messages, { encoding, ...config });
    return messages.map((_, position) => context.explain(position).reason);
  };

  test("parallel calls and all their results stay together, with or without others between them", () => {
    const messages = [call("a", "b"), result("b"), user("meanwhile"), result("a"), user("now")];
    const whole = buildContextSync(messages, { encoding }).tokens.total;
    for (let maxTokens = 12; maxTokens <= whole; maxTokens++) {
      const context = tryBuild(messages, { encoding, budget: { maxTokens } });
      checkGroupsAreWhole(context?.kept ?? []);
    }
  });

  test("orphans are left out with their reason", () => {
    assert.deepEqual(reasons([user("hi"), call("a"), user("now")]), ["history", "call_without_result", "request"]);
    assert.deepEqual(reasons([user("hi"), result("a"), user("now")]), ["history", "result_without_call", "request"]);
    assert.deepEqual(
      reasons([result("a"), call("a"), user("now")]),
      ["result_without_call", "call_without_result", "request"],
      "at the beginning, its own call may have been removed",
    );
    assert.deepEqual(reasons([call("a", "b"), result("a"), user("now")]), ["history", "history", "request"]);
  });

  test("a reused id pairs with the latest call before it", () => {
    const again = [call("a"), result("a", "one"), call("a"), result("a", "two"), user("now")];
    assert.deepEqual(reasons(again), ["history", "history", "history", "history", "request"]);
    assert.deepEqual(
      reasons([call("a"), call("a"), result("a"), user("now")]),
      ["call_without_result", "history", "history", "request"],
      "the earlier call never got its result",
    );
  });

  test("a group is left out together with any part of it", () => {
    const messages = [user("q"), call("a"), result("a"), user("now")];
    const [, called, answered] = reasons(messages, { filter: { roles: ["user", "assistant"] } });
    assert.deepEqual([called, answered], ["split_group", "role"]);
    assert.equal(buildContextSync(messages, { encoding, request: null, window: { lookbackCount: 2 } }).kept.length, 1);
  });

  test("a pinned result keeps its call", () => {
    const messages = [call("a"), { ...result("a"), pinned: true }, user("x".repeat(400)), user("now")];
    const { kept } = buildContextSync(messages, { encoding, request: null, window: { lookbackCount: 1 } });
    assert.deepEqual(kept, [messages[0], messages[1], messages[3]]);
  });

  test("groups are whole, orphans are left out, order is kept: for random transcripts and configs", () => {
    let count = 0;
    const cases = forEachSeed((random) => {
      const transcript = randomTranscript(random);
      const config = randomConfig(random);
      const context = tryBuild(transcript, { ...config, encoding });
      if (context !== undefined) {
        count += 1;
        // In a text prompt, a call is text and stays without its result.
        if (context.messages !== undefined) {
          checkGroupsAreWhole(context.kept);
        }
        transcript.forEach((_, position) => {
          const { fate, reason } = context.explain(position);
          assert.ok(!/without/.test(reason) || fate === "left out");
        });
      }
    });
    assertShare(count, cases, 2, "were built");
  });
});

describe("identity of returned objects", () => {
  test("the caller's own objects are returned unchanged: for random transcripts and configs", () => {
    forEachSeed((random) => {
      const transcript = randomTranscript(random);
      const config = deepFreeze({ ...randomConfig(random), encoding });
      deepFreeze(transcript);
      const context = tryBuild(transcript, config);
      if (context === undefined) {
        return;
      }
      const rows = context.kept.map((message) => transcript.indexOf(originalOf(message, transcript)));
      assert.ok(!rows.includes(-1), "every message that is kept is one of the caller's, or a copy without open calls");
      assert.equal(new Set(rows).size, rows.length);
      if (context.messages !== undefined) {
        // An empty request counts as none.
        const sent = config.request ? context.messages.slice(0, -1) : context.messages;
        assert.equal(sent.length, context.kept.length);
        sent.forEach((message, index) => {
          const { fate } = context.explain(rows[index]);
          assert.equal(message === context.kept[index], fate === "kept");
          const isCopy = fate === "shortened" || /** @type {any} */ (context.kept[index]).shortened === true;
          assert.equal("shortened" in message && message.shortened === true, isCopy);
        });
      }
    });
  });

  test("a request message is returned as the caller's own, a text as a new message", () => {
    const request = user("And when?", { name: "Mara", metadata: {} });
    assert.equal(buildContextSync([], { encoding, request }).messages[0], request);
    assert.deepEqual(buildContextSync([], { encoding, request: "And when?" }).messages, [user("And when?")]);
    assert.deepEqual(buildContextSync([], { encoding, request: wrong({ content: "hi" }) }).messages, [user("hi")]);
  });

  test("the array is unchanged, and isn't retained", () => {
    const messages = [user("one", { id: "a" }), user("two", { id: "b" })];
    const copy = [...messages];
    const context = buildContextSync(messages, { encoding });
    assert.deepEqual(messages, copy);
    messages.reverse();
    assert.deepEqual(context.kept, copy);
    assert.deepEqual([context.explain("b").position, context.explain(1).id], [1, "b"]);
    messages.push(user("three"));
    assert.throws(() => context.explain(2), { code: "INVALID_TRANSCRIPT" });
  });
});

/** Edits a transcript in one of the ways that applications do. Returns the array to pass next. */
function edit(random, messages) {
  const position = random.integer(0, Math.max(messages.length - 1, 0));
  const message = messages[position];
  const fresh = () => ({ ...randomMessage(random), id: `new-${random.integer(0, 1e9)}` });
  return random.pick([
    () => [...messages, fresh()],
    () => {
      messages.push(fresh(), fresh());
      return messages;
    },
    () => {
      const last = messages.at(-1);
      if (typeof last?.content === "string") {
        last.content += random.text(3);
      }
      return messages;
    },
    () => {
      if (message !== undefined) {
        messages[position] = { ...message, content: random.text(5) };
      }
      return messages;
    },
    () => {
      if (message !== undefined) {
        message.content = random.text(5);
      }
      return messages;
    },
    () => {
      const part = Array.isArray(message?.content)
        ? message.content.find((entry) => entry?.type === "text")
        : undefined;
      if (part !== undefined) {
        part.text += "!";
      }
      return messages;
    },
    () => {
      const call = message?.toolCalls?.[0];
      if (call !== undefined) {
        call.arguments.page += 1;
      }
      return messages;
    },
    () => {
      if (message !== undefined) {
        Object.assign(
          message,
          random.pick([
            { pinned: true },
            { name: "Priya" },
            { tags: ["command"] },
            { createdAt: 5 },
            { sessionId: "web:other" },
          ]),
        );
      }
      return messages;
    },
    () => messages.slice(0, position),
    () => messages.slice(1),
    () => {
      messages.length = Math.max(0, messages.length - random.integer(1, 3));
      return messages;
    },
    () => {
      messages.splice(position, 1);
      return messages;
    },
    () => [fresh(), ...messages],
    () => messages.map((entry) => ({ ...entry })),
    () => [...messages, ...messages.slice(0, 1)],
    () => messages.toReversed(),
  ])();
}

describe("an array that is passed again", () => {
  test("returns the same as a fresh one after any changes", () => {
    forEachSeed((random) => {
      let messages = randomTranscript(random, { mostMessages: 12 });
      const config = { ...randomConfig(random), encoding };
      for (let turn = 0; turn < 12; turn++) {
        const fresh = essence(tryBuild(structuredClone(messages), config));
        assert.deepEqual(essence(tryBuild(messages, config)), fresh, `turn ${turn}`);
        messages = edit(random, messages);
      }
    });
  });

  test("so do arrays with a common beginning", () => {
    forEachSeed((random) => {
      const start = randomTranscript(random, { mostMessages: 8 });
      const branches = [
        start,
        [...start, randomMessage(random)],
        [...start, randomMessage(random), randomMessage(random)],
      ];
      for (let turn = 0; turn < 12; turn++) {
        const branch = random.integer(0, branches.length - 1);
        const fresh = essence(tryBuild(structuredClone(branches[branch]), { encoding }));
        assert.deepEqual(essence(tryBuild(branches[branch], { encoding })), fresh, `turn ${turn}`);
        if (random.chance(0.5)) {
          branches[branch] = [...branches[branch], randomMessage(random)];
        }
      }
    });
  });

  test("twenty arrays in turn, more than are remembered", () => {
    const arrays = Array.from({ length: 20 }, (_, index) => [user(`array ${index}`), user("second"), user("third")]);
    const expected = arrays.map((messages) => hash(structuredClone(messages)));
    assert.equal(new Set(expected).size, 20);
    for (let round = 0; round < 3; round++) {
      arrays.forEach((messages, index) => {
        assert.equal(hash(messages), expected[index]);
      });
      for (let index = 19; index >= 0; index--) {
        assert.equal(hash(arrays[index]), expected[index]);
      }
    }
    arrays[3].push(user("fourth"));
    assert.equal(hash(arrays[3]), hash(structuredClone(arrays[3])));
  });

  test("one message in several places of one array", () => {
    const message = user("again");
    const messages = [message, message, user("other"), message];
    assert.deepEqual(buildContextSync(messages, { encoding }).kept, messages);
    message.content = "changed";
    assert.equal(hash(messages), hash(structuredClone(messages)));
  });
});

describe("a transcript in the engine", () => {
  test("returns the same as an array of its messages, after random changes", () => {
    forEachSeed((random) => {
      const mirror = randomTranscript(random, { mostMessages: 8 });
      const transcript = createTranscript(mirror);
      const config = { ...randomConfig(random), encoding };
      for (let turn = 0; turn < 12; turn++) {
        const message = { ...randomMessage(random), id: `turn-${turn}` };
        const change = random.integer(0, 4);
        if (change <= 1) {
          transcript.append(message);
          mirror.push(message);
        } else if (change === 2) {
          const list = randomTranscript(random, { mostMessages: 4 });
          transcript.append(list);
          mirror.push(...list);
        } else if (change === 3 && mirror.length > 0) {
          transcript.replaceLast(message);
          mirror.splice(-1, 1, message);
        } else {
          const length = random.integer(0, mirror.length + 2);
          transcript.truncate(length);
          mirror.length = Math.min(mirror.length, length);
        }
        assert.equal(transcript.length, mirror.length);
        assert.deepEqual(transcript.messages, mirror);
        const fresh = essence(tryBuild(structuredClone(mirror), config));
        assert.deepEqual(essence(tryBuild(transcript, config)), fresh, `turn ${turn}`);
      }
      transcript.free();
      assert.deepEqual(essence(tryBuild(transcript, config)), essence(tryBuild(mirror, config)), "after free()");
      transcript.free();
    });
  });

  test("copies messages when they are appended", () => {
    const message = user("as it was");
    const transcript = createTranscript([message]);
    const before = hash(transcript);
    message.content = "changed";
    assert.equal(hash(transcript), before);
  });

  test("later changes to the transcript don't affect an earlier context", () => {
    const transcript = createTranscript([user("one"), user("two")]);
    const context = buildContextSync(transcript, { encoding });
    transcript.replaceLast(user("other"));
    transcript.append(user("three"));
    assert.deepEqual(
      context.kept.map((message) => message.content),
      ["one", "two"],
    );
    assert.equal(context.explain(1).tokens, context.trace.ranges.at(-1).tokens);
  });
});

describe("builds that wait", () => {
  test("each uses the transcript as it was at the call", async () => {
    const config = { now: 0, budget: { maxTokens: 300 } };
    const transcript = createTranscript([user("message 0", { id: 0 })]);
    const array = [user("message 0", { id: 0 })];
    const calls = [];
    for (let index = 1; index <= 20; index++) {
      transcript.append(user(`message ${index}`, { id: index }));
      array.push(user(`message ${index}`, { id: index }));
      for (const source of [transcript, array]) {
        const then = structuredClone(source === array ? array : transcript.messages);
        calls.push({ then, built: buildContext(source, config) });
      }
      array.at(-1).content += " and more";
      if (index % 5 === 0) {
        transcript.replaceLast(user("replaced", { id: -index }));
        array[array.length - 1] = user("replaced", { id: -index });
      }
    }
    transcript.truncate(1);
    array.length = 1;
    for (const { then, built } of calls) {
      const context = await built;
      const expected = await buildContext(then, config);
      assert.equal(context.snapshot.contextHash, expected.snapshot.contextHash);
      assert.deepEqual(context.recording.transcript, expected.recording.transcript);
      const ids = ({ kept }) => kept.map((message) => message.id);
      assert.deepEqual(ids(context), ids(expected));
    }
  });
});
