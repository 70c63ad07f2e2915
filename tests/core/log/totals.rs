//! A cut stays in its place if a build reads only the end of a log.

use crate::support::{self, Message, NOW, append, config};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;
use std::cell::Cell;
use std::rc::Rc;
use windrow::base::error::Error;
use windrow::base::message::Field;
use windrow::base::time::Milliseconds;
use windrow::log::unread::{Unread, UnreadStretch};
use windrow::machine::Build;
use windrow::recall::transcript::Transcript;
use windrow::state::ask::Need;
use windrow::state::context::{Context, Piece};

/// A change of a log between two builds.
#[derive(Clone, Debug)]
enum Change {
    Append(Vec<Message>),
    /// Keeps this share of it.
    Truncate(f64),
}

/// A few messages of a chat: now and then with a call, with an image, pinned, or as an instruction.
fn turn() -> impl Strategy<Value = Vec<Message>> {
    let text = || prop_oneof![4 => "[a-z ]{0,40}", 1 => "[a-zé東 ]{40,200}"];
    (text(), text(), 0_u8..40).prop_map(|(asked, answered, chance)| {
        let mut messages = vec![Message::user(&asked)];
        match chance {
            0 => messages.push(Message::system(&asked)),
            1 => messages[0].pinned = true,
            2 => messages[0] = Message::user(&asked).with(Field::Name, "Ann"),
            3 => messages.push(Message::calls(&["never answered"])),
            4 => messages.push(Message::result("never called", &answered)),
            5 => messages.push(Message::new(windrow::base::message::Role::Assistant, "")),
            6..14 => messages.extend([Message::calls(&["a"]), Message::result("a", &answered)]),
            14 => messages.extend([
                Message::calls(&["a", "b"]),
                Message::result("b", &answered),
                Message::user(&asked),
                Message::result("a", &answered),
            ]),
            _ => {}
        }
        messages.push(Message::assistant(&answered));
        messages
    })
}

fn turns(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Message>> {
    vec(turn(), count).prop_map(|turns| turns.concat())
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = prop_oneof![
        1 => turns(0..60).prop_map(Change::Append),
        4 => turns(0..3).prop_map(Change::Append),
        1 => (0.5..1.0).prop_map(Change::Truncate),
    ];
    (turns(60..200), vec(change, 1..5)).prop_map(|(first, mut changes)| {
        changes.insert(0, Change::Append(first));
        changes
    })
}

fn options() -> impl Strategy<Value = String> {
    (
        select(vec!["estimate", "estimate", "o200k_base", "cl100k_base"]),
        select(vec!["messages", "messages", "text", "xml"]),
        select(vec!["{}", r#"{"highWater":0.8,"lowWater":0.2}"#, r#"{"lowWater":0.9}"#]),
        (200_u64..1500, select(vec!["recency", "recency", "relevance", "bm25"])),
        weighted(0.2, 1_u64..60),
        (weighted(0.2, 10_u64..60), select(vec!["null", "null", r#""openai""#, r#""anthropic""#])),
        (prop::bool::weighted(0.9), prop::bool::weighted(0.9)),
    )
        .prop_map(|(encoding, format, cut, (tokens, ranking), lookback, items, (shrink, keep))| {
            let json = |value: Option<u64>| value.map_or("null".to_owned(), |it| it.to_string());
            let provider = if format == "messages" { items.1 } else { "null" };
            format!(
                r#"{{"encoding":"{encoding}","recall":{{"ranking":"{ranking}"}},
                "collect":{{"keepInstructions":{keep}}},"window":{{"lookbackCount":{}}},
                "budget":{{"maxTokens":{tokens},"cut":{cut},"toolResults":{{"shrink":{shrink}}}}},
                "sections":[{{"id":"history","kind":"history","limit":{{"items":{}}}}},{{"id":"request","kind":"request"}}],
                "render":{{"format":"{format}","provider":{provider}}}}}"#,
                json(lookback),
                json(items.0),
            )
        })
}

fn request() -> impl Strategy<Value = Option<Message>> {
    let request = ("[a-z ]{0,30}", weighted(0.2, 0_usize..400));
    weighted(
        0.7,
        request.prop_map(|(text, id)| {
            let mut message = Message::user(&text);
            message.fields.extend(id.map(|id| (Field::Id, format!("m{id}"))));
            message
        }),
    )
}

/// Appends messages with ids and with a clock that goes forward.
fn placed(messages: &mut Vec<Message>, more: &[Message]) {
    for message in more {
        let row = i64::try_from(messages.len()).expect("few");
        let id = format!("m{row}");
        messages.push(message.clone().at(NOW.0 - 900_000_000 + row * 60_000).with(Field::Id, &id));
    }
}

/// Builds. Returns none if the build asks for older messages.
fn build(
    transcript: &Rc<Transcript>,
    request: Option<&Message>,
    json: &str,
    least: usize,
) -> Result<Option<Context>, Error> {
    let request = request.map(|request| support::transcript(std::slice::from_ref(request)));
    let build = Build::new(Rc::clone(transcript), request, config(json), NOW, Vec::new())?;
    support::drive(build.reading_at_least(least), &mut |need| match need {
        Need::Older { .. } => None,
        need => panic!("asks for {need:?}"),
    })
}

/// The content of a context, with messages by their places in the log.
fn said(
    context: &Context,
    place: &dyn Fn(usize) -> usize,
) -> impl PartialEq + std::fmt::Debug + use<> {
    let piece = |piece: Piece| match piece {
        Piece::Message(row) => format!("message {}", place(row)),
        Piece::Quoted(row) => format!("quoted {}", place(row)),
        Piece::Made(position) => context.made[position].text.clone(),
        Piece::Request => "request".to_owned(),
    };
    let pieces: Vec<(String, u64)> =
        context.pieces.iter().map(|placed| (piece(placed.piece), placed.tokens)).collect();
    let hash = context.snapshot.context_hash.clone();
    (context.cut, pieces, hash, context.tokens.total, context.trimmed)
}

#[test]
fn a_cut_follows_from_totals_as_from_all_messages() {
    let parts = Cell::new(0);
    let case = (changes(), request(), options(), 1_usize..200);
    let outcome = windrow_property::check(&case, |(changes, request, json, least)| {
        let mut messages: Vec<Message> = Vec::new();
        let mut transcript = Rc::new(Transcript::default());
        let mut is_part = false;
        for change in changes {
            let before = messages.len();
            let own = Rc::make_mut(&mut transcript);
            match change {
                Change::Append(more) => {
                    placed(&mut messages, &more);
                    append(own, &messages[before..]);
                }
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_precision_loss,
                    clippy::cast_sign_loss,
                    reason = "a share of a few hundred"
                )]
                Change::Truncate(share) => {
                    messages.truncate((before as f64 * share) as usize);
                    own.truncate(messages.len());
                }
            }
            let new = support::transcript(&messages);
            match (
                build(&new, request.as_ref(), &json, usize::MAX),
                build(&transcript, request.as_ref(), &json, least),
            ) {
                (Ok(Some(all)), Ok(Some(part))) => {
                    prop_assert_eq!(said(&part, &|row| row), said(&all, &|row| row));
                    is_part |= part.trace.ranges != all.trace.ranges;
                }
                (Err(all), Err(part)) => prop_assert_eq!(part, all),
                (all, part) => prop_assert!(false, "{:?} and {:?}", all.is_ok(), part.is_ok()),
            }
        }
        parts.set(parts.get() + u32::from(is_part));
        Ok(())
    });
    outcome.assert_share(parts.get(), 4, "read only a part");
}

/// The end of a log from the beginning of a block on, with its stored costs.
fn end_of(messages: &[Message], first: usize, bytes: &[u8], place: u64) -> Rc<Transcript> {
    let head = messages.iter().take(2).count();
    let rows: Vec<usize> = (0..head).chain(first..messages.len()).collect();
    let read: Vec<Message> = rows.iter().map(|row| messages[*row].clone()).collect();
    let mut transcript = Transcript::default();
    append(&mut transcript, &read);
    let latest = messages[first].time.map(Milliseconds);
    let unread = Unread {
        gaps: vec![UnreadStretch { row: head, latest }],
        count: first - head,
        ..Unread::default()
    };
    let seqs = rows.iter().map(|row| *row as u64 + 1).collect();
    transcript.set_log(Some(unread), 0, seqs);
    transcript.learn_costs(head..read.len(), Some(place), bytes);
    Rc::new(transcript)
}

#[test]
fn a_log_that_is_opened_again_is_cut_by_its_stored_totals() {
    const FIRST: usize = 127; // its sequence number is 128
    let known = Cell::new(0);
    let case = (turns(80..160), request(), options());
    let outcome = windrow_property::check(&case, |(turns, request, json)| {
        let mut messages = Vec::new();
        placed(&mut messages, &turns);
        for message in &mut messages {
            message.pinned = false; // only the beginning and the end are read
        }
        let request = request.as_ref();
        let whole = support::transcript(&messages);
        let Ok(Some(all)) = build(&whole, request, &json, usize::MAX) else { return Ok(()) };
        let bytes = whole.costs(FIRST..messages.len(), Some(7));
        let end = end_of(&messages, FIRST, &bytes, 7);
        // Another place, and no totals.
        let other = end_of(&messages, FIRST, &bytes, 8);
        prop_assert!(other.known_costs(2..3) <= end.known_costs(2..3));
        if let Ok(Some(part)) = build(&end, request, &json, 1) {
            let place = |row: usize| if row < 2 { row } else { row - 2 + FIRST };
            prop_assert_eq!(said(&part, &place), said(&all, &|row| row));
            prop_assert_eq!(part.trace.unread_count, FIRST - 2);
            prop_assert!(build(&other, request, &json, 1).is_ok_and(|it| it.is_none()));
            // The recording needs no totals.
            let mut again = Rc::unwrap_or_clone(end_of(&messages, FIRST, &[], 7));
            again.set_log(part.recording.transcript.unread.clone(), 0, Vec::new());
            let replayed = build(&Rc::new(again), request, &json, 1);
            let replayed = replayed.expect("it fits").expect("it needs nothing");
            prop_assert_eq!(said(&replayed, &place), said(&all, &|row| row));
            known.set(known.get() + 1);
        }
        Ok(())
    });
    outcome.assert_share(known.get(), 8, "were cut by a total");
}
