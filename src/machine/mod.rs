//! Runs a build: the order of the stages, and how a build stops and asks.
//!
//! 1. [`Build::new`] takes the inputs.
//! 2. [`Build::step`] runs the stages in their order, until it is done or needs something from outside.
//! 3. A [`Step::Need`] is answered: the ranking module by [`Build::provide_selection`], a vocabulary by
//!    [`Build::provide_encoding`], a time zone by [`Build::provide_offsets`], a hook by [`Build::answer`].
//!    `Need::Older` has no answer: begin another build with a transcript that has the messages. It occurs only if the
//!    transcript is part of its log. From a complete transcript, a build reads as much as it needs ([`Reach`]).
//! 4. Step again. The stage that asked runs again from its start, and finds the answer.
//! 5. [`Step::Done`] has the context.
//!
//! # Examples
//!
//! ```
//! use windrow::base::message::{Field, Role};
//! use windrow::base::time::Milliseconds;
//! use windrow::base::value::Value;
//! use windrow::machine::{Build, Step};
//! use windrow::config::ContextConfig;
//! use windrow::log::messages::Columns;
//! use windrow::recall::transcript::Transcript;
//!
//! // Two messages, each with one segment: its text.
//! let columns = Columns {
//!     text: b"Where do we eat?At Rosa's.",
//!     roles: &[Role::User as u8, Role::Assistant as u8],
//!     pinned: &[0, 0],
//!     times: &[f64::NAN, f64::NAN],
//!     segment_counts: &[1, 1],
//!     segment_fields: &[Field::Text as u8; 2],
//!     segment_lengths: &[16, 10],
//! };
//! let mut transcript = Transcript::default();
//! transcript.append(&columns)?;
//!
//! let options = vec![("encoding".to_owned(), Value::Text("estimate".to_owned()))];
//! let config = ContextConfig::read(&Value::Map(options))?;
//! let mut build = Build::new(transcript.into(), None, config, Milliseconds(0), vec![])?;
//! let Step::Done(context) = build.step()? else { panic!("it needs nothing from outside") };
//! assert_eq!(context.pieces.len(), 2);
//! # Ok::<(), windrow::base::error::Error>(())
//! ```

mod reading;
pub mod selection;

use crate::base::error::{Error, ErrorCode, Result};
use crate::base::message::{Field, Role};
use crate::base::time::{Milliseconds, Zone};
use crate::config::ContextConfig;
use crate::log::reach::Reach;
use crate::recall::index::vectors::Vector;
use crate::recall::text::meaning::Table;
use crate::recall::transcript::Transcript;
use crate::stages::selection::Selection;
use crate::stages::{
    budget, collect, filter, recall, render, snapshot, tiers, triage, unread, window,
};
use crate::state::ask::{Answer, HookName, Misunderstood, Need, Outcome, StageResult, Stop};
use crate::state::context::Context;
use crate::state::fill::Fill;
use crate::state::input::{EarlierQuotes, Input};
use crate::state::marks::Marks;
use crate::state::trace::{Note, NoteKind, Reason, ReasonWords, StageName};
use crate::state::view::View;
use crate::tokens::Encoding;
use reading::Reading;
use std::rc::Rc;

/// The stages, in the order they run.
const ORDER: [StageName; 9] = [
    StageName::Collect,
    StageName::Filter,
    StageName::Window,
    StageName::Recall,
    StageName::Triage,
    StageName::Tiers,
    StageName::Budget,
    StageName::Render,
    StageName::Snapshot,
];

/// The state of a build, split so that each stage gets only the parts that it may change.
#[derive(Debug)]
struct State {
    input: Input,
    marks: Marks,
    fill: Fill,
    context: Context,
    /// The ranking module, once it has been provided.
    selection: Option<&'static Selection>,
}

impl State {
    /// Runs a stage. If the stage asks for something, the marks are restored.
    fn run(&mut self, stage: StageName) -> StageResult {
        let Self { input, marks, fill, context, selection } = self;
        let selection = *selection;
        marks.stage = stage;
        match stage {
            StageName::Collect => collect::mark(input, marks)?,
            StageName::Filter => filter::mark(input, marks),
            StageName::Window => window::mark(input, marks)?,
            StageName::Recall => {
                let findings = recall::ask(input, marks, selection)?;
                recall::mark(marks, findings);
            }
            StageName::Triage => {
                let choice = triage::ask(input, marks, selection)?;
                triage::mark(marks, choice);
            }
            StageName::Tiers => {
                let conversations = tiers::ask(input, marks, selection)?;
                tiers::mark(input, marks, conversations);
            }
            StageName::Budget => {
                *fill = budget::ask(input, marks, selection)?;
                budget::mark(input, marks, fill);
            }
            StageName::Render => {
                *context = render::ask(View { input, marks, fill })?;
                render::mark(input, marks, context);
            }
            StageName::Snapshot => {
                snapshot::finish(View { input, marks, fill }, selection, context)?;
            }
        }
        Ok(())
    }
}

/// Result of a step.
#[derive(Debug)]
pub enum Step {
    /// The build is waiting for an answer.
    Need(Need),
    /// The build is finished.
    Done(Box<Context>),
}

/// A build in progress: a pure state machine that is stepped until it is done, and asks for everything that it needs
/// from outside.
#[derive(Debug)]
pub struct Build {
    state: State,
    /// The part of the transcript that has been read. None if the build looks at all of it.
    reading: Option<Reading>,
    next: usize,
    /// The current need, until it is answered.
    asked: Option<Need>,
    /// The vector of the request, once it is known.
    request_vector: Option<Vector>,
}

impl Build {
    /// Begins a build over the transcript's current messages.
    ///
    /// `request` is a transcript of one message. An empty transcript means that there isn't a request. Without a
    /// transcript the newest user message is the request. `now` is the clock, unless the config has one. `hooks` are
    /// the caller's functions that can be asked.
    ///
    /// # Errors
    ///
    /// `INVALID_CONFIG` if the request calls a tool or is a tool's result: these belong in the transcript, which keeps
    /// them together.
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
                "Append it to the transcript, and leave the request out: the newest messages take its place.",
            )
            .at("request"));
        }
        if hooks.contains(&HookName::Compact) && config.budget.cut.is_none() {
            return Err(Error::option(
                "compact.summarize",
                "a summary replaces the messages before the cut, but budget.cut isn't set",
                "Set budget.cut, for example {} (the preset steady has it), or leave out compact.summarize.",
            ));
        }
        if config.session_id.is_none() {
            // The request's session is the default session.
            let session = request.as_ref().and_then(|request| request.value(0, Field::SessionId));
            config.session_id = session.map(str::to_owned);
        }
        let now = config.now.unwrap_or(now);
        let input = Input::new(transcript, request, config, now, hooks);
        let (marks, fill, context) = (Marks::default(), Fill::default(), Context::default());
        let state = State { input, marks, fill, context, selection: None };
        let build = Self { state, reading: None, next: 0, asked: None, request_vector: None };
        let input = &build.state.input;
        let first_read = reach_of(input).first_read(&input.given, &input.config);
        Ok(build.reading_at_least(first_read))
    }

    /// Reads at least `count` of the newest messages: for tests and measurements of builds that haven't begun. This
    /// changes only the reasons for omitting older messages.
    #[must_use]
    pub fn reading_at_least(mut self, count: usize) -> Self {
        let input = &self.state.input;
        self.reading = Reading::begin(&input.given, reach_of(input), count);
        self.begin_anew();
        self
    }

    /// Sends only the thinking of these messages, given by their positions in order. For builds that haven't begun.
    pub fn send_thinking_of(&mut self, positions: Vec<usize>) {
        self.state.input.bound = Some(positions);
    }

    /// Takes the last ranking of a build with the same config, which this one replaces. It is used again if nothing that
    /// it depends on has changed. For builds that haven't begun.
    pub fn take_ranking(&self, replaced: &Self) {
        self.state.input.scored.swap(&replaced.state.input.scored);
    }

    /// Keeps the quotes of earlier prompts in place, so that thinking bound to them stays valid. For builds that
    /// haven't begun.
    pub fn keep_quotes(&mut self, quotes: EarlierQuotes) {
        self.state.input.quotes.push(quotes);
    }

    /// Restarts at the first stage, over the messages that are read now. Answers stay.
    fn begin_anew(&mut self) {
        let State { input, marks, .. } = &mut self.state;
        let reading = self.reading.as_mut();
        input.transcript = reading.map_or_else(|| Rc::clone(&input.given), Reading::transcript);
        input.answers.zone_offsets = None; // they belong to the messages read before
        let mut notes = std::mem::take(&mut marks.notes);
        notes.retain(|note| note.kind == NoteKind::AnswerMisunderstood);
        *marks = Marks::new(input.transcript.len());
        marks.notes = notes;
        self.state.fill = Fill::default();
        self.next = 0;
    }

    /// Reads more of the transcript if all of it is there. Returns false otherwise.
    fn read_on(&mut self, need: &Need) -> bool {
        let (Some(reading), Need::Older { wanted }) = (&mut self.reading, need) else {
            return false;
        };
        reading.read(wanted.clone());
        self.begin_anew();
        true
    }

    /// Converts the finished context's positions into positions among all messages.
    fn place(&mut self) {
        let State { input, marks, context, .. } = &mut self.state;
        if let Some(reading) = self.reading.as_ref().filter(|_| input.transcript.is_part()) {
            let rest = unread::rest(input, marks);
            reading.place(&input.transcript, context, rest);
            let reasons = &mut context.trace.reasons;
            reasons.retain(|known| known.reason != Reason::NotRead);
            if reasons.iter().all(|known| known.reason != rest.reason) {
                let words = rest.reason.words(&input.config);
                reasons.push(ReasonWords { reason: rest.reason, words });
            }
        }
        if input.given.has_split() {
            context.trace.by_message(|row| input.given.message_of(row));
        }
    }

    /// The build's transcript, request and config.
    #[must_use]
    pub fn input(&self) -> &Input {
        &self.state.input
    }

    /// Runs until it needs something or is done. Returns `Done` only once, because it moves the context out.
    ///
    /// # Errors
    ///
    /// `BUDGET_TOO_SMALL` if the required parts don't fit, `HOOK_FAILED` if the hook `countTokens` failed.
    pub fn step(&mut self) -> Result<Step> {
        while let Some(stage) = ORDER.get(self.next) {
            match self.state.run(*stage) {
                Ok(()) => self.next += 1,
                Err(Stop::Ask(need)) if self.read_on(&need) => {}
                Err(Stop::Ask(need)) => {
                    self.asked = Some((*need).clone());
                    return Ok(Step::Need(*need));
                }
                Err(Stop::Fail(error)) => return Err(*error),
            }
        }
        self.place();
        Ok(Step::Done(Box::new(std::mem::take(&mut self.state.context))))
    }

    /// Answers [`Need::Selection`], with [`SELECTION`](selection::SELECTION).
    pub fn provide_selection(&mut self, selection: &'static Selection) {
        self.state.selection = Some(selection);
    }

    /// Answers [`Need::Encoding`].
    pub fn provide_encoding(&mut self, encoding: Rc<Encoding>) {
        self.state.input.answers.encoding = Some(encoding);
    }

    /// Answers [`Need::Meaning`].
    pub fn provide_meaning(&mut self, table: Rc<Table>) {
        self.state.input.answers.meaning = Some(table);
    }

    /// Answers [`Need::ZoneOffsets`]: for each offset, its start (milliseconds since 1970) and the minutes east of UTC.
    pub fn provide_offsets(&mut self, offsets: Vec<[i64; 2]>) {
        let answers = &mut self.state.input.answers;
        answers.zone = Zone::new(offsets.clone());
        answers.zone_offsets = Some(offsets);
    }

    /// Takes the hook's vectors for the texts of [`Need::Embeddings`] from the one at `first` on. They are
    /// concatenated, with `dimensions` components each. They are remembered even if the answer turns out to be invalid.
    ///
    /// Returns false, and remembers nothing, if they aren't vectors of these texts.
    pub fn learn_vectors(&mut self, first: usize, vectors: &[f32], dimensions: usize) -> bool {
        let State { input, selection, .. } = &self.state;
        let (Some(Need::Embeddings { texts, .. }), Some(selection)) = (&self.asked, selection)
        else {
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
            let is_request = first + at == 0; // in the order of the stage's question
            if is_request {
                self.request_vector = Some(vector.clone());
            }
            (selection.learn)(input, text, vector, is_request);
        }
        true
    }

    /// The messages' similarities, parsed from the embedding hook's answer.
    #[must_use]
    pub fn similarities(&self) -> Option<&str> {
        self.state.input.answer_of(HookName::Embed)?.similarities.as_deref()
    }

    /// Answers a hook's question. Vectors must be passed to [`Build::learn_vectors`] first, unless the answer has the
    /// similarities.
    ///
    /// # Errors
    ///
    /// `INVALID_RECORDING` if nothing was asked, or something else: only a modified recording can do that.
    /// `HOOK_FAILED` if `countTokens` returned no counts.
    pub fn answer(&mut self, mut answer: Answer) -> Result<()> {
        let State { input, marks, selection, .. } = &mut self.state;
        let misunderstood = match (self.asked.take(), answer.hook, selection) {
            (
                Some(Need::Triage { candidates, .. }),
                HookName::Select | HookName::Complete,
                Some(selection),
            ) => (selection.understand_triage)(&candidates, &mut answer),
            (Some(Need::Recall { max_items, .. }), HookName::Recall, _) => {
                recall::understand(max_items, &mut answer)
            }
            (Some(Need::Embeddings { message_count, .. }), HookName::Embed, Some(selection)) => {
                let request = self.request_vector.take();
                let request = request.as_ref();
                let understand = selection.understand_embeddings;
                understand(input, marks, message_count, request, &mut answer)
            }
            (
                Some(Need::Summaries { conversations, max_chars, .. }),
                HookName::Summarize,
                Some(selection),
            ) => {
                let understand = selection.understand_summaries;
                let misunderstood = understand(&conversations, max_chars, &mut answer);
                let mut given = answer.summaries.clone().unwrap_or_default().into_iter();
                for conversation in conversations {
                    if let Some(first) = conversation.positions.first() {
                        input.answers.summaries.insert(*first, given.next().flatten());
                    }
                }
                misunderstood
            }
            (Some(Need::Compact { through, .. }), HookName::Compact, _) => {
                input.answers.compacted_through = Some(through);
                match &answer.text {
                    Some(text) if !text.trim().is_empty() => Misunderstood::default(),
                    _ if answer.outcome == Outcome::Given => {
                        answer.fail("it returned a blank summary")
                    }
                    _ => Misunderstood::default(),
                }
            }
            (Some(Need::Counts { texts, .. }), HookName::CountTokens, _) => {
                input.answers.counts.learn(texts, &answer)?;
                Misunderstood::default()
            }
            _ => {
                return Err(Error::new(
                    ErrorCode::InvalidRecording,
                    "an answer was passed without a question",
                    "Pass the recording of a built context unchanged.",
                ));
            }
        };
        answer.finish(&misunderstood);
        if let Some(what) = &answer.misunderstood {
            let words = format!("{} was understood in part: {what}", answer.hook.path());
            marks.notes.push(Note { kind: NoteKind::AnswerMisunderstood, words });
        }
        input.answers.of_hooks.push(answer);
        Ok(())
    }
}

fn reach_of(input: &Input) -> Reach {
    Reach::of(&input.config, input.hook(&HookName::ABOUT_ALL).is_some())
}
