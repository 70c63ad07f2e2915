//! Where the history is cut, so that the beginning of the prompt stays the same from turn to turn.
//!
//! The scale is the tokens of the log's messages, added up from its beginning and counted without calibration. The cut is a multiple
//! of a step on that scale: the first one that leaves no more behind it than the history may have. Messages behind the cut are kept
//! whole. Before it only steps of an agent's run keep their place, with stubs of their results. The messages that recall ranks best are
//! quoted after the history.
//!
//! Limit and step follow from the config and the instructions that the log begins with, and not from what sections, pinned messages
//! or the request happen to need. So every host, tab and replay cuts in the same place, and needs no state for it. The cut moves
//! further, by whole steps, only where what must be there leaves too little room.

use super::frame::Frame;
use super::packer::Packer;
use crate::base::cost::{Cost, share_of};
use crate::base::message::{Field, Role};
use crate::config::{ContextConfig, CutConfig, SectionKind};
use crate::prompt::measure::Meter;
use crate::state::ask::StageResult;
use crate::state::context::Piece;
use crate::state::fill::Fill;
use crate::state::marks::Rank;
use crate::state::trace::{Decision, Reason, StageName};
use crate::state::view::View;

/// The log's messages on the scale of their tokens.
struct Scale {
    /// The groups in their order.
    places: Vec<Place>,
    /// By the row that names a group: the tokens before it.
    starts: Vec<Option<u64>>,
    total: u64,
    /// The tokens of the instructions that the log begins with. They are not on the scale.
    instructions: u64,
    /// By row: about what it costs with a stub in the place of its result.
    stub_costs: Vec<u64>,
    /// Tokens of the results that may shrink.
    results: u64,
}

/// A group on the scale.
struct Place {
    /// The tokens before its first message.
    start: u64,
    /// Tokens of its members that are to be kept and not paid for yet.
    unpaid: u64,
    /// How many of them the history's own limit counts.
    count: u64,
}

/// The share of the limit that results before the cut have as stubs. With more of it a run shows more of the steps that it has made, and the
/// cut moves more often.
const STUB_SHARE: f64 = 0.25;

/// About how many tokens a stub costs with what is around it.
const STUB_TOKENS: u64 = 20;

impl Packer<'_> {
    /// Keeps the messages behind the cut, then quotes what is ranked. `served` are the rows that come before the ordinary history,
    /// `rest` are its own, both from the newest on. False where nothing is to be cut.
    pub(crate) fn keep_behind_cut(
        &mut self,
        frame: &Frame,
        cut: CutConfig,
        served: &[usize],
        rest: &[usize],
    ) -> StageResult<bool> {
        let scale = self.scale()?;
        let marks = self.marks;
        let border = match self.border(cut, &scale) {
            Some(border) => border,
            None if marks.passed().next().is_some() => 0,
            None => return Ok(false),
        };
        self.fill.cut = Some(border);
        let keeps_places = self.input.config.triage.keeps_places();
        let is_cut_off = |row: &usize| {
            let start = scale.starts[marks.groups.of(*row)];
            let rank = marks.rank(*row);
            let may_be = rank == Rank::History || (keeps_places && rank == Rank::Chosen);
            marks.is_passed(*row) || (may_be && start.is_some_and(|start| start < border))
        };
        let (before, behind): (Vec<usize>, Vec<usize>) =
            served.iter().chain(rest).copied().partition(is_cut_off);
        let room = self.room_of_history();
        let spent = self.remaining;
        self.keep_in_order(frame, &behind)?;
        self.keep_stubs(frame, &scale, &before)?;
        let spent = spent.minus(self.remaining);
        let earlier = self.keep_earlier_quotes()?;
        let is_of_request = |(row, _): &(usize, Piece)| marks.asked() == Some(*row);
        // The steps of a run share the quotes of its first step.
        let has_quotes = self.fill.earlier_quotes.iter().any(is_of_request);
        if let Some(ranking) = marks.ranking.as_ref().filter(|_| !has_quotes) {
            // Of a history that triage has thinned out for good, a share would be next to nothing.
            let all = if keeps_places { room.0 } else { self.sent_behind_cut(room.0, spent)? };
            let part = all.share(self.input.config.recall.max_share).minus(earlier);
            let quoted = Cost {
                tokens: part.tokens.min(self.remaining.tokens),
                chars: part.chars.min(self.remaining.chars),
            };
            let rest = self.remaining.minus(quoted);
            self.remaining = quoted;
            self.keep_ranked(frame, ranking, (all, room.1))?;
            self.remaining = self.remaining.plus(rest);
        }
        let mut is_decided = vec![false; self.input.transcript.len()];
        for row in self.fill.kept.iter().chain(self.fill.left_out.iter().map(|(row, _)| row)) {
            is_decided[*row] = true;
        }
        let gone = before.into_iter().filter(|row| !is_decided[*row] && !marks.is_passed(*row));
        self.fill.left_out.extend(gone.map(|row| (row, Reason::BeforeCut)));
        Ok(true)
    }

    /// Keeps the quotes of earlier prompts whose request is in its place, if there is room for all of them. Returns their cost.
    fn keep_earlier_quotes(&mut self) -> StageResult<Cost> {
        let (input, marks) = (self.input, self.marks);
        let Some((section, _)) = input.config.section(SectionKind::History) else {
            return Ok(Cost::default());
        };
        let mut quotes = Vec::new();
        for earlier in &input.quotes {
            let mut rows = 0..input.transcript.len();
            let row = rows.find(|row| input.transcript.message_of(*row) == earlier.before);
            let is_there =
                |row: &usize| self.fill.kept.contains(row) || marks.asked() == Some(*row);
            if let Some(row) = row.filter(is_there) {
                let piece = self.fill.make(section, Role::User, earlier.text.clone());
                quotes.push((row, piece));
            }
        }
        let pieces: Vec<Piece> = quotes.iter().map(|(_, piece)| *piece).collect();
        self.ask_for(&pieces)?;
        let cost = self.total(&pieces)?;
        if quotes.is_empty() || !cost.fits(self.remaining) {
            return Ok(Cost::default());
        }
        self.remaining = self.remaining.minus(cost);
        self.fill.earlier_quotes = quotes;
        Ok(cost)
    }

    /// Keeps the steps before the cut with stubs of their results, as far as their share goes. Those that go, go in steps too, and only when
    /// the cut moves. A message without a call isn't a step: recall brings it back.
    fn keep_stubs(&mut self, frame: &Frame, scale: &Scale, before: &[usize]) -> StageResult {
        let Some(limit) = self.stub_limit(scale) else { return Ok(()) };
        let marks = self.marks;
        let mut is_before = vec![false; self.input.transcript.len()];
        for row in before {
            is_before[*row] = !marks.is_passed(*row);
        }
        // Each group with a result, in its order, with the tokens of the stubs before it.
        let mut steps: Vec<(Vec<usize>, u64)> = Vec::new();
        let mut total = 0;
        let (mut group, mut is_step) = (None, false);
        for row in marks.order.iter().copied().filter(|row| is_before[*row]) {
            if group.replace(marks.groups.of(row)) != Some(marks.groups.of(row)) {
                let members: Vec<usize> = self.open_members(row).collect();
                let is_result =
                    |row: &usize| self.input.transcript.value(*row, Field::ResultId).is_some();
                is_step = members.iter().any(is_result);
                steps.extend(is_step.then_some((members, total)));
            }
            total += if is_step { scale.stub_costs[row] } else { 0 };
        }
        let step = (limit / 2).max(1);
        let first = total.saturating_sub(limit).div_ceil(step) * step;
        for (members, _) in steps.iter().rev().filter(|(_, start)| *start >= first) {
            self.stub(members);
            let mut remaining = self.remaining;
            if self.keep(frame, members, false, &mut remaining)?.is_some() {
                self.unshrink(members);
            }
            self.remaining = remaining;
        }
        Ok(())
    }

    /// The tokens that stubs before the cut may have. None if the log is a chat: less than half of it are results that may shrink.
    fn stub_limit(&self, scale: &Scale) -> Option<u64> {
        let shrinks = scale.results > scale.total / 2;
        let limit = most_tokens(&self.input.config)?.saturating_sub(scale.instructions);
        shrinks.then(|| share_of(limit, STUB_SHARE))
    }

    /// What the history and the quotes behind it may cost together, where the history costs `spent`. Quotes have a share of what is
    /// sent, and not of the budget: so most of every prompt repeats the one before it, also where the cut has just moved. The answers
    /// of the request do not count: with every step of a tool loop there are more, and the quotes before them must not change.
    fn sent_behind_cut(&self, room: Cost, spent: Cost) -> StageResult<Cost> {
        let marks = self.marks;
        let is_answer =
            |row: &&usize| marks.is_in_turn(**row) && marks.requirement(**row).is_none();
        let answers = self.fill.kept.iter().filter(is_answer);
        let answers: Vec<Piece> = answers.map(|row| marks.piece(*row)).collect();
        let history = spent.minus(self.total(&answers)?);
        let both = over(history.tokens, 1.0 - self.input.config.recall.max_share);
        Ok(Cost { tokens: room.tokens.min(both), ..room })
    }

    /// The place on the scale where the history is cut. None where all of it may stay.
    fn border(&self, cut: CutConfig, scale: &Scale) -> Option<u64> {
        let limit = most_tokens(&self.input.config)?.saturating_sub(scale.instructions);
        // From each group to the end: the tokens to pay for, and how many messages.
        let mut left = vec![(0, 0); scale.places.len() + 1];
        for (at, place) in scale.places.iter().enumerate().rev() {
            let (tokens, count): (u64, u64) = left[at + 1];
            left[at] = (tokens + place.unpaid, count + place.count);
        }
        let (room, items) = self.room_of_history();
        let fits = |(unpaid, count): &(u64, u64), room: u64| *unpaid <= room && *count <= items;
        if scale.total <= share_of(limit, cut.high_water) && fits(&left[0], room.tokens) {
            return None;
        }
        let is_ranked = self.marks.ranking.is_some();
        let quoted = if is_ranked { self.input.config.recall.max_share } else { 0.0 };
        let room = room.tokens.saturating_sub(share_of(room.tokens, quoted));
        let stubs = self.stub_limit(scale).unwrap_or_default();
        let room = room.saturating_sub(stubs);
        let (high, low) = cut.beside_quotes(if stubs > 0 { quoted + STUB_SHARE } else { quoted });
        let high = share_of(limit, high);
        let step = high.saturating_sub(share_of(limit, low)).max(1);
        let by_limit = scale.total.saturating_sub(high).div_ceil(step);
        // Whole steps, up to behind the last group that there is no room for.
        let by_room = match left.partition_point(|left| !fits(left, room)) {
            0 => 0,
            at => scale.places[at - 1].start / step + 1,
        };
        // The last step is there whatever it costs, so the cut is not behind it.
        let last = self.marks.last_answer();
        let last = last.and_then(|row| scale.starts[self.marks.groups.of(row)]);
        Some((by_limit.max(by_room) * step).min(last.unwrap_or(u64::MAX)))
    }

    /// Puts the log's messages on the scale. What window and triage leave out is on it too: their choice is another one with every
    /// turn, and would move what lies behind. Where triage's choice is remembered, what it has passed is gone for good.
    fn scale(&self) -> StageResult<Scale> {
        let (input, marks) = (self.input, self.marks);
        let meter = Meter::uncalibrated(input);
        let fill = Fill::default();
        let view = View { input, marks, fill: &fill };
        let rows = input.transcript.len();
        let mut scale = Scale {
            places: Vec::new(),
            starts: vec![None; rows],
            total: 0,
            instructions: 0,
            stub_costs: vec![0; rows],
            results: 0,
        };
        let mut place_of = vec![0; rows];
        let keeps_places = input.config.triage.keeps_places();
        for row in marks.order.iter().copied() {
            let is_for_good = |it: Decision| {
                it.stage <= StageName::Filter || (keeps_places && it.reason == Reason::NotChosen)
            };
            let is_never_shown = marks.is_passed(row)
                || (marks.is_left_out(row) && marks.decision(row).is_some_and(is_for_good));
            if is_never_shown || marks.rank(row) == Rank::Direct {
                continue;
            }
            let tokens = meter.cost(view, Piece::Message(row))?.tokens;
            if marks.requirement(row) == Some(Reason::Instruction) {
                scale.instructions += tokens;
                continue;
            }
            let group = marks.groups.of(row);
            if scale.starts[group].is_none() {
                scale.starts[group] = Some(scale.total);
                place_of[group] = scale.places.len();
                scale.places.push(Place { start: scale.total, unpaid: 0, count: 0 });
            }
            scale.total += tokens;
            let is_result = self.may_shrink(row);
            scale.results += if is_result { tokens } else { 0 };
            scale.stub_costs[row] = if is_result { tokens.min(STUB_TOKENS) } else { tokens };
            if marks.requirement(row).is_none() && !marks.is_left_out(row) {
                let place = &mut scale.places[place_of[group]];
                place.unpaid += tokens;
                place.count += u64::from(!marks.is_in_turn(row));
            }
        }
        Ok(scale)
    }

    /// The room that is left for the history, and how many messages it may have.
    pub(super) fn room_of_history(&self) -> (Cost, u64) {
        let room = Cost {
            tokens: self.remaining.tokens.min(self.history.cost.tokens),
            chars: self.remaining.chars.min(self.history.cost.chars),
        };
        (room, self.history.items)
    }
}

/// The amount of which `part` is a share.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of nothing is an amount without limit, and a cast ends there"
)]
fn over(part: u64, share: f64) -> u64 {
    (part as f64 / share) as u64
}

/// The most tokens that the history may have by the limits of the config: its own, and what the limits of the other sections leave
/// of the budget.
pub(crate) fn most_tokens(config: &ContextConfig) -> Option<u64> {
    let others = config.sections().iter().filter(|section| section.kind != SectionKind::History);
    let others: u64 = others.filter_map(|section| section.limit.tokens).sum();
    let all = config.budget.token_limit().map(|tokens| tokens.saturating_sub(others));
    let own = config.section(SectionKind::History).and_then(|(_, it)| it.limit.tokens);
    all.into_iter().chain(own).min()
}
