//! Property tests that stop when their time is up, not after a fixed number of cases.
//!
//! So a new property adds only its share of time to a run, however slow its cases are. Two environment variables set
//! the pace:
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `WINDROW_PROPERTY_MS` | time for each property, in milliseconds | 200 |
//! | `WINDROW_SEED` | seed of the random cases, an integer | 1 |
//!
//! A seed always yields the same cases in the same order. Only the number of cases that a run reaches depends on the
//! machine. A failure names the seed and saves the failing case in `tests/corpus`, under the path of its test file.
//! Later runs try these cases first, so commit the file together with the fix.

use proptest::strategy::Strategy;
use proptest::test_runner::{
    Config, FileFailurePersistence, RngSeed, TestCaseError, TestError, TestRunner,
};
use std::cell::Cell;
use std::ops::RangeInclusive;
use std::panic::Location;
use std::path::Path;
use std::time::{Duration, Instant};

pub use proptest;

/// Minimum number of cases, even if the time is up earlier.
const LEAST_CASES: u32 = 16;

/// The number of standard deviations that a share may fall short in [`Outcome::assert_share`]. A correct share fails
/// once in 30,000 runs.
const LUCK: f64 = 4.0;

/// Result of a property that passed.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Cases that passed.
    pub cases: u32,
}

impl Outcome {
    /// Fails if clearly fewer than 1 in `one_in` cases reached the behavior that the property is about.
    ///
    /// Guards against a generator that never reaches the code under test. The number of cases depends on the machine,
    /// so the share may fall short by as much as chance explains.
    ///
    /// # Panics
    ///
    /// If the share is too small.
    #[track_caller]
    pub fn assert_share(self, hits: u32, one_in: u32, what: &str) {
        let share = 1.0 / f64::from(one_in);
        let expected = f64::from(self.cases) * share;
        let deviation = (expected * (1.0 - share)).sqrt();
        assert!(f64::from(hits) + LUCK * deviation >= expected, "{hits} of {} {what}", self.cases);
    }
}

/// A number in an inclusive range.
///
/// Some `f32` ranges fail an assertion inside proptest.
pub fn number_in(range: RangeInclusive<f32>) -> impl Strategy<Value = f32> {
    let (low, high) = range.into_inner();
    (0..=u16::MAX).prop_map(move |part| {
        let share = f32::from(part) / f32::from(u16::MAX);
        (high - low).mul_add(share, low).clamp(low, high)
    })
}

/// Tries a property with random cases until its time is up.
///
/// # Panics
///
/// With the smallest failing case and the seed, if a case fails.
#[track_caller]
pub fn check<S: Strategy>(
    strategy: &S,
    test: impl Fn(S::Value) -> Result<(), TestCaseError>,
) -> Outcome {
    check_within(
        Duration::from_millis(from_environment("WINDROW_PROPERTY_MS", 200)),
        strategy,
        test,
    )
}

/// Works like [`check`], with the caller's own time limit.
#[track_caller]
#[expect(clippy::disallowed_methods, reason = "this clock only decides how long tests run")]
fn check_within<S: Strategy>(
    time: Duration,
    strategy: &S,
    test: impl Fn(S::Value) -> Result<(), TestCaseError>,
) -> Outcome {
    let seed = from_environment("WINDROW_SEED", 1);
    let mut runner = TestRunner::new(Config {
        cases: u32::MAX,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: Some(Box::new(corpus(Location::caller().file()))),
        // The first rejected case ends the run: see below.
        max_global_rejects: 0,
        max_local_rejects: u32::MAX,
        ..Config::default()
    });
    let started = Instant::now();
    let (cases, is_running, has_failed, is_over) =
        (Cell::new(0_u32), Cell::new(false), Cell::new(false), Cell::new(false));
    let result = runner.run(strategy, |value| {
        // Set when a case panicked. From then on the runner looks for a smaller case, for as long as it needs.
        has_failed.set(has_failed.get() || is_running.get());
        if !has_failed.get() && cases.get() >= LEAST_CASES && started.elapsed() >= time {
            is_over.set(true);
            return Err(TestCaseError::reject("the time is up"));
        }
        is_running.set(true);
        let outcome = test(value);
        is_running.set(false);
        match &outcome {
            Ok(()) => cases.set(cases.get() + 1),
            Err(_) => has_failed.set(true),
        }
        outcome
    });
    let cases = cases.get();
    match result {
        Ok(()) => Outcome { cases },
        Err(TestError::Abort(_)) if is_over.get() => Outcome { cases },
        Err(TestError::Abort(reason)) => {
            panic!("a case was rejected ({reason}): let its strategy make valid cases only")
        }
        Err(TestError::Fail(reason, value)) => panic!(
            "{reason}\nsmallest failing case: {value:#?}\n\
             found with WINDROW_SEED={seed}, and saved in tests/corpus"
        ),
    }
}

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| {
        text.parse().unwrap_or_else(|_| panic!("{name} is {text:?}: set it to an integer"))
    })
}

/// The saved cases of a test file, given by its path from the project's root.
fn corpus(file: &str) -> FileFailurePersistence {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
    let path = folder.join(file).with_extension("txt");
    // proptest needs a path that outlives the run, so a test leaks one path per property.
    FileFailurePersistence::Direct(Box::leak(path.to_string_lossy().into_owned().into_boxed_str()))
}

/// Declares property tests in the syntax of `proptest!`, each run by [`check`].
#[macro_export]
macro_rules! properties {
    ($($(#[$attribute:meta])* fn $name:ident($($pattern:pat in $strategy:expr),+ $(,)?) $body:block)+) => {
        $($(#[$attribute])* fn $name() {
            $crate::check(&($($strategy,)+), |($($pattern,)+)| {
                $body
                Ok(())
            });
        })+
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::panic::catch_unwind;

    fn message_of(property: impl Fn() + std::panic::UnwindSafe) -> String {
        let panic = catch_unwind(property).expect_err("the property fails");
        panic.downcast_ref::<String>().cloned().expect("a message")
    }

    /// Runs [`check_within`] without a file for failing cases.
    fn cases_within(time: Duration, cost: Duration) -> u32 {
        check_within(time, &Just(()), |()| {
            std::thread::sleep(cost);
            Ok(())
        })
        .cases
    }

    #[test]
    fn the_time_bounds_the_cases() {
        let millisecond = Duration::from_millis(1);
        assert_eq!(cases_within(Duration::ZERO, Duration::ZERO), LEAST_CASES);
        let cases = cases_within(100 * millisecond, millisecond);
        assert!((LEAST_CASES..=100).contains(&cases), "{cases}");
    }

    #[test]
    fn a_failure_is_shrunk_after_the_time_is_up() {
        let saved =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/crates/property");
        for panics in [false, true] {
            let message = message_of(move || {
                check_within(Duration::ZERO, &(0_u32..1_000_000), |number| {
                    assert!(!panics || number < 10, "too large");
                    prop_assert!(number < 10, "too large");
                    Ok(())
                });
            });
            assert!(message.contains("smallest failing case: 10\n"), "{message}");
            assert!(
                message.contains("WINDROW_SEED=") && message.contains("too large"),
                "{message}"
            );
        }
        assert!(std::fs::remove_dir_all(saved).is_ok(), "the case was saved");
    }

    #[test]
    fn a_small_share_fails() {
        Outcome { cases: 16 }.assert_share(0, 2, "were looked at");
        Outcome { cases: 100 }.assert_share(30, 2, "were looked at");
        let message = message_of(|| Outcome { cases: 100 }.assert_share(29, 2, "were looked at"));
        assert_eq!(message, "29 of 100 were looked at");
    }

    properties! {
        #[test]
        fn patterns_bind_their_values(mut numbers in prop::collection::vec(0_u8..9, 0..5), (low, high) in (0_u8..5, 5_u8..9)) {
            numbers.push(low);
            prop_assert!(numbers.contains(&low) && low < high);
        }
    }
}
