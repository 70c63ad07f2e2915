//! Converts values at the boundary: numbers, plain data, configs, failures.

use crate::base::error::Error;
use crate::base::nearest::nearest;
use crate::base::time::{self, Milliseconds};
use crate::base::value::Value;
use crate::config::ContextConfig;
use js_sys::{Array, Object};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

pub(super) type JsResult<T> = Result<T, JsValue>;

/// A sequence number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is whole, and 0 or more"
)]
pub(super) fn whole(number: f64) -> u64 {
    number as u64
}

pub(super) fn moment(number: f64) -> Milliseconds {
    time::from_number(number).unwrap_or(Milliseconds(0))
}

/// Offsets of a time zone, from a flat list.
#[expect(clippy::cast_possible_truncation, reason = "moments and minutes are whole")]
pub(super) fn pairs(offsets: &[f64]) -> Vec<[i64; 2]> {
    offsets.as_chunks().0.iter().map(|pair: &[f64; 2]| [pair[0] as i64, pair[1] as i64]).collect()
}

pub(super) fn read_config(config: &JsValue) -> JsResult<ContextConfig> {
    ContextConfig::read(&plain(config)).map_err(failure)
}

/// Plain data as a [`Value`]. The package has copied it into plain data, so nothing here can throw or be cyclic.
pub(super) fn plain(value: &JsValue) -> Value {
    if let Some(text) = value.as_string() {
        Value::Text(text)
    } else if let Some(number) = value.as_f64() {
        Value::Number(number)
    } else if let Some(truth) = value.as_bool() {
        Value::Bool(truth)
    } else if let Some(list) = value.dyn_ref::<Array>() {
        Value::List(list.iter().map(|element| plain(&element)).collect())
    } else if value.is_object() {
        // Not `dyn_ref`: an object without a prototype isn't an `instanceof Object`.
        let object: &Object = value.unchecked_ref();
        let entry = |entry: JsValue| {
            let entry = Array::from(&entry);
            (entry.get(0).as_string().unwrap_or_default(), plain(&entry.get(1)))
        };
        Value::Map(Object::entries(object).iter().map(entry).collect())
    } else {
        Value::Null
    }
}

/// A failure as it crosses the binding.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Failure<'a> {
    code: &'static str,
    message: String,
    path: Option<&'a str>,
    next_action: &'a str,
    needed: Option<f64>,
    available: Option<f64>,
}

#[expect(clippy::needless_pass_by_value, reason = "used in map_err")]
pub(super) fn failure(error: Error) -> JsValue {
    let failure = Failure {
        code: error.code.as_str(),
        message: error.to_string(),
        path: error.path.as_deref(),
        next_action: &error.next_action,
        needed: error.needed.map(number),
        available: error.available.map(number),
    };
    to_js(&failure).unwrap_or_else(|_| error.code.as_str().into())
}

/// A number in JavaScript. Beyond 2^53 it is the nearest one: a config may name costs that no prompt has.
#[expect(clippy::cast_precision_loss, reason = "the nearest will do")]
pub(super) fn number(number: u64) -> f64 {
    number as f64
}

pub(super) fn to_js(value: &impl Serialize) -> JsResult<JsValue> {
    Ok(value.serialize(&Serializer::json_compatible())?)
}

/// The name among `known` that a typo may have meant.
#[wasm_bindgen(js_name = nearestName)]
#[must_use]
#[expect(clippy::needless_pass_by_value, reason = "it crosses by value")]
pub fn nearest_name(given: &str, known: Vec<String>) -> Option<String> {
    nearest(given, known.iter().map(String::as_str)).map(str::to_owned)
}
