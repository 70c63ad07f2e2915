//! The binding: the only file that knows JavaScript.
//!
//! It holds no rule of its own. Messages come in as columns, options as a [`Value`], and results go out as plain objects
//! and typed arrays. Failures leave as plain objects with a code; the package makes them errors.
#![allow(unsafe_code, reason = "the code that wasm-bindgen generates is unsafe")]

use crate::base::error::{Error, ErrorCode};
use crate::base::time::{self, Milliseconds, Zone};
use crate::base::value::Value;
use crate::build::{Build, Step};
use crate::config::ContextConfig;
use crate::log::messages::Columns;
use crate::log::unread::Unread;
use crate::prompt::certainty::Certainty;
use crate::prompt::measure;
use crate::recall::rank::search::rarity;
use crate::recall::transcript::Transcript;
use crate::stages::collect::gone;
use crate::state::ask::{Answer, Need};
use crate::state::context::{
    Context, ConversationReport, FocusReport, Made, Piece, RecallReport, Recording, SectionReport,
    Snapshot, TokenReport,
};
use crate::state::trace::Trace;
use crate::tokens::{Counter, Encoding, EncodingName};
use js_sys::{Array, Float64Array, Int32Array, Object};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use xxhash_rust::xxh64::xxh64;

thread_local! {
    static ENCODINGS: RefCell<[Option<Rc<Encoding>>; EncodingName::ALL.len()]> = RefCell::default();
}

type JsResult<T> = Result<T, JsValue>;

/// A transcript inside the engine.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct CoreTranscript(Rc<Transcript>);

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
    /// `INVALID_TRANSCRIPT` where the columns do not fit together.
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
        // A build in progress holds the transcript as it was when it began; only then is it copied.
        Rc::make_mut(&mut self.0).append(&columns).map_err(failure)
    }

    /// Keeps the first `length` messages.
    pub fn truncate(&mut self, length: usize) {
        Rc::make_mut(&mut self.0).truncate(length);
    }

    /// Says what the messages are of a log: with an [`Unread`] what was not read of it, nothing where they are all, how many of
    /// its rows are no messages, and the sequence number of each message, where these are known.
    ///
    /// # Errors
    ///
    /// `INVALID_CONFIG` where it is none.
    #[wasm_bindgen(js_name = setLog)]
    pub fn set_log(
        &mut self,
        unread: &JsValue,
        skipped_count: usize,
        seqs: &[f64],
    ) -> JsResult<()> {
        let unread: Option<Unread> = plain(unread).decode(&[]).map_err(failure)?;
        let seqs = seqs.iter().copied().map(whole).collect();
        Rc::make_mut(&mut self.0).set_log(unread, skipped_count, seqs);
        Ok(())
    }

    /// By part of the log's index: how many messages it ends behind; see [`Transcript::index_parts`].
    #[wasm_bindgen(js_name = indexParts)]
    #[must_use]
    pub fn index_parts(&self) -> Vec<usize> {
        self.0.index_parts()
    }

    /// A part of the log's index, in a state of the log; see [`Transcript::index_part`].
    #[wasm_bindgen(js_name = indexPart)]
    #[must_use]
    pub fn index_part(&self, part: usize, state: &str) -> Vec<u8> {
        self.0.index_part(part, xxh64(state.as_bytes(), 0))
    }

    /// Takes what `indexPart` gave once, as the next part; see [`Transcript::learn_index_part`].
    #[wasm_bindgen(js_name = learnIndexPart)]
    #[must_use]
    pub fn learn_index_part(&self, bytes: &[u8], state: &str) -> usize {
        self.0.learn_index_part(bytes, xxh64(state.as_bytes(), 0))
    }

    /// The sequence number of the last message that the log's index has; 0 where there is none.
    #[wasm_bindgen(getter, js_name = lastIndexedSeq)]
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "sequence numbers came as numbers")]
    pub fn last_indexed_seq(&self) -> f64 {
        self.0.last_indexed_seq() as f64
    }

    /// Finds messages of the log that are about a question, as the JSON text of a [`Found`](crate::recall::rank::search::Found);
    /// undefined where the log's index is not there, and not all messages are. `offsets` are those of the time zone, as for
    /// `answerOffsets`.
    #[must_use]
    pub fn search(
        &self,
        question: &str,
        now_ms: f64,
        offsets: &[f64],
        count: usize,
    ) -> Option<String> {
        let zone = Zone::new(pairs(offsets));
        let found = self.0.search(question, moment(now_ms), &zone, count)?;
        Some(serde_json::to_string(&found).unwrap_or_default())
    }

    /// Whether a message is not there for anyone any more: it has expired, or its author removed it.
    #[wasm_bindgen(js_name = isGone)]
    #[must_use]
    pub fn is_gone(&self, row: usize, now_ms: f64) -> bool {
        row >= self.0.len() || gone(&self.0, row, moment(now_ms)).is_some()
    }

    /// Takes the index that another transcript of the same log has.
    #[wasm_bindgen(js_name = takeIndex)]
    pub fn take_index(&self, other: &Self) {
        self.0.take_index(&other.0);
    }

    /// What is remembered of the costs of the messages from `first` to before `end`; see [`Transcript::costs`].
    #[must_use]
    pub fn costs(&self, first: usize, end: usize) -> Vec<u8> {
        let end = end.min(self.0.len());
        self.0.costs(first.min(end)..end)
    }

    /// How many costs are remembered of the messages from `first` to before `end`.
    #[wasm_bindgen(js_name = knownCosts)]
    #[must_use]
    pub fn known_costs(&self, first: usize, end: usize) -> usize {
        let end = end.min(self.0.len());
        self.0.known_costs(first.min(end)..end)
    }

    /// Remembers what `costs` gave once.
    #[wasm_bindgen(js_name = learnCosts)]
    pub fn learn_costs(&self, first: usize, end: usize, bytes: &[u8]) {
        let end = end.min(self.0.len());
        self.0.learn_costs(first.min(end)..end, bytes);
    }

    /// The vectors of the messages from `first` to before `end` that a model gave; see [`Transcript::vectors`].
    #[must_use]
    pub fn vectors(&self, first: usize, end: usize, model: &str) -> Vec<u8> {
        let end = end.min(self.0.len());
        self.0.vectors(first.min(end)..end, model)
    }

    /// How many vectors are known of the messages from `first` to before `end`.
    #[wasm_bindgen(js_name = knownVectors)]
    #[must_use]
    pub fn known_vectors(&self, first: usize, end: usize, model: &str) -> usize {
        let end = end.min(self.0.len());
        self.0.known_vectors(first.min(end)..end, model)
    }

    /// Remembers what `vectors` gave once.
    #[wasm_bindgen(js_name = learnVectors)]
    pub fn learn_vectors(&self, first: usize, end: usize, model: &str, bytes: &[u8]) {
        let end = end.min(self.0.len());
        self.0.learn_vectors(first.min(end)..end, model, bytes);
    }

    /// How many messages there are.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn length(&self) -> usize {
        self.0.len()
    }

    /// Whether any message has a part whose cost is not known exactly.
    #[wasm_bindgen(getter, js_name = hasMedia)]
    #[must_use]
    pub fn has_media(&self) -> bool {
        (0..self.0.len()).any(|row| self.0.has_media(row))
    }

    /// The checksum of the first `length` messages.
    #[must_use]
    pub fn digest(&self, length: usize) -> String {
        self.0.digest(length.min(self.0.len()))
    }

    /// What each message costs in the config's form, after what the form itself costs.
    ///
    /// # Errors
    ///
    /// `INVALID_CONFIG`, `ENCODING_NOT_LOADED`.
    pub fn measure(&self, config: &JsValue) -> JsResult<Vec<f64>> {
        let config = read_config(config)?;
        let counter = counter_of(&config)?;
        let (frame, costs) = measure::measure_all(&self.0, config, counter);
        #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^53")]
        let tokens = std::iter::once(frame).chain(costs).map(|cost| cost.tokens as f64).collect();
        Ok(tokens)
    }
}

/// A build in progress.
#[wasm_bindgen]
#[derive(Debug)]
pub struct CoreBuild(Build);

#[wasm_bindgen]
impl CoreBuild {
    /// Begins a build over the messages that the transcript has now; `request` is a transcript of one message, or of none where
    /// there is no request. Without it the newest user message is the request.
    ///
    /// # Errors
    ///
    /// `INVALID_CONFIG` with the option's path, also where the request is no request.
    #[wasm_bindgen(constructor)]
    pub fn new(
        transcript: &CoreTranscript,
        request: Option<CoreTranscript>,
        config: &JsValue,
        now: f64,
        hooks: Vec<String>,
    ) -> JsResult<Self> {
        let mut config = read_config(config)?;
        // Nothing but the snapshot's label depends on it.
        config.turn_id.get_or_insert_with(|| random_id("turn"));
        let now = moment(now);
        let request = request.map(|request| request.0);
        let hooks = Value::List(hooks.into_iter().map(Value::Text).collect());
        let hooks = hooks.decode(&[]).map_err(failure)?;
        Build::new(Rc::clone(&transcript.0), request, config, now, hooks).map(Self).map_err(failure)
    }

    /// Runs on: gives what is needed first (a [`Need`]), or the finished context.
    ///
    /// # Errors
    ///
    /// `BUDGET_TOO_SMALL`, `HOOK_FAILED`.
    pub fn step(&mut self) -> JsResult<JsValue> {
        loop {
            match self.0.step().map_err(failure)? {
                Step::Need(Need::Encoding { name }) if loaded(name).is_some() => {
                    if let Some(encoding) = loaded(name) {
                        self.0.provide_encoding(encoding);
                    }
                }
                Step::Need(need) => return to_js(&need),
                Step::Done(context) => return finished(&context),
            }
        }
    }

    /// Takes vectors that the hook gave for texts that were asked for, from the one at `first` on; see
    /// [`Build::learn_vectors`].
    #[wasm_bindgen(js_name = learnVectors)]
    pub fn learn_vectors(&mut self, first: usize, vectors: &[f32], dimensions: usize) -> bool {
        self.0.learn_vectors(first, vectors, dimensions)
    }

    /// How near the messages are, as the hook for embeddings was understood.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn similarities(&self) -> Option<String> {
        self.0.similarities().map(str::to_owned)
    }

    /// Answers what a hook was asked, with an [`Answer`].
    ///
    /// # Errors
    ///
    /// `INVALID_CONFIG` where it is no answer, `INVALID_RECORDING` where nothing of that kind was asked, `HOOK_FAILED` where
    /// `countTokens` gave no counts.
    pub fn answer(&mut self, answer: &JsValue) -> JsResult<()> {
        let answer: Answer = plain(answer).decode(&[]).map_err(failure)?;
        self.0.answer(answer).map_err(failure)
    }

    /// Answers the need for a time zone's offsets: since when (milliseconds since 1970) and how many minutes east, in
    /// turn.
    #[wasm_bindgen(js_name = answerOffsets)]
    pub fn answer_offsets(&mut self, offsets: &[f64]) {
        self.0.provide_offsets(pairs(offsets));
    }
}

/// How rare a word is that `count` of all messages have; see [`rarity`].
#[wasm_bindgen(js_name = rarityOf)]
#[must_use]
pub fn rarity_of(all: usize, count: usize) -> f32 {
    rarity(all, count)
}

/// A finished context as it crosses.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Finished {
    #[serde(with = "serde_wasm_bindgen::preserve")]
    rows: Int32Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    costs: Float64Array,
    /// What is read as one JSON text: it is small, or rarely looked at.
    json: String,
}

/// The rest of a finished context.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rest<'a> {
    made: &'a [Made],
    shortened: Vec<(i32, &'a str)>,
    text: &'a Option<String>,
    tokens: &'a TokenReport,
    char_count: Option<u64>,
    trimmed: bool,
    sections: &'a [SectionReport],
    focus: &'a FocusReport,
    recall: &'a Option<RecallReport>,
    conversations: &'a [ConversationReport],
    trace: &'a Trace,
    snapshot: &'a Snapshot,
    recording: &'a Recording,
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "rows of one prompt fit 32 bits"
)]
fn finished(context: &Context) -> JsResult<JsValue> {
    /// A message of the transcript is its row, the request -1, what the build made -2 and below, and a quoted message its row
    /// from the least number on.
    fn row(piece: Piece) -> i32 {
        match piece {
            Piece::Message(row) => row as i32,
            Piece::Quoted(row) => i32::MIN + row as i32,
            Piece::Request => -1,
            Piece::Made(position) => -2 - position as i32,
        }
    }
    let rows: Vec<i32> = context.pieces.iter().map(|placed| row(placed.piece)).collect();
    let costs: Vec<f64> = context.pieces.iter().map(|placed| number(placed.tokens)).collect();
    let rest = Rest {
        made: &context.made,
        shortened: context
            .shortened
            .iter()
            .map(|(piece, text)| (row(*piece), text.as_str()))
            .collect(),
        text: &context.text,
        tokens: &context.tokens,
        char_count: context.char_count,
        trimmed: context.trimmed,
        sections: &context.sections,
        focus: &context.focus,
        recall: &context.recall,
        conversations: &context.conversations,
        trace: &context.trace,
        snapshot: &context.snapshot,
        recording: &context.recording,
    };
    to_js(&Finished {
        rows: Int32Array::from(rows.as_slice()),
        costs: Float64Array::from(costs.as_slice()),
        json: serde_json::to_string(&rest).unwrap_or_default(),
    })
}

/// Loads an encoding from its vocabulary.
///
/// # Errors
///
/// `INVALID_ENCODING` where the name or the bytes are not those of an encoding.
#[wasm_bindgen(js_name = loadVocabulary)]
pub fn load_vocabulary(name: &str, bytes: &[u8]) -> JsResult<()> {
    let Some(name) = EncodingName::from_name(name) else {
        let known = EncodingName::ALL.map(EncodingName::as_str).join(", ");
        return Err(failure(Error::new(
            ErrorCode::InvalidEncoding,
            format!("unknown encoding \"{name}\""),
            format!("Use one of {known}."),
        )));
    };
    let encoding = Encoding::from_vocabulary(name, bytes).map_err(failure)?;
    ENCODINGS.with_borrow_mut(|encodings| encodings[name as usize] = Some(Rc::new(encoding)));
    Ok(())
}

/// How sure the counts of a config are, as JSON.
///
/// # Errors
///
/// `INVALID_CONFIG` with the option's path.
#[wasm_bindgen(js_name = certaintyOf)]
pub fn certainty_of(config: &JsValue, has_media: bool) -> JsResult<String> {
    let certainty = Certainty::of(&read_config(config)?, has_media);
    Ok(serde_json::to_string(&certainty).unwrap_or_default())
}

/// Whether an encoding is loaded.
#[wasm_bindgen(js_name = isLoaded)]
#[must_use]
pub fn is_loaded(name: &str) -> bool {
    EncodingName::from_name(name).is_some_and(|name| loaded(name).is_some())
}

/// How many tokens a text has.
///
/// # Errors
///
/// `INVALID_CONFIG`, `ENCODING_NOT_LOADED`.
#[wasm_bindgen(js_name = countText)]
pub fn count_text(text: &str, config: &JsValue) -> JsResult<f64> {
    let counter = counter_of(&read_config(config)?)?;
    #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^53")]
    let count = counter.count(text) as f64;
    Ok(count)
}

/// An id of 64 random bits, after a word that says of what.
#[wasm_bindgen(js_name = randomId)]
#[must_use]
pub fn random_id(prefix: &str) -> String {
    let mut bytes = [0; 8];
    // Where a host has no randomness, all share one id.
    let _ = getrandom::fill(&mut bytes);
    format!("{prefix}_{:016x}", u64::from_le_bytes(bytes))
}

/// The config with every default, as JSON.
#[wasm_bindgen(js_name = defaultConfig)]
#[must_use]
pub fn default_config() -> String {
    ContextConfig::default().canonical()
}

/// A sequence number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is whole, and 0 or more"
)]
fn whole(number: f64) -> u64 {
    number as u64
}

fn moment(number: f64) -> Milliseconds {
    time::from_number(number).unwrap_or(Milliseconds(0))
}

/// Offsets of a time zone, which come flat.
#[expect(clippy::cast_possible_truncation, reason = "moments and minutes are whole")]
fn pairs(offsets: &[f64]) -> Vec<[i64; 2]> {
    offsets.as_chunks().0.iter().map(|pair: &[f64; 2]| [pair[0] as i64, pair[1] as i64]).collect()
}

fn read_config(config: &JsValue) -> JsResult<ContextConfig> {
    ContextConfig::read(&plain(config)).map_err(failure)
}

/// Plain data as a [`Value`]. The package makes plain data of what it is given, so nothing here can throw or be cyclic.
fn plain(value: &JsValue) -> Value {
    if let Some(text) = value.as_string() {
        Value::Text(text)
    } else if let Some(number) = value.as_f64() {
        Value::Number(number)
    } else if let Some(truth) = value.as_bool() {
        Value::Bool(truth)
    } else if let Some(list) = value.dyn_ref::<Array>() {
        Value::List(list.iter().map(|element| plain(&element)).collect())
    } else if value.is_object() {
        // Not `dyn_ref`: an object without a prototype is not an `instanceof Object`.
        let object: &Object = value.unchecked_ref();
        let entry = |entry: JsValue| {
            let entry = Array::from(&entry);
            (entry.get(0).as_string().unwrap_or_default(), plain(&entry.get(1)))
        };
        Value::Map(Object::entries(object).iter().map(entry).collect())
    } else {
        Value::Null
    }
}

fn counter_of(config: &ContextConfig) -> JsResult<Counter> {
    match config.encoding_name() {
        Some(name) => loaded(name).map(Counter::Exact).ok_or_else(|| not_loaded(name)),
        None => Ok(Counter::Estimate),
    }
}

fn loaded(name: EncodingName) -> Option<Rc<Encoding>> {
    ENCODINGS.with_borrow(|encodings| encodings[name as usize].clone())
}

fn not_loaded(name: EncodingName) -> JsValue {
    let name = name.as_str();
    failure(Error::new(
        ErrorCode::EncodingNotLoaded,
        format!("the vocabulary of {name} is not loaded"),
        format!("Await loadEncoding(\"{name}\") first, or set encoding to \"estimate\"."),
    ))
}

/// A failure as it crosses.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Failure<'a> {
    code: &'static str,
    message: String,
    path: Option<&'a str>,
    next_action: &'a str,
    needed: Option<f64>,
    available: Option<f64>,
}

#[expect(clippy::needless_pass_by_value, reason = "used in map_err")]
fn failure(error: Error) -> JsValue {
    let failure = Failure {
        code: error.code.as_str(),
        message: error.to_string(),
        path: error.path.as_deref(),
        next_action: &error.next_action,
        needed: error.needed.map(number),
        available: error.available.map(number),
    };
    to_js(&failure).unwrap_or_else(|_| error.code.as_str().into())
}

/// A number as JavaScript has it. Beyond 2^53 it is the nearest that there is: a config may ask for costs that no prompt has.
#[expect(clippy::cast_precision_loss, reason = "the nearest will do")]
fn number(number: u64) -> f64 {
    number as f64
}

fn to_js(value: &impl Serialize) -> JsResult<JsValue> {
    Ok(value.serialize(&Serializer::json_compatible())?)
}
