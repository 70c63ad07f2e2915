//! Puts the reasons for recalling a message into words.

use crate::base::map;
use crate::base::message::Role;
use crate::base::template::decimals;
use crate::base::text::joined;
use crate::log::groups::LONGEST_CALL;
use crate::log::unread::RecalledWords;
use crate::recall::index::Index;
use crate::recall::index::segment::narrow;
use crate::recall::rank::query::{Asker, Query};
use crate::recall::rank::score::Scores;
use crate::recall::text::cues::CORRECTS;
use std::rc::Rc;

/// The evidence of a ranking.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The messages.
    pub index: Rc<Index>,
    /// The request.
    pub query: Rc<Query>,
    /// The score of each message.
    pub scores: Rc<Scores>,
    /// The similarity of each message to the request by the hook `recall.embed`, if it was asked.
    pub similarities: Option<Vec<f32>>,
    /// The rows of the index's messages.
    pub rows: Rows,
    /// For each row of the transcript, its place in the index, or [`NOT_INDEXED`].
    pub places: Vec<usize>,
    /// The messages' sequence numbers, if a store has unread messages. Otherwise they are counted from 1.
    pub seqs: Option<Rc<Vec<u64>>>,
}

/// The place of a message that is not in the index.
pub const NOT_INDEXED: usize = usize::MAX;

/// Maximum distance in messages between two that count as next to each other.
const BESIDE: usize = 3;
/// Maximum number of words that a reason names.
const MOST_WORDS: usize = 5;
/// Minimum similarity that reasons mention.
const CLOSE: f32 = 0.3;

impl Evidence {
    /// The places of the messages.
    #[must_use]
    pub fn whereabouts(&self) -> Whereabouts<'_> {
        let seqs = self.seqs.as_ref().map(|seqs| seqs.as_slice());
        Whereabouts { index: &self.index, rows: &self.rows, seqs }
    }

    /// Reasons for recalling the messages in these rows, grouped by equal reasons.
    #[must_use]
    pub fn recalled(&self, rows: &[usize]) -> Vec<RecalledWords> {
        let mut recalled: Vec<RecalledWords> = Vec::new();
        for (row, words) in rows.iter().zip(self.words(rows, "recalled for the request")) {
            match recalled.iter_mut().find(|known| known.words == words) {
                Some(known) => known.positions.push(*row),
                None => recalled.push(RecalledWords { positions: vec![*row], words }),
            }
        }
        recalled
    }

    /// The reason for each of the messages in these rows. It begins with `done`, a word such as "recalled".
    pub(super) fn words(&self, rows: &[usize], done: &str) -> Vec<String> {
        let words_of = |from: usize, to: usize| {
            let words = self.query.words.iter().zip(&self.scores.words);
            let words = words.filter(|(_, word)| word.is_in(&self.index, from..to + 1));
            let words = words.take(MOST_WORDS);
            words.map(|(word, _)| format!("“{}”", word.text)).collect::<Vec<_>>()
        };
        let explain = |row: &usize| {
            let place = self.places.get(*row).copied().filter(|place| *place != NOT_INDEXED);
            let Some(message) = place else {
                return String::new();
            };
            let mut parts = Vec::new();
            let own = words_of(message, message);
            if !own.is_empty() {
                parts.push(format!("it has {}", listed(&own)));
            }
            let around = words_of(message.saturating_sub(BESIDE), message + BESIDE);
            let beside: Vec<String> = around.into_iter().filter(|it| !own.contains(it)).collect();
            if !beside.is_empty() {
                parts.push(format!("it is next to messages with {}", listed(&beside)));
            }
            let speaker = self.index.speaker(message);
            if self.query.speakers.contains(&speaker)
                && let Some(speaker) = self.index.speakers().get(speaker as usize)
            {
                parts.push(format!("it is by {}, whom the request names", speaker.name));
            }
            if self.scores.is_in_time.get(message) == Some(&true) {
                parts.push("it is from a time that the request names".to_owned());
            }
            let similarity = self.similarities.as_ref().and_then(|it| it.get(message)).copied();
            if let Some(similarity) = similarity.filter(|similarity| *similarity >= CLOSE) {
                let hundredths = (f64::from(similarity) * 100.0).round_ties_even();
                let similarity = decimals(hundredths / 100.0, 2);
                parts.push(format!("it is close in meaning ({similarity})"));
            }
            let is_by_asker = self.query.asker == Asker::Known(speaker);
            if is_by_asker && self.index.cues(message) & CORRECTS != 0 {
                parts.push("it corrects an earlier message".to_owned());
            }
            if self.scores.flow.of(message) > self.scores.total[message].max(0.0) / 2.0 {
                parts.push("the request continues from it".to_owned());
            }
            if parts.is_empty() {
                parts.push("it is from a conversation about it".to_owned());
            }
            format!("{done}: {}", joined(parts.iter().map(String::as_str), "; "))
        };
        rows.iter().map(explain).collect()
    }
}

/// The transcript's rows of an index's messages.
#[derive(Clone, Debug)]
pub enum Rows {
    /// Each message is in the row of the same number.
    Same,
    /// The messages that were read, each as a pair with its row, ascending.
    Read(Vec<u64>),
}

impl Rows {
    /// The rows of `count` messages. `places` has each row's message, or [`NOT_INDEXED`].
    #[must_use]
    pub fn new(places: &[usize], count: usize) -> Self {
        if places.iter().copied().eq(0..count) {
            return Self::Same;
        }
        let known = places.iter().enumerate().filter(|(_, place)| **place != NOT_INDEXED);
        let mut rows: Vec<u64> =
            known.map(|(row, place)| map::pair(narrow(*place), narrow(row))).collect();
        map::sort_numbers(&mut rows);
        Self::Read(rows)
    }

    /// The row of a message, if it was read.
    #[must_use]
    pub fn of(&self, message: usize) -> Option<usize> {
        let Self::Read(rows) = self else { return Some(message) };
        let at = rows.partition_point(|pair| *pair < map::pair(narrow(message), 0));
        let (place, row) = map::halves(*rows.get(at)?);
        (place as usize == message).then_some(row as usize)
    }
}

/// The places of an index's messages; [`Evidence`] has the same lists.
#[derive(Clone, Copy, Debug)]
pub struct Whereabouts<'a> {
    /// The messages.
    pub index: &'a Index,
    /// The rows of the index's messages.
    pub rows: &'a Rows,
    /// The messages' sequence numbers, if a store has unread messages. Otherwise they are counted from 1.
    pub seqs: Option<&'a [u64]>,
}

impl Whereabouts<'_> {
    /// The sequence numbers of unread messages: those at these places, and the messages that belong to them.
    #[must_use]
    pub fn unread_seqs(&self, places: &[usize]) -> Vec<u64> {
        let seq = |place: usize| self.seqs.map_or(place as u64 + 1, |all| all[place]);
        let mut seqs = Vec::new();
        for place in places {
            let unread = self.together(*place).filter(|place| self.rows.of(*place).is_none());
            seqs.extend(unread.map(seq));
        }
        map::sort_numbers(&mut seqs);
        seqs.dedup();
        seqs
    }

    /// A message or, if its exchange has tool calls, the whole exchange: from a user message up to the next one.
    fn together(&self, place: usize) -> std::ops::Range<usize> {
        let is = |place: usize, role| self.index.role(place) == Some(role);
        let begin = (0..=place).rev().take(LONGEST_CALL).find(|it| is(*it, Role::User));
        let begin = begin.unwrap_or_else(|| place.saturating_sub(LONGEST_CALL));
        let end = (place + 1..self.index.len()).take(LONGEST_CALL).find(|it| is(*it, Role::User));
        let end = end.unwrap_or_else(|| self.index.len().min(place + 1 + LONGEST_CALL));
        let has_tool = (begin..end).any(|place| is(place, Role::Tool));
        if has_tool { begin..end } else { place..place + 1 }
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => {
            let first = joined(first.iter().map(String::as_str), ", ");
            format!("{first} and {last}")
        }
    }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::{NOT_INDEXED, Rows};
    use proptest::prelude::*;
    use windrow_property::properties;

    properties! {
        #[test]
        fn rows_invert_places(
            shuffled in Just((0_usize..40).collect::<Vec<usize>>()).prop_shuffle(),
            is_sorted in any::<bool>(),
            is_indexed in prop::collection::vec(prop::bool::weighted(0.9), 0..=40),
            count in 40_usize..60,
        ) {
            let mut places = shuffled;
            if is_sorted {
                places.sort_unstable();
            }
            for (place, is_indexed) in places.iter_mut().zip(&is_indexed) {
                if !is_indexed {
                    *place = NOT_INDEXED;
                }
            }
            let rows = Rows::new(&places, count);
            for message in 0..count {
                let wanted = places.iter().position(|place| *place == message);
                prop_assert_eq!(rows.of(message), wanted);
            }
        }
    }
}
