//! Messages that only make sense with the next one: reasoning as a separate message.

use crate::support::{Message, build, config, fates, groups_are_whole, kept, transcript};
use proptest::collection::vec;
use proptest::prelude::*;
use windrow::base::message::{Field, Role};
use windrow::state::trace::Fate;
use windrow_property::properties;

/// A turn of a chat whose steps are separate messages.
fn turn() -> impl Strategy<Value = Vec<Message>> {
    (0_usize..4, 0_u32..1_000_000, any::<bool>()).prop_map(|(calls, number, thinks)| {
        let mut turn = vec![Message::user(&format!("Question {number}?"))];
        if thinks {
            let thought = Message::new(Role::Assistant, "").with(Field::Reasoning, "I think so.");
            turn.push(thought.with(Field::JoinsNext, ""));
        }
        let ids: Vec<String> = (0..calls).map(|at| format!("{number}-{at}")).collect();
        turn.extend(ids.iter().map(|id| Message::calls(&[id])));
        turn.extend(ids.iter().map(|id| Message::result(id, "It is so.")));
        turn.push(Message::assistant("So it is."));
        turn
    })
}

properties! {
    #[test]
    fn reasoning_stays_with_its_calls(
        turns in vec(turn(), 1..12),
        tokens in 30_u64..400,
        excludes in any::<bool>(),
    ) {
        let messages = turns.concat();
        let json = format!(
            r#"{{"encoding":"estimate","budget":{{"maxTokens":{tokens}}},"filter":{{"excludeToolCalls":{excludes}}}}}"#
        );
        let Ok(context) = build(&transcript(&messages), Some("And now?"), config(&json)) else { return Ok(()) };
        let rows = kept(&context);
        for (row, message) in messages.iter().enumerate() {
            if message.fields.iter().any(|(field, _)| *field == Field::JoinsNext) {
                prop_assert_eq!(rows.contains(&row), rows.contains(&(row + 1)), "{} of {:?}", row, rows);
            }
        }
        groups_are_whole(&context, &messages);
    }
}

#[test]
fn other_messages_are_not_joined() {
    let call = Message::calls(&["1"]).with(Field::JoinsNext, "");
    let messages = [Message::user("Look."), call, Message::user("Never mind.")];
    let context =
        build(&transcript(&messages), None, config(r#"{"encoding":"estimate"}"#)).expect("it fits");
    assert_eq!(fates(&context)[2].0, Fate::Kept);
}

#[test]
fn reasoning_about_excluded_calls_is_left_out() {
    let thought = Message::new(Role::Assistant, "")
        .with(Field::Reasoning, "Look it up.")
        .with(Field::JoinsNext, "");
    let messages =
        [Message::user("Look."), thought, Message::calls(&["1"]), Message::result("1", "It is.")];
    let json = r#"{"encoding":"estimate","filter":{"excludeToolCalls":true}}"#;
    let context = build(&transcript(&messages), Some("And?"), config(json)).expect("it fits");
    assert_eq!(kept(&context), [0]);
}
