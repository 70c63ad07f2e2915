// Reads times in the same way as the engine.

/** The furthest that a `Date` can be from 1970, in milliseconds. */
const LATEST_MS = 8.64e15;

/**
 * Numbers from this one up to the next are times in seconds: the years 2001 to 5138. As milliseconds they would be in
 * 1970 to 1973, before chats existed.
 */
const LEAST_SECONDS = 1e9;
const LEAST_MS = 1e11;
/**
 * Numbers from here on are microseconds since 2001, and nanoseconds from 1,000 times this. A text with a year of four
 * digits is fewer milliseconds.
 */
const LEAST_MICROSECONDS = 1e15;

/** A time in one of these units as a text, as databases export it. */
const DIGITS = /^\d{10}(?:\d{3}){0,3}(?:\.\d+)?$/;

/**
 * Returns a number, or a text of digits, as a time in milliseconds, and any other time unchanged. A number that can only
 * be of another unit is converted.
 */
export function inMilliseconds<T>(given: T): T | number {
  const time = typeof given === "string" && DIGITS.test(given) ? Number(given) : given;
  if (typeof time !== "number") {
    return time;
  }
  if (time >= LEAST_MICROSECONDS) {
    return time / (time < LEAST_MICROSECONDS * 1000 ? 1000 : 1e6);
  }
  return time >= LEAST_SECONDS && time < LEAST_MS ? time * 1000 : time;
}

/** The names of a message's time in other packages and in databases. */
const OTHER_NAMES = ["created_at", "timestamp"] as const;

/** A time with its zone, as email, HTTP and `Date.toString` write it. */
const NAMED_DAY = /^[A-Z][a-z]{2},? .+(GMT|UTC|[+-]\d{4})/;

/** Returns a time that Firestore, MongoDB, an email or HTTP wrote in a form that windrow reads. */
function timeWithin(given: unknown): unknown {
  const { seconds, _seconds = seconds, $date = _seconds } = (given ?? {}) as Readonly<Record<string, unknown>>;
  return $date ?? (typeof given === "string" && NAMED_DAY.test(given) ? Date.parse(given) : given);
}

/**
 * Returns a message's time from a field other than `createdAt`. Small numbers don't count, because the transcript of a
 * recording counts from its beginning. `read` are the fields that its format reads.
 */
export function otherTimeIn(
  row: Readonly<Record<string, unknown>>,
  read: ReadonlySet<string>,
): string | number | Date | undefined {
  const found = OTHER_NAMES.filter((name) => !read.has(name)).map((name) => inMilliseconds(timeWithin(row[name])));
  return found.find(
    (time): time is string | number | Date =>
      (typeof time === "number" ? time >= LEAST_SECONDS : true) && timeMsOf(time) !== undefined,
  );
}

/** Returns a time in milliseconds since 1970, read in the same way as the engine. Undefined if it isn't a time. */
export function timeMsOf(time: unknown): number | undefined {
  const given = inMilliseconds(time);
  const timeMs = typeof given === "string" ? parseTime(given) : given instanceof Date ? given.getTime() : given;
  return typeof timeMs === "number" && Math.abs(timeMs) <= LATEST_MS ? Math.trunc(timeMs) + 0 : undefined;
}

/** Returns a time in milliseconds as ISO 8601. Undefined if it isn't a time. */
export function isoOf(timeMs: number | undefined): string | undefined {
  return timeMs === undefined || !(Math.abs(timeMs) <= LATEST_MS) ? undefined : new Date(timeMs).toISOString();
}

// Matches the same times as `parse` in the engine's `time.rs`: a date with or without a time of day, in UTC without an
// offset. White space is listed by number, because importing a Unicode property makes hosts load a table.
const TIME =
  /^[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:[Zz]|([+\-\u2212])(\d{2})(?::?(\d{2}))?)?)?[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/;

function parseTime(text: string): number | undefined {
  const found = TIME.exec(text);
  if (found === null) {
    return undefined;
  }
  const number = (group: number): number => Number(found[group] ?? 0);
  const [year, month, day] = [number(1), number(2), number(3)];
  const [hour, minute, second, offsetHours, offsetMinutes] = [number(4), number(5), number(6), number(9), number(10)];
  const date = new Date(0);
  // `Date.UTC` maps years before 100 to the last century.
  date.setUTCFullYear(year, month - 1, day);
  // A day that the month doesn't have becomes a day of the next month.
  const isDate = date.getUTCMonth() === month - 1;
  if (!isDate || hour > 23 || minute > 59 || second > 60 || offsetHours > 23 || offsetMinutes > 59) {
    return undefined;
  }
  const milliseconds = Number((found[7] ?? "").slice(0, 3).padEnd(3, "0"));
  const east = (found[8] === "+" ? 1 : -1) * (offsetHours * 60 + offsetMinutes);
  return date.getTime() + (((hour * 60 + minute - east) * 60 + second) * 1000 + milliseconds);
}
