//! Parts of a message: its role and its fields.

use super::value::FromValue;
use serde::Serialize;
use strum::VariantArray;

/// The speaker's role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// Instructions to the model.
    System,
    /// Instructions to the model, as newer models call them.
    Developer,
    /// The human, or whoever else asks.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

impl Role {
    /// Every role, in the order of its code at the boundary.
    pub const ALL: [Self; 5] =
        [Self::System, Self::Developer, Self::User, Self::Assistant, Self::Tool];

    /// The role in the spelling of messages.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }

    /// True if messages of this role instruct the model rather than take part in the conversation.
    #[must_use]
    pub fn is_instruction(self) -> bool {
        matches!(self, Self::System | Self::Developer)
    }

    /// True if a message of this role begins an exchange: a user message and everything that answers it, up to the next
    /// one.
    #[must_use]
    pub fn begins_exchange(self) -> bool {
        self == Self::User
    }
}

/// Kind of a segment of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, VariantArray)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Field {
    /// The message's id, as the caller set it.
    Id,
    /// The speaker's name.
    Name,
    /// A text part of the content.
    Text,
    /// A reasoning part of the content.
    Reasoning,
    /// An image part: its detail (`low`, `high` or `auto`), known facts as `name=value`, and a fingerprint, separated
    /// by spaces.
    Image,
    /// An audio part, in the form of an image.
    Audio,
    /// A file part, in the form of an image.
    File,
    /// The id of a tool call. It begins the call.
    CallId,
    /// The tool's name.
    CallName,
    /// The call's arguments, a JSON text.
    CallArguments,
    /// The id of the call that this message, or the text that follows, is the result of.
    ResultId,
    /// The time it was written, if given as text.
    CreatedAt,
    /// The session that it belongs to.
    SessionId,
    /// Its origin, for example `scheduled`.
    Source,
    /// One of its tags.
    Tag,
    /// The conversation that it belongs to.
    ConversationId,
    /// The conversation that it is the summary of.
    SummaryOf,
    /// The id of the message that it replies to.
    ReplyTo,
    /// One of the actions taken in it.
    Action,
    /// How the turn ended, for example `failed`.
    Status,
    /// The agent that it is meant for.
    Target,
    /// Its priority among direct messages, in millionths: an integer from 0 to 1000000.
    Priority,
    /// Its lifetime after it was written, in milliseconds.
    TimeToLive,
    /// The message means nothing without the next one. The value is ignored.
    JoinsNext,
    /// The provider of the reasoning after it, with its proof. That provider takes it back. `/compaction` follows if it
    /// replaces everything before it, `/tools` if it changes the tools from its place on, and `/note` if it is another of
    /// the provider's notes to itself, which the model didn't think. `/broken` says that no request can hold it.
    ReasoningOf,
    /// The id of a call of this message whose result may come later than those of other calls: the provider runs it, or
    /// it waits for approval.
    ResultLater,
    /// The name of the tool whose result a message is, if no id says which call it answers.
    ResultName,
    /// The message continues in another row, which has this role.
    NextRow,
    /// The next text of this message is the text of a file, and not the speaker's own words.
    OfFile,
    /// Bytes of its parts' proofs in the request: signatures, ids and encrypted texts, which are in no other field.
    ProofBytes,
    /// Fields that an OpenAI-compatible server set, as JSON. They contain the reasoning that directly follows.
    ServerFields,
}

impl Field {
    /// Every field, in the order of its code at the boundary.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// True if the field describes the message as a whole, rather than content.
    pub(crate) fn is_fact(self) -> bool {
        !self.is_content()
            && !matches!(
                self,
                Self::JoinsNext
                    | Self::ReasoningOf
                    | Self::ResultLater
                    | Self::ResultName
                    | Self::NextRow
                    | Self::OfFile
                    | Self::ProofBytes
                    | Self::ServerFields
            )
    }

    /// True for an image, audio or a file.
    #[must_use]
    pub fn is_media(self) -> bool {
        matches!(self, Self::Image | Self::Audio | Self::File)
    }

    /// True if the model sees the field.
    #[must_use]
    pub fn is_content(self) -> bool {
        matches!(
            self,
            Self::Name
                | Self::Text
                | Self::Reasoning
                | Self::Image
                | Self::Audio
                | Self::File
                | Self::CallId
                | Self::CallName
                | Self::CallArguments
                | Self::ResultId
        )
    }
}
