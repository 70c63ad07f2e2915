//! Scores each message by its relevance to a request.
//!
//! The score adds up two answers. *Is the message on the request's topic?* (`about`) And, if the request continues the
//! newest conversation: *does it continue from the message?* (`flow`)

use crate::base::time::Milliseconds;
use crate::recall::index::PAUSE;
use crate::recall::rank::about::{self, About};
use crate::recall::rank::flow::{self, Flow, Newest};
use crate::recall::rank::matched::MatchedWord;
use crate::recall::rank::parts::largest;
use crate::recall::rank::query::Asker;
use crate::recall::rank::scoring::Scoring;
use crate::recall::rank::weights::Weights;

/// Scores for a request, per message.
#[derive(Clone, Debug, Default)]
pub struct Scores {
    /// BM25 of each message's own words, without its neighbors.
    pub own: Vec<f32>,
    /// The words of the request.
    pub words: Vec<MatchedWord>,
    /// The total score.
    pub total: Vec<f32>,
    /// The largest total score; 0 if none is above it.
    pub most: f32,
    /// The best message by its own words among those that say more than the request does.
    pub leader: Option<usize>,
    /// The message whose own words match far better than any other's, if there is one.
    pub outstanding: Option<usize>,
    /// The part of the total that comes from continuing the conversation.
    pub flow: Flow,
    /// True for messages from a time that the request names; empty if it names none.
    pub is_in_time: Vec<bool>,
}

/// Scores all messages of an index.
#[must_use]
pub fn score(scoring: Scoring<'_>, now: Milliseconds) -> Scores {
    let About { own, most_own, leader, rival, words, mut total, is_in_time } =
        about::score(scoring);
    let mut most = largest(&total);
    let mut flow = Flow::default();
    if let Some(newest) = newest(scoring, now) {
        flow = flow::score(scoring, &own, most_own, &newest);
        let between_two = about_between_two(scoring, &words, leader);
        let weight = scoring.weights.about_in_flow + between_two * (1.0 - newest.crowd);
        // The flow is scaled to the rest and not the other way around, because it covers fewer messages.
        if most > 0.0 {
            flow.scale(most / weight);
        } else {
            total.fill(0.0);
        }
        flow.add_to(&mut total);
        most = most.max(largest(&total[flow.range()]));
    }
    // Its neighbors don't count: they are on the same topic.
    let stands_out = |leader: &usize| own[*leader] > scoring.weights.outstanding * rival;
    let outstanding = leader.filter(stands_out);
    Scores { own, words, total, most, leader, outstanding, flow, is_in_time }
}

/// Scores all messages only by the request's words: plain BM25 with the usual parameters.
#[must_use]
pub fn score_by_words(scoring: Scoring<'_>) -> Scores {
    let usual = Weights {
        saturation: 1.2,
        length_normalization: 0.75,
        longest: f32::INFINITY,
        ..scoring.weights.clone()
    };
    let own = about::by_words(Scoring { weights: &usual, ..scoring }, false);
    let words = MatchedWord::all(scoring.index, scoring.query);
    Scores { most: largest(&own), total: own.clone(), own, words, ..Scores::default() }
}

/// The `count` best messages with a score above 0, best first, newest first in a tie.
#[must_use]
pub fn best(scores: &[f32], count: usize) -> Vec<usize> {
    about::best(scores, count)
}

/// Weight of the topic between two speakers. The more of the request's words occur in one place, the more likely the
/// request is about that place.
fn about_between_two(scoring: Scoring<'_>, words: &[MatchedWord], leader: Option<usize>) -> f32 {
    let Scoring { index, query, weights, .. } = scoring;
    let coverage = leader.map_or(0.0, |leader| about::coverage(index, words, leader));
    let share = if query.is_question { 1.0 } else { weights.no_question };
    weights.about_between_two * coverage * share
}

/// The conversation that the request continues, if it continues one.
fn newest(scoring: Scoring<'_>, now: Milliseconds) -> Option<Newest> {
    let Scoring { index, query, weights, .. } = scoring;
    let last = index.len().checked_sub(1)?;
    let is_over = index.time(last).is_some_and(|time| now.0.saturating_sub(time.0) > PAUSE);
    if query.asker == Asker::Outside || is_over {
        return None;
    }
    Some(Newest::new(index, last, weights.reach))
}
