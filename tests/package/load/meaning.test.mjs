// The table of token vectors: some hosts fetch it, others receive it, and a build without it fails.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { buildContext, loadMeaning, replay } from "windrow";
import { errorOf } from "../support/errors.mjs";
import { startWorker } from "../support/worker.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));

const chat = Array.from({ length: 60 }, (_, at) => ({
  id: `m${at}`,
  role: at % 2 ? "assistant" : "user",
  content: at === 20 ? "I can't eat shellfish." : `The figures of week ${at} are in the report on sales.`,
  createdAt: Date.UTC(2025, 0, at + 1),
}));
/** @type {import("windrow").ContextConfig} */
const config = {
  now: Date.UTC(2026, 0),
  encoding: "estimate",
  request: "Which seafood dishes should I order in Thailand?",
  budget: { maxTokens: 120 },
  // Without a separate share, statements rank like all other messages.
  recall: { meaning: "static", maxStatementShare: 0 },
};
const setting = `const chat = ${JSON.stringify(chat)}; const config = ${JSON.stringify(config)};`;

/** Runs a program in a new process with an entry of the package. Returns the JSON that it prints. */
function run(entry, program) {
  const code = `
    import { readFileSync } from "node:fs";
    import * as windrow from ${JSON.stringify(new URL(`../../../pkg-template/dist/${entry}.js`, import.meta.url).href)};
    ${setting}
    const outcome = async (run) => {
      try { return (await run()) ?? null; } catch ({ kind, code, path, nextAction }) { return { kind, code, path, nextAction }; }
    };
    const print = async (...runs) => {
      const found = [];
      for (const run of runs) found.push(await outcome(run));
      console.log(JSON.stringify(found));
    };
    const hash = ({ snapshot }) => snapshot.contextHash;
    ${program}`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", code], {
    cwd: folder,
    encoding: "utf8",
  });
  return JSON.parse(printed);
}

test("a message that says the same as the request in other words is kept, also in a replay", async () => {
  const context = await buildContext(chat, config);
  assert.match(context.explain("m20").words, /close in meaning/);
  assert.equal((await replay(JSON.parse(JSON.stringify(context.recording)), chat)).same, true);
  const without = await buildContext(chat, { ...config, recall: { ...config.recall, meaning: "none" } });
  assert.doesNotMatch(without.explain("m20").words, /meaning/);
});

test("in a page, a synchronous build needs the table and says so, and a promise fetches it", async () => {
  const [early, fetched, now] = run(
    "default",
    `await windrow.loadSelection();
    await print(
      () => windrow.buildContextSync(chat, config),
      async () => hash(await windrow.buildContext(chat, config)),
      () => hash(windrow.buildContextSync(chat, config)),
    );`,
  );
  assert.deepEqual(
    [early.kind, early.code, early.path],
    ["context_build_error", "MEANING_NOT_LOADED", "recall.meaning"],
  );
  assert.match(early.nextAction, /windrow\/meaning/);
  assert.equal(fetched, (await buildContext(chat, config)).snapshot.contextHash);
  assert.equal(now, fetched);
});

test("an entry without the table fails, in a replay too, until it receives one", async () => {
  const { recording, snapshot } = await buildContext(chat, config);
  const [early, again, words, wrong, handed, later] = run(
    "slim",
    `const bytesOf = (name) => readFileSync(new URL(import.meta.resolve("windrow/" + name)));
    await windrow.init(bytesOf("windrow.wasm"), { selection: bytesOf("selection.wasm") });
    const recording = ${JSON.stringify(recording)};
    await print(
      () => windrow.buildContext(chat, config),
      () => windrow.replay(recording, chat),
      async () => (await windrow.buildContext(chat, { ...config, recall: {} })).kept.length > 0,
      () => windrow.loadMeaning({ bytes: bytesOf("selection.wasm") }),
      () => windrow.loadMeaning({ bytes: new Uint8Array(bytesOf("meaning.bin")) }),
      async () => hash(await windrow.buildContext(chat, config)),
    );`,
  );
  assert.deepEqual(
    [early.code, again.code, wrong.code],
    ["MEANING_NOT_LOADED", "MEANING_NOT_LOADED", "INVALID_MEANING"],
  );
  assert.equal(words, true, "what ranks by words needs no table");
  assert.equal(handed, null);
  assert.equal(later, snapshot.contextHash);
});

test("a value that isn't a table is refused, and the loaded one stays", async () => {
  for (const table of [null, 5, {}, { data: "AAAA" }, { bytes: new Uint8Array(100) }, { data: 5 }]) {
    const error = await errorOf(() => loadMeaning(/** @type {any} */ (table)));
    assert.deepEqual([error.kind, error.code], ["load_error", "INVALID_MEANING"]);
  }
  await loadMeaning();
  await loadMeaning((await import("windrow/meaning")).default);
  await buildContext(chat, config);
});

test("a worker only has the table if it imports it, and returns the same as Node", async () => {
  const worker = (loads) => `
    import { buildContext, loadMeaning } from "windrow";
    ${loads ? 'import table from "windrow/meaning";' : ""}
    ${setting}
    export default {
      async fetch() {
        ${loads ? "await loadMeaning(table);" : ""}
        const built = await buildContext(chat, config).catch((error) => error);
        return Response.json(built.code ?? built.snapshot.contextHash);
      },
    };`;
  const { contextHash } = (await buildContext(chat, config)).snapshot;
  for (const [loads, expected] of [
    [true, contextHash],
    [false, "MEANING_NOT_LOADED"],
  ]) {
    const started = await startWorker(worker(loads));
    try {
      assert.equal(await (await started.ask("/")).json(), expected);
    } finally {
      await started.stop();
    }
  }
});

test("the package has the licenses of the table's sources", () => {
  const licences = readFileSync(new URL("../../../pkg-template/LICENSE-THIRD-PARTY", import.meta.url), "utf8");
  assert.match(licences, /Apache License, Version 2\.0/);
  assert.match(licences, /Princeton University/);
});
