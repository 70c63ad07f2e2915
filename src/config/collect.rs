use crate::base::value::FromValue;
use serde::Serialize;

/// Selects the messages to consider at all, and their order.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct CollectConfig {
    /// The messages that belong to `sessionId`.
    pub session_scope: SessionScope,
    /// Leaves out a message if an earlier one has the same id. Use it if a list combines several sources, such as
    /// memory and events.
    pub deduplicate: bool,
    /// Treats the system and developer messages at the start of the transcript as instructions, which no limit leaves
    /// out. If false, they are history like any other message.
    pub keep_instructions: bool,
    /// Number of messages of the session that a cache holds. Older ones are ignored. Default: all (istota uses 200).
    pub cache_limit: Option<u64>,
    /// Number of the newest messages to consider. Default: all (istota uses 100 for chats).
    pub fetch_limit: Option<u64>,
    /// The unit of `cacheLimit` and `fetchLimit`.
    pub limits_count: LimitsCount,
}

impl Default for CollectConfig {
    fn default() -> Self {
        Self {
            session_scope: SessionScope::Session,
            deduplicate: false,
            keep_instructions: true,
            cache_limit: None,
            fetch_limit: None,
            limits_count: LimitsCount::Messages,
        }
    }
}

/// Unit of the cache and fetch limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum LimitsCount {
    /// All messages of the session before any filter, as a store or server has them.
    #[default]
    Messages,
    /// The unit of `window.lookbackCount`: messages or exchanges (`window.unit`) that pass the filter. The limits are
    /// never below `lookbackCount`.
    History,
}

/// The messages that belong to a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum SessionScope {
    /// Messages that name it or no session.
    #[default]
    Session,
    /// Only messages that name it.
    Strict,
    /// Messages of all sessions.
    All,
}
