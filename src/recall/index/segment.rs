//! A segment of the index: the messages of a stretch, by the terms that they have.

use crate::base::map;
use std::borrow::Cow;
use std::ops::Range;

/// That a message has a term: its place in the segment, and how often it has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Posting(pub(super) u32);

/// The bits that say how often: the last ones.
pub(super) const OFTEN_BITS: u32 = 6;
const MOST_OFTEN: u32 = (1 << OFTEN_BITS) - 1;

impl Posting {
    pub(super) fn new(place: usize, often: usize) -> Self {
        Self(narrow(place) << OFTEN_BITS | narrow(often).min(MOST_OFTEN))
    }

    pub(crate) fn place(self) -> usize {
        (self.0 >> OFTEN_BITS) as usize
    }

    pub(crate) fn often(self) -> u16 {
        (self.0 & MOST_OFTEN) as u16
    }

    /// The same in a segment that begins earlier by so many messages, or later.
    fn shifted(self, from: usize, to: usize) -> Self {
        Self::new(self.place() + from - to, self.often().into())
    }
}

/// The messages of a stretch, by the terms that they have. It never changes.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// Its messages.
    pub(crate) messages: Range<usize>,
    /// By the first bits of terms: where those begin that have them. One more says where the last of them end.
    starts: Vec<u32>,
    /// The terms, ascending.
    terms: Vec<u32>,
    /// Where the postings of each term end.
    ends: Vec<u32>,
    postings: Vec<Posting>,
}

/// The first bits of a term that a segment's directory goes by.
const DIRECTORY_BITS: u32 = 10;

impl Segment {
    /// Of terms, ascending, each with its postings.
    pub(super) fn new<Postings: Iterator<Item = Posting>>(
        messages: Range<usize>,
        lists: impl Iterator<Item = (u32, Postings)>,
    ) -> Self {
        let (mut terms, mut ends, mut postings) = (Vec::new(), Vec::new(), Vec::new());
        let mut starts = Vec::with_capacity((1 << DIRECTORY_BITS) + 1);
        for (term, list) in lists {
            let begin = postings.len();
            postings.extend(list);
            if postings.len() > begin {
                starts.resize(starts.len().max(directory_place(term) + 1), narrow(terms.len()));
                terms.push(term);
                ends.push(narrow(postings.len()));
            }
        }
        starts.resize((1 << DIRECTORY_BITS) + 1, narrow(terms.len()));
        Self { messages, starts, terms, ends, postings }
    }

    /// How many postings it has.
    pub(super) fn len(&self) -> usize {
        self.postings.len()
    }

    /// Its terms, ascending, each with its postings.
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

    /// The postings of some terms, ascending, as if they were one: a message has it as often as the term that it has most often.
    pub(crate) fn of_any(&self, terms: &[u32]) -> Cow<'_, [Posting]> {
        if let [term] = terms {
            return self.of(*term).into();
        }
        // By message, the highest count first.
        let all = terms.iter().flat_map(|term| self.of(*term));
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
        let lists = self.lists().map(|(term, postings)| {
            let begin = postings.partition_point(|posting| posting.place() < places.start);
            let within = postings[begin..].iter().take_while(|it| it.place() < places.end);
            (term, within.map(|posting| posting.shifted(first, messages.start)))
        });
        Self::new(messages.clone(), lists)
    }

    /// The segment of its messages and of those of the next.
    pub(super) fn join(&self, next: &Self) -> Self {
        let first = self.messages.start;
        let (mut lists, mut others) = (self.lists().peekable(), next.lists().peekable());
        let both = std::iter::from_fn(|| {
            let term = match (lists.peek(), others.peek()) {
                (Some((term, _)), Some((other, _))) => *term.min(other),
                (Some((term, _)), None) | (None, Some((term, _))) => *term,
                (None, None) => return None,
            };
            let of_term = |list: &(u32, &[Posting])| list.0 == term;
            let list = lists.next_if(of_term).map_or(&[][..], |(_, list)| list);
            let other = others.next_if(of_term).map_or(&[][..], |(_, list)| list);
            let other = other.iter().map(|posting| posting.shifted(next.messages.start, first));
            Some((term, list.iter().copied().chain(other)))
        });
        Self::new(first..next.messages.end, both)
    }
}

/// Where a segment's directory says where a term is: terms are spread evenly, so few share a place.
fn directory_place(term: u32) -> usize {
    (term >> (u32::BITS - DIRECTORY_BITS)) as usize
}

/// An index has far fewer messages and postings than 2^32: each takes more bytes than one.
#[expect(clippy::cast_possible_truncation, reason = "see above")]
pub(crate) fn narrow(number: usize) -> u32 {
    number as u32
}
