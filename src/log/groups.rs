//! Groups of messages that belong together, and the order of a transcript. A tool call and all its results are one
//! group, and a group moves as a whole.

use crate::base::map::{self, HashedMap};
use crate::base::message::{Field, Role};
use crate::base::time::Milliseconds;
use crate::log::messages::Messages;

/// Maximum number of messages between a tool call and its result if only a part of the messages was read. Calls further
/// away aren't searched for.
pub(crate) const LONGEST_CALL: usize = 1024;

/// A transcript in order. Groups are sorted by the time of their first message. Within a group results follow their
/// call, with no other group's messages in between, whatever their clocks say.
#[derive(Clone, Debug, Default)]
pub struct Arrangement {
    /// The rows, oldest first.
    pub order: Vec<usize>,
    /// The groups.
    pub groups: Groups,
    /// For each row, the time that orders its group. A group without a time takes that of the last message before it
    /// with a time, if there is one.
    pub times: Vec<Option<Milliseconds>>,
}

impl Arrangement {
    /// Orders the groups of a transcript by time. Ties keep the order of reading.
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

/// The order with calls before their results, and its groups. Usually that is the transcript's own order. If results
/// come before their calls, the list is read from its end (if its clocks run backwards) or sorted by its clocks,
/// provided that this leaves fewer results without a call. A result that is still early then moves after its call.
fn read(transcript: &Messages) -> (Vec<usize>, Groups) {
    let own: Vec<usize> = (0..transcript.len()).collect();
    let groups = Groups::find(transcript, &own);
    // The call of a result may be among the unread messages.
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
    if !best.1.results_without_call.is_empty() && !best.1.calls_without_result.is_empty() {
        let reading = with_calls_first(transcript, &best.0, &best.1);
        let groups = Groups::find(transcript, &reading);
        best = (reading, groups);
    }
    best
}

/// Moves results that come before their open calls to right after those calls. A result at the beginning, or before
/// words of the user, stays: its own call came earlier, and was removed.
fn with_calls_first(transcript: &Messages, order: &[usize], groups: &Groups) -> Vec<usize> {
    let early = sorted(&groups.results_without_call);
    let open = sorted(&groups.calls_without_result);
    let mut reading = Vec::with_capacity(order.len());
    let mut spoken = usize::MAX;
    for &row in order {
        reading.push(row);
        let said = |field| transcript.value(row, field);
        if transcript.role(row) == Role::User && said(Field::ResultId).is_none() {
            spoken = reading.len();
        }
        if halves_of(&open, row).is_empty() {
            continue;
        }
        let near = reading.len().saturating_sub(MOST_CALLS);
        let from = spoken.max(near).min(reading.len());
        // Read once, because both messages may have many parts.
        let is_early = |other: &usize| {
            !halves_of(&early, *other).is_empty()
                && transcript.value(*other, Field::SessionId) == said(Field::SessionId)
        };
        let results = reading[from..].iter().copied().filter(is_early);
        let mut results: Vec<(usize, Option<&str>)> =
            results.map(|other| (other, transcript.value(other, Field::ResultId))).collect();
        for id in transcript.values(row, Field::CallId) {
            let Some(at) = results.iter().position(|(_, of)| *of == Some(id)) else { continue };
            let (result, _) = results[at];
            results[at..].rotate_left(1);
            if let Some(at) = reading[from..].iter().position(|other| *other == result) {
                reading[from + at..].rotate_left(1);
            }
        }
    }
    reading
}

/// The latest time before a row. After a gap, the latest time that unread messages can have.
fn latest_before(
    transcript: &Messages,
    row: usize,
    read: Option<Milliseconds>,
) -> Option<Milliseconds> {
    let gap = transcript.gaps().binary_search_by_key(&row, |gap| gap.row);
    gap.map_or(read, |at| transcript.gaps()[at].latest)
}

/// Messages that form a unit: a message with tool calls and all their results, and a message that means nothing without
/// the next one.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// The group of each row, identified by one of its rows.
    group_of: Vec<usize>,
    /// The rows of each group that has more than one.
    larger: HashedMap<usize, Vec<usize>>,
    /// Calls without a result, in the order of their rows.
    pub calls_without_result: Vec<HalfCall>,
    /// Calls whose result may still come, because the user hasn't spoken since.
    pub calls_running: Vec<HalfCall>,
    /// Results without a call before them.
    pub results_without_call: Vec<HalfCall>,
    /// Rows that continue an earlier row of their group, ascending: parallel calls, and their results.
    continued: Vec<usize>,
    /// Rows with a result whose call already has one, ascending, with one entry for each such result.
    repeated: Vec<usize>,
}

/// A call without its result, or a result without its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfCall {
    /// The row that contains it.
    pub row: usize,
    /// The place among the calls or results of the row, from 0.
    pub place: usize,
}

/// Sorts entries by their rows and places.
pub(crate) fn sorted(halves: &[HalfCall]) -> Vec<HalfCall> {
    let mut positions: Vec<usize> = (0..halves.len()).collect();
    let key = |at: usize| (map::place(Some(halves[at].row)), map::place(Some(halves[at].place)));
    map::sort_by_key(&mut positions, &key);
    positions.into_iter().map(|at| halves[at]).collect()
}

/// Returns the entries of a row, from sorted entries of all rows.
pub(crate) fn halves_of(halves: &[HalfCall], row: usize) -> &[HalfCall] {
    let first = halves.partition_point(|half| half.row < row);
    let count = halves[first..].iter().take_while(|half| half.row == row).count();
    &halves[first..first + count]
}

/// Maximum number of calls of a message that are searched for the one that a result without an id answers.
const MOST_CALLS: usize = 128;

/// The id of results that name no call. In the map of calls it refers to the newest message with tool calls.
const NO_ID: &str = "";

/// Returns the id of the call in a message that a result without an id answers: the first open call of its tool, or
/// else the first open one.
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
            first = first.or(called); // An approval request for a call has no name.
        }
    }
    first
}

/// The latest call with an id.
#[derive(Clone, Copy)]
struct LatestCall {
    row: usize,
    /// The row's place in the order.
    place: usize,
    /// Number of results that it waits for. A message may have several calls with the same id, for example if only the
    /// tool's name identifies a call.
    open: usize,
    is_answered_later: bool,
    /// The first row of its parallel calls.
    first: usize,
}

/// True if a message with calls continues the message before it, which also has calls.
fn goes_on(transcript: &Messages, row: usize) -> bool {
    let calls = |row: usize| {
        transcript.role(row) == Role::Assistant && transcript.value(row, Field::CallId).is_some()
    };
    row > 0 && transcript.value(row - 1, Field::JoinsNext).is_some() && calls(row) && calls(row - 1)
}

impl Groups {
    /// Each message as a group of its own.
    fn apart(transcript: &Messages) -> Self {
        Self { group_of: (0..transcript.len()).collect(), ..Self::default() }
    }

    /// For a context without calls and results: a thought belongs to the text after it, and everything else is on its
    /// own. The shown rows of an assistant's message form one message again.
    #[must_use]
    pub fn without_calls(
        transcript: &Messages,
        order: &[usize],
        is_shown: impl Fn(usize) -> bool,
    ) -> Self {
        let mut groups = Self::apart(transcript);
        let mut last = None;
        let shown = order.iter().filter(|row| transcript.has_split() && is_shown(**row));
        for &row in shown {
            if let Some(last) = last.filter(|last| transcript.are_of_one_answer(*last, row)) {
                groups.join(last, row);
                groups.continued.push(row);
            }
            last = Some(row);
        }
        map::sort_by_key(&mut groups.continued, &|row| (map::place(Some(row)), 0));
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
        // Keyed by stretch, session and call id, because ids like `call_0` occur in many sessions.
        let mut calls: HashedMap<(usize, Option<&str>, &str), LatestCall> = HashedMap::default();
        let mut over: Vec<(usize, &str, usize)> = Vec::new();
        // The last row with calls: its place and number, and the first row of its parallel calls.
        let mut made = (0, usize::MAX, 0);
        // The newest row with results, and the first row of the calls that they answer, if it is the same for all.
        let mut answer = (0, None);
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for (place, &row) in order.iter().enumerate() {
            let (mut result_count, mut approval_count) = (0, 0);
            let is_summary = transcript.is_summary(row);
            // A result beyond a gap is never paired with a call before it, because its real call may be in the gap.
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
                    Field::ApprovalAnswer => approval_count += 1,
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
                                if call.open == 0 {
                                    groups.repeated.push(row);
                                }
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
            // The user's answers to approval requests aren't results in a request.
            if result_count > approval_count && transcript.role(row) == Role::Tool {
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
        groups.note_continued(&pairs);
        let spoken = newest_spoken(transcript, order);
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

    /// Records the rows that continue another one of their group, and sorts these and the repeated results.
    fn note_continued(&mut self, pairs: &[(usize, usize)]) {
        let whole = pairs.iter().filter(|(one, other)| self.of(*one) == self.of(*other));
        self.continued = whole.map(|(_, row)| *row).collect();
        for rows in [&mut self.continued, &mut self.repeated] {
            map::sort_by_key(rows, &|row| (map::place(Some(row)), 0));
        }
    }

    /// The assistant's thoughts belong to its next action, never to what others say.
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
        // The smaller group moves, so that joining a long chain of groups is fast.
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

    /// True if a row continues an earlier one of its group: both are parallel calls, or both are results of parallel
    /// calls.
    #[must_use]
    pub fn goes_on(&self, row: usize) -> bool {
        self.continued.binary_search(&row).is_ok()
    }

    /// The number of a row's results whose calls have earlier ones.
    #[must_use]
    pub fn repeats_of(&self, row: usize) -> usize {
        self.repeated.partition_point(|other| *other <= row)
            - self.repeated.partition_point(|other| *other < row)
    }

    /// A row's group, identified by one of its rows: the same for all rows of the group.
    #[must_use]
    #[inline]
    pub fn of(&self, row: usize) -> usize {
        self.group_of[row]
    }

    /// The rows of a row's group, including itself.
    #[must_use]
    pub fn members(&self, row: usize) -> &[usize] {
        let group = &self.group_of[row];
        self.larger.get(group).map_or(std::slice::from_ref(group), Vec::as_slice)
    }
}

/// Returns the places of open calls, from their rows, their ids, and the number of open calls with that id in the row.
/// Results answer the first of these first, so the last ones are open.
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

/// For each session, the place of the user's newest message that isn't the answer to a call. Empty if no call may be
/// running.
fn newest_spoken<'a>(
    transcript: &'a Messages,
    order: &[usize],
) -> HashedMap<Option<&'a str>, usize> {
    if !transcript.has_seen(Field::ResultLater) {
        return HashedMap::default();
    }
    let is_spoken = |row: usize| {
        transcript.role(row) == Role::User && transcript.value(row, Field::ResultId).is_none()
    };
    let spoken = order.iter().enumerate().filter(|(_, row)| is_spoken(**row));
    spoken.map(|(place, row)| (transcript.value(*row, Field::SessionId), place)).collect()
}

/// The stretch between gaps that a row is in, counted from 0.
pub(crate) fn stretch_of(transcript: &Messages, row: usize) -> usize {
    transcript.gaps().partition_point(|gap| gap.row <= row)
}
