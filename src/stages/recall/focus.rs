//! Determines the focus of recall: how many items it asks for, and their size.

use crate::base::template::decimals;
use crate::config::{Focus, FocusSignals, RecallConfig};
use crate::state::context::FocusReport;

/// The config's focus, or the one that its signals add up to.
pub(crate) fn focus(config: &RecallConfig) -> FocusReport {
    let score = match (&config.focus, &config.focus_signals) {
        (Some(_), _) => None,
        (None, Some(signals)) => Some(score(signals)),
        (None, None) => Some(MIDDLE),
    };
    let level = match (config.focus, score) {
        (Some(level), _) => level,
        (None, Some(LEAST_FOCUSED..)) => Focus::Focused,
        (None, Some(..LEAST_BALANCED)) => Focus::Diffuse,
        (None, _) => Focus::Balanced,
    };
    let (name, max_items, max_chars) = match level {
        Focus::Focused => ("focused", 4, 900),
        Focus::Balanced => ("balanced", 8, 1700),
        Focus::Diffuse => ("diffuse", 16, 3600),
    };
    let summary = match score {
        Some(score) => format!("{name} ({})", decimals(score, 2)),
        None => name.to_owned(),
    };
    FocusReport {
        level,
        score,
        summary,
        max_items: config.max_items.unwrap_or(max_items),
        max_chars: config.max_chars.unwrap_or(max_chars),
    }
}

const LEAST_FOCUSED: f64 = 0.68;
const LEAST_BALANCED: f64 = 0.40;
/// Value of a missing signal.
const MIDDLE: f64 = 0.5;

/// From 0 (diffuse) to 1 (focused). Dopamine is best in the middle; for the others, more is better.
fn score(signals: &FocusSignals) -> f64 {
    let signal = |given: Option<f64>| {
        given.filter(|value| !value.is_nan()).map_or(MIDDLE, |value| value.clamp(0.0, 1.0))
    };
    let drive = 1.0 - 1.9 * (signal(signals.d) - 0.58).abs();
    let sum = 0.43 * signal(signals.s)
        + 0.39 * signal(signals.e)
        + 0.10 * signal(signals.o)
        + 0.08 * drive.max(0.0);
    sum.clamp(0.0, 1.0)
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;

    fn of_signals(d: f64, o: f64, s: f64, e: f64) -> FocusReport {
        let signals = FocusSignals { d: Some(d), o: Some(o), s: Some(s), e: Some(e) };
        focus(&RecallConfig { focus_signals: Some(signals), ..RecallConfig::default() })
    }

    #[test]
    fn follows_the_signals() {
        let focused = of_signals(0.56, 0.62, 0.88, 0.83);
        assert_eq!((focused.level, &*focused.summary), (Focus::Focused, "focused (0.84)"));
        assert!((focused.score.unwrap_or_default() - 0.84106).abs() < 1e-9);
        assert_eq!((focused.max_items, focused.max_chars), (4, 900));
        let diffuse = of_signals(0.9, 0.2, 0.2, 0.2);
        assert_eq!((diffuse.level, &*diffuse.summary), (Focus::Diffuse, "diffuse (0.22)"));
        assert_eq!((diffuse.max_items, diffuse.max_chars), (16, 3600));
        // A signal outside the range is clamped, and one that isn't a number is the middle.
        let outside = of_signals(f64::NAN, f64::NEG_INFINITY, 7.0, f64::INFINITY);
        assert_eq!(&*outside.summary, "focused (0.89)");
        let nothing = FocusSignals::default();
        let nothing = RecallConfig { focus_signals: Some(nothing), ..RecallConfig::default() };
        assert_eq!(focus(&nothing).summary, "balanced (0.53)");
    }

    #[test]
    fn the_config_wins() {
        let without = focus(&RecallConfig::default());
        assert_eq!((without.level, without.score), (Focus::Balanced, Some(0.5)));
        assert_eq!(without.summary, "balanced (0.50)");
        assert_eq!((without.max_items, without.max_chars), (8, 1700));
        let given = focus(&RecallConfig {
            focus: Some(Focus::Diffuse),
            focus_signals: Some(FocusSignals { s: Some(1.0), ..FocusSignals::default() }),
            max_items: Some(3),
            ..RecallConfig::default()
        });
        assert_eq!((given.level, given.score), (Focus::Diffuse, None));
        assert_eq!(given.summary, "diffuse");
        assert_eq!((given.max_items, given.max_chars), (3, 3600));
    }
}
