//! Looks up the words for times in seven languages.
//!
//! `words.tsv` has them in lower case and without accents (`ç` is a separate letter), in the form that [`Hash`]
//! expects. Only the compiler uses the file: the program contains a hash of each word and its meaning.

/// The meaning of a word for time. Months count from 1, weekdays from 0 (Monday), seasons from 0 (spring).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// A month whose word means nothing else.
    Month(i8),
    /// A month whose word is also a person's name, means something else in another language, or is short.
    NamedMonth(i8),
    /// A month whose word is a verb if it isn't capitalized.
    VerbMonth(i8),
    Weekday(i8),
    /// A weekday whose word is also an ordinal.
    NumberedWeekday(i8),
    /// The word that turns an ordinal into a weekday.
    Feira,
    Season(i8),
    /// A season whose word includes "in".
    InSeason(i8),
    Unit(Unit),
    /// The word that turns a week into its end.
    End,
    Number(i8),
    /// The suffix that turns a number into an ordinal.
    Ordinal,
    /// A day, counted from today.
    Day(i8),
    /// A day, counted from today, whose word is common in another language.
    DoubtfulDay(i8),
    /// The word that turns yesterday into the day before it.
    Other,
    Part(Part),
    /// A part of a day that is counted from today.
    DayPart(i8, Part),
    Last,
    This,
    Next,
    /// Follows a length of time.
    Ago,
    /// Precedes a length of time.
    AgoFirst,
    Since,
    Before,
    After,
    Until,
    To,
    Between,
    And,
    Preposition,
    Determiner,
    /// No time: only indicates the language of a text.
    Common,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Day,
    Week,
    Weekend,
    Month,
    Year,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Morning,
    Afternoon,
    Evening,
    Night,
}

use crate::recall::text::hash;

pub(super) const LANGUAGES: usize = 7;
pub(super) const ENGLISH: usize = 0;
pub(super) const RUSSIAN: usize = 6;
/// The languages that may put a noun's modifier after it: French, Spanish, Portuguese, Italian.
pub(super) const MODIFIED_BEHIND: std::ops::RangeInclusive<usize> = 2..=5;

type List = &'static [(Word, &'static str)];

/// The words of each language, generated from `words.tsv` by the build.
const LISTS: [List; LANGUAGES] = include!(concat!(env!("OUT_DIR"), "/date-words.rs"));

/// A word as a number: FNV-1a of its UTF-8.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hash(u32);

impl Hash {
    pub(super) const fn new() -> Self {
        Self(hash::START)
    }

    pub(super) const fn with(self, byte: u8) -> Self {
        Self(hash::with_byte(self.0, byte))
    }

    /// Adds the next character of a word, ignoring case and accents. A combining accent adds nothing.
    pub(super) fn with_char(self, letter: char) -> Self {
        let plain = match letter {
            'A'..='Z' => letter.to_ascii_lowercase(),
            'Ç' => 'ç',
            'À'..='Å' | 'à'..='å' => 'a',
            'È'..='Ë' | 'è'..='ë' => 'e',
            'Ì'..='Ï' | 'ì'..='ï' => 'i',
            'Ñ' | 'ñ' => 'n',
            'Ò'..='Ö' | 'ò'..='ö' => 'o',
            'Ù'..='Ü' | 'ù'..='ü' => 'u',
            'Ё' | 'ё' => 'е',
            'А'..='Я' => char::from_u32(letter as u32 + 32).unwrap_or(letter),
            '\u{300}'..='\u{36f}' => return self,
            _ => letter,
        };
        if plain.is_ascii() {
            return self.with(plain as u8);
        }
        plain.encode_utf8(&mut [0; 4]).bytes().fold(self, Self::with)
    }

    const fn bucket(self) -> usize {
        (self.0 >> 24) as usize
    }
}

#[derive(Clone, Copy)]
struct Entry {
    hash: u32,
    language: u8,
    word: Word,
}

const BUCKETS: usize = 256;
/// Number of words in the lists, counted once for each language that has it.
const ENTRIES: usize = place(&mut [], &mut [0; BUCKETS]);

/// The words sorted by the first byte of their hash, and the end of each first byte's words in that order.
static TABLE: ([Entry; ENTRIES], [u16; BUCKETS]) = {
    let mut entries = [Entry { hash: 0, language: 0, word: Word::Common }; ENTRIES];
    let mut ends = [0; BUCKETS];
    place(&mut [], &mut ends);
    let mut bucket = 1;
    while bucket < BUCKETS {
        ends[bucket] += ends[bucket - 1];
        bucket += 1;
    }
    let mut places = [0; BUCKETS];
    let mut bucket = 1;
    while bucket < BUCKETS {
        places[bucket] = ends[bucket - 1];
        bucket += 1;
    }
    place(&mut entries, &mut places);
    (entries, ends)
};

/// Puts every word into the next place of its bucket. If the room is too small, only counts the words. Returns the number of
/// words.
#[expect(clippy::cast_possible_truncation, reason = "there are seven languages")]
const fn place(entries: &mut [Entry], places: &mut [u16; BUCKETS]) -> usize {
    let mut total = 0;
    let mut language = 0;
    while language < LANGUAGES {
        let mut line = 0;
        while line < LISTS[language].len() {
            let (word, names) = LISTS[language][line];
            let names = names.as_bytes();
            let mut hash = Hash::new();
            let mut at = 0;
            while at <= names.len() {
                if at < names.len() && names[at] != b' ' {
                    hash = hash.with(names[at]);
                } else {
                    let bucket = hash.bucket();
                    if !entries.is_empty() {
                        let entry = Entry { hash: hash.0, language: language as u8, word };
                        entries[places[bucket] as usize] = entry;
                    }
                    places[bucket] += 1;
                    total += 1;
                    hash = Hash::new();
                }
                at += 1;
            }
            line += 1;
        }
        language += 1;
    }
    total
}

/// The meaning of a word in each language that has it.
pub(super) fn meanings(hash: Hash) -> impl Iterator<Item = (usize, Word)> {
    let (entries, ends) = &TABLE;
    let bucket = hash.bucket();
    let first = bucket.checked_sub(1).map_or(0, |before| usize::from(ends[before]));
    let found = entries.get(first..usize::from(ends[bucket])).unwrap_or_default().iter();
    found
        .filter(move |entry| entry.hash == hash.0)
        .map(|entry| (usize::from(entry.language), entry.word))
}

#[cfg(all(test, not(target_family = "wasm")))]
pub(super) mod tests {
    use super::*;
    use Word::{Month, NamedMonth, Number, NumberedWeekday, Season, VerbMonth, Weekday};

    /// Every word in the lists.
    pub(crate) fn all() -> Vec<&'static str> {
        LISTS.iter().flat_map(|list| list.iter()).flat_map(|(_, names)| names.split(' ')).collect()
    }

    /// One name of every month in every language.
    pub(crate) fn months() -> Vec<Vec<&'static str>> {
        let of_language = |list: &List| {
            let name = |month| {
                let is_name = |word: &Word| {
                    [Month(month), NamedMonth(month), VerbMonth(month)].contains(word)
                };
                let line = list.iter().find(|(word, _)| is_name(word));
                line.and_then(|(_, names)| names.split(' ').next()).expect("a month")
            };
            (1..=12).map(name).collect()
        };
        LISTS.iter().map(of_language).collect()
    }

    fn hash(word: &str) -> Hash {
        word.chars().fold(Hash::new(), Hash::with_char)
    }

    #[test]
    fn every_word_is_found_and_has_one_meaning_in_a_language() {
        let mut hashes = std::collections::BTreeMap::new();
        for (language, list) in LISTS.iter().enumerate() {
            for (word, names) in *list {
                for name in names.split(' ') {
                    let found: Vec<_> = meanings(hash(name))
                        .filter(|(other, _)| *other == language)
                        .map(|(_, word)| word)
                        .collect();
                    assert_eq!(found, [*word], "{name}");
                    assert_eq!(*hashes.entry(hash(name).0).or_insert(name), name);
                }
            }
        }
    }

    #[test]
    fn every_language_names_all_months_weekdays_seasons_and_numbers() {
        for list in LISTS {
            let has = |word: Word| list.iter().any(|(other, _)| *other == word);
            assert!((0..7).all(|day| has(Weekday(day)) || has(NumberedWeekday(day))));
            assert!((0..4).all(|name| has(Season(name))));
            assert!((1..=12).all(|number| has(Number(number))));
        }
        assert!(months().iter().all(|names| names.len() == 12));
    }

    #[test]
    fn case_and_accents_do_not_matter() {
        for (word, plain) in [
            ("MÄRZ", "marz"),
            ("Août", "aout"),
            ("e\u{301}te\u{301}", "ete"),
            ("Ёлка", "елка"),
            ("МАЯ", "мая"),
            ("MARÇO", "março"),
        ] {
            assert_eq!(hash(word).0, hash(plain).0, "{word}");
        }
    }
}
