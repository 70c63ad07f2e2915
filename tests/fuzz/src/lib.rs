//! What the targets share: transcripts, values, builds, and where what they begin with goes.

use std::rc::Rc;
use windrow::ask::{Answer, HookName, Need};
use windrow::assemble::{Build, Step};
use windrow::config::ContextConfig;
use windrow::error::Error;
use windrow::time::Milliseconds;
use windrow::transcript::{Columns, Transcript};
use windrow::value::Value;

/// Writes an input to begin with into the folder that `WINDROW_SEEDS` names.
pub fn seed(name: &str, bytes: &[u8]) {
    if let Some(folder) = std::env::var_os("WINDROW_SEEDS") {
        std::fs::write(std::path::Path::new(&folder).join(name), bytes)
            .expect("the folder is there");
    }
}

/// A conversation of so many short messages.
pub fn transcript(count: usize) -> Transcript {
    let texts: Vec<String> =
        (0..count).map(|number| format!("the venue {} costs {number} euros", number % 7)).collect();
    let lengths: Vec<u32> = texts.iter().map(|text| text.len() as u32).collect();
    let roles: Vec<u8> = (0..count).map(|number| 2 + (number % 2) as u8).collect();
    let times: Vec<f64> = (0..count).map(|number| number as f64 * 60_000.0).collect();
    let mut transcript = Transcript::default();
    transcript
        .append(&Columns {
            text: texts.concat().as_bytes(),
            roles: &roles,
            pinned: &vec![0; count],
            times: &times,
            segment_counts: &vec![1; count],
            segment_fields: &vec![0; count],
            segment_lengths: &lengths,
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

/// Drives a build of a transcript of 24 messages to its end; every hook is answered by `answer`. What is exact is estimated.
pub fn build(
    config: ContextConfig,
    hooks: Vec<HookName>,
    answer: &mut dyn FnMut(&Need) -> Answer,
) -> Result<(), Error> {
    build_of(&Rc::new(transcript(24)), config, hooks, answer)
}

/// Drives a build to its end.
pub fn build_of(
    messages: &Rc<Transcript>,
    mut config: ContextConfig,
    hooks: Vec<HookName>,
    answer: &mut dyn FnMut(&Need) -> Answer,
) -> Result<(), Error> {
    let estimate: serde_json::Value = serde_json::json!({ "encoding": "estimate" });
    config.encoding = ContextConfig::read(&value(estimate))?.encoding;
    let request = Some(Rc::new(transcript(1)));
    let mut build = Build::new(Rc::clone(messages), request, config, Milliseconds(1 << 40), hooks)?;
    for _ in 0..1000 {
        match build.step()? {
            Step::Need(Need::ZoneOffsets { .. }) => build.provide_offsets(vec![[0, 120]]),
            Step::Need(Need::Encoding { .. }) => return Ok(()),
            Step::Need(need) => build.answer(answer(&need))?,
            Step::Done(_) => return Ok(()),
        }
    }
    panic!("it asks for ever");
}
