//! Answers of hooks: a model's reply to triage, and recorded answers. Valid ones are taken at face value, and no answer
//! brings in anything that wasn't asked for.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::rc::Rc;
use windrow::base::error::ErrorCode;
use windrow::base::value::Value;
use windrow::config::ContextConfig;
use windrow::state::ask::{Answer, HookName, Need, Outcome};
use windrow_fuzz::{answers_of, build, seed, value, varied};

/// Builds with a question for every hook.
fn configs() -> [ContextConfig; 2] {
    let history = serde_json::json!({
        "triage": { "skipSelectionThreshold": 2, "alwaysIncludeRecent": 2 },
        "budget": { "maxTokens": 600, "onRequiredOverflow": "exceed" },
        "sections": [
            { "id": "found", "kind": "recall" },
            { "id": "history", "kind": "history" },
            { "id": "request", "kind": "request" },
        ],
    });
    let tiers = serde_json::json!({
        "tiers": { "enabled": true },
        "render": { "format": "conversations" },
        "budget": { "maxTokens": 400, "onRequiredOverflow": "exceed" },
    });
    [history, tiers].map(|json| ContextConfig::read(&value(json)).expect("a sound config"))
}

/// A recorded answer names only requested items.
fn check(need: &Need, answer: &Answer) {
    if answer.outcome != Outcome::Given {
        return;
    }
    match need {
        Need::Triage { candidates, .. } => {
            let ids = answer.ids.as_ref().expect("it was given");
            // Each of them appears once, in the order of the candidates.
            let mut rest = candidates.iter();
            assert!(ids.iter().all(|id| rest.any(|candidate| candidate.id == *id)), "{ids:?}");
        }
        Need::Recall { max_items, .. } => {
            assert!(answer.items.as_ref().expect("it was given").len() as u64 <= *max_items);
        }
        Need::Embeddings { message_count, .. } => {
            assert_eq!(
                answer.similarities.as_ref().expect("it was given").len(),
                2 * message_count
            );
        }
        Need::Summaries { conversations, max_chars, .. } => {
            let summaries = answer.summaries.as_ref().expect("it was given");
            assert_eq!(summaries.len(), conversations.len());
            let is_short = |text: &String| text.chars().count() as u64 <= *max_chars;
            assert!(summaries.iter().flatten().all(is_short));
        }
        Need::Counts { texts, .. } => {
            assert_eq!(answer.counts.as_ref().expect("it was given").len(), texts.len());
        }
        other => panic!("no hook answers {other:?}"),
    }
}

/// Builds with this answer to every question. Returns the questions, each with the recorded answer.
fn build_with(config: ContextConfig, hook: HookName, given: &Answer) -> Vec<(Need, Answer)> {
    let mut asked = Vec::new();
    let mut answer = |need: &Need| {
        asked.push(need.clone());
        given.clone()
    };
    match build(&Rc::new(varied()), config, &[hook], &mut answer) {
        Ok(context) => {
            let recorded = answers_of(&context);
            assert_eq!(recorded.len(), asked.len());
            let pairs: Vec<_> = asked.into_iter().zip(recorded).collect();
            for (need, answer) in &pairs {
                check(need, answer);
            }
            pairs
        }
        Err(error) => {
            let is_count = hook == HookName::CountTokens && error.code == ErrorCode::HookFailed;
            assert!(is_count, "only counts can make a build fail: {error}");
            Vec::new()
        }
    }
}

/// The numbers of an answer that has exactly the requested form.
fn numbers_of(text: &str) -> Option<Vec<u64>> {
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    let numbers = json.as_object().filter(|it| it.len() == 1)?.get("relevant_ids")?.as_array()?;
    let (dense, plain): (String, _) = (text.split_ascii_whitespace().collect(), json.to_string());
    let numbers: Option<Vec<u64>> = numbers.iter().map(serde_json::Value::as_u64).collect();
    numbers.filter(|_| plain == dense)
}

fuzz_target!(
    init: {
        let seeds: [(HookName, &str, &str); 6] = [
            (HookName::Select, "ids", r#"{"hook":"triage.select","outcome":"given","ids":["1","2"]}"#),
            (HookName::Complete, "said", r#"{"hook":"triage.complete","outcome":"given","ids":["4"]}"#),
            (HookName::Recall, "items", r#"{"hook":"recall.search","outcome":"given","items":[{"id":"a","text":"b","score":0.5}]}"#),
            (HookName::Embed, "near", r#"{"hook":"recall.embed","outcome":"given","similarities":"AAgA"}"#),
            (HookName::Summarize, "summaries", r#"{"hook":"tiers.summarize","outcome":"given","summaries":[null,"a"]}"#),
            (HookName::CountTokens, "counts", r#"{"hook":"countTokens","outcome":"given","counts":[1,2,3]}"#),
        ];
        for (hook, name, text) in seeds {
            seed(name, text.as_bytes());
            // Each hook is asked somewhere.
            let asked: usize = configs()
                .into_iter()
                .map(|config| {
                    let mut count = 0;
                    let mut answer = |_: &Need| {
                        count += 1;
                        Answer { hook, outcome: Outcome::Unavailable, ..Answer::default() }
                    };
                    let _ = build(&Rc::new(varied()), config, &[hook], &mut answer);
                    count
                })
                .sum();
            assert!(asked > 0, "{hook:?} is asked");
        }
        seed("right", b"{\"relevant_ids\": [0, 2]}");
        seed("prose", b"The relevant ones are:\n- 2\n- 7 (maybe), and 10-12.");
        seed("fence", b"```json\n{\"relevant_ids\": [1, \"4\"]}\n```");
        seed("failed", br#"{"hook":"tiers.summarize","outcome":"failed","reason":"x","summaries":[null,"a"]}"#);
    },
    |bytes: &[u8]| {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        let said = Answer { hook: HookName::Complete, outcome: Outcome::Given, text: Some(text.to_owned()), ..Answer::default() };
        let [history, _] = configs();
        for (need, answer) in build_with(history, HookName::Complete, &said) {
            let (Need::Triage { candidates, .. }, Some(numbers)) = (need, numbers_of(text)) else { continue };
            let named = candidates.iter().zip(0..).filter(|(_, number)| numbers.contains(number));
            let named: Vec<String> = named.map(|(candidate, _)| candidate.id.clone()).collect();
            // An answer that names nothing but unknown candidates has failed.
            let expected = (numbers.is_empty() || !named.is_empty()).then_some(named);
            assert_eq!(answer.ids, expected, "what is right is read");
        }

        let Ok(recorded) = serde_json::from_str(text) else { return };
        let recorded: Value = value(recorded);
        let Ok(given) = recorded.decode::<Answer>(&windrow::base::value::OptionNames::NONE) else { return };
        for config in configs() {
            for (need, answer) in build_with(config, given.hook, &given) {
                if let (Need::Triage { candidates, .. }, Some(ids), None) = (need, &given.ids, &given.text) {
                    let named = candidates.iter().filter(|it| ids.contains(&it.id));
                    let named: Vec<String> = named.map(|it| it.id.clone()).collect();
                    assert!(answer.outcome != Outcome::Given || answer.ids == Some(named));
                }
            }
        }
    }
);
