//! Shared support for the tests: transcripts written as messages, exact encodings, and builds driven to their end.

#![allow(dead_code, reason = "each test file uses a part of it")]

use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::LazyLock;
use tiktoken_rs::CoreBPE;
use windrow::base::error::Error;
use windrow::base::message::{Field, Role};
use windrow::base::time::Milliseconds;
use windrow::base::value::Value;
use windrow::config::ContextConfig;
use windrow::log::messages::Columns;
use windrow::machine::selection::SELECTION;
use windrow::machine::{Build, Step};
use windrow::recall::text::meaning::Table;
use windrow::recall::transcript::Transcript;
use windrow::state::ask::{Answer, HookName, Need};
use windrow::state::context::Context;
use windrow::state::trace::{Fate, Reason};
use windrow::tokens::{Encoding, EncodingName, asset};

/// A builder for messages.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) role: Role,
    pub(crate) pinned: bool,
    pub(crate) time: Option<i64>,
    pub(crate) fields: Vec<(Field, String)>,
}

impl Message {
    pub(crate) fn new(role: Role, text: &str) -> Self {
        Self { role, pinned: false, time: None, fields: vec![(Field::Text, text.to_owned())] }
    }

    pub(crate) fn user(text: &str) -> Self {
        Self::new(Role::User, text)
    }

    pub(crate) fn assistant(text: &str) -> Self {
        Self::new(Role::Assistant, text)
    }

    pub(crate) fn system(text: &str) -> Self {
        Self::new(Role::System, text)
    }

    pub(crate) fn calls(ids: &[&str]) -> Self {
        let mut message = Self::new(Role::Assistant, "");
        for id in ids {
            message = message
                .with(Field::CallId, id)
                .with(Field::CallName, "look_up")
                .with(Field::CallArguments, "{\"query\":\"venue\"}");
        }
        message
    }

    pub(crate) fn result(id: &str, text: &str) -> Self {
        Self::new(Role::Tool, text).with(Field::ResultId, id)
    }

    pub(crate) fn with(mut self, field: Field, value: &str) -> Self {
        self.fields.push((field, value.to_owned()));
        self
    }

    pub(crate) fn at(mut self, milliseconds: i64) -> Self {
        self.time = Some(milliseconds);
        self
    }

    pub(crate) fn pinned(mut self) -> Self {
        self.pinned = true;
        self
    }
}

/// Appends messages the way the binding does, as columns.
pub(crate) fn append(transcript: &mut Transcript, messages: &[Message]) {
    let code = |field: Field| {
        let position = Field::ALL.iter().position(|known| *known == field);
        u8::try_from(position.expect("a known field")).expect("few fields")
    };
    let fields = || messages.iter().flat_map(|message| &message.fields);
    let text: String = fields().map(|(_, value)| value.as_str()).collect();
    let roles: Vec<u8> = messages.iter().map(|message| message.role as u8).collect();
    let pinned: Vec<u8> = messages.iter().map(|message| u8::from(message.pinned)).collect();
    #[expect(clippy::cast_precision_loss, reason = "moments are exact in a double")]
    let times: Vec<f64> =
        messages.iter().map(|message| message.time.map_or(f64::NAN, |time| time as f64)).collect();
    let length = |length: usize| u32::try_from(length).expect("a small transcript");
    let segment_counts: Vec<u32> =
        messages.iter().map(|message| length(message.fields.len())).collect();
    let segment_fields: Vec<u8> = fields().map(|(field, _)| code(*field)).collect();
    let segment_lengths: Vec<u32> = fields().map(|(_, value)| length(value.len())).collect();
    let columns = Columns {
        text: text.as_bytes(),
        roles: &roles,
        pinned: &pinned,
        times: &times,
        segment_counts: &segment_counts,
        segment_fields: &segment_fields,
        segment_lengths: &segment_lengths,
    };
    transcript.append(&columns).expect("the columns fit together");
}

pub(crate) fn transcript(messages: &[Message]) -> Rc<Transcript> {
    let mut transcript = Transcript::default();
    append(&mut transcript, messages);
    Rc::new(transcript)
}

/// A config as a caller writes it, in JSON.
pub(crate) fn config(json: &str) -> ContextConfig {
    read_config(json).expect("the config is sound")
}

pub(crate) fn read_config(json: &str) -> Result<ContextConfig, Error> {
    fn value(json: serde_json::Value) -> Value {
        match json {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(truth) => Value::Bool(truth),
            serde_json::Value::Number(number) => Value::Number(number.as_f64().expect("a double")),
            serde_json::Value::String(text) => Value::Text(text),
            serde_json::Value::Array(list) => Value::List(list.into_iter().map(value).collect()),
            serde_json::Value::Object(map) => {
                Value::Map(map.into_iter().map(|(key, inner)| (key, value(inner))).collect())
            }
        }
    }
    ContextConfig::read(&value(serde_json::from_str(json).expect("valid JSON")))
}

/// The options of ranking, in JSON. Each is set in some of the cases.
pub(crate) fn ranking_options() -> impl Strategy<Value = serde_json::Value> {
    let share = || select(vec![0.0, 0.1, 0.37, 0.5, 1.0]);
    (
        select(vec!["relevance", "bm25", "recency"]),
        weighted(0.5, 0_u64..6),
        weighted(0.5, share()),
        weighted(0.5, share()),
        weighted(0.5, select(vec!["chronological", "afterHistory", "afterHistory"])),
        weighted(0.7, (any::<bool>(), 10_u64..60, 5_u64..40)),
        weighted(0.5, (any::<bool>(), select(vec![0_u64, 0, 4, 12]))),
    )
        .prop_map(|(ranking, recent, recent_share, share, placement, excerpts, pairs)| {
            let mut options = serde_json::json!({ "ranking": ranking });
            if let Some(recent) = recent {
                options["recentMessages"] = recent.into();
            }
            if let Some(share) = recent_share {
                options["maxRecentShare"] = share.into();
            }
            if let Some(share) = share {
                options["maxShare"] = share.into();
            }
            if let Some(placement) = placement {
                options["placement"] = placement.into();
            }
            if let Some((enabled, least, tokens)) = excerpts {
                options["excerpts"] =
                    serde_json::json!({"enabled": enabled, "minTokens": least, "tokens": tokens});
            }
            if pairs.is_some_and(|(questions, _)| questions) {
                options["meaning"] = "static".into();
            }
            if let Some((questions, tokens)) = pairs {
                options["pairs"] =
                    serde_json::json!({"questions": questions, "replyTokens": tokens});
            }
            options
        })
}

/// A cut or none, in JSON.
pub(crate) fn cut() -> impl Strategy<Value = &'static str> {
    let cuts = ["{}", r#"{"highWater":0.8,"lowWater":0.2}"#, r#"{"lowWater":0.9}"#];
    prop_oneof![3 => Just("null"), 1 => select(cuts.to_vec())]
}

/// A gap notice of any kind, or none.
pub(crate) fn gap_notice() -> impl Strategy<Value = Option<&'static str>> {
    let templates = [
        "[{count} earlier messages, {from} to {to}, are not shown.]",
        "{count} earlier messages are not shown.",
        "Until {to}: <{count}> & more {other}\n/since {from}\n",
        "Not all is shown",
        " ",
    ];
    weighted(0.5, select(templates.to_vec()))
}

pub(crate) const NOW: Milliseconds = Milliseconds(1_750_000_000_000);

/// Drives a build to its end, with exact encodings if it asks for them.
pub(crate) fn build(
    transcript: &Rc<Transcript>,
    request: Option<&str>,
    config: ContextConfig,
) -> Result<Context, Error> {
    let request = request.map(|text| self::transcript(&[Message::user(text)]));
    build_with(transcript, request, config, &[], &mut |need| panic!("asks for {need:?}"))
}

/// Drives a build to its end. `answer` answers the hooks. The time zone is UTC+2.
pub(crate) fn build_with(
    transcript: &Rc<Transcript>,
    request: Option<Rc<Transcript>>,
    config: ContextConfig,
    hooks: &[HookName],
    answer: &mut dyn FnMut(&Need) -> Answer,
) -> Result<Context, Error> {
    let build = Build::new(Rc::clone(transcript), request, config, NOW, hooks.to_vec())?;
    let context = drive(build, &mut |need| Some(answer(need)))?;
    Ok(context.expect("every question has an answer"))
}

/// Drives a build to its end. Returns none at a question without an answer. The time zone is UTC+2.
pub(crate) fn drive(
    mut build: Build,
    answer: &mut dyn FnMut(&Need) -> Option<Answer>,
) -> Result<Option<Context>, Error> {
    loop {
        match build.step()? {
            Step::Need(Need::Encoding { name }) => build.provide_encoding(encoding(name)),
            Step::Need(Need::Selection) => build.provide_selection(&SELECTION),
            Step::Need(Need::Meaning) => build.provide_meaning(meaning()),
            Step::Need(Need::ZoneOffsets { .. }) => build.provide_offsets(vec![[0, 120]]),
            Step::Need(need) => match answer(&need) {
                Some(given) => build.answer(given)?,
                None => return Ok(None),
            },
            Step::Done(context) => return Ok(Some(*context)),
        }
    }
}

/// The fate of each message.
pub(crate) fn fates(context: &Context) -> Vec<(Fate, Reason)> {
    let ranges = context.trace.ranges.iter();
    ranges
        .flat_map(|range| (range.first..=range.last).map(|_| (range.fate, range.reason)))
        .collect()
}

/// The rows that are in the context.
pub(crate) fn kept(context: &Context) -> Vec<usize> {
    let fates = fates(context).into_iter().enumerate();
    fates.filter(|(_, (fate, _))| *fate != Fate::LeftOut).map(|(row, _)| row).collect()
}

pub(crate) fn reference(name: EncodingName) -> &'static CoreBPE {
    match name {
        EncodingName::O200kBase => tiktoken_rs::o200k_base_singleton(),
        EncodingName::Cl100kBase => tiktoken_rs::cl100k_base_singleton(),
        _ => unreachable!("tiktoken-rs doesn't have {name:?}"),
    }
}

pub(crate) fn reference_count(name: EncodingName, text: &str) -> u64 {
    reference(name).encode_ordinary(text).len() as u64
}

/// The vocabulary's asset of each encoding, in the order of [`EncodingName::PACKAGED`].
pub(crate) static ASSETS: LazyLock<[Vec<u8>; EncodingName::PACKAGED.len()]> = LazyLock::new(|| {
    EncodingName::PACKAGED.map(|name| {
        let tokens: Vec<_> =
            (0..).map_while(|rank| reference(name).decode_bytes(&[rank]).ok()).collect();
        asset::encode(&tokens).expect("every token splits into two")
    })
});

/// An exact encoding, loaded once per thread.
pub(crate) fn encoding(name: EncodingName) -> Rc<Encoding> {
    thread_local! {
        static LOADED: [Rc<Encoding>; EncodingName::PACKAGED.len()] = EncodingName::PACKAGED.map(|name| {
            let asset = &ASSETS[name as usize];
            Rc::new(Encoding::from_vocabulary(name, asset).expect("the asset is sound"))
        });
    }
    LOADED.with(|loaded| Rc::clone(&loaded[name as usize]))
}

/// Checks that no call lacks its results, except those that the context lists, and that no result lacks its call. An id
/// refers to a call in the same session.
pub(crate) fn groups_are_whole(context: &Context, messages: &[Message]) {
    // For each session and id, the row of the latest call, and whether it has a result.
    let mut calls: BTreeMap<(Option<&str>, &str), (usize, bool)> = BTreeMap::new();
    for piece in &context.pieces {
        let Some(row) = piece.piece.row() else { continue };
        let fields = &messages[row].fields;
        let session = fields.iter().find(|(field, _)| *field == Field::SessionId);
        let session = session.map(|(_, name)| name.as_str());
        let mut call_count = 0;
        for (field, id) in fields {
            match field {
                Field::CallId => {
                    let is_text = context.text.is_some(); // there, a call is a text
                    let is_listed = is_text
                        || context.halves.iter().any(|half| {
                            half.piece.row() == Some(row) && half.open.contains(&call_count)
                        });
                    call_count += 1;
                    let earlier = calls.insert((session, id), (row, is_listed));
                    assert!(
                        earlier.is_none_or(|(earlier, answered)| answered || earlier == row),
                        "a call without its result"
                    );
                }
                Field::ResultId => {
                    let call = calls.get_mut(&(session, id.as_str()));
                    call.expect("a result without its call").1 = true;
                }
                _ => {}
            }
        }
    }
    assert!(calls.values().all(|(_, answered)| *answered), "a call without its result");
}

/// Returns true if the whole context was counted by an encoding, the model's or another one.
pub(crate) fn is_counted(context: &Context) -> bool {
    let tokens = &context.tokens;
    EncodingName::from_name(&tokens.encoding).is_some() && !tokens.words.contains("images")
}

/// The table of token vectors.
pub(crate) fn meaning() -> Rc<Table> {
    thread_local! {
        static TABLE: Rc<Table> = Rc::new(
            Table::from_bytes(include_bytes!("../../../crates/meaning/table.bin")).expect("a table"),
        );
    }
    TABLE.with(Rc::clone)
}
