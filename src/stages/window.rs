//! Stage 3, `window`: how far back the context reaches, by count, turns and time.
//!
//! No window applies to required messages. Without a request, the newest message and the newest user message take its
//! place, and are required from here on. A message from before the window comes back if the request replies to it, or
//! if it is one of the newest tasks of any source.

use crate::base::message::Field;
use crate::base::time::Milliseconds;
use crate::config::{Format, LimitsCount, WindowUnit};
use crate::log::messages::Messages;
use crate::log::plan::Wanted;
use crate::log::units::{self, begins_exchange, begins_message};
use crate::stages::filter;
use crate::stages::unread;
use crate::state::ask::MarkResult;
use crate::state::input::Input;
use crate::state::marks::{Marks, Rank};
use crate::state::trace::{Reason, StageName};

/// Leaves out the messages before the window, and brings back the few that belong in the context anyway.
///
/// # Errors
///
/// Asks for older messages if those that were read don't determine the window.
pub fn mark(input: &Input, marks: &mut Marks) -> MarkResult {
    unread::leave_out_single_rows(input, marks);
    if let Some(newest) = marks.last_answer() {
        marks.require(newest, Reason::Request);
    }
    if input.shows_request() && !marks.has_request(input) {
        require_stand_ins(input, marks)?;
    }
    let window = input.config.window.clone();
    let turns: Begins = |messages, _, row| begins_exchange(messages, row);
    let begins = match window.unit {
        WindowUnit::Message => begins_message,
        WindowUnit::Exchange => turns,
    };
    let collect = input.config.collect.clone();
    if collect.limits_count == LimitsCount::History {
        for (limit, reason) in [
            (collect.cache_limit, Reason::BeyondCache),
            (collect.fetch_limit, Reason::BeyondFetchLimit),
        ] {
            // Everything within the lookback is always considered.
            let limit = limit.map(|limit| limit.max(window.lookback_count.unwrap_or(0)));
            if let Some(count) = limit {
                keep_newest(input, marks, count, begins, reason)?;
                leave_out_background(marks, reason);
            }
        }
    }
    if let Some(count) = window.lookback_count {
        keep_newest(input, marks, count, begins, Reason::BeyondLookback)?;
    }
    if let Some(count) = window.max_user_turns {
        keep_newest(input, marks, count, turns, Reason::BeyondUserTurns)?;
    }
    if let Some(count) = window.max_recent_messages {
        let rows = windowed_rows(marks);
        keep_newest(input, marks, count, begins_message, Reason::BeyondRecentMessages)?;
        // The `minMessages` newest are never too old.
        let has_floor = window.min_messages >= count;
        let is_beyond =
            |row: &usize| marks.is_left_out(*row) && (has_floor || is_recent(input, &rows, *row));
        marks.is_capped = rows.iter().any(is_beyond);
        // Unread messages may be young enough, unless one before them shows that they are all too old.
        let has_untimed = input.transcript.unread().is_some_and(|unread| unread.has_untimed);
        let is_too_old = |row: &usize| {
            marks.is_left_out(*row) && !has_untimed && unread::is_behind_unread(input, marks, *row)
        };
        let is_beyond_any = rows.iter().any(|row| marks.is_left_out(*row));
        // A task that comes back may be newer than the message that ages are measured from.
        let may_age = window.previous_tasks_count > 0 && window.recency_hours.is_some();
        if (is_beyond_any || may_age) && !marks.is_capped && !rows.iter().any(is_too_old) {
            unread::ask_for_more_of_all(input)?;
        }
    }
    if window.previous_tasks_count > 0 {
        bring_back_tasks(input, marks, window.previous_tasks_count)?;
    }
    if let Some(hours) = window.recency_hours {
        keep_recent(input, marks, hours, window.min_messages);
    }
    if window.required_newest > 0 {
        require_newest(input, marks, window.required_newest)?;
    }
    if window.include_reply_to {
        require_reply_to(input, marks)?;
    }
    if input.config.tiers.enabled {
        // A conversation is shown whole, or by a summary of all of it.
        unread::ask_for_more(input, marks, &[])?;
    }
    Ok(())
}

/// Requires the messages that serve as the request if none was passed.
fn require_stand_ins(input: &Input, marks: &mut Marks) -> MarkResult {
    let rows = windowed_rows(marks);
    let newest_user = rows.iter().rev().find(|row| begins_exchange(&input.transcript, **row));
    // It may be unread: the last row may be older than unread ones by its time.
    let is_newest = |row: &usize| {
        *row >= input.transcript.first_of_tail() && unread::is_behind_unread(input, marks, *row)
    };
    let are_there = rows.last().is_some_and(is_newest) && newest_user.is_some_and(is_newest);
    if !are_there && input.transcript.unread().is_some() {
        return Err(Wanted::More);
    }
    for row in rows.last().into_iter().chain(newest_user) {
        marks.require(*row, Reason::Request);
    }
    Ok(())
}

/// True if a unit begins with a row, based on the row before it.
type Begins = fn(&Messages, Option<usize>, usize) -> bool;

/// Keeps the newest `count` units. A unit begins at a row if `begins` is true for it. If there are at most `count`,
/// everything stays, including rows before the first unit.
fn keep_newest(
    input: &Input,
    marks: &mut Marks,
    count: u64,
    begins: Begins,
    reason: Reason,
) -> MarkResult {
    let rows = windowed_rows(marks);
    let before = std::iter::once(None).chain(rows.iter().copied().map(Some));
    let begun: Vec<bool> = std::iter::zip(before, &rows)
        .map(|(before, row)| begins(&input.transcript, before, *row))
        .collect();
    let all = begun.iter().filter(|begins| **begins).count();
    if all as u64 <= count {
        // Unread messages determine whether the rows before the first unit belong to one more.
        let precedes = begun.first() == Some(&false);
        let is_open = all as u64 == count && precedes && input.transcript.unread().is_some();
        return if is_open { Err(Wanted::More) } else { Ok(()) };
    }
    let mut units = 0;
    for (row, begins) in rows.into_iter().zip(begun).rev() {
        if units >= count {
            leave_before(marks, row, reason);
        } else if begins {
            units += 1;
        }
    }
    Ok(())
}

/// Messages left out for their source also count as beyond a cache or fetch limit if they come before everything that
/// the limit keeps.
fn leave_out_background(marks: &mut Marks, reason: Reason) {
    let is_beyond = |row: &usize| marks.decision(*row).is_some_and(|it| it.reason == reason);
    let Some(last) = marks.order.iter().rposition(is_beyond) else {
        return;
    };
    let is_background =
        |row: &usize| marks.decision(*row).is_some_and(|it| it.reason == Reason::Source);
    let rows: Vec<usize> = marks.order[..last].iter().copied().filter(is_background).collect();
    for row in rows {
        marks.leave_out_rather(row, reason);
    }
}

/// Requires the newest `count` messages of the window.
fn require_newest(input: &Input, marks: &mut Marks, count: u64) -> MarkResult {
    let rows = windowed_rows(marks);
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let newest = units::newest_messages(&input.transcript, &rows, count);
    if input.transcript.unread().is_some() {
        // An unread message may have a newer time. And if too few messages were read, the rest is among the unread
        // ones.
        let is_newest = |row: &usize| unread::is_behind_unread(input, marks, *row);
        if !newest.iter().all(is_newest) {
            return Err(Wanted::More);
        }
        let is_all = newest.len() == rows.len() && input.transcript.has_split();
        if newest.len() < count || is_all {
            unread::ask_for_more(input, marks, &[])?;
        }
    }
    for row in newest.iter().copied() {
        marks.require(row, Reason::RequiredNewest);
    }
    Ok(())
}

/// True if a message's own time is within the window's hours.
fn is_recent(input: &Input, rows: &[usize], row: usize) -> bool {
    let newest = rows.last().and_then(|row| input.transcript.time(*row));
    let times = newest.zip(input.transcript.time(row));
    input
        .config
        .window
        .recency_hours
        .is_none_or(|hours| times.is_none_or(|(newest, time)| is_within(newest, time, hours)))
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of a Date are exact in a double")]
fn is_within(newest: Milliseconds, time: Milliseconds, hours: f64) -> bool {
    (newest.0 - time.0) as f64 <= hours * 3_600_000.0
}

/// Keeps messages that are at most `hours` older than the newest one, and the newest `floor` units.
fn keep_recent(input: &Input, marks: &mut Marks, hours: f64, floor: u64) {
    let rows = windowed_rows(marks);
    // Without the newest message's time, no age can be measured.
    let Some(newest) = rows.last().and_then(|row| input.transcript.time(*row)) else {
        return;
    };
    let is_young =
        |row: &usize| input.transcript.time(*row).is_none_or(|time| is_within(newest, time, hours));
    let units = units::of(&input.transcript, &marks.groups, input.config.window.unit, &rows);
    let below_floor = units.len().saturating_sub(floor.try_into().unwrap_or(usize::MAX));
    let too_old = units[..below_floor].iter().filter(|unit| !unit.iter().any(is_young));
    for row in too_old.flatten().copied().collect::<Vec<_>>() {
        leave_before(marks, row, Reason::TooOld);
    }
}

/// Brings back the newest `count` units of any source that the filter for sources or the window left out.
fn bring_back_tasks(input: &Input, marks: &mut Marks, count: u64) -> MarkResult {
    // Between a row before the tail and the tail there are unread rows.
    let first_of_tail = input.transcript.first_of_tail();
    let counts = |row: &usize| match marks.decision(*row).map(|decision| decision.reason) {
        _ if *row < first_of_tail => false,
        None => !matches!(marks.rank(*row), Rank::Direct) && !is_kept_apart(marks, *row),
        Some(reason) => is_task(reason),
    };
    let rows: Vec<usize> = marks.order.iter().copied().filter(counts).collect();
    let units = units::of(&input.transcript, &marks.groups, input.config.window.unit, &rows);
    let count = count.try_into().unwrap_or(usize::MAX);
    // The first unit may be part of a longer one.
    if units.len() <= count && input.transcript.unread().is_some() {
        return Err(Wanted::More);
    }
    for row in units.into_iter().rev().take(count).flatten() {
        if marks.is_left_out(row) {
            marks.bring_back(row, is_text(input), is_task);
        }
    }
    Ok(())
}

/// Requires the message that the request replies to, wherever it is in the session. If exchanges are counted, requires
/// its whole exchange.
fn require_reply_to(input: &Input, marks: &mut Marks) -> MarkResult {
    let replied_to = if let Some(request) = &input.request {
        request.value(0, Field::ReplyTo)
    } else {
        let stands_in = |row: &&usize| marks.requirement(**row) == Some(Reason::Request);
        let mut rows = marks.order.iter().rev().filter(stands_in);
        rows.find_map(|row| input.transcript.value(*row, Field::ReplyTo))
    };
    let Some(replied_to) = replied_to.map(str::to_owned) else {
        return Ok(());
    };
    // A message of another conversation, or half of a tool call, never comes back.
    let is_there = |row: &usize| {
        let reason = marks.decision(*row).map(|decision| decision.reason);
        !reason.is_some_and(|reason| {
            matches!(
                reason,
                Reason::OtherSession
                    | Reason::OtherTarget
                    | Reason::Expired
                    | Reason::Deleted
                    | Reason::Duplicate
                    | Reason::SameAsRequest
                    | Reason::Disabled
                    | Reason::NoSection
                    | Reason::CallWithoutResult
                    | Reason::ResultWithoutCall
            )
        })
    };
    let rows: Vec<usize> = marks.order.iter().copied().filter(is_there).collect();
    let is_parent = |row: &usize| input.transcript.value(*row, Field::Id) == Some(&replied_to);
    let parent = rows.iter().copied().rev().find(is_parent);
    if parent.is_none_or(|parent| parent < input.transcript.first_of_tail()) {
        unread::ask_for_message(input, &replied_to)?;
        let has_id = |row| input.transcript.value(row, Field::Id) == Some(&replied_to);
        if unread::unpaired(input, marks).any(has_id) {
            unread::ask_for_all(input)?;
        }
    }
    let Some(parent) = parent else {
        return Ok(());
    };
    let unit = units::of(&input.transcript, &marks.groups, input.config.window.unit, &rows)
        .into_iter()
        .find(|unit| unit.contains(&parent));
    let unit = unit.unwrap_or_default();
    if unit.first().is_some_and(|first| unread::is_cut(input, *first)) {
        return Err(Wanted::More);
    }
    let together = unit.iter().flat_map(|row| marks.groups.members(*row));
    for row in together.copied().collect::<Vec<_>>() {
        // A message that wasn't fetched, alone or as half of a group, wasn't filtered either.
        let is_unfiltered = marks.decision(row).is_some_and(|decision| {
            let is_half = decision.reason == Reason::SplitGroup;
            is_not_fetched(decision.reason) || is_half && decision.stage == StageName::Collect
        });
        if let (true, Some(unwanted)) = (is_unfiltered, filter::unwanted(input, &marks.groups, row))
        {
            marks.leave_out_rather(row, unwanted);
        }
    }
    for row in unit {
        let reason = marks.decision(row).map(|decision| decision.reason);
        let comes_back = row == parent || reason.is_some_and(may_come_back);
        if reason.is_some() && comes_back {
            marks.bring_back(row, is_text(input), may_come_back);
        }
        if !marks.is_left_out(row) {
            marks.require(row, Reason::ReplyTo);
        }
    }
    Ok(())
}

/// True if a message that was left out for this reason may come back as one of the newest tasks. That is the case for
/// the window's reasons, and for an excluded source.
fn is_task(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::Source
            | Reason::BeyondLookback
            | Reason::BeyondUserTurns
            | Reason::BeyondRecentMessages
            | Reason::TooOld
    )
}

/// True if a message that was left out for this reason may come back because the request replies to it. In addition to
/// the reasons for tasks, that is the case for a message that wasn't fetched.
fn may_come_back(reason: Reason) -> bool {
    is_task(reason) || is_not_fetched(reason)
}

fn is_not_fetched(reason: Reason) -> bool {
    matches!(reason, Reason::BeyondCache | Reason::BeyondFetchLimit | Reason::NotRead)
}

/// The rows that windows count, oldest first. They include messages that serve as the request, but not the request, its
/// answers, other required rows or direct messages.
fn windowed_rows(marks: &Marks) -> Vec<usize> {
    let mut rows = marks.open_rows();
    rows.retain(|row| !is_kept_apart(marks, *row));
    rows
}

fn is_kept_apart(marks: &Marks, row: usize) -> bool {
    if marks.is_in_turn(row) {
        return true;
    }
    match marks.requirement(row) {
        Some(reason) => reason != Reason::Request,
        None => marks.rank(row) == Rank::Direct,
    }
}

fn leave_before(marks: &mut Marks, row: usize, reason: Reason) {
    if marks.requirement(row).is_none() {
        marks.leave_out(row, reason);
    }
}

/// True if calls are shown as text, which needs no result.
fn is_text(input: &Input) -> bool {
    input.config.render.format != Format::Messages
}
