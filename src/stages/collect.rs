//! Stage 1, `collect`: puts the messages in order, ties together what belongs together, and leaves out other sessions.

use crate::draft::{Draft, Flow};
use crate::error::Result;
use crate::groups::Groups;
use crate::trace::Reason;
use crate::transcript::{Field, Transcript};

/// Orders the messages by time (one without a time stays behind the one before it), finds the groups, leaves out other
/// sessions and half tool calls, requires instructions and what is pinned, and applies the fetch limit to the rest.
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
    for row in draft.groups.calls_without_result.clone() {
        draft.leave_out(row, Reason::CallWithoutResult);
    }
    for row in draft.groups.results_without_call.clone() {
        draft.leave_out(row, Reason::ResultWithoutCall);
    }
    let mut is_beginning = true;
    for row in draft.open_rows() {
        is_beginning &= draft.transcript.role(row).is_instruction();
        if is_beginning {
            draft.require(row, Reason::Instruction);
        } else if draft.transcript.is_pinned(row) {
            draft.require(row, Reason::Pinned);
        }
    }
    if let Some(limit) = draft.config.collect.fetch_limit {
        let limit = limit.try_into().unwrap_or(usize::MAX);
        for row in draft.optional_rows().into_iter().rev().skip(limit) {
            draft.leave_out(row, Reason::BeyondFetchLimit);
        }
    }
    Ok(Flow::Next)
}

/// The rows by time; equal times, and messages without one, keep their position. A result whose clock is behind its call's
/// stays behind the call.
fn chronological(transcript: &Transcript) -> Vec<usize> {
    let mut order: Vec<usize> = (0..transcript.len()).collect();
    let mut latest = None;
    let mut times: Vec<_> = order
        .iter()
        .map(|row| {
            latest = transcript.time(*row).or(latest);
            latest
        })
        .collect();
    if times.is_sorted() {
        return order;
    }
    // Not in a list that has the newest first: there calls stand behind their results.
    if times.first() <= times.last() {
        let groups = Groups::find(transcript, &order);
        let mut first_of = order.clone();
        for row in &order {
            let first = &mut first_of[groups.of(*row)];
            *first = (*first).min(*row);
            times[*row] = times[*row].max(times[*first]);
        }
    }
    order.sort_unstable_by_key(|row| (times[*row], *row));
    order
}
