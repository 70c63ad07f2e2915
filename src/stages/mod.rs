//! The stages of a build, in the order in which they run. Each *marks* messages and deletes none, so that a later
//! stage can bring back what an earlier one left out.

pub mod collect;
pub mod filter;
pub mod window;
pub mod budget;
pub mod render;
pub mod snapshot;
