//! Costs and vectors from a store. Damaged bytes are ignored. Altered bytes with a valid checksum may mean something
//! else, and are written back unchanged.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::rc::Rc;
use std::sync::OnceLock;
use windrow::config::ContextConfig;
use windrow::prompt::measure::measure_all;
use windrow::recall::transcript::Transcript;
use windrow::tokens::{Counter, Tokenizer};
use windrow_fuzz::{seed, transcript};
use xxhash_rust::xxh64::xxh64;

/// Size of the version and the checksum.
const HEADER: usize = 16;
const ALL: std::ops::Range<usize> = 0..8;

static COSTS: OnceLock<Vec<u8>> = OnceLock::new();

/// Costs read from bytes, and their new serialization.
fn learned(bytes: &[u8]) -> (Transcript, Vec<u8>) {
    let messages = transcript(8);
    messages.learn_costs(ALL, bytes);
    let written = messages.costs(ALL);
    (messages, written)
}

fuzz_target!(
    init: {
        let messages = Rc::new(transcript(8));
        let _ = measure_all(&messages, ContextConfig::default(), Counter::Estimate(Tokenizer::O200k));
        let bytes = COSTS.get_or_init(|| messages.costs(ALL));
        assert_eq!(learned(bytes).1, *bytes, "what was written is read");
        seed("all", &bytes[HEADER..]);
        seed("none", &[]);
        seed("one", &[&4_u64.to_le_bytes()[..], &[1; 12]].concat());
        seed("costs", &[7; 48]);
    },
    |bytes: &[u8]| {
        let known = COSTS.get().expect("set at the beginning");
        let damaged = [&known[..HEADER], bytes].concat();
        assert_eq!(learned(&damaged).0.known_costs(ALL) > 0, damaged == *known, "what was damaged is ignored");
        assert_eq!(learned(bytes).0.known_costs(ALL), 0);
        let sealed = [&known[..8], &xxh64(bytes, 0).to_le_bytes(), bytes].concat();
        let (messages, written) = learned(&sealed);
        let (again, twice) = learned(&written);
        assert_eq!((again.known_costs(ALL), twice), (messages.known_costs(ALL), written));

        messages.learn_vectors(ALL, "model", bytes);
        assert_eq!(messages.known_vectors(ALL, "model"), 0);
        if let Some((dimensions, records)) = bytes.split_first_chunk::<8>() {
            let checksum = xxh64(records, u64::from_le_bytes(*dimensions)).to_le_bytes();
            let sealed = [&b"vectors1"[..], dimensions, &checksum, records].concat();
            messages.learn_vectors(ALL, "model", &sealed);
            let (count, written) = (messages.known_vectors(ALL, "model"), messages.vectors(ALL, "model"));
            let again = transcript(8);
            again.learn_vectors(ALL, "model", &written);
            assert_eq!((again.known_vectors(ALL, "model"), again.vectors(ALL, "model")), (count, written));
        }
    }
);
