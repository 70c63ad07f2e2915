use crate::base::error::{Error, Result};
use crate::base::value::FromValue;
use serde::Serialize;

/// The count of an earlier request, and the provider's figure for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Usage {
    /// windrow's count: `tokens.counted` of the context that was sent. At least 1.
    pub counted_tokens: u64,
    /// The input tokens that the provider reported in `usage`, including tokens read from or written to its cache. At
    /// least 1.
    pub input_tokens: u64,
}

/// Ratio of a prompt's real tokens to its counted tokens.
///
/// Counts themselves don't change with the calibration, so nothing is counted again when it changes, and decisions that
/// depend on counts alone stay the same. [`Calibration::limit`] converts limits on the way in, and
/// [`Calibration::tokens`] converts reports on the way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calibration {
    used: u128,
    counted: u128,
}

/// Bound on the ratio, which is kept between 1/2 and 2. A ratio outside this range tells more about the request than
/// about the counting: the request contained something that wasn't counted.
const MOST: u128 = 2;

impl Calibration {
    /// No calibration: counts are tokens.
    pub const NONE: Self = Self { used: 1, counted: 1 };

    /// Combines recorded requests, weighing larger ones more: the sum of used tokens over the sum of counted tokens.
    /// Each usage is clamped between half and twice its own count, so an absurd one has little effect.
    #[must_use]
    pub fn of(usage: &[Usage]) -> Self {
        let (mut used, mut counted) = (0, 0);
        for usage in usage {
            let count = u128::from(usage.counted_tokens);
            counted += count;
            used += u128::from(usage.input_tokens).clamp(count.div_ceil(MOST), count * MOST);
        }
        if counted == 0 { Self::NONE } else { Self { used, counted } }
    }

    /// Converts a limit in tokens to a limit in counted tokens. [`u64::MAX`] means no limit, and stays unchanged.
    #[must_use]
    pub fn limit(self, tokens: u64) -> u64 {
        if tokens == u64::MAX {
            return tokens;
        }
        whole(u128::from(tokens).saturating_mul(self.counted) / self.used)
    }

    /// The tokens of a prompt from its count. They are within a limit if and only if the count is within
    /// [`Calibration::limit`] of it.
    #[must_use]
    pub fn tokens(self, counted: u64) -> u64 {
        whole(u128::from(counted).saturating_mul(self.used).div_ceil(self.counted))
    }

    /// The factor in words, with three decimals.
    #[must_use]
    pub fn words(self) -> String {
        let permille = (self.used * 1000).div_ceil(self.counted);
        format!("{}.{:03}", permille / 1000, permille % 1000)
    }

    /// The factor: 1.07 if the provider used 107 tokens for 100 counted ones.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    pub fn factor(self) -> f64 {
        self.used as f64 / self.counted as f64
    }
}

fn whole(tokens: u128) -> u64 {
    u64::try_from(tokens).unwrap_or(u64::MAX)
}

/// Rejects a usage with zero tokens, which says nothing about the ratio.
pub(super) fn check(usage: &[Usage]) -> Result<()> {
    for (at, usage) in usage.iter().enumerate() {
        for (name, tokens) in
            [("countedTokens", usage.counted_tokens), ("inputTokens", usage.input_tokens)]
        {
            if tokens == 0 {
                return Err(Error::option(
                    &format!("budget.usage[{at}].{name}"),
                    "expected 1 or more tokens, got 0",
                    "Leave this request out of budget.usage.",
                ));
            }
        }
    }
    Ok(())
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use windrow_property::properties;

    properties! {
        /// A limit and a report agree on every count.
        #[test]
        fn a_count_is_within_the_limit_if_its_tokens_are(
            pairs in prop::collection::vec((1..1_u64 << 53, 1..1_u64 << 53), 0..5),
            counted in 0..1_u64 << 60,
            limit in 0..1_u64 << 60,
        ) {
            let usage: Vec<Usage> = pairs
                .into_iter()
                .map(|(counted_tokens, input_tokens)| Usage { counted_tokens, input_tokens })
                .collect();
            let calibration = Calibration::of(&usage);
            prop_assert_eq!(counted <= calibration.limit(limit), calibration.tokens(counted) <= limit);
            prop_assert!((0.5..=2.0).contains(&calibration.factor()));
            prop_assert_eq!(calibration.limit(u64::MAX), u64::MAX);
        }

        /// A small request with absurd figures hardly changes the factor of the others.
        #[test]
        fn an_absurd_request_moves_little(
            counted in 1000..1_000_000_u64,
            percent in 60..180_u64,
            absurd in prop::sample::select(vec![(1, u64::MAX), (9, 1), (1, 1 << 53), (8, 1)]),
        ) {
            let usage = |(counted_tokens, input_tokens)| Usage { counted_tokens, input_tokens };
            let honest = usage((counted, counted * percent / 100));
            let alone = Calibration::of(&[honest]).factor();
            let both = Calibration::of(&[usage(absurd), honest, usage(absurd)]).factor();
            prop_assert!((both / alone - 1.0).abs() < 0.04, "{alone}, {both}");
            prop_assert!((0.5..=2.0).contains(&both));
        }

        /// A single recorded request, counted again, has the size that the provider reported.
        #[test]
        fn a_recorded_request_comes_out_as_recorded(counted in 1000..10_000_000_u64, percent in 51..199_u64) {
            let input_tokens = counted * percent / 100;
            let calibration = Calibration::of(&[Usage { counted_tokens: counted, input_tokens }]);
            prop_assert_eq!(calibration.tokens(counted), input_tokens);
        }
    }
}
