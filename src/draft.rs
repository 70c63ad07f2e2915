//! What the stages work on: the input, the marks that they leave, and how a stage ends.

use crate::config::ContextConfig;
use crate::context::{Context, Cost, Piece};
use crate::groups::Groups;
use crate::time::Milliseconds;
use crate::tokens::{Counter, EncodingName};
use crate::trace::{Decision, Fate, Reason, StageName};
use crate::transcript::Transcript;
use std::rc::Rc;

/// How a stage ends.
#[derive(Debug)]
pub enum Flow {
    /// It is done; the next one follows.
    Next,
    /// It needs something from outside, and runs again when it is there.
    Ask(Need),
}

/// Something from outside the core that a build cannot go on without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The vocabulary of an encoding, to count exactly.
    Encoding(EncodingName),
}

/// What the stages work on: the input, and the marks that they leave.
#[derive(Debug)]
pub struct Draft {
    /// The messages.
    pub transcript: Rc<Transcript>,
    /// The request, as a transcript of one message.
    pub request: Option<Rc<Transcript>>,
    /// The config.
    pub config: ContextConfig,
    /// The clock.
    pub now: Milliseconds,
    /// The rows, oldest first; set by `collect`.
    pub order: Vec<usize>,
    /// What belongs together; set by `collect`.
    pub groups: Groups,
    /// How tokens are counted, or what must be answered first.
    pub counter: Result<Counter, Need>,
    /// Texts that `budget` cut to fit, in the order of their pieces.
    pub shortened: Vec<(Piece, String)>,
    /// The result; filled by `render` and `snapshot`.
    pub context: Context,
    /// The stage that runs.
    pub stage: StageName,
    decisions: Vec<Option<Decision>>,
    /// By the row that stands for a group: why it is required.
    requirements: Vec<Option<Reason>>,
    /// What each message costs, and after the last one the request.
    costs: Vec<Cost>,
}

impl Draft {
    pub(crate) fn new(
        transcript: Rc<Transcript>,
        request: Option<Rc<Transcript>>,
        config: ContextConfig,
        now: Milliseconds,
    ) -> Self {
        let counter = config
            .encoding_name()
            .map_or(Ok(Counter::Estimate), |encoding| Err(Need::Encoding(encoding)));
        Self {
            decisions: vec![None; transcript.len()],
            requirements: vec![None; transcript.len()],
            costs: vec![Cost::default(); transcript.len() + 1],
            transcript,
            request,
            config,
            now,
            order: Vec::new(),
            groups: Groups::default(),
            counter,
            shortened: Vec::new(),
            context: Context::default(),
            stage: StageName::Collect,
        }
    }

    /// The rows that no stage has left out, oldest first.
    #[must_use]
    pub fn open_rows(&self) -> Vec<usize> {
        self.order.iter().copied().filter(|row| !self.is_left_out(*row)).collect()
    }

    /// Whether a stage has left a message out.
    #[must_use]
    pub fn is_left_out(&self, row: usize) -> bool {
        self.decisions[row].is_some_and(|decision| decision.fate == Fate::LeftOut)
    }

    /// Whether it is decided what becomes of a message.
    #[must_use]
    pub fn is_decided(&self, row: usize) -> bool {
        self.decisions[row].is_some()
    }

    /// The rows that no stage has left out, and that are not required.
    #[must_use]
    pub fn optional_rows(&self) -> Vec<usize> {
        let mut rows = self.open_rows();
        rows.retain(|row| self.requirement(*row).is_none());
        rows
    }

    /// Requires a message, and with it what it goes together with: no limit leaves it out, and it comes first in the
    /// budget. The first reason stands.
    pub fn require(&mut self, row: usize, reason: Reason) {
        self.requirements[self.groups.of(row)].get_or_insert(reason);
    }

    /// Why a message is required, if it is.
    #[must_use]
    pub fn requirement(&self, row: usize) -> Option<Reason> {
        self.requirements[self.groups.of(row)]
    }

    /// Leaves a message out, and with it what it goes together with. The first reason stands.
    pub fn leave_out(&mut self, row: usize, reason: Reason) {
        let stage = self.stage;
        let fate = Fate::LeftOut;
        // Where it is out already, so is the rest of its group.
        if !self.is_left_out(row) {
            for member in self.groups.members(row) {
                let reason = Reason::SplitGroup;
                self.decisions[*member].get_or_insert(Decision { fate, stage, reason });
            }
        }
        let decision = &mut self.decisions[row];
        if decision.is_none_or(|decision| decision.reason == Reason::SplitGroup) {
            *decision = Some(Decision { fate, stage, reason });
        }
    }

    /// Keeps a message, whole or shortened. Only `budget` does: what is kept has been paid for.
    pub(crate) fn keep(&mut self, row: usize, fate: Fate, reason: Reason) {
        self.decisions[row] = Some(Decision { fate, stage: self.stage, reason });
    }

    /// Notes what a piece costs in the context.
    pub fn set_cost(&mut self, piece: Piece, cost: Cost) {
        let position = self.cost_position(piece);
        self.costs[position] = cost;
    }

    /// What a piece costs in the context; nothing if it is not in it.
    #[must_use]
    pub fn cost(&self, piece: Piece) -> Cost {
        self.costs[self.cost_position(piece)]
    }

    fn cost_position(&self, piece: Piece) -> usize {
        match piece {
            Piece::Message(row) => row,
            Piece::Request => self.transcript.len(),
        }
    }

    /// The text that stands for a piece's own, if it was shortened.
    #[must_use]
    pub fn shortened_text(&self, piece: Piece) -> Option<&str> {
        let found = self.shortened.binary_search_by_key(&piece, |(cut, _)| *cut);
        found.ok().map(|position| self.shortened[position].1.as_str())
    }

    /// The decisions, one a message; none unless every message has one, as it has when `budget` is done.
    #[must_use]
    pub fn decisions(&self) -> Option<Vec<Decision>> {
        self.decisions.iter().copied().collect()
    }

    /// The pieces of the prompt in their order: what was kept, oldest first, then the request.
    #[must_use]
    pub fn pieces(&self) -> Vec<Piece> {
        let kept = self.open_rows().into_iter().map(Piece::Message);
        kept.chain(self.request.as_ref().map(|_| Piece::Request)).collect()
    }

    /// The message behind a piece.
    #[must_use]
    pub fn source(&self, piece: Piece) -> (&Transcript, usize) {
        match (piece, &self.request) {
            (Piece::Message(row), _) => (&self.transcript, row),
            (Piece::Request, Some(request)) => (request, 0),
            (Piece::Request, None) => unreachable!("a request piece exists only with a request"),
        }
    }
}
