//! Stage 1, `collect`: puts the messages in order, ties together what belongs together, and leaves out other sessions.

use crate::draft::{Draft, Flow};
use crate::error::Result;
use crate::groups::Groups;
use crate::trace::Reason;
use crate::transcript::{Field, Transcript};

/// Orders the messages by time (one without a time stays behind the one before it), finds groups and instructions, and
/// leaves out what is of another session, beyond the fetch limit, or half a tool call.
///
/// # Errors
///
/// None.
pub fn run(draft: &mut Draft) -> Result<Flow> {
    draft.order = chronological(&draft.transcript);
    draft.groups = Groups::find(&draft.transcript, &draft.order);

    if let Some(session) = draft.config.session_id.clone() {
        for row in draft.open_rows() {
            let named = draft.transcript.value(row, Field::SessionId);
            if named.is_some_and(|name| name != session) {
                draft.leave_out(row, Reason::OtherSession);
            }
        }
    }
    if let Some(limit) = draft.config.collect.fetch_limit {
        for row in draft.open_rows().into_iter().rev().skip(limit.try_into().unwrap_or(usize::MAX))
        {
            draft.leave_out(row, Reason::BeyondFetchLimit);
        }
    }
    for row in draft.groups.calls_without_result.clone() {
        draft.leave_out(row, Reason::CallWithoutResult);
    }
    for row in draft.groups.results_without_call.clone() {
        draft.leave_out(row, Reason::ResultWithoutCall);
    }
    for row in 0..draft.transcript.len() {
        if draft.transcript.is_pinned(row) {
            draft.set_pinned(row);
        }
    }
    for row in draft.open_rows() {
        if !draft.transcript.role(row).is_instruction() {
            break;
        }
        draft.set_instruction(row);
    }
    Ok(Flow::Next)
}

/// The rows by time; equal times, and messages without one, keep their position.
fn chronological(transcript: &Transcript) -> Vec<usize> {
    let mut order: Vec<usize> = (0..transcript.len()).collect();
    let mut latest = None;
    let times: Vec<_> = order
        .iter()
        .map(|row| {
            latest = transcript.time(*row).or(latest);
            latest
        })
        .collect();
    if !times.is_sorted() {
        order.sort_unstable_by_key(|row| (times[*row], *row));
    }
    order
}
