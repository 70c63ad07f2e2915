// The whole prompt: tools, system text, sections, media and their framing. An independent count of the sent body equals
// `tokens`, and never exceeds the context window less the reply's reserve.

import assert from "node:assert/strict";
import { test } from "node:test";
import { buildContextSync, ContextError, countTokens, loadEncoding } from "windrow";
import { Random } from "../support/random.mjs";

await loadEncoding("o200k_base");
const MODEL = "gpt-4o";
const of = (text) => (text === "" ? 0 : countTokens(text, { encoding: "o200k_base" }).tokens);
const sum = (numbers) => numbers.reduce((total, it) => total + it, 0);

const WORDS =
  'the boat house opens at nine, café déjà vu 東京 привет {"a": 1} x = y; 🙂 https://example.org/a?b=c'.split(" ");

/** OpenAI's function declarations, written for this test only. */
function declarations(tools) {
  const lines = (text, indent) =>
    text
      .split("\n")
      .filter(Boolean)
      .map((line) => `${indent}// ${line}\n`)
      .join("");
  const typeOf = (schema) => {
    if (schema.enum) return schema.enum.map((it) => JSON.stringify(it)).join(" | ");
    return { integer: "number", array: `${schema.items?.type ?? "any"}[]` }[schema.type] ?? schema.type;
  };
  const functions = tools.map(({ function: { name, description = "", parameters } }) => {
    const members = Object.entries(parameters.properties).map(([key, schema]) => {
      const mark = parameters.required.includes(key) ? "" : "?";
      return `${lines(schema.description ?? "", "")}${key}${mark}: ${typeOf(schema)},\n`;
    });
    const given = members.length === 0 ? "()" : `(_: {\n${members.join("")}})`;
    return `${lines(description, "")}type ${name} = ${given} => any;\n\n`;
  });
  return `namespace functions {\n\n${functions.join("")}} // namespace functions`;
}

/** Tiles of 512 pixels, after the image is scaled to fit 2,048 and its shorter side to fit 768. */
function tiles(width, height) {
  const fit = (side, most, of) => (of <= most ? side : Math.max(1, Math.floor((side * most) / of)));
  const longer = Math.max(width, height);
  const [w, h] = [fit(width, 2048, longer), fit(height, 2048, longer)];
  const shorter = Math.min(w, h);
  return 85 + 170 * Math.ceil(fit(w, 768, shorter) / 512) * Math.ceil(fit(h, 768, shorter) / 512);
}

/** The cost of a request by OpenAI's published recipe, counted from its body. */
function costOf({ messages }, tools) {
  const parts = (content) => (typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []));
  const part = (it) => {
    if (it.type === "text") return of(it.text);
    const [, width, height] = /(\d+)x(\d+)/.exec(it.image_url.url).map(Number);
    return tiles(width, height);
  };
  const call = ({ function: { name, arguments: given } }) => 3 + 2 * of(`functions.${name}`) + of(given);
  const message = (it) => 3 + of(it.role) + sum(parts(it.content).map(part)) + sum((it.tool_calls ?? []).map(call));
  const stands = messages.some(({ role }) => role === "system" || role === "developer");
  const told = tools.length === 0 ? 0 : of(declarations(tools)) + 4 + (stands ? 0 : 4);
  return 3 + told + sum(messages.map(message));
}

function randomText(random) {
  return Array.from({ length: random.integer(1, 40) }, () => random.pick(WORDS)).join(" ");
}

function randomTool(random, name) {
  const properties = {};
  for (const key of ["city", "days", "unit", "tags"].slice(0, random.integer(0, 4))) {
    const schema = random.pick([
      { type: "string" },
      { type: "integer" },
      { type: "boolean" },
      { type: "string", enum: ["c", "f"] },
      { type: "array", items: { type: "string" } },
    ]);
    properties[key] = random.chance(0.5) ? { ...schema, description: randomText(random) } : schema;
  }
  const required = Object.keys(properties).filter(() => random.chance(0.5));
  return {
    type: "function",
    function: {
      name,
      description: random.chance(0.7) ? randomText(random) : "",
      parameters: { type: "object", properties, required },
    },
  };
}

function randomMessages(random) {
  /** @type {any[]} */
  const messages = random.chance(0.6) ? [{ role: "system", content: randomText(random) }] : [];
  for (let turn = random.integer(1, 12); turn > 0; turn--) {
    const [width, height] = [random.integer(1, 3000), random.integer(1, 3000)];
    const image = {
      type: "image_url",
      image_url: { url: `https://example.org/${width}x${height}.png` },
      width,
      height,
    };
    const text = { type: "text", text: randomText(random) };
    messages.push({ role: "user", content: random.chance(0.2) ? [text, image] : randomText(random) });
    if (random.chance(0.3)) {
      const id = `call_${turn}`;
      const call = {
        id,
        type: "function",
        function: { name: "find", arguments: JSON.stringify({ city: randomText(random) }) },
      };
      messages.push({ role: "assistant", content: null, tool_calls: [call] });
      messages.push({ role: "tool", tool_call_id: id, content: randomText(random) });
    }
    messages.push({ role: "assistant", content: randomText(random) });
  }
  return [...messages, { role: "user", content: randomText(random) }];
}

test("no prompt exceeds the window less the reply's reserve, by an independent count of its body", () => {
  const random = new Random(Number(process.env.WINDROW_SEED ?? 1));
  let built = 0;
  for (let at = 0; at < 400; at++) {
    const tools = Array.from({ length: random.integer(0, 3) }, (_, number) => randomTool(random, `tool_${number}`));
    const contextLimit = random.integer(100, 6000);
    const replyReserve = random.integer(0, Math.floor(contextLimit / 2));
    const usage = random.chance(0.4) ? [{ countedTokens: 1000, inputTokens: random.integer(600, 1900) }] : [];
    /** @type {import("windrow").Section[]} */
    const texts = random.chance(0.4) ? [{ id: "notes", kind: "text", role: "system", text: randomText(random) }] : [];
    /** @type {import("windrow").Section[]} */
    const sections = [...texts, { id: "history", kind: "history" }, { id: "request", kind: "request" }];
    let context;
    try {
      context = buildContextSync(randomMessages(random), {
        model: MODEL,
        now: 0,
        recall: { ranking: random.pick(["recency", "relevance"]) },
        budget: { contextLimit, replyReserve, tools, usage },
        render: { provider: "openai" },
        sections,
      });
    } catch (error) {
      assert.ok(error instanceof ContextError && error.code === "BUDGET_TOO_SMALL", `${at}: ${error}`);
      continue;
    }
    built += 1;
    const cost = costOf(context.request("openai"), tools);
    assert.equal(context.tokens.counted ?? context.tokens.total, cost, `${at}`);
    const factor = usage.length === 0 ? 1 : usage[0].inputTokens / usage[0].countedTokens;
    assert.ok(Math.ceil(cost * factor - 1e-9) <= contextLimit - replyReserve, `${at}: ${cost} x ${factor}`);
    assert.ok(context.tokens.total <= contextLimit - replyReserve, `${at}`);
  }
  assert.ok(built > 100, `only ${built} fit`);
});

test('contextLimit: "model" is the model\'s window, as a number from then on', () => {
  const build = (config) => buildContextSync([{ role: "user", content: "hi" }], { now: 0, turnId: "t", ...config });
  const byName = build({ model: "gpt-4o", budget: { contextLimit: "model", replyReserve: 4000 } });
  assert.equal(byName.tokens.limit, 124_000);
  const byNumber = build({ model: "gpt-4o", budget: { contextLimit: 128_000, replyReserve: 4000 } });
  assert.equal(byName.snapshot.contextHash, byNumber.snapshot.contextHash);
  // The model's input limit is smaller than its window.
  assert.equal(build({ model: "gpt-5", budget: { contextLimit: "model", replyReserve: 2000 } }).tokens.limit, 272_000);
  assert.equal(
    build({ model: "gpt-5", budget: { contextLimit: "model", replyReserve: 200_000 } }).tokens.limit,
    200_000,
  );
});

test("an error about a model with an unknown window names the option to set", () => {
  const failure = (config) => {
    try {
      buildContextSync([{ role: "user", content: "hi" }], config);
    } catch (error) {
      return error;
    }
    return undefined;
  };
  for (const [model, next] of /** @type {any[][]} */ ([
    ["claude-sonet-4-5", /claude-sonnet-4-5/],
    ["my-own-model", /as a number of tokens/],
    [undefined, /Name the model/],
  ])) {
    const error = failure({ model, budget: { contextLimit: "model" } });
    assert.equal(error?.code, "INVALID_CONFIG", model);
    assert.equal(error.path, "budget.contextLimit");
    assert.match(error.nextAction, next);
  }
  assert.equal(failure({ budget: { contextLimit: "models" } })?.path, "budget.contextLimit");
});

test("absurd usage is an error with its path, or its effect is bounded", () => {
  const build = (usage) =>
    buildContextSync([{ role: "user", content: "hi" }], { encoding: "estimate", budget: { maxTokens: 1000, usage } });
  for (const usage of [
    [{ countedTokens: 0, inputTokens: 5 }],
    [{ countedTokens: 5, inputTokens: 0 }],
    [{ countedTokens: Number.NaN, inputTokens: 5 }],
    [{ countedTokens: 5, inputTokens: Number.POSITIVE_INFINITY }],
    [{ countedTokens: -5, inputTokens: 5 }],
    [{ countedTokens: 1.5, inputTokens: 5 }],
    [{ countedTokens: "5", inputTokens: 5 }],
    [{ countedTokens: 5 }],
    [{ countedTokens: 5, inputTokens: 5, outputTokens: 5 }],
    [null],
    "5",
    { countedTokens: 5, inputTokens: 5 },
  ]) {
    assert.throws(
      () => build(usage),
      (error) => error instanceof ContextError && error.code === "INVALID_CONFIG" && /^budget\.usage/.test(error.path),
      JSON.stringify(usage),
    );
  }
  const honest = { countedTokens: 10_000, inputTokens: 10_700 };
  for (const absurd of [
    { countedTokens: 1, inputTokens: 2 ** 53 - 1 },
    { countedTokens: 1, inputTokens: 1 },
  ]) {
    const { calibration } = build([honest, absurd, honest]).tokens;
    assert.ok(Math.abs(calibration - 1.07) < 0.001, `${calibration}`);
  }
  for (const [inputTokens, most] of [
    [2 ** 53 - 1, 2],
    [1, 0.5],
  ]) {
    assert.equal(build([{ countedTokens: 1000, inputTokens }]).tokens.calibration, most);
  }
});
