//! A transcript: messages, and what recall has computed of them once.

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
use crate::recall::text::terms::Analyzer;
use std::cell::{RefCell, RefMut};
use std::ops::Deref;
use std::rc::Rc;

/// Lists of texts whose index is remembered at once.
const REMEMBERED_LIBRARIES: usize = 4;

/// Messages of one or several sessions, oldest first, and what recall has computed of them once.
///
/// It reads as [`Messages`]. It is changed at its end alone, so that the memory of a message stays true.
#[derive(Debug, Default)]
pub struct Transcript {
    messages: Messages,
    /// Parts of a transcript share it.
    memory: Rc<RefCell<Memory>>,
}

impl Clone for Transcript {
    /// A transcript that can be changed for itself.
    fn clone(&self) -> Self {
        let memory = Rc::new(RefCell::clone(&self.memory));
        Self { messages: self.messages.clone(), memory }
    }
}

/// What recall has computed of messages once.
#[derive(Clone, Debug, Default)]
struct Memory {
    /// To how many messages the transcript was cut since the memory was last used.
    known_length: Option<usize>,
    /// The index of all messages in their order.
    whole: Rc<Index>,
    /// Indexes of others; the latest last.
    indexes: Vec<IndexedLog>,
    /// The index of the log that the messages are of.
    log: Option<LogIndex>,
    /// The latest index that was asked for as it was when it had fewer messages.
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
    /// `INVALID_TRANSCRIPT` where the columns do not fit together; nothing is appended then.
    pub fn append(&mut self, columns: &Columns<'_>) -> Result<()> {
        self.messages.append(columns)
    }

    /// Keeps the first `length` messages and forgets the rest.
    pub fn truncate(&mut self, length: usize) {
        if length == 0 {
            *self = Self::default(); // gives the memory back too
            return;
        }
        self.messages.truncate(length);
        let known = &mut self.memory.borrow_mut().known_length;
        *known = Some(known.map_or(length, |known| known.min(length)));
    }

    /// What was computed, of messages that are still there.
    fn memory(&self) -> RefMut<'_, Memory> {
        let mut memory = self.memory.borrow_mut();
        memory.truncate();
        memory
    }

    /// Says what was not read of the log; see [`Messages::set_log`].
    pub fn set_log(&mut self, unread: Option<Unread>, skipped_count: usize, seqs: Vec<u64>) {
        self.messages.set_log(unread, skipped_count, seqs);
    }

    /// A part of it, for as long as it stays as it is; see [`Messages::part`].
    pub(crate) fn part(
        &self,
        picked: Vec<usize>,
        first_of_tail: usize,
        looked_up: Vec<String>,
    ) -> Self {
        let messages = self.messages.part(picked, first_of_tail, looked_up);
        Self { messages, memory: Rc::clone(&self.memory) }
    }

    /// Texts of sections, cut into passages of at most so many characters and indexed; remembered for the last few lists.
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

    /// The index of messages in an order, remembered for the last few lists. New messages at the end are indexed first.
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
        append(&mut known.index, &self.messages, &rows[known.rows.len()..]);
        known.rows.extend(&rows[known.rows.len()..]);
        let index = Rc::clone(&known.index);
        if indexes.len() == REMEMBERED {
            indexes.remove(0);
        }
        indexes.push(known);
        index
    }

    /// The index of all messages in their order, of which these may be a part.
    pub(crate) fn whole_index(&self) -> Rc<Index> {
        if let Some(log) = self.log_index() {
            return log.index;
        }
        let whole = self.messages.whole();
        let mut memory = self.memory();
        let added: Vec<usize> = (memory.whole.len()..whole.len()).collect();
        append(&mut memory.whole, &whole, &added);
        Rc::clone(&memory.whole)
    }

    /// An index of this transcript as it was when it had so many messages. The latest one is remembered: in a tool loop it is the
    /// same one with every step.
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

    /// The index of the whole log, up to the newest message; none where that is not known, and not all messages are there.
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

    /// The messages with lasting statements of a user; see [`lasting`]. Each comes with the one that takes its place, by their sequence numbers
    /// or, without a log, by their numbers. `None` if the log's index isn't there, and not all messages are.
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

    /// The lasting sentences of a message's own text.
    #[must_use]
    pub fn lasting_sentences(&self, message: usize) -> Vec<(Kind, String)> {
        let texts = self.rows_of(message..message + 1).map(|row| self.own_text(row));
        texts.flat_map(|text| statements::lasting(&text, detect(&text))).collect()
    }

    /// By part of the log's index: how many messages it ends behind.
    #[must_use]
    pub fn index_parts(&self) -> Vec<usize> {
        self.memory.borrow().log.as_ref().map_or_else(Vec::new, LogIndex::parts)
    }

    /// How many messages of the log's index have their direction among meanings. Those of its parts are kept with them.
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

    /// Takes the index that another transcript of the same log has.
    pub fn take_index(&self, other: &Self) {
        let log = other.memory.borrow().log.clone();
        self.memory.borrow_mut().log = log;
    }

    /// The vectors of all messages that a model gave.
    pub(crate) fn embeddings(&self, model: &str) -> RefMut<'_, Vectors> {
        let mut vectors = RefMut::map(self.memory(), |it| &mut it.vectors);
        vectors.read(&self.messages, model);
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
}

/// Adds messages to an index.
fn append(index: &mut Rc<Index>, messages: &Messages, rows: &[usize]) {
    if rows.is_empty() {
        return; // it is not copied, though a build may hold it
    }
    let mut analyzer = Analyzer::new();
    let index = Rc::make_mut(index);
    for row in rows {
        index.append(messages, *row, &mut analyzer);
    }
}
