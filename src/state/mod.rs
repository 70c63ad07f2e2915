//! What a build works on, in parts: what is given ([`input`]), what the stages decide ([`marks`]), and what `budget` fills
//! ([`fill`]).
//!
//! A function takes the part that it changes as `&mut` and the others as `&`, so its signature says what it can do. A stage has
//! two halves. The half that asks ([`ask`]) has the marks as `&`, so that it can run again after each answer; the half that
//! marks cannot ask. [`view`] is all three parts, to be read.
//!
//! # Examples
//!
//! ```
//! use windrow::state::trace::Reason;
//!
//! let words = Reason::OverBudget.words(&windrow::config::ContextConfig::default());
//! assert_eq!(words, "no room left in the budget: newer, pinned or required messages filled it");
//! ```

pub mod ask;
pub mod context;
pub(crate) mod counts;
pub mod fill;
pub mod input;
pub mod marks;
pub mod ranking;
pub mod trace;
pub mod view;
