use super::placement::Placement;
use crate::base::error::{Error, Result};
use crate::base::value::FromValue;
use serde::Serialize;

/// A fast model says which older messages matter, through a hook: `select` or `complete`. Without a hook every older
/// message stays, unless `onUnavailable` says otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TriageConfig {
    /// How many units (messages or exchanges, as `window.unit` says) are kept without asking.
    pub skip_selection_threshold: u64,
    /// The model's role, handed to the hook as it is.
    pub model: String,
    /// How long the hook may take, in milliseconds.
    pub timeout_ms: u64,
    /// Whether older units are selected at all.
    pub use_selection: bool,
    /// How many of the newest units are kept without being selected.
    pub always_include_recent: u64,
    /// What stays where the hook fails, takes too long or answers nonsense.
    pub on_error: TriageFallback,
    /// What stays where there is no hook, or it answers that it is unavailable.
    pub on_unavailable: TriageFallback,
    /// Which of the older units are asked about.
    pub candidates: TriageCandidates,
    /// The most units that are asked about. Default: all of `candidates`, and of `recalled` about twice what fits the
    /// budget.
    pub max_candidates: Option<u64>,
    /// The most characters of a candidate's text in the prompt of `complete`; null is no limit.
    pub max_candidate_chars: Option<u64>,
    /// Where those stand that triage chose, with what goes together with them. With `tiers` they stay in their place.
    pub placement: Placement,
    /// What earlier builds have decided: as the last one says it in `context.triage.decided`, or `{}` before the first. What was decided
    /// stays so, and the hook is asked about what is new alone. So its choices do not change the beginning of the prompt from turn to
    /// turn. With `budget.cut` chosen messages are cut as all others are, and of those that it passed over recall may quote what fits a
    /// request. A session with `budget.cut` gives it by itself. Goes with
    /// `candidates: "all"`. Default: none, the hook is asked about all older units each time.
    pub decided: Option<TriageDecisions>,
}

/// What triage has decided so far: of all older units up to one, which stay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TriageDecisions {
    /// The last unit that was decided, by the id of its first message; `#` and the position of one without an id. All before it are
    /// decided too, also those that come in later. Default: none was.
    pub through: Option<String>,
    /// Those of them that were chosen, named in the same way. All others were passed over.
    pub chosen: Vec<String>,
    /// A checksum of the options that they were decided with. With other options nothing is decided. Default: not checked.
    pub under: Option<String>,
}

/// What triage is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum TriageCandidates {
    /// All older units; with `maxCandidates`, the newest of them.
    All,
    /// Those that recall ranks best for the request, so that a long history costs no long prompt. Where nothing is
    /// ranked, all.
    Recalled,
}

/// What stays without an answer.
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
                "what recall ranks best is another choice with every request, and not decided for later ones",
                "Leave out triage.decided, or set triage.candidates to \"all\".",
            ));
        }
        Ok(())
    }

    /// Whether what is chosen stays in its place from turn to turn: it is remembered, and not quoted behind the history.
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
