//! The index of a log that lasts: all its messages by their sequence numbers, in parts that a store can keep.
//!
//! A part has the terms of some messages that follow on each other, and what else is known of them, as bytes with a checksum. As
//! long as nothing of the log is trimmed it never changes, but for the last one, which is written again when it has grown. The
//! newest message is in none: it may still be replaced.

use crate::base::bytes::Reader;
use crate::log::messages::Messages;
use crate::recall::index::Index;
use crate::recall::text::terms::Analyzer;
use std::rc::Rc;
use xxhash_rust::xxh64::xxh64;

/// The index of a log.
#[derive(Clone, Debug, Default)]
pub struct LogIndex {
    /// Its messages, in the order of the log.
    pub index: Rc<Index>,
    /// The sequence number of each, ascending.
    pub seqs: Rc<Vec<u64>>,
}

impl LogIndex {
    /// Follows the end of the log: the messages in the rows from `first` on are all that there are from the first of them on,
    /// and of a log that was read whole all that there are. What is not among them is forgotten, and what is new indexed.
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
            let mut analyzer = Analyzer::new();
            for row in first + same..seqs.len() {
                index.append(transcript, row, &mut analyzer);
            }
            Rc::make_mut(&mut self.seqs).extend(&tail[same..]);
        }
    }

    /// The first place of a sequence number or a later one. A message has a place for each of its rows.
    fn first_place_from(&self, seq: u64) -> usize {
        self.seqs.partition_point(|known| *known < seq)
    }

    /// The first place of the message with a sequence number, if it is there.
    pub(crate) fn place_of(&self, seq: u64) -> Option<usize> {
        let place = self.first_place_from(seq);
        (self.seqs.get(place) == Some(&seq)).then_some(place)
    }

    /// By part: where its messages end, without the newest of all. There are no parts where the log must be read whole: others than the newest
    /// may be replaced then.
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

    /// A part as bytes that [`LogIndex::learn`] reads. `state` names the state of the log: bytes of another are
    /// refused.
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

    /// Takes the next part from bytes, and says behind how many messages it ends; 0 where they are not that: of this version
    /// and state, whole, and what follows on what is there.
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

/// The number that a part begins with: another version may index otherwise.
fn version(state: u64) -> u64 {
    xxh64(concat!("index ", env!("CARGO_PKG_VERSION")).as_bytes(), state)
}

fn put(bytes: &mut Vec<u8>, number: u64) {
    bytes.extend(number.to_le_bytes());
}
