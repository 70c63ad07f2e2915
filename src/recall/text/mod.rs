//! Analyzes texts. This module finds the dates that a text names; the crate `windrow_words` cuts it into words and
//! terms.

pub(crate) mod dates;

pub use windrow_meaning as meaning;
pub use windrow_words::{cues, detect, fold, hash, language, lists, runs, statements, terms};
