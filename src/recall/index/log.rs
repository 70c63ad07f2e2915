//! The index of a session's log: all messages by sequence number, in parts that a store can keep.
//!
//! A part is a sequence of bytes with a checksum. It has the terms of some consecutive messages, and their other facts.
//! Parts never change unless the log is trimmed; only the last one is rewritten as it grows. The newest message isn't
//! in any part, because it may still be replaced.

use crate::base::bytes::Reader;
use crate::log::messages::Messages;
use crate::recall::index::Index;
use std::rc::Rc;
use xxhash_rust::xxh64::xxh64;

/// The index of a log.
#[derive(Clone, Debug, Default)]
pub struct LogIndex {
    /// The messages, in the order of the log.
    pub index: Rc<Index>,
    /// Their sequence numbers, ascending.
    pub seqs: Rc<Vec<u64>>,
}

impl LogIndex {
    /// Catches up with the end of the log. The rows from `first` on are all messages of the log from there on, or all
    /// messages if the log was read whole. Forgets messages that are no longer among them, and indexes new ones.
    pub(crate) fn follow(&mut self, transcript: &Messages, first: usize, seqs: &[u64]) {
        let tail = &seqs[first..];
        let begin = match tail.first() {
            _ if transcript.unread().is_none() => 0,
            Some(seq) => self.first_place_from(*seq),
            None => self.seqs.len(),
        };
        let same = self.seqs[begin..].iter().zip(tail).take_while(|(one, other)| one == other);
        let same = same.count();
        if begin + same < self.seqs.len() {
            Rc::make_mut(&mut self.index).truncate(begin + same);
            Rc::make_mut(&mut self.seqs).truncate(begin + same);
        }
        if same < tail.len() {
            let index = Rc::make_mut(&mut self.index);
            index.extend(transcript, first + same..seqs.len());
            Rc::make_mut(&mut self.seqs).extend(&tail[same..]);
        }
    }

    /// The place of the first message with this sequence number or a later one. A message has a place for each of its
    /// rows.
    fn first_place_from(&self, seq: u64) -> usize {
        self.seqs.partition_point(|known| *known < seq)
    }

    /// The first place of the message with a sequence number, if it is there.
    pub(crate) fn place_of(&self, seq: u64) -> Option<usize> {
        let place = self.first_place_from(seq);
        (self.seqs.get(place) == Some(&seq)).then_some(place)
    }

    /// The end of each part's messages, excluding the newest message. Empty if the log must be read whole, because then
    /// more than the newest message may be replaced.
    #[must_use]
    pub fn parts(&self) -> Vec<usize> {
        if self.index.needs_whole_log() {
            return Vec::new();
        }
        let last = self.seqs.last().map_or(0, |newest| self.first_place_from(*newest));
        let mut ends = self.index.part_ends().to_vec();
        ends.push(last);
        ends.dedup();
        ends.retain(|end| (1..=last).contains(end));
        ends
    }

    /// A part as bytes for [`LogIndex::learn`]. `state` identifies the state of the log: bytes of another state are
    /// rejected.
    #[must_use]
    pub fn bytes(&self, part: usize, state: u64) -> Vec<u8> {
        let parts = self.parts();
        let first = part.checked_sub(1).and_then(|before| parts.get(before)).copied().unwrap_or(0);
        let Some(end) = parts.get(part).copied() else {
            return Vec::new();
        };
        let mut body = Vec::new();
        put(&mut body, first as u64);
        put(&mut body, self.before(first));
        put(&mut body, (end - first) as u64);
        for seq in &self.seqs[first..end] {
            put(&mut body, *seq);
        }
        self.index.write(first, end, &mut body);
        let mut bytes = Vec::with_capacity(body.len() + 16);
        put(&mut bytes, version(state));
        put(&mut bytes, xxh64(&body, 0));
        bytes.extend(body);
        bytes
    }

    /// Takes the next part from bytes. Returns the number of messages up to its end, or 0 if it isn't the next part: an
    /// intact one of this version and state that continues the index.
    pub fn learn(&mut self, bytes: &[u8], state: u64) -> usize {
        self.read(bytes, state).map_or(0, |()| self.seqs.len())
    }

    fn read(&mut self, bytes: &[u8], state: u64) -> Option<()> {
        let mut reader = Reader(bytes);
        let (known, checksum) = (reader.number()?, reader.number()?);
        if known != version(state) || checksum != xxh64(reader.0, 0) {
            return None;
        }
        let (first, before) = (reader.number()?, reader.number()?);
        if first != self.seqs.len() as u64 || before != self.before(self.seqs.len()) {
            return None;
        }
        let count = usize::try_from(reader.number()?).ok()?;
        let seqs: Vec<u64> = (0..count).map(|_| reader.number()).collect::<Option<_>>()?;
        let is_after = seqs.first().is_some_and(|seq| *seq > before);
        if !is_after || !seqs.is_sorted() {
            return None;
        }
        Rc::make_mut(&mut self.index).read(count, &mut reader)?;
        Rc::make_mut(&mut self.seqs).extend(seqs);
        Some(())
    }

    /// The sequence number of the message before a place.
    fn before(&self, place: usize) -> u64 {
        place.checked_sub(1).map_or(0, |before| self.seqs[before])
    }
}

/// The first number of a part. Another version may index differently.
fn version(state: u64) -> u64 {
    xxh64(concat!("index ", env!("CARGO_PKG_VERSION")).as_bytes(), state)
}

fn put(bytes: &mut Vec<u8>, number: u64) {
    bytes.extend(number.to_le_bytes());
}
