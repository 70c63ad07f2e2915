use crate::base::error::{Error, Result};
use crate::base::message::Role;
use crate::base::value::FromValue;
use serde::Serialize;

/// Leaves out messages by their kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct FilterConfig {
    /// The roles that stay. Default: all. In the text formats a call is text, so it can stay without its result.
    pub roles: Option<Vec<Role>>,
    /// The sources to leave out, for example `["scheduled", "briefing"]`. Default: none.
    pub exclude_sources: Vec<String>,
    /// The tags to leave out: a message with any of them is left out. Default: none.
    pub exclude_tags: Vec<String>,
    /// Leaves out unfinished turns: messages whose `status` is anything but `completed`, and user messages that get no
    /// reply before the next one.
    pub completed_only: bool,
    /// Leaves out tool calls and their results. In the format `messages`, a message with text and calls becomes a
    /// marked copy without the calls.
    pub exclude_tool_calls: bool,
    /// Leaves out messages without any text, call or media. With `render.provider` they are always left out, because no
    /// provider accepts them.
    pub exclude_blank: bool,
    /// Maximum age of a message in days. A message of exactly that age stays, and so does one without a time. Fractions
    /// are allowed; 0 is off. Default: no limit.
    pub max_age_days: Option<f64>,
    /// Sentences that the user wants forgotten, for example by `session.forget`. A message that says nothing else is
    /// left out. One that says more is never chosen for its rank or as a lasting statement, but stays where the
    /// conversation itself is shown. The request, instructions and pinned messages stay.
    pub forgotten: Vec<ForgottenSentence>,
}

/// A sentence that the user wants forgotten.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ForgottenSentence {
    /// The sentence, as `statements` lists it.
    pub sentence: String,
    /// The ids of the messages that say it. Default: all of the user's messages that do.
    #[serde(default)]
    pub message_ids: Option<Vec<String>>,
}

impl FilterConfig {
    pub(super) fn check(&self) -> Result<()> {
        match self.max_age_days {
            Some(days) if days < 0.0 => Err(Error::option(
                "filter.maxAgeDays",
                "expected 0 or more days",
                "Pass the days as a positive number, or leave the option out.",
            )),
            _ => match self.forgotten.iter().position(|it| it.sentence.trim().is_empty()) {
                Some(at) => Err(Error::option(
                    &format!("filter.forgotten[{at}].sentence"),
                    "the sentence is blank",
                    "Pass a sentence that statements() lists.",
                )),
                None => Ok(()),
            },
        }
    }
}
