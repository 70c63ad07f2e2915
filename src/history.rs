//! How much of the history fits: whole groups, by the rank of their claims, within the budget and the history's own limit.
//!
//! `stages/budget` says when it is served, `tiered` does the same for conversations.

use crate::ask::StageResult;
use crate::config::{Format, Measure, Oversize, SectionKind};
use crate::context::{Cost, Piece};
use crate::draft::{Candidate, Draft, Rank, Ranked, Why};
use crate::form;
use crate::measure::Meter;
use crate::shorten;
use crate::tiered;
use crate::trace::Reason;
use crate::transcript::Role;
use crate::unread;

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
}

impl History {
    pub(crate) fn begin(draft: &mut Draft) -> Self {
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
        let empty = section.empty.clone().map(|empty| label + &empty);
        let (before, after) = form::around_history(draft);
        let mut make = |text| draft.make(position, Role::System, text);
        history.around = (
            before.into_iter().map(&mut make).collect(),
            after.into_iter().map(&mut make).collect(),
        );
        if draft.config.render.format != Format::Messages {
            history.empty = empty.map(|empty| draft.make(position, Role::System, empty));
        }
        history
    }

    pub(crate) fn frame(&self) -> Vec<Piece> {
        self.around.0.iter().chain(&self.around.1).copied().collect()
    }
}

/// Keeps whole groups by rank, within a rank the newest first.
pub(crate) fn keep_by_rank(
    draft: &mut Draft,
    meter: &Meter,
    history: &mut History,
    room: &mut Cost,
    ranks: &[Rank],
) -> StageResult {
    let mut by_rank: Vec<Vec<usize>> = vec![Vec::new(); ranks.len()];
    for row in draft.open_rows().into_iter().rev() {
        let rank = draft.rank(row);
        if let Some(place) = ranks.iter().position(|wanted| *wanted == rank) {
            by_rank[place].push(row);
        }
    }
    for (rows, rank) in by_rank.iter_mut().zip(ranks) {
        if *rank == Rank::Direct {
            rows.reverse(); // they stand in the order of their priority: the first is the first to be kept
        }
    }
    let rows = by_rank.concat();
    let limit = HistoryLimit::of(draft);
    let mut is_seen = vec![false; draft.transcript.len()];
    let mut blocked: Option<Reason> = None;
    for (position, row) in rows.iter().copied().enumerate() {
        if is_seen[draft.groups.of(row)] {
            continue; // with a newer message of its group
        }
        let is_run = matches!(draft.rank(row), Rank::Recent | Rank::History);
        if let (true, Some(reason)) = (is_run, blocked) {
            history.left_out.push((row, reason)); // and so will be the rest of its group
            continue;
        }
        is_seen[draft.groups.of(row)] = true;
        let members: Vec<usize> = open_members(draft, row);
        let ahead = members.iter().chain(&rows[position..]).copied().map(Piece::Message);
        meter.ask_ahead(draft, members.len(), ahead)?;
        if let Err(reason) = limit.keep(draft, meter, history, room, &members)? {
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
    let newest: Vec<Candidate> = ranking.newest.iter().copied().map(Candidate::Row).collect();
    let lists = [
        (&newest, all.share(config.max_recent_share), 0, Reason::Newest),
        (&ranking.candidates, all.share(config.max_share), MISSES, Reason::Recalled),
    ];
    let limit = HistoryLimit::of(draft);
    for (candidates, share, most_misses, reason) in lists {
        let mut left =
            Cost { tokens: share.tokens.min(room.tokens), chars: share.chars.min(room.chars) };
        let mut misses = 0;
        for (position, candidate) in candidates.iter().enumerate() {
            let row = match (candidate, &ranking.why) {
                (Candidate::Row(row), _) => *row,
                (Candidate::Unread(_), Why::Found(evidence)) => {
                    return Err(unread::ask_for_candidates(evidence, &candidates[position..]));
                }
                (Candidate::Unread(_), Why::Recorded(_)) => continue,
            };
            if draft.rank(row) != Rank::History {
                continue; // kept with another of its group
            }
            let members = open_members(draft, row);
            let next = candidates[position..].iter().filter_map(|candidate| candidate.row());
            let ahead = members.iter().copied().chain(next).map(Piece::Message);
            meter.ask_ahead(draft, members.len(), ahead)?;
            let before = left;
            if limit.keep(draft, meter, history, &mut left, &members)?.is_ok() {
                draft.claim(row, Rank::Recalled, reason);
                *room = room.minus(before.minus(left));
                misses = 0;
            } else {
                misses += 1;
            }
            if misses > most_misses {
                break;
            }
        }
    }
    Ok(())
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
    ) -> StageResult<Result<(), Reason>> {
        if members.len() as u64 > history.items {
            return Ok(Err(Reason::OverLimit));
        }
        let pieces: Vec<Piece> = members.iter().copied().map(Piece::Message).collect();
        let Some(mut cost) = meter.cost_within(draft, &pieces, *room)? else {
            return Ok(Err(Reason::OverBudget));
        };
        let mut own = self.own_cost(draft, members, cost);
        if !own.fits(history.room) {
            let (true, &[row]) = (history.kept.is_empty(), members) else {
                return Ok(Err(Reason::OverLimit));
            };
            if self.oversize != Oversize::Tail || own.tokens > history.room.tokens {
                return Ok(Err(Reason::OverLimit));
            }
            let text = draft.text_of(Piece::Message(row));
            let text = form::said_of(&draft.config, &text);
            let around = own.chars.saturating_sub(text.chars().count() as u64);
            let left = history.room.chars.saturating_sub(around).max(1);
            let end = shorten::tail(&text, usize::try_from(left).unwrap_or(usize::MAX));
            draft.shortened.insert(Piece::Message(row), end.to_owned());
            cost = meter.total(draft, &pieces)?;
            if !cost.fits(*room) {
                // A cut may fall within a token.
                draft.shortened.remove(&Piece::Message(row));
                return Ok(Err(Reason::OverBudget));
            }
            draft.trimmed = true;
            own = history.room; // nothing else
        }
        history.room = history.room.minus(own);
        history.items -= members.len() as u64;
        history.kept.extend(members);
        *room = room.minus(cost);
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

/// The pieces of the history in their order, with what stands around them; or what stands for it where there is none.
pub(crate) fn pieces(
    draft: &Draft,
    meter: &Meter,
    history: &History,
    room: Cost,
) -> StageResult<Vec<Piece>> {
    let in_order = || {
        let mut is_kept = vec![false; draft.transcript.len()];
        for row in &history.kept {
            is_kept[*row] = true;
        }
        let rows = draft.order.iter().copied().filter(|row| is_kept[*row]);
        rows.map(Piece::Message).collect()
    };
    let pieces: Vec<Piece> = history.pieces.clone().unwrap_or_else(in_order);
    if !pieces.is_empty() {
        let (before, after) = &history.around;
        return Ok(before.iter().chain(&pieces).chain(after).copied().collect());
    }
    // What the frame would have cost is free again.
    let room = room.plus(meter.total(draft, &history.frame())?);
    let empty: Vec<Piece> = history.empty.into_iter().collect();
    let fits = !history.is_over_budget && meter.total(draft, &empty)?.fits(room);
    Ok(if fits || history.is_empty { empty } else { Vec::new() })
}
