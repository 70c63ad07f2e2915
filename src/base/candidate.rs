//! Candidates of a ranking, in the order to try them.

use super::value::FromValue;
use serde::Serialize;

/// A message that ranks for a request, and how much of it is shown when its turn comes. A message may be a candidate
/// several times: first with a part of it, then with more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate<Place> {
    /// The message's place.
    pub place: Place,
    /// How much of it is shown.
    pub form: Form,
    /// The place of the message that this one accompanies. If that one isn't there, this candidate is skipped.
    pub with: Option<Place>,
}

/// How much of a message is shown, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Form {
    /// The part of a reply that accompanies its question.
    Reply,
    /// The passages relevant to the request.
    Excerpt,
    /// All of it.
    Whole,
}

impl<Place> Candidate<Place> {
    /// A whole message that accompanies no other.
    pub fn whole(place: Place) -> Self {
        Self { place, form: Form::Whole, with: None }
    }

    /// The same candidate with its places converted. None if one of them has no counterpart.
    pub fn map<Other>(self, each: impl Fn(Place) -> Option<Other>) -> Option<Candidate<Other>> {
        let with = match self.with {
            Some(with) => Some(each(with)?),
            None => None,
        };
        Some(Candidate { place: each(self.place)?, form: self.form, with })
    }
}
