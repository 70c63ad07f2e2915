//! A build that reads a part of a transcript returns the same as one that reads all of it.

use crate::log::unread::{chat, clocked_messages, options, request};
use crate::support::{Message, NOW, config, drive, fates, ranking_options, transcript};
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;
use std::cell::Cell;
use std::rc::Rc;
use windrow::base::error::Error;
use windrow::machine::Build;
use windrow::recall::transcript::Transcript;
use windrow::state::context::{Context, PlacedPiece};
use windrow::state::trace::Fate;

/// Builds that read at least this many of the newest messages.
fn build(
    transcript: &Rc<Transcript>,
    request: Option<&Message>,
    json: &str,
    least: usize,
) -> Result<Context, Error> {
    let request = request.map(|request| transcript_of(std::slice::from_ref(request)));
    let build = Build::new(Rc::clone(transcript), request, config(json), NOW, Vec::new())?;
    let context = drive(build.reading_at_least(least), &mut |need| panic!("asks for {need:?}"))?;
    Ok(context.expect("it asks for nothing"))
}

fn transcript_of(messages: &[Message]) -> Rc<Transcript> {
    transcript(messages)
}

/// Everything that a context reports, except the reasons for leaving messages out.
fn said(context: &Context) -> impl PartialEq + std::fmt::Debug + use<> {
    let fates: Vec<Fate> = fates(context).into_iter().map(|(fate, _)| fate).collect();
    let pieces: Vec<PlacedPiece> = context.pieces.clone();
    let rest = (
        context.made.clone(),
        context.shortened.clone(),
        context.excerpts.clone(),
        context.text.clone(),
    );
    let recording = (context.recording.transcript.clone(), context.recording.config.clone());
    let hash = context.snapshot.context_hash.clone();
    (fates, pieces, rest, recording, hash, context.tokens.clone(), context.trimmed)
}

fn check(
    messages: &[Message],
    request: Option<&Message>,
    json: &str,
    least: usize,
) -> Result<bool, TestCaseError> {
    let transcript = transcript_of(messages);
    let all = build(&transcript, request, json, usize::MAX);
    let part = build(&transcript, request, json, least);
    match (all, part) {
        (Ok(all), Ok(part)) => {
            prop_assert_eq!(said(&part), said(&all));
            prop_assert_eq!(&part.trace.recalled, &all.trace.recalled);
            let kinds = |context: &Context| -> Vec<_> {
                context.trace.notes.iter().map(|note| note.kind).collect()
            };
            prop_assert_eq!(kinds(&part), kinds(&all));
            prop_assert_eq!(part.trace.unread_count, 0);
            let words = part.trace.reasons.iter().map(|known| known.reason);
            let words: Vec<_> = words.collect();
            prop_assert!(part.trace.ranges.iter().all(|range| words.contains(&range.reason)));
            Ok(part.trace.ranges != all.trace.ranges)
        }
        (Err(all), Err(part)) => {
            prop_assert_eq!(part, all);
            Ok(false)
        }
        (all, part) => {
            prop_assert!(false, "{:?} and {:?}", all.is_ok(), part.is_ok());
            Ok(false)
        }
    }
}

/// Removes the options that require reading every message.
fn about_a_part(json: &str) -> String {
    let mut options: serde_json::Value = serde_json::from_str(json).expect("options");
    for (place, value) in [
        ("/render/gapNotice", serde_json::Value::Null),
        ("/agentId", serde_json::Value::Null),
        ("/window/unit", "message".into()),
        ("/tiers/enabled", false.into()),
        ("/collect/deduplicate", false.into()),
        ("/budget/cut", serde_json::Value::Null),
    ] {
        *options.pointer_mut(place).expect("an option") = value;
    }
    options.to_string()
}

/// Tries random cases. `check` returns whether a build read only a part; at least 1 case in `one_in` must.
fn check_all<S: Strategy>(
    one_in: u32,
    case: &S,
    check: impl Fn(S::Value) -> Result<bool, TestCaseError>,
) {
    let parts = Cell::new(0);
    let outcome = windrow_property::check(case, |drawn| {
        parts.set(parts.get() + u32::from(check(drawn)?));
        Ok(())
    });
    outcome.assert_share(parts.get(), one_in, "read only a part");
}

#[test]
fn builds_over_a_part_equal_builds_over_everything() {
    let options = (options(), prop::bool::weighted(0.8)).prop_map(|(json, is_about_a_part)| {
        if is_about_a_part { about_a_part(&json) } else { json }
    });
    let case = (clocked_messages(), request(), options, 1_usize..20);
    check_all(20, &case, |(messages, request, json, least)| {
        check(&messages, request.as_ref(), &json, least)
    });
}

/// A request about a topic of such a chat.
fn asked() -> impl Strategy<Value = &'static str> {
    select(vec![
        "where was the violin?",
        "what did we say about the invoice with the garden?",
        "and the kitchen",
        "train harbour",
    ])
}

#[test]
fn a_part_is_ranked_like_the_whole() {
    let options = (select(vec!["relevance", "bm25"]), 60_u64..300, weighted(0.3, 1_u64..40));
    let case = (chat(), asked(), options, 1_usize..60);
    check_all(15, &case, |(messages, request, options, least)| {
        let (ranking, tokens, lookback) = options;
        let lookback = lookback.map_or("null".to_owned(), |count| count.to_string());
        let replies = [0, 6, 12][usize::try_from(tokens % 3).expect("below 3")];
        let json = format!(
            r#"{{"encoding":"estimate","recall":{{"ranking":"{ranking}","excerpts":{{"minTokens":8,"tokens":4}},"pairs":{{"replyTokens":{replies}}}}},"budget":{{"maxTokens":{tokens}}},
            "window":{{"lookbackCount":{lookback}}}}}"#
        );
        check(&messages, Some(&Message::user(request)), &json, least)
    });
}

/// If the counted messages of the window fit, a build over all of them doesn't rank them. One over a part ranks them,
/// because it doesn't know the rest.
#[test]
fn ranking_changes_nothing_if_everything_fits() {
    let ranking = ranking_options().prop_map(|mut recall| {
        if recall["ranking"] == "recency" {
            recall["ranking"] = "relevance".into();
        }
        recall
    });
    let spare_tokens = prop_oneof![3 => 0_u64..60, 1 => 0_u64..2_000];
    let case = (chat(), asked(), ranking, spare_tokens, 1_u64..20);
    check_all(20, &case, |(messages, request, recall, spare_tokens, lookback)| {
        let request = Some(Message::user(request));
        let mut options = serde_json::json!({
            "encoding": "estimate",
            "recall": recall,
            "window": {"lookbackCount": lookback},
        });
        let transcript = transcript_of(&messages);
        let unlimited = build(&transcript, request.as_ref(), &options.to_string(), usize::MAX);
        let tokens = unlimited.expect("it has no limit").tokens.total;
        options["budget"] = serde_json::json!({"maxTokens": tokens + spare_tokens});
        check(&messages, request.as_ref(), &options.to_string(), 1)
    });
}
