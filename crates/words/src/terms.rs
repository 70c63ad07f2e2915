//! Finds the terms of a text for the index: stems of its words, identifiers in their original spelling, pairs of
//! letters in scripts without spaces between words, and pieces of words in unknown languages.
//!
//! A text is cut into units, which are slices of it, and an [`Analyzer`] turns each unit into terms of its language.
//! Requests and messages are analyzed in the same way, so equal words become equal terms.

use rust_stemmers::{Algorithm, Stemmer};
use std::ops::Range;
use std::rc::Rc;
use xxhash_rust::xxh64::xxh64;

use crate::fold::{fold, is_mark, prepare};
use crate::language::Language;
use crate::lists;
use crate::runs::{Run, is_between, run_at};

/// The kind of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// A word, an emoji, or a pair of letters in a script without spaces between words.
    Word,
    /// An order number, a file name, an address: anything that is always spelled the same way.
    Identifier,
    /// Four letters of a word in an unknown language.
    Gram,
}

/// A unit of search. Words and identifiers with the same spelling have the same hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term {
    /// The hash of the folded spelling.
    pub hash: u64,
    /// Its kind.
    pub kind: Kind,
}

/// A word of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The spelling in the request, without an elided article or a possessive.
    pub text: String,
    /// The terms to search for, without duplicates.
    pub terms: Vec<Term>,
    /// True if it only says what to do with the hits ("summarize", "discussed", "tell me about").
    pub is_request_word: bool,
    /// True if it is probably a name: it begins with a capital within a sentence (except in German), is all capitals
    /// among words that aren't, mixes letters and digits, or is a number of at least five digits.
    pub is_name: bool,
}

impl Word {
    /// Its terms of a kind.
    #[must_use]
    pub fn terms_of(&self, kind: Kind) -> Vec<Term> {
        self.terms.iter().filter(|term| term.kind == kind).copied().collect()
    }
}

/// Turns texts into terms. Keeps buffers and the stems of recent words, which only affect speed.
pub struct Analyzer {
    prepared: String,
    folded: String,
    /// Recent words, the newest first, in the places that their hashes select.
    known: Vec<[KnownWord; PLACES]>,
    /// Number of words read since the table got its present size.
    read_count: usize,
    /// The language of the last request, and the hashes of that language's request words.
    request_words: Option<(Option<Language>, Rc<[u64]>)>,
}

/// The result of analyzing a word in a language.
#[derive(Clone, Copy, Default)]
struct KnownWord {
    /// The hash of the word's spelling and language.
    word: u64,
    hash: u64,
    beginning: u64,
    gives: Gives,
    has_beginning: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Gives {
    #[default]
    Nothing,
    /// Like [`Self::Word`] if it is spelled like a name, and otherwise nothing.
    Stop,
    Word,
    Identifier,
}

impl std::fmt::Debug for Analyzer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Analyzer").finish_non_exhaustive()
    }
}

impl Default for Analyzer {
    fn default() -> Self {
        Self::new()
    }
}

/// Shorter words have no ending that could be removed.
const SHORTEST_STEMMED: usize = 3;
/// Longer words aren't words of any language.
const LONGEST_STEMMED: usize = 40;
/// Shorter words of an unknown language are found only whole.
const SHORTEST_IN_GRAMS: usize = 5;
const GRAM_LETTERS: usize = 4;
const SEED: u64 = 0;
const GRAM_SEED: u64 = 1;
/// The seed for the hashes of known words that aren't plain runs.
const KNOWN_SEED: u64 = 2;
/// A large odd number, from the golden ratio. Its multiples distinguish languages.
const LANGUAGE_FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
/// Initial and maximum number of known words. A short text needs few. In a long transcript, a word that isn't known any
/// more is analyzed again.
const FIRST_KNOWN: usize = 256;
const MOST_KNOWN: usize = 1 << 14;
/// Number of words that share a hash's place. With fewer, frequent words displace each other more often.
const PLACES: usize = 4;

impl Analyzer {
    /// An analyzer that has read nothing.
    #[must_use]
    pub fn new() -> Self {
        let (prepared, folded) = (String::new(), String::new());
        Self { prepared, folded, known: Vec::new(), read_count: 0, request_words: None }
    }

    /// Yields the terms of a transcript's text, in order and with repetitions, without stop words. `runs` are
    /// those of the text, and any may be missing. `language` is the text's language. If it is unknown, the terms are
    /// folded words, and four-letter pieces of the longer ones.
    pub fn document(
        &mut self,
        text: &str,
        runs: &[Run],
        language: Option<Language>,
        each: &mut dyn FnMut(Term),
    ) {
        units(text, runs, &mut |unit| self.terms_of(&unit, language, each));
    }

    /// The words of a request, in order, each with its terms in each of `languages`: the request's own language first,
    /// then those of the indexed texts. If its own is unknown, the next one determines the stop words.
    pub fn query(&mut self, text: &str, languages: &[Option<Language>]) -> Vec<Word> {
        let own = languages.iter().flatten().next().copied();
        let request_words = self.request_words(own);
        let is_mixed = text.chars().any(char::is_lowercase);
        let mut found = Vec::new();
        units(text, &[], &mut |unit| {
            if unit.shape == Shape::Word && !unit.is_spelt_as_name() && self.is_stop(unit.text, own)
            {
                return;
            }
            let mut terms: Vec<Term> = Vec::new();
            for language in languages {
                self.terms_of(&unit, *language, &mut |term| {
                    if terms.iter().all(|other| other.hash != term.hash) {
                        terms.push(term);
                    }
                });
            }
            if terms.is_empty() {
                return;
            }
            let is_request_word = unit.shape == Shape::Word
                && terms.iter().any(|term| request_words.binary_search(&term.hash).is_ok());
            found.push(Word {
                text: match unit.shape {
                    Shape::Word => without_clitics(unit.text).unwrap_or_default().to_owned(),
                    _ => unit.text.to_owned(),
                },
                terms,
                is_request_word,
                is_name: unit.is_name(own, is_mixed),
            });
        });
        found
    }

    /// Hashes of the request words of a language, or of all languages, sorted.
    fn request_words(&mut self, language: Option<Language>) -> Rc<[u64]> {
        if let Some((known, hashes)) = &self.request_words
            && *known == language
        {
            return Rc::clone(hashes);
        }
        let mut hashes = Vec::new();
        for of in Language::ALL {
            if language.is_some_and(|language| language != of) {
                continue;
            }
            for word in lists::request_words(of) {
                let unit = Unit::new(word, Shape::Word, false);
                self.terms_of(&unit, Some(of), &mut |term| {
                    // Comparing beginnings would make "compost" a request word, because of "compare".
                    if term.kind == Kind::Word {
                        hashes.push(term.hash);
                    }
                });
            }
        }
        hashes.sort_unstable();
        let hashes: Rc<[u64]> = hashes.into();
        self.request_words = Some((language, Rc::clone(&hashes)));
        hashes
    }

    /// True if a word says nothing about a topic, in a language or in any.
    fn is_stop(&mut self, text: &str, language: Option<Language>) -> bool {
        let Some(core) = without_clitics(text) else { return true };
        self.prepare_word(core);
        let languages = lists::stop_languages(&self.prepared);
        language.map_or(languages != 0, |language| languages & language.bit() != 0)
    }

    /// Yields the terms of a unit in a given language; none for a stop word.
    fn terms_of(
        &mut self,
        unit: &Unit<'_>,
        language: Option<Language>,
        each: &mut dyn FnMut(Term),
    ) {
        match unit.shape {
            Shape::Word => self.word(unit, language, each),
            Shape::Letters => each(term(unit.text, Kind::Word)),
            Shape::Whole => {
                self.prepare_word(unit.text);
                self.folded.clear();
                fold(&self.prepared, &mut self.folded);
                each(term(&self.folded.replace('\\', "/"), Kind::Identifier));
            }
            Shape::Joined => {
                self.prepare_word(unit.text);
                self.prepared.retain(char::is_alphanumeric);
                self.stem(language);
                each(term(&self.folded, Kind::Identifier));
            }
        }
    }

    fn word(&mut self, unit: &Unit<'_>, language: Option<Language>, each: &mut dyn FnMut(Term)) {
        let Some(language) = language else {
            if self.begin_word(unit.text) {
                if self.prepared.contains(char::is_numeric) {
                    each(self.number());
                } else {
                    self.stem(None);
                    each(term(&self.folded, Kind::Word));
                    self.grams(each);
                }
            }
            return;
        };
        let KnownWord { hash, beginning, gives, has_beginning, .. } = *self.known(unit, language);
        match gives {
            Gives::Nothing => return,
            Gives::Stop if !unit.is_spelt_as_name() => return,
            Gives::Stop | Gives::Word => each(Term { hash, kind: Kind::Word }),
            Gives::Identifier => each(Term { hash, kind: Kind::Identifier }),
        }
        if has_beginning {
            each(Term { hash: beginning, kind: Kind::Gram });
        }
    }

    /// Prepares a word. Returns true if anything of it is left.
    fn begin_word(&mut self, text: &str) -> bool {
        let Some(core) = without_clitics(text) else { return false };
        self.prepare_word(core);
        !self.prepared.is_empty()
    }

    /// The result of analyzing a word in a language. Most words occur often, and analyzing one is slow, mainly because
    /// of the stemmer, so results are kept.
    fn known(&mut self, unit: &Unit<'_>, language: Language) -> &KnownWord {
        let key = unit.key.unwrap_or_else(|| xxh64(unit.text.as_bytes(), KNOWN_SEED));
        let word = key.wrapping_add((language as u64 + 1).wrapping_mul(LANGUAGE_FACTOR));
        let size = PLACES * self.known.len();
        if self.read_count >= size && size < MOST_KNOWN {
            let size = (4 * size).clamp(FIRST_KNOWN, MOST_KNOWN);
            self.known.clear();
            self.known.resize(size / PLACES, Default::default());
            self.read_count = 0;
        }
        #[expect(clippy::cast_possible_truncation, reason = "a place of few")]
        let place = (word ^ word >> 32) as usize % self.known.len();
        let known = self.known[place].iter().position(|known| known.word == word);
        let at = known.unwrap_or_else(|| {
            let read = KnownWord { word, ..self.read_word(unit.text, language) };
            self.read_count += 1;
            self.known[place].rotate_right(1);
            self.known[place][0] = read;
            0
        });
        &self.known[place][at]
    }

    fn read_word(&mut self, text: &str, language: Language) -> KnownWord {
        if !self.begin_word(text) {
            return KnownWord::default();
        }
        if self.prepared.contains(char::is_numeric) {
            let Term { hash, kind } = self.number();
            let gives = if kind == Kind::Word { Gives::Word } else { Gives::Identifier };
            return KnownWord { hash, gives, ..KnownWord::default() };
        }
        let is_stop = lists::stop_languages(&self.prepared) & language.bit() != 0;
        self.stem(Some(language));
        let hash = xxh64(self.folded.as_bytes(), SEED);
        let beginning = self.beginning();
        KnownWord {
            hash,
            gives: if is_stop { Gives::Stop } else { Gives::Word },
            beginning: beginning.unwrap_or_default(),
            has_beginning: beginning.is_some(),
            ..KnownWord::default()
        }
    }

    /// Letters with digits form an identifier. A number counts as a word, with or without an ending ("7th", "2,500").
    fn number(&mut self) -> Term {
        self.prepared.retain(|character| character != ',');
        self.folded.clear();
        fold(&self.prepared, &mut self.folded);
        let digits = self.folded.trim_start_matches(|it: char| it.is_ascii_digit());
        let number = &self.folded[..self.folded.len() - digits.len()];
        let is_ordinal = !number.is_empty() && matches!(digits, "st" | "nd" | "rd" | "th");
        if is_ordinal {
            term(number, Kind::Word)
        } else if self.folded.contains(char::is_alphabetic) && self.folded.len() > 3 {
            term(&self.folded, Kind::Identifier)
        } else {
            term(&self.folded, Kind::Word)
        }
    }

    /// Puts a word into `prepared`, without apostrophes.
    fn prepare_word(&mut self, text: &str) {
        self.prepared.clear();
        prepare(text, &mut self.prepared);
        if self.prepared.contains(is_apostrophe) {
            self.prepared.retain(|character| !is_apostrophe(character));
        }
    }

    /// Writes the folded stem of `prepared` to `folded`, or the whole word if the language has no such words.
    fn stem(&mut self, language: Option<Language>) {
        self.folded.clear();
        let Some(language) = language.filter(|it| is_stemmed(&self.prepared, *it)) else {
            fold(&self.prepared, &mut self.folded);
            return;
        };
        let base = match language {
            Language::English => lists::irregular(&self.prepared).unwrap_or(&self.prepared),
            _ => &self.prepared,
        };
        fold(&stemmer(language).stem(base), &mut self.folded);
    }

    /// The hash of the first four letters of a longer word. It connects words that stemming doesn't (allergy,
    /// allergic).
    fn beginning(&mut self) -> Option<u64> {
        let mut letters = self.prepared.char_indices().map(|(at, _)| at);
        let end = letters.nth(GRAM_LETTERS).unwrap_or_default();
        let is_long = letters.count() + GRAM_LETTERS + 1 >= SHORTEST_IN_GRAMS && end > 0;
        is_long.then(|| {
            self.folded.clear();
            fold(&self.prepared[..end], &mut self.folded);
            xxh64(self.folded.as_bytes(), GRAM_SEED)
        })
    }

    /// Yields the runs of four letters in the folded word, and again the first one with a mark before it.
    fn grams(&mut self, each: &mut dyn FnMut(Term)) {
        if self.folded.chars().count() < SHORTEST_IN_GRAMS {
            return;
        }
        self.folded.insert(0, '^');
        let mut ends = self.folded.char_indices().map(|(at, _)| at).skip(GRAM_LETTERS);
        for (start, _) in self.folded.char_indices() {
            let end = ends.next();
            let gram = &self.folded[start..end.unwrap_or(self.folded.len())];
            each(Term { hash: xxh64(gram.as_bytes(), GRAM_SEED), kind: Kind::Gram });
            if end.is_none() {
                break;
            }
        }
    }
}

/// The stemmer of a language. Created in only one place, so that the compiler can leave unused stemmers out of the
/// binary.
#[expect(clippy::inline_always, reason = "else all eighteen stemmers are linked")]
#[inline(always)]
fn stemmer(language: Language) -> Stemmer {
    Stemmer::create(match language {
        Language::English => Algorithm::English,
        Language::German => Algorithm::German,
        Language::French => Algorithm::French,
        Language::Spanish => Algorithm::Spanish,
        Language::Portuguese => Algorithm::Portuguese,
        Language::Italian => Algorithm::Italian,
        Language::Russian => Algorithm::Russian,
    })
}

fn term(folded: &str, kind: Kind) -> Term {
    Term { hash: xxh64(folded.as_bytes(), SEED), kind }
}

/// True if a prepared word has only letters that a language's stemmer knows.
fn is_stemmed(prepared: &str, language: Language) -> bool {
    let mut count = 0;
    prepared.chars().all(|letter| {
        count += 1;
        match language {
            Language::Russian => matches!(letter, 'а'..='я'),
            _ => matches!(letter, 'a'..='z' | 'à'..='ü' | 'ß' | 'œ') && letter != '÷',
        }
    }) && (SHORTEST_STEMMED..=LONGEST_STEMMED).contains(&count)
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '’' | 'ʼ' | '＇')
}

/// A word without an elided article before it and without an English suffix after an apostrophe. None if only a
/// negation is left ("don't").
fn without_clitics(word: &str) -> Option<&str> {
    let Some((head, tail)) = word.rsplit_once(is_apostrophe) else { return Some(word) };
    let is_one_of = |text: &str, list: &[&str]| list.iter().any(|it| text.eq_ignore_ascii_case(it));
    if is_one_of(tail, &["t"]) && head.ends_with(['n', 'N']) {
        return None;
    }
    if is_one_of(tail, &["s", "ll", "re", "ve", "d", "m"]) {
        return Some(head);
    }
    let (article, rest) = word.split_once(is_apostrophe)?;
    let elided = [
        "l", "d", "j", "m", "t", "s", "n", "c", "v", "qu", "gl", "un", "all", "com", "cos", "dov",
        "anch", "bell", "coll", "dall", "dell", "nell", "sant", "sull", "quell", "quest", "jusqu",
        "lorsqu", "puisqu", "quelqu",
    ];
    Some(if is_one_of(article, &elided) { rest } else { word })
}

/// The kind of a unit of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A word or a number.
    Word,
    /// Letters of a script without spaces between words, or an emoji: already prepared and folded.
    Letters,
    /// An identifier that includes its separators: an address, a path.
    Whole,
    /// An identifier that is also spelled without them: "e-mail", "GPT-4".
    Joined,
}

/// A slice of a text that has terms.
#[derive(Debug, Clone, Copy)]
struct Unit<'a> {
    text: &'a str,
    shape: Shape,
    /// True for the first unit of its sentence.
    starts_sentence: bool,
    /// The key of its run, if it is a plain one.
    key: Option<u64>,
}

impl<'a> Unit<'a> {
    fn new(text: &'a str, shape: Shape, starts_sentence: bool) -> Self {
        Self { text, shape, starts_sentence, key: None }
    }

    /// True if an English stop word is spelled like a name: of a month, a person or a country, for example.
    fn is_spelt_as_name(&self) -> bool {
        let begins_with_capital = self.text.as_bytes().first().is_some_and(u8::is_ascii_uppercase);
        begins_with_capital
            && !self.starts_sentence
            && matches!(self.text, "May" | "Will" | "US" | "IT" | "WHO")
    }

    fn is_name(&self, language: Option<Language>, is_mixed: bool) -> bool {
        const LONG_NUMBER: usize = 5;
        let letters = || self.text.chars().filter(|it| it.is_alphabetic());
        let digits = self.text.chars().filter(|it| it.is_numeric()).count();
        let has_letters = letters().next().is_some();
        let is_code = digits > 0 && (has_letters || digits >= LONG_NUMBER);
        let is_capitals = is_mixed && letters().count() > 1 && letters().all(char::is_uppercase);
        let is_capitalized = !self.starts_sentence
            && language != Some(Language::German)
            && self.text.starts_with(char::is_uppercase);
        self.shape != Shape::Letters && (is_code || is_capitals || is_capitalized)
    }
}

/// The units of a text, in order; an identifier comes before its parts. `runs` are those of the text; any
/// may be missing.
fn units(text: &str, mut runs: &[Run], each: &mut dyn FnMut(Unit<'_>)) {
    let mut starts_sentence = true;
    let mut letters = String::new();
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        if byte.is_ascii() && is_between(*byte) && *byte != b'_' {
            starts_sentence |= matches!(byte, b'.' | b'!' | b'?' | b':' | b'\n');
            at += 1;
            continue;
        }
        if let Some(run) = run_at(&mut runs, at)
            && is_plain_word(text.as_bytes(), run)
        {
            let word = Unit::new(&text[at..run.end], Shape::Word, starts_sentence);
            each(Unit { key: Some(run.key), ..word });
            starts_sentence = false;
            at = run.end;
            continue;
        }
        let rest = &text[at..];
        let Some(character) = rest.chars().next() else { break };
        if let Some(script) = unspaced(character) {
            let end = end_of(rest, |it| unspaced(it) == Some(script) || is_mark(it));
            letters.clear();
            let mut prepared = String::new();
            prepare(&rest[..end], &mut prepared);
            fold(&prepared, &mut letters);
            pairs(&letters, each);
            starts_sentence = false;
            at += end;
        } else if is_emoji(character) {
            each(Unit::new(&rest[..emoji_length(rest)], Shape::Letters, false));
            at += end_of_emoji(rest);
        } else if character.is_alphanumeric() || character == '_' {
            let end = end_of_token(rest);
            token(&rest[..end], starts_sentence, each);
            starts_sentence = false;
            at += end;
        } else {
            starts_sentence |= matches!(character, '…' | '¿' | '¡');
            at += character.len_utf8();
        }
    }
}

/// Fast path: true if a run is a word. It has no capitals inside, and no character after it belongs to its token.
fn is_plain_word(text: &[u8], run: &Run) -> bool {
    let at = |place: usize| text.get(place).copied().unwrap_or(b' ');
    run.is_plain()
        && match at(run.end) {
            b'.' | b',' | b':' | b'-' | b'@' | b'/' | b'\\' | b'\'' => {
                let next = at(run.end + 1);
                next.is_ascii() && !next.is_ascii_alphanumeric() && !matches!(next, b'_' | b'/')
            }
            other => other != b'_',
        }
}

/// Yields pairs of letters. A single letter is a unit too.
fn pairs(letters: &str, each: &mut dyn FnMut(Unit<'_>)) {
    let mut pair = |text| each(Unit::new(text, Shape::Letters, false));
    let mut starts = letters.char_indices().map(|(at, _)| at);
    let mut first = starts.next().unwrap_or_default();
    let Some(mut second) = starts.next() else {
        if !letters.is_empty() {
            pair(letters);
        }
        return;
    };
    for third in starts.chain([letters.len()]) {
        pair(&letters[first..third]);
        (first, second) = (second, third);
    }
}

/// The end of the leading characters for which `holds` is true.
fn end_of(text: &str, holds: impl Fn(char) -> bool) -> usize {
    text.find(|character| !holds(character)).unwrap_or(text.len())
}

/// The script of a letter, if it has no spaces between words or its words are better found by syllables.
fn unspaced(character: char) -> Option<u8> {
    if character < '\u{E00}' {
        return None;
    }
    match u32::from(character) {
        0x0E00..=0x0E3A | 0x0E40..=0x0E4E => Some(1),
        0x0E80..=0x0EFF => Some(2),
        0x1000..=0x109F => Some(3),
        0x1100..=0x11FF | 0x3130..=0x318F | 0xAC00..=0xD7A3 => Some(4),
        0x1780..=0x17D3 => Some(5),
        0x3005..=0x3007
        | 0x3041..=0x309F
        | 0x30A1..=0x30FA
        | 0x30FC..=0x312F
        | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF
        | 0xF900..=0xFAFF
        | 0xFF66..=0xFF9F
        | 0x2_0000..=0x3_23AF => Some(6),
        _ => None,
    }
}

fn is_emoji(character: char) -> bool {
    !character.is_ascii()
        && matches!(
            u32::from(character),
            0x231A..=0x231B
                | 0x23E9..=0x23FA
                | 0x2600..=0x27BF
                | 0x2B50..=0x2B55
                | 0x1_F000..=0x1_F0FF
                | 0x1_F1E6..=0x1_F1FF
                | 0x1_F300..=0x1_F3FA
                | 0x1_F400..=0x1_FAFF
        )
}

fn is_flag_letter(character: char) -> bool {
    matches!(u32::from(character), 0x1_F1E6..=0x1_F1FF)
}

/// The length of the part of an emoji that is searched for: a flag is two letters, and others lose their skin tones.
fn emoji_length(text: &str) -> usize {
    let letters: usize =
        text.chars().take(2).take_while(|it| is_flag_letter(*it)).map(char::len_utf8).sum();
    letters.max(text.chars().next().map_or(0, char::len_utf8))
}

/// The end of an emoji, with everything that is joined to it.
fn end_of_emoji(text: &str) -> usize {
    let mut end = emoji_length(text);
    let mut is_joined = false;
    for character in text[end..].chars() {
        let is_modifier = matches!(u32::from(character), 0xFE0F | 0x1_F3FB..=0x1_F3FF | 0x200D);
        let continues = is_modifier || is_joined && is_emoji(character);
        if !continues {
            break;
        }
        is_joined = character == '\u{200D}';
        end += character.len_utf8();
    }
    end
}

/// True if a character can begin and end a token.
fn is_token_letter(character: char) -> bool {
    match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => true,
        _ if character.is_ascii() => false,
        _ => character.is_alphanumeric() && unspaced(character).is_none(),
    }
}

/// The end of the word, number or identifier at the start of a text.
fn end_of_token(text: &str) -> usize {
    // Most tokens are ASCII letters and digits.
    let plain = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let mut characters = text[plain..].char_indices().peekable();
    let mut last = plain.checked_sub(1).map_or(' ', |at| char::from(text.as_bytes()[at]));
    while let Some((at, character)) = characters.next() {
        let at = plain + at;
        if !is_token_letter(character) && !is_mark(character) {
            if character == ':' && text[at..].starts_with("://") {
                return end_of_address(text, at + 3);
            }
            let next = characters.peek().map_or(' ', |(_, next)| *next);
            let is_inside = match character {
                '.' | '-' | '‑' | '@' | '/' | '\\' => is_token_letter(next),
                ':' => last.is_ascii_digit() && next.is_ascii_digit(),
                ',' => last.is_ascii_digit() && is_thousands(&text[at + 1..]),
                _ => is_apostrophe(character) && next.is_alphabetic() && unspaced(next).is_none(),
            };
            if !is_inside {
                return at;
            }
        }
        last = character;
    }
    text.len()
}

/// The end of a web address: at a space or a bracket, before the punctuation of the sentence.
fn end_of_address(text: &str, start: usize) -> usize {
    let is_part = |it: char| {
        !it.is_whitespace() && !matches!(it, '<' | '>' | '"' | '`' | ')' | ']' | '}' | '|')
    };
    let end = start + end_of(&text[start..], is_part);
    text[..end].trim_end_matches(|it: char| !it.is_alphanumeric()).len()
}

/// True if a text begins with exactly three digits.
fn is_thousands(text: &str) -> bool {
    end_of(text, |it| it.is_ascii_digit()) == 3
}

/// Yields the units of a token: the whole if it is an identifier, and its parts.
fn token(text: &str, starts_sentence: bool, each: &mut dyn FnMut(Unit<'_>)) {
    let is_plain = |it: char| it.is_alphanumeric() || is_mark(it) || is_apostrophe(it) || it == ',';
    let text = text.trim_end_matches('_');
    if text.bytes().all(|it| it.is_ascii_alphanumeric()) || text.chars().all(is_plain) {
        if is_camel(text) {
            each(Unit::new(text, Shape::Joined, starts_sentence));
            humps(text, each);
        } else {
            each(Unit::new(text, Shape::Word, starts_sentence));
        }
        return;
    }
    if let Some((_, address)) = text.split_once("://") {
        let host = address.split(['/', ':', '?', '#']).next().unwrap_or(address);
        let host = host.strip_prefix("www.").unwrap_or(host);
        each(Unit::new(host, Shape::Whole, starts_sentence));
        parts(address, each);
        return;
    }
    let shape = shape_of(text);
    match shape {
        Some(Shape::Word) => {
            each(Unit::new(text, Shape::Word, starts_sentence));
            return;
        }
        Some(Shape::Letters) => {
            // An abbreviation ("U.S.A") is found without its dots.
            let shape = Shape::Joined;
            each(Unit::new(text, shape, starts_sentence));
            return;
        }
        Some(shape) => each(Unit::new(text, shape, starts_sentence)),
        None => {}
    }
    if shape == Some(Shape::Whole)
        && let Some((_, file)) = text.rsplit_once(['/', '\\'])
        && has_extension(file)
    {
        each(Unit::new(file, Shape::Whole, false));
    }
    let mut is_first = starts_sentence;
    for part in text.split(|it: char| !is_plain(it)).filter(|part| !part.is_empty()) {
        // A single letter of an identifier isn't a word.
        if shape.is_none() || part.chars().nth(1).is_some() || part.contains(char::is_numeric) {
            each(Unit::new(part, Shape::Word, is_first));
        }
        is_first = false;
    }
}

/// The kind of a token with separators as a whole: a word for a number with a decimal point, letters for an
/// abbreviation. None if only its parts count.
fn shape_of(text: &str) -> Option<Shape> {
    let count = |of: &[char]| text.chars().filter(|it| of.contains(it)).count();
    let has_digits = text.contains(char::is_numeric);
    let points = count(&['.']);
    let slashes = count(&['/', '\\']);
    if text.contains('@') || text.contains(':') {
        return Some(Shape::Whole);
    }
    if slashes > 0 {
        let is_path = slashes > 1 || points > 0 || has_digits || text.contains('_');
        return is_path.then_some(Shape::Whole);
    }
    if points > 0 {
        let is_number = text.chars().all(|it| it.is_numeric() || it == '.' || it == ',');
        let is_abbreviation =
            || !has_digits && text.split('.').all(|part| part.chars().nth(1).is_none());
        return match () {
            () if points == 1 && is_number => Some(Shape::Word),
            () if is_abbreviation() => Some(Shape::Letters),
            () => (has_digits || has_extension(text)).then_some(Shape::Whole),
        };
    }
    Some(Shape::Joined)
}

/// True if a name ends like a file name: a dot and a few lowercase letters or digits.
fn has_extension(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    stem.chars().nth(1).is_some()
        && (1..=5).contains(&extension.len())
        && extension.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
}

/// True if a name has inner capitals like names in code: "userName", "getUserName", but not "iPhone".
fn is_camel(text: &str) -> bool {
    let bytes = text.as_bytes();
    if !bytes.iter().skip(1).any(u8::is_ascii_uppercase) {
        return false;
    }
    let turns =
        || bytes.windows(2).filter(|it| it[0].is_ascii_lowercase() && it[1].is_ascii_uppercase());
    let first = bytes.iter().take_while(|it| it.is_ascii_lowercase()).count();
    text.is_ascii() && turns().count() >= if first > 1 { 1 } else { 2 }
}

/// The words of a name in code.
fn humps(text: &str, each: &mut dyn FnMut(Unit<'_>)) {
    let bytes = text.as_bytes();
    let mut start = 0;
    for at in 1..=bytes.len() {
        if at == bytes.len() || bytes[at - 1].is_ascii_lowercase() && bytes[at].is_ascii_uppercase()
        {
            let (text, shape) = (&text[start..at], Shape::Word);
            each(Unit::new(text, shape, true));
            start = at;
        }
    }
}

/// The words of an address.
fn parts(address: &str, each: &mut dyn FnMut(Unit<'_>)) {
    for text in address.split(|it: char| !it.is_alphanumeric() && !is_mark(it)) {
        if text.chars().nth(1).is_some() && text != "www" {
            each(Unit::new(text, Shape::Word, false));
        }
    }
}

/// True if a text is a question: it ends a sentence with a question mark of any script, or begins with a question word
/// of its language (from `detect`) without ending like a statement. `runs` are those of the text, or none.
#[must_use]
pub fn is_question(text: &str, runs: &[Run], language: Option<Language>) -> bool {
    /// Maximum number of words in a beginning of a question.
    const MOST_WORDS: usize = 6;
    let may_ask = |byte: u8| (byte == b'?') | !byte.is_ascii();
    let asks = |letter, rest: &str| match letter {
        '?' => rest.chars().next().is_none_or(|next| !next.is_alphanumeric() && next != '='),
        '？' | '؟' | '¿' => true,
        _ => false,
    };
    if find_character(text, may_ask, asks).is_some() {
        return true;
    }
    let Some(language) = language else { return false };
    let languages = match runs.first().filter(|run| run.is_ascii()) {
        Some(run) => lists::question_languages_of(run.hash),
        None => lists::question_languages_of(lists::hash_of(spaced_words(text, 1).trim())),
    };
    if languages & language.bit() == 0 {
        return false;
    }
    let Some(first) = first_sentence(text) else { return false };
    let beginning = spaced_words(first, MOST_WORDS);
    lists::question_phrases(language).any(|phrase| {
        let mut said = beginning.split(' ').skip(1);
        words_of(phrase).all(|word| said.next() == Some(word))
    })
}

/// The first sentence, if it doesn't end like a statement.
fn first_sentence(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let end = text
        .char_indices()
        .find(|(at, it)| {
            matches!(it, '.' | '!' | '…' | '\n')
                && text[at + it.len_utf8()..].chars().next().is_none_or(char::is_whitespace)
        })
        .map_or((text.len(), ' '), |(at, it)| (at, it));
    matches!(end.1, ' ' | '\n').then(|| &text[..end.0])
}

/// The first words of a text, prepared, each with a space before and after it.
fn spaced_words(text: &str, most: usize) -> String {
    let mut out = String::from(" ");
    for word in words_of(text).take(most) {
        prepare(word, &mut out);
        out.push(' ');
    }
    out
}

/// Number of different identifiers in a text, at most 255: codes (a digit and at least three more letters, digits, `_`
/// or `-`), file names and paths.
pub fn identifier_count(text: &str) -> u8 {
    if !may_have_identifiers(text) {
        return 0;
    }
    let mut seen: Vec<u64> = Vec::new();
    let mut see = |identifier: &str| {
        let hash = xxh64(identifier.as_bytes(), SEED);
        if let Err(place) = seen.binary_search(&hash) {
            seen.insert(place, hash);
        }
        seen.len() < usize::from(u8::MAX)
    };
    let is_code = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
    let is_path = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | '.' | '/' | '\\');
    for chunk in text.split(|it: char| !is_path(it)) {
        if chunk.bytes().all(|it| it.is_ascii_alphabetic()) {
            continue;
        }
        let path = chunk.trim_end_matches(['.', '/', '\\']);
        let slashes = path.bytes().filter(|it| matches!(it, b'/' | b'\\')).count();
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let is_file =
            has_extension(file) && !file.bytes().all(|it| it.is_ascii_digit() || it == b'.');
        if is_file || slashes > 1 && path.contains(char::is_alphabetic) {
            if !see(path) {
                return u8::MAX;
            }
            continue;
        }
        for code in chunk.split(|it| !is_code(it)) {
            let digit = code.find(|it: char| it.is_ascii_digit());
            if digit.is_some_and(|at| code.len() - at > 3) && !see(code) {
                return u8::MAX;
            }
        }
    }
    u8::try_from(seen.len()).unwrap_or(u8::MAX)
}

/// True if a text has a part of an identifier: a digit, a slash, or a point followed by something.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "without a branch several bytes are compared at once"
)]
fn may_have_identifiers(text: &str) -> bool {
    if has_byte(text, |byte| byte.is_ascii_digit() | (byte == b'/') | (byte == b'\\')) {
        return true;
    }
    let behind = text.bytes().skip(1);
    text.bytes()
        .zip(behind)
        .fold(false, |has, (byte, next)| has | ((byte == b'.') & !next.is_ascii_whitespace()))
}

/// True if a request asks for an overview, an opinion or a reason rather than a fact, by the words of its language, or
/// of every language if it is unknown.
#[must_use]
pub fn wants_overview(request: &str, language: Option<Language>) -> bool {
    let said = spaced_folded(request);
    Language::ALL.into_iter().filter(|of| language.is_none_or(|language| language == *of)).any(
        |of| {
            lists::overview_phrases(of).any(|phrase| {
                let looked_for = spaced_folded(phrase);
                said.contains(if phrase.ends_with('*') {
                    looked_for.trim_end()
                } else {
                    &looked_for
                })
            })
        },
    )
}

/// True if a text has a byte of a kind. Doesn't stop at the first match, so that the compiler can compare several bytes
/// at once.
pub(crate) fn has_byte(text: &str, is: impl Fn(u8) -> bool) -> bool {
    text.bytes().fold(false, |has, byte| has | is(byte))
}

/// True if a byte is one of some. Compares it with all of them, so that the compiler can compare several bytes at once.
#[expect(clippy::needless_bitwise_bool, reason = "see above")]
pub(crate) fn is_any_of<const COUNT: usize>(byte: u8, of: [u8; COUNT]) -> bool {
    of.iter().fold(false, |is, one| is | (byte == *one))
}

/// The range of the first character of a kind, which depends on the text after it. Compares several bytes at once:
/// `may_be` is true for the first byte of each such character.
pub(crate) fn find_character(
    text: &str,
    may_be: impl Fn(u8) -> bool,
    is: impl Fn(char, &str) -> bool,
) -> Option<Range<usize>> {
    let has = |chunk: &[u8; 16]| chunk.iter().fold(false, |has, byte| has | may_be(*byte));
    let mut from = 0;
    loop {
        let bytes = &text.as_bytes()[from..];
        let chunks = bytes.as_chunks().0;
        let skipped = 16 * chunks.iter().take_while(|chunk| !has(chunk)).count();
        let place = bytes[skipped..].iter().position(|byte| may_be(*byte))?;
        let begin = from + skipped + place;
        let character = text[begin..].chars().next()?;
        from = begin + character.len_utf8();
        if is(character, &text[from..]) {
            return Some(begin..from);
        }
    }
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_alphanumeric() && !is_mark(it)).filter(|it| !it.is_empty())
}

/// All words of a text, folded, each with a space before and after it.
#[must_use]
pub fn spaced_folded(text: &str) -> String {
    let mut out = String::new();
    fold(&spaced_words(text, usize::MAX), &mut out);
    out
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use proptest::prelude::*;
    use windrow_property::properties;

    use super::*;
    use crate::detect::detect;
    use crate::runs::runs;

    /// Excludes prefixes of stemmed words.
    fn terms(text: &str, language: Option<Language>) -> Vec<Term> {
        let mut found = all_terms(text, language);
        found.retain(|term| language.is_none() || term.kind != Kind::Gram);
        found
    }

    fn all_terms(text: &str, language: Option<Language>) -> Vec<Term> {
        let mut found = Vec::new();
        Analyzer::new().document(text, &[], language, &mut |term| found.push(term));
        found
    }

    fn hashes(text: &str, language: Option<Language>) -> Vec<u64> {
        terms(text, language).into_iter().map(|term| term.hash).collect()
    }

    fn query(text: &str, languages: &[Option<Language>]) -> Vec<Word> {
        Analyzer::new().query(text, languages)
    }

    const FORMS: [(Language, &str); 7] = [
        (
            Language::English,
            "decide decided decides deciding, go went, child children, buy bought, party parties, caroline caroline's",
        ),
        (
            Language::German,
            "schlüssel schlüssels, haus hauses häuser, kaufen kaufe, straße strasse",
        ),
        (
            Language::French,
            "réunion réunions l'réunion, manger mangé mangée, été d'été, cheval chevaux",
        ),
        (Language::Spanish, "llave llaves, comprar compramos compraron, reunión reuniones"),
        (Language::Portuguese, "chave chaves, comprar compramos compraram, menino menina"),
        (Language::Italian, "libro libri, comprare comprato, festa feste"),
        (Language::Russian, "ключ ключа ключами, машина машину машины, ёлка елка елки"),
    ];

    #[test]
    fn forms_of_a_word_share_a_term() {
        for (language, groups) in FORMS {
            for group in groups.split(", ") {
                let forms: Vec<_> =
                    group.split(' ').map(|form| hashes(form, Some(language))).collect();
                assert_eq!(forms[0].len(), 1, "{group}");
                assert!(forms.iter().all(|form| *form == forms[0]), "{language:?}: {group}");
            }
        }
    }

    #[test]
    fn different_words_share_no_term() {
        for language in [None].into_iter().chain(Language::ALL.map(Some)) {
            let words = ["venue", "ticket", "garden", "ключ", "машина"];
            let found: Vec<_> = words.map(|word| hashes(word, language)[0]).to_vec();
            for (at, one) in found.iter().enumerate() {
                assert!(!found[at + 1..].contains(one), "{language:?}");
            }
        }
    }

    #[test]
    fn stop_words_have_no_terms() {
        for (text, language) in [
            ("what did you do, and why isn't it there? I'm, they've, don't", Language::English),
            ("Was haben wir über den denn", Language::German),
            ("qu'est ce que c'est l'un de ceux", Language::French),
            ("¿Qué es lo que está aquí?", Language::Spanish),
            ("o que é isso", Language::Portuguese),
            ("che cos'è questo", Language::Italian),
            ("что это такое", Language::Russian),
        ] {
            assert_eq!(terms(text, Some(language)), [], "{text}");
        }
        // Diacritics distinguish these words from the stop words they fold to.
        assert_eq!(terms("schön", Some(Language::German)).len(), 1);
        assert_eq!(terms("té", Some(Language::Spanish)).len(), 1);
        assert_eq!(terms("It happened in May.", Some(Language::English)).len(), 2);
    }

    #[test]
    fn unspaced_scripts_are_cut_into_pairs() {
        let language = None;
        assert_eq!(terms("東京都", language).len(), 2);
        assert_eq!(hashes("東京", language)[0], hashes("東京都", language)[0]);
        assert_eq!(terms("私", language).len(), 1);
        assert_eq!(hashes("학교", language), hashes("학교에", language)[..1]);
        assert_eq!(hashes("が", language), hashes("か\u{3099}", language));
        assert!(terms("ไทยแลนด์", language).len() > 4);
        assert_eq!(terms("GPT模型", language).len(), 2);
    }

    #[test]
    fn unknown_languages_match_by_pieces() {
        let count = |text, kind| terms(text, None).iter().filter(|it| it.kind == kind).count();
        assert_eq!((count("sleutel", Kind::Word), count("sleutel", Kind::Gram)), (1, 5));
        assert_eq!((count("auto", Kind::Word), count("auto", Kind::Gram)), (1, 0));
        let (one, other) = (hashes("sleutel", None), hashes("sleutels", None));
        assert_eq!(one.iter().filter(|hash| other.contains(hash)).count(), 5);
    }

    #[test]
    fn longer_words_match_by_their_prefix() {
        let beginnings = |text| {
            let mut found = all_terms(text, Some(Language::English));
            found.retain(|term| term.kind == Kind::Gram);
            found
        };
        assert_eq!(beginnings("adoption").len(), 1);
        assert_eq!(beginnings("adoption"), beginnings("adopted"));
        assert_ne!(beginnings("adoption"), beginnings("adapted"));
        assert_eq!(beginnings("the cats sat"), []);
    }

    #[test]
    fn identifiers_match_verbatim() {
        let english = Some(Language::English);
        for (text, identifier) in [
            ("order #W2378156, please", "W2378156"),
            ("see 3rk2t9.", "3RK2T9"),
            ("user anya_garcia_5901!", "anya_garcia_5901"),
            ("in (src/main.rs)", "src/main.rs"),
            ("open src/recall/terms.rs", "terms.rs"),
            ("open src\\recall\\terms.rs", "src/recall/terms.rs"),
            ("mail Anya@Example.com now", "anya@example.com"),
            ("https://www.example.com/a?b=1#c, or", "example.com"),
            ("GPT4 is", "gpt-4"),
            ("an e-mail", "email"),
            ("web-sites", "website"),
            ("the U.S.A. is", "USA"),
            ("call getUserName()", "getusername"),
            ("at 2,500 dollars", "2500"),
            ("on the 7th", "7"),
            ("v1.2.3 is out", "v1.2.3"),
        ] {
            let looked_for = hashes(identifier, english);
            let found = hashes(text, english);
            assert!(found.contains(&looked_for[0]), "{text}");
        }
        for (text, part) in [
            ("anya_garcia_5901", "garcia"),
            ("src/main.rs", "main"),
            ("getUserName", "name"),
            ("well-known", "known"),
            ("and/or/tickets", "ticket"),
            ("https://example.com/tickets", "tickets"),
        ] {
            assert!(hashes(text, english).contains(&hashes(part, english)[0]), "{text}");
        }
        let kinds: Vec<_> = terms("anya_garcia_5901", english).iter().map(|it| it.kind).collect();
        assert_eq!(kinds, [Kind::Identifier, Kind::Word, Kind::Word, Kind::Word]);
    }

    #[test]
    fn an_emoji_is_found_in_any_color() {
        assert_eq!(hashes("👍", None), hashes("👍🏽", None));
        assert_eq!(terms("👩‍👩‍👧 🇩🇪", None).len(), 2);
        assert_ne!(hashes("🇩🇪", None), hashes("🇫🇷", None));
    }

    #[test]
    fn a_request_has_its_words_with_their_kinds() {
        let english = [Some(Language::English), Some(Language::German), None];
        let words = query("Summarize what Caroline's sister said about order W2378156.", &english);
        let texts: Vec<_> = words.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(texts, ["Summarize", "Caroline", "sister", "said", "order", "W2378156"]);
        let flags = |is: fn(&Word) -> bool| {
            words.iter().filter(|word| is(word)).map(|word| word.text.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(flags(|word| word.is_request_word), ["Summarize", "said"]);
        assert_eq!(flags(|word| word.is_name), ["Caroline", "W2378156"]);
        // The name is found in texts of every language.
        for language in english {
            let found = hashes("sister Caroline W2378156", language);
            for word in words.iter().filter(|word| !word.is_request_word && word.text != "order") {
                assert!(word.terms.iter().any(|term| found.contains(&term.hash)), "{}", word.text);
            }
        }
    }

    #[test]
    fn a_prefix_does_not_make_a_request_word() {
        for language in Language::ALL {
            for word in lists::request_words(language) {
                let beginning: String = word.chars().take(GRAM_LETTERS).collect();
                let other = query(&format!("the {beginning}qzvk"), &[Some(language)]);
                assert!(other.iter().all(|word| !word.is_request_word), "{language:?}: {other:?}");
            }
        }
        assert!(
            !query("Where is the compost from?", &[Some(Language::English)])[0].is_request_word
        );
    }

    #[test]
    fn questions_differ_from_statements() {
        for question in [
            "Are you coming?",
            "how do I install this on the laptop",
            "東京はどこですか？",
            "أين المفتاح؟",
            "Was meint ihr? Ich bin dafür.",
            "wo ist der Schlüssel",
            "¿Dónde está",
            "где ключ от машины",
        ] {
            assert!(is_question(question, &[], detect(question)), "{question}");
        }
        for statement in [
            "",
            "ok",
            "I bought the tickets for the show.",
            "What a day it was!",
            "see https://example.com/?a=1&b=2",
            "Ich habe den Schlüssel gefunden.",
        ] {
            assert!(!is_question(statement, &[], detect(statement)), "{statement}");
        }
    }

    #[test]
    fn identifiers_are_counted_once_each() {
        for (text, count) in [
            ("", 0),
            ("We meet at 10 on the 7th.", 0),
            ("order #W2378156 and W2378156", 1),
            ("W2378156, 3RK2T9 and anya_garcia_5901", 3),
            ("src/main.rs, README.md", 2),
            ("$1,200.50", 0),
        ] {
            assert_eq!(identifier_count(text), count, "{text}");
        }
        let many = (1000..2000).fold(String::new(), |all, number| all + &format!("A{number} "));
        assert_eq!(identifier_count(&many), 255);
    }

    #[test]
    fn overviews_differ_from_facts() {
        for (request, language, expected) in [
            ("Summarize the discussion", Language::English, true),
            ("Why did they leave?", Language::English, true),
            ("How did it go", Language::English, true),
            ("When is the party?", Language::English, false),
            ("Fasse die Besprechung zusammen", Language::German, true),
            ("Wann ist die Feier?", Language::German, false),
            ("Résume la discussion", Language::French, true),
            ("Quand est la fête ?", Language::French, false),
            ("Por que decidieron eso", Language::Spanish, true),
            ("¿Cuándo es la fiesta?", Language::Spanish, false),
            ("O que ele acha disso?", Language::Portuguese, true),
            ("Quando é a festa?", Language::Portuguese, false),
            ("Riassumi la riunione", Language::Italian, true),
            ("Quando è la festa?", Language::Italian, false),
            ("Почему они ушли?", Language::Russian, true),
            ("Когда праздник?", Language::Russian, false),
        ] {
            assert_eq!(wants_overview(request, Some(language)), expected, "{request}");
            assert!(!expected || wants_overview(request, None), "{request}");
        }
    }

    fn language() -> impl Strategy<Value = Option<Language>> {
        prop::option::of(prop::sample::select(Language::ALL.to_vec()))
    }

    properties! {
        /// The fast path for plain words returns the same token as the full path.
        #[test]
        fn a_plain_word_makes_the_same_token(
            word in "[a-z0-9]{0,4}|[A-Z][a-z]{0,3}|[a-zA-Z0-9]{1,6}",
            behind in "[-.,:@/\\\\'_ ()é漢\u{301}%\n]{0,2}[a-zA-Z0-9é_/ ]{0,3}",
        ) {
            let text = format!("{word}{behind}");
            let run = runs(&text, 1).first().copied().filter(|run| run.start == 0);
            let run = run.filter(|run| is_plain_word(text.as_bytes(), run));
            let length = run.map_or(0, |run| run.end);
            if length > 0 {
                prop_assert_eq!(length, end_of_token(&text));
                let mut units = Vec::new();
                token(&text[..length], false, &mut |unit| units.push((unit.text.to_owned(), unit.shape)));
                prop_assert_eq!(units, [(text[..length].to_owned(), Shape::Word)]);
            }
            let is_plain = word.bytes().skip(1).all(|it| !it.is_ascii_uppercase());
            if is_plain && behind.starts_with(' ') {
                prop_assert_eq!(length, word.len());
            }
        }

        #[test]
        fn scanning_bytes_together_equals_scanning_them_one_by_one(
            before in "[a-z .é\n]{50,80}",
            text in "([a-z .é\n]{0,70}|.{0,3}|[0-9/\\\\. ]{0,2}){0,2}",
        ) {
            let text = format!("{before}{text}");
            let bytes = text.as_bytes();
            let any = (0..bytes.len()).any(|at| match bytes[at] {
                b'.' => bytes.get(at + 1).is_some_and(|next| !next.is_ascii_whitespace()),
                byte => byte.is_ascii_digit() || matches!(byte, b'/' | b'\\'),
            });
            prop_assert_eq!(may_have_identifiers(&text), any);
        }

        #[test]
        fn characters_are_found_as_if_compared_one_by_one(text in "([a-z .é…\n]{0,40}|.{0,3}){0,3}") {
            let may_be = |byte: u8| !byte.is_ascii() | is_any_of(byte, *b".\n");
            let is = |letter: char, rest: &str| {
                matches!(letter, '.' | '\n' | '…') && rest.chars().next().is_none_or(char::is_whitespace)
            };
            let found = find_character(&text, may_be, is);
            let naively = text.char_indices().find(|(at, letter)| is(*letter, &text[at + letter.len_utf8()..]));
            prop_assert_eq!(found, naively.map(|(at, letter)| at..at + letter.len_utf8()));
        }

        #[test]
        fn any_text_is_read_reproducibly(text in ".{0,60}", language in language()) {
            let once = terms(&text, language);
            prop_assert_eq!(&once, &terms(&text, language));
            query(&text, &[language, None]);
            let _ = is_question(&text, &runs(&text, 1), detect(&text));
            identifier_count(&text);
            let _ = wants_overview(&text, language);
        }

        #[test]
        fn letters_of_stemmed_languages_are_read(
            text in "[a-zà-üßœ'’ ]{0,30}|[а-яё' ]{0,30}|[-a-zA-Z0-9_./:@\\\\,\u{300}-\u{308} ]{0,30}",
            language in language(),
        ) {
            prop_assert_eq!(terms(&text, language), terms(&text, language));
        }

        #[test]
        fn earlier_texts_change_nothing(
            words in prop::collection::vec("[a-zé]{1,8}", 0..40),
            language in language(),
        ) {
            let text = words.join(" ");
            let mut analyzer = Analyzer::new();
            for of in [language, None, Some(Language::French)] {
                analyzer.document(&text, &runs(&text, usize::MAX), of, &mut |_| {});
            }
            let mut found = Vec::new();
            analyzer.document(&text, &runs(&text, usize::MAX), language, &mut |term| found.push(term));
            prop_assert_eq!(found, all_terms(&text, language));
        }

        #[test]
        fn a_request_finds_a_message_of_the_same_words(
            text in "[a-zA-Zà-üа-я0-9_./@' -]{1,40}",
            own in language(),
            other in language(),
        ) {
            let document = hashes(&text, other);
            for word in query(&text, &[own, other]) {
                let mut distinct: Vec<_> = word.terms.iter().map(|term| term.hash).collect();
                distinct.sort_unstable();
                distinct.dedup();
                prop_assert_eq!(distinct.len(), word.terms.len());
                let is_stop = hashes(&word.text, other).is_empty();
                prop_assert!(is_stop || word.terms.iter().any(|it| document.contains(&it.hash)));
            }
        }
    }
}
