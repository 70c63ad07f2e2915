//! Counting tokens: exactly by an encoding whose vocabulary is loaded, or by an estimate.
//!
//! Text is cut into pieces (`pretokenizer`), and each piece's bytes are merged into tokens (`merge`) by the pairs
//! of the vocabulary (`vocabulary`). Most pieces have been seen before (`cache`). Special tokens such as
//! `<|endoftext|>` are ordinary text here: in a message they are what somebody wrote.
//!
//! # Examples
//!
//! ```
//! use windrow::tokens::{Counter, Tokenizer};
//!
//! let counter = Counter::Estimate(Tokenizer::O200k);
//! assert!(!counter.is_exact());
//! assert_eq!(counter.count("How many is this?"), 5);
//! assert_eq!(counter.count_until("How many is this?", 3), None); // more than that
//! ```

mod cache;
pub mod asset;
pub(crate) mod classes;
pub mod encoding_name;
mod estimate;
pub mod media;
mod merge;
pub(crate) mod model;
mod pretokenizer;
pub mod vocabulary;
pub(crate) mod windows;

use crate::base::error::{Error, ErrorCode, Result};
use cache::Cache;
pub use encoding_name::EncodingName;
use merge::Scratch;
pub use model::{Family, Tokenizer};
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use vocabulary::{LONGEST_TOKEN, Vocabulary};

/// An encoding with its vocabulary loaded: about 5 MB of memory for `o200k_base`, 3 MB for `cl100k_base`.
pub struct Encoding {
    name: EncodingName,
    vocabulary: Vocabulary,
    /// What counting uses and leaves behind; no count depends on it.
    work: RefCell<Work>,
}

#[derive(Default)]
struct Work {
    cache: Cache,
    scratch: Scratch,
}

impl Encoding {
    /// Loads an encoding from its vocabulary's asset, as [`asset::encode`] makes it.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::InvalidEncoding`] if the bytes are damaged, of another version, or of another encoding.
    pub fn from_vocabulary(name: EncodingName, bytes: &[u8]) -> Result<Self> {
        let (vocabulary, checksum) = Vocabulary::from_asset(bytes)?;
        if checksum != name.checksum() {
            return Err(Error::new(
                ErrorCode::InvalidEncoding,
                "the vocabulary belongs to another encoding",
                "Load the vocabulary file that bears the encoding's name.",
            ));
        }
        Ok(Self { name, vocabulary, work: RefCell::default() })
    }

    /// Which encoding it is.
    #[must_use]
    pub fn name(&self) -> EncodingName {
        self.name
    }

    /// The number of tokens in a text.
    #[must_use]
    pub fn count(&self, text: &str) -> u64 {
        self.count_until(text, u64::MAX).unwrap_or(u64::MAX)
    }

    /// The number of tokens in a text; None if it is more than `limit`, and then no more is counted than it takes
    /// to know that.
    #[must_use]
    pub fn count_until(&self, text: &str, limit: u64) -> Option<u64> {
        let text = text.as_bytes();
        let work = &mut *self.work.borrow_mut();
        let (mut count, mut start) = (0, 0);
        loop {
            // No token is longer than that, so the rest has at least as many.
            if count + ((text.len() - start).div_ceil(LONGEST_TOKEN) as u64) > limit {
                return None;
            }
            if start == text.len() {
                return Some(count);
            }
            let end = pretokenizer::piece_end(self.name.pieces(), text, start);
            count += if end - start == 1 {
                1
            } else {
                work.cache.get_or_count(text, start, end, || {
                    let piece = &text[start..end];
                    merge::count(&self.vocabulary, piece, limit - count, &mut work.scratch)
                })
            };
            start = end;
        }
    }
}

impl fmt::Debug for Encoding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Encoding").field(&self.name).finish()
    }
}

/// What counts tokens.
#[derive(Clone, Debug)]
pub enum Counter {
    /// Exactly, by an encoding.
    Exact(Rc<Encoding>),
    /// By the estimator, for models whose tokenizer is not public and until a vocabulary has arrived.
    Estimate(Tokenizer),
}

impl Counter {
    /// The number of tokens in a text.
    #[must_use]
    pub fn count(&self, text: &str) -> u64 {
        match self {
            Self::Exact(encoding) => encoding.count(text),
            Self::Estimate(tokenizer) => estimate::count(text, *tokenizer),
        }
    }

    /// The number of tokens in a text; None if it is more than `limit`.
    #[must_use]
    pub fn count_until(&self, text: &str, limit: u64) -> Option<u64> {
        match self {
            Self::Exact(encoding) => encoding.count_until(text, limit),
            Self::Estimate(tokenizer) => estimate::count_until(text, *tokenizer, limit),
        }
    }

    /// Whether the counts are exact.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        matches!(self, Self::Exact(_))
    }

    /// The encoding's name, or `estimate`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Exact(encoding) => encoding.name().as_str(),
            Self::Estimate(_) => "estimate",
        }
    }
}
