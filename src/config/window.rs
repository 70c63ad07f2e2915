use crate::base::error::{Error, Result};
use crate::base::value::FromValue;
use serde::Serialize;

/// How far back the context reaches. A message stays only if it is within every limit.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WindowConfig {
    /// The unit of `lookbackCount` and `previousTasksCount`, and of triage's choices.
    pub unit: WindowUnit,
    /// Number of the newest messages or exchanges that stay. Default: all.
    pub lookback_count: Option<u64>,
    /// Number of the newest user messages that stay, each with everything that follows it; 0 is off. Default: all.
    pub max_user_turns: Option<u64>,
    /// Number of the newest messages that stay, regardless of `unit`. Default: all.
    pub max_recent_messages: Option<u64>,
    /// Hours before the newest message at which the window begins. A message of exactly that age stays, and so does one
    /// without a time. Fractions are allowed; 0 is off. Default: no limit.
    pub recency_hours: Option<f64>,
    /// Number of the newest messages or exchanges that stay regardless of age, even with `recencyHours`.
    pub min_messages: u64,
    /// Number of the newest messages or exchanges from any source to bring back if `filter.excludeSources` or the
    /// window left them out.
    pub previous_tasks_count: u64,
    /// Number of the window's newest messages that are required, each with the messages that belong to it. They are
    /// never left out and get room before everything else. If they don't fit, `budget.onRequiredOverflow` applies.
    pub required_newest: u64,
    /// Keeps the message that the request replies to, wherever it is in the session.
    pub include_reply_to: bool,
}

/// The unit of a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum WindowUnit {
    /// One entry of the transcript.
    #[default]
    Message,
    /// A user message and everything that answers it, up to the next user message.
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
            previous_tasks_count: 0,
            required_newest: 0,
            include_reply_to: true,
        }
    }
}

impl WindowConfig {
    pub(super) fn check(&self) -> Result<()> {
        match self.recency_hours {
            Some(hours) if hours < 0.0 => Err(Error::option(
                "window.recencyHours",
                "expected 0 or more hours",
                "Pass the hours as a positive number, or leave the option out.",
            )),
            _ => Ok(()),
        }
    }
}
