//! The whole order of a build, and nothing else: which stage runs when, and how a build stops and asks.

use crate::base::error::{Error, ErrorCode, Result};
use crate::base::message::{Field, Role};
use crate::base::time::{Milliseconds, Zone};
use crate::config::ContextConfig;
use crate::recall::index::vectors::Vector;
use crate::recall::transcript::Transcript;
use crate::stages::{budget, collect, filter, recall, render, snapshot, tiers, triage, window};
use crate::state::ask::{Answer, HookName, Misunderstood, Need, StageResult, Stop};
use crate::state::context::Context;
use crate::state::draft::Draft;
use crate::state::trace::StageName;
use crate::tokens::Encoding;
use std::rc::Rc;

type Stage = fn(&mut Draft) -> StageResult;

/// The stages, in the order in which they run.
const ORDER: [(StageName, Stage); 9] = [
    (StageName::Collect, collect::run),
    (StageName::Filter, filter::run),
    (StageName::Window, window::run),
    (StageName::Recall, recall::run),
    (StageName::Triage, triage::run),
    (StageName::Tiers, tiers::run),
    (StageName::Budget, budget::run),
    (StageName::Render, render::run),
    (StageName::Snapshot, snapshot::run),
];

/// Where a build stands.
#[derive(Debug)]
pub enum Step {
    /// It waits for an answer.
    Need(Need),
    /// It is finished.
    Done(Box<Context>),
}

/// A build in progress: a pure machine that is stepped until it is done, and asks for what it needs.
#[derive(Debug)]
pub struct Build {
    draft: Draft,
    next: usize,
    /// What was asked last, until it is answered.
    asked: Option<Need>,
    /// The vector of the request, once it was given.
    request_vector: Option<Vector>,
}

impl Build {
    /// Begins a build over the messages that the transcript has now.
    ///
    /// `request` is a transcript of one message. One of none says that there is no request; without a transcript the newest
    /// user message is it. `now` is the clock where the config does not give one. `hooks`
    /// are the functions of the caller's that can be asked.
    ///
    /// # Errors
    ///
    /// `INVALID_CONFIG` where the request calls a tool or is a tool's result: these belong into the transcript, where they
    /// are kept together.
    pub fn new(
        transcript: Rc<Transcript>,
        request: Option<Rc<Transcript>>,
        mut config: ContextConfig,
        now: Milliseconds,
        hooks: Vec<HookName>,
    ) -> Result<Self> {
        let is_half = |request: &Rc<Transcript>| {
            let mut fields = request.fields(0);
            request.role(0) == Role::Tool
                || fields.any(|(field, _)| matches!(field, Field::CallId | Field::ResultId))
        };
        if request.as_ref().is_some_and(|request| !request.is_empty() && is_half(request)) {
            return Err(Error::new(
                ErrorCode::InvalidConfig,
                "a tool call or a tool's result cannot be the request",
                "Append it to the transcript, and leave the request out: the newest messages stand for it.",
            )
            .at("request"));
        }
        if config.session_id.is_none() {
            // What is asked in a session is answered from it.
            let session = request.as_ref().and_then(|request| request.value(0, Field::SessionId));
            config.session_id = session.map(str::to_owned);
        }
        let now = config.now.unwrap_or(now);
        let draft = Draft::new(transcript, request, config, now, hooks);
        Ok(Self { draft, next: 0, asked: None, request_vector: None })
    }

    /// Runs as far as it can. It is done once: the context is handed over.
    ///
    /// # Errors
    ///
    /// `BUDGET_TOO_SMALL` where what must be kept does not fit, `HOOK_FAILED` where the hook `countTokens` did.
    pub fn step(&mut self) -> Result<Step> {
        while let Some((name, stage)) = ORDER.get(self.next) {
            self.draft.stage = *name;
            match stage(&mut self.draft) {
                Ok(()) => self.next += 1,
                Err(Stop::Ask(need)) => {
                    self.asked = Some((*need).clone());
                    return Ok(Step::Need(*need));
                }
                Err(Stop::Fail(error)) => return Err(*error),
            }
        }
        Ok(Step::Done(Box::new(std::mem::take(&mut self.draft.context))))
    }

    /// Answers [`Need::Encoding`].
    pub fn provide_encoding(&mut self, encoding: Rc<Encoding>) {
        self.draft.encoding = Some(encoding);
    }

    /// Answers [`Need::ZoneOffsets`]: since when (milliseconds since 1970), and how many minutes east of UTC.
    pub fn provide_offsets(&mut self, offsets: Vec<[i64; 2]>) {
        self.draft.zone = Zone::new(offsets.clone());
        self.draft.zone_offsets = Some(offsets);
    }

    /// Takes vectors that the hook gave to [`Need::Embeddings`], of the texts from the one at `first` on: one after the other,
    /// of so many components each. They are remembered, whatever the answer will be.
    ///
    /// Says whether they are vectors of these texts; where they are not, none is remembered.
    pub fn learn_vectors(&mut self, first: usize, vectors: &[f32], dimensions: usize) -> bool {
        let Some(Need::Embeddings { texts, .. }) = &self.asked else {
            return false;
        };
        let texts = texts.get(first..).unwrap_or_default();
        let given: Option<Vec<Vector>> =
            vectors.chunks(dimensions.max(1)).map(Vector::new).collect();
        let Some(given) = given.filter(|given| {
            given.len() <= texts.len() && given.iter().all(|it| it.dimensions() == dimensions)
        }) else {
            return false;
        };
        for (at, (text, vector)) in texts.iter().zip(given).enumerate() {
            let is_request = first + at == 0; // as the stage asks
            if is_request {
                self.request_vector = Some(vector.clone());
            }
            recall::learn(&self.draft, text, vector, is_request);
        }
        true
    }

    /// How near the messages are, as the hook for embeddings was understood.
    #[must_use]
    pub fn similarities(&self) -> Option<&str> {
        self.draft.answer_of(HookName::Embed)?.similarities.as_deref()
    }

    /// Answers what a hook was asked. Of embeddings the vectors come before, as [`Build::learn_vectors`] takes them, unless
    /// the answer says how near the messages are.
    ///
    /// # Errors
    ///
    /// `INVALID_RECORDING` where nothing was asked, or something else: only a recording that was changed answers so.
    /// `HOOK_FAILED` where `countTokens` gave no counts.
    pub fn answer(&mut self, mut answer: Answer) -> Result<()> {
        let draft = &mut self.draft;
        let misunderstood = match (self.asked.take(), answer.hook) {
            (Some(Need::Triage { candidates, .. }), HookName::Select | HookName::Complete) => {
                triage::understand(&candidates, &mut answer)
            }
            (Some(Need::Recall { max_items, .. }), HookName::Recall) => {
                recall::understand(max_items, &mut answer)
            }
            (Some(Need::Embeddings { message_count, .. }), HookName::Embed) => {
                let request = self.request_vector.take();
                recall::understand_embeddings(draft, message_count, request.as_ref(), &mut answer)
            }
            (Some(Need::Summaries { conversations, max_chars, .. }), HookName::Summarize) => {
                let misunderstood = tiers::understand(&conversations, max_chars, &mut answer);
                let mut given = answer.summaries.clone().unwrap_or_default().into_iter();
                for conversation in conversations {
                    if let Some(first) = conversation.positions.first() {
                        draft.summaries.insert(*first, given.next().flatten());
                    }
                }
                misunderstood
            }
            (Some(Need::Counts { texts, .. }), HookName::CountTokens) => {
                draft.counts.learn(texts, &answer)?;
                Misunderstood::default()
            }
            _ => {
                return Err(Error::new(
                    ErrorCode::InvalidRecording,
                    "an answer was given to what was not asked",
                    "Pass the recording of a built context as it was.",
                ));
            }
        };
        draft.keep_answer(answer, &misunderstood);
        Ok(())
    }
}
