//! Scores messages by how likely the request continues from them.
//!
//! Candidates are the recent messages and, in a busy room, those by, to or about the people who are speaking now. Only
//! the conversation that the request continues counts. After a pause, or for somebody who isn't part of it, there is no
//! such conversation.

use crate::base::message::Role;
use crate::recall::index::{IS_START, Index, short};
use crate::recall::rank::query::Asker;
use crate::recall::rank::scoring::Scoring;
use crate::recall::text::language::Language;
use crate::recall::text::terms::{Analyzer, Kind};

/// The conversation that a request continues.
#[derive(Clone, Debug)]
pub(crate) struct Newest {
    /// The first message, as far back as scoring reaches.
    first: usize,
    /// The last message.
    last: usize,
    /// The speakers, without tools and notices.
    speakers: Vec<u16>,
    /// 0 between two people, who answer each other anyway. The larger the crowd, the closer to 1.
    pub(crate) crowd: f32,
}

impl Newest {
    /// The conversation of a message, up to it, and at most `reach` messages back.
    pub(crate) fn new(index: &Index, last: usize, reach: usize) -> Self {
        let reached = last.saturating_sub(reach);
        let begin = index.flags()[reached..=last].iter().rposition(|flags| flags & IS_START != 0);
        let first = reached + begin.unwrap_or_default();
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

/// Scores by how likely the request continues from a message: 0 except for some consecutive messages.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    first: usize,
    scores: Vec<f32>,
}

impl Flow {
    /// The score of a message.
    #[must_use]
    pub fn of(&self, message: usize) -> f32 {
        let at = message.checked_sub(self.first);
        at.and_then(|at| self.scores.get(at)).copied().unwrap_or_default()
    }

    /// The messages that may have a score.
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.scores.len()
    }

    /// Multiplies all scores.
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

/// Scores the newest conversation. `own` has the scores by the request's words, and `most_own` is the largest of them.
pub(crate) fn score(scoring: Scoring<'_>, own: &[f32], most_own: f32, newest: &Newest) -> Flow {
    let Scoring { index, is_open, weights, .. } = scoring;
    let participants = Participants::new(scoring, newest);
    let words_weight = if most_own > 0.0 { weights.words / most_own } else { 0.0 };
    let mut scores = vec![0.0; newest.last + 1 - newest.first];
    let mut distance = 0.0_f32;
    for message in (newest.first..=newest.last).rev() {
        let is_notice = index.role(message).is_some_and(Role::is_instruction);
        if is_open[message] {
            let near = (-distance / weights.near_messages).exp();
            let far = (-distance / weights.far_messages).exp();
            let words = own[message] * (-distance / weights.words_messages).exp();
            let score = weights.near * near
                + (weights.anybody + participants.affinity(scoring, message)) * far
                + weights.same_conversation
                + words_weight * words;
            let identifiers = if participants.has_tools {
                1.0 + weights.identifiers * (1.0 + f32::from(index.identifiers(message))).ln()
            } else {
                1.0
            };
            scores[message - newest.first] =
                score * identifiers * if is_notice { weights.notice } else { 1.0 };
        }
        if !is_notice {
            distance += 1.0;
        }
    }
    Flow { first: newest.first, scores }
}

/// Speakers and addressees in the newest conversation.
struct Participants {
    first: usize,
    asker: Option<u16>,
    has_tools: bool,
    crowd: f32,
    /// For each message, true if it names the asker.
    names_asker: Vec<bool>,
    /// For each message, true if it names somebody whom the request names.
    names_named: Vec<bool>,
    /// For each speaker, how much they and the asker have named each other, from 0 toward 1.
    partners: Vec<f32>,
}

impl Participants {
    fn new(scoring: Scoring<'_>, newest: &Newest) -> Self {
        let Scoring { index, query, .. } = scoring;
        let Newest { first, last, speakers, crowd } = newest;
        let is_tool = |message| index.role(message) == Some(Role::Tool);
        let mut participants = Self {
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
        if participants.crowd > 0.0 {
            participants.listen(scoring, speakers, *last);
        }
        participants
    }

    /// Determines who names whom.
    fn listen(&mut self, scoring: Scoring<'_>, speakers: &[u16], last: usize) {
        let Scoring { index, query, weights, .. } = scoring;
        let languages = index.languages();
        let mut matcher =
            NameMatcher { index, analyzer: Analyzer::new(), languages, first: self.first, last };
        #[expect(clippy::cast_precision_loss, reason = "within reach")]
        let fading = |message: usize| (-((last - message) as f32) / weights.far_messages).exp();
        if let Some(asker) = self.asker {
            self.names_asker = matcher.names(asker);
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
            let names = matcher.names(speaker);
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

    /// The relation of a message to the people who are speaking now. Between two people it says nothing.
    fn affinity(&self, scoring: Scoring<'_>, message: usize) -> f32 {
        let Scoring { index, query, weights, .. } = scoring;
        if self.crowd <= 0.0 {
            return 0.0;
        }
        let speaker = index.speaker(message);
        let place = message - self.first;
        let weight = |is: bool, weight: f32| if is { weight } else { 0.0 };
        let partner = self.partners.get(speaker as usize).copied().unwrap_or_default();
        self.crowd
            * (weight(self.asker == Some(speaker), weights.by_asker)
                + weight(query.speakers.contains(&speaker), weights.by_named)
                + weight(self.names_asker.get(place) == Some(&true), weights.names_asker)
                + weight(self.names_named[place], weights.names_named)
                + weights.by_partner * partner)
    }
}

/// Finds the messages that name a speaker.
struct NameMatcher<'a> {
    index: &'a Index,
    analyzer: Analyzer,
    languages: Vec<Option<Language>>,
    first: usize,
    last: usize,
}

impl NameMatcher<'_> {
    /// For each message, true if it has all words of a speaker's name.
    fn names(&mut self, speaker: u16) -> Vec<bool> {
        let mut names = vec![false; self.last + 1 - self.first];
        let name = self.index.speakers().get(speaker as usize).map_or("", |it| it.name.as_str());
        if name.is_empty() {
            return names;
        }
        let words = self.analyzer.query(name, &self.languages);
        for (position, word) in words.iter().enumerate() {
            let terms = word.terms.iter().filter(|term| term.kind != Kind::Gram);
            let terms: Vec<u32> = terms.copied().map(short).collect();
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
