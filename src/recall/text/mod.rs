//! What the words of a text say. Which dates it names is here; how it is cut into words and terms is a crate of its own.

pub(crate) mod dates;

pub use windrow_meaning as meaning;
pub use windrow_words::{cues, detect, fold, hash, language, lists, statements, terms};
