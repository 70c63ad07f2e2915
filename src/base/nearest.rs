//! Suggestions for misspelled names.

/// A name in lower case without hyphens, because spellings differ in these.
pub(crate) fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '-'], "")
}

/// The most similar candidate, if the difference could be a typo.
pub(crate) fn nearest<'a>(
    given: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let wanted = plain(given);
    let length = wanted.chars().count();
    let most = |candidate: &str| 1.max(candidate.chars().count() / 4);
    candidates
        // A much longer or shorter name isn't a typo. Comparing a long text letter by letter would take seconds.
        .filter(|candidate| length.abs_diff(plain(candidate).chars().count()) <= most(candidate))
        .filter(|candidate| !are_opposites(&wanted, &plain(candidate)))
        .map(|candidate| (strsim::osa_distance(&wanted, &plain(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= most(candidate))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// True if one is a minimum and the other a maximum. Their names look alike.
fn are_opposites(one: &str, other: &str) -> bool {
    let is = |first: &str, second: &str| one.starts_with(first) && other.starts_with(second);
    is("min", "max") || is("max", "min")
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use windrow_property::properties;

    properties! {
        #[test]
        fn a_minimum_is_not_suggested_for_a_maximum(name in "[A-Za-z]{1,20}", slip in "[a-z]?") {
            let (least, most) = (format!("min{name}"), format!("max_{name}{slip}"));
            prop_assert_eq!(nearest(&least, [most.as_str()].into_iter()), None);
            prop_assert_eq!(nearest(&most, [least.as_str()].into_iter()), None);
            prop_assert_eq!(nearest(&least, [most.as_str(), least.as_str()].into_iter()), Some(least.as_str()));
        }
    }
}
