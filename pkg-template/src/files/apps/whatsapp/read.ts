// WhatsApp's export, `_chat.txt`. A message's first line has the time in the phone's language, a name and a colon;
// lines without a time continue it. The file doesn't state the order of a date's numbers, so all dates together decide.
// Times are the phone's, without an offset.

import type { Row } from "../../file.js";
import { textIn } from "../../file.js";
import { fileLine } from "../../parts.js";
import type { AppStep, KindReader } from "../../readers.js";
import { chatStep, notice } from "../said.js";
import { whatsAppKind } from "./kind.js";
import { DATED, TIMED } from "./line.js";

export const whatsApp: KindReader = {
  kind: whatsAppKind,
  openText(text) {
    const lines = linesOf(text);
    const order = orderOf(
      lines.map(({ date }) => date),
      lines.some(({ isAmerican }) => isAmerican)
        ? [MONTH_FIRST, DAY_FIRST, YEAR_FIRST]
        : lines.some(({ words }) => YEAR_FIRST_WORDS.test(words))
          ? [YEAR_FIRST, DAY_FIRST, MONTH_FIRST]
          : [DAY_FIRST, MONTH_FIRST, YEAR_FIRST],
    );
    const rows = lines.map(({ date, clock, rest }) => ({ ...speakerOf(rest), createdAt: timeIn(date, clock, order) }));
    return [{ rows, faults: unknownHalves(lines) }];
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
  /** The words next to the time. */
  readonly words: string;
  /** True for the form used in the United States: "6/1/26, 10:00 AM". */
  readonly isAmerican: boolean;
  readonly rest: string;
}

function linesOf(text: string): readonly TimedLine[] {
  const found: { line: TimedLine; more: string[] }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const start = startOf(line);
    if (start === undefined) {
      found.at(-1)?.more.push(line);
      continue;
    }
    const { all, date, time, words } = start;
    const [a, b, c] = date.map(numberOf) as [number, number, number];
    const [hour, minute, second] = time.map(numberOf) as [number, number, number];
    const clock = [halfDay(hour, words), minute, second] as const;
    const isAmerican = c < 100 && all.includes("/") && /[AP]M/.test(words);
    found.push({ line: { date: [a, b, c], clock, words, isAmerican, rest: line.slice(all.length) }, more: [] });
  }
  return found.map(({ line, more }) => ({ ...line, rest: [line.rest, ...more].join("\n").trimEnd() }));
}

/** The beginning of a line in numbers and words. */
interface LineStart {
  readonly all: string;
  readonly date: readonly (string | undefined)[];
  readonly time: readonly (string | undefined)[];
  /** The words next to the time, which may name a half of the day. */
  readonly words: string;
}

function startOf(line: string): LineStart | undefined {
  const dated = DATED.exec(line);
  const timed = dated === null ? TIMED.exec(line) : null;
  if (dated !== null) {
    const [all, ...groups] = dated;
    return { all, date: groups.slice(0, 3), time: groups.slice(4, 7), words: `${groups[3] ?? ""} ${groups[7] ?? ""}` };
  }
  if (timed !== null) {
    const [all, ...groups] = timed;
    return { all, date: groups.slice(4, 7), time: groups.slice(0, 3), words: groups[3] ?? "" };
  }
  return undefined;
}

/** Parses a number in the digits of any script. */
const numberOf = (digits: string | undefined): number =>
  Number([...(digits ?? "0")].map((digit) => digitValue(digit)).join(""));

/** Returns the value of a digit. Unicode has those of a script in a row, and before each zero something else. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) {
    value += 1;
  }
  return value;
}

/** The words for the halves of a day in WhatsApp's languages, as Intl writes them, without dots, quotes and spaces. */
const AFTER_NOON: ReadonlySet<string> = new Set(
  `pm nm md م ከሰዓት 下午 午後 晚上 傍晚 中午 오후 odp pop ip μμ du ym in ຫຼັງທ່ຽງ pēcp popiet попл ptg em ös пп tk ch अपराह्न
   मउ பிற்பகல் слоб بظ بعدازظهر بعددوپہر אחהצ පව ညနေ`.split(/\s+/),
);
const BEFORE_NOON: ReadonlySet<string> = new Set(
  `am vm pd ص ጥዋት 上午 午前 凌晨 清晨 早上 오전 dop ap πμ de sf rn ກ່ອນທ່ຽງ priekšp priešpiet претпл pg fm öö дп to sa पूर्वाह्न
   मपू முற்பகல் проб قظ قبلازظهر قبلدوپہر לפנהצ පෙව နံနက်`.split(/\s+/),
);

/** True if a word next to a time, or two of them, is one of these. */
function hasWord(words: string, known: ReadonlySet<string>): boolean {
  const found = words
    .toLowerCase()
    .split(/[\s,،]+/)
    .map((word) => word.replace(/[.'"״׳\u200e\u200f]/g, ""));
  return found.some((word, at) => known.has(word) || known.has(word + (found[at + 1] ?? "")));
}

function halfDay(hour: number, words: string): number {
  if (hour < 12 && hasWord(words, AFTER_NOON)) {
    return hour + 12;
  }
  return hour === 12 && hasWord(words, BEFORE_NOON) ? 0 : hour;
}

/** Returns a fault if times of 12 hours have words that don't say which half of the day they are in. */
function unknownHalves(lines: readonly TimedLine[]): readonly string[] {
  const words = new Set(lines.map((line) => line.words.replace(/^[\s,،]+|[\s,،]+$/g, "")));
  const unknown = [...words].filter((word) => !hasWord(word, AFTER_NOON) && !hasWord(word, BEFORE_NOON));
  return unknown.length > 1 && lines.every(({ clock: [hour] }) => hour <= 12)
    ? [
        `the times have ${unknown
          .slice(0, 2)
          .map((word) => JSON.stringify(word))
          .join(" and ")}: read as before noon`,
      ]
    : [];
}

/** The positions of year, month and day in a date. */
type Order = readonly [year: number, month: number, day: number];
const DAY_FIRST: Order = [2, 1, 0];
const MONTH_FIRST: Order = [2, 0, 1];
const YEAR_FIRST: Order = [0, 1, 2];

/** Words next to a time in languages that write the year first: Korean and Japanese. */
const YEAR_FIRST_WORDS = /오전|오후|午前|午後/;
/** WhatsApp's first year, in two digits. */
const FIRST_YEAR = 9;

/**
 * Returns the order that makes the most dates valid and the fewest earlier than the line before. The first one wins a
 * tie, except against a year in front that makes the chat shorter: with a wrong order, days become years.
 */
function orderOf(dates: readonly TimedLine["date"][], orders: readonly [Order, ...Order[]]): Order {
  let best = { order: orders[0], faults: Number.POSITIVE_INFINITY, days: 0 };
  for (const order of orders) {
    let faults = 0;
    let [before, first] = [Number.NEGATIVE_INFINITY, Number.NaN];
    for (const date of dates) {
      const [year, month, day] = order.map((place) => date[place]) as [number, number, number];
      const isYear = year >= FIRST_YEAR && (order === YEAR_FIRST || date[0] <= 31);
      const isDate = isYear && month >= 1 && month <= 12 && day >= 1 && day <= 31;
      const at = year * 372 + month * 31 + day;
      faults += isDate ? Number(at < before) : dates.length;
      first = Number.isNaN(first) ? at : first;
      before = at;
    }
    const days = before - first;
    if (faults < best.faults || (faults === best.faults && order === YEAR_FIRST && days < best.days)) {
      best = { order, faults, days };
    }
  }
  return best.order;
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
