//! What belongs together, and the order of a transcript: a tool call and all its results are one group, and groups move as
//! one.

use crate::base::map::{self, HashedMap};
use crate::base::message::{Field, Role};
use crate::base::time::Milliseconds;
use crate::log::messages::Messages;

/// How many messages may lie between a tool's call and its result, where only a part of the messages was read: a call further away is
/// not looked for.
pub(crate) const LONGEST_CALL: usize = 1024;

/// A transcript in order. Groups stand by the time of their first message; within a group results follow their call, with
/// nothing of another group between them, whatever their clocks say.
#[derive(Clone, Debug, Default)]
pub struct Arrangement {
    /// The rows, oldest first.
    pub order: Vec<usize>,
    /// What belongs together.
    pub groups: Groups,
    /// By row: the time that its group is ordered by. A group without a time has that of the last message before it that has
    /// one; none where no message before it has a time either.
    pub times: Vec<Option<Milliseconds>>,
}

impl Arrangement {
    /// Orders the groups of a transcript by time. Of equal times, the group that is read first comes first.
    #[must_use]
    pub fn of(transcript: &Messages) -> Self {
        let (reading, mut groups) = read(transcript);
        let mut place = vec![0; reading.len()];
        for (at, row) in reading.iter().enumerate() {
            place[*row] = at;
        }
        let mut first_of: Vec<Option<usize>> = vec![None; reading.len()];
        let mut leaders = Vec::with_capacity(reading.len());
        let mut times = vec![None; reading.len()];
        let mut latest = None;
        for row in reading {
            let first = *first_of[groups.of(row)].get_or_insert(row);
            latest = transcript.time(row).or_else(|| latest_before(transcript, row, latest));
            if first == row {
                leaders.push(row);
                times[row] = latest;
            } else {
                times[row] = times[first];
            }
        }
        let by_time = |row: usize| times[row].map_or(i64::MIN, |time| time.0);
        let by_place = |row: usize| map::place(Some(place[row]));
        if !leaders.is_sorted_by_key(|row| by_time(*row)) {
            map::sort_by_key(&mut leaders, &|row| (by_time(row), by_place(row)));
        }
        let mut order = Vec::with_capacity(leaders.len());
        for leader in leaders {
            if let Some(rows) = groups.larger.get_mut(&groups.group_of[leader]) {
                map::sort_by_key(rows, &|row| (by_place(row), 0));
            }
            order.extend(groups.members(leader));
        }
        Self { order, groups, times }
    }
}

/// The order in which calls stand before their results, and what belongs together by it. That is the transcript's own, as it
/// was appended. A list that was put together otherwise has results before their calls: then it is read from its end, where
/// its clocks run backwards, or by its clocks, if fewer results are without a call so.
fn read(transcript: &Messages) -> (Vec<usize>, Groups) {
    let own: Vec<usize> = (0..transcript.len()).collect();
    let groups = Groups::find(transcript, &own);
    // What was not read has the call of a result that seems to have none.
    if groups.results_without_call.is_empty() || transcript.unread().is_some() {
        return (own, groups);
    }
    let mut latest = None;
    let mut times = Vec::with_capacity(own.len());
    for row in &own {
        latest = transcript.time(*row).or(latest);
        times.push(latest);
    }
    let mut best = (own, groups);
    let mut try_reading = |reading: Vec<usize>| {
        let groups = Groups::find(transcript, &reading);
        if groups.results_without_call.len() < best.1.results_without_call.len() {
            best = (reading, groups);
        }
    };
    if times.first() > times.last() {
        try_reading((0..transcript.len()).rev().collect());
    }
    if !times.is_sorted() {
        let mut by_time: Vec<usize> = (0..transcript.len()).collect();
        let time = |row: usize| times[row].map_or(i64::MIN, |time: Milliseconds| time.0);
        map::sort_by_key(&mut by_time, &|row| (time(row), map::place(Some(row))));
        try_reading(by_time);
    }
    best
}

/// How late the message before a row is: where it was not read, as late as any of those can be.
fn latest_before(
    transcript: &Messages,
    row: usize,
    read: Option<Milliseconds>,
) -> Option<Milliseconds> {
    let gap = transcript.gaps().binary_search_by_key(&row, |gap| gap.row);
    gap.map_or(read, |at| transcript.gaps()[at].latest)
}

/// Which messages are one: a message with tool calls and all the results of these calls, and one that is nothing without the next.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// The group of each row, named by one of its rows.
    group_of: Vec<usize>,
    /// The rows of each group of more than one.
    larger: HashedMap<usize, Vec<usize>>,
    /// Calls that have no result, in the order of their rows.
    pub calls_without_result: Vec<HalfCall>,
    /// Calls that have no result yet, which may come later: the user has not spoken after them.
    pub calls_running: Vec<HalfCall>,
    /// Results that have no call before them.
    pub results_without_call: Vec<HalfCall>,
    /// Rows that go on with another row of their group, ascending: calls that were made at once, and their results.
    continued: Vec<usize>,
}

/// A call without its result, or a result without its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfCall {
    /// The row that it is in.
    pub row: usize,
    /// Its place among the calls of the row, or among its results, from 0.
    pub place: usize,
}

/// Sorts entries by their rows and places.
pub(crate) fn sorted(halves: &[HalfCall]) -> Vec<HalfCall> {
    let mut positions: Vec<usize> = (0..halves.len()).collect();
    let key = |at: usize| (map::place(Some(halves[at].row)), map::place(Some(halves[at].place)));
    map::sort_by_key(&mut positions, &key);
    positions.into_iter().map(|at| halves[at]).collect()
}

/// Returns the entries of a row, of those of all rows in their order.
pub(crate) fn halves_of(halves: &[HalfCall], row: usize) -> &[HalfCall] {
    let first = halves.partition_point(|half| half.row < row);
    let count = halves[first..].iter().take_while(|half| half.row == row).count();
    &halves[first..first + count]
}

/// How many calls of a message are looked through for the one that a result without an id answers.
const MOST_CALLS: usize = 128;

/// The id of results that name no call. The map of calls has the newest message that calls tools under it.
const NO_ID: &str = "";

/// Returns the id of the call of a message that a result without an id answers: the first open call of its name, or else the first
/// open one.
fn answered_by_place(
    transcript: &Messages,
    calls: usize,
    result: usize,
    is_open: impl Fn(&str) -> bool,
) -> Option<&str> {
    let name = transcript.value(result, Field::ResultName);
    let mut first = None;
    let mut called = None;
    let is_of_call = |(field, _): &(Field, &str)| matches!(field, Field::CallId | Field::CallName);
    for (field, value) in transcript.fields(calls).filter(is_of_call).take(2 * MOST_CALLS) {
        if field == Field::CallId {
            called = is_open(value).then_some(value);
        } else if called.is_some() && Some(value) == name {
            return called;
        } else if !value.is_empty() {
            first = first.or(called); // The question whether a call may be made has no name.
        }
    }
    first
}

/// The latest call by an id.
#[derive(Clone, Copy)]
struct LatestCall {
    row: usize,
    /// Where the row is in the order.
    place: usize,
    /// How many results it waits for. A message may call several times by one id, as where tools are called by their names alone.
    open: usize,
    is_answered_later: bool,
    /// The first row of the calls that were made at once with it.
    first: usize,
}

/// True if a message of calls says that it goes on with the one before it.
fn goes_on(transcript: &Messages, row: usize) -> bool {
    let calls = |row: usize| {
        transcript.role(row) == Role::Assistant && transcript.value(row, Field::CallId).is_some()
    };
    row > 0 && transcript.value(row - 1, Field::JoinsNext).is_some() && calls(row) && calls(row - 1)
}

impl Groups {
    /// Every message by itself.
    fn apart(transcript: &Messages) -> Self {
        Self { group_of: (0..transcript.len()).collect(), ..Self::default() }
    }

    /// For a context that shows neither calls nor results: what was thought belongs to what was said next, and all else is by itself.
    #[must_use]
    pub fn without_calls(transcript: &Messages, order: &[usize]) -> Self {
        let mut groups = Self::apart(transcript);
        if transcript.has_seen(Field::JoinsNext) {
            let calls = |row: usize| transcript.value(row, Field::CallId).is_some();
            groups.join_thoughts(transcript, order, |pair| !pair.iter().copied().any(calls));
        }
        groups
    }

    /// Pairs every tool result with the latest call of its id before it, in the same session.
    #[must_use]
    pub fn find(transcript: &Messages, order: &[usize]) -> Self {
        let mut groups = Self::apart(transcript);
        // By stretch, session and call id, as ids like `call_0` are in many.
        let mut calls: HashedMap<(usize, Option<&str>, &str), LatestCall> = HashedMap::default();
        let mut over: Vec<(usize, &str, usize)> = Vec::new();
        // The last row with calls: its place and number, and the first of those that were made at once with it.
        let mut made = (0, usize::MAX, 0);
        // The newest row of results, and the first row of the calls that they answer, if it is one.
        let mut answer = (0, None);
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for (place, &row) in order.iter().enumerate() {
            let mut result_count = 0;
            let is_summary = transcript.is_summary(row);
            // No call answers a result beyond a gap: what lies between them may.
            let stretch = stretch_of(transcript, row);
            let session = transcript.value(row, Field::SessionId);
            let mut answered_calls = Vec::new();
            for (field, id) in transcript.fields(row) {
                match field {
                    Field::CallId => {
                        if made.1 != row {
                            let is_next = (made.0 + 1, made.1.wrapping_add(1)) == (place, row);
                            let is_more = is_next && goes_on(transcript, row);
                            if is_more {
                                pairs.push((made.1, row));
                            }
                            made = (place, row, if is_more { made.2 } else { row });
                        }
                        let first = made.2;
                        let new =
                            LatestCall { row, place, open: 0, is_answered_later: false, first };
                        let skipped = usize::from(id == NO_ID);
                        for known in [NO_ID, id].into_iter().skip(skipped) {
                            let latest = calls.entry((stretch, session, known)).or_insert(new);
                            if latest.row != row {
                                if latest.open > 0 {
                                    over.push((latest.row, known, latest.open));
                                }
                                *latest = new;
                            }
                            latest.open += usize::from(!is_summary && known == id);
                        }
                    }
                    Field::ResultLater => {
                        let call = calls.get_mut(&(stretch, session, id));
                        if let Some(call) = call.filter(|call| call.row == row) {
                            call.is_answered_later = true;
                        }
                    }
                    Field::ResultId if is_summary => {}
                    Field::ResultId => {
                        let half = HalfCall { row, place: result_count };
                        result_count += 1;
                        let call = calls.get(&(stretch, session, id));
                        let is_open = |id: &str| {
                            calls.get(&(stretch, session, id)).is_some_and(|call| call.open > 0)
                        };
                        let answered = match call {
                            Some(call) if id == NO_ID => {
                                answered_by_place(transcript, call.row, row, is_open)
                            }
                            _ => Some(id),
                        };
                        match answered.and_then(|id| calls.get_mut(&(stretch, session, id))) {
                            Some(call) if !transcript.is_summary(call.row) => {
                                call.open = call.open.saturating_sub(1);
                                let (call, first) = (call.row, call.first);
                                answered_calls.push(first);
                                groups.join(call, row);
                            }
                            _ => groups.results_without_call.push(half),
                        }
                    }
                    _ => {}
                }
            }
            if result_count > 0 && transcript.role(row) == Role::Tool {
                answered_calls.dedup();
                let calls = answered_calls.first().copied().filter(|_| answered_calls.len() == 1);
                if calls.is_some() && answer.1 == calls {
                    pairs.push((answer.0, row));
                }
                answer = (row, calls);
            }
        }
        if transcript.has_seen(Field::JoinsNext) {
            groups.join_thoughts(transcript, order, |_| true);
        }
        let whole = pairs.into_iter().filter(|(one, other)| groups.of(*one) == groups.of(*other));
        groups.continued = whole.map(|(_, row)| row).collect();
        map::sort_by_key(&mut groups.continued, &|row| (map::place(Some(row)), 0));
        let spoken = if transcript.has_seen(Field::ResultLater) {
            newest_spoken(transcript, order)
        } else {
            HashedMap::default() // no call runs
        };
        let mut running = Vec::new();
        for ((_, session, id), call) in calls.into_iter().filter(|(_, call)| call.open > 0) {
            let is_spoken_behind = spoken.get(&session).is_some_and(|spoken| *spoken > call.place);
            let is_running = call.is_answered_later && !is_spoken_behind;
            (if is_running { &mut running } else { &mut over }).push((call.row, id, call.open));
        }
        groups.calls_without_result = places_of(transcript, over);
        groups.calls_running = places_of(transcript, running);
        groups
    }

    /// What the assistant thought belongs to what it did next, and to nothing that others say.
    fn join_thoughts(
        &mut self,
        transcript: &Messages,
        order: &[usize],
        is_wanted: impl Fn(&[usize]) -> bool,
    ) {
        for pair in order.windows(2).filter(|pair| is_wanted(pair)) {
            let joins = transcript.value(pair[0], Field::JoinsNext).is_some();
            if joins && transcript.role(pair[1]) == Role::Assistant {
                self.join(pair[0], pair[1]);
            }
        }
    }

    fn join(&mut self, call: usize, result: usize) {
        let (one, other) = (self.group_of[call], self.group_of[result]);
        if one == other {
            return;
        }
        let mut take = |group| self.larger.remove(&group).unwrap_or_else(|| vec![group]);
        let (mut rows, mut joining) = (take(one), take(other));
        // The smaller one moves, so that a long chain of groups is joined in good time.
        if rows.len() < joining.len() {
            std::mem::swap(&mut rows, &mut joining);
        }
        let group = self.group_of[rows[0]];
        for row in &joining {
            self.group_of[*row] = group;
        }
        rows.extend(joining);
        self.larger.insert(group, rows);
    }

    /// True if a row goes on with another one of its group: both call tools and were made at once, or both are results of calls that
    /// were made at once.
    #[must_use]
    pub fn goes_on(&self, row: usize) -> bool {
        self.continued.binary_search(&row).is_ok()
    }

    /// A row's group, named by one of its rows: the same for all rows that go together.
    #[must_use]
    #[inline]
    pub fn of(&self, row: usize) -> usize {
        self.group_of[row]
    }

    /// The rows of a row's group, itself included.
    #[must_use]
    pub fn members(&self, row: usize) -> &[usize] {
        let group = &self.group_of[row];
        self.larger.get(group).map_or(std::slice::from_ref(group), Vec::as_slice)
    }
}

/// Returns the places of open calls, by their rows and ids, and how many calls of that id the row has open: of those the first are
/// answered first.
fn places_of(transcript: &Messages, open: Vec<(usize, &str, usize)>) -> Vec<HalfCall> {
    let mut rows: Vec<usize> = open.iter().map(|(row, ..)| *row).collect();
    map::sort_by_key(&mut rows, &|_| (0, 0));
    rows.dedup();
    let mut left: HashedMap<(usize, &str), usize> =
        open.into_iter().map(|(row, id, count)| ((row, id), count)).collect();
    let mut halves = Vec::new();
    for row in rows {
        let ids: Vec<&str> = transcript.values(row, Field::CallId).collect();
        let first = halves.len();
        for (place, id) in ids.into_iter().enumerate().rev() {
            if let Some(count) = left.get_mut(&(row, id)).filter(|count| **count > 0) {
                *count -= 1;
                halves.push(HalfCall { row, place });
            }
        }
        halves[first..].reverse();
    }
    halves
}

/// By session: the place of the newest message in which the user speaks, and answers no call.
fn newest_spoken<'a>(
    transcript: &'a Messages,
    order: &[usize],
) -> HashedMap<Option<&'a str>, usize> {
    let is_spoken = |row: usize| {
        transcript.role(row) == Role::User && transcript.value(row, Field::ResultId).is_none()
    };
    let spoken = order.iter().enumerate().filter(|(_, row)| is_spoken(**row));
    spoken.map(|(place, row)| (transcript.value(*row, Field::SessionId), place)).collect()
}

/// In which of the stretches that gaps leave a row is, counted from 0.
pub(crate) fn stretch_of(transcript: &Messages, row: usize) -> usize {
    transcript.gaps().partition_point(|gap| gap.row <= row)
}
