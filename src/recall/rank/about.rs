//! How well messages fit what a request asks for.
//!
//! BM25 over single messages, widened by the words that the best of them share, and spread to their neighbours; and who and
//! when the request names.

use crate::base::map::{self, Hashed};
use crate::recall::index::{IS_QUESTION, Index, narrow, short};
use crate::recall::rank::query::Query;
use crate::recall::rank::spread::{Kernel, Part, add_up, spread};
use crate::recall::text::terms::Kind;
use std::borrow::Cow;

/// BM25's saturation and length normalisation, at their usual values (Robertson and Zaragoza, 2009).
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// To the messages that answer, and to those that are answered.
const NARROW: Kernel = Kernel { forward: 0.6, backward: 0.4, decay: 0.7 };
/// To the passage of a conversation that is about it.
const WIDE: Kernel = Kernel { forward: 0.9, backward: 0.9, decay: 0.75 };
/// To the whole of a conversation, where an overview is wanted.
const WIDEST: Kernel = Kernel { forward: 1.2, backward: 0.75, decay: 0.965 };

// What the parts count, against 1 for the narrow spread of the words. Found on the development halves of LoCoMo and QMSum
// together, by changing one at a time; none changes a figure by more than two points within a third of its value, and weights
// found on other conversations give nearly the same figures (docs/recall.md).
const WIDE_WEIGHT: f32 = 0.6;
const WIDEST_WEIGHT: f32 = 3.5;
/// What a message has itself, whoever says it.
const DIRECT: f32 = 0.15;
const TIME: f32 = 0.8;
const SPEAKER: f32 = 0.4;
/// What a named speaker's words count more.
const SPEAKER_NARROW: f32 = 0.75;
const SPEAKER_WIDE: f32 = 0.5;
/// A question holds no answer.
const QUESTION: f32 = 0.06;
const SIMILARITY: f32 = 0.6;
const SIMILARITY_NARROW: f32 = 0.3;
/// What the similarity of the whole conversation counts, and where an overview is wanted.
const SIMILARITY_WIDEST: f32 = 0.3;
const SIMILARITY_OVERVIEW: f32 = 0.8;

/// What an identifier counts against a word, and all the grams of a word together.
const IDENTIFIER: f32 = 1.5;
const GRAMS: f32 = 0.3;
/// What a word is looked for by, and what each counts.
const FORMS: [(Kind, f32); 2] = [(Kind::Word, 1.0), (Kind::Identifier, IDENTIFIER)];

/// A request is widened by so many terms, of so many of the best messages; together they count so much of what the best message
/// has.
const EXPANSION_TERMS: usize = 8;
const EXPANSION_MESSAGES: usize = 10;
const EXPANSION: f32 = 0.2;

/// How messages fit a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    /// BM25 by the words that each has itself.
    pub(crate) own: Vec<f32>,
    /// The message that has the best of these scores.
    pub(crate) leader: Option<usize>,
    /// By word of the request: the messages that have it in one of its forms, ascending.
    pub(crate) hits: Vec<Vec<u32>>,
    /// By all parts together.
    pub(crate) total: Vec<f32>,
    /// Whether each is of a time that is named.
    pub(crate) is_in_time: Vec<bool>,
}

/// Scores all messages; `is_open` says which may be recalled, `similarities` how near each is to the request by the hook
/// `recall.embed`.
pub(crate) fn score(
    index: &Index,
    query: &Query,
    is_open: &[bool],
    similarities: Option<&[f32]>,
) -> About {
    let flags = index.flags();
    let (own, hits) = by_words(index, query, is_open, true);
    let named = Named::new(index, query);
    let (kernel, weight, similarity_weight) = if query.wants_overview {
        (WIDEST, WIDEST_WEIGHT, SIMILARITY_OVERVIEW)
    } else {
        (WIDE, WIDE_WEIGHT, SIMILARITY_WIDEST)
    };
    let leaders = best(&own, EXPANSION_MESSAGES);
    let words = widened(index, &own, &leaders, is_open);
    let by_named = named.raised(index, &words, SPEAKER_WIDE);
    let [mut narrow, wide] = spread([(NARROW, &words), (kernel, &by_named)], flags);
    if named.is_any() {
        narrow = Part::of(named.raised(index, &narrow.scores, SPEAKER_NARROW).into_owned());
    }
    drop(by_named);
    let mut parts = vec![(narrow, 1.0), (wide, weight), (Part::of(words), DIRECT)];
    if let Some(similarities) = similarities {
        let power = |power: i32| -> Vec<f32> {
            similarities.iter().map(|similarity| similarity.max(0.0).powi(power)).collect()
        };
        let [narrow, widest] = spread([(NARROW, &power(2)), (WIDEST, &power(3))], flags);
        parts.extend([
            (narrow, SIMILARITY_NARROW),
            (widest, similarity_weight),
            (Part::of(power(1)), SIMILARITY),
        ]);
    }
    let is_in_time = in_time(index, query);
    let time_weight = TIME * selectivity(&is_in_time);
    let is_question = |flags: &u8| flags & IS_QUESTION != 0;
    let beside = |flags| if is_question(flags) { -QUESTION } else { 0.0 };
    let mut total: Vec<f32> = flags.iter().map(beside).collect();
    for (message, is_in_time) in is_in_time.iter().enumerate() {
        if *is_in_time {
            total[message] += time_weight;
        }
    }
    if named.is_any() {
        for (message, total) in total.iter_mut().enumerate() {
            if named.has(index, message) {
                *total += SPEAKER;
            }
        }
    }
    add_up(&mut total, &parts);
    About { own, leader: leaders.first().copied(), hits, total, is_in_time }
}

/// The speakers that a request names.
struct Named(Vec<bool>);

impl Named {
    fn new(index: &Index, query: &Query) -> Self {
        let mut named = Vec::new();
        if !query.speakers.is_empty() {
            named = vec![false; index.speakers().len()];
            for speaker in &query.speakers {
                if let Some(named) = named.get_mut(*speaker as usize) {
                    *named = true;
                }
            }
        }
        Self(named)
    }

    fn is_any(&self) -> bool {
        !self.0.is_empty()
    }

    fn has(&self, index: &Index, message: usize) -> bool {
        self.0.get(index.speaker(message) as usize) == Some(&true)
    }

    /// Scores with those of named speakers raised.
    fn raised<'a>(&self, index: &Index, scores: &'a [f32], weight: f32) -> Cow<'a, [f32]> {
        if !self.is_any() {
            return scores.into();
        }
        let one = |(message, score): (usize, &f32)| {
            if self.has(index, message) { score * (1.0 + weight) } else { *score }
        };
        scores.iter().enumerate().map(one).collect()
    }
}

/// BM25 of the request's words; and by word, the messages that have it.
pub(crate) fn by_words(
    index: &Index,
    query: &Query,
    is_open: &[bool],
    has_grams: bool,
) -> (Vec<f32>, Vec<Vec<u32>>) {
    let mut scores = vec![0.0; index.len()];
    let mut hits = Vec::new();
    for word in &query.words {
        let mut has = Vec::new();
        // Its forms count as one.
        for (kind, weight) in FORMS {
            let found = index.occurrences(&word.terms_of(kind));
            has.extend(found.iter().map(|(message, _)| u64::from(*message)));
            let found_in = found.iter().map(|(message, often)| (*message as usize, *often));
            add(index, found_in, found.len(), weight, &mut scores);
        }
        if !has.is_sorted_by(|one, next| one < next) {
            map::sort_numbers(&mut has);
            has.dedup();
        }
        #[expect(clippy::cast_possible_truncation, reason = "they came from 32 bits")]
        hits.push(has.into_iter().map(|message| message as u32).collect());
        if has_grams {
            // Each for itself, all of them together as one.
            let grams = word.terms_of(Kind::Gram);
            #[expect(clippy::cast_precision_loss, reason = "a word has few")]
            let weight = GRAMS / grams.len() as f32;
            for gram in grams {
                add_term(index, short(gram), weight, &mut scores);
            }
        }
    }
    close(&mut scores, is_open);
    (scores, hits)
}

/// By message of these, by word of the request: what it counts that the message has it, whatever the word's rarity.
pub(crate) fn weights(index: &Index, query: &Query, messages: &[usize]) -> Vec<Vec<f32>> {
    let mut weights = vec![vec![0.0; query.words.len()]; messages.len()];
    let places: Hashed<u32, usize> =
        messages.iter().enumerate().map(|(place, message)| (narrow(*message), place)).collect();
    let mean = index.mean_length().max(1.0);
    for (position, word) in query.words.iter().enumerate() {
        for (kind, weight) in FORMS {
            for (message, often) in index.occurrences(&word.terms_of(kind)) {
                if let Some(place) = places.get(&message) {
                    let length = index.length(message as usize) / mean;
                    weights[*place][position] += weight * saturated(often, length);
                }
            }
        }
    }
    weights
}

/// From 0 to 1: which part of the request's words, by their rarity, a message and its neighbours have.
pub(crate) fn coverage(index: &Index, hits: &[Vec<u32>], leader: usize) -> f32 {
    const AROUND: usize = 3;
    let around = leader.saturating_sub(AROUND)..=leader + AROUND;
    let (mut all, mut covered) = (0.0, 0.0);
    for messages in hits {
        let weight = rarity(index, messages.len());
        all += weight;
        let first = messages.partition_point(|message| (*message as usize) < *around.start());
        if messages.get(first).is_some_and(|message| around.contains(&(*message as usize))) {
            covered += weight;
        }
    }
    if all > 0.0 { covered / all } else { 0.0 }
}

/// BM25 of the request's words and of the terms that are most peculiar to the messages that lead by these.
fn widened(index: &Index, own: &[f32], leaders: &[usize], is_open: &[bool]) -> Vec<f32> {
    let mut scores = own.to_vec();
    let Some(most) = leaders.first().map(|message| own[*message]) else {
        return scores;
    };
    let mut leaders = leaders.to_vec();
    map::sort_by_key(&mut leaders, &|_| (0, 0));
    let mut place: Hashed<u32, usize> = Hashed::default();
    let mut found: Vec<(u32, f32)> = Vec::new();
    for (term, message) in index.terms_of(&leaders) {
        let at = *place.entry(term).or_insert_with(|| {
            found.push((term, 0.0));
            found.len() - 1
        });
        found[at].1 += own[message] / most;
    }
    // The heaviest first: of equal ones that with the smaller number.
    let weigh = |(term, weight): (u32, f32)| {
        let weight = weight * rarity(index, index.message_count(term));
        map::pair(!weight.max(0.0).to_bits(), term)
    };
    let mut weighed: Vec<u64> = found.into_iter().map(weigh).collect();
    map::sort_numbers(&mut weighed);
    weighed.truncate(EXPANSION_TERMS);
    let halves = weighed.into_iter().map(map::halves);
    let weighed = halves.map(|(bits, term)| (f32::from_bits(!bits), term));
    let all: f32 = weighed.clone().map(|(weight, _)| weight).sum();
    for (weight, term) in weighed {
        let rarity = rarity(index, index.message_count(term));
        add_term(index, term, EXPANSION * most * weight / all / rarity, &mut scores);
    }
    close(&mut scores, is_open);
    scores
}

/// Adds what a term gives to the messages that have it.
fn add_term(index: &Index, term: u32, weight: f32, scores: &mut [f32]) {
    add(index, index.with(term), index.message_count(term), weight, scores);
}

/// Adds what it gives that so many messages have something, each so often.
fn add(
    index: &Index,
    found_in: impl Iterator<Item = (usize, f32)>,
    count: usize,
    weight: f32,
    scores: &mut [f32],
) {
    let weight = weight * rarity(index, count);
    let mean = index.mean_length().max(1.0);
    found_in.for_each(|(message, often)| {
        scores[message] += weight * saturated(often, index.length(message) / mean);
    });
}

/// What counts that a message has a word so often, by its length, of which the mean is 1.
fn saturated(often: f32, length: f32) -> f32 {
    often * (K1 + 1.0) / (often + K1 * (1.0 - B + B * length))
}

/// How rare what so many messages of an index have is.
fn rarity(index: &Index, count: usize) -> f32 {
    rarity_among(index.len(), count)
}

/// How rare what `count` of all messages have is: BM25's inverse document frequency.
#[expect(clippy::cast_precision_loss, reason = "a logarithm of it")]
pub(crate) fn rarity_among(all: usize, count: usize) -> f32 {
    let (all, count) = (all as f32, count as f32);
    (1.0 + (all - count + 0.5) / (count + 0.5)).ln()
}

/// Which messages are of a time that the request names; empty where it names none.
fn in_time(index: &Index, query: &Query) -> Vec<bool> {
    if query.spans.is_empty() {
        return Vec::new();
    }
    let is_in = |message| {
        index.time(message).is_some_and(|time| {
            query.spans.iter().any(|span| span.first <= time && time < span.end)
        })
    };
    (0..index.len()).map(is_in).collect()
}

/// From 0 to 1: what most messages have says little.
#[expect(clippy::cast_precision_loss, reason = "a logarithm of it")]
fn selectivity(is_in: &[bool]) -> f32 {
    let count = is_in.iter().filter(|is_in| **is_in).count().max(1);
    (is_in.len().max(1) as f32 / count as f32).ln().clamp(0.0, 1.0)
}

/// The messages with the highest scores, the best first; of equal ones the newest. None whose score is below the smallest
/// normal number.
pub(crate) fn best(scores: &[f32], count: usize) -> Vec<usize> {
    /// So many are looked at together: most hold none that may be among the best.
    const BLOCK: usize = 8;
    const SOME: usize = 256;
    let most = count.saturating_mul(2).saturating_add(SOME);
    let mut best: Vec<u64> = Vec::new();
    let mut threshold = f32::MIN_POSITIVE;
    for (block, scores) in scores.chunks(BLOCK).enumerate() {
        if scores.iter().any(|score| *score >= threshold) {
            for (place, score) in scores.iter().enumerate() {
                if *score >= threshold {
                    best.push(map::pair(!score.to_bits(), !narrow(block * BLOCK + place)));
                }
            }
            // From time to time those that are no longer among them go.
            if best.len() >= most {
                let (bits, _) = map::halves(*best.select_nth_unstable(count).1);
                threshold = f32::from_bits(!bits);
                best.truncate(count);
            }
        }
    }
    map::sort_numbers(&mut best);
    best.truncate(count);
    best.into_iter().map(|pair| !map::halves(pair).1 as usize).collect()
}

/// What may not be recalled scores nothing, and gives its neighbours nothing.
fn close(scores: &mut [f32], is_open: &[bool]) {
    for (score, is_open) in scores.iter_mut().zip(is_open) {
        if !is_open {
            *score = 0.0;
        }
    }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::best;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_are_those_that_sorting_all_of_them_gives(
            scores in prop::collection::vec(prop_oneof![Just(0.0_f32), -1.0_f32..5.0, (0_u8..4).prop_map(f32::from)], 0..3000),
            count in 0_usize..700,
        ) {
            let mut wanted: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
            wanted.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]).then(other.cmp(one)));
            wanted.truncate(count);
            prop_assert_eq!(best(&scores, count), wanted);
        }
    }
}
