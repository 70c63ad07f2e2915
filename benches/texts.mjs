// Generates texts to count from a seed, so no cache has seen them. The words and their frequencies are real: English
// and names in many languages from the host's own data, and code from this project's sources.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectPath } from "../scripts/project.mjs";
import { Random } from "../tests/package/support/random.mjs";

/** Cuts a text to at most `bytes` bytes of UTF-8, between characters. */
export function cutTo(text, bytes) {
  const room = new Uint8Array(bytes);
  const { read } = new TextEncoder().encodeInto(text, room);
  return text.slice(0, read);
}

function repeatedTo(bytes, next) {
  const parts = [];
  let length = 0;
  const encoder = new TextEncoder();
  while (length < bytes) {
    const part = next();
    length += encoder.encode(part).length;
    parts.push(part);
  }
  return cutTo(parts.join(""), bytes);
}

/** Returns a made-up word, like a name, a typo or jargon. */
function madeUpWord(random) {
  const syllable = () =>
    random.pick([..."bcdfghklmnprstvw"]) + random.pick(["a", "e", "i", "o", "u", "ea", "or", "an"]);
  const word = Array.from({ length: random.integer(1, 3) }, syllable).join("") + random.pick(["", "n", "r", "st", "l"]);
  return random.chance(0.4) ? word[0].toUpperCase() + word.slice(1) : word;
}

/** The words of this project's documents, as often as they occur. */
let paperWords;
function wordsOfPapers() {
  paperWords ??= [
    "README.md",
    "DESIGN.md",
    "CONTRIBUTING.md",
    ...readdirSync(projectPath("docs")).map((name) => join("docs", name)),
  ]
    .filter((name) => name.endsWith(".md"))
    .flatMap((name) => readFileSync(projectPath(name), "utf8").split(/\s+/))
    .filter((word) => /^[A-Za-z][a-z'’-]*[.,;:?!]?$/.test(word));
  return paperWords;
}

/** Returns English sentences: words of the documents, one in thirty made up, and occasional numbers. */
export function englishText(bytes, seed) {
  const random = new Random(seed);
  const words = wordsOfPapers();
  return repeatedTo(bytes, () => {
    const count = random.integer(4, 22);
    const sentence = Array.from({ length: count }, () => {
      if (random.chance(0.01)) {
        return String(random.integer(1, 9999));
      }
      return random.chance(1 / 30) ? madeUpWord(random) : random.pick(words);
    }).join(" ");
    return `${sentence[0].toUpperCase()}${sentence.slice(1)}${random.pick([". ", ". ", "? ", "! ", ".\n\n"])}`;
  });
}

/**
 * Lines of this project's sources, with some names replaced by made-up ones. None contains the text of a special token,
 * which a peer refuses.
 */
let sourceLines;
export function codeText(bytes, seed) {
  const random = new Random(seed);
  sourceLines ??= ["src", join("pkg-template", "src"), "scripts"].flatMap((folder) =>
    readdirSync(projectPath(folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(rs|ts|mjs)$/.test(name))
      .flatMap((name) => readFileSync(projectPath(folder, name), "utf8").split("\n"))
      .filter((line) => !line.includes("<|")),
  );
  const renamed = (line) =>
    line.replace(/[a-z]{5,}/g, (name) => (random.chance(0.1) ? madeUpWord(random).toLowerCase() : name));
  return repeatedTo(bytes, () => {
    const first = random.integer(0, sourceLines.length - 12);
    return `${sourceLines
      .slice(first, first + random.integer(3, 12))
      .map(renamed)
      .join("\n")}\n`;
  });
}

const LANGUAGES =
  "ar bg bn ca cs da de el es et fa fi fr gu he hi hr hu hy id it ja ka kk km kn ko lt lv ml mr ms my nb nl pa pl pt ro ru sk sl sr sv sw ta te th tr uk ur uz vi zh".split(
    " ",
  );
let namesByLanguage;

/** Returns the host's names for places, languages and currencies, by language. */
function namesOfLanguages() {
  namesByLanguage ??= LANGUAGES.map((language) => {
    const names = new Set();
    const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
    const codes = letters.flatMap((first) => letters.map((second) => first + second));
    const regions = new Intl.DisplayNames([language], { type: "region", fallback: "none" });
    const languages = new Intl.DisplayNames([language], { type: "language", fallback: "none" });
    for (const code of codes) {
      names.add(regions.of(code));
      names.add(languages.of(code.toLowerCase()));
    }
    const currencies = new Intl.DisplayNames([language], { type: "currency", fallback: "none" });
    for (const code of Intl.supportedValuesOf("currency")) {
      names.add(currencies.of(code));
    }
    names.delete(undefined);
    return [...names];
  });
  return namesByLanguage;
}

/** Returns sentences in many languages, built from their names. */
export function multilingualText(bytes, seed) {
  const random = new Random(seed);
  const names = namesOfLanguages();
  return repeatedTo(bytes, () => {
    const own = random.pick(names);
    const words = Array.from({ length: random.integer(2, 9) }, () => random.pick(own));
    return `${words.join(random.pick([" ", ", ", " "]))}${random.pick([". ", "! ", "\n", " 👍🏽\n", "。"])}`;
  });
}

/** Returns chat messages of about `bytes` bytes each. */
export function chatMessages(count, bytes, seed) {
  const random = new Random(seed);
  const text = englishText(Math.ceil(count * bytes * 1.3), seed);
  let at = 0;
  return Array.from({ length: count }, () => {
    const length = random.integer(Math.round(bytes * 0.5), Math.round(bytes * 1.5));
    const message = text.slice(at, at + length);
    at += length;
    return message;
  });
}
