//! Transcripts inside the engine.

use super::crossing::{JsResult, failure, moment, pairs, plain, read_config, whole};
use super::selection::selecting;
use super::tokens::counter_of;
use crate::base::cost::Cost;
use crate::base::time::Zone;
use crate::base::value::OptionNames;
use crate::log::messages::Columns;
use crate::log::unread::Unread;
use crate::prompt::measure;
use crate::recall::rank::search::rarity;
use crate::recall::transcript::Transcript;
use crate::stages::collect::gone;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use xxhash_rust::xxh64::xxh64;

/// A transcript inside the engine.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct CoreTranscript(pub(super) Rc<Transcript>);

#[wasm_bindgen]
#[allow(clippy::too_many_arguments, reason = "columns are passed flat")]
impl CoreTranscript {
    /// An empty transcript.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends messages; see [`Columns`].
    ///
    /// # Errors
    ///
    /// `INVALID_TRANSCRIPT` if the columns don't fit together.
    pub fn append(
        &mut self,
        text: &[u8],
        roles: &[u8],
        pinned: &[u8],
        times: &[f64],
        segment_counts: &[u32],
        segment_fields: &[u8],
        segment_lengths: &[u32],
    ) -> JsResult<()> {
        let columns =
            Columns { text, roles, pinned, times, segment_counts, segment_fields, segment_lengths };
        // Copy on write: a build in progress keeps the messages that it began with.
        Rc::make_mut(&mut self.0).append(&columns).map_err(failure)
    }

    /// Keeps the first `length` messages.
    pub fn truncate(&mut self, length: usize) {
        Rc::make_mut(&mut self.0).truncate(length);
    }

    /// Describes the log of the messages: an [`Unread`] for its unread part (nothing if all of it was read), the number
    /// of its rows that aren't messages, and the sequence number of each message, if known.
    ///
    /// # Errors
    ///
    /// `INVALID_CONFIG` if it isn't an [`Unread`].
    #[wasm_bindgen(js_name = setLog)]
    pub fn set_log(
        &mut self,
        unread: &JsValue,
        skipped_count: usize,
        seqs: &[f64],
    ) -> JsResult<()> {
        let unread: Option<Unread> = plain(unread).decode(&OptionNames::NONE).map_err(failure)?;
        let seqs = seqs.iter().copied().map(whole).collect();
        Rc::make_mut(&mut self.0).set_log(unread, skipped_count, seqs);
        Ok(())
    }

    /// For each part of the log's index, the number of messages up to its end; see [`Transcript::index_parts`].
    #[wasm_bindgen(js_name = indexParts)]
    #[must_use]
    pub fn index_parts(&self) -> Vec<usize> {
        self.0.index_parts()
    }

    /// The number of messages in the log's index that have a direction; see [`Transcript::meaning_count`].
    #[wasm_bindgen(getter, js_name = meaningCount)]
    #[must_use]
    pub fn meaning_count(&self) -> usize {
        self.0.meaning_count()
    }

    /// A part of the log's index, in a state of the log; see [`Transcript::index_part`].
    #[wasm_bindgen(js_name = indexPart)]
    /// # Errors
    ///
    /// Fails with `PART_NOT_LOADED` if the ranking module is missing, as do all functions below.
    pub fn index_part(&self, part: usize, state: &str) -> JsResult<Vec<u8>> {
        Ok((selecting()?.index_part)(&self.0, part, checksum(state)))
    }

    /// Takes bytes from an earlier `indexPart` as the next part; see [`Transcript::learn_index_part`].
    #[wasm_bindgen(js_name = learnIndexPart)]
    ///
    /// # Errors
    ///
    /// `PART_NOT_LOADED`.
    pub fn learn_index_part(&self, bytes: &[u8], state: &str) -> JsResult<usize> {
        Ok((selecting()?.learn_index_part)(&self.0, bytes, checksum(state)))
    }

    /// The sequence number of the last indexed message; 0 without an index.
    #[wasm_bindgen(getter, js_name = lastIndexedSeq)]
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "sequence numbers came as numbers")]
    pub fn last_indexed_seq(&self) -> f64 {
        self.0.last_indexed_seq() as f64
    }

    /// Finds messages of the log that are relevant to a question, as the JSON text of a
    /// [`Found`](crate::recall::rank::search::Found). Undefined if both the log's index and some messages are missing.
    /// `offsets` are those of the time zone, as for `answerOffsets`.
    ///
    /// # Errors
    ///
    /// `PART_NOT_LOADED`.
    pub fn search(
        &self,
        question: &str,
        now_ms: f64,
        offsets: &[f64],
        count: usize,
    ) -> JsResult<Option<String>> {
        let zone = Zone::new(pairs(offsets));
        Ok((selecting()?.search)(&self.0, question, moment(now_ms), &zone, count))
    }

    /// The messages with lasting statements of a user, as JSON; see [`Transcript::lasting`].
    ///
    /// # Errors
    ///
    /// `PART_NOT_LOADED`.
    #[allow(clippy::needless_pass_by_value, reason = "the binding passes it so")]
    pub fn lasting(&self, name: Option<String>) -> JsResult<Option<String>> {
        Ok((selecting()?.lasting)(&self.0, name.as_deref()))
    }

    /// The lasting statements in a message, as JSON, each with the number of its kind.
    ///
    /// # Errors
    ///
    /// `PART_NOT_LOADED`.
    #[wasm_bindgen(js_name = lastingSentences)]
    pub fn lasting_sentences(&self, message: usize) -> JsResult<String> {
        Ok((selecting()?.lasting_sentences)(&self.0, message))
    }

    /// True if a message must no longer be shown, because it has expired or its author removed it.
    #[wasm_bindgen(js_name = isGone)]
    #[must_use]
    pub fn is_gone(&self, message: usize, now_ms: f64) -> bool {
        let rows = self.0.rows_of(message..message + 1);
        rows.is_empty() || gone(&self.0, rows.start, moment(now_ms)).is_some()
    }

    /// Takes over the index of another transcript of the same log.
    #[wasm_bindgen(js_name = takeIndex)]
    pub fn take_index(&self, other: &Self) {
        self.0.take_index(&other.0);
    }

    /// The remembered costs of the messages from `first` to before `end`; see
    /// [`Messages::costs`](crate::log::messages::Messages::costs).
    /// `place` names the place of the first message in a log, if it begins a block there.
    #[must_use]
    pub fn costs(&self, first: usize, end: usize, place: Option<String>) -> Vec<u8> {
        self.0.costs(self.0.rows_of(first..end), place.map(|place| checksum(&place)))
    }

    /// The number of remembered costs of the messages from `first` to before `end`, and of totals before them.
    #[wasm_bindgen(js_name = knownCosts)]
    #[must_use]
    pub fn known_costs(&self, first: usize, end: usize) -> usize {
        self.0.known_costs(self.0.rows_of(first..end))
    }

    /// Takes bytes from an earlier `costs`.
    #[wasm_bindgen(js_name = learnCosts)]
    pub fn learn_costs(&self, first: usize, end: usize, bytes: &[u8], place: Option<String>) {
        self.0.learn_costs(self.0.rows_of(first..end), place.map(|place| checksum(&place)), bytes);
    }

    /// Takes over the totals of another transcript of the same log. Both know their sequence numbers.
    #[wasm_bindgen(js_name = takeTotals)]
    pub fn take_totals(&self, other: &Self) {
        self.0.take_totals(&other.0);
    }

    /// The vectors of the messages from `first` to before `end` by a model; see [`Transcript::vectors`].
    ///
    /// # Errors
    ///
    /// `PART_NOT_LOADED`.
    pub fn vectors(&self, first: usize, end: usize, model: &str) -> JsResult<Vec<u8>> {
        Ok((selecting()?.vectors)(&self.0, self.0.rows_of(first..end), model))
    }

    /// The number of known vectors of the messages from `first` to before `end`.
    #[wasm_bindgen(js_name = knownVectors)]
    ///
    /// # Errors
    ///
    /// `PART_NOT_LOADED`.
    pub fn known_vectors(&self, first: usize, end: usize, model: &str) -> JsResult<usize> {
        Ok((selecting()?.known_vectors)(&self.0, self.0.rows_of(first..end), model))
    }

    /// Takes bytes from an earlier `vectors`.
    #[wasm_bindgen(js_name = learnVectors)]
    ///
    /// # Errors
    ///
    /// `PART_NOT_LOADED`.
    pub fn learn_vectors(
        &self,
        first: usize,
        end: usize,
        model: &str,
        bytes: &[u8],
    ) -> JsResult<()> {
        (selecting()?.learn_vectors)(&self.0, self.0.rows_of(first..end), model, bytes);
        Ok(())
    }

    /// The number of messages.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn length(&self) -> usize {
        self.0.message_count()
    }

    /// True if any message has a part whose cost isn't known exactly.
    #[wasm_bindgen(getter, js_name = hasMedia)]
    #[must_use]
    pub fn has_media(&self) -> bool {
        (0..self.0.len()).any(|row| self.0.has_media(row))
    }

    /// True if any message contains tool calls or results.
    #[wasm_bindgen(getter, js_name = hasTools)]
    #[must_use]
    pub fn has_tools(&self) -> bool {
        (0..self.0.len()).any(|row| self.0.has_tools(row))
    }

    /// The checksum of the first `length` messages.
    #[must_use]
    pub fn digest(&self, length: usize) -> String {
        self.0.digest(length)
    }

    /// The cost of each message in the config's form, after the cost of the form itself.
    ///
    /// # Errors
    ///
    /// `INVALID_CONFIG`, `ENCODING_NOT_LOADED`.
    pub fn measure(&self, config: &JsValue) -> JsResult<Vec<f64>> {
        let config = read_config(config)?;
        let counter = counter_of(&config)?;
        let calibration = config.budget.calibration();
        let (frame, costs) = measure::measure_all(&self.0, config, counter);
        #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^53")]
        let tokens = |cost: Cost| calibration.tokens(cost.tokens) as f64;
        let mut measured = vec![0.0; self.0.message_count()];
        for (row, cost) in costs.into_iter().enumerate() {
            measured[self.0.message_of(row)] += tokens(cost);
        }
        measured.insert(0, tokens(frame));
        Ok(measured)
    }
}

fn checksum(text: &str) -> u64 {
    xxh64(text.as_bytes(), 0)
}

/// The rarity of a word that `count` of all messages have; see [`rarity`].
#[wasm_bindgen(js_name = rarityOf)]
#[must_use]
pub fn rarity_of(all: usize, count: usize) -> f32 {
    rarity(all, count)
}
