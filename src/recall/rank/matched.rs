//! Finds the request's words in messages.

use crate::recall::index::{Index, short};
use crate::recall::rank::query::Query;
use crate::recall::text::terms::{Kind, Word};
use std::ops::Range;

/// The kinds of terms that a word is searched by.
pub(super) const FORMS: [Kind; 2] = [Kind::Word, Kind::Identifier];

/// A word of the request, as it occurs in the messages.
#[derive(Clone, Debug)]
pub struct MatchedWord {
    /// The terms of its forms that occur in any message.
    terms: Vec<u32>,
    /// Number of messages that have it in any of its forms.
    pub(crate) message_count: usize,
}

impl MatchedWord {
    /// The words of a request.
    pub(super) fn all(index: &Index, query: &Query) -> Vec<Self> {
        let matched = |word: &Word| {
            let terms = FORMS.iter().flat_map(|kind| word.terms_of(*kind)).map(short);
            let terms: Vec<u32> = terms.filter(|term| index.message_count(*term) > 0).collect();
            let message_count = index.count_of_any(&terms);
            Self { terms, message_count }
        };
        query.words.iter().map(matched).collect()
    }

    /// True if one of these messages has it.
    pub(super) fn is_in(&self, index: &Index, messages: Range<usize>) -> bool {
        let has = |message: usize| {
            let known = index.terms_of(message);
            self.terms.iter().any(|term| known.binary_search(term).is_ok())
        };
        (messages.start..messages.end.min(index.len())).any(has)
    }
}
