//! Estimates token counts without a vocabulary.
//!
//! The estimate is for `o200k_base`, whose exact pieces are known without a vocabulary. Most pieces are one token. A
//! piece costs more if its letters look less like a common word's, and its script matters too. The costs were fitted by
//! least squares to exact counts of 11 MB of text: conversations, code, JSON, Markdown, random bytes as text, emoji,
//! and about sixty languages.
//!
//! Measured errors of the total, in percent of the exact count; positive is too high. The texts come from the same
//! sources as the fitted ones but are different texts. Those marked * come from sources that aren't in the fit.
//!
//! | text | error |
//! |---|---|
//! | English conversations, meetings, chat rooms | −1.5 to +2.3 |
//! | English with typographic quotes, bullets, emoji | +1.8 to +4.2 |
//! | English documentation\* and Markdown | −0.2 to +2.3 |
//! | Rust, Python, C, JavaScript, TypeScript, shell, HTML and CSS | +0.3 to +4.4 |
//! | Perl\*, C++\*, Lua and Tcl\*, XML\* | −1.5 to +2.7 |
//! | minified JavaScript | −5.4 |
//! | JSON, YAML, TOML, logs, tables of numbers | +0.6 to +2.4 |
//! | base64, hexadecimal, UUIDs | +0.1 to +1.5 |
//! | emoji | −1.4 to +9.5 |
//! | German, French, Spanish, Portuguese, Italian, Dutch, Polish, Turkish, Vietnamese | −5.8 to +7.4 |
//! | Chinese | −6.8 (legal) to +4.5 |
//! | Japanese | −4.8 to +5.4 |
//! | Korean, Thai | −4.5 to +4.0 |
//! | Russian, Ukrainian | −4.1 to +7.6 |
//! | Arabic, Hebrew, Persian | −8.1 to +5.7, labels of programs −15 |
//! | Hindi | +4 to +7, labels of programs −10 |
//! | languages with few texts, such as Marathi, Tamil, Urdu, Kazakh | −37 to +48 |
//!
//! `docs/tokens.md` has the errors by script for all tokenizers, as `npm run estimates` measures them.
//!
//! A single message is off by 3 to 7 % on average in English and by 10 to 15 % in other languages: everyday phrases in
//! Chinese, Korean, Hindi and Thai are over-estimated, by a third at worst, and terse labels under-estimated.
//!
//! It takes one pass with integers only, so every host gets the same estimate.

use super::model::Tokenizer;
use windrow_encoding::classes::{Class, class_of};
use windrow_encoding::pretokenizer::{Pieces, decode, piece_end};

/// Costs are in hundredths of a token.
const TOKEN: u64 = 100;
/// A symbol before a word in the same piece: `(word`. A space there costs nothing.
const LEADING_SYMBOL: u64 = 26;
/// A dash, quotation mark or the like before a word.
const LEADING_TYPOGRAPHY: u64 = 29;
/// Any other character before a word.
const LEADING_OTHER: u64 = 0;
/// An ASCII symbol that differs from the character before it.
const NEXT_SYMBOL: u64 = 17;
/// A capital after a capital, in addition to the pair's cost.
const NEXT_CAPITAL: u64 = 9;
/// A piece of white space, or of one repeated symbol, costs at least one token per this many bytes.
const LONGEST_RUN: u64 = 64;
/// Base of [`FIRST`] and [`LAST`], so that they can lower the cost of a word and still be unsigned.
const EDGE: u64 = 30;

/// The estimated number of tokens in a text: at least one if there is any text.
pub(super) fn count(text: &str, tokenizer: Tokenizer) -> u64 {
    count_until(text, tokenizer, u64::MAX).unwrap_or(u64::MAX)
}

/// The estimated number of tokens in a text; None if it is more than `limit`.
pub(super) fn count_until(text: &str, tokenizer: Tokenizer, limit: u64) -> Option<u64> {
    let shares = shares_of(tokenizer);
    let mut latin = Latin::default();
    let mut cost = 0;
    for piece in pieces(text.as_bytes()) {
        cost += match shares {
            None => piece_cost(piece),
            Some(shares) => {
                let kind = kind_of(piece);
                let own = own_cost(piece, kind);
                latin.add(kind, own);
                let is_longer = latin_kind(kind) && tokenizer == Tokenizer::ClaudeNewer;
                let newer = if is_longer { NEWER } else { 100 };
                own * u64::from(shares[kind]) * newer / 10_000
            }
        };
        if rounded(cost) > limit {
            return None;
        }
    }
    if let Some(shares) = shares {
        cost += latin.foreign() * u64::from(shares[FOREIGN]) / 100;
    }
    Some(rounded(cost)).filter(|count| *count <= limit)
}

/// Costs of a text's pieces in `o200k_base`, in hundredths of a token, by kind. [`Shares`] are fitted to them.
pub(super) fn costs_by_kind(text: &str) -> [u64; KINDS] {
    let mut costs = [0; KINDS];
    let mut latin = Latin::default();
    for piece in pieces(text.as_bytes()) {
        let kind = kind_of(piece);
        let own = own_cost(piece, kind);
        latin.add(kind, own);
        costs[kind] += own;
    }
    costs[FOREIGN] = latin.foreign();
    costs
}

/// The pieces of a text.
fn pieces(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let end = (start < text.len()).then(|| piece_end(Pieces::O200k, text, start))?;
        let piece = &text[start..end];
        start = end;
        Some(piece)
    })
}

/// The cost of a piece that a share applies to. Each digit counts as a token. In `o200k_base` three are one.
fn own_cost(piece: &[u8], kind: usize) -> u64 {
    if kind == DIGITS { piece.len() as u64 * TOKEN } else { piece_cost(piece) }
}

/// Costs of words of ASCII letters, and of words with other Latin letters.
#[derive(Default)]
struct Latin {
    plain: u64,
    accented: u64,
}

impl Latin {
    fn add(&mut self, kind: usize, cost: u64) {
        if kind == LETTERS {
            self.plain += cost;
        } else if latin_kind(kind) {
            self.accented += cost;
        }
    }

    /// The cost of words of ASCII letters in a text that is hardly English: all of them, if at least one in
    /// [`FOREIGN_ONE_IN`] words has other letters.
    fn foreign(&self) -> u64 {
        self.plain.min(self.accented * FOREIGN_ONE_IN)
    }
}

/// True if pieces of a kind are words in Latin letters.
fn latin_kind(kind: usize) -> bool {
    kind == LETTERS || kind == Script::Latin as usize
}

/// The kind of a piece: the script of its first character beyond ASCII or, without one, ASCII letters, digits, white
/// space or symbols.
fn kind_of(piece: &[u8]) -> usize {
    let mut at = 0;
    while at < piece.len() {
        let (code_point, width) = character(piece, at);
        if let Some(script) = script_of(code_point) {
            return script as usize;
        }
        at += width;
    }
    if piece.iter().any(u8::is_ascii_alphabetic) {
        LETTERS
    } else if piece.iter().any(u8::is_ascii_digit) {
        DIGITS
    } else if piece.iter().all(u8::is_ascii_whitespace) {
        SPACE
    } else {
        SYMBOLS
    }
}

/// A cost in whole tokens; 0 only for an empty text.
fn rounded(cost: u64) -> u64 {
    ((cost + TOKEN / 2) / TOKEN).max(cost.min(1))
}

/// The cost of a piece: at least 40.
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

    let letters = piece[at..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if let [first, .., last] = &piece[at..at + letters]
        && piece.get(at + letters).is_none_or(u8::is_ascii)
    {
        cost = cost + u64::from(LAST[letter(*last)]) - EDGE;
        if letters > 2 {
            cost = cost + u64::from(FIRST[letter(*first)]) - EDGE;
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
    cost.max(piece.len() as u64 * TOKEN / LONGEST_RUN)
}

/// The cost of an ASCII character after a byte of the character before it.
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

/// A letter's position in the alphabet, from 0.
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

/// True if a character can be part of a word.
fn is_of_words(code_point: u32) -> bool {
    let class = class_of(code_point);
    class.is_letter() || class == Class::Mark
}

/// The script or kind of a character beyond ASCII; None for ASCII.
fn script_of(code_point: u32) -> Option<Script> {
    let after = BLOCKS.partition_point(|(start, _)| *start <= code_point);
    BLOCKS[..after].last().map(|(_, script)| *script)
}

/// The costs of a script's characters.
struct Costs {
    /// At the start of a piece or after its leader, in addition to the piece's own cost.
    first: u64,
    /// After a character of another script, or of ASCII.
    entered: u64,
    /// After a character of the same script.
    following: u64,
}

const fn costs(first: u64, entered: u64, following: u64) -> Costs {
    Costs { first, entered, following }
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
    /// Combining marks without a script.
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
    /// Arabic, including Persian and Urdu.
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
    /// Burmese.
    Burmese,
    /// Khmer.
    Khmer,
    /// Lao; Tibetan.
    Lao,
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
    /// Everything else in the basic plane.
    Rare,
    /// Everything else beyond it.
    RareBeyond,
}

/// For each script, in the order of [`Script`].
static COSTS: [Costs; 34] = [
    costs(194, 174, 0),   // LatinSymbol
    costs(19, 56, 3),     // Latin
    costs(0, 0, 71),      // Vietnamese
    costs(70, 172, 120),  // Mark
    costs(0, 70, 27),     // Greek
    costs(0, 83, 14),     // Cyrillic
    costs(23, 129, 0),    // OtherCyrillic
    costs(2, 71, 17),     // Armenian
    costs(0, 71, 20),     // Georgian
    costs(0, 70, 27),     // Hebrew
    costs(0, 185, 18),    // Arabic
    costs(0, 72, 18),     // Devanagari
    costs(0, 70, 23),     // Bengali
    costs(0, 75, 27),     // Tamil
    costs(0, 69, 36),     // OtherIndic
    costs(0, 70, 40),     // Thai
    costs(0, 67, 51),     // Burmese
    costs(0, 67, 58),     // Khmer
    costs(0, 67, 192),    // Lao
    costs(64, 109, 72),   // Han
    costs(5, 122, 46),    // Hiragana
    costs(0, 0, 31),      // Katakana
    costs(0, 75, 63),     // Hangul
    costs(97, 62, 78),    // EastAsianPunctuation
    costs(151, 127, 53),  // Punctuation
    costs(38, 139, 80),   // Typography
    costs(0, 0, 11),      // Symbol
    costs(237, 0, 153),   // Emoji
    costs(139, 76, 144),  // Flag
    costs(150, 10, 150),  // SkinTone
    costs(95, 110, 100),  // Selector
    costs(97, 229, 60),   // Joiner
    costs(158, 201, 235), // Rare
    costs(98, 250, 250),  // RareBeyond
];

/// The first code point of each block, which reaches to the next one's.
#[rustfmt::skip]
static BLOCKS: [(u32, Script); 55] = [
    (0x0080, Script::LatinSymbol), (0x00c0, Script::Latin), (0x0300, Script::Mark),
    (0x0370, Script::Greek), (0x0400, Script::OtherCyrillic), (0x0401, Script::Cyrillic),
    (0x0402, Script::OtherCyrillic), (0x0410, Script::Cyrillic), (0x0450, Script::OtherCyrillic),
    (0x0451, Script::Cyrillic), (0x0452, Script::OtherCyrillic), (0x0530, Script::Armenian),
    (0x0590, Script::Hebrew), (0x0600, Script::Arabic), (0x0780, Script::Rare),
    (0x0900, Script::Devanagari), (0x0980, Script::Bengali), (0x0a00, Script::OtherIndic),
    (0x0b80, Script::Tamil), (0x0c00, Script::OtherIndic), (0x0e00, Script::Thai),
    (0x0e80, Script::Lao), (0x1000, Script::Burmese), (0x10a0, Script::Georgian), (0x1100, Script::Rare),
    (0x1780, Script::Khmer), (0x1800, Script::Rare), (0x1e00, Script::Vietnamese),
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

/// The cost of each pair of letters: a row for the first letter, a column for the second. Pairs that are common in
/// words cost little.
#[rustfmt::skip]
static PAIRS: [[u8; 26]; 26] = [
    [85, 37, 16, 2, 109, 54, 27, 43, 15, 34, 13, 14, 19, 14, 146, 12, 0, 21, 21, 16, 5, 16, 34, 54, 16, 43], // a
    [34, 79, 41, 67, 16, 68, 58, 153, 25, 0, 167, 0, 27, 105, 0, 115, 85, 20, 4, 34, 25, 54, 85, 66, 2, 89], // b
    [6, 62, 40, 85, 1, 71, 102, 0, 0, 17, 24, 0, 23, 53, 12, 78, 88, 12, 96, 0, 0, 73, 92, 61, 20, 11], // c
    [3, 61, 60, 53, 0, 65, 47, 87, 0, 47, 95, 25, 67, 30, 8, 83, 69, 88, 6, 51, 24, 41, 76, 57, 21, 134], // d
    [22, 42, 0, 2, 24, 4, 54, 65, 19, 31, 78, 40, 2, 4, 6, 36, 0, 5, 0, 35, 34, 19, 0, 0, 23, 98], // e
    [0, 69, 69, 46, 25, 8, 73, 111, 4, 106, 41, 17, 81, 22, 28, 73, 77, 16, 35, 4, 0, 99, 67, 81, 90, 117], // f
    [47, 76, 72, 111, 1, 104, 50, 0, 3, 75, 31, 24, 8, 0, 28, 110, 136, 10, 37, 89, 32, 34, 89, 108, 57, 82], // g
    [21, 49, 87, 78, 25, 137, 40, 99, 7, 105, 45, 114, 28, 14, 0, 115, 86, 19, 80, 0, 54, 174, 115, 106, 48, 91], // h
    [26, 40, 13, 2, 58, 12, 23, 62, 90, 0, 51, 48, 36, 13, 0, 36, 61, 28, 31, 0, 241, 0, 12, 63, 105, 76], // i
    [57, 109, 111, 68, 1, 59, 110, 0, 60, 114, 0, 187, 91, 1, 38, 118, 94, 155, 19, 142, 35, 55, 118, 116, 102, 121], // j
    [43, 102, 108, 64, 7, 46, 59, 0, 0, 117, 55, 72, 115, 5, 87, 94, 76, 59, 21, 55, 55, 250, 16, 105, 31, 119], // k
    [13, 41, 75, 20, 3, 0, 0, 0, 0, 44, 48, 8, 81, 65, 5, 0, 0, 50, 62, 0, 43, 21, 91, 123, 0, 156], // l
    [7, 0, 124, 62, 0, 79, 85, 184, 32, 71, 119, 59, 20, 145, 26, 0, 96, 63, 38, 14, 13, 108, 28, 90, 21, 97], // m
    [12, 15, 0, 11, 17, 1, 0, 0, 25, 15, 48, 44, 11, 35, 28, 18, 43, 26, 0, 0, 36, 55, 66, 77, 27, 92], // n
    [77, 22, 25, 0, 26, 11, 41, 26, 0, 43, 58, 53, 28, 0, 26, 0, 26, 16, 24, 23, 0, 24, 6, 73, 0, 107], // o
    [8, 91, 75, 56, 27, 61, 76, 4, 57, 99, 130, 0, 57, 97, 3, 6, 63, 0, 67, 41, 8, 110, 75, 73, 17, 140], // p
    [216, 108, 81, 125, 173, 134, 132, 126, 116, 98, 133, 44, 106, 114, 177, 97, 21, 94, 134, 125, 0, 97, 108, 113, 90, 99], // q
    [10, 115, 15, 16, 8, 0, 3, 35, 9, 39, 36, 39, 1, 0, 0, 76, 85, 23, 10, 0, 25, 0, 31, 104, 6, 66], // r
    [19, 0, 14, 46, 16, 24, 52, 0, 16, 75, 104, 79, 52, 64, 21, 4, 108, 56, 3, 8, 10, 71, 44, 51, 19, 77], // s
    [28, 16, 14, 43, 5, 66, 99, 7, 0, 138, 60, 28, 13, 69, 7, 5, 78, 0, 40, 45, 52, 65, 13, 82, 0, 120], // t
    [0, 43, 6, 38, 0, 18, 21, 23, 8, 44, 18, 35, 0, 40, 56, 16, 119, 3, 29, 14, 45, 102, 0, 0, 0, 128], // u
    [30, 112, 62, 144, 1, 99, 54, 89, 2, 68, 39, 100, 26, 76, 0, 67, 72, 103, 105, 95, 94, 158, 58, 74, 98, 24], // v
    [4, 80, 94, 71, 0, 110, 78, 2, 8, 112, 106, 119, 205, 32, 0, 79, 88, 25, 43, 127, 122, 84, 49, 70, 48, 57], // w
    [10, 148, 0, 95, 86, 121, 140, 80, 0, 105, 181, 103, 26, 102, 129, 0, 73, 120, 36, 10, 143, 0, 105, 0, 55, 96], // x
    [24, 107, 83, 130, 36, 120, 191, 116, 25, 119, 153, 75, 48, 43, 33, 2, 99, 81, 20, 46, 153, 220, 35, 106, 67, 88], // y
    [21, 43, 82, 94, 6, 94, 65, 81, 0, 32, 147, 111, 68, 50, 15, 57, 84, 112, 121, 75, 14, 136, 35, 94, 0, 96], // z
];

/// Cost that a word's first letter adds, from `a` to `z`, minus [`EDGE`]; for words of at least three letters.
#[rustfmt::skip]
static FIRST: [u8; 26] =
    [14, 0, 0, 0, 21, 0, 9, 0, 7, 0, 0, 4, 2, 19, 15, 2, 32, 0, 0, 0, 2, 7, 8, 30, 0, 15];

/// Cost that a word's last letter adds, minus [`EDGE`]; for words of at least two letters.
#[rustfmt::skip]
static LAST: [u8; 26] =
    [20, 12, 19, 0, 8, 0, 0, 9, 71, 25, 0, 2, 13, 15, 13, 28, 62, 2, 0, 10, 25, 48, 30, 16, 0, 27];

/// Kinds of pieces after the scripts: ASCII letters, digits, white space, or symbols.
const LETTERS: usize = 34;
const DIGITS: usize = 35;
const SPACE: usize = 36;
const SYMBOLS: usize = 37;
/// The surcharge for words of ASCII letters in a text that is hardly English.
const FOREIGN: usize = 38;
pub(super) const KINDS: usize = 39;

/// Costs of pieces in another tokenizer, in percent of their costs in `o200k_base`: for each script in the order of
/// [`Script`], then for letters, digits, white space and symbols. The value for digits is the percentage of a token per
/// digit. The last value is added for [`Latin::foreign`]. `npm run estimates` fits them.
type Shares = [u16; KINDS];

/// The shares of a tokenizer; None for `o200k_base`.
fn shares_of(tokenizer: Tokenizer) -> Option<&'static Shares> {
    match tokenizer {
        Tokenizer::O200k => None,
        Tokenizer::Claude | Tokenizer::ClaudeNewer => Some(&CLAUDE),
        Tokenizer::Gemma2 => Some(&GEMMA_2),
        Tokenizer::Gemma3 => Some(&GEMMA_3),
        Tokenizer::Qwen => Some(&QWEN),
        Tokenizer::Llama3 => Some(&LLAMA_3),
        Tokenizer::DeepseekV3 => Some(&DEEPSEEK_V3),
        Tokenizer::Tekken => Some(&TEKKEN),
    }
}

/// Claude up to 4.6, fitted to the tokenizer of Claude 2, which Anthropic published (`@anthropic-ai/tokenizer`).
#[rustfmt::skip]
static CLAUDE: Shares = [
    50, 163, 363, 50, 322, 197, 163, 722, 442, 238, 305, 383,
    559, 613, 566, 407, 182, 503, 164, 97, 121, 154, 186, 151,
    466, 50, 50, 100, 100, 100, 100, 100, 100, 100,
    113, 48, 104, 99, 20,
];

/// Gemini up to 2.0, fitted to the tokenizer of Gemma 2, which Google's own software uses to count for it.
#[rustfmt::skip]
static GEMMA_2: Shares = [
    50, 85, 99, 75, 105, 94, 136, 200, 246, 115, 103, 124,
    172, 140, 154, 89, 154, 168, 55, 76, 50, 70, 110, 77,
    160, 82, 50, 100, 100, 100, 100, 100, 100, 100,
    98, 100, 161, 117, 0,
];

/// Gemini from 2.5 on, fitted to the tokenizer of Gemma 3.
#[rustfmt::skip]
static GEMMA_3: Shares = [
    50, 89, 93, 57, 101, 93, 88, 185, 139, 127, 98, 82,
    69, 77, 95, 76, 78, 78, 31, 76, 50, 70, 92, 76,
    90, 90, 50, 100, 100, 100, 100, 100, 100, 100,
    100, 100, 182, 110, 0,
];

/// Qwen 2 to 3, fitted to the tokenizer of Qwen 3.
#[rustfmt::skip]
static QWEN: Shares = [
    109, 132, 38, 91, 250, 127, 173, 382, 361, 105, 162, 316,
    338, 353, 372, 133, 291, 208, 70, 77, 91, 121, 106, 84,
    128, 122, 98, 100, 100, 100, 100, 106, 100, 100,
    107, 127, 132, 73, 0,
];

/// Llama 3 to 3.3, fitted to their tokenizer.
#[rustfmt::skip]
static LLAMA_3: Shares = [
    89, 109, 74, 72, 106, 110, 20, 618, 679, 276, 133, 179,
    393, 451, 445, 109, 375, 280, 108, 92, 96, 118, 102, 87,
    25, 98, 94, 99, 100, 100, 100, 111, 100, 100,
    107, 91, 131, 73, 7,
];

/// DeepSeek, fitted to the tokenizer of DeepSeek V3.
#[rustfmt::skip]
static DEEPSEEK_V3: Shares = [
    100, 124, 172, 95, 130, 111, 141, 197, 260, 126, 126, 187,
    128, 168, 190, 86, 170, 207, 98, 72, 107, 126, 111, 78,
    67, 108, 98, 100, 100, 100, 100, 108, 100, 100,
    101, 66, 89, 104, 4,
];

/// Mistral's models with Tekken, fitted to the tokenizer of Mistral Nemo.
#[rustfmt::skip]
static TEKKEN: Shares = [
    106, 99, 88, 183, 107, 103, 57, 120, 157, 118, 100, 123,
    127, 124, 127, 123, 108, 495, 160, 120, 89, 130, 87, 93,
    86, 78, 99, 100, 100, 100, 100, 118, 100, 100,
    98, 105, 30, 122, 0,
];

/// A text is hardly English if one in this many words has letters like `é`.
const FOREIGN_ONE_IN: u64 = 8;

/// Tokens of Latin letters for Claude from 4.7 on, per 100 tokens of earlier versions (`docs/tokens.md` has the
/// source).
const NEWER: u64 = 145;
