//! The right spelling of a name.

/// The candidate that differs least, if it differs little enough to be a slip.
pub(crate) fn nearest<'a>(
    given: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let plain = |text: &str| text.to_ascii_lowercase().replace(['_', '-'], "");
    let wanted = plain(given);
    let length = wanted.chars().count();
    let most = |candidate: &str| 1.max(candidate.chars().count() / 4);
    let is_least = |name: &str| plain(name).starts_with("min");
    let is_most = |name: &str| plain(name).starts_with("max");
    candidates
        // These look alike, and mean the opposite.
        .filter(|candidate| {
            !(is_least(given) && is_most(candidate) || is_most(given) && is_least(candidate))
        })
        // A much longer or shorter name is no slip. Compared letter by letter, a long text would cost seconds.
        .filter(|candidate| length.abs_diff(plain(candidate).chars().count()) <= most(candidate))
        .map(|candidate| (strsim::osa_distance(&wanted, &plain(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= most(candidate))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}
