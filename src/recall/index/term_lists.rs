//! The terms of each message, in blocks: growing copies nothing.

use crate::base::blocks::Blocks;
use crate::recall::index::segment::narrow;

/// The number of messages in a block.
const MESSAGES: usize = 64;

/// A list of terms for each message.
#[derive(Clone, Debug, Default)]
pub(super) struct TermLists {
    /// The terms of [`MESSAGES`] messages each.
    blocks: Vec<Vec<u32>>,
    /// The end of each message's terms in its block.
    ends: Blocks<u32>,
}

impl TermLists {
    /// Adds the terms of the next message.
    pub(super) fn push(&mut self, terms: impl Iterator<Item = u32>) {
        if self.ends.len().is_multiple_of(MESSAGES) {
            if let Some(last) = self.blocks.last_mut() {
                last.shrink_to_fit();
            }
            self.blocks.push(Vec::new());
        }
        if let Some(block) = self.blocks.last_mut() {
            block.extend(terms);
            self.ends.push(narrow(block.len()));
        }
    }

    /// The terms of a message.
    pub(super) fn of(&self, message: usize) -> &[u32] {
        let begin = match message % MESSAGES {
            0 => 0,
            _ => self.ends[message - 1],
        };
        &self.blocks[message / MESSAGES][begin as usize..self.ends[message] as usize]
    }

    /// Keeps the first `length` lists.
    pub(super) fn truncate(&mut self, length: usize) {
        self.ends.truncate(length);
        self.blocks.truncate(length.div_ceil(MESSAGES));
        if let Some(block) = self.blocks.last_mut().filter(|_| !length.is_multiple_of(MESSAGES)) {
            block.truncate(self.ends[length - 1] as usize);
        }
    }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use windrow_property::properties;

    properties! {
        /// It agrees with a plain list of lists.
        #[test]
        fn it_is_a_list_of_lists(
            steps in prop::collection::vec(
                (prop::collection::vec(prop::collection::vec(0_u32..9, 0..4), 0..200), 0_usize..400),
                0..5,
            ),
        ) {
            let (mut lists, mut plain) = (TermLists::default(), Vec::<Vec<u32>>::new());
            for (more, length) in steps {
                for terms in more {
                    lists.push(terms.iter().copied());
                    plain.push(terms);
                }
                if length < plain.len() {
                    lists.truncate(length);
                    plain.truncate(length);
                }
                prop_assert!((0..plain.len()).all(|at| lists.of(at) == plain[at]));
            }
        }
    }
}
