// Appending a message and then building: in each preset, the newest user message is the request.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContext, memoryStore, openSession, presets } from "windrow";

const NOW = Date.UTC(2026, 5, 1, 12);
const at = (minute) => new Date(NOW - (60 - minute) * 60_000).toISOString();
const CONTENTS = {
  turns: { soul: "I am kind.", skills: null, tools: null, memory: null },
  agent: { system: "Be brief." },
  turnContract: { checkpoint: "the boat is booked", toolSnippets: ["a snippet"] },
};
const search = () => [{ text: "the pier is in the north", source: "notes" }];

function configOf(name) {
  const preset = presets[name];
  const more = name === "agent" || name === "turns" ? { recall: { ...preset.recall, search } } : {};
  return { ...preset, ...more, encoding: "estimate", now: NOW, contents: CONTENTS[name] };
}

/** The prompt, by message or by line. */
const promptOf = (context) => context.messages?.map(({ content }) => content) ?? context.text.split("\n");

/** Like `promptOf`, without the blank line at the end of a text. */
const sentBy = (context) => promptOf(context).filter((line) => context.messages || line !== "");

const TALK = [
  { role: "user", content: "is the boat booked?", createdAt: at(1) },
  { role: "assistant", content: "yes, for june", createdAt: at(2) },
  { role: "user", content: "and the pier?", createdAt: at(3) },
  { role: "assistant", content: "in the north", createdAt: at(4) },
];
const ASKED = { role: "user", content: "who takes the keys?", createdAt: at(5) };
const steps = (number) => [
  {
    role: "assistant",
    content: "",
    toolCalls: [{ id: "same", name: "keys", arguments: "{}" }],
    createdAt: at(6 + 2 * number),
  },
  { role: "tool", toolCallId: "same", content: `step ${number}`, createdAt: at(7 + 2 * number) },
];

const hasPlace = (name) => presets[name].sections?.some(({ kind }) => kind === "request") ?? true;

for (const name of Object.keys(presets)) {
  describe(`append, then build with the preset ${name}`, () => {
    test("returns the same as with a request that isn't appended", async () => {
      const session = await openSession("web:main", { store: memoryStore() });
      await session.append([...TALK, ASKED]);
      const config = configOf(name);
      const sent = promptOf(await session.build(config));
      const array = promptOf(await buildContext([...TALK, ASKED], { ...config, sessionId: null }));
      if (hasPlace(name)) {
        const given = promptOf(await session.build({ ...config, request: ASKED.content }));
        assert.deepEqual(sent, given, "sent once");
        const before = await openSession("web:before", { store: memoryStore() });
        await before.append(TALK);
        assert.deepEqual(sent, promptOf(await before.build({ ...config, request: ASKED.content })));
        assert.ok(sent.findLast((line) => line !== "").endsWith(ASKED.content));
        await before.close();
      }
      if (name !== "agent") {
        assert.deepEqual(array, sent); // without its own session, strict scope leaves nothing
      }
      // In a preset that only shows finished turns, the unanswered one isn't history.
      assert.equal(sent.filter((line) => line.includes(ASKED.content)).length, name === "triaged" ? 0 : 1);
      if (name === "turns") {
        assert.ok(sent.includes(`user_message=${ASKED.content}`));
      }
      await session.close();
    });

    test("continues the last prompt, step by step", async () => {
      const session = await openSession("web:main", { store: memoryStore() });
      for (const turn of [0, 1]) {
        await session.append([...TALK, ASKED].map(({ createdAt, ...message }) => message));
        let last = hasPlace(name) ? sentBy(await session.build(configOf(name))) : [];
        for (const number of [0, 1, 2, 3, 4, 5]) {
          await session.append(steps(number).map(({ createdAt, ...message }) => message));
          const context = await session.build({ ...configOf(name), now: undefined });
          const next = sentBy(context);
          if (hasPlace(name)) {
            assert.deepEqual(next.slice(0, last.length), last, `turn ${turn}, step ${number}`);
            last = next;
          }
        }
        await session.append({ role: "assistant", content: "Ana" });
        await session.replaceLast({ role: "assistant", content: "Ana does." });
        const all = promptOf(await session.build(configOf(name)));
        assert.ok(all.some((line) => line.includes("Ana does.")));
      }
      await session.close();
    });
  });
}

test("the build of the first turn is kept, and replayed", async () => {
  const session = await openSession("web:main", { store: memoryStore() });
  const context = await session.build({ request: "hello", encoding: "estimate" });
  const [kept, ...others] = await session.snapshots();
  assert.deepEqual(others, []);
  assert.equal(kept.snapshot.contextHash, context.snapshot.contextHash);
  await session.append([
    { role: "user", content: "hello" },
    { role: "assistant", content: "hi" },
  ]);
  const again = await session.replay(kept.recording);
  assert.ok(again.same);
  assert.deepEqual(promptOf(again.context), ["hello"]);
  await session.build({ encoding: "estimate" });
  assert.equal((await session.snapshots()).length, 2);
  await session.close();
});

test("an unknown session without a request doesn't begin", async () => {
  const session = await openSession("web:main", { store: memoryStore() });
  await session.build({ encoding: "estimate" });
  assert.deepEqual(await session.snapshots(), []);
  assert.equal(await session.info(), undefined);
  await session.close();
});

test("the absence of a request is recorded", async () => {
  /** @type {import("windrow").Section[]} */
  const sections = [
    { id: "history", kind: "history" },
    { id: "note", kind: "text", text: "note" },
    { id: "request", kind: "request" },
  ];
  const session = await openSession("web:main", { store: memoryStore() });
  await session.append([...TALK, ASKED]);
  for (const [request, expected] of /** @type {any[][]} */ ([
    [undefined, ["note", ASKED.content]],
    [null, [ASKED.content, "note"]],
    ["", [ASKED.content, "note"]],
  ])) {
    const context = await session.build({ encoding: "estimate", sections, request });
    assert.deepEqual(promptOf(context).slice(-2), expected);
    const again = await session.replay(JSON.parse(JSON.stringify(context.recording)));
    assert.ok(again.same, String(request));
    assert.deepEqual(promptOf(again.context), promptOf(context));
    assert.equal(context.kept.at(-1).content, ASKED.content);
    assert.equal(context.explain(String(context.kept.at(-1).id)).reason, "request");
  }
  await session.close();
});

test("a request that is also appended is the caller's own object, once", async () => {
  const request = { id: "7", role: "user", content: "who takes the keys?" };
  const context = await buildContext([...TALK, { ...request }], { request, encoding: "estimate" });
  assert.equal(context.messages.at(-1), request);
  assert.equal(context.messages.filter((message) => "id" in message && message.id === "7").length, 1);
  assert.equal(context.explain("7").reason, "same_as_request");
  assert.equal(context.kept.length, TALK.length);
});
