// Reads a case: the builds that it asks for, and its expectations. Only `input` and `config` reach a build. `id`,
// `behaviour`, `source` and `derivation` describe the case in the report and have no other effect.

import { checkChoice, checkCount, checkKeys, checkList, NotUnderstood } from "./shape.mjs";

const KEYS = [
  "seed",
  "id",
  "behaviour",
  "source",
  "derivation",
  "input",
  "config",
  "expected",
  "basis",
  "strict",
  "rendered_basis",
  "order_basis",
  "threadStatus_basis",
  "note",
  "ambiguous",
  "code_variants",
];

/**
 * Reads a case into its builds and expectations:
 * - `builds`: input and settings of each, in order;
 * - `expected`: conditions for every build, or over all of them;
 * - `wording`: expected keys of the second tier, whose wording or order no document specifies.
 */
export function readCase(entry) {
  checkKeys(entry, "case", KEYS);
  checkChoice(entry.basis, "case.basis", ["document", "code"]);
  checkChoice(entry.strict, "case.strict", [true, false]);
  const isCode = (key) => checkChoice(entry[key] ?? "document", `case.${key}`, ["document", "code"]) === "code";
  const expected = expand(entry.expected);
  if (Object.keys(checkKeys(expected, "expected", Object.keys(expected ?? {}))).length === 0) {
    throw new NotUnderstood("expected: the case expects nothing");
  }
  return {
    builds: readBuilds(expand(entry.input), entry.config ?? {}),
    expected,
    wording: {
      rendered: isCode("rendered_basis"),
      order: isCode("order_basis"),
      threadStatus: isCode("threadStatus_basis"),
    },
  };
}

/** Builds of a case: one, or one for each of `variants`, each `repeat` times. */
function readBuilds(given, settings) {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new NotUnderstood("input: expected an object");
  }
  const { variants = [{}], repeat = 1, ...input } = given;
  if (checkList(variants, "input.variants").length === 0 || checkCount(repeat, "input.repeat") === 0) {
    throw new NotUnderstood("input: the case asks for no build");
  }
  return variants.flatMap((variant) => {
    const { config = {}, ...changes } = variant;
    const build = { input: { ...input, ...changes }, settings: { ...settings, ...config } };
    return Array.from({ length: repeat }, () => structuredClone(build));
  });
}

/** Expands texts written as `{ repeat, textLength }`. */
function expand(value) {
  if (Array.isArray(value)) {
    return value.map(expand);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (isRepeated(value)) {
    return repeated(value);
  }
  return Object.fromEntries(Object.entries(value).map(([key, element]) => [key, expand(element)]));
}

function isRepeated(value) {
  return Object.keys(value).sort().join() === "repeat,textLength";
}

/** Repeats a string until it has `textLength` characters. */
export function repeated({ repeat, textLength }) {
  checkCount(textLength, "textLength");
  if (typeof repeat !== "string" || repeat === "") {
    throw new NotUnderstood("repeat: expected a text");
  }
  const characters = Array.from(repeat);
  const times = Math.ceil(textLength / characters.length);
  return Array.from(repeat.repeat(times)).slice(0, textLength).join("");
}
