//! Moments: parsed from callers' text, shown in UTC or in the user's time zone.

use super::value::{FromValue, Misfit, Reading, Value};
use serde::Serialize;

/// A moment, in milliseconds since 1970-01-01T00:00Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Milliseconds(pub i64);

/// The largest moment that a JavaScript `Date` can be.
const LIMIT: f64 = 8.64e15;

/// The moment of a number of milliseconds. None if it isn't a moment (NaN, infinite, outside a `Date`'s range).
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
pub(crate) fn from_number(milliseconds: f64) -> Option<Milliseconds> {
    (milliseconds.abs() <= LIMIT).then_some(Milliseconds(milliseconds as i64))
}

/// Parses an ISO 8601 date, or date and time (including RFC 3339, and a space instead of the `T`).
///
/// A time without an offset is taken as UTC, so that it means the same on every machine.
pub(crate) fn parse(text: &str) -> Option<Milliseconds> {
    let mut rest = text.trim();
    let year = digits(&mut rest, 4)?;
    sign(&mut rest, &['-'])?;
    let month = digits(&mut rest, 2).filter(|month| (1..=12).contains(month))?;
    sign(&mut rest, &['-'])?;
    let day = digits(&mut rest, 2).filter(|day| (1..=days_in_month(year, month)).contains(day))?;
    let mut milliseconds = days_since_1970(year, month, day) * MILLISECONDS_PER_DAY;
    if sign(&mut rest, &['T', 't', ' ']).is_some() {
        milliseconds += clock(&mut rest)?;
        milliseconds -= offset_minutes(&mut rest)? * MILLISECONDS_PER_MINUTE;
    }
    rest.is_empty().then_some(Milliseconds(milliseconds))
}

/// `hh:mm`, `hh:mm:ss` or `hh:mm:ss.fraction`, in milliseconds.
fn clock(rest: &mut &str) -> Option<i64> {
    let hour = digits(rest, 2).filter(|hour| *hour < 24)?;
    sign(rest, &[':'])?;
    let minute = digits(rest, 2).filter(|minute| *minute < 60)?;
    let mut milliseconds = (hour * 60 + minute) * MILLISECONDS_PER_MINUTE;
    if sign(rest, &[':']).is_some() {
        // A leap second counts as the first moment after it.
        milliseconds += digits(rest, 2).filter(|second| *second <= 60)? * 1000;
        if sign(rest, &['.', ',']).is_some() {
            let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
            let (fraction, after) = rest.split_at(end);
            let mut thousandths =
                fraction.bytes().chain(*b"000").map(|digit| i64::from(digit - b'0'));
            milliseconds +=
                thousandths.next()? * 100 + thousandths.next()? * 10 + thousandths.next()?;
            *rest = after;
            if fraction.is_empty() {
                return None;
            }
        }
    }
    Some(milliseconds)
}

/// `Z`, `+hh:mm`, `-hhmm`, `+hh` or nothing, in minutes east of UTC.
fn offset_minutes(rest: &mut &str) -> Option<i64> {
    let direction = match sign(rest, &['Z', 'z', '+', '-', '\u{2212}']) {
        None | Some('Z' | 'z') => return Some(0),
        Some('+') => 1,
        Some(_) => -1,
    };
    let hours = digits(rest, 2).filter(|hours| *hours < 24)?;
    let has_minutes = sign(rest, &[':']).is_some() || !rest.is_empty();
    let minutes = if has_minutes { digits(rest, 2).filter(|minutes| *minutes < 60)? } else { 0 };
    Some(direction * (hours * 60 + minutes))
}

/// Takes exactly `count` digits.
fn digits(rest: &mut &str, count: usize) -> Option<i64> {
    let (taken, after) = rest.split_at_checked(count)?;
    let is_number = taken.bytes().all(|byte| byte.is_ascii_digit());
    *rest = after;
    is_number.then(|| taken.bytes().fold(0, |number, byte| number * 10 + i64::from(byte - b'0')))
}

/// Takes one of some characters.
fn sign(rest: &mut &str, signs: &[char]) -> Option<char> {
    let found = rest.chars().next().filter(|letter| signs.contains(letter))?;
    *rest = &rest[found.len_utf8()..];
    Some(found)
}

/// A time zone's offsets from UTC over time. The default is UTC.
#[derive(Clone, Debug, Default)]
pub struct Zone {
    offsets: Vec<[i64; 2]>,
}

impl Zone {
    /// A zone of offsets: the start (milliseconds since 1970, ascending), and the minutes east of UTC. The first offset
    /// also applies to everything before it.
    #[must_use]
    pub fn new(offsets: Vec<[i64; 2]>) -> Self {
        Self { offsets }
    }

    /// The zone's local time, as the moment with the same clock time in UTC.
    pub(crate) fn local(&self, moment: Milliseconds) -> Milliseconds {
        let begun = self.offsets.partition_point(|[since, _]| *since <= moment.0);
        let minutes = self.offsets.get(begun.saturating_sub(1)).map_or(0, |[_, minutes]| *minutes);
        Milliseconds(moment.0.saturating_add(minutes.saturating_mul(MILLISECONDS_PER_MINUTE)))
    }

    /// The calendar day in the zone, in days since 1970-01-01.
    pub(crate) fn day(&self, moment: Milliseconds) -> i64 {
        self.local(moment).0.div_euclid(MILLISECONDS_PER_DAY)
    }
}

/// Shows a moment to the minute, as `2025-03-30 14:05`.
pub(crate) fn format_minute(moment: Milliseconds, zone: &Zone) -> String {
    format!("{} {}", format_date(zone.day(moment)), format_clock(moment, zone))
}

/// Shows the time of day to the minute, as `14:05`; midnight is `00:00`.
pub(crate) fn format_clock(moment: Milliseconds, zone: &Zone) -> String {
    let minutes = zone.local(moment).0.rem_euclid(MILLISECONDS_PER_DAY) / MILLISECONDS_PER_MINUTE;
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

/// Shows a moment in UTC as JavaScript's `toISOString` does: `2026-02-06T14:54:00.000Z`.
pub(crate) fn format_iso(moment: Milliseconds) -> String {
    let utc = Zone::default();
    let rest = moment.0.rem_euclid(MILLISECONDS_PER_MINUTE);
    let (date, clock) = (format_date(utc.day(moment)), format_clock(moment, &utc));
    format!("{date}T{clock}:{:02}.{:03}Z", rest / 1000, rest % 1000)
}

/// Shows a day since 1970-01-01, as `2026-01-28`.
pub(crate) fn format_date(day: i64) -> String {
    let (year, month, day) = civil_date(day);
    if (0..10_000).contains(&year) {
        format!("{year:04}-{month:02}-{day:02}")
    } else {
        // ISO 8601 and JavaScript write other years with a sign and six digits.
        format!("{year:+07}-{month:02}-{day:02}")
    }
}

/// The name of a day since 1970-01-01, which was a Thursday.
pub(crate) fn weekday_name(day: i64) -> &'static str {
    match day.rem_euclid(7) {
        0 => "Thursday",
        1 => "Friday",
        2 => "Saturday",
        3 => "Sunday",
        4 => "Monday",
        5 => "Tuesday",
        _ => "Wednesday",
    }
}

pub(crate) const MILLISECONDS_PER_MINUTE: i64 = 60_000;
pub(crate) const MILLISECONDS_PER_DAY: i64 = 24 * 60 * MILLISECONDS_PER_MINUTE;

// The two conversions below count in years that begin in March, so that the leap day is the last day of its year, and
// in eras of 400 years, after which the calendar repeats: Howard Hinnant, "chrono-Compatible Low-Level Date
// Algorithms".
const DAYS_PER_ERA: i64 = 146_097;
/// From the first day of the first era, 0000-03-01, to 1970-01-01.
const DAYS_TO_1970: i64 = 719_468;

pub(crate) fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * DAYS_PER_ERA + day_of_era - DAYS_TO_1970
}

pub(crate) fn civil_date(days_since_1970: i64) -> (i64, i64, i64) {
    let days = days_since_1970 + DAYS_TO_1970;
    let (era, day_of_era) = (days.div_euclid(DAYS_PER_ERA), days.rem_euclid(DAYS_PER_ERA));
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day)
}

pub(crate) fn days_in_month(year: i64, month: i64) -> i64 {
    let (next_year, next_month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    days_since_1970(next_year, next_month, 1) - days_since_1970(year, month, 1)
}

impl FromValue for Milliseconds {
    fn from_value(value: &Value) -> Reading<Self> {
        let (moment, given) = match value {
            Value::Number(number) => (from_number(*number), "a number beyond the range of dates"),
            Value::Text(text) => (parse(text), ""),
            Value::Null => (None, "nothing"),
            Value::Bool(_) => (None, "true or false"),
            Value::List(_) => (None, "a list"),
            Value::Map(_) => (None, "an object"),
        };
        moment.ok_or_else(|| {
            let given = value.text().map_or(given.to_owned(), |text| format!("\"{text}\""));
            Misfit::new(format!(
                "expected milliseconds since 1970 or an ISO 8601 date and time, got {given}"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_spellings_that_logs_use() {
        let moment = Some(Milliseconds(1_743_343_500_000));
        for text in [
            "2025-03-30T14:05:00Z",
            " 2025-03-30T14:05Z",
            "2025-03-30T14:05:00.000Z",
            "2025-03-30T16:05:00+02:00",
            "2025-03-30T09:35:00-0430",
            "2025-03-30T15:05:00+01",
            "2025-03-30 14:05:00",
            "2025-03-30t14:05",
        ] {
            assert_eq!(parse(text), moment, "{text}");
        }
        assert_eq!(parse("2025-03-30T14:05:00.0625Z"), Some(Milliseconds(1_743_343_500_062)));
        assert_eq!(parse("2025-03-30"), Some(Milliseconds(1_743_292_800_000)));
        assert_eq!(parse("2024-02-29"), Some(Milliseconds(1_709_164_800_000)));
        assert_eq!(parse("1969-12-31T23:59:59Z"), Some(Milliseconds(-1000)));
        for text in [
            "",
            "yesterday",
            "14:05",
            "2025-02-29",
            "2025-13-01",
            "2025-03-00",
            "2025-03-30T24:00Z",
            "2025-03-30T14",
            "2025-03-30T14:05:00.Z",
            "2025-03-30T14:05:00Zulu",
            "2025-03-30T14:05:00+1:00",
            "２０２５-03-30",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn shows_what_it_reads() {
        // Every 7 hours and 13 minutes over more than four centuries, which covers every kind of year.
        let mut moment = parse("1899-12-31T00:00Z").expect("a date");
        let end = parse("2402-03-02T00:00Z").expect("a date");
        while moment < end {
            assert_eq!(parse(&format_minute(moment, &Zone::default())), Some(moment));
            assert_eq!(parse(&format_iso(moment)), Some(moment));
            moment.0 += (7 * 60 + 13) * MILLISECONDS_PER_MINUTE;
        }
        let shown = |milliseconds| format_minute(Milliseconds(milliseconds), &Zone::default());
        assert_eq!(shown(1_743_343_559_999), "2025-03-30 14:05");
        assert_eq!(shown(-1), "1969-12-31 23:59");
    }

    #[test]
    fn shows_moments_as_javascript_does() {
        for (milliseconds, shown) in [
            (1_770_389_640_000, "2026-02-06T14:54:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (-62_167_219_200_001, "-000001-12-31T23:59:59.999Z"),
            (253_402_300_800_000, "+010000-01-01T00:00:00.000Z"),
            (8_640_000_000_000_000, "+275760-09-13T00:00:00.000Z"),
            (-8_640_000_000_000_000, "-271821-04-20T00:00:00.000Z"),
        ] {
            assert_eq!(format_iso(Milliseconds(milliseconds)), shown);
        }
    }

    #[test]
    fn follows_the_clocks_of_the_zone() {
        let at = |text| parse(text).expect("a moment");
        // Los Angeles, 2026: UTC-8, and UTC-7 from March 8, 10:00 UTC, to November 1, 9:00 UTC.
        let los_angeles = Zone::new(vec![
            [at("2025-11-02T09:00Z").0, -480],
            [at("2026-03-08T10:00Z").0, -420],
            [at("2026-11-01T09:00Z").0, -480],
        ]);
        for (moment, shown) in [
            ("2020-01-01T00:00Z", "2019-12-31 16:00"), // before the first offset, which applies there too
            ("2026-03-08T07:59Z", "2026-03-07 23:59"),
            ("2026-03-08T08:05Z", "2026-03-08 00:05"),
            ("2026-03-08T09:59Z", "2026-03-08 01:59"),
            ("2026-03-08T10:00Z", "2026-03-08 03:00"),
            ("2026-03-09T06:59Z", "2026-03-08 23:59"), // a day of 23 hours
            ("2026-03-09T07:00Z", "2026-03-09 00:00"),
            ("2026-11-01T08:30Z", "2026-11-01 01:30"),
            ("2026-11-01T09:30Z", "2026-11-01 01:30"), // an hour that comes twice
            ("2030-07-01T00:00Z", "2030-06-30 16:00"), // after the last one
        ] {
            assert_eq!(format_minute(at(moment), &los_angeles), shown, "{moment}");
            assert!(shown.ends_with(&format_clock(at(moment), &los_angeles)));
        }
        let kathmandu = Zone::new(vec![[i64::MIN, 345]]);
        assert_eq!(format_minute(Milliseconds(-1), &kathmandu), "1970-01-01 05:44");
        assert_eq!(kathmandu.day(Milliseconds(-1)), 0);
        assert_eq!(Zone::default().day(Milliseconds(-1)), -1);
        // Offsets that no zone has do no harm.
        let absurd = Zone::new(vec![[0, i64::MAX], [1, i64::MIN]]);
        for moment in [i64::MIN, 0, 1, i64::MAX] {
            assert!(!format_minute(Milliseconds(moment), &absurd).is_empty());
        }
    }

    #[test]
    fn names_the_days() {
        let day = |text| Zone::default().day(parse(text).expect("a moment"));
        assert_eq!(weekday_name(day("2026-02-06")), "Friday");
        assert_eq!(weekday_name(day("1969-12-31T23:59Z")), "Wednesday");
        assert_eq!(format_date(day("2026-01-28T23:59Z")), "2026-01-28");
        let week: Vec<_> = (day("2026-02-02")..day("2026-02-09")).map(weekday_name).collect();
        let names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
        assert_eq!(week, names);
    }
}
