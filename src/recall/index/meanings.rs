//! The directions of messages among meanings: found when a request first asks how near messages are to it, and kept with the index.

use crate::base::bytes::Reader;
use crate::recall::index::segment::narrow;
use crate::recall::text::meaning::{Table, similarity};

/// The directions of an index's first messages, by one table.
#[derive(Clone, Debug, Default)]
pub(super) struct Meanings {
    /// The checksum of the table; 0 before any is used.
    pub(super) table: u64,
    pub(super) dimensions: usize,
    /// One direction after the other. All zeros for a message that the table says nothing about.
    pub(super) components: Vec<i8>,
}

impl Meanings {
    /// How many messages have their direction.
    pub(super) fn len(&self) -> usize {
        self.components.len().checked_div(self.dimensions).unwrap_or_default()
    }

    pub(super) fn truncate(&mut self, length: usize) {
        self.components.truncate(length * self.dimensions);
    }

    /// Writes the directions of some messages, or that not all of them are there.
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

    /// Takes the directions of the next messages from a store. Those of another table stay out, and
    /// are found again from texts.
    pub(super) fn take(&mut self, first: usize, next: Self) {
        if first == 0 {
            *self = next;
        } else if first == self.len()
            && (next.table, next.dimensions) == (self.table, self.dimensions)
        {
            self.components.extend(next.components);
        }
    }

    /// Returns how near each of `count` messages is to a text. Finds directions that are not known yet from the messages' texts. None
    /// if a text is needed that `text_of` doesn't have.
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
