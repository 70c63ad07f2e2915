// Measures how much of a question's evidence is in its context, and prints the figures as one JSON object at the end.
// See `usage`.

import { resolve } from "node:path";
import { readConversations } from "../benches/recall/file.mjs";
import { build } from "./build.mjs";
import { Failure, isProgram, runProgram, seconds, step } from "./project.mjs";
import { setUp } from "./setup.mjs";

export const usage = `npm run recall -- FILE.json [--with JSON] [--oracle] [--embed]

Builds the context of every question of FILE with the built package and its default configuration, at 250, 500, 1000,
2000, 4000 and 8000 tokens, and says how much of what answers the question is in it, beside two baselines of the same
package: the newest messages (recency), and plain BM25 over the messages.

  --with JSON
            also with these options of recall: --with '{"excerpts":{"enabled":false}}'
  --oracle  also with triage.select by one who knows the answer: a bound
  --embed   also with the hook recall.embed and a small model (all-MiniLM-L6-v2), which is installed into
            .cache/recall with Python and pip; vectors are made once; and with triage.select by their nearness: a bound

FILE holds conversations, [{ "id", "messages", "questions" }]. Messages are as buildContext takes them, each with an
id. A question is { "request", "name"?: who asks, "upTo": it is asked after so many messages, "evidence": [ids],
"groups"?: [[ids]], "parents"?: [ids], "category"?: number }, and one without evidence is passed over. What is measured
follows from what the questions have, as the mean over them:

  groups          share of the groups of which a message is kept
  parents         share of the parents that is kept (in the JSON below 1000 tokens), and that of the evidence, the
                  thread so far (in the JSON from 1000 tokens)
  category > 0    share of the evidence that is kept, over the categories 1 to 4; category 5 apart; and where an
                  assistant takes part, the share of the tokens of its part of the evidence
  none of these   share of the evidence's tokens that is kept

Beside each measure stands how much more it is than with plain BM25, and than with the next smaller budget, with an
interval by the pairs of questions; "!" marks what is clearly less. Below are R@5, R@10 and NDCG@10 of the ranking alone, and
whether the contexts still read as conversations: how many replies come with what they answer, and how many messages of one
role stand in a row.

The budget is for what is taken from the transcript: tokens of o200k_base in "{name}: {content}", or in the content and
the JSON of its tool calls, and 4 a message. The request is not in it. Where messages have times and the question has no
"createdAt" of its own, the clock is one day after the newest message: the question is asked when all is over.

The last line of standard output is a JSON object: for each budget the measure in percent, with the hook if --embed is given.
Ranges in the table are 95 % bootstrap intervals over the questions (1000 resamples).`;

const OPTIONS = ["--embed", "--oracle", "--with", "--help", "-h"];

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
  return files.length === 0 || given.includes("--help") || given.includes("-h")
    ? undefined
    : {
        file: files[0],
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
  const conversations = readConversations(resolve(process.env.INIT_CWD ?? process.cwd(), asked.file));
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
