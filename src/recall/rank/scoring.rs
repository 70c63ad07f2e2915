//! Inputs of scoring.

use crate::recall::index::Index;
use crate::recall::rank::query::Query;
use crate::recall::rank::weights::Weights;

/// Inputs of scoring.
#[derive(Clone, Copy, Debug)]
pub struct Scoring<'a> {
    /// The messages.
    pub index: &'a Index,
    /// The request.
    pub query: &'a Query,
    /// For each message, true if it may be recalled.
    pub is_open: &'a [bool],
    /// Each message's similarity in meaning to the request, from -1 to 1, from the hook `recall.embed` or the table of
    /// token vectors.
    pub similarities: Option<&'a [f32]>,
    /// The weights: [`Weights::TUNED`], or others in a program that tunes them.
    pub weights: &'a Weights,
}
