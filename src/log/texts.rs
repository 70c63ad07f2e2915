//! Texts one after another, in blocks: growing copies nothing.
//!
//! A text is never in two blocks, so it is a slice. Its start names the block and the place in it. The next text begins
//! at its end, or in another block, so its length isn't stored.

/// The number of bits of a place in a block.
const BITS: u32 = 16;
const LENGTH: u64 = 1 << BITS;

/// Texts that change only at their end.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    /// A text that is longer than a block has a block to itself, and empty blocks follow for the rest of its places.
    blocks: Vec<String>,
    /// The first free place.
    end: u64,
}

/// Returns the start of a text of `length` bytes, and the first free place after it. `end` is the first free place
/// before it.
pub(super) fn place(end: u64, length: usize) -> (u64, u64) {
    let length = length as u64;
    let fits = end % LENGTH + length <= LENGTH;
    let start = if fits { end } else { end.next_multiple_of(LENGTH) };
    let after = start + length;
    (start, if length > LENGTH { after.next_multiple_of(LENGTH) } else { after })
}

fn block_of(start: u32) -> usize {
    (start >> BITS) as usize
}

fn place_in_block(start: u32) -> usize {
    (u64::from(start) % LENGTH) as usize
}

impl Texts {
    /// The first free place.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Adds a text. Its start is the one that [`place`] returns.
    pub(super) fn push(&mut self, text: &str) {
        let (start, end) = place(self.end, text.len());
        self.end = end;
        if text.is_empty() {
            return;
        }
        let block = (start >> BITS) as usize;
        if block >= self.blocks.len() {
            if let Some(last) = self.blocks.last_mut() {
                last.shrink_to_fit();
            }
            self.blocks.resize_with(block, String::new);
            // The first block grows, because many chats are short.
            let room = if block == 0 { 0 } else { 1 << BITS };
            self.blocks.push(String::with_capacity(room.max(text.len())));
        }
        self.blocks[block].push_str(text);
    }

    /// The text at a start. `next` is the start of the next text.
    #[inline]
    pub(super) fn get(&self, start: u32, next: Option<u32>) -> &str {
        let block = block_of(start);
        let text = self.blocks.get(block).map_or("", |text| &text[place_in_block(start)..]);
        match next.filter(|next| block_of(*next) == block) {
            Some(next) => &text[..(next - start) as usize],
            None => text,
        }
    }

    /// Forgets the text at a start and all after it.
    pub(super) fn truncate(&mut self, start: u32) {
        let block = block_of(start);
        self.blocks.truncate(block + 1);
        if let Some(text) = self.blocks.get_mut(block) {
            text.truncate(place_in_block(start));
        }
        self.end = start.into();
    }

    /// The first place with at most `bytes` bytes after it.
    pub(super) fn place_before_last(&self, bytes: u64) -> u64 {
        let mut left = bytes;
        for (block, text) in self.blocks.iter().enumerate().rev() {
            let length = text.len() as u64;
            if length > left {
                return ((block as u64) << BITS) + length - left;
            }
            left -= length;
        }
        0
    }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use windrow_property::properties;

    properties! {
        /// It agrees with a plain list of texts.
        #[test]
        fn it_is_a_list(
            steps in prop::collection::vec((prop::collection::vec(0_usize..9, 0..40), 0_usize..80), 0..5),
            bytes in 0_u64..400_000,
        ) {
            const LENGTHS: [usize; 9] = [0, 0, 1, 40, 3_000, 30_000, 65_535, 65_536, 150_000];
            let (mut texts, mut list) = (Texts::default(), Vec::<(u32, String)>::new());
            for (kinds, length) in steps {
                for kind in kinds {
                    let text = ["a", "b", "c"][list.len() % 3].repeat(LENGTHS[kind]);
                    let start = u32::try_from(place(texts.end(), text.len()).0).expect("short texts");
                    texts.push(&text);
                    list.push((start, text));
                }
                if let Some((start, _)) = list.get(length) {
                    texts.truncate(*start);
                    list.truncate(length);
                }
                for (at, (start, text)) in list.iter().enumerate() {
                    prop_assert!(texts.get(*start, list.get(at + 1).map(|next| next.0)) == text);
                }
                let place = texts.place_before_last(bytes);
                for (at, (start, _)) in list.iter().enumerate() {
                    let rest: usize = list[at..].iter().map(|it| it.1.len()).sum();
                    prop_assert_eq!(u64::from(*start) < place, rest as u64 > bytes);
                }
            }
        }
    }
}
