//! Keeps the history's groups that fit, in the order of their rank for the request: whole, or long messages as
//! excerpts.

use super::frame::Frame;
use super::keep::piece_of;
use super::packer::Packer;
use super::sizes::Size;
use crate::base::candidate::{Candidate, Form};
use crate::base::cost::{Cost, share_of};
use crate::base::map::HashedSet;
use crate::base::message::Field;
use crate::config::Ranking;
use crate::prompt::excerpt::{self, Excerpt, LongText};
use crate::recall::rank::query;
use crate::recall::text::detect::detect;
use crate::recall::text::statements;
use crate::stages::unread;
use crate::state::ask::StageResult;
use crate::state::context::{Gap, Piece};
use crate::state::marks::Rank;
use crate::state::ranking::{RankEvidence, RankedMessages, RankedPlace};
use crate::state::trace::Reason;
use xxhash_rust::xxh64::xxh64;

/// After this many groups in a row that don't fit, the room counts as used up. A larger number would occasionally find
/// a small message for the last tokens, but cost time in every build.
const MOST_MISSES: usize = 48;

/// Minimum room for passages of another message, in tokens. Half of it is for the message around them.
const LEAST_ROOM: u64 = 60;

/// After this many messages without passages that fit, the room counts as used up.
const MOST_MISSED_PASSAGES: usize = 4;

/// Lower bound for the characters per token of most texts.
const CHARS_PER_TOKEN: u64 = 3;

/// Maximum number of tokens around a statement, because a passage may have several sentences.
const MOST_AROUND: u64 = 40;

/// A larger gap in an excerpt, in bytes, is estimated instead of counted, because nobody needs such a large figure
/// exactly.
const MOST_COUNTED: usize = 1 << 20;

/// Candidates of one ranking, and their share of the room.
struct Share<'a> {
    candidates: &'a [Candidate<RankedPlace>],
    /// Maximum share of the room for them, from 0 to 1.
    most: f64,
    most_misses: usize,
    reason: Reason,
}

/// A group whose turn it is, and how much of it to show.
#[derive(Clone, Copy)]
struct Turn<'a> {
    members: &'a [usize],
    form: Form,
    /// Approximate maximum number of tokens of an excerpt.
    most: u64,
    is_quoted: bool,
    /// True if the turn is for a lasting statement: its excerpt is the statement.
    is_statement: bool,
}

/// The content of the prompt so far.
struct Kept {
    /// For each group, its form.
    forms: Vec<Option<Form>>,
    /// A hash of each message that may have copies.
    said: HashedSet<u64>,
}

impl Packer<'_> {
    /// Keeps the groups that rank best for the request: first the newest within their share, then standing instructions
    /// within theirs, then the others within the total share. A group that doesn't fit is skipped. Shares are shares of
    /// `room`: a cost and a number of messages.
    pub(crate) fn keep_ranked(
        &mut self,
        frame: &Frame,
        ranking: &RankedMessages,
        room: (Cost, u64),
    ) -> StageResult {
        let config = &self.input.config.recall;
        // All messages after a cut have already been kept, and one from before it would come and go from turn to turn.
        let newest = ranking.newest.iter().copied().filter(|_| self.fill.cut.is_none());
        let newest = newest.map(RankedPlace::Row);
        let newest: Vec<_> = newest.map(Candidate::whole).collect();
        let standing: Vec<_> = ranking.standing.iter().copied().map(Candidate::whole).collect();
        let statements: Vec<_> = ranking.statements.iter().copied().map(Candidate::whole).collect();
        let statement_share = config.statement_share(!self.marks.is_answered(self.input));
        let shares = [
            (&newest, config.max_recent_share, 0, Reason::Newest),
            (&standing, config.max_standing_share, MOST_MISSES, Reason::Standing),
            (&statements, statement_share, MOST_MISSES, Reason::Statement),
            (&ranking.candidates, config.max_share, MOST_MISSES, Reason::Recalled),
        ];
        let said = self.fill.kept.iter().filter_map(|row| self.said(*row)).collect();
        let mut kept = Kept { forms: vec![None; self.input.transcript.len()], said };
        let is_history =
            |row: &&usize| self.marks.rank(**row) == Rank::History && !self.marks.is_in_turn(**row);
        for row in self.fill.kept.iter().filter(is_history) {
            kept.forms[self.marks.groups.of(*row)] = Some(Form::Whole);
        }
        if !self.fill.earlier_quotes.is_empty() {
            let quoted = self.input.quotes.iter().flat_map(|earlier| &earlier.quoted);
            let quoted: HashedSet<usize> = quoted.copied().collect();
            for row in 0..kept.forms.len() {
                if quoted.contains(&self.input.transcript.message_of(row)) {
                    kept.forms[self.marks.groups.of(row)] = Some(Form::Whole);
                    kept.said.extend(self.said(row));
                }
            }
        }
        let mut unread: Vec<RankedPlace> = Vec::new();
        for (candidates, most, most_misses, reason) in shares {
            let share = Share { candidates, most, most_misses, reason };
            unread.extend(self.keep_share(frame, &share, room, &mut kept)?);
        }
        self.after_ranked = self.remaining;
        match &ranking.evidence {
            RankEvidence::Found(evidence) if !unread.is_empty() => {
                Err(unread::candidates(evidence, &unread).into())
            }
            _ => Ok(()),
        }
    }

    /// Fills the remaining room: with passages of ranked messages that don't fit, then with more of each excerpt and
    /// result.
    pub(crate) fn fill_up(
        &mut self,
        frame: &Frame,
        ranking: Option<&RankedMessages>,
    ) -> StageResult {
        loop {
            let is_more = match ranking {
                Some(ranking) => self.keep_passages(frame, ranking)?,
                None => false,
            };
            if self.may_grow() {
                self.grow_results()?;
            }
            // Excerpts that are whole by now may leave room for others.
            if !is_more {
                break;
            }
        }
        if ranking.is_some() { self.name_ranked_lower() } else { Ok(()) }
    }

    /// Finds the messages that better ones leave no room for. If there was room after those, newer messages took it.
    fn name_ranked_lower(&mut self) -> StageResult {
        let mut left_out = std::mem::take(&mut self.fill.left_out);
        // The members of a group follow each other, and it is measured once.
        let mut last = (usize::MAX, false);
        for (row, reason) in &mut left_out {
            if *reason != Reason::OverBudget || !self.has_place(*row, true) {
                continue;
            }
            let group = self.marks.groups.of(*row);
            if group != last.0 {
                last = (group, self.fits_after_ranked(*row)?);
            }
            if !last.1 {
                *reason = Reason::RankedLower;
            }
        }
        self.fill.left_out = left_out;
        Ok(())
    }

    /// True if the smallest form of a row's group fits the room after the best-ranked messages.
    fn fits_after_ranked(&mut self, row: usize) -> StageResult<bool> {
        let members: Vec<usize> = self.open_members(row).collect();
        if let Some(shrink) = self.shrink {
            shrink(self, &members, true);
        }
        let pieces = &mut members.iter().map(|row| Piece::Message(*row));
        let cost = self.cost_within(pieces, self.after_ranked)?;
        self.unshrink(&members);
        Ok(cost.is_some())
    }

    /// Shows passages of the best messages that don't fit, in the room that everything else leaves. Returns true if
    /// there are some.
    fn keep_passages(&mut self, frame: &Frame, ranking: &RankedMessages) -> StageResult<bool> {
        let mut is_seen = vec![false; self.input.transcript.len()];
        let mut said: HashedSet<u64> = HashedSet::default();
        for row in &self.fill.kept {
            is_seen[self.marks.groups.of(*row)] = true;
            said.extend(self.said(*row));
        }
        let is_quoted = self.plan.quotes_recalled;
        let read = ranking.candidates.iter().map_while(|it| it.map(RankedPlace::row));
        let kept_before = self.fill.kept.len();
        let min_tokens = self.input.config.recall.excerpts.min_tokens;
        let mut misses = 0;
        for Candidate { place: row, .. } in read {
            let room = self.remaining.min(self.history.cost);
            let tokens = room.tokens.min(room.chars / CHARS_PER_TOKEN);
            if tokens < LEAST_ROOM || misses > MOST_MISSED_PASSAGES {
                break;
            }
            let is_new = !std::mem::replace(&mut is_seen[self.marks.groups.of(row)], true);
            if !is_new || !self.has_place(row, is_quoted) {
                continue;
            }
            let members: Vec<usize> = self.open_members(row).collect();
            if members.iter().all(|row| self.long_text_of(*row, min_tokens).is_none())
                || self.said(row).is_some_and(|it| said.contains(&it))
            {
                continue;
            }
            let turn = self.turn_of(&members);
            let most = turn.most.min(tokens.saturating_sub(LEAST_ROOM / 2));
            let turn = Turn { most, form: Form::Excerpt, is_quoted, ..turn };
            let mut left = self.remaining;
            if self.keep_as(frame, turn, &mut left)? {
                self.remaining = left;
                self.fill.left_out.retain(|(row, _)| !members.contains(row));
                self.fill.recalled.push((row, Reason::Recalled));
                said.extend(self.said(row));
            } else {
                misses += 1;
            }
        }
        Ok(self.fill.kept.len() > kept_before)
    }

    /// True if a message is part of the history and may be in the prompt.
    fn has_place(&self, row: usize, is_quoted: bool) -> bool {
        self.marks.rank(row) == Rank::History && (!self.marks.is_passed(row) || is_quoted)
    }

    /// Keeps the groups that fit into a share of the room. Copies of messages in the prompt come after all others.
    /// `all` is the whole room and its number of messages. Returns the unread places that would fit.
    fn keep_share(
        &mut self,
        frame: &Frame,
        share: &Share<'_>,
        (all, all_items): (Cost, u64),
        kept: &mut Kept,
    ) -> StageResult<Vec<RankedPlace>> {
        let part = all.share(share.most);
        let mut left = part.min(self.remaining);
        // A share of a limited number of messages is at least one message or group.
        let mut items = share_of(all_items, share.most).min(self.history.items);
        let (mut is_first, mut misses) = (true, 0);
        let is_ranked = share.reason != Reason::Newest;
        let is_quoted = self.plan.quotes_recalled && is_ranked;
        let read = share.candidates.iter().map_while(|candidate| candidate.map(RankedPlace::row));
        let mut turns: Vec<Candidate<usize>> = read.collect();
        let mut rows: Vec<usize> = turns.iter().map(|candidate| candidate.place).collect();
        let read_count = turns.len();
        let is_all_read = read_count == share.candidates.len();
        let mut at = 0;
        let mut is_full = share.most <= 0.0;
        while !is_full && at < turns.len() {
            let candidate = turns[at];
            at += 1;
            let Candidate { place: row, form, with } = candidate;
            let group = self.marks.groups.of(row);
            let known = kept.forms[group];
            let is_alone =
                with.is_some_and(|with| kept.forms[self.marks.groups.of(with)].is_none());
            if !self.has_place(row, is_quoted) || known >= Some(form) || is_alone {
                continue;
            }
            let said = self.said(row);
            let is_copy = said.is_some_and(|it| kept.said.contains(&it));
            if is_copy && is_ranked && known.is_none() && at <= read_count {
                if is_all_read {
                    turns.push(candidate);
                    rows.push(row);
                }
                continue;
            }
            let members: Vec<usize> = self.open_members(row).collect();
            let count = self.counted_messages(&members);
            let is_statement = share.reason == Reason::Statement;
            let mut turn = Turn { form, is_quoted, is_statement, ..self.turn_of(&members) };
            if is_statement && known.is_none() {
                let as_excerpt = Turn { form: Form::Excerpt, ..turn };
                turn = if self.excerpts_of(as_excerpt).is_some() { as_excerpt } else { turn };
            }
            let form = turn.form;
            let before = left;
            let shown = if known.is_some() {
                self.show_more(turn, &mut left)?.then_some(form)
            } else if count > items && !is_first {
                None
            } else if form < Form::Whole {
                self.keep_as(frame, turn, &mut left)?.then_some(form)
            } else {
                self.ask_for_group(&members, &rows[at - 1..], is_quoted)?;
                if self.keep(frame, &members, is_quoted, &mut left)?.is_none() {
                    Some(Form::Whole)
                } else if is_ranked && part.share(0.5).fits(left) {
                    // Too long for this prompt, even alone.
                    let turn = Turn { form: Form::Excerpt, ..turn };
                    self.keep_as(frame, turn, &mut left)?.then_some(Form::Excerpt)
                } else {
                    None
                }
            };
            if shown.is_some() {
                if known.is_none() {
                    items = items.saturating_sub(count);
                    let reason = if with.is_some() { Reason::Paired } else { share.reason };
                    self.fill.recalled.push((row, reason));
                }
                is_first = false;
                kept.forms[group] = shown;
                kept.said.extend(said);
                self.remaining = self.remaining.minus(before.minus(left));
                misses = 0;
            } else if with.is_none() {
                misses += 1;
            }
            is_full = misses > share.most_misses || (items == 0 && !is_first);
        }
        let next = if is_full { &[] } else { &share.candidates[read_count..] };
        let ahead = unread::read_ahead(self.input);
        Ok(next.iter().map(|candidate| candidate.place).take(ahead).collect())
    }

    /// A hash of who says what in a message. None for short ones ("yes, I think so"), which mean something else each
    /// time.
    fn said(&self, row: usize) -> Option<u64> {
        const LEAST_TOKENS: u64 = 10;
        let transcript = &self.input.transcript;
        let mut said = Vec::new();
        let mut tokens = 0;
        for (field, value) in transcript.fields(row).filter(|(field, _)| field.is_content()) {
            tokens += excerpt::about_tokens(value);
            said.extend([field as u8, 0]);
            said.extend(value.as_bytes());
        }
        (tokens >= LEAST_TOKENS).then(|| xxh64(&said, transcript.role(row) as u64))
    }

    /// The turn of a whole group.
    fn turn_of<'members>(&self, members: &'members [usize]) -> Turn<'members> {
        let most = self.input.config.recall.excerpts.tokens;
        Turn { members, form: Form::Whole, most, is_quoted: false, is_statement: false }
    }

    /// Keeps a group in the turn's shortened form, if there is one and it fits.
    fn keep_as(&mut self, frame: &Frame, turn: Turn<'_>, left: &mut Cost) -> StageResult<bool> {
        let Turn { members, is_quoted, .. } = turn;
        let Some(excerpts) = self.excerpts_of(turn) else { return Ok(false) };
        for (row, excerpt) in &excerpts {
            self.fill.shortened.insert(Piece::Message(*row), excerpt.text.clone().into());
        }
        self.ask_for_group(members, &[], is_quoted)?;
        if self.keep(frame, members, is_quoted, left)?.is_some() {
            for (row, _) in &excerpts {
                self.fill.shortened.remove(&Piece::Message(*row));
            }
            return Ok(false);
        }
        for (row, excerpt) in excerpts {
            self.fill.excerpts.insert(row, excerpt.gaps);
        }
        Ok(true)
    }

    /// Shows a kept group in the turn's longer form, if there is one and it fits.
    fn show_more(&mut self, turn: Turn<'_>, left: &mut Cost) -> StageResult<bool> {
        let Turn { members, is_quoted, .. } = turn;
        let pieces: Vec<Piece> = members.iter().map(|row| piece_of(is_quoted, *row)).collect();
        let before = self.total(&pieces)?;
        let own_before = self.own_cost(members, before);
        let known: Vec<(usize, String, Vec<Gap>)> =
            members.iter().filter_map(|row| self.take_excerpt(*row)).collect();
        let is_shown = match self.excerpts_of(turn) {
            None => false,
            Some(excerpts) => {
                for (row, Excerpt { text, gaps }) in excerpts {
                    self.fill.shortened.insert(Piece::Message(row), text.into());
                    self.fill.excerpts.insert(row, gaps);
                }
                self.ask_for_group(members, &[], is_quoted)?;
                let (room, history) = (left.plus(before), self.history.cost.plus(own_before));
                let cost = self.cost_within(&mut pieces.iter().copied(), room)?;
                let own = cost.map(|cost| self.own_cost(members, cost));
                match (cost, own.filter(|own| own.fits(history))) {
                    (Some(cost), Some(own)) => {
                        *left = room.minus(cost);
                        self.history.cost = history.minus(own);
                        true
                    }
                    _ => false,
                }
            }
        };
        if !is_shown {
            for row in members {
                self.take_excerpt(*row);
            }
            for (row, text, gaps) in known {
                self.fill.shortened.insert(Piece::Message(row), text.into());
                self.fill.excerpts.insert(row, gaps);
            }
        }
        Ok(is_shown)
    }

    /// Removes the excerpt of a message, so that it is whole.
    fn take_excerpt(&mut self, row: usize) -> Option<(usize, String, Vec<Gap>)> {
        let gaps = self.fill.excerpts.remove(&row)?;
        let text = self.fill.shortened.remove(&Piece::Message(row))?.text;
        Some((row, text, gaps))
    }

    /// The excerpts that show a group in the turn's form. None if the group has none.
    fn excerpts_of(&self, turn: Turn<'_>) -> Option<Vec<(usize, Excerpt)>> {
        let Turn { members, form, most, is_statement, .. } = turn;
        let config = &self.input.config.recall;
        let excerpts = |min_tokens, tokens| {
            let excerpts = members
                .iter()
                .filter_map(|row| Some((*row, self.excerpt_of(*row, min_tokens, tokens)?)));
            excerpts.collect::<Vec<_>>()
        };
        match form {
            Form::Whole => Some(Vec::new()),
            Form::Excerpt if is_statement => {
                let said = members.iter().filter_map(|row| Some((*row, self.statement_of(*row)?)));
                let found: Vec<_> = said.collect();
                (!found.is_empty()).then_some(found)
            }
            Form::Excerpt => {
                let found = excerpts(config.excerpts.min_tokens, most);
                (!found.is_empty()).then_some(found)
            }
            Form::Reply => {
                let tokens = config.pairs.reply_tokens;
                let found = excerpts(tokens, tokens);
                let is_long = |row: &&usize| {
                    let texts = self.input.transcript.values(**row, Field::Text);
                    texts.map(excerpt::about_tokens).sum::<u64>() > tokens
                };
                let long = members.iter().filter(is_long);
                let is_cut = |row: &usize| found.iter().any(|(cut, _)| cut == row);
                let is_short = long.copied().all(|row| is_cut(&row));
                is_short.then_some(found)
            }
        }
    }

    /// The excerpt of a message, if it may have one.
    fn excerpt_of(&self, row: usize, min_tokens: u64, tokens: u64) -> Option<Excerpt> {
        let text = self.long_text_of(row, min_tokens)?;
        let request = query::readable(self.marks.request_text(self.input));
        LongText::new(text.into(), &request, self.input.transcript.role(row))
            .excerpt(tokens, &|part| self.count_left_out(part))
            .map(|found| self.named(row, found))
    }

    /// The passage of a long message that has its lasting statement.
    fn statement_of(&self, row: usize) -> Option<Excerpt> {
        let text = self.long_text_of(row, self.input.config.recall.excerpts.min_tokens)?;
        let statement = statements::best(text, detect(text))?.sentence;
        let tokens = excerpt::about_tokens(&statement) + MOST_AROUND;
        LongText::new(text.into(), &statement, self.input.transcript.role(row))
            .excerpt(tokens, &|part| self.count_left_out(part))
    }

    /// Sets the size of each excerpt that recall chose, so that it can grow. Returns them, best-ranked first.
    pub(super) fn recalled_excerpts(&mut self) -> Vec<(usize, Reason)> {
        let recalled = self.fill.recalled.iter();
        let rows: Vec<(usize, Reason)> = recalled
            .flat_map(|(row, reason)| self.open_members(*row).map(|member| (member, *reason)))
            .collect();
        let mut found = Vec::new();
        for (row, reason) in rows {
            let shown = self.view().shortened_text(Piece::Message(row)).map(str::to_owned);
            let gaps = self.fill.excerpts.get(&row).cloned();
            if let (Some(text), Some(gaps), None) = (shown, gaps, self.results.sizes.get(&row)) {
                self.results.sizes.insert(row, Size::Recalled(excerpt::about_tokens(&text)));
                self.results.recalled.push((row, Excerpt { text, gaps }));
                found.push((row, reason));
            }
        }
        found
    }

    /// The text of a message, if it is long enough for an excerpt and may have one. A message with an image, signed
    /// reasoning, or several texts is shown whole or not at all. A name and calls don't matter.
    fn long_text_of(&self, row: usize, min_tokens: u64) -> Option<&str> {
        let recall = &self.input.config.recall;
        let config = &recall.excerpts;
        let transcript = &self.input.transcript;
        let is_cut = self.view().shortened_text(Piece::Message(row)).is_some();
        let has_others =
            transcript.fields(row).any(|(field, _)| field.is_content() && !may_be_beside(field));
        let mut texts = transcript.values(row, Field::Text);
        let (text, more) = (texts.next()?, texts.next());
        let may_be = config.enabled && recall.ranking == Ranking::Relevance;
        let may_be = may_be && config.roles.contains(&transcript.role(row));
        let is_long = excerpt::about_tokens(text) >= min_tokens;
        (may_be && is_long && !is_cut && !has_others && more.is_none()).then_some(text)
    }

    /// Number of tokens in an omitted part of a text.
    pub(super) fn count_left_out(&self, part: &str) -> u64 {
        match part.len() {
            0..=MOST_COUNTED => self.meter.count_about(part),
            _ => excerpt::about_tokens(part),
        }
    }
}

/// True if a field may accompany the text of an excerpt.
fn may_be_beside(field: Field) -> bool {
    use Field::{CallArguments, CallId, CallName, Name, ResultId, Text};
    matches!(field, Text | Name | CallId | CallName | CallArguments | ResultId)
}
