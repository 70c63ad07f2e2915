//! Exact token counts in byte pair encodings.
//!
//! Text is cut into pieces (`pretokenizer`), and each piece's bytes are merged into tokens (`merge`) by the pairs of
//! the vocabulary (`vocabulary`). Most pieces have been counted before (`cache`). Special tokens such as
//! `<|endoftext|>` count as ordinary text here, because in a message somebody typed them.
//!
//! This is a separate crate because it is built for speed, and the core for size.
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
    /// Buffers and the cache of counts. They never affect a count.
    work: RefCell<Work>,
}

#[derive(Default)]
struct Work {
    cache: Cache,
    scratch: Scratch,
}

/// Number of bytes counted between two checks of the limit.
const STRETCH: usize = 256;

impl Tokenizer {
    /// Makes a tokenizer from a vocabulary's asset ([`asset::encode`] writes one). Also returns the asset's checksum.
    ///
    /// # Errors
    ///
    /// [`InvalidVocabulary`] if the bytes are damaged or of another version of the format.
    pub fn from_asset(pieces: Pieces, asset: &[u8]) -> Result<(Self, u64), InvalidVocabulary> {
        let (vocabulary, checksum) = Vocabulary::from_asset(pieces, asset)?;
        Ok((Self { pieces, vocabulary, work: RefCell::default() }, checksum))
    }

    /// The number of tokens in a text, or None if it is more than `limit`. Counting stops as soon as the limit is
    /// exceeded. The text should be UTF-8; other bytes get an unspecified count.
    #[must_use]
    pub fn count_until(&self, text: &[u8], limit: u64) -> Option<u64> {
        let Work { cache, scratch } = &mut *self.work.borrow_mut();
        let (mut count, mut start) = (0, 0);
        loop {
            // No token is longer than `LONGEST_TOKEN`, so the rest has at least this many tokens.
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
