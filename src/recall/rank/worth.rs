//! Computes the worth of messages relative to their cost.
//!
//! The budget is filled by the greedy rule for knapsacks: the item with the most worth for its price comes first
//! (Dantzig, 1957). A message's worth is the probability that the request needs it, which grows faster than its score:
//! a message with half the score is needed far less than half as often. Its price is its tokens, plus the tokens that
//! any message costs.
//!
//! For some messages the price doesn't count: those that the request continues from; all of a passage if the request
//! asks for an overview; and a message whose own words match far better than all others. If all messages cost the same,
//! the price changes nothing.
//!
//! Repetition is discounted: a message that repeats a better one counts only by its new words. If the newest of them is
//! nearly as good, it takes the place of the best one, because it may correct it.

use crate::base::candidate::{Candidate, Form};
use crate::base::map;
use crate::base::message::Role;
use crate::recall::index::Index;
use crate::recall::index::segment::narrow;
use crate::recall::rank::parts::{self, BLOCK, power};
use crate::recall::rank::score::{self, Scores};
use crate::recall::rank::scoring::Scoring;

/// The worth of each message of an index for its price; 0 if there is no evidence for it.
#[must_use]
pub fn worth(scoring: Scoring<'_>, scores: &Scores) -> Vec<f32> {
    let Scoring { index, query, weights, .. } = scoring;
    let sizes = index.sizes();
    // In wasm, `max` would be a function call per message.
    let need = |score: f32| if score > 0.0 { power(score, weights.need_by_score) } else { 0.0 };
    if query.wants_overview {
        return scores.total.iter().copied().map(need).collect();
    }
    let mean = index.mean_size() + weights.price_of_any;
    let cheapness = |size: u16| mean / (f32::from(size) + weights.price_of_any);
    let prices = [mean, weights.price_of_any];
    let mut worth = parts::worth(&scores.total, sizes, weights.need_by_score, prices);
    let set = |message: usize, size: u16, worth: &mut [f32]| {
        let score = scores.total[message];
        if score > 0.0 {
            let bought = 1.0 - (scores.flow.of(message) / score).clamp(0.0, 1.0);
            worth[message] = need(score) * cheapness(size).powf(bought);
        }
    };
    for message in scores.flow.range() {
        set(message, sizes[message], &mut worth);
    }
    if let Some(message) = scores.outstanding {
        set(message, sizes.iter().copied().min().unwrap_or_default(), &mut worth);
    }
    worth
}

/// Bounds of a ranking.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Number of messages.
    pub count: usize,
    /// Room in tokens. The ranking ends some messages after it is surely full.
    pub room: u64,
}

impl Bounds {
    /// Lower bound for the tokens of a message.
    pub const LEAST_TOKENS: u64 = 4;
    /// A longer message may be shown as an excerpt, and counts as this many tokens.
    const MOST_TOKENS: u64 = 64;
    /// Number of messages that are ranked after the room is full: some of those before them may not fit.
    const MORE: usize = 128;
    /// Tokens of most messages, for the number that is tried first.
    const USUAL_TOKENS: u64 = 16;

    /// The number of messages to try first.
    fn first_count(self) -> usize {
        let usual = usize::try_from(self.room / Self::USUAL_TOKENS).unwrap_or(usize::MAX);
        self.count.min(usual.saturating_add(Self::MORE))
    }

    /// Surely not more than the tokens of a message with this approximate size.
    fn least_tokens(size: u16) -> u64 {
        Self::LEAST_TOKENS + (u64::from(size) / 2).min(Self::MOST_TOKENS)
    }
}

/// The best messages within bounds, best first. One that repeats a better one by the same speaker counts by its new
/// words: its worth is multiplied by their share, and a copy is worth almost nothing. If the repeat is newer and as good,
/// the two change places. Messages that can't be recalled don't count as originals.
#[must_use]
pub fn best_without_repeats(scoring: Scoring<'_>, worth: &mut [f32], bounds: Bounds) -> Vec<usize> {
    let Scoring { index, is_open, .. } = scoring;
    let mut count = bounds.first_count();
    loop {
        let mut best = score::best(worth, count);
        let (repeats, end) = repeats(index, &best, is_open, bounds.room);
        // In a log full of copies, the best ones may all be copies of a few.
        let is_too_few = count < bounds.count || 2 * repeats.len() > count;
        if best.len() == count && end == count && is_too_few {
            count *= 4;
            continue;
        }
        best.truncate(end);
        let newest = newest_of(&repeats, worth);
        for it in &repeats {
            worth[it.message] *= it.added;
        }
        // The newest takes the place of the original, which counts by the words that the newest lacks.
        for (original, newest) in newest {
            worth[newest] = worth[newest].max(worth[original]);
            let terms = index.terms_of(original);
            let common = nearly_the_same(terms, index.terms_of(newest)).unwrap_or_default();
            worth[original] *= share_added(common, terms.len());
        }
        if !repeats.is_empty() {
            let numbers = best.iter().map(|message| map::best_first(worth[*message], *message));
            let mut numbers: Vec<u64> = numbers.collect();
            map::sort_numbers(&mut numbers);
            best = numbers.into_iter().map(map::position).collect();
        }
        best.truncate(bounds.count);
        return best;
    }
}

/// Factor of a copy, which makes it worth less than anything that isn't one.
const OF_COPY: f32 = 1e-6;

/// A message that is nearly the same as a better one.
struct Repeat {
    message: usize,
    /// The better one. The message itself if it is short.
    original: usize,
    /// Factor for its worth.
    added: f32,
}

/// The newest repeat of each message, if it is newer than the message and nearly worth as much. A repeat that lacks words
/// of the request is worth much less, and can't take the message's place.
fn newest_of(repeats: &[Repeat], worth: &[f32]) -> Vec<(usize, usize)> {
    /// Minimum share of the message's worth.
    const NEARLY: f32 = 0.5;
    let is_as_good = |it: &&Repeat| worth[it.message] >= NEARLY * worth[it.original];
    let newer = repeats.iter().filter(|it| it.message > it.original).filter(is_as_good);
    let by_original = |it: &Repeat| map::pair(narrow(it.original), !narrow(it.message));
    let mut newer: Vec<u64> = newer.map(by_original).collect();
    map::sort_numbers(&mut newer);
    let mut newest = Vec::new();
    for (original, message) in newer.into_iter().map(map::halves) {
        if newest.last().is_none_or(|(last, _)| *last != original as usize) {
            newest.push((original as usize, !message as usize));
        }
    }
    newest
}

/// Factor for the worth of a message next to one that is nearly the same: the share of terms that it adds, if `common`
/// of its `all` are in both.
fn share_added(common: usize, all: usize) -> f32 {
    share(all - common, all).max(OF_COPY)
}

/// The messages that are nearly the same as better ones, each with a factor for its worth: the share of words that it
/// adds or, if it is short, 1/n² for the n-th of the same messages ("Acknowledged."). Words that a speaker often
/// repeats carry little information. Also returns the number of messages after which the room is surely full.
fn repeats(index: &Index, best: &[usize], is_open: &[bool], room: u64) -> (Vec<Repeat>, usize) {
    /// Shorter messages ("yes, I think so") aren't compared, because each may answer something else.
    const LEAST_TERMS: usize = 5;
    let mut firsts = Values::new(SKETCH_PARTS * best.len());
    let mut short_counts = Values::new(best.len());
    let mut repeats = Vec::new();
    let mut left = room;
    let mut end = best.len();
    for (at, message) in best.iter().copied().enumerate().filter(|it| is_open[it.1]) {
        if at >= end {
            break;
        }
        let terms = index.terms_of(message);
        let (original, added) = if terms.is_empty() {
            (message, 1.0)
        } else {
            let sketch = sketch(index.speaker(message), terms);
            if terms.len() < LEAST_TERMS {
                let count = short_counts.of(sketch[0], 0);
                *count += 1;
                let count = *count as usize;
                (message, share(1, count.saturating_mul(count)))
            } else {
                // The first message with each part: this one, if no other was it before.
                let alike = sketch.map(|part| *firsts.of(part, narrow(message)) as usize);
                let is_other =
                    |at: &usize| alike[*at] != message && !alike[..*at].contains(&alike[*at]);
                let others = (0..alike.len()).filter(is_other).map(|at| alike[at]);
                // A copy comes before a longer message with all of its terms.
                let near = |other| {
                    let others = index.terms_of(other);
                    Some((nearly_the_same(terms, others)?, !others.len(), other))
                };
                let nearest = others.filter_map(near).max();
                nearest.map_or((message, 1.0), |(common, _, other)| {
                    (other, share_added(common, terms.len()))
                })
            }
        };
        if added < 1.0 {
            repeats.push(Repeat { message, original, added });
            continue;
        }
        match left.checked_sub(Bounds::least_tokens(index.sizes()[message])) {
            Some(rest) => left = rest,
            None => end = end.min(at + 1 + Bounds::MORE),
        }
    }
    (repeats, end)
}

/// A hash table whose keys are hashes already.
struct Values {
    /// The two halves of a key, and its value; [`Values::FREE`] in a free slot. At least a third of the slots are free.
    slots: Vec<[u32; 3]>,
    key_count: usize,
}

impl Values {
    const FREE: u32 = u32::MAX;
    /// The maximum number of slots at first. In a log full of copies, most of the keys are the same.
    const MOST_AT_FIRST: usize = 1 << 14;

    /// Room for about `count` keys.
    fn new(count: usize) -> Self {
        Self::with_slots((2 * count).clamp(2, Self::MOST_AT_FIRST).next_power_of_two())
    }

    fn with_slots(count: usize) -> Self {
        Self { slots: vec![[0, 0, Self::FREE]; count], key_count: 0 }
    }

    /// The value of a key. A new key begins with `first`.
    fn of(&mut self, key: u64, first: u32) -> &mut u32 {
        if 3 * self.key_count >= 2 * self.slots.len() {
            self.grow();
        }
        let at = self.place_of(key);
        let slot = &mut self.slots[at];
        if slot[2] == Self::FREE {
            let (high, low) = map::halves(key);
            *slot = [high, low, first];
            self.key_count += 1;
        }
        &mut slot[2]
    }

    /// The slot of a key, or the free slot for it.
    fn place_of(&self, key: u64) -> usize {
        let (high, low) = map::halves(key);
        let mask = self.slots.len() - 1;
        let mut at = (high ^ low) as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot[2] == Self::FREE || (slot[0] == high && slot[1] == low) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    /// Doubles the number of slots.
    fn grow(&mut self) {
        let mut larger = Self::with_slots(2 * self.slots.len());
        for [high, low, value] in self.slots.iter().copied().filter(|slot| slot[2] != Self::FREE) {
            larger.of(map::pair(high, low), value);
        }
        *self = larger;
    }
}

/// Number of parts of a sketch.
const SKETCH_PARTS: usize = 5;

/// A sketch of a speaker's message: a hash of all its terms, and the minimum of each of four hashes over them (Broder,
/// 1997). Copies share all of it. Other messages share a part with the probability that they share a term.
fn sketch(speaker: u16, terms: &[u32]) -> [u64; SKETCH_PARTS] {
    /// A large odd number, from the golden ratio: it spreads every bit of a term widely (Knuth, 1973).
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut sketch = [0, u64::MAX, u64::MAX, u64::MAX, u64::MAX];
    let [all, least @ ..] = &mut sketch;
    for term in terms {
        *all = (all.rotate_left(23) ^ u64::from(*term)).wrapping_mul(SPREAD);
        let mut hash = u64::from(*term);
        for least in &mut *least {
            hash = (hash ^ hash >> 29).wrapping_add(1).wrapping_mul(SPREAD);
            *least = hash.min(*least);
        }
    }
    for (part, hash) in (1..).zip(&mut sketch) {
        *hash = (*hash ^ u64::from(speaker)).rotate_left(part);
    }
    sketch
}

/// Counts the terms that two messages share. None if these are at most two thirds of the longer message's terms. Both
/// lists are ascending.
pub(super) fn nearly_the_same(one: &[u32], other: &[u32]) -> Option<usize> {
    let least = 2 * one.len().max(other.len()) / 3 + 1;
    let mut misses_left = one.len().checked_sub(least)?;
    let mut rest = other.iter().peekable();
    let mut common = 0;
    for term in one {
        while rest.next_if(|other| *other < term).is_some() {}
        if rest.next_if_eq(&term).is_some() {
            common += 1;
        } else {
            misses_left = misses_left.checked_sub(1)?;
        }
    }
    Some(common)
}

#[expect(clippy::cast_precision_loss, reason = "the number of a message's words")]
fn share(some: usize, all: usize) -> f32 {
    some as f32 / all as f32
}

/// The messages that may become excerpts.
#[derive(Clone, Copy, Debug)]
pub struct ExcerptedMessage<'a> {
    /// The roles of messages that may.
    pub roles: &'a [Role],
    /// The minimum number of tokens of a message.
    pub min_tokens: u64,
    /// The approximate number of tokens in an excerpt.
    pub tokens: u64,
}

/// The messages that are worth more per token as an excerpt than whole, with that worth, best first, newest first in a
/// tie. Excludes messages that are needed whole. `worth` has the worth of each whole message.
#[must_use]
pub fn of_excerpts(
    scoring: Scoring<'_>,
    scores: &Scores,
    worth: &[f32],
    excerpted: ExcerptedMessage<'_>,
) -> Vec<(usize, f32)> {
    let Scoring { index, query, weights, .. } = scoring;
    if query.wants_overview {
        return Vec::new();
    }
    let tokens = u16::try_from(excerpted.tokens).unwrap_or(u16::MAX);
    let price = f32::from(tokens) + weights.price_of_any;
    let mut found = Vec::new();
    let is_long = |size: u16| u64::from(size) >= excerpted.min_tokens;
    let blocks = index.sizes().chunks(BLOCK).enumerate();
    let blocks = blocks.filter(|(_, sizes)| is_long(parts::largest_size(sizes)));
    for (message, size) in blocks.flat_map(|(block, sizes)| (block * BLOCK..).zip(sizes)) {
        let whole = worth[message];
        if !is_long(*size) || whole <= 0.0 || scores.outstanding == Some(message) {
            continue;
        }
        let bought = 1.0 - (scores.flow.of(message) / scores.total[message]).clamp(0.0, 1.0);
        let cheaper = (f32::from(*size) + weights.price_of_any) / price;
        let by_excerpt = whole * weights.excerpt * cheaper.powf(bought);
        if by_excerpt > whole
            && index.role(message).is_some_and(|role| excerpted.roles.contains(&role))
        {
            found.push((message, by_excerpt));
        }
    }
    let by_worth = |(at, (_, worth)): (usize, &(usize, f32))| map::best_first(*worth, at);
    let mut order: Vec<u64> = found.iter().enumerate().map(by_worth).collect();
    map::sort_numbers(&mut order);
    order.into_iter().map(|at| found[map::position(at)]).collect()
}

/// The messages, best first, including those that are worth more as excerpts. Such a message occurs twice: first as an
/// excerpt, then whole.
#[must_use]
pub fn with_excerpts(
    best: &[usize],
    worth: &[f32],
    excerpts: &[(usize, f32)],
) -> Vec<Candidate<usize>> {
    let mut merged = Vec::with_capacity(best.len() + excerpts.len());
    let mut excerpts = excerpts.iter().peekable();
    for message in best {
        while let Some((excerpt, _)) =
            excerpts.next_if(|(_, by_excerpt)| *by_excerpt > worth[*message])
        {
            merged.push(Candidate { form: Form::Excerpt, ..Candidate::whole(*excerpt) });
        }
        merged.push(Candidate::whole(*message));
    }
    merged
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::{Values, nearly_the_same};
    use proptest::prelude::*;
    use std::collections::{BTreeSet, HashMap};
    use windrow_property::properties;

    properties! {
        #[test]
        fn messages_are_nearly_the_same_if_they_share_more_than_two_thirds(
            one in prop::collection::btree_set(0_u32..12, 0..12),
            other in prop::collection::btree_set(0_u32..12, 0..12),
        ) {
            let common = one.intersection(&other).count();
            let wanted = (3 * common > 2 * one.len().max(other.len())).then_some(common);
            let list = |terms: BTreeSet<u32>| terms.into_iter().collect::<Vec<u32>>();
            prop_assert_eq!(nearly_the_same(&list(one), &list(other)), wanted);
        }

        #[test]
        fn values_equal_those_of_a_hash_map(
            entries in prop::collection::vec((prop_oneof![0_u64..20, any::<u64>()], 0_u32..9), 1..200),
            expected_count in 0_usize..200,
        ) {
            let mut values = Values::new(expected_count);
            let mut wanted = HashMap::new();
            for (key, value) in entries {
                let known = wanted.entry(key).or_insert(value);
                prop_assert_eq!(*values.of(key, value), *known);
                *known += 1;
                *values.of(key, value) += 1;
            }
        }
    }
}
