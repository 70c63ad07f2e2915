//! Splits text into the pieces that the encodings' patterns describe. Tokens merge only within a piece.
//!
//! The reference describes each encoding's pieces with a regular expression that needs look-ahead and backtracking.
//! Here each encoding has a handwritten function that finds the end of a piece and looks at each character only a few
//! times.

use super::classes::{Class, class_of, is_symbol};

/// Rules for cutting a text into pieces. Tokens merge only within a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pieces {
    /// Pieces of `o200k_base`.
    O200k,
    /// Pieces of `cl100k_base`.
    Cl100k,
    /// Pieces of Qwen 2 to 3.
    Qwen,
    /// Pieces of DeepSeek V3.
    Deepseek,
    /// Pieces of Mistral's Tekken.
    Tekken,
    /// Pieces of Llama 3.
    Llama3,
}

impl Pieces {
    /// True if a piece ends before a capital that follows small letters.
    #[inline]
    fn splits_capitals(self) -> bool {
        matches!(self, Self::O200k | Self::Tekken)
    }

    /// True if an apostrophe may lead a word like any other symbol: contractions aren't separate pieces.
    #[inline]
    fn leads_by_apostrophe(self) -> bool {
        matches!(self, Self::O200k | Self::Tekken | Self::Deepseek)
    }

    /// Maximum number of digits in a piece.
    #[inline]
    fn most_digits(self) -> usize {
        if matches!(self, Self::Qwen | Self::Tekken) { 1 } else { 3 }
    }

    /// The code of the splitting rule in an asset. OpenAI's encodings all have 0; their checksums tell them apart.
    pub(super) fn code(self) -> u32 {
        match self {
            Self::O200k | Self::Cl100k => 0,
            Self::Qwen => 1,
            Self::Deepseek => 2,
            Self::Tekken => 3,
            Self::Llama3 => 4,
        }
    }
}

/// The end of the piece that starts at `start`: an offset in bytes, greater than `start`.
///
/// `text` is UTF-8, and a character starts at `start`.
#[inline]
#[must_use]
pub fn piece_end(pieces: Pieces, text: &[u8], start: usize) -> usize {
    match (plain_end(pieces, text, start), pieces) {
        (Some(end), _) => end,
        (None, Pieces::O200k | Pieces::Tekken) => o200k_end(pieces, text, start),
        (None, Pieces::Cl100k | Pieces::Qwen | Pieces::Llama3) => cl100k_end(pieces, text, start),
        (None, Pieces::Deepseek) => deepseek_end(text, start),
    }
}

/// Fast path for a piece of ASCII symbols, white space or digits. Returns its end, or None if the slow path has to
/// decide, as for every piece with letters. Code has nearly as many of these pieces as words.
#[inline]
fn plain_end(pieces: Pieces, text: &[u8], start: usize) -> Option<usize> {
    let kind = |at: usize| match text.get(at).map_or(Kind::End, |byte| KINDS[usize::from(*byte)]) {
        Kind::Control if pieces == Pieces::Deepseek => Kind::Foreign,
        Kind::Control => Kind::Symbol,
        kind => kind,
    };
    let first = kind(start);
    let mut at = start + 1;
    let mut next = kind(at);
    match first {
        Kind::Digit => {
            let most = start + pieces.most_digits();
            while next == Kind::Digit && at < most {
                at += 1;
                next = kind(at);
            }
            return (next != Kind::Foreign || at == most).then_some(at);
        }
        Kind::Space | Kind::OtherSpace | Kind::Newline if next.is_white_space() => {}
        Kind::Space if next == Kind::Symbol => {}
        Kind::Newline | Kind::Space | Kind::OtherSpace
            if next == Kind::Letter || next == Kind::Foreign =>
        {
            return (first == Kind::Newline && next == Kind::Letter).then_some(at);
        }
        Kind::Newline | Kind::Space | Kind::OtherSpace => return Some(at),
        Kind::Symbol if next != Kind::Letter => {}
        Kind::Symbol | Kind::Control | Kind::Letter | Kind::Foreign | Kind::End => return None,
    }
    if next.is_white_space() && first != Kind::Symbol {
        let mut last_newline_end = if first == Kind::Newline { at } else { 0 };
        while next.is_white_space() {
            at += 1;
            if next == Kind::Newline {
                last_newline_end = at;
            }
            next = kind(at);
        }
        return match next {
            Kind::Foreign => None,
            Kind::End if pieces == Pieces::Cl100k || last_newline_end == 0 => Some(at),
            _ if last_newline_end > 0 => Some(last_newline_end),
            // Numbers are cut out first, so nothing follows the white space.
            Kind::Digit if pieces == Pieces::Deepseek => Some(at),
            _ => Some(at - 1),
        };
    }
    while next == Kind::Symbol {
        at += 1;
        next = kind(at);
    }
    if next == Kind::Foreign {
        return None;
    }
    let is_tail =
        |byte: u8| matches!(byte, b'\r' | b'\n') || byte == b'/' && pieces.splits_capitals();
    while text.get(at).is_some_and(|byte| is_tail(*byte)) {
        at += 1;
    }
    Some(at)
}

/// Kind of a byte for [`plain_end`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Digit,
    Symbol,
    Control,
    Space,
    OtherSpace,
    Newline,
    /// A byte of a character outside ASCII.
    Foreign,
    /// Past the end of the text.
    End,
}

impl Kind {
    #[inline]
    fn is_white_space(self) -> bool {
        matches!(self, Self::Space | Self::OtherSpace | Self::Newline)
    }
}

static KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Foreign; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        kinds[byte as usize] = match byte {
            b'a'..=b'z' | b'A'..=b'Z' => Kind::Letter,
            b'0'..=b'9' => Kind::Digit,
            b' ' => Kind::Space,
            b'\r' | b'\n' => Kind::Newline,
            b'\t' | 0x0b | 0x0c => Kind::OtherSpace,
            0..0x20 | 0x7f => Kind::Control,
            _ => Kind::Symbol,
        };
        byte += 1;
    }
    kinds
};

/// Fast path for a word at the start of a text. Returns the length of a piece of ASCII letters, at most 14 bytes with
/// its leader, if no letter but the first is a capital and no contraction follows. Returns 0 if the slow path has to
/// decide.
///
/// `words` are the first 16 bytes of the text, padded with zeros. Most pieces of a text are such words.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "single bytes are taken")]
pub(crate) fn plain_word_length(pieces: Pieces, [low, high]: [u64; 2]) -> usize {
    let is_upper = |byte: u8| byte.wrapping_sub(b'A') < 26;
    let lead = match LEADS[usize::from(low as u8)] {
        Lead::Letter => 0,
        Lead::Leader => 1,
        Lead::Apostrophe if pieces.leads_by_apostrophe() => 1,
        Lead::Apostrophe | Lead::Other => return 0,
    };
    let has_upper = is_upper((low >> (8 * lead)) as u8);
    let before = lead + u32::from(has_upper);
    let others = not_small_letters(low) >> (8 * before);
    let (small, after) = if others != 0 {
        let small = others.trailing_zeros() / 8;
        (small, low >> (8 * (before + small)))
    } else {
        let others = not_small_letters(high);
        let small = others.trailing_zeros() / 8;
        if small > 6 {
            return 0;
        }
        (8 - before + small, high >> (8 * small))
    };
    let after = after as u8;
    let ends = match after {
        b'\'' => false,
        // In some encodings, a capital after small letters begins another piece.
        b'A'..=b'Z' => pieces.splits_capitals() && small > 0,
        _ => after.is_ascii() && (small > 0 || has_upper),
    };
    if ends { (before + small) as usize } else { 0 }
}

/// Sets the highest bit of each byte that isn't a small ASCII letter.
#[inline]
fn not_small_letters(bytes: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHEST: u64 = 0x80 * ONES;
    let low_bits = bytes & !HIGHEST;
    // Adding sets the highest bit of each byte from `a` on, and of each byte past `z`.
    let from_a = low_bits + 0x1f * ONES;
    let past_z = low_bits + 0x05 * ONES;
    (!from_a | past_z | bytes) & HIGHEST
}

/// Kind of the first byte of a piece.
#[derive(Clone, Copy)]
enum Lead {
    Letter,
    /// A character that may lead a word.
    Leader,
    Apostrophe,
    /// Digits, newlines, and bytes of characters outside ASCII.
    Other,
}

static LEADS: [Lead; 256] = {
    let mut leads = [Lead::Other; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        leads[byte as usize] = match byte {
            b'a'..=b'z' | b'A'..=b'Z' => Lead::Letter,
            b'0'..=b'9' | b'\r' | b'\n' => Lead::Other,
            b'\'' => Lead::Apostrophe,
            _ => Lead::Leader,
        };
        byte += 1;
    }
    leads
};

/// The end of the first alternative that matches, of:
///
/// ```text
/// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
/// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
/// \p{N}{1,3}
///  ?[^\s\p{L}\p{N}]+[\r\n/]*
/// \s*[\r\n]+
/// \s+(?!\S)
/// \s+
/// ```
///
/// Tekken has no contractions, and one digit per piece.
fn o200k_end(pieces: Pieces, text: &[u8], start: usize) -> usize {
    let (class, width) = class_at(text, start);
    let next = start + width;
    let word = match class {
        Class::Lower | Class::Upper | Class::Caseless => word_at(text, start),
        Class::Number => return number_end(pieces, text, next),
        Class::Newline => return white_space_end(text, start),
        // Any other character may lead a word. A mark may also be a letter of the word itself: then the first
        // alternative, with the mark as a letter, takes precedence over the second, with the mark as the leader.
        Class::Mark | Class::Other | Class::Space => match word_at(text, next) {
            Some(word) if word.has_lower => Some(word),
            word if class != Class::Mark => word,
            _ => word_at(text, start),
        },
    };
    if let Some(word) = word {
        if pieces == Pieces::Tekken {
            return word.end;
        }
        return contraction_end(text, word.end).unwrap_or(word.end);
    }
    match symbols_end(text, start) {
        Some(end) => run_of_bytes_end(text, end, b"\r\n/"),
        None => white_space_end(text, start),
    }
}

/// The end of the first alternative that matches, of:
///
/// ```text
/// '(?i:[sdmt]|ll|ve|re)
/// [^\r\n\p{L}\p{N}]?+\p{L}++
/// \p{N}{1,3}+
///  ?[^\s\p{L}\p{N}]++[\r\n]*+
/// \s++$
/// \s*[\r\n]
/// \s+(?!\S)
/// \s
/// ```
///
/// Qwen and Llama 3 lack the rule for white space at the end of a text, and Qwen has one digit per piece.
fn cl100k_end(pieces: Pieces, text: &[u8], start: usize) -> usize {
    if let Some(end) = contraction_end(text, start) {
        return end;
    }
    let (class, width) = class_at(text, start);
    let next = start + width;
    match class {
        Class::Lower | Class::Upper | Class::Caseless => return letters_end(text, next),
        Class::Number => return number_end(pieces, text, next),
        Class::Mark | Class::Other | Class::Space if class_at(text, next).0.is_letter() => {
            return letters_end(text, next);
        }
        Class::Mark | Class::Other | Class::Space | Class::Newline => {}
    }
    if let Some(end) = symbols_end(text, start) {
        return run_of_bytes_end(text, end, b"\r\n");
    }
    match run_end(text, start, Class::is_white_space) {
        end if end == text.len() && pieces == Pieces::Cl100k => end,
        _ => white_space_end(text, start),
    }
}

/// The end of the first alternative that matches; if none does, the end of the characters before the next match:
///
/// ```text
/// \p{N}{1,3}
/// [一-龥぀-ゟ゠-ヿ]+
/// [!-/:-~][A-Za-z]+
/// [^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+
///  ?[\p{P}\p{S}]+[\r\n]*
/// \s*[\r\n]+
/// \s+(?!\S)
/// \s+
/// ```
///
/// The first two patterns cut the text first. The others then treat these cuts as ends of the text.
fn deepseek_end(text: &[u8], start: usize) -> usize {
    let mut at = start;
    loop {
        let (kind, width) = deepseek_kind(text, at);
        let next = at + width;
        let (follows, follows_width) = deepseek_kind(text, next);
        let end = match kind {
            DeepseekKind::Number if at == start => return number_end(Pieces::Deepseek, text, next),
            DeepseekKind::Kana if at == start => deepseek_run_end(text, next, DeepseekKind::Kana),
            DeepseekKind::Number | DeepseekKind::Kana | DeepseekKind::End => return at,
            DeepseekKind::Letter => deepseek_run_end(text, next, DeepseekKind::Letter),
            DeepseekKind::Symbol if width == 1 && is_ascii_letter(text, next) => {
                let letters = text[next..].iter().take_while(|byte| byte.is_ascii_alphabetic());
                next + letters.count()
            }
            DeepseekKind::Symbol => deepseek_symbols_end(text, next),
            DeepseekKind::Space | DeepseekKind::Other if follows == DeepseekKind::Letter => {
                deepseek_run_end(text, next + follows_width, DeepseekKind::Letter)
            }
            DeepseekKind::Space if follows == DeepseekKind::Symbol && text[at] == b' ' => {
                deepseek_symbols_end(text, next + follows_width)
            }
            DeepseekKind::Space | DeepseekKind::Newline => deepseek_white_space_end(text, at),
            DeepseekKind::Other => {
                at = next;
                continue;
            }
        };
        return if at == start { end } else { at };
    }
}

/// The kinds of characters in DeepSeek's patterns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DeepseekKind {
    /// A letter or a mark.
    Letter,
    /// Kana, and the common Chinese characters.
    Kana,
    Number,
    Symbol,
    Space,
    Newline,
    Other,
    /// Past the end of the text.
    End,
}

/// The kind of the character at `at`, and its width in bytes.
#[inline]
fn deepseek_kind(text: &[u8], at: usize) -> (DeepseekKind, usize) {
    let (code_point, width) = match text.get(at) {
        Some(byte) if byte.is_ascii() => (u32::from(*byte), 1),
        Some(_) => decode(text, at),
        None => return (DeepseekKind::End, 0),
    };
    let kind = match class_of(code_point) {
        Class::Number => DeepseekKind::Number,
        _ if matches!(code_point, 0x3040..=0x30ff | 0x4e00..=0x9fa5) => DeepseekKind::Kana,
        Class::Lower | Class::Upper | Class::Caseless | Class::Mark => DeepseekKind::Letter,
        Class::Newline => DeepseekKind::Newline,
        Class::Space => DeepseekKind::Space,
        Class::Other if is_symbol(code_point) => DeepseekKind::Symbol,
        Class::Other => DeepseekKind::Other,
    };
    (kind, width)
}

/// The end of the run of characters of one kind that starts at `at`.
#[inline]
fn deepseek_run_end(text: &[u8], mut at: usize, kind: DeepseekKind) -> usize {
    loop {
        let (next, width) = deepseek_kind(text, at);
        if next != kind {
            return at;
        }
        at += width;
    }
}

/// The end of symbols that continue at `at`, and of the newlines after them.
fn deepseek_symbols_end(text: &[u8], at: usize) -> usize {
    run_of_bytes_end(text, deepseek_run_end(text, at, DeepseekKind::Symbol), b"\r\n")
}

/// The end of the piece of white space that starts at `start`. A number or a Chinese character after it counts as the
/// end of the text.
fn deepseek_white_space_end(text: &[u8], start: usize) -> usize {
    let end = run_end(text, start, Class::is_white_space);
    match deepseek_kind(text, end).0 {
        DeepseekKind::Number | DeepseekKind::Kana => white_space_end(&text[..end], start),
        _ => white_space_end(text, start),
    }
}

fn is_ascii_letter(text: &[u8], at: usize) -> bool {
    text.get(at).is_some_and(u8::is_ascii_alphabetic)
}

/// A run of letters and marks as o200k splits it: capitals first, then small letters.
struct Word {
    end: usize,
    /// True if the last character can be a small letter: the first alternative matched, not the second.
    has_lower: bool,
}

/// The word that starts at `start`, without leader and contraction.
fn word_at(text: &[u8], start: usize) -> Option<Word> {
    let mut at = start;
    // Letters without case and marks count both as capitals and as small letters. If no small letter follows the
    // capitals, the word ends after the last character that can count as one.
    let mut last_caseless_end = None;
    loop {
        let (class, width) = class_at(text, at);
        match class {
            Class::Upper => at += width,
            Class::Caseless | Class::Mark => {
                at += width;
                last_caseless_end = Some(at);
            }
            Class::Lower => {
                let end = run_end(text, at + width, |class| {
                    matches!(class, Class::Lower | Class::Caseless | Class::Mark)
                });
                return Some(Word { end, has_lower: true });
            }
            Class::Other | Class::Number | Class::Newline | Class::Space => break,
        }
    }
    match last_caseless_end {
        Some(end) => Some(Word { end, has_lower: true }),
        None => (at > start).then_some(Word { end: at, has_lower: false }),
    }
}

/// The end of a run of letters that continues at `at`.
fn letters_end(text: &[u8], at: usize) -> usize {
    run_end(text, at, Class::is_letter)
}

/// The end of a number whose first digit ends at `at`. A number has at most three digits, or only one.
fn number_end(pieces: Pieces, text: &[u8], mut at: usize) -> usize {
    for _ in 1..pieces.most_digits() {
        match class_at(text, at) {
            (Class::Number, width) => at += width,
            _ => break,
        }
    }
    at
}

/// The end of the symbols and marks at `start`, or after one space there. None if there aren't any.
fn symbols_end(text: &[u8], start: usize) -> Option<usize> {
    let first = start + usize::from(text.get(start) == Some(&b' '));
    let end = run_end(text, first, |class| matches!(class, Class::Other | Class::Mark));
    (end > first).then_some(end)
}

/// The end of the piece of white space that starts at `start`. If the run has newlines, the piece ends after the last
/// one. Otherwise the run's last character belongs to the next piece, unless it is the only one or the text ends with
/// it.
fn white_space_end(text: &[u8], start: usize) -> usize {
    let mut at = start;
    let mut last_start = start;
    let mut last_newline_end = None;
    loop {
        let (class, width) = class_at(text, at);
        if width == 0 || !class.is_white_space() {
            break;
        }
        last_start = at;
        at += width;
        if class == Class::Newline {
            last_newline_end = Some(at);
        }
    }
    match last_newline_end {
        Some(end) => end,
        None if at == text.len() || last_start == start => at,
        None => last_start,
    }
}

/// The end of an English contraction whose apostrophe is at `start`, in small letters or capitals. The long s (U+017F)
/// counts as an s.
fn contraction_end(text: &[u8], start: usize) -> Option<usize> {
    let length = match text.get(start..)? {
        [b'\'', b's' | b'S' | b't' | b'T' | b'm' | b'M' | b'd' | b'D', ..] => 2,
        [b'\'', b'r' | b'R' | b'v' | b'V', b'e' | b'E', ..]
        | [b'\'', b'l' | b'L', b'l' | b'L', ..]
        | [b'\'', 0xc5, 0xbf, ..] => 3,
        _ => return None,
    };
    Some(start + length)
}

/// The end of the run of characters from `at` on whose class is accepted.
#[inline]
fn run_end(text: &[u8], mut at: usize, belongs: impl Fn(Class) -> bool) -> usize {
    loop {
        let (class, width) = class_at(text, at);
        if width == 0 || !belongs(class) {
            return at;
        }
        at += width;
    }
}

/// The end of the run of these bytes from `at` on.
fn run_of_bytes_end(text: &[u8], mut at: usize, bytes: &[u8]) -> usize {
    while text.get(at).is_some_and(|byte| bytes.contains(byte)) {
        at += 1;
    }
    at
}

/// The class of the character at `at` and its width in bytes. Past the end it is a newline of width 0.
#[inline]
fn class_at(text: &[u8], at: usize) -> (Class, usize) {
    match text.get(at) {
        Some(byte) if byte.is_ascii() => (class_of(u32::from(*byte)), 1),
        Some(_) => {
            let (code_point, width) = decode(text, at);
            (class_of(code_point), width)
        }
        None => (Class::Newline, 0),
    }
}

/// The code point of the multi-byte character at `at`, and its width in bytes.
#[inline]
#[must_use]
pub fn decode(text: &[u8], at: usize) -> (u32, usize) {
    let byte = |offset: usize| text.get(at + offset).map_or(0, |byte| u32::from(*byte));
    let continuation = |offset| byte(offset) & 0x3f;
    let first = byte(0);
    if first < 0xe0 {
        ((first & 0x1f) << 6 | continuation(1), 2)
    } else if first < 0xf0 {
        ((first & 0x0f) << 12 | continuation(1) << 6 | continuation(2), 3)
    } else {
        let high = (first & 0x07) << 18 | continuation(1) << 12;
        (high | continuation(2) << 6 | continuation(3), 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Pieces; 6] = [
        Pieces::O200k,
        Pieces::Cl100k,
        Pieces::Qwen,
        Pieces::Deepseek,
        Pieces::Tekken,
        Pieces::Llama3,
    ];

    fn pieces(how: Pieces, text: &str) -> Vec<&str> {
        let mut pieces = Vec::new();
        let mut start = 0;
        while start < text.len() {
            let end = piece_end(how, text.as_bytes(), start);
            pieces.push(&text[start..end]);
            start = end;
        }
        pieces
    }

    /// A text of random pieces, from a seed.
    fn random_text(pieces: &[&str], seed: u64) -> String {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            pieces[(state >> 33) as usize % pieces.len()]
        };
        std::iter::repeat_with(next).take(18).collect()
    }

    #[test]
    fn a_plain_word_is_cut_like_any_other() {
        let letters = [
            "a", "e", "z", "th", "ing", "A", "Z", " ", " ", "'", "s", "ll", "\n", "\t", "7", ".",
            "(", "_", "`", "{", "é", "ß", "İ", "漢", "\u{301}", "\u{17f}", "\0",
        ];
        let mut plain_count = 0;
        for how in ALL {
            for seed in 0..100_000 {
                let text = random_text(&letters, seed);
                let mut bytes = text.clone().into_bytes();
                bytes.resize(16, 0);
                let word = |at: usize| {
                    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
                };
                let length = plain_word_length(how, [word(0), word(8)]);
                if length > 0 {
                    plain_count += 1;
                    assert_eq!(length, piece_end(how, text.as_bytes(), 0), "{how:?}: {text:?}");
                }
            }
        }
        assert!(plain_count > 20_000, "{plain_count}");
    }

    #[test]
    fn a_plain_piece_without_letters_is_cut_like_any_other() {
        let bits = [
            " ", " ", "  ", "\n", "\r\n", "\t", "/", "(", ");", "'", "=", "7", "42", "a", "Z", "é",
            "漢", "\u{301}", "\u{a0}", "\u{85}", "½", "\u{17f}", "\0", "\u{1f}",
        ];
        let mut plain_count = 0;
        for how in ALL {
            let closely = |text: &[u8]| match how {
                Pieces::O200k | Pieces::Tekken => o200k_end(how, text, 0),
                Pieces::Cl100k | Pieces::Qwen | Pieces::Llama3 => cl100k_end(how, text, 0),
                Pieces::Deepseek => deepseek_end(text, 0),
            };
            for (seed, length) in (0..100_000).zip((1..=9).cycle()) {
                let text: String = random_text(&bits, seed).chars().take(length).collect();
                if let Some(end) = plain_end(how, text.as_bytes(), 0) {
                    plain_count += 1;
                    assert_eq!(end, closely(text.as_bytes()), "{how:?}: {text:?}");
                }
            }
        }
        assert!(plain_count > 50_000, "{plain_count}");
    }

    #[test]
    fn words_carry_their_leader_and_contraction() {
        let text = "We'll meet HTTPServer's (don't)";
        assert_eq!(
            pieces(Pieces::O200k, text),
            ["We'll", " meet", " HTTPServer's", " (", "don't", ")"]
        );
        assert_eq!(
            pieces(Pieces::Cl100k, text),
            ["We", "'ll", " meet", " HTTPServer", "'s", " (", "don", "'t", ")"]
        );
    }

    #[test]
    fn the_last_of_several_spaces_belongs_to_the_next_piece() {
        for encoding in [Pieces::O200k, Pieces::Cl100k] {
            assert_eq!(pieces(encoding, "a   b  "), ["a", "  ", " b", "  "]);
            assert_eq!(pieces(encoding, "a \n\n  b"), ["a", " \n\n", " ", " b"]);
            assert_eq!(pieces(encoding, "12345"), ["123", "45"]);
        }
        assert_eq!(pieces(Pieces::O200k, "a\n  "), ["a", "\n", "  "]);
        assert_eq!(pieces(Pieces::Cl100k, "a\n  "), ["a", "\n  "]);
    }

    #[test]
    fn families_cut_numbers_white_space_and_chinese_differently() {
        let text = "Don't 123  4\n ";
        let cut = |how| pieces(how, text);
        assert_eq!(cut(Pieces::Qwen), ["Don", "'t", " ", "1", "2", "3", " ", " ", "4", "\n", " "]);
        assert_eq!(
            cut(Pieces::Tekken),
            ["Don", "'t", " ", "1", "2", "3", " ", " ", "4", "\n", " "]
        );
        assert_eq!(cut(Pieces::Llama3), ["Don", "'t", " ", "123", " ", " ", "4", "\n", " "]);
        assert_eq!(cut(Pieces::Deepseek), ["Don", "'t", " ", "123", "  ", "4", "\n", " "]);
        assert_eq!(
            pieces(Pieces::Deepseek, "会a議\0\u{1}b(é"),
            ["会", "a", "議", "\0", "\u{1}b", "(", "é"]
        );
    }

    #[test]
    fn a_word_of_capitals_ends_after_its_last_caseless_letter() {
        assert_eq!(pieces(Pieces::O200k, "A漢BC"), ["A漢", "BC"]);
        assert_eq!(pieces(Pieces::O200k, "\u{301}AB"), ["\u{301}", "AB"]);
        assert_eq!(pieces(Pieces::O200k, "(A漢b"), ["(A漢b"]);
    }
}
