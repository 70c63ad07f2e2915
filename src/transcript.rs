//! The transcript: messages in order, held as columns, with what was once computed about them.
//!
//! Text lives in one buffer; a message is a run of segments into it. Messages are appended or cut off at the end,
//! never changed in the middle, so that what is remembered of a message (its cost, its digest) stays true.

use crate::context::Cost;
use crate::error::{Error, ErrorCode, Result};
use crate::map::Hashed;
use crate::recall::index::{Index, ODD_FIELDS};
use crate::recall::log::LogIndex;
use crate::recall::passages::Library;
use crate::recall::search::{Found, search};
use crate::recall::terms::Analyzer;
use crate::recall::vectors::Vectors;
use crate::time::{self, Milliseconds, Zone};
use crate::trace::RecalledWords;
use serde::{Deserialize, Serialize};
use std::cell::{RefCell, RefMut};
use std::rc::Rc;
use xxhash_rust::xxh64::{Xxh64, xxh64};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// Instructions to the model.
    System,
    /// Instructions to the model, as newer models call them.
    Developer,
    /// The human, or whoever asks.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

impl Role {
    /// Every role, in the order of its code at the boundary.
    pub const ALL: [Self; 5] =
        [Self::System, Self::Developer, Self::User, Self::Assistant, Self::Tool];

    /// The role as messages spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }

    /// Whether messages of this role instruct the model rather than take part in the conversation.
    #[must_use]
    pub fn is_instruction(self) -> bool {
        matches!(self, Self::System | Self::Developer)
    }
}

/// What a segment of a message holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Field {
    /// The message's id, as the caller knows it.
    Id,
    /// The speaker's name.
    Name,
    /// A text part of the content.
    Text,
    /// A reasoning part of the content.
    Reasoning,
    /// An image part: its detail (`low`, `high` or `auto`), what is known of it as `name=value`, and a fingerprint, with spaces
    /// between them.
    Image,
    /// An audio part: as an image.
    Audio,
    /// A file part: as an image.
    File,
    /// A tool call begins: its id.
    CallId,
    /// The tool's name.
    CallName,
    /// The call's arguments, a JSON text.
    CallArguments,
    /// The id of the call that this message, or the text that follows, is the result of.
    ResultId,
    /// When it was written, where that is a text.
    CreatedAt,
    /// The session that it belongs to.
    SessionId,
    /// Where it comes from, for example `scheduled`.
    Source,
    /// One of its tags.
    Tag,
    /// The conversation that it belongs to.
    ConversationId,
    /// The conversation that it is the summary of.
    SummaryOf,
    /// The id of the message that it replies to.
    ReplyTo,
    /// One of the things that were done in it.
    Action,
    /// How the turn ended, for example `failed`.
    Status,
    /// The agent that it is meant for.
    Target,
    /// Its priority among direct messages, in millionths: a whole number from 0 to 1000000.
    Priority,
    /// How long it is valid after it was written, in milliseconds.
    TimeToLive,
}

impl Field {
    /// Every field, in the order of its code at the boundary.
    pub const ALL: [Self; 23] = [
        Self::Id,
        Self::Name,
        Self::Text,
        Self::Reasoning,
        Self::Image,
        Self::Audio,
        Self::File,
        Self::CallId,
        Self::CallName,
        Self::CallArguments,
        Self::ResultId,
        Self::CreatedAt,
        Self::SessionId,
        Self::Source,
        Self::Tag,
        Self::ConversationId,
        Self::SummaryOf,
        Self::ReplyTo,
        Self::Action,
        Self::Status,
        Self::Target,
        Self::Priority,
        Self::TimeToLive,
    ];

    /// Whether the field is part of what the model sees.
    #[must_use]
    pub fn is_content(self) -> bool {
        matches!(
            self,
            Self::Name
                | Self::Text
                | Self::Reasoning
                | Self::Image
                | Self::Audio
                | Self::File
                | Self::CallId
                | Self::CallName
                | Self::CallArguments
                | Self::ResultId
        )
    }
}

/// Messages as they cross: flat columns, all of one message's segments in a row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Columns<'a> {
    /// The text of all segments, one after the other, in UTF-8.
    pub text: &'a [u8],
    /// One code a message: its position in [`Role::ALL`].
    pub roles: &'a [u8],
    /// One byte a message: 1 if it is pinned.
    pub pinned: &'a [u8],
    /// When each message was written, in milliseconds since 1970; NaN where unknown or given as a text.
    pub times: &'a [f64],
    /// How many segments each message has.
    pub segment_counts: &'a [u32],
    /// One code a segment: its position in [`Field::ALL`].
    pub segment_fields: &'a [u8],
    /// The length of each segment in bytes.
    pub segment_lengths: &'a [u32],
}

#[derive(Clone, Copy, Debug)]
struct Row {
    role: Role,
    pinned: bool,
    time: Option<Milliseconds>,
    first_segment: u32,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    field: Field,
    start: u32,
    length: u32,
}

/// Messages of one or several sessions, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    text: String,
    rows: Vec<Row>,
    segments: Vec<Segment>,
    /// A bit for each field that any message ever had: most fields are in no message, and need not be looked for.
    fields_seen: u32,
    unread: Option<Unread>,
    skipped_count: usize,
    /// The sequence numbers of the rows, where they are of a log.
    seqs: Vec<u64>,
    remembered: RefCell<Remembered>,
}

/// What a transcript leaves out of the log that it was read from.
///
/// Reading from the end, one reads no more than the context can need. What comes before that tail was read for what it is:
/// the log's beginning, and what is pinned or replied to, with its exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Unread {
    /// Where messages were not read, in the order of the rows: the log's beginning ends at the first gap, and the tail begins
    /// behind the last.
    pub gaps: Vec<Gap>,
    /// How many messages were not read.
    pub count: usize,
    /// Whether some of them may have no time.
    pub has_untimed: bool,
    /// Ids that were looked for: all messages of the log that have one of them are there.
    pub looked_up: Vec<String>,
    /// How the index of the log ranked messages: in a recording, as it is not there when that is replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<RankingRecord>,
}

/// How the index of a log ranked messages for a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RankingRecord {
    /// The rows of those that were read, the best first.
    pub rows: Vec<usize>,
    /// Why those that were kept were recalled.
    pub recalled: Vec<RecalledWords>,
}

/// Messages of the log that are not in the transcript, all in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Gap {
    /// The row that follows them.
    pub row: usize,
    /// The latest time of all that the log has before that row, or of the row itself; none where none has a time.
    pub latest: Option<Milliseconds>,
}

/// What was computed once; each list covers a first part of the rows.
#[derive(Clone, Debug, Default)]
struct Remembered {
    costs: Vec<CostColumn>,
    digests: Vec<u64>,
    /// The latest last.
    indexes: Vec<Indexed>,
    /// The index of the log that the messages are of.
    log: Option<LogIndex>,
    /// Texts of sections, by their checksums; the latest last.
    libraries: Vec<(u64, Rc<Library>)>,
    vectors: Vectors,
}

/// An index of some messages.
#[derive(Clone, Debug, Default)]
struct Indexed {
    rows: Vec<usize>,
    index: Rc<Index>,
}

#[derive(Clone, Debug)]
struct CostColumn {
    /// The checksum of what the costs depend on beside the message.
    form: u64,
    /// Tokens and characters.
    costs: Vec<[u32; 2]>,
}

/// How many forms (format and encoding) of a message's cost are remembered at once.
const REMEMBERED_FORMS: usize = 4;
/// Of how many lists of texts the index is remembered at once.
const REMEMBERED_LIBRARIES: usize = 4;
const UNKNOWN_COST: [u32; 2] = [u32::MAX; 2];

impl Transcript {
    /// How many messages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no message.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// What was not read of the log, where anything was not.
    #[must_use]
    pub fn unread(&self) -> Option<&Unread> {
        self.unread.as_ref().filter(|unread| unread.count > 0)
    }

    /// How many rows of the log are no messages.
    #[must_use]
    pub fn skipped_count(&self) -> usize {
        self.skipped_count
    }

    /// Says what was not read of the log, how many of its rows are no messages, and by which sequence numbers the log knows
    /// its messages, ascending: one a row, or none where nobody knows.
    pub fn set_log(&mut self, unread: Option<Unread>, skipped_count: usize, seqs: Vec<u64>) {
        self.unread = unread;
        self.skipped_count = skipped_count;
        self.seqs = seqs;
    }

    /// The sequence numbers of the messages, one a row; empty where they are not known.
    #[must_use]
    pub fn seqs(&self) -> &[u64] {
        if self.seqs.len() == self.len() { &self.seqs } else { &[] }
    }

    /// How many rows are those that the log begins with.
    #[must_use]
    pub fn head_length(&self) -> usize {
        self.gaps().first().map_or(self.len(), |gap| gap.row)
    }

    /// The row from which on nothing of the log is left out.
    #[must_use]
    pub fn first_of_tail(&self) -> usize {
        self.gaps().last().map_or(0, |gap| gap.row)
    }

    /// Where messages were not read.
    #[must_use]
    pub fn gaps(&self) -> &[Gap] {
        self.unread().map_or(&[], |unread| &unread.gaps)
    }

    /// Appends messages.
    ///
    /// # Errors
    ///
    /// `INVALID_TRANSCRIPT` where the columns do not fit together; nothing is appended then.
    pub fn append(&mut self, columns: &Columns<'_>) -> Result<()> {
        let (rows, segments, text) = self.read(columns)?;
        self.rows.extend(rows);
        for segment in &segments {
            self.fields_seen |= 1 << segment.field as u32;
        }
        self.segments.extend(segments);
        self.text.push_str(text);
        Ok(())
    }

    fn read<'a>(&self, columns: &Columns<'a>) -> Result<(Vec<Row>, Vec<Segment>, &'a str)> {
        let count = columns.roles.len();
        let torn = || {
            Error::new(
                ErrorCode::InvalidTranscript,
                "the columns of the messages do not fit together",
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
        let mut segments = Vec::with_capacity(columns.segment_fields.len());
        let mut at = 0;
        let mut read = 0;
        for message in 0..count {
            let role = *Role::ALL.get(columns.roles[message] as usize).ok_or_else(torn)?;
            let first_segment = u32::try_from(self.segments.len() + segments.len());
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
                let start = u32::try_from(self.text.len() + at).map_err(|_| too_large())?;
                segments.push(Segment { field, start, length });
                at = end;
            }
            rows.push(Row {
                role,
                pinned: columns.pinned[message] != 0,
                time,
                first_segment: first_segment.map_err(|_| too_large())?,
            });
        }
        if at != text.len() || read != columns.segment_fields.len() {
            return Err(torn());
        }
        u32::try_from(self.text.len() + at).map_err(|_| too_large())?;
        Ok((rows, segments, text))
    }

    /// Keeps the first `length` messages and forgets the rest.
    pub fn truncate(&mut self, length: usize) {
        let Some(row) = self.rows.get(length) else {
            return;
        };
        if length == 0 {
            *self = Self::default(); // gives the memory back too
            return;
        }
        if let Some(unread) = &mut self.unread {
            for gap in &mut unread.gaps {
                gap.row = gap.row.min(length);
            }
        }
        let first_segment = row.first_segment as usize;
        if let Some(segment) = self.segments.get(first_segment) {
            self.text.truncate(segment.start as usize);
        }
        self.segments.truncate(first_segment);
        self.rows.truncate(length);
        self.seqs.truncate(length);
        let remembered = self.remembered.get_mut();
        remembered.digests.truncate(length);
        remembered.vectors.truncate(length);
        for known in &mut remembered.indexes {
            if let Some(cut) = known.rows.iter().position(|row| *row >= length) {
                known.rows.truncate(cut);
                Rc::make_mut(&mut known.index).truncate(cut);
            }
        }
        for column in &mut remembered.costs {
            column.costs.truncate(length);
        }
    }

    /// Who wrote a message.
    #[must_use]
    pub fn role(&self, row: usize) -> Role {
        self.rows[row].role
    }

    /// Whether the caller pinned a message.
    #[must_use]
    pub fn is_pinned(&self, row: usize) -> bool {
        self.rows[row].pinned
    }

    /// When a message was written, if that is known.
    #[must_use]
    pub fn time(&self, row: usize) -> Option<Milliseconds> {
        self.rows[row].time
    }

    /// A message's fields in the order in which they were written.
    pub fn fields(&self, row: usize) -> impl Iterator<Item = (Field, &str)> {
        let start = self.rows[row].first_segment as usize;
        let end =
            self.rows.get(row + 1).map_or(self.segments.len(), |next| next.first_segment as usize);
        self.segments[start..end].iter().map(|segment| {
            let from = segment.start as usize;
            (segment.field, &self.text[from..from + segment.length as usize])
        })
    }

    /// All values that a message has for a field.
    pub fn values(&self, row: usize, field: Field) -> impl Iterator<Item = &str> {
        self.has_seen(field)
            .then(|| self.fields(row))
            .into_iter()
            .flatten()
            .filter(move |(found, _)| *found == field)
            .map(|(_, value)| value)
    }

    /// The first value that a message has for a field.
    #[must_use]
    #[inline]
    pub fn value(&self, row: usize, field: Field) -> Option<&str> {
        if self.has_seen(field) { self.values(row, field).next() } else { None }
    }

    /// Whether any message ever had a field.
    fn has_seen(&self, field: Field) -> bool {
        self.fields_seen >> field as u32 & 1 == 1
    }

    /// Whether a message has a part whose cost is not known exactly: an image, audio or a file.
    #[must_use]
    pub fn has_media(&self, row: usize) -> bool {
        self.fields(row)
            .any(|(field, _)| matches!(field, Field::Image | Field::Audio | Field::File))
    }

    /// What a message costs in a form, if that was computed before.
    pub(crate) fn remembered_cost(&self, form: u64, row: usize) -> Option<Cost> {
        let remembered = self.remembered.borrow();
        let column = remembered.costs.iter().find(|column| column.form == form)?;
        let cost = column.costs.get(row).filter(|cost| **cost != UNKNOWN_COST)?;
        Some(Cost { tokens: u64::from(cost[0]), chars: u64::from(cost[1]) })
    }

    /// Remembers what a message costs in a form.
    pub(crate) fn remember_cost(&self, form: u64, row: usize, cost: Cost) {
        let (Ok(tokens), Ok(chars)) = (u32::try_from(cost.tokens), u32::try_from(cost.chars))
        else {
            return;
        };
        let mut remembered = self.remembered.borrow_mut();
        let columns = &mut remembered.costs;
        let position = columns.iter().position(|column| column.form == form).unwrap_or_else(|| {
            if columns.len() == REMEMBERED_FORMS {
                columns.remove(0);
            }
            columns.push(CostColumn { form, costs: Vec::new() });
            columns.len() - 1
        });
        let costs = &mut columns[position].costs;
        if costs.len() <= row {
            costs.resize(self.rows.len(), UNKNOWN_COST);
        }
        costs[row] = [tokens, chars];
    }

    /// The texts of sections that have this checksum, in passages and indexed: as it is remembered, or else made now.
    pub(crate) fn known_library(
        &self,
        checksum: u64,
        make: impl FnOnce() -> Library,
    ) -> Rc<Library> {
        let libraries = &mut self.remembered.borrow_mut().libraries;
        let known = libraries.iter().position(|(known, _)| *known == checksum);
        let library = match known {
            Some(position) => libraries.remove(position),
            None => (checksum, Rc::new(make())),
        };
        if libraries.len() == REMEMBERED_LIBRARIES {
            libraries.remove(0);
        }
        let shared = Rc::clone(&library.1);
        libraries.push(library);
        shared
    }

    /// The index of messages in an order, remembered for the last few lists. What is new at their end is indexed first.
    #[must_use]
    pub fn index(&self, rows: &[usize]) -> Rc<Index> {
        const REMEMBERED: usize = 2;
        let mut remembered = self.remembered.borrow_mut();
        let indexes = &mut remembered.indexes;
        let known = indexes.iter().position(|known| rows.starts_with(&known.rows));
        let mut known = known.map(|position| indexes.remove(position)).unwrap_or_default();
        if known.rows.len() < rows.len() {
            let mut analyzer = Analyzer::new();
            let index = Rc::make_mut(&mut known.index);
            for row in &rows[known.rows.len()..] {
                index.append(self, *row, &mut analyzer);
            }
            known.rows.extend(&rows[known.rows.len()..]);
        }
        let index = Rc::clone(&known.index);
        if indexes.len() == REMEMBERED {
            indexes.remove(0);
        }
        indexes.push(known);
        index
    }

    // ---- The index of a log ----

    /// Whether any message may be no part of its log's history for more than its place: see [`Index`].
    pub(crate) fn has_odd(&self) -> bool {
        ODD_FIELDS.iter().any(|field| self.has_seen(*field))
    }

    /// The index of the whole log, up to the newest message; none where that is not known, and not all messages are there.
    pub(crate) fn log_index(&self) -> Option<LogIndex> {
        let seqs = self.seqs();
        if seqs.is_empty() {
            return None;
        }
        let mut remembered = self.remembered.borrow_mut();
        if remembered.log.is_none() && self.unread().is_some() {
            return None;
        }
        let log = remembered.log.get_or_insert_default();
        log.follow(self, self.first_of_tail(), seqs);
        Some(log.clone())
    }

    /// Finds messages of the log that are about a question, at most so many: see [`search`]. None where its index is not
    /// there, and not all messages are.
    #[must_use]
    pub fn search(
        &self,
        question: &str,
        now: Milliseconds,
        zone: &Zone,
        count: usize,
    ) -> Option<Found> {
        Some(search(&self.log_index()?, question, now, zone, count))
    }

    /// By part of the log's index: how many messages it ends behind.
    #[must_use]
    pub fn index_parts(&self) -> Vec<usize> {
        self.remembered.borrow().log.as_ref().map_or_else(Vec::new, LogIndex::parts)
    }

    /// A part of the log's index as bytes; see [`LogIndex::bytes`].
    #[must_use]
    pub fn index_part(&self, part: usize, state: u64) -> Vec<u8> {
        let remembered = self.remembered.borrow();
        remembered.log.as_ref().map_or_else(Vec::new, |log| log.bytes(part, state))
    }

    /// Takes the next part of the log's index; see [`LogIndex::learn`].
    #[must_use]
    pub fn learn_index_part(&self, bytes: &[u8], state: u64) -> usize {
        self.remembered.borrow_mut().log.get_or_insert_default().learn(bytes, state)
    }

    /// The sequence number of the last message that the log's index has; 0 where there is none.
    #[must_use]
    pub fn last_indexed_seq(&self) -> u64 {
        let remembered = self.remembered.borrow();
        remembered.log.as_ref().and_then(|log| log.seqs.last().copied()).unwrap_or(0)
    }

    /// Takes the index that another transcript of the same log has.
    pub fn take_index(&self, other: &Self) {
        let log = other.remembered.borrow().log.clone();
        self.remembered.borrow_mut().log = log;
    }

    /// The vectors of all messages that a model gave.
    pub(crate) fn embeddings(&self, model: &str) -> RefMut<'_, Vectors> {
        let mut vectors = RefMut::map(self.remembered.borrow_mut(), |it| &mut it.vectors);
        vectors.read(self, model);
        vectors
    }

    /// The vectors of some messages that a model gave, as bytes that [`Transcript::learn_vectors`] reads: nothing where none
    /// is known. They name messages by checksums of what was embedded.
    #[must_use]
    pub fn vectors(&self, rows: std::ops::Range<usize>, model: &str) -> Vec<u8> {
        self.embeddings(model).bytes(rows)
    }

    /// How many vectors [`Transcript::vectors`] would give.
    #[must_use]
    pub fn known_vectors(&self, rows: std::ops::Range<usize>, model: &str) -> usize {
        self.embeddings(model).known_count(rows)
    }

    /// Remembers the vectors of some messages, as far as they are among `bytes`. What is no list of vectors, or one of
    /// another version, is ignored: they are asked for anew then.
    pub fn learn_vectors(&self, rows: std::ops::Range<usize>, model: &str, bytes: &[u8]) {
        self.embeddings(model).learn_bytes(rows, bytes);
    }

    /// A checksum of the first `length` messages with all their fields, as 16 hexadecimal digits.
    ///
    /// It is a chain (each message's digest covers the one before it), so a longer transcript's costs only what is new.
    #[must_use]
    pub fn digest(&self, length: usize) -> String {
        let mut remembered = self.remembered.borrow_mut();
        let digests = &mut remembered.digests;
        for row in digests.len()..length {
            let before = digests.last().copied().unwrap_or(0);
            digests.push(self.checksum(row, before));
        }
        let digest = length.checked_sub(1).map_or(0, |last| digests[last]);
        format!("{digest:016x}")
    }

    /// The checksum of one message with all its fields.
    fn checksum(&self, row: usize, seed: u64) -> u64 {
        let mut hash = Xxh64::new(seed);
        let Row { role, pinned, time, .. } = self.rows[row];
        hash.update(&[role as u8, u8::from(pinned)]);
        hash.update(&time.map_or(i64::MIN, |time| time.0).to_le_bytes());
        for (field, value) in self.fields(row) {
            if field == Field::CreatedAt && time.is_some() {
                continue; // said by the time, however it was written
            }
            hash.update(&[field as u8]);
            hash.update(&(value.len() as u64).to_le_bytes());
            hash.update(value.as_bytes());
        }
        hash.digest()
    }

    // ---- Costs that last ----

    /// What is remembered of the costs of some messages, as bytes that [`Transcript::learn_costs`] reads: nothing where
    /// nothing is. They name messages by checksums, so they are true wherever the same messages are.
    #[must_use]
    pub fn costs(&self, rows: std::ops::Range<usize>) -> Vec<u8> {
        let remembered = self.remembered.borrow();
        let mut records = Vec::new();
        for row in rows {
            let mut checksum = None;
            for column in &remembered.costs {
                let known = column.costs.get(row).filter(|cost| **cost != UNKNOWN_COST);
                let Some([tokens, chars]) = known else {
                    continue;
                };
                let checksum = *checksum.get_or_insert_with(|| self.checksum(row, 0));
                records.extend(column.form.to_le_bytes());
                records.extend(checksum.to_le_bytes());
                records.extend(tokens.to_le_bytes());
                records.extend(chars.to_le_bytes());
            }
        }
        if records.is_empty() {
            return records;
        }
        let header = [costs_version(), xxh64(&records, 0)].map(u64::to_le_bytes);
        [header.as_flattened(), &records].concat()
    }

    /// How many records [`Transcript::costs`] would give.
    #[must_use]
    pub fn known_costs(&self, rows: std::ops::Range<usize>) -> usize {
        let remembered = self.remembered.borrow();
        let known = |column: &CostColumn| {
            let costs = column.costs.iter().take(rows.end).skip(rows.start);
            costs.filter(|cost| **cost != UNKNOWN_COST).count()
        };
        remembered.costs.iter().map(known).sum()
    }

    /// Remembers the costs of some messages, as far as they are among `bytes`. What is no list of costs, is damaged, or of
    /// another version, is ignored: they are counted anew then.
    pub fn learn_costs(&self, rows: std::ops::Range<usize>, bytes: &[u8]) {
        let Some((version, rest)) = bytes.split_first_chunk() else {
            return;
        };
        let Some((checksum, records)) = rest.split_first_chunk() else {
            return;
        };
        // A wrong cost would pass for a right one: so a checksum covers them.
        let [version, checksum] = [version, checksum].map(|part| u64::from_le_bytes(*part));
        if version != costs_version() || checksum != xxh64(records, 0) {
            return;
        }
        let (records, rest) = records.as_chunks::<COST_RECORD_BYTES>();
        if !rest.is_empty() {
            return;
        }
        let mut known: Hashed<u64, Vec<(u64, Cost)>> = Hashed::default();
        for record in records {
            // The length is right, so every part of it is there.
            let part = |at: usize| record[at..at + 8].try_into().map_or(0, u64::from_le_bytes);
            let [form, checksum, costs] = [part(0), part(8), part(16)];
            let cost = Cost { tokens: costs & u64::from(u32::MAX), chars: costs >> 32 };
            known.entry(checksum).or_default().push((form, cost));
        }
        for row in rows {
            for (form, cost) in known.get(&self.checksum(row, 0)).into_iter().flatten() {
                self.remember_cost(*form, row, *cost);
            }
        }
    }
}

const COST_RECORD_BYTES: usize = 24;

/// What lasting costs begin with: what counts may change with a version.
fn costs_version() -> u64 {
    xxh64(concat!("costs ", env!("CARGO_PKG_VERSION")).as_bytes(), 0)
}

fn too_large() -> Error {
    Error::new(
        ErrorCode::InvalidTranscript,
        "the transcript is larger than 4 GB of text",
        "Pass the newest part of it.",
    )
}
