//! Costs and vectors that a store kept, with the checksums that belong to them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::rc::Rc;
use std::sync::OnceLock;
use windrow::config::ContextConfig;
use windrow::measure::measure_all;
use windrow::tokens::Counter;
use windrow_fuzz::{seed, transcript};
use xxhash_rust::xxh64::xxh64;

static VERSION: OnceLock<Vec<u8>> = OnceLock::new();

fuzz_target!(
    init: {
        let messages = Rc::new(transcript(8));
        let _ = measure_all(&messages, ContextConfig::default(), Counter::Estimate);
        let bytes = messages.costs(0..8);
        VERSION.get_or_init(|| bytes[..8].to_vec());
        seed("all", &bytes[8..]);
        seed("none", &[]);
        seed("one", &[&4_u64.to_le_bytes()[..], &[1; 12]].concat());
        seed("costs", &[7; 48]);
    },
    |bytes: &[u8]| {
        let messages = transcript(8);
        let version = VERSION.get().expect("set at the beginning");
        messages.learn_costs(0..8, bytes);
        messages.learn_costs(0..8, &[&version[..], bytes].concat());
        let _ = (messages.costs(0..8), messages.known_costs(0..8));

        messages.learn_vectors(0..8, "model", bytes);
        if let Some((dimensions, records)) = bytes.split_first_chunk::<8>() {
            let checksum = xxh64(records, u64::from_le_bytes(*dimensions)).to_le_bytes();
            let sealed = [&b"vectors1"[..], dimensions, &checksum, records].concat();
            messages.learn_vectors(0..8, "model", &sealed);
        }
        let _ = (messages.vectors(0..8, "model"), messages.known_vectors(0..8, "model"));
    }
);
