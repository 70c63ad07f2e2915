// `context.tokens.bySource`: the costs of tools, servers, sources and speakers.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { buildContext, buildContextSync, countTokens, loadEncoding } from "windrow";
import { assertShare, forEachSeed } from "../support/property.mjs";
import { randomConfig, randomTranscript } from "../support/random.mjs";
import { tryBuild } from "../support/transcripts.mjs";

before(() => Promise.all([loadEncoding("o200k_base"), loadEncoding("cl100k_base")]));

/**
 * @param {readonly any[]} list
 * @param {(entry: any) => number} [cost]
 */
const sum = (list, cost = ({ tokens }) => tokens) => list.reduce((total, entry) => total + cost(entry), 0);
const costOf = ({ definition, calls, results }) => definition + calls + results;

/** Checks that the sums add up, and that each list is sorted and has no duplicates. */
function checkSums({ tokens }) {
  const { tools, toolInstructions, servers, sources, speakers } = tokens.bySource;
  const [format, definitions] = tokens.sections;
  assert.deepEqual([format.id, definitions.id], ["format", "tools"]);
  assert.equal(sum(tools, ({ definition }) => definition) + toolInstructions, definitions.tokens);
  const said = tokens.total - format.tokens - definitions.tokens;
  assert.equal(sum(sources), said);
  assert.equal(sum(speakers), said);
  const results = sum(tools, (tool) => tool.results);
  assert.equal(sum(speakers.filter(({ role }) => role === "tool")) >= results, true);
  for (const list of [tools, servers, sources, speakers]) {
    const costs = list.map((entry) => entry.tokens ?? costOf(entry));
    assert.ok(costs.every((cost, at) => Number.isSafeInteger(cost) && cost >= 0 && cost <= (costs[at - 1] ?? cost)));
    const names = list.map((entry) => JSON.stringify([entry.server, entry.name, entry.role, entry.source]));
    assert.equal(new Set(names).size, names.length);
  }
  for (const { server, ...costs } of servers) {
    const own = tools.filter((tool) => tool.server === server);
    for (const kind of ["definition", "calls", "results"]) {
      assert.equal(
        costs[kind],
        sum(own, (tool) => tool[kind]),
      );
    }
  }
}

const parameters = { type: "object", properties: { city: { type: "string", description: "Where." } } };
const TOOLS = [
  { type: "function", function: { name: "weather", description: "Get it.", parameters } },
  { name: "mcp__github__search", description: "Search code.", input_schema: parameters },
  { functionDeclarations: [{ name: "one", parameters }, { name: "db__query" }] },
  { type: "mcp", server_label: "docs", server_url: "https://example.com" },
  { type: "mcp_toolset", mcp_server_name: "mail" },
  { type: "web_search_20250305", name: "web_search" },
  { googleSearch: {} },
];
const MODELS = [undefined, "gpt-4o", "claude-sonnet-4-5", "gemini-2.5-flash", "mistral-large"];

test("for random contexts, definitions, sources and speakers add up to the total", () => {
  let built = 0;
  const count = forEachSeed((random) => {
    const transcript = randomTranscript(random);
    const config = randomConfig(random);
    const tools = TOOLS.filter(() => random.chance(0.5));
    const usage = random.chance(0.3) ? [{ countedTokens: 100, inputTokens: random.integer(60, 180) }] : [];
    const model = random.pick(MODELS);
    const budget = { ...config.budget, tools, usage };
    const context = tryBuild(transcript, { ...config, ...(model && { model }), budget });
    if (context !== undefined) {
      checkSums(context);
      built += 1;
    }
  });
  assertShare(built, count, 3, "were built");
});

describe("a context with tools", () => {
  /** @param {object} [args] */
  const call = (id, name, args = { city: "Ghent" }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  });
  const messages = [
    { role: "system", content: "You are brief." },
    { role: "user", name: "Ada", source: "mail", content: "Is it raining in Ghent, and what does the code say?" },
    {
      role: "assistant",
      content: "I look at both.",
      tool_calls: [call("a", "weather"), call("b", "mcp__github__search", { q: "a long query ".repeat(10) })],
    },
    { role: "tool", tool_call_id: "a", content: "Rain." },
    { role: "tool", tool_call_id: "b", content: "Found nothing of the kind. ".repeat(20) },
    { role: "user", name: "Bob", content: "And tomorrow?" },
  ];
  const build = (config) => buildContextSync(messages, { encoding: "o200k_base", ...config });
  const named = ({ tokens }, name) => tokens.bySource.tools.find((tool) => tool.name === name);

  test("each tool has its definition, its calls and its results, and each server those of its tools", () => {
    const context = build({ budget: { tools: TOOLS } });
    checkSums(context);
    const search = named(context, "mcp__github__search");
    const weather = named(context, "weather");
    assert.deepEqual([search.server, weather.server], ["github", undefined]);
    assert.ok(search.calls > weather.calls + 20 && search.results > 100 && weather.results < 15);
    assert.ok(weather.definition > 10 && weather.calls > 5);
    const servers = context.tokens.bySource.servers.map(({ server }) => server).sort();
    assert.deepEqual(servers, ["db", "docs", "github", "mail"]);
    assert.deepEqual([named(context, "one").server, named(context, "db__query").server], [undefined, "db"]);
    assert.ok(named(context, "web_search").definition > 0 && named(context, "googleSearch").definition > 0);
  });

  test("sources and speakers have the cost of their messages", () => {
    const context = build();
    const { sources, speakers } = context.tokens.bySource;
    assert.equal(sources.find(({ source }) => source === "mail").tokens, context.explain(1).tokens);
    const cost = (role, name) => speakers.find((speaker) => speaker.role === role && speaker.name === name).tokens;
    assert.equal(cost("user", "Ada"), context.explain(1).tokens);
    assert.equal(cost("user", "Bob"), context.explain(5).tokens);
    assert.equal(cost("assistant"), context.explain(2).tokens);
    assert.equal(cost("system"), context.explain(0).tokens);
    assert.equal(cost("tool", "weather"), context.explain(3).tokens);
  });

  test("a definition costs exactly its difference to the prompt", () => {
    for (const model of MODELS) {
      const config = { model, encoding: "o200k_base" };
      const all = build({ ...config, budget: { tools: TOOLS } });
      const without = build({ ...config, budget: { tools: TOOLS.slice(1) } });
      const { definition } = named(all, "weather");
      assert.ok(Math.abs(definition - (all.tokens.total - without.tokens.total)) <= 1, `${model}: ${definition}`);
    }
  });

  test("uses the parsed messages: calls with a server's name, and several results in one message", () => {
    /** @type {any[]} */
    const anthropic = [
      { role: "user", content: "Look it up." },
      {
        role: "assistant",
        content: [
          { type: "mcp_tool_use", id: "m", name: "find", server_name: "docs", input: { q: "kettle" } },
          {
            type: "mcp_tool_result",
            tool_use_id: "m",
            is_error: false,
            content: [{ type: "text", text: "On page 9." }],
          },
          { type: "text", text: "It is on page 9." },
          { type: "tool_use", id: "x", name: "open", input: {} },
          { type: "tool_use", id: "y", name: "close", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "x", content: "word ".repeat(50) },
          { type: "tool_result", tool_use_id: "y", content: "done" },
          { type: "text", text: "Now the lamp." },
        ],
      },
    ];
    const context = buildContextSync(anthropic, { encoding: "o200k_base" });
    checkSums(context);
    const find = named(context, "find");
    assert.equal(find.server, "docs");
    assert.ok(find.calls > 0 && find.results > 0);
    assert.ok(named(context, "open").results > 50 && named(context, "close").results < 15);
    const user = context.tokens.bySource.speakers.find(({ role }) => role === "user");
    assert.ok(user.tokens < 25, "results aren't the user's words");
  });

  test("is there with a counting hook too, and copies don't have the field", async () => {
    const counted = await buildContext(messages, {
      countTokens: (texts) => texts.map((text) => text.length),
      budget: { tools: TOOLS },
    });
    checkSums(counted);
    assert.ok(!Object.keys(counted.tokens).includes("bySource"));
    assert.equal(counted.tokens.bySource, counted.tokens.bySource);
    assert.equal(countTokens("word").tokens, 1);
  });
});
