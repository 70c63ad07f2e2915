//! What a part of a prompt is made of.

use std::borrow::Cow;

/// What a part of a prompt is made of, as far as its cost goes.
#[derive(Debug, Default)]
pub(crate) struct Parts<'a> {
    /// Tokens that are counted without a text.
    pub flat_tokens: u64,
    /// Texts that count as characters too.
    pub(super) visible: Vec<Cow<'a, str>>,
    /// Texts that are tokens only: roles, names, tool calls.
    pub(super) hidden: Vec<Cow<'a, str>>,
}

impl Parts<'_> {
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.visible.iter().chain(&self.hidden).map(AsRef::as_ref)
    }

    pub(crate) fn chars(&self) -> u64 {
        self.visible.iter().map(|text| text.chars().count() as u64).sum()
    }
}
