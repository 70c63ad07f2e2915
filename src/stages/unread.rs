//! Decides whether enough of a log was read to determine the context.
//!
//! A transcript may begin in the middle of its log ([`crate::log::unread::Unread`]). Windows and budget work backwards
//! from the newest message. If a window leaves a message out for its place, it leaves out all older messages too. The
//! budget skips some that don't fit, and then tries no older ones. Until the build has found that point, it asks for
//! more.

use crate::config::{ContextConfig, Ranking, SectionKind, WindowUnit};
use crate::log::groups::LONGEST_CALL;
use crate::log::plan::Wanted;
use crate::log::reach;
use crate::log::units;
use crate::log::unread::Unread;
use crate::recall::rank::reasons::{Evidence, Whereabouts};
use crate::state::ask::{HookName, MarkResult};
use crate::state::input::Input;
use crate::state::marks::{Marks, Rank};
use crate::state::ranking::RankedPlace;
use crate::state::trace::{Decision, Fate, MOST_MISSES, Reason, StageName};

/// Asks for all older messages, if some are unread.
pub(crate) fn ask_for_all(input: &Input) -> MarkResult {
    match input.transcript.unread() {
        Some(_) => Err(Wanted::All),
        None => Ok(()),
    }
}

/// Asks for more of the older messages, if some are unread.
pub(crate) fn ask_for_more_of_all(input: &Input) -> MarkResult {
    match input.transcript.unread() {
        Some(_) => Err(Wanted::More),
        None => Ok(()),
    }
}

/// True if unread messages may be ranked: only their rank and the budget could leave them out.
pub(crate) fn may_be_ranked(input: &Input) -> bool {
    // These hooks are asked about all messages.
    let asks = [HookName::Embed, HookName::Select, HookName::Complete];
    reach::ranks_by_index(&input.config)
        && input.hook(&asks).is_none()
        && input.transcript.unread().is_some()
}

/// Asks for more before ranking, unless unread messages can be ranked or are left out anyway.
pub(crate) fn ask_before_ranking(input: &Input, marks: &Marks) -> MarkResult {
    match input.transcript.unread() {
        Some(_) if may_be_ranked(input) && cut_off_results(input, marks).next().is_none() => Ok(()),
        Some(_) if may_be_ranked(input) => Err(Wanted::More),
        _ => ask_for_more(input, marks, &[]),
    }
}

/// Asks for more if the newest user message is the request and may be unread.
pub(crate) fn ask_for_newest_user(input: &Input, marks: &Marks) -> MarkResult {
    let config = &input.config;
    let shows = |kind| config.section(kind).is_some();
    let is_asked = input.is_ranked()
        || shows(SectionKind::Recall)
        || config.sections().iter().any(|section| section.ranked);
    let is_there = marks.newest_user_row(input).is_some_and(|row| {
        row >= input.transcript.first_of_tail() && is_behind_unread(input, marks, row)
    });
    if is_asked && input.request.is_none() && !is_there {
        ask_for_more(input, marks, &[])
    } else {
        Ok(())
    }
}

/// Number of the next candidates of a share to read at once. Reading too many costs less than asking again, because each
/// time the build starts over.
pub(crate) fn read_ahead(input: &Input) -> usize {
    /// In a store.
    const AHEAD: usize = 96;
    /// If all messages are in memory, as many as usually fit: short messages, plus some that don't fit.
    const SHORT_TOKENS: u64 = 8;
    const MISSES: u64 = 64;
    let limit = input.config.budget.prompt_limit().unwrap_or(u64::MAX);
    let most = usize::try_from(limit / SHORT_TOKENS + MISSES).unwrap_or(usize::MAX);
    if input.transcript.is_part() { most } else { AHEAD }
}

/// The unread ones among the next candidates.
pub(crate) fn candidates(evidence: &Evidence, next: &[RankedPlace]) -> Wanted {
    let place = |candidate: &RankedPlace| match candidate {
        RankedPlace::Unread(place) => Some(*place),
        RankedPlace::Row(_) => None,
    };
    let places: Vec<usize> = next.iter().filter_map(place).collect();
    Wanted::Seqs(evidence.whereabouts().unread_seqs(&places))
}

/// Asks for the other half of a tool call if it is unread, because the whole call may be kept for its rank. `places`
/// has each row's place in the index.
pub(crate) fn ask_for_other_halves(
    input: &Input,
    marks: &Marks,
    places: &[usize],
    whereabouts: Whereabouts<'_>,
) -> MarkResult {
    let first_of_tail = input.transcript.first_of_tail();
    let halves = unpaired(input, marks).filter(|row| *row < first_of_tail);
    let halves: Vec<usize> = halves.map(|row| places[row]).collect();
    let seqs = whereabouts.unread_seqs(&halves);
    if seqs.is_empty() { Ok(()) } else { Err(Wanted::Seqs(seqs)) }
}

/// Asks for a message by its id, with its exchange, unless it was searched for before.
pub(crate) fn ask_for_message(input: &Input, id: &str) -> MarkResult {
    match input.transcript.unread() {
        Some(unread) if unread.looked_up.iter().all(|known| known != id) => {
            Err(Wanted::Id(id.to_owned()))
        }
        _ => Ok(()),
    }
}

/// Asks for the messages with forgotten sentences, because the index doesn't know which they are.
pub(crate) fn ask_for_forgotten(input: &Input) -> MarkResult {
    let forgotten = input.config.filter.forgotten.iter();
    let mut ids = forgotten.flat_map(|it| it.message_ids.iter().flatten());
    ids.try_for_each(|id| ask_for_message(input, id))
}

/// Asks for more, unless a message that was read shows that all unread ones are left out. `left_out` has messages that
/// aren't marked yet.
pub(crate) fn ask_for_more(
    input: &Input,
    marks: &Marks,
    left_out: &[(usize, Reason)],
) -> MarkResult {
    match input.transcript.unread() {
        Some(unread) if !is_enough(input, marks, unread, left_out) => Err(Wanted::More),
        _ => Ok(()),
    }
}

/// The rows that are half of a tool call and whose other half may be unread. A result's call is before it.
pub(crate) fn unpaired(input: &Input, marks: &Marks) -> impl Iterator<Item = usize> {
    let first_of_tail = input.transcript.first_of_tail();
    let calls = marks.groups.calls_without_result.iter().chain(&marks.groups.calls_running);
    let calls = calls.filter(move |call| call.row < first_of_tail);
    calls.chain(&marks.groups.results_without_call).map(|half| half.row)
}

/// The results in the tail whose call may be before it.
pub(crate) fn cut_off_results(input: &Input, marks: &Marks) -> impl Iterator<Item = usize> {
    let first_of_tail = input.transcript.first_of_tail();
    let near = first_of_tail..first_of_tail + LONGEST_CALL;
    let rows = marks.groups.results_without_call.iter().map(|half| half.row);
    rows.filter(move |row| near.contains(row))
}

/// True if the unit that seems to begin with this row may begin earlier, with an unread message.
pub(crate) fn is_cut(input: &Input, first: usize) -> bool {
    let is_in_tail =
        input.transcript.unread().is_some() && first >= input.transcript.first_of_tail();
    let is_exchange = input.config.window.unit == WindowUnit::Exchange;
    is_in_tail && is_exchange && !units::begins_exchange(&input.transcript, first)
}

/// Leaves out the messages that were read individually, unless they are required or ranked with the unread ones.
pub(crate) fn leave_out_single_rows(input: &Input, marks: &mut Marks) {
    if may_be_ranked(input) {
        return;
    }
    let first_of_tail = input.transcript.first_of_tail();
    for row in marks.optional_rows() {
        if row < first_of_tail {
            marks.leave_out(row, Reason::NotRead);
        }
    }
}

/// True if the user's turn that a message belongs to begins after all unread messages.
fn is_turn_behind_unread(input: &Input, marks: &Marks, row: usize) -> bool {
    let place = marks.order.iter().position(|it| *it == row).unwrap_or_default();
    let mut before = marks.order[..=place].iter().rev();
    let begin = before.find(|row| units::begins_exchange(&input.transcript, **row));
    begin.is_none_or(|begin| is_behind_unread(input, marks, *begin))
}

fn is_enough(input: &Input, marks: &Marks, unread: &Unread, left_out: &[(usize, Reason)]) -> bool {
    let first_of_tail = input.transcript.first_of_tail();
    let reason = |row| marks.decision(row).map(|decision| decision.reason);
    let mut reasons: Vec<Option<Reason>> = (0..input.transcript.len()).map(reason).collect();
    for (row, reason) in left_out {
        reasons[*row] = Some(*reason);
    }
    let mut is_missed = vec![false; reasons.len()];
    let mut misses = 0;
    // From the newest back to the first message that shows that all older ones are left out.
    let orphans: Vec<usize> = cut_off_results(input, marks).collect();
    for row in marks.order.iter().rev() {
        if orphans.contains(row) {
            return false; // its call may be unread
        }
        let Some(reason) = reasons[*row].filter(|_| *row >= first_of_tail) else { continue };
        let counts_turns = reason == Reason::BeyondUserTurns;
        let is_miss = may_be_missed(marks, *row, reason);
        if is_miss && !std::mem::replace(&mut is_missed[marks.groups.of(*row)], true) {
            misses += 1;
        }
        if (misses > most_misses(&input.config)
            || (!is_miss && ends_all(input, marks, unread, *row, reason)))
            && is_behind_unread(input, marks, *row)
            && (!counts_turns || is_turn_behind_unread(input, marks, *row))
        {
            return true;
        }
    }
    false
}

/// True if a message comes after all unread ones. Messages with the same time keep the order of the log.
pub(crate) fn is_behind_unread(input: &Input, marks: &Marks, row: usize) -> bool {
    let latest = input.transcript.gaps().last().and_then(|gap| gap.latest);
    if row >= input.transcript.first_of_tail() {
        latest.is_none() || marks.times[row] >= latest
    } else {
        latest.is_some() && marks.times[row] > latest
    }
}

/// The fate of the unread messages: that of the newest message that proves that none of them is in the context.
pub(crate) fn rest(input: &Input, marks: &Marks) -> Decision {
    let left_out = |stage, reason| Decision { fate: Fate::LeftOut, stage, reason };
    let unread = input.transcript.unread();
    let is_cut = input.config.budget.cut.is_some();
    if marks.ranking.is_some() && may_be_ranked(input) && !is_cut {
        return left_out(StageName::Budget, Reason::RankedLower);
    }
    let rows = (input.transcript.first_of_tail()..input.transcript.len()).rev();
    let mut decisions = rows.filter_map(|row| Some((row, marks.decision(row)?)));
    let shows = |(row, decision): &(usize, Decision)| {
        unread.is_some_and(|unread| ends_all(input, marks, unread, *row, decision.reason))
    };
    let found = decisions.find(shows).map(|(row, decision)| match decision.reason {
        reason if may_be_missed(marks, row, reason) => {
            Decision { reason: Reason::RunEnded, ..decision }
        }
        _ => decision,
    });
    found.unwrap_or_else(|| left_out(StageName::Collect, Reason::NotRead))
}

/// True if a message that was left out for this reason shows that all older ones are left out too.
fn ends_all(input: &Input, marks: &Marks, unread: &Unread, row: usize, reason: Reason) -> bool {
    match reason {
        Reason::Disabled
        | Reason::Compacted
        | Reason::BeforeCut
        | Reason::NoSection
        | Reason::BeyondCache
        | Reason::BeyondFetchLimit
        | Reason::BeyondLookback
        | Reason::BeyondUserTurns
        | Reason::BeyondRecentMessages => true,
        // A message without a time has no age, and a summary is shown whatever its age.
        Reason::BeyondAge => !unread.has_untimed && !input.config.tiers.enabled,
        Reason::TooOld => !unread.has_untimed,
        _ => may_be_missed(marks, row, reason),
    }
}

/// True if a message was left out because its group doesn't fit, so that it counts as a miss that may end the search.
/// If messages are ranked, answers to the request and the guaranteed newest messages are tried separately, before
/// these.
fn may_be_missed(marks: &Marks, row: usize, reason: Reason) -> bool {
    let rank = marks.rank(row);
    matches!(reason, Reason::OverLimit | Reason::OverBudget | Reason::RunEnded)
        && match marks.ranking {
            Some(_) => rank == Rank::History && !marks.is_in_turn(row),
            None => matches!(rank, Rank::Recent | Rank::History),
        }
}

/// Number of groups that may fail to fit before older ones aren't tried anymore. If the history is filled newest first,
/// the first one ends the run.
pub(crate) fn most_misses(config: &ContextConfig) -> u64 {
    if config.recall.ranking == Ranking::Recency { 0 } else { MOST_MISSES }
}
