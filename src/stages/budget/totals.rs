//! Finds the tokens before the part of a log that was read, as the cut adds them up.
//!
//! A build that has read the whole log remembers how many tokens come before each of its blocks. The next build needs
//! one of these totals and the messages from the cut on. A total is remembered only for messages that no later message
//! changes, and isn't used if a message's tokens on the scale depend on more than the log and the config. Without a
//! total a build reads everything.

use super::packer::Packer;
use crate::base::json::to_json;
use crate::base::message::Field;
use crate::log::groups::LONGEST_CALL;
use crate::log::plan::Wanted;
use crate::log::reach;
use crate::log::totals::Total;
use crate::prompt::measure::Meter;
use crate::stages::unread;
use crate::state::ask::MarkResult;
use crate::state::trace::Reason;
use xxhash_rust::xxh64::xxh64;

/// Maximum number of messages that a build looks through for a total. A call without a result delays totals by
/// [`LONGEST_CALL`] messages.
const MOST_LOOKED_THROUGH: usize = 2 * LONGEST_CALL;

/// Returns the tokens before the tail, and remembers the totals before its blocks. `on_scale` has the tokens that each
/// row adds.
pub(super) fn find(
    packer: &mut Packer<'_>,
    meter: &Meter,
    on_scale: &[Option<Total>],
) -> MarkResult<(Total, u64)> {
    let (input, marks) = (packer.input, packer.marks);
    let transcript = &input.transcript;
    let first = transcript.first_of_tail();
    let form = form(packer, meter);
    let added = by_groups(packer, on_scale);
    let before = match (transcript.unread(), form) {
        (None, _) => Total::default(),
        (Some(unread), _) if unread.total.is_some() => unread.total.unwrap_or_default(),
        (Some(_), None) => return Err(Wanted::All),
        (Some(_), Some(form)) => {
            let request = input.request.as_ref().and_then(|request| request.value(0, Field::Id));
            if let Some(id) = request.filter(|id| !id.is_empty()) {
                unread::ask_for_message(input, id)?; // it would be left out
            }
            if !is_tail_apart(packer) {
                return Err(Wanted::All);
            }
            if unread::cut_off_results(input, marks).next().is_some() {
                return Err(Wanted::More);
            }
            let Some((row, total)) = transcript.total_in_tail(form) else {
                let may_be_near = !transcript.is_part() || transcript.has_totals(form);
                let is_short = transcript.len() - first < MOST_LOOKED_THROUGH;
                return Err(if may_be_near && is_short { Wanted::More } else { Wanted::All });
            };
            let between = added[first..row].iter().flatten().fold(Total::default(), sum);
            Total {
                tokens: total.tokens.saturating_sub(between.tokens),
                results: total.results.saturating_sub(between.results),
                run_end: total.run_end,
            }
        }
    };
    packer.fill.unread_total = transcript.unread().map(|_| before);
    let settled = first_unsettled(packer);
    let mut total = before;
    for (row, added) in (first..).zip(&added[first..]) {
        if let Some(form) = form.filter(|_| row < settled) {
            transcript.remember_total(form, row, total);
        }
        total = added.iter().fold(total, sum);
    }
    Ok((before, total.run_end))
}

/// Returns the tokens that each row adds, with the results of a group at its first row: a step counts as a whole.
fn by_groups(packer: &Packer<'_>, on_scale: &[Option<Total>]) -> Vec<Option<Total>> {
    let mut added = on_scale.to_vec();
    let mut first_of = vec![None; on_scale.len()];
    for row in (0..on_scale.len()).filter(|row| on_scale[*row].is_some()) {
        let first = *first_of[packer.marks.groups.of(row)].get_or_insert(row);
        let results = added[row].as_mut().map_or(0, |own| std::mem::take(&mut own.results));
        if let Some(leader) = &mut added[first] {
            leader.results += results;
        }
    }
    added
}

/// The form of totals. None if the tokens of a message depend on more than the messages before it and the config.
fn form(packer: &Packer<'_>, meter: &Meter) -> Option<u64> {
    let (input, config) = (packer.input, &packer.input.config);
    let transcript = &input.transcript;
    let is_compacted =
        config.compaction_maker().is_some() && transcript.has_seen(Field::ReasoningOf);
    let is_fixed = reach::cuts_by_totals(config)
        && config.agent_id.is_none()
        && !config.collect.deduplicate
        && !config.triage.keeps_places()
        && !transcript.needs_whole_log()
        && !transcript.has_seen(Field::ResultLater)
        && !transcript.clock().has_late
        && !is_compacted;
    let cost = meter.form().filter(|_| is_fixed)?;
    let collect = to_json(&config.collect);
    let results = to_json(&config.budget.tool_results);
    let late = config.moves_late_instructions().is_some();
    let session = config.session_id.as_deref().unwrap_or_default();
    let key = format!("{cost} {late} {collect} {results} {session}");
    Some(xxh64(key.as_bytes(), 0))
}

/// True if the tail comes after all other messages, and each of those adds the same tokens to the scale as in any other
/// build.
fn is_tail_apart(packer: &Packer<'_>) -> bool {
    let (input, marks) = (packer.input, packer.marks);
    let first = input.transcript.first_of_tail();
    let mut tail = marks.order.iter().skip_while(|row| **row < first);
    tail.all(|row| *row >= first && unread::is_behind_unread(input, marks, *row))
        && !(0..first).any(|row| is_of_this_build(packer, row))
}

/// True if a message adds a different number to the scale than it would without the request.
fn is_of_this_build(packer: &Packer<'_>, row: usize) -> bool {
    let (transcript, marks) = (&packer.input.transcript, packer.marks);
    let decision = marks.decision(row);
    let is_same = decision.is_some_and(|decision| decision.reason == Reason::SameAsRequest);
    let is_fixed = |reason| matches!(reason, Reason::Instruction | Reason::Pinned);
    let is_required = marks.requirement(row).is_some_and(|reason| !is_fixed(reason));
    let may_shrink = transcript.value(row, Field::ResultId).is_some() || transcript.has_media(row);
    is_same || (is_required && may_shrink)
}

/// The first row whose tokens may change with the next messages, because it is part of the current turn or waits for a
/// result.
fn first_unsettled(packer: &Packer<'_>) -> usize {
    let (transcript, marks) = (&packer.input.transcript, packer.marks);
    let last = transcript.len().saturating_sub(1); // it may be replaced
    let is_open = |row: &usize| marks.is_in_turn(*row) || is_of_this_build(packer, *row);
    let turn = (transcript.first_of_tail()..last).find(is_open);
    let calls = marks.groups.calls_without_result.iter().chain(&marks.groups.calls_running);
    let calls = calls.map(|call| call.row).filter(|row| row + LONGEST_CALL >= transcript.len());
    calls.chain(turn).chain([last]).min().unwrap_or(last)
}

/// Adds a message. A log may be a run once three eighths of it are results, because some calls may still wait for
/// theirs.
fn sum(total: Total, added: &Total) -> Total {
    let (tokens, results) = (total.tokens + added.tokens, total.results + added.results);
    let may_be_run = results.saturating_mul(8) > tokens.saturating_mul(3);
    Total { tokens, results, run_end: if may_be_run { tokens } else { total.run_end } }
}
