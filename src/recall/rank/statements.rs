//! Chooses lasting statements: the user's facts about themselves, above all about their health, and how they want to be
//! answered. Requests don't mention them.
//!
//! They compete with ranked messages. A prior for its kind raises a statement's score. If it is then worth more than
//! the last message that fits, it is included. As with words, the prior is higher if statements are rare among the
//! user's messages, and zero if every line is one. The prior is lower if one place has all words of the request, and a
//! little lower if the request isn't a question.

use crate::base::map;
use crate::base::message::Role;
use crate::recall::index::Index;
use crate::recall::rank::about;
use crate::recall::rank::parts::largest;
use crate::recall::rank::query::Asker;
use crate::recall::rank::score::Scores;
use crate::recall::rank::scoring::Scoring;
use crate::recall::rank::worth::nearly_the_same;
use crate::recall::text::statements::{self, Kind};

/// Maximum number of statements that are read. Their share has room for fewer.
const MOST: usize = 64;

/// Limits of the prompt that affect statements.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Approximate number of tokens that fit.
    pub room: u64,
    /// Minimum length in tokens of a message that is reduced to its statement.
    pub long: u64,
}

/// A message with a statement, and its worth relative to its cost.
struct Statement {
    message: usize,
    kind: Kind,
    /// True if it is clearly about health. Then it comes first, no matter what it displaces.
    is_safety: bool,
    worth: f32,
}

/// The messages with a lasting statement of the asker, in the order to try them. `worth` has the worth of each message
/// by its rank.
///
/// Only the asker can make them. Others who talk to the model can't, and if the asker is unknown, nobody can.
#[must_use]
pub fn statements(
    scoring: Scoring<'_>,
    scores: &Scores,
    worth: &[f32],
    limits: Limits,
) -> Vec<usize> {
    let Scoring { index, query, is_open, weights, .. } = scoring;
    let Asker::Known(asker) = query.asker else {
        return Vec::new();
    };
    if is_among_people(index, asker) {
        return Vec::new();
    }
    let mut found = raised(scoring, scores, asker, limits);
    if !found.is_empty() {
        let margin = margin(scoring, worth, limits.room) * weights.margin;
        found.retain(|it| is_open[it.message] && (it.is_safety || it.worth > margin));
    }
    in_order(index, &found)
}

/// The asker's statements, with scores raised by their priors and the resulting worth.
fn raised(scoring: Scoring<'_>, scores: &Scores, asker: u16, limits: Limits) -> Vec<Statement> {
    let Scoring { index, query, weights, similarities, .. } = scoring;
    let own_count = index.speakers().get(usize::from(asker)).map_or(0, |it| it.message_count);
    let said = |(message, cues)| statements::of_cue(cues).map(|it| (message, it));
    let said: Vec<_> = index.cued(asker).filter_map(said).collect();
    let of_health = said.iter().filter(|(_, (kind, _))| *kind == Kind::Health).count();
    let coverage = scores.leader.map_or(0.0, |it| about::coverage(index, &scores.words, it));
    let need = (1.0 - coverage) * if query.is_question { 1.0 } else { weights.statement_of_task };
    let [any, health] = [said.len(), of_health].map(|count| rarity(own_count, count));
    // If nothing matches the request, any statement is worth more.
    let most = Some(largest(&scores.total)).filter(|most| *most > 0.0).unwrap_or(1.0);
    let mean_price = index.mean_size() + weights.price_of_any;
    let statement = |(message, (kind, sure)): (usize, (Kind, f32))| {
        let prior = match kind {
            Kind::Health => (weights.health * health).max(weights.statement * any),
            Kind::Fact | Kind::Instruction => weights.statement * any,
        };
        let near = similarities.map_or(0.0, |all| all[message].max(0.0));
        // Above two thirds of the surest score, more certainty makes no difference.
        let likely = (1.5 * sure).min(1.0);
        let raised = need * (prior * likely + weights.statement_similarity * near);
        let score = scores.total[message].max(0.0) + most * raised;
        let worth = score * score / (tokens(price(index, message, limits)) + weights.price_of_any);
        let is_safety = kind == Kind::Health && sure >= 1.0;
        Statement { message, kind, is_safety, worth: worth * mean_price }
    };
    said.into_iter().map(statement).collect()
}

/// The messages of statements: those clearly about health, then the best first, newest first in a tie. A later
/// statement with nearly the same words replaces an earlier one, except for health: a second allergy doesn't end the
/// first.
fn in_order(index: &Index, found: &[Statement]) -> Vec<usize> {
    let by_worth = |(at, it): (usize, &Statement)| {
        map::best_first(if it.is_safety { f32::MAX } else { it.worth }, at)
    };
    let mut order: Vec<u64> = found.iter().enumerate().map(by_worth).collect();
    map::keep_smallest(&mut order, MOST);
    map::sort_numbers(&mut order);
    let mut kept: Vec<(usize, Kind)> = Vec::with_capacity(order.len());
    for at in order.into_iter().map(map::position) {
        let Statement { message, kind, .. } = found[at];
        let is_same =
            |(other, of): &(usize, Kind)| are_on_one_matter(index, [*other, message], [*of, kind]);
        match kept.iter().position(is_same) {
            Some(same) => kept[same].0 = kept[same].0.max(message),
            None => kept.push((message, kind)),
        }
    }
    kept.into_iter().map(|it| it.0).collect()
}

/// True if the later of two statements replaces the earlier one.
pub(super) fn are_on_one_matter(index: &Index, messages: [usize; 2], kinds: [Kind; 2]) -> bool {
    !kinds.contains(&Kind::Health)
        && nearly_the_same(index.terms_of(messages[0]), index.terms_of(messages[1])).is_some()
}

/// True if everybody has a name, which means that people talk to each other and not to an assistant.
pub(super) fn is_among_people(index: &Index, asker: u16) -> bool {
    let speakers = index.speakers();
    speakers.get(usize::from(asker)).is_some_and(|asker| !asker.name.is_empty())
        && !speakers.iter().any(|it| it.role == Role::Assistant && it.name.is_empty())
}

/// The rarity of some messages among all messages, like the rarity of a word.
#[expect(clippy::cast_precision_loss, reason = "a logarithm")]
fn rarity(all: usize, some: usize) -> f32 {
    ((all as f32 + 1.0) / (some as f32 + 1.0)).ln()
}

/// The worth of the last message that fits, if ranking alone decides. 0 if all fit.
fn margin(scoring: Scoring<'_>, worth: &[f32], room: u64) -> f32 {
    /// The cost of a message besides its text.
    const OF_ANY: u64 = 8;
    /// Minimum room for a message.
    const LEAST: u64 = 40;

    let Scoring { index, is_open, .. } = scoring;
    let mut left = room;
    let mut margin = 0.0;
    about::visit_best(worth, &mut |message| {
        let cost = u64::from(index.sizes()[message]) + OF_ANY;
        if is_open[message] && cost <= left {
            left -= cost;
            margin = worth[message];
        }
        left >= LEAST
    });
    if left < LEAST { margin } else { 0.0 }
}

/// The approximate number of tokens in a message's statement.
fn price(index: &Index, message: usize, limits: Limits) -> u64 {
    /// The cost of a statement with the marks next to it.
    const OF_EXCERPT: u64 = 60;
    let size = u64::from(index.sizes()[message]);
    if size >= limits.long { OF_EXCERPT } else { size }
}

#[expect(clippy::cast_precision_loss, reason = "a price")]
fn tokens(count: u64) -> f32 {
    count as f32
}
