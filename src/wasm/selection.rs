//! The ranking module: the half of the engine that the package loads on first use.
//!
//! With the feature `split`, only the function that `split_off` exports refers to it. The package's build moves
//! everything that only this function reaches into a separate module, which shares this one's memory and function
//! table.

use super::crossing::{JsResult, failure};
use crate::base::error::{Error, ErrorCode};
use crate::base::json::to_json;
use crate::base::time::{Milliseconds, Zone};
use crate::machine::selection::SELECTION;
use crate::recall::text::meaning::{InvalidTable, TABLE_CHECKSUM, Table};
use crate::recall::transcript::Transcript;
use crate::stages::selection::Selection;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// The ranking module, as the binding calls it.
#[derive(Debug)]
pub(super) struct Selecting {
    pub(super) selection: &'static Selection,
    pub(super) search: fn(&Transcript, &str, Milliseconds, &Zone, usize) -> Option<String>,
    pub(super) lasting: fn(&Transcript, Option<&str>) -> Option<String>,
    pub(super) lasting_sentences: fn(&Transcript, usize) -> String,
    pub(super) index_part: fn(&Transcript, usize, u64) -> Vec<u8>,
    pub(super) learn_index_part: fn(&Transcript, &[u8], u64) -> usize,
    pub(super) vectors: fn(&Transcript, Range<usize>, &str) -> Vec<u8>,
    pub(super) known_vectors: fn(&Transcript, Range<usize>, &str) -> usize,
    pub(super) learn_vectors: fn(&Transcript, Range<usize>, &str, &[u8]),
    pub(super) read_meaning: fn(&[u8]) -> Result<Table, InvalidTable>,
}

static SELECTING: Selecting = Selecting {
    selection: &SELECTION,
    search: |transcript, question, now, zone, count| {
        let found = transcript.search(question, now, zone, count)?;
        Some(to_json(&found))
    },
    lasting: |transcript, name| Some(to_json(&transcript.lasting(name)?)),
    lasting_sentences: |transcript, message| {
        let sentences = transcript.lasting_sentences(message).into_iter();
        to_json(&sentences.map(|(kind, sentence)| (kind as u8, sentence)).collect::<Vec<_>>())
    },
    index_part: Transcript::index_part,
    learn_index_part: Transcript::learn_index_part,
    vectors: Transcript::vectors,
    known_vectors: Transcript::known_vectors,
    learn_vectors: Transcript::learn_vectors,
    read_meaning: Table::from_bytes,
};

thread_local! {
    static STARTED: Cell<Option<&'static Selecting>> = const { Cell::new(None) };
    static MEANING: RefCell<Option<Rc<Table>>> = const { RefCell::new(None) };
}

/// The names that mark the split, defined by `wasm_split_cli_support`.
#[cfg(feature = "split")]
#[allow(improper_ctypes, improper_ctypes_definitions, reason = "both sides are this crate")]
mod split_off {
    use crate::wasm::selection::{SELECTING, Selecting};

    #[link(wasm_import_module = "__wasm_split_placeholder__")]
    unsafe extern "C" {
        #[link_name = "__wasm_split_00selection00_import_00000000000000000000000000000000"]
        pub(super) safe fn selecting() -> &'static Selecting;
    }

    #[unsafe(export_name = "__wasm_split_00selection00_export_00000000000000000000000000000000")]
    extern "C" fn export_selecting() -> &'static Selecting {
        &SELECTING
    }
}

/// Marks the ranking module as loaded.
#[wasm_bindgen(js_name = startSelection)]
pub fn start_selection() {
    #[cfg(feature = "split")]
    STARTED.set(Some(split_off::selecting()));
    #[cfg(not(feature = "split"))]
    STARTED.set(Some(&SELECTING));
}

/// Loads the table of token vectors.
///
/// # Errors
///
/// `INVALID_MEANING` if the bytes aren't the table of this version, `PART_NOT_LOADED` if this part isn't loaded.
#[wasm_bindgen(js_name = readMeaning)]
pub fn read_meaning(bytes: &[u8]) -> JsResult<()> {
    let table = (selecting()?.read_meaning)(bytes);
    let table = table.ok().filter(|table| table.checksum() == TABLE_CHECKSUM).ok_or_else(|| {
        failure(Error::new(
            ErrorCode::InvalidMeaning,
            "this is not the table of token vectors of this version of windrow",
            "Load the table from the installed package: import it from \"windrow/meaning\".",
        ))
    })?;
    MEANING.set(Some(Rc::new(table)));
    Ok(())
}

/// True if the table of token vectors is loaded.
#[wasm_bindgen(js_name = hasMeaning)]
#[must_use]
pub fn has_meaning() -> bool {
    loaded_meaning().is_some()
}

/// The table of token vectors, if it is loaded.
pub(super) fn loaded_meaning() -> Option<Rc<Table>> {
    MEANING.with_borrow(Clone::clone)
}

/// The ranking module, if it is loaded.
pub(super) fn started_selection() -> Option<&'static Selecting> {
    STARTED.get()
}

/// The ranking module, or an error if it isn't loaded.
pub(super) fn selecting() -> JsResult<&'static Selecting> {
    started_selection().ok_or_else(|| {
        failure(Error::new(
            ErrorCode::PartNotLoaded,
            "the ranking module is not loaded",
            "Await loadSelection() first.",
        ))
    })
}
