// Puts names of users into texts: `Mara: hello`. Most requests have no field for a name.
//
// One structural rule, the same as in windrow's text formats: a name starts at the margin, and every other line of a
// user starts with a space. So no user's text looks like another user's name. src/base/guard.rs has the same rule and
// counts its cost.

import type { ParsedMessage } from "../../message/read.js";
import { type Limit, wordLimit } from "./calls.js";
import { LINE_ENDS } from "./text.js";
import { type Piece, type RequestTurn, type UserTurn, withText } from "./turns.js";

/** How users are named: not at all, by words that a name field accepts, or by other texts. */
export const USER_NAMES = { none: 0, words: 1, texts: 2 } as const;

/** A name that OpenAI's name field accepts. */
export const NAME: Limit = wordLimit(64);
/** White space that isn't a space, the same as in src/base/guard.rs. */
const SPACES = `${LINE_ENDS}\\t\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000`;
const BLANK: RegExp = /* @__PURE__ */ new RegExp(`^[ ${SPACES}]*$`, "u");
const LINE_START: RegExp = /* @__PURE__ */ new RegExp(`(?<=[${LINE_ENDS}])(?=[^${LINE_ENDS}])`, "gu");
/** Characters that would end a name. */
const ESCAPED = /[:\\]/gu;
/**
 * A space at the margin, unusual spaces, and invisible characters or those that reorder others, the same as in
 * src/base/guard.rs.
 */
const UNSEEN: RegExp = /* @__PURE__ */ new RegExp(
  `^ |[${SPACES}\\p{Cc}\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f` +
    "\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]",
  "gu",
);

/** Returns how users are named in some messages. */
export function userNamesIn(messages: readonly ParsedMessage[]): number {
  let names: number = USER_NAMES.none;
  for (const { message } of messages) {
    if (message.role === "user" && !isUnnamed(message.name)) {
      names = Math.max(names, isWord(message.name ?? undefined) ? USER_NAMES.words : USER_NAMES.texts);
    }
  }
  return names;
}

/** True if nothing of a name is visible. */
const isUnnamed = (name: string | null | undefined): boolean => BLANK.test(name ?? "");

/**
 * Returns a name for the beginning of a text, escaped so that nothing in it ends the name, and that different names
 * stay different.
 */
function escapedName(name = ""): string {
  return isUnnamed(name)
    ? ""
    : name
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
    const isNamed = speaker !== "" && at === 0 && piece.part.type === "text";
    return withText(piece, (text) => (isNamed ? `${speaker}: ` : " ") + indented(text));
  });
  const [first] = pieces;
  return speaker === "" || first === undefined || first.part.type === "text"
    ? guarded
    : [{ place: first.place, part: { type: "text", text: `${speaker}:` } }, ...guarded];
}
