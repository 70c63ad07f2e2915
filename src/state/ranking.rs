//! The ranking of messages for the request.

use crate::base::candidate::Candidate;
use crate::base::message::Role;
use crate::log::unread::RecalledWords;
use crate::recall::index::Index;
use crate::recall::rank::query::Query;
use crate::recall::rank::reasons::Evidence;
use crate::recall::rank::score::Scores;
use std::rc::Rc;

/// The ranking of messages for the request.
#[derive(Clone, Debug)]
pub struct RankedMessages {
    /// The newest messages, newest first. They come before all others, up to their share.
    pub newest: Vec<usize>,
    /// The user's messages with standing instructions, best first. They have a separate share.
    pub standing: Vec<RankedPlace>,
    /// The user's other messages with a lasting statement, best first. They have a separate share.
    pub statements: Vec<RankedPlace>,
    /// The messages with any evidence, best first, with those that they bring along.
    pub candidates: Vec<Candidate<RankedPlace>>,
    /// Evidence for their relevance.
    pub evidence: RankEvidence,
}

/// Result of a ranking. A build that reads on and restarts reuses it if its basis is the same.
#[derive(Clone, Debug)]
pub struct ScoredRanking {
    /// The inputs of the ranking.
    pub basis: Basis,
    /// The analyzed request.
    pub query: Rc<Query>,
    /// The score of each message of the index.
    pub scores: Rc<Scores>,
    /// The messages with the best score for their cost, best first, with those that they bring
    /// along.
    pub best: Rc<Vec<Candidate<usize>>>,
    /// The messages with standing instructions, best first.
    pub standing: Rc<Vec<usize>>,
    /// The messages with another lasting statement, best first.
    pub statements: Rc<Vec<usize>>,
}

/// Inputs of a ranking.
#[derive(Clone, Debug)]
pub struct Basis {
    /// The messages.
    pub index: Rc<Index>,
    /// For each message, true if it may be kept for its rank.
    pub is_open: Vec<bool>,
    /// The request's text, and the name of its author.
    pub request: [String; 2],
    /// The role of its author.
    pub role: Role,
    /// The offsets of the time zone, if known.
    pub zone_offsets: Option<Vec<[i64; 2]>>,
}

impl PartialEq for Basis {
    fn eq(&self, other: &Self) -> bool {
        let Self { index, is_open, request, role, zone_offsets } = self;
        Rc::ptr_eq(index, &other.index)
            && *request == other.request
            && *role == other.role
            && *zone_offsets == other.zone_offsets
            && *is_open == other.is_open
    }
}

/// Place of a ranked message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankedPlace {
    /// In a row of the transcript.
    Row(usize),
    /// In the unread part of the log, by its place in the index.
    Unread(usize),
}

impl RankedPlace {
    /// Its row, if it was read.
    #[must_use]
    pub fn row(self) -> Option<usize> {
        match self {
            Self::Row(row) => Some(row),
            Self::Unread(_) => None,
        }
    }
}

/// Evidence for ranked messages.
#[derive(Clone, Debug)]
pub enum RankEvidence {
    /// The scores that determined the ranking.
    Found(Rc<Evidence>),
    /// A recording's words, if the ranking isn't computed again.
    Recorded(Vec<RecalledWords>),
}
