//! Stage 7, `budget`: the only place that leaves anything out for its cost.
//!
//! What is required (instructions, what is pinned, the request, required sections) comes first, then the optional
//! sections by what is least of them, then the history: direct messages, the guaranteed recent, what triage chose, the newest
//! few and what recall ranks best, and the rest from the newest backwards. Last, items are shown whole as far as there is room
//! (before the history, where `budget.trimFirst` says so).
//!
//! The run of the newest ends at the first group that does not fit, so what is kept of it has no holes; where nothing is
//! picked or ranked and no section competes, a larger budget keeps all that a smaller one kept. What was picked one by one is passed
//! over where it does not fit.
//!
//! What a message costs is the form's business: see `measure` and `form`. How a text is cut is in `shorten`, what a section
//! holds in `sections`, how much of the history fits in `history`, and of conversations in `tiered`.

mod gap;
mod history;
pub(crate) mod sections;
mod tiered;

use crate::base::cost::Cost;
use crate::base::error::{Error, ErrorCode};
use crate::base::message::Role;
use crate::base::text;
use crate::config::{Format, OnRequiredOverflow, SectionKind, TrimFirst};
use crate::prompt::measure::Meter;
use crate::prompt::shorten;
use crate::stages::budget::history::{
    History, HistoryLimit, Plan, by_rank, keep_in_order, keep_ranked,
};
use crate::stages::budget::sections::{Body, Shown};
use crate::stages::unread;
use crate::state::ask::StageResult;
use crate::state::context::Piece;
use crate::state::draft::{Draft, Rank};
use crate::state::trace::{NoteKind, Reason};

/// Decides what is kept, and puts the prompt's pieces in order.
///
/// # Errors
///
/// `BUDGET_TOO_SMALL` where what is required does not fit, with both figures. Stops to ask for the vocabulary, the zone's
/// offsets, counts or older messages.
pub fn run(draft: &mut Draft) -> StageResult {
    let [first, then] = Plan::of(draft);
    let (mut plan, mut line_end) = (first, 1);
    loop {
        match fill(draft, plan, plan == then, line_end)? {
            Filled::Done => return Ok(()),
            Filled::LeavesOut => plan = then,
            Filled::LineEnd(more) => line_end = more,
        }
    }
}

/// What came of filling.
enum Filled {
    Done,
    /// Something is left out, and another plan is to be tried.
    LeavesOut,
    /// What it ends with costs so much more without its line end, which is more than was set aside.
    LineEnd(u64),
}

/// Fills the budget, with so many tokens set aside for the last line, which will have no line end.
fn fill(draft: &mut Draft, plan: Plan, is_last: bool, line_end: u64) -> StageResult<Filled> {
    // It may run again, also after an answer: what it made before is gone.
    draft.made.clear();
    draft.quotes.clear();
    draft.shortened.clear();
    draft.trimmed = false;
    draft.forget_ranks();
    shorten_replies(draft);

    let mut meter = Meter::new(draft)?;
    meter.last = known_last(draft);
    meter.line_end = line_end;
    let budget = &draft.config.budget;
    let limit = Cost {
        tokens: budget.prompt_limit().unwrap_or(u64::MAX),
        chars: budget.max_chars.unwrap_or(u64::MAX),
    };
    let trim_first = budget.trim_first;

    let mut sections = sections(draft, &meter)?;
    let mut history = History::begin(draft, plan);
    let spent = keep_required(draft, &meter, &sections, &mut history, limit)?;
    let mut left = limit.minus(spent);
    let enlarges_first = trim_first == TrimFirst::History;
    let gave_way = keep_optional_sections(draft, &meter, &mut sections, &mut left, enlarges_first)?;
    // Where history goes first, it is all gone before a section shows less. So room that a summary frees is none for it:
    // otherwise a smaller budget would keep more.
    let mut room = if enlarges_first && gave_way { Cost::default() } else { left };
    history.reserve(draft, &meter, &mut room)?;
    // What answers the request comes before all else of the history: a tool loop keeps its newest steps.
    let (turn, rest): (Vec<usize>, Vec<usize>) = by_rank(draft, [Rank::History])
        .concat()
        .into_iter()
        .partition(|row| draft.is_in_turn(*row));
    if draft.conversations.is_some() {
        keep_in_order(draft, &meter, &mut history, &mut room, &turn)?;
        tiered::keep_conversations(draft, &meter, &mut history, &mut room)?;
    } else {
        let [direct, recent, chosen] = by_rank(draft, [Rank::Direct, Rank::Recent, Rank::Chosen]);
        let first = [direct, turn, recent, chosen].concat();
        if let Some(ranking) = draft.ranking.take() {
            let kept = keep_in_order(draft, &meter, &mut history, &mut room, &first)
                .and_then(|()| keep_ranked(draft, &meter, &mut history, &mut room, &ranking));
            draft.ranking = Some(ranking);
            kept?;
            let rest: Vec<usize> =
                rest.into_iter().filter(|row| draft.rank(*row) == Rank::History).collect();
            keep_in_order(draft, &meter, &mut history, &mut room, &rest)?;
        } else {
            keep_in_order(draft, &meter, &mut history, &mut room, &[first, rest].concat())?;
        }
        unread::ask_for_more(draft, &history.left_out)?;
    }
    if !enlarges_first {
        enlarge_items(draft, &meter, &mut sections, &mut room)?;
    }
    if enlarges_first && gave_way {
        room = left;
    }
    if !is_last && !history.left_out.is_empty() {
        return Ok(Filled::LeavesOut);
    }
    lay_out(draft, &meter, &sections, &history, room)?;
    let of_text = draft.layout.last().map(|(piece, _)| *piece);
    let of_text = of_text.filter(|_| meter.slack() != Cost::default());
    for piece in [of_text, draft.quotes.last().copied()].into_iter().flatten() {
        let more = meter.line_end_cost(draft, piece)?;
        if more > line_end {
            return Ok(Filled::LineEnd(more));
        }
    }
    mark(draft, &sections, history);
    Ok(Filled::Done)
}

/// A section beside history and request, in the forms in which it is shown.
#[derive(Debug)]
struct Shelf {
    body: Body,
    shown: Vec<Shown>,
    pieces: Vec<Piece>,
    is_required: bool,
}

/// Cuts replies that are longer than the config allows; that is no matter of the budget.
fn shorten_replies(draft: &mut Draft) {
    let Some(limit) = draft.config.render.max_reply_chars else {
        return;
    };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    for row in draft.open_rows() {
        let text = draft.text_of(Piece::Message(row));
        let is_long = text.chars().nth(limit).is_some();
        if is_long && draft.transcript.role(row) == Role::Assistant {
            let cut = format!("{}...[truncated]", text::head(&text, limit));
            draft.shortened.insert(Piece::Message(row), cut);
        }
    }
}

/// The piece that the prompt ends with, where no decision can change it.
fn known_last(draft: &Draft) -> Option<Piece> {
    let last = draft.config.sections().last()?;
    match last.kind {
        SectionKind::Request if draft.has_request() => {
            Some(draft.last_answer().map_or(Piece::Request, Piece::Message))
        }
        SectionKind::Request if draft.config.sections().len() == 2 => {
            // The newest message stands for the request; only a plain text ends with it.
            let newest = draft.newest_open_row()?;
            let is_plain =
                draft.config.render.format == Format::Text && draft.conversations.is_none();
            // A gap notice stands behind instructions.
            let notices = draft.config.render.gap_notice.is_some();
            let reason = draft.requirement(newest);
            let is_last = reason.is_some_and(|it| !notices || it != Reason::Instruction);
            (is_plain && is_last).then_some(Piece::Message(newest))
        }
        _ => None,
    }
}

/// The sections as far as their own limits let them be shown.
fn sections(draft: &mut Draft, meter: &Meter) -> StageResult<Vec<Shelf>> {
    let mut shelves = Vec::new();
    for position in 0..draft.config.sections().len() {
        let Some(body) = Body::of(draft, position) else {
            continue;
        };
        let mut shown = body.full();
        let mut fits = |shown: &[Shown]| fits_own_limit(draft, meter, &body, shown);
        if !fits(&shown)? {
            shown = body.least(Some(meter), &mut fits)?;
            body.enlarge(&mut shown, &mut fits)?;
        }
        let is_required = draft.config.sections()[position].is_required();
        let pieces = body.pieces(draft, &shown);
        shelves.push(Shelf { body, shown, pieces, is_required });
    }
    Ok(shelves)
}

fn fits_own_limit(draft: &Draft, meter: &Meter, body: &Body, shown: &[Shown]) -> StageResult<bool> {
    let section = &draft.config.sections()[body.section];
    let text = body.text(shown).unwrap_or_default();
    let chars = match section.kind {
        SectionKind::Text => None, // cut to it already
        _ => section.limit.chars,
    };
    if chars.is_some_and(|limit| text.chars().count() as u64 > limit) {
        return Ok(false);
    }
    match section.limit.tokens {
        Some(limit) => Ok(meter.count(&text)? <= limit),
        None => Ok(true),
    }
}

/// Keeps what is required, shortened if it must be and may be. Gives what it costs with the form itself.
fn keep_required(
    draft: &mut Draft,
    meter: &Meter,
    sections: &[Shelf],
    history: &mut History,
    limit: Cost,
) -> StageResult<Cost> {
    let open = draft.open_rows();
    let required = open.iter().copied().filter(|row| draft.requirement(*row).is_some());
    let (turn, mut rows): (Vec<usize>, Vec<usize>) =
        required.partition(|row| draft.is_in_turn(*row));
    let mut pieces: Vec<Piece> = rows.iter().copied().map(Piece::Message).collect();
    let required = sections.iter().filter(|shelf| shelf.is_required);
    pieces.extend(required.flat_map(|shelf| shelf.pieces.iter().copied()));
    let answers = turn.iter().map(|row| draft.piece(*row)).filter(|it| *it != Piece::Request);
    pieces.extend(draft.has_request().then_some(Piece::Request).into_iter().chain(answers));
    let has_conversations =
        draft.conversations.as_ref().is_some_and(|conversations| !conversations.list.is_empty());
    history.is_empty = open.iter().all(|row| draft.is_in_turn(*row)) && !has_conversations;
    if history.is_empty {
        unread::ask_for_more(draft, &[])?; // all of it may be among what was not read
    }
    let frame: Vec<Piece> = if history.is_empty {
        history.empty.into_iter().collect()
    } else {
        let around = history.shapes.iter().flat_map(tiered::Shape::required_frame);
        history.frame().into_iter().chain(around).collect()
    };
    let mut asked = pieces.clone();
    asked.extend_from_slice(&frame);
    meter.ask_for(draft, &asked)?;
    let fixed = meter.fixed(draft)?.plus(meter.total(draft, &frame)?).plus(meter.slack());
    let within = meter.cost_within(draft, &pieces, limit.minus(fixed))?;
    let spent = match within.map(|cost| fixed.plus(cost)).filter(|spent| spent.fits(limit)) {
        Some(spent) => spent,
        None => fit_required(draft, meter, &pieces, fixed, limit)?,
    };
    let own = meter.total(draft, &pieces[..rows.len()])?;
    history.room = history.room.minus(HistoryLimit::of(draft).own_cost(draft, &rows, own));
    history.is_over_budget = !spent.fits(limit);
    history.items = history.items.saturating_sub(rows.len() as u64);
    rows.extend(turn);
    history.kept = rows;
    Ok(spent)
}

/// Makes room for what is required, if the config allows it to be shortened, or lets it exceed the budget.
fn fit_required(
    draft: &mut Draft,
    meter: &Meter,
    pieces: &[Piece],
    fixed: Cost,
    limit: Cost,
) -> StageResult<Cost> {
    let overflow = draft.config.budget.on_required_overflow;
    let needed = match overflow {
        OnRequiredOverflow::Error => fixed.plus(meter.total(draft, pieces)?),
        // `render` says so, when it is counted to the end
        OnRequiredOverflow::Exceed => return Ok(fixed.plus(meter.total(draft, pieces)?)),
        OnRequiredOverflow::Shorten => {
            match shorten::fit(draft, meter, pieces, limit.minus(fixed))? {
                Ok(cost) if fixed.fits(limit) => {
                    draft.trimmed = true;
                    return Ok(fixed.plus(cost));
                }
                Ok(least) | Err(least) => fixed.plus(least),
            }
        }
    };
    let (needed, available, unit, option) = if needed.tokens <= limit.tokens {
        (needed.chars, limit.chars, "characters", "maxChars")
    } else if draft.config.budget.context_limit.is_some() {
        (needed.tokens, limit.tokens, "tokens", "contextLimit")
    } else {
        (needed.tokens, limit.tokens, "tokens", "maxTokens")
    };
    let (state, remedy) = if overflow == OnRequiredOverflow::Shorten {
        (", with nothing left of their texts,", "or pin less")
    } else {
        ("", "pin less, shorten the request, or set budget.onRequiredOverflow to \"shorten\"")
    };
    let mut error = Error::new(
        ErrorCode::BudgetTooSmall,
        format!(
            "instructions, required sections, pinned messages and request need{state} {needed} {unit}, and the budget has \
             {available}"
        ),
        format!("Raise budget.{option}, {remedy}."),
    )
    .at(format!("budget.{option}"));
    error.needed = Some(needed);
    error.available = Some(available);
    Err(error.into())
}

/// Keeps of the optional sections what fits, in their order. Says whether any shows less than its own limit lets it.
fn keep_optional_sections(
    draft: &mut Draft,
    meter: &Meter,
    sections: &mut [Shelf],
    room: &mut Cost,
    enlarges: bool,
) -> StageResult<bool> {
    let mut gave_way = false;
    for shelf in sections.iter_mut().filter(|shelf| !shelf.is_required) {
        let body = &shelf.body;
        let limit = *room;
        let mut fits = |shown: &[Shown]| fits_both(draft, meter, body, shown, limit);
        let mut shown = shelf.shown.clone();
        if !(enlarges && fits(&shown)?) {
            shown = body.least(None, &mut fits)?;
            if enlarges {
                body.enlarge(&mut shown, &mut fits)?;
            }
        }
        let is_there = fits(&shown)?;
        gave_way |= !is_there || shown != shelf.shown;
        shelf.pieces = if is_there { body.pieces(draft, &shown) } else { Vec::new() };
        shelf.shown = shown;
        *room = room.minus(meter.total(draft, &shelf.pieces)?);
    }
    Ok(gave_way)
}

/// Shows items whole, as far as there is room left.
fn enlarge_items(
    draft: &mut Draft,
    meter: &Meter,
    sections: &mut [Shelf],
    room: &mut Cost,
) -> StageResult {
    for shelf in sections.iter_mut().filter(|shelf| !shelf.is_required && !shelf.pieces.is_empty())
    {
        let body = &shelf.body;
        let limit = room.plus(meter.total(draft, &shelf.pieces)?);
        let mut fits = |shown: &[Shown]| fits_both(draft, meter, body, shown, limit);
        let mut shown = shelf.shown.clone();
        body.enlarge(&mut shown, &mut fits)?;
        shelf.pieces = body.pieces(draft, &shown);
        shelf.shown = shown;
        *room = limit.minus(meter.total(draft, &shelf.pieces)?);
    }
    Ok(())
}

/// Whether a section fits its own limit, and what is left of the budget.
fn fits_both(
    draft: &mut Draft,
    meter: &Meter,
    body: &Body,
    shown: &[Shown],
    limit: Cost,
) -> StageResult<bool> {
    Ok(fits_own_limit(draft, meter, body, shown)?
        && cost_of(draft, meter, body, shown)?.fits(limit))
}

/// What a section costs in these forms. What is made for it is gone again.
fn cost_of(draft: &mut Draft, meter: &Meter, body: &Body, shown: &[Shown]) -> StageResult<Cost> {
    let mark = draft.made.len();
    let pieces = body.pieces(draft, shown);
    let cost = meter.ask_for(draft, &pieces).and_then(|()| meter.total(draft, &pieces));
    draft.made.truncate(mark);
    cost
}

/// Puts the pieces in the order of the sections.
fn lay_out(
    draft: &mut Draft,
    meter: &Meter,
    sections: &[Shelf],
    history: &History,
    room: Cost,
) -> StageResult {
    let mut layout = Vec::new();
    let mut shelves = sections.iter();
    for position in 0..draft.config.sections().len() {
        let pieces = match draft.config.sections()[position].kind {
            SectionKind::Request => history.turn(draft),
            SectionKind::History => history::pieces(draft, meter, history, room)?,
            _ => shelves.next().map(|shelf| shelf.pieces.clone()).unwrap_or_default(),
        };
        layout.extend(pieces.into_iter().map(|piece| (piece, position)));
    }
    draft.layout = layout;
    Ok(())
}

/// Marks what was decided, and notes whether anything was trimmed.
fn mark(draft: &mut Draft, sections: &[Shelf], history: History) {
    if history.left_out.is_empty() && history.quoted.is_empty() {
        draft.forget_ranks(); // there was room for all in its place
    }
    for row in history.kept {
        draft.keep(row);
    }
    for (row, reason) in history.left_out {
        let is_ranked = draft.ranking.is_some() && reason == Reason::OverBudget;
        draft.leave_out(row, if is_ranked { Reason::RankedLower } else { reason });
        draft.trimmed = true;
    }
    let is_whole = |shelf: &Shelf| shelf.shown.iter().all(|shown| *shown == Shown::Full);
    draft.trimmed |= !sections.iter().all(is_whole);
    let recent = draft.config.window.max_recent_messages;
    let is_beyond =
        draft.is_capped && draft.has_decision(|it| it.reason == Reason::BeyondRecentMessages);
    let words = match recent {
        Some(count) if is_beyond => format!(
            "messages that are older than the newest {count} were left out (window.maxRecentMessages){}",
            if draft.trimmed {
                ", and the budget, or the limit of a section, left out or shortened something"
            } else {
                ""
            }
        ),
        _ => "the budget, or the limit of a section, left out or shortened something".to_owned(),
    };
    draft.trimmed |= is_beyond;
    if draft.trimmed {
        draft.note(NoteKind::ContextTrim, words);
    }
    draft.context.sections = sections
        .iter()
        .map(|shelf| shelf.body.report(draft, &shelf.shown, &shelf.pieces))
        .collect();
}
