//! Spreads the score of a message to its neighbors: an answer seldom repeats the words of the question.

use crate::recall::index::IS_START;
use crate::recall::rank::parts::Part;

/// The range and the strength of the spread.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// The share for the next message.
    pub forward: f32,
    /// The share for the message before.
    pub backward: f32,
    /// The factor for every further message.
    pub decay: f32,
    /// A skipped message of this many tokens counts as one more message, because a page puts more distance between
    /// topics than a line. Infinite if all messages count alike.
    pub message_tokens: f32,
}

/// The part of a score that remains after it passes a message of this size.
trait Fading {
    fn behind(&self, size: u16) -> f32;
}

/// The same factor for every message, without a lookup.
struct Even(f32);

impl Fading for Even {
    fn behind(&self, _size: u16) -> f32 {
        self.0
    }
}

/// A smaller factor for a long message.
struct BySize([f32; Self::STEPS]);

impl BySize {
    const STEPS: usize = 256;
    /// Tokens per step, as a shift. Longer messages count as the last step.
    const STEP_SHIFT: u16 = 3;

    fn of(kernel: Kernel) -> Self {
        let step = f32::from(1_u16 << Self::STEP_SHIFT) / kernel.message_tokens;
        let mut passed = 1.0;
        Self(std::array::from_fn(|_| {
            let left = kernel.decay.powf(passed);
            passed += step;
            left
        }))
    }
}

impl Fading for BySize {
    fn behind(&self, size: u16) -> f32 {
        self.0[usize::from(size >> Self::STEP_SHIFT).min(Self::STEPS - 1)]
    }
}

/// Scores plus the spread from others in their conversation. `flags` mark the start of each conversation, and `sizes`
/// has each message's tokens. Processes two at once, because each waits for its own running sum.
pub(crate) fn spread(sources: [(Kernel, &[f32]); 2], flags: &[u8], sizes: &[u16]) -> [Part; 2] {
    if sources.iter().all(|(kernel, _)| kernel.message_tokens == f32::INFINITY) {
        spread_by(sources, flags, sizes, &sources.map(|(kernel, _)| Even(kernel.decay)))
    } else {
        spread_by(sources, flags, sizes, &sources.map(|(kernel, _)| BySize::of(kernel)))
    }
}

fn spread_by(
    sources: [(Kernel, &[f32]); 2],
    flags: &[u8],
    sizes: &[u16],
    fadings: &[impl Fading; 2],
) -> [Part; 2] {
    let mut spreads = sources.map(|(_, scores)| vec![0.0; scores.len()]);
    let mut first = 0;
    while first < flags.len() {
        let next = flags[first + 1..].iter().position(|flags| flags & IS_START != 0);
        let end = next.map_or(flags.len(), |next| first + 1 + next);
        let sources = sources.map(|(kernel, scores)| (kernel, &scores[first..end]));
        // Many conversations have no match at all.
        if sources.iter().any(|(_, scores)| scores.iter().any(|score| *score > 0.0)) {
            let spreads = spreads.each_mut().map(|all| &mut all[first..end]);
            spread_conversation(sources, fadings, &sizes[first..end], spreads);
        }
        first = end;
    }
    spreads.map(Part::of)
}

/// Adds the spread of one conversation: forward from its beginning and backward from its end at once. Four running sums
/// are interleaved, because each waits for its previous value. Indices compile to faster code here than iterators.
fn spread_conversation(
    [one, other]: [(Kernel, &[f32]); 2],
    [fading, other_fading]: &[impl Fading; 2],
    sizes: &[u16],
    [spread, other_spread]: [&mut [f32]; 2],
) {
    let (kernel, other_kernel) = (one.0, other.0);
    let length = one.1.len();
    let (scores, other_scores) = (&one.1[..length], &other.1[..length]);
    let (spread, other_spread) = (&mut spread[..length], &mut other_spread[..length]);
    let sizes = &sizes[..length];
    let (mut forward, mut backward, mut other_forward, mut other_backward) = (0.0, 0.0, 0.0, 0.0);
    for at in 0..length {
        let back = length - 1 - at;
        spread[at] += scores[at] + kernel.forward * forward;
        spread[back] += kernel.backward * backward;
        other_spread[at] += other_scores[at] + other_kernel.forward * other_forward;
        other_spread[back] += other_kernel.backward * other_backward;
        forward = forward * fading.behind(sizes[at]) + scores[at];
        backward = backward * fading.behind(sizes[back]) + scores[back];
        other_forward = other_forward * other_fading.behind(sizes[at]) + other_scores[at];
        other_backward = other_backward * other_fading.behind(sizes[back]) + other_scores[back];
        if at % STRETCH == STRETCH - 1 {
            (forward, backward) = (faded(forward), faded(backward));
            (other_forward, other_backward) = (faded(other_forward), faded(other_backward));
        }
    }
}

/// Number of messages after which tiny remainders are set to zero. Otherwise they would become subnormal numbers, which
/// make many processors about 100 times slower.
const STRETCH: usize = 128;

fn faded(carried: f32) -> f32 {
    const NEXT_TO_NOTHING: f32 = 1e-16;
    if carried < NEXT_TO_NOTHING { 0.0 } else { carried }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use crate::recall::rank::parts::largest;
    use proptest::prelude::*;
    use windrow_property::{number_in, properties};

    const KERNELS: [Kernel; 2] = [
        Kernel { forward: 0.6, backward: 0.4, decay: 0.7, message_tokens: f32::INFINITY },
        Kernel { forward: 0.9, backward: 0.9, decay: 0.95, message_tokens: 100.0 },
    ];

    /// The score that a message receives from each message of its conversation, by definition.
    fn slowly(kernel: Kernel, scores: &[f32], flags: &[u8], sizes: &[u16]) -> Vec<f64> {
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
                let (between, share) = match from.cmp(&to) {
                    std::cmp::Ordering::Less => (from + 1..to, kernel.forward),
                    std::cmp::Ordering::Equal => return f64::from(scores[from]),
                    std::cmp::Ordering::Greater => (to + 1..from, kernel.backward),
                };
                let passed = |size: &u16| {
                    let tokens = f64::from((size / 8).min(255) * 8);
                    1.0 + tokens / f64::from(kernel.message_tokens)
                };
                let passed: f64 = sizes[between].iter().map(passed).sum();
                let left = f64::from(kernel.decay).powf(passed);
                f64::from(scores[from]) * f64::from(share) * left
            };
            from.map(part).sum()
        };
        (0..scores.len()).map(of).collect()
    }

    fn messages() -> impl Strategy<Value = Vec<((f32, u8), u16)>> {
        let score = prop_oneof![12 => Just(0.0_f32), 1 => number_in(0.01..=20.0)];
        let flags = prop_oneof![99 => Just(0_u8), 1 => Just(IS_START)];
        let size = prop_oneof![6 => 0_u16..60, 1 => any::<u16>()];
        prop::collection::vec(((score, flags), size), 0..600)
    }

    properties! {
        #[test]
        fn spreading_follows_the_kernel(messages in messages()) {
            let (messages, sizes): (Vec<(f32, u8)>, Vec<u16>) = messages.into_iter().unzip();
            let (scores, flags): (Vec<f32>, Vec<u8>) = messages.into_iter().unzip();
            let parts = spread(KERNELS.map(|kernel| (kernel, scores.as_slice())), &flags, &sizes);
            for (part, kernel) in parts.iter().zip(KERNELS) {
                let wanted = slowly(kernel, &scores, &flags, &sizes);
                for (score, wanted) in part.scores.iter().zip(&wanted) {
                    prop_assert!((f64::from(*score) - wanted).abs() <= 1e-5 * (1.0 + wanted));
                }
                prop_assert_eq!(part.most.to_bits(), largest(&part.scores).to_bits());
            }
        }
    }
}
