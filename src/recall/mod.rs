//! Finding what a request is about: the index of all messages, and the scores that they get for a request.
//!
//! A text becomes terms (`terms`, by its `language`, with the lists of `words`), and terms become an `index`. A request becomes
//! a `query`, with the times that it names (`dates`). `score` adds up two answers: whether a message is what the request is
//! about (`about`, with `spread` to its neighbours and the `vectors` of a model), and whether it is what the request goes on
//! from (`flow`). `reasons` says in words what spoke for a message. `passages` does the same for long texts, and `log` keeps the
//! index of a session, which `search` looks through.

pub mod index;
pub mod rank;
pub mod text;
pub mod transcript;
