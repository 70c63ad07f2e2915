//! Finds a user's lasting statements: a fact about themselves, a matter of health, an instruction that stays valid.
//!
//! This is a linear classifier over hashed features: words, pairs of words, and beginnings of words. In languages other
//! than English, the endings of the first words are features too. In Chinese and Japanese, characters count as words.
//! `examples/statements.rs` trains it on the sentences of `scripts/statements`, and writes `statements.bin`. Questions
//! never count as statements. Only prose counts, as in [`crate::cues`].

use crate::cues::{STANDS, cues, cues_in, prose};
use crate::hash;
use crate::language::Language;
use crate::lists::{self, Hashes};
use crate::runs::{Run, is_between, runs};
use crate::terms::{find_character, is_any_of, spaced_folded};
use std::borrow::Cow;
use std::sync::LazyLock;

/// The kind of a statement. A higher one matters more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The user's preference, belief, habit, possession, or a person or place in their life.
    Fact,
    /// An instruction for everything that follows.
    Instruction,
    /// An allergy, an illness, a disability, a fear.
    Health,
}

impl Kind {
    /// All kinds, in the order of their weights.
    pub const ALL: [Self; 3] = [Self::Fact, Self::Instruction, Self::Health];
}

/// A lasting statement in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The sentence.
    pub sentence: String,
    /// Its kind.
    pub kind: Kind,
    /// How sure the classifier is. At most 0 if the sentence only may be one.
    pub score: f32,
}

/// Maximum number of sentences of a text that are read. A longer text is a pasted page.
const MOST_SENTENCES: usize = 64;
/// Maximum length of a sentence in bytes. A longer run isn't a sentence, and choosing an excerpt by it would take
/// quadratic time.
const MOST_BYTES: usize = 1000;
/// Maximum number of words of a sentence that are read.
const MOST_WORDS: usize = 48;
/// Minimum number of words. Shorter sentences don't count.
const LEAST_WORDS: usize = 2;
/// How much each sentence's score falls with the logarithm of the number of sentences, up to the surest score. A higher
/// value finds less in long texts.
const DOUBT: f32 = 1.5;
/// Minimum score of a sentence that the user labels as lasting.
const LABELED: f32 = SUREST;
/// Number of characters at the beginning of a sentence that may have a label.
const LABEL_LETTERS: usize = 40;
/// Maximum number of words of a label.
const LABEL_WORDS: usize = 3;
/// Number of bits of a feature's hash that are kept.
const KEY_BITS: u32 = 20;
/// One step of a weight.
pub const STEP: f32 = 1.0 / 4.0;

/// A set of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// For English.
    English,
    /// For all other languages.
    Others,
}

impl Table {
    /// Both sets of weights.
    pub const ALL: [Self; 2] = [Self::English, Self::Others];

    /// The set of weights for a language. Both sets if the language is unknown.
    fn of(language: Option<Language>) -> &'static [Self] {
        match language {
            Some(Language::English) => &Self::ALL[..1],
            Some(_) => &Self::ALL[1..],
            None => &Self::ALL,
        }
    }

    /// The key of the feature that every sentence has.
    #[must_use]
    pub fn every(self) -> u32 {
        key(self.start())
    }

    /// The initial hash for its features. It differs from the other set's.
    fn start(self) -> u32 {
        match self {
            Self::English => hash::START,
            Self::Others => hash::with_byte(hash::START, b'*'),
        }
    }
}

/// The features' weights by hash, one byte per kind. The file has the number of features, then the gaps between their
/// keys in groups of seven bits, then the weights, kind by kind.
static WEIGHTS: LazyLock<Hashes> = LazyLock::new(|| {
    let (count, mut bytes) = include_bytes!("statements.bin").split_at(4);
    let count = count.iter().rev().fold(0, |count, byte| count << 8 | usize::from(*byte));
    let mut keys = Vec::with_capacity(count);
    let (mut key, mut shift) = (0, 0);
    while let Some((byte, more)) = bytes.split_first().filter(|_| keys.len() < count) {
        key += u32::from(byte & 0x7F) << shift;
        shift = if *byte < 0x80 { 0 } else { shift + 7 };
        if shift == 0 {
            keys.push(key << (u32::BITS - KEY_BITS));
        }
        bytes = more;
    }
    let pair = |(at, key): (usize, u32)| {
        let [fact, instruction, health] = [0, 1, 2].map(|kind| bytes[kind * count + at]);
        (key, u32::from_le_bytes([fact, instruction, health, 0]))
    };
    Hashes::new(keys.into_iter().enumerate().map(pair).collect(), |first, _| first)
});

/// Number of first letters of a word that count as its beginning, which its other forms share.
const STEM: usize = 4;
/// Number of last letters of a word that count as its ending. In the first words of a sentence, it often shows the
/// person of a verb.
const ENDING: usize = 2;

/// The keys of a sentence's features, without duplicates.
#[must_use]
pub fn features(sentence: &str, table: Table) -> Vec<u32> {
    let mut keys = Vec::new();
    each_feature(sentence, table, |key| keys.push(key));
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Calls `each` with the keys of a sentence's features, possibly several times with one: the constant one, its words,
/// its pairs of words, and the beginnings of long words. Languages other than English inflect more, so the endings of
/// the first two words are features too.
fn each_feature(sentence: &str, table: Table, mut each: impl FnMut(u32)) {
    let folded =
        if sentence.is_ascii() { sentence.to_ascii_lowercase() } else { spaced_folded(sentence) };
    let first = table.start();
    let [start, stem_start] = [first, hash::with_byte(first, b'<')].map(with_space);
    each(table.every());
    // The hash of the previous word; `^` before the first one.
    let mut before = hash::with_byte(first, b'^');
    for (word, place) in tokens_of(&folded).take(MOST_WORDS).zip(0..) {
        // All numbers count as one word. Otherwise numbers that never occurred in training could share a hash with a
        // word by chance.
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let word = if is_number { "0" } else { word };
        let place_of = |letter: usize| word.char_indices().nth(letter).map(|it| it.0);
        let stem_end = if word.len() > STEM { place_of(STEM) } else { None };
        let (mut alone, mut pair, mut stem) = (start, with_space(before), stem_start);
        for (at, byte) in word.bytes().enumerate() {
            alone = hash::with_byte(alone, byte);
            pair = hash::with_byte(pair, byte);
            if Some(at) < stem_end {
                stem = hash::with_byte(stem, byte);
            }
        }
        each(key(alone));
        each(key(pair));
        before = alone;
        if stem_end.is_some() {
            each(key(stem));
        }
        if table != Table::English && place < 2 && place_of(STEM - 1).is_some() {
            let end = word.char_indices().rev().nth(ENDING - 1).map(|it| it.0);
            if let Some(end) = end {
                let start = with_space(hash::with_byte(first, b'>' + place));
                each(key(word[end..].bytes().fold(start, hash::with_byte)));
            }
        }
    }
}

/// Adds the space before a word to a hash.
fn with_space(hash: u32) -> u32 {
    hash::with_byte(hash, b' ')
}

/// The words of a folded sentence. In Chinese and Japanese, which don't separate words, each character counts as one.
fn tokens_of(folded: &str) -> impl Iterator<Item = &str> {
    let is_letter = |letter: char| ('\u{3000}'..'\u{A000}').contains(&letter);
    let mut rest = folded;
    std::iter::from_fn(move || {
        rest = &rest[rest.bytes().position(|byte| !is_between(byte))?..];
        let length = rest.bytes().position(is_between).unwrap_or(rest.len());
        let word = &rest[..length];
        let letter = if word.is_ascii() { None } else { word.find(is_letter) };
        let length = match letter {
            None => length,
            Some(0) => word.chars().next().map_or(length, char::len_utf8),
            Some(end) => end,
        };
        let (token, more) = rest.split_at(length);
        rest = more;
        Some(token)
    })
}

/// The key of a feature: the last bits of its hash, which FNV mixes best.
fn key(hash: u32) -> u32 {
    hash.wrapping_mul(0x9E37_79B1) >> (u32::BITS - KEY_BITS)
}

/// Scores a sentence for each kind.
fn scores(sentence: &str, table: Table) -> [f32; 3] {
    let weights = &*WEIGHTS;
    // Few features have weights, and each counts once.
    let mut found = Vec::with_capacity(MOST_WORDS);
    each_feature(sentence, table, |key| {
        let weights = weights.get(key << (u32::BITS - KEY_BITS));
        found.extend(weights.map(|weights| (key, weights)));
    });
    found.sort_unstable();
    found.dedup();
    let mut sums = [0_i16; 3];
    for (_, weights) in found {
        for (sum, byte) in sums.iter_mut().zip(weights.to_le_bytes()) {
            *sum += i16::from(byte.cast_signed());
        }
    }
    sums.map(|sum| f32::from(sum) * STEP)
}

/// The kind and the score of a sentence, if it is a lasting statement.
#[must_use]
pub fn classify(sentence: &str, language: Option<Language>) -> Option<(Kind, f32)> {
    likeliest(sentence, language).filter(|it| it.1 > 0.0)
}

/// The likeliest kind of a sentence that isn't a question, and its score.
fn likeliest(sentence: &str, language: Option<Language>) -> Option<(Kind, f32)> {
    // A question isn't a statement, but a clause before it may be: "I prefer tea, what do you have?"
    let sentence = match sentence.strip_suffix(['?', '？']) {
        Some(asked) => {
            let mut commas = asked.rmatch_indices(',');
            &asked[..commas.find(|(at, _)| asked[at + 1..].starts_with(' '))?.0]
        }
        None => sentence,
    };
    tokens_of(sentence).nth(LEAST_WORDS - 1)?;
    let tables = Table::of(language).iter();
    let kinds = tables.flat_map(|table| Kind::ALL.into_iter().zip(scores(sentence, *table)));
    let (kind, score) = kinds.max_by(|one, other| one.1.total_cmp(&other.1))?;
    Some((kind, if has_label(sentence) { score.max(LABELED) } else { score }))
}

/// True if the user labels a sentence as lasting: "Rule: no tabs", "HARD CONSTRAINT: no network".
fn has_label(sentence: &str) -> bool {
    let mut letters = sentence.char_indices().take(LABEL_LETTERS);
    let end = letters.find(|(_, letter)| matches!(letter, ':' | '：'));
    let (Some((end, _)), Some((_, next))) = (end, letters.next()) else {
        return false;
    };
    // The colon of "10:30" doesn't end a label.
    if next.is_ascii_alphanumeric() {
        return false;
    }
    let label = spaced_folded(&sentence[..end]);
    let words = || label.split(' ').filter(|word| !word.is_empty());
    words().count() <= LABEL_WORDS && words().any(lists::is_label)
}

/// The lasting statements of a text, in order. The more sentences a text has, the surer the classifier must be of each:
/// a single line is more often meant to last than a sentence of a long text.
#[must_use]
pub fn find(text: &str, language: Option<Language>) -> Vec<Statement> {
    let mut found = possible(&prose(text), language);
    found.retain(|it| it.score > 0.0);
    found
}

/// The sentences of a text's [`prose`] that may be lasting statements, in order.
fn possible(prose: &str, language: Option<Language>) -> Vec<Statement> {
    let sentences: Vec<&str> = whole_sentences(prose).take(MOST_SENTENCES).collect();
    #[expect(clippy::cast_precision_loss, reason = "at most MOST_SENTENCES")]
    let doubt = (DOUBT * (sentences.len().max(1) as f32).ln()).min(SUREST);
    let statement = |sentence: &str| {
        let (kind, score) = likeliest(sentence, language)?;
        let score = score - doubt;
        let is_capped = score >= SUREST && kind != Kind::Health && !has_label(sentence);
        let score = if is_capped { SUREST - SCORE_STEP } else { score };
        (score > LEAST_SURE).then(|| Statement { sentence: sentence.to_owned(), kind, score })
    };
    let readable = sentences.into_iter().filter(|sentence| sentence.len() <= MOST_BYTES);
    readable.filter_map(statement).collect()
}

/// The most important lasting statement of a text. If it has none, the sentence that most likely is one.
#[must_use]
pub fn best(text: &str, language: Option<Language>) -> Option<Statement> {
    best_in(&prose(text), language)
}

fn best_in(prose: &str, language: Option<Language>) -> Option<Statement> {
    let by_weight = |one: &Statement, other: &Statement| {
        let weight = |it: &Statement| (it.score > 0.0).then_some(it.kind);
        weight(one).cmp(&weight(other)).then(one.score.total_cmp(&other.score))
    };
    possible(prose, language).into_iter().max_by(by_weight)
}

/// The bits of a cue that hold the kind (from 1) and the score.
const KIND_SHIFT: u8 = 2;
const SCORE_SHIFT: u8 = 4;
/// The surest score, only for statements about health and labeled ones. They come before everything that they displace.
pub const SUREST: f32 = 3.0;
/// A sentence may be a statement if its score is above this. With a lower value, more statements that the classifier
/// misses get into prompts, along with more sentences that aren't statements.
pub const LEAST_SURE: f32 = -1.5;
/// The highest score of a cue, and one step of its score. Then 0 is the end of a step.
const MOST_STEPS: u8 = 14;
const SCORE_STEP: f32 = (SUREST - LEAST_SURE) / 15.0;

/// The cues in a user's text with these [`runs`], and its most important statement as bits of a cue. `own` is the
/// language of the text, and `language` the one that it is probably in.
#[must_use]
pub fn cues_of_user(
    text: &str,
    of_text: &[Run],
    own: Option<Language>,
    language: Option<Language>,
) -> u8 {
    let prose = prose(text);
    let cues = match &prose {
        Cow::Borrowed(prose) => cues_in(prose, of_text, language),
        Cow::Owned(prose) => cues_in(prose, &runs(prose, usize::MAX), language),
    };
    cues | best_in(&prose, own).map_or(0, |statement| cue(&statement))
}

/// A statement as bits of a cue.
fn cue(Statement { kind, score, .. }: &Statement) -> u8 {
    // Scores are rounded up to a step, but never to the surest score.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 15")]
    let steps = ((score.min(SUREST) - LEAST_SURE) / SCORE_STEP).ceil() as u8 - 1;
    let steps = if *score < SUREST { steps.min(MOST_STEPS - 1) } else { steps };
    (*kind as u8 + 1) << KIND_SHIFT | steps << SCORE_SHIFT
}

/// The kind of a cue's statement, and its score up to [`SUREST`]. At most 0 if it only may be a statement.
#[must_use]
pub fn of_cue(cue: u8) -> Option<(Kind, f32)> {
    let kind = (cue >> KIND_SHIFT & 3).checked_sub(1)?;
    let score = f32::from((cue >> SCORE_SHIFT) + 1) * SCORE_STEP + LEAST_SURE;
    Some((Kind::ALL[usize::from(kind)], score))
}

/// The lasting statements of a text, plus the standing instructions that cues find.
#[must_use]
pub fn lasting(text: &str, language: Option<Language>) -> Vec<(Kind, String)> {
    let prose = prose(text);
    let sentences = whole_sentences(&prose).take(MOST_SENTENCES);
    let sentences = sentences.filter(|sentence| sentence.len() <= MOST_BYTES);
    let kind = |sentence: &str| match classify(sentence, language) {
        Some((kind, _)) => Some(kind),
        None => (cues(sentence, language) & STANDS != 0).then_some(Kind::Instruction),
    };
    sentences
        .filter_map(|it| Some((kind(it)?, it.trim_end_matches([';', ' ']).to_owned())))
        .collect()
}

/// The sentences of a text, each with its closing mark.
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
    let may_end = |byte: u8| !byte.is_ascii() | is_any_of(byte, *b".!?;\n");
    let is_end = |letter: char, rest: &str| match letter {
        '.' | '!' | '?' | ';' => rest.chars().next().is_none_or(char::is_whitespace),
        '\n' | '…' | '。' | '！' | '？' => true,
        _ => false,
    };
    let end = find_character(text, may_end, is_end).map(|mark| mark.end);
    end.or((!text.is_empty()).then_some(text.len()))
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use crate::detect::detect;
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
                let (is_wanted, is_found) = (class != "none", classify(text, None).is_some());
                wanted += u32::from(is_wanted);
                found += u32::from(is_found);
                right += u32::from(is_wanted && is_found);
            }
            // Thresholds are the measured values minus a sentence or two.
            assert!(right * 10 >= found * 7, "{language}: {right} of {found} are right");
            assert!(right * 2 >= wanted, "{language}: {right} of {wanted} are found");
        }
    }

    /// Replies of a few words, which have few features.
    const SHORT_REPLIES: [&str; 12] = [
        "Please do.",
        "Yes, please.",
        "Go ahead, please.",
        "Please try again.",
        "No, thanks.",
        "No problem.",
        "I agree.",
        "I don't know.",
        "I have a question.",
        "I'm back.",
        "Do both.",
        "Use the first one.",
    ];

    #[test]
    fn short_replies_state_nothing() {
        for reply in SHORT_REPLIES {
            for text in [reply.to_owned(), reply.to_uppercase(), format!("{reply}\n\n{reply}")] {
                assert_eq!(find(&text, Some(Language::English)), [], "{text}");
            }
        }
    }

    /// Single lines of nine languages. Messages of class "turn", "reply" and "task" around them aren't statements.
    const LINES: &str = include_str!("../../../scripts/statements/lines.txt");

    #[test]
    fn most_single_lines_are_found_in_each_language() {
        let mut counts: Vec<(&str, [u32; 4])> = Vec::new();
        for line in LINES.lines().filter(|line| !line.starts_with('#')) {
            let [language, class, text]: [&str; 3] =
                line.splitn(3, " | ").collect::<Vec<_>>().try_into().expect("three cells");
            if class == "subject" {
                continue;
            }
            if counts.last().is_none_or(|it| it.0 != language) {
                counts.push((language, [0; 4]));
            }
            let kind = usize::from(["turn", "reply", "task"].contains(&class)) * 2;
            let (_, of_language) = counts.last_mut().expect("a language");
            of_language[kind] += 1;
            let is_sure = of_cue(cue_of(text, detect(text))).is_some_and(|it| it.1 > 0.0);
            of_language[kind + 1] += u32::from(is_sure);
        }
        assert_eq!(counts.len(), 9);
        for (language, [wanted, found, others, wrong]) in counts {
            // Thresholds are the measured values minus a sentence or two.
            assert!(found * 10 >= wanted * 6, "{language}: {found} of {wanted} are found");
            assert!(wrong * 10 <= others * 4, "{language}: {wrong} of {others} others are found");
        }
    }

    #[test]
    fn each_kind_is_recognized_and_questions_are_not_statements() {
        for (kind, text) in SAID {
            assert_eq!(best(text, None).map(|it| it.kind), Some(kind), "{text}");
            assert_eq!(of_cue(cue_of(text, None)).map(|it| it.0), Some(kind), "{text}");
            let mixed = format!("What do you think? {text} Thanks, that helps.");
            assert_eq!(find(&mixed, None).len(), 1, "{mixed}");
            assert_eq!(best(&mixed, None).map(|it| it.sentence), Some(text.to_owned()));
            assert_eq!(best(&text.replace([',', '.'], "?"), None), None);
        }
        assert_eq!(find("Please fix the failing test in the parser.", None), []);
        assert_eq!((cue_of("", None), of_cue(0)), (0, None));
    }

    fn cue_of(text: &str, language: Option<Language>) -> u8 {
        best(text, language).map_or(0, |best| cue(&best))
    }

    #[test]
    fn a_label_makes_a_line_a_statement_in_each_language() {
        let labeled = [
            "HARD CONSTRAINT: Conference spending ceiling is $350.",
            "**Rule:** no tabs at all",
            "- Goal: ship the importer in May",
            "Regel: keine Tabulatoren",
            "Règle : pas de tabulations",
            "Preferencia: respuestas cortas",
            "Restrição: sem rede externa",
            "Scadenza: il 3 maggio",
            "Правило: без табуляций",
            "ルール：タブを使わない",
            "规则：不用制表符",
        ];
        for text in labeled {
            for language in [detect(text), None] {
                assert!(classify(text, language).is_some(), "{text}");
            }
            assert!(find(text, None).iter().all(|it| it.score >= SUREST), "{text}");
            assert_eq!(find(&format!("> {text}"), None), [], "{text}");
            assert_eq!(classify(&format!("{text}?"), None), None);
        }
        let unlabeled = [
            "Note: the test failed",
            "The test broke because of one important rule: it ran twice",
            "Rule 10:30 failed",
        ];
        for text in unlabeled {
            assert!(!has_label(text), "{text}");
        }
    }

    properties! {
        /// The cues of a user's text are those of both kinds.
        #[test]
        fn a_users_text_has_both_kinds_of_cues(text in any::<String>(), which in 0_usize..SAID.len(), mark in "[ .;…\"?]{1,3}") {
            for said in ["from now on", "we moved it", SAID[which].1] {
                let text = format!("{text}{mark}{said}");
                let found = cues_of_user(&text, &runs(&text, usize::MAX), None, None);
                prop_assert_eq!(found, cues(&text, None) | cue_of(&text, None));
            }
        }

        /// The other cue bits are 0, and nothing panics.
        #[test]
        fn any_text_has_a_cue(text in any::<String>(), other in "[ -~]{0,80}") {
            for text in [text, other] {
                prop_assert_eq!(cue_of(&text, None) & 3, 0);
                let (of_cue, best) = (of_cue(cue_of(&text, None)), best(&text, None));
                prop_assert_eq!(of_cue.map(|it| it.0), best.as_ref().map(|it| it.kind));
                // A cue says the same as `find`, and only the surest score is the surest.
                let found = find(&text, None);
                prop_assert!(found.iter().all(|it| it.score > 0.0));
                prop_assert_eq!(of_cue.is_some_and(|it| it.1 > 0.0), !found.is_empty());
                prop_assert_eq!(
                    of_cue.is_some_and(|it| it.1 >= SUREST),
                    best.is_some_and(|it| it.score >= SUREST),
                );
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
            prop_assert_eq!(cue_of(&text, None), 0);
        }
    }
}
