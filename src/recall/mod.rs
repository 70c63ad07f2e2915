//! Finding what a request is about: the index of all messages, and the scores that they get for a request.

mod about;
mod dates;
mod flow;
mod fold;
pub mod index;
mod language;
pub mod log;
pub(crate) mod passages;
pub mod query;
pub mod reasons;
pub mod score;
mod spread;
pub mod terms;
pub mod vectors;
mod words;
