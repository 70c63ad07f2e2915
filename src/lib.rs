//! windrow builds **bounded context** for LLM chats where the conversation is: in the browser tab and the edge worker.
//!
//! Given a transcript and a budget, a build decides which messages go into the prompt, in which form, and says why. The
//! crate is the core of the npm package of the same name, and pure: no clock, no randomness, no I/O, no `async`. What a
//! build needs from outside it stops and asks for.
//!
//! # Map
//!
//! The floors of the house, bottom to top. A folder uses those before it and none after it; `npm run lint` checks that.
//!
//! - [`base`]: errors, dates, small maps, values, pieces of text.
//! - [`tokens`]: exact counts and estimates, and what media cost.
//! - [`config`]: the options, read strictly.
//! - [`log`]: messages as columns, groups of messages that belong together, conversations.
//! - [`recall`]: the index of all messages, and how well they fit a request.
//! - [`state`]: what a build works on, what it asks for, and what comes out.
//! - [`prompt`]: what a prompt looks like, and what its parts cost.
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
