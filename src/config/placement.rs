use crate::base::value::FromValue;
use serde::Serialize;

/// The place of history messages that were picked individually.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Placement {
    /// In their chronological place in the history.
    #[default]
    Chronological,
    /// Quoted between the history and the request, oldest first, below `render.quoteLabel`. In the format `messages`
    /// they are one user message. With `budget.cut`, ranked messages are always quoted.
    AfterHistory,
}
