//! The result of a build.

use crate::config::ContextConfig;
use crate::trace::Trace;
use serde::Serialize;

/// A part of the prompt that comes from one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Piece {
    /// A message of the transcript, by its row.
    Message(usize),
    /// The request.
    Request,
}

/// A finished context.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// What the prompt consists of, in order.
    pub pieces: Vec<Piece>,
    /// What each piece costs, in tokens.
    pub costs: Vec<u64>,
    /// The texts of the pieces that were shortened.
    pub shortened: Vec<(Piece, String)>,
    /// The whole prompt as a text, in the text formats.
    pub text: Option<String>,
    /// What it costs.
    pub tokens: TokenReport,
    /// Its length, in code points: of the text, or of all contents in the format `messages`. Known where
    /// `budget.maxChars` is set or the format is a text.
    pub char_count: Option<u64>,
    /// Whether the budget left out or shortened anything.
    pub trimmed: bool,
    /// What became of every message.
    pub trace: Trace,
    /// The small record of the turn.
    pub snapshot: Snapshot,
    /// All that is needed to build it again.
    pub recording: Recording,
}

/// A cost, in both units of a budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Tokens.
    pub tokens: u64,
    /// Code points; 0 where nobody asks for them.
    pub chars: u64,
}

impl Cost {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            chars: self.chars.saturating_add(other.chars),
        }
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            chars: self.chars.saturating_sub(other.chars),
        }
    }

    pub(crate) fn fits(self, limit: Self) -> bool {
        self.tokens <= limit.tokens && self.chars <= limit.chars
    }
}

/// What a context costs, in tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TokenReport {
    /// The whole prompt, the format's own overhead included.
    pub total: u64,
    /// What it may cost; null where no token limit was set.
    pub limit: Option<u64>,
    /// Whether `total` is exact: counted by the encoding, and no part of unknown cost (an image, audio, a file) in it.
    pub exact: bool,
    /// How it was counted: `o200k_base`, `cl100k_base` or `estimate`.
    pub encoding: String,
    /// What each section costs; together they are `total`.
    pub sections: Vec<SectionTokens>,
}

/// What one section of a context costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SectionTokens {
    /// `format` (what the form itself costs), `instructions` (the system and developer
    /// messages that the transcript begins with), `history` or `request`.
    pub id: &'static str,
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
    /// `ctx_` and 64 hexadecimal digits: SHA-256 over what was built and the effective config, without the clock.
    pub context_hash: String,
    /// How many messages of the transcript are in the context.
    pub source_counts: SourceCounts,
    /// Whether the budget left out or shortened anything.
    pub trimmed: bool,
    /// The clock of the build, in milliseconds since 1970.
    pub timestamp_ms: i64,
}

/// How much of each source is in a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SourceCounts {
    /// Messages of the transcript.
    pub messages: usize,
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
    pub config: ContextConfig,
    /// The clock of the build, in milliseconds since 1970.
    pub now: i64,
    /// The transcript that it was built from.
    pub transcript: TranscriptRecord,
    /// The hash of what was built.
    pub context_hash: String,
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
}

/// The version of a recording's form.
pub const RECORDING_FORMAT_VERSION: u32 = 1;
