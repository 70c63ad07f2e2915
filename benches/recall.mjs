// Rankings: what it costs to keep what a request is about rather than what is newest, in time and in memory.
//
// A ranking's cost is the difference of two builds over the same transcript, with the same request and budget, each the best
// of five: what else the machine does makes a build slower, and two of them their difference uncertain. The limits are
// for the engine in Node; Chromium is there to compare with, and what others find messages with.

import { Failure, step } from "../scripts/project.mjs";
import { openStorePage } from "../tests/package/support/store-page.mjs";
import { measureSession } from "./ranked-sessions.mjs";
import * as rankings from "./rankings.mjs";
import * as searches from "./searches.mjs";
import { shown, Table } from "./table.mjs";

const SIZES = [1000, 10_000, 100_000, 1_000_000];
/** As far as it is measured in Chromium, and beside others. */
const SIZES_IN_CHROMIUM = SIZES.slice(0, 3);
const SIZES_OF_OTHERS = SIZES.slice(1, 3);
const ROUNDS = 15;

/** The most that a ranking of so many messages may cost, in milliseconds. */
const MOST_RANKING = [
  { size: 100_000, most: 5 },
  { size: 1_000_000, most: 50 },
];
/** How much more a message that is appended to the third size may cost than one that is appended to the first. */
const MOST_APPENDING_RATIO = 1.5;

/** Measures, prints, and fails where something is over its limit. */
export async function run() {
  const wrong = [];
  await rankings.warmUp();
  const own = [];
  for (const size of SIZES) {
    own.push(await given(`Node: ${ROUNDS} requests to ${shown(size)} messages`, () => rankings.measure(size, ROUNDS)));
  }
  printOwn("Node, budget 4,000 tokens", SIZES, own, wrong);
  printOwn("Chromium", SIZES_IN_CHROMIUM, await inChromium());
  await printSessions();
  await printOthers(own);
  if (wrong.length > 0) {
    throw new Failure(`over the limit: ${wrong.join("; ")}`);
  }
}

/** A step that gives what was found. */
async function given(title, measure) {
  let found;
  await step(title, async () => {
    found = await measure();
  });
  return found;
}

async function inChromium() {
  const site = await openStorePage({ script: 'import "../../../benches/recall-page.mjs";' });
  try {
    const page = await site.page();
    await page.evaluate(() => globalThis.bench.warmUp());
    const found = [];
    for (const size of SIZES_IN_CHROMIUM) {
      const measure = () => page.evaluate(([size, rounds]) => globalThis.bench.measure(size, rounds), [size, ROUNDS]);
      found.push(await given(`Chromium: ${ROUNDS} requests to ${shown(size)} messages`, measure));
    }
    if (site.complaints.length > 0) {
      throw new Failure(`the page complained: ${site.complaints.join("; ")}`);
    }
    return found;
  } finally {
    await site.close();
  }
}

/** Prints what was measured at each size; with `wrong`, where the limits apply, adds what is over one. */
function printOwn(title, sizes, found, wrong) {
  const table = new Table("", "unit", ...sizes.map((size) => `${shown(size)} messages`), "ratio", "limit");
  table.title(title);
  const add = (name, unit, of, limit) => {
    const values = found.map((each, index) => of(each, sizes[index]));
    const measured = values.filter((value) => !Number.isNaN(value));
    const ratio = (measured.at(-1) / measured[0]).toFixed(2);
    table.add(name, unit, ...values.map((value) => (Number.isNaN(value) ? "" : value)), ratio, wrong && limit);
  };
  add("build, the newest first", "ms", ({ recency }) => recency);
  add("build by relevance", "ms", ({ relevance }) => relevance);
  const bounds = MOST_RANKING.map(({ size, most }) => `≤ ${most} at ${shown(size)}`).join(", ");
  add(`ranking: their difference, median of ${ROUNDS}`, "ms", ({ ranking }) => ranking, bounds);
  add("the most of them", "ms", ({ mostRanking }) => mostRanking);
  add("their difference where the tokens of what is found are not counted yet", "ms", ({ first }) => first);
  add("a ranking by the million messages", "ms", ({ ranking }, size) => (ranking / size) * 1e6);
  add("the index, a message", "µs", ({ indexing }, size) => (indexing / size) * 1000);
  add("a message more", "µs", ({ block }) => block * 1000, `ratio ≤ ${MOST_APPENDING_RATIO} at 100,000`);
  add("text of a message", "bytes", ({ textBytes }, size) => textBytes / size);
  add("the engine grows by the first ranking, a message", "bytes", ({ growth }, size) => growth / size);
  console.log(`${table.text()}\n`);
  if (wrong === undefined) {
    return;
  }
  for (const { size, most } of MOST_RANKING) {
    const { ranking } = found[sizes.indexOf(size)];
    if (!(ranking <= most)) {
      wrong.push(`a ranking of ${shown(size)} messages costs ${shown(ranking)} ms, and at most ${most} is allowed`);
    }
  }
  const ratio = found[sizes.indexOf(100_000)].block / found[sizes.indexOf(1000)].block;
  if (!(ratio <= MOST_APPENDING_RATIO)) {
    wrong.push(
      `a message more costs ${ratio.toFixed(2)} times as much at 100,000 messages as at 1,000, and at most ${MOST_APPENDING_RATIO} is allowed`,
    );
  }
}

/** Prints what ranking costs in a session, whose index is in the store. */
async function printSessions() {
  const sizes = SIZES.slice(0, 3);
  const table = new Table("", "unit", ...sizes.map((size) => `${shown(size)} messages`), "ratio");
  table.title("a session in memory, budget 4,000 tokens");
  const found = [];
  for (const size of sizes) {
    found.push(await given(`a session of ${shown(size)} messages`, () => measureSession(size)));
  }
  const add = (name, unit, of) => {
    const values = found.map(of);
    table.add(name, unit, ...values, (values.at(-1) / values[0]).toFixed(2));
  };
  add("the first build of a log without an index", "ms", ({ indexing }) => indexing);
  add("the first build of a session that is opened again", "ms", ({ opening }) => opening.milliseconds);
  add("messages that it reads", "", ({ opening }) => opening.rowsRead);
  add("what it reads of the index, a message", "bytes", ({ opening }, index) => opening.bytesRead / sizes[index]);
  add("a build after an exchange", "ms", ({ next }) => next.milliseconds);
  add("messages that it reads", "", ({ next }) => next.rowsRead);
  console.log(`${table.text()}\n`);
}

/** Prints what others need on the same messages, and how many times that is what a ranking needs. */
async function printOthers(own) {
  const { SEARCHES } = searches;
  const table = new Table("", "unit", "windrow", ...SEARCHES, ...SEARCHES.map((name) => `${name} / windrow`));
  for (const size of SIZES_OF_OTHERS) {
    const { ranking, indexing, growth } = own[SIZES.indexOf(size)];
    const others = [];
    for (const name of SEARCHES) {
      const title = `${name}: ${ROUNDS} requests to ${shown(size)} messages`;
      others.push(await given(title, () => searches.measure(name, size, ROUNDS)));
    }
    const add = (name, unit, value, of) => {
      const values = others.map(of);
      table.add(name, unit, value, ...values, ...values.map((other) => (other / value).toFixed(2)));
    };
    table.title(`${shown(size)} messages, the same stop words`);
    add("index", "ms", indexing, (other) => other.indexing);
    add(`a request, median of ${ROUNDS}`, "ms", ranking, (other) => other.query);
    add("memory, a message", "bytes", growth / size, (other) => other.growth / size);
  }
  console.log(table.text());
  console.log(
    [
      "windrow: a ranking as above, with stems, the words that the best messages share, neighbours, times and names, and the fitting",
      "of the budget; memory with what a ranking needs while it runs. MiniSearch: BM25+ over whole words, all messages that have one",
      "of them. FlexSearch: whole words, those that have most of them first, without BM25. Neither keeps a text, nor fits a budget.",
    ].join("\n"),
  );
}
