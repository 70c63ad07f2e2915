//! Words: how a text is cut into terms, in which language it is, and which dates it names.

pub(crate) mod cues;
pub(crate) mod dates;
pub(crate) mod detect;
pub(crate) mod fold;
pub(crate) mod language;
pub mod terms;
pub(crate) mod words;
