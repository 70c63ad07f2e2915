//! The messages of a log that a transcript does not have.

use crate::base::candidate::Form;
use crate::base::time::Milliseconds;
use crate::base::value::FromValue;
use crate::log::totals::Total;
use serde::Serialize;

/// The messages of a log that a transcript does not have.
///
/// A log is read from its end, as far as the context can need. Before that tail only single messages were read: the log's
/// beginning, and pinned messages or replied ones with their exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Unread {
    /// The stretches that were not read, in the order of the rows. The log's beginning ends at the first, and the tail begins
    /// behind the last.
    pub gaps: Vec<UnreadStretch>,
    /// How many messages were not read.
    pub count: usize,
    /// Whether some of them may have no time.
    pub has_untimed: bool,
    /// Ids that were looked for: all messages of the log that have one of them are there.
    pub looked_up: Vec<String>,
    /// How the index of the log ranked messages: in a recording, as it is not there when that is replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<RankingRecord>,
    /// Tokens of all messages before the tail, on the scale of `budget.cut`: in a recording, as nobody remembers them when that is replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Total>,
}

impl Unread {
    /// The same with other numbers for the places of its gaps.
    pub(crate) fn with_rows(mut self, row: impl Fn(usize) -> usize) -> Self {
        for gap in &mut self.gaps {
            gap.row = row(gap.row);
        }
        self
    }
}

/// How the index of a log ranked messages for a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RankingRecord {
    /// Those that were read, the best first: the row, how much of it is shown, and the row that it goes with.
    pub candidates: Vec<(usize, Form, Option<usize>)>,
    /// The rows of the user's messages that say what holds throughout, as far as they were read, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub standing: Vec<usize>,
    /// The rows of the user's lasting statements, the best first. Rows that weren't read aren't among them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<usize>,
    /// Why those that were kept were recalled.
    pub recalled: Vec<RecalledWords>,
}

/// Messages of the log that are not in the transcript, all in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UnreadStretch {
    /// The row that follows them.
    pub row: usize,
    /// The latest time of all that the log has before that row, or of the row itself; none where none has a time.
    pub latest: Option<Milliseconds>,
}

/// Why messages were recalled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecalledWords {
    /// Their positions in the transcript, from 0.
    pub positions: Vec<usize>,
    /// What speaks for each: words of the request that it has or stands beside, who says it, when, what it means.
    pub words: String,
}
