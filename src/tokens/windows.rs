//! The context windows of current models, from `models.tsv`, which has the date and the sources of every figure.

use super::model::base_name;

/// One line per model: its name, its context window, its maximum input if that is less, and the shortest prompt that
/// its provider caches. `-` means unknown. `build.rs` makes it from `models.tsv`.
static WINDOWS: &str = include_str!(concat!(env!("OUT_DIR"), "/windows.txt"));

/// A model's limits, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Prompt and reply together.
    pub(crate) tokens: u64,
    /// The prompt alone, if it may not fill the window.
    pub(crate) most_input: Option<u64>,
    /// The shortest prompt that its provider caches, if published.
    least_cached: Option<u64>,
}

/// The shortest prompt that is cached, for models without a figure: that of all of OpenAI's models and most of
/// Anthropic's.
const LEAST_CACHED: u64 = 1024;

/// The shortest prompt that a model's provider caches, in tokens, by the model's name.
pub(crate) fn least_cached(model: Option<&str>) -> u64 {
    model.and_then(of).and_then(|window| window.least_cached).unwrap_or(LEAST_CACHED)
}

/// Every model with its window.
fn all() -> impl Iterator<Item = (&'static str, Window)> {
    WINDOWS.lines().filter_map(read)
}

/// Reads a line of the table.
fn read(line: &str) -> Option<(&str, Window)> {
    let mut words = line.split(' ');
    let (name, tokens) = (words.next()?, words.next()?.parse().ok()?);
    let mut figure = || words.next().and_then(|it| it.parse().ok());
    Some((name, Window { tokens, most_input: figure(), least_cached: figure() }))
}

/// The names of all models with a known window.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    all().map(|(name, _)| name)
}

/// The window of a model, by its name, which may have the provider before it, or a date or `latest` after it. Anything
/// else after the name makes it another, unknown model.
pub(crate) fn of(model: &str) -> Option<Window> {
    let name = plain_name(model);
    let known = all().filter(|(known, _)| name.strip_prefix(known).is_some_and(is_release));
    known.max_by_key(|(known, _)| known.len()).map(|(_, window)| window)
}

/// A name in the table's form, without the prefixes of routers and clouds.
pub(crate) fn plain_name(model: &str) -> String {
    let lower = base_name(model).to_ascii_lowercase();
    let own = lower.rsplit('/').next().unwrap_or_default();
    match own.find("claude") {
        Some(at) => own[at..].replace('.', "-"),
        None => own.to_owned(),
    }
}

/// True if the rest of a model's name only says which release it is: `-20250514-v1:0`, `-latest`, `-preview-05-20`,
/// `-001`.
fn is_release(rest: &str) -> bool {
    const WORDS: [&str; 4] = ["latest", "preview", "exp", "free"];
    let mut words = rest.split(['-', ':', '@', '.']);
    if words.next() != Some("") {
        return false; // the name continues
    }
    let mut is_dated = false;
    words.all(|word| {
        let digits = word.strip_prefix('v').unwrap_or(word);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let fits = WORDS.contains(&word) || is_number && (is_dated || digits.len() > 2);
        is_dated |= fits;
        fits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_found_by_the_name_of_the_model() {
        for (model, tokens) in [
            ("gpt-5", 400_000),
            ("openai/gpt-5-mini-2025-08-07", 400_000),
            ("gpt-4o-2024-08-06", 128_000),
            ("ft:gpt-4o-2024-08-06:me::x", 128_000),
            ("gpt-5.1-chat-latest", 128_000),
            ("claude-sonnet-4-5-20250929", 200_000),
            ("claude-opus-4-20250514", 200_000),
            ("anthropic/claude-opus-4.6", 1_000_000),
            ("us.anthropic.claude-sonnet-4-20250514-v1:0", 200_000),
            ("claude-haiku-4-5@20251001", 200_000),
            ("google/gemini-2.5-flash-preview-05-20", 1_048_576),
            ("gemini-2.0-flash-001", 1_048_576),
        ] {
            assert_eq!(of(model).map(|it| it.tokens), Some(tokens), "{model}");
        }
        assert_eq!(of("gpt-5").and_then(|it| it.most_input), Some(272_000));
    }

    #[test]
    fn the_smallest_cacheable_prompt_depends_on_the_model() {
        for (model, tokens) in [
            (Some("claude-opus-5"), 512),
            (Some("anthropic/claude-opus-4.7"), 2048),
            (Some("claude-haiku-4-5-20251001"), 4096),
            (Some("claude-sonnet-4-5"), 1024),
            (Some("gpt-4"), 1024), // no figure is published
            (Some("a model of my own"), 1024),
            (None, 1024),
        ] {
            assert_eq!(least_cached(model), tokens, "{model:?}");
        }
    }

    #[test]
    fn other_models_are_unknown() {
        for model in
            ["", "gpt-5.9", "gpt-4o-audio-preview", "claude-opus-4-9", "claude", "llama", "gpt"]
        {
            assert_eq!(of(model), None, "{model}");
        }
    }

    /// A line that doesn't parse would be left out silently.
    #[test]
    fn every_line_of_the_table_is_read() {
        let table = include_str!("models.tsv");
        let rows = table.lines().filter(|line| !line.starts_with('#'));
        let mut seen = Vec::new();
        for row in rows {
            let cells: Vec<&str> = row.split('\t').collect();
            assert_eq!(cells.len(), 11, "{row}");
            let window = of(cells[0]).expect(row);
            assert_eq!(window.tokens.to_string(), cells[2], "{row}");
            assert!(window.most_input.is_none_or(|input| input < window.tokens), "{row}");
            let figure = |figure: Option<u64>| figure.map_or(String::new(), |it| it.to_string());
            assert_eq!(
                [figure(window.most_input), figure(window.least_cached)],
                [cells[3], cells[6]]
            );
            assert!(["yes", "no"].contains(&cells[5]), "{row}");
            for figure in [3, 4, 6, 7, 8, 9, 10] {
                assert!(cells[figure].is_empty() || cells[figure].parse::<f64>().expect(row) > 0.0);
            }
            seen.push(cells[0]);
        }
        assert_eq!(names().collect::<Vec<_>>(), seen);
    }
}
