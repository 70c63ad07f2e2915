//! The stages of a build, each in one file; `build` runs them in their order.

pub mod budget;
pub mod collect;
pub mod filter;
pub mod recall;
pub mod render;
pub mod snapshot;
pub mod tiers;
pub mod triage;
mod unread;
pub mod window;
