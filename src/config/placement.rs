use crate::base::value::FromValue;
use serde::Serialize;

/// Where messages of the history stand that were picked one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Placement {
    /// In their place in the history, by time.
    #[default]
    Chronological,
    /// Quoted after the history and before the request, the oldest first, below `render.quoteLabel`. In the format `messages` they are
    /// one message of the user's. With `budget.cut` what is ranked is always quoted.
    AfterHistory,
}
