// Fits shares to exact counts: the cost of a piece of each kind in a tokenizer, in percent of its cost in `o200k_base`.

/** Pull of a share toward the previous one. A larger value keeps shares close that the texts can't distinguish. */
const HOLD = 3e-7;
/** How often the shares are fitted, each time from the last ones. */
const PASSES = 3;
const ROUNDS = 1500;
const LEAST_SHARE = 20;

/**
 * Returns the shares that fit texts best, in whole percent: least squares of relative errors. Scripts weigh the
 * same, and the texts of a script weigh by their tokens.
 *
 * A text has `script`, `costs` by kind in hundredths of a token, and its exact count `tokens`. `start` has the shares
 * before, and `fixed` the kinds whose share stays. The last share may be 0: it is an addition.
 */
export function fitShares(texts, start, fixed = new Set()) {
  const number = new Map();
  for (const { script, tokens } of texts) {
    number.set(script, (number.get(script) ?? 0) + tokens);
  }
  const rows = texts.map(({ costs, tokens }) => costs.map((cost) => cost / 10_000 / tokens));
  const weights = texts.map(({ script, tokens }) => tokens / number.get(script));
  let shares = [...start];
  for (let pass = 0; pass < PASSES; pass++) {
    shares = fittedOnce(rows, weights, shares, fixed);
  }
  return shares.map(Math.round);
}

/** Fits all shares in turn, each with the others unchanged. */
function fittedOnce(rows, weights, before, fixed) {
  const shares = [...before];
  const errors = rows.map((row) => row.reduce((sum, cost, kind) => sum + cost * shares[kind], -1));
  const free = shares.map((_, kind) => kind).filter((kind) => !fixed.has(kind));
  for (let round = 0; round < ROUNDS; round++) {
    for (const kind of free) {
      let [slope, curve] = [HOLD * (shares[kind] - before[kind]), HOLD];
      for (const [index, row] of rows.entries()) {
        slope += weights[index] * row[kind] * errors[index];
        curve += weights[index] * row[kind] ** 2;
      }
      const least = kind === shares.length - 1 ? 0 : LEAST_SHARE;
      const change = Math.max(least, shares[kind] - slope / curve) - shares[kind];
      shares[kind] += change;
      for (const [index, row] of rows.entries()) {
        errors[index] += row[kind] * change;
      }
    }
  }
  return shares;
}

/**
 * Returns by script the error of the estimated total in percent of the exact one, given texts with `estimate` and
 * `tokens`.
 */
export function errorsByScript(texts) {
  const totals = new Map();
  for (const { script, estimate, tokens } of texts) {
    const [estimated, exact] = totals.get(script) ?? [0, 0];
    totals.set(script, [estimated + estimate, exact + tokens]);
  }
  return new Map([...totals].map(([script, [estimated, exact]]) => [script, (estimated / exact - 1) * 100]));
}
