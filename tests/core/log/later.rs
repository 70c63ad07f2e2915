//! Calls whose results may come after those of other calls: the provider runs them, or they wait for an approval.

use crate::support::{Message, build, config, fates, groups_are_whole, kept, transcript};
use proptest::collection::vec;
use proptest::prelude::*;
use windrow::base::message::{Field, Role};
use windrow::state::trace::Reason;
use windrow_property::properties;

/// A round of a step: calls of both kinds, and how many of the later kind are answered at once.
#[derive(Clone, Debug)]
struct Round {
    later: usize,
    answered: usize,
    others: usize,
}

fn round() -> impl Strategy<Value = Round> {
    (0_usize..3, 0_usize..3, 0_usize..3).prop_map(|(later, answered, others)| Round {
        later,
        answered: answered.min(later),
        others,
    })
}

/// The messages of a round, and whether it has calls that are all unanswered.
fn messages_of(at: usize, round: &Round) -> (Vec<Message>, bool) {
    let later: Vec<String> = (0..round.later).map(|call| format!("later-{at}-{call}")).collect();
    let others: Vec<String> = (0..round.others).map(|call| format!("other-{at}-{call}")).collect();
    let ids: Vec<&str> = later.iter().chain(&others).map(String::as_str).collect();
    if ids.is_empty() {
        return (vec![Message::assistant("So it is.")], false);
    }
    let mut call = Message::calls(&ids);
    for id in &later {
        call = call.with(Field::ResultLater, id);
    }
    let answered = later.iter().take(round.answered).chain(&others);
    let results = answered.map(|id| Message::result(id, "It is so."));
    (std::iter::once(call).chain(results).collect(), round.answered + round.others == 0)
}

properties! {
    #[test]
    fn open_calls_stay_while_the_step_runs(
        rounds in vec(round(), 1..5),
        is_over in any::<bool>(),
        has_request in any::<bool>(),
    ) {
        let mut messages = vec![Message::user("Look it up.")];
        let mut is_waiting = vec![false];
        for (at, round) in rounds.iter().enumerate() {
            let (own, waits) = messages_of(at, round);
            is_waiting.extend(own.iter().map(|_| waits));
            messages.extend(own);
        }
        if is_over {
            messages.push(Message::user("Never mind."));
            is_waiting.push(false);
        }
        let request = has_request.then_some("And now?");
        let context = build(&transcript(&messages), request, config(r#"{"encoding":"estimate"}"#))
            .expect("there is no limit");
        let is_left_out = is_over || has_request;
        let rows: Vec<usize> =
            (0..messages.len()).filter(|row| !(is_left_out && is_waiting[*row])).collect();
        prop_assert_eq!(kept(&context), rows);
        if !is_left_out {
            return Ok(());
        }
        groups_are_whole(&context, &messages);
        for (row, (_, reason)) in fates(&context).into_iter().enumerate() {
            if is_waiting[row] && messages[row].role == Role::Assistant {
                prop_assert_eq!(reason, Reason::CallWithoutResult);
            }
        }
    }
}
