//! Finds lasting sentences of a user: a fact about themselves, a matter of health, an instruction that holds.
//!
//! A linear classifier over hashed features: words, and two or three in a row. `examples/statements.rs` trains it on the sentences of
//! `scripts/statements`, and writes `statements.bin`. Questions say nothing lasting. Only prose counts, as in [`crate::cues`].

use crate::cues::{prose, words_of};
use crate::hash;
use crate::lists::Hashes;
use crate::terms::spaced_folded;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The kind of a lasting sentence. A higher one matters more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A preference, a belief, a habit, a possession, a person or a place of the user's.
    Fact,
    /// An instruction that holds from then on.
    Instruction,
    /// An allergy, an illness, a disability, a fear.
    Health,
}

impl Kind {
    /// All kinds, in the order of their weights.
    pub const ALL: [Self; 3] = [Self::Fact, Self::Instruction, Self::Health];
}

/// A lasting sentence of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The sentence.
    pub sentence: String,
    /// Its kind.
    pub kind: Kind,
    /// How sure the classifier is, above 0.
    pub score: f32,
}

/// The first sentences of a text are read. A longer text is a pasted page.
const MOST_SENTENCES: usize = 64;
/// The most bytes of a sentence. A longer run isn't a sentence, and an excerpt that is chosen by it would take quadratic time.
const MOST_BYTES: usize = 1000;
/// The first words of a sentence are read.
const MOST_WORDS: usize = 48;
/// Shorter sentences say nothing.
const LEAST_WORDS: usize = 2;
/// So many bits of a feature's hash are kept.
const KEY_BITS: u32 = 20;
/// One step of a weight.
pub const STEP: f32 = 1.0 / 16.0;

/// The weights of the features by their hashes: a byte for each kind.
static WEIGHTS: LazyLock<Hashes> = LazyLock::new(|| {
    let mut pairs = Vec::new();
    let (mut key, mut gap, mut shift) = (0, 0, 0);
    let mut bytes = include_bytes!("statements.bin").iter().copied();
    while let Some(byte) = bytes.next() {
        gap |= u32::from(byte & 0x7F) << shift;
        shift += 7;
        if byte < 0x80 {
            key += gap;
            (gap, shift) = (0, 0);
            let mut weight = || bytes.next().unwrap_or_default();
            pairs.push((
                key << (u32::BITS - KEY_BITS),
                u32::from_le_bytes([weight(), weight(), weight(), 0]),
            ));
        }
    }
    Hashes::new(pairs, |first, _| first)
});

/// The keys of a sentence's features, each once: [`EVERY`], its words, and two and three of them in a row.
#[must_use]
pub fn features(sentence: &str) -> Vec<u32> {
    let folded = if sentence.is_ascii() {
        Cow::Borrowed(sentence)
    } else {
        Cow::Owned(spaced_folded(sentence))
    };
    let with_word = |hash: u32, word: &[u8]| {
        let spaced = hash::with_byte(hash, b' ');
        word.iter().fold(spaced, |hash, byte| hash::with_byte(hash, byte.to_ascii_lowercase()))
    };
    let mut keys = vec![EVERY];
    // The hashes of the word before, and of the two words before. `^` is before the first one.
    let (mut one, mut two) = (hash::with_byte(hash::START, b'^'), None);
    for word in words_of(&folded).take(MOST_WORDS) {
        // Every number is one word: those that no training saw would share a hash with words by chance.
        let is_number = word.iter().all(u8::is_ascii_digit);
        let word = if is_number { b"0" } else { word };
        let (alone, pair) = (with_word(hash::START, word), with_word(one, word));
        keys.extend([key(alone), key(pair)]);
        keys.extend(two.map(|two| key(with_word(two, word))));
        (one, two) = (alone, Some(pair));
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The key of a feature. FNV mixes its last bits best.
fn key(hash: u32) -> u32 {
    hash.wrapping_mul(0x9E37_79B1) >> (u32::BITS - KEY_BITS)
}

/// The key of every sentence.
pub const EVERY: u32 = 1;

/// Scores a sentence for each kind.
fn scores(sentence: &str) -> [f32; 3] {
    let weights = &*WEIGHTS;
    let mut sums = [0_i16; 3];
    for key in features(sentence) {
        let found = weights.get(key << (u32::BITS - KEY_BITS)).unwrap_or_default();
        for (sum, byte) in sums.iter_mut().zip(found.to_le_bytes()) {
            *sum += i16::from(byte.cast_signed());
        }
    }
    sums.map(|sum| f32::from(sum) * STEP)
}

/// The kind and the score of a sentence, if it says something lasting.
#[must_use]
pub fn classify(sentence: &str) -> Option<(Kind, f32)> {
    // A question says nothing lasting, but a clause before it may: "I prefer tea, what do you have?"
    let sentence = match sentence.strip_suffix(['?', '？']) {
        Some(asked) => asked.rsplit_once(", ")?.0,
        None => sentence,
    };
    words_of(sentence).nth(LEAST_WORDS - 1)?;
    let scores = scores(sentence);
    let best = Kind::ALL.into_iter().zip(scores).max_by(|one, other| one.1.total_cmp(&other.1))?;
    (best.1 > 0.0).then_some(best)
}

/// The lasting sentences of a text, in their order.
#[must_use]
pub fn find(text: &str) -> Vec<Statement> {
    let prose = prose(text);
    let sentences = whole_sentences(&prose).take(MOST_SENTENCES);
    let sentences = sentences.filter(|sentence| sentence.len() <= MOST_BYTES);
    let statement = |sentence: &str| {
        let (kind, score) = classify(sentence)?;
        Some(Statement { sentence: sentence.to_owned(), kind, score })
    };
    sentences.filter_map(statement).collect()
}

/// The lasting sentence of a text that matters most.
#[must_use]
pub fn best(text: &str) -> Option<Statement> {
    let by_weight = |one: &Statement, other: &Statement| {
        one.kind.cmp(&other.kind).then(one.score.total_cmp(&other.score))
    };
    find(text).into_iter().max_by(by_weight)
}

/// The bits of a cue that hold the kind, from 1, and how sure it is.
const KIND_SHIFT: u8 = 2;
const SURE_SHIFT: u8 = 4;
/// The surest score.
const SUREST: f32 = 2.0;

/// A text's best statement as the bits of a cue, next to those of [`crate::cues`]. 0 if it has none.
#[must_use]
pub fn cue(text: &str) -> u8 {
    best(text).map_or(0, |Statement { kind, score, .. }| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 15")]
        let sure = (score.min(SUREST) * 15.0 / SUREST) as u8;
        (kind as u8 + 1) << KIND_SHIFT | sure << SURE_SHIFT
    })
}

/// The kind of a cue's statement, and how sure it is, from 0 to 1.
#[must_use]
pub fn of_cue(cue: u8) -> Option<(Kind, f32)> {
    let kind = (cue >> KIND_SHIFT & 3).checked_sub(1)?;
    Some((Kind::ALL[usize::from(kind)], f32::from(cue >> SURE_SHIFT) / 15.0))
}

/// The sentences of a text, each with the mark that ends it.
fn whole_sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let sentences = std::iter::from_fn(move || {
        let end = end_of_sentence(rest)?;
        let (sentence, more) = rest.split_at(end);
        rest = more;
        Some(sentence)
    });
    sentences.map(str::trim).filter(|sentence| !sentence.is_empty())
}

/// The end of a text's first sentence. A dot within a word ("2.3", "config.json") doesn't end it.
fn end_of_sentence(text: &str) -> Option<usize> {
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let is_end = match letter {
            '.' | '!' | '?' | ';' => letters.peek().is_none_or(|(_, next)| next.is_whitespace()),
            '\n' | '…' | '。' | '！' | '？' => true,
            _ => false,
        };
        if is_end {
            return Some(at + letter.len_utf8());
        }
    }
    (!text.is_empty()).then_some(text.len())
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use windrow_property::properties;

    /// Sentences that the classifier wasn't trained on. Each line has a language, a class and a text.
    const HELD_OUT: &str = include_str!("../../../scripts/statements/held-out.txt");

    /// One statement of each kind.
    const SAID: [(Kind, &str); 3] = [
        (Kind::Fact, "My daughter is called Ilse."),
        (Kind::Instruction, "Please use tabs, not spaces."),
        (Kind::Health, "I have a severe peanut allergy."),
    ];

    fn held_out() -> impl Iterator<Item = [&'static str; 3]> {
        let lines = HELD_OUT.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| {
            let cells: Vec<&str> = line.splitn(3, " | ").collect();
            cells.try_into().expect("three cells")
        })
    }

    #[test]
    fn most_unseen_sentences_are_classified_correctly() {
        for language in
            ["english", "german", "french", "spanish", "portuguese", "italian", "russian"]
        {
            let (mut found, mut wanted, mut right) = (0, 0, 0);
            for [_, class, text] in held_out().filter(|[of, ..]| *of == language) {
                let (is_wanted, is_found) = (class != "none", classify(text).is_some());
                wanted += u32::from(is_wanted);
                found += u32::from(is_found);
                right += u32::from(is_wanted && is_found);
            }
            // Thresholds are the measured values less a sentence or two.
            assert!(right * 10 >= found * 7, "{language}: {right} of {found} are right");
            assert!(right * 2 >= wanted, "{language}: {right} of {wanted} are found");
        }
    }

    #[test]
    fn each_kind_is_recognized_and_questions_are_not_statements() {
        for (kind, text) in SAID {
            assert_eq!(best(text).map(|it| it.kind), Some(kind), "{text}");
            assert_eq!(of_cue(cue(text)).map(|it| it.0), Some(kind), "{text}");
            let mixed = format!("What do you think? {text} Thanks, that helps.");
            assert_eq!(find(&mixed).len(), 1, "{mixed}");
            assert_eq!(best(&mixed).map(|it| it.sentence), Some(text.to_owned()));
            assert_eq!(best(&text.replace([',', '.'], "?")), None);
        }
        assert_eq!(best("Please fix the failing test in the parser."), None);
        assert_eq!((cue(""), of_cue(0)), (0, None));
    }

    properties! {
        /// The other cue bits are 0, and nothing panics.
        #[test]
        fn any_text_has_a_cue(text in any::<String>(), other in "[ -~]{0,80}") {
            for text in [text, other] {
                prop_assert_eq!(cue(&text) & 3, 0);
                prop_assert_eq!(of_cue(cue(&text)).map(|it| it.0), best(&text).map(|it| it.kind));
                for statement in find(&text) {
                    prop_assert!(statement.score > 0.0);
                }
            }
        }

        /// Quoted or pasted text never counts as a statement.
        #[test]
        fn quoted_text_is_not_a_statement(which in 0_usize..SAID.len(), how in 0_usize..6) {
            let said = SAID[which].1;
            let text = match how {
                0 => format!("\"{said}\""),
                1 => format!("> {said}"),
                2 => format!("```\n{said}\n```"),
                3 => format!("<document>\n{said}</document>"),
                4 => format!("From: Mallory\nTo: Ana\nSubject: Boats\n\n{said}"),
                _ => format!("«{said}»"),
            };
            prop_assert_eq!(cue(&text), 0);
        }
    }
}
