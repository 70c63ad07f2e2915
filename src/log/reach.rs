//! Computes the part of a log that can matter to a context. It depends only on the config.
//!
//! Within this reach a build looks at every message. Beyond it, a build looks only at single messages: the log's
//! initial instructions, pinned messages, the message that the request replies to, and the ones that its index ranks
//! best.

use crate::config::{
    ContextConfig, FilterConfig, Ranking, SectionKind, SessionScope, TriageFallback, WindowUnit,
};
use crate::log::messages::Messages;

/// The part of a log that can matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The newest messages. If these don't determine the context, for example because a filter leaves most of them out,
    /// more are read.
    Newest(usize),
    /// All of them.
    Everything,
}

/// A build reads at least this many messages, if there are that many.
pub const LEAST_READ: usize = 1024;

/// Minimum number of tokens of a message: a short word, and three for the chat format.
const LEAST_TOKENS: u64 = 4;

impl Reach {
    /// The reach for a config. `asks_about_all` is true if a hook is asked about all messages: for triage, for
    /// summaries or for embeddings.
    #[must_use]
    pub fn of(config: &ContextConfig, asks_about_all: bool) -> Self {
        let triage = &config.triage;
        let may_choose =
            triage.on_unavailable != TriageFallback::KeepAll || triage.decided.is_some();
        let chooses = triage.use_selection && may_choose;
        let is_about_all = asks_about_all
            || chooses
            || config.tiers.enabled
            || config.agent_id.is_some()
            || config.collect.deduplicate
            || (config.budget.cut.is_some() && !cuts_by_totals(config))
            // An exchange may include distant messages: a late result, or one that a filter left out.
            || config.window.unit == WindowUnit::Exchange
            || config.render.gap_notice.is_some(); // it says how many are left out, and from when
        let is_ranked = config.recall.ranking != Ranking::Recency;
        match newest(config) {
            Some(_) if is_about_all => Self::Everything,
            // The index ranks all messages, and doesn't know about filters.
            Some(_) if is_ranked && !has_window(config) && !ranks_by_index(config) => {
                Self::Everything
            }
            Some(count) => Self::Newest(count.max(LEAST_READ)),
            None => Self::Everything,
        }
    }

    /// Counts the newest messages that a build reads first: those whose bytes fit the budget, which it would request
    /// anyway.
    #[must_use]
    pub(crate) fn first_read(self, transcript: &Messages, config: &ContextConfig) -> usize {
        let limits = [config.budget.prompt_limit(), config.budget.max_chars];
        let limit = limits.into_iter().flatten().min().unwrap_or(u64::MAX);
        match self {
            Self::Newest(count) => count.min(transcript.newest_within(limit)).max(LEAST_READ),
            Self::Everything => transcript.len(),
        }
    }
}

/// An upper bound for the number of newest messages within all limits, if there is any limit.
fn newest(config: &ContextConfig) -> Option<usize> {
    let history = config.section(SectionKind::History).map(|(_, section)| section);
    let own = history.map(|section| &section.limit);
    let own_tokens = history.and_then(|section| config.token_limit_of(section));
    let tokens = config.budget.prompt_limit().into_iter().chain(own_tokens);
    let chars = config.budget.max_chars.into_iter().chain(own.and_then(|own| own.chars));
    let is_off = !config.enabled || own.is_none();
    let window = &config.window;
    let counts = [
        own.and_then(|own| own.items),
        window.lookback_count,
        window.max_user_turns,
        window.max_recent_messages,
        config.collect.cache_limit,
        config.collect.fetch_limit,
        is_off.then_some(0),
    ];
    let limits = tokens.map(|tokens| tokens / LEAST_TOKENS).chain(chars);
    let least = limits.chain(counts.into_iter().flatten()).min()?;
    Some(usize::try_from(least).unwrap_or(usize::MAX))
}

/// True if a window leaves older messages out before they would be ranked.
fn has_window(config: &ContextConfig) -> bool {
    let window = &config.window;
    let counts = [window.lookback_count, window.max_user_turns, window.max_recent_messages];
    counts.iter().any(Option::is_some)
        || !config.enabled
        || config.section(SectionKind::History).is_none()
}

/// True if the tokens that the cut adds up depend only on the messages, so that the total before a place can be
/// remembered instead of the messages.
pub(crate) fn cuts_by_totals(config: &ContextConfig) -> bool {
    let compact = &config.compact;
    config.enabled
        && config.section(SectionKind::History).is_some()
        && config.filter == FilterConfig::default()
        && config.collect.cache_limit.is_none()
        && config.collect.fetch_limit.is_none()
        && config.collect.session_scope != SessionScope::Strict
        && compact.summary.is_none()
        && compact.prepared.is_none()
}

/// True if only rank and budget can leave messages out, so that an index can rank them unread.
pub(crate) fn ranks_by_index(config: &ContextConfig) -> bool {
    let window = &config.window;
    !has_window(config)
        && window.recency_hours.is_none()
        && window.previous_tasks_count == 0
        && config.recall.ranking != Ranking::Recency
        && !config.tiers.enabled
        && knows_what_is_left_out(&config.filter)
        && config.collect.cache_limit.is_none()
        && config.collect.fetch_limit.is_none()
        && config.collect.session_scope != SessionScope::Strict
}

/// True if a filter leaves out only messages that it names.
fn knows_what_is_left_out(filter: &FilterConfig) -> bool {
    let unnamed = FilterConfig { forgotten: Vec::new(), ..filter.clone() };
    unnamed == FilterConfig::default()
        && filter.forgotten.iter().all(|forgotten| forgotten.message_ids.is_some())
}
