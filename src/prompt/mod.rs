//! The forms of a prompt, and the costs of its parts.
//!
//! # Examples
//!
//! ```
//! use windrow::base::message::{Field, Role};
//! use windrow::log::messages::Columns;
//! use windrow::prompt::measure::measure_all;
//! use windrow::recall::transcript::Transcript;
//! use windrow::tokens::{Counter, Tokenizer};
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
//! let (frame, costs) = measure_all(&transcript.into(), Default::default(), Counter::Estimate(Tokenizer::O200k));
//! assert_eq!(frame.tokens, 3);
//! assert_eq!(costs.len(), 2);
//! # Ok::<(), windrow::base::error::Error>(())
//! ```

pub(crate) mod border;
pub mod certainty;
pub(crate) mod form;
pub mod measure;
pub(crate) mod merged;
pub(crate) mod excerpt;
pub(crate) mod parts;
pub(crate) mod sent;
pub(crate) mod shorten;
pub(crate) mod tools;
