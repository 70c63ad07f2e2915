//! An encoding's vocabulary: its asset, and the table of merges made from it.
//!
//! Every token except the 256 single bytes is made by merging exactly two tokens of lower rank. So pairs are enough:
//! neither the asset nor memory contains any token's text.
//!
//! The asset, with all numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `windrowV` |
//! | 3 | version of the format, now 2 |
//! | 1 | how a text is cut into pieces: 0 for OpenAI's encodings, which are told apart by their checksums; 1 Qwen, 2 DeepSeek, 3 Tekken, 4 Llama 3 |
//! | 4 | number of tokens that are bytes or merged |
//! | 8 | checksum of everything that follows |
//! | 256 | the byte that each of the first 256 tokens is |
//! | 6 × (tokens − 256) | six planes: the low, middle and high bytes of every left step, then of every right step, in order of rank |
//! | the rest | tokens that no merge makes, in ascending order: for each, its length in one byte, and its bytes |
//!
//! Ranks here are only for counting and differ from the provider's token numbers: `order` explains which merges may
//! change places. A token's right step is its right part minus that of the previous token, modulo 2^24. Its left step
//! is its left part, minus that of the previous token if both have the same right part. Steps are small, and neighbors
//! in a plane are similar, which compresses well.
//!
//! Llama 3 has tokens that no merge makes (`ignore_merges`). A piece that equals such a token counts as one. Such a
//! token is never part of another.

use super::pretokenizer::Pieces;
use std::fmt;

/// Maximum length of a token, in bytes. The longest tokens of most encodings have this length.
pub const LONGEST_TOKEN: usize = 128;

pub(super) const MAGIC: &[u8; 8] = b"windrowV";
pub(super) const FORMAT_VERSION: u32 = 2;
const HEADER: usize = 24;
/// Tokens that are a single byte.
pub(super) const BYTES: usize = 256;
/// The lowest rank of a token that is merged from two others.
const FIRST_MERGED: u32 = 256;
/// Bits of a rank in a slot of the table.
const RANK_BITS: u32 = 18;
pub(super) const MOST_TOKENS: usize = 1 << RANK_BITS;

/// The reason why bytes aren't a valid vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidVocabulary {
    /// The problem, in a sentence that starts in lower case.
    pub message: &'static str,
    /// The caller's next step, in a sentence.
    pub next_action: &'static str,
}

impl fmt::Display for InvalidVocabulary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message)
    }
}

impl std::error::Error for InvalidVocabulary {}

/// Tables for merging bytes into tokens.
pub(super) struct Vocabulary {
    /// The rank of each single byte.
    byte_ranks: [u8; BYTES],
    /// Tokens of two bytes, which merging a piece starts with.
    byte_pairs: ByBytes,
    /// Indexed by two bytes. The lowest rank among merges of two tokens: on the left any token that ends with the first
    /// byte, on the right the second byte itself.
    before: ByBytes,
    /// Indexed by two bytes. The lowest rank among merges of two tokens: on the left the first byte itself, on the
    /// right any token that begins with the second byte.
    after: ByBytes,
    merges: Merges,
    /// Tokens that no merge makes, in ascending order.
    unmerged: Vec<Box<[u8]>>,
}

/// Ranks, indexed by two bytes, each given as its token. [`NO_TOKEN`] marks an empty place.
struct ByBytes(Box<[u32; 1 << 16]>);

impl ByBytes {
    fn new() -> Option<Self> {
        Some(Self(vec![NO_TOKEN; 1 << 16].into_boxed_slice().try_into().ok()?))
    }

    #[inline]
    fn get(&self, left: u8, right: u8) -> u32 {
        self.0[usize::from(u16::from_be_bytes([left, right]))]
    }

    /// Puts a rank in a place if the place is empty. Returns true if it was.
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

impl Vocabulary {
    /// Makes a vocabulary of the single bytes with room for `count` tokens. Returns None if `bytes` doesn't have every
    /// byte.
    pub(super) fn of_bytes_alone(bytes: &[u8], count: usize) -> Option<Self> {
        Some(Self {
            byte_ranks: invert(bytes)?,
            byte_pairs: ByBytes::new()?,
            before: ByBytes::new()?,
            after: ByBytes::new()?,
            merges: Merges::for_tokens(count),
            unmerged: Vec::new(),
        })
    }

    /// Reads an asset. Also returns its checksum, which identifies the vocabulary.
    pub(super) fn from_asset(
        pieces: Pieces,
        asset: &[u8],
    ) -> Result<(Self, u64), InvalidVocabulary> {
        let damaged = |message| InvalidVocabulary {
            message,
            next_action: "Load the vocabulary file again, unchanged.",
        };
        let (header, body) = asset
            .split_at_checked(HEADER)
            .filter(|(header, _)| header.starts_with(MAGIC))
            .ok_or_else(|| damaged("the bytes are not a vocabulary of windrow"))?;
        if number(&header[8..11]) != u64::from(FORMAT_VERSION) {
            return Err(InvalidVocabulary {
                message: "the vocabulary is of another version of the format",
                next_action: "Use the vocabulary file of the same version of windrow.",
            });
        }
        if u32::from(header[11]) != pieces.code() {
            return Err(InvalidVocabulary {
                message: "the vocabulary belongs to another encoding",
                next_action: "Load the vocabulary file with the encoding's name.",
            });
        }
        let count = usize::try_from(number(&header[12..16])).unwrap_or(usize::MAX);
        let pairs = count.wrapping_sub(BYTES);
        if !(BYTES..=MOST_TOKENS).contains(&count) || body.len() < BYTES + 6 * pairs {
            return Err(damaged("the vocabulary is cut off"));
        }
        let checksum = checksum(body);
        if number(&header[16..24]) != checksum {
            return Err(damaged("the vocabulary is damaged: its checksum is wrong"));
        }

        let malformed = || damaged("the vocabulary is malformed");
        let (bytes, rest) = body.split_at(BYTES);
        let (planes, unmerged) = rest.split_at(6 * pairs);
        let mut vocabulary = Self::of_bytes_alone(bytes, count).ok_or_else(malformed)?;
        let planes =
            |count: usize| [0, 1, 2, 3, 4, 5].map(|plane| &planes[plane * count..][..count]);
        let planes = planes(pairs);
        // In parts, because a host may optimize a function that is called often sooner than one that runs long.
        for first in (0..pairs).step_by(PART) {
            let part = planes.map(|plane| &plane[first..pairs.min(first + PART)]);
            vocabulary.add_part(part).ok_or_else(malformed)?;
        }
        vocabulary.unmerged = read_unmerged(unmerged).ok_or_else(malformed)?;
        Ok((vocabulary, checksum))
    }

    /// Adds the tokens whose parts are in six planes, at most [`PART`] of them. Returns None if one of them is invalid.
    ///
    /// Vocabularies are read when a page or a worker starts, in code that the host hasn't optimized yet. So the steps
    /// that work on many tokens at once come first, and little is left to do for each token.
    #[inline(never)]
    fn add_part(&mut self, planes: [&[u8]; 6]) -> Option<()> {
        let count = planes[0].len().min(PART);
        let (mut left, mut right, mut hashes) = ([0; PART], [0; PART], [0; PART]);
        let [low, middle, high, low_right, middle_right, high_right] = planes;
        let (left, right) = (&mut left[..count], &mut right[..count]);
        read_planes(left, low, middle, high);
        read_planes(right, low_right, middle_right, high_right);
        let mut before = self.merges.last_parts();
        for (left, right) in left.iter_mut().zip(&mut *right) {
            before = after_step(before, [*left, *right]);
            [*left, *right] = before;
        }
        let (left, right) = (&*left, &*right);
        let first = self.merges.next_rank();
        // Counts the parts that aren't lower. A sum needs no early exit, so hosts can vectorize it.
        let higher_count = |parts: &[u32]| {
            (first..).zip(parts).map(|(rank, part)| u32::from(*part >= rank)).sum::<u32>()
        };
        if higher_count(left) + higher_count(right) > 0 {
            return None;
        }
        for (hash, (left, right)) in hashes.iter_mut().zip(left.iter().zip(right)) {
            *hash = hash_of(*left, *right);
        }
        self.merges.parts.extend(left.iter().zip(right).map(|(left, right)| [*left, *right]));
        for (rank, (hash, (left, right))) in
            (first..).zip(hashes.iter().zip(left.iter().zip(right)))
        {
            self.place(rank, *left, *right, *hash)?;
        }
        Some(())
    }

    /// True if a piece is a token that no merge makes.
    #[inline]
    pub(super) fn is_unmerged_token(&self, piece: &[u8]) -> bool {
        self.unmerged.binary_search_by(|token| (**token).cmp(piece)).is_ok()
    }

    /// Adds the token of the next rank, merged from two tokens. Returns None if its parts aren't of lower rank, or
    /// already merge.
    pub(super) fn add(&mut self, left: u32, right: u32) -> Option<()> {
        let rank = self.merges.next_rank();
        self.merges.parts.push([left, right]);
        if left < rank && right < rank {
            self.place(rank, left, right, hash_of(left, right))
        } else {
            None
        }
    }

    /// Puts a token into the table for its parts. Returns None if the parts already merge.
    #[inline]
    fn place(&mut self, rank: u32, left: u32, right: u32, hash: u32) -> Option<()> {
        if left.min(right) < FIRST_MERGED && self.place_beside_byte(rank, left, right)? {
            return Some(());
        }
        self.merges.insert(rank, hash)
    }

    /// Puts a token that has a single byte as a part into the tables for bytes. Returns true if both parts are bytes,
    /// so that it belongs nowhere else, and None if they already merge.
    fn place_beside_byte(&mut self, rank: u32, left: u32, right: u32) -> Option<bool> {
        let (last_of_left, first_of_right) = (self.merges.end(left, 1), self.merges.end(right, 0));
        // Ranks rise, so the first one is the lowest.
        if let Ok(right) = u8::try_from(right) {
            self.before.put(last_of_left, right, rank);
        }
        if let Ok(left) = u8::try_from(left) {
            self.after.put(left, first_of_right, rank);
            if let Ok(right) = u8::try_from(right) {
                return self.byte_pairs.put(left, right, rank).then_some(true);
            }
        }
        Some(false)
    }

    /// The token that two bytes of a text merge into before either of them merges with anything else, or [`NO_TOKEN`]
    /// if that isn't certain. Takes the bytes before and after them too, each byte as its token.
    ///
    /// The merge is certain if its rank is lower than that of any merge of the first byte with a token before it, and
    /// of the second byte with a token after it. A merged token has a higher rank than its parts, so merging these two
    /// early doesn't affect other merges.
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

    /// The token of a single byte.
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

    /// The token that two tokens merge into, or [`NO_TOKEN`]. At least one of the two isn't a single byte.
    #[inline]
    pub(super) fn of_pair(&self, left: u32, right: u32) -> u32 {
        self.merges.get(left, right)
    }
}

/// Marks two tokens that don't merge. No pair has this rank, because the first ranks are single bytes.
pub(super) const NO_TOKEN: u32 = 0;

/// Number of pairs added at a time.
const PART: usize = 1024;

/// A table from pairs of tokens to the token they merge into: open addressing, at most four fifths full.
///
/// A slot holds a rank and a tag (some bits of the pair's hash), so that most pairs that don't merge are rejected
/// without a comparison. The pairs to compare with are in a separate list by rank, so the table stays small and answers
/// most lookups alone.
struct Merges {
    slots: Vec<u32>,
    /// The two parts of each token, indexed by rank. Entries of single bytes are never read.
    parts: Vec<[u32; 2]>,
    /// Right shift that turns a hash into a place.
    shift: u32,
}

impl Merges {
    /// The bits of a slot that hold a tag. The other bits hold the rank.
    const TAG: u32 = (1 << (u32::BITS - RANK_BITS)) - 1;

    fn for_tokens(count: usize) -> Self {
        let slots = (count + count / 4).next_power_of_two();
        let mut parts = Vec::with_capacity(count);
        parts.resize(BYTES, [0; 2]);
        Self { slots: vec![0; slots], parts, shift: u32::BITS - slots.trailing_zeros() }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "ranks have 18 bits")]
    fn next_rank(&self) -> u32 {
        self.parts.len() as u32
    }

    /// The parts of the last token. If it is a single byte, returns the parts that the first step starts from.
    fn last_parts(&self) -> [u32; 2] {
        self.parts.last().copied().unwrap_or_default()
    }

    /// The first byte (side 0) or the last byte (side 1) of a token.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a single byte is below 256")]
    fn end(&self, mut token: u32, side: usize) -> u8 {
        while token >= FIRST_MERGED {
            token = self.parts[token as usize][side & 1];
        }
        token as u8
    }

    /// Inserts a rank at the hash of its parts. Returns None if the parts already merge.
    #[inline]
    fn insert(&mut self, rank: u32, hash: u32) -> Option<()> {
        let mask = self.slots.len() - 1;
        let mut place = (hash >> self.shift) as usize & mask;
        loop {
            let slot = self.slots[place];
            if slot == 0 {
                self.slots[place] = rank << (u32::BITS - RANK_BITS) | hash & Self::TAG;
                return Some(());
            }
            if (slot ^ hash) & Self::TAG == 0 {
                let other = (slot >> (u32::BITS - RANK_BITS)) as usize;
                if self.parts[other] == self.parts[rank as usize] {
                    return None;
                }
            }
            place = (place + 1) & mask;
        }
    }

    #[inline]
    fn get(&self, left: u32, right: u32) -> u32 {
        let hash = hash_of(left, right);
        let mask = self.slots.len() - 1;
        let mut place = (hash >> self.shift) as usize & mask;
        loop {
            let slot = self.slots[place];
            if slot == 0 {
                return NO_TOKEN;
            }
            if (slot ^ hash) & Self::TAG == 0 {
                let rank = slot >> (u32::BITS - RANK_BITS);
                if self.parts[rank as usize] == [left, right] {
                    return rank;
                }
            }
            place = (place + 1) & mask;
        }
    }
}

/// A pair's hash. Its highest bits are the place in a table, its lowest the tag.
#[inline]
fn hash_of(left: u32, right: u32) -> u32 {
    left.wrapping_mul(0x9e37_79b1).wrapping_add(right.wrapping_mul(0x85eb_ca6b))
}

/// Reads the numbers whose bytes are in three planes.
#[inline]
fn read_planes(numbers: &mut [u32], low: &[u8], middle: &[u8], high: &[u8]) {
    for (number, ((low, middle), high)) in numbers.iter_mut().zip(low.iter().zip(middle).zip(high))
    {
        *number = u32::from(*low) | u32::from(*middle) << 8 | u32::from(*high) << 16;
    }
}

/// Reads tokens with their lengths; None if one is cut off, too long or out of order.
fn read_unmerged(mut rest: &[u8]) -> Option<Vec<Box<[u8]>>> {
    let mut tokens: Vec<Box<[u8]>> = Vec::new();
    while let Some((length, after)) = rest.split_first() {
        let (token, others) = after.split_at_checked(usize::from(*length))?;
        let is_higher = tokens.last().is_none_or(|before| **before < *token);
        if !is_higher || token.is_empty() || token.len() > LONGEST_TOKEN {
            return None;
        }
        tokens.push(token.into());
        rest = others;
    }
    Some(tokens)
}

/// The largest number in the three bytes of a step.
const STEP: u32 = 0xff_ffff;

/// The step from the parts of a token to those of the next.
pub(super) fn step([left_before, right_before]: [u32; 2], [left, right]: [u32; 2]) -> [u32; 2] {
    let left_step = if right == right_before { left.wrapping_sub(left_before) } else { left };
    [left_step & STEP, right.wrapping_sub(right_before) & STEP]
}

/// The parts of the next token, from the parts of this one and a step.
#[inline]
fn after_step(
    [left_before, right_before]: [u32; 2],
    [left_step, right_step]: [u32; 2],
) -> [u32; 2] {
    let left = if right_step == 0 { left_before + left_step } else { left_step };
    [left & STEP, (right_before + right_step) & STEP]
}

/// The rank of each byte, from the byte of each rank. None if a byte is missing.
pub(super) fn invert(bytes: &[u8]) -> Option<[u8; BYTES]> {
    let mut ranks = [0; BYTES];
    let mut seen = [false; BYTES];
    for (byte, rank) in bytes.iter().zip(0..=255) {
        ranks[usize::from(*byte)] = rank;
        seen[usize::from(*byte)] = true;
    }
    (!seen.contains(&false)).then_some(ranks)
}

/// A checksum against accidental damage, not tampering. Each step is one-to-one, so it detects every single change.
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

#[cfg(test)]
mod tests {
    use super::super::{Tokenizer, asset};
    use super::*;

    /// A vocabulary for Llama's rules with the single bytes, `ab`, and some tokens that no merge makes.
    fn asset_with(rest: &[u8]) -> Vec<u8> {
        let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        tokens.push(b"ab".to_vec());
        let mut file = asset::encode(&tokens).expect("pairs say all of it");
        file.extend(rest);
        file[11] = 4;
        let sum = checksum(&file[HEADER..]);
        file[16..HEADER].copy_from_slice(&sum.to_le_bytes());
        file
    }

    fn count(rest: &[u8], text: &str) -> Option<u64> {
        let (tokenizer, _) = Tokenizer::from_asset(Pieces::Llama3, &asset_with(rest)).ok()?;
        tokenizer.count_until(text.as_bytes(), u64::MAX)
    }

    #[test]
    fn a_token_that_no_merge_makes_is_a_whole_piece_and_no_part_of_another() {
        let rest = [b"\x07abcabca".as_slice(), b"\x03cab", &[70], &[b'd'; 70]].concat();
        let long = "d".repeat(70);
        for (text, without, with) in [
            ("cab", 2, 1),
            ("cab cab", 5, 4),
            ("cabs", 3, 3),
            ("abcabca", 5, 1),
            (&long, 70, 1),
            (&format!("{long}d"), 71, 71),
        ] {
            assert_eq!(count(&[], text), Some(without), "{text}");
            assert_eq!(count(&rest, text), Some(with), "{text}");
        }
    }

    #[test]
    fn tokens_that_no_merge_makes_are_whole_short_and_in_order() {
        assert!(count(b"\x01b\x02bc\x01c", "a").is_some());
        for wrong in [&b"\x02b"[..], b"\x00", b"\x01c\x01b", b"\x01b\x01b", &[129; 130]] {
            assert_eq!(count(wrong, "a"), None, "{wrong:?}");
        }
    }
}
