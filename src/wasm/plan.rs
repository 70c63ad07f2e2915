//! The plan for reading a log, for a caller that reads it from a store.

use super::crossing::{number, whole};
use crate::base::json::to_json;
use crate::base::message::Role;
use crate::base::time;
use crate::log::plan::{LogRow, Pace, ReadPlan, Wanted};
use wasm_bindgen::prelude::*;

/// The plan for reading a log; see [`ReadPlan`].
#[wasm_bindgen]
#[derive(Debug)]
pub struct CoreReadPlan(ReadPlan);

#[wasm_bindgen]
#[allow(clippy::too_many_arguments, reason = "columns are passed flat")]
impl CoreReadPlan {
    /// A plan for a log, before anything is read; see [`Pace`].
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(block: u32, page: usize, growth: usize, newest: usize) -> Self {
        Self(ReadPlan::new(Pace { block: block.into(), page, growth }, newest))
    }

    /// See [`ReadPlan::want_fixed`].
    #[wasm_bindgen(js_name = wantFixed)]
    pub fn want_fixed(&mut self, has_pinned: bool) {
        self.0.want_fixed(has_pinned);
    }

    /// Adds everything from a sequence number on, the messages with an id, or those with some sequence numbers. Without
    /// arguments it adds more of the rows before the tail.
    pub fn want(&mut self, from: Option<f64>, id: Option<String>, seqs: &[f64]) {
        self.0.want(match (from, id) {
            (Some(from), _) => return self.0.want_from(whole(from)),
            (None, Some(id)) => Wanted::Id(id),
            (None, None) if seqs.is_empty() => Wanted::More,
            (None, None) => Wanted::Seqs(seqs.iter().copied().map(whole).collect()),
        });
    }

    /// Returns the next fetch, as the JSON text of a [`Fetch`](crate::log::plan::Fetch); undefined when everything has
    /// been read.
    #[must_use]
    #[wasm_bindgen(js_name = nextFetch)]
    pub fn next_fetch(&mut self) -> Option<String> {
        self.0.next_fetch().map(to_json)
    }

    /// Takes the fetched rows: the sequence number and the role code of each. A row that isn't a readable message has a
    /// code that no role has.
    pub fn take(&mut self, seqs: &[f64], roles: &[u8]) {
        let row = |(seq, role): (&f64, &u8)| LogRow {
            seq: whole(*seq),
            role: Role::ALL.get(usize::from(*role)).copied(),
        };
        let rows: Vec<LogRow> = seqs.iter().zip(roles).map(row).collect();
        self.0.take(&rows);
    }

    /// See [`ReadPlan::forget_singles`].
    #[wasm_bindgen(js_name = forgetSingles)]
    pub fn forget_singles(&mut self, most: usize) -> bool {
        self.0.forget_singles(most)
    }

    /// The first and the last sequence number of each stretch that was read, alternating.
    #[must_use]
    pub fn covered(&self) -> Vec<f64> {
        self.0.covered().iter().flat_map(|(first, last)| [number(*first), number(*last)]).collect()
    }

    /// Returns the unread messages, as the JSON text of an [`Unread`](crate::log::unread::Unread); undefined when
    /// everything was read. Takes the sequence number of each message that was read and the latest time up to it, or
    /// NaN; see [`ReadPlan::unread`].
    #[must_use]
    pub fn unread(
        &self,
        seqs: &[f64],
        latest: &[f64],
        total: usize,
        skipped: usize,
        has_untimed: bool,
    ) -> Option<String> {
        let row = |(seq, latest): (&f64, &f64)| (whole(*seq), time::from_number(*latest));
        let read: Vec<_> = seqs.iter().zip(latest).map(row).collect();
        self.0.unread(&read, (total, skipped), has_untimed).as_ref().map(to_json)
    }
}
