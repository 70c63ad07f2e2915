//! The parts of a prompt that have a cost.

use crate::base::few::Few;
use crate::base::json::{json_length, to_json};
use crate::base::message::Role;
use crate::config::{ContextConfig, Provider};
use crate::prompt::tools::ToolText;
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
    /// True if the visible texts count as JSON strings.
    pub(super) is_escaped: bool,
    /// The roles of the first and of the last message that they begin, if any.
    pub(super) first_role: Option<Role>,
    pub(super) last_role: Option<Role>,
    /// Texts that count only as tokens: roles, names, tool calls.
    pub(super) hidden: Few<Cow<'a, str>>,
}

impl<'a> Parts<'a> {
    pub(crate) fn texts(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let visible = self.visible.iter().map(|text| {
            if self.is_escaped { to_json(text.as_ref()).into() } else { Cow::from(text.as_ref()) }
        });
        visible.chain(self.hidden.iter().map(|text| text.as_ref().into()))
    }

    /// Adds the cost of a chat message besides its content. It depends on how the model's maker formats messages.
    pub(super) fn add_envelope(&mut self, config: &ContextConfig, family: Family, role: Role) {
        self.first_role = self.first_role.or(Some(role));
        self.last_role = Some(role);
        let joins_instructions = config.render.provider.is_some_and(Provider::joins_instructions);
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
        match config.template(family).map_or(Err(role.as_str()), |it| it.role(role)) {
            Ok(tokens) => self.flat_tokens = self.flat_tokens.saturating_add(tokens),
            Err(word) => self.hidden.push(word.into()),
        }
    }

    /// Adds the cost of tools, of a call or of a result.
    pub(super) fn add_tool(&mut self, tool: ToolText<'a>) {
        self.flat_tokens = self.flat_tokens.saturating_add(tool.flat_tokens);
        self.hidden.extend(tool.texts);
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
