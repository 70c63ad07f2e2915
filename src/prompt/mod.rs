//! What a prompt looks like, and what its parts cost.

pub(crate) mod border;
pub mod certainty;
pub(crate) mod form;
pub mod measure;
pub(crate) mod shorten;
