//! Keeps the conversations that fit, tier by tier, and within the active thread newest first. Of one that doesn't fit,
//! the newest messages are shown.

use super::frame::Frame;
use super::packer::{Packer, by_rank};
use crate::base::cost::Cost;
use crate::base::map::{self, Map};
use crate::base::message::Role;
use crate::base::text;
use crate::config::{Format, Guard, SectionKind, TierForm, TierOverflow};
use crate::log::conversations::{self, Conversation, Tier};
use crate::prompt::form;
use crate::prompt::shorten;
use crate::stages::unread;
use crate::state::ask::{HookName, StageResult};
use crate::state::context::{ConversationForm, ConversationReport, Piece};
use crate::state::fill::ShortenedText;
use crate::state::input::Input;
use crate::state::marks::{Marks, Rank};
use crate::state::trace::Reason;

/// A conversation as it may be shown.
#[derive(Debug)]
pub(crate) struct Shape {
    /// The start tag, or the summary at the beginning.
    open: Option<Piece>,
    /// The shown rows.
    rows: Vec<usize>,
    /// The end tag.
    close: Option<Piece>,
    form: ConversationForm,
    /// True if one of its messages is required. Then the elements around it are required too.
    is_required: bool,
}

impl Shape {
    fn pieces(&self) -> impl Iterator<Item = Piece> {
        let rows = self.rows.iter().copied().map(Piece::Message);
        self.open.into_iter().chain(rows).chain(self.close)
    }

    /// The pieces that aren't paid for yet.
    fn unpaid(&self, marks: &Marks) -> Vec<Piece> {
        let is_unpaid = |piece: &Piece| match piece {
            Piece::Message(row) => marks.requirement(*row).is_none(),
            _ => !self.is_required,
        };
        self.pieces().filter(is_unpaid).collect()
    }

    /// The elements around required messages.
    pub(super) fn required_frame(&self) -> impl Iterator<Item = Piece> {
        self.open.into_iter().chain(self.close).filter(|_| self.is_required)
    }
}

/// Minimum number of characters of an extract. A shorter one says almost nothing about a conversation.
const LEAST_EXTRACT: usize = 40;

/// Maximum number of pieces counted in one batch, if the caller counts. A larger number would count pieces that may not
/// be needed, and a smaller one would ask more often.
const LOOK_AHEAD: usize = 1024;

impl Packer<'_> {
    /// The conversations in the form that is shown if they fit.
    pub(crate) fn shapes(&mut self) -> Vec<Shape> {
        let found = self.marks.conversations.as_ref();
        let list = found.map_or(&[][..], |found| &found.list);
        list.iter().map(|conversation| self.shape(conversation)).collect()
    }

    /// Keeps conversations as far as they fit, in the order of their tiers. Returns the pieces of the history in order.
    pub(crate) fn keep_conversations(
        &mut self,
        frame: &Frame,
        mut shapes: Vec<Shape>,
    ) -> StageResult<Vec<Piece>> {
        let Some(found) = &self.marks.conversations else {
            return Ok(Vec::new());
        };
        let mut spending: Vec<usize> = (0..shapes.len()).collect();
        let in_thread =
            found.list.iter().take_while(|conversation| conversation.tier == Tier::Thread);
        spending[..in_thread.count()].reverse();

        let [mut ended, mut before]: [Option<Tier>; 2] = [None; 2];
        let (mut misses, most_misses) = (0, unread::most_misses(&self.input.config));
        let stops = self.input.config.tiers.on_overflow == TierOverflow::Stop;
        for (position, index) in spending.iter().copied().enumerate() {
            let conversation = &found.list[index];
            let tier = conversation.tier;
            if shapes[index].form == ConversationForm::LeftOut {
                continue;
            }
            let is_counted_by_hook = self.input.hooks.contains(&HookName::CountTokens);
            let looks_ahead = if is_counted_by_hook { LOOK_AHEAD } else { 0 };
            let ahead = spending[position..].iter().flat_map(|index| shapes[*index].pieces());
            let ahead: Vec<Piece> = ahead.take(looks_ahead).collect();
            let shape = &mut shapes[index];
            if ended.is_some_and(|ended| stops || ended == tier) {
                self.leave_out(shape, conversation, Reason::RunEnded);
                continue;
            }
            let count = shape.pieces().count();
            self.meter.ask_ahead(self.view(), count, &|place| ahead.get(place).copied())?;
            if before.replace(tier) != Some(tier) {
                misses = 0;
            }
            if let Some(reason) = self.pay(&shape.unpaid(self.marks), separator(self.input))? {
                self.fill.is_trimmed = true;
                if !self.keep_newest(shape, tier, &mut misses)?
                    && !self.shorten_extract(shape, conversation)?
                {
                    self.leave_out(shape, conversation, reason);
                    misses += 1;
                }
                if stops || misses > most_misses {
                    ended = Some(tier);
                }
            }
        }

        let is_optional = |row: &usize| self.marks.requirement(*row).is_none();
        for shape in &shapes {
            self.fill.kept.extend(shape.rows.iter().copied().filter(is_optional));
        }
        let [direct] = by_rank(self.marks, [Rank::Direct]);
        self.keep_in_order(frame, &direct)?;
        self.fill.conversations = found.list.iter().zip(&shapes).map(report).collect();
        Ok(self.by_conversation(&found.list, &shapes))
    }

    /// The form of a conversation if it fits.
    fn shape(&mut self, conversation: &Conversation) -> Shape {
        let (input, marks) = (self.input, self.marks);
        let is_element = input.config.render.format == Format::Conversations;
        let section =
            input.config.section(SectionKind::History).map_or(0, |(position, _)| position);
        let max_chars = usize::try_from(input.config.tiers.max_summary_chars).unwrap_or(usize::MAX);
        let is_gone = conversation.wanted == TierForm::Full && conversation.rows.is_empty();
        let is_required = conversation.rows.iter().any(|row| marks.requirement(*row).is_some());
        let (summary, form) = match (conversation.wanted, &conversation.summary) {
            // Only its required messages are shown.
            (TierForm::Summary | TierForm::None, _) if is_required => {
                (None, ConversationForm::TruncatedTail)
            }
            (TierForm::None, _) => (None, ConversationForm::LeftOut),
            // Its messages are gone, but its summary remains.
            (TierForm::Full, Some(summary)) if is_gone && !is_known_empty(input, conversation) => {
                (Some(summary.clone()), ConversationForm::Summary)
            }
            (TierForm::Full, _) => (None, ConversationForm::Full),
            (TierForm::Summary, Some(summary)) => {
                (Some(summary.clone()), ConversationForm::Summary)
            }
            (TierForm::Summary, None) => {
                let extract = conversations::extract(
                    &input.config,
                    &input.transcript,
                    &conversation.rows,
                    max_chars,
                );
                let form = if extract.is_empty() {
                    ConversationForm::LeftOut
                } else {
                    ConversationForm::Extract
                };
                (Some(extract), form)
            }
        };
        let is_shown = |row: &usize| match conversation.wanted {
            TierForm::Full => !marks.is_left_out(*row),
            TierForm::Summary | TierForm::None => marks.requirement(*row).is_some(),
        };
        let rows: Vec<usize> = conversation.rows.iter().copied().filter(is_shown).collect();
        let is_extract = form == ConversationForm::Extract;
        let summary = summary.as_deref().filter(|_| form != ConversationForm::LeftOut);
        let summary = summary.map(|text| (text, is_extract));
        let text = opening(input, conversation, summary, rows.is_empty());
        let open = text.map(|text| self.fill.make(section, Role::System, text));
        let close = is_element
            .then(|| self.fill.make(section, Role::System, form::CONVERSATION_CLOSE.to_owned()));
        Shape { open, rows, close, form, is_required }
    }

    /// Shows a conversation as the longest extract that fits. Returns false if none does.
    fn shorten_extract(&mut self, shape: &Shape, conversation: &Conversation) -> StageResult<bool> {
        let input = self.input;
        let (Some(Piece::Made(made)), ConversationForm::Extract) = (shape.open, shape.form) else {
            return Ok(false);
        };
        let config = &input.config;
        let most = usize::try_from(config.tiers.max_summary_chars).unwrap_or(usize::MAX);
        let rows = &conversation.rows;
        let unpaid = shape.unpaid(self.marks);
        let before = (self.remaining, self.history);
        let mut fits = |length: usize| -> StageResult<bool> {
            let extract = conversations::extract(&input.config, &input.transcript, rows, length);
            let text = opening(input, conversation, Some((&extract, true)), true);
            self.fill.made[made].text = text.unwrap_or_default();
            (self.remaining, self.history) = before;
            self.ask_for(&unpaid)?;
            Ok(self.pay(&unpaid, separator(input))?.is_none())
        };
        let length = shorten::longest_fitting(most, &mut fits)?;
        let is_shown = length >= LEAST_EXTRACT && fits(length)?;
        if !is_shown {
            (self.remaining, self.history) = before;
        }
        Ok(is_shown)
    }

    /// Leaves a conversation out, except its required messages.
    fn leave_out(&mut self, shape: &mut Shape, conversation: &Conversation, reason: Reason) {
        let marks = self.marks;
        let gone =
            conversation.rows.iter().copied().filter(|row| marks.requirement(*row).is_none());
        self.fill.left_out.extend(gone.map(|row| (row, reason)));
        shape.rows.retain(|row| marks.requirement(*row).is_some());
        shape.form = if shape.is_required {
            ConversationForm::TruncatedTail
        } else {
            ConversationForm::LeftOut
        };
        self.fill.is_trimmed = true;
    }

    /// Pays for pieces if they fit. Otherwise returns the limit that they exceed. `between` doesn't count toward the
    /// history's own limit.
    fn pay(&mut self, pieces: &[Piece], between: Cost) -> StageResult<Option<Reason>> {
        let Some(cost) = self.cost_within(&mut pieces.iter().copied(), self.remaining)? else {
            return Ok(Some(Reason::OverBudget));
        };
        let own = cost.minus(between);
        let count = message_count(pieces);
        if !own.fits(self.history.cost) || count > self.history.items {
            return Ok(Some(Reason::OverLimit));
        }
        self.history.cost = self.history.cost.minus(own);
        self.history.items -= count;
        self.remaining = self.remaining.minus(cost);
        Ok(None)
    }

    /// Keeps the newest groups of a conversation, as far as they fit, and its required messages. A group that doesn't
    /// fit is skipped, as in a history without tiers. In the format `conversations` the newest such message of the
    /// active thread is shown in part. Returns false if the lines around them don't fit.
    fn keep_newest(
        &mut self,
        shape: &mut Shape,
        tier: Tier,
        misses: &mut u64,
    ) -> StageResult<bool> {
        let marks = self.marks;
        let cuts_message = shape.close.is_some() && tier == Tier::Thread;
        let least = if cuts_message { self.input.config.tiers.min_tail_chars } else { 0 };
        if shape.form != ConversationForm::Full
            || self.remaining.chars.min(self.history.cost.chars) <= least
        {
            return Ok(false);
        }
        let all = std::mem::take(&mut shape.rows);
        let before = (self.remaining, self.history);
        if self.pay(&shape.unpaid(marks), separator(self.input))?.is_some() {
            shape.rows = all;
            return Ok(false);
        }
        // For each row, the reason why it is left out, if it is.
        let mut reasons: Map<usize, Option<Reason>> = Map::default();
        let mut is_any = false;
        for row in all.iter().rev().copied() {
            if reasons.get(&row).is_some() || marks.requirement(row).is_some() {
                continue;
            }
            let members: Vec<usize> = self.open_members(row).collect();
            let pieces: Vec<Piece> = members.iter().copied().map(Piece::Message).collect();
            let mut reason = Some(Reason::RunEnded);
            if *misses <= unread::most_misses(&self.input.config) {
                self.ask_for(&pieces)?;
                reason = self.pay(&pieces, Cost::default())?;
                if reason.is_some() {
                    let is_first = *misses == 0 && cuts_message;
                    *misses += 1;
                    if is_first && members.len() == 1 && self.keep_end(row)? {
                        reason = None;
                    }
                }
            }
            is_any |= reason.is_none();
            for member in members {
                reasons.insert(member, reason);
            }
        }
        if !is_any {
            (self.remaining, self.history) = before;
        }
        for row in all {
            match reasons.get(&row).copied().flatten() {
                Some(reason) => self.fill.left_out.push((row, reason)),
                None => shape.rows.push(row),
            }
        }
        shape.form = if is_any || shape.is_required {
            ConversationForm::TruncatedTail
        } else {
            ConversationForm::LeftOut
        };
        Ok(true)
    }

    /// Keeps as much of a message as fits: its beginning and end in a guarded prompt, otherwise its end, to match the
    /// presets' documents. Returns false if nothing of it fits.
    fn keep_end(&mut self, row: usize) -> StageResult<bool> {
        let piece = Piece::Message(row);
        let text = self.view().text_of(piece);
        let before = self.fill.shortened.get(&piece).cloned();
        let is_guarded = self.input.config.render.guard == Guard::Indent;
        let token_count = if is_guarded { self.meter.count(&text)? } else { 0 };
        let cut = |packer: &Self, length: usize| -> StageResult<ShortenedText> {
            if is_guarded {
                return shorten::cut(&text, &[], length, token_count, &packer.meter);
            }
            Ok(text::tail(&text, length).to_owned().into())
        };
        let length = shorten::longest_fitting(text.chars().count() + 1, &mut |length| {
            let shortened = cut(self, length)?;
            self.fill.shortened.insert(piece, shortened);
            self.ask_for(&[piece])?;
            let cost = self.cost_within(&mut [piece].into_iter(), self.remaining)?;
            Ok(self.history.items > 0 && cost.is_some_and(|cost| cost.fits(self.history.cost)))
        })?;
        let kept = if length > 0 { Some(cut(self, length)?) } else { before };
        match kept {
            Some(kept) => self.fill.shortened.insert(piece, kept),
            None => drop(self.fill.shortened.remove(&piece)),
        }
        Ok(length > 0 && self.pay(&[piece], Cost::default())?.is_none())
    }

    /// The pieces of the history: in the format `conversations` by tier, otherwise by time.
    fn by_conversation(&self, list: &[Conversation], shapes: &[Shape]) -> Vec<Piece> {
        let (input, marks) = (self.input, self.marks);
        let mut order: Vec<usize> = (0..shapes.len()).collect();
        if input.config.render.format != Format::Conversations {
            let moment = |index: usize| list[index].started_at.map_or(i64::MIN, |moment| moment.0);
            let first = |index: usize| map::place(list[index].rows.first().copied());
            map::sort_by_key(&mut order, &|index| (moment(index), first(index)));
        }
        let mut is_inside = vec![false; input.transcript.len()];
        for row in list.iter().flat_map(|conversation| &conversation.rows) {
            is_inside[*row] = true;
        }
        let is_outside = |row: &usize| !is_inside[*row] && !marks.is_in_turn(*row);
        let outside: Vec<usize> = self.fill.kept.iter().copied().filter(is_outside).collect();
        let is_direct = |row: &usize| marks.is_direct(input, *row);
        let before = outside.iter().copied().filter(|row| !is_direct(row)).map(Piece::Message);
        let after = outside.iter().copied().filter(is_direct).map(Piece::Message);
        let mut pieces: Vec<Piece> = before.collect();
        for index in order {
            let shape = &shapes[index];
            if shape.form != ConversationForm::LeftOut {
                pieces.extend(shape.pieces());
            }
        }
        pieces.extend(after);
        pieces
    }
}

/// The start tag of a conversation, or in other formats its summary.
fn opening(
    input: &Input,
    conversation: &Conversation,
    summary: Option<(&str, bool)>,
    is_empty: bool,
) -> Option<String> {
    let label = &conversation.label;
    if input.config.render.format == Format::Conversations {
        return Some(form::conversation_open(conversation.started_at, label, summary, is_empty));
    }
    let (text, is_extract) = summary?;
    Some(form::conversation_summary(&input.config, label, text, is_extract))
}

/// True if a conversation has no messages, according to the caller's data.
fn is_known_empty(input: &Input, conversation: &Conversation) -> bool {
    let known = &input.config.tiers.conversations;
    known.iter().any(|known| known.id == conversation.id && known.ended_at.is_some())
}

/// The cost of the separator between two conversations, which belongs to neither: the line end after an element.
fn separator(input: &Input) -> Cost {
    let is_element = input.config.render.format == Format::Conversations;
    Cost { chars: u64::from(is_element), ..Cost::default() }
}

fn message_count(pieces: &[Piece]) -> u64 {
    pieces.iter().filter(|piece| matches!(piece, Piece::Message(_))).count() as u64
}

fn report((conversation, shape): (&Conversation, &Shape)) -> ConversationReport {
    ConversationReport {
        id: conversation.id.clone(),
        started_at: conversation.started_at.map(|moment| moment.0),
        ended_at: conversation.ended_at.map(|moment| moment.0),
        label: conversation.label.clone(),
        tier: conversation.tier,
        form: shape.form,
    }
}
