// The line before an application's instructions in a user's text, and the guard that keeps users from writing it.

import { LINE_ENDS } from "./request/text.js";

/** The line before instructions that a request sends as a text of the user's. `src/prompt/sent.rs` counts the same. */
export const INSTRUCTIONS_MARK = "[Instructions of the application]";

/** The bracket of the mark at the beginning of a line. */
const FORGED: RegExp = /* @__PURE__ */ new RegExp(
  `(?<=^|[${LINE_ENDS}])\\[(?=Instructions of the application\\])`,
  "gu",
);

/**
 * Guards a user's text: the bracket of a line that begins like the mark becomes a parenthesis, which costs the same
 * tokens and bytes.
 */
export const withoutMark = (text: string): string => text.replace(FORGED, "(");
