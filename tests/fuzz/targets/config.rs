//! Configs read strictly from JSON. A valid one builds a context within its limits, reproducibly.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::rc::Rc;
use windrow::base::error::ErrorCode;
use windrow::config::ContextConfig;
use windrow_fuzz::{build, seed, value, varied};

fuzz_target!(
    init: {
        seed("empty", b"{}");
        let default = serde_json::to_string(&ContextConfig::default()).expect("plain data");
        seed("default", default.as_bytes());
        seed("some", br#"{"budget":{"maxTokens":150,"onRequiredOverflow":"shorten"},"render":{"format":"text","gapNotice":"{count} left out"},"window":{"maxUserTurns":3}}"#);
        seed("sections", br#"{"sections":[{"id":"a","kind":"text","text":"/b","label":" "},{"id":"h","kind":"history"},{"id":"r","kind":"request"}],"render":{"format":"xml"}}"#);
        seed("items", br#"{"sections":[{"id":"i","kind":"items","items":[{"text":"a long note","summary":"a note","id":"n"}],"limit":{"items":1,"tokens":20}},{"id":"f","kind":"recall","item":"{number}. {text}","empty":"none"},{"id":"o","kind":"focus"},{"id":"h","kind":"history","limit":{"chars":400,"oversize":"tail"}}],"budget":{"maxChars":900,"onRequiredOverflow":"shorten","trimFirst":"history"}}"#);
        seed("recalled", br#"{"budget":{"maxTokens":200},"recall":{"placement":"afterHistory","recentMessages":2,"share":0.5,"ranking":"bm25"},"triage":{"alwaysIncludeRecent":2}}"#);
        seed("tiers", br#"{"tiers":{"enabled":true,"older":"summary","maxSummaries":2},"render":{"format":"conversations","times":true},"budget":{"contextLimit":1700,"replyReserve":1000},"timeZone":"Europe/Berlin","collect":{"sessionScope":"all","deduplicate":true},"filter":{"completedOnly":true,"maxAgeDays":2,"excludeTags":["command"]},"agentId":"agent","sessionId":"web:other"}"#);
    },
    |bytes: &[u8]| {
        let Ok(json) = serde_json::from_slice(bytes) else { return };
        match ContextConfig::read(&value(json)) {
            Ok(config) => {
                let no_hook = &mut |need: &_| panic!("no hook is there, and yet it asks for {need:?}");
                if let Err(error) = build(&Rc::new(varied()), config, &[], no_hook) {
                    assert_eq!(error.code, ErrorCode::BudgetTooSmall, "{error}");
                    assert!(error.needed > error.available && !error.next_action.is_empty());
                }
            }
            Err(error) => assert!(!error.message.is_empty() && !error.next_action.is_empty()),
        }
    }
);
