// Messages of an assistant that hold several steps: they shrink and drop out step by step, just like a run with one
// message per step.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  buildContext,
  buildContextSync,
  createTranscript,
  loadEncoding,
  loadSelection,
  memoryStore,
  openSession,
  plainMessage,
  replay,
} from "windrow";
import { forEachSeed, forEachSeedAsync } from "../support/property.mjs";
import { SHAPES } from "../support/shape-conversations.mjs";

await loadEncoding("o200k_base");
await loadSelection();

/** The shapes whose messages hold calls and their results. The first marks the beginning of each step. */
const BORDERED = ["ai-sdk-ui"];
const STEPPED = [...BORDERED, "ai-sdk-ui-4", "mastra", "opencode", "assistant-ui", "tanstack"];

const LINES = [
  "the boat is in the harbor",
  "src/parser.ts:12 fails with EACCES",
  "nothing to see",
  "order 48213 was paid",
];

/**
 * A run: a task, steps with calls, and perhaps more tasks. Without `isBordered`, each step says something, which
 * separates it from the one before.
 */
function randomRun(random, { isBordered = false, hasJson = true, tasks = random.integer(1, 3) } = {}) {
  let count = 0;
  const call = () => {
    count += 1;
    const lines = Array.from({ length: random.pick([1, 4, 30]) }, () => random.pick(LINES));
    return {
      id: `call_${count}`,
      name: random.pick(["read_file", "search"]),
      input: { path: `src/${random.integer(1, 9)}.ts` },
      mark: `mark${count}`,
      state: "done",
      text: lines.join("\n"),
      json: hasJson && random.chance(0.2),
    };
  };
  const step = () => ({
    thoughts: [],
    text: !isBordered || random.chance(0.5) ? `step ${count}: ${random.pick(LINES)}` : undefined,
    calls: Array.from({ length: random.pick([1, 1, 1, 3]) }, call),
  });
  return Array.from({ length: tasks }, (_, at) => {
    const steps = Array.from({ length: random.integer(1, 12) }, step);
    const answer = { thoughts: [], text: `Done with task ${at}.`, calls: [] };
    const isOpen = at === tasks - 1 && random.chance(0.7);
    return [
      { kind: "user", parts: [{ text: `Task ${at}: look at ${random.pick(LINES)}` }] },
      { kind: "assistant", steps: isOpen ? steps : [...steps, answer] },
    ];
  }).flat();
}

/** The calls and results of messages: `call:ID`, and `result:ID:TEXT`. */
const toolPartsOf = (messages) =>
  messages
    .flatMap((message) => plainMessage(message).content)
    .flatMap((part) => {
      const { type, toolCallId, output } = part;
      return type === "tool-call"
        ? [`call:${toolCallId}`]
        : type === "tool-result"
          ? [`result:${toolCallId}:${JSON.stringify(output)}`]
          : [];
    });
const sorted = (list) => [...list].sort();
const textsOf = (messages) =>
  messages
    .flatMap((message) => plainMessage(message).content)
    .flatMap((part) => (part.type === "text" ? [part.text] : []));

/** The messages of a request, with texts as lists of parts. */
const sentBy = (context) =>
  context.request("openai").messages.map(({ role, content }) => ({
    role,
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
  }));

describe("a message of several steps", () => {
  for (const shape of STEPPED) {
    test(`${shape}: a run keeps the same parts as its ModelMessages do`, async () => {
      let partial = 0;
      await forEachSeedAsync(async (random) => {
        const turns = randomRun(random, {
          isBordered: BORDERED.includes(shape),
          hasJson: !["opencode", "tanstack"].includes(shape),
        });
        const whole = SHAPES[shape].write(turns, random);
        // A ranking knows times, which some shapes have.
        const apart = turns.flatMap((turn, at) => {
          const { createdAt } = plainMessage(whole[at]);
          return SHAPES["ai-sdk"].write([turn], random).map((message) => ({ ...message, createdAt }));
        });
        const budget = { maxTokens: random.integer(150, 2500) };
        const config = { budget: random.chance(0.3) ? { ...budget, cut: { highWater: 0.9, lowWater: 0.6 } } : budget };
        const of = (messages) => {
          try {
            return buildContextSync(messages, config);
          } catch (failure) {
            return failure.code === "BUDGET_TOO_SMALL" ? failure.code : failure.message;
          }
        };
        const [one, other] = [of(whole), of(apart)];
        if (typeof one === "string" || typeof other === "string") {
          assert.deepEqual([one, other], Array(2).fill("BUDGET_TOO_SMALL"));
          return;
        }
        assert.deepEqual(sorted(toolPartsOf(one.messages)), sorted(toolPartsOf(other.messages)));
        assert.deepEqual(textsOf(one.messages), textsOf(other.messages));
        assert.equal(one.tokens.total, other.tokens.total);
        if (turns.at(-1).steps.at(-1).calls.length > 0) {
          assert.deepEqual(sentBy(one), sentBy(other));
        }
        for (const kept of one.kept) {
          const own = whole.find((message) => idOf(message) === idOf(kept));
          const parts = toolPartsOf([own]);
          assert.ok(
            toolPartsOf([kept]).every((part) => parts.includes(part)),
            "kept results are whole",
          );
          partial += Number(kept !== own);
          const { words } = one.explain(idOf(own));
          const count = plainMessage(own).content.length;
          const gone = count - plainMessage(kept).content.length;
          assert.equal(words.includes(`; ${gone} of its ${count} parts are left out`), gone > 0, words);
          assert.equal(kept === own || kept.shortened === true, true, "a part of a message is a marked copy");
        }
        const again = await replay(one.recording, whole);
        assert.ok(again.same, JSON.stringify(again.differences));
      });
      assert.ok(partial > 0, "messages are there in part");
    });
  }

  test("counts as one message in windows and limits", () => {
    forEachSeed((random) => {
      const turns = randomRun(random, { tasks: 4 });
      const messages = SHAPES["ai-sdk-ui"].write(turns, random);
      const request = { role: "user", content: "Go on." };
      const count = random.integer(1, messages.length);
      for (const window of [{ maxRecentMessages: count }, { lookbackCount: count }]) {
        const { kept } = buildContextSync(messages, { request, window, budget: { maxTokens: 100_000 } });
        assert.deepEqual(kept.map(idOf), messages.slice(-count).map(idOf), JSON.stringify(window));
      }
      const sections = /** @type {const} */ ([
        { id: "history", kind: "history", limit: { items: count } },
        { id: "request", kind: "request" },
      ]);
      const recall = /** @type {const} */ ({ ranking: "recency" });
      const { kept } = buildContextSync(messages, { request, sections, recall, budget: { maxTokens: 100_000 } });
      assert.deepEqual(kept.map(idOf), messages.slice(-count).map(idOf), "items");
      const collect = { cacheLimit: count };
      const collected = buildContextSync(messages, { request, collect, budget: { maxTokens: 100_000 } });
      assert.deepEqual(collected.kept.map(idOf), messages.slice(-count).map(idOf), "cache");
    });
  });

  test("stays the caller's own object if its calls are hidden, and in a trace it is one message", () => {
    forEachSeed((random) => {
      const turns = randomRun(random);
      const messages = SHAPES["ai-sdk-ui"].write(turns, random);
      const config = { filter: { excludeToolCalls: true }, budget: { maxTokens: 100_000 } };
      const { kept, trace, messages: shown } = buildContextSync(messages, config);
      assert.ok(kept.every((message) => messages.includes(message)));
      assert.deepEqual(toolPartsOf(shown), []);
      assert.equal(trace.ranges.at(-1).last, messages.length - 1);
    });
  });

  test("an open call is closed in the request, and leaves nothing else out", () => {
    const parts = [
      { type: "step-start" },
      { type: "text", text: "I read it." },
      { type: "tool-read", toolCallId: "call_1", state: "output-available", input: {}, output: "the file" },
      { type: "step-start" },
      { type: "text", text: "I ask the user." },
      { type: "tool-ask", toolCallId: "call_1", state: "input-available", input: {} },
    ];
    const messages = [
      { id: "u", role: "user", parts: [{ type: "text", text: "Read it." }] },
      { id: "a", role: "assistant", parts },
    ];
    const request = { role: "user", content: "Go on." };
    const context = buildContextSync(messages, { request, budget: { maxTokens: 4000 } });
    assert.deepEqual(context.kept[1].parts, parts.slice(0, 5), "the open call alone is left out");
    assert.match(context.explain("a").words, /call_1/);
    const { messages: sent } = context.request("openai");
    assert.deepEqual(
      sent.map(({ role }) => role),
      ["user", "assistant", "tool", "assistant", "tool", "user"],
    );
  });

  test("a session stores and searches it as one message", async () => {
    await forEachSeedAsync(async (random) => {
      const messages = SHAPES["ai-sdk-ui"].write(randomRun(random), random);
      const session = await openSession("run", { store: memoryStore() });
      await session.append(messages);
      const config = { budget: { maxTokens: random.integer(300, 1500) } };
      const of = (context) => toolPartsOf(context.messages);
      const built = await session.build(config).catch((failure) => failure.code);
      const own = await buildContext(messages, config).catch((failure) => failure.code);
      assert.deepEqual(typeof built === "string" ? built : of(built), typeof own === "string" ? own : of(own));
      assert.equal((await session.messages()).length, messages.length);
      await session.close();
    });
  });

  test("a summary is asked for each step once, and never for one that is still shown", async () => {
    let questions = 0;
    await forEachSeedAsync(async (random) => {
      const turns = randomRun(random, { tasks: 1, isBordered: true });
      const steps = turns[1].steps;
      const asked = [];
      let previous;
      const summarize = ({ messages }) => {
        const shown = toolPartsOf(messages).filter((part) => part.startsWith("call:"));
        for (const call of shown) {
          assert.ok(!asked.includes(call), `${call} was summarized before`);
        }
        asked.push(...shown);
        questions += 1;
        return "They looked at files.";
      };
      const config = {
        budget: { maxTokens: 600, cut: { highWater: 0.8, lowWater: 0.4 }, toolResults: { shrink: false } },
        compact: { summarize },
      };
      for (let count = 1; count <= steps.length; count++) {
        const messages = SHAPES["ai-sdk-ui"].write([turns[0], { ...turns[1], steps: steps.slice(0, count) }], random);
        const compact = previous === undefined ? { summarize } : { summarize, summary: previous };
        const context = await buildContext(messages, { ...config, compact }).catch((failure) => {
          assert.equal(failure.code, "BUDGET_TOO_SMALL");
          return undefined;
        });
        previous = context?.compact?.summary ?? previous;
        const shown = toolPartsOf(context?.messages ?? []).filter((part) => part.startsWith("call:"));
        const covered = new Set(asked);
        assert.ok(
          shown.every((call) => !covered.has(call)),
          "summarized messages aren't shown",
        );
      }
    });
    assert.ok(questions > 0);
  });

  test("a transcript to which a step was added builds like one that had it from the start", () => {
    forEachSeed((random) => {
      const turns = randomRun(random, { tasks: 1 });
      const write = (count) =>
        SHAPES["ai-sdk-ui"].write([turns[0], { ...turns[1], steps: turns[1].steps.slice(0, count) }], random);
      const begun = write(1);
      const transcript = createTranscript(begun);
      for (let count = 2; count <= turns[1].steps.length; count++) {
        const messages = [begun[0], write(count)[1]];
        transcript.replaceLast(messages[1]);
        const config = { budget: { maxTokens: 3000 } };
        assert.deepEqual(buildContextSync(transcript, config).messages, buildContextSync(messages, config).messages);
      }
      transcript.free();
    });
  });
});

/** @param {any} message */
const idOf = ({ id, info }) => id ?? info?.id;
