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

/// The lines that replace a message's images, audio and files, in order. None for each that is shown. Those after
/// the last line are shown too.
pub type MediaLines = Vec<Option<String>>;

/// A part of the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Piece {
    /// A message of the transcript, by its row.
    Message(usize),
    /// A text that the build made, by its position among them: a section's, an item's, a summary.
    Made(usize),
    /// The request.
    Request,
    /// A message of the transcript that is quoted after the history, by its row.
    Quoted(usize),
}

impl Piece {
    /// The row of its message, if it is one of the transcript's.
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
    /// Its section, by position.
    pub section: usize,
    /// The role of its message.
    pub role: Role,
    /// The text.
    pub text: String,
    /// Place in the text of the marker that says how much was cut, if anything was.
    pub marker: Option<usize>,
}

/// An omission in one place of an excerpt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Start of its mark in the excerpt, in bytes.
    pub start: usize,
    /// Number of omitted tokens. It is approximate if a hook counts, or if they are more than a megabyte.
    pub tokens: u64,
}

/// The calls of a piece without a result, and its results without a call.
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
    /// The excerpts among them, with the omissions in each, in order.
    pub excerpts: Vec<(Piece, Vec<Gap>)>,
    /// The lines that replace a message's images and files, by piece.
    pub media_lines: Vec<(Piece, MediaLines)>,
    /// Pieces with calls without a result, or results without a call.
    pub halves: Vec<HalfCalls>,
    /// The whole prompt as a text, in the text formats.
    pub text: Option<String>,
    /// Its cost.
    pub tokens: TokenReport,
    /// The shortest prompt that the model's provider caches, in tokens.
    pub least_cached: u64,
    /// Its length, in code points: of the text, or of all contents in the format `messages`. Known if `budget.maxChars`
    /// is set or the format is a text.
    pub char_count: Option<u64>,
    /// Bytes of the JSON that is sent: at least as many as in the request's body. None if they aren't limited.
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
    /// The summary of the messages that the cut leaves out, if there is a summary or a hook for it.
    pub compact: Option<CompactReport>,
    /// The conversations, in the order of the context, if `tiers` is enabled.
    pub conversations: Vec<ConversationReport>,
    /// The fate of every message.
    pub trace: Trace,
    /// The small record of the turn.
    pub snapshot: Snapshot,
    /// Everything that is needed to build it again.
    pub recording: Recording,
}

/// A part of the prompt in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedPiece {
    /// The part.
    pub piece: Piece,
    /// Its section, by position.
    pub section: usize,
    /// Its cost in tokens.
    pub tokens: u64,
    /// A checksum of its sent form. 0 for a quote, whose text is in the one text for all quotes.
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
    /// Its text: of texts and lists without their label, of history and request in the form of the prompt. Null if the
    /// section isn't there, and for history and request in the format `messages`.
    pub text: Option<String>,
    /// The fates of its items; empty for the other kinds.
    pub items: Vec<ItemReport>,
}

/// The fate of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ItemReport {
    /// Its id, if it has one.
    pub id: Option<String>,
    /// The form that it has in the context.
    pub form: ItemForm,
}

/// The form of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ItemForm {
    /// Whole.
    Full,
    /// By its summary.
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
    /// From 0 (diffuse) to 1 (focused); null if the level was given.
    pub score: Option<f64>,
    /// Both in words, for example `balanced (0.50)`.
    pub summary: String,
    /// How many items recall asks for.
    pub max_items: u64,
    /// The most characters of them together.
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
    /// Decisions of this build and earlier ones. Pass them to the next one as `triage.decided` to keep them.
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
    /// True if `compact.prepared` isn't needed anymore: it was taken or refused.
    pub took_prepared: bool,
    /// The question for the next summary, once the history is as full as `compact.prepareAt` says.
    pub next: Option<Need>,
}

/// Outcome of recall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum RecallStatus {
    /// It was answered, perhaps without hits: by the hook, or from the section's items if the hook had no answer.
    Ok,
    /// The request is blank, so nothing was asked.
    EmptyQuery,
    /// The hook is missing or unavailable, and the section has no items.
    Unavailable,
    /// The hook failed, took too long, or returned nonsense, and the section has no items.
    Failed,
}

/// A conversation of the context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationReport {
    /// Its id, or `#` and a number if its messages don't name one.
    pub id: String,
    /// The time it began, in milliseconds since 1970; null if unknown.
    pub started_at: Option<i64>,
    /// The time it ended.
    pub ended_at: Option<i64>,
    /// The day it ended, as a label: `today`, `yesterday`, a day's name, or a date.
    pub label: String,
    /// Which tier it is in.
    pub tier: Tier,
    /// The form that it has in the context.
    pub form: ConversationForm,
}

/// The form of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ConversationForm {
    /// With its messages.
    Full,
    /// With some of its messages: the last ones, the first of them cut, or only those that are required.
    TruncatedTail,
    /// By its summary.
    Summary,
    /// By an extract of its messages, for lack of a summary.
    Extract,
    /// Left out.
    LeftOut,
}

/// The cost of a context, in tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TokenReport {
    /// The whole prompt, including the format's own overhead.
    pub total: u64,
    /// The total before `budget.usage` calibrated it. Use it as `countedTokens` in `budget.usage` of the next build.
    pub counted: u64,
    /// Real tokens per counted token, by `budget.usage`; null without calibration.
    pub calibration: Option<f64>,
    /// The token limit; null if none was set.
    pub limit: Option<u64>,
    /// True if `total` is exact for the config's model. If the config names only an encoding, true if it is exact for
    /// that. Never true with an image, audio or file in the prompt. If the config names neither, it is false: the count
    /// is exact in `encoding`, but the model may use another.
    pub exact: bool,
    /// The same in words: the encoding that `total` is exact for, or the reason why it isn't.
    pub words: String,
    /// The way of counting: `o200k_base`, `cl100k_base`, `estimate` or `countTokens`.
    pub encoding: String,
    /// The cost of each section. They add up to `total`.
    pub sections: Vec<SectionTokens>,
}

/// The cost of one section of a context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SectionTokens {
    /// `format` (the form itself), `tools` (the definitions in `budget.tools`, and the provider's own words about them),
    /// `instructions` (the system and developer messages that the transcript begins with), or a section's id: without `sections`
    /// these are `history` and `request`. The first three are always there, in this order, even if a section has the id `tools` too.
    pub id: String,
    /// Its cost in tokens.
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
    /// How much of each source is in the context: `messages` of the transcript, and items of each section of kind
    /// `items`, by its id.
    pub source_counts: Map<String, usize>,
    /// True if the budget left out or shortened anything.
    pub trimmed: bool,
    /// The clock of the build, in milliseconds since 1970.
    pub timestamp_ms: i64,
}

/// Everything that is needed, with the transcript, to build a context again.
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
    /// Offsets of the time zone: start (milliseconds since 1970), and minutes east of UTC. Empty if no zone was needed.
    pub zone_offsets: Vec<[i64; 2]>,
    /// The hooks that were set.
    pub hooks: Vec<HookName>,
    /// The parts of their answers that windrow could read, in the order of the questions.
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
        /// Its hash.
        hash: String,
    },
}

/// The transcript that a context was built from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TranscriptRecord {
    /// Its number of messages.
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
