//! The index: what every message says in terms, and who said it when, small enough to keep for a million messages.
//!
//! Messages are appended or cut off at the end. The newest are in the open part; as soon as there are enough of them they
//! become a segment, which never changes again, so that a store can keep it. A posting is 16 bits: the message's place in
//! its segment, and how often it has the term.

pub mod log;
pub mod vectors;

use crate::base::bytes::Reader;
use crate::base::map::{self, Hashed};
use crate::base::message::{Field, Role};
use crate::base::time::{MILLISECONDS_PER_MINUTE, Milliseconds};
use crate::log::messages::Messages;
use crate::log::messages::WHOLE_LOG_FIELDS;
use crate::recall::text::language::Language;
use crate::recall::text::terms::{Analyzer, Kind, Term, identifier_count, is_question};
use std::borrow::Cow;
use std::cell::OnceCell;
use xxhash_rust::xxh64::xxh64;

/// The most messages of a segment: their places fit [`PLACE_BITS`].
const SEGMENT_MESSAGES: usize = 1 << PLACE_BITS;
/// With how many postings a segment is full: it stays below 64 kB then, beyond which stores keep a value less well.
const SEGMENT_POSTINGS: usize = 12_000;
const PLACE_BITS: u32 = 10;
/// A language is spoken where every so many-th message is in it.
const FEW: usize = 64;
const MOST_OFTEN: u16 = (1 << (16 - PLACE_BITS)) - 1;

/// How much of a message is indexed, in bytes: its terms fit a segment with those of a full one.
const LONGEST_TEXT: usize = 1 << 15;

/// What every message says in terms, and who said it when.
#[derive(Clone, Debug)]
pub struct Index {
    segments: Vec<Segment>,
    /// The postings behind the last segment, in the order of the messages.
    open: Vec<Posting>,
    /// These as a segment, from the first request to the next message.
    open_segment: OnceCell<Segment>,
    /// The first message behind the last segment.
    first_open: usize,
    messages: Columns,
    speakers: Speakers,
    /// How many messages have each term.
    message_counts: Hashed<u32, u32>,
    /// How often each language was found, by its code.
    languages: [u32; Language::ALL.len() + 1],
    /// The sum of all lengths.
    total_length: u64,
    /// The time of the last message that has one, and the latest of all; `i64::MIN` where none has.
    last_time: i64,
    latest_time: i64,
    /// Messages for which the log must be read whole.
    whole_log_count: usize,
}

/// A term in a message of the open part: the term, and behind it the posting as it is in a segment.
#[derive(Clone, Copy, Debug)]
struct Posting(u64);

#[expect(clippy::cast_possible_truncation, reason = "32 and 16 bits were put together")]
impl Posting {
    fn term(self) -> u32 {
        (self.0 >> 16) as u32
    }

    fn in_segment(self) -> u16 {
        self.0 as u16
    }

    fn sort(postings: &mut Vec<Self>) {
        let mut numbers: Vec<u64> = postings.iter().map(|posting| posting.0).collect();
        map::sort_numbers(&mut numbers);
        *postings = numbers.into_iter().map(Self).collect();
    }
}

/// The first bits of a term that a segment's directory goes by.
const DIRECTORY_BITS: u32 = 10;
const DIRECTORY_LENGTH: usize = 1 << DIRECTORY_BITS;

/// A finished part of the index.
#[derive(Clone, Debug, Default)]
struct Segment {
    first: usize,
    /// By the first bits of terms: where those begin that have them. One more says where the last of them end.
    starts: Vec<u16>,
    /// The terms, ascending.
    terms: Vec<u32>,
    /// Where the postings of each term end.
    ends: Vec<u16>,
    postings: Vec<u16>,
}

/// Facts of each message beside its terms.
#[derive(Clone, Debug, Default)]
struct Columns {
    /// How many terms it has.
    lengths: Vec<u16>,
    speakers: Vec<u16>,
    /// `i64::MIN` where it has none.
    times: Vec<i64>,
    /// A checksum of its conversation's id; 0 where it names none.
    conversations: Vec<u32>,
    /// How many identifiers it has.
    identifiers: Vec<u8>,
    flags: Vec<u8>,
}

pub(crate) const IS_QUESTION: u8 = 1;
/// Another conversation begins with it.
pub(crate) const IS_START: u8 = 2;
/// Whether it is part of its log's history depends on more than its place: it is of a session that it names, a summary, or
/// valid for a time, or its clock is behind that of one before it.
const NEEDS_WHOLE_LOG: u8 = 4;
const LANGUAGE_SHIFT: u32 = 3;

/// A longer pause begins another conversation, where messages name none.
pub(crate) const PAUSE: i64 = 30 * MILLISECONDS_PER_MINUTE;

/// Who speaks in a transcript.
#[derive(Clone, Debug, Default)]
struct Speakers {
    list: Vec<Speaker>,
    known: Hashed<(Role, String), u16>,
}

/// A speaker: by the name, or by the role where no name is given.
#[derive(Clone, Debug)]
pub(crate) struct Speaker {
    pub(crate) name: String,
    pub(crate) role: Role,
}

impl Default for Index {
    fn default() -> Self {
        Self {
            segments: Vec::new(),
            open: Vec::new(),
            open_segment: OnceCell::new(),
            first_open: 0,
            messages: Columns::default(),
            speakers: Speakers::default(),
            message_counts: Hashed::default(),
            languages: [0; Language::ALL.len() + 1],
            total_length: 0,
            last_time: i64::MIN,
            latest_time: i64::MIN,
            whole_log_count: 0,
        }
    }
}

impl Index {
    /// How many messages are indexed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.messages.lengths.len()
    }

    /// Whether nothing is indexed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a message of a transcript.
    pub fn append(&mut self, transcript: &Messages, row: usize, analyzer: &mut Analyzer) {
        if self.is_full() {
            self.close();
        }
        self.open_segment.take();
        #[expect(clippy::cast_possible_truncation, reason = "a segment is closed before")]
        let place = (self.len() - self.first_open) as u16;
        let text = text_of(transcript, row);
        let before = self.messages.flags.last().map_or(0, |flags| flags >> LANGUAGE_SHIFT);
        let language = crate::recall::text::detect::detect(&text).or_else(|| language_of(before));
        let mut terms: Vec<u64> = Vec::new();
        let mut length = 0_u32;
        analyzer.document(&text, language, &mut |term: Term| {
            terms.push(u64::from(short(term)));
            length += u32::from(term.kind != Kind::Gram);
        });
        map::sort_numbers(&mut terms);
        for same in terms.chunk_by(|one, other| one == other) {
            #[expect(clippy::cast_possible_truncation, reason = "it is at most what fits")]
            let often = same.len().min(MOST_OFTEN as usize) as u16;
            let posting = Posting(same[0] << 16 | u64::from(place << (16 - PLACE_BITS) | often));
            *self.message_counts.entry(posting.term()).or_default() += 1;
            self.open.push(posting);
        }
        let code = language.map_or(0, |language| language as u8 + 1);
        self.languages[code as usize] += 1;
        let length = u16::try_from(length).unwrap_or(u16::MAX);
        self.total_length += u64::from(length);
        let name = transcript.value(row, Field::Name).unwrap_or_default();
        let time = transcript.time(row).map_or(i64::MIN, |time| time.0);
        let conversation = conversation_of(transcript, row);
        let flag = |is: bool, flag: u8| if is { flag } else { 0 };
        let needs_whole_log =
            needs_whole_log(transcript, row) || (time != i64::MIN && time < self.latest_time);
        let flags = flag(is_question(&text), IS_QUESTION)
            | flag(self.starts(time, conversation), IS_START)
            | flag(needs_whole_log, NEEDS_WHOLE_LOG)
            | code << LANGUAGE_SHIFT;
        let columns = &mut self.messages;
        columns.lengths.push(length);
        columns.speakers.push(self.speakers.intern(transcript.role(row), name));
        columns.times.push(time);
        columns.conversations.push(conversation);
        columns.identifiers.push(identifier_count(&text));
        columns.flags.push(flags);
        self.note(time, needs_whole_log);
    }

    /// Whether another conversation begins with the next message.
    fn starts(&self, time: i64, conversation: u32) -> bool {
        let before = self.messages.conversations.last().copied();
        let is_timed = time != i64::MIN && self.last_time != i64::MIN;
        match before {
            None => true,
            Some(before) if before != 0 && conversation != 0 => before != conversation,
            Some(_) => is_timed && time.saturating_sub(self.last_time) > PAUSE,
        }
    }

    /// Notes the time of the last message.
    fn note(&mut self, time: i64, needs_whole_log: bool) {
        self.whole_log_count += usize::from(needs_whole_log);
        if time != i64::MIN {
            self.last_time = time;
            self.latest_time = self.latest_time.max(time);
        }
    }

    /// Forgets all messages from the one at `length` on.
    pub fn truncate(&mut self, length: usize) {
        if length >= self.len() {
            return;
        }
        self.open_segment.take();
        for at in length..self.len() {
            let flags = self.messages.flags[at];
            self.total_length -= u64::from(self.messages.lengths[at]);
            self.languages[(flags >> LANGUAGE_SHIFT) as usize] -= 1;
            self.whole_log_count -= usize::from(flags & NEEDS_WHOLE_LOG != 0);
        }
        while self.first_open > length {
            let Some(segment) = self.segments.pop() else {
                break;
            };
            self.forget(0);
            self.first_open = segment.first;
            self.open = segment.open();
        }
        self.forget(length - self.first_open);
        let columns = &mut self.messages;
        columns.lengths.truncate(length);
        columns.speakers.truncate(length);
        columns.times.truncate(length);
        columns.conversations.truncate(length);
        columns.identifiers.truncate(length);
        columns.flags.truncate(length);
        let times = &columns.times;
        let last = times.iter().rev().copied().find(|time| *time != i64::MIN);
        self.last_time = last.unwrap_or(i64::MIN);
        self.latest_time = match self.whole_log_count {
            0 => self.last_time, // each is later than the one before it
            _ => times.iter().copied().max().unwrap_or(i64::MIN),
        };
        let count = first_beyond(&columns.speakers).min(self.speakers.list.len());
        for speaker in self.speakers.list.drain(count..) {
            self.speakers.known.remove(&(speaker.role, speaker.name));
        }
    }

    /// Forgets the open postings from a place on.
    fn forget(&mut self, first: usize) {
        let kept = self.open.partition_point(|open| place_of(open.in_segment()) < first);
        for open in self.open.drain(kept..) {
            if let Some(count) = self.message_counts.get_mut(&open.term()) {
                *count -= 1;
                if *count == 0 {
                    self.message_counts.remove(&open.term());
                }
            }
        }
    }

    fn is_full(&self) -> bool {
        self.len() - self.first_open >= SEGMENT_MESSAGES || self.open.len() >= SEGMENT_POSTINGS
    }

    /// Where the segments end.
    pub(super) fn segment_ends(&self) -> Vec<usize> {
        let begins = self.segments.iter().skip(1).map(|segment| segment.first);
        begins.chain((!self.segments.is_empty()).then_some(self.first_open)).collect()
    }

    // ---- As bytes ----

    /// Writes the messages from `first` to before `end`: those of a segment, or of the open part as far as it is wanted.
    pub(super) fn write(&self, first: usize, end: usize, out: &mut Vec<u8>) {
        let columns = &self.messages;
        let numbers = |out: &mut Vec<u8>, numbers: &mut dyn Iterator<Item = u16>| {
            out.extend(numbers.flat_map(u16::to_le_bytes));
        };
        // Speakers are numbered in the order in which they first spoke.
        let known = first_beyond(&columns.speakers[..first]);
        let speakers =
            &self.speakers.list[known..first_beyond(&columns.speakers[..end]).max(known)];
        write_length(out, speakers.len());
        for Speaker { name, role } in speakers {
            out.push(*role as u8);
            write_length(out, name.len());
            out.extend(name.as_bytes());
        }
        numbers(out, &mut columns.lengths[first..end].iter().copied());
        numbers(out, &mut columns.speakers[first..end].iter().copied());
        out.extend(columns.times[first..end].iter().flat_map(|time| time.to_le_bytes()));
        out.extend(columns.conversations[first..end].iter().flat_map(|id| id.to_le_bytes()));
        out.extend(&columns.identifiers[first..end]);
        out.extend(&columns.flags[first..end]);
        let known = self.segments.iter().find(|segment| segment.first == first);
        let whole = known.filter(|_| self.segment_ends().contains(&end));
        let segment = whole.map_or_else(
            || {
                let mut open = known.map_or_else(|| self.open.clone(), Segment::open);
                open.retain(|open| place_of(open.in_segment()) < end - first);
                Cow::Owned(Segment::new(first, open))
            },
            Cow::Borrowed,
        );
        write_length(out, segment.terms.len());
        out.extend(segment.terms.iter().flat_map(|term| term.to_le_bytes()));
        numbers(out, &mut segment.ends.iter().copied());
        numbers(out, &mut segment.postings.iter().copied());
    }

    /// Takes so many messages from bytes that [`Index::write`] wrote, behind those that are there; none where it is not that.
    pub(crate) fn read(&mut self, count: usize, reader: &mut Reader<'_>) -> Option<()> {
        if self.first_open != self.len() || count == 0 || count > SEGMENT_MESSAGES {
            return None;
        }
        let mut speakers: Vec<Speaker> = Vec::new();
        let mut names: Vec<u64> = Vec::new();
        for _ in 0..reader.length()? {
            let role = *Role::ALL.get(*reader.bytes(1)?.first()? as usize)?;
            let length = reader.length()?;
            let name = std::str::from_utf8(reader.bytes(length)?).ok()?;
            let speaker = (role, name.to_owned());
            if self.speakers.known.contains_key(&speaker) {
                return None;
            }
            speakers.push(Speaker { name: speaker.1, role });
            names.push(xxh64(name.as_bytes(), role as u64));
        }
        // None is there twice.
        map::sort_numbers(&mut names);
        if !names.is_sorted_by(|one, next| one < next) {
            return None;
        }
        let columns = Columns {
            lengths: reader.list(count, u16::from_le_bytes)?,
            speakers: reader.list(count, u16::from_le_bytes)?,
            times: reader.list(count, i64::from_le_bytes)?,
            conversations: reader.list(count, u32::from_le_bytes)?,
            identifiers: reader.list(count, u8::from_le_bytes)?,
            flags: reader.list(count, u8::from_le_bytes)?,
        };
        let length = reader.length()?;
        let terms: Vec<u32> = reader.list(length, u32::from_le_bytes)?;
        let ends: Vec<u16> = reader.list(length, u16::from_le_bytes)?;
        let length = ends.last().map_or(0, |end| *end as usize);
        let postings: Vec<u16> = reader.list(length, u16::from_le_bytes)?;
        let speaker_count = self.speakers.list.len() + speakers.len();
        let is_sound = reader.0.is_empty()
            && columns.speakers.iter().all(|id| *id == u16::MAX || (*id as usize) < speaker_count)
            && columns
                .flags
                .iter()
                .all(|flags| (flags >> LANGUAGE_SHIFT) as usize <= Language::ALL.len())
            && terms.is_sorted_by(|one, other| one < other)
            && ends.is_sorted()
            && postings.iter().all(|posting| place_of(*posting) < count);
        if !is_sound {
            return None;
        }
        for Speaker { name, role } in speakers {
            self.speakers.intern(role, &name);
        }
        let mut start = 0;
        for (term, end) in terms.iter().zip(&ends) {
            *self.message_counts.entry(*term).or_default() += u32::from(*end - start);
            start = *end;
        }
        self.total_length += columns.lengths.iter().copied().map(u64::from).sum::<u64>();
        for (time, flags) in columns.times.iter().zip(&columns.flags) {
            self.languages[(flags >> LANGUAGE_SHIFT) as usize] += 1;
            self.note(*time, flags & NEEDS_WHOLE_LOG != 0);
        }
        self.open_segment.take();
        let segment = Segment::of_lists(self.first_open, terms, ends, postings);
        let messages = &mut self.messages;
        messages.lengths.extend(columns.lengths);
        messages.speakers.extend(columns.speakers);
        messages.times.extend(columns.times);
        messages.conversations.extend(columns.conversations);
        messages.identifiers.extend(columns.identifiers);
        messages.flags.extend(columns.flags);
        if count >= SEGMENT_MESSAGES || segment.postings.len() >= SEGMENT_POSTINGS {
            self.segments.push(segment);
            self.first_open = self.len();
        } else {
            self.open = segment.open();
        }
        Some(())
    }

    /// Makes a segment of the open part.
    fn close(&mut self) {
        let segment = Segment::new(self.first_open, std::mem::take(&mut self.open));
        self.segments.push(segment);
        self.first_open = self.len();
    }

    /// The messages that have a term (as [`short`] names it) in every segment that reaches beyond the message `first`.
    fn lists(&self, first: usize, term: u32) -> impl Iterator<Item = (usize, &[u16])> {
        let begin = self.segments.partition_point(|segment| segment.first <= first);
        let closed = &self.segments[begin.saturating_sub(1)..];
        // Most forms of most words are in no message at all.
        let count = if self.message_count(term) == 0 { 0 } else { usize::MAX };
        let all = closed.iter().chain([self.open_segment()]).take(count);
        all.map(move |segment| (segment.first, segment.of(term)))
    }

    /// The open part as a segment.
    fn open_segment(&self) -> &Segment {
        self.open_segment.get_or_init(|| Segment::new(self.first_open, self.open.clone()))
    }

    /// The messages from `first` on that have one of some terms; a message may come several times, and some before `first` may
    /// come too.
    pub(crate) fn messages_with(&self, first: usize, terms: &[Term]) -> Vec<usize> {
        let mut messages = Vec::new();
        for term in terms {
            for (first, postings) in self.lists(first, short(*term)) {
                messages.extend(postings.iter().map(|posting| first + place_of(*posting)));
            }
        }
        messages
    }

    /// The messages that have a term, ascending, each with how often.
    pub(crate) fn with(&self, term: u32) -> impl Iterator<Item = (usize, f32)> {
        self.lists(0, term).flat_map(|(first, postings)| {
            postings.iter().map(move |posting| (first + place_of(*posting), often(*posting)))
        })
    }

    /// The messages that have one of some terms, ascending, each with how often: of several terms the most.
    pub(crate) fn occurrences(&self, terms: &[Term]) -> Vec<(u32, f32)> {
        let mut found: Vec<(u32, f32)> = Vec::new();
        for term in terms {
            for (first, postings) in self.lists(0, short(*term)) {
                let message = |posting: &u16| (narrow(first + place_of(*posting)), often(*posting));
                found.extend(postings.iter().map(message));
            }
        }
        if terms.len() < 2 {
            return found;
        }
        // By message, the highest count first.
        let pair = |(message, often): &(u32, f32)| map::pair(*message, !often.to_bits());
        let mut order: Vec<u64> = found.iter().map(pair).collect();
        map::sort_numbers(&mut order);
        order.dedup_by_key(|pair| map::halves(*pair).0);
        let occurrence = |(message, bits): (u32, u32)| (message, f32::from_bits(!bits));
        order.into_iter().map(map::halves).map(occurrence).collect()
    }

    /// How many messages have a term.
    pub(crate) fn message_count(&self, term: u32) -> usize {
        self.message_counts.get(&term).map_or(0, |count| *count as usize)
    }

    /// The terms of some messages (ascending), without grams, each with its message.
    pub(crate) fn terms_of(&self, messages: &[usize]) -> Vec<(u32, usize)> {
        let mut terms = Vec::new();
        let segments = self.segments.iter().chain([self.open_segment()]);
        let ends = segments.clone().skip(1).map(|segment| segment.first).chain([self.len()]);
        for (segment, end) in segments.zip(ends) {
            let begin = messages.partition_point(|message| *message < segment.first);
            let stop = messages.partition_point(|message| *message < end);
            let wanted = &messages[begin..stop];
            if wanted.is_empty() {
                continue;
            }
            let mut is_wanted = [false; SEGMENT_MESSAGES];
            for message in wanted {
                is_wanted[message - segment.first] = true;
            }
            for (at, posting) in segment.postings.iter().enumerate() {
                let place = place_of(*posting);
                if is_wanted[place] {
                    let term =
                        segment.terms[segment.ends.partition_point(|end| *end as usize <= at)];
                    if !is_gram(term) {
                        terms.push((term, segment.first + place));
                    }
                }
            }
        }
        terms
    }

    pub(crate) fn length(&self, message: usize) -> f32 {
        f32::from(self.messages.lengths[message])
    }

    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    pub(crate) fn mean_length(&self) -> f32 {
        self.total_length as f32 / self.len().max(1) as f32
    }

    pub(crate) fn speaker(&self, message: usize) -> u16 {
        self.messages.speakers[message]
    }

    /// In which role a message is said; none beyond the speakers that can be told apart.
    pub(crate) fn role(&self, message: usize) -> Option<Role> {
        self.speakers.list.get(self.speaker(message) as usize).map(|speaker| speaker.role)
    }

    pub(crate) fn speakers(&self) -> &[Speaker] {
        &self.speakers.list
    }

    pub(crate) fn time(&self, message: usize) -> Option<Milliseconds> {
        let time = self.messages.times[message];
        (time != i64::MIN).then_some(Milliseconds(time))
    }

    /// The earliest and the latest time of any message, where one has a time.
    pub(crate) fn time_range(&self) -> Option<(Milliseconds, Milliseconds)> {
        let mut times = self.messages.times.iter().copied().filter(|time| *time != i64::MIN);
        let first = match self.whole_log_count {
            0 => times.next(), // each is later than the one before it
            _ => times.min(),
        };
        Some((Milliseconds(first?), Milliseconds(self.latest_time)))
    }

    pub(crate) fn identifiers(&self, message: usize) -> u8 {
        self.messages.identifiers[message]
    }

    /// By message: [`IS_QUESTION`], [`IS_START`] and others.
    pub(crate) fn flags(&self) -> &[u8] {
        &self.messages.flags
    }

    /// Whether the log must be read whole, as the place of a message in it does not say whether it is part of its history.
    pub(crate) fn needs_whole_log(&self) -> bool {
        self.whole_log_count > 0
    }

    /// The languages that texts are in, the most frequent first; none stands for an unknown one. Not those of so few that they
    /// may be mistaken: each costs every request as much as the first.
    pub(crate) fn languages(&self) -> Vec<Option<Language>> {
        let is_spoken = |count: u32| count as usize * FEW >= self.len() && count > 0;
        let mut codes: Vec<usize> =
            (0..self.languages.len()).filter(|code| is_spoken(self.languages[*code])).collect();
        map::sort_by_key(&mut codes, &|code| (-i64::from(self.languages[code]), 0));
        #[expect(clippy::cast_possible_truncation, reason = "there are few")]
        codes.into_iter().map(|code| language_of(code as u8)).collect()
    }
}

impl Segment {
    /// Of the open part that begins with a message.
    fn new(first: usize, mut open: Vec<Posting>) -> Self {
        Posting::sort(&mut open);
        let (mut terms, mut ends, mut postings) = (Vec::new(), Vec::new(), Vec::new());
        for same in open.chunk_by(|one, other| one.term() == other.term()) {
            postings.extend(same.iter().map(|open| open.in_segment()));
            terms.push(same[0].term());
            ends.push(u16::try_from(postings.len()).unwrap_or(u16::MAX));
        }
        Self::of_lists(first, terms, ends, postings)
    }

    fn of_lists(first: usize, terms: Vec<u32>, ends: Vec<u16>, postings: Vec<u16>) -> Self {
        let mut starts = Vec::with_capacity(DIRECTORY_LENGTH + 1);
        for (place, term) in (0_u16..).zip(&terms) {
            starts.resize(starts.len().max(directory_place(*term) + 1), place);
        }
        starts.resize(DIRECTORY_LENGTH + 1, u16::try_from(terms.len()).unwrap_or(u16::MAX));
        Self { first, starts, terms, ends, postings }
    }

    fn of(&self, term: u32) -> &[u16] {
        let place = directory_place(term);
        let [Some(start), Some(end)] = [place, place + 1].map(|place| self.starts.get(place))
        else {
            return &[];
        };
        let terms = &self.terms[*start as usize..*end as usize];
        let Some(at) = terms.iter().position(|known| *known == term) else {
            return &[];
        };
        let at = at + *start as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.postings[start..self.ends[at] as usize]
    }

    /// The postings as they were before it was closed.
    fn open(&self) -> Vec<Posting> {
        let mut open = Vec::with_capacity(self.postings.len());
        let mut start = 0;
        for (term, end) in self.terms.iter().zip(&self.ends) {
            // Sorted with the place in front, which is cut off then.
            open.extend(self.postings[start..*end as usize].iter().map(|posting| {
                let place = place_of(*posting) as u64;
                place << 48 | u64::from(*term) << 16 | u64::from(*posting)
            }));
            start = *end as usize;
        }
        map::sort_numbers(&mut open);
        open.into_iter().map(|packed| Posting(packed & ((1 << 48) - 1))).collect()
    }
}

impl Speakers {
    fn intern(&mut self, role: Role, name: &str) -> u16 {
        let key = (role, name.to_owned());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        // Beyond what can be told apart they are nobody.
        let id = u16::try_from(self.list.len()).unwrap_or(u16::MAX);
        if id == u16::MAX {
            return id;
        }
        self.list.push(Speaker { name: name.to_owned(), role });
        self.known.insert(key, id);
        id
    }
}

/// The indexed text of a message: its texts, and its calls of tools.
fn text_of(transcript: &Messages, row: usize) -> String {
    let mut text = String::new();
    for (field, value) in transcript.fields(row) {
        if matches!(field, Field::Text | Field::CallName | Field::CallArguments) {
            if !text.is_empty() {
                text.push('\n');
            }
            let mut end = LONGEST_TEXT.saturating_sub(text.len()).min(value.len());
            while !value.is_char_boundary(end) {
                end -= 1;
            }
            text.push_str(&value[..end]);
        }
    }
    text
}

fn conversation_of(transcript: &Messages, row: usize) -> u32 {
    let named = transcript.value(row, Field::ConversationId);
    named.map_or(0, |id| fold(xxh64(id.as_bytes(), 0)).max(1))
}

/// The number of the first speaker who has not spoken: they are numbered in the order in which they first did.
fn first_beyond(speakers: &[u16]) -> usize {
    let known = speakers.iter().filter(|id| **id != u16::MAX).max();
    known.map_or(0, |last| *last as usize + 1)
}

fn write_length(out: &mut Vec<u8>, length: usize) {
    out.extend(narrow(length).to_le_bytes());
}

fn needs_whole_log(transcript: &Messages, row: usize) -> bool {
    WHOLE_LOG_FIELDS.iter().any(|field| transcript.value(row, *field).is_some())
}

fn language_of(code: u8) -> Option<Language> {
    code.checked_sub(1).and_then(|position| Language::ALL.get(position as usize).copied())
}

/// Terms are told apart by 32 bits: in a segment, two of its thousands share them once in a million requests.
pub(crate) fn short(term: Term) -> u32 {
    fold(term.hash) & !1 | u32::from(term.kind == Kind::Gram)
}

/// A term's last bit says whether it is a gram.
fn is_gram(term: u32) -> bool {
    term & 1 == 1
}

/// An index has far fewer messages than 2^32: each takes more bytes than one.
#[expect(clippy::cast_possible_truncation, reason = "see above")]
pub(crate) fn narrow(message: usize) -> u32 {
    message as u32
}

#[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
fn fold(hash: u64) -> u32 {
    (hash ^ hash >> 32) as u32
}

/// Where a segment's directory says where a term is: terms are spread evenly, so few share a place.
fn directory_place(term: u32) -> usize {
    (term >> (u32::BITS - DIRECTORY_BITS)) as usize
}

fn place_of(posting: u16) -> usize {
    (posting >> (16 - PLACE_BITS)) as usize
}

fn often(posting: u16) -> f32 {
    f32::from(posting & MOST_OFTEN)
}
