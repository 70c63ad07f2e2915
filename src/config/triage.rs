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
    /// Up to this many units (messages or exchanges, by `window.unit`) are kept without asking.
    pub skip_selection_threshold: u64,
    /// The model's role, passed on to the hook unchanged.
    pub model: String,
    /// Time limit for the hook, in milliseconds.
    pub timeout_ms: u64,
    /// Selects among older units. Otherwise they all stay.
    pub use_selection: bool,
    /// How many of the newest units are kept without being selected.
    pub always_include_recent: u64,
    /// Fallback if the hook fails, takes too long or returns nonsense.
    pub on_error: TriageFallback,
    /// Fallback if the hook is missing, or answers that it is unavailable.
    pub on_unavailable: TriageFallback,
    /// Which of the older units are asked about.
    pub candidates: TriageCandidates,
    /// The most units that the hook is asked about. Default: all for `all`, and about twice as many as fit the budget
    /// for `recalled`.
    pub max_candidates: Option<u64>,
    /// The most characters of a candidate's text in the prompt of `complete`. Null means no limit.
    pub max_candidate_chars: Option<u64>,
    /// Place of the messages that triage chose, and of those that belong to them. With `tiers` they stay in their
    /// place.
    pub placement: Placement,
    /// Decisions of earlier builds: `context.triage.decided` of the last one, or `{}` before the first. They stay, and
    /// the hook is asked only about new units, so the choices don't change the beginning of the prompt from turn to
    /// turn. With `budget.cut` chosen messages are cut like all others, and recall may quote rejected ones that match a
    /// request. A session with `budget.cut` sets it automatically. Goes with `candidates: "all"`. Default: none, the
    /// hook is asked about all older units each time.
    pub decided: Option<TriageDecisions>,
}

/// Decisions of triage so far: which older units stay, up to the last one decided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TriageDecisions {
    /// The last unit that was decided, by the id of its first message; `#` and the position of one without an id. All
    /// units before it are decided too, including ones that arrive later. Default: no unit.
    pub through: Option<String>,
    /// The chosen units, named in the same way. All others were rejected.
    pub chosen: Vec<String>,
    /// A checksum of the options that they were decided with. With other options they don't count. Default: not
    /// checked.
    pub under: Option<String>,
}

/// Units that triage asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum TriageCandidates {
    /// All older units; with `maxCandidates`, the newest of them.
    All,
    /// Those that recall ranks best for the request, so that a long history doesn't need a long prompt. All, if nothing
    /// is ranked.
    Recalled,
}

/// Units that stay without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum TriageFallback {
    /// The guaranteed recent only, and the message that the request replies to.
    RecentOnly,
    /// Everything.
    KeepAll,
}

impl TriageConfig {
    pub(super) fn check(&self) -> Result<()> {
        if self.decided.is_some() && self.candidates != TriageCandidates::All {
            return Err(Error::option(
                "triage.decided",
                "recall ranks other messages for each request, so its choice can't be kept for later ones",
                "Leave out triage.decided, or set triage.candidates to \"all\".",
            ));
        }
        Ok(())
    }

    /// True if chosen units stay in their place from turn to turn: they are remembered, and not quoted after the
    /// history.
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
