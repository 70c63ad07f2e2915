//! Cuts texts to fit, visibly and between whole characters.

use crate::base::cost::Cost;
use crate::base::text::head;
use crate::prompt::form;
use crate::prompt::measure::Meter;
use crate::state::ask::StageResult;
use crate::state::context::Piece;
use crate::state::draft::Draft;

/// Cuts the longest texts of these pieces to one common length with which all of them fit, and as little as it can.
///
/// Gives what they cost then. Where they do not fit even with nothing left of their texts, nothing is cut, and it fails
/// with what they would cost.
pub(crate) fn fit(
    draft: &mut Draft,
    meter: &Meter,
    pieces: &[Piece],
    limit: Cost,
) -> StageResult<Result<Cost, Cost>> {
    let mut texts: Vec<Cuttable> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let text = draft.text_of(*piece);
        let (token_count, char_count) = (meter.count(&text)?, text.chars().count());
        texts.push(Cuttable { piece: *piece, text, token_count, char_count });
    }
    let whole = draft.shortened.clone();
    let cut_to = |draft: &mut Draft, length: usize| -> StageResult {
        draft.shortened.clone_from(&whole);
        for Cuttable { piece, text, token_count, char_count } in &texts {
            if *char_count <= length {
                continue;
            }
            let cut = truncate(text, length, *token_count, meter)?;
            // The marker costs too: what it would not shorten stays whole.
            let is_shorter = if limit.tokens == u64::MAX {
                cut.chars().count() < *char_count
            } else {
                meter.count(&cut)? < *token_count
            };
            if is_shorter {
                draft.shortened.insert(*piece, cut);
            }
        }
        Ok(())
    };
    cut_to(draft, 0)?;
    if meter.cost_within(draft, pieces, limit)?.is_none() {
        let least = meter.total(draft, pieces)?;
        draft.shortened = whole;
        return Ok(Err(least));
    }
    let longest = texts.iter().map(|text| text.char_count).max().unwrap_or(0);
    // Of a character that is longer than all that fits, every length up to it keeps nothing.
    let most = meter.most_chars(limit).saturating_add(1);
    let length = longest_fitting(longest.min(most), &mut |length| {
        cut_to(draft, length)?;
        Ok(meter.cost_within(draft, pieces, limit)?.is_some())
    })?;
    cut_to(draft, length)?;
    Ok(Ok(meter.total(draft, pieces)?))
}

/// A text that may be cut.
struct Cuttable {
    piece: Piece,
    text: String,
    token_count: u64,
    char_count: usize,
}

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

/// The first `char_count` code points of a text and a marker that says what is missing.
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
