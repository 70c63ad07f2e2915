use super::shares::check_shares;
use crate::base::error::Result;
use crate::base::value::FromValue;
use serde::Serialize;

/// A summary that replaces the messages that the cut leaves out. Needs `budget.cut`, and the hook `compact.summarize`
/// to write it.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct CompactConfig {
    /// Maximum number of tokens of a summary with its facts. It takes this room from the history, at most a quarter of
    /// it.
    pub max_tokens: u64,
    /// Time limit for the hook, in milliseconds.
    pub timeout_ms: u64,
    /// How full the history is, from 0 to 1, when a session asks for the next summary in the background, so that no
    /// build waits for the hook. A summary enters the prompt once it is ready and all of its messages are left out.
    /// Default: a build asks when the cut has moved, and waits. Builds without a session always do.
    // Not written if it is off, so that the hashes of other contexts stay the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prepare_at: Option<f64>,
    /// The last summary, as the last build returned it in `context.compact.summary`. Sessions set it automatically.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<StoredSummary>,
    /// A summary that was requested in the background. It replaces the last one once all messages that it covers are
    /// left out. Sessions set it automatically.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prepared: Option<StoredSummary>,
}

/// A summary, and the messages that it covers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct StoredSummary {
    /// The model's text.
    pub text: String,
    /// The facts that windrow found, shown after the text.
    pub facts: SummaryFacts,
    /// The last message that the summary covers: its id, or, if it has none, `r` and its position. If a message has
    /// several steps, `#` and the place of one of its rows may follow. Default: none is covered.
    pub through: Option<String>,
    /// The last message that the hook was asked about, in the same form. The hook isn't asked about it again. Default:
    /// the same as `through`.
    pub asked_through: Option<String>,
}

/// Facts about the messages that a summary covers. Rules find them, not a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SummaryFacts {
    /// Files that tools have read, by the paths in the calls.
    pub files_read: Vec<String>,
    /// Files that tools have changed.
    pub files_changed: Vec<String>,
    /// Ids, codes and other names of things.
    pub identifiers: Vec<String>,
    /// Commands whose last run failed, each with the line that says so.
    pub failing_commands: Vec<String>,
    /// Unanswered questions, each with the role of who asked it.
    pub open_questions: Vec<String>,
}

impl Default for CompactConfig {
    fn default() -> Self {
        Self {
            max_tokens: 1000,
            timeout_ms: 60_000,
            prepare_at: None,
            summary: None,
            prepared: None,
        }
    }
}

impl CompactConfig {
    pub(super) fn check(&self) -> Result<()> {
        let share = self.prepare_at.map(|share| ("compact.prepareAt", share));
        check_shares(share.as_slice())
    }

    /// True if nothing is set.
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
