//! Splits messages into rows: one for each speaker, each tool result, and each step of an assistant.
//!
//! A user's message may contain tool results next to the user's words, and a tool's message several results. Each
//! result is a row, and so are the words. So no stage has to ask who wrote which part of a message, and each result can
//! be dropped or shrink on its own.

/// The messages that have several rows. All others are one row.
#[derive(Clone, Debug, Default)]
pub struct SplitMessages {
    /// The rows that continue the message of the row before them, ascending.
    rows: Vec<usize>,
}

impl SplitMessages {
    /// Records that a row continues the message of the row before it.
    pub(super) fn push(&mut self, row: usize) {
        self.rows.push(row);
    }

    /// True if each message is one row.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The number of continuing rows before a row.
    fn count_before(&self, row: usize) -> usize {
        self.rows.partition_point(|next| *next < row)
    }

    /// A row's message.
    pub(super) fn message_of(&self, row: usize) -> usize {
        row - self.count_before(row + 1)
    }

    /// The first row of a message.
    pub(super) fn first_row_of(&self, message: usize) -> usize {
        let (mut low, mut high) = (0, self.rows.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let goes_on_with = self.rows[middle] - middle - 1;
            if goes_on_with < message {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        message + low
    }

    /// True if a row continues the message of the row before it.
    pub(super) fn goes_on(&self, row: usize) -> bool {
        !self.is_empty() && self.rows.binary_search(&row).is_ok()
    }

    /// The place of a row within its message, counted from 1; 0 if it is the whole message.
    pub(super) fn share(&self, row: usize) -> usize {
        if self.is_empty() || !(self.goes_on(row) || self.goes_on(row + 1)) {
            return 0;
        }
        row - self.first_row_of(self.message_of(row)) + 1
    }

    /// Keeps the rows before `length`.
    pub(super) fn truncate(&mut self, length: usize) {
        self.rows.truncate(self.count_before(length));
    }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use windrow_property::properties;

    properties! {
        /// The mapping between rows and messages agrees with a plain list of all rows.
        #[test]
        fn each_row_belongs_to_one_message(counts in vec(1_usize..5, 0..40), length in 0_usize..40) {
            let mut split = SplitMessages::default();
            let rows = counts.iter().enumerate();
            let rows: Vec<(usize, usize, usize)> = rows
                .flat_map(|(message, count)| (1..=*count).map(move |share| (message, share, *count)))
                .collect();
            for (row, (_, share, _)) in rows.iter().enumerate() {
                if *share > 1 {
                    split.push(row);
                }
            }
            for (row, (message, share, count)) in rows.iter().enumerate() {
                prop_assert_eq!(split.message_of(row), *message);
                prop_assert_eq!(split.first_row_of(*message), row + 1 - share);
                prop_assert_eq!(split.share(row), if *count == 1 { 0 } else { *share });
                prop_assert_eq!(split.goes_on(row), *share > 1);
            }
            prop_assert_eq!(split.message_of(rows.len()), counts.len());
            let first = split.first_row_of(length.min(counts.len()));
            split.truncate(first);
            prop_assert_eq!(split.message_of(first), length.min(counts.len()));
        }
    }
}
