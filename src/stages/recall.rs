//! Stage 4, `recall`: what the hook finds about the request, for the section of kind `recall`.
//!
//! The focus says how broad recall is. A failure is a note, never an error: the context is built without.

use crate::ask::{Answer, HookName, Need, Outcome, StageResult};
use crate::config::SectionKind;
use crate::context::{RecallReport, RecallStatus};
use crate::draft::Draft;
use crate::focus::focus;
use crate::trace::NoteKind;
use crate::unread;

/// Computes the focus, and asks the hook where there is one and a section for what it finds.
///
/// # Errors
///
/// Stops to ask for older messages, and the hook.
pub fn run(draft: &mut Draft) -> StageResult {
    draft.context.focus = focus(&draft.config.recall);
    if draft.config.section(SectionKind::Recall).is_none() {
        return Ok(());
    }
    let query = draft.request_text();
    if query.is_empty() && draft.request.is_none() {
        unread::ask_for_more(draft, &[])?; // the newest user message may be among what was not read
    }
    let (status, hits) = if query.trim().is_empty() {
        (RecallStatus::EmptyQuery, 0)
    } else if let Some(answer) = draft.answer_of(HookName::Recall) {
        let items = answer.items.as_deref().unwrap_or_default();
        let has_text = items.iter().any(|item| !item.text.trim().is_empty());
        let hits = if has_text { items.len() } else { 0 };
        match answer.outcome {
            Outcome::Given => (RecallStatus::Ok, hits),
            Outcome::Unavailable => (RecallStatus::Unavailable, 0),
            Outcome::Failed => {
                let reason = answer.reason.clone().unwrap_or_default();
                draft.note(NoteKind::RecallFailed, format!("recall failed: {reason}"));
                (RecallStatus::Failed, 0)
            }
        }
    } else if draft.hook(&[HookName::Recall]).is_some() {
        let focus = &draft.context.focus;
        return Err(Need::Recall {
            query,
            max_items: focus.max_items,
            max_chars: focus.max_chars,
            focus: focus.level,
            timeout_ms: draft.config.recall.timeout_ms,
        }
        .into());
    } else {
        (RecallStatus::Unavailable, 0)
    };
    if status == RecallStatus::Unavailable {
        draft.note(NoteKind::RecallUnavailable, "nothing could be recalled: there is no recall");
    }
    draft.context.recall = Some(RecallReport { status, hits });
    Ok(())
}

/// An answer as far as it is used: as many items as were asked for.
pub(crate) fn understand(max_items: u64, mut answer: Answer) -> Answer {
    match &mut answer.items {
        Some(items) => items.truncate(max_items.try_into().unwrap_or(usize::MAX)),
        None if answer.outcome == Outcome::Given => {
            answer.outcome = Outcome::Failed;
            answer.reason = Some("the answer is no list".to_owned());
        }
        None => {}
    }
    answer
}
