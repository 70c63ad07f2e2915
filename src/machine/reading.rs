//! The part of a transcript that a build looks at: how it is chosen, how it grows, and where its messages are among all.

use crate::base::map;
use crate::base::message::Field;
use crate::log::messages::Messages;
use crate::log::reach::Reach;
use crate::log::units::begins_exchange;
use crate::recall::transcript::Transcript;
use crate::state::ask::Wanted;
use crate::state::context::{Context, Piece};
use crate::state::trace::{Decision, Reason, TraceRange};
use std::ops::Range;
use std::rc::Rc;

/// So many times as many messages are read where more are wanted.
const GROWTH: usize = 4;

/// The part of a transcript that a build looks at: its beginning, single messages, and its end.
#[derive(Debug)]
pub(super) struct Reading {
    whole: Rc<Transcript>,
    /// Rows before the end that are read for themselves.
    picked: Vec<usize>,
    /// The exchange that was picked last: it is not looked for again for each of its messages.
    last_exchange: Range<usize>,
    /// The row from which on all are read.
    first_of_tail: usize,
    looked_up: Vec<String>,
}

impl Reading {
    /// Begins to read a transcript: at least so many of the newest messages. None where all of it is looked at.
    pub(super) fn begin(whole: &Rc<Transcript>, reach: Reach, least: usize) -> Option<Self> {
        let first_of_tail = whole.len().saturating_sub(least.max(1));
        // Out of order, the newest messages may be anywhere. A log that was read in part is read on from its store.
        let is_all = reach == Reach::Everything
            || first_of_tail == 0
            || whole.unread().is_some()
            || !whole.is_in_order();
        if is_all {
            return None;
        }
        let whole = Rc::clone(whole);
        let picked = (0..head_length(&whole).min(first_of_tail)).collect();
        let (last_exchange, looked_up) = (0..0, Vec::new());
        let mut reading = Self { whole, picked, last_exchange, first_of_tail, looked_up };
        for row in Rc::clone(&reading.whole).pinned() {
            reading.pick_exchange(*row);
        }
        Some(reading)
    }

    /// The messages that were read so far.
    pub(super) fn transcript(&mut self) -> Rc<Transcript> {
        let first_of_tail = self.first_of_tail;
        self.picked.retain(|row| *row < first_of_tail);
        map::sort_by_key(&mut self.picked, &|_| (0, 0));
        self.picked.dedup();
        if self.picked.len() == first_of_tail {
            return Rc::clone(&self.whole);
        }
        Rc::new(self.whole.part(self.picked.clone(), first_of_tail, self.looked_up.clone()))
    }

    /// Reads more.
    pub(super) fn read(&mut self, wanted: Wanted) {
        let row_of = |seq: u64| usize::try_from(seq).unwrap_or(usize::MAX).saturating_sub(1);
        match wanted {
            Wanted::More => {
                let count = self.whole.len() - self.first_of_tail;
                self.first_of_tail = self.first_of_tail.saturating_sub(count * (GROWTH - 1));
            }
            Wanted::Seqs(seqs) => self.picked.extend(seqs.into_iter().map(row_of)),
            Wanted::Id(id) => {
                let whole = Rc::clone(&self.whole);
                for row in 0..whole.len() {
                    if whole.value(row, Field::Id) == Some(&id) {
                        self.pick_exchange(row);
                    }
                }
                self.looked_up.push(id);
            }
            // The index is made of the messages themselves.
            Wanted::All | Wanted::Index => self.first_of_tail = 0,
        }
    }

    /// Reads a message with the exchange that it is of.
    fn pick_exchange(&mut self, row: usize) {
        if self.last_exchange.contains(&row) {
            return;
        }
        let whole = &self.whole;
        let begins = |row: &usize| begins_exchange(whole, *row);
        let begin = (0..=row).rev().find(begins).unwrap_or(0);
        let end = (row + 1..whole.len()).find(begins).unwrap_or(whole.len());
        self.last_exchange = begin..end;
        if end < self.first_of_tail {
            self.picked.extend(begin..end);
        } else {
            self.first_of_tail = self.first_of_tail.min(begin); // it goes on in the tail
        }
    }

    /// Says of a context where its messages are among all. `rest` is what became of those that were not read.
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
        // Messages that were read only for their neighbours count as unread.
        for range in read.into_iter().filter(|range| range.reason != Reason::NotRead) {
            // Where it goes on beyond a gap, its tokens are counted with its first run.
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

/// Adds a run, as a part of the one before it where it is of the same kind.
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

/// How many messages a transcript begins with that are read in any case: its instructions, and what shows that they end.
fn head_length(transcript: &Messages) -> usize {
    const BEHIND: usize = 2;
    let is_instruction = |row: &usize| transcript.role(*row).is_instruction();
    (0..transcript.len()).take_while(is_instruction).count() + BEHIND
}
