//! Merges the bytes of one piece into tokens. Each step merges the two neighbors whose token has the lowest rank, and
//! the first such pair if there are several.
//!
//! A place is the start of a token. Each place has a key, which combines the rank of the merge with the next token and
//! the place itself. So the lowest key identifies both the next merge and its place. Keys are in an array, so that a
//! search compares many of them at a time.

use super::vocabulary::{LONGEST_TOKEN, NO_TOKEN, Vocabulary};

/// Pieces up to this length, in bytes, are merged by searching all keys at each step. That takes quadratic time, but is
/// fastest for short pieces.
const LONGEST_SHORT: usize = 64;

/// Buffers for merging a piece.
pub(super) struct Scratch {
    short: Short,
    long: Long,
    /// Ends of the tokens of a window, of the next window, and of two tokens that may be neighbors.
    ends: Vec<u32>,
    next_ends: Vec<u32>,
    joint: Vec<u32>,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            short: Short {
                tokens: [0; 256],
                keys: [NO_KEY; 256],
                next: [0; 256],
                previous: [0; 256],
            },
            long: Long::default(),
            ends: Vec::new(),
            next_ends: Vec::new(),
            joint: Vec::new(),
        }
    }
}

/// The number of tokens in a piece, or any number above `limit` if the piece has more than `limit`.
pub(super) fn count(
    vocabulary: &Vocabulary,
    piece: &[u8],
    limit: u64,
    scratch: &mut Scratch,
) -> u64 {
    if vocabulary.is_unmerged_token(piece) {
        1
    } else if piece.len() <= LONGEST_SHORT {
        scratch.short.merge(vocabulary, piece) as u64
    } else {
        count_long(vocabulary, piece, limit, scratch)
    }
}

/// The two tokens that a text of at most [`LONGEST_TOKEN`] bytes merges into, or None if it doesn't merge into exactly
/// two.
pub(super) fn two_parts(
    vocabulary: &Vocabulary,
    text: &[u8],
    scratch: &mut Scratch,
) -> Option<(u32, u32)> {
    let short = &mut scratch.short;
    let second = (text.len() <= LONGEST_TOKEN && short.merge(vocabulary, text) == 2)
        .then(|| short.next[0])?;
    Some((short.tokens[0], short.tokens[usize::from(second)]))
}

/// The key of an unused place. It is at least as large as every other key.
const NO_KEY: u32 = u32::MAX;

/// Builds a key: a rank or [`NO_TOKEN`], and below it `PLACE_BITS` bits of a place. A key without a token is above
/// every key with one.
#[inline]
fn key<const PLACE_BITS: u32>(rank: u32, place: usize) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "places have few bits")]
    let place = place as u32;
    rank.wrapping_sub(1) << PLACE_BITS | place
}

/// The rank in a key; [`NO_TOKEN`] if it has none.
#[inline]
fn rank_of<const PLACE_BITS: u32>(key: u32) -> u32 {
    let none = u32::MAX >> PLACE_BITS;
    let rank = key >> PLACE_BITS;
    if rank == none { NO_TOKEN } else { rank + 1 }
}

/// The lowest of some keys. Their number must be a multiple of eight.
#[inline]
fn lowest(keys: &[u32]) -> u32 {
    let mut lanes = [NO_KEY; 8];
    for eight in keys.as_chunks::<8>().0 {
        for (lane, key) in lanes.iter_mut().zip(eight) {
            *lane = (*lane).min(*key);
        }
    }
    lanes.into_iter().fold(NO_KEY, u32::min)
}

/// Yields the tokens that merging starts with, each with its start. They are single bytes, except for pairs of bytes
/// that are certain to merge first.
#[inline]
fn begin(vocabulary: &Vocabulary, text: &[u8], mut push: impl FnMut(u32, usize)) {
    let byte = |place| text.get(place).map(|byte| vocabulary.of_byte(*byte));
    let (mut before, mut this, mut next) = (None, byte(0), byte(1));
    let mut place = 0;
    while let Some(left) = this {
        let after = byte(place + 2);
        let certain = match next {
            Some(right) => vocabulary.certain(before, left, right, after),
            None => NO_TOKEN,
        };
        if certain == NO_TOKEN {
            push(u32::from(left), place);
            (before, this, next) = (this, next, after);
            place += 1;
        } else {
            push(certain, place);
            (before, this, next) = (next, after, byte(place + 3));
            place += 2;
        }
    }
}

/// Buffers for merging a short piece. Places are single bytes, so every place is within the arrays.
struct Short {
    tokens: [u32; 256],
    keys: [u32; 256],
    next: [u8; 256],
    previous: [u8; 256],
}

impl Short {
    /// Merges a text of at most 255 bytes and returns its number of tokens.
    #[expect(clippy::cast_possible_truncation, reason = "places are bytes")]
    fn merge(&mut self, vocabulary: &Vocabulary, text: &[u8]) -> usize {
        let mut length = 0_u8;
        begin(vocabulary, text, |token, _| {
            let place = usize::from(length);
            self.tokens[place] = token;
            self.previous[place] = length.wrapping_sub(1);
            length = length.wrapping_add(1);
            self.next[place] = length;
        });
        let length = usize::from(length);
        let tokens = &self.tokens[..length];
        for (place, (key_of, pair)) in self.keys.iter_mut().zip(tokens.windows(2)).enumerate() {
            *key_of = key::<8>(vocabulary.of_any_pair(pair[0], pair[1]), place);
        }
        let searched = length.next_multiple_of(8).min(256);
        self.keys[length.saturating_sub(1)..searched].fill(NO_KEY);

        let mut count = length;
        loop {
            let lowest = lowest(&self.keys[..searched]);
            let rank = rank_of::<8>(lowest);
            if rank == NO_TOKEN {
                return count;
            }
            count -= 1;
            let place = usize::from(lowest as u8);
            let right = usize::from(self.next[place]);
            let after = usize::from(self.next[right]);
            self.tokens[place] = rank;
            self.keys[right] = NO_KEY;
            self.next[place] = after as u8;
            self.previous[after] = place as u8;
            self.keys[place] = if after < length {
                key::<8>(vocabulary.of_pair(rank, self.tokens[after]), place)
            } else {
                NO_KEY
            };
            if place > 0 {
                let before = usize::from(self.previous[place]);
                self.keys[before] = key::<8>(vocabulary.of_pair(self.tokens[before], rank), before);
            }
        }
    }
}

/// The number of tokens in a piece of any length, in linear time. Returns any number above `limit` if the piece has
/// more than `limit`.
///
/// The piece is merged in windows. A sequence of tokens is the result of merging a text if and only if merging the
/// bytes of any two neighbors yields the same two tokens: a merge across their border would also happen in their bytes
/// alone. So two windows can be joined if the second one begins with the token that follows in the first, or with one
/// that is still a valid neighbor. Otherwise the window was too short to tell, and is tried again with twice the
/// length.
fn count_long(vocabulary: &Vocabulary, piece: &[u8], limit: u64, scratch: &mut Scratch) -> u64 {
    let Scratch { long, ends, next_ends, joint, .. } = scratch;
    let (mut start, mut count) = (0, 0);
    let mut length = WINDOW;
    long.merge(vocabulary, window(piece, start, length), ends);
    while start + length < piece.len() && count <= limit {
        // Tokens at the end of the window may change with the bytes that follow.
        let sure = ends.partition_point(|end| *end as usize <= length - MARGIN).max(1);
        let cut = ends[sure - 1] as usize;
        let (here, next) = (window(piece, start, length), window(piece, start + cut, WINDOW));
        if here == next {
            next_ends.clone_from(ends);
        } else {
            long.merge(vocabulary, next, next_ends);
        }
        let before = if sure > 1 { ends[sure - 2] as usize } else { 0 };
        let first_end = cut + next_ends.first().map_or(0, |end| *end as usize);
        let is_known = ends.get(sure).is_some_and(|end| *end as usize == first_end);
        let is_joined = is_known || {
            let both = &piece[start + before..start + first_end];
            long.merge(vocabulary, both, joint);
            matches!(**joint, [left, _] if left as usize == cut - before)
        };
        if is_joined {
            count += sure as u64;
            start += cut;
            length = WINDOW;
        } else {
            length *= 2;
            long.merge(vocabulary, window(piece, start, length), next_ends);
            if ends.first() != next_ends.first() {
                // The next token may not be a neighbor of the token before the cut. No known text gets here.
                long.merge(vocabulary, piece, ends);
                return ends.len() as u64;
            }
        }
        std::mem::swap(ends, next_ends);
    }
    count + ends.len() as u64
}

/// Bytes that are merged in one window.
const WINDOW: usize = 2048;
/// Bytes at the end of a window whose tokens may still change: the length of two tokens of maximum length.
const MARGIN: usize = 2 * LONGEST_TOKEN;

fn window(piece: &[u8], start: usize, length: usize) -> &[u8] {
    &piece[start..piece.len().min(start + length)]
}

/// Buffers for merging a long text. They keep the lowest key of each block of keys and of each row of blocks.
#[derive(Default)]
struct Long {
    tokens: Vec<u32>,
    /// Start of the token at each place, before any merge.
    starts: Vec<u32>,
    keys: Vec<u32>,
    blocks: Vec<u32>,
    rows: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
}

/// Number of bits of a long text's key that hold the place.
const PLACE_BITS: u32 = 14;
/// Keys per block, and blocks per row.
const BLOCK: usize = 16;

impl Long {
    /// Writes the ends of a text's tokens to `ends`.
    #[expect(clippy::cast_possible_truncation, reason = "places have few bits")]
    fn merge(&mut self, vocabulary: &Vocabulary, text: &[u8], ends: &mut Vec<u32>) {
        if text.len() > 1 << PLACE_BITS {
            whole::merge(vocabulary, text, ends);
            return;
        }
        self.begin(vocabulary, text);
        let length = self.tokens.len();
        loop {
            let lowest = lowest(&self.rows);
            let rank = rank_of::<PLACE_BITS>(lowest);
            if rank == NO_TOKEN {
                break;
            }
            let place = lowest as usize & ((1 << PLACE_BITS) - 1);
            let right = self.next[place] as usize;
            let after = self.next[right] as usize;
            self.tokens[place] = rank;
            self.next[place] = self.next[right];
            self.keys[right] = NO_KEY;
            self.keys[place] = NO_KEY;
            if after < length {
                self.previous[after] = self.previous[right];
                self.keys[place] =
                    key::<PLACE_BITS>(vocabulary.of_pair(rank, self.tokens[after]), place);
            }
            let mut first = place;
            if place > 0 {
                first = self.previous[place] as usize;
                self.keys[first] =
                    key::<PLACE_BITS>(vocabulary.of_pair(self.tokens[first], rank), first);
            }
            self.update(place, right, first);
        }
        ends.clear();
        let mut place = 0;
        while place < length {
            place = self.next[place] as usize;
            ends.push(self.starts.get(place).map_or(text.len() as u32, |start| *start));
        }
    }

    /// Fills in the initial tokens of a text and their keys.
    #[expect(clippy::cast_possible_truncation, reason = "places have few bits")]
    fn begin(&mut self, vocabulary: &Vocabulary, text: &[u8]) {
        let Self { tokens, starts, keys, blocks, rows, next, previous } = self;
        tokens.clear();
        starts.clear();
        begin(vocabulary, text, |token, start| {
            tokens.push(token);
            starts.push(start as u32);
        });
        let length = tokens.len() as u32;
        next.clear();
        next.extend(1..=length);
        previous.clear();
        previous.extend((0..length).map(|place| place.saturating_sub(1)));
        keys.clear();
        keys.extend(tokens.windows(2).enumerate().map(|(place, pair)| {
            key::<PLACE_BITS>(vocabulary.of_any_pair(pair[0], pair[1]), place)
        }));
        keys.resize(tokens.len().next_multiple_of(BLOCK * BLOCK), NO_KEY);
        blocks.clear();
        blocks.extend(keys.chunks_exact(BLOCK).map(lowest));
        rows.clear();
        rows.extend(blocks.chunks_exact(BLOCK).map(lowest));
        rows.resize(rows.len().next_multiple_of(8), NO_KEY);
    }

    /// Updates the lowest keys after the keys at three places have changed.
    #[inline]
    fn update(&mut self, place: usize, right: usize, before: usize) {
        let block = place / BLOCK;
        self.update_block(block);
        for other in [right / BLOCK, before / BLOCK] {
            if other != block {
                self.update_block(other);
                if other / BLOCK != block / BLOCK {
                    self.update_row(other / BLOCK);
                }
            }
        }
        self.update_row(block / BLOCK);
    }

    #[inline]
    fn update_block(&mut self, block: usize) {
        self.blocks[block] = lowest(&self.keys[block * BLOCK..][..BLOCK]);
    }

    #[inline]
    fn update_row(&mut self, row: usize) {
        self.rows[row] = lowest(&self.blocks[row * BLOCK..][..BLOCK]);
    }
}

/// Merges texts that are too long for the keys of [`Long`]. A heap finds the lowest key.
mod whole {
    use super::super::vocabulary::{NO_TOKEN, Vocabulary};
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    /// A token in a linked list.
    struct Link {
        token: u32,
        /// The token that this one and the next merge into. [`NO_TOKEN`] also marks a link that has been merged away.
        merged: u32,
        previous: u32,
        next: u32,
    }

    /// Writes the ends of a text's tokens to `ends`.
    pub(super) fn merge(vocabulary: &Vocabulary, text: &[u8], ends: &mut Vec<u32>) {
        const NONE: u32 = u32::MAX;
        // Pairs that may be merged, by rank and place. A pair that another merge has made obsolete stays until its
        // turn, and is then skipped.
        let candidate = |rank: u32, place: u32| Reverse(u64::from(rank) << 32 | u64::from(place));
        let mut links: Vec<Link> = Vec::with_capacity(text.len());
        let mut candidates = Vec::new();
        for (place, byte) in (0_u32..).zip(text) {
            if let (Some(previous), Some(before)) = (links.last_mut(), place.checked_sub(1)) {
                previous.next = place;
                previous.merged =
                    vocabulary.of_any_pair(previous.token, u32::from(vocabulary.of_byte(*byte)));
                if previous.merged != NO_TOKEN {
                    candidates.push(candidate(previous.merged, before));
                }
            }
            let previous = place.wrapping_sub(1); // of the first: NONE
            links.push(Link {
                token: u32::from(vocabulary.of_byte(*byte)),
                merged: NO_TOKEN,
                previous,
                next: NONE,
            });
        }

        let mut heap = BinaryHeap::from(candidates);
        while let Some(Reverse(lowest)) = heap.pop() {
            #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
            let (rank, place) = ((lowest >> 32) as u32, lowest as u32);
            let left = &mut links[place as usize];
            if left.merged != rank {
                continue;
            }
            left.token = rank;
            let previous = left.previous;
            let right = left.next;
            let next = links[right as usize].next;
            links[right as usize].merged = NO_TOKEN;

            let merged = match links.get_mut(next as usize) {
                Some(after) => {
                    after.previous = place;
                    vocabulary.of_pair(rank, after.token)
                }
                None => NO_TOKEN,
            };
            let left = &mut links[place as usize];
            left.next = next;
            left.merged = merged;
            if merged != NO_TOKEN {
                heap.push(candidate(merged, place));
            }
            if let Some(before) = links.get_mut(previous as usize) {
                before.merged = vocabulary.of_pair(before.token, rank);
                if before.merged != NO_TOKEN {
                    heap.push(candidate(before.merged, previous));
                }
            }
        }

        ends.clear();
        let mut place = 0;
        while let Some(link) = links.get(place as usize) {
            place = link.next;
            let end = if place == NONE { links.len() } else { place as usize };
            ends.push(u32::try_from(end).unwrap_or(NONE));
        }
    }
}
