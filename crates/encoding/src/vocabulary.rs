//! An encoding's vocabulary: its asset, and the table of merges that is made from it.
//!
//! Every token but the 256 single bytes is made by merging exactly two tokens of lower rank. So the pairs say all:
//! no token's text is stored, neither in the asset nor in memory.
//!
//! The asset, with all numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `windrowV` |
//! | 4 | version of the format, now 1 |
//! | 4 | number of tokens |
//! | 8 | checksum of all that follows |
//! | 256 | the byte that each of the first 256 tokens is |
//! | 6 × (tokens − 256) | six planes: the low, middle and high bytes of every left part, then of every right part, in order of rank |
//!
//! Planes, because neighbours in them are alike, which compresses well.

use std::fmt;

/// The longest token that a vocabulary may hold, in bytes. Both encodings' longest have this length.
pub const LONGEST_TOKEN: usize = 128;

pub(super) const MAGIC: &[u8; 8] = b"windrowV";
pub(super) const FORMAT_VERSION: u32 = 1;
const HEADER: usize = 24;
/// Tokens that are a single byte.
pub(super) const BYTES: usize = 256;
/// Ranks have 18 bits in a slot of the table.
pub(super) const MOST_TOKENS: usize = 1 << 18;

/// Why bytes are no vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidVocabulary {
    /// What is wrong, in a sentence that starts in lower case.
    pub message: &'static str,
    /// What the caller can do about it, in a sentence.
    pub next_action: &'static str,
}

impl fmt::Display for InvalidVocabulary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message)
    }
}

impl std::error::Error for InvalidVocabulary {}

/// What is needed to merge bytes into tokens.
pub(super) struct Vocabulary {
    /// The rank of each single byte.
    byte_ranks: [u8; BYTES],
    /// The tokens of two bytes: what merging a piece begins with.
    byte_pairs: ByBytes,
    /// By two bytes, the lowest rank of a token that a token with the first byte at its end and the second byte merge into.
    before: ByBytes,
    /// By two bytes, the lowest rank of a token that the first byte and a token with the second byte at its front merge into.
    after: ByBytes,
    merges: Merges,
}

/// Ranks by two bytes, each given as the token that it is; [`NO_TOKEN`] where there is none.
struct ByBytes(Box<[u32; 1 << 16]>);

impl ByBytes {
    fn new() -> Option<Self> {
        Some(Self(vec![NO_TOKEN; 1 << 16].into_boxed_slice().try_into().ok()?))
    }

    #[inline]
    fn get(&self, left: u8, right: u8) -> u32 {
        self.0[usize::from(u16::from_be_bytes([left, right]))]
    }

    /// Puts a rank in a place that has none; whether it had none.
    #[inline]
    fn put(&mut self, left: u8, right: u8, rank: u32) -> bool {
        let place = &mut self.0[usize::from(u16::from_be_bytes([left, right]))];
        let is_free = *place == NO_TOKEN;
        if is_free {
            *place = rank;
        }
        is_free
    }
}

/// The first and the last byte of each token so far: what is needed while a vocabulary is read.
pub(super) struct Ends(Vec<[u8; 2]>);

impl Vocabulary {
    /// A vocabulary of the single bytes, with room for so many tokens; None if these are not all the bytes.
    pub(super) fn of_bytes_alone(bytes: &[u8], count: usize) -> Option<(Self, Ends)> {
        let mut ends = Vec::with_capacity(count);
        ends.extend((0..=255).map(|byte| [byte; 2]));
        let vocabulary = Self {
            byte_ranks: invert(bytes)?,
            byte_pairs: ByBytes::new()?,
            before: ByBytes::new()?,
            after: ByBytes::new()?,
            merges: Merges::for_tokens(count),
        };
        Some((vocabulary, Ends(ends)))
    }

    /// Reads an asset, and gives with it the checksum that says which vocabulary it is.
    pub(super) fn from_asset(asset: &[u8]) -> Result<(Self, u64), InvalidVocabulary> {
        let damaged = |message| InvalidVocabulary {
            message,
            next_action: "Load the vocabulary file again, unchanged.",
        };
        let (header, body) = asset
            .split_at_checked(HEADER)
            .filter(|(header, _)| header.starts_with(MAGIC))
            .ok_or_else(|| damaged("the bytes are not a vocabulary of windrow"))?;
        if number(&header[8..12]) != u64::from(FORMAT_VERSION) {
            return Err(InvalidVocabulary {
                message: "the vocabulary is of another version of the format",
                next_action: "Use the vocabulary file of the same version of windrow.",
            });
        }
        let count = usize::try_from(number(&header[12..16])).unwrap_or(usize::MAX);
        let pairs = count.wrapping_sub(BYTES);
        if !(BYTES..=MOST_TOKENS).contains(&count) || body.len() != BYTES + 6 * pairs {
            return Err(damaged("the vocabulary is cut off or too long"));
        }
        let checksum = checksum(body);
        if number(&header[16..24]) != checksum {
            return Err(damaged("the vocabulary is damaged: its checksum is wrong"));
        }

        let malformed = || damaged("the vocabulary is malformed");
        let (bytes, planes) = body.split_at(BYTES);
        let (mut vocabulary, mut ends) =
            Self::of_bytes_alone(bytes, count).ok_or_else(malformed)?;
        let planes =
            |count: usize| [0, 1, 2, 3, 4, 5].map(|plane| &planes[plane * count..][..count]);
        let planes = planes(pairs);
        // In parts, as a host may run what is called often by better code than what runs long.
        for first in (0..pairs).step_by(PART) {
            let part = planes.map(|plane| &plane[first..pairs.min(first + PART)]);
            vocabulary.add_part(&mut ends, part).ok_or_else(malformed)?;
        }
        Ok((vocabulary, checksum))
    }

    /// Adds the tokens whose parts six planes hold; None where one is not to be added.
    #[inline(never)]
    fn add_part(&mut self, ends: &mut Ends, [a, b, c, d, e, f]: [&[u8]; 6]) -> Option<()> {
        let left = a.iter().zip(b).zip(c);
        let right = d.iter().zip(e).zip(f);
        for (((a, b), c), ((d, e), f)) in left.zip(right) {
            let left = u32::from_le_bytes([*a, *b, *c, 0]);
            let right = u32::from_le_bytes([*d, *e, *f, 0]);
            self.add(ends, left, right)?;
        }
        Some(())
    }

    /// Adds the token of the next rank, which two tokens merge into; None if they are not of lower rank, or merge already.
    #[inline]
    pub(super) fn add(&mut self, Ends(ends): &mut Ends, left: u32, right: u32) -> Option<()> {
        let rank = self.merges.next_rank();
        let [first, left_last] = *ends.get(left as usize)?;
        let [right_first, last] = *ends.get(right as usize)?;
        ends.push([first, last]);
        // Ranks rise, so the first one is the lowest.
        if right < BYTES as u32 {
            self.before.put(left_last, last, rank);
        }
        if left < BYTES as u32 {
            self.after.put(first, right_first, rank);
            if right < BYTES as u32 {
                self.merges.skip();
                return self.byte_pairs.put(first, last, rank).then_some(());
            }
        }
        self.merges.insert(left, right)
    }

    /// The token that two bytes of a text merge into before either of them merges with anything else, given the bytes before and
    /// after them; [`NO_TOKEN`] if that is not certain. Each byte is given as the token that it is.
    ///
    /// It is certain if its rank is lower than that of whatever the first byte can merge into with a token before it, and the
    /// second with one after it. A token that has been merged has a higher rank than its parts, so it makes no difference to
    /// other merges when these two are merged.
    #[inline]
    pub(super) fn certain(
        &self,
        before: Option<u8>,
        left: u8,
        right: u8,
        after: Option<u8>,
    ) -> u32 {
        let rank = self.byte_pairs.get(left, right);
        let above = |bound: u32| rank.wrapping_sub(1) < bound.wrapping_sub(1);
        let is_certain = before.is_none_or(|before| above(self.before.get(before, left)))
            && after.is_none_or(|after| above(self.after.get(right, after)));
        if is_certain { rank } else { NO_TOKEN }
    }

    /// The token that a single byte is.
    #[inline]
    pub(super) fn of_byte(&self, byte: u8) -> u8 {
        self.byte_ranks[usize::from(byte)]
    }

    /// The token that two tokens merge into, or [`NO_TOKEN`].
    #[inline]
    pub(super) fn of_any_pair(&self, left: u32, right: u32) -> u32 {
        match (u8::try_from(left), u8::try_from(right)) {
            (Ok(left), Ok(right)) => self.byte_pairs.get(left, right),
            _ => self.of_pair(left, right),
        }
    }

    /// The token that two tokens merge into of which one at least is no single byte, or [`NO_TOKEN`].
    #[inline]
    pub(super) fn of_pair(&self, left: u32, right: u32) -> u32 {
        self.merges.get(left, right)
    }
}

/// In place of a rank: the two tokens do not merge. No pair has it, as the first ranks are single bytes.
pub(super) const NO_TOKEN: u32 = 0;

/// Pairs that are added at a time.
const PART: usize = 1024;

/// A table from pairs of tokens to the token they merge into: open addressing, at most half full.
///
/// A slot holds a rank and a tag, some bits of the pair's hash, so that few of the pairs that do not merge are compared. What
/// is compared lies by rank beside the table: the table is small, and most of what is asked is answered by it alone.
struct Merges {
    slots: Vec<u32>,
    /// By rank, the two parts of a token; 0 for those that are not in the table.
    parts: Vec<u64>,
    /// How far a hash is shifted to the right to be a place and a tag.
    shift: u32,
}

impl Merges {
    const TAG_BITS: u32 = 14;
    const TAG: u64 = (1 << Self::TAG_BITS) - 1;

    fn for_tokens(count: usize) -> Self {
        let slots = (2 * count).next_power_of_two();
        let mut parts = Vec::with_capacity(count);
        parts.resize(BYTES, 0);
        Self {
            slots: vec![0; slots],
            parts,
            shift: u64::BITS - slots.trailing_zeros() - Self::TAG_BITS,
        }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "ranks have 18 bits")]
    fn next_rank(&self) -> u32 {
        self.parts.len() as u32
    }

    /// Passes over a rank whose token is not in the table.
    #[inline]
    fn skip(&mut self) {
        self.parts.push(0);
    }

    /// Gives a pair the next rank; None if it is there already.
    #[inline]
    fn insert(&mut self, left: u32, right: u32) -> Option<()> {
        let rank = self.next_rank();
        let key = Self::key(left, right);
        self.parts.push(key);
        let (mut place, tag) = self.place(key);
        loop {
            let slot = self.slots[place];
            if slot == 0 {
                self.slots[place] = rank << Self::TAG_BITS | tag;
                return Some(());
            }
            if (slot ^ tag) & Self::TAG as u32 == 0
                && self.parts[(slot >> Self::TAG_BITS) as usize] == key
            {
                return None;
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
    }

    #[inline]
    fn get(&self, left: u32, right: u32) -> u32 {
        let key = Self::key(left, right);
        let (mut place, tag) = self.place(key);
        loop {
            let slot = self.slots[place];
            if slot == 0 {
                return NO_TOKEN;
            }
            if (slot ^ tag) & Self::TAG as u32 == 0 {
                let rank = slot >> Self::TAG_BITS;
                if self.parts[rank as usize] == key {
                    return rank;
                }
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
    }

    #[inline]
    fn key(left: u32, right: u32) -> u64 {
        u64::from(left) << 18 | u64::from(right)
    }

    /// Where a pair is looked for first, and its tag.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the shift leaves no more bits than that")]
    fn place(&self, key: u64) -> (usize, u32) {
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift;
        ((hash >> Self::TAG_BITS) as usize, (hash & Self::TAG) as u32)
    }
}

/// The rank of each byte, given the byte of each rank; None if not every byte has one.
pub(super) fn invert(bytes: &[u8]) -> Option<[u8; BYTES]> {
    let mut ranks = [0; BYTES];
    let mut seen = [false; BYTES];
    for (byte, rank) in bytes.iter().zip(0..=255) {
        ranks[usize::from(*byte)] = rank;
        seen[usize::from(*byte)] = true;
    }
    (!seen.contains(&false)).then_some(ranks)
}

/// A checksum against damage, not against intent: each step is one-to-one, so that no single change goes unseen.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let step =
        |sum: u64, chunk: u64| (sum ^ chunk).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let (chunks, rest) = bytes.as_chunks::<8>();
    let sum =
        chunks.iter().fold(bytes.len() as u64, |sum, chunk| step(sum, u64::from_le_bytes(*chunk)));
    if rest.is_empty() { sum } else { step(sum, number(rest)) }
}

/// A number of at most eight bytes, little-endian.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
