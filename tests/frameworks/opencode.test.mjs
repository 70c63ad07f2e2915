// The opencode plugin, called as its types say: it receives messages of its SDK and changes the list in place.

import assert from "node:assert/strict";
import { test } from "node:test";
import { contextHooks } from "windrow/opencode";
import { longChat, tokensIn } from "./support.mjs";

const LIMIT = 600;
const HOOK = "experimental.chat.messages.transform";

function messagesOf(seed) {
  const sessionID = "ses_1";
  let count = 0;
  const message = (role, parts, more = {}) => {
    count += 1;
    const id = `msg_${String(count).padStart(4, "0")}`;
    const time = { created: Date.UTC(2026, 0, 5, 9, count) };
    return {
      info: { id, sessionID, role, time, ...more },
      parts: parts.map((part, at) => ({ id: `${id}_${at}`, messageID: id, sessionID, ...part })),
    };
  };
  const model = { providerID: "openai", modelID: "gpt-4o" };
  const turns = longChat(seed).flatMap(({ said, reply, call }) => [
    message("user", [{ type: "text", text: said }], { agent: "build", model }),
    message(
      "assistant",
      [
        ...(call === undefined
          ? []
          : [
              {
                ...{ type: "tool", callID: call.id, tool: call.name },
                state: {
                  status: "completed",
                  input: call.input,
                  output: call.output,
                  title: "",
                  metadata: {},
                  time: { start: 1, end: 2 },
                },
              },
            ]),
        { type: "text", text: reply },
      ],
      { modelID: "gpt-4o", providerID: "openai" },
    ),
  ]);
  return [
    ...turns,
    message("user", [{ type: "text", text: "What did we say about the lantern?" }], { agent: "build", model }),
  ];
}

const saidIn = (messages) =>
  messages.flatMap(({ parts }) =>
    parts.map(({ text, state }) => [text ?? "", state?.output ?? "", state?.input ?? ""]),
  );

test("the list is changed in place, within the budget, and is unchanged when it is built again", async () => {
  const contexts = [];
  const hooks = contextHooks({ budget: { maxTokens: LIMIT }, onContext: (context) => contexts.push(context) });
  for (let seed = 1; seed <= 20; seed++) {
    const all = messagesOf(seed);
    const output = { messages: [...all] };
    const list = output.messages;
    await hooks[HOOK]({}, output);
    assert.equal(output.messages, list);
    assert.ok(list.length < all.length && list.length > 2);
    assert.equal(list.at(-1), all.at(-1), "the request is there, and is the caller's object");
    // A message whose steps aren't all there is a copy with the others.
    const isFrom = ({ info, parts }) => {
      const known = all.find((message) => message.info.id === info.id)?.parts ?? [];
      return parts.every(({ id }) => known.some((part) => part.id === id));
    };
    assert.ok(
      list.every((message) => all.includes(message) || isFrom(message)) ||
        list.some(({ parts }) => parts.some(({ text }) => text?.includes("left out"))),
    );
    assert.ok(tokensIn(saidIn(list)) <= LIMIT);
    const once = [...list];
    await hooks[HOOK]({}, output);
    assert.deepEqual(output.messages, once);
  }
  assert.match(contexts[0].tokens.words, /gpt-4o/);
});

test("windrow's own text is a separate user message", async () => {
  const hooks = contextHooks({
    budget: { maxTokens: LIMIT },
    render: { provider: "anthropic", gapNotice: "[{count} are not shown]" },
  });
  const output = { messages: messagesOf(3) };
  await hooks[HOOK]({}, output);
  const [written] = output.messages.filter(({ parts }) => parts.some(({ text }) => /are not shown/.test(text ?? "")));
  assert.equal(written.info.role, "user");
  assert.equal(written.info.sessionID, "ses_1");
  assert.equal(written.parts[0].messageID, written.info.id);
});
