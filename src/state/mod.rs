//! What a build works on: what is given, what the stages decide, what `budget` fills, and what comes out.

pub mod ask;
pub mod context;
pub(crate) mod counts;
pub mod draft;
pub mod trace;
