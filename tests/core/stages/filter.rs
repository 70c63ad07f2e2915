//! Each option of the filter leaves out exactly the messages that it describes.

use crate::support::{Message, NOW, build, config, fates, transcript};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;
use std::cell::Cell;
use windrow::base::message::{Field, Role};
use windrow::state::trace::{Fate, Reason};

const HOUR: i64 = 3_600_000;

fn messages() -> impl Strategy<Value = Vec<Message>> {
    let message = (
        select(vec![Role::User, Role::Assistant]),
        select(vec!["", "  ", "the harbour", "a violin"]),
        weighted(0.3, select(vec!["chat", "scheduled"])),
        weighted(0.3, select(vec!["command", "other"])),
        weighted(0.3, select(vec!["completed", "failed"])),
        weighted(0.9, 0_i64..120),
    );
    let made = message.prop_map(|(role, text, source, tag, status, hours)| {
        let mut message = Message::new(role, text);
        for (field, value) in [(Field::Source, source), (Field::Tag, tag), (Field::Status, status)]
        {
            message.fields.extend(value.map(|value| (field, value.to_owned())));
        }
        message.time = hours.map(|hours| NOW.0 - hours * HOUR);
        message
    });
    vec(made, 1..12)
}

type Names = fn(&Message) -> bool;

fn has(message: &Message, field: Field, value: &str) -> bool {
    message.fields.contains(&(field, value.to_owned()))
}

/// Each option, its reason, and the messages that it describes.
const OPTIONS: [(&str, Reason, Names); 6] = [
    (r#""roles":["user"]"#, Reason::Role, |it| it.role != Role::User),
    (r#""excludeSources":["scheduled"]"#, Reason::Source, |it| has(it, Field::Source, "scheduled")),
    (r#""excludeTags":["command"]"#, Reason::Tag, |it| has(it, Field::Tag, "command")),
    (r#""completedOnly":true"#, Reason::Unfinished, |it| has(it, Field::Status, "failed")),
    (r#""excludeBlank":true"#, Reason::Blank, |it| it.fields[0].1.trim().is_empty()),
    (r#""maxAgeDays":2"#, Reason::BeyondAge, |it| {
        it.time.is_some_and(|time| NOW.0 - time > 48 * HOUR)
    }),
];

#[test]
fn each_option_leaves_out_exactly_the_messages_it_describes() {
    let hits = Cell::new(0);
    let outcome = windrow_property::check(&(messages(), 0..OPTIONS.len()), |(messages, at)| {
        let (option, reason, names) = OPTIONS[at];
        let json = format!(r#"{{"encoding":"estimate","filter":{{{option}}}}}"#);
        let context =
            build(&transcript(&messages), Some("so?"), config(&json)).expect("there is no limit");
        for (message, (fate, found)) in messages.iter().zip(fates(&context)) {
            let is_left_out = fate == Fate::LeftOut;
            prop_assert_eq!(is_left_out, names(message), "{:?} with {}", message, option);
            prop_assert!(!is_left_out || found == reason, "{:?} instead of {:?}", found, reason);
        }
        hits.set(hits.get() + u32::from(messages.iter().any(names)));
        Ok(())
    });
    outcome.assert_share(hits.get(), 2, "had a message to leave out");
}
