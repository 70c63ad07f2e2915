//! The request appears once, in its place, directly followed by its answers.

use crate::support::{Message, build_with, config, fates, kept, transcript};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;
use std::rc::Rc;
use windrow::base::message::Field;
use windrow::recall::transcript::Transcript;
use windrow::state::context::{Context, Piece};
use windrow::state::trace::{Fate, NoteKind, Reason};

/// A prompt with sections between history and request.
const SECTIONS: &str = r#""sections":[{"id":"history","kind":"history"},
    {"id":"note","kind":"text","text":"a note"},{"id":"request","kind":"request","label":"user_message="}]"#;

fn run(messages: &[Message], request: Option<&Message>, json: &str) -> Context {
    let request = request.map(|request| transcript(std::slice::from_ref(request)));
    run_over(&transcript(messages), request, json)
}

fn run_over(transcript: &Rc<Transcript>, request: Option<Rc<Transcript>>, json: &str) -> Context {
    build_with(transcript, request, config(json), &[], &mut |need| panic!("asks for {need:?}"))
        .expect("built")
}

/// The text of each piece of a context.
fn texts(context: &Context, messages: &[Message], request: Option<&Message>) -> Vec<String> {
    let text = |message: &Message| {
        let texts = message.fields.iter().filter(|(field, _)| *field == Field::Text);
        texts.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n")
    };
    let pieces = context.pieces.iter().map(|placed| match placed.piece {
        Piece::Message(row) | Piece::Quoted(row) => text(&messages[row]),
        Piece::Request => text(request.expect("a request")),
        Piece::Made(position) => context.made[position].text.clone(),
    });
    pieces.collect()
}

#[test]
fn a_request_that_was_appended_is_sent_once() {
    let said = |text: &str| Message::user(text);
    let yes = [said("go on?"), Message::assistant("shall I?"), said("yes"), said("yes")];
    let by_text = run(&yes, Some(&said("yes")), "{}");
    // A message that says it twice loses nothing.
    assert_eq!(texts(&by_text, &yes, Some(&said("yes"))), ["go on?", "shall I?", "yes", "yes"]);
    assert_eq!(fates(&by_text)[3], (Fate::LeftOut, Reason::SameAsRequest));
    assert!(!by_text.trimmed);

    let named = |text: &str, id: &str| said(text).with(Field::Id, id);
    let sent = |messages: &[Message], request: &Message| {
        let context = run(messages, Some(request), "{}");
        context.pieces.iter().filter(|placed| placed.piece.row().is_some()).count()
    };
    let old = [named("edited", "1"), Message::assistant("fine"), named("other", "2")];
    assert_eq!(sent(&old, &named("edited again", "1")), 2, "by its id, wherever it is");
    assert_eq!(sent(&old, &named("other", "2")), 2);
    assert_eq!(sent(&old, &said("other")), 2, "one of them has no id");
    assert_eq!(sent(&old, &named("other", "3")), 3, "they are two");
    assert_eq!(sent(&old, &said("edited")), 3, "it was answered");
    assert_eq!(sent(&old, &said("Other")), 3);
    assert_eq!(sent(&old, &said("other").with(Field::Name, "Ana")), 3);
    let image = [said("look").with(Field::Image, "low x")];
    assert_eq!(sent(&image, &said("look")), 1, "its image is not in the request");
    let unanswered = [said("find it"), Message::calls(&["a"])];
    let context = run(&unanswered, Some(&said("find it")), "{}");
    assert_eq!(kept(&context), [0], "something is behind it");
    // Without a place for the request, it appears only in the transcript.
    let json = r#"{"sections":[{"id":"history","kind":"history"}]}"#;
    assert_eq!(kept(&run(&yes, Some(&said("yes")), json)), [0, 1, 2, 3]);
}

#[test]
fn answers_follow_a_request_whose_id_is_in_the_transcript() {
    let asked = Message::user("find it").with(Field::Id, "1");
    let messages = [
        Message::user("hello"),
        Message::assistant("hi"),
        asked.clone(),
        Message::calls(&["a"]),
        Message::result("a", "found"),
    ];
    let context = run(&messages, Some(&asked), &format!("{{{SECTIONS}}}"));
    let expected = ["hello", "hi", "a note", "find it", "", "found"];
    assert_eq!(texts(&context, &messages, Some(&asked)), expected);
}

fn step() -> impl Strategy<Value = Vec<Message>> {
    let text = "[a-z]{1,8} [a-z]{1,8}";
    prop_oneof![
        text.prop_map(|text| vec![Message::assistant(&text)]),
        (text, select(vec!["a", "b"]))
            .prop_map(|(text, id)| vec![Message::calls(&[id]), Message::result(id, &text)]),
        text.prop_map(|text| vec![Message::system(&text)]),
    ]
}

fn turns() -> impl Strategy<Value = Vec<Vec<Message>>> {
    let turn = ("[a-z]{1,8} [a-z]{1,8}", vec(step(), 0..4)).prop_map(|(text, steps)| {
        let mut turn = vec![Message::user(&text)];
        turn.extend(steps.into_iter().flatten());
        turn
    });
    vec(turn, 0..6)
}

fn options() -> impl Strategy<Value = String> {
    let format = select(vec!["messages", "text", "xml", "conversations"]);
    let small = || weighted(0.3, 0_u64..6);
    (format, small(), small(), small(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(format, lookback, turns, recent, tiers, enabled, sections)| {
            let number = |it: Option<u64>| it.map_or("null".to_owned(), |it| it.to_string());
            format!(
                r#"{{"encoding":"estimate","enabled":{enabled},"tiers":{{"enabled":{tiers}}},
                "window":{{"lookbackCount":{},"maxUserTurns":{},"maxRecentMessages":{}}},
                "render":{{"format":"{format}"}}{}}}"#,
                number(lookback),
                number(turns),
                number(recent),
                if sections { format!(",{SECTIONS}") } else { String::new() },
            )
        },
    )
}

/// The sent form of a prompt.
fn prompt(context: &Context, messages: &[Message], request: Option<&Message>) -> Vec<String> {
    match &context.text {
        Some(text) => text.lines().map(str::to_owned).collect(),
        None => texts(context, messages, request),
    }
}

#[test]
fn appending_then_building_equals_passing_a_request() {
    let cases = (turns(), "[a-z]{1,8} [a-z]{1,8}", options());
    windrow_property::check(&cases, |(turns, text, json)| {
        let before: Vec<Message> = turns.concat();
        let asked = Message::user(&text);
        let after: Vec<Message> = before.iter().cloned().chain([asked.clone()]).collect();
        let given = run(&before, Some(&asked), &json);
        let appended = run(&after, None, &json);
        let both = run(&after, Some(&asked), &json);
        let expected = prompt(&given, &before, Some(&asked));
        prop_assert_eq!(prompt(&appended, &after, None), expected.clone());
        prop_assert_eq!(prompt(&both, &after, Some(&asked)), expected);
        prop_assert_eq!(&appended.snapshot.context_hash, &given.snapshot.context_hash);
        prop_assert_eq!(&both.snapshot.context_hash, &given.snapshot.context_hash);
        prop_assert_eq!(appended.tokens.total, given.tokens.total);
        prop_assert_eq!(&appended.tokens.sections, &given.tokens.sections);
        prop_assert_eq!(appended.trimmed, given.trimmed);
        prop_assert_eq!(fates(&appended)[before.len()], (Fate::Kept, Reason::Request));
        Ok(())
    });
}

#[test]
fn each_step_of_a_tool_loop_begins_with_the_prompt_of_the_one_before() {
    let cases = (turns(), "[a-z]{1,8} [a-z]{1,8}", vec(step(), 1..6), options());
    windrow_property::check(&cases, |(turns, text, steps, json)| {
        let mut messages: Vec<Message> = turns.concat();
        messages.push(Message::user(&text));
        let mut last = prompt(&run(&messages, None, &json), &messages, None);
        for step in steps {
            messages.extend(step);
            let next = prompt(&run(&messages, None, &json), &messages, None);
            prop_assert!(next.len() > last.len());
            prop_assert_eq!(&next[..last.len()], &last[..], "{:?}", next);
            last = next;
        }
        Ok(())
    });
}

#[test]
fn without_a_request_everything_is_history() {
    let messages = [Message::user("hello"), Message::assistant("hi"), Message::user("and now?")];
    let none = Some(Rc::new(Transcript::default()));
    let context = run_over(&transcript(&messages), none, &format!("{{{SECTIONS}}}"));
    assert_eq!(texts(&context, &messages, None), ["hello", "hi", "and now?", "a note"]);
}

#[test]
fn a_cap_on_messages_that_leaves_out_chat_trims() {
    let chat: Vec<Message> = (0..6).map(|row| Message::assistant(&format!("m{row}"))).collect();
    let asked = Message::user("and now?");
    for (count, is_trimmed) in [(5, true), (6, false)] {
        let json = format!(r#"{{"window":{{"maxRecentMessages":{count}}}}}"#);
        let context = run(&chat, Some(&asked), &json);
        assert_eq!((context.trimmed, context.snapshot.trimmed), (is_trimmed, is_trimmed));
        let notes = &context.trace.notes;
        assert_eq!(notes.iter().any(|note| note.kind == NoteKind::ContextTrim), is_trimmed);
        assert!(notes.iter().all(|note| note.words.contains("window.maxRecentMessages")));
    }
}

#[test]
fn a_tool_loop_keeps_its_newest_steps_before_anything_older() {
    let mut messages: Vec<Message> = Vec::new();
    for turn in 0..20 {
        messages.push(Message::user(&format!("what does the boat of {turn} cost?")));
        messages.push(Message::assistant(&format!("the boat of {turn} costs {turn} euros")));
    }
    messages.push(Message::user("and what does the boat cost in all?"));
    let asked = messages.len() - 1;
    for step in 0..12 {
        let id = format!("call{step}");
        messages.push(Message::calls(&[&id]));
        messages.push(Message::result(&id, &format!("{} found", "row ".repeat(20 + step % 3))));
    }
    for ranking in ["relevance", "bm25", "recency"] {
        for limit in [250, 400, 600, 1500] {
            let json = format!(
                r#"{{"encoding":"estimate","recall":{{"ranking":"{ranking}"}},"budget":{{"maxTokens":{limit}}},{SECTIONS}}}"#
            );
            let context = run(&messages, None, &json);
            let kept = kept(&context);
            assert!(kept.contains(&asked));
            let first = (asked + 1..messages.len()).find(|row| kept.contains(row)).expect("steps");
            assert!((first..messages.len()).all(|row| kept.contains(&row)), "{ranking} {limit}");
            let has_history = kept.iter().any(|row| *row + 2 < asked);
            assert!(
                first == asked + 1 || ranking == "relevance" || ranking == "bm25" || !has_history
            );
            let steps = (messages.len() - first) / 2;
            assert!(
                steps >= usize::try_from(limit / 60).expect("small").min(12),
                "{ranking} {limit}: {steps}"
            );
        }
    }
}

#[test]
fn untimed_messages_stay_after_a_late_result() {
    let at = |mut message: Message, time: i64| {
        message.time = Some(time);
        message
    };
    let messages = [
        at(Message::calls(&["a"]), 1_000),
        at(Message::user("and meanwhile?"), 2_000),
        at(Message::result("a", "found"), 3_000),
        Message::assistant("it is done"),
        Message::user("thank you"),
    ];
    let context = run(&messages, None, "{}");
    let rows: Vec<_> = context.pieces.iter().filter_map(|placed| placed.piece.row()).collect();
    assert_eq!(rows, [0, 2, 1, 3, 4]);
}
