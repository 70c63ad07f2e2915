//! Groups move as one: whatever the clocks say, a call precedes its results, and no other group comes between them.

use crate::support::{Message, build, config, transcript};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use windrow::base::message::{Field, Role};
use windrow::state::context::{Context, Piece};

/// A message's place as written: its group, its position there, and the group's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    group: usize,
    at: usize,
    count: usize,
}

/// A conversation in the order of appending: each call is directly followed by its results.
#[derive(Clone, Debug, Default)]
struct WriteResult {
    messages: Vec<Message>,
    places: Vec<Place>,
}

/// Ways of having wrong clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clock {
    Right,
    Skewed,
    Equal,
    Missing,
    Backwards,
    /// The clocks are right, and the list has the newest first.
    NewestFirst,
    /// There are no clocks, and results come before their calls.
    ResultsFirst,
}

/// One group: a message, or a message with text and several tool calls, plus their results. One result may be missing.
#[derive(Clone, Debug)]
enum Block {
    Said(Role, bool),
    Called { ids: Vec<&'static str>, is_half: bool, is_direct: bool },
}

fn block() -> impl Strategy<Value = Block> {
    let role = select(vec![Role::User, Role::User, Role::Assistant, Role::System]);
    let ids = subsequence(vec!["a", "b", "c"], 1..3).prop_shuffle();
    prop_oneof![
        3 => (role, prop::bool::weighted(0.1)).prop_map(|(role, direct)| Block::Said(role, direct)),
        2 => (ids, prop::bool::weighted(0.1), prop::bool::weighted(0.1))
            .prop_map(|(ids, is_half, is_direct)| Block::Called { ids, is_half, is_direct }),
    ]
}

fn clock() -> impl Strategy<Value = Clock> {
    select(vec![
        Clock::Right,
        Clock::Skewed,
        Clock::Skewed,
        Clock::Equal,
        Clock::Missing,
        Clock::Backwards,
        Clock::NewestFirst,
        Clock::ResultsFirst,
    ])
}

fn written() -> impl Strategy<Value = WriteResult> {
    let conversation = || weighted(0.3, select(vec!["one", "two"]));
    let blocks = vec((block(), conversation()), 0..14);
    (blocks, clock(), vec((-5_i64..5, any::<bool>()), 64)).prop_map(|(blocks, clock, skews)| {
        let mut out = WriteResult::default();
        let asked = (Block::Said(Role::User, false), None);
        let first = (clock == Clock::ResultsFirst).then_some(asked);
        let blocks = first.into_iter().chain(blocks);
        for (group, (block, conversation)) in blocks.enumerate() {
            let mut add = |message: Message, at: usize, count: usize| {
                let row = out.messages.len();
                let (skew, is_known) = skews[row % skews.len()];
                let right = i64::try_from(row).expect("few") * 600_000;
                let mut message = message;
                message.fields[0].1 = mark(row);
                message.time = match clock {
                    Clock::Right | Clock::NewestFirst => Some(right),
                    Clock::Skewed => is_known.then_some(right + skew * 1_800_000),
                    Clock::Equal => Some(0),
                    Clock::Missing => is_known.then_some(right),
                    Clock::ResultsFirst => None,
                    Clock::Backwards => Some(-right),
                };
                out.messages.push(match conversation {
                    Some(name) => message.with(Field::ConversationId, name),
                    None => message,
                });
                out.places.push(Place { group, at, count });
            };
            match block {
                Block::Said(role, is_direct) => {
                    let message = Message::new(role, "");
                    let message =
                        if is_direct { message.with(Field::Target, "me") } else { message };
                    add(message, 0, 1);
                }
                Block::Called { ids, is_half, is_direct } => {
                    // A newest-first list is recognized by results before their calls, so it has no halves.
                    let is_half = is_half && clock != Clock::NewestFirst;
                    // If calls share an id, a result between two of them belongs to the one before it.
                    let is_first = clock == Clock::ResultsFirst;
                    let suffix = if is_first { group.to_string() } else { String::new() };
                    let ids: Vec<String> = ids.iter().map(|id| format!("{id}{suffix}")).collect();
                    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
                    // Early results take the order of their calls.
                    let mut answered = ids[usize::from(is_half)..].to_vec();
                    if !is_first {
                        answered.reverse();
                    }
                    let count = 1 + answered.len();
                    let call = Message::calls(&ids);
                    let call = if is_direct { call.with(Field::Target, "me") } else { call };
                    let results = answered.iter().map(|id| Message::result(id, ""));
                    let mut rows: Vec<_> =
                        std::iter::once(call).chain(results).enumerate().collect();
                    if is_first {
                        rows.rotate_left(1);
                    }
                    for (at, message) in rows {
                        add(message, at, count);
                    }
                }
            }
        }
        if clock == Clock::NewestFirst {
            out.messages.reverse();
            out.places.reverse();
        }
        out
    })
}

fn options() -> impl Strategy<Value = String> {
    let format = select(vec!["messages", "messages", "text", "xml", "conversations"]);
    let rest = (any::<bool>(), weighted(0.5, 30_u64..400), weighted(0.2, 1_u64..9), any::<bool>());
    (format, rest, any::<bool>(), any::<bool>()).prop_map(
        |(format, (tiers, tokens, lookback, quotes), agent, relevance)| {
            let number = |it: Option<u64>| it.map_or("null".to_owned(), |it| it.to_string());
            let tiers = tiers || format == "conversations";
            format!(
                r#"{{"encoding":"estimate","agentId":{},
                "tiers":{{"enabled":{tiers},"thread":"full","today":"full","yesterday":"full","older":"full",
                          "minTailChars":1000000,"conversationGapMinutes":30}},
                "window":{{"lookbackCount":{}}},
                "recall":{{"ranking":"{}","placement":"{}"}},
                "budget":{{"maxTokens":{},"onRequiredOverflow":"exceed"}},"render":{{"format":"{format}"}}}}"#,
                if agent { "\"me\"" } else { "null" },
                number(lookback),
                if relevance { "relevance" } else { "recency" },
                if quotes { "afterHistory" } else { "chronological" },
                number(tokens),
            )
        },
    )
}

/// A single character that identifies its row. If a message is cut to its end, the character is there whole or not at
/// all.
fn mark(row: usize) -> String {
    let code = 0xe000 + u32::try_from(row).expect("few");
    char::from_u32(code).expect("a private character").to_string()
}

/// The rows of a text, by the marks in it.
fn rows_in(text: &str, written: &WriteResult) -> Vec<usize> {
    let by_name = |name: &str| {
        let has_name = |message: &Message| message.fields[0].1 == name;
        written.messages.iter().position(has_name).expect("a mark of a message")
    };
    let mut found: Vec<(usize, usize)> = Vec::new();
    for row in 0..written.messages.len() {
        let name = mark(row);
        found.extend(text.match_indices(&name).map(|(at, _)| (at, by_name(&name))));
    }
    found.sort_unstable();
    found.into_iter().map(|(_, row)| row).collect()
}

/// The rows of a context, in its order. A quoted row counts at the place of its text.
fn rows_of(context: &Context, written: &WriteResult) -> Vec<usize> {
    if let Some(text) = &context.text {
        return rows_in(text, written);
    }
    let mut rows = Vec::new();
    for placed in &context.pieces {
        match placed.piece {
            Piece::Message(row) => rows.push(row),
            Piece::Made(position) => rows.extend(rows_in(&context.made[position].text, written)),
            Piece::Request | Piece::Quoted(_) => {}
        }
    }
    rows
}

/// Checks that each group is there completely and in its original order or not at all, and that none is there twice.
fn is_valid(context: &Context, written: &WriteResult) -> Result<(), String> {
    let rows = rows_of(context, written);
    let mut seen = vec![false; written.messages.len()];
    let mut expected: Option<Place> = None;
    for row in &rows {
        let place = written.places[*row];
        if std::mem::replace(&mut seen[*row], true) {
            return Err(format!("row {row} is there twice: {rows:?}"));
        }
        let fits = match expected {
            Some(last) => place.group == last.group && place.at == last.at + 1,
            None => place.at == 0,
        };
        if !fits {
            return Err(format!("row {row} does not follow: {rows:?}, {:?}", written.places));
        }
        expected = (place.at + 1 < place.count).then_some(place);
    }
    expected.map_or(Ok(()), |place| Err(format!("{place:?} is not whole: {rows:?}")))
}

#[test]
fn every_valid_transcript_stays_valid() {
    let cases = (written(), options(), weighted(0.5, Just("what is m0?")));
    windrow_property::check(&cases, |(written, json, request)| {
        let config = config(&json);
        let is_whole =
            config.budget.prompt_limit().is_none() && config.window.lookback_count.is_none();
        let format = config.render.format;
        let context = build(&transcript(&written.messages), request, config).expect("built");
        is_valid(&context, &written).map_err(|problem| {
            TestCaseError::fail(format!("{format:?} {problem} {:?}", context.text))
        })?;
        if is_whole {
            // No message is lost because of its clock, or because of an unanswered call next to it.
            prop_assert_eq!(rows_of(&context, &written).len(), written.places.len());
        }
        Ok(())
    });
}
