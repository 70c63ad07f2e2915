//! A build over the end of a log returns the same as one over all of it, and reads no more than it must.

use crate::support;
use crate::support::{
    Message, NOW, append, config, cut, encoding, gap_notice, meaning, ranking_options,
};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;
use std::rc::Rc;
use windrow::base::error::Error;
use windrow::base::message::{Field, Role};
use windrow::base::time::Milliseconds;
use windrow::log::plan::{LogRow, Pace, ReadPlan, Wanted};
use windrow::machine::selection::SELECTION;
use windrow::machine::{Build, Step};
use windrow::recall::transcript::Transcript;
use windrow::state::ask::{Answer, HookName, Need, Outcome};
use windrow::state::context::{Context, Piece};
use windrow::state::trace::{Fate, Reason};

/// A log, read from its end.
struct Log<'a> {
    messages: &'a [Message],
    plan: ReadPlan,
    /// Stored parts of its index.
    parts: Vec<Vec<u8>>,
    /// True once the transcript has them.
    is_indexed: bool,
    /// Number of times that more was read.
    reads: usize,
}

/// The state of the log.
const STATE: u64 = 7;

fn seq(row: usize) -> u64 {
    row as u64 * 3 + 1
}

/// The row of the first message with at least this sequence number.
fn row_of(seq: u64) -> usize {
    usize::try_from(seq.saturating_sub(1).div_ceil(3)).expect("a row")
}

impl<'a> Log<'a> {
    fn open(messages: &'a [Message], count: usize) -> Self {
        // The pace doesn't change the context.
        let pace = Pace { block: 1, page: 1 + count % 3, growth: 2 };
        let mut plan = ReadPlan::new(pace, count);
        plan.want_fixed(true);
        let mut log = Self { messages, plan, parts: Vec::new(), is_indexed: false, reads: 0 };
        log.fetch();
        log
    }

    /// Fetches for the plan.
    fn fetch(&mut self) {
        while let Some(fetch) = self.plan.next_fetch().cloned() {
            let length = self.messages.len();
            let row = |row: usize| LogRow { seq: seq(row), role: Some(self.messages[row].role) };
            let between = fetch.after.map_or(0, |seq| row_of(seq + 1))
                ..fetch.before.map_or(length, |seq| row_of(seq).min(length));
            let is_wanted = |row: &usize| {
                let message = &self.messages[*row];
                let has_id = |id: &String| message.fields.contains(&(Field::Id, id.clone()));
                (!fetch.pinned || message.pinned)
                    && fetch.id.as_ref().is_none_or(has_id)
                    && fetch.seqs.as_ref().is_none_or(|seqs| seqs.contains(&seq(*row)))
            };
            let limit = fetch.limit.unwrap_or(usize::MAX);
            let rows: Vec<LogRow> = if fetch.newest_first {
                between.rev().filter(is_wanted).take(limit).map(row).collect()
            } else {
                between.filter(is_wanted).take(limit).map(row).collect()
            };
            self.plan.take(&rows);
        }
    }

    /// Opens the log with the index that was stored at `count` messages.
    fn indexed(mut self, count: usize) -> Self {
        let count = count.min(self.messages.len());
        let mut transcript = Transcript::default();
        append(&mut transcript, &self.messages[..count]);
        transcript.set_log(None, 0, (0..count).map(seq).collect());
        // Ranks by meaning, so that the index's parts have the messages' directions.
        let small = config(
            r#"{"encoding":"estimate","recall":{"meaning":"static"},"budget":{"maxTokens":60}}"#,
        );
        let transcript = Rc::new(transcript);
        let mut build =
            Build::new(Rc::clone(&transcript), None, small, NOW, Vec::new()).expect("a build");
        build.provide_selection(&SELECTION);
        build.provide_meaning(meaning());
        let _ = build.step();
        let parts = 0..transcript.index_parts().len();
        self.parts = parts.map(|part| transcript.index_part(part, STATE)).collect();
        self
    }

    fn rows(&self) -> Vec<usize> {
        let covered = self.plan.covered();
        let is_read = |row: &usize| {
            let seq = seq(*row);
            covered.iter().any(|(first, last)| (*first..=*last).contains(&seq))
        };
        (0..self.messages.len()).filter(is_read).collect()
    }

    fn transcript(&self) -> Rc<Transcript> {
        let rows = self.rows();
        let read: Vec<Message> = rows.iter().map(|row| self.messages[*row].clone()).collect();
        let mut transcript = Transcript::default();
        append(&mut transcript, &read);
        let has_untimed = self.messages.iter().any(|message| message.time.is_none());
        let latest = |row: usize| {
            let before = self.messages[..=row].iter().filter_map(|it| it.time);
            before.max().map(Milliseconds)
        };
        let known: Vec<_> = rows.iter().map(|row| (seq(*row), latest(*row))).collect();
        let unread = self.plan.unread(&known, (self.messages.len(), 0), has_untimed);
        transcript.set_log(unread, 0, rows.into_iter().map(seq).collect());
        if self.is_indexed {
            for part in &self.parts {
                assert!(transcript.learn_index_part(part, STATE) > 0, "a part is not taken");
            }
        }
        Rc::new(transcript)
    }

    fn read_more(&mut self, wanted: Wanted) {
        self.reads += 1;
        match &wanted {
            Wanted::Id(id) => assert!(!self.plan.looked_up().contains(id), "asked twice"),
            Wanted::Seqs(seqs) => {
                assert!(!seqs.is_empty(), "asked for nothing");
                let is_there = |seq: &u64| self.rows().contains(&row_of(*seq));
                assert!(!seqs.iter().any(is_there), "asked for what is there");
            }
            _ => assert!(self.plan.first_of_tail() > 1, "asked for more than there is"),
        }
        if wanted == Wanted::Index && !self.parts.is_empty() {
            assert!(!self.is_indexed, "asked twice");
            self.is_indexed = true;
            self.plan.want_from(self.transcript().last_indexed_seq() + 1);
        } else {
            self.plan.want(wanted);
        }
        self.fetch();
    }
}

/// A deterministic hook: its answer depends only on the question.
fn answer(need: &Need) -> Answer {
    match need {
        Need::Triage { candidates, .. } => {
            let ids = candidates.iter().filter(|it| it.text.len() % 3 == 0);
            Answer {
                hook: HookName::Select,
                outcome: Outcome::Given,
                ids: Some(ids.map(|it| it.id.clone()).collect()),
                ..Answer::default()
            }
        }
        need => panic!("asks for {need:?}"),
    }
}

fn build(
    log: &mut Log<'_>,
    request: Option<&Message>,
    json: &str,
    hooks: &[HookName],
) -> Result<Context, Error> {
    'again: loop {
        let request = request.map(|request| support::transcript(std::slice::from_ref(request)));
        let mut build = Build::new(log.transcript(), request, config(json), NOW, hooks.to_vec())?;
        loop {
            match build.step()? {
                Step::Need(Need::Older { wanted }) => {
                    log.read_more(wanted);
                    continue 'again;
                }
                Step::Need(Need::Encoding { name }) => build.provide_encoding(encoding(name)),
                Step::Need(Need::Selection) => build.provide_selection(&SELECTION),
                Step::Need(Need::Meaning) => build.provide_meaning(meaning()),
                Step::Need(Need::ZoneOffsets { .. }) => build.provide_offsets(vec![[0, 120]]),
                Step::Need(need) => build.answer(answer(&need))?,
                Step::Done(context) => return Ok(*context),
            }
        }
    }
}

/// A message, or a call with its result and perhaps another message between them. Some calls or results occur alone.
fn messages_together() -> impl Strategy<Value = Vec<Message>> {
    let role = select(vec![
        Role::User,
        Role::User,
        Role::User,
        Role::Assistant,
        Role::Assistant,
        Role::Assistant,
        Role::System,
    ]);
    let call = || select(vec!["a", "b", "c"]);
    // Some have lines, so they may appear as excerpts.
    let text = prop_oneof![3 => "[a-z ]{0,60}", 1 => "([a-z]{1,6}( [a-z]{1,6}){1,4}\\n){3,8}"];
    let said = (role, text).prop_map(|(role, text)| Message::new(role, &text));
    let result = (call(), "[a-z ]{0,30}").prop_map(|(id, text)| Message::result(id, &text));
    let tools =
        (result, weighted(0.3, said.clone()), 0_u8..20).prop_map(|(result, between, chance)| {
            let (_, id) = result.fields.last().expect("its id").clone();
            let mut all = vec![Message::calls(&[&id])];
            all.extend(between.filter(|between| between.role != Role::User || chance > 10));
            all.push(result);
            match chance {
                0 => all.truncate(1),
                // A result without any call. A second result of an answered call isn't searched for.
                1 => return vec![Message::result("none", "")],
                _ => {}
            }
            all
        });
    let any = prop_oneof![8 => said.prop_map(|message| vec![message]), 1 => tools];
    let fields = (
        weighted(0.1, select(vec!["scheduled", "chat"])),
        weighted(0.1, select(vec!["completed", "failed"])),
        weighted(0.05, select(vec!["m1", "m2", "m5", "nowhere"])),
        weighted(0.05, select(vec!["me", "you"])),
        weighted(0.2, select(vec!["c1", "c2"])),
        weighted(0.03, select(vec!["c1", "c2"])),
    );
    (any, prop::bool::weighted(0.03), fields).prop_map(|(mut messages, pinned, fields)| {
        let (source, status, reply_to, target, conversation, summary) = fields;
        let message = messages.first_mut().expect("at least one");
        message.pinned = pinned;
        for (field, value) in [
            (Field::Source, source),
            (Field::Status, status),
            (Field::ReplyTo, reply_to),
            (Field::Target, target),
            (Field::ConversationId, conversation),
            (Field::SummaryOf, summary),
        ] {
            message.fields.extend(value.map(|value| (field, value.to_owned())));
        }
        messages
    })
}

/// A clock of a log's messages.
#[derive(Clone, Copy, Debug)]
enum LogClock {
    Right,
    /// Some messages have no time.
    Untimed,
    Never,
    /// Some messages are late.
    Late,
    /// Many messages are late.
    OftenLate,
    Ahead,
    /// Some messages have no time, and some are late.
    UntimedOrLate,
}

/// Messages with ids and times. The clock is right for the first ten, and no later message comes before them in time.
fn messages() -> impl Strategy<Value = Vec<Message>> {
    clocked_messages().prop_map(|mut messages| {
        let mut first = None;
        for (row, message) in messages.iter_mut().enumerate() {
            message.time = message.time.max(first).filter(|_| message.time.is_some());
            first = if row < 10 { message.time.or(first) } else { first };
        }
        messages
    })
}

/// Messages with ids, and with times of any clock.
pub(crate) fn clocked_messages() -> impl Strategy<Value = Vec<Message>> {
    use LogClock::{Ahead, Late, Never, OftenLate, Right, Untimed, UntimedOrLate};
    let clock =
        select(vec![Right, Right, Right, Untimed, Never, Late, OftenLate, Ahead, UntimedOrLate]);
    (vec((messages_together(), 0_i64..7_200_000, 0_u8..10), 0..50), clock).prop_map(
        |(drawn, clock)| {
            let mut now = NOW.0 - 60 * 3_600_000;
            let drawn = drawn.into_iter().flat_map(|(messages, step, chance)| {
                messages.into_iter().map(move |message| (message, step, chance))
            });
            let timed = |(row, (mut message, step, chance)): (usize, (Message, i64, u8))| {
                now += step;
                let wrong = match clock {
                    Late | UntimedOrLate if chance == 0 => -20 * step,
                    OftenLate if chance < 4 => -20 * step,
                    Ahead if chance == 0 => 20 * step,
                    _ => 0,
                };
                let is_untimed = match clock {
                    Never => true,
                    Untimed | UntimedOrLate => chance > 6,
                    _ => false,
                };
                message.time = (!is_untimed).then_some(now + wrong);
                message.with(Field::Id, &format!("m{row}"))
            };
            drawn.enumerate().map(timed).collect()
        },
    )
}

/// Sentences that some texts consist of, and others have among more.
const FORGOTTEN: [&str; 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];

pub(crate) fn options() -> impl Strategy<Value = String> {
    let small = || weighted(0.25, 1_u64..20);
    let window = (
        small(),
        any::<bool>(),
        small(),
        small(),
        weighted(0.25, 0_u64..40),
        0_u64..6,
        weighted(0.2, 1_u64..4),
    );
    let rest = (
        weighted(0.85, 30_u64..900),
        select(vec!["messages", "messages", "text", "xml"]),
        weighted(0.15, 1_u64..20),
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.1),
        weighted(0.05, Just("me")),
        gap_notice(),
        (
            prop::bool::weighted(0.05),
            prop::bool::weighted(0.15),
            weighted(0.2, 1_u64..12),
            prop::bool::weighted(0.95),
            prop::bool::weighted(0.3),
            weighted(0.3, 1_u64..12),
            cut(),
            weighted(0.2, vec(0_usize..50, 1..6)),
        ),
    );
    (window, rest, ranking_options()).prop_map(|(window, rest, recall)| {
        let (lookback, exchange, turns, recent, hours, floor, tasks) = window;
        let (tokens, format, fetch, completed, exclude, days, agent, notice, flags) = rest;
        let (deduplicate, tiers, items, enabled, counts_history, required, cut, forgotten) = flags;
        let cut = if tiers { "null" } else { cut };
        let json = |value: Option<u64>| value.map_or("null".to_owned(), |value| value.to_string());
        // A build over the whole log ignores the answer of an exchange that wasn't fetched, and a build over the end
        // sees it.
        let completed = completed && fetch.is_none();
        let ids: Vec<String> =
            forgotten.into_iter().flatten().map(|row| format!("m{row}")).collect();
        let forgotten = FORGOTTEN.map(|text| json!({"sentence": text, "messageIds": ids}));
        let forgotten = if ids.is_empty() { json!([]) } else { json!(forgotten) };
        format!(
            r#"{{"encoding":"estimate","enabled":{enabled},"agentId":{},
            "collect":{{"fetchLimit":{},"deduplicate":{deduplicate},"keepInstructions":{},"limitsCount":"{}"}},
            "filter":{{"completedOnly":{completed},"excludeSources":{},"maxAgeDays":{},"forgotten":{forgotten}}},
            "window":{{"lookbackCount":{},"unit":"{}","maxUserTurns":{},"maxRecentMessages":{},
                       "recencyHours":{},"minMessages":{floor},"previousTasksCount":{},"requiredNewest":{}}},
            "recall":{recall},"tiers":{{"enabled":{tiers}}},
            "budget":{{"maxTokens":{},"cut":{cut}}},
            "sections":[{{"id":"history","kind":"history","limit":{{"items":{}}}}},{{"id":"request","kind":"request"}}],
            "render":{{"format":"{format}","gapNotice":{}}}}}"#,
            agent.map_or("null".to_owned(), |name| format!("\"{name}\"")),
            json(fetch),
            !tiers,
            if counts_history { "history" } else { "messages" },
            if exclude { r#"["scheduled"]"# } else { "[]" },
            if days { "1" } else { "null" },
            json(lookback),
            if exchange { "exchange" } else { "message" },
            json(turns),
            json(recent),
            json(hours),
            tasks.unwrap_or(0),
            required.unwrap_or(0),
            json(tokens),
            json(items),
            serde_json::to_string(&notice).expect("plain data"),
        )
    })
}

/// The contents of the prompt, with messages named by their row in the log.
fn prompt(context: &Context, rows: &[usize]) -> Vec<String> {
    let piece = |piece: Piece| match piece {
        Piece::Message(row) => format!("message {}", rows[row]),
        Piece::Made(position) => context.made[position].text.clone(),
        Piece::Quoted(row) => format!("quoted {}", rows[row]),
        Piece::Request => "request".to_owned(),
    };
    // A gap notice depends on the read part: unread messages count as any kind, and have no time.
    let has_notice = context.recording.config.render.gap_notice.is_some();
    let placed = context.pieces.iter();
    placed
        .filter(|placed| !has_notice || !matches!(placed.piece, Piece::Made(_)))
        .map(|placed| format!("{} {}", piece(placed.piece), placed.tokens))
        .collect()
}

fn has_late_result(messages: &[Message]) -> bool {
    let has = |message: &Message, field| message.fields.iter().any(|(it, _)| *it == field);
    messages.windows(3).any(|it| {
        has(&it[0], Field::CallId) && !has(&it[1], Field::ResultId) && has(&it[2], Field::ResultId)
    })
}

fn check_case(
    messages: &[Message],
    request: Option<&Message>,
    json: &str,
    (first_read, indexed): (usize, usize),
    has_triage: bool,
) -> Result<(), TestCaseError> {
    // Exchanges can't be told apart over a part of the log if clocks disagree, if a call waits for its result past
    // another message, or if messages between two exchanges are left out.
    let is_ordered = messages.iter().filter_map(|message| message.time).is_sorted();
    let filters = [
        r#""completedOnly":true"#,
        r#""excludeSources":["scheduled"]"#,
        r#""maxAgeDays":1"#,
        r#""forgotten":[{"#,
    ];
    let is_filtered = filters.iter().any(|filter| json.contains(filter));
    let may_count_exchanges =
        is_ordered && !is_filtered && !has_triage && !has_late_result(messages);
    let by_message = json.replace(r#""unit":"exchange""#, r#""unit":"message""#);
    let json = if may_count_exchanges { json } else { &by_message };
    let hooks: &[HookName] = if has_triage { &[HookName::Select] } else { &[] };
    let mut whole = Log::open(messages, messages.len());
    let mut end = Log::open(messages, first_read).indexed(indexed);
    match (build(&mut whole, request, json, hooks), build(&mut end, request, json, hooks)) {
        (Ok(expected), Ok(found)) => {
            prop_assert_eq!(prompt(&found, &end.rows()), prompt(&expected, &whole.rows()));
            if found.recording.config.render.gap_notice.is_none() {
                prop_assert_eq!(&found.snapshot.context_hash, &expected.snapshot.context_hash);
                prop_assert_eq!(found.tokens.total, expected.tokens.total);
            }
            prop_assert_eq!(found.trimmed, expected.trimmed);
            prop_assert_eq!(found.trace.unread_count, messages.len() - end.rows().len());
        }
        (Err(expected), Err(found)) => prop_assert_eq!(found, expected),
        (expected, found) => {
            prop_assert!(false, "{:?} and {:?}", expected.is_ok(), found.is_ok());
        }
    }
    Ok(())
}

/// Possibly a request, which may reply to a message.
pub(crate) fn request() -> impl Strategy<Value = Option<Message>> {
    let replied_to = weighted(0.4, select(vec!["m1", "m3", "m20", "gone"]));
    let request = ("[a-z ]{0,30}", replied_to).prop_map(|(text, replied_to)| {
        let mut message = Message::user(&text);
        message.fields.extend(replied_to.map(|id| (Field::ReplyTo, id.to_owned())));
        message
    });
    weighted(0.7, request)
}

#[test]
fn builds_over_the_end_equal_builds_over_everything() {
    let reading = (1_usize..20, select(vec![0_usize, 20, 40, 1000]));
    let case = (messages(), request(), options(), reading, prop::bool::weighted(0.2));
    windrow_property::check(&case, |(messages, request, json, reading, has_triage)| {
        check_case(&messages, request.as_ref(), &json, reading, has_triage)
    });
}

#[test]
fn reads_no_more_than_the_window_and_the_budget_need() {
    let messages: Vec<Message> = (0..10_000)
        .map(|row| {
            let role = if row % 2 == 0 { Role::User } else { Role::Assistant };
            Message::new(role, "ten words of text that say nothing new at all").at(row)
        })
        .collect();
    for (json, most) in [
        (
            r#"{"encoding":"estimate","recall":{"ranking":"recency"},"budget":{"maxTokens":1000}}"#,
            130,
        ),
        (r#"{"encoding":"estimate","window":{"lookbackCount":25}}"#, 66),
        (r#"{"encoding":"estimate","window":{"maxUserTurns":12}}"#, 66),
        (r#"{"encoding":"estimate","enabled":false}"#, 66),
    ] {
        let mut log = Log::open(&messages, 64);
        let request = Message::user("and now?");
        let context = build(&mut log, Some(&request), json, &[]).expect("it fits");
        let read = log.rows().len();
        assert!(read <= most, "{json}: {read}");
        assert_eq!(context.trace.unread_count, 10_000 - read);
    }
}

#[test]
fn a_reply_target_is_read_wherever_it_is() {
    let messages: Vec<Message> = (0..1_000)
        .map(|row| {
            let role = if row % 2 == 0 { Role::User } else { Role::Assistant };
            Message::new(role, "some words").at(row).with(Field::Id, &format!("m{row}"))
        })
        .collect();
    let json = r#"{"encoding":"estimate","window":{"lookbackCount":4}}"#;
    let request = Message::user("and that?").with(Field::ReplyTo, "m11");
    let mut log = Log::open(&messages, 9);
    let context = build(&mut log, Some(&request), json, &[]).expect("it fits");
    assert_eq!(log.rows()[..5], [0, 1, 10, 11, 991]);
    let fates = support::fates(&context);
    assert_eq!(fates[2..4], [(Fate::LeftOut, Reason::NotRead), (Fate::Kept, Reason::ReplyTo)]);
    // A missing target is looked up once.
    let request = Message::user("and that?").with(Field::ReplyTo, "gone");
    let mut log = Log::open(&messages, 8);
    build(&mut log, Some(&request), json, &[]).expect("it fits");
    assert_eq!((log.reads, log.plan.looked_up().len()), (1, 1));
}

#[test]
fn costs_are_stored() {
    let messages: Vec<Message> =
        ["one", "two", "three"].map(|text| Message::user(text).with(Field::Name, "Ann")).to_vec();
    let first = support::transcript(&messages);
    let json = r#"{"encoding":"o200k_base","budget":{"maxTokens":100}}"#;
    let expected = support::build(&first, Some("so?"), config(json)).expect("it fits");
    let bytes = first.costs(0..3, None);
    assert_eq!(bytes.len(), 24 + 3 * 28);
    assert_eq!((first.known_costs(0..3), first.known_costs(1..2)), (3, 1));

    // The same messages at other rows are recognized by their content.
    let mut moved = vec![Message::system("be brief")];
    moved.extend(messages.clone());
    let second = support::transcript(&moved);
    second.learn_costs(1..4, None, &bytes);
    assert_eq!(second.costs(1..4, None), bytes);
    assert!(second.costs(0..1, None).is_empty());

    // Malformed costs, or costs of other messages, are ignored.
    for wrong in [&[][..], &[1, 2, 3], &bytes[1..], &bytes[..bytes.len() - 1], &[0; 32]] {
        let other = support::transcript(&messages);
        other.learn_costs(0..3, None, wrong);
        assert!(other.costs(0..3, None).is_empty(), "{wrong:?}");
    }
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 4;
        let other = support::transcript(&messages);
        other.learn_costs(0..3, None, &damaged);
        assert!(other.costs(0..3, None).is_empty(), "the byte {place} is damaged");
    }
    let changed = support::transcript(&[Message::user("four")]);
    changed.learn_costs(0..1, None, &bytes);
    assert!(changed.costs(0..1, None).is_empty());
    let again = support::transcript(&messages);
    again.learn_costs(0..3, None, &bytes);
    let found = support::build(&again, Some("so?"), config(json)).expect("it fits");
    assert_eq!(found.tokens, expected.tokens);
    assert_eq!(found.snapshot.context_hash, expected.snapshot.context_hash);
}

/// A plain chat that mentions the requested fact somewhere, with tool calls now and then.
pub(crate) fn chat() -> impl Strategy<Value = Vec<Message>> {
    let words = || {
        let word = select(vec![
            "harbour", "violin", "garden", "invoice", "kitchen", "Ann", "train", "the", "we", "is",
            "and", "it", "was", "with", "on",
        ]);
        // Lines of words are passages, and some of them may appear as an excerpt.
        (vec(word, 1..12), select(vec![" ", " ", "\n"]))
            .prop_map(|(words, between)| words.join(between))
    };
    // Some of them set a lasting rule, or correct an earlier message.
    let cue = select(vec!["", "", "", "", "from now on ", "i prefer ", "we moved it to "]);
    let asked = (cue, words()).prop_map(|(cue, words)| format!("{cue}{words}"));
    // Some clocks are late or ahead.
    let clock = (0_u8..64, -1000_i64..1000);
    let turn = (asked, words(), 0_u8..12, 0_i64..3_000_000, clock);
    let wrong = (select(vec![0_u8, 0, 1, 32]), select(vec![3_000_i64, 60_000, 900_000]));
    (vec(turn, 60..250), wrong).prop_map(|(turns, (wrong_count, most))| {
        let mut now = NOW.0 - 250 * 3_000_000;
        let mut messages = Vec::new();
        for (row, (asked, answered, chance, step, clock)) in turns.into_iter().enumerate() {
            now += step;
            let wrong = if clock.0 < wrong_count { clock.1 * most } else { 0 };
            messages.push(Message::user(&asked).at(now + wrong));
            if chance < 3 {
                let call = format!("call {row}");
                messages.push(Message::calls(&[&call]).at(now + wrong / 2));
                messages.push(Message::result(&call, &answered).at(now));
            }
            messages.extend((chance > 0).then(|| Message::assistant(&answered).at(now)));
        }
        messages
    })
}

#[test]
fn unread_messages_are_ranked_like_read_ones() {
    let request = select(vec![
        "where was the violin?",
        "what did we say about the invoice with the garden?",
        "and the kitchen",
        "train harbour",
        "tell me all about the harbour",
    ]);
    let options = (
        select(vec!["relevance", "relevance", "bm25"]),
        select(vec!["none", "static"]),
        60_u64..300,
        select(vec!["messages", "text"]),
        weighted(0.8, 1_u64..40),
    );
    let reading = (1_usize..20, select(vec![3_usize, 200, 1000, 1000, 1000, 1000]));
    let partly = std::cell::Cell::new(0);
    let outcome = windrow_property::check(
        &(chat(), request, options, reading),
        |(messages, request, options, reading)| {
            let (ranking, kind, tokens, format, lookback) = options;
            let lookback = lookback.map_or("null".to_owned(), |count| count.to_string());
            let replies = [0, 6, 12][usize::try_from(tokens % 3).expect("below 3")];
            let json = format!(
                r#"{{"encoding":"estimate","recall":{{"ranking":"{ranking}","meaning":"{kind}","excerpts":{{"minTokens":8,"tokens":4}},"pairs":{{"replyTokens":{replies}}}}},"budget":{{"maxTokens":{tokens}}},
            "window":{{"lookbackCount":{lookback}}},"render":{{"format":"{format}"}}}}"#
            );
            let request = Message::user(request);
            let mut whole = Log::open(&messages, messages.len());
            let mut end = Log::open(&messages, reading.0).indexed(reading.1);
            let expected = build(&mut whole, Some(&request), &json, &[]).expect("it fits");
            let found = build(&mut end, Some(&request), &json, &[]).expect("it fits");
            prop_assert_eq!(prompt(&found, &end.rows()), prompt(&expected, &whole.rows()));
            prop_assert_eq!(&found.snapshot.context_hash, &expected.snapshot.context_hash);
            let words = |context: &Context, rows: &[usize]| {
                let mut all: Vec<(usize, String)> = Vec::new();
                for recalled in &context.trace.recalled {
                    let positions = recalled.positions.iter();
                    all.extend(positions.map(|at| (rows[*at], recalled.words.clone())));
                }
                all.sort();
                all
            };
            prop_assert_eq!(words(&found, &end.rows()), words(&expected, &whole.rows()));

            // The recording replays without the index.
            let mut again = Transcript::default();
            let read: Vec<Message> = end.rows().iter().map(|row| messages[*row].clone()).collect();
            append(&mut again, &read);
            again.set_log(found.recording.transcript.unread.clone(), 0, Vec::new());
            let request = support::transcript(std::slice::from_ref(&request));
            let config = (*found.recording.config).clone();
            let mut build = Build::new(Rc::new(again), Some(request), config, NOW, Vec::new())
                .expect("a build");
            build.provide_selection(&SELECTION);
            build.provide_meaning(meaning());
            let replayed = match build.step().expect("it fits") {
                Step::Done(context) => context,
                Step::Need(need) => panic!("asks for {need:?}"),
            };
            prop_assert_eq!(&replayed.snapshot.context_hash, &found.snapshot.context_hash);
            prop_assert_eq!(&replayed.trace, &found.trace);
            prop_assert_eq!(&replayed.recording, &found.recording);
            let is_partly = !found.trace.recalled.is_empty() && found.trace.unread_count > 0;
            partly.set(partly.get() + u32::from(is_partly));
            Ok(())
        },
    );
    outcome.assert_share(partly.get(), 4, "were ranked with something unread");
}

#[test]
fn index_entries_missing_from_the_log_are_forgotten() {
    let build = |log: &Rc<Transcript>| {
        let json = r#"{"encoding":"estimate","budget":{"maxTokens":120}}"#;
        support::build(log, Some("where was the violin?"), config(json)).expect("it fits")
    };
    let with_seqs = |messages: &[(u64, Message)]| {
        let (seqs, messages): (Vec<u64>, Vec<Message>) = messages.iter().cloned().unzip();
        let mut transcript = Transcript::default();
        append(&mut transcript, &messages);
        transcript.set_log(None, 0, seqs);
        Rc::new(transcript)
    };
    let between = (0_u64..100).prop_filter("a message of the log's", |at| at % 3 != 1);
    let others = vec((between, select(vec!["violin", "harbour and violin"])), 0..8);
    let taken = std::cell::Cell::new(0);
    let outcome = windrow_property::check(
        &(chat(), others, 0_usize..40),
        |(mut messages, others, missing)| {
            for message in &mut messages {
                message.time = None;
            }
            let expected = build(&support::transcript(&messages));
            let own: Vec<(u64, Message)> = (10..).map(seq).zip(messages).collect();

            // Another log: some messages are missing, and others come before and among the rest.
            let mut other: std::collections::BTreeMap<u64, Message> = others
                .into_iter()
                .map(|(seq, text)| (seq, Message::user(text).at(NOW.0)))
                .collect();
            other.extend(own.iter().skip(missing % 4).step_by(1 + missing / 8).cloned());
            let other = with_seqs(&other.into_iter().collect::<Vec<_>>());
            build(&other);
            taken.set(taken.get() + u32::from(other.last_indexed_seq() > 0));

            let log = with_seqs(&own);
            log.take_index(&other);
            let found = build(&log);
            prop_assert_eq!(found.snapshot.context_hash, expected.snapshot.context_hash);
            Ok(())
        },
    );
    outcome.assert_share(taken.get(), 2, "had an index to take");
}

#[test]
fn the_newest_user_message_is_the_request_wherever_it_is() {
    // Without times, any message may come after any other.
    let mut messages: Vec<Message> =
        (0..400).map(|row| Message::assistant(&format!("step {row} is done"))).collect();
    messages[1] = Message::user("please find the violin");
    messages[50] = Message::assistant("the violin is in the harbour");
    messages[120] = Message::user("now the invoice of the garden");
    messages[60] = Message::assistant("the invoice of the garden is paid");
    for sections in ["null", r#"[{"id":"history","kind":"history"}]"#] {
        let json = format!(
            r#"{{"encoding":"estimate","budget":{{"maxTokens":120}},"sections":{sections}}}"#
        );
        let mut whole = Log::open(&messages, messages.len());
        let mut end = Log::open(&messages, 64).indexed(380);
        let expected = build(&mut whole, None, &json, &[]).expect("it fits");
        let found = build(&mut end, None, &json, &[]).expect("it fits");
        assert_eq!(prompt(&found, &end.rows()), prompt(&expected, &whole.rows()));
        // If the prompt has a place for the request, its answers take precedence over ranked messages.
        let is_ranked = prompt(&found, &end.rows()).iter().any(|it| it.starts_with("message 60 "));
        assert_eq!(is_ranked, sections != "null");
    }
}

#[test]
fn required_messages_do_not_depend_on_the_part_read() {
    let message = |row: usize, role: Role, text: &str| {
        let mut message = Message::user(text).with(Field::Id, &format!("m{row}"));
        message.role = role;
        message.time = Some(1_749_784_000_000);
        message
    };
    let long = "a  cjl  a  a  a  fvae  bae a  av  vba aa  a aaaaa";
    let messages: Vec<Message> = (0..9)
        .map(|row| match row {
            3 => message(row, Role::User, "  "),
            0..3 => message(row, Role::User, ""),
            8 => message(row, Role::Assistant, long),
            _ => message(row, Role::Assistant, ""),
        })
        .collect();
    let json = r#"{"encoding":"estimate","recall":{"ranking":"recency"},"budget":{"maxTokens":30},
        "sections":[{"id":"history","kind":"history"},{"id":"request","kind":"request"}],"render":{"format":"xml"}}"#;
    check_case(&messages, None, json, (3, 0), false).expect("the same");
}

#[test]
fn a_late_system_message_is_not_an_instruction_if_only_the_end_was_read() {
    let at = |message: Message, row: usize| {
        let mut message = message.with(Field::Id, &format!("m{row}"));
        message.time = Some(1_749_784_000_000);
        message
    };
    let mut system = Message::user("a a");
    system.role = Role::System;
    let messages = [
        at(Message::calls(&["a"]), 0),
        at(system, 1),
        at(Message::result("a", ""), 2),
        at(Message::calls(&["a"]), 3),
    ];
    let json = r#"{"encoding":"estimate","enabled":false,"recall":{"ranking":"recency"},"budget":{"maxTokens":30},
        "sections":[{"id":"history","kind":"history"},{"id":"request","kind":"request"}],"render":{"format":"xml"}}"#;
    let request = Message::user("a dkjj a jgtq a a a");
    check_case(&messages, Some(&request), json, (1, 0), false).expect("the same");
}

#[test]
fn the_newest_required_messages_do_not_depend_on_the_part_read() {
    let messages: Vec<Message> = (0..11)
        .map(|row| {
            let message = match row {
                0 | 3 => Message::calls(&["a"]),
                1 | 4 => Message::result("a", ""),
                9 | 10 => Message::assistant(""),
                _ => Message::user(""),
            };
            let mut message = message.with(Field::Id, &format!("m{row}"));
            message.time = Some(1_749_784_000_000);
            message
        })
        .collect();
    let json = r#"{"encoding":"estimate","window":{"requiredNewest":2},"budget":{"maxTokens":30}}"#;
    check_case(&messages, None, json, (1, 20), false).expect("the same");
}

#[test]
fn a_turn_with_a_slow_clock_does_not_end_the_window() {
    const START: i64 = 1_749_784_000_000;
    let users = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 14, 17, 20, 21];
    let after =
        [(10, 1), (11, 1), (12, 1), (13, 2000), (14, 3000), (15, 4000), (16, 4000), (17, 4000)];
    let messages: Vec<Message> = (0..22)
        .map(|row| {
            let text = "";
            let is_user = users.contains(&row);
            let mut message = if is_user { Message::user(text) } else { Message::assistant(text) };
            let later = after.iter().find(|(it, _)| *it == row).map(|(_, later)| *later);
            let late = if matches!(row, 18 | 19) {
                4000
            } else if row == 21 {
                5000
            } else {
                0
            };
            message.time = Some(START + later.unwrap_or(late));
            message.with(Field::Id, &format!("m{row}"))
        })
        .collect();
    let json =
        r#"{"encoding":"estimate","window":{"lookbackCount":10,"maxUserTurns":4},"budget":{}}"#;
    check_case(&messages, Some(&Message::user("so?")), json, (5, 0), false).expect("the same");
}

#[test]
fn a_cap_trims_the_same_however_much_was_read() {
    const OLD: i64 = 1_749_784_000_000;
    let messages: Vec<Message> = (0..25)
        .map(|row| {
            let mut message = Message::user("").with(Field::Id, &format!("m{row}"));
            message.time = match row {
                4 => Some(OLD),
                24 => Some(OLD + 7_200_000),
                _ => None,
            };
            message
        })
        .collect();
    let json =
        r#"{"encoding":"estimate","window":{"maxRecentMessages":20,"recencyHours":1},"budget":{}}"#;
    check_case(&messages, Some(&Message::user("so?")), json, (21, 0), false).expect("the same");
}
