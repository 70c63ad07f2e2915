//! Which groups of the history fit by their rank for the request, and in which form: whole, or long messages as excerpts.

use super::filling::Filling;
use super::frame::Frame;
use super::keep::piece_of;
use crate::base::cost::{Cost, share_of};
use crate::base::message::Field;
use crate::config::Ranking;
use crate::prompt::excerpt::{self, Excerpt, Wanted};
use crate::recall::rank::query;
use crate::stages::unread;
use crate::state::ask::StageResult;
use crate::state::context::Piece;
use crate::state::marks::Rank;
use crate::state::ranking::{RankEvidence, Ranked, RankedPlace};
use crate::state::trace::Reason;

/// Groups in a row that do not fit, after which there is no room left to speak of. More of them would find a small message for
/// the last tokens now and then, and cost time with every build.
const MOST_MISSES: usize = 48;

/// So many messages that say what holds throughout are read at once: their share is small.
const MOST_STANDING_READ: usize = 16;

/// What ranks in one way, and what it may take.
struct Share<'a> {
    places: &'a [RankedPlace],
    /// The most that it may take of the room, from 0 to 1.
    most: f64,
    most_misses: usize,
    reason: Reason,
}

/// In which form a group is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Excerpt,
    Whole,
}

/// What is kept for its rank so far, by group.
struct Kept(Vec<Option<Form>>);

impl Filling<'_> {
    /// Keeps the groups that rank best for the request: first the newest within their share, then what holds throughout within its
    /// own, then the others within the share of all. A group that does not fit is passed over.
    pub(super) fn keep_ranked(&mut self, frame: &Frame, ranking: &Ranked) -> StageResult {
        let config = &self.input.config.recall;
        let newest: Vec<RankedPlace> =
            ranking.newest.iter().copied().map(RankedPlace::Row).collect();
        let shares = [
            (&newest, config.max_recent_share, 0, Reason::Newest),
            (&ranking.standing, config.max_standing_share, MOST_MISSES, Reason::Standing),
            (&ranking.candidates, config.max_share, MOST_MISSES, Reason::Recalled),
        ];
        let all = Cost {
            tokens: self.remaining.tokens.min(self.history.cost.tokens),
            chars: self.remaining.chars.min(self.history.cost.chars),
        };
        let all_items = self.history.items;
        let mut kept = Kept(vec![None; self.input.transcript.len()]);
        let mut unread: Vec<RankedPlace> = Vec::new();
        for (places, most, most_misses, reason) in shares {
            let share = Share { places, most, most_misses, reason };
            unread.extend(self.keep_share(frame, &share, (all, all_items), &mut kept)?);
        }
        match &ranking.evidence {
            RankEvidence::Found(evidence) if !unread.is_empty() => {
                Err(unread::candidates(self.input, evidence, &unread).into())
            }
            _ => Ok(()),
        }
    }

    /// Keeps what fits of a share of the room, `all` of which is given with the messages that it may have. Gives the places that were
    /// not read and that there would be room for.
    fn keep_share(
        &mut self,
        frame: &Frame,
        share: &Share<'_>,
        (all, all_items): (Cost, u64),
        kept: &mut Kept,
    ) -> StageResult<Vec<RankedPlace>> {
        let part = all.share(share.most);
        let mut left = Cost {
            tokens: part.tokens.min(self.remaining.tokens),
            chars: part.chars.min(self.remaining.chars),
        };
        // A share of a limit of messages is one message or group at least.
        let mut items = share_of(all_items, share.most).min(self.history.items);
        let (mut is_first, mut misses) = (true, 0);
        let is_quoted = self.plan.quotes_recalled && share.reason != Reason::Newest;
        let rows: Vec<usize> = share.places.iter().map_while(|place| place.row()).collect();
        let last = last_places(&rows, self.input.transcript.len());
        let mut is_full = share.most <= 0.0;
        for (position, row) in rows.iter().copied().enumerate() {
            if is_full {
                break;
            }
            let group = self.marks.groups.of(row);
            let form = if last[row] == position { Form::Whole } else { Form::Excerpt };
            let is_upgrade = kept.0[group] == Some(Form::Excerpt) && form == Form::Whole;
            if self.marks.rank(row) != Rank::History || (kept.0[group].is_some() && !is_upgrade) {
                continue; // kept with another of its group
            }
            let members = self.open_members(row);
            let count = members.len() as u64;
            let before = left;
            let shown = if is_upgrade {
                self.show_whole(&members, is_quoted, &mut left)?.then_some(Form::Whole)
            } else if count > items && !is_first {
                None
            } else if form == Form::Excerpt {
                self.keep_excerpt(frame, &members, is_quoted, &mut left)?
            } else {
                self.ask_for_group(&members, &rows[position..], is_quoted)?;
                if self.keep(frame, &members, is_quoted, &mut left)?.is_none() {
                    Some(Form::Whole)
                } else if share.reason != Reason::Newest && part.share(0.5).fits(left) {
                    // Too long for this prompt, however little else there is.
                    self.keep_excerpt(frame, &members, is_quoted, &mut left)?
                } else {
                    None
                }
            };
            if shown.is_some() {
                if !is_upgrade {
                    items = items.saturating_sub(count);
                    self.fill.recalled.push((row, share.reason));
                }
                is_first = false;
                kept.0[group] = shown;
                self.remaining = self.remaining.minus(before.minus(left));
                misses = 0;
            } else {
                misses += 1;
            }
            is_full = misses > share.most_misses || (items == 0 && !is_first);
        }
        let most = if share.reason == Reason::Standing { MOST_STANDING_READ } else { usize::MAX };
        let next = &share.places[rows.len()..];
        Ok(if is_full { Vec::new() } else { next.iter().copied().take(most).collect() })
    }

    /// Keeps a group with its long messages as excerpts, if any can be one and the group fits so.
    fn keep_excerpt(
        &mut self,
        frame: &Frame,
        members: &[usize],
        is_quoted: bool,
        left: &mut Cost,
    ) -> StageResult<Option<Form>> {
        let excerpts: Vec<(usize, Excerpt)> =
            members.iter().filter_map(|row| Some((*row, self.excerpt_of(*row)?))).collect();
        if excerpts.is_empty() {
            return Ok(None);
        }
        for (row, excerpt) in &excerpts {
            self.fill.shortened.insert(Piece::Message(*row), excerpt.text.clone());
        }
        self.ask_for_group(members, &[], is_quoted)?;
        if self.keep(frame, members, is_quoted, left)?.is_some() {
            for (row, _) in &excerpts {
                self.fill.shortened.remove(&Piece::Message(*row));
            }
            return Ok(None);
        }
        for (row, excerpt) in excerpts {
            self.fill.excerpts.insert(row, excerpt.gaps);
        }
        self.fill.is_trimmed = true;
        Ok(Some(Form::Excerpt))
    }

    /// Shows a group whole that was kept as an excerpt, if it fits so.
    fn show_whole(
        &mut self,
        members: &[usize],
        is_quoted: bool,
        left: &mut Cost,
    ) -> StageResult<bool> {
        let pieces: Vec<Piece> = members.iter().map(|row| piece_of(is_quoted, *row)).collect();
        let before = self.total(&pieces)?;
        let own_before = self.own_cost(members, before);
        let taken: Vec<(usize, String)> = members
            .iter()
            .filter(|row| self.fill.excerpts.get(*row).is_some())
            .filter_map(|row| Some((*row, self.fill.shortened.get(&Piece::Message(*row))?.clone())))
            .collect();
        for (row, _) in &taken {
            self.fill.shortened.remove(&Piece::Message(*row));
        }
        self.ask_for_group(members, &[], is_quoted)?;
        let (room, history) = (left.plus(before), self.history.cost.plus(own_before));
        let cost = self.cost_within(&pieces, room)?;
        let own = cost.map(|cost| self.own_cost(members, cost)).filter(|own| own.fits(history));
        let (Some(cost), Some(own)) = (cost, own) else {
            for (row, text) in taken {
                self.fill.shortened.insert(Piece::Message(row), text);
            }
            return Ok(false);
        };
        for (row, _) in taken {
            self.fill.excerpts.remove(&row);
        }
        *left = room.minus(cost);
        self.history.cost = history.minus(own);
        Ok(true)
    }

    /// The excerpt of a message, if it may have one. One with an image, reasoning that is signed, or several texts comes whole or
    /// not at all; a name, calls and what they are about stay as they are.
    fn excerpt_of(&self, row: usize) -> Option<Excerpt> {
        let recall = &self.input.config.recall;
        let config = &recall.excerpts;
        let transcript = &self.input.transcript;
        let role = transcript.role(row);
        let is_cut = self.view().shortened_text(Piece::Message(row)).is_some();
        let has_others =
            transcript.fields(row).any(|(field, _)| field.is_content() && !may_be_beside(field));
        let mut texts = transcript.values(row, Field::Text);
        let (text, more) = (texts.next()?, texts.next());
        let may_be = config.enabled && recall.ranking == Ranking::Relevance;
        let may_be = may_be && config.roles.contains(&role);
        let is_long = excerpt::about_tokens(text) >= config.min_tokens;
        if !may_be || !is_long || is_cut || has_others || more.is_some() {
            return None;
        }
        let request = query::readable(self.marks.request_text(self.input));
        let wanted = Wanted { request: &request, role, tokens: config.tokens };
        excerpt::excerpt(text, wanted, &|part| self.meter.count_about(part))
    }
}

/// Whether a field may be beside the text of an excerpt.
fn may_be_beside(field: Field) -> bool {
    use Field::{CallArguments, CallId, CallName, Name, ResultId, Text};
    matches!(field, Text | Name | CallId | CallName | CallArguments | ResultId)
}

/// By row, the last place where it is among some.
fn last_places(rows: &[usize], count: usize) -> Vec<usize> {
    let mut last = vec![usize::MAX; count];
    for (position, row) in rows.iter().enumerate() {
        last[*row] = position;
    }
    last
}
