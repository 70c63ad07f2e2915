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

/// The clock before every `EVERY`th message. The others follow from these.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clocks<const EVERY: usize>(Vec<Clock>);

impl<const EVERY: usize> Clocks<EVERY> {
    /// Records the clock before the message at a place, the one after all known messages.
    pub(crate) fn note(&mut self, place: usize, clock: Clock) {
        if place.is_multiple_of(EVERY) {
            self.0.push(clock);
        }
    }

    /// The clock before the message at a place. `message` returns a message's time and role.
    pub(crate) fn before(
        &self,
        place: usize,
        message: impl Fn(usize) -> (Option<Milliseconds>, Option<Role>),
    ) -> Clock {
        // None is recorded yet before the message that comes next.
        let known = (place / EVERY).min(self.0.len().saturating_sub(1));
        let mut clock = self.0.get(known).copied().unwrap_or_default();
        for (time, role) in (known * EVERY..place).map(message) {
            clock.take(time, role);
        }
        clock
    }

    /// Forgets all but the first messages.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.0.truncate(length.div_ceil(EVERY));
    }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use windrow_property::properties;

    fn clock_of(messages: &[(Option<Milliseconds>, Option<Role>)]) -> String {
        let mut clock = Clock::default();
        for (time, role) in messages {
            clock.take(*time, *role);
        }
        format!("{clock:?}")
    }

    properties! {
        #[test]
        fn a_clock_depends_only_on_the_messages(
            messages in prop::collection::vec((prop::option::of(0_i64..9), any::<bool>()), 0..40),
            steps in prop::collection::vec((any::<bool>(), 0_usize..20), 0..12),
        ) {
            let role = |is_user: bool| Some(if is_user { Role::User } else { Role::System });
            let all: Vec<_> = messages
                .into_iter()
                .map(|(time, is_user)| (time.map(Milliseconds), role(is_user)))
                .collect();
            let mut clocks = Clocks::<4>::default();
            let mut length = 0;
            // Messages come in pieces, and some are cut off again.
            for (is_added, count) in steps {
                if is_added {
                    let end = (length + count).min(all.len());
                    let mut clock = clocks.before(length, |place| all[place]);
                    for (place, (time, role)) in all.iter().enumerate().take(end).skip(length) {
                        clocks.note(place, clock);
                        clock.take(*time, *role);
                    }
                    length = end;
                } else {
                    length -= count.min(length);
                    clocks.truncate(length);
                }
                for place in 0..=length {
                    let found = clocks.before(place, |place| all[place]);
                    prop_assert_eq!(format!("{found:?}"), clock_of(&all[..place]));
                }
            }
        }
    }
}
