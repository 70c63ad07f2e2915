//! `budget.cut`: the beginning of the prompt stays the same from turn to turn, and from step to step of a tool loop.

use crate::support::{Message, build, config, read_config, transcript};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use windrow::base::error::ErrorCode;
use windrow::state::context::{Context, Piece};
use windrow::state::trace::Reason;
use windrow_property::properties;

const WORDS: [&str; 12] = [
    "harbour", "violin", "garden", "invoice", "kitchen", "train", "plumber", "window", "ticket",
    "letter", "candle", "river",
];

fn text(most_words: usize) -> impl Strategy<Value = String> {
    vec(select(WORDS.to_vec()), 1..most_words).prop_map(|words| words.join(" "))
}

/// An exchange: the user's message, some calls with their results, and a reply.
fn exchange() -> impl Strategy<Value = Vec<Message>> {
    (text(12), vec(text(40), 0..3), prop_oneof![4 => text(20), 1 => text(120)]).prop_map(
        |(asked, results, reply)| {
            let mut messages = vec![Message::user(&asked)];
            for (at, result) in results.iter().enumerate() {
                let id = format!("c{at}");
                messages.push(Message::calls(&[&id]));
                messages.push(Message::result(&id, result));
            }
            messages.push(Message::assistant(&reply));
            messages
        },
    )
}

/// Instructions now and then, and exchanges.
fn chat() -> impl Strategy<Value = Vec<Message>> {
    let instructions = prop::option::of(text(60));
    (instructions, vec(exchange(), 4..24)).prop_map(|(instructions, exchanges)| {
        let instructions = instructions.map(|text| Message::system(&text));
        instructions.into_iter().chain(exchanges.into_iter().flatten()).collect()
    })
}

fn options() -> impl Strategy<Value = String> {
    options_with(vec![0.0, 0.25, 0.25, 0.5, 1.0], 150)
}

/// Options with one of these shares for recall, and a budget from `least_tokens` on.
fn options_with(shares: Vec<f64>, least_tokens: u64) -> impl Strategy<Value = String> {
    let ranking = select(vec!["relevance", "relevance", "bm25", "recency"]);
    let marks = select(vec![(1.0, 0.58), (1.0, 0.3), (0.9, 0.5), (0.8, 0.75)]);
    let share = select(shares);
    (ranking, marks, share, least_tokens..900).prop_map(|(ranking, (high, low), share, tokens)| {
        format!(
            r#"{{"encoding":"estimate","recall":{{"ranking":"{ranking}","maxShare":{share}}},
            "budget":{{"maxTokens":{tokens},"cut":{{"highWater":{high},"lowWater":{low}}}}}}}"#
        )
    })
}

/// A prompt as its messages, in a form that is equal if the sent bytes are.
fn prompt(context: &Context, messages: &[Message]) -> Vec<String> {
    let sent = context.pieces.iter().filter(|placed| !matches!(placed.piece, Piece::Quoted(_)));
    let shown = |piece| match piece {
        Piece::Made(position) => context.made[position].text.clone(),
        Piece::Message(row) => {
            let cut = context.shortened.iter().find(|(of, _)| *of == piece);
            format!("{:?} {:?}", messages[row], cut.map(|(_, text)| text))
        }
        _ => unreachable!("the request is in the transcript"),
    };
    sent.map(|placed| shown(placed.piece)).collect()
}

/// Number of messages before the quotes, or before the request.
fn stable_count(context: &Context, asked: usize) -> usize {
    let sent: Vec<Piece> = context.pieces.iter().map(|placed| placed.piece).collect();
    let is_end = |piece: &Piece| {
        matches!(piece, Piece::Made(_)) || piece.row().is_some_and(|row| row >= asked)
    };
    sent.iter().position(is_end).unwrap_or(sent.len())
}

/// The first message in its place, not counting the instructions and the request.
fn first_in_place(context: &Context, messages: &[Message]) -> Option<usize> {
    let asked = messages.iter().rposition(is_user);
    let has_instructions = messages.first().is_some_and(|first| first.role.is_instruction());
    let rows = context.pieces.iter().filter_map(|placed| match placed.piece {
        Piece::Message(row) => Some(row),
        _ => None,
    });
    let mut rows = rows.filter(|row| Some(*row) != asked && (*row > 0 || !has_instructions));
    rows.next()
}

/// Checks that a prompt repeats the one before it unless the cut moved, and that the cut only moves forward.
fn check_repeats(
    (stable, before): &(Vec<String>, Option<u64>),
    sent: &[String],
    now: Option<u64>,
) -> Result<(), TestCaseError> {
    if now == *before {
        prop_assert!(sent.starts_with(stable), "{}", difference(stable, sent));
    }
    prop_assert!(now >= *before, "the cut moved back: {before:?} {now:?}");
    Ok(())
}

fn run(messages: &[Message], json: &str) -> Option<Context> {
    match build(&transcript(messages), None, config(json)) {
        Ok(context) => Some(context),
        Err(error) => {
            assert_eq!(error.code, ErrorCode::BudgetTooSmall);
            None
        }
    }
}

/// The first message that isn't repeated, and its replacement.
fn difference(before: &[String], after: &[String]) -> String {
    let at = before.iter().zip(after).take_while(|(before, after)| before == after).count();
    format!("message {at}: {:?}, before it was {:?}", after.get(at), before.get(at))
}

fn is_user(message: &Message) -> bool {
    message.role == windrow::base::message::Role::User
}

properties! {
/// From one turn to the next, nothing before the quotes changes unless the cut moved.
    #[test]
    fn a_turn_repeats_everything_before_the_quotes(messages in chat(), json in options()) {
        let mut before: Option<(Vec<String>, Option<u64>)> = None;
        for asked in (0..messages.len()).filter(|row| is_user(&messages[*row])) {
            let log = &messages[..=asked];
            let Some(context) = run(log, &json) else { continue };
            let sent = prompt(&context, log);
            if let Some(before) = &before {
                check_repeats(before, &sent, context.cut)?;
            }
            let stable = sent[..stable_count(&context, asked)].to_vec();
            before = Some((stable, context.cut));
        }
    }

    /// Each step of a tool loop repeats all of the step before, unless the cut moved.
    #[test]
    fn a_step_repeats_the_step_before(
        messages in chat(),
        asked in text(12),
        results in vec(text(40), 1..12),
        // In a smaller budget, each step changes the room for the quotes and stubs before it.
        json in options_with(vec![0.0, 0.25, 0.25, 0.5], 400),
    ) {
        let mut log = messages;
        log.push(Message::user(&asked));
        let mut before: Option<(Vec<String>, Option<u64>)> = None;
        for (at, result) in results.iter().enumerate() {
            let Some(context) = run(&log, &json) else { break };
            let sent = prompt(&context, &log);
            if let Some(before) = &before {
                check_repeats(before, &sent, context.cut)?;
            }
            before = Some((sent, context.cut));
            let id = format!("loop{at}");
            log.push(Message::calls(&[&id]));
            log.push(Message::result(&id, result));
        }
    }

    /// A calibration that leaves more room doesn't move the cut, nor does a request that needs more, as long as it
    /// fits.
    #[test]
    fn a_calibration_does_not_move_the_cut(messages in chat(), json in options(), permille in 500_u64..1000) {
        let usage = format!(r#""usage":[{{"countedTokens":1000,"inputTokens":{permille}}}],"cut""#);
        let (Some(plain), Some(calibrated)) =
            (run(&messages, &json), run(&messages, &json.replace(r#""cut""#, &usage)))
        else {
            return Ok(());
        };
        let cut_off = |context: &Context| context.trace.ranges.iter().any(|it| it.reason == Reason::BeforeCut);
        let (first, then) = (first_in_place(&plain, &messages), first_in_place(&calibrated, &messages));
        // With more room, the cut moves no further than the marks say.
        prop_assert!(then <= first);
        prop_assert!(cut_off(&plain) || !cut_off(&calibrated));
    }
}

#[test]
fn a_cut_without_a_step_is_refused() {
    for (marks, path) in [
        (r#"{"highWater":1.2}"#, "budget.cut.highWater"),
        (r#"{"lowWater":-0.1}"#, "budget.cut.lowWater"),
        (r#"{"highWater":0.5,"lowWater":0.5}"#, "budget.cut.lowWater"),
        (r#"{"high":0.5}"#, "budget.cut.high"),
    ] {
        let error = read_config(&format!(r#"{{"budget":{{"maxTokens":100,"cut":{marks}}}}}"#))
            .expect_err("it has no step");
        assert_eq!((error.code, error.path.as_deref()), (ErrorCode::InvalidConfig, Some(path)));
    }
}

/// Number of characters left of a shortened text, without its marker.
fn kept_chars(text: &str) -> usize {
    let kept = text.split_once("[truncated: ").map(|(before, after)| {
        let after = after.split_once("]\n").map_or("", |(_, after)| after);
        (before.strip_suffix('\n').unwrap_or(before), after)
    });
    kept.map_or(0, |(before, after)| before.chars().count() + after.chars().count())
}

properties! {
/// A piece that is in every prompt is cut in steps: it changes once its remainder doubles, not every turn.
    #[test]
    fn pinned_messages_are_cut_in_steps(
        messages in chat(),
        pinned in vec(text(200), 1..3),
        tokens in 120_u64..400,
    ) {
        let json = format!(
            r#"{{"encoding":"estimate","budget":{{"maxTokens":{tokens},"cut":{{}},"onRequiredOverflow":"shorten"}}}}"#
        );
        let texts = pinned.iter().map(|text| Message::assistant(text).pinned());
        let all: Vec<Message> = texts.chain(messages).collect();
        for asked in (0..all.len()).filter(|row| is_user(&all[*row])) {
            let Some(context) = run(&all[..=asked], &json) else { continue };
            prop_assert!(context.tokens.total <= tokens);
            for (piece, text) in &context.shortened {
                let is_standing = piece.row().is_some_and(|row| row < asked);
                let count = kept_chars(text);
                prop_assert!(!is_standing || count == 0 || count.is_power_of_two(), "{count}");
            }
        }
    }
}
