//! Answers of hooks: what a model says to triage, and answers as a recording has them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use windrow::ask::{Answer, HookName, Outcome};
use windrow::config::ContextConfig;
use windrow::value::Value;
use windrow_fuzz::{build, seed, value};

fuzz_target!(
    init: {
        seed("list", b"[1, 3, 5]");
        seed("prose", b"The relevant ones are:\n- 2\n- 7 (maybe), and 10-12.");
        seed("fence", b"```json\n{\"relevant\": [\"1\", \"4\"]}\n```");
        seed("ids", br#"{"hook":"triage.select","outcome":"given","ids":["1","2"]}"#);
        seed("counts", br#"{"hook":"countTokens","outcome":"given","counts":[1,2,3]}"#);
        seed("near", br#"{"hook":"recall.embed","outcome":"given","similarities":"AAgA"}"#);
        seed("summaries", br#"{"hook":"tiers.summarize","outcome":"failed","reason":"x","summaries":[null,"a"]}"#);
    },
    |bytes: &[u8]| {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        let json = serde_json::json!({ "triage": { "skipSelectionThreshold": 2, "alwaysIncludeRecent": 2 }, "budget": { "maxTokens": 150 } });
        let config = || ContextConfig::read(&value(json.clone())).expect("a sound config");
        let said = |outcome| Answer { hook: HookName::Complete, outcome, text: Some(text.to_owned()), ..Answer::default() };
        let _ = build(config(), vec![HookName::Complete], &mut |_| said(Outcome::Given));

        let Ok(recorded) = serde_json::from_str(text) else { return };
        let recorded: Value = value(recorded);
        let Ok(answer) = recorded.decode::<Answer>(&[]) else { return };
        let hook = answer.hook;
        let _ = build(config(), vec![hook], &mut |_| answer.clone());
        let mut tiers = config();
        tiers.render.format = windrow::config::Format::Conversations;
        let _ = build(tiers, vec![hook], &mut |_| answer.clone());
    }
);
