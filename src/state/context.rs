//! The result of a build.

use crate::base::map::Map;
use crate::base::message::Role;
use crate::config::{ContextConfig, Focus, SectionKind, StoredSummary, TriageDecisions};
use crate::log::conversations::Tier;
use crate::log::unread::Unread;
use crate::state::ask::{Answer, HookName, Need};
use crate::state::trace::Trace;
use serde::Serialize;
use std::rc::Rc;

/// The lines that replace a message's images, audio and files, in order; None for each that is shown. Those beyond the
/// end of the list are shown too.
pub type MediaLines = Vec<Option<String>>;

/// A part of the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Piece {
    /// A message of the transcript, by its row.
    Message(usize),
    /// A text that the build made, such as a section, an item or a summary, by its position among such texts.
    Made(usize),
    /// The request.
    Request,
    /// A message of the transcript that is quoted after the history, by its row.
    Quoted(usize),
}

impl Piece {
    /// The row of its message, if it is from the transcript.
    #[must_use]
    pub fn row(self) -> Option<usize> {
        match self {
            Self::Message(row) | Self::Quoted(row) => Some(row),
            Self::Made(_) | Self::Request => None,
        }
    }
}

/// A text that the build made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MadeText {
    /// The position of its section.
    pub section: usize,
    /// The message's role.
    pub role: Role,
    /// The text.
    pub text: String,
    /// Place in the text of the marker that says how much was cut, if anything was.
    pub marker: Option<usize>,
}

/// An omission in one place of an excerpt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Start of the marker in the excerpt, in bytes.
    pub start: usize,
    /// Number of omitted tokens. Approximate if a hook counts, or for more than a megabyte.
    pub tokens: u64,
}

/// A piece's calls without a result, and its results without a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HalfCalls {
    /// The piece.
    pub piece: Piece,
    /// The places of calls without a result among the calls of its message.
    pub open: Vec<usize>,
    /// The places of results without a call among the results of its message.
    pub orphans: Vec<usize>,
}

/// A finished context.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The pieces of the prompt, in order.
    pub pieces: Vec<PlacedPiece>,
    /// The texts that the build made.
    pub made: Vec<MadeText>,
    /// The texts of the pieces that were shortened.
    pub shortened: Vec<(Piece, String)>,
    /// The excerpts among these, each with its omissions, in order.
    pub excerpts: Vec<(Piece, Vec<Gap>)>,
    /// For each piece, the lines that replace its images and files.
    pub media_lines: Vec<(Piece, MediaLines)>,
    /// Pieces with calls without a result, or results without a call.
    pub halves: Vec<HalfCalls>,
    /// The whole prompt as a text, in the text formats.
    pub text: Option<String>,
    /// The cost.
    pub tokens: TokenReport,
    /// The shortest prompt that the model's provider caches, in tokens.
    pub least_cached: u64,
    /// The length in code points: of the text, or of all contents in the format `messages`. Known if `budget.maxChars`
    /// is set or the format is a text format.
    pub char_count: Option<u64>,
    /// Size of the JSON that is sent, in bytes: at least that of the request's body. None if it isn't limited.
    pub byte_count: Option<u64>,
    /// The place of the cut, in tokens from the log's beginning. None if the history isn't cut.
    pub cut: Option<u64>,
    /// True if the budget, a section's limit or `window.maxRecentMessages` left out or shortened anything.
    pub trimmed: bool,
    /// The contents of each section.
    pub sections: Vec<SectionReport>,
    /// The focus of recall.
    pub focus: FocusReport,
    /// The result of recall, if it was used.
    pub recall: Option<RecallReport>,
    /// The decisions of triage, if it was asked about all messages.
    pub triage: Option<TriageReport>,
    /// The summary of the messages that the cut leaves out, if there is one or a hook for it.
    pub compact: Option<CompactReport>,
    /// The conversations, in the order of the context, if `tiers` is enabled.
    pub conversations: Vec<ConversationReport>,
    /// The fate of every message.
    pub trace: Trace,
    /// The small record of the turn.
    pub snapshot: Snapshot,
    /// Everything needed to build the context again.
    pub recording: Recording,
}

/// A part of the prompt in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedPiece {
    /// The part.
    pub piece: Piece,
    /// The position of its section.
    pub section: usize,
    /// The cost in tokens.
    pub tokens: u64,
    /// A checksum of its sent form; 0 for a quote, because all quotes are one text.
    pub checksum: u64,
}

/// The contents of one section of a context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SectionReport {
    /// Its id.
    pub id: String,
    /// The kind of its content.
    pub kind: SectionKind,
    /// The section's text: for texts and lists without the label, for history and request as in the prompt. Null if the
    /// section is left out, and for history and request in the format `messages`.
    pub text: Option<String>,
    /// The fates of the section's items; empty for other kinds.
    pub items: Vec<ItemReport>,
}

/// The fate of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ItemReport {
    /// Its id, if it has one.
    pub id: Option<String>,
    /// Its form in the context.
    pub form: ItemForm,
}

/// The form of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ItemForm {
    /// Whole.
    Full,
    /// As its summary.
    Summary,
    /// Cut, with a visible marker.
    Cut,
    /// Left out.
    LeftOut,
}

/// The focus of recall.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FocusReport {
    /// How broad recall is.
    pub level: Focus,
    /// From 0 (diffuse) to 1 (focused); null if the config sets the level.
    pub score: Option<f64>,
    /// Level and value in words, for example `balanced (0.50)`.
    pub summary: String,
    /// Number of items that recall asks for.
    pub max_items: u64,
    /// Maximum number of characters of all items together.
    pub max_chars: u64,
}

impl Default for FocusReport {
    fn default() -> Self {
        Self {
            level: Focus::Balanced,
            score: None,
            summary: String::new(),
            max_items: 0,
            max_chars: 0,
        }
    }
}

/// The result of recall.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RecallReport {
    /// `ok`, `emptyQuery`, `unavailable` or `failed`.
    pub status: RecallStatus,
    /// Number of hits.
    pub hits: usize,
}

/// The decisions of triage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TriageReport {
    /// The decisions of this build and earlier ones. Pass them to the next build as `triage.decided` to keep them.
    pub decided: TriageDecisions,
}

/// The summary of the messages that the cut leaves out.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CompactReport {
    /// The summary in this prompt. Pass it to the next build as `compact.summary` to keep it until the cut moves.
    pub summary: StoredSummary,
    /// The position of the last message that the hook was asked about.
    pub asked_position: Option<usize>,
    /// True if `compact.prepared` isn't needed anymore, because it was used or rejected.
    pub took_prepared: bool,
    /// The question for the next summary, once the history is as full as `compact.prepareAt` says.
    pub next: Option<Need>,
}

/// Outcome of recall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum RecallStatus {
    /// Answered, perhaps without hits: by the hook, or from the section's items if the hook had no answer.
    Ok,
    /// The request is blank, so nothing was asked.
    EmptyQuery,
    /// The hook is missing or unavailable, and the section has no items.
    Unavailable,
    /// The hook failed, took too long, or returned an invalid answer, and the section has no items.
    Failed,
}

/// A conversation of the context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationReport {
    /// The conversation's id, or `#` and a number if its messages don't name one.
    pub id: String,
    /// When it began, in milliseconds since 1970; null if unknown.
    pub started_at: Option<i64>,
    /// When it ended.
    pub ended_at: Option<i64>,
    /// The day on which it ended, as a label: `today`, `yesterday`, a weekday, or a date.
    pub label: String,
    /// The conversation's tier.
    pub tier: Tier,
    /// Its form in the context.
    pub form: ConversationForm,
}

/// The form of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ConversationForm {
    /// All of its messages.
    Full,
    /// Some of its messages: the last ones, the first of which may be cut, or only those that are required.
    TruncatedTail,
    /// As its summary.
    Summary,
    /// As an extract of its messages, because there is no summary.
    Extract,
    /// Left out.
    LeftOut,
}

/// The cost of a context, in tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TokenReport {
    /// The whole prompt, including the chat format's overhead.
    pub total: u64,
    /// The total before `budget.usage` calibrated it. Use it as `countedTokens` in `budget.usage` of the next build.
    pub counted: u64,
    /// The model's tokens per counted token, from `budget.usage`; null without calibration.
    pub calibration: Option<f64>,
    /// The token limit; null if none was set.
    pub limit: Option<u64>,
    /// True if `total` is exact for the config's model or, if the config names only an encoding, for that encoding.
    /// False with an image, audio or file in the prompt. Also false if the config names neither: the count is exact in
    /// `encoding`, but the model may use another.
    pub exact: bool,
    /// The same in words: the encoding in which `total` is exact, or the reason why it isn't.
    pub words: String,
    /// How tokens were counted: `o200k_base`, `cl100k_base`, `estimate` or `countTokens`.
    pub encoding: String,
    /// The cost of each section. They add up to `total`.
    pub sections: Vec<SectionTokens>,
}

/// The cost of one section of a context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SectionTokens {
    /// `format` (the chat format's overhead), `tools` (the definitions in `budget.tools`, and the provider's own text
    /// about them), `instructions` (the system and developer messages at the start of the transcript), or a section's
    /// id: by default `history` and `request`. The first three are always there, in this order, even if a section also
    /// has the id `tools`.
    pub id: String,
    /// The cost in tokens.
    pub tokens: u64,
}

/// The small record of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// The session that the context is for; null if none was named.
    pub session_id: Option<String>,
    /// The id of the turn.
    pub turn_id: Option<String>,
    /// `ctx_` and 64 hexadecimal digits: SHA-256 of the built context and the effective config, without clock and turn
    /// id.
    pub context_hash: String,
    /// How much of each source is in the context: the transcript's `messages`, and for each section of kind `items`, by
    /// its id, the number of items.
    pub source_counts: Map<String, usize>,
    /// True if the budget left out or shortened anything.
    pub trimmed: bool,
    /// The clock of the build, in milliseconds since 1970.
    pub timestamp_ms: i64,
}

/// Everything that, together with the transcript, is needed to build a context again.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Recording {
    /// The version of this form.
    pub format_version: u32,
    /// The version of windrow that built the context.
    pub engine_version: &'static str,
    /// The effective config, with every default filled in.
    pub config: Rc<ContextConfig>,
    /// The clock of the build, in milliseconds since 1970.
    pub now: i64,
    /// Offsets of the time zone: the start (milliseconds since 1970) and the minutes east of UTC. Empty if no time zone
    /// was needed.
    pub zone_offsets: Vec<[i64; 2]>,
    /// The hooks that were set.
    pub hooks: Vec<HookName>,
    /// The parts of the hooks' answers that windrow could read, in the order of the questions.
    pub answers: Vec<AnswerRecord>,
    /// Answers of more than 1,024 bytes as JSON, by the SHA-256 of that JSON.
    pub large_answers: Map<String, Answer>,
    /// The transcript that it was built from.
    pub transcript: TranscriptRecord,
    /// The hash of the context.
    pub context_hash: String,
}

/// An answer in a recording: itself, or the hash of one in `largeAnswers`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum AnswerRecord {
    /// The answer.
    Here(Answer),
    /// A reference.
    There {
        /// The hash of the answer.
        hash: String,
    },
}

/// The transcript that a context was built from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TranscriptRecord {
    /// The number of messages.
    pub length: usize,
    /// A checksum of the messages with all the fields that windrow reads, as 16 hexadecimal digits.
    pub digest: String,
    /// The same for its first 1, 2, 4, 8, … messages. They locate a changed message.
    pub marks: Vec<(usize, String)>,
    /// The unread part of the log that the messages are from; null if all of it was read.
    pub unread: Option<Unread>,
}

/// The version of a recording's form.
pub const RECORDING_FORMAT_VERSION: u32 = 1;
