//! The order of a log's messages in time.

use crate::base::message::Role;
use crate::base::time::Milliseconds;

/// The times of the first messages of a log. A message is late if its time is earlier than that of a message before it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    /// The time of the last message that has one.
    pub last: Option<Milliseconds>,
    pub latest: Option<Milliseconds>,
    pub earliest: Option<Milliseconds>,
    /// The time at which the instructions at the beginning have ended; the earliest possible one if it is unknown.
    begin: Option<Milliseconds>,
    /// The number of steps from one time to a later one, minus the number of steps to an earlier one.
    forward_steps: i64,
    pub has_untimed: bool,
    pub has_late: bool,
    /// True if all messages are needed to order any of them: a message without a time follows a late one, or a late one
    /// may come before the instructions.
    pub is_misplaced: bool,
}

impl Clock {
    /// Takes the next message.
    pub(crate) fn take(&mut self, time: Option<Milliseconds>, role: Option<Role>) {
        if let Some(time) = time {
            let is_late = self.latest.is_some_and(|latest| time < latest);
            self.has_late |= is_late;
            self.is_misplaced |= is_late && self.begin.is_none_or(|begin| time < begin);
            self.forward_steps += self.last.map_or(0, |last| time.cmp(&last) as i64);
            self.last = Some(time);
            self.latest = self.latest.max(Some(time));
            self.earliest = Some(self.earliest.map_or(time, |earliest| earliest.min(time)));
        } else {
            self.has_untimed = true;
            self.is_misplaced |= self.last < self.latest;
        }
        if !role.is_some_and(Role::is_instruction) {
            self.begin.get_or_insert(self.last.unwrap_or(Milliseconds(i64::MIN)));
        }
    }

    /// The time before a message with this time. That of a late message doesn't count if the clock is right again.
    pub(crate) fn before(&self, time: Milliseconds) -> Option<Milliseconds> {
        if Some(time) < self.latest { self.last } else { self.latest }
    }

    /// True if times mostly go back, as in a list with the newest message first.
    pub(crate) fn runs_backwards(&self) -> bool {
        self.forward_steps < 0
    }
}
