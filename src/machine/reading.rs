//! Chooses and extends the part of a transcript that a build looks at, and maps its positions to those among all
//! messages.

use crate::base::message::Field;
use crate::log::messages::Messages;
use crate::log::plan::{Fetch, LogRow, Pace, ReadPlan, Wanted};
use crate::log::reach::Reach;
use crate::recall::transcript::Transcript;
use crate::state::context::{Context, Piece};
use crate::state::trace::{Decision, Reason, TraceRange};
use std::rc::Rc;

/// Reading from memory is cheap, so it goes row by row, and grows fast if a build asks for more.
const PACE: Pace = Pace { block: 1, page: 1, growth: 4 };

/// The part of a transcript that a build looks at: its beginning, single messages, and its end.
#[derive(Debug)]
pub(super) struct Reading {
    whole: Rc<Transcript>,
    plan: ReadPlan,
}

impl Reading {
    /// Begins to read a transcript with at least `least` of the newest messages. None if the build looks at all of it.
    pub(super) fn begin(whole: &Rc<Transcript>, reach: Reach, least: usize) -> Option<Self> {
        let least = least.max(1);
        let clock = whole.clock();
        // If only part of a log was read, the rest comes from its store.
        let is_all = reach == Reach::Everything
            || whole.len() <= least
            || whole.unread().is_some()
            || clock.is_misplaced
            || clock.runs_backwards();
        if is_all {
            return None;
        }
        let mut plan = ReadPlan::new(PACE, least);
        plan.want_fixed(!whole.pinned().is_empty());
        Some(Self { whole: Rc::clone(whole), plan })
    }

    /// Reads the requested messages, and returns all messages read so far.
    pub(super) fn transcript(&mut self) -> Rc<Transcript> {
        while let Some(fetch) = self.plan.next_fetch() {
            let rows = Self::fetch(&self.whole, fetch);
            self.plan.take(&rows);
        }
        let first_of_tail = row_of(self.plan.first_of_tail());
        if first_of_tail == 0 {
            return Rc::clone(&self.whole);
        }
        let mut picked = Vec::new();
        for (first, last) in self.plan.covered() {
            picked.extend(row_of(first)..(row_of(last) + 1).min(first_of_tail));
        }
        if picked.len() == first_of_tail {
            return Rc::clone(&self.whole);
        }
        Rc::new(self.whole.part(picked, first_of_tail, self.plan.looked_up().to_vec()))
    }

    /// Reads more.
    pub(super) fn read(&mut self, wanted: Wanted) {
        self.plan.want(wanted);
    }

    fn fetch(whole: &Transcript, fetch: &Fetch) -> Vec<LogRow> {
        let limit = fetch.limit.unwrap_or(usize::MAX);
        let mut first = row_of(fetch.after.unwrap_or(0) + 1);
        let mut end = fetch.before.map_or(whole.len(), row_of).min(whole.len());
        if fetch.newest_first {
            first = first.max(end.saturating_sub(limit));
        } else {
            end = end.min(first.saturating_add(limit));
        }
        let mut rows: Vec<usize> = match &fetch.seqs {
            Some(seqs) => seqs.iter().map(|seq| row_of(*seq)).collect(),
            None if fetch.pinned => whole.pinned().to_vec(),
            None => (first..end).collect(),
        };
        rows.retain(|row| {
            let has_id = |id: &String| whole.value(*row, Field::Id) == Some(id);
            (first..end).contains(row) && fetch.id.as_ref().is_none_or(has_id)
        });
        if fetch.newest_first {
            rows.reverse();
        }
        let row = |row: usize| LogRow { seq: row as u64 + 1, role: Some(whole.role(row)) };
        rows.into_iter().map(row).collect()
    }

    /// Converts a context's positions into positions among all messages. `rest` is the decision on unread messages.
    pub(super) fn place(&self, part: &Messages, context: &mut Context, rest: Decision) {
        let piece = |piece: &mut Piece| {
            if let Piece::Message(row) | Piece::Quoted(row) = piece {
                *row = part.stored_row(*row);
            }
        };
        for placed in &mut context.pieces {
            piece(&mut placed.piece);
        }
        for (excerpt, _) in &mut context.excerpts {
            piece(excerpt);
        }
        for (shortened, _) in &mut context.shortened {
            piece(shortened);
        }
        for (message, _) in &mut context.media_lines {
            piece(message);
        }
        for recalled in &mut context.trace.recalled {
            for position in &mut recalled.positions {
                *position = part.stored_row(*position);
            }
        }
        let read = std::mem::take(&mut context.trace.ranges);
        let ranges = &mut context.trace.ranges;
        let mut next = 0;
        let unread = |ranges: &mut Vec<TraceRange>, first: usize, end: usize| {
            if first < end {
                let Decision { fate, stage, reason } = rest;
                add(ranges, TraceRange { first, last: end - 1, fate, stage, reason, tokens: 0 });
            }
        };
        // Messages that were read only as neighbors of others count as unread.
        for range in read.into_iter().filter(|range| range.reason != Reason::NotRead) {
            // If a range continues after a gap, its tokens are counted with its first part.
            let mut tokens = range.tokens;
            for row in range.first..=range.last {
                let at = part.stored_row(row);
                unread(ranges, next, at);
                add(ranges, TraceRange { first: at, last: at, tokens, ..range });
                (next, tokens) = (at + 1, 0);
            }
        }
        unread(ranges, next, self.whole.len());
    }
}

/// Adds a range, merging it with the previous one if both are of the same kind.
fn add(ranges: &mut Vec<TraceRange>, range: TraceRange) {
    let kind = |range: &TraceRange| (range.fate, range.stage, range.reason);
    match ranges.last_mut() {
        Some(before) if kind(before) == kind(&range) => {
            before.last = range.last;
            before.tokens += range.tokens;
        }
        _ => ranges.push(range),
    }
}

/// The row of a sequence number: a transcript's sequence numbers are its rows, counted from 1.
fn row_of(seq: u64) -> usize {
    usize::try_from(seq).unwrap_or(usize::MAX).saturating_sub(1)
}
