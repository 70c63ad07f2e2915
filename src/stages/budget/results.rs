//! Tool results in smaller forms, so that they shrink before anything goes.
//!
//! Older results begin as stubs: a line that says how much is left out. After all is kept that fits so, the kept results grow back: the
//! newest first, then the others together, step by step, until one has no room to grow. It gets what is left. So a larger budget never
//! shows less of a result, and no room stays empty while a result could show more.

use super::packer::Packer;
use super::keep::piece_of;
use crate::base::cost::Cost;
use crate::base::message::Field;
use crate::prompt::excerpt::{Excerpt, LongText};
use crate::prompt::shorten;
use crate::recall::rank::query;
use crate::state::ask::StageResult;
use crate::state::context::{Gap, Piece};
use crate::state::trace::Reason;

/// How much of a result is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Size {
    Stub,
    /// Passages of about so many tokens.
    Excerpt(u64),
    Whole,
}

/// The steps by which older results grow together, in tokens. Each doubles the one before it.
const STEPS: [u64; 6] = [50, 100, 200, 400, 800, 1600];

/// The share of the room that the newest results may take before older ones are kept.
const NEWEST_SHARE: f64 = 0.5;

/// The share of the room that results in the last step may take if they don't fit whole. The rest is for the stubs of earlier steps.
const LAST_SHARE: f64 = 0.75;

/// The results that may shrink.
#[derive(Debug, Default)]
pub(super) struct Results {
    /// True if results shrink in this attempt.
    is_on: bool,
    /// Rows of the newest results, the newest first. They begin with more, and grow first.
    newest: Vec<usize>,
    newest_size: Option<Size>,
    /// Rows whose size was set here.
    sized: Vec<usize>,
}

impl Packer<'_> {
    /// True if a row is a tool's result that may shrink: it has a text, and no calls.
    fn may_shrink(&self, row: usize) -> bool {
        let transcript = &self.input.transcript;
        let results = &self.input.config.budget.tool_results;
        let is_pinned = self.marks.requirement(row).is_some_and(|it| it != Reason::Request);
        results.shrink
            && !is_pinned
            && transcript.value(row, Field::ResultId).is_some()
            && transcript.value(row, Field::CallId).is_none()
            && transcript.value(row, Field::Text).is_some()
            && self.fill.excerpts.get(&row).is_none()
            && (results.exclude_tools.is_empty()
                || self.tool_of(row).is_none_or(|tool| results.exclude_tools.iter().all(|it| it != tool)))
    }

    /// The name of the tool that gave a result.
    fn tool_of(&self, row: usize) -> Option<&str> {
        let transcript = &self.input.transcript;
        let id = transcript.value(row, Field::ResultId)?;
        let calls = |member: &usize| {
            let mut fields = transcript.fields(*member).skip_while(move |it| *it != (Field::CallId, id));
            fields.find(|(field, _)| *field == Field::CallName).map(|(_, name)| name)
        };
        let members = self.marks.groups.members(row);
        members.iter().find_map(calls).or_else(|| transcript.value(row, Field::ResultName))
    }

    /// Shows a result in a size, whatever it is shown in now.
    fn set_size(&mut self, row: usize, size: Size) {
        let piece = Piece::Message(row);
        self.fill.excerpts.remove(&row);
        self.fill.shortened.remove(&piece);
        self.fill.stubs.retain(|stub| *stub != row);
        let text = self.view().text_of(piece);
        let Some(Excerpt { text, gaps }) = self.sized_text(row, &text, size) else { return };
        if size == Size::Stub {
            self.fill.stubs.push(row);
        }
        self.fill.shortened.insert(piece, text);
        self.fill.excerpts.insert(row, gaps);
    }

    /// The text of a result in a size. None if that is not shorter than the whole.
    fn sized_text(&self, row: usize, text: &str, size: Size) -> Option<Excerpt> {
        let count = |part: &str| self.count_left_out(part);
        let found = match size {
            Size::Whole => return None,
            Size::Stub => {
                let tokens = count(text);
                let tool = self.tool_of(row).filter(|tool| !tool.is_empty()).unwrap_or("result");
                let text = format!("[{tool}: {tokens} tokens left out]");
                Excerpt { text, gaps: vec![Gap { start: 0, tokens }] }
            }
            Size::Excerpt(tokens) if crate::prompt::excerpt::about_tokens(text) <= tokens => {
                return None;
            }
            Size::Excerpt(tokens) => {
                let request = query::readable(self.marks.request_text(self.input));
                let long = LongText::new(text, &request, crate::base::message::Role::Tool);
                long.excerpt(tokens, &count).unwrap_or_else(|| long.ends(tokens, &count))
            }
        };
        (found.text.len() < text.len()).then_some(found)
    }

    /// Shrinks the results in the last step if what is required does not fit with them. Returns what the required pieces cost then.
    pub(super) fn shrink_last(&mut self, pieces: &[Piece], room: Cost) -> StageResult<Option<Cost>> {
        let rows: Vec<usize> = pieces.iter().filter_map(|piece| piece.row()).collect();
        let rows: Vec<usize> = rows.into_iter().filter(|row| self.may_shrink(*row)).collect();
        if rows.is_empty() {
            return Ok(None);
        }
        let texts = rows.iter().map(|row| self.view().text_of(Piece::Message(*row)).len());
        let longest = texts.max().unwrap_or_default();
        for row in &rows {
            self.set_size(*row, Size::Stub);
        }
        let least = self.cost_within(&mut pieces.iter().copied(), room)?;
        if least.is_none() {
            for row in &rows {
                self.set_size(*row, Size::Whole);
            }
            return Ok(None);
        }
        let most = room.share(LAST_SHARE);
        let tokens = shorten::longest_fitting(longest, &mut |tokens| {
            self.set_sizes(&rows, tokens);
            Ok(self.cost_within(&mut pieces.iter().copied(), most)?.is_some())
        })?;
        self.set_sizes(&rows, tokens);
        self.results.sized.extend(&rows);
        self.cost_within(&mut pieces.iter().copied(), room)
    }

    fn set_sizes(&mut self, rows: &[usize], tokens: usize) {
        let size = if tokens == 0 { Size::Stub } else { Size::Excerpt(tokens as u64) };
        for row in rows {
            self.set_size(*row, size);
        }
    }

    /// Begins to shrink results: finds the newest ones, and how much of them is shown before older ones are kept.
    pub(super) fn begin_results(&mut self) -> StageResult {
        self.results.is_on = true;
        let keep = usize::try_from(self.input.config.budget.tool_results.keep).unwrap_or(usize::MAX);
        let open = self.marks.order.iter().rev().copied().filter(|row| !self.marks.is_left_out(*row));
        let rows: Vec<usize> = open.filter(|row| self.may_shrink(*row)).take(keep).collect();
        self.results.newest.clone_from(&rows);
        let unpaid: Vec<usize> =
            rows.into_iter().filter(|row| self.marks.requirement(*row).is_none()).collect();
        let pieces: Vec<Piece> = unpaid.iter().copied().map(Piece::Message).collect();
        let room = self.remaining.share(NEWEST_SHARE);
        let excerpts = STEPS.into_iter().rev().map(Size::Excerpt);
        for size in std::iter::once(Size::Whole).chain(excerpts).chain([Size::Stub]) {
            for row in &unpaid {
                self.set_size(*row, size);
            }
            let fits = self.cost_within(&mut pieces.iter().copied(), room)?.is_some();
            self.results.newest_size = Some(size);
            if fits {
                break;
            }
        }
        for row in &unpaid {
            self.set_size(*row, Size::Whole);
        }
        Ok(())
    }

    /// Shows the results of a group in the size that they begin with. Returns the rows that it shrank.
    pub(super) fn shrink(&mut self, members: &[usize]) -> Vec<usize> {
        let mut shrunk = Vec::new();
        if !self.results.is_on {
            return shrunk;
        }
        for row in members {
            if self.view().shortened_text(Piece::Message(*row)).is_some() || !self.may_shrink(*row) {
                continue;
            }
            let is_newest = self.results.newest.contains(row);
            let size = self.results.newest_size.filter(|_| is_newest).unwrap_or(Size::Stub);
            self.set_size(*row, size);
            if self.fill.excerpts.get(row).is_some() {
                shrunk.push(*row);
            }
        }
        shrunk
    }

    /// Shows results whole again.
    pub(super) fn unshrink(&mut self, rows: &[usize]) {
        for row in rows {
            self.set_size(*row, Size::Whole);
        }
    }

    /// Notes that the rows are kept in the size that they have.
    pub(super) fn keep_shrunk(&mut self, rows: Vec<usize>) {
        self.results.sized.extend(rows);
    }

    /// Lets the kept results grow into the room that is left.
    pub(super) fn grow_results(&mut self) -> StageResult {
        let mut place = vec![0; self.input.transcript.len()];
        for (at, row) in self.marks.order.iter().enumerate() {
            place[*row] = at;
        }
        let mut rows = std::mem::take(&mut self.results.sized);
        rows.retain(|row| self.fill.excerpts.get(row).is_some());
        crate::base::map::sort_by_key(&mut rows, &|row| (-i64::try_from(place[row]).unwrap_or(0), 0));
        let is_first = |row: &usize| {
            self.results.newest.contains(row) || self.marks.requirement(*row).is_some()
        };
        let (first, rest): (Vec<usize>, Vec<usize>) = rows.into_iter().partition(is_first);
        for row in first {
            if !self.grow(row, Size::Whole)? {
                return Ok(());
            }
        }
        let excerpts = STEPS.into_iter().map(Size::Excerpt);
        for size in excerpts.chain([Size::Whole]) {
            for row in &rest {
                if self.fill.excerpts.get(row).is_some() && !self.grow(*row, size)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Shows a result in a larger size, or as much of it as there is room for. False if that is less than the size.
    fn grow(&mut self, row: usize, size: Size) -> StageResult<bool> {
        let piece = match self.marks.piece(row) {
            Piece::Message(row) => piece_of(self.fill.quoted.contains(&row), row),
            piece => piece,
        };
        let is_counted = !self.marks.is_in_turn(row) && self.marks.requirement(row).is_none();
        let before = self.total(&[piece])?;
        let own_before = self.own_cost(&[row], before);
        let known = self.fill.shortened.get(&Piece::Message(row)).cloned();
        let gaps = self.fill.excerpts.get(&row).cloned();
        let was_stub = self.fill.stubs.contains(&row);
        let room = self.remaining.plus(before);
        let history = self.history.cost.plus(own_before);
        let fits = |packer: &mut Self, size: Size| -> StageResult<Option<Cost>> {
            packer.set_size(row, size);
            let Some(cost) = packer.cost_within(&mut std::iter::once(piece), room)? else {
                return Ok(None);
            };
            let own = packer.own_cost(&[row], cost);
            Ok((!is_counted || own.fits(history)).then_some(cost))
        };
        let mut found = fits(self, size)?;
        let is_all = found.is_some();
        if !is_all {
            let longest = self.view().text_of(Piece::Message(row)).len();
            let failing = match size {
                Size::Excerpt(tokens) => usize::try_from(tokens).unwrap_or(usize::MAX),
                _ => {
                    self.set_size(row, Size::Whole);
                    longest.max(self.view().text_of(Piece::Message(row)).len())
                }
            };
            let tokens = shorten::longest_fitting(failing, &mut |tokens| {
                Ok(fits(self, Size::Excerpt(tokens as u64))?.is_some())
            })?;
            if tokens > 0 {
                found = fits(self, Size::Excerpt(tokens as u64))?;
            }
        }
        match found.filter(|cost| cost.tokens >= before.tokens) {
            Some(cost) => {
                self.remaining = room.minus(cost);
                if is_counted {
                    self.history.cost = history.minus(self.own_cost(&[row], cost));
                }
            }
            None => {
                self.set_size(row, Size::Whole);
                if let (Some(text), Some(gaps)) = (known, gaps) {
                    self.fill.shortened.insert(Piece::Message(row), text);
                    self.fill.excerpts.insert(row, gaps);
                    if was_stub {
                        self.fill.stubs.push(row);
                    }
                }
            }
        }
        Ok(is_all)
    }
}
