//! How well messages fit as what a request goes on from.
//!
//! What is near, and in a room of many, what is by, to or about those who speak now. Only the conversation that the request
//! goes on in counts: after a pause, or for one who takes no part in it, there is none.

use crate::base::message::Role;
use crate::recall::index::Index;
use crate::recall::rank::query::{Asker, Query};
use crate::recall::text::language::Language;
use crate::recall::text::terms::{Analyzer, Kind, Term};

/// How far back a request goes on from, in messages.
const REACH: usize = 600;

// What the parts count, found on the development halves of irc-disentanglement and tau-bench together; see `about`.
/// What is nearest, and after how many messages (without notices) it has fallen to 37 %.
const NEAR: f32 = 1.3;
const NEAR_MESSAGES: f32 = 15.0;
/// What the following parts count together falls more slowly.
const FAR_MESSAGES: f32 = 100.0;
const ANYBODY: f32 = 0.3;
const BY_ASKER: f32 = 1.3;
const BY_NAMED: f32 = 1.3;
const NAMES_ASKER: f32 = 0.8;
const NAMES_NAMED: f32 = 0.5;
const BY_PARTNER: f32 = 1.0;
/// It is of the same conversation.
const SAME_CONVERSATION: f32 = 0.3;
/// It has the request's words, near the end.
const WORDS: f32 = 0.4;
const WORDS_MESSAGES: f32 = 300.0;
/// A system message between others is a notice: nobody goes on from it.
const NOTICE: f32 = 0.1;
/// Where tools are called, their arguments are taken from messages with identifiers.
const IDENTIFIERS: f32 = 2.0;

/// The conversation that a request goes on in.
#[derive(Clone, Debug)]
pub(crate) struct Newest {
    /// Its first message, as far as it is looked at.
    first: usize,
    /// Its last message.
    last: usize,
    /// Who speaks in it; tools and notices do not.
    speakers: Vec<u16>,
    /// From 0 where there are two, who answer each other anyway, towards 1 in a crowd.
    pub(crate) crowd: f32,
}

impl Newest {
    /// That of these messages.
    pub(crate) fn new(index: &Index, first: usize, last: usize) -> Self {
        let first = first.max(last.saturating_sub(REACH));
        let is_voice = |message: &usize| {
            index.role(*message).is_none_or(|role| role != Role::Tool && !role.is_instruction())
        };
        let mut is_known = vec![false; usize::from(u16::MAX) + 1];
        let mut speakers = Vec::new();
        for speaker in (first..=last).filter(is_voice).map(|message| index.speaker(message)) {
            if !std::mem::replace(&mut is_known[speaker as usize], true) {
                speakers.push(speaker);
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "speakers of one room")]
        let others = speakers.len().saturating_sub(1).max(1) as f32;
        Self { first, last, speakers, crowd: 1.0 - 1.0 / others }
    }
}

/// What messages score as what a request goes on from: 0 but for some that follow on each other.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    first: usize,
    scores: Vec<f32>,
}

impl Flow {
    /// What a message scores.
    #[must_use]
    pub fn of(&self, message: usize) -> f32 {
        let at = message.checked_sub(self.first);
        at.and_then(|at| self.scores.get(at)).copied().unwrap_or_default()
    }

    /// Makes all of them larger or smaller.
    pub(crate) fn scale(&mut self, by: f32) {
        for score in &mut self.scores {
            *score *= by;
        }
    }

    pub(crate) fn add_to(&self, total: &mut [f32]) {
        for (total, score) in total[self.first..].iter_mut().zip(&self.scores) {
            *total += score;
        }
    }
}

/// Scores the newest conversation; `own` are the scores by the request's words, and `leader`
/// the message that has the best of them.
pub(crate) fn score(
    index: &Index,
    query: &Query,
    is_open: &[bool],
    own: &[f32],
    leader: Option<usize>,
    newest: &Newest,
) -> Flow {
    let room = Room::new(index, query, newest);
    let words_weight = leader.map_or(0.0, |leader| WORDS / own[leader]);
    let mut scores = vec![0.0; newest.last + 1 - newest.first];
    let mut distance = 0.0_f32;
    for message in (newest.first..=newest.last).rev() {
        let is_notice = index.role(message).is_some_and(Role::is_instruction);
        if is_open[message] {
            let near = (-distance / NEAR_MESSAGES).exp();
            let far = (-distance / FAR_MESSAGES).exp();
            let words = own[message] * (-distance / WORDS_MESSAGES).exp();
            let score = NEAR * near
                + (ANYBODY + room.affinity(index, query, message)) * far
                + SAME_CONVERSATION
                + words_weight * words;
            let identifiers = if room.has_tools {
                1.0 + IDENTIFIERS * (1.0 + f32::from(index.identifiers(message))).ln()
            } else {
                1.0
            };
            scores[message - newest.first] =
                score * identifiers * if is_notice { NOTICE } else { 1.0 };
        }
        if !is_notice {
            distance += 1.0;
        }
    }
    Flow { first: newest.first, scores }
}

/// Who speaks in the newest conversation, and to whom.
struct Room {
    first: usize,
    asker: Option<u16>,
    has_tools: bool,
    crowd: f32,
    /// By message: whether it names the one who asks.
    names_asker: Vec<bool>,
    /// By message: whether it names one whom the request names.
    names_named: Vec<bool>,
    /// By speaker: from 0 towards 1, how much they and the asker have named each other.
    partners: Vec<f32>,
}

impl Room {
    fn new(index: &Index, query: &Query, newest: &Newest) -> Self {
        let Newest { first, last, speakers, crowd } = newest;
        let is_tool = |message| index.role(message) == Some(Role::Tool);
        let mut room = Self {
            first: *first,
            asker: match query.asker {
                Asker::Known(id) => Some(id),
                Asker::New | Asker::Outside => None,
            },
            has_tools: (*first..=*last).any(is_tool),
            crowd: *crowd,
            names_asker: Vec::new(),
            names_named: vec![false; last + 1 - first],
            partners: vec![0.0; index.speakers().len()],
        };
        if room.crowd > 0.0 {
            room.listen(index, query, speakers, *last);
        }
        room
    }

    /// Finds who names whom.
    fn listen(&mut self, index: &Index, query: &Query, speakers: &[u16], last: usize) {
        let languages = index.languages();
        let mut ear = Ear { index, analyzer: Analyzer::new(), languages, first: self.first, last };
        #[expect(clippy::cast_precision_loss, reason = "within reach")]
        let fading = |message: usize| (-((last - message) as f32) / FAR_MESSAGES).exp();
        if let Some(asker) = self.asker {
            self.names_asker = ear.names(asker);
            for (message, names_asker) in (self.first..).zip(&self.names_asker) {
                let speaker = index.speaker(message) as usize;
                if let (true, Some(partner)) = (names_asker, self.partners.get_mut(speaker)) {
                    *partner += fading(message);
                }
            }
        }
        for speaker in speakers.iter().copied().filter(|speaker| Some(*speaker) != self.asker) {
            let is_named = query.speakers.contains(&speaker);
            if self.asker.is_none() && !is_named {
                continue;
            }
            let names = ear.names(speaker);
            for (message, _) in (self.first..).zip(&names).filter(|(_, names)| **names) {
                self.names_named[message - self.first] |= is_named;
                let is_by_asker = Some(index.speaker(message)) == self.asker;
                if let (true, Some(partner)) =
                    (is_by_asker, self.partners.get_mut(speaker as usize))
                {
                    *partner += fading(message);
                }
            }
        }
        for partner in &mut self.partners {
            *partner /= 1.0 + *partner;
        }
    }

    /// Whether a message is of those who speak now. Between two it says nothing.
    fn affinity(&self, index: &Index, query: &Query, message: usize) -> f32 {
        if self.crowd <= 0.0 {
            return 0.0;
        }
        let speaker = index.speaker(message);
        let place = message - self.first;
        let weight = |is: bool, weight: f32| if is { weight } else { 0.0 };
        let partner = self.partners.get(speaker as usize).copied().unwrap_or_default();
        self.crowd
            * (weight(self.asker == Some(speaker), BY_ASKER)
                + weight(query.speakers.contains(&speaker), BY_NAMED)
                + weight(self.names_asker.get(place) == Some(&true), NAMES_ASKER)
                + weight(self.names_named[place], NAMES_NAMED)
                + BY_PARTNER * partner)
    }
}

/// Listens for names.
struct Ear<'a> {
    index: &'a Index,
    analyzer: Analyzer,
    languages: Vec<Option<Language>>,
    first: usize,
    last: usize,
}

impl Ear<'_> {
    /// By message: whether it has all words of a speaker's name.
    fn names(&mut self, speaker: u16) -> Vec<bool> {
        let mut names = vec![false; self.last + 1 - self.first];
        let name = self.index.speakers().get(speaker as usize).map_or("", |it| it.name.as_str());
        if name.is_empty() {
            return names;
        }
        let words = self.analyzer.query(name, &self.languages);
        for (position, word) in words.iter().enumerate() {
            let terms: Vec<Term> =
                word.terms.iter().filter(|term| term.kind != Kind::Gram).copied().collect();
            let mut has = vec![false; names.len()];
            for message in self.index.messages_with(self.first, &terms) {
                if (self.first..=self.last).contains(&message) {
                    has[message - self.first] = true;
                }
            }
            for (names, has) in names.iter_mut().zip(has) {
                *names = has && (position == 0 || *names);
            }
        }
        names
    }
}
