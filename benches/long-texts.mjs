// Times counting and cutting long texts of awkward kinds, compared with English words.

import { buildContextSync, countTokens, loadEncoding } from "windrow";
import { Failure } from "../scripts/project.mjs";
import { Random } from "../tests/package/support/random.mjs";
import { Table } from "./table.mjs";

const COUNTED_BYTES = 4 << 20;
const CUT_BYTES = 16 << 20;
/** The least speed of counting or cutting any text, as a share of the speed for English. */
const LEAST_SHARE = 1 / 20;
const ROUNDS = 3;

/** Letters that form one long piece, or many pieces that are never in the cache. */
const PIECES = [
  ["a", "b", "e", "n", "z", "th", "ing"],
  ["A", "B", "TH"],
  ["=", "-", "*", "/", ".", "#", "_", "!", "\n\n", "\r\n"],
  [" ", "\t", "\u{a0}", "\u{3000}"],
  ["\n", "\r", " ", "\t"],
  ["漢", "字", "の", "は", "한", "ก", "क्"],
  ["😀", "👍🏽", "\u{301}", "\u{200d}", "👩‍👧", "🇪🇺", "e\u{301}\u{301}"],
];
const ALPHABETS = {
  "small letters": "abcdefghijklmnopqrstuvwxyz",
  "letters and digits": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
  symbols: "!#$%&()*+,-.:;<=>?@[]^_{|}~",
  digits: "0123456789",
  "white space": " \t\n\r\u{a0}",
};

const sizes = new TextEncoder();
const sizeOf = (text) => sizes.encode(text).length;
const repeated = (piece, bytes) => piece.repeat(Math.floor(bytes / sizeOf(piece)));

function randomText(pieces, bytes, seed) {
  const random = new Random(seed);
  const size = pieces.reduce((sum, piece) => sum + sizeOf(piece), 0) / pieces.length;
  return Array.from({ length: Math.floor(bytes / size) }, () => random.pick(pieces)).join("");
}

/** Returns text with English letter frequencies. Its vocabulary is larger than the cache. */
function englishText(bytes) {
  const random = new Random(5);
  const letters = [..."etaoinshrdlucmf"];
  const word = () => Array.from({ length: random.integer(2, 9) }, () => random.pick(letters)).join("");
  const rare = Array.from({ length: 50_000 }, word);
  const often = "the of and to in is it you that he was for on are with as his they be at one have this from".split(
    " ",
  );
  return Array.from({ length: Math.floor(bytes / 5) }, () => random.pick(random.chance(0.5) ? often : rare)).join(" ");
}

function* awkwardTexts(bytes) {
  for (const pieces of PIECES) {
    for (const piece of pieces) {
      yield [`${JSON.stringify(piece)} again and again`, repeated(piece, bytes)];
    }
    yield [`random ${JSON.stringify(pieces.join(""))}`, randomText(pieces, bytes, 7)];
  }
  for (const [what, alphabet] of Object.entries(ALPHABETS)) {
    yield [`random ${what}`, randomText([...alphabet], bytes, 7)];
  }
  for (const length of [60, 64, 128, 129, 200]) {
    const letters = randomText([...ALPHABETS["small letters"]], bytes, 9);
    yield [`random words of ${length} letters`, letters.replace(new RegExp(`.{${length}}`, "g"), "$& ")];
  }
}

/** Returns megabytes per second, the best of several rounds. */
function speedOf(run, text) {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    run(text);
    best = Math.min(best, performance.now() - started);
    if (best > 2000) {
      break; // too slow to reach the limit in later rounds
    }
  }
  return sizeOf(text) / best / 1000;
}

/** Measures one operation on texts, and returns those that were too slow. */
function measure(title, bytes, run) {
  const usual = speedOf(run, englishText(bytes));
  const rows = [...awkwardTexts(bytes)].map(([what, text]) => ({ what, speed: speedOf(run, text) }));
  rows.sort((one, other) => one.speed - other.speed);
  const table = new Table(`${title}, ${bytes >> 20} MB`, "MB/s", "of English");
  table.add("English words", usual, 1);
  for (const { what, speed } of rows.slice(0, 12)) {
    table.add(what, speed, speed / usual);
  }
  console.log(`${table.text()}\n`);
  return rows.filter(({ speed }) => speed < usual * LEAST_SHARE).map(({ what }) => `${title}: ${what}`);
}

export async function run() {
  const slow = [];
  for (const encoding of /** @type {const} */ (["o200k_base", "cl100k_base"])) {
    await loadEncoding(encoding);
    slow.push(...measure(`counted in ${encoding}`, COUNTED_BYTES, (text) => countTokens(text, { encoding })));
    /** @satisfies {import("windrow").SyncContextConfig} */
    const options = {
      encoding,
      budget: { maxTokens: 4000, onRequiredOverflow: "shorten" },
      render: { format: "text" },
    };
    slow.push(
      ...measure(`cut to 4,000 tokens of ${encoding}`, CUT_BYTES, (request) =>
        buildContextSync([], { ...options, request }),
      ),
    );
  }
  if (slow.length > 0) {
    throw new Failure(`at less than a twentieth of the speed of English: ${slow.join("; ")}`);
  }
}
