// The conformance cases of the five documents, and the runner itself.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { strangeCases, wrongCases } from "../../conformance/must-fail.mjs";
import { figuresOf, isGood, passes, reportLines } from "../../conformance/report.mjs";
import { documents, runCases } from "../../conformance/run.mjs";

const read = (name) => JSON.parse(readFileSync(new URL(`../../conformance/${name}`, import.meta.url), "utf8"));
const shared = read("cases.json");
const own = read("more-cases.json");

describe("conformance", () => {
  let results;
  before(async () => {
    results = await runCases(shared);
  });

  test("every strict case of a document passes, and 95% of the code cases", () => {
    const { document, code } = figuresOf(results);
    assert.ok(document.of > 100 && code.of > 50);
    assert.ok(isGood(results), reportLines(results, documents).join("\n"));
    assert.equal(document.passed, document.of);
    assert.ok(code.passed >= code.of * 0.95);
  });

  test("so do the project's own cases", async () => {
    const ownResults = await runCases(own);
    assert.ok(isGood(ownResults), reportLines(ownResults, documents).join("\n"));
  });

  test("the names in a case have no effect", async () => {
    const renamed = shared.map((entry, at) => {
      const { id, behaviour, source, derivation, note } = shared[(at * 7 + 3) % shared.length];
      return { ...entry, id, behaviour, source, derivation, note };
    });
    const found = await runCases(renamed);
    assert.deepEqual(
      found.map((result) => [passes(result), passes(result, 2)]),
      results.map((result) => [passes(result), passes(result, 2)]),
    );
  });
});

describe("the conformance runner", () => {
  test("reports every violated expectation, and no other", async () => {
    const results = await runCases(wrongCases.map((wrong) => wrong.case));
    for (const [at, result] of results.entries()) {
      const { fails } = wrongCases[at];
      const about = `${result.id}, ${fails}: ${JSON.stringify(wrongCases[at].case.expected)}`;
      assert.equal(result.failure, undefined, about);
      assert.equal(passes(result), false, about);
      assert.ok(
        result.checks.some(({ key, tier, passed }) => key === fails && tier === 1 && !passed),
        about,
      );
    }
    assert.equal(isGood(results), false);
  });

  test("tests a wrong expectation for every key that it understands", () => {
    for (const [seed, document] of Object.entries(documents)) {
      const keys = new Set(wrongCases.filter((wrong) => wrong.case.seed === seed).map((wrong) => wrong.fails));
      for (const key of [...Object.keys(document.expectations), ...Object.keys(document.overall ?? {})]) {
        assert.ok(keys.has(key), `${seed}: ${key}`);
      }
    }
  });

  test("ignores nothing that it doesn't understand", async () => {
    const results = await runCases(strangeCases.map((strange) => strange.case));
    for (const [at, { id, failure }] of results.entries()) {
      const { place } = strangeCases[at];
      assert.ok(failure?.startsWith(`not understood: ${place}`), `${id}, ${place}: ${failure}`);
    }
    assert.equal(figuresOf(results).strict.passed, 0);
  });

  test("counts wording that no document specifies in a second figure", async () => {
    const exact = shared.find(({ expected, input }) => expected.rendered !== undefined && input.form === "exchanges");
    const expected = { ...exact.expected, rendered: "something else" };
    const [asWording, asText] = await runCases([
      { ...exact, expected, rendered_basis: "code" },
      { ...exact, expected, rendered_basis: undefined },
    ]);
    assert.deepEqual([passes(asWording), passes(asWording, 2)], [true, false]);
    assert.equal(passes(asText), false);
  });
});

describe("npm run conformance", () => {
  const folder = mkdtempSync(join(tmpdir(), "windrow-conformance-"));
  after(() => rmSync(folder, { recursive: true }));

  function run(content) {
    const file = join(folder, "cases.json");
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    const script = fileURLToPath(new URL("../../../scripts/conformance.mjs", import.meta.url));
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, file], { encoding: "utf8" });
    return { status, stderr, lines: stdout.trimEnd().split("\n") };
  }

  test("counts the strict cases in its last line, and returns the result in its exit code", () => {
    const good = shared.filter(({ seed }) => seed === "004").slice(0, 3);
    const bad = wrongCases[0].case;
    const information = { ...bad, id: "aside", strict: false };
    const passed = run([...good, information]);
    assert.deepEqual([passed.status, passed.lines.at(-1)], [0, "3 passed, 0 failed"]);
    assert.ok(passed.lines.some((line) => line.startsWith("✗ aside")));
    const failed = run([...good, { ...bad, id: "the wrong one" }]);
    assert.deepEqual([failed.status, failed.lines.at(-1)], [1, "3 passed, 1 failed"]);
    assert.ok(failed.lines.some((line) => line.startsWith("✗ the wrong one")));
    const codeAlone = run([...good, { ...bad, basis: "code" }]);
    assert.deepEqual([codeAlone.status, codeAlone.lines.at(-1)], [1, "3 passed, 1 failed"]);
  });

  test("refuses a file without cases", () => {
    for (const content of ["", "[", "{}", "[]"]) {
      const { status, stderr } = run(content);
      assert.equal(status, 2, content);
      assert.match(stderr, /✗ .*cases\.json (cannot be read as JSON|holds no list of cases)/);
    }
  });
});
