// Calls without results: a part is only left out for its own sake. Random conversations in every format lose calls,
// results and texts, repeat or reorder them, or are cut off. Everything else is sent: every text, and every result
// whose call is there.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import {
  buildContextSync,
  createTranscript,
  loadEncoding,
  memoryStore,
  openSession,
  problemsOf,
  requestOf,
} from "windrow";
import { tokensOfBody } from "../support/independent-count.mjs";
import { assertShare, forEachSeed } from "../support/property.mjs";
import { PROVIDERS, sendableOf } from "../support/shape-bodies.mjs";
import { randomTurns, SHAPES } from "../support/shape-conversations.mjs";

const INTERRUPTED = "[Tool execution was interrupted]";
const encoding = "o200k_base";

/** @type {(messages: any, options: import("windrow").SyncContextConfig) => import("windrow").BuiltContext<any>} */
const contextOf = (messages, options) => buildContextSync(messages, options);

before(() => loadEncoding(encoding));

/** Fields of a message that list parts or calls. */
const LISTS = ["content", "parts", "tool_calls", "toolInvocations"];

/** Removes the result from a part that has both a call and its result. Returns undefined for any other part. */
function opened(part) {
  if (part.toolInvocation !== undefined) {
    const { result: _, ...call } = part.toolInvocation;
    return part.toolInvocation.state === "result" ? { ...part, toolInvocation: { ...call, state: "call" } } : undefined;
  }
  if (part.type === "tool-call" && "result" in part) {
    const { result: _, isError: __, modelContent: ___, ...call } = part;
    return call;
  }
  if (part.state === "output-available" || part.state === "output-error") {
    const { output: _, errorText: __, ...call } = part;
    return { ...call, state: "input-available" };
  }
  if (part.type === "tool" && part.state?.status === "completed") {
    return { ...part, state: { status: "running", input: part.state.input, time: { start: 1 } } };
  }
  return undefined;
}

/** Returns a copy of a message without some of its parts, or without some results of its calls. */
function damaged(message, random) {
  if (Object.getPrototypeOf(message) !== Object.prototype) {
    return message;
  }
  const copy = { ...message };
  if (typeof copy.content === "object" && copy.content !== null && !Array.isArray(copy.content)) {
    copy.content = { ...copy.content };
  }
  const owners = [copy, copy.content].filter((it) => typeof it === "object" && it !== null && !Array.isArray(it));
  for (const owner of owners) {
    for (const list of LISTS.filter((name) => Array.isArray(owner[name]))) {
      const left = owner[list].flatMap((part) => {
        const call = typeof part === "object" && random.chance(0.5) ? opened(part) : undefined;
        // A text next to the parts repeats theirs.
        const mayGo = owner[list].length > 1 && !(part.type === "text" && typeof owner.content === "string");
        return call !== undefined ? [call] : mayGo && random.chance(0.1) ? [] : [part];
      });
      // A message with nothing at all is refused.
      owner[list] = left.length > 0 ? left : owner[list].slice(0, 1);
    }
    // The field next to the parts repeats the same calls.
    const ofParts = new Map((owner.parts ?? []).map((part) => [part.toolInvocation?.toolCallId, part.toolInvocation]));
    if (Array.isArray(owner.parts) && Array.isArray(owner.toolInvocations)) {
      owner.toolInvocations = owner.toolInvocations.map((call) => ofParts.get(call.toolCallId) ?? call);
    }
  }
  return copy;
}

/** Returns a conversation with parts and messages removed, duplicated, reordered or cut off. */
function damagedConversation(messages, random) {
  const left = messages.flatMap((message) => {
    const own = random.chance(0.5) ? damaged(message, random) : message;
    return random.chance(0.12) ? [] : random.chance(0.05) ? [own, own] : [own];
  });
  if (random.chance(0.2) && left.length > 2) {
    const at = random.integer(0, left.length - 2);
    left.splice(at, 2, ...left.slice(at, at + 2).reverse());
  }
  return random.chance(0.3) ? left.slice(0, random.integer(0, left.length)) : left;
}

/**
 * The marks that must be sent: those of texts, and those of results that come after their call and name it by its id.
 */
function expected(marks, messages) {
  const said = messages.map((message) => JSON.stringify(message));
  const firstWith = (mark) => said.findIndex((text) => text.includes(mark));
  const lastWith = (mark) => said.findLastIndex((text) => text.includes(mark));
  return marks.filter(({ mark, kind, of }) => {
    const at = lastWith(mark);
    const call = of === undefined ? -1 : firstWith(of);
    // Gemini's and Ollama's calls and OpenAI's first functions may have no ids, and are then matched by position.
    const isNamed = [said[at], said[call]].every(
      (text) => !/"function(?:Call|Response|_call)":\{"name"|"tool_name":|"role":"function"/.test(text ?? ""),
    );
    return at >= 0 && (kind === "text" || (kind === "result" && call >= 0 && call <= at && isNamed));
  });
}

describe("calls without a result", () => {
  for (const [shape, { title, write, thoughtsOf, has }] of Object.entries(SHAPES)) {
    test(`${title}: every text and every finished result is sent, in a valid body, within the count`, () => {
      let openCount = 0;
      const cases = forEachSeed((random, seed) => {
        const provider = PROVIDERS[seed % PROVIDERS.length];
        // Bedrock refuses a document whose text was removed.
        const sendable = sendableOf(provider, has).filter((it) => provider !== "bedrock" || it !== "media");
        const { turns, marks } = randomTurns(random, { thoughtsOf, has: sendable });
        const whole = write(turns, random);
        const messages = [...damagedConversation(whole.slice(0, -1), random), whole.at(-1)];
        const openCalls = random.pick(["close", "drop"]);
        /** @satisfies {import("windrow").SyncContextConfig} */
        const options = { encoding, model: "gpt-4o", request: null, render: { provider, openCalls } };
        const context = contextOf(messages, options);
        const note = context.trace.notes.find(({ kind }) => kind === "open-calls");
        openCount += note === undefined ? 0 : 1;
        const body = context.request(provider);
        assert.deepEqual(problemsOf(provider, body), []);
        const sent = JSON.stringify(body);
        for (const { mark, kind } of expected(marks, messages)) {
          assert.ok(sent.includes(mark), `${mark}, ${kind}: ${sent}`);
        }
        const tokens = tokensOfBody(provider, body);
        assert.ok(
          tokens <= context.tokens.total,
          `${tokens} tokens are sent, and ${context.tokens.total} were counted`,
        );
        if (openCalls === "drop") {
          assert.ok(shape === "opencode" || !sent.includes(INTERRUPTED), sent);
        }
        const again = contextOf(context.kept, { encoding, request: null, shape: undefined });
        assert.ok(!again.trace.notes.some(({ kind }) => kind === "open-calls"), "the kept messages have no open call");
      });
      // Items contain a single call and are dropped whole. opencode and Mastra report the fate of their calls
      // themselves.
      if (!["opencode", "mastra", "openai-responses", "openai-agents"].includes(shape)) {
        assertShare(openCount, cases, 40, "have an open call");
      }
    });
  }
});

const use = (id) => ({ type: "tool_use", id, name: "read", input: {} });
const result = (id, content) => ({ type: "tool_result", tool_use_id: id, content });
const text = (words) => ({ type: "text", text: words });

/**
 * Someone presses Stop: one of two calls has a result, and the next words are in the message of that result.
 *
 * @type {any[]}
 */
const STOPPED = [
  { id: "asked", role: "user", content: [text("How many seats?")] },
  { id: "step", role: "assistant", content: [text("I look."), use("t1"), use("t2")] },
  { id: "stop", role: "user", content: [result("t1", "forty"), text("STOP, and what is the deposit?")] },
];

describe("a result before its call", () => {
  const asked = { role: "user", content: "How many seats?" };
  const next = { role: "user", content: "And the deposit?" };
  const callOf = (id) => ({ role: "assistant", content: "I look.", toolCalls: [{ id, name: "read", arguments: {} }] });
  const resultOf = (id, content) => ({ role: "tool", toolCallId: id, content });

  for (const provider of PROVIDERS) {
    test(`${provider}: is sent after it`, () => {
      const context = contextOf([asked, resultOf("a", "forty"), callOf("a"), next], { encoding, render: { provider } });
      assert.equal(
        JSON.stringify(context.request(provider)),
        JSON.stringify(
          contextOf([asked, callOf("a"), resultOf("a", "forty"), next], { encoding, render: { provider } }).request(
            provider,
          ),
        ),
      );
      assert.deepEqual(context.trace.notes, []);
    });
  }

  test("never answers a call after the user's next words", () => {
    const context = contextOf([asked, resultOf("a", "of a call that was removed"), next, callOf("a")], { encoding });
    assert.equal(context.explain(1).reason, "result_without_call");
    assert.ok(!JSON.stringify(context.request("openai")).includes("of a call that was removed"));
  });

  test("among many with ids of their own, each is sent once", () => {
    forEachSeed((random) => {
      const count = random.integer(1, 6);
      const messages = [asked];
      for (let at = 0; at < count; at++) {
        const pair = [callOf(`c${at}`), resultOf(`c${at}`, `result ${at}.`)];
        messages.push(...(random.chance(0.5) ? pair.reverse() : pair));
        if (random.chance(0.3)) {
          messages.push(next);
        }
      }
      messages.push(next);
      const provider = random.pick(PROVIDERS);
      const context = contextOf(messages, { encoding, request: null, render: { provider } });
      const body = context.request(provider);
      assert.deepEqual(problemsOf(provider, body), []);
      const sent = JSON.stringify(body);
      for (let at = 0; at < count; at++) {
        assert.equal(sent.split(`result ${at}.`).length, 2, sent);
      }
      assert.ok(!sent.includes(INTERRUPTED));
    });
  });
});

describe("a run that the user stopped", () => {
  /** @satisfies {import("windrow").SyncContextConfig} */
  const options = { encoding, budget: { maxTokens: 2000 } };

  test("Anthropic: the open call is closed, and everything else stays", () => {
    const context = contextOf(STOPPED, options);
    assert.deepEqual(
      context.request("anthropic").messages,
      [
        STOPPED[0],
        STOPPED[1],
        {
          role: "user",
          content: [
            result("t1", "forty"),
            { ...result("t2", INTERRUPTED), is_error: true },
            text("STOP, and what is the deposit?"),
          ],
        },
      ].map(({ role, content }) => ({ role, content })),
    );
    assert.deepEqual(context.kept[1], { ...STOPPED[1], content: [text("I look."), use("t1")], shortened: true });
    assert.equal(context.kept[2], STOPPED[2]);
    assert.deepEqual(context.trace.notes, [
      {
        kind: "open-calls",
        words: "1 tool call without a result, closed as interrupted in the request (render.openCalls): read (t2)",
      },
    ]);
    assert.match(context.explain("step").words, /; without a result, and so closed as interrupted in the request: t2 /);
  });

  test("with `drop` only the call is left out, and nothing is counted for it", () => {
    const closed = contextOf(STOPPED, options);
    const dropped = contextOf(STOPPED, { ...options, render: { openCalls: "drop" } });
    const [, step, next] = dropped.request("anthropic").messages;
    assert.deepEqual(step.content, [text("I look."), use("t1")]);
    assert.deepEqual(next.content, STOPPED[2].content);
    assert.ok(dropped.tokens.total < closed.tokens.total);
    const { total } = contextOf(dropped.messages, options).tokens;
    assert.equal(dropped.tokens.total, total);
  });

  test("an array, a `Transcript`, a session and `requestOf` send the same", async () => {
    const body = contextOf(STOPPED, options).request("anthropic");
    const transcript = createTranscript(STOPPED);
    assert.deepEqual(contextOf(transcript, options).request("anthropic"), body);
    transcript.free();
    const session = await openSession("web:stopped", { store: memoryStore() });
    await session.append(STOPPED);
    assert.deepEqual((await session.build(options)).request("anthropic"), body);
    await session.close();
    assert.deepEqual(requestOf("anthropic", STOPPED), body);
  });

  test("an AI SDK message keeps its finished tools and its text", () => {
    const done = (at) => ({
      type: "tool-read",
      toolCallId: `c${at}`,
      state: "output-available",
      input: { path: `${at}.txt` },
      output: `FINISHED ${at}`,
    });
    const open = { type: "tool-read", toolCallId: "c4", state: "input-available", input: { path: "4.txt" } };
    const parts = [{ type: "step-start" }, done(1), done(2), text("FOUND: forty seats."), { type: "step-start" }, open];
    const messages = [
      { id: "1", role: "user", parts: [text("Read the files")] },
      { id: "2", role: "assistant", parts },
      { id: "3", role: "user", parts: [text("Enough.")] },
    ];
    const context = contextOf(messages, options);
    for (const provider of PROVIDERS) {
      const sent = JSON.stringify(context.request(provider));
      for (const words of ["FINISHED 1", "FINISHED 2", "FOUND: forty seats.", "Enough.", INTERRUPTED]) {
        assert.ok(sent.includes(words), `${provider}: ${words}`);
      }
    }
    assert.deepEqual(context.kept[1].parts, parts.slice(0, -1));
  });

  test("among calls with one name and no ids, the one without a result is closed", () => {
    const call = (path) => ({ functionCall: { name: "read", args: { path } } });
    const messages = [
      { role: "user", parts: [{ text: "Read both" }] },
      { role: "model", parts: [call("a"), call("b")] },
      { role: "user", parts: [{ functionResponse: { name: "read", response: { output: "A" } } }] },
      { role: "user", parts: [{ text: "Stop." }] },
    ];
    const context = contextOf(messages, options);
    assert.deepEqual(context.kept[1].parts, [call("a")]);
    const responses = context
      .request("gemini")
      .contents[2].parts.map(({ functionResponse }) => functionResponse.response);
    assert.deepEqual(responses, [{ output: "A" }, { error: INTERRUPTED }]);
  });
});

describe("calls that are answered later", () => {
  const ask = { type: "tool-approval-request", approvalId: "ask", toolCallId: "c" };
  const call = { type: "tool-call", toolCallId: "c", toolName: "book", input: {} };
  const waiting = [
    { role: "user", content: "Book it." },
    { role: "assistant", content: [text("I book."), call, ask] },
  ];

  test("an approved one stays open, and an unanswered one is closed", () => {
    const allowed = { role: "tool", content: [{ type: "tool-approval-response", approvalId: "ask", approved: true }] };
    const answered = contextOf([...waiting, allowed], { encoding });
    assert.deepEqual(answered.kept, [...waiting, allowed]);
    assert.deepEqual(answered.request("ai-sdk").messages.slice(1), [waiting[1], allowed]);
    const context = contextOf(waiting, { encoding });
    assert.deepEqual(context.kept[1].content, [text("I book.")]);
    assert.match(JSON.stringify(context.request("ai-sdk")), /I book\..*interrupted/);
  });

  test("it is closed when the user speaks, and the text stays", () => {
    const context = contextOf([...waiting, { role: "user", content: "Never mind." }], { encoding });
    assert.deepEqual(context.kept[1].content, [text("I book.")]);
    assert.match(JSON.stringify(context.request("anthropic")), /I book\..*interrupted.*Never mind\./);
  });

  test("a provider's own one is left out when the user speaks, and the text stays", () => {
    const hosted = { type: "server_tool_use", id: "srv", name: "web_search", input: { query: "boats" } };
    const messages = [
      { role: "user", content: "Search." },
      { role: "assistant", content: [text("I search."), hosted] },
      { role: "user", content: "Never mind." },
    ];
    for (const openCalls of /** @type {const} */ (["close", "drop"])) {
      const body = contextOf(messages, { encoding, render: { openCalls } }).request("anthropic");
      assert.deepEqual(body.messages[1].content, [text("I search.")]);
    }
  });

  test("only a result of the provider's tool without its call is left out", () => {
    const given = { type: "web_search_tool_result", tool_use_id: "gone", content: [] };
    const messages = [
      { role: "user", content: "Search." },
      { role: "assistant", content: [given, text("I found it.")] },
      { role: "user", content: "Where?" },
    ];
    const body = contextOf(messages, { encoding }).request("anthropic");
    assert.deepEqual(body.messages[1].content, [text("I found it.")]);
  });
});

describe("calls of OpenAI's built-in kinds", () => {
  const asked = { role: "user", content: "List the files." };
  const stop = { role: "user", content: "Stop." };
  const shell = { type: "shell_call", id: "sh_1", call_id: "c", action: { commands: ["ls"] }, status: "completed" };

  test("one without a result is left out, because no item can mark it as interrupted", () => {
    const { input } = requestOf("openai-responses", /** @type {any} */ ([asked, shell, stop]));
    assert.deepEqual(input, [asked, stop]);
  });

  test("output of the local shell keeps the id of its call", () => {
    const action = { type: "exec", command: ["ls"], env: {} };
    const call = { type: "local_shell_call", id: "lsh_1", call_id: "c", action, status: "completed" };
    const output = { type: "local_shell_call_output", id: "c", output: "boats.txt" };
    const body = contextOf([asked, call, output, stop], { encoding }).request("openai-responses");
    assert.deepEqual(body.input[2], output);
    assert.deepEqual(problemsOf("openai-responses", body), []);
  });
});
