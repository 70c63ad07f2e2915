// Recordings: a context can be rebuilt, and its hash proves that it is the same.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { buildContext, buildContextSync, createTranscript, loadEncoding, presets, replay } from "windrow";
import { checkContextError, errorOf, wrong } from "../support/errors.mjs";
import { assertShare, forEachSeed, forEachSeedAsync } from "../support/property.mjs";
import { Random, randomConfig, randomMessage, randomTranscript } from "../support/random.mjs";
import { tryBuild } from "../support/transcripts.mjs";

before(() => Promise.all([loadEncoding("o200k_base"), loadEncoding("cl100k_base")]));

const throughJson = (value) => JSON.parse(JSON.stringify(value));
const user = (content, more) => ({ role: "user", content, ...more });
const messages = [user("one", { id: "a" }), user("two"), user("three")];
const config = { request: "And?", budget: { maxTokens: 25 }, now: 0 };

describe("replay", () => {
  test("returns the same context from a recording that was JSON: for random transcripts and configs", async () => {
    let count = 0;
    const cases = await forEachSeedAsync(async (random) => {
      const transcript = randomTranscript(random);
      const context = tryBuild(transcript, randomConfig(random));
      if (context === undefined) {
        return;
      }
      count += 1;
      assert.deepEqual(throughJson(context.recording), context.recording);
      const source = random.pick([transcript, structuredClone(transcript), createTranscript(transcript)]);
      const again = await replay(throughJson(context.recording), source);
      assert.deepEqual([again.same, again.differences], [true, []]);
      assert.equal(again.context.text, context.text);
      assert.deepEqual(again.context.messages, context.messages);
      assert.deepEqual(again.context.trace, context.trace);
      assert.deepEqual(again.context.snapshot, context.snapshot);
    });
    assertShare(count, cases, 2, "were built");
  });

  test("ignores messages appended since", async () => {
    const transcript = createTranscript(messages);
    const { recording } = buildContextSync(transcript, config);
    transcript.append([user("four"), user("five", { pinned: true })]);
    assert.equal((await replay(recording, transcript)).same, true);
    const { context } = await replay(recording, [...messages, user("four")]);
    assert.equal(context.recording.transcript.length, 3);
    assert.throws(() => context.explain(3), { code: "INVALID_TRANSCRIPT" });
  });

  test("uses the recorded clock and turn, even if the clock was the host's", async () => {
    const { recording, snapshot } = buildContextSync(messages);
    const again = await replay(throughJson(recording), messages);
    assert.equal(again.context.snapshot.timestampMs, snapshot.timestampMs);
    assert.equal(again.context.snapshot.turnId, snapshot.turnId);
  });

  test("a request message is recorded with all its fields", async () => {
    const request = user("And?", { name: "Mara", replyTo: "a", metadata: { client: 3 } });
    const { recording } = buildContextSync(messages, { ...config, request });
    assert.deepEqual(throughJson(recording).request, request);
    const again = await replay(throughJson(recording), messages);
    assert.equal(again.same, true);
    assert.deepEqual(again.context.messages.at(-1), request);
  });

  test("a request's fields that no JSON can hold aren't recorded", async () => {
    let deep = /** @type {any} */ ({});
    for (let level = 0; level < 20_000; level++) {
      deep = { a: deep };
    }
    const around = /** @type {any} */ ({});
    around.self = around;
    const holes = /** @type {any[]} */ ([]);
    holes.length = 5;
    for (const value of [deep, around, 5n, holes, { inside: [deep] }]) {
      const request = user("And?", { metadata: value });
      const { recording, messages: sent } = buildContextSync(messages, { ...config, request });
      assert.equal(sent.at(-1), request);
      const again = await replay(throughJson(recording), messages);
      assert.equal(again.same, true);
    }
  });

  test("reports differences", async () => {
    const { recording } = buildContextSync(messages, { ...config, budget: { maxTokens: 100 } });
    const kinds = async (transcript, changed = recording) => {
      const { same, differences } = await replay(changed, transcript);
      for (const { kind, recorded, found } of differences) {
        assert.notEqual(recorded, found, kind);
      }
      return [same, differences.map((difference) => difference.kind)];
    };
    const edited = messages.with(1, user("other"));
    assert.deepEqual(await kinds(edited), [false, ["transcript_changed", "context_changed"]]);
    assert.deepEqual(await kinds(messages.slice(0, 2)), [false, ["transcript_shorter", "context_changed"]]);
    assert.deepEqual(await kinds([]), [false, ["transcript_shorter", "context_changed"]]);
    const relabelled = [{ ...messages[0], id: "b" }, ...messages.slice(1)];
    assert.deepEqual(await kinds(relabelled), [true, ["transcript_changed"]], "an id isn't part of the context");
    assert.deepEqual(await kinds(messages, { ...recording, engineVersion: "0.0.1" }), [true, ["engine_changed"]]);
    assert.deepEqual(await kinds(messages, { ...recording, contextHash: "ctx_0" }), [false, ["context_changed"]]);
    const smaller = { ...recording, config: { ...recording.config, budget: { maxTokens: 20 } } };
    assert.deepEqual(await kinds(messages, smaller), [false, ["context_changed"]]);
  });

  test("a damaged recording is refused", async () => {
    const { recording } = buildContextSync(messages, config);
    const without = (name) => Object.fromEntries(Object.entries(recording).filter(([key]) => key !== name));
    for (const damaged of /** @type {any[]} */ ([
      undefined,
      null,
      5,
      "text",
      [],
      {},
      { ...recording, formatVersion: 2 },
      { ...recording, formatVersion: "1" },
      { ...recording, config: null },
      { ...recording, config: "text" },
      { ...recording, transcript: null },
      { ...recording, transcript: { length: "3", digest: recording.transcript.digest } },
      { ...recording, transcript: { length: -1, digest: recording.transcript.digest } },
      { ...recording, transcript: { length: 1.5, digest: recording.transcript.digest } },
      { ...recording, transcript: { length: 3 } },
      { ...recording, contextHash: 5 },
      { ...recording, now: "text" },
      { ...recording, now: Number.NaN },
      { ...recording, request: 5 },
      { ...recording, engineVersion: 1 },
      ...["formatVersion", "engineVersion", "config", "now", "transcript", "contextHash"].map(without),
      ...["zoneOffsets", "hooks", "answers", "largeAnswers"].map(without),
      { ...recording, zoneOffsets: [[0]] },
      { ...recording, zoneOffsets: [["0", 60]] },
      { ...recording, hooks: ["triage.choose"] },
      { ...recording, answers: [{}] },
      { ...recording, answers: [{ hook: "triage.select", outcome: "perhaps" }] },
      { ...recording, largeAnswers: { hash: null } },
      { ...recording, transcript: { ...recording.transcript, marks: [["1", "x"]] } },
      { ...recording, transcript: { ...recording.transcript, marks: 5 } },
      { ...recording, config: { ...recording.config, colour: "red" } },
      { ...recording, config: { ...recording.config, budget: { maxTokens: -1 } } },
    ])) {
      const error = await errorOf(() => replay(damaged, messages));
      checkContextError(error, { code: "INVALID_RECORDING" });
    }
    checkContextError(await errorOf(() => replay(recording, wrong("text"))), { code: "INVALID_TRANSCRIPT" });
    assert.equal((await replay(recording, messages)).same, true);
  });
});

const NOW = Date.UTC(2025, 2, 30, 12);

/**
 * Hooks that answer at random, and count how often they were asked.
 *
 * @returns {import("windrow").ContextConfig<any>}
 */
function randomHooks(random, asked) {
  const outcome = (answer) => {
    asked.count += 1;
    return random.pick([answer, answer, answer, () => null, () => "nonsense", () => Promise.reject(new Error("no"))])();
  };
  const some = (list) => list.filter(() => random.chance(0.5));
  const triage = random.pick([
    undefined,
    { select: ({ candidates }) => outcome(() => some(candidates)) },
    { complete: () => outcome(() => JSON.stringify({ relevant_ids: some([0, 1, 2, 3, 4, 5, 99, 1]) })) },
  ]);
  const search = () => outcome(() => Array.from({ length: random.integer(0, 9) }, () => random.text(40)));
  const summarize = ({ conversations }) => outcome(() => conversations.map(() => random.pick([null, random.text(12)])));
  const countTokens = (texts) => {
    asked.count += 1;
    return texts.map((text) => text.length % 50);
  };
  return {
    triage: { alwaysIncludeRecent: random.integer(0, 4), skipSelectionThreshold: 1, ...triage },
    recall: random.chance(0.5) ? { search } : {},
    tiers: { enabled: random.chance(0.5), ...(random.chance(0.7) ? { summarize } : {}) },
    ...(random.chance(0.2) ? { countTokens } : {}),
    sections: [
      { id: "recall", kind: "recall" },
      { id: "history", kind: "history" },
      { id: "request", kind: "request" },
    ],
  };
}

describe("a replay of a build with hooks", () => {
  /** Checks the property for one transcript, config and series of answers. */
  async function builtAndReplayed(random) {
    const asked = { count: 0 };
    const transcript = randomTranscript(random, { mostMessages: 40 });
    const { budget, ...options } = randomConfig(random);
    const hooks = randomHooks(random, asked);
    /** @type {import("windrow").ContextConfig<any>} */
    const config = {
      ...options,
      ...hooks,
      now: NOW,
      timeZone: random.pick([undefined, "Europe/Berlin", "America/New_York"]),
      request: random.text(6) || "And when?",
    };
    const context = await buildContext(transcript, config);
    assert.deepEqual(throughJson(context.recording), context.recording);
    const count = asked.count;
    const again = await replay(throughJson(context.recording), structuredClone(transcript));
    assert.equal(asked.count, count, "no hook is called");
    assert.deepEqual([again.same, again.differences], [true, []]);
    assert.equal(again.context.text, context.text);
    assert.deepEqual(again.context.messages, context.messages);
    assert.deepEqual(again.context.trace, context.trace);
    assert.deepEqual(again.context.sections, context.sections);
    assert.deepEqual(again.context.snapshot, context.snapshot);
    assert.deepEqual(again.context.recording, context.recording);
    return { transcript, config, context, count };
  }

  test("returns the same context without calling a hook: for random transcripts, configs and answers", async () => {
    let asked = 0;
    let large = 0;
    const cases = await forEachSeedAsync(async (random) => {
      const { context, count } = await builtAndReplayed(random);
      asked += count;
      large += Object.keys(context.recording.largeAnswers).length;
      assert.equal(context.recording.answers.length, count);
    });
    assertShare(asked, cases, 2, "asked a hook");
    assertShare(large, cases, 50, "had a large answer");
  });

  test("is the same if an answer says the same in another form, and different otherwise", async () => {
    const transcript = Array.from({ length: 12 }, (_, position) => user(`text ${position}`, { id: `m${position}` }));
    const hashOf = async (answer) => {
      const context = await buildContext(transcript, { request: "And?", now: 0, triage: { select: () => answer } });
      return context.snapshot.contextHash;
    };
    const expected = await hashOf(["m1", "m2"]);
    for (const same of [
      ["m2", "m1"],
      new Set(["m1", "m2"]),
      ["m1", "m1", "m2", "nobody", null],
      [transcript[1], "m2"],
    ]) {
      assert.equal(await hashOf(same), expected);
    }
    for (const other of [["m1"], ["m1", "m2", "m3"], []]) {
      assert.notEqual(await hashOf(other), expected);
    }
  });

  const transcript = Array.from({ length: 12 }, (_, position) => user(`text ${position}`, { id: `m${position}` }));
  const build = (more) => buildContext(transcript, { request: "And?", now: NOW, ...more });
  const isRefused = async (recording, message, messages = transcript) => {
    const error = await errorOf(() => replay(recording, messages));
    checkContextError(error, { code: "INVALID_RECORDING", message });
  };

  test("needs the recorded answers", async () => {
    const { recording } = await build({ triage: { select: () => ["m1"] } });
    assert.equal((await replay(recording, transcript)).same, true);
    await isRefused({ ...recording, answers: [] }, /the build asks triage\.select, and no further answer was recorded/);
    const other = { hook: "recall.search", outcome: "given", items: [] };
    await isRefused({ ...recording, answers: [other] }, /an answer of recall\.search was recorded/);
    await isRefused({ ...recording, answers: [{ hash: "0123" }] }, /no answer with the hash "0123"/);
    await isRefused({ ...recording, answers: [{ hook: "triage.select", outcome: "given" }] }, /doesn't fit/);
    await isRefused({ ...recording, answers: [{ hook: "triage.select", outcome: "given", ids: 5 }] }, /doesn't fit/);
    /** @type {import("windrow").AnswerRecord} */
    const unavailable = { hook: "triage.select", outcome: "unavailable" };
    assert.equal((await replay({ ...recording, answers: [unavailable] }, transcript)).same, false);
  });

  test("a large answer is recorded once, by its hash, and is needed", async () => {
    const text = "long ".repeat(500);
    const { recording } = await build({
      recall: { search: () => [text] },
      sections: [
        { id: "recall", kind: "recall" },
        { id: "request", kind: "request" },
      ],
    });
    const [{ hash }] = /** @type {any[]} */ ([...recording.answers]);
    assert.match(hash, /^[0-9a-f]{64}$/);
    assert.equal(recording.largeAnswers[hash].items[0].text, text);
    assert.equal((await replay(throughJson(recording), transcript)).same, true);
    await isRefused({ ...recording, largeAnswers: {} }, /no answer with the hash/);
  });

  test("there must be as many counts as texts", async () => {
    const { recording } = await build({ countTokens: (texts) => texts.map((text) => text.length) });
    assert.equal((await replay(recording, transcript)).same, true);
    const changed = transcript.with(3, user("text 2"));
    const [first, ...others] = recording.answers;
    await isRefused({ ...recording, answers: [{ ...first, counts: [] }, ...others] }, /doesn't fit the question/);
    await isRefused(
      recording,
      /; the message at position \d+ has changed|; a message at positions \d+ to \d+ has changed/,
      changed,
    );
  });

  test("uses the recorded offsets of the time zone, not the host's", async () => {
    const times = transcript.map((message, position) => ({ ...message, createdAt: NOW - position * 3_600_000 }));
    const { text, recording } = await buildContext(times, {
      now: NOW,
      timeZone: "Europe/Berlin",
      render: { format: "text", times: true },
    });
    /** @type {import("windrow").BuildRecording} */
    const shifted = {
      ...recording,
      zoneOffsets: recording.zoneOffsets.map(([since, minutes]) => [since, minutes + 30]),
    };
    const { same, context } = await replay(shifted, times);
    assert.equal(same, false);
    assert.notEqual(context.text, text);
    const elsewhere = { ...recording, config: { ...recording.config, timeZone: "Mars/Olympus" } };
    assert.equal((await replay(elsewhere, times)).context.text, text);
    await isRefused({ ...recording, zoneOffsets: [] }, /offsets of Europe\/Berlin/, times);
  });

  test("says where the transcript changed, as exactly as the recording allows", async () => {
    const long = Array.from({ length: 21 }, (_, position) => user(`text ${position}`, { id: `m${position}` }));
    const { recording } = buildContextSync(long, { now: 0 });
    const ranges = [];
    for (let position = 0; position < long.length; position++) {
      const { differences } = await replay(recording, long.with(position, user("other", { id: `m${position}` })));
      const { after, until, recorded, found } = differences.find(({ kind }) => kind === "transcript_changed");
      assert.ok(after <= position && position <= until, `${position} is from ${after} to ${until}`);
      assert.notEqual(recorded, found);
      ranges.push(`${after}-${until}`);
    }
    assert.deepEqual([...new Set(ranges)], ["0-0", "1-1", "2-3", "4-7", "8-15", "16-20"]);
    const both = long.with(2, user("other")).with(9, user("other"));
    const { differences } = await replay(recording, both);
    assert.deepEqual([differences[0].after, differences[0].until], [2, 3], "the first of them");
    const inserted = [user("before all"), ...long];
    assert.equal((await replay(recording, inserted)).differences[0].until, 0);
  });

  test("reports missing and changed messages", async () => {
    const { recording } = buildContextSync(transcript, { now: 0 });
    const shorter = await replay(recording, transcript.slice(0, 9));
    assert.deepEqual(shorter.differences.slice(0, 1), [{ kind: "transcript_shorter", recorded: 12, found: 9 }]);
    assert.deepEqual(shorter.differences.map(({ kind }) => kind).slice(1), ["context_changed"]);
    const both = await replay(recording, transcript.slice(0, 9).with(5, user("other")));
    assert.deepEqual(
      both.differences.map(({ kind }) => kind),
      ["transcript_shorter", "transcript_changed", "context_changed"],
    );
    assert.deepEqual([both.differences[1].after, both.differences[1].until], [4, 7]);
  });
});

describe("windrow replay", () => {
  const program = fileURLToPath(new URL("../../../node_modules/.bin/windrow", import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), "windrow-replay-"));
  after(() => rmSync(folder, { recursive: true }));

  const windrow = (commandLine, input) => {
    const { stdout, stderr, status } = spawnSync(program, commandLine, { cwd: folder, encoding: "utf8", input });
    return { stdout, stderr, status };
  };
  const file = (name, content) => {
    writeFileSync(join(folder, name), content);
    return name;
  };

  const chat = Array.from({ length: 12 }, (_, position) => user(`text ${position}`, { id: `m${position}` }));
  const recordingOf = async (more) => {
    const { recording } = await buildContext(chat, { request: "And?", now: NOW, ...more });
    return recording;
  };

  test("prints a line for each recording that says if the context is the same", async () => {
    const recordings = [
      await recordingOf(),
      await recordingOf({ triage: { select: () => ["m1"] } }),
      await recordingOf({ ...presets.triaged, timeZone: "Europe/Berlin" }),
    ];
    const lines = file(
      "recordings.jsonl",
      `${recordings.map((recording) => JSON.stringify(recording)).join("\n")}\n\n`,
    );
    const grown = file("chat.json", JSON.stringify([...chat, user("later")]));
    const { stdout, stderr, status } = windrow(["replay", lines, grown]);
    assert.equal(stderr, "");
    const hashes = recordings.map(({ contextHash }) => contextHash);
    assert.equal(stdout, hashes.map((hash, index) => `${index + 1}: same, ${hash}\n`).join(""));
    assert.equal(status, 0);
    assert.equal(windrow(["replay", "-", grown], JSON.stringify(recordings)).stdout, stdout, "a list is read too");
  });

  test("reports differences, with exit code 1", async () => {
    const recording = await recordingOf();
    const lines = file(
      "differing.jsonl",
      [recording, { ...recording, engineVersion: "0.0.1" }].map((each) => JSON.stringify(each)).join("\n"),
    );
    const changed = file("changed.json", JSON.stringify(chat.with(1, user("other", { id: "m1" }))));
    const { stdout, status } = windrow(["replay", lines, changed]);
    const [first, second] = stdout.split("\n");
    assert.match(first, /^1: differs: the message at position 1 has changed; the context is ctx_\w+, but was ctx_\w+$/);
    assert.match(second, /^2: differs: .*it was recorded by windrow 0\.0\.1, but this is/);
    assert.equal(status, 1);
    const same = windrow(["replay", lines, file("chat.json", JSON.stringify(chat))]);
    assert.match(same.stdout, /\n2: same, though it was recorded by windrow 0\.0\.1, but this is .*\n$/);
    assert.equal(same.status, 0);
    const shorter = windrow(["replay", lines, file("shorter.json", JSON.stringify(chat.slice(0, 3)))]);
    assert.match(shorter.stdout, /^1: differs: the transcript has 3 messages, but had 12;/);
  });

  test("a recording that can't be replayed or built is reported in one line too", async () => {
    const chosen = await recordingOf({ triage: { select: () => ["m1"] } });
    const small = await recordingOf({ budget: { maxTokens: 20 } });
    const lines = file(
      "broken.jsonl",
      [{ ...chosen, answers: [] }, small].map((recording) => JSON.stringify(recording)).join("\n"),
    );
    const pinned = file("pinned.json", JSON.stringify(chat.with(1, user("long ".repeat(99), { pinned: true }))));
    const { stdout, status } = windrow(["replay", lines, pinned]);
    assert.match(stdout, /^1: cannot be replayed: the build asks triage\.select, and no further answer was recorded/);
    assert.match(stdout, /\n2: differs: it can no longer be built: .*\n$/);
    assert.equal(status, 2);
  });

  test("a recording may be the JSON output of windrow build", () => {
    const name = file("chat.json", JSON.stringify(chat));
    const printed = windrow(["build", name, "--request", "And?", "--format", "json"]);
    const { stdout, status } = windrow(["replay", "-", name], printed.stdout);
    assert.match(stdout, /^1: same, ctx_\w+\n$/);
    assert.equal(status, 0);
  });

  test("a problem with the command line or a file is reported in one line with exit code 2", async () => {
    const recording = JSON.stringify(await recordingOf());
    file("chat.json", JSON.stringify(chat));
    file("good.jsonl", recording);
    file("empty.jsonl", "\n");
    file("half.jsonl", `${recording}\n${recording.slice(0, 50)}\n`);
    file("other.jsonl", `${recording}\n{"colour": "red"}\n`);
    file("newer.jsonl", recording.replace(/"formatVersion":\d+/, '"formatVersion":99'));
    for (const [commandLine, pattern] of /** @type {[commandLine: any, pattern: RegExp][]} */ ([
      [["replay"], /needs a file of recordings and a transcript/],
      [["replay", "good.jsonl"], /needs a file of recordings and a transcript/],
      [["replay", "good.jsonl", "chat.json", "chat.json"], /two files at a time: "chat\.json" is too many/],
      [["replay", "-", "-"], /only one of the two/],
      [["replay", "good.jsonl", "chat.json", "--max-tokens", "5"], /--max-tokens is an option of windrow build/],
      [["replay", "good.jsonl", "chat.json", "--colour"], /unknown option/],
      [["reply", "good.jsonl", "chat.json"], /did you mean replay\?/],
      [["replay", "missing.jsonl", "chat.json"], /missing\.jsonl: no such file/],
      [["replay", "good.jsonl", "missing.json"], /missing\.json: no such file/],
      [["replay", "empty.jsonl", "chat.json"], /empty\.jsonl: is empty/],
      [["replay", "half.jsonl", "chat.json"], /half\.jsonl: row 2: not a recording/],
      [["replay", "other.jsonl", "chat.json"], /other\.jsonl: row 2: expected a recording/],
      [["replay", "newer.jsonl", "chat.json"], /newer\.jsonl: .*format version 99/],
      [["replay", "chat.json", "chat.json"], /chat\.json: row 1: expected a recording/],
      [["replay", "good.jsonl", "good.jsonl"], /good\.jsonl: This looks like a recording of a build by windrow/],
    ])) {
      const { stdout, stderr, status } = windrow(commandLine);
      assert.equal(stdout, "", commandLine.join(" "));
      assert.match(stderr, /^windrow: [^\n]+\n$/, "one line");
      assert.match(stderr, pattern);
      assert.equal(status, 2);
    }
  });
});

describe("the hash of a context", () => {
  /** Uses a budget that everything fits, so that one change doesn't cause another. */
  const hashOf = (transcript, options) => buildContextSync(transcript, options).snapshot.contextHash;
  /** @returns {any} */
  const roomy = (random) => ({ ...randomConfig(random), budget: {} });

  test("doesn't change with anything that doesn't reach the context", () => {
    forEachSeed((random) => {
      const transcript = randomTranscript(random);
      const options = roomy(random);
      const context = buildContextSync(transcript, options);
      const expected = context.snapshot.contextHash;

      assert.equal(hashOf(transcript, { ...options, now: 5 }), expected, "the clock");
      assert.equal(hashOf(transcript, { ...options, turnId: "turn" }), expected, "the turn");
      const relabelled = transcript.map((message) => ({ ...message, id: `x-${message.id}`, metadata: { more: 1 } }));
      assert.equal(hashOf(relabelled, options), expected, "ids and unknown fields");
      const orphan = { role: "tool", toolCallId: "nobody", content: "x" };
      const unlimited = { ...options, collect: {}, window: {} };
      assert.equal(hashOf([...transcript, orphan], unlimited), hashOf(transcript, unlimited), "an orphan");

      // Excludes open calls: a call with other content is visible.
      const isOut = ({ fate, reason }) => fate === "left out" && reason !== "call_without_result";
      const leftOut = transcript.findIndex((_, position) => isOut(context.explain(position)));
      if (leftOut >= 0 && typeof transcript[leftOut].content === "string") {
        const changed = transcript.map((message, position) =>
          position === leftOut ? { ...message, content: `${message.content} and more` } : message,
        );
        assert.equal(hashOf(changed, options), expected, "a message that is left out");
      }
    });
  });

  test("changes with everything that does", () => {
    forEachSeed((random) => {
      const transcript = randomTranscript(random);
      const options = roomy(random);
      const context = buildContextSync(transcript, options);
      const expected = context.snapshot.contextHash;
      const changes = [];
      // A marked copy replaces a message with open calls.
      for (const message of context.kept.filter((kept) => transcript.includes(kept))) {
        const replace = (changed) => transcript.map((entry) => (entry === message ? changed : entry));
        if (typeof message.content === "string") {
          changes.push(replace({ ...message, content: `${message.content}x` }));
        }
        if (Array.isArray(message.content) && message.content.some((part) => part.type === "reasoning")) {
          // Only the format `messages` has reasoning.
          if (options.render.format === "messages") {
            changes.push(replace({ ...message, content: message.content.filter((part) => part.type !== "reasoning") }));
          }
        }
        if (message.toolCalls !== undefined) {
          const [first, ...rest] = message.toolCalls;
          changes.push(replace({ ...message, toolCalls: [{ ...first, arguments: { other: true } }, ...rest] }));
          changes.push(replace({ ...message, toolCalls: [{ ...first, name: "other" }, ...rest] }));
        }
        if (message.role === "user" && message.name === undefined) {
          changes.push(replace({ ...message, name: "Somebody" }));
        }
      }
      const hashes = changes.map((changed) => hashOf(changed, options));
      assert.ok(!hashes.includes(expected), `change ${hashes.indexOf(expected)} of ${hashes.length}`);
      if (context.kept.length > 0 && options.window?.lookbackCount !== 0) {
        assert.notEqual(hashOf([], options), expected);
      }
    });
  });

  test("changes with the effective config, but not with its spelling", () => {
    const hash = (options) => hashOf(messages, { now: 0, ...options });
    const plain = hash({});
    for (const same of [
      { budget: {} },
      { window: { minMessages: 10, unit: "message" } },
      { render: { format: "messages" }, filter: { excludeTags: [] } },
      { model: null, encoding: undefined },
    ]) {
      assert.equal(hash(same), plain);
    }
    const different = [
      {},
      { budget: { maxTokens: 1000 } },
      { window: { lookbackCount: 100 } },
      { filter: { excludeTags: ["command"] } },
      { model: "gpt-4o" },
      { encoding: "cl100k_base" },
      { encoding: "estimate" },
      { sessionId: "web:main" },
      { request: "And?" },
      { request: "And? " },
      { request: user("And?", { name: "Mara" }) },
      { request: { role: "assistant", content: "And?" } },
      { render: { format: "text" } },
      { render: { format: "xml" } },
    ].map(hash);
    assert.equal(new Set(different).size, different.length);
    assert.equal(hash({ request: "And?" }), hash({ request: user("And?", { id: "id", createdAt: 5 }) }));
  });

  test("neighboring texts don't run together", () => {
    const variants = [
      [user("ab"), user("c")],
      [user("a"), user("bc")],
      [user("abc")],
      [user("abc"), user("")],
      [user(["ab", "c"])],
      [user(["a", "bc"])],
      [user("b c", { name: "a" })],
      [user("c", { name: "a b" })],
      [{ role: "assistant", content: "abc" }],
    ];
    assert.equal(new Set(variants.map((variant) => hashOf(variant, { now: 0 }))).size, variants.length);
  });

  test("changes with the contents of an image, audio or a file", () => {
    for (const [one, other] of [
      [
        { type: "image", data: "one" },
        { type: "image", data: "other" },
      ],
      [
        { type: "image_url", image_url: { url: "https://example.com/1" } },
        { type: "image_url", image_url: { url: "https://example.com/2" } },
      ],
      [
        { type: "file", data: "one" },
        { type: "file", data: "other" },
      ],
    ]) {
      assert.notEqual(hashOf([user([one])], { now: 0 }), hashOf([user([other])], { now: 0 }));
    }
  });

  test("has the documented form", () => {
    assert.match(hashOf(messages, {}), /^ctx_[0-9a-f]{64}$/);
    assert.match(buildContextSync(messages).recording.transcript.digest, /^[0-9a-f]{16}$/);
    assert.notEqual(hashOf([randomOf(1)], {}), hashOf([randomOf(2)], {}));
  });
});

function randomOf(seed) {
  return { ...randomMessage(new Random(seed)), content: `${seed}` };
}
