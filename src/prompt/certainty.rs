//! Says how certain a count is.

use crate::config::ContextConfig;
use crate::tokens::{EncodingName, Family, Tokenizer};
use serde::Serialize;

/// Non-text content of a prompt. For its cost, providers publish a formula or nothing at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// Images, audio or files.
    pub has_media: bool,
    /// Calls to tools, or their results.
    pub has_tools: bool,
}

/// The estimate's error on recorded requests, in words. The test of the samples in `tests/usage` checks these figures.
fn checked(tokenizer: Tokenizer) -> String {
    let (count, percent) = match tokenizer {
        Tokenizer::Claude => (31, 8),
        Tokenizer::ClaudeNewer => (6, 14),
        Tokenizer::Gemma2 => (6, 13),
        Tokenizer::Gemma3 => (16, 6),
        Tokenizer::O200k
        | Tokenizer::Qwen
        | Tokenizer::Llama3
        | Tokenizer::DeepseekV3
        | Tokenizer::Tekken => return "unverified".to_owned(),
    };
    format!(
        "off by {percent} % on average in {count} recorded requests of its kind, and unverified in other languages"
    )
}

/// Certainty of a count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Certainty {
    /// True if the count is exact for the config's model or, without a model, for its encoding.
    #[serde(rename = "exact")]
    pub is_exact: bool,
    /// The certainty in words: the encoding of an exact count, or the reason why it isn't exact.
    pub words: String,
}

impl Certainty {
    /// Certainty of a config's counts, without the hook `countTokens`.
    #[must_use]
    pub fn of(config: &ContextConfig, beside: Beside) -> Self {
        let model = config.model.as_deref();
        let (is_exact, words) = match (config.encoding_name(), model, config.encoding) {
            (None, Some(model), _) if EncodingName::for_model(model).is_none() => {
                let checked = checked(config.family().tokenizer());
                (false, format!("an estimate: the encoding of {model} is not known; {checked}"))
            }
            (None, ..) => (false, "an estimate, as the config asks for".to_owned()),
            (Some(name), Some(model), _) if EncodingName::for_model(model) == Some(name) => {
                (true, format!("exact for {model}, which counts in {}", name.as_str()))
            }
            (Some(name), Some(model), _)
                if EncodingName::for_model(model).is_some()
                    || EncodingName::is_other(model)
                        && (name.is_packaged() || !matches!(config.family(), Family::Other(_))) =>
            {
                let own =
                    EncodingName::for_model(model).map_or("another encoding", EncodingName::as_str);
                (false, format!("exact in {}, but {model} counts in {own}", name.as_str()))
            }
            // The name is the caller's own, perhaps that of a deployment. A caller who also names an encoding knows
            // which one applies.
            (Some(name), _, Some(_)) => {
                (true, format!("exact in {}, the named encoding", name.as_str()))
            }
            (Some(name), _, None) => {
                let name = name.as_str();
                (false, format!("exact in {name}, but neither model nor encoding is named"))
            }
        };
        Self { is_exact, words }.with(config, beside)
    }

    /// Certainty for a prompt that fits by its bytes.
    #[must_use]
    pub fn of_bounds(config: &ContextConfig, beside: Beside) -> Self {
        let words = "an estimate: everything fits by any count".to_owned();
        Self { is_exact: false, words }.with(config, beside)
    }

    /// Certainty for counts of the hook `countTokens`.
    #[must_use]
    pub fn of_hook(config: &ContextConfig, beside: Beside) -> Self {
        Self { is_exact: false, words: "counted by countTokens".to_owned() }.with(config, beside)
    }

    /// Adds the effect of content that isn't counted as text.
    fn with(mut self, config: &ContextConfig, beside: Beside) -> Self {
        let budget = &config.budget;
        let by_formula = [
            (beside.has_tools || !budget.tools.is_empty(), "tools and their calls by formula"),
            (beside.has_media, "images, audio and files by formula or by rule"),
        ];
        for (_, words) in by_formula.iter().filter(|(is_there, _)| *is_there) {
            self.is_exact = false;
            self.words = self.words + "; " + words;
        }
        if !budget.usage.is_empty() {
            let requests = match budget.usage.len() {
                1 => "a recorded request".to_owned(),
                count => format!("{count} recorded requests"),
            };
            let factor = budget.calibration().words();
            self.is_exact = false;
            let words = self.words;
            self.words = format!("{words}; calibrated by {requests}: {factor} times the count");
        }
        self
    }
}
