//! The directions of messages among meanings: found when a request first asks how near messages are to it, and kept with the index.

use crate::recall::text::meaning::{Table, similarity};

/// The directions of an index's first messages, by one table.
#[derive(Clone, Debug, Default)]
pub(super) struct Meanings {
    /// The checksum of the table; 0 if there are none.
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

    /// The directions of some messages; none if not all of them are there.
    pub(super) fn part(&self, first: usize, end: usize) -> Option<&[i8]> {
        self.components
            .get(first * self.dimensions..end * self.dimensions)
            .filter(|it| !it.is_empty())
    }

    /// Takes the directions of the next messages from a store. Those of another table than the ones before stay out: they are
    /// found anew.
    pub(super) fn take(
        &mut self,
        first: usize,
        table: u64,
        dimensions: usize,
        components: Vec<i8>,
    ) {
        if first == 0 {
            *self = Self { table, dimensions, components };
        } else if first == self.len() && (table, dimensions) == (self.table, self.dimensions) {
            self.components.extend(components);
        }
    }

    /// By message, for so many messages: how near it is to a text. Finds the directions that are not known yet from the messages'
    /// texts. None if a text is needed that `text_of` doesn't have.
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
