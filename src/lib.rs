//! windrow builds **bounded context** for LLM chats right next to the conversation: in the browser tab and the edge
//! worker.
//!
//! Given a transcript and a budget, a build decides which messages go into the prompt, chooses their form, and says
//! why. The crate is the core of the npm package of the same name, and pure: no clock, no randomness, no I/O, no
//! `async`. If a build needs something from outside, it stops and asks.
//!
//! # Map
//!
//! The layers, bottom to top. A folder uses only folders before it, which `npm run lint` checks.
//!
//! - [`base`]: errors, dates, small maps, values, pieces of text.
//! - [`tokens`]: exact counts and estimates, and the costs of media.
//! - [`config`]: the options, read strictly.
//! - [`log`]: messages as columns, groups of messages that belong together, conversations.
//! - [`recall`]: the index of all messages, and their relevance to a request.
//! - [`state`]: the data, the questions and the result of a build.
//! - [`prompt`]: the forms of a prompt, and the costs of its parts.
//! - [`stages`]: the stages of a build, one file or folder for each.
//! - [`machine`]: the order of the stages, and how a build stops and asks.
//! - `wasm`: the binding, the only folder that knows JavaScript.
#![cfg_attr(not(target_family = "wasm"), forbid(unsafe_code))]

pub mod base;
pub mod config;
pub mod log;
pub mod machine;
pub mod prompt;
pub mod recall;
pub mod stages;
pub mod state;
pub mod tokens;

#[cfg(target_family = "wasm")]
pub mod wasm;

#[cfg(test)]
#[path = "../tests/reference/mod.rs"]
mod reference;
