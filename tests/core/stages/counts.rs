//! A hook that counts gets few calls, however many results shrink and grow.

use crate::support::{self, Message, NOW, config};
use std::collections::BTreeSet;
use windrow::machine::selection::SELECTION;
use windrow::machine::{Build, Step};
use windrow::state::ask::{Answer, HookName, Need, Outcome};
use windrow::state::trace::Fate;

/// The most calls of a build. Results grow in six steps, and the last one of each step is shortened to its room.
const MOST_CALLS: usize = 60;

#[test]
fn results_of_a_run_are_counted_in_few_calls() {
    let mut messages = vec![Message::user("Find the bug.")];
    for step in 0..250 {
        let call = format!("call {step}");
        let lines = (0..=step % 40).map(|line| format!("line {line} of the result {step}\n"));
        messages.push(Message::calls(&[&call]));
        messages.push(Message::result(&call, &lines.collect::<String>()));
    }
    let json = r#"{"recall":{"ranking":"recency"},"budget":{"maxTokens":16000}}"#;
    let transcript = support::transcript(&messages);
    let hooks = vec![HookName::CountTokens];
    let mut build = Build::new(transcript, None, config(json), NOW, hooks).expect("a build");
    let (mut calls, mut asked) = (0, BTreeSet::new());
    let context = loop {
        match build.step().expect("it fits") {
            Step::Need(Need::Selection) => build.provide_selection(&SELECTION),
            Step::Need(Need::Counts { texts, .. }) => {
                calls += 1;
                let counts = texts.iter().map(|text| text.len() as u64 / 4 + 1).collect();
                for text in texts {
                    assert!(asked.insert(text), "a text is asked about twice");
                }
                build
                    .answer(Answer {
                        hook: HookName::CountTokens,
                        outcome: Outcome::Given,
                        counts: Some(counts),
                        ..Answer::default()
                    })
                    .expect("an answer");
            }
            Step::Need(need) => panic!("asks for {need:?}"),
            Step::Done(context) => break context,
        }
    };
    let shrunk = support::fates(&context).iter().filter(|(fate, _)| *fate == Fate::Stub).count();
    assert!(shrunk > 20, "{shrunk} results have shrunk");
    assert!(calls <= MOST_CALLS, "{calls} calls, {} texts", asked.len());
}
