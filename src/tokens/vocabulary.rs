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

use crate::base::error::{Error, ErrorCode, Result};

/// The longest token that a vocabulary may hold, in bytes. Both encodings' longest have this length.
pub const LONGEST_TOKEN: usize = 128;

pub(super) const MAGIC: &[u8; 8] = b"windrowV";
pub(super) const FORMAT_VERSION: u32 = 1;
const HEADER: usize = 24;
/// Tokens that are a single byte.
pub(super) const BYTES: usize = 256;
/// Ranks have 18 bits in a slot of the table.
pub(super) const MOST_TOKENS: usize = 1 << 18;

/// What is needed to merge bytes into tokens.
pub(super) struct Vocabulary {
    /// The rank of each single byte.
    pub(super) byte_ranks: [u8; BYTES],
    pub(super) merges: Merges,
}

impl Vocabulary {
    /// Reads an asset, and gives with it the checksum that says which vocabulary it is.
    pub(super) fn from_asset(asset: &[u8]) -> Result<(Self, u64)> {
        let damaged = |message: &str| {
            Error::new(
                ErrorCode::InvalidEncoding,
                message,
                "Load the vocabulary file again, unchanged.",
            )
        };
        let (header, body) = asset
            .split_at_checked(HEADER)
            .filter(|(header, _)| header.starts_with(MAGIC))
            .ok_or_else(|| damaged("the bytes are not a vocabulary of windrow"))?;
        if number(&header[8..12]) != u64::from(FORMAT_VERSION) {
            return Err(Error::new(
                ErrorCode::InvalidEncoding,
                "the vocabulary is of another version of the format",
                "Use the vocabulary file of the same version of windrow.",
            ));
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
        let byte_ranks = invert(bytes).ok_or_else(malformed)?;
        let mut merges = Merges::for_tokens(count);
        let (left, right) = planes.split_at(3 * pairs);
        for (rank, (left, right)) in (256_u32..).zip(ranks(left, pairs).zip(ranks(right, pairs))) {
            if left >= rank || right >= rank || !merges.insert(left, right, rank) {
                return Err(malformed());
            }
        }
        Ok((Self { byte_ranks, merges }, checksum))
    }

    /// The token that a single byte is.
    #[inline]
    pub(super) fn of_byte(&self, byte: u8) -> u32 {
        u32::from(self.byte_ranks[usize::from(byte)])
    }

    /// The token that two tokens merge into, or [`NO_TOKEN`].
    #[inline]
    pub(super) fn of_pair(&self, left: u32, right: u32) -> u32 {
        self.merges.get(left, right)
    }
}

/// In place of a rank: the two tokens do not merge. Greater than every rank.
pub(super) const NO_TOKEN: u32 = u32::MAX;

/// A table from pairs of tokens to the token they merge into: open addressing, at most half full.
///
/// A slot holds the left token, the right token and the result, 18 bits each. Zero is an empty slot, since no
/// result has a rank below 256.
pub(super) struct Merges {
    slots: Vec<u64>,
    /// How far a hash is shifted to the right to be a place.
    shift: u32,
}

impl Merges {
    pub(super) fn for_tokens(count: usize) -> Self {
        let slots = (2 * count).next_power_of_two();
        Self { slots: vec![0; slots], shift: u64::BITS - slots.trailing_zeros() }
    }

    /// Adds a pair; false if it is there already.
    pub(super) fn insert(&mut self, left: u32, right: u32, result: u32) -> bool {
        let key = Self::key(left, right);
        let mut place = self.place(key);
        while self.slots[place] != 0 {
            if self.slots[place] >> 18 == key {
                return false;
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
        self.slots[place] = key << 18 | u64::from(result);
        true
    }

    #[inline]
    fn get(&self, left: u32, right: u32) -> u32 {
        let key = Self::key(left, right);
        let mut place = self.place(key);
        loop {
            let slot = self.slots[place];
            if slot >> 18 == key && slot != 0 {
                return (slot & 0x3_ffff) as u32;
            }
            if slot == 0 {
                return NO_TOKEN;
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
    }

    #[inline]
    fn key(left: u32, right: u32) -> u64 {
        u64::from(left) << 18 | u64::from(right)
    }

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the shift leaves no more bits than the table has places"
    )]
    fn place(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }
}

/// The ranks that three planes of `count` bytes hold.
fn ranks(planes: &[u8], count: usize) -> impl Iterator<Item = u32> {
    let (low, rest) = planes.split_at(count);
    let (middle, high) = rest.split_at(count);
    low.iter().zip(middle).zip(high).map(|((low, middle), high)| {
        u32::from(*low) | u32::from(*middle) << 8 | u32::from(*high) << 16
    })
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
    bytes.chunks(8).fold(bytes.len() as u64, |sum, chunk| {
        (sum ^ number(chunk)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    })
}

/// A number of at most eight bytes, little-endian.
#[inline]
fn number(bytes: &[u8]) -> u64 {
    let mut eight = [0; 8];
    eight[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(eight)
}
