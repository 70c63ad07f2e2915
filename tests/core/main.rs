//! The core as callers of the crate see it. The folders mirror `src/`.

#![cfg(not(target_family = "wasm"))]

mod machine;
mod log;
mod prompt;
mod recall;
mod stages;
mod tokens;
mod support;
mod words;
