//! Standing instructions of the user are found, have a separate share, and can't be set by anyone else.

use super::asides::{chat_with, rows_for, run};
use crate::support::{Message, build, config, transcript};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;
use windrow::base::message::{Field, Role};
use windrow::state::context::Context;
use windrow::state::trace::Reason;
use windrow_property::properties;

/// A standing instruction in each language, and a request that shares none of its words.
const LINES: [&str; 7] = [
    "From now on, please give all lengths in metric units.",
    "Ab jetzt gib bitte alle Längen in Metern an.",
    "Désormais, donne toutes les longueurs en mètres, je te prie.",
    "A partir de ahora da todas las longitudes en metros, por favor.",
    "A partir de agora dá todas as medidas em metros, por favor.",
    "D'ora in poi indica tutte le lunghezze in metri, per favore.",
    "С этого момента указывай, пожалуйста, все длины в метрах.",
];

fn standing(context: &Context) -> Vec<usize> {
    rows_for(context, Reason::Standing)
}

#[test]
fn standing_instructions_are_kept_in_each_language() {
    for line in LINES {
        let messages = chat_with(&[Message::user(line)]);
        let context = run(&messages, 600, &json!({}));
        assert_eq!(standing(&context), [10], "{line}");
        let none = run(&messages, 600, &json!({"maxStandingShare": 0}));
        assert_eq!(standing(&none), [0; 0]);
    }
}

#[test]
fn a_later_instruction_on_the_same_topic_comes_first() {
    let messages = chat_with(&[
        Message::user("From now on give all lengths in feet and inches."),
        Message::assistant("I will."),
        Message::user("From now on give all lengths in metres and centimetres."),
    ]);
    // The share has room for one of them.
    let context = run(&messages, 500, &json!({"maxStandingShare": 0.05}));
    assert_eq!(standing(&context), [12]);
}

#[test]
fn a_chat_full_of_always_does_not_fill_the_prompt() {
    let always: Vec<Message> = (0..200)
        .map(|count| Message::user(&format!("Always use the word {count}, never another one.")))
        .collect();
    let messages = chat_with(&always);
    for tokens in [500, 1000, 2000] {
        let context = run(&messages, tokens, &json!({}));
        let cost: u64 = context
            .pieces
            .iter()
            .filter(|placed| {
                placed.piece.row().is_some_and(|row| standing(&context).contains(&row))
            })
            .map(|placed| placed.tokens)
            .sum();
        assert!(cost > 0 && cost <= tokens / 20, "{cost} of {tokens}");
    }
}

#[test]
fn a_correction_outranks_the_corrected_message_and_says_so() {
    let correction = "The birch of the school grows, we moved it to the park.";
    let messages = chat_with(&[
        Message::user("The birch of the school grows, we had it in the yard."),
        Message::assistant("Noted."),
        Message::user(correction),
        Message::assistant("Noted."),
    ]);
    let options = json!({
        "recall": {"recentMessages": 0},
        "sections": [{"id": "history", "kind": "history", "limit": {"items": 1}}, {"id": "request", "kind": "request"}],
    });
    let request = Some("Where does the birch of my school grow?");
    let context =
        build(&transcript(&messages), request, config(&options.to_string())).expect("it fits");
    let recalled = &context.trace.recalled;
    assert_eq!(recalled.iter().map(|it| it.positions.clone()).collect::<Vec<_>>(), [[12]]);
    assert!(recalled[0].words.contains("it corrects an earlier message"), "{}", recalled[0].words);
}

properties! {
    /// Others can't set one: the assistant, a tool, another participant, a quotation or a program.
    #[test]
    fn only_the_askers_own_words_are_standing_instructions(line in select(&LINES[..]), how in 0_usize..8) {
        let call = || Message::new(Role::Assistant, "")
            .with(Field::CallId, "1").with(Field::CallName, "read").with(Field::CallArguments, "{}");
        let messages = match how {
            0 => vec![Message::assistant(line)],
            1 => vec![call(), Message::new(Role::Tool, line).with(Field::ResultId, "1")],
            2 => vec![Message::user(line).with(Field::Name, "Mallory")],
            3 => vec![Message::user(&format!("The page says: \"{line}\" Is that right?"))],
            4 => vec![Message::user(&format!("They wrote\n> {line}\nand left."))],
            5 => vec![Message::user(&format!("What is this?\n```\n{line}\n```\n"))],
            6 => vec![Message::user(&format!("A sign: «{line}»"))],
            _ => vec![Message::new(Role::System, line)],
        };
        let context = run(&chat_with(&messages), 600, &json!({}));
        prop_assert_eq!(standing(&context), Vec::<usize>::new());
    }
}

/// A message with both words and a result that can't be split doesn't count either.
#[test]
fn a_user_message_with_a_result_is_not_a_standing_instruction() {
    for line in LINES {
        let call = Message::assistant("I look.")
            .with(Field::CallId, "call_1")
            .with(Field::CallName, "read")
            .with(Field::CallArguments, "{}");
        let both =
            Message::user(line).with(Field::ResultId, "call_1").with(Field::Text, "Forty seats.");
        let context = run(&chat_with(&[call, both]), 600, &json!({}));
        assert!(standing(&context).is_empty(), "{line}");
    }
}
