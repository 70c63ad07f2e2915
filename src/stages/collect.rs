//! Stage 1, `collect`: puts the messages in order, ties groups together, finds the request, and leaves out messages of
//! other sessions and for other agents.

use crate::base::map::{self, HashedMap};
use crate::base::message::{Field, Role};
use crate::base::time::Milliseconds;
use crate::config::{LateInstructions, LimitsCount, SectionKind, SessionScope};
use crate::log::groups::{self, Arrangement, Groups, HalfCall};
use crate::log::plan::Wanted;
use crate::log::tool_calls;
use crate::log::units;
use crate::recall::transcript::Transcript;
use crate::stages::filter;
use crate::stages::unread;
use crate::state::ask::MarkResult;
use crate::state::input::Input;
use crate::state::marks::{Marks, Rank};
use crate::state::trace::{NoteKind, Reason};
use std::rc::Rc;

/// Orders the groups by time; one without a time stays after the one before it. Leaves out other sessions, other
/// agents, expired messages and incomplete tool calls. Requires instructions and pinned messages, puts direct messages
/// after the history, and applies the cache and fetch limits to the rest.
///
/// # Errors
///
/// Stops to ask for all older messages if any of them may be one for the agent, or the first of two with the same id,
/// or an instruction.
pub fn mark(input: &Input, marks: &mut Marks) -> MarkResult {
    let config = &input.config;
    if config.agent_id.is_some() || config.collect.deduplicate {
        unread::ask_for_all(input)?;
    }
    if let count @ 1.. = input.transcript.skipped_count() {
        marks.note(
            NoteKind::RowsSkipped,
            format!("rows of the log without a message were skipped: {count}"),
        );
    }
    let arrangement = Arrangement::of(&input.transcript);
    marks.order = arrangement.order;
    marks.times = arrangement.times;
    marks.groups = if input.config.filter.exclude_tool_calls {
        // Text next to a call can stay without a result.
        let is_shown = |row| tool_calls::is_shown(config, &input.transcript, row);
        Groups::without_calls(&input.transcript, &marks.order, is_shown)
    } else {
        arrangement.groups
    };
    let mut ids: HashedMap<&str, usize> = HashedMap::default();
    let transcript = input.transcript.clone();
    for row in marks.order.clone() {
        let reason = if is_of_other_session(input, row) {
            Some(Reason::OtherSession)
        } else if let Some(gone) = gone(&transcript, row, input.now) {
            Some(gone)
        } else if is_for_other_agent(input, row) {
            Some(Reason::OtherTarget)
        } else {
            // Only among messages of this session and for this agent.
            let deduplicates = input.config.collect.deduplicate;
            let id = deduplicates.then(|| transcript.value(row, Field::Id)).flatten();
            let message = transcript.message_of(row);
            id.is_some_and(|id| *ids.entry(id).or_insert(message) != message)
                .then_some(Reason::Duplicate)
        };
        if let Some(reason) = reason {
            marks.leave_out(row, reason);
        }
    }
    mark_late_instructions(input, marks);
    leave_out_compacted(input, marks);
    find_request(input, marks)?;
    leave_out_half_calls(input, marks)?;
    require_beginning(input, marks)?;
    let singles = input.transcript.head_length()..input.transcript.first_of_tail();
    if unread::unpaired(input, marks)
        .any(|row| singles.contains(&row) || input.transcript.is_pinned(row))
    {
        unread::ask_for_all(input)?; // the other half may be unread
    }
    if !input.config.enabled {
        for row in marks.open_rows() {
            if marks.requirement(row) != Some(Reason::Instruction) && !marks.is_in_turn(row) {
                marks.leave_out(row, Reason::Disabled);
            }
        }
    }
    if input.config.section(SectionKind::History).is_none() {
        for row in marks.open_rows() {
            if !marks.is_in_turn(row) {
                marks.leave_out(row, Reason::NoSection);
            }
        }
    }
    put_direct_messages_last(input, marks);
    let collect = input.config.collect.clone();
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
        let rows = marks.optional_rows();
        let newest = units::newest_messages(&input.transcript, &rows, limit);
        // An unread message may be newer.
        if newest.iter().any(|row| !unread::is_behind_unread(input, marks, *row)) {
            return Err(Wanted::More);
        }
        for row in &rows[..rows.len() - newest.len()] {
            marks.leave_out(*row, reason);
        }
    }
    Ok(())
}

/// Leaves out calls without a result and results without a call, but nothing else. A message with other content stays.
/// One without is left out, and so is its group if no other member has content.
fn leave_out_half_calls(input: &Input, marks: &mut Marks) -> MarkResult {
    // A request after such a call ends its step, and so does an unanswered approval request for it.
    let is_asked = |row: usize| {
        let names: Vec<&str> = input.transcript.values(row, Field::CallName).collect();
        let open = groups::halves_of(&marks.groups.calls_without_result, row);
        open.iter().any(|half| names.get(half.place) == Some(&""))
    };
    let is_over = |row: usize| (input.request.is_some() && !marks.is_in_turn(row)) || is_asked(row);
    // Each row is visited once, no matter how many calls it has.
    let running = marks.groups.calls_running.chunk_by(|one, other| one.row == other.row);
    let over = running.filter(|calls| is_over(calls[0].row)).flatten();
    let calls: Vec<HalfCall> =
        marks.groups.calls_without_result.iter().chain(over).copied().collect();
    marks.open_calls = groups::sorted(&calls);
    marks.orphans = groups::sorted(&marks.groups.results_without_call);
    let transcript = Rc::clone(&input.transcript);
    let says = |marks: &Marks, row: usize| {
        tool_calls::says_more(&transcript, row, marks.open_calls_of(row), marks.orphans_of(row))
    };
    let rows_of = |halves: &[HalfCall], reason| {
        let mut rows: Vec<_> = halves.iter().map(|half| (half.row, reason)).collect();
        rows.dedup();
        rows
    };
    // For each group, true if a member has other content.
    let mut says_in_group: Vec<Option<bool>> = vec![None; transcript.len()];
    let calls = rows_of(&marks.open_calls, Reason::CallWithoutResult);
    let results = rows_of(&marks.orphans, Reason::ResultWithoutCall);
    for (row, reason) in calls.into_iter().chain(results) {
        if says(marks, row) {
            // Its call may be unread.
            if reason == Reason::ResultWithoutCall && input.transcript.unread().is_some() {
                unread::ask_for_all(input)?;
            }
            continue;
        }
        let is_said = *says_in_group[marks.groups.of(row)].get_or_insert_with(|| {
            marks.groups.members(row).iter().any(|member| says(marks, *member))
        });
        if is_said {
            marks.leave_out_alone(row, reason);
        } else {
            marks.leave_out(row, reason);
        }
    }
    Ok(())
}

/// Finds the instructions that the request contains as a user text.
fn mark_late_instructions(input: &Input, marks: &mut Marks) {
    if input.config.moves_late_instructions() == Some(LateInstructions::User) {
        let is_instruction = |row: &usize| input.transcript.role(*row).is_instruction();
        let rows = marks.open_rows().into_iter();
        marks.marked = rows.skip_while(is_instruction).filter(is_instruction).collect();
        map::sort_by_key(&mut marks.marked, &|row| (map::place(Some(row)), 0));
    }
}

/// Leaves out everything that the newest compaction of the request's provider replaces, because the model reads nothing
/// before it. Instructions that have their own place in the request stay.
fn leave_out_compacted(input: &Input, marks: &mut Marks) {
    let transcript = &input.transcript;
    let maker = input.config.compaction_maker();
    let Some(maker) = maker.filter(|_| transcript.has_seen(Field::ReasoningOf)) else { return };
    let rows = marks.open_rows();
    let is_compaction = |row: &usize| {
        transcript.role(*row) == Role::Assistant
            && transcript.values(*row, Field::ReasoningOf).any(|it| it == maker)
            && filter::unwanted(input, &marks.groups, *row).is_none()
    };
    let Some(at) = rows.iter().rposition(is_compaction) else { return };
    let newest = rows[at];
    let is_instruction = |row: &&usize| transcript.role(**row).is_instruction();
    let beginning = rows.iter().take_while(is_instruction).count();
    let is_at_top = input.config.moves_late_instructions() == Some(LateInstructions::Top);
    let kept = if is_at_top { at } else { beginning };
    for (place, row) in rows[..at].iter().enumerate() {
        if place < kept && is_instruction(&row) {
            continue;
        }
        if marks.groups.of(*row) == marks.groups.of(newest) {
            marks.leave_out_alone(*row, Reason::Compacted);
        } else {
            marks.leave_out(*row, Reason::Compacted);
        }
    }
    marks.compaction = Some(newest);
    marks.require(newest, Reason::Compaction);
}

/// Requires the transcript's initial instructions, and pinned messages.
fn require_beginning(input: &Input, marks: &mut Marks) -> MarkResult {
    let mut is_beginning = input.config.collect.keep_instructions;
    let head = input.transcript.head_length();
    for row in marks.open_rows() {
        if is_beginning && row >= head {
            unread::ask_for_all(input)?; // the instructions may continue in unread messages
        }
        is_beginning &=
            input.transcript.role(row).is_instruction() && !input.transcript.is_summary(row);
        if is_beginning {
            // An earlier call, whose result may be unread, would end the instructions.
            if unread::unpaired(input, marks).any(|half| half < row) {
                unread::ask_for_all(input)?;
            }
            marks.require(row, Reason::Instruction);
        } else if input.transcript.is_pinned(row) {
            marks.require(row, Reason::Pinned);
        }
    }
    Ok(())
}

/// The status of a message that its author removed.
const DELETED: &str = "deleted";

/// Finds the request in the transcript, and its answers: everything after it.
///
/// Without a caller's request, the newest user message takes its place. A caller's request is in the context once: it
/// replaces its message in the transcript. That is the message with the same id or, if either has no id, the last
/// message, if it is the user's and says the same.
fn find_request(input: &Input, marks: &mut Marks) -> MarkResult {
    if !input.shows_request() || !(input.takes_newest || input.request.is_some()) {
        return Ok(());
    }
    let mut rows = marks.open_rows();
    rows.retain(|row| !marks.is_direct(input, *row));
    let transcript = Rc::clone(&input.transcript);
    let is_message = |row: usize| {
        let has = |field| transcript.value(row, field).is_some();
        !has(Field::ResultId) && !has(Field::CallId) && !transcript.is_summary(row)
    };
    let is_user = |row: usize| transcript.role(row) == Role::User && is_message(row);
    let is_behind = unread::is_behind_unread;
    let mut asked = None;
    if let Some(request) = input.request.clone() {
        let id = request.value(0, Field::Id).filter(|id| !id.is_empty());
        let last = rows.last().copied().filter(|row| {
            let is_unnamed = id.is_none() || transcript.value(*row, Field::Id).is_none();
            is_unnamed && is_user(*row) && says_the_same(&transcript, *row, &request)
        });
        if last.is_some_and(|row| !is_behind(input, marks, row)) && transcript.unread().is_some() {
            return Err(Wanted::More); // it may not be the last one
        }
        let newest_user = rows.iter().copied().rev().find(|row| is_user(*row));
        let is_same = |row: usize| {
            let has_id = id.is_some() && transcript.value(row, Field::Id) == id;
            (has_id && is_message(row)) || last == Some(row)
        };
        if id.is_some() && transcript.unread().is_some() {
            // Its answers are known only with the newest user message.
            let is_there = newest_user.is_some_and(|row| is_behind(input, marks, row));
            if !is_there {
                return Err(Wanted::More);
            }
        }
        for row in rows.iter().copied().filter(|row| is_same(*row)) {
            marks.leave_out(row, Reason::SameAsRequest);
        }
        asked = newest_user.filter(|row| is_same(*row));
    } else {
        let is_wanted =
            |row: &usize| is_user(*row) && filter::unwanted(input, &marks.groups, *row).is_none();
        let newest_user = rows.iter().copied().rev().find(is_wanted);
        if transcript.unread().is_some()
            && !newest_user.is_some_and(|row| is_behind(input, marks, row))
        {
            return Err(Wanted::More);
        }
        asked = newest_user.or(asked);
    }
    if let Some(asked) = asked {
        let at = rows.iter().position(|row| *row == asked).unwrap_or(rows.len() - 1);
        marks.begin_turn(input, asked, &rows[at + 1..]);
    }
    Ok(())
}

/// True if a user's message has the same name, text and media as a request.
fn says_the_same(transcript: &Transcript, row: usize, request: &Transcript) -> bool {
    let is_beside = |(field, _): &(Field, &str)| field.is_content() && *field != Field::Text;
    let [own, asked] = [(transcript, row), (request, 0)];
    own.0.role(own.1) == asked.0.role(asked.1)
        && own.0.value(own.1, Field::Name) == asked.0.value(asked.1, Field::Name)
        && own.0.text(own.1) == asked.0.text(asked.1)
        && own.0.fields(own.1).filter(is_beside).eq(asked.0.fields(asked.1).filter(is_beside))
}

fn is_of_other_session(input: &Input, row: usize) -> bool {
    let Some(session) = &input.config.session_id else {
        return false;
    };
    let named = input.transcript.value(row, Field::SessionId);
    match input.config.collect.session_scope {
        SessionScope::Session => named.is_some_and(|name| name != session),
        SessionScope::Strict => named != Some(session),
        SessionScope::All => false,
    }
}

/// Why a message must no longer be shown, if so: it has expired, or its author removed it.
pub(crate) fn gone(transcript: &Transcript, row: usize, now: Milliseconds) -> Option<Reason> {
    let limit = transcript.value(row, Field::TimeToLive).and_then(|limit| limit.parse().ok());
    let age = transcript.time(row).map(|time| now.0.saturating_sub(time.0));
    if limit.is_some_and(|limit: i64| age.is_none_or(|age| age > limit)) {
        Some(Reason::Expired)
    } else {
        (transcript.value(row, Field::Status) == Some(DELETED)).then_some(Reason::Deleted)
    }
}

fn is_for_other_agent(input: &Input, row: usize) -> bool {
    let Some(agent) = &input.config.agent_id else {
        return false;
    };
    let mut targets = input.transcript.values(row, Field::Target).peekable();
    targets.peek().is_some() && targets.all(|target| target != agent)
}

/// Puts messages for the agent after the history: the highest priority first, then the newest.
fn put_direct_messages_last(input: &Input, marks: &mut Marks) {
    const MIDDLE: i64 = 500_000;
    if input.config.agent_id.is_none() {
        return;
    }
    let (mut direct, history): (Vec<usize>, Vec<usize>) =
        marks.order.iter().copied().partition(|row| marks.is_direct(input, *row));
    // A call and its results stay together: they have the priority and the place of the first message with a target.
    let leader = |row: usize| {
        let members = marks.groups.members(row).iter().copied();
        let has_target = |row: &usize| input.transcript.value(*row, Field::Target).is_some();
        members.filter(has_target).min().unwrap_or(row)
    };
    let priority = |row: usize| -> i64 {
        let given = input.transcript.value(leader(row), Field::Priority);
        given.and_then(|given| given.parse().ok()).unwrap_or(MIDDLE)
    };
    let count = input.transcript.len();
    let place_of: Vec<i64> = places(&direct, count);
    let row_count = map::place(Some(count));
    // Within a group, the order stays.
    let place = |row: usize| place_of[row] - place_of[leader(row)] * row_count;
    map::sort_by_key(&mut direct, &|row| (-priority(row), place(row)));
    for row in &direct {
        marks.claim(*row, Rank::Direct, Reason::Direct);
    }
    marks.order = history.into_iter().chain(direct).collect();
}

/// For each row, its place in a list.
fn places(rows: &[usize], count: usize) -> Vec<i64> {
    let mut places = vec![0; count];
    for (place, row) in (0..).zip(rows) {
        places[*row] = place;
    }
    places
}
