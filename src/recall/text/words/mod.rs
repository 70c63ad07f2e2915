//! The words of the languages that recall knows: one file for each, with the same lists.
//!
//! Stop words and irregular forms are looked up for every word of every message. They are kept as sorted hashes that are
//! made while compiling, so that a look-up is a binary search over numbers and the lists themselves are not in the binary.
//! That another word has the hash of a stop word happens to one word in millions, and costs that word its rank.

mod english;
mod french;
mod german;
mod italian;
mod portuguese;
mod russian;
mod spanish;

use super::language::Language;
use crate::base::hash;

const STOP: [&str; 7] = [
    english::STOP,
    german::STOP,
    french::STOP,
    spanish::STOP,
    portuguese::STOP,
    italian::STOP,
    russian::STOP,
];

/// Words of a language that tell what to do with the hits of a request, and are not looked for.
pub(crate) fn request_words(language: Language) -> impl Iterator<Item = &'static str> {
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

/// Words that ask for an overview, an opinion or a reason; a star at the end matches any ending.
pub(crate) fn overview_phrases(language: Language) -> impl Iterator<Item = &'static str> {
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

/// What questions in a language begin with.
pub(crate) fn question_phrases(language: Language) -> impl Iterator<Item = &'static str> {
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

/// What says in a language that something holds throughout, folded; `^` stands for the beginning of a sentence.
pub(crate) fn standing_phrases(language: Language) -> impl Iterator<Item = &'static str> {
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

/// What says in a language that something is otherwise than it was, folded.
pub(crate) fn correction_phrases(language: Language) -> impl Iterator<Item = &'static str> {
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

/// How one who asks in a language names oneself alone, folded.
pub(crate) fn asker_words(language: Language) -> impl Iterator<Item = &'static str> {
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

/// What asks in a language for something that was answered before, folded.
pub(crate) fn answered_phrases(language: Language) -> impl Iterator<Item = &'static str> {
    let list = match language {
        Language::English => english::ANSWERED,
        Language::German => german::ANSWERED,
        Language::French => french::ANSWERED,
        Language::Spanish => spanish::ANSWERED,
        Language::Portuguese => portuguese::ANSWERED,
        Language::Italian => italian::ANSWERED,
        Language::Russian => russian::ANSWERED,
    };
    list.split(", ")
}

/// The languages in which a word is a stop word, a bit for each by its place in [`Language::ALL`]. The word is prepared,
/// with its diacritics or without.
pub(crate) fn stop_languages(word: &str) -> u8 {
    stop_languages_of(word.bytes().fold(hash::START, hash::with_byte))
}

/// As [`stop_languages`], of the hash of a word.
pub(crate) fn stop_languages_of(hash: u32) -> u8 {
    STOP_HASHES.binary_search(&hash).map_or(0, |place| STOP_LANGUAGES[place])
}

/// The English word that a prepared word is an irregular form of.
pub(crate) fn irregular(word: &str) -> Option<&'static str> {
    let hash = word.bytes().fold(hash::START, hash::with_byte);
    let place = IRREGULAR_HASHES.binary_search(&hash).ok()?;
    let start = IRREGULAR_PLACES[place] as usize;
    let (form, rest) = english::IRREGULAR.get(start..)?.split_once(' ')?;
    (form == word).then(|| rest.split(',').next().unwrap_or(rest))
}

/// The base letters of U+00C0 to U+00FF, as folding makes them; `ß` is two.
const BASES: &[u8; 64] = b"aaaaaaaceeeeiiiidnooooo.ouuuuytsaaaaaaaceeeeiiiidnooooo.ouuuuyty";

/// The most stop words that all languages may have, each counted with its folded form.
const ROOM: usize = 4096;

struct Stops {
    hashes: [u32; ROOM],
    languages: [u8; ROOM],
    count: usize,
}

const STOPS: Stops = stops();
static STOP_HASHES: [u32; STOPS.count] = first(&STOPS.hashes, 0);
static STOP_LANGUAGES: [u8; STOPS.count] = first(&STOPS.languages, 0);
const IRREGULARS: Irregulars = irregulars();
static IRREGULAR_HASHES: [u32; IRREGULARS.count] = first(&IRREGULARS.hashes, 0);
static IRREGULAR_PLACES: [u16; IRREGULARS.count] = first(&IRREGULARS.places, 0);

const fn stops() -> Stops {
    let mut all = Stops { hashes: [0; ROOM], languages: [0; ROOM], count: 0 };
    let mut language = 0;
    while language < STOP.len() {
        let bytes = STOP[language].as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let (mut plain, mut folded) = (hash::START, hash::START);
            while at < bytes.len() && bytes[at] != b' ' {
                let byte = bytes[at];
                plain = hash::with_byte(plain, byte);
                if byte < 0x80 {
                    folded = hash::with_byte(folded, byte);
                } else {
                    at += 1;
                    plain = hash::with_byte(plain, bytes[at]);
                    folded = hash_folded(folded, byte, bytes[at]);
                }
                at += 1;
            }
            at += 1;
            add_stop(&mut all, plain, 1 << language);
            add_stop(&mut all, folded, 1 << language);
        }
        language += 1;
    }
    all
}

/// Adds a folded letter of two bytes to a hash.
const fn hash_folded(hash: u32, first: u8, second: u8) -> u32 {
    match (first, second) {
        (0xC3, 0x9F) => hash::with_byte(hash::with_byte(hash, b's'), b's'),
        (0xC3, _) => hash::with_byte(hash, BASES[(second & 0x3F) as usize]),
        (0xC5, 0x93) => hash::with_byte(hash::with_byte(hash, b'o'), b'e'),
        (0xD1, 0x91) => hash::with_byte(hash::with_byte(hash, 0xD0), 0xB5),
        (0xD0, 0xB9) => hash::with_byte(hash::with_byte(hash, 0xD0), 0xB8),
        _ => hash::with_byte(hash::with_byte(hash, first), second),
    }
}

/// Puts a stop word in its place among the sorted ones.
const fn add_stop(all: &mut Stops, hash: u32, language: u8) {
    let mut low = 0;
    let mut high = all.count;
    while low < high {
        let middle = usize::midpoint(low, high);
        if all.hashes[middle] < hash {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if low < all.count && all.hashes[low] == hash {
        all.languages[low] |= language;
        return;
    }
    let mut at = all.count;
    while at > low {
        all.hashes[at] = all.hashes[at - 1];
        all.languages[at] = all.languages[at - 1];
        at -= 1;
    }
    all.hashes[low] = hash;
    all.languages[low] = language;
    all.count += 1;
}

struct Irregulars {
    hashes: [u32; ROOM],
    places: [u16; ROOM],
    count: usize,
}

#[expect(clippy::cast_possible_truncation, reason = "the list is short")]
const fn irregulars() -> Irregulars {
    let mut all = Irregulars { hashes: [0; ROOM], places: [0; ROOM], count: 0 };
    let bytes = english::IRREGULAR.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let mut hash = hash::START;
        while bytes[at] != b' ' {
            hash = hash::with_byte(hash, bytes[at]);
            at += 1;
        }
        let mut place = all.count;
        while place > 0 && all.hashes[place - 1] > hash {
            all.hashes[place] = all.hashes[place - 1];
            all.places[place] = all.places[place - 1];
            place -= 1;
        }
        all.hashes[place] = hash;
        all.places[place] = start as u16;
        all.count += 1;
        while at < bytes.len() && bytes[at] != b',' {
            at += 1;
        }
        at += 2;
    }
    all
}

/// The first of a list, as many as there are places for; `fill` is what they are made of.
const fn first<T: Copy, const COUNT: usize>(all: &[T; ROOM], fill: T) -> [T; COUNT] {
    let mut first = [fill; COUNT];
    let mut at = 0;
    while at < COUNT {
        first[at] = all[at];
        at += 1;
    }
    first
}

#[cfg(test)]
mod tests {
    use super::super::fold::folded;
    use super::*;
    use crate::recall::text::terms::spaced_folded;

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
        assert_eq!(words.len(), STOP_HASHES.len());
        assert!(STOP_HASHES.is_sorted());
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
        assert_eq!(count, IRREGULAR_HASHES.len());
        assert!(IRREGULAR_HASHES.is_sorted_by(|one, other| one < other));
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
            for phrase in cues.chain(answered_phrases(language)) {
                // It is looked for in folded texts as it is.
                assert_eq!(spaced_folded(phrase).trim(), phrase);
            }
        }
    }
}
