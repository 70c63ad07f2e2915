//! The config: what a build is given beside the transcript. Each group belongs to the stage of the same name.

use crate::error::{Error, ErrorCode, Result};
use crate::stages::budget::BudgetConfig;
use crate::stages::collect::CollectConfig;
use crate::stages::filter::FilterConfig;
use crate::stages::render::RenderConfig;
use crate::stages::window::WindowConfig;
use crate::time::Milliseconds;
use crate::tokens::EncodingName;
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
        let config: Self = value.decode(&OPTION_PATHS)?;
        config.window.check()?;
        config.budget.check()?;
        Ok(config)
    }

    /// The encoding to count with; none means the estimator.
    #[must_use]
    pub fn encoding_name(&self) -> Option<EncodingName> {
        match (self.encoding, &self.model) {
            (Some(choice), _) => choice.exact(),
            (None, Some(model)) => EncodingName::for_model(model),
            (None, None) => Some(EncodingName::O200kBase),
        }
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
                let path = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                if inner.is_object() {
                    walk(inner, &path, paths);
                } else {
                    paths.push(path);
                }
            }
        }
        let mut paths = vec!["request".to_owned()];
        walk(
            &serde_json::to_value(ContextConfig::default()).expect("plain data"),
            "",
            &mut paths,
        );
        let mut listed = OPTION_PATHS.to_vec();
        paths.sort();
        listed.sort_unstable();
        assert_eq!(listed, paths);
    }
}
