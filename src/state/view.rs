//! A read-only view of a build's whole state.

use crate::base::message::{Field, Role};
use crate::base::text::joined;
use crate::log::tool_calls::shown_fields;
use crate::recall::transcript::Transcript;
use crate::state::context::Piece;
use crate::state::fill::Fill;
use crate::state::input::Input;
use crate::state::marks::Marks;

/// The maker whose models bind their thinking to everything before it. Its notes to itself have a different name.
pub(crate) const BINDS: &str = "anthropic";

/// The whole state of a build, read-only: input, marks and fill.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The input.
    pub input: &'a Input,
    /// The stages' decisions.
    pub marks: &'a Marks,
    /// The filled prompt.
    pub fill: &'a Fill,
}

impl<'a> View<'a> {
    /// The message of a piece, if it is one.
    #[must_use]
    pub fn source(self, piece: Piece) -> Option<(&'a Transcript, usize)> {
        let transcript = &*self.input.transcript;
        match piece {
            Piece::Message(row) | Piece::Quoted(row) => Some((transcript, row)),
            Piece::Request => match (&self.input.request, self.marks.asked()) {
                (Some(request), _) => Some((request, 0)),
                (None, asked) => asked.map(|row| (transcript, row)),
            },
            Piece::Made(_) => None,
        }
    }

    /// The role of a piece's message.
    #[must_use]
    pub fn role_of(self, piece: Piece) -> Role {
        match (piece, self.source(piece)) {
            (Piece::Made(position), _) => self.fill.made[position].role,
            (_, Some((transcript, row))) => transcript.role(row),
            (_, None) => Role::User,
        }
    }

    /// True if a piece's thinking is left out, because something before it has changed and the model would reject it.
    #[must_use]
    pub fn withholds(self, piece: Piece) -> bool {
        let transcript = &self.input.transcript;
        let row = match piece {
            Piece::Message(row) | Piece::Quoted(row) => Some(row),
            Piece::Request => self.marks.asked(),
            Piece::Made(_) => None,
        };
        match (row, &self.input.bound) {
            (Some(row), Some(bound)) if self.fill.withholds => {
                transcript.role(row) == Role::Assistant
                    && bound.binary_search(&transcript.message_of(row)).is_err()
                    && transcript.values(row, Field::ReasoningOf).any(|maker| maker == BINDS)
            }
            _ => false,
        }
    }

    /// The text that replaces a piece's own, if it was shortened.
    #[must_use]
    pub fn shortened_text(self, piece: Piece) -> Option<&'a str> {
        self.fill.shortened(piece).map(|it| it.text.as_str())
    }

    /// The lines that replace a piece's first images and files, if some of them aren't shown.
    #[must_use]
    pub(crate) fn media_lines(self, piece: Piece) -> &'a [Option<String>] {
        let given = self.marks.as_given(piece);
        let hidden = match given {
            Piece::Message(row) => self.fill.media_lines.get(&row),
            _ => None,
        };
        hidden.or_else(|| self.fill.hidden_media.get(&given)).map_or(&[], Vec::as_slice)
    }

    /// The remaining text of a piece, with its parts on separate lines.
    #[must_use]
    pub fn text_of(self, piece: Piece) -> String {
        if let Some(text) = self.shortened_text(piece) {
            return text.to_owned();
        }
        match (piece, self.source(piece)) {
            (Piece::Made(position), _) => self.fill.made[position].text.clone(),
            (_, Some((transcript, row))) => {
                let fields = shown_fields(&self.input.config, transcript, row);
                let texts =
                    fields.filter(|(field, text)| *field == Field::Text && !text.is_empty());
                joined(texts.map(|(_, text)| text), "\n")
            }
            (_, None) => String::new(),
        }
    }
}
