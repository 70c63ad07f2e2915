//! Finds the direction of an English text in a space of meanings: the sum of its tokens' vectors, which come from a
//! table.
//!
//! Texts about the same topic point in similar directions, even if they share no words: "I can't eat shellfish" and
//! "Which restaurant do you suggest?". No model runs. `scripts/meaning` makes the table, fitted so that the sums are as
//! close as possible to a sentence model's vectors.
//!
//! This is a separate crate because it reads every word of every message and is built for speed. Sums are integers, so
//! every host computes the same directions.
#![forbid(unsafe_code)]

use std::fmt;
use windrow_words::fold::{fold, prepare};
use xxhash_rust::xxh64::xxh64;

/// A table of tokens and their vectors.
pub struct Table {
    /// Slots, indexed by the last bits of a token's hash. A slot has the token's place plus one, or 0 if it is free. A
    /// token whose slot is taken gets the next free one.
    slots: Vec<u32>,
    /// The hash of each token.
    hashes: Vec<u64>,
    /// Maximum length of a token, in bytes.
    longest: usize,
    dimensions: usize,
    /// The vectors, one after another, each with its own scale.
    components: Vec<i8>,
    /// For each token, the scale of its vector, as a power of 2. Frequent tokens have the finest scale.
    shifts: Vec<u8>,
    checksum: u64,
}

/// The bytes aren't a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidTable;

/// The checksum of the table in `crates/meaning/table.bin`. Directions from another table would lead to different
/// contexts.
pub const TABLE_CHECKSUM: u64 = 0x8617_3a1e_87e7_efd8;

/// "meaning1"
const MAGIC: u64 = u64::from_le_bytes(*b"meaning1");
/// Maximum number of components of a vector, and of tokens in a table. Within these limits, the sums of any text stay
/// far below 2^31.
const MOST_DIMENSIONS: usize = 1024;
const MOST_TOKENS: usize = 1 << 17;
const MOST_SHIFT: u8 = 7;
/// The sum of this many components fits 16 bits.
const MOST_ADDED: usize = 255;
/// Maximum length of a word in bytes. Longer words are ignored.
const LONGEST_WORD: usize = 64;
/// Prefix of a token that continues a word.
const GOES_ON: &str = "##";
/// Value of the largest component of a direction after scaling.
const LARGEST: f64 = 127.0;

impl Table {
    /// Reads a table from the bytes of its file.
    ///
    /// ```text
    /// "meaning1"  checksum of the rest (u64)  dimensions, tokens, bytes of their texts (u32 each)
    /// the tokens' texts, a line each  their shifts (u8)  first components of all tokens (i8), second components, …
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidTable`] if the bytes are damaged or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, InvalidTable> {
        Self::read(bytes).ok_or(InvalidTable)
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (magic, rest) = bytes.split_first_chunk()?;
        let (checksum, body) = rest.split_first_chunk()?;
        let checksum = u64::from_le_bytes(*checksum);
        if u64::from_le_bytes(*magic) != MAGIC || checksum != xxh64(body, 0) {
            return None;
        }
        let mut rest = body;
        let mut number = || -> Option<usize> {
            let (number, behind) = rest.split_first_chunk()?;
            rest = behind;
            usize::try_from(u32::from_le_bytes(*number)).ok()
        };
        let [dimensions, count, length] = [number()?, number()?, number()?];
        if !(1..=MOST_DIMENSIONS).contains(&dimensions) || !(1..=MOST_TOKENS).contains(&count) {
            return None;
        }
        let (texts, rest) = rest.split_at_checked(length)?;
        let (shifts, columns) = rest.split_at_checked(count)?;
        if columns.len() != count * dimensions || shifts.iter().any(|shift| *shift > MOST_SHIFT) {
            return None;
        }
        let mut table = Self {
            slots: vec![0; 2 * count.next_power_of_two()],
            hashes: Vec::with_capacity(count),
            longest: 0,
            dimensions,
            components: vec![0; columns.len()],
            shifts: shifts.to_vec(),
            checksum,
        };
        for token in std::str::from_utf8(texts).ok()?.lines() {
            let (token, is_start) =
                token.strip_prefix(GOES_ON).map_or((token, true), |it| (it, false));
            table.longest = table.longest.max(token.len());
            table.add(hash(token.as_bytes(), is_start))?;
        }
        if table.hashes.len() != count {
            return None;
        }
        for (dimension, column) in columns.chunks_exact(count).enumerate() {
            for (token, component) in column.iter().enumerate() {
                table.components[token * dimensions + dimension] = i8::from_le_bytes([*component]);
            }
        }
        Some(table)
    }

    /// Adds a token. Returns None if it is there already, or if the table is full.
    fn add(&mut self, hash: u64) -> Option<()> {
        let slot = self.slot(hash);
        if self.slots[slot] != 0 || 2 * self.hashes.len() >= self.slots.len() {
            return None;
        }
        self.hashes.push(hash);
        self.slots[slot] = u32::try_from(self.hashes.len()).ok()?;
        Some(())
    }

    /// The slot of a token, or the free slot that it would get. At least half of all slots are free.
    fn slot(&self, hash: u64) -> usize {
        let last = self.slots.len() - 1;
        #[expect(clippy::cast_possible_truncation, reason = "its last bits")]
        let mut slot = hash as usize & last;
        while let Some(place) = self.slots[slot].checked_sub(1)
            && self.hashes[place as usize] != hash
        {
            slot = (slot + 1) & last;
        }
        slot
    }

    /// The place of a token.
    fn place(&self, token: &[u8], is_start: bool) -> Option<usize> {
        let place = self.slots[self.slot(hash(token, is_start))].checked_sub(1)?;
        Some(place as usize)
    }

    /// The checksum of the table. Directions of different tables can't be compared.
    #[must_use]
    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    /// Number of components of a direction.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns an adder that computes directions with this table.
    #[must_use]
    pub fn adder(&self) -> Adder<'_> {
        let [sums, steps] = [self.dimensions; 2];
        Adder {
            table: self,
            spelling: [String::new(), String::new()],
            pieces: Vec::new(),
            by_shift: Default::default(),
            sums: vec![0; sums],
            steps: vec![0; steps],
        }
    }

    /// Cuts a word into the longest tokens in the table, from left to right. A word whose end matches no token yields
    /// none.
    fn cut(&self, word: &[u8], pieces: &mut Vec<usize>) {
        let mut start = 0;
        if word.len() > LONGEST_WORD {
            return;
        }
        while start < word.len() {
            let most = word.len().min(start + self.longest);
            let piece = |end: usize| Some((end, self.place(&word[start..end], start == 0)?));
            let Some((end, place)) = (start + 1..=most).rev().find_map(piece) else {
                pieces.clear();
                return;
            };
            pieces.push(place);
            start = end;
        }
    }
}

/// Adds up the vectors of one text after another, reusing its buffers.
#[derive(Debug)]
pub struct Adder<'a> {
    table: &'a Table,
    /// The text, prepared and folded.
    spelling: [String; 2],
    pieces: Vec<usize>,
    /// The text's tokens, by their shifts.
    by_shift: [Vec<usize>; MOST_SHIFT as usize + 1],
    sums: Vec<i32>,
    steps: Vec<i16>,
}

impl Adder<'_> {
    /// Writes the direction of a text to `direction`, as components from -127 to 127. The direction of a text without
    /// known words is all zeros.
    ///
    /// # Panics
    ///
    /// If the length of `direction` isn't [`Table::dimensions`].
    pub fn direct(&mut self, text: &str, direction: &mut [i8]) {
        let Self { table, spelling: [prepared, folded], pieces, by_shift, sums, steps } = self;
        prepared.clear();
        prepare(text, prepared);
        folded.clear();
        fold(prepared, folded);
        // Tokens with the same step are added together: small integers hold the sums of a few, which is faster.
        for word in folded.as_bytes().split(|byte| !byte.is_ascii_alphanumeric()) {
            table.cut(word, pieces);
            for place in pieces.drain(..) {
                by_shift[usize::from(table.shifts[place])].push(place);
            }
        }
        sums.fill(0);
        for (shift, places) in by_shift.iter_mut().enumerate() {
            for some in places.chunks(MOST_ADDED) {
                steps.fill(0);
                for place in some {
                    let vector = &table.components[place * table.dimensions..][..table.dimensions];
                    for (sum, component) in steps.iter_mut().zip(vector) {
                        *sum += i16::from(*component);
                    }
                }
                for (sum, steps) in sums.iter_mut().zip(&*steps) {
                    *sum += i32::from(*steps) << shift;
                }
            }
            places.clear();
        }
        scale(sums, direction);
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Table").field(&self.checksum).finish()
    }
}

fn hash(token: &[u8], is_start: bool) -> u64 {
    xxh64(token, u64::from(is_start))
}

/// Scales numbers so that the largest becomes 127, rounded to the nearest integers. IEEE 754 makes the result the
/// same on every host.
fn scale(sums: &[i32], direction: &mut [i8]) {
    assert_eq!(
        sums.len(),
        direction.len(),
        "a direction must have as many components as the table's vectors"
    );
    let largest = sums.iter().map(|sum| sum.unsigned_abs()).max().unwrap_or_default();
    let factor = LARGEST / f64::from(largest.max(1));
    for (component, sum) in direction.iter_mut().zip(sums) {
        #[expect(clippy::cast_possible_truncation, reason = "it is at most 127")]
        let scaled = (f64::from(*sum) * factor).round_ties_even() as i8;
        *component = scaled;
    }
}

/// The cosine of the angle between two directions, from -1 to 1; 0 if one of them is empty.
#[must_use]
pub fn similarity(one: &[i8], other: &[i8]) -> f32 {
    let product = |one: &[i8], other: &[i8]| -> i32 {
        one.iter().zip(other).map(|(one, other)| i32::from(*one) * i32::from(*other)).sum()
    };
    let lengths = f64::from(product(one, one)) * f64::from(product(other, other));
    if lengths == 0.0 {
        return 0.0;
    }
    #[expect(clippy::cast_possible_truncation, reason = "a cosine")]
    let cosine = (f64::from(product(one, other)) / lengths.sqrt()) as f32;
    cosine.clamp(-1.0, 1.0)
}

/// The bytes of a table's file, from tokens with their vectors.
#[cfg(test)]
fn bytes_of(tokens: &[(&str, &[i8])]) -> Vec<u8> {
    let dimensions = tokens.first().map_or(0, |(_, vector)| vector.len());
    let texts = tokens.iter().map(|(token, _)| *token).collect::<Vec<_>>().join("\n");
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes();
    let mut body: Vec<u8> =
        [dimensions, tokens.len(), texts.len()].into_iter().flat_map(number).collect();
    body.extend(texts.bytes());
    body.extend(tokens.iter().map(|_| 0));
    for dimension in 0..dimensions {
        body.extend(tokens.iter().flat_map(|(_, vector)| vector[dimension].to_le_bytes()));
    }
    let mut bytes = MAGIC.to_le_bytes().to_vec();
    bytes.extend(xxh64(&body, 0).to_le_bytes());
    bytes.extend(body);
    bytes
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use windrow_property::properties;

    const TOKENS: &[(&str, &[i8])] = &[
        ("##fish", &[0, 60, 0]),
        ("##s", &[1, 0, 0]),
        ("a", &[0, 0, 1]),
        ("lobster", &[3, 100, -5]),
        ("shell", &[20, 30, 0]),
        ("train", &[90, -10, 40]),
    ];

    fn table() -> Table {
        Table::from_bytes(&bytes_of(TOKENS)).expect("a table")
    }

    fn direction(text: &str) -> [i8; 3] {
        let mut direction = [7; 3];
        table().adder().direct(text, &mut direction);
        direction
    }

    #[test]
    fn a_word_is_cut_into_the_longest_tokens() {
        assert_eq!(direction("shellfish"), scaled([20, 90, 0]));
        assert_eq!(direction("Shells!"), scaled([21, 30, 0]));
        assert_eq!(direction("a Lobster's train"), scaled([93, 90, 36]));
        // A continuation can't start a word, and a word whose end matches no token has no direction.
        assert_eq!(direction("fish shellx lobsterx"), [0; 3]);
        assert_eq!(direction(&"a".repeat(LONGEST_WORD + 1)), [0; 3]);
        assert_eq!(direction(""), [0; 3]);
        // Diacritics and character widths don't matter.
        assert_eq!(direction("LÓBSTER ｔｒａｉｎ"), direction("lobster train"));
    }

    fn scaled(sums: [i32; 3]) -> [i8; 3] {
        let mut direction = [0; 3];
        scale(&sums, &mut direction);
        direction
    }

    #[test]
    fn long_texts_add_up_like_short_ones() {
        let text = "lobster train ".repeat(700);
        assert_eq!(direction(&text), direction("lobster train"));
    }

    #[test]
    fn the_largest_component_is_127() {
        assert_eq!(scaled([254, -127, 3]), [127, -64, 2]);
        assert_eq!(scaled([-254, 127, -3]), [-127, 64, -2]);
        assert_eq!(scaled([i32::MAX, i32::MIN, 0]), [127, -127, 0]);
        assert_eq!(scaled([0, 0, 0]), [0, 0, 0]);
    }

    #[test]
    fn the_packaged_table_has_the_known_checksum() {
        let table = Table::from_bytes(include_bytes!("../table.bin")).expect("a table");
        assert_eq!(
            table.checksum(),
            TABLE_CHECKSUM,
            "set TABLE_CHECKSUM to {:#x}",
            table.checksum()
        );
    }

    #[test]
    fn damaged_bytes_are_refused() {
        let bytes = bytes_of(TOKENS);
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            for damaged in [damaged.as_slice(), &bytes[..at]] {
                assert!(Table::from_bytes(damaged).is_err(), "byte {at}");
            }
        }
        let twice = [TOKENS[0], TOKENS[0]];
        assert!(Table::from_bytes(&bytes_of(&twice)).is_err());
        assert!(Table::from_bytes(&bytes_of(&[])).is_err());
    }

    fn text() -> impl Strategy<Value = String> {
        let word =
            prop::sample::select(vec!["lobster", "train", "shellfish", "a", "Zug", "-", "駅"]);
        prop::collection::vec(word, 0..40).prop_map(|words| words.join(" "))
    }

    properties! {
        #[test]
        fn a_text_is_most_like_itself(one in text(), other in text()) {
            let (one, other) = (direction(&one), direction(&other));
            let like = similarity(&one, &other);
            prop_assert!((-1.0..=1.0).contains(&like));
            prop_assert_eq!(like.to_bits(), similarity(&other, &one).to_bits());
            let own = similarity(&one, &one);
            let wanted = if one == [0; 3] { 0.0 } else { 1.0 };
            prop_assert!((own - wanted).abs() < 1e-6);
        }

        #[test]
        fn order_and_punctuation_do_not_change_the_direction_of_a_text(text in ".{0,60}", words in text()) {
            direction(&text);
            let turned: Vec<&str> = words.split(' ').rev().collect();
            prop_assert_eq!(direction(&turned.join("... ")), direction(&words));
        }
    }
}
