//! The sizes of tool results and excerpts in a prompt.

use crate::base::map::Map;
use crate::prompt::excerpt::{Excerpt, LongText};

/// The shown part of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Size {
    /// A line that says how much is left out.
    #[default]
    Stub,
    /// The passages that recall chose, with about this many tokens together.
    Recalled(u64),
    /// Passages with about this many tokens together.
    Excerpt(u64),
    Whole,
}

impl Size {
    /// Approximate number of tokens shown.
    pub(super) const fn tokens(self) -> u64 {
        match self {
            Self::Stub => 0,
            Self::Recalled(tokens) | Self::Excerpt(tokens) => tokens,
            Self::Whole => u64::MAX,
        }
    }
}

/// A line after a result about another result of the same call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Note {
    /// A newer result is in the prompt whole. Only stubs have this line.
    NewerFollows,
    /// This many tokens of the earlier result are left out. `earlier` is its row.
    EarlierLeftOut { earlier: usize, tokens: u64 },
}

/// The sizes of results in a prompt.
#[derive(Debug, Default)]
pub(super) struct ResultSizes {
    /// For each message that isn't whole and may grow, or has a note: its size, by row.
    pub(super) sizes: Map<usize, Size>,
    /// Rows of the newest results.
    pub(super) newest: Vec<usize>,
    /// The initial size of the newest results.
    pub(super) newest_size: Size,
    /// The lines after results of repeated calls, by row.
    pub(super) notes: Map<usize, Note>,
    /// The passages that recall chose, each with its row.
    pub(super) recalled: Vec<(usize, Excerpt)>,
    /// The whole text of each message that was shown as an excerpt, with its passages, by row.
    pub(super) texts: Map<usize, LongText<'static>>,
}

impl ResultSizes {
    /// The passages of a row that recall chose.
    pub(super) fn recalled(&self, row: usize) -> Option<&Excerpt> {
        self.recalled.iter().find(|(found, _)| *found == row).map(|(_, shown)| shown)
    }

    /// Returns the rows that are stubs.
    pub(super) fn stubs(&self) -> Vec<usize> {
        let stubs = self.sizes.iter().filter(|(_, size)| **size == Size::Stub);
        stubs.map(|(row, _)| *row).collect()
    }
}
