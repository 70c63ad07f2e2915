//! Stage 2, `filter`: leaves out kinds of messages.

use crate::config::FilterConfig;
use crate::draft::{Draft, Flow};
use crate::error::Result;
use crate::trace::Reason;
use crate::transcript::Field;

/// Leaves out messages by role, source and tag.
///
/// # Errors
///
/// None.
pub fn run(draft: &mut Draft) -> Result<Flow> {
    for row in draft.open_rows() {
        if let Some(reason) = unwanted(draft, row) {
            draft.leave_out(row, reason);
        }
    }
    Ok(Flow::Next)
}

fn unwanted(draft: &Draft, row: usize) -> Option<Reason> {
    let FilterConfig { roles, exclude_sources, exclude_tags } = &draft.config.filter;
    let has_one_of = |field, unwanted: &[String]| {
        !unwanted.is_empty()
            && draft.transcript.values(row, field).any(|value| unwanted.iter().any(|u| u == value))
    };
    let role = draft.transcript.role(row);
    if roles.as_ref().is_some_and(|roles| !roles.contains(&role)) {
        Some(Reason::Role)
    } else if has_one_of(Field::Source, exclude_sources) {
        Some(Reason::Source)
    } else if has_one_of(Field::Tag, exclude_tags) {
        Some(Reason::Tag)
    } else {
        None
    }
}
