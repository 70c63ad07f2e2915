//! Parts of a log's index. Damaged bytes are refused. Altered bytes with a valid checksum may mean something else but
//! do no harm: the part is written back unchanged, and a build that ranks by it terminates.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::ops::Range;
use std::rc::Rc;
use std::sync::OnceLock;
use windrow::config::ContextConfig;
use windrow::log::plan::Wanted;
use windrow::log::unread::{Unread, UnreadStretch};
use windrow::machine::selection::SELECTION;
use windrow::machine::{Build, Step};
use windrow::recall::transcript::Transcript;
use windrow::state::ask::Need;
use windrow::state::context::Context;
use windrow_fuzz::{NOW, build, messages_of, seed, transcript, value};
use xxhash_rust::xxh64::xxh64;

const COUNTS: [usize; 3] = [12, 40, 600];
const STATE: u64 = 1;
/// Size of the version and the checksum.
const HEADER: usize = 16;

/// The parts of a log of 600 that are read: its beginning and its end.
const READ: [Range<usize>; 2] = [0..2, 580..600];

/// A serialized part, and the context built from its log.
static PARTS: OnceLock<Vec<(Vec<u8>, String)>> = OnceLock::new();

/// A log of `count` messages.
fn log(count: usize) -> Transcript {
    let mut log = transcript(count);
    log.set_log(None, 0, (1..=count as u64).collect());
    log
}

/// Builds with so little room that messages are ranked.
fn ranked(log: &Rc<Transcript>) -> Context {
    let config = value(serde_json::json!({ "budget": { "maxTokens": 80 } }));
    let config = ContextConfig::read(&config).expect("a sound config");
    build(log, config, &[], &mut |need| panic!("asks for {need:?}")).expect("there is room")
}

/// Ranks unread messages by an index, and returns those that are asked for.
fn asked_for(index: &Transcript) -> Vec<u64> {
    let read: Vec<usize> = READ.into_iter().flatten().collect();
    let mut end = messages_of(&read);
    let gap = UnreadStretch { row: 2, latest: end.time(2) };
    let unread = Unread {
        gaps: vec![gap],
        count: 578,
        has_untimed: false,
        looked_up: Vec::new(),
        ranking: None,
    };
    end.set_log(Some(unread), 0, read.iter().map(|number| *number as u64 + 1).collect());
    end.take_index(index);
    let config = value(
        serde_json::json!({ "budget": { "maxTokens": 200 }, "recall": { "recentMessages": 0 }, "encoding": "estimate" }),
    );
    let config = ContextConfig::read(&config).expect("a sound config");
    let request = Some(Rc::new(transcript(1)));
    let mut build = Build::new(Rc::new(end), request, config, NOW, Vec::new()).expect("a build");
    build.provide_selection(&SELECTION);
    match build.step().expect("there is room") {
        Step::Need(Need::Older { wanted: Wanted::Seqs(seqs) }) => seqs,
        Step::Need(Need::Older { .. }) | Step::Done(_) => Vec::new(),
        Step::Need(need) => panic!("asks for {need:?}"),
    }
}

/// The first part of a log's index, and the context built from it.
fn part(count: usize) -> (Vec<u8>, String) {
    let log = Rc::new(log(count));
    let context = ranked(&log);
    (log.index_part(0, STATE), context.snapshot.context_hash)
}

fuzz_target!(
    init: {
        for (count, (bytes, hash)) in COUNTS.into_iter().zip(PARTS.get_or_init(|| COUNTS.map(part).to_vec())) {
            assert!(bytes.len() > HEADER, "{count} messages have an index");
            seed(&count.to_string(), &bytes[HEADER..]);
            // The serialized part ranks the same.
            let same = log(count);
            assert!(same.learn_index_part(bytes, STATE) > 0);
            assert!(!asked_for(&same).is_empty(), "what was not read ranks");
            assert_eq!(ranked(&Rc::new(same)).snapshot.context_hash, *hash);
        }
    },
    |body: &[u8]| {
        let known = PARTS.get().expect("set at the beginning");
        for (bytes, _) in known {
            let damaged = [&bytes[..HEADER], body].concat();
            let is_same = damaged == *bytes;
            assert_eq!(Transcript::default().learn_index_part(&damaged, STATE) > 0, is_same, "what was damaged is refused");
        }
        assert_eq!(Transcript::default().learn_index_part(body, STATE), 0);

        let (bytes, _) = &known[0];
        let sealed = [&bytes[..8], &xxh64(body, 0).to_le_bytes(), body].concat();
        assert_eq!(Transcript::default().learn_index_part(&sealed, STATE + 1), 0, "it is of another state");
        let index = Transcript::default();
        let end = index.learn_index_part(&sealed, STATE);
        if end == 0 {
            return;
        }
        assert_eq!(index.learn_index_part(&sealed, STATE), 0, "it is there once");
        assert!(index.last_indexed_seq() > 0);
        // The host accepts no index that reaches past the log.
        if index.last_indexed_seq() <= 600 {
            let is_read = |seq: &u64| READ.iter().flat_map(Clone::clone).any(|number| number as u64 + 1 == *seq);
            assert!(!asked_for(&index).iter().any(is_read), "only what was not read is asked for");
        }
        let messages = log(40);
        messages.take_index(&index);
        let messages = Rc::new(messages);
        let context = ranked(&messages);
        // The build's own index can be read back after serialization.
        let again = Transcript::default();
        for (place, end) in messages.index_parts().into_iter().enumerate() {
            assert_eq!(again.learn_index_part(&messages.index_part(place, STATE), STATE), end);
        }
        assert_eq!(context.trace.ranges.last().map(|range| range.last), Some(39));
    }
);
