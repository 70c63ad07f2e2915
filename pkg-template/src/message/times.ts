// Times, as the engine reads them.

/** The furthest from 1970 that a `Date` can be, in milliseconds. */
const LATEST_MS = 8.64e15;

/**
 * The numbers from here on, and below the other, are times in seconds: of 2001 to 5138. In milliseconds they would be of 1970 to 1973,
 * when nobody chatted.
 */
const LEAST_SECONDS = 1e9;
const LEAST_MS = 1e11;

/** Returns a time that is a number in milliseconds: one that can only be in seconds is read as that. */
export function millisecondsOf(time: number): number {
  return time >= LEAST_SECONDS && time < LEAST_MS ? time * 1000 : time;
}

/** The names of a message's time in other packages and in databases. */
const OTHER_NAMES = ["created_at", "timestamp"] as const;

/**
 * Returns the time that a message says under another name than `createdAt`. A small number is none: a transcript of a recording counts
 * from its beginning. `read` are the fields that its format reads.
 */
export function otherTimeIn(
  row: Readonly<Record<string, unknown>>,
  read: ReadonlySet<string>,
): string | number | Date | undefined {
  const found = OTHER_NAMES.filter((name) => !read.has(name)).map((name) => row[name]);
  return found.find(
    (time): time is string | number | Date =>
      (typeof time === "number" ? time >= LEAST_SECONDS : true) && timeMsOf(time) !== undefined,
  );
}

/** A time as the engine reads it, in milliseconds since 1970; undefined if it is not a time. */
export function timeMsOf(createdAt: unknown): number | undefined {
  const given =
    typeof createdAt === "string" ? parseTime(createdAt) : createdAt instanceof Date ? createdAt.getTime() : createdAt;
  const timeMs = typeof createdAt === "number" ? millisecondsOf(createdAt) : given;
  return typeof timeMs === "number" && Math.abs(timeMs) <= LATEST_MS ? Math.trunc(timeMs) + 0 : undefined;
}

/** A time in milliseconds as ISO 8601; undefined if it is none. */
export function isoOf(timeMs: number | undefined): string | undefined {
  return timeMs === undefined || !(Math.abs(timeMs) <= LATEST_MS) ? undefined : new Date(timeMs).toISOString();
}

// What `parse` of the engine's `time.rs` reads: a date, with a time of day or without, in UTC where it has no offset. White space
// stands by its numbers: a property of Unicode's costs the import of the package a look into the host's tables.
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
  // `Date.UTC` takes the years before 100 for those of the last century.
  date.setUTCFullYear(year, month - 1, day);
  // A day that the month does not have is one of another month.
  const isDate = date.getUTCMonth() === month - 1;
  if (!isDate || hour > 23 || minute > 59 || second > 60 || offsetHours > 23 || offsetMinutes > 59) {
    return undefined;
  }
  const milliseconds = Number((found[7] ?? "").slice(0, 3).padEnd(3, "0"));
  const east = (found[8] === "+" ? 1 : -1) * (offsetHours * 60 + offsetMinutes);
  return date.getTime() + (((hour * 60 + minute - east) * 60 + second) * 1000 + milliseconds);
}
