//! Stage 4, `budget`: the only place that leaves anything out for its cost.
//!
//! What is required (the instructions that the transcript begins with, what is pinned, the request) comes first. History
//! follows from the newest group backwards, and ends at the first that does not fit: what is kept has no holes, and a
//! larger budget keeps all that a smaller one kept.
//!
//! What a message costs is the form's business: see `measure` and `form`. How a text is cut is in `shorten`.

use crate::config::OnRequiredOverflow;
use crate::context::{Cost, Piece};
use crate::draft::{Draft, Flow};
use crate::error::{Error, ErrorCode, Result};
use crate::measure::Meter;
use crate::shorten;
use crate::trace::{Fate, Reason};

/// Keeps what is required, then history from the newest backwards as far as the budget goes.
///
/// # Errors
///
/// `BUDGET_TOO_SMALL` where what is required does not fit, with both figures.
pub fn run(draft: &mut Draft) -> Result<Flow> {
    let counter = match draft.counter.clone() {
        Ok(counter) => counter,
        Err(need) => return Ok(Flow::Ask(need)),
    };
    let meter = Meter::new(draft, counter);
    let budget = &draft.config.budget;
    let limit = Cost {
        tokens: budget.prompt_limit().unwrap_or(u64::MAX),
        chars: budget.max_chars.unwrap_or(u64::MAX),
    };

    let spent = keep_required(draft, &meter, limit)?;
    keep_history(draft, &meter, limit.minus(spent));
    Ok(Flow::Next)
}

/// Keeps what is required, shortened if it must be and may be. Gives what it costs with the form itself.
fn keep_required(draft: &mut Draft, meter: &Meter, limit: Cost) -> Result<Cost> {
    let mut required: Vec<Piece> = draft.open_rows().into_iter().map(Piece::Message).collect();
    required.retain(|piece| requirement(draft, *piece).is_some());
    required.extend(draft.request.is_some().then_some(Piece::Request));
    let mut spent = meter.total(draft, &required);
    if !spent.fits(limit) {
        spent = fit_required(draft, meter, &required, spent, limit)?;
    }
    for piece in required {
        draft.set_cost(piece, meter.cost(draft, piece));
        let is_cut = draft.shortened_text(piece).is_some();
        if let (Piece::Message(row), Some(reason)) = (piece, requirement(draft, piece)) {
            draft.keep(row, if is_cut { Fate::Shortened } else { Fate::Kept }, reason);
        }
    }
    Ok(spent)
}

fn requirement(draft: &Draft, piece: Piece) -> Option<Reason> {
    match piece {
        Piece::Message(row) => draft.requirement(row),
        Piece::Request => Some(Reason::Request),
    }
}

/// Keeps whole groups, the newest first, up to the first that does not fit.
fn keep_history(draft: &mut Draft, meter: &Meter, mut room: Cost) {
    let mut is_full = false;
    for row in draft.optional_rows().into_iter().rev() {
        if draft.is_decided(row) {
            continue; // with a newer message of its group
        }
        let members = draft.groups.members(row).to_vec();
        let costs = if is_full { None } else { meter.group_cost(draft, &members, room) };
        is_full = costs.is_none();
        for (position, member) in members.into_iter().enumerate() {
            if let Some(costs) = &costs {
                room = room.minus(costs[position]);
                draft.set_cost(Piece::Message(member), costs[position]);
                draft.keep(member, Fate::Kept, Reason::History);
            } else {
                draft.leave_out(member, Reason::OverBudget);
            }
        }
    }
}

/// Makes room for what is required, if the config allows it to be shortened.
fn fit_required(
    draft: &mut Draft,
    meter: &Meter,
    pieces: &[Piece],
    spent: Cost,
    limit: Cost,
) -> Result<Cost> {
    let may_shorten = draft.config.budget.on_required_overflow == OnRequiredOverflow::Shorten;
    let needed = if may_shorten {
        match shorten::fit(draft, meter, pieces, limit) {
            Ok(spent) => return Ok(spent),
            Err(least) => least,
        }
    } else {
        spent
    };
    let (needed, available, unit, option) = if needed.tokens <= limit.tokens {
        (needed.chars, limit.chars, "characters", "maxChars")
    } else if draft.config.budget.context_limit.is_some() {
        (needed.tokens, limit.tokens, "tokens", "contextLimit")
    } else {
        (needed.tokens, limit.tokens, "tokens", "maxTokens")
    };
    let (state, remedy) = if may_shorten {
        (", with nothing left of their texts,", "or pin less")
    } else {
        ("", "pin less, shorten the request, or set budget.onRequiredOverflow to \"shorten\"")
    };
    let mut error = Error::new(
        ErrorCode::BudgetTooSmall,
        format!(
            "instructions, pinned messages and request need{state} {needed} {unit}, and the budget has {available}"
        ),
        format!("Raise budget.{option}, {remedy}."),
    )
    .at(format!("budget.{option}"));
    error.needed = Some(needed);
    error.available = Some(available);
    Err(error)
}
