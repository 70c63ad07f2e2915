// Random strings to count: many scripts, code, emoji, white space, numbers, long words and the tokens of a vocabulary.

/** Letters of scripts, from the first to the last code point. */
const SCRIPTS = {
  Latin: [
    [0x61, 0x7a],
    [0x41, 0x5a],
    [0xc0, 0x24f],
    [0x1ea0, 0x1ef9],
  ],
  Greek: [
    [0x391, 0x3a1],
    [0x3b1, 0x3c9],
  ],
  Cyrillic: [
    [0x410, 0x44f],
    [0x450, 0x45f],
  ],
  Armenian: [[0x561, 0x586]],
  Hebrew: [
    [0x5d0, 0x5ea],
    [0x5b0, 0x5bc],
  ],
  Arabic: [
    [0x627, 0x64a],
    [0x64b, 0x652],
    [0x679, 0x6d2],
  ],
  Devanagari: [
    [0x905, 0x939],
    [0x93e, 0x94d],
    [0x966, 0x96f],
  ],
  Bengali: [
    [0x985, 0x98c],
    [0x9be, 0x9c4],
  ],
  Tamil: [
    [0xb85, 0xb8a],
    [0xbbe, 0xbc2],
  ],
  Telugu: [
    [0xc05, 0xc0c],
    [0xc3e, 0xc44],
  ],
  Thai: [
    [0xe01, 0xe2e],
    [0xe30, 0xe3a],
    [0xe47, 0xe4d],
  ],
  Khmer: [
    [0x1780, 0x17b3],
    [0x17b6, 0x17d3],
  ],
  Georgian: [[0x10d0, 0x10fa]],
  Ethiopic: [[0x1200, 0x1248]],
  Hangul: [
    [0xac00, 0xd7a3],
    [0x1100, 0x1112],
  ],
  Hiragana: [[0x3041, 0x3096]],
  Katakana: [[0x30a1, 0x30fa]],
  Han: [
    [0x4e00, 0x9fff],
    [0x3400, 0x4dbf],
    [0x20000, 0x2a6df],
  ],
};

const EMOJI = [..."😀😂🥲👍🚀🌍🧵🎉", "👩‍👩‍👧‍👦", "👍🏽", "🏳️‍🌈", "🇪🇺", "🇩🇪", "1️⃣", "❤️", "☎", "\u200d", "\ufe0f"];
const SPACES = [
  " ",
  " ",
  "  ",
  "   ",
  "\t",
  "\n",
  "\r\n",
  "\n\n",
  "\r",
  "\u00a0",
  "\u3000",
  "\u2028",
  "\v",
  " \n ",
  "        ",
];
const SYMBOLS = [..."!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~«»“”‘’–—…·¡¿、。「」€£¥§©®°×÷→√∑≠"];
const CODE = [
  "fn main() {",
  "});",
  "=> {",
  "if (a === b) ",
  "return ",
  "const x = ",
  "import os\n",
  "def f(self):\n    ",
  "#include <",
  "//",
  "/*",
  "*/",
  "</div>",
  "&amp;",
  "0xff",
  "1e-9",
  "a_b",
  "camelCase",
  "SCREAMING_CASE",
  "HTTPServer",
  "i++",
  "[0]",
  "${",
  "\\n",
  '"key": ',
  "self.",
  "::",
  "->",
  "!=",
  "&&",
  "||",
  "@param ",
  "--flag",
  "SELECT * FROM ",
];
const CONTRACTIONS = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "'LL", "’s", "n't", "'x"];
const LONGEST_WORD = 600;

/** A character of a script. */
function letterOf(random, script) {
  const [first, last] = random.pick(SCRIPTS[script]);
  return String.fromCodePoint(random.integer(first, last));
}

function wordOf(random, length) {
  const script = random.pick(Object.keys(SCRIPTS));
  return Array.from({ length }, () => letterOf(random, script)).join("");
}

/** Any character except a lone surrogate. */
function anyCharacter(random) {
  const most = random.pick([0x7f, 0x7ff, 0xffff, 0x10ffff]);
  const codePoint = random.integer(0, most);
  return codePoint >= 0xd800 && codePoint <= 0xdfff ? "" : String.fromCodePoint(codePoint);
}

/** The kinds of fragments that strings are made of. Each takes the tokens of a vocabulary, and returns a fragment. */
const BITS = [
  (random, tokens) => random.pick(tokens),
  (random, tokens) => random.pick(tokens),
  (random, tokens) => random.pick(tokens),
  (random) => wordOf(random, random.integer(1, 12)),
  (random) => ` ${wordOf(random, random.integer(1, 9))}`,
  (random) => random.pick(EMOJI),
  (random) => random.pick(SPACES),
  (random) => random.pick(SYMBOLS),
  (random) => random.pick(CODE),
  (random) => random.pick(CONTRACTIONS),
  (random) => String(random.integer(0, 10 ** random.integer(1, 9))),
  (random) => random.pick(SPACES).repeat(random.integer(1, 20)),
  (random) => random.pick(SYMBOLS).repeat(random.integer(1, 20)),
  anyCharacter,
];

/** Returns a random string. Takes the texts of a vocabulary's tokens. */
export function randomString(random, tokens) {
  if (random.chance(1 / 200)) {
    const bit = random.chance(0.5) ? wordOf(random, random.integer(1, 9)) : random.pick(tokens);
    return random.chance(0.5) ? wordOf(random, random.integer(60, LONGEST_WORD)) : bit.repeat(random.integer(10, 60));
  }
  return Array.from({ length: random.integer(1, 12) }, () => random.pick(BITS)(random, tokens)).join("");
}
