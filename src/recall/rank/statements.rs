//! Chooses lasting statements: the user's facts about themselves, above all about their health, and how they want to be
//! answered. Requests don't mention them.
//!
//! They compete with ranked messages. A prior for its kind raises a statement's score. If it is then worth more than
//! the last message that fits, it is included. As with words, the prior is higher if statements are rare among the
//! user's messages, and zero if every line is one. The prior is lower if one place has all words of the request, and a
//! little lower if the request isn't a question.
//!
//! The classifier misses some statements. So sentences that only may be one count too, with a small prior, which falls
//! if many may be one. They are included if there is room, but don't make statements less rare.

use crate::base::map;
use crate::base::message::Role;
use crate::recall::index::Index;
use crate::recall::rank::about;
use crate::recall::rank::query::Asker;
use crate::recall::rank::score::Scores;
use crate::recall::rank::scoring::Scoring;
use crate::recall::rank::worth::nearly_the_same;
use crate::recall::text::statements::{self, Kind};

/// Maximum number of statements that are read. Their share has room for fewer.
const MOST: usize = 64;
/// A statement with this score gets its whole prior, and others in proportion.
const SURE: f32 = 2.0;
/// The share of the prior for a sentence that just isn't a statement. It falls to 0 at [`statements::LEAST_SURE`]. A
/// higher value includes more statements that the classifier misses, and more sentences that aren't statements.
const UNSURE: f32 = 0.3;

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
    /// False if it only may be a statement.
    is_sure: bool,
    /// True if it is clearly about health, or labeled by the user ("RULE: no tabs"). Then it comes first, no matter what
    /// it displaces.
    is_first: bool,
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
        // A request about an earlier message needs that message, so no statement displaces others for its own worth.
        let last = (!query.asked.looks_back).then(|| margin(scoring, worth, limits.room));
        let is_worth_more = |it: &Statement, last: f32| {
            // If a message is nearly worth its room anyway, only its rank decides, unless it surely is a statement.
            let is_by_rank = !it.is_sure && worth[it.message] * weights.margin >= last;
            it.worth > last * weights.margin && !is_by_rank
        };
        let may_displace = |it: &Statement| last.is_some_and(|last| is_worth_more(it, last));
        found.retain(|it| is_open[it.message] && (it.is_first || may_displace(it)));
    }
    in_order(index, &found)
}

/// The asker's statements, with scores raised by their priors and the resulting worth.
fn raised(scoring: Scoring<'_>, scores: &Scores, asker: u16, limits: Limits) -> Vec<Statement> {
    let Scoring { index, query, weights, similarities, .. } = scoring;
    let own_count = index.speakers().get(usize::from(asker)).map_or(0, |it| it.message_count);
    let said = |(message, cues)| statements::of_cue(cues).map(|it| (message, it));
    let said: Vec<_> = index.cued(asker).filter_map(said).collect();
    let sure = said.iter().filter(|(_, (_, score))| *score > 0.0);
    let of_health = sure.clone().filter(|(_, (kind, _))| *kind == Kind::Health).count();
    let counts = [said.len(), sure.count(), of_health];
    let coverage = scores.leader.map_or(0.0, |it| about::coverage(index, &scores.words, it));
    let need = (1.0 - coverage) * if query.is_question { 1.0 } else { weights.statement_of_task };
    let [possible, any, health] = counts.map(|count| rarity(own_count, count));
    // If nothing matches the request, any statement is worth more.
    let most = Some(scores.most).filter(|most| *most > 0.0).unwrap_or(1.0);
    let mean_price = index.mean_size() + weights.price_of_any;
    let usual = similarities.map_or(0.0, usual_similarity);
    let statement = |(message, (kind, score)): (usize, (Kind, f32))| {
        let prior = match kind {
            _ if score <= 0.0 => weights.statement * possible,
            Kind::Health => (weights.health * health).max(weights.statement * any),
            Kind::Fact | Kind::Instruction => weights.statement * any,
        };
        let near = similarities.map_or(0.0, |all| (all[message] - usual).max(0.0));
        let raised = need * (prior * likely(score) + weights.statement_similarity * near);
        let price = price(index, message, limits);
        // An excerpt keeps only a share of the message's own worth, which grows with the square of the score.
        let is_whole = price == u64::from(index.sizes()[message]);
        let kept = if is_whole { 1.0 } else { weights.excerpt.sqrt() };
        let total = kept * scores.total[message].max(0.0) + most * raised;
        let worth = total * total / (tokens(price) + weights.price_of_any);
        let is_first = score >= statements::SUREST;
        Statement { message, kind, is_sure: score > 0.0, is_first, worth: worth * mean_price }
    };
    said.into_iter().map(statement).collect()
}

/// The mean similarity of messages. Every message is a little similar to any request, so only similarity above the mean
/// says that a statement is close.
fn usual_similarity(all: &[f32]) -> f32 {
    /// Number of messages that are looked at.
    const MOST: usize = 1024;
    let some = all.iter().step_by(all.len() / MOST + 1).filter(|it| **it != 0.0);
    let (count, sum) =
        some.fold((0.0_f32, 0.0), |(count, sum), it| (count + 1.0, sum + it.max(0.0)));
    sum / count.max(1.0)
}

/// The share of the prior for a statement with this score of the classifier.
fn likely(score: f32) -> f32 {
    let unsure = UNSURE * (1.0 - score.min(0.0) / statements::LEAST_SURE);
    // Not `clamp`: the message of its panic has floats, and formatting them takes 22 kB.
    (score / SURE).max(unsure).min(1.0)
}

/// The messages of statements: those clearly about health, then those that the user labels, the newest first, then the
/// others, the best first. A later statement with nearly the same words replaces an earlier one, except for health: a
/// second allergy doesn't end the first.
fn in_order(index: &Index, found: &[Statement]) -> Vec<usize> {
    let by_worth = |(at, it): (usize, &Statement)| {
        let worth = match it.kind {
            _ if !it.is_first => it.worth,
            Kind::Health => f32::MAX,
            Kind::Fact | Kind::Instruction => f32::MAX / 2.0,
        };
        map::best_first(worth, at)
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
