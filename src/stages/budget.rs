//! Stage 4, `budget`: the only place that leaves anything out for its cost.
//!
//! What is required (the instructions that the transcript begins with, what is pinned, the request) comes first. History follows from the newest group
//! backwards, and ends at the first that does not fit: what is kept has no holes, and a larger budget keeps all that a
//! smaller one kept.

use crate::config::OnRequiredOverflow;
use crate::context::{Cost, Piece};
use crate::draft::{Draft, Flow, Need};
use crate::error::{Error, ErrorCode, Result};
use crate::measure::Meter;
use crate::shorten;
use crate::tokens::Counter;
use crate::trace::{Fate, Reason};
use crate::transcript::Role;

/// Keeps what is required, then history from the newest backwards as far as the budget goes.
///
/// # Errors
///
/// `BUDGET_TOO_SMALL` where what is required does not fit, with both figures.
pub fn run(draft: &mut Draft) -> Result<Flow> {
    let counter = match (&draft.counter, draft.config.encoding_name()) {
        (Some(counter), _) => counter.clone(),
        (None, Some(encoding)) => return Ok(Flow::Ask(Need::Encoding(encoding))),
        (None, None) => Counter::Estimate,
    };
    let meter = Meter::new(draft, counter);
    let budget = &draft.config.budget;
    let limit = Cost {
        tokens: budget.prompt_limit().unwrap_or(u64::MAX),
        chars: budget.max_chars.unwrap_or(u64::MAX),
    };

    let required = required_pieces(draft);
    let pieces: Vec<Piece> = required.iter().map(|(piece, _)| *piece).collect();
    let mut spent = meter.total(draft, &pieces);
    if !spent.fits(limit) {
        spent = fit_required(draft, &meter, &pieces, spent, limit)?;
    }
    for (piece, reason) in required {
        draft.set_cost(piece, meter.cost(draft, piece));
        if let Piece::Message(row) = piece {
            let is_cut = draft.shortened_text(piece).is_some();
            draft.keep(row, if is_cut { Fate::Shortened } else { Fate::Kept }, reason);
        }
    }

    let mut is_full = false;
    for row in draft.open_rows().into_iter().rev() {
        if draft.is_decided(row) {
            continue; // required, or decided with a newer message of its group
        }
        let members = draft.groups.members(row).to_vec();
        let room = limit.minus(spent);
        let costs = if is_full { None } else { meter.group_cost(draft, &members, room) };
        is_full = costs.is_none();
        for (position, member) in members.into_iter().enumerate() {
            if let Some(costs) = &costs {
                spent = spent.plus(costs[position]);
                draft.set_cost(Piece::Message(member), costs[position]);
                draft.keep(member, Fate::Kept, Reason::History);
            } else {
                draft.leave_out(member, Reason::OverBudget);
            }
        }
    }
    Ok(Flow::Next)
}

/// What must be kept: instructions, what is pinned, the request, and all that goes together with them.
///
/// Where no request is given, the newest user message and the newest message stand for it.
fn required_pieces(draft: &Draft) -> Vec<(Piece, Reason)> {
    let rows = draft.open_rows();
    let is_user = |row: &&usize| draft.transcript.role(**row) == Role::User;
    let stand_ins = match &draft.request {
        Some(_) => [None, None],
        None => [rows.last().copied(), rows.iter().rev().find(is_user).copied()],
    };
    let reason = |row: usize| {
        let goes_with = |stand_in: &usize| draft.groups.of(*stand_in) == draft.groups.of(row);
        if draft.is_instruction(row) {
            Some(Reason::Instruction)
        } else if draft.is_pinned(row) {
            Some(Reason::Pinned)
        } else if stand_ins.iter().flatten().any(goes_with) {
            Some(Reason::Request)
        } else {
            None
        }
    };
    let messages = rows.iter().filter_map(|row| Some((Piece::Message(*row), reason(*row)?)));
    let request = draft.request.as_ref().map(|_| (Piece::Request, Reason::Request));
    messages.chain(request).collect()
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
