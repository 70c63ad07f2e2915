//! The index: the terms of every message, with its speaker and time, small enough to keep for a million messages.
//!
//! Messages are appended or cut off at the end. The newest are in the open part. A full part is closed, and becomes a
//! segment, together with a few others if many messages are appended at once. Two adjacent segments of nearly the same
//! size are merged, as in log-structured merge trees. So a log of any length has few segments, and a term is looked up
//! in few places. A store keeps the closed parts, which never change again.

pub mod log;
mod meanings;
pub(crate) mod segment;
mod term_lists;
pub mod vectors;

use crate::base::bytes::Reader;
use crate::base::map::{self, HashedMap};
use crate::base::message::{Field, Role};
use crate::base::time::{MILLISECONDS_PER_MINUTE, Milliseconds};
use crate::log::clock::{Clock, Clocks};
use crate::log::messages::Messages;
use crate::log::messages::WHOLE_LOG_FIELDS;
use crate::recall::index::meanings::Meanings;
use crate::recall::index::segment::{OFTEN_BITS, Posting, Segment, narrow};
use crate::recall::index::term_lists::TermLists;
use crate::recall::text::detect::detect_in;
use crate::recall::text::language::Language;
use crate::recall::text::meaning::Table;
use crate::recall::text::runs::runs;
use crate::recall::text::statements;
use crate::recall::text::terms::{Analyzer, Kind, Term, identifier_count, is_question};
use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use xxhash_rust::xxh64::xxh64;

/// Size at which the open part is full, in messages or in postings. In a store that is less than 64 kB, because stores
/// handle larger values less well.
const MOST_OPEN_MESSAGES: usize = if cfg!(test) { 8 } else { 1024 };
const MOST_OPEN_POSTINGS: usize = 12_000;
/// Number of parts that become a segment together if many messages are appended at once. More parts save merging, and
/// take memory while they are sorted.
const MOST_CLOSED_PARTS: usize = if cfg!(test) { 2 } else { 4 };
/// A language counts as spoken if at least one message in this many uses it.
const FEW: usize = 64;

/// Approximate bytes of text per term.
const BYTES_PER_TERM: usize = 4;

/// Maximum number of bytes of a message that are indexed.
const LONGEST_TEXT: usize = 1 << 15;

/// The terms of every message, with its speaker and time.
#[derive(Clone, Debug)]
pub struct Index {
    segments: Vec<Segment>,
    /// The ends of closed parts. A part has the messages from the previous part's end to its own.
    part_ends: Vec<usize>,
    /// The postings after the last segment, in the order of the messages.
    open: Vec<Occurrence>,
    /// The open part as a segment, cached from a request until the next message.
    open_segment: OnceCell<Segment>,
    /// The beginning of the open part as a segment, kept from the last request so that only new messages are added.
    begun_segment: Option<Segment>,
    /// The first message after the last segment.
    first_open: usize,
    messages: Columns,
    /// The messages' directions in the space of meanings, if a request needed them.
    meanings: RefCell<Meanings>,
    speakers: Speakers,
    /// Number of messages in each language, by the language's code.
    languages: [u32; Language::ALL.len() + 1],
    /// The sum of all messages' lengths.
    total_length: u64,
    /// The sum of all messages' sizes.
    total_size: u64,
    /// The messages with cues, ascending.
    cued: Vec<u32>,
    /// The messages' times, and those of its beginnings, for cutting it off.
    clock: Clock,
    clocks: Clocks<1024>,
    /// Number of messages that require reading the whole log.
    whole_log_count: usize,
}

/// A term in a message of the open part.
#[derive(Clone, Copy, Debug)]
struct Occurrence {
    term: u32,
    posting: Posting,
}

/// Facts about each message besides its terms.
#[derive(Clone, Debug, Default)]
struct Columns {
    /// Number of terms.
    lengths: Vec<u16>,
    /// Its terms, ascending, without grams.
    terms: TermLists,
    speakers: Vec<u16>,
    /// `i64::MIN` without a time.
    times: Vec<i64>,
    /// A checksum of its conversation's id; 0 without one.
    conversations: Vec<u32>,
    /// Number of identifiers.
    identifiers: Vec<u8>,
    flags: Vec<u8>,
    /// Approximate number of tokens.
    sizes: Vec<u16>,
    /// Cues in a user's words, such as a correction or a standing instruction; 0 for other roles.
    cues: Vec<u8>,
}

impl Columns {
    /// Makes room for `more` messages, and for an eighth more than all. Lists that double would take twice the memory,
    /// and WebAssembly never returns any.
    fn reserve(&mut self, more: usize) {
        fn grow<T>(list: &mut Vec<T>, more: usize) {
            list.reserve_exact(more + (list.len() + more) / 8);
        }
        if self.lengths.capacity() - self.lengths.len() >= more {
            return;
        }
        for column in [&mut self.lengths, &mut self.speakers, &mut self.sizes] {
            grow(column, more);
        }
        for column in [&mut self.identifiers, &mut self.flags, &mut self.cues] {
            grow(column, more);
        }
        grow(&mut self.times, more);
        grow(&mut self.conversations, more);
    }

    /// Takes the terms of `count` messages from their segment.
    fn read_terms(&mut self, count: usize, segment: &Segment) {
        let lists = || segment.lists().filter(|(term, _)| !is_gram(*term));
        let mut begins = vec![0; count + 1];
        for (_, postings) in lists() {
            for posting in postings {
                begins[posting.place() + 1] += 1;
            }
        }
        for message in 0..count {
            begins[message + 1] += begins[message];
        }
        // The next free place for each message, which advances from term to term.
        let mut next = begins.clone();
        let mut terms = vec![0; begins[count]];
        for (term, postings) in lists() {
            for posting in postings {
                let next = &mut next[posting.place()];
                terms[*next] = term;
                *next += 1;
            }
        }
        for bounds in begins.windows(2) {
            self.terms.push(terms[bounds[0]..bounds[1]].iter().copied());
        }
    }
}

pub(crate) const IS_QUESTION: u8 = 1;
/// The message begins another conversation.
pub(crate) const IS_START: u8 = 2;
/// The message's place doesn't determine whether it is part of the log's history: it names a session, is a summary or
/// expires.
const NEEDS_WHOLE_LOG: u8 = 4;
const LANGUAGE_SHIFT: u32 = 3;

/// A longer pause begins another conversation if messages don't name theirs.
pub(crate) const PAUSE: i64 = 30 * MILLISECONDS_PER_MINUTE;

/// The speakers of a transcript.
#[derive(Clone, Debug, Default)]
struct Speakers {
    list: Vec<Speaker>,
    known: HashedMap<(Role, String), u16>,
}

/// A speaker, identified by name, or by role if there is no name.
#[derive(Clone, Debug)]
pub(crate) struct Speaker {
    pub(crate) name: String,
    pub(crate) role: Role,
    /// Number of messages.
    pub(crate) message_count: usize,
}

impl Default for Index {
    fn default() -> Self {
        Self {
            segments: Vec::new(),
            part_ends: Vec::new(),
            open: Vec::new(),
            open_segment: OnceCell::new(),
            begun_segment: None,
            first_open: 0,
            messages: Columns::default(),
            meanings: RefCell::default(),
            speakers: Speakers::default(),
            languages: [0; Language::ALL.len() + 1],
            total_length: 0,
            total_size: 0,
            cued: Vec::new(),
            clock: Clock::default(),
            clocks: Clocks::default(),
            whole_log_count: 0,
        }
    }
}

impl Index {
    /// The number of indexed messages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.messages.lengths.len()
    }

    /// True if nothing is indexed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends messages of a transcript.
    pub fn extend(&mut self, transcript: &Messages, rows: impl ExactSizeIterator<Item = usize>) {
        self.messages.reserve(rows.len());
        let mut analyzer = Analyzer::new();
        for row in rows {
            self.append(transcript, row, &mut analyzer);
        }
        self.close_parts();
    }

    fn append(&mut self, transcript: &Messages, row: usize, analyzer: &mut Analyzer) {
        // A part of the index never ends within a message.
        if self.is_full() && !transcript.goes_on(row) {
            self.part_ends.push(self.len());
            let closed = self.part_ends.iter().rev().take_while(|end| **end > self.first_open);
            if closed.count() >= MOST_CLOSED_PARTS {
                self.close_parts();
            }
        }
        if let Some(segment) = self.open_segment.take() {
            self.begun_segment = Some(segment);
        }
        let place = self.len() - self.first_open;
        let text = text_of(transcript, row);
        let before = self.messages.flags.last().map_or(0, |flags| flags >> LANGUAGE_SHIFT);
        let runs = runs(&text, usize::MAX);
        let own = detect_in(&text, &runs);
        let language = own.or_else(|| language_of(before));
        let mut terms: Vec<u64> = Vec::with_capacity(text.len() / BYTES_PER_TERM);
        let mut length = 0_u32;
        analyzer.document(&text, &runs, language, &mut |term: Term| {
            terms.push(u64::from(short(term)));
            length += u32::from(term.kind != Kind::Gram);
        });
        map::sort_numbers(&mut terms);
        let first = self.open.len();
        for same in terms.chunk_by(|one, other| one == other) {
            let term = map::halves(same[0]).1;
            self.open.push(Occurrence { term, posting: Posting::new(place, same.len()) });
        }
        let terms = self.open[first..].iter().map(|occurrence| occurrence.term);
        self.messages.terms.push(terms.filter(|term| !is_gram(*term)));
        let code = language.map_or(0, |language| language as u8 + 1);
        let length = u16::try_from(length).unwrap_or(u16::MAX);
        let name = transcript.value(row, Field::Name).unwrap_or_default();
        let time = transcript.time(row);
        let conversation = conversation_of(transcript, row);
        let flag = |is: bool, flag: u8| if is { flag } else { 0 };
        let needs_whole_log = needs_whole_log(transcript, row);
        let flags = flag(is_question(&text, &runs, own), IS_QUESTION)
            | flag(self.starts(time, conversation), IS_START)
            | flag(needs_whole_log, NEEDS_WHOLE_LOG)
            | code << LANGUAGE_SHIFT;
        let columns = &mut self.messages;
        columns.reserve(1);
        columns.lengths.push(length);
        columns.speakers.push(self.speakers.intern(transcript.role(row), name));
        columns.times.push(time.map_or(i64::MIN, |time| time.0));
        columns.conversations.push(conversation);
        columns.identifiers.push(identifier_count(&text));
        columns.flags.push(flags);
        columns.sizes.push(size_of(transcript, row));
        // A user's message may also have text of tools or files.
        let is_users_own = transcript.role(row) == Role::User
            && transcript.value(row, Field::ResultId).is_none()
            && transcript.value(row, Field::OfFile).is_none();
        columns.cues.push(if is_users_own {
            statements::cues_of_user(&text, &runs, own, language)
        } else {
            0
        });
        self.clocks.note(self.len() - 1, self.clock);
        self.clock.take(time, Some(transcript.role(row)));
        self.whole_log_count += usize::from(needs_whole_log);
        self.add_up(self.len() - 1);
    }

    /// True if another conversation begins with the next message.
    fn starts(&self, time: Option<Milliseconds>, conversation: u32) -> bool {
        let before = self.messages.conversations.last().copied();
        let times = || Some((time?, self.clock.before(time?)?));
        match before {
            None => true,
            Some(before) if before != 0 && conversation != 0 => before != conversation,
            Some(_) => times().is_some_and(|(time, last)| time.0.saturating_sub(last.0) > PAUSE),
        }
    }

    /// Takes the times of the messages from one on.
    fn follow_clock(&mut self, first: usize) {
        for message in first..self.len() {
            self.clocks.note(message, self.clock);
            self.clock.take(self.time(message), self.role(message));
        }
    }

    /// Adds the messages from the one at `first` on to the sums over all messages.
    fn add_up(&mut self, first: usize) {
        let columns = &self.messages;
        for at in first..columns.lengths.len() {
            self.total_length += u64::from(columns.lengths[at]);
            self.total_size += u64::from(columns.sizes[at]);
            self.languages[(columns.flags[at] >> LANGUAGE_SHIFT) as usize] += 1;
            if let Some(speaker) = self.speakers.list.get_mut(usize::from(columns.speakers[at])) {
                speaker.message_count += 1;
            }
            if columns.cues[at] != 0 {
                self.cued.push(narrow(at));
            }
        }
    }

    /// Forgets all messages from the one at `length` on.
    pub fn truncate(&mut self, length: usize) {
        if length >= self.len() {
            return;
        }
        self.forget_open_segment();
        for at in length..self.len() {
            let flags = self.messages.flags[at];
            self.total_length -= u64::from(self.messages.lengths[at]);
            self.total_size -= u64::from(self.messages.sizes[at]);
            let speaker = usize::from(self.messages.speakers[at]);
            if let Some(speaker) = self.speakers.list.get_mut(speaker) {
                speaker.message_count -= 1;
            }
            self.languages[(flags >> LANGUAGE_SHIFT) as usize] -= 1;
            self.whole_log_count -= usize::from(flags & NEEDS_WHOLE_LOG != 0);
        }
        if length < self.first_open {
            self.reopen(length);
        }
        self.forget(length - self.first_open);
        let columns = &mut self.messages;
        columns.lengths.truncate(length);
        columns.terms.truncate(length);
        columns.speakers.truncate(length);
        columns.times.truncate(length);
        columns.conversations.truncate(length);
        columns.identifiers.truncate(length);
        columns.flags.truncate(length);
        columns.sizes.truncate(length);
        columns.cues.truncate(length);
        self.cued.truncate(self.cued.partition_point(|message| (*message as usize) < length));
        self.meanings.get_mut().truncate(length);
        self.clocks.truncate(length);
        self.clock = self.clocks.before(length, |message| (self.time(message), self.role(message)));
        let last = self.speakers.list.iter().rposition(|speaker| speaker.message_count > 0);
        let count = last.map_or(0, |last| last + 1);
        for speaker in self.speakers.list.drain(count..) {
            self.speakers.known.remove(&(speaker.role, speaker.name));
        }
    }

    /// Removes a message's part from the segments, and makes it the open one, up to that message.
    fn reopen(&mut self, length: usize) {
        self.forget(0);
        self.part_ends.retain(|end| *end <= length);
        self.first_open = self.closed_end();
        let first_open = self.first_open;
        while let Some(segment) = self.segments.pop_if(|it| it.messages.end > first_open) {
            let first = segment.messages.start;
            let taken = segment.part(first_open.max(first)..segment.messages.end);
            for occurrence in by_message_of(&taken) {
                if taken.messages.start + occurrence.posting.place() < length {
                    self.open.push(occurrence);
                }
            }
            if first < first_open {
                self.segments.push(segment.part(first..first_open));
            }
        }
    }

    /// Forgets the open postings from a place on.
    fn forget(&mut self, first: usize) {
        self.open.truncate(self.open_before(first));
    }

    /// Number of open postings before a place.
    fn open_before(&self, place: usize) -> usize {
        self.open.partition_point(|open| open.posting.place() < place)
    }

    /// The end of the last closed part.
    fn closed_end(&self) -> usize {
        self.part_ends.last().copied().unwrap_or_default()
    }

    /// True if the open part is full.
    fn is_full(&self) -> bool {
        let first = self.closed_end();
        let closed = self.open_before(first - self.first_open);
        self.len() - first >= MOST_OPEN_MESSAGES || self.open.len() - closed >= MOST_OPEN_POSTINGS
    }

    /// The ends of the parts that never change again.
    pub(super) fn part_ends(&self) -> &[usize] {
        &self.part_ends
    }

    // ---- As bytes ----

    /// Writes the messages from `first` to before `end`: those of a part, or the first ones of the open part.
    pub(super) fn write(&self, first: usize, end: usize, out: &mut Vec<u8>) {
        let columns = &self.messages;
        let numbers = |out: &mut Vec<u8>, numbers: &mut dyn Iterator<Item = u16>| {
            out.extend(numbers.flat_map(u16::to_le_bytes));
        };
        // Speakers are numbered in the order of their first messages.
        let known = first_beyond(&columns.speakers[..first]);
        let speakers =
            &self.speakers.list[known..first_beyond(&columns.speakers[..end]).max(known)];
        write_length(out, speakers.len());
        for Speaker { name, role, .. } in speakers {
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
        numbers(out, &mut columns.sizes[first..end].iter().copied());
        out.extend(&columns.cues[first..end]);
        self.meanings.borrow().write(first, end, out);
        let mut segments = self.segments(first);
        let Some(segment) = segments.next() else {
            return;
        };
        let part = segment.part(first..end);
        write_length(out, part.lists().count());
        out.extend(part.lists().flat_map(|(term, _)| term.to_le_bytes()));
        let mut length = 0;
        let mut ends = part.lists().map(|(_, postings)| {
            length += postings.len();
            u16::try_from(length).unwrap_or(u16::MAX)
        });
        numbers(out, &mut ends);
        let postings = part.lists().flat_map(|(_, postings)| postings.iter().copied());
        numbers(out, &mut postings.map(stored));
    }

    /// Takes `count` messages from the bytes of [`Index::write`], after the existing ones. None if the bytes are
    /// anything else.
    pub(crate) fn read(&mut self, count: usize, reader: &mut Reader<'_>) -> Option<()> {
        if self.first_open != self.len() || count == 0 || count > MOST_OPEN_MESSAGES {
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
            speakers.push(Speaker { name: speaker.1, role, message_count: 0 });
            names.push(xxh64(name.as_bytes(), role as u64));
        }
        // No name occurs twice.
        map::sort_numbers(&mut names);
        if !names.is_sorted_by(|one, next| one < next) {
            return None;
        }
        let columns = Columns {
            lengths: reader.list(count, u16::from_le_bytes)?,
            terms: TermLists::default(),
            speakers: reader.list(count, u16::from_le_bytes)?,
            times: reader.list(count, i64::from_le_bytes)?,
            conversations: reader.list(count, u32::from_le_bytes)?,
            identifiers: reader.list(count, u8::from_le_bytes)?,
            flags: reader.list(count, u8::from_le_bytes)?,
            sizes: reader.list(count, u16::from_le_bytes)?,
            cues: reader.list(count, u8::from_le_bytes)?,
        };
        let meanings = Meanings::read(count, reader)?;
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
            && postings.iter().all(|posting| read_posting(*posting).place() < count);
        if !is_sound {
            return None;
        }
        for Speaker { name, role, .. } in speakers {
            self.speakers.intern(role, &name);
        }
        let mut segment = Segment::new(self.first_open..self.first_open + count);
        let mut begin = 0;
        for (term, end) in terms.into_iter().zip(ends) {
            let end = usize::from(end);
            segment.add(term, postings[begin..end].iter().copied().map(read_posting));
            begin = end;
        }
        let segment = segment.finished();
        let needing = columns.flags.iter().filter(|flags| **flags & NEEDS_WHOLE_LOG != 0);
        let whole_log_count = needing.count();
        self.forget_open_segment();
        self.meanings.get_mut().take(self.messages.lengths.len(), meanings);
        let messages = &mut self.messages;
        messages.reserve(count);
        messages.read_terms(count, &segment);
        messages.lengths.extend(columns.lengths);
        messages.speakers.extend(columns.speakers);
        messages.times.extend(columns.times);
        messages.conversations.extend(columns.conversations);
        messages.identifiers.extend(columns.identifiers);
        messages.flags.extend(columns.flags);
        messages.sizes.extend(columns.sizes);
        messages.cues.extend(columns.cues);
        self.whole_log_count += whole_log_count;
        self.follow_clock(self.first_open);
        self.add_up(self.first_open);
        if count >= MOST_OPEN_MESSAGES || segment.len() >= MOST_OPEN_POSTINGS {
            self.part_ends.push(segment.messages.end);
            self.push(segment);
        } else {
            self.open = by_message_of(&segment);
        }
        Some(())
    }

    /// Turns the closed parts of the open postings into a segment.
    fn close_parts(&mut self) {
        let (first, end) = (self.first_open, self.closed_end());
        if first == end {
            return;
        }
        self.forget_open_segment();
        let closed = self.open_before(end - first);
        let segment = segment_of(first..end, &self.open[..closed]);
        self.open.drain(..closed);
        for occurrence in &mut self.open {
            occurrence.posting = occurrence.posting.moved(first, end);
        }
        self.push(segment);
    }

    /// Adds a segment of parts, and merges segments of nearly the same size.
    fn push(&mut self, mut segment: Segment) {
        self.first_open = segment.messages.end;
        while let Some(before) = self.segments.pop_if(|before| before.len() <= 2 * segment.len()) {
            segment = before.join(&segment);
        }
        self.segments.push(segment);
    }

    /// The segments that reach beyond the message `first`, in the order of the messages. The last is the open part.
    pub(crate) fn segments(&self, first: usize) -> impl Iterator<Item = &Segment> {
        let begin = self.segments.partition_point(|segment| segment.messages.end <= first);
        let open = self.open_segment.get_or_init(|| self.segment_of_open());
        self.segments[begin..].iter().chain([open])
    }

    /// The open part as a segment: extends the last one by new messages.
    fn segment_of_open(&self) -> Segment {
        let messages = self.first_open..self.len();
        match &self.begun_segment {
            None => segment_of(messages, &self.open),
            Some(begun) => begun.join(&segment_of(messages, &self.open[begun.len()..])),
        }
    }

    fn forget_open_segment(&mut self) {
        self.open_segment.take();
        self.begun_segment = None;
    }

    /// The messages from `first` on that have one of some terms, ascending. Some before `first` may be included.
    pub(crate) fn messages_with(&self, first: usize, terms: &[u32]) -> Vec<usize> {
        let mut messages = Vec::new();
        for segment in self.segments(first) {
            let postings = segment.of_any(terms);
            let message = |posting: &Posting| segment.messages.start + posting.place();
            messages.extend(postings.iter().map(message));
        }
        messages
    }

    /// Number of messages with one of some terms.
    pub(crate) fn count_of_any(&self, terms: &[u32]) -> usize {
        self.segments(0).map(|segment| segment.of_any(terms).len()).sum()
    }

    /// Number of messages with a term.
    pub(crate) fn message_count(&self, term: u32) -> usize {
        self.segments(0).map(|segment| segment.of(term).len()).sum()
    }

    /// The terms of a message, ascending, without grams.
    pub(crate) fn terms_of(&self, message: usize) -> &[u32] {
        self.messages.terms.of(message)
    }

    /// Number of terms of each message.
    pub(crate) fn lengths(&self) -> &[u16] {
        &self.messages.lengths
    }

    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    pub(crate) fn mean_length(&self) -> f32 {
        self.total_length as f32 / self.len().max(1) as f32
    }

    /// Approximate number of tokens of each message.
    pub(crate) fn sizes(&self) -> &[u16] {
        &self.messages.sizes
    }

    /// The mean of all messages' sizes.
    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    pub(crate) fn mean_size(&self) -> f32 {
        self.total_size as f32 / self.len().max(1) as f32
    }

    /// The cues in a message by a user ([`cues`]); 0 for other roles.
    pub(crate) fn cues(&self, message: usize) -> u8 {
        self.messages.cues[message]
    }

    /// The messages of a speaker that have cues, ascending, with these.
    pub(crate) fn cued(&self, speaker: u16) -> impl Iterator<Item = (usize, u8)> {
        let cued = self.cued.iter().map(|message| *message as usize);
        let cued = cued.filter(move |message| self.speaker(*message) == speaker);
        cued.map(|message| (message, self.cues(message)))
    }

    /// Each message's similarity to a text by a table, from -1 to 1; 0 for a message that isn't English or has no word
    /// of the table. None if `text_of` doesn't have a text that is needed.
    pub(crate) fn similarities(
        &self,
        table: &Table,
        text: &str,
        text_of: &dyn Fn(usize) -> Option<String>,
    ) -> Option<Vec<f32>> {
        let read = |message: usize| match self.language(message) {
            None | Some(Language::English) => text_of(message),
            Some(_) => Some(String::new()),
        };
        self.meanings.borrow_mut().similarities(table, text, self.len(), &read)
    }

    /// Number of messages with a direction.
    pub(crate) fn meaning_count(&self) -> usize {
        self.meanings.borrow().len()
    }

    /// The language of a message, or of the previous one if its own words don't tell.
    pub(crate) fn language(&self, message: usize) -> Option<Language> {
        language_of(self.messages.flags[message] >> LANGUAGE_SHIFT)
    }

    pub(crate) fn speaker(&self, message: usize) -> u16 {
        self.messages.speakers[message]
    }

    /// The role of a message. None for speakers that can no longer be distinguished.
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

    /// The earliest and the latest time of any message, if one has a time.
    pub(crate) fn time_range(&self) -> Option<(Milliseconds, Milliseconds)> {
        self.clock.earliest.zip(self.clock.latest)
    }

    pub(crate) fn identifiers(&self, message: usize) -> u8 {
        self.messages.identifiers[message]
    }

    /// Each message's flags: [`IS_QUESTION`], [`IS_START`] and others.
    pub(crate) fn flags(&self) -> &[u8] {
        &self.messages.flags
    }

    /// True if the log must be read whole: the place of some message doesn't determine whether it is part of the log's
    /// history.
    pub(crate) fn needs_whole_log(&self) -> bool {
        self.whole_log_count > 0 || self.clock.is_misplaced
    }

    /// The languages of the texts, the most frequent first; `None` is an unknown one. Excludes languages so rare that
    /// they may be mistakes, because every language costs each request the same.
    pub(crate) fn languages(&self) -> Vec<Option<Language>> {
        let is_spoken = |count: u32| count as usize * FEW >= self.len() && count > 0;
        let mut codes: Vec<usize> =
            (0..self.languages.len()).filter(|code| is_spoken(self.languages[*code])).collect();
        map::sort_by_key(&mut codes, &|code| (-i64::from(self.languages[code]), 0));
        #[expect(clippy::cast_possible_truncation, reason = "there are few")]
        codes.into_iter().map(|code| language_of(code as u8)).collect()
    }
}

/// The segment of the open part.
fn segment_of(messages: Range<usize>, open: &[Occurrence]) -> Segment {
    let order = by_term(open);
    let mut segment = Segment::new(messages);
    for list in order.chunk_by(|one, other| one.term == other.term) {
        segment.add(list[0].term, list.iter().map(|occurrence| occurrence.posting));
    }
    segment.finished()
}

/// Occurrences by their terms, in the same order for each term. Sorts by one digit after another, the last one first,
/// which is several times as fast as comparing terms.
fn by_term(open: &[Occurrence]) -> Vec<Occurrence> {
    const DIGIT_BITS: u32 = 11;
    let mut order = open.to_vec();
    let mut sorted = order.clone();
    for digit in 0..u32::BITS.div_ceil(DIGIT_BITS) {
        let digit_of = |occurrence: &Occurrence| {
            (occurrence.term >> (digit * DIGIT_BITS)) as usize & ((1 << DIGIT_BITS) - 1)
        };
        // For each value of the digit, the next free place.
        let mut next = vec![0; 1 << DIGIT_BITS];
        for occurrence in &order {
            next[digit_of(occurrence)] += 1;
        }
        let mut before = 0;
        for place in &mut next {
            before += std::mem::replace(place, before);
        }
        for occurrence in &order {
            let place = &mut next[digit_of(occurrence)];
            sorted[*place] = *occurrence;
            *place += 1;
        }
        std::mem::swap(&mut order, &mut sorted);
    }
    order
}

/// The postings of a segment, in the order of its messages.
fn by_message_of(segment: &Segment) -> Vec<Occurrence> {
    let mut order: Vec<u64> = Vec::with_capacity(segment.len());
    for (term, postings) in segment.lists() {
        order.extend(postings.iter().map(|posting| map::pair(posting.0, term)));
    }
    map::sort_numbers(&mut order);
    let occurrence = |(posting, term)| Occurrence { term, posting: Posting(posting) };
    order.into_iter().map(map::halves).map(occurrence).collect()
}

impl Speakers {
    fn intern(&mut self, role: Role, name: &str) -> u16 {
        let key = (role, name.to_owned());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        // Any further speakers can't be distinguished, and count as nobody.
        let id = u16::try_from(self.list.len()).unwrap_or(u16::MAX);
        if id == u16::MAX {
            return id;
        }
        self.list.push(Speaker { name: name.to_owned(), role, message_count: 0 });
        self.known.insert(key, id);
        id
    }
}

/// The indexed text of a message: its texts, and its tool calls.
pub(crate) fn text_of(transcript: &Messages, row: usize) -> String {
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

/// The approximate number of tokens in a message. In few languages are tokens much shorter or longer than four bytes.
fn size_of(transcript: &Messages, row: usize) -> u16 {
    const BYTES_PER_TOKEN: usize = 4;
    let is_said = |(field, _): &(Field, &str)| {
        matches!(field, Field::Text | Field::CallName | Field::CallArguments)
    };
    let bytes: usize = transcript.fields(row).filter(is_said).map(|(_, value)| value.len()).sum();
    u16::try_from(bytes / BYTES_PER_TOKEN).unwrap_or(u16::MAX)
}

fn conversation_of(transcript: &Messages, row: usize) -> u32 {
    let named = transcript.value(row, Field::ConversationId);
    named.map_or(0, |id| fold(xxh64(id.as_bytes(), 0)).max(1))
}

/// The number of the next new speaker. Speakers are numbered in the order of their first messages.
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

/// Terms of a kind are compared by 31 bits: with a hundred thousand terms, about one in 20,000 collides with another.
pub(crate) fn short(term: Term) -> u32 {
    fold(term.hash) & !1 | u32::from(term.kind == Kind::Gram)
}

/// True if a term is a gram, by its last bit.
fn is_gram(term: u32) -> bool {
    term & 1 == 1
}

#[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
fn fold(hash: u64) -> u32 {
    (hash ^ hash >> 32) as u32
}

/// A posting in the form for a store.
fn stored(posting: Posting) -> u16 {
    let place = u16::try_from(posting.place()).unwrap_or(u16::MAX);
    place << OFTEN_BITS | posting.often()
}

/// A posting from a store.
fn read_posting(stored: u16) -> Posting {
    let often = stored & ((1 << OFTEN_BITS) - 1);
    Posting::new((stored >> OFTEN_BITS).into(), often.into())
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use crate::log::messages;
    use proptest::prelude::*;
    use windrow_property::properties;

    /// Operations on an index.
    #[derive(Clone, Debug)]
    enum Step {
        Append(Vec<String>),
        /// Truncate to this share of the messages.
        Truncate(f64),
        /// Run a lookup.
        Ask,
        /// Serialize the index and continue with the deserialized copy.
        Store,
    }

    const WORDS: &[&str] = &[
        "harbour",
        "harbours",
        "lantern",
        "ORD-1234",
        "ORD-1235",
        "crossing",
        "crossed",
        "велосипед",
        "Straße",
        "東京都庁",
        "src/main.rs",
        "quince",
        "is",
        "the",
        "I'm allergic to peanuts.",
        "From now on, always answer in metric units.",
    ];

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let text = prop::collection::vec(prop::sample::select(WORDS), 0..6);
        let text = text.prop_map(|words| words.join(" "));
        let step = prop_oneof![
            4 => prop::collection::vec(text, 0..40).prop_map(Step::Append),
            1 => (0.0..1.0).prop_map(Step::Truncate),
            2 => Just(Step::Ask),
            1 => Just(Step::Store),
        ];
        prop::collection::vec(step, 0..12)
    }

    fn role_of(text: &str) -> Role {
        [Role::User, Role::User, Role::Assistant, Role::Tool][text.len() % 4]
    }

    fn messages_of(texts: &[String]) -> Messages {
        let lengths: Vec<u32> = texts.iter().map(|text| narrow(text.len())).collect();
        let mut messages = Messages::default();
        let text = texts.concat();
        let columns = messages::Columns {
            text: text.as_bytes(),
            roles: &texts.iter().map(|text| role_of(text) as u8).collect::<Vec<u8>>(),
            pinned: &vec![0; texts.len()],
            times: &vec![f64::NAN; texts.len()],
            segment_counts: &vec![1; texts.len()],
            segment_fields: &vec![Field::Text as u8; texts.len()],
            segment_lengths: &lengths,
        };
        messages.append(&columns).expect("columns that fit together");
        messages
    }

    fn append(index: &mut Index, texts: &[String]) {
        index.extend(&messages_of(texts), index.len()..texts.len());
    }

    fn stored_and_read(index: &Index) -> Index {
        let mut read = Index::default();
        for end in index.part_ends().iter().copied().chain([index.len()]) {
            let first = read.len();
            let mut bytes = Vec::new();
            if first < end {
                index.write(first, end, &mut bytes);
                read.read(end - first, &mut Reader(&bytes)).expect("what was written");
            }
        }
        read
    }

    impl Index {
        /// The sums over all messages.
        fn sums(&self) -> (u64, u64, [u32; Language::ALL.len() + 1], Vec<(Role, usize)>) {
            let speakers = self.speakers().iter().map(|it| (it.role, it.message_count));
            (self.total_length, self.total_size, self.languages, speakers.collect())
        }
    }

    /// Enough sizes for the open part to double as often as the tests make it.
    const MOST_SIZES: usize = 8;

    /// Messages that contain a term, each with the term's frequency.
    fn found(index: &Index, term: u32) -> Vec<(usize, u16)> {
        let of = |segment: &Segment| -> Vec<(usize, u16)> {
            let place = |posting: &Posting| segment.messages.start + posting.place();
            segment.of(term).iter().map(|posting| (place(posting), posting.often())).collect()
        };
        index.segments(0).flat_map(of).collect()
    }

    thread_local! {
        static TABLE: Table =
            Table::from_bytes(include_bytes!("../../../crates/meaning/table.bin")).expect("a table");
    }

    fn similarities(index: &Index, texts: &[String]) -> Vec<u32> {
        let text_of = |message: usize| texts.get(message).cloned();
        let found = TABLE.with(|table| index.similarities(table, "a boat with a lamp", &text_of));
        found.expect("all texts are there").into_iter().map(f32::to_bits).collect()
    }

    properties! {
        #[test]
        fn an_edited_index_equals_a_new_one(steps in steps()) {
            let (mut index, mut texts) = (Index::default(), Vec::<String>::new());
            for step in steps {
                match step {
                    Step::Append(more) => texts.extend(more),
                    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "a share of a few hundred")]
                    Step::Truncate(share) => texts.truncate((texts.len() as f64 * share) as usize),
                    // At most one segment of each size exists.
                    Step::Ask => {
                        prop_assert!(index.segments(0).count() <= 2 + MOST_SIZES);
                        similarities(&index, &texts);
                        prop_assert_eq!(index.meaning_count(), texts.len());
                    }
                    Step::Store => index = stored_and_read(&index),
                }
                index.truncate(texts.len());
                append(&mut index, &texts);
            }
            let mut new = Index::default();
            append(&mut new, &texts);
            prop_assert_eq!(index.len(), new.len());
            // A full part may still be open after the last message.
            let ends = |index: &Index| -> Vec<usize> {
                index.part_ends().iter().copied().filter(|end| *end < index.len()).collect()
            };
            prop_assert_eq!(ends(&index), ends(&new));
            prop_assert_eq!(index.lengths(), new.lengths());
            prop_assert_eq!(index.sums(), new.sums());
            for (speaker, id) in new.speakers().iter().zip(0..) {
                let own = (0..new.len()).filter(|message| new.speaker(*message) == id);
                let cued = own.clone().map(|message| (message, new.cues(message)));
                let cued: Vec<(usize, u8)> = cued.filter(|(_, cues)| *cues != 0).collect();
                prop_assert_eq!(speaker.message_count, own.count());
                prop_assert_eq!(index.cued(id).collect::<Vec<_>>(), cued);
            }
            prop_assert_eq!(similarities(&index, &texts), similarities(&new, &texts));
            for message in 0..new.len() {
                prop_assert_eq!(index.terms_of(message), new.terms_of(message));
            }
            for word in WORDS {
                for term in Analyzer::new().query(word, &[None]).iter().flat_map(|it| &it.terms) {
                    let term = short(*term);
                    prop_assert_eq!(found(&index, term), found(&new, term));
                    prop_assert_eq!(index.message_count(term), found(&new, term).len());
                }
            }
        }
    }
}
