//! Stage 6, `snapshot`: the canonical bytes of what was built, their hash, and the recording.

use crate::context::Piece;
use crate::context::{
    RECORDING_FORMAT_VERSION, Recording, Snapshot, SourceCounts, TranscriptRecord,
};
use crate::draft::{Draft, Flow};
use crate::error::{Error, ErrorCode, Result};
use crate::form;
use crate::trace::{Fate, StageName, Trace};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Folds the decisions into the trace, hashes what was built, and records what it was built from.
///
/// # Errors
///
/// `INTERNAL` where a message is undecided, which no input brings about.
pub fn run(draft: &mut Draft) -> Result<Flow> {
    let costs = (0..draft.transcript.len()).map(|row| draft.cost(Piece::Message(row)).tokens);
    let Some(decisions) = draft.decisions() else {
        return Err(Error::new(
            ErrorCode::Internal,
            "a message was neither kept nor left out",
            "Report this with the config.",
        ));
    };
    let kept = decisions.iter().filter(|decision| decision.fate != Fate::LeftOut).count();
    let trace = Trace::fold(decisions.into_iter().zip(costs), &draft.config);
    let trimmed = !draft.shortened.is_empty()
        || trace
            .ranges
            .iter()
            .any(|range| range.stage == StageName::Budget && range.fate == Fate::LeftOut);
    let context_hash = hash(draft);

    draft.context.trimmed = trimmed;
    draft.context.trace = trace;
    draft.context.snapshot = Snapshot {
        session_id: draft.config.session_id.clone(),
        turn_id: draft.config.turn_id.clone(),
        context_hash: context_hash.clone(),
        source_counts: SourceCounts { messages: kept },
        trimmed,
        timestamp_ms: draft.now.0,
    };
    draft.context.recording = Recording {
        format_version: RECORDING_FORMAT_VERSION,
        engine_version: env!("CARGO_PKG_VERSION"),
        config: draft.config.clone(),
        now: draft.now.0,
        transcript: TranscriptRecord {
            length: draft.transcript.len(),
            digest: draft.transcript.digest(draft.transcript.len()),
        },
        context_hash,
    };
    Ok(Flow::Next)
}

/// The hash of the canonical bytes: the effective config without clock and turn, then the prompt.
fn hash(draft: &Draft) -> String {
    let mut config = draft.config.clone();
    config.now = None;
    config.turn_id = None;
    let mut hash = Sha256::new();
    let mut update = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    update(config.canonical().as_bytes());
    if let Some(text) = &draft.context.text {
        update(text.as_bytes());
    } else {
        for piece in &draft.context.pieces {
            update(&form::canonical_message(draft, *piece));
        }
    }
    hash.finalize().iter().fold("ctx_".to_owned(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}
