//! `budget.usage`: a provider's figures for earlier requests calibrate the count of the next one.

use crate::support::{Message, build, config, read_config, transcript};
use proptest::collection::vec;
use proptest::prelude::*;
use windrow::base::error::ErrorCode;
use windrow_property::properties;

properties! {
/// A calibrated build keeps the same messages as an uncalibrated one with proportionally smaller limits. It predicts
/// the provider's count, and never promises more than fits.
    #[test]
    fn a_calibrated_budget_is_a_smaller_one(
        texts in vec("[a-z ]{1,60}", 1..30),
        permille in 500_u64..2001,
        limit in 60_u64..800,
        history in prop::option::of(20_u64..400),
    ) {
        let messages: Vec<Message> = texts.iter().map(|text| Message::user(text)).collect();
        let transcript = transcript(&messages);
        let own = |of: u64| history.map_or("null".to_owned(), |tokens| (tokens * 1000 / of).to_string());
        let options = |usage: &str, of: u64| format!(
            r#"{{"encoding":"estimate","budget":{{"maxTokens":{},"onRequiredOverflow":"exceed"{usage}}},
                "sections":[{{"id":"history","kind":"history","limit":{{"tokens":{}}}}},{{"id":"request","kind":"request"}}]}}"#,
            limit * 1000 / of,
            own(of),
        );
        let usage = format!(r#","usage":[{{"countedTokens":1000,"inputTokens":{permille}}}]"#);
        let plain = build(&transcript, None, config(&options("", permille))).expect("a context");
        let calibrated = build(&transcript, None, config(&options(&usage, 1000))).expect("a context");

        prop_assert_eq!(
            plain.pieces.iter().map(|placed| placed.piece).collect::<Vec<_>>(),
            calibrated.pieces.iter().map(|placed| placed.piece).collect::<Vec<_>>()
        );
        let tokens = &calibrated.tokens;
        prop_assert_eq!(tokens.counted, plain.tokens.total);
        prop_assert_eq!(tokens.total, (tokens.counted * permille).div_ceil(1000));
        prop_assert_eq!(tokens.limit, Some(limit));
        prop_assert_eq!(tokens.sections.iter().map(|section| section.tokens).sum::<u64>(), tokens.total);
        prop_assert!(!tokens.exact && tokens.words.contains("calibrated by a recorded request"));
        if plain.tokens.total <= limit * 1000 / permille {
            prop_assert!(tokens.total <= limit);
        }
        prop_assert_ne!(&plain.snapshot.context_hash, &calibrated.snapshot.context_hash);
        prop_assert_eq!(calibrated.recording.config.budget.usage.len(), 1);
    }
}

#[test]
fn a_usage_without_tokens_is_refused() {
    let error = read_config(r#"{"budget":{"usage":[{"countedTokens":5,"inputTokens":5},{"countedTokens":0,"inputTokens":5}]}}"#)
        .expect_err("it says nothing");
    assert_eq!(error.code, ErrorCode::InvalidConfig);
    assert_eq!(error.path.as_deref(), Some("budget.usage[1].countedTokens"));
}

/// Errors about a budget that is too small use the model's tokens.
#[test]
fn an_error_reports_the_tokens_of_the_model() {
    let messages = [Message::user(&"word ".repeat(100))];
    let usage = r#"{"encoding":"estimate","budget":{"maxTokens":100,"usage":[{"countedTokens":100,"inputTokens":150}]}}"#;
    let error = build(
        &transcript(&messages),
        Some("Why?"),
        config(&usage.replace("\"maxTokens\":100", "\"maxTokens\":6")),
    )
    .expect_err("nothing fits");
    assert_eq!((error.code, error.available), (ErrorCode::BudgetTooSmall, Some(6)));
    let plain = build(
        &transcript(&messages),
        Some("Why?"),
        config(r#"{"encoding":"estimate","budget":{"maxTokens":4}}"#),
    )
    .expect_err("nothing fits");
    let counted = plain.needed.expect("a figure");
    assert_eq!(error.needed, Some((counted * 1500).div_ceil(1000)));
}
