use crate::base::error::{Error, Result};
use crate::base::message::Role;
use crate::base::value::FromValue;
use serde::Serialize;

/// Which kinds of messages are left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct FilterConfig {
    /// The roles that stay. Default: all. In the text formats a call stays without its result, as it is a text there.
    pub roles: Option<Vec<Role>>,
    /// The sources that go, for example `["scheduled", "briefing"]`. Default: none.
    pub exclude_sources: Vec<String>,
    /// The tags that go: a message with one of them is left out. Default: none.
    pub exclude_tags: Vec<String>,
    /// Whether turns that are not finished go: messages whose `status` is another than `completed`, and user messages
    /// that no reply follows before the next one.
    pub completed_only: bool,
    /// Whether tool calls and their results go. Of a message that says something too, what it says stays, as a marked copy
    /// without the calls in the format `messages`.
    pub exclude_tool_calls: bool,
    /// Whether messages without any text, call or media go. With `render.provider` they always do: no provider takes them.
    pub exclude_blank: bool,
    /// How many days before the clock a message may have been written; one exactly that old stays, and so does one
    /// without a time. Fractions are allowed; 0 is off. Default: no limit.
    pub max_age_days: Option<f64>,
    /// What the user wants forgotten, for example by `session.forget`. A message that says nothing else is left out. One that says more is
    /// chosen neither for its rank nor as a lasting statement, and stays where the conversation itself is shown. The request, instructions and
    /// pinned messages stay.
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
