//! Parts of a log's index, with the version and the checksum that belong to them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::rc::Rc;
use std::sync::OnceLock;
use windrow::config::ContextConfig;
use windrow::transcript::Transcript;
use windrow_fuzz::{build_of, seed, transcript, value};
use xxhash_rust::xxh64::xxh64;

static VERSION: OnceLock<Vec<u8>> = OnceLock::new();

/// The index of a log of so many messages, in its first part.
fn part(count: usize) -> Vec<u8> {
    let mut log = transcript(count);
    log.set_log(None, 0, (1..=count as u64).collect());
    // A build that ranks makes it.
    let config = value(serde_json::json!({ "budget": { "maxTokens": 40 } }));
    let config = ContextConfig::read(&config).expect("a sound config");
    let log = Rc::new(log);
    let _ = build_of(&log, config, Vec::new(), &mut |need| panic!("asks for {need:?}"));
    log.index_part(0, 1)
}

fuzz_target!(
    init: {
        for count in [12, 40, 600] {
            let bytes = part(count);
            assert!(bytes.len() > 16, "{count} messages have an index");
            VERSION.get_or_init(|| bytes[..8].to_vec());
            seed(&count.to_string(), &bytes[16..]);
        }
    },
    |body: &[u8]| {
        let mut bytes = VERSION.get().expect("set at the beginning").clone();
        bytes.extend(xxh64(body, 0).to_le_bytes());
        bytes.extend(body);
        let log = Transcript::default();
        let _ = log.learn_index_part(body, 1);
        let end = log.learn_index_part(&bytes, 1);
        if end > 0 {
            for place in 0..log.index_parts().len() {
                let _ = log.index_part(place, 1);
            }
            let _ = log.last_indexed_seq();
            let copy = Transcript::default();
            copy.take_index(&log);
            let _ = log.learn_index_part(&bytes, 1);
        }
    }
);
