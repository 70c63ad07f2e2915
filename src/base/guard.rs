//! What keeps the texts of others apart from the prompt's own lines, in the text formats.
//!
//! One rule of structure: a line of the prompt's own begins with a character that is no white space, and every line of a
//! content after its first begins with a space. Only a line with nothing in it is left as it is. The rule does not ask what a
//! line says, so no wording passes by it, and taking the spaces away gives the content back. `docs/formats.md` has the grammar
//! of each format.

use crate::base::text::joined;
use std::borrow::Cow;

/// What a line of a content begins with. One space costs next to nothing, as the next word's token takes it in: 0.1 % of the
/// tokens of prose and 0.4 % of those of code at most, where two spaces cost 3.8 % and 2.1 %, a tab 2.8 % and 1.5 %, and `> `
/// 4.8 % and 10 % (`o200k_base` and `cl100k_base`, this project's own pages and sources).
const INDENT: char = ' ';

/// Whether a character ends a line to any reader: in Unicode, or where a language splits a text into lines.
pub(crate) fn is_line_end(letter: char) -> bool {
    matches!(
        letter,
        '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// Whether a character shows nothing where words end.
fn is_space(letter: char) -> bool {
    letter.is_whitespace() || is_line_end(letter)
}

/// A text of which no line but the first begins at the margin.
pub(crate) fn indent(text: &str) -> Cow<'_, str> {
    indent_by(text, 1)
}

/// A text whose lines after the first begin with so many spaces more.
pub(crate) fn indent_by(text: &str, width: usize) -> Cow<'_, str> {
    if !text.contains(is_line_end) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + text.len() / 32);
    let mut begins_line = false;
    for letter in text.chars() {
        let ends_line = is_line_end(letter);
        if begins_line && !ends_line {
            out.extend(std::iter::repeat_n(INDENT, width));
        }
        out.push(letter);
        begins_line = ends_line;
    }
    out.into()
}

/// What a line of the prompt's own begins with: never white space, and never a slash, which could be of one token with the
/// line end before it.
pub(crate) fn margin(text: &str) -> Cow<'_, str> {
    let text = text.trim_start_matches(is_space);
    if text.starts_with('/') { format!("\\{text}").into() } else { text.into() }
}

/// A text in one line, with one space in the place of each run of white space and line ends.
pub(crate) fn collapse(text: &str) -> String {
    joined(text.split(is_space).filter(|word| !word.is_empty()), " ")
}

/// A label of the config's as it is shown: in one line, at the margin, and all of it to be seen.
pub(crate) fn clean_label(label: &str) -> String {
    let is_seen =
        |letter: &char| is_space(*letter) || !(letter.is_control() || is_invisible(*letter));
    margin(&collapse(&label.chars().filter(is_seen).collect::<String>())).into_owned()
}

/// The most code points of a name before a text.
const LONGEST_NAME: usize = 64;

/// A name before a text: `Mara: hello`. It is in one line, and nothing in it ends it.
pub(crate) fn speaker_name(name: &str) -> String {
    let name: String = collapse(name).chars().take(LONGEST_NAME).collect();
    escape(&name, ':')
}

/// A text without a line at the margin.
pub(crate) fn indent_all(text: &str) -> String {
    format!("{INDENT}{}", indent(text))
}

/// A name within brackets: nothing in it ends them, and nothing in it is hidden.
pub(crate) fn escape_name(name: &str) -> String {
    escape(name, ')')
}

/// What stands before a bracket, or within it: a backslash stands before each end of it and each backslash, and what shows
/// nothing is named by its number.
pub(crate) fn escape(text: &str, end: char) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter == end || letter == '\\' {
            out.push('\\');
            out.push(letter);
        } else if letter.is_control() || is_line_end(letter) || is_invisible(letter) {
            out.extend(letter.escape_unicode());
        } else {
            out.push(letter);
        }
    }
    out
}

/// An action in a list of them: nothing in it passes for the next one, or for how many more there are.
pub(crate) fn escape_action(action: &str) -> String {
    let mut out = String::with_capacity(action.len());
    let mut before = ' ';
    for letter in action.chars() {
        if matches!(letter, '\\' | '|') || (letter == '+' && before == ' ') {
            out.push('\\');
        }
        out.push(letter);
        before = letter;
    }
    out
}

/// Characters that show nothing, or change the order of those around them.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;

    #[test]
    fn indents_every_line_that_holds_anything() {
        for (text, expected) in [
            ("", ""),
            ("one line", "one line"),
            ("a\nb", "a\n b"),
            ("a\n\n\r\nb\r", "a\n\n\r\n b\r"),
            ("\n a", "\n  a"),
            (
                "a\rb\u{85}c\u{2028}d\u{2029}e\u{b}f\u{c}g\u{1c}h",
                "a\r b\u{85} c\u{2028} d\u{2029} e\u{b} f\u{c} g\u{1c} h",
            ),
        ] {
            assert_eq!(indent(text), expected);
        }
        assert_eq!(indent_by("a\n b", 3), "a\n    b");
    }

    #[test]
    fn a_margin_is_no_white_space_and_no_slash() {
        assert_eq!(margin("\n \u{1c}User"), "User");
        assert_eq!(margin(" /a"), "\\/a");
        assert_eq!(margin("\u{3000}"), "");
    }

    #[test]
    fn what_is_escaped_has_one_end() {
        assert_eq!(escape_name("a) b\\"), "a\\) b\\\\");
        assert_eq!(escape_name("a\n\u{200b}"), "a\\u{a}\\u{200b}");
        assert_eq!(escape_action("a | b +2 c++"), "a \\| b \\+2 c++");
        assert_eq!(collapse(" a\u{1c}\r\n b "), "a b");
    }
}
