//! Why a message was recalled, in words that a person understands.

use super::index::Index;
use super::query::Query;
use super::score::Scores;
use super::terms::{Kind, Term};
use std::rc::Rc;

/// What a ranking was made from.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The messages.
    pub index: Rc<Index>,
    /// What was asked for.
    pub query: Query,
    /// What each message scored.
    pub scores: Scores,
    /// How near each is to the request by the hook `recall.embed`, where it was asked.
    pub similarities: Option<Vec<f32>>,
    /// By row of the transcript: its place in the index.
    pub place_of: Vec<Option<usize>>,
}

/// Messages that far away are beside it.
const BESIDE: usize = 3;
/// So many words are named.
const MOST_WORDS: usize = 5;
/// From here on a similarity is worth a word.
const CLOSE: f32 = 0.3;

impl Evidence {
    /// Why the messages in these rows were recalled, one text for each.
    #[must_use]
    pub fn words(&self, rows: &[usize]) -> Vec<String> {
        let occurrences: Vec<(&str, Vec<(u32, f32)>)> = self
            .query
            .words
            .iter()
            .map(|word| {
                let is_form = |term: &&Term| term.kind != Kind::Gram;
                let forms: Vec<Term> = word.terms.iter().filter(is_form).copied().collect();
                (word.text.as_str(), self.index.occurrences(&forms))
            })
            .collect();
        let has = |found: &[(u32, f32)], message: usize| {
            let same = |(known, _): &(u32, f32)| (*known as usize).cmp(&message);
            found.binary_search_by(same).is_ok()
        };
        let words_of = |from: usize, to: usize| {
            let is_in =
                |(_, found): &&(&str, Vec<(u32, f32)>)| (from..=to).any(|it| has(found, it));
            let words = occurrences.iter().filter(is_in).take(MOST_WORDS);
            words.map(|(word, _)| format!("“{word}”")).collect::<Vec<_>>()
        };
        let explain = |row: &usize| {
            let Some(message) = self.place_of.get(*row).copied().flatten() else {
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
                parts.push(format!("it stands beside messages with {}", listed(&beside)));
            }
            let speaker = self.index.speaker(message);
            if self.query.speakers.contains(&speaker)
                && let Some(speaker) = self.index.speakers().get(speaker as usize)
            {
                parts.push(format!("it is by {}, whom the request names", speaker.name));
            }
            if self.scores.is_in_time.get(message) == Some(&true) {
                parts.push("it is of a time that the request names".to_owned());
            }
            let similarity = self.similarities.as_ref().and_then(|it| it.get(message)).copied();
            if let Some(similarity) = similarity.filter(|similarity| *similarity >= CLOSE) {
                parts.push(format!("it is close in meaning ({similarity:.2})"));
            }
            let flow = self.scores.flow.get(message).copied().unwrap_or_default();
            if flow > self.scores.total[message] / 2.0 {
                parts.push("the request goes on from it".to_owned());
            }
            if parts.is_empty() {
                parts.push("it is of a conversation about it".to_owned());
            }
            format!("recalled for the request: {}", parts.join("; "))
        };
        rows.iter().map(explain).collect()
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
