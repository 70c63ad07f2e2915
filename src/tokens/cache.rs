//! Remembers the counts of pieces: in any text the same words come again and again.
//!
//! Of fixed size, so that it is bounded without any bookkeeping: a piece has one place, and the latest one to claim
//! it is kept. The piece itself lies in the slot, so that a hit reads one place of memory and no piece is allocated.

/// Slots for pieces of up to 14 bytes: half a mebibyte.
const SHORT_SLOTS: usize = 1 << 15;
/// Slots for pieces of up to 62 bytes: half a mebibyte.
const LONG_SLOTS: usize = 1 << 13;

/// Counts of pieces of up to 62 bytes.
pub(super) struct Cache {
    short: Slots<2>,
    long: Slots<8>,
}

impl Default for Cache {
    fn default() -> Self {
        Self { short: Slots::new(SHORT_SLOTS), long: Slots::new(LONG_SLOTS) }
    }
}

impl Cache {
    /// The count of the piece from `start` to `end` of `text`: remembered, or counted and remembered.
    #[inline]
    pub(super) fn get_or_count(
        &mut self,
        text: &[u8],
        start: usize,
        end: usize,
        count: impl FnOnce() -> u64,
    ) -> u64 {
        match end - start {
            ..=14 => self.short.get_or_count(text, start, end, count),
            15..=62 => self.long.get_or_count(text, start, end, count),
            _ => count(),
        }
    }
}

/// Slots of so many words each: the piece with zeros after it, but in the last word's two highest bytes its length
/// and its count.
struct Slots<const WORDS: usize>(Vec<[u64; WORDS]>);

impl<const WORDS: usize> Slots<WORDS> {
    const COUNT_SHIFT: u32 = 56;
    const LENGTH_SHIFT: u32 = 48;

    /// `slots` is a power of two.
    fn new(slots: usize) -> Self {
        Self(vec![[0; WORDS]; slots])
    }

    #[inline]
    fn get_or_count(
        &mut self,
        text: &[u8],
        start: usize,
        end: usize,
        count: impl FnOnce() -> u64,
    ) -> u64 {
        let mut key = [0; WORDS];
        let mut hash = 0_u64;
        let mut at = start;
        for word in &mut key {
            if at < end {
                *word = word_at(text, at, end);
                at += 8;
            }
        }
        key[WORDS - 1] |= ((end - start) as u64) << Self::LENGTH_SHIFT;
        for word in key {
            hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        }

        #[expect(clippy::cast_possible_truncation, reason = "only the low bits are used")]
        let place = hash as usize & (self.0.len() - 1);
        let slot = &mut self.0[place];
        let known = slot[WORDS - 1] >> Self::COUNT_SHIFT;
        key[WORDS - 1] |= known << Self::COUNT_SHIFT;
        if *slot == key && known != 0 {
            return known;
        }
        let count = count();
        key[WORDS - 1] = key[WORDS - 1] << 8 >> 8 | count << Self::COUNT_SHIFT;
        *slot = key;
        count
    }
}

/// Up to eight bytes of `text` from `at`, those from `end` on as zeros.
#[inline]
fn word_at(text: &[u8], at: usize, end: usize) -> u64 {
    let mut eight = [0; 8];
    match text.get(at..at + 8) {
        Some(bytes) => eight.copy_from_slice(bytes),
        None => {
            for (to, from) in eight.iter_mut().zip(&text[at..]) {
                *to = *from;
            }
        }
    }
    let beyond = 8_usize.saturating_sub(end - at);
    u64::from_le_bytes(eight) << (8 * beyond) >> (8 * beyond)
}
