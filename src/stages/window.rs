//! Stage 3, `window`: how far back the context reaches, by count, turns and time.
//!
//! What is required is outside every window. Without a request, the newest message and the newest user message stand for
//! it, and are required from here on.

use crate::config::WindowUnit;
use crate::draft::{Draft, Flow};
use crate::error::Result;
use crate::trace::Reason;
use crate::transcript::Role;

/// Leaves out what lies before the window.
///
/// # Errors
///
/// None.
pub fn run(draft: &mut Draft) -> Result<Flow> {
    if draft.request.is_none() {
        require_stand_ins(draft);
    }
    let window = draft.config.window.clone();
    if let Some(count) = window.lookback_count {
        let begins = match window.unit {
            WindowUnit::Message => |_: &Draft, _: usize| true,
            WindowUnit::Exchange => begins_exchange,
        };
        keep_newest(draft, count, begins, Reason::BeyondLookback);
    }
    if let Some(count) = window.max_user_turns {
        keep_newest(draft, count, begins_exchange, Reason::BeyondUserTurns);
    }
    if let Some(count) = window.max_recent_messages {
        keep_newest(draft, count, |_, _| true, Reason::BeyondRecentMessages);
    }
    if let Some(hours) = window.recency_hours {
        keep_recent(draft, hours, window.min_messages);
    }
    Ok(Flow::Next)
}

/// Requires what stands for a request that was not given.
fn require_stand_ins(draft: &mut Draft) {
    let rows = draft.open_rows();
    let newest_user = rows.iter().rev().find(|row| begins_exchange(draft, **row));
    for row in rows.last().into_iter().chain(newest_user) {
        draft.require(*row, Reason::Request);
    }
}

fn begins_exchange(draft: &Draft, row: usize) -> bool {
    draft.transcript.role(row) == Role::User
}

/// Keeps the newest `count` units, each of which begins at a row for which `begins` holds. Where there are fewer,
/// everything stays, also what precedes the first.
fn keep_newest(draft: &mut Draft, count: u64, begins: fn(&Draft, usize) -> bool, reason: Reason) {
    let mut units = 0;
    for row in windowed_rows(draft).into_iter().rev() {
        if units >= count {
            leave_before(draft, row, reason);
        } else if begins(draft, row) {
            units += 1;
        }
    }
}

/// Keeps what is at most `hours` older than the newest message that has a time, and the newest `floor` messages.
fn keep_recent(draft: &mut Draft, hours: f64, floor: u64) {
    let rows = windowed_rows(draft);
    let Some(newest) = rows.iter().filter_map(|row| draft.transcript.time(*row)).max() else {
        return;
    };
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a Date are exact in a double")]
    let is_young = |row: usize| {
        let time = draft.transcript.time(row);
        time.is_none_or(|time| (newest.0 - time.0) as f64 <= hours * 3_600_000.0)
    };
    let below_floor = rows.len().saturating_sub(floor.try_into().unwrap_or(usize::MAX));
    // By the row that stands for a group: it stays as one.
    let mut stays = vec![false; draft.transcript.len()];
    for (position, row) in rows.iter().enumerate() {
        stays[draft.groups.of(*row)] |= position >= below_floor || is_young(*row);
    }
    for row in rows {
        if !stays[draft.groups.of(row)] {
            leave_before(draft, row, Reason::TooOld);
        }
    }
}

/// The rows that windows count, oldest first: what stands for the request is among them, other required rows are not.
fn windowed_rows(draft: &Draft) -> Vec<usize> {
    let mut rows = draft.open_rows();
    rows.retain(|row| matches!(draft.requirement(*row), None | Some(Reason::Request)));
    rows
}

fn leave_before(draft: &mut Draft, row: usize, reason: Reason) {
    if draft.requirement(row).is_none() {
        draft.leave_out(row, reason);
    }
}
