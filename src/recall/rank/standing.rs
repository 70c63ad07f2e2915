//! Finds the standing instructions of a chat: the user's own instructions and preferences, which requests don't
//! mention.

use crate::base::map;
use crate::recall::index::Index;
use crate::recall::rank::query::Asker;
use crate::recall::rank::scoring::Scoring;
use crate::recall::text::cues::STANDS;

/// Maximum number of instructions that are read. Their share has room for only a few.
const MOST: usize = 64;

/// The messages with standing instructions of the asker, by worth for their cost, newest first in a tie. Of two on the
/// same subject, the later one comes first.
///
/// Only the asker can set them. Others who talk to the model can't, and if the asker is unknown, nobody can.
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

/// True if two messages have enough words in common to be about the same subject.
fn is_on_the_same_matter(index: &Index, one: usize, other: usize) -> bool {
    let (one, other) = (index.terms_of(one), index.terms_of(other));
    let common = one.iter().filter(|term| other.binary_search(term).is_ok()).count();
    // More than half of the words of the shorter one.
    2 * common > one.len().min(other.len())
}
