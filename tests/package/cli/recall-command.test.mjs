// The script `npm run recall`: its measures against figures calculated by hand, and its usage.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { loadEncoding } from "windrow";
import { conversationsOf, readConversations } from "../../../benches/recall/file.mjs";
import { kitReport, measureKit, readKit, shownWithin } from "../../../benches/recall/kit.mjs";
import { lineReport, measureLines, readLines } from "../../../benches/recall/lines.mjs";
import { intervalOf, mean, measuresOf } from "../../../benches/recall/measures.mjs";
import { figuresOf } from "../../../benches/recall/report.mjs";
import { BUDGETS, CONFIGURATIONS, measureConversations, tokensOf } from "../../../benches/recall/run.mjs";
import { chatOf, measureUpdates, readUpdates, updateReport } from "../../../benches/recall/updates.mjs";
import { VectorCache } from "../../../benches/recall/vectors.mjs";
import { argumentsOf, recallLines } from "../../../scripts/recall.mjs";

const WORDS = "a boat of eight comes in at noon with tea and rope on board".split(" ");
/** "Ana: boat a of …": 14 words, a name and a colon, at one token per word. */
const COST = 14 + 2 + 4;
/** Room for three messages, but not four. */
const BUDGET = COST * 3 + 15;

/** Eight messages of equal cost, m0 to m7, that differ in the order of their words. */
const messages = Array.from({ length: 8 }, (_, index) => ({
  id: `m${index}`,
  role: index % 2 === 0 ? "user" : "assistant",
  name: index % 2 === 0 ? "Ana" : "Ben",
  content: [...WORDS.slice(index), ...WORDS.slice(0, index)].join(" "),
  mood: "calm",
}));
const recency = CONFIGURATIONS.find(({ name }) => name === "recency");

const ask = (question) => ({ request: "And then?", evidence: [], category: 0, upTo: messages.length, ...question });
const file = (...questions) => [{ id: "harbour", domain: "made up", messages, questions: questions.map(ask) }];

/** The mean of each measure at `BUDGET` with only the newest messages, by its title. */
async function sharesOf(...questions) {
  const measured = await measureConversations(conversationsOf(file(...questions)), {
    configurations: [recency],
    budgets: [BUDGET],
  });
  const [{ shares }] = measured.results;
  const titles = measured.measures.map(({ title }, index) => [title, shares[index][0]]);
  return {
    ...Object.fromEntries(
      titles.filter(([, values]) => values.length > 0).map(([title, values]) => [title, mean(values)]),
    ),
    json: figuresOf(measured)[BUDGET],
  };
}

describe("the measures", () => {
  before(() => loadEncoding("o200k_base"));

  test("a message costs its text with its speaker or its calls, plus 4", () => {
    assert.deepEqual(
      messages.map(tokensOf),
      messages.map(() => COST),
    );
    assert.equal(tokensOf({ role: "user", content: "tea" }), 1 + 4);
    assert.equal(tokensOf({ role: "tool", name: "find_boats", content: "tea" }), 1 + 4);
    const call = { id: "1", name: "find", arguments: "{}" };
    // Both forms have the same text.
    assert.equal(
      tokensOf({ role: "assistant", content: "tea", toolCalls: [call] }),
      tokensOf({ role: "user", content: `tea${JSON.stringify([call])}` }),
    );
  });

  test("groups: one message of a group is enough", async () => {
    // m5, m6 and m7 are kept, and after six messages m3, m4 and m5.
    assert.deepEqual(
      await sharesOf(
        { groups: [["m0", "m7"], ["m1"]] },
        { groups: [["m3"]], upTo: 6 },
        { groups: [["m7"], ["m6", "m0"], ["m2"], ["m1"]] },
        { groups: [] },
      ),
      { "groups with a message kept": (0.5 + 1 + 0.5) / 3, json: 66.67 },
    );
  });

  test("parents, and the thread", async () => {
    const found = await sharesOf(
      { parents: ["m7"], evidence: ["m7", "m6", "m1", "m0"] },
      { parents: ["m4", "m5"], evidence: ["m4"] },
    );
    assert.deepEqual(found, { "parents kept": 0.75, "thread kept": 0.25, json: 75 });
    const [parents, thread] = measuresOf(conversationsOf(file({ parents: ["m1"] })));
    assert.deepEqual(
      BUDGETS.map((budget) => [parents.isReported(budget), thread.isReported(budget)]),
      [250, 500, 1000, 2000, 4000, 8000].map((budget) => [budget < 1000, budget >= 1000]),
    );
  });

  test("categories: 1 to 4 count, 5 is separate", async () => {
    assert.deepEqual(
      await sharesOf(
        { category: 2, evidence: ["m7", "m0", "m0"] },
        { category: 4, evidence: ["m6"] },
        { category: 5, evidence: ["m0"] },
        { category: 1, evidence: [] },
        { category: 0, evidence: ["m0"] },
      ),
      {
        "evidence kept, categories 1-4": 0.75,
        "evidence kept, category 5": 0,
        "evidence kept, category 2": 0.5,
        "evidence kept, category 4": 1,
        json: 75,
      },
    );
  });

  test("if a question only has evidence, its tokens count", async () => {
    const short = { id: "short", role: "user", name: "Ana", content: "tea" };
    const [{ questions }] = file({ evidence: ["m0", "m1", "short"], upTo: 9 }, { evidence: ["m7"], upTo: 9 });
    const measured = await measureConversations(conversationsOf([{ messages: [...messages, short], questions }]), {
      configurations: [recency],
      budgets: [BUDGET],
    });
    // "Ana: tea" is kept, while m0 and m1 aren't.
    assert.equal(figuresOf(measured)[BUDGET], Math.round(((7 / (COST * 2 + 7) + 1) / 2) * 10_000) / 100);
  });

  test("no context exceeds the budget by this count", async () => {
    // A digit takes one more token after a name than alone, so the engine counts less than the measure.
    const digits = Array.from({ length: 90 }, (_, index) => ({
      id: `${index}`,
      role: "user",
      name: "Ana",
      content: "7",
    }));
    const questions = [ask({ evidence: ["1"], upTo: 90 })];
    const { results } = await measureConversations(conversationsOf([{ messages: digits, questions }]), {
      configurations: [recency],
      budgets: [100, 250, 500],
    });
    const [{ used, rebuilt }] = results;
    assert.ok(used.flat().every((share) => share > 0.9 && share <= 1));
    assert.deepEqual(rebuilt, [1, 1, 1]);
  });

  test("the interval is that of a mean of the values, and reproducible", () => {
    for (const count of [100, 800]) {
      const values = Array.from({ length: count }, (_, index) => (index % 4 === 0 ? 1 : 0));
      const [low, high] = intervalOf(values);
      const width = 1.96 * Math.sqrt((0.25 * 0.75) / count);
      assert.ok(Math.abs(low - (0.25 - width)) < width / 8, `${low} of ${count}`);
      assert.ok(Math.abs(high - (0.25 + width)) < width / 8, `${high} of ${count}`);
      assert.deepEqual(intervalOf(values), [low, high]);
    }
    assert.deepEqual(intervalOf([0.5, 0.5]), [0.5, 0.5]);
  });
});

describe("the command", () => {
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "windrow-recall-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const command = (...given) =>
    spawnSync(process.execPath, [fileURLToPath(new URL("../../../scripts/recall.mjs", import.meta.url)), ...given], {
      encoding: "utf8",
    });
  const written = (value, name = "file.json") => {
    const path = join(folder, name);
    writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
    return path;
  };

  test("prints a JSON object with a figure for each budget last, and passes everything else on", async () => {
    const given = file({ evidence: ["m0", "m3"] });
    const lines = await recallLines(readConversations(written(given)));
    const object = JSON.parse(lines.join("\n").split("\n").at(-1));
    // The whole conversation fits from 250 tokens on.
    assert.deepEqual(object, { 250: 100, 500: 100, 1000: 100, 2000: 100, 4000: 100, 8000: 100 });
    assert.match(lines.join("\n"), /tokens of the evidence kept \(1 questions\)\nwindrow +100\.0/);
    for (const { name } of CONFIGURATIONS) {
      assert.match(lines.join("\n"), new RegExp(`^${name}: 6 builds`, "m"));
    }
    assert.deepEqual(readConversations(written(given))[0].messages, messages);
  });

  test("prints its usage without a file", () => {
    const { status, stdout } = command();
    assert.equal(status, 0);
    assert.match(stdout, /^npm run recall -- FILE\.json \[--with JSON\] \[--oracle\] \[--embed\]\n/);
    const none = {
      file: "a.json",
      withLines: false,
      withKit: false,
      withUpdates: false,
      withVectors: false,
      withOracle: false,
      others: [],
    };
    assert.deepEqual(argumentsOf(["a.json", "--embed"]), { ...none, withVectors: true });
    const others = [{ ranking: "bm25" }, { maxShare: 0.5 }];
    const given = others.flatMap((recall) => ["--with", JSON.stringify(recall)]);
    assert.deepEqual(argumentsOf(["--oracle", ...given, "a.json"]), { ...none, withOracle: true, others });
    assert.throws(
      () => argumentsOf(["a.json", "--with", "no JSON"]),
      /--with wants options of recall as JSON, and not no JSON/,
    );
    assert.throws(() => argumentsOf(["a.json", "--with"]), /--with/);
    assert.throws(() => argumentsOf(["--kit"]), /--kit/);
    assert.deepEqual(argumentsOf(["--kit", "a.json"]), { ...none, withKit: true });
    assert.throws(() => argumentsOf(["--updates"]), /--updates/);
    assert.deepEqual(argumentsOf(["--updates", "a.json"]), { ...none, withUpdates: true });
  });

  test("a wrong file is an error that names the place", () => {
    const fails = (value, expected) => {
      const path = written(value);
      assert.throws(
        () => readConversations(path),
        (/** @type {any} */ error) => error.exitCode === 2 && error.message.startsWith(`${path}${expected}`),
        expected,
      );
    };
    fails("[{]", " cannot be read as JSON: ");
    fails({}, ": the file: expected a list of conversations, got {}");
    fails([], ": the file: expected conversations with questions, got []");
    fails([{ messages, questions: [] }], ": the file: expected conversations with questions");
    fails([{ messages: [{ id: "a", role: "robot", content: "" }], questions: [] }], ": [0].messages[0].role: ");
    fails([{ messages: [messages[0], messages[0]], questions: [] }], ": [0].messages[1].id: ");
    fails(file({}, { upTo: 9 }), ": [0].questions[1].upTo: expected an integer from 0 to 8, got 9");
    fails(file({ evidence: ["m0", "m9"] }), ": [0].questions[0].evidence[1]: ");
    fails(file({ groups: ["m0"] }), ": [0].questions[0].groups[0]: expected a list of message ids");

    for (const given of [[join(folder, "none.json")], [written(file({ request: 7 }))], ["--speed"], ["a", "b"]]) {
      const { status, stdout, stderr } = command(...given);
      assert.deepEqual([status, stdout, stderr.trim().split("\n").length], [2, "", 1], stderr);
    }
  });
});

describe("corrections", () => {
  const FACTS = ["Ana Lund keeps bees in the valley.", "Ana Lund once sailed to Oslo."];
  const row = (facts, correction, indices) => ({
    input: "Where did Ana Lund once sail to?",
    agent_args: { extra: { facts, contradicting_fact: correction, supporting_fact_indices: indices } },
  });
  const others = Array.from({ length: 6 }, (_, at) => [`Person ${at} paints.`, `Person ${at} lives in town ${at}.`]);
  const rows = [
    row(FACTS, "Ana Lund once sailed to Riga.", [1]),
    ...others.map((facts) => row(facts, `${facts[1]} No longer.`, [1])),
  ];
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "windrow-updates-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const written = (text) => {
    const path = join(folder, "updates.jsonl");
    writeFileSync(path, text);
    return path;
  };

  test("a chat has every group's facts once, and the correction after its own", () => {
    const updates = readUpdates(written(rows.map((it) => JSON.stringify(it)).join("\n")));
    const groups = updates.map(({ facts }) => facts);
    for (const update of updates) {
      const said = chatOf(update, groups).flatMap(({ role, content }) => (role === "user" ? [content] : []));
      assert.deepEqual([...said].sort(), [...groups.flat(), update.correction, update.request].sort());
      assert.ok(said.indexOf(update.correction) > said.indexOf(update.old[0]));
      assert.equal(said.at(-1), update.request);
    }
  });

  test("a fact is old without its correction if only the fact fits", async () => {
    const [update] = readUpdates(written(JSON.stringify(rows[0])));
    const long = { ...update, correction: `Ana Lund once sailed to Riga. ${"She told us of it. ".repeat(60)}` };
    const [short, full] = await measureUpdates([long], {
      budgets: [70, 4000],
      recall: { excerpts: { enabled: false } },
    });
    assert.deepEqual([short.correctedCount, short.staleCount], [0, 1]);
    assert.deepEqual([full.correctedCount, full.staleCount], [1, 0]);
    assert.deepEqual(JSON.parse(updateReport([short, full]).at(-1)), { 70: [0, 100], 4000: [100, 0] });
  });

  test("a row of another form is an error that names its line", () => {
    assert.throws(
      () => readUpdates(written(`${JSON.stringify(rows[0])}\n{"input":"Hi"}`)),
      (/** @type {any} */ error) => error.exitCode === 2 && /updates\.jsonl: line 2 isn't a row/.test(error.message),
    );
  });
});

describe("the stored vectors", () => {
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "windrow-vectors-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** A cache over a file, and the texts that it asked for. */
  function cacheOf(name) {
    const asked = [];
    const cache = new VectorCache(join(folder, name), 2, (texts) => {
      asked.push(...texts);
      return Promise.resolve(texts.map((text) => Float32Array.of(text.length, text.length / 3)));
    });
    return { cache, asked };
  }
  const expected = (texts) => texts.map((text) => Float32Array.of(text.length, text.length / 3));

  test("are made once for each text, even across runs", async () => {
    const texts = ["", "tea", "rope", "tea", "naïve café", "\ud83e"];
    const first = cacheOf("once");
    assert.deepEqual(await Promise.all([first.cache.vectorsOf(texts), first.cache.vectorsOf(["tea"])]), [
      expected(texts),
      expected(["tea"]),
    ]);
    assert.deepEqual(first.asked, ["", "tea", "rope", "naïve café", "\ud83e"]);
    assert.equal(first.cache.madeCount, 5);

    const second = cacheOf("once");
    assert.deepEqual(await second.cache.vectorsOf(texts.toReversed()), expected(texts.toReversed()));
    assert.deepEqual(second.asked, []);
  });

  test("a partly written entry is made again", async () => {
    const path = join(folder, "cut");
    await cacheOf("cut").cache.vectorsOf(["tea"]);
    const { size } = statSync(path);
    appendFileSync(path, Buffer.alloc(size - 1, 7));
    const { cache, asked } = cacheOf("cut");
    assert.deepEqual(await cache.vectorsOf(["tea", "rope"]), expected(["tea", "rope"]));
    assert.deepEqual(asked, ["rope"]);
    assert.equal(statSync(path).size, size * 2);
  });

  test("a failure is reported, and the next question is answered", async () => {
    let fails = true;
    const cache = new VectorCache(join(folder, "fails"), 2, (texts) =>
      fails ? Promise.reject(new Error("no model")) : Promise.resolve(expected(texts)),
    );
    await assert.rejects(cache.vectorsOf(["tea"]), /no model/);
    fails = false;
    await assert.rejects(cache.vectorsOf(["tea"], { signal: AbortSignal.abort() }), { name: "AbortError" });
    assert.deepEqual(await cache.vectorsOf(["tea"]), expected(["tea"]));
  });
});

describe("single lines", () => {
  const LINES = [
    "# A comment.",
    "english | health | I have a severe peanut allergy.",
    "english | fact | A sunset | a song, and all else there was to see and to hear on that long evening by the water of the lake.",
    "english | turn | How does * work?",
    "english | reply | Here are the main points about *. It has a long history.",
    "english | subject | volcanoes; glaciers; bridges; clocks; opera; deserts; comets; whales; castles; radios; maps; looms; kites; mills; moss; chess",
    "english | task | Have a look at the allergy again.",
    "english | task | Plan the weekend for us.",
  ].join("\n");

  test("lines without turns of their own are measured among another language's", () => {
    const more = readLines("english | fact | I have a goat.\ngerman | fact | Ich habe eine Ziege.", readLines(LINES));
    const [[, english], [, german]] = more;
    assert.deepEqual([english.lines.length, english.turn.length, english.task.length], [1, 1, 2]);
    assert.deepEqual([german.lines.length, german.turn.length], [1, 0]);
  });

  test("a line comes back among turns of another subject if it says something lasting", async () => {
    const [{ language, results }] = await measureLines(readLines(LINES), { turns: 60, maxTokens: 400 });
    assert.equal(language, "english");
    assert.deepEqual(
      results.map(({ kind, text, isKept }) => [kind, text, isKept]),
      [
        ["health", "I have a severe peanut allergy.", true],
        [
          "fact",
          "A sunset | a song, and all else there was to see and to hear on that long evening by the water of the lake.",
          false,
        ],
      ],
    );
    const [ofNone] = await measureLines(readLines(LINES), {
      turns: 60,
      maxTokens: 400,
      recall: { maxStatementShare: 0, maxStandingShare: 0 },
    });
    assert.deepEqual(
      ofNone.results.map(({ isKept }) => isKept),
      [false, false],
    );
  });

  test("the report has a row for each language, the missing lines and the shares", () => {
    const results = [
      { kind: "fact", text: "One.", isKept: true },
      { kind: "health", text: "Two.", isKept: false },
    ];
    const lines = lineReport([{ language: "english", results, others: 1.5 }], true);
    assert.match(lines[1], /^english +2 +50\.0 +100\.0 +- +0\.0 +1\.5$/);
    assert.deepEqual(lines.slice(2), ["", "english: Two.", "", '{"english":50}']);
  });

  test("a file of lines may be named, and an unknown class is refused", () => {
    assert.deepEqual(argumentsOf(["--lines"])?.withLines, true);
    assert.equal(argumentsOf(["--lines", "other.txt"])?.file, "other.txt");
    assert.throws(() => readLines("english | poem | A rose."), /poem is not a class/);
  });
});

describe("planted rules", () => {
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "windrow-kit-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** @type {import("../../../benches/recall/kit.mjs").KitSession} */
  const session = {
    corpus: "made up",
    seed: 1,
    turns: [
      { role: "system", text: "You help." },
      { role: "user", text: "The gate code is 4411." },
      { role: "user", text: "The gate code is 9027 now." },
      { role: "assistant", text: "Noted." },
      { role: "user", text: "Boats come in at noon." },
    ],
    planted: [
      { required: ["gate code", "9027"], superseded: ["4411"] },
      { required: ["AT NOON"], superseded: [] },
      { required: ["at midnight"], superseded: [] },
    ],
  };

  test("count as kept if all of their texts are in the context, and replaced values are counted", async () => {
    const whole = await measureKit([session, { ...session, corpus: "other" }], { shares: [1] });
    const row = { share: 1, keptCount: 2, mostCount: 2, plantedCount: 3, staleCount: 1, replacedCount: 1 };
    assert.deepEqual(whole, [
      { corpus: "made up", ...row },
      { corpus: "other", ...row },
    ]);
    const lines = kitReport(whole);
    assert.match(lines[1], /^made up +100 % +66\.7 +66\.7 +1 of 1$/);
    const [none] = await measureKit([session], { shares: [0.5] });
    assert.equal(none.mostCount, 1, "only the text of the request fits");
    assert.deepEqual(JSON.parse(lines.at(-1)), { "made up 1": [66.7, 1, 1], "other 1": [66.7, 1, 1] });
  });

  test("no context has more characters than the budget, with its roles", async () => {
    const turns = Array.from({ length: 40 }, (_, at) => ({
      role: "user",
      text: `Boat ${at} comes in at ${at} o'clock.`,
    }));
    for (const chars of [120, 300, 1000]) {
      const text = await shownWithin(/** @type {any} */ ({ turns }), chars);
      assert.ok(text.length <= chars && text.length > chars / 2, `${text.length} of ${chars}`);
      assert.ok(text.split("\n").every((line) => line.startsWith("[user] Boat ")));
    }
  });

  test("are read from the kit's own program", async () => {
    const kit = join(folder, "compaction_kit");
    mkdirSync(kit);
    const builder = (name, more) => `def ${name}(seed):\n    return Session(), [Rule()]${more}\n`;
    const classes = `
class Turn:
    role, text = "user", "Never paint the boat."
class Session:
    def transcript(self):
        return [Turn()]
class Rule:
    required_tokens, superseded_tokens = ("paint",), ("row",)
    behavior_scenario, behavior_required_tokens = "A brush is there.", ("never",)
    exact_use_scenario, exact_use_required_tokens = "", ("boat",)
`;
    const files = {
      __init__: "",
      corpus: classes + builder("build_random_session", ""),
      generated: classes + builder("build_generated_session", ""),
      semantic_corpus:
        classes + builder("build_semantic_session", ", {}") + builder("build_semantic_heldout_session", ", {}"),
    };
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(kit, `${name}.py`), text);
    }
    const sessions = await readKit(folder);
    assert.equal(sessions.length, 32);
    assert.deepEqual(sessions[0], {
      corpus: "random",
      seed: 1,
      turns: [{ role: "user", text: "Never paint the boat." }],
      planted: [{ required: ["paint", "never"], superseded: ["row"] }],
    });
    await assert.rejects(readKit(join(folder, "none")), { exitCode: 2 });
  });
});
