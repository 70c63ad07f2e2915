//! Stage 1, `collect`: puts the messages in order, ties together what belongs together, and leaves out what is not of this
//! session or for another agent.

use crate::ask::StageResult;
use crate::config::{LimitsCount, SectionKind, SessionScope};
use crate::draft::{Draft, Rank};
use crate::groups::Groups;
use crate::map::{self, Hashed};
use crate::time::Milliseconds;
use crate::trace::{NoteKind, Reason};
use crate::transcript::{Field, Transcript};
use crate::unread;

/// Orders the messages by time (one without a time stays behind the one before it), finds the groups, leaves out other
/// sessions, other agents, what has expired and half tool calls, requires instructions and what is pinned, puts direct
/// messages behind the history, and applies the limits of cache and fetch to the rest.
///
/// # Errors
///
/// Stops to ask for all older messages, where any of them may be one for the agent, or the first of two with one id, or an instruction.
pub fn run(draft: &mut Draft) -> StageResult {
    if draft.config.agent_id.is_some() || draft.config.collect.deduplicate {
        unread::ask_for_all(draft)?;
    }
    if let count @ 1.. = draft.transcript.skipped_count() {
        draft.note(
            NoteKind::RowsSkipped,
            format!("{count} of the rows that were read of the log are no messages"),
        );
    }
    draft.order = chronological(&draft.transcript);
    draft.groups = if draft.config.filter.exclude_tool_calls {
        Groups::apart(&draft.transcript) // calls are not shown: what is said beside one needs no result
    } else {
        Groups::find(&draft.transcript, &draft.order)
    };
    let mut ids: Hashed<&str, usize> = Hashed::default();
    let transcript = draft.transcript.clone();
    for row in draft.order.clone() {
        let reason = if is_of_other_session(draft, row) {
            Some(Reason::OtherSession)
        } else if is_expired(draft, row) {
            Some(Reason::Expired)
        } else if transcript.value(row, Field::Status) == Some(DELETED) {
            Some(Reason::Deleted)
        } else if is_for_other_agent(draft, row) {
            Some(Reason::OtherTarget)
        } else {
            // Only among what is of this session and for this agent.
            let deduplicates = draft.config.collect.deduplicate;
            let id = deduplicates.then(|| transcript.value(row, Field::Id)).flatten();
            id.is_some_and(|id| ids.insert(id, row).is_some()).then_some(Reason::Duplicate)
        };
        if let Some(reason) = reason {
            draft.leave_out(row, reason);
        }
    }
    for row in draft.groups.calls_without_result.clone() {
        draft.leave_out(row, Reason::CallWithoutResult);
    }
    for row in draft.groups.results_without_call.clone() {
        draft.leave_out(row, Reason::ResultWithoutCall);
    }
    let mut is_beginning = draft.config.collect.keep_instructions;
    let head = draft.transcript.head_length();
    for row in draft.open_rows() {
        if is_beginning && row >= head {
            unread::ask_for_all(draft)?; // the instructions may go on in what was not read
        }
        is_beginning &= draft.transcript.role(row).is_instruction()
            && draft.transcript.value(row, Field::SummaryOf).is_none();
        if is_beginning {
            draft.require(row, Reason::Instruction);
        } else if draft.transcript.is_pinned(row) {
            draft.require(row, Reason::Pinned);
        }
    }
    let singles = head..draft.transcript.first_of_tail();
    if unread::halves(draft).any(|row| singles.contains(&row) || draft.transcript.is_pinned(row)) {
        unread::ask_for_all(draft)?; // the other half may be among what was not read
    }
    if !draft.config.enabled {
        for row in draft.open_rows() {
            if draft.requirement(row) != Some(Reason::Instruction) {
                draft.leave_out(row, Reason::Disabled);
            }
        }
    }
    if draft.config.section(SectionKind::History).is_none() {
        for row in draft.open_rows() {
            draft.leave_out(row, Reason::NoSection);
        }
    }
    put_direct_messages_last(draft);
    let collect = draft.config.collect.clone();
    if collect.limits_count == LimitsCount::History {
        return Ok(()); // the window applies them
    }
    for (limit, reason) in [
        (collect.cache_limit, Reason::BeyondCache),
        (collect.fetch_limit, Reason::BeyondFetchLimit),
    ] {
        let Some(limit) = limit else {
            continue;
        };
        let limit = limit.try_into().unwrap_or(usize::MAX);
        let rows = draft.optional_rows();
        // Whether they are among the newest depends on what was not read.
        if rows.iter().rev().take(limit).any(|row| unread::is_before_unread(draft, *row)) {
            return Err(unread::more());
        }
        for row in rows.into_iter().rev().skip(limit) {
            draft.leave_out(row, reason);
        }
    }
    Ok(())
}

/// The status of a message that its author removed.
const DELETED: &str = "deleted";

fn is_of_other_session(draft: &Draft, row: usize) -> bool {
    let Some(session) = &draft.config.session_id else {
        return false;
    };
    let named = draft.transcript.value(row, Field::SessionId);
    match draft.config.collect.session_scope {
        SessionScope::Session => named.is_some_and(|name| name != session),
        SessionScope::Strict => named != Some(session),
        SessionScope::All => false,
    }
}

fn is_expired(draft: &Draft, row: usize) -> bool {
    let limit = draft.transcript.value(row, Field::TimeToLive).and_then(|limit| limit.parse().ok());
    let age = draft.transcript.time(row).map(|time: Milliseconds| draft.now.0 - time.0);
    limit.is_some_and(|limit: i64| age.is_none_or(|age| age > limit))
}

fn is_for_other_agent(draft: &Draft, row: usize) -> bool {
    let Some(agent) = &draft.config.agent_id else {
        return false;
    };
    let mut targets = draft.transcript.values(row, Field::Target).peekable();
    targets.peek().is_some() && targets.all(|target| target != agent)
}

/// Puts messages for the agent behind the history: the highest priority first, then the newest.
fn put_direct_messages_last(draft: &mut Draft) {
    const MIDDLE: i64 = 500_000;
    if draft.config.agent_id.is_none() {
        return;
    }
    let (mut direct, history): (Vec<usize>, Vec<usize>) =
        draft.order.iter().copied().partition(|row| draft.is_direct(*row));
    // A call and its results stay together: they have the priority and the place of the first that has a target.
    let leader = |row: usize| {
        let members = draft.groups.members(row).iter().copied();
        let has_target = |row: &usize| draft.transcript.value(*row, Field::Target).is_some();
        members.filter(has_target).min().unwrap_or(row)
    };
    let priority = |row: usize| -> i64 {
        let given = draft.transcript.value(leader(row), Field::Priority);
        given.and_then(|given| given.parse().ok()).unwrap_or(MIDDLE)
    };
    let place_of: Vec<i64> = places(&direct, draft.transcript.len());
    map::sort_by_key(&mut direct, &|row| (-priority(row), -place_of[leader(row)]));
    for row in &direct {
        draft.claim(*row, Rank::Direct, Reason::Direct);
    }
    draft.order = history.into_iter().chain(direct).collect();
}

/// The rows by time; equal times, and messages without one, keep their position. A result whose clock is behind its call's
/// stays behind the call.
fn chronological(transcript: &Transcript) -> Vec<usize> {
    let mut order: Vec<usize> = (0..transcript.len()).collect();
    let mut latest = None;
    let mut gaps = transcript.gaps().iter().peekable();
    let mut times: Vec<_> = order
        .iter()
        .map(|row| {
            if let Some(gap) = gaps.next_if(|gap| gap.row == *row) {
                latest = gap.latest;
            }
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
    let time = |row: usize| times[row].map_or(i64::MIN, |time: Milliseconds| time.0);
    map::sort_by_key(&mut order, &|row| (time(row), 0));
    order
}

/// By row: its place in a list.
fn places(rows: &[usize], count: usize) -> Vec<i64> {
    let mut places = vec![0; count];
    for (place, row) in (0..).zip(rows) {
        places[*row] = place;
    }
    places
}
