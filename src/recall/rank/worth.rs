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
//! Repetition is discounted: a message that repeats a better one counts only by its new words.

use crate::base::candidate::{Candidate, Form};
use crate::base::map::{self, HashedMap};
use crate::base::message::Role;
use crate::recall::index::Index;
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
    let mean = mean(sizes) + weights.price_of_any;
    let cheapness = |size: u16| mean / (f32::from(size) + weights.price_of_any);
    let of = |(score, size): (&f32, &u16)| need(*score) * cheapness(*size);
    let mut worth: Vec<f32> = scores.total.iter().zip(sizes).map(of).collect();
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

/// At least the `count` best messages, best first. One that repeats a better one by the same speaker counts by its new
/// words: its worth is multiplied by their share, and a copy is worth almost nothing. Messages that can't be recalled
/// don't count as originals.
#[must_use]
pub fn best_without_repeats(scoring: Scoring<'_>, worth: &mut [f32], count: usize) -> Vec<usize> {
    let Scoring { index, is_open, .. } = scoring;
    let mut count = count;
    loop {
        let mut best = score::best(worth, count);
        let repeats = repeats(index, &best, is_open);
        // In a log full of copies, the best ones may all be copies of a few.
        if best.len() == count && 2 * repeats.len() > count {
            count *= 4;
            continue;
        }
        for (message, added) in &repeats {
            worth[*message] *= added;
        }
        if !repeats.is_empty() {
            map::sort_by_key(&mut best, &|message| {
                (map::descending(f64::from(worth[message])), -map::place(Some(message)))
            });
        }
        return best;
    }
}

/// The messages that are nearly the same as better ones, each with a factor for its worth: the share of words that it
/// adds or, if it is short, 1/n² for the n-th of the same messages ("Acknowledged."). Words that a speaker often
/// repeats carry little information.
fn repeats(index: &Index, best: &[usize], is_open: &[bool]) -> Vec<(usize, f32)> {
    /// Shorter messages ("yes, I think so") aren't compared, because each may answer something else.
    const LEAST_TERMS: usize = 5;
    /// Factor of a copy, which makes it worth less than anything that isn't one.
    const OF_COPY: f32 = 1e-6;
    let mut first: HashedMap<u64, usize> = HashedMap::default();
    let mut short_count: HashedMap<u64, usize> = HashedMap::default();
    let mut repeats = Vec::new();
    for message in best.iter().copied().filter(|message| is_open[*message]) {
        let terms = index.terms_of(message);
        if terms.is_empty() {
            continue;
        }
        let sketch = sketch(index.speaker(message), terms);
        if terms.len() < LEAST_TERMS {
            let count = short_count.entry(sketch[0]).or_insert(0);
            *count += 1;
            if *count > 1 {
                repeats.push((message, share(1, *count * *count)));
            }
            continue;
        }
        let alike = sketch.iter().filter_map(|part| first.get(part).copied());
        let common = alike.filter_map(|other| nearly_the_same(terms, index.terms_of(other))).max();
        if let Some(common) = common {
            repeats.push((message, share(terms.len() - common, terms.len()).max(OF_COPY)));
        }
        for part in sketch {
            first.entry(part).or_insert(message);
        }
    }
    repeats
}

/// A sketch of a speaker's message: a hash of all its terms, and the minimum of each of four hashes over them (Broder,
/// 1997). Copies share all of it. Other messages share a part with the probability that they share a term.
fn sketch(speaker: u16, terms: &[u32]) -> [u64; 5] {
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

/// Counts the terms that two messages share. None if these are at most two thirds of the longer message's terms.
pub(super) fn nearly_the_same(one: &[u32], other: &[u32]) -> Option<usize> {
    let common = one.iter().filter(|term| other.binary_search(term).is_ok()).count();
    (3 * common > 2 * one.len().max(other.len())).then_some(common)
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
    for (message, (whole, size)) in worth.iter().zip(index.sizes()).enumerate() {
        let is_long = u64::from(*size) >= excerpted.min_tokens;
        if !is_long || *whole <= 0.0 || scores.outstanding == Some(message) {
            continue;
        }
        let bought = 1.0 - (scores.flow.of(message) / scores.total[message]).clamp(0.0, 1.0);
        let cheaper = (f32::from(*size) + weights.price_of_any) / price;
        let by_excerpt = whole * weights.excerpt * cheaper.powf(bought);
        if by_excerpt > *whole
            && index.role(message).is_some_and(|role| excerpted.roles.contains(&role))
        {
            found.push((message, by_excerpt));
        }
    }
    let mut order: Vec<usize> = (0..found.len()).collect();
    map::sort_by_key(&mut order, &|at| {
        let (message, worth): (usize, f32) = found[at];
        (map::descending(f64::from(worth)), -map::place(Some(message)))
    });
    order.into_iter().map(|at| found[at]).collect()
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

/// A score raised to a small power, without a function call per message.
fn power(score: f32, power: i32) -> f32 {
    (1..power).fold(score, |product, _| product * score)
}

#[expect(clippy::cast_precision_loss, reason = "a mean")]
fn mean(sizes: &[u16]) -> f32 {
    let all: u64 = sizes.iter().copied().map(u64::from).sum();
    all as f32 / sizes.len().max(1) as f32
}
