//! What belongs together: a tool call and all its results are one group.

use crate::map::{self, Hashed};
use crate::transcript::{Field, Transcript};

/// Which messages are one: a message with tool calls and all the results of these calls.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// For each row, the row that stands for its group.
    group_of: Vec<usize>,
    /// The rows of each group of more than one.
    larger: Hashed<usize, Vec<usize>>,
    /// Rows with a call that has no result.
    pub calls_without_result: Vec<usize>,
    /// Rows with a result that has no call before it.
    pub results_without_call: Vec<usize>,
}

impl Groups {
    /// Every message by itself: for a context that shows neither calls nor results.
    #[must_use]
    pub fn apart(transcript: &Transcript) -> Self {
        Self { group_of: (0..transcript.len()).collect(), ..Self::default() }
    }

    /// Pairs every tool result with the latest call of its id before it, in the same session.
    #[must_use]
    pub fn find(transcript: &Transcript, order: &[usize]) -> Self {
        let mut groups = Self::apart(transcript);
        // By stretch, session and call id, as ids like `call_0` are in many: the row of the latest call, and whether it has a result.
        let mut calls: Hashed<(usize, Option<&str>, &str), (usize, bool)> = Hashed::default();
        for &row in order {
            let is_summary = summarizes(transcript, row);
            // No call answers a result beyond a gap: what lies between them may.
            let stretch = stretch_of(transcript, row);
            let session = transcript.value(row, Field::SessionId);
            for (field, id) in transcript.fields(row) {
                match field {
                    Field::CallId => {
                        if let Some((earlier, false)) =
                            calls.insert((stretch, session, id), (row, is_summary))
                            && earlier != row
                        {
                            groups.calls_without_result.push(earlier);
                        }
                    }
                    Field::ResultId if is_summary => {}
                    Field::ResultId => match calls.get_mut(&(stretch, session, id)) {
                        Some((call, answered)) if !summarizes(transcript, *call) => {
                            *answered = true;
                            let call = *call;
                            groups.join(call, row);
                        }
                        _ => groups.results_without_call.push(row),
                    },
                    _ => {}
                }
            }
        }
        for (row, answered) in calls.into_values() {
            groups.calls_without_result.extend((!answered).then_some(row));
        }
        map::sort_by_key(&mut groups.calls_without_result, &|_| (0, 0));
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
    #[inline]
    pub fn of(&self, row: usize) -> usize {
        self.group_of[row]
    }

    /// The rows of a row's group, itself included.
    #[must_use]
    pub fn members(&self, row: usize) -> &[usize] {
        let group = &self.group_of[row];
        self.larger.get(group).map_or(std::slice::from_ref(group), Vec::as_slice)
    }
}

/// Whether a message stands for a conversation: it is shown as a text, or not at all, and is no half of a call.
fn summarizes(transcript: &Transcript, row: usize) -> bool {
    transcript.value(row, Field::SummaryOf).is_some()
}

/// In which of the stretches that gaps leave a row is, counted from 0.
pub(crate) fn stretch_of(transcript: &Transcript, row: usize) -> usize {
    transcript.gaps().partition_point(|gap| gap.row <= row)
}
