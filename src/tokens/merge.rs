//! Merges the bytes of one piece into tokens: always the two neighbours whose token has the lowest rank, the first
//! of them if there are several.

use super::vocabulary::{NO_TOKEN, Vocabulary};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Pieces up to this length, in bytes, are merged by scanning, which takes quadratic time but little of it.
pub(super) const LONGEST_SHORT: usize = 128;

/// Room to merge a short piece in.
pub(super) struct Scratch {
    /// The tokens so far.
    tokens: [u32; LONGEST_SHORT],
    /// What each token merges into with the one after it.
    merged: [u32; LONGEST_SHORT],
}

impl Default for Scratch {
    fn default() -> Self {
        Self { tokens: [0; LONGEST_SHORT], merged: [0; LONGEST_SHORT] }
    }
}

/// The number of tokens in a piece.
pub(super) fn count(vocabulary: &Vocabulary, piece: &[u8], scratch: &mut Scratch) -> u64 {
    if piece.len() <= LONGEST_SHORT {
        merge_short(vocabulary, piece, scratch).len() as u64
    } else {
        count_long(vocabulary, piece)
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

/// The number of tokens in a piece of any length, in time that grows little faster than the length.
///
/// The tokens are a linked list. Candidates wait in a heap, by rank and place; one that has been overtaken by
/// another merge stays there until its turn comes and is passed over.
fn count_long(vocabulary: &Vocabulary, piece: &[u8]) -> u64 {
    const NONE: u32 = u32::MAX;
    struct Link {
        token: u32,
        /// What it merges into with the next one; [`NO_TOKEN`] also for one that is no more.
        merged: u32,
        previous: u32,
        next: u32,
    }
    let candidate = |rank: u32, place: u32| Reverse(u64::from(rank) << 32 | u64::from(place));

    let mut links: Vec<Link> = Vec::with_capacity(piece.len());
    let mut candidates = Vec::with_capacity(piece.len());
    for (place, byte) in (0_u32..).zip(piece) {
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

    let mut count = piece.len() as u64;
    let mut heap = BinaryHeap::from(candidates);
    while let Some(Reverse(lowest)) = heap.pop() {
        #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
        let (rank, place) = ((lowest >> 32) as u32, lowest as u32);
        let left = &mut links[place as usize];
        if left.merged != rank {
            continue;
        }
        count -= 1;
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
    count
}
