//! The binding: the only folder that knows JavaScript.
//!
//! It makes no decisions. Messages come in as columns, options as a [`Value`](crate::base::value::Value), and results
//! go out as plain objects and typed arrays. Failures leave as plain objects with a code, which the package turns into
//! errors.
#![allow(unsafe_code, reason = "the code that wasm-bindgen generates is unsafe")]

mod build;
mod crossing;
mod plan;
mod selection;
mod tokens;
mod transcript;

pub use build::{CoreBuild, default_config, reach_of};
pub use crossing::nearest_name;
pub use plan::CoreReadPlan;
pub use selection::{has_meaning, read_meaning, start_selection};
pub use tokens::{count_text, counting_of, engine_memory, is_loaded, load_vocabulary, text_buffer};
pub use transcript::{CoreTranscript, rarity_of};
