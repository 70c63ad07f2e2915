//! Counts tokens: exactly in an encoding whose vocabulary is loaded, or by estimate.
//!
//! The crate `windrow_encoding` does the counting, and is built for speed.
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

pub mod encoding_name;
mod estimate;
pub mod media;
pub(crate) mod model;
pub(crate) mod template;
pub(crate) mod windows;

use crate::base::error::{Error, ErrorCode, Result};
pub use encoding_name::EncodingName;
pub use model::{Family, Tokenizer};
use std::fmt;
use std::rc::Rc;
pub use windrow_encoding::asset;
pub use windrow_encoding::vocabulary::LONGEST_TOKEN;

/// An encoding with its vocabulary loaded: about 5 MB of memory for `o200k_base`, 3 MB for `cl100k_base`.
pub struct Encoding {
    name: EncodingName,
    /// Boxed as a trait object, so that a host can load the counting code together with the vocabulary.
    tokenizer: Box<dyn CountUntil>,
}

/// Counts tokens with a vocabulary.
trait CountUntil {
    fn count_until(&self, text: &[u8], limit: u64) -> Option<u64>;
}

impl CountUntil for windrow_encoding::Tokenizer {
    fn count_until(&self, text: &[u8], limit: u64) -> Option<u64> {
        self.count_until(text, limit)
    }
}

impl Encoding {
    /// Loads an encoding from its vocabulary's asset, which [`asset::encode`] makes.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::InvalidEncoding`] if the bytes are damaged, of another version, or of another encoding.
    pub fn from_vocabulary(name: EncodingName, bytes: &[u8]) -> Result<Self> {
        let (tokenizer, checksum) = windrow_encoding::Tokenizer::from_asset(name.pieces(), bytes)
            .map_err(|invalid| {
            Error::new(ErrorCode::InvalidEncoding, invalid.message, invalid.next_action)
        })?;
        if name.checksum().is_some_and(|own| own != checksum) {
            return Err(Error::new(
                ErrorCode::InvalidEncoding,
                "the vocabulary belongs to another encoding",
                "Load the vocabulary file with the encoding's name.",
            ));
        }
        Ok(Self { name, tokenizer: Box::new(tokenizer) })
    }

    /// The encoding's name.
    #[must_use]
    pub fn name(&self) -> EncodingName {
        self.name
    }

    /// The number of tokens in a text.
    #[must_use]
    pub fn count(&self, text: &str) -> u64 {
        self.count_until(text, u64::MAX).unwrap_or(u64::MAX)
    }

    /// The number of tokens in a text, or None if it is more than `limit`. Counting stops as soon as the limit is
    /// exceeded.
    #[must_use]
    pub fn count_until(&self, text: &str, limit: u64) -> Option<u64> {
        self.tokenizer.count_until(text.as_bytes(), limit)
    }

    /// The number of tokens in a text of UTF-8 bytes. Other bytes get an unspecified count.
    #[must_use]
    pub fn count_bytes(&self, text: &[u8]) -> u64 {
        self.tokenizer.count_until(text, u64::MAX).unwrap_or(u64::MAX)
    }
}

impl fmt::Debug for Encoding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Encoding").field(&self.name).finish()
    }
}

/// Estimated costs of a text's pieces in `o200k_base`, in hundredths of a token, by kind: the example `estimate_costs`
/// prints them, and the estimates of other tokenizers are fitted to them.
#[must_use]
pub fn estimated_costs(text: &str) -> Vec<u64> {
    estimate::costs_by_kind(text).to_vec()
}

/// How tokens are counted.
#[derive(Clone, Debug)]
pub enum Counter {
    /// Exactly, in an encoding.
    Exact(Rc<Encoding>),
    /// By estimate, for models without a public tokenizer, and until a vocabulary has arrived.
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

    /// The number of tokens in a text, or None if it is more than `limit`.
    #[must_use]
    pub fn count_until(&self, text: &str, limit: u64) -> Option<u64> {
        match self {
            Self::Exact(encoding) => encoding.count_until(text, limit),
            Self::Estimate(tokenizer) => estimate::count_until(text, *tokenizer, limit),
        }
    }

    /// True if the counts are exact.
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
