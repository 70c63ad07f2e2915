//! All that ranks, as a table of functions: it is the larger part of the engine, and a chat that fits needs none of it.

use crate::base::message::Role;
use crate::config::Item;
use crate::recall::index::vectors::Vector;
use crate::state::ask::{Answer, Misunderstood, StageResult};
use crate::state::context::{FocusReport, Gap};
use crate::state::input::Input;
use crate::state::marks::Marks;
use crate::state::ranking::Ranked;
use crate::state::trace::NoteKind;

/// All that ranks. `Need::Ranker` asks for it, and [`RANKER`](crate::stages::recall::RANKER) is it.
#[derive(Debug)]
pub struct Ranker {
    /// Ranks the messages that limits apply to.
    pub(crate) rank: fn(&Input, &Marks, &mut Vec<(NoteKind, String)>) -> StageResult<Ranked>,
    /// What of the items of the section at a position fits a query best.
    pub(crate) find: fn(&Input, &FocusReport, usize, &str) -> Vec<Item>,
    /// The excerpt of a text; none where nothing of it can be left out. The function counts the tokens of what is left out.
    pub(crate) excerpt: fn(&str, Wanted<'_>, &dyn Fn(&str) -> u64) -> Option<Excerpt>,
    /// Remembers the vector of a text; the last argument says whether it is the request.
    pub(crate) learn: fn(&Input, &str, Vector, bool),
    /// An answer about embeddings of so many messages as far as it is used; with the request's vector, where it was given.
    pub(crate) understand_embeddings:
        fn(&Input, &Marks, usize, Option<&Vector>, &mut Answer) -> Misunderstood,
}

/// Of a long text the passages that a request is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The passages, with a mark in each gap.
    pub(crate) text: String,
    pub(crate) gaps: Vec<Gap>,
}

/// What an excerpt is made for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) request: &'a str,
    /// Whose text it is: of a tool's result its beginning, its end and its errors come in too.
    pub(crate) role: Role,
    /// About how many tokens of the text come in.
    pub(crate) tokens: u64,
}
