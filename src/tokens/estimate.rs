//! Estimates token counts.

/// Placeholder.
pub(super) fn count(text: &str) -> u64 {
    text.len() as u64 / 4
}

/// Placeholder.
pub(super) fn count_until(text: &str, limit: u64) -> Option<u64> {
    let count = count(text);
    (count <= limit).then_some(count)
}
