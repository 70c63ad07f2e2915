//! The unread messages of a log: those that a transcript doesn't have.

use crate::base::candidate::Form;
use crate::base::time::Milliseconds;
use crate::base::value::FromValue;
use crate::log::totals::Total;
use serde::Serialize;

/// The messages of a log that a transcript doesn't have.
///
/// A build reads the end of a log, back to where older messages can't matter. Before that tail it reads only single
/// messages: the log's beginning, and pinned messages or the target of a reply, with their exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Unread {
    /// The unread stretches, in the order of the rows. The part read at the log's beginning ends at the first one, and
    /// the tail begins after the last one.
    pub gaps: Vec<UnreadStretch>,
    /// The number of unread messages.
    pub count: usize,
    /// True if some of them may have no time.
    pub has_untimed: bool,
    /// Ids that were searched for. All messages of the log with one of them were read.
    pub looked_up: Vec<String>,
    /// The ranking by the log's index. Only in recordings, because there is no index during a replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<RankingRecord>,
    /// Tokens of all messages before the tail, as `budget.cut` adds them up. In a recording, because a replay has no
    /// remembered totals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Total>,
}

impl Unread {
    /// Converts the places of the gaps.
    pub(crate) fn with_rows(mut self, row: impl Fn(usize) -> usize) -> Self {
        for gap in &mut self.gaps {
            gap.row = row(gap.row);
        }
        self
    }
}

/// The ranking of messages for a request by the index of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RankingRecord {
    /// The ranked messages that were read, best first: the row, its form, and the row that it accompanies.
    pub candidates: Vec<(usize, Form, Option<usize>)>,
    /// The rows of the user's standing instructions that were read, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub standing: Vec<usize>,
    /// The rows of the user's lasting statements that were read, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<usize>,
    /// Reasons for recalling the ones that were kept.
    pub recalled: Vec<RecalledWords>,
}

/// Consecutive messages of the log that aren't in the transcript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UnreadStretch {
    /// The row after them.
    pub row: usize,
    /// The latest time in the log up to that row; none if no message has a time.
    pub latest: Option<Milliseconds>,
}

/// Reasons for recalling messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecalledWords {
    /// The messages' positions in the transcript, from 0.
    pub positions: Vec<usize>,
    /// The evidence: words of the request in or near the message, its speaker, its time, its meaning.
    pub words: String,
}
