//! How much of the history fits: whole groups, by the rank of their claims, within the budget and the history's own limit.
//!
//! `stages/budget` says when it is served, `tiered` does the same for conversations.

use crate::base::cost::{Cost, share_of};
use crate::base::message::Role;
use crate::base::text;
use crate::config::{Format, Measure, Oversize, Placement, SectionKind};
use crate::prompt::form;
use crate::prompt::measure::Meter;
use crate::stages::budget::gap::{self, Gap};
use crate::stages::budget::tiered;
use crate::stages::unread;
use crate::state::ask::StageResult;
use crate::state::context::Piece;
use crate::state::draft::{Draft, Rank, Ranked, Why};
use crate::state::trace::Reason;

/// What becomes of the history.
#[derive(Debug)]
pub(crate) struct History {
    /// What stands before and after it.
    pub around: (Vec<Piece>, Vec<Piece>),
    /// What stands for it where there is none.
    pub empty: Option<Piece>,
    /// Whether that is paid for, as there cannot be any.
    pub is_empty: bool,
    /// Whether what is required costs more than there is: then nothing is free again.
    pub is_over_budget: bool,
    /// The rows that are kept.
    pub kept: Vec<usize>,
    /// The rows that are not, and why.
    pub left_out: Vec<(usize, Reason)>,
    /// The pieces of the history in their order, where it is not that of the rows.
    pub pieces: Option<Vec<Piece>>,
    /// What its own limit leaves.
    pub room: Cost,
    /// How many more messages its own limit allows.
    pub items: u64,
    /// The conversations, where they are told apart.
    pub shapes: Vec<tiered::Shape>,
    /// Of what is kept, the rows that are quoted.
    pub quoted: Vec<usize>,
    plan: Plan,
    /// What stands before and after what is quoted.
    around_quotes: (Vec<Piece>, Vec<Piece>),
    /// What says that messages are left out, and the room that is kept for it.
    notice: Option<Piece>,
    reserved: Cost,
}

/// What is quoted, and whether there is room kept for the gap notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Whether what triage chose is quoted.
    pub quotes_chosen: bool,
    /// Whether what is recalled is quoted.
    pub quotes_recalled: bool,
    /// Whether there is room kept for the gap notice.
    pub reserves: bool,
}

impl Plan {
    /// How it is tried first, where all may fit, and how then.
    pub(crate) fn of(draft: &Draft) -> [Self; 2] {
        let config = &draft.config;
        let notices = config.enabled && config.render.gap_notice.is_some();
        let has_gap = notices && Gap::find(draft, &[]).is_some();
        let is_flat = draft.conversations.is_none();
        let quotes_chosen = is_flat && config.triage.placement == Placement::AfterHistory;
        let first = Self { quotes_chosen, quotes_recalled: false, reserves: has_gap };
        let quotes_recalled =
            draft.ranking.is_some() && config.recall.placement == Placement::AfterHistory;
        [first, Self { quotes_recalled, reserves: notices, ..first }]
    }
}

impl History {
    pub(crate) fn begin(draft: &mut Draft, plan: Plan) -> Self {
        let mut history = Self {
            around: (Vec::new(), Vec::new()),
            empty: None,
            is_empty: false,
            is_over_budget: false,
            kept: Vec::new(),
            left_out: Vec::new(),
            pieces: None,
            room: Cost { tokens: u64::MAX, chars: u64::MAX },
            items: u64::MAX,
            shapes: tiered::shapes(draft),
            quoted: Vec::new(),
            plan,
            around_quotes: (Vec::new(), Vec::new()),
            notice: None,
            reserved: Cost::default(),
        };
        let Some((position, section)) = draft.config.section(SectionKind::History) else {
            return history;
        };
        history.room = Cost {
            tokens: section.limit.tokens.unwrap_or(u64::MAX),
            chars: section.limit.chars.unwrap_or(u64::MAX),
        };
        history.items = section.limit.items.unwrap_or(u64::MAX);
        let label = section.label.clone().unwrap_or_default();
        let empty =
            section.empty.clone().map(|empty| form::own_text(&draft.config, &(label + &empty)));
        let (before, after) = form::around_history(draft);
        let (opening, closing) = form::around_quotes(&draft.config);
        let mut make = |texts: Vec<String>| -> Vec<Piece> {
            let mut pieces = Vec::with_capacity(texts.len());
            for text in texts {
                pieces.push(draft.make(position, Role::System, text));
            }
            pieces
        };
        history.around = (make(before), make(after));
        if plan.quotes_chosen || plan.quotes_recalled {
            history.around_quotes = (make(opening), make(closing));
        }
        if let (true, Some(longest)) = (plan.reserves, gap::longest_text(draft)) {
            history.notice = Some(draft.make(position, Role::System, longest));
        }
        if draft.config.render.format != Format::Messages {
            history.empty = empty.map(|empty| draft.make(position, Role::System, empty));
        }
        history
    }

    pub(crate) fn frame(&self) -> Vec<Piece> {
        self.around.0.iter().chain(&self.around.1).copied().collect()
    }

    /// Keeps room for the gap notice, if there is any.
    pub(crate) fn reserve(&mut self, draft: &Draft, meter: &Meter, room: &mut Cost) -> StageResult {
        if let Some(notice) = self.notice {
            meter.ask_for(draft, &[notice])?;
            let cost = meter.cost(draft, notice)?;
            if cost.fits(*room) {
                self.reserved = cost;
                *room = room.minus(cost);
            }
        }
        Ok(())
    }

    /// What stands around what is quoted, as far as it is not paid for.
    fn unpaid_around_quotes(&self, draft: &Draft, meter: &Meter) -> StageResult<Cost> {
        let (opening, closing) = &self.around_quotes;
        if self.quoted.is_empty() {
            let around = meter.total(draft, opening)?.plus(meter.total(draft, closing)?);
            // The last line of a message loses its line end; for that of a text `Meter::slack` sets something aside.
            let is_chat = draft.config.render.format == Format::Messages;
            let tokens = if is_chat { meter.line_end } else { 0 };
            return Ok(around.plus(Cost { tokens, chars: 0 }));
        }
        Ok(Cost::default())
    }

    /// The request, and what is kept of its answers.
    pub(crate) fn turn(&self, draft: &Draft) -> Vec<Piece> {
        let mut is_kept = vec![false; draft.transcript.len()];
        for row in &self.kept {
            is_kept[*row] = draft.is_in_turn(*row);
        }
        let answers = draft.order.iter().filter(|row| is_kept[**row]).map(|row| draft.piece(*row));
        let request = draft.has_request().then_some(Piece::Request);
        request.into_iter().chain(answers.filter(|it| *it != Piece::Request)).collect()
    }

    /// The messages that are in their place, and those that are quoted with what stands around them; each the oldest first.
    fn in_order(&self, draft: &Draft) -> (Vec<Piece>, Vec<Piece>) {
        let mut is_kept = vec![false; draft.transcript.len()];
        let mut is_quoted = vec![false; draft.transcript.len()];
        for row in &self.kept {
            is_kept[*row] = true;
        }
        let (mut in_place, mut quotes) = (Vec::new(), Vec::new());
        let (opening, closing) = &self.around_quotes;
        for row in &self.quoted {
            is_quoted[*row] = true;
        }
        if !self.quoted.is_empty() {
            quotes.extend_from_slice(opening);
        }
        for row in &draft.order {
            if draft.is_in_turn(*row) {
                continue; // with the request
            }
            if is_quoted[*row] {
                quotes.push(Piece::Quoted(*row));
            } else if is_kept[*row] {
                in_place.push(Piece::Message(*row));
            }
        }
        if !self.quoted.is_empty() {
            quotes.extend_from_slice(closing);
        }
        (self.pieces.clone().unwrap_or(in_place), quotes)
    }
}

/// What makes a piece of a message.
fn piece_of(is_quoted: bool) -> fn(usize) -> Piece {
    if is_quoted { Piece::Quoted } else { Piece::Message }
}

/// The open rows of each of some ranks, in the order in which they are served: the newest first.
pub(crate) fn by_rank<const N: usize>(draft: &Draft, ranks: [Rank; N]) -> [Vec<usize>; N] {
    let mut by_rank = ranks.map(|_| Vec::new());
    for row in draft.order.iter().copied().rev() {
        let rank = draft.rank(row);
        if let Some(place) = ranks.iter().position(|wanted| *wanted == rank)
            && !draft.is_left_out(row)
        {
            by_rank[place].push(row);
        }
    }
    for (rows, rank) in by_rank.iter_mut().zip(ranks) {
        if rank == Rank::Direct {
            rows.reverse(); // they stand in the order of their priority: the first is the first to be kept
        }
    }
    by_rank
}

/// Keeps whole groups, in the order of their rows.
pub(crate) fn keep_in_order(
    draft: &mut Draft,
    meter: &Meter,
    history: &mut History,
    room: &mut Cost,
    rows: &[usize],
) -> StageResult {
    let limit = HistoryLimit::of(draft);
    let mut is_seen = vec![false; draft.transcript.len()];
    let mut blocked: Option<Reason> = None;
    for (position, row) in rows.iter().copied().enumerate() {
        let rank = draft.rank(row);
        if is_seen[draft.groups.of(row)] {
            continue; // with a newer message of its group
        }
        let is_run = matches!(rank, Rank::Recent | Rank::History);
        if let (true, Some(reason)) = (is_run, blocked) {
            history.left_out.push((row, reason)); // and so will be the rest of its group
            continue;
        }
        is_seen[draft.groups.of(row)] = true;
        let members: Vec<usize> = open_members(draft, row);
        let is_quoted = history.plan.quotes_chosen && rank == Rank::Chosen;
        meter.ask_for_group(draft, &members, &rows[position..], piece_of(is_quoted))?;
        if let Err(reason) = limit.keep(draft, meter, history, room, &members, is_quoted)? {
            blocked = blocked.or(is_run.then_some(reason));
            history.left_out.extend(members.into_iter().map(|member| (member, reason)));
        }
    }
    Ok(())
}

/// Keeps what ranks best for the request: first the newest, within their share, then the others, within that of all. What
/// does not fit is passed over.
pub(crate) fn keep_ranked(
    draft: &mut Draft,
    meter: &Meter,
    history: &mut History,
    room: &mut Cost,
    ranking: &Ranked,
) -> StageResult {
    /// After so many in a row that do not fit, there is no room left to speak of.
    const MISSES: usize = 48;
    let config = &draft.config.recall;
    let all = Cost {
        tokens: room.tokens.min(history.room.tokens),
        chars: room.chars.min(history.room.chars),
    };
    let rows: Vec<usize> = ranking.candidates.iter().map_while(|it| it.row()).collect();
    let rest = &ranking.candidates[rows.len()..];
    let lists = [
        (&ranking.newest, config.max_recent_share, 0, Reason::Newest),
        (&rows, config.max_share, MISSES, Reason::Recalled),
    ];
    let limit = HistoryLimit::of(draft);
    let mut is_full = false;
    let all_items = history.items;
    for (rows, share, most_misses, reason) in lists {
        let part = all.share(share);
        let mut left =
            Cost { tokens: part.tokens.min(room.tokens), chars: part.chars.min(room.chars) };
        // A share of a limit of messages is one message or group at least.
        let mut items = share_of(all_items, share).min(history.items);
        let mut is_first = true;
        let is_quoted = history.plan.quotes_recalled && reason == Reason::Recalled;
        let mut misses = 0;
        is_full = share <= 0.0;
        for (position, row) in rows.iter().copied().enumerate() {
            if is_full {
                break;
            }
            if draft.rank(row) != Rank::History {
                continue; // kept with another of its group
            }
            let members = open_members(draft, row);
            meter.ask_for_group(draft, &members, &rows[position..], piece_of(is_quoted))?;
            let before = left;
            let count = members.len() as u64;
            if (count <= items || is_first)
                && limit.keep(draft, meter, history, &mut left, &members, is_quoted)?.is_ok()
            {
                items = items.saturating_sub(count);
                is_first = false;
                draft.claim(row, Rank::Recalled, reason);
                *room = room.minus(before.minus(left));
                misses = 0;
            } else {
                misses += 1;
            }
            is_full = misses > most_misses || (items == 0 && !is_first);
        }
    }
    match &ranking.why {
        Why::Found(evidence) if !is_full && !rest.is_empty() => {
            Err(unread::ask_for_candidates(evidence, rest))
        }
        _ => Ok(()),
    }
}

/// The members of a row's group that no stage has left out: in a text a call may stand without its result.
fn open_members(draft: &Draft, row: usize) -> Vec<usize> {
    let members = draft.groups.members(row).iter().copied();
    members.filter(|member| !draft.is_left_out(*member)).collect()
}

/// The history's own limit, and how it is counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HistoryLimit {
    measure: Measure,
    oversize: Oversize,
}

impl HistoryLimit {
    pub(crate) fn of(draft: &Draft) -> Self {
        let section = draft.config.section(SectionKind::History);
        let limit = section.map(|(_, section)| section.limit.clone()).unwrap_or_default();
        Self { measure: limit.measure, oversize: limit.oversize }
    }

    /// Keeps a group if it fits, or of the newest message its end; otherwise says which limit it does not fit.
    fn keep(
        self,
        draft: &mut Draft,
        meter: &Meter,
        history: &mut History,
        room: &mut Cost,
        members: &[usize],
        is_quoted: bool,
    ) -> StageResult<Result<(), Reason>> {
        if members.iter().any(|row| draft.is_in_turn(*row)) {
            // The history's own limit does not count it.
            let pieces: Vec<Piece> = members.iter().map(|row| draft.piece(*row)).collect();
            let Some(cost) = meter.cost_within(draft, &pieces, *room)? else {
                return Ok(Err(Reason::OverBudget));
            };
            history.kept.extend(members);
            *room = room.minus(cost);
            return Ok(Ok(()));
        }
        if members.len() as u64 > history.items {
            return Ok(Err(Reason::OverLimit));
        }
        let pieces: Vec<Piece> = members.iter().copied().map(piece_of(is_quoted)).collect();
        let around =
            if is_quoted { history.unpaid_around_quotes(draft, meter)? } else { Cost::default() };
        let left = room.minus(around);
        let found =
            if around.fits(*room) { meter.cost_within(draft, &pieces, left)? } else { None };
        let Some(mut cost) = found else {
            return Ok(Err(Reason::OverBudget));
        };
        let mut own = self.own_cost(draft, members, cost);
        if !own.fits(history.room) {
            let &[row] = members else {
                return Ok(Err(Reason::OverLimit));
            };
            let is_first = history.kept.iter().all(|row| draft.is_in_turn(*row));
            let is_newest = is_first && draft.newest_open_row() == Some(row);
            let may_be_cut = is_newest && self.oversize == Oversize::Tail;
            if !may_be_cut || own.tokens > history.room.tokens {
                return Ok(Err(Reason::OverLimit));
            }
            let text = draft.text_of(Piece::Message(row));
            let text = form::said_of(&draft.config, &text);
            // The longest end that fits, and one character at least. Around it stand its label and the spaces of its lines.
            let most = text.chars().count() as u64;
            let (mut length, mut fails) = (1, most.min(history.room.chars) + 1);
            while length + 1 < fails {
                let middle = length.midpoint(fails);
                let end = text::tail(&text, usize::try_from(middle).unwrap_or(usize::MAX));
                draft.shortened.insert(Piece::Message(row), end.to_owned());
                let cost = meter.total(draft, &pieces)?;
                if self.own_cost(draft, members, cost).chars <= history.room.chars {
                    length = middle;
                } else {
                    fails = middle;
                }
            }
            let end = text::tail(&text, usize::try_from(length).unwrap_or(usize::MAX));
            draft.shortened.insert(Piece::Message(row), end.to_owned());
            cost = meter.total(draft, &pieces)?;
            if !cost.fits(left) {
                // A cut may fall within a token.
                draft.shortened.remove(&Piece::Message(row));
                return Ok(Err(Reason::OverBudget));
            }
            draft.trimmed = true;
            own = history.room; // nothing else
        }
        history.room = history.room.minus(own);
        history.items -= members.len() as u64;
        if is_quoted {
            history.quoted.extend(members);
        }
        history.kept.extend(members);
        *room = left.minus(cost);
        Ok(Ok(()))
    }

    pub(crate) fn own_cost(self, draft: &Draft, members: &[usize], cost: Cost) -> Cost {
        match self.measure {
            Measure::Rendered => cost,
            Measure::RoleAndText => {
                const AROUND: usize = 4;
                let chars = |row: &usize| {
                    let piece = Piece::Message(*row);
                    let said = form::said(draft, piece, &draft.transcript, *row);
                    said.chars().count() + draft.transcript.role(*row).as_str().len() + AROUND
                };
                Cost { chars: members.iter().map(chars).sum::<usize>() as u64, ..cost }
            }
        }
    }
}

/// The pieces of the history in their order, with what stands around them and what is quoted; or what stands for it where
/// there is none. `room` is what is left beside the room for the gap notice.
pub(crate) fn pieces(
    draft: &mut Draft,
    meter: &Meter,
    history: &History,
    room: Cost,
) -> StageResult<Vec<Piece>> {
    let (pieces, mut quotes) = history.in_order(draft);
    if draft.config.render.format == Format::Messages {
        draft.quotes.clone_from(&quotes);
    }
    let is_empty = pieces.is_empty() && quotes.is_empty();
    // Where there is no history, what was paid for its frame, or for what stands for it, is free again.
    let empty: Vec<Piece> = history.empty.into_iter().filter(|_| is_empty).collect();
    let frame = if is_empty { history.frame() } else { Vec::new() };
    let paid = meter.total(draft, if history.is_empty { &empty } else { &frame })?;
    let room = room.plus(history.reserved).plus(paid);
    let mut notice = notice(draft, meter, history, room, frame)?;
    if is_empty && notice.is_none() {
        let fits = !history.is_over_budget && meter.total(draft, &empty)?.fits(room);
        return Ok(if fits || history.is_empty { empty } else { Vec::new() });
    }
    let (before, after) = &history.around;
    let has_body = !pieces.is_empty() || notice.is_some();
    // What is quoted comes before the request, and before what stands for it.
    let newest = draft.newest_open_row();
    let has_request = draft.has_request() || !draft.shows_request();
    let mut out = Vec::new();
    if has_body {
        out.extend_from_slice(before);
    }
    for piece in pieces {
        let row = piece.row();
        let reason = row.and_then(|row| draft.requirement(row));
        if reason != Some(Reason::Instruction) {
            out.extend(notice.take());
        }
        let stands_for_request =
            reason == Some(Reason::Request) || (row.is_some() && row == newest);
        if stands_for_request && !has_request {
            out.append(&mut quotes);
        }
        out.push(piece);
    }
    out.extend(notice);
    if has_body {
        out.extend_from_slice(after);
    }
    out.append(&mut quotes);
    Ok(out)
}

/// What says that messages are left out, where any are and there is room for it, and for what stands around it.
fn notice(
    draft: &mut Draft,
    meter: &Meter,
    history: &History,
    room: Cost,
    mut around: Vec<Piece>,
) -> StageResult<Option<Piece>> {
    let Some(notice @ Piece::Made(position)) = history.notice else {
        return Ok(None);
    };
    let Some(gap) = Gap::find(draft, &history.left_out) else {
        return Ok(None);
    };
    draft.made[position].text = gap::text(draft, &gap).unwrap_or_default();
    around.push(notice);
    meter.ask_for(draft, &around)?;
    let fits = meter.total(draft, &around)?.fits(room) && !history.is_over_budget;
    Ok(fits.then_some(notice))
}
