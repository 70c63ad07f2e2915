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
    pub config: Rc<ContextConfig>,
    /// The clock.
    pub now: Milliseconds,
    /// The rows, oldest first; set by `collect`.
    pub order: Vec<usize>,
    /// What belongs together; set by `collect`.
    pub groups: Groups,
    /// How tokens are counted; none while the vocabulary is missing.
    pub counter: Option<Counter>,
    /// Texts that `budget` cut to fit, in the order of their pieces.
    pub shortened: Vec<(Piece, String)>,
    /// The result; filled by `render` and `snapshot`.
    pub context: Context,
    /// The stage that runs.
    pub stage: StageName,
    decisions: Vec<Option<Decision>>,
    is_instruction: Vec<bool>,
    /// By the row that stands for a group.
    is_pinned: Vec<bool>,
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
        let counter = config.encoding_name().is_none().then_some(Counter::Estimate);
        Self {
            decisions: vec![None; transcript.len()],
            is_instruction: vec![false; transcript.len()],
            is_pinned: vec![false; transcript.len()],
            costs: vec![Cost::default(); transcript.len() + 1],
            transcript,
            request,
            config: Rc::new(config),
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

    /// Whether a message is one of the instructions that the transcript begins with.
    #[must_use]
    pub fn is_instruction(&self, row: usize) -> bool {
        self.is_instruction[row]
    }

    /// Notes that a message is one of the instructions.
    pub fn set_instruction(&mut self, row: usize) {
        self.is_instruction[row] = true;
    }

    /// Whether a message, or one that it goes together with, is pinned.
    #[must_use]
    pub fn is_pinned(&self, row: usize) -> bool {
        self.is_pinned[self.groups.of(row)]
    }

    /// Notes that a message is pinned, and with it what it goes together with.
    pub fn set_pinned(&mut self, row: usize) {
        self.is_pinned[self.groups.of(row)] = true;
    }

    /// Leaves a message out, and with it what it goes together with.
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
        self.decisions[row] = Some(Decision { fate, stage, reason });
    }

    /// Keeps a message, whole or shortened.
    pub fn keep(&mut self, row: usize, fate: Fate, reason: Reason) {
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
        let mut shortened = self.shortened.iter();
        shortened.find(|(cut, _)| *cut == piece).map(|(_, text)| text.as_str())
    }

    /// The decisions, one a message; every message has one when the budget stage is done.
    pub fn decisions(&self) -> impl Iterator<Item = Decision> {
        self.decisions.iter().copied().flatten()
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
