//! Stage 1, `collect`: puts the messages in order, ties together what belongs together, and leaves out other sessions.

use crate::assemble::{Draft, Flow};
use crate::error::Result;
use crate::trace::Reason;
use crate::transcript::{Field, Transcript};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is taken into consideration at all, and in which order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct CollectConfig {
    /// How many messages are looked at, the newest first; it applies before any filter. Default: all.
    pub fetch_limit: Option<u64>,
}

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
        for row in draft
            .open_rows()
            .into_iter()
            .rev()
            .skip(limit.try_into().unwrap_or(usize::MAX))
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

/// Which messages are one: a message with tool calls and all the results of these calls.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// For each row, the row that stands for its group.
    group_of: Vec<usize>,
    /// The rows of each group of more than one.
    larger: BTreeMap<usize, Vec<usize>>,
    calls_without_result: Vec<usize>,
    results_without_call: Vec<usize>,
}

impl Groups {
    /// Pairs every tool result with the latest call of its id before it.
    fn find(transcript: &Transcript, order: &[usize]) -> Self {
        let mut groups = Self {
            group_of: (0..transcript.len()).collect(),
            ..Self::default()
        };
        // By call id: the row of the latest call, and whether it has a result.
        let mut calls: BTreeMap<&str, (usize, bool)> = BTreeMap::new();
        for &row in order {
            for (field, id) in transcript.fields(row) {
                match field {
                    Field::CallId => {
                        if let Some((earlier, false)) = calls.insert(id, (row, false))
                            && earlier != row
                        {
                            groups.calls_without_result.push(earlier);
                        }
                    }
                    Field::ResultId => match calls.get_mut(id) {
                        Some((call, answered)) => {
                            *answered = true;
                            let call = *call;
                            groups.join(call, row);
                        }
                        None => groups.results_without_call.push(row),
                    },
                    _ => {}
                }
            }
        }
        let unanswered = calls
            .values()
            .filter(|(_, answered)| !answered)
            .map(|(row, _)| *row);
        groups.calls_without_result.extend(unanswered);
        groups
    }

    fn join(&mut self, call: usize, result: usize) {
        let (one, other) = (self.group_of[call], self.group_of[result]);
        if one == other {
            return;
        }
        let mut take = |group| self.larger.remove(&group).unwrap_or_else(|| vec![group]);
        let (mut rows, mut joining) = (take(one), take(other));
        // The smaller one moves, so that a long chain of groups is joined in good time.
        if rows.len() < joining.len() {
            std::mem::swap(&mut rows, &mut joining);
        }
        let group = self.group_of[rows[0]];
        for row in &joining {
            self.group_of[*row] = group;
        }
        rows.extend(joining);
        self.larger.insert(group, rows);
    }

    /// The row that stands for a row's group: the same for all that go together.
    #[must_use]
    pub fn of(&self, row: usize) -> usize {
        self.group_of[row]
    }

    /// The rows of a row's group, itself included.
    #[must_use]
    pub fn members(&self, row: usize) -> &[usize] {
        let group = &self.group_of[row];
        self.larger
            .get(group)
            .map_or(std::slice::from_ref(group), Vec::as_slice)
    }
}
