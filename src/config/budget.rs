use super::calibration::{self, Calibration, Usage};
use super::cut::CutConfig;
use super::tool_results::ToolResultsConfig;
use crate::base::error::Error;
use crate::base::json::to_json;
use crate::base::nearest::nearest;
use crate::base::value::{FromValue, Misfit, Reading, Value};
use crate::tokens::windows;
use serde::Serialize;

/// Limits on the cost of the prompt.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct BudgetConfig {
    /// Maximum number of tokens in the prompt. Can't be combined with `contextLimit`. Default: no limit.
    pub max_tokens: Option<u64>,
    /// Maximum number of tokens of prompt and reply together: the model's context window. Either a number, or `"model"`
    /// to look up `model` in the table of current models. Can't be combined with `maxTokens`. Default: no limit.
    #[cfg_attr(test, schemars(with = "Option<crate::reference::ContextLimit>"))]
    pub context_limit: Option<u64>,
    /// Number of tokens of `contextLimit` that stay free for the reply. Default: 1024.
    pub reply_reserve: Option<u64>,
    /// Maximum number of characters (code points) in the prompt: of the whole text in the text formats, of all contents
    /// in the format `messages`. Default: no limit.
    pub max_chars: Option<u64>,
    /// Maximum size of the request's JSON body, in bytes of UTF-8. Texts come first. Images, audio and files share the
    /// rest, newest first. Each one that doesn't fit becomes a line such as `[image/png: 40990 bytes, not shown]`.
    /// Default: the published limit of `render.provider`: 32 MB for Anthropic, 100 MB for Gemini, 512 MB for OpenAI;
    /// otherwise no limit.
    pub max_bytes: Option<u64>,
    /// Maximum number of images in the prompt in the format `messages`, newest first. Each of the others becomes a
    /// line. Default: the limit of `render.provider`: 600 for Claude (100 if its context window is at most 200,000
    /// tokens), 3,600 for Gemini, 1,500 for OpenAI; otherwise no limit. Claude accepts images with more than 2,000
    /// pixels on a side only if a request has 20 images or fewer, so older images may become lines for that too.
    pub max_images: Option<u64>,
    /// Decides what happens when the required parts alone cost more than the budget: instructions, required sections,
    /// pinned messages, the reply target, and the request.
    pub on_required_overflow: OnRequiredOverflow,
    /// When to count tokens exactly: always, or only if the counts matter.
    pub counting: Counting,
    /// The first to shrink if not everything fits: items or history.
    pub trim_first: TrimFirst,
    /// Cuts the history so that the beginning of the prompt stays the same from turn to turn. Ranked messages are then
    /// quoted after the history, within `recall.maxShare`. Default: no cut; each turn includes as much as fits.
    pub cut: Option<CutConfig>,
    /// How tool results shrink if not everything fits.
    pub tool_results: ToolResultsConfig,
    /// The tool definitions of the call, in any provider's format, each as an object or as JSON. They aren't part of
    /// any message, but their cost counts, in the form that the provider is known to show to the model. Default: none.
    #[cfg_attr(test, schemars(with = "Vec<serde_json::Value>"))]
    #[serde(deserialize_with = "as_json")]
    pub tools: Vec<String>,
    /// Makes tool calls optional or mandatory. Providers have their own names for this (`tool_choice`, `toolConfig`).
    pub tool_choice: ToolChoice,
    /// windrow's counts of earlier requests, with the provider's own figures. Their ratio calibrates the budget: if a
    /// provider counts 1.07 times as many tokens as windrow, limits are divided by 1.07, and `tokens` reports the
    /// provider's figure. The ratio is kept between 0.5 and 2. Use it for models whose tokens are estimated. Default:
    /// none.
    pub usage: Vec<Usage>,
    /// Tokens that a chat message costs in addition to its texts and its role. Default: 3, after OpenAI's published
    /// recipe for counting chat messages (tiktoken cookbook, `num_tokens_from_messages`). For Gemini it is 0 up to 2.0
    /// and 1 from 2.5 on, as recorded requests show. For Claude's instructions it is 0. For Qwen and Llama 3 it is 4,
    /// for Mistral's Tekken 1 and for DeepSeek 0, as in their chat templates.
    pub tokens_per_message: Option<u64>,
    /// Tokens that a chat message's name costs in addition to its text. Default: 1, after the same recipe.
    pub tokens_per_name: u64,
    /// Tokens that prime the reply to chat messages. Default: 2 for OpenAI's reasoning models (`o1` to `o4`, `gpt-5`
    /// and later, `gpt-oss`) and 0 for Gemini, as recorded requests show; 5 for Llama 3, 3 for Qwen, 2 for DeepSeek up
    /// to V3, 4 for its later versions, and 1 for Mistral's Tekken, as in their chat templates; 3 for all others, after
    /// the same recipe. The text that a chat template writes before the messages is counted in addition.
    pub tokens_priming: Option<u64>,
    /// Time limit for one batch of the hook `countTokens`, in milliseconds.
    pub timeout_ms: u64,
}

/// Replaces `contextLimit: "model"` with the model's number of tokens. Returns None if the config doesn't say
/// `"model"`. From here on, including recordings and hashes, only the number exists, so a newer table doesn't change
/// replays.
#[expect(clippy::cast_precision_loss, reason = "tokens of windows are far below 2^53")]
pub(super) fn resolve_window(config: &Value) -> Result<Option<Value>, Error> {
    let (budget, name) = ("budget", "contextLimit");
    let text = |value: &Value| value.get(budget)?.get(name)?.text().map(ToOwned::to_owned);
    if text(config).as_deref() != Some(BY_MODEL) {
        return Ok(None);
    }
    let Some(model) = config.get("model").and_then(Value::text) else {
        return Err(unknown_window("the config names no model", "Name the model"));
    };
    let Some(window) = windows::of(model) else {
        let named = match nearest(&windows::plain_name(model), windows::names()) {
            Some(known) => format!("If you mean {known}, use that name"),
            None => "Name a model of the table of models".to_owned(),
        };
        return Err(unknown_window(&format!("the context window of {model} is unknown"), &named));
    };
    let reserve = match config.get(budget).and_then(|it| it.get("replyReserve")) {
        Some(Value::Number(tokens)) => *tokens,
        _ => DEFAULT_REPLY_RESERVE as f64,
    };
    // Some models accept less input than their window holds. The rest is then for the reply.
    let most_input = window.most_input.map_or(f64::INFINITY, |input| input as f64 + reserve);
    let tokens = (window.tokens as f64).min(most_input);
    let mut resolved = config.clone();
    for (group, options) in entries(&mut resolved) {
        for (option, value) in if group == budget { entries(options) } else { &mut [] } {
            if option == name {
                *value = Value::Number(tokens);
            }
        }
    }
    Ok(Some(resolved))
}

fn entries(value: &mut Value) -> &mut [(String, Value)] {
    match value {
        Value::Map(entries) => entries,
        _ => &mut [],
    }
}

/// The value of `contextLimit` that means the model's window.
const BY_MODEL: &str = "model";

fn unknown_window(message: &str, first: &str) -> Error {
    let next = format!("{first}, or pass budget.contextLimit as a number of tokens.");
    Error::option("budget.contextLimit", message, &next)
}

/// Reads tools given as objects or as JSON. Returns the JSON of each.
fn as_json(tools: &Value) -> Reading<Vec<String>> {
    let is_object = |json: &str| matches!(serde_json::from_str(json), Ok(Value::Map(_)));
    let json =
        |(at, tool): (usize, &Value)| match tool {
            Value::Text(json) if is_object(json) => Ok(json.clone()),
            Value::Map(_) => Ok(to_json(tool)),
            _ => Err(Misfit::new("expected a tool as an object, or as its JSON")
                .within(format!("[{at}]"))),
        };
    tools.list()?.iter().enumerate().map(json).collect()
}

/// Optional or mandatory tool calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ToolChoice {
    /// The model chooses.
    #[default]
    Auto,
    /// The model must call a tool: any, or a particular one.
    Required,
}

/// When to count tokens exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Counting {
    /// Always.
    #[default]
    Exact,
    /// Only if the counts matter. A text never has more tokens than bytes. So if the bytes of all messages fit,
    /// everything is kept without loading a vocabulary, and `tokens` says that its counts are estimates.
    WhenNeeded,
}

/// The first to shrink: items or history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum TrimFirst {
    /// Replaces items with their summaries before leaving out any history.
    #[default]
    Items,
    /// Leaves out the oldest history before replacing any item with its summary, and doesn't bring it back. So a larger
    /// budget never keeps less history than a smaller one.
    History,
}

/// Decides what happens when the required parts don't fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum OnRequiredOverflow {
    /// The build fails with `BUDGET_TOO_SMALL`.
    #[default]
    Error,
    /// Shortens the longest required texts to their beginning and end, with a visible marker in between. The request
    /// keeps the user's own words around a pasted text. With `cut`, texts that are in every prompt are cut to a power
    /// of two of characters, so that they stay the same from turn to turn.
    Shorten,
    /// Exceeds the budget. The result and the trace say so.
    Exceed,
}

pub(super) const DEFAULT_REPLY_RESERVE: u64 = 1024;
pub(super) const DEFAULT_PER_MESSAGE: u64 = 3;
const DEFAULT_PRIMING: u64 = 3;
pub(super) const REASONING_PRIMING: u64 = 2;

impl Default for BudgetConfig {
    fn default() -> Self {
        Self {
            max_tokens: None,
            context_limit: None,
            reply_reserve: None,
            max_chars: None,
            max_bytes: None,
            max_images: None,
            on_required_overflow: OnRequiredOverflow::Error,
            counting: Counting::Exact,
            trim_first: TrimFirst::Items,
            cut: None,
            tool_results: ToolResultsConfig::default(),
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
            usage: Vec::new(),
            tokens_per_message: None,
            tokens_per_name: 1,
            tokens_priming: None,
            timeout_ms: 30_000,
        }
    }
}

impl BudgetConfig {
    pub(super) fn check(&self) -> Result<(), Error> {
        calibration::check(&self.usage)?;
        self.cut.map_or(Ok(()), CutConfig::check)?;
        if self.max_tokens.is_some() && self.context_limit.is_some() {
            return Err(Error::option(
                "budget.maxTokens",
                "maxTokens bounds the prompt and contextLimit bounds prompt and reply together: pass one of them",
                "Remove maxTokens or contextLimit.",
            ));
        }
        match (self.context_limit, self.reply_reserve) {
            (None, Some(_)) => Err(Error::option(
                "budget.replyReserve",
                "is part of contextLimit, which isn't set",
                "Pass contextLimit instead of maxTokens, or remove replyReserve.",
            )),
            (Some(limit), reserve) if reserve.unwrap_or(DEFAULT_REPLY_RESERVE) >= limit => {
                Err(Error::option(
                    "budget.replyReserve",
                    "leaves nothing of contextLimit for the prompt (its default is 1024)",
                    "Pass a smaller replyReserve or a larger contextLimit.",
                ))
            }
            _ => Ok(()),
        }
    }

    /// The limit on the prompt itself, in the model's tokens.
    #[must_use]
    pub fn token_limit(&self) -> Option<u64> {
        let reserve = self.reply_reserve.unwrap_or(DEFAULT_REPLY_RESERVE);
        self.max_tokens.or_else(|| Some(self.context_limit?.saturating_sub(reserve)))
    }

    /// The limit on counted tokens, which calibration makes different from [`BudgetConfig::token_limit`].
    #[must_use]
    pub fn prompt_limit(&self) -> Option<u64> {
        self.token_limit().map(|tokens| self.calibration().limit(tokens))
    }

    /// Tokens that a chat message costs in addition to its texts.
    pub(crate) fn per_message(&self) -> u64 {
        self.tokens_per_message.unwrap_or(DEFAULT_PER_MESSAGE)
    }

    /// Tokens that prime the reply to chat messages.
    pub(crate) fn priming(&self) -> u64 {
        self.tokens_priming.unwrap_or(DEFAULT_PRIMING)
    }

    /// Conversion between counts and the model's tokens.
    #[must_use]
    pub fn calibration(&self) -> Calibration {
        Calibration::of(&self.usage)
    }
}
