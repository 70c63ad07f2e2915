//! Decisions of triage.

use crate::config::TriageDecisions;
use crate::state::trace::{NoteKind, Reason};

/// Decisions of triage.
#[derive(Debug, Default)]
pub struct Choice {
    /// The guaranteed recent.
    pub(super) recent: Vec<usize>,
    pub(super) chosen: Vec<usize>,
    /// Messages that it leaves out unless they are required, each with its reason.
    pub(super) left_out: Vec<(usize, Reason)>,
    pub(super) note: Option<(NoteKind, String)>,
    /// Decisions for later builds.
    pub(super) decided: Option<TriageDecisions>,
    /// True if rejected messages may be quoted after the history if recall ranks them best.
    pub(super) quotes_passed: bool,
}
