//! A hook that counts gets few calls, however many results shrink and grow.

use crate::support::{self, Message, config};
use std::collections::BTreeSet;
use windrow::state::ask::{Answer, HookName, Need, Outcome};
use windrow::state::trace::Fate;

/// Maximum number of calls in a build. Results grow in six steps, and in each step the last one is shortened to its
/// room.
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
    let hooks = [HookName::CountTokens];
    let (mut calls, mut asked) = (0, BTreeSet::new());
    let mut answer = |need: &Need| {
        let Need::Counts { texts, .. } = need else { panic!("asks for {need:?}") };
        calls += 1;
        for text in texts {
            assert!(asked.insert(text.clone()), "a text is asked about twice");
        }
        Answer {
            hook: HookName::CountTokens,
            outcome: Outcome::Given,
            counts: Some(texts.iter().map(|text| text.len() as u64 / 4 + 1).collect()),
            ..Answer::default()
        }
    };
    let context = support::build_with(&transcript, None, config(json), &hooks, &mut answer);
    let context = context.expect("it fits");
    let shrunk = support::fates(&context).iter().filter(|(fate, _)| *fate == Fate::Stub).count();
    assert!(shrunk > 20, "{shrunk} results have shrunk");
    assert!(calls <= MOST_CALLS, "{calls} calls, {} texts", asked.len());
}
