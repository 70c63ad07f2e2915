//! Counts tokens, and keeps the loaded vocabularies.

use super::crossing::{JsResult, failure, read_config};
use crate::base::error::{Error, ErrorCode};
use crate::base::json::to_json;
use crate::base::text::joined;
use crate::config::ContextConfig;
use crate::prompt::certainty::{Beside, Certainty};
use crate::tokens::{Counter, Encoding, EncodingName, Tokenizer};
use serde::Serialize;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

thread_local! {
    static ENCODINGS: RefCell<[Option<Rc<Encoding>>; EncodingName::ALL.len()]> = RefCell::default();
    /// A text to count. The package writes it here, which makes passing a short text cheap.
    static TEXT: RefCell<Vec<u8>> = RefCell::default();
}

/// Maximum size of a buffer that is kept for the next text, in bytes.
const LONGEST_KEPT_TEXT: usize = 1 << 16;

/// Loads an encoding from its vocabulary.
///
/// # Errors
///
/// `INVALID_ENCODING` if the name or the bytes aren't those of an encoding.
#[wasm_bindgen(js_name = loadVocabulary)]
pub fn load_vocabulary(name: &str, bytes: &[u8]) -> JsResult<()> {
    let Some(name) = EncodingName::from_name(name) else {
        let known = joined(EncodingName::ALL.into_iter().map(EncodingName::as_str), ", ");
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

/// How a config counts.
#[derive(Serialize)]
struct Counting {
    /// The place of the encoding among all encodings, or of the estimated tokenizer after them.
    counter: usize,
    #[serde(flatten)]
    certainty: Certainty,
}

/// How a config counts content with or without media and tools, as the JSON text of a `Counting`.
///
/// # Errors
///
/// `INVALID_CONFIG` with the option's path.
#[wasm_bindgen(js_name = countingOf)]
pub fn counting_of(config: &JsValue, has_media: bool, has_tools: bool) -> JsResult<String> {
    let config = read_config(config)?;
    let counting = Counting {
        counter: match config.encoding_name() {
            Some(name) => name as usize,
            None => EncodingName::ALL.len() + config.family().tokenizer() as usize,
        },
        certainty: Certainty::of(&config, Beside { has_media, has_tools }),
    };
    Ok(to_json(&counting))
}

/// True if an encoding is loaded.
#[wasm_bindgen(js_name = isLoaded)]
#[must_use]
pub fn is_loaded(name: &str) -> bool {
    EncodingName::from_name(name).is_some_and(|name| loaded(name).is_some())
}

/// The memory that holds [`text_buffer`].
#[wasm_bindgen(js_name = engineMemory)]
#[must_use]
pub fn engine_memory() -> JsValue {
    wasm_bindgen::memory()
}

/// The address of a buffer for a text of `length` bytes that [`count_text`] counts. Its contents stay.
#[wasm_bindgen(js_name = textBuffer)]
#[must_use]
pub fn text_buffer(length: usize) -> usize {
    TEXT.with_borrow_mut(|text| {
        if text.len() < length {
            text.resize(length, 0);
        }
        text.as_mut_ptr().addr()
    })
}

/// The number of tokens in the first bytes of the text buffer, by a counter that [`counting_of`] named.
///
/// # Errors
///
/// `ENCODING_NOT_LOADED`.
#[wasm_bindgen(js_name = countText)]
pub fn count_text(counter: usize, length: usize) -> JsResult<f64> {
    TEXT.with_borrow_mut(|text| {
        let bytes = text.get(..length).unwrap_or(text);
        let count = if let Some(name) = EncodingName::ALL.get(counter) {
            loaded(*name).ok_or_else(|| not_loaded(*name))?.count_bytes(bytes)
        } else {
            let tokenizer = Tokenizer::ALL.get(counter - EncodingName::ALL.len());
            let counter = Counter::Estimate(tokenizer.copied().unwrap_or_default());
            counter.count(&String::from_utf8_lossy(bytes))
        };
        if text.len() > LONGEST_KEPT_TEXT {
            *text = Vec::new();
        }
        #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^53")]
        let count = count as f64;
        Ok(count)
    })
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
    let (name, is_packaged) = (name.as_str(), name.is_packaged());
    failure(Error::new(
        ErrorCode::EncodingNotLoaded,
        format!("the vocabulary of {name} is not loaded"),
        if is_packaged {
            format!("Await loadEncoding(\"{name}\") first, or set encoding to \"estimate\".")
        } else {
            format!(
                "Make it with windrow vocabulary tokenizer.json, and await loadEncoding({{ name: \"{name}\", bytes }}) first."
            )
        },
    ))
}
