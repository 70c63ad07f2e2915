// Reading a case: which builds it asks for, and what it expects of them. Only what stands in `input` and `config` reaches
// a build; `id`, `behaviour`, `source` and `derivation` name the case in the report and do nothing else.

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
 * - `expected`: what holds for every build, or over all of them;
 * - `wording`: which expected keys are of the second tier, as their wording or order stands in no document.
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

/** The builds of a case: one, or one for each of `variants`, all of them `repeat` times. */
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

/** Texts that are written as `{ repeat, textLength }`, written out. */
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

/** A string repeated to so many characters. */
export function repeated({ repeat, textLength }) {
  checkCount(textLength, "textLength");
  if (typeof repeat !== "string" || repeat === "") {
    throw new NotUnderstood("repeat: expected a text");
  }
  const characters = Array.from(repeat);
  const times = Math.ceil(textLength / characters.length);
  return Array.from(repeat.repeat(times)).slice(0, textLength).join("");
}
