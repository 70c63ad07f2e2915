//! Proves that no token crosses a border between the parts of a text prompt, so that the parts' costs can be added.
//!
//! A prompt costs the sum of its parts only if the pretokenizer cuts each part the same way with and without its
//! neighbors. It finds a piece from its start onward, so a part never changes the pieces before a border that is cut
//! anyway: only the last piece before the border can reach across it. A line feed always comes before a border. In both
//! encodings, two kinds of pieces can contain it:
//!
//! - symbols with the newlines after them, ` ?[^\s\p{L}\p{N}]+[\r\n/]*`: this continues over line ends, and in
//!   `o200k_base` over slashes;
//! - white space, `\s*[\r\n]+`: this continues up to the last line end of the white space, and in `cl100k_base`,
//!   `\s++$`, to the end of the text if nothing else follows.
//!
//! So a part that ends with a line feed is safe before a part with these properties: it begins with neither a line end
//! nor a slash, the white space at its beginning has no line end, and it isn't only white space. It may begin with
//! other white space, such as an indent.

use crate::base::guard::is_line_end;

/// Turns a text into a part that is safe at its beginning, and, with `ends_line`, at its end. Returns an empty text for
/// white space alone.
///
/// As in a text block, white space up to the last line end before the first visible character is removed. A slash is
/// indented by a space.
pub(crate) fn part(mut text: String, ends_line: bool) -> String {
    let visible = text.len() - text.trim_start().len();
    if visible == text.len() {
        return String::new();
    }
    let last_line_end = text[..visible].char_indices().rfind(|(_, letter)| is_line_end(*letter));
    let start = last_line_end.map_or(0, |(at, letter)| at + letter.len_utf8());
    let indent = if text[start..].starts_with('/') { " " } else { "" };
    text.replace_range(..start, indent);
    if ends_line {
        text.push('\n');
    }
    text
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tiktoken_rs::CoreBPE;
    use windrow_property::properties;

    /// Everything that an encoding's pattern treats specially, plus the longest tokens of white space and symbols.
    #[rustfmt::skip]
    static LETTERS: [&str; 62] = [
        " ", " ", "  ", "   ", "\t", "\n", "\n", "\n\n", "\r", "\r\n", "\u{b}", "\u{c}", "\u{85}", "\u{a0}", "\u{1680}",
        "\u{2003}", "\u{2028}", "\u{2029}", "\u{202f}", "\u{3000}", "\u{1c}", "\u{1f}", "\u{180e}",
        "\u{200b}", "\u{200d}", "\u{feff}", "\u{ad}", "\0",
        "/", "//", "*/", "\\", "!", "?", ".", ",", ":", ";", "-", "----", "====", "_", "(", ")", "{}", "\"", "'", "'s", "’", "[", "</a>",
        "a", "the", "A", "1", "123", "½", "漢", "\u{301}", "\u{fe0f}", "😀", "ß",
    ];

    fn text(most: usize) -> impl Strategy<Value = String> {
        let letter = prop_oneof![
            30 => prop::sample::select(LETTERS.as_slice()).prop_map(str::to_owned),
            1 => any::<char>().prop_map(String::from),
        ];
        prop::collection::vec(letter, 0..most).prop_map(|letters| letters.concat())
    }

    fn encodings() -> [&'static CoreBPE; 2] {
        [tiktoken_rs::o200k_base_singleton(), tiktoken_rs::cl100k_base_singleton()]
    }

    fn check(texts: &[String], is_last_open: bool) -> Result<(), TestCaseError> {
        let end = texts.len().saturating_sub(1);
        let parts: Vec<String> = texts
            .iter()
            .enumerate()
            .map(|(place, text)| part(text.clone(), place < end || !is_last_open))
            .collect();
        for encoding in encodings() {
            let count = |text: &str| encoding.encode_ordinary(text).len();
            let sum: usize = parts.iter().map(|part| count(part)).sum();
            prop_assert_eq!(sum, count(&parts.concat()), "{:?}", parts);
        }
        for (part, text) in parts.iter().zip(texts) {
            prop_assert_eq!(part.trim(), text.trim(), "nothing but white space is lost");
        }
        Ok(())
    }

    properties! {
        #[test]
        fn a_text_costs_the_sum_of_its_parts(
            texts in prop::collection::vec(text(7), 1..6),
            is_last_open in any::<bool>(),
        ) {
            check(&texts, is_last_open)?;
        }
    }

    #[test]
    fn every_pair_of_ending_and_beginning_is_safe() {
        for before in LETTERS {
            for first in LETTERS {
                for second in LETTERS {
                    let texts =
                        ["a".to_owned() + before, first.to_owned() + second, "b".to_owned()];
                    check(&texts, true).expect("a safe border");
                }
            }
        }
    }

    #[test]
    fn a_part_keeps_what_it_shows() {
        for (text, shown) in [
            ("", ""),
            (" ", ""),
            (" \n", ""),
            ("\u{3000}\r\n\t", ""),
            ("a", "a\n"),
            ("  a ", "  a \n"),
            (" \n  a", "  a\n"),
            ("\u{2028} a\n", " a\n\n"),
            ("/a", " /a\n"),
            ("\r\n//", " //\n"),
            (" /", " /\n"),
            ("\u{200b}\n", "\u{200b}\n\n"),
        ] {
            assert_eq!(part(text.to_owned(), true), shown, "{text:?}");
            assert_eq!(part(text.to_owned(), false), shown.strip_suffix('\n').unwrap_or(""));
        }
    }
}
