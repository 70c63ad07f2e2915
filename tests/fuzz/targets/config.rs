//! Configs, from JSON: read strictly, and what is sound is built with.
#![no_main]

use libfuzzer_sys::fuzz_target;
use windrow::ask::{Answer, Outcome};
use windrow::config::ContextConfig;
use windrow_fuzz::{build, seed, value};

fuzz_target!(
    init: {
        seed("empty", b"{}");
        let default = serde_json::to_string(&ContextConfig::default()).expect("plain data");
        seed("default", default.as_bytes());
        seed("some", br#"{"budget":{"maxTokens":50,"onRequiredOverflow":"shorten"},"render":{"format":"text","gapNotice":"{count} left out"},"window":{"maxUserTurns":3}}"#);
        seed("sections", br#"{"sections":[{"id":"a","kind":"text","text":"/b","label":" "},{"id":"h","kind":"history"},{"id":"r","kind":"request"}],"render":{"format":"xml"}}"#);
    },
    |bytes: &[u8]| {
        let Ok(json) = serde_json::from_slice(bytes) else { return };
        match ContextConfig::read(&value(json)) {
            Ok(config) => {
                let answer = |need: &windrow::ask::Need| {
                    panic!("no hook is there, and yet it asks for {need:?}: {:?}", Answer { outcome: Outcome::Given, ..Answer::default() })
                };
                if let Err(error) = build(config, Vec::new(), &mut { answer }) {
                    assert!(!error.next_action.is_empty());
                }
            }
            Err(error) => assert!(!error.message.is_empty() && !error.next_action.is_empty()),
        }
    }
);
