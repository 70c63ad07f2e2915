//! The basis of everything else: errors, dates, small maps and lists, JavaScript's values, and pieces of text.
//!
//! # Examples
//!
//! ```
//! use windrow::base::message::Role;
//! use windrow::base::value::{OptionNames, Value};
//!
//! assert!(Role::System.is_instruction());
//! let roles: Vec<Role> = Value::List(vec![Value::Text("user".into())]).decode(&OptionNames::NONE)?;
//! assert_eq!(roles, [Role::User]);
//! # Ok::<(), windrow::base::error::Error>(())
//! ```

pub(crate) mod blocks;
pub(crate) mod bytes;
pub mod candidate;
pub mod cost;
pub mod error;
pub(crate) mod few;
pub(crate) mod guard;
pub(crate) mod json;
pub mod map;
pub mod message;
pub(crate) mod nearest;
pub(crate) mod template;
pub(crate) mod text;
pub mod time;
pub mod value;
