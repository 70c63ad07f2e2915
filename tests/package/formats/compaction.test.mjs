// A request to the same provider begins with its newest compaction. Any other provider gets the original messages of
// the log.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { buildContext, countTokens, loadEncoding, memoryStore, openSession, problemsOf, requestOf } from "windrow";
import { assertShare, forEachSeedAsync } from "../support/property.mjs";
import { Random } from "../support/random.mjs";

before(() => loadEncoding("o200k_base"));

const WORDS = "harbour violin garden invoice kitchen train plumber window ticket letter candle river".split(" ");
const saying = (random, most) => Array.from({ length: random.integer(2, most) }, () => random.pick(WORDS)).join(" ");

/**
 * For each provider and model, how its compaction looks in a message, and an empty one.
 *
 * @type {Record<string, { targets: any[]; made: (text: string, blocks?: any) => any; empty: any }>}
 */
const MAKERS = {
  anthropic: {
    targets: [
      ["anthropic", "claude-opus-4-6"],
      ["anthropic", "claude-opus-5-5"],
      ["ai-sdk", "claude-opus-5-5"],
    ],
    made: (text, blocks) => ({ role: "assistant", content: [{ type: "compaction", content: text }, ...blocks] }),
    empty: (random) => ({ type: "compaction", content: random.pick([null, ""]) }),
  },
  "ai-sdk": {
    targets: [
      ["anthropic", "claude-opus-5-5"],
      ["ai-sdk", "claude-opus-5-5"],
    ],
    made: (text, blocks) => ({
      role: "assistant",
      content: [{ type: "text", text, providerOptions: { anthropic: { type: "compaction" } } }, ...blocks],
    }),
    empty: () => ({ type: "text", text: "", providerOptions: { anthropic: { type: "compaction" } } }),
  },
  openai: {
    targets: [
      ["openai-responses", "gpt-5"],
      ["ai-sdk", "gpt-5"],
    ],
    made: (data) => ({ type: "compaction", id: "cmp_1", encrypted_content: data }),
    empty: undefined,
  },
};
/** @type {any[]} */
const OTHERS = [
  ["openai", "gpt-5"],
  ["gemini", "gemini-3-pro"],
];

/** A random conversation: the messages before its newest compaction, the compaction, and the messages after it. */
function conversation(random, { made, empty }) {
  const words = [];
  let saidCount = 0;
  const say = (role) => {
    const text = `${saidCount++} ${saying(random, 30)}`;
    words.push(text);
    return { role, content: [{ type: "text", text }] };
  };
  const turns = (count) =>
    Array.from({ length: count }, () => {
      const answer = say("assistant");
      if (empty !== undefined && random.chance(1 / 6)) {
        answer.content.unshift(empty(random));
      }
      return [say("user"), answer];
    }).flat();
  const system = { role: "system", content: "Be brief." };
  const older = [
    ...turns(random.integer(1, 5)),
    ...(random.chance(1 / 2) ? [made("An older summary.", [{ type: "text", text: "said then" }])] : []),
    ...turns(random.integer(0, 5)),
  ];
  if (random.chance(1 / 3)) {
    older[0].pinned = true;
  }
  const gone = words.splice(0);
  const newest = made("The newest summary.", random.chance(1 / 2) ? [{ type: "text", text: "after it" }] : []);
  return { system, older, gone, newest, after: [...turns(random.integer(0, 3)), say("user")] };
}

describe("a compaction", () => {
  test("begins its maker's request, and the part before it is neither sent nor counted", async () => {
    let compacted = 0;
    let same = 0;
    let cases = 0;
    await forEachSeedAsync(async (random) => {
      const maker = MAKERS[random.pick(Object.keys(MAKERS))];
      const { system, older, gone, newest, after } = conversation(random, maker);
      const [provider, model] = random.pick(maker.targets);
      const config = /** @type {any} */ ({
        model,
        budget: { maxTokens: random.integer(300, 2000) },
        render: { provider },
        ...random.pick([{}, { recall: { ranking: "recency" } }, { request: "And now?" }]),
      });
      const context = await buildContext(/** @type {any[]} */ ([system, ...older, newest, ...after]), config);
      const body = context.request(provider);
      const text = JSON.stringify(body);
      for (const said of [...gone, "An older summary.", "said then", "not shown"]) {
        // Words begin with a number, which could also be the end of a longer one.
        assert.ok(!new RegExp(`(?<!\\d)${said}`).test(text), `${said} is sent`);
      }
      assert.ok(text.includes("The newest summary."));
      const alone = await buildContext(/** @type {any[]} */ ([system, newest, ...after]), config);
      // Ranking uses word frequencies of the whole log, so it may choose differently if there is a choice.
      if (config.recall?.ranking === "recency" || alone.messages.length === after.length + 2) {
        assert.deepEqual(body, alone.request(provider), "it is as if the log began with the compaction");
        assert.equal(context.tokens.total, alone.tokens.total);
        same += 1;
      }
      assert.deepEqual(problemsOf(provider, body, { model }), []);
      assert.deepEqual(body, requestOf(provider, /** @type {any[]} */ (context.messages), { model }));
      assert.equal(context.explain(1).reason, "compacted");
      assert.equal(context.explain(older.length + 1).reason, "compaction");
      compacted += older.length > 4 ? 1 : 0;
      cases += 1;
    });
    assertShare(compacted, cases, 3, "conversations have much before it");
    assertShare(same, cases, 2, "bodies equal those without the earlier messages");
  });

  test("goes to nobody else: others get the messages before it", async () => {
    await forEachSeedAsync(async (random) => {
      const name = random.pick(Object.keys(MAKERS));
      const maker = MAKERS[name];
      const { system, older, gone, newest, after } = conversation(random, maker);
      const known = new Set(maker.targets.map((target) => target.join()));
      const isOfOther = ([provider, model]) =>
        !known.has([provider, model].join()) && !(name === "ai-sdk" && model.startsWith("claude"));
      const targets = [...Object.values(MAKERS).flatMap(({ targets }) => targets), ...OTHERS].filter(isOfOther);
      const [provider, model] = random.pick(targets);
      const config = /** @type {any} */ ({ model, budget: { maxTokens: 20_000 }, render: { provider } });
      const context = await buildContext(/** @type {any[]} */ ([system, ...older, newest, ...after]), config);
      const text = JSON.stringify(context.request(provider));
      assert.ok(!text.includes("The newest summary."), "it goes to another provider");
      assert.ok(!text.includes("compaction"));
      for (const said of gone) {
        assert.ok(text.includes(said), `${said} is missing`);
      }
      // The messages that are sent again are counted. Some providers join texts, which may save a few tokens.
      const { tokens } = countTokens(gone.join(" "), { model });
      assert.ok(
        context.tokens.total >= 0.9 * tokens,
        `${context.tokens.total} tokens, and ${tokens} of the messages that are sent again`,
      );
    });
  });

  test("precedes section texts, and a call after it keeps its result", async () => {
    /** @type {any[]} */
    const messages = [
      { role: "user", content: "long ago" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "said before" },
          { type: "compaction", content: "In short.", signature: "sealed" },
          { type: "tool_use", id: "a", name: "look", input: {} },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "found" }] },
    ];
    const context = await buildContext(messages, {
      model: "claude-opus-5-5",
      request: null,
      render: { provider: "anthropic" },
      sections: [
        { id: "facts", kind: "text", role: "user", text: "The facts." },
        { id: "history", kind: "history" },
      ],
    });
    const [first, results, ...more] = context.request("anthropic").messages;
    assert.deepEqual(first?.content, [
      { type: "compaction", content: "In short.", signature: "sealed" },
      { type: "tool_use", id: "a", name: "look", input: {} },
    ]);
    assert.deepEqual(results?.content, [
      { type: "tool_result", tool_use_id: "a", content: "found" },
      { type: "text", text: "The facts." },
    ]);
    assert.deepEqual(more, []);
  });

  test("that ends the messages ends the request", () => {
    /** @type {any[]} */
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", content: [{ type: "compaction", content: "In short." }] },
    ];
    const { messages: sent } = requestOf("anthropic", messages, { model: "claude-opus-5-5" });
    assert.deepEqual(sent, [messages[1]]);
  });

  test("keeps instructions at the top of the request, and no others", async () => {
    const late = { role: "system", content: "Be brisk." };
    /** @type {any[]} */
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "hi" },
      late,
      { role: "assistant", content: [{ type: "compaction", content: "In short." }] },
      { role: "user", content: "And now?" },
    ];
    const systemFor = async (model) => {
      const context = await buildContext(messages, { model, render: { provider: "anthropic" } });
      return context.request("anthropic").system;
    };
    assert.equal(await systemFor("claude-opus-5-5"), "Be brief.");
    assert.deepEqual(await systemFor("claude-opus-4-6"), [
      { type: "text", text: "Be brief." },
      { type: "text", text: "Be brisk." },
    ]);
  });

  test("works in a session, however much of the log is before it", async () => {
    const random = new Random(1);
    const session = await openSession("s", { store: memoryStore() });
    const turn = (at) => [
      { role: "user", content: `${at} ${saying(random, 9)}` },
      { role: "assistant", content: `${at} ${saying(random, 9)}` },
    ];
    await session.append(Array.from({ length: 1500 }, (_, at) => turn(at)).flat());
    await session.append([
      { role: "assistant", content: [{ type: "compaction", content: "In short." }] },
      { role: "user", content: "And the harbour?" },
    ]);
    const config = /** @type {any} */ ({
      model: "claude-opus-5-5",
      budget: { maxTokens: 4000 },
      render: { provider: "anthropic" },
    });
    const { messages } = (await session.build(config)).request("anthropic");
    assert.deepEqual(
      messages.map(({ role }) => role),
      ["assistant", "user"],
    );
    const other = await session.build({ ...config, model: "gpt-5", render: { provider: "openai" } });
    assert.ok(other.kept.length > 100);
    await session.close();
  });
});
