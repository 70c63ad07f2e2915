use super::placement::Placement;
use super::shares::check_shares;
use crate::base::error::{Error, Result};
use crate::base::message::Role;
use crate::base::value::FromValue;
use serde::Serialize;

/// Which older messages are kept if not all fit: those that the request is about. Also, the items that the section of kind
/// `recall` shows.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RecallConfig {
    /// How older messages are ranked where not all fit.
    pub ranking: Ranking,
    /// Finds messages with the same meaning as the request in other words, with the ranking `relevance`. If there is the hook `embed`, that
    /// is used instead.
    pub meaning: Meaning,
    /// How many of the newest messages come before all that is ranked.
    pub recent_messages: u64,
    /// The most that these newest may take of the room that the history has, from 0 to 1; of a limit of messages, one message or group at least.
    pub max_recent_share: f64,
    /// The most that messages may take in which the user says what holds throughout ("from now on", "I prefer"), of the room
    /// that the history has, from 0 (they rank as all others) to 1.
    pub max_standing_share: f64,
    /// The most that lasting statements of the user may take (an allergy, a preference, how to be answered) of the room that the history
    /// has, from 0 (they rank as all others) to 1. They come in if they are worth more than the messages that they displace.
    pub max_statement_share: f64,
    /// The most that ranked messages may take of the room that the history has, from 0 to 1; of a limit of messages, above 0 one
    /// message or group at least. The rest goes to the newest.
    pub max_share: f64,
    /// Which long messages come in by the passages that the request is about, where they are not worth their price as a whole.
    /// Only with the ranking `relevance`.
    pub excerpts: ExcerptConfig,
    /// Which messages come in with those that are kept for their rank, so that the context reads as a conversation with an assistant.
    /// Only with the ranking `relevance`.
    pub pairs: PairConfig,
    /// Where those stand that are kept for their rank, where not all fit; with what goes together with them.
    pub placement: Placement,
    /// What becomes of the items of the section of kind `recall` where there is the hook `recall.search`.
    pub search_results: SearchResults,
    /// How broad recall is; it sets `maxItems` and `maxChars` where they are not given. Default: by `focusSignals`.
    pub focus: Option<Focus>,
    /// What the focus is computed from, where `focus` is not given. Default: `balanced`, 0.50.
    pub focus_signals: Option<FocusSignals>,
    /// How many items are asked for, or shown of those that the section has. Default: 4, 8 or 16 by focus.
    pub max_items: Option<u64>,
    /// The most characters of all items together as they are shown; cut with `...`. Default: 900, 1700 or 3600 by focus.
    pub max_chars: Option<u64>,
    /// The most characters of one item's text; cut with `...`.
    pub max_item_chars: u64,
    /// How many texts the hook `embed` is given at once, 1 or more.
    pub embed_batch_size: u64,
    /// Which model the hook `embed` asks. Vectors that another gave are not used: name another when it changes.
    pub embed_model: String,
    /// How long each hook may take, in milliseconds; `embed` for each batch.
    pub timeout_ms: u64,
    /// What is shown where the request is blank, so that nothing can be asked for. Default: the section's `empty`.
    pub empty_query: Option<String>,
    /// What is shown where there is no hook, or it failed or says that it is unavailable, and the section has no items
    /// either. Default: the section's `empty`.
    pub unavailable: Option<String>,
}

/// Which long messages come in by the passages that the request is about: a marked copy, with a visible mark where something is
/// left out. Of a message with an image, a file, reasoning or several texts nothing is left out.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ExcerptConfig {
    /// Whether any do.
    pub enabled: bool,
    /// The roles whose messages do.
    pub roles: Vec<Role>,
    /// About how many tokens a message has at least that comes in so.
    pub min_tokens: u64,
    /// About how many tokens of it come in.
    pub tokens: u64,
}

/// Which messages come in with those that are kept for their rank, as far as they fit.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PairConfig {
    /// Whether a reply of the assistant brings the question that it answers: the user's last message before it.
    pub questions: bool,
    /// About how many tokens of its reply a question of the user brings: all of a shorter one, and of a longer one the passages
    /// that the request is about, where `excerpts` are enabled; 0 for nothing.
    pub reply_tokens: u64,
}

/// How older messages are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Ranking {
    /// By what the request is about, and what it goes on from.
    Relevance,
    /// By the words of the request alone, each message for itself: plain BM25, for comparison.
    Bm25,
    /// The newest first: nothing is recalled.
    Recency,
}

/// A way to find messages with the same meaning as the request in other words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Meaning {
    /// They aren't: words alone count.
    None,
    /// Adds up the vectors of a text's words, from a table. No model runs and no request is made: see `loadMeaning`. English only:
    /// messages in other languages rank by their words.
    Static,
}

/// What becomes of the items of a section of kind `recall` with the hook `recall.search`. Where the hook has no answer, the
/// hits among the items are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum SearchResults {
    /// Only what the hook finds is shown.
    Replace,
    /// The hook's hits and the hits among the items are shown by turns, each the best first, and no text twice.
    Join,
}

/// How broad recall is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Focus {
    /// A small set: 4 items, 900 characters.
    Focused,
    /// 8 items, 1700 characters.
    Balanced,
    /// A broad set: 16 items, 3600 characters.
    Diffuse,
}

/// The DOSE signals of takobot, each from 0 to 1. A value outside counts as the nearer end, a missing one as 0.5.
#[derive(Clone, Debug, Default, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct FocusSignals {
    /// Dopamine.
    pub d: Option<f64>,
    /// Oxytocin.
    pub o: Option<f64>,
    /// Serotonin.
    pub s: Option<f64>,
    /// Endorphins.
    pub e: Option<f64>,
}

impl RecallConfig {
    pub(super) fn check(&self) -> Result<()> {
        check_shares(&[
            ("recall.maxRecentShare", self.max_recent_share),
            ("recall.maxStandingShare", self.max_standing_share),
            ("recall.maxStatementShare", self.max_statement_share),
            ("recall.maxShare", self.max_share),
        ])?;
        if self.embed_batch_size == 0 {
            return Err(Error::option(
                "recall.embedBatchSize",
                "no text can be embedded in batches of 0",
                "Pass 1 or more, or leave recall.embed out.",
            ));
        }
        Ok(())
    }
}

impl Default for ExcerptConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            roles: vec![Role::User, Role::Assistant, Role::Tool],
            min_tokens: 300,
            tokens: 200,
        }
    }
}

impl Default for PairConfig {
    fn default() -> Self {
        Self { questions: true, reply_tokens: 0 }
    }
}

impl Default for RecallConfig {
    fn default() -> Self {
        Self {
            ranking: Ranking::Relevance,
            meaning: Meaning::None,
            recent_messages: 2,
            max_recent_share: 0.05,
            max_standing_share: 0.05,
            max_statement_share: 0.25,
            max_share: 1.0,
            excerpts: ExcerptConfig::default(),
            pairs: PairConfig::default(),
            placement: Placement::Chronological,
            search_results: SearchResults::Replace,
            focus: None,
            focus_signals: None,
            max_items: None,
            max_chars: None,
            max_item_chars: 420,
            embed_batch_size: 64,
            embed_model: "default".to_owned(),
            timeout_ms: 30_000,
            empty_query: None,
            unavailable: None,
        }
    }
}
