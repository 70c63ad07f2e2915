// The command line, run as a user runs it: which stream gets what, exit codes, and one line for each problem.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { buildContext, countTokens, problemsOf, providers, replay } from "windrow";
import { carryOn } from "windrow/files";

const program = fileURLToPath(new URL("../../../node_modules/.bin/windrow", import.meta.url));
let folder;

const messages = [
  { id: "a", role: "system", content: "Be brief." },
  { id: "b", role: "user", name: "Mara", content: "Where do we meet? </message>" },
  { id: "c", role: "assistant", content: "In the town hall, at noon, on the second floor, behind the library." },
  { id: "d", role: "user", content: "Thanks.", sessionId: "other" },
];

/** Three conversations. The newest is in the middle. */
const several = [
  { id: "a", title: "Rome", messages: [{ role: "user", content: "to Rome", createdAt: "2025-01-01T10:00:00Z" }] },
  { id: "b", messages: [{ role: "user", content: "to Oslo", createdAt: "2025-03-01T10:00:00Z" }] },
  { title: "Ghent", messages: [{ role: "user", content: "to Ghent", createdAt: "2025-02-01T10:00:00Z" }] },
];

before(() => {
  folder = mkdtempSync(join(tmpdir(), "windrow-command-line-"));
  mkdirSync(join(folder, "directory"));
  const files = {
    "list.json": JSON.stringify(messages),
    "lines.jsonl": messages.map((message) => JSON.stringify(message)).join("\r\n"),
    "whole.json": `\ufeff${JSON.stringify({ request: "And when?", messages }, null, 2)}`,
    "rows.json": JSON.stringify([
      ...messages,
      ...Array.from({ length: 14 }, (_, row) => ({ role: `r\u001b[31m${row}` })),
    ]),
    "long.jsonl": Array.from({ length: 30_000 }, (_, row) =>
      JSON.stringify({ role: "user", content: `message ${row}` }),
    ).join("\n"),
    "tools.json": JSON.stringify([
      { role: "user", name: "Ada", source: "mail", content: "What changed?" },
      {
        role: "assistant",
        toolCalls: ["mcp__git__log", "look"].map((name) => ({ id: name, name, arguments: '{"q":"all"}' })),
      },
      { role: "tool", toolCallId: "mcp__git__log", content: "Nine commits of the week before. ".repeat(4) },
      { role: "tool", toolCallId: "look", content: "Nothing." },
    ]),
    "cut.json": JSON.stringify(messages).slice(0, -20),
    "cut-object.json": JSON.stringify({ messages }, null, 2).slice(0, -5),
    "cut-lines.json": `{"messages": [\n${messages.map((message) => JSON.stringify(message)).join(",\n")}\n`,
    "prose.txt": "Dear all,\nthis is no conversation.\n",
    "empty.json": "",
    "blank.json": " \n\n",
    "nothing.json": "[]",
    "no-message.json": '{"settings": {"colour": "red"}}',
    "bad-rows.jsonl": '{"role":"bot"}\n{"content":"x"}',
    "ui-messages.jsonl": [
      '{"id":"1","role":"user","parts":[{"type":"text","text":"Where do we meet?"}]}',
      '{"id":"2","role":"assistant","parts":[{"type":"text","text":"In the hall."}]}',
    ].join("\n"),
    "gemini.json": '[{"role":"user","parts":[{"text":"Where?"}]},{"role":"model","parts":[{"text":"There."}]}]',
    "several.jsonl": several.map((conversation) => JSON.stringify(conversation)).join("\n"),
    "titles.jsonl": ["Trip", "Trip to Rome", "Trip to Oslo"]
      .map((title) => JSON.stringify({ title, messages: [{ role: "user", content: `say ${title.toLowerCase()}` }] }))
      .join("\n"),
    "many.jsonl": Array.from({ length: 30 }, (_, at) =>
      JSON.stringify({
        id: `c${at}`,
        title: `No.\u001b[31m ${at}`,
        messages: [{ role: "user", content: `say ${at}` }],
      }),
    ).join("\n"),
    "contents.jsonl":
      '{"role":"user","contents":"Where do we meet?"}\n{"role":"assistant","contents":"In the hall."}\n',
    "text.jsonl": '{"role":"user","text":"Where do we meet?"}\n{"role":"assistant","text":"In the hall."}\n',
    "one-foreign.jsonl": `${JSON.stringify(messages[1])}\n{"role":"assistant","body":[{"type":"text","text":"In the hall."}]}\n`,
    "not-utf8.json": Buffer.concat([
      Buffer.from('[{"role":"user","content":"caf'),
      Buffer.from([0xe9]),
      Buffer.from('"}]'),
    ]),
    "discord.json": JSON.stringify({
      ...{ guild: { id: "1", name: "Club" }, channel: { id: "2", name: "general" } },
      messages: [
        { id: "1", type: "Default", content: "Where do we meet?", author: { name: "ann", isBot: false } },
        { id: "2", type: "GuildMemberJoin", content: "Joined.", author: { name: "jo", isBot: false } },
      ],
    }),
    "chat.txt": "[01.06.26, 10:00:00] Ann: Where do we meet?\n[01.06.26, 10:01:00] Jo: In the hall.",
    "export.zip": Buffer.from([0x50, 0x4b, 3, 4, 0xff, 0xfe]),
    "utf16.json": Buffer.from(`\ufeff${JSON.stringify(messages)}`, "utf16le"),
    "utf16-big-endian.json": Buffer.from(`\ufeff${JSON.stringify(messages)}`, "utf16le").swap16(),
    "cut-utf16.json": Buffer.from(`\ufeff${JSON.stringify(messages)}`, "utf16le").subarray(0, -1),
  };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), content);
  }
});

after(() => rmSync(folder, { recursive: true }));

/**
 * Runs `windrow` with these arguments in the folder of the files.
 *
 * @param {string[]} commandLine
 * @param {{ input?: string | Uint8Array, env?: Record<string, string>, reader?: (child: any) => void }} [options]
 * @returns {Promise<any>}
 */
function windrow(commandLine, { input, env = {}, reader } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, commandLine, { cwd: folder, env: { ...process.env, NO_COLOR: "", ...env } });
    const output = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"]) {
      child[stream].setEncoding("utf8").on("data", (piece) => {
        output[stream] += piece;
      });
    }
    reader?.(child);
    child.on("error", reject);
    child.on("close", (exitCode, signal) => resolve({ ...output, exitCode, signal }));
    child.stdin.on("error", () => {}); // It may have exited before reading anything.
    child.stdin.end(input);
  });
}

async function succeeds(commandLine, options) {
  const result = await windrow(commandLine, options);
  assert.equal(result.exitCode, 0, result.stderr);
  return result;
}

async function isRefused(commandLine, pattern, options) {
  const { stdout, stderr, exitCode } = await windrow(commandLine, options);
  assert.equal(stdout, "");
  assert.match(stderr, /^windrow: [^\n]+\n$/, "one line");
  assert.match(stderr, pattern);
  assert.equal(exitCode, 2);
}

const request = "And when?";
const build = (config) => buildContext(messages, { request, ...config });

/** Asserts the command line's output for the list and the request. */
function buildsList(maxTokens, format) {
  return succeeds(["build", "list.json", "--request", request, "--max-tokens", String(maxTokens), "--format", format]);
}

describe("the context on standard output", () => {
  for (const format of ["text", "xml"]) {
    test(`as ${format}, same as the library`, async () => {
      const { text } = await build({ render: { format }, budget: { maxTokens: 60 } });
      const { stdout } = await buildsList(60, format);
      assert.equal(stdout, `${text}\n`);
    });
  }

  test("as text by default", async () => {
    const { stdout } = await succeeds(["build", "list.json", `--request=${request}`]);
    assert.equal(stdout, `${(await build({ render: { format: "text" } })).text}\n`);
  });

  test("as messages: a JSON list", async () => {
    const { stdout } = await buildsList(30, "messages");
    const context = await build({ budget: { maxTokens: 30 } });
    assert.deepEqual(JSON.parse(stdout), context.messages);
    assert.ok(countTokens(JSON.parse(stdout)).tokens <= 30);
    assert.match(stdout, /^\[\n {2}\{/);
  });

  test("as json: complete, and replayable", async () => {
    const { stdout } = await buildsList(30, "json");
    const shown = JSON.parse(stdout);
    const context = await build({ budget: { maxTokens: 30 } });
    assert.deepEqual(Object.keys(shown), ["messages", "tokens", "trimmed", "trace", "snapshot", "recording"]);
    for (const name of ["messages", "tokens", "trimmed", "trace"]) {
      assert.deepEqual(shown[name], context[name]);
    }
    assert.equal(shown.snapshot.contextHash, context.snapshot.contextHash);
    assert.equal((await replay(shown.recording, messages)).same, true);
  });

  test("from lines, from an object with its own request, and from standard input", async () => {
    const { stdout } = await succeeds(["build", "list.json", "--request", request]);
    assert.equal((await succeeds(["build", "lines.jsonl", "--request", request])).stdout, stdout);
    assert.equal((await succeeds(["build", "whole.json"])).stdout, stdout);
    assert.notEqual((await succeeds(["build", "whole.json", "--request", "Other?"])).stdout, stdout);
    const input = readFileSync(join(folder, "whole.json"));
    const piped = await succeeds(["build", "-"], { input });
    assert.equal(piped.stdout, stdout);
    assert.match(piped.stderr, /^standard input: 4 messages read\n/);
  });

  test("options reach the build", async () => {
    /** @type {[given: string[], config: import("windrow").ContextConfig][]} */
    const cases = [
      [["--last", "1"], { window: { lookbackCount: 1 } }],
      [["--last=0"], { window: { lookbackCount: 0 } }],
      [["--session", "main"], { sessionId: "main" }],
      [["--model", "gpt-4"], { model: "gpt-4" }],
      [["--encoding", "cl100k_base"], { encoding: "cl100k_base" }],
      [["--encoding", "estimate"], { encoding: "estimate" }],
    ];
    for (const [given, config] of cases) {
      const { stdout } = await succeeds(["build", "list.json", "--request", request, "--format", "json", ...given]);
      assert.equal(
        JSON.parse(stdout).snapshot.contextHash,
        (await build(config)).snapshot.contextHash,
        given.join(" "),
      );
    }
  });

  test("a request may begin with a dash, and so may a file's name after --", async () => {
    assert.match((await succeeds(["build", "list.json", "--request", "-5 degrees?"])).stdout, /-5 degrees\?\n$/);
    assert.match((await succeeds(["build", "--request", "Now?", "--", "list.json"])).stdout, /Now\?\n$/);
  });
});

describe("the summary on standard error", () => {
  test("reports which messages were read, kept and left out, and why, with counts and tokens", async () => {
    const { stderr } = await buildsList(30, "messages");
    const { tokens, snapshot } = await build({ budget: { maxTokens: 30 } });
    assert.match(stderr, /^list\.json: 4 messages read\nKept: 2 messages\n/);
    assert.match(stderr, /\n {2}1 message \(\d+ tokens\): one of the instructions/);
    assert.match(stderr, /\nLeft out: 2 messages\n {2}2 messages: no room left in the budget/);
    assert.ok(
      stderr.includes(`Tokens: ${tokens.total} of 30 (${tokens.words}): format 3, tools 0, instructions `),
      stderr,
    );
    assert.ok(stderr.endsWith(`Hash: ${snapshot.contextHash}\n`));
    assert.ok(!stderr.includes("\u001b"), "no colors outside of a terminal");
  });

  test("reports the cost of each tool, server and speaker", async () => {
    const { stderr } = await succeeds(["build", "tools.json"]);
    const costs = "\\d+ \\(definition 0, calls \\d+, results \\d+\\)";
    assert.match(stderr, new RegExp(`\\n {2}by tool: mcp__git__log ${costs}, look ${costs}\\n`));
    assert.match(stderr, new RegExp(`\\n {2}by MCP server: git ${costs}\\n`));
    assert.match(
      stderr,
      /\n {2}by source: none \d+, mail \d+\n {2}by speaker: tool mcp__git__log \d+, assistant \d+, user Ada \d+, tool look /,
    );
    const plain = await buildsList(30, "messages");
    assert.ok(!plain.stderr.includes("by tool") && !plain.stderr.includes("by source"), plain.stderr);
  });

  test("reports an estimate, and a missing limit", async () => {
    const { stderr } = await succeeds(["build", "list.json", "--model", "unknown"]);
    assert.match(stderr, /Tokens: \d+, no limit \(an estimate: the encoding of unknown is not known; unverified\)/);
  });

  test("names the first skipped rows, and counts the others", async () => {
    const { stderr } = await succeeds(["build", "rows.json"]);
    assert.match(stderr, /Skipped 14 rows that could not be read:\n {2}row 5: .*unknown role/);
    assert.equal(stderr.match(/^ {2}row \d+: /gm).length, 10);
    assert.match(stderr, /\n {2}\+4 more\n/);
    assert.ok(!stderr.includes("\u001b"), "a file can't send control sequences to the terminal");
  });
});

test("a file in UTF-16 is read like the same file in UTF-8", async () => {
  const { stdout } = await succeeds(["build", "list.json", "--request", request]);
  for (const file of ["utf16.json", "utf16-big-endian.json"]) {
    assert.equal((await succeeds(["build", file, "--request", request])).stdout, stdout, file);
  }
});

describe("a problem with the file is reported in one line with exit code 2", () => {
  /** @type {[file: string, pattern: RegExp][]} */
  const cases = [
    ["missing.json", /missing\.json: no such file/],
    ["list.json/missing.json", /no such file/],
    ["directory", /directory: is a directory/],
    ["not-utf8.json", /not text in UTF-8/],
    ["cut-utf16.json", /not text in UTF-8 or UTF-16/],
    ["export.zip", /export\.zip: the file is an archive: pass a file inside it/],
    ["cut.json", /cut\.json: not a conversation/],
    ["cut-object.json", /cut-object\.json: not a conversation/],
    ["cut-lines.json", /cut-lines\.json: not a conversation/],
    ["prose.txt", /not a conversation/],
    ["empty.json", /is empty/],
    ["blank.json", /is empty/],
    ["nothing.json", /no messages found/],
    ["no-message.json", /looks like an object with "settings"; .*Map its messages to \{ role, /],
    ["bad-rows.jsonl", /no messages found \(row 1: .*unknown role "bot"\)/],
  ];
  for (const [file, pattern] of cases) {
    test(file, () => isRefused(["build", file, "--request", request, "--max-tokens", "50"], pattern));
  }

  test("standard input too", async () => {
    await isRefused(["build", "-"], /standard input: is empty/, { input: "" });
    await isRefused(["build", "-"], /standard input: not a conversation/, { input: "hello" });
  });
});

describe("a file of several conversations", () => {
  const build = (...more) => succeeds(["build", "several.jsonl", ...more]);

  test("uses the newest, and lists the others", async () => {
    const { stdout, stderr } = await build();
    assert.equal(stdout, "User: to Oslo\n");
    assert.match(
      stderr,
      /^several\.jsonl: 1 message read\n3 conversations: 2: b, 2025-03-01\nOthers, with --conversation:\n {2}3: “Ghent”, 2025-02-01\n {2}1: “Rome”, a, 2025-01-01\nKept: /,
    );
  });

  test("uses the conversation with this id or number", async () => {
    for (const named of ["1", "a"]) {
      assert.equal((await build("--conversation", named)).stdout, "User: to Rome\n");
    }
    assert.equal((await build("--conversation", "#3")).stdout, "User: to Ghent\n");
  });

  test("uses the conversation with this title, or with these words in the title", async () => {
    for (const named of ["Rome", "rome", " ROM"]) {
      assert.equal((await build("--conversation", named)).stdout, "User: to Rome\n", named);
    }
    const exact = await succeeds(["build", "titles.jsonl", "--conversation", "trip"]);
    assert.equal(exact.stdout, "User: say trip\n", "the whole title first");
    const { stdout, stderr, exitCode } = await windrow(["build", "titles.jsonl", "--conversation", "Trip to"]);
    assert.deepEqual([stdout, exitCode], ["", 2]);
    assert.equal(
      stderr,
      'windrow: titles.jsonl: 2 conversations have "Trip to" in the title\n' +
        "Pass more of the title, or the number: 3: “Trip to Oslo”; 2: “Trip to Rome”.\n",
    );
  });

  test("uses all, oldest first", async () => {
    const { stdout, stderr } = await build("--conversation", "all");
    assert.equal(stdout, "User: to Rome\nUser: to Ghent\nUser: to Oslo\n");
    assert.match(stderr, /^several\.jsonl: 3 messages read\n3 conversations: all of them\nKept: /);
  });

  test("lists the newest of many, and counts the others", async () => {
    const { stderr } = await succeeds(["build", "many.jsonl"]);
    assert.match(stderr, /\n30 conversations: 30: “No\. \[31m 29”, c29\nOthers/);
    assert.equal(stderr.match(/^ {2}\d+: “/gm).length, 10);
    assert.match(stderr, /\n {2}\+19 more\n/);
    assert.ok(!stderr.includes("\u001b"), "a file can't send control sequences to the terminal");
  });

  test("refuses an unknown one, and lists those that exist", async () => {
    /** @type {[file: string, wrong: string, there: RegExp][]} */
    const cases = [
      [
        "several.jsonl",
        "4",
        /^It has 3 conversations: 2: b, 2025-03-01; 3: “Ghent”, 2025-02-01; 1: “Rome”, a, 2025-01-01\.$/,
      ],
      ["list.json", "b", /^It has 1 conversation: 1: without a title\.$/],
    ];
    for (const [file, wrong, there] of cases) {
      const { stdout, stderr, exitCode } = await windrow(["build", file, "--conversation", wrong]);
      assert.deepEqual([stdout, exitCode], ["", 2]);
      const [problem, advice, ...rest] = stderr.split("\n");
      assert.equal(problem, `windrow: ${file}: no conversation "${wrong}" found`);
      assert.match(advice, there);
      assert.deepEqual(rest, [""]);
    }
    await succeeds(["build", "list.json", "--conversation", "1"]);
  });

  test("is replayed from the conversation that it was built from", async () => {
    await build("--conversation", "a", "--recording", "several-recording.jsonl");
    const { stdout } = await succeeds(["replay", "several-recording.jsonl", "several.jsonl", "--conversation", "a"]);
    assert.match(stdout, /^1: same, ctx_/);
    const other = await windrow(["replay", "several-recording.jsonl", "several.jsonl"]);
    assert.equal(other.exitCode, 1);
    await isRefused(["replay", "several-recording.jsonl", "several.jsonl", "--last", "1"], /--last is an option of/);
  });
});

describe("a file of messages in another format is read", () => {
  for (const [file, asked, said] of [
    ["ui-messages.jsonl", "Where do we meet?", "In the hall."],
    ["gemini.json", "Where?", "There."],
  ]) {
    test(file, async () => {
      const { stdout, stderr } = await succeeds(["build", file, "--request", request]);
      assert.equal(stdout, `User: ${asked}\nAssistant: ${said}\nUser: ${request}\n`);
      assert.doesNotMatch(stderr, /Skipped/);
      const list = await succeeds(["build", file, "--request", request, "--format", "messages"]);
      assert.ok(JSON.parse(list.stdout)[0].parts[0].text.startsWith("Where"), "as it was");
    });
  }
});

describe("a file in no known format exits with code 2 and an error that describes its content", () => {
  /** @type {[file: string, problem: RegExp][]} */
  const cases = [
    ["contents.jsonl", /row 1: contents: the text of the message is in `contents`, which windrow doesn't read/],
    ["text.jsonl", /row 1: text: the text of the message is in `text`, which windrow doesn't read/],
  ];
  for (const [file, problem] of cases) {
    for (const preset of [[], ["--preset", "turns"]]) {
      test([file, ...preset, "is exit code 2, and says what stands where"].join(" "), async () => {
        const { stdout, stderr, exitCode } = await windrow(["build", file, "--request", request, ...preset]);
        assert.equal(exitCode, 2);
        assert.equal(stdout, "");
        const [first, second] = stderr.trimEnd().split("\n");
        assert.ok(first.startsWith(`windrow: ${file}: no messages found (`), first);
        assert.match(first, problem);
        assert.equal(second, undefined);
      });
    }
  }

  test("if some messages are readable, the context is built, and the last line and exit code 3 report that it is partial", async () => {
    const { stdout, stderr, exitCode } = await windrow(["build", "one-foreign.jsonl", "--max-tokens", "50"]);
    assert.equal(exitCode, 3);
    assert.match(
      stderr,
      /\nwindrow: one-foreign\.jsonl: the context has only part of the conversation: 1 row that looks like a message .* row 2: .*\n$/,
    );
    assert.match(stdout, /Where do we meet/);
    assert.match(stderr, /Skipped 1 row that could not be read:\n +row 2: body: /);
  });
});

describe("a problem with the command line is reported in one line with exit code 2", () => {
  /** @type {[commandLine: string[], pattern: RegExp][]} */
  const cases = [
    [["--max-tokens", "5"], /no command was named; see windrow --help/],
    [["biuld", "list.json"], /unknown command "biuld"; did you mean build\?/],
    [["list.json"], /unknown command "list\.json"/],
    [["build"], /needs a file/],
    [["build", "list.json", "lines.jsonl"], /one file at a time/],
    [["build", "list.json", "--max-token", "5"], /unknown option "--max-token"; did you mean --max-tokens\?/],
    [["build", "list.json", "--maxTokens=5"], /did you mean --max-tokens\?/],
    [["build", "list.json", "--reqest", "x"], /did you mean --request\?/],
    [["build", "list.json", "--colour"], /unknown option "--colour"; see windrow --help/],
    [["build", "list.json", "-x"], /unknown option "-x"/],
    [["build", "list.json", "--max-tokens"], /--max-tokens needs a value/],
    [["build", "list.json", "--request", "--format", "xml"], /--request needs a value/],
    [["build", "list.json", "--help=no"], /--help takes no value/],
    [["build", "list.json", "--last", "1", "--last", "2"], /--last was passed twice/],
    [
      ["build", "list.json", "--format", "xlm"],
      /--format is one of text, messages, xml, conversations, json, not "xlm"; did you mean xml\?/,
    ],
    [["build", "list.json", "--encoding", "o200kbase"], /did you mean o200k_base\?/],
    [["build", "list.json", "--endpoint", "http://a/v1"], /--endpoint is an option of windrow studio/],
    ...["127.0.0.1:11434", "file:///v1", "http://a;b/v1", "http://[::1]/v1"].map(
      /** @returns {[string[], RegExp]} */ (value) => [
        ["studio", "--endpoint", value],
        /--endpoint must be an address such as/,
      ],
    ),
    ...["-5", "1.5", "many", "", "1e3", "0x10", "99999999999999999999", "NaN"].map(
      /** @returns {[string[], RegExp]} */ (value) => [
        ["build", "list.json", "--max-tokens", value],
        /--max-tokens must be an integer of 0 or more; got/,
      ],
    ),
  ];
  for (const [commandLine, pattern] of cases) {
    test(commandLine.join(" ") || "nothing", () => isRefused(commandLine, pattern));
  }
});

test("a context that can't be built exits with code 1 and a next step", async () => {
  const { stdout, stderr, exitCode } = await windrow(["build", "list.json", "--request", request, "--max-tokens", "5"]);
  assert.equal(exitCode, 1);
  assert.equal(stdout, "");
  const [problem, advice, ...rest] = stderr.split("\n");
  assert.match(problem, /^windrow: .* need (\d+) tokens, but the budget has 5$/);
  const needed = /need (\d+)/.exec(problem)[1];
  assert.match(advice, new RegExp(`--max-tokens ${needed}`));
  assert.deepEqual(rest, [""]);
  await succeeds(["build", "list.json", "--request", request, "--max-tokens", needed]);
});

test("help and version go to standard output, and so does the help without arguments", async () => {
  const { stdout, stderr } = await succeeds(["--help"]);
  assert.equal((await succeeds([])).stdout, stdout);
  assert.equal(stderr, "");
  for (const option of [
    "request",
    "max-tokens",
    "format",
    "last",
    "session",
    "conversation",
    "model",
    "encoding",
    "help",
    "version",
  ]) {
    assert.ok(stdout.includes(`--${option}`), option);
  }
  assert.ok(stdout.split("\n").every((line) => line.length <= 100));
  assert.equal((await succeeds(["build", "-h"])).stdout, stdout);
  const { version } = JSON.parse(readFileSync(new URL("../../../pkg-template/package.json", import.meta.url), "utf8"));
  assert.equal((await succeeds(["--version"])).stdout, `${version}\n`);
});

describe("a reader that closes the pipe", () => {
  test("of the context, as with | head, isn't an error", async () => {
    const { stdout, stderr, exitCode } = await windrow(["build", "long.jsonl"], {
      reader: (child) => child.stdout.once("data", () => child.stdout.destroy()),
    });
    assert.ok(stdout.startsWith("User: message 0\n") && stdout.length < 300_000);
    assert.doesNotMatch(stderr, /EPIPE|Error|^ {4}at /m);
    assert.match(stderr, /30000 messages read/);
    assert.equal(exitCode, 0);
  });

  test("of the summary isn't one either", async () => {
    const { stdout, exitCode } = await windrow(["build", "list.json"], { reader: (child) => child.stderr.destroy() });
    assert.match(stdout, /^System: Be brief\.\n/);
    assert.equal(exitCode, 0);
  });
});

describe("--as", () => {
  test("writes the same body as the package makes from a session, for every provider", async () => {
    for (const { name } of providers) {
      const { stdout } = await succeeds(["build", "list.json", "--as", name, "--max-tokens", "500"]);
      const { body } = await carryOn(JSON.stringify(messages), { as: name, budget: { maxTokens: 500 } });
      assert.deepEqual(JSON.parse(stdout), JSON.parse(JSON.stringify(body)));
      assert.deepEqual(problemsOf(name, JSON.parse(stdout)), []);
    }
  });

  test("reads files of other apps, and reports the parts it doesn't read", async () => {
    const { stdout, stderr } = await succeeds(["build", "discord.json", "--as", "openai"]);
    assert.match(stdout, /Where do we meet\?/);
    assert.match(stderr, /row 2: GuildMemberJoin: a notice/);
    assert.match((await succeeds(["build", "chat.txt", "--as", "gemini"])).stdout, /In the hall\./);
  });

  test("accepts only known providers, and needs no format", async () => {
    await isRefused(["build", "list.json", "--as", "openapi"], /--as is one of openai, .*; did you mean openai\?/);
    await isRefused(["build", "list.json", "--as", "openai", "--format", "xml"], /--as writes the body of a request/);
  });
});

/**
 * Runs `windrow` on a pseudo-terminal, and returns everything that it writes there.
 *
 * @param {string[]} commandLine
 * @returns {Promise<{ said: string, exitCode: number }>}
 */
function onTerminal(commandLine) {
  const code = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
  return new Promise((resolve, reject) => {
    const child = spawn("python3", ["-c", code, process.execPath, program, ...commandLine], {
      cwd: folder,
      env: { ...process.env, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (piece) => {
      said += piece;
    });
    child.on("error", reject);
    child.on("close", (exitCode) => resolve({ said, exitCode }));
  });
}

describe("the progress of a step that takes more than a second", () => {
  // Large enough to take seconds, as a list of conversations and as lines.
  const text = "We meet at noon in the town hall, on the second floor, next to the library. ".repeat(4);
  const messagesOf = (conversation) =>
    Array.from({ length: 100 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: `${conversation}.${at}: ${text}`,
      createdAt: new Date(Date.UTC(2025, 0, 1) + conversation * 1e7 + at * 1e3).toISOString(),
    }));

  before(() => {
    const all = Array.from({ length: 2500 }, (_, at) => ({ id: `c${at}`, messages: messagesOf(at) }));
    writeFileSync(join(folder, "large.json"), JSON.stringify(all));
    const lines = all.flatMap(({ messages }) => messages.map((message) => JSON.stringify(message)));
    writeFileSync(join(folder, "large.jsonl"), lines.join("\n"));
  });

  for (const file of ["large.json", "large.jsonl"]) {
    test(`is a bar with an estimate on a terminal, and nothing of it stays: ${file}`, async () => {
      const { said, exitCode } = await onTerminal(["build", file, "--max-tokens", "300"]);
      assert.equal(exitCode, 0, said);
      const drawn = said.split("\r\u001b[2K");
      const bars = drawn.filter((line) => /^Reading large\.jsonl? █*░* \d+ %, about \d+ s left$/.test(line));
      assert.ok(bars.length >= 3, JSON.stringify(drawn.slice(0, 20)));
      const percents = bars.map((line) => Number(/(\d+) %/.exec(line)?.[1]));
      assert.deepEqual(
        percents,
        [...percents].sort((left, right) => left - right),
        "it only grows",
      );
      assert.ok((percents.at(-1) ?? 0) > 50, String(percents));
      const last = drawn.at(-1) ?? "";
      assert.ok(!/[█░]|Reading|Building/.test(last), "the context and the summary are on clear lines");
      assert.match(last, /Hash: ctx_/);
    });
  }

  test("isn't in a pipe, and a short step has none", async () => {
    const { stdout, stderr } = await succeeds(["build", "large.json", "--max-tokens", "300"]);
    assert.ok(!["█", "░", "\r", "\u001b"].some((drawn) => (stdout + stderr).includes(drawn)), stderr);
    const { said } = await onTerminal(["build", "list.json", "--max-tokens", "60"]);
    assert.ok(!["█", "░", "\u001b"].some((drawn) => said.includes(drawn)), said);
  });
});
