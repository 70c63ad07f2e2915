// Texts in a form that every provider accepts.

/** The characters that end a line, for a class of a regular expression, the same as in src/base/guard.rs. */
export const LINE_ENDS = "\\n\\v\\f\\r\\u001c-\\u001e\\u0085\\u2028\\u2029";

/** True if a text is blank. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}
