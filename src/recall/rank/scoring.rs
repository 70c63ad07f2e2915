//! What is scored, and by which weights.

use crate::recall::index::Index;
use crate::recall::rank::query::Query;
use crate::recall::rank::weights::Weights;

/// What is scored, and by which weights.
#[derive(Clone, Copy, Debug)]
pub struct Scoring<'a> {
    /// The messages.
    pub index: &'a Index,
    /// The request.
    pub query: &'a Query,
    /// By message: whether it may be recalled.
    pub is_open: &'a [bool],
    /// By message: how near its meaning is to the request, from -1 to 1, by the hook `recall.embed` or by the table of meanings.
    pub similarities: Option<&'a [f32]>,
    /// The weights: [`Weights::TUNED`], or others of a program that looks for better ones.
    pub weights: &'a Weights,
}
