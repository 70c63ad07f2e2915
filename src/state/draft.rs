//! What the stages work on: the input, what was answered, and the marks that they leave.

use crate::base::map::Map;
use crate::base::message::{Field, Role};
use crate::base::time::{Milliseconds, Zone};
use crate::config::{ContextConfig, Format, Item, Ranking, SectionKind};
use crate::log::conversations::Conversations;
use crate::log::groups::Groups;
use crate::log::tool_calls::shown_fields;
use crate::log::unread::RecalledWords;
use crate::recall::rank::reasons::Evidence;
use crate::recall::transcript::Transcript;
use crate::state::ask::{Answer, HookName, Misunderstood, Need, StageResult};
use crate::state::context::{Context, Made, Piece};
use crate::state::counts::Counts;
use crate::state::trace::{Decision, Fate, Note, NoteKind, Reason, StageName};
use crate::tokens::Encoding;
use std::rc::Rc;

/// What the stages work on: the input, what was answered, and the marks that they leave.
#[derive(Debug)]
pub struct Draft {
    /// The messages.
    pub transcript: Rc<Transcript>,
    /// The request that was given, as a transcript of one message.
    pub request: Option<Rc<Transcript>>,
    /// Whether the newest user message is the request, as none was given.
    pub takes_newest: bool,
    /// The config.
    pub config: ContextConfig,
    /// The clock.
    pub now: Milliseconds,
    /// The functions of the caller's that can be asked.
    pub hooks: Vec<HookName>,
    /// The rows, oldest first, and after them the direct messages; set by `collect`.
    pub order: Vec<usize>,
    /// What belongs together; set by `collect`.
    pub groups: Groups,
    /// By row: the time that its group is ordered by; set by `collect`.
    pub times: Vec<Option<Milliseconds>>,
    /// The vocabulary that was asked for.
    pub encoding: Option<Rc<Encoding>>,
    /// What the hook `countTokens` counted.
    pub counts: Rc<Counts>,
    /// The user's time zone; UTC until its offsets were asked for.
    pub zone: Zone,
    /// The offsets of the time zone as they were given.
    pub zone_offsets: Option<Vec<[i64; 2]>>,
    /// What the hooks answered, in the order in which they were asked, as far as it was understood.
    pub answers: Vec<Answer>,
    /// Summaries that the hook gave, by the first message of the conversation; none where it had none.
    pub summaries: Map<usize, Option<String>>,
    /// What was found for the sections that hold what fits the request, by their positions; set by `recall`.
    pub found: Map<usize, Vec<Item>>,
    /// How the older messages rank; set by `recall`, none where the newest come first.
    pub ranking: Option<Ranked>,
    /// The conversations; set by `tiers`.
    pub(crate) conversations: Option<Conversations>,
    /// Texts that stand for those of their messages, by piece.
    pub shortened: Map<Piece, String>,
    /// Whether `window.maxRecentMessages` left out what no other limit would have; set by `window`.
    pub is_capped: bool,
    /// Whether `budget` left out or shortened anything.
    pub trimmed: bool,
    /// Texts that the build made; those that are in the prompt are in `layout`.
    pub made: Vec<Made>,
    /// The prompt: its pieces in order, each with the section that it is in; set by `budget`.
    pub layout: Vec<(Piece, usize)>,
    /// What is quoted as one message, in the format `messages`: what opens it, and the messages; set by `budget`.
    pub quotes: Vec<Piece>,
    /// The result; filled by the stages.
    pub context: Context,
    /// The stage that runs.
    pub stage: StageName,
    /// The message of the transcript that fills the place of the request, where none was given; set by `collect`.
    asked: Option<usize>,
    /// By row: whether it is the request, or answers it. What answers it follows it in the prompt, and no window and no limit
    /// of the history counts it.
    is_in_turn: Vec<bool>,
    decisions: Vec<Option<Decision>>,
    /// By the row that stands for a group: how strong its claim to be kept is, and why.
    claims: Vec<Option<(Rank, Reason)>>,
}

/// How messages rank for the request.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// The newest, which come before all others as far as their share goes: newest first.
    pub newest: Vec<usize>,
    /// The messages that anything speaks for, the best first.
    pub candidates: Vec<Candidate>,
    /// What speaks for them.
    pub why: Why,
}

/// A message that ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Candidate {
    /// The one in a row.
    Row(usize),
    /// One of the log that was not read, by its place in the index.
    Unread(usize),
}

impl Candidate {
    /// Its row, where it was read.
    #[must_use]
    pub fn row(self) -> Option<usize> {
        match self {
            Self::Row(row) => Some(row),
            Self::Unread(_) => None,
        }
    }
}

/// What speaks for messages that rank.
#[derive(Clone, Debug)]
pub enum Why {
    /// What they were ranked by.
    Found(Rc<Evidence>),
    /// What was said of it when it was recorded.
    Recorded(Vec<RecalledWords>),
}

/// How strong a claim to a place in the context is. A stronger one is served first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// No limit leaves it out.
    Required,
    /// A message for the agent that the context is for.
    Direct,
    /// One of the guaranteed recent.
    Recent,
    /// Chosen by triage.
    Chosen,
    /// One of the newest that come before what is ranked, or ranked for the request.
    Recalled,
    /// What nothing speaks for but its place.
    History,
}

impl Draft {
    pub(crate) fn new(
        transcript: Rc<Transcript>,
        request: Option<Rc<Transcript>>,
        config: ContextConfig,
        now: Milliseconds,
        hooks: Vec<HookName>,
    ) -> Self {
        Self {
            decisions: vec![None; transcript.len()],
            claims: vec![None; transcript.len()],
            is_in_turn: vec![false; transcript.len()],
            asked: None,
            transcript,
            takes_newest: request.is_none(),
            request: request.filter(|request| !request.is_empty()),
            config,
            now,
            hooks,
            order: Vec::new(),
            groups: Groups::default(),
            times: Vec::new(),
            encoding: None,
            counts: Rc::default(),
            zone: Zone::default(),
            zone_offsets: None,
            answers: Vec::new(),
            summaries: Map::default(),
            found: Map::default(),
            ranking: None,
            conversations: None,
            shortened: Map::default(),
            is_capped: false,
            trimmed: false,
            made: Vec::new(),
            layout: Vec::new(),
            quotes: Vec::new(),
            context: Context::default(),
            stage: StageName::Collect,
        }
    }

    // ---- What is given ----

    /// Whether the prompt has a place for the request.
    #[must_use]
    pub fn shows_request(&self) -> bool {
        self.config.section(SectionKind::Request).is_some()
    }

    /// Whether there is a request that has a place in the prompt: one that was given, or a message that fills its place.
    #[must_use]
    pub fn has_request(&self) -> bool {
        self.shows_request() && (self.request.is_some() || self.asked.is_some())
    }

    /// Makes a message the request, where none was given, and those behind it its answers. Where one was given they answer
    /// that.
    pub(crate) fn begin_turn(&mut self, asked: usize, answers: &[usize]) {
        self.asked = Some(asked).filter(|_| self.request.is_none());
        if self.asked.is_some() {
            self.is_in_turn[asked] = true;
            self.require(asked, Reason::Request);
        }
        for row in answers {
            self.is_in_turn[*row] = true;
        }
    }

    /// Whether a message is the request, or answers it.
    #[must_use]
    #[inline]
    pub fn is_in_turn(&self, row: usize) -> bool {
        self.is_in_turn[row]
    }

    /// The last of the messages that answer the request, if any does.
    #[must_use]
    pub fn last_answer(&self) -> Option<usize> {
        let is_answer = |row: &usize| {
            self.is_in_turn(*row) && self.asked != Some(*row) && !self.is_left_out(*row)
        };
        self.order.iter().copied().rev().find(is_answer)
    }

    /// What a message of the transcript is in the prompt.
    #[must_use]
    pub fn piece(&self, row: usize) -> Piece {
        if self.asked == Some(row) { Piece::Request } else { Piece::Message(row) }
    }

    /// A piece as the caller knows it: where a message fills the place of the request, that message.
    #[must_use]
    pub fn as_given(&self, piece: Piece) -> Piece {
        match (piece, self.asked) {
            (Piece::Request, Some(row)) => Piece::Message(row),
            _ => piece,
        }
    }

    /// The text of the request, or of the newest user message where there is none.
    #[must_use]
    pub fn request_text(&self) -> String {
        let text = |transcript: &Transcript, row| {
            transcript.values(row, Field::Text).collect::<Vec<_>>().join("\n")
        };
        if let Some(request) = &self.request {
            return text(request, 0);
        }
        self.newest_user_row().map_or_else(String::new, |row| text(&self.transcript, row))
    }

    /// The hook of the caller's that can be asked, of several that would do.
    #[must_use]
    pub fn hook(&self, names: &[HookName]) -> Option<HookName> {
        names.iter().copied().find(|name| self.hooks.contains(name))
    }

    /// What a hook answered, if it was asked.
    #[must_use]
    pub fn answer_of(&self, hook: HookName) -> Option<&Answer> {
        self.answers.iter().find(|answer| answer.hook == hook)
    }

    /// What was found for a section, by its position.
    #[must_use]
    pub fn found(&self, section: usize) -> &[Item] {
        self.found.get(&section).map_or(&[], Vec::as_slice)
    }

    /// The user's time zone.
    ///
    /// # Errors
    ///
    /// Stops to ask for its offsets.
    pub fn zone(&self) -> StageResult<&Zone> {
        match &self.config.time_zone {
            Some(time_zone) if self.zone_offsets.is_none() => {
                let known = &self.config.tiers.conversations;
                let known = known.iter().flat_map(|known| [known.started_at, known.ended_at]);
                let rows = (0..self.transcript.len()).map(|row| self.transcript.time(row));
                let times = known.chain(rows).flatten().chain([self.now]);
                let (first, last) = times.fold((self.now, self.now), |(first, last), time| {
                    (first.min(time), last.max(time))
                });
                Err(Need::ZoneOffsets { time_zone: time_zone.clone(), first, last }.into())
            }
            _ => Ok(&self.zone),
        }
    }

    /// Says something about the build as a whole. Once is enough.
    pub fn note(&mut self, kind: NoteKind, words: impl Into<String>) {
        let notes = &mut self.context.trace.notes;
        if notes.iter().all(|note| note.kind != kind) {
            notes.push(Note { kind, words: words.into() });
        }
    }

    /// Keeps an answer, and notes what was not understood of it.
    pub(crate) fn keep_answer(&mut self, mut answer: Answer, misunderstood: &Misunderstood) {
        answer.finish(misunderstood);
        if let Some(what) = &answer.misunderstood {
            let words = format!("{} was understood in part: {what}", answer.hook.path());
            let kind = NoteKind::AnswerMisunderstood;
            self.context.trace.notes.push(Note { kind, words });
        }
        self.answers.push(answer);
    }

    // ---- Marks ----

    /// The rows that no stage has left out, in their order.
    #[must_use]
    pub fn open_rows(&self) -> Vec<usize> {
        self.order.iter().copied().filter(|row| !self.is_left_out(*row)).collect()
    }

    /// The last of the history's rows that no stage has left out.
    #[must_use]
    pub fn newest_open_row(&self) -> Option<usize> {
        let is_open = |row: &usize| !self.is_left_out(*row) && !self.is_in_turn(*row);
        self.order.iter().copied().rev().find(is_open)
    }

    /// The last of the user's rows that no stage has left out. Where no request is given, it stands for it.
    #[must_use]
    pub fn newest_user_row(&self) -> Option<usize> {
        let is_user =
            |row: &usize| self.transcript.role(*row) == Role::User && !self.is_left_out(*row);
        self.asked.or_else(|| self.order.iter().copied().rev().find(is_user))
    }

    /// Whether a stage has left a message out.
    #[must_use]
    #[inline]
    pub fn is_left_out(&self, row: usize) -> bool {
        self.decision(row).is_some_and(|decision| decision.fate == Fate::LeftOut)
    }

    /// Whether a message, or what goes together with it, is for the agent that the context is for.
    #[must_use]
    pub fn is_direct(&self, row: usize) -> bool {
        let has_target = |row: &usize| self.transcript.value(*row, Field::Target).is_some();
        self.config.agent_id.is_some() && self.groups.members(row).iter().any(has_target)
    }

    /// What was decided about a message.
    #[must_use]
    #[inline]
    pub fn decision(&self, row: usize) -> Option<Decision> {
        self.decisions[row]
    }

    /// Whether limits apply to a message: none has left it out, it is not required, no direct message, and of no turn.
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

    /// Whether messages are ranked for the request, rather than the newest kept.
    #[must_use]
    pub fn is_ranked(&self) -> bool {
        self.config.recall.ranking != Ranking::Recency && !self.config.tiers.enabled
    }

    /// Whether any decision is of a kind.
    #[must_use]
    pub fn has_decision(&self, is_of_kind: fn(Decision) -> bool) -> bool {
        self.decisions.iter().flatten().any(|decision| is_of_kind(*decision))
    }

    /// Requires a message, and with it what it goes together with: no limit leaves it out, and it comes first in the
    /// budget.
    pub fn require(&mut self, row: usize, reason: Reason) {
        self.claim(row, Rank::Required, reason);
    }

    /// Claims a place for a message, and for what it goes together with. The strongest claim stands, and of equal ones
    /// the first.
    pub fn claim(&mut self, row: usize, rank: Rank, reason: Reason) {
        let claim = &mut self.claims[self.groups.of(row)];
        if claim.is_none_or(|(stronger, _)| rank < stronger) {
            *claim = Some((rank, reason));
        }
    }

    /// Takes back the claims that `budget` made for ranked messages.
    pub(crate) fn forget_ranks(&mut self) {
        for claim in &mut self.claims {
            *claim = claim.filter(|(rank, _)| *rank != Rank::Recalled);
        }
    }

    /// Why a message is required, if it is.
    #[must_use]
    pub fn requirement(&self, row: usize) -> Option<Reason> {
        let claim = self.claims[self.groups.of(row)];
        claim.filter(|(rank, _)| *rank == Rank::Required).map(|(_, reason)| reason)
    }

    /// How strong a message's claim is.
    #[must_use]
    #[inline]
    pub fn rank(&self, row: usize) -> Rank {
        self.claims[self.groups.of(row)].map_or(Rank::History, |(rank, _)| rank)
    }

    /// Why a message is kept, if it is.
    #[must_use]
    pub fn reason_to_keep(&self, row: usize) -> Reason {
        let place = if self.is_in_turn(row) { Reason::Request } else { Reason::History };
        self.claims[self.groups.of(row)].map_or(place, |(_, reason)| reason)
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

    /// Gives another reason why a message is left out.
    pub(crate) fn leave_out_rather(&mut self, row: usize, reason: Reason) {
        let stage = self.stage;
        self.decisions[row] = Some(Decision { fate: Fate::LeftOut, stage, reason });
    }

    /// Leaves out a message alone: for the text formats, where a call is a text that needs no result.
    pub fn leave_out_alone(&mut self, row: usize, reason: Reason) {
        let stage = self.stage;
        self.decisions[row].get_or_insert(Decision { fate: Fate::LeftOut, stage, reason });
    }

    /// Takes back that a message was left out, and with it what it goes together with, where the reasons of that may be
    /// overruled. What a role filter left out alone stays out.
    pub fn bring_back(&mut self, row: usize, may_overrule: fn(Reason) -> bool) {
        let stays_out = |member: usize| {
            let reason = self.decisions[member].map(|decision| decision.reason);
            let is_text = self.config.render.format != Format::Messages;
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

    /// Keeps a message, whole or shortened. Only `budget` does: what is kept has been paid for.
    pub(crate) fn keep(&mut self, row: usize) {
        let reason = self.reason_to_keep(row);
        let is_cut = self.shortened.get(&self.piece(row)).is_some();
        let fate = if is_cut { Fate::Shortened } else { Fate::Kept };
        self.decisions[row] = Some(Decision { fate, stage: self.stage, reason });
    }

    /// The decisions, one a message; none unless every message has one, as it has when `budget` is done.
    #[must_use]
    pub fn decisions(&self) -> Option<Vec<Decision>> {
        self.decisions.iter().copied().collect()
    }

    // ---- Pieces ----

    /// Makes a text of the build's own; it is in the prompt once it is in the layout.
    pub fn make(&mut self, section: usize, role: Role, text: String) -> Piece {
        self.made.push(Made { section, role, text, marker: None });
        Piece::Made(self.made.len() - 1)
    }

    /// The text that stands for a piece's own, if it was shortened.
    #[must_use]
    pub fn shortened_text(&self, piece: Piece) -> Option<&str> {
        let piece = match piece {
            Piece::Quoted(row) => Piece::Message(row),
            _ => piece,
        };
        self.shortened.get(&piece).map(String::as_str)
    }

    /// The message behind a piece, if one is.
    #[must_use]
    pub fn source(&self, piece: Piece) -> Option<(&Transcript, usize)> {
        match piece {
            Piece::Message(row) | Piece::Quoted(row) => Some((&self.transcript, row)),
            Piece::Request => match (&self.request, self.asked) {
                (Some(request), _) => Some((request, 0)),
                (None, asked) => asked.map(|row| (&*self.transcript, row)),
            },
            Piece::Made(_) => None,
        }
    }

    /// A piece's text as far as it was not cut, one part below the other.
    #[must_use]
    pub fn text_of(&self, piece: Piece) -> String {
        if let Some(text) = self.shortened_text(piece) {
            return text.to_owned();
        }
        match (piece, self.source(piece)) {
            (Piece::Made(position), _) => self.made[position].text.clone(),
            (_, Some((transcript, row))) => {
                let fields = shown_fields(&self.config.filter, transcript, row);
                let texts = fields.filter(|(field, _)| *field == Field::Text);
                texts.map(|(_, text)| text).collect::<Vec<_>>().join("\n")
            }
            (_, None) => String::new(),
        }
    }
}
