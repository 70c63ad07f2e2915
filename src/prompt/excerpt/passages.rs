//! Splits a text into passages.

use super::json;
use crate::state::context::Gap;
use std::ops::Range;

/// The passages of a text.
#[derive(Debug)]
pub(super) struct Passages {
    pub(super) list: Vec<Passage>,
    /// True if the text is JSON. Marks are then elements of it.
    pub(super) is_json: bool,
}

/// A part of a text that is never split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Passage {
    /// The range in the text, in bytes.
    pub(super) range: Range<usize>,
    /// An earlier passage that provides context: its heading, or its table's header.
    pub(super) below: Option<usize>,
    /// True for a heading or a table's header.
    pub(super) is_heading: bool,
}

/// Approximate size in bytes of a passage of several sentences.
const SENTENCES: usize = 240;

impl Passages {
    /// The passages of a text, in order. They cover all of it except white space, and the JSON around the elements.
    pub(super) fn of(text: &str) -> Self {
        if let Some(elements) = json::elements(text) {
            let passage = |range| Passage { range, below: None, is_heading: false };
            return Self { list: elements.into_iter().map(passage).collect(), is_json: true };
        }
        let mut cut = Cut { text, list: Vec::new(), heading: None };
        cut.all();
        Self { list: cut.list, is_json: false }
    }

    /// Puts the kept passages together with a mark in each gap, and returns the gaps. The text between adjacent kept
    /// passages stays unchanged.
    pub(super) fn assemble(
        &self,
        text: &str,
        is_kept: &[bool],
        count: &dyn Fn(&str) -> u64,
    ) -> (String, Vec<Gap>) {
        let mut out = String::new();
        let mut gaps = Vec::new();
        // The text before the first element and after the last one belongs to the document itself.
        let (begin, end) = match (self.is_json, self.list.first(), self.list.last()) {
            (true, Some(first), Some(last)) => (first.range.start, last.range.end),
            _ => (0, text.len()),
        };
        out.push_str(&text[..begin]);
        let is_object = self.is_json && json::is_object(text, begin);
        let mut at = 0;
        while at < self.list.len() {
            let stretch =
                (at..self.list.len()).take_while(|it| is_kept[*it] == is_kept[at]).count();
            let range = self.list[at].range.start..self.list[at + stretch - 1].range.end;
            let part = &text[range];
            if at > 0 {
                out.push_str(if self.is_json { "," } else { "\n" });
            }
            if is_kept[at] {
                out.push_str(part);
            } else {
                let tokens = count(part);
                gaps.push(Gap { start: out.len(), tokens });
                let mark = mark(tokens);
                out.push_str(&if self.is_json { json::mark(&mark, is_object) } else { mark });
            }
            at += stretch;
        }
        out.push_str(&text[end..]);
        (out, gaps)
    }
}

/// The mark for omitted text.
pub(crate) fn mark(tokens: u64) -> String {
    let noun = if tokens == 1 { "token" } else { "tokens" };
    format!("[… {} {noun} left out{MARK_END}", grouped(tokens))
}

/// The end of a mark.
pub(crate) const MARK_END: &str = " …]";

/// A number with a comma between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A text that is being split.
struct Cut<'a> {
    text: &'a str,
    list: Vec<Passage>,
    /// The heading above the current line.
    heading: Option<usize>,
}

impl Cut<'_> {
    fn all(&mut self) {
        let text = self.text;
        let mut lines = lines(text).into_iter().peekable();
        while let Some(line) = lines.next() {
            let said = text[line.clone()].trim();
            if let Some(fence) = fence_of(said) {
                // A block of code is one passage, including its fences. An unclosed block extends to the end.
                let mut end = line.end;
                for next in lines.by_ref() {
                    end = next.end;
                    if closes(text[next].trim(), fence) {
                        break;
                    }
                }
                self.add(line.start..end, self.heading, false);
            } else if is_heading(said) {
                self.add(line, None, true);
                self.heading = self.list.len().checked_sub(1);
            } else if is_row(said)
                && let Some(rule) = lines.next_if(|next| is_rule(text[next.clone()].trim()))
            {
                self.add(line.start..rule.end, self.heading, true);
                let head = self.list.len().checked_sub(1);
                while let Some(row) = lines.next_if(|next| is_row(text[next.clone()].trim())) {
                    self.add(row, head, false);
                }
            } else if is_list_item(said) {
                let mut end = line.end;
                while let Some(more) = lines.next_if(|next| is_below_item(&text[next.clone()])) {
                    end = more.end;
                }
                self.add(line.start..end, self.heading, false);
            } else {
                self.sentences(line);
            }
        }
    }

    /// Adds a passage, without the white space around it.
    fn add(&mut self, range: Range<usize>, below: Option<usize>, is_heading: bool) {
        let part = &self.text[range.clone()];
        let start = range.start + (part.len() - part.trim_start().len());
        let end = range.start + part.trim_end().len();
        if start < end {
            self.list.push(Passage { range: start..end, below, is_heading });
        }
    }

    /// Adds the sentences of a line. Short ones share a passage.
    fn sentences(&mut self, line: Range<usize>) {
        let (mut begin, mut before) = (line.start, line.start);
        for end in sentence_ends(&self.text[line.clone()]) {
            let end = line.start + end;
            if end - begin > SENTENCES && before > begin {
                self.add(begin..before, self.heading, false);
                begin = before;
            }
            before = end;
        }
        self.add(begin..line.end, self.heading, false);
    }
}

/// The lines of a text, with their ends.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut at = 0;
    let range = |line: &str| {
        at += line.len();
        at - line.len()..at
    };
    text.split_inclusive('\n').map(range).collect()
}

/// The ends of a line's sentences, including the white space after each. The last is the end of the line.
fn sentence_ends(line: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let (mut is_over, mut is_behind) = (false, false);
    for (at, letter) in line.char_indices() {
        if is_behind && !letter.is_whitespace() {
            ends.push(at);
            (is_over, is_behind) = (false, false);
        }
        match letter {
            '.' | '!' | '?' | '…' | '؟' | '।' => is_over = true,
            '。' | '！' | '？' => (is_over, is_behind) = (true, true),
            ')' | ']' | '"' | '\'' | '”' | '’' | '»' | '」' | '』' => {}
            _ if letter.is_whitespace() => is_behind = is_over,
            _ => is_over = false,
        }
    }
    ends.push(line.len());
    ends
}

/// The fence of the code block that a line opens.
fn fence_of(line: &str) -> Option<&str> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(mark).len();
    (length >= 3).then(|| &line[..length])
}

/// True if a line closes a block of code: it has at least as many of the same marks, and nothing else.
fn closes(line: &str, fence: &str) -> bool {
    line.starts_with(fence) && line.trim_start_matches(&fence[..1]).is_empty()
}

fn is_heading(line: &str) -> bool {
    let after = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - after.len())) && after.starts_with(char::is_whitespace)
}

fn is_row(line: &str) -> bool {
    line.starts_with('|')
}

/// True if a line is the rule below a table's header.
fn is_rule(line: &str) -> bool {
    is_row(line) && line.contains('-') && line.chars().all(|it| matches!(it, '|' | '-' | ':' | ' '))
}

fn is_list_item(line: &str) -> bool {
    const MOST_DIGITS: usize = 3;
    let after_number = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let digits = line.len() - after_number.len();
    let after = match digits {
        0 => line.strip_prefix(['-', '*', '+', '•', '–', '·']),
        1..=MOST_DIGITS => after_number.strip_prefix(['.', ')']),
        _ => None,
    };
    after.is_some_and(|after| after.starts_with(char::is_whitespace))
}

/// True if a line continues the list item before it: it is indented, and doesn't begin another block.
fn is_below_item(line: &str) -> bool {
    let said = line.trim();
    line.starts_with([' ', '\t'])
        && !said.is_empty()
        && !is_list_item(said)
        && fence_of(said).is_none()
}
