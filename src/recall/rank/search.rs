//! Searches a log for messages relevant to a question.

use crate::base::map::HashedSet;
use crate::base::message::Role;
use crate::base::time::{Milliseconds, Zone};
use crate::recall::index::log::LogIndex;
use crate::recall::rank::about::{self, About};
use crate::recall::rank::parts::largest;
use crate::recall::rank::query::{Query, Request};
use crate::recall::rank::reasons::{Evidence, Rows};
use crate::recall::rank::score::Scores;
use crate::recall::rank::scoring::Scoring;
use crate::recall::rank::weights::Weights;
use crate::recall::rank::worth::{Bounds, best_without_repeats};
use serde::Serialize;
use std::rc::Rc;

/// Results of a search in one log.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// Number of messages in the log.
    pub message_count: usize,
    /// The words that were searched for.
    pub words: Vec<FoundWord>,
    /// The best messages, best first, newest first in a tie.
    pub hits: Vec<Hit>,
    /// The range of the messages' times, in milliseconds since 1970, if the question names a time. Its meaning depends
    /// on the time zone.
    pub time_range: Option<[i64; 2]>,
}

/// A word of the question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundWord {
    /// The word.
    pub text: String,
    /// Number of messages in the log that have it in any of its forms.
    pub count: usize,
}

/// A message that was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The sequence number.
    pub seq: u64,
    /// The score as a share of the best in its log: above 0, at most 1. It can't be compared across logs, because the
    /// best of each has 1.
    pub share: f64,
    /// For each word of the question, the weight of its occurrences in the message, without the word's rarity.
    pub weights: Vec<f64>,
    /// The weight of words that are only similar (grams).
    pub similar: f64,
    /// The reason why it was found, in words.
    pub reason: String,
}

/// Finds at most `count` messages of a log that are relevant to a question.
#[must_use]
pub fn search(log: &LogIndex, text: &str, now: Milliseconds, zone: &Zone, count: usize) -> Found {
    let index = &log.index;
    let text = crate::recall::rank::query::readable(text.to_owned());
    let request = Request { text: &text, name: "", role: Role::User };
    let query = Query::new(index, request, now, zone);
    let is_open = vec![true; index.len()];
    let weights = &Weights::TUNED;
    let scoring = Scoring { index, query: &query, is_open: &is_open, similarities: None, weights };
    let About { own, words, total, is_in_time, .. } = about::score(scoring);
    let most = largest(&total);
    // A copy comes after everything else.
    let mut ranked = total.clone();
    let best = best_without_repeats(scoring, &mut ranked, Bounds { count, room: u64::MAX });
    let words_alone = about::by_words(scoring, false);
    let weights = about::word_weights(scoring, &best);
    let similar: Vec<f32> = best.iter().map(|it| (own[*it] - words_alone[*it]).max(0.0)).collect();
    let shares: Vec<f32> = best.iter().map(|message| ranked[*message] / most).collect();
    let named_range = || index.time_range().map(|(first, last)| [first.0, last.0]);
    let time_range = if query.spans.is_empty() { None } else { named_range() };
    let found_words = query.words.iter().zip(&words);
    let found_words = found_words
        .map(|(word, matched)| FoundWord { text: word.text.clone(), count: matched.message_count });
    let found_words = found_words.collect();
    let evidence = Evidence {
        index: index.clone(),
        query: Rc::new(query),
        scores: Rc::new(Scores { own, words, total, is_in_time, ..Scores::default() }),
        similarities: None,
        rows: Rows::Same,
        places: (0..index.len()).collect(),
        seqs: None,
    };
    let reasons = evidence.words(&best, "found");
    let facts = weights.into_iter().zip(shares).zip(similar).zip(reasons);
    let hits = best.iter().zip(facts).map(|(message, (((weights, share), similar), reason))| Hit {
        seq: log.seqs[*message],
        share: share.into(),
        weights: weights.into_iter().map(f64::from).collect(),
        similar: similar.into(),
        reason,
    });
    // A message with several rows is found only once.
    let mut found: HashedSet<u64> = HashedSet::default();
    let hits = hits.filter(|hit| found.insert(hit.seq)).collect();
    Found { message_count: index.len(), words: found_words, hits, time_range }
}

/// The rarity of a word that `count` of all messages have, across any number of logs: see [`FoundWord`].
#[must_use]
pub fn rarity(all: usize, count: usize) -> f32 {
    about::rarity_among(all, count)
}
