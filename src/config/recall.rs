use super::placement::Placement;
use super::shares::check_shares;
use crate::base::error::{Error, Result};
use crate::base::message::Role;
use crate::base::value::FromValue;
use serde::Serialize;

/// Which older messages are kept if not all fit: those relevant to the request. Also configures the items of the
/// section of kind `recall`.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RecallConfig {
    /// How older messages are ranked if not all fit.
    pub ranking: Ranking,
    /// Finds messages that mean the same as the request in other words, with the ranking `relevance`. If the hook
    /// `embed` is set, it is used instead.
    pub meaning: Meaning,
    /// How many of the newest messages rank before all others.
    pub recent_messages: u64,
    /// The most that these newest messages may take of the history's room, from 0 to 1. If the number of messages is
    /// limited, they get at least one message or group.
    pub max_recent_share: f64,
    /// The most of the history's room, from 0 to 1, for messages with standing instructions of the user ("from now on",
    /// "I prefer"). At 0 they rank like all others.
    pub max_standing_share: f64,
    /// The most of the history's room, from 0 to 1, for the user's lasting statements (an allergy, a preference, how to
    /// be answered). At 0 they rank like all others. They are included if they are worth more than the messages that
    /// they displace.
    pub max_statement_share: f64,
    /// The most of the history's room for ranked messages, from 0 to 1. If the number of messages is limited, they get
    /// at least one message or group unless this is 0. The rest goes to the newest.
    pub max_share: f64,
    /// Includes only the relevant passages of long messages that aren't worth their cost as a whole. Only with the
    /// ranking `relevance`.
    pub excerpts: ExcerptConfig,
    /// Messages that come along with those kept for their rank, so that the context reads as a conversation with an
    /// assistant. Only with the ranking `relevance`.
    pub pairs: PairConfig,
    /// Place of messages that are kept for their rank if not all fit, together with the messages that belong to them.
    pub placement: Placement,
    /// Treatment of the items of the section of kind `recall` if the hook `recall.search` is set.
    pub search_results: SearchResults,
    /// How broad recall is. Sets `maxItems` and `maxChars` unless they are given. Default: by `focusSignals`.
    pub focus: Option<Focus>,
    /// Signals that determine the focus if `focus` isn't given. Default: `balanced`, 0.50.
    pub focus_signals: Option<FocusSignals>,
    /// How many items are requested from the hook, or shown of the section's own. Default: 4, 8 or 16 by focus.
    pub max_items: Option<u64>,
    /// The most characters of all items together, in their final form. Longer text is cut with `...`. Default: 900,
    /// 1700 or 3600 by focus.
    pub max_chars: Option<u64>,
    /// The most characters of one item's text. Longer text is cut with `...`.
    pub max_item_chars: u64,
    /// How many texts the hook `embed` gets at once, at least 1.
    pub embed_batch_size: u64,
    /// Name of the model that the hook `embed` uses. Vectors of another model aren't used, so change the name with the
    /// model.
    pub embed_model: String,
    /// Time limit for each hook, in milliseconds; for `embed`, for each batch.
    pub timeout_ms: u64,
    /// The text to show if the request is blank, so that recall has no query. Default: the section's `empty`.
    pub empty_query: Option<String>,
    /// The text to show if the hook is missing, failed or is unavailable, and the section has no items either. Default:
    /// the section's `empty`.
    pub unavailable: Option<String>,
}

/// Which long messages are reduced to the passages relevant to the request. The result is a marked copy, with a visible
/// mark for each omission. Messages with an image, a file, reasoning or several texts are never shortened this way.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ExcerptConfig {
    /// Allows excerpts.
    pub enabled: bool,
    /// The roles whose messages may become excerpts.
    pub roles: Vec<Role>,
    /// About the smallest message that may become an excerpt, in tokens.
    pub min_tokens: u64,
    /// About the size that an excerpt competes with for the room, in tokens. It grows into the room that the others leave.
    pub tokens: u64,
}

/// Messages added next to those kept for their rank, if they fit.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PairConfig {
    /// An assistant's reply brings the question that it answers: the user's last message before it.
    pub questions: bool,
    /// About how many tokens of its reply a user's question brings. A shorter reply comes whole. Of a longer one, the
    /// passages relevant to the request come if `excerpts` are enabled. 0 brings nothing.
    pub reply_tokens: u64,
}

/// How older messages are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Ranking {
    /// By relevance to the request and to the messages that it continues from.
    Relevance,
    /// By the words of the request alone, each message by itself: plain BM25, for comparison.
    Bm25,
    /// The newest first: nothing is recalled.
    Recency,
}

/// A way to find messages with the same meaning as the request in other words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Meaning {
    /// Off: only words count.
    None,
    /// Adds up the vectors of a text's words, from a table. No model runs and no request is sent: see `loadMeaning`.
    /// English only: messages in other languages rank by their words.
    Static,
}

/// Treatment of the items of a section of kind `recall` with the hook `recall.search`. If the hook has no answer, the
/// matching items are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum SearchResults {
    /// Shows only the hook's hits.
    Replace,
    /// Alternates between the hook's hits and the matching items, each the best first, without duplicate texts.
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

/// The DOSE signals of takobot, each from 0 to 1. Values outside are clamped, a missing one counts as 0.5.
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
            min_tokens: 120,
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
            max_statement_share: 0.4,
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
