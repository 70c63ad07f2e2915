//! Finds models' encodings, families and versions by name.

use super::encoding_name::EncodingName;
use EncodingName::{Cl100kBase, O200kBase};

/// Models by their exact names.
const NAMES: [(&str, EncodingName); 16] = [
    ("o1", O200kBase),
    ("o3", O200kBase),
    ("o4-mini", O200kBase),
    ("gpt-5", O200kBase),
    ("gpt-4.1", O200kBase),
    ("gpt-4o", O200kBase),
    ("codex-mini", O200kBase),
    ("gpt-4", Cl100kBase),
    ("gpt-3.5-turbo", Cl100kBase),
    ("gpt-3.5", Cl100kBase),
    ("gpt-35-turbo", Cl100kBase),
    ("davinci-002", Cl100kBase),
    ("babbage-002", Cl100kBase),
    ("text-embedding-ada-002", Cl100kBase),
    ("text-embedding-3-small", Cl100kBase),
    ("text-embedding-3-large", Cl100kBase),
];

/// Models by the beginnings of their names.
const PREFIXES: [(&str, EncodingName); 13] = [
    ("o1-", O200kBase),
    ("o3-", O200kBase),
    ("o4-mini-", O200kBase),
    ("gpt-5", O200kBase),
    ("gpt-4.5-", O200kBase),
    ("gpt-4.1-", O200kBase),
    ("chatgpt-4o-", O200kBase),
    ("gpt-4o-", O200kBase),
    ("gpt-4-", Cl100kBase),
    ("gpt-3.5-turbo-", Cl100kBase),
    ("gpt-35-turbo-", Cl100kBase), // the name of a deployment on Azure
    ("gpt-oss-", O200kBase),       // has more special tokens, but text counts the same
    ("codex-mini", O200kBase),
];

/// Parts of the names of models that use none of these encodings.
const OTHERS: [&str; 18] = [
    "claude",
    "gemini",
    "gemma",
    "llama",
    "mistral",
    "mixtral",
    "codestral",
    "qwen",
    "deepseek",
    "grok",
    "command-",
    "nova-",
    "kimi",
    "glm-",
    "minimax",
    "phi-",
    "jamba",
    "nemotron",
];

/// Beginnings of the names of OpenAI's reasoning models.
const REASONING: [&str; 5] = ["o1", "o3", "o4", "gpt-5", "gpt-oss"];

/// The name of a model without a router's prefix. For a fine-tuned model, the name of the base model.
pub(crate) fn base_name(model: &str) -> &str {
    let mut model = model.strip_prefix("openai/").unwrap_or(model);
    while let Some(tuned) = model.strip_prefix("ft:") {
        model = tuned.split(':').next().unwrap_or(tuned);
    }
    model
}

impl EncodingName {
    /// The tokenizer of the models that count in it. None for the encodings in the package, which are OpenAI's.
    pub(crate) const fn tokenizer(self) -> Option<Tokenizer> {
        match self {
            Self::O200kBase | Self::Cl100kBase => None,
            Self::Qwen => Some(Tokenizer::Qwen),
            Self::DeepseekV3 => Some(Tokenizer::DeepseekV3),
            Self::Tekken => Some(Tokenizer::Tekken),
            Self::Llama3 => Some(Tokenizer::Llama3),
        }
    }

    /// True if a model's name says that it uses none of these encodings.
    #[must_use]
    pub fn is_other(model: &str) -> bool {
        let model = model.to_ascii_lowercase();
        Self::for_model(&model).is_none() && OTHERS.iter().any(|name| model.contains(name))
    }

    /// True for OpenAI's models that reason before they reply, by name: their prompts are assembled differently.
    #[must_use]
    pub fn is_for_reasoning(model: &str) -> bool {
        let model = base_name(model);
        let is_known = Self::for_model(model).is_some();
        is_known
            && REASONING.iter().any(|prefix| model.starts_with(prefix))
            && !model.contains("-chat")
    }

    /// The encoding of a model, by the model's name: `gpt-4o`, `gpt-4o-2024-05-13`, a fine-tuned one (`ft:gpt-4o:…`),
    /// or with the provider first, as routers write it (`openai/gpt-4o`). None for any other, and for models with an
    /// older encoding.
    #[must_use]
    pub fn for_model(model: &str) -> Option<Self> {
        let model = base_name(model);
        let exact = NAMES.iter().find(|(name, _)| *name == model);
        exact
            .or_else(|| PREFIXES.iter().find(|(prefix, _)| model.starts_with(prefix)))
            .map(|(_, encoding)| *encoding)
    }
}

/// Tokenizers by a part of the model's name. The first match applies: `deepseek-r1-distill-qwen-7b` is a Qwen.
const OPEN_MODELS: [(&str, Tokenizer); 10] = [
    ("qwen", Tokenizer::Qwen),
    ("llama-3", Tokenizer::Llama3),
    ("llama3", Tokenizer::Llama3),
    ("deepseek", Tokenizer::DeepseekV3),
    ("mistral-nemo", Tokenizer::Tekken),
    ("mistral-small", Tokenizer::Tekken),
    ("ministral", Tokenizer::Tekken),
    ("pixtral", Tokenizer::Tekken),
    ("magistral", Tokenizer::Tekken),
    ("devstral", Tokenizer::Tekken),
];

/// A model's maker and version, by the model's name. An unknown version counts as the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// OpenAI.
    OpenAi,
    /// Anthropic: Claude of a version.
    Claude((u32, u32)),
    /// Google: Gemini of a version.
    Gemini((u32, u32)),
    /// Any other maker, with the tokenizer that texts are estimated for.
    Other(Tokenizer),
}

/// A version: 4 and 6 for 4.6.
pub(crate) type Version = (u32, u32);

/// The version if none is named.
pub(crate) const NEWEST: Version = (u32::MAX, 0);

impl Family {
    /// The family of a model, by its name.
    #[must_use]
    pub fn of(model: &str) -> Self {
        let name = model.to_ascii_lowercase();
        if EncodingName::for_model(model).is_some() {
            Self::OpenAi
        } else if let Some((_, rest)) = name.split_once("claude") {
            Self::Claude(version(rest).unwrap_or(NEWEST))
        } else if let Some((_, rest)) = name.split_once("gemini") {
            Self::Gemini(version(rest).unwrap_or(NEWEST))
        } else {
            let known = OPEN_MODELS.iter().find(|(part, _)| name.contains(part));
            Self::Other(known.map(|(_, tokenizer)| *tokenizer).unwrap_or_default())
        }
    }

    /// The tokenizer to estimate a text for.
    #[must_use]
    pub fn tokenizer(self) -> Tokenizer {
        match self {
            Self::OpenAi => Tokenizer::O200k,
            Self::Other(tokenizer) => tokenizer,
            Self::Claude(version) if version < (4, 7) => Tokenizer::Claude,
            Self::Claude(_) => Tokenizer::ClaudeNewer,
            Self::Gemini(version) if version < (2, 5) => Tokenizer::Gemma2,
            Self::Gemini(_) => Tokenizer::Gemma3,
        }
    }
}

/// The first version in a name: `-sonnet-4-5-20250929` is 4.5, and `-2` is 2.0. More than two digits are a date.
pub(crate) fn version(name: &str) -> Option<Version> {
    let numbers: Vec<&str> = name.split(|letter: char| !letter.is_ascii_digit()).collect();
    let at = numbers.iter().position(|digits| matches!(digits.len(), 1 | 2))?;
    let figure = |digits: &str| digits.parse().ok();
    // A letter between two numbers leaves an empty number.
    let minor = numbers.get(at + 1).filter(|digits| digits.len() <= 2);
    Some((figure(numbers[at])?, minor.and_then(|digits| figure(digits)).unwrap_or(0)))
}

/// A tokenizer that a text is estimated for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tokenizer {
    /// `o200k_base`, also for unknown makers.
    #[default]
    O200k,
    /// Claude up to 4.6.
    Claude,
    /// Claude from 4.7 on.
    ClaudeNewer,
    /// Gemini up to 2.0, and Gemma 2.
    Gemma2,
    /// Gemini from 2.5 on, and Gemma 3.
    Gemma3,
    /// Qwen.
    Qwen,
    /// Llama 3 to 3.3.
    Llama3,
    /// DeepSeek.
    DeepseekV3,
    /// Mistral's models with Tekken.
    Tekken,
}

impl Tokenizer {
    /// All of them, in the order of the enum.
    pub const ALL: [Self; 9] = [
        Self::O200k,
        Self::Claude,
        Self::ClaudeNewer,
        Self::Gemma2,
        Self::Gemma3,
        Self::Qwen,
        Self::Llama3,
        Self::DeepseekV3,
        Self::Tekken,
    ];
}
