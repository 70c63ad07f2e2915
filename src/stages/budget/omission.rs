//! Finds the messages that are left out for lack of room or by position, and makes the gap notice about them.

use crate::base::time::{self, Milliseconds};
use crate::prompt::form::{self, UNKNOWN_TIME};
use crate::state::input::Input;
use crate::state::marks::Marks;
use crate::state::trace::{Fate, Reason};

/// Messages that are left out for lack of room or by position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Omission {
    count: usize,
    /// The time of the first of them, if known.
    from: Option<Milliseconds>,
    /// The time of the last of them.
    to: Option<Milliseconds>,
}

impl Omission {
    /// Finds the omission. `left_out` has messages that aren't marked yet. None if no message is left out.
    pub(crate) fn find(input: &Input, marks: &Marks, left_out: &[(usize, Reason)]) -> Option<Self> {
        let transcript = &input.transcript;
        let mut reasons = vec![Reason::History; transcript.len()];
        for (row, found) in reasons.iter_mut().enumerate() {
            if let Some(decision) = marks.decision(row).filter(|it| it.fate == Fate::LeftOut) {
                *found = decision.reason;
            }
        }
        for (row, reason) in left_out {
            reasons[*row] = *reason;
        }
        let unread_count = transcript.unread().map_or(0, |unread| unread.count);
        let mut gap = Self { count: unread_count, from: None, to: None };
        let [mut first, mut last] = [usize::MAX, 0];
        for (row, reason) in reasons.iter().enumerate() {
            // A split group has the reason of another message in it.
            let is_split = *reason == Reason::SplitGroup
                && marks.groups.members(row).iter().any(|member| reasons[*member].is_gap());
            if !is_split && !reason.is_gap() {
                continue;
            }
            gap.count += 1;
            first = first.min(row);
            last = row;
            let time = transcript.time(row);
            gap.from = gap.from.map_or(time, |from| Some(time.map_or(from, |time| time.min(from))));
            gap.to = gap.to.max(time);
        }
        // Only the latest possible time of unread messages is known.
        if let [before, .., behind] | [before @ behind] = transcript.gaps() {
            gap.from = gap.from.filter(|_| first < before.row);
            gap.to = if last < behind.row { gap.to.max(behind.latest) } else { gap.to };
        }
        (gap.count > 0).then_some(gap)
    }
}

/// The gap notice in its form. None if the config has no template for it.
pub(crate) fn text(input: &Input, gap: &Omission) -> Option<String> {
    let shown = |moment: Option<Milliseconds>| match moment {
        Some(moment) => time::format_minute(moment, &input.answers.zone),
        None => UNKNOWN_TIME.to_owned(),
    };
    form::gap_notice(&input.config, gap.count, &shown(gap.from), &shown(gap.to))
}

/// The longest possible notice, as if all messages were left out. All realistic times have the same length.
pub(crate) fn longest_text(input: &Input) -> Option<String> {
    let unread_count = input.transcript.unread().map_or(0, |unread| unread.count);
    let time = Some(input.now);
    text(input, &Omission { count: input.transcript.len() + unread_count, from: time, to: time })
}
