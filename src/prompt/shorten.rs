//! Cuts texts to fit, visibly and between whole characters.

use crate::base::text::head;
use crate::prompt::form;
use crate::prompt::measure::Meter;
use crate::state::ask::StageResult;

/// A length below `failing` that fits, where the next does not; 0 is taken to fit, and `failing` not to.
///
/// It is looked for from below, so that the work follows what fits, however long the text is.
pub(crate) fn longest_fitting(
    mut failing: usize,
    fits: &mut dyn FnMut(usize) -> StageResult<bool>,
) -> StageResult<usize> {
    const FIRST: usize = 64;
    let (mut fitting, mut tried) = (0, FIRST);
    while tried < failing {
        if fits(tried)? {
            fitting = tried;
            tried = tried.saturating_mul(2);
        } else {
            failing = tried;
        }
    }
    while fitting + 1 < failing {
        let middle = fitting.midpoint(failing);
        if fits(middle)? {
            fitting = middle;
        } else {
            failing = middle;
        }
    }
    Ok(fitting)
}

/// The first `char_count` code points of a text, and a marker that says how much is missing.
pub(crate) fn truncate(
    text: &str,
    char_count: usize,
    token_count: u64,
    meter: &Meter,
) -> StageResult<String> {
    let kept = head(text, char_count);
    let marker = form::marker(meter.count(kept)?, token_count);
    Ok(if kept.is_empty() { marker } else { format!("{kept}\n{marker}") })
}
