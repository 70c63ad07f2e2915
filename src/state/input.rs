//! A build's input: the caller's values at the beginning, and the answers to questions along the way.

use crate::base::map::Map;
use crate::base::time::{Milliseconds, Zone};
use crate::config::{ContextConfig, Provider, Ranking, SectionKind};
use crate::log::messages::UserNames;
use crate::recall::text::meaning::Table;
use crate::recall::transcript::Transcript;
use crate::state::ask::{Answer, HookName, Need, StageResult};
use crate::state::counts::Counts;
use crate::state::ranking::ScoredRanking;
use crate::tokens::Encoding;
use std::cell::RefCell;
use std::rc::Rc;

/// A build's input.
#[derive(Debug)]
pub struct Input {
    /// The messages that the build looks at.
    pub transcript: Rc<Transcript>,
    /// The caller's messages: the same ones, or also some that don't matter.
    pub given: Rc<Transcript>,
    /// The caller's request, as a transcript of one message.
    pub request: Option<Rc<Transcript>>,
    /// True if the newest user message is the request because the caller passed none.
    pub takes_newest: bool,
    /// The config.
    pub config: Rc<ContextConfig>,
    /// The config in the form that a context's hash covers.
    pub canonical_config: String,
    /// The form of users' names, including the asker's.
    pub user_names: UserNames,
    /// The clock.
    pub now: Milliseconds,
    /// The caller's hooks.
    pub hooks: Vec<HookName>,
    /// The answers so far.
    pub answers: Answers,
    /// The positions of the messages whose thinking is sent, in order. None if the model doesn't bind its thinking to
    /// the messages before it.
    pub bound: Option<Vec<usize>>,
    /// Quotes of earlier prompts that later thinking is bound to.
    pub quotes: Vec<EarlierQuotes>,
    /// The last ranking, of this build or of one that it replaces.
    pub scored: RefCell<Option<ScoredRanking>>,
}

/// The quotes of an earlier prompt, before its request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierQuotes {
    /// The position of the request.
    pub before: usize,
    /// The positions of the quoted messages.
    pub quoted: Vec<usize>,
    /// The text that was sent.
    pub text: String,
}

/// The answers to a build's questions so far.
#[derive(Debug, Default)]
pub struct Answers {
    /// The vocabulary, if a stage needed it.
    pub encoding: Option<Rc<Encoding>>,
    /// The table of token vectors, if a stage needed it.
    pub meaning: Option<Rc<Table>>,
    /// The counts of the hook `countTokens`.
    pub counts: Rc<Counts>,
    /// The user's time zone; UTC until its offsets are needed.
    pub zone: Zone,
    /// The offsets of the time zone, in the caller's form.
    pub zone_offsets: Option<Vec<[i64; 2]>>,
    /// The parts of the hooks' answers that windrow could read, in the order of the questions.
    pub of_hooks: Vec<Answer>,
    /// The hook's summaries, by the first message of the conversation; `None` if the hook had none.
    pub summaries: Map<usize, Option<String>>,
    /// The last message that the hook `compact.summarize` was asked about in this build.
    pub compacted_through: Option<String>,
}

impl Input {
    /// Makes the input at a build's beginning. An empty `request` counts as missing.
    #[must_use]
    pub fn new(
        transcript: Rc<Transcript>,
        request: Option<Rc<Transcript>>,
        mut config: ContextConfig,
        now: Milliseconds,
        hooks: Vec<HookName>,
    ) -> Self {
        let names = request.as_ref().map_or(UserNames::None, |request| request.user_names());
        Self {
            user_names: names.max(transcript.user_names()),
            given: Rc::clone(&transcript),
            transcript,
            takes_newest: request.is_none(),
            request: request.filter(|request| !request.is_empty()),
            canonical_config: config.canonical_of_content(),
            config: Rc::new(config),
            now,
            hooks,
            answers: Answers::default(),
            bound: None,
            quotes: Vec::new(),
            scored: RefCell::default(),
        }
    }

    /// True if the provider's request names speakers in texts.
    #[must_use]
    pub fn names_in_texts(&self) -> bool {
        match self.config.render.provider {
            None => false,
            Some(Provider::Openai) => self.user_names == UserNames::Texts,
            Some(_) => self.user_names != UserNames::None,
        }
    }

    /// True if the prompt has a section for the request.
    #[must_use]
    pub fn shows_request(&self) -> bool {
        self.config.section(SectionKind::Request).is_some()
    }

    /// True if messages are ranked for the request. Otherwise the newest are kept.
    #[must_use]
    pub fn is_ranked(&self) -> bool {
        self.config.recall.ranking != Ranking::Recency && !self.config.tiers.enabled
    }

    /// The first of these hooks that the caller has set.
    #[must_use]
    pub fn hook(&self, names: &[HookName]) -> Option<HookName> {
        names.iter().copied().find(|name| self.hooks.contains(name))
    }

    /// The answer of a hook, if it was asked.
    #[must_use]
    pub fn answer_of(&self, hook: HookName) -> Option<&Answer> {
        self.answers.of_hooks.iter().find(|answer| answer.hook == hook)
    }

    /// The user's time zone.
    ///
    /// # Errors
    ///
    /// Stops to ask for its offsets.
    pub fn zone(&self) -> StageResult<&Zone> {
        match &self.config.time_zone {
            Some(time_zone) if self.answers.zone_offsets.is_none() => {
                let known = &self.config.tiers.conversations;
                let known = known.iter().flat_map(|known| [known.started_at, known.ended_at]);
                let rows = (0..self.transcript.len()).map(|row| self.transcript.time(row));
                let times = known.chain(rows).flatten().chain([self.now]);
                let (first, last) = times.fold((self.now, self.now), |(first, last), time| {
                    (first.min(time), last.max(time))
                });
                Err(Need::ZoneOffsets { time_zone: time_zone.clone(), first, last }.into())
            }
            _ => Ok(&self.answers.zone),
        }
    }
}
