//! The one error type: the problem, its place, and the next step.

use serde::Serialize;
use std::fmt;
use strum::VariantArray;

/// A stable name of a failure. Messages may improve; codes never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, VariantArray)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum ErrorCode {
    /// An option is unknown, of the wrong type or out of range.
    InvalidConfig,
    /// The transcript is not a list of messages, or one message in it is malformed.
    InvalidTranscript,
    /// The required parts cost more than the budget.
    BudgetTooSmall,
    /// An exact count was requested, but the encoding's vocabulary isn't loaded.
    EncodingNotLoaded,
    /// `recall.meaning` needs the table of token vectors, and it isn't loaded.
    MeaningNotLoaded,
    /// A synchronous call needs a part of the engine or of the package that isn't loaded.
    PartNotLoaded,
    /// The bytes passed as an encoding's vocabulary aren't one.
    InvalidEncoding,
    /// The bytes passed as the table of token vectors aren't this version's table.
    InvalidMeaning,
    /// One of the caller's hooks failed, and a context can't be built without its answer: `countTokens`.
    HookFailed,
    /// The caller's signal was aborted.
    Aborted,
    /// A recording is damaged, has another version of the format, or belongs to another transcript or engine: it has no
    /// answer to one of the build's questions.
    InvalidRecording,
    /// The engine itself failed. It restarts automatically, and the next call works.
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
    /// The code of the failure.
    pub code: ErrorCode,
    /// The problem in a sentence that starts in lower case, with the actual and the expected value.
    pub message: String,
    /// Place in the input: `budget.maxTokens`, `messages[3].role`. None if there is no single place.
    pub path: Option<String>,
    /// The caller's next step, in a sentence.
    pub next_action: String,
    /// The smallest budget that works, in tokens, characters or bytes. Only with [`ErrorCode::BudgetTooSmall`].
    pub needed: Option<u64>,
    /// The tokens (or characters) available. Only with [`ErrorCode::BudgetTooSmall`].
    pub available: Option<u64>,
}

/// A result that fails with an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Makes an error from its code, message and next step. The place and figures can be added.
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

    /// An error about an option, with its path.
    pub(crate) fn option(path: &str, message: &str, next_action: &str) -> Self {
        Self::new(ErrorCode::InvalidConfig, message, next_action).at(path)
    }

    /// Adds a place in the input.
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
