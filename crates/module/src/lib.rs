//! The WebAssembly module of the npm package: the core with its binding, linked for speed.
//!
//! Link-time optimization follows the level of the crate that is linked, whatever level the others have. So this crate
//! has no code and is built for speed. The core's functions stay small, because they keep the level of their crate.

pub use windrow::*;
