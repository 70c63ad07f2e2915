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
    let is_it = |(message, cues): &(usize, u8)| cues & STANDS != 0 && is_open[*message];
    let found = index.cued(asker).filter(is_it);
    let mut found: Vec<u64> =
        found.map(|(message, _)| map::best_first(worth[message], message)).collect();
    map::keep_smallest(&mut found, MOST);
    map::sort_numbers(&mut found);
    let mut standing: Vec<usize> = Vec::with_capacity(found.len());
    for message in found.into_iter().map(map::position) {
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
