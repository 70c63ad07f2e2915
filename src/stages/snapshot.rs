//! Stage 9, `snapshot`: the trace, the hash of the context's canonical bytes, and the recording.

use crate::base::candidate::Candidate;
use crate::base::error::{Error, ErrorCode, Result};
use crate::base::json::to_json;
use crate::base::map::Map;
use crate::config::SectionKind;
use crate::log::messages::Messages;
use crate::log::unread::{RankingRecord, Unread};
use crate::prompt::form;
use crate::stages::selection::GivenSelection;
use crate::state::ask::Answer;
use crate::state::context::{
    AnswerRecord, Context, ItemForm, Piece, RECORDING_FORMAT_VERSION, Recording, Snapshot,
    TranscriptRecord,
};
use crate::state::ranking::{RankEvidence, RankedPlace};
use crate::state::trace::{Decision, Fate, Reason, Trace};
use crate::state::view::View;
use sha2::{Digest, Sha256};
use std::rc::Rc;
use xxhash_rust::xxh64::xxh64;

/// Merges the decisions into the trace of a context, hashes the built context, and records its inputs.
///
/// # Errors
///
/// `INTERNAL` if a message is undecided, which no input can cause.
pub(crate) fn finish(
    view: View<'_>,
    selection: GivenSelection,
    context: &mut Context,
) -> Result<()> {
    let View { input, marks, fill } = view;
    let mut costs = vec![0; input.transcript.len()];
    for placed in &context.pieces {
        if let Some(row) = placed.piece.row() {
            costs[row] = placed.tokens;
        }
    }
    let Some(mut decisions) = marks.decisions() else {
        return Err(Error::new(
            ErrorCode::Internal,
            "a message was neither kept nor left out",
            "Report this with the config.",
        ));
    };
    let is_kept = |row: usize| decisions[row].fate != Fate::LeftOut;
    let mut is_counted = false;
    let mut kept = 0;
    for row in 0..decisions.len() {
        is_counted &= input.transcript.row_before(row).is_some();
        kept += usize::from(is_kept(row) && !is_counted);
        is_counted |= is_kept(row);
    }
    let is_recalled = |row: &usize| decisions[*row].reason == Reason::Recalled;
    let rows: Vec<usize> = (0..decisions.len()).filter(is_recalled).collect();
    let recalled = match marks.ranking.as_ref().map(|ranking| &ranking.evidence) {
        Some(RankEvidence::Found(evidence)) => {
            selection.map_or_else(Vec::new, |selection| (selection.recalled)(evidence, &rows))
        }
        Some(RankEvidence::Recorded(recalled)) => recalled.clone(),
        None => Vec::new(),
    };
    if input.transcript.has_split() {
        decide_by_message(&input.transcript, &mut decisions);
    }
    let trace = Trace::fold(decisions.into_iter().zip(costs), &input.config);
    let unread_count = input.given.unread().map_or(0, |unread| unread.count);
    context.trace = Trace { recalled, notes: marks.notes.clone(), unread_count, ..trace };

    let mut source_counts = Map::default();
    source_counts.insert("messages".to_owned(), kept);
    for section in context.sections.iter().filter(|it| it.kind == SectionKind::Items) {
        let shown = section.items.iter().filter(|item| item.form != ItemForm::LeftOut);
        source_counts.insert(section.id.clone(), shown.count());
    }
    let context_hash = hash(view, context);
    context.snapshot = Snapshot {
        session_id: input.config.session_id.clone(),
        turn_id: input.config.turn_id.clone(),
        context_hash: context_hash.clone(),
        source_counts,
        trimmed: fill.is_trimmed,
        timestamp_ms: input.now.0,
    };
    let (answers, large_answers) = record_answers(&input.answers.of_hooks);
    context.recording = Recording {
        format_version: RECORDING_FORMAT_VERSION,
        engine_version: env!("CARGO_PKG_VERSION"),
        config: Rc::clone(&input.config),
        now: input.now.0,
        zone_offsets: input.answers.zone_offsets.clone().unwrap_or_default(),
        hooks: input.hooks.clone(),
        answers,
        large_answers,
        transcript: record_transcript(view, context),
        context_hash,
    };
    Ok(())
}

/// Merges the decisions about the rows of a message into one.
fn decide_by_message(transcript: &Messages, decisions: &mut [Decision]) {
    let mut first = 0;
    while first < decisions.len() {
        let mut end = first + 1;
        while end < decisions.len() && transcript.row_before(end).is_some() {
            decisions[first] = decisions[first].about_both(decisions[end]);
            end += 1;
        }
        let decision = decisions[first];
        decisions[first..end].fill(decision);
        first = end;
    }
}

/// Answers with more bytes of JSON than this are recorded once and referenced by their hash.
const LARGE_ANSWER_BYTES: usize = 1024;

fn record_answers(answers: &[Answer]) -> (Vec<AnswerRecord>, Map<String, Answer>) {
    let mut large = Map::default();
    let record = |answer: &Answer| {
        let json = to_json(answer);
        if json.len() <= LARGE_ANSWER_BYTES {
            return AnswerRecord::Here(answer.clone());
        }
        let hash = digits(&Sha256::digest(json.as_bytes()));
        large.insert(hash.clone(), answer.clone());
        AnswerRecord::There { hash }
    };
    (answers.iter().map(record).collect(), large)
}

fn record_transcript(view: View<'_>, context: &Context) -> TranscriptRecord {
    let transcript = &view.input.given;
    let length = transcript.message_count();
    let powers = std::iter::successors(Some(1_usize), |length| length.checked_mul(2));
    let unread = transcript.unread().map(|unread| {
        let ranking = view.marks.ranking.as_ref().map(|ranking| RankingRecord {
            candidates: {
                let read = ranking.candidates.iter().filter_map(|it| it.map(RankedPlace::row));
                read.map(|Candidate { place, form, with }| (place, form, with)).collect()
            },
            standing: ranking.standing.iter().filter_map(|it| it.row()).collect(),
            statements: ranking.statements.iter().filter_map(|it| it.row()).collect(),
            recalled: context.trace.recalled.clone(),
        });
        let total = view.fill.unread_total;
        Unread { ranking, total, ..unread.clone().with_rows(|row| transcript.message_of(row)) }
    });
    TranscriptRecord {
        length,
        digest: transcript.digest(length),
        marks: powers.take_while(|at| *at < length).map(|at| (at, transcript.digest(at))).collect(),
        unread,
    }
}

/// Hashes the canonical bytes: the effective config without clock and turn, then the prompt. Sets the checksum of each
/// piece.
fn hash(view: View<'_>, context: &mut Context) -> String {
    let mut hash = Sha256::new();
    let mut update = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    update(view.input.canonical_config.as_bytes());
    if let Some(text) = &context.text {
        update(text.as_bytes());
    }
    let is_text = context.text.is_some();
    let mut bytes = Vec::new();
    for (placed, (piece, _)) in context.pieces.iter_mut().zip(&view.fill.layout) {
        if is_text {
            bytes.clear();
            for text in form::parts(view, *piece, false).texts() {
                bytes.extend(text.as_bytes());
            }
            placed.checksum = xxh64(&bytes, 0);
        } else {
            form::write_canonical(view, *piece, &mut bytes);
            update(&bytes);
            placed.checksum = checksum(view, *piece, &bytes);
        }
    }
    format!("ctx_{}", digits(&hash.finalize()))
}

/// A checksum of a chat message's sent form. The next build uses it to find the part that it repeats. Quotes are one
/// message with one checksum, stored at the line that opens them.
fn checksum(view: View<'_>, piece: Piece, bytes: &[u8]) -> u64 {
    match piece {
        Piece::Quoted(_) => 0,
        _ if view.fill.quotes.first() == Some(&piece) => {
            xxh64(form::quoting_content(view).as_bytes(), 0)
        }
        _ => xxh64(bytes, 0),
    }
}

fn digits(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
