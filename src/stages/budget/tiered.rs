//! Which conversations fit: tier by tier, and of the active thread the newest first.

use crate::base::cost::Cost;
use crate::base::map;
use crate::base::message::Role;
use crate::base::text;
use crate::config::{Format, SectionKind, TierForm, TierOverflow};
use crate::log::conversations::Tier;
use crate::log::conversations::{self, Conversation};
use crate::prompt::form;
use crate::prompt::measure::Meter;
use crate::prompt::shorten;
use crate::stages::budget::history::{History, by_rank, keep_in_order};
use crate::state::ask::{HookName, StageResult};
use crate::state::context::{ConversationForm, ConversationReport, Piece};
use crate::state::draft::{Draft, Rank};
use crate::state::trace::Reason;

/// A conversation as it may be shown.
#[derive(Debug)]
pub(crate) struct Shape {
    /// The element, or the summary, that it begins with.
    open: Option<Piece>,
    /// The rows that are shown.
    rows: Vec<usize>,
    /// The element that it ends with.
    close: Option<Piece>,
    form: ConversationForm,
    /// Whether one of its messages is required: then what stands around them is too.
    is_required: bool,
}

impl Shape {
    fn pieces(&self) -> impl Iterator<Item = Piece> {
        let rows = self.rows.iter().copied().map(Piece::Message);
        self.open.into_iter().chain(rows).chain(self.close)
    }

    /// What is not paid for already.
    fn unpaid(&self, draft: &Draft) -> Vec<Piece> {
        let is_unpaid = |piece: &Piece| match piece {
            Piece::Message(row) => draft.requirement(*row).is_none(),
            _ => !self.is_required,
        };
        self.pieces().filter(is_unpaid).collect()
    }

    /// What stands around required messages.
    pub(crate) fn required_frame(&self) -> impl Iterator<Item = Piece> {
        self.open.into_iter().chain(self.close).filter(|_| self.is_required)
    }
}

/// The conversations as they are shown if they fit.
pub(crate) fn shapes(draft: &mut Draft) -> Vec<Shape> {
    let list = draft.conversations.as_ref().map(|found| found.list.clone()).unwrap_or_default();
    list.iter().map(|conversation| shape(draft, conversation)).collect()
}

/// How many pieces are counted in one batch at most, where the counting is the caller's.
const LOOK_AHEAD: usize = 1024;

/// Keeps conversations as far as they fit, in the order of their tiers.
pub(crate) fn keep_conversations(
    draft: &mut Draft,
    meter: &Meter,
    history: &mut History,
    room: &mut Cost,
) -> StageResult {
    let Some(found) = draft.conversations.clone() else {
        return Ok(());
    };
    let mut shapes = std::mem::take(&mut history.shapes);
    let mut spending: Vec<usize> = (0..shapes.len()).collect();
    let in_thread = found.list.iter().take_while(|conversation| conversation.tier == Tier::Thread);
    spending[..in_thread.count()].reverse();

    let mut ended: Option<(Tier, Reason)> = None;
    let stops = draft.config.tiers.on_overflow == TierOverflow::Stop;
    for (position, index) in spending.iter().copied().enumerate() {
        let tier = found.list[index].tier;
        if shapes[index].form == ConversationForm::LeftOut {
            continue;
        }
        let looks_ahead = if draft.hooks.contains(&HookName::CountTokens) { LOOK_AHEAD } else { 0 };
        let ahead = spending[position..].iter().flat_map(|index| shapes[*index].pieces());
        let ahead: Vec<Piece> = ahead.take(looks_ahead).collect();
        let shape = &mut shapes[index];
        let mut overflow =
            ended.filter(|(over, _)| stops || *over == tier).map(|(_, reason)| reason);
        if overflow.is_none() {
            let count = shape.pieces().count();
            meter.ask_ahead(draft, count, &|place| ahead.get(place).copied())?;
            overflow = pay(draft, meter, history, room, shape)?;
            if let Some(reason) = overflow {
                ended = Some((tier, reason));
                if tier == Tier::Thread && keep_tail(draft, meter, history, room, shape)? {
                    let rows = &found.list[index].rows;
                    let gone = &rows[..rows.len() - shape.rows.len()];
                    history.left_out.extend(gone.iter().map(|row| (*row, reason)));
                    overflow = None;
                }
            }
        }
        if let Some(reason) = overflow {
            let is_required = |row: &usize| draft.requirement(*row).is_some();
            history.left_out.extend(
                shape.rows.iter().filter(|row| !is_required(row)).map(|row| (*row, reason)),
            );
            shape.rows.retain(is_required);
            shape.form = if shape.is_required {
                ConversationForm::TruncatedTail
            } else {
                ConversationForm::LeftOut
            };
            draft.trimmed = true;
        }
    }

    let is_optional = |row: &usize| draft.requirement(*row).is_none();
    for shape in &shapes {
        history.kept.extend(shape.rows.iter().copied().filter(is_optional));
    }
    let [direct] = by_rank(draft, [Rank::Direct]);
    keep_in_order(draft, meter, history, room, &direct)?;
    draft.context.conversations = found.list.iter().zip(&shapes).map(report).collect();
    history.pieces = Some(in_order(draft, &found.list, &shapes, history));
    Ok(())
}

/// Whether the caller knows of a conversation that nothing was said in it.
fn is_known_empty(draft: &Draft, conversation: &Conversation) -> bool {
    let known = &draft.config.tiers.conversations;
    known.iter().any(|known| known.id == conversation.id && known.ended_at.is_some())
}

/// How a conversation is shown if it fits.
fn shape(draft: &mut Draft, conversation: &Conversation) -> Shape {
    let is_element = draft.config.render.format == Format::Conversations;
    let section = draft.config.section(SectionKind::History).map_or(0, |(position, _)| position);
    let max_chars = usize::try_from(draft.config.tiers.max_summary_chars).unwrap_or(usize::MAX);
    let is_gone = conversation.wanted == TierForm::Full && conversation.rows.is_empty();
    let is_required = conversation.rows.iter().any(|row| draft.requirement(*row).is_some());
    let (summary, form) = match (conversation.wanted, &conversation.summary) {
        // Its required messages are shown, and only they.
        (TierForm::Summary | TierForm::None, _) if is_required => {
            (None, ConversationForm::TruncatedTail)
        }
        (TierForm::None, _) => (None, ConversationForm::LeftOut),
        // Its messages are no longer there, and its summary is.
        (TierForm::Full, Some(summary)) if is_gone && !is_known_empty(draft, conversation) => {
            (Some(summary.clone()), ConversationForm::Summary)
        }
        (TierForm::Full, _) => (None, ConversationForm::Full),
        (TierForm::Summary, Some(summary)) => (Some(summary.clone()), ConversationForm::Summary),
        (TierForm::Summary, None) => {
            let filter = &draft.config.filter;
            let extract =
                conversations::extract(filter, &draft.transcript, &conversation.rows, max_chars);
            let form = if extract.is_empty() {
                ConversationForm::LeftOut
            } else {
                ConversationForm::Extract
            };
            (Some(extract), form)
        }
    };
    let is_shown = |row: &usize| match conversation.wanted {
        TierForm::Full => !draft.is_left_out(*row),
        TierForm::Summary | TierForm::None => draft.requirement(*row).is_some(),
    };
    let rows: Vec<usize> = conversation.rows.iter().copied().filter(is_shown).collect();
    let is_extract = form == ConversationForm::Extract;
    let summary = summary.as_deref().filter(|_| form != ConversationForm::LeftOut);
    let text = if is_element {
        let label = &conversation.label;
        let summary = summary.map(|text| (text, is_extract));
        Some(form::conversation_open(conversation.started_at, label, summary, rows.is_empty()))
    } else {
        summary.map(|text| {
            form::conversation_summary(&draft.config, &conversation.label, text, is_extract)
        })
    };
    let open = text.map(|text| draft.make(section, Role::System, text));
    let close =
        is_element.then(|| draft.make(section, Role::System, form::CONVERSATION_CLOSE.to_owned()));
    Shape { open, rows, close, form, is_required }
}

/// Pays for a conversation if it fits; otherwise says which limit it does not fit.
fn pay(
    draft: &Draft,
    meter: &Meter,
    history: &mut History,
    room: &mut Cost,
    shape: &Shape,
) -> StageResult<Option<Reason>> {
    let unpaid = shape.unpaid(draft);
    let Some(cost) = meter.cost_within(draft, &unpaid, *room)? else {
        return Ok(Some(Reason::OverBudget));
    };
    let own = cost.minus(joint(draft));
    let count = message_count(&unpaid);
    if !own.fits(history.room) || count > history.items {
        return Ok(Some(Reason::OverLimit));
    }
    history.room = history.room.minus(own);
    history.items -= count;
    *room = room.minus(cost);
    Ok(None)
}

/// What joins a conversation to the next, and is no part of it: the line end after its element.
fn joint(draft: &Draft) -> Cost {
    let is_element = draft.config.render.format == Format::Conversations;
    Cost { tokens: 0, chars: u64::from(is_element) }
}

fn message_count(pieces: &[Piece]) -> u64 {
    pieces.iter().filter(|piece| matches!(piece, Piece::Message(_))).count() as u64
}

/// Keeps the end of a conversation: its last messages, and of the one before them its end. False where too little of it
/// fits.
fn keep_tail(
    draft: &mut Draft,
    meter: &Meter,
    history: &mut History,
    room: &mut Cost,
    shape: &mut Shape,
) -> StageResult<bool> {
    let least = draft.config.tiers.min_tail_chars;
    if shape.form != ConversationForm::Full
        || shape.is_required
        || shape.close.is_none()
        || room.chars.min(history.room.chars) <= least
    {
        return Ok(false);
    }
    let all = std::mem::take(&mut shape.rows);
    for (position, row) in all.iter().enumerate().rev() {
        shape.rows.insert(0, *row);
        let fits = |draft: &Draft, shape: &Shape| -> StageResult<bool> {
            let pieces: Vec<Piece> = shape.pieces().collect();
            meter.ask_for(draft, &pieces)?;
            let Some(cost) = meter.cost_within(draft, &pieces, *room)? else {
                return Ok(false);
            };
            let is_few = message_count(&pieces) <= history.items;
            Ok(is_few && cost.minus(joint(draft)).fits(history.room))
        };
        if fits(draft, shape)? {
            continue;
        }
        // The longest end of this one that fits.
        let piece = Piece::Message(*row);
        let text = draft.text_of(piece);
        let before = draft.shortened_text(piece).map(str::to_owned);
        let low = shorten::longest_fitting(text.chars().count() + 1, &mut |length| {
            draft.shortened.insert(piece, text::tail(&text, length).to_owned());
            fits(draft, shape)
        })?;
        if low == 0 {
            match before {
                Some(text) => draft.shortened.insert(piece, text),
                None => draft.shortened.remove(&piece),
            }
            shape.rows.remove(0);
        } else {
            draft.shortened.insert(piece, text::tail(&text, low).to_owned());
        }
        if low == 0 && position + 1 == all.len() {
            shape.rows = all;
            return Ok(false);
        }
        break;
    }
    // A tail begins with no result whose call is before it.
    let has_call =
        |row: usize| draft.groups.members(row).first().is_some_and(|it| shape.rows.contains(it));
    let cut_off = shape.rows.iter().take_while(|row| !has_call(**row)).count();
    for row in &shape.rows[..cut_off] {
        draft.shortened.remove(&Piece::Message(*row));
    }
    if cut_off == shape.rows.len() {
        shape.rows = all;
        return Ok(false);
    }
    shape.rows.drain(..cut_off);
    shape.form = ConversationForm::TruncatedTail;
    draft.trimmed = true;
    pay(draft, meter, history, room, shape)?;
    Ok(true)
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

/// The pieces of the history: in the format `conversations` by tier, otherwise by time.
fn in_order(
    draft: &Draft,
    list: &[Conversation],
    shapes: &[Shape],
    history: &History,
) -> Vec<Piece> {
    let mut order: Vec<usize> = (0..shapes.len()).collect();
    if draft.config.render.format != Format::Conversations {
        let moment = |index: usize| list[index].started_at.map_or(i64::MIN, |moment| moment.0);
        let first = |index: usize| map::place(list[index].rows.first().copied());
        map::sort_by_key(&mut order, &|index| (moment(index), first(index)));
    }
    let mut is_inside = vec![false; draft.transcript.len()];
    for row in list.iter().flat_map(|conversation| &conversation.rows) {
        is_inside[*row] = true;
    }
    let is_outside = |row: &usize| !is_inside[*row] && !draft.is_in_turn(*row);
    let outside: Vec<usize> = history.kept.iter().copied().filter(is_outside).collect();
    let is_direct = |row: &usize| draft.is_direct(*row);
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
