//! A transcript: messages, and remembered results of recall.

use crate::base::error::Result;
use crate::base::time::{Milliseconds, Zone};
use crate::log::messages::{Columns, Messages};
use crate::log::unread::Unread;
use crate::recall::index::Index;
use crate::recall::index::log::LogIndex;
use crate::recall::index::vectors::Vectors;
use crate::recall::rank::lasting::lasting;
use crate::recall::rank::passages::{self, Library};
use crate::recall::rank::search::{Found, search};
use crate::recall::text::detect::detect;
use crate::recall::text::statements::{self, Kind};
use std::cell::{RefCell, RefMut};
use std::ops::Deref;
use std::rc::Rc;

/// Number of remembered lists of texts with an index.
const REMEMBERED_LIBRARIES: usize = 4;

/// Messages of one or several sessions, oldest first, and remembered results of recall.
///
/// It can be read like [`Messages`]. It changes only at its end, so remembered results of a message stay valid.
#[derive(Debug, Default)]
pub struct Transcript {
    messages: Messages,
    /// Shared with parts of the transcript.
    memory: Rc<RefCell<Memory>>,
}

impl Clone for Transcript {
    /// A transcript that can be changed independently.
    fn clone(&self) -> Self {
        let memory = Rc::new(RefCell::clone(&self.memory));
        Self { messages: self.messages.clone(), memory }
    }
}

/// Remembered results of recall.
#[derive(Clone, Debug, Default)]
struct Memory {
    /// The shortest length that the transcript was cut to since the memory was last used.
    known_length: Option<usize>,
    /// The index of all messages in order.
    whole: Rc<Index>,
    /// Indexes of other lists of messages; the latest last.
    indexes: Vec<IndexedLog>,
    /// The index of the messages' log.
    log: Option<LogIndex>,
    /// The latest index of an earlier state, with fewer messages.
    earlier: Rc<Index>,
    /// Texts of sections, by their checksums; the latest last.
    libraries: Vec<(u64, Rc<Library>)>,
    vectors: Vectors,
}

impl Memory {
    /// Forgets the messages that are gone.
    fn truncate(&mut self) {
        let Some(length) = self.known_length.take() else { return };
        self.vectors.truncate(length);
        self.earlier = Rc::default();
        if self.whole.len() > length {
            Rc::make_mut(&mut self.whole).truncate(length);
        }
        for known in &mut self.indexes {
            if let Some(cut) = known.rows.iter().position(|row| *row >= length) {
                known.rows.truncate(cut);
                Rc::make_mut(&mut known.index).truncate(cut);
            }
        }
    }
}

/// An index of some messages.
#[derive(Clone, Debug, Default)]
struct IndexedLog {
    rows: Vec<usize>,
    index: Rc<Index>,
}

impl Deref for Transcript {
    type Target = Messages;

    fn deref(&self) -> &Messages {
        &self.messages
    }
}

impl Transcript {
    /// Appends messages.
    ///
    /// # Errors
    ///
    /// `INVALID_TRANSCRIPT` if the columns don't fit together. Nothing is appended then.
    pub fn append(&mut self, columns: &Columns<'_>) -> Result<()> {
        self.messages.append(columns)
    }

    /// Keeps the first `length` messages and forgets the rest.
    pub fn truncate(&mut self, length: usize) {
        if length == 0 {
            *self = Self::default(); // frees the memory too
            return;
        }
        self.messages.truncate(length);
        let known = &mut self.memory.borrow_mut().known_length;
        *known = Some(known.map_or(length, |known| known.min(length)));
    }

    /// The memory of messages that still exist.
    fn memory(&self) -> RefMut<'_, Memory> {
        let mut memory = self.memory.borrow_mut();
        memory.truncate();
        memory
    }

    /// Sets facts about the log; see [`Messages::set_log`].
    pub fn set_log(&mut self, unread: Option<Unread>, skipped_count: usize, seqs: Vec<u64>) {
        self.messages.set_log(unread, skipped_count, seqs);
    }

    /// A part of the transcript, valid as long as the transcript doesn't change; see [`Messages::part`].
    pub(crate) fn part(
        &self,
        picked: Vec<usize>,
        first_of_tail: usize,
        looked_up: Vec<String>,
    ) -> Self {
        let messages = self.messages.part(picked, first_of_tail, looked_up);
        Self { messages, memory: Rc::clone(&self.memory) }
    }

    /// Texts of sections, cut into passages of at most `passage_chars` characters and indexed. Remembered for the last
    /// few lists.
    pub(crate) fn known_library(&self, texts: &[&str], passage_chars: usize) -> Rc<Library> {
        let checksum = passages::checksum(texts, passage_chars);
        let mut memory = self.memory();
        let libraries = &mut memory.libraries;
        let known = libraries.iter().position(|(known, _)| *known == checksum);
        let library = match known {
            Some(position) => libraries.remove(position),
            None => (checksum, Rc::new(Library::of(texts, passage_chars))),
        };
        if libraries.len() == REMEMBERED_LIBRARIES {
            libraries.remove(0);
        }
        let shared = Rc::clone(&library.1);
        libraries.push(library);
        shared
    }

    /// The index of messages in an order. Remembered for the last few lists. New messages at the end are indexed first.
    #[must_use]
    pub fn index(&self, rows: &[usize]) -> Rc<Index> {
        const REMEMBERED: usize = 2;
        if !self.is_part() && rows.iter().copied().eq(0..self.len()) {
            return self.whole_index();
        }
        let mut memory = self.memory();
        let indexes = &mut memory.indexes;
        let known = indexes.iter().position(|known| rows.starts_with(&known.rows));
        let mut known = known.map(|position| indexes.remove(position)).unwrap_or_default();
        append(&mut known.index, &self.messages, rows[known.rows.len()..].iter().copied());
        known.rows.extend(&rows[known.rows.len()..]);
        let index = Rc::clone(&known.index);
        if indexes.len() == REMEMBERED {
            indexes.remove(0);
        }
        indexes.push(known);
        index
    }

    /// The index of all messages in order, even if this is only a part of them.
    pub(crate) fn whole_index(&self) -> Rc<Index> {
        if let Some(log) = self.log_index() {
            return log.index;
        }
        let whole = self.messages.whole();
        let mut memory = self.memory();
        let added = memory.whole.len()..whole.len();
        append(&mut memory.whole, &whole, added);
        Rc::clone(&memory.whole)
    }

    /// The index of an earlier state of this transcript, with `length` messages. The latest one is remembered, because
    /// it is the same for every step of a tool loop.
    pub(crate) fn earlier_index(&self, index: &Rc<Index>, length: usize) -> Rc<Index> {
        if length >= index.len() {
            return Rc::clone(index);
        }
        let mut memory = self.memory();
        if memory.earlier.len() != length {
            let mut earlier = Index::clone(index);
            earlier.truncate(length);
            memory.earlier = Rc::new(earlier);
        }
        Rc::clone(&memory.earlier)
    }

    // ---- The index of a log ----

    /// The index of the whole log, up to the newest message. None if it is unknown and some messages are missing.
    pub(crate) fn log_index(&self) -> Option<LogIndex> {
        let whole = self.messages.whole();
        let seqs = whole.seqs();
        if seqs.is_empty() {
            return None;
        }
        let mut memory = self.memory();
        if memory.log.is_none() && whole.unread().is_some() {
            return None;
        }
        let log = memory.log.get_or_insert_default();
        log.follow(&whole, whole.first_of_tail(), seqs);
        Some(log.clone())
    }

    /// Finds at most `count` messages of the log that are relevant to a question: see [`search`]. None if neither the
    /// log's index nor all messages are there.
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

    /// The messages with lasting statements of a user; see [`lasting`]. Each comes with the one that replaces it, both
    /// given by sequence number or, without a log, by number. `None` if neither the log's index nor all messages are
    /// there.
    #[must_use]
    pub fn lasting(&self, name: Option<&str>) -> Option<Vec<(u64, Option<u64>)>> {
        let (index, seqs) = match self.log_index() {
            Some(log) => (log.index, Some(log.seqs)),
            None if self.messages.whole().unread().is_some() => return None,
            None => (self.whole_index(), None),
        };
        let number = |place: usize| match &seqs {
            Some(seqs) => seqs[place],
            None => self.messages.message_of(place) as u64,
        };
        let listed = lasting(&index, name).into_iter();
        Some(listed.map(|it| (number(it.message), it.replaced_by.map(number))).collect())
    }

    /// The lasting statements in a message's own text.
    #[must_use]
    pub fn lasting_sentences(&self, message: usize) -> Vec<(Kind, String)> {
        let texts = self.rows_of(message..message + 1).map(|row| self.own_text(row));
        texts.flat_map(|text| statements::lasting(&text, detect(&text))).collect()
    }

    /// For each part of the log's index, the number of messages up to its end.
    #[must_use]
    pub fn index_parts(&self) -> Vec<usize> {
        self.memory.borrow().log.as_ref().map_or_else(Vec::new, LogIndex::parts)
    }

    /// Number of messages in the log's index with a direction in the space of meanings. Directions of its parts are
    /// stored with them.
    #[must_use]
    pub fn meaning_count(&self) -> usize {
        self.memory.borrow().log.as_ref().map_or(0, |log| log.index.meaning_count())
    }

    /// A part of the log's index as bytes; see [`LogIndex::bytes`].
    #[must_use]
    pub fn index_part(&self, part: usize, state: u64) -> Vec<u8> {
        let memory = self.memory.borrow();
        memory.log.as_ref().map_or_else(Vec::new, |log| log.bytes(part, state))
    }

    /// Takes the next part of the log's index; see [`LogIndex::learn`].
    #[must_use]
    pub fn learn_index_part(&self, bytes: &[u8], state: u64) -> usize {
        self.memory.borrow_mut().log.get_or_insert_default().learn(bytes, state)
    }

    /// The sequence number of the last indexed message; 0 without an index.
    #[must_use]
    pub fn last_indexed_seq(&self) -> u64 {
        let memory = self.memory.borrow();
        memory.log.as_ref().and_then(|log| log.seqs.last().copied()).unwrap_or(0)
    }

    /// Takes over the index of another transcript of the same log.
    pub fn take_index(&self, other: &Self) {
        let log = other.memory.borrow().log.clone();
        self.memory.borrow_mut().log = log;
    }

    /// The vectors of all messages by a model.
    pub(crate) fn embeddings(&self, model: &str) -> RefMut<'_, Vectors> {
        let mut vectors = RefMut::map(self.memory(), |it| &mut it.vectors);
        vectors.read(&self.messages, model);
        vectors
    }

    /// The vectors of some messages by a model, as bytes for [`Transcript::learn_vectors`]. Empty if none is known.
    /// They identify messages by checksums of the embedded text.
    #[must_use]
    pub fn vectors(&self, rows: std::ops::Range<usize>, model: &str) -> Vec<u8> {
        self.embeddings(model).bytes(rows)
    }

    /// The number of vectors in [`Transcript::vectors`].
    #[must_use]
    pub fn known_vectors(&self, rows: std::ops::Range<usize>, model: &str) -> usize {
        self.embeddings(model).known_count(rows)
    }

    /// Remembers the vectors of some messages from `bytes`. Ignores bytes that aren't a list of vectors or are of
    /// another version; the hook is then asked again.
    pub fn learn_vectors(&self, rows: std::ops::Range<usize>, model: &str, bytes: &[u8]) {
        self.embeddings(model).learn_bytes(rows, bytes);
    }
}

/// Adds messages to an index.
fn append(index: &mut Rc<Index>, messages: &Messages, rows: impl ExactSizeIterator<Item = usize>) {
    if rows.len() == 0 {
        return; // not copied, though a build may hold it
    }
    Rc::make_mut(index).extend(messages, rows);
}
