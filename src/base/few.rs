//! A short list.

/// A list that mostly has one entry, which is stored inline. It allocates only for a second one.
#[derive(Clone, Debug)]
pub(crate) struct Few<T> {
    first: Option<T>,
    rest: Vec<T>,
}

impl<T> Default for Few<T> {
    fn default() -> Self {
        Self { first: None, rest: Vec::new() }
    }
}

impl<T> From<T> for Few<T> {
    fn from(only: T) -> Self {
        Self { first: Some(only), rest: Vec::new() }
    }
}

impl<T> Few<T> {
    /// Adds an entry at the end.
    #[inline]
    pub(crate) fn push(&mut self, entry: T) {
        if self.first.is_none() {
            self.first = Some(entry);
        } else {
            self.rest.push(entry);
        }
    }

    /// The last entry.
    pub(crate) fn last_mut(&mut self) -> Option<&mut T> {
        self.rest.last_mut().or(self.first.as_mut())
    }

    /// The entries in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.first.iter().chain(&self.rest)
    }
}

impl<T> Extend<T> for Few<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, entries: I) {
        for entry in entries {
            self.push(entry);
        }
    }
}

impl<T> IntoIterator for Few<T> {
    type Item = T;
    type IntoIter = std::iter::Chain<std::option::IntoIter<T>, std::vec::IntoIter<T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.first.into_iter().chain(self.rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_all_entries_in_their_order() {
        for count in 0..4 {
            let mut few = Few::default();
            few.extend(0..count);
            few.push(count);
            let all: Vec<usize> = (0..=count).collect();
            assert_eq!(few.iter().copied().collect::<Vec<usize>>(), all);
            assert_eq!(few.into_iter().collect::<Vec<usize>>(), all);
        }
    }
}
