// Measures the cost of ranking in time and memory: keeping messages relevant to the request instead of the newest.
//
// A ranking's cost is the difference between two builds with the same transcript, request and budget, each the best of
// five, because other work on the machine makes builds slower and their difference uncertain. The limits apply to the
// engine in Node. Chromium and other search packages are measured for comparison.

import { Failure, step } from "../scripts/project.mjs";
import { openStorePage } from "../tests/package/support/store-page.mjs";
import { measureSession } from "./ranked-sessions.mjs";
import * as rankings from "./rankings.mjs";
import * as searches from "./searches.mjs";
import { shown, Table } from "./table.mjs";

const SIZES = [1000, 10_000, 100_000, 1_000_000];
/** The sizes measured in Chromium, and with other packages. */
const SIZES_IN_CHROMIUM = SIZES.slice(0, 3);
const SIZES_OF_OTHERS = SIZES.slice(1, 3);
const ROUNDS = 15;

/** The most that one ranking may cost at each size, in milliseconds. */
const MOST_RANKING = [
  { size: 100_000, most: 5 },
  { size: 1_000_000, most: 50 },
];
/** The largest ratio between the cost of appending a message at the third size and at the first. */
const MOST_APPENDING_RATIO = 1.5;

/** Measures, prints, and fails if a figure exceeds its limit. */
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

/** Runs a step and returns its result. */
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

/** Prints the figures for each size. If the limits apply, adds the figures that exceed them to `wrong`. */
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

/** Prints the cost of ranking in a session, whose index is in the store. */
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

/** Prints the figures of other packages on the same messages, and their ratio to windrow's. */
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
