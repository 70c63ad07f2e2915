//! The pieces around the history: its opening and closing, the label of quotes, the gap notice, and the text that
//! replaces an empty history.

use super::omission::{self, Omission};
use super::packer::{Packer, Plan};
use crate::base::cost::Cost;
use crate::base::message::{Field, Role};
use crate::config::{Format, Placement, Provider, SectionKind};
use crate::prompt::form;
use crate::state::ask::StageResult;
use crate::state::context::Piece;
use crate::state::input::Input;
use crate::state::marks::Marks;
use crate::state::trace::Reason;

/// The pieces around the history.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// Before and after the history.
    pub(super) around: (Vec<Piece>, Vec<Piece>),
    /// The text that replaces an empty history.
    pub(super) empty: Option<Piece>,
    /// True if `empty` is already paid for, because the history can't have any message.
    pub(super) is_empty: bool,
    /// Before and after the quotes.
    pub(super) around_quotes: (Vec<Piece>, Vec<Piece>),
    /// The opening user message, if the provider requires one and the history begins with somebody else. Already paid
    /// for.
    opening: Option<Piece>,
    /// The gap notice, and its reserved room.
    notice: Option<Piece>,
    reserved: Cost,
}

impl Plan {
    /// The first plan, which assumes that everything may fit, and the one after it.
    pub(super) fn of(input: &Input, marks: &Marks) -> [Self; 2] {
        let config = &input.config;
        let has_notice = config.enabled && config.render.gap_notice.is_some();
        let has_gap = has_notice && Omission::find(input, marks, &[]).is_some();
        let is_flat = marks.conversations.is_none();
        let quotes_chosen = is_flat && config.triage.placement == Placement::AfterHistory;
        let has_cut = config.budget.cut.is_some();
        let is_ranked = marks.ranking.is_some();
        let quotes_recalled =
            is_ranked && (has_cut || config.recall.placement == Placement::AfterHistory);
        // With a cut, recalled messages are always quoted.
        let first = Self {
            quotes_chosen,
            quotes_recalled: is_ranked && has_cut,
            reserves_notice: has_gap,
            shrinks: false,
        };
        let smaller = [Field::ResultId, Field::Image, Field::Audio, Field::File];
        let has_smaller = smaller.into_iter().any(|field| input.transcript.has_seen(field));
        let shrinks = has_smaller && config.budget.tool_results.shrink && is_flat && !has_cut;
        [first, Self { quotes_recalled, reserves_notice: has_notice, shrinks, ..first }]
    }
}

impl Frame {
    /// Makes the texts around the history.
    pub(super) fn begin(packer: &mut Packer<'_>) -> Self {
        let mut frame = Self::default();
        let Some((position, section)) = packer.input.config.section(SectionKind::History) else {
            return frame;
        };
        let config = &packer.input.config;
        let label = section.label.clone().unwrap_or_default();
        let empty = section.empty.clone().map(|empty| form::own_text(config, &(label + &empty)));
        let (before, after) = form::around_history(packer.view());
        let (opening, closing) = form::around_quotes(config);
        let plan = packer.plan;
        let longest =
            if plan.reserves_notice { omission::longest_text(packer.input) } else { None };
        let fill = &mut packer.fill;
        let mut make = |role, texts: Vec<String>| -> Vec<Piece> {
            texts.into_iter().map(|text| fill.make(position, role, text)).collect()
        };
        frame.around = (make(Role::System, before), make(Role::System, after));
        if plan.quotes_chosen || plan.quotes_recalled {
            // Not as instructions: some providers accept these only at the beginning of the prompt, and the model must
            // not obey quotes.
            frame.around_quotes = (make(Role::User, opening), make(Role::User, closing));
        }
        frame.notice = make(Role::System, longest.into_iter().collect()).pop();
        if config.render.format != Format::Messages {
            frame.empty = make(Role::System, empty.into_iter().collect()).pop();
        }
        if config.render.provider.is_some_and(Provider::begins_with_user) {
            frame.opening = Some(fill.make(position, Role::User, form::OPENING.to_owned()));
        }
        frame
    }

    /// The pieces that are paid for before anything is kept: those around the history or in its place, and the opening
    /// user message.
    pub(super) fn fixed(&self) -> Vec<Piece> {
        let around = if self.is_empty { self.empty.into_iter().collect() } else { self.pieces() };
        around.into_iter().chain(self.opening).collect()
    }

    /// The pieces before and after the history.
    pub(super) fn pieces(&self) -> Vec<Piece> {
        self.around.0.iter().chain(&self.around.1).copied().collect()
    }
}

impl Packer<'_> {
    /// Reserves room for the gap notice, if there is one. If it doesn't fit now, it is dropped. Otherwise it could
    /// appear in leftover room and then disappear with a slightly larger budget.
    pub(super) fn reserve_notice(&mut self, frame: &mut Frame) -> StageResult {
        let Some(notice) = frame.notice else { return Ok(()) };
        self.ask_for(&[notice])?;
        let cost = self.total(&[notice])?;
        if cost.fits(self.remaining) {
            frame.reserved = cost;
            self.remaining = self.remaining.minus(cost);
        } else {
            frame.notice = None;
        }
        Ok(())
    }

    /// Makes the user speak first if the provider requires that. Instructions don't count.
    pub(super) fn open(&self, frame: &Frame, layout: &mut Vec<(Piece, usize)>) {
        let speaks = |(piece, _): &(Piece, usize)| {
            !matches!(piece, Piece::Quoted(_)) && !self.view().role_of(*piece).is_instruction()
        };
        if let (Some(opening), Some(first)) = (frame.opening, layout.iter().position(speaks)) {
            let (piece, section) = layout[first];
            // Nothing may precede a compaction.
            let begins = self.marks.compaction.map(|row| self.marks.piece(row)) == Some(piece);
            if self.view().role_of(piece) != Role::User && !begins {
                layout.insert(first, (opening, section));
            }
        }
    }

    /// The request and its kept answers.
    pub(super) fn turn(&self) -> Vec<Piece> {
        let marks = self.marks;
        let mut is_kept = vec![false; self.input.transcript.len()];
        for row in &self.fill.kept {
            is_kept[*row] = marks.is_in_turn(*row);
        }
        let quotes = marks.asked().map(|row| self.made_before(row)).unwrap_or_default();
        let request = marks.has_request(self.input).then_some(Piece::Request);
        let mut pieces: Vec<Piece> = quotes.into_iter().chain(request).collect();
        for row in marks.order.iter().copied().filter(|row| is_kept[*row]) {
            let piece = marks.piece(row);
            if piece != Piece::Request {
                pieces.extend(self.summary_before(Some(row)));
                pieces.push(piece);
            }
        }
        pieces
    }

    /// The summary and the quotes of an earlier prompt before a row.
    fn made_before(&self, row: usize) -> Vec<Piece> {
        let quotes = self.fill.earlier_quotes.iter().filter(|(before, _)| *before == row);
        self.summary_before(Some(row)).into_iter().chain(quotes.map(|(_, piece)| *piece)).collect()
    }

    /// The summary, if it belongs before `row`, or after all rows for None.
    fn summary_before(&self, row: Option<usize>) -> Option<Piece> {
        let (before, piece) = self.fill.compact.as_ref()?.place?;
        (before == row).then_some(piece)
    }

    /// The messages in their place, and the quoted ones with the lines around them, both oldest first.
    fn in_order(&self, frame: &Frame) -> (Vec<Piece>, Vec<Piece>) {
        let mut is_kept = vec![false; self.input.transcript.len()];
        let mut is_quoted = vec![false; self.input.transcript.len()];
        for row in &self.fill.kept {
            is_kept[*row] = true;
        }
        let (mut in_place, mut quotes) = (Vec::new(), Vec::new());
        let (opening, closing) = &frame.around_quotes;
        for row in &self.fill.quoted {
            is_quoted[*row] = true;
        }
        if !self.fill.quoted.is_empty() {
            quotes.extend_from_slice(opening);
        }
        for row in &self.marks.order {
            if self.marks.is_in_turn(*row) {
                continue; // it comes with the request
            }
            if is_quoted[*row] {
                quotes.push(Piece::Quoted(*row));
            } else if is_kept[*row] {
                in_place.push(Piece::Message(*row));
            }
        }
        if !self.fill.quoted.is_empty() {
            quotes.extend_from_slice(closing);
        }
        (in_place, quotes)
    }

    /// The pieces of the history in order, with the pieces around them and the quotes, or the text in the place of an
    /// empty history. `by_conversation` is the order of conversations, if `tiers` is enabled.
    pub(super) fn history_pieces(
        &mut self,
        frame: &Frame,
        by_conversation: Option<Vec<Piece>>,
    ) -> StageResult<Vec<Piece>> {
        let (in_place, mut quotes) = self.in_order(frame);
        let pieces = by_conversation.unwrap_or(in_place);
        if self.input.config.render.format == Format::Messages {
            self.fill.quotes.clone_from(&quotes);
        }
        let has_summary = self.summary_before(None).is_some();
        let is_empty = pieces.is_empty() && quotes.is_empty() && !has_summary;
        // Without a history, the room paid for its frame, or for the text in its place, is free again.
        let empty: Vec<Piece> = frame.empty.into_iter().filter(|_| is_empty).collect();
        let around = if is_empty { frame.pieces() } else { Vec::new() };
        let paid = self.total(if frame.is_empty { &empty } else { &around })?;
        let room = self.remaining.plus(frame.reserved).plus(paid);
        let mut notice = self.notice(frame, around, room)?;
        if is_empty && notice.is_none() {
            let fits = !self.is_over_budget && self.total(&empty)?.fits(room);
            return Ok(if fits || frame.is_empty { empty } else { Vec::new() });
        }
        let (before, after) = &frame.around;
        let has_body = !pieces.is_empty() || notice.is_some() || has_summary;
        // Quotes come before the request or the message that serves as it.
        let newest = self.marks.newest_open_row();
        let has_request = self.marks.has_request(self.input) || !self.input.shows_request();
        let mut out = Vec::new();
        if has_body {
            out.extend_from_slice(before);
        }
        for piece in pieces {
            let row = piece.row();
            let reason = row.and_then(|row| self.marks.requirement(row));
            if reason != Some(Reason::Instruction) {
                out.extend(notice.take());
            }
            let is_in_place_of_request =
                reason == Some(Reason::Request) || (row.is_some() && row == newest);
            if is_in_place_of_request && !has_request {
                out.append(&mut quotes);
            }
            out.extend(row.map(|row| self.made_before(row)).unwrap_or_default());
            out.push(piece);
        }
        out.extend(notice);
        out.extend(self.summary_before(None));
        if has_body {
            out.extend_from_slice(after);
        }
        out.append(&mut quotes);
        Ok(out)
    }

    /// The gap notice, if messages are left out, and if the notice and the pieces around it fit.
    fn notice(
        &mut self,
        frame: &Frame,
        mut around: Vec<Piece>,
        room: Cost,
    ) -> StageResult<Option<Piece>> {
        let Some(notice @ Piece::Made(position)) = frame.notice else {
            return Ok(None);
        };
        let Some(gap) = Omission::find(self.input, self.marks, &self.fill.left_out) else {
            return Ok(None);
        };
        self.fill.made[position].text = omission::text(self.input, &gap).unwrap_or_default();
        around.push(notice);
        self.ask_for(&around)?;
        let fits = self.total(&around)?.fits(room) && !self.is_over_budget;
        Ok(fits.then_some(notice))
    }
}
