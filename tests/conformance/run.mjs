// Runs conformance cases against the built package and checks the outcome of each.

import { loadEncoding } from "windrow";
import { readCase } from "./case.mjs";
import { agent } from "./documents/agent.mjs";
import { tiered } from "./documents/tiered.mjs";
import { triaged } from "./documents/triaged.mjs";
import { turnContract } from "./documents/turn-contract.mjs";
import { turns } from "./documents/turns.mjs";
import { check, common, commonOverall } from "./expectations.mjs";
import { NotUnderstood } from "./shape.mjs";

/** The documents, by the number that a case names as its `seed`. */
export const documents = { "000": triaged, "001": turns, "002": tiered, "003": agent, "004": turnContract };

/** Longest time for a build. The longest default timeout in a case is 30 seconds. */
const DEADLINE_MS = 90_000;

/** Runs cases one after another, because some measure time. Returns a result for each. */
export async function runCases(cases) {
  // Loads the encoding first, so that no case's time includes it.
  await loadEncoding("o200k_base");
  const results = [];
  for (const entry of cases) {
    results.push(await runCase(entry));
  }
  return results;
}

/**
 * Runs one case. Its result has its names, `checks` (each with its expected key), and `failure` if the case could not
 * be run or understood.
 */
async function runCase(entry) {
  const result = {
    seed: String(entry?.seed),
    id: String(entry?.id),
    behaviour: String(entry?.behaviour ?? ""),
    basis: entry?.basis === "code" ? "code" : "document",
    isStrict: entry?.strict !== false,
    checks: [],
    failure: undefined,
  };
  try {
    const document = Object.hasOwn(documents, result.seed) ? documents[result.seed] : undefined;
    if (document === undefined) {
      throw new NotUnderstood(`case.seed: there is no document ${result.seed}`);
    }
    result.checks = await checksOf(document, readCase(entry));
  } catch (error) {
    result.failure =
      error instanceof NotUnderstood ? `not understood: ${error.message}` : String(error?.stack ?? error);
  }
  return result;
}

async function checksOf(document, { builds, expected, wording }) {
  const each = { ...common, ...document.expectations };
  const overall = { ...commonOverall, ...document.overall };
  for (const key of Object.keys(expected)) {
    if (!Object.hasOwn(each, key) && !Object.hasOwn(overall, key)) {
      throw new NotUnderstood(`expected.${key}: not understood`);
    }
  }
  const outcomes = [];
  for (const { input, settings } of builds) {
    const asked = { input: structuredClone(input), settings: structuredClone(settings) };
    outcomes.push({ ...(await withinDeadline(attempt(document, input, settings))), asked });
  }
  const checks = [];
  const add = (key, found) => checks.push(...found.map((one) => ({ key, ...one })));
  for (const outcome of outcomes) {
    checks.push(...(outcome.violations ?? []));
    if (isAllowedFailure(outcome, expected)) {
      add("or_error", [check(true, expected.or_error, outcome.error.kind)]);
      continue;
    }
    for (const [key, value] of Object.entries(expected)) {
      if (Object.hasOwn(overall, key)) {
        continue;
      }
      const isOfFailure = document.speaksOfFailure?.includes(key);
      add(
        key,
        outcome.error !== undefined && !isOfFailure
          ? [check(false, value, failureOf(outcome.error))]
          : await each[key](outcome, value, { wording, asked: outcome.asked }),
      );
    }
  }
  for (const [key, value] of Object.entries(expected)) {
    if (Object.hasOwn(overall, key)) {
      const failed = outcomes.find(({ error }) => error !== undefined);
      add(key, failed ? [check(false, value, failureOf(failed.error))] : overall[key](outcomes, value));
    }
  }
  return checks;
}

/**
 * Returns a build's outcome, or its error if it fails. Errors about cases that the runner doesn't understand are
 * rethrown.
 */
async function attempt(document, input, settings) {
  try {
    return await document.build(input, settings);
  } catch (error) {
    if (error instanceof NotUnderstood) {
      throw error;
    }
    return { error };
  }
}

/** Returns true if the build failed with the class that the case allows instead of everything else. */
function isAllowedFailure(outcome, expected) {
  return outcome.error !== undefined && expected.or_error !== undefined && outcome.error.kind === expected.or_error;
}

function failureOf(error) {
  return { failedBuild: error?.code === undefined ? String(error?.stack ?? error) : `${error.code}: ${error.message}` };
}

async function withinDeadline(outcome) {
  let timer;
  const deadline = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`a build took longer than ${DEADLINE_MS} ms`)), DEADLINE_MS);
  });
  try {
    return await Promise.race([outcome, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
