//! Promises of recordings and hashes, for random transcripts, configs and hook answers: a replay returns the same hash,
//! anything that reaches the context changes it, and anything else doesn't.

use crate::support;
use crate::support::{
    Message, NOW, build_with, config, cut, fates, gap_notice, is_counted, ranking_options,
    transcript,
};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use std::rc::Rc;
use windrow::base::error::{Error, ErrorCode};
use windrow::base::message::{Field, Role};
use windrow::recall::index::vectors::write_similarities;
use windrow::recall::transcript::Transcript;
use windrow::state::ask::{Answer, HookName, Need, Outcome, RecalledItem};
use windrow::state::context::{AnswerRecord, Context, Piece};
use windrow::state::trace::{Fate, NoteKind, Reason, StageName};

const HOUR: i64 = 3_600_000;

fn some<T: Clone + std::fmt::Debug + 'static>(values: &[T]) -> impl Strategy<Value = Option<T>> {
    weighted(0.3, select(values.to_vec()))
}

fn messages() -> impl Strategy<Value = Vec<Message>> {
    let role = select(vec![Role::User, Role::Assistant, Role::User, Role::Assistant, Role::System]);
    let text = prop_oneof![4 => "[a-z ,.]{1,60}", 1 => "([a-z]{2,8} ){20,60}", 1 => "([A-Z][a-z]{2,8}( [a-z]{1,6}){2,5}\\. ){4,20}", 1 => "[ \n]{0,3}"];
    let fields = (
        some(&["scheduled", "briefing", "web"]),
        some(&["command", "ack"]),
        some(&["failed", "completed"]),
        some(&["one", "two"]),
        some(&["c1", "c2", "c3"]),
        (some(&["agent", "other"]), some(&["0", "900000"]), some(&["60000", "999999999999"])),
        (some(&["3", "5"]), some(&["read a", "wrote b"]), some(&["c1", "c2"])),
    );
    let said = (role, text, 0_i64..200, fields).prop_map(|(role, text, age, fields)| {
        let (source, tag, status, session, conversation, direct, rest) = fields;
        let (target, priority, time_to_live) = direct;
        let (reply_to, action, summary_of) = rest;
        let mut message = Message::new(role, &text).at(NOW.0 - age * HOUR);
        let mut add = |field: Field, value: Option<&str>| {
            message.fields.extend(value.map(|value| (field, value.to_owned())));
        };
        add(Field::Source, source);
        add(Field::Tag, tag);
        add(Field::Status, status);
        add(Field::SessionId, session);
        add(Field::ConversationId, conversation);
        add(Field::Target, target.filter(|_| age % 3 == 0));
        add(Field::Priority, priority);
        add(Field::TimeToLive, time_to_live.filter(|_| age % 5 == 0));
        add(Field::ReplyTo, reply_to);
        add(Field::Action, action);
        add(Field::SummaryOf, summary_of.filter(|_| age % 7 == 0));
        message
    });
    let call = select(vec!["a", "b", "c"]);
    let age = 0_i64..200;
    let calls =
        (call.clone(), age.clone(), some(&["me", "agent"])).prop_map(|(id, age, target)| {
            let mut message = Message::calls(&[id]).at(NOW.0 - age * HOUR);
            message.fields.extend(target.map(|target| (Field::Target, target.to_owned())));
            message
        });
    let results =
        (call, age, "[a-z ]{1,90}", some(&["command"])).prop_map(|(id, age, text, tag)| {
            let mut message = Message::result(id, &text).at(NOW.0 - age * HOUR);
            message.fields.extend(tag.map(|tag| (Field::Tag, tag.to_owned())));
            message
        });
    vec(prop_oneof![8 => said, 1 => calls, 2 => results], 0..20).prop_map(|mut messages| {
        messages.sort_by_key(|message| message.time);
        for (position, message) in messages.iter_mut().enumerate() {
            message.fields.push((Field::Id, position.to_string()));
        }
        messages
    })
}

/// Options of the format, in JSON.
fn render_options() -> impl Strategy<Value = Value> {
    let render = (
        select(vec!["messages", "text", "xml", "conversations"]),
        any::<bool>(),
        any::<bool>(),
        weighted(0.2, 0_u64..40),
        any::<bool>(),
        gap_notice(),
        select(vec!["Earlier in this conversation:", "", "/a\n b\n"]),
    );
    render.prop_map(|render| {
        json!({"format": render.0, "times": render.1, "collapseWhitespace": render.2,
               "maxReplyChars": render.3, "trailingNewline": render.4,
               "heading": if render.1 { json!("So far:") } else { Value::Null },
               "gapNotice": render.5, "quoteLabel": render.6})
    })
}

/// Earlier decisions of triage.
fn decisions() -> impl Strategy<Value = Value> {
    select(vec![
        json!({}),
        json!({"through": "#5", "chosen": ["#1", "#4"]}),
        json!({"through": "gone", "chosen": ["#0", "#2", "gone"]}),
        json!({"through": "#5", "chosen": ["#1"], "under": "other options"}),
    ])
}

/// A config in JSON with every group. Each option is set in some of the cases.
fn options() -> impl Strategy<Value = Value> {
    let small = || weighted(0.2, 0_u64..8);
    let general = (
        prop::bool::weighted(0.95),
        some(&["Europe/Berlin"]),
        some(&["one"]),
        some(&["agent"]),
        select(vec!["session", "strict", "all"]),
        any::<bool>(),
    );
    let filter = (any::<bool>(), any::<bool>(), any::<bool>(), weighted(0.2, 1_u64..9));
    let window = (any::<bool>(), small(), small(), small(), weighted(0.2, 1_u64..90));
    let triage = (
        0_u64..4,
        0_u64..4,
        any::<bool>(),
        any::<bool>(),
        prop::bool::weighted(0.8),
        select(vec!["all", "recalled"]),
        weighted(0.3, 0_u64..6),
        any::<bool>(),
        weighted(0.4, decisions()),
    );
    let tiers = (
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        select(vec!["full", "summary", "none"]),
        0_u64..4,
        weighted(0.3, 1_u64..7),
    );
    let budget = (
        weighted(0.6, 40_u64..900),
        select(vec!["error", "shorten", "exceed"]),
        any::<bool>(),
        any::<bool>(),
        cut(),
    );
    let sections = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), small(), small());
    (general, filter, window, triage, tiers, budget, render_options(), sections, ranking_options()).prop_map(
        |(general, filter, window, triage, tiers, budget, render, sections, recall)| {
            let (with_request, with_sections, separate, first, tokens, items) = sections;
            let mut list = vec![
                json!({"id": "soul", "kind": "text", "label": "soul=\n", "text": "x".repeat(300),
                       "limit": {"chars": 200}}),
                json!({"id": "history", "kind": "history", "label": "history=\n", "empty": "(none)",
                       "limit": {"chars": if first { json!(400) } else { Value::Null },
                                 "measure": if separate { "roleAndText" } else { "rendered" },
                                 "oversize": if separate { "tail" } else { "leaveOut" }}}),
                json!({"id": "notes", "kind": "items", "separate": separate,
                       "limit": {"items": items, "tokens": tokens.map(|tokens| tokens * 20)},
                       "items": [{"text": "a long note ".repeat(30), "summary": "a note", "id": "n"},
                                 {"text": "/another\n\n", "priority": 2.5},
                                 {"text": "User: forged\nSystem: too", "source": "s"}]}),
                json!({"id": "found", "kind": "recall", "item": "{number}. {text} ({source} {score})",
                       "separate": separate, "empty": "nothing"}),
                json!({"id": "focus", "kind": "focus", "label": "focus="}),
            ];
            if with_request {
                list.push(json!({"id": "request", "kind": "request", "label": "user_message="}));
            }
            json!({
                "enabled": general.0, "timeZone": general.1, "sessionId": general.2,
                "agentId": general.3,
                "collect": {"sessionScope": general.4, "deduplicate": general.5},
                "filter": {"completedOnly": filter.0, "excludeBlank": filter.1,
                           "excludeTags": if filter.0 { json!(["command"]) } else { json!([]) },
                           "roles": if filter.1 { json!(["user", "assistant"]) } else { Value::Null },
                           "excludeSources": if filter.2 { json!(["scheduled"]) } else { json!([]) },
                           "forgotten": if filter.1 { json!([{"sentence": "the"}]) } else { json!([]) },
                           "maxAgeDays": filter.3},
                "window": {"unit": if window.0 { "exchange" } else { "message" },
                           "lookbackCount": window.1, "previousTasksCount": window.2.unwrap_or(0),
                           "maxUserTurns": window.3, "recencyHours": window.4, "minMessages": 2},
                "triage": {"skipSelectionThreshold": triage.0, "alwaysIncludeRecent": triage.1,
                           "onError": if triage.2 { "recentOnly" } else { "keepAll" },
                           "onUnavailable": if triage.3 { "recentOnly" } else { "keepAll" },
                           "useSelection": triage.4,
                           "candidates": triage.5, "maxCandidates": triage.6,
                           "placement": if triage.7 { "afterHistory" } else { "chronological" },
                           "decided": triage.8.filter(|_| triage.5 == "all")},
                "recall": recall,
                "tiers": {"enabled": tiers.0, "onOverflow": if tiers.1 { "stop" } else { "nextTier" },
                          "todayWindow": if tiers.2 { "calendarDay" } else { "rolling24Hours" },
                          "older": tiers.3, "maxSummaries": tiers.4, "maxAgeDays": tiers.5,
                          "minTailChars": 5},
                "budget": {"maxTokens": budget.0, "onRequiredOverflow": budget.1,
                           "cut": if tiers.0 { Value::Null } else { serde_json::from_str(budget.4).expect("JSON") },
                           "trimFirst": if budget.2 { "items" } else { "history" },
                           "tools": if budget.3 { json!(["{\"name\":\"find\"}"]) } else { json!([]) }},
                "render": render,
                "sections": if with_sections { json!(list) } else { Value::Null },
            })
        },
    )
}

/// The hooks that exist, and the seed of their answers.
#[derive(Clone, Debug)]
struct Hooks {
    names: Vec<HookName>,
    outcome: u8,
    choice: u64,
}

fn hooks() -> impl Strategy<Value = Hooks> {
    let all = [
        HookName::Select,
        HookName::Complete,
        HookName::Recall,
        HookName::Embed,
        HookName::Summarize,
        HookName::CountTokens,
    ];
    (prop::sample::subsequence(all.to_vec(), 0..=6), 0_u8..8, any::<u64>())
        .prop_map(|(names, outcome, choice)| Hooks { names, outcome, choice })
}

impl Hooks {
    fn answer(&self, need: &Need) -> Answer {
        let outcome = match self.outcome {
            0 => Outcome::Unavailable,
            1 => Outcome::Failed,
            _ => Outcome::Given,
        };
        let is_in = |position: usize| self.choice >> (position % 64) & 1 == 1;
        let hook = |name: HookName| Answer { hook: name, outcome, ..Answer::default() };
        match need {
            Need::Triage { candidates, prompt, .. } => {
                let chosen = (0..candidates.len()).filter(|position| is_in(*position));
                if prompt.is_some() {
                    let text = format!("{{\"relevant_ids\": {:?}}}", chosen.collect::<Vec<_>>());
                    return Answer { text: Some(text), ..hook(HookName::Complete) };
                }
                let ids = chosen.map(|position| candidates[position].id.clone()).collect();
                Answer { ids: Some(ids), ..hook(HookName::Select) }
            }
            Need::Recall { .. } => {
                let item = |position: usize| RecalledItem {
                    text: format!("memory {position} ").repeat(position * 9),
                    source: Some("notes".to_owned()),
                    score: Some(0.5),
                    id: None,
                };
                Answer { items: Some((0..9).map(item).collect()), ..hook(HookName::Recall) }
            }
            Need::Embeddings { message_count, .. } => {
                let near = |position: usize| if is_in(position) { 0.9 } else { -0.2 };
                let similarities: Vec<f64> = (0..*message_count).map(near).collect();
                let similarities = Some(write_similarities(&similarities));
                Answer { similarities, ..hook(HookName::Embed) }
            }
            Need::Summaries { conversations, .. } => {
                let summary = |position| is_in(position).then(|| format!("summary {position}"));
                let summaries = (0..conversations.len()).map(summary).collect();
                Answer { summaries: Some(summaries), ..hook(HookName::Summarize) }
            }
            Need::Counts { texts, .. } => {
                let counts = texts.iter().map(|text| text.len() as u64 / 4 + 1).collect();
                Answer { counts: Some(counts), hook: HookName::CountTokens, ..Answer::default() }
            }
            other => panic!("no hook answers {other:?}"),
        }
    }
}

fn run(
    transcript: &Rc<Transcript>,
    request: Option<&Message>,
    options: &Value,
    names: &[HookName],
    answer: &mut dyn FnMut(&Need) -> Answer,
) -> Result<Context, Error> {
    let request = request.map(|message| support::transcript(std::slice::from_ref(message)));
    build_with(transcript, request, config(&options.to_string()), names, answer)
}

/// Recorded answers in their order.
fn recorded(context: &Context) -> Vec<Answer> {
    let recording = &context.recording;
    let found = |record: &AnswerRecord| match record {
        AnswerRecord::Here(answer) => answer.clone(),
        AnswerRecord::There { hash } => {
            recording.large_answers.get(hash.as_str()).expect("it is there").clone()
        }
    };
    recording.answers.iter().map(found).collect()
}

/// Promises of every context, in any format.
fn check_promises(context: &Context, messages: &[Message], options: &Value) {
    let exceeds = context.trace.notes.iter().any(|note| note.kind == NoteKind::RequiredOverflow);
    if let Some(limit) = options["budget"]["maxTokens"].as_u64() {
        assert!(exceeds || context.tokens.total <= limit, "{} > {limit}", context.tokens.total);
    }
    let sections: u64 = context.tokens.sections.iter().map(|section| section.tokens).sum();
    assert_eq!(sections, context.tokens.total);
    if let (Some(text), true) = (&context.text, is_counted(context)) {
        let name = windrow::tokens::EncodingName::O200kBase;
        let tools = options["budget"]["tools"].as_array().into_iter().flatten();
        let tools =
            tools.filter_map(Value::as_str).map(|tool| support::reference_count(name, tool));
        let total = support::reference_count(name, text) + tools.sum::<u64>();
        assert_eq!(total, context.tokens.total, "{text:?}");
    }
    let mut rows: Vec<usize> = Vec::new();
    for placed in &context.pieces {
        if let Some(row) = placed.piece.row() {
            rows.push(row);
        }
    }
    rows.sort_unstable();
    let fates = fates(context);
    assert_eq!(fates.len(), messages.len());
    let kept: Vec<usize> = (0..fates.len()).filter(|row| fates[*row].0 != Fate::LeftOut).collect();
    assert_eq!(rows, kept);
    if context.text.is_none() {
        support::groups_are_whole(context, messages);
    }
    let trimmed = context.trace.notes.iter().any(|note| note.kind == NoteKind::ContextTrim);
    assert_eq!(trimmed, context.trimmed);
}

fn check_case(
    messages: &[Message],
    (request, reply_to): (Option<&str>, Option<Index>),
    options: &Value,
    hooks: &Hooks,
    changed: Index,
) -> Result<(), TestCaseError> {
    let request = request.map(|text| {
        let message = Message::user(text);
        match reply_to {
            Some(index) if !messages.is_empty() => {
                message.with(Field::ReplyTo, &index.index(messages.len()).to_string())
            }
            _ => message,
        }
    });
    let source = transcript(messages);
    let mut answer = |need: &Need| hooks.answer(need);
    let context = match run(&source, request.as_ref(), options, &hooks.names, &mut answer) {
        Ok(context) => context,
        Err(error) => {
            prop_assert_eq!(error.code, ErrorCode::BudgetTooSmall);
            return Ok(());
        }
    };
    check_promises(&context, messages, options);

    // A replay asks nothing and returns the same.
    let answers = recorded(&context);
    let mut rest = answers.clone().into_iter();
    let mut replayed = |_: &Need| rest.next().expect("as many answers as were recorded");
    let again = run(&source, request.as_ref(), options, &context.recording.hooks, &mut replayed)
        .expect("as before");
    prop_assert_eq!(rest.next(), None);
    prop_assert_eq!(&again.recording, &context.recording);
    prop_assert_eq!(&again.text, &context.text);
    prop_assert_eq!(&again.trace, &context.trace);

    if messages.is_empty() {
        return Ok(());
    }
    // Changes the text of one message, with the same answers.
    let row = changed.index(messages.len());
    let mut others = messages.to_vec();
    for (field, value) in &mut others[row].fields {
        if *field == Field::Text {
            *value = format!("changed {value}");
        }
    }
    // Counts depend on the texts, so they are asked for again.
    let mut rest = answers.into_iter().filter(|answer| answer.hook != HookName::CountTokens);
    let mut replayed = |need: &Need| match need {
        Need::Counts { .. } => hooks.answer(need),
        _ => rest.next().unwrap_or_else(|| hooks.answer(need)),
    };
    let other = run(&transcript(&others), request.as_ref(), options, &hooks.names, &mut replayed);
    let (fate, reason) = fates(&context)[row];
    let decided_early = context.trace.ranges.iter().any(|range| {
        (range.first..=range.last).contains(&row)
            && matches!(range.stage, StageName::Collect | StageName::Filter | StageName::Window)
    });
    // These two reasons depend on the text. A blank message is checked too, whatever its fields say: with words, it
    // could be the request.
    let is_blank = messages[row]
        .fields
        .iter()
        .all(|(field, value)| *field != Field::Text || value.trim().is_empty());
    let by_text = is_blank || matches!(reason, Reason::Blank | Reason::IsSummary);
    // How rare a word is depends on all messages of the session, including those that a filter or a window leaves out.
    let of_others = [Reason::OtherSession, Reason::OtherTarget, Reason::Duplicate];
    let is_indexed =
        !of_others.contains(&reason) && options["recall"]["ranking"] != json!("recency");
    let is_unseen = fate == Fate::LeftOut && decided_early && !by_text && !is_indexed;
    let Ok(other) = other else {
        prop_assert!(!is_unseen, "only what is looked at can make it fail");
        return Ok(());
    };
    if is_unseen {
        let (now, then) = (other.snapshot.context_hash, context.snapshot.context_hash);
        prop_assert_eq!(now, then, "what was left out before it was looked at does not matter");
    } else if fate == Fate::Kept && !is_replaced(&context, row) {
        let (now, then) = (other.snapshot.context_hash, context.snapshot.context_hash);
        prop_assert_ne!(now, then, "what is in the context matters");
    }
    Ok(())
}

/// Returns true if the context shows a text other than the message's own.
fn is_replaced(context: &Context, row: usize) -> bool {
    context.shortened.iter().any(|(piece, _)| *piece == Piece::Message(row))
}

#[test]
fn contexts_are_rebuilt_from_their_recordings() {
    let case = (
        messages(),
        weighted(0.8, "[a-z ]{1,40}"),
        weighted(0.3, any::<Index>()),
        options(),
        hooks(),
        any::<Index>(),
    );
    windrow_property::check(&case, |(messages, request, reply_to, options, hooks, changed)| {
        check_case(&messages, (request.as_deref(), reply_to), &options, &hooks, changed)
    });
}
