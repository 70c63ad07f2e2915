//! Where a JSON document may be cut: between the elements of a list, or the members of an object.

use std::ops::Range;

/// A member is most of a document where it has more than this share of it, in tenths: then that is cut.
const MOST_TENTHS: usize = 8;

/// The elements of a document, or of the list or object that is most of it; none where a text is no JSON, or has fewer than two.
pub(super) fn elements(text: &str) -> Option<Vec<Range<usize>>> {
    let first = text.trim_start();
    if !first.starts_with(['[', '{'])
        || serde_json::from_str::<serde::de::IgnoredAny>(text).is_err()
    {
        return None;
    }
    let mut within = text.len() - first.len()..text.trim_end().len();
    loop {
        let found = elements_of(text, within.clone());
        let large = found.iter().find(|it| it.len() * 10 > within.len() * MOST_TENTHS);
        match large.and_then(|member| container_in(text, member.clone())) {
            Some(container) => within = container,
            None => return (found.len() > 1).then_some(found),
        }
    }
}

/// A mark as an element of the list, or as a member of the object, whose first element begins here.
pub(super) fn mark(text: &str, first: usize, mark: &str) -> String {
    let is_object = text[..first].trim_end().ends_with('{');
    if is_object { format!("\"…\":\"{mark}\"") } else { format!("\"{mark}\"") }
}

/// The list or object that a member is, or that its value is.
fn container_in(text: &str, member: Range<usize>) -> Option<Range<usize>> {
    let part = &text[member.clone()];
    let mut at = 0;
    if part.starts_with('"') {
        // A member of an object begins with its name; an element of a list may be a text and nothing else.
        let name = end_of_text(part, 0);
        let after = part[name..].trim_start();
        at = part.len() - after.strip_prefix(':')?.trim_start().len();
    }
    part[at..].starts_with(['[', '{']).then(|| member.start + at..member.end)
}

/// The elements of the list or the members of the object that fills a range.
fn elements_of(text: &str, within: Range<usize>) -> Vec<Range<usize>> {
    let part = &text[within.clone()];
    let bytes = part.as_bytes();
    let mut found = Vec::new();
    let (mut depth, mut begin, mut at) = (0_usize, 0, 0);
    let mut add = |begin: usize, end: usize| {
        let said = &part[begin..end];
        let start = within.start + begin + (said.len() - said.trim_start().len());
        let end = within.start + begin + said.trim_end().len();
        if start < end {
            found.push(start..end);
        }
    };
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = end_of_text(part, at);
                continue;
            }
            b'[' | b'{' => {
                depth += 1;
                begin = if depth == 1 { at + 1 } else { begin };
            }
            b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    add(begin, at);
                }
            }
            b',' if depth == 1 => {
                add(begin, at);
                begin = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// The end of the text that begins here with its quotation mark.
fn end_of_text(part: &str, start: usize) -> usize {
    let bytes = part.as_bytes();
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}
