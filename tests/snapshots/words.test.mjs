// Snapshots of texts for people: the command line, explanations, notes, and the package's errors with their next steps.
//
// `npm run snapshots` updates them and shows what changed. Node has snapshots since version 22.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, snapshot, test } from "node:test";
import { fileURLToPath } from "node:url";
import { buildContext, createTranscript, memoryStore, openSession, parseTranscript, requestOf } from "windrow";

const program = fileURLToPath(new URL("../../pkg-template/bin/windrow.js", import.meta.url));
const NOW = Date.UTC(2025, 5, 15, 15);
let folder = "";

snapshot.setDefaultSnapshotSerializers([
  (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2)),
]);

const messages = [
  { id: "a", role: "system", content: "Be brief." },
  { id: "b", role: "user", name: "Mara", content: "Where do we meet?", createdAt: NOW - 3_000_000 },
  { id: "c", role: "assistant", content: "In the town hall, at noon, behind the library.", createdAt: NOW - 2_900_000 },
  { id: "d", role: "user", content: "I am allergic to nuts.", pinned: true, createdAt: NOW - 2_800_000 },
  ...Array.from({ length: 8 }, (_, turn) => ({
    id: `m${turn}`,
    role: turn % 2 === 0 ? "user" : "assistant",
    content: `Message ${turn} says a few words about the garden and the invoice.`,
    createdAt: NOW - 2_000_000 + turn * 60_000,
  })),
];

before(() => {
  folder = mkdtempSync(join(tmpdir(), "windrow-snapshots-"));
  writeFileSync(join(folder, "chat.json"), JSON.stringify(messages));
  writeFileSync(
    join(folder, "rows.jsonl"),
    '{"role":"user","content":"hi"}\n{"role":"bot"}\n{"content":1}\nnot JSON\n',
  );
});

after(() => rmSync(folder, { recursive: true, force: true }));

describe("the command line", () => {
  const runs = {
    help: ["--help"],
    "a context": ["build", "chat.json", "--request", "Where do we meet?", "--max-tokens", "70"],
    "a context that cannot fit": ["build", "chat.json", "--max-tokens", "3"],
    "a preset": ["build", "chat.json", "--preset", "turns", "--request", "Where do we meet?"],
    "rows that are not messages": ["build", "rows.jsonl"],
    "a file that is not there": ["build", "nothing.json"],
    "a slip in an option": ["build", "chat.json", "--max-token", "3"],
    "an unknown command": ["bild", "chat.json"],
    "nothing at all": [],
  };
  for (const [name, commandLine] of Object.entries(runs)) {
    test(name, (t) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...commandLine], {
        cwd: folder,
        encoding: "utf8",
      });
      t.assert.snapshot(`exit code ${status}\n--- standard output\n${stdout}\n--- standard error\n${stderr}`);
    });
  }
});

test("explanations of every message", async (t) => {
  const context = await buildContext(messages, {
    request: "Where do we meet?",
    now: NOW,
    encoding: "estimate",
    budget: { maxTokens: 70 },
  });
  const lines = messages.map(({ id }) => `${id}: ${JSON.stringify(context.explain(id))}`);
  t.assert.snapshot([...lines, ...context.trace.notes.map(({ kind, words }) => `note ${kind}: ${words}`)].join("\n"));
});

test("notes about hooks", async (t) => {
  const hooks = {
    "triage throws": { triage: { skipSelectionThreshold: 0, select: () => Promise.reject(new Error("no network")) } },
    "triage answers nonsense": { triage: { skipSelectionThreshold: 0, select: () => 7 } },
    "triage is unavailable": { triage: { skipSelectionThreshold: 0, select: () => null } },
    "embedding fails": { recall: { embed: () => Promise.reject(new Error("no network")) }, budget: { maxTokens: 60 } },
  };
  const lines = [];
  for (const [name, config] of Object.entries(hooks)) {
    const options = /** @type {any} */ ({ request: "Where do we meet?", now: NOW, encoding: "estimate", ...config });
    const context = await buildContext(messages, options);
    lines.push(`# ${name}`, ...context.trace.notes.map(({ kind, words }) => `${kind}: ${words}`));
  }
  t.assert.snapshot(lines.join("\n"));
});

test("errors with their next steps", async (t) => {
  /** @type {Record<string, () => unknown>} */
  const calls = {
    "messages that are no list": () => buildContext(/** @type {any} */ ({ messages })),
    "a promise of messages": () => buildContext(/** @type {any} */ (Promise.resolve(messages))),
    "a message without a role": () => buildContext(/** @type {any} */ ([{ content: "hi" }])),
    "an unknown part": () => buildContext(/** @type {any} */ ([{ role: "user", content: [{ type: "smell" }] }])),
    "a misspelled option": () => buildContext(messages, /** @type {any} */ ({ budget: { maxToken: 1 } })),
    "a hook that is not a function": () => buildContext(messages, /** @type {any} */ ({ triage: { select: 1 } })),
    "a budget that is too small": () => buildContext(messages, { budget: { maxTokens: 3 }, encoding: "estimate" }),
    "an unknown provider": () => requestOf(/** @type {any} */ ("mistral"), messages),
    "a request that ends with the assistant": () => requestOf("anthropic", messages.slice(0, 3)),
    "an unknown id": async () => (await buildContext(messages, { encoding: "estimate" })).explain("nobody"),
    "a session without a key": () => openSession(/** @type {any} */ (undefined), { store: memoryStore() }),
    "a session without a store that is one": () => openSession("web:main", /** @type {any} */ ({ store: {} })),
    "a transcript of nothing": () => parseTranscript(""),
    "a row that does not exist": () => createTranscript(messages).truncate(99),
  };
  const lines = [];
  for (const [name, call] of Object.entries(calls)) {
    lines.push(`# ${name}`);
    try {
      await call();
      lines.push("it is taken");
    } catch (error) {
      const { kind, code, path, message, nextAction } = error;
      lines.push(`${kind} ${code}${path ? ` at ${path}` : ""}: ${message}`, `  ${nextAction}`);
    }
  }
  t.assert.snapshot(lines.join("\n"));
});
