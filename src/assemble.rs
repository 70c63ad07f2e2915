//! The whole order of a build, and nothing else: which stage runs when, and how a build stops and asks.

use crate::config::ContextConfig;
use crate::context::Context;
use crate::draft::{Draft, Flow, Need};
use crate::error::Result;
use crate::stages::{budget, collect, filter, render, snapshot, window};
use crate::time::Milliseconds;
use crate::tokens::{Counter, Encoding};
use crate::trace::StageName;
use crate::transcript::Transcript;
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
    #[must_use]
    pub fn new(
        transcript: Rc<Transcript>,
        request: Option<Rc<Transcript>>,
        config: ContextConfig,
        now: Milliseconds,
    ) -> Self {
        let now = config.now.unwrap_or(now);
        Self { draft: Draft::new(transcript, request, config, now), next: 0 }
    }

    /// Runs as far as it can.
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
        Ok(Step::Done(Box::new(self.draft.context.clone())))
    }

    /// Answers [`Need::Encoding`].
    pub fn provide_encoding(&mut self, encoding: Rc<Encoding>) {
        self.draft.counter = Some(Counter::Exact(encoding));
    }
}
