//! What triage decides.

use crate::config::TriageDecisions;
use crate::state::trace::{NoteKind, Reason};

/// What triage decides.
#[derive(Debug, Default)]
pub struct Choice {
    /// The guaranteed recent.
    pub(super) recent: Vec<usize>,
    pub(super) chosen: Vec<usize>,
    /// What it leaves out unless it is required, and why.
    pub(super) left_out: Vec<(usize, Reason)>,
    pub(super) note: Option<(NoteKind, String)>,
    /// What is decided for later builds.
    pub(super) decided: Option<TriageDecisions>,
    /// Whether what is passed may be quoted behind the history, where recall ranks it best.
    pub(super) quotes_passed: bool,
}
