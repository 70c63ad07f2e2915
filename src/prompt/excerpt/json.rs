//! Cuts a JSON document between the elements of a list, or the members of an object.

use std::ops::Range;

/// If one member takes more than this share of a document, in tenths, the member is cut and not the document.
const MOST_TENTHS: usize = 8;

/// The elements of a document, or of the list or object that is most of it. None if the text isn't JSON, or has fewer
/// than two.
///
/// This takes one pass with a stack, so deep nesting costs nothing extra.
pub(super) fn elements(text: &str) -> Option<Vec<Range<usize>>> {
    let is_container = text.trim_start().starts_with(['[', '{']);
    if !is_container || serde_json::from_str::<serde::de::IgnoredAny>(text).is_err() {
        return None;
    }
    let bytes = text.as_bytes();
    let mut open: Vec<Container> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = end_of_text(bytes, at);
                continue;
            }
            b'[' | b'{' => open.push(Container::beginning(at)),
            b',' => open.last_mut()?.end_element(text, at),
            b']' | b'}' => {
                let mut closed = open.pop()?;
                closed.end_element(text, at);
                let elements = closed.elements_to_cut(at + 1);
                match open.last_mut() {
                    Some(parent) => parent.inner = Some(elements),
                    None => return (elements.len() > 1).then_some(elements),
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// A list or an object that has begun.
struct Container {
    start: usize,
    /// The completed elements or members, without the white space around them.
    elements: Vec<Range<usize>>,
    /// The start of the next element or member.
    next: usize,
    /// The cuts in the value of the next element or member, if that is a container.
    inner: Option<Vec<Range<usize>>>,
    /// The longest element that is a container: its length and its cuts.
    longest: (usize, Vec<Range<usize>>),
}

impl Container {
    fn beginning(start: usize) -> Self {
        let (elements, longest) = (Vec::new(), (0, Vec::new()));
        Self { start, elements, next: start + 1, inner: None, longest }
    }

    fn end_element(&mut self, text: &str, end: usize) {
        let said = &text[self.next..end];
        let start = end - said.trim_start().len();
        let range = start..start + said.trim().len();
        self.next = end + 1;
        if let Some(inner) = self.inner.take().filter(|_| range.len() > self.longest.0) {
            self.longest = (range.len(), inner);
        }
        if !range.is_empty() {
            self.elements.push(range);
        }
    }

    /// The cuts of a container that ends at `end`: between its elements, or within the one that is most of it.
    fn elements_to_cut(self, end: usize) -> Vec<Range<usize>> {
        let (length, inner) = self.longest;
        if length * 10 > (end - self.start) * MOST_TENTHS { inner } else { self.elements }
    }
}

/// True if the container whose first element begins at `first` is an object.
pub(super) fn is_object(text: &str, first: usize) -> bool {
    text[..first].trim_end().ends_with('{')
}

/// A mark as an element of a list, or as a member of an object.
pub(super) fn mark(mark: &str, is_object: bool) -> String {
    if is_object { format!("\"…\":\"{mark}\"") } else { format!("\"{mark}\"") }
}

/// The end of the text that begins with its quotation mark at `start`.
fn end_of_text(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}
