//! Counting tokens: the vocabularies that are loaded, and what they count.

use super::crossing::{JsResult, failure, read_config};
use crate::base::error::{Error, ErrorCode};
use crate::config::ContextConfig;
use crate::prompt::certainty::{Beside, Certainty};
use crate::tokens::{Counter, Encoding, EncodingName};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

thread_local! {
    static ENCODINGS: RefCell<[Option<Rc<Encoding>>; EncodingName::ALL.len()]> = RefCell::default();
}

/// Loads an encoding from its vocabulary.
///
/// # Errors
///
/// `INVALID_ENCODING` where the name or the bytes are not those of an encoding.
#[wasm_bindgen(js_name = loadVocabulary)]
pub fn load_vocabulary(name: &str, bytes: &[u8]) -> JsResult<()> {
    let Some(name) = EncodingName::from_name(name) else {
        let known = EncodingName::ALL.map(EncodingName::as_str).join(", ");
        return Err(failure(Error::new(
            ErrorCode::InvalidEncoding,
            format!("unknown encoding \"{name}\""),
            format!("Use one of {known}."),
        )));
    };
    let encoding = Encoding::from_vocabulary(name, bytes).map_err(failure)?;
    ENCODINGS.with_borrow_mut(|encodings| encodings[name as usize] = Some(Rc::new(encoding)));
    Ok(())
}

/// How sure the counts of a config are, as JSON, with media or tools in what is counted.
///
/// # Errors
///
/// `INVALID_CONFIG` with the option's path.
#[wasm_bindgen(js_name = certaintyOf)]
pub fn certainty_of(config: &JsValue, has_media: bool, has_tools: bool) -> JsResult<String> {
    let certainty = Certainty::of(&read_config(config)?, Beside { has_media, has_tools });
    Ok(serde_json::to_string(&certainty).unwrap_or_default())
}

/// Whether an encoding is loaded.
#[wasm_bindgen(js_name = isLoaded)]
#[must_use]
pub fn is_loaded(name: &str) -> bool {
    EncodingName::from_name(name).is_some_and(|name| loaded(name).is_some())
}

/// How many tokens a text has.
///
/// # Errors
///
/// `INVALID_CONFIG`, `ENCODING_NOT_LOADED`.
#[wasm_bindgen(js_name = countText)]
pub fn count_text(text: &str, config: &JsValue) -> JsResult<f64> {
    let counter = counter_of(&read_config(config)?)?;
    #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^53")]
    let count = counter.count(text) as f64;
    Ok(count)
}

/// The counter of a config.
pub(super) fn counter_of(config: &ContextConfig) -> JsResult<Counter> {
    match config.encoding_name() {
        Some(name) => loaded(name).map(Counter::Exact).ok_or_else(|| not_loaded(name)),
        None => Ok(Counter::Estimate(config.family().tokenizer())),
    }
}

/// An encoding, if it is loaded.
pub(super) fn loaded(name: EncodingName) -> Option<Rc<Encoding>> {
    ENCODINGS.with_borrow(|encodings| encodings[name as usize].clone())
}

fn not_loaded(name: EncodingName) -> JsValue {
    let name = name.as_str();
    failure(Error::new(
        ErrorCode::EncodingNotLoaded,
        format!("the vocabulary of {name} is not loaded"),
        format!("Await loadEncoding(\"{name}\") first, or set encoding to \"estimate\"."),
    ))
}
