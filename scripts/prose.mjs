// Habits of translated English in comments and Markdown, and the subject of the newest commit. Part of `npm run lint`.
//
//   node scripts/prose.mjs             prints files that got worse
//   node scripts/prose.mjs FILE …      prints each habit found in these files, with its line
//   node scripts/prose.mjs --write     lowers the recorded counts to today's; a count never rises
//
// A file may have up to 5 habits per 1,000 words. Older files with more are recorded in prose.json, and their counts
// may only fall. A habit is a hint: read the sentence aloud, and say who does what.

import { readFileSync, writeFileSync } from "node:fs";
import { capture, Failure, isProgram, projectPath, runProgram } from "./project.mjs";

/** Habits with a name that says how to write instead. */
const HABITS = [
  ["start with a noun or a verb", /^(What|Whether|Where|Of|By what|From what|With what)\b/g],
  [
    "name the thing instead of 'what is'",
    /\b[Ww]hat (is|was|are|were|has|had|stands|goes|comes|came|belongs|fits|selects|reads|counts|can|may|must|it|they|a|an|the|one|no|else|others|there)\b/g,
  ],
  ["make two sentences of 'of which'", /\b(of|in|for|by|from|with|behind|before) (which|whose|what)\b/g],
  ["write 'isn't a' or 'has no'", /\b(is|are|was|were|be) (none|no)\b(?! longer| more)/g],
  [
    "write 'if' or 'when' for conditions",
    /\b[Ww]here (it|there|one|that|they|this|nothing|none|a|an|no|its|the|all|some|these|both|only|not)\b/g,
  ],
  ["write 'returns'", /\b[Gg]ives?\b/g],
  ["write 'after' or 'next to'", /\b(behind|beside)\b/gi],
  ["write 'is'", /\bstands?\b/g],
  ["write a number or 'as many as'", /\bso (many|much|long)\b/g],
  [
    "write 'again', 'still', 'except' or 'unchanged'",
    /\banew\b|\ball the same\b|\bbut for\b|\bas (it|they) (is|was|are|were)\b/g,
  ],
  ["write 'its own' or 'separate'", /\bof (its|their|his|her) own\b/g],
];

const RECORD = projectPath("scripts", "prose.json");
const MOST_PER_1000_WORDS = 5;
const isSkipped = (path) =>
  /(^|\/)(vendor|samples|generated)(\/|\.)|^scripts\/prose\.mjs$|^tests\/scripts\/prose/.test(path);

/** The prose of a file: its paragraphs or comments, each with the number of its first line. */
export function proseOf(path, text) {
  const isMarkdown = path.endsWith(".md");
  const found = [];
  let open;
  let isCode = false;
  const close = () => {
    if (open !== undefined && open.text.trim() !== "") {
      found.push(open);
    }
    open = undefined;
  };
  for (const [at, line] of text.split("\n").entries()) {
    const said = isMarkdown ? line : /^\s*(?:\/\/[/!]?|\/?\*\*?(?!\/))\s?(.*?)(?:\*\/)?\s*$/.exec(line)?.[1];
    if (said?.trim().startsWith("```")) {
      isCode = !isCode;
    } else if (said === undefined || isCode || (isMarkdown && (said.trim() === "" || /^\s*(\||#|<)/.test(said)))) {
      close();
      isCode &&= said !== undefined;
    } else if (open === undefined) {
      open = { line: at + 1, text: said };
    } else {
      open.text += `\n${said}`;
    }
  }
  close();
  return found;
}

/** Each habit in a text: its name, the words, and the line. */
export function habitsIn(path, text) {
  return proseOf(path, text).flatMap(({ line, text: paragraph }) =>
    HABITS.flatMap(([advice, pattern]) =>
      Array.from(paragraph.replaceAll("\n", " ").matchAll(pattern), ({ 0: words, index }) => ({
        advice,
        words,
        line: line + paragraph.slice(0, index).split("\n").length - 1,
      })),
    ),
  );
}

/** Returns the number of habits that a text may have: a share of its words, or the recorded count of an older file. */
export function limitOf(path, text, record) {
  const words = proseOf(path, text).reduce((sum, it) => sum + (it.text.match(/[A-Za-z][A-Za-z'’-]*/g) ?? []).length, 0);
  return Math.max(Math.floor((words * MOST_PER_1000_WORDS) / 1000), record[path] ?? 0);
}

/** The fault of a commit's subject, or undefined. */
export function faultOfSubject(subject) {
  if (subject.length > 72) {
    return `it has ${subject.length} characters, and 72 are the most`;
  }
  if (!/^\p{Lu}/u.test(subject)) {
    return "it doesn't start with a capital";
  }
  return subject.endsWith(".") ? "it ends with a period" : undefined;
}

async function projectFiles() {
  const listed = await capture("git", ["ls-files"]);
  const paths = listed.split("\n").filter((path) => /\.(md|rs|ts|tsx|mts|mjs|js)$/.test(path) && !isSkipped(path));
  return paths.flatMap((path) => {
    try {
      return [[path, readFileSync(projectPath(path), "utf8")]];
    } catch {
      return []; // deleted, and not yet committed
    }
  });
}

/** Fails if a file has more habits than it may, or if the newest commit has a bad subject. */
export async function checkProse({ write = false } = {}) {
  const record = JSON.parse(readFileSync(RECORD, "utf8"));
  const worse = [];
  const lower = {};
  for (const [path, text] of await projectFiles()) {
    const habits = habitsIn(path, text);
    if (habits.length > limitOf(path, text, record)) {
      worse.push(`${path}: ${habits.length} habits of translated English, ${limitOf(path, text, record)} are allowed`);
    } else if (habits.length > limitOf(path, text, {})) {
      lower[path] = habits.length;
    }
  }
  if (write) {
    const kept = Object.entries(record).filter(([path]) => worse.some((line) => line.startsWith(`${path}:`)));
    const counts = Object.entries({ ...lower, ...Object.fromEntries(kept) }).sort(([left], [right]) =>
      left < right ? -1 : 1,
    );
    writeFileSync(RECORD, `${JSON.stringify(Object.fromEntries(counts), null, 2)}\n`);
  }
  if (worse.length > 0) {
    throw new Failure(`${worse.join("\n")}\nnode scripts/prose.mjs FILE lists them, each with its line`);
  }
  const subject = (await capture("git", ["log", "-1", "--no-merges", "--format=%s"])).trim();
  const fault = faultOfSubject(subject);
  if (fault !== undefined) {
    throw new Failure(`the newest commit's subject is "${subject}": ${fault}`);
  }
}

if (isProgram(import.meta.url)) {
  await runProgram(async () => {
    const files = process.argv.slice(2).filter((word) => !word.startsWith("--"));
    for (const path of files) {
      for (const { line, words, advice } of habitsIn(path, readFileSync(path, "utf8"))) {
        console.log(`${path}:${line}: "${words}": ${advice}`);
      }
    }
    if (files.length === 0) {
      await checkProse({ write: process.argv.includes("--write") });
    }
  });
}
