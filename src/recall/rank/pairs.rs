//! Adds questions to their replies and replies to their questions, so that single messages become a conversation again.
//!
//! A reply says little without its question, and a page of questions without replies isn't a conversation. So each can
//! bring the other along, directly after it in the ranking, if it fits.
//!
//! Only chats with an assistant have such pairs: among named people, anyone may answer anyone.

use crate::base::candidate::{Candidate, Form};
use crate::base::message::Role;
use crate::recall::index::Index;

/// The kinds of messages that bring another one along.
#[derive(Clone, Copy, Debug)]
pub struct Pairs {
    /// A reply brings the question that it answers.
    pub questions: bool,
    /// A question brings some of its reply.
    pub replies: bool,
}

/// Maximum distance in messages from a question to its reply, including tool calls between them.
const MOST_APART: usize = 32;

/// Candidates, each followed by the message that it brings along, unless that one came earlier.
#[must_use]
pub fn with_pairs(
    index: &Index,
    candidates: Vec<Candidate<usize>>,
    pairs: Pairs,
) -> Vec<Candidate<usize>> {
    let mut listed = vec![false; index.len()];
    let mut all = Vec::with_capacity(candidates.len());
    let mut candidates = candidates.into_iter().peekable();
    while let Some(candidate) = candidates.next() {
        let message = candidate.place;
        let is_first = !listed[message];
        listed[message] = true;
        all.push(candidate);
        let brought = match role(index, message) {
            _ if !is_first => None,
            Some(Role::Assistant) if pairs.questions => {
                question_of(index, message).map(|question| (question, Form::Whole))
            }
            Some(Role::User) if pairs.replies => {
                reply_of(index, message).map(|reply| (reply, Form::Reply))
            }
            _ => None,
        };
        if let Some((place, form)) = brought.filter(|(place, _)| !listed[*place]) {
            // A message whose own turn is next needs no pairing.
            let is_next = candidates.peek().is_some_and(|next| next.place == place);
            let with = (!is_next || form != Form::Whole).then_some(message);
            all.push(Candidate { place, form, with });
        }
    }
    all
}

/// The question that a reply answers: the user's last message before it.
fn question_of(index: &Index, reply: usize) -> Option<usize> {
    let before = (reply.saturating_sub(MOST_APART)..reply).rev();
    before.into_iter().find(|message| role(index, *message) == Some(Role::User))
}

/// The reply to a question: the assistant's last message before the user's next.
fn reply_of(index: &Index, question: usize) -> Option<usize> {
    let behind = question + 1..index.len().min(question + 1 + MOST_APART);
    let turn = behind.take_while(|message| role(index, *message) != Some(Role::User));
    turn.filter(|message| role(index, *message) == Some(Role::Assistant)).last()
}

/// The role of a message. None if an assistant's speaker has a name.
fn role(index: &Index, message: usize) -> Option<Role> {
    let speaker = index.speakers().get(usize::from(index.speaker(message)))?;
    let is_person = speaker.role == Role::Assistant && !speaker.name.is_empty();
    (!is_person).then_some(speaker.role)
}
