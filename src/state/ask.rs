//! A build's needs, which are its questions to the outside, and the answers to them.
//!
//! A stage that needs something ends with the need, and runs again from its start once the answer is there. It asks
//! before it marks. Hook answers are kept in order, so that a recording can build the same context again.

use crate::base::error::Error;
use crate::base::json::to_json;
use crate::base::time::Milliseconds;
use crate::base::value::FromValue;
use crate::config::{Focus, SummaryFacts};
use crate::log::plan::Wanted;
use crate::tokens::EncodingName;
use serde::Serialize;

/// Something from outside the core that a build can't continue without.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "need", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Need {
    /// The vocabulary of an encoding, to count exactly.
    Encoding {
        /// The encoding's name.
        name: EncodingName,
    },
    /// The ranking module, [`SELECTION`](crate::machine::selection::SELECTION), because some messages don't fit, a
    /// section shows matches for the request, a model must be asked, or `tiers` is on.
    Selection,
    /// The table of token vectors, to rank by `recall.meaning`.
    Meaning,
    /// Offsets of the time zone from UTC, for a range of time.
    ZoneOffsets {
        /// The zone, an IANA name.
        time_zone: String,
        /// Start of the range.
        first: Milliseconds,
        /// End of the range.
        last: Milliseconds,
    },
    /// Older messages of the log that the transcript was read from, because the ones it has don't determine the
    /// context. There is no answer: begin another build with a transcript that has them.
    Older {
        /// The messages to read.
        wanted: Wanted,
    },
    /// Token counts of texts, from the hook `countTokens`.
    Counts {
        /// The texts, without duplicates.
        texts: Vec<String>,
        /// Time limit for the hook, in milliseconds.
        timeout_ms: u64,
    },
    /// Items relevant to the request, from the hook `recall`.
    Recall {
        /// The request's text.
        query: String,
        /// Maximum number of items to return.
        max_items: u64,
        /// Maximum number of their characters that the prompt shows.
        max_chars: u64,
        /// How broad the search should be.
        focus: Focus,
        /// Time limit for the hook, in milliseconds.
        timeout_ms: u64,
    },
    /// The vectors of texts, from the hook `recall.embed`, for the messages' similarity to the request.
    Embeddings {
        /// The texts, without duplicates: the request's first, then those of messages without known vectors.
        texts: Vec<String>,
        /// The number of messages to compare with the request.
        message_count: usize,
        /// Maximum number of texts that the hook gets at a time.
        batch_size: u64,
        /// Time limit for each batch, in milliseconds.
        timeout_ms: u64,
    },
    /// The candidates that matter to the request, from the hook `triage.select` or `triage.complete`.
    Triage {
        /// The request's text.
        request: String,
        /// The candidates, oldest first.
        candidates: Vec<TriageUnit>,
        /// The prompt, for `triage.complete`.
        prompt: Option<String>,
        /// The model's role, `triage.model`.
        model: String,
        /// Time limit for the hook, in milliseconds.
        timeout_ms: u64,
    },
    /// Summaries of conversations, from the hook `tiers.summarize`.
    Summaries {
        /// The conversations.
        conversations: Vec<SummaryWanted>,
        /// Maximum number of characters of a summary that the prompt shows.
        max_chars: u64,
        /// Time limit for the hook, in milliseconds.
        timeout_ms: u64,
    },
    /// A summary of the messages that the cut has left out since the last one, from the hook `compact.summarize`.
    Compact {
        /// The last summary, if any.
        previous: Option<String>,
        /// The positions of the messages in the transcript.
        positions: Vec<usize>,
        /// For each position, the place of a row in the message, from 1; 0 for the whole message.
        shares: Vec<usize>,
        /// The messages' texts, one line each.
        text: String,
        /// Facts of all messages that the summary will cover.
        facts: Box<SummaryFacts>,
        /// The last of these messages, in the form of
        /// [`StoredSummary::through`](crate::config::StoredSummary::through).
        through: String,
        /// Maximum number of tokens of the summary.
        max_tokens: u64,
        /// Time limit for the hook, in milliseconds.
        timeout_ms: u64,
    },
}

/// A unit that triage chooses among: a message with the messages that belong to it, or an exchange.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TriageUnit {
    /// The id of its first message or, if that has none or shares it with another candidate, `#` and the message's
    /// position.
    pub id: String,
    /// The positions of its messages in the transcript.
    pub positions: Vec<usize>,
    /// The messages' texts, one line each.
    pub text: String,
}

/// A conversation that needs a summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SummaryWanted {
    /// Its id.
    pub id: String,
    /// The positions of its messages in the transcript.
    pub positions: Vec<usize>,
    /// The messages' texts, one line each.
    pub text: String,
}

/// An answer to a need, which determines the fields it has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Answer {
    /// The hook that answers.
    pub hook: HookName,
    /// Success or failure of the hook.
    pub outcome: Outcome,
    /// Why there is no answer: the error that the hook threw, or the timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The parts that windrow couldn't read, and its fallback for them, in words. None if it could read everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misunderstood: Option<String>,
    /// For triage: the ids of the chosen units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<String>>,
    /// For triage by `complete`: the model's reply, which is parsed into `ids` and recorded in that form. For
    /// `compact.summarize`: the summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// For recall: the hits, best first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Vec<RecalledItem>>,
    /// For embeddings: the similarity of each possible message to the request, in order. Each is two base64 letters,
    /// for an integer from 0 (opposite) to 4000 (identical).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarities: Option<String>,
    /// For summaries: one for each requested conversation, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summaries: Option<Vec<Option<String>>>,
    /// For counts: one for each requested text, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Vec<u64>>,
}

/// The parts of an answer that a stage couldn't read. Every stage reports them for each answer, so nothing is silently
/// misread: an unreadable part leaves a note, and an answer without any readable part counts as a failure.
#[derive(Debug, Default)]
pub(crate) struct Misunderstood {
    /// Number of elements in the answer.
    pub(crate) element_count: usize,
    /// Problems besides unreadable elements.
    pub(crate) beside: &'static str,
    /// The fallback.
    instead: &'static str,
    count: usize,
    /// The first unreadable element.
    first: String,
}

impl Misunderstood {
    /// Records an unreadable element and the fallback for it.
    pub(crate) fn add(&mut self, instead: &'static str, element: &str) {
        if self.count == 0 {
            self.instead = instead;
            self.first = example(element);
        }
        self.count += 1;
    }
}

impl Answer {
    /// Marks all of it as unreadable.
    pub(crate) fn fail(&mut self, reason: &str) -> Misunderstood {
        let reason = Some(reason.to_owned());
        *self = Self { hook: self.hook, outcome: Outcome::Failed, reason, ..Self::default() };
        Misunderstood::default()
    }

    /// Records the unreadable parts of an answer.
    pub(crate) fn finish(&mut self, misunderstood: &Misunderstood) {
        let Misunderstood { element_count, beside, instead, count, first } = misunderstood;
        let mut words = String::new();
        if *count > 0 {
            let between = if beside.is_empty() { "" } else { "; " };
            words = format!("{instead} ({count} of {element_count}, first {first}){between}");
        }
        words += beside;
        if words.is_empty() {
            return;
        }
        if *count > 0 && count == element_count {
            words.insert_str(0, "windrow understood no part of its answer: ");
            self.fail(&words);
            return;
        }
        let said = self.misunderstood.get_or_insert_default();
        if !said.is_empty() {
            *said += "; ";
        }
        *said += &words;
    }
}

/// An element of an answer as JSON, shortened for a message.
fn example(element: &str) -> String {
    const MOST_CHARS: usize = 40;
    let mut letters = element.chars();
    let start: String = letters.by_ref().take(MOST_CHARS).collect();
    let end = if letters.next().is_some() { "…" } else { "" };
    to_json(&(start + end))
}

/// One of the caller's functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum HookName {
    /// The candidates that matter, as ids.
    #[default]
    #[serde(rename = "triage.select")]
    Select,
    /// The candidates that matter, as a model's reply to a prompt.
    #[serde(rename = "triage.complete")]
    Complete,
    /// Items relevant to the request.
    #[serde(rename = "recall.search")]
    Recall,
    /// The vectors of texts.
    #[serde(rename = "recall.embed")]
    Embed,
    /// Summaries of conversations.
    #[serde(rename = "tiers.summarize")]
    Summarize,
    /// A summary of the messages that the cut leaves out.
    #[serde(rename = "compact.summarize")]
    Compact,
    /// Token counts of texts.
    #[serde(rename = "countTokens")]
    CountTokens,
}

impl HookName {
    /// Hooks that are asked about all messages.
    pub const ABOUT_ALL: [Self; 5] =
        [Self::Select, Self::Complete, Self::Embed, Self::Summarize, Self::Compact];

    /// The hook's path in the config.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Select => "triage.select",
            Self::Complete => "triage.complete",
            Self::Recall => "recall.search",
            Self::Embed => "recall.embed",
            Self::Summarize => "tiers.summarize",
            Self::Compact => "compact.summarize",
            Self::CountTokens => "countTokens",
        }
    }
}

/// Success or failure of a hook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// The hook answered.
    #[default]
    Given,
    /// The hook said that it is unavailable.
    Unavailable,
    /// The hook failed, took too long, or returned an invalid answer.
    Failed,
}

/// A hit of recall.
#[derive(Clone, Debug, Default, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecalledItem {
    /// Its id.
    #[serde(default)]
    pub id: Option<String>,
    /// Its text.
    pub text: String,
    /// The origin.
    #[serde(default)]
    pub source: Option<String>,
    /// How well the hit matches.
    #[serde(default)]
    pub score: Option<f64>,
}

/// Why a stage stops before its end.
#[derive(Debug)]
pub enum Stop {
    /// The stage needs something from outside, and runs again once it has it.
    Ask(Box<Need>),
    /// The build fails.
    Fail(Box<Error>),
}

impl From<Need> for Stop {
    fn from(need: Need) -> Self {
        Self::Ask(Box::new(need))
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Fail(Box::new(error))
    }
}

impl From<Wanted> for Stop {
    fn from(wanted: Wanted) -> Self {
        Need::Older { wanted }.into()
    }
}

/// Result of marking: done, or a request to read more of a log. In that case the build restarts, so earlier marks don't
/// matter.
pub type MarkResult<T = ()> = std::result::Result<T, Wanted>;

/// Result of a stage that asks.
pub type StageResult<T = ()> = std::result::Result<T, Stop>;
