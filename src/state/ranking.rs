//! How messages rank for the request.

use crate::log::unread::RecalledWords;
use crate::recall::rank::reasons::Evidence;
use std::rc::Rc;

/// How messages rank for the request.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// The newest, which come before all others as far as their share goes: newest first.
    pub newest: Vec<usize>,
    /// The messages that anything speaks for, the best first.
    pub candidates: Vec<RankedPlace>,
    /// What speaks for them.
    pub evidence: RankEvidence,
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
