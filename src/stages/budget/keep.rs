//! Keeps the groups of the history that fit, in the order of their claims.

use super::frame::Frame;
use super::packer::Packer;
use crate::base::cost::Cost;
use crate::base::text;
use crate::config::{Format, Measure, Oversize};
use crate::prompt::form;
use crate::stages::unread;
use crate::state::ask::StageResult;
use crate::state::context::Piece;
use crate::state::marks::Rank;
use crate::state::trace::Reason;

impl Packer<'_> {
    /// Keeps whole groups, in the order of their rows. A group that doesn't fit is skipped. Only in a history that is
    /// filled newest first, without gaps, does it end the run.
    pub(super) fn keep_in_order(&mut self, frame: &Frame, rows: &[usize]) -> StageResult {
        self.keep_after(frame, rows, 0).map(|_| ())
    }

    /// Keeps whole groups, continuing a count of `misses` that didn't fit. Returns the new count.
    pub(super) fn keep_after(
        &mut self,
        frame: &Frame,
        rows: &[usize],
        mut misses: u64,
    ) -> StageResult<u64> {
        let mut is_seen = vec![false; self.input.transcript.len()];
        let most_misses = unread::most_misses(&self.input.config);
        let mut members = Vec::new();
        for (position, row) in rows.iter().copied().enumerate() {
            let rank = self.marks.rank(row);
            if is_seen[self.marks.groups.of(row)] {
                continue; // it came with a newer message of its group
            }
            let is_run = matches!(rank, Rank::Recent | Rank::History);
            // In the current turn every step is tried.
            if is_run && misses > most_misses && !self.marks.is_in_turn(row) {
                self.fill.left_out.push((row, Reason::RunEnded)); // and so will be the rest of its group
                continue;
            }
            is_seen[self.marks.groups.of(row)] = true;
            members.clear();
            members.extend(self.open_members(row));
            let is_quoted = self.plan.quotes_chosen && rank == Rank::Chosen;
            if let Some(shrink) = self.shrink {
                shrink(self, &members, false);
            }
            // Other groups' results haven't shrunk yet.
            let others = if self.shrink.is_some() { &[] } else { &rows[position..] };
            self.ask_for_group(&members, others, is_quoted)?;
            let mut remaining = self.remaining;
            let mut over = self.keep(frame, &members, is_quoted, &mut remaining)?;
            let begins_larger = |row: &usize| self.results.newest.contains(row);
            if let (Some(shrink), true) = (self.shrink, members.iter().any(begins_larger))
                && over.is_some()
            {
                shrink(self, &members, true);
                self.ask_for_group(&members, &[], is_quoted)?;
                over = self.keep(frame, &members, is_quoted, &mut remaining)?;
            }
            if let Some(reason) = over {
                self.unshrink(&members);
                misses += u64::from(is_run);
                self.fill.left_out.extend(members.iter().map(|member| (*member, reason)));
            }
            self.remaining = remaining;
        }
        Ok(misses)
    }

    /// Asks for the counts that the rows of a group need, and in advance for those of others.
    pub(super) fn ask_for_group(
        &self,
        members: &[usize],
        others: &[usize],
        is_quoted: bool,
    ) -> StageResult {
        self.meter.ask_ahead(self.view(), members.len(), &|place| {
            let row = members.get(place).or_else(|| others.get(place - members.len()))?;
            Some(piece_of(is_quoted, *row))
        })
    }

    /// Keeps a group if it fits the remaining room. It may keep only the end of the newest message. Otherwise it
    /// records why the group doesn't fit.
    pub(super) fn keep(
        &mut self,
        frame: &Frame,
        members: &[usize],
        is_quoted: bool,
        remaining: &mut Cost,
    ) -> StageResult<Option<Reason>> {
        if members.iter().any(|row| self.marks.is_in_turn(*row)) {
            // The request's answers don't count toward the history's own limit.
            let pieces = &mut members.iter().map(|row| self.marks.piece(*row));
            let Some(cost) = self.cost_within(pieces, *remaining)? else {
                return Ok(Some(Reason::OverBudget));
            };
            self.fill.kept.extend(members);
            *remaining = remaining.minus(cost);
            return Ok(None);
        }
        let count = self.counted_messages(members);
        if count > self.history.items {
            return Ok(Some(Reason::OverLimit));
        }
        let pieces = &mut members.iter().map(|row| piece_of(is_quoted, *row));
        let around = if is_quoted { self.unpaid_around_quotes(frame)? } else { Cost::default() };
        let left = remaining.minus(around);
        let found = if around.fits(*remaining) { self.cost_within(pieces, left)? } else { None };
        let Some(mut cost) = found else {
            return Ok(Some(Reason::OverBudget));
        };
        let mut own = self.own_cost(members, cost);
        if !own.fits(self.history.cost) {
            let &[row] = members else {
                return Ok(Some(Reason::OverLimit));
            };
            if !self.may_be_cut(row) || own.tokens > self.history.cost.tokens {
                return Ok(Some(Reason::OverLimit));
            }
            cost = self.cut_to_end(row, piece_of(is_quoted, row))?;
            if !cost.fits(left) {
                // A cut may fall within a token.
                self.fill.shortened.remove(&Piece::Message(row));
                return Ok(Some(Reason::OverBudget));
            }
            self.fill.is_trimmed = true;
            own = self.history.cost; // nothing else counts
        }
        self.history.cost = self.history.cost.minus(own);
        self.history.items -= count;
        if is_quoted {
            self.fill.quoted.extend(members);
        }
        self.fill.kept.extend(members);
        *remaining = left.minus(cost);
        Ok(None)
    }

    /// True if a message is the newest, and `oversize: "tail"` allows keeping its end.
    fn may_be_cut(&self, row: usize) -> bool {
        let is_first = self.fill.kept.iter().all(|row| self.marks.is_in_turn(*row));
        let is_newest = is_first && self.marks.newest_open_row() == Some(row);
        is_newest && self.history.oversize == Oversize::Tail
    }

    /// Cuts a message to its longest end within the history's own limit, at least one character. Returns its new cost.
    fn cut_to_end(&mut self, row: usize, piece: Piece) -> StageResult<Cost> {
        let text = self.view().text_of(Piece::Message(row));
        let text = form::said_of(&self.input.config, &text);
        let most = text.chars().count() as u64;
        let chars = |length: u64| usize::try_from(length).unwrap_or(usize::MAX);
        // The text has a label around it, and spaces before its lines.
        let (mut length, mut fails) = (1, most.min(self.history.cost.chars) + 1);
        while length + 1 < fails {
            let middle = length.midpoint(fails);
            let cost = self.cut_to(row, piece, text::tail(&text, chars(middle)))?;
            if self.own_cost(&[row], cost).chars <= self.history.cost.chars {
                length = middle;
            } else {
                fails = middle;
            }
        }
        self.cut_to(row, piece, text::tail(&text, chars(length)))
    }

    /// Shows part of a message's text instead of all of it. Returns the piece's new cost.
    fn cut_to(&mut self, row: usize, piece: Piece, text: &str) -> StageResult<Cost> {
        self.fill.shortened.insert(Piece::Message(row), text.to_owned().into());
        self.total(&[piece])
    }

    /// The cost of messages by the measure of the history's own limit.
    pub(super) fn own_cost(&self, members: &[usize], cost: Cost) -> Cost {
        match self.history.measure {
            Measure::Rendered => cost,
            Measure::RoleAndText => {
                const AROUND: usize = 4;
                let transcript = &self.input.transcript;
                let chars = |row: &usize| {
                    let said = form::said(self.view(), Piece::Message(*row), transcript, *row);
                    said.chars().count() + transcript.role(*row).as_str().len() + AROUND
                };
                Cost { chars: members.iter().map(chars).sum::<usize>() as u64, ..cost }
            }
        }
    }

    /// The unpaid cost of the lines around the quotes.
    fn unpaid_around_quotes(&self, frame: &Frame) -> StageResult<Cost> {
        if !self.fill.quoted.is_empty() {
            return Ok(Cost::default());
        }
        let (opening, closing) = &frame.around_quotes;
        let around = self.total(opening)?.plus(self.total(closing)?);
        // The last line of a message loses its line end. For the last line of the text, `Meter::slack` reserves room.
        let is_chat = self.input.config.render.format == Format::Messages;
        let tokens = if is_chat { self.meter.line_end } else { 0 };
        Ok(around.plus(Cost { tokens, ..Cost::default() }))
    }
}

/// The piece of a message.
pub(super) fn piece_of(is_quoted: bool, row: usize) -> Piece {
    if is_quoted { Piece::Quoted(row) } else { Piece::Message(row) }
}
