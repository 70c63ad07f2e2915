//! Detects the language of a text.

use crate::fold::is_mark;
use crate::hash;
use crate::language::Language;
use crate::lists::stop_languages_of;

/// The language of a text, by its stop words and by letters that few languages have. None if the text is too short,
/// ambiguous, or in another language. Only the beginning of a long text is read.
#[must_use]
pub fn detect(text: &str) -> Option<Language> {
    /// Maximum number of words that are read.
    const MOST: u32 = 200;
    let mut scores = Scores::default();
    let mut rest = text;
    while !rest.is_empty() && scores.words < MOST {
        let plain = scores.plain_word(rest.as_bytes());
        if plain > 0 {
            rest = &rest[plain..];
            continue;
        }
        let (length, is_code) = first_chunk(rest);
        if !is_code {
            scores.chunk(&rest[..length]);
        }
        rest = rest[length..].trim_start();
    }
    scores.best()
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
    /// Fast path for the word at the start of a text: ASCII letters up to one space, with at most one mark in between.
    /// Counts it, and returns the length of both, or 0 if the slow path has to decide.
    fn plain_word(&mut self, text: &[u8]) -> usize {
        let mut hash = hash::START;
        let mut length = 0;
        for byte in text {
            // Makes ASCII letters small, and nothing else a small letter.
            let small = byte | 0x20;
            if !small.is_ascii_lowercase() {
                break;
            }
            hash = hash::with_byte(hash, small);
            length += 1;
        }
        let is_marked = matches!(text.get(length), Some(b'.' | b',' | b'!' | b'?' | b':' | b';'));
        let end = length + usize::from(is_marked);
        let is_plain =
            length > 0 && text.get(end) == Some(&b' ') && text.get(end + 1) != Some(&b' ');
        if !is_plain {
            return 0;
        }
        self.word(hash, u32::try_from(length).unwrap_or(u32::MAX), false);
        end + 1
    }

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
        fn a_plain_word_counts_like_any_other(text in "([a-zA-Z]{0,3}[-.,!?:;'’1é]{0,2} {0,2}){1,4}") {
            let (mut plain, mut close) = (Scores::default(), Scores::default());
            let length = plain.plain_word(text.as_bytes());
            if length > 0 {
                close.chunk(text[..length].trim_end());
                prop_assert_eq!(format!("{plain:?}"), format!("{close:?}"));
                prop_assert_eq!(&text[length..], text[first_chunk(&text).0..].trim_start());
                prop_assert!(!first_chunk(&text).1);
            }
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
