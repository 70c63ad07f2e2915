//! The stages' decisions about messages. A mark applies to a whole group, such as a tool call with its results.

use crate::base::map::Map;
use crate::base::message::{Field, Role};
use crate::base::time::Milliseconds;
use crate::config::Item;
use crate::log::conversations::Conversations;
use crate::log::groups::{self, Groups, HalfCall};
use crate::state::context::{FocusReport, Piece, RecallReport, TriageReport};
use crate::state::input::Input;
use crate::state::ranking::RankedMessages;
use crate::state::trace::{Decision, Fate, Note, NoteKind, Reason, StageName};

/// The stages' decisions.
#[derive(Debug, Default)]
pub struct Marks {
    /// The current stage.
    pub stage: StageName,
    /// The rows, oldest first, and after them the direct messages; set by `collect`.
    pub order: Vec<usize>,
    /// The groups; set by `collect`.
    pub groups: Groups,
    /// Calls that ended without a result, in the order of their rows; set by `collect`.
    pub open_calls: Vec<HalfCall>,
    /// Results without a call, in the order of their rows; set by `collect`.
    pub orphans: Vec<HalfCall>,
    /// For each row, the time that orders its group; set by `collect`.
    pub times: Vec<Option<Milliseconds>>,
    /// Instructions that the request contains as a marked user text, ascending; set by `collect`.
    pub marked: Vec<usize>,
    /// The newest message with a compaction that the request's provider accepts; set by `collect`.
    pub compaction: Option<usize>,
    /// True if `window.maxRecentMessages` alone left out a message; set by `window`.
    pub is_capped: bool,
    /// How broad recall is; set by `recall`.
    pub focus: FocusReport,
    /// True if everything fits the budget by any count; set by `recall`.
    pub fits_anyway: bool,
    /// The ranking of the older messages; set by `recall`, `None` if the newest come first.
    pub ranking: Option<RankedMessages>,
    /// The result of the search for the request; set by `recall`.
    pub recall: Option<RecallReport>,
    /// The items of sections that show matches for the request, by their positions; set by `recall`.
    pub found: Map<usize, Vec<Item>>,
    /// Decisions for later builds; set by `triage`.
    pub triage: Option<TriageReport>,
    /// The conversations; set by `tiers`.
    pub(crate) conversations: Option<Conversations>,
    /// Notes about the build as a whole.
    pub notes: Vec<Note>,
    /// The message of the transcript that serves as the request if none was passed; set by `collect`.
    asked: Option<usize>,
    /// For each row, true if it is the request or answers it. An answer follows the request in the prompt, and doesn't
    /// count toward any window or limit of the history.
    is_in_turn: Vec<bool>,
    decisions: Vec<Option<Decision>>,
    /// For each row, true if one of its sentences is forgotten and others aren't; set by `filter`. Empty if no row has
    /// one.
    forgotten: Vec<bool>,
    /// For each row, true if triage has rejected it permanently, so that it may be quoted but isn't in the history.
    /// Empty if triage rejected none.
    passed: Vec<bool>,
    /// For a group's first row, the group's claim to be kept, and the reason.
    claims: Vec<Option<(Rank, Reason)>>,
}

/// Strength of a claim to a place in the context. Stronger claims are served first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Never left out.
    Required,
    /// A message for the agent that the context is for.
    Direct,
    /// One of the guaranteed recent.
    Recent,
    /// Chosen by triage.
    Chosen,
    /// One of the newest that come before ranked messages, or ranked for the request.
    Recalled,
    /// Only its place in the history.
    History,
}

impl Marks {
    /// Empty marks for `count` messages.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self {
            decisions: vec![None; count],
            claims: vec![None; count],
            is_in_turn: vec![false; count],
            ..Self::default()
        }
    }

    // ---- The request and its answers ----

    /// True if the prompt has a place for a request: the caller's, or a message that serves as the request.
    #[must_use]
    pub fn has_request(&self, input: &Input) -> bool {
        input.shows_request() && (input.request.is_some() || self.asked.is_some())
    }

    /// Makes a message the request if the caller passed none, and the later messages its answers. Otherwise they answer
    /// the caller's request.
    pub(crate) fn begin_turn(&mut self, input: &Input, asked: usize, answers: &[usize]) {
        self.asked = Some(asked).filter(|_| input.request.is_none());
        if self.asked.is_some() {
            self.is_in_turn[asked] = true;
            self.require(asked, Reason::Request);
        }
        for row in answers {
            self.is_in_turn[*row] = true;
        }
    }

    /// True if a message is the request, or answers it.
    #[must_use]
    #[inline]
    pub fn is_in_turn(&self, row: usize) -> bool {
        self.is_in_turn[row]
    }

    /// The last message that answers the request, if there is one.
    #[must_use]
    pub fn last_answer(&self) -> Option<usize> {
        let is_answer = |row: &usize| {
            self.is_in_turn(*row) && self.asked != Some(*row) && !self.is_left_out(*row)
        };
        self.order.iter().copied().rev().find(is_answer)
    }

    /// True if the assistant has answered the request, so that nothing is asked now.
    #[must_use]
    pub fn is_answered(&self, input: &Input) -> bool {
        self.last_answer().is_some_and(|row| {
            input.transcript.role(row) == Role::Assistant && self.open_calls_of(row).is_empty()
        })
    }

    /// A transcript message's piece in the prompt.
    #[must_use]
    pub fn piece(&self, row: usize) -> Piece {
        if self.asked == Some(row) { Piece::Request } else { Piece::Message(row) }
    }

    /// Returns a piece as the caller knows it. If a message of the transcript serves as the request, it is that message.
    #[must_use]
    pub fn as_given(&self, piece: Piece) -> Piece {
        match (piece, self.asked) {
            (Piece::Request, Some(row)) => Piece::Message(row),
            _ => piece,
        }
    }

    /// The row of the message that serves as the request if none was passed.
    #[must_use]
    pub fn asked(&self) -> Option<usize> {
        self.asked
    }

    /// The words of the request, or of the newest user message without a request. Excludes the text of files, which
    /// asks nothing.
    #[must_use]
    pub fn request_text(&self, input: &Input) -> String {
        if let Some(request) = &input.request {
            return request.own_text(0);
        }
        let newest = self.newest_user_row(input);
        newest.map_or_else(String::new, |row| input.transcript.own_text(row))
    }

    /// The user's last row that no stage has left out. It serves as the request if none was passed.
    #[must_use]
    pub fn newest_user_row(&self, input: &Input) -> Option<usize> {
        let is_user =
            |row: &usize| input.transcript.role(*row) == Role::User && !self.is_left_out(*row);
        self.asked.or_else(|| self.order.iter().copied().rev().find(is_user))
    }

    // ---- Halves of calls ----

    /// The calls of a message without a result.
    #[must_use]
    pub fn open_calls_of(&self, row: usize) -> &[HalfCall] {
        groups::halves_of(&self.open_calls, row)
    }

    /// True if a row continues the row before it, and that row has no open call. The earlier row then can't be left out
    /// alone.
    #[must_use]
    pub fn goes_on(&self, row: usize) -> bool {
        self.groups.goes_on(row)
            && row.checked_sub(1).is_none_or(|before| self.open_calls_of(before).is_empty())
    }

    /// The number of a message's results whose calls have earlier ones.
    #[must_use]
    pub fn repeats_of(&self, row: usize) -> usize {
        self.groups.repeats_of(row)
    }

    /// The results of a message without a call.
    #[must_use]
    pub fn orphans_of(&self, row: usize) -> &[HalfCall] {
        groups::halves_of(&self.orphans, row)
    }

    // ---- Notes and findings ----

    /// Adds a note about the build as a whole, unless it already exists.
    pub fn note(&mut self, kind: NoteKind, words: impl Into<String>) {
        if self.notes.iter().all(|note| note.kind != kind) {
            self.notes.push(Note { kind, words: words.into() });
        }
    }

    /// The items that were found for a section, by its position.
    #[must_use]
    pub fn found(&self, section: usize) -> &[Item] {
        self.found.get(&section).map_or(&[], Vec::as_slice)
    }

    // ---- Decisions ----

    /// The rows that no stage has left out, in their order.
    #[must_use]
    pub fn open_rows(&self) -> Vec<usize> {
        self.order.iter().copied().filter(|row| !self.is_left_out(*row)).collect()
    }

    /// The history's last row that no stage has left out.
    #[must_use]
    pub fn newest_open_row(&self) -> Option<usize> {
        let is_open = |row: &usize| !self.is_left_out(*row) && !self.is_in_turn(*row);
        self.order.iter().copied().rev().find(is_open)
    }

    /// True if a stage has left a message out.
    #[must_use]
    #[inline]
    pub fn is_left_out(&self, row: usize) -> bool {
        self.decision(row).is_some_and(|decision| decision.fate == Fate::LeftOut)
    }

    /// True if a message or its group is for the agent that the context is for.
    #[must_use]
    pub fn is_direct(&self, input: &Input, row: usize) -> bool {
        let has_target = |row: &usize| input.transcript.value(*row, Field::Target).is_some();
        input.config.agent_id.is_some() && self.groups.members(row).iter().any(has_target)
    }

    /// The decision about a message.
    #[must_use]
    #[inline]
    pub fn decision(&self, row: usize) -> Option<Decision> {
        self.decisions[row]
    }

    /// True if limits apply to a message: nothing has left it out, and it is neither required, nor a direct message,
    /// nor part of the turn.
    #[must_use]
    #[inline]
    pub fn is_optional(&self, row: usize) -> bool {
        !self.is_left_out(row) && self.rank(row) > Rank::Direct && !self.is_in_turn(row)
    }

    /// The rows that limits apply to, in their order.
    #[must_use]
    pub fn optional_rows(&self) -> Vec<usize> {
        self.order.iter().copied().filter(|row| self.is_optional(*row)).collect()
    }

    /// True if any message was left out for this reason.
    #[must_use]
    pub fn has_decision(&self, is_of_kind: fn(Decision) -> bool) -> bool {
        self.decisions.iter().flatten().any(|decision| is_of_kind(*decision))
    }

    /// Requires a message and its group: no limit leaves them out, and they come first in the budget.
    pub fn require(&mut self, row: usize, reason: Reason) {
        self.claim(row, Rank::Required, reason);
    }

    /// Claims a place for a message and its group. The strongest claim wins; of equal ones, the first.
    pub fn claim(&mut self, row: usize, rank: Rank, reason: Reason) {
        let claim = &mut self.claims[self.groups.of(row)];
        if claim.is_none_or(|(stronger, _)| rank < stronger) {
            *claim = Some((rank, reason));
        }
    }

    /// Reason why a message is required, if it is.
    #[must_use]
    pub fn requirement(&self, row: usize) -> Option<Reason> {
        let claim = self.claims[self.groups.of(row)];
        claim.filter(|(rank, _)| *rank == Rank::Required).map(|(_, reason)| reason)
    }

    /// Strength of a message's claim.
    #[must_use]
    #[inline]
    pub fn rank(&self, row: usize) -> Rank {
        self.claims[self.groups.of(row)].map_or(Rank::History, |(rank, _)| rank)
    }

    /// Reason why a message is kept, if it is.
    #[must_use]
    pub fn reason_to_keep(&self, row: usize) -> Reason {
        let place = if self.is_in_turn(row) { Reason::Request } else { Reason::History };
        self.claims[self.groups.of(row)].map_or(place, |(_, reason)| reason)
    }

    /// Leaves out a message and its group. The first reason wins.
    pub fn leave_out(&mut self, row: usize, reason: Reason) {
        let stage = self.stage;
        let fate = Fate::LeftOut;
        // If it has already been left out, so has the rest of its group.
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

    /// Replaces the reason why a message is left out.
    pub(crate) fn leave_out_rather(&mut self, row: usize, reason: Reason) {
        let stage = self.stage;
        self.decisions[row] = Some(Decision { fate: Fate::LeftOut, stage, reason });
    }

    /// Leaves out only this message, for the text formats, in which calls don't need a result.
    pub fn leave_out_alone(&mut self, row: usize, reason: Reason) {
        let stage = self.stage;
        self.decisions[row].get_or_insert(Decision { fate: Fate::LeftOut, stage, reason });
    }

    /// Brings back a message and its group, if the reasons for leaving them out may be overruled. In a text format
    /// (`is_text`), other messages of the group that a role filter left out stay out.
    pub fn bring_back(&mut self, row: usize, is_text: bool, may_overrule: fn(Reason) -> bool) {
        let stays_out = |member: usize| {
            let reason = self.decisions[member].map(|decision| decision.reason);
            is_text && member != row && reason == Some(Reason::Role)
        };
        let members: Vec<usize> =
            self.groups.members(row).iter().copied().filter(|member| !stays_out(*member)).collect();
        let may = |member: usize| {
            let reason = self.decisions[member].map(|decision| decision.reason);
            member == row || reason.is_none_or(|it| it == Reason::SplitGroup || may_overrule(it))
        };
        if members.iter().all(|member| may(*member)) {
            for member in members {
                self.decisions[member] = None;
            }
        }
    }

    /// Marks a message that also has a forgotten sentence. It is kept only for its place in the conversation.
    pub fn forget(&mut self, row: usize) {
        self.forgotten.resize(self.decisions.len(), false);
        self.forgotten[row] = true;
    }

    /// True if a message may be kept for its rank: limits apply to it, and nothing in it is forgotten.
    #[must_use]
    pub fn may_be_recalled(&self, row: usize) -> bool {
        self.is_optional(row) && self.forgotten.get(row) != Some(&true)
    }

    /// Rejects a message permanently: it may be quoted for its rank, but isn't in the history.
    pub fn pass(&mut self, row: usize) {
        self.passed.resize(self.decisions.len(), false);
        self.passed[row] = true;
    }

    /// True if a message was rejected permanently.
    #[must_use]
    pub fn is_passed(&self, row: usize) -> bool {
        self.passed.get(row) == Some(&true)
    }

    /// The permanently rejected rows.
    pub fn passed(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.passed.len()).filter(|row| self.passed[*row])
    }

    /// Marks a message as kept, in one of three forms. Only `budget` calls it, because every kept message has a cost.
    pub(crate) fn keep(&mut self, row: usize, fate: Fate) {
        let reason = self.reason_to_keep(row);
        self.decisions[row] = Some(Decision { fate, stage: self.stage, reason });
    }

    /// The decisions, one per message. None until every message has one, after `budget`.
    #[must_use]
    pub fn decisions(&self) -> Option<Vec<Decision>> {
        self.decisions.iter().copied().collect()
    }
}
