use super::shares::check_shares;
use crate::base::error::{Error, Result};
use crate::base::value::{FromValue, number_text};
use serde::Serialize;

/// Where the history is cut, so that the beginning of the prompt stays the same from turn to turn and providers can cache it.
///
/// Without it every turn lets in as much as fits, and so leaves out another message at the beginning. With it the cut moves in steps:
/// it lies at the first group behind a multiple of a step in the tokens of the whole history, counted from its beginning. So it
/// follows from log and config alone, and every host, tab and replay agrees on it. Needs a limit in tokens, and goes with no tiers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct CutConfig {
    /// How full the history may become before the cut moves, from 0 to 1: a share of the tokens that it may have, together with what
    /// is quoted behind it. Default: 1.
    pub high_water: f64,
    /// About how full it is after the cut has moved, from 0 to 1 and below `highWater`. Lower: the cut moves less often, more of each
    /// prompt repeats the one before it, and less of the budget is used. Beside quotes the history falls lower, so that it repeats
    /// as much as it does without. Default: 0.58, with which three quarters of the budget are used on average.
    pub low_water: f64,
}

/// The least that a move of the cut leaves of the history, as a share of its high mark. Less would forget what was said a moment ago.
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

    /// Both marks for the history alone, where a share of the limit is kept for what is quoted behind it.
    ///
    /// Between two moves of the cut the history grows from `low` to `high`, and is `(low + high) / 2` long on average. A turn adds
    /// `new` tokens to it; each move sends all of `low` anew, every `(high - low) / new` turns. So the share that does not repeat is
    /// `2 new high / (high² - low²)`. The low mark beside quotes is the one with which that share stays as it is without quotes.
    pub(crate) fn beside_quotes(self, quoted: f64) -> (f64, f64) {
        let span =
            (self.high_water * self.high_water - self.low_water * self.low_water) / self.high_water;
        let high = (self.high_water - quoted).max(0.0);
        let low = (high * (high - span)).max(0.0).sqrt();
        (high, low.max(high * LEAST_LEFT))
    }
}
