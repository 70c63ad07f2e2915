//! What a part of a prompt costs.

/// A cost, in both units of a budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Tokens.
    pub tokens: u64,
    /// Code points; 0 where nobody asks for them.
    pub chars: u64,
}

impl Cost {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            chars: self.chars.saturating_add(other.chars),
        }
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            chars: self.chars.saturating_sub(other.chars),
        }
    }

    /// A part of it, from 0 to 1. What is without limit stays so.
    pub(crate) fn share(self, share: f64) -> Self {
        Self { tokens: share_of(self.tokens, share), chars: share_of(self.chars, share) }
    }

    pub(crate) fn fits(self, limit: Self) -> bool {
        self.tokens <= limit.tokens && self.chars <= limit.chars
    }
}

/// A part of an amount, from 0 to 1. What is without limit stays so.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the share is from 0 to 1, and the amount far below 2^53"
)]
pub(crate) fn share_of(amount: u64, share: f64) -> u64 {
    if amount == u64::MAX { amount } else { (amount as f64 * share) as u64 }
}
