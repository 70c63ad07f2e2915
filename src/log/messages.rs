//! Messages in order, stored as columns, with their costs and digests once these have been computed.
//!
//! Texts live in blocks, and a message is a run of segments, each with the start of its text. Messages are appended or
//! cut off at the end, and never changed in the middle, so the remembered cost and digest of a message stay valid.

use crate::base::blocks::Blocks;
use crate::base::cost::Cost;
use crate::base::error::{Error, ErrorCode, Result};
use crate::base::guard::collapse;
use crate::base::message::{Field, Role};
use crate::base::text::joined;
use crate::base::time::{self, Milliseconds};
use crate::log::clock::{Clock, Clocks};
use crate::log::costs::Costs;
use crate::log::split::SplitMessages;
use crate::log::texts::{self, Texts};
use crate::log::totals::{BLOCK, Total};
use crate::log::unread::{Unread, UnreadStretch};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use xxhash_rust::xxh64::xxh64;

/// Messages as they cross the binding: flat columns, with all segments of a message together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Columns<'a> {
    /// The concatenated text of all segments, in UTF-8.
    pub text: &'a [u8],
    /// One code per message: its position in [`Role::ALL`].
    pub roles: &'a [u8],
    /// One byte per message: 1 if it is pinned.
    pub pinned: &'a [u8],
    /// The time that each message was written, in milliseconds since 1970; NaN if unknown or given as a text.
    pub times: &'a [f64],
    /// Number of segments in each message.
    pub segment_counts: &'a [u32],
    /// One code per segment: its position in [`Field::ALL`].
    pub segment_fields: &'a [u8],
    /// The length of each segment in bytes.
    pub segment_lengths: &'a [u32],
}

/// Fields that make it necessary to read the whole log: with them, a message's place alone doesn't determine whether it
/// is part of the history or which messages it belongs to.
pub(crate) const WHOLE_LOG_FIELDS: [Field; 4] =
    [Field::SessionId, Field::SummaryOf, Field::TimeToLive, Field::JoinsNext];

/// The form of the users' names in some messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum UserNames {
    /// Nobody has a name.
    #[default]
    None,
    /// Every name is valid in a name field: letters, digits, `_` and `-`.
    Words,
    /// At least one name isn't valid in a name field.
    Texts,
}

impl UserNames {
    /// The form of one user's name.
    #[must_use]
    pub fn of(name: &str) -> Self {
        const LONGEST: usize = 64;
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if (1..=LONGEST).contains(&name.len()) && name.bytes().all(fits) {
            Self::Words
        } else if collapse(name).is_empty() {
            Self::None
        } else {
            Self::Texts
        }
    }
}

/// Stands for a time before all others.
const NEVER: Milliseconds = Milliseconds(i64::MIN);

/// Packed, because a log has many.
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed)]
struct Row {
    role: Role,
    pinned: bool,
    /// [`NEVER`] if it is unknown.
    time: Milliseconds,
    first_segment: u32,
}

impl Row {
    fn time(self) -> Option<Milliseconds> {
        Some(self.time).filter(|time| *time != NEVER)
    }
}

/// Messages read from columns, not yet appended.
struct Batch<'a> {
    rows: Vec<Row>,
    segments: Vec<(Segment, &'a str)>,
    /// The rows that continue a message, counted from the batch's first.
    next_rows: Vec<usize>,
}

/// Packed, because a log has many.
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed)]
struct Segment {
    field: Field,
    /// The start of its text.
    start: u32,
}

const _: () =
    assert!(Field::ALL.len() <= u64::BITS as usize, "each field has a bit of `fields_seen`");

/// The number of rows after which the clock is remembered.
const ROWS_PER_CLOCK: usize = 32;

/// Messages of one or several sessions, oldest first: all of them, or the part that a build reads.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    stored: Rc<StoredMessages>,
    /// The messages that are read; `None` reads all.
    part: Option<Part>,
    unread: Option<Unread>,
    skipped_count: usize,
    /// The sequence numbers of the rows, if they are from a log.
    seqs: Rc<Vec<u64>>,
}

/// The messages of a part: some of the older ones, and the newest.
#[derive(Clone, Debug, Default)]
struct Part {
    /// The stored rows of the older ones, ascending.
    picked: Vec<usize>,
    /// The first stored row of the tail, which is read completely.
    first_of_tail: usize,
    /// The sequence numbers of all messages, if known.
    seqs_of_all: Rc<Vec<u64>>,
}

/// The messages as columns, shared by all that read them.
#[derive(Clone, Debug, Default)]
struct StoredMessages {
    texts: Texts,
    rows: Blocks<Row>,
    segments: Blocks<Segment>,
    /// The clock before each [`ROWS_PER_CLOCK`] rows.
    clocks: Clocks<ROWS_PER_CLOCK>,
    split: SplitMessages,
    /// A bit for each field that any message has ever had. Most fields occur in no message, so searching for them can
    /// be skipped.
    fields_seen: u64,
    /// The rows of pinned messages.
    pinned: Vec<usize>,
    /// The first row of a user with a name, and the first whose name isn't a valid word.
    first_named: [Option<usize>; 2],
    costs: RefCell<Costs>,
    /// Digests, each covering the messages up to its own.
    digests: RefCell<Blocks<u64>>,
}

impl Messages {
    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        let all = self.stored.rows.len();
        self.part.as_ref().map_or(all, |part| part.picked.len() + all - part.first_of_tail)
    }

    /// True if there aren't any messages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The unread part of the log, if any.
    #[must_use]
    pub fn unread(&self) -> Option<&Unread> {
        self.unread.as_ref().filter(|unread| unread.count > 0)
    }

    /// The number of rows in the log that aren't messages.
    #[must_use]
    pub fn skipped_count(&self) -> usize {
        self.skipped_count
    }

    /// Sets facts about the log: its unread part, the number of its rows that aren't messages, and the sequence number
    /// of each message, ascending (empty if unknown). A gap is identified by the message after it.
    pub fn set_log(&mut self, unread: Option<Unread>, skipped_count: usize, seqs: Vec<u64>) {
        let split = &self.stored.split;
        self.unread = unread.map(|unread| unread.with_rows(|message| split.first_row_of(message)));
        self.skipped_count = skipped_count;
        self.seqs = Rc::new(if split.is_empty() || seqs.len() != self.message_count() {
            seqs
        } else {
            (0..self.len()).map(|row| seqs[split.message_of(row)]).collect()
        });
    }

    // ---- Rows and messages ----

    /// The number of messages. A message may be several rows.
    #[must_use]
    pub fn message_count(&self) -> usize {
        self.stored.split.message_of(self.stored.rows.len())
    }

    /// The position of a row's message among all messages.
    #[must_use]
    pub fn message_of(&self, row: usize) -> usize {
        self.stored.split.message_of(self.stored_row(row))
    }

    /// The place of a row within its message, counted from 1; 0 if it is the whole message.
    #[must_use]
    pub fn share(&self, row: usize) -> usize {
        self.stored.split.share(self.stored_row(row))
    }

    /// The name of a row in the tool `retrieval`: `r` and the message's sequence number in a log, or its position in a
    /// list. If the message has several rows, the row's place follows.
    #[must_use]
    pub(crate) fn name_of(&self, row: usize) -> String {
        let row = self.stored_row(row);
        let seqs = self.part.as_ref().map_or(&self.seqs, |part| &part.seqs_of_all);
        let split = &self.stored.split;
        let number = seqs.get(row).copied().unwrap_or_else(|| split.message_of(row) as u64);
        match split.share(row) {
            0 => format!("r{number}"),
            share => format!("r{number}.{share}"),
        }
    }

    /// True if a row continues the message of the row before it.
    pub(crate) fn goes_on(&self, row: usize) -> bool {
        self.stored.split.goes_on(self.stored_row(row))
    }

    /// The row before a row, if both belong to one message.
    pub(crate) fn row_before(&self, row: usize) -> Option<usize> {
        row.checked_sub(1).filter(|before| {
            self.goes_on(row) && self.stored_row(*before) + 1 == self.stored_row(row)
        })
    }

    /// True if two rows belong to the same message of an assistant.
    pub(crate) fn are_of_one_answer(&self, one: usize, other: usize) -> bool {
        self.has_split() && {
            let message = self.message_of(one);
            let first = self.stored.split.first_row_of(message);
            message == self.message_of(other) && self.stored.row(first).role == Role::Assistant
        }
    }

    /// True if any message has more than one row.
    pub(crate) fn has_split(&self) -> bool {
        !self.stored.split.is_empty()
    }

    /// The rows of a range of messages.
    #[must_use]
    pub fn rows_of(&self, messages: Range<usize>) -> Range<usize> {
        let row =
            |message: usize| self.stored.split.first_row_of(message).min(self.stored.rows.len());
        row(messages.start)..row(messages.end)
    }

    /// The sequence numbers of the messages, one for each row; empty if unknown.
    #[must_use]
    pub fn seqs(&self) -> &[u64] {
        if self.seqs.len() == self.len() { &self.seqs } else { &[] }
    }

    /// The number of rows from the log's beginning.
    #[must_use]
    pub fn head_length(&self) -> usize {
        self.gaps().first().map_or(self.len(), |gap| gap.row)
    }

    /// The first row of the tail: from there on, nothing of the log is missing.
    #[must_use]
    pub fn first_of_tail(&self) -> usize {
        self.gaps().last().map_or(0, |gap| gap.row)
    }

    /// The gaps of unread messages.
    #[must_use]
    pub fn gaps(&self) -> &[UnreadStretch] {
        self.unread().map_or(&[], |unread| &unread.gaps)
    }

    /// Appends messages.
    ///
    /// # Errors
    ///
    /// `INVALID_TRANSCRIPT` if the columns don't fit together. Nothing is appended then.
    pub fn append(&mut self, columns: &Columns<'_>) -> Result<()> {
        Rc::make_mut(&mut self.stored).append(columns)
    }

    /// Keeps the first `count` messages and forgets the rest.
    pub fn truncate(&mut self, count: usize) {
        let length = self.rows_of(0..count).end;
        if length >= self.len() {
            return;
        }
        if length == 0 {
            *self = Self::default(); // frees the memory too
            return;
        }
        if let Some(unread) = &mut self.unread {
            for gap in &mut unread.gaps {
                gap.row = gap.row.min(length);
            }
        }
        Rc::make_mut(&mut self.seqs).truncate(length);
        Rc::make_mut(&mut self.stored).truncate(length);
    }

    /// The role of a message's author.
    #[must_use]
    pub fn role(&self, row: usize) -> Role {
        self.stored.row(self.stored_row(row)).role
    }

    /// True if a message is the summary of a conversation. It is shown as text or not at all, and is never half of a
    /// call.
    pub(crate) fn is_summary(&self, row: usize) -> bool {
        self.value(row, Field::SummaryOf).is_some()
    }

    /// True if the caller pinned a message.
    #[must_use]
    pub fn is_pinned(&self, row: usize) -> bool {
        self.stored.row(self.stored_row(row)).pinned
    }

    /// The time that a message was written, if known.
    #[must_use]
    pub fn time(&self, row: usize) -> Option<Milliseconds> {
        self.stored.row(self.stored_row(row)).time()
    }

    /// A message's fields in the order they were written.
    pub fn fields(&self, row: usize) -> impl Iterator<Item = (Field, &str)> {
        self.stored.fields(self.stored_row(row))
    }

    /// A message's texts, joined by line breaks.
    #[must_use]
    pub fn text(&self, row: usize) -> String {
        joined(self.values(row, Field::Text), "\n")
    }

    /// The text of a message without the texts of files.
    #[must_use]
    pub fn own_text(&self, row: usize) -> String {
        if !self.has_seen(Field::OfFile) {
            return self.text(row);
        }
        let mut is_of_file = false;
        let own = self.fields(row).filter_map(|(field, value)| {
            let is_own = field == Field::Text && !is_of_file;
            is_of_file = field == Field::OfFile;
            is_own.then_some(value)
        });
        joined(own, "\n")
    }

    /// All values of a field in a message.
    pub fn values(&self, row: usize, field: Field) -> impl Iterator<Item = &str> {
        self.has_seen(field)
            .then(|| self.fields(row))
            .into_iter()
            .flatten()
            .filter(move |(found, _)| *found == field)
            .map(|(_, value)| value)
    }

    /// The first value of a field in a message.
    #[must_use]
    #[inline]
    pub fn value(&self, row: usize, field: Field) -> Option<&str> {
        if self.has_seen(field) { self.values(row, field).next() } else { None }
    }

    /// True if any message has ever had a field.
    pub(crate) fn has_seen(&self, field: Field) -> bool {
        self.stored.fields_seen >> field as u32 & 1 == 1
    }

    /// The form of users' names in the whole transcript, even if only a part of it is read.
    #[must_use]
    pub fn user_names(&self) -> UserNames {
        match self.stored.first_named {
            [None, _] => UserNames::None,
            [Some(_), None] => UserNames::Words,
            [Some(_), Some(_)] => UserNames::Texts,
        }
    }

    /// True if a message has a part whose cost isn't known exactly: an image, audio or a file.
    #[must_use]
    pub fn has_media(&self, row: usize) -> bool {
        self.fields(row).any(|(field, _)| field.is_media())
    }

    /// True if a message contains tool calls or results.
    #[must_use]
    pub fn has_tools(&self, row: usize) -> bool {
        (self.has_seen(Field::CallId) || self.has_seen(Field::ResultId))
            && self.fields(row).any(|(field, _)| matches!(field, Field::CallId | Field::ResultId))
    }

    // ---- Costs ----

    /// The cost of a message in a form, if it was computed before.
    pub(crate) fn remembered_cost(&self, form: u64, row: usize) -> Option<Cost> {
        self.stored.costs.borrow().get(form, self.stored_row(row))
    }

    /// Remembers the cost of a message in a form.
    pub(crate) fn remember_cost(&self, form: u64, row: usize, cost: Cost) {
        self.stored.costs.borrow_mut().insert(form, self.stored_row(row), cost);
    }

    /// The remembered costs of some messages, as bytes for [`Messages::learn_costs`]. Empty if none is remembered. They
    /// identify messages by checksums, so they are valid wherever the same messages are. If the place of the first
    /// message in its log is given, they include the tokens of all messages before it.
    #[must_use]
    pub fn costs(&self, rows: Range<usize>, place: Option<u64>) -> Vec<u8> {
        let checksum = |row| self.stored.checksum(row, 0, &mut Vec::new());
        self.stored.costs.borrow().bytes(rows, place, &checksum)
    }

    /// The number of records in [`Messages::costs`].
    #[must_use]
    pub fn known_costs(&self, rows: Range<usize>) -> usize {
        self.stored.costs.borrow().known_count(rows)
    }

    /// Remembers the costs of some messages from `bytes`. Ignores bytes that are damaged, of another version or not
    /// costs at all; the messages are then counted again. Also remembers the tokens before the first of them, if its
    /// place is the same.
    pub fn learn_costs(&self, rows: Range<usize>, place: Option<u64>, bytes: &[u8]) {
        let checksum = |row| self.stored.checksum(row, 0, &mut Vec::new());
        self.stored.costs.borrow_mut().learn(rows, place, bytes, &checksum);
    }

    // ---- The tokens before a message ----

    /// The first message of the tail that has a remembered total in a form, with the total before it.
    pub(crate) fn total_in_tail(&self, form: u64) -> Option<(usize, Total)> {
        let first = self.first_of_tail();
        let costs = self.stored.costs.borrow();
        let (row, total) = costs.totals.first_from(form, self.stored_row(first))?;
        Some((row - self.stored_row(first) + first, total))
    }

    /// True if totals in a form are remembered.
    pub(crate) fn has_totals(&self, form: u64) -> bool {
        self.stored.costs.borrow().totals.has(form)
    }

    /// Remembers the total before a message in a form, if the message begins a block.
    pub(crate) fn remember_total(&self, form: u64, row: usize, total: Total) {
        if row > 0 && self.block(row - 1) < self.block(row) {
            self.stored.costs.borrow_mut().totals.insert(form, self.stored_row(row), total);
        }
    }

    /// The block of its log that a message is in.
    fn block(&self, row: usize) -> u64 {
        let seqs = self.part.as_ref().map_or(&self.seqs, |part| &part.seqs_of_all);
        let row = self.stored_row(row);
        seqs.get(row).copied().unwrap_or(row as u64 + 1) / BLOCK
    }

    /// Takes over the totals of other messages of the same log. Both have sequence numbers.
    pub fn take_totals(&self, other: &Self) {
        let first_row_of = |seq: &u64| {
            let row = self.seqs.partition_point(|known| known < seq);
            (self.seqs.get(row) == Some(seq)).then_some(row)
        };
        let row_of = |row: usize| other.seqs.get(row).and_then(first_row_of);
        let totals = &other.stored.costs.borrow().totals;
        self.stored.costs.borrow_mut().totals.take(totals, &row_of);
    }

    // ---- Identity ----

    /// True if, for some message, its place doesn't determine whether it is part of the log's history: see [`Index`].
    pub(crate) fn needs_whole_log(&self) -> bool {
        WHOLE_LOG_FIELDS.iter().any(|field| self.has_seen(*field))
    }

    /// A checksum of the first `count` stored messages with all their fields, as 16 hexadecimal digits.
    ///
    /// Each message's digest covers the previous digest, so a longer transcript costs only its new messages.
    #[must_use]
    pub fn digest(&self, count: usize) -> String {
        let length = self.rows_of(0..count).end;
        let mut digests = self.stored.digests.borrow_mut();
        let mut bytes = Vec::new();
        for row in digests.len()..length {
            let before = digests.last().unwrap_or(0);
            digests.push(self.stored.checksum(row, before, &mut bytes));
        }
        let digest = length.checked_sub(1).and_then(|last| digests.get(last)).unwrap_or(0);
        format!("{digest:016x}")
    }

    // ---- Parts ----

    /// All messages, of which these may be a part.
    #[must_use]
    pub(crate) fn whole(&self) -> Self {
        match &self.part {
            None => self.clone(),
            Some(part) => Self {
                stored: Rc::clone(&self.stored),
                seqs: Rc::clone(&part.seqs_of_all),
                ..Self::default()
            },
        }
    }

    /// True if these are part of messages that are all in memory.
    #[must_use]
    pub(crate) fn is_part(&self) -> bool {
        self.part.is_some()
    }

    /// A part of all messages: some of the older ones by their rows, ascending, and all from `first_of_tail` on.
    /// `looked_up` has the ids whose messages are all included.
    #[must_use]
    pub(crate) fn part(
        &self,
        picked: Vec<usize>,
        first_of_tail: usize,
        looked_up: Vec<String>,
    ) -> Self {
        let mut gaps = Vec::new();
        let mut next = 0;
        for (at, row) in picked.iter().copied().chain([first_of_tail]).enumerate() {
            if row > next {
                gaps.push(UnreadStretch { row: at, latest: self.stored.clock(row).latest });
            }
            next = row + 1;
        }
        let unread = Unread {
            gaps,
            count: first_of_tail - picked.len(),
            has_untimed: self.stored.clock(first_of_tail).has_untimed,
            looked_up,
            ranking: None,
            total: None,
        };
        let seqs_of_all = Rc::clone(&self.seqs);
        let mut part = Self {
            stored: Rc::clone(&self.stored),
            part: Some(Part { picked, first_of_tail, seqs_of_all }),
            unread: Some(unread),
            skipped_count: self.skipped_count,
            seqs: Rc::default(),
        };
        // A part asks for messages by their places among all messages, counted from 1.
        let seqs = (0..part.len()).map(|row| part.stored_row(row) as u64 + 1).collect();
        part.seqs = Rc::new(seqs);
        part
    }

    /// A message's row among all messages.
    #[must_use]
    #[inline]
    pub(crate) fn stored_row(&self, row: usize) -> usize {
        let Some(part) = &self.part else {
            return row;
        };
        let newer = row.checked_sub(part.picked.len());
        newer.map_or_else(|| part.picked[row], |newer| part.first_of_tail + newer)
    }

    /// Counts the newest messages that have at most `bytes` bytes together, in all their fields.
    #[must_use]
    pub(crate) fn newest_within(&self, bytes: u64) -> usize {
        let stored = &*self.stored;
        let first = stored.texts.place_before_last(bytes);
        let has_more = |row: Row| {
            let segment = stored.segments.get(row.first_segment as usize);
            segment.map_or(stored.texts.end(), |segment| segment.start.into()) < first
        };
        stored.rows.len() - stored.rows.partition_point(has_more)
    }

    /// The rows of pinned messages, ascending.
    #[must_use]
    pub(crate) fn pinned(&self) -> &[usize] {
        &self.stored.pinned
    }

    /// The times of all messages.
    #[must_use]
    pub(crate) fn clock(&self) -> Clock {
        self.stored.clock(self.stored.rows.len())
    }
}

impl StoredMessages {
    fn append(&mut self, columns: &Columns<'_>) -> Result<()> {
        let Batch { rows, segments, next_rows } = self.read(columns)?;
        for row in next_rows {
            self.split.push(self.rows.len() + row);
        }
        let mut clock = self.clock(self.rows.len());
        for row in rows {
            let at = self.rows.len();
            self.clocks.note(at, clock);
            clock.take(row.time(), Some(row.role));
            if row.pinned {
                self.pinned.push(at);
            }
            self.rows.push(row);
        }
        let first = self.segments.len();
        for (segment, text) in segments {
            self.fields_seen |= 1 << segment.field as u32;
            self.segments.push(segment);
            self.texts.push(text);
        }
        self.note_names(first);
        Ok(())
    }

    fn row(&self, row: usize) -> Row {
        self.rows[row]
    }

    /// The times of the rows before a row.
    fn clock(&self, row: usize) -> Clock {
        self.clocks.before(row, |row| (self.row(row).time(), Some(self.row(row).role)))
    }

    /// Records the first users with names, among the rows from a segment on.
    fn note_names(&mut self, first_segment: usize) {
        if self.fields_seen >> Field::Name as u32 & 1 == 0 || self.first_named[1].is_some() {
            return;
        }
        let is_before = |row: Row| (row.first_segment as usize) < first_segment;
        for row in self.rows.partition_point(is_before)..self.rows.len() {
            if self.row(row).role != Role::User {
                continue;
            }
            let name = self.fields(row).find(|(field, _)| *field == Field::Name);
            let names = name.map_or(UserNames::None, |(_, name)| UserNames::of(name));
            if names >= UserNames::Words {
                self.first_named[0].get_or_insert(row);
            }
            if names == UserNames::Texts {
                self.first_named[1].get_or_insert(row);
                return;
            }
        }
    }

    fn read<'a>(&self, columns: &Columns<'a>) -> Result<Batch<'a>> {
        let count = columns.roles.len();
        let torn = || {
            Error::new(
                ErrorCode::InvalidTranscript,
                "the columns of the messages don't match",
                "Pass the messages through the package's own functions.",
            )
        };
        let text = std::str::from_utf8(columns.text).map_err(|_| torn())?;
        if [columns.pinned.len(), columns.times.len(), columns.segment_counts.len()] != [count; 3]
            || columns.segment_fields.len() != columns.segment_lengths.len()
        {
            return Err(torn());
        }
        let mut rows = Vec::with_capacity(count);
        let mut segments: Vec<(Segment, &str)> = Vec::with_capacity(columns.segment_fields.len());
        let mut end = self.texts.end();
        let mut placed = |field: Field, text: &'a str| -> Result<(Segment, &'a str)> {
            let (start, after) = texts::place(end, text.len());
            end = after;
            let start = u32::try_from(start).map_err(|_| too_large())?;
            Ok((Segment { field, start }, text))
        };
        let mut next_rows = Vec::new();
        let mut at = 0;
        let mut read = 0;
        for message in 0..count {
            let mut role = *Role::ALL.get(columns.roles[message] as usize).ok_or_else(torn)?;
            let mut first = segments.len();
            // A message's facts come first.
            let mut fact_count = 0;
            let new_row = |role: Role, time: Option<Milliseconds>, first: usize| -> Result<Row> {
                let first_segment = u32::try_from(self.segments.len() + first);
                Ok(Row {
                    role,
                    pinned: columns.pinned[message] != 0,
                    time: time.unwrap_or(NEVER),
                    first_segment: first_segment.map_err(|_| too_large())?,
                })
            };
            let mut time = time::from_number(columns.times[message]);
            for _ in 0..columns.segment_counts[message] {
                let code = *columns.segment_fields.get(read).ok_or_else(torn)?;
                let field = *Field::ALL.get(code as usize).ok_or_else(torn)?;
                let length = columns.segment_lengths[read];
                read += 1;
                let end = at + length as usize;
                let content = text.get(at..end).ok_or_else(torn)?;
                if field == Field::CreatedAt {
                    time = time::parse(content);
                }
                if field == Field::NextRow {
                    // Each of the message's rows repeats its facts.
                    rows.push(new_row(role, time, first)?);
                    next_rows.push(rows.len());
                    role = *Role::ALL.iter().find(|it| it.as_str() == content).ok_or_else(torn)?;
                    let facts = first..first + fact_count;
                    first = segments.len();
                    for fact in facts {
                        let (Segment { field, .. }, text) = segments[fact];
                        segments.push(placed(field, text)?);
                    }
                    at = end;
                    continue;
                }
                segments.push(placed(field, content)?);
                if fact_count == segments.len() - 1 - first && field.is_fact() {
                    fact_count += 1;
                }
                at = end;
            }
            rows.push(new_row(role, time, first)?);
        }
        if at != text.len() || read != columns.segment_fields.len() {
            return Err(torn());
        }
        Ok(Batch { rows, segments, next_rows })
    }

    fn truncate(&mut self, length: usize) {
        let first_segment = self.row(length).first_segment as usize;
        if let Some(segment) = self.segments.get(first_segment) {
            self.texts.truncate(segment.start);
        }
        self.segments.truncate(first_segment);
        self.rows.truncate(length);
        self.clocks.truncate(length);
        self.split.truncate(length);
        self.pinned.truncate(self.pinned.partition_point(|row| *row < length));
        self.first_named = self.first_named.map(|first| first.filter(|row| *row < length));
        self.digests.get_mut().truncate(length);
        self.costs.get_mut().truncate(length);
    }

    fn fields(&self, row: usize) -> impl Iterator<Item = (Field, &str)> {
        let first = self.row(row).first_segment as usize;
        let end =
            self.rows.get(row + 1).map_or(self.segments.len(), |next| next.first_segment as usize);
        let mut segment = self.segments.get(first);
        (first..end).filter_map(move |at| {
            let next = self.segments.get(at + 1);
            let Segment { field, start } = std::mem::replace(&mut segment, next)?;
            Some((field, self.texts.get(start, next.map(|next| next.start))))
        })
    }

    /// The checksum of one message with all its fields. `bytes` is a buffer: hashing everything at once is faster than
    /// piece by piece.
    fn checksum(&self, row: usize, seed: u64, bytes: &mut Vec<u8>) -> u64 {
        let Row { role, pinned, time, .. } = self.row(row);
        bytes.clear();
        bytes.extend([role as u8, u8::from(pinned)]);
        bytes.extend(time.0.to_le_bytes());
        for (field, value) in self.fields(row) {
            if field == Field::CreatedAt && time != NEVER {
                continue; // the time was already hashed, whatever its form
            }
            bytes.push(field as u8);
            bytes.extend((value.len() as u64).to_le_bytes());
            bytes.extend(value.as_bytes());
        }
        xxh64(bytes, seed)
    }
}

fn too_large() -> Error {
    Error::new(
        ErrorCode::InvalidTranscript,
        "the transcript is larger than 4 GB of text",
        "Pass the newest part of it.",
    )
}
