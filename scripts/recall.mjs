// Measures how much of a question's evidence is in its context, and prints the figures as one JSON object at the end.
// See `usage`.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { readConversations } from "../benches/recall/file.mjs";
import { build } from "./build.mjs";
import { Failure, isProgram, projectPath, runProgram, seconds, step } from "./project.mjs";
import { setUp } from "./setup.mjs";

export const usage = `npm run recall -- FILE.json [--with JSON] [--oracle] [--embed]
npm run recall -- --lines [FILE.txt] [--with JSON]
npm run recall -- --kit PATH [--with JSON]
npm run recall -- --updates FILE.jsonl [--with JSON]

Builds the context of every question of FILE with the built package and its default configuration, at 250, 500, 1000,
2000, 4000 and 8000 tokens, and prints how much of the evidence for the answer it contains, next to two baselines from the same
package: the newest messages (recency), and plain BM25 over the messages.

  --with JSON
            adds a run with these options of recall: --with '{"excerpts":{"enabled":false}}'
  --oracle  adds a run in which triage.select knows the answer: an upper bound
  --embed   adds a run with the hook recall.embed and a small model (all-MiniLM-L6-v2), which is installed into .cache/recall
            with Python and pip (vectors are computed once), and one with triage.select by similarity: an upper bound

--lines measures single lines: one line of a user ("Please wrap lines at 100 columns") among 200 unrelated turns in its
language, then a task that shares no word with it, at 2000 tokens. It prints how many lines of each language are in
their context, and the missing lines. Without a file, it uses the lines of scripts/statements/lines.txt and of more-lines.txt next to it. For
these it prints only the shares: if you see which lines are missing, they can no longer measure your changes.

--kit measures compaction-conformance-kit (PyPI, MIT), whose wheel or folder is at PATH: rules and facts that its program plants in a session. It
prints how many of them are in a context without a request, at 10, 20 and 30 % of the characters of the session, and how many
replaced values are still in it. It needs Python.

--updates measures corrections: FILE is core_memory_update.jsonl of letta-evals (Apache 2.0), whose rows have facts about people, a message that
contradicts one of them, and a question about it. It prints how often the correction is in the context, and how often the old
fact is there without it.

FILE has conversations, [{ "id", "messages", "questions" }]. Messages are in any format that buildContext accepts, each with an
id. A question is { "request", "name"?: the asker, "upTo": the number of messages before it, "evidence": [ids],
"groups"?: [[ids]], "parents"?: [ids], "category"?: number }. Questions without evidence are skipped. The fields of the
questions decide what is measured, as a mean over the questions:

  groups          share of the groups with a kept message
  parents         share of the kept parents (in the JSON below 1000 tokens), and share of the kept evidence, the
                  thread so far (in the JSON from 1000 tokens)
  category > 0    share of the kept evidence in the categories 1 to 4, and in category 5; if an
                  assistant takes part, also the share of the kept tokens of its evidence
  none of these   share of the evidence's tokens that is kept

Each measure is followed by its difference from plain BM25, and from the next smaller budget, with a paired
interval over the questions; "!" marks a clear loss. The lines below have R@5, R@10 and NDCG@10 of the ranking itself, and
how much the contexts still read as conversations: how many replies come with their question, and how many messages of one
role follow each other.

The budget covers the messages taken from the transcript: tokens of o200k_base in "{name}: {content}", or in the content and
the JSON of its tool calls, and 4 per message. It doesn't cover the request. If messages have times and the question has no
"createdAt", the clock is one day after the newest message.

The last line of standard output is a JSON object: for each budget the measure in percent, with the hook if --embed is given.
Ranges in the table are 95 % bootstrap intervals over the questions (1000 resamples).`;

const OPTIONS = ["--embed", "--oracle", "--with", "--lines", "--kit", "--updates", "--help", "-h"];
/** The lines that `--lines` measures without a file, and a second set for the same turns. */
const LINES = "scripts/statements/lines.txt";
const MORE_LINES = "scripts/statements/more-lines.txt";

/** Parses the command line. Undefined if it asks for the usage. */
export function argumentsOf(given) {
  const isValue = (at) => given[at - 1] === "--with";
  const values = given.filter((_, at) => isValue(at));
  const files = given.filter((argument, at) => !argument.startsWith("-") && !isValue(at));
  const unknown = given.find((argument) => argument.startsWith("-") && !OPTIONS.includes(argument));
  if (unknown !== undefined) {
    throw new Failure(`there is no option ${unknown}; npm run recall says how it is used`, 2);
  }
  if (given.at(-1) === "--with") {
    throw new Failure("--with wants options of recall as JSON behind it", 2);
  }
  if (files.length > 1) {
    throw new Failure("give one file: npm run recall -- FILE.json", 2);
  }
  const withLines = given.includes("--lines");
  const withKit = given.includes("--kit");
  if (withKit && files.length === 0) {
    throw new Failure("--kit wants the wheel or the folder of the kit after it", 2);
  }
  const withUpdates = given.includes("--updates");
  if (withUpdates && files.length === 0) {
    throw new Failure("--updates wants core_memory_update.jsonl after it", 2);
  }
  const isAsked = (files.length === 0 && !withLines) || given.includes("--help") || given.includes("-h");
  return isAsked
    ? undefined
    : {
        file: files[0],
        withLines,
        withKit,
        withUpdates,
        withVectors: given.includes("--embed"),
        withOracle: given.includes("--oracle"),
        others: values.map(optionsOfRecall),
      };
}

function optionsOfRecall(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure(`--with wants options of recall as JSON, and not ${text}`, 2);
  }
}

/**
 * Measures conversations, and returns the lines to print; the last is the JSON object. Needs the built package.
 * `configurations` have the form of `CONFIGURATIONS` in run.mjs. `embed` is a hook for the first of them.
 *
 * @param {object[]} conversations
 * @param {object} [options]
 * @param {object[]} [options.configurations]
 * @param {import("windrow").EmbedHook} [options.embed]
 * @param {boolean} [options.withOracle]
 * @param {object[]} [options.others]
 * @param {(doneCount: number, allCount: number) => void} [options.onProgress]
 */
export async function recallLines(conversations, { configurations, embed, withOracle, others = [], onProgress } = {}) {
  const { CONFIGURATIONS, ORACLE, measureConversations, triageByVectors } = await import("../benches/recall/run.mjs");
  const { figuresOf, reportLines } = await import("../benches/recall/report.mjs");
  const measured = await measureConversations(conversations, {
    configurations: [
      ...(embed === undefined ? [] : [{ name: "windrow, with vectors", isOwn: true, recall: { embed } }]),
      ...(configurations ?? CONFIGURATIONS),
      ...others.map((recall) => ({ name: `with ${JSON.stringify(recall)}`, recall })),
      ...(withOracle ? [ORACLE] : []),
      ...(embed === undefined ? [] : [triageByVectors(embed)]),
    ],
    withRanks: true,
    onProgress,
  });
  return [...reportLines(measured), "", JSON.stringify(figuresOf(measured))];
}

async function main() {
  const asked = argumentsOf(process.argv.slice(2));
  if (asked === undefined) {
    console.log(usage);
    return;
  }
  // A path is relative to the folder that npm was started in.
  const path = asked.file === undefined ? undefined : resolve(process.env.INIT_CWD ?? process.cwd(), asked.file);
  if (asked.withLines) {
    await printLines(path, asked.others[0]);
    return;
  }
  if (asked.withKit) {
    await printKit(path, asked.others[0]);
    return;
  }
  if (asked.withUpdates) {
    await printUpdates(path, asked.others[0]);
    return;
  }
  const conversations = readConversations(path);
  await setUp("build");
  await build();
  const started = performance.now();
  const options = { withOracle: asked.withOracle, others: asked.others, onProgress: progressOf("questions") };
  const lines = asked.withVectors
    ? await withVectors(conversations, (embed) => recallLines(conversations, { ...options, embed }))
    : await recallLines(conversations, options);
  console.error(`✓ recall (${seconds(performance.now() - started)})`);
  console.log(lines.join("\n"));
}

/** Measures single lines: those of a file, or the project's own. */
async function printLines(file, recall) {
  await setUp("build");
  await build();
  const { lineReport, measureLines, readLines } = await import("../benches/recall/lines.mjs");
  const around = readLines(readFileSync(projectPath(LINES), "utf8"));
  const lines = file === undefined ? around : readLines(readFileSync(file, "utf8"), around);
  console.log(lineReport(await measureLines(lines, { recall }), true).join("\n"));
  if (file === undefined) {
    const more = readLines(readFileSync(projectPath(MORE_LINES), "utf8"), around);
    console.log(["", MORE_LINES, ...lineReport(await measureLines(more, { recall }))].join("\n"));
  }
}

/** Measures the sessions of a kit. */
async function printKit(path, recall) {
  await setUp("build");
  await build();
  const { kitReport, measureKit, readKit } = await import("../benches/recall/kit.mjs");
  console.log(kitReport(await measureKit(await readKit(path), { recall })).join("\n"));
}

/** Measures corrections. */
async function printUpdates(path, recall) {
  await setUp("build");
  await build();
  const { measureUpdates, readUpdates, updateReport } = await import("../benches/recall/updates.mjs");
  const rows = await measureUpdates(readUpdates(path), { recall, onProgress: progressOf("rows") });
  console.log(updateReport(rows).join("\n"));
}

/** Computes all vectors before any measurement. */
async function withVectors(conversations, measure) {
  const { openVectors } = await import("../benches/recall/vectors.mjs");
  const { askForVectors } = await import("../benches/recall/run.mjs");
  const vectors = openVectors({ onProgress: progressOf("vectors") });
  const embed = (texts, asked) => vectors.embed(texts, asked);
  try {
    await step("vectors of all texts", async () => {
      await askForVectors(conversations, embed);
      return `${vectors.madeCount} were made, the others were there`;
    });
    return await measure(embed);
  } finally {
    vectors.close();
  }
}

/** Reports progress every few seconds. */
function progressOf(what) {
  let said = performance.now();
  return (count, total) => {
    if (performance.now() - said > 5000) {
      said = performance.now();
      console.error(`  ${count} of ${total} ${what}`);
    }
  };
}

if (isProgram(import.meta.url)) {
  await runProgram(main);
}
