use crate::base::error::{Error, Result};
use crate::base::guard::clean_label;
use crate::base::map::Map;
use crate::base::message::Role;
use crate::base::value::FromValue;
use serde::Serialize;

/// The form of the context.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RenderConfig {
    /// What the context is.
    pub format: Format,
    /// Whether the formats `text` and `xml` show when a message was written, in `timeZone`; `unknown` where that is not
    /// known. The format `messages` has a place for it only in quotes, and `conversations` always shows it.
    pub times: bool,
    /// What the text formats call each role. Default: `System`, `Developer`, `User`, `Assistant`, `Tool`; in
    /// `conversations` `human` and `you` for user and assistant.
    pub labels: Labels,
    /// What the format `text` calls the user in messages of these sources, for example
    /// `{ "scheduled": "Scheduled" }`.
    pub source_labels: Map<String, String>,
    /// How many of a message's `actions` the text formats show below it.
    pub max_actions: u64,
    /// The most characters of an assistant's message; a longer one is cut, with `...[truncated]`; 0 is off. Default:
    /// no limit.
    pub max_reply_chars: Option<u64>,
    /// Whether runs of white space in the text formats become one space, line ends included: in messages, and in recalled
    /// items.
    pub collapse_whitespace: bool,
    /// Messages that the text formats show by another text, by the first rule that fits. They cost as much as
    /// their own text.
    pub replace: Vec<Replacement>,
    /// A line that the text formats put before the history, where there is one.
    pub heading: Option<String>,
    /// A line before the history, behind the instructions, where messages of it are left out for want of room or place: by
    /// budget and limits, windows, age, triage or rank, or as they were not read of a session's log. `{count}` becomes
    /// their number, `{from}` and `{to}` the times of the first and the last of them, in `timeZone`; `unknown` where that
    /// is not known. It is there only where there is room for it, and counts to the budget alone. Example:
    /// `"[{count} earlier messages, {from} to {to}, are not shown.]"`. Default: none.
    pub gap_notice: Option<String>,
    /// The line that opens the quotes after the history (`recall.placement`, `triage.placement`), in the formats
    /// `messages` and `text`; the others have an element for it.
    pub quote_label: String,
    /// Whether a text ends with a line end.
    pub trailing_newline: bool,
    /// How the text formats keep what others wrote apart from the prompt's own lines.
    pub guard: Guard,
    /// The provider that the messages are sent to, in the format `messages`. Where it wants the user to speak first and the history
    /// begins with somebody else, a line of the user's stands before it: `[Earlier messages are not shown.]`. Room for that is set aside.
    /// `context.request()` makes the body of the request. Default: none.
    pub provider: Option<Provider>,
    /// The server of an OpenAI-compatible endpoint that the messages go to. What it set on the assistant's messages goes back to it and is
    /// counted, such as `reasoning_content`. Default: as `model` says, and none if no such server is known by it.
    // Not written if there is none, so that the hashes of other contexts stay as they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<Server>,
    /// Place of a system or developer message that comes after the conversation has begun, for a provider or a model that doesn't take it
    /// there. OpenAI and Claude from 4.8 on do: it stays in its place. Default: `top`.
    #[serde(skip_serializing_if = "LateInstructions::is_default")]
    pub late_instructions: LateInstructions,
    /// False if OpenAI's Responses API is told not to keep the request: reasoning goes only with its encrypted content then, and other
    /// reasoning isn't counted. `context.request` takes it as its `store`. Default: the API keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<bool>,
    /// Treatment of a tool call that has no result, such as one that the user stopped, in a message that says something else too.
    /// A message that says nothing else is left out. In the text formats a call is a text, and stays. Default: `close`.
    #[serde(skip_serializing_if = "OpenCalls::is_default")]
    pub open_calls: OpenCalls,
}

/// Place of instructions that come after the conversation has begun, if the model doesn't take them there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum LateInstructions {
    /// They go to the instructions at the top of the request. That changes the beginning of the prompt: the provider's cache misses,
    /// and thinking that is bound to the beginning is lost.
    #[default]
    Top,
    /// They stay in their place, as a text of the user's that begins with `[Instructions of the application]`. The model may trust it less.
    User,
}

impl LateInstructions {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Treatment of a tool call that has no result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum OpenCalls {
    /// `context.request` adds a result that says that it was interrupted: the model still sees its call, and signatures on calls stay
    /// whole. `context.messages` and `context.kept` are without the call, since not every form has a place for
    /// a result that nobody gave.
    #[default]
    Close,
    /// It is left out of the request too.
    Drop,
}

impl OpenCalls {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A server that takes requests in the form of OpenAI's chat completions. `docs/providers.md` has where each is known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Server {
    /// OpenAI itself, which refuses fields that it doesn't know.
    Openai,
    /// Mistral, which refuses them too.
    Mistral,
    /// Groq, which refuses them too.
    Groq,
    /// `DeepSeek`.
    Deepseek,
    /// Moonshot AI, which makes Kimi.
    Moonshot,
    /// Z.ai, which makes GLM.
    Zai,
    /// Gemini's OpenAI-compatible endpoint.
    Gemini,
    /// `OpenRouter`, and routers that take the same fields.
    Openrouter,
    /// Any other server that takes back the fields that it set.
    Other,
}

impl Server {
    /// True if fields that it set on the assistant's messages go back to it.
    #[must_use]
    pub fn takes_fields(self) -> bool {
        !matches!(self, Self::Openai | Self::Mistral | Self::Groq)
    }

    /// True if it has a field for reasoning that nothing proves to be another provider's.
    #[must_use]
    pub fn takes_thoughts(self) -> bool {
        matches!(self, Self::Deepseek | Self::Moonshot | Self::Zai | Self::Openrouter)
    }
}

/// The makers of compactions, as `Field::ReasoningOf` has them.
pub(super) const ANTHROPIC_COMPACTION: &str = "anthropic/compaction";
pub(super) const OPENAI_COMPACTION: &str = "openai/compaction";

/// A provider of models, by the form of its requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Provider {
    /// OpenAI's chat completions, and what is compatible with them.
    Openai,
    /// OpenAI's Responses.
    OpenaiResponses,
    /// Anthropic's Messages.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
    /// Amazon Bedrock's Converse, for every model that it has.
    Bedrock,
    /// The AI SDK's `ModelMessage`, for any provider.
    AiSdk,
    /// Chrome's Prompt API, for the model that is built into the browser.
    Chrome,
    /// The chat completions of `web-llm`, for models that run in a page.
    WebLlm,
}

impl Provider {
    /// True if reasoning of a maker is sent. The maker is empty if nothing proves it, and `openai/id` for reasoning that OpenAI finds by its
    /// id alone.
    #[must_use]
    pub fn takes_reasoning_of(self, maker: &str, render: &RenderConfig) -> bool {
        match self {
            Self::Openai => render.server.is_some_and(Server::takes_thoughts) && maker.is_empty(),
            Self::OpenaiResponses => match maker {
                "openai/id" => render.store != Some(false),
                _ => matches!(maker, "openai" | OPENAI_COMPACTION),
            },
            Self::Anthropic => {
                matches!(maker, "anthropic" | "anthropic/note" | ANTHROPIC_COMPACTION)
            }
            Self::Gemini => maker == "google",
            Self::Bedrock => maker == "anthropic",
            // A compaction goes to its maker alone: the config says who that is.
            Self::AiSdk => !maker.ends_with("/compaction"),
            Self::Chrome | Self::WebLlm => false,
        }
    }

    /// Whether what several calls gave is one message.
    #[must_use]
    pub fn joins_results(self) -> bool {
        self.begins_with_user() || self == Self::Chrome
    }

    /// True if the texts of a message are one text.
    #[must_use]
    pub fn joins_texts(self) -> bool {
        matches!(self, Self::Chrome | Self::WebLlm)
    }

    /// Whether the first message must be the user's.
    #[must_use]
    pub fn begins_with_user(self) -> bool {
        matches!(self, Self::Anthropic | Self::Gemini | Self::Bedrock | Self::AiSdk)
    }
}

/// How contents are kept apart from structure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Guard {
    /// Every line of a content after its first begins with a space, so that none begins where a line of the prompt's own
    /// does. A name stands in brackets behind the role. See `docs/formats.md`.
    #[default]
    Indent,
    /// Contents and names stand as they are, and can pass for structure: for a prompt whose bytes are given. The formats
    /// `xml` and `conversations` still escape them.
    None,
}

/// What the roles are called.
#[derive(Clone, Debug, Default, PartialEq, Serialize, FromValue)]
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
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
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
    /// One text, an XML element for each conversation with a line for each message.
    Conversations,
}

/// What the prompt's own lines begin with that stand below a message: no label may.
const OWN_BEGINS: [&str; 3] = ["[Actions:", "[Calling ", "[truncated:"];

impl RenderConfig {
    /// True if what a server set on the assistant's messages goes back to it.
    #[must_use]
    pub fn returns_server_fields(&self) -> bool {
        self.provider.is_none_or(|provider| provider == Provider::Openai)
            && self.server.is_some_and(Server::takes_fields)
    }

    /// What a role is called in the text formats.
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

    /// Refuses a provider for a text, and labels by which two roles could not be told apart.
    pub(super) fn check(&self) -> Result<()> {
        if self.provider.is_some() && self.format != Format::Messages {
            return Err(Error::option(
                "render.provider",
                "a text has no form of a provider's",
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
        // In `conversations` the history's lines have brackets, and those of the request and behind it are as in `text`.
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
                    "a label cannot begin as a line of the prompt's own does",
                    "Give the role another label, or set render.guard to \"none\".",
                ));
            }
            for (other_path, other_role, other) in &labels {
                let rest = other.strip_prefix(label.as_str());
                let is_same = rest == Some("") && role != other_role;
                if is_same || rest.is_some_and(|rest| self.goes_on(label, rest)) {
                    return Err(Error::option(
                        other_path,
                        &format!("the label cannot be told apart from that of {path}"),
                        "Give each role a label of its own, or set render.guard to \"none\".",
                    ));
                }
            }
        }
        Ok(())
    }

    /// Whether what follows a label begins as what the form puts behind one: a name, a time, or its end.
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
