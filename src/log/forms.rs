//! Columns by form: values that depend on the format and encoding of messages as well as on the messages.

/// Number of remembered forms. A cost takes 12 bytes per message in each. With fewer, a caller who alternates between
/// two forms would count everything again.
const REMEMBERED_FORMS: usize = 4;

/// A column for each of the newest forms. A form is a checksum of everything besides the messages that the column
/// depends on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Forms<T> {
    columns: Vec<(u64, T)>,
}

impl<T: Default> Forms<T> {
    /// The column of a form, if the form is remembered.
    pub(crate) fn get(&self, form: u64) -> Option<&T> {
        self.columns.iter().find(|(known, _)| *known == form).map(|(_, column)| column)
    }

    /// The column of a form. A new form begins with an empty one, and displaces the oldest form if there are too many.
    pub(crate) fn get_or_add(&mut self, form: u64) -> &mut T {
        let columns = &mut self.columns;
        let position = columns.iter().position(|(known, _)| *known == form).unwrap_or_else(|| {
            if columns.len() == REMEMBERED_FORMS {
                columns.remove(0);
            }
            columns.push((form, T::default()));
            columns.len() - 1
        });
        &mut columns[position].1
    }

    /// The forms and their columns.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.columns.iter().map(|(form, column)| (*form, column))
    }

    /// The columns, for changing them.
    pub(crate) fn columns_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.columns.iter_mut().map(|(_, column)| column)
    }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use windrow_property::properties;

    properties! {
        /// A column keeps its value while at most `REMEMBERED_FORMS` forms are in use, and the oldest form goes first.
        #[test]
        fn the_newest_forms_are_remembered(asked in prop::collection::vec(0_u64..8, 0..40)) {
            let mut forms: Forms<u64> = Forms::default();
            let mut expected: Vec<(u64, u64)> = Vec::new();
            for form in asked {
                *forms.get_or_add(form) += 1;
                if let Some((_, count)) = expected.iter_mut().find(|(known, _)| *known == form) {
                    *count += 1;
                } else {
                    expected.push((form, 1));
                    let first = expected.len().saturating_sub(REMEMBERED_FORMS);
                    expected.drain(..first);
                }
                let found: Vec<(u64, u64)> = forms.iter().map(|(form, count)| (form, *count)).collect();
                prop_assert_eq!(&found, &expected);
                prop_assert!((0..8).all(|form| forms.get(form).is_some() == expected.iter().any(|it| it.0 == form)));
            }
        }
    }
}
