//! Estimates token counts where no vocabulary is at hand.
//!
//! What is estimated is the count in `o200k_base`, of which the exact pieces are known without a vocabulary. Most
//! pieces are one token; a piece costs more the less its letters look like a common word's, and by its script.
//! The costs were fitted by least squares to exact counts of 18 MB of text: conversations, code, JSON, Markdown,
//! random bytes as text, emoji, and 55 languages.
//!
//! Errors of the total against exact counts, on halves of those texts and on kinds of text that were kept out of
//! the fit; positive is too high:
//!
//! @@ERRORS@@
//!
//! Everything is integers, so that every host comes to the same estimate, and takes one pass.

use super::EncodingName;
use super::classes::{Class, class_of};
use super::pretokenizer::{decode, piece_end};

/// Costs are in hundredths of a token.
const TOKEN: u64 = 100;
/// A symbol before a word, in one piece with it: `(word`. A space there costs nothing.
const LEADING_SYMBOL: u64 = 25;
/// A dash, quotation mark or the like before a word.
const LEADING_TYPOGRAPHY: u64 = 19;
/// Any other character before a word.
const LEADING_OTHER: u64 = 119;
/// An ASCII symbol after a character that it does not repeat.
const NEXT_SYMBOL: u64 = 18;
/// A capital after a capital, beside what the pair costs.
const NEXT_CAPITAL: u64 = 10;
/// What [`FIRST`] and [`LAST`] count from, so that they can lower the cost of a word and be unsigned.
const EDGE: u64 = 30;

/// The estimated number of tokens in a text: at least one if there is any text.
pub(super) fn count(text: &str) -> u64 {
    count_until(text, u64::MAX).unwrap_or(u64::MAX)
}

/// The estimated number of tokens in a text; None if it is more than `limit`.
pub(super) fn count_until(text: &str, limit: u64) -> Option<u64> {
    let text = text.as_bytes();
    let (mut cost, mut start) = (0, 0);
    while start < text.len() {
        let end = piece_end(EncodingName::O200kBase, text, start);
        cost += piece_cost(&text[start..end]);
        start = end;
        if rounded(cost) > limit {
            return None;
        }
    }
    Some(rounded(cost))
}

/// A cost in whole tokens, none only for no text.
fn rounded(cost: u64) -> u64 {
    ((cost + TOKEN / 2) / TOKEN).max(cost.min(1))
}

/// What a piece costs: at least 40.
fn piece_cost(piece: &[u8]) -> u64 {
    let mut cost = TOKEN;
    let (leader, width) = character(piece, 0);
    let mut at = 0;
    if width < piece.len() {
        if leader == u32::from(b' ') {
            at = width;
        } else if !is_of_words(leader) && is_of_words(character(piece, width).0) {
            at = width;
            cost += match script_of(leader) {
                None => LEADING_SYMBOL,
                Some(Script::Typography) => LEADING_TYPOGRAPHY,
                Some(_) => LEADING_OTHER,
            };
        }
    }

    let letters = piece[at..]
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    if let [first, .., last] = &piece[at..at + letters] {
        if piece.get(at + letters).is_none_or(u8::is_ascii) {
            cost = cost + u64::from(LAST[letter(*last)]) - EDGE;
            if letters > 2 {
                cost = cost + u64::from(FIRST[letter(*first)]) - EDGE;
            }
        }
    }

    let mut before = None;
    while at < piece.len() {
        let (code_point, width) = character(piece, at);
        let script = script_of(code_point);
        cost += match (script, before) {
            (Some(script), None) => COSTS[script as usize].first,
            (Some(script), Some((before, _))) if before == Some(script) => {
                COSTS[script as usize].following
            }
            (Some(script), Some(_)) => COSTS[script as usize].entered,
            (None, None) => 0,
            (None, Some((_, before))) => ascii_cost(before, piece[at]),
        };
        before = Some((script, piece[at]));
        at += width;
    }
    cost
}

/// What an ASCII character costs after a byte of the character before it.
fn ascii_cost(before: u8, byte: u8) -> u64 {
    if byte.is_ascii_alphabetic() {
        if !before.is_ascii_alphabetic() {
            return 0;
        }
        let pair = u64::from(PAIRS[letter(before)][letter(byte)]);
        let both = before.is_ascii_uppercase() && byte.is_ascii_uppercase();
        return if both { pair + NEXT_CAPITAL } else { pair };
    }
    if byte == before || byte.is_ascii_digit() || byte.is_ascii_whitespace() {
        0
    } else {
        NEXT_SYMBOL
    }
}

/// A letter's place in the alphabet, from 0.
fn letter(byte: u8) -> usize {
    usize::from(byte.to_ascii_lowercase() - b'a').min(25)
}

/// The character at an offset, and its width in bytes.
fn character(piece: &[u8], at: usize) -> (u32, usize) {
    match piece.get(at) {
        Some(byte) if byte.is_ascii() => (u32::from(*byte), 1),
        _ => decode(piece, at),
    }
}

/// Whether a character can be within a word.
fn is_of_words(code_point: u32) -> bool {
    let class = class_of(code_point);
    class.is_letter() || class == Class::Mark
}

/// The script or kind of a character beyond ASCII; None for ASCII.
fn script_of(code_point: u32) -> Option<Script> {
    let after = BLOCKS.partition_point(|(start, _)| *start <= code_point);
    BLOCKS[..after].last().map(|(_, script)| *script)
}

/// What a character of a script costs.
struct Costs {
    /// As the first of a piece or after its leader, beside the piece's own cost.
    first: u64,
    /// After a character of another script, or of ASCII.
    entered: u64,
    /// After a character of the same script.
    following: u64,
}

const fn costs(first: u64, entered: u64, following: u64) -> Costs {
    Costs {
        first,
        entered,
        following,
    }
}

/// A script, or a kind of symbols.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    /// Symbols of Latin-1: `«`, `©`, `½`.
    LatinSymbol,
    /// Latin letters beyond ASCII.
    Latin,
    /// Latin letters with two diacritics, most of them Vietnamese.
    Vietnamese,
    /// Combining marks of no script of their own.
    Mark,
    /// Greek.
    Greek,
    /// The letters of the Russian alphabet.
    Cyrillic,
    /// Cyrillic letters of other alphabets.
    OtherCyrillic,
    /// Armenian.
    Armenian,
    /// Georgian.
    Georgian,
    /// Hebrew.
    Hebrew,
    /// Arabic, also as Persian and Urdu write it.
    Arabic,
    /// Devanagari: Hindi, Marathi.
    Devanagari,
    /// Bengali.
    Bengali,
    /// Tamil.
    Tamil,
    /// Other scripts of India: Gujarati, Telugu.
    OtherIndic,
    /// Thai.
    Thai,
    /// Lao, Burmese, Khmer; Tibetan.
    SouthEastAsian,
    /// Chinese characters.
    Han,
    /// Hiragana.
    Hiragana,
    /// Katakana.
    Katakana,
    /// Hangul syllables.
    Hangul,
    /// Punctuation of Chinese and Japanese, full and half width forms.
    EastAsianPunctuation,
    /// Invisible and rare general punctuation.
    Punctuation,
    /// Dashes, quotation marks, bullets, the ellipsis.
    Typography,
    /// Arrows, mathematics, boxes, dingbats.
    Symbol,
    /// Emoji.
    Emoji,
    /// Regional indicators: two make a flag.
    Flag,
    /// Skin tones of emoji.
    SkinTone,
    /// Variation selectors.
    Selector,
    /// The zero-width joiner.
    Joiner,
    /// All else of the basic plane.
    Rare,
    /// All else beyond it.
    RareBeyond,
}

/// By script, in the order of [`Script`].
static COSTS: [Costs; 32] = [
    costs(132, 190, 5),   // LatinSymbol
    costs(48, 64, 8),     // Latin
    costs(37, 0, 71),     // Vietnamese
    costs(71, 157, 120),  // Mark
    costs(0, 71, 28),     // Greek
    costs(37, 51, 8),     // Cyrillic
    costs(59, 117, 53),   // OtherCyrillic
    costs(2, 72, 17),     // Armenian
    costs(0, 73, 21),     // Georgian
    costs(0, 70, 28),     // Hebrew
    costs(0, 161, 19),    // Arabic
    costs(0, 73, 20),     // Devanagari
    costs(6, 70, 24),     // Bengali
    costs(0, 75, 28),     // Tamil
    costs(0, 67, 45),     // OtherIndic
    costs(26, 70, 40),    // Thai
    costs(0, 63, 58),     // SouthEastAsian
    costs(19, 138, 83),   // Han
    costs(0, 73, 52),     // Hiragana
    costs(0, 48, 50),     // Katakana
    costs(10, 59, 58),    // Hangul
    costs(0, 54, 54),     // EastAsianPunctuation
    costs(123, 125, 50),  // Punctuation
    costs(62, 33, 52),    // Typography
    costs(0, 0, 11),      // Symbol
    costs(236, 0, 153),   // Emoji
    costs(139, 77, 145),  // Flag
    costs(150, 11, 150),  // SkinTone
    costs(30, 112, 100),  // Selector
    costs(54, 230, 60),   // Joiner
    costs(120, 202, 217), // Rare
    costs(98, 250, 250),  // RareBeyond
];

/// The first code point of each block, which reaches to the next one's.
#[rustfmt::skip]
static BLOCKS: [(u32, Script); 54] = [
    (0x0080, Script::LatinSymbol), (0x00c0, Script::Latin), (0x0300, Script::Mark),
    (0x0370, Script::Greek), (0x0400, Script::OtherCyrillic), (0x0401, Script::Cyrillic),
    (0x0402, Script::OtherCyrillic), (0x0410, Script::Cyrillic), (0x0450, Script::OtherCyrillic),
    (0x0451, Script::Cyrillic), (0x0452, Script::OtherCyrillic), (0x0530, Script::Armenian),
    (0x0590, Script::Hebrew), (0x0600, Script::Arabic), (0x0780, Script::Rare),
    (0x0900, Script::Devanagari), (0x0980, Script::Bengali), (0x0a00, Script::OtherIndic),
    (0x0b80, Script::Tamil), (0x0c00, Script::OtherIndic), (0x0e00, Script::Thai),
    (0x0e80, Script::SouthEastAsian), (0x10a0, Script::Georgian), (0x1100, Script::Rare),
    (0x1780, Script::SouthEastAsian), (0x1800, Script::Rare), (0x1e00, Script::Vietnamese),
    (0x1f00, Script::Greek), (0x2000, Script::Punctuation), (0x200d, Script::Joiner),
    (0x200e, Script::Punctuation), (0x2010, Script::Typography), (0x2028, Script::Punctuation),
    (0x2070, Script::Symbol), (0x2c00, Script::Rare), (0x3000, Script::EastAsianPunctuation),
    (0x3040, Script::Hiragana), (0x30a0, Script::Katakana), (0x3100, Script::Rare),
    (0x4e00, Script::Han), (0xa000, Script::Rare), (0xac00, Script::Hangul), (0xd7b0, Script::Rare),
    (0xfe00, Script::Selector), (0xfe10, Script::Rare), (0xff00, Script::EastAsianPunctuation),
    (0xfff0, Script::Rare), (0x10000, Script::RareBeyond), (0x1f000, Script::Emoji),
    (0x1f1e6, Script::Flag), (0x1f200, Script::Emoji), (0x1f3fb, Script::SkinTone),
    (0x1f400, Script::Emoji), (0x1fb00, Script::RareBeyond),
];

/// What each letter costs after each: a row for the letter before, a column for the one after. What is common in
/// words costs little.
#[rustfmt::skip]
static PAIRS: [[u8; 26]; 26] = [
    [74, 30, 8, 0, 107, 50, 16, 46, 14, 32, 13, 3, 8, 14, 113, 2, 180, 12, 14, 8, 20, 18, 35, 51, 2, 53], // a
    [44, 63, 45, 72, 14, 72, 61, 148, 39, 0, 153, 0, 22, 99, 7, 116, 109, 5, 5, 37, 29, 36, 94, 65, 7, 114], // b
    [13, 62, 33, 83, 7, 68, 109, 0, 0, 36, 13, 0, 27, 27, 4, 68, 84, 17, 113, 0, 0, 79, 96, 59, 23, 21], // c
    [0, 58, 62, 55, 4, 65, 48, 87, 0, 53, 79, 23, 70, 34, 7, 93, 80, 56, 9, 46, 21, 46, 66, 61, 18, 118], // d
    [22, 23, 0, 1, 25, 0, 42, 52, 8, 10, 68, 38, 10, 0, 6, 43, 0, 0, 0, 30, 33, 29, 0, 0, 23, 90], // e
    [9, 68, 80, 48, 24, 14, 70, 103, 16, 115, 33, 17, 84, 2, 27, 83, 92, 17, 30, 0, 0, 90, 69, 92, 25, 132], // f
    [44, 83, 58, 104, 9, 105, 56, 9, 14, 81, 43, 41, 17, 8, 20, 113, 149, 3, 23, 97, 38, 33, 96, 115, 45, 91], // g
    [28, 52, 91, 88, 30, 127, 39, 95, 17, 106, 54, 98, 33, 10, 0, 101, 99, 15, 75, 0, 32, 186, 105, 105, 58, 102], // h
    [34, 22, 8, 0, 57, 10, 16, 57, 63, 0, 51, 41, 32, 8, 0, 32, 74, 22, 31, 0, 230, 0, 32, 60, 79, 62], // i
    [51, 114, 108, 79, 5, 57, 110, 0, 46, 109, 0, 167, 84, 0, 36, 120, 107, 144, 12, 142, 23, 49, 109, 125, 106, 123], // j
    [41, 95, 107, 44, 11, 47, 65, 97, 0, 106, 43, 55, 92, 11, 88, 104, 88, 58, 20, 57, 49, 195, 19, 114, 30, 133], // k
    [13, 45, 74, 17, 6, 0, 9, 0, 0, 68, 46, 19, 69, 56, 14, 0, 0, 51, 61, 30, 29, 25, 101, 137, 0, 216], // l
    [14, 0, 116, 53, 2, 87, 83, 183, 20, 74, 119, 44, 28, 134, 17, 0, 106, 53, 31, 15, 8, 99, 37, 98, 21, 94], // m
    [11, 98, 0, 11, 20, 0, 0, 0, 19, 23, 49, 48, 26, 30, 27, 16, 49, 48, 0, 0, 43, 37, 72, 92, 31, 99], // n
    [109, 30, 12, 0, 31, 5, 31, 38, 4, 32, 46, 39, 29, 0, 29, 0, 12, 13, 12, 19, 0, 16, 9, 68, 0, 96], // o
    [15, 95, 72, 58, 16, 69, 76, 2, 52, 95, 130, 0, 51, 96, 2, 21, 77, 0, 56, 23, 13, 108, 75, 74, 6, 158], // p
    [184, 105, 81, 108, 187, 123, 129, 118, 82, 90, 128, 48, 104, 109, 160, 98, 0, 89, 45, 77, 0, 94, 121, 107, 90, 109], // q
    [17, 97, 16, 25, 7, 2, 0, 42, 12, 38, 39, 51, 18, 10, 0, 71, 82, 37, 0, 0, 37, 22, 37, 115, 12, 83], // r
    [37, 90, 4, 57, 18, 0, 74, 4, 22, 69, 99, 77, 50, 55, 17, 17, 107, 45, 0, 11, 20, 48, 29, 67, 26, 74], // s
    [41, 9, 6, 43, 14, 69, 93, 2, 0, 130, 68, 26, 15, 61, 0, 4, 92, 0, 41, 45, 32, 65, 12, 89, 0, 138], // t
    [0, 49, 0, 41, 0, 19, 18, 25, 22, 55, 21, 29, 4, 33, 37, 12, 121, 7, 34, 15, 50, 85, 0, 0, 40, 114], // u
    [22, 114, 70, 139, 0, 106, 57, 78, 19, 68, 26, 77, 16, 74, 0, 77, 89, 72, 116, 103, 86, 155, 73, 85, 83, 9], // v
    [8, 78, 92, 55, 0, 106, 69, 0, 7, 113, 104, 117, 191, 24, 0, 80, 102, 18, 32, 125, 126, 82, 47, 81, 59, 58], // w
    [16, 147, 0, 102, 92, 115, 163, 84, 0, 108, 167, 109, 36, 104, 120, 0, 86, 112, 4, 8, 162, 0, 117, 0, 59, 201], // x
    [22, 84, 91, 122, 27, 79, 131, 123, 41, 128, 139, 61, 44, 33, 26, 10, 113, 62, 14, 31, 119, 182, 26, 111, 68, 94], // y
    [16, 34, 84, 74, 0, 98, 59, 76, 0, 21, 151, 85, 77, 47, 18, 51, 90, 105, 102, 53, 12, 62, 85, 91, 0, 103], // z
];

/// What a word's first letter adds, from `a` to `z`, less [`EDGE`]; for words of at least three letters.
#[rustfmt::skip]
static FIRST: [u8; 26] =
    [19, 0, 5, 2, 20, 0, 12, 0, 7, 0, 0, 8, 6, 21, 17, 9, 34, 0, 0, 0, 5, 19, 10, 20, 3, 24];

/// What a word's last letter adds, less [`EDGE`]; for words of at least two letters.
#[rustfmt::skip]
static LAST: [u8; 26] =
    [19, 12, 19, 0, 5, 5, 0, 11, 73, 30, 0, 1, 18, 19, 15, 28, 44, 5, 0, 10, 26, 49, 24, 1, 0, 13];
