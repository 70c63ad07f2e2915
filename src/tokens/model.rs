//! Which encoding a model counts in.

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

/// Models by how their names begin.
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
    ("gpt-35-turbo-", Cl100kBase), // the name of a deployment at Azure
    ("gpt-oss-", O200kBase),       // has more special tokens, but text counts the same
    ("codex-mini", O200kBase),
];

/// What the names of models hold that count in none of these encodings.
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

/// How the names of OpenAI's models begin that reason.
const REASONING: [&str; 5] = ["o1", "o3", "o4", "gpt-5", "gpt-oss"];

/// The name of a model without what routers write before it, and of a fine-tuned one the name of the model that was tuned.
fn base_name(model: &str) -> &str {
    let mut model = model.strip_prefix("openai/").unwrap_or(model);
    while let Some(tuned) = model.strip_prefix("ft:") {
        model = tuned.split(':').next().unwrap_or(tuned);
    }
    model
}

impl EncodingName {
    /// Whether a model is known to count in no encoding of these, by its name.
    #[must_use]
    pub fn is_other(model: &str) -> bool {
        let model = model.to_ascii_lowercase();
        Self::for_model(&model).is_none() && OTHERS.iter().any(|name| model.contains(name))
    }

    /// Whether a model is one of OpenAI's that reason before they reply, by its name: their prompts are put together in another way.
    #[must_use]
    pub fn is_for_reasoning(model: &str) -> bool {
        let model = base_name(model);
        let is_known = Self::for_model(model).is_some();
        is_known
            && REASONING.iter().any(|prefix| model.starts_with(prefix))
            && !model.contains("-chat")
    }

    /// The encoding of a model, by the model's name: `gpt-4o`, `gpt-4o-2024-05-13`, a fine-tuned one
    /// (`ft:gpt-4o:…`), or with the provider before it as routers write it (`openai/gpt-4o`). None for any other,
    /// and for the models whose encoding is an older one.
    #[must_use]
    pub fn for_model(model: &str) -> Option<Self> {
        let model = base_name(model);
        let exact = NAMES.iter().find(|(name, _)| *name == model);
        exact
            .or_else(|| PREFIXES.iter().find(|(prefix, _)| model.starts_with(prefix)))
            .map(|(_, encoding)| *encoding)
    }
}
