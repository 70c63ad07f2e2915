// Reports a run of conformance cases: the failed cases, the figures and the last line.

/**
 * Share of the strict `code` cases that must pass. The documents don't cover these, and the code is only one good
 * answer.
 */
export const LEAST_SHARE_OF_CODE = 0.95;

/** Returns true if a case passes in a tier. A case that could not be run or understood passes in neither. */
export function passes({ checks, failure }, tier = 1) {
  return failure === undefined && checks.length > 0 && checks.every((check) => check.tier !== tier || check.passed);
}

/**
 * Figures of a run, in total and by document: `{ passed, of }` for the strict cases with basis `document`, those with
 * basis `code`, the informational cases, and the wording of the strict ones.
 */
export function figuresOf(results) {
  const strict = results.filter(({ isStrict }) => isStrict);
  const tally = (cases, tier) => ({ passed: cases.filter((result) => passes(result, tier)).length, of: cases.length });
  return {
    strict: tally(strict),
    document: tally(strict.filter(({ basis }) => basis === "document")),
    code: tally(strict.filter(({ basis }) => basis === "code")),
    information: tally(results.filter(({ isStrict }) => !isStrict)),
    wording: tally(
      strict.filter(({ checks }) => checks.some(({ tier }) => tier === 2)),
      2,
    ),
  };
}

/** Returns true if every strict `document` case passes and 95% of the strict `code` cases do. */
export function isGood(results) {
  const { document, code } = figuresOf(results);
  return document.passed === document.of && code.passed >= code.of * LEAST_SHARE_OF_CODE;
}

/** The report of a run, as lines. The last is `N passed, N failed` for the strict cases in the first tier. */
export function reportLines(results, documents) {
  const strict = results.filter(({ isStrict }) => isStrict);
  const { passed, of } = figuresOf(results).strict;
  return [
    ...part("Failed", strict, 1),
    ...part("For information: another wording or order than the code's", strict, 2),
    ...part(
      "For information: cases that are not strict",
      results.filter(({ isStrict }) => !isStrict),
      1,
    ),
    ...table(results, documents),
    "",
    `${passed} passed, ${of - passed} failed`,
  ];
}

function part(title, results, tier) {
  const failing = results.filter((result) => !passes(result, tier) && (tier === 1 || passes(result)));
  return failing.length === 0 ? [] : [`${title}:`, "", ...failing.flatMap((result) => caseLines(result, tier)), ""];
}

function caseLines({ id, basis, behaviour, checks, failure }, tier) {
  const lines = [`✗ ${id} (${basis}): ${behaviour}`];
  if (failure !== undefined) {
    return [...lines, ...failure.split("\n").map((line) => `    ${line}`)];
  }
  if (checks.length === 0) {
    return [...lines, "    nothing was checked"];
  }
  const failing = checks.filter((check) => !check.passed && check.tier === tier);
  return [
    ...lines,
    ...failing.flatMap(({ key, expected, actual }) => {
      const [left, right] = shown(expected, actual);
      return [`    ${key}`, `      expected ${left}`, `      actual   ${right}`];
    }),
  ];
}

const LONGEST_SHOWN = 600;
const SHOWN_AROUND = 120;

/** Prints two values. Long ones are cut to the part around their first difference. */
function shown(expected, actual) {
  const [left, right] = [expected, actual].map((value) => JSON.stringify(value) ?? "nothing");
  if (left.length <= LONGEST_SHOWN && right.length <= LONGEST_SHOWN) {
    return [left, right];
  }
  let same = 0;
  while (same < Math.min(left.length, right.length) && left[same] === right[same]) {
    same += 1;
  }
  const from = Math.max(0, same - SHOWN_AROUND);
  return [left, right].map((text) => {
    const length = text.length <= LONGEST_SHOWN ? 0 : from;
    const end = text.length <= LONGEST_SHOWN ? text.length : length + LONGEST_SHOWN;
    const before = length > 0 ? "… " : "";
    const after = end < text.length ? ` … (${text.length} characters)` : "";
    return `${before}${text.slice(length, end)}${after}`;
  });
}

const COLUMNS = [
  ["document", "strict, document"],
  ["code", "strict, code"],
  ["wording", "wording"],
  ["information", "not strict"],
];

function table(results, documents) {
  const seeds = [...new Set(results.map(({ seed }) => seed))].sort();
  const row = (name, figures) => [name, ...COLUMNS.map(([key]) => share(figures[key]))];
  const rows = [
    ["", ...COLUMNS.map(([, title]) => title)],
    ...seeds.map((seed) => {
      const ofSeed = results.filter((result) => result.seed === seed);
      return row(`${seed} ${documents[seed]?.preset ?? "(unknown)"}`, figuresOf(ofSeed));
    }),
    row("all", figuresOf(results)),
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((cells) => cells[column].length)));
  return rows.map((cells) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column] + 2)))
      .join("")
      .trimEnd(),
  );
}

function share({ passed, of }) {
  return of === 0 ? "-" : `${passed}/${of}`;
}
