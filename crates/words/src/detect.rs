//! Detects the language of a text.

use crate::fold::is_mark;
use crate::hash;
use crate::language::Language;
use crate::lists::stop_languages_of;
use crate::runs::{Run, run_at, runs};

/// Maximum number of words that are read.
const MOST: u32 = 200;

/// The language of a text, by its stop words and by letters that few languages have. None if the text is too short,
/// ambiguous, or in another language. Only the beginning of a long text is read.
#[must_use]
pub fn detect(text: &str) -> Option<Language> {
    detect_in(text, &runs(text, MOST as usize))
}

/// Works like [`detect`], with [`runs`] of the text. Any may be missing.
#[must_use]
pub fn detect_in(text: &str, runs: &[Run]) -> Option<Language> {
    scores(text, runs).best()
}

fn scores(text: &str, mut runs: &[Run]) -> Scores {
    let mut scores = Scores::default();
    let mut at = 0;
    while at < text.len() && scores.words < MOST {
        if let Some(run) = run_at(&mut runs, at)
            && let Some(end) = end_of_plain_word(text, run)
        {
            let length = u32::try_from(run.end - run.start).unwrap_or(u32::MAX);
            scores.word(run.hash, length, false);
            at = end;
            continue;
        }
        let (length, is_code) = first_chunk(&text[at..]);
        if !is_code {
            scores.chunk(&text[at..at + length]);
        }
        at = text.len() - text[at + length..].trim_start().len();
    }
    scores
}

/// The place after the single space that follows a run, with at most one mark in between. None if the run isn't a word
/// of ASCII letters, or if anything else follows it.
fn end_of_plain_word(text: &str, run: &Run) -> Option<usize> {
    let at = |place: usize| text.as_bytes().get(place).copied();
    let is_marked = matches!(at(run.end), Some(b'.' | b',' | b'!' | b'?' | b':' | b';'));
    let end = run.end + usize::from(is_marked);
    let is_plain = run.is_letters() && at(end) == Some(b' ') && at(end + 1) != Some(b' ');
    is_plain.then_some(end + 1)
}

/// The length of a text up to its first space, and true if that part is a file name, an address or a code, which belong
/// to no language.
fn first_chunk(text: &str) -> (usize, bool) {
    let mut is_code = false;
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'\t'..=b'\r' | b' ' => break,
            b'0'..=b'9' | b'_' | b'@' | b'/' | b'\\' | b'=' => is_code = true,
            ..0x80 => {}
            _ => match text[at..].chars().next() {
                Some(character) if !character.is_whitespace() => {
                    at += character.len_utf8();
                    continue;
                }
                _ => break,
            },
        }
        at += 1;
    }
    (at, is_code)
}

/// Evidence for each language.
#[derive(Debug, Default)]
struct Scores {
    /// Number of words so far.
    words: u32,
    /// Stop words of each language, in twelfths of a word. A stop word of several languages counts a fraction for each.
    stops: [u32; 7],
    /// Stop words of each language, including shared ones. One-letter words don't count.
    hits: [u32; 7],
    /// The first stop word of each language.
    first: [u32; 7],
    /// True for each language whose first stop word was followed by a different one.
    are_various: [bool; 7],
    /// Letters of each language that are rare in others.
    letters: [u32; 7],
    /// Letters that none of the languages has.
    foreign: u32,
}

impl Scores {
    /// Counts the words between two spaces.
    fn chunk(&mut self, chunk: &str) {
        let mut hash = hash::START;
        let mut letters = 0_u32;
        let mut is_tail = false;
        for character in chunk.chars() {
            if character.is_ascii_alphabetic() {
                hash = hash::with_byte(hash, character.to_ascii_lowercase() as u8);
                letters += 1;
            } else if character.is_alphabetic() {
                for small in character.to_lowercase() {
                    self.letter(small);
                    let mut bytes = [0; 4];
                    hash = small.encode_utf8(&mut bytes).bytes().fold(hash, hash::with_byte);
                }
                letters += 1;
            } else if !is_mark(character) {
                // If a mark follows the word, the word is counted without it.
                let is_apostrophe = matches!(character, '\'' | '’');
                self.word(hash, letters, is_tail || is_apostrophe);
                is_tail = is_apostrophe && letters > 0;
                hash = hash::START;
                letters = 0;
            }
        }
        self.word(hash, letters, is_tail);
    }

    /// Counts a word. `is_part` is true if an apostrophe is before or after it.
    fn word(&mut self, hash: u32, letters: u32, is_part: bool) {
        if letters == 0 || letters == 1 && is_part {
            return;
        }
        self.words += 1;
        let languages = stop_languages_of(hash);
        if languages == 0 {
            return;
        }
        let part = if letters > 1 { 12 } else { 6 } / languages.count_ones();
        let mut left = languages;
        while left != 0 {
            let at = left.trailing_zeros() as usize;
            left &= left - 1;
            self.stops[at] += part;
            if letters > 1 {
                if self.hits[at] == 0 {
                    self.first[at] = hash;
                }
                self.are_various[at] |= self.first[at] != hash;
                self.hits[at] += 1;
            }
        }
    }

    fn letter(&mut self, letter: char) {
        let language = match letter {
            'ß' | 'ä' | 'ö' | 'ü' => Language::German,
            'ê' | 'œ' | 'û' | 'î' => Language::French,
            'ñ' | '¿' | '¡' => Language::Spanish,
            'ã' | 'õ' => Language::Portuguese,
            'ì' | 'ò' => Language::Italian,
            'ы' | 'э' | 'ё' => Language::Russian,
            'å' | 'ø' | 'æ' | 'ł' | 'ż' | 'ą' | 'ę' | 'ś' | 'ć' | 'ń' | 'č' | 'š' | 'ž' | 'ř'
            | 'ů' | 'ě' | 'ő' | 'ű' | 'ğ' | 'ş' | 'ı' | 'ț' | 'ș' | 'ă' | 'ð' | 'þ' | 'і' | 'ї'
            | 'є' | 'ґ' | 'ў' | 'ј' | 'љ' | 'њ' | 'ћ' | 'ђ' => {
                self.foreign += 1;
                return;
            }
            _ => return,
        };
        self.letters[language as usize] += 1;
    }

    fn best(&self) -> Option<Language> {
        let score = |language: Language| {
            let at = language as usize;
            self.stops[at] + if self.hits[at] > 0 { 6 * self.letters[at].min(4) } else { 0 }
        };
        let best = Language::ALL.into_iter().rev().max_by_key(|language| score(*language))?;
        let second = Language::ALL
            .into_iter()
            .filter(|language| *language != best)
            .map(score)
            .max()
            .unwrap_or_default();
        let (first, hits) = (score(best), self.hits[best as usize]);
        // A clear result needs two different stop words, one stop word in five words, and far more than any other
        // language.
        let is_clear = first >= 15
            && self.are_various[best as usize]
            && hits * 5 >= self.words
            && first * 4 >= second * 5;
        (is_clear && self.foreign * 12 <= first).then_some(best)
    }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use proptest::prelude::*;
    use windrow_property::properties;

    use super::*;
    use crate::fold::folded;

    const SENTENCES: [(Language, [&str; 3]); 7] = [
        (
            Language::English,
            [
                "What did we decide about the venue?",
                "I don't think that's a good idea, let's wait until they answer.",
                "Where is the key?",
            ],
        ),
        (
            Language::German,
            [
                "Was haben wir über den Saal entschieden?",
                "Ich glaube nicht, dass er heute noch kommt.",
                "Wo ist der Schlüssel?",
            ],
        ),
        (
            Language::French,
            [
                "Qu'est-ce que nous avons décidé pour la salle ?",
                "Je ne pense pas qu'il vienne aujourd'hui.",
                "Où est la clé de la voiture ?",
            ],
        ),
        (
            Language::Spanish,
            [
                "¿Qué decidimos sobre el local de la fiesta?",
                "No creo que venga hoy, pero nunca se sabe con él.",
                "¿Dónde está la llave?",
            ],
        ),
        (
            Language::Portuguese,
            [
                "O que decidimos sobre o local da festa?",
                "Não acho que ele venha hoje, mas nunca se sabe.",
                "Onde está a chave do carro?",
            ],
        ),
        (
            Language::Italian,
            [
                "Che cosa abbiamo deciso per la sala della festa?",
                "Non credo che venga oggi, ma con lui non si sa mai.",
                "Dov'è la chiave della macchina?",
            ],
        ),
        (
            Language::Russian,
            [
                "Что мы решили насчёт зала для праздника?",
                "Я не думаю, что он сегодня придёт.",
                "Где ключ от машины?",
            ],
        ),
    ];

    #[test]
    fn sentences_are_detected_in_their_language() {
        for (language, sentences) in SENTENCES {
            for sentence in sentences {
                assert_eq!(detect(sentence), Some(language), "{sentence}");
                assert_eq!(detect(&sentence.to_uppercase()), Some(language), "{sentence}");
            }
            let together = sentences.join(" ");
            assert_eq!(detect(&folded(&together)), Some(language), "{together}");
        }
    }

    #[test]
    fn short_foreign_or_mixed_texts_have_no_language() {
        for text in [
            "",
            "ok",
            "Thanks!",
            "yo yo yo",
            "No n n",
            "Caroline, Melanie, Frankfurt",
            "src/main.rs:42 c-24-5-69-4.hsd1.ca.example.net",
            "Waar is de sleutel van de auto? Ik heb hem gisteren nog gezien.",
            "Var är nyckeln till bilen? Jag såg den i går på bordet.",
            "Gdzie jest klucz do samochodu? Wczoraj leżał na stole.",
            "Arabanın anahtarı nerede? Dün masanın üzerindeydi.",
            "Unde este cheia de la mașină? Ieri era pe masă.",
            "Де ключ від машини? Учора він лежав на столі, я його бачив.",
            "車の鍵はどこですか。昨日は机の上にありました。",
            "أين مفتاح السيارة؟ كان على الطاولة أمس.",
            "what is the key haben wir nicht",
        ] {
            assert_eq!(detect(text), None, "{text}");
        }
    }

    properties! {
        /// The fast path for plain words agrees with the full detection.
        #[test]
        fn a_plain_word_counts_like_any_other(text in "([a-zA-Z]{0,3}[-.,!?:;'’1é]{0,2} {0,2}){1,8}") {
            let fast = scores(&text, &runs(&text, usize::MAX));
            prop_assert_eq!(format!("{fast:?}"), format!("{:?}", scores(&text, &[])));
        }

        #[test]
        fn any_text_has_at_most_one_language(text in ".*") {
            prop_assert_eq!(detect(&text), detect(&text));
        }

        #[test]
        fn codes_do_not_change_the_language(code in "[a-z]{0,4}[0-9]{1,4}[a-z/_@.]{0,6}", at in 0_usize..7) {
            let (language, sentences) = SENTENCES[at];
            for sentence in sentences {
                prop_assert_eq!(detect(&format!("{code} {sentence} {code}")), Some(language));
            }
        }
    }
}
