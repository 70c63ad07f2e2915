//! Costs of a prompt's parts.

/// A cost, in the units of a budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Tokens.
    pub tokens: u64,
    /// Code points; 0 if nobody needs them.
    pub chars: u64,
    /// Bytes of the JSON that is sent, in UTF-8, without its images and files; 0 if nobody needs them.
    pub bytes: u64,
}

impl Cost {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            chars: self.chars.saturating_add(other.chars),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }

    /// The remainder after a cost, at least 0. A missing limit stays missing.
    pub(crate) fn minus(self, other: Self) -> Self {
        Self {
            tokens: remainder(self.tokens, other.tokens),
            chars: remainder(self.chars, other.chars),
            bytes: remainder(self.bytes, other.bytes),
        }
    }

    /// The smaller of two costs, in each unit.
    pub(crate) fn min(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.min(other.tokens),
            chars: self.chars.min(other.chars),
            bytes: self.bytes.min(other.bytes),
        }
    }

    /// A share of it, from 0 to 1. A missing limit stays missing.
    pub(crate) fn share(self, share: f64) -> Self {
        Self {
            tokens: share_of(self.tokens, share),
            chars: share_of(self.chars, share),
            bytes: share_of(self.bytes, share),
        }
    }

    pub(crate) fn fits(self, limit: Self) -> bool {
        self.tokens <= limit.tokens && self.chars <= limit.chars && self.bytes <= limit.bytes
    }
}

fn remainder(amount: u64, spent: u64) -> u64 {
    if amount == u64::MAX { amount } else { amount.saturating_sub(spent) }
}

/// A share of an amount, from 0 to 1. A missing limit stays missing.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the share is from 0 to 1, and the amount far below 2^53"
)]
pub(crate) fn share_of(amount: u64, share: f64) -> u64 {
    if amount == u64::MAX { amount } else { (amount as f64 * share) as u64 }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use windrow_property::properties;

    properties! {
        /// Spending and sharing never turn a missing limit into a limit.
        #[test]
        fn an_unlimited_cost_stays_unlimited(tokens in any::<u64>(), chars in any::<u64>(), share in 0.0..1.0_f64) {
            let all = Cost { tokens: u64::MAX, chars: 1000, bytes: u64::MAX };
            let left = all.minus(Cost { tokens, chars, bytes: chars });
            prop_assert_eq!(left, Cost { chars: 1000_u64.saturating_sub(chars), ..all });
            prop_assert_eq!(left.share(share).plus(left).tokens, u64::MAX);
        }
    }
}
