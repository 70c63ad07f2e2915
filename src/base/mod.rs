//! What everything else stands on: errors, dates, small maps, values as JavaScript has them, and pieces of text.

pub(crate) mod bytes;
pub mod cost;
pub mod error;
pub(crate) mod guard;
pub(crate) mod hash;
pub mod map;
pub mod message;
pub(crate) mod nearest;
pub(crate) mod template;
pub(crate) mod text;
pub mod time;
pub mod value;
