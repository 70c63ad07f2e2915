use super::shares::check_shares;
use crate::base::error::{Error, Result};
use crate::base::value::{FromValue, number_text};
use serde::Serialize;

/// Cuts the history so that the beginning of the prompt stays the same from turn to turn and providers can cache it.
///
/// Without a cut, every turn includes as much as fits, and so drops another message at the beginning. With a cut, the
/// history's beginning moves only in steps: to the first group after a multiple of a step, measured in tokens from the
/// beginning of the whole history. So the cut depends only on log and config, and every host, tab and replay agrees on
/// it. Needs a limit in tokens. Can't be combined with tiers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct CutConfig {
    /// How full the history may get before the cut moves, as a share (0 to 1) of the tokens for history and quotes
    /// together. Default: 1.
    pub high_water: f64,
    /// Roughly how full the history is after the cut has moved, from 0 to 1 and below `highWater`. With a lower value
    /// the cut moves less often and more of each prompt repeats the previous one, but less of the budget is used. With
    /// quotes the history shrinks further, so that it repeats as much as without them. Default: 0.58, which uses three
    /// quarters of the budget on average.
    pub low_water: f64,
}

/// Minimum history that a move of the cut leaves, as a share of its high mark. Less would drop very recent messages.
const LEAST_LEFT: f64 = 0.25;

impl Default for CutConfig {
    fn default() -> Self {
        Self { high_water: 1.0, low_water: 0.58 }
    }
}

impl CutConfig {
    pub(super) fn check(self) -> Result<()> {
        check_shares(&[
            ("budget.cut.highWater", self.high_water),
            ("budget.cut.lowWater", self.low_water),
        ])?;
        if self.low_water >= self.high_water {
            return Err(Error::option(
                "budget.cut.lowWater",
                &format!(
                    "{} is not below highWater, which is {}: the cut would have no step",
                    number_text(self.low_water),
                    number_text(self.high_water)
                ),
                "Pass a lowWater below highWater, such as 0.58 with 1.",
            ));
        }
        Ok(())
    }

    /// Both marks for the history alone, after a share of the limit is reserved for quotes.
    ///
    /// Between two moves of the cut, the history grows from `low` to `high`, and is `(low + high) / 2` long on average.
    /// A turn adds `new` tokens. Each move, once in `(high - low) / new` turns, sends all of `low` again. So the share
    /// that doesn't repeat is `2 new high / (high² - low²)`. With quotes, the low mark is chosen so that this share is
    /// the same as without them.
    pub(crate) fn beside_quotes(self, quoted: f64) -> (f64, f64) {
        let span =
            (self.high_water * self.high_water - self.low_water * self.low_water) / self.high_water;
        let high = (self.high_water - quoted).max(0.0);
        let low = (high * (high - span)).max(0.0).sqrt();
        (high, low.max(high * LEAST_LEFT))
    }
}
