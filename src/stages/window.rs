//! Stage 3, `window`: how far back the context reaches, by count, turns and time.
//!
//! What is required is outside every window. Without a request, the newest message and the newest user message stand for
//! it, and are required from here on. What lies before the window comes back where the request replies to it, or where it
//! is one of the newest tasks of any source.

use crate::base::message::Field;
use crate::base::time::Milliseconds;
use crate::config::{LimitsCount, WindowUnit};
use crate::stages::filter;
use crate::stages::units::{self, begins_exchange};
use crate::stages::unread;
use crate::state::ask::StageResult;
use crate::state::draft::{Draft, Rank};
use crate::state::trace::{Reason, StageName};

/// Leaves out what lies before the window, and brings back what is wanted all the same.
///
/// # Errors
///
/// Stops to ask for older messages, where what was read does not say what is in the window.
pub fn run(draft: &mut Draft) -> StageResult {
    unread::leave_out_single_rows(draft);
    if let Some(newest) = draft.last_answer() {
        draft.require(newest, Reason::Request);
    }
    if draft.shows_request() && !draft.has_request() {
        require_stand_ins(draft)?;
    }
    let window = draft.config.window.clone();
    let begins = match window.unit {
        WindowUnit::Message => |_: &Draft, _: usize| true,
        WindowUnit::Exchange => begins_exchange,
    };
    let collect = draft.config.collect.clone();
    if collect.limits_count == LimitsCount::History {
        for (limit, reason) in [
            (collect.cache_limit, Reason::BeyondCache),
            (collect.fetch_limit, Reason::BeyondFetchLimit),
        ] {
            // What the lookback takes is always looked at.
            let limit = limit.map(|limit| limit.max(window.lookback_count.unwrap_or(0)));
            if let Some(count) = limit {
                keep_newest(draft, count, begins, reason)?;
                leave_out_background(draft, reason);
            }
        }
    }
    if let Some(count) = window.lookback_count {
        keep_newest(draft, count, begins, Reason::BeyondLookback)?;
    }
    if let Some(count) = window.max_user_turns {
        keep_newest(draft, count, begins_exchange, Reason::BeyondUserTurns)?;
    }
    if let Some(count) = window.max_recent_messages {
        let rows = windowed_rows(draft);
        keep_newest(draft, count, |_, _| true, Reason::BeyondRecentMessages)?;
        // Below the floor no message is too old.
        let has_floor = window.min_messages >= count;
        let is_beyond =
            |row: &usize| draft.is_left_out(*row) && (has_floor || is_recent(draft, &rows, *row));
        draft.is_capped = rows.iter().any(is_beyond);
        // Of what was not read some may be young enough, unless something before it shows that it is all too old.
        let has_untimed = draft.transcript.unread().is_some_and(|unread| unread.has_untimed);
        let is_too_old = |row: &usize| {
            draft.is_left_out(*row) && !has_untimed && unread::is_behind_unread(draft, *row)
        };
        let is_beyond_any = rows.iter().any(|row| draft.is_left_out(*row));
        if is_beyond_any && !draft.is_capped && !rows.iter().any(is_too_old) {
            unread::ask_for_more_of_all(draft)?;
        }
    }
    if window.previous_tasks_count > 0 {
        bring_back_tasks(draft, window.previous_tasks_count)?;
    }
    if let Some(hours) = window.recency_hours {
        keep_recent(draft, hours, window.min_messages);
    }
    if window.required_newest > 0 {
        require_newest(draft, window.required_newest)?;
    }
    if window.include_reply_to {
        require_reply_to(draft)?;
    }
    if draft.config.tiers.enabled {
        // A conversation is shown whole, or by what is known of all of it.
        unread::ask_for_more(draft, &[])?;
    }
    Ok(())
}

/// Requires what stands for a request that was not given.
fn require_stand_ins(draft: &mut Draft) -> StageResult {
    let rows = windowed_rows(draft);
    let newest_user = rows.iter().rev().find(|row| begins_exchange(draft, **row));
    // It may be among what was not read: by its time, what stands last may be older than that.
    let is_newest = |row: &usize| {
        *row >= draft.transcript.first_of_tail() && unread::is_behind_unread(draft, *row)
    };
    let are_there = rows.last().is_some_and(is_newest) && newest_user.is_some_and(is_newest);
    if !are_there && draft.transcript.unread().is_some() {
        return Err(unread::more());
    }
    for row in rows.last().into_iter().chain(newest_user) {
        draft.require(*row, Reason::Request);
    }
    Ok(())
}

/// Keeps the newest `count` units, each of which begins at a row for which `begins` holds. Where there are no more,
/// everything stays, also what precedes the first.
fn keep_newest(
    draft: &mut Draft,
    count: u64,
    begins: fn(&Draft, usize) -> bool,
    reason: Reason,
) -> StageResult {
    let rows = windowed_rows(draft);
    let all = rows.iter().filter(|row| begins(draft, **row)).count();
    if all as u64 <= count {
        // Whether what precedes the first is of one more depends on what was not read.
        let precedes = rows.first().is_some_and(|first| !begins(draft, *first));
        let is_open = all as u64 == count && precedes && draft.transcript.unread().is_some();
        return if is_open { Err(unread::more()) } else { Ok(()) };
    }
    let mut units = 0;
    for row in rows.into_iter().rev() {
        if units >= count {
            leave_before(draft, row, reason);
        } else if begins(draft, row) {
            units += 1;
        }
    }
    Ok(())
}

/// What a source left out, and lies before all that a limit of cache or fetch keeps, is beyond that limit too.
fn leave_out_background(draft: &mut Draft, reason: Reason) {
    let is_beyond = |row: &usize| draft.decision(*row).is_some_and(|it| it.reason == reason);
    let Some(last) = draft.order.iter().rposition(is_beyond) else {
        return;
    };
    let is_background =
        |row: &usize| draft.decision(*row).is_some_and(|it| it.reason == Reason::Source);
    let rows: Vec<usize> = draft.order[..last].iter().copied().filter(is_background).collect();
    for row in rows {
        draft.leave_out_rather(row, reason);
    }
}

/// Requires the newest `count` messages that the window takes.
fn require_newest(draft: &mut Draft, count: u64) -> StageResult {
    let rows = windowed_rows(draft);
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let newest = &rows[rows.len().saturating_sub(count)..];
    if draft.transcript.unread().is_some() {
        // What was not read may be newer by its time, or more may be wanted than was read.
        let is_newest = |row: &usize| unread::is_behind_unread(draft, *row);
        if !newest.iter().all(is_newest) {
            return Err(unread::more());
        }
        if newest.len() < count {
            unread::ask_for_more(draft, &[])?;
        }
    }
    for row in newest.iter().copied() {
        draft.require(row, Reason::RequiredNewest);
    }
    Ok(())
}

/// Whether a message is young enough, by its own time, to be kept by the window's hours.
fn is_recent(draft: &Draft, rows: &[usize], row: usize) -> bool {
    let newest = rows.last().and_then(|row| draft.transcript.time(*row));
    let times = newest.zip(draft.transcript.time(row));
    draft
        .config
        .window
        .recency_hours
        .is_none_or(|hours| times.is_none_or(|(newest, time)| is_within(newest, time, hours)))
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of a Date are exact in a double")]
fn is_within(newest: Milliseconds, time: Milliseconds, hours: f64) -> bool {
    (newest.0 - time.0) as f64 <= hours * 3_600_000.0
}

/// Keeps what is at most `hours` older than the newest message that has a time, and the newest `floor` units.
fn keep_recent(draft: &mut Draft, hours: f64, floor: u64) {
    let rows = windowed_rows(draft);
    // Without the time of the newest nothing can be measured.
    let Some(newest) = rows.last().and_then(|row| draft.transcript.time(*row)) else {
        return;
    };
    let is_young =
        |row: &usize| draft.transcript.time(*row).is_none_or(|time| is_within(newest, time, hours));
    let units = units::of(draft, &rows);
    let below_floor = units.len().saturating_sub(floor.try_into().unwrap_or(usize::MAX));
    let too_old = units[..below_floor].iter().filter(|unit| !unit.iter().any(is_young));
    for row in too_old.flatten().copied().collect::<Vec<_>>() {
        leave_before(draft, row, Reason::TooOld);
    }
}

/// Brings back the newest `count` units of any source, where the filter for sources or the window left them out.
fn bring_back_tasks(draft: &mut Draft, count: u64) -> StageResult {
    // What was read before the tail has others between it and the tail.
    let first_of_tail = draft.transcript.first_of_tail();
    let counts = |row: &usize| match draft.decision(*row).map(|decision| decision.reason) {
        _ if *row < first_of_tail => false,
        None => !matches!(draft.rank(*row), Rank::Direct) && !is_kept_apart(draft, *row),
        Some(reason) => is_task(reason),
    };
    let rows: Vec<usize> = draft.order.iter().copied().filter(counts).collect();
    let units = units::of(draft, &rows);
    let count = count.try_into().unwrap_or(usize::MAX);
    // The first unit of what was read may be a part of one.
    if units.len() <= count && draft.transcript.unread().is_some() {
        return Err(unread::more());
    }
    for row in units.into_iter().rev().take(count).flatten() {
        if draft.is_left_out(row) {
            draft.bring_back(row, is_task);
        }
    }
    Ok(())
}

/// Requires the message that the request replies to, wherever in the session it is; where exchanges are counted, the
/// exchange that it is of.
fn require_reply_to(draft: &mut Draft) -> StageResult {
    let replied_to = if let Some(request) = &draft.request {
        request.value(0, Field::ReplyTo)
    } else {
        let stands_in = |row: &&usize| draft.requirement(**row) == Some(Reason::Request);
        let mut rows = draft.order.iter().rev().filter(stands_in);
        rows.find_map(|row| draft.transcript.value(*row, Field::ReplyTo))
    };
    let Some(replied_to) = replied_to.map(str::to_owned) else {
        return Ok(());
    };
    // What is not of this conversation at all, or would be half of a tool call, never comes back.
    let is_there = |row: &usize| {
        let reason = draft.decision(*row).map(|decision| decision.reason);
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
    let rows: Vec<usize> = draft.order.iter().copied().filter(is_there).collect();
    let is_parent = |row: &usize| draft.transcript.value(*row, Field::Id) == Some(&replied_to);
    let parent = rows.iter().copied().rev().find(is_parent);
    if parent.is_none_or(|parent| parent < draft.transcript.first_of_tail()) {
        unread::ask_for_message(draft, &replied_to)?;
        let has_id = |row| draft.transcript.value(row, Field::Id) == Some(&replied_to);
        if unread::halves(draft).any(has_id) {
            unread::ask_for_all(draft)?;
        }
    }
    let Some(parent) = parent else {
        return Ok(());
    };
    let unit = units::of(draft, &rows).into_iter().find(|unit| unit.contains(&parent));
    let unit = unit.unwrap_or_default();
    if unit.first().is_some_and(|first| unread::is_cut(draft, *first)) {
        return Err(unread::more());
    }
    let together = unit.iter().flat_map(|row| draft.groups.members(*row));
    for row in together.copied().collect::<Vec<_>>() {
        // What was not fetched, or half of which was not, was not filtered either.
        let is_unfiltered = draft.decision(row).is_some_and(|decision| {
            let is_half = decision.reason == Reason::SplitGroup;
            is_not_fetched(decision.reason) || is_half && decision.stage == StageName::Collect
        });
        if let (true, Some(unwanted)) = (is_unfiltered, filter::unwanted(draft, row)) {
            draft.leave_out_rather(row, unwanted);
        }
    }
    for row in unit {
        let reason = draft.decision(row).map(|decision| decision.reason);
        let comes_back = row == parent || reason.is_some_and(may_come_back);
        if reason.is_some() && comes_back {
            draft.bring_back(row, may_come_back);
        }
        if !draft.is_left_out(row) {
            draft.require(row, Reason::ReplyTo);
        }
    }
    Ok(())
}

/// Whether a reason is that of the window, or a source, which the newest tasks overrule.
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

/// Whether a reason is one that a reply overrules: also what was not fetched.
fn may_come_back(reason: Reason) -> bool {
    is_task(reason) || is_not_fetched(reason)
}

fn is_not_fetched(reason: Reason) -> bool {
    matches!(reason, Reason::BeyondCache | Reason::BeyondFetchLimit | Reason::NotRead)
}

/// The rows that windows count, oldest first. What stands for a request that there is none of is among them; the request,
/// what answers it, other required rows and direct messages are not.
fn windowed_rows(draft: &Draft) -> Vec<usize> {
    let mut rows = draft.open_rows();
    rows.retain(|row| !is_kept_apart(draft, *row));
    rows
}

fn is_kept_apart(draft: &Draft, row: usize) -> bool {
    if draft.is_in_turn(row) {
        return true;
    }
    match draft.requirement(row) {
        Some(reason) => reason != Reason::Request,
        None => draft.rank(row) == Rank::Direct,
    }
}

fn leave_before(draft: &mut Draft, row: usize, reason: Reason) {
    if draft.requirement(row).is_none() {
        draft.leave_out(row, reason);
    }
}
