import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { measured, rows, samples } from "../../usage/measure.mjs";

const page = new URL("../../../docs/tokens.md", import.meta.url);
const signed = (percent) => `${percent >= 0 ? "+" : "−"}${Math.abs(percent).toFixed(1)} %`;

function table() {
  const lines = rows().map(({ name, count, total, worst, members }) => {
    const models = [...new Set(members.map(({ model }) => model))].join(", ");
    return `| ${name} | ${models} | ${count} | ${signed(total)} | ${signed(worst)} |`;
  });
  return ["| requests | models | number | error of the total | worst of one |", "|---|---|---|---|---|", ...lines].join(
    "\n",
  );
}

test("the page has the measured errors", () => {
  const text = readFileSync(page, "utf8");
  const place = /(<!-- measured: .* -->\n)[\s\S]*?(<!-- \/measured -->)/;
  const made = text.replace(place, (_, before, after) => `${before}${table()}\n${after}`);
  if (process.env.UPDATE) {
    writeFileSync(page, made);
  }
  assert.equal(
    made,
    process.env.UPDATE ? made : text,
    "UPDATE=1 node --test tests/package/docs/tokens.test.mjs writes it",
  );
});

test("OpenAI's chat without tools is counted exactly", () => {
  for (const { id, counted, inputTokens, tokens, request, api } of samples.map(measured)) {
    if (api === "openai" && !request?.tools) {
      assert.equal(counted, inputTokens, id);
      assert.ok(tokens.exact, id);
    }
  }
});

test("OpenAI's chat with tools is counted within 1% or one token", () => {
  for (const { id, counted, inputTokens, tokens, request, api } of samples.map(measured)) {
    if (api === "openai" && request?.tools) {
      assert.ok(Math.abs(counted - inputTokens) <= Math.max(1, inputTokens / 100), `${id}: ${counted}, ${inputTokens}`);
      assert.ok(!tokens.exact && /tools and their calls by formula/.test(tokens.words), id);
    }
  }
});

test("tokens.words describes an estimate as the samples do", () => {
  const families = new Map();
  for (const sample of samples.map(measured).filter(isChecked)) {
    const words = `${familyOf(sample.model)}: ${sample.tokens.words.match(FIGURES)[0]}`;
    families.set(words, [...(families.get(words) ?? []), sample]);
  }
  assert.equal(families.size, 4, "every family that has samples");
  for (const [words, members] of families) {
    const [, percent, count] = FIGURES.exec(words);
    const mean = members.reduce((total, it) => total + Math.abs(it.percent), 0) / members.length;
    assert.deepEqual([Number(count), Number(percent)], [members.length, Math.ceil(mean)], words);
  }
});

/** The estimate that counts a model. */
function familyOf(model) {
  const version = Number(/\d+(?:[.-]\d(?!\d))?/.exec(model)?.[0].replace("-", "."));
  return model.includes("claude") ? `claude ${version >= 4.7}` : `gemini ${version >= 2.5}`;
}

/** Records of models that are counted by an estimate, as it counts today. */
const isChecked = ({ tokens, superseded }) => !superseded && FIGURES.test(tokens.words);
const FIGURES = /off by (\d+) % on average in (\d+) recorded requests of its kind/;

test("every recorded request names its source", () => {
  for (const { id, source, model, language, inputTokens, outputTokens } of samples) {
    assert.ok(source.length > 10 && model && language && (inputTokens ?? outputTokens) > 0, id);
  }
  assert.equal(new Set(samples.map(({ id }) => id)).size, samples.length);
});
