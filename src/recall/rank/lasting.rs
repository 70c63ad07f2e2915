//! Lists the messages with lasting statements of a user, for the user to see.

use crate::base::message::Role;
use crate::recall::index::Index;
use crate::recall::rank::statements::{are_on_one_matter, is_among_people};
use crate::recall::text::cues::STANDS;
use crate::recall::text::statements::{self, Kind};

/// Number of later messages that a message is compared with.
const MOST_COMPARED: usize = 1024;

/// A message with a lasting statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastingMessage {
    /// The message's place in the index.
    pub message: usize,
    /// The newest message on the same subject, which replaces it.
    pub replaced_by: Option<usize>,
}

/// The messages with lasting statements of a user, the oldest first. The user is the one with that name, or the one who
/// spoke last.
#[must_use]
pub fn lasting(index: &Index, name: Option<&str>) -> Vec<LastingMessage> {
    let speakers = index.speakers();
    let is_user = |speaker: &u16| {
        let speaker = speakers.get(usize::from(*speaker));
        speaker.is_some_and(|it| it.role == Role::User && name.is_none_or(|name| it.name == name))
    };
    let user = (0..index.len()).rev().map(|message| index.speaker(message)).find(is_user);
    let Some(user) = user.filter(|user| !is_among_people(index, *user)) else {
        return Vec::new();
    };
    let kind = |cues: u8| {
        let holds = (cues & STANDS != 0).then_some(Kind::Instruction);
        let said = statements::of_cue(cues).filter(|(_, score)| *score > 0.0);
        said.map(|(kind, _)| kind).or(holds)
    };
    let said = |(message, cues)| Some((message, kind(cues)?));
    let said: Vec<(usize, Kind)> = index.cued(user).filter_map(said).collect();
    let listed = said.iter().enumerate().map(|(at, (message, kind))| {
        let later = said[at + 1..].iter().take(MOST_COMPARED).rev();
        let mut replacing =
            later.filter(|(other, of)| are_on_one_matter(index, [*message, *other], [*kind, *of]));
        LastingMessage { message: *message, replaced_by: replacing.next().map(|it| it.0) }
    });
    listed.collect()
}
