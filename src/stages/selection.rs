//! All that selects among messages where not all fit, or where a model or conversations decide, as a table of functions: it is the
//! larger part of the engine, and a chat that fits needs none of it. A host loads it when it is first needed.

use super::budget::frame::Frame;
use super::budget::packer::Packer;
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

/// All that selects. [`Need::Selection`] asks for it, and [`SELECTION`](crate::machine::selection::SELECTION) is it.
#[allow(clippy::type_complexity, reason = "a table of functions names each as it is")]
#[derive(Debug)]
pub struct Selection {
    /// Ranks the messages that limits apply to.
    pub(crate) rank:
        fn(&Input, &Marks, &mut Vec<(NoteKind, String)>) -> StageResult<RankedMessages>,
    /// What of the items of the section at a position fits a query best.
    pub(crate) find: fn(&Input, &FocusReport, usize, &str) -> Vec<Item>,
    /// Chooses the older messages that matter, by a model, beyond what earlier builds have decided.
    pub(crate) triage: fn(&Input, &Marks, Option<TriageDecisions>) -> StageResult<Choice>,
    /// Tells conversations apart, and how much of each is shown.
    pub(crate) tiers: fn(&Input, &Marks) -> StageResult<Conversations>,
    /// Keeps of a room what ranks best.
    pub(crate) keep_ranked:
        fn(&mut Packer<'_>, &Frame, &RankedMessages, (Cost, u64)) -> StageResult,
    /// Keeps the messages behind the cut, and quotes what is ranked.
    pub(crate) keep_behind_cut:
        fn(&mut Packer<'_>, &Frame, CutConfig, &[usize], &[usize]) -> StageResult<bool>,
    /// Shrinks the results of the last step if the required pieces don't fit with them. Returns the cost of these, if they fit then.
    pub(crate) shrink_last: fn(&mut Packer<'_>, &[Piece], Cost) -> StageResult<Option<Cost>>,
    /// The user's own words in a text, those first that should stay.
    pub(crate) own_words: fn(&str) -> Vec<Range<usize>>,
    /// Finds the newest results, and the size that they begin with.
    pub(crate) begin_results: fn(&mut Packer<'_>) -> StageResult,
    /// Shows the results of a group in the size that they begin with, or as stubs if the last argument is true.
    pub(crate) shrink: fn(&mut Packer<'_>, &[usize], bool),
    /// Lets the kept results grow into the room that is left.
    pub(crate) grow_results: fn(&mut Packer<'_>) -> StageResult,
    /// The conversations as they are shown if they fit.
    pub(crate) shapes: fn(&mut Packer<'_>) -> Vec<Shape>,
    /// Keeps conversations as far as they fit.
    pub(crate) keep_conversations:
        fn(&mut Packer<'_>, &Frame, Vec<Shape>) -> StageResult<Vec<Piece>>,
    /// Why messages were recalled.
    pub(crate) recalled: fn(&Evidence, &[usize]) -> Vec<RecalledWords>,
    /// An answer of triage as far as it is used.
    pub(crate) understand_triage: fn(&[TriageUnit], &mut Answer) -> Misunderstood,
    /// Summaries of conversations as far as they are used, of at most so many characters.
    pub(crate) understand_summaries: fn(&[SummaryWanted], u64, &mut Answer) -> Misunderstood,
    /// Remembers the vector of a text; the last argument says whether it is the request.
    pub(crate) learn: fn(&Input, &str, Vector, bool),
    /// An answer about embeddings of so many messages as far as it is used; with the request's vector, where it was given.
    pub(crate) understand_embeddings:
        fn(&Input, &Marks, usize, Option<&Vector>, &mut Answer) -> Misunderstood,
}

/// All that selects, where it was asked for.
pub(crate) type GivenSelection = Option<&'static Selection>;

/// All that selects.
///
/// # Errors
///
/// Stops to ask for it.
pub(crate) fn needed(given: GivenSelection) -> StageResult<&'static Selection> {
    given.ok_or_else(|| Need::Selection.into())
}
