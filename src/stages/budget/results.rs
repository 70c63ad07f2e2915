//! Shows tool results in smaller sizes, and images as lines, so that they shrink before anything is dropped.
//!
//! Older results begin as stubs: a line that says how much is left out. Once everything that fits this way is kept, the
//! kept results grow back: those of the last step first, then all others together, size by size, starting with the
//! newest. The first one without room for its next size gets the rest. Images, audio and files begin as a line that
//! names their kind and size. The newest come back first: they get half of the room before older texts grow, and what
//! is left after that. So no room stays empty while a result could show more, and as long as no step is dropped, a
//! larger budget shows no less of the results, except that passages of other lengths may fit and cost a few tokens
//! less. Excerpts of ranked messages grow in the same sizes.

use super::keep::piece_of;
use super::packer::{Packer, Shrunk};
use super::repeats::Repeat;
use super::sizes::Size;
use crate::base::cost::Cost;
use crate::base::message::Field;
use crate::config::Format;
use crate::prompt::excerpt::{self, Excerpt, LongText};
use crate::prompt::shorten;
use crate::recall::rank::query;
use crate::state::ask::StageResult;
use crate::state::context::{Gap, MediaLines, Piece};
use crate::state::trace::Reason;
use crate::tokens::media;

/// Sizes that results grow to together, in tokens. More sizes spread the room more evenly but take longer.
const STEPS: [u64; 6] = [50, 100, 200, 400, 800, 1600];

/// The share of the room that the newest results begin with. A larger share keeps fewer steps of a long run; with a
/// smaller one, the newest results are more often incomplete. Coding and airline runs keep the most of the data for the
/// next call at 0.2 to 0.33.
const NEWEST_SHARE: f64 = 0.2;

/// The share of the room that the last step's results begin with if they don't fit whole. The rest is for stubs of
/// earlier steps.
const LAST_SHARE: f64 = 0.75;

/// The share of the room for images and files before older texts grow.
const MEDIA_SHARE: f64 = 0.5;

/// Number of results that one call of a hook counts.
const ASKED_AHEAD: usize = 256;

/// The room of a kept result.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResultRoom {
    piece: Piece,
    all: Cost,
    /// The room in the history's own limit. None if the result doesn't count toward it.
    history: Option<Cost>,
}

impl Packer<'_> {
    /// Shrinks the results of the last step, because the required pieces don't fit with them whole. If the pieces don't
    /// fit even with stubs, the results stay whole.
    pub(crate) fn shrink_last(&mut self, pieces: &[Piece], room: Cost) -> StageResult<Shrunk> {
        let rows = pieces.iter().filter_map(|piece| piece.row());
        let rows: Vec<usize> =
            rows.filter(|row| self.may_shrink(*row) || self.may_hide_media(*row)).collect();
        let lengths = rows.iter().map(|row| self.view().text_of(Piece::Message(*row)).len());
        let longest = lengths.max().unwrap_or_default();
        self.stub(&rows);
        self.ask_for(pieces)?;
        let least = self.total(pieces)?;
        if rows.is_empty() || !least.fits(room) {
            self.unshrink(&rows);
            return Ok(Shrunk::TooLarge(least));
        }
        let most = room.share(LAST_SHARE);
        let tokens = shorten::longest_fitting(longest, &mut |tokens| {
            self.resize_all(&rows, Size::Excerpt(tokens as u64));
            self.ask_for(pieces)?;
            Ok(self.cost_within(&mut pieces.iter().copied(), most)?.is_some())
        })?;
        self.resize_all(&rows, if tokens == 0 { Size::Stub } else { Size::Excerpt(tokens as u64) });
        Ok(Shrunk::Fits(self.total(pieces)?))
    }

    /// Finds the newest results and their initial size.
    pub(crate) fn begin_results(&mut self) -> StageResult {
        self.reserve_notes()?;
        let keep = self.input.config.budget.tool_results.keep;
        let rows = self.marks.order.iter().rev().copied();
        let open = rows.filter(|row| !self.marks.is_left_out(*row) && self.may_shrink(*row));
        let newest: Vec<usize> = open.take(usize::try_from(keep).unwrap_or(usize::MAX)).collect();
        let unpaid = newest.iter().filter(|row| self.marks.requirement(**row).is_none());
        let unpaid: Vec<usize> = unpaid.copied().collect();
        let room = self.remaining.share(NEWEST_SHARE);
        self.results.newest = newest;
        self.results.newest_size = Size::Stub;
        if self.fit_as_stubs()? {
            return Ok(());
        }
        let excerpts = STEPS.into_iter().rev().map(Size::Excerpt);
        for size in std::iter::once(Size::Whole).chain(excerpts) {
            self.resize_all(&unpaid, size);
            let pieces: Vec<Piece> = unpaid.iter().copied().map(Piece::Message).collect();
            self.ask_for(&pieces)?;
            if self.cost_within(&mut pieces.into_iter(), room)?.is_some() {
                self.results.newest_size = size;
                break;
            }
        }
        self.resize_all(&unpaid, Size::Whole);
        Ok(())
    }

    /// True if everything fits once each result is a stub.
    fn fit_as_stubs(&mut self) -> StageResult<bool> {
        let marks = self.marks;
        let mut left = self.remaining;
        let is_unpaid =
            |row: &&usize| !marks.is_left_out(**row) && marks.requirement(**row).is_none();
        let rows: Vec<usize> = marks.order.iter().rev().filter(is_unpaid).copied().collect();
        for (at, row) in rows.iter().copied().enumerate() {
            self.shrink(&[row]);
            if let Err(stop) = self.ask_for(&[Piece::Message(row)]) {
                let next = &rows[at..rows.len().min(at + ASKED_AHEAD)];
                self.shrink(next);
                return self.ask_for_all(next).and(Err(stop));
            }
            let cost = self.cost_within(&mut [Piece::Message(row)].into_iter(), left)?;
            self.unshrink(&[row]);
            let Some(cost) = cost else { return Ok(false) };
            left = left.minus(cost);
        }
        Ok(true)
    }

    /// Shows the results of a group in their initial size.
    pub(crate) fn shrink(&mut self, members: &[usize]) {
        self.hide_media(members);
        for row in members {
            if self.may_shrink(*row) && self.results.sizes.get(row).is_none() {
                let is_newest = self.results.newest.contains(row);
                let size = if is_newest { self.results.newest_size } else { Size::Stub };
                self.resize(*row, size);
            }
        }
    }

    /// Shows the results of a group as stubs.
    pub(crate) fn stub(&mut self, members: &[usize]) {
        self.hide_media(members);
        for row in members {
            if self.may_shrink(*row) {
                self.resize(*row, Size::Stub);
            }
        }
    }

    /// Shows the results of a group whole again, because it isn't kept.
    pub(super) fn unshrink(&mut self, members: &[usize]) {
        for row in members {
            self.fill.media_lines.remove(row);
            self.show_whole(*row);
        }
    }

    /// Shows the whole text of a result.
    fn show_whole(&mut self, row: usize) {
        if self.results.sizes.remove(&row).is_some() {
            self.fill.shortened.remove(&Piece::Message(row));
            self.fill.excerpts.remove(&row);
        }
    }

    /// Shows a line in place of each image, audio and file of some rows.
    fn hide_media(&mut self, members: &[usize]) {
        for row in members.iter().copied() {
            if !self.may_hide_media(row) {
                continue;
            }
            let media = self.input.transcript.fields(row).filter(|(field, _)| field.is_media());
            let lines: MediaLines = media.map(|(field, value)| media::line(field, value)).collect();
            if lines.iter().any(Option::is_some) {
                self.fill.media_lines.insert(row, lines);
            }
        }
    }

    /// Shows the images and files of a row again: all, or as many of the last ones as fit. Returns false if some remain
    /// hidden.
    fn grow_media(&mut self, row: usize) -> StageResult<bool> {
        let Some(lines) = self.fill.media_lines.get(&row).cloned() else { return Ok(true) };
        let room = self.room_for(row)?;
        self.fill.media_lines.remove(&row);
        // The filter may hide some permanently.
        let filtered = self.view().media_lines(Piece::Message(row)).len();
        let mut hidden = filtered;
        while !self.fits_in(row, &room)? {
            hidden += 1;
            self.fill.media_lines.insert(row, lines[..hidden].to_vec());
            if hidden == lines.len() {
                break;
            }
        }
        self.pay_result(row, &room)?;
        Ok(hidden == filtered)
    }

    /// Shows images and files again, those of the newest rows first, until one doesn't fit.
    fn grow_all_media(&mut self, rows: &[usize]) -> StageResult {
        for row in rows {
            if !self.grow_media(*row)? {
                break;
            }
        }
        Ok(())
    }

    /// True if lines may replace a row's images and files, because it isn't required or is a result of the last step.
    pub(super) fn may_hide_media(&self, row: usize) -> bool {
        let (input, transcript) = (self.input, &self.input.transcript);
        let is_result = transcript.value(row, Field::ResultId).is_some();
        input.config.render.format == Format::Messages
            && self.may_give_way(row)
            && (is_result || self.marks.requirement(row).is_none())
            && transcript.has_media(row)
    }

    /// Lets the kept results, and the excerpts that recall chose, grow into the remaining room.
    pub(super) fn grow_results(&mut self) -> StageResult {
        let is_stable = self.input.config.budget.cut.is_some();
        let recalled = if is_stable { Vec::new() } else { self.recalled_excerpts() };
        let repeats = self.repeats();
        self.note_repeats(&repeats, true)?;
        self.grow_by_age(&repeats, &recalled)?;
        let before = self.remaining;
        self.note_repeats(&repeats, false)?;
        if self.remaining != before {
            // The notes about results that didn't become whole are gone and leave room.
            self.grow_by_age(&repeats, &recalled)?;
            self.note_repeats(&repeats, false)?;
        }
        Ok(())
    }

    /// Shows the results among some rows whole, in their order, until one of them has no room.
    pub(crate) fn grow_some(&mut self, rows: &[usize]) -> StageResult {
        let shrunk = |row: &&usize| self.results.sizes.get(row).is_some();
        let rows: Vec<usize> = rows.iter().filter(shrunk).copied().collect();
        self.grow_all(rows.into_iter().map(|row| (row, Size::Whole)))
    }

    fn grow_by_age(&mut self, repeats: &[Repeat], recalled: &[(usize, Reason)]) -> StageResult {
        let rows = || self.marks.order.iter().rev().copied();
        let is_recalled = |row: &usize| self.results.recalled(*row).is_some();
        let shrunk =
            rows().filter(|row| self.results.sizes.get(row).is_some() && !is_recalled(row));
        let hidden = rows().filter(|row| self.fill.media_lines.get(row).is_some());
        let is_last = |row: &usize| self.marks.requirement(*row).is_some();
        let (last, others): (Vec<usize>, Vec<usize>) = shrunk.partition(is_last);
        let (last_media, other_media): (Vec<usize>, Vec<usize>) = hidden.partition(is_last);
        self.grow_all_media(&last_media)?;
        self.grow_all(last.into_iter().map(|row| (row, Size::Whole)))?;
        if !self.plan.shrinks && recalled.is_empty() {
            return Ok(()); // Before a cut, a result keeps the size that it had with the step before.
        }
        let mut is_superseded = vec![false; self.input.transcript.len()];
        let mut is_referred_to = is_superseded.clone();
        for Repeat { older, is_reference, .. } in repeats {
            let marked = if *is_reference { &mut is_referred_to } else { &mut is_superseded };
            marked[*older] = true;
        }
        let (superseded, others): (Vec<usize>, Vec<usize>) =
            others.into_iter().partition(|row| is_superseded[*row]);
        let only = |rows: &[usize], is_wanted: &dyn Fn(&usize) -> bool| -> Vec<(usize, Size)> {
            let wanted = rows.iter().filter(|row| is_wanted(row));
            wanted.map(|row| (*row, Size::Whole)).collect()
        };
        self.grow_all(only(&others, &|row| is_referred_to[*row]).into_iter())?;
        let all = self.remaining;
        self.remaining = all.share(NEWEST_SHARE);
        let rest = all.minus(self.remaining);
        let newest = only(&others, &|row| self.results.newest.contains(row));
        self.grow_all(newest.into_iter())?;
        self.remaining = self.remaining.plus(rest);
        let all = self.remaining;
        self.remaining = all.share(MEDIA_SHARE);
        let rest = all.minus(self.remaining);
        self.grow_all_media(&other_media)?;
        self.remaining = self.remaining.plus(rest);
        let (statements, recalled): (Vec<_>, Vec<_>) =
            recalled.iter().partition(|(_, reason)| *reason == Reason::Statement);
        let growing: Vec<usize> = recalled.into_iter().map(|(row, _)| row).chain(others).collect();
        let steps = STEPS.into_iter().map(Size::Excerpt).chain([Size::Whole]);
        self.grow_all(steps.flat_map(|size| growing.iter().map(move |row| (*row, size))))?;
        self.grow_all_media(&other_media)?;
        // Part of a message might lack its statement.
        for row in statements.into_iter().map(|(row, _)| row).chain(superseded) {
            self.grow_whole(row)?;
        }
        Ok(())
    }

    /// Lets results grow, each to a given size, until one doesn't fit.
    fn grow_all(&mut self, turns: impl Iterator<Item = (usize, Size)>) -> StageResult {
        let turns: Vec<(usize, Size)> = turns.collect();
        for at in 0..turns.len() {
            if !self.grow(&turns[at..])? {
                break;
            }
        }
        Ok(())
    }

    /// Shows the first of some results in a larger size, or as much of it as there is room for. Returns false in the
    /// second case. If a hook counts, the question also covers the other results of that size.
    fn grow(&mut self, turns: &[(usize, Size)]) -> StageResult<bool> {
        let (row, size) = turns[0];
        let before = self.results.sizes.get(&row).copied().unwrap_or(Size::Whole);
        if size.tokens() <= before.tokens() {
            return Ok(true);
        }
        let room = self.room_for(row)?;
        self.resize(row, size);
        if let Err(stop) = self.ask_for(&[room.piece]) {
            let next = turns.iter().take_while(|turn| turn.1 == size).take(ASKED_AHEAD);
            let next: Vec<usize> = next.map(|turn| turn.0).collect();
            self.resize_all(&next, size);
            return self.ask_for_all(&next).and(Err(stop));
        }
        let is_grown = self.fits_in(row, &room)?;
        if !is_grown {
            let length = self.view().text_of(room.piece).len();
            let failing = match size {
                Size::Excerpt(tokens) => usize::try_from(tokens).unwrap_or(usize::MAX),
                Size::Stub | Size::Recalled(_) | Size::Whole => length,
            };
            let tokens = shorten::longest_fitting(failing, &mut |tokens| {
                self.resize(row, Size::Excerpt(tokens as u64));
                self.fits_in(row, &room)
            })? as u64;
            let is_more = tokens > before.tokens();
            self.resize(row, if is_more { Size::Excerpt(tokens) } else { before });
        }
        self.pay_result(row, &room)?;
        Ok(is_grown)
    }

    /// Shows a result whole if there is room.
    fn grow_whole(&mut self, row: usize) -> StageResult {
        let before = self.results.sizes.get(&row).copied().unwrap_or(Size::Whole);
        let room = self.room_for(row)?;
        self.resize(row, Size::Whole);
        if !self.fits_in(row, &room)? {
            self.resize(row, before);
        }
        self.pay_result(row, &room)
    }

    /// Asks for the counts of some rows in their current size.
    fn ask_for_all(&self, rows: &[usize]) -> StageResult {
        let piece = |row: &usize| match self.marks.piece(*row) {
            Piece::Message(row) => piece_of(self.fill.quoted.contains(&row), row),
            piece => piece,
        };
        self.ask_for(&rows.iter().map(piece).collect::<Vec<_>>())
    }

    /// Returns the room of a kept result: its own cost, and the remaining room.
    pub(super) fn room_for(&self, row: usize) -> StageResult<ResultRoom> {
        let piece = match self.marks.piece(row) {
            Piece::Message(row) => piece_of(self.fill.quoted.contains(&row), row),
            piece => piece,
        };
        let paid = self.total(&[piece])?;
        let is_counted = !self.marks.is_in_turn(row) && self.marks.requirement(row).is_none();
        let history = is_counted.then(|| self.history.cost.plus(self.own_cost(&[row], paid)));
        Ok(ResultRoom { piece, all: self.remaining.plus(paid), history })
    }

    /// True if a result fits in its current size.
    pub(super) fn fits_in(&self, row: usize, room: &ResultRoom) -> StageResult<bool> {
        let Some(cost) = self.cost_within(&mut [room.piece].into_iter(), room.all)? else {
            return Ok(false);
        };
        Ok(room.history.is_none_or(|history| self.own_cost(&[row], cost).fits(history)))
    }

    /// Deducts the cost of a result in its current size.
    pub(super) fn pay_result(&mut self, row: usize, room: &ResultRoom) -> StageResult {
        let cost = self.total(&[room.piece])?;
        self.remaining = room.all.minus(cost);
        if let Some(history) = room.history {
            self.history.cost = history.minus(self.own_cost(&[row], cost));
        }
        Ok(())
    }

    /// True if the config lets a row shrink, and the caller hasn't pinned it.
    fn may_give_way(&self, row: usize) -> bool {
        let config = &self.input.config.budget.tool_results;
        let is_excluded = || {
            self.tool_of(row).is_some_and(|tool| config.exclude_tools.iter().any(|it| it == tool))
        };
        config.shrink
            && self.marks.requirement(row).is_none_or(|reason| reason == Reason::Request)
            && (config.exclude_tools.is_empty() || !is_excluded())
    }

    /// True if a row is a tool result without calls, whose text may shrink.
    pub(super) fn may_shrink(&self, row: usize) -> bool {
        let transcript = &self.input.transcript;
        let has = |field| transcript.value(row, field).is_some();
        // A result that recall shows as an excerpt keeps its size.
        let is_cut = self.view().shortened_text(Piece::Message(row)).is_some()
            && self.results.sizes.get(&row).is_none();
        has(Field::ResultId)
            && !has(Field::CallId)
            && has(Field::Text)
            && !is_cut
            && self.may_give_way(row)
    }

    /// The name of the tool that returned a result.
    fn tool_of(&self, row: usize) -> Option<&str> {
        let transcript = &self.input.transcript;
        let call = (Field::CallId, transcript.value(row, Field::ResultId)?);
        let name = |member: &usize| {
            let mut fields = transcript.fields(*member).skip_while(|field| *field != call);
            fields.find(|(field, _)| *field == Field::CallName).map(|(_, name)| name)
        };
        let called = self.marks.groups.members(row).iter().find_map(name);
        called.or_else(|| transcript.value(row, Field::ResultName)).filter(|name| !name.is_empty())
    }

    fn resize_all(&mut self, rows: &[usize], size: Size) {
        for row in rows {
            self.resize(*row, size);
        }
    }

    /// Shows a result in a size, regardless of its current size. A size that isn't shorter than the whole shows the
    /// whole.
    pub(super) fn resize(&mut self, row: usize, size: Size) {
        self.show_whole(row);
        let sized = self.sized(row, size);
        let size = if sized.is_some() { size } else { Size::Whole };
        let Some(Excerpt { text, gaps }) = self.with_note(row, size, sized) else { return };
        self.results.sizes.insert(row, size);
        self.fill.shortened.insert(Piece::Message(row), text.into());
        self.fill.excerpts.insert(row, gaps);
    }

    /// The text of a whole result in a size. None if that isn't shorter.
    fn sized(&mut self, row: usize, size: Size) -> Option<Excerpt> {
        let (length, found) = match size {
            Size::Whole => return None,
            Size::Recalled(_) => return self.results.recalled(row).cloned(),
            Size::Stub => {
                let text = self.view().text_of(Piece::Message(row));
                let tokens = self.count_left_out(&text);
                let mark = excerpt::mark(tokens);
                // A short text may cost less than its marker, although it has more letters.
                if tokens <= mark.len() as u64 && self.count_left_out(&mark) >= tokens {
                    return None;
                }
                let gaps = vec![Gap { start: 0, tokens }];
                (text.len(), Excerpt { text: mark, gaps })
            }
            Size::Excerpt(tokens) => {
                self.read_passages(row);
                let long = self.results.texts.get(&row).filter(|it| it.about_tokens() > tokens)?;
                let count = |part: &str| self.count_left_out(part);
                let excerpt = long.full_excerpt(tokens, &count);
                (long.len(), excerpt.unwrap_or_else(|| long.ends(tokens, &count)))
            }
        };
        let found = self.named(row, found);
        (found.text.len() < length).then_some(found)
    }

    /// Names a result in its first marker if the config asks for names.
    pub(super) fn named(&self, row: usize, mut shown: Excerpt) -> Excerpt {
        let is_result = self.input.transcript.value(row, Field::ResultId).is_some();
        if self.input.config.budget.tool_results.retrieval
            && is_result
            && let Some((first, others)) = shown.gaps.split_first_mut()
            && let Some(end) = shown.text[first.start..].find(excerpt::MARK_END)
        {
            let name = format!("; result {}", self.input.transcript.name_of(row));
            shown.text.insert_str(first.start + end, &name);
            for gap in others {
                gap.start += name.len();
            }
        }
        shown
    }

    /// Reads the passages of a whole result, once for all of its excerpts.
    fn read_passages(&mut self, row: usize) {
        if self.results.texts.get(&row).is_none() {
            let text = self.view().text_of(Piece::Message(row));
            let request = query::readable(self.marks.request_text(self.input));
            let role = self.input.transcript.role(row);
            let long = LongText::new(text.into(), &request, role);
            self.results.texts.insert(row, long);
        }
    }
}
