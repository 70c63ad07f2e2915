use crate::base::error::{Error, Result};
use crate::base::guard::clean_label;
use crate::base::map::Map;
use crate::base::message::Role;
use crate::base::value::FromValue;
use crate::tokens::media::Kind;
use serde::Serialize;

/// The form of the context.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RenderConfig {
    /// The form of the result.
    pub format: Format,
    /// Shows when each message was written, in `timeZone`, in the formats `text` and `xml`; `unknown` without a time.
    /// The format `messages` shows times only in quotes, and `conversations` always shows them.
    pub times: bool,
    /// The names of the roles in the text formats. Default: `System`, `Developer`, `User`, `Assistant`, `Tool`; in
    /// `conversations`, `human` and `you` for user and assistant.
    pub labels: Labels,
    /// Labels that replace the user's in the format `text` for messages from certain sources, for example `{
    /// "scheduled": "Scheduled" }`.
    pub source_labels: Map<String, String>,
    /// Maximum number of a message's `actions` that the text formats show below it.
    pub max_actions: u64,
    /// Maximum number of characters of an assistant's message. A longer one is cut and ends with `...[truncated]`; 0 is
    /// off. Default: no limit.
    pub max_reply_chars: Option<u64>,
    /// Collapses runs of white space, including line ends, to one space in the text formats, in messages and in
    /// recalled items.
    pub collapse_whitespace: bool,
    /// Rules that replace the text of messages in the text formats; the first match applies. Such messages still cost
    /// as much as their own text.
    pub replace: Vec<Replacement>,
    /// A line before the history in the text formats, if there is any history.
    pub heading: Option<String>,
    /// A line between the instructions and the history, shown if messages of the history are left out for lack of room
    /// or by position: by budget and limits, windows, age, triage or rank, or because they weren't read from a
    /// session's log. `{count}` becomes their number, and `{from}` and `{to}` the times of the first and last of them,
    /// in `timeZone`, or `unknown`. The line appears only if it fits, and counts only toward the budget. Example:
    /// `"[{count} earlier messages, {from} to {to}, are not shown.]"`. Default: none.
    pub gap_notice: Option<String>,
    /// The line before the quotes after the history (`recall.placement`, `triage.placement`), in the formats `messages`
    /// and `text`. The other formats use an element instead.
    pub quote_label: String,
    /// Ends the text with a line end.
    pub trailing_newline: bool,
    /// How the text formats keep message content apart from the prompt's own lines.
    pub guard: Guard,
    /// The provider that the messages are sent to, in the format `messages`. If it requires the user to speak first and
    /// the history begins with somebody else, a user message is put first: `[Earlier messages are not shown.]`. Room
    /// for it is reserved. `context.request()` makes the request body. Default: none.
    pub provider: Option<Provider>,
    /// The OpenAI-compatible server that the messages go to. Fields that it set on the assistant's messages, such as
    /// `reasoning_content`, go back to it and count. Default: the server that `model` is known to run on, if any.
    // Omitted if unset, so that the hashes of other contexts stay the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<Server>,
    /// The place of a system or developer message that comes after the conversation has begun, if the provider or model
    /// doesn't accept it there. OpenAI and Claude from 4.8 on accept it, so it stays in place. Default: `top`.
    #[serde(skip_serializing_if = "LateInstructions::is_default")]
    pub late_instructions: LateInstructions,
    /// If false, OpenAI's Responses API doesn't store the request. Then only encrypted reasoning is sent, and other
    /// reasoning doesn't count. `context.request` sends this option as `store`. Default: the API stores it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<bool>,
    /// Closes or drops a tool call without a result, such as one that the user stopped, if its message has other
    /// content. A message without other content is left out. In the text formats a call is text, and stays. Default:
    /// `close`.
    #[serde(skip_serializing_if = "OpenCalls::is_default")]
    pub open_calls: OpenCalls,
}

/// The place of instructions that come after the conversation has begun, if the model doesn't accept them there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum LateInstructions {
    /// They move to the instructions at the top of the request. That changes the beginning of the prompt, so the
    /// provider's cache misses, and thinking bound to the beginning is lost.
    #[default]
    Top,
    /// They stay in place, as a user text that begins with `[Instructions of the application]`. The model may trust
    /// them less.
    User,
}

impl LateInstructions {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Closes or drops a tool call without a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum OpenCalls {
    /// `context.request` adds a result saying that the call was interrupted. So the model still sees its call, and
    /// signatures on calls stay valid. `context.messages` and `context.kept` leave the call out, because not every
    /// format can express a made-up result.
    #[default]
    Close,
    /// The request leaves the call out too.
    Drop,
}

impl OpenCalls {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A server that accepts requests in OpenAI's chat completions format. `docs/providers.md` has the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Server {
    /// OpenAI itself, which rejects fields that it doesn't know.
    Openai,
    /// Mistral, which rejects them too.
    Mistral,
    /// Groq, which rejects them too.
    Groq,
    /// `DeepSeek`.
    Deepseek,
    /// Moonshot AI, which makes Kimi.
    Moonshot,
    /// Z.ai, which makes GLM.
    Zai,
    /// Gemini's OpenAI-compatible endpoint.
    Gemini,
    /// `OpenRouter`, and routers that accept the same fields.
    Openrouter,
    /// Any other server that accepts the fields that it set.
    Other,
}

impl Server {
    /// True if the server gets back the fields that it set on the assistant's messages.
    #[must_use]
    pub fn takes_fields(self) -> bool {
        !matches!(self, Self::Openai | Self::Mistral | Self::Groq)
    }

    /// True if the server has a field for reasoning whose provider is unknown.
    #[must_use]
    pub fn takes_thoughts(self) -> bool {
        matches!(self, Self::Deepseek | Self::Moonshot | Self::Zai | Self::Openrouter)
    }
}

/// The providers that make compactions, as named in `Field::ReasoningOf`.
pub(super) const ANTHROPIC_COMPACTION: &str = "anthropic/compaction";
pub(super) const OPENAI_COMPACTION: &str = "openai/compaction";

/// The maker of reasoning that OpenAI has encrypted, as in `Field::ReasoningOf`.
const OPENAI_SEALED: &str = "openai/sealed";
/// The same, if its summary is directly before it.
pub(crate) const OPENAI_SUMMARIZED: &str = "openai/sealed/summarized";

/// True if OpenAI has encrypted the parts of a maker.
pub(crate) fn is_sealed(maker: &str) -> bool {
    matches!(maker, OPENAI_SEALED | OPENAI_SUMMARIZED | OPENAI_COMPACTION)
}

/// A provider of models, identified by the format of its requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Provider {
    /// OpenAI's chat completions, and compatible servers.
    Openai,
    /// OpenAI's Responses.
    OpenaiResponses,
    /// Anthropic's Messages.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
    /// Amazon Bedrock's Converse, for all of its models.
    Bedrock,
    /// The AI SDK's `ModelMessage`, for any provider.
    AiSdk,
    /// Chrome's Prompt API, for the browser's built-in model.
    Chrome,
    /// The chat completions of `web-llm`, for models that run in a page.
    WebLlm,
}

impl Provider {
    /// True if its requests have a place for media of this kind from this role. The package's writers say the same.
    /// A writer may still refuse one form of it, such as a type of documents.
    pub(crate) fn holds(self, role: Role, kind: Kind) -> bool {
        match (self, role) {
            (Self::Gemini | Self::AiSdk, _) => true,
            _ if kind == Kind::Text => true,
            // A reply in audio may be sent by its id.
            (_, Role::Assistant) => self == Self::Openai && kind == Kind::Audio,
            (Self::Openai | Self::WebLlm, Role::Tool) => false,
            (Self::Openai, _) | (Self::Bedrock, Role::User) => true,
            (Self::Bedrock | Self::OpenaiResponses, _) => kind != Kind::Audio,
            (Self::Anthropic, _) => matches!(kind, Kind::Image | Kind::Document),
            (Self::Chrome | Self::WebLlm, _) => matches!(kind, Kind::Image | Kind::Audio),
        }
    }

    /// The makers whose changes to tools and output it accepts among the messages, as in `Field::ReasoningOf`.
    #[must_use]
    pub fn late_changes(self) -> &'static [&'static str] {
        match self {
            Self::Anthropic => &["anthropic/tools", "anthropic/output"],
            Self::Bedrock => &["bedrock/tools"],
            _ => &[],
        }
    }

    /// True if a maker's reasoning is sent. The maker is empty if it is unknown, and `openai/id` for reasoning that
    /// OpenAI finds by its id alone.
    #[must_use]
    pub fn takes_reasoning_of(self, maker: &str, render: &RenderConfig) -> bool {
        match self {
            Self::Openai => render.server.is_some_and(Server::takes_thoughts) && maker.is_empty(),
            Self::OpenaiResponses => match maker {
                "openai/id" => render.store != Some(false),
                _ => matches!(maker, "openai" | "openai/note") || is_sealed(maker),
            },
            Self::Anthropic => {
                matches!(maker, "anthropic" | "anthropic/note" | ANTHROPIC_COMPACTION)
            }
            Self::Gemini => maker == "google",
            Self::Bedrock => maker == "anthropic",
            // It has no place for notes. A compaction goes only to its maker, which the config names.
            Self::AiSdk => {
                matches!(maker, "openai/id" | OPENAI_SEALED | OPENAI_SUMMARIZED)
                    || !maker.bytes().any(|byte| byte == b'/')
            }
            Self::Chrome | Self::WebLlm => false,
        }
    }

    /// True if the results of several calls form one message.
    #[must_use]
    pub fn joins_results(self) -> bool {
        self.begins_with_user() || self == Self::Chrome
    }

    /// True if a document that is a text is sent as a document. Others get it as a text.
    #[must_use]
    pub fn holds_text_documents(self) -> bool {
        matches!(self, Self::Anthropic | Self::Bedrock)
    }

    /// True if the texts of a message are joined into one.
    #[must_use]
    pub fn joins_texts(self) -> bool {
        matches!(self, Self::Chrome | Self::WebLlm)
    }

    /// True if the instructions at the top are one text.
    #[must_use]
    pub fn joins_instructions(self) -> bool {
        self.joins_texts() || matches!(self, Self::OpenaiResponses | Self::AiSdk)
    }

    /// True if the first message must be the user's.
    #[must_use]
    pub fn begins_with_user(self) -> bool {
        matches!(self, Self::Anthropic | Self::Gemini | Self::Bedrock | Self::AiSdk)
    }
}

/// How content is kept apart from structure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Guard {
    /// Every line of content after the first begins with a space, so that it can't look like one of the prompt's own
    /// lines. A name follows the role in brackets. See `docs/formats.md`.
    #[default]
    Indent,
    /// Content and names are unchanged, and can imitate structure. Use it if a prompt's bytes are prescribed. The
    /// formats `xml` and `conversations` still escape them.
    None,
}

/// The names of the roles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Labels {
    /// Instructions.
    pub system: Option<String>,
    /// Instructions, as newer models call them.
    pub developer: Option<String>,
    /// The user, if no name is known.
    pub user: Option<String>,
    /// The assistant, if no name is known.
    pub assistant: Option<String>,
    /// A tool's result.
    pub tool: Option<String>,
}

impl Labels {
    /// The configured name of a role.
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

/// A rule that replaces the text of certain messages.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Replacement {
    /// The role of the messages. Default: any.
    #[serde(default)]
    pub role: Option<Role>,
    /// A tag of the messages. Default: any or none.
    #[serde(default)]
    pub tag: Option<String>,
    /// Phrases that the text must contain, all of them. The case of the letters A to Z doesn't matter. Default: any
    /// text.
    #[serde(default)]
    pub contains: Vec<String>,
    /// The text to show.
    pub text: String,
}

/// The form of a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Format {
    /// A list of chat messages.
    #[default]
    Messages,
    /// One text, with at least one labelled line for each message.
    Text,
    /// One text, with an XML element for each message.
    Xml,
    /// One text, with an XML element for each conversation and a line for each message.
    Conversations,
}

/// How the prompt's own lines below a message begin. No label may begin like them.
const OWN_BEGINS: [&str; 3] = ["[Actions:", "[Calling ", "[truncated:"];

impl RenderConfig {
    /// True if the fields that a server set on the assistant's messages go back to it.
    #[must_use]
    pub fn returns_server_fields(&self) -> bool {
        self.provider.is_none_or(|provider| provider == Provider::Openai)
            && self.server.is_some_and(Server::takes_fields)
    }

    /// True if the request takes calls with a text instead of JSON.
    #[must_use]
    pub fn takes_custom_calls(&self) -> bool {
        let is_of_openai = matches!(self.server, None | Some(Server::Openai));
        match self.provider {
            None | Some(Provider::OpenaiResponses) => true,
            provider => provider == Some(Provider::Openai) && is_of_openai,
        }
    }

    /// The name of a role in the text formats.
    #[must_use]
    pub fn role_label(&self, role: Role) -> &str {
        let is_bracketed = self.format == Format::Conversations;
        self.labels.of(role).unwrap_or(match role {
            Role::User if is_bracketed => "human",
            Role::Assistant if is_bracketed => "you",
            Role::System => "System",
            Role::Developer => "Developer",
            Role::User => "User",
            Role::Assistant => "Assistant",
            Role::Tool => "Tool",
        })
    }

    /// Rejects a provider in a text format, and labels that make two roles look alike.
    pub(super) fn check(&self) -> Result<()> {
        if self.provider.is_some() && self.format != Format::Messages {
            return Err(Error::option(
                "render.provider",
                "text formats have no provider",
                "Leave it out, or set render.format to \"messages\".",
            ));
        }
        if self.guard == Guard::None || self.format == Format::Xml {
            return Ok(());
        }
        let roles = Role::ALL.into_iter().map(|role| {
            let path = format!("render.labels.{}", role.as_str());
            (path, role, clean_label(self.role_label(role)))
        });
        let sources = self.source_labels.iter().map(|(source, label)| {
            (format!("render.sourceLabels.{source}"), Role::User, clean_label(label))
        });
        let labels: Vec<(String, Role, String)> = roles.chain(sources).collect();
        // In `conversations` the history's lines have brackets. The request and the lines after it are as in `text`.
        let has_brackets = self.format == Format::Conversations;
        for (path, role, label) in &labels {
            let heads = [Some(format!("{label}:")), has_brackets.then(|| format!("[{label}:"))];
            let begins_own =
                heads.iter().flatten().any(|it| OWN_BEGINS.iter().any(|own| it.starts_with(own)));
            let time = label.strip_prefix('[').unwrap_or_default();
            let is_time =
                time.starts_with("unknown]") || time.starts_with(|it: char| it.is_ascii_digit());
            if is_time || begins_own {
                return Err(Error::option(
                    path,
                    "a label can't begin like a line of the prompt itself",
                    "Pass another label for the role, or set render.guard to \"none\".",
                ));
            }
            for (other_path, other_role, other) in &labels {
                let rest = other.strip_prefix(label.as_str());
                let is_same = rest == Some("") && role != other_role;
                if is_same || rest.is_some_and(|rest| self.goes_on(label, rest)) {
                    return Err(Error::option(
                        other_path,
                        &format!("the label looks the same as that of {path}"),
                        "Pass a different label for each role, or set render.guard to \"none\".",
                    ));
                }
            }
        }
        Ok(())
    }

    /// True if the text after a label could be the form's own: a name, a time, or the label's end.
    fn goes_on(&self, label: &str, rest: &str) -> bool {
        if rest.starts_with(if label.is_empty() { "(" } else { " (" }) {
            return true;
        }
        let time = rest.strip_prefix(' ').unwrap_or_default();
        let is_bracketed =
            rest.starts_with(']') || time.starts_with(|letter: char| letter.is_ascii_digit());
        rest.starts_with(':') || (self.format == Format::Conversations && is_bracketed)
    }
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
            guard: Guard::Indent,
            provider: None,
            server: None,
            late_instructions: LateInstructions::default(),
            store: None,
            open_calls: OpenCalls::default(),
        }
    }
}
