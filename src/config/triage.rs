use super::placement::Placement;
use crate::base::error::{Error, Result};
use crate::base::value::FromValue;
use serde::Serialize;

/// Asks a fast model which older messages matter, through a hook: `select` or `complete`. Without a hook every older
/// message stays, unless `onUnavailable` says otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TriageConfig {
    /// If there are at most this many units (messages or exchanges, by `window.unit`), all are kept without asking.
    pub skip_selection_threshold: u64,
    /// A name for the model, passed on to the hook unchanged.
    pub model: String,
    /// Time limit for the hook, in milliseconds.
    pub timeout_ms: u64,
    /// Chooses among older units. If false, they all stay.
    pub use_selection: bool,
    /// Number of the newest units that are always kept.
    pub always_include_recent: u64,
    /// Units to keep if the hook fails, takes too long or returns an invalid answer.
    pub on_error: TriageFallback,
    /// Units to keep if the hook is missing, or answers that it is unavailable.
    pub on_unavailable: TriageFallback,
    /// The older units that the hook is asked about.
    pub candidates: TriageCandidates,
    /// Maximum number of units that the hook is asked about. Default: no limit with `all`, and about twice as many as
    /// fit the budget with `recalled`.
    pub max_candidates: Option<u64>,
    /// Maximum number of characters of a candidate's text in the prompt of `complete`. Null means no limit.
    pub max_candidate_chars: Option<u64>,
    /// The place of the messages that triage chose, and of those that belong to them. With `tiers` they stay in place.
    pub placement: Placement,
    /// Decisions of earlier builds: `context.triage.decided` of the last one, or `{}` before the first. They remain
    /// valid, and the hook is asked only about new units, so its choices don't change the beginning of the prompt from
    /// turn to turn. With `budget.cut`, chosen messages are cut like all others, and recall may quote rejected ones
    /// that match a request. A session with `budget.cut` sets this automatically. Requires `candidates: "all"`.
    /// Default: none; the hook is asked about all older units each time.
    pub decided: Option<TriageDecisions>,
}

/// Triage's decisions so far: which older units stay, up to the last one decided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TriageDecisions {
    /// The last decided unit: the id of its first message, or, if that has none, `#` and its position. All units before
    /// it count as decided too, even ones that arrive later. Default: no unit.
    pub through: Option<String>,
    /// The chosen units, in the same form. All others were rejected.
    pub chosen: Vec<String>,
    /// A checksum of the options that the decisions were made with. With other options they don't apply. Default: not
    /// checked.
    pub under: Option<String>,
}

/// The units that triage asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum TriageCandidates {
    /// All older units; with `maxCandidates`, the newest of them.
    All,
    /// Those that recall ranks best for the request, so that a long history doesn't need a long prompt. If nothing is
    /// ranked, all.
    Recalled,
}

/// Units to keep without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum TriageFallback {
    /// Only the guaranteed newest units, and the message that the request replies to.
    RecentOnly,
    /// Everything.
    KeepAll,
}

impl TriageConfig {
    pub(super) fn check(&self) -> Result<()> {
        if self.decided.is_some() && self.candidates != TriageCandidates::All {
            return Err(Error::option(
                "triage.decided",
                "recall ranks different messages for each request, so its choice can't be kept for later ones",
                "Leave out triage.decided, or set triage.candidates to \"all\".",
            ));
        }
        Ok(())
    }

    /// True if chosen units stay in place from turn to turn: they are remembered, and not quoted after the history.
    pub(crate) fn keeps_places(&self) -> bool {
        self.decided.is_some() && self.placement == Placement::Chronological
    }
}

impl Default for TriageConfig {
    fn default() -> Self {
        Self {
            skip_selection_threshold: 3,
            model: "fast".to_owned(),
            timeout_ms: 30_000,
            use_selection: true,
            always_include_recent: 5,
            on_error: TriageFallback::RecentOnly,
            on_unavailable: TriageFallback::KeepAll,
            candidates: TriageCandidates::All,
            max_candidates: None,
            max_candidate_chars: Some(1000),
            placement: Placement::Chronological,
            decided: None,
        }
    }
}
