// The hook for AG-UI's client, with the real client and a scripted agent.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AbstractAgent, EventType } from "@ag-ui/client";
import { from, switchMap } from "rxjs";
import { transformRunInput } from "windrow/ag-ui";
import { assertPaired, longChat, tokensIn } from "./support.mjs";

const LIMIT = 600;
const request = "What did we say about the lantern?";

/** An agent that answers every run with a text. */
class Scripted extends AbstractAgent {
  seen = [];

  run(input) {
    this.seen.push(structuredClone(input));
    const { threadId, runId } = input;
    const messageId = `answer_${this.seen.length}`;
    return from([
      { type: EventType.RUN_STARTED, threadId, runId },
      { type: EventType.TEXT_MESSAGE_START, messageId, role: "assistant" },
      { type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta: "It was brass." },
      { type: EventType.TEXT_MESSAGE_END, messageId },
      { type: EventType.RUN_FINISHED, threadId, runId },
    ]);
  }
}

const text = (role, id, content) => ({ role, id, content });

function history(seed) {
  return longChat(seed).flatMap(({ said, reply, call }, at) => [
    text("user", `user_${at}`, said),
    ...(call === undefined
      ? []
      : [
          {
            role: "assistant",
            id: `asks_${at}`,
            toolCalls: [
              { id: call.id, type: "function", function: { name: call.name, arguments: JSON.stringify(call.input) } },
            ],
          },
          { role: "tool", id: `tool_${at}`, toolCallId: call.id, content: call.output },
        ]),
    text("assistant", `reply_${at}`, reply),
  ]);
}

/** Returns an agent whose runs receive the context of its messages. */
function bounded(initialMessages, config) {
  const agent = new Scripted({ initialMessages });
  const transform = transformRunInput(config);
  agent.use((input, next) => from(transform(input)).pipe(switchMap((sent) => next.run(sent))));
  return agent;
}

const tools = [{ name: "look_up", description: "Looks a word up.", parameters: { type: "object", properties: {} } }];
const context = [{ description: "The page that is open", value: "The harbour's list of boats" }];

test("a run receives a whole context within the budget, and the client keeps every message", async () => {
  for (let seed = 1; seed <= 3; seed++) {
    const messages = history(seed);
    const agent = bounded(messages, { budget: { maxTokens: LIMIT } });
    for (const [turn, said] of [request, "And what else?", "Thanks. Where is it now?"].entries()) {
      agent.addMessage(text("user", `asked_${turn}`, said));
      await agent.runAgent({ tools, context });
      const { messages: sent, ...others } = agent.seen[turn];
      const calls = sent.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id));
      assertPaired(
        calls,
        sent.flatMap(({ role, toolCallId }) => (role === "tool" ? [toolCallId] : [])),
      );
      assert.equal(sent.at(-1).content, said);
      assert.equal(new Set(sent.map(({ id }) => id)).size, sent.length, "every message has an id of its own");
      assert.deepEqual([others.tools, others.context], [tools, context]);
      assert.ok(tokensIn(sent, tools, context) <= LIMIT, `${tokensIn(sent, tools, context)} tokens`);
      assert.ok(sent.length < agent.messages.length);
      assert.equal(agent.messages.length, messages.length + 2 * (turn + 1), "nothing is lost on the client");
    }
  }
});

test("messages that fit are passed on unchanged", async () => {
  const messages = [text("system", "s", "You are brief."), text("user", "u", request)];
  const agent = bounded(messages, { budget: { maxTokens: 4000 } });
  await agent.runAgent({});
  assert.deepEqual(agent.seen[0].messages, messages);
});

test("tools and facts of the app count, and a run that can't fit fails with the reason", async () => {
  const totals = [];
  const config = { budget: { maxTokens: 4000 }, onContext: ({ tokens }) => totals.push(tokens.total) };
  const agent = bounded([text("user", "u", request)], config);
  await agent.runAgent({});
  await agent.runAgent({ tools, context });
  assert.ok(totals[1] - totals[0] > tokensIn(tools, context));
  const tight = bounded([text("user", "u", request)], { budget: { maxTokens: 4 } });
  await assert.rejects(tight.runAgent({}), { code: "BUDGET_TOO_SMALL" });
  assert.equal(tight.seen.length, 0);
});
