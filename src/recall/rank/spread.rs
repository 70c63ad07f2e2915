//! What a message scores spreads to those around it: an answer seldom repeats the words of the question.

use crate::recall::index::IS_START;

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
    // The bits of two numbers above 0 are in the order of the numbers, and those of one below 0 are below 0.
    let bits = |most: i32, score: &f32| most.max(score.to_bits().cast_signed());
    f32::from_bits(scores.iter().fold(0, bits).cast_unsigned())
}

/// Adds parts to a total, the largest of each as what stands beside it.
pub(crate) fn add_up(total: &mut [f32], parts: &[(Part, f32); 3]) {
    let share = |(part, weight): &(Part, f32)| {
        let most = part.most;
        if most > 0.0 { weight / most } else { 0.0 }
    };
    let weights = parts.each_ref().map(share);
    let [one, two, three] = parts.each_ref().map(|(part, _)| &part.scores[..total.len()]);
    for (at, total) in total.iter_mut().enumerate() {
        *total = *total + weights[0] * one[at] + weights[1] * two[at] + weights[2] * three[at];
    }
}

/// Scores with what they get from others of their conversation; `flags` say where one begins. Two at once, as each waits for
/// what it has carried on so far.
pub(crate) fn spread(sources: [(Kernel, &[f32]); 2], flags: &[u8]) -> [Part; 2] {
    let mut spreads = sources.map(|(_, scores)| vec![0.0; scores.len()]);
    let mut first = 0;
    while first < flags.len() {
        let next = flags[first + 1..].iter().position(|flags| flags & IS_START != 0);
        let end = next.map_or(flags.len(), |next| first + 1 + next);
        let sources = sources.map(|(kernel, scores)| (kernel, &scores[first..end]));
        // Many a conversation is not about it.
        if sources.iter().any(|(_, scores)| scores.iter().any(|score| *score > 0.0)) {
            spread_conversation(sources, spreads.each_mut().map(|all| &mut all[first..end]));
        }
        first = end;
    }
    spreads.map(Part::of)
}

/// Adds the spread of one conversation: forward from its beginning and backward from its end at once. Four sums are carried on
/// side by side, as each waits for what it was before; and by places, as iterators over all of that are not made as fast.
fn spread_conversation(
    [one, other]: [(Kernel, &[f32]); 2],
    [spread, other_spread]: [&mut [f32]; 2],
) {
    let (kernel, other_kernel) = (one.0, other.0);
    let length = one.1.len();
    let (scores, other_scores) = (&one.1[..length], &other.1[..length]);
    let (spread, other_spread) = (&mut spread[..length], &mut other_spread[..length]);
    let (mut forward, mut backward, mut other_forward, mut other_backward) = (0.0, 0.0, 0.0, 0.0);
    for at in 0..length {
        let back = length - 1 - at;
        spread[at] += scores[at] + kernel.forward * forward;
        spread[back] += kernel.backward * backward;
        other_spread[at] += other_scores[at] + other_kernel.forward * other_forward;
        other_spread[back] += other_kernel.backward * other_backward;
        forward = forward * kernel.decay + scores[at];
        backward = backward * kernel.decay + scores[back];
        other_forward = other_forward * other_kernel.decay + other_scores[at];
        other_backward = other_backward * other_kernel.decay + other_scores[back];
        if at % STRETCH == STRETCH - 1 {
            (forward, backward) = (faded(forward), faded(backward));
            (other_forward, other_backward) = (faded(other_forward), faded(other_backward));
        }
    }
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
            let none = || (Part::of(vec![0.0; scores.len()]), 1.0);
            add_up(&mut total, &[none(), (Part::of(scores.clone()), weight), none()]);
            let most = scores.iter().copied().fold(0.0, f32::max);
            prop_assert_eq!(most.to_bits(), largest(&scores).to_bits());
            for (total, score) in total.iter().zip(&scores) {
                prop_assert!((total - 1.0 - weight * score / most.max(f32::MIN_POSITIVE)).abs() < 1e-4);
            }
        }
    }
}
