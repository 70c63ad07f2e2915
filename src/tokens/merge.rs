//! Merges the bytes of one piece into tokens: always the two neighbours whose token has the lowest rank, the first
//! of them if there are several.

use super::vocabulary::{NO_TOKEN, Vocabulary};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Pieces up to this length, in bytes, are merged by scanning, which takes quadratic time but little of it.
pub(super) const LONGEST_SHORT: usize = 128;

/// Room to merge a piece in.
pub(super) struct Scratch {
    /// The tokens so far.
    tokens: [u32; LONGEST_SHORT],
    /// What each token merges into with the one after it.
    merged: [u32; LONGEST_SHORT],
    long: LongScratch,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            tokens: [0; LONGEST_SHORT],
            merged: [0; LONGEST_SHORT],
            long: LongScratch::default(),
        }
    }
}

/// The number of tokens in a piece; any number above `limit` where it is more than that.
pub(super) fn count(
    vocabulary: &Vocabulary,
    piece: &[u8],
    limit: u64,
    scratch: &mut Scratch,
) -> u64 {
    if piece.len() <= LONGEST_SHORT {
        merge_short(vocabulary, piece, scratch).len() as u64
    } else {
        count_long(vocabulary, piece, limit, &mut scratch.long)
    }
}

/// The tokens of a piece of at most [`LONGEST_SHORT`] bytes; none of a longer one.
pub(super) fn merge_short<'s>(
    vocabulary: &Vocabulary,
    piece: &[u8],
    scratch: &'s mut Scratch,
) -> &'s [u32] {
    let mut length = piece.len();
    let (Some(tokens), Some(merged)) =
        (scratch.tokens.get_mut(..length), scratch.merged.get_mut(..length))
    else {
        return &[];
    };
    for (token, byte) in tokens.iter_mut().zip(piece) {
        *token = vocabulary.of_byte(*byte);
    }
    merged.fill(NO_TOKEN);
    for (merged, pair) in merged.iter_mut().zip(tokens.windows(2)) {
        *merged = vocabulary.of_pair(pair[0], pair[1]);
    }
    loop {
        let (mut lowest, mut at) = (NO_TOKEN, 0);
        for (place, rank) in merged[..length].iter().enumerate() {
            if *rank < lowest {
                (lowest, at) = (*rank, place);
            }
        }
        if lowest == NO_TOKEN {
            return &scratch.tokens[..length];
        }
        tokens[at] = lowest;
        tokens.copy_within(at + 2..length, at + 1);
        merged.copy_within(at + 2..length, at + 1);
        length -= 1;
        merged[at] = match tokens[..length].get(at + 1) {
            Some(next) => vocabulary.of_pair(lowest, *next),
            None => NO_TOKEN,
        };
        if at > 0 {
            merged[at - 1] = vocabulary.of_pair(tokens[at - 1], lowest);
        }
    }
}

/// The number of tokens in a piece of any length, in time that grows as the length does; any number above `limit` where it
/// is more than that.
///
/// It is merged in windows. A row of tokens is what a text merges into if and only if each two neighbours are what their
/// bytes merge into: a merge across their border would be one among those bytes alone. So the tokens of two windows
/// can be joined where the second begins with the token that follows in the first, or with one that is a neighbour all the
/// same. Where neither is so, the window was too short to tell, and is tried again at twice its length.
fn count_long(vocabulary: &Vocabulary, piece: &[u8], limit: u64, scratch: &mut LongScratch) -> u64 {
    let (mut start, mut count) = (0, 0);
    let mut length = WINDOW;
    let mut ends = scratch.merge(vocabulary, window(piece, start, length));
    while start + length < piece.len() && count <= limit {
        // The tokens at the end of the window lack what follows them.
        let sure = ends.partition_point(|end| *end as usize <= length - MARGIN).max(1);
        let cut = ends[sure - 1] as usize;
        let (here, next) = (window(piece, start, length), window(piece, start + cut, WINDOW));
        let next_ends = if here == next { ends.clone() } else { scratch.merge(vocabulary, next) };
        let before = if sure > 1 { ends[sure - 2] as usize } else { 0 };
        let first_end = cut + next_ends.first().map_or(0, |end| *end as usize);
        let is_known = ends.get(sure).is_some_and(|end| *end as usize == first_end);
        let is_joined = is_known || {
            let both = &piece[start + before..start + first_end];
            let merged = scratch.merge(vocabulary, both);
            matches!(*merged, [left, _] if left as usize == cut - before)
        };
        if is_joined {
            count += sure as u64;
            start += cut;
            length = WINDOW;
            ends = next_ends;
        } else {
            length *= 2;
            let longer = scratch.merge(vocabulary, window(piece, start, length));
            if longer.first() != ends.first() {
                // It may not be a neighbour of what was taken for sure. No text is known that comes here.
                return scratch.merge(vocabulary, piece).len() as u64;
            }
            ends = longer;
        }
    }
    count + ends.len() as u64
}

/// Bytes that are merged at a time.
const WINDOW: usize = 2048;
/// Bytes at the end of a window whose tokens are not taken for sure: two of the longest tokens.
const MARGIN: usize = 2 * super::vocabulary::LONGEST_TOKEN;

fn window(piece: &[u8], start: usize, length: usize) -> &[u8] {
    &piece[start..piece.len().min(start + length)]
}

/// Room to merge a window in.
#[derive(Default)]
struct LongScratch {
    links: Vec<Link>,
    /// Pairs that may be merged, by rank and place. One that has been overtaken by another merge stays until its
    /// turn comes and is passed over.
    candidates: BinaryHeap<Reverse<u64>>,
}

/// A token in a linked list.
struct Link {
    token: u32,
    /// What it merges into with the next one; [`NO_TOKEN`] also for one that is no more.
    merged: u32,
    previous: u32,
    next: u32,
}

impl LongScratch {
    /// Where the tokens of a text end.
    fn merge(&mut self, vocabulary: &Vocabulary, text: &[u8]) -> Vec<u32> {
        const NONE: u32 = u32::MAX;
        let candidate = |rank: u32, place: u32| Reverse(u64::from(rank) << 32 | u64::from(place));
        let links = &mut self.links;
        links.clear();
        let mut candidates = std::mem::take(&mut self.candidates).into_vec();
        candidates.clear();
        for (place, byte) in (0_u32..).zip(text) {
            let token = vocabulary.of_byte(*byte);
            if let Some(previous) = links.last_mut() {
                previous.next = place;
                previous.merged = vocabulary.of_pair(previous.token, token);
                if previous.merged != NO_TOKEN {
                    candidates.push(candidate(previous.merged, place - 1));
                }
            }
            let previous = place.wrapping_sub(1); // of the first: NONE
            links.push(Link { token, merged: NO_TOKEN, previous, next: NONE });
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
        self.candidates = heap;

        let mut ends = Vec::new();
        let mut place = 0;
        while let Some(link) = links.get(place as usize) {
            place = link.next;
            let end = if place == NONE { links.len() } else { place as usize };
            ends.push(u32::try_from(end).unwrap_or(NONE));
        }
        ends
    }
}
