//! Scores messages by the topic of a request.
//!
//! The score is BM25 over single messages, expanded by words that the best ones share and spread to their neighbors,
//! plus the speakers and times that the request names.

use crate::base::map::{self, HashedMap, HashedSet};
use crate::base::message::Role;
use crate::recall::index::{IS_QUESTION, Index, short};
use crate::recall::rank::matched::{FORMS, MatchedWord};
use crate::recall::rank::parts::{BLOCK, Part, add_up, is_any_above};
use crate::recall::rank::query::{Asker, Query};
use crate::recall::rank::scoring::Scoring;
use crate::recall::rank::spread::spread;
use crate::recall::rank::weights::Weights;
use crate::recall::text::cues::{CORRECTS, Whose};
use crate::recall::text::terms::Kind;
use std::borrow::Cow;

/// Messages' relevance to a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    /// BM25 of each message's own words.
    pub(crate) own: Vec<f32>,
    /// The largest of these scores.
    pub(crate) most_own: f32,
    /// The best message by these scores among those that say more than the request does.
    pub(crate) leader: Option<usize>,
    /// The largest of these scores that isn't the leader's or its neighbors'.
    pub(crate) rival: f32,
    /// The words of the request.
    pub(crate) words: Vec<MatchedWord>,
    /// The combined score of all parts.
    pub(crate) total: Vec<f32>,
    /// True for messages from a time that the request names.
    pub(crate) is_in_time: Vec<bool>,
}

/// Scores all messages.
pub(crate) fn score(scoring: Scoring<'_>) -> About {
    let Scoring { index, query, weights, .. } = scoring;
    let flags = index.flags();
    let own = by_words(scoring, true);
    let named = NamedMessages::new(index, query);
    let (kernel, weight) = if query.wants_overview {
        (weights.widest, weights.widest_weight)
    } else {
        (weights.wide, weights.wide_weight)
    };
    let terms = query.words.iter().flat_map(|word| &word.terms);
    let said: HashedSet<u32> = terms.map(|term| short(*term)).collect();
    let adds_none = |it: usize| index.terms_of(it).iter().all(|term| said.contains(term));
    let [mut leaders, mut visited] =
        [(); 2].map(|()| Vec::with_capacity(weights.expansion_messages));
    visit_best(&own, &mut |message| {
        visited.push(message);
        if !adds_none(message) {
            leaders.push(message);
        }
        leaders.len() < weights.expansion_messages
    });
    let leader = leaders.first().copied();
    let score_of = |message: Option<&usize>| message.map_or(0.0, |message| own[*message]);
    let most_own = score_of(visited.first());
    let is_rival = |message: &&usize| leader.is_some_and(|leader| message.abs_diff(leader) > 1);
    let rival = score_of(visited.iter().find(is_rival));
    let words = widened(scoring, &own, &leaders);
    let by_named = named.raised(index, &words, weights.speaker_wide);
    let [mut narrow, wide] =
        spread([(weights.narrow, &words), (kernel, &by_named)], flags, index.sizes());
    if named.is_any() {
        narrow = Part::of(named.raised(index, &narrow.scores, weights.speaker_narrow).into_owned());
    }
    drop(by_named);
    let is_in_time = in_time(index, query);
    let time_weight = weights.time * selectivity(&is_in_time);
    // A table lookup, because a processor can't predict which messages are questions.
    let beside = [0.0, -weights.question];
    let is_question = |flags: &u8| usize::from(flags & IS_QUESTION != 0);
    let mut total: Vec<f32> = flags.iter().map(|flags| beside[is_question(flags)]).collect();
    for (message, is_in_time) in is_in_time.iter().enumerate() {
        if *is_in_time {
            total[message] += time_weight;
        }
    }
    if named.is_any() {
        for (message, total) in total.iter_mut().enumerate() {
            if named.has(index, message) {
                *total += weights.speaker;
            }
        }
    }
    add_up(&mut total, &[(narrow, 1.0), (wide, weight), (Part::of(words), weights.direct)]);
    if let Some(similarities) = scoring.similarities {
        let power = |power: i32| -> Vec<f32> {
            similarities.iter().map(|similarity| similarity.max(0.0).powi(power)).collect()
        };
        add_up(&mut total, &[(Part::of(power(1)), weights.similarity)]);
        if query.wants_overview {
            let sources = [(weights.narrow, &power(2)[..]), (weights.widest, &power(3))];
            let [narrow, widest] = spread(sources, flags, index.sizes());
            let parts = [(narrow, weights.similarity_narrow), (widest, weights.similarity_widest)];
            add_up(&mut total, &parts);
        }
    }
    raise_by_author(scoring, &mut total);
    raise_corrections(scoring, &mut total);
    About { own, most_own, leader, rival, words: MatchedWord::all(index, query), total, is_in_time }
}

/// Raises the messages of the author whose words a request asks for: "what did I say", "what did you recommend".
fn raise_by_author(scoring: Scoring<'_>, total: &mut [f32]) {
    let Scoring { index, query, weights, .. } = scoring;
    let (is_by_author, weight): (&dyn Fn(usize) -> bool, f32) =
        match (query.asked.whose, query.asker) {
            (Whose::Asker, Asker::Known(asker)) => {
                (&move |it| index.speaker(it) == asker, weights.own_words)
            }
            (Whose::Answerer, Asker::Known(_)) => {
                (&|it| index.role(it) == Some(Role::Assistant), weights.answers)
            }
            _ => return,
        };
    for (message, total) in total.iter_mut().enumerate() {
        if *total > 0.0 && is_by_author(message) {
            *total *= 1.0 + weight;
        }
    }
}

/// Raises messages with corrections by the one who asks.
fn raise_corrections(scoring: Scoring<'_>, total: &mut [f32]) {
    let Scoring { index, query, weights, .. } = scoring;
    let Asker::Known(asker) = query.asker else {
        return;
    };
    for (message, cues) in index.cued(asker) {
        if cues & CORRECTS != 0 && total[message] > 0.0 {
            total[message] *= 1.0 + weights.correction;
        }
    }
}

/// For each speaker, true if the request names them. Empty if it names none.
struct NamedMessages(Vec<bool>);

impl NamedMessages {
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

    /// Raises the scores of messages by named speakers.
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

/// BM25 of the request's words.
pub(crate) fn by_words(scoring: Scoring<'_>, has_grams: bool) -> Vec<f32> {
    let Scoring { index, query, weights, .. } = scoring;
    let mut sought = Vec::new();
    for word in &query.words {
        for kind in FORMS {
            // The forms of one kind count as one term.
            let terms: Vec<u32> = word.terms_of(kind).into_iter().map(short).collect();
            let rarity = rarity(index, index.count_of_any(&terms));
            sought.push(SoughtWord { terms, weight: weights.of_kind(kind) * rarity });
        }
        if has_grams {
            // Each gram counts separately. Together they count as much as one word.
            let grams = word.terms_of(Kind::Gram);
            #[expect(clippy::cast_precision_loss, reason = "a word has few")]
            let weight = weights.grams / grams.len() as f32;
            sought
                .extend(grams.into_iter().map(|gram| SoughtWord::term(index, short(gram), weight)));
        }
    }
    let mut scores = vec![0.0; index.len()];
    add(scoring, &sought, &mut scores);
    scores
}

/// For each message and each word of the request, the weight of its occurrences, without the word's rarity.
pub(crate) fn word_weights(scoring: Scoring<'_>, messages: &[usize]) -> Vec<Vec<f32>> {
    let Scoring { index, query, weights, .. } = scoring;
    let mut by_message = vec![vec![0.0; query.words.len()]; messages.len()];
    let places: HashedMap<usize, usize> =
        messages.iter().enumerate().map(|(place, message)| (*message, place)).collect();
    let mean = index.mean_length().max(1.0);
    for (position, word) in query.words.iter().enumerate() {
        for kind in FORMS {
            let weight = weights.of_kind(kind);
            let terms: Vec<u32> = word.terms_of(kind).into_iter().map(short).collect();
            for segment in index.segments(0) {
                for posting in segment.of_any(&terms).iter() {
                    let message = segment.messages.start + posting.place();
                    if let Some(place) = places.get(&message) {
                        let length = f32::from(index.lengths()[message]) / mean;
                        by_message[*place][position] +=
                            weight * saturated(weights, posting.often(), length);
                    }
                }
            }
        }
    }
    by_message
}

/// The share of the request's words that a message and its neighbors have, weighted by rarity, from 0 to 1.
pub(crate) fn coverage(index: &Index, words: &[MatchedWord], leader: usize) -> f32 {
    const AROUND: usize = 3;
    let around = leader.saturating_sub(AROUND)..leader + AROUND + 1;
    let (mut all, mut covered) = (0.0, 0.0);
    for word in words {
        let weight = rarity(index, word.message_count);
        all += weight;
        if word.is_in(index, around.clone()) {
            covered += weight;
        }
    }
    if all > 0.0 { covered / all } else { 0.0 }
}

/// BM25 of the request's words, expanded by the most characteristic terms of the messages that rank best.
fn widened(scoring: Scoring<'_>, own: &[f32], leaders: &[usize]) -> Vec<f32> {
    let Scoring { index, weights, .. } = scoring;
    let mut scores = own.to_vec();
    let Some(most) = leaders.first().map(|message| own[*message]) else {
        return scores;
    };
    let mut leaders = leaders.to_vec();
    map::sort_by_key(&mut leaders, &|_| (0, 0));
    let mut place: HashedMap<u32, usize> = HashedMap::default();
    let mut found: Vec<(u32, f32)> = Vec::new();
    for message in leaders {
        for term in index.terms_of(message) {
            let at = *place.entry(*term).or_insert_with(|| {
                found.push((*term, 0.0));
                found.len() - 1
            });
            found[at].1 += own[message] / most;
        }
    }
    // The heaviest first. In a tie, the smaller number comes first.
    let weigh = |(term, weight): (u32, f32)| {
        let weight = weight * rarity(index, index.message_count(term));
        map::pair(!weight.max(0.0).to_bits(), term)
    };
    let mut weighed: Vec<u64> = found.into_iter().map(weigh).collect();
    map::sort_numbers(&mut weighed);
    weighed.truncate(weights.expansion_terms);
    let halves = weighed.into_iter().map(map::halves);
    let weighed = halves.map(|(bits, term)| (f32::from_bits(!bits), term));
    let all: f32 = weighed.clone().map(|(weight, _)| weight).sum();
    let sought = weighed.map(|(weight, term)| {
        let rarity = rarity(index, index.message_count(term));
        SoughtWord::term(index, term, weights.expansion * most * weight / all / rarity)
    });
    add(scoring, &sought.collect::<Vec<_>>(), &mut scores);
    scores
}

/// A word to search for, as all of its terms. A message that has any of them has the word.
struct SoughtWord {
    terms: Vec<u32>,
    /// The weight, including the rarity.
    weight: f32,
}

impl SoughtWord {
    fn term(index: &Index, term: u32, weight: f32) -> Self {
        let weight = weight * rarity(index, index.message_count(term));
        Self { terms: vec![term], weight }
    }
}

/// Adds each message's matches to its score. Messages that may not be recalled score nothing, and spread nothing to
/// their neighbors.
fn add(scoring: Scoring<'_>, sought: &[SoughtWord], scores: &mut [f32]) {
    let Scoring { index, is_open, weights, .. } = scoring;
    // Most forms of most words occur in no message.
    let is_there =
        |sought: &&SoughtWord| sought.terms.iter().any(|term| index.message_count(*term) > 0);
    let sought: Vec<&SoughtWord> = sought.iter().filter(is_there).collect();
    let mean = index.mean_length().max(1.0);
    for segment in index.segments(0) {
        let scores = &mut scores[segment.messages.start..];
        let lengths = &index.lengths()[segment.messages.start..];
        let is_open = &is_open[segment.messages.start..];
        for SoughtWord { terms, weight } in &sought {
            for posting in segment.of_any(terms).iter() {
                let place = posting.place();
                if is_open[place] {
                    let length = f32::from(lengths[place]) / mean;
                    scores[place] += weight * saturated(weights, posting.often(), length);
                }
            }
        }
    }
}

/// The weight of a number of occurrences in a message, by its length relative to the mean.
fn saturated(weights: &Weights, often: u16, length: f32) -> f32 {
    let often = f32::from(often);
    let (k1, b) = (weights.saturation, weights.length_normalization);
    // In wasm, `min` would be a function call per posting.
    let length = if length < weights.longest { length } else { weights.longest };
    often * (k1 + 1.0) / (often + k1 * (1.0 - b + b * length))
}

/// The rarity of a term that `count` messages of an index have.
fn rarity(index: &Index, count: usize) -> f32 {
    rarity_among(index.len(), count)
}

/// The rarity of a term that `count` of `all` messages have: BM25's inverse document frequency.
#[expect(clippy::cast_precision_loss, reason = "a logarithm of it")]
pub(crate) fn rarity_among(all: usize, count: usize) -> f32 {
    let (all, count) = (all as f32, count as f32);
    (1.0 + (all - count + 0.5) / (count + 0.5)).ln()
}

/// For each message, true if it is from a time that the request names. Empty if it names none.
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

/// From 0 to 1: low if most messages match, because then a match means little.
#[expect(clippy::cast_precision_loss, reason = "a logarithm of it")]
fn selectivity(is_in: &[bool]) -> f32 {
    let count = is_in.iter().filter(|is_in| **is_in).count().max(1);
    (is_in.len().max(1) as f32 / count as f32).ln().clamp(0.0, 1.0)
}

/// Visits the messages in the order of [`best`] while `visit` returns true. Sorts only about as many as it visits.
pub(crate) fn visit_best(scores: &[f32], visit: &mut dyn FnMut(usize) -> bool) {
    const FIRST: usize = 256;
    const GROWTH: usize = 4;
    let (mut visited, mut count) = (0, FIRST);
    loop {
        let best = best(scores, count);
        if !best[visited..].iter().all(|message| visit(*message)) || best.len() < count {
            return;
        }
        visited = count;
        count = count.saturating_mul(GROWTH);
    }
}

/// The messages with the highest scores, best first, newest first in a tie. Excludes scores below the smallest normal
/// number.
pub(crate) fn best(scores: &[f32], count: usize) -> Vec<usize> {
    const SOME: usize = 256;
    let most = count.saturating_mul(2).saturating_add(SOME);
    let mut best: Vec<u64> = Vec::new();
    let mut threshold = f32::MIN_POSITIVE;
    let mut add = |first: usize, scores: &[f32], threshold: &mut f32| {
        for (place, score) in (first..).zip(scores) {
            if score >= threshold {
                best.push(map::best_first(*score, place));
            }
        }
        // From time to time, drop those that are no longer among the best.
        if best.len() >= most
            && let Some(next) = map::keep_smallest(&mut best, count)
        {
            *threshold = f32::from_bits(!map::halves(next).0);
        }
    };
    let (blocks, rest) = scores.as_chunks();
    for (block, scores) in blocks.iter().enumerate() {
        // Most blocks have none that could be among the best.
        if is_any_above(scores, threshold) {
            add(block * BLOCK, scores, &mut threshold);
        }
    }
    add(blocks.len() * BLOCK, rest, &mut threshold);
    map::keep_smallest(&mut best, count);
    map::sort_numbers(&mut best);
    best.into_iter().map(map::position).collect()
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::{best, visit_best};
    use proptest::prelude::*;
    use windrow_property::{number_in, properties};

    properties! {
        #[test]
        fn the_best_equal_those_of_a_full_sort(
            scores in prop::collection::vec(prop_oneof![Just(0.0_f32), number_in(-1.0..=5.0), (0_u8..4).prop_map(f32::from)], 0..3000),
            count in 0_usize..700,
        ) {
            let mut wanted: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
            wanted.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]).then(other.cmp(one)));
            let mut visited = Vec::new();
            visit_best(&scores, &mut |message| {
                visited.push(message);
                visited.len() < count.max(1)
            });
            prop_assert_eq!(&visited, &wanted[..wanted.len().min(count.max(1))]);
            wanted.truncate(count);
            prop_assert_eq!(best(&scores, count), wanted);
        }
    }
}
