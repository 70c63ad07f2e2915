//! Tokens of all messages before a place in a log, remembered where its blocks begin.
//!
//! The cut of a history depends on the tokens of the whole log. A total has the number before a place, so a build can
//! find the cut without reading the messages before it.

use crate::base::value::FromValue;
use crate::log::forms::Forms;
use serde::Serialize;

/// Sequence numbers per block. A session stores the values derived from one block together, and its tail begins at the
/// start of a block.
pub(crate) const BLOCK: u64 = 64;

/// Number of bytes of a stored total.
pub(crate) const TOTAL_BYTES: usize = 40;

/// Tokens of all messages of a log before a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromValue)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Total {
    /// Tokens of all of them, except the instructions at the start of the log.
    pub tokens: u64,
    /// Tokens of tool results that may shrink.
    pub results: u64,
    /// The total when results were last nearly half of the log. 0 if they never were.
    pub run_end: u64,
}

/// Totals at the first rows of blocks, by form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    columns: Forms<TotalColumn>,
}

/// Rows, ascending, each with the total before it.
type TotalColumn = Vec<(usize, Total)>;

impl Totals {
    /// Returns the first remembered total at a row or after it.
    pub(crate) fn first_from(&self, form: u64, row: usize) -> Option<(usize, Total)> {
        let totals = self.columns.get(form)?;
        totals.get(totals.partition_point(|(at, _)| *at < row)).copied()
    }

    /// True if it has totals in this form.
    pub(crate) fn has(&self, form: u64) -> bool {
        self.columns.get(form).is_some()
    }

    /// Remembers the total before a row.
    pub(crate) fn insert(&mut self, form: u64, row: usize, total: Total) {
        let totals = self.columns.get_or_add(form);
        let at = totals.partition_point(|(known, _)| *known < row);
        if totals.get(at).is_some_and(|(known, _)| *known == row) {
            totals[at].1 = total;
        } else {
            totals.insert(at, (row, total));
        }
    }

    /// Forgets the totals before rows that are gone.
    pub(crate) fn truncate(&mut self, length: usize) {
        for totals in self.columns.columns_mut() {
            totals.truncate(totals.partition_point(|(row, _)| *row < length));
        }
    }

    /// Counts the totals remembered before a row, in all forms together.
    pub(crate) fn known_count(&self, row: usize) -> usize {
        self.at(row).count()
    }

    /// The totals before a row, by their forms.
    fn at(&self, row: usize) -> impl Iterator<Item = (u64, Total)> {
        self.columns.iter().filter_map(move |(form, totals)| {
            let at = totals.binary_search_by_key(&row, |(known, _)| *known).ok()?;
            Some((form, totals[at].1))
        })
    }

    /// Takes over the totals of another list of the same log's rows. `row_of` maps a row there to a row here.
    pub(crate) fn take(&mut self, other: &Self, row_of: &dyn Fn(usize) -> Option<usize>) {
        for (form, totals) in other.columns.iter() {
            for (row, total) in totals {
                if let Some(row) = row_of(*row) {
                    self.insert(form, row, *total);
                }
            }
        }
    }

    /// The totals before a row as bytes. They are valid for any log with the same messages before that place.
    pub(crate) fn bytes(&self, row: usize, place: u64) -> Vec<u8> {
        let record =
            |(form, total): (u64, Total)| [form, place, total.tokens, total.results, total.run_end];
        self.at(row).flat_map(record).flat_map(u64::to_le_bytes).collect()
    }

    /// Remembers the totals before a row if they belong to the same place.
    pub(crate) fn learn(&mut self, row: usize, bytes: &[[u8; TOTAL_BYTES]], place: u64) {
        for record in bytes {
            // The length was checked, so every part is there.
            let part = |at: usize| record[at..at + 8].try_into().map_or(0, u64::from_le_bytes);
            if part(8) == place {
                let total = Total { tokens: part(16), results: part(24), run_end: part(32) };
                self.insert(part(0), row, total);
            }
        }
    }
}
