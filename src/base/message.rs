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

/// The kind of a message's segment.
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
    /// The time of writing, if it is given as text.
    CreatedAt,
    /// The session that the message belongs to.
    SessionId,
    /// The message's origin, for example `scheduled`.
    Source,
    /// A tag.
    Tag,
    /// The conversation that the message belongs to.
    ConversationId,
    /// The conversation that the message summarizes.
    SummaryOf,
    /// The id of the message being replied to.
    ReplyTo,
    /// An action taken in the message.
    Action,
    /// How the turn ended, for example `failed`.
    Status,
    /// The agent that the message is meant for.
    Target,
    /// The priority among direct messages, in millionths: an integer from 0 to 1000000.
    Priority,
    /// The lifetime from the time of writing, in milliseconds.
    TimeToLive,
    /// The message means nothing without the next one. The value is ignored.
    JoinsNext,
    /// The provider of the reasoning after it, which has the provider's proof and can go back to that provider.
    /// `/compaction` follows if it replaces everything before it, `/tools` if it changes the tools from there on, and
    /// `/note` if it is another of the provider's notes to itself and not the model's thinking. `/sealed` follows if OpenAI
    /// has encrypted it, and `/summarized` after that if its summary is directly before it. `/broken` says that no request
    /// can contain it.
    ReasoningOf,
    /// The id of a call of this message whose result may come later than those of other calls, because the provider
    /// runs it or it waits for approval.
    ResultLater,
    /// The name of the tool that a result is from, if no id says which call it answers.
    ResultName,
    /// The message continues in another row, which has this role.
    NextRow,
    /// The next text of this message is the text of a file, and not the speaker's own words.
    OfFile,
    /// The size in the request of its parts' proofs: signatures, ids and encrypted texts, which are in no other field.
    ProofBytes,
    /// Fields that an OpenAI-compatible server set, as JSON. They contain the reasoning that directly follows.
    ServerFields,
    /// The tool of the next call takes a text instead of JSON. The value is ignored.
    CustomCall,
    /// The next result is the user's answer to an approval request, which no model sees. The value is ignored.
    ApprovalAnswer,
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
                    | Self::CustomCall
                    | Self::ApprovalAnswer
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
