use crate::base::error::{Error, Result};
use crate::base::value::FromValue;
use serde::Serialize;

/// What an earlier request was counted as, and what the provider said it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Usage {
    /// What windrow counted: `tokens.counted` of the context that was sent. From 1 on.
    pub counted_tokens: u64,
    /// The input tokens that the provider reported in `usage`, those that it read from its cache or wrote into it included. From 1 on.
    pub input_tokens: u64,
}

/// How many tokens a prompt really has for those that are counted: a ratio.
///
/// Counts stay what they are, so that nothing is counted again when the calibration changes, and what depends on them alone stays
/// where it is. Limits come in through [`Calibration::limit`], and reports go out through [`Calibration::tokens`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calibration {
    used: u128,
    counted: u128,
}

/// A recorded usage beyond twice or half the count says more about the request than about the count: it holds something that was not
/// counted.
const MOST: u128 = 2;

impl Calibration {
    /// Counts as they are.
    pub const NONE: Self = Self { used: 1, counted: 1 };

    /// What recorded requests say together, the larger ones more: the sum of what was used over the sum of what was counted. Each is
    /// taken within half and twice its own count, so that one that is beyond all reason moves the others little.
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

    /// What may be counted where a prompt may have so many tokens. What is without limit stays so.
    #[must_use]
    pub fn limit(self, tokens: u64) -> u64 {
        if tokens == u64::MAX {
            return tokens;
        }
        whole(u128::from(tokens).saturating_mul(self.counted) / self.used)
    }

    /// The tokens that a prompt has that is counted as so many. It is within a limit exactly where the count is within
    /// [`Calibration::limit`] of it.
    #[must_use]
    pub fn tokens(self, counted: u64) -> u64 {
        whole(u128::from(counted).saturating_mul(self.used).div_ceil(self.counted))
    }

    /// The factor in words, with three digits behind the point.
    #[must_use]
    pub fn words(self) -> String {
        let permille = (self.used * 1000).div_ceil(self.counted);
        format!("{}.{:03}", permille / 1000, permille % 1000)
    }

    /// The factor: 1.07 where 107 tokens were used for 100 that were counted.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    pub fn factor(self) -> f64 {
        self.used as f64 / self.counted as f64
    }
}

fn whole(tokens: u128) -> u64 {
    u64::try_from(tokens).unwrap_or(u64::MAX)
}

/// Refuses a usage of nothing: it says nothing about the rest.
pub(super) fn check(usage: &[Usage]) -> Result<()> {
    for (at, usage) in usage.iter().enumerate() {
        for (name, tokens) in
            [("countedTokens", usage.counted_tokens), ("inputTokens", usage.input_tokens)]
        {
            if tokens == 0 {
                return Err(Error::option(
                    &format!("budget.usage[{at}].{name}"),
                    "expected a number of tokens from 1 on, got 0",
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
        /// The limit check and the report agree about every count.
        #[test]
        fn a_count_is_within_the_limit_where_its_tokens_are(
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

        /// A small request with absurd figures barely moves a calibration based on the others.
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

        /// A single recorded request, counted again, comes out exactly as large as the provider said.
        #[test]
        fn a_recorded_request_comes_out_as_recorded(counted in 1000..10_000_000_u64, percent in 51..199_u64) {
            let input_tokens = counted * percent / 100;
            let calibration = Calibration::of(&[Usage { counted_tokens: counted, input_tokens }]);
            prop_assert_eq!(calibration.tokens(counted), input_tokens);
        }
    }
}
