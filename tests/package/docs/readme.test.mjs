// Runs the examples of the README and the docs unchanged, each in its host, and checks their comments and outputs. Also
// checks that every link works, in the repository and in the package.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { memoryStore, messageShapes, openSession, replay } from "windrow";
import { promptApi } from "../support/prompt-api.mjs";
import { openStorePage } from "../support/store-page.mjs";
import { startWorker } from "../support/worker.mjs";

const paper = (name) => readFileSync(new URL(`../../../${name}`, import.meta.url), "utf8");
const docs = readdirSync(new URL("../../../docs/", import.meta.url)).map((name) => `docs/${name}`);
const names = ["README.md", "ARCHITECTURE.md", "DESIGN.md", "CONTRIBUTING.md", "CHANGELOG.md", ...docs.sort()];
const papers = Object.fromEntries(names.map((name) => [name, paper(name)]));
const folder = new URL("../../../.cache/readme/", import.meta.url);
const packageFolder = fileURLToPath(new URL("../../../pkg-template/", import.meta.url));
const program = fileURLToPath(new URL("../../../pkg-template/bin/windrow.js", import.meta.url));

/** Examples in a language, each with the text after it on its page. */
function examplesIn(language) {
  return Object.values(papers).flatMap((text) => {
    const found = text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"));
    return Array.from(found, ({ 0: whole, 1: code, index }) => ({ code, after: text.slice(index + whole.length) }));
  });
}

const examples = examplesIn("js");
const ran = new Set();

/** The only example with these words. */
function exampleWith(words) {
  const found = examples.filter(({ code }) => code.includes(words));
  assert.equal(found.length, 1, `there is one example with ${words}`);
  return found[0];
}

/** The folder for running examples. Marks this example as run. */
function folderFor(example) {
  ran.add(examples.indexOf(example));
  mkdirSync(folder, { recursive: true });
  return fileURLToPath(folder);
}

/** Runs an example as a separate module, and returns its named values. */
function run(example, ...names) {
  folderFor(example);
  const file = new URL(`example-${examples.indexOf(example)}.mjs`, folder);
  writeFileSync(file, `${example.code}\nexport { ${names.join(", ")} };\n`);
  return import(file.href);
}

/** Runs an example in a Chromium page, and again each time the page is loaded. Returns the result of `look`. */
async function runInPage(example, look, { loads = 1 } = {}) {
  folderFor(example);
  const site = await openStorePage({ script: `${example.code}\nglobalThis.found = ${look};` });
  try {
    const page = await site.page();
    const found = [];
    while (found.length < loads) {
      if (found.length > 0) {
        await page.reload();
      }
      await page.waitForFunction("globalThis.found !== undefined");
      found.push(await page.evaluate("globalThis.found"));
    }
    assert.deepEqual(site.complaints, []);
    return found;
  } finally {
    await site.close();
  }
}

/** Runs a Durable Object example in workerd. Returns the answers of `ask` for each of `times` calls. */
async function runInWorker(example, ask, times) {
  folderFor(example);
  const handler = `export default { fetch: async (_, { CHATS: chats }) => Response.json(await (${ask})(chats)) };`;
  const worker = await startWorker(`${example.code}\n${handler}\n`, {
    durableObjects: { CHATS: { className: "Chat", useSQLite: true } },
  });
  try {
    const answers = [];
    while (answers.length < times) {
      answers.push(await (await worker.ask("/")).json());
    }
    return answers;
  } finally {
    await worker.stop();
  }
}

/** The comment after a line of an example. */
function comment({ code }, line) {
  const found = code.split("\n").find((text) => text.startsWith(line));
  assert.ok(found, `the example has a line that begins ${line}`);
  return found.slice(found.indexOf("//") + 2).trim();
}

/** A value as the examples write it. */
function written(value) {
  const inside = (entries) => (entries.length === 0 ? "" : ` ${entries.join(", ")} `);
  if (Array.isArray(value)) {
    return `[${value.map(written).join(", ")}]`;
  }
  return typeof value === "object"
    ? `{${inside(Object.entries(value).map(([key, element]) => `${key}: ${written(element)}`))}}`
    : JSON.stringify(value);
}

/** The output shown below an example. */
function outputBelow({ after }) {
  const found = after.match(/^\n\n```text\n(.*?)\n```$/ms);
  assert.ok(found?.index === 0, "the output is right below the example");
  return found[1];
}

test("the first example prints the output shown below it, pasted into an empty folder, without a network or a key", () => {
  const example = exampleWith("What did we decide about the venue?");
  assert.equal(example, examples[0]);
  const cwd = mkdtempSync(join(tmpdir(), "windrow-first-"));
  folderFor(example);
  const { WINDROW_STUDIO: _, NODE_TEST_CONTEXT: __, NODE_OPTIONS: ___, ...env } = process.env;
  const runIn = (command, ...words) => {
    const { status, stdout, stderr } = spawnSync(command, words, { cwd, env, encoding: "utf8" });
    assert.equal(status, 0, stderr);
    return stdout;
  };
  try {
    const [{ filename }] = JSON.parse(
      runIn("npm", "pack", packageFolder, "--ignore-scripts", "--json", "--pack-destination", cwd),
    );
    // A new project's package.json may say "type": "commonjs".
    runIn("npm", "init", "--yes");
    runIn("npm", "install", "--offline", "--no-audit", "--no-fund", join(cwd, filename));
    writeFileSync(join(cwd, "index.mjs"), example.code);
    writeFileSync(join(cwd, "no-network.cjs"), NO_NETWORK);
    const printed = runIn(process.execPath, "--require", "./no-network.cjs", "index.mjs");
    assert.equal(printed.trimEnd(), outputBelow(example));
  } finally {
    rmSync(cwd, { recursive: true });
  }
});

/** Makes a process fail if it opens a connection or resolves a name. */
const NO_NETWORK = `
const refuse = () => { throw new Error("the network was used"); };
require("node:net").Socket.prototype.connect = refuse;
require("node:dns").lookup = refuse;
globalThis.fetch = refuse;
`;

test("the request of the guide's first context goes to a provider unchanged", async () => {
  const example = exampleWith("api.openai.com");
  const sent = [];
  const { fetch } = globalThis;
  globalThis.fetch = (url, init) => {
    sent.push({ url, ...JSON.parse(init.body) });
    return Promise.resolve(new Response("{}"));
  };
  const { context } = await run(example, "context").finally(() => {
    globalThis.fetch = fetch;
  });
  assert.equal(sent[0].url, "https://api.openai.com/v1/chat/completions");
  assert.deepEqual(
    sent[0].messages,
    context.messages.map(({ role, content, name }) => ({ role, content, ...(name && { name }) })),
  );
});

test("the first example of docs/recall.md keeps the messages in its comments, for the reason below it", async () => {
  const example = exampleWith("brother repair");
  const { context } = await run(example, "context");
  const ids = context.kept.map(({ id }) => id);
  assert.equal(comment(example, "context.kept"), written(ids));
  assert.equal(context.explain("3").words, outputBelow(example));
  assert.equal(comment(example, 'context.explain("4").reason;'), written(context.explain("4").reason));
});

test("the example of placement in docs/recall.md prints the text below it", async () => {
  const example = exampleWith("My locker at the pool");
  const { context } = await run(example, "context");
  assert.equal(context.text, outputBelow(example));
});

test("the examples of files", async () => {
  const { messages, skipped } = await run(exampleWith("How many seats does the boat have?"), "messages", "skipped");
  assert.deepEqual([messages[0].name, messages.length, skipped.length], ["Mira", 2, 0]);
  const { body } = await run(exampleWith("carryOn"), "body");
  assert.deepEqual(body.messages, [{ role: "user", content: "How many seats?" }]);
});

test("the example of embeddings in docs/recall.md recalls by meaning", async () => {
  const example = exampleWith("two-numbers");
  const { context } = await run(example, "context");
  assert.equal(comment(example, 'context.explain("1").words;'), written(context.explain("1").words));
  assert.equal(context.explain("2").fate, "left out");
});

test("the example of meaning in docs/recall.md recalls a paraphrase", async () => {
  const example = exampleWith('meaning: "static"');
  const { context } = await run(example, "context");
  assert.equal(comment(example, 'context.explain("1").words;'), written(context.explain("1").words));
  assert.equal(context.explain("2").fate, "left out");
});

test("the example of docs/caching.md repeats more than half of its prompt", async () => {
  const { next } = await run(exampleWith("presets.steady"), "next");
  assert.ok(next.prefix.share > 0.5, String(next.prefix.share));
  assert.match(next.prefix.difference.words, /./);
});

test("the example of a vocabulary that is passed in runs", async () => {
  await run(exampleWith("windrow/encodings/o200k_base"), "o200k");
});

test("the example of a core that is loaded manually runs", async () => {
  const example = exampleWith("windrow/slim");
  const { context } = await run(example, "context");
  assert.equal(comment(example, "context.messages.length;"), written(context.messages.length));
});

test("the example of the parts runs, and replays to the same context", async () => {
  const example = exampleWith("How many is this?");
  const { context, again, countTokens } = await run(example, "context", "again", "countTokens");
  assert.equal(again.same, true);
  assert.ok(context.text.includes("At Rosa's, at eight."));
  const named = 'countTokens("How many is this?", { model: "gpt-4o" }).tokens;';
  assert.equal(comment(example, named), written(countTokens("How many is this?", { model: "gpt-4o" }).tokens));
  const unnamed = 'countTokens("How many is this?").words;';
  assert.equal(comment(example, unnamed), written(countTokens("How many is this?").words));
});

test("messages of other packages come back as in the example, and every supported format is named", async () => {
  const example = exampleWith("functionResponse");
  const { shown, page, contents, context } = await run(example, "shown", "page", "contents", "context");
  assert.deepEqual(
    page.messages.map((message) => shown.indexOf(message)),
    [0, 1, 2],
  );
  assert.ok(comment(example, "page.messages[1] === shown[1];").startsWith("true:"));
  assert.ok(comment(example, "page.tokens.total;").startsWith(`${page.tokens.total}:`));
  const kept = context.messages.map((content) => contents.indexOf(content));
  assert.equal(comment(example, "context.messages.map((content) => contents.indexOf(content));"), written(kept));
  const fates = [1, 2].map((at) => context.explain(at).fate);
  assert.deepEqual(fates, ["left out", "left out"]);

  const [, list] = /windrow\s+reads\s+these:(.*?)\.\n/s.exec(papers["docs/guide.md"]);
  const named = list.split(",").map((name) => name.replace(/\s+/g, " ").trim());
  const own = ["OpenAI chat message", "Anthropic message", "AI SDK ModelMessage"];
  assert.deepEqual(named.sort(), [...own, ...messageShapes.map(({ title }) => title)].sort());
  const [, section] = /^## Messages of other packages\n(.*?)^## /ms.exec(papers["docs/guide.md"]);
  const rows = Array.from(section.matchAll(/^\| `([^`]+)` \| ([^|]+?) \|/gm), ([, name, title]) => ({ name, title }));
  assert.deepEqual(rows, messageShapes);
});

test("the example of triage prints the text below it, and its hook isn't asked again", async () => {
  const example = exampleWith("presets.triaged");
  const { context, messages } = await run(example, "context", "messages");
  assert.equal(context.text, outputBelow(example));
  assert.equal(comment(example, 'context.explain("3").words;'), written(context.explain("3").words));
  assert.deepEqual(
    context.recording.answers.map(({ hook, outcome, ids }) => ({ hook, outcome, ids })),
    [{ hook: "triage.select", outcome: "given", ids: ["1"] }],
  );
  assert.equal((await replay(context.recording, messages)).same, true);
});

test("the example of a turn has the parts in its comments", async () => {
  const example = exampleWith("offers = `Heron");
  const { context } = await run(example, "context");
  assert.ok(comment(example, "context.messages.length;").startsWith(`${context.messages.length}:`));
  assert.deepEqual(
    context.messages.map(({ content }) => content.split(/[\s:]/)[0]),
    ["Last", "Tool", "Which"],
  );
  assert.equal(context.sections[5].id, "toolSnippets");
  assert.equal(comment(example, "context.sections[5].items;"), written(context.sections[5].items));
  assert.equal(comment(example, "context.tokens.total;"), `${context.tokens.total} of ${context.tokens.limit}`);
  assert.equal(comment(example, "context.snapshot.sourceCounts;"), written(context.snapshot.sourceCounts));
});

test("the example of append, then build continues the last prompt", async () => {
  const example = exampleWith("Who takes the keys?");
  const { first, second } = await run(example, "first, second");
  const contents = first.messages.map(({ content }) => content);
  assert.ok(example.code.includes(`// ${written(contents)}`), written(contents));
  assert.deepEqual(
    second.messages.slice(0, contents.length).map(({ content }) => content),
    contents,
  );
  assert.equal(comment(example, "second.messages.length;"), written(second.messages.length));
  assert.equal(comment(example, "second.messages[5].content;"), JSON.stringify(second.messages[5].content));
});

test("the example of a search tool finds the messages in its comments", async () => {
  const example = exampleWith("search_conversation");
  const { hit } = await run(example, "hit");
  for (const field of ["text", "reason"]) {
    assert.ok(example.code.includes(`hit.${field}; // "${hit[field]}"`), hit[field]);
  }
});

test("the example of the README remembers a statement until it is forgotten", async () => {
  const example = exampleWith('openSession("tuesday"');
  const names = ["request", "later", "next", "context", "chat"];
  const { request, later, next, context, chat } = await run(example, ...names);
  assert.equal(comment(example, "later.kept"), written(later.kept[0].content));
  assert.equal(comment(example, "context.messages"), written(context.messages[0].content));
  for (const session of [chat, next]) {
    assert.doesNotMatch(JSON.stringify((await session.build({ request })).messages), /peanut/);
  }
});

test("the example of statements lists and forgets what its comments say", async () => {
  const example = exampleWith("session.forget(allergy)");
  const { session, allergy, daughter } = await run(example, "session", "allergy", "daughter");
  assert.equal(comment(example, "allergy.sentence;"), written(allergy.sentence));
  assert.equal(comment(example, "allergy.kind;"), written(allergy.kind));
  assert.equal(comment(example, "daughter.sentence;"), written(daughter.sentence));
  assert.equal(comment(example, "(await session.statements())"), written((await session.statements()).length));
  const forgotten = await session.statements({ forgotten: true });
  assert.equal(comment(example, "(await session.statements({ forgotten"), written(forgotten.length));
  assert.equal(comment(example, "(await session.build()).kept"), written((await session.build()).kept.length));
});

test("the example of conversations prints the text below it", async () => {
  const example = exampleWith("presets.tiered");
  const { context } = await run(example, "context");
  assert.equal(context.text, outputBelow(example));
  const labels = context.conversations.map(({ label }) => label);
  assert.equal(comment(example, "context.conversations.map"), written(labels));
});

test("the example of a session is a conversation that survives a reload of its page", async () => {
  const example = exampleWith("earlier messages, newest first");
  const look = "{ shown: shown.length, messages: context.messages.map(({ content }) => content) }";
  const [first, again] = await runInPage(example, look, { loads: 2 });
  assert.equal(comment(example, "shown.length;"), `${first.shown}; after a reload ${again.shown}`);
  const counts = [first, again].map(({ messages }) => messages.length);
  assert.equal(comment(example, "context.messages.length;"), `${counts[0]}; after a reload ${counts[1]}`);
  assert.deepEqual(
    again.messages.map((content) => content.split(" ")[0]),
    ["The", "Yes:", "The"],
  );
});

test("the example of a streaming reply stores it once, and completely", async () => {
  const example = exampleWith("wordsOfModel");
  const { said } = await run(example, "said");
  assert.equal(comment(example, "said.length;"), written(said.length));
  assert.equal(comment(example, "said[1].content;"), written(said[1].content));
  assert.equal(said[1].status, "completed");
});

test("the example of a Durable Object keeps each session in an object", async () => {
  const ask = `async (chats) => {
    const key = JSON.stringify(["rosa", "workshop"]);
    return await chats.get(chats.idFromName(key)).turn(key, { role: "user", content: "Is it free?" });
  }`;
  const answers = await runInWorker(exampleWith("cloudflare:workers"), ask, 2);
  assert.deepEqual(
    answers.map(({ messages }) => messages.map(({ content }) => content)),
    [["Is it free?"], ["Is it free?", "Is it free?"]],
  );
});

test("the first example of sessions.md replays to the same context", async () => {
  const example = exampleWith("with what its replay needs");
  const { again, context } = await run(example, "again", "context");
  assert.equal(comment(example, "again.same;"), written(again.same));
  assert.equal(context.kept.length, 2);
});

test("the example of untrusted input refuses a role that other fields contradict", async () => {
  const example = exampleWith("Refund everything.");
  const { refused } = await run(example, "refused");
  assert.equal(comment(example, "refused;"), written(refused));
});

test("the example of the retrieval tool returns the omitted part", async () => {
  const { retrieval } = await run(exampleWith("retrieval.definition"), "retrieval");
  assert.equal(retrieval.definition("openai").function.name, "retrieve");
  assert.match(await retrieval.execute({ query: "handler_137", max_tokens: 300 }), /handler_137 took 69 ms/);
  assert.match(await retrieval.execute({ id: "r2", max_tokens: 400 }), /^r2, read_log \{\}:\n0: handler_0 took 0 ms/);
});

test("the plain agent loop overflows, and the one with a context for each step finishes", async () => {
  const { failure } = await run(exampleWith("async function runAgent"), "failure");
  assert.equal(failure.message.slice(0, 50), "This model's maximum context length is 8000 tokens");
  const last = exampleWith("const reply = await model(messages).catch");
  const { answer, transcript } = await run(last, "answer", "transcript");
  assert.equal(comment(last, "answer;"), written(answer));
  assert.equal(transcript.length, 26);
});

test("the example of a summary builds with a session", async () => {
  const { context } = await run(exampleWith("maxTokens: 800,"), "context");
  assert.equal(context.tokens.limit, 6000);
});

test("the example of an agent's run keeps every step", async () => {
  const example = exampleWith("Rename handler_12 to onSave");
  const { messages, context } = await run(example, "messages", "context");
  assert.equal(context.kept.length, messages.length);
  assert.equal(comment(example, "context.explain(2).fate;"), written(context.explain(2).fate));
  assert.match(context.explain(2).shortenedText, /\[… [\d,]+ tokens left out …\]/);
  assert.ok(context.tokens.total <= 6000 && context.tokens.total > 5900);
});

test("the examples of redaction keep secrets out, and restore them", async () => {
  const first = exampleWith("Write to anna@example.org, or call");
  const { messages, context } = await run(first, "messages", "context");
  assert.match(context.messages[0].content, /^Write to \[EMAIL_\w{8}\], or call \[PHONE_\w{8}\]\.$/);
  assert.equal(comment(first, "messages[0].content;"), written(messages[0].content));
  const reply = `I wrote to ${context.messages[0].content.slice(9, 25)}.`;
  assert.equal(written(context.restore(reply)), '"I wrote to anna@example.org."');

  const log = exampleWith("My key is sk-1234567890abcdefghij.");
  const { session, context: built } = await run(log, "session", "context");
  assert.ok(!JSON.stringify(built.messages).includes("sk-1234567890"));
  assert.equal((await session.messages())[0].content, "My key is sk-1234567890abcdefghij.");

  const keyed = await run(exampleWith('kinds: ["EMAIL", "PHONE"]'), "redact");
  assert.match(keyed.redact.value("anna@example.org, DE89 3704 0044 0532 0130 00"), /^\[EMAIL_\w{8}\], DE89/);
  const own = await run(exampleWith("CUSTOMER"), "redact");
  assert.match(own.redact.value("CUST-123456, anna@example.org"), /^\[CUSTOMER_\w{8}\], \[EMAIL_\w{8}\]$/);

  const streamed = exampleWith("createRestorer");
  const { shown } = await run(streamed, "shown");
  assert.equal(comment(streamed, "shown += restorer.end();"), written(shown));
});

test("the example of retention bounds a session, and a whole store", async () => {
  const example = exampleWith("maxSessions: 100");
  const { removedCount } = await run(example, "removedCount");
  assert.equal(comment(example, "removedCount;"), written(removedCount));
});

test("the example of IndexedDB asks for the browser's guarantees", async () => {
  const look = "{ key: session.key, persisted, room }";
  const [{ key, persisted, room }] = await runInPage(exampleWith("store.persist()"), look);
  assert.equal(key, "web:main");
  assert.equal(typeof persisted, "boolean");
  assert.deepEqual(Object.keys(room), ["usageBytes", "quotaBytes"]);
});

test("the custom store passes the suite as the example runs it", () => {
  const [store, cases] = ["// map-store.mjs", "// map-store.test.mjs"].map((name) => exampleWith(name));
  const cwd = mkdtempSync(join(folderFor(store), "store-"));
  folderFor(cases);
  try {
    writeFileSync(join(cwd, "map-store.mjs"), store.code);
    writeFileSync(join(cwd, "map-store.test.mjs"), cases.code);
    // The example runs its own tests, which aren't part of these.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const [, words] = /for: node (.*)$/m.exec(cases.code);
    const command = ["--test-reporter=tap", ...words.split(" ")];
    const { status, stdout } = spawnSync(process.execPath, command, { cwd, env, encoding: "utf8" });
    assert.equal(status, 0, stdout);
    assert.match(stdout, /^# pass [1-9]\d+$/m);
  } finally {
    rmSync(cwd, { recursive: true });
  }
});

test("the rows of the format are read, and written back unchanged", async () => {
  const [{ code }] = examplesIn("jsonl");
  const session = await openSession("web:main", { store: memoryStore() });
  const { messageCount, skipped } = await session.import(code);
  assert.deepEqual([messageCount, skipped], [3, []]);
  assert.equal(await session.export(), code);
  /** @type {readonly any[]} */
  const messages = await session.messages();
  assert.deepEqual(messages[1].content[0].data, new Uint8Array([1, 2]));
  assert.equal(messages[2].text, "a field of yours");
  assert.equal((await session.failures()).length, 1);
  // Windrow's own log of these messages has the same form.
  const copy = await openSession("web:main", { store: memoryStore() });
  await copy.append(messages);
  const rows = code.split("\n").filter((line) => JSON.parse(line || "{}").type === "message");
  assert.deepEqual((await copy.export()).trim().split("\n").slice(1).map(sorted), rows.map(sorted));
});

/** A row with sorted fields, because the format doesn't define their order. */
function sorted(line) {
  return JSON.stringify(JSON.parse(line), (_, value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
      : value,
  );
}

test("a sub-task is handed off", async () => {
  const { handoff, content } = await run(exampleWith("planning.handoff"), "handoff", "content");
  assert.deepEqual(
    handoff.context.messages.map(({ content }) => content),
    ["What I said before:\n- From now on, give prices in francs.", "Find three boat houses with a kitchen."],
  );
  const [heading, line] = content[0].text.split("\n");
  assert.equal(heading, '[Result of the sub-task "Find three boat houses with a kitchen."]');
  assert.equal(line, "> Heron, Otter and Swan. Heron costs 400 francs.");
});

test("a conversation with the model of the browser", async () => {
  const api = promptApi();
  Object.assign(globalThis, { LanguageModel: api });
  try {
    const { initialPrompts, prompt, answer } = await run(
      exampleWith("chromeContext"),
      "initialPrompts",
      "prompt",
      "answer",
    );
    assert.deepEqual([initialPrompts.length, prompt.length, answer], [1, 1, "Reply 1."]);
    assert.deepEqual([api.log.creates, api.log.overflows], [2, 0]);
  } finally {
    Reflect.deleteProperty(globalThis, "LanguageModel");
  }
});

test("a context as the request of a provider", async () => {
  const example = exampleWith('sent.request("anthropic")');
  const { messages } = await run(example, "messages");
  assert.equal(written(messages.map(({ role }) => role)), comment(example, "messages.map("));
  const [call] = messages[1].content;
  assert.ok(
    comment(example, "messages[1]").startsWith(`[{ type: ${written(call.type)}, id: ${written(call.id)}, … }]:`),
  );
});

test("fields that a server set on a message go back to it", async () => {
  const example = exampleWith("deepSeek.request");
  const { deepSeek, local, openAi } = await run(example, "deepSeek, local, openAi");
  const [own, other] = [deepSeek, local].map((context) => written(context.request("openai").messages[1]));
  assert.equal(own, comment(example, "deepSeek.request"));
  assert.equal(other, own);
  assert.equal(written(openAi.request("openai").messages[1]), comment(example, "openAi.request"));
});

test("a compaction begins the request to its maker, and the original messages go to others", async () => {
  const { toClaude, toOther } = await run(exampleWith("const toClaude"), "toClaude", "toOther");
  assert.deepEqual(
    toClaude.request("anthropic").messages.map(({ role }) => role),
    ["assistant", "user"],
  );
  assert.equal(toClaude.explain(2).reason, "compacted");
  assert.equal(toOther.request("openai").messages.length, 4);
});

test("a transferred error is complete again", async () => {
  const example = exampleWith("ContextError.from(");
  const { failure } = await run(example, "failure");
  assert.equal(written(failure.code), comment(example, "failure?.code"));
  assert.match(failure.nextAction, /./);
});

test("the cost of a prompt with tools, and its calibration", async () => {
  const tools = exampleWith("get_capital");
  const { tokens } = (await run(tools, "context")).context;
  assert.equal(String(tokens.total), comment(tools, "context.tokens.total"));
  assert.ok(comment(tools, "context.tokens.limit").startsWith(String(tokens.limit)));
  assert.equal(JSON.stringify(tokens.words), comment(tools, "context.tokens.words"));
  const sources = exampleWith("mcp__github__search");
  const { bySource } = (await run(sources, "tokens")).tokens;
  assert.equal(written(bySource.tools), comment(sources, "tokens.bySource.tools"));
  assert.equal(written(bySource.sources), comment(sources, "tokens.bySource.sources"));
  const calibrated = exampleWith("countedTokens");
  const { next, inputTokens } = await run(calibrated, "next, inputTokens");
  assert.equal(next.tokens.total, inputTokens);
});

test("every link in the docs works, in the repository and in the package", () => {
  const pack = spawnSync("npm", ["pack", "--dry-run", "--json"], { cwd: packageFolder, encoding: "utf8" });
  assert.equal(pack.status, 0, pack.stderr);
  const packed = new Set(JSON.parse(pack.stdout)[0].files.map(({ path }) => path));
  for (const [name, text] of Object.entries(papers)) {
    assert.ok(packed.has(name), `${name} is in the package`);
    for (const [, target] of text.replaceAll(/^```.*?^```$/gms, "").matchAll(/\]\(([^)\s]+)\)/g)) {
      if (!/^https?:/.test(target)) {
        const { pathname, hash } = new URL(target, `file:///${name}`);
        const path = decodeURIComponent(pathname.slice(1));
        const linked = path === "" ? text : paper(path);
        assert.ok(hash === "" || anchorsIn(linked).has(hash.slice(1)), `${name}: ${target}`);
        assert.ok(packed.has(path), `${name}: ${target} is not in the package`);
      }
    }
  }
});

/** The anchors of a paper's headings, as the usual hosts make them. */
function anchorsIn(text) {
  const headings = text.replaceAll(/^```.*?^```$/gms, "").matchAll(/^#+ (.*)$/gm);
  return new Set(
    Array.from(headings, ([, title]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    ),
  );
}

test("docs/hosts.md: a worker builds for the page", async () => {
  const script = exampleWith("serveWorker();");
  const page = exampleWith("connectWorker(new Worker");
  const { port1, port2 } = new MessageChannel();
  // Both ends of a channel that clones values like a worker's.
  script.code = script.code.replace("serveWorker()", "serveWorker(globalThis.workerEnd)");
  page.code = page.code.replace(/new Worker\(.*\}\)\)/, "globalThis.pageEnd)");
  Object.assign(globalThis, { workerEnd: port2, pageEnd: port1 });
  await run(script);
  const { context, messages, engine } = await run(page, "context", "messages", "engine");
  try {
    assert.equal(context.kept[0], messages[0]);
    assert.equal(comment(page, "context.kept[0]"), "true");
    assert.deepEqual(await context.request("openai"), { messages });
  } finally {
    engine.close();
  }
});

test("the page of comparisons keeps the answer that the newest messages don't have", async () => {
  const example = exampleWith("My order number is 4711");
  const { chat, prompt } = await run(example, "chat", "prompt");
  assert.equal(JSON.stringify(prompt[0].content), comment(example, "console.log(prompt[0].content);"));
  assert.ok(prompt.length < chat.length / 2, "most of the chat is left out");
});

test("the page about speed measures two builds", async () => {
  const { milliseconds } = await run(exampleWith("second build:"), "milliseconds");
  assert.equal(milliseconds.length, 2);
  assert.ok(milliseconds.every((time) => time > 0));
});

test("every example was run", () => {
  assert.deepEqual(
    [...ran].sort((left, right) => left - right),
    [...examples.keys()],
  );
});

test("the shell commands do what the docs say", () => {
  mkdirSync(folder, { recursive: true });
  const cwd = mkdtempSync(join(fileURLToPath(folder), "shell-"));
  try {
    writeFileSync(join(cwd, "chat.json"), JSON.stringify([{ role: "user", content: "What did we decide?" }]));
    const lines = examplesIn("sh").flatMap(({ code }) => code.split("\n"));
    const own = lines.filter((line) => line.startsWith("npx windrow "));
    assert.equal(own.length, 4);
    for (const line of own) {
      const [command, said] = line.split("#").map((part) => part.trim());
      const words = Array.from(command.matchAll(/"([^"]*)"|\S+/g), ([word, quoted]) => quoted ?? word);
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words.slice(2)], {
        cwd,
        encoding: "utf8",
      });
      assert.equal(status, 0, stderr);
      assert.ok(said === undefined || stdout.startsWith(said.replace("…", "")), `${line}: ${stdout}`);
    }
  } finally {
    rmSync(cwd, { recursive: true });
  }
});
