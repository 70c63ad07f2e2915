// Puts names of users into texts: `Mara: hello`. Most requests have no field for a name.
//
// One structural rule, the same as in windrow's text formats: a name starts at the margin, and every other line of a
// user starts with a space. So no user's text looks like another user's name. src/base/guard.rs has the same rule and
// counts its cost.

import type { ParsedMessage } from "../../message/read.js";
import { type Limit, wordLimit } from "./calls.js";
import { LINE_ENDS } from "./text.js";
import { type Piece, type RequestTurn, rewritten, type UserTurn } from "./turns.js";

/** The way users are named: not at all, by words that a name field accepts, or by other texts. */
export const USER_NAMES = { none: 0, words: 1, texts: 2 } as const;

/** A name that OpenAI's name field accepts. */
export const NAME: Limit = wordLimit(64);
/** The characters that end a word, the same as in src/base/guard.rs. */
const SPACES = `${LINE_ENDS}\\t \\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000`;
const SPACE: RegExp = /* @__PURE__ */ new RegExp(`[${SPACES}]+`, "gu");
const LINE_START: RegExp = /* @__PURE__ */ new RegExp(`(?<=[${LINE_ENDS}])(?=[^${LINE_ENDS}])`, "gu");
/** Characters that would end a name, and invisible ones or those that reorder others. */
const ESCAPED = /[:\\]/gu;
const UNSEEN = /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;
/** The longest name, in code points. */
const LONGEST_NAME = 64;

/** Returns the way users are named in some messages. */
export function userNamesIn(messages: readonly ParsedMessage[]): number {
  let names: number = USER_NAMES.none;
  for (const { message } of messages) {
    if (message.role === "user" && nameIn(message.name) !== "") {
      names = Math.max(names, isWord(message.name ?? undefined) ? USER_NAMES.words : USER_NAMES.texts);
    }
  }
  return names;
}

/** Returns a name as one line. Empty if nothing of it is visible. */
const nameIn = (name: string | null | undefined): string => (name ?? "").replace(SPACE, " ").replace(/^ | $/g, "");

/** Returns a name for the beginning of a text, escaped so that nothing in it ends the name. */
function escapedName(name: string | undefined): string {
  return Array.from(nameIn(name))
    .slice(0, LONGEST_NAME)
    .join("")
    .replace(ESCAPED, "\\$&")
    .replace(UNSEEN, (letter) => `\\u{${(letter.codePointAt(0) as number).toString(16)}}`);
}

/** Indents every line of a text except the first. */
const indented = (text: string): string => text.replace(LINE_START, " ");

/** True if OpenAI's name field accepts a name. */
export const isWord = (name: string | undefined): boolean => name !== undefined && NAME.pattern.test(name);

/**
 * Returns the turns of a request. If names go into texts, a user's name comes before the first text, and every other
 * line of a user is indented. A turn whose name has its own field stays unchanged.
 */
export function withSpeakers(
  turns: RequestTurn[],
  namesInTexts: boolean,
  hasField: (name: string | undefined) => boolean = () => false,
): RequestTurn[] {
  if (!namesInTexts) {
    return turns;
  }
  // The text of a section is the application's.
  return turns.map((turn) =>
    turn.kind === "user" && !turn.isMade && !hasField(turn.name) ? { ...turn, pieces: spokenBy(turn) } : turn,
  );
}

function spokenBy({ pieces, name }: UserTurn): readonly Piece[] {
  const speaker = escapedName(name);
  const guarded = pieces.map((piece, at) => {
    if (piece.part.type !== "text") {
      return piece;
    }
    const text = indented(piece.part.text);
    return rewritten(piece, speaker !== "" && at === 0 ? `${speaker}: ${text}` : ` ${text}`);
  });
  const [first] = pieces;
  return speaker === "" || first === undefined || first.part.type === "text"
    ? guarded
    : [{ place: first.place, part: { type: "text", text: `${speaker}:` } }, ...guarded];
}
