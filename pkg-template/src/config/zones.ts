// Time zones: how far a zone is from UTC, and since when. The core has no time-zone database; the host's `Intl` has.

import { ContextError, type ErrorKind } from "../base/errors.js";
import { describe } from "../base/options.js";

/** Since when (milliseconds since 1970) a zone is so many minutes east of UTC. */
type OffsetChange = readonly [since: number, minutes: number];

/** The known changes of a zone, from the beginning of one cell to the end of another. */
interface KnownChanges {
  readonly firstCell: number;
  readonly lastCell: number;
  /** The first one is at the beginning of the first cell, whether it is a change or not. */
  readonly changes: readonly OffsetChange[];
}

const MINUTE_MS = 60_000;
/** No zone changes twice within so long. The cells lie on a grid, so that the result does not depend on who asks. */
const CELL_MS = 14 * 24 * 60 * MINUTE_MS;

/**
 * Before the first and after the last of these the offset is taken to be what it is there: a message may claim any
 * year.
 */
const EARLIEST_CELL = Math.floor(Date.UTC(1900, 0, 1) / CELL_MS);
const LATEST_CELL = Math.floor(Date.UTC(2100, 0, 1) / CELL_MS);

/** More is not given out; a zone of today's has two a year. */
const MAX_CHANGES = 4000;

/** A zone that is remembered. */
interface Zone {
  readonly clock: Intl.DateTimeFormat;
  known: KnownChanges | undefined;
}

const REMEMBERED_ZONES = 16;
/** By use, the latest last. */
const zones = new Map<string, Zone>();

/**
 * The offsets of a time zone from `first` to `last` (milliseconds since 1970), flat: since when, and how many minutes
 * east of UTC. The first is at `first`, and those that follow are changes, exact to the minute. Fails as `zoneOf`.
 */
export function zoneOffsets(timeZone: string, first: number, last: number, kind: ErrorKind): number[] {
  const zone = zoneOf(timeZone, kind);
  const firstCell = cellOf(first);
  const lastCell = Math.max(cellOf(last), firstCell);
  const { known } = zone;
  let found = known;
  if (found === undefined || firstCell < found.firstCell || lastCell > found.lastCell) {
    found = explore(
      zone.clock,
      Math.min(firstCell, known?.firstCell ?? firstCell),
      Math.max(lastCell, known?.lastCell ?? lastCell),
    );
    zone.known = found;
  }
  const { changes } = found;
  const begin = Math.max(
    changes.findLastIndex(([since]) => since <= first),
    0,
  );
  const [, minutes] = changes[begin] as OffsetChange;
  const later = changes.slice(begin + 1).filter(([since]) => since <= last);
  return [first, minutes, ...later.slice(0, MAX_CHANGES - 1).flat()];
}

/** What the host knows of a zone. Fails with `INVALID_CONFIG` where it does not know it. */
export function zoneOf(timeZone: string, kind: ErrorKind): Zone {
  const zone: Zone = zones.get(timeZone) ?? { clock: clockOf(timeZone, kind), known: undefined };
  zones.delete(timeZone);
  zones.set(timeZone, zone);
  if (zones.size > REMEMBERED_ZONES) {
    const [oldest] = zones.keys();
    zones.delete(oldest as string);
  }
  return zone;
}

function clockOf(timeZone: string, kind: ErrorKind): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch (cause) {
    throw new ContextError({
      kind,
      code: "INVALID_CONFIG",
      message: `timeZone: unknown time zone ${describe(timeZone)}`,
      path: "timeZone",
      nextAction: "Pass the IANA name of a zone, such as Europe/Berlin, or leave the option out for UTC.",
      cause,
    });
  }
}

function cellOf(moment: number): number {
  return Math.min(Math.max(Math.floor(moment / CELL_MS), EARLIEST_CELL), LATEST_CELL);
}

/** Looks at the ends of every cell, and between two that differ for the minute of the change. */
function explore(clock: Intl.DateTimeFormat, firstCell: number, lastCell: number): KnownChanges {
  let minutes = offsetAt(clock, firstCell * CELL_MS);
  const changes: OffsetChange[] = [[firstCell * CELL_MS, minutes]];
  for (let cell = firstCell; cell <= lastCell; cell++) {
    const end = (cell + 1) * CELL_MS;
    const minutesAtEnd = offsetAt(clock, end);
    if (minutesAtEnd !== minutes) {
      changes.push([changeBetween(clock, cell * CELL_MS, end, minutesAtEnd), minutesAtEnd]);
      minutes = minutesAtEnd;
    }
  }
  return { firstCell, lastCell, changes };
}

/** The first minute after `before` from which on it is so many minutes until `end`. */
function changeBetween(clock: Intl.DateTimeFormat, before: number, end: number, minutes: number): number {
  let low = before / MINUTE_MS;
  let high = end / MINUTE_MS;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(clock, middle * MINUTE_MS) === minutes) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return high * MINUTE_MS;
}

/** How many minutes a zone is east of UTC: what its clock shows, taken as UTC, less the moment. */
function offsetAt(clock: Intl.DateTimeFormat, moment: number): number {
  const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] = (
    clock.format(moment).match(/\d+/g) ?? []
  ).map(Number);
  // The zones of long ago have seconds too.
  return Math.round((Date.UTC(year, month - 1, day, hour, minute, second) - moment) / MINUTE_MS);
}
