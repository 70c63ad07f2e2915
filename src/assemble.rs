//! The whole order of a build, and nothing else: which stage runs when, and how a build stops and asks.

use crate::config::ContextConfig;
use crate::context::Context;
use crate::draft::{Draft, Flow, Need};
use crate::error::{Error, ErrorCode, Result};
use crate::stages::{budget, collect, filter, render, snapshot, window};
use crate::time::Milliseconds;
use crate::tokens::{Counter, Encoding};
use crate::trace::StageName;
use crate::transcript::{Field, Role, Transcript};
use std::rc::Rc;

type Stage = fn(&mut Draft) -> Result<Flow>;

/// The stages, in the order in which they run.
const ORDER: [(StageName, Stage); 6] = [
    (StageName::Collect, collect::run),
    (StageName::Filter, filter::run),
    (StageName::Window, window::run),
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
}

impl Build {
    /// Begins a build over the messages that the transcript has now.
    ///
    /// `request` is a transcript of one message, or none. `now` is the clock where the config does not give one.
    ///
    /// # Errors
    ///
    /// `INVALID_CONFIG` where the request calls a tool or is a tool's result: these belong into the transcript, where they
    /// are kept together.
    pub fn new(
        transcript: Rc<Transcript>,
        request: Option<Rc<Transcript>>,
        config: ContextConfig,
        now: Milliseconds,
    ) -> Result<Self> {
        let is_half = |request: &Rc<Transcript>| {
            let mut fields = request.fields(0);
            request.role(0) == Role::Tool
                || fields.any(|(field, _)| matches!(field, Field::CallId | Field::ResultId))
        };
        if request.as_ref().is_some_and(is_half) {
            return Err(Error::new(
                ErrorCode::InvalidConfig,
                "a tool call or a tool's result cannot be the request",
                "Append it to the transcript, and leave the request out: the newest messages stand for it.",
            )
            .at("request"));
        }
        let now = config.now.unwrap_or(now);
        Ok(Self { draft: Draft::new(transcript, request, config, now), next: 0 })
    }

    /// Runs as far as it can. It is done once: the context is handed over.
    ///
    /// # Errors
    ///
    /// `BUDGET_TOO_SMALL` where what must be kept does not fit.
    pub fn step(&mut self) -> Result<Step> {
        while let Some((name, stage)) = ORDER.get(self.next) {
            self.draft.stage = *name;
            match stage(&mut self.draft)? {
                Flow::Next => self.next += 1,
                Flow::Ask(need) => return Ok(Step::Need(need)),
            }
        }
        Ok(Step::Done(Box::new(std::mem::take(&mut self.draft.context))))
    }

    /// Answers [`Need::Encoding`].
    pub fn provide_encoding(&mut self, encoding: Rc<Encoding>) {
        self.draft.counter = Ok(Counter::Exact(encoding));
    }
}
