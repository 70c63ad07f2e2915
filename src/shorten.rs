//! Cuts texts to fit, visibly and between whole characters.

use crate::ask::StageResult;
use crate::context::{Cost, Piece};
use crate::draft::Draft;
use crate::form;
use crate::measure::Meter;
use unicode_segmentation::GraphemeCursor;

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
    let mut texts: Vec<(Piece, String, u64)> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let text = draft.text_of(*piece);
        let token_count = meter.count(&text)?;
        texts.push((*piece, text, token_count));
    }
    let whole = draft.shortened.clone();
    let mut cut_to = |char_count: usize| -> StageResult<Cost> {
        draft.shortened.clone_from(&whole);
        for (piece, text, token_count) in &texts {
            if text.chars().nth(char_count).is_none() {
                continue;
            }
            let cut = truncate(text, char_count, *token_count, meter)?;
            // The marker costs too: what it would not shorten stays whole.
            let is_shorter = if limit.tokens == u64::MAX {
                cut.chars().count() < text.chars().count()
            } else {
                meter.count(&cut)? < *token_count
            };
            if is_shorter {
                draft.shortened.insert(*piece, cut);
            }
        }
        meter.total(draft, pieces)
    };
    let least = cut_to(0)?;
    if !least.fits(limit) {
        draft.shortened = whole;
        return Ok(Err(least));
    }
    // Halving finds a length that fits beside one that does not.
    let longest = texts.iter().map(|(_, text, _)| text.chars().count()).max().unwrap_or(0);
    let (mut fits, mut fails) = (0, longest);
    while fits + 1 < fails {
        let middle = fits.midpoint(fails);
        if cut_to(middle)?.fits(limit) {
            fits = middle;
        } else {
            fails = middle;
        }
    }
    Ok(Ok(cut_to(fits)?))
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

/// A text cut to at most `char_count` code points, with `...` at its end.
pub(crate) fn excerpt(text: &str, char_count: usize) -> String {
    if text.chars().nth(char_count).is_none() {
        return text.to_owned();
    }
    let kept = head(text, char_count.saturating_sub(ELLIPSIS.len()));
    format!("{}{}", kept.trim_end(), &ELLIPSIS[..ELLIPSIS.len().min(char_count)])
}

const ELLIPSIS: &str = "...";

/// The first code points of a text, without a torn character at their end.
pub(crate) fn head(text: &str, char_count: usize) -> &str {
    let end = text.char_indices().nth(char_count).map_or(text.len(), |(position, _)| position);
    let mut cursor = GraphemeCursor::new(end, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(true) => &text[..end],
        _ => &text[..cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0)],
    }
}

/// The last code points of a text, without a torn character at their beginning.
pub(crate) fn tail(text: &str, char_count: usize) -> &str {
    let skipped = text.chars().count().saturating_sub(char_count);
    let start = text.char_indices().nth(skipped).map_or(text.len(), |(position, _)| position);
    let mut cursor = GraphemeCursor::new(start, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(true) => &text[start..],
        _ => &text[cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len())..],
    }
}
