//! Normalizes the spelling of a word: small letters without diacritics, in one form of marks and widths.
//!
//! There are two steps, because a stemmer needs its language's letters with their diacritics: [`prepare`] makes the
//! spelling for the stemmer, and [`fold`] removes the remaining diacritics. Both use small tables of ranges, for the
//! scripts that are common in chats.

/// Appends a text to `out` in small letters. Marks are composed with their letter if a stemmed language has that
/// letter, and dropped otherwise. Full-width letters become plain ones. Composed and decomposed spellings give the same
/// result.
pub fn prepare(text: &str, out: &mut String) {
    if text.is_ascii() {
        let start = out.len();
        out.push_str(text);
        out[start..].make_ascii_lowercase();
        return;
    }
    for character in text.chars() {
        if character.is_ascii() {
            out.push(character.to_ascii_lowercase());
        } else {
            for small in character.to_lowercase() {
                prepare_small(small, out);
            }
        }
    }
}

/// Appends a prepared text to `out` without diacritics: `é` as `e`, `ß` as `ss`, `й` as `и`.
pub fn fold(prepared: &str, out: &mut String) {
    if prepared.is_ascii() {
        out.push_str(prepared);
        return;
    }
    for character in prepared.chars() {
        fold_character(character, out);
    }
}

/// Returns a text prepared and folded.
#[cfg(test)]
pub(crate) fn folded(text: &str) -> String {
    let mut prepared = String::with_capacity(text.len());
    prepare(text, &mut prepared);
    let mut out = String::with_capacity(prepared.len());
    fold(&prepared, &mut out);
    out
}

/// True if a character belongs to the one before it: a mark, a joiner or a soft hyphen. No word ends at it.
#[must_use]
pub fn is_mark(character: char) -> bool {
    !character.is_ascii()
        && matches!(
            u32::from(character),
            0xAD
                | 0x0300..=0x036F
                | 0x0483..=0x0487
                | 0x0591..=0x05BD
                | 0x05BF..=0x05C2
                | 0x0610..=0x061A
                | 0x0640
                | 0x064B..=0x065F
                | 0x0670
                | 0x06D6..=0x06ED
                | 0x0900..=0x0903
                | 0x093A..=0x094F
                | 0x0981..=0x0983
                | 0x09BC..=0x09CD
                | 0x0A01..=0x0A03
                | 0x0A3C..=0x0A4D
                | 0x0ABC..=0x0ACD
                | 0x0B3C..=0x0B4D
                | 0x0BBE..=0x0BCD
                | 0x0C3E..=0x0C4D
                | 0x0CBC..=0x0CCD
                | 0x0D3E..=0x0D4D
                | 0x1AB0..=0x1AFF
                | 0x1DC0..=0x1DFF
                | 0x200C..=0x200D
                | 0x20D0..=0x20FF
                | 0x3099..=0x309A
                | 0xFE00..=0xFE0F
                | 0xFE20..=0xFE2F
        )
}

/// Appends one small letter or mark.
fn prepare_small(character: char, out: &mut String) {
    match u32::from(character) {
        // Letters of the stemmed languages, kept until the word is stemmed.
        0xDF | 0xE0..=0xE4 | 0xE7..=0xEF | 0xF1..=0xF6 | 0xF9..=0xFC | 0x153 | 0x430..=0x44F => {
            out.push(character);
        }
        0x0300..=0x036F | 0x3099 | 0x309A => {
            let Some(last) = out.pop() else { return };
            match compose(last, character) {
                Some(composed) => out.push(composed),
                // No stemmed language has letters with two marks.
                None => fold_character(last, out),
            }
        }
        0x1160..=0x11FF => {
            let Some(last) = out.pop() else { return };
            match compose_hangul(last, character) {
                Some(composed) => out.push(composed),
                None => out.extend([last, character]),
            }
        }
        _ => fold_character(character, out),
    }
}

/// A letter with a mark as one letter, if a stemmed language or Japanese has it.
fn compose(letter: char, mark: char) -> Option<char> {
    const LETTERS: [(char, &str, &str); 8] = [
        ('\u{300}', "aeiou", "àèìòù"),
        ('\u{301}', "aeiou", "áéíóú"),
        ('\u{302}', "aeiou", "âêîôû"),
        ('\u{303}', "ano", "ãñõ"),
        ('\u{306}', "и", "й"),
        ('\u{308}', "aeiou", "äëïöü"),
        ('\u{327}', "c", "ç"),
        ('\u{3099}', "うウ", "ゔヴ"),
    ];
    let of_mark = LETTERS.iter().find(|(of, ..)| *of == mark);
    if let Some((_, plain, composed)) = of_mark
        && let Some(place) = plain.chars().position(|of| of == letter)
    {
        return composed.chars().nth(place);
    }
    // Kana come in the order plain, voiced, and, in the h row, half-voiced.
    let code = u32::from(letter);
    let row = if code >= 0x30A0 { code.wrapping_sub(0x60) } else { code };
    let step = match (mark, row) {
        ('\u{3099}', 0x304B..=0x3061) if row % 2 == 1 => 1,
        ('\u{3099}', 0x3064..=0x3068) if row.is_multiple_of(2) => 1,
        ('\u{3099}', 0x306F..=0x307B) if row.is_multiple_of(3) => 1,
        ('\u{309A}', 0x306F..=0x307B) if row.is_multiple_of(3) => 2,
        _ => return None,
    };
    char::from_u32(code + step)
}

/// The Hangul syllable that a jamo makes with the letter before it.
fn compose_hangul(last: char, jamo: char) -> Option<char> {
    let (last, jamo) = (u32::from(last), u32::from(jamo));
    match (last, jamo) {
        (0x1100..=0x1112, 0x1161..=0x1175) => {
            char::from_u32(0xAC00 + ((last - 0x1100) * 21 + jamo - 0x1161) * 28)
        }
        (0xAC00..=0xD7A3, 0x11A8..=0x11C2) if (last - 0xAC00).is_multiple_of(28) => {
            char::from_u32(last + jamo - 0x11A7)
        }
        _ => None,
    }
}

/// The base letters of U+00C0 to U+017F; a dot if there isn't one.
const LATIN: &[u8; 192] = b"\
aaaaaaaceeeeiiiidnooooo.ouuuuytsaaaaaaaceeeeiiiidnooooo.ouuuuyty\
aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllll\
lllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

/// The base letters of U+01CD to U+0233.
const LATIN_B: &[u8; 103] = b"\
aaiioouuuuuuuuuu.aaaaaa..ggkkoooo..j...gg..nnaaaaooaaaaeeeeiiiio\
ooorrrruuuusstt..hh......aaeeooooooooyy";

/// The base letters of U+1E00 to U+1EFF.
const LATIN_ADDITIONAL: &[u8; 256] = b"\
aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmm\
mmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv\
wwwwwwwwwwxxxxyyzzzzzzhtwy.s..s.aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee\
eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy......";

fn fold_character(character: char, out: &mut String) {
    if character.is_ascii() {
        out.push(character);
        return;
    }
    let code = u32::from(character);
    let base = match code {
        0xDF | 0x1E9E => {
            out.push_str("ss");
            return;
        }
        0xC6 | 0xE6 | 0x1E2 | 0x1E3 | 0x1FC | 0x1FD => {
            out.push_str("ae");
            return;
        }
        0x152 | 0x153 => {
            out.push_str("oe");
            return;
        }
        0xDE | 0xFE => {
            out.push_str("th");
            return;
        }
        0x132 | 0x133 => {
            out.push_str("ij");
            return;
        }
        // Ligatures of typesetting: ff, fi, fl, ffi, ffl, st.
        0xFB00..=0xFB06 => {
            out.push_str(["ff", "fi", "fl", "ffi", "ffl", "st", "st"][code as usize - 0xFB00]);
            return;
        }
        0xC0..=0x17F => from_table(LATIN, code - 0xC0),
        0x1CD..=0x233 => from_table(LATIN_B, code - 0x1CD),
        0x1E00..=0x1EFF => from_table(LATIN_ADDITIONAL, code - 0x1E00),
        // Full-width forms of ASCII: capitals stay capitals.
        0xFF01..=0xFF5E => char::from_u32(code - 0xFEE0).map(|plain| plain.to_ascii_lowercase()),
        _ => None,
    };
    if let Some(base) = base {
        out.push(base);
        return;
    }
    match code {
        0xAD
        | 0x0300..=0x036F
        | 0x0591..=0x05C2
        | 0x0610..=0x061A
        | 0x0640
        | 0x064B..=0x065F
        | 0x0670
        | 0x06D6..=0x06ED
        | 0x200C
        | 0x200D
        | 0xFE00..=0xFE0F => {}
        0x03AC => out.push('α'),
        0x03AD => out.push('ε'),
        0x03AE => out.push('η'),
        0x03AF | 0x03CA | 0x0390 => out.push('ι'),
        0x03CC => out.push('ο'),
        0x03CD | 0x03CB | 0x03B0 => out.push('υ'),
        0x03CE => out.push('ω'),
        0x03C2 => out.push('σ'),
        0x0450 | 0x0451 => out.push('е'),
        0x0439 | 0x045D => out.push('и'),
        0x0453 => out.push('г'),
        0x0457 => out.push('і'),
        0x045C => out.push('к'),
        0x045E => out.push('у'),
        0x0622 | 0x0623 | 0x0625 => out.push('ا'),
        0x0624 => out.push('و'),
        0x0626 | 0x0649 => out.push('ي'),
        0x0629 => out.push('ه'),
        0x0660..=0x0669 => push_digit(code - 0x0660, out),
        0x06F0..=0x06F9 => push_digit(code - 0x06F0, out),
        0x0966..=0x096F => push_digit(code - 0x0966, out),
        _ => out.push(character),
    }
}

fn from_table(table: &[u8], place: u32) -> Option<char> {
    table.get(place as usize).filter(|base| **base != b'.').map(|base| char::from(*base))
}

fn push_digit(digit: u32, out: &mut String) {
    out.extend(char::from_digit(digit, 10));
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use proptest::prelude::*;
    use windrow_property::properties;

    use super::*;

    #[test]
    fn composed_and_decomposed_letters_fold_alike() {
        for (composed, decomposed) in [
            ("Éclair", "E\u{301}clair"),
            ("über", "u\u{308}ber"),
            ("señor", "sen\u{303}or"),
            ("garçon", "garc\u{327}on"),
            ("Čeština", "C\u{30c}es\u{30c}tina"),
            ("tiếng", "tie\u{302}\u{301}ng"),
            ("йога", "и\u{306}ога"),
            ("ёлка", "е\u{308}лка"),
            ("їжа", "і\u{308}жа"),
            ("Άγιος", "Α\u{301}γιος"),
            ("が", "か\u{3099}"),
            ("パ", "ハ\u{309a}"),
            ("ヴ", "ウ\u{3099}"),
            ("한국", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}"),
            ("آب", "ا\u{653}ب"),
        ] {
            let (mut one, mut other) = (String::new(), String::new());
            prepare(composed, &mut one);
            prepare(decomposed, &mut other);
            assert_eq!(one, other);
            assert_eq!(folded(composed), folded(decomposed));
        }
    }

    #[test]
    fn folding_removes_diacritics_case_and_width() {
        for (written, expected) in [
            ("STRASSE", "strasse"),
            ("Straße", "strasse"),
            ("Œuvre", "oeuvre"),
            ("Ærø", "aero"),
            ("Łódź", "lodz"),
            ("İstanbul", "istanbul"),
            ("Ｆｕｌｌ１２", "full12"),
            ("eﬃcient", "efficient"),
            ("Ёжик", "ежик"),
            ("ὀ", "ὀ"),
            ("٣٤", "34"),
            ("co\u{ad}operate", "cooperate"),
        ] {
            assert_eq!(folded(written), expected);
        }
    }

    properties! {
        #[test]
        fn folding_again_changes_nothing(text in ".{0,40}") {
            let once = folded(&text);
            prop_assert_eq!(folded(&once), once);
        }

        #[test]
        fn case_does_not_matter(text in "[a-zA-ZÀ-ÖØ-öø-ňŋ-žА-яёЁ0-9 ]{0,40}") {
            prop_assert_eq!(folded(&text.to_uppercase()), folded(&text.to_lowercase()));
        }
    }
}
