//! Analysis of texts. The dates that a text names are found here; the crate `windrow_words` cuts it into words and
//! terms.

pub(crate) mod dates;

pub use windrow_meaning as meaning;
pub use windrow_words::{cues, detect, fold, hash, language, lists, statements, terms};
