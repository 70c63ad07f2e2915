//! What holds for every transcript and every config: 10,000 random ones are tried.

#![cfg(not(target_family = "wasm"))]

mod support;

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;
use std::fmt::Write;
use support::{
    Message, build, config, fates, groups_are_whole, kept, ranking_options, reference_count,
    transcript,
};
use windrow::config::{OnRequiredOverflow, Ranking};
use windrow::context::Context;
use windrow::context::Piece;
use windrow::error::ErrorCode;
use windrow::tokens::EncodingName;
use windrow::trace::{Fate, Reason};
use windrow::transcript::{Field, Role};

/// Texts of all sorts, among them some that try to pass for structure.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[a-zA-Z ,.?!']{0,80}",
        2 => "\\PC{0,40}",
        1 => "(\\n|\\r|\t| |System: |User: |\\[|/|</message>|<|&|:|\u{2028}|a){0,12}",
        1 => "([a-z]{1,9} ){50,200}",
        1 => Just(String::new()),
    ]
}

fn call_id() -> impl Strategy<Value = String> {
    select(vec!["a", "b", "c", "d"]).prop_map(str::to_owned)
}

fn message() -> impl Strategy<Value = Message> {
    let role = select(vec![Role::User, Role::User, Role::Assistant, Role::Assistant, Role::System]);
    let said = (role, text(), weighted(0.3, text()), weighted(0.1, select(vec!["x", "y"])))
        .prop_map(|(role, text, name, tag)| {
            let mut message = Message::new(role, &text);
            message.fields.extend(name.map(|name| (Field::Name, name)));
            message.fields.extend(tag.map(|tag| (Field::Tag, tag.to_owned())));
            message
        });
    let calls = vec(call_id(), 1..3)
        .prop_map(|ids| Message::calls(&ids.iter().map(String::as_str).collect::<Vec<_>>()));
    let result = (call_id(), text()).prop_map(|(id, text)| Message::result(&id, &text));
    let any = prop_oneof![6 => said, 1 => calls, 2 => result];
    let session = weighted(0.2, select(vec!["one", "two"]));
    (any, prop::bool::weighted(0.05), weighted(0.5, 0_i64..100_000_000), session).prop_map(
        |(mut message, pinned, time, session)| {
            message.pinned = pinned;
            message.time = time;
            message.fields.extend(session.map(|name| (Field::SessionId, name.to_owned())));
            message
        },
    )
}

/// A config in JSON: every group, each option now and then.
fn options() -> impl Strategy<Value = String> {
    let small = || weighted(0.15, 0_u64..12);
    let window = (small(), any::<bool>(), small(), small(), weighted(0.15, 0_u64..20), 0_u64..5);
    let budget = (weighted(0.8, 10_u64..600), weighted(0.2, 10_u64..2000), any::<bool>());
    let rest = (
        select(vec!["messages", "text", "xml"]),
        any::<bool>(),
        weighted(0.1, select(vec!["one", "two"])),
        small(),
        any::<bool>(),
        select(vec!["o200k_base", "cl100k_base", "estimate"]),
    );
    (window, budget, rest, ranking_options()).prop_map(|(window, budget, rest, recall)| {
        let (lookback, exchange, turns, recent, hours, floor) = window;
        let (tokens, chars, shorten) = budget;
        let (format, times, session, fetch, no_tags, encoding) = rest;
        let json = |value: Option<u64>| value.map_or("null".to_owned(), |value| value.to_string());
        let mut out = String::new();
        let _ = write!(
            out,
            r#"{{"encoding":"{encoding}","sessionId":{},"collect":{{"fetchLimit":{}}},
            "filter":{{"excludeTags":{}}},
            "window":{{"lookbackCount":{},"unit":"{}","maxUserTurns":{},"maxRecentMessages":{},
                       "recencyHours":{},"minMessages":{floor}}},
            "recall":{recall},
            "budget":{{"maxTokens":{},"maxChars":{},"onRequiredOverflow":"{}"}},
            "render":{{"format":"{format}","times":{times}}}}}"#,
            session.map_or("null".to_owned(), |name| format!("\"{name}\"")),
            json(fetch),
            if no_tags { r#"["x"]"# } else { "[]" },
            json(lookback),
            if exchange { "exchange" } else { "message" },
            json(turns),
            json(recent),
            json(hours),
            json(tokens),
            json(chars),
            if shorten { "shorten" } else { "error" },
        );
        out
    })
}

/// What a context costs, counted anew by the reference, from the messages as they were written.
fn recount(context: &Context, messages: &[Message], request: Option<&str>) -> u64 {
    let name = EncodingName::from_name(&context.tokens.encoding).expect("an exact encoding");
    let count = |text: &str| reference_count(name, text);
    if let Some(text) = &context.text {
        return count(text);
    }
    let asked = request.map(Message::user);
    let cost = |piece: Piece| {
        let message = match piece {
            Piece::Message(row) => &messages[row],
            Piece::Request => asked.as_ref().expect("a request"),
            Piece::Made(position) => {
                let made = &context.made[position];
                return 3 + count(made.role.as_str()) + count(&made.text);
            }
        };
        let cut = context.shortened.iter().find(|(cut, _)| *cut == piece);
        let mut total = 3 + count(message.role.as_str());
        total += cut.map_or(0, |(_, text)| count(text));
        let mut fields = message.fields.iter();
        while let Some((field, value)) = fields.next() {
            total += match field {
                Field::Text if cut.is_some() => 0,
                Field::Text | Field::ResultId => count(value),
                Field::Name => 1 + count(value),
                Field::CallId => {
                    let mut next = || fields.next().expect("a call has three fields").1.clone();
                    let call = [value.clone(), next(), next()]
                        .map(|part| serde_json::to_string(&part).expect("JSON"));
                    let [id, name, arguments] = call;
                    count(&format!(r#"{{"id":{id},"name":{name},"arguments":{arguments}}}"#))
                }
                _ => 0,
            };
        }
        total
    };
    3 + context.pieces.iter().map(|placed| cost(placed.piece)).sum::<u64>()
}

fn checked(messages: &[Message], request: Option<&str>, json: &str) -> Option<Context> {
    let config = config(json);
    let limits = config.budget.clone();
    let context = match build(&transcript(messages), request, config) {
        Ok(context) => context,
        Err(error) => {
            assert_eq!(error.code, ErrorCode::BudgetTooSmall);
            assert!(error.needed > error.available);
            return None;
        }
    };
    // Bounded, and the figures are true.
    let total = context.tokens.total;
    assert!(limits.max_tokens.is_none_or(|limit| total <= limit));
    if context.tokens.exact {
        assert_eq!(total, recount(&context, messages, request), "{:?}", context.text);
    }
    if let (Some(limit), Some(text)) = (limits.max_chars, &context.text) {
        assert!(text.chars().count() as u64 <= limit);
    }
    if let (Some(chars), Some(text)) = (context.char_count, &context.text) {
        assert_eq!(chars, text.chars().count() as u64);
    }
    assert_eq!(context.tokens.sections.iter().map(|section| section.tokens).sum::<u64>(), total);
    // Whole, in order, and accounted for.
    groups_are_whole(&context, messages);
    let rows: Vec<usize> = context
        .pieces
        .iter()
        .filter_map(|placed| match placed.piece {
            Piece::Message(row) => Some(row),
            _ => None,
        })
        .collect();
    let mut latest = None;
    let times: Vec<_> = messages
        .iter()
        .map(|message| {
            latest = message.time.or(latest);
            latest
        })
        .collect();
    // A result may wait for its call, whose clock is ahead.
    let said = rows.iter().copied().filter(|row| messages[*row].role != Role::Tool);
    assert!(said.is_sorted_by_key(|row| (times[row], row)));
    assert_eq!(fates(&context).len(), messages.len());
    let mut sorted = rows.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, kept(&context));
    let left_out = context.trace.ranges.iter().filter(|range| range.fate == Fate::LeftOut);
    assert!(left_out.clone().all(|range| range.tokens == 0));
    Some(context)
}

/// Holds one random case against all promises.
fn check_case(
    messages: &[Message],
    request: Option<&str>,
    json: &str,
    more: u64,
) -> Result<(), TestCaseError> {
    let Some(context) = checked(messages, request, json) else {
        return Ok(());
    };

    // The same input gives the same bytes.
    let again = build(&transcript(messages), request, config(json)).expect("as before");
    prop_assert_eq!(&again.text, &context.text);
    prop_assert_eq!(&again.pieces, &context.pieces);
    prop_assert_eq!(&again.recording, &context.recording);
    prop_assert_eq!(&again.trace, &context.trace);

    // A larger budget keeps all that a smaller one kept, where the newest come first. What ranks better may be larger than
    // what ranks lower: once there is room for it, it takes that of the smaller ones. What stands before it stays.
    let mut larger = config(json);
    let is_ranked = larger.recall.ranking != Ranking::Recency;
    if larger.budget.on_required_overflow == OnRequiredOverflow::Error {
        larger.budget.max_tokens = larger.budget.max_tokens.map(|limit| limit + more);
        larger.budget.max_chars = larger.budget.max_chars.map(|limit| limit + more);
        let larger = build(&transcript(messages), request, larger).expect("it did before");
        let kept_now = kept(&larger);
        let mut stays = kept(&context);
        if is_ranked && context.trimmed {
            let fates = fates(&context);
            stays.retain(|row| !matches!(fates[*row].1, Reason::Recalled | Reason::History));
        }
        prop_assert!(stays.iter().all(|row| kept_now.contains(row)));
    }

    // Counts that are remembered from another build change nothing.
    let shared = transcript(messages);
    for other in ["messages", "text", "xml"] {
        let other = format!(r#"{{"render":{{"format":"{other}"}},"encoding":"estimate"}}"#);
        build(&shared, None, config(&other)).expect("no limit, no failure");
    }
    let warm = build(&shared, request, config(json)).expect("as before");
    prop_assert_eq!(warm.recording, context.recording);
    Ok(())
}

fn check_cases(cases: u32) {
    let case = (vec(message(), 0..24), weighted(0.7, text()), options(), 1_u64..200);
    TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    })
    .run(&case, |(messages, request, json, more)| {
        check_case(&messages, request.as_deref(), &json, more)
    })
    .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn ten_thousand_contexts_keep_their_promises() {
    check_cases(10_000);
}

#[test]
#[ignore = "slow by nature: npm run test:full"]
fn a_hundred_thousand_contexts_keep_their_promises() {
    check_cases(100_000);
}
