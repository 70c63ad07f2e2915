//! How messages rank for the request.

use crate::base::candidate::Candidate;
use crate::base::message::Role;
use crate::log::unread::RecalledWords;
use crate::recall::index::Index;
use crate::recall::rank::query::Query;
use crate::recall::rank::reasons::Evidence;
use crate::recall::rank::score::Scores;
use std::rc::Rc;

/// How messages rank for the request.
#[derive(Clone, Debug)]
pub struct RankedMessages {
    /// The newest, which come before all others as far as their share goes: newest first.
    pub newest: Vec<usize>,
    /// The user's own messages that say what holds throughout, the best first: they have a share of their own.
    pub standing: Vec<RankedPlace>,
    /// The user's other messages with a lasting statement, the best first. They have a separate share.
    pub statements: Vec<RankedPlace>,
    /// The messages that anything speaks for, the best first, with those that they bring.
    pub candidates: Vec<Candidate<RankedPlace>>,
    /// What speaks for them.
    pub evidence: RankEvidence,
}

/// What a ranking found. A build that reads on and begins anew needs it again, while nothing that it was made from changes.
#[derive(Clone, Debug)]
pub struct ScoredRanking {
    /// What it was made from.
    pub basis: Basis,
    /// The request, analysed.
    pub query: Rc<Query>,
    /// What each message of the index scores.
    pub scores: Rc<Scores>,
    /// Those that are worth most for their price, the best first, with those that they bring.
    pub best: Rc<Vec<Candidate<usize>>>,
    /// Those that say what holds throughout, the best first.
    pub standing: Rc<Vec<usize>>,
    /// Those with another lasting statement, the best first.
    pub statements: Rc<Vec<usize>>,
}

/// What a ranking is made from.
#[derive(Clone, Debug)]
pub struct Basis {
    /// The messages.
    pub index: Rc<Index>,
    /// By message: whether it may be kept for its rank.
    pub is_open: Vec<bool>,
    /// The request's text, and the name of its author.
    pub request: [String; 2],
    /// The role of its author.
    pub role: Role,
    /// The offsets of the time zone, as far as they are known.
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

/// Where a message that ranks is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankedPlace {
    /// In a row of the transcript.
    Row(usize),
    /// In the part of the log that was not read, by its place in the index.
    Unread(usize),
}

impl RankedPlace {
    /// Its row, where it was read.
    #[must_use]
    pub fn row(self) -> Option<usize> {
        match self {
            Self::Row(row) => Some(row),
            Self::Unread(_) => None,
        }
    }
}

/// What speaks for messages that rank.
#[derive(Clone, Debug)]
pub enum RankEvidence {
    /// The scores that they were ranked by.
    Found(Rc<Evidence>),
    /// The words of a recording, where the ranking is not made again.
    Recorded(Vec<RecalledWords>),
}
