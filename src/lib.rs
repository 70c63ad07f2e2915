//! windrow builds **bounded context** for LLM chats where the conversation is: in the browser tab and the edge worker.
//!
//! Given a transcript and a budget, a build decides which messages go into the prompt, in which form, and says why. The
//! crate is the core of the npm package of the same name, and pure: no clock, no randomness, no I/O, no `async`. What a
//! build needs from outside it stops and asks for.
//!
//! # Map
//!
//! - [`assemble`]: the order of the stages; [`stages`] has one file for each.
//! - [`transcript`], [`groups`]: messages in order, as columns, and what belongs together.
//! - [`config`], [`value`], [`error`]: options in, strictly, and what a wrong one gets.
//! - [`draft`]: what the stages work on. `form`, [`measure`], `shorten`: what the parts of a prompt look like and cost.
//!   `guard`: what keeps contents apart from the prompt's own lines; `border`: how parts meet, so that their costs add up.
//! - [`ask`]: what a build asks of the outside, and what it is answered. `triage_text`: the prompt for a fast model.
//! - `sections`, `focus`: what sections hold, and how broad recall is.
//! - `units`, `conversations`: what windows count, and conversations within a transcript.
//! - `unread`: whether what was read of a log decides the context.
//! - `history`, `tiered`: how much of the history fits, and which conversations. `gap`: what is left out, in a line.
//! - [`recall`]: the index of all messages, and how well they fit a request.
//! - [`time`], [`map`]: dates and time zones, small maps.
//! - [`tokens`]: exact counts and estimates, and what media costs. [`certainty`]: how sure a count is.
//! - [`context`], [`trace`]: the result, and what became of every message.
#![cfg_attr(not(target_family = "wasm"), forbid(unsafe_code))]

pub mod assemble;
pub mod stages;

pub mod ask;
pub mod certainty;
pub mod draft;
mod conversations;
mod focus;
mod form;
mod gap;
mod border;
mod guard;
mod history;
pub mod measure;
mod sections;
mod shorten;
mod tiered;
mod tool_calls;
mod triage_text;
mod units;
mod unread;

pub mod config;
pub mod context;
pub mod error;
pub mod groups;
pub mod map;
pub mod recall;
pub mod time;
pub mod tokens;
pub mod trace;
pub mod transcript;
pub mod value;

#[cfg(target_family = "wasm")]
pub mod wasm;

#[cfg(test)]
#[path = "../tests/reference/mod.rs"]
mod reference;
