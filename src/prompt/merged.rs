//! Finds the envelopes that a finished prompt doesn't need, because its request merges messages.
//!
//! While messages are selected, each one counts with its own envelope, because its neighbors aren't known yet. The
//! finished prompt has neighbors, and its report leaves out the envelopes that the body won't have.
//!
//! The report must never be lower than the body. `pkg-template/src/formats/request/turns.ts` moves results to their
//! calls, and some instructions to the end of a turn. So a message keeps its envelope after a piece that may move, and
//! so does a piece with notes to the provider.

use crate::base::cost::Cost;
use crate::base::message::{Field, Role};
use crate::base::text::JoinedText;
use crate::config::{LateInstructions, Provider};
use crate::prompt::form;
use crate::prompt::measure::Meter;
use crate::prompt::parts::Parts;
use crate::prompt::sent::{Thought, Thoughts};
use crate::state::ask::StageResult;
use crate::state::context::Piece;
use crate::state::view::View;

/// Leaves the envelopes that the request merges out of the costs of a finished prompt's pieces.
///
/// # Errors
///
/// Stops to ask for counts.
pub(crate) fn settle(
    meter: &Meter,
    view: View<'_>,
    pieces: &[Piece],
    costs: &mut [Cost],
) -> StageResult {
    let config = &view.input.config;
    let Some(provider) = config.render.provider.filter(|it| *it != Provider::Openai) else {
        return Ok(());
    };
    let Merged { roles, tops, text } = merged(view, provider, pieces);
    for (cost, role) in costs.iter_mut().zip(roles) {
        let saved = role.map_or(Ok(0), |role| meter.envelope(config, role))?;
        cost.tokens = cost.tokens.saturating_sub(saved);
    }
    if let ([first, .., last], true) = (&*tops, provider.joins_instructions()) {
        let envelope = meter.envelope(config, view.role_of(pieces[*first]))?;
        let joined = envelope.saturating_add(meter.count(&text.text())?);
        let apart = tops.iter().map(|at| costs[*at].tokens).fold(0, u64::saturating_add);
        let cost = &mut costs[*last].tokens;
        *cost = cost.saturating_add(joined).saturating_sub(apart);
    }
    Ok(())
}

/// The messages that a request merges with others.
struct Merged {
    /// For each piece, the role of its first message if the request merges it with an earlier one.
    roles: Vec<Option<Role>>,
    /// The places of the pieces that are the instructions at the top.
    tops: Vec<usize>,
    /// These instructions as one text.
    text: JoinedText,
}

fn merged(view: View<'_>, provider: Provider, pieces: &[Piece]) -> Merged {
    let is_instruction = |piece: &&Piece| view.role_of(**piece).is_instruction();
    let moves = view.input.config.moves_late_instructions() == Some(LateInstructions::Top);
    let begin = pieces.iter().take_while(is_instruction).count();
    let mut request = Request { view, provider, open: None, run: None };
    let mut out = Merged { roles: Vec::new(), tops: Vec::new(), text: JoinedText::by("\n\n") };
    for (at, piece) in pieces.iter().enumerate() {
        let parts = form::parts(view, *piece, false);
        // Nothing but instructions may be sent as messages.
        let is_top = begin < pieces.len()
            && (at < begin || moves && is_instruction(&piece))
            && request.is_plain(*piece);
        out.roles.push(if !is_top {
            request.add(*piece, &parts)
        } else if parts.first_role.is_some() {
            request.end_run();
            out.tops.push(at);
            parts.visible.iter().for_each(|text| out.text.push(text));
            parts.first_role.filter(|_| out.tops.len() > 1)
        } else {
            None
        });
    }
    out
}

/// The messages of a request so far.
struct Request<'a> {
    view: View<'a>,
    provider: Provider,
    /// The role of the last message, if the next piece may continue it.
    open: Option<Role>,
    /// The group of the last calls, if nothing but their results has come after them.
    run: Option<usize>,
}

impl Request<'_> {
    /// Adds a piece. Returns the role of its first message if that continues the last one.
    fn add(&mut self, piece: Piece, parts: &Parts<'_>) -> Option<Role> {
        let (role, row) = (self.view.role_of(piece), piece.row());
        let is_more = matches!(piece, Piece::Message(row) if self.view.marks.goes_on(row));
        if parts.first_role.is_none() && !is_more {
            // It isn't sent, or it is a separate item of reasoning.
            self.open = self.open.filter(|_| parts.texts().next().is_none());
            return None;
        }
        let is_in_place = match role {
            Role::Tool => {
                self.run.is_some() && row.map(|row| self.view.marks.groups.of(row)) == self.run
            }
            _ => !role.is_instruction() && self.is_plain(piece),
        };
        if !is_in_place {
            (self.open, self.run) = (None, None);
            return None;
        }
        let before = self.open;
        let (says_more, ends_with_reasoning) = match self.provider {
            Provider::OpenaiResponses => self.kinds(piece),
            _ => (!self.joins_neighbors(), false),
        };
        self.open = parts.last_role.or(before).map(|role| self.side(role));
        if ends_with_reasoning {
            self.open = None;
        }
        match role {
            Role::Assistant if self.has_calls(piece) => {
                self.run = row.map(|row| self.view.marks.groups.of(row));
            }
            Role::Assistant if before == Some(Role::Assistant) => {}
            Role::Tool => {}
            _ => self.run = None,
        }
        let first = parts.first_role.filter(|first| !is_more && before == Some(self.side(*first)));
        first.filter(|first| match first {
            Role::Tool => self.provider.joins_results(),
            Role::User => self.joins_neighbors(),
            _ => !says_more,
        })
    }

    /// Ends a run of calls, because instructions that move to the top come after it. Results that are still missing are
    /// sent here.
    fn end_run(&mut self) {
        if self.run.take().is_some() && self.open == Some(Role::Assistant) {
            self.open = None;
        }
    }

    /// The kinds of parts in a piece that count in the Responses API: whether it has anything but calls, and whether its
    /// last part is reasoning. Calls belong to the assistant's words before them, and reasoning ends a message.
    fn kinds(&self, piece: Piece) -> (bool, bool) {
        let mut thoughts = Thoughts::default();
        let (mut says_more, mut ends_with_reasoning) = (true, false);
        if let Some((messages, row)) = self.view.source(piece) {
            says_more = false;
            for (field, value) in messages.fields(row) {
                let thought = thoughts.read(&self.view.input.config, field, value);
                if field.is_content() && matches!(thought, None | Some(Thought::Sent(_))) {
                    ends_with_reasoning = field == Field::Reasoning;
                    says_more |= ends_with_reasoning
                        || field.is_media()
                        || field == Field::Text && !value.trim().is_empty();
                }
            }
        }
        (says_more, ends_with_reasoning)
    }

    /// True if the request joins consecutive messages of one role.
    fn joins_neighbors(&self) -> bool {
        matches!(self.provider, Provider::Anthropic | Provider::Gemini | Provider::Bedrock)
    }

    /// The role in the request. Results may be part of the user's message.
    fn side(&self, role: Role) -> Role {
        match (role, self.provider) {
            (Role::Tool, Provider::Anthropic | Provider::Bedrock) => Role::User,
            _ => role,
        }
    }

    fn has_calls(&self, piece: Piece) -> bool {
        let source = self.view.source(piece);
        source.is_some_and(|(messages, row)| messages.value(row, Field::CallId).is_some())
    }

    /// True if all of a piece stays in its place: it has no notes to the provider, and no results besides its words.
    fn is_plain(&self, piece: Piece) -> bool {
        let Some((messages, row)) = self.view.source(piece) else { return true };
        let is_assistant = messages.role(row) == Role::Assistant;
        let compaction = self.view.input.config.compaction_maker();
        messages.fields(row).all(|(field, value)| match field {
            Field::ResultId => false,
            Field::Reasoning => is_assistant,
            Field::ReasoningOf => compaction != Some(value),
            _ => true,
        })
    }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use crate::base::message::Field;
    use crate::base::time::Milliseconds;
    use crate::config::ContextConfig;
    use crate::log::groups::{self, Groups};
    use crate::log::messages::Columns;
    use crate::recall::transcript::Transcript;
    use crate::state::fill::Fill;
    use crate::state::input::Input;
    use crate::state::marks::Marks;
    use proptest::prelude::*;
    use std::rc::Rc;
    use windrow_property::properties;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Step {
        Words(Role),
        Call(usize),
        Result(usize),
    }

    /// Steps from codes: each is a word, a call, or the result of an open call that another code picks.
    fn steps(codes: &[(u8, usize)]) -> Vec<Step> {
        let mut open = Vec::new();
        let step = |(at, (kind, pick)): (usize, &(u8, usize))| match kind {
            0 => Some(Step::Words(Role::User)),
            1 => Some(Step::Words(Role::Assistant)),
            2 => Some(Step::Words(Role::System)),
            3 | 4 => {
                open.push(at);
                Some(Step::Call(at))
            }
            _ if open.is_empty() => None,
            _ => Some(Step::Result(open.remove(pick % open.len()))),
        };
        codes.iter().enumerate().filter_map(step).collect()
    }

    fn transcript(steps: &[Step]) -> Transcript {
        let fields = |step: &Step| match step {
            Step::Words(_) => vec![(Field::Text, "words".to_owned())],
            Step::Call(id) => vec![
                (Field::CallId, id.to_string()),
                (Field::CallName, "look".to_owned()),
                (Field::CallArguments, "{}".to_owned()),
            ],
            Step::Result(id) => {
                vec![(Field::Text, "found".to_owned()), (Field::ResultId, id.to_string())]
            }
        };
        let all: Vec<Vec<(Field, String)>> = steps.iter().map(fields).collect();
        let segments = || all.iter().flatten();
        let code = |field: Field| Field::ALL.iter().position(|it| *it == field);
        let role = |step: &Step| match step {
            Step::Words(role) => *role,
            Step::Call(_) => Role::Assistant,
            Step::Result(_) => Role::Tool,
        };
        let role_code = |step| Role::ALL.iter().position(|it| *it == role(step));
        let byte = |code: Option<usize>| u8::try_from(code.expect("listed")).expect("few");
        let small = |number: usize| u32::try_from(number).expect("small");
        let mut transcript = Transcript::default();
        let text: String = segments().map(|(_, text)| text.as_str()).collect();
        let roles: Vec<u8> = steps.iter().map(|step| byte(role_code(step))).collect();
        let counts: Vec<u32> = all.iter().map(|fields| small(fields.len())).collect();
        let kinds: Vec<u8> = segments().map(|(field, _)| byte(code(*field))).collect();
        let lengths: Vec<u32> = segments().map(|(_, text)| small(text.len())).collect();
        let columns = Columns {
            text: text.as_bytes(),
            roles: &roles,
            pinned: &vec![0; steps.len()],
            times: &vec![f64::NAN; steps.len()],
            segment_counts: &counts,
            segment_fields: &kinds,
            segment_lengths: &lengths,
        };
        transcript.append(&columns).expect("whole columns");
        transcript
    }

    /// The number of envelopes that windrow counts for a provider.
    fn counted(steps: &[Step], provider: Provider) -> usize {
        let mut config = ContextConfig::default();
        config.render.provider = Some(provider);
        let transcript = Rc::new(transcript(steps));
        let order: Vec<usize> = (0..steps.len()).collect();
        let groups = Groups::find(&transcript, &order);
        let open_calls = groups::sorted(&groups.calls_without_result);
        let interrupted = open_calls.len();
        let mut marks = Marks::default();
        (marks.groups, marks.open_calls) = (groups, open_calls);
        let input = Input::new(transcript, None, config, Milliseconds(0), Vec::new());
        let view = View { input: &input, marks: &marks, fill: &Fill::default() };
        let pieces: Vec<Piece> = order.iter().map(|row| Piece::Message(*row)).collect();
        let continued = order.iter().filter(|row| marks.goes_on(**row)).count();
        let saved = merged(view, provider, &pieces).roles.into_iter().flatten().count();
        steps.len() + interrupted - continued - saved
    }

    /// The number of messages in the body: `turnsOf` and `merged` of the package, in short.
    fn in_body(steps: &[Step], provider: Provider) -> usize {
        let mut turns: Vec<Role> = Vec::new();
        let mut run: Vec<usize> = Vec::new();
        for step in steps {
            let ends_run = match step {
                Step::Words(role) => *role != Role::Assistant,
                Step::Call(_) => false,
                Step::Result(id) => run.contains(id),
            };
            if ends_run && !std::mem::take(&mut run).is_empty() {
                turns.push(Role::Tool);
            }
            match step {
                Step::Words(Role::System) | Step::Result(_) => {}
                Step::Words(role) => turns.push(*role),
                Step::Call(id) => {
                    turns.push(Role::Assistant);
                    run.push(*id);
                }
            }
        }
        turns.extend((!run.is_empty()).then_some(Role::Tool));
        let side = |role: Role| match (role, provider) {
            (Role::Tool, Provider::Anthropic | Provider::Bedrock) => Role::User,
            _ => role,
        };
        let mut sides: Vec<Role> = turns.into_iter().map(side).collect();
        sides.dedup();
        sides.len() + usize::from(steps.contains(&Step::Words(Role::System)))
    }

    const JOINING: [Provider; 3] = [Provider::Anthropic, Provider::Gemini, Provider::Bedrock];

    properties! {
        #[test]
        fn the_count_is_never_below_the_body(
            codes in prop::collection::vec((0..8_u8, 0..9_usize), 1..24),
            provider in prop::sample::select(JOINING.as_slice()),
        ) {
            let steps = steps(&codes);
            prop_assert!(counted(&steps, provider) >= in_body(&steps, provider), "{:?}", steps);
        }

        #[test]
        fn words_alone_count_exactly(
            codes in prop::collection::vec((0..3_u8, 0..1_usize), 1..24),
            provider in prop::sample::select(JOINING.as_slice()),
        ) {
            let mut steps = steps(&codes);
            steps.push(Step::Words(Role::User)); // instructions alone aren't a conversation
            prop_assert_eq!(counted(&steps, provider), in_body(&steps, provider), "{:?}", steps);
        }
    }

    #[test]
    fn a_run_counts_exactly() {
        use Step::{Call, Result, Words};
        let run = [
            Words(Role::User),
            Words(Role::User),
            Words(Role::Assistant),
            Call(3),
            Result(3),
            Words(Role::Assistant),
            Call(6),
            Result(6),
            Words(Role::User),
        ];
        for (provider, messages) in [(Provider::Anthropic, 5), (Provider::Gemini, 6)] {
            assert_eq!((counted(&run, provider), in_body(&run, provider)), (messages, messages));
        }
    }
}
