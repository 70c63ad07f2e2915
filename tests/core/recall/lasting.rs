//! Lasting statements are listed, and forgotten ones are in no prompt.

use super::asides::{REQUEST, chat_with, rows_for};
use crate::support::{Message, build, config, fates, transcript};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use windrow::base::message::{Field, Role};
use windrow::recall::text::statements::Kind;
use windrow::state::context::Context;
use windrow::state::trace::{Fate, Reason};
use windrow_property::properties;

const ALLERGY: &str = "I have a severe shellfish allergy.";
const DAUGHTER: &str = "My daughter is called Ilse.";

fn listed(messages: &[Message]) -> Vec<(u64, Option<u64>)> {
    transcript(messages).lasting(None).expect("all messages are there")
}

fn run(messages: &[Message], tokens: Option<u64>, forgotten: &Value) -> Context {
    let options = json!({"filter": {"forgotten": forgotten}, "budget": {"maxTokens": tokens}});
    build(&transcript(messages), Some(REQUEST), config(&options.to_string())).expect("it fits")
}

#[test]
fn statements_are_listed_with_their_replacements() {
    let messages = chat_with(&[
        Message::user("I never eat cheese, fish or eggs."),
        Message::assistant(ALLERGY),
        Message::user(ALLERGY),
        Message::user("I only eat fish, eggs or cheese."),
    ]);
    assert_eq!(listed(&messages), [(10, Some(13)), (12, None), (13, None)]);
    let transcript = transcript(&messages);
    assert_eq!(transcript.lasting_sentences(12), [(Kind::Health, ALLERGY.to_owned())]);
    assert_eq!(transcript.lasting_sentences(0), []);
    assert_eq!(transcript.lasting(Some("Ana")), Some(Vec::new()));
}

#[test]
fn people_who_talk_to_each_other_have_no_list() {
    let named = |it: Message| {
        let name = if it.role == Role::User { "Ana" } else { "Ben" };
        it.with(Field::Name, name)
    };
    let messages: Vec<Message> =
        chat_with(&[Message::user(ALLERGY)]).into_iter().map(named).collect();
    assert_eq!(listed(&messages), []);
}

properties! {
    /// After sentences are forgotten, a message that says nothing else is left out, and one that says more is kept only
    /// for its place in the conversation.
    #[test]
    fn forgotten_statements_are_left_out(
        is_named in any::<bool>(),
        says_more in any::<bool>(),
        fits in any::<bool>(),
        line in select(&[ALLERGY, DAUGHTER][..]),
    ) {
        let text = if says_more { format!("{line} Does it snow?") } else { line.to_owned() };
        let messages = chat_with(&[Message::user(&text).with(Field::Id, "said")]);
        let tokens = (!fits).then_some(600);
        let found = |forgotten: &Value| {
            let context = run(&messages, tokens, forgotten);
            (fates(&context)[10], rows_for(&context, Reason::Statement))
        };
        let before = found(&json!([])).0.0;
        prop_assert!(before == Fate::Kept || says_more);
        let ids = if is_named { json!(["said"]) } else { Value::Null };
        let ((fate, reason), statements) = found(&json!([{"sentence": line, "messageIds": ids}]));
        prop_assert_eq!(fate == Fate::Kept, says_more && fits, "{:?}", reason);
        prop_assert_eq!(reason == Reason::Forgotten, !says_more);
        prop_assert_eq!(statements, Vec::<usize>::new());
        // Another sentence, or another message.
        let others = json!([{"sentence": "I like tea."}, {"sentence": line, "messageIds": ["other"]}]);
        prop_assert_eq!(found(&others).0.0, before);
    }

    /// The request stays, whatever is forgotten.
    #[test]
    fn a_request_is_never_forgotten(is_pinned in any::<bool>()) {
        let mut messages = chat_with(&[]);
        messages.push(Message { pinned: is_pinned, ..Message::user(ALLERGY) });
        let options = json!({"filter": {"forgotten": [{"sentence": ALLERGY}]}});
        let context = build(&transcript(&messages), None, config(&options.to_string()));
        let context = context.expect("it fits");
        prop_assert_eq!(fates(&context).last().map(|it| it.0), Some(Fate::Kept));
    }
}
