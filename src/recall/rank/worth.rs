//! What messages are worth for what they cost.
//!
//! A budget is filled by a knapsack's greedy rule: what is worth most for its price comes first (Dantzig, 1957). A message is
//! worth as much as it is likely that the request needs it, which grows faster than its score: a message of half the score is
//! needed far less than half as often. Its price are its tokens, and what any message costs beside them.
//!
//! Two kinds of messages are needed whole, however long they are: what the request goes on from, and, where an overview is
//! wanted, all of a passage. For them the price does not count. Where all messages cost the same it changes nothing.

use crate::recall::rank::score::Scores;
use crate::recall::rank::scoring::Scoring;

/// What each message of an index is worth for its price: 0 where nothing speaks for it.
#[must_use]
pub fn worth(scoring: Scoring<'_>, scores: &Scores) -> Vec<f32> {
    let Scoring { index, query, weights, .. } = scoring;
    let sizes = index.sizes();
    let price = |size: u16| f32::from(size) + weights.price_of_any;
    let mean = mean(sizes) + weights.price_of_any;
    let flow = scores.flow.range();
    let of = |(message, (score, size)): (usize, (&f32, &u16))| {
        if *score <= 0.0 {
            return 0.0;
        }
        let value = score.powi(weights.need_by_score);
        if query.wants_overview {
            return value;
        }
        let cheapness = mean / price(*size);
        if flow.contains(&message) {
            let bought = 1.0 - (scores.flow.of(message) / score).clamp(0.0, 1.0);
            return value * cheapness.powf(bought);
        }
        value * cheapness
    };
    scores.total.iter().zip(sizes).enumerate().map(of).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a mean")]
fn mean(sizes: &[u16]) -> f32 {
    let all: u64 = sizes.iter().copied().map(u64::from).sum();
    all as f32 / sizes.len().max(1) as f32
}
