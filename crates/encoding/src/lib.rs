//! Exact token counts in byte pair encodings.
//!
//! Text is cut into pieces (`pretokenizer`), and each piece's bytes are merged into tokens (`merge`) by the pairs
//! of the vocabulary (`vocabulary`). Most pieces have been seen before (`cache`). Special tokens such as
//! `<|endoftext|>` are ordinary text here: in a message they are what somebody wrote.
//!
//! A crate of its own: the core is built for size, and what counts is built for speed.
#![forbid(unsafe_code)]

pub mod asset;
mod cache;
pub mod classes;
mod merge;
mod order;
pub mod pretokenizer;
pub mod vocabulary;

use cache::{Cache, LONGEST_SHORT, words_of};
use merge::Scratch;
use pretokenizer::{Pieces, piece_end, plain_word_length};
use std::cell::RefCell;
use std::fmt;
use vocabulary::{InvalidVocabulary, LONGEST_TOKEN, Vocabulary};

/// Counts tokens by a vocabulary.
pub struct Tokenizer {
    pieces: Pieces,
    vocabulary: Vocabulary,
    /// What counting uses and leaves behind; no count depends on it.
    work: RefCell<Work>,
}

#[derive(Default)]
struct Work {
    cache: Cache,
    scratch: Scratch,
}

/// How many bytes are counted between two looks at the limit.
const STRETCH: usize = 256;

impl Tokenizer {
    /// A tokenizer by a vocabulary's asset, as [`asset::encode`] makes it, and the asset's checksum.
    ///
    /// # Errors
    ///
    /// [`InvalidVocabulary`] if the bytes are damaged or of another version of the format.
    pub fn from_asset(pieces: Pieces, asset: &[u8]) -> Result<(Self, u64), InvalidVocabulary> {
        let (vocabulary, checksum) = Vocabulary::from_asset(pieces, asset)?;
        Ok((Self { pieces, vocabulary, work: RefCell::default() }, checksum))
    }

    /// The number of tokens in a text; None if it is more than `limit`, and then no more is counted than it takes
    /// to know that. The text is UTF-8; other bytes are counted somehow.
    #[must_use]
    pub fn count_until(&self, text: &[u8], limit: u64) -> Option<u64> {
        let Work { cache, scratch } = &mut *self.work.borrow_mut();
        let (mut count, mut start) = (0, 0);
        loop {
            // No token is longer than that, so the rest has at least as many.
            if count + ((text.len() - start).div_ceil(LONGEST_TOKEN) as u64) > limit {
                return None;
            }
            if start == text.len() {
                return Some(count);
            }
            let stop = text.len().min(start + STRETCH);
            while start < stop {
                let rest = &text[start..];
                let words = first_words(rest);
                let length = plain_word_length(self.pieces, words);
                if length > 0 {
                    start += length;
                    count += cache.get_short(words, length, || {
                        merge::count(&self.vocabulary, &rest[..length], limit, scratch)
                    });
                    continue;
                }
                let end = piece_end(self.pieces, text, start).min(text.len());
                let piece = &text[start..end];
                start = end;
                count += match piece.len() {
                    1 => 1,
                    length @ ..=LONGEST_SHORT => cache.get_short(words, length, || {
                        merge::count(&self.vocabulary, piece, limit, scratch)
                    }),
                    _ => cache.get_any(piece, || {
                        let room = limit.saturating_sub(count);
                        merge::count(&self.vocabulary, piece, room, scratch)
                    }),
                };
            }
        }
    }
}

/// The first 16 bytes of a text, with zeros after its end.
#[inline]
fn first_words(text: &[u8]) -> [u64; 2] {
    match text.first_chunk::<16>() {
        Some(bytes) => {
            let (words, _) = bytes.as_chunks::<8>();
            [u64::from_le_bytes(words[0]), u64::from_le_bytes(words[1])]
        }
        None => words_of(text),
    }
}

impl fmt::Debug for Tokenizer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Tokenizer").field("pieces", &self.pieces).finish_non_exhaustive()
    }
}
