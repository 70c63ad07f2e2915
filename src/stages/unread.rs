//! Whether what was read of a log decides the context.
//!
//! A transcript may begin in the middle of its log ([`crate::log::unread::Unread`]). Windows and budget work from the newest
//! backwards, and where one of them left a message out for its place, it leaves out all that is older. So a build needs no
//! more than such a message; until it has one, it asks.

use crate::config::{FilterConfig, SectionKind, SessionScope, WindowConfig, WindowUnit};
use crate::log::groups::LONGEST_CALL;
use crate::log::unread::Unread;
use crate::recall::rank::reasons::Evidence;
use crate::stages::units;
use crate::state::ask::{HookName, Need, StageResult, Stop, Wanted};
use crate::state::draft::{Candidate, Draft, Rank};
use crate::state::trace::Reason;

/// What asks for more of the older messages.
pub(crate) fn more() -> Stop {
    Need::Older { wanted: Wanted::More }.into()
}

/// What asks for all older messages.
pub(crate) fn all() -> Stop {
    Need::Older { wanted: Wanted::All }.into()
}

/// What asks for the index of the log.
pub(crate) fn index() -> Stop {
    Need::Older { wanted: Wanted::Index }.into()
}

/// Asks for all older messages, where not all are there.
pub(crate) fn ask_for_all(draft: &Draft) -> StageResult {
    match draft.transcript.unread() {
        Some(_) => Err(all()),
        None => Ok(()),
    }
}

/// Asks for more of the older messages, whatever was left out, where not all are there.
pub(crate) fn ask_for_more_of_all(draft: &Draft) -> StageResult {
    match draft.transcript.unread() {
        Some(_) => Err(more()),
        None => Ok(()),
    }
}

/// Whether nothing but its rank and the budget leaves out what was not read. Then it may be ranked unread.
pub(crate) fn may_be_ranked(draft: &Draft) -> bool {
    let config = &draft.config;
    let WindowConfig {
        unit: _,
        lookback_count: None,
        max_user_turns: None,
        max_recent_messages: None,
        recency_hours: None,
        min_messages: _,
        previous_tasks_count: 0,
        required_newest: _,
        include_reply_to: _,
    } = config.window
    else {
        return false;
    };
    // What these ask, they ask of all messages.
    let asks = [HookName::Embed, HookName::Select, HookName::Complete];
    draft.is_ranked()
        && config.enabled
        && config.section(SectionKind::History).is_some()
        && config.filter == FilterConfig::default()
        && config.collect.cache_limit.is_none()
        && config.collect.fetch_limit.is_none()
        && config.collect.session_scope != SessionScope::Strict
        && draft.hook(&asks).is_none()
        && draft.transcript.unread().is_some()
}

/// Asks for more, unless nothing else is known of what was not read that ranking needs: that it may be ranked unread, or that
/// it is left out anyway.
pub(crate) fn ask_before_ranking(draft: &Draft) -> StageResult {
    match draft.transcript.unread() {
        Some(_) if may_be_ranked(draft) && cut_off_results(draft).next().is_none() => Ok(()),
        Some(_) if may_be_ranked(draft) => Err(more()),
        _ => ask_for_more(draft, &[]),
    }
}

/// Asks for more, where the newest message of the user stands for the request and may be among what was not read.
pub(crate) fn ask_for_newest_user(draft: &Draft) -> StageResult {
    let config = &draft.config;
    let shows = |kind| config.section(kind).is_some();
    let is_asked = draft.is_ranked()
        || shows(SectionKind::Recall)
        || config.sections().iter().any(|section| section.ranked);
    let is_there =
        draft.newest_user_row().is_some_and(|row| row >= draft.transcript.first_of_tail());
    if is_asked && draft.request.is_none() && !is_there { ask_for_more(draft, &[]) } else { Ok(()) }
}

/// Asks for the candidates that were not read, of those that are next.
pub(crate) fn ask_for_candidates(evidence: &Evidence, next: &[Candidate]) -> Stop {
    /// To read more than are needed costs less than to ask once more.
    const AHEAD: usize = 96;
    let place = |candidate: &Candidate| match candidate {
        Candidate::Unread(place) => Some(*place),
        Candidate::Row(_) => None,
    };
    let places: Vec<usize> = next.iter().take(AHEAD).filter_map(place).collect();
    Need::Older { wanted: Wanted::Seqs(evidence.unread_seqs(&places)) }.into()
}

/// Asks for a message by its id, with the exchange that it is of, unless it was looked for before.
pub(crate) fn ask_for_message(draft: &Draft, id: &str) -> StageResult {
    match draft.transcript.unread() {
        Some(unread) if unread.looked_up.iter().all(|known| known != id) => {
            Err(Need::Older { wanted: Wanted::Id(id.to_owned()) }.into())
        }
        _ => Ok(()),
    }
}

/// Asks for more, unless something that was read shows that all that was not is left out. `left_out` is what is not marked
/// yet.
pub(crate) fn ask_for_more(draft: &Draft, left_out: &[(usize, Reason)]) -> StageResult {
    match draft.transcript.unread() {
        Some(unread) if !is_enough(draft, unread, left_out) => Err(more()),
        _ => Ok(()),
    }
}

/// The rows that are half of a tool call, and whose other half may be among what was not read: a result's call is before it.
pub(crate) fn halves(draft: &Draft) -> impl Iterator<Item = usize> {
    let first_of_tail = draft.transcript.first_of_tail();
    let calls = draft.groups.calls_without_result.iter().filter(move |row| **row < first_of_tail);
    calls.chain(&draft.groups.results_without_call).copied()
}

/// The results in the tail whose call may be before it.
fn cut_off_results(draft: &Draft) -> impl Iterator<Item = usize> {
    let first_of_tail = draft.transcript.first_of_tail();
    let near = first_of_tail..first_of_tail + LONGEST_CALL;
    draft.groups.results_without_call.iter().copied().filter(move |row| near.contains(row))
}

/// Whether a unit that begins with this row may begin before it, with what was not read.
pub(crate) fn is_cut(draft: &Draft, first: usize) -> bool {
    let is_in_tail =
        draft.transcript.unread().is_some() && first >= draft.transcript.first_of_tail();
    let is_exchange = draft.config.window.unit == WindowUnit::Exchange;
    is_in_tail && is_exchange && !units::begins_exchange(draft, first)
}

/// Leaves out what was read for its own sake, and is not required for it, or ranked with what was not read.
pub(crate) fn leave_out_single_rows(draft: &mut Draft) {
    if may_be_ranked(draft) {
        return;
    }
    let first_of_tail = draft.transcript.first_of_tail();
    for row in draft.optional_rows() {
        if row < first_of_tail {
            draft.leave_out(row, Reason::NotRead);
        }
    }
}

/// Whether the turn of the user that a message is of begins behind all that was not read: what does not, may be in another place.
fn is_turn_behind_unread(draft: &Draft, row: usize) -> bool {
    let place = draft.order.iter().position(|it| *it == row).unwrap_or_default();
    let mut before = draft.order[..=place].iter().rev();
    let begin = before.find(|row| units::begins_exchange(draft, **row));
    begin.is_none_or(|begin| is_behind_unread(draft, *begin))
}

fn is_enough(draft: &Draft, unread: &Unread, left_out: &[(usize, Reason)]) -> bool {
    let first_of_tail = draft.transcript.first_of_tail();
    let mut ends = vec![false; draft.transcript.len()];
    for (row, ends) in ends.iter_mut().enumerate().skip(first_of_tail) {
        let reason = draft.decision(row).map(|decision| decision.reason);
        *ends = reason.is_some_and(|reason| ends_all(draft, unread, row, reason));
    }
    for (row, reason) in left_out {
        ends[*row] = *row >= first_of_tail && ends_all(draft, unread, *row, *reason);
    }
    // From the newest to the first that shows it.
    let orphans: Vec<usize> = cut_off_results(draft).collect();
    for row in draft.order.iter().rev() {
        if orphans.contains(row) {
            return false; // its call may be among what was not read
        }
        let reason = draft.decision(*row).map(|decision| decision.reason);
        let counts_turns = reason == Some(Reason::BeyondUserTurns);
        if ends[*row]
            && is_behind_unread(draft, *row)
            && (!counts_turns || is_turn_behind_unread(draft, *row))
        {
            return true;
        }
    }
    false
}

/// Whether a message comes behind all that was not read. Of equal times, that which the log has first comes first.
pub(crate) fn is_behind_unread(draft: &Draft, row: usize) -> bool {
    let latest = draft.transcript.gaps().last().and_then(|gap| gap.latest);
    if row >= draft.transcript.first_of_tail() {
        latest.is_none() || draft.times[row] >= latest
    } else {
        latest.is_some() && draft.times[row] > latest
    }
}

/// Whether a message that was left out for this shows that all older ones are.
fn ends_all(draft: &Draft, unread: &Unread, row: usize, reason: Reason) -> bool {
    match reason {
        Reason::Disabled
        | Reason::NoSection
        | Reason::BeyondCache
        | Reason::BeyondFetchLimit
        | Reason::BeyondLookback
        | Reason::BeyondUserTurns
        | Reason::BeyondRecentMessages => true,
        // One without a time has no age, and a summary is shown whatever its age.
        Reason::BeyondAge => !unread.has_untimed && !draft.config.tiers.enabled,
        Reason::TooOld => !unread.has_untimed,
        // The run of the newest ends with the first that does not fit.
        Reason::OverLimit | Reason::OverBudget => {
            matches!(draft.rank(row), Rank::Recent | Rank::History)
        }
        _ => false,
    }
}
