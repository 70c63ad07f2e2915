//! Finds the times that a request names: dates, months, weekdays and so on, and words relative to the clock.
//!
//! A text is read once into tokens, each with its meaning in each of seven languages (`words`). Numeric dates need no
//! language. Everything else is matched in one language at a time, and if matches of several overlap, the longest one
//! wins. Seasons are those of the northern hemisphere, and weeks begin on Monday.

mod words;

use crate::base::time::{
    MILLISECONDS_PER_DAY, Milliseconds, Zone, civil_date, days_in_month, days_since_1970,
};
use std::ops::Range;
use words::{ENGLISH, Hash, LANGUAGES, MODIFIED_BEHIND, Part, RUSSIAN, Unit, Word};

/// A stretch of time that a request names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// The first moment.
    pub first: Milliseconds,
    /// The moment after the last one. For "after" and "since" that is the end of a `Date`'s range.
    pub end: Milliseconds,
    /// The range of the words that name it, in bytes of the request.
    pub words: Range<usize>,
}

/// The times that a text names, in order.
///
/// `now` is the clock, `zone` the user's. `known` is the time from the first to the last message: a month, season,
/// weekday or day of a month without a year means all those within it. With "since", "before" and "after" it means only
/// the last of them or, if none is within it, the last one until now. An ambiguous date yields two spans.
pub(crate) fn spans(
    text: &str,
    now: Milliseconds,
    zone: &Zone,
    known: (Milliseconds, Milliseconds),
) -> Vec<Span> {
    let read = Tokens::read(text);
    if read.languages == 0 && !read.has_numbers {
        return Vec::new();
    }
    let calendar = Calendar::new(now, zone, known);
    let mut named = Vec::new();
    let mut collect = |language: Option<usize>| {
        let matcher = Matcher { text, read: &read, calendar: &calendar, language };
        let (mut at, mut count) = (0, 0);
        while at < read.all.len() && count < MOST_SPANS {
            let found = if language.is_some() { matcher.phrase(at) } else { matcher.numeric(at) };
            let Some((times, next)) = found else {
                at += 1;
                continue;
            };
            let words = read.all[at].start..read.all[next - 1].end;
            let votes = language.map_or(usize::MAX, |language| read.votes[language]);
            count += times.len();
            // Sorting them afterward would take more code.
            let place = named
                .partition_point(|(others, ..): &(Range<usize>, _, _)| others.start <= words.start);
            named.insert(place, (words, votes, times));
            at = next;
        }
    };
    if read.has_numbers {
        collect(None);
    }
    for language in 0..LANGUAGES {
        if read.languages & (1 << language) != 0 {
            collect(Some(language));
        }
    }

    let mut chosen: Vec<(Range<usize>, usize, Times)> = Vec::new();
    for one in named {
        match chosen.last_mut() {
            Some(last) if one.0.start < last.0.end => {
                if (one.0.len(), one.1) > (last.0.len(), last.1) {
                    *last = one;
                }
            }
            _ => chosen.push(one),
        }
    }
    let spans = chosen.into_iter().flat_map(|(words, _, times)| {
        let calendar = &calendar;
        times.into_iter().filter_map(move |time| {
            let (first, end) = (calendar.moment(time.first)?, calendar.moment(time.end)?);
            (first < end).then(|| Span { first, end, words: words.clone() })
        })
    });
    spans.take(MOST_SPANS).collect()
}

/// Maximum number of spans of a request, as a limit for pasted text.
const MOST_SPANS: usize = 1024;
/// Maximum number of weekdays or years that a name without a date may mean.
const MOST_WEEKDAYS: i64 = 366;
const MOST_YEARS: i64 = 100;
/// The range of four-digit numbers that can be years.
const YEARS: std::ops::RangeInclusive<i64> = 1900..=2199;
/// The first and the last moment of a `Date`, in milliseconds since 1970.
const DATE_LIMIT: i64 = 8_640_000_000_000_000;
const HOUR: i64 = MILLISECONDS_PER_DAY / 24;

/// The zone's local time, in milliseconds since its clocks showed 1970; beyond a `Date`'s range, the nearest end of it.
type Local = i64;
const BEGINNING: Local = i64::MIN;
const ENDING: Local = i64::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Time {
    first: Local,
    end: Local,
}

type Times = Vec<Time>;

/// Whole days, from the first up to, not including, the second.
fn days(first: i64, end: i64) -> Time {
    Time { first: first * MILLISECONDS_PER_DAY, end: end * MILLISECONDS_PER_DAY }
}

fn day(day: i64) -> Time {
    days(day, day + 1)
}

/// A month by its number from January of the year 0.
fn month(number: i64) -> Time {
    let first = |number: i64| days_since_1970(number.div_euclid(12), number.rem_euclid(12) + 1, 1);
    days(first(number), first(number + 1))
}

fn year(year: i64) -> Time {
    days(days_since_1970(year, 1, 1), days_since_1970(year + 1, 1, 1))
}

/// A season by the year that it begins in: spring is 0 and begins in March.
fn season(year: i64, season: i64) -> Time {
    let begin = year * 12 + 2 + season * 3;
    Time { first: month(begin).first, end: month(begin + 2).end }
}

fn date(year: i64, month: i64, number: i64) -> Option<Time> {
    let is_date = (1..=12).contains(&month) && number >= 1 && number <= days_in_month(year, month);
    is_date.then(|| day(days_since_1970(year, month, number)))
}

fn part(day: i64, part: Part) -> Time {
    let (from, to) = match part {
        Part::Morning => (0, 12),
        Part::Afternoon => (12, 18),
        Part::Evening => (17, 24),
        Part::Night => (18, 30),
    };
    let midnight = day * MILLISECONDS_PER_DAY;
    Time { first: midnight + from * HOUR, end: midnight + to * HOUR }
}

/// The Monday of a day's week.
fn monday(day: i64) -> i64 {
    day - (day + 3).rem_euclid(7)
}

/// A recurring date that a name without a year may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Noun {
    Unit(Unit),
    Part(Part),
    Weekday(i64),
    Month(i64),
    /// A day of a month: the month, the day.
    Date(i64, i64),
    Season(i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Last,
    This,
    Next,
}

struct Calendar<'a> {
    zone: &'a Zone,
    /// The current day, its year and its month.
    today: i64,
    year: i64,
    month: i64,
    /// The days of the first and of the last message.
    known: (i64, i64),
}

impl<'a> Calendar<'a> {
    fn new(now: Milliseconds, zone: &'a Zone, known: (Milliseconds, Milliseconds)) -> Self {
        let limit = DATE_LIMIT / MILLISECONDS_PER_DAY;
        let day = |moment| zone.day(moment).clamp(-limit, limit);
        let today = day(now);
        let (year, month, _) = civil_date(today);
        Self { zone, today, year, month, known: (day(known.0), day(known.1)) }
    }

    /// The moment of a local time. If the clocks show it twice, the first one; if they skip it, the moment that it
    /// would have been.
    fn moment(&self, local: Local) -> Option<Milliseconds> {
        if local == BEGINNING {
            return Some(Milliseconds(-DATE_LIMIT));
        }
        if local == ENDING {
            return Some(Milliseconds(DATE_LIMIT));
        }
        // No zone is farther than 14 hours from UTC, and none changes its clocks twice within two days.
        let moment_by_clocks_at = |hours: i64| {
            let at = Milliseconds(local.saturating_add(hours * HOUR));
            let ahead = self.zone.local(at).0.saturating_sub(at.0);
            Milliseconds(local.saturating_sub(ahead))
        };
        let (before, after) = (moment_by_clocks_at(-15), moment_by_clocks_at(15));
        let shows = |moment: Milliseconds| self.zone.local(moment).0 == local;
        let moment = if !shows(before) && shows(after) { after } else { before };
        (-DATE_LIMIT..=DATE_LIMIT).contains(&moment.0).then_some(moment)
    }

    fn years_known(&self) -> Range<i64> {
        let (first, last) = (civil_date(self.known.0).0, civil_date(self.known.1).0);
        // A winter begins in the previous year.
        (first - 1).max(last - MOST_YEARS)..last + 1
    }

    /// The meaning of a name in a year. None if the year has no such day, or the name doesn't depend on a year.
    fn in_year(noun: Noun, number: i64) -> Option<Time> {
        match noun {
            Noun::Month(name) => Some(month(number * 12 + name - 1)),
            Noun::Date(name, day) => date(number, name, day),
            Noun::Season(name) => Some(season(number, name)),
            Noun::Weekday(_) | Noun::Unit(_) | Noun::Part(_) => None,
        }
    }

    /// Every meaning of a name without a year.
    fn all(&self, noun: Noun) -> Times {
        let known = days(self.known.0, self.known.1 + 1);
        let is_known = |time: &Time| time.first < known.end && known.first < time.end;
        if let Noun::Weekday(weekday) = noun {
            let last = Self::weekday_until(weekday, self.known.1);
            let weeks = (0..MOST_WEEKDAYS).map(|weeks| day(last - 7 * weeks));
            let mut times: Times = weeks.take_while(is_known).collect();
            times.reverse();
            return times;
        }
        let times = self.years_known().filter_map(|number| Self::in_year(noun, number));
        times.filter(is_known).collect()
    }

    /// The last date that a name can mean: the last within the known time, otherwise the last until now.
    fn last(&self, noun: Noun) -> Times {
        let known = self.all(noun).pop();
        let until_now = || match noun {
            Noun::Weekday(weekday) => Some(day(Self::weekday_until(weekday, self.today))),
            // The next February 29 is at most eight years away.
            _ => (self.year - 8..=self.year)
                .rev()
                .filter_map(|number| Self::in_year(noun, number))
                .find(|time| time.first <= self.today * MILLISECONDS_PER_DAY),
        };
        known.or_else(until_now).into_iter().collect()
    }

    /// The last such weekday that is not after a day.
    fn weekday_until(weekday: i64, day: i64) -> i64 {
        day - (day + 3 - weekday).rem_euclid(7)
    }

    /// The unit that was `count` units ago.
    fn ago(&self, unit: Unit, count: i64) -> Time {
        match unit {
            Unit::Day => day(self.today - count),
            Unit::Week => {
                let monday = monday(self.today) - 7 * count;
                days(monday, monday + 7)
            }
            Unit::Weekend => {
                let monday = monday(self.today) - 7 * count;
                days(monday + 5, monday + 7)
            }
            Unit::Month => month(self.year * 12 + self.month - 1 - count),
            Unit::Year => year(self.year - count),
        }
    }

    /// From `count` units ago until the end of today.
    fn last_of_many(&self, unit: Unit, count: i64) -> Time {
        let back = match unit {
            Unit::Day => count,
            Unit::Week | Unit::Weekend => count * 7,
            Unit::Month => count * 30 + count / 2,
            Unit::Year => count * 365 + count / 4,
        };
        days(self.today - back, self.today + 1)
    }

    /// The meaning of "last", "this" or "next" with a name. Future times yield nothing, because there can't be messages
    /// from then.
    fn modified(&self, which: Which, noun: Noun) -> Times {
        if which == Which::Next {
            return Vec::new();
        }
        let is_last = which == Which::Last;
        let time = match noun {
            Noun::Unit(unit) => Some(self.ago(unit, i64::from(is_last))),
            Noun::Part(name) => Some(part(self.today - i64::from(is_last), name)),
            Noun::Weekday(weekday) if is_last => {
                Some(day(Self::weekday_until(weekday, self.today - 1)))
            }
            Noun::Weekday(weekday) => Some(day(monday(self.today) + weekday)),
            _ => {
                let now = self.today * MILLISECONDS_PER_DAY;
                let is_meant = |time: &Time| {
                    if is_last { time.end <= now } else { time.end > now }
                };
                let mut years: Vec<i64> = (self.year - 8..=self.year + 8).collect();
                if is_last {
                    years.reverse();
                }
                let mut times = years.into_iter().filter_map(|number| Self::in_year(noun, number));
                if is_last || matches!(noun, Noun::Season(3)) {
                    times.find(is_meant)
                } else {
                    Self::in_year(noun, self.year)
                }
            }
        };
        time.into_iter().collect()
    }
}

/// The separator between a token and the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    /// Nothing, a space, an apostrophe.
    Space,
    Hyphen,
    Slash,
    Dot,
    Comma,
    /// Anything else, which always separates.
    Break,
}

#[derive(Debug)]
struct Token {
    start: usize,
    end: usize,
    gap: Gap,
    /// Number of bytes in the gap.
    gap_length: usize,
    /// The value of up to four digits.
    number: Option<i64>,
    is_digits: bool,
    /// True if it begins with a capital and continues in small letters.
    is_capitalised: bool,
    words: [Option<Word>; LANGUAGES],
}

#[derive(Default)]
struct Tokens {
    all: Vec<Token>,
    /// The languages with a token that may name a time, as bits.
    languages: u8,
    has_numbers: bool,
    /// For each language, how many tokens are words of it.
    votes: [usize; LANGUAGES],
}

/// True if a character is a letter in the scripts of the seven languages, or an accent on one.
fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphabetic()
        || (letter >= '\u{c0}'
            && matches!(letter, '\u{c0}'..='\u{24f}' | '\u{300}'..='\u{36f}' | '\u{400}'..='\u{52f}')
            && !matches!(letter, '×' | '÷'))
}

impl Tokens {
    fn read(text: &str) -> Self {
        let mut read = Self { all: Vec::with_capacity(text.len() / 5), ..Self::default() };
        let mut letters = text.char_indices().peekable();
        let mut last_end = 0;
        while let Some((start, letter)) = letters.next() {
            let is_digits = letter.is_ascii_digit();
            if !is_digits && !is_letter(letter) {
                continue;
            }
            let is_same =
                |next: char| if is_digits { next.is_ascii_digit() } else { is_letter(next) };
            let mut hash = Hash::new().with_char(letter);
            let mut has_small = false;
            let mut number = i64::from(letter.to_digit(10).unwrap_or_default());
            let mut end = start + letter.len_utf8();
            while let Some((at, next)) = letters.next_if(|(_, next)| is_same(*next)) {
                end = at + next.len_utf8();
                if is_digits {
                    let digit = i64::from(next.to_digit(10).unwrap_or_default());
                    number = number.saturating_mul(10).saturating_add(digit);
                } else {
                    hash = hash.with_char(next);
                    has_small |= next.is_ascii_lowercase();
                }
            }
            let (gap, gap_length) = (gap(&text[last_end..start]), start - last_end);
            last_end = end;
            let mut token = Token {
                start,
                end,
                gap,
                gap_length,
                number: (is_digits && end - start <= 4).then_some(number),
                is_digits,
                is_capitalised: has_small && letter.is_ascii_uppercase(),
                words: [None; LANGUAGES],
            };
            if is_digits {
                read.has_numbers |= token.number.is_some();
            } else {
                for (language, word) in words::meanings(hash) {
                    token.words[language] = Some(word);
                    read.votes[language] += 1;
                    if names_time(word) {
                        read.languages |= 1 << language;
                    }
                }
            }
            read.all.push(token);
        }
        // A year needs a word that introduces it, in any language.
        let has_year = |token: &Token| token.number.is_some_and(|number| YEARS.contains(&number));
        if read.has_numbers && read.all.iter().any(has_year) {
            for language in 0..LANGUAGES {
                if read.votes[language] > 0 {
                    read.languages |= 1 << language;
                }
            }
        }
        read
    }
}

fn gap(between: &str) -> Gap {
    match between {
        "" | " " | "'" | "’" => return Gap::Space,
        "-" | "\u{2010}" | "\u{2011}" | "–" => return Gap::Hyphen,
        "/" => return Gap::Slash,
        _ => {}
    }
    let rest = between.trim_start_matches(['º', '°', 'ª']);
    match rest.trim() {
        "" | "'" | "’" => Gap::Space,
        "." if rest.starts_with('.') => Gap::Dot,
        "," if rest.starts_with(',') => Gap::Comma,
        _ => Gap::Break,
    }
}

/// True if a word can be the core of a name of a time, and not only part of one.
fn names_time(word: Word) -> bool {
    matches!(
        word,
        Word::Month(_)
            | Word::NamedMonth(_)
            | Word::VerbMonth(_)
            | Word::Weekday(_)
            | Word::NumberedWeekday(_)
            | Word::Season(_)
            | Word::InSeason(_)
            | Word::Unit(_)
            | Word::Day(_)
            | Word::DoubtfulDay(_)
            | Word::Part(_)
            | Word::DayPart(..)
    )
}

/// The match that starts at a token, and the token after it.
type Found<T> = Option<(T, usize)>;

struct Matcher<'a> {
    text: &'a str,
    read: &'a Tokens,
    calendar: &'a Calendar<'a>,
    /// None for numeric dates, which need no language.
    language: Option<usize>,
}

impl Matcher<'_> {
    fn token(&self, at: usize) -> Option<&Token> {
        self.read.all.get(at)
    }

    /// The meaning of a token in the language.
    fn word(&self, at: usize) -> Option<Word> {
        self.token(at)?.words[self.language?]
    }

    /// The meaning of a token if it belongs to the previous token.
    fn next_word(&self, at: usize) -> Option<Word> {
        self.is_joined(at).then(|| self.word(at))?
    }

    fn is_joined(&self, at: usize) -> bool {
        self.token(at).is_some_and(|token| matches!(token.gap, Gap::Space | Gap::Hyphen))
    }

    /// Skips up to `most` articles and prepositions.
    fn skip(&self, mut at: usize, most: usize) -> usize {
        for _ in 0..most {
            match self.next_word(at) {
                Some(Word::Preposition | Word::Determiner | Word::To) => at += 1,
                _ => break,
            }
        }
        at
    }

    /// A number with a number of digits in `lengths`.
    fn digits(&self, at: usize, lengths: std::ops::RangeInclusive<usize>) -> Option<i64> {
        let token = self.token(at)?;
        token.number.filter(|_| lengths.contains(&(token.end - token.start)))
    }

    /// Dates in digits, and years within the transcript's time.
    fn numeric(&self, at: usize) -> Found<Times> {
        let token = self.token(at)?;
        token.number?;
        let is_tight_number = |at: usize| {
            self.token(at).is_some_and(|token| {
                token.gap_length == 1
                    && token.is_digits
                    && matches!(token.gap, Gap::Hyphen | Gap::Slash | Gap::Dot)
            })
        };
        // It is part of something longer: a version, an address, a number.
        if at > 0 && (is_tight_number(at) || token.gap_length == 0) {
            return None;
        }
        if let Some(times) = self.full_date(at).filter(|_| !is_tight_number(at + 3)) {
            return Some((times, at + 3));
        }
        if is_tight_number(at + 1) && !is_tight_number(at + 2) {
            let gap = self.token(at + 1)?.gap;
            let year_and_month = match gap {
                Gap::Hyphen => self.digits(at, 4..=4).zip(self.digits(at + 1, 2..=2)),
                Gap::Slash => self.digits(at + 1, 4..=4).zip(self.digits(at, 1..=2)),
                _ => None,
            };
            let (year, number) = year_and_month
                .filter(|(year, month)| YEARS.contains(year) && (1..=12).contains(month))?;
            return Some((vec![month(year * 12 + number - 1)], at + 2));
        }
        let number = self.digits(at, 4..=4).filter(|number| YEARS.contains(number))?;
        let known = self.calendar.years_known();
        let touches = |letter: Option<char>, marks: &str| {
            letter.is_some_and(|letter| !letter.is_whitespace() && !marks.contains(letter))
        };
        let before = self.text[..token.start].chars().next_back();
        let mut after = self.text[token.end..].chars();
        let is_alone = !touches(before, "(\"'’“„«¿[") && !touches(after.next(), ".,;:?!)\"'’”“»]");
        (is_alone && number > known.start && known.contains(&number))
            .then(|| (vec![year(number)], at + 1))
    }

    /// Year, month and day, in any order. Two results if both readings are dates.
    fn full_date(&self, at: usize) -> Option<Times> {
        let gap = self.token(at + 1)?.gap;
        if gap != self.token(at + 2)?.gap {
            return None;
        }
        if !matches!(gap, Gap::Hyphen | Gap::Slash | Gap::Dot) {
            return None;
        }
        let middle = self.digits(at + 1, 1..=2)?;
        if let Some(year) = self.digits(at, 4..=4) {
            return date(year, middle, self.digits(at + 2, 1..=2)?).map(|time| vec![time]);
        }
        let first = self.digits(at, 1..=2)?;
        let year = match self.digits(at + 2, 4..=4) {
            Some(year) => year,
            None if gap != Gap::Hyphen => 2000 + self.digits(at + 2, 2..=2)?,
            None => return None,
        };
        let month_first = (gap != Gap::Dot && first != middle).then(|| date(year, first, middle));
        let times: Times =
            date(year, middle, first).into_iter().chain(month_first.flatten()).collect();
        (!times.is_empty()).then_some(times)
    }

    /// A time with a word for a direction or an end: "since May", "from May to July".
    fn phrase(&self, at: usize) -> Found<Times> {
        let Some(
            direction @ (Word::Since | Word::Before | Word::After | Word::Until | Word::Between),
        ) = self.word(at)
        else {
            return self.stretch(at, false).or_else(|| self.time(at, false));
        };
        if direction == Word::Before {
            // "vor drei Tagen", and the day before yesterday: "avant-hier".
            if let Some(found) = self.ago_after(at + 1) {
                return Some(found);
            }
            let yesterday = self.calendar.today - 1;
            if self.token(at + 1).is_some_and(|token| token.gap == Gap::Hyphen)
                && let Some((times, next)) = self.time(at + 1, false)
                && times == [day(yesterday)]
            {
                return Some((vec![day(yesterday - 1)], next));
            }
        }
        let from = self.skip(at + 1, 2);
        if !self.is_joined(from) {
            return None;
        }
        if matches!(direction, Word::Since | Word::Between)
            && let Some(found) = self.stretch(from, direction == Word::Between)
        {
            return Some(found);
        }
        if direction == Word::Between {
            return None;
        }
        let (times, next) = self.time(from, true).or_else(|| {
            let (times, next) = Matcher { language: None, ..*self }.numeric(from)?;
            Some((times, next))
        })?;
        let towards = |time: Time| match direction {
            Word::Since => Time { end: ENDING, ..time },
            Word::After => Time { first: time.end, end: ENDING },
            Word::Before => Time { first: BEGINNING, end: time.first },
            _ => Time { first: BEGINNING, ..time },
        };
        Some((times.into_iter().map(towards).collect(), next))
    }

    /// A time, a word like "to", and a later time.
    fn stretch(&self, at: usize, is_between: bool) -> Found<Times> {
        let (firsts, middle) = self.time(at, false)?;
        match self.next_word(middle)? {
            Word::To | Word::Until => {}
            Word::And if is_between => {}
            _ => return None,
        }
        let (lasts, next) = self.time(self.skip(middle + 1, 2), false)?;
        let stretches = lasts.iter().filter_map(|last| {
            let first = firsts.iter().rev().find(|first| first.first <= last.first)?;
            Some(Time { first: first.first, end: last.end })
        });
        let stretches: Times = stretches.collect();
        (!stretches.is_empty()).then_some((stretches, next))
    }

    /// A time. With `only_last`, a name without a year means only its last date: "May" is the last May.
    fn time(&self, at: usize, only_last: bool) -> Found<Times> {
        self.day(at)
            .or_else(|| self.ago(at))
            .or_else(|| self.modified(at))
            .or_else(|| self.weekday(at, only_last))
            .or_else(|| self.dated(at, only_last))
            .or_else(|| self.season(at, only_last))
            .or_else(|| self.year(at))
    }

    fn all(&self, noun: Noun, only_last: bool) -> Times {
        if only_last { self.calendar.last(noun) } else { self.calendar.all(noun) }
    }

    /// "yesterday", "yesterday evening", "the day before yesterday", "last night" in one word.
    fn day(&self, at: usize) -> Found<Times> {
        let today = self.calendar.today;
        let (back, next) = match self.word(at)? {
            Word::DayPart(back, name) => {
                return Some((vec![part(today + i64::from(back), name)], at + 1));
            }
            Word::Day(back) => (back, at + 1),
            Word::DoubtfulDay(back) => {
                let votes = self.read.votes[self.language?];
                if self.read.votes.iter().any(|others| *others > votes) {
                    return None;
                }
                (back, at + 1)
            }
            Word::Other if self.next_word(at + 1) == Some(Word::Day(-1)) => (-2, at + 2),
            Word::Unit(Unit::Day)
                if self.next_word(at + 1) == Some(Word::Before)
                    && self.next_word(at + 2) == Some(Word::Day(-1)) =>
            {
                (-2, at + 3)
            }
            _ => return None,
        };
        let day_of_it = today + i64::from(back);
        let behind = self.skip(next, 2);
        // "hier après-midi", "aujourd'hui".
        let behind = behind + usize::from(self.next_word(behind) == Some(Word::After));
        Some(match self.next_word(behind) {
            Some(Word::Part(name)) => (vec![part(day_of_it, name)], behind + 1),
            _ => (vec![day(day_of_it)], next),
        })
    }

    fn number(&self, at: usize) -> Option<i64> {
        match self.word(at) {
            Some(Word::Number(number)) => Some(i64::from(number)),
            _ => self.digits(at, 1..=4),
        }
    }

    /// A unit of time, including "fin de semana".
    fn unit(&self, at: usize) -> Found<Unit> {
        match self.word(at)? {
            Word::Unit(Unit::Weekend) if self.next_word(at + 1) == Some(Word::End) => {
                Some((Unit::Weekend, at + 2))
            }
            Word::Unit(unit) => Some((unit, at + 1)),
            Word::End => {
                let week = self.skip(at + 1, 1);
                (self.next_word(week) == Some(Word::Unit(Unit::Week)))
                    .then_some((Unit::Weekend, week + 1))
            }
            _ => None,
        }
    }

    /// A number and a unit.
    fn count(&self, at: usize) -> Found<(i64, Unit)> {
        let number = self.number(at)?;
        let (unit, next) = self.is_joined(at + 1).then(|| self.unit(at + 1))??;
        Some(((number, unit), next))
    }

    /// "3 days ago", "il y a 3 jours", "неделю назад".
    fn ago(&self, at: usize) -> Found<Times> {
        if self.word(at) == Some(Word::AgoFirst) {
            return self.ago_after(at + 1);
        }
        let without_number = || {
            let (unit, next) = self.unit(at)?;
            (self.language == Some(RUSSIAN)).then_some(((1, unit), next))
        };
        let ((number, unit), next) = self.count(at).or_else(without_number)?;
        (self.next_word(next) == Some(Word::Ago))
            .then(|| (vec![self.calendar.ago(unit, number)], next + 1))
    }

    fn ago_after(&self, at: usize) -> Found<Times> {
        let at = self.skip(at, 1);
        let ((number, unit), next) = self.is_joined(at).then(|| self.count(at))??;
        Some((vec![self.calendar.ago(unit, number)], next))
    }

    fn which(&self, at: usize) -> Option<Which> {
        match self.word(at)? {
            Word::Last => Some(Which::Last),
            Word::This => Some(Which::This),
            Word::Next => Some(Which::Next),
            _ => None,
        }
    }

    fn noun(&self, at: usize) -> Found<Noun> {
        if let Some((unit, next)) = self.unit(at) {
            return Some((Noun::Unit(unit), next));
        }
        let noun = match self.word(at)? {
            Word::Part(part) => Noun::Part(part),
            Word::Weekday(weekday) => Noun::Weekday(i64::from(weekday)),
            Word::NumberedWeekday(weekday) => {
                let is_named = self.next_word(at + 1) == Some(Word::Feira);
                return Some((Noun::Weekday(i64::from(weekday)), at + 1 + usize::from(is_named)));
            }
            Word::Season(season) | Word::InSeason(season) => Noun::Season(i64::from(season)),
            word => Noun::Month(month_of(word)?),
        };
        Some((noun, at + 1))
    }

    /// "last week", "this morning", "la semaine dernière", "the last three days".
    fn modified(&self, at: usize) -> Found<Times> {
        if let Some(which) = self.which(at) {
            if !self.is_joined(at + 1) {
                return None;
            }
            if which == Which::Last
                && let Some(((number, unit), next)) = self.count(at + 1)
            {
                return Some((vec![self.calendar.last_of_many(unit, number)], next));
            }
            // "cet après-midi"
            let behind = at + 1 + usize::from(self.word(at + 1) == Some(Word::After));
            let (noun, next) = self.noun(behind)?;
            return Some((self.calendar.modified(which, noun), next));
        }
        if !MODIFIED_BEHIND.contains(&self.language?) {
            return None;
        }
        let (noun, next) = self.noun(at)?;
        let which = self.is_joined(next).then(|| self.which(next))??;
        // "ce" also precedes words that it doesn't modify: "mardi, ce que".
        (which != Which::This).then(|| (self.calendar.modified(which, noun), next + 1))
    }

    /// A weekday, of a week if one is named. If it has a date too, the date decides.
    fn weekday(&self, at: usize, only_last: bool) -> Found<Times> {
        let is_numbered = matches!(self.word(at)?, Word::NumberedWeekday(_));
        let (Noun::Weekday(weekday), next) = self.noun(at)? else {
            return None;
        };
        if is_numbered && next == at + 1 && !self.is_introduced(at, false) {
            return None;
        }
        let has_comma = self.token(next).is_some_and(|token| token.gap == Gap::Comma);
        let begin = next + usize::from(has_comma && self.word(next) == Some(Word::Determiner));
        let behind = if has_comma { begin } else { self.skip(next, 2) };
        if (has_comma || self.is_joined(behind))
            && let Some(found) = self.day_of_month(behind, only_last)
        {
            return Some(found);
        }
        let behind = self.skip(next, 2);
        if self.is_joined(behind)
            && let Some((week, next)) = self.modified(behind)
            && let Some(week) = week.first()
            && week.end - week.first == 7 * MILLISECONDS_PER_DAY
        {
            let first = week.first / MILLISECONDS_PER_DAY;
            return Some((vec![day(first + weekday)], next));
        }
        Some((self.all(Noun::Weekday(weekday), only_last), next))
    }

    /// True if the word before a token turns it into a time. With `by_article`, an article does.
    fn is_introduced(&self, at: usize, by_article: bool) -> bool {
        if !self.is_joined(at) {
            return false;
        }
        let Some(before) = at.checked_sub(1) else {
            return false;
        };
        match self.word(before) {
            Some(
                Word::Preposition
                | Word::Since
                | Word::Before
                | Word::After
                | Word::Until
                | Word::Between,
            ) => true,
            Some(Word::And | Word::To) => {
                let is_month = |at| self.word(at).and_then(month_of).is_some();
                before.checked_sub(1).is_some_and(|month| self.is_joined(before) && is_month(month))
            }
            Some(Word::Determiner) => by_article,
            _ => false,
        }
    }

    /// A year after the name it belongs to: "2023", ", 2023", "de 2023", "last year".
    fn year_behind(&self, at: usize) -> Found<i64> {
        let has_comma = self.token(at)?.gap == Gap::Comma;
        let is_dotted = self.token(at)?.gap == Gap::Dot && self.token(at)?.gap_length <= 2;
        let behind = if has_comma || is_dotted { at } else { self.skip(at, 2) };
        if !has_comma && !is_dotted && !self.is_joined(behind) {
            return None;
        }
        // "im Jahr 2022", "del año 2022"
        let is_named = self.word(behind) == Some(Word::Unit(Unit::Year));
        let number = if is_named { self.skip(behind + 1, 1) } else { behind };
        if let Some(year) = self.digits(number, 4..=4).filter(|year| YEARS.contains(year)) {
            let is_russian_year = self.language == Some(RUSSIAN)
                && matches!(self.next_word(number + 1), Some(Word::Unit(Unit::Year)));
            return Some((year, number + 1 + usize::from(is_russian_year)));
        }
        if has_comma || is_dotted {
            return None;
        }
        let (years, next) = self.modified(behind)?;
        let found = years.first()?;
        let year_of_it = civil_date(found.first.div_euclid(MILLISECONDS_PER_DAY)).0;
        (*found == year(year_of_it)).then_some((year_of_it, next))
    }

    /// A month, or a day of one, with or without a year.
    fn dated(&self, at: usize, only_last: bool) -> Found<Times> {
        self.day_of_month(at, only_last).or_else(|| self.month(at, only_last))
    }

    /// "7 May", "the 7th of May", "May 7", with or without a year.
    fn day_of_month(&self, at: usize, only_last: bool) -> Found<Times> {
        let (name, number, next) = if let Some(number) = self.digits(at, 1..=2) {
            let mut behind = at + 1;
            let is_ordinal = self.next_word(behind) == Some(Word::Ordinal);
            behind += usize::from(is_ordinal);
            let has_dot = self.token(behind)?.gap == Gap::Dot;
            let month = if has_dot { behind } else { self.skip(behind, 2) };
            if !has_dot && !self.is_joined(month) {
                return None;
            }
            let word = self.word(month)?;
            let is_sure = is_ordinal || month > behind || self.is_sure_verb_month(month, month);
            if matches!(word, Word::VerbMonth(_)) && !is_sure {
                return None;
            }
            (month_of(word)?, number, month + 1)
        } else {
            let word = self.word(at)?;
            let name = month_of(word)?;
            if self.language != Some(ENGLISH) {
                return None;
            }
            let is_dotted = self.token(at + 1)?.gap == Gap::Dot;
            let behind = if is_dotted { at + 1 } else { self.skip(at + 1, 1) };
            if !is_dotted && !self.is_joined(behind) {
                return None;
            }
            let number = self.digits(behind, 1..=2)?;
            let is_ordinal = self.next_word(behind + 1) == Some(Word::Ordinal);
            if matches!(word, Word::VerbMonth(_))
                && !is_ordinal
                && !self.is_sure_verb_month(at, behind)
            {
                return None;
            }
            (name, number, behind + 1 + usize::from(is_ordinal))
        };
        if let Some((year, next)) = self.year_behind(next) {
            return Some((date(year, name, number).into_iter().collect(), next));
        }
        // February 29 exists only in leap years.
        date(2000, name, number)?;
        Some((self.all(Noun::Date(name, number), only_last), next))
    }

    /// True if a month that is also a verb is a month next to a number: "on 7 may", "may 7, 2023", but not "may 7
    /// people".
    fn is_sure_verb_month(&self, month: usize, last: usize) -> bool {
        let ends = |at: usize| {
            self.token(at).is_none_or(|token| token.is_digits || !matches!(token.gap, Gap::Space))
        };
        self.token(month).is_some_and(|token| token.is_capitalised) || ends(last + 1)
    }

    /// A month, with or without a year.
    fn month(&self, at: usize, only_last: bool) -> Found<Times> {
        let word = self.word(at)?;
        let name = month_of(word)?;
        if let Some((year, next)) = self.year_behind(at + 1) {
            return Some((vec![month(year * 12 + name - 1)], next));
        }
        let is_month = match word {
            Word::NamedMonth(_) => self.is_introduced(at, true),
            Word::VerbMonth(_) => {
                let begins_sentence = at == 0
                    || self
                        .token(at)
                        .is_none_or(|token| matches!(token.gap, Gap::Dot | Gap::Break));
                let is_capitalised = self.token(at).is_some_and(|token| token.is_capitalised);
                self.is_introduced(at, false) || (is_capitalised && !begins_sentence)
            }
            _ => true,
        };
        is_month.then(|| (self.all(Noun::Month(name), only_last), at + 1))
    }

    /// A season, with a year or with a word that turns it into a time.
    fn season(&self, at: usize, only_last: bool) -> Found<Times> {
        let (name, is_time) = match self.word(at)? {
            Word::Season(name) => (i64::from(name), false),
            Word::InSeason(name) => (i64::from(name), true),
            _ => return None,
        };
        if let Some((year, next)) = self.year_behind(at + 1) {
            let mut times = vec![season(year, name)];
            if name == 3 {
                // The winter of a year is the one that ends in it, or the one that begins in it.
                times.insert(0, season(year - 1, name));
            }
            return Some((times, next));
        }
        let article = at
            .checked_sub(1)
            .filter(|before| self.is_joined(at) && self.word(*before) == Some(Word::Determiner));
        let begin = article.unwrap_or(at);
        let before = begin.checked_sub(1).filter(|_| self.is_joined(begin));
        // "au printemps"
        let is_in = before.is_some_and(|before| self.word(before) == Some(Word::To));
        (is_time || is_in || self.is_introduced(begin, false))
            .then(|| (self.all(Noun::Season(name), only_last), at + 1))
    }

    /// A year that a word introduces: "in 2022", "im Jahr 2022".
    fn year(&self, at: usize) -> Found<Times> {
        let is_named = self.word(at) == Some(Word::Unit(Unit::Year));
        let number = if is_named { self.skip(at + 1, 1) } else { at };
        let value = self.digits(number, 4..=4).filter(|value| YEARS.contains(value))?;
        if is_named && !self.is_joined(number) {
            return None;
        }
        let article = at
            .checked_sub(1)
            .filter(|before| self.is_joined(at) && self.word(*before) == Some(Word::Determiner));
        let is_range = at.checked_sub(2).is_some_and(|first| {
            let is_year = self.digits(first, 4..=4).is_some_and(|value| YEARS.contains(&value));
            let word = self.next_word(at - 1);
            is_year
                && self.is_joined(at)
                && matches!(word, Some(Word::And | Word::To | Word::Until))
        });
        // The number continues: 2023-05-07.
        let goes_on = self.token(number + 1).is_some_and(|token| {
            token.gap_length == 1 && token.is_digits && token.gap != Gap::Space
        });
        let is_year = is_named || is_range || self.is_introduced(article.unwrap_or(at), false);
        let is_russian_year = self.language == Some(RUSSIAN)
            && self.next_word(number + 1) == Some(Word::Unit(Unit::Year));
        (!goes_on && (is_year || is_russian_year))
            .then(|| (vec![year(value)], number + 1 + usize::from(is_russian_year)))
    }
}

fn month_of(word: Word) -> Option<i64> {
    match word {
        Word::Month(month) | Word::NamedMonth(month) | Word::VerbMonth(month) => {
            Some(i64::from(month))
        }
        _ => None,
    }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use crate::base::time::{format_date, format_minute, parse};
    use proptest::prelude::*;
    use windrow_property::properties;

    fn at(text: &str) -> Milliseconds {
        parse(text).expect("a moment")
    }

    /// A Wednesday.
    const NOW: &str = "2026-11-04T12:00Z";
    const KNOWN: (&str, &str) = ("2025-01-15T10:00Z", "2026-10-31T20:00Z");

    fn found(text: &str, zone: &Zone) -> Vec<Span> {
        spans(text, at(NOW), zone, (at(KNOWN.0), at(KNOWN.1)))
    }

    /// Shows the times that a text names as `first..end`, in days, or to the minute if they aren't whole days. `..` is
    /// open-ended. A single day is shown as its date.
    fn shown(text: &str) -> String {
        let utc = Zone::default();
        let show = |moment: Milliseconds| {
            if moment.0.abs() == DATE_LIMIT {
                String::new()
            } else if moment.0 % MILLISECONDS_PER_DAY == 0 {
                format_date(utc.day(moment))
            } else {
                format_minute(moment, &utc).replace(' ', "T")
            }
        };
        let each = found(text, &utc).into_iter().map(|span| {
            if span.end.0 - span.first.0 == MILLISECONDS_PER_DAY
                && span.first.0 % MILLISECONDS_PER_DAY == 0
            {
                show(span.first)
            } else {
                format!("{}..{}", show(span.first), show(span.end))
            }
        });
        each.collect::<Vec<_>>().join(" ")
    }

    fn holds(cases: &[(&str, &str)]) {
        let wrong: Vec<_> = cases
            .iter()
            .map(|(text, expected)| (text, shown(text), expected))
            .filter(|(_, shown, expected)| shown != *expected)
            .collect();
        assert!(wrong.is_empty(), "text, shown, expected: {wrong:#?}");
    }

    const MAYS: &str = "2025-05-01..2025-06-01 2026-05-01..2026-06-01";
    const MARCHES: &str = "2025-03-01..2025-04-01 2026-03-01..2026-04-01";
    const SEVENTH_OF_MAY: &str = "2025-05-07 2026-05-07";
    const MAY_2023: &str = "2023-05-01..2023-06-01";
    const LAST_WEEK: &str = "2026-10-26..2026-11-02";
    const LAST_MONTH: &str = "2026-10-01..2026-11-01";
    const LAST_YEAR: &str = "2025-01-01..2026-01-01";
    const LAST_SUMMER: &str = "2026-06-01..2026-09-01";
    const YEAR_2022: &str = "2022-01-01..2023-01-01";
    const THREE_DAYS_AGO: &str = "2026-11-01";
    const LAST_NIGHT: &str = "2026-11-03T18:00..2026-11-04T06:00";
    const THIS_MORNING: &str = "2026-11-04..2026-11-04T12:00";
    const LAST_WEEKEND: &str = "2026-10-31..2026-11-02";

    #[test]
    fn reads_dates_in_digits() {
        holds(&[
            ("2023-05-07", "2023-05-07"),
            ("see 2023/5/7, please", "2023-05-07"),
            ("at 2023-05-07T10:00:00Z", "2023-05-07"),
            ("7.5.2023", "2023-05-07"),
            ("am 07. 05. 2023.", "2023-05-07"),
            ("5/7/2023", "2023-07-05 2023-05-07"),
            ("05-07-2023", "2023-07-05 2023-05-07"),
            ("05/07/23?", "2023-07-05 2023-05-07"),
            ("05/05/2023", "2023-05-05"),
            ("31/12/2023", "2023-12-31"),
            ("12/31/2023", "2023-12-31"),
            ("29.2.2024", "2024-02-29"),
            ("2023-05", MAY_2023),
            ("05/2023", MAY_2023),
            ("会议 2023-05-07 之后", "2023-05-07"),
            ("the 2025 budget", LAST_YEAR),
            ("Was haben wir 2025 gemacht?", LAST_YEAR),
        ]);
        for text in [
            "29.2.2023",
            "31/13/2023",
            "version 2.7.5",
            "192.168.1.20",
            "10.5.7.2023",
            "the 2001 ways",
            "2025.5 tons",
            "2,025 tons",
            "$2025",
            "#2025",
            "2025%",
            "x2025",
            "2023-13",
            "call 555-2025",
            "2025-2026-2027",
        ] {
            assert_eq!(shown(text), "", "{text}");
        }
    }

    #[test]
    fn reads_english() {
        holds(&[
            ("What did we do in May?", MAYS),
            ("in may", MAYS),
            ("the plans for May", MAYS),
            ("What happened that May with Bob?", MAYS),
            ("May 2023", MAY_2023),
            ("in May of 2023", MAY_2023),
            ("in may, 2023", MAY_2023),
            ("Sept. 2023", "2023-09-01..2023-10-01"),
            ("the June trip", "2025-06-01..2025-07-01 2026-06-01..2026-07-01"),
            ("in May last year", "2025-05-01..2025-06-01"),
            ("7 May", SEVENTH_OF_MAY),
            ("on May 7th", SEVENTH_OF_MAY),
            ("the 7th of may", SEVENTH_OF_MAY),
            ("may 7", SEVENTH_OF_MAY),
            ("May 7, 2023", "2023-05-07"),
            ("on Sunday, 7 May 2023", "2023-05-07"),
            ("May 7th 2023 and 8 May 2023", "2023-05-07 2023-05-08"),
            ("in January", "2025-01-01..2025-02-01 2026-01-01..2026-02-01"),
            ("in November", "2025-11-01..2025-12-01"),
            ("in 2022", YEAR_2022),
            ("in march", MARCHES),
            ("last March", "2026-03-01..2026-04-01"),
            ("last December", "2025-12-01..2026-01-01"),
            ("yesterday's talk", "2026-11-03"),
            ("yesterday evening", "2026-11-03T17:00..2026-11-04"),
            ("the day before yesterday", "2026-11-02"),
            ("today", "2026-11-04"),
            ("this morning", THIS_MORNING),
            ("last night", LAST_NIGHT),
            ("last Tuesday", "2026-11-03"),
            ("last Wednesday", "2026-10-28"),
            ("on Tuesday last week", "2026-10-27"),
            ("Tuesday of this week", "2026-11-03"),
            ("last week", LAST_WEEK),
            ("last month", LAST_MONTH),
            ("last year", LAST_YEAR),
            ("last weekend", LAST_WEEKEND),
            ("this week", "2026-11-02..2026-11-09"),
            ("this month", "2026-11-01..2026-12-01"),
            ("3 days ago", THREE_DAYS_AGO),
            ("a week ago", LAST_WEEK),
            ("twelve months ago", "2025-11-01..2025-12-01"),
            ("2 years ago", "2024-01-01..2025-01-01"),
            ("the last three days", "2026-11-01..2026-11-05"),
            ("last summer", LAST_SUMMER),
            ("last winter", "2025-12-01..2026-03-01"),
            ("in the summer of 2022", "2022-06-01..2022-09-01"),
            ("winter 2022", "2021-12-01..2022-03-01 2022-12-01..2023-03-01"),
            ("in the fall", "2025-09-01..2025-12-01 2026-09-01..2026-12-01"),
            ("since May", "2026-05-01.."),
            ("since last week", "2026-10-26.."),
            ("before May", "..2026-05-01"),
            ("after May 2023", "2023-06-01.."),
            ("before 2023-05-07", "..2023-05-07"),
            ("until yesterday", "..2026-11-04"),
            ("after Tuesday", "2026-10-28.."),
            ("from May to July 2025", "2025-05-01..2025-08-01"),
            ("between May and July 2025", "2025-05-01..2025-08-01"),
            ("yesterday. May I go?", "2026-11-03"),
        ]);
        for text in [
            "",
            "May I ask what we decided?",
            "You may march on. March on!",
            "may 7 people come?",
            "What did June say to April, and to Jan?",
            "Did Jan mar it?",
            "the fall of Rome, a spring in the mattress",
            "what comes next week, next May, next Tuesday",
            "How many days are in a week and months in a year?",
            "at last, this is it",
            "life on Mars with mayo",
            "Wir sind hier.",
            "the second hand, the fourth quarter",
        ] {
            assert_eq!(shown(text), "", "{text}");
        }
        // Every Tuesday between the oldest and the newest message.
        let tuesdays = found("on Tuesday", &Zone::default());
        assert_eq!(tuesdays.len(), 93);
        assert_eq!(tuesdays[0].first, at("2025-01-21"));
        assert_eq!(tuesdays[92].first, at("2026-10-27"));
    }

    #[test]
    fn reads_german() {
        holds(&[
            ("Was war im Mai?", MAYS),
            ("im März", MARCHES),
            ("Mai 2023", MAY_2023),
            ("am 7. Mai", SEVENTH_OF_MAY),
            ("am Sonntag, dem 7. Mai 2023,", "2023-05-07"),
            ("im Jahr 2022", YEAR_2022),
            ("gestern Abend", "2026-11-03T17:00..2026-11-04"),
            ("vorgestern", "2026-11-02"),
            ("heute", "2026-11-04"),
            ("heute Morgen", THIS_MORNING),
            ("letzte Nacht", LAST_NIGHT),
            ("letzten Dienstag", "2026-11-03"),
            ("Dienstag letzter Woche", "2026-10-27"),
            ("letzte Woche", LAST_WEEK),
            ("im vergangenen Monat", LAST_MONTH),
            ("voriges Jahr", LAST_YEAR),
            ("am letzten Wochenende", LAST_WEEKEND),
            ("vor drei Tagen", THREE_DAYS_AGO),
            ("vor einer Woche", LAST_WEEK),
            ("letzten Sommer", LAST_SUMMER),
            ("im Sommer 2022", "2022-06-01..2022-09-01"),
            ("seit Mai", "2026-05-01.."),
            ("vor Mai 2023", "..2023-05-01"),
            ("nach dem 7. Mai 2023", "2023-05-08.."),
            ("von Mai bis Juli 2025", "2025-05-01..2025-08-01"),
            ("nächste Woche", ""),
        ]);
    }

    #[test]
    fn reads_french() {
        holds(&[
            ("Qu'avons-nous dit en mai ?", MAYS),
            ("en mars", MARCHES),
            ("mai 2023", MAY_2023),
            ("le 7 mai", SEVENTH_OF_MAY),
            ("le 1er mai 2023", "2023-05-01"),
            ("au mois d'août 2023", "2023-08-01..2023-09-01"),
            ("en 2022", YEAR_2022),
            ("Qu'est-ce que tu as dit hier ?", "2026-11-03"),
            ("hier soir, nous avons", "2026-11-03T17:00..2026-11-04"),
            ("avant-hier", "2026-11-02"),
            ("aujourd’hui", "2026-11-04"),
            ("ce matin", THIS_MORNING),
            ("la nuit dernière", LAST_NIGHT),
            ("mardi dernier", "2026-11-03"),
            ("la semaine dernière", LAST_WEEK),
            ("le mois passé", LAST_MONTH),
            ("l'année dernière", LAST_YEAR),
            ("le week-end dernier", LAST_WEEKEND),
            ("il y a trois jours", THREE_DAYS_AGO),
            ("l'été dernier", LAST_SUMMER),
            ("pendant l'e\u{301}te\u{301} 2022", "2022-06-01..2022-09-01"),
            ("depuis mai", "2026-05-01.."),
            ("avant mai 2023", "..2023-05-01"),
            ("après le 7 mai 2023", "2023-05-08.."),
            ("de mai à juillet 2025", "2025-05-01..2025-08-01"),
            ("la semaine prochaine", ""),
            ("j'ai été là", ""),
        ]);
    }

    #[test]
    fn reads_spanish_and_portuguese() {
        holds(&[
            ("¿Qué dijimos en mayo?", MAYS),
            ("mayo de 2023", MAY_2023),
            ("el 7 de mayo", SEVENTH_OF_MAY),
            ("el 7 de mayo del 2023", "2023-05-07"),
            ("en el año 2022", YEAR_2022),
            ("ayer por la tarde", "2026-11-03T12:00..2026-11-03T18:00"),
            ("anteayer", "2026-11-02"),
            ("hoy", "2026-11-04"),
            ("esta mañana", THIS_MORNING),
            ("anoche", LAST_NIGHT),
            ("el martes pasado", "2026-11-03"),
            ("la semana pasada", LAST_WEEK),
            ("el mes pasado", LAST_MONTH),
            ("el año pasado", LAST_YEAR),
            ("el fin de semana pasado", LAST_WEEKEND),
            ("hace 3 días", THREE_DAYS_AGO),
            ("el verano pasado", LAST_SUMMER),
            ("en el verano de 2022", "2022-06-01..2022-09-01"),
            ("desde mayo", "2026-05-01.."),
            ("antes de mayo de 2023", "..2023-05-01"),
            ("después del 7 de mayo de 2023", "2023-05-08.."),
            ("desde mayo hasta julio de 2025", "2025-05-01..2025-08-01"),
            ("la próxima semana", ""),
            ("O que dissemos em maio?", MAYS),
            ("maio de 2023", MAY_2023),
            ("em março", MARCHES),
            ("no dia 7 de maio", SEVENTH_OF_MAY),
            ("em 2022", YEAR_2022),
            ("ontem à tarde", "2026-11-03T12:00..2026-11-03T18:00"),
            ("anteontem", "2026-11-02"),
            ("hoje", "2026-11-04"),
            ("esta manhã", THIS_MORNING),
            ("na terça-feira passada", "2026-11-03"),
            ("a semana passada", LAST_WEEK),
            ("no mês passado", LAST_MONTH),
            ("no ano passado", LAST_YEAR),
            ("no fim de semana passado", LAST_WEEKEND),
            ("há três dias", THREE_DAYS_AGO),
            ("três dias atrás", THREE_DAYS_AGO),
            ("no verão passado", LAST_SUMMER),
            ("no verão de 2022", "2022-06-01..2022-09-01"),
            ("antes de maio de 2023", "..2023-05-01"),
            ("depois de 7 de maio de 2023", "2023-05-08.."),
            ("a quarta parte, a segunda vez", ""),
        ]);
    }

    #[test]
    fn reads_italian() {
        holds(&[
            ("Che cosa abbiamo detto a maggio?", MAYS),
            ("maggio 2023", MAY_2023),
            ("il 7 maggio", SEVENTH_OF_MAY),
            ("il 1° maggio 2023", "2023-05-01"),
            ("nel 2022", YEAR_2022),
            ("ieri sera", "2026-11-03T17:00..2026-11-04"),
            ("l'altro ieri", "2026-11-02"),
            ("oggi", "2026-11-04"),
            ("stamattina", THIS_MORNING),
            ("la notte scorsa", LAST_NIGHT),
            ("martedì scorso", "2026-11-03"),
            ("la settimana scorsa", LAST_WEEK),
            ("lo scorso mese", LAST_MONTH),
            ("l'anno scorso", LAST_YEAR),
            ("lo scorso fine settimana", LAST_WEEKEND),
            ("tre giorni fa", THREE_DAYS_AGO),
            ("l'estate scorsa", LAST_SUMMER),
            ("nell'estate del 2022", "2022-06-01..2022-09-01"),
            ("da maggio", "2026-05-01.."),
            ("prima di maggio 2023", "..2023-05-01"),
            ("dopo il 7 maggio 2023", "2023-05-08.."),
            ("da maggio a luglio 2025", "2025-05-01..2025-08-01"),
            ("non è mai sabbia", ""),
        ]);
    }

    #[test]
    fn reads_russian() {
        holds(&[
            ("Что мы решили в мае?", MAYS),
            ("в Марте", MARCHES),
            ("май 2023 года", MAY_2023),
            ("7 мая", SEVENTH_OF_MAY),
            ("7-го мая 2023 г.", "2023-05-07"),
            ("в 2022 году", YEAR_2022),
            ("вчера вечером", "2026-11-03T17:00..2026-11-04"),
            ("позавчера", "2026-11-02"),
            ("сегодня утром", THIS_MORNING),
            ("прошлой ночью", LAST_NIGHT),
            ("в прошлый вторник", "2026-11-03"),
            ("на прошлой неделе", LAST_WEEK),
            ("в прошлом месяце", LAST_MONTH),
            ("в прошлом году", LAST_YEAR),
            ("в прошлые выходные", LAST_WEEKEND),
            ("три дня назад", THREE_DAYS_AGO),
            ("неделю назад", LAST_WEEK),
            ("прошлым летом", LAST_SUMMER),
            ("летом 2022 года", "2022-06-01..2022-09-01"),
            ("с мая", "2026-05-01.."),
            ("до мая 2023", "..2023-06-01"),
            ("после 7 мая 2023 года", "2023-05-08.."),
            ("с мая по июль 2025", "2025-05-01..2025-08-01"),
            ("Марта сказала", ""),
            ("окружающая среда", ""),
        ]);
    }

    #[test]
    fn days_follow_the_zone() {
        let new_york = Zone::new(vec![
            [at("2025-11-02T06:00Z").0, -300],
            [at("2026-03-08T07:00Z").0, -240],
            [at("2026-11-01T06:00Z").0, -300],
        ]);
        let auckland = Zone::new(vec![[at("2026-09-26T14:00Z").0, 780]]);
        // In Chile the clocks jump from midnight to one o'clock, and back from midnight.
        let santiago =
            Zone::new(vec![[at("2026-04-05T03:00Z").0, -240], [at("2026-09-06T04:00Z").0, -180]]);
        for (zone, text, first, end) in [
            (&new_york, "3 days ago", "2026-11-01T04:00Z", "2026-11-02T05:00Z"),
            (&new_york, "March 8, 2026", "2026-03-08T05:00Z", "2026-03-09T04:00Z"),
            (&new_york, "in March 2026", "2026-03-01T05:00Z", "2026-04-01T04:00Z"),
            (&new_york, "last week", "2026-10-26T04:00Z", "2026-11-02T05:00Z"),
            (&auckland, "today", "2026-11-04T11:00Z", "2026-11-05T11:00Z"),
            (&auckland, "this morning", "2026-11-04T11:00Z", "2026-11-04T23:00Z"),
            (&santiago, "2026-09-06", "2026-09-06T04:00Z", "2026-09-07T03:00Z"),
            (&santiago, "2026-09-05", "2026-09-05T04:00Z", "2026-09-06T04:00Z"),
            (&santiago, "2026-04-05", "2026-04-05T04:00Z", "2026-04-06T04:00Z"),
        ] {
            let spans: Vec<_> =
                found(text, zone).into_iter().map(|span| (span.first, span.end)).collect();
            assert_eq!(spans, [(at(first), at(end))], "{text}");
        }
    }

    #[test]
    fn reports_the_words_that_named_a_time() {
        for (text, words) in [
            ("What did we say in May 2023, then?", vec!["May 2023"]),
            ("Was war vor drei Tagen los?", vec!["vor drei Tagen"]),
            ("Ça, c'était l'été dernier, ou hier soir ?", vec!["été dernier", "hier soir"]),
            ("7-го мая и 2023-05-07", vec!["7-го мая", "7-го мая", "2023-05-07"]),
            ("since last week and on 5/7/2023", vec!["since last week", "5/7/2023", "5/7/2023"]),
        ] {
            let named: Vec<_> =
                found(text, &Zone::default()).into_iter().map(|span| &text[span.words]).collect();
            assert_eq!(named, words);
        }
    }

    properties! {
        #[test]
        fn spans_are_in_order_and_in_range(
            text in prop_oneof![
                any::<String>(),
                "[0-9./ -]{0,40}",
                prop::collection::vec(
                    prop_oneof![
                        prop::sample::select(words::tests::all()).prop_map(str::to_owned),
                        "[0-9]{1,5}",
                    ],
                    0..12,
                ).prop_map(|words| words.join(" ")),
            ],
            now in prop_oneof![-DATE_LIMIT..=DATE_LIMIT, Just(DATE_LIMIT), Just(-DATE_LIMIT), any::<i64>()],
            known in prop_oneof![
                (-DATE_LIMIT..=DATE_LIMIT, -DATE_LIMIT..=DATE_LIMIT),
                Just((-DATE_LIMIT, DATE_LIMIT)),
                any::<(i64, i64)>(),
            ],
            offsets in prop_oneof![
                Just(vec![]),
                prop::collection::vec(any::<[i64; 2]>(), 0..3),
                (-840..840_i64).prop_map(|minutes| vec![[0, minutes]]),
            ],
        ) {
            let known = (Milliseconds(known.0), Milliseconds(known.1));
            let found = spans(&text, Milliseconds(now), &Zone::new(offsets), known);
            prop_assert!(found.len() <= MOST_SPANS);
            for span in &found {
                prop_assert!(span.first < span.end);
                prop_assert!(span.first.0 >= -DATE_LIMIT && span.end.0 <= DATE_LIMIT);
                prop_assert!(text.get(span.words.clone()).is_some_and(|words| !words.is_empty()));
            }
            prop_assert!(found.is_sorted_by_key(|span| span.words.start));
        }

        #[test]
        fn a_date_is_the_same_day_however_it_is_written(days in -20_000..60_000_i64, hours in -12..15_i64) {
            let (year, month, number) = civil_date(days);
            let zone = Zone::new(vec![[0, hours * 60]]);
            let iso = format_date(days);
            let expected = days * MILLISECONDS_PER_DAY - hours * HOUR;
            let months = words::tests::months();
            let written = months.into_iter().map(|names| {
                let name = names[usize::try_from(month - 1).expect("a month")];
                format!("{number} {name} {year}")
            });
            for text in written.chain([iso, format!("{number}.{month}.{year}")]) {
                let found = spans(&text, at(NOW), &zone, (at(KNOWN.0), at(KNOWN.1)));
                if YEARS.contains(&year) || !text.contains(' ') {
                    prop_assert_eq!(found.len(), 1, "{}", text);
                    prop_assert_eq!(found[0].first.0, expected, "{}", text);
                    prop_assert_eq!(found[0].words.clone(), 0..text.len());
                }
            }
        }
    }
}
