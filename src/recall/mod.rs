//! Finds messages relevant to a request: the index of all messages, and their scores for a request.
//!
//! A text becomes terms (`terms`, by its `language`, with the lists of `words`), and terms become an `index`. A request
//! becomes a `query`, with the times that it names (`dates`). `score` adds up two answers: whether a message is on the
//! request's topic (`about`, with `spread` to its neighbors and the `vectors` of a model), and whether the request
//! continues from it (`flow`). `reasons` puts the evidence for a message into words. `passages` does the same for long
//! texts, and `log` keeps the index of a session, which `search` looks through.
//!
//! # Examples
//!
//! ```
//! use windrow::base::message::{Field, Role};
//! use windrow::log::messages::Columns;
//! use windrow::recall::transcript::Transcript;
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
//! let index = transcript.index(&[0, 1]);
//! assert_eq!(index.len(), 2);
//! # Ok::<(), windrow::base::error::Error>(())
//! ```

pub mod index;
pub mod rank;
pub mod text;
pub mod transcript;
