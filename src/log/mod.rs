//! Messages in order, and what belongs together among them.

pub(crate) mod conversations;
mod costs;
pub mod groups;
pub mod messages;
pub(crate) mod tool_calls;
pub(crate) mod units;
pub mod unread;
