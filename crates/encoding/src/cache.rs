//! Remembers the token counts of pieces: the same words recur in any text.
//!
//! The cache has a fixed size, which needs no bookkeeping: each piece has one slot, and the latest piece to claim a
//! slot keeps it. The slot contains the piece itself, so a hit reads one place in memory and allocates nothing.

/// Slots for pieces of up to 14 bytes: half a mebibyte.
const SHORT_SLOTS: usize = 1 << 15;
/// Slots for pieces of up to 62 bytes: half a mebibyte.
const LONG_SLOTS: usize = 1 << 13;
/// Maximum length of a piece in a short slot, in bytes.
pub(super) const LONGEST_SHORT: usize = 14;

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
    /// Returns the count of a piece of at most [`LONGEST_SHORT`] bytes from the cache, or counts and remembers it.
    /// `words` starts with the piece's bytes; other bytes may follow.
    #[inline]
    pub(super) fn get_short(
        &mut self,
        words: [u64; 2],
        length: usize,
        count: impl FnOnce() -> u64,
    ) -> u64 {
        let [low, high] = MASKS[length.min(LONGEST_SHORT)];
        self.short.get_or_count([words[0] & low, words[1] & high], length, count)
    }

    /// Returns the count of a piece of any length.
    #[inline]
    pub(super) fn get_any(&mut self, piece: &[u8], count: impl FnOnce() -> u64) -> u64 {
        match piece.len() {
            ..=LONGEST_SHORT => self.short.get_or_count(words_of(piece), piece.len(), count),
            15..=62 => self.long.get_or_count(words_of(piece), piece.len(), count),
            _ => count(),
        }
    }
}

/// Masks, indexed by a number of bytes: each keeps that many bytes of two words.
static MASKS: [[u64; 2]; LONGEST_SHORT + 1] = {
    let mut masks = [[0; 2]; LONGEST_SHORT + 1];
    let mut length = 1;
    while length <= LONGEST_SHORT {
        masks[length] = masks[length - 1];
        let last = length - 1;
        masks[length][last / 8] |= 0xff << (8 * (last % 8));
        length += 1;
    }
    masks
};

/// The bytes of a piece in words, with zeros after them.
#[inline]
pub(super) fn words_of<const WORDS: usize>(piece: &[u8]) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    let (full, rest) = piece.as_chunks::<8>();
    for (word, bytes) in words.iter_mut().zip(full) {
        *word = u64::from_le_bytes(*bytes);
    }
    if let Some(word) = words.get_mut(full.len()) {
        *word = rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    }
    words
}

/// Slots of `WORDS` words each. A slot contains the piece, padded with zeros, and its length and count in the two
/// highest bytes of the last word.
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
        mut key: [u64; WORDS],
        length: usize,
        count: impl FnOnce() -> u64,
    ) -> u64 {
        key[WORDS - 1] |= (length as u64) << Self::LENGTH_SHIFT;
        let mut hash = 0_u64;
        for word in key {
            hash = (hash.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }

        let place = (hash >> 32) as usize & (self.0.len() - 1);
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
