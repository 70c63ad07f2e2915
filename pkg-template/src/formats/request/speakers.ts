// Names of users in texts: `Mara: hello`. Most requests have no field for a name.
//
// One rule of structure, the same as in windrow's text formats: a name stands at the margin, and every other line of a user begins with a
// space. So nothing that a user writes passes for the name of another one. src/base/guard.rs has the same rule, and counts it.

import { isRecord } from "../../base/plain-data.js";
import type { ParsedMessage } from "../../message/read.js";
import { type Limit, wordLimit } from "./calls.js";
import type { Piece, RequestTurn, UserTurn } from "./turns.js";

/** How users are named: not at all, by words that a field for names takes, or by other texts. */
export const USER_NAMES = { none: 0, words: 1, texts: 2 } as const;

/** A name that OpenAI's field for it takes. */
export const NAME: Limit = wordLimit(64);
/** The characters that end a line, and those that end a word, as src/base/guard.rs has them. */
const LINE_ENDS = "\\n\\v\\f\\r\\u001c-\\u001e\\u0085\\u2028\\u2029";
const SPACES = `${LINE_ENDS}\\t \\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000`;
const SPACE: RegExp = /* @__PURE__ */ new RegExp(`[${SPACES}]+`, "gu");
const LINE_START: RegExp = /* @__PURE__ */ new RegExp(`(?<=[${LINE_ENDS}])(?=[^${LINE_ENDS}])`, "gu");
/** What ends a name, and characters that show nothing or change the order of others. */
const ESCAPED = /[:\\]/gu;
const UNSEEN = /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;
/** How long a name may be, in code points. */
const LONGEST_NAME = 64;

/** How the users of messages are named. */
export function userNamesIn(messages: readonly ParsedMessage[]): number {
  let names: number = USER_NAMES.none;
  for (const { message } of messages) {
    if (message.role === "user" && nameIn(message.name) !== "") {
      names = Math.max(names, isWord(message.name ?? undefined) ? USER_NAMES.words : USER_NAMES.texts);
    }
  }
  return names;
}

/** A name in one line; empty if it shows nothing. */
const nameIn = (name: string | null | undefined): string => (name ?? "").replace(SPACE, " ").replace(/^ | $/g, "");

/** A name before a text: nothing in it ends it. */
function escapedName(name: string | undefined): string {
  return Array.from(nameIn(name))
    .slice(0, LONGEST_NAME)
    .join("")
    .replace(ESCAPED, "\\$&")
    .replace(UNSEEN, (letter) => `\\u{${(letter.codePointAt(0) as number).toString(16)}}`);
}

/** A text of which no line but the first begins at the margin. */
const indented = (text: string): string => text.replace(LINE_START, " ");

/** A text with another one in its place; the caller's own part too. */
function rewritten(piece: Piece, text: string): Piece {
  const { part, given } = piece;
  const own = isRecord(given) && typeof given.text === "string" ? { ...given, text } : undefined;
  return { ...piece, part: { ...part, text } as Piece["part"], given: own };
}

/** Whether OpenAI's field for names takes a name. */
export const isWord = (name: string | undefined): boolean => name !== undefined && NAME.pattern.test(name);

/**
 * Returns turns of a request that says in texts who speaks, if it does so: a user's name before the first text, and no other line of a
 * user at the margin. A turn whose name is in a field of its own stays as it is.
 */
export function withSpeakers(
  turns: RequestTurn[],
  namesInTexts: boolean,
  hasField: (name: string | undefined) => boolean = () => false,
): RequestTurn[] {
  if (!namesInTexts) {
    return turns;
  }
  // The text of a section is the application's own.
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
