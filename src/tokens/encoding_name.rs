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
    /// `qwen`: Qwen 2 to 3, with your own vocabulary file.
    #[serde(rename = "qwen")]
    Qwen,
    /// `deepseek_v3`: DeepSeek V3 and R1, with your own vocabulary file.
    #[serde(rename = "deepseek_v3")]
    DeepseekV3,
    /// `tekken`: Mistral's Tekken, with your own vocabulary file.
    #[serde(rename = "tekken")]
    Tekken,
    /// `llama3`: Llama 3 to 3.3, with your own vocabulary file.
    #[serde(rename = "llama3")]
    Llama3,
}

impl EncodingName {
    /// Every encoding: those with a vocabulary in the package, the newest first, then those with a vocabulary from a
    /// `tokenizer.json`.
    pub const ALL: [Self; 6] = [
        Self::O200kBase,
        Self::Cl100kBase,
        Self::Qwen,
        Self::DeepseekV3,
        Self::Tekken,
        Self::Llama3,
    ];

    /// The encodings with a vocabulary in the package.
    pub const PACKAGED: [Self; 2] = [Self::O200kBase, Self::Cl100kBase];

    /// The name, such as `o200k_base` or `cl100k_base`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
            Self::Qwen => "qwen",
            Self::DeepseekV3 => "deepseek_v3",
            Self::Tekken => "tekken",
            Self::Llama3 => "llama3",
        }
    }

    /// The encoding with a name, in the spelling of [`EncodingName::as_str`].
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|encoding| encoding.as_str() == name)
    }

    /// Its rules for cutting a text into pieces.
    pub(crate) const fn pieces(self) -> Pieces {
        match self {
            Self::O200kBase => Pieces::O200k,
            Self::Cl100kBase => Pieces::Cl100k,
            Self::Qwen => Pieces::Qwen,
            Self::DeepseekV3 => Pieces::Deepseek,
            Self::Tekken => Pieces::Tekken,
            Self::Llama3 => Pieces::Llama3,
        }
    }

    /// True if the package has its vocabulary.
    pub(crate) fn is_packaged(self) -> bool {
        Self::PACKAGED.contains(&self)
    }

    /// The checksum of its vocabulary's asset, if the package has it. A vocabulary never changes, so counts called
    /// exact are exact.
    pub(crate) fn checksum(self) -> Option<u64> {
        match self {
            Self::O200kBase => Some(0xc9c3_3f5c_7a79_102f),
            Self::Cl100kBase => Some(0x2afb_a719_be46_e4d4),
            Self::Qwen | Self::DeepseekV3 | Self::Tekken | Self::Llama3 => None,
        }
    }
}
