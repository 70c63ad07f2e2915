//! Text analysis for recall: cuts a text into words, detects its language, and makes terms of its words.
//!
//! This is a separate crate because it reads every word of every message and is built for speed, while the core is
//! built for size.
#![forbid(unsafe_code)]

pub mod cues;
pub mod detect;
pub mod fold;
pub mod hash;
pub mod language;
pub mod lists;
pub mod runs;
pub mod statements;
pub mod terms;
