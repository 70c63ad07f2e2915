use super::calibration::{self, Calibration, Usage};
use crate::base::error::Error;
use crate::base::value::{FromValue, Misfit, Reading, Value};
use serde::Serialize;

/// What the prompt may cost.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct BudgetConfig {
    /// The most tokens that the prompt may have. Excludes `contextLimit`. Default: no limit.
    pub max_tokens: Option<u64>,
    /// The most tokens that prompt and reply may have together: the model's context window. Excludes `maxTokens`.
    /// Default: no limit.
    pub context_limit: Option<u64>,
    /// The tokens of `contextLimit` that are kept free for the reply. Default: 1024.
    pub reply_reserve: Option<u64>,
    /// The most characters (code points) that the prompt may have: the whole text in the text formats, all contents in
    /// the format `messages`. Default: no limit.
    pub max_chars: Option<u64>,
    /// What happens if instructions, required sections, pinned messages, the message that is replied to and the request
    /// alone cost more than the budget (`exceed`).
    pub on_required_overflow: OnRequiredOverflow,
    /// What gives way first where not everything fits.
    pub trim_first: TrimFirst,
    /// The tools of the call, in any of the providers' forms: each as an object, or as its JSON. They are in no message, and what they cost
    /// is part of the prompt, as the provider is known to write them for the model. Default: none.
    #[cfg_attr(test, schemars(with = "Vec<serde_json::Value>"))]
    #[serde(deserialize_with = "as_json")]
    pub tools: Vec<String>,
    /// What earlier requests were counted as, and what the provider said they had. Their ratio calibrates the budget: where a provider
    /// counts 1.07 times what windrow does, the limits let 1.07 times less be counted, and `tokens` says what the provider will count.
    /// It is kept within 0.5 and 2. For models that are counted by estimate. Default: none.
    pub usage: Vec<Usage>,
    /// What a chat message costs beside its texts, in tokens. Default: 3, after OpenAI's published recipe for counting
    /// chat messages (tiktoken cookbook, `num_tokens_from_messages`).
    pub tokens_per_message: u64,
    /// What a chat message's name costs beside its text, in tokens. Default: 1, after the same recipe.
    pub tokens_per_name: u64,
    /// What primes the reply to chat messages, in tokens. Default: 2 for OpenAI's models that reason (`o1` to `o4`, `gpt-5` and later,
    /// `gpt-oss`), as their recorded requests show; 3 for all others, after the same recipe.
    pub tokens_priming: Option<u64>,
    /// How long the hook `countTokens` may take for one batch, in milliseconds.
    pub timeout_ms: u64,
}

/// Reads tools that are objects or JSON already, each as its JSON.
fn as_json(tools: &Value) -> Reading<Vec<String>> {
    let json = |tool: &Value| match tool {
        Value::Text(json) => Ok(json.clone()),
        Value::Map(_) => Ok(serde_json::to_string(tool).unwrap_or_default()),
        _ => Err(Misfit::new("expected each tool as an object, or as its JSON")),
    };
    tools.list()?.iter().map(json).collect()
}

/// What gives way first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum TrimFirst {
    /// Items are shown by their summaries before any history is left out.
    #[default]
    Items,
    /// The oldest history is left out before any item is shown by its summary, and stays out then: so a larger budget
    /// never keeps less history than a smaller one.
    History,
}

/// What happens where what must be kept does not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum OnRequiredOverflow {
    /// The build fails with `BUDGET_TOO_SMALL`.
    #[default]
    Error,
    /// The longest required texts are cut at their end, with a visible marker.
    Shorten,
    /// The context is larger than the budget; result and trace say so.
    Exceed,
}

pub(super) const DEFAULT_REPLY_RESERVE: u64 = 1024;
const DEFAULT_PRIMING: u64 = 3;
pub(super) const REASONING_PRIMING: u64 = 2;

impl Default for BudgetConfig {
    fn default() -> Self {
        Self {
            max_tokens: None,
            context_limit: None,
            reply_reserve: None,
            max_chars: None,
            on_required_overflow: OnRequiredOverflow::Error,
            trim_first: TrimFirst::Items,
            tools: Vec::new(),
            usage: Vec::new(),
            tokens_per_message: 3,
            tokens_per_name: 1,
            tokens_priming: None,
            timeout_ms: 30_000,
        }
    }
}

impl BudgetConfig {
    pub(super) fn check(&self) -> Result<(), Error> {
        calibration::check(&self.usage)?;
        if self.max_tokens.is_some() && self.context_limit.is_some() {
            return Err(Error::option(
                "budget.maxTokens",
                "maxTokens bounds the prompt and contextLimit bounds prompt and reply together: give one of them",
                "Remove maxTokens or contextLimit.",
            ));
        }
        match (self.context_limit, self.reply_reserve) {
            (None, Some(_)) => Err(Error::option(
                "budget.replyReserve",
                "is a part of contextLimit, which is not set",
                "Give contextLimit instead of maxTokens, or remove replyReserve.",
            )),
            (Some(limit), reserve) if reserve.unwrap_or(DEFAULT_REPLY_RESERVE) >= limit => {
                Err(Error::option(
                    "budget.replyReserve",
                    "leaves nothing of contextLimit for the prompt (it is 1024 where it is not set)",
                    "Give a smaller replyReserve or a larger contextLimit.",
                ))
            }
            _ => Ok(()),
        }
    }

    /// What the prompt itself may cost, in the tokens of the model.
    #[must_use]
    pub fn token_limit(&self) -> Option<u64> {
        let reserve = self.reply_reserve.unwrap_or(DEFAULT_REPLY_RESERVE);
        self.max_tokens.or_else(|| Some(self.context_limit?.saturating_sub(reserve)))
    }

    /// What may be counted of the prompt, in tokens: less or more than [`BudgetConfig::token_limit`] where it is calibrated.
    #[must_use]
    pub fn prompt_limit(&self) -> Option<u64> {
        self.token_limit().map(|tokens| self.calibration().limit(tokens))
    }

    /// What primes the reply to chat messages.
    pub(crate) fn priming(&self) -> u64 {
        self.tokens_priming.unwrap_or(DEFAULT_PRIMING)
    }

    /// How counts become tokens of the model.
    #[must_use]
    pub fn calibration(&self) -> Calibration {
        Calibration::of(&self.usage)
    }
}
