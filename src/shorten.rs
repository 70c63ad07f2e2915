//! Cuts texts to fit, visibly and between whole characters.

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
) -> Result<Cost, Cost> {
    let mut texts: Vec<(Piece, String, u64)> = pieces
        .iter()
        .map(|piece| {
            let (transcript, row) = draft.source(*piece);
            let text = form::plain_text(transcript, row);
            let token_count = meter.count(&text);
            (*piece, text, token_count)
        })
        .collect();
    texts.sort_unstable_by_key(|(piece, ..)| *piece);
    let mut cut_to = |char_count: usize| {
        draft.shortened = texts
            .iter()
            .filter_map(|(piece, text, token_count)| {
                text.chars().nth(char_count)?;
                let cut = truncate(text, char_count, *token_count, meter);
                // The marker costs too: what it would not shorten stays whole.
                let is_shorter = if limit.tokens == u64::MAX {
                    cut.chars().count() < text.chars().count()
                } else {
                    meter.count(&cut) < *token_count
                };
                is_shorter.then_some((*piece, cut))
            })
            .collect();
        meter.total(draft, pieces)
    };
    let least = cut_to(0);
    if !least.fits(limit) {
        draft.shortened.clear();
        return Err(least);
    }
    // Halving finds a length that fits beside one that does not.
    let longest = texts.iter().map(|(_, text, _)| text.chars().count()).max().unwrap_or(0);
    let (mut fits, mut fails) = (0, longest);
    while fits + 1 < fails {
        let middle = fits.midpoint(fails);
        if cut_to(middle).fits(limit) {
            fits = middle;
        } else {
            fails = middle;
        }
    }
    Ok(cut_to(fits))
}

/// The first `char_count` code points of a text, without a torn character at the end, and a marker that says what is
/// missing.
fn truncate(text: &str, char_count: usize, token_count: u64, meter: &Meter) -> String {
    let end = text.char_indices().nth(char_count).map_or(text.len(), |(position, _)| position);
    let mut cursor = GraphemeCursor::new(end, text.len(), true);
    let end = match cursor.is_boundary(text, 0) {
        Ok(true) => end,
        _ => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
    };
    let kept = &text[..end];
    let marker = form::marker(meter.count(kept), token_count);
    if kept.is_empty() { marker } else { format!("{kept}\n{marker}") }
}
