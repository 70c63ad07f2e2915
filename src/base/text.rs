//! Parts of a text, cut between whole characters.

use unicode_segmentation::GraphemeCursor;

/// A text cut to at most `char_count` code points, with `...` at its end.
pub(crate) fn excerpt(text: &str, char_count: usize) -> String {
    if text.chars().nth(char_count).is_none() {
        return text.to_owned();
    }
    let kept = head(text, char_count.saturating_sub(ELLIPSIS.len()));
    format!("{}{}", kept.trim_end(), &ELLIPSIS[..ELLIPSIS.len().min(char_count)])
}

const ELLIPSIS: &str = "...";

/// A text joined from parts, with the same separator between each two.
#[derive(Debug)]
pub(crate) struct JoinedText {
    text: String,
    between: &'static str,
    is_begun: bool,
}

impl JoinedText {
    pub(crate) fn by(between: &'static str) -> Self {
        Self { text: String::new(), between, is_begun: false }
    }

    pub(crate) fn push(&mut self, part: &str) {
        if std::mem::replace(&mut self.is_begun, true) {
            self.text.push_str(self.between);
        }
        self.text.push_str(part);
    }

    pub(crate) fn text(self) -> String {
        self.text
    }
}

/// Joins parts into one text, with a separator between them.
pub(crate) fn joined<'a>(parts: impl Iterator<Item = &'a str>, between: &'static str) -> String {
    let mut joined = JoinedText::by(between);
    parts.for_each(|part| joined.push(part));
    joined.text()
}

/// The first code points of a text, without a torn character at their end.
pub(crate) fn head(text: &str, char_count: usize) -> &str {
    let end = text.char_indices().nth(char_count).map_or(text.len(), |(position, _)| position);
    let mut cursor = GraphemeCursor::new(end, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(true) => &text[..end],
        _ => &text[..cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0)],
    }
}

/// The last code points of a text, without a torn character at their beginning.
pub(crate) fn tail(text: &str, char_count: usize) -> &str {
    let start = match char_count.checked_sub(1) {
        Some(before) => text.char_indices().nth_back(before).map_or(0, |(position, _)| position),
        None => text.len(),
    };
    let mut cursor = GraphemeCursor::new(start, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(true) => &text[start..],
        _ => &text[cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len())..],
    }
}

/// A count with its noun: `1 token`, `2 tokens`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
