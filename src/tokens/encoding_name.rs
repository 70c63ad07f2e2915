//! The encodings that text can be counted in exactly.

use crate::base::value::FromValue;
use serde::Serialize;
use windrow_encoding::pretokenizer::Pieces;

/// An encoding that text can be counted in exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, FromValue)]
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
    pub const fn as_str(self) -> &'static str {
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

    /// How it cuts a text into pieces.
    pub(crate) const fn pieces(self) -> Pieces {
        match self {
            Self::O200kBase => Pieces::O200k,
            Self::Cl100kBase => Pieces::Cl100k,
        }
    }

    /// The checksum of its vocabulary's asset. A vocabulary never changes, so a count that is called exact is so.
    pub(crate) fn checksum(self) -> u64 {
        match self {
            Self::O200kBase => 0xc9c3_3f5c_7a79_102f,
            Self::Cl100kBase => 0x2afb_a719_be46_e4d4,
        }
    }
}
