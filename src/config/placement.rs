use crate::base::value::FromValue;
use serde::Serialize;

/// Place of history messages that were picked individually.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Placement {
    /// In their place in the history, by time.
    #[default]
    Chronological,
    /// Quoted after the history and before the request, the oldest first, below `render.quoteLabel`. In the format
    /// `messages` they are one user message. With `budget.cut` ranked messages are always quoted.
    AfterHistory,
}
