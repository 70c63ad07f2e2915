// Shrinking tool results in an agent's run.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, countTokens, loadEncoding } from "windrow";
import { forEachSeed } from "../support/property.mjs";

const encoding = "o200k_base";
await loadEncoding(encoding);

const MARK = /\[… [\d,]+ tokens? left out …\]/;

/** The stub of a result that a newer one supersedes. */
const NEWER = "A newer result of this call follows.";

/** A step of a run: a call and its result. */
function step(id, name, input, output) {
  return [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(input) } }],
    },
    { role: "tool", tool_call_id: id, content: output },
  ];
}

const lines = (count, word = "line") =>
  Array.from({ length: count }, (_, at) => `${word} ${at} of the file`).join("\n");

const buildRun = (messages, maxTokens, options = {}) =>
  buildContextSync(messages, { encoding, budget: { maxTokens, ...options } });

/** Builds a run and checks its budget. Returns undefined if the run doesn't fit. */
function fittingRun(messages, maxTokens) {
  let context;
  try {
    context = buildRun(messages, maxTokens);
  } catch (error) {
    assert.equal(error.code, "BUDGET_TOO_SMALL");
    return undefined;
  }
  assert.ok(context.tokens.total <= maxTokens);
  assert.equal(countTokens(context.messages, { encoding }).tokens, context.tokens.total);
  return context;
}

const fatesOf = (context, messages) => messages.map((_, at) => context.explain(at).fate);

/** A random run: a task, then steps with one or more calls each. */
function randomRun(random) {
  const messages = [{ role: "user", content: `Mend the parser. ${random.text(10)}` }];
  for (let at = 0; at < random.integer(1, 14); at++) {
    const ids = Array.from({ length: random.integer(1, 3) }, (_, call) => `call_${at}_${call}`);
    messages.push({
      role: "assistant",
      content: random.chance(0.5) ? random.text(8) : null,
      tool_calls: ids.map((id) => ({
        id,
        type: "function",
        function: { name: "read_file", arguments: JSON.stringify({ path: `src/file_${at}.ts` }) },
      })),
    });
    for (const id of ids) {
      messages.push({ role: "tool", tool_call_id: id, content: lines(random.integer(0, 60), random.text(2)) });
    }
  }
  return messages;
}

/** Returns the shown results by the ids of their calls. */
const shownById = (context) =>
  new Map(
    context.messages.filter(({ role }) => role === "tool").map((message) => [message.tool_call_id, message.content]),
  );

describe("tool results shrink before steps are dropped", () => {
  test("an error names the smallest budget that works", () => {
    const refusedAt = (messages, maxTokens) => {
      try {
        buildRun(messages, maxTokens);
        return undefined;
      } catch (error) {
        return error;
      }
    };
    forEachSeed((random) => {
      const messages = randomRun(random);
      const { code, needed } = refusedAt(messages, 5);
      assert.equal(code, "BUDGET_TOO_SMALL");
      assert.equal(refusedAt(messages, needed), undefined);
      assert.equal(refusedAt(messages, needed - 1).needed, needed);
    });
  });

  test("budgets are exact, calls keep their results, and a shown result is part of the whole", () => {
    forEachSeed((random) => {
      const messages = randomRun(random);
      const all = countTokens(messages, { encoding }).tokens;
      const maxTokens = random.integer(40, all + 10);
      const context = fittingRun(messages, maxTokens);
      if (context === undefined) {
        return;
      }
      const shown = shownById(context);
      const called = context.messages.flatMap((message) => message.tool_calls ?? []).map(({ id }) => id);
      assert.deepEqual([...shown.keys()].toSorted(), called.toSorted());
      for (const { tool_call_id: id, content } of messages.filter(({ role }) => role === "tool")) {
        const shownOf = shown.get(id)?.replace(NEWER, "").split(MARK);
        for (const part of shownOf ?? []) {
          assert.ok(content.toWellFormed().includes(part.trim().toWellFormed()), `${id}: ${part}`);
        }
      }
    });
  });

  test("no step is left out that would fit with stubs", () => {
    forEachSeed((random) => {
      const messages = randomRun(random);
      const maxTokens = random.integer(60, countTokens(messages, { encoding }).tokens);
      let context;
      try {
        context = buildRun(messages, maxTokens);
      } catch {
        return;
      }
      const left = maxTokens - context.tokens.total;
      messages.forEach((message, at) => {
        if (message.role !== "assistant" || context.explain(at).fate !== "left out") {
          return;
        }
        const results = messages.slice(at + 1, at + 1 + message.tool_calls.length);
        const stubs = results.map((result) => {
          const { tokens } = countTokens(result.content, { encoding });
          const mark = `[… ${tokens.toLocaleString("en")} token${tokens === 1 ? "" : "s"} left out …]`;
          return mark.length < result.content.length ? { ...result, content: mark } : result;
        });
        const cost = countTokens([message, ...stubs], { encoding }).tokens - 3;
        assert.ok(cost > left, `the step at ${at} costs ${cost} as a stub, and ${left} tokens are left`);
      });
    });
  });

  test("as long as no step is dropped, a larger budget shows no less of any result", () => {
    forEachSeed((random) => {
      const messages = randomRun(random);
      const all = countTokens(messages, { encoding }).tokens;
      const smaller = random.integer(60, all);
      let contexts;
      try {
        contexts = [smaller, smaller + random.integer(1, 60)].map((maxTokens) => buildRun(messages, maxTokens));
      } catch {
        return;
      }
      if (fatesOf(contexts[0], messages).includes("left out")) {
        return;
      }
      // A mark counts too: a result in more pieces has more of them.
      const [before, after] = contexts.map(shownById);
      const tokensOf = (text) => countTokens(text, { encoding }).tokens;
      const sum = (shown) => [...shown.values()].reduce((total, text) => total + tokensOf(text), 0);
      assert.ok(sum(after) >= sum(before) - 4, `${sum(before)} tokens of results, then ${sum(after)}`);
    });
  });

  test("a file that was read four times leaves room for the steps in between", () => {
    const run = [{ role: "user", content: "Rename the handler." }];
    for (let at = 0; at < 4; at++) {
      run.push(...step(`r${at}`, "read_file", { path: "src/router.ts" }, lines(280)));
      run.push(...step(`e${at}`, "edit_file", { path: "src/router.ts", old: `a${at}`, new: `b${at}` }, "done"));
    }
    const context = buildRun(run, 1500);
    assert.ok(!fatesOf(context, run).includes("left out"));
    assert.ok(context.tokens.total > 1450, `${context.tokens.total} of 1,500 tokens are used`);
    assert.match(context.explain(2).words, /as a line that says that 1,\d+ tokens are left out|as an excerpt/);
  });

  test("notes about a newer result take no room from a newer result that isn't whole", () => {
    const run = [{ role: "user", content: "Rename the handler." }];
    for (let at = 0; at < 20; at++) {
      run.push(...step(`r${at}`, "read_file", { path: "src/router.ts" }, lines(280)));
    }
    run.push(...step("e", "edit_file", { path: "src/router.ts", old: "a", new: "b" }, "done"));
    for (let maxTokens = 900; maxTokens < 2300; maxTokens += 50) {
      const context = buildRun(run, maxTokens);
      const isNoted = [...shownById(context).values()].some((content) => content.endsWith(NEWER));
      const isWhole = !MARK.test(shownById(context).get("r19"));
      assert.equal(isNoted, isWhole);
      if (!isWhole) {
        assert.ok(context.tokens.total > maxTokens - 10, `${context.tokens.total} of ${maxTokens} tokens are used`);
      }
    }
  });

  test("a result that doesn't fit by itself is shortened, as long as the room allows", () => {
    const run = [
      { role: "user", content: "Which line has the error?" },
      ...step("c", "read_log", {}, `${lines(2000)}\nERROR at the end`),
    ];
    for (const maxTokens of [300, 2000, 8000]) {
      const context = buildRun(run, maxTokens);
      assert.ok(context.tokens.total > maxTokens * 0.9, `${context.tokens.total} of ${maxTokens}`);
      const content = shownById(context).get("c");
      assert.ok(content.includes("line 0 of") && content.includes("ERROR at the end"), content.slice(0, 200));
    }
    assert.throws(() => buildRun(run, 2000, { toolResults: { shrink: false } }), { code: "BUDGET_TOO_SMALL" });
  });

  test("results of excluded tools and pinned results stay whole", () => {
    const run = [
      { role: "user", content: "Go on." },
      ...step("plan", "read_plan", {}, lines(30, "plan")),
      ...step("log", "read_log", {}, lines(200)),
      ...step("now", "run", {}, "ok"),
    ];
    const context = buildRun(run, 900, { toolResults: { excludeTools: ["read_plan"], keep: 0 } });
    assert.deepEqual(fatesOf(context, run), ["kept", "kept", "kept", "kept", "excerpt", "kept", "kept"]);
  });
});

describe("a model that needs ten results at once", () => {
  const TASK = "Open all drawers. Then say the ten stones of the drawers 0 to 9.";
  const VALUES = Array.from({ length: 10 }, (_, at) => at);
  const stoneIn = (drawer) => `stone-${(drawer * 7919 + 104_729).toString(36)}`;
  const open = (at, drawer) => {
    const shelves = Array.from({ length: 12 }, (_, shelf) => `shelf ${shelf} of drawer ${drawer} holds dust and paper`);
    return step(
      `call_${at}`,
      "open_drawer",
      { drawer },
      shelves.toSpliced(6, 0, `a box holds ${stoneIn(drawer)}`).join("\n"),
    );
  };

  for (const count of [30, 60, 120, 300]) {
    test(`reads each again after ${count} steps, and finishes`, () => {
      const messages = [
        { role: "user", content: TASK },
        ...Array.from({ length: count }, (_, at) => open(at, at)).flat(),
      ];
      for (let again = 0; ; again++) {
        const shown = JSON.stringify(buildRun(messages, 6000).messages);
        const missing = VALUES.find((drawer) => !shown.includes(stoneIn(drawer)));
        if (missing === undefined) {
          break;
        }
        assert.ok(again < 2 * VALUES.length, `the model runs in a circle: it doesn't see drawer ${missing}`);
        messages.push(...open(count + again, missing));
      }
    });
  }
});

describe("a repeated call", () => {
  const EARLIER = "Not all of the earlier result is shown:";
  const task = { role: "user", content: "Rename handler_12 to onSave." };
  const file = lines(80, "handler");
  /** A budget with room for one of two equal results, and a line for the other. */
  const tightFor = (run) => countTokens(run, { encoding }).tokens - countTokens(file, { encoding }).tokens + 20;
  const unchanged = "File unchanged since last read. See the earlier result.";

  test("supersedes its older result, whose stub says so", () => {
    const run = [
      task,
      ...step("a", "read_file", { path: "a.ts" }, file),
      ...step("b", "read_file", { path: "a.ts" }, file),
    ];
    const shown = shownById(buildRun(run, tightFor(run)));
    assert.equal(shown.get("b"), file);
    assert.ok(shown.get("a").includes(NEWER), shown.get("a"));
    // With room for both, both are shown whole.
    assert.equal(shownById(buildRun(run, 3000)).get("a"), file);
  });

  test("supersedes all older results, however many messages are between", () => {
    const run = [task, ...["a", "b", "c", "d"].flatMap((id) => step(id, "read_file", { path: "a.ts" }, file))];
    const shown = shownById(buildRun(run, 800));
    assert.equal(shown.get("d"), file);
    for (const id of ["a", "b", "c"]) {
      assert.ok(shown.get(id).includes(NEWER), `${id}: ${shown.get(id)}`);
    }
  });

  test("matches by resource if the config names the argument", () => {
    const read = (id, from) => step(id, "read_file", { path: "a.ts", from }, file);
    const run = [task, ...read("a", 1), ...read("b", 2)];
    const resources = { read_file: "path" };
    const shown = shownById(buildRun(run, tightFor(run), { toolResults: { resources } }));
    assert.ok(shown.get("a").includes(NEWER), shown.get("a"));
    assert.ok(
      !shownById(buildRun(run, tightFor(run)))
        .get("a")
        .includes(NEWER),
    );
  });

  test("keeps the older result if it only refers to it, or describes an omission", () => {
    const checks = Array.from({ length: 10 }, (_, at) => step(`t${at}`, "test", { part: at }, lines(20, `part ${at}`)));
    const run = [
      task,
      ...step("a", "read_file", { path: "a.ts" }, file),
      ...checks.flat(),
      ...step("b", "read_file", { path: "a.ts" }, unchanged),
    ];
    const roomy = shownById(buildRun(run, 1600));
    assert.equal(roomy.get("a"), file);
    assert.equal(roomy.get("b"), unchanged);
    const tight = shownById(buildRun(run, 600));
    assert.notEqual(tight.get("a"), file);
    assert.match(tight.get("b"), new RegExp(`^${unchanged}\n${EARLIER} ${MARK.source}$`));
  });

  test("never points to a missing result", () => {
    forEachSeed((random) => {
      const run = [task];
      const results = new Map();
      for (let at = 0; at < random.integer(2, 16); at++) {
        const path = random.pick(["a.ts", "b.ts"]);
        const before = [...results.values()].some((it) => it.path === path);
        const content =
          before && random.chance(0.5) ? unchanged : lines(random.integer(20, 80), random.pick(["x", "y"]));
        results.set(`c${at}`, { path, content });
        run.push(...step(`c${at}`, "read_file", { path }, content));
      }
      const all = countTokens(run, { encoding }).tokens;
      const maxTokens = random.integer(200, all + 10);
      const context = fittingRun(run, maxTokens);
      if (context === undefined) {
        return;
      }
      const shown = shownById(context);
      const ids = [...results.keys()];
      for (const [at, id] of ids.entries()) {
        const { path, content } = results.get(id);
        const newer = ids.slice(at + 1).filter((it) => results.get(it).path === path);
        if (shown.get(id)?.includes(NEWER)) {
          assert.ok(
            newer.some((it) => shown.get(it) === results.get(it).content),
            `${id}: no newer result is whole`,
          );
        }
        const reads = newer.filter((it) => results.get(it).content !== unchanged && shown.has(it));
        const latest = reads.at(-1);
        if (latest !== undefined && shown.get(latest) === results.get(latest).content) {
          const isStub = new RegExp(`^${MARK.source}$`).test(shown.get(id) ?? "");
          assert.ok(
            !isStub || maxTokens - context.tokens.total < 25,
            `${id}: a stub doesn't say that a newer one follows`,
          );
        }
        if (content === unchanged && shown.get(id)?.startsWith(unchanged)) {
          const original = ids
            .slice(0, at)
            .findLast((it) => results.get(it).path === path && results.get(it).content !== unchanged);
          const isWhole = original !== undefined && shown.get(original) === results.get(original).content;
          assert.equal(shown.get(id).includes(EARLIER), !isWhole, `${id}: ${shown.get(id)}`);
        }
      }
    });
  });
});
