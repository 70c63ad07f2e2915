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

/// The lines in the place of a message's images, audio and files, in their order. None for each that is shown; those after the last line
/// are shown too.
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
    /// The row of the message behind it, if it is one of the transcript.
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
    /// The section that it is of, by its position.
    pub section: usize,
    /// The role of its message.
    pub role: Role,
    /// The text.
    pub text: String,
    /// Where in the text the marker stands that says how much of it was cut, if any was.
    pub marker: Option<usize>,
}

/// What is left out of an excerpt in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Where its mark begins in the excerpt, in bytes.
    pub start: usize,
    /// How many tokens are left out; about, where a hook counts, or it is more than a megabyte.
    pub tokens: u64,
}

/// The calls of a piece that have no result, and its results that have no call.
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
    /// What the prompt consists of, in order.
    pub pieces: Vec<PlacedPiece>,
    /// The texts that the build made.
    pub made: Vec<MadeText>,
    /// The texts of the pieces that were shortened.
    pub shortened: Vec<(Piece, String)>,
    /// Those of them that are excerpts, with what is left out of each, in order.
    pub excerpts: Vec<(Piece, Vec<Gap>)>,
    /// The lines in the place of a message's images and files, by piece.
    pub media_lines: Vec<(Piece, MediaLines)>,
    /// Pieces with calls without a result, or results without a call.
    pub halves: Vec<HalfCalls>,
    /// The whole prompt as a text, in the text formats.
    pub text: Option<String>,
    /// What it costs.
    pub tokens: TokenReport,
    /// The least of a prompt that the model's provider caches, in tokens.
    pub least_cached: u64,
    /// Its length, in code points: of the text, or of all contents in the format `messages`. Known where
    /// `budget.maxChars` is set or the format is a text.
    pub char_count: Option<u64>,
    /// Bytes of the JSON that is sent: no fewer than the request's body has. None if they aren't limited.
    pub byte_count: Option<u64>,
    /// The place of the cut, in tokens from the log's beginning. None if the history isn't cut.
    pub cut: Option<u64>,
    /// Whether the budget, a section's limit or `window.maxRecentMessages` left out or shortened anything.
    pub trimmed: bool,
    /// What each section holds.
    pub sections: Vec<SectionReport>,
    /// The focus of recall.
    pub focus: FocusReport,
    /// What became of recall, where it was asked for.
    pub recall: Option<RecallReport>,
    /// What triage has decided, where it was asked about all.
    pub triage: Option<TriageReport>,
    /// The summary of what the cut leaves out, if there is one or a hook for it.
    pub compact: Option<CompactReport>,
    /// The conversations, in the order of the context, where `tiers` tells them apart.
    pub conversations: Vec<ConversationReport>,
    /// What became of every message.
    pub trace: Trace,
    /// The small record of the turn.
    pub snapshot: Snapshot,
    /// All that is needed to build it again.
    pub recording: Recording,
}

/// A part of the prompt in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedPiece {
    /// The part.
    pub piece: Piece,
    /// The section that it is in, by its position.
    pub section: usize,
    /// What it costs, in tokens.
    pub tokens: u64,
    /// A checksum of what is sent of it. 0 for what is quoted: it is in the text that was made for all quotes.
    pub checksum: u64,
}

/// What a section of a context holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SectionReport {
    /// Its id.
    pub id: String,
    /// What it holds.
    pub kind: SectionKind,
    /// Its text: of texts and lists without their label, of history and request as they are in the prompt. Null where it
    /// is not there, and for history and request in the format `messages`.
    pub text: Option<String>,
    /// What became of its items; empty in the other kinds.
    pub items: Vec<ItemReport>,
}

/// What became of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ItemReport {
    /// Its id, if it has one.
    pub id: Option<String>,
    /// In which form it is there.
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
    /// Not there.
    LeftOut,
}

/// The focus of recall.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FocusReport {
    /// How broad recall is.
    pub level: Focus,
    /// From 0 (diffuse) to 1 (focused); null where the level was given.
    pub score: Option<f64>,
    /// The two in words, for example `balanced (0.50)`.
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

/// What became of recall.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RecallReport {
    /// `ok`, `emptyQuery`, `unavailable` or `failed`.
    pub status: RecallStatus,
    /// How many items were found.
    pub hits: usize,
}

/// What triage has decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TriageReport {
    /// Of this build and those before it: give it to the next one as `triage.decided`, and it stays so.
    pub decided: TriageDecisions,
}

/// The summary of what the cut leaves out.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CompactReport {
    /// The summary in this prompt: give it to the next build as `compact.summary`, and it stays until the cut moves.
    pub summary: StoredSummary,
    /// The position of the last message that the hook was asked about.
    pub asked_position: Option<usize>,
    /// True if `compact.prepared` is of no use any more: it was taken or refused.
    pub took_prepared: bool,
    /// The question about the next one, once the history is as full as `compact.prepareAt` says.
    pub next: Option<Need>,
}

/// How recall ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum RecallStatus {
    /// It was answered, perhaps with nothing: by the hook, or where that gave no answer from the section's items.
    Ok,
    /// The request is blank, so nothing was asked.
    EmptyQuery,
    /// There is no hook, or it said that it cannot, and no items.
    Unavailable,
    /// The hook failed, took too long, or answered nonsense, and there are no items.
    Failed,
}

/// A conversation of the context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationReport {
    /// Its id; `#` and a number where its messages name none.
    pub id: String,
    /// When it began, in milliseconds since 1970; null where unknown.
    pub started_at: Option<i64>,
    /// When it ended.
    pub ended_at: Option<i64>,
    /// The day that it ended on, as it is called: `today`, `yesterday`, a day's name, or a date.
    pub label: String,
    /// Which tier it is in.
    pub tier: Tier,
    /// In which form it is there.
    pub form: ConversationForm,
}

/// The form of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ConversationForm {
    /// With its messages.
    Full,
    /// With a part of its messages: the last ones, the first of them cut, or those that are required.
    TruncatedTail,
    /// By its summary.
    Summary,
    /// By an extract of its messages, as there is no summary.
    Extract,
    /// Not there.
    LeftOut,
}

/// What a context costs, in tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TokenReport {
    /// The whole prompt, the format's own overhead included.
    pub total: u64,
    /// The same as it was counted, before `budget.usage` calibrated it: what `budget.usage` wants as `countedTokens` for the next build.
    pub counted: u64,
    /// How many tokens each counted one stands for, by `budget.usage`; null where nothing calibrates it.
    pub calibration: Option<f64>,
    /// What it may cost; null where no token limit was set.
    pub limit: Option<u64>,
    /// Whether `total` is exact: for the model that the config names, or for the encoding where it names that alone, and with
    /// no image, audio or file in it. Where neither is named it is not: it is exact in `encoding`, and the model may count in
    /// another.
    pub exact: bool,
    /// The same in words: what `total` is exact for, or why it is not.
    pub words: String,
    /// How it was counted: `o200k_base`, `cl100k_base`, `estimate` or `countTokens`.
    pub encoding: String,
    /// What each section costs; together they are `total`.
    pub sections: Vec<SectionTokens>,
}

/// What one section of a context costs.
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
    /// The session that the context is for; null where none was named.
    pub session_id: Option<String>,
    /// The id of the turn.
    pub turn_id: Option<String>,
    /// `ctx_` and 64 hexadecimal digits: SHA-256 over what was built and the effective config, without clock and turn id.
    pub context_hash: String,
    /// How much of each source is in the context: `messages` of the transcript, and items of each section of kind
    /// `items`, by its id.
    pub source_counts: Map<String, usize>,
    /// Whether the budget left out or shortened anything.
    pub trimmed: bool,
    /// The clock of the build, in milliseconds since 1970.
    pub timestamp_ms: i64,
}

/// All that is needed, with the transcript, to build a context again.
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
    /// How far the time zone was from UTC: since when (milliseconds since 1970), and how many minutes east. Empty where
    /// no zone was asked for.
    pub zone_offsets: Vec<[i64; 2]>,
    /// The hooks that there were.
    pub hooks: Vec<HookName>,
    /// Their answers as far as they were understood, in the order of the questions.
    pub answers: Vec<AnswerRecord>,
    /// Answers of more than 1,024 bytes as JSON, by the SHA-256 of it.
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
    /// Where it is.
    There {
        /// Its hash.
        hash: String,
    },
}

/// Which transcript a context was built from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TranscriptRecord {
    /// How many messages it had.
    pub length: usize,
    /// A checksum of them with all the fields that windrow reads, as 16 hexadecimal digits.
    pub digest: String,
    /// The same of its beginnings: of 1, 2, 4, 8, … messages. By them a changed message is found.
    pub marks: Vec<(usize, String)>,
    /// What was not read of the log that they are from; null where they are all that there is.
    pub unread: Option<Unread>,
}

/// The version of a recording's form.
pub const RECORDING_FORMAT_VERSION: u32 = 1;
