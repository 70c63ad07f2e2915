//! The parts of the engine that the package loads when they are first needed: what counts by a vocabulary, and what selects.
//!
//! With the feature `split`, nothing but the functions in [`split_off`] refers to them. The build of the package finds a pair of an
//! import and an export for each part there, and moves what only the export reaches into a module of its own, which shares the
//! memory and the table of functions of this one.

use super::crossing::{JsResult, failure};
use crate::base::error::{Error, ErrorCode, Result};
use crate::base::time::{Milliseconds, Zone};
use crate::build::selection::SELECTION;
use crate::recall::transcript::Transcript;
use crate::stages::selection::Selection;
use crate::tokens::{Encoding, EncodingName};
use std::cell::Cell;
use std::ops::Range;
use wasm_bindgen::prelude::*;

/// What makes an encoding of a vocabulary.
pub(super) type Counting = fn(EncodingName, &[u8]) -> Result<Encoding>;

static COUNTING: Counting = Encoding::from_vocabulary;

/// All that selects, as the binding calls it.
#[derive(Debug)]
pub(super) struct Selecting {
    pub(super) selection: &'static Selection,
    pub(super) search: fn(&Transcript, &str, Milliseconds, &Zone, usize) -> Option<String>,
    pub(super) index_part: fn(&Transcript, usize, u64) -> Vec<u8>,
    pub(super) learn_index_part: fn(&Transcript, &[u8], u64) -> usize,
    pub(super) vectors: fn(&Transcript, Range<usize>, &str) -> Vec<u8>,
    pub(super) known_vectors: fn(&Transcript, Range<usize>, &str) -> usize,
    pub(super) learn_vectors: fn(&Transcript, Range<usize>, &str, &[u8]),
}

static SELECTING: Selecting = Selecting {
    selection: &SELECTION,
    search: |transcript, question, now, zone, count| {
        let found = transcript.search(question, now, zone, count)?;
        Some(serde_json::to_string(&found).unwrap_or_default())
    },
    index_part: Transcript::index_part,
    learn_index_part: Transcript::learn_index_part,
    vectors: Transcript::vectors,
    known_vectors: Transcript::known_vectors,
    learn_vectors: Transcript::learn_vectors,
};

thread_local! {
    static STARTED_COUNTING: Cell<Option<&'static Counting>> = const { Cell::new(None) };
    static STARTED_SELECTION: Cell<Option<&'static Selecting>> = const { Cell::new(None) };
}

/// The names that the build splits at: those of `wasm_split_cli_support`.
#[cfg(feature = "split")]
#[allow(improper_ctypes, improper_ctypes_definitions, reason = "both sides are this crate")]
mod split_off {
    use crate::wasm::parts::{COUNTING, Counting, SELECTING, Selecting};

    #[link(wasm_import_module = "__wasm_split_placeholder__")]
    unsafe extern "C" {
        #[link_name = "__wasm_split_00counting00_import_00000000000000000000000000000000"]
        pub(super) safe fn counting() -> &'static Counting;
        #[link_name = "__wasm_split_00selection00_import_00000000000000000000000000000001"]
        pub(super) safe fn selecting() -> &'static Selecting;
    }

    #[unsafe(export_name = "__wasm_split_00counting00_export_00000000000000000000000000000000")]
    extern "C" fn export_counting() -> &'static Counting {
        &COUNTING
    }

    #[unsafe(export_name = "__wasm_split_00selection00_export_00000000000000000000000000000001")]
    extern "C" fn export_selecting() -> &'static Selecting {
        &SELECTING
    }
}

/// Without the feature all parts are there.
#[cfg(not(feature = "split"))]
mod split_off {
    use crate::wasm::parts::{COUNTING, Counting, SELECTING, Selecting};

    pub(super) fn counting() -> &'static Counting {
        &COUNTING
    }

    pub(super) fn selecting() -> &'static Selecting {
        &SELECTING
    }
}

/// Says that the part is there that counts by a vocabulary.
#[wasm_bindgen(js_name = startCounting)]
pub fn start_counting() {
    STARTED_COUNTING.set(Some(split_off::counting()));
}

/// Says that the part is there that selects.
#[wasm_bindgen(js_name = startSelection)]
pub fn start_selection() {
    STARTED_SELECTION.set(Some(split_off::selecting()));
}

/// What makes an encoding of a vocabulary.
pub(super) fn counting() -> JsResult<&'static Counting> {
    STARTED_COUNTING.get().ok_or_else(|| {
        failure(Error::new(
            ErrorCode::EncodingNotLoaded,
            "the part of the engine that counts exactly is not loaded",
            "Await loadEncoding() first.",
        ))
    })
}

/// All that selects, if it is there.
pub(super) fn started_selection() -> Option<&'static Selecting> {
    STARTED_SELECTION.get()
}

/// All that selects.
pub(super) fn selecting() -> JsResult<&'static Selecting> {
    started_selection().ok_or_else(|| {
        failure(Error::new(
            ErrorCode::PartNotLoaded,
            "the part of the engine that selects among messages is not loaded",
            "Await loadSelection() first.",
        ))
    })
}
