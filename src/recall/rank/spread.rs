//! What a message scores spreads to those around it: an answer seldom repeats the words of the question.

use crate::recall::index::IS_START;
use std::ops::Range;

/// How far, and how much of it.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// What the next message gets of it.
    pub forward: f32,
    /// What the message before gets of it.
    pub backward: f32,
    /// The part that is left with every further message.
    pub decay: f32,
}

/// A part of the scores, and the largest of it: parts are weighed against each other as shares of their largest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    pub(crate) scores: Vec<f32>,
    most: f32,
}

impl Part {
    pub(crate) fn of(scores: Vec<f32>) -> Self {
        let most = largest(&scores);
        Self { scores, most }
    }
}

/// The largest of some scores; 0 where none is above it.
pub(crate) fn largest(scores: &[f32]) -> f32 {
    // Several at once, as each waits for what was the largest so far.
    let mut most = [0.0; 8];
    let (eights, rest) = scores.as_chunks::<8>();
    for scores in eights {
        for (most, score) in most.iter_mut().zip(scores) {
            *most = if score > most { *score } else { *most };
        }
    }
    most.iter().chain(rest).fold(0.0, |most, score| if *score > most { *score } else { most })
}

/// Adds parts to a total, the largest of each as what stands beside it.
pub(crate) fn add_up(total: &mut [f32], parts: &[(Part, f32)]) {
    /// So many at a time stay near the processor while part after part is added.
    const BLOCK: usize = 1024;
    for (block, total) in total.chunks_mut(BLOCK).enumerate() {
        for (Part { scores, most }, weight) in parts.iter().filter(|(part, _)| part.most > 0.0) {
            let weight = weight / most;
            for (total, score) in total.iter_mut().zip(&scores[block * BLOCK..]) {
                *total += weight * score;
            }
        }
    }
}

/// Scores with what they get from others of their conversation; `flags` say where one begins. Two at once, as each waits for
/// what it has carried on so far.
pub(crate) fn spread(sources: [(Kernel, &[f32]); 2], flags: &[u8]) -> [Part; 2] {
    let mut parts = sources.map(|(_, scores)| Part { scores: vec![0.0; scores.len()], most: 0.0 });
    let mut first = 0;
    while first < flags.len() {
        let next = flags[first + 1..].iter().position(|flags| flags & IS_START != 0);
        let end = next.map_or(flags.len(), |next| first + 1 + next);
        let sources = sources.map(|(kernel, scores)| (kernel, &scores[first..end]));
        // Many a conversation is not about it.
        if sources.iter().any(|(_, scores)| scores.iter().any(|score| *score > 0.0)) {
            spread_conversation(sources, &mut parts, first..end);
        }
        first = end;
    }
    parts
}

/// Writes the spread of one conversation.
fn spread_conversation(
    [(kernel, scores), (other_kernel, other_scores)]: [(Kernel, &[f32]); 2],
    [part, other_part]: &mut [Part; 2],
    range: Range<usize>,
) {
    let spread = &mut part.scores[range.clone()];
    let other_spread = &mut other_part.scores[range];
    let stretches = (0..scores.len()).step_by(STRETCH);
    let stretches = stretches.map(|at| at..scores.len().min(at + STRETCH));
    let (mut carried, mut other_carried) = (0.0, 0.0);
    for at in stretches.clone() {
        let both = scores[at.clone()].iter().zip(&other_scores[at.clone()]);
        let spreads = spread[at.clone()].iter_mut().zip(&mut other_spread[at]);
        for ((score, other_score), (spread, other_spread)) in both.zip(spreads) {
            *spread = score + kernel.forward * carried;
            *other_spread = other_score + other_kernel.forward * other_carried;
            carried = carried * kernel.decay + score;
            other_carried = other_carried * other_kernel.decay + other_score;
        }
        (carried, other_carried) = (faded(carried), faded(other_carried));
    }
    (carried, other_carried) = (0.0, 0.0);
    let (mut most, mut other_most) = (part.most, other_part.most);
    for at in stretches.rev() {
        let both = scores[at.clone()].iter().zip(&other_scores[at.clone()]);
        let spreads = spread[at.clone()].iter_mut().zip(&mut other_spread[at]);
        for ((score, other_score), (spread, other_spread)) in both.zip(spreads).rev() {
            *spread += kernel.backward * carried;
            *other_spread += other_kernel.backward * other_carried;
            most = if *spread > most { *spread } else { most };
            other_most = if *other_spread > other_most { *other_spread } else { other_most };
            carried = carried * kernel.decay + score;
            other_carried = other_carried * other_kernel.decay + other_score;
        }
        (carried, other_carried) = (faded(carried), faded(other_carried));
    }
    (part.most, other_part.most) = (most, other_most);
}

/// Messages after which tiny remainders become zero. Without that they would become the smallest numbers, with which many
/// processors are about 100 times slower.
const STRETCH: usize = 128;

fn faded(carried: f32) -> f32 {
    const NEXT_TO_NOTHING: f32 = 1e-16;
    if carried < NEXT_TO_NOTHING { 0.0 } else { carried }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KERNELS: [Kernel; 2] = [
        Kernel { forward: 0.6, backward: 0.4, decay: 0.7 },
        Kernel { forward: 0.9, backward: 0.9, decay: 0.95 },
    ];

    /// What a message has of each of its conversation, by definition.
    fn slowly(kernel: Kernel, scores: &[f32], flags: &[u8]) -> Vec<f64> {
        let conversation: Vec<usize> = flags
            .iter()
            .scan(0, |count, flags| {
                *count += usize::from(flags & IS_START != 0);
                Some(*count)
            })
            .collect();
        let of = |to: usize| {
            let from = (0..scores.len()).filter(|from| conversation[*from] == conversation[to]);
            let part = |from: usize| {
                let (distance, share) = match from.cmp(&to) {
                    std::cmp::Ordering::Less => (to - from, kernel.forward),
                    std::cmp::Ordering::Equal => return f64::from(scores[from]),
                    std::cmp::Ordering::Greater => (from - to, kernel.backward),
                };
                let left =
                    f64::from(kernel.decay).powi(i32::try_from(distance - 1).unwrap_or(i32::MAX));
                f64::from(scores[from]) * f64::from(share) * left
            };
            from.map(part).sum()
        };
        (0..scores.len()).map(of).collect()
    }

    fn messages() -> impl Strategy<Value = Vec<(f32, u8)>> {
        let score = prop_oneof![12 => Just(0.0_f32), 1 => 0.01_f32..20.0];
        let flags = prop_oneof![99 => Just(0_u8), 1 => Just(IS_START)];
        prop::collection::vec((score, flags), 0..600)
    }

    proptest! {
        #[test]
        fn what_spreads_is_what_the_kernel_says(messages in messages()) {
            let (scores, flags): (Vec<f32>, Vec<u8>) = messages.into_iter().unzip();
            let parts = spread(KERNELS.map(|kernel| (kernel, scores.as_slice())), &flags);
            for (part, kernel) in parts.iter().zip(KERNELS) {
                let wanted = slowly(kernel, &scores, &flags);
                for (score, wanted) in part.scores.iter().zip(&wanted) {
                    prop_assert!((f64::from(*score) - wanted).abs() <= 1e-5 * (1.0 + wanted));
                }
                prop_assert_eq!(part.most.to_bits(), largest(&part.scores).to_bits());
            }
        }

        #[test]
        fn parts_count_as_shares_of_their_largest(
            scores in prop::collection::vec(0.0_f32..9.0, 0..3000),
            weight in 0.1_f32..4.0,
        ) {
            let mut total = vec![1.0; scores.len()];
            add_up(&mut total, &[(Part::of(scores.clone()), weight), (Part::of(vec![0.0; scores.len()]), 1.0)]);
            let most = scores.iter().copied().fold(0.0, f32::max);
            prop_assert_eq!(most.to_bits(), largest(&scores).to_bits());
            for (total, score) in total.iter().zip(&scores) {
                prop_assert!((total - 1.0 - weight * score / most.max(f32::MIN_POSITIVE)).abs() < 1e-4);
            }
        }
    }
}
