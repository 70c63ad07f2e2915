//! The config: what a build is given beside the transcript. Each group is of the stage of the same name.

use crate::error::{Error, ErrorCode, Result};
use crate::time::Milliseconds;
use crate::tokens::EncodingName;
use crate::transcript::Role;
use crate::value::Value;
use serde::{Deserialize, Serialize};

/// How a context is built. Everything is optional.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ContextConfig {
    /// The clock: milliseconds since 1970, or an ISO 8601 date and time. Default: the host's clock.
    #[cfg_attr(test, schemars(with = "Option<crate::reference::Moment>"))]
    pub now: Option<Milliseconds>,
    /// The session that the context is for. Messages of other sessions are left out; messages that name no session
    /// belong to every one. Default: all sessions.
    pub session_id: Option<String>,
    /// The id of this turn, for the snapshot. Default: a random one.
    pub turn_id: Option<String>,
    /// The model that the context is for, for example `gpt-4o`: it chooses the encoding. A model without a public
    /// encoding gets the estimator.
    pub model: Option<String>,
    /// How tokens are counted; stronger than `model`. Default: by `model`, and without one `o200k_base`.
    pub encoding: Option<EncodingChoice>,
    /// What is taken into consideration at all, and in which order.
    pub collect: CollectConfig,
    /// Which kinds of messages are left out.
    pub filter: FilterConfig,
    /// How far back the context reaches.
    pub window: WindowConfig,
    /// What the prompt may cost.
    pub budget: BudgetConfig,
    /// The form of the context.
    pub render: RenderConfig,
}

/// What is taken into consideration at all, and in which order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct CollectConfig {
    /// How many messages are looked at, the newest first; it applies before any filter. Default: all.
    pub fetch_limit: Option<u64>,
}

/// Which kinds of messages are left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct FilterConfig {
    /// The roles that stay. Default: all.
    pub roles: Option<Vec<Role>>,
    /// The sources that go, for example `["scheduled", "briefing"]`. Default: none.
    pub exclude_sources: Vec<String>,
    /// The tags that go: a message with one of them is left out. Default: none.
    pub exclude_tags: Vec<String>,
}

/// How far back the context reaches. A message stays only if every limit lets it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WindowConfig {
    /// What `lookbackCount` counts.
    pub unit: WindowUnit,
    /// How many of the newest messages or exchanges stay. Default: all.
    pub lookback_count: Option<u64>,
    /// How many of the newest user messages stay, each with all that follows it. Default: all.
    pub max_user_turns: Option<u64>,
    /// How many of the newest messages stay, whatever `unit` says. Default: all.
    pub max_recent_messages: Option<u64>,
    /// How many hours before the newest message the window begins; a message exactly that old stays, and so does one
    /// without a time. Fractions are allowed, 0 or more. Default: no limit.
    pub recency_hours: Option<f64>,
    /// How many of the newest messages stay however old they are: the floor of `recencyHours`.
    pub min_messages: u64,
}

/// The unit of a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum WindowUnit {
    /// One entry of the transcript.
    #[default]
    Message,
    /// A user message and all that answers it, up to the next user message.
    Exchange,
}

impl Default for WindowConfig {
    fn default() -> Self {
        Self {
            unit: WindowUnit::Message,
            lookback_count: None,
            max_user_turns: None,
            max_recent_messages: None,
            recency_hours: None,
            min_messages: 10,
        }
    }
}

impl WindowConfig {
    fn check(&self) -> Result<()> {
        match self.recency_hours {
            Some(hours) if hours < 0.0 => Err(invalid(
                "window.recencyHours",
                "expected 0 or more hours",
                "Give the hours as a positive number, or leave the option out.",
            )),
            _ => Ok(()),
        }
    }
}

/// What the prompt may cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// What happens where instructions, pinned messages and request alone cost more than the budget.
    pub on_required_overflow: OnRequiredOverflow,
}

/// What happens where what must be kept does not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum OnRequiredOverflow {
    /// The build fails with `BUDGET_TOO_SMALL`.
    #[default]
    Error,
    /// The longest required texts are cut at their end, with a visible marker.
    Shorten,
}

const DEFAULT_REPLY_RESERVE: u64 = 1024;

impl BudgetConfig {
    fn check(&self) -> Result<()> {
        if self.max_tokens.is_some() && self.context_limit.is_some() {
            return Err(invalid(
                "budget.maxTokens",
                "maxTokens bounds the prompt and contextLimit bounds prompt and reply together: give one of them",
                "Remove maxTokens or contextLimit.",
            ));
        }
        match (self.context_limit, self.reply_reserve) {
            (None, Some(_)) => Err(invalid(
                "budget.replyReserve",
                "is a part of contextLimit, which is not set",
                "Give contextLimit instead of maxTokens, or remove replyReserve.",
            )),
            (Some(limit), reserve) if reserve.unwrap_or(DEFAULT_REPLY_RESERVE) >= limit => {
                Err(invalid(
                    "budget.replyReserve",
                    "leaves nothing of contextLimit for the prompt (it is 1024 where it is not set)",
                    "Give a smaller replyReserve or a larger contextLimit.",
                ))
            }
            _ => Ok(()),
        }
    }

    /// What the prompt itself may cost, in tokens.
    #[must_use]
    pub fn prompt_limit(&self) -> Option<u64> {
        let reserve = self.reply_reserve.unwrap_or(DEFAULT_REPLY_RESERVE);
        self.max_tokens.or_else(|| Some(self.context_limit?.saturating_sub(reserve)))
    }
}

/// The form of the context.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RenderConfig {
    /// What the context is.
    pub format: Format,
    /// Whether the text formats show when a message was written, in UTC. The format `messages` has no place for it.
    pub times: bool,
}

/// What a context is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Format {
    /// A list of chat messages.
    #[default]
    Messages,
    /// One text, a labelled line or more for each message.
    Text,
    /// One text, an XML element for each message.
    Xml,
}

/// How tokens are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum EncodingChoice {
    /// Exactly, as GPT-4o and later count.
    #[serde(rename = "o200k_base")]
    O200kBase,
    /// Exactly, as GPT-4 and GPT-3.5 count.
    #[serde(rename = "cl100k_base")]
    Cl100kBase,
    /// By estimate, with no vocabulary.
    #[serde(rename = "estimate")]
    Estimate,
}

impl EncodingChoice {
    /// The exact encoding that was chosen, if one was.
    #[must_use]
    pub fn exact(self) -> Option<EncodingName> {
        match self {
            Self::O200kBase => Some(EncodingName::O200kBase),
            Self::Cl100kBase => Some(EncodingName::Cl100kBase),
            Self::Estimate => None,
        }
    }
}

impl ContextConfig {
    /// Reads a config as it was written.
    ///
    /// # Errors
    ///
    /// `INVALID_CONFIG` with the option's path where an option is unknown, of the wrong type or out of range, or where
    /// two options exclude each other.
    pub fn read(value: &Value) -> Result<Self> {
        let mut config: Self = value.decode(&OPTION_PATHS)?;
        config.window.check()?;
        config.budget.check()?;
        config.fill_in();
        Ok(config)
    }

    /// Writes down what was left to a default that depends on other options, so that the recorded config says all.
    fn fill_in(&mut self) {
        let by_model = |model: &String| match EncodingName::for_model(model) {
            Some(EncodingName::O200kBase) => EncodingChoice::O200kBase,
            Some(EncodingName::Cl100kBase) => EncodingChoice::Cl100kBase,
            None => EncodingChoice::Estimate,
        };
        self.encoding = self
            .encoding
            .or_else(|| self.model.as_ref().map(by_model))
            .or(Some(EncodingChoice::O200kBase));
        if self.budget.context_limit.is_some() {
            self.budget.reply_reserve.get_or_insert(DEFAULT_REPLY_RESERVE);
        }
    }

    /// The encoding to count with; none means the estimator.
    #[must_use]
    pub fn encoding_name(&self) -> Option<EncodingName> {
        self.encoding.unwrap_or(EncodingChoice::O200kBase).exact()
    }

    /// The effective config as JSON, with every default filled in: always the same text for the same config.
    #[must_use]
    pub fn canonical(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The paths of all options, to name the right one where a wrong one was given. The `request` crosses as a message, so
/// it is no field of the config here, but it is an option to the caller.
pub const OPTION_PATHS: [&str; 23] = [
    "request",
    "now",
    "sessionId",
    "turnId",
    "model",
    "encoding",
    "collect.fetchLimit",
    "filter.roles",
    "filter.excludeSources",
    "filter.excludeTags",
    "window.unit",
    "window.lookbackCount",
    "window.maxUserTurns",
    "window.maxRecentMessages",
    "window.recencyHours",
    "window.minMessages",
    "budget.maxTokens",
    "budget.contextLimit",
    "budget.replyReserve",
    "budget.maxChars",
    "budget.onRequiredOverflow",
    "render.format",
    "render.times",
];

/// A failure of one option.
pub(crate) fn invalid(path: &str, message: &str, next_action: &str) -> Error {
    Error::new(ErrorCode::InvalidConfig, message, next_action).at(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_paths_are_those_of_the_config() {
        fn walk(value: &serde_json::Value, path: &str, paths: &mut Vec<String>) {
            for (name, inner) in value.as_object().into_iter().flatten() {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                if inner.is_object() {
                    walk(inner, &path, paths);
                } else {
                    paths.push(path);
                }
            }
        }
        let mut paths = vec!["request".to_owned()];
        walk(&serde_json::to_value(ContextConfig::default()).expect("plain data"), "", &mut paths);
        let mut listed = OPTION_PATHS.to_vec();
        paths.sort();
        listed.sort_unstable();
        assert_eq!(listed, paths);
    }
}
