//! Function table of the ranking module, the lazily loaded half of the engine: ranking, triage, tiers and the cut.
//! Chats that fit and use neither triage nor tiers never load it.

use super::budget::frame::Frame;
use super::budget::packer::{Packer, Shrunk};
use super::budget::tiered::Shape;
use super::triage::choice::Choice;
use crate::base::cost::Cost;
use crate::config::{CutConfig, Item, TriageDecisions};
use crate::log::conversations::Conversations;
use crate::log::unread::RecalledWords;
use crate::recall::index::vectors::Vector;
use crate::recall::rank::reasons::Evidence;
use crate::state::ask::{Answer, Misunderstood, Need, StageResult, SummaryWanted, TriageUnit};
use crate::state::context::{FocusReport, Piece};
use crate::state::input::Input;
use crate::state::marks::Marks;
use crate::state::ranking::RankedMessages;
use crate::state::trace::NoteKind;
use std::ops::Range;

/// The ranking module. [`Need::Selection`] asks for it, and [`SELECTION`](crate::machine::selection::SELECTION) is the
/// answer.
#[allow(clippy::type_complexity, reason = "a function table has the signatures as they are")]
#[derive(Debug)]
pub struct Selection {
    /// Ranks the messages that limits apply to.
    pub(crate) rank:
        fn(&Input, &Marks, &mut Vec<(NoteKind, String)>) -> StageResult<RankedMessages>,
    /// The parts of a section's items that match a query best. The section is given by its position.
    pub(crate) find: fn(&Input, &FocusReport, usize, &str) -> Vec<Item>,
    /// Lets a model choose the older messages that matter, in addition to earlier builds' decisions.
    pub(crate) triage: fn(&Input, &Marks, Option<TriageDecisions>) -> StageResult<Choice>,
    /// Finds the conversations, and decides how much of each is shown.
    pub(crate) tiers: fn(&Input, &Marks) -> StageResult<Conversations>,
    /// Keeps the best-ranked groups within a room.
    pub(crate) keep_ranked:
        fn(&mut Packer<'_>, &Frame, &RankedMessages, (Cost, u64)) -> StageResult,
    /// Keeps messages after the cut, and quotes ranked ones.
    pub(crate) keep_behind_cut:
        fn(&mut Packer<'_>, &Frame, CutConfig, &[usize], &[usize]) -> StageResult<bool>,
    /// Shrinks the results of the last step, because the required pieces don't fit with them whole.
    pub(crate) shrink_last: fn(&mut Packer<'_>, &[Piece], Cost) -> StageResult<Shrunk>,
    /// The user's own words in a text, the most important first.
    pub(crate) own_words: fn(&str) -> Vec<Range<usize>>,
    /// Finds the newest results, and their initial size.
    pub(crate) begin_results: fn(&mut Packer<'_>) -> StageResult,
    /// Shows the results of a group in their initial size, or as stubs if the last argument is true.
    pub(crate) shrink: fn(&mut Packer<'_>, &[usize], bool),
    /// The results that a model asked for again, the newest first.
    pub(crate) asked_again: fn(&Packer<'_>) -> Vec<usize>,
    /// Shows the results among some rows whole, in their order, until one of them has no room.
    pub(crate) grow_some: fn(&mut Packer<'_>, &[usize]) -> StageResult,
    /// Fills the remaining room with more of the ranked messages and of the kept results.
    pub(crate) fill_up: fn(&mut Packer<'_>, &Frame, Option<&RankedMessages>) -> StageResult,
    /// The conversations in the form that is shown if they fit.
    pub(crate) shapes: fn(&mut Packer<'_>) -> Vec<Shape>,
    /// Keeps the conversations that fit.
    pub(crate) keep_conversations:
        fn(&mut Packer<'_>, &Frame, Vec<Shape>) -> StageResult<Vec<Piece>>,
    /// Reasons why messages were recalled.
    pub(crate) recalled: fn(&Evidence, &[usize]) -> Vec<RecalledWords>,
    /// The usable part of triage's answer.
    pub(crate) understand_triage: fn(&[TriageUnit], &mut Answer) -> Misunderstood,
    /// The usable part of an answer with summaries of conversations. The number is the maximum length of a summary in
    /// characters.
    pub(crate) understand_summaries: fn(&[SummaryWanted], u64, &mut Answer) -> Misunderstood,
    /// Remembers the vector of a text. The last argument is true for the request.
    pub(crate) learn: fn(&Input, &str, Vector, bool),
    /// The usable part of an answer about the embeddings of a number of messages. Takes the request's vector, if known.
    pub(crate) understand_embeddings:
        fn(&Input, &Marks, usize, Option<&Vector>, &mut Answer) -> Misunderstood,
}

/// The ranking module, if it was provided.
pub(crate) type GivenSelection = Option<&'static Selection>;

/// The ranking module.
///
/// # Errors
///
/// Stops to ask for it.
pub(crate) fn needed(given: GivenSelection) -> StageResult<&'static Selection> {
    given.ok_or_else(|| Need::Selection.into())
}
