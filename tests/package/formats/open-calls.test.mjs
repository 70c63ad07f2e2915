// Calls that have no result: a part is left out only for its own sake. Random conversations in every shape lose calls, results and
// texts, have them twice or in another order, or are cut off. What is left is sent: every text, and every result whose call is there.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { buildContextSync, createTranscript, loadEncoding, openSession, problemsOf, requestOf } from "windrow";
import { assertShare, forEachSeed } from "../support/property.mjs";
import { PROVIDERS } from "../support/shape-bodies.mjs";
import { randomTurns, SHAPES } from "../support/shape-conversations.mjs";
import { tokensOfBody } from "../support/independent-count.mjs";

const INTERRUPTED = "[Tool execution was interrupted]";
const encoding = "o200k_base";

before(() => loadEncoding(encoding));

/** Lists of a message whose entries are parts or calls. */
const LISTS = ["content", "parts", "tool_calls", "toolInvocations"];

/** Takes the result out of a part that has a call and its result; undefined if the part is none of these. */
function opened(part) {
  if (part.toolInvocation !== undefined) {
    const { result: _, ...call } = part.toolInvocation;
    return part.toolInvocation.state === "result"
      ? { ...part, toolInvocation: { ...call, state: "call" } }
      : undefined;
  }
  if (part.type === "tool-call" && "result" in part) {
    const { result: _, isError: __, ...call } = part;
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

/** A copy of a message of which some parts are gone, or have lost their results. */
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
      owner[list] = owner[list].flatMap((part) => {
        const call = typeof part === "object" && random.chance(0.5) ? opened(part) : undefined;
        // A text next to the parts says theirs again.
        const mayGo = owner[list].length > 1 && !(part.type === "text" && typeof owner.content === "string");
        return call !== undefined ? [call] : mayGo && random.chance(0.1) ? [] : [part];
      });
    }
    // The field next to the parts says the same calls again.
    const ofParts = new Map((owner.parts ?? []).map((part) => [part.toolInvocation?.toolCallId, part.toolInvocation]));
    if (Array.isArray(owner.parts) && Array.isArray(owner.toolInvocations)) {
      owner.toolInvocations = owner.toolInvocations.map((call) => ofParts.get(call.toolCallId) ?? call);
    }
  }
  return copy;
}

/** A conversation in which parts and messages are gone, twice there, in another order, or cut off. */
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

/** The texts that must be sent, and the results whose call stands before them. */
function expected(marks, messages) {
  const said = messages.map((message) => JSON.stringify(message));
  const firstWith = (mark) => said.findIndex((text) => text.includes(mark));
  const lastWith = (mark) => said.findLastIndex((text) => text.includes(mark));
  return marks.filter(({ mark, kind, of }) => {
    const at = lastWith(mark);
    const call = of === undefined ? -1 : firstWith(of);
    return at >= 0 && (kind === "text" || (kind === "result" && call >= 0 && call <= at));
  });
}

describe("calls without a result", () => {
  for (const [shape, { title, write, thoughtsOf, has }] of Object.entries(SHAPES)) {
    test(`${title}: every text and every finished result is sent, in a valid body, within what was counted`, () => {
      let openCount = 0;
      const cases = forEachSeed((random, seed) => {
        const provider = PROVIDERS[seed % PROVIDERS.length];
        const sendable = has.filter((it) => it !== "tool-media" || provider !== "openai");
        const { turns, marks } = randomTurns(random, { thoughtsOf, has: sendable });
        const whole = write(turns, random);
        const messages = [...damagedConversation(whole.slice(0, -1), random), whole.at(-1)];
        const openCalls = random.pick(["close", "drop"]);
        /** @satisfies {import("windrow").SyncContextConfig} */
        const options = { encoding, model: "gpt-4o", request: null, render: { provider, openCalls } };
        const context = buildContextSync(messages, options);
        const note = context.trace.notes.find(({ kind }) => kind === "open-calls");
        openCount += note === undefined ? 0 : 1;
        const body = context.request(provider);
        assert.deepEqual(problemsOf(provider, body), []);
        const sent = JSON.stringify(body);
        for (const { mark, kind } of expected(marks, messages)) {
          assert.ok(sent.includes(mark), `${mark}, ${kind}: ${sent}`);
        }
        const tokens = tokensOfBody(provider, body);
        assert.ok(tokens <= context.tokens.total, `${tokens} tokens are sent, and ${context.tokens.total} were counted`);
        if (openCalls === "drop") {
          assert.ok(shape === "opencode" || !sent.includes(INTERRUPTED), sent);
        }
        const again = buildContextSync(context.kept, { encoding, request: null, shape: undefined });
        assert.ok(!again.trace.notes.some(({ kind }) => kind === "open-calls"), "what is kept has no open call");
      });
      if (shape !== "opencode") {
        assertShare(openCount, cases, 40, "have an open call");
      }
    });
  }
});
