//! Lists that grow by whole blocks: growing neither copies them nor doubles their memory, which WebAssembly would never
//! return.

use std::ops::Index;

/// The number of bits of an entry's place in its block.
const BITS: u32 = 10;
const LENGTH: usize = 1 << BITS;

/// A list of small entries that changes only at its end.
#[derive(Clone, Debug)]
pub(crate) struct Blocks<T> {
    /// Full blocks, then one that has room.
    blocks: Vec<Vec<T>>,
    length: usize,
}

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Self { blocks: Vec::new(), length: 0 }
    }
}

impl<T: Copy> Blocks<T> {
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    #[inline]
    pub(crate) fn get(&self, at: usize) -> Option<T> {
        self.blocks.get(at >> BITS)?.get(at % LENGTH).copied()
    }

    pub(crate) fn last(&self) -> Option<T> {
        self.get(self.length.checked_sub(1)?)
    }

    pub(crate) fn push(&mut self, entry: T) {
        if self.length.is_multiple_of(LENGTH) {
            // The first block grows, because many lists are short.
            let room = if self.length == 0 { 0 } else { LENGTH };
            self.blocks.push(Vec::with_capacity(room));
        }
        self.blocks[self.length >> BITS].push(entry);
        self.length += 1;
    }

    pub(crate) fn truncate(&mut self, length: usize) {
        if length < self.length {
            self.length = length;
            self.blocks.truncate(length.div_ceil(LENGTH));
            if let Some(last) = self.blocks.last_mut() {
                last.truncate((length - 1) % LENGTH + 1);
            }
        }
    }

    /// The number of entries before the first one without a property that all entries before it have.
    pub(crate) fn partition_point(&self, has: impl Fn(T) -> bool) -> usize {
        let (mut low, mut high) = (0, self.length);
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.get(middle).is_some_and(&has) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

impl<T> Index<usize> for Blocks<T> {
    type Output = T;

    fn index(&self, at: usize) -> &T {
        &self.blocks[at >> BITS][at % LENGTH]
    }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use windrow_property::properties;

    properties! {
        /// It agrees with a plain list, and has room for at most one block more.
        #[test]
        fn it_is_a_list(steps in prop::collection::vec((0_usize..3000, 0_usize..4000), 0..6)) {
            let (mut blocks, mut list) = (Blocks::default(), Vec::new());
            for (count, length) in steps {
                for _ in 0..count {
                    blocks.push(list.len());
                    list.push(list.len());
                }
                blocks.truncate(length);
                list.truncate(length);
                prop_assert_eq!(blocks.len(), list.len());
                prop_assert_eq!(blocks.last(), list.last().copied());
                prop_assert!((0..=list.len()).all(|at| blocks.get(at) == list.get(at).copied()));
                prop_assert_eq!(blocks.partition_point(|it| it < count), count.min(list.len()));
                let room: usize = blocks.blocks.iter().map(Vec::capacity).sum();
                prop_assert!(room <= list.len() + LENGTH);
            }
        }
    }
}
