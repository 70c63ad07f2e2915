//! Finds the runs of letters and digits in a text, once for all of its readers.
//!
//! Most runs are plain words. Each reader takes such a word from the list and reads everything else itself.

use crate::hash;

/// A run of ASCII letters, digits and non-ASCII characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The place of its first byte.
    pub(crate) start: usize,
    /// The place after its last byte.
    pub(crate) end: usize,
    /// The hash of its bytes, with small ASCII letters.
    pub(crate) hash: u32,
    /// A longer hash of the same bytes.
    pub(crate) key: u64,
    /// The kinds of its bytes. A capital at its beginning doesn't count.
    kinds: u8,
}

impl Run {
    /// True if it is ASCII.
    pub(crate) fn is_ascii(&self) -> bool {
        self.kinds & FOREIGN == 0
    }

    /// True if it has only ASCII letters.
    pub(crate) fn is_letters(&self) -> bool {
        self.kinds & (FOREIGN | DIGIT) == 0
    }

    /// True if it is ASCII, and has no capital except at its beginning.
    pub(crate) fn is_plain(&self) -> bool {
        self.kinds & (FOREIGN | CAPITAL) == 0
    }
}

/// For each byte, the byte of the small letter; 0 if it separates runs.
const SMALL: [u8; 256] = {
    let mut small = [0; 256];
    let mut byte = u8::MAX;
    while byte > 0 {
        if byte.is_ascii_alphanumeric() || !byte.is_ascii() {
            small[byte as usize] = byte.to_ascii_lowercase();
        }
        byte -= 1;
    }
    small
};

/// True if a byte separates runs.
pub(crate) fn is_between(byte: u8) -> bool {
    SMALL[usize::from(byte)] == 0
}

/// The bits of a byte's kind: a capital, a digit, no ASCII.
const CAPITAL: u8 = 1;
const DIGIT: u8 = 2;
const FOREIGN: u8 = 4;
const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = u8::MAX;
    while byte > 0 {
        kinds[byte as usize] = match byte {
            b'A'..=b'Z' => CAPITAL,
            b'0'..=b'9' => DIGIT,
            0x80.. => FOREIGN,
            _ => 0,
        };
        byte -= 1;
    }
    kinds
};

/// The initial value of a key, and the factor for each of its bytes: those of FNV-1a with 64 bits.
const KEY_START: u64 = 0xCBF2_9CE4_8422_2325;
const KEY_FACTOR: u64 = 0x0100_0000_01B3;

/// The first `most` runs of a text, in order.
#[must_use]
pub fn runs(text: &str, most: usize) -> Vec<Run> {
    /// Approximate bytes of text per run.
    const BYTES: usize = 5;
    let bytes = text.as_bytes();
    let mut runs = Vec::with_capacity(most.min(bytes.len() / BYTES + 1));
    let mut at = 0;
    while let Some(byte) = bytes.get(at).filter(|_| runs.len() < most) {
        let start = at;
        at += 1;
        let small = SMALL[usize::from(*byte)];
        if small == 0 {
            continue;
        }
        let with_byte = |(hash, key): (u32, u64), small: u8| {
            (hash::with_byte(hash, small), (key ^ u64::from(small)).wrapping_mul(KEY_FACTOR))
        };
        let mut hashes = with_byte((hash::START, KEY_START), small);
        let mut kinds = KINDS[usize::from(*byte)] & !CAPITAL;
        while let Some(byte) = bytes.get(at) {
            let small = SMALL[usize::from(*byte)];
            if small == 0 {
                break;
            }
            hashes = with_byte(hashes, small);
            kinds |= KINDS[usize::from(*byte)];
            at += 1;
        }
        let (hash, key) = hashes;
        runs.push(Run { start, end: at, hash, key, kinds });
        at += 1; // the next byte separates runs
    }
    runs
}

/// The run that begins at a place, if it is in a list. Drops the runs before it from the list.
pub(crate) fn run_at<'a>(runs: &mut &'a [Run], place: usize) -> Option<&'a Run> {
    while let Some((first, rest)) = runs.split_first() {
        if first.start >= place {
            return (first.start == place).then_some(first);
        }
        *runs = rest;
    }
    None
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use crate::detect::{detect, detect_in};
    use crate::lists::hash_of;
    use crate::terms;
    use crate::terms::Analyzer;
    use proptest::prelude::*;
    use windrow_property::properties;

    const PIECES: &[&str] = &[
        "the",
        "The",
        "iPhone",
        "I",
        "a",
        "don't",
        "what",
        "ORD-12",
        "7",
        "é",
        "’",
        "_",
        ".",
        ", ",
        " ",
        " ",
        " ",
        "  ",
        "\n",
        "/",
        "@",
        "?",
        "从",
        "from now on",
        "May",
        "x.y",
        "Straße",
        "\"",
    ];

    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            20 => prop::sample::select(PIECES).prop_map(str::to_owned),
            1 => any::<String>(),
        ];
        prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
    }

    properties! {
        #[test]
        fn runs_are_found_by_definition(text in text(), most in 0_usize..20) {
            let is_part = |letter: char| letter.is_ascii_alphanumeric() || !letter.is_ascii();
            let wanted = text.split(|letter| !is_part(letter)).filter(|run| !run.is_empty());
            let found = runs(&text, most);
            prop_assert_eq!(found.len(), wanted.clone().take(most).count());
            for (run, wanted) in found.iter().zip(wanted) {
                prop_assert_eq!(&text[run.start..run.end], wanted);
                prop_assert_eq!(run.hash, hash_of(&wanted.to_ascii_lowercase()));
                prop_assert_eq!(run.is_ascii(), wanted.is_ascii());
                prop_assert_eq!(run.is_letters(), wanted.bytes().all(|it| it.is_ascii_alphabetic()));
                let rest = wanted.chars().skip(1).collect::<String>();
                let is_plain = wanted.is_ascii() && !rest.contains(char::is_uppercase);
                prop_assert_eq!(run.is_plain(), is_plain);
            }
        }

        /// Words from a list are read like words that a reader finds itself.
        #[test]
        fn a_list_changes_nothing(text in text()) {
            let runs = runs(&text, usize::MAX);
            prop_assert_eq!(detect_in(&text, &runs), detect_in(&text, &[]));
            prop_assert_eq!(detect_in(&text, &runs), detect(&text));
            for language in [None, detect(&text)] {
                let terms = |runs| {
                    let mut found = Vec::new();
                    Analyzer::new().document(&text, runs, language, &mut |term| found.push(term));
                    found
                };
                prop_assert_eq!(terms(&runs), terms(&[]));
                let is_question = |runs| terms::is_question(&text, runs, language);
                prop_assert_eq!(is_question(&runs), is_question(&[]));
            }
        }
    }
}
