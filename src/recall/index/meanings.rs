//! Keeps the directions of messages in the space of meanings. They are computed when a request first asks for
//! similarities, and stored with the index.

use crate::base::bytes::Reader;
use crate::recall::index::segment::narrow;
use crate::recall::text::meaning::{Table, similarity};

/// The directions of an index's first messages, by one table.
#[derive(Clone, Debug, Default)]
pub(super) struct Meanings {
    /// The checksum of the table; 0 before one is used.
    pub(super) table: u64,
    pub(super) dimensions: usize,
    /// The directions, one after another. All zeros for a message without words of the table.
    pub(super) components: Vec<i8>,
}

impl Meanings {
    /// The number of messages with a direction.
    pub(super) fn len(&self) -> usize {
        self.components.len().checked_div(self.dimensions).unwrap_or_default()
    }

    pub(super) fn truncate(&mut self, length: usize) {
        self.components.truncate(length * self.dimensions);
    }

    /// Writes the directions of some messages, or a marker if some are missing.
    pub(super) fn write(&self, first: usize, end: usize, out: &mut Vec<u8>) {
        let known = self.components.get(first * self.dimensions..end * self.dimensions);
        let known = known.unwrap_or_default();
        let dimensions = if known.is_empty() { 0 } else { narrow(self.dimensions) };
        out.extend(dimensions.to_le_bytes());
        out.extend(self.table.to_le_bytes());
        out.extend(known.iter().flat_map(|component| component.to_le_bytes()));
    }

    /// Reads the directions of `count` messages that `write` wrote.
    pub(super) fn read(count: usize, reader: &mut Reader<'_>) -> Option<Self> {
        let (dimensions, table) = (reader.length()?, reader.number()?);
        let components = reader.list(count.checked_mul(dimensions)?, i8::from_le_bytes)?;
        Some(Self { table, dimensions, components })
    }

    /// Takes the directions of the next messages from a store. Those of another table are dropped and computed again
    /// from the texts.
    pub(super) fn take(&mut self, first: usize, next: Self) {
        if first == 0 {
            *self = next;
        } else if first == self.len()
            && (next.table, next.dimensions) == (self.table, self.dimensions)
        {
            self.components.extend(next.components);
        }
    }

    /// Returns the similarity of each of `count` messages to a text. Computes missing directions from the messages'
    /// texts. None if `text_of` doesn't have a text that is needed.
    pub(super) fn similarities(
        &mut self,
        table: &Table,
        text: &str,
        count: usize,
        text_of: &dyn Fn(usize) -> Option<String>,
    ) -> Option<Vec<f32>> {
        let (checksum, dimensions) = (table.checksum(), table.dimensions());
        if (self.table, self.dimensions) != (checksum, dimensions) {
            *self = Self { table: checksum, dimensions, components: Vec::new() };
        }
        let mut adder = table.adder();
        for message in self.len()..count {
            let text = text_of(message)?;
            let start = self.components.len();
            self.components.resize(start + dimensions, 0);
            adder.direct(&text, &mut self.components[start..]);
        }
        let mut wanted = vec![0; dimensions];
        adder.direct(text, &mut wanted);
        let directions = self.components.chunks_exact(dimensions);
        Some(directions.map(|direction| similarity(direction, &wanted)).collect())
    }
}
