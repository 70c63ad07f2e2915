//! Properties of every transcript and every config, tried with 10,000 random ones.

use crate::support::{
    self, Message, build, config, cut, fates, gap_notice, groups_are_whole, is_counted, kept,
    ranking_options, reference_count, transcript,
};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;
use std::cmp::Reverse;
use std::fmt::Write;
use windrow::base::error::{Error, ErrorCode};
use windrow::base::message::{Field, Role};
use windrow::config::{Format, OnRequiredOverflow, Placement, Ranking, SectionKind};
use windrow::machine::selection::SELECTION;
use windrow::machine::{Build, Step};
use windrow::state::ask::Need;
use windrow::state::context::{Context, Piece, PlacedPiece, SectionReport};
use windrow::state::trace::{Fate, Reason};
use windrow::tokens::EncodingName;

/// Texts of all kinds, including some that imitate structure.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[a-zA-Z ,.?!']{0,80}",
        2 => "\\PC{0,40}",
        1 => "(\\n|\\r|\t| |System: |User: |\\[|/|</message>|<|&|:|\u{2028}|a){0,12}",
        1 => "([a-z]{1,9} ){50,200}",
        1 => page(),
        1 => Just(String::new()),
    ]
}

/// A page that may appear as an excerpt: sentences, items, a table, code, and lines that look like marks.
fn page() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => "([A-Z][a-z]{1,6}( [a-z]{1,6}){2,9}[.!?] ){1,4}",
        2 => "- [a-z]{1,6}( [a-z]{1,6}){1,5}",
        1 => Just("| a | b |\n|---|---|\n| c | d |".to_owned()),
        1 => Just("```\nlet a = 1;\n```".to_owned()),
        1 => Just("[… 12 tokens left out …]".to_owned()),
    ];
    vec(line, 4..30).prop_map(|lines| lines.join("\n"))
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

/// A config in JSON with every group. Each option is set in some of the cases.
fn options() -> impl Strategy<Value = String> {
    let small = || weighted(0.15, 0_u64..12);
    let window = (small(), any::<bool>(), small(), small(), weighted(0.15, 0_u64..20), 0_u64..5);
    let budget = (weighted(0.8, 10_u64..600), weighted(0.2, 10_u64..2000), any::<bool>(), cut());
    let rest = (
        select(vec!["messages", "text", "xml"]),
        any::<bool>(),
        weighted(0.1, select(vec!["one", "two"])),
        small(),
        any::<bool>(),
        select(vec!["o200k_base", "cl100k_base", "estimate"]),
        gap_notice(),
    );
    (window, budget, rest, ranking_options()).prop_map(|(window, budget, rest, recall)| {
        let (lookback, exchange, turns, recent, hours, floor) = window;
        let (tokens, chars, shorten, cut) = budget;
        let cut = if tokens.is_some() { cut } else { "null" };
        let (format, times, session, fetch, no_tags, encoding, notice) = rest;
        let json = |value: Option<u64>| value.map_or("null".to_owned(), |value| value.to_string());
        let mut out = String::new();
        let _ = write!(
            out,
            r#"{{"encoding":"{encoding}","sessionId":{},"collect":{{"fetchLimit":{}}},
            "filter":{{"excludeTags":{}}},
            "window":{{"lookbackCount":{},"unit":"{}","maxUserTurns":{},"maxRecentMessages":{},
                       "recencyHours":{},"minMessages":{floor}}},
            "recall":{recall},
            "budget":{{"maxTokens":{},"maxChars":{},"onRequiredOverflow":"{}","cut":{cut}}},
            "render":{{"format":"{format}","times":{times},"gapNotice":{}}}}}"#,
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
            serde_json::to_string(&notice).expect("plain data"),
        );
        out
    })
}

/// The cost of a context, recounted by the reference from the original messages.
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
            Piece::Quoted(_) => return 0, // part of the text that was made for all of them
            Piece::Made(position) => {
                let made = &context.made[position];
                return 3 + count(made.role.as_str()) + count(&made.text);
            }
        };
        let cut = context.shortened.iter().find(|(cut, _)| *cut == piece);
        let halves = context.halves.iter().filter(|half| half.piece == piece);
        let calls = message.fields.iter().filter(|(field, _)| *field == Field::CallId);
        let calls: Vec<&String> = calls.map(|(_, id)| id).collect();
        let closing = |place: &usize| {
            3 + count("tool") + count(calls[*place]) + count("[Tool execution was interrupted]")
        };
        let closed: u64 = halves.flat_map(|half| half.open.iter().map(closing)).sum();
        closed + cost_of(message, cut.map(|(_, text)| text.as_str()), &count)
    };
    3 + context.pieces.iter().map(|placed| cost(placed.piece)).sum::<u64>()
}

/// Counts the cost of a message in the format `messages`, whole or with another text.
fn cost_of(message: &Message, cut: Option<&str>, count: &dyn Fn(&str) -> u64) -> u64 {
    let mut total = 3 + count(message.role.as_str());
    total += cut.map_or(0, count);
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
}

/// Ids of the calls that a message makes or answers.
fn ids_of(message: &Message) -> impl Iterator<Item = &str> {
    let fields = message.fields.iter();
    let ids = fields.filter(|(field, _)| matches!(field, Field::CallId | Field::ResultId));
    ids.map(|(_, id)| id.as_str())
}

/// Rows that belong together with a row: those that share an id, transitively.
fn group_of(messages: &[Message], row: usize) -> Vec<usize> {
    let mut group = vec![row];
    let mut at = 0;
    while let Some(member) = group.get(at).copied() {
        for (other, message) in messages.iter().enumerate() {
            let is_related =
                ids_of(message).any(|id| ids_of(&messages[member]).any(|own| own == id));
            if is_related && !group.contains(&other) {
                group.push(other);
            }
        }
        at += 1;
    }
    group
}

/// A group that was left out for the budget doesn't fit whole into the remaining room.
fn check_left_out(context: &Context, messages: &[Message]) {
    let config = &context.recording.config;
    let is_stepwise = config.budget.cut.is_some() || config.render.gap_notice.is_some();
    let is_stepwise = is_stepwise || config.recall.ranking == Ranking::Recency;
    let limits = [config.budget.max_tokens, config.budget.max_chars];
    // Quoted messages cost more than by themselves.
    let is_quoted = config.recall.placement == Placement::AfterHistory;
    if is_stepwise || is_quoted || context.text.is_some() || limits.iter().all(Option::is_none) {
        return;
    }
    let name = EncodingName::from_name(&context.tokens.encoding).expect("an exact encoding");
    let room = limits[0].map_or(u64::MAX, |limit| limit - context.tokens.total);
    let chars = context.char_count.unwrap_or_default();
    let char_room = limits[1].map_or(u64::MAX, |limit| limit - chars);
    let fates = fates(context);
    let is_gone = |row: usize| {
        let (fate, reason) = fates[row];
        fate == Fate::LeftOut && [Reason::OverBudget, Reason::RankedLower].contains(&reason)
    };
    for row in (0..messages.len()).filter(|row| is_gone(*row)) {
        let group = group_of(messages, row);
        if !group.iter().all(|member| is_gone(*member)) {
            continue; // A part of it is there, or it was left out for another reason.
        }
        let texts = |member: usize| {
            messages[member].fields.iter().filter(|(field, _)| *field == Field::Text)
        };
        let length = |(_, text): &(Field, String)| text.chars().count() as u64;
        let said: u64 = group.iter().flat_map(|member| texts(*member)).map(length).sum();
        let cost =
            |member: &usize| cost_of(&messages[*member], None, &|text| reference_count(name, text));
        let tokens: u64 = group.iter().map(cost).sum();
        assert!(
            tokens > room || said > char_room,
            "{group:?} cost {tokens} tokens and {said} characters; {room} and {char_room} are left"
        );
    }
}

/// Checks that each stated reason can be true of its message under the config.
fn check_reasons(context: &Context, messages: &[Message]) {
    let config = &context.recording.config;
    let (budget, window) = (&config.budget, &config.window);
    let fates = fates(context);
    let is_out = |row: usize| fates[row].0 == Fate::LeftOut;
    for (row, (fate, reason)) in fates.iter().enumerate() {
        let message = &messages[row];
        let values = |wanted: Field| {
            message.fields.iter().filter(move |(field, _)| *field == wanted).map(|(_, value)| value)
        };
        let others = || group_of(messages, row).into_iter().filter(move |other| *other != row);
        let is_limited = budget.max_tokens.is_some() || budget.max_chars.is_some();
        let holds = match reason {
            Reason::OverBudget | Reason::RunEnded => is_limited,
            Reason::RankedLower => is_limited && config.recall.ranking != Ranking::Recency,
            Reason::BeforeCut => budget.cut.is_some(),
            Reason::CallWithoutResult => values(Field::CallId).next().is_some(),
            Reason::ResultWithoutCall => values(Field::ResultId).next().is_some(),
            Reason::SplitGroup => others().any(is_out),
            Reason::Tag => values(Field::Tag).any(|tag| config.filter.exclude_tags.contains(tag)),
            Reason::OtherSession => {
                let own = values(Field::SessionId).next();
                config.session_id.is_some() && own != config.session_id.as_ref()
            }
            Reason::Blank => values(Field::Text).all(|text| text.trim().is_empty()),
            Reason::BeyondFetchLimit => config.collect.fetch_limit.is_some(),
            Reason::BeyondLookback => window.lookback_count.is_some(),
            Reason::BeyondUserTurns => window.max_user_turns.is_some(),
            Reason::BeyondRecentMessages => window.max_recent_messages.is_some(),
            Reason::TooOld => window.recency_hours.is_some(),
            Reason::Instruction => message.role == Role::System,
            Reason::Pinned => message.pinned || others().any(|other| messages[other].pinned),
            _ => true,
        };
        assert!(holds, "row {row}: {fate:?}, {reason:?}");
    }
}

/// Checks that an error names the smallest budget that the required pieces fit into.
fn check_needed(error: &Error, messages: &[Message], request: Option<&str>, json: &str) {
    let needed = error.needed.expect("a figure");
    let place = error.path.as_deref().expect("a place");
    let rebuilt = |limit: u64| {
        let mut config = config(json);
        match place {
            "budget.maxTokens" => config.budget.max_tokens = Some(limit),
            "budget.maxChars" => config.budget.max_chars = Some(limit),
            "budget.maxBytes" => config.budget.max_bytes = Some(limit),
            _ => return None,
        }
        let built = build(&transcript(messages), request, config);
        Some(built.err().is_none_or(|error| error.path.as_deref() != Some(place)))
    };
    assert_ne!(rebuilt(needed), Some(false), "it fits into {needed}: {error:?}");
    assert_ne!(
        rebuilt(needed - 1),
        Some(true),
        "it doesn't fit into less than {needed}: {error:?}"
    );
}

fn checked(messages: &[Message], request: Option<&str>, json: &str) -> Option<Context> {
    let config = config(json);
    let limits = config.budget.clone();
    let context = match build(&transcript(messages), request, config) {
        Ok(context) => context,
        Err(error) => {
            assert_eq!(error.code, ErrorCode::BudgetTooSmall);
            assert!(error.needed > error.available);
            check_needed(&error, messages, request, json);
            return None;
        }
    };
    // Checks that it keeps its limits, and that the figures are true.
    let total = context.tokens.total;
    assert!(limits.max_tokens.is_none_or(|limit| total <= limit));
    if is_counted(&context) {
        assert_eq!(total, recount(&context, messages, request), "{:?}", context.text);
        check_left_out(&context, messages);
    }
    if let (Some(limit), Some(text)) = (limits.max_chars, &context.text) {
        assert!(text.chars().count() as u64 <= limit);
    }
    if let (Some(chars), Some(text)) = (context.char_count, &context.text) {
        assert_eq!(chars, text.chars().count() as u64);
    }
    assert_eq!(context.tokens.sections.iter().map(|section| section.tokens).sum::<u64>(), total);
    // Checks that groups are whole and in order, and that every message is accounted for.
    groups_are_whole(&context, messages);
    let pieces = || context.pieces.iter().map(|placed| placed.piece);
    let is_quoted = |piece: &Piece| matches!(piece, Piece::Quoted(_));
    let in_place: Vec<usize> =
        pieces().filter(|it| !is_quoted(it)).filter_map(Piece::row).collect();
    let quoted: Vec<usize> = pieces().filter(is_quoted).filter_map(Piece::row).collect();
    // A group is ordered by the time of its call. One without a time follows the message before it in the transcript:
    // see `groups.rs`.
    for rows in [&in_place, &quoted] {
        let is_timed = |row: &usize| messages[*row].time.is_some();
        let said = rows.iter().copied().filter(|row| messages[*row].role != Role::Tool);
        let said = said.filter(is_timed);
        // A newest-first list is read from its end.
        assert!(
            said.clone().is_sorted_by_key(|row| (messages[row].time, row))
                || said.is_sorted_by_key(|row| (messages[row].time, Reverse(row)))
        );
    }
    assert_eq!(fates(&context).len(), messages.len());
    let mut sorted = [in_place.as_slice(), &quoted].concat();
    sorted.sort_unstable();
    assert_eq!(sorted, kept(&context));
    check_quotes(&context, &quoted, messages, request);
    check_notice(&context);
    check_excerpts(&context, messages);
    check_figures(&context);
    check_reasons(&context, messages);
    let left_out = context.trace.ranges.iter().filter(|range| range.fate == Fate::LeftOut);
    assert!(left_out.clone().all(|range| range.tokens == 0));
    Some(context)
}

/// Checks that texts for people use the singular for a count of one.
fn check_figures(context: &Context) {
    let of_reasons = context.trace.reasons.iter().map(|reason| &reason.words);
    for words in of_reasons.chain(context.trace.notes.iter().map(|note| &note.words)) {
        let all: Vec<&str> = words.split_whitespace().collect();
        for pair in all.windows(2) {
            let noun = pair[1].trim_end_matches(|it: char| it.is_ascii_punctuation());
            assert!(pair[0] != "1" || !noun.ends_with('s'), "{words}");
        }
    }
}

/// An excerpt is a part of its message with counted marks, its role and length allow one, and nothing else is called an
/// excerpt.
fn check_excerpts(context: &Context, messages: &[Message]) {
    let options = &context.recording.config.recall.excerpts;
    let fates = fates(context);
    let is_excerpt = |row: &usize| [Fate::Excerpt, Fate::Stub].contains(&fates[*row].0);
    let rows: Vec<usize> = (0..messages.len()).filter(is_excerpt).collect();
    let listed: Vec<usize> = context.excerpts.iter().filter_map(|(piece, _)| piece.row()).collect();
    assert_eq!(listed, rows);
    for (piece, gaps) in &context.excerpts {
        let message = &messages[piece.row().expect("a message")];
        let is_text = |field: &&(Field, String)| field.0 == Field::Text;
        let whole = &message.fields.iter().find(is_text).expect("it has a text").1;
        let (_, text) = context.shortened.iter().find(|(cut, _)| cut == piece).expect("its text");
        let is_result = message.fields.iter().any(|(field, _)| *field == Field::ResultId);
        let may_be = options.enabled && options.roles.contains(&message.role);
        assert!((may_be || is_result) && context.trimmed);
        assert!(!gaps.is_empty() && gaps.is_sorted_by_key(|gap| gap.start));
        let mut rest = whole.as_str();
        let mut begin = 0;
        for gap in gaps {
            let part = text[begin..gap.start].trim_matches('\n');
            rest = &rest[rest.find(part).expect("a part of the message") + part.len()..];
            let (mark, _) = text[gap.start..].split_once(" left out …]").expect("a mark");
            let figure: String = mark.chars().filter(char::is_ascii_digit).collect();
            assert_eq!(figure.parse(), Ok(gap.tokens));
            begin = gap.start + mark.len() + " left out …]".len();
        }
        let end = text[begin..].trim_matches('\n');
        let says_newer = is_result && end == " A newer result of this call follows.";
        assert!(says_newer || rest.contains(end));
    }
}

/// Recalled messages are quoted if they should be, and nothing else is. The quotes are contiguous and come before the
/// request.
fn check_quotes(context: &Context, quoted: &[usize], messages: &[Message], request: Option<&str>) {
    let config = &context.recording.config;
    let fates = fates(context).into_iter().enumerate();
    let recalled = fates.filter(|(_, (_, reason))| {
        matches!(reason, Reason::Recalled | Reason::Standing | Reason::Statement | Reason::Paired)
    });
    let mut expected: Vec<usize> = recalled.map(|(row, _)| row).collect();
    let is_behind =
        config.recall.placement == Placement::AfterHistory || config.budget.cut.is_some();
    expected.retain(|_| is_behind);
    let mut rows = quoted.to_vec();
    rows.sort_unstable();
    assert_eq!(rows, expected);
    let is_quoted = |placed: &PlacedPiece| matches!(placed.piece, Piece::Quoted(_));
    let Some(first) = context.pieces.iter().position(is_quoted) else {
        return;
    };
    let together = &context.pieces[first..first + quoted.len()];
    assert!(together.iter().all(is_quoted));
    let is_text = context.text.is_some();
    let opening = context.pieces[first - 1].piece;
    let Piece::Made(opening) = opening else { panic!("opened by {opening:?}") };
    let opening = &context.made[opening].text;
    match config.render.format {
        Format::Messages | Format::Text => {
            assert!(opening.starts_with("Earlier in this conversation:"));
        }
        _ => assert_eq!(opening, "<recalled>"),
    }
    assert!(is_text || opening.lines().count() > quoted.len());
    let says = |row: &usize| messages[*row].fields.iter().any(|(_, value)| value.ends_with('\n'));
    assert!(is_text || !opening.ends_with('\n') || quoted.last().is_some_and(says));
    let behind: Vec<Piece> =
        context.pieces[first + quoted.len()..].iter().map(|placed| placed.piece).collect();
    let is_row = |piece: &Piece| piece.row().is_some();
    match request {
        Some(_) => assert!(behind.last() == Some(&Piece::Request) && !behind.iter().any(is_row)),
        None => assert!(behind.iter().any(is_row), "the newest stands for the request"),
    }
}

/// The gap notice counts messages left out for lack of room or place, and appears only if there are any.
fn check_notice(context: &Context) {
    let config = &context.recording.config;
    let of = |wanted: fn(Reason) -> bool| {
        let fates = fates(context);
        fates.iter().filter(|(fate, it)| *fate == Fate::LeftOut && wanted(*it)).count()
    };
    let least = of(Reason::is_gap);
    let most = least + of(|reason| reason == Reason::SplitGroup);
    let said = notice(context);
    let Some(template) = config.render.gap_notice.as_deref().filter(|it| *it != " ") else {
        assert_eq!(said, None);
        return;
    };
    let is_bounded = config.budget.max_tokens.is_some() || config.budget.max_chars.is_some();
    assert!(said.is_none() || most > 0);
    assert!(said.is_some() || is_bounded || least == 0);
    let Some((_, text)) = said else { return };
    if let Some((before, _)) = text.split_once(" earlier messages") {
        assert!(template.contains("{count} earlier messages"));
        let figures = before.trim_start_matches("<gap>").trim_start_matches('[');
        let count: usize = figures.parse().expect("a count");
        assert!((least..=most).contains(&count), "{least} to {most}: {text}");
    }
    // Only the instructions come before it.
    let at = context.pieces.iter().position(|it| {
        matches!(it.piece, Piece::Made(_)) && context.made[made(it.piece)].text == text
    });
    let before = &context.pieces[..at.expect("it is there")];
    let fates = fates(context);
    let rows = before.iter().filter_map(|placed| placed.piece.row());
    assert!(rows.into_iter().all(|row| fates[row].1 == Reason::Instruction));
}

fn made(piece: Piece) -> usize {
    let Piece::Made(position) = piece else { panic!("not made: {piece:?}") };
    position
}

/// The gap notice in the prompt, with its cost.
fn notice(context: &Context) -> Option<(u64, &str)> {
    const BEGINS: [&str; 5] = ["[", "Until", "Not all", "<gap>", ""];
    let is_notice = |text: &str| {
        let digit = text.starts_with(|letter: char| letter.is_ascii_digit());
        digit || BEGINS[..4].iter().any(|begin| text.starts_with(begin))
    };
    let placed = context.pieces.iter().filter(|it| matches!(it.piece, Piece::Made(_)));
    let mut texts = placed.map(|it| (it.tokens, context.made[made(it.piece)].text.as_str()));
    texts.find(|(_, text)| is_notice(text))
}

/// A gap notice costs exactly its own tokens: everything else is as it would be without it in a budget that much
/// smaller.
fn check_cost_of_notice(
    context: &Context,
    messages: &[Message],
    request: Option<&str>,
    json: &str,
) -> Result<(), TestCaseError> {
    let mut without = config(json);
    let limits = &mut without.budget;
    // The longest form costs the same if it has no times and each number is one token.
    let template = without.render.gap_notice.take().unwrap_or_default();
    if let (Some((cost, _)), Some(limit), None, true) = (
        notice(context),
        limits.max_tokens,
        limits.max_chars,
        // A cut is elsewhere under another limit.
        is_counted(context) && !template.contains("{from}") && limits.cut.is_none(),
    ) {
        limits.max_tokens = Some(limit - cost);
        let expected = build(&transcript(messages), request, without).expect("it fits");
        prop_assert_eq!(fates(context), fates(&expected));
        // The history's heading and spacing depend on whether there is a history. If the notice ends a text, it has no
        // line end, and the piece before it has one.
        let is_history = |section: &SectionReport| section.kind == SectionKind::History;
        let history = context.sections.iter().position(is_history).expect("a history");
        let in_place = |placed: &PlacedPiece| {
            matches!(placed.piece, Piece::Message(_)) && placed.section == history
        };
        let others = context.tokens.total - cost;
        let is_last = context.pieces.last().is_some_and(|it| matches!(it.piece, Piece::Made(_)));
        prop_assert!(
            others == expected.tokens.total
                || !context.pieces.iter().any(in_place)
                || (is_last && context.text.is_some())
        );
    }
    Ok(())
}

/// Checks one random case against every promise.
fn check_case(
    messages: &[Message],
    request: Option<&str>,
    json: &str,
    more: u64,
) -> Result<(), TestCaseError> {
    let Some(context) = checked(messages, request, json) else {
        return Ok(());
    };

    // The same input produces the same bytes.
    let again = build(&transcript(messages), request, config(json)).expect("as before");
    prop_assert_eq!(&again.text, &context.text);
    prop_assert_eq!(&again.pieces, &context.pieces);
    prop_assert_eq!(&again.recording, &context.recording);
    prop_assert_eq!(&again.trace, &context.trace);

    check_cost_of_notice(&context, messages, request, json)?;

    // A larger budget keeps everything that a smaller one kept, if the newest come first. The newest results may show
    // more under a larger one.
    let mut larger = config(json);
    let is_result = |(field, _): &(Field, String)| *field == Field::ResultId;
    let has_results = messages.iter().any(|message| message.fields.iter().any(is_result));
    let is_run = larger.recall.ranking == Ranking::Recency && !has_results;
    // A context without room for its gap notice drops it and keeps more. A cut is elsewhere under each limit.
    let gives_way = larger.render.gap_notice.is_some() && notice(&context).is_none();
    let gives_way = gives_way || larger.budget.cut.is_some();
    if is_run && !gives_way && larger.budget.on_required_overflow == OnRequiredOverflow::Error {
        larger.budget.max_tokens = larger.budget.max_tokens.map(|limit| limit + more);
        larger.budget.max_chars = larger.budget.max_chars.map(|limit| limit + more);
        let larger = build(&transcript(messages), request, larger).expect("it did before");
        let mut gone = kept(&context);
        gone.retain(|row| !kept(&larger).contains(row));
        let why: Vec<_> = gone.iter().map(|row| (row, fates(&context)[*row])).collect();
        prop_assert!(gone.is_empty(), "with {more} more these are gone: {why:?}");
    }

    // Counts remembered from another build change nothing.
    let shared = transcript(messages);
    for other in ["messages", "text", "xml"] {
        let other = format!(r#"{{"render":{{"format":"{other}"}},"encoding":"estimate"}}"#);
        build(&shared, None, config(&other)).expect("no limit, no failure");
    }
    let warm = build(&shared, request, config(json)).expect("as before");
    prop_assert_eq!(warm.recording, context.recording);
    Ok(())
}

/// Random conversations of `least` to `least + 23` messages.
fn check_contexts(least: usize) {
    let messages = vec(message(), least..least + 24);
    let case = (messages, weighted(0.7, text()), options(), 1_u64..200);
    windrow_property::check(&case, |(messages, request, json, more)| {
        check_case(&messages, request.as_deref(), &json, more)
    });
}

/// Builds with counts only if they are needed. Also returns whether the build asked for the vocabulary.
fn build_by_bounds(
    messages: &[Message],
    request: Option<&str>,
    json: &str,
) -> (Result<Context, Error>, bool) {
    let config =
        config(&json.replacen(r#""budget":{"#, r#""budget":{"counting":"whenNeeded","#, 1));
    let request = request.map(|text| transcript(&[Message::user(text)]));
    let begun = Build::new(transcript(messages), request, config, support::NOW, Vec::new());
    let mut build = begun.expect("a build");
    let mut is_asked = false;
    loop {
        match build.step() {
            Ok(Step::Need(Need::Encoding { name })) => {
                is_asked = true;
                build.provide_encoding(support::encoding(name));
            }
            Ok(Step::Need(Need::Selection)) => build.provide_selection(&SELECTION),
            Ok(Step::Need(Need::Meaning)) => build.provide_meaning(support::meaning()),
            Ok(Step::Need(need)) => panic!("asks for {need:?}"),
            Ok(Step::Done(context)) => return (Ok(*context), is_asked),
            Err(error) => return (Err(error), is_asked),
        }
    }
}

/// docs/hosts.md promises this for configs without long sections.
#[test]
fn ranking_is_not_loaded_if_a_thousand_tokens_are_to_spare() {
    let providers = vec!["null", r#""openai""#, r#""anthropic""#, r#""gemini""#];
    let encoding = select(vec!["o200k_base", "cl100k_base"]);
    let case = (vec(message(), 0..24), weighted(0.7, text()), encoding, select(providers));
    windrow_property::check(&case, |(messages, request, encoding, provider)| {
        let config_of = |max_tokens: u64| {
            config(&format!(
                r#"{{"encoding":"{encoding}","render":{{"provider":{provider}}},
                        "budget":{{"maxTokens":{max_tokens}}}}}"#
            ))
        };
        let request = request.as_deref();
        let whole = build(&transcript(&messages), request, config_of(1_000_000)).expect("all fits");
        let request = request.map(|text| transcript(&[Message::user(text)]));
        let config = config_of(whole.tokens.total + 1000);
        let begun = Build::new(transcript(&messages), request, config, support::NOW, Vec::new());
        let mut build = begun.expect("a build");
        let encoding = whole.recording.config.encoding_name().expect("counted exactly");
        loop {
            match build.step().expect("it builds") {
                Step::Need(Need::Encoding { .. }) => {
                    build.provide_encoding(support::encoding(encoding));
                }
                Step::Need(need) => prop_assert!(false, "asks for {need:?}"),
                Step::Done(context) => {
                    prop_assert_eq!(context.tokens.total, whole.tokens.total);
                    return Ok(());
                }
            }
        }
    });
}

/// Uses small windows and cuts close to the whole length, so that the window leaves out about as much as a cut does.
#[test]
fn bounds_keep_the_same_as_counts_after_a_cut() {
    let cut = (1_u64..4, 20_u64..3000, select(vec!["0.5", "0.8", "1.0"]), any::<bool>());
    let json = cut.prop_map(|(count, tokens, high, is_ranked)| {
        let ranking = if is_ranked { "relevance" } else { "recency" };
        format!(
            r#"{{"window":{{"lookbackCount":{count},"unit":"message"}},"recall":{{"ranking":"{ranking}"}},
                "budget":{{"maxTokens":{tokens},"cut":{{"highWater":{high},"lowWater":0.2}}}}}}"#
        )
    });
    let case = (vec(message(), 4..24), weighted(0.5, text()), json);
    check_bounds(&case);
}

#[test]
fn bounds_keep_the_same_as_counts() {
    let case = (vec(message(), 0..24), weighted(0.7, text()), options(), 1_u64..200);
    let case = case.prop_map(|(messages, request, json, scale)| {
        // Alternates small and large budgets, so that some are far from the limit.
        let limit = r#""maxTokens":"#;
        let is_limited = !json.contains(&format!("{limit}null"));
        let json = if is_limited { json.replace(limit, &format!("{limit}{scale}")) } else { json };
        (messages, request, json)
    });
    check_bounds(&case);
}

/// Messages, a request and options: bounds keep the same messages as counts do.
fn check_bounds(case: &impl Strategy<Value = (Vec<Message>, Option<String>, String)>) {
    let decided_by_bounds = std::cell::Cell::new(0_u32);
    let outcome = windrow_property::check(case, |(messages, request, json)| {
        let request = request.as_deref();
        let exact = build(&transcript(&messages), request, config(&json));
        let (bounded, is_asked) = build_by_bounds(&messages, request, &json);
        let (exact, bounded) = match (exact, bounded) {
            (Ok(exact), Ok(bounded)) => (exact, bounded),
            (exact, bounded) => {
                prop_assert_eq!(exact.err(), bounded.err());
                return Ok(());
            }
        };
        let pieces =
            |context: &Context| context.pieces.iter().map(|it| it.piece).collect::<Vec<_>>();
        prop_assert_eq!(pieces(&exact), pieces(&bounded));
        prop_assert_eq!(&exact.text, &bounded.text);
        prop_assert_eq!(&exact.shortened, &bounded.shortened);
        if is_asked || exact.recording.config.encoding_name().is_none() {
            prop_assert_eq!(exact.tokens, bounded.tokens);
        } else {
            decided_by_bounds.set(decided_by_bounds.get() + 1);
            prop_assert!(!bounded.tokens.exact);
            prop_assert_eq!(bounded.trimmed, exact.trimmed);
            let limit = exact.tokens.limit.unwrap_or(u64::MAX);
            prop_assert!(exact.tokens.total <= limit && bounded.tokens.total <= limit);
        }
        Ok(())
    });
    outcome.assert_share(decided_by_bounds.get(), 15, "were decided by bounds");
}

// Split into two tests, because each runs on one core.
#[test]
fn contexts_keep_their_promises() {
    check_contexts(0);
}

#[test]
fn contexts_of_longer_conversations_keep_their_promises() {
    check_contexts(1);
}

/// Texts of white space and symbols: tokens there reach across line ends, and split if one is missing.
fn edges() -> impl Strategy<Value = String> {
    let edge = select(vec![
        "a",
        "!\");\r\n",
        "!\");\r",
        ");\r\n",
        "*/\n",
        "/",
        "//",
        " ",
        "\t",
        "\n",
        "\n\n",
        "\r",
        "\u{a0}",
        "\u{b}",
        "\u{85}",
        "\u{2028}",
        "\u{3000}",
        "\u{200b}",
        "---",
        "====",
        "1",
        "é",
        ":",
    ]);
    vec(edge, 0..7).prop_map(|edges| edges.concat())
}

/// A token may split into three if the last line loses its line end.
#[test]
fn a_last_line_without_its_line_end_is_within_the_budget() {
    for ending in ["!\");\r", "a!\");\r", "=\");\r", ");\r\n", "*/\r\n"] {
        for (encoding, room) in
            EncodingName::PACKAGED.iter().flat_map(|name| (1..60).map(move |room| (name, room)))
        {
            let json = format!(
                r#"{{"encoding":"{}","render":{{"format":"text"}},"budget":{{"maxTokens":{room}}},
                    "sections":[{{"id":"request","kind":"request"}},{{"id":"history","kind":"history"}}]}}"#,
                encoding.as_str()
            );
            let messages = [Message::user("first"), Message::user(ending)];
            if let Ok(context) = build(&transcript(&messages), Some("go"), config(&json)) {
                let text = context.text.expect("a text");
                let total = reference_count(*encoding, &text);
                assert!(
                    total <= room && total == context.tokens.total,
                    "{total} of {room}: {text:?}"
                );
            }
        }
    }
}

/// The sum of the parts equals the count of the whole and fits the budget, whatever the parts begin and end with.
#[test]
fn borders_of_parts_never_exceed_a_budget() {
    let said = (edges(), any::<bool>()).prop_map(|(text, is_user)| {
        if is_user { Message::user(&text) } else { Message::assistant(&text) }
    });
    let parts = (vec(said, 1..8), edges(), vec(edges(), 3));
    let kind = (
        select(vec!["text", "xml", "conversations", "messages"]),
        select(vec!["o200k_base", "cl100k_base"]),
        any::<bool>(),
        any::<bool>(),
    );
    let case = (parts, kind, 0_u64..120);
    windrow_property::check(&case, |((messages, request, given), kind, room)| {
        let (format, encoding, request_last, trailing) = kind;
        let mut sections = serde_json::json!([
            { "id": "one", "kind": "text", "text": given[0], "label": given[1] },
            { "id": "history", "kind": "history" },
            { "id": "two", "kind": "text", "text": given[2], "keep": "optional" },
        ]);
        let asked = serde_json::json!({ "id": "request", "kind": "request" });
        let list = sections.as_array_mut().expect("a list");
        list.insert(if request_last { 3 } else { 0 }, asked);
        let json = serde_json::json!({
            "encoding": encoding,
            "sections": sections,
            "render": { "format": format, "trailingNewline": trailing },
            "budget": { "maxTokens": room },
        });
        let built = build(&transcript(&messages), Some(&request), config(&json.to_string()));
        let context = match built {
            Ok(context) => context,
            Err(error) => {
                prop_assert_eq!(error.code, ErrorCode::BudgetTooSmall);
                return Ok(());
            }
        };
        prop_assert!(context.tokens.total <= room, "{} of {}", context.tokens.total, room);
        if let Some(text) = &context.text {
            let name = EncodingName::from_name(encoding).expect("an encoding");
            prop_assert_eq!(context.tokens.total, reference_count(name, text), "{:?}", text);
        }
        Ok(())
    });
}
