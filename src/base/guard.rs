//! Keeps other people's text apart from the prompt's own lines, in the text formats.
//!
//! A single structural rule does it. The prompt's own lines begin with a visible character, and every line of content
//! after its first begins with a space. Empty lines stay empty. The rule never looks at the words of a line, so no
//! wording can get around it, and removing the spaces restores the content. `docs/formats.md` has the grammar of each
//! format.

use crate::base::text::joined;
use std::borrow::Cow;

/// Prefix of content lines. A single space costs almost nothing, because it merges into the next word's token: at
/// most 0.1 % of the tokens of prose and 0.4 % of those of code. Two spaces cost 3.8 % and 2.1 %, a tab 2.8 % and 1.5
/// %, and `> ` 4.8 % and 10 % (`o200k_base` and `cl100k_base`, this project's own pages and sources).
const INDENT: char = ' ';

/// True if any reader treats the character as a line end: Unicode, or a language's function that splits a text into
/// lines.
pub(crate) fn is_line_end(letter: char) -> bool {
    matches!(
        letter,
        '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// True if the character is invisible at the end of a word.
fn is_space(letter: char) -> bool {
    letter.is_whitespace() || is_line_end(letter)
}

/// Indents a text's lines after the first, so that only its first line begins at the margin.
pub(crate) fn indent(text: &str) -> Cow<'_, str> {
    indent_by(text, 1)
}

/// Indents a text's lines after the first by `width` more spaces.
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

/// Prepares a text to begin one of the prompt's own lines: never with white space, and never with a slash, which could
/// merge with the line end before it into one token.
pub(crate) fn margin(text: &str) -> Cow<'_, str> {
    let text = text.trim_start_matches(is_space);
    if text.starts_with('/') { format!("\\{text}").into() } else { text.into() }
}

/// A text on one line. Each run of white space and line ends becomes one space.
pub(crate) fn collapse(text: &str) -> String {
    joined(text.split(is_space).filter(|word| !word.is_empty()), " ")
}

/// A label of the config in its visible form: in one line, at the margin, without hidden characters.
pub(crate) fn clean_label(label: &str) -> String {
    let is_seen =
        |letter: &char| is_space(*letter) || !(letter.is_control() || is_invisible(*letter));
    margin(&collapse(&label.chars().filter(is_seen).collect::<String>())).into_owned()
}

/// A name before a text, as in `Mara: hello`. It begins at the margin, and nothing in it can end it. Different names
/// stay different. `None` if it has no visible character.
pub(crate) fn speaker_name(name: &str) -> Option<String> {
    if collapse(name).is_empty() {
        return None;
    }
    let escaped = escape(name, ':');
    Some(match escaped.strip_prefix(' ') {
        Some(rest) => format!("\\u{{20}}{rest}"),
        None => escaped,
    })
}

/// Indents all lines of a text.
pub(crate) fn indent_all(text: &str) -> String {
    format!("{INDENT}{}", indent(text))
}

/// A name within brackets. Nothing in it can end them, and nothing in it is hidden.
pub(crate) fn escape_name(name: &str) -> String {
    escape(name, ')')
}

/// Escapes a text before or within a bracket: a backslash precedes each closing bracket and each backslash, and
/// invisible characters and unusual spaces become their code points.
pub(crate) fn escape(text: &str, end: char) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter == end || letter == '\\' {
            out.push('\\');
            out.push(letter);
        } else if letter.is_control() || (is_space(letter) && letter != ' ') || is_invisible(letter)
        {
            out.extend(letter.escape_unicode());
        } else {
            out.push(letter);
        }
    }
    out
}

/// An action in a list of actions. It can't look like the next one, or like the count of omitted ones.
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

/// True for characters that are invisible, or that reorder the characters around them: those that Unicode calls
/// ignorable, the marks of annotations, and the blank of Braille.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;

    #[test]
    fn indents_every_line_that_is_not_empty() {
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
    fn a_margin_is_neither_white_space_nor_a_slash() {
        assert_eq!(margin("\n \u{1c}User"), "User");
        assert_eq!(margin(" /a"), "\\/a");
        assert_eq!(margin("\u{3000}"), "");
    }

    #[test]
    fn escaped_text_has_one_end() {
        assert_eq!(escape_name("a) b\\"), "a\\) b\\\\");
        assert_eq!(escape_name("a\n\u{200b}"), "a\\u{a}\\u{200b}");
        assert_eq!(escape_name("a \u{a0}\u{3164}"), "a \\u{a0}\\u{3164}");
        assert_eq!(speaker_name(" a: "), Some("\\u{20}a\\: ".to_owned()));
        assert_eq!(speaker_name(" \u{3000}\n"), None);
        assert_eq!(escape_action("a | b +2 c++"), "a \\| b \\+2 c++");
        assert_eq!(collapse(" a\u{1c}\r\n b "), "a b");
    }
}
