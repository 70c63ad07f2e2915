use super::calibration::{self, Calibration, Usage};
use super::cut::CutConfig;
use super::tool_results::ToolResultsConfig;
use crate::base::error::Error;
use crate::base::json::to_json;
use crate::base::nearest::nearest;
use crate::base::value::{FromValue, Misfit, Reading, Value};
use crate::tokens::windows;
use serde::Serialize;

/// What the prompt may cost.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct BudgetConfig {
    /// The most tokens that the prompt may have. Excludes `contextLimit`. Default: no limit.
    pub max_tokens: Option<u64>,
    /// The most tokens that prompt and reply may have together: the model's context window, as a number or as `"model"`, which is looked
    /// up for `model` in the table of current models. Excludes `maxTokens`. Default: no limit.
    #[cfg_attr(test, schemars(with = "Option<crate::reference::ContextLimit>"))]
    pub context_limit: Option<u64>,
    /// The tokens of `contextLimit` that are kept free for the reply. Default: 1024.
    pub reply_reserve: Option<u64>,
    /// The most characters (code points) that the prompt may have: the whole text in the text formats, all contents in
    /// the format `messages`. Default: no limit.
    pub max_chars: Option<u64>,
    /// The most bytes that the JSON body of the request may have, in UTF-8. Texts come first. Images, audio and files have the rest, the
    /// newest first, and a line such as `[image/png: 40990 bytes, not shown]` replaces each other one. Default: what
    /// `render.provider` takes, if it is published: 32 MB for Anthropic, 100 MB for Gemini, 512 MB for OpenAI; otherwise no limit.
    pub max_bytes: Option<u64>,
    /// The most images that the prompt shows in the format `messages`: the newest. A line replaces each other one. Default: what
    /// `render.provider` takes: 600 for Claude, or 100 if its context has no more than 200,000 tokens, 3,600 for Gemini, 1,500 for OpenAI;
    /// otherwise no limit. Claude takes images with more than 2,000 pixels on a side only if there are 20 or fewer: then older
    /// images are lines, too.
    pub max_images: Option<u64>,
    /// What happens if instructions, required sections, pinned messages, the message that is replied to and the request
    /// alone cost more than the budget (`exceed`).
    pub on_required_overflow: OnRequiredOverflow,
    /// Whether tokens are counted exactly in any case, or only where the counts decide something.
    pub counting: Counting,
    /// What gives way first where not everything fits.
    pub trim_first: TrimFirst,
    /// Where the history is cut, so that the beginning of the prompt stays the same from turn to turn; what is ranked is quoted behind the
    /// history then, within `recall.maxShare`. Default: no cut, each turn lets in what fits.
    pub cut: Option<CutConfig>,
    /// How results of tools shrink if not everything fits.
    pub tool_results: ToolResultsConfig,
    /// The tools of the call, in any of the providers' forms: each as an object, or as its JSON. They are in no message, and what they cost
    /// is part of the prompt, as the provider is known to write them for the model. Default: none.
    #[cfg_attr(test, schemars(with = "Vec<serde_json::Value>"))]
    #[serde(deserialize_with = "as_json")]
    pub tools: Vec<String>,
    /// Whether the model may choose to call a tool, or must: providers tell it so in other words (`tool_choice`, `toolConfig`).
    pub tool_choice: ToolChoice,
    /// What earlier requests were counted as, and what the provider said they had. Their ratio calibrates the budget: where a provider
    /// counts 1.07 times what windrow does, the limits let 1.07 times less be counted, and `tokens` says what the provider will count.
    /// It is kept within 0.5 and 2. For models that are counted by estimate. Default: none.
    pub usage: Vec<Usage>,
    /// What a chat message costs beside its texts, in tokens. Default: 3, after OpenAI's published recipe for counting
    /// chat messages (tiktoken cookbook, `num_tokens_from_messages`); for Gemini none up to 2.0 and 1 from 2.5 on, as recorded
    /// requests show. An instruction of Claude's costs nothing beside its text.
    pub tokens_per_message: Option<u64>,
    /// What a chat message's name costs beside its text, in tokens. Default: 1, after the same recipe.
    pub tokens_per_name: u64,
    /// What primes the reply to chat messages, in tokens. Default: 2 for OpenAI's models that reason (`o1` to `o4`, `gpt-5` and later,
    /// `gpt-oss`) and none for Gemini, as recorded requests show; 3 for all others, after the same recipe.
    pub tokens_priming: Option<u64>,
    /// How long the hook `countTokens` may take for one batch, in milliseconds.
    pub timeout_ms: u64,
}

/// A config in which `contextLimit: "model"` is the number of tokens that it means, or None where it says something else. From here
/// on, and so in recordings and hashes, there is the number alone: another table changes no replay.
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
            Some(known) => format!("If {known} is meant, name it so"),
            None => "Name a model of the table of models".to_owned(),
        };
        return Err(unknown_window(&format!("of {model} no context window is known"), &named));
    };
    let reserve = match config.get(budget).and_then(|it| it.get("replyReserve")) {
        Some(Value::Number(tokens)) => *tokens,
        _ => DEFAULT_REPLY_RESERVE as f64,
    };
    // A model may take less input than its window has: then the rest is for the reply.
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

/// How a limit is written that is the model's.
const BY_MODEL: &str = "model";

fn unknown_window(message: &str, first: &str) -> Error {
    let next = format!("{first}, or pass budget.contextLimit as a number of tokens.");
    Error::option("budget.contextLimit", message, &next)
}

/// Reads tools that are objects or JSON already, each as its JSON.
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

/// Whether a tool must be called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ToolChoice {
    /// The model chooses.
    #[default]
    Auto,
    /// The model must call a tool: one of its choice, or the one that is named.
    Required,
}

/// When tokens are counted exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Counting {
    /// In any case.
    #[default]
    Exact,
    /// Only where the counts decide something. No text has more tokens than bytes: where all there is fits by its bytes, all of it is kept,
    /// no vocabulary is loaded, and `tokens` says what is estimated.
    WhenNeeded,
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
    /// The longest required texts keep their beginning and their end, with a visible marker between them. The request keeps the user's own
    /// words around a pasted text. With `cut`, texts that are in every prompt are cut to a power of two of characters, so that they stay the
    /// same from turn to turn.
    Shorten,
    /// The context is larger than the budget; result and trace say so.
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
                "is a part of contextLimit, which is not set",
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

    /// What a chat message costs beside its texts.
    pub(crate) fn per_message(&self) -> u64 {
        self.tokens_per_message.unwrap_or(DEFAULT_PER_MESSAGE)
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
