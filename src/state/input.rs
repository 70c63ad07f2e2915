//! What a build is given: by the caller at its beginning, and by the answers to its questions on the way.

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

/// What a build is given.
#[derive(Debug)]
pub struct Input {
    /// The messages that are looked at.
    pub transcript: Rc<Transcript>,
    /// The messages that were given: these, or more that do not matter.
    pub given: Rc<Transcript>,
    /// The request that was given, as a transcript of one message.
    pub request: Option<Rc<Transcript>>,
    /// Whether the newest user message is the request, as none was given.
    pub takes_newest: bool,
    /// The config.
    pub config: Rc<ContextConfig>,
    /// The config as a context's hash has it.
    pub canonical_config: String,
    /// How the users are named, the one who asks included.
    pub user_names: UserNames,
    /// The clock.
    pub now: Milliseconds,
    /// The functions of the caller's that can be asked.
    pub hooks: Vec<HookName>,
    /// The answers so far.
    pub answers: Answers,
    /// The positions of the messages whose thinking is sent, in order. None if the model takes thinking back whatever comes before it.
    pub bound: Option<Vec<usize>>,
    /// Quotes of earlier prompts that later thinking is bound to.
    pub quotes: Vec<EarlierQuotes>,
    /// The last ranking.
    pub scored: RefCell<Option<ScoredRanking>>,
}

/// Quotes of an earlier prompt before its request.
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
    /// The vocabulary that was asked for.
    pub encoding: Option<Rc<Encoding>>,
    /// The table of meanings that was asked for.
    pub meaning: Option<Rc<Table>>,
    /// The counts of the hook `countTokens`.
    pub counts: Rc<Counts>,
    /// The user's time zone; UTC until its offsets were asked for.
    pub zone: Zone,
    /// The offsets of the time zone as they were given.
    pub zone_offsets: Option<Vec<[i64; 2]>>,
    /// The answers of hooks, in the order in which they were asked, as far as they were understood.
    pub of_hooks: Vec<Answer>,
    /// Summaries that the hook gave, by the first message of the conversation; `None` where it gave none for it.
    pub summaries: Map<usize, Option<String>>,
    /// The last message that the hook `compact.summarize` was asked about in this build.
    pub compacted_through: Option<String>,
}

impl Input {
    /// What a build is given at its beginning. A request without a message says that there is none.
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

    /// True if the provider's request says in texts who speaks.
    #[must_use]
    pub fn names_in_texts(&self) -> bool {
        match self.config.render.provider {
            None => false,
            Some(Provider::Openai) => self.user_names == UserNames::Texts,
            Some(_) => self.user_names != UserNames::None,
        }
    }

    /// Whether the prompt has a place for the request.
    #[must_use]
    pub fn shows_request(&self) -> bool {
        self.config.section(SectionKind::Request).is_some()
    }

    /// Whether messages are ranked for the request, rather than the newest kept.
    #[must_use]
    pub fn is_ranked(&self) -> bool {
        self.config.recall.ranking != Ranking::Recency && !self.config.tiers.enabled
    }

    /// The hook of the caller's that can be asked, of several that would do.
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
