//! The parts of a build's data: its input ([`input`]), the stages' decisions ([`marks`]), and the filled prompt
//! ([`fill`]).
//!
//! A function takes the part that it changes as `&mut` and the others as `&`, so its signature shows its effects. A
//! stage has two halves. The half that asks ([`ask`]) has the marks as `&`, so that it can run again after each answer.
//! The half that marks can't ask. [`view`] is all three parts, read-only.
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
