//! Stage 7, `budget`: the only place that leaves anything out for its cost.
//!
//! Required pieces come first (instructions, pinned messages, the request, required sections), then optional sections
//! in their smallest form. Then comes the history: direct messages, triage's guaranteed newest messages, those that
//! triage chose, the newest few, those that recall ranks best, and the rest, newest first. With `budget.cut`, the
//! history after the cut is kept, and the messages that recall ranks best are quoted. Finally, items are shown whole
//! while there is room (or before the history, depending on `budget.trimFirst`).
//!
//! A group that doesn't fit is skipped, and an older one that fits is kept: nothing small is dropped while there is
//! room. Only a history filled newest first is a run without gaps, which ends at the first group that doesn't fit. A
//! larger budget keeps all of a smaller one's run. Tool results shrink before anything is dropped. They and the
//! excerpts of ranked messages then grow into the remaining room.
//!
//! `Packer` has the pieces kept so far and the remaining room. `required`, `section_contents`, `keep`, `ranked` and
//! `cut` keep more, and `tiered` does so for conversations. `results` shrinks tool results, and `repeats` those
//! of repeated calls. `compact` replaces the messages that the cut leaves out with a summary and `facts`.
//! `frame` and `omission` are the lines around the history. `measure` and `form` compute the cost of a message.

mod compact;
pub(crate) mod cut;
pub(crate) mod packer;
pub(crate) mod frame;
mod facts;
mod omission;
mod keep;
mod media_limits;
mod ranked;
mod required;
mod results;
mod repeats;
mod sizes;
pub(crate) mod sections;
mod section_contents;
pub(crate) mod tiered;
mod totals;

use crate::base::cost::Cost;
use crate::base::message::Role;
use crate::base::text;
use crate::config::{Format, SectionKind, TrimFirst};
use crate::stages::selection::{GivenSelection, needed};
use crate::stages::unread;
use crate::state::ask::{HookName, StageResult};
use crate::state::context::Piece;
use crate::state::fill::Fill;
use crate::state::input::Input;
use crate::state::marks::{Marks, Rank};
use crate::state::trace::{Fate, NoteKind, Reason};
use crate::state::view::View;
use frame::Frame;
use media_limits::HiddenMedia;
use packer::{Packer, Plan, by_rank};
use section_contents::SectionContent;

/// Decides which messages and items are kept, and puts the prompt's pieces in order.
///
/// # Errors
///
/// `BUDGET_TOO_SMALL` if the required pieces don't fit, with both figures. Stops to ask for the vocabulary, the zone's
/// offsets, counts or older messages.
pub(crate) fn ask(input: &Input, marks: &Marks, selection: GivenSelection) -> StageResult<Fill> {
    let mut hidden = HiddenMedia::default();
    loop {
        let fill = pack((input, marks, selection), &hidden)?;
        match media_limits::hidden_more(View { input, marks, fill: &fill })? {
            Some(more) => hidden = more,
            None => return Ok(fill),
        }
    }
}

/// Packs the prompt, with lines in place of some images and files.
fn pack(given: (&Input, &Marks, GivenSelection), hidden: &HiddenMedia) -> StageResult<Fill> {
    let [first, then] = Plan::of(given.0, given.1);
    let (mut plan, mut line_end) = (first, 1);
    loop {
        match attempt(given, hidden, plan, (plan == then, line_end))? {
            Attempt::Done(fill) => return Ok(*fill),
            Attempt::LeavesOut => plan = then,
            Attempt::LineEnd(more) => line_end = more,
        }
    }
}

/// Result of an attempt to pack the prompt.
enum Attempt {
    Done(Box<Fill>),
    /// Something is left out, so another plan should be tried.
    LeavesOut,
    /// Without its line end, the last piece costs this much more, which is more than was reserved.
    LineEnd(u64),
}

/// Packs the prompt by a plan, and says whether that is the last one. `line_end` tokens are reserved for the last line,
/// which has no line end.
fn attempt(
    (input, marks, selection): (&Input, &Marks, GivenSelection),
    hidden: &HiddenMedia,
    plan: Plan,
    (is_last, line_end): (bool, u64),
) -> StageResult<Attempt> {
    let mut packer = Packer::begin(input, marks, plan, hidden)?;
    shorten_replies(&mut packer);
    packer.meter.last = known_last(input, marks);
    packer.meter.line_end = line_end;

    let mut contents = packer.section_contents()?;
    let shapes = match &marks.conversations {
        Some(_) => (needed(selection)?.shapes)(&mut packer),
        None => Vec::new(),
    };
    let mut frame = Frame::begin(&mut packer);
    packer.keep_required(selection, &contents, &shapes, &mut frame)?;
    let enlarges_first = input.config.budget.trim_first == TrimFirst::History;
    let gave_way = packer.keep_optional(&mut contents, enlarges_first)?;
    // If history is dropped first, all of it is gone before a section shows less. The room that a summary frees isn't
    // for the history: otherwise a smaller budget would keep more.
    let left = packer.remaining;
    if enlarges_first && gave_way {
        packer.remaining = Cost::default();
    }
    packer.reserve_notice(&mut frame)?;
    if plan.shrinks {
        let selection = needed(selection)?;
        packer.shrink = Some(selection.shrink);
        (selection.begin_results)(&mut packer)?;
    }
    let by_conversation = if marks.conversations.is_some() {
        packer.keep_in_order(&frame, &history_of(marks).turn)?;
        Some((needed(selection)?.keep_conversations)(&mut packer, &frame, shapes)?)
    } else {
        keep_history(&mut packer, &frame, selection)?;
        None
    };
    let ranking = marks.ranking.as_ref();
    let ranking =
        ranking.filter(|_| by_conversation.is_none() && input.config.budget.cut.is_none());
    if ranking.is_some() || packer.may_grow() {
        (needed(selection)?.fill_up)(&mut packer, &frame, ranking)?;
    }
    if !enlarges_first {
        packer.enlarge_items(&mut contents)?;
    }
    if enlarges_first && gave_way {
        packer.remaining = left;
    }
    let leaves_out = !packer.fill.left_out.is_empty() || marks.passed().next().is_some();
    if !is_last && leaves_out {
        return Ok(Attempt::LeavesOut);
    }
    lay_out(&mut packer, &contents, &frame, by_conversation)?;
    let of_text = packer.fill.layout.last().map(|(piece, _)| *piece);
    let of_text = of_text.filter(|_| packer.meter.slack() != Cost::default());
    for piece in [of_text, packer.fill.quotes.last().copied()].into_iter().flatten() {
        let more = packer.meter.line_end_cost(packer.view(), piece)?;
        if more > line_end {
            return Ok(Attempt::LineEnd(more));
        }
    }
    packer.fill.stubs = packer.results.stubs();
    let is_whole = |content: &SectionContent| content.is_whole();
    let has_excerpts = packer.fill.excerpts.iter().next().is_some();
    packer.fill.is_trimmed |= packer.fill.media_lines.iter().next().is_some();
    packer.fill.is_trimmed |= media_limits::hidden_count(packer.view()) > 0;
    packer.fill.is_trimmed |= has_excerpts || !packer.fill.left_out.is_empty();
    packer.fill.is_trimmed |= !contents.iter().all(is_whole);
    let reports = contents.iter().map(|content| content.report(packer.view())).collect();
    packer.fill.sections = reports;
    Ok(Attempt::Done(Box::new(packer.fill)))
}

/// The rows that are candidates only for their place in the history, newest first.
struct OrdinaryRows {
    /// Answers to the request.
    turn: Vec<usize>,
    rest: Vec<usize>,
}

fn history_of(marks: &Marks) -> OrdinaryRows {
    let [rows] = by_rank(marks, [Rank::History]);
    let (turn, rest) = rows.into_iter().partition(|row| marks.is_in_turn(*row));
    OrdinaryRows { turn, rest }
}

/// Keeps the part of the history that fits. Answers to the request come before everything else: a tool loop keeps its
/// newest steps.
fn keep_history(packer: &mut Packer<'_>, frame: &Frame, selection: GivenSelection) -> StageResult {
    let marks = packer.marks;
    let OrdinaryRows { turn, mut rest } = history_of(marks);
    let [direct, recent, chosen] = by_rank(marks, [Rank::Direct, Rank::Recent, Rank::Chosen]);
    let cut = packer.input.config.budget.cut;
    let mut misses = 0;
    let first = if cut.is_none() && packer.shrink.is_some() {
        misses = packer.keep_after(frame, &direct, misses)?;
        misses = keep_turn(packer, frame, &turn, (selection, misses))?;
        [recent, chosen].concat()
    } else {
        [direct, turn, recent, chosen].concat()
    };
    if let Some(cut) = cut {
        let keep_behind_cut = needed(selection)?.keep_behind_cut;
        if !keep_behind_cut(packer, frame, cut, &first, &rest)? {
            packer.keep_in_order(frame, &[first, rest].concat())?;
        }
    } else if let Some(ranking) = &marks.ranking {
        packer.keep_after(frame, &first, misses)?;
        let room = packer.room_of_history();
        (needed(selection)?.keep_ranked)(packer, frame, ranking, room)?;
        let mut is_recalled = vec![false; packer.input.transcript.len()];
        for (row, _) in &packer.fill.recalled {
            is_recalled[marks.groups.of(*row)] = true;
        }
        rest.retain(|row| !is_recalled[marks.groups.of(*row)]);
        packer.keep_in_order(frame, &rest)?;
    } else {
        packer.keep_after(frame, &[first, rest].concat(), misses)?;
    }
    unread::ask_for_more(packer.input, marks, &packer.fill.left_out)?;
    Ok(())
}

/// Maximum share of the room for results that the model asked for again, ahead of the stubs of the oldest steps. With a
/// larger share, more of them are shown at once. With a smaller share, more old steps are kept, but a model that needs
/// several results together reads them in an endless loop.
const ASKED_AGAIN_SHARE: f64 = 0.3;

/// Keeps the steps of the current turn. Results that the model asked for again grow before the stubs of the oldest
/// steps are kept. Returns how many steps don't fit, including the earlier `misses`.
fn keep_turn(
    packer: &mut Packer<'_>,
    frame: &Frame,
    turn: &[usize],
    (selection, misses): (GivenSelection, u64),
) -> StageResult<u64> {
    let selection = needed(selection)?;
    let marks = packer.marks;
    let mut again = (selection.asked_again)(packer);
    again.retain(|row| marks.is_in_turn(*row));
    // The newest results have their own share.
    let are_newest = again.iter().all(|row| packer.results.newest.contains(row));
    if are_newest {
        return packer.keep_after(frame, turn, misses);
    }
    let reserved = packer.remaining.share(ASKED_AGAIN_SHARE);
    packer.remaining = packer.remaining.minus(reserved);
    packer.keep_in_order(frame, turn)?;
    let mut is_left_out = vec![false; packer.input.transcript.len()];
    for (row, _) in packer.fill.left_out.extract_if(.., |(row, _)| marks.is_in_turn(*row)) {
        is_left_out[row] = true;
    }
    let left: Vec<usize> = turn.iter().copied().filter(|row| is_left_out[*row]).collect();
    let rest = std::mem::replace(&mut packer.remaining, reserved);
    if !left.is_empty() {
        (selection.grow_some)(packer, &again)?;
    }
    packer.remaining = packer.remaining.plus(rest);
    packer.keep_after(frame, &left, misses)
}

/// Cuts replies that are longer than the config allows, whatever the budget.
fn shorten_replies(packer: &mut Packer<'_>) {
    let Some(limit) = packer.input.config.render.max_reply_chars else {
        return;
    };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    for row in packer.marks.open_rows() {
        let text = packer.view().text_of(Piece::Message(row));
        let is_long = text.chars().nth(limit).is_some();
        if is_long && packer.input.transcript.role(row) == Role::Assistant {
            let cut = format!("{}...[truncated]", text::head(&text, limit));
            packer.fill.shortened.insert(Piece::Message(row), cut.into());
        }
    }
}

/// The last piece of the prompt, if no decision can change it.
fn known_last(input: &Input, marks: &Marks) -> Option<Piece> {
    let sections = input.config.sections();
    match sections.last()?.kind {
        SectionKind::Request if marks.has_request(input) => {
            Some(marks.last_answer().map_or(Piece::Request, Piece::Message))
        }
        SectionKind::Request if sections.len() == 2 => {
            // The newest message serves as the request. Only a plain text ends with it.
            let newest = marks.newest_open_row()?;
            let is_plain =
                input.config.render.format == Format::Text && marks.conversations.is_none();
            // A gap notice comes after instructions.
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
    packer: &mut Packer<'_>,
    contents: &[SectionContent],
    frame: &Frame,
    mut by_conversation: Option<Vec<Piece>>,
) -> StageResult {
    let mut layout = Vec::new();
    let mut contents = contents.iter();
    for (position, section) in packer.input.config.sections().iter().enumerate() {
        let pieces = match section.kind {
            SectionKind::Request => packer.turn(),
            SectionKind::History => packer.history_pieces(frame, by_conversation.take())?,
            _ => contents.next().map(|content| content.pieces.clone()).unwrap_or_default(),
        };
        layout.extend(pieces.into_iter().map(|piece| (piece, position)));
    }
    packer.open(frame, &mut layout);
    packer.fill.layout = layout;
    Ok(())
}

/// Marks the decisions, and records whether anything was trimmed.
pub fn mark(input: &Input, marks: &mut Marks, fill: &mut Fill) {
    // If everything fits, nothing was kept for its rank.
    if !(fill.left_out.is_empty() && fill.quoted.is_empty()) {
        for (row, reason) in &fill.recalled {
            marks.claim(*row, Rank::Recalled, *reason);
        }
    }
    for row in &fill.kept {
        let piece = marks.piece(*row);
        let is_cut = fill.shortened.get(&piece).is_some()
            || !View { input, marks, fill }.media_lines(piece).is_empty();
        marks.keep(
            *row,
            match is_cut {
                _ if fill.stubs.contains(row) => Fate::Stub,
                _ if fill.excerpts.get(row).is_some() => Fate::Excerpt,
                true => Fate::Shortened,
                false => Fate::Kept,
            },
        );
    }
    for (row, reason) in &fill.left_out {
        // The summary of its conversation doesn't fit.
        let is_summarized = marks.decision(*row).is_some_and(|it| it.reason == Reason::Summarized);
        if is_summarized {
            marks.leave_out_rather(*row, *reason);
        } else {
            marks.leave_out(*row, *reason);
        }
    }
    let view = View { input, marks, fill };
    let hidden = media_limits::hidden_count(view) as u64;
    let withheld = fill.kept.iter().filter(|row| view.withholds(Piece::Message(**row))).count();
    if withheld > 0 {
        let words = format!(
            "the thinking of {} was left out: the model would refuse it, because something before it has changed or isn't known",
            text::counted(withheld as u64, "message")
        );
        marks.note(NoteKind::ThinkingLeftOut, words);
    }
    let failed = input.answer_of(HookName::Compact).and_then(|answer| answer.reason.as_deref());
    let refused = fill.compact.as_ref().and_then(|it| it.refused);
    if let Some(reason) = refused.or(failed) {
        marks.note(NoteKind::SummariesFailed, format!("compact.summarize failed: {reason}"));
    }
    if hidden > 0 {
        marks.note(NoteKind::MediaHidden, media_limits::words(&input.config, hidden));
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
                ", and something was left out or shortened to fit the budget or the limit of a section"
            } else {
                ""
            }
        ),
        _ => "something was left out or shortened to fit the budget or the limit of a section"
            .to_owned(),
    };
    fill.is_trimmed |= is_beyond;
    if fill.is_trimmed {
        marks.note(NoteKind::ContextTrim, words);
    }
}
