// Time grows linearly with length, whatever a text says: ten times the text costs about ten times the time, in every
// public call that takes text.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import {
  buildContext,
  countTokens,
  createTranscript,
  loadEncoding,
  memoryStore,
  openSession,
  parseTranscript,
  plainMessage,
  providers,
  requestOf,
} from "windrow";
import { createRedactor, findSecrets } from "windrow/redact";
import { APP_FILES } from "../package/support/app-files.mjs";
import { processorMs } from "../package/support/processor-time.mjs";
import { SEED, TIME_MS } from "../package/support/property.mjs";
import { Random } from "../package/support/random.mjs";
import { randomTurns, SHAPES } from "../package/support/shape-conversations.mjs";

await loadEncoding("o200k_base");
const redact = createRedactor({ key: "a key for tests, long enough" });

const SHORT = 20_000;
const TIMES = 10;
/** Highest allowed ratio of times for a text ten times as long. The margin is for caches, sorting and luck. */
const MOST_TIMES = 15;
/** The same ratio for half of the longer text. A short text may be read in another way if all of it fits. */
const MOST_TIMES_DOUBLED = 3;
/** Highest allowed jump between a text that fits and one that must be cut, in milliseconds. */
const MOST_MS_OF_A_STEP = 500;
/** Shorter runs aren't compared: they don't matter to anyone, and the clock is too coarse. */
const LEAST_MS = 80;

const repeated = (part) => (length) => part.repeat(Math.ceil(length / part.length)).slice(0, length);
const nested =
  (open, close, inside = "1") =>
  (length) => {
    const depth = Math.floor(length / (open.length + close.length));
    return open.repeat(depth) + inside + close.repeat(depth);
  };

/** Hostile texts, by length. */
const TEXTS = {
  lists: nested("[", "]", ""),
  objects: nested('{"a":', "}"),
  "lists with a number before": nested("[1,", "]"),
  "lists that end with a number": nested("[", ",1]"),
  mixed: nested('[{"a":', "}]"),
  "not closed": (length) => "[".repeat(length),
  "almost closed": (length) => `${nested("[", "]")(length)}]`,
  "escapes in a list": (length) => `[${'"\\\\\\"",'.repeat(length / 7)}1]`,
  "white space in a list": (length) => `[${" ".repeat(length / 2)}${"1,".repeat(length / 4)}1]`,
  brackets: nested("(", ")"),
  fences: repeated("```\n"),
  "fences of growing length": (length) => {
    let text = "";
    for (let count = 3; text.length < length; count++) {
      text += `${"`".repeat(count)}\n`;
    }
    return text;
  },
  quotes: repeated("> "),
  "quoted lines": repeated("> > > on that day he wrote\n"),
  tables: repeated("|a|b|\n|-|-|\n"),
  "open tags": repeated("<a>"),
  tags: nested("<a>", "</a>"),
  "a comment": repeated("<!--"),
  dates: repeated("12 June 2026, "),
  "parts of dates": repeated("2026-06-"),
  marks: repeated("[… 12 tokens left out …]\n"),
  bold: repeated("**"),
  headings: repeated("# a\n"),
  items: repeated("- a\n"),
  speakers: repeated("User: yes\n"),
  "empty lines": repeated("\n"),
  spaces: repeated(" "),
  "one word": repeated("a"),
  words: repeated("the harbour and the violin are "),
  questions: repeated("why? "),
  digits: repeated("1"),
  numbers: repeated("1,000,000 "),
  "combining marks": repeated("e\u0301\u0300\u0302"),
  "joined emoji": repeated("👩\u200d"),
  backslashes: repeated("\\"),
  "quotation marks": repeated('"'),
  addresses: repeated("https://a.b/c?d=e&"),
  mail: repeated("a@b."),
  "data addresses": repeated("data:image/png;base64,AAAA"),
  placeholders: repeated("[EMAIL_0a1b2c3d] "),
  "parts of secrets": repeated("sk-eyJ+49 4111 DE89 AKIA"),
  "dots of an address": (length) => `a@${".".repeat(length)}b`,
  keys: repeated("-----BEGIN PRIVATE KEY-----"),
  "JSON in JSON": (length) => JSON.stringify([JSON.stringify([JSON.stringify([repeated("a@b.de ")(length / 2)])])]),
  "names that come again": (length) => `{${repeated('"a":4111111111111111,')(length)}"a":1}`,
  "long lines of base64": repeated("QUJDREVGR0g="),
  identifiers: repeated("snake_caseAndCamel.path/to-"),
};

/** Time for random texts: two minutes in the full tests. */
const RANDOM_MS = 240 * TIME_MS;
/** Brackets, quotes, fences and tags, and fragments that some reader looks for. */
const PAIRS = [
  ..."[] {} () <> «» “” '' \"\" `` ** __ ~~ $$ ||".split(" ").map(([open, close]) => [open, close]),
  ...[
    ["<a>", "</a>"],
    ["<!--", "-->"],
    ["```\n", "\n```\n"],
    ['{"a":', "}"],
    ["[1,", "]"],
    ["[", ",1]"],
    ["<document>", "</document>"],
  ],
  ...[
    ['"', '"'],
    ['\\"', '\\"'],
    ["(see ", ")"],
    ["[…", "…]"],
    ["<![CDATA[", "]]>"],
    ["{{", "}}"],
    ["[[", "]]"],
    ["> ", "\n"],
    ["<a b='", "'>"],
  ],
];
const PIECES = [
  ..."1 , : ; . - \\ / | # * _ > < & = @ ! ? ~ ^ % $ + ' \" ` … — é 京 👩 \u200d \u0301 \u2028 \ufeff".split(" "),
  ...[
    "\n",
    "\r\n",
    "\n\n",
    "\t",
    " ",
    "    ",
    "\u00a0",
    "\n> ",
    "\n- ",
    "\n1. ",
    "\n# ",
    "\n|a|b|\n",
    "\n---\n",
    "\n```js\n",
    "\n~~~\n",
  ],
  ...[
    "a",
    "the ",
    "User: ",
    "\nUser: ",
    "\nFrom: a\n",
    "On 5 May he wrote:\n",
    "12 June 2026",
    "2026-06-",
    "14:05",
    "yesterday ",
    "why? ",
  ],
  ...[
    "https://a.b/",
    "a@b.c ",
    "data:image/png;base64,",
    "QUJD",
    "\\u0041",
    "\\n",
    "null",
    "true",
    "1e5",
    "<br>",
    "&amp;",
    "[… 12 tokens left out …]",
  ],
  ...[
    "always ",
    "from now on ",
    "never ",
    "must ",
    "camelCase",
    "snake_case",
    "::",
    "=>",
    "http",
    "<|endoftext|>",
    "1,000",
    "#tag",
    "@name ",
  ],
];

/**
 * A random text of hostile fragments, by length. The same seed has the same structure at any length: repeated, nested
 * or deeply nested, and balanced, nearly balanced or unclosed.
 */
function randomText(random) {
  const some = (most) => Array.from({ length: random.integer(0, most) }, () => random.pick(PIECES)).join("");
  const unit = some(4) || random.pick(PIECES);
  const levels = Array.from({ length: random.integer(1, 3) }, () => {
    const [open, close] = random.pick(PAIRS);
    return { open: some(1) + open + some(1), close: some(1) + close + some(1) };
  });
  const open = levels.map((level) => level.open).join("");
  const close = levels
    .toReversed()
    .map((level) => level.close)
    .join("");
  const inside = some(2);
  const [before, after] = [some(3), some(3)];
  const deep = (length) => {
    const depth = Math.max(Math.floor(length / (open.length + close.length)), 1);
    return open.repeat(depth) + inside + close.repeat(depth);
  };
  const each = random.integer(50, 2000);
  const broken = random.integer(0, 3);
  const makes = {
    repeated: (length) => unit.repeat(Math.ceil(length / unit.length)),
    nested: deep,
    "nested again and again": (length) =>
      (deep(each) + unit).repeat(Math.ceil(length / (deep(each).length + unit.length))),
    "almost balanced": (length) => open.repeat(broken) + deep(length) + close.repeat(3 - broken),
    "not closed": (length) => open.repeat(Math.ceil(length / open.length)),
    "only closed": (length) => close.repeat(Math.ceil(length / close.length)),
    "within a string": (length) => `{"a":${JSON.stringify(deep(length / 2))}}`,
  };
  const name = random.pick(Object.keys(makes));
  return { name, unit, open, close, make: (length) => (before + makes[name](length)).slice(0, length) + after };
}

/** @type {any} */
const encoding = "o200k_base";
const START = Date.UTC(2026, 0, 5, 9);
/** @type {(text: string, role?: string) => any[]} */
const chat = (text, role = "user") => [
  ...Array.from({ length: 6 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: "We talked about the harbour and the violin. ".repeat(20),
    createdAt: START + index * 60_000,
  })),
  { role, content: text, createdAt: START + 600_000 },
  { role: "assistant", content: "I see.", createdAt: START + 660_000 },
];
/** @type {(text: string) => any[]} */
const withTool = (text) => [
  { role: "user", content: "Look it up." },
  { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "look_up", arguments: text }] },
  { role: "tool", toolCallId: "c1", content: text },
  { role: "user", content: "And?" },
];
/** @type {any} */
const config = {
  encoding,
  now: START + 700_000,
  request: "What about the harbour on 12 June?",
  budget: { maxTokens: 1500 },
};
const small = { ...config, budget: { maxTokens: 300 } };
/** Runs a call that may fail. Only its time matters. */
const attempted = async (run) => {
  try {
    return await run();
  } catch {
    return undefined;
  }
};

/** An app's file with turns of these texts. */
const appFile = (app, texts) => {
  const turns = texts.map((text, at) => ({
    ...{ id: `m${at + 1}`, role: app.onlyUsers || at % 2 === 0 ? "user" : "assistant", name: "Ann", text, minute: at },
    ...{ calls: [], reasoning: app.has.reasoning && at % 2 === 1 ? text : undefined },
  }));
  return app.write(turns, new Random(1)).text;
};

/** Every public call that accepts a text. */
const CALLS = {
  ...Object.fromEntries(
    APP_FILES.map((app) => [
      `parseTranscript of a ${app.kind}`,
      (text) => attempted(() => parseTranscript(appFile(app, [text, text]))),
    ]),
  ),
  countTokens: (text) => countTokens(text, { encoding }),
  "countTokens, estimated": (text) => countTokens(text, { encoding: "estimate" }),
  plainMessage: (text) => plainMessage({ role: "user", content: text }),
  parseTranscript: (text) => parseTranscript(text),
  "an old message": (text) => buildContext(chat(text), config),
  "an excerpt": (text) =>
    buildContext(
      [
        { role: "user", content: "Where is the harbour?" },
        { role: "assistant", content: "I see." },
        { role: "user", content: text },
        { role: "assistant", content: "I see." },
      ],
      { ...config, budget: { maxTokens: 4000 } },
    ),
  "a reply": (text) => buildContext(chat(text, "assistant"), small),
  "a request": (text) =>
    buildContext(chat("Yes."), {
      ...config,
      request: text,
      budget: { maxTokens: 1500, onRequiredOverflow: "exceed" },
    }),
  "a tool's output": (text) => buildContext(withTool(text), config),
  "a shortened request": (text) =>
    buildContext(chat("Yes."), {
      ...config,
      request: text,
      budget: { maxTokens: 1500, onRequiredOverflow: "shorten" },
    }),
  "the format text": (text) => buildContext(chat(text), { ...config, render: { format: "text" } }),
  "the format xml": (text) => buildContext(chat(text), { ...config, render: { format: "xml" } }),
  "the format conversations": (text) =>
    buildContext(chat(text), { ...config, tiers: { enabled: true }, render: { format: "conversations" } }),
  "an item of a section": (text) =>
    buildContext(chat("Yes."), {
      ...config,
      sections: [
        { id: "notes", kind: "items", items: [{ id: "a", text }] },
        { id: "history", kind: "history" },
        { id: "request", kind: "request" },
      ],
    }),
  "triage by a text": (text) =>
    buildContext(chat(text), {
      ...config,
      triage: { skipSelectionThreshold: 0, alwaysIncludeRecent: 0, complete: () => text },
    }),
  "openai's request": (text) => requestOf("openai", withTool(text)),
  "openai's request of items": (text) => requestOf("openai-responses", withTool(text)),
  "anthropic's request": (text) => requestOf("anthropic", withTool(text)),
  "gemini's request": (text) => requestOf("gemini", withTool(text)),
  "the AI SDK's request": (text) => requestOf("ai-sdk", withTool(text)),
  findSecrets: (text) => findSecrets(text),
  "a redacted value": (text) => redact.value({ text }),
  "a redacted message": (text) => buildContext(chat(text), { ...config, redact }),
  "a redacted result": (text) => buildContext(withTool(text), { ...config, redact }),
  "a restored reply": async (text) => {
    const context = await buildContext(chat("a@b.de"), { ...config, redact });
    const restorer = context.createRestorer();
    const [word] = JSON.stringify(context.messages).match(/\[EMAIL_\w+\]/) ?? [""];
    context.restore(text + word);
    return [restorer.push(text), restorer.push(word), restorer.end()];
  },
  "lasting statements": async (text) => {
    const session = await openSession("s", { store: memoryStore() });
    await session.append(chat(`I never eat fish. ${text}`));
    await session.statements();
    await session.close();
  },
  "a handoff": async (text) => {
    const session = await openSession("s", { store: memoryStore() });
    await session.append(chat(`From now on, answer in French. ${text}`));
    const handoff = await session.handoff({ task: text, maxTokens: 1_000_000, encoding });
    await handoff.result(text);
    await session.close();
  },
  "a session": async (text) => {
    const session = await openSession("s", { store: memoryStore() });
    await session.append(chat(text));
    await session.search(text.slice(0, 2000));
    await session.build(config);
    await session.close();
  },
};

/** Milliseconds of processor time for a run, the least of a few. */
async function leastMs(run, count) {
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < count; at++) {
    const before = processorMs();
    await attempted(run);
    least = Math.min(least, processorMs() - before);
  }
  return least;
}

/**
 * Fails if ten times the text takes much more than ten times as long, or twice the text much more than twice. A run on
 * a shared machine may be slow by chance, so it must be slow every time.
 */
async function checkScaling(what, run) {
  const measure = () => measureScaling(what, run);
  await measure().catch(measure).catch(measure);
}

async function measureScaling(what, run) {
  let short = await leastMs(() => run(SHORT), 3);
  // Half of the length runs first, so that a quadratic run ends soon enough to be reported.
  const half = await leastMs(() => run((SHORT * TIMES) / 2), 2);
  assert.ok(
    half < LEAST_MS || half <= short * TIMES * MOST_TIMES_DOUBLED,
    `${what}: ${short} ms, then ${half} ms for half`,
  );
  const long = await leastMs(() => run(SHORT * TIMES), 2);
  if (long < LEAST_MS || long <= short * MOST_TIMES) {
    return;
  }
  short = await leastMs(() => run((SHORT * TIMES) / 2), 3);
  if (long <= short * MOST_TIMES_DOUBLED) {
    return;
  }
  // Half may fit while the whole text must be cut, which takes longer at once. From there on, twice the text must not
  // take much more than twice as long.
  assert.ok(long < MOST_MS_OF_A_STEP, `${what}: ${short} ms for half, then ${long} ms`);
  const double = await leastMs(() => run(SHORT * TIMES * 2), 2);
  assert.ok(double <= long * MOST_TIMES_DOUBLED, `${what}: ${short} ms for half, ${long} ms, ${double} ms for twice`);
}

describe("time grows linearly with length", () => {
  for (const [call, run] of Object.entries(CALLS)) {
    test(call, async () => {
      const failures = [];
      for (const [name, make] of Object.entries(TEXTS)) {
        await checkScaling(`${call}, ${name}`, (length) => run(make(length))).catch(({ message }) =>
          failures.push(message),
        );
      }
      assert.deepEqual(failures, []);
    });
  }
});

test(`random texts for ${RANDOM_MS / 1000} s`, async (t) => {
  const failures = [];
  let count = 0;
  for (const until = Date.now() + RANDOM_MS; Date.now() < until; count++) {
    const seed = SEED * 1_000_000 + count;
    const random = new Random(seed);
    const { make, ...text } = randomText(random);
    const call = random.pick(Object.keys(CALLS));
    await checkScaling(`${call}, seed ${seed}, ${JSON.stringify(text)}`, (length) => CALLS[call](make(length))).catch(
      ({ message }) => failures.push(message),
    );
  }
  t.diagnostic(`${count} texts from seed ${SEED * 1_000_000}`);
  assert.deepEqual(failures, []);
});

/** @type {(count: number) => any[]} */
const ofOneId = (count) =>
  Array.from({ length: count / 4 }, (_, index) => [
    { role: "user", content: `Turn ${index}` },
    { role: "assistant", content: "", toolCalls: [{ id: "call", name: "look_up", arguments: "{}" }] },
    { role: "tool", toolCallId: "call", content: "4" },
    { role: "assistant", content: "Four." },
  ]).flat();
/** @type {(count: number) => any[]} */
const atOnce = (count) => [
  { role: "user", content: "Look everything up." },
  {
    role: "assistant",
    content: "",
    toolCalls: Array.from({ length: count / 2 }, () => ({ id: "call", name: "look_up", arguments: "{}" })),
  },
  ...Array.from({ length: count / 2 }, () => ({ role: "tool", toolCallId: "call", content: "4" })),
];

describe("time grows linearly with the number of messages", () => {
  for (const app of APP_FILES) {
    test(`in a ${app.kind}`, async () => {
      const texts = (length) => Array.from({ length: length / 100 }, (_, at) => `turn ${at}`);
      await checkScaling(app.kind, (length) => parseTranscript(appFile(app, texts(length))));
    });
  }
  for (const [name, make] of Object.entries({
    "calls that reuse one id": ofOneId,
    "calls of one id at once": atOnce,
  })) {
    for (const { name: provider } of providers) {
      test(`${name}, for ${provider}`, async () => {
        await checkScaling(name, (length) => requestOf(provider, make(length / 10)));
      });
    }
    test(`${name}, in a context`, async () => {
      await checkScaling(name, async (length) => {
        const transcript = createTranscript(make(length / 10));
        await buildContext(transcript, { ...config, budget: { maxTokens: 2000 } });
        transcript.free();
      });
    });
  }
});

/** A list of `count` objects. */
const many = (count, make) => Array.from({ length: count }, (_, at) => make(at));
const calls = (count, type = "tool_use") => many(count, (at) => ({ type, id: `c${at}`, name: "look_up", input: {} }));
const results = (count) => many(count, (at) => ({ type: "tool_result", tool_use_id: `c${at}`, content: "4" }));
const lines = (rows) => rows.map((row) => JSON.stringify(row)).join("\n");
const turnOf = (role, content, at) => ({
  ...{ type: role, uuid: `u${at}`, parentUuid: at === 0 ? null : `u${at - 1}`, sessionId: "s" },
  ...{ timestamp: new Date(START + at * 1000).toISOString(), message: { role, content } },
});

/**
 * Messages with one part of them many times.
 *
 * @type {Record<string, (count: number) => any[]>}
 */
const MANY = {
  "results in one message": (count) => [
    { role: "assistant", content: calls(count) },
    { role: "user", content: results(count) },
  ],
  "results next to words": (count) => [
    { role: "assistant", content: calls(count) },
    { role: "user", content: [...results(count), { type: "text", text: "And?" }] },
  ],
  "calls without a result, after a result without a call": (count) => [
    { role: "user", content: "Look it up." },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "gone", content: "4" }] },
    { role: "assistant", content: calls(count) },
    { role: "user", content: "And?" },
  ],
  "calls next to LangChain's content": (count) => [
    {
      type: "ai",
      content: calls(count),
      tool_calls: many(count, (at) => ({ id: `c${at}`, name: "look_up", args: {} })),
    },
  ],
  "calls without ids of LangChain's": (count) => [
    { type: "ai", content: "a", tool_calls: many(count, () => ({ name: "look_up", args: {} })) },
  ],
  "invalid calls of LangChain's": (count) => [
    {
      type: "ai",
      content: "a",
      invalid_tool_calls: many(count, (at) => ({ id: `c${at}`, name: "look_up", args: "{" })),
    },
  ],
  "summaries of one reasoning": (count) => [
    {
      type: "ai",
      content: [
        {
          type: "reasoning",
          id: "rs_1",
          encrypted_content: "Z0FB",
          summary: many(count, (at) => ({ text: `t${at}` })),
        },
        { type: "text", text: "a" },
      ],
    },
  ],
  "calls and responses of Gemini's": (count) => [
    { role: "model", parts: many(count, () => ({ functionCall: { name: "look_up", args: {} } })) },
    { role: "user", parts: many(count, () => ({ functionResponse: { name: "look_up", response: { output: "4" } } })) },
  ],
  images: (count) => [
    {
      role: "user",
      content: many(count, (at) => ({ type: "image_url", image_url: { url: `https://a.b/${at}.png` } })),
    },
  ],
};

/** Files with one part of them many times. */
const MANY_IN_FILES = {
  "rewinds of the Gemini CLI": (count) =>
    lines([
      { sessionId: "s", projectHash: "p" },
      ...many(count, (at) => ({ id: `m${at}`, type: "user", timestamp: "2026-01-05T09:00:00Z", content: "a" })),
      ...many(count, (at) => ({ $rewindTo: `m${count - 1 - at}` })),
    ]),
  "results in Claude Code's log": (count) =>
    lines([
      turnOf("user", "Look it up.", 0),
      turnOf("assistant", calls(count), 1),
      ...results(count).map((result, at) => ({ ...turnOf("user", [result], at + 2), parentUuid: "u1" })),
    ]),
  "calls in Claude's export": (count) =>
    JSON.stringify([
      { uuid: "c", chat_messages: [{ uuid: "m", sender: "assistant", content: [...calls(count), ...results(count)] }] },
    ]),
};

describe("time grows linearly with the number of parts", () => {
  /** The number of parts for a length. */
  const countOf = (length) => length / 25;
  for (const [at, [name, make]] of Object.entries(MANY).entries()) {
    test(`${name}, when it is read, built and sent`, async () => {
      await checkScaling(`${name}, read`, (length) => make(countOf(length)).map((message) => plainMessage(message)));
      const limits = { maxTokens: 3000, maxImages: 1, onRequiredOverflow: "shorten" };
      await checkScaling(`${name}, built`, (length) =>
        buildContext(make(countOf(length)), { ...config, encoding: "estimate", budget: limits }),
      );
      /** @type {Set<any>} */
      const sentTo = new Set(["bedrock", providers[at % providers.length].name]);
      for (const provider of sentTo) {
        await checkScaling(`${name}, for ${provider}`, (length) => requestOf(provider, make(countOf(length))));
      }
    });
  }
  for (const [name, make] of Object.entries(MANY_IN_FILES)) {
    test(name, async () => {
      const texts = new Map(many(2, (at) => [SHORT * TIMES ** at, make(countOf(SHORT * TIMES ** at))]));
      const textOf = (length) => {
        texts.set(length, texts.get(length) ?? make(countOf(length)));
        return texts.get(length);
      };
      await checkScaling(name, (length) => parseTranscript(textOf(length)));
    });
  }
});

/** Returns a copy of a value with another value at a path. */
function withValue(value, fullPath, change) {
  if (fullPath.length === 0) {
    return change(value);
  }
  const [name, ...path] = fullPath;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  copy[name] = withValue(value[name], path, change);
  return copy;
}

/** Returns the paths of all lists in a value. */
function listsIn(value, path = []) {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  const inside = Object.entries(value).flatMap(([name, field]) => listsIn(field, [...path, name]));
  return Array.isArray(value) && value.length > 0 ? [path, ...inside] : inside;
}

/** Returns a value with another ending of all its ids. */
function renamed(value, ending) {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return Array.isArray(value)
    ? value.map((item) => renamed(item, ending))
    : Object.fromEntries(
        Object.entries(value).map(([name, field]) => [
          name,
          typeof field === "string" && /(?:^|[a-z_])id$|I[dD]$/i.test(name) ? field + ending : renamed(field, ending),
        ]),
      );
}

test(`random lists in messages of all shapes, grown for ${RANDOM_MS / 2000} s`, async (t) => {
  const failures = [];
  let count = 0;
  for (const until = Date.now() + RANDOM_MS / 2; Date.now() < until; count++) {
    const seed = SEED * 1_000_000 + count;
    const random = new Random(seed);
    const name = random.pick(Object.keys(SHAPES));
    const { write, thoughtsOf, has } = SHAPES[name];
    const messages = JSON.parse(
      JSON.stringify(write(randomTurns(random, { thoughtsOf, has, mostTurns: 3 }).turns, random)),
    );
    const path = random.pick(listsIn(messages));
    const isRenamed = random.chance(0.7);
    const grown = (length) =>
      withValue(messages, path, (list) =>
        many(length / 25, (at) => {
          const item = list[at % list.length];
          return isRenamed ? renamed(item, `_${Math.floor(at / list.length)}`) : item;
        }),
      );
    const { name: provider } = random.pick(providers);
    const run = random.pick([
      (all) => all.map((message) => plainMessage(message)),
      (all) => buildContext(all, { ...config, encoding: "estimate" }),
      (all) => requestOf(provider, all),
    ]);
    const what = `seed ${seed}: ${name}, ${path.join(".")}, ${isRenamed ? "with own ids" : "the same"}`;
    await checkScaling(what, (length) => run(grown(length))).catch(({ message }) => failures.push(message));
  }
  t.diagnostic(`${count} lists from seed ${SEED * 1_000_000}`);
  assert.deepEqual(failures, []);
});

/** Makes a vocabulary, as the command line does, which has no other user. */
const { tokenizerVocabulary } = await (async () => {
  const file = fileURLToPath(new URL("../../pkg-template/src/vocabulary/tokenizer-json.ts", import.meta.url));
  const { outputFiles } = await build({ entryPoints: [file], bundle: true, format: "esm", write: false });
  return await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
})();

const LETTERS = (() => {
  let next = 0x100;
  const isSeen = (byte) => (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad);
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isSeen(byte) ? byte : next++));
})();
const QWEN =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

/** A tokenizer.json with merges. */
function tokenizerJson(merges, { ignoresMerges = false, patterns = [QWEN], others = [] } = {}) {
  const tokens = new Set([...LETTERS, ...merges.map((pair) => pair.join("")), ...others]);
  return JSON.stringify({
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        ...patterns.map((Regex) => ({ type: "Split", pattern: { Regex }, behavior: "Isolated" })),
        { type: "ByteLevel", add_prefix_space: false, use_regex: false },
      ],
    },
    model: {
      ...{ type: "BPE", ignore_merges: ignoresMerges, merges },
      vocab: Object.fromEntries([...tokens].map((token, id) => [token, id])),
    },
  });
}

/** The text of a number, as letters. */
const named = (at) => [...at.toString(2).padStart(18, "0")].map((digit) => (digit === "0" ? "x" : "y")).join("");
/** All merges that make the text of each number, from its beginning. */
const chainsOf = (count) => {
  const merges = new Map();
  for (const text of Array.from({ length: count }, (_, at) => named(at))) {
    for (let end = 2; end <= text.length; end++) {
      merges.set(text.slice(0, end), [text.slice(0, end - 1), text[end - 1]]);
    }
  }
  return [...merges.entries()].sort(([one], [other]) => one.length - other.length).map(([, pair]) => pair);
};

/** For each name, a tokenizer.json of a given length. */
const VOCABULARIES = {
  "many merges of one token": (length) => {
    const chains = chainsOf(length / 60);
    const whole = chains.map((pair) => pair.join(""));
    return tokenizerJson([...chains, ...whole.map((text) => [text, "!"]), ...whole.map((text) => ["!", text])]);
  },
  "one token after the other": (length) =>
    tokenizerJson(many(Math.min(length / 100, 100), (at) => ["a".repeat(at + 1), "a"])),
  "tokens that no merge makes": (length) =>
    tokenizerJson([], { ignoresMerges: true, others: many(length / 30, (at) => `!${named(at)}`) }),
  "unknown patterns": (length) => tokenizerJson([], { patterns: many(length / 100, () => "(a+)+b\n\r") }),
  "a merge that isn't in it": (length) => tokenizerJson(many(length / 20, (at) => [`${at}`, "q"])),
};

describe("time grows linearly with the length of a tokenizer.json", () => {
  for (const [name, make] of Object.entries(VOCABULARIES)) {
    test(name, async () => {
      const files = new Map();
      const fileOf = (length) => {
        files.set(length, files.get(length) ?? make(length));
        return files.get(length);
      };
      for (const times of [1, TIMES / 2, TIMES, TIMES * 2]) {
        fileOf(SHORT * times);
      }
      await checkScaling(name, (length) => tokenizerVocabulary(fileOf(length)));
    });
  }
  test("any text as a pattern, as a token and in a merge", async () => {
    for (const [name, make] of Object.entries(TEXTS)) {
      for (const fileOf of [
        (text) => tokenizerJson([], { patterns: [text] }),
        (text) => tokenizerJson([], { ignoresMerges: true, others: [text] }),
        (text) => tokenizerJson([[text, "a"]]),
      ]) {
        await checkScaling(name, (length) => tokenizerVocabulary(fileOf(make(length))));
      }
    }
  });
});

test("redaction searches a text of any length: no pattern exhausts the stack", () => {
  const long = (part) => part.repeat(8_000_000 / part.length);
  for (const text of [
    ...["1 ", "\n", "A", "b."].map(long),
    ...["\n", "A", "\\n"].map((part) => `-----BEGIN PRIVATE KEY-----${long(part)}`),
    ...["A", "\\n", '\\"'].map((part) => `{"a":"${long(part)}"}`),
    ...["Bearer ", "sk-", "data:a/b;base64,"].map((start) => start + long("A")),
  ]) {
    assert.equal(typeof redact.value(text), "string");
  }
});
