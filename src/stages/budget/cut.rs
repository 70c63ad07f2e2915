//! Cuts the history so that the beginning of the prompt stays the same from turn to turn.
//!
//! The scale is the running total of the messages' tokens, from the beginning of the log, counted without calibration.
//! Each time the log outgrows its room, the cut moves on. In a chat, it moves to the first multiple of a step on the
//! scale that leaves no more after it than the history may have. An agent's run is a log with more tokens in results
//! than in anything else. There, the cut moves on until little of the run is still whole. A log turns into a run or a
//! chat only when its cut moves, so that nothing before the cut changes between two moves. Messages after the cut are
//! kept whole. Before it, only the steps of a run stay, with stubs of their results. The messages that recall ranks
//! best are quoted after the history.
//!
//! All this depends only on the log, the config and the log's initial instructions. Sections, pinned messages and the
//! request don't move the cut as long as they leave enough room. So every host, tab and replay cuts in the same place,
//! without any state. The cut moves further, by whole steps, only if the required pieces leave too little room.

use super::frame::Frame;
use super::packer::Packer;
use super::totals;
use crate::base::cost::{Cost, share_of};
use crate::base::message::Role;
use crate::config::{ContextConfig, CutConfig, SectionKind};
use crate::log::plan::Wanted;
use crate::log::totals::Total;
use crate::prompt::measure::Meter;
use crate::state::ask::{MarkResult, StageResult};
use crate::state::context::Piece;
use crate::state::fill::Fill;
use crate::state::marks::Rank;
use crate::state::trace::{Decision, Reason, StageName};
use crate::state::view::View;

/// The log's messages on the scale of their tokens.
struct Scale {
    /// The groups in their order.
    places: Vec<Place>,
    /// For a group's first row, the tokens before it.
    starts: Vec<Option<u64>>,
    total: u64,
    /// The tokens of the log's initial instructions, which aren't on the scale.
    instructions: u64,
    /// For each row, its approximate cost with a stub instead of its result.
    stub_costs: Vec<u64>,
    /// Tokens of the messages that are required.
    required: u64,
    /// The tokens up to the last message after which the log could have been a run. 0 if it has always been a chat.
    run_end: u64,
}

/// A group on the scale.
struct Place {
    /// The tokens before its first message.
    start: u64,
    /// Tokens of its members that should be kept and aren't paid for yet.
    unpaid: u64,
    /// Number of its members that count toward the history's own limit.
    count: u64,
    /// The approximate cost of its members with stubs instead of their results.
    stub_cost: u64,
    /// Tokens of its results that may shrink.
    results: u64,
}

/// The room for a log on the scale, as a chat and as an agent's run.
#[derive(Clone, Copy, Debug)]
struct Rooms {
    /// Maximum number of tokens after the cut of a chat.
    chat_tokens: u64,
    /// The distance between two possible cuts of a chat.
    chat_step: u64,
    /// Maximum number of tokens after the cut of a run, plus those of the stubs before it.
    run_tokens: u64,
    /// Maximum number of tokens after the cut of a run when it has just moved.
    whole_tokens: u64,
    /// Maximum number of tokens of the stubs before the cut of a run.
    stub_tokens: u64,
}

/// A cut on the scale.
#[derive(Clone, Copy)]
struct Border {
    /// The tokens before it.
    start: u64,
    /// Maximum number of tokens of the stubs before it. None if the log is a chat.
    stub_limit: Option<u64>,
}

/// Walks along the log's running total of tokens, and moves the cut each time the log outgrows its room.
struct Walk {
    border: Border,
    /// The first group after the cut.
    first: usize,
    /// The tokens of all stubs before the cut.
    stubs: u64,
}

/// Maximum share of the limit for steps before the cut, with stubs of their results. A larger share shows more of a
/// run's earlier steps, and moves the cut more often. Runs of a coding agent and airline runs keep the most identifiers
/// for the next call at 0.6 to 0.8.
const STUB_SHARE: f64 = 0.6;

/// The share of the limit that is still whole after the cut of a run has moved. With a smaller share the cut moves less
/// often and more of each prompt repeats the previous one, but results become stubs earlier. Both kinds of runs repeat
/// the most at 0.05 to 0.2.
const WHOLE_SHARE: f64 = 0.2;

/// Required pieces that aren't on the scale reduce a run's room in steps of this fraction of its limit. More steps use
/// the room better, but the cut moves more often if the length of the request changes every turn.
const ROOM_STEPS: u64 = 32;

/// The approximate cost of a stub in tokens, including the text around it.
const STUB_TOKENS: u64 = 20;

impl Scale {
    /// An empty scale.
    fn of(rows: usize) -> Self {
        Self {
            places: Vec::new(),
            starts: vec![None; rows],
            total: 0,
            instructions: 0,
            stub_costs: vec![0; rows],
            required: 0,
            run_end: 0,
        }
    }

    /// Returns the cut of a log that was only read in part. That works if it has been a chat long enough for a walk along
    /// all of it to end in the same place: at the first step that leaves no more than the room. The cut of a run depends
    /// on all of its steps.
    fn border_of_chat(&self, rooms: Rooms) -> MarkResult<Border> {
        let since = self.run_end + rooms.chat_tokens.max(rooms.run_tokens) + rooms.chat_step;
        if self.total < since {
            return Err(Wanted::All);
        }
        Ok(Border { start: rooms.chat_start(self.total), stub_limit: None })
    }

    /// Walks along the log and moves the cut each time the log outgrows its room.
    fn walk(&self, rooms: Rooms) -> Walk {
        let border = Border { start: 0, stub_limit: None };
        let mut walk = Walk { border, first: 0, stubs: 0 };
        let mut results = 0;
        for (at, place) in self.places.iter().enumerate() {
            let end = self.places.get(at + 1).map_or(self.total, |next| next.start);
            results += place.results;
            let stub_limit = is_run(results, end).then_some(rooms.stub_tokens);
            if walk.border.start == 0 {
                walk.border.stub_limit = stub_limit;
            }
            let has_outgrown = match walk.border.stub_limit {
                Some(_) => walk.stubs_shown() + end - walk.border.start > rooms.run_tokens,
                None => end.saturating_sub(walk.border.start) > rooms.chat_tokens,
            };
            if has_outgrown {
                self.move_on(&mut walk, rooms, Border { start: end, stub_limit }, at);
            }
        }
        walk
    }

    /// Moves the cut of a log that ends with the group `at`. `end` has the log's tokens, and the stubs' limit if it is
    /// now a run.
    fn move_on(&self, walk: &mut Walk, rooms: Rooms, end: Border, at: usize) {
        let before = walk.border;
        let is_left = |place: &Place| match end.stub_limit {
            Some(_) => place.start < before.start || end.start - place.start > rooms.whole_tokens,
            None => false,
        };
        while walk.first < at && is_left(&self.places[walk.first]) {
            walk.stubs += self.places[walk.first].stub_cost;
            walk.first += 1;
        }
        let next = match (before.stub_limit, end.stub_limit) {
            (_, Some(_)) => self.places[walk.first].start,
            (None, None) => rooms.chat_start(end.start),
            // A run that becomes a chat loses its stubs, so its cut moves by at least a step.
            (Some(_), None) => {
                let next_step = (before.start / rooms.chat_step + 1) * rooms.chat_step;
                rooms.chat_start(end.start).max(next_step)
            }
        };
        if next > before.start {
            walk.border = Border { start: next, stub_limit: end.stub_limit };
        }
    }

    /// The tokens of the shown stubs before a border.
    fn stubs_shown(&self, border: u64, limit: u64) -> u64 {
        let before = self.places.iter().filter(|place| place.start < border);
        shown_stubs(before.map(|place| place.stub_cost).sum(), limit)
    }
}

impl Rooms {
    /// The cut of a chat: the first multiple of its step that leaves no more than its room.
    fn chat_start(self, total: u64) -> u64 {
        total.saturating_sub(self.chat_tokens).div_ceil(self.chat_step) * self.chat_step
    }
}

impl Walk {
    /// The tokens of the stubs that are shown before the cut.
    fn stubs_shown(&self) -> u64 {
        self.border.stub_limit.map_or(0, |limit| shown_stubs(self.stubs, limit))
    }
}

/// True if a log is an agent's run: more than half of its tokens are results that may shrink.
fn is_run(results: u64, total: u64) -> bool {
    results > total / 2
}

/// Returns how many of the stubs' tokens are shown.
fn shown_stubs(total: u64, limit: u64) -> u64 {
    total.saturating_sub(first_stub(total, limit))
}

/// Returns the tokens of stubs before the first shown one. Older stubs are dropped in steps of half of their limit.
fn first_stub(total: u64, limit: u64) -> u64 {
    let step = (limit / 2).max(1);
    total.saturating_sub(limit).div_ceil(step) * step
}

impl Packer<'_> {
    /// Keeps the messages after the cut, then quotes ranked ones. `served` are the rows that come before the ordinary
    /// history, and `rest` are the ordinary ones, both starting with the newest. Returns false if nothing has to be
    /// cut.
    pub(crate) fn keep_behind_cut(
        &mut self,
        frame: &Frame,
        cut: CutConfig,
        served: &[usize],
        rest: &[usize],
    ) -> StageResult<bool> {
        let scale = self.scale()?;
        let marks = self.marks;
        let summary_tokens = self.summary_tokens_of(&scale);
        let all = self.remaining;
        self.set_aside(summary_tokens);
        let border = match self.border(cut, &scale)? {
            Some(border) => border,
            None if marks.passed().next().is_some() => self.no_border(&scale),
            None => {
                self.remaining = all;
                let none = self.no_border(&scale);
                let next = self.next_gone(cut, &scale, none, &[served, rest].concat());
                self.keep_summary(&[], next.as_deref(), summary_tokens)?;
                return Ok(false);
            }
        };
        self.fill.cut = Some(border.start);
        let keeps_places = self.input.config.triage.keeps_places();
        let is_cut_off = |row: &usize| {
            let start = scale.starts[marks.groups.of(*row)];
            let rank = marks.rank(*row);
            let may_be = rank == Rank::History || (keeps_places && rank == Rank::Chosen);
            marks.is_passed(*row) || (may_be && start.is_some_and(|start| start < border.start))
        };
        let (before, behind): (Vec<usize>, Vec<usize>) =
            served.iter().chain(rest).copied().partition(is_cut_off);
        let room = self.room_of_history();
        let spent = self.remaining;
        self.keep_in_order(frame, &behind)?;
        self.keep_stubs(frame, &scale, border.stub_limit, &before)?;
        let next = self.next_gone(cut, &scale, border, &[served, rest].concat());
        let gone = self.gone(&scale, border.stub_limit, &before);
        let spent = spent.minus(self.remaining);
        self.remaining = self.remaining.plus(Cost { tokens: summary_tokens, ..Cost::default() });
        self.keep_summary(&gone, next.as_deref(), summary_tokens)?;
        let earlier = self.keep_earlier_quotes()?;
        let is_of_request = |(row, _): &(usize, Piece)| marks.asked() == Some(*row);
        // The steps of a run share the quotes of its first step.
        let has_quotes = self.fill.earlier_quotes.iter().any(is_of_request);
        if let Some(ranking) = marks.ranking.as_ref().filter(|_| !has_quotes) {
            // A share of a history that triage has permanently thinned out would be almost nothing.
            let all = if keeps_places { room.0 } else { self.sent_behind_cut(room.0, spent)? };
            let part = all.share(self.input.config.recall.max_share).minus(earlier);
            let quoted = part.min(self.remaining);
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

    /// Keeps the quotes of earlier prompts whose request is still in place, if there is room for all of them. Returns
    /// their cost.
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

    /// Keeps the part of a run before its cut, with stubs of its results, up to their share. The oldest are also
    /// dropped in steps, and only when the cut moves.
    fn keep_stubs(
        &mut self,
        frame: &Frame,
        scale: &Scale,
        stub_limit: Option<u64>,
        before: &[usize],
    ) -> StageResult {
        let (steps, first) = self.steps_before(scale, stub_limit, before);
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

    /// Returns the groups of rows before a cut, each with the tokens of the stubs before it, and the number of tokens
    /// before the first shown one. In a chat none are shown.
    fn steps_before(
        &self,
        scale: &Scale,
        stub_limit: Option<u64>,
        before: &[usize],
    ) -> (Vec<(Vec<usize>, u64)>, u64) {
        let marks = self.marks;
        let mut is_before = vec![false; self.input.transcript.len()];
        for row in before {
            is_before[*row] = !marks.is_passed(*row);
        }
        // The groups in order, each with the tokens of those before it.
        let mut steps: Vec<(Vec<usize>, u64)> = Vec::new();
        let mut total = 0;
        let mut group = None;
        for row in marks.order.iter().copied().filter(|row| is_before[*row]) {
            if group.replace(marks.groups.of(row)) != Some(marks.groups.of(row)) {
                steps.push((self.open_members(row).collect(), total));
            }
            total += scale.stub_costs[row];
        }
        let first = stub_limit.map_or(u64::MAX, |limit| first_stub(total, limit));
        (steps, first)
    }

    /// Returns the rows before a cut that aren't shown there, in their order.
    fn gone(&self, scale: &Scale, stub_limit: Option<u64>, before: &[usize]) -> Vec<usize> {
        let (steps, first) = self.steps_before(scale, stub_limit, before);
        let gone = steps.into_iter().filter(|(_, start)| *start < first);
        gone.flat_map(|(members, _)| members).collect()
    }

    /// Returns the rows that the next move of the cut will drop, if the history is as full as `compact.prepareAt` says.
    /// By then there will be more messages, so these are certain to be dropped.
    fn next_gone(
        &self,
        cut: CutConfig,
        scale: &Scale,
        border: Border,
        rows: &[usize],
    ) -> Option<Vec<usize>> {
        let prepare_at = self.input.config.compact.prepare_at?;
        let limit = self.limit(scale)?;
        let Border { start: border, stub_limit } = border;
        let shown = stub_limit.map_or(0, |limit| scale.stubs_shown(border, limit));
        let high = share_of(limit, cut.high_water);
        if scale.total.saturating_sub(border) + shown < share_of(high, prepare_at) {
            return None;
        }
        let next = if stub_limit.is_some() {
            let whole = share_of(limit, WHOLE_SHARE);
            let place = scale.places.iter().find(|place| scale.total - place.start <= whole);
            place.or(scale.places.last())?.start
        } else {
            border + high.saturating_sub(share_of(limit, cut.low_water)).max(1)
        };
        let marks = self.marks;
        let goes = |row: &usize| {
            let start = scale.starts[marks.groups.of(*row)];
            marks.rank(*row) == Rank::History && start.is_some_and(|start| start < next)
        };
        let before: Vec<usize> = rows.iter().copied().filter(goes).collect();
        Some(self.gone(scale, stub_limit, &before))
    }

    /// Maximum number of tokens of the history.
    fn limit(&self, scale: &Scale) -> Option<u64> {
        let limit = most_tokens(&self.input.config)?.saturating_sub(scale.instructions);
        Some(limit - self.summary_tokens(limit))
    }

    fn summary_tokens_of(&self, scale: &Scale) -> u64 {
        let limit = most_tokens(&self.input.config);
        limit.map_or(0, |limit| self.summary_tokens(limit.saturating_sub(scale.instructions)))
    }

    /// The border of a log that isn't cut.
    fn no_border(&self, scale: &Scale) -> Border {
        let results = scale.places.iter().map(|place| place.results).sum();
        let limit = self.limit(scale).filter(|_| is_run(results, scale.total));
        Border { start: 0, stub_limit: limit.map(|limit| share_of(limit, STUB_SHARE)) }
    }

    /// Maximum cost of the history and the quotes after it, if the history costs `spent`. Quotes get a share of the
    /// actual prompt instead of the budget, so most of every prompt repeats the previous one even right after a move of
    /// the cut. The answers to the request don't count: every step of a tool loop adds one, and the quotes before them
    /// must not change.
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

    /// The place of the cut on the scale. None if all of the history may stay.
    fn border(&self, cut: CutConfig, scale: &Scale) -> MarkResult<Option<Border>> {
        let Some(limit) = self.limit(scale) else { return Ok(None) };
        let is_unread = self.input.transcript.unread().is_some();
        // For each group, the unpaid tokens and the number of messages from there to the end of the log.
        let mut left = vec![(0, 0); scale.places.len() + 1];
        for (at, place) in scale.places.iter().enumerate().rev() {
            let (tokens, count): (u64, u64) = left[at + 1];
            left[at] = (tokens + place.unpaid, count + place.count);
        }
        let (room, items) = self.room_of_history();
        let fits = |(unpaid, count): &(u64, u64), room: u64| *unpaid <= room && *count <= items;
        if scale.total <= share_of(limit, cut.high_water) && fits(&left[0], room.tokens) {
            return if is_unread { Err(Wanted::More) } else { Ok(None) };
        }
        // Required pieces that aren't on the scale, such as tool definitions.
        let others = limit.saturating_sub(room.tokens + scale.required);
        let max_share = self.input.config.recall.max_share;
        let share_if = |is_quoted: bool| {
            if self.marks.ranking.is_some() && is_quoted { max_share } else { 0.0 }
        };
        let (in_chat, in_run) = (share_if(true), share_if(self.has_earlier_turns()));
        let unquoted = |share: f64| room.tokens.saturating_sub(share_of(room.tokens, share));
        let (high, low) = cut.beside_quotes(in_chat);
        let high = share_of(limit, high);
        let rooms = Rooms {
            chat_tokens: high,
            chat_step: high.saturating_sub(share_of(limit, low)).max(1),
            run_tokens: share_of(limit, (cut.high_water - in_run).max(0.0)),
            whole_tokens: share_of(limit, WHOLE_SHARE),
            stub_tokens: share_of(limit, STUB_SHARE),
        };
        let mut border = if is_unread {
            scale.border_of_chat(rooms)?
        } else {
            let step = (limit / ROOM_STEPS).max(1);
            let mut walks = (others.div_ceil(step).min(ROOM_STEPS)..=ROOM_STEPS).map(|taken| {
                let run_tokens = rooms.run_tokens.saturating_sub(taken * step);
                scale.walk(Rooms { run_tokens, ..rooms })
            });
            let is_roomy = |walk: &Walk| {
                let room = unquoted(in_run).saturating_sub(walk.stubs_shown());
                walk.border.stub_limit.is_none() || fits(&left[walk.first], room)
            };
            let Some(walk) = walks.clone().find(is_roomy).or_else(|| walks.next_back()) else {
                return Ok(None);
            };
            walk.border
        };
        if border.stub_limit.is_none() {
            // Moves by whole steps, past the last group that doesn't fit.
            let by_room = match left.partition_point(|left| !fits(left, unquoted(in_chat))) {
                0 => 0,
                at => scale.places[at - 1].start / rooms.chat_step + 1,
            };
            border.start = border.start.max(by_room * rooms.chat_step);
        }
        // The last step is kept at any cost, so the cut is before it.
        let last = self.marks.last_answer();
        let last = last.and_then(|row| scale.starts[self.marks.groups.of(row)]);
        // Unread messages don't move a cut that is in the tail.
        if is_unread && scale.places.first().is_none_or(|place| place.start >= border.start) {
            return Err(Wanted::More);
        }
        border.start = border.start.min(last.unwrap_or(u64::MAX));
        Ok(Some(border))
    }

    /// True if the history has turns before the current one, so that something may be quoted.
    fn has_earlier_turns(&self) -> bool {
        let marks = self.marks;
        let is_earlier = |row: &usize| !marks.is_in_turn(*row) && marks.rank(*row) == Rank::History;
        marks.open_rows().iter().any(is_earlier)
    }

    /// Puts the log's messages on the scale, including those that window and triage leave out, because these change
    /// their choice every turn, which would move everything after them. If triage's choices are remembered, rejected
    /// messages are permanently gone and aren't on the scale.
    ///
    /// If only part of the log was read, only messages of the tail are on the scale, and the tokens before them are
    /// known from an earlier build.
    fn scale(&mut self) -> StageResult<Scale> {
        let (input, marks) = (self.input, self.marks);
        let meter = Meter::uncalibrated(input);
        let fill = Fill::default();
        let view = View { input, marks, fill: &fill };
        let rows = input.transcript.len();
        let first_of_tail = input.transcript.first_of_tail();
        let mut scale = Scale::of(rows);
        let mut on_scale = vec![None; rows];
        for row in marks.order.iter().copied().filter(|row| self.is_on_scale(*row)) {
            let is_instruction = marks.requirement(row) == Some(Reason::Instruction);
            if row < first_of_tail && !is_instruction {
                scale.starts[marks.groups.of(row)] = Some(0); // it is before every cut
                continue;
            }
            let tokens = meter.cost(view, Piece::Message(row))?.tokens;
            if is_instruction {
                scale.instructions += tokens;
                continue;
            }
            let is_result = self.may_shrink(row) || self.may_hide_media(row);
            let results = if is_result { tokens } else { 0 };
            on_scale[row] = Some(Total { tokens, results, run_end: 0 });
        }
        let (before, run_end) = totals::find(self, &meter, &on_scale)?;
        (scale.total, scale.run_end) = (before.tokens, run_end);
        let mut place_of = vec![None; rows];
        for row in marks.order.iter().copied() {
            let Some(Total { tokens, results, .. }) = on_scale[row] else { continue };
            let group = marks.groups.of(row);
            if scale.starts[group].is_none() {
                scale.starts[group] = Some(scale.total);
                place_of[group] = Some(scale.places.len());
                scale.places.push(Place {
                    start: scale.total,
                    unpaid: 0,
                    count: 0,
                    stub_cost: 0,
                    results: 0,
                });
            }
            scale.total += tokens;
            scale.stub_costs[row] = if results > 0 { tokens.min(STUB_TOKENS) } else { tokens };
            scale.required += marks.requirement(row).map_or(0, |_| tokens);
            // The beginning of a group may be before the tail.
            let Some(place) = place_of[group] else { continue };
            let place = &mut scale.places[place];
            place.results += results;
            place.stub_cost += scale.stub_costs[row];
            if marks.requirement(row).is_none() && !marks.is_left_out(row) {
                place.unpaid += tokens;
                place.count += u64::from(!marks.is_in_turn(row));
            }
        }
        Ok(scale)
    }

    /// True if a message is on the scale or is one of the instructions, so that a build may show it.
    fn is_on_scale(&self, row: usize) -> bool {
        let marks = self.marks;
        let keeps_places = self.input.config.triage.keeps_places();
        let is_for_good = |it: Decision| {
            it.stage <= StageName::Filter || (keeps_places && it.reason == Reason::NotChosen)
        };
        let is_never_shown = marks.is_passed(row)
            || (marks.is_left_out(row) && marks.decision(row).is_some_and(is_for_good));
        !is_never_shown && marks.rank(row) != Rank::Direct
    }

    /// The room for the history: its tokens and its number of messages.
    pub(super) fn room_of_history(&self) -> (Cost, u64) {
        (self.remaining.min(self.history.cost), self.history.items)
    }
}

/// The amount whose `share` is `part`.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of 0 makes the amount infinite, and a cast saturates"
)]
fn over(part: u64, share: f64) -> u64 {
    (part as f64 / share) as u64
}

/// Maximum number of tokens of the history by the config's limits: its own, and the budget minus the limits of the
/// other sections.
pub(crate) fn most_tokens(config: &ContextConfig) -> Option<u64> {
    let others = config.sections().iter().filter(|section| section.kind != SectionKind::History);
    let others: u64 = others.filter_map(|section| section.limit.tokens).sum();
    let all = config.budget.token_limit().map(|tokens| tokens.saturating_sub(others));
    let own = config.section(SectionKind::History).and_then(|(_, it)| it.limit.tokens);
    all.into_iter().chain(own).min()
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use windrow_property::properties;

    /// Groups with their tokens, their stubs' tokens, and a flag for results.
    fn scale_of(groups: &[(u64, u64, bool)]) -> Scale {
        let mut scale = Scale::of(0);
        for (tokens, stub, is_result) in groups {
            let place = Place {
                start: scale.total,
                unpaid: *tokens,
                count: 1,
                stub_cost: (*stub).min(*tokens),
                results: if *is_result { *tokens } else { 0 },
            };
            scale.places.push(place);
            scale.total += tokens;
        }
        scale
    }

    fn rooms() -> impl Strategy<Value = Rooms> {
        (100_u64..4000, 1_u64..2000, 100_u64..4000, 0.0..0.9, 0_u64..2000).prop_map(
            |(chat_tokens, chat_step, run_tokens, whole_share, stub_tokens)| {
                let stub_tokens = stub_tokens.min(run_tokens / 2);
                let whole_tokens = share_of(run_tokens - stub_tokens, whole_share);
                let chat_step = chat_step.min(chat_tokens);
                Rooms { chat_tokens, chat_step, run_tokens, whole_tokens, stub_tokens }
            },
        )
    }

    properties! {
        /// The cut of a run only moves forward while the run grows, and leaves no more than its room, unless the last
        /// group alone has more.
        #[test]
        fn the_cut_of_a_run_moves_on(
            groups in vec((1_u64..900, 1_u64..40, Just(true)), 1..60),
            rooms in rooms(),
        ) {
            let mut before = 0;
            for count in 1..=groups.len() {
                let scale = scale_of(&groups[..count]);
                let walk = scale.walk(rooms);
                let (first, stubs) = (walk.first, walk.stubs_shown());
                prop_assert!(first >= before);
                prop_assert!(stubs <= rooms.stub_tokens);
                prop_assert_eq!(walk.border.start, scale.places[first].start);
                let left = scale.total - scale.places[first].start;
                prop_assert!(left + stubs <= rooms.run_tokens || first == count - 1);
                prop_assert!(first == before || left <= rooms.whole_tokens || first == count - 1);
                before = first;
            }
        }

        /// A chat is cut at the first multiple of its step that leaves no more than its room.
        #[test]
        fn a_chat_is_cut_at_the_first_step_that_leaves_its_room(
            groups in vec((1_u64..900, 1_u64..40, Just(false)), 1..60),
            rooms in rooms(),
        ) {
            let scale = scale_of(&groups);
            let steps = scale.total.saturating_sub(rooms.chat_tokens).div_ceil(rooms.chat_step);
            prop_assert_eq!(scale.walk(rooms).border.start, steps * rooms.chat_step);
        }

        /// The cut of any log only moves forward. A log that has been cut becomes a run or a chat only when its cut
        /// moves.
        #[test]
        fn a_log_changes_its_kind_only_when_its_cut_moves(
            groups in vec((1_u64..900, 1_u64..40, any::<bool>()), 1..60),
            rooms in rooms(),
        ) {
            let mut before: Option<(u64, Option<u64>, u64)> = None;
            for count in 1..=groups.len() {
                let scale = scale_of(&groups[..count]);
                let walk = scale.walk(rooms);
                let Border { start, stub_limit } = walk.border;
                if let Some((border, limit, stubs)) = before.filter(|(border, ..)| *border > 0) {
                    prop_assert!(start >= border);
                    prop_assert!(start > border || stub_limit == limit);
                    prop_assert!(start > border || walk.stubs_shown() == stubs);
                }
                before = Some((start, stub_limit, walk.stubs_shown()));
            }
        }
    }
}
