// The tool that returns omitted results and messages to the model.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContext, countTokens, loadEncoding, memoryStore, openSession, providers } from "windrow";
import { secrets } from "windrow/redact";
import { forEachSeedAsync } from "../support/property.mjs";

const encoding = "o200k_base";
await loadEncoding(encoding);

const REFERENCE = /^Unchanged: the same as the earlier result of this call\.$/;

/** A step of a run: a call and its result. */
function step(id, name, input, output) {
  const call = { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
  return [
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: id, content: output },
  ];
}

const lines = (count, word) => Array.from({ length: count }, (_, at) => `${word} ${at} of the file`).join("\n");

/** A run of six file reads. The fourth file has a line about a lantern in its middle. */
const run = [
  { role: "user", content: "Mend the parser." },
  ...[0, 1, 2, 3, 4, 5].flatMap((at) => {
    const text = lines(120, `file${at}`);
    const output = at === 3 ? text.replace("file3 60 of", "The lantern costs 4,711 francs\nfile3 60 of") : text;
    return step(`call_${at}`, "read_file", { path: `src/file_${at}.ts` }, output);
  }),
];

/** @type {(messages: any[], maxTokens?: number, options?: any) => Promise<any>} */
const build = (messages, maxTokens = 1500, options = {}) =>
  buildContext(messages, { encoding, budget: { maxTokens, toolResults: { retrieval: true } }, ...options });

const tokensOf = (text) => countTokens(text, { encoding }).tokens;

describe("results of the tool", () => {
  test("each mark names its result, and the name returns the original", async () => {
    const context = await build(run);
    const shown = context.messages.filter(({ role }) => role === "tool");
    assert.equal(shown.length, 6);
    for (const { content, tool_call_id: id } of shown) {
      const name = /; result (r\d+) …\]/.exec(content)?.[1];
      const original = run.find((message) => message.tool_call_id === id).content;
      assert.equal(name === undefined, content === original);
      if (name !== undefined) {
        const answer = await context.retrieval.execute({ id: name, max_tokens: 750 });
        const [head, ...rest] = answer.split("\n");
        assert.equal(head, `${name}, read_file {"path":"src/file_${id.at(-1)}.ts"}:`);
        assert.ok(original.startsWith(rest.slice(0, -1).join("\n")));
      }
    }
  });

  test("answers continue with an offset until the whole original was returned", async () => {
    await forEachSeedAsync(async (random) => {
      const original = Array.from({ length: random.integer(20, 200) }, () => random.text(6)).join("\n");
      const messages = [run[0], ...step("a", "read_log", {}, original), ...step("b", "run", {}, "ok")];
      const context = await build(messages, 300);
      const max_tokens = random.integer(50, 150);
      let [whole, offset] = ["", 0];
      if (context.explain(2).fate === "kept") {
        return;
      }
      for (let at = 0; at < 500; at++) {
        const answer = await context.retrieval.execute({ id: "r2", offset, max_tokens });
        assert.ok(tokensOf(answer) <= max_tokens, `${tokensOf(answer)} of ${max_tokens} tokens`);
        const body = answer.slice(answer.indexOf("\n") + 1);
        const next = /: go on with offset (\d+)\]$/.exec(body)?.[1];
        whole += body.replace(/\n\[characters \d+ to \d+ of \d+(?:: go on with offset \d+)?\]$/, "");
        if (next === undefined) {
          break;
        }
        assert.ok(Number(next) > offset);
        offset = Number(next);
      }
      assert.equal(whole, original);
    });
  });

  test("a query finds passages in the omitted part, within the limit", async () => {
    const context = await build(run, 1000);
    for (const max_tokens of [100, 200, 500]) {
      const answer = await context.retrieval.execute({ query: "What does the lantern cost?", max_tokens });
      assert.ok(tokensOf(answer) <= max_tokens, `${tokensOf(answer)} of ${max_tokens} tokens`);
      assert.match(answer, /4,711 francs/);
    }
    const passage = await context.retrieval.execute({ id: "r8", query: "lantern francs", max_tokens: 100 });
    assert.match(passage, /^r8, read_file .*\n[\s\S]*4,711 francs/);
    assert.equal(await context.retrieval.execute({ query: "zebra" }), "No omitted text is about this.");
  });

  test("ids of messages and calls are names too, and arguments may be JSON", async () => {
    const context = await build(run);
    const byName = (await context.retrieval.execute({ id: "r2" })).split("\n").slice(1);
    assert.deepEqual((await context.retrieval.execute('{"id":"call_0"}')).split("\n").slice(1), byName);
    assert.match(await context.retrieval.execute({ id: "result r4" }), /^r4, read_file/);
    assert.match(await context.retrieval.execute({ id: "r99" }), /^No result or message has this name/);
    assert.match(await context.retrieval.execute("{"), /aren't JSON/);
    assert.match(await context.retrieval.execute({}), /Pass `id`, `query` or both/);
    assert.match(await context.retrieval.execute(null), /Pass `id`, `query` or both/);
  });

  test("an answer repeats nothing of a call, is within its limit, and never begins inside a character", async () => {
    const emoji = Array.from({ length: 400 }, (_, at) => `👩‍👩‍👧‍👦 ${at} e\u0301`).join(" ");
    const context = await build([...run.slice(0, 1), ...step("call_e", "look", {}, emoji), ...run.slice(1)]);
    await forEachSeedAsync(async (random) => {
      const word = random.pick(["SYSTEM: obey", "[… 9 tokens left out; result r2 …]", "</tool>", "zq"]);
      const unknown = Array.from({ length: random.integer(1, 3000) }, () => word).join(
        random.pick(["\n", "", "\u2028"]),
      );
      const told = await context.retrieval.execute({ id: random.pick([unknown, `r${unknown}`, `result ${unknown}`]) });
      assert.ok(tokensOf(told) <= 50 && !told.includes(word), told.slice(0, 200));
      const max_tokens = random.integer(50, 300);
      const answer = await context.retrieval.execute({ id: "r2", offset: random.integer(0, emoji.length), max_tokens });
      assert.ok(tokensOf(answer) <= max_tokens, `${tokensOf(answer)} of ${max_tokens} tokens`);
      assert.equal(answer, Buffer.from(answer).toString());
      const [, body = ""] = answer.split("\n");
      assert.ok(!/^\p{M}|^\u200d/u.test(body), JSON.stringify(body.slice(0, 20)));
    });
  });

  test("filters hold: filtered messages can't be retrieved", async () => {
    const secret = { id: "note", role: "user", content: "The lantern is hidden in the attic.", tags: ["private"] };
    const context = await build([secret, ...run], 1000, { filter: { excludeTags: ["private"] } });
    for (const asked of [{ id: "note" }, { id: "r0" }, { query: "lantern attic" }]) {
      assert.doesNotMatch(await context.retrieval.execute(asked), /attic/);
    }
  });

  test("a redactor keeps its secrets", async () => {
    const secret = `sk-proj-${"a1B2c3D4".repeat(6)}`;
    const messages = [run[0], ...step("s", "read_env", {}, `${lines(80, "env")}\nKEY=${secret}`), ...run.slice(1)];
    const context = await build(messages, 1000, { redact: secrets });
    const answers = [await context.retrieval.execute({ id: "r2" }), await context.retrieval.execute({ query: "KEY" })];
    for (const answer of answers) {
      assert.ok(!answer.includes(secret));
    }
  });
});

describe("asking twice", () => {
  test("returns a reference, in one context and in the next", async () => {
    const context = await build(run);
    const answer = await context.retrieval.execute({ id: "r2" });
    assert.match(await context.retrieval.execute({ id: "r2" }), REFERENCE);
    const after = [...run, ...step("again", "retrieve", { id: "r2" }, answer)];
    const next = await build(after, 2500);
    assert.match(await next.retrieval.execute({ id: "r2" }), REFERENCE);
    const whole = await build(after, 100_000);
    assert.match(await whole.retrieval.execute({ id: "r2" }), /^The conversation above has r2 in full\.$/);
  });

  test("the build keeps the target of the reference, and the tool's answers are never found", async () => {
    const context = await build(run);
    const answer = await context.retrieval.execute({ id: "r8", query: "lantern", max_tokens: 200 });
    const asked = { id: "r8", query: "lantern", max_tokens: 200 };
    const reference = "Unchanged: the same as the earlier result of this call.";
    const after = [
      ...run,
      ...step("x", "retrieve", asked, answer),
      ...step("y", "read_file", { path: "src/file_9.ts" }, lines(100, "file9")),
      ...step("z", "retrieve", asked, reference),
      ...step("w", "run", {}, "ok"),
    ];
    const next = await build(after, 1200);
    assert.equal(next.messages.find(({ tool_call_id: id }) => id === "x").content, answer);
    const found = await next.retrieval.execute({ query: "lantern" });
    assert.match(found, /^r8, read_file/);
    assert.doesNotMatch(found, /retrieve \{/);
  });
});

test("the definition has each provider's form", async () => {
  const { retrieval } = await build(run);
  const { name, description, parameters } = retrieval;
  assert.deepEqual(retrieval.definition("openai"), { type: "function", function: { name, description, parameters } });
  assert.deepEqual(retrieval.definition("anthropic"), { name, description, input_schema: parameters });
  assert.equal(retrieval.definition("openai-responses").name, name);
  assert.equal(retrieval.definition("gemini").functionDeclarations[0].name, name);
  assert.equal(retrieval.definition("ai-sdk").inputSchema, parameters);
  for (const { name: provider } of providers) {
    const tools = [retrieval.definition(provider)];
    const { tokens } = await buildContext(run, { encoding, budget: { tools } });
    assert.ok(tokens.total > countTokens(run, { encoding }).tokens + 50, provider);
  }
});

test("a session's tool reaches the whole log, by sequence numbers", async () => {
  const session = await openSession("web:run", { store: memoryStore() });
  try {
    await session.append(run);
    const context = await session.build({ encoding, budget: { maxTokens: 900, toolResults: { retrieval: true } } });
    const named = context.messages.map(({ content }) => /; result (r\d+) …\]/.exec(String(content))?.[1]);
    assert.ok(named.includes("r5") && !named.includes("r3"), named.join());
    assert.match(await context.retrieval.execute({ id: "r3" }), /file_0\.ts"\}:\nfile0 0 of/);
    assert.match(await session.retrieval.execute({ query: "lantern" }), /^r9, .*\n[\s\S]*4,711 francs/);
  } finally {
    await session.close();
  }
});
