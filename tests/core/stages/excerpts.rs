//! Excerpts of long messages: only the passages about the request are shown.

use crate::support::{Message, NOW, build, config, fates, transcript};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use windrow::base::message::{Field, Role};
use windrow::state::context::{Context, Piece};
use windrow::state::trace::Fate;
use windrow_property::properties;

const REQUEST: &str = "Which valve does the greenhouse pump need?";
const ANSWER: &str = "The greenhouse pump needs a valve of brass, twenty millimetres wide.";
const DAY: i64 = 86_400_000;

/// A page of sentences about other topics, with one that answers the request.
fn page() -> String {
    let about =
        |number: u32| format!("Bed number {number} gets seeds of the sort {number} in spring.");
    let mut lines: Vec<String> = (0..120).map(about).collect();
    lines.insert(70, ANSWER.to_owned());
    lines.join("\n")
}

/// A chat with a message at position 4, long before the request.
fn chat_with(message: Message) -> Vec<Message> {
    let line = |text: &str, hour: i64| Message::user(text).at(NOW.0 - 9 * DAY + hour);
    let mut messages: Vec<Message> =
        (0..4).map(|hour| line("We talk about a journey by train.", hour)).collect();
    messages.push(message.at(NOW.0 - 9 * DAY + 5));
    messages.extend((6..12).map(|hour| line("The tickets are on the table.", hour)));
    messages
}

fn run(messages: &[Message], tokens: u64, excerpts: &Value) -> Context {
    let options =
        json!({"recall": {"excerpts": excerpts}, "budget": {"maxTokens": tokens}}).to_string();
    build(&transcript(messages), Some(REQUEST), config(&options)).expect("it fits")
}

fn text_of(context: &Context, row: usize) -> Option<&str> {
    let mut cut = context.shortened.iter();
    cut.find(|(piece, _)| *piece == Piece::Message(row)).map(|(_, text)| text.as_str())
}

#[test]
fn a_page_is_shown_by_its_important_passages() {
    let messages = chat_with(Message::assistant(&page()));
    let context = run(&messages, 600, &json!({}));
    assert_eq!(fates(&context)[4].0, Fate::Excerpt);
    let text = text_of(&context, 4).expect("its excerpt");
    assert!(text.contains(ANSWER) && text.len() < page().len() / 2, "{text}");
    assert!(context.trimmed);
    let [(Piece::Message(4), gaps)] = context.excerpts.as_slice() else {
        panic!("{:?}", context.excerpts)
    };
    let is_mark = |start: usize| text[start..].starts_with("[… ");
    assert!(gaps.iter().all(|gap| is_mark(gap.start)));
}

#[test]
fn a_page_is_shown_whole_if_it_fits() {
    let messages = chat_with(Message::assistant(&page()));
    let context = run(&messages, 2_300, &json!({}));
    assert_eq!(fates(&context)[4].0, Fate::Kept);
    assert!(context.excerpts.is_empty());
}

#[test]
fn options_choose_the_messages_with_excerpts() {
    let messages = chat_with(Message::assistant(&page()));
    for none in [
        json!({"enabled": false}),
        json!({"roles": ["tool"]}),
        json!({"minTokens": 9000, "roles": []}),
    ] {
        let context = run(&messages, 600, &none);
        assert_eq!(fates(&context)[4].0, Fate::LeftOut, "{none}");
    }
    let line = |number: u32| format!("The valve of pump {number} is in greenhouse {number}.");
    let page = (0..120).map(line).collect::<Vec<_>>().join("\n");
    let mut messages = chat_with(Message::assistant(&page));
    for number in 0..4 {
        let page = page.replace("greenhouse", &format!("greenhouse number {number}"));
        messages.insert(4, Message::assistant(&page).at(NOW.0 - 9 * DAY + 5));
    }
    let count = |tokens: u64| {
        let context = run(&messages, 900, &json!({"tokens": tokens}));
        context.excerpts.len()
    };
    assert!(count(60) > count(300));
}

/// Random pages in a chat, and a budget that is too small for all of them.
fn pages() -> impl Strategy<Value = (Vec<Message>, u64)> {
    let line = (0..40_u32, 0..6_usize).prop_map(|(number, word)| {
        let word = ["valve", "seeds", "pump", "train", "ticket", "greenhouse"][word];
        format!("The {word} of number {number} is here.")
    });
    let page = vec(line, 5..150).prop_map(|lines| lines.join("\n"));
    (vec((page, any::<bool>()), 1..12), 400_u64..6_000).prop_map(|(pages, budget)| {
        let message = |(text, is_user): &(String, bool)| {
            if *is_user { Message::user(text) } else { Message::assistant(text) }
        };
        (pages.iter().map(message).collect(), budget)
    })
}

properties! {
    #[test]
    /// The room that everything else leaves is for more of the pages.
    fn excerpts_are_as_long_as_the_room_allows((messages, budget) in pages()) {
        const LINE_AND_MARKS: u64 = 60;
        /// The default of `recall.excerpts.minTokens`.
        const LEAST_EXCERPT: u64 = 120;
        let context = run(&messages, budget, &json!({}));
        let left = budget - context.tokens.total;
        let could_grow = |row: usize, fate: Fate| {
            let tokens = messages[row].fields[0].1.len() as u64 / 4;
            fate == Fate::Excerpt || (fate == Fate::LeftOut && (tokens >= LEAST_EXCERPT || tokens < left / 2))
        };
        let fates = fates(&context);
        let is_short = fates.iter().enumerate().any(|(row, (fate, _))| could_grow(row, *fate));
        prop_assert!(!is_short || left < LINE_AND_MARKS, "{left} tokens are left");
    }
}

#[test]
fn a_result_of_json_stays_json_and_keeps_its_call() {
    let row = |number: u32| json!({"bed": number, "seeds": format!("sort {number}")});
    let mut rows: Vec<Value> = (0..200).map(row).collect();
    rows.insert(120, json!({"pump": "greenhouse", "valve": "brass"}));
    let mut messages = chat_with(Message::calls(&["a"]));
    messages
        .insert(5, Message::result("a", &Value::from(rows).to_string()).at(NOW.0 - 9 * DAY + 5));
    let context = run(&messages, 700, &json!({}));
    assert_eq!([fates(&context)[4].0, fates(&context)[5].0], [Fate::Kept, Fate::Excerpt]);
    let shown: Value = serde_json::from_str(text_of(&context, 5).expect("it")).expect("JSON");
    let shown = shown.as_array().expect("a list");
    assert!(shown.contains(&json!({"pump": "greenhouse", "valve": "brass"})));
    assert!(
        shown.iter().any(|it| it.as_str().is_some_and(|it| it.ends_with("tokens left out …]")))
    );
}

#[test]
fn a_message_with_more_than_text_is_shown_whole_or_not_at_all() {
    for field in [Field::Reasoning, Field::Image] {
        let message = Message::assistant(&page()).with(field, "high something");
        let context = run(&chat_with(message), 600, &json!({}));
        assert_eq!(fates(&context)[4].0, Fate::LeftOut, "{field:?}");
    }
}

#[test]
fn a_mark_in_the_text_does_not_make_an_excerpt() {
    let text = format!("[… 12 tokens left out …]\n{ANSWER}\n[… 9,120 tokens left out …]");
    let context = run(&chat_with(Message::assistant(&text)), 600, &json!({}));
    assert_eq!(fates(&context)[4].0, Fate::Kept);
    assert!(context.excerpts.is_empty() && context.shortened.is_empty());
}

#[test]
fn an_overview_includes_texts_longer_than_its_room() {
    let messages = chat_with(Message::new(Role::Assistant, &page()));
    let options = json!({"budget": {"maxTokens": 900}}).to_string();
    let request = "Summarize all that we said about the greenhouse pump";
    let context = build(&transcript(&messages), Some(request), config(&options)).expect("it fits");
    assert_eq!(fates(&context)[4].0, Fate::Excerpt);
}
