use super::placement::Placement;
use super::shares::check_shares;
use crate::base::error::{Error, Result};
use crate::base::message::Role;
use crate::base::value::FromValue;
use serde::Serialize;

/// Keeps older messages for their relevance to the request if not all fit. Also configures the items of the section of
/// kind `recall`.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RecallConfig {
    /// How older messages are ranked if not all fit.
    pub ranking: Ranking,
    /// Finds messages that are close to the request in meaning, even if they share none of its words. Only with the
    /// ranking `relevance`. If the hook `embed` is set, it is used instead.
    pub meaning: Meaning,
    /// Number of the newest messages that come before all others.
    pub recent_messages: u64,
    /// Maximum share (0 to 1) of the history's room for these newest messages. If the number of messages is limited,
    /// they get at least one message or group.
    pub max_recent_share: f64,
    /// Maximum share (0 to 1) of the history's room for messages with the user's standing instructions ("from now on",
    /// "I prefer"). At 0 they rank like all others.
    pub max_standing_share: f64,
    /// Maximum share (0 to 1) of the history's room for the user's lasting statements (an allergy, a preference, how to
    /// be answered). They are included if they are worth more than the messages that they displace. At 0 they rank like
    /// all others. Default: 0.5, or 1 if the assistant has answered the request, because then nothing is asked that needs
    /// the rest.
    pub max_statement_share: Option<f64>,
    /// Maximum share (0 to 1) of the history's room for ranked messages. If the number of messages is limited, they get
    /// at least one message or group unless this is 0. The rest of the room goes to the newest messages.
    pub max_share: f64,
    /// Shows only the relevant passages of long messages that aren't worth their full cost. Only with the ranking
    /// `relevance`.
    pub excerpts: ExcerptConfig,
    /// Adds messages next to those kept for their rank, so that the context reads like a conversation with an
    /// assistant. Only with the ranking `relevance`.
    pub pairs: PairConfig,
    /// The place of messages that are kept for their rank, and of those that belong to them.
    pub placement: Placement,
    /// Shows the items of the section of kind `recall` next to the hits of the hook `recall.search`, or only the hits.
    pub search_results: SearchResults,
    /// How broad recall is. Sets `maxItems` and `maxChars` unless they are set. Default: from `focusSignals`.
    pub focus: Option<Focus>,
    /// Signals that determine the focus if `focus` isn't set. Default: `balanced`, 0.50.
    pub focus_signals: Option<FocusSignals>,
    /// Number of items to request from the hook, or to show from the section's own. Default: 4, 8 or 16, depending on
    /// the focus.
    pub max_items: Option<u64>,
    /// Maximum number of characters of all items together, in their final form. Longer text is cut with `...`. Default:
    /// 900, 1700 or 3600, depending on the focus.
    pub max_chars: Option<u64>,
    /// Maximum number of characters of one item's text. Longer text is cut with `...`.
    pub max_item_chars: u64,
    /// Maximum number of texts that the hook `embed` gets at a time, at least 1.
    pub embed_batch_size: u64,
    /// Name of the model that the hook `embed` uses. Vectors stored under another name aren't used, so change the name
    /// if you change the model.
    pub embed_model: String,
    /// Time limit for each hook call, in milliseconds. With `embed`, each batch is a call.
    pub timeout_ms: u64,
    /// The text to show if the request is blank, so that there is nothing to search for. Default: the section's
    /// `empty`.
    pub empty_query: Option<String>,
    /// The text to show if the hook is missing, unavailable or failed, and the section has no items either. Default:
    /// the section's `empty`.
    pub unavailable: Option<String>,
}

/// Reduces long messages to the passages relevant to the request. The result is a marked copy, with a visible marker
/// for each omission. Messages with an image, a file, reasoning or several texts are never shortened this way.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ExcerptConfig {
    /// Allows excerpts.
    pub enabled: bool,
    /// The roles whose messages may become excerpts.
    pub roles: Vec<Role>,
    /// Approximate minimum size of a message that may become an excerpt, in tokens.
    pub min_tokens: u64,
    /// Approximate initial size of an excerpt, in tokens. It grows if the other messages leave room.
    pub tokens: u64,
}

/// Adds messages next to those kept for their rank, if they fit.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PairConfig {
    /// If true, a reply of the assistant brings along the question that it answers: the user's last message before it.
    pub questions: bool,
    /// About how many tokens of its reply a user's question brings along. A shorter reply comes whole. Of a longer one,
    /// only the passages relevant to the request come, if `excerpts` are enabled. 0 brings nothing.
    pub reply_tokens: u64,
}

/// How older messages are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Ranking {
    /// By relevance to the request and to the messages that it continues from.
    Relevance,
    /// Only by the words of the request, each message on its own: plain BM25, for comparison.
    Bm25,
    /// Newest first: nothing is recalled.
    Recency,
}

/// How to find messages that are close to the request in meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Meaning {
    /// Off: only words count.
    None,
    /// Adds up the vectors of a text's words from a table. No model runs and no request is sent; see `loadMeaning`.
    /// English only: messages in other languages rank by their words.
    Static,
}

/// Shows the items of a section of kind `recall` next to the hits of the hook `recall.search`, or only the hits. If the
/// hook has no answer, the matching items are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum SearchResults {
    /// Shows only the hook's hits.
    Replace,
    /// Alternates between the hook's hits and the matching items, best first in each, without duplicate texts.
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

/// takobot's DOSE signals, each from 0 to 1. Values outside that range are clamped, and a missing one counts as 0.5.
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
    /// The default of `max_statement_share` for a request.
    pub const DEFAULT_STATEMENT_SHARE: f64 = 0.5;

    /// Maximum share of the room for lasting statements, for a request or if nothing is asked.
    pub(crate) fn statement_share(&self, is_asked: bool) -> f64 {
        let default = if is_asked { Self::DEFAULT_STATEMENT_SHARE } else { 1.0 };
        self.max_statement_share.unwrap_or(default)
    }

    pub(super) fn check(&self) -> Result<()> {
        check_shares(&[
            ("recall.maxRecentShare", self.max_recent_share),
            ("recall.maxStandingShare", self.max_standing_share),
            ("recall.maxStatementShare", self.statement_share(true)),
            ("recall.maxShare", self.max_share),
        ])?;
        if self.embed_batch_size == 0 {
            return Err(Error::option(
                "recall.embedBatchSize",
                "batches of 0 texts can't be embedded",
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
            max_statement_share: None,
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
