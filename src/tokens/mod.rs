//! Counting tokens: exactly by an encoding whose vocabulary is loaded, or by an estimate.
//!
//! Text is cut into pieces (`pretokenizer`), and each piece's bytes are merged into tokens (`merge`) by the pairs
//! of the vocabulary (`vocabulary`). Most pieces have been seen before (`cache`). Special tokens such as
//! `<|endoftext|>` are ordinary text here: in a message they are what somebody wrote.

mod cache;
pub(crate) mod classes;
mod estimate;
pub mod media;
mod merge;
mod model;
mod pretokenizer;
pub mod vocabulary;

use crate::error::{Error, ErrorCode, Result};
use cache::Cache;
use merge::Scratch;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use vocabulary::{LONGEST_TOKEN, Vocabulary};

/// An encoding that text can be counted in exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum EncodingName {
    /// `o200k_base`: GPT-4o and later, the o series, gpt-oss.
    #[serde(rename = "o200k_base")]
    O200kBase,
    /// `cl100k_base`: GPT-4, GPT-3.5, the embedding models.
    #[serde(rename = "cl100k_base")]
    Cl100kBase,
}

impl EncodingName {
    /// Every encoding, the newest first.
    pub const ALL: [Self; 2] = [Self::O200kBase, Self::Cl100kBase];

    /// The name as it is written: `o200k_base`, `cl100k_base`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
        }
    }

    /// The encoding of that name, written as [`EncodingName::as_str`] writes it.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|encoding| encoding.as_str() == name)
    }

    /// The checksum of its vocabulary's asset. A vocabulary never changes, so a count that is called exact is so.
    fn checksum(self) -> u64 {
        match self {
            Self::O200kBase => 0x15d1_e944_d40c_76a5,
            Self::Cl100kBase => 0x6d43_5605_3460_612d,
        }
    }
}

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
    /// Loads an encoding from its vocabulary's asset, as [`vocabulary::encode_asset`] makes it.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::InvalidEncoding`] if the bytes are damaged, of another version, or of another encoding.
    pub fn from_vocabulary(name: EncodingName, bytes: &[u8]) -> Result<Self> {
        let (vocabulary, checksum) = Vocabulary::from_asset(bytes)?;
        if checksum != name.checksum() {
            return Err(Error::new(
                ErrorCode::InvalidEncoding,
                "the vocabulary is that of another encoding",
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
            let end = pretokenizer::piece_end(self.name, text, start);
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
    Estimate,
}

impl Counter {
    /// The number of tokens in a text.
    #[must_use]
    pub fn count(&self, text: &str) -> u64 {
        match self {
            Self::Exact(encoding) => encoding.count(text),
            Self::Estimate => estimate::count(text),
        }
    }

    /// The number of tokens in a text; None if it is more than `limit`.
    #[must_use]
    pub fn count_until(&self, text: &str, limit: u64) -> Option<u64> {
        match self {
            Self::Exact(encoding) => encoding.count_until(text, limit),
            Self::Estimate => estimate::count_until(text, limit),
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
            Self::Estimate => "estimate",
        }
    }
}
