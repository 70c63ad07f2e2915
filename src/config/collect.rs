use crate::base::value::FromValue;
use serde::Serialize;

/// What is taken into consideration at all, and in which order.
#[derive(Clone, Debug, PartialEq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct CollectConfig {
    /// Which messages belong to `sessionId`.
    pub session_scope: SessionScope,
    /// Whether a message with an id that an earlier one has is left out: for several sources in one list, such as memory
    /// and events.
    pub deduplicate: bool,
    /// Whether the system and developer messages that the transcript begins with are instructions, which no limit leaves
    /// out, or history as any other message.
    pub keep_instructions: bool,
    /// How many messages of the session a cache holds: older ones are not looked at. Default:
    /// all (istota has 200).
    pub cache_limit: Option<u64>,
    /// How many messages are looked at, the newest first. Default: all (istota has 100 for chats).
    pub fetch_limit: Option<u64>,
    /// What the limits of cache and fetch count.
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

/// What limits of cache and fetch count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum LimitsCount {
    /// Every message of the session, before any filter: as a store holds them, and a server hands them out.
    #[default]
    Messages,
    /// What `window.lookbackCount` counts: messages or exchanges (`window.unit`) of those that the filter left, and never
    /// fewer than it takes.
    History,
}

/// Which messages belong to a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum SessionScope {
    /// Those that name it, and those that name none.
    #[default]
    Session,
    /// Only those that name it.
    Strict,
    /// Those of all sessions.
    All,
}
