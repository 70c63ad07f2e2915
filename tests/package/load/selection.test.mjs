// The ranking module is loaded when it is first needed. Each case runs in a separate process, so that nothing is loaded
// yet.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** The JSON output of a program, with abbreviations shared by all of them. */
function run(entry, program) {
  const code = `
    import { readFileSync } from "node:fs";
    import * as windrow from ${JSON.stringify(entry)};
    const { buildContext, buildContextSync, loadEncoding, loadSelection, countTokens } = windrow;
    const chat = Array.from({ length: 40 }, (_, at) => ({ role: at % 2 ? "assistant" : "user", content: "message " + at }));
    const small = { encoding: "estimate", budget: { maxTokens: 60 } };
    const large = { encoding: "estimate", budget: { maxTokens: 9000 } };
    const bytesOf = (name) => new Uint8Array(readFileSync(new URL(import.meta.resolve("windrow/" + name + ".wasm"))));
    const texts = (context) => context.messages.map(({ content }) => content);
    const outcome = async (run) => {
      try { return await run(); } catch ({ kind, code, nextAction, path }) { return { kind, code, nextAction, path }; }
    };
    const print = async (...runs) => {
      const found = [];
      for (const run of runs) found.push((await outcome(run)) ?? null);
      console.log(JSON.stringify(found));
    };
    ${program}`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", code], {
    cwd: folder,
    encoding: "utf8",
  });
  return JSON.parse(printed);
}

const inPages = new URL("../../../pkg-template/dist/default.js", import.meta.url).href;

test("in a page, a synchronous build over its limit needs the ranking module, and says so", () => {
  const [fits, early, loaded, now, later] = run(
    inPages,
    `await print(
      () => texts(buildContextSync(chat, large)).length,
      () => buildContextSync(chat, small),
      () => loadSelection(),
      () => texts(buildContextSync(chat, small)),
      async () => texts(await buildContext(chat, small)),
    );`,
  );
  assert.equal(fits, 40);
  assert.deepEqual([early.kind, early.code], ["context_build_error", "PART_NOT_LOADED"]);
  assert.match(early.nextAction, /Await loadSelection\(\) first/);
  assert.equal(loaded, null);
  assert.ok(now.length > 0 && now.length < 40);
  assert.deepEqual(later, now);
});

test("the ranking module is linked once, however many calls request it meanwhile", () => {
  const [linked] = run(
    inPages,
    `let made = 0;
    const { Instance } = WebAssembly;
    WebAssembly.Instance = class extends Instance {
      constructor(...given) { super(...given); made += 1; }
    };
    const early = () => outcome(() => buildContextSync(chat, small));
    await print(async () => {
      await Promise.all([early(), early(), loadSelection(), buildContext(chat, small), early(), loadSelection()]);
      await loadSelection();
      return made;
    });`,
  );
  assert.equal(linked, 2, "the core and the ranking module");
});

test("a promise loads what it needs by itself", () => {
  const [context, exact] = run(
    inPages,
    `await print(
      async () => texts(await buildContext(chat, small)),
      async () => (await buildContext(chat, { ...small, encoding: "cl100k_base" })).tokens.exact,
    );`,
  );
  assert.ok(context.length > 0 && context.length < 40);
  assert.equal(exact, true);
});

test("Node has everything, and builds synchronously", () => {
  const [context] = run("windrow", "await print(() => texts(buildContextSync(chat, small)).length);");
  assert.ok(context > 0 && context < 40);
});

test("windrow/slim receives the ranking module", () => {
  const counts = run(
    "windrow/slim",
    `let asked = 0;
    const selection = () => { asked += 1; if (asked === 1) throw new Error("offline"); return bytesOf("selection"); };
    await print(
      () => windrow.init(bytesOf("windrow")),
      () => buildContext(chat, small),
      () => windrow.init(bytesOf("windrow"), { counting: bytesOf("selection") }),
      () => windrow.init(bytesOf("windrow"), { selection }),
      async () => texts(await buildContext(chat, large)).length,
      () => asked,
      () => buildContext(chat, small),
      async () => texts(await buildContext(chat, small)).length,
      async () => (await buildContext(chat, { ...large, encoding: "cl100k_base" })).tokens.exact,
      () => asked,
    );`,
  );
  const [taken, noSelection, unknown, all, fits, unasked, offline, again, exact, asked] = counts;
  assert.equal(taken, null);
  assert.equal(noSelection.code, "PART_NOT_LOADED");
  assert.match(noSelection.nextAction, /init\(core, \{ selection \}\)/);
  assert.deepEqual([unknown.code, unknown.path], ["INVALID_CORE", "parts"]);
  assert.deepEqual([all, fits, unasked], [null, 40, 0]);
  assert.equal(offline.code, "PART_NOT_LOADED");
  assert.ok(again > 0 && again < 40);
  assert.deepEqual([exact, asked], [true, 2]);
});

test("messages that fit by their counts don't need the ranking module, even if their bytes don't fit", () => {
  const found = run(
    "windrow/slim",
    `await windrow.initSync(new WebAssembly.Module(bytesOf("windrow")));
    await loadEncoding("o200k_base");
    const both = ["estimate", "o200k_base"].map((encoding) => {
      const long = Array.from({ length: 50 }, () => chat.slice(0, 20)).flat();
      const build = (maxTokens) => buildContextSync(long, { encoding, budget: { maxTokens } });
      const { tokens: { total } } = build(1e6);
      // Text that the build may add isn't counted, and is limited to some hundred tokens.
      return [() => build(total + 500).messages.length, () => build(total - 1)];
    });
    await print(...both.flat());`,
  );
  assert.deepEqual([found[0], found[2]], [1000, 1000]);
  assert.deepEqual([found[1].code, found[3].code], ["PART_NOT_LOADED", "PART_NOT_LOADED"]);
});

test("the ranking module is prefetched once half of the budget is used", () => {
  const [taken, far, unasked, near, asked, early, later, again] = run(
    "windrow/slim",
    `let asked = 0;
    let arrive;
    const arrived = new Promise((resolve) => { arrive = resolve; });
    const selection = async () => { asked += 1; await arrived; return bytesOf("selection"); };
    const long = Array.from({ length: 50 }, () => chat.slice(0, 20)).flat();
    const total = async (config) => (await buildContext(long, config)).tokens.total;
    const within = (maxTokens) => ({ ...large, budget: { maxTokens } });
    let tokens;
    await print(
      () => windrow.init(bytesOf("windrow"), { selection }),
      async () => { tokens = await total(within(1e6)); return (await total(within(2 * tokens))) === tokens; },
      () => asked,
      async () => (await total(within(2 * tokens - 1))) === tokens,
      () => asked,
      () => buildContextSync(chat, small),
      async () => { arrive(); await loadSelection(); return texts(buildContextSync(chat, small)).length; },
      () => asked,
    );`,
  );
  assert.deepEqual([taken, far, unasked, near, asked], [null, true, 0, true, 1]);
  assert.equal(early.code, "PART_NOT_LOADED");
  assert.ok(later > 0 && later < 40);
  assert.equal(again, 1);
});

test("the ranking module of another build is refused, and the right one works afterward", () => {
  const [taken, other, none, again, works] = run(
    "windrow/slim",
    `const other = bytesOf("selection");
    other[other.length - 1] ^= 1; // the last letter of the build's name
    const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
    await print(
      () => windrow.init(bytesOf("windrow"), { selection: other }),
      () => buildContext(chat, small),
      async () => { await windrow.init(bytesOf("windrow"), { selection: empty }); return buildContext(chat, small); },
      () => windrow.init(bytesOf("windrow"), { selection: bytesOf("selection") }),
      async () => texts(await buildContext(chat, small)).length,
    );`,
  );
  assert.equal(taken, null);
  assert.deepEqual([other.code, other.path], ["INVALID_CORE", "selection"]);
  assert.match(other.nextAction, /of the same version as the core/);
  assert.equal(none.code, "INVALID_CORE");
  assert.equal(again, null);
  assert.ok(works > 0 && works < 40);
});

test("if everything fits by its bytes, no vocabulary is loaded, and the context is the same", () => {
  const [bounded, sure, unloaded] = run(
    "windrow/slim",
    `await windrow.initSync(new WebAssembly.Module(bytesOf("windrow")));
    const config = { encoding: "cl100k_base", budget: { maxTokens: 9000, counting: "whenNeeded" } };
    await print(
      async () => texts(await buildContext(chat, config)),
      async () => (await buildContext(chat, config)).tokens,
      () => windrow.buildContextSync(chat, { ...config, budget: { maxTokens: 9000 } }),
    );`,
  );
  assert.equal(bounded.length, 40);
  assert.deepEqual([sure.exact, sure.encoding], [false, "estimate"]);
  assert.match(sure.words, /everything fits by any count/);
  assert.equal(unloaded.code, "ENCODING_NOT_LOADED");
});
