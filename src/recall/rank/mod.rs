//! Scores messages by their relevance to a request.

pub(crate) mod about;
pub(crate) mod flow;
pub mod lasting;
pub mod matched;
pub mod pairs;
pub(crate) mod parts;
pub(crate) mod passages;
pub mod query;
pub mod reasons;
pub mod score;
pub mod search;
pub mod scoring;
pub mod spread;
pub mod standing;
pub mod statements;
pub mod weights;
pub mod worth;
