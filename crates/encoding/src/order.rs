//! Sorts the merges of a vocabulary into an order that takes few bytes to store and doesn't change any count.
//!
//! The order of two merges matters only if they can interact: one uses the token that the other makes, or a token can
//! merge with its left neighbor by one of them and with its right neighbor by the other. All other pairs of merges
//! touch different places of a text, so they can be swapped if they are adjacent in the order. Every order that such
//! swaps can reach gives the same counts (Cartier and Foata, "Problèmes combinatoires de commutation et
//! réarrangements", 1969).
//!
//! The stored order consists of a few long runs. Each is sorted by right part and then by left part, so that the steps
//! between neighbors are small. Merges come as late as possible: most tokens are part of no other token, so they end up
//! in the last runs, which are the longest.

use super::vocabulary::BYTES;
use std::collections::BTreeSet;

/// Number of heights that each run reaches below the previous one. With 1 there are more runs. With 4 or more, early
/// runs take merges that later ones would store in fewer bytes. Measured on both encodings.
const HEIGHTS_A_RUN: usize = 2;

/// Sorts the merges of a vocabulary from order of rank into storage order. A merge is a left and a right part. A token
/// is 256 plus the place of the merge that makes it: in the input's order on input, in the new order on output.
pub(super) fn stored_order(merges: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let Constraints { mut waits_for, followers } = Constraints::of(merges);
    let heights = heights(&followers);
    let mut places: Vec<u32> = (0..).take(BYTES + merges.len()).collect();
    let mut ordered = Vec::with_capacity(merges.len());

    let highest = heights.iter().max().copied().unwrap_or_default();
    // Merges that are too low for the run, by height. Everything that must come before them has already been placed.
    let mut too_low: Vec<Vec<usize>> = vec![Vec::new(); highest + 1];
    for merge in (0..merges.len()).filter(|merge| waits_for[*merge] == 0) {
        too_low[heights[merge]].push(merge);
    }
    // Sort key within a run. The parts of the merge already have their final places.
    let key = |places: &[u32], merge: usize| {
        let [left, right] = merges[merge].map(|part| places[part as usize]);
        (right, left, merge)
    };
    let mut next_run = BTreeSet::new();
    let mut lowest = highest + 1;
    while ordered.len() < merges.len() {
        let mut run = std::mem::take(&mut next_run);
        let lowest_before = lowest;
        lowest = lowest.saturating_sub(HEIGHTS_A_RUN);
        for merge in too_low[lowest..lowest_before].iter_mut().flat_map(std::mem::take) {
            run.insert(key(&places, merge));
        }
        while let Some(current @ (right, left, merge)) = run.pop_first() {
            places[BYTES + merge] = place_of(ordered.len());
            ordered.push([left, right]);
            for follower in followers[merge].iter().map(|it| *it as usize) {
                waits_for[follower] -= 1;
                if waits_for[follower] > 0 {
                    continue;
                }
                if heights[follower] < lowest {
                    too_low[heights[follower]].push(follower);
                    continue;
                }
                let next = key(&places, follower);
                let of_this_run = next > current;
                (if of_this_run { &mut run } else { &mut next_run }).insert(next);
            }
        }
    }
    ordered
}

/// The token that the merge at a place makes.
fn place_of(merge: usize) -> u32 {
    u32::try_from(BYTES + merge).expect("a vocabulary has fewer tokens than 2^32")
}

/// Constraints on the order: which merges come before others.
struct Constraints {
    /// For each merge, how many merges must come before it.
    waits_for: Vec<usize>,
    /// For each merge, those that must come after it.
    followers: Vec<Vec<u32>>,
}

impl Constraints {
    fn of(merges: &[[u32; 2]]) -> Self {
        let mut waits_for = vec![0; merges.len()];
        let mut followers: Vec<Vec<u32>> = vec![Vec::new(); merges.len()];
        // For each token, the merges so far that have it as their left part, and those that have it as their right
        // part.
        let mut having: [Vec<Vec<u32>>; 2] = [0, 1].map(|_| vec![Vec::new(); BYTES + merges.len()]);
        for (merge, [left, right]) in
            merges.iter().map(|it| it.map(|part| part as usize)).enumerate()
        {
            let number = u32::try_from(merge).expect("a vocabulary has fewer tokens than 2^32");
            let makers = [left, right].into_iter().filter_map(|part| part.checked_sub(BYTES));
            let meeting = having[1][left].iter().chain(&having[0][right]).map(|it| *it as usize);
            for earlier in makers.chain(meeting) {
                followers[earlier].push(number);
                waits_for[merge] += 1;
            }
            having[0][left].push(number);
            having[1][right].push(number);
        }
        Self { waits_for, followers }
    }
}

/// For each merge, the length of the longest chain of merges that must follow it.
fn heights(followers: &[Vec<u32>]) -> Vec<usize> {
    let mut heights: Vec<usize> = vec![0; followers.len()];
    for merge in (0..followers.len()).rev() {
        let above = followers[merge].iter().map(|it| heights[*it as usize] + 1).max();
        heights[merge] = above.unwrap_or_default();
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seeded random numbers, each below the function's argument.
    fn random(seed: u64) -> impl FnMut(usize) -> usize {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        move |below| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 33) as usize % below
        }
    }

    /// Random merges like those that byte pair encoding learns: each joins two tokens of lower rank, and all make
    /// different texts.
    fn random_merges(random: &mut impl FnMut(usize) -> usize, count: usize) -> Vec<[u32; 2]> {
        let mut texts: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        let mut merges = Vec::new();
        for _ in 0..count {
            // One of four bytes, or of the tokens made so far.
            let mut part = || match random(4 + texts.len() - BYTES) {
                byte @ ..4 => byte,
                made => made - 4 + BYTES,
            };
            let parts = [part(), part()];
            let text = [texts[parts[0]].clone(), texts[parts[1]].clone()].concat();
            let known = merge_all(&merges, text.iter().map(|byte| u32::from(*byte)).collect());
            let parts = parts.map(|part| u32::try_from(part).expect("few"));
            if text.len() < 24 && known == parts {
                texts.push(text);
                merges.push(parts);
            }
        }
        merges
    }

    /// Merges by definition: all places of the first merge, from left to right, then all of the second, and so on.
    fn merge_all(merges: &[[u32; 2]], mut tokens: Vec<u32>) -> Vec<u32> {
        for (made, pair) in (place_of(0)..).zip(merges) {
            let mut at = 0;
            while at + 1 < tokens.len() {
                if tokens[at..at + 2] == *pair {
                    tokens.splice(at..at + 2, [made]);
                }
                at += 1;
            }
        }
        tokens
    }

    fn length_of(merges: &[[u32; 2]], token: u32) -> usize {
        match (token as usize).checked_sub(BYTES) {
            None => 1,
            Some(merge) => merges[merge].iter().map(|part| length_of(merges, *part)).sum(),
        }
    }

    #[test]
    fn the_stored_order_merges_every_text_the_same_way() {
        let mut changed = 0;
        for seed in 0..400 {
            let mut random = random(seed);
            let merges = random_merges(&mut random, 120);
            let stored = stored_order(&merges);
            assert_eq!(stored.len(), merges.len());
            changed += usize::from(stored != merges);
            for _ in 0..40 {
                let text: Vec<u32> = (0..random(60)).map(|_| [0, 1, 2, 3][random(4)]).collect();
                let lengths = |merges: &[[u32; 2]]| -> Vec<usize> {
                    let tokens = merge_all(merges, text.clone());
                    tokens.iter().map(|token| length_of(merges, *token)).collect()
                };
                assert_eq!(lengths(&stored), lengths(&merges), "{seed}: {text:?} by {merges:?}");
            }
        }
        assert!(changed > 300, "{changed}");
    }

    #[test]
    fn a_token_comes_after_its_parts() {
        for seed in 0..200 {
            let merges = stored_order(&random_merges(&mut random(seed), 200));
            for (made, parts) in (place_of(0)..).zip(&merges) {
                assert!(parts.iter().all(|part| *part < made), "{seed}: {parts:?} makes {made}");
            }
        }
    }
}
