//! Lasting statements of the user are found, compete for a separate share, and can't be made by anyone else.

use super::asides::{chat_with, rows_for, run};
use crate::support::{Message, build, config, fates, transcript};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;
use windrow::base::message::{Field, Role};
use windrow::state::context::Context;
use windrow::state::trace::{Fate, Reason};
use windrow_property::properties;

/// Statements, each with a request that shares none of its words.
const LINES: [&str; 8] = [
    "I have a severe shellfish allergy.",
    "My daughter is called Ilse.",
    "I refuse to wear leather.",
    "Ich bin allergisch gegen Nüsse.",
    "Ma sœur s'appelle Rosa.",
    "Soy alérgica a los cacahuetes.",
    "Я не ем мясо.",
    "RULE: the importer has no network.",
];
const ALLERGY: &str = LINES[0];
const TOKENS: u64 = 600;

fn statements(context: &Context) -> Vec<usize> {
    rows_for(context, Reason::Statement)
}

/// The cost of these messages together.
fn cost_of(context: &Context, rows: &[usize]) -> u64 {
    let pieces = context.pieces.iter();
    let of_rows = pieces.filter(|it| it.piece.row().is_some_and(|row| rows.contains(&row)));
    of_rows.map(|placed| placed.tokens).sum()
}

#[test]
fn a_statement_is_kept_in_each_language() {
    for line in LINES {
        let messages = chat_with(&[Message::user(line)]);
        assert_eq!(statements(&run(&messages, TOKENS, &json!({}))), [10], "{line}");
        let none = run(&messages, TOKENS, &json!({"maxStatementShare": 0}));
        assert_eq!(statements(&none), [0; 0]);
    }
}

#[test]
fn a_labeled_line_comes_first_whatever_it_says() {
    for line in
        ["FACT: the staging region is eu-north-5.", "Frist: der 3. Mai", "Правило: без табуляций"]
    {
        let messages = chat_with(&[Message::user(line)]);
        assert_eq!(statements(&run(&messages, TOKENS, &json!({}))), [10], "{line}");
        let by_others = chat_with(&[Message::assistant(line), Message::user(&format!("> {line}"))]);
        assert_eq!(statements(&run(&by_others, TOKENS, &json!({}))), [0; 0], "{line}");
    }
}

#[test]
fn a_later_statement_replaces_an_earlier_one() {
    let messages = chat_with(&[
        Message::user("I never eat cheese, fish or eggs."),
        Message::assistant("Noted."),
        Message::user("I only eat fish, eggs or cheese."),
    ]);
    assert_eq!(statements(&run(&messages, TOKENS, &json!({}))), [12]);
    // A second allergy doesn't end the first.
    let messages = chat_with(&[
        Message::user("I am allergic to fish and eggs."),
        Message::assistant("Noted."),
        Message::user("I am allergic to eggs and fish and nuts."),
    ]);
    assert_eq!(statements(&run(&messages, TOKENS, &json!({}))), [10, 12]);
}

#[test]
fn only_the_statement_of_a_page_is_shown() {
    let page = "The shed of this plot got a new roof in spring.\n\n".repeat(30);
    let text = format!("{page}{ALLERGY}\n\n{page}");
    let messages = chat_with(&[Message::user(&text)]);
    let context = run(&messages, TOKENS, &json!({}));
    assert_eq!(statements(&context), [10]);
    assert!(cost_of(&context, &[10]) < 100, "{}", cost_of(&context, &[10]));
    let (_, shown) = &context.shortened[0];
    assert!(shown.contains(ALLERGY) && shown.len() < 300, "{shown}");
}

#[test]
fn people_talking_to_each_other_make_no_statements() {
    let named = |message: Message, name: &str| message.with(Field::Name, name);
    let messages: Vec<Message> = chat_with(&[Message::user(ALLERGY)])
        .into_iter()
        .map(|it| if it.role == Role::User { named(it, "Ana") } else { named(it, "Ben") })
        .collect();
    assert_eq!(statements(&run(&messages, TOKENS, &json!({}))), [0; 0]);
}

properties! {
    /// Others can't make one: the assistant, a tool, another participant, a quotation or a program.
    #[test]
    fn only_the_askers_own_words_are_statements(line in select(&LINES[..]), how in 0_usize..9) {
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
            7 => vec![Message::user(line).with(Field::OfFile, "a file")],
            _ => vec![Message::new(Role::System, line)],
        };
        let context = run(&chat_with(&messages), TOKENS, &json!({}));
        prop_assert_eq!(statements(&context), Vec::<usize>::new());
    }

    /// Lines that only look like statements take no more than their shares, and don't displace statements about safety.
    #[test]
    fn a_chat_full_of_statements_does_not_fill_the_prompt(
        count in 1_usize..500,
        place in 0.0..1.0_f64,
        kind in 0_usize..5,
        tokens in 500_u64..3000,
    ) {
        let line = |at: usize| match kind {
            0 => format!("I always use the word number {at}, never another one."),
            1 => format!("I prefer the movie {at} to all books."),
            2 => format!("Never mention number {at} again."),
            3 => format!("RULE: the number {at} comes before all others."),
            _ => format!("My favorite number is {at}."),
        };
        let mut hostile: Vec<Message> = (0..count).map(|at| Message::user(&line(at))).collect();
        #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "a place among some hundreds")]
        let at = (place * count as f64) as usize;
        hostile.insert(at, Message::user(ALLERGY));
        let context = run(&chat_with(&hostile), tokens, &json!({}));
        let kept = statements(&context);
        let (fate, reason) = fates(&context)[10 + at];
        prop_assert_eq!(fate, Fate::Kept, "{:?}", reason);
        // The default of `recall.maxStatementShare`, of a room that is smaller than the budget.
        prop_assert!(cost_of(&context, &kept) * 2 <= tokens);
        // Nor do they displace them if nothing is asked, and they may fill the prompt.
        let mut messages = chat_with(&hostile);
        messages.extend([Message::user("Which city has a theater?"), Message::assistant("Rome.")]);
        let options = json!({"budget": {"maxTokens": tokens}}).to_string();
        let answered = build(&transcript(&messages), None, config(&options)).expect("it fits");
        prop_assert_eq!(fates(&answered)[10 + at].0, Fate::Kept);
    }
}

/// With nothing asked, nothing else needs the room. A share in the config holds for every context.
#[test]
fn statements_may_fill_the_prompt_if_the_request_is_answered() {
    // Different enough that none replaces another.
    let line = |at: usize| {
        Message::user(&format!("RULE: the bridge{at} closes when the ferry{at} sails."))
    };
    let mut messages = chat_with(&(0..200).map(line).collect::<Vec<Message>>());
    let percent = |messages: &[Message], recall: serde_json::Value| {
        let options = json!({"recall": recall, "budget": {"maxTokens": TOKENS}});
        let context = build(&transcript(messages), None, config(&options.to_string()));
        let context = context.expect("it fits");
        cost_of(&context, &statements(&context)) * 100 / TOKENS
    };
    messages.push(Message::user("Which city has a theater?"));
    assert!(percent(&messages, json!({})) <= 50);
    messages.push(Message::assistant("Rome has one."));
    assert!(percent(&messages, json!({})) > 75);
    assert!(percent(&messages, json!({"maxStatementShare": 0.2})) <= 20);
}
