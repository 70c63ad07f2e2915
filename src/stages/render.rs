//! Stage 8, `render`: puts what was kept into the one form that was asked for, and reports what it costs.

use crate::base::cost::Cost;
use crate::config::{Format, SectionKind};
use crate::prompt::form;
use crate::prompt::measure::Meter;
use crate::state::ask::StageResult;
use crate::state::context::{Made, Piece, Placed, SectionReport, SectionTokens, TokenReport};
use crate::state::draft::Draft;
use crate::state::trace::{NoteKind, Reason};

/// Puts the pieces together, and reports what they cost.
///
/// # Errors
///
/// Stops to ask for counts.
pub fn run(draft: &mut Draft) -> StageResult {
    let mut meter = Meter::new(draft)?;
    // Now it is known with which piece the prompt ends.
    let pieces: Vec<Piece> = draft.layout.iter().map(|(piece, _)| *piece).collect();
    meter.last = pieces.last().copied();
    meter.ask_for(draft, &pieces)?;
    let fixed = meter.fixed(draft)?;
    let mut costs = Vec::with_capacity(pieces.len());
    for piece in &pieces {
        costs.push(meter.cost(draft, *piece)?);
    }
    let total = costs.iter().fold(fixed, |total, cost| total.plus(*cost));
    let certainty = meter.certainty(&draft.config, has_media(draft, &pieces));
    draft.context.tokens = TokenReport {
        total: total.tokens,
        limit: draft.config.budget.prompt_limit(),
        exact: certainty.is_exact,
        words: certainty.words,
        encoding: meter.name().to_owned(),
        sections: section_tokens(draft, fixed, &costs),
    };
    draft.context.char_count = meter.counts_chars().then_some(total.chars);
    let budget = &draft.config.budget;
    let available = budget.prompt_limit().unwrap_or(u64::MAX);
    if total.tokens > available || budget.max_chars.is_some_and(|limit| total.chars > limit) {
        let words = format!(
            "what is required costs more than the budget: {} tokens, {} characters",
            total.tokens, total.chars
        );
        draft.note(NoteKind::RequiredOverflow, words);
    }
    let is_text = draft.config.render.format != Format::Messages;
    draft.context.text = is_text.then(|| form::text(draft, pieces.iter().copied()));
    draft.context.sections = section_reports(draft);

    let content = |made: &Made, position| {
        let piece = Piece::Made(position);
        let text = if draft.quotes.first() == Some(&piece) {
            form::quoting_content(draft)
        } else {
            form::made_content(draft, piece, made)
        };
        Made { text, ..made.clone() }
    };
    let made = draft.made.iter().enumerate().map(|(position, made)| content(made, position));
    draft.context.made = made.collect();
    // What the build made is there as it is sent.
    let cut = draft.shortened.iter().filter(|(piece, _)| !matches!(piece, Piece::Made(_)));
    draft.context.shortened =
        cut.map(|(piece, text)| (draft.as_given(*piece), text.clone())).collect();
    let placed = draft.layout.iter().zip(&costs).map(|((piece, section), cost)| Placed {
        piece: draft.as_given(*piece),
        section: *section,
        tokens: cost.tokens,
    });
    draft.context.pieces = placed.collect();
    Ok(())
}

/// Whether a part of unknown cost is in the prompt: in a text it is a word like any other.
fn has_media(draft: &Draft, pieces: &[Piece]) -> bool {
    let is_media = |piece: &Piece| {
        let is_quoted = matches!(piece, Piece::Quoted(_));
        let source = draft.source(*piece).filter(|_| !is_quoted);
        source.is_some_and(|(transcript, row)| transcript.has_media(row))
    };
    draft.config.render.format == Format::Messages && pieces.iter().any(is_media)
}

fn section_tokens(draft: &Draft, fixed: Cost, costs: &[Cost]) -> Vec<SectionTokens> {
    let section = |id: &str, tokens| SectionTokens { id: id.to_owned(), tokens };
    let mut format = fixed.tokens;
    let mut instructions = 0;
    let mut sections: Vec<u64> = vec![0; draft.config.sections().len()];
    for ((piece, position), cost) in draft.layout.iter().zip(costs) {
        let is_history = draft.config.sections()[*position].kind == SectionKind::History;
        match piece {
            Piece::Message(row) if draft.requirement(*row) == Some(Reason::Instruction) => {
                instructions += cost.tokens;
            }
            Piece::Made(_) if is_history && draft.conversations.is_none() => format += cost.tokens,
            _ => sections[*position] += cost.tokens,
        }
    }
    let named = draft.config.sections().iter().zip(sections);
    let named = named.map(|(it, tokens)| section(&it.id, tokens));
    [section("format", format), section("instructions", instructions)]
        .into_iter()
        .chain(named)
        .collect()
}

/// What each section holds: those of the caller's as `budget` said, history and request as they are in the text.
fn section_reports(draft: &mut Draft) -> Vec<SectionReport> {
    let mut given = std::mem::take(&mut draft.context.sections).into_iter().peekable();
    let is_text = draft.config.render.format != Format::Messages;
    let report = |(position, section): (usize, &crate::config::Section)| {
        if let Some(report) = given.next_if(|report| report.id == section.id) {
            return report;
        }
        let of_section = draft.layout.iter().filter(|(_, at)| *at == position);
        let pieces: Vec<Piece> = of_section.map(|(piece, _)| *piece).collect();
        let text = (is_text && !pieces.is_empty()).then(|| form::text(draft, pieces));
        SectionReport { id: section.id.clone(), kind: section.kind, text, items: Vec::new() }
    };
    draft.config.sections().iter().enumerate().map(report).collect()
}
