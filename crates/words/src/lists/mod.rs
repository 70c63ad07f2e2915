//! Word lists of the supported languages: one file per language, each with the same lists.
//!
//! Stop words and irregular forms are looked up for every word of every message. They are stored as sorted hashes with
//! a directory of their first bits, which answers most lookups. The hashes are computed when they are first needed,
//! because words compress and hashes don't. One word in millions has a stop word's hash by chance and is ignored.

mod english;
mod french;
mod german;
mod italian;
mod portuguese;
mod russian;
mod spanish;

use crate::hash;
use crate::language::Language;
use std::sync::LazyLock;

const STOP: [&str; 7] = [
    english::STOP,
    german::STOP,
    french::STOP,
    spanish::STOP,
    portuguese::STOP,
    italian::STOP,
    russian::STOP,
];

/// Words that label a line as lasting ("Rule: no tabs"), in the languages above, in Japanese and in Chinese.
const LABELS: [&str; 9] = [
    english::LABELS,
    german::LABELS,
    french::LABELS,
    spanish::LABELS,
    portuguese::LABELS,
    italian::LABELS,
    russian::LABELS,
    "ルール, 規則, 制約, 条件, 要件, 事実, 好み, 目標, 決定, 期限, 重要",
    "规则, 约束, 限制, 要求, 事实, 偏好, 目标, 决定, 截止日期, 重要",
];

/// Words of a request that only say what to do with the hits, and aren't searched for.
pub fn request_words(language: Language) -> impl Iterator<Item = &'static str> {
    let list = match language {
        Language::English => english::REQUEST,
        Language::German => german::REQUEST,
        Language::French => french::REQUEST,
        Language::Spanish => spanish::REQUEST,
        Language::Portuguese => portuguese::REQUEST,
        Language::Italian => italian::REQUEST,
        Language::Russian => russian::REQUEST,
    };
    list.split(' ')
}

/// Words that ask for an overview, an opinion or a reason. A star at the end matches any ending.
pub fn overview_phrases(language: Language) -> impl Iterator<Item = &'static str> {
    let list = match language {
        Language::English => english::OVERVIEW,
        Language::German => german::OVERVIEW,
        Language::French => french::OVERVIEW,
        Language::Spanish => spanish::OVERVIEW,
        Language::Portuguese => portuguese::OVERVIEW,
        Language::Italian => italian::OVERVIEW,
        Language::Russian => russian::OVERVIEW,
    };
    list.split(", ")
}

/// Beginnings of questions in a language.
pub fn question_phrases(language: Language) -> impl Iterator<Item = &'static str> {
    let list = match language {
        Language::English => english::QUESTION,
        Language::German => german::QUESTION,
        Language::French => french::QUESTION,
        Language::Spanish => spanish::QUESTION,
        Language::Portuguese => portuguese::QUESTION,
        Language::Italian => italian::QUESTION,
        Language::Russian => russian::QUESTION,
    };
    list.split(", ")
}

/// The languages that have a question with a prepared word at its beginning, by the word's hash, as bits by their
/// places in [`Language::ALL`].
#[expect(clippy::cast_possible_truncation, reason = "a bit for each of seven languages")]
pub fn question_languages_of(hash: u32) -> u8 {
    QUESTIONS.get(hash).unwrap_or(0) as u8
}

/// Phrases of standing instructions and preferences in a language, folded. `^` is the beginning of a sentence.
pub fn standing_phrases(language: Language) -> impl Iterator<Item = &'static str> {
    let list = match language {
        Language::English => english::STANDING,
        Language::German => german::STANDING,
        Language::French => french::STANDING,
        Language::Spanish => spanish::STANDING,
        Language::Portuguese => portuguese::STANDING,
        Language::Italian => italian::STANDING,
        Language::Russian => russian::STANDING,
    };
    list.split(", ")
}

/// Phrases that correct an earlier statement in a language, folded.
pub fn correction_phrases(language: Language) -> impl Iterator<Item = &'static str> {
    let list = match language {
        Language::English => english::CORRECTION,
        Language::German => german::CORRECTION,
        Language::French => french::CORRECTION,
        Language::Spanish => spanish::CORRECTION,
        Language::Portuguese => portuguese::CORRECTION,
        Language::Italian => italian::CORRECTION,
        Language::Russian => russian::CORRECTION,
    };
    list.split(", ")
}

/// First person singular in a language, folded.
pub fn asker_words(language: Language) -> impl Iterator<Item = &'static str> {
    let list = match language {
        Language::English => english::ASKER,
        Language::German => german::ASKER,
        Language::French => french::ASKER,
        Language::Spanish => spanish::ASKER,
        Language::Portuguese => portuguese::ASKER,
        Language::Italian => italian::ASKER,
        Language::Russian => russian::ASKER,
    };
    list.split(", ")
}

/// Phrases that ask for an earlier answer in a language, folded.
pub fn answered_phrases(language: Language) -> impl Iterator<Item = &'static str> {
    let lists = match language {
        Language::English => [english::SAID, english::ANSWERED],
        Language::German => [german::SAID, german::ANSWERED],
        Language::French => [french::SAID, french::ANSWERED],
        Language::Spanish => [spanish::SAID, spanish::ANSWERED],
        Language::Portuguese => [portuguese::SAID, portuguese::ANSWERED],
        Language::Italian => [italian::SAID, italian::ANSWERED],
        Language::Russian => [russian::SAID, russian::ANSWERED],
    };
    lists.into_iter().flat_map(|list| list.split(", "))
}

/// Phrases that ask for something said or done earlier in a language, folded.
pub fn recorded_phrases(language: Language) -> impl Iterator<Item = &'static str> {
    let lists = match language {
        Language::English => [english::SAID, english::RECORDED],
        Language::German => [german::SAID, german::RECORDED],
        Language::French => [french::SAID, french::RECORDED],
        Language::Spanish => [spanish::SAID, spanish::RECORDED],
        Language::Portuguese => [portuguese::SAID, portuguese::RECORDED],
        Language::Italian => [italian::SAID, italian::RECORDED],
        Language::Russian => [russian::SAID, russian::RECORDED],
    };
    lists.into_iter().flat_map(|list| list.split(", "))
}

/// True if a word labels a line as lasting in any language: "Rule: no tabs". The word must be folded.
#[must_use]
pub fn is_label(word: &str) -> bool {
    LABEL_HASHES.get(hash_of(word)).is_some()
}

/// The languages that have a word as a stop word, as bits by their places in [`Language::ALL`]. The word must be
/// prepared, and may lack its diacritics.
#[must_use]
pub fn stop_languages(word: &str) -> u8 {
    stop_languages_of(hash_of(word))
}

/// Works like [`stop_languages`], with the hash of a word.
#[expect(clippy::cast_possible_truncation, reason = "a bit for each of seven languages")]
pub fn stop_languages_of(hash: u32) -> u8 {
    STOPS.get(hash).unwrap_or(0) as u8
}

/// The English word that a prepared word is an irregular form of.
pub fn irregular(word: &str) -> Option<&'static str> {
    let start = IRREGULARS.get(hash_of(word))? as usize;
    let (form, rest) = english::IRREGULAR.get(start..)?.split_once(' ')?;
    (form == word).then(|| rest.split(',').next().unwrap_or(rest))
}

/// The base letters of U+00C0 to U+00FF after folding; `ß` becomes two.
const BASES: &[u8; 64] = b"aaaaaaaceeeeiiiidnooooo.ouuuuytsaaaaaaaceeeeiiiidnooooo.ouuuuyty";

/// The number of leading hash bits that a directory uses. With four times as many entries as words, most entries are
/// empty.
const DIRECTORY_BITS: u32 = 13;

fn directory_place(hash: u32) -> usize {
    (hash >> (u32::BITS - DIRECTORY_BITS)) as usize
}

/// Hashes of words, each with a number.
pub(crate) struct Hashes {
    /// For each value of a hash's first bits, the place of the first hash with these bits or higher ones.
    starts: Box<[u16; 1 << DIRECTORY_BITS]>,
    /// The hashes with their numbers, ascending.
    pairs: Vec<(u32, u32)>,
}

impl Hashes {
    /// Builds the table from pairs of a hash and its number. `joined` combines the numbers of equal hashes.
    pub(crate) fn new(mut pairs: Vec<(u32, u32)>, joined: fn(u32, u32) -> u32) -> Self {
        pairs.sort_unstable();
        pairs.dedup_by(|next, before| {
            let is_same = next.0 == before.0;
            if is_same {
                before.1 = joined(before.1, next.1);
            }
            is_same
        });
        let mut starts = Box::new([0; 1 << DIRECTORY_BITS]);
        let mut count = 0;
        for (place, start) in starts.iter_mut().enumerate() {
            let is_before = |pair: &&(u32, u32)| directory_place(pair.0) < place;
            count += pairs[count..].iter().take_while(is_before).count();
            *start = u16::try_from(count).unwrap_or(u16::MAX);
        }
        Self { starts, pairs }
    }

    #[inline]
    pub(crate) fn get(&self, hash: u32) -> Option<u32> {
        let start = usize::from(self.starts[directory_place(hash)]);
        let (known, number) = self.pairs[start..].iter().find(|(known, _)| *known >= hash)?;
        (*known == hash).then_some(*number)
    }
}

/// The stop words of all languages, both original and folded, each with its set of languages.
static STOPS: LazyLock<Hashes> = LazyLock::new(|| {
    let mut pairs = Vec::new();
    for (language, list) in STOP.iter().enumerate() {
        for word in list.split(' ') {
            for hash in [hash_of(word), hash_of_folded(word)] {
                pairs.push((hash, 1 << language));
            }
        }
    }
    Hashes::new(pairs, |one, other| one | other)
});

/// The first words of questions in all languages, each with its set of languages.
static QUESTIONS: LazyLock<Hashes> = LazyLock::new(|| {
    let mut pairs = Vec::new();
    for language in Language::ALL {
        for phrase in question_phrases(language) {
            let letters = phrase.find(|letter: char| !letter.is_alphanumeric());
            let word = &phrase[..letters.unwrap_or(phrase.len())];
            pairs.push((hash_of(word), language.bit().into()));
        }
    }
    Hashes::new(pairs, |one, other| one | other)
});

/// The labels of lasting statements in all languages.
static LABEL_HASHES: LazyLock<Hashes> = LazyLock::new(|| {
    let words = LABELS.iter().flat_map(|list| list.split(", "));
    Hashes::new(words.map(|word| (hash_of(word), 0)).collect(), |first, _| first)
});

/// The irregular forms of English, with their places in the list.
static IRREGULARS: LazyLock<Hashes> = LazyLock::new(|| {
    let mut pairs = Vec::new();
    let mut place = 0;
    for pair in english::IRREGULAR.split(", ") {
        let form = pair.split(' ').next().unwrap_or_default();
        pairs.push((hash_of(form), place));
        place += u32::try_from(pair.len() + 2).unwrap_or(0);
    }
    Hashes::new(pairs, |one, _| one)
});

pub(crate) fn hash_of(word: &str) -> u32 {
    word.bytes().fold(hash::START, hash::with_byte)
}

/// The hash of a folded word whose letters have one or two bytes.
fn hash_of_folded(word: &str) -> u32 {
    let mut bytes = word.bytes();
    let mut folded = hash::START;
    while let Some(byte) = bytes.next() {
        folded = if byte < 0x80 {
            hash::with_byte(folded, byte)
        } else {
            hash_folded(folded, byte, bytes.next().unwrap_or(0))
        };
    }
    folded
}

/// Adds a folded letter of two bytes to a hash.
fn hash_folded(hash: u32, first: u8, second: u8) -> u32 {
    match (first, second) {
        (0xC3, 0x9F) => hash::with_byte(hash::with_byte(hash, b's'), b's'),
        (0xC3, _) => hash::with_byte(hash, BASES[(second & 0x3F) as usize]),
        (0xC5, 0x93) => hash::with_byte(hash::with_byte(hash, b'o'), b'e'),
        (0xD1, 0x91) => hash::with_byte(hash::with_byte(hash, 0xD0), 0xB5),
        (0xD0, 0xB9) => hash::with_byte(hash::with_byte(hash, 0xD0), 0xB8),
        _ => hash::with_byte(hash::with_byte(hash, first), second),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::folded;
    use crate::terms::spaced_folded;

    #[test]
    fn labels_are_folded() {
        let words = LABELS.iter().flat_map(|list| list.split(", "));
        for word in words {
            assert_eq!(spaced_folded(word), format!(" {word} "));
            assert!(is_label(word));
        }
    }

    #[test]
    fn every_stop_word_is_found_in_its_language_with_diacritics_and_without() {
        for language in Language::ALL {
            let words: Vec<_> = STOP[language as usize].split(' ').collect();
            assert!((100..300).contains(&words.len()), "{language:?}: {}", words.len());
            for word in words {
                assert!(stop_languages(word) & language.bit() != 0, "{word}");
                assert!(stop_languages(&folded(word)) & language.bit() != 0, "{word}, folded");
                assert!(!word.is_empty() && word.chars().all(char::is_alphabetic), "{word}");
            }
        }
        assert_eq!(stop_languages("venue"), 0);
    }

    #[test]
    fn hashes_of_different_stop_words_differ() {
        let mut words: Vec<String> = STOP
            .iter()
            .flat_map(|list| list.split(' '))
            .flat_map(|word| [word.to_owned(), folded(word)])
            .collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), STOPS.pairs.len());
        assert!(STOPS.pairs.is_sorted());
    }

    #[test]
    fn irregular_forms_lead_to_their_words() {
        let mut count = 0;
        for pair in english::IRREGULAR.split(", ") {
            let (form, base) = pair.split_once(' ').expect("a form and a word");
            assert_eq!(irregular(form), Some(base));
            assert!(form != base && base.bytes().all(|it| it.is_ascii_lowercase()), "{pair}");
            count += 1;
        }
        assert_eq!(count, IRREGULARS.pairs.len());
        assert!(IRREGULARS.pairs.is_sorted_by(|one, other| one.0 < other.0));
        assert_eq!(irregular("venue"), None);
    }

    #[test]
    fn phrases_have_words() {
        let has_word = |phrase: &str| phrase.starts_with(char::is_alphabetic);
        for language in Language::ALL {
            assert!(request_words(language).all(has_word));
            assert!(overview_phrases(language).all(has_word));
            assert!(question_phrases(language).all(has_word));
            let cues = standing_phrases(language).map(|phrase| phrase.trim_start_matches('^'));
            let cues = cues.chain(correction_phrases(language)).chain(asker_words(language));
            let asked = answered_phrases(language).chain(recorded_phrases(language));
            for phrase in cues.chain(asked) {
                // Folding leaves a phrase unchanged, because it is searched for in folded texts.
                assert_eq!(spaced_folded(phrase).trim(), phrase);
            }
        }
    }
}
