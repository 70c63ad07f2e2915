//! The core as a caller of the crate sees it. The folders are those of `src/`, and what is tested of a folder stands in the one
//! of its name.

#![cfg(not(target_family = "wasm"))]

mod machine;
mod log;
mod prompt;
mod recall;
mod stages;
mod tokens;
mod support;
mod words;
