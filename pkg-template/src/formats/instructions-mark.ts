// The line before an application's instructions in a user's text, and the guard that keeps users from writing it.

/** The line before instructions that a request sends as a text of the user's. `src/prompt/sent.rs` counts the same. */
export const INSTRUCTIONS_MARK = "[Instructions of the application]";

/** The mark at the beginning of a line. */
const FORGED = /(?<=^|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029])\[(?=Instructions of the application\])/gu;

/**
 * Returns a user's text in which no line begins like the mark: its bracket becomes a parenthesis, which costs the same
 * tokens and bytes.
 */
export const withoutMark = (text: string): string => text.replace(FORGED, "(");
