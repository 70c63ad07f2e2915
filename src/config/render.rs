use crate::map::Map;
use crate::transcript::Role;
use serde::{Deserialize, Serialize};

/// The form of the context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RenderConfig {
    /// What the context is.
    pub format: Format,
    /// Whether the formats `text` and `xml` show when a message was written, in `timeZone`; `unknown` where that is not
    /// known. The format `messages` has a place for it only in what is quoted, and `conversations` always shows it.
    pub times: bool,
    /// What the text formats call each role. Default: `System`, `Developer`, `User`, `Assistant`, `Tool`; in
    /// `conversations` `human` and `you` for user and assistant (documents 000, 001).
    pub labels: Labels,
    /// What the format `text` calls the user in messages of these sources, for example
    /// `{ "scheduled": "Scheduled" }` (document 000).
    pub source_labels: Map<String, String>,
    /// How many of a message's `actions` the text formats show below it (document 000).
    pub max_actions: u64,
    /// The most characters of an assistant's message; what is longer is cut, with `...[truncated]`; 0 is off. Default:
    /// no limit (document 000).
    pub max_reply_chars: Option<u64>,
    /// Whether runs of white space in the text formats become one space, line ends included: in messages, and in what is
    /// recalled (document 001).
    pub collapse_whitespace: bool,
    /// Messages that the text formats show by another text, by the first rule that fits. Their cost stays that of what
    /// was said (document 001).
    pub replace: Vec<Replacement>,
    /// A line that the text formats put before the history, where there is one (document 001).
    pub heading: Option<String>,
    /// A line before the history, behind the instructions, where messages of it are left out for want of room or place: by
    /// budget and limits, windows, age, triage or rank, or as they were not read of a session's log. `{count}` stands for
    /// how many, `{from}` and `{to}` for the times of the first and the last of them, in `timeZone`; `unknown` where that
    /// is not known. It is there only where there is room for it, and counts to the budget alone. Example:
    /// `"[{count} earlier messages, {from} to {to}, are not shown.]"`. Default: none.
    pub gap_notice: Option<String>,
    /// The line that opens what is quoted after the history (`recall.placement`, `triage.placement`), in the formats
    /// `messages` and `text`; the others have an element for it.
    pub quote_label: String,
    /// Whether a text ends with a line end.
    pub trailing_newline: bool,
}

/// What the roles are called.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Labels {
    /// Instructions.
    pub system: Option<String>,
    /// Instructions, as newer models call them.
    pub developer: Option<String>,
    /// The user, where no name is known.
    pub user: Option<String>,
    /// The assistant, where no name is known.
    pub assistant: Option<String>,
    /// A tool's result.
    pub tool: Option<String>,
}

impl Labels {
    /// What a role is called, if that was said.
    #[must_use]
    pub fn of(&self, role: Role) -> Option<&str> {
        match role {
            Role::System => self.system.as_deref(),
            Role::Developer => self.developer.as_deref(),
            Role::User => self.user.as_deref(),
            Role::Assistant => self.assistant.as_deref(),
            Role::Tool => self.tool.as_deref(),
        }
    }
}

/// What is shown in the place of messages of a kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Replacement {
    /// The role of the messages. Default: any.
    #[serde(default)]
    pub role: Option<Role>,
    /// A tag that the messages have. Default: any or none.
    #[serde(default)]
    pub tag: Option<String>,
    /// Phrases that the text has, all of them; the letters A to Z in upper or lower case. Default: any text.
    #[serde(default)]
    pub contains: Vec<String>,
    /// What is shown.
    pub text: String,
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
    /// One text, an XML element for each conversation with a line for each message (document 002).
    Conversations,
}

impl Default for RenderConfig {
    fn default() -> Self {
        Self {
            format: Format::Messages,
            times: false,
            labels: Labels::default(),
            source_labels: Map::default(),
            max_actions: 15,
            max_reply_chars: None,
            collapse_whitespace: false,
            replace: Vec::new(),
            heading: None,
            gap_notice: None,
            quote_label: "Earlier in this conversation:".to_owned(),
            trailing_newline: false,
        }
    }
}
