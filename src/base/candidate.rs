//! What ranks for a request, in the order in which its turn comes.

use super::value::FromValue;
use serde::Serialize;

/// A message that ranks for a request, and how much of it is shown when its turn comes. One message may be among the candidates
/// several times: first with less of it, then with more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate<Place> {
    /// Where the message is.
    pub place: Place,
    /// How much of it is shown.
    pub form: Form,
    /// Where the message is that it goes with, if it has its turn only for that one: without it, it is passed over.
    pub with: Option<Place>,
}

/// How much of a message is shown, from little to all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Form {
    /// So much of a reply as its question is to have with it.
    Reply,
    /// The passages that the request is about.
    Excerpt,
    /// All of it.
    Whole,
}

impl<Place> Candidate<Place> {
    /// A message as a whole, for itself.
    pub fn whole(place: Place) -> Self {
        Self { place, form: Form::Whole, with: None }
    }

    /// The same in other places; none where one of them is not there.
    pub fn map<Other>(self, each: impl Fn(Place) -> Option<Other>) -> Option<Candidate<Other>> {
        let with = match self.with {
            Some(with) => Some(each(with)?),
            None => None,
        };
        Some(Candidate { place: each(self.place)?, form: self.form, with })
    }
}
