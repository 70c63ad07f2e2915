// Patterns for the beginning of a message in WhatsApp's exports. The date, its words and its brackets depend on the
// phone's language: "[01.06.26, 10:00:00] Ann: Hi", "6/1/26, 10:00 AM - Ann: Hi", "1.6.2026 klo 10.00 - Ann: Hi",
// "2026. 6. 1. 오전 10:00, Ann : Hi", "01.06.26 10:00:00: Ann: Hi", "10:00, 1/6/2026 - Ann: Hi". The forms are those in
// lucas-wade/whatsapp-chat-parser and starkdmi/whats_json, and those that Intl writes in WhatsApp's languages.

const MARK = "[\u200e\u200f\u202a-\u202e\u2066-\u2069]";
const NUMBER = "(\\p{Nd}{1,4})";
const PAIR = "(\\p{Nd}{1,2})";
const BETWEEN = `${MARK}?[./-] ?${MARK}?`;
const WORDS = "[^\\p{Nd}\\]\\[:\\n]";
const COLON = "(?:[:.]| h | min )";

const DATE = `${NUMBER}${BETWEEN}${NUMBER}${BETWEEN}${NUMBER}`;
const CLOCK = `${PAIR}${COLON}${PAIR}(?:${COLON}${PAIR})?`;
/** The end of a time: a name and its colon, or a notice, follow. */
const END = "(?:\\]|\\s[-\u2013]|,|:)\\s+";

/** Three numbers of a date, the words between date and time, then hour, minute, second, and the words after the time. */
const DATE_FIRST = `^${MARK}?\\[?${DATE}(${WORDS}{1,16})${CLOCK}(${WORDS}{0,14}?)${END}`;

/** Hour, minute, second, the words between time and date, then the date. Phones in Vietnamese write so. */
const TIME_FIRST = `^${MARK}?\\[?${CLOCK}(${WORDS}{1,16})${DATE}${END}`;

/** A line that begins a message or a notice: the groups are those of the two orders. */
export const DATED: RegExp = new RegExp(DATE_FIRST, "u");
export const TIMED: RegExp = new RegExp(TIME_FIRST, "u");

/** Matches a line within a text that begins a message, or the notice that a chat begins with. */
export const WHATSAPP_LINE: RegExp = new RegExp(
  `(?:${DATE_FIRST}|${TIME_FIRST})(?:[^:\\n]{1,100}:\\s|.*(?:WhatsApp|\u200e|end-to-end))`,
  "mu",
);
