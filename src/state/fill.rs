//! The filled prompt: its pieces, and the messages in it. The stage `budget` fills it.

use crate::base::map::Map;
use crate::base::message::Role;
use crate::log::totals::Total;
use crate::state::context::{
    CompactReport, ConversationReport, Gap, MadeText, MediaLines, Piece, SectionReport,
};
use crate::state::trace::Reason;
use std::rc::Rc;

/// A text that replaces a piece's own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShortenedText {
    /// The text.
    pub text: String,
    /// Positions of the truncation markers in the text. Each marker is a line.
    pub markers: Vec<usize>,
}

impl ShortenedText {
    /// Adds a part on a new line.
    pub(crate) fn add_line(&mut self, part: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(part);
    }

    /// Indents the line after each marker.
    pub(crate) fn indent_after_markers(&mut self, width: usize) {
        for start in self.markers.iter().rev() {
            if let Some(length) = self.text[*start..].find('\n') {
                self.text.insert_str(start + length + 1, &" ".repeat(width));
            }
        }
    }
}

impl From<String> for ShortenedText {
    fn from(text: String) -> Self {
        Self { text, markers: Vec::new() }
    }
}

/// The summary that replaces messages that the cut leaves out.
#[derive(Clone, Debug, Default)]
pub struct Compaction {
    /// The summary, for this build and the next one.
    pub report: CompactReport,
    /// The summary's piece, and the row after it; no row if it comes after all of them. None if nothing of it is shown.
    pub place: Option<(Option<usize>, Piece)>,
    /// Why an answer was rejected.
    pub refused: Option<&'static str>,
}

/// The filled prompt. `budget` fills it from scratch each time it runs.
#[derive(Clone, Debug, Default)]
pub struct Fill {
    /// Texts that the build made. `layout` has those that are in the prompt.
    pub made: Vec<MadeText>,
    /// For each piece, the text that replaces its message's.
    pub shortened: Map<Piece, ShortenedText>,
    /// The kept rows that are excerpts, with the omissions in each.
    pub excerpts: Map<usize, Vec<Gap>>,
    /// The rows that are stubs: a line says how much is left out. Stubs are excerpts too.
    pub stubs: Vec<usize>,
    /// For each row, the lines that replace images and files that don't fit.
    pub media_lines: Map<usize, MediaLines>,
    /// For each piece, the lines that replace images and files that are too many or too large for the request.
    pub hidden_media: Rc<Map<Piece, MediaLines>>,
    /// The kept rows.
    pub kept: Vec<usize>,
    /// Quotes of earlier prompts that stay, each with the row after it.
    pub earlier_quotes: Vec<(usize, Piece)>,
    /// The summary of the messages that the cut leaves out.
    pub compact: Option<Compaction>,
    /// The other rows, each with its reason.
    pub left_out: Vec<(usize, Reason)>,
    /// For each group that was kept for its rank: one of its rows, and the reason.
    pub recalled: Vec<(usize, Reason)>,
    /// The kept rows that are quoted.
    pub quoted: Vec<usize>,
    /// The place of the cut, in tokens from the log's beginning. None if the history isn't cut.
    pub cut: Option<u64>,
    /// Tokens of all messages before the tail, as the cut adds them up. None if everything was read or nothing is cut.
    pub unread_total: Option<Total>,
    /// True if anything was left out or shortened.
    pub is_trimmed: bool,
    /// The prompt: its pieces in order, each with its section.
    pub layout: Vec<(Piece, usize)>,
    /// The quotes that make one message in the format `messages`: the line that opens them, and the messages.
    pub quotes: Vec<Piece>,
    /// The contents of the sections other than history and request.
    pub sections: Vec<SectionReport>,
    /// True if thinking that the model would refuse is left out; see
    /// [`Input::bound`](crate::state::input::Input::bound).
    pub withholds: bool,
    /// The conversations in the order of the context.
    pub conversations: Vec<ConversationReport>,
}

impl Fill {
    /// Adds a text that the build made. It is in the prompt once it is in the layout.
    pub fn make(&mut self, section: usize, role: Role, text: String) -> Piece {
        self.made.push(MadeText { section, role, text, marker: None });
        Piece::Made(self.made.len() - 1)
    }

    /// The text that replaces a piece's own, if it was shortened.
    #[must_use]
    pub fn shortened(&self, piece: Piece) -> Option<&ShortenedText> {
        let piece = match piece {
            Piece::Quoted(row) => Piece::Message(row),
            _ => piece,
        };
        self.shortened.get(&piece)
    }
}
