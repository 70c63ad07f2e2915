// Time zones: the offset of a zone from UTC, and when it changes. The core has no time-zone database; the host's `Intl`
// has one.

import { ContextError, type ErrorKind } from "../base/errors.js";
import { describe } from "../base/options.js";

/** An offset of a zone: the moment it starts (milliseconds since 1970), and its minutes east of UTC. */
type OffsetChange = readonly [since: number, minutes: number];

/** The known changes of a zone, from the start of one cell to the end of another. */
interface KnownChanges {
  readonly firstCell: number;
  readonly lastCell: number;
  /** The first entry is at the start of the first cell, whether or not the offset changes there. */
  readonly changes: readonly OffsetChange[];
}

const MINUTE_MS = 60_000;
/** No zone changes its offset twice within a cell. Cells lie on a grid, so results don't depend on the range. */
const CELL_MS = 14 * 24 * 60 * MINUTE_MS;

/** Outside these cells, the offset is assumed constant: a message may claim any year. */
const EARLIEST_CELL = Math.floor(Date.UTC(1900, 0, 1) / CELL_MS);
const LATEST_CELL = Math.floor(Date.UTC(2100, 0, 1) / CELL_MS);

/** Maximum number of changes returned. A zone today has two a year. */
const MAX_CHANGES = 4000;

/** A remembered zone. */
interface Zone {
  readonly clock: Intl.DateTimeFormat;
  known: KnownChanges | undefined;
}

const REMEMBERED_ZONES = 16;
/** Ordered by use, most recent last. */
const zones = new Map<string, Zone>();

/**
 * Returns the offsets of a time zone from `first` to `last` (milliseconds since 1970) as a flat list of pairs: the
 * start of the offset, and its minutes east of UTC. The first pair is at `first`. The others are changes, exact to the
 * minute. Fails as `zoneOf` does.
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

/** Returns a zone that the host knows. Fails with `INVALID_CONFIG` for any other. */
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

/** Compares the offsets at both ends of every cell. If they differ, searches the cell for the minute of the change. */
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

/** Returns the first minute after `before` at which the offset becomes `minutes` and stays so until `end`. */
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

/** Returns a zone's minutes east of UTC: its local time read as UTC, minus the moment. */
function offsetAt(clock: Intl.DateTimeFormat, moment: number): number {
  const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] = (
    clock.format(moment).match(/\d+/g) ?? []
  ).map(Number);
  // Historical offsets include seconds.
  return Math.round((Date.UTC(year, month - 1, day, hour, minute, second) - moment) / MINUTE_MS);
}
