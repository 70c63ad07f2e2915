//! A segment of the index: the terms of consecutive messages.

use crate::base::map;
use std::borrow::Cow;
use std::ops::Range;

/// An entry for a message with a term: its place in the segment, and the number of occurrences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Posting(pub(super) u32);

/// The number of low bits for the occurrences.
pub(super) const OFTEN_BITS: u32 = 6;
const MOST_OFTEN: u32 = (1 << OFTEN_BITS) - 1;

impl Posting {
    pub(super) fn new(place: usize, often: usize) -> Self {
        Self(narrow(place) << OFTEN_BITS | narrow(often).min(MOST_OFTEN))
    }

    /// The posting for the same message if places are counted from another message.
    pub(super) fn moved(self, from: usize, to: usize) -> Self {
        // The place is in the high bits, so an offset in either direction can be added to the whole number.
        Self(self.0.wrapping_add(narrow(from).wrapping_sub(narrow(to)) << OFTEN_BITS))
    }

    pub(crate) fn place(self) -> usize {
        (self.0 >> OFTEN_BITS) as usize
    }

    pub(crate) fn often(self) -> u16 {
        (self.0 & MOST_OFTEN) as u16
    }
}

/// Consecutive messages by their terms. A segment never changes.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// The messages' places.
    pub(crate) messages: Range<usize>,
    /// For each value of a term's first bits, the first term with these bits. One extra entry has the end of the last
    /// one.
    starts: Vec<u32>,
    /// The terms, ascending.
    terms: Vec<u32>,
    /// The end of each term's postings.
    ends: Vec<u32>,
    postings: Vec<Posting>,
}

/// The number of leading bits of a term that the directory uses.
const DIRECTORY_BITS: u32 = 10;

impl Segment {
    /// A segment without terms.
    pub(super) fn new(messages: Range<usize>) -> Self {
        let starts = Vec::with_capacity((1 << DIRECTORY_BITS) + 1);
        Self { messages, starts, terms: Vec::new(), ends: Vec::new(), postings: Vec::new() }
    }

    /// Adds postings of a term, which must not come before the last term so far.
    pub(super) fn add(&mut self, term: u32, postings: impl Iterator<Item = Posting>) {
        self.postings.extend(postings);
        let end = narrow(self.postings.len());
        if self.terms.last() == Some(&term) {
            self.ends.pop();
        } else if self.ends.last().copied().unwrap_or_default() == end {
            return; // there weren't any
        } else {
            let length = self.starts.len().max(directory_place(term) + 1);
            self.starts.resize(length, narrow(self.terms.len()));
            self.terms.push(term);
        }
        self.ends.push(end);
    }

    /// Completes the directory after all terms.
    pub(super) fn finished(mut self) -> Self {
        self.starts.resize((1 << DIRECTORY_BITS) + 1, narrow(self.terms.len()));
        self.terms.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.postings.shrink_to_fit();
        self
    }

    /// Number of postings.
    pub(super) fn len(&self) -> usize {
        self.postings.len()
    }

    /// The terms, ascending, each with its postings.
    pub(super) fn lists(&self) -> impl Iterator<Item = (u32, &[Posting])> {
        let mut start = 0;
        self.terms.iter().zip(&self.ends).map(move |(term, end)| {
            let begin = std::mem::replace(&mut start, *end as usize);
            (*term, &self.postings[begin..*end as usize])
        })
    }

    /// The postings of a term, ascending.
    pub(crate) fn of(&self, term: u32) -> &[Posting] {
        let place = directory_place(term);
        let bounds = self.starts[place] as usize..self.starts[place + 1] as usize;
        let Ok(at) = self.terms[bounds.clone()].binary_search(&term) else {
            return &[];
        };
        let at = bounds.start + at;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.postings[start..self.ends[at] as usize]
    }

    /// The postings of some terms, ascending, as if they were one term: a message has the highest count of any of them.
    pub(crate) fn of_any(&self, terms: &[u32]) -> Cow<'_, [Posting]> {
        let lists = terms.iter().map(|term| self.of(*term)).filter(|list| !list.is_empty());
        let lists: Vec<&[Posting]> = lists.collect();
        if let [] | [_] = lists[..] {
            return lists.first().copied().unwrap_or_default().into();
        }
        // Sorted by message, then by descending count.
        let all = lists.into_iter().flatten();
        let mut order: Vec<u64> = all.map(|posting| u64::from(posting.0 ^ MOST_OFTEN)).collect();
        map::sort_numbers(&mut order);
        let postings = order.into_iter().map(|number| Posting(map::halves(number).1 ^ MOST_OFTEN));
        let mut postings: Vec<Posting> = postings.collect();
        postings.dedup_by_key(|posting| posting.place());
        postings.into()
    }

    /// The segment of some of its messages.
    pub(super) fn part(&self, messages: Range<usize>) -> Self {
        let first = self.messages.start;
        let places = messages.start - first..messages.end - first;
        let mut part = Self::new(messages);
        for (term, postings) in self.lists() {
            let place_of = |bound: usize| postings.partition_point(|it| it.place() < bound);
            part.append(term, &postings[place_of(places.start)..place_of(places.end)], first);
        }
        part.finished()
    }

    /// The segment of its messages and those of the next segment.
    pub(super) fn join(&self, next: &Self) -> Self {
        let mut both = Self::new(self.messages.start..next.messages.end);
        // Growing by doubling would take up to twice as much memory.
        both.postings.reserve_exact(self.len() + next.len());
        both.terms.reserve_exact(self.terms.len() + next.terms.len());
        both.ends.reserve_exact(self.terms.len() + next.terms.len());
        let mut others = next.lists().peekable();
        for (term, postings) in self.lists() {
            while let Some((other, postings)) = others.next_if(|(other, _)| *other < term) {
                both.append(other, postings, next.messages.start);
            }
            both.append(term, postings, self.messages.start);
        }
        for (other, postings) in others {
            both.append(other, postings, next.messages.start);
        }
        both.finished()
    }

    /// Adds postings of a segment with another first message.
    fn append(&mut self, term: u32, postings: &[Posting], first: usize) {
        let start = self.messages.start;
        self.add(term, postings.iter().map(|posting| posting.moved(first, start)));
    }
}

/// The directory's entry for a term. Terms are spread evenly, so few share one.
fn directory_place(term: u32) -> usize {
    (term >> (u32::BITS - DIRECTORY_BITS)) as usize
}

/// Converts a number of messages or postings. An index has far fewer than 2^32 of them, because each takes several
/// bytes.
#[expect(clippy::cast_possible_truncation, reason = "see above")]
pub(crate) fn narrow(number: usize) -> u32 {
    number as u32
}
