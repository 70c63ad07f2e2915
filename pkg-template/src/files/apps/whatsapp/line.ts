// Patterns for the beginning of a message in WhatsApp's exports. The date, its words and its brackets depend on the
// phone's language: "[01.06.26, 10:00:00] Ann: Hi", "6/1/26, 10:00 AM - Ann: Hi", "1.6.2026 klo 10.00 - Ann: Hi",
// "2026. 6. 1. 오전 10:00, Ann : Hi", "01.06.26 10:00:00: Ann: Hi". The forms are those in lucas-wade/whatsapp-chat-parser and starkdmi/whats_json.

const MARK = "[\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]";
const DIGITS = "[\\d\\u0660-\\u0669\\u06f0-\\u06f9]";
const NUMBER = `(${DIGITS}{1,4})`;
const PAIR = `(${DIGITS}{1,2})`;
const BETWEEN = `${MARK}?[./-] ?${MARK}?`;
const WORDS = "[^\\d\\u0660-\\u0669\\u06f0-\\u06f9\\]\\[:\\n]";

/**
 * The beginning of a line: three numbers of a date, the words between date and time, then hour, minute, second, and the
 * words after the time. A name and its colon, or a notice, follow.
 */
const START = `^${MARK}?\\[?${NUMBER}${BETWEEN}${NUMBER}${BETWEEN}${NUMBER}(${WORDS}{1,16})${PAIR}[:.]${PAIR}(?:[:.]${PAIR})?(${WORDS}{0,12}?)(?:\\]|\\s[-\\u2013]|,|:)\\s+`;

/** A line that begins a message or a notice. */
export const WHATSAPP_START: RegExp = new RegExp(START);

/** Matches a line within a text that begins a message. */
export const WHATSAPP_LINE: RegExp = new RegExp(`${START}[^:\\n]{1,100}:\\s`, "m");
