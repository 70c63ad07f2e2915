//! Plans the reading of a log: the parts already read, a build's remaining needs, and the next fetch.
//!
//! A build reads the end of a log, back to the last row that it needs. Before that tail it reads only the log's
//! beginning, and single messages or exchanges. A plan reads nothing itself. [`ReadPlan::next_fetch`] says what to
//! fetch; the caller fetches it from memory or from a store and passes the rows to [`ReadPlan::take`]. A fetched row
//! counts as read if [`ReadPlan::covered`] has its sequence number.

use crate::base::message::Role;
use crate::base::time::Milliseconds;
use crate::log::unread::{Unread, UnreadStretch};
use serde::Serialize;

/// The messages of the log that a build asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", content = "value", rename_all = "camelCase")]
pub enum Wanted {
    /// More messages before the ones that it has.
    More,
    /// All messages.
    All,
    /// The messages with an id, wherever in the log they are.
    Id(String),
    /// The index of the log, or all messages if there is no index.
    Index,
    /// The messages with these sequence numbers.
    Seqs(Vec<u64>),
}

/// The step sizes of reading a log.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The tail begins at a multiple of this sequence number.
    pub block: u64,
    /// Minimum number of rows to fetch at a time when searching for the end of an exchange or of the instructions.
    pub page: usize,
    /// Growth factor of the tail when a build asks for more.
    pub growth: usize,
}

/// A row of a log, with the fields that a plan needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogRow {
    /// The sequence number, at least 1.
    pub seq: u64,
    /// The speaker's role; None if the row isn't a valid message.
    pub role: Option<Role>,
}

impl LogRow {
    fn begins_exchange(&self) -> bool {
        self.role.is_some_and(Role::begins_exchange)
    }

    fn is_instruction(&self) -> bool {
        self.role.is_some_and(Role::is_instruction)
    }
}

/// The rows to fetch next: all with the given id or, without one, all that meet every condition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Fetch {
    /// Only rows after this sequence number; absent for the log's beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// Only rows before this sequence number; absent for the log's end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// Maximum number of rows; absent for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// True if the newest come first and the limit counts them. Otherwise the oldest come first.
    pub newest_first: bool,
    /// True for only pinned rows.
    pub pinned: bool,
    /// The rows' sequence numbers, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seqs: Option<Vec<u64>>,
    /// The rows' id, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl Fetch {
    fn between(after: u64, before: u64, limit: Option<usize>) -> Self {
        let after = (after > 0).then_some(after);
        let before = (before < u64::MAX).then_some(before);
        Self { after, before, limit, ..Self::default() }
    }

    fn newest(before: u64, limit: usize) -> Self {
        Self { newest_first: true, ..Self::between(0, before, Some(limit)) }
    }
}

/// A need that a plan hasn't met yet.
#[derive(Clone, Debug)]
enum Task {
    /// This many more rows before the tail.
    Newest(usize),
    /// All rows from a sequence number on.
    From(u64),
    /// The log's beginning after a sequence number, until `missing` more rows have shown that its instructions have
    /// ended.
    Head {
        after: u64,
        missing: usize,
    },
    Pinned,
    Id(String),
    Seqs(Vec<u64>),
    /// The exchange of a row.
    Exchange(LogRow),
    /// The rows before this one, back to the beginning of its exchange, and the number to fetch next.
    Begin(u64, usize),
    /// The rows after this one, up to the end of its exchange, and the number to fetch next.
    End(u64, usize),
}

/// Everything between two sequence numbers, inclusive. The log's beginning starts at 0, and its end ends at
/// [`u64::MAX`].
pub type Stretch = (u64, u64);

/// Maximum number of rows to fetch at a time when searching for the end of an exchange.
const LARGEST_PAGE: usize = 1024;

/// Number of rows after the instructions that prove that they have ended.
const AFTER_INSTRUCTIONS: usize = 2;

/// A plan for reading a log; see the [module](self).
#[derive(Clone, Debug)]
pub struct ReadPlan {
    pace: Pace,
    /// Number of the newest rows that were requested so far.
    newest: usize,
    /// The stretches that were read completely, in order and disjoint.
    stretches: Vec<Stretch>,
    /// The messages that were read individually.
    singles: Vec<u64>,
    looked_up: Vec<String>,
    /// Remaining tasks. The last one is next.
    tasks: Vec<Task>,
    /// The current task, and the fetch that it is waiting for.
    asked: Option<(Task, Fetch)>,
}

impl ReadPlan {
    /// A plan for an unread log that begins with its newest rows.
    #[must_use]
    pub fn new(pace: Pace, newest: usize) -> Self {
        let (stretches, singles, looked_up) = (Vec::new(), Vec::new(), Vec::new());
        let tasks = vec![Task::Newest(newest)];
        Self { pace, newest, stretches, singles, looked_up, tasks, asked: None }
    }

    /// Adds the rows that every build looks at: the log's instructions, and its pinned messages if it has any.
    pub fn want_fixed(&mut self, has_pinned: bool) {
        self.later(Task::Head { after: 0, missing: AFTER_INSTRUCTIONS });
        if has_pinned {
            self.later(Task::Pinned);
        }
    }

    /// Adds a build's request. The plan doesn't know the log's index: use [`ReadPlan::want_from`] for the rows that the
    /// index doesn't have yet.
    pub fn want(&mut self, wanted: Wanted) {
        let task = match wanted {
            Wanted::More => {
                let count = (self.newest * (self.pace.growth - 1)).max(self.pace.page);
                self.newest += count;
                Task::Newest(count)
            }
            Wanted::All | Wanted::Index => Task::From(0),
            Wanted::Id(id) => Task::Id(id),
            Wanted::Seqs(seqs) => Task::Seqs(seqs),
        };
        self.later(task);
    }

    /// Adds all rows from a sequence number on.
    pub fn want_from(&mut self, seq: u64) {
        self.later(Task::From(seq));
    }

    /// Adds a task after all others.
    fn later(&mut self, task: Task) {
        self.tasks.insert(0, task);
    }

    /// Returns the next fetch, or None when everything that was wanted has been read. It stays the same until its rows
    /// are taken.
    pub fn next_fetch(&mut self) -> Option<&Fetch> {
        while self.asked.is_none() {
            let task = self.tasks.pop()?;
            self.asked = self.fetch_of(&task).map(|fetch| (task, fetch));
        }
        self.asked.as_ref().map(|(_, fetch)| fetch)
    }

    /// Returns a task's next fetch, or None when it is done.
    fn fetch_of(&mut self, task: &Task) -> Option<Fetch> {
        let tail = self.first_of_tail();
        match *task {
            Task::Newest(limit) => (tail > 1).then(|| Fetch::newest(tail, limit)),
            Task::From(seq) => {
                let after = seq.max(1) - 1;
                (after + 1 < tail).then(|| Fetch::between(after, tail, None))
            }
            Task::Head { after, missing } => {
                let limit = missing.max(self.pace.page);
                (after + 1 < tail).then(|| Fetch::between(after, tail, Some(limit)))
            }
            Task::Pinned => {
                (tail > 1).then(|| Fetch { pinned: true, ..Fetch::between(0, tail, None) })
            }
            Task::Id(ref id) => Some(Fetch { id: Some(id.clone()), ..Fetch::default() }),
            Task::Seqs(ref seqs) => Some(Fetch { seqs: Some(seqs.clone()), ..Fetch::default() }),
            Task::Exchange(row) => {
                // At the log's beginning, part of an exchange may have been read. Everything else was read in whole
                // exchanges.
                let stretch = self.stretch_of(row.seq);
                if stretch.is_none_or(|(first, last)| first == 0 && last < u64::MAX) {
                    self.cover((row.seq, row.seq));
                    self.tasks.push(Task::End(row.seq, self.pace.page));
                    if stretch.is_none() && !row.begins_exchange() {
                        self.tasks.push(Task::Begin(row.seq, self.pace.page));
                    }
                }
                None
            }
            Task::Begin(before, limit) => Some(Fetch::newest(before, limit)),
            Task::End(after, limit) => {
                Some(Fetch::between(after, self.first_after(after), Some(limit)))
            }
        }
    }

    /// Takes the rows of [`ReadPlan::next_fetch`], in the order of the fetch.
    pub fn take(&mut self, page: &[LogRow]) {
        let Some((task, fetch)) = self.asked.take() else {
            return;
        };
        let is_all = fetch.limit.is_none_or(|limit| page.len() < limit);
        let (after, before) = (fetch.after.unwrap_or(0), fetch.before.unwrap_or(u64::MAX));
        let last_seq = page.last().map_or(after, |row| row.seq);
        let begin = page.iter().find(|row| row.begins_exchange()).map(|row| row.seq);
        match task {
            Task::Newest(_) => {
                let first = if is_all { 0 } else { last_seq };
                self.cover((first, u64::MAX));
                self.tasks.push(Task::From(first - first % self.pace.block));
            }
            Task::From(_) => self.cover_after(after, before - 1),
            Task::Head { mut missing, .. } => {
                let last = if is_all { before - 1 } else { last_seq };
                for row in page {
                    if missing < AFTER_INSTRUCTIONS || !row.is_instruction() {
                        missing = missing.saturating_sub(1);
                    }
                }
                self.cover_after(after, last);
                if missing > 0 {
                    self.tasks.push(Task::Head { after: last, missing });
                }
            }
            Task::Begin(before, limit) => {
                let first = begin.unwrap_or(if is_all { 0 } else { last_seq });
                self.cover((first, before - 1));
                if begin.is_none() && !is_all {
                    self.tasks.push(Task::Begin(first, (limit * 2).min(LARGEST_PAGE)));
                }
            }
            Task::End(after, limit) => {
                let end = begin.or(is_all.then_some(before)).map(|end| end - 1);
                let last = end.unwrap_or(last_seq);
                self.cover_after(after, last);
                if end.is_none() {
                    self.tasks.push(Task::End(last, (limit * 2).min(LARGEST_PAGE)));
                }
            }
            Task::Seqs(seqs) => {
                let mut read = Vec::new();
                for LogRow { seq, .. } in page.iter().filter(|row| row.role.is_some()) {
                    cover(&mut read, (*seq, *seq));
                    self.singles.push(*seq);
                }
                let is_there = seqs.iter().all(|seq| stretch_with(&read, *seq).is_some());
                self.tasks.extend((!is_there).then_some(Task::From(0)));
            }
            Task::Pinned | Task::Id(_) | Task::Exchange(_) => {
                self.looked_up.extend(fetch.id);
                let messages = page.iter().rev().filter(|row| row.role.is_some());
                self.tasks.extend(messages.copied().map(Task::Exchange));
            }
        }
    }

    /// Forgets the messages that were read individually if there are more than `most`. Returns true if it did.
    pub fn forget_singles(&mut self, most: usize) -> bool {
        let is_over = self.singles().count() > most;
        if is_over {
            self.singles.clear();
        }
        is_over
    }

    /// The messages outside all stretches.
    fn singles(&self) -> impl Iterator<Item = u64> {
        self.singles.iter().copied().filter(|seq| self.stretch_of(*seq).is_none())
    }

    /// The sequence number at which the completely read tail begins.
    #[must_use]
    pub fn first_of_tail(&self) -> u64 {
        self.stretches.last().map_or(u64::MAX, |(first, _)| *first)
    }

    /// The stretches that were read completely, from one sequence number to another, in order.
    #[must_use]
    pub fn covered(&self) -> Vec<Stretch> {
        let mut covered = self.stretches.clone();
        for seq in self.singles() {
            cover(&mut covered, (seq, seq));
        }
        covered
    }

    /// The ids that were looked up.
    #[must_use]
    pub fn looked_up(&self) -> &[String] {
        &self.looked_up
    }

    /// The unread part of a log of `total` rows, including `skipped` ones that aren't messages. `read` are the messages
    /// that were read: their sequence numbers, and the latest time in the log up to each.
    #[must_use]
    pub fn unread(
        &self,
        read: &[(u64, Option<Milliseconds>)],
        (total, skipped): (usize, usize),
        has_untimed: bool,
    ) -> Option<Unread> {
        if self.first_of_tail() <= 1 || read.len() >= total {
            return None;
        }
        let mut gaps: Vec<UnreadStretch> = Vec::new();
        let mut row = 0;
        for (first, _) in self.covered() {
            while read.get(row).is_some_and(|(seq, _)| *seq < first) {
                row += 1;
            }
            // A stretch may have no readable rows.
            if first > 1 && gaps.last().is_none_or(|gap| gap.row != row) {
                gaps.push(UnreadStretch {
                    row,
                    latest: read.get(row).and_then(|(_, latest)| *latest),
                });
            }
        }
        let count = total.saturating_sub(read.len() + skipped).max(1);
        let looked_up = self.looked_up.clone();
        Some(Unread { gaps, count, has_untimed, looked_up, ..Unread::default() })
    }

    fn stretch_of(&self, seq: u64) -> Option<Stretch> {
        stretch_with(&self.stretches, seq)
    }

    /// The beginning of the next stretch.
    fn first_after(&self, seq: u64) -> u64 {
        self.stretches.get(place_after(&self.stretches, seq)).map_or(u64::MAX, |(first, _)| *first)
    }

    fn cover_after(&mut self, after: u64, last: u64) {
        // Nothing comes before the first row, so the log's beginning starts at 0.
        self.cover((if after == 0 { 0 } else { after + 1 }, last));
    }

    fn cover(&mut self, stretch: Stretch) {
        cover(&mut self.stretches, stretch);
    }
}

/// The place of the first of some sorted stretches that begins after a sequence number.
fn place_after(stretches: &[Stretch], seq: u64) -> usize {
    stretches.partition_point(|(first, _)| *first <= seq)
}

/// The stretch with a sequence number, among sorted and disjoint ones.
fn stretch_with(stretches: &[Stretch], seq: u64) -> Option<Stretch> {
    let before = stretches[..place_after(stretches, seq)].last();
    before.copied().filter(|(_, last)| *last >= seq)
}

/// Adds a stretch to others. All stay sorted and disjoint.
fn cover(stretches: &mut Vec<Stretch>, (first, last): Stretch) {
    if first > last {
        return;
    }
    let at = stretches.partition_point(|known| known.1.saturating_add(1) < first);
    let end = stretches.partition_point(|known| known.0 <= last.saturating_add(1));
    let mut all = (first, last);
    for _ in at..end {
        let known = stretches.remove(at);
        all = (all.0.min(known.0), all.1.max(known.1));
    }
    stretches.insert(at, all);
}
