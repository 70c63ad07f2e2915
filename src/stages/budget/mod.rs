//! Stage 7, `budget`: the only place that leaves anything out for its cost.
//!
//! What is required (instructions, what is pinned, the request, required sections) comes first, then the optional
//! sections by the least form of them, then the history: direct messages, the guaranteed recent, what triage chose, the newest
//! few and what recall ranks best, and the rest from the newest backwards. With `budget.cut` the history is kept behind the cut, and what
//! recall ranks best is quoted. Last, items are shown whole as far as there is room
//! (before the history, where `budget.trimFirst` says so).
//!
//! The run of the newest ends at the first group that does not fit, so that it has no holes. Where nothing is picked or ranked
//! and no section competes, a larger budget keeps all that a smaller one kept. What was picked one by one is passed over where
//! it does not fit.
//!
//! `filling` is the budget while it is filled. `required`, `section_fills`, `keep`, `ranked` and `cut` fill it, `tiered` does so for
//! conversations; `frame` and `omission` are the lines around the history. A message's cost is the form's business: see `measure` and `form`.

pub(crate) mod cut;
pub(crate) mod filling;
pub(crate) mod frame;
mod omission;
mod keep;
mod ranked;
mod required;
pub(crate) mod sections;
mod section_fills;
pub(crate) mod tiered;

use crate::base::cost::Cost;
use crate::base::message::Role;
use crate::base::text;
use crate::config::{Format, SectionKind, TrimFirst};
use crate::stages::selection::{Given, needed};
use crate::stages::unread;
use crate::state::ask::StageResult;
use crate::state::context::Piece;
use crate::state::fill::Fill;
use crate::state::input::Input;
use crate::state::marks::{Marks, Rank};
use crate::state::trace::{Fate, NoteKind, Reason};
use filling::{Filling, Plan, by_rank};
use frame::Frame;
use section_fills::SectionFill;

/// Decides which messages and items are kept, and puts the prompt's pieces in order.
///
/// # Errors
///
/// `BUDGET_TOO_SMALL` where what is required does not fit, with both figures. Stops to ask for the vocabulary, the zone's
/// offsets, counts or older messages.
pub(crate) fn ask(input: &Input, marks: &Marks, selection: Given) -> StageResult<Fill> {
    let [first, then] = Plan::of(input, marks);
    let (mut plan, mut line_end) = (first, 1);
    loop {
        match fill((input, marks, selection), plan, plan == then, line_end)? {
            Filled::Done(fill) => return Ok(*fill),
            Filled::LeavesOut => plan = then,
            Filled::LineEnd(more) => line_end = more,
        }
    }
}

/// What came of filling.
enum Filled {
    Done(Box<Fill>),
    /// Something is left out, and another plan is to be tried.
    LeavesOut,
    /// The last piece costs so much more without its line end, which is more than was set aside.
    LineEnd(u64),
}

/// Fills the budget, with so many tokens set aside for the last line, which will have no line end.
fn fill(
    (input, marks, selection): (&Input, &Marks, Given),
    plan: Plan,
    is_last: bool,
    line_end: u64,
) -> StageResult<Filled> {
    let mut filling = Filling::begin(input, marks, plan)?;
    shorten_replies(&mut filling);
    filling.meter.last = known_last(input, marks);
    filling.meter.line_end = line_end;

    let mut shelves = filling.shelves()?;
    let shapes = match &marks.conversations {
        Some(_) => (needed(selection)?.shapes)(&mut filling),
        None => Vec::new(),
    };
    let mut frame = Frame::begin(&mut filling);
    filling.keep_required(&shelves, &shapes, &mut frame)?;
    let enlarges_first = input.config.budget.trim_first == TrimFirst::History;
    let gave_way = filling.keep_optional(&mut shelves, enlarges_first)?;
    // Where history goes first, it is all gone before a section shows less. So room that a summary frees is none for it:
    // otherwise a smaller budget would keep more.
    let left = filling.remaining;
    if enlarges_first && gave_way {
        filling.remaining = Cost::default();
    }
    filling.reserve_notice(&mut frame)?;
    let by_conversation = if marks.conversations.is_some() {
        filling.keep_in_order(&frame, &history_of(marks).turn)?;
        Some((needed(selection)?.keep_conversations)(&mut filling, &frame, shapes)?)
    } else {
        keep_history(&mut filling, &frame, selection)?;
        None
    };
    if !enlarges_first {
        filling.enlarge_items(&mut shelves)?;
    }
    if enlarges_first && gave_way {
        filling.remaining = left;
    }
    let leaves_out = !filling.fill.left_out.is_empty() || marks.passed().next().is_some();
    if !is_last && leaves_out {
        return Ok(Filled::LeavesOut);
    }
    lay_out(&mut filling, &shelves, &frame, by_conversation)?;
    let of_text = filling.fill.layout.last().map(|(piece, _)| *piece);
    let of_text = of_text.filter(|_| filling.meter.slack() != Cost::default());
    for piece in [of_text, filling.fill.quotes.last().copied()].into_iter().flatten() {
        let more = filling.meter.line_end_cost(filling.view(), piece)?;
        if more > line_end {
            return Ok(Filled::LineEnd(more));
        }
    }
    let is_whole = |shelf: &SectionFill| shelf.is_whole();
    let has_excerpts = filling.fill.excerpts.iter().next().is_some();
    filling.fill.is_trimmed |= has_excerpts || !filling.fill.left_out.is_empty();
    filling.fill.is_trimmed |= !shelves.iter().all(is_whole);
    let reports = shelves.iter().map(|shelf| shelf.report(filling.view())).collect();
    filling.fill.sections = reports;
    Ok(Filled::Done(Box::new(filling.fill)))
}

/// The rows that nothing but their place speaks for, the newest first.
struct OrdinaryRows {
    /// What answers the request.
    turn: Vec<usize>,
    rest: Vec<usize>,
}

fn history_of(marks: &Marks) -> OrdinaryRows {
    let [rows] = by_rank(marks, [Rank::History]);
    let (turn, rest) = rows.into_iter().partition(|row| marks.is_in_turn(*row));
    OrdinaryRows { turn, rest }
}

/// Keeps of the history what fits. What answers the request comes before all else of it: a tool loop keeps its newest steps.
fn keep_history(filling: &mut Filling<'_>, frame: &Frame, selection: Given) -> StageResult {
    let marks = filling.marks;
    let OrdinaryRows { turn, mut rest } = history_of(marks);
    let [direct, recent, chosen] = by_rank(marks, [Rank::Direct, Rank::Recent, Rank::Chosen]);
    let first = [direct, turn, recent, chosen].concat();
    if let Some(cut) = filling.input.config.budget.cut {
        let keep_behind_cut = needed(selection)?.keep_behind_cut;
        if !keep_behind_cut(filling, frame, cut, &first, &rest)? {
            filling.keep_in_order(frame, &[first, rest].concat())?;
        }
        return Ok(());
    }
    if let Some(ranking) = &marks.ranking {
        filling.keep_in_order(frame, &first)?;
        let room = filling.room_of_history();
        (needed(selection)?.keep_ranked)(filling, frame, ranking, room)?;
        let mut is_recalled = vec![false; filling.input.transcript.len()];
        for (row, _) in &filling.fill.recalled {
            is_recalled[marks.groups.of(*row)] = true;
        }
        rest.retain(|row| !is_recalled[marks.groups.of(*row)]);
        filling.keep_in_order(frame, &rest)?;
    } else {
        filling.keep_in_order(frame, &[first, rest].concat())?;
    }
    unread::ask_for_more(filling.input, marks, &filling.fill.left_out)?;
    Ok(())
}

/// Cuts replies that are longer than the config allows; that is no matter of the budget.
fn shorten_replies(filling: &mut Filling<'_>) {
    let Some(limit) = filling.input.config.render.max_reply_chars else {
        return;
    };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    for row in filling.marks.open_rows() {
        let text = filling.view().text_of(Piece::Message(row));
        let is_long = text.chars().nth(limit).is_some();
        if is_long && filling.input.transcript.role(row) == Role::Assistant {
            let cut = format!("{}...[truncated]", text::head(&text, limit));
            filling.fill.shortened.insert(Piece::Message(row), cut);
        }
    }
}

/// The piece that the prompt ends with, where no decision can change it.
fn known_last(input: &Input, marks: &Marks) -> Option<Piece> {
    let sections = input.config.sections();
    match sections.last()?.kind {
        SectionKind::Request if marks.has_request(input) => {
            Some(marks.last_answer().map_or(Piece::Request, Piece::Message))
        }
        SectionKind::Request if sections.len() == 2 => {
            // The newest message is in the place of the request; only a plain text ends with it.
            let newest = marks.newest_open_row()?;
            let is_plain =
                input.config.render.format == Format::Text && marks.conversations.is_none();
            // A gap notice is behind instructions.
            let has_notice = input.config.render.gap_notice.is_some();
            let reason = marks.requirement(newest);
            let is_last = reason.is_some_and(|it| !has_notice || it != Reason::Instruction);
            (is_plain && is_last).then_some(Piece::Message(newest))
        }
        _ => None,
    }
}

/// Puts the pieces in the order of the sections.
fn lay_out(
    filling: &mut Filling<'_>,
    shelves: &[SectionFill],
    frame: &Frame,
    mut by_conversation: Option<Vec<Piece>>,
) -> StageResult {
    let mut layout = Vec::new();
    let mut shelves = shelves.iter();
    for (position, section) in filling.input.config.sections().iter().enumerate() {
        let pieces = match section.kind {
            SectionKind::Request => filling.turn(),
            SectionKind::History => filling.history_pieces(frame, by_conversation.take())?,
            _ => shelves.next().map(|shelf| shelf.pieces.clone()).unwrap_or_default(),
        };
        layout.extend(pieces.into_iter().map(|piece| (piece, position)));
    }
    filling.open(frame, &mut layout);
    filling.fill.layout = layout;
    Ok(())
}

/// Marks what was decided, and notes whether anything was trimmed.
pub fn mark(input: &Input, marks: &mut Marks, fill: &mut Fill) {
    // Where all is there in its place, nothing was kept for its rank.
    if !(fill.left_out.is_empty() && fill.quoted.is_empty()) {
        for (row, reason) in &fill.recalled {
            marks.claim(*row, Rank::Recalled, *reason);
        }
    }
    for row in &fill.kept {
        let is_cut = fill.shortened.get(&marks.piece(*row)).is_some();
        marks.keep(
            *row,
            match is_cut {
                _ if fill.excerpts.get(row).is_some() => Fate::Excerpt,
                true => Fate::Shortened,
                false => Fate::Kept,
            },
        );
    }
    for (row, reason) in &fill.left_out {
        let is_ranked = marks.ranking.is_some() && *reason == Reason::OverBudget;
        marks.leave_out(*row, if is_ranked { Reason::RankedLower } else { *reason });
    }
    let passed: Vec<usize> = marks.passed().collect();
    for row in passed {
        if marks.decision(row).is_none() {
            marks.leave_out(row, Reason::NotChosen);
        }
    }
    let recent = input.config.window.max_recent_messages;
    let is_beyond =
        marks.is_capped && marks.has_decision(|it| it.reason == Reason::BeyondRecentMessages);
    let words = match recent {
        Some(count) if is_beyond => format!(
            "all but the newest {} were left out (window.maxRecentMessages){}",
            text::counted(count, "message"),
            if fill.is_trimmed {
                ", and the budget, or the limit of a section, left out or shortened something"
            } else {
                ""
            }
        ),
        _ => "the budget, or the limit of a section, left out or shortened something".to_owned(),
    };
    fill.is_trimmed |= is_beyond;
    if fill.is_trimmed {
        marks.note(NoteKind::ContextTrim, words);
    }
}
