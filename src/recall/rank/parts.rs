//! Passes over the scores of all messages, four at a time. Each score is computed on its own, so every host computes the
//! same.

use wide::{CmpGe, f32x4, u16x8};

/// A part of the scores, with its largest value. Parts are weighted as shares of their largest value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    pub(crate) scores: Vec<f32>,
    pub(super) most: f32,
}

impl Part {
    pub(crate) fn of(scores: Vec<f32>) -> Self {
        let most = largest(&scores);
        Self { scores, most }
    }
}

/// The largest of some scores, or 0 if none is above it.
pub(crate) fn largest(scores: &[f32]) -> f32 {
    // Four at once, because each maximum waits for the previous one.
    let (sixteens, rest) = scores.as_chunks::<16>();
    let mut most = [f32x4::ZERO; 4];
    for scores in sixteens {
        let (fours, _) = scores.as_chunks();
        for (most, four) in most.iter_mut().zip(fours) {
            *most = most.fast_max(f32x4::from(*four));
        }
    }
    let [a, b, c, d] = most;
    let most = a.fast_max(b).fast_max(c.fast_max(d));
    // In wasm, `f32::max` is a function call.
    let larger = |one: f32, other: f32| if other > one { other } else { one };
    most.to_array().into_iter().chain(rest.iter().copied()).fold(0.0, larger)
}

/// Number of scores that [`is_any_above`] checks.
pub(super) const BLOCK: usize = 32;

/// True if any score of a block is at least a threshold.
pub(super) fn is_any_above(block: &[f32; BLOCK], threshold: f32) -> bool {
    let threshold = f32x4::splat(threshold);
    let (fours, _) = block.as_chunks();
    let found =
        fours.iter().fold(f32x4::ZERO, |found, four| found | f32x4::from(*four).cmp_ge(threshold));
    found.any()
}

/// The largest of some sizes, or 0 for an empty list.
pub(super) fn largest_size(sizes: &[u16]) -> u16 {
    let (eights, rest) = sizes.as_chunks();
    let most = eights.iter().fold(u16x8::ZERO, |most, eight| most.max(u16x8::from(*eight)));
    most.to_array().into_iter().chain(rest.iter().copied()).fold(0, u16::max)
}

/// Adds weighted parts to a total. A part's largest score counts as much as its weight.
pub(crate) fn add_up(total: &mut [f32], parts: &[(Part, f32)]) {
    /// Number of messages whose totals stay in the processor's cache from one part to the next.
    const NEAR: usize = 2048;
    for (at, total) in total.chunks_mut(NEAR).enumerate() {
        for (Part { scores, most }, weight) in parts.iter().filter(|it| it.0.most > 0.0) {
            add(total, &scores[at * NEAR..], weight / most);
        }
    }
}

/// Adds a share of each score to its total.
fn add(total: &mut [f32], scores: &[f32], share: f32) {
    let (fours, rest) = scores[..total.len()].as_chunks();
    let (total_fours, total_rest) = total.as_chunks_mut();
    let shares = f32x4::splat(share);
    for (total, four) in total_fours.iter_mut().zip(fours) {
        *total = (f32x4::from(*total) + shares * f32x4::from(*four)).to_array();
    }
    for (total, score) in total_rest.iter_mut().zip(rest) {
        *total += share * score;
    }
}

/// The worth of each message for its price: its score to the power of `need`, times `mean / (size + fee)`. 0 if its score
/// isn't above 0.
pub(super) fn worth(scores: &[f32], sizes: &[u16], need: i32, [mean, fee]: [f32; 2]) -> Vec<f32> {
    let mut worth = vec![0.0; scores.len()];
    let (score_fours, scores) = scores.as_chunks();
    let (size_fours, sizes) = sizes.as_chunks::<4>();
    let (fours, rest) = worth.as_chunks_mut();
    let (means, fees) = (f32x4::splat(mean), f32x4::splat(fee));
    for ((worth, scores), [a, b, c, d]) in fours.iter_mut().zip(score_fours).zip(size_fours) {
        let sizes = f32x4::new([(*a).into(), (*b).into(), (*c).into(), (*d).into()]);
        let needs = power(f32x4::from(*scores).fast_max(f32x4::ZERO), need);
        *worth = (needs * (means / (sizes + fees))).to_array();
    }
    for ((worth, score), size) in rest.iter_mut().zip(scores).zip(sizes) {
        *worth = power(score.max(0.0), need) * (mean / (f32::from(*size) + fee));
    }
    worth
}

/// A score raised to a small power, without a function call per message.
pub(super) fn power<T: Copy + std::ops::Mul<Output = T>>(score: T, power: i32) -> T {
    (1..power).fold(score, |product, _| product * score)
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use windrow_property::{number_in, properties};

    properties! {
        #[test]
        fn parts_count_as_shares_of_their_largest(
            scores in prop::collection::vec(number_in(0.0..=9.0), 0..3000),
            weight in number_in(0.1..=4.0),
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

        #[test]
        fn blocks_are_found_by_their_largest(
            scores in prop::collection::vec(number_in(-1.0..=9.0), BLOCK),
            sizes in prop::collection::vec(any::<u16>(), 0..100),
            threshold in number_in(0.1..=9.0),
        ) {
            let block: &[f32; BLOCK] = scores.as_slice().try_into().expect("a block");
            let has = scores.iter().any(|score| *score >= threshold);
            prop_assert_eq!(is_any_above(block, threshold), has);
            prop_assert_eq!(largest_size(&sizes), sizes.iter().copied().max().unwrap_or_default());
        }

        #[test]
        fn worth_grows_with_the_score_and_falls_with_the_size(
            messages in prop::collection::vec((number_in(-2.0..=9.0), any::<u16>()), 0..300),
            need in 1..4,
        ) {
            let (scores, sizes): (Vec<f32>, Vec<u16>) = messages.into_iter().unzip();
            let worth = worth(&scores, &sizes, need, [50.0, 100.0]);
            prop_assert_eq!(worth.len(), scores.len());
            for ((worth, score), size) in worth.iter().zip(&scores).zip(&sizes) {
                let wanted = score.max(0.0).powi(need) * 50.0 / (f32::from(*size) + 100.0);
                prop_assert!((worth - wanted).abs() <= 1e-5 * wanted);
            }
        }
    }
}
