//! Messages in order, and the groups among them that belong together.
//!
//! # Examples
//!
//! ```
//! use windrow::base::message::{Field, Role};
//! use windrow::log::groups::Groups;
//! use windrow::log::messages::{Columns, Messages};
//!
//! // Two messages, each with one segment: its text.
//! let columns = Columns {
//!     text: b"Where do we eat?At Rosa's.",
//!     roles: &[Role::User as u8, Role::Assistant as u8],
//!     pinned: &[0, 0],
//!     times: &[f64::NAN, f64::NAN],
//!     segment_counts: &[1, 1],
//!     segment_fields: &[Field::Text as u8; 2],
//!     segment_lengths: &[16, 10],
//! };
//! let mut messages = Messages::default();
//! messages.append(&columns)?;
//!
//! // No tool is called, so each message is a group of its own.
//! let groups = Groups::find(&messages, &[0, 1]);
//! assert_eq!(groups.members(1), [1]);
//! # Ok::<(), windrow::base::error::Error>(())
//! ```

pub(crate) mod clock;
pub(crate) mod conversations;
mod costs;
mod forms;
pub mod groups;
pub mod messages;
pub mod plan;
pub mod reach;
pub mod split;
mod texts;
pub(crate) mod tool_calls;
pub mod totals;
pub(crate) mod units;
pub mod unread;
