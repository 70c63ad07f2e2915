// WhatsApp's export, `_chat.txt`. A message's first line has the time in the phone's language, a name and a colon;
// lines without a time continue it. The file doesn't state the order of a date's numbers, so all dates together decide.
// Times are the phone's, without an offset.

import type { Row } from "../../file.js";
import { textIn } from "../../file.js";
import { fileLine } from "../../parts.js";
import type { AppStep, KindReader } from "../../readers.js";
import { chatStep, notice } from "../said.js";
import { whatsAppKind } from "./kind.js";
import { WHATSAPP_START } from "./line.js";

export const whatsApp: KindReader = {
  kind: whatsAppKind,
  openText(text) {
    const lines = linesOf(text);
    const order = orderOf(
      lines.map(({ date }) => date),
      lines.some(({ isAmerican }) => isAmerican)
        ? [MONTH_FIRST, DAY_FIRST, YEAR_FIRST]
        : [DAY_FIRST, MONTH_FIRST, YEAR_FIRST],
    );
    const rows = lines.map(({ date, clock, rest }) => ({ ...speakerOf(rest), createdAt: timeIn(date, clock, order) }));
    return [{ rows }];
  },
  rowReader: () => stepOf,
};

function stepOf({ name, text, createdAt }: Row): AppStep {
  const said = withFile(String(text));
  return textIn(name) === undefined || isOfApp(said)
    ? notice(withoutMarks(said).slice(0, LONGEST_NOTICE))
    : chatStep({ name: name as string, createdAt: textIn(createdAt), lines: [withoutMarks(said)] });
}

/**
 * True for the app's own words in the name of a person or a group, as iPhones write them: a mark, and no file. A poll
 * and a place are a person's: they have a colon.
 */
const isOfApp = (text: string): boolean => /^\u200e[^:\n]+(?:\n|$)/.test(text);

/** Maximum length of a notice that a report quotes, and of a name. */
const LONGEST_NOTICE = 60;
const LONGEST_NAME = 100;

/** A line that begins with a time: its date and clock as numbers, and the rest. */
interface TimedLine {
  readonly date: readonly [number, number, number];
  readonly clock: readonly [hour: number, minute: number, second: number];
  /** True for the form used in the United States: "6/1/26, 10:00 AM". */
  readonly isAmerican: boolean;
  readonly rest: string;
}

function linesOf(text: string): readonly TimedLine[] {
  const found: { line: TimedLine; more: string[] }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const start = WHATSAPP_START.exec(line);
    if (start === null) {
      found.at(-1)?.more.push(line);
      continue;
    }
    const [all, first, second, third, before = "", hour, minute, seconds, after = ""] = start;
    const [a, b, c] = [first, second, third].map(numberOf) as [number, number, number];
    const clock = [halfDay(numberOf(hour), before + after), numberOf(minute), numberOf(seconds)] as const;
    const isAmerican = c < 100 && all.includes("/") && /[AP]M/.test(after);
    found.push({ line: { date: [a, b, c], clock, isAmerican, rest: line.slice(all.length) }, more: [] });
  }
  return found.map(({ line, more }) => ({ ...line, rest: [line.rest, ...more].join("\n").trimEnd() }));
}

/** Parses a number in Western, Arabic or Persian digits. */
function numberOf(digits: string | undefined): number {
  return Number((digits ?? "0").replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 15)));
}

const AFTER_NOON = /p\.?\s?m|오후|下午|午後|晚上|中午|م|μ\.?μ|ΜΜ|du|odp/i;
const BEFORE_NOON = /a\.?\s?m|오전|上午|午前|凌晨|早上|ص|ق|π\.?μ|ΠΜ|de\.|dop/i;

function halfDay(hour: number, words: string): number {
  if (AFTER_NOON.test(words) && hour < 12) {
    return hour + 12;
  }
  return BEFORE_NOON.test(words) && hour === 12 ? 0 : hour;
}

/** The positions of year, month and day in a date. */
type Order = readonly [year: number, month: number, day: number];
const DAY_FIRST: Order = [2, 1, 0];
const MONTH_FIRST: Order = [2, 0, 1];
const YEAR_FIRST: Order = [0, 1, 2];

/**
 * Returns the order that makes the most dates valid and the fewest earlier than the line before. The first one wins a
 * tie.
 */
function orderOf(dates: readonly TimedLine["date"][], orders: readonly [Order, ...Order[]]): Order {
  let best = orders[0];
  let fewest = Number.POSITIVE_INFINITY;
  for (const order of orders) {
    let faults = 0;
    let before = Number.NEGATIVE_INFINITY;
    for (const date of dates) {
      const [year, month, day] = order.map((place) => date[place]) as [number, number, number];
      const isDate = month >= 1 && month <= 12 && day >= 1 && day <= 31 && (order === YEAR_FIRST) === date[0] > 31;
      const at = year * 372 + month * 31 + day;
      faults += isDate ? Number(at < before) : dates.length;
      before = at;
    }
    if (faults < fewest) {
      [best, fewest] = [order, faults];
    }
  }
  return best;
}

/** Thai phones count years from 543 years earlier. No chat is from a year after this one otherwise. */
const BUDDHIST_ERA = 2500;
const BUDDHIST_YEARS = 543;

function timeIn(date: readonly number[], clock: readonly number[], order: Order): string {
  const [year = 0, month = 0, day = 0] = order.map((place) => date[place]);
  const two = (value = 0): string => String(value).padStart(2, "0");
  const [hour, minute, second] = clock;
  const common = year < 100 ? 2000 + year : year > BUDDHIST_ERA ? year - BUDDHIST_YEARS : year;
  return `${common}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}`;
}

/** Returns the speaker of a line; notices have none. A colon within quotes belongs to a notice. */
function speakerOf(rest: string): { readonly name?: string; readonly text: string } {
  const said = withoutMarks(rest);
  const colon = said.slice(0, LONGEST_NAME + 2).search(/:(?:\s|$)/);
  const name = said.slice(0, Math.max(colon, 0)).replace(/^~\s*/, "").trim();
  const isName = name !== "" && !name.includes("\n") && (name.split(/["“”„«»]/).length - 1) % 2 === 0;
  return isName ? { name, text: said.slice(colon + 1).trimStart() } : { text: said };
}

function withoutMarks(text: string): string {
  return text.replace(/^[\u200e\u200f\u202a-\u202e\u2066-\u2069\u00a0\u202f ]+/, "");
}

/**
 * The last words of WhatsApp's line for a file that was exported without it, in English, German, Spanish, Portuguese,
 * French, Italian and Dutch.
 */
const OMITTED =
  "(?:omitted|weggelassen|ausgelassen|ausgeschlossen|omitid[oa]|ocultad[oa]|ocult[oa]|absente|omis|omess[aio]|weggelaten)";
/** An iPhone's line begins with a mark, which may follow a document's name and pages, and Android's is in brackets. */
const OMITTED_FILE = new RegExp(
  `^(?:(?:([^\\n]{1,200}\\.\\w{2,5}) • [^\\n]{1,30} )?\\u200e([^\\n\\u200e<>]{1,40}) ${OMITTED}|<([^<>\\n]{1,40}) ${OMITTED}>)(?=\\n|$)`,
);

/**
 * Returns a text with its file named in windrow's words, and without the note that it was edited. WhatsApp's own forms
 * are `<attached: a.jpg>` and `a.jpg (file attached)`, and without the file `image omitted` or `<Media omitted>`.
 */
function withFile(given: string): string {
  const mark = given.lastIndexOf("\u200e<");
  const isEdited = mark > 0 && /^\u200e<[^<>:\n]{1,60}>$/.test(given.slice(mark));
  const text = isEdited ? given.slice(0, mark).trimEnd() : given;
  const named = (_: string, ...names: readonly unknown[]): string => fileLine(names.find(textIn)) ?? "";
  return (
    text
      .replace(OMITTED_FILE, named)
      .replace(/^\u200e<[^<>:\n]{1,40}: ([^<>\n]{1,200})>/, named)
      // Older versions wrote no mark.
      .replace(/^< ?[^<>:\n]{1,40}: (\d{8}-[A-Z]{3,9}-[\d-]{10,20}\.\w{2,5}) ?>/, named)
      .replace(/^\u200e([^\n()]{1,200}\.\w{2,5}) \([^()\n]{1,40}\)(?=\n|$)/, named)
  );
}
