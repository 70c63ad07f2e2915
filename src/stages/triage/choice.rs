//! Decisions of triage.

use crate::config::TriageDecisions;
use crate::state::trace::{NoteKind, Reason};

/// Decisions of triage.
#[derive(Debug, Default)]
pub struct Choice {
    /// The guaranteed newest messages.
    pub(super) recent: Vec<usize>,
    pub(super) chosen: Vec<usize>,
    /// Messages that triage leaves out unless they are required, each with its reason.
    pub(super) left_out: Vec<(usize, Reason)>,
    pub(super) note: Option<(NoteKind, String)>,
    /// Decisions for later builds.
    pub(super) decided: Option<TriageDecisions>,
    /// True if recall may quote rejected messages after the history.
    pub(super) quotes_passed: bool,
}
