//! Remembered costs of messages, by form, and the tokens before them.

use crate::base::cost::Cost;
use crate::base::map::HashedMap;
use crate::log::forms::Forms;
use crate::log::totals::{TOTAL_BYTES, Totals};
use std::ops::Range;
use xxhash_rust::xxh64::xxh64;

const UNKNOWN_COST: [u32; 3] = [u32::MAX; 3];
const RECORD_BYTES: usize = 28;
/// Number of bytes that hold the number of totals.
const COUNT_BYTES: usize = 8;

/// Costs of messages in each form, by row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Costs {
    columns: Forms<CostColumn>,
    pub(crate) totals: Totals,
}

/// Tokens, characters and bytes, by row. A build counts few messages of a long log, so only pages with a counted one
/// have any entries.
#[derive(Clone, Debug, Default)]
struct CostColumn(Vec<Vec<[u32; 3]>>);

/// The number of rows in a page.
const PAGE: usize = 64;

impl CostColumn {
    fn get(&self, row: usize) -> Option<[u32; 3]> {
        let page = self.0.get(row / PAGE)?;
        page.get(row % PAGE).copied().filter(|cost| *cost != UNKNOWN_COST)
    }

    fn insert(&mut self, row: usize, cost: [u32; 3]) {
        let page = row / PAGE;
        if self.0.len() <= page {
            self.0.resize_with(page + 1, Vec::new);
        }
        self.0[page].resize(PAGE, UNKNOWN_COST);
        self.0[page][row % PAGE] = cost;
    }

    fn truncate(&mut self, length: usize) {
        self.0.truncate(length.div_ceil(PAGE));
        if let Some(page) = self.0.get_mut(length / PAGE) {
            page.truncate(length % PAGE);
        }
    }
}

impl Costs {
    /// The cost of a message in a form.
    pub(crate) fn get(&self, form: u64, row: usize) -> Option<Cost> {
        let column = self.columns.get(form)?;
        let [tokens, chars, bytes] = column.get(row)?.map(u64::from);
        Some(Cost { tokens, chars, bytes })
    }

    /// Remembers the cost of a message in a form, unless it exceeds 32 bits.
    pub(crate) fn insert(&mut self, form: u64, row: usize, cost: Cost) {
        let figure = |cost| u32::try_from(cost).ok();
        let (Some(tokens), Some(chars), Some(bytes)) =
            (figure(cost.tokens), figure(cost.chars), figure(cost.bytes))
        else {
            return;
        };
        self.columns.get_or_add(form).insert(row, [tokens, chars, bytes]);
    }

    /// Forgets the costs of the messages from `length` on.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.columns.columns_mut().for_each(|column| column.truncate(length));
        self.totals.truncate(length);
    }

    /// The costs of some messages as bytes, each with the checksum of its message. Empty if none is known. If the place
    /// of the first message in its log is given, they begin with the totals before it.
    pub(crate) fn bytes(
        &self,
        rows: Range<usize>,
        place: Option<u64>,
        checksum_of: &dyn Fn(usize) -> u64,
    ) -> Vec<u8> {
        let totals = place.map_or_else(Vec::new, |place| self.totals.bytes(rows.start, place));
        let mut records = ((totals.len() / TOTAL_BYTES) as u64).to_le_bytes().to_vec();
        records.extend(totals);
        for row in rows {
            let mut checksum = None;
            for (form, column) in self.columns.iter() {
                let Some(costs) = column.get(row) else {
                    continue;
                };
                let checksum = *checksum.get_or_insert_with(|| checksum_of(row));
                records.extend(form.to_le_bytes());
                records.extend(checksum.to_le_bytes());
                records.extend(costs.map(u32::to_le_bytes).as_flattened());
            }
        }
        if records.len() == COUNT_BYTES {
            return Vec::new();
        }
        let header = [version(), xxh64(&records, 0)].map(u64::to_le_bytes);
        [header.as_flattened(), &records].concat()
    }

    /// The number of known costs of some messages, in all forms together, and of totals before the first message.
    pub(crate) fn known_count(&self, rows: Range<usize>) -> usize {
        let known = |(_, column): (u64, &CostColumn)| {
            rows.clone().filter(|row| column.get(*row).is_some()).count()
        };
        let totals = self.totals.known_count(rows.start);
        totals + self.columns.iter().map(known).sum::<usize>()
    }

    /// Reads the costs of some messages from [`Costs::bytes`]. Any other bytes are ignored.
    pub(crate) fn learn(
        &mut self,
        rows: Range<usize>,
        place: Option<u64>,
        bytes: &[u8],
        checksum_of: &dyn Fn(usize) -> u64,
    ) {
        let Some((known_version, rest)) = bytes.split_first_chunk() else {
            return;
        };
        let Some((checksum, records)) = rest.split_first_chunk() else {
            return;
        };
        // A checksum covers the costs, because a wrong one would look like a right one.
        let [known_version, checksum] =
            [known_version, checksum].map(|part| u64::from_le_bytes(*part));
        if known_version != version() || checksum != xxh64(records, 0) {
            return;
        }
        let Some((count, rest)) = records.split_first_chunk() else {
            return;
        };
        let totals = usize::try_from(u64::from_le_bytes(*count)).unwrap_or(usize::MAX);
        let Some((totals, records)) = rest.split_at_checked(totals.saturating_mul(TOTAL_BYTES))
        else {
            return;
        };
        let (records, rest) = records.as_chunks::<RECORD_BYTES>();
        if !rest.is_empty() {
            return;
        }
        if let Some(place) = place {
            self.totals.learn(rows.start, totals.as_chunks().0, place);
        }
        let mut known: HashedMap<u64, Vec<(u64, Cost)>> = HashedMap::default();
        for record in records {
            // The length was checked, so every part is there.
            let part = |at: usize| record[at..at + 8].try_into().map_or(0, u64::from_le_bytes);
            let [form, checksum, costs, last] = [part(0), part(8), part(16), part(20)];
            let (tokens, chars) = (costs & u64::from(u32::MAX), costs >> 32);
            let cost = Cost { tokens, chars, bytes: last >> 32 };
            known.entry(checksum).or_default().push((form, cost));
        }
        for row in rows {
            for (form, cost) in known.get(&checksum_of(row)).into_iter().flatten() {
                self.insert(*form, row, *cost);
            }
        }
    }
}

/// The header of these bytes. It has the version, because another one may count differently.
fn version() -> u64 {
    xxh64(concat!("costs and totals ", env!("CARGO_PKG_VERSION")).as_bytes(), 0)
}
