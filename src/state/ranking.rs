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
    /// The messages that may be kept for their rank.
    pub open: OpenMessages,
    /// The request's text, and the name of its author.
    pub request: [String; 2],
    /// The role of its author.
    pub role: Role,
    /// The offsets of the time zone, if known.
    pub zone_offsets: Option<Vec<[i64; 2]>>,
}

impl PartialEq for Basis {
    fn eq(&self, other: &Self) -> bool {
        let Self { index, open, request, role, zone_offsets } = self;
        Rc::ptr_eq(index, &other.index)
            && *request == other.request
            && *role == other.role
            && *zone_offsets == other.zone_offsets
            && *open == other.open
    }
}

/// The messages of an index that may be kept for their rank.
#[derive(Clone, Debug)]
pub struct OpenMessages {
    is_open: Vec<bool>,
    /// The value of a usual message. The exceptions have the other one.
    usual: bool,
    /// The messages with the other value. Comparing and counting these is faster than comparing all messages.
    exceptions: Vec<usize>,
}

impl OpenMessages {
    /// The same for each of `count` messages.
    #[must_use]
    pub fn new(count: usize, usual: bool) -> Self {
        Self { is_open: vec![usual; count], usual, exceptions: Vec::new() }
    }

    /// Sets if a message may be kept. Call it at most once for each message.
    pub fn set(&mut self, message: usize, is_open: bool) {
        if is_open != self.usual {
            self.is_open[message] = is_open;
            self.exceptions.push(message);
        }
    }

    /// For each message, true if it may be kept.
    #[must_use]
    pub fn as_slice(&self) -> &[bool] {
        &self.is_open
    }

    /// Number of messages that may not be kept.
    #[must_use]
    pub fn closed_count(&self) -> usize {
        let others = self.exceptions.len();
        if self.usual { others } else { self.is_open.len() - others }
    }
}

impl PartialEq for OpenMessages {
    fn eq(&self, other: &Self) -> bool {
        self.is_open.len() == other.is_open.len()
            && self.usual == other.usual
            && self.exceptions == other.exceptions
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
