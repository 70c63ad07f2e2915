//! Snapshots of texts for people: reasons, notes, errors and the formats of a prompt.
//!
//! `npm run snapshots` updates them and shows what changed.

use crate::support::{self, Message, build, config, read_config, transcript};
use std::fmt::Write as _;
use windrow::base::error::Error;
use windrow::base::message::Field;
use windrow::state::context::Context;

/// A chat about a trip: instructions, a call with its result, a pinned message, another session's message.
fn chat() -> Vec<Message> {
    let at = |message: Message, minutes: i64| message.at(support::NOW.0 - minutes * 60_000);
    let mut messages = vec![
        Message::system("Be brief."),
        at(Message::user("Where is the violin?").with(Field::Name, "Ana"), 90),
        at(Message::assistant("In the harbour, next to the red boat with the long name."), 89),
        at(Message::calls(&["c1"]), 80),
        at(Message::result("c1", "The hall costs 480 euros, the garden costs 900 euros."), 80),
        at(Message::assistant("The hall is cheaper."), 79),
        at(Message::user("I am allergic to nuts.").pinned(), 70),
        at(Message::user("A note of another session.").with(Field::SessionId, "other"), 60),
        at(Message::assistant(" "), 50),
    ];
    messages.extend((0..8).map(|turn| {
        let text = format!("Message {turn} says a few words about the garden and the invoice.");
        at(if turn % 2 == 0 { Message::user(&text) } else { Message::assistant(&text) }, 40 - turn)
    }));
    messages
}

/// The fate of each message with its reason in words, the notes and the tokens.
fn told(context: &Context) -> String {
    let mut text = String::new();
    for range in &context.trace.ranges {
        let reason = context.trace.reasons.iter().find(|it| it.reason == range.reason);
        let words = &reason.expect("each reason has its words").words;
        let (first, last, fate, stage) = (range.first, range.last, range.fate, range.stage);
        writeln!(text, "{first}-{last} {fate:?} by {stage:?}: {words}").expect("a text");
    }
    for recalled in &context.trace.recalled {
        writeln!(text, "recalled {:?}: {}", recalled.positions, recalled.words).expect("a text");
    }
    for note in &context.trace.notes {
        writeln!(text, "note {:?}: {}", note.kind, note.words).expect("a text");
    }
    text
}

/// An error as a caller sees it.
fn shown(error: &Error) -> String {
    let place = error.path.as_ref().map_or(String::new(), |path| format!(" at {path}"));
    format!("{:?}{place}: {}\n  {}\n", error.code, error.message, error.next_action)
}

#[test]
fn reasons_and_notes() {
    let scenarios = [
        ("all fits", "{}"),
        ("a small budget", r#"{"budget":{"maxTokens":120}}"#),
        ("the newest first", r#"{"budget":{"maxTokens":120},"recall":{"ranking":"recency"}}"#),
        ("a window of messages", r#"{"window":{"lookbackCount":4}}"#),
        ("a window of exchanges", r#"{"window":{"lookbackCount":2,"unit":"exchange"}}"#),
        ("a window of user turns", r#"{"window":{"maxUserTurns":2}}"#),
        ("a window of hours", r#"{"window":{"recencyHours":1,"minMessages":1}}"#),
        ("a cap on recent messages", r#"{"window":{"maxRecentMessages":3}}"#),
        (
            "filters",
            r#"{"filter":{"excludeToolCalls":true,"excludeBlank":true,"roles":["user","assistant","tool","system"]}}"#,
        ),
        ("one session", r#"{"sessionId":"main"}"#),
        (
            "triage without a hook",
            r#"{"triage":{"alwaysIncludeRecent":2,"skipSelectionThreshold":0,"onUnavailable":"recentOnly"}}"#,
        ),
        ("a cut", r#"{"budget":{"maxTokens":140,"cut":{"highWater":0.9,"lowWater":0.5}}}"#),
        (
            "an overflow that is allowed",
            r#"{"budget":{"maxTokens":10,"onRequiredOverflow":"exceed"}}"#,
        ),
        (
            "an overflow that is shortened",
            r#"{"budget":{"maxTokens":30,"onRequiredOverflow":"shorten"}}"#,
        ),
    ];
    let mut text = String::new();
    for (name, json) in scenarios {
        writeln!(text, "# {name}: {json}").expect("a text");
        match read_config(json) {
            Ok(config) => {
                match build(&transcript(&chat()), Some("What does the hall cost?"), config) {
                    Ok(context) => text.push_str(&told(&context)),
                    Err(error) => text.push_str(&shown(&error)),
                }
            }
            Err(error) => text.push_str(&shown(&error)),
        }
        text.push('\n');
    }
    let untimed = [
        Message::user("How many seats?").with(Field::CreatedAt, "yesterday"),
        Message::user("And tables?").with(Field::CreatedAt, ""),
        Message::user("And chairs?").with(Field::CreatedAt, "2026-11-30"),
    ];
    writeln!(text, "# a time that can't be read").expect("a text");
    let context = build(&transcript(&untimed), None, config("{}")).expect("it fits");
    writeln!(text, "{}", told(&context)).expect("a text");
    let stopped = [
        Message::user("How many seats?"),
        Message::calls(&["a", "b"]).with(Field::Text, "I look."),
        Message::result("a", "forty"),
        Message::calls(&["c"]),
    ];
    for json in ["{}", r#"{"render":{"openCalls":"drop"}}"#] {
        writeln!(text, "# calls without a result: {json}").expect("a text");
        let context = build(&transcript(&stopped), Some("Stop."), config(json)).expect("it fits");
        text.push_str(&told(&context));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn errors_with_their_next_steps() {
    let wrong = [
        r#"{"budget":{"maxToken":10}}"#,
        r#"{"budget":4000}"#,
        r#"{"budget":{"maxTokens":"many"}}"#,
        r#"{"budget":{"maxTokens":-1}}"#,
        r#"{"budget":{"maxTokens":1.5}}"#,
        r#"{"maxTokens":10}"#,
        r#"{"tokens":10}"#,
        r#"{"colour":"red"}"#,
        r#"{"window":{"unit":"message","minMessage":2}}"#,
        r#"{"window":{"unit":"turn"}}"#,
        r#"{"recall":{"ranking":"best"}}"#,
        r#"{"recall":{"maxShare":2}}"#,
        r#"{"render":{"format":"markdown"}}"#,
        r#"{"encoding":"p50k"}"#,
        r#"{"sections":[{"id":"a","kind":"histroy"}]}"#,
        r#"{"sections":[{"id":"a","kind":5}]}"#,
        r#"{"sections":[{"id":"a"}]}"#,
        r#"{"sections":[{"kind":"history"}]}"#,
        r#"{"sections":[{"id":"a","kind":"history"},{"id":"a","kind":"request"}]}"#,
        r#"{"budget":{"cut":{"highWater":0.2,"lowWater":0.8}}}"#,
    ];
    let mut text = String::new();
    for json in wrong {
        let words =
            read_config(json).err().map_or("it is taken\n".to_owned(), |error| shown(&error));
        writeln!(text, "{json}\n{words}").expect("a text");
    }
    let small = config(r#"{"budget":{"maxTokens":3}}"#);
    let error = build(&transcript(&chat()), Some("And now?"), small).expect_err("it cannot fit");
    text.push_str(&shown(&error));
    insta::assert_snapshot!(text);
}

#[test]
fn formats_of_a_prompt() {
    let mut text = String::new();
    for format in ["text", "xml", "conversations"] {
        let json = format!(
            r#"{{"render":{{"format":"{format}","gapNotice":"[{{count}} earlier messages are not shown.]"}},
                "budget":{{"maxTokens":150}}}}"#
        );
        let context = build(&transcript(&chat()), Some("What does the hall cost?"), config(&json));
        let built = context.expect("it fits").text.expect("a text");
        writeln!(text, "# {format}\n{built}\n").expect("a text");
    }
    insta::assert_snapshot!(text);
}
