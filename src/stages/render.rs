//! Stage 5, `render`: puts what was kept into the one form that was asked for, and reports what it costs.

use crate::config::Format;
use crate::context::{Cost, Piece, SectionTokens, TokenReport};
use crate::draft::{Draft, Flow};
use crate::error::Result;
use crate::form;
use crate::measure::Meter;
use crate::trace::Reason;

/// Puts the pieces together, and reports what they cost.
///
/// # Errors
///
/// None.
pub fn run(draft: &mut Draft) -> Result<Flow> {
    let counter = match draft.counter.clone() {
        Ok(counter) => counter,
        Err(need) => return Ok(Flow::Ask(need)),
    };
    let pieces = draft.pieces();
    let meter = Meter::new(draft, counter.clone());
    let fixed = meter.fixed(draft);
    let costs: Vec<Cost> = pieces.iter().map(|piece| draft.cost(*piece)).collect();
    let total = costs.iter().fold(fixed, |total, cost| total.plus(*cost));
    draft.context.tokens = TokenReport {
        total: total.tokens,
        limit: draft.config.budget.prompt_limit(),
        exact: counter.is_exact() && !has_media(draft, &pieces),
        encoding: counter.name().to_owned(),
        sections: sections(draft, fixed, pieces.iter().zip(&costs)),
    };
    draft.context.char_count = meter.counts_chars().then_some(total.chars);
    draft.context.text = match draft.config.render.format {
        Format::Messages => None,
        Format::Text => Some(form::text(draft, &pieces)),
        Format::Xml => Some(form::xml(draft, &pieces)),
    };
    draft.context.shortened.clone_from(&draft.shortened);
    draft.context.costs = costs.iter().map(|cost| cost.tokens).collect();
    draft.context.pieces = pieces;
    Ok(Flow::Next)
}

/// Whether a part of unknown cost is in the prompt: in a text it is a word like any other.
fn has_media(draft: &Draft, pieces: &[Piece]) -> bool {
    draft.config.render.format == Format::Messages
        && pieces.iter().any(|piece| {
            let (transcript, row) = draft.source(*piece);
            transcript.has_media(row)
        })
}

fn sections<'a>(
    draft: &Draft,
    fixed: Cost,
    pieces: impl Iterator<Item = (&'a Piece, &'a Cost)>,
) -> Vec<SectionTokens> {
    let mut sections =
        [("format", fixed.tokens), ("instructions", 0), ("history", 0), ("request", 0)];
    for (piece, cost) in pieces {
        let section = match piece {
            Piece::Request => 3,
            Piece::Message(row) if draft.requirement(*row) == Some(Reason::Instruction) => 1,
            Piece::Message(_) => 2,
        };
        sections[section].1 += cost.tokens;
    }
    sections.into_iter().map(|(id, tokens)| SectionTokens { id, tokens }).collect()
}
