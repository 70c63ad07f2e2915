//! Questions that bring their replies, and replies that bring their questions.

use crate::support::{Message, NOW, build, config, fates, transcript};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use windrow::base::message::{Field, Role};
use windrow::state::context::Context;
use windrow::state::trace::{Fate, Reason};
use windrow_property::properties;

const QUESTION: &str = "And what would that one need there, now that all of it has been as it was for so long, with what came of \
    it this year and the year before that one, and with all that may yet come of it?";
const REPLY: &str = "The greenhouse pump needs a valve of brass.";
const REQUEST: &str = "Which valve does the greenhouse pump need?";
/// Approximate tokens of an excerpt's marks. A message shown whole instead of an excerpt may cost this much less,
/// after its question was placed.
const MARKS: u64 = 40;
const DAY: i64 = 86_400_000;

/// A chat about journeys, with other messages at positions 4 and 5, long before the request.
fn chat_with(question: &str, reply: Message) -> Vec<Message> {
    let exchange = |number: usize| {
        [
            Message::user(&format!("Which pump is on train {number}?")),
            Message::assistant(&format!("Number {number} is the one by the sea.")),
        ]
    };
    let mut messages: Vec<Message> = (0..2).flat_map(exchange).collect();
    messages.extend([Message::user(question), reply]);
    messages.extend((2..8).flat_map(exchange));
    let at = |(hour, message): (i64, Message)| message.at(NOW.0 - 9 * DAY + hour);
    (0_i64..).zip(messages).map(at).collect()
}

fn run(messages: &[Message], request: &str, tokens: u64, pairs: &Value) -> Context {
    let recall = json!({
        "pairs": pairs, "recentMessages": 0, "maxShare": 1, "excerpts": {"minTokens": 40, "tokens": 30},
    });
    let options =
        json!({"recall": recall, "encoding": "estimate", "budget": {"maxTokens": tokens}});
    build(&transcript(messages), Some(request), config(&options.to_string())).expect("it fits")
}

#[test]
fn a_reply_brings_its_question() {
    let messages = chat_with(QUESTION, Message::assistant(REPLY));
    let found = fates(&run(&messages, REQUEST, 90, &json!({})));
    assert_eq!(found[4].0, Fate::Kept);
    assert_eq!(found[4].1, Reason::Paired);
    assert_eq!(found[5].1, Reason::Recalled);
    let without = fates(&run(&messages, REQUEST, 90, &json!({"questions": false})));
    assert_ne!(without[4].1, Reason::Paired);
    assert_eq!(without[5].1, Reason::Recalled);
}

#[test]
fn a_question_brings_the_important_part_of_its_reply() {
    let line = |number: u32| format!("Bed number {number} gets seeds of the sort {number}.");
    let mut page: Vec<String> = (0..80).map(line).collect();
    page.insert(50, "It is one of brass.".to_owned());
    let messages = chat_with(
        "Which valve does the greenhouse pump need, one of brass?",
        Message::assistant(&page.join("\n")),
    );
    let request = "Which valve of brass does the greenhouse pump need?";
    let shown = |tokens: u64, pairs: Value| {
        let context = run(&messages, request, tokens, &pairs);
        let text = context.shortened.first().map(|(_, text)| text.clone());
        (fates(&context)[5], text.unwrap_or_default())
    };
    let (found, text) = shown(140, json!({"questions": true, "replyTokens": 40}));
    assert_eq!(found, (Fate::Excerpt, Reason::Paired), "{text}");
    assert!(text.contains("It is one of brass.") && text.len() < 200, "{text}");
    let short = chat_with(REQUEST, Message::assistant("One of brass."));
    let found = fates(&run(&short, REQUEST, 60, &json!({"replyTokens": 20})))[5];
    assert_eq!(found, (Fate::Kept, Reason::Paired));
}

#[test]
fn named_people_answer_nobody_in_particular() {
    let named = Message::assistant(REPLY).with(Field::Name, "Mira");
    let found = fates(&run(&chat_with(QUESTION, named), REQUEST, 60, &json!({"replyTokens": 20})));
    assert_ne!(found[4].1, Reason::Paired, "{found:?}");
}

/// A chat of turns, some with several messages of the same role.
fn chat() -> impl Strategy<Value = Vec<Message>> {
    let word = select(vec!["harbour", "violin", "garden", "invoice", "train", "is", "the", "and"]);
    let text = (vec(word, 1..30), select(vec![" ", ". ", "\n"]))
        .prop_map(|(words, between)| words.join(between));
    let role = select(vec![Role::User, Role::Assistant]);
    vec((role, text), 10..60).prop_map(|all| {
        let message = |(at, (role, text)): (i64, (Role, String))| {
            Message::new(role, &text).at(NOW.0 - 9 * DAY + at)
        };
        (0_i64..).zip(all).map(message).collect()
    })
}

properties! {
    #[test]
    fn paired_messages_have_partners_and_fitting_ones_are_paired(
        messages in chat(),
        request in select(vec!["harbour and violin", "the invoice?", "garden train"]),
        tokens in 60_u64..400,
        questions in any::<bool>(),
        reply_tokens in select(vec![0_u64, 3, 10, 30]),
    ) {
        let context =
            run(&messages, request, tokens, &json!({"questions": questions, "replyTokens": reply_tokens}));
        let fates = fates(&context);
        let is_kept = |row: usize| fates[row].0 != Fate::LeftOut;
        let is = |row: usize, role: Role| messages[row].role == role;
        let question_of = |row: usize| (0..row).rev().take(32).find(|it| is(*it, Role::User));
        let replies_of = |row: usize| (row + 1..messages.len()).take_while(|it| is(*it, Role::Assistant));
        let lone = |messages: &[Message]| run(messages, request, 100_000, &json!({})).tokens.total;
        for (row, (_, reason)) in fates.iter().enumerate() {
            if *reason == Reason::Paired {
                let has_partner = if is(row, Role::User) {
                    prop_assert!(questions);
                    replies_of(row).any(is_kept)
                } else {
                    prop_assert!(reply_tokens > 0);
                    question_of(row).is_some_and(is_kept)
                };
                prop_assert!(has_partner, "{row} of {fates:?}");
            }
            let is_ranked = matches!(reason, Reason::Recalled) && is(row, Role::Assistant);
            if let (true, Some(question)) = (questions && is_ranked, question_of(row)) {
                let cost = lone(&messages[question..=question]) - lone(&[]);
                let has_room = context.tokens.total + cost + MARKS <= tokens;
                prop_assert!(is_kept(question) || !has_room, "{question} for {row}: {cost} more than {} of {tokens}: {fates:?}", context.tokens.total);
            }
        }
        prop_assert!(context.tokens.total <= tokens);
    }
}
