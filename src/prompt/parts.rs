//! The parts of a prompt that have a cost.

use crate::base::few::Few;
use crate::base::json::json_length;
use crate::base::message::Role;
use crate::config::{ContextConfig, Provider};
use crate::tokens::Family;
use std::borrow::Cow;

/// The bytes of JSON around a part or a message for its kind, role and place: at least as many as in any provider's
/// body.
pub(super) const PART_BYTES: u64 = 160;

/// The fields of a prompt's part that determine its cost.
#[derive(Debug, Default)]
pub(crate) struct Parts<'a> {
    /// Tokens that don't come from a text.
    pub flat_tokens: u64,
    /// Bytes of the JSON without the visible texts: at least as many as in any provider's body.
    pub flat_bytes: u64,
    /// Texts that also count as characters.
    pub(super) visible: Few<Cow<'a, str>>,
    /// Texts that count only as tokens: roles, names, tool calls.
    pub(super) hidden: Few<Cow<'a, str>>,
}

impl Parts<'_> {
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.visible.iter().chain(self.hidden.iter()).map(AsRef::as_ref)
    }

    /// Adds the cost of a chat message besides its content. It depends on how the model's maker formats messages.
    pub(super) fn add_envelope(&mut self, config: &ContextConfig, family: Family, role: Role) {
        let joins_instructions = config.render.provider.is_some_and(|provider| {
            matches!(provider, Provider::OpenaiResponses | Provider::AiSdk)
                || provider.joins_texts()
        });
        let is_beside = matches!(family, Family::Claude(_)) && role.is_instruction();
        if joins_instructions
            && role.is_instruction()
            && (is_beside || config.budget.per_message() == 0)
        {
            self.hidden.push("\n\n".into()); // between it and the one before it
        }
        if is_beside {
            return; // it comes before all messages, and isn't part of one
        }
        self.flat_tokens = self.flat_tokens.saturating_add(config.budget.per_message());
        match family.role_marks(role) {
            Some(tokens) => self.flat_tokens = self.flat_tokens.saturating_add(tokens),
            None => self.hidden.push(role.as_str().into()),
        }
    }

    /// The bytes of the JSON that is sent, without images and files.
    pub(crate) fn bytes(&self) -> u64 {
        let texts = self.visible.iter().map(|text| PART_BYTES + json_length(text));
        texts.fold(self.flat_bytes, u64::saturating_add)
    }

    pub(crate) fn chars(&self) -> u64 {
        self.visible.iter().map(|text| text.chars().count() as u64).sum()
    }
}
