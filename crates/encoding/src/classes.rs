//! Character classes that the encodings' patterns distinguish.

/// The class of a character. Every character is in exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// Punctuation, symbols, controls, format characters (joiners, byte order mark), unassigned.
    Other = 0,
    /// A lower-case letter (Ll).
    Lower = 1,
    /// An upper-case or title-case letter (Lu, Lt).
    Upper = 2,
    /// A letter without case (Lm, Lo).
    Caseless = 3,
    /// A combining mark (M).
    Mark = 4,
    /// A digit or other number (N).
    Number = 5,
    /// Carriage return or line feed.
    Newline = 6,
    /// Any other white space.
    Space = 7,
}

impl Class {
    /// All classes by their numbers, as `build.rs` writes them.
    const ALL: [Self; 8] = [
        Self::Other,
        Self::Lower,
        Self::Upper,
        Self::Caseless,
        Self::Mark,
        Self::Number,
        Self::Newline,
        Self::Space,
    ];

    /// True for a letter of any kind (L).
    #[inline]
    #[must_use]
    pub fn is_letter(self) -> bool {
        matches!(self, Self::Lower | Self::Upper | Self::Caseless)
    }

    /// True for white space, including newlines.
    #[inline]
    #[must_use]
    pub fn is_white_space(self) -> bool {
        matches!(self, Self::Newline | Self::Space)
    }
}

/// The class of the character with a code point. Returns [`Class::Other`] for numbers that aren't code points.
#[inline]
#[must_use]
pub fn class_of(code_point: u32) -> Class {
    match ASCII.get(code_point as usize) {
        Some(class) => *class,
        None => look_up(code_point as usize),
    }
}

/// True for punctuation and symbols (P, S), but not for the other characters of [`Class::Other`].
#[inline]
#[must_use]
pub fn is_symbol(code_point: u32) -> bool {
    number_of(code_point as usize) & NEITHER == 0
}

/// The bit of characters of [`Class::Other`] that are neither punctuation nor a symbol.
const NEITHER: u8 = 8;

/// Distinct blocks of 128 code points, four bits each.
static BLOCKS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/class_blocks.bin"));
/// The number of the block of each 128 code points.
static INDEX: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/class_index.bin"));

fn look_up(code_point: usize) -> Class {
    Class::ALL[usize::from(number_of(code_point) & 7)]
}

/// The four bits of a character.
fn number_of(code_point: usize) -> u8 {
    let block = INDEX.get(code_point >> 7).map_or(0, |block| usize::from(*block));
    let pair = BLOCKS.get(block << 6 | (code_point & 127) >> 1).map_or(0, |pair| *pair);
    pair >> ((code_point & 1) << 2) & 15
}

/// The classes of ASCII in a separate table, so that the common case is one lookup.
static ASCII: [Class; 128] = {
    let mut classes = [Class::Other; 128];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Number,
            b'\r' | b'\n' => Class::Newline,
            b' ' | b'\t' | 0x0b | 0x0c => Class::Space,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_agrees_with_the_generated_table() {
        for code_point in 0..128_u8 {
            assert_eq!(class_of(code_point.into()), look_up(code_point.into()), "{code_point}");
        }
    }

    #[test]
    fn characters_that_are_easily_misjudged() {
        for (character, class) in [
            ('\u{85}', Class::Space), // next line: white space, but not a line end for the patterns
            ('\u{a0}', Class::Space), // no-break space
            ('\u{2028}', Class::Space), // line separator
            ('\u{200b}', Class::Other), // zero-width space is not white space
            ('\u{200d}', Class::Other), // zero-width joiner
            ('\u{feff}', Class::Other), // byte order mark
            ('\u{17f}', Class::Lower), // long s
            ('\u{212a}', Class::Upper), // Kelvin sign
            ('\u{1c5}', Class::Upper), // title case
            ('\u{301}', Class::Mark), // combining acute accent
            ('\u{e0100}', Class::Mark), // variation selector, in the third plane from the end
            ('\u{2b0}', Class::Caseless), // modifier letter
            ('漢', Class::Caseless),
            ('½', Class::Number),
            ('Ⅷ', Class::Number),
            ('😀', Class::Other),
            ('\u{10ffff}', Class::Other),
        ] {
            assert_eq!(class_of(character.into()), class, "{character:?}");
        }
        assert_eq!(class_of(u32::MAX), Class::Other);
        for (character, expected) in [
            ('+', true),
            ('_', true),
            ('、', true),
            ('😀', true),
            ('\0', false),
            ('\u{200d}', false),
        ] {
            assert_eq!(is_symbol(character.into()), expected, "{character:?}");
        }
    }
}
