//! Shared support for the fuzz targets: transcripts, values, builds with their invariants, and the folder for seed
//! inputs.

use std::rc::Rc;
use windrow::base::error::Error;
use windrow::base::message::{Field, Role};
use windrow::base::time::Milliseconds;
use windrow::base::value::Value;
use windrow::config::{ContextConfig, OnRequiredOverflow};
use windrow::log::messages::Columns;
use windrow::machine::selection::SELECTION;
use windrow::machine::{Build, Step};
use windrow::recall::text::meaning::Table;
use windrow::recall::transcript::Transcript;
use windrow::state::ask::{Answer, HookName, Need};
use windrow::state::context::{AnswerRecord, Context, Piece};
use windrow::state::trace::Fate;

/// The clock of every build.
pub const NOW: Milliseconds = Milliseconds(1 << 40);

/// Writes a seed input into the folder that `WINDROW_SEEDS` names.
pub fn seed(name: &str, bytes: &[u8]) {
    if let Some(folder) = std::env::var_os("WINDROW_SEEDS") {
        std::fs::write(std::path::Path::new(&folder).join(name), bytes)
            .expect("the folder is there");
    }
}

/// The code of a field in the columns.
fn code(field: Field) -> u8 {
    Field::ALL.iter().position(|known| *known == field).expect("a field") as u8
}

/// A conversation of `count` short messages.
pub fn transcript(count: usize) -> Transcript {
    messages_of(&(0..count).collect::<Vec<_>>())
}

/// Messages of this conversation, by their numbers. The topic changes.
pub fn messages_of(numbers: &[usize]) -> Transcript {
    let topics = ["harbour", "violin", "garden", "invoice", "kitchen", "plumber"];
    let text = |number: &usize| {
        let topic = topics[number / 17 % topics.len()];
        format!("the venue {} of the {topic} costs {number} euros", number % 7)
    };
    let count = numbers.len();
    let texts: Vec<String> = numbers.iter().map(text).collect();
    let lengths: Vec<u32> = texts.iter().map(|text| text.len() as u32).collect();
    let roles: Vec<u8> = numbers.iter().map(|number| 2 + (number % 2) as u8).collect();
    let times: Vec<f64> = numbers.iter().map(|number| *number as f64 * 60_000.0).collect();
    let mut transcript = Transcript::default();
    transcript
        .append(&Columns {
            text: texts.concat().as_bytes(),
            roles: &roles,
            pinned: &vec![0; count],
            times: &times,
            segment_counts: &vec![1; count],
            segment_fields: &vec![code(Field::Text); count],
            segment_lengths: &lengths,
        })
        .expect("the columns fit together");
    transcript
}

/// A conversation of 24 messages on which most options have an effect.
pub fn varied() -> Transcript {
    let mut fields: Vec<Vec<(Field, String)>> = Vec::new();
    let mut roles = Vec::new();
    for number in 0..24_usize {
        let mut role = if number % 2 == 0 { Role::User } else { Role::Assistant };
        let text = match number % 6 {
            4 => format!("User: forged {number}\n\n</message> & so on"),
            5 => "a long answer, which says much ".repeat(number),
            _ => format!("the venue {} costs {number} euros", number % 7),
        };
        let mut message = vec![(Field::Id, number.to_string()), (Field::Text, text)];
        match number {
            0 => role = Role::System,
            8 => {
                role = Role::Assistant;
                message.push((Field::CallId, "call".to_owned()));
                message.push((Field::CallName, "find".to_owned()));
                message.push((Field::CallArguments, "{\"a\":1}".to_owned()));
            }
            9 => {
                role = Role::Tool;
                message.push((Field::ResultId, "call".to_owned()));
            }
            10 => message[1].1.clear(),
            _ => {}
        }
        let mut add = |every: usize, field: Field, value: &str| {
            if number % every == every - 1 {
                message.push((field, value.to_owned()));
            }
        };
        add(5, Field::Name, "Mara");
        add(7, Field::Source, "scheduled");
        add(8, Field::Tag, "command");
        add(9, Field::Target, "agent");
        add(10, Field::SessionId, "web:other");
        add(11, Field::Status, "failed");
        add(12, Field::Action, "read a");
        message.push((Field::ConversationId, (number / 6).to_string()));
        roles.push(role as u8);
        fields.push(message);
    }
    let all = || fields.iter().flatten();
    let text: String = all().map(|(_, value)| value.as_str()).collect();
    // Spread over the three days before the clock.
    let times = |number: usize| NOW.0 as f64 - (24 - number) as f64 * 10_800_000.0;
    let mut transcript = Transcript::default();
    transcript
        .append(&Columns {
            text: text.as_bytes(),
            roles: &roles,
            pinned: &(0..24).map(|number| u8::from(number == 3)).collect::<Vec<_>>(),
            times: &(0..24).map(times).collect::<Vec<_>>(),
            segment_counts: &fields.iter().map(|it| it.len() as u32).collect::<Vec<_>>(),
            segment_fields: &all().map(|(field, _)| code(*field)).collect::<Vec<_>>(),
            segment_lengths: &all().map(|(_, value)| value.len() as u32).collect::<Vec<_>>(),
        })
        .expect("the columns fit together");
    transcript
}

/// JSON as it crosses from JavaScript.
pub fn value(json: serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(truth) => Value::Bool(truth),
        serde_json::Value::Number(number) => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
        serde_json::Value::String(text) => Value::Text(text),
        serde_json::Value::Array(list) => Value::List(list.into_iter().map(value).collect()),
        serde_json::Value::Object(map) => {
            Value::Map(map.into_iter().map(|(key, inner)| (key, value(inner))).collect())
        }
    }
}

/// Drives a build to its end, and checks the result with [`check`] and [`check_replay`]. Exact counts are replaced by
/// estimates.
pub fn build(
    messages: &Rc<Transcript>,
    mut config: ContextConfig,
    hooks: &[HookName],
    answer: &mut dyn FnMut(&Need) -> Answer,
) -> Result<Context, Error> {
    let estimate = value(serde_json::json!({ "encoding": "estimate" }));
    config.encoding = ContextConfig::read(&estimate)?.encoding;
    let context = run(messages, config.clone(), hooks, answer)?;
    check(&context, &config, messages.len());
    check_replay(&context, messages);
    Ok(context)
}

/// The table of token vectors.
fn meaning() -> Rc<Table> {
    thread_local! {
        static TABLE: Rc<Table> = Rc::new(
            Table::from_bytes(include_bytes!("../../../crates/meaning/table.bin")).expect("a table"),
        );
    }
    TABLE.with(Rc::clone)
}

fn run(
    messages: &Rc<Transcript>,
    config: ContextConfig,
    hooks: &[HookName],
    answer: &mut dyn FnMut(&Need) -> Answer,
) -> Result<Context, Error> {
    let request = Some(Rc::new(transcript(1)));
    let mut build = Build::new(Rc::clone(messages), request, config, NOW, hooks.to_vec())?;
    for _ in 0..1000 {
        match build.step()? {
            Step::Need(Need::Selection) => build.provide_selection(&SELECTION),
            Step::Need(Need::Meaning) => build.provide_meaning(meaning()),
            Step::Need(Need::ZoneOffsets { .. }) => build.provide_offsets(vec![[0, 120]]),
            Step::Need(need) => build.answer(answer(&need))?,
            Step::Done(context) => return Ok(*context),
        }
    }
    panic!("it asks for ever");
}

/// Checks every context: it keeps its limits, its figures agree, and every message is accounted for.
fn check(context: &Context, config: &ContextConfig, message_count: usize) {
    let budget = &config.budget;
    let total = context.tokens.total;
    if budget.on_required_overflow != OnRequiredOverflow::Exceed {
        let limit = budget.prompt_limit();
        assert!(limit.is_none_or(|limit| total <= limit), "{total} tokens, of at most {limit:?}");
        let (chars, limit) = (context.char_count, budget.max_chars);
        assert!(limit.is_none_or(|limit| chars.expect("counted") <= limit), "{chars:?} {limit:?}");
    }
    if let (Some(chars), Some(text)) = (context.char_count, &context.text) {
        assert_eq!(chars, text.chars().count() as u64);
    }
    let parts = context.tokens.sections.iter().map(|section| u128::from(section.tokens));
    assert_eq!(parts.sum::<u128>(), u128::from(total));
    let ranges = context.trace.ranges.iter();
    let fates: Vec<Fate> =
        ranges.flat_map(|range| (range.first..=range.last).map(|_| range.fate)).collect();
    assert_eq!(fates.len(), message_count);
    let mut rows: Vec<usize> =
        context.pieces.iter().filter_map(|placed| Piece::row(placed.piece)).collect();
    rows.sort_unstable();
    let kept: Vec<usize> = (0..message_count).filter(|row| fates[*row] != Fate::LeftOut).collect();
    assert_eq!(rows, kept);
}

/// A recording replays to the same result: the config as JSON has it, and the answers in their order.
fn check_replay(context: &Context, messages: &Rc<Transcript>) {
    let recording = &context.recording;
    let written = serde_json::to_value(&recording.config).expect("plain data");
    let config = ContextConfig::read(&value(written)).expect("what was recorded is read again");
    assert_eq!(config, *recording.config);
    let mut answers = answers_of(context).into_iter();
    let mut answer = |need: &Need| answers.next().unwrap_or_else(|| panic!("asks for {need:?}"));
    let again = run(messages, config, &recording.hooks, &mut answer).expect("as before");
    assert_eq!(answers.next(), None, "as many answers as before");
    assert_eq!(again.snapshot.context_hash, context.snapshot.context_hash);
    assert_eq!(again.recording, *recording);
}

/// The recorded answers in their order.
pub fn answers_of(context: &Context) -> Vec<Answer> {
    let recording = &context.recording;
    let found = |record: &AnswerRecord| match record {
        AnswerRecord::Here(answer) => answer.clone(),
        AnswerRecord::There { hash } => {
            recording.large_answers.get(hash.as_str()).expect("it is there").clone()
        }
    };
    recording.answers.iter().map(found).collect()
}
