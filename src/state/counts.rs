//! Counts by the hook `countTokens`.

use crate::base::error::{Error, ErrorCode, Result};
use crate::base::map::HashedMap;
use crate::state::ask::{Answer, Outcome};
use std::cell::RefCell;

/// Counts by the hook `countTokens`.
#[derive(Debug, Default)]
pub struct Counts(pub(crate) RefCell<HashedMap<String, u64>>);

impl Counts {
    /// Remembers the counts of texts.
    ///
    /// # Errors
    ///
    /// `HOOK_FAILED` if the answer lacks a count for a text.
    pub(crate) fn learn(&self, texts: Vec<String>, answer: &Answer) -> Result<()> {
        let counts = answer.counts.as_ref().filter(|counts| counts.len() == texts.len());
        let (Outcome::Given, Some(counts)) = (answer.outcome, counts) else {
            let reason = match &answer.reason {
                Some(reason) => reason.clone(),
                None => "the number of counts differs from the number of texts".to_owned(),
            };
            return Err(Error::new(
                ErrorCode::HookFailed,
                format!("the hook failed: {reason}"),
                "Pass an integer of 0 or more for each text, or leave countTokens out.",
            )
            .at("countTokens"));
        };
        self.0.borrow_mut().extend(texts.into_iter().zip(counts.iter().copied()));
        Ok(())
    }
}
