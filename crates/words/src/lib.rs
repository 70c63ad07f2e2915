//! What a text can be found by: how it is cut into words, which language it is in, and what terms its words are.
//!
//! A crate of its own: the core is built for size, and what reads every word of every message is built for speed.
#![forbid(unsafe_code)]

pub mod cues;
pub mod detect;
pub mod fold;
pub mod hash;
pub mod language;
pub mod lists;
pub mod statements;
pub mod terms;
