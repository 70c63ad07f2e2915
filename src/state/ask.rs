//! What a build asks of the outside: needs, and the answers to them.
//!
//! A stage that needs something ends with the need, and runs again from its start when the answer is there: it asks
//! before it marks. Answers that hooks gave are kept in their order; with them a recording builds the same again.

use crate::base::error::Error;
use crate::base::json::to_json;
use crate::base::time::Milliseconds;
use crate::base::value::FromValue;
use crate::config::{Focus, SummaryFacts};
use crate::log::plan::Wanted;
use crate::tokens::EncodingName;
use serde::Serialize;

/// Something from outside the core that a build cannot go on without.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "need", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Need {
    /// The vocabulary of an encoding, to count exactly.
    Encoding {
        /// Which encoding.
        name: EncodingName,
    },
    /// All that selects, [`SELECTION`](crate::machine::selection::SELECTION): not all fits, a section shows what fits the request, a model is
    /// to be asked, or conversations are told apart.
    Selection,
    /// The table of meanings, to rank by `recall.meaning`.
    Meaning,
    /// How far the time zone is from UTC, for a range of time.
    ZoneOffsets {
        /// The zone, an IANA name.
        time_zone: String,
        /// From when.
        first: Milliseconds,
        /// Until when.
        last: Milliseconds,
    },
    /// Older messages of the log that the transcript was read from: the messages there do not decide the context. It has no
    /// answer: another build begins with a transcript that has them.
    Older {
        /// What is wanted.
        wanted: Wanted,
    },
    /// How many tokens texts have, from the hook `countTokens`.
    Counts {
        /// The texts, none of them twice.
        texts: Vec<String>,
        /// How long the hook may take, in milliseconds.
        timeout_ms: u64,
    },
    /// What is known about the request, from the hook `recall`.
    Recall {
        /// The request's text.
        query: String,
        /// How many items are wanted at most.
        max_items: u64,
        /// The most characters that will be shown of them.
        max_chars: u64,
        /// How broad it should be.
        focus: Focus,
        /// How long the hook may take, in milliseconds.
        timeout_ms: u64,
    },
    /// The vectors of texts, from the hook `recall.embed`, and with them how near messages are to the request.
    Embeddings {
        /// The texts, none of them twice: the request's first, then those of messages whose vectors are not known.
        texts: Vec<String>,
        /// How many messages there are that may be near.
        message_count: usize,
        /// The most texts that the hook is given at once.
        batch_size: u64,
        /// How long the hook may take for these, in milliseconds.
        timeout_ms: u64,
    },
    /// Which candidates matter to the request, from the hook `triage.select` or `triage.complete`.
    Triage {
        /// The request's text.
        request: String,
        /// The candidates, oldest first.
        candidates: Vec<TriageUnit>,
        /// The prompt, for `triage.complete`.
        prompt: Option<String>,
        /// The model's role, `triage.model`.
        model: String,
        /// How long the hook may take, in milliseconds.
        timeout_ms: u64,
    },
    /// Summaries of conversations, from the hook `tiers.summarize`.
    Summaries {
        /// The conversations.
        conversations: Vec<SummaryWanted>,
        /// The most characters that will be shown of one.
        max_chars: u64,
        /// How long the hook may take, in milliseconds.
        timeout_ms: u64,
    },
    /// A summary of the messages that the cut has left out since the last one, from the hook `compact.summarize`.
    Compact {
        /// The last summary. None if there is none.
        previous: Option<String>,
        /// The positions of the messages in the transcript.
        positions: Vec<usize>,
        /// For each message its rows that the question is about, by their places from 1 on. Empty if it is about the whole message.
        shares: Vec<Vec<usize>>,
        /// Their texts, a line for each message.
        text: String,
        /// Facts of all messages that the summary will cover.
        facts: Box<SummaryFacts>,
        /// The last of the messages, as [`StoredSummary::through`](crate::config::StoredSummary::through) names it.
        through: String,
        /// The most tokens of the summary.
        max_tokens: u64,
        /// How long the hook may take, in milliseconds.
        timeout_ms: u64,
    },
}

/// What triage chooses among: a message with what goes together with it, or an exchange.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TriageUnit {
    /// The id of its first message, or `#` and that message's position where it has none, or one that another candidate
    /// has.
    pub id: String,
    /// The positions of its messages in the transcript.
    pub positions: Vec<usize>,
    /// Its texts, a line for each message.
    pub text: String,
}

/// A conversation of which a summary is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SummaryWanted {
    /// Its id.
    pub id: String,
    /// The positions of its messages in the transcript.
    pub positions: Vec<usize>,
    /// Its texts, a line for each message.
    pub text: String,
}

/// An answer to a need. What it holds depends on the need.
#[derive(Clone, Debug, Default, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Answer {
    /// Which hook it is of.
    pub hook: HookName,
    /// Whether there is an answer.
    pub outcome: Outcome,
    /// Why there is no answer: the error that the hook threw, or that it took too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What of it was not understood, and what was done instead, in words; none where all of it was understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misunderstood: Option<String>,
    /// Of triage: the ids of the chosen units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<String>>,
    /// Of triage by `complete`: what the model said. It is read into `ids`, and recorded so. Of `compact.summarize`: the summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Of recall: what was found, the best first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Vec<RecalledItem>>,
    /// Of embeddings: how near each message is to the request that may be, in their order: two letters each, of those of
    /// base64, for a whole number from 0 (opposite) to 4000 (the same).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarities: Option<String>,
    /// Of summaries: one for each conversation that was asked for, in that order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summaries: Option<Vec<Option<String>>>,
    /// Of counts: one for each text that was asked for, in that order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Vec<u64>>,
}

/// What a stage did not understand of an answer. Every stage says so of each answer that it reads, so that none is misread
/// in silence: a misunderstood part leaves a note, and an answer of which nothing is understood has failed.
#[derive(Debug, Default)]
pub(crate) struct Misunderstood {
    /// How many elements the answer has.
    pub(crate) element_count: usize,
    /// What else was not understood, which is no element.
    pub(crate) beside: &'static str,
    /// What was done instead.
    instead: &'static str,
    count: usize,
    /// The first of them.
    first: String,
}

impl Misunderstood {
    /// Notes an element, and what was done instead of what it asks for.
    pub(crate) fn add(&mut self, instead: &'static str, element: &str) {
        if self.count == 0 {
            self.instead = instead;
            self.first = example(element);
        }
        self.count += 1;
    }
}

impl Answer {
    /// Nothing of it is understood.
    pub(crate) fn fail(&mut self, reason: &str) -> Misunderstood {
        let reason = Some(reason.to_owned());
        *self = Self { hook: self.hook, outcome: Outcome::Failed, reason, ..Self::default() };
        Misunderstood::default()
    }

    /// Says of it what was not understood.
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
            words.insert_str(0, "nothing of its answer was understood: ");
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

/// An element in one short line.
fn example(element: &str) -> String {
    const MOST_CHARS: usize = 40;
    let mut letters = element.chars();
    let start: String = letters.by_ref().take(MOST_CHARS).collect();
    let end = if letters.next().is_some() { "…" } else { "" };
    to_json(&(start + end))
}

/// A function of the caller's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum HookName {
    /// Which candidates matter, as ids.
    #[default]
    #[serde(rename = "triage.select")]
    Select,
    /// Which candidates matter, as a model's answer to a prompt.
    #[serde(rename = "triage.complete")]
    Complete,
    /// What is known about the request.
    #[serde(rename = "recall.search")]
    Recall,
    /// The vectors of texts.
    #[serde(rename = "recall.embed")]
    Embed,
    /// Summaries of conversations.
    #[serde(rename = "tiers.summarize")]
    Summarize,
    /// A summary of what the cut leaves out.
    #[serde(rename = "compact.summarize")]
    Compact,
    /// How many tokens texts have.
    #[serde(rename = "countTokens")]
    CountTokens,
}

impl HookName {
    /// Those that are asked about all messages.
    pub const ABOUT_ALL: [Self; 4] = [Self::Select, Self::Complete, Self::Embed, Self::Summarize];

    /// Its path in the config.
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

/// Whether a hook gave an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// It did.
    #[default]
    Given,
    /// It said that it cannot.
    Unavailable,
    /// It failed, took too long, or answered nonsense.
    Failed,
}

/// One thing that recall found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecalledItem {
    /// Its id.
    #[serde(default)]
    pub id: Option<String>,
    /// Its text.
    pub text: String,
    /// Where it is from.
    #[serde(default)]
    pub source: Option<String>,
    /// How well it fits.
    #[serde(default)]
    pub score: Option<f64>,
}

/// What ends a stage before its end.
#[derive(Debug)]
pub enum Stop {
    /// It needs something from outside, and runs again when it is there.
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

/// How marking ends: done, or with what more is wanted of a log of which not all was read. Then a build begins anew with more,
/// so that marks which were made before are of no consequence.
pub type MarkResult<T = ()> = std::result::Result<T, Wanted>;

/// How a stage ends that asks.
pub type StageResult<T = ()> = std::result::Result<T, Stop>;
