//! Computes the messages' similarity to the request from the vectors of the hook `recall.embed`.

use crate::recall::index::vectors::{self, Vector, write_similarities};
use crate::state::ask::{Answer, HookName, Misunderstood, Need, Outcome, StageResult};
use crate::state::input::Input;
use crate::state::marks::Marks;
use crate::state::trace::NoteKind;

/// For each row, the message's similarity to the request from the embedding hook; 0 for messages that limits don't
/// apply to. None if the hook isn't set or failed.
pub(super) fn similarities(
    input: &Input,
    marks: &Marks,
    request: &str,
    notes: &mut Vec<(NoteKind, String)>,
) -> StageResult<Option<Vec<f32>>> {
    if request.trim().is_empty() || input.hook(&[HookName::Embed]).is_none() {
        return Ok(None);
    }
    let rows = marks.optional_rows();
    let Some(answer) = input.answer_of(HookName::Embed) else {
        if rows.is_empty() {
            return Ok(None);
        }
        let config = &input.config.recall;
        let vectors = input.transcript.embeddings(&config.embed_model);
        let request = vectors::cut(request).to_owned();
        let mut texts = vectors.unknown_texts(&input.transcript, &rows);
        texts.retain(|text| *text != request);
        texts.insert(0, request); // the first vector is the request's
        return Err(Need::Embeddings {
            texts,
            message_count: rows.len(),
            batch_size: config.embed_batch_size,
            timeout_ms: config.timeout_ms,
        }
        .into());
    };
    match answer.outcome {
        Outcome::Given => {
            let found = answer.similarities.as_deref().and_then(vectors::read_similarities);
            let mut all = vec![0.0; input.transcript.len()];
            for (row, similarity) in rows.iter().zip(found.unwrap_or_default()) {
                all[*row] = similarity;
            }
            Ok(Some(all))
        }
        Outcome::Unavailable => {
            let words = "no embeddings were available: messages were ranked only by their words";
            notes.push((NoteKind::EmbeddingUnavailable, words.to_owned()));
            Ok(None)
        }
        Outcome::Failed => {
            let reason = answer.reason.clone().unwrap_or_default();
            notes.push((NoteKind::EmbeddingFailed, format!("recall.embed failed: {reason}")));
            Ok(None)
        }
    }
}

/// Remembers the vector of a requested text.
pub(crate) fn learn(input: &Input, text: &str, vector: Vector, is_request: bool) {
    let vectors = input.transcript.embeddings(&input.config.recall.embed_model);
    if !is_request || vectors.is_of_any(text) {
        vectors.learn(text, vector);
    }
}

/// The similarities of the messages that limits apply to, in recorded form, or the reason why they are unknown.
fn nearness(input: &Input, marks: &Marks, request: &Vector) -> Result<String, &'static str> {
    let rows = marks.optional_rows();
    let vectors = input.transcript.embeddings(&input.config.recall.embed_model);
    if vectors.forget_others(&rows, request.dimensions()) {
        return Err("returned vectors of another size; older ones were dropped");
    }
    let similarities = vectors.similarities(&rows, request);
    similarities.map(|known| write_similarities(&known)).ok_or("returned fewer vectors than texts")
}

/// The usable part of an answer about embeddings. The similarities come from the answer or, if it lacks them, from the
/// learned vectors. `request` is the request's vector.
pub(crate) fn understand_embeddings(
    input: &Input,
    marks: &Marks,
    message_count: usize,
    request: Option<&Vector>,
    answer: &mut Answer,
) -> Misunderstood {
    if let (Outcome::Given, None, Some(request)) = (answer.outcome, &answer.similarities, request) {
        match nearness(input, marks, request) {
            Ok(similarities) => answer.similarities = Some(similarities),
            Err(reason) => return answer.fail(reason),
        }
    }
    let text = answer.similarities.as_deref().unwrap_or_default();
    let found = vectors::read_similarities(text).map(|found| found.len());
    if answer.outcome == Outcome::Given && found != Some(message_count) {
        return answer.fail("the answer has no similarities");
    }
    if answer.outcome != Outcome::Given {
        answer.similarities = None;
    }
    Misunderstood::default()
}
