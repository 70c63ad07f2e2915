//! What is left out of the history for want of room or place, and the line that says so.

use crate::draft::Draft;
use crate::form::{self, UNKNOWN_TIME};
use crate::time::{self, Milliseconds};
use crate::trace::{Fate, Reason};

/// Messages that are left out as there is no room or no place for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gap {
    count: usize,
    /// The time of the first of them; none where it is not known.
    from: Option<Milliseconds>,
    /// The time of the last of them.
    to: Option<Milliseconds>,
}

impl Gap {
    /// What is left out; `left_out` is what is not marked yet. None where nothing is.
    pub(crate) fn find(draft: &Draft, left_out: &[(usize, Reason)]) -> Option<Self> {
        let transcript = &draft.transcript;
        let rows = 0..transcript.len();
        let marked = |row| draft.decision(row).filter(|decision| decision.fate == Fate::LeftOut);
        let mut reasons: Vec<Option<Reason>> =
            rows.clone().map(|row| marked(row).map(|decision| decision.reason)).collect();
        for (row, reason) in left_out {
            reasons[*row] = Some(*reason);
        }
        let is_gap = |row: usize| reasons[row].is_some_and(Reason::is_gap);
        let is_missing = |row: &usize| match reasons[*row] {
            Some(Reason::SplitGroup) => {
                draft.groups.members(*row).iter().any(|member| is_gap(*member))
            }
            _ => is_gap(*row),
        };
        let missing: Vec<usize> = rows.filter(is_missing).collect();
        let times = || missing.iter().filter_map(|row| transcript.time(*row));
        let unread_count = transcript.unread().map_or(0, |unread| unread.count);
        let gaps = transcript.gaps();
        // Of what was not read, only how late it may be is known.
        let is_first_read = gaps.first().is_none_or(|gap| missing.first() < Some(&gap.row));
        let is_last_read = missing.last() >= Some(&transcript.first_of_tail());
        let latest = gaps.last().and_then(|gap| gap.latest).filter(|_| !is_last_read);
        let count = missing.len() + unread_count;
        (count > 0).then(|| Self {
            count,
            from: times().min().filter(|_| !missing.is_empty() && is_first_read),
            to: times().chain(latest).max(),
        })
    }
}

/// The line that says so, in its form; none where the config has none.
pub(crate) fn text(draft: &Draft, gap: &Gap) -> Option<String> {
    let time = |moment: Option<Milliseconds>| {
        moment.map_or(UNKNOWN_TIME.to_owned(), |moment| time::format_minute(moment, &draft.zone))
    };
    form::gap_notice(&draft.config, gap.count, &time(gap.from), &time(gap.to))
}

/// The longest that it can be: as if all messages were left out. No time of our days is longer than another.
pub(crate) fn longest_text(draft: &Draft) -> Option<String> {
    let unread_count = draft.transcript.unread().map_or(0, |unread| unread.count);
    let time = Some(draft.now);
    text(draft, &Gap { count: draft.transcript.len() + unread_count, from: time, to: time })
}
