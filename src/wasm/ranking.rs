//! The part of the engine that ranks: a module of its own, which the package loads when it is first needed.
//!
//! With the feature `split`, nothing but the function at [`split_off`] refers to that part. The build of the package finds the
//! pair of an import and an export there, and moves what only the export reaches into another module, which shares the memory and
//! the table of functions of this one.

use super::crossing::{JsResult, failure};
use crate::base::error::{Error, ErrorCode};
use crate::base::time::{Milliseconds, Zone};
use crate::recall::transcript::Transcript;
use crate::stages::recall::RANKER;
use crate::state::ranker::Ranker;
use std::cell::Cell;
use std::ops::Range;
use wasm_bindgen::prelude::*;

/// All that ranks, as the binding calls it.
pub(super) struct Ranking {
    pub(super) ranker: &'static Ranker,
    pub(super) search: fn(&Transcript, &str, Milliseconds, &Zone, usize) -> Option<String>,
    pub(super) index_part: fn(&Transcript, usize, u64) -> Vec<u8>,
    pub(super) learn_index_part: fn(&Transcript, &[u8], u64) -> usize,
    pub(super) vectors: fn(&Transcript, Range<usize>, &str) -> Vec<u8>,
    pub(super) known_vectors: fn(&Transcript, Range<usize>, &str) -> usize,
    pub(super) learn_vectors: fn(&Transcript, Range<usize>, &str, &[u8]),
}

static RANKING: Ranking = Ranking {
    ranker: &RANKER,
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
    static LOADED: Cell<Option<&'static Ranking>> = const { Cell::new(None) };
}

/// The names that the build splits at; see `wasm_split_cli_support`.
#[cfg(feature = "split")]
mod split_off {
    use super::{RANKING, Ranking};

    #[link(wasm_import_module = "__wasm_split_placeholder__")]
    #[allow(improper_ctypes, reason = "both sides are this crate")]
    unsafe extern "C" {
        #[link_name = "__wasm_split_00ranking00_import_00000000000000000000000000000001"]
        pub(super) safe fn ranking() -> &'static Ranking;
    }

    #[unsafe(export_name = "__wasm_split_00ranking00_export_00000000000000000000000000000001")]
    #[allow(improper_ctypes_definitions, reason = "both sides are this crate")]
    extern "C" fn export() -> &'static Ranking {
        &RANKING
    }
}

#[cfg(not(feature = "split"))]
mod split_off {
    pub(super) fn ranking() -> &'static super::Ranking {
        &super::RANKING
    }
}

/// Says that the module is there that ranks.
#[wasm_bindgen(js_name = startRanking)]
pub fn start_ranking() {
    LOADED.set(Some(split_off::ranking()));
}

/// All that ranks, if it is there.
pub(super) fn loaded_ranking() -> Option<&'static Ranking> {
    LOADED.get()
}

/// All that ranks.
pub(super) fn ranking() -> JsResult<&'static Ranking> {
    loaded_ranking().ok_or_else(|| {
        failure(Error::new(
            ErrorCode::RankingNotLoaded,
            "the part of the engine that ranks is not loaded",
            "Await loadRanking() first.",
        ))
    })
}
