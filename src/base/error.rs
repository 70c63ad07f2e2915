//! The one error type: what went wrong, where, and what to do next.

use serde::Serialize;
use std::fmt;
use strum::VariantArray;

/// A stable name of a failure. Messages may improve; codes do not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, VariantArray)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum ErrorCode {
    /// An option is unknown, of the wrong type or out of range.
    InvalidConfig,
    /// The transcript is not a list of messages, or one message in it is malformed.
    InvalidTranscript,
    /// What must be kept costs more than the budget.
    BudgetTooSmall,
    /// An exact count was asked for and the encoding's vocabulary is not loaded.
    EncodingNotLoaded,
    /// The table of meanings is needed (`recall.meaning`), and is not loaded.
    MeaningNotLoaded,
    /// A part of the engine or of the package is needed at once, and is not loaded.
    PartNotLoaded,
    /// The bytes given as an encoding's vocabulary are not one.
    InvalidEncoding,
    /// The bytes given as the table of meanings are not that of this version.
    InvalidMeaning,
    /// A hook of the caller's, without whose answer there is no context, failed: `countTokens`.
    HookFailed,
    /// The caller's signal was aborted.
    Aborted,
    /// A recording is of another version of the format, or damaged, or not of this transcript and engine: something is asked
    /// that no answer was recorded for.
    InvalidRecording,
    /// The engine itself failed. It restarts by itself; the next call works.
    Internal,
}

impl ErrorCode {
    /// Every code, in the order of the reference page.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The code as it crosses to JavaScript, for example `BUDGET_TOO_SMALL`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidConfig => "INVALID_CONFIG",
            Self::InvalidTranscript => "INVALID_TRANSCRIPT",
            Self::BudgetTooSmall => "BUDGET_TOO_SMALL",
            Self::EncodingNotLoaded => "ENCODING_NOT_LOADED",
            Self::MeaningNotLoaded => "MEANING_NOT_LOADED",
            Self::PartNotLoaded => "PART_NOT_LOADED",
            Self::InvalidEncoding => "INVALID_ENCODING",
            Self::InvalidMeaning => "INVALID_MEANING",
            Self::HookFailed => "HOOK_FAILED",
            Self::Aborted => "ABORTED",
            Self::InvalidRecording => "INVALID_RECORDING",
            Self::Internal => "INTERNAL",
        }
    }
}

/// A failure of windrow: a code, the place, and the next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Which failure it is.
    pub code: ErrorCode,
    /// What was given and what was expected, in a sentence that starts in lower case.
    pub message: String,
    /// Where in the input: `budget.maxTokens`, `messages[3].role`. None where no single place is to blame.
    pub path: Option<String>,
    /// What the caller can do about it, in a sentence.
    pub next_action: String,
    /// Tokens (or characters) that what must be kept costs; only with [`ErrorCode::BudgetTooSmall`].
    pub needed: Option<u64>,
    /// Tokens (or characters) that there are for it; only with [`ErrorCode::BudgetTooSmall`].
    pub available: Option<u64>,
}

/// A result whose failure is an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A failure with its code, message and next step; the place and figures can be added.
    pub fn new(
        code: ErrorCode,
        message: impl Into<String>,
        next_action: impl Into<String>,
    ) -> Self {
        Self {
            code,
            message: message.into(),
            path: None,
            next_action: next_action.into(),
            needed: None,
            available: None,
        }
    }

    /// An option that is wrong, with its path.
    pub(crate) fn option(path: &str, message: &str, next_action: &str) -> Self {
        Self::new(ErrorCode::InvalidConfig, message, next_action).at(path)
    }

    /// The same failure at a place of the input.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }
}

impl fmt::Display for Error {
    /// The place, if there is one, and the message.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(formatter, "{path}: {}", self.message),
            None => formatter.write_str(&self.message),
        }
    }
}

impl std::error::Error for Error {}
