//! What holds throughout a chat: the user's own instructions and preferences. No word of a request asks for them.

use crate::base::map;
use crate::recall::index::Index;
use crate::recall::rank::query::Asker;
use crate::recall::rank::scoring::Scoring;
use crate::recall::text::cues::STANDS;

/// More of them than this would be read for a share that holds a few.
const MOST: usize = 64;

/// The messages in which the one who asks says what holds throughout, those first that are worth most for their price, and of
/// equal ones the newest. Of those on the same matter a later one comes before an earlier one.
///
/// Only who asks can say what holds: others who talk to the model cannot, and where it is not clear who asks, nobody can.
#[must_use]
pub fn standing(scoring: Scoring<'_>, worth: &[f32]) -> Vec<usize> {
    let Scoring { index, query, is_open, .. } = scoring;
    let Asker::Known(asker) = query.asker else {
        return Vec::new();
    };
    let is_it = |(message, cues): (usize, &u8)| {
        (cues & STANDS != 0 && is_open[message] && index.speaker(message) == asker)
            .then_some(message)
    };
    let mut found: Vec<usize> = index.cues().iter().enumerate().filter_map(is_it).collect();
    map::sort_by_key(&mut found, &|message| {
        (map::descending(f64::from(worth[message])), -map::place(Some(message)))
    });
    found.truncate(MOST);
    let mut standing: Vec<usize> = Vec::with_capacity(found.len());
    for message in found {
        let earlier = standing
            .iter()
            .position(|before| *before < message && is_on_the_same_matter(index, *before, message));
        standing.insert(earlier.unwrap_or(standing.len()), message);
    }
    standing
}

/// Whether two messages have so many words in common that they are about one thing.
fn is_on_the_same_matter(index: &Index, one: usize, other: usize) -> bool {
    let (one, other) = (index.terms_of(one), index.terms_of(other));
    let common = one.iter().filter(|term| other.binary_search(term).is_ok()).count();
    // More than half of the words of the shorter one.
    2 * common > one.len().min(other.len())
}
