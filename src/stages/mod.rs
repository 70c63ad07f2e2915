//! The stages of a build, each in one file or folder. `machine` runs them in order.
//!
//! # Examples
//!
//! ```
//! use windrow::base::message::{Field, Role};
//! use windrow::base::time::Milliseconds;
//! use windrow::base::value::Value;
//! use windrow::config::ContextConfig;
//! use windrow::log::messages::Columns;
//! use windrow::recall::transcript::Transcript;
//! use windrow::stages::collect;
//! use windrow::state::input::Input;
//! use windrow::state::marks::Marks;
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
//! let mut transcript = Transcript::default();
//! transcript.append(&columns)?;
//!
//! let config = ContextConfig::read(&Value::Map(vec![]))?;
//! let input = Input::new(transcript.into(), None, config, Milliseconds(0), vec![]);
//! let mut marks = Marks::new(2);
//! assert!(collect::mark(&input, &mut marks).is_ok());
//! assert_eq!(marks.asked(), Some(0)); // no request was given, so the newest user message is it
//! # Ok::<(), windrow::base::error::Error>(())
//! ```

pub mod budget;
pub mod collect;
pub mod filter;
pub mod recall;
pub mod render;
pub mod selection;
pub mod snapshot;
pub mod tiers;
pub mod triage;
pub(crate) mod unread;
pub mod window;
